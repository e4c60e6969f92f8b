package worker

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/shortterm"
	"github.com/memdhq/memd/traffic"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"github.com/sourcegraph/conc"
)

// Extractor turns messages of one session into candidate facts. It is called by
// several workers at once. Its errors are told apart by their kind: Unavailable and
// RateLimited wait for its model to come back, Invalid gives the message up at once,
// anything else is tried again a few times.
type Extractor interface {
	Extract(ctx context.Context, in extract.Input) (memd.Extraction, error)
}

// Config says how a Worker works; the zero value is usable.
type Config struct {
	// Workers is how many sessions are worked on at once; default twice GOMAXPROCS,
	// because each waits for the database for part of its time.
	Workers int
	// Batch is how many waiting messages of a session are learned from together;
	// default 32.
	Batch int
	// Before is how many messages that precede them extraction sees; default 12.
	Before int
	// MaxAttempts is how often a message is tried before it is given up; default 5.
	// It must be the log's.
	MaxAttempts int
	// Lease and AckWait are the log's and the queue's: a third of the shorter one is
	// how often what is held is held on to. Defaults 60 s and 90 s.
	Lease, AckWait time.Duration
	// JobTimeout is the longest one batch may take; default 5 min. What has not broken off
	// Grace later is left behind, and the message given up; default 10 s.
	JobTimeout, Grace time.Duration
	// EmbedLeast is how long one call of the embedder may take at least; it is ten times as
	// long as the slowest call of late took for its size, if that is more. Default 10 s.
	EmbedLeast time.Duration
	// Batches is how many batches of a session are learned from in a row before others
	// have their turn, as long as they have no more than Batch messages together; default 4.
	Batches int
	// RetryMin and RetryMax bound how long a message that failed waits for its next
	// attempt; it doubles from one to the other. Defaults 1 s and 5 min.
	RetryMin, RetryMax time.Duration
	// PauseMin and PauseMax bound how long nothing is fetched before a dependency
	// that is away is tried again; it doubles from one to the other, and is longer
	// where the dependency asks for it. Defaults 1 s and 10 s.
	PauseMin, PauseMax time.Duration
	// VectorsEvery is how often memories that wait for their vector are looked for;
	// default 2 s.
	VectorsEvery time.Duration
	// UpkeepEvery is how often expired memories, incognito sessions, messages that are kept
	// no longer and large scopes are seen to; default 15 s.
	UpkeepEvery time.Duration
	// Settled is called, if it is there, with each transaction that settles messages of a
	// session; Tend sums up what is due of it, and says whether there may be more.
	Settled func(ctx context.Context, tx pgx.Tx, tenant string, sessionNo int64) error
	Tend    func(ctx context.Context) (more bool, err error)
	// AsksAgain says whether the extractor's model answers, so that what the rules learned
	// from in its place can be learned from again; nil for an extractor without one.
	AsksAgain func() bool
	// Resting says whether the extractor's model is not well and the rules stand in for it,
	// and for how long it is left alone; nil for an extractor without one.
	Resting func() (unwell bool, wait time.Duration)
	// PostgresAway says whether others know the database to be away, which these workers
	// have not come to notice; nil: there are no others.
	PostgresAway func() bool
	// Live is the traffic that backfill gives way to; nil: there is none in this process.
	Live *traffic.Live
	// Metrics is where the worker's metrics are registered; nil for nowhere.
	Metrics prometheus.Registerer
	Log     zerolog.Logger
}

func (c Config) withDefaults() Config {
	if c.Workers == 0 {
		c.Workers = 2 * runtime.GOMAXPROCS(0)
	}
	for _, n := range []struct {
		field    *int
		fallback int
	}{{&c.Batch, 32}, {&c.Batches, 4}, {&c.Before, 12}, {&c.MaxAttempts, 5}} {
		if *n.field == 0 {
			*n.field = n.fallback
		}
	}
	for _, d := range []struct {
		field    *time.Duration
		fallback time.Duration
	}{
		{&c.Lease, time.Minute}, {&c.AckWait, 90 * time.Second}, {&c.JobTimeout, 5 * time.Minute}, {&c.Grace, 10 * time.Second},
		{&c.EmbedLeast, 10 * time.Second},
		{&c.RetryMin, time.Second}, {&c.RetryMax, 5 * time.Minute},
		{&c.PauseMin, time.Second}, {&c.PauseMax, 10 * time.Second},
		{&c.VectorsEvery, 2 * time.Second}, {&c.UpkeepEvery, 15 * time.Second},
	} {
		if *d.field == 0 {
			*d.field = d.fallback
		}
	}
	return c
}

