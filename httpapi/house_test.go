package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/assemble"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/erase"
	"github.com/memdhq/memd/export"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/forget"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/importjob"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/recall"
	"github.com/memdhq/memd/remember"
	"github.com/memdhq/memd/revise"
	"github.com/memdhq/memd/shortterm"
	"github.com/memdhq/memd/worker"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

func TestMain(m *testing.M) { memdtest.Main(m) }

// house is a memd with all that lies behind the routes: a real Postgres, a real
// JetStream, the relay and, unless it is idle, a worker.
type house struct {
	t        testing.TB
	url      string
	log      *shortterm.Log
	embedder *words
	pool     *postgres.Pool
	tier     *longterm.Store
	// logged is what erasures have logged.
	logged bytes.Buffer
}

type houseConfig struct {
	Config
	idle bool
	// draining is Deps.Draining.
	draining context.Context
	// through gives the address by which Postgres is reached, nil for its own.
	through func(url string) string
	// doomed texts make the extractor fail for good.
	doomed string
}

func newHouse(t testing.TB, cfg houseConfig) *house {
	t.Helper()
	ctx := context.Background()
	_, appURL := memdtest.Prepared(t, "schema", postgres.Migrate)
	if cfg.through != nil {
		appURL = cfg.through(appURL)
	}
	pool, err := postgres.Open(ctx, appURL, postgres.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	b, err := bus.Open(memdtest.NATS(t), bus.Config{Stream: fmt.Sprintf("TEST%d", rand.Uint64()), Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close(ctx) })
	h := &house{t: t, embedder: &words{}, pool: pool}
	h.log = shortterm.New(pool, b, shortterm.Config{MaxAttempts: 1})
	store := longterm.New(pool, longterm.Config{})
	h.tier = store
	rec := recall.New(store, h.embedder, recall.Config{Rest: 10 * time.Millisecond})
	assembler, err := assemble.New(h.log, store, rec, assemble.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if !cfg.idle {
		relay := h.log.NewRelay(shortterm.RelayConfig{Every: 50 * time.Millisecond})
		if err := relay.Start(ctx); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = relay.Stop(ctx) })
		w, err := worker.New(pool, h.log, b, doomed{extract.NewRules(), cfg.doomed}, h.embedder, store, worker.Config{
			Workers: 2, RetryMin: time.Millisecond, RetryMax: 20 * time.Millisecond, PauseMin: 20 * time.Millisecond,
			PauseMax: 50 * time.Millisecond, VectorsEvery: 20 * time.Millisecond,
			UpkeepEvery: time.Hour, // what a test has let expire is there as long as the test is
			Metrics:     prometheus.NewRegistry()})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Start(ctx); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = w.Stop(ctx) })
	}
	handler, err := New(Deps{Log: h.log, Store: store, Recall: rec, Assembler: assembler,
		Remember: remember.New(pool, h.log, store, rec, remember.Config{}), Forget: forget.New(pool, h.log, store), Revise: revise.New(pool, h.log, store),
		Erase: erase.New(pool, h.log, store, idempotency.New(pool), zerolog.New(&h.logged)), Export: export.New(pool), Imports: importjob.New(pool),
		Idempotency: idempotency.New(pool), Draining: cfg.draining, Logger: zerolog.Nop()}, cfg.Config)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	h.url = srv.URL
	return h
}

// doomed fails on texts that hold a word, and leaves all others to the rules.
type doomed struct {
	rules *extract.Rules
	word  string
}

func (d doomed) Extract(ctx context.Context, in extract.Input) (memd.Extraction, error) {
	for _, m := range in.Messages {
		if d.word != "" && strings.Contains(m.Text, d.word) {
			return memd.Extraction{}, &memd.Error{Kind: memd.Invalid, Op: "test", Msg: "doomed"}
		}
	}
	return d.rules.Extract(ctx, in)
}

// words embeds texts by the words they hold: the more two have in common, the nearer.
type words struct {
	away    atomic.Bool
	refuses atomic.Value // of string: a word in texts that it refuses, "" or nil for none
}

func (e *words) EmbedPassages(_ context.Context, texts []string) ([][]float32, error) {
	if e.away.Load() {
		return nil, &memd.Error{Kind: memd.Unavailable, Op: "test"}
	}
	all := make([][]float32, len(texts))
	for i, text := range texts {
		if word, _ := e.refuses.Load().(string); word != "" && strings.Contains(text, word) {
			return nil, &memd.Error{Kind: memd.Invalid, Op: "test"}
		}
		v := make([]float32, 64)
		v[0] = 0.1
		for _, word := range strings.Fields(strings.ToLower(text)) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(strings.Trim(word, ".,!?")))
			v[1+h.Sum32()%63]++
		}
		embed.Normalize(v)
		all[i] = v
	}
	return all, nil
}

