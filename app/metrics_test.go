package app

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/shortterm"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// A Postgres that is known to be away is not asked for what is open: whoever reads the
// metrics would wait for it.
func TestTheBacklogIsNotAskedForOfAPostgresThatIsAway(t *testing.T) {
	r := prometheus.NewRegistry()
	r.MustRegister(newBacklog(nil, func() bool { return true })) // without a pool that could be asked
	got, err := r.Gather()
	if len(got) > 0 || err == nil || !strings.Contains(err.Error(), errAway.Error()) {
		t.Errorf("%v, %v", got, err)
	}
}

// The metrics tell of all tenants what is open, in which state and for how long, and what was
// given up.
func TestTheBacklogIsTold(t *testing.T) {
	_, appURL := memdtest.Prepared(t, "schema", postgres.Migrate)
	pool, err := postgres.Open(t.Context(), appURL, postgres.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	b, err := bus.Open(memdtest.NATS(t), bus.Config{Stream: fmt.Sprintf("TEST%d", rand.Uint64()), Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	registry := prometheus.NewRegistry()
	registry.MustRegister(newBacklog(pool, func() bool { return false }))
	told := func() (counts, ages map[string]float64) {
		t.Helper()
		counts, ages = map[string]float64{}, map[string]float64{}
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				name := f.GetName()
				for _, l := range m.GetLabel() {
					name += "/" + l.GetValue()
				}
				if strings.HasSuffix(f.GetName(), "_seconds") {
					ages[name] = m.GetGauge().GetValue()
				} else {
					counts[name] = m.GetGauge().GetValue()
				}
			}
		}
		return counts, ages
	}
	want := map[string]float64{"memd_ingest_open_messages/pending": 0, "memd_ingest_open_messages/running": 0, "memd_ingest_open_messages/failed": 0, "memd_ingest_dead_letters": 0}
	if counts, _ := told(); !maps.Equal(counts, want) {
		t.Errorf("of nothing %v", counts)
	}

	log := shortterm.New(pool, b, shortterm.Config{})
	say := func(tenant, session string, n int) shortterm.Appended {
		t.Helper()
		a := shortterm.Append{UserID: "alice", SessionID: session, Infer: true, Learn: []memd.Role{memd.RoleUser}}
		for range n {
			m, err := memd.ParseMessage([]byte(`{"role":"user","content":"I like tea"}`))
			if err != nil {
				t.Fatal(err)
			}
			a.Messages = append(a.Messages, m)
		}
		done, err := log.Append(t.Context(), tenant, a)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	claim := func(tenant string, a shortterm.Appended) *shortterm.Claim {
		t.Helper()
		c, err := log.Claim(t.Context(), tenant, a.SessionNo, len(a.Messages), 0)
		if err != nil || c == nil || len(c.Messages) != len(a.Messages) {
			t.Fatal(c, err)
		}
		return c
	}
	say("one", "pending", 3)
	say("two", "pending", 2)
	claim("two", say("two", "running", 2))
	failing := claim("one", say("one", "failed", 1)).Messages[0]
	if err := log.Fail(t.Context(), "one", []shortterm.Failure{{MessageID: failing.ID, Attempt: failing.Attempt, Error: "embedder: internal", After: time.Hour}}); err != nil {
		t.Fatal(err)
	}
	dying := claim("one", say("one", "dead", 1)).Messages[0]
	err = pool.InTenant(t.Context(), "one", func(tx pgx.Tx) error {
		return log.Settle(t.Context(), tx, "one", []shortterm.Outcome{{MessageID: dying.ID, Attempt: dying.Attempt, State: shortterm.StateDead, Error: "extract: panic"}})
	})
	if err != nil {
		t.Fatal(err)
	}

	want = map[string]float64{"memd_ingest_open_messages/pending": 5, "memd_ingest_open_messages/running": 2, "memd_ingest_open_messages/failed": 1, "memd_ingest_dead_letters": 1}
	counts, ages := told()
	if !maps.Equal(counts, want) {
		t.Errorf("%v, want %v", counts, want)
	}
	for _, name := range []string{"memd_ingest_oldest_open_seconds/pending", "memd_ingest_oldest_open_seconds/running", "memd_ingest_oldest_open_seconds/failed", "memd_ingest_oldest_dead_letter_seconds"} {
		before := ages[name]
		memdtest.Until(t, name+" grows", func() bool { _, ages = told(); return ages[name] > before })
	}
}