func (c Config) validate() error {
	for _, n := range []struct {
		field string
		value int
	}{{"Workers", c.Workers}, {"Batch", c.Batch}, {"Batches", c.Batches}, {"Before", c.Before}, {"MaxAttempts", c.MaxAttempts}} {
		if n.value < 0 {
			return memd.InvalidField(n.field, "must not be negative")
		}
	}
	for _, d := range []struct {
		field string
		value time.Duration
	}{
		{"Lease", c.Lease}, {"AckWait", c.AckWait}, {"JobTimeout", c.JobTimeout}, {"Grace", c.Grace}, {"EmbedLeast", c.EmbedLeast},
		{"RetryMin", c.RetryMin}, {"RetryMax", c.RetryMax}, {"PauseMin", c.PauseMin}, {"PauseMax", c.PauseMax},
		{"VectorsEvery", c.VectorsEvery}, {"UpkeepEvery", c.UpkeepEvery},
	} {
		if d.value < 0 {
			return memd.InvalidField(d.field, "must not be negative")
		}
	}
	return nil
}

// stopTime is how long Stop takes at most if its context has no deadline.
const stopTime = 10 * time.Second

// Worker learns from what is open. Several, in any number of processes, may work on
// the same database and queue.
type Worker struct {
	pool      *postgres.Pool
	log       *shortterm.Log
	bus       *bus.Bus
	extractor Extractor
	embedder  embed.Embedder
	store     *longterm.Store
	cfg       Config
	logger    zerolog.Logger
	metrics   *metrics

	// The breakers outlive a Stop: what is away stays away. So does what is held against
	// messages.
	database, extraction, embedding *breaker
	strikes                         *strikes
	pace                            *pace

	mu      sync.Mutex
	running *run // nil while stopped
}

// New makes a Worker that is at rest. The error is Invalid and names the field of cfg
// that is wrong, or says that the metrics are registered already.
func New(pool *postgres.Pool, log *shortterm.Log, b *bus.Bus, extractor Extractor, embedder embed.Embedder, store *longterm.Store, cfg Config) (*Worker, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	w := &Worker{
		pool: pool, log: log, bus: b, extractor: extractor, embedder: embedder, store: store, cfg: cfg,
		logger: cfg.Log, strikes: newStrikes(), pace: &pace{least: cfg.EmbedLeast},
	}
	w.database = newBreaker("postgres", cfg, w.logger, func(ctx context.Context) error {
		return postgres.Err("worker.probe", pool.Ping(ctx))
	})
	w.embedding = newBreaker("embedder", cfg, w.logger, func(ctx context.Context) error {
		_, err := embedder.EmbedPassages(ctx, []string{probeText})
		return err
	})
	w.extraction = newBreaker("extractor", cfg, w.logger, nil)
	if away := cfg.PostgresAway; away != nil {
		w.database.elsewhere = func() (bool, time.Duration) { return away(), 0 }
	}
	w.extraction.elsewhere = cfg.Resting
	w.metrics = newMetrics(w.breakers())
	if cfg.Metrics != nil {
		if err := w.metrics.register(cfg.Metrics); err != nil {
			return nil, &memd.Error{Kind: memd.Invalid, Op: "worker.new", Field: "Metrics", Err: err}
		}
	}
	return w, nil
}

func (w *Worker) breakers() []*breaker {
	return []*breaker{w.database, w.embedding, w.extraction}
}

