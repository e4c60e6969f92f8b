package longterm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

const largeScope = 300

// largeBench is a store whose scopes are soon large.
func largeBench(t testing.TB, cfg postgres.Config) *bench {
	b := newStoreWith(t, cfg)
	b.Store = New(b.pool, Config{LargeScope: largeScope})
	return b
}

// cloud makes vectors that lie in clusters, as those of texts do, in a few directions of
// the whole width.
type cloud struct {
	r       *rand.Rand
	centres [][]float32
	filled  int
}

func newCloud(seed uint64, clusters int) *cloud {
	c := &cloud{r: rand.New(rand.NewPCG(seed, 1))}
	for range clusters {
		c.centres = append(c.centres, c.direction())
	}
	return c
}

func (c *cloud) direction() []float32 {
	v := make([]float32, dimensions)
	for i := range v {
		v[i] = float32(c.r.NormFloat64())
	}
	return unit(v)
}

func (c *cloud) vector() []float32 {
	centre, off := c.centres[c.r.IntN(len(c.centres))], c.direction()
	v := make([]float32, dimensions)
	for i := range v {
		v[i] = centre[i] + .6*off[i]
	}
	return unit(v)
}

func unit(v []float32) []float32 {
	var norm float64
	for _, x := range v {
		norm += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(norm))
	}
	return v
}

