package worker_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/shortterm"
)

func TestLargeScopesAreMadeReady(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	h.store = longterm.New(h.pool, longterm.Config{LargeScope: 300})
	embedder := hashed{}
	var vs []longterm.Verbatim
	for i := range 1000 {
		text := fmt.Sprintf("fact %d", i)
		vector, err := embedder.EmbedQuery(h.within(), text)
		if err != nil {
			t.Fatal(err)
		}
		vs = append(vs, longterm.Verbatim{Scope: memd.Scope{UserID: user}, Text: text, Role: "user", Vector: vector, Model: embedder.Model().Name})
	}
	if _, err := h.store.AddVerbatim(h.within(), tenant, vs); err != nil {
		t.Fatal(err)
	}
	state := func() (begun, ready bool) {
		err := h.pool.InTenant(h.within(), tenant, func(tx pgx.Tx) error {
			return tx.QueryRow(h.within(), `SELECT neighbour_model IS NOT NULL, neighbours_ready FROM memory_scope`).Scan(&begun, &ready)
		})
		if err != nil {
			t.Fatal(err)
		}
		return begun, ready
	}
	cfg := quick()
	cfg.UpkeepEvery = 10 * time.Millisecond
	w := h.worker(plain{}, embedder, cfg)
	h.await("the work begins", func() bool { begun, _ := state(); return begun })
	// A stop in the middle, if it is not over already, loses nothing.
	if err := w.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.await("the scope is ready", func() bool { _, ready := state(); return ready })
}
