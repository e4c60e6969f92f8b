package worker_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/shortterm"
	"github.com/memdhq/memd/worker"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

func TestMain(m *testing.M) { memdtest.Main(m) }

const (
	tenant = "acme"
	user   = "alice"
	// patience bounds waits; a test that comes near it has failed.
	patience = time.Minute
)

// house is what a worker works in: a real Postgres, a real JetStream, the relay.
type house struct {
	t     *testing.T
	pool  *postgres.Pool
	conn  *nats.Conn
	bus   *bus.Bus
	log   *shortterm.Log
	store *longterm.Store
	// owner is the connection string of the schema's owner.
	owner string
}

// newHouse also lets t run beside others: most of its time is waiting.
func newHouse(t *testing.T, cfg shortterm.Config) *house {
	t.Helper()
	t.Parallel()
	ctx := context.Background()
	owner, appURL := memdtest.Prepared(t, "schema", postgres.Migrate)
	h := &house{t: t, owner: owner}
	var err error
	if h.pool, err = postgres.Open(ctx, appURL, postgres.Config{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.pool.Close)
	h.conn = memdtest.NATS(t)
	h.bus, err = bus.Open(h.conn, bus.Config{Stream: fmt.Sprintf("TEST%d", rand.Uint64()), Share: 8, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.bus.Close(ctx) })
	h.log = shortterm.New(h.pool, h.bus, cfg)
	h.store = longterm.New(h.pool, longterm.Config{})
	relay := h.log.NewRelay(shortterm.RelayConfig{Every: 50 * time.Millisecond})
	if err := relay.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = relay.Stop(ctx) })
	h.await("the queue is made", func() bool { return h.bus.Check(h.within()) == nil })
	return h
}

// quick is a worker's Config that wastes no time on waiting.
func quick() worker.Config {
	return worker.Config{
		Workers: 2, RetryMin: time.Millisecond, RetryMax: 20 * time.Millisecond,
		PauseMin: 20 * time.Millisecond, PauseMax: 50 * time.Millisecond, VectorsEvery: 20 * time.Millisecond,
	}
}

// worker makes a worker and starts it; it is stopped at the end of the test.
func (h *house) worker(x worker.Extractor, e embed.Embedder, cfg worker.Config) *worker.Worker {
	h.t.Helper()
	if cfg.Metrics == nil {
		cfg.Metrics = prometheus.NewRegistry()
	}
	w, err := worker.New(h.pool, h.log, h.bus, x, e, h.store, cfg)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := w.Start(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		if err := w.Stop(context.Background()); err != nil {
			h.t.Error(err)
		}
	})
	return w
}

func (h *house) within() context.Context {
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	h.t.Cleanup(cancel)
	return ctx
}

// post appends user messages of one session in one call.
func (h *house) post(sessionID string, texts ...string) []int64 {
	h.t.Helper()
	return h.append(sessionID, false, texts...)
}

func (h *house) append(sessionID string, backfill bool, texts ...string) []int64 {
	h.t.Helper()
	a := shortterm.Append{
		UserID: user, SessionID: sessionID, Infer: true, Backfill: backfill,
		Learn: []memd.Role{memd.RoleUser, memd.RoleAssistant},
	}
	for _, text := range texts {
		m, err := memd.ParseMessage([]byte(fmt.Sprintf(`{"role":"user","content":%q}`, text)))
		if err != nil {
			h.t.Fatal(err)
		}
		a.Messages = append(a.Messages, m)
	}
	done, err := h.log.Append(h.within(), tenant, a)
	if err != nil {
		h.t.Fatal(err)
	}
	var ids []int64
	for _, m := range done.Messages {
		ids = append(ids, m.ID)
	}
	return ids
}

// settle waits until all messages have settled.
func (h *house) settle(ids ...int64) {
	h.t.Helper()
	if err := h.log.AwaitSettled(h.within(), tenant, ids); err != nil {
		counts, _ := h.log.Counts(context.Background(), tenant, "", "")
		h.t.Fatalf("not all settled: %v (%+v)", err, counts)
	}
}

// await waits until ok holds, looking often; there is nothing to be told by.
func (h *house) await(what string, ok func() bool) {
	h.t.Helper()
	ctx := h.within()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			h.t.Fatalf("never happened: %s", what)
		}
	}
}

func (h *house) ingest(id int64) shortterm.Ingest {
	h.t.Helper()
	e, err := h.log.Message(h.within(), tenant, id, memd.Scope{})
	if err != nil {
		h.t.Fatal(err)
	}
	return e.Ingest
}

func (h *house) wantState(id int64, state, cause string, attempts int) {
	h.t.Helper()
	if got := h.ingest(id); got.State != state || got.Error != cause || got.Attempts != attempts {
		h.t.Errorf("message %d: %s %q after %d attempts, want %s %q after %d", id, got.State, got.Error, got.Attempts, state, cause, attempts)
	}
}

