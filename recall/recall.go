// Package recall asks the long tier: it makes the vector of a question and searches
// with it, or by words alone while the embedder is away.
//
// Invariants: no connection is held while a vector is made; the embedder being slow or
// away costs a question at most its time-out, and soon nothing; Postgres being away is
// an error and never an empty answer.
package recall

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/longterm"
	"github.com/rs/zerolog"
	"github.com/sony/gobreaker/v2"
)

// Degraded names what an answer had to do without.
const Degraded = "embedding"

// Config tunes a Recall; the zero value is usable.
type Config struct {
	// EmbedTimeout is how long a question waits for its vector; default 2 s.
	EmbedTimeout time.Duration
	// StoreTimeout is how long texts that are to be stored wait for theirs; default 10 s.
	StoreTimeout time.Duration
	// Failures is after how many failures in a row the embedder is left alone; default 2.
	Failures uint32
	// Rest is for how long; then one question tries it. Default 5 s.
	Rest time.Duration
	Log  zerolog.Logger
}

func (c Config) withDefaults() Config {
	for _, d := range []struct {
		field    *time.Duration
		fallback time.Duration
	}{{&c.EmbedTimeout, 2 * time.Second}, {&c.StoreTimeout, 10 * time.Second}, {&c.Rest, 5 * time.Second}} {
		if *d.field <= 0 {
			*d.field = d.fallback
		}
	}
	if c.Failures == 0 {
		c.Failures = 2
	}
	return c
}

// calibrations is how many tenants' calibrations are held in memory.
const calibrations = 10_000

// Recall searches the long tier. It is safe for concurrent use.
type Recall struct {
	store    *longterm.Store
	embedder embed.Embedder
	cfg      Config
	breaker  *gobreaker.CircuitBreaker[[][]float32]
	known    *lru.Cache[[2]string, embed.Calibration] // by tenant and model
}

// New makes a Recall.
func New(store *longterm.Store, embedder embed.Embedder, cfg Config) *Recall {
	cfg = cfg.withDefaults()
	known, err := lru.New[[2]string, embed.Calibration](calibrations)
	if err != nil {
		panic(err) // only a size that is not positive is an error
	}
	return &Recall{store: store, embedder: embedder, cfg: cfg, known: known,
		breaker: gobreaker.NewCircuitBreaker[[][]float32](gobreaker.Settings{
			Name:        "embedder",
			Timeout:     cfg.Rest,
			ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= cfg.Failures },
			// A text that cannot be embedded says nothing about the embedder, nor does a
			// caller who left.
			IsExcluded: func(err error) bool {
				return err != nil && (errors.Is(err, errLeft) || memd.KindOf(err) == memd.Invalid)
			},
			OnStateChange: func(_ string, from, to gobreaker.State) {
				cfg.Log.Warn().Stringer("from", from).Stringer("to", to).Msg("embedder for questions")
			},
		})}
}

// Available says whether the embedder is being asked, as far as is known.
func (r *Recall) Available() bool { return r.breaker.State() != gobreaker.StateOpen }

// Search embeds q.Text, unless q.Mode is lexical, and searches. Without a vector it
// searches by words, and degraded is ["embedding"]; so it is where q.Mode is vector and
// something is left out that has no vector yet; otherwise it is empty, never nil.
func (r *Recall) Search(ctx context.Context, tenant string, q longterm.Query) (hits []longterm.Hit, degraded []string, err error) {
	degraded = []string{}
	if q.Mode != longterm.ModeLexical && strings.TrimSpace(q.Text) != "" {
		vector, model, err := r.embedQuestion(ctx, q.Text)
		if err != nil {
			return nil, nil, err
		}
		if vector == nil {
			degraded = append(degraded, Degraded)
		} else {
			calibration, err := r.calibration(ctx, tenant, model)
			if err != nil {
				return nil, nil, err
			}
			q.Vector, q.Model, q.Relevance = vector, model.Name, calibration.Relevance
		}
	}
	hits, err = r.store.Search(ctx, tenant, q)
	if err != nil {
		return nil, nil, err
	}
	if q.Mode == longterm.ModeVector {
		// What has no vector was not compared, and would stand there as if it had been.
		found := len(hits)
		if hits = slices.DeleteFunc(hits, func(h longterm.Hit) bool { return h.Unembedded }); len(hits) < found {
			degraded = append(degraded, Degraded)
		}
	}
	return hits, degraded, nil
}

