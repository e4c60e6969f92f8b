package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/assemble"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/embed/e5"
	"github.com/memdhq/memd/erase"
	"github.com/memdhq/memd/export"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/extract/llm"
	"github.com/memdhq/memd/forget"
	"github.com/memdhq/memd/httpapi"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/importjob"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/recall"
	"github.com/memdhq/memd/remember"
	"github.com/memdhq/memd/revise"
	"github.com/memdhq/memd/shortterm"
	"github.com/memdhq/memd/summary"
	"github.com/memdhq/memd/traffic"
	"github.com/memdhq/memd/worker"
	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// poolPatience is how long a request waits for a connection while none is given back: with
// its wait for a turn not above a second.
const poolPatience = 700 * time.Millisecond

// answerLimit is when an answer must have been sent, unless it is streamed, which takes up
// to ten minutes; statementLimit is above both: it is for what nobody waits for any longer.
const (
	answerLimit    = 150 * time.Second
	statementLimit = 11 * time.Minute
)

// requestGrace is how long requests at work may go on once a stop has begun. Those that have
// not ended half as long after that are cut off.
const requestGrace = 2 * time.Second

// lease is how long what a killed memd was at work on stays untouched, messages and imports.
// Who is at it holds on to it three times as often.
const lease = 15 * time.Second

// Servers is what the daemon works on. Whether they are its own is not its matter.
type Servers struct {
	// OwnerURL logs in as the role that owns the schema, AppURL as the one that works.
	OwnerURL, AppURL string
	// NATS connects to the server that carries the work.
	NATS func(...nats.Option) (*nats.Conn, error)
	// Model is where the local model lies; unused with MEMD_EMBED_URL.
	Model e5.Config
}

// App is one running memd.
type App struct {
	cfg     Config
	keys    []APIKey
	provide func(context.Context) (Servers, error)
	servers Servers
	version string
	began   time.Time
	log     zerolog.Logger

	listener net.Listener
	server   *http.Server
	handler  atomic.Pointer[http.Handler] // nil until start-up is complete
	starting http.Handler                 // answers until then
	metrics  *prometheus.Registry
	ready    chan struct{}
	failed   chan error
	// draining ends when Stop begins.
	draining context.Context
	drain    context.CancelFunc

	startup struct {
		cancel context.CancelFunc
		done   chan struct{}
	}
	steps    []step // what Stop undoes
	stopOnce sync.Once
	stopErr  error

	pool *postgres.Pool
	bus  *bus.Bus
	deps dependencies
}

// New makes a memd of a valid configuration. Nothing runs yet. provide gives the servers
// when start-up comes to need them; it may start some, and its ctx ends when the daemon
// is stopped before it was ready.
func New(cfg Config, provide func(context.Context) (Servers, error), version string, log zerolog.Logger) (*App, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	keys, err := ParseAPIKeys(cfg.APIKeys)
	if err != nil {
		return nil, err
	}
	a := &App{cfg: cfg, keys: keys, provide: provide, version: version, log: log, began: time.Now(), starting: httpapi.Starting(),
		metrics: newRegistry(version), ready: make(chan struct{}), failed: make(chan error, 1)}
	a.draining, a.drain = context.WithCancel(context.Background())
	return a, nil
}

// Start binds the address and returns; start-up goes on behind it, with /healthz
// alive and all else 503. See Ready and Failed.
func (a *App) Start(ctx context.Context) error {
	l, err := net.Listen("tcp", a.cfg.Listen)
	if err != nil {
		return fmt.Errorf("MEMD_LISTEN: %w", err)
	}
	a.listener = l
	connections := newConnections(mostConnections())
	a.metrics.MustRegister(newConnectionStats(connections))
	requests, cancelRequests := context.WithCancel(context.WithoutCancel(ctx))
	a.server = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			connections.working(r.Context())
			a.serve(w, r)
		}),
		ConnState:         connections.changed,
		ConnContext:       connections.with,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       60 * time.Second,
		WriteTimeout:      answerLimit,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    64 << 10,
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := a.server.Serve(refusing{l}); !errors.Is(err, http.ErrServerClosed) {
			a.fail(err)
		}
	}()
	a.onDrain("http", func(ctx context.Context) error {
		// Requests that only wait for something must not hold up the stop, nor callers who
		// send or read nothing any more: these are not reached by the end of a context.
		grace := requestGrace
		if deadline, bounded := ctx.Deadline(); bounded {
			grace = min(grace, time.Until(deadline)/3)
		}
		defer time.AfterFunc(grace, cancelRequests).Stop()
		defer time.AfterFunc(grace+grace/2, connections.cut).Stop()
		defer cancelRequests()
		err := a.server.Shutdown(ctx)
		if err != nil {
			a.server.Close()
		}
		<-served
		return err
	})

	startCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	a.startup.cancel, a.startup.done = cancel, make(chan struct{})
	go func() {
		defer close(a.startup.done)
		if err := a.startUp(startCtx); err != nil && startCtx.Err() == nil {
			a.fail(err)
		}
	}()
	return nil
}

