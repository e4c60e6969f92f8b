package remember

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/extract/llm"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/recall"
	"github.com/memdhq/memd/shortterm"
	"github.com/memdhq/memd/worker"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

func TestMain(m *testing.M) { memdtest.Main(m) }

const (
	tenant = "acme"
	// bound is how long anything may take before a test gives up on it.
	bound = 30 * time.Second
)

// both are the roles that are learned from by default.
var both = []memd.Role{memd.RoleUser, memd.RoleAssistant}

// house is a Remember with all that lies behind it: a real Postgres, a real JetStream, the
// relay and a worker.
type house struct {
	*Remember
	t         testing.TB
	embedder  *lengths
	extractor *moody
}

func open(t testing.TB, cfg Config) *house {
	t.Helper()
	ctx := context.Background()
	_, appURL := memdtest.Prepared(t, "schema", postgres.Migrate)
	pool := func(conns int32) *postgres.Pool {
		p, err := postgres.Open(ctx, appURL, postgres.Config{MaxConns: conns})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		return p
	}
	own, workers := pool(8), pool(4)
	b, err := bus.Open(memdtest.NATS(t), bus.Config{Stream: fmt.Sprintf("TEST%d", rand.Uint64()), Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close(ctx) })
	// A server that ends while it makes a stream leaves the half of it running.
	memdtest.Until(t, "the stream is there", func() bool { return b.Check(ctx) == nil })
	h := &house{t: t, embedder: &lengths{}, extractor: &moody{rules: extract.NewRules(), free: make(chan struct{})}}
	log, workLog := shortterm.New(own, b, shortterm.Config{}), shortterm.New(workers, b, shortterm.Config{MaxAttempts: 1})
	store := longterm.New(own, longterm.Config{})
	h.Remember = New(own, log, store, recall.New(store, h.embedder, recall.Config{Rest: 10 * time.Millisecond}), cfg)
	relay := workLog.NewRelay(shortterm.RelayConfig{Every: 50 * time.Millisecond})
	if err := relay.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = relay.Stop(ctx) })
	w, err := worker.New(workers, workLog, b, h.extractor, h.embedder, longterm.New(workers, longterm.Config{}), worker.Config{
		Workers: 2, RetryMin: time.Millisecond, RetryMax: 20 * time.Millisecond, PauseMin: 20 * time.Millisecond,
		PauseMax: 50 * time.Millisecond, VectorsEvery: 20 * time.Millisecond, Metrics: prometheus.NewRegistry()})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.extractor.release()
		_ = w.Stop(ctx)
	})
	return h
}

// moody leaves texts to the rules, but fails for good on those with "doomed" in them and
// lets those with "stuck" wait until it is told.
type moody struct {
	rules    *extract.Rules
	model    *llm.Extractor // in the rules' place, if set
	free     chan struct{}
	released atomic.Bool
}

func (m *moody) release() {
	if !m.released.Swap(true) {
		close(m.free)
	}
}

func (m *moody) Extract(ctx context.Context, in extract.Input) (memd.Extraction, error) {
	for _, said := range in.Messages {
		switch {
		case strings.Contains(said.Text, "doomed"):
			return memd.Extraction{}, &memd.Error{Kind: memd.Invalid, Op: "test", Msg: "doomed"}
		case strings.Contains(said.Text, "stuck"):
			select {
			case <-m.free:
			case <-ctx.Done():
				return memd.Extraction{}, ctx.Err()
			}
		}
	}
	if m.model != nil {
		return m.model.Extract(ctx, in)
	}
	return m.rules.Extract(ctx, in)
}

// lengths embeds texts by their length.
type lengths struct {
	away   atomic.Bool
	during func() // called while vectors are made, if set
}

func (e *lengths) EmbedPassages(_ context.Context, texts []string) ([][]float32, error) {
	if e.during != nil {
		e.during()
	}
	if e.away.Load() {
		return nil, &memd.Error{Kind: memd.Unavailable, Op: "test"}
	}
	all := make([][]float32, len(texts))
	for i, text := range texts {
		all[i] = make([]float32, 64)
		all[i][len(text)%64] = 1
	}
	return all, nil
}

func (e *lengths) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	v, err := e.EmbedPassages(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

func (*lengths) Model() embed.Model { return embed.Model{Name: "lengths/64", Dimensions: 64} }

// add adds and must succeed.
func (h *house) add(key *idempotency.Key, wait time.Duration, items ...Item) []Result {
	h.t.Helper()
	results, err := h.Add(h.t.Context(), tenant, items, key, wait)
	if err != nil {
		h.t.Fatal(err)
	}
	if len(results) != len(items) {
		h.t.Fatalf("%d results of %d items", len(results), len(items))
	}
	for i, r := range results {
		if r.Degraded == nil || (r.Events == nil) == (r.IngestIDs == nil) {
			h.t.Errorf("result %d is %+v", i, r)
		}
	}
	return results
}

// count runs SQL as the tenant and gives one number.
func (h *house) count(sql string, args ...any) (n int) {
	h.t.Helper()
	b := postgres.TenantBatch(tenant)
	b.Queue(sql, args...).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
	if err := h.pool.SendBatch(h.t.Context(), b).Close(); err != nil {
		h.t.Fatal(err)
	}
	return n
}

func keyOf(key, body string) *idempotency.Key {
	k := idempotency.NewKey("POST", "/v1/memories/batch", key, []byte(body))
	return &k
}

// says are messages of the user's.
func says(texts ...string) []memd.Message {
	var all []memd.Message
	for _, text := range texts {
		all = append(all, spoken(memd.RoleUser, text))
	}
	return all
}

func spoken(role memd.Role, text string) memd.Message {
	raw := fmt.Sprintf(`{"role":%q,"content":%q}`, role, text)
	m, err := memd.ParseMessage([]byte(raw))
	if err != nil {
		panic(err) // a text that a test made up
	}
	return m
}

// learn is an item that is learned from, store one that is kept as it is.
func learn(user string, texts ...string) Item {
	return Item{Scope: memd.Scope{UserID: user}, Messages: says(texts...), Infer: true, Roles: both}
}

func store(user string, texts ...string) Item {
	return Item{Scope: memd.Scope{UserID: user}, Messages: says(texts...), Roles: both}
}

// told gives the events of a result as "ADD text".
func told(r Result) []string {
	all := []string{}
	for _, e := range r.Events {
		all = append(all, e.Event+" "+e.Memory)
	}
	return all
}
