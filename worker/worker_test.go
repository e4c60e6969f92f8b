package worker_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/embed/e5"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/shortterm"
	"github.com/memdhq/memd/worker"
	"github.com/prometheus/client_golang/prometheus"
)

// The whole way, with the extractor and the model that memd comes with.
func TestFiftyMessagesBecomeMemories(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	assets := memdtest.Assets(t)
	model, err := e5.Open(e5.Config{ModelPath: assets.ONNX, TokenizerPath: assets.Tokenizer, RuntimePath: assets.Library})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	h.worker(extract.NewRules(), model, worker.Config{})

	texts := facts(50, "box")
	var ids []int64
	for i, s := range slices.Collect(slices.Chunk(texts, 10)) {
		ids = append(ids, h.post(fmt.Sprintf("s%d", i), s...)...)
	}
	thanks := h.post("s0", "Thanks!")
	h.settle(append(ids, thanks...)...)

	found := h.memories()
	for i, text := range texts {
		ms := found[text]
		if len(ms) != 1 || !slices.Equal(ms[0].Sources, ids[i:i+1]) {
			t.Errorf("%q: %+v, want one memory of message %d", text, ms, ids[i])
		}
		in := h.ingest(ids[i])
		if in.State != shortterm.StateDone || in.Attempts != 1 || in.Extractor != extract.RulesVersion || in.Error != "" {
			t.Errorf("message %d: %+v", ids[i], in)
		}
	}
	h.wantState(thanks[0], shortterm.StateDone, "", 1)
	of, _, err := h.store.MemoriesOf(h.within(), tenant, thanks)
	if err != nil || len(of[thanks[0]]) != 0 {
		t.Errorf("of thanks was learned %v, %v", of, err)
	}
	var vectors int
	err = h.pool.InTenant(h.within(), tenant, func(tx pgx.Tx) error {
		return tx.QueryRow(h.within(), `SELECT count(*) FROM memory_embedding WHERE tenant_id = $1 AND model = $2`, tenant, model.Model().Name).Scan(&vectors)
	})
	if err != nil || vectors != 50 {
		t.Errorf("%d vectors, %v, want 50", vectors, err)
	}
}

func TestRedeliveryDoublesNothing(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	texts := facts(20, "box")
	ids := h.post("s", texts...)
	work := bus.Work{Tenant: tenant, SessionNo: h.sessionNo("s"), MessageIDs: ids}
	for publishes := range 5 { // before and during
		h.bus.Publish(work, 100+publishes)
	}
	cfg := quick()
	h.worker(plain{}, hashed{}, cfg)
	h.settle(ids...)
	h.wantOnce(sourcesOf(texts, ids))

	for publishes := range 5 { // and after
		h.bus.Publish(work, 200+publishes)
	}
	last := h.post("s", "The end is in sight")
	h.settle(last...)
	h.await("the queue is empty", func() bool {
		pending, unacked, err := h.bus.Backlog(h.within())
		return err == nil && pending+unacked == 0
	})
	h.wantOnce(sourcesOf(append(texts, "The end is in sight"), append(ids, last...)))
}

// Posts of the same facts by several at once, worked on by two workers: each fact is
// one memory that has all its sources.
func TestTwoWorkersOnOnePerson(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	h.worker(plain{}, hashed{}, quick())
	h.worker(plain{}, hashed{}, quick())
	texts := facts(8, "box")
	var mu sync.Mutex
	sources := map[string][]int64{}
	var posts sync.WaitGroup
	for i := range 10 {
		posts.Go(func() {
			ids := h.post(fmt.Sprintf("s%d", i), texts...)
			mu.Lock()
			defer mu.Unlock()
			for i, text := range texts {
				sources[text] = append(sources[text], ids[i])
			}
		})
	}
	posts.Wait()
	for _, ids := range sources {
		slices.Sort(ids)
		h.settle(ids...)
	}
	h.wantOnce(sources)
}