// Addr is the address that is served, with the port that was chosen for :0.
func (a *App) Addr() net.Addr { return a.listener.Addr() }

// Ready is closed when start-up is complete.
func (a *App) Ready() <-chan struct{} { return a.ready }

// Failed yields what made it impossible to go on.
func (a *App) Failed() <-chan error { return a.failed }

func (a *App) fail(err error) {
	select {
	case a.failed <- err:
	default:
	}
}

// startUp builds the parts from the bottom up. Each leaves behind how it is stopped.
func (a *App) startUp(ctx context.Context) error {
	var err error
	if a.servers, err = a.provide(ctx); err != nil {
		return err
	}
	embedder := make(chan error, 1)
	var local *e5.Embedder
	if a.cfg.EmbedURL == "" { // the model loads while the database is seen to
		go func() {
			var loadErr error
			local, loadErr = e5.Open(a.servers.Model)
			embedder <- loadErr
		}()
	} else {
		embedder <- nil
	}

	err = a.openDatabase(ctx)
	if loadErr := <-embedder; loadErr != nil {
		return errors.Join(err, fmt.Errorf("the local model cannot be loaded (make setup mends it): %w", loadErr))
	}
	if local != nil {
		a.onStop("model", func(context.Context) error { return local.Close() })
	}
	if err != nil {
		return err
	}
	model, err := a.openEmbedder(ctx, local)
	if err != nil {
		return err
	}
	workers, err := postgres.Open(ctx, a.servers.AppURL, postgres.Config{
		MinConns: 1, MaxConns: int32(a.cfg.Workers) + 4, Name: "memd workers"})
	if err != nil {
		return err
	}
	a.onStop("worker pool", closePool(workers))

	conn, err := a.servers.NATS(
		nats.Name("memd"), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true),
		nats.ReconnectWait(250*time.Millisecond), nats.ReconnectJitter(250*time.Millisecond, time.Second),
		nats.Timeout(3*time.Second))
	if err != nil {
		return fmt.Errorf("NATS_URL: %w", err)
	}
	a.onStop("nats connection", func(context.Context) error { conn.Close(); return nil })
	a.bus, err = bus.Open(conn, bus.Config{Replicas: a.cfg.NATSReplicas, Share: 2 * max(a.cfg.Workers, 4), Log: a.component("bus")})
	if err != nil {
		return err
	}
	a.onStop("bus", a.bus.Close)

	logConfig, err := a.cfg.logConfig()
	if err != nil {
		return err
	}
	logConfig.Log = a.component("shortterm")
	log := shortterm.New(a.pool, a.bus, logConfig)
	logConfig.Lease = lease
	workLog := shortterm.New(workers, a.bus, logConfig)
	store := longterm.New(a.pool, longterm.Config{})
	workStore := longterm.New(workers, longterm.Config{})
	rec := recall.New(store, model, recall.Config{Log: a.component("recall")})
	assembler, err := assemble.New(log, store, rec, assemble.Config{Header: a.cfg.RecallHeader, Line: a.cfg.RecallLine, KeepSecrets: a.cfg.KeepSecrets, Log: a.component("assemble")})
	if err != nil {
		return err
	}

	live := &traffic.Live{}
	if a.cfg.Workers > 0 {
		extractor, chat := a.extractor()
		cfg := worker.Config{PostgresAway: a.pool.Away, Workers: a.cfg.Workers, Lease: lease, Live: live, Log: a.component("worker"), Metrics: a.metrics}
		if a.cfg.UsesLLM() {
			cfg.AsksAgain = chat.Answers
			cfg.Resting = chat.Unwell
		}
		if logConfig.Summaries {
			summaries := summary.New(workers, workLog, workStore, chat.Say, summary.Config{Model: a.cfg.LLMModel, Answers: chat.Answers, Room: chat.Room, KeepSecrets: a.cfg.KeepSecrets})
			cfg.Settled, cfg.Tend = summaries.Mark, summaries.Tend
		}
		w, err := worker.New(workers, workLog, a.bus, extractor, model, workStore, cfg)
		if err != nil {
			return err
		}
		if err := w.Start(ctx); err != nil {
			return err
		}
		a.onDrain("worker", w.Stop)
	}
	relay := workLog.NewRelay(shortterm.RelayConfig{})
	if err := relay.Start(ctx); err != nil {
		return err
	}
	a.onDrain("relay", relay.Stop)
	// What is to be kept no longer goes, whether or not this process has workers.
	sweeper := workLog.NewSweeper(workStore.Unpost, 0)
	if err := sweeper.Start(ctx); err != nil {
		return err
	}
	a.onDrain("sweeper", sweeper.Stop)
	a.metrics.MustRegister(newBacklog(workers, a.pool.Away), newPoolStats("requests", a.pool), newPoolStats("filters", a.pool.Once()), newPoolStats("workers", workers))

	// Imports are workers' work: requests need not wait for their connections.
	if a.cfg.Workers > 0 {
		workRecall := recall.New(workStore, model, recall.Config{Log: a.component("recall")})
		imports := importjob.NewRunner(workers, workLog, remember.New(workers, workLog, workStore, workRecall, remember.Config{}), live, lease, a.component("import"))
		if err := imports.Start(ctx); err != nil {
			return err
		}
		a.onDrain("imports", imports.Stop)
	}

	answers := idempotency.New(a.pool)
	handler, err := httpapi.New(httpapi.Deps{
		Log: log, Store: store, Recall: rec, Assembler: assembler, Idempotency: answers,
		Remember: remember.New(a.pool, log, store, rec, remember.Config{TakesPrompt: a.cfg.UsesLLM()}),
		Forget:   forget.New(a.pool, log, store), Revise: revise.New(a.pool, log, store),
		Erase: erase.New(a.pool, log, store, answers, a.component("erase")), Export: export.New(a.pool), Imports: importjob.New(a.pool),
		Read: readText, Ready: a.readiness, Writing: postgres.Writing, Live: live, Draining: a.draining, Metrics: metricsHandler(a.metrics), Registerer: a.metrics,
		Logger: a.component("http"), Version: a.version,
	}, httpapi.Config{Keys: apiKeys(a.keys)})
	if err != nil {
		return err
	}
	if a.cfg.NoAPI {
		handler = httpapi.OnlyWatched(handler)
	}
	a.awaitQueue(ctx)
	a.handler.Store(&handler)
	close(a.ready)
	a.log.Info().Dur(memd.LogDuration, time.Since(a.began)).Str("address", a.Addr().String()).Msg("ready")
	return nil
}

