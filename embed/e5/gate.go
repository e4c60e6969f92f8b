package e5

import (
	"context"
	"slices"
	"sync"
)

// class is what a run is for.
type class int

const (
	query class = iota
	stored
	patient // to be stored, but there is time
)

// gate decides who may run. Passages share the slots, first come, first served.
// A query never waits for a passage: it starts at once, beside the passages that
// run, and until it is done no further passage takes a slot; so a query's wait
// does not depend on how long the texts are that happen to be embedded. Queries
// wait for each other only when there are as many as slots. However many queries
// there are, one passage at a time goes on, so that nothing starves. So does one that
// is patient; more of them only take what is left, and are in nobody's way.
type gate struct {
	slots int

	mu      sync.Mutex
	running [3]int
	waiting [3][]chan struct{}
}

func newGate(slots int) *gate { return &gate{slots: slots} }

// enter waits until the caller may run. The error is the context's.
func (g *gate) enter(ctx context.Context, c class) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.mu.Lock()
	if len(g.waiting[c]) == 0 && g.free(c) {
		g.running[c]++
		g.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	g.waiting[c] = append(g.waiting[c], turn)
	g.mu.Unlock()

	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.waiting[c], turn); i >= 0 {
		g.waiting[c] = slices.Delete(g.waiting[c], i, i+1)
	} else {
		// The turn came while the context ended: it passes on.
		g.running[c]--
		g.admit()
	}
	return ctx.Err()
}

// leave ends a run.
func (g *gate) leave(c class) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running[c]--
	g.admit()
}

func (g *gate) free(c class) bool {
	switch c {
	case query:
		return g.running[query] < g.slots
	case stored:
		return g.running[stored] == 0 || g.running[query]+g.running[stored] < g.slots
	}
	return g.running[patient] == 0 ||
		len(g.waiting[query])+len(g.waiting[stored]) == 0 && g.running[query]+g.running[stored]+g.running[patient] < g.slots
}

// admit lets in all who may run now.
func (g *gate) admit() {
	for _, c := range []class{query, stored, patient} {
		for len(g.waiting[c]) > 0 && g.free(c) {
			g.running[c]++
			close(g.waiting[c][0])
			g.waiting[c] = g.waiting[c][1:]
		}
	}
}
