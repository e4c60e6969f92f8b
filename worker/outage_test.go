package worker_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"strconv"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/shortterm"
	"github.com/memdhq/memd/worker"
	"github.com/nats-io/nats.go"
)

// line leads to Postgres and can be cut.
type line struct {
	url           string
	listener      net.Listener
	network, addr string
	mu            sync.Mutex
	isCut         bool
	open          map[net.Conn]bool
	ends          sync.WaitGroup
}

func newLine(t *testing.T, dbURL string) *line {
	t.Helper()
	cfg, err := pgconn.ParseConfig(dbURL)
	if err != nil {
		t.Fatal(err)
	}
	l := &line{open: map[net.Conn]bool{}}
	l.network, l.addr = pgconn.NetworkAddress(cfg.Host, cfg.Port)
	if l.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(cfg.User, cfg.Password), Path: cfg.Database, RawQuery: "sslmode=disable",
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(l.listener.Addr().(*net.TCPAddr).Port)),
	}
	l.url = u.String()
	l.ends.Go(l.serve)
	t.Cleanup(func() {
		_ = l.listener.Close()
		l.cut()
		l.ends.Wait()
	})
	return l
}

func (l *line) serve() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(l.network, l.addr)
		if err != nil || !l.take(client, server) {
			_ = client.Close()
			continue
		}
		for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
			l.ends.Go(func() {
				_, _ = io.Copy(way[0], way[1])
				_ = way[0].Close()
			})
		}
	}
}

func (l *line) take(client, server net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isCut {
		_ = server.Close()
		return false
	}
	l.open[client], l.open[server] = true, true
	return true
}

func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isCut = true
	for c := range l.open {
		_ = c.Close()
	}
	clear(l.open)
}

func (l *line) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isCut = false
}

// Postgres goes away while a batch is embedded: what was claimed is neither lost nor
// done twice, and no attempt is burnt.
func TestPostgresGoesAwayUnderAJob(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	l := newLine(t, h.pool.Config().ConnString())
	pool, err := postgres.Open(t.Context(), l.url, postgres.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)

	at, goOn := make(chan struct{}, 16), make(chan struct{})
	w, err := worker.New(pool, shortterm.New(pool, h.bus, shortterm.Config{}), h.bus, plain{}, hashed{see: func(_ context.Context, texts []string) error {
		if anyContains(texts, "box") {
			at <- struct{}{}
			<-goOn
		}
		return nil
	}}, longterm.New(pool, longterm.Config{}), quick())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Stop(context.Background()) })

	texts := facts(6, "box")
	ids := h.post("s", texts...)
	<-at
	l.cut()
	close(goOn)
	h.await("the outage is noticed", w.IsPaused)
	for _, id := range ids {
		h.wantState(id, shortterm.StateRunning, "", 1)
	}
	l.mend()
	h.settle(ids...)
	for _, id := range ids {
		h.wantState(id, shortterm.StateDone, "", 1)
	}
	h.wantOnce(sourcesOf(texts, ids))
}

// A worker starts and stops while NATS cannot be reached.
func TestStartsWithoutNATS(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := nobody.Addr().String()
	if err := nobody.Close(); err != nil {
		t.Fatal(err)
	}
	conn, err := nats.Connect("nats://"+address, nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1))
	if err != nil {
		t.Fatal(err)
	}
	closed := conn.StatusChanged(nats.CLOSED)
	t.Cleanup(func() { conn.Close(); <-closed })
	b, err := bus.Open(conn, bus.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // there is nobody to publish to
		_ = b.Close(ctx)
	})
	w, err := worker.New(h.pool, h.log, b, plain{}, hashed{}, h.store, quick())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}
