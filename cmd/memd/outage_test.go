package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/nats-io/nats-server/v2/server"
)

// modelServer speaks OpenAI's embeddings API: each word has a direction of its own,
// so texts with words in common are near each other.
type modelServer struct {
	t      *testing.T
	addr   string
	server *http.Server
	fails  atomic.Int64 // status to fail with, 0: works
	width  atomic.Int64 // of its vectors, 0: 64
	zero   atomic.Bool  // its vectors have no direction
	// refuses is a word whose texts it refuses, if it is not "".
	refuses atomic.Value
}

// given are the ports that freeAddr gave. They lie below those that the system takes for what
// listens nowhere in particular and for connections, so that nobody else gets them meanwhile.
var given sync.Map

// freeAddr gives an address at which nothing listens, each time another.
func freeAddr(t *testing.T) string {
	t.Helper()
	for range 1000 {
		addr := fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(12000))
		if _, taken := given.LoadOrStore(addr, true); taken {
			continue
		}
		if l, err := net.Listen("tcp", addr); err == nil {
			l.Close()
			return addr
		}
	}
	t.Fatal("there is no free port")
	return ""
}

func (m *modelServer) listen() {
	m.t.Helper()
	l, err := net.Listen("tcp", m.addr)
	if err != nil {
		m.t.Fatal(err)
	}
	m.addr = l.Addr().String()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, r *http.Request) {
		if f := m.fails.Load(); f != 0 {
			w.WriteHeader(int(f))
			return
		}
		fmt.Fprint(w, `{"data":[]}`)
	})
	mux.HandleFunc("POST /v1/embeddings", m.embeddings)
	s := &http.Server{Handler: mux}
	m.server = s
	go s.Serve(l)
	m.t.Cleanup(func() { s.Close() })
}

func (m *modelServer) embeddings(w http.ResponseWriter, r *http.Request) {
	if f := m.fails.Load(); f != 0 {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(int(f))
		return
	}
	var req struct{ Input json.RawMessage }
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		w.WriteHeader(400)
		return
	}
	var texts []string
	if json.Unmarshal(req.Input, &texts) != nil {
		var one string
		if json.Unmarshal(req.Input, &one) != nil {
			w.WriteHeader(400)
			return
		}
		texts = []string{one}
	}
	type item struct {
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	var data []item
	refused, _ := m.refuses.Load().(string)
	for i, text := range texts {
		if refused != "" && strings.Contains(text, refused) {
			w.WriteHeader(400)
			return
		}
		v := make([]float64, cmp.Or(m.width.Load(), 64))
		for word := range strings.FieldsSeq(strings.ToLower(text)) {
			h := fnv.New64a()
			h.Write([]byte(word))
			for j := range v {
				if m.zero.Load() {
					break
				}
				h.Write([]byte{byte(j)})
				v[j] += math.Sin(float64(h.Sum64() % 1000))
			}
		}
		data = append(data, item{i, v})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data, "model": "words"})
}

type readiness struct{ Degraded []string }

func (d *daemon) degraded() []string {
	var r readiness
	status, answer := d.try(http.MethodGet, "/readyz", "")
	if status != 200 || json.Unmarshal([]byte(answer), &r) != nil {
		return nil
	}
	return r.Degraded
}