// memories gives all of the user's memories by their text.
func (h *house) memories() map[string][]memd.Memory {
	h.t.Helper()
	ms, _, _, err := h.store.List(h.within(), tenant, longterm.ListQuery{Scope: memd.Scope{UserID: user}, Limit: 1000})
	if err != nil {
		h.t.Fatal(err)
	}
	byText := map[string][]memd.Memory{}
	for _, m := range ms {
		byText[m.Memory] = append(byText[m.Memory], m)
	}
	return byText
}

// wantOnce holds the long tier to one memory for each text, with the given sources.
func (h *house) wantOnce(sources map[string][]int64) {
	h.t.Helper()
	got := h.memories()
	for text, want := range sources {
		if ms := got[text]; len(ms) != 1 {
			h.t.Errorf("%d memories %q, want one", len(ms), text)
		} else if slices.Sort(ms[0].Sources); !slices.Equal(ms[0].Sources, want) {
			h.t.Errorf("%q has sources %v, want %v", text, ms[0].Sources, want)
		}
	}
	if len(got) != len(sources) {
		h.t.Errorf("%d memories, want %d: %v", len(got), len(sources), got)
	}
}

// sourcesOf pairs texts with the ids they were given.
func sourcesOf(texts []string, ids []int64) map[string][]int64 {
	all := map[string][]int64{}
	for i, text := range texts {
		all[text] = append(all[text], ids[i])
	}
	return all
}

// facts are n statements that differ and stay when rules extract from them.
func facts(n int, about string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("My %s number %d is kept in room %d", about, i, 100+i)
	}
	return all
}

// plain extracts each message whole, after letting see look at what it is given.
type plain struct {
	see func(ctx context.Context, in extract.Input) error
}

func (x plain) Extract(ctx context.Context, in extract.Input) (memd.Extraction, error) {
	if x.see != nil {
		if err := x.see(ctx, in); err != nil {
			return memd.Extraction{}, err
		}
	}
	out := memd.Extraction{Extractor: "plain/1"}
	for _, m := range in.Messages {
		out.Candidates = append(out.Candidates, memd.Candidate{
			Text: m.Text, Role: m.Role, ActorID: m.Name, SaidAt: m.CreatedAt, Sources: []int64{m.ID},
		})
	}
	return out, nil
}

// hashed embeds by hash, after letting see look at the texts.
type hashed struct {
	see func(ctx context.Context, texts []string) error
}

func (e hashed) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	if e.see != nil {
		if err := e.see(ctx, texts); err != nil {
			return nil, err
		}
	}
	all := make([][]float32, len(texts))
	for i, text := range texts {
		h := fnv.New64a()
		_, _ = h.Write([]byte(text))
		rng := rand.New(rand.NewPCG(h.Sum64(), 1))
		v := make([]float32, 8)
		for j := range v {
			v[j] = rng.Float32() - 0.5
		}
		embed.Normalize(v)
		all[i] = v
	}
	return all, nil
}

func (e hashed) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vectors, err := e.EmbedPassages(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

func (hashed) Model() embed.Model { return embed.Model{Name: "hashed/8", Dimensions: 8} }

// calls counts, and remembers, from several goroutines.
type calls struct {
	mu  sync.Mutex
	all [][]string
}

func (c *calls) add(texts ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, texts)
}

func (c *calls) list() [][]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.all)
}

func (c *calls) count() int { return len(c.list()) }

func textsOf(in extract.Input) []string {
	var all []string
	for _, m := range in.Messages {
		all = append(all, m.Text)
	}
	return all
}

func anyContains(texts []string, part string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, part) })
}

// dropStreams deletes the queue with all that is in it.
func (h *house) dropStreams() {
	h.t.Helper()
	js, err := jetstream.New(h.conn)
	if err != nil {
		h.t.Fatal(err)
	}
	names := js.StreamNames(h.within())
	dropped := 0
	for name := range names.Name() {
		if strings.HasPrefix(name, "TEST") {
			if err := js.DeleteStream(h.within(), name); err != nil {
				h.t.Fatal(err)
			}
			dropped++
		}
	}
	if names.Err() != nil || dropped == 0 {
		h.t.Fatalf("no stream to drop: %v", names.Err())
	}
}

func (h *house) sessionNo(sessionID string) (no int64) {
	h.t.Helper()
	err := h.pool.InTenant(h.within(), tenant, func(tx pgx.Tx) error {
		return tx.QueryRow(h.within(), `SELECT no FROM conversation_session WHERE tenant_id = $1 AND session_id = $2`, tenant, sessionID).Scan(&no)
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return no
}

// claimAndDie claims what is open in a session so many times and never reports.
func (h *house) claimAndDie(sessionID string, times int) {
	h.t.Helper()
	no := h.sessionNo(sessionID)
	for range times {
		h.await("a claim", func() bool {
			c, err := h.log.Claim(h.within(), tenant, no, 100, 0)
			if err != nil {
				h.t.Fatal(err)
			}
			return c != nil
		})
	}
}

// value reads one metric, told by its name and the values of its labels, which are in
// the order of their names.
func value(t *testing.T, from prometheus.Gatherer, name string, labels ...string) float64 {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			var got []string
			for _, l := range m.GetLabel() {
				got = append(got, l.GetValue())
			}
			if slices.Equal(got, labels) {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	t.Fatalf("no metric %s%v", name, labels)
	return 0
}
