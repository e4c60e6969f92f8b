package worker_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/shortterm"
	"github.com/memdhq/memd/traffic"
)

// noting notes of which texts it is asked patiently.
type noting struct {
	hashed
	mu      *sync.Mutex
	patient map[string]bool
}

func (m noting) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	m.mu.Lock()
	for _, text := range texts {
		m.patient[text] = embed.IsPatient(ctx)
	}
	m.mu.Unlock()
	return m.hashed.EmbedPassages(ctx, texts)
}

// While somebody waits for answers a backfill is learned from by one worker, a little at a time and
// patiently, and what is live by all others.
func TestABackfillGivesWayToTraffic(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	cfg := quick()
	cfg.Workers, cfg.Live = 4, &traffic.Live{}
	end := cfg.Live.Begin()
	defer end()
	var busy atomic.Int64
	at, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var seen calls
	marks := noting{mu: &sync.Mutex{}, patient: map[string]bool{}}
	h.worker(plain{see: func(_ context.Context, in extract.Input) error {
		if !anyContains(textsOf(in), "old") {
			return nil
		}
		if n := busy.Add(1); n > 1 {
			t.Errorf("%d workers learn from a backfill", n)
		}
		defer busy.Add(-1)
		seen.add(textsOf(in)...)
		once.Do(func() { close(at); <-goOn })
		return nil
	}}, marks, cfg)
	var texts []string
	var ids []int64
	for s := range 3 {
		some := facts(10, fmt.Sprint("old box ", s))
		texts, ids = append(texts, some...), append(ids, h.append(fmt.Sprint("import ", s), true, some...)...)
	}
	<-at
	live := h.post("chat", "I live in Lisbon")
	h.settle(live...) // though the backfill has not ended
	close(goOn)
	h.settle(ids...)
	for _, batch := range seen.list() {
		if len(batch) > 8 {
			t.Errorf("a batch of %d", len(batch))
		}
	}
	marks.mu.Lock()
	defer marks.mu.Unlock()
	if len(marks.patient) != len(texts)+1 {
		t.Errorf("embedded were %v", marks.patient)
	}
	for text, patient := range marks.patient {
		if patient != anyContains([]string{text}, "old box") {
			t.Errorf("%q: patiently %v", text, patient)
		}
	}
	h.wantOnce(sourcesOf(append(texts, "I live in Lisbon"), append(ids, live...)))
}

// Where nobody waits, all workers are at it.
func TestABackfillHasAllWorkersWhereNobodyWaits(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	cfg := quick()
	cfg.Workers, cfg.Live = 3, &traffic.Live{}
	var together sync.WaitGroup
	together.Add(3)
	var met atomic.Int64
	h.worker(plain{see: func(context.Context, extract.Input) error {
		if met.Add(1) <= 3 {
			together.Done()
			together.Wait() // for ever, if one waits for another
		}
		return nil
	}}, hashed{}, cfg)
	var ids []int64
	for s := range 3 {
		ids = append(ids, h.append(fmt.Sprint("import ", s), true, facts(3, fmt.Sprint("old box ", s))...)...)
	}
	h.settle(ids...)
}