func TestTheEmbedderMayBeAwayAtStartAndLater(t *testing.T) {
	t.Parallel()
	m := &modelServer{t: t, addr: freeAddr(t)}
	d := start(t, dataDir(t), "MEMD_EMBED_URL=http://"+m.addr+"/v1", "MEMD_EMBED_MODEL=words")
	d.post("alice", "s1", "I keep my bicycle in the cellar")
	d.eventually("the embedder is named", func() bool { return slices.Contains(d.degraded(), "embedding") })
	d.eventually("the message waits for it", func() bool { return d.ingest().States.Failed == 1 })

	m.listen()
	if s := d.settled(); s.States.Done != 1 {
		t.Errorf("states = %+v", s.States)
	}
	d.eventually("nothing is degraded", func() bool { return len(d.degraded()) == 0 })
	if f := d.search("alice", "Where is my bicycle?"); len(f.Results) != 1 || len(f.Degraded) != 0 {
		t.Errorf("found %+v", f)
	}

	m.fails.Store(429)
	for i := range 5 {
		d.post("alice", "s1", fmt.Sprintf("I also keep %d barrels of wine in the cellar", i+3))
	}
	d.eventually("the embedder is named", func() bool { return slices.Contains(d.degraded(), "embedding") })
	if f := d.search("alice", "bicycle"); len(f.Results) != 1 || !slices.Contains(f.Degraded, "embedding") {
		t.Errorf("found %+v", f)
	}
	m.fails.Store(0)
	if s := d.settled(); s.States.Done != 6 {
		t.Errorf("states = %+v", s.States)
	}

	m.fails.Store(500)
	var v found
	d.want(200, http.MethodPost, "/v1/memories", `{"user_id":"alice","infer":false,"messages":"The spare key hangs behind the door"}`, &v)
	if !slices.Contains(v.Degraded, "embedding") {
		t.Errorf("degraded = %v", v.Degraded)
	}
	if f := d.search("alice", "spare key"); len(f.Results) == 0 || f.Results[0].Memory != "The spare key hangs behind the door" {
		t.Errorf("a verbatim memory is not found by its words: %+v", f)
	}
	m.fails.Store(0)
	d.eventually("its vector has followed", func() bool {
		body := `{"user_id":"alice","query":"spare key","mode":"vector"}`
		var f found
		status, answer := d.try(http.MethodPost, "/v1/memories/search", body)
		if status != 200 || json.Unmarshal([]byte(answer), &f) != nil {
			return false
		}
		return slices.ContainsFunc(f.Results, func(r struct {
			ID, Memory string
			Score      float64
			Sources    []int64
		}) bool {
			return r.Memory == "The spare key hangs behind the door"
		})
	})
}

func TestAnEmbedderOfTheWrongWidthIsRefused(t *testing.T) {
	m := &modelServer{t: t, addr: freeAddr(t)}
	m.listen()
	d := launchable(t, "MEMD_EMBED_URL=http://"+m.addr+"/v1", "MEMD_EMBED_MODEL=words", "MEMD_EMBED_DIMENSIONS=128")
	if d.code != 1 || !strings.Contains(d.out, "64") || !strings.Contains(d.out, "128") {
		t.Errorf("exit %d, %s", d.code, d.out)
	}
}

// A server that gives vectors of another width than those that are stored is refused
// as well, with both numbers and the way out.
func TestAnEmbedderThatChangedItsWidthIsRefused(t *testing.T) {
	m := &modelServer{t: t, addr: freeAddr(t)}
	m.listen()
	env := []string{"MEMD_EMBED_URL=http://" + m.addr + "/v1", "MEMD_EMBED_MODEL=words"}
	dir := dataDir(t)
	d := start(t, dir, env...)
	d.post("alice", "s1", "I keep my bicycle in the cellar")
	d.settled()
	if err, _ := d.terminate(); err != nil {
		t.Fatal(err)
	}
	m.width.Store(32)
	code, out := exitCode(t, append(env, "MEMD_LISTEN=127.0.0.1:0", "MEMD_DATA_DIR="+dir), "serve")
	if code != 1 || !strings.Contains(out, "64") || !strings.Contains(out, "32") || !strings.Contains(out, "MEMD_EMBED_DIMENSIONS") {
		t.Errorf("exit %d, %s", code, out)
	}
	m.width.Store(0)
	d = start(t, dir, env...)
	if f := d.search("alice", "Where is my bicycle?"); len(f.Results) != 1 {
		t.Errorf("found %+v", f)
	}
}

// launchable runs a memd that is expected not to come up.
func launchable(t *testing.T, env ...string) (r struct {
	code int
	out  string
}) {
	t.Helper()
	env = append(env, "MEMD_LISTEN=127.0.0.1:0", "MEMD_DATA_DIR="+dataDir(t))
	r.code, r.out = exitCode(t, env, "serve")
	return r
}

// A chat server that is away is named, costs no message, and the rules stand in.
func TestTheLLMMayBeAway(t *testing.T) {
	t.Parallel()
	d := start(t, dataDir(t), "MEMD_LLM_URL=http://"+freeAddr(t)+"/v1", "MEMD_LLM_MODEL=m")
	d.eventually("the model is named", func() bool { return slices.Contains(d.degraded(), "llm") })
	p := d.post("alice", "s1", "I keep my bicycle in the cellar")
	if s := d.settled(); s.States.Done != 1 {
		t.Errorf("states = %+v", s.States)
	}
	var m struct{ Ingest struct{ Extractor string } }
	d.want(200, http.MethodGet, fmt.Sprintf("/v1/messages/%d", p.Messages[0].ID), "", &m)
	if !strings.HasPrefix(m.Ingest.Extractor, "rules/") || !strings.Contains(m.Ingest.Extractor, "llm") {
		t.Errorf("extractor = %q, want the rules, marked", m.Ingest.Extractor)
	}
	if f := d.search("alice", "Where is my bicycle?"); len(f.Results) != 1 {
		t.Errorf("found %+v", f)
	}
}