// fill stores n memories of a user; each has its number i among all of c as metadata.
func (c *cloud) fill(b *bench, tenant, who string, n int) (ids []string) {
	b.Helper()
	for batch := range slices.Chunk(make([]Verbatim, n), 250) {
		for i := range batch {
			no := c.filled
			c.filled++
			batch[i] = Verbatim{Scope: user(who), Text: fmt.Sprintf("memory %d", no), Role: "user", Vector: c.vector(), Model: model,
				Metadata: json.RawMessage(fmt.Sprintf(`{"i":%d}`, no))}
		}
		events, err := b.AddVerbatim(b.ctx(), tenant, batch)
		if err != nil {
			b.Fatal(err)
		}
		for _, e := range events {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// asks is a question that is answered by its vector alone.
func (c *cloud) asks(who string) Query {
	return Query{Scope: user(who), Text: "?", Vector: c.vector(), Model: model, Mode: ModeVector}
}

// tend works until there is nothing left to do.
func (b *bench) tend(model string) (pieces int) {
	b.Helper()
	for {
		worked, err := b.TendNeighbours(b.ctx(), model, dimensions)
		if err != nil {
			b.Fatal(err)
		}
		if !worked {
			return pieces
		}
		pieces++
	}
}

func (b *bench) ready(who string) bool {
	b.Helper()
	return query[bool](b, `SELECT coalesce(bool_or(neighbours_ready), false) FROM memory_scope WHERE user_id = $1`, who)
}

// checkNeighbours holds the neighbours of a user to the live vectors.
func (b *bench) checkNeighbours(who string) {
	b.Helper()
	wrong := query[string](b, `
		WITH s AS (SELECT id, neighbour_model FROM memory_scope WHERE user_id = $1 AND neighbours_ready),
		     kept AS (SELECT memory_id, embedding::text FROM memory_neighbour n JOIN s ON s.id = n.scope_id),
		     live AS (SELECT memory_id, embedding::text FROM memory_embedding e JOIN s ON s.id = e.scope_id AND e.model = s.neighbour_model AND e.live)
		SELECT coalesce(string_agg(x::text, E'\n'), '') FROM (
		  (SELECT 'is not kept', memory_id FROM (SELECT * FROM live EXCEPT SELECT * FROM kept) a) UNION ALL
		  (SELECT 'is kept for nothing', memory_id FROM (SELECT * FROM kept EXCEPT SELECT * FROM live) b) UNION ALL
		  SELECT 'no neighbours', NULL WHERE NOT EXISTS (SELECT FROM s)) x`, who)
	if wrong != "" {
		b.Fatal(wrong)
	}
}

// answered says how each of the scopes is searched: by its graph, or all of it.
func (b *bench) answered(q Query) (byGraph, exact bool) {
	b.Helper()
	f := b.finding(q)
	if err := f.propose(b.ctx()); err != nil {
		b.Fatal(err)
	}
	return len(f.large) > 0, f.exact
}

func (b *bench) finding(q Query) *finding {
	b.Helper()
	sel, err := newSelection(tenant, q.Scope, q.Filters, q.AllScopes)
	if err != nil {
		b.Fatal(err)
	}
	sel.asOf, sel.includeSuperseded = q.AsOf, q.IncludeSuperseded
	if q.Limit == 0 {
		q.Limit = defaultHits
	}
	return b.newFinding(sel, q)
}

// exactly gives the ids of the nearest memories by looking at all.
func (b *bench) exactly(q Query, n int) []string {
	b.Helper()
	f := b.finding(q)
	f.exact, f.query.Limit = true, n
	if err := f.propose(b.ctx()); err != nil {
		b.Fatal(err)
	}
	var ids []string
	for _, m := range f.near[:n] {
		ids = append(ids, uuid.UUID(m.id).String())
	}
	return ids
}

func TestALargeScopeIsSearchedByItsGraph(t *testing.T) {
	// One connection: its plans are made while there is nothing, and used for ever.
	b := largeBench(t, postgres.Config{MaxConns: 1})
	c := newCloud(1, 40)
	b.search(c.asks("alice"))
	c.fill(b, tenant, "bob", 20)
	c.fill(b, tenant, "alice", largeScope-1)
	if n := b.tend(model); n != 0 {
		t.Fatalf("%d pieces of work for scopes that are not large", n)
	}
	c.fill(b, tenant, "alice", 1)
	byGraph, _ := b.answered(c.asks("alice"))
	if byGraph {
		t.Fatal("a graph is asked before there is one")
	}
	if worked, err := b.TendNeighbours(t.Context(), model, dimensions); err != nil || !worked {
		t.Fatal(worked, err)
	}
	// Half-way, with writes going on.
	c.fill(b, tenant, "alice", 200)
	if byGraph, _ := b.answered(c.asks("alice")); byGraph {
		t.Fatal("a graph is asked before it is complete")
	}
	if n := b.tend(model); n != 1 {
		t.Fatalf("%d pieces of work were left", n)
	}
	c.fill(b, tenant, "alice", graphSize-largeScope-200)
	b.checkNeighbours("alice")
	if n := b.tend(model); n != 0 {
		t.Fatal("there is more to do when all is done")
	}
	found, all := 0, 0
	for i := range 60 {
		q := c.asks("alice")
		if byGraph, exact := b.answered(q); !byGraph || exact {
			t.Fatalf("by graph: %v, exact: %v", byGraph, exact)
		}
		want := b.exactly(q, 10)
		hits := b.search(q)
		if len(hits) != 10 {
			t.Fatalf("%d hits", len(hits))
		}
		for _, h := range hits {
			if slices.Contains(want, h.ID) {
				found++
			}
		}
		all += len(want)
		if i%20 != 0 {
			continue
		}
		if hits := b.search(c.asks("bob")); len(hits) != 10 {
			t.Fatalf("%d hits of bob's", len(hits))
		}
		if byGraph, _ := b.answered(c.asks("bob")); byGraph {
			t.Fatal("a graph is asked about an ordinary scope")
		}
	}
	t.Logf("recall@10 %.4f", float64(found)/float64(all))
	if float64(found) < .98*float64(all) {
		t.Errorf("%d of the %d nearest are found", found, all)
	}
	// As many as there are, however many are wanted.
	q := c.asks("alice")
	q.Limit = MaxLimit
	if hits := b.search(q); len(hits) != MaxLimit {
		t.Errorf("%d hits of %d", len(hits), MaxLimit)
	}
}

func TestALargeScopeGivesAllThatQualify(t *testing.T) {
	b := largeBench(t, postgres.Config{MaxConns: 1})
	c := newCloud(2, 20)
	ids := c.fill(b, tenant, "alice", 1200)
	b.tend(model)
	for i := range 60 {
		q := c.asks("alice")
		q.Filters = filter(t, `{"i":{"lt":12}}`)
		hits := b.search(q)
		if len(hits) != 10 {
			t.Fatalf("search %d: %d hits of 12", i+1, len(hits))
		}
		q.Limit = 20
		if hits = b.search(q); len(hits) != 12 {
			t.Fatalf("search %d: %d hits, want all 12", i+1, len(hits))
		}
		for _, h := range hits {
			if !slices.Contains(ids[:12], h.ID) {
				t.Fatalf("%s does not pass the filter", h.Memory.Memory)
			}
		}
		if i%20 != 0 {
			continue
		}
		if byGraph, exact := b.answered(q); byGraph || !exact {
			t.Fatalf("12 of 1200: by graph %v, exact %v", byGraph, exact)
		}
		// A filter that many pass needs no more than the graph.
		q.Filters = filter(t, `{"i":{"gte":600}}`)
		q.Limit = 10
		if byGraph, exact := b.answered(q); !byGraph || exact {
			t.Fatalf("600 of 1200: by graph %v, exact %v", byGraph, exact)
		}
		want, hits := b.exactly(q, 10), b.search(q)
		right := 0
		for _, h := range hits {
			if slices.Contains(want, h.ID) {
				right++
			}
		}
		if right < 9 || len(hits) != 10 {
			t.Fatalf("search %d: %d of the 10 nearest among %d hits", i+1, right, len(hits))
		}
	}
	// What held earlier, or no longer does, is not among the neighbours.
	q := c.asks("alice")
	q.IncludeSuperseded = true
	if byGraph, _ := b.answered(q); byGraph {
		t.Error("the graph is asked for what is superseded")
	}
}

func TestWritesToALargeScopeShowAtOnce(t *testing.T) {
	b := largeBench(t, postgres.Config{})
	c := newCloud(3, 10)
	ids := c.fill(b, tenant, "alice", 400)
	b.tend(model)
	q := c.asks("alice")
	first := func() string {
		if byGraph, exact := b.answered(q); !byGraph || exact {
			t.Fatalf("by graph %v, exact %v", byGraph, exact)
		}
		hits := b.search(q)
		if len(hits) != 10 {
			t.Fatalf("%d hits", len(hits))
		}
		return hits[0].ID
	}
	events, err := b.AddVerbatim(t.Context(), tenant, []Verbatim{{Scope: user("alice"), Text: "new", Role: "user", Vector: q.Vector, Model: model}})
	if err != nil {
		t.Fatal(err)
	}
	if got := first(); got != events[0].ID {
		t.Fatalf("%s is first, not what was added", got)
	}
	if err := b.Delete(t.Context(), tenant, events[0].ID, memd.Scope{}, "test"); err != nil {
		t.Fatal(err)
	}
	if got := first(); got == events[0].ID {
		t.Fatal("what was deleted is found")
	}
	b.checkNeighbours("alice")
	// A vector that is made late, and one that is made anew.
	if _, err := b.AddVerbatim(t.Context(), tenant, []Verbatim{{Scope: user("alice"), Text: "late", Role: "user"}}); err != nil {
		t.Fatal(err)
	}
	missing, err := b.MissingVectors(t.Context(), 10)
	if err != nil || len(missing) != 1 {
		t.Fatal(missing, err)
	}
	if err := b.PutVectors(t.Context(), tenant, model, missing, [][]float32{q.Vector}); err != nil {
		t.Fatal(err)
	}
	if got := first(); got != missing[0].ID {
		t.Fatalf("%s is first, not what got its vector", got)
	}
	b.exec(`UPDATE memory_embedding SET embedding = e.embedding FROM memory_embedding e WHERE memory_embedding.memory_id = $1 AND e.memory_id = $2`, missing[0].ID, ids[0])
	b.checkNeighbours("alice")
	// A model that is not the one of the neighbours is none of their business.
	b.exec(`INSERT INTO memory_embedding (memory_id, tenant_id, scope_id, model, embedding) SELECT memory_id, tenant_id, scope_id, 'other', '[1,2]' FROM memory_embedding WHERE memory_id = $1`, ids[0])
	b.checkNeighbours("alice")
	// What is superseded is no neighbour; what holds again is.
	b.exec(`UPDATE memory_embedding SET live = false WHERE memory_id = ANY ($1::uuid[])`, ids[:7])
	if n := query[int](b, `SELECT count(*) FROM memory_neighbour WHERE memory_id = ANY ($1::uuid[])`, ids[:7]); n != 0 {
		t.Fatalf("%d superseded neighbours", n)
	}
	b.checkNeighbours("alice")
	b.exec(`UPDATE memory_embedding SET live = true WHERE memory_id = ANY ($1::uuid[])`, ids[:7])
	b.checkNeighbours("alice")
	first()
}

func TestWhatWasBegunGoesOnWhereItEnded(t *testing.T) {
	b := largeBench(t, postgres.Config{})
	c := newCloud(4, 10)
	c.fill(b, tenant, "alice", 1000)
	scopeID := query[int64](b, `SELECT id FROM memory_scope`)
	// killed does a piece of work in a process that is killed before it commits.
	killed := func() {
		t.Helper()
		ctx, kill := context.WithCancel(t.Context())
		err := b.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
			if worked, err := b.Store.tend(ctx, tx, tenant, scopeID, model, dimensions); err != nil || !worked {
				t.Fatal(worked, err)
			}
			kill()
			return nil
		})
		if !errors.Is(err, context.Canceled) && memd.KindOf(err) != memd.Unavailable {
			t.Fatal(err)
		}
		// It is over once the server has noticed.
		b.exec(`SELECT pg_advisory_xact_lock(hashtextextended('memory_neighbour', $1))`, scopeID)
	}
	piece := func() {
		t.Helper()
		if worked, err := b.TendNeighbours(t.Context(), model, dimensions); err != nil || !worked {
			t.Fatal(worked, err)
		}
	}
	killed()
	if n := query[int](b, `SELECT count(*) FROM pg_class WHERE relname LIKE 'memory_neighbour_' || $1 || '%'`, fmt.Sprint(scopeID)); n != 0 {
		t.Fatalf("%d tables and indexes are left", n)
	}
	piece()
	// While the graph was made, others added, changed and deleted.
	b.exec(`DELETE FROM memory_neighbour WHERE memory_id IN (SELECT id FROM memory ORDER BY id LIMIT 100)`)
	b.exec(`UPDATE memory_neighbour SET embedding = (SELECT embedding FROM memory_neighbour LIMIT 1) WHERE memory_id IN (SELECT id FROM memory ORDER BY id DESC LIMIT 30)`)
	b.exec(`INSERT INTO memory_neighbour (scope_id, memory_id, tenant_id, embedding) SELECT scope_id, u.id, tenant_id, embedding
		FROM (SELECT * FROM memory_neighbour LIMIT 1) n, unnest(ARRAY['00000000-0000-0000-0000-000000000001', 'ffffffff-ffff-ffff-ffff-ffffffffffff', gen_random_uuid()]) AS u (id)`)
	missing := func() int {
		return query[int](b, `SELECT count(*) FROM memory_embedding e WHERE NOT EXISTS (SELECT FROM memory_neighbour n WHERE n.memory_id = e.memory_id)`)
	}
	piece()
	if n := missing(); n != 100-mendedAtOnce {
		t.Fatalf("%d are missing", n)
	}
	killed()
	if n := missing(); n != 100-mendedAtOnce || b.ready("alice") {
		t.Fatalf("%d are missing after the kill", n)
	}
	// Another process goes on.
	b.Store = New(b.pool, Config{LargeScope: largeScope})
	if n := b.tend(model); n < 3 || n > 6 {
		t.Errorf("%d pieces of work were left", n)
	}
	b.checkNeighbours("alice")
}

func TestAScopeThatShrinksIsOrdinaryAgain(t *testing.T) {
	b := largeBench(t, postgres.Config{})
	c := newCloud(5, 10)
	ids := c.fill(b, tenant, "alice", largeScope)
	b.tend(model)
	drop := func(ids []string) {
		for _, id := range ids {
			if err := b.Delete(t.Context(), tenant, id, memd.Scope{}, "test"); err != nil {
				t.Fatal(err)
			}
		}
	}
	drop(ids[:largeScope/2])
	if n := b.tend(model); n != 0 || !b.ready("alice") {
		t.Fatal("closed too early")
	}
	drop(ids[largeScope/2 : largeScope/2+1])
	if n := b.tend(model); n != 1 || b.ready("alice") {
		t.Fatal("not closed")
	}
	if n := query[int](b, `SELECT count(*) FROM pg_inherits WHERE inhparent = 'memory_neighbour'::regclass`); n != 0 {
		t.Errorf("%d partitions are left", n)
	}
	if byGraph, _ := b.answered(c.asks("alice")); byGraph {
		t.Error("a graph is asked that is gone")
	}
	if hits := b.search(c.asks("alice")); len(hits) != 10 {
		t.Errorf("%d hits", len(hits))
	}
	c.fill(b, tenant, "alice", largeScope)
	if b.tend(model); !b.ready("alice") {
		t.Error("not large again")
	}
	b.checkNeighbours("alice")
}

func TestNeighboursAreOfTheModelInForce(t *testing.T) {
	b := largeBench(t, postgres.Config{})
	c := newCloud(6, 10)
	c.fill(b, tenant, "alice", 400)
	b.tend(model)
	q := c.asks("alice")
	q.Model = "next"
	if byGraph, _ := b.answered(q); byGraph {
		t.Fatal("a question of another model is put to the graph")
	}
	b.exec(`INSERT INTO memory_embedding (memory_id, tenant_id, scope_id, model, embedding) SELECT memory_id, tenant_id, scope_id, 'next', embedding FROM memory_embedding`)
	b.tend("next")
	if got := query[string](b, `SELECT neighbour_model FROM memory_scope`); got != "next" {
		t.Fatalf("neighbours are of %q", got)
	}
	b.checkNeighbours("alice")
	if byGraph, _ := b.answered(q); !byGraph {
		t.Error("a question of the model is not put to the graph")
	}
	q.Model = model
	if hits := b.search(q); len(hits) != 10 {
		t.Errorf("%d hits by the former model", len(hits))
	}
	// A model too wide for graphs changes nothing.
	if worked, err := b.TendNeighbours(t.Context(), "wide", mostGraphDimensions+1); worked || err != nil {
		t.Error(worked, err)
	}
}

func TestNeighboursOfTenantsAreApart(t *testing.T) {
	b := largeBench(t, postgres.Config{})
	c := newCloud(7, 10)
	c.fill(b, tenant, "alice", 400)
	c.fill(b, "other", "alice", 350)
	b.tend(model)
	var mine, theirs int64
	count := func(tenant string) (scope int64, n int) {
		err := b.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
			if err := tx.QueryRow(t.Context(), `SELECT id FROM memory_scope`).Scan(&scope); err != nil {
				return err
			}
			return tx.QueryRow(t.Context(), `SELECT count(*) FROM memory_neighbour`).Scan(&n)
		})
		if err != nil {
			t.Fatal(err)
		}
		return scope, n
	}
	for name, want := range map[string]int{tenant: 400, "other": 350} {
		scope, n := count(name)
		if n != want {
			t.Errorf("%s sees %d neighbours, want its %d", name, n, want)
		}
		if name == tenant {
			mine = scope
		} else {
			theirs = scope
		}
	}
	for what, sql := range map[string]string{
		"build":              fmt.Sprintf(`SELECT memd_neighbours_build(%d, '%s', 64, 10)`, mine, model),
		"attach":             fmt.Sprintf(`SELECT memd_neighbours_attach(%d)`, mine),
		"close":              fmt.Sprintf(`SELECT memd_neighbours_close(%d)`, mine),
		"read the partition": fmt.Sprintf(`SELECT count(*) FROM memory_neighbour_%d`, theirs),
		"write for another":  fmt.Sprintf(`INSERT INTO memory_neighbour (scope_id, memory_id, tenant_id, embedding) VALUES (%d, gen_random_uuid(), '%s', '[1]')`, mine, tenant),
		"detach":             fmt.Sprintf(`ALTER TABLE memory_neighbour DETACH PARTITION memory_neighbour_%d`, mine),
	} {
		if err := b.pool.InTenant(t.Context(), "other", func(tx pgx.Tx) error { _, err := tx.Exec(t.Context(), sql); return err }); err == nil {
			t.Errorf("another tenant may %s", what)
		}
	}
	if _, err := b.pool.Exec(t.Context(), fmt.Sprintf(`SELECT memd_neighbours_close(%d)`, mine)); err == nil {
		t.Error("without a tenant neighbours can be closed")
	}
	b.checkNeighbours("alice")
	owner, err := pgx.Connect(t.Context(), b.owner)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = owner.Close(b.ctx()) }()
	var open string
	if err := owner.QueryRow(t.Context(), `
		SELECT coalesce(string_agg(c.relname, ' '), '') FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid
		 WHERE i.inhparent = 'memory_neighbour'::regclass
		   AND NOT (c.relrowsecurity AND c.relforcerowsecurity AND c.relacl IS NULL
		            AND EXISTS (SELECT FROM pg_policies p WHERE p.tablename = c.relname AND p.policyname = 'tenant'))`).Scan(&open); err != nil || open != "" {
		t.Errorf("partitions that are not held apart: %q, %v", open, err)
	}
}