func (e *words) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	v, err := e.EmbedPassages(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

func (*words) Model() embed.Model { return embed.Model{Name: "words/64", Dimensions: 64} }

// got is an answer.
type got struct {
	t      testing.TB
	status int
	header http.Header
	body   string
}

// send sends a request; body is nil, a string of JSON, or a value to be written as JSON.
func (h *house) send(method, target string, body any, header ...string) got {
	h.t.Helper()
	var text string
	switch b := body.(type) {
	case nil:
	case string:
		text = b
	default:
		text = string(encode(b))
	}
	resp, answer := do(h.t, method, h.url+target, strings.NewReader(text), header...)
	g := got{h.t, resp.StatusCode, resp.Header, answer}
	if resp.StatusCode >= 400 {
		wantProblem(h.t, resp, answer, resp.StatusCode)
	}
	return g
}

// want holds an answer to a status and to parts that must and ("!…") must not be in it.
func (g got) want(status int, parts ...string) got {
	g.t.Helper()
	if g.status != status {
		g.t.Errorf("got %d, want %d: %s", g.status, status, g.body)
	}
	for _, part := range parts {
		if not, absent := strings.CutPrefix(part, "!"); absent {
			if strings.Contains(g.body, not) {
				g.t.Errorf("holds %s: %s", not, g.body)
			}
		} else if !strings.Contains(g.body, part) {
			g.t.Errorf("does not hold %s: %s", part, g.body)
		}
	}
	return g
}

// into reads the answer into v.
func (g got) into(v any) {
	g.t.Helper()
	if err := json.Unmarshal([]byte(g.body), v); err != nil {
		g.t.Fatalf("%v: %s", err, g.body)
	}
}

// settle waits until nothing is open.
func (h *house) settle() {
	h.t.Helper()
	var in ingestAnswer
	h.send("GET", "/v1/ingest?wait=60s", nil).want(200).into(&in)
	if in.States.Pending+in.States.Running+in.States.Failed > 0 {
		h.t.Fatalf("not all settled: %+v", in)
	}
}

// neverThere is the id of a memory, or an import, that never was.
const neverThere = "01930000-0000-7000-8000-000000000000"

// bodyOf gives a body that a route takes, "" for one that takes none; id is a memory's.
func bodyOf(method, path, id string) string {
	return strings.ReplaceAll(map[string]string{
		"POST /v1/messages":                     `{"user_id":"u","messages":[{"role":"user","content":"x"}]}`,
		"POST /v1/messages/batch":               `{"items":[{"user_id":"u","messages":[{"role":"user","content":"x"}]}]}`,
		"POST /v1/context":                      `{"user_id":"u","query":"x"}`,
		"POST /v1/sessions":                     `{"user_id":"u"}`,
		"POST /v1/memories":                     `{"user_id":"u","messages":"x","infer":false}`,
		"POST /v1/memories/search":              `{"user_id":"u","query":"x"}`,
		"POST /v1/memories/list":                `{"user_id":"u"}`,
		"POST /v1/memories/delete":              `{"user_id":"u"}`,
		"POST /v1/memories/batch":               `{"memories":[{"user_id":"u","messages":"x","infer":false}]}`,
		"PATCH /v1/memories/{id}":               `{"memory":"overwritten","metadata":{"overwritten":1},"pinned":true}`,
		"PATCH /v1/memories/batch":              `{"memories":[{"id":"{id}","memory":"overwritten"}]}`,
		"DELETE /v1/memories/batch":             `{"memories":[{"id":"{id}"}]}`,
		"PATCH /v1/messages/{id}":               `{"content":"overwritten"}`,
		"PATCH /v1/sessions/{session_id}":       `{"title":"overwritten"}`,
		"POST /v1/sessions/{session_id}/rotate": `{"user_id":"u1"}`,
		"PATCH /v1/users/{user_id}":             `{"learn":false}`,
		"PATCH /v1/settings":                    `{"keep_messages":"90d"}`,
		"POST /v1/import":                       `{"user_id":"u","data":"{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}\n"}`,
	}[method+" "+path], "{id}", id)
}
