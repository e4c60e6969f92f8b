package worker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/erase"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/shortterm"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// do runs a statement as the tenant.
func (h *house) do(sql string, args ...any) {
	h.t.Helper()
	err := h.pool.InTenant(h.within(), tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(h.within(), sql, args...)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// A batch that takes longer than its lease is neither claimed nor delivered again.
func TestHeartbeatsHoldOnToWhatIsSlow(t *testing.T) {
	h := newHouse(t, shortterm.Config{Lease: 900 * time.Millisecond})
	cfg := quick()
	cfg.Lease = 300 * time.Millisecond
	var seen calls
	goOn := make(chan struct{})
	h.worker(plain{see: func(_ context.Context, in extract.Input) error {
		seen.add(textsOf(in)...)
		<-goOn
		return nil
	}}, hashed{}, cfg)
	ids := h.post("s", "I live in Lisbon")
	h.await("the batch is at work", func() bool { return seen.count() == 1 })
	lease := func() (until time.Time) {
		err := h.pool.InTenant(h.within(), tenant, func(tx pgx.Tx) error {
			return tx.QueryRow(h.within(), `SELECT lease_until FROM ingest_open WHERE tenant_id = $1 AND message_id = $2`, tenant, ids[0]).Scan(&until)
		})
		if err != nil {
			t.Fatal(err)
		}
		return until
	}
	first := lease()
	h.await("the first lease is long over", func() bool { return lease().Sub(first) > 2*time.Second })
	close(goOn)
	h.settle(ids...)
	h.wantState(ids[0], shortterm.StateDone, "", 1)
	if n := seen.count(); n != 1 {
		t.Errorf("extracted %d times", n)
	}
}

// Whose messages are taken away in the middle need not wait for the model: the call is
// broken off, and the neighbours are learned from.
func TestABatchIsBrokenOffWhenItsMessagesGo(t *testing.T) {
	for name, gone := range map[string][]int{"one of three": {1}, "all": {0, 1, 2}} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, shortterm.Config{})
			cfg := quick()
			cfg.Lease = 300 * time.Millisecond // so often the claim is renewed
			metrics := prometheus.NewRegistry()
			cfg.Metrics = metrics
			at, ended := make(chan struct{}, 16), make(chan error, 16)
			h.worker(plain{}, hashed{see: func(ctx context.Context, texts []string) error {
				if !anyContains(texts, "box number 1") {
					return nil
				}
				at <- struct{}{}
				<-ctx.Done() // a model that never answers
				ended <- ctx.Err()
				return &memd.Error{Kind: memd.Unavailable, Err: ctx.Err()}
			}}, cfg)
			texts := facts(3, "box")
			ids := h.post("s", texts...)
			<-at
			var kept, keptTexts = []int64{}, []string{}
			for i, id := range ids {
				if slices.Contains(gone, i) {
					h.do(`DELETE FROM ingest_open WHERE tenant_id = $1 AND message_id = $2`, tenant, id)
				} else {
					kept, keptTexts = append(kept, id), append(keptTexts, texts[i])
				}
			}
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("the call ended with %v", err)
			}
			h.settle(kept...)
			h.await("it is counted", func() bool { return value(t, metrics, "memd_worker_broken_off_total") == 1 })
			h.wantOnce(sourcesOf(keptTexts, kept))
			if open := value(t, metrics, "memd_worker_breaker_open", "embedder"); open != 0 {
				t.Error("the embedder counts as away")
			}
		})
	}
}