func TestWritersAndTendersAtOnce(t *testing.T) {
	b := largeBench(t, postgres.Config{MaxConns: 12})
	newCloud(8, 10).fill(b, tenant, "alice", largeScope)
	var wg sync.WaitGroup
	writing, stop := context.WithCancel(t.Context())
	for i := range 3 {
		wg.Go(func() {
			c := newCloud(uint64(20+i), 10)
			c.filled = 1_000_000 * (i + 1)
			for j := range 20 {
				ids := c.fill(b, tenant, "alice", 10)
				if j%2 == 0 {
					for _, id := range ids[:3] {
						if err := b.Delete(t.Context(), tenant, id, memd.Scope{}, "test"); err != nil {
							t.Error(err)
						}
					}
				}
				if _, err := b.AddVerbatim(t.Context(), tenant, []Verbatim{{Scope: user("alice"), Text: fmt.Sprint("late ", i, j), Role: "user"}}); err != nil {
					t.Error(err)
				}
				missing, err := b.MissingVectors(t.Context(), 10)
				if err != nil {
					t.Error(err)
				}
				vectors := make([][]float32, len(missing))
				for k := range vectors {
					vectors[k] = c.vector()
				}
				if err := b.PutVectors(t.Context(), tenant, model, missing, vectors); err != nil {
					t.Error(err)
				}
			}
		})
	}
	var tending, searching sync.WaitGroup
	for range 3 {
		tending.Go(func() {
			for writing.Err() == nil {
				if _, err := b.TendNeighbours(t.Context(), model, dimensions); err != nil {
					t.Error(err)
				}
			}
		})
	}
	searching.Go(func() {
		c := newCloud(9, 10)
		for writing.Err() == nil {
			hits, err := b.Search(t.Context(), tenant, c.asks("alice"))
			if err != nil || len(hits) != 10 {
				t.Errorf("%d hits, %v", len(hits), err)
			}
		}
	})
	wg.Wait()
	stop()
	tending.Wait()
	searching.Wait()
	b.tend(model)
	b.checkNeighbours("alice")
	b.checkCounters()
}

