package postgres

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"
)

// writing is the key under which a context says that what is done in it writes.
type writing struct{}

// Writing marks ctx as that of a write. Where a pool has Patience, writes never take its
// last connection from those that read, nor they from writes.
func Writing(ctx context.Context) context.Context {
	return context.WithValue(ctx, writing{}, true)
}

// gate stands before the connections of a pool, as its tracer: it lets nobody wait for one
// longer than patience while none is given back, nor several times that at all, keeps reads and writes from each other, and ends what is asked of a
// server that is known to be away.
type gate struct {
	server   *presence
	patience time.Duration // 0: as long as the caller has
	moved    atomic.Int64  // when a connection was last given back, in nanoseconds since began

	// lanes bound the reads and the writes that have a connection; nil where there is only
	// one to have.
	reads, writes *semaphore.Weighted
	mu            sync.Mutex
	held          map[*pgx.Conn]*semaphore.Weighted
}

func newGate(server *presence, cfg Config) *gate {
	g := &gate{server: server, patience: cfg.Patience, held: map[*pgx.Conn]*semaphore.Weighted{}}
	if n := int64(cfg.MaxConns) - 1; n > 0 && cfg.Patience > 0 {
		g.reads, g.writes = semaphore.NewWeighted(n), semaphore.NewWeighted(n)
	}
	return g
}

// Why a context of the gate's ends before its caller's does.
var (
	errBusy = errors.New("no connection came free in time")
	errAway = errors.New("the server answers nobody")
)

// ending is a context of the gate's. Its error tells why the gate ended it, where it has.
type ending struct{ context.Context }

// Err gives errBusy or errAway, or else what the context's own end was.
func (e ending) Err() error {
	if cause := context.Cause(e.Context); cause == errBusy || cause == errAway {
		return cause
	}
	return e.Context.Err()
}

// acquiring is somebody's wait for a connection.
type acquiring struct {
	ending
	end  context.CancelFunc
	lane *semaphore.Weighted // nil unless a place in it is held
}

// longestQueue is for how many times its patience a pool has somebody wait whose turn comes
// nearer: a burst is worked off rather than refused.
const longestQueue = 4

// patient gives a context that ends when a wait for a connection is of no use any more.
func (g *gate) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	start := time.Since(began)
	var mu sync.Mutex
	var timer *time.Timer
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(g.patience, func() {
		now := time.Since(began)
		rest := min(max(start, time.Duration(g.moved.Load()))+g.patience-now, start+longestQueue*g.patience-now)
		if rest <= 0 {
			cancel(errBusy)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() == nil {
			timer.Reset(rest)
		}
	})
	return ctx, func() {
		cancel(nil)
		mu.Lock()
		defer mu.Unlock()
		timer.Stop()
	}
}

// TraceAcquireStart gives the context in which a connection is waited for.
func (g *gate) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	a := &acquiring{ending: ending{ctx}, end: func() {}}
	if g.patience > 0 {
		a.Context, a.end = g.patient(ctx)
	}
	a.Context, a.end = g.server.while(a.Context, a.end)
	if g.reads != nil {
		lane := g.reads
		if w, _ := ctx.Value(writing{}).(bool); w {
			lane = g.writes
		}
		if lane.Acquire(a.Context, 1) == nil {
			a.lane = lane
		} // else the pool finds the context at its end
	}
	return a
}

// TraceAcquireEnd notes who has a connection now.
func (g *gate) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, data pgxpool.TraceAcquireEndData) {
	a, ok := ctx.(*acquiring)
	if !ok {
		return
	}
	a.end()
	if a.lane == nil {
		return
	}
	if data.Err != nil {
		a.lane.Release(1)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held[data.Conn] = a.lane
}

// TraceRelease gives a place back.
func (g *gate) TraceRelease(_ *pgxpool.Pool, data pgxpool.TraceReleaseData) {
	g.moved.Store(int64(time.Since(began)))
	g.mu.Lock()
	lane := g.held[data.Conn]
	delete(g.held, data.Conn)
	g.mu.Unlock()
	if lane != nil {
		lane.Release(1)
	}
}

// asking is a question that the server has not answered yet.
type asking struct {
	ending
	end context.CancelFunc
}

func (g *gate) begin(ctx context.Context) context.Context {
	a := &asking{}
	a.Context, a.end = g.server.while(ctx, func() {})
	return a
}

func (g *gate) ended(ctx context.Context, err error) {
	if a, ok := ctx.(*asking); ok {
		a.end()
	}
	if answered(err) {
		g.server.heard()
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "53100" { // disk full
		g.server.full.Store(int64(time.Since(began)))
	}
}

// TraceQueryStart gives the context in which a statement runs.
func (g *gate) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return g.begin(ctx)
}

// TraceQueryEnd notes that the server has answered.
func (g *gate) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	g.ended(ctx, data.Err)
}

// TraceBatchStart gives the context in which a batch runs.
func (g *gate) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return g.begin(ctx)
}

// TraceBatchQuery is there for the driver.
func (g *gate) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd notes that the server has answered.
func (g *gate) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchEndData) {
	g.ended(ctx, data.Err)
}

