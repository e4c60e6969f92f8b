package worker

import (
	"errors"
	"slices"
	"sync"
	"time"
)

// probeText is what an embedder is asked for to see whether it answers at all.
const probeText = "ready?"

var (
	// errOwn marks an outage that others do not meet.
	errOwn = errors.New("others are answered")
	// errSlow marks one that is no answer within the time that others need.
	errSlow = errors.New("no answer in time")
)

const (
	// paceOf is of how many calls it is known how long they took.
	paceOf = 64
	// paceTimes is how much longer than the slowest of them one may take.
	paceTimes = 10
	// paceMost bounds that.
	paceMost = 2 * time.Minute
	// textCost is for how many bytes a text counts however short it is.
	textCost = 256
)

// pace is how long calls of the embedder took of late, for each byte of their texts.
type pace struct {
	least time.Duration

	mu   sync.Mutex
	last [paceOf]float64 // nanoseconds
	n    int
}

func sizeOf(texts []string) (n float64) {
	for _, t := range texts {
		n += float64(textCost + len(t))
	}
	return n
}

func (p *pace) took(texts []string, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last[p.n%paceOf] = float64(d) / sizeOf(texts)
	p.n++
}

// allowed is how long a call for texts may take.
func (p *pace) allowed(texts []string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.least, min(time.Duration(paceTimes*slices.Max(p.last[:])*sizeOf(texts)), paceMost))
}
