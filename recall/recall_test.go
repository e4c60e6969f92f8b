package recall_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/recall"
)

func TestMain(m *testing.M) { memdtest.Main(m) }

const tenant = "acme"

// embedder gives the same vector for everything, or what its test wants.
type embedder struct {
	calls       atomic.Int32
	query       func(ctx context.Context) error
	calibration embed.Calibration
}

func (e *embedder) EmbedQuery(ctx context.Context, _ string) ([]float32, error) {
	e.calls.Add(1)
	if e.query != nil {
		if err := e.query(ctx); err != nil {
			return nil, err
		}
	}
	return []float32{1, 0}, nil
}

func (e *embedder) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	all := make([][]float32, len(texts))
	for i := range texts {
		v, err := e.EmbedQuery(ctx, "")
		if err != nil {
			return nil, err
		}
		all[i] = v
	}
	return all, nil
}

func (e *embedder) Model() embed.Model {
	return embed.Model{Name: "one", Dimensions: 2, Calibration: e.calibration}
}

func newStore(t *testing.T) (*longterm.Store, *postgres.Pool) {
	t.Helper()
	_, app := memdtest.Prepared(t, "recall", postgres.Migrate)
	pool, err := postgres.Open(t.Context(), app, postgres.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	store := longterm.New(pool, longterm.Config{})
	vs := []longterm.Verbatim{
		{Scope: memd.Scope{UserID: "alice"}, Text: "Biscuit is a dog", Role: "user", Vector: []float32{1, 0}, Model: "one"},
		{Scope: memd.Scope{UserID: "alice"}, Text: "It rains in Lisbon", Role: "user", Vector: []float32{0, 1}, Model: "one"},
	}
	if _, err := store.AddVerbatim(t.Context(), tenant, vs); err != nil {
		t.Fatal(err)
	}
	return store, pool
}

func ask(text string) longterm.Query {
	return longterm.Query{Scope: memd.Scope{UserID: "alice"}, Text: text}
}

var away = &memd.Error{Kind: memd.Unavailable, Msg: "away"}

func TestSearchWithAVector(t *testing.T) {
	store, _ := newStore(t)
	r := recall.New(store, &embedder{}, recall.Config{})
	hits, degraded, err := r.Search(t.Context(), tenant, ask("the puppy"))
	if err != nil || len(hits) != 2 || hits[0].Memory.Memory != "Biscuit is a dog" || degraded == nil || len(degraded) != 0 {
		t.Fatalf("%v, %v, %v", hits, degraded, err)
	}
}

func TestLexicalModeNeverEmbeds(t *testing.T) {
	store, _ := newStore(t)
	e := &embedder{}
	r := recall.New(store, e, recall.Config{})
	q := ask("Lisbon")
	q.Mode = longterm.ModeLexical
	hits, degraded, err := r.Search(t.Context(), tenant, q)
	if err != nil || len(hits) != 1 || len(degraded) != 0 || e.calls.Load() != 0 {
		t.Fatalf("%v, %v, %v, %d calls", hits, degraded, err, e.calls.Load())
	}
}

func TestBlankQueryIsRefused(t *testing.T) {
	store, _ := newStore(t)
	e := &embedder{}
	_, _, err := recall.New(store, e, recall.Config{}).Search(t.Context(), tenant, ask(" \n"))
	if memd.KindOf(err) != memd.Invalid || e.calls.Load() != 0 {
		t.Fatalf("%v, %d calls", err, e.calls.Load())
	}
}

func TestAwayEmbedderIsLeftAlone(t *testing.T) {
	store, _ := newStore(t)
	e := &embedder{query: func(context.Context) error { return away }}
	r := recall.New(store, e, recall.Config{Failures: 2, Rest: time.Hour})
	for range 5 {
		hits, degraded, err := r.Search(t.Context(), tenant, ask("Lisbon"))
		if err != nil || len(hits) != 1 || len(degraded) != 1 || degraded[0] != "embedding" {
			t.Fatalf("%v, %v, %v", hits, degraded, err)
		}
	}
	if n := e.calls.Load(); n != 2 {
		t.Fatalf("the embedder was asked %d times", n)
	}
	if r.Available() {
		t.Fatal("it still counts as available")
	}
	if vectors, _, degraded, err := r.Embed(t.Context(), []string{"x"}); vectors != nil || len(degraded) != 1 || err != nil || e.calls.Load() != 2 {
		t.Fatalf("%v, %v, %v", vectors, degraded, err)
	}
}

func TestEmbedderComesBack(t *testing.T) {
	store, _ := newStore(t)
	var failing atomic.Bool
	failing.Store(true)
	e := &embedder{query: func(context.Context) error {
		if failing.Load() {
			return away
		}
		return nil
	}}
	r := recall.New(store, e, recall.Config{Failures: 1, Rest: time.Millisecond})
	if _, degraded, err := r.Search(t.Context(), tenant, ask("Lisbon")); err != nil || len(degraded) != 1 {
		t.Fatalf("%v, %v", degraded, err)
	}
	failing.Store(false)
	for {
		_, degraded, err := r.Search(t.Context(), tenant, ask("Lisbon"))
		if err != nil {
			t.Fatal(err)
		}
		if len(degraded) == 0 {
			return
		}
	}
}

func TestSlowEmbedderIsNotWaitedFor(t *testing.T) {
	store, _ := newStore(t)
	e := &embedder{query: func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}}
	r := recall.New(store, e, recall.Config{EmbedTimeout: time.Millisecond, Failures: 1, Rest: time.Hour})
	for range 3 {
		hits, degraded, err := r.Search(t.Context(), tenant, ask("Lisbon"))
		if err != nil || len(hits) != 1 || len(degraded) != 1 {
			t.Fatalf("%v, %v, %v", hits, degraded, err)
		}
	}
	if n := e.calls.Load(); n != 1 {
		t.Fatalf("the embedder was asked %d times", n)
	}
}