// TestOnlyAGraphsOwnScopeIsWalked looks at the plans with two large scopes and an
// ordinary one, before and after statistics, on a connection that was opened early.
func TestOnlyAGraphsOwnScopeIsWalked(t *testing.T) {
	b := largeBench(t, postgres.Config{MaxConns: 2})
	c := newCloud(10, 10)
	owner, err := pgx.Connect(t.Context(), b.owner)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = owner.Close(b.ctx()) }()
	check := func(name string, large bool) {
		for _, raw := range []string{`{}`, `{"i":{"gte":100}}`} {
			q := c.asks("alice")
			q.Filters = filter(t, raw)
			f := b.finding(q)
			scopeID := query[int64](b, `SELECT id FROM memory_scope WHERE user_id = 'alice'`)
			statements := map[string]*statement{"near": f.nearStatement(), "neighbours": f.neighbourStatement(scopeID)}
			for what, st := range statements {
				walked := 0
				err := b.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
					if _, err := tx.Exec(t.Context(), pinPlans); err != nil {
						return err
					}
					if what == "neighbours" {
						if _, err := tx.Exec(t.Context(), widenGraphs, graphBreadth, mostGraphReach); err != nil {
							return err
						}
					}
					b.explain(tx, st).each(func(p plan) {
						label := fmt.Sprintf("%s %s, %s: %s on %s by %s", name, raw, what, p.Type, p.Relation, p.Index)
						if p.Loops == 0 || p.Relation == "" {
							return
						}
						if !strings.HasPrefix(p.Type, "Index") {
							t.Errorf("%s reads a whole table", label)
						}
						if strings.HasPrefix(p.Relation, "memory_neighbour") {
							walked++
							if p.Index != fmt.Sprintf("memory_neighbour_%d_near", scopeID) {
								t.Errorf("%s is not the graph of the scope", label)
							}
							if p.Rows*p.Loops > 300 {
								t.Errorf("%s gave %v rows", label, p.Rows)
							}
						}
						if strings.HasPrefix(p.Relation, "memory_embedding") && large && p.Rows > 0 {
							t.Errorf("%s reads vectors of a large scope", label)
						}
					})
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if want := what == "neighbours" && large; want != (walked == 1) {
					t.Errorf("%s %s, %s: %d graphs are walked", name, raw, what, walked)
				}
			}
		}
	}
	analyse := func() {
		if _, err := owner.Exec(t.Context(), "ANALYZE"); err != nil {
			t.Fatal(err)
		}
	}
	c.fill(b, tenant, "alice", 20)
	c.fill(b, tenant, "carol", 500)
	c.fill(b, "other", "alice", 500)
	check("without graphs", false)
	b.tend(model)
	check("ordinary beside large ones", false)
	analyse()
	check("ordinary, with statistics", false)
	c.fill(b, tenant, "alice", 980)
	b.tend(model)
	check("large", true)
	analyse()
	check("large, with statistics", true)
}
