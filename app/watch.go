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

// server is a model server seen from outside: its last calls, and whether it answers
// at all when nobody has called it for a while.
type server struct {
	models string // an address that costs nothing to ask
	key    string
	client *http.Client

	mu      sync.Mutex
	failing bool // the last call failed for the server's reasons
	asked   time.Time
}

// freshness is for how long what was last seen of a server stands.
const freshness = 3 * time.Second

func newServer(baseURL, key string) *server {
	return &server{models: strings.TrimRight(baseURL, "/") + "/models", key: key,
		client: &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}}
}

// saw records how a call ended.
func (s *server) saw(err error) {
	kind := memd.KindOf(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = time.Now()
	s.failing = err != nil && (kind == memd.Unavailable || kind == memd.RateLimited || kind == memd.Internal)
}

// away says whether the server fails or does not answer. A server that fails its
// calls is away until a call succeeds; one that nobody called is asked.
func (s *server) away(ctx context.Context) bool {
	s.mu.Lock()
	failing, fresh := s.failing, time.Since(s.asked) < freshness
	s.mu.Unlock()
	if fresh {
		return failing
	}
	answers := s.answers(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.failing = time.Now(), !answers
	return s.failing
}

func (s *server) answers(ctx context.Context) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.models, nil)
	if err != nil {
		return false
	}
	if s.key != "" {
		r.Header.Set("Authorization", "Bearer "+s.key)
	}
	resp, err := s.client.Do(r)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode < 500
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
