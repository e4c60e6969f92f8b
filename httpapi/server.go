package httpapi

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/google/uuid"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/assemble"
	"github.com/memdhq/memd/erase"
	"github.com/memdhq/memd/export"
	"github.com/memdhq/memd/forget"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/importjob"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/recall"
	"github.com/memdhq/memd/remember"
	"github.com/memdhq/memd/revise"
	"github.com/memdhq/memd/shortterm"
	"github.com/memdhq/memd/traffic"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// Deps is what the routes are made of.
type Deps struct {
	Log         *shortterm.Log
	Store       *longterm.Store
	Recall      *recall.Recall
	Assembler   *assemble.Assembler
	Remember    *remember.Remember
	Forget      *forget.Forget
	Revise      *revise.Revise
	Erase       *erase.Erase
	Export      *export.Export
	Imports     *importjob.Jobs
	Idempotency *idempotency.Store
	// Read gives what a text is about that a person puts in the place of what was said in a
	// role, nil for nothing that can be updated. If Read is nil nobody reads.
	Read func(role, text string) *longterm.About
	// Ready says whether requests can be served, and which dependencies are away: where
	// they can be served, such as can be done without. nil: always ready.
	Ready func(ctx context.Context) (ready bool, degraded []string)
	// Live is told of requests that somebody waits for; nil: nothing gives way to them.
	Live *traffic.Live
	// Writing marks the context of a request that writes; nil: it is not marked.
	Writing func(context.Context) context.Context
	// Draining ends when the daemon is about to stop: who waits for something to come is then
	// told at once what there is. nil: it never ends.
	Draining context.Context
	// Metrics serves /metrics; nil leaves the route out.
	Metrics http.Handler
	// Registerer takes the metrics of the routes; nil: they are kept nowhere.
	Registerer prometheus.Registerer
	Logger     zerolog.Logger
	// Version is shown in the OpenAPI document.
	Version string
}

// Config says how requests are served; the zero value is usable.
type Config struct {
	// Keys are the API keys that are accepted. Without any, every request is served
	// as an admin of the tenant "default".
	Keys []Key
	// Timeout bounds a request; default 30 s. Requests that ask to wait get what they
	// ask for on top.
	Timeout time.Duration
	// LearnWait is how long POST /v1/memories waits for what it was given to be
	// learned from; default 30 s.
	LearnWait time.Duration
	// StreamPatience is how long the caller of a stream may take to read what of it is sent
	// together, 64 KiB; default 10 s.
	StreamPatience time.Duration
	// MaxInFlight bounds the requests at work of a kind: those that read, that write, that
	// wait for something to come, and that wait for what they brought to be learned from;
	// default 512. One more waits a moment and is then refused with 503.
	MaxInFlight int
	// MaxBodies bounds the bytes of all large bodies at work, and of all large answers that
	// are being sent; default 512 MiB.
	MaxBodies int64
}

func (c Config) withDefaults() Config {
	if c.Timeout <= 0 {
		c.Timeout = 30 * time.Second
	}
	if c.LearnWait <= 0 {
		c.LearnWait = 30 * time.Second
	}
	if c.StreamPatience <= 0 {
		c.StreamPatience = 10 * time.Second
	}
	if c.MaxInFlight <= 0 {
		c.MaxInFlight = 512
	}
	if c.MaxBodies <= 0 {
		c.MaxBodies = 128 << 20
	}
	return c
}

const requestIDHeader = "X-Request-ID"

// server is all that the routes share.
type server struct {
	Deps
	cfg     Config
	keys    []hashedKey
	mux     *http.ServeMux
	api     huma.API
	bounds  bounds
	metrics *metrics
}

// waitFor gives a context that ends after d, or when the daemon is about to stop.
func (s *server) waitFor(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, d)
	if s.Draining == nil {
		return ctx, cancel
	}
	stop := context.AfterFunc(s.Draining, cancel)
	return ctx, func() { stop(); cancel() }
}

// New makes the handler of all routes. The error is Invalid and names the key that
// cannot be accepted.
func New(d Deps, cfg Config) (http.Handler, error) {
	s, err := newServer(d, cfg)
	if err != nil {
		return nil, err
	}
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		problemOf(&memd.Error{Kind: memd.Forbidden, Msg: "a page of another origin may not do this"}, "").write(w)
	}))
	routes := origin.Handler(http.HandlerFunc(s.route))
	if len(cfg.Keys) == 0 {
		routes = onlyLocalNames(routes)
	}
	return s.observe(routes), nil
}

// onlyLocalNames refuses requests for a name that is not this machine's own. Where no
// key is asked for, a web page could otherwise have its own name resolve to loopback and
// read everything as a page of the same origin (DNS rebinding).
func onlyLocalNames(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
		ip := net.ParseIP(host)
		if host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback() {
			next.ServeHTTP(w, r)
			return
		}
		problemOf(&memd.Error{Kind: memd.Forbidden, Field: "header.Host",
			Msg: "without API keys memd answers only under a loopback address or localhost"}, "").write(w)
	})
}

func newServer(d Deps, cfg Config) (*server, error) {
	cfg = cfg.withDefaults()
	keys, err := hashKeys(cfg.Keys)
	if err != nil {
		return nil, err
	}
	s := &server{Deps: d, cfg: cfg, keys: keys, mux: http.NewServeMux(),
		bounds: newBounds(cfg),
	}
	if s.metrics, err = newMetrics(d.Registerer); err != nil {
		return nil, err
	}
	s.api = humago.New(s.mux, s.describe())
	s.messageRoutes()
	s.ingestRoutes()
	s.contextRoutes()
	s.sessionRoutes()
	s.memoryRoutes()
	s.reviseRoutes()
	s.userRoutes()
	s.settingsRoutes()
	s.importRoutes()
	s.lookRoutes()
	return s, nil
}