// What is under way when a worker stops goes back unburnt, and the next one does it.
func TestStopHandsBackWhatIsUnderWay(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	at := make(chan struct{}, 16)
	w := h.worker(plain{}, hashed{see: func(ctx context.Context, _ []string) error {
		at <- struct{}{}
		<-ctx.Done() // a call that takes for ever
		return &memd.Error{Kind: memd.Unavailable, Err: ctx.Err()}
	}}, quick())
	texts := facts(10, "box")
	ids := append(h.post("a", texts[:5]...), h.post("b", texts[5:]...)...)
	<-at
	<-at
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	if err := w.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		h.wantState(id, shortterm.StatePending, "", 0)
	}

	cfg, metrics := quick(), prometheus.NewRegistry()
	cfg.Metrics = metrics
	h.worker(plain{}, hashed{}, cfg)
	h.settle(ids...)
	h.wantOnce(sourcesOf(texts, ids))
	for _, id := range ids {
		h.wantState(id, shortterm.StateDone, "", 1)
	}
	if n := value(t, metrics, "memd_worker_redeliveries_total"); n < 2 {
		t.Errorf("%v deliveries that came again are counted, want those of two sessions", n)
	}
}

// What can finish in time does.
func TestStopLetsFinish(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	at, goOn := make(chan struct{}, 1), make(chan struct{})
	w := h.worker(plain{}, hashed{see: func(context.Context, []string) error {
		at <- struct{}{}
		<-goOn
		return nil
	}}, quick())
	ids := h.post("s", "I live in Lisbon")
	<-at
	stopped := make(chan error)
	go func() { stopped <- w.Stop(context.Background()) }()
	h.await("Stop has begun", w.IsStopping)
	select {
	case <-stopped:
		t.Error("stopped with a message under way")
	default:
	}
	close(goOn)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	h.wantState(ids[0], shortterm.StateDone, "", 1)
}

func TestStopReturnsInTimeWhateverHangs(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	at, goOn := make(chan struct{}, 1), make(chan struct{})
	w := h.worker(plain{see: func(context.Context, extract.Input) error {
		at <- struct{}{}
		<-goOn // heeds no context
		return nil
	}}, hashed{}, quick())
	h.post("s", "I live in Lisbon")
	<-at
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := w.Stop(ctx); memd.KindOf(err) != memd.Unavailable {
		t.Errorf("Stop gave %v", err)
	}
	if err := w.Start(t.Context()); memd.KindOf(err) != memd.Conflict {
		t.Errorf("Start while it still ends gave %v", err)
	}
	close(goOn)
	if err := w.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestABadMessageHoldsUpNobody(t *testing.T) {
	for name, c := range map[string]struct {
		fault    func(context.Context) error
		cfg      func(*worker.Config)
		cause    string
		attempts int
	}{
		"panic":    {func(context.Context) error { panic("poison") }, nil, "extract: panic", 5},
		"internal": {func(context.Context) error { return errors.New("boom") }, nil, "extract: internal", 5},
		"conflict": {func(context.Context) error { return &memd.Error{Kind: memd.Conflict} }, nil, "extract: conflict", 5},
		"invalid":  {func(context.Context) error { return &memd.Error{Kind: memd.Invalid} }, nil, "extract: invalid", 1},
		"too slow": {
			func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
			func(cfg *worker.Config) { cfg.JobTimeout = time.Second },
			"extract: timeout", 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := quick()
			if c.cfg != nil {
				c.cfg(&cfg)
			}
			cfg.MaxAttempts = max(c.attempts, 2)
			h := newHouse(t, shortterm.Config{MaxAttempts: cfg.MaxAttempts})
			metrics := prometheus.NewRegistry()
			cfg.Metrics = metrics
			h.worker(plain{see: func(ctx context.Context, in extract.Input) error {
				if anyContains(textsOf(in), "poison") {
					return c.fault(ctx)
				}
				return nil
			}}, hashed{}, cfg)
			texts := facts(12, "box")
			texts[7] = "This is poison"
			ids := h.post("s", texts...)
			later := h.post("s", "The end is in sight")
			h.settle(append(ids, later...)...)

			h.wantState(ids[7], shortterm.StateDead, c.cause, c.attempts)
			for i, id := range ids {
				if i != 7 {
					h.wantState(id, shortterm.StateDone, "", 1)
				}
			}
			texts, ids = append(slices.Delete(texts, 7, 8), "The end is in sight"), append(slices.Delete(ids, 7, 8), later...)
			h.wantOnce(sourcesOf(texts, ids))
			class, code, _ := strings.Cut(c.cause, ": ")
			if got := value(t, metrics, "memd_worker_failures_total", class, code); got < float64(c.attempts) {
				t.Errorf("%v failures counted", got)
			}
			if got := value(t, metrics, "memd_worker_messages_total", shortterm.StateDead); got != 1 {
				t.Errorf("%v dead counted", got)
			}
			if got := value(t, metrics, "memd_worker_dead_letters_total", class, code); got != 1 {
				t.Errorf("%v dead letters of that cause counted", got)
			}
			if got := value(t, metrics, "memd_worker_panics_total"); (got >= float64(c.attempts)) != (name == "panic") {
				t.Errorf("%v panics counted", got)
			}
		})
	}
}