// natsServer runs a nats-server with a TCP port.
func natsServer(t *testing.T, addr, dir string) *server.Server {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	n, err := net.LookupPort("tcp", port)
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.NewServer(&server.Options{Host: host, Port: n, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("nats-server does not start")
	}
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s
}

func TestNATSMayBeAwayAtStartAndLater(t *testing.T) {
	t.Parallel()
	addr, store := freeAddr(t), filepath.Join(memdtest.Dir(t), "js")
	d := start(t, dataDir(t), "NATS_URL=nats://"+addr)
	d.post("alice", "s1", "I keep my bicycle in the cellar")
	d.eventually("nats is named", func() bool { return slices.Contains(d.degraded(), "nats") })
	s := natsServer(t, addr, store)
	if st := d.settled(); st.States.Done != 1 {
		t.Errorf("states = %+v", st.States)
	}
	d.eventually("nothing is degraded", func() bool { return len(d.degraded()) == 0 })

	s.Shutdown()
	s.WaitForShutdown()
	for i := range 30 {
		d.post("alice", "s1", fmt.Sprintf("I also keep %d barrels of wine in the cellar", i+3))
	}
	d.eventually("nats is named", func() bool { return slices.Contains(d.degraded(), "nats") })
	if err := os.RemoveAll(store); err != nil { // and it comes back with nothing
		t.Fatal(err)
	}
	natsServer(t, addr, store)
	if st := d.settled(); st.States.Done != 31 {
		t.Errorf("states = %+v", st.States)
	}
}

// superuserURL is the login of one who may do anything, in the database of ownerURL.
func superuserURL(t *testing.T, ownerURL string) string {
	t.Helper()
	owner, err := url.Parse(ownerURL)
	if err != nil {
		t.Fatal(err)
	}
	owner.User = url.User("memd")
	if external := os.Getenv("MEMD_TEST_DB_URL"); external != "" {
		u, err := url.Parse(external)
		if err != nil {
			t.Fatal(err)
		}
		owner.User = u.User
	}
	return owner.String()
}

func TestExternalPostgres(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]func(owner, app string) []string{
		"two logins": func(owner, app string) []string { return []string{"DB_URL=" + app, "MEMD_DB_ADMIN_URL=" + owner} },
		// Even a superuser's login works as memd_app, which sees one tenant at a time.
		"one login": func(owner, _ string) []string { return []string{"DB_URL=" + superuserURL(t, owner)} },
	} {
		t.Run(name, func(t *testing.T) {
			env := env(memdtest.Postgres(t))
			d := start(t, dataDir(t), env...)
			d.post("alice", "s1", "I keep my bicycle in the cellar")
			d.settled()
			if f := d.search("alice", "Where is my bicycle?"); len(f.Results) != 1 {
				t.Errorf("found %+v", f)
			}
			if err, took := d.terminate(); err != nil || took > 10*time.Second {
				t.Errorf("exit %v after %v", err, took)
			}
		})
	}
}