// answered says whether err is none, or the server's own.
func answered(err error) bool {
	var pg *pgconn.PgError
	return err == nil || errors.As(err, &pg)
}

// presence is whether the server is there, as far as is known.
type presence struct {
	last atomic.Int64 // when it answered anybody, in nanoseconds since began
	full atomic.Int64 // when it last had no room for what was written, likewise; 0: never

	mu   sync.Mutex
	gone bool
	// here ends when the server is found to be away; it is a new one when it is back.
	here  context.Context
	leave context.CancelFunc
}

// began is what times are counted from: the clock of the machine may be set.
var began = time.Now()

func newPresence() *presence {
	p := &presence{}
	p.here, p.leave = context.WithCancel(context.Background())
	return p
}

func (p *presence) heard() { p.last.Store(int64(time.Since(began))) }

// while gives a context that ends with ctx, by end, or once the server is away.
func (p *presence) while(ctx context.Context, end context.CancelFunc) (context.Context, context.CancelFunc) {
	p.mu.Lock()
	here := p.here
	p.mu.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	leave := func() { cancel(errAway) }
	stop := context.AfterFunc(here, leave)
	if here.Err() != nil {
		leave() // at once
	}
	return ctx, func() { stop(); cancel(nil); end() }
}

func (p *presence) away() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	p.leave()
}

func (p *presence) back() {
	p.heard()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		p.gone = false
		p.here, p.leave = context.WithCancel(context.Background())
	}
}

func (p *presence) isAway() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone
}

const (
	// askEvery is how long the watch rests between two questions.
	askEvery = 500 * time.Millisecond
	// A server is away that has answered nobody for so many looks at the clock while the
	// watch waited, or that has failed the watch so often in a row. Looks are counted
	// rather than time, of which a process that was stopped knows nothing.
	lookEvery  = 250 * time.Millisecond
	looksAway  = 6
	failedAway = 2
	// askLimit is when the watch tries another connection.
	askLimit = 3 * time.Second
)

// Away says whether the server is known to answer nobody; see Watch.
func (p *Pool) Away() bool { return p.server.isAway() }

// fullFor is how long a server counts as full that somebody found to be so.
const fullFor = 10 * time.Second

// Full says whether the server had no room on its disk, a moment ago, for what was written.
func (p *Pool) Full() bool {
	at := time.Duration(p.server.full.Load())
	return at > 0 && time.Since(began)-at < fullFor
}

// Watch asks the server every half a second, over a connection of its own, whether it is
// there, until ctx ends. Once it has answered nobody for a second and a half, whoever has
// asked it something is told that it is not available, and whoever comes later at once,
// until it answers the watch. A slow statement is no sign of that, nor a pool in which no
// connection is free. changed, unless nil, is told of each change.
func (p *Pool) Watch(ctx context.Context, changed func(away bool)) {
	w := &watch{server: p.server, config: p.Config().ConnConfig, changed: changed}
	w.config.Tracer = nil
	w.config.ConnectTimeout = askLimit
	w.config.RuntimeParams["application_name"] += " watch"
	for ctx.Err() == nil {
		rest := askEvery
		if !w.look(ctx) {
			rest = lookEvery
		}
		select {
		case <-time.After(rest):
		case <-ctx.Done():
		}
	}
	w.drop()
}

// watch is what Watch remembers.
type watch struct {
	server  *presence
	config  *pgx.ConnConfig
	conn    *pgx.Conn
	failed  int // in a row
	changed func(away bool)
}

func (w *watch) tell(away bool) {
	if w.server.isAway() == away {
		return
	}
	if away {
		w.server.away()
	} else {
		w.server.back()
	}
	if w.changed != nil {
		w.changed(away)
	}
}

// look asks once and says whether there was an answer.
func (w *watch) look(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	asked := time.Since(began)
	heardSince := func() bool { return time.Duration(w.server.last.Load()) >= asked }
	answer := make(chan error, 1)
	go func() { answer <- w.ask(ctx) }()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for looks := 1; ; looks++ {
		select {
		case <-tick.C:
			if looks >= looksAway && !heardSince() {
				w.tell(true)
			}
		case err := <-answer:
			switch {
			case err == nil:
				w.failed = 0
				w.server.heard()
				w.tell(false)
			case ctx.Err() == nil || errors.Is(ctx.Err(), context.DeadlineExceeded):
				if w.failed++; w.failed >= failedAway && !heardSince() {
					w.tell(true)
				}
			}
			return err == nil
		}
	}
}

// ask has the server answer, over the connection there is or a new one.
func (w *watch) ask(ctx context.Context) error {
	if w.conn == nil || w.conn.IsClosed() {
		conn, err := pgx.ConnectConfig(ctx, w.config)
		var pg *pgconn.PgError
		if errors.As(err, &pg) && pg.Code[:2] == "53" {
			return nil // it has no connection to spare, and says so
		}
		if err != nil {
			return err
		}
		w.conn = conn
	}
	return w.conn.Ping(ctx)
}

func (w *watch) drop() {
	if w.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = w.conn.Close(ctx)
}
