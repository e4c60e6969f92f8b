package worker_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/shortterm"
	"github.com/rs/zerolog"
)

func TestLargeScopesAreMadeReady(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	h.store = longterm.New(h.pool, longterm.Config{LargeScope: 300})
	embedder := hashed{}
	var vs []longterm.Verbatim
	for i := range 1000 {
		text := fmt.Sprintf("fact %d", i)
		vector, err := embedder.EmbedQuery(h.within(), text)
		if err != nil {
			t.Fatal(err)
		}
		vs = append(vs, longterm.Verbatim{Scope: memd.Scope{UserID: user}, Text: text, Role: "user", Vector: vector, Model: embedder.Model().Name})
	}
	if _, err := h.store.AddVerbatim(h.within(), tenant, vs); err != nil {
		t.Fatal(err)
	}
	state := func() (begun, ready bool) {
		err := h.pool.InTenant(h.within(), tenant, func(tx pgx.Tx) error {
			return tx.QueryRow(h.within(), `SELECT neighbour_model IS NOT NULL, neighbours_ready FROM memory_scope`).Scan(&begun, &ready)
		})
		if err != nil {
			t.Fatal(err)
		}
		return begun, ready
	}
	cfg := quick()
	cfg.UpkeepEvery = 10 * time.Millisecond
	w := h.worker(plain{}, embedder, cfg)
	h.await("the work begins", func() bool { begun, _ := state(); return begun })
	// A stop in the middle, if it is not over already, loses nothing.
	if err := w.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.await("the scope is ready", func() bool { _, ready := state(); return ready })
}