// The embedder refuses one text: it is remembered all the same, without a vector.
func TestATextThatCannotBeEmbedded(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	cfg := quick()
	metrics := prometheus.NewRegistry()
	cfg.Metrics = metrics
	h.worker(plain{}, hashed{see: func(_ context.Context, texts []string) error {
		if anyContains(texts, "poison") {
			return memd.InvalidField("texts[0]", "must not be blank")
		}
		return nil
	}}, cfg)
	texts := []string{"I live in Lisbon", "poison", "I like tea"}
	ids := h.post("s", texts...)
	h.settle(ids...)
	for _, id := range ids {
		h.wantState(id, shortterm.StateDone, "", 1)
	}
	h.wantOnce(sourcesOf(texts, ids))
	if n := value(t, metrics, "memd_worker_refused_vectors_total"); n == 0 {
		t.Error("a vector that cannot be had is not counted")
	}
	if _, without, err := h.store.MemoriesOf(h.within(), tenant, ids); err != nil || without[ids[0]] || !without[ids[1]] || without[ids[2]] {
		t.Errorf("without a vector are those of %v, want that of %d; %v", without, ids[1], err)
	}
}

// An embedder that is away, asks to wait, or is of the wrong width burns no attempt,
// however long; meanwhile nothing is fetched.
func TestAnOutageBurnsNoAttempt(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		cause string
	}{
		"away":    {&memd.Error{Kind: memd.Unavailable}, "embedder: unavailable"},
		"limited": {&memd.Error{Kind: memd.RateLimited, RetryAfter: 30 * time.Millisecond}, "embedder: rate_limited"},
		"width":   {&memd.Error{Kind: memd.Invalid, Err: embed.ErrWidth}, "embedder: width"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, shortterm.Config{})
			var away atomic.Bool
			away.Store(true)
			var asked, extracted calls
			cfg := quick()
			metrics := prometheus.NewRegistry()
			cfg.Metrics = metrics
			h.worker(
				plain{see: func(_ context.Context, in extract.Input) error { extracted.add(textsOf(in)...); return nil }},
				hashed{see: func(_ context.Context, texts []string) error {
					asked.add(texts...)
					if away.Load() {
						return c.err
					}
					return nil
				}}, cfg)

			texts := facts(6, "box")
			ids := h.post("a", texts[0], texts[1])
			// It may be at work once more, fetched before the outage was known: then all that is
			// written down is that the embedder is not asked.
			h.await("the outage is written down and has burnt nothing", func() bool {
				got := h.ingest(ids[0])
				return got.State == shortterm.StateFailed && (got.Error == c.cause || got.Error == "embedder: unavailable") && got.Attempts == 0
			})
			if got := value(t, metrics, "memd_worker_breaker_open", "embedder"); got != 1 {
				t.Errorf("the breaker shows %v", got)
			}
			tried := extracted.count()
			for i := 2; i < 6; i++ {
				ids = append(ids, h.post(fmt.Sprintf("s%d", i), texts[i])...)
			}
			probes := asked.count()
			h.await("many probes", func() bool { return asked.count() > probes+10 })
			if got := extracted.count(); got > tried+1 { // one may have been fetched before
				t.Errorf("%d batches were tried while the embedder was away", got-tried)
			}
			away.Store(false)
			h.settle(ids...)
			for _, id := range ids {
				h.wantState(id, shortterm.StateDone, "", 1)
			}
			h.wantOnce(sourcesOf(texts, ids))
		})
	}
}

