package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/rs/zerolog"
)

// bare is a server whose routes must not reach what they are made of, with routes of
// the tests' own under /t.
type bare struct {
	*server
	url string
	log *lockedBuffer
}

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

type bodyInput struct{ Body emptyBody }

type emptyBody struct{}

func serveBare(t *testing.T, d Deps, cfg Config, routes func(*server)) *bare {
	t.Helper()
	b := &bare{log: &lockedBuffer{}}
	d.Logger = zerolog.New(b.log)
	var err error
	if b.server, err = newServer(d, cfg); err != nil {
		t.Fatal(err)
	}
	if routes != nil {
		routes(b.server)
	}
	h := httptest.NewServer(b.observe(http.HandlerFunc(b.route)))
	t.Cleanup(h.Close)
	b.url = h.URL
	return b
}

func (b *bare) do(t *testing.T, method, target string, body io.Reader, header ...string) (*http.Response, string) {
	t.Helper()
	return do(t, method, b.url+target, body, header...)
}

func do(t testing.TB, method, url string, body io.Reader, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(got)
}

func wantProblem(t testing.TB, resp *http.Response, body string, status int) {
	t.Helper()
	var p problem
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Errorf("no problem document: %v: %s", err, body)
		return
	}
	if resp.StatusCode != status || p.Status != status || p.Title == "" || p.Detail == "" || p.Code == "" {
		t.Errorf("got %d %s, want a problem with %d", resp.StatusCode, body, status)
	}
	if ct := resp.Header.Get("Content-Type"); ct != "application/problem+json" {
		t.Errorf("%d has Content-Type %q", status, ct)
	}
	if id := resp.Header.Get("X-Request-ID"); id == "" || id != p.RequestID {
		t.Errorf("X-Request-ID %q, request_id %q", id, p.RequestID)
	}
}

func TestWhatTheMuxWouldAnswerIsAProblem(t *testing.T) {
	b := serveBare(t, Deps{}, Config{}, nil)
	for _, test := range []struct {
		method, target string
		status         int
	}{
		{"GET", "/", 404}, {"GET", "/v1", 404}, {"GET", "/v1/", 404}, {"GET", "/v1/nope", 404}, {"GET", "/v1/messages/", 404},
		{"GET", "/v1//messages", 404}, {"GET", "/v1/../v1/messages", 404}, {"GET", "/v1/./messages", 404}, {"GET", "/V1/messages", 404},
		{"PUT", "/v1/messages", 405}, {"DELETE", "/v1/messages", 405}, {"PUT", "/v1/messages/1", 405}, {"OPTIONS", "/v1/messages", 405},
		{"BREW", "/v1/context", 405}, {"GET", "/v1/context", 405}, {"POST", "/healthz", 405},
		{"PUT", "/v1/memories/batch", 405}, {"POST", "/v1/users", 405}, {"POST", "/mcp", 404},
	} {
		resp, body := b.do(t, test.method, test.target, nil)
		wantProblem(t, resp, body, test.status)
		if (resp.Header.Get("Allow") != "") != (test.status == 405) {
			t.Errorf("%s %s: Allow %q", test.method, test.target, resp.Header.Get("Allow"))
		}
	}
}

func TestTheRequestIDIsTakenOrMade(t *testing.T) {
	b := serveBare(t, Deps{}, Config{}, nil)
	for given, taken := range map[string]bool{
		"abc-1_2.3:4/5+6=7@8": true, strings.Repeat("a", 128): true,
		"": false, strings.Repeat("a", 129): false, "a b": false, `a"b`: false, "ä": false, "a<b>": false,
	} {
		resp, _ := b.do(t, "GET", "/healthz", nil, "X-Request-ID", given)
		got := resp.Header.Get("X-Request-ID")
		if taken && got != given || !taken && (got == given || !regexp.MustCompile(`^[0-9a-f-]{36}$`).MatchString(got)) {
			t.Errorf("%q came back as %q", given, got)
		}
	}
}

func TestAPanicIsA500AndTheProcessLives(t *testing.T) {
	b := serveBare(t, Deps{}, Config{}, func(s *server) {
		handle(s, operation{method: "GET", path: "/t/panic", name: "panic"}, func(context.Context, *call, *struct{}) (answer, error) {
			panic("secret")
		})
		handle(s, operation{method: "GET", path: "/t/unencodable", name: "unencodable"}, func(context.Context, *call, *struct{}) (answer, error) {
			return ok(json.RawMessage(`{`))
		})
	})
	for _, target := range []string{"/t/panic", "/t/unencodable", "/t/panic"} {
		resp, body := b.do(t, "GET", target, nil)
		wantProblem(t, resp, body, 500)
		if strings.Contains(body, "secret") {
			t.Errorf("the panic is shown: %s", body)
		}
		if id := resp.Header.Get("X-Request-ID"); strings.Count(b.log.String(), id) != 2 { // the panic, and the request at debug
			t.Errorf("not logged under its id: %s", b.log)
		}
	}
	if resp, _ := b.do(t, "GET", "/healthz", nil); resp.StatusCode != 200 {
		t.Error("not alive any more")
	}
}