// What is kept no longer leaves the log and the words of neighbours; what was learned of it
// stays.
func TestWhatIsKeptNoLongerGoesAndIsRemembered(t *testing.T) {
	h := newHouse(t, shortterm.Config{KeepMessages: time.Hour, IncognitoIdle: time.Hour})
	h.worker(plain{}, hashed{}, quick())
	sweeper := h.log.NewSweeper(longterm.New(h.pool, longterm.Config{}).Unpost, 10*time.Millisecond)
	if err := sweeper.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sweeper.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	old := h.post("s", "I moved to Lisbon", "my sister is called Ana")
	h.settle(old...)
	if len(h.memories()) != 2 {
		t.Fatalf("learned %v", h.memories())
	}
	if _, err := h.log.CreateSession(h.within(), tenant, shortterm.NewSession{UserID: user, SessionID: "secret", Incognito: true}); err != nil {
		t.Fatal(err)
	}
	h.post("secret", "nobody may know")
	count := func(sql string, args ...any) (n int) {
		err := h.pool.InTenant(h.within(), tenant, func(tx pgx.Tx) error { return tx.QueryRow(h.within(), sql, args...).Scan(&n) })
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if count(`SELECT count(*) FROM message_posting`) == 0 {
		t.Fatal("no words of neighbours")
	}
	err := h.pool.InTenant(h.within(), tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(h.within(), `UPDATE conversation_context SET received_at = received_at - interval '1 day' WHERE session_id = 's'`)
		if err == nil {
			_, err = tx.Exec(h.within(), `UPDATE conversation_session SET heard_at = heard_at - interval '1 day' WHERE session_id = 'secret'`)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	h.await("the log is empty", func() bool { return count(`SELECT count(*) FROM conversation_context`) == 0 })
	if n := count(`SELECT count(*) FROM message_posting`) + count(`SELECT sum(messages)::int FROM memory_scope`) + count(`SELECT sum(message_terms)::int FROM memory_scope`); n != 0 {
		t.Errorf("%d words of neighbours are left, or counted", n)
	}
	memories := h.memories()
	if len(memories) != 2 {
		t.Fatalf("remembered %v", memories)
	}
	for text, ms := range memories {
		if len(ms) != 1 || len(ms[0].Sources) != 1 {
			t.Errorf("%q: %+v", text, ms)
		}
	}
	if n := count(`SELECT count(*) FROM conversation_session WHERE session_id = 'secret' AND closed_at IS NOT NULL AND title IS NULL`); n != 1 {
		t.Error("the incognito session has not ended")
	}
	// Learning goes on.
	h.settle(h.post("s", "I moved to Porto")...)
	if len(h.memories()) != 3 {
		t.Errorf("learned %v", h.memories())
	}
}

// marking is an extractor whose model is away until it is not.
type marking struct {
	plain
	away atomic.Bool
}

func (m *marking) Extract(ctx context.Context, in extract.Input) (memd.Extraction, error) {
	e, err := m.plain.Extract(ctx, in)
	if m.away.Load() {
		e.Extractor = "rules/2 (llm: unavailable)"
	}
	return e, err
}

// What the rules learned from while the model was away is learned from again once it is
// back, and not before.
func TestTheModelIsAskedAgainWhenItIsBack(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	x := &marking{}
	x.away.Store(true)
	cfg := quick()
	cfg.UpkeepEvery = 10 * time.Millisecond
	var asked atomic.Int64
	cfg.AsksAgain = func() bool { asked.Add(1); return !x.away.Load() }
	var settled atomic.Int64
	cfg.Settled = func(_ context.Context, _ pgx.Tx, _ string, sessionNo int64) error { settled.Add(sessionNo); return nil }
	h.worker(x, hashed{}, cfg)
	id := h.post("s", "I keep bees")[0]
	extractor := func() string { return h.ingest(id).Extractor }
	h.await("the rules stand in", func() bool { return strings.Contains(extractor(), "(llm: unavailable)") })
	err := h.pool.InTenant(h.within(), tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(h.within(), `UPDATE conversation_context SET received_at = received_at - interval '1 hour'`)
		if err == nil {
			_, err = tx.Exec(h.within(), `UPDATE ingest_settled SET settled_at = settled_at - interval '1 hour'`)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	before := asked.Load()
	h.await("nobody asks while it is away", func() bool { return asked.Load() > before+3 })
	if got := extractor(); !strings.Contains(got, "(llm: unavailable)") {
		t.Errorf("learned from again by %s while the model is away", got)
	}
	x.away.Store(false)
	h.await("the model learns from it", func() bool { return extractor() != "" && !strings.Contains(extractor(), "llm:") })
	if settled.Load() == 0 {
		t.Error("nobody was told what had settled")
	}
}

// away counts the outages that are told of.
type away struct{ outages atomic.Int64 }

func (a *away) Write(line []byte) (int, error) {
	if strings.Contains(string(line), `"dependency":`) {
		a.outages.Add(1)
	}
	return len(line), nil
}

// A model that sums up and is away, or slow, is not the database: messages are learned from.
func TestSummariesDoNotStandInTheWayOfMessages(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	cfg := quick()
	cfg.UpkeepEvery = time.Millisecond
	told := &away{}
	cfg.Log = zerolog.New(told)
	var asked atomic.Int64
	slow, goOn := make(chan struct{}), make(chan struct{})
	cfg.Tend = func(ctx context.Context) (bool, error) {
		if asked.Add(1) == 10 {
			close(slow)
			select {
			case <-goOn:
			case <-ctx.Done():
			}
		}
		return false, &memd.Error{Kind: memd.Unavailable, Op: "llm.say", Msg: "the language model does not answer", RetryAfter: time.Hour}
	}
	w := h.worker(plain{}, hashed{}, cfg)
	<-slow
	h.settle(h.post("s", "I keep bees")...)
	close(goOn)
	h.await("it is asked again", func() bool { return asked.Load() > 12 })
	h.settle(h.post("s", "I moved to Lisbon")...)
	if n := told.outages.Load(); n != 0 || w.IsPaused() {
		t.Errorf("%d times something was taken to be away", n)
	}
}
