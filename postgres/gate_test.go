package postgres_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/postgres"
)

// wire stands between a pool and its server. While it is frozen it takes connections and
// bytes, and nothing comes of them.
type wire struct {
	listener          net.Listener
	network, upstream string

	mu     sync.Mutex
	thawed chan struct{} // closed unless it is frozen
	conns  []net.Conn
	wg     sync.WaitGroup
}

// newWire gives a wire to the server of url, and the url that leads through it.
func newWire(t *testing.T, to, address string) (*wire, string) {
	t.Helper()
	network, host := server(t, to)
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l, network: network, upstream: host, thawed: make(chan struct{})}
	close(w.thawed)
	w.wg.Go(w.accept)
	t.Cleanup(func() {
		w.thaw()
		l.Close()
		w.mu.Lock()
		for _, c := range w.conns {
			c.Close()
		}
		w.mu.Unlock()
		w.wg.Wait()
	})
	return w, through(t, to, l.Addr().String())
}

// server gives where the server of url listens.
func server(t *testing.T, url string) (network, address string) {
	t.Helper()
	c, err := pgconn.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	return pgconn.NetworkAddress(c.Host, c.Port)
}

// through gives url as it is at another address.
func through(t *testing.T, to, address string) string {
	t.Helper()
	c, err := pgconn.ParseConfig(to)
	if err != nil {
		t.Fatal(err)
	}
	u := url.URL{Scheme: "postgres", User: url.UserPassword(c.User, c.Password), Host: address, Path: c.Database, RawQuery: "sslmode=disable"}
	return u.String()
}

func (w *wire) accept() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(w.network, w.upstream)
		if err != nil {
			client.Close()
			continue
		}
		w.mu.Lock()
		w.conns = append(w.conns, client, server)
		w.mu.Unlock()
		w.wg.Go(func() { w.carry(server, client) })
		w.wg.Go(func() { w.carry(client, server) })
	}
}

func (w *wire) carry(to, from net.Conn) {
	defer to.Close()
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		w.mu.Lock()
		thawed := w.thawed
		w.mu.Unlock()
		<-thawed
		if _, werr := to.Write(buf[:n]); err != nil || werr != nil {
			return
		}
	}
}

func (w *wire) freeze() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.thawed = make(chan struct{})
}

func (w *wire) thaw() {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.thawed:
	default:
		close(w.thawed)
	}
}

// watched gives a pool that is watched, and what its watch tells.
func watched(t *testing.T, url string, cfg postgres.Config) (*postgres.Pool, <-chan bool) {
	t.Helper()
	pool, err := postgres.Open(t.Context(), url, cfg)
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan bool, 100)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		pool.Watch(ctx, func(away bool) { told <- away })
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		pool.Close()
	})
	return pool, told
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func wantTold(t *testing.T, told <-chan bool, away bool) {
	t.Helper()
	select {
	case got := <-told:
		if got != away {
			t.Fatalf("told away = %v", got)
		}
	case <-soon(t).Done():
		t.Fatalf("not told that away = %v", away)
	}
}

// A server that answers nothing more costs nobody their whole time.
func TestAFrozenServerIsFoundAway(t *testing.T) {
	_, app := memdtest.Postgres(t)
	w, wired := newWire(t, app, "127.0.0.1:0")
	pool, told := watched(t, wired, postgres.Config{MaxConns: 3})
	ctx := soon(t)
	tx, err := pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	w.freeze()
	if _, err := tx.Exec(ctx, `SELECT 1`); memd.KindOf(postgres.Err("test", err)) != memd.Unavailable || ctx.Err() != nil {
		t.Fatalf("in a transaction: %v, %v", err, ctx.Err())
	}
	if _, err := pool.Exec(ctx, `SELECT 1`); memd.KindOf(postgres.Err("test", err)) != memd.Unavailable || ctx.Err() != nil {
		t.Fatalf("later: %v, %v", err, ctx.Err())
	}
	if _, err := pool.Once().Exec(ctx, `SELECT 1`); memd.KindOf(postgres.Err("test", err)) != memd.Unavailable || ctx.Err() != nil {
		t.Fatalf("once: %v, %v", err, ctx.Err())
	}
	wantTold(t, told, true)
	if !pool.Away() {
		t.Error("it is not called away")
	}
	w.thaw()
	wantTold(t, told, false)
	if pool.Away() {
		t.Error("it is still called away")
	}
	if _, err := pool.Exec(ctx, `SELECT 1`); err != nil {
		t.Error(err)
	}
}