// What is erased while it is learned from is no failure, and is counted as none; what is
// refused for another reason is, though its kind is the same.
func TestWhatIsErasedMeanwhileIsNoFailure(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(h *house, ids []int64)
		failures  float64
		kept      bool
	}{
		"the person is erased": {meanwhile: func(h *house, _ []int64) {
			_, err := erase.New(h.pool, h.log, h.store, idempotency.New(h.pool), zerolog.Nop()).Person(h.within(), tenant, user, "test")
			if err != nil {
				h.t.Fatal(err)
			}
		}},
		"what came before is deleted": {kept: true, meanwhile: func(h *house, ids []int64) {
			h.do(`DELETE FROM conversation_context WHERE tenant_id = $1 AND id = $2`, tenant, ids[0])
		}},
		"a source that never was": {failures: 1, kept: true, meanwhile: func(*house, []int64) {}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, shortterm.Config{})
			cfg := quick()
			metrics, said := prometheus.NewRegistry(), &lockedBuffer{}
			cfg.Metrics, cfg.Log = metrics, zerolog.New(said)
			at, goOn := make(chan struct{}, 16), make(chan struct{})
			tried := 0
			h.worker(answering{func(in extract.Input) []int64 {
				tried++
				switch {
				case len(in.Before) == 0:
				case name == "a source that never was" && tried == 2: // the first is the one before
					return []int64{1 << 40}
				default:
					return []int64{in.Before[0].ID}
				}
				return nil
			}}, hashed{see: func(_ context.Context, texts []string) error {
				if anyContains(texts, "Yes, on Sunday") {
					at <- struct{}{}
					<-goOn
				}
				return nil
			}}, cfg)
			first := h.post("s", "Do you play the flute?")
			h.settle(first...)
			ids := h.post("s", "Yes, on Sunday")
			<-at
			c.meanwhile(h, first)
			close(goOn)
			h.settle(ids...)
			if c.kept {
				h.await("it is learned", func() bool { return h.ingest(ids[0]).State == shortterm.StateDone })
				h.wantState(ids[0], shortterm.StateDone, "", 1+int(c.failures))
			} else if n := len(h.memories()); n != 0 {
				t.Errorf("%d memories of who was erased", n)
			}
			if n := sum(t, metrics, "memd_worker_failures_total"); n != c.failures {
				t.Errorf("%v failures are counted, want %v", n, c.failures)
			}
			if told := strings.Contains(said.String(), "will be tried again"); told != (c.failures > 0) {
				t.Errorf("the log says:\n%s", said)
			}
		})
	}
}

// answering extracts each message whole, as said of what cited names beside it.
type answering struct{ cited func(extract.Input) []int64 }

func (x answering) Extract(ctx context.Context, in extract.Input) (memd.Extraction, error) {
	out, err := plain{}.Extract(ctx, in)
	for i := range out.Candidates {
		out.Candidates[i].Sources = append(x.cited(in), out.Candidates[i].Sources...)
	}
	return out, err
}

// lockedBuffer is written to by several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// sum adds up a metric over all its labels; it is 0 where there is none yet.
func sum(t *testing.T, from prometheus.Gatherer, name string) (n float64) {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			for _, m := range f.GetMetric() {
				n += m.GetCounter().GetValue()
			}
		}
	}
	return n
}

// What heeds no context cannot be ended: it is left behind, and whoever waits goes on.
func TestWhatNeverEndsIsLeftBehind(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	cfg := quick()
	cfg.JobTimeout, cfg.Grace, cfg.Workers = 3*time.Second, 50*time.Millisecond, 1
	metrics := prometheus.NewRegistry()
	cfg.Metrics = metrics
	goOn := make(chan struct{})
	h.worker(plain{see: func(_ context.Context, in extract.Input) error {
		if anyContains(textsOf(in), "poison") {
			<-goOn
		}
		return nil
	}}, hashed{}, cfg)
	t.Cleanup(func() { close(goOn) }) // before the worker is stopped
	texts := facts(5, "box")
	texts[2] = "This is poison"
	ids := h.post("s", texts...)
	h.settle(ids...)
	h.wantState(ids[2], shortterm.StateDead, "extract: stuck", 1)
	h.wantOnce(sourcesOf(slices.Delete(slices.Clone(texts), 2, 3), slices.Delete(slices.Clone(ids), 2, 3)))
	if n := value(t, metrics, "memd_worker_stuck_total"); n != 2 { // with its neighbours, and alone
		t.Errorf("%v batches were left behind, want 2", n)
	}
}