// A login without the rights that it takes is told what to do, and with that done it works.
func TestAPostgresThatIsNotPrepared(t *testing.T) {
	t.Parallel()
	owner, _ := memdtest.Postgres(t)
	super, err := url.Parse(superuserURL(t, owner))
	if err != nil {
		t.Fatal(err)
	}
	name := "plain_" + strconv.FormatUint(rand.Uint64(), 36)
	asSuperuser := func(statements ...string) {
		t.Helper()
		c, err := pgx.Connect(context.Background(), super.String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(context.Background())
		for _, s := range statements {
			if _, err := c.Exec(context.Background(), s); err != nil {
				t.Fatal(s, err)
			}
		}
	}
	asSuperuser("CREATE ROLE "+name+" LOGIN PASSWORD 'plain'", "CREATE DATABASE "+name+" OWNER "+name)
	whole := super.Path
	t.Cleanup(func() {
		super.Path = whole
		asSuperuser("DROP DATABASE "+name+" WITH (FORCE)", "DROP ROLE "+name)
	})
	super.Path = "/" + name
	plain := *super
	plain.User = url.UserPassword(name, "plain")
	r := launchable(t, "DB_URL="+plain.String())
	if r.code != 1 || !strings.Contains(r.out, "CREATE EXTENSION IF NOT EXISTS vector") || !strings.Contains(r.out, `GRANT memd_app TO "`+name+`"`) {
		t.Fatalf("exit %d: %s", r.code, r.out)
	}
	asSuperuser("CREATE EXTENSION vector", "GRANT memd_app TO "+name)
	d := start(t, dataDir(t), "DB_URL="+plain.String())
	d.post("alice", "s1", "I keep my bicycle in the cellar")
	d.settled()
	if err, took := d.terminate(); err != nil || took > 10*time.Second {
		t.Errorf("exit %v after %v", err, took)
	}
}

func TestPostgresMayBeAwayAtStart(t *testing.T) {
	t.Parallel()
	d := launch(t, dataDir(t), "DB_URL=postgres://memd@"+freeAddr(t)+"/memd")
	d.eventually("alive and not ready", func() bool {
		alive, _ := d.try(http.MethodGet, "/healthz", "")
		ready, _ := d.try(http.MethodGet, "/readyz", "")
		return alive == 200 && ready == 503
	})
	resp, err := http.Post(d.url+"/v1/messages", "application/json", strings.NewReader(messageBody("a", "s", "x")))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" {
		t.Errorf("%d, Retry-After %q", resp.StatusCode, resp.Header.Get("Retry-After"))
	}
	if err, took := d.terminate(); err != nil || took > 10*time.Second {
		t.Errorf("exit %v after %v", err, took)
	}
}

// uselessModel speaks OpenAI's chat API. Its list of models it always gives.
func uselessModel(t *testing.T, answer func(w http.ResponseWriter)) (url string) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[]}`) })
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		answer(w)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// A chat server that is there, but of no use, is named for as long as the rules stand in.
func TestAnLLMThatIsNotAskedIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer   func(w http.ResponseWriter)
		messages int // until it is left alone
	}{
		"it asks to wait": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "600")
			w.WriteHeader(429)
		}, 1},
		"its answers are none": {func(w http.ResponseWriter) {
			fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","content":"I would rather not."},"finish_reason":"stop"}]}`)
		}, 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := start(t, dataDir(t), "MEMD_LLM_URL="+uselessModel(t, c.answer), "MEMD_LLM_MODEL=m")
			if got := d.degraded(); len(got) != 0 {
				t.Errorf("before anything was asked: %v", got)
			}
			for i := range c.messages {
				d.post("alice", fmt.Sprint("s", i), fmt.Sprintf("I keep %d bicycles in the cellar", i+2))
				d.settled()
			}
			if got := d.degraded(); !slices.Equal(got, []string{"llm"}) {
				t.Errorf("degraded = %v", got)
			}
			if _, metrics := d.try(http.MethodGet, "/metrics", ""); !strings.Contains(metrics, `memd_worker_breaker_open{dependency="extractor"} 1`) {
				t.Error("the metric says that it is asked")
			}
		})
	}
}

// An embedder by which every search is degraded is named, whatever it does in place of
// giving vectors; one that refuses a text is not.
func TestAnEmbedderOfNoUseIsNamed(t *testing.T) {
	t.Parallel()
	m := &modelServer{t: t, addr: freeAddr(t)}
	m.listen()
	d := start(t, dataDir(t), "MEMD_EMBED_URL=http://"+m.addr+"/v1", "MEMD_EMBED_MODEL=words")
	d.post("alice", "s1", "I keep my bicycle in the cellar")
	d.settled()
	degrades := func(what, query string, named bool) {
		t.Helper()
		if f := d.search("alice", query); !slices.Contains(f.Degraded, "embedding") {
			t.Errorf("%s: the search is not degraded", what)
		}
		if got := d.degraded(); slices.Contains(got, "embedding") != named {
			t.Errorf("%s: degraded = %v", what, got)
		}
	}
	m.refuses.Store("unspeakable")
	degrades("one text", "something unspeakable", false)
	for what, set := range map[string]func(on bool){
		"another width": func(on bool) { m.width.Store(map[bool]int64{true: 32}[on]) },
		"400":           func(on bool) { m.fails.Store(map[bool]int64{true: 400}[on]) },
		"no direction":  func(on bool) { m.zero.Store(on) },
	} {
		set(true)
		d.eventually(what+" is named", func() bool {
			d.search("alice", "where is it?")
			return slices.Contains(d.degraded(), "embedding")
		})
		degrades(what, "where is my "+what, true)
		set(false)
		d.eventually("nothing is degraded after "+what, func() bool { return len(d.degraded()) == 0 })
	}
}