// awaitQueue gives the stream a moment to be made, so that a fresh memd is not called
// degraded; a NATS that is away is no reason to wait longer.
func (a *App) awaitQueue(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		select {
		case <-tick.C:
			if a.bus.Check(ctx) == nil {
				tick.Stop()
				return
			}
		case <-ctx.Done():
			tick.Stop()
			return
		}
	}
}

// openDatabase migrates and opens the pool for requests; it waits for a Postgres
// that is away, for that passes, and gives up on anything else.
func (a *App) openDatabase(ctx context.Context) error {
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.MaxInterval = 100*time.Millisecond, 5*time.Second
	var said time.Time // told ever more rarely
	quiet := time.Second
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := postgres.Migrate(ctx, a.servers.OwnerURL)
		if err != nil && memd.KindOf(err) != memd.Unavailable {
			return struct{}{}, backoff.Permanent(err)
		}
		if err != nil && ctx.Err() == nil && time.Since(said) > quiet {
			a.log.Warn().Err(err).Msg("waiting for the database")
			said, quiet = time.Now(), min(2*quiet, time.Minute)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(wait), backoff.WithMaxElapsedTime(0))
	if err != nil {
		return err
	}
	a.pool, err = postgres.Open(ctx, a.servers.AppURL, postgres.Config{MinConns: a.cfg.DBPoolMin, MaxConns: a.cfg.DBPoolMax,
		Patience: poolPatience, StatementLimit: statementLimit})
	if err != nil {
		return err
	}
	a.onStop("request pool", closePool(a.pool))
	a.watchDatabase()
	if err := a.pool.CheckRole(ctx); err != nil && memd.KindOf(err) != memd.Unavailable {
		return err
	}
	return nil
}