// The extractor has no probe: single jobs find out whether it is back.
func TestAnExtractorThatIsAway(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	var away atomic.Bool
	away.Store(true)
	var asked calls
	h.worker(plain{see: func(_ context.Context, in extract.Input) error {
		asked.add(textsOf(in)...)
		if away.Load() {
			return &memd.Error{Kind: memd.Unavailable}
		}
		return nil
	}}, hashed{}, quick())
	texts := facts(6, "box")
	var ids []int64
	for i, text := range texts {
		ids = append(ids, h.post(fmt.Sprintf("s%d", i), text)...)
	}
	h.await("many tries", func() bool { return asked.count() > 10 })
	away.Store(false)
	h.settle(ids...)
	for _, id := range ids {
		h.wantState(id, shortterm.StateDone, "", 1)
	}
	h.wantOnce(sourcesOf(texts, ids))
}

func TestALostQueueIsMadeGood(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	texts := facts(40, "box")
	var ids []int64
	for i, text := range texts {
		ids = append(ids, h.post(fmt.Sprintf("s%d", i%7), text)...)
	}
	h.await("the work is queued", func() bool {
		pending, _, err := h.bus.Backlog(h.within())
		return err == nil && pending > 0
	})
	h.dropStreams()
	h.worker(plain{}, hashed{}, quick())
	h.settle(ids...)
	h.wantOnce(sourcesOf(texts, ids))
}

// A claim whose worker died is taken up once its lease has ended, and given up after
// as many attempts as there may be.
func TestClaimsOfTheDead(t *testing.T) {
	cfg := quick()
	cfg.MaxAttempts = 3
	h := newHouse(t, shortterm.Config{Lease: time.Millisecond, MaxAttempts: 3})
	cfg.Lease = time.Millisecond * 300
	ids := h.post("s", "I live in Lisbon")
	h.claimAndDie("s", 3)
	good := h.post("s", "I like tea")
	h.worker(plain{}, hashed{}, cfg)
	h.settle(append(ids, good...)...)
	h.wantState(ids[0], shortterm.StateDead, "crash: lease_expired", 3)
	h.wantState(good[0], shortterm.StateDone, "", 1)
	h.wantOnce(sourcesOf([]string{"I like tea"}, good))
}

// Messages that may be what killed their worker are tried alone.
func TestSuspectsAreTriedAlone(t *testing.T) {
	h := newHouse(t, shortterm.Config{Lease: time.Millisecond, MaxAttempts: 9})
	texts := facts(4, "box")
	ids := h.post("s", texts[:2]...)
	h.claimAndDie("s", 2)
	ids = append(ids, h.post("s", texts[2:]...)...)
	cfg := quick()
	cfg.MaxAttempts = 9
	var seen calls
	h.worker(plain{see: func(_ context.Context, in extract.Input) error { seen.add(textsOf(in)...); return nil }}, hashed{}, cfg)
	h.settle(ids...)
	for _, batch := range seen.list() {
		if len(batch) > 1 && (slices.Contains(batch, texts[0]) || slices.Contains(batch, texts[1])) {
			t.Errorf("tried together: %q", batch)
		}
	}
	for i, id := range ids {
		attempts := 3
		if i >= 2 {
			attempts = 1
		}
		h.wantState(id, shortterm.StateDone, "", attempts)
	}
	h.wantOnce(sourcesOf(texts, ids))
}