// requestID is the request's own id, or a new one.
func requestID(r *http.Request) string {
	if id := r.Header.Get(requestIDHeader); cleanRequestID(id) {
		return id
	}
	return uuid.NewString()
}

// observe gives each request its id, keeps a panic from ending the process, counts
// and logs.
func (s *server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		id := requestID(r)
		w.Header().Set(requestIDHeader, id)
		seen := &watchedWriter{ResponseWriter: w, route: noRoute}
		s.metrics.inFlight.Inc()
		defer func() {
			s.metrics.inFlight.Dec()
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				s.Logger.Error().Str(memd.LogRequest, id).Str("route", seen.route).
					Interface("panic", p).Bytes("stack", debug.Stack()).Msg("a request panicked")
				if seen.status == 0 {
					problemOf(&memd.Error{Kind: memd.Internal}, "").write(seen)
				}
			}
			s.metrics.observe(r.Method, seen.route, seen.status, time.Since(began))
			s.Logger.Debug().Str(memd.LogRequest, id).Str("method", r.Method).Str("route", seen.route).
				Int("status", seen.status).Dur(memd.LogDuration, time.Since(began)).Msg("request")
		}()
		next.ServeHTTP(seen, r)
	})
}

// cleanRequestID says whether a caller's request id can be taken over: 1 to 128
// characters that need no quoting anywhere.
func cleanRequestID(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	return !strings.ContainsFunc(id, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.:/+=@", r)
	})
}

// watchedWriter remembers what was answered.
type watchedWriter struct {
	http.ResponseWriter
	status int
	route  string
}

func (w *watchedWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *watchedWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *watchedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// route finds the operation of a request. What the mux would answer by itself, with
// words or a redirect, becomes a problem.
func (s *server) route(w http.ResponseWriter, r *http.Request) {
	escaped := r.URL.EscapedPath()
	if !strings.HasPrefix(escaped, "/") || path.Clean(escaped) != escaped {
		problemOf(&memd.Error{Kind: memd.NotFound, Msg: "there is no such route"}, "").write(w)
		return
	}
	r = routable(r, escaped)
	handler, pattern := s.mux.Handler(r)
	if pattern == "" {
		unrouted := &discardedAnswer{header: http.Header{}}
		handler.ServeHTTP(unrouted, r)
		if unrouted.status == http.StatusMethodNotAllowed {
			p := newProblem(http.StatusMethodNotAllowed, "method_not_allowed", "this route does not have this method")
			p.header = http.Header{"Allow": unrouted.header["Allow"]}
			p.write(w)
			return
		}
		problemOf(&memd.Error{Kind: memd.NotFound, Msg: "there is no such route"}, "").write(w)
		return
	}
	if seen, ok := w.(*watchedWriter); ok {
		_, seen.route, _ = strings.Cut(pattern, " ")
	}
	s.mux.ServeHTTP(w, r)
}

// originalPath is the context's key to the path of a request that was made routable.
type originalPath struct{}

// routable makes up for what the mux cannot do: it never matches an id that is "/". The
// id stands as "%2F" while its route is looked for; see pathValue.
func routable(r *http.Request, escaped string) *http.Request {
	segments := strings.Split(escaped, "/")
	found := false
	for i, segment := range segments {
		if strings.EqualFold(segment, "%2F") {
			segments[i], found = "%252F", true
		}
	}
	if !found {
		return r
	}
	to := *r.URL
	to.RawPath = strings.Join(segments, "/")
	to.Path, _ = url.PathUnescape(to.RawPath) // it was well-formed before
	r = r.WithContext(context.WithValue(r.Context(), originalPath{}, escaped))
	r.URL = &to
	return r
}

// pathOf gives the path of a request as it was sent, percent-encoded.
func pathOf(r *http.Request) string {
	if p, ok := r.Context().Value(originalPath{}).(string); ok {
		return p
	}
	return r.URL.EscapedPath()
}

// pathValue gives a parameter of the path. No route has more than one.
func pathValue(r *http.Request, name string) string {
	value := r.PathValue(name)
	if r.Context().Value(originalPath{}) != nil && value == "%2F" {
		return "/"
	}
	return value
}

// discardedAnswer takes an answer that nobody is to see.
type discardedAnswer struct {
	header http.Header
	status int
}

func (d *discardedAnswer) Header() http.Header         { return d.header }
func (d *discardedAnswer) Write(b []byte) (int, error) { return len(b), nil }
func (d *discardedAnswer) WriteHeader(status int)      { d.status = status }

// fail answers with an error, and logs what the caller does not get to see.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error, part string) {
	p := problemOf(err, part)
	if p.Status >= 500 && !errors.Is(r.Context().Err(), context.Canceled) {
		level := zerolog.ErrorLevel
		if p.Status == http.StatusServiceUnavailable {
			level = zerolog.WarnLevel
		}
		s.Logger.WithLevel(level).Str(memd.LogRequest, w.Header().Get(requestIDHeader)).
			Str("method", r.Method).Int("status", p.Status).Err(err).Msg("a request failed")
	}
	p.write(w)
}
