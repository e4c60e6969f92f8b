package httpapi

import (
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// trips stands before Postgres and counts how often somebody asked it something and had the
// answer.
type trips struct{ n atomic.Int64 }

func (c *trips) before(t *testing.T) func(string) string {
	return func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := pgx.ParseConfig(address) // which knows all the ways to write one
		if err != nil {
			t.Fatal(err)
		}
		network, server := pgconn.NetworkAddress(cfg.Host, cfg.Port)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		t.Cleanup(func() { _ = l.Close(); all.Wait() })
		all.Go(func() {
			for {
				from, err := l.Accept()
				if err != nil {
					return
				}
				to, err := net.Dial(network, server)
				if err != nil {
					_ = from.Close()
					continue
				}
				var asked atomic.Bool
				all.Go(func() { c.pass(to, from, func() { asked.Store(true) }) })
				all.Go(func() {
					c.pass(from, to, func() {
						if asked.Swap(false) {
							c.n.Add(1)
						}
					})
				})
			}
		})
		u.Host = l.Addr().String()
		q := u.Query()
		q.Del("host")
		q.Del("port")
		u.RawQuery = q.Encode()
		return u.String()
	}
}

// pass passes on what comes from one side to the other; came is told first.
func (c *trips) pass(to, from net.Conn, came func()) {
	defer func() { _ = to.Close() }()
	buffer := make([]byte, 1<<20)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			came()
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// What every turn of a conversation costs is round trips.
func TestRoundTrips(t *testing.T) {
	var c trips
	h := newHouse(t, houseConfig{idle: true, through: c.before(t)})
	post := `{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"I like red wine"},{"role":"assistant","content":"Noted"}]}`
	h.send("POST", "/v1/messages", post).want(201)
	h.send("POST", "/v1/memories", `{"user_id":"u","infer":false,"messages":[{"role":"user","content":"I like white wine"}]}`).want(200)
	for _, of := range []struct {
		what, path, body string
		status           int
		most             int64
	}{
		{"an append", "/v1/messages", post, 201, 1},
		{"an append with ids", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[{"id":"a","role":"user","content":"I like red wine"}]}`, 201, 1},
		{"a context of turns", "/v1/context", `{"user_id":"u","session_id":"s","include_long_term":false}`, 200, 1},
		// One of them, beside the search, asks what of the answers that are open says back what
		// was taken away.
		{"a context without a summary", "/v1/context", `{"user_id":"u","session_id":"s","summary":false}`, 200, 4},
		{"a context with a query", "/v1/context", `{"user_id":"u","session_id":"s","summary":false,"query":"wine"}`, 200, 4},
		{"a context", "/v1/context", `{"user_id":"u","session_id":"s"}`, 200, 5},
		{"a context with what is appended", "/v1/context", `{"user_id":"u","session_id":"s","append":[{"role":"user","content":"and white"}]}`, 200, 6},
	} {
		least := int64(1 << 30)
		for range 20 { // connections learn statements, and look for settings from time to time
			before := c.n.Load()
			h.send("POST", of.path, of.body).want(of.status)
			least = min(least, c.n.Load()-before)
		}
		if t.Logf("%s: %d", of.what, least); least > of.most {
			t.Errorf("%s costs %d round trips, not %d", of.what, least, of.most)
		}
	}
}
