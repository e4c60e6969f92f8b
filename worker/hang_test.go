package worker_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/shortterm"
)

// hanging never answers texts with part in them, and counts how many it is asked for at once
// once every such text was asked for alone.
type hanging struct {
	hashed
	part  string
	texts int

	mu         sync.Mutex
	alone      map[string]bool
	held, most int
}

func (e *hanging) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	if !anyContains(texts, e.part) {
		return e.hashed.EmbedPassages(ctx, texts)
	}
	e.mu.Lock()
	counts := len(e.alone) == e.texts
	if counts {
		e.held++
		e.most = max(e.most, e.held)
	}
	e.mu.Unlock()
	<-ctx.Done()
	e.mu.Lock()
	defer e.mu.Unlock()
	if counts {
		e.held--
	}
	if len(texts) == 1 {
		e.alone[texts[0]] = true
	}
	return nil, ctx.Err()
}

// Texts on which the embedder hangs are given up soon, and hold a quarter of the workers
// until then: everyone else goes on.
func TestTextsThatHangHoldUpNobody(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	cfg := quick()
	cfg.Workers, cfg.EmbedLeast = 4, 50*time.Millisecond
	const n = 8
	e := &hanging{part: "HANG", texts: n, alone: map[string]bool{}}
	h.worker(plain{}, e, cfg)
	var bad, good []int64
	var texts []string
	say := func(session, text string) {
		good, texts = append(good, h.post(session, text)...), append(texts, text)
	}
	for i := range n {
		session := fmt.Sprintf("h%d", i)
		say(session, fmt.Sprintf("My desk number %d is of oak", i))
		bad = append(bad, h.post(session, fmt.Sprintf("The HANG word number %d was said", i))...)
		say(session, fmt.Sprintf("My lamp number %d is of brass", i))
	}
	// They are still tried while all else settles.
	for i := range 20 {
		say(fmt.Sprintf("b%d", i), fmt.Sprintf("The train of platform %d is late", i))
	}
	h.settle(good...)
	h.settle(bad...)
	for _, id := range bad {
		h.wantState(id, shortterm.StateDead, "embedder: timeout", 5)
	}
	for _, id := range good {
		h.wantState(id, shortterm.StateDone, "", 1)
	}
	h.wantOnce(sourcesOf(texts, good))
	if e.most != 1 {
		t.Errorf("%d workers were at texts that hang, want 1", e.most)
	}
}

// One text by which the embedder fails, and nothing else to learn from: that it answers is
// asked for.
func TestATextTheEmbedderFailsByIsGivenUp(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	var asked calls
	h.worker(plain{}, hashed{see: func(_ context.Context, texts []string) error {
		if anyContains(texts, "poison") {
			asked.add(texts...)
			return &memd.Error{Kind: memd.Unavailable}
		}
		return nil
	}}, quick())
	ids := h.post("s", "This is poison")
	h.settle(ids...)
	h.wantState(ids[0], shortterm.StateDead, "embedder: unavailable", 5)
	if n := asked.count(); n != 7 {
		t.Errorf("it was tried %d times, want 7", n)
	}
}