// A text that makes the model or Postgres fail looks like an outage, and is none: what is
// well answers others. It is tried a few times for nothing, then burns its attempts.
func TestATextThatLooksLikeAnOutage(t *testing.T) {
	for name, c := range map[string]struct {
		embed, extract error
		trigger        string
		cause          string
	}{
		"the embedder fails by it":  {embed: &memd.Error{Kind: memd.Unavailable}, cause: "embedder: unavailable"},
		"the extractor fails by it": {extract: &memd.Error{Kind: memd.Unavailable}, cause: "extract: unavailable"},
		"a statement takes too long by it": {
			trigger: `RAISE EXCEPTION 'it takes too long' USING ERRCODE = '57014'`, cause: "postgres: unavailable"},
		"a statement is refused for it": {
			trigger: `RAISE EXCEPTION 'no'`, cause: "longterm: internal"},
		"a value is refused for it": {
			trigger: `RAISE EXCEPTION 'no' USING ERRCODE = '22021'`, cause: "longterm: invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			const attempts = 3
			h := newHouse(t, shortterm.Config{MaxAttempts: attempts})
			if c.trigger != "" {
				owner, err := pgx.Connect(t.Context(), h.owner)
				if err != nil {
					t.Fatal(err)
				}
				_, err = owner.Exec(t.Context(), `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
					BEGIN IF NEW.memory LIKE '%poison%' THEN `+c.trigger+`; END IF; RETURN NEW; END $$;
					CREATE TRIGGER refuse BEFORE INSERT ON memory FOR EACH ROW EXECUTE FUNCTION refuse();
					GRANT EXECUTE ON FUNCTION refuse() TO PUBLIC`)
				_ = owner.Close(context.Background())
				if err != nil {
					t.Fatal(err)
				}
			}
			cfg := quick()
			cfg.MaxAttempts, cfg.PauseMin, cfg.PauseMax = attempts, time.Millisecond, 5*time.Millisecond
			metrics := prometheus.NewRegistry()
			cfg.Metrics = metrics
			h.worker(plain{see: func(_ context.Context, in extract.Input) error {
				if c.extract != nil && anyContains(textsOf(in), "poison") {
					return c.extract
				}
				return nil
			}}, hashed{see: func(_ context.Context, texts []string) error {
				if c.embed != nil && anyContains(texts, "poison") {
					return c.embed
				}
				return nil
			}}, cfg)
			texts := facts(6, "box")
			texts[3] = "This is poison"
			ids := h.post("s", texts...)
			other := h.post("other", "I live in Lisbon")
			good, goodTexts := append(slices.Delete(slices.Clone(ids), 3, 4), other...), append(slices.Delete(slices.Clone(texts), 3, 4), "I live in Lisbon")
			h.settle(good...)
			for _, id := range good {
				h.wantState(id, shortterm.StateDone, "", 1)
			}
			// Somebody always says something else meanwhile.
			for i := 0; h.ingest(ids[3]).State != shortterm.StateDead; i++ {
				text := fmt.Sprintf("The train of platform %d is late", i)
				more := h.post(fmt.Sprintf("m%d", i), text)
				h.settle(more...)
				good, goodTexts = append(good, more...), append(goodTexts, text)
			}
			want := attempts
			if c.cause == "longterm: invalid" {
				want = 1
			}
			h.wantState(ids[3], shortterm.StateDead, c.cause, want)
			h.wantOnce(sourcesOf(goodTexts, good))
		})
	}
}

// Nobody else has to say anything for its neighbours to be learned from, wherever it stands.
func TestTheNeighboursOfATextThatLooksLikeAnOutage(t *testing.T) {
	for _, at := range []int{0, 2, 5} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			h := newHouse(t, shortterm.Config{})
			h.worker(plain{see: func(_ context.Context, in extract.Input) error {
				if anyContains(textsOf(in), "poison") {
					return &memd.Error{Kind: memd.Unavailable}
				}
				return nil
			}}, hashed{}, quick())
			texts := facts(6, "box")
			texts[at] = "This is poison"
			ids := h.post("s", texts...)
			good := slices.Delete(slices.Clone(ids), at, at+1)
			h.settle(good...)
			for _, id := range good {
				h.wantState(id, shortterm.StateDone, "", 1)
			}
			if got := h.ingest(ids[at]); got.State == shortterm.StateDead || got.State == shortterm.StateDone {
				t.Errorf("it is %s, though nothing says that it is at fault", got.State)
			}
		})
	}
}

