// Package recall asks the long tier: it makes the vector of a question and
// searches with it, or without it while the embedder is away.
package recall

import (
	"context"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/longterm"
	"github.com/rs/zerolog"
)

// Config tunes a Recall; the zero value is usable.
type Config struct {
	// EmbedTimeout is how long a question waits for its vector; default 2 s.
	EmbedTimeout time.Duration
	Log          zerolog.Logger
}

// Recall searches the long tier. It is safe for concurrent use.
type Recall struct {
	store    *longterm.Store
	embedder embed.Embedder
	cfg      Config
}

// New makes a Recall.
func New(store *longterm.Store, embedder embed.Embedder, cfg Config) *Recall {
	return &Recall{store: store, embedder: embedder, cfg: cfg}
}

// Search embeds q.Text, unless q.Mode is lexical, and searches. Without a vector
// it searches by words, and degraded is ["embedding"].
func (r *Recall) Search(ctx context.Context, tenant string, q longterm.Query) (hits []longterm.Hit, degraded []string, err error) {
	return nil, nil, &memd.Error{Kind: memd.Internal, Msg: "not there yet"}
}

// Embed makes vectors of texts that are to be stored; vectors is nil and degraded
// ["embedding"] while the embedder is away.
func (r *Recall) Embed(ctx context.Context, texts []string) (vectors [][]float32, model string, degraded []string, err error) {
	return nil, "", nil, &memd.Error{Kind: memd.Internal, Msg: "not there yet"}
}
