package app

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embed"
)

// watchDatabase has the pool for requests know whether Postgres is there.
func (a *App) watchDatabase() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.pool.Watch(ctx, func(away bool) {
			if away {
				a.log.Warn().Msg("Postgres does not answer; requests are refused until it does")
			} else {
				a.log.Info().Msg("Postgres answers again")
			}
		})
	}()
	a.onStop("watch of Postgres", func(context.Context) error {
		cancel()
		<-ended
		return nil
	})
}

// readiness says whether requests can be served, and which dependencies are away; all but
// Postgres are such that requests can be served without them. A pool that is used up is
// no reason not to be ready: requests say so themselves.
func (a *App) readiness(ctx context.Context) (ready bool, degraded []string) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	var natsErr error
	var wg sync.WaitGroup
	wg.Go(func() { natsErr = a.bus.Check(ctx) })
	away := a.deps.away(ctx)
	wg.Wait()
	ready = !a.pool.Away()
	if !ready {
		degraded = append(degraded, "postgres")
	}
	if natsErr != nil {
		degraded = append(degraded, "nats")
	}
	return ready, append(degraded, away...)
}

// dependencies are the remote model servers: memd serves without them, and says so.
type dependencies struct {
	mu    sync.Mutex
	names []string
	all   []*server
}

func (d *dependencies) add(name string, s *server) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.names, d.all = append(d.names, name), append(d.all, s)
}

// away names the dependencies that do not answer.
func (d *dependencies) away(ctx context.Context) []string {
	d.mu.Lock()
	names, all := d.names, d.all
	d.mu.Unlock()
	gone := make([]bool, len(all))
	var wg sync.WaitGroup
	for i, s := range all {
		wg.Go(func() { gone[i] = s.away(ctx) })
	}
	wg.Wait()
	var away []string
	for i, name := range names {
		if gone[i] {
			away = append(away, name)
		}
	}
	return away
}

// server is a model server seen from outside: how its last call ended and, when nobody
// has called it for a while, whether it answers a question that costs next to nothing.
type server struct {
	ask func(context.Context) error

	mu      sync.Mutex
	failing bool
	seen    time.Time
}

// freshness is for how long what was last seen of a server stands.
const freshness = 5 * time.Second

func newServer(ask func(context.Context) error) *server { return &server{ask: ask} }

// saw records how a call ended. What the server has against the call itself is no sign
// that it is away.
func (s *server) saw(err error) {
	kind := memd.KindOf(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = time.Now()
	s.failing = err != nil && (kind == memd.Unavailable || kind == memd.RateLimited || kind == memd.Internal)
}

// away says whether the server fails or does not answer.
func (s *server) away(ctx context.Context) bool {
	s.mu.Lock()
	failing, fresh := s.failing, time.Since(s.seen) < freshness
	s.mu.Unlock()
	if fresh {
		return failing
	}
	ctx, cancel := context.WithTimeout(ctx, 1500*time.Millisecond)
	defer cancel()
	s.saw(s.ask(ctx))
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failing
}

// listModels asks a chat server for its models: a server that answers that, if only to
// say that it has no such list, is there. Generating a text would cost too much.
func listModels(baseURL, key string) func(context.Context) error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return func(ctx context.Context) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(baseURL, "/")+"/models", nil)
		if err != nil {
			return err
		}
		if key != "" {
			r.Header.Set("Authorization", "Bearer "+key)
		}
		resp, err := client.Do(r)
		if err != nil {
			return &memd.Error{Kind: memd.Unavailable, Op: "app.models", Err: err}
		}
		resp.Body.Close()
		switch resp.StatusCode {
		case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return &memd.Error{Kind: memd.Unavailable, Op: "app.models"}
		}
		return nil
	}
}

// watchedEmbedder tells the server's state from the calls that are made anyway.
type watchedEmbedder struct {
	embed.Embedder
	server *server
}

func (w *watchedEmbedder) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	v, err := w.Embedder.EmbedPassages(ctx, texts)
	w.server.saw(err)
	return v, err
}

func (w *watchedEmbedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	v, err := w.Embedder.EmbedQuery(ctx, text)
	w.server.saw(err)
	return v, err
}