// The wait for the next attempt grows up to its bound, and can be seen.
func TestRetriesAreEverFurtherApart(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	cfg := quick()
	cfg.RetryMin, cfg.RetryMax = 4*time.Minute, 12*time.Minute // less than the relay takes for a wrong clock
	h.worker(plain{see: func(context.Context, extract.Input) error { return errors.New("boom") }}, hashed{}, cfg)
	ids := h.post("s", "I live in Lisbon")
	for i, want := range []time.Duration{4 * time.Minute, 8 * time.Minute, 12 * time.Minute, 12 * time.Minute} {
		h.await("an attempt has failed", func() bool {
			got := h.ingest(ids[0])
			return got.State == shortterm.StateFailed && got.Attempts == i+1
		})
		next := h.ingest(ids[0]).NextAttemptAt
		if next == nil {
			t.Fatal("no time of the next attempt")
		}
		if wait := time.Until(*next); wait < want*70/100 || wait > want*126/100 {
			t.Errorf("after attempt %d it waits %v, want about %v", i+1, wait, want)
		}
		h.do(`UPDATE ingest_open SET next_attempt_at = now(), publish_at = now() WHERE tenant_id = $1`, tenant)
	}
	h.settle(ids...)
	h.wantState(ids[0], shortterm.StateDead, "extract: internal", 5)
}

// A live session with very much to learn from lets others have their turn.
func TestALongSessionGoesBehindOthers(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	cfg := quick()
	cfg.Workers, cfg.Batch, cfg.Batches = 1, 2, 3
	var seen calls
	at, goOn := make(chan struct{}), make(chan struct{})
	first := true
	h.worker(plain{see: func(_ context.Context, in extract.Input) error {
		if first {
			first = false
			close(at)
			<-goOn
		}
		seen.add(textsOf(in)...)
		return nil
	}}, hashed{}, cfg)
	texts := facts(60, "box")
	ids := h.post("long", texts...)
	<-at
	other := h.post("other", "I live in Lisbon")
	h.await("it is queued", func() bool {
		s, err := h.bus.State(h.within())
		return err == nil && s.Live.Pending > 0
	})
	close(goOn)
	h.settle(append(ids, other...)...)
	for i, batch := range seen.list() {
		if slices.Contains(batch, "I live in Lisbon") && i > 6 {
			t.Errorf("the other came after %d batches", i)
		}
	}
	h.wantOnce(sourcesOf(append(texts, "I live in Lisbon"), append(ids, other...)))
}

// A session that gets a message whenever one is learned is never done, and holds up nobody.
func TestASessionThatIsAlwaysWrittenToGoesBehindOthers(t *testing.T) {
	const most = 40
	h := newHouse(t, shortterm.Config{})
	cfg := quick()
	cfg.Workers, cfg.Batches = 1, 3
	texts := facts(most, "box")
	at, goOn := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	var ids []int64
	before, isServed := 0, false // how many of the busy session came before the other
	h.worker(plain{see: func(_ context.Context, in extract.Input) error {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case anyContains(textsOf(in), "Lisbon"):
			isServed = true
			return nil
		case len(ids) == 0:
			close(at)
			<-goOn
		}
		if !isServed {
			before++
		}
		if len(ids) < most-1 {
			ids = append(ids, h.post("busy", texts[1+len(ids)])...)
		}
		return nil
	}}, hashed{}, cfg)
	began := h.post("busy", texts[0])
	<-at
	other := h.post("other", "I live in Lisbon")
	h.await("it is queued", func() bool {
		s, err := h.bus.State(h.within())
		return err == nil && s.Live.Pending > 0
	})
	close(goOn)
	h.settle(other...)
	h.await("the busy one has ended", func() bool {
		c, err := h.log.Counts(h.within(), tenant, "", "")
		return err == nil && c.Open() == 0
	})
	mu.Lock()
	defer mu.Unlock()
	if before > 2*cfg.Batches {
		t.Errorf("the other came after %d batches of one that is always written to", before)
	}
	h.wantOnce(sourcesOf(append(texts, "I live in Lisbon"), append(append(began, ids...), other...)))
}