// Of messages that may be what killed the process one is tried at a time, so that the next
// kill is held against none but the one that did it.
func TestOneSuspectIsAtWorkAtATime(t *testing.T) {
	h := newHouse(t, shortterm.Config{Lease: time.Millisecond, MaxAttempts: 9})
	texts := facts(6, "box")
	var ids []int64
	for i, text := range texts {
		ids = append(ids, h.post(fmt.Sprint("s", i), text)...)
		h.claimAndDie(fmt.Sprint("s", i), 2)
	}
	cfg := quick()
	cfg.MaxAttempts, cfg.Workers = 9, 4
	var at, most atomic.Int64
	h.worker(plain{see: func(context.Context, extract.Input) error {
		n := at.Add(1)
		defer at.Add(-1)
		for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
		}
		<-time.After(20 * time.Millisecond) // long enough for another worker to come
		return nil
	}}, hashed{}, cfg)
	h.settle(ids...)
	if n := most.Load(); n != 1 {
		t.Errorf("%d were at work at a time", n)
	}
	for _, id := range ids {
		h.wantState(id, shortterm.StateDone, "", 3)
	}
	h.wantOnce(sourcesOf(texts, ids))
}

// A message that is gone when its batch is written: the rest of the batch is not.
func TestAMessageDeletedMeanwhile(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	at, goOn := make(chan struct{}, 16), make(chan struct{})
	h.worker(plain{see: func(context.Context, extract.Input) error {
		at <- struct{}{}
		<-goOn
		return nil
	}}, hashed{}, quick())
	texts := facts(3, "box")
	ids := h.post("s", texts...)
	<-at
	err := h.pool.InTenant(h.within(), tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(h.within(), `DELETE FROM ingest_open WHERE tenant_id = $1 AND message_id = $2`, tenant, ids[1])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	close(goOn)
	h.settle(ids[0], ids[2])
	h.wantOnce(sourcesOf([]string{texts[0], texts[2]}, []int64{ids[0], ids[2]}))
	h.wantState(ids[0], shortterm.StateDone, "", 1)
}

// One busy session occupies one worker.
func TestABusySessionLeavesTheOthersFree(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	goOn := make(chan struct{})
	cfg := quick()
	h.worker(plain{see: func(ctx context.Context, in extract.Input) error {
		if anyContains(textsOf(in), "busy") {
			<-goOn
		}
		return nil
	}}, hashed{}, cfg)
	texts := facts(100, "busy box")
	var ids []int64
	for _, text := range texts { // a delivery each
		ids = append(ids, h.post("busy", text)...)
	}
	other := h.post("other", "I live in Lisbon")
	h.settle(other...)
	h.wantState(other[0], shortterm.StateDone, "", 1)
	close(goOn)
	h.settle(ids...)
	h.wantOnce(sourcesOf(append(texts, "I live in Lisbon"), append(ids, other...)))
}

func TestLongTextsLeaveWorkersForShortOnes(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	goOn := make(chan struct{})
	cfg := quick()
	cfg.Workers = 4
	h.worker(plain{see: func(_ context.Context, in extract.Input) error {
		if anyContains(textsOf(in), "saga") {
			<-goOn
		}
		return nil
	}}, hashed{}, cfg)
	var ids []int64
	for i := range 6 { // more than there are workers, each of another user
		ids = append(ids, h.post(fmt.Sprintf("teller %d", i), fmt.Sprintf("saga %d ", i)+strings.Repeat("and then ", 5000))...)
	}
	other := h.post("other", "I live in Lisbon")
	h.settle(other...)
	h.wantState(other[0], shortterm.StateDone, "", 1)
	close(goOn)
	h.settle(ids...)
	for _, id := range ids {
		h.wantState(id, shortterm.StateDone, "", 1)
	}
}

// A session that is being imported gives its worker up between batches.
func TestLiveWorkGoesBeforeTheRestOfABackfill(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	cfg := quick()
	cfg.Workers, cfg.Batch = 1, 4
	var seen calls
	at, goOn := make(chan struct{}, 1), make(chan struct{})
	var once sync.Once
	h.worker(plain{see: func(_ context.Context, in extract.Input) error {
		seen.add(textsOf(in)...)
		once.Do(func() { close(at); <-goOn })
		return nil
	}}, hashed{}, cfg)
	texts := facts(40, "old box")
	ids := h.append("import", true, texts...)
	<-at
	live := h.post("chat", "I live in Lisbon")
	h.await("the live message is queued", func() bool {
		s, err := h.bus.State(h.within())
		return err == nil && s.Live.Pending > 0
	})
	close(goOn)
	h.settle(append(ids, live...)...)
	for i, batch := range seen.list() {
		if slices.Contains(batch, "I live in Lisbon") && i > 2 {
			t.Errorf("the live message came after %d batches of the import", i)
		}
		if len(batch) > 4 {
			t.Errorf("a batch of %d", len(batch))
		}
	}
	h.wantOnce(sourcesOf(append(texts, "I live in Lisbon"), append(ids, live...)))
}

// Waiting messages of a session are extracted together, with what came before.
func TestWaitingMessagesAreExtractedTogether(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	before := h.post("s", "I live in Lisbon", "I like tea")
	w := h.worker(plain{}, hashed{}, quick())
	h.settle(before...)
	if err := w.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	texts := facts(5, "box")
	var ids []int64
	for _, text := range texts {
		ids = append(ids, h.post("s", text)...)
	}
	var got []extract.Input
	h.worker(plain{see: func(_ context.Context, in extract.Input) error { got = append(got, in); return nil }}, hashed{}, quick())
	h.settle(ids...)
	if len(got) != 1 || !slices.Equal(textsOf(got[0]), texts) {
		t.Fatalf("%d batches: %+v", len(got), got)
	}
	if b := got[0].Before; len(b) != 2 || b[0].Text != "I live in Lisbon" || b[1].Text != "I like tea" {
		t.Errorf("before it: %+v", b)
	}
}

func TestLateVectors(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	var vs []longterm.Verbatim
	for _, text := range append(facts(5, "box"), "poison") {
		vs = append(vs, longterm.Verbatim{Scope: memd.Scope{UserID: user}, Text: text, Role: "user", SaidAt: time.Now()})
	}
	if _, err := h.store.AddVerbatim(h.within(), tenant, vs); err != nil {
		t.Fatal(err)
	}
	var away atomic.Bool
	away.Store(true)
	var asked calls
	h.worker(plain{}, hashed{see: func(_ context.Context, texts []string) error {
		asked.add(texts...)
		switch {
		case away.Load():
			return &memd.Error{Kind: memd.Unavailable}
		case anyContains(texts, "poison"):
			return memd.InvalidField("texts[0]", "must not be blank")
		}
		return nil
	}}, quick())
	h.await("an outage", func() bool { return asked.count() > 2 })
	away.Store(false)
	vectors := func() (n int) {
		err := h.pool.InTenant(h.within(), tenant, func(tx pgx.Tx) error {
			return tx.QueryRow(h.within(), `SELECT count(*) FROM memory_embedding WHERE tenant_id = $1 AND model = 'hashed/8'`, tenant).Scan(&n)
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	h.await("all vectors but the bad one's", func() bool { return vectors() == 5 })
}

func TestStartAndStopAtAllTimes(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	w := h.worker(plain{}, hashed{}, quick())
	texts := facts(30, "box")
	var ids []int64
	var stress sync.WaitGroup
	for range 4 {
		stress.Go(func() {
			for range 15 {
				if err := w.Start(t.Context()); err != nil && memd.KindOf(err) != memd.Conflict {
					t.Error(err)
				}
				if err := w.Stop(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i, text := range texts {
		ids = append(ids, h.post(fmt.Sprintf("s%d", i%3), text)...)
	}
	stress.Wait()
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.settle(ids...)
	h.wantOnce(sourcesOf(texts, ids))
}

func TestStopBeforeStart(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	w, err := worker.New(h.pool, h.log, h.bus, plain{}, hashed{}, h.store, quick())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

func TestMetricsAreRegisteredOnce(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	cfg := quick()
	cfg.Metrics = prometheus.NewRegistry()
	if _, err := worker.New(h.pool, h.log, h.bus, plain{}, hashed{}, h.store, cfg); err != nil {
		t.Fatal(err)
	}
	if _, err := worker.New(h.pool, h.log, h.bus, plain{}, hashed{}, h.store, cfg); memd.KindOf(err) != memd.Invalid {
		t.Errorf("registering twice gave %v", err)
	}
}
