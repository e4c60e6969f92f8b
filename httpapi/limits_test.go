package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/memdhq/memd/internal/memdtest"
	"github.com/prometheus/client_golang/prometheus"
)

// dialed is a connection on which a test speaks HTTP itself.
func dialed(t *testing.T, b *bare, head string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, head); err != nil {
		t.Fatal(err)
	}
	return conn
}

func takesBodies(s *server) {
	handle(s, operation{method: "POST", path: "/t/size", name: "size", effect: mayLog}, func(_ context.Context, c *call, _ *bodyInput) (answer, error) {
		return ok(len(c.body))
	})
}

// Who sends a body one byte at a time has no turn yet.
func TestABodyThatComesSlowlyKeepsNobodyFromTheirTurn(t *testing.T) {
	b := serveBare(t, Deps{}, Config{MaxInFlight: 1}, takesBodies)
	for range 20 {
		dialed(t, b, "POST /t/size HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{")
	}
	for range 3 {
		if resp, body := b.do(t, "POST", "/t/size", strings.NewReader("{}")); resp.StatusCode != 200 {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	}
}

// A body takes the room of what has come of it, not of what it was said to have.
func TestAnAnnouncedBodyTakesNoRoom(t *testing.T) {
	b := serveBare(t, Deps{}, Config{MaxBodies: 1}, takesBodies)
	for range 20 {
		dialed(t, b, fmt.Sprintf("POST /t/size HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n{", maxBody))
	}
	large := "{}" + strings.Repeat(" ", maxBody/2)
	if resp, body := b.do(t, "POST", "/t/size", strings.NewReader(large)); resp.StatusCode != 200 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

// One that comes too slowly is not waited for as long as a fast one may take.
func TestASlowBodyHasLessTime(t *testing.T) {
	b := serveBare(t, Deps{}, Config{Timeout: time.Hour}, takesBodies)
	t.Parallel()
	conn := dialed(t, b, "POST /t/size HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
	stop := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for tick := time.NewTicker(time.Second); ; {
			select {
			case <-tick.C:
				_, _ = io.WriteString(conn, " ")
			case <-stop:
				tick.Stop()
				return
			}
		}
	}()
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	close(stop)
	<-ended
	if err != nil || answer.StatusCode != http.StatusRequestTimeout {
		t.Fatalf("%v %v", answer, err)
	}
	answer.Body.Close()
}

// A caller who asks first is told that a body is too large before sending it.
func TestABodyThatIsTooLargeIsNotAskedFor(t *testing.T) {
	b := serveBare(t, Deps{}, Config{}, takesBodies)
	conn := dialed(t, b, fmt.Sprintf("POST /t/size HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", maxBody+1))
	got, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 413 ") {
		t.Errorf("%v: %s", err, got)
	}
}

// A body without end is refused once it is too large.
func TestABodyWithoutEndIsRefused(t *testing.T) {
	b := serveBare(t, Deps{}, Config{}, takesBodies)
	conn := dialed(t, b, "POST /t/size HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
	sent := make(chan int64)
	go func() {
		chunk := []byte(fmt.Sprintf("%x\r\n%s\r\n", 64<<10, strings.Repeat(" ", 64<<10)))
		var n int64
		for {
			k, err := conn.Write(chunk)
			n += int64(k)
			if err != nil {
				sent <- n
				return
			}
		}
	}()
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || answer.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("%v %v", answer, err)
	}
	if n := <-sent; n > 2*maxBody+lingeringBytes { // what the system takes in ahead of memd is among them
		t.Errorf("%d bytes of it were taken", n)
	}
}

// Who does not read their answer keeps nobody from their turn.
func TestWhoReadsSlowlyKeepsNobodyFromTheirTurn(t *testing.T) {
	made := make(chan struct{}, 10)
	b := serveBare(t, Deps{}, Config{MaxInFlight: 1, MaxBodies: 1}, func(s *server) {
		handle(s, operation{method: "GET", path: "/t/much", name: "much"}, func(context.Context, *call, *struct{}) (answer, error) {
			made <- struct{}{}
			return ok(strings.Repeat("x", 15<<20))
		})
		takesBodies(s)
	})
	dialed(t, b, "GET /t/much HTTP/1.1\r\nHost: x\r\n\r\n")
	<-made
	memdtest.Until(t, "others have their turn", func() bool {
		resp, _ := b.do(t, "POST", "/t/size", strings.NewReader("{}"))
		return resp.StatusCode == 200
	})
	// But not without end: so much is not sent to many at a time.
	resp, body := b.do(t, "GET", "/t/much", nil)
	wantProblem(t, resp, body, 503)
	if resp.Header.Get("Retry-After") == "" {
		t.Error("503 without Retry-After")
	}
}

// Requests of one kind take no turns of another.
func TestKindsOfRequestsHaveTheirOwnTurns(t *testing.T) {
	leave := make(chan struct{})
	entered := make(chan bool, 10)
	registry := prometheus.NewRegistry()
	type marked struct{}
	b := serveBare(t, Deps{Registerer: registry, Writing: func(ctx context.Context) context.Context { return context.WithValue(ctx, marked{}, true) }},
		Config{MaxInFlight: 1}, func(s *server) {
			stay := func(ctx context.Context) (answer, error) {
				writes, _ := ctx.Value(marked{}).(bool)
				entered <- writes
				<-leave
				return ok(true)
			}
			get := func(ctx context.Context, _ *call, _ *struct{}) (answer, error) { return stay(ctx) }
			post := func(ctx context.Context, _ *call, _ *bodyInput) (answer, error) { return stay(ctx) }
			handle(s, operation{method: "GET", path: "/t/read", name: "t-read"}, get)
			handle(s, operation{method: "POST", path: "/t/write", name: "t-write", effect: writes}, post)
			handle(s, operation{method: "POST", path: "/t/learn", name: "t-learn", effect: writes, waits: time.Second}, post)
			handle(s, operation{method: "GET", path: "/t/poll", name: "t-poll", waits: time.Second}, func(ctx context.Context, _ *call, _ *struct {
				Wait wait `query:"wait"`
			}) (answer, error) {
				return stay(ctx)
			})
		})
	kinds := []struct {
		method, target string
		writes         bool
	}{{"GET", "/t/read", false}, {"POST", "/t/write", true}, {"POST", "/t/learn", true}, {"GET", "/t/poll?wait=1s", false}}
	done := make(chan string)
	for _, k := range kinds {
		go func() {
			resp, body := b.do(t, k.method, k.target, strings.NewReader("{}"))
			if resp.StatusCode != 200 {
				done <- fmt.Sprintf("%s: %d %s", k.target, resp.StatusCode, body)
			}
			done <- ""
		}()
		if writes := <-entered; writes != k.writes {
			t.Errorf("%s is marked as a write: %v", k.target, writes)
		}
	}
	for _, k := range kinds { // and each is bounded
		resp, body := b.do(t, k.method, k.target, strings.NewReader("{}"))
		wantProblem(t, resp, body, 503)
		if resp.Header.Get("Retry-After") == "" {
			t.Error("503 without Retry-After")
		}
	}
	close(leave)
	for range kinds {
		if fault := <-done; fault != "" {
			t.Error(fault)
		}
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	refused := map[string]float64{}
	for _, f := range families {
		if f.GetName() == "memd_http_refused_total" {
			for _, m := range f.GetMetric() {
				refused[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
			}
		}
	}
	for _, name := range []string{"reading", "writing", "waiting", "learning"} {
		if refused[name] != 1 {
			t.Errorf("refused: %v", refused)
		}
	}
}

// Requests that are sent without waiting for answers are answered in their order.
func TestPipelinedRequestsAreAnsweredInOrder(t *testing.T) {
	b := serveBare(t, Deps{}, Config{}, takesBodies)
	const n = 100
	var all strings.Builder
	for i := range n {
		body := "{" + strings.Repeat(" ", i) + "}"
		fmt.Fprintf(&all, "POST /t/size HTTP/1.1\r\nHost: x\r\nX-Request-ID: %d\r\nContent-Length: %d\r\n\r\n%s", i, len(body), body)
	}
	conn := dialed(t, b, all.String())
	read := bufio.NewReader(conn)
	for i := range n {
		answer, err := http.ReadResponse(read, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != 200 || answer.Header.Get("X-Request-ID") != fmt.Sprint(i) || strings.TrimSpace(string(body)) != fmt.Sprint(i+2) {
			t.Fatalf("%d: %v %s %v", i, answer, body, err)
		}
	}
}

// Memory is given back after large bodies, once for all of them, and not after small ones.
func TestMemoryIsGivenBackAfterLargeBodies(t *testing.T) {
	t.Parallel()
	b := serveBare(t, Deps{}, Config{}, takesBodies)
	freed := make(chan struct{}, 10)
	b.bounds.after.free = func() { freed <- struct{}{} }
	send := func(bytes int) {
		t.Helper()
		if resp, body := b.do(t, "POST", "/t/size", strings.NewReader("{}"+strings.Repeat(" ", bytes))); resp.StatusCode != 200 {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	}
	send(1 << 20)
	if b.bounds.after.timer != nil {
		t.Error("after a small one")
	}
	for range 3 {
		send(8 << 20)
	}
	<-freed
	if len(freed) > 0 {
		t.Error("more than once")
	}
}

// A body that comes as was announced is not copied over and over as it grows.
func TestABodyIsNotCopiedOften(t *testing.T) {
	b := serveBare(t, Deps{}, Config{}, takesBodies)
	text := "{}" + strings.Repeat(" ", 16<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if resp, body := b.do(t, "POST", "/t/size", strings.NewReader(text)); resp.StatusCode != 200 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 26<<20 {
		t.Errorf("%d MiB for a body of 16", n>>20)
	}
}

// Who is still sending a body for which there is no room sees the answer that says so.
func TestWhoIsStillSendingSeesThatThereIsNoRoom(t *testing.T) {
	b := serveBare(t, Deps{}, Config{MaxBodies: 1}, takesBodies)
	if !b.bounds.bodies.turns.TryAcquire(maxBody) { // all but a little
		t.Fatal("there is no room to begin with")
	}
	for range 5 {
		resp, body := b.do(t, "POST", "/t/size", strings.NewReader("{}"+strings.Repeat(" ", maxBody-2)))
		if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	}
}