// run is the time from a Start to its Stop.
type run struct {
	*Worker
	// fetching ends when Stop begins: nothing new is taken on. working ends when its
	// time is nearly up: what is under way breaks off and is handed back.
	fetching, working         context.Context
	stopFetching, stopWorking context.CancelFunc
	// handBack is how long handing back may take once working has ended.
	handBack time.Duration

	slots chan struct{} // one for each worker that is busy or being fetched for
	long  chan struct{} // one for each worker that is at long texts: never all of them
	// struck is one for each worker that is at a message by which the embedder failed.
	struck chan struct{}
	// suspect is for the one worker that is at a message which may be what kills the process.
	suspect chan struct{}
	// backfill is how many jobs are at what nobody waits for.
	backfill atomic.Int64
	tasks    conc.WaitGroup
	ended    chan struct{} // closed when all tasks have ended

	mu   sync.Mutex
	jobs map[session]*job
}

// Start begins to work and returns at once, whatever is away; ctx gives values only.
// It is Conflict if the worker runs already.
func (w *Worker) Start(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running != nil {
		return &memd.Error{Kind: memd.Conflict, Op: "worker.start", Msg: "the worker runs already"}
	}
	ctx = context.WithoutCancel(ctx)
	r := &run{
		Worker:   w,
		handBack: 2 * time.Second,
		slots:    make(chan struct{}, w.cfg.Workers),
		long:     make(chan struct{}, max(1, w.cfg.Workers/2)),
		struck:   make(chan struct{}, max(1, w.cfg.Workers/4)),
		suspect:  make(chan struct{}, 1),
		ended:    make(chan struct{}),
		jobs:     map[session]*job{},
	}
	r.fetching, r.stopFetching = context.WithCancel(ctx)
	r.working, r.stopWorking = context.WithCancel(ctx)
	w.running = r
	w.bus.LimitBackfill(r.roomForBackfill)
	r.tasks.Go(r.fetch)
	r.tasks.Go(r.fillVectors)
	r.tasks.Go(func() { r.keepUp("expired memories cannot be removed", r.inDatabase(r.sweep)) })
	if r.cfg.Tend != nil {
		r.tasks.Go(func() { r.keepUp("sessions cannot be summed up", r.tend) })
	}
	if r.cfg.AsksAgain != nil {
		r.tasks.Go(func() { r.keepUp("what the model was away for cannot be learned from again", r.inDatabase(r.askAgain)) })
	}
	r.tasks.Go(func() { r.keepUp("large scopes cannot be made ready for searches", r.inDatabase(r.tendNeighbours)) })
	return nil
}

// Stop takes on nothing more, lets what is under way finish, and in time before ctx
// ends (10 s if it has no deadline) breaks it off and hands it back: such messages are
// pending and no attempt is burnt. It is Unavailable if ctx ends first. Stopping
// again, or before Start, is harmless; a stopped worker can be started again.
func (w *Worker) Stop(ctx context.Context) error {
	w.mu.Lock()
	r := w.running
	w.mu.Unlock()
	if r == nil {
		return nil
	}
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, stopTime)
		defer cancel()
	}
	return r.stop(ctx)
}

func (r *run) stop(ctx context.Context) error {
	deadline, _ := ctx.Deadline()
	left := time.Until(deadline)

	r.Worker.mu.Lock()
	if r.fetching.Err() == nil { // the first to stop waits for the tasks
		r.handBack = max(min(r.handBack, left/4), 250*time.Millisecond)
		r.stopFetching()
		go r.await()
	}
	breakOff := time.AfterFunc(left-r.handBack, r.stopWorking)
	r.Worker.mu.Unlock()
	defer breakOff.Stop()

	select {
	case <-r.ended:
		return nil
	case <-ctx.Done():
		r.stopWorking()
		return &memd.Error{Kind: memd.Unavailable, Op: "worker.stop", Msg: "the worker did not end in time", Err: ctx.Err()}
	}
}

// await makes the worker startable again once all that ran has ended.
func (r *run) await() {
	if p := r.tasks.WaitAndRecover(); p != nil {
		r.metrics.panics.Inc()
		r.logger.Error().Str("panic", panicText(p.Value)).Bytes("stack", p.Stack).Msg("a task of the worker ended early")
	}
	r.stopWorking()
	r.Worker.mu.Lock()
	defer r.Worker.mu.Unlock()
	r.Worker.running = nil
	close(r.ended)
}

// isStopping says whether Stop was called.
func (r *run) isStopping() bool { return r.fetching.Err() != nil }
