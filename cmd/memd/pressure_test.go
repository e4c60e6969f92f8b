package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// ask makes a request that has to be answered within limit, which is far more than it takes
// and far less than a request may take at all.
func (d *daemon) ask(limit time.Duration, method, path, body string) (int, http.Header, string) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, d.url+path, strings.NewReader(body))
	if err != nil {
		d.t.Error(err)
		return 0, nil, ""
	}
	resp, err := client.Do(r)
	if err != nil {
		d.t.Errorf("%s %s: %v", method, path, err)
		return 0, nil, ""
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Errorf("%s %s: %v", method, path, err)
	}
	return resp.StatusCode, resp.Header, string(raw)
}

// gauges reads metrics of memd, by name and labels as they stand there.
func (d *daemon) gauges() map[string]float64 {
	values := map[string]float64{}
	_, answer := d.try(http.MethodGet, "/metrics", "")
	for _, m := range metricLine.FindAllStringSubmatch(answer, -1) {
		values[m[1]], _ = strconv.ParseFloat(m[2], 64)
	}
	return values
}

var metricLine = regexp.MustCompile(`(?m)^([a-z][^ ]*) (\S+)$`)

// A Postgres that has stopped answering is known to be away: nobody waits for it as long
// as a request may take, and when it answers again so does memd.
func TestAFrozenPostgresIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	d := start(t, dir)
	d.post("alice", "s", "I keep my bicycle in the cellar")
	d.settled()
	before := d.gauges()["go_goroutines"]

	server := postmaster(filepath.Join(dir, "postgres"))
	frozen := append(children(server), server)
	signal := func(s syscall.Signal) {
		for _, pid := range frozen {
			if err := syscall.Kill(pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
				t.Error(err)
			}
		}
	}
	signal(syscall.SIGSTOP)
	thaw := sync.OnceFunc(func() { signal(syscall.SIGCONT) })
	t.Cleanup(thaw)
	requests := []struct{ method, path, body string }{
		{"GET", "/v1/messages?user_id=alice&session_id=s", ""},
		{"POST", "/v1/messages", messageBody("alice", "s", "It is red")},
		{"POST", "/v1/context", `{"user_id":"alice","session_id":"s"}`},
		{"POST", "/v1/memories/search", `{"user_id":"alice","query":"bicycle"}`},
		{"GET", "/v1/messages?user_id=alice&session_id=s&after=1000000&wait=60s", ""},
	}
	round := func(times int) {
		var wg sync.WaitGroup
		for range times {
			for _, r := range requests {
				wg.Go(func() {
					status, header, answer := d.ask(15*time.Second, r.method, r.path, r.body)
					if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" {
						t.Errorf("%s %s: %d %s", r.method, r.path, status, answer)
					}
				})
			}
		}
		wg.Wait()
	}
	round(1) // these find it out
	d.eventually("Postgres is named", func() bool {
		status, answer := d.try(http.MethodGet, "/readyz", "")
		return status == 503 && strings.Contains(answer, "postgres")
	})
	if status, _, answer := d.ask(15*time.Second, "GET", "/healthz", ""); status != 200 {
		t.Errorf("not alive: %d %s", status, answer)
	}
	if _, metrics := d.try(http.MethodGet, "/metrics", ""); !strings.Contains(metrics, `memd_worker_breaker_open{dependency="postgres"} 1`) {
		t.Error("the metric says that Postgres is there")
	}
	began := time.Now()
	round(40)
	t.Logf("%d requests were refused within %v", 40*len(requests), time.Since(began).Round(time.Millisecond))
	thaw()
	d.eventually("memd is ready", func() bool {
		status, _ := d.try(http.MethodGet, "/readyz", "")
		return status == 200
	})
	d.eventually("a message is written", func() bool {
		status, _ := d.try(http.MethodPost, "/v1/messages", messageBody("alice", "s", "The saddle is worn"))
		return status == 201
	})
	d.settled()
	d.eventually("its goroutines have ended", func() bool { return d.gauges()["go_goroutines"] <= before+20 })
}

