package app

import (
	"context"
	"errors"
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
	if !ready || a.pool.Full() { // one that is full still answers what is read
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

// server is a model server seen from outside: how the last of what memd really wants of it
// ended. As long as that went wrong, only what is really asked can show that it is well;
// while nothing is known against it, a question that costs next to nothing is enough.
type server struct {
	// look asks whether it is there; ask has it do, for what it cannot have anything
	// against, what it is there for.
	look, ask func(context.Context) error
	// rests says that it is not well, and for how long it is left alone; nil if it never is.
	rests func() (unwell bool, wait time.Duration)
	// every is how often it is asked at the most.
	every time.Duration

	mu sync.Mutex
	// failing says that the last call went wrong by the server, doubted that it refused a
	// text, which may be the text's fault, and silent that it did not answer a look.
	failing, doubted, silent bool
	seen, asked              time.Time
	asking                   chan struct{} // closed when what is being asked is known; nil if nothing is
}

// freshness is for how long what was last seen of a server stands.
const freshness = 5 * time.Second

// lookTime is how long whoever wants to know waits for an answer, askTime how long is waited
// for one at all.
const lookTime, askTime = 1500 * time.Millisecond, 30 * time.Second

// saw records how a call ended, unless its caller did not wait for that.
func (s *server) saw(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if memd.KindOf(err) == memd.Invalid && !errors.Is(err, embed.ErrWidth) {
		s.doubted = true
		return
	}
	s.note(err)
}

// note records what is certain. s.mu is held.
func (s *server) note(err error) {
	s.failing, s.doubted, s.silent, s.seen = err != nil, false, false, time.Now()
}

// away says whether the server fails or does not answer.
func (s *server) away(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	unwell, wait := s.standing()
	s.mu.Lock()
	stale, failing, doubted, silent := time.Since(s.seen) >= freshness, s.failing, s.doubted, s.silent
	s.mu.Unlock()
	switch {
	case wait > 0:
		return true
	case doubted, (unwell || failing) && stale:
		s.find(ctx)
		unwell, _ = s.standing()
		s.mu.Lock()
		defer s.mu.Unlock()
		return unwell || s.failing
	case unwell || failing || !stale:
		return unwell || failing || silent
	}
	err := s.look(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.seen) >= freshness { // else a call was quicker
		s.silent, s.seen = err != nil, time.Now()
	}
	return s.failing || s.silent
}

func (s *server) standing() (unwell bool, wait time.Duration) {
	if s.rests == nil {
		return false, 0
	}
	return s.rests()
}

// find asks the server, unless it was asked a moment ago, and waits for the answer as long
// as ctx lasts: a server that is slow is not asked anew by each who wants to know.
func (s *server) find(ctx context.Context) {
	s.mu.Lock()
	done := s.asking
	if done == nil && time.Since(s.asked) >= s.every {
		done = make(chan struct{})
		s.asking, s.asked = done, time.Now()
		go func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTime)
			defer cancel()
			err := s.ask(ctx)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.note(err)
			s.asking = nil
			close(done)
		}()
	}
	s.mu.Unlock()
	if done == nil {
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
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