func TestTextThatCannotBeEmbeddedBlamesNobody(t *testing.T) {
	store, _ := newStore(t)
	e := &embedder{query: func(context.Context) error { return memd.InvalidField("texts[0]", "must not be blank") }}
	r := recall.New(store, e, recall.Config{Failures: 1, Rest: time.Hour})
	for range 3 {
		if _, degraded, err := r.Search(t.Context(), tenant, ask("Lisbon")); err != nil || len(degraded) != 1 {
			t.Fatalf("%v, %v", degraded, err)
		}
	}
	if n := e.calls.Load(); n != 3 {
		t.Fatalf("the embedder was asked %d times", n)
	}
}

func TestCallerWhoLeavesBlamesNobody(t *testing.T) {
	store, _ := newStore(t)
	ctx, leave := context.WithCancel(t.Context())
	e := &embedder{query: func(inner context.Context) error {
		leave()
		<-inner.Done()
		return inner.Err()
	}}
	r := recall.New(store, e, recall.Config{Failures: 1, Rest: time.Hour})
	if _, _, err := r.Search(ctx, tenant, ask("Lisbon")); memd.KindOf(err) != memd.Unavailable {
		t.Fatal(err)
	}
	if !r.Available() {
		t.Fatal("the embedder was blamed")
	}
}

func TestManyTextsBlameNobody(t *testing.T) {
	store, _ := newStore(t)
	e := &embedder{query: func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}}
	r := recall.New(store, e, recall.Config{StoreTimeout: time.Millisecond, Failures: 1, Rest: time.Hour})
	vectors, _, degraded, err := r.Embed(t.Context(), []string{"a", "b"})
	if err != nil || vectors != nil || len(degraded) != 1 || !r.Available() {
		t.Fatalf("%v, %v, %v", vectors, degraded, err)
	}
}

func TestPostgresAwayIsAnError(t *testing.T) {
	store, pool := newStore(t)
	pool.Close()
	hits, _, err := recall.New(store, &embedder{}, recall.Config{}).Search(t.Context(), tenant, ask("Lisbon"))
	if hits != nil || err == nil {
		t.Fatalf("%v, %v", hits, err)
	}
	_, _, err = recall.New(store, &embedder{query: func(context.Context) error { return errors.New("broken") }}, recall.Config{}).Search(t.Context(), tenant, ask("Lisbon"))
	if err == nil {
		t.Fatal("no error without a vector either")
	}
}

func TestCalibrationStays(t *testing.T) {
	store, _ := newStore(t)
	similar := func(c embed.Calibration) float64 {
		t.Helper()
		q := ask("the puppy")
		q.Mode = longterm.ModeVector
		q.Explain = true
		hits, _, err := recall.New(store, &embedder{calibration: c}, recall.Config{}).Search(t.Context(), tenant, q)
		if err != nil {
			t.Fatal(err)
		}
		return hits[1].Explain["relevance"]
	}
	first := similar(embed.Calibration{Unrelated: 0.1, Related: 0.7})
	if want := (embed.Calibration{Unrelated: 0.1, Related: 0.7}).Relevance(0); first != want {
		t.Fatalf("relevance %v, want %v", first, want)
	}
	// A later process that measured something else goes on with what is stored.
	if again := similar(embed.Calibration{Unrelated: -0.5, Related: 0.1}); again != first {
		t.Fatalf("relevance %v became %v", first, again)
	}
}