// Writes that are stuck take nothing from reads, and say so.
func TestStuckWritesKeepNobodyFromReading(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	d := start(t, dir, "MEMD_DB_POOL_MAX=4")
	d.post("alice", "s", "I keep my bicycle in the cellar")
	d.settled()
	c, err := pgx.Connect(t.Context(), strings.Replace(postmasterURL(filepath.Join(dir, "postgres")), "/postgres?", "/memd?", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	tx, err := c.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `LOCK TABLE conversation_context IN SHARE ROW EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	var writes sync.WaitGroup
	var refused atomic.Int64
	var freed atomic.Bool
	stop := make(chan struct{})
	for i := range 40 {
		writes.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				status, header, answer := d.ask(time.Minute, "POST", "/v1/messages", messageBody(fmt.Sprint("u", i), "s", "It is red"))
				switch {
				case status == http.StatusServiceUnavailable && header.Get("Retry-After") != "":
					refused.Add(1)
				case status != http.StatusCreated || !freed.Load():
					t.Errorf("%d %s", status, answer)
				}
			}
		})
	}
	for range 3 {
		d.eventually("writes are refused for want of a connection", func() bool {
			return d.gauges()[`memd_db_connections_in_use{pool="requests"}`] >= 3
		})
		for _, r := range []struct{ method, path, body string }{
			{"GET", "/v1/messages?user_id=alice&session_id=s", ""},
			{"POST", "/v1/context", `{"user_id":"alice","session_id":"s","query":"bicycle"}`},
			{"POST", "/v1/memories/search", `{"user_id":"alice","query":"bicycle"}`},
			{"GET", "/readyz", ""}, {"GET", "/healthz", ""},
		} {
			if status, _, answer := d.ask(25*time.Second, r.method, r.path, r.body); status != 200 || r.path != "/healthz" && !strings.Contains(answer, `"degraded":[]`) && r.method == "POST" {
				t.Errorf("%s %s: %d %s", r.method, r.path, status, answer)
			}
		}
	}
	if n := d.gauges()["go_goroutines"]; n > 600 {
		t.Errorf("%v goroutines", n)
	}
	d.eventually("many writes are refused", func() bool { return refused.Load() > 200 })
	close(stop)
	freed.Store(true)
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	writes.Wait()
	d.eventually("a message is written", func() bool {
		status, _ := d.try(http.MethodPost, "/v1/messages", messageBody("alice", "s", "The saddle is worn"))
		return status == 201
	})
}

// Callers who keep connections and say nothing, or next to nothing, cost others nothing,
// and what is said too slowly is not waited for.
func TestSilentCallersKeepNobodyOut(t *testing.T) {
	t.Parallel()
	d := start(t, dataDir(t))
	address := strings.TrimPrefix(d.url, "http://")
	var conns []net.Conn
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	dial := func(say string) net.Conn {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
		if _, err := io.WriteString(c, say); err != nil {
			t.Fatal(err)
		}
		return c
	}
	for range 2000 {
		dial("")
	}
	for range 100 {
		dial("POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n{")
	}
	headers := dial("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
	for i := range 20 {
		d.post("alice", "s", fmt.Sprintf("I keep %d bicycles in the cellar", i))
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if status, _, answer := d.ask(25*time.Second, "GET", path, ""); status != 200 {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
	long := dial("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: " + strings.Repeat("x", 200<<10))
	refused := func(what string, from net.Conn, status int, code string) {
		t.Helper()
		resp, err := http.ReadResponse(bufio.NewReader(from), nil)
		if err != nil || resp.StatusCode != status || resp.Header.Get("Content-Type") != "application/problem+json" || !resp.Close {
			t.Errorf("%s: %v %v", what, resp, err)
			return
		}
		var p struct {
			Code      string
			Status    int
			RequestID string `json:"request_id"`
		}
		if err := json.NewDecoder(resp.Body).Decode(&p); err != nil || p.Code != code || p.Status != status || p.RequestID != resp.Header.Get("X-Request-ID") || p.RequestID == "" {
			t.Errorf("%s: %+v %v", what, p, err)
		}
	}
	refused("headers without end", long, http.StatusRequestHeaderFieldsTooLarge, "header_too_large")
	refused("no request", dial("EHLO localhost\r\n\r\n"), http.StatusBadRequest, "bad_request")
	refused("another version", dial("GET /healthz HTTP/3.0\r\nHost: localhost\r\n\r\n"), http.StatusHTTPVersionNotSupported, "version_not_supported")
	refused("an unknown encoding", dial("POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: zip\r\n\r\n"), http.StatusNotImplemented, "not_implemented")
	var drip sync.WaitGroup
	ended := make(chan struct{})
	drip.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_, _ = io.WriteString(headers, "x")
			case <-ended:
				return
			}
		}
	})
	_ = headers.SetReadDeadline(time.Now().Add(time.Minute))
	_, err := io.ReadAll(headers)
	close(ended)
	drip.Wait()
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		t.Error("headers may come one byte a second")
	}
}