// openEmbedder gives the local model, or the remote one watched for outages. A remote
// one that is away is no reason not to start; one of the wrong width is.
func (a *App) openEmbedder(ctx context.Context, local *e5.Embedder) (embed.Embedder, error) {
	if local != nil {
		return local, nil
	}
	remote, err := embed.NewRemote(embed.Config{URL: a.cfg.EmbedURL, Model: a.cfg.EmbedModel,
		Dimensions: a.cfg.EmbedDimensions, APIKey: a.cfg.OpenAIKey})
	if err != nil {
		return nil, err
	}
	a.onStop("embedder", func(context.Context) error { remote.Close(); return nil })
	probe, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	if err := remote.Probe(probe); err != nil {
		if errors.Is(err, embed.ErrWidth) {
			return nil, fmt.Errorf("MEMD_EMBED_DIMENSIONS: %w", err)
		}
		a.log.Warn().Err(err).Msg("the embedding server does not answer; what needs it waits")
	} else if err := a.checkWidth(ctx, remote.Model()); err != nil {
		return nil, err
	}
	watched := &watchedEmbedder{Embedder: remote}
	ask := func(ctx context.Context) error {
		_, err := remote.EmbedQuery(ctx, "ready?")
		return err
	}
	watched.server = &server{look: ask, ask: ask, every: freshness}
	a.deps.add("embedding", watched.server)
	return watched, nil
}

// checkWidth refuses a model that gives vectors of another width than it gave before:
// what is remembered could not be compared with them. A model of another name is another
// model, whose vectors stand beside.
func (a *App) checkWidth(ctx context.Context, model embed.Model) error {
	tenants := []string{memd.DefaultTenant}
	for _, k := range a.keys {
		tenants = append(tenants, k.Tenant)
	}
	store := longterm.New(a.pool, longterm.Config{})
	for _, tenant := range tenants {
		stored, err := store.StoredModels(ctx, tenant)
		if err != nil {
			if memd.KindOf(err) == memd.Unavailable {
				return nil // it is away again; requests will say so
			}
			return err
		}
		for _, s := range stored {
			if s.Dimensions != model.Dimensions && baseName(s.Name) == baseName(model.Name) {
				return fmt.Errorf("MEMD_EMBED_MODEL: what is remembered has vectors of %d dimensions by this model, and the server at MEMD_EMBED_URL now gives %d: set MEMD_EMBED_DIMENSIONS to %d, or give the server that model again",
					s.Dimensions, model.Dimensions, s.Dimensions)
			}
		}
	}
	return nil
}

// baseName is the name of a remote model without the width that embed puts behind it.
func baseName(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i]
	}
	return name
}

// askModelEvery is how often a language model that failed is asked for a word at the most,
// by those who want to know whether it is back: each answer costs.
const askModelEvery = 15 * time.Second

// extractor gives what turns messages into candidate facts. A model's server that is
// away is named as degraded; the rules stand in for it. chat is the model, nil if there
// is none.
func (a *App) extractor() (x worker.Extractor, chat *llm.Extractor) {
	rules := extract.NewRules()
	rules.KeepSecrets = a.cfg.KeepSecrets
	if !a.cfg.UsesLLM() && !a.cfg.SumsUp() {
		return rules, nil
	}
	server := &server{look: listModels(a.cfg.LLMURL, a.cfg.OpenAIKey), every: askModelEvery}
	model := llm.New(llm.Config{URL: a.cfg.LLMURL, Model: a.cfg.LLMModel, APIKey: a.cfg.OpenAIKey,
		Context: a.cfg.LLMContext, PromptPrice: a.cfg.LLMPromptPrice, CompletionPrice: a.cfg.LLMCompletionPrice,
		Metrics: a.metrics, Observe: server.saw, Log: a.component("llm")}, rules)
	server.rests, server.ask = model.Unwell, model.Check
	a.deps.add("llm", server)
	a.onStop("llm", func(context.Context) error { model.Close(); return nil })
	if !a.cfg.UsesLLM() { // it sums up, and no more
		return rules, model
	}
	return model, model
}

// readText reads what a person writes in the place of a memory by the rules, whoever learned
// that: a model is not asked while somebody waits.
func readText(role, text string) *longterm.About {
	c := extract.Read(memd.Role(role), text)
	if c.Slot == "" {
		return nil
	}
	return &longterm.About{Slot: c.Slot, Subject: c.Subject, Value: c.Value, Negated: c.Negated, Categories: c.Categories}
}

func (a *App) component(name string) zerolog.Logger {
	return a.log.With().Str(memd.LogComponent, name).Logger()
}

func apiKeys(keys []APIKey) []httpapi.Key {
	var out []httpapi.Key
	for _, k := range keys {
		out = append(out, httpapi.Key{Token: k.Token, Tenant: k.Tenant, Role: k.Role})
	}
	return out
}

// serve passes requests on once there is something to pass them to.
func (a *App) serve(w http.ResponseWriter, r *http.Request) {
	if h := a.handler.Load(); h != nil {
		(*h).ServeHTTP(w, r)
		return
	}
	a.starting.ServeHTTP(w, r)
}
