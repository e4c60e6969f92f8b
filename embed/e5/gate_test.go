package e5

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// queued gives a channel that gets the result of enter, once the gate has either
// let the caller in or made it wait.
func queued(t *testing.T, g *gate, ctx context.Context, c class) <-chan error {
	t.Helper()
	state := func() (running, waiting int) {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.running[c], len(g.waiting[c])
	}
	running, waiting := state()
	result := make(chan error, 1)
	go func() { result <- g.enter(ctx, c) }()
	for {
		if r, w := state(); r != running || w != waiting {
			return result
		}
		runtime.Gosched()
	}
}

func mustWait(t *testing.T, who string, turn <-chan error) {
	t.Helper()
	select {
	case err := <-turn:
		t.Fatalf("%s went in, %v", who, err)
	default:
	}
}

func mustEnter(t *testing.T, who string, turn <-chan error) {
	t.Helper()
	if err := <-turn; err != nil {
		t.Fatalf("%s: %v", who, err)
	}
}

func TestAQueryGoesBeforeWaitingPassages(t *testing.T) {
	g, ctx := newGate(2), t.Context()
	mustEnter(t, "passage 1", queued(t, g, ctx, stored))
	mustEnter(t, "passage 2", queued(t, g, ctx, stored))
	third := queued(t, g, ctx, stored)
	mustWait(t, "passage 3", third)
	mustEnter(t, "query 1", queued(t, g, ctx, query))
	mustEnter(t, "query 2", queued(t, g, ctx, query))
	last := queued(t, g, ctx, query)
	mustWait(t, "query 3", last)

	g.leave(stored)
	mustWait(t, "passage 3, while queries hold the slots", third)
	g.leave(query)
	mustEnter(t, "query 3", last)
	mustWait(t, "passage 3, while queries hold the slots", third)
	g.leave(query)
	mustWait(t, "passage 3, while a query and a passage hold the slots", third)
	g.leave(query)
	mustEnter(t, "passage 3", third)
}

func TestOnePassageGoesOnWhateverTheQueries(t *testing.T) {
	g, ctx := newGate(1), t.Context()
	mustEnter(t, "query", queued(t, g, ctx, query))
	mustEnter(t, "passage 1", queued(t, g, ctx, stored))
	second := queued(t, g, ctx, stored)
	mustWait(t, "passage 2", second)
	g.leave(stored)
	mustEnter(t, "passage 2", second)
}

func TestPassagesGoInTheOrderTheyCame(t *testing.T) {
	g, ctx := newGate(1), t.Context()
	mustEnter(t, "first", queued(t, g, ctx, stored))
	a := queued(t, g, ctx, stored)
	b := queued(t, g, ctx, stored)
	g.leave(stored)
	mustEnter(t, "a", a)
	mustWait(t, "b", b)
	g.leave(stored)
	mustEnter(t, "b", b)
}

func TestWhoGivesUpLeavesTheQueue(t *testing.T) {
	g := newGate(1)
	mustEnter(t, "first", queued(t, g, t.Context(), stored))
	ctx, cancel := context.WithCancel(t.Context())
	gone := queued(t, g, ctx, stored)
	next := queued(t, g, t.Context(), stored)
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	g.leave(stored)
	mustEnter(t, "next", next)
	g.leave(stored)
	if g.running != [3]int{} || len(g.waiting[stored]) != 0 {
		t.Errorf("running %v, waiting %d", g.running, len(g.waiting[stored]))
	}
}

// What can wait is in nobody's way: it takes what is left, and where nothing is it goes on one by one.
func TestPatientPassagesTakeWhatIsLeft(t *testing.T) {
	g, ctx := newGate(2), t.Context()
	mustEnter(t, "patient 1", queued(t, g, ctx, patient))
	mustEnter(t, "patient 2", queued(t, g, ctx, patient))
	third := queued(t, g, ctx, patient)
	mustWait(t, "patient 3", third)
	mustEnter(t, "passage 1", queued(t, g, ctx, stored))
	mustEnter(t, "passage 2", queued(t, g, ctx, stored))
	mustEnter(t, "query", queued(t, g, ctx, query))
	waiting := queued(t, g, ctx, stored)
	mustWait(t, "passage 3", waiting)
	g.leave(patient)
	mustWait(t, "patient 3, while others hold the slots", third)
	g.leave(patient)
	mustEnter(t, "patient 3, as the only one", third)
	mustWait(t, "passage 3, while others hold the slots", waiting)
	g.leave(stored)
	g.leave(stored)
	mustEnter(t, "passage 3", waiting)
	fourth := queued(t, g, ctx, patient)
	mustWait(t, "patient 4", fourth)
	g.leave(query)
	mustWait(t, "patient 4, while a passage and a patient one hold the slots", fourth)
	g.leave(stored)
	mustEnter(t, "patient 4", fourth)
}

// Whatever comes, goes and gives up at whatever time, the bounds hold, all who
// stay are served, and nothing is left over.
func TestTheGateHoldsItsBounds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		slots := rapid.IntRange(1, 4).Draw(rt, "slots")
		g := newGate(slots)
		kinds := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 60).Draw(rt, "kinds")
		var group sync.WaitGroup
		for _, kind := range kinds {
			group.Go(func() {
				c := class(kind % 3)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if kind >= 3 {
					go cancel()
				}
				if err := g.enter(ctx, c); err != nil {
					if kind < 3 {
						t.Error(err)
					}
					return
				}
				g.mu.Lock()
				if g.running[query] > slots || g.running[stored] > slots || g.running[patient] > slots {
					t.Errorf("%v run in %d slots", g.running, slots)
				}
				g.mu.Unlock()
				g.leave(c)
			})
		}
		group.Wait()
		if g.running != [3]int{} || len(g.waiting[query])+len(g.waiting[stored])+len(g.waiting[patient]) != 0 {
			rt.Fatalf("left over: %v running, %d, %d and %d waiting", g.running, len(g.waiting[query]), len(g.waiting[stored]), len(g.waiting[patient]))
		}
	})
}