// Embed makes vectors of texts that are to be stored; see longterm.EmbedText. While the
// embedder is away vectors is nil and degraded is ["embedding"]: they are made later.
func (r *Recall) Embed(ctx context.Context, texts []string) (vectors [][]float32, model string, degraded []string, err error) {
	if len(texts) == 0 {
		return nil, "", []string{}, nil
	}
	vectors, err = r.ask(ctx, r.cfg.StoreTimeout, func(ctx context.Context) ([][]float32, error) {
		vectors, err := r.embedder.EmbedPassages(ctx, texts)
		if ctx.Err() != nil {
			// Many texts take their time; that is no sign of an embedder that is away.
			return nil, errLeft
		}
		return vectors, err
	})
	if err != nil {
		return nil, "", nil, err
	}
	if vectors == nil {
		return nil, "", []string{Degraded}, nil
	}
	return vectors, r.embedder.Model().Name, []string{}, nil
}

// embedQuestion gives the vector of a question, nil while the embedder is away.
func (r *Recall) embedQuestion(ctx context.Context, text string) ([]float32, embed.Model, error) {
	vectors, err := r.ask(ctx, r.cfg.EmbedTimeout, func(ctx context.Context) ([][]float32, error) {
		vector, err := r.embedder.EmbedQuery(ctx, text)
		return [][]float32{vector}, err
	})
	if err != nil || vectors == nil {
		return nil, embed.Model{}, err
	}
	return vectors[0], r.embedder.Model(), nil
}

// errLeft marks calls that ended for a reason that is not the embedder's.
var errLeft = errors.New("the call ended early")

// ask calls the embedder within a time-out, unless it is being left alone. It gives nil
// where there are no vectors to be had; the error is only that the caller is gone.
func (r *Recall) ask(ctx context.Context, timeout time.Duration, call func(context.Context) ([][]float32, error)) ([][]float32, error) {
	vectors, err := r.breaker.Execute(func() ([][]float32, error) {
		limited, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		vectors, err := call(limited)
		if err != nil && ctx.Err() != nil {
			return nil, errLeft
		}
		return vectors, err
	})
	if err == nil {
		return vectors, nil
	}
	if ctx.Err() != nil {
		return nil, &memd.Error{Kind: memd.Unavailable, Op: "recall.embed", Msg: "the request ended", Err: ctx.Err()}
	}
	return nil, nil
}

// calibration gives that of the embedder's model as the tenant has it: the one with
// which its first search was made, so that scores go on meaning the same.
func (r *Recall) calibration(ctx context.Context, tenant string, model embed.Model) (embed.Calibration, error) {
	key := [2]string{tenant, model.Name}
	if c, ok := r.known.Get(key); ok {
		return c, nil
	}
	stored, err := r.store.Calibration(ctx, tenant, model.Name)
	if err != nil {
		return embed.Calibration{}, err
	}
	if stored == nil {
		own, err := json.Marshal(model.Calibration)
		if err != nil {
			return embed.Calibration{}, &memd.Error{Kind: memd.Internal, Op: "recall.calibration", Err: err}
		}
		if stored, err = r.store.PutCalibration(ctx, tenant, model.Name, model.Dimensions, own); err != nil {
			return embed.Calibration{}, err
		}
	}
	var c embed.Calibration
	if err := json.Unmarshal(stored, &c); err != nil {
		return embed.Calibration{}, &memd.Error{Kind: memd.Internal, Op: "recall.calibration", Err: err}
	}
	r.known.Add(key, c)
	return c, nil
}