func TestInternalErrorsAreLoggedOnceAndNotShown(t *testing.T) {
	b := serveBare(t, Deps{}, Config{}, func(s *server) {
		handle(s, operation{method: "POST", path: "/t/fail", name: "fail", effect: mayLog}, func(context.Context, *call, *bodyInput) (answer, error) {
			return answer{}, &memd.Error{Kind: memd.Internal, Op: "x.y", Msg: "table secret", Err: errors.New("column secret")}
		})
	})
	resp, body := b.do(t, "POST", "/t/fail", strings.NewReader(`{}`))
	wantProblem(t, resp, body, 500)
	if strings.Contains(body, "secret") || strings.Contains(body, "x.y") {
		t.Errorf("internals are shown: %s", body)
	}
	if log := b.log.String(); strings.Count(log, "column secret") != 1 || !strings.Contains(log, resp.Header.Get("X-Request-ID")) {
		t.Errorf("logged: %s", log)
	}
}

func TestABodyThatDoesNotComeIs408(t *testing.T) {
	b := serveBare(t, Deps{}, Config{Timeout: 50 * time.Millisecond}, nil)
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{")
	got, err := io.ReadAll(conn)
	if err != nil || !bytes.HasPrefix(got, []byte("HTTP/1.1 408 ")) {
		t.Errorf("%v: %s", err, got)
	}
}

func TestTooManyRequestsAreRefused(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	b := serveBare(t, Deps{}, Config{MaxInFlight: 1}, func(s *server) {
		handle(s, operation{method: "GET", path: "/t/wait", name: "wait"}, func(context.Context, *call, *struct{}) (answer, error) {
			close(entered)
			<-leave
			return ok(true)
		})
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		if resp, _ := b.do(t, "GET", "/t/wait", nil); resp.StatusCode != 200 {
			t.Errorf("the first got %d", resp.StatusCode)
		}
	}()
	<-entered
	resp, body := b.do(t, "GET", "/v1/ingest", nil)
	wantProblem(t, resp, body, 503)
	if resp.Header.Get("Retry-After") == "" {
		t.Error("503 without Retry-After")
	}
	if resp, _ := b.do(t, "GET", "/healthz", nil); resp.StatusCode != 200 {
		t.Errorf("/healthz waits for its turn: %d", resp.StatusCode)
	}
	close(leave)
	<-done
}

func TestKeysAndRoles(t *testing.T) {
	b := serveBare(t, Deps{}, Config{Keys: []Key{{"key-r", "acme", RoleReader}, {"key-w", "acme", RoleWriter}, {"key-a", "other", RoleAdmin}}}, func(s *server) {
		show := func(_ context.Context, c *call, _ *bodyInput) (answer, error) { return ok(c.tenant + " " + c.role) }
		handle(s, operation{method: "POST", path: "/t/read", name: "t-read", effect: reads}, show)
		handle(s, operation{method: "POST", path: "/t/write", name: "t-write", effect: writes}, show)
		handle(s, operation{method: "POST", path: "/t/log", name: "t-log", effect: logs}, show)
	})
	for _, test := range []struct {
		path, header, value string
		status              int
		want                string
	}{
		{"/t/read", "Authorization", "Bearer key-r", 200, "acme reader"},
		{"/t/read", "Authorization", "bearer key-r", 200, "acme reader"},
		{"/t/read", "Authorization", "Token key-w", 200, "acme writer"},
		{"/t/read", "X-API-Key", "key-a", 200, "other admin"},
		{"/t/write", "X-API-Key", "key-w", 200, "acme writer"},
		{"/t/log", "X-API-Key", "key-w", 200, "acme writer"},
		{"/t/write", "X-API-Key", "key-r", 403, ""},
		{"/t/log", "X-API-Key", "key-r", 403, ""},
		{"/t/read", "X", "", 401, ""},
		{"/t/read", "Authorization", "key-r", 401, ""},
		{"/t/read", "Authorization", "Basic key-r", 401, ""},
		{"/t/read", "Authorization", "Bearer ", 401, ""},
		{"/t/read", "Authorization", "Bearer key-", 401, ""},
		{"/t/read", "Authorization", "Bearer key-rr", 401, ""},
		{"/t/read", "X-API-Key", "KEY-R", 401, ""},
	} {
		resp, body := b.do(t, "POST", test.path, strings.NewReader(`{}`), test.header, test.value)
		if test.status == 200 {
			if resp.StatusCode != 200 || strings.Trim(body, "\"\n") != test.want {
				t.Errorf("%+v: %d %s", test, resp.StatusCode, body)
			}
			continue
		}
		wantProblem(t, resp, body, test.status)
		if (resp.Header.Get("WWW-Authenticate") != "") != (test.status == 401) {
			t.Errorf("%+v: WWW-Authenticate %q", test, resp.Header.Get("WWW-Authenticate"))
		}
	}
	for _, open := range []string{"/healthz", "/readyz", "/openapi.json", "/docs"} {
		if resp, _ := b.do(t, "GET", open, nil); resp.StatusCode != 200 {
			t.Errorf("%s asks for a key: %d", open, resp.StatusCode)
		}
	}
	for _, bad := range []Key{{"", "t", RoleAdmin}, {"k", "", RoleAdmin}, {"k", "t", ""}, {"k", "t", "root"}} {
		if _, err := New(Deps{}, Config{Keys: []Key{bad}}); memd.KindOf(err) != memd.Invalid {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// With keys, no route but the open ones answers without one, and no route that writes
// answers a reader.
func TestEveryRouteAsksForAKey(t *testing.T) {
	b := serveBare(t, Deps{}, Config{Keys: []Key{{"reader", "acme", RoleReader}}}, nil)
	n := 0
	for path, item := range b.api.OpenAPI().Paths {
		target := strings.NewReplacer("{id}", "1", "{session_id}", "s", "{user_id}", "u").Replace(path)
		for method, op := range operationsOf(item) {
			if !strings.HasPrefix(path, "/v1/") {
				continue
			}
			n++
			resp, body := b.do(t, method, target, strings.NewReader(`{}`))
			wantProblem(t, resp, body, 401)
			resp, _ = b.do(t, method, target, strings.NewReader(`{}`), "X-API-Key", "wrong")
			if resp.StatusCode != 401 {
				t.Errorf("%s %s: a wrong key gets %d", method, target, resp.StatusCode)
			}
			if writesSomething(op.Parameters) && path != "/v1/context" {
				resp, _ = b.do(t, method, target, strings.NewReader(`{}`), "X-API-Key", "reader")
				if resp.StatusCode != 403 {
					t.Errorf("%s %s: a reader gets %d", method, target, resp.StatusCode)
				}
			}
		}
	}
	if n != 46 {
		t.Errorf("%d routes", n)
	}
}

func TestPagesOfOtherOriginsMayNotWrite(t *testing.T) {
	h, err := New(Deps{}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h)
	defer srv.Close()
	resp, body := do(t, "POST", srv.URL+"/v1/messages", strings.NewReader(`{}`), "Sec-Fetch-Site", "cross-site", "Content-Type", "text/plain")
	wantProblem(t, resp, body, 403)
	resp, body = do(t, "POST", srv.URL+"/v1/messages", strings.NewReader(`{}`), "Content-Type", "application/x-www-form-urlencoded")
	wantProblem(t, resp, body, 422) // curl -d
}

func TestIdempotencyKeysAreBounded(t *testing.T) {
	b := serveBare(t, Deps{}, Config{}, func(s *server) {
		handle(s, operation{method: "POST", path: "/t/log", name: "t-log", effect: logs}, func(_ context.Context, c *call, _ *bodyInput) (answer, error) {
			return ok(c.key != nil)
		})
		handle(s, operation{method: "POST", path: "/t/read", name: "t-read", effect: reads}, func(_ context.Context, c *call, _ *bodyInput) (answer, error) {
			return ok(c.key != nil)
		})
	})
	for key, status := range map[string]int{"": 422, strings.Repeat("k", 256): 422, strings.Repeat("k", 255): 200, "a\tb": 422, "a\xffb": 422, `a b"c/%`: 200} {
		resp, body := b.do(t, "POST", "/t/log", strings.NewReader(`{}`), "Idempotency-Key", key)
		if status == 422 {
			wantProblem(t, resp, body, 422)
			if !strings.Contains(body, `"location":"header.Idempotency-Key"`) {
				t.Errorf("%q: %s", key, body)
			}
		} else if resp.StatusCode != status || body != "true\n" {
			t.Errorf("%q: %d %s", key, resp.StatusCode, body)
		}
	}
	if resp, body := b.do(t, "POST", "/t/log", strings.NewReader(`{}`), "Idempotency-Key", "a", "Idempotency-Key", "b"); resp.StatusCode != 422 {
		t.Errorf("two keys: %s", body)
	}
	if _, body := b.do(t, "POST", "/t/read", strings.NewReader(`{}`), "Idempotency-Key", "a"); body != "false\n" {
		t.Errorf("a route that reads took a key: %s", body)
	}
}

func TestIdsInPathsHoldAnything(t *testing.T) {
	type in struct {
		ID identifier `path:"id"`
	}
	b := serveBare(t, Deps{}, Config{}, func(s *server) {
		handle(s, operation{method: "GET", path: "/t/{id}/end", name: "t-id"}, func(_ context.Context, _ *call, in *in) (answer, error) {
			return ok(string(in.ID))
		})
	})
	for escaped, want := range map[string]string{
		"a%2Fb": "a/b", "%2F%2F": "//", "a%2F..%2Fb": "a/../b", "%2F": "/", "%2f": "/", "100%25": "100%", "%252F": "%2F", "%22%27": `"'`, "a%20b": "a b", "a+b": "a+b",
		"acme:alice": "acme:alice", "%E6%97%A5%E6%9C%AC": "日本", "%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7": "👩‍👧", "..a": "..a", "a;b=c": "a;b=c", "%3Fx=1": "?x=1", "%23": "#", "{id}": "{id}",
		strings.Repeat("%C3%A4", 255): strings.Repeat("ä", 255),
	} {
		resp, body := b.do(t, "GET", "/t/"+escaped+"/end", nil)
		var got string
		if err := json.Unmarshal([]byte(body), &got); err != nil || got != want {
			t.Errorf("%s: %d %s", escaped, resp.StatusCode, body)
		}
	}
	for _, escaped := range []string{"%2E%2E", "%2E", "%00", "a%0Ab", "%FF", strings.Repeat("%C3%A4", 256)} {
		resp, body := b.do(t, "GET", "/t/"+escaped+"/end", nil)
		wantProblem(t, resp, body, 422)
		if !strings.Contains(body, `"location":"path.id"`) {
			t.Errorf("%s: %s", escaped, body)
		}
	}
}

func TestReadinessIsShown(t *testing.T) {
	ready, degraded := true, []string{"nats"}
	b := serveBare(t, Deps{Ready: func(context.Context) (bool, []string) { return ready, degraded }}, Config{}, nil)
	if resp, body := b.do(t, "GET", "/readyz", nil); resp.StatusCode != 200 || body != "{\"degraded\":[\"nats\"]}\n" {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	ready = false
	degraded = []string{"postgres", "llm"}
	resp, body := b.do(t, "GET", "/readyz", nil)
	wantProblem(t, resp, body, 503)
	if !strings.Contains(body, "postgres, llm") || resp.Header.Get("Retry-After") == "" {
		t.Errorf("%v %s", resp.Header, body)
	}
	if resp, _ := b.do(t, "GET", "/healthz", nil); resp.StatusCode != 200 {
		t.Error("not alive")
	}
}

func TestMetricsAreByRouteAndNameNoCaller(t *testing.T) {
	registry := prometheus.NewRegistry()
	b := serveBare(t, Deps{Registerer: registry, Metrics: promhttp.HandlerFor(registry, promhttp.HandlerOpts{})},
		Config{Keys: []Key{{"hunter2", "acme", RoleAdmin}}}, nil)
	b.do(t, "GET", "/v1/messages/7?user_id=alice", nil)
	b.do(t, "GET", "/v1/alice", nil)
	b.do(t, "BREW", "/v1/messages", nil)
	b.do(t, "POST", "/v1/messages", strings.NewReader("{"), "X-API-Key", "hunter2")
	_, body := b.do(t, "GET", "/metrics", nil)
	for _, want := range []string{
		`memd_http_request_duration_seconds_count{method="GET",route="/v1/messages/{id}",status="401"} 1`,
		`memd_http_request_duration_seconds_count{method="GET",route="none",status="404"} 1`,
		`memd_http_request_duration_seconds_count{method="other",route="none",status="405"} 1`,
		`memd_http_request_duration_seconds_count{method="POST",route="/v1/messages",status="400"} 1`,
		`memd_http_requests_in_flight 1`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in\n%s", want, body)
		}
	}
	for _, secret := range []string{"alice", "acme", "hunter2", "BREW"} {
		if strings.Contains(body, secret) {
			t.Errorf("metrics hold %q", secret)
		}
	}
}
