package llm

import (
	"math/bits"
	"slices"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	// spareCalls is how many calls of one extraction may bring nothing, beside those
	// that halving its messages takes until one is left.
	spareCalls = 4
	// maxFruitless is how many extractions in a row may bring nothing before the model is
	// left alone.
	maxFruitless = 8
)

// mayFail gives how many calls may bring nothing before the rules take the rest: as
// many as it takes to find one message among these, and a few. Each call that brings
// something allows one more.
func mayFail(batches [][]passage) int {
	n := 0
	for _, ps := range batches {
		for _, p := range ps {
			n += 1 + utf8.RuneCountInString(p.text)/(4*smallest)
		}
	}
	return spareCalls + bits.Len(uint(n))
}

// sizeOfFact is how many characters a statement has at the least, as a rule.
const sizeOfFact = 20

// mayPart gives how often passages may be parted because an answer has too many facts: twice as
// often as it takes if they state as many as they have room for, and a few times.
func mayPart(batches [][]passage) int {
	n := 0
	for _, ps := range batches {
		for _, p := range ps {
			n += utf8.RuneCountInString(p.text)
		}
	}
	return spareCalls + 2*(n/(sizeOfFact*maxFacts))
}

// drought counts the extractions in a row in which a model that answers was of no use.
type drought struct {
	mu    sync.Mutex
	count int
	pause time.Duration
	last  time.Time // when the last of them was
}

// noteUse notes what an extraction that asked the model came to: that it learned
// anything, or why not. After some in a row that did not the server is left alone, for
// an eighth of Config.Pause and each time for twice as long; the first one after that
// tries again.
func (c *client) noteUse(learned bool, why code) {
	d := &c.drought
	d.mu.Lock()
	defer d.mu.Unlock()
	if learned {
		d.count, d.pause = 0, 0
		return
	}
	d.last = time.Now()
	if d.count++; d.count < maxFruitless {
		return
	}
	d.pause = min(max(2*d.pause, c.config.Pause/8), max(c.config.Pause, c.config.Reprobe))
	c.leave(&fault{code: why}, d.pause)
	c.config.Log.Warn().Str("reason", string(why)).Dur("pause", d.pause).Msg("the language model's answers are of no use: the rules extract for a while")
}

// inDrought says that the model's answers were of no use when it was last asked, unless
// that is too long ago to say anything.
func (c *client) inDrought() bool {
	d := &c.drought
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count >= maxFruitless && time.Since(d.last) < c.config.Reprobe
}

// noteUse tells the client what came of its calls. A server that was away is another
// matter, and a model that answers as it should, if only what nobody said, is of use.
func (r *run) noteUse() {
	switch {
	case r.calls == 0:
	case r.answered:
		r.client.noteUse(true, "")
	case r.useless != "":
		r.client.noteUse(false, r.useless)
	case slices.Equal(r.ruled, []code{codeUnsupported}):
		r.client.noteUse(true, "")
	}
}