// A server that lets nobody in is found away too, and when it is back.
func TestAServerThatRefusesIsFoundAway(t *testing.T) {
	_, app := memdtest.Postgres(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, told := watched(t, through(t, app, address), postgres.Config{})
	wantTold(t, told, true)
	newWire(t, app, address)
	wantTold(t, told, false)
}

// Neither a slow statement nor a pool that is used up is a sign of a server that is away.
func TestABusyServerIsNotAway(t *testing.T) {
	_, app := memdtest.Postgres(t)
	pool, told := watched(t, app, postgres.Config{MaxConns: 2, Patience: 100 * time.Millisecond})
	ctx := soon(t)
	writes, err := acquire(t, pool, postgres.Writing) // there are connections to work with
	if err != nil {
		t.Fatal(err)
	}
	reads, err := acquire(t, pool)
	if err != nil {
		t.Fatal(err)
	}
	writes()
	reads()
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := pool.Exec(postgres.Writing(ctx), `SELECT pg_sleep(3)`); err != nil {
			t.Error(err)
		}
	})
	wg.Go(func() {
		if _, err := pool.Exec(ctx, `SELECT pg_sleep(3)`); err != nil {
			t.Error(err)
		}
	})
	wg.Wait()
	select {
	case away := <-told:
		t.Errorf("told away = %v", away)
	default:
	}
}

// Nobody waits for a connection longer than the pool has patience.
func TestAUsedUpPoolIsUnavailable(t *testing.T) {
	_, app := memdtest.Postgres(t)
	pool, err := postgres.Open(t.Context(), app, postgres.Config{MaxConns: 1, Patience: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	c, err := acquire(t, pool)
	if err != nil {
		t.Fatal(err)
	}
	ctx := soon(t)
	_, err = pool.Exec(ctx, `SELECT 1`)
	var e *memd.Error
	if err = postgres.Err("test", err); !errors.As(err, &e) || e.Kind != memd.Unavailable || e.RetryAfter <= 0 || ctx.Err() != nil {
		t.Fatalf("%v, %v", err, ctx.Err())
	}
	if e.Msg != "the database is busy" {
		t.Errorf("a pool that is used up tells %q", e.Msg)
	}
	c()
	if _, err := pool.Exec(ctx, `SELECT pg_sleep(0.2)`); err != nil { // patience is for the connection only
		t.Fatal(err)
	}
}

// A queue that moves is waited for: a burst is worked off.
func TestABurstIsWorkedOff(t *testing.T) {
	_, app := memdtest.Postgres(t)
	pool, err := postgres.Open(t.Context(), app, postgres.Config{MaxConns: 2, Patience: 400 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	release, err := acquire(t, pool) // there is a connection to work with
	if err != nil {
		t.Fatal(err)
	}
	release()
	ctx := soon(t)
	var all sync.WaitGroup
	for range 12 { // one lane: together they take longer than anybody waits for nothing
		all.Go(func() {
			if _, err := pool.Exec(ctx, `SELECT pg_sleep(0.1)`); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// acquire takes a connection, however long it takes to be made, and gives what releases it.
func acquire(t *testing.T, pool *postgres.Pool, in ...func(context.Context) context.Context) (func(), error) {
	t.Helper()
	ctx := soon(t)
	for _, f := range in {
		ctx = f(ctx)
	}
	for {
		c, err := pool.Acquire(ctx)
		if err == nil {
			return c.Release, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
	}
}

// However many writes are stuck, a read gets through, and a write though reads are.
func TestReadsAndWritesAreApart(t *testing.T) {
	_, app := memdtest.Postgres(t)
	pool, err := postgres.Open(t.Context(), app, postgres.Config{MaxConns: 3, Patience: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	reading := func(ctx context.Context) context.Context { return ctx }
	for name, kinds := range map[string][2]func(context.Context) context.Context{
		"writes": {postgres.Writing, reading}, "reads": {reading, postgres.Writing},
	} {
		for range 3 { // places are given back
			var release []func()
			for range 2 {
				r, err := acquire(t, pool, kinds[0])
				if err != nil {
					t.Fatal(name, err)
				}
				release = append(release, r)
			}
			if c, err := pool.Acquire(kinds[0](soon(t))); err == nil {
				c.Release()
				t.Fatalf("%s: they take the last connection", name)
			}
			r, err := acquire(t, pool, kinds[1])
			if err != nil {
				t.Fatalf("%s are stuck, and so are the others: %v", name, err)
			}
			for _, r := range append(release, r) {
				r()
			}
		}
	}
}

// What the caller does not wait for any longer does not run on.
func TestTheServerIsToldThatACallerLeft(t *testing.T) {
	owner, app := memdtest.Postgres(t)
	pool, err := postgres.Open(t.Context(), app, postgres.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	look := connect(t, owner)
	if _, err := look.Exec(t.Context(), `SELECT pg_advisory_lock(42)`); err != nil {
		t.Fatal(err)
	}
	running := func() (n int) {
		err := look.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := pool.Exec(ctx, `SELECT pg_advisory_lock(42)`)
		left <- err
	}()
	memdtest.Until(t, "it runs", func() bool { return running() == 1 })
	leave()
	if err := <-left; err == nil {
		t.Error("it got what another has")
	}
	memdtest.Until(t, "it has ended", func() bool { return running() == 0 })
}

// A statement ends at the limit though nobody ends it.
func TestStatementsHaveALimit(t *testing.T) {
	_, app := memdtest.Postgres(t)
	pool, err := postgres.Open(t.Context(), app, postgres.Config{StatementLimit: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if _, err := pool.Exec(t.Context(), `SELECT pg_sleep(600)`); !postgres.TookTooLong(err) {
		t.Errorf("%v", err)
	}
}
