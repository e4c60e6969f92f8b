package longterm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/memdhq/memd/postgres"
	"github.com/pgvector/pgvector-go"
)

// The nearest vectors of a scope of ordinary size are found by reading all of its
// vectors. Of a large one, a copy of the live vectors stands in memory_neighbour under a
// graph (HNSW) of its own, and only a few of them are looked at. The graph gives what it
// comes across: where that is not enough, all are read after all.
//
// The copy is made a little at a time by TendNeighbours and kept right by a trigger on
// memory_embedding.

const (
	// leastLargeScope is the least Config.LargeScope; the index by which large scopes
	// are found does not hold smaller ones.
	leastLargeScope = 256
	// mostGraphDimensions are the most that a graph can be made of.
	mostGraphDimensions = 4000
	// copiedAtOnce is how many vectors are copied in one transaction, which keeps
	// others from changing the scope for about a tenth of a second.
	copiedAtOnce = 64
	// tendedAtOnce is how many scopes are looked at in search of one that no one else
	// is at work on.
	tendedAtOnce = 16
	// graphBreadth is how many near vectors a search of a graph keeps in view at least.
	// Below twice what is wanted some of the nearest are missed.
	graphBreadth, mostGraphBreadth = 200, 1000
	// graphReach is how many vectors such a search looks at before it gives up finding
	// enough that qualify.
	graphReach = 20_000

	lockNotAvailable = "55P03"
)

// lockScopesByID is lockScopes for scopes $2 of which only the ids are known; see lock.
const lockScopesByID = `
	SELECT pg_advisory_xact_lock(k) FROM (
	  SELECT DISTINCT ('x' || encode(substr(s.key, 1, 8), 'hex'))::bit(64)::bigint AS k
	    FROM unnest($2::bigint[]) AS u (id)
	   CROSS JOIN LATERAL (SELECT key FROM memory_scope WHERE id = u.id AND tenant_id = $1 OFFSET 0) s
	   ORDER BY k) k`

const neighboursDue = `SELECT tenant_id, scope_id FROM memd_neighbours_due($1, $2, $3, $4)`

// neighboursTry takes the work on a scope's neighbours upon itself until the end of the
// transaction, unless someone else has.
const neighboursTry = `
	SELECT key, pg_try_advisory_xact_lock(hashtextextended('memory_neighbour', id)) FROM memory_scope WHERE id = $2 AND tenant_id = $1`

const neighboursState = `
	SELECT memories, coalesce(neighbour_model, ''), coalesce(neighbour_dimensions, 0), neighbours_ready
	  FROM memory_scope WHERE id = $2 AND tenant_id = $1`

const neighboursOpen = `SELECT memd_neighbours_open($1, $2)`

const neighboursOpened = `
	UPDATE memory_scope SET neighbour_model = $3, neighbour_dimensions = $4, neighbours_upto = NULL, neighbours_ready = false
	 WHERE id = $2 AND tenant_id = $1`

const neighboursClose = `SELECT memd_neighbours_close($1)`

const neighboursClosed = `
	UPDATE memory_scope SET neighbour_model = NULL, neighbour_dimensions = NULL, neighbours_upto = NULL, neighbours_ready = false
	 WHERE id = $2 AND tenant_id = $1`

// neighboursCopy copies the next $5 vectors, $3 and $4 being the model and its width. What
// was written meanwhile is there already.
const neighboursCopy = `
	WITH part AS (
	  SELECT e.memory_id, e.live, e.embedding FROM memory_embedding e
	   WHERE e.scope_id = $2 AND e.model = $3 AND e.tenant_id = $1
	     AND e.memory_id > coalesce((SELECT neighbours_upto FROM memory_scope WHERE id = $2 AND tenant_id = $1), '00000000-0000-0000-0000-000000000000')
	   ORDER BY e.memory_id LIMIT $5),
	copied AS (
	  INSERT INTO memory_neighbour (scope_id, memory_id, tenant_id, embedding)
	  SELECT $2, memory_id, $1, embedding FROM part WHERE live AND vector_dims(embedding) = $4
	  ON CONFLICT (scope_id, memory_id) DO NOTHING)
	UPDATE memory_scope
	   SET neighbours_upto = coalesce((SELECT memory_id FROM part ORDER BY memory_id DESC LIMIT 1), neighbours_upto),
	       neighbours_ready = (SELECT count(*) < $5 FROM part)
	 WHERE id = $2 AND tenant_id = $1`

// TendNeighbours does the next piece of work that large scopes need for their nearest
// vectors to be found fast, and says whether it found any. Vectors are those of model,
// and as wide as dims. It is to be called again and again, at once where it found some.
//
// A scope of any tenant that has come to hold Config.LargeScope memories is made ready
// piece by piece; one that has shrunk to less than half of that, or whose vectors were
// made ready for another model, is put back to the ordinary. What was begun goes on
// where it ended, whoever calls; several may call at once.
func (s *Store) TendNeighbours(ctx context.Context, model string, dims int) (worked bool, err error) {
	const op = "longterm.tend_neighbours"
	if model == "" || dims < 1 || dims > mostGraphDimensions {
		return false, nil
	}
	rows, err := s.pool.Query(ctx, neighboursDue, model, dims, s.cfg.LargeScope, tendedAtOnce)
	if err != nil {
		return false, postgres.Err(op, err)
	}
	type due struct {
		Tenant string
		Scope  int64
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[due])
	if err != nil {
		return false, postgres.Err(op, err)
	}
	for _, d := range all {
		err := s.pool.InTenant(ctx, d.Tenant, func(tx pgx.Tx) error {
			worked, err = s.tend(ctx, tx, d.Tenant, d.Scope, model, dims)
			return err
		})
		if e := (*pgconn.PgError)(nil); errors.As(err, &e) && e.Code == lockNotAvailable {
			continue // searches and writes go first
		}
		if err != nil {
			return false, postgres.Err(op, err)
		}
		if worked {
			return true, nil
		}
	}
	return false, nil
}

// tend does the next piece of work on one scope. It holds the lock under which the
// scope's vectors change, so that none changes between being read and being copied.
func (s *Store) tend(ctx context.Context, tx pgx.Tx, tenant string, scopeID int64, model string, dims int) (worked bool, err error) {
	var key []byte
	var mine bool
	b := &pgx.Batch{}
	b.Queue(pinPlans)
	b.Queue(neighboursTry, tenant, scopeID).QueryRow(func(row pgx.Row) error { return row.Scan(&key, &mine) })
	if err := tx.SendBatch(ctx, b).Close(); err != nil || !mine {
		return false, err
	}
	var memories, width int
	var of string
	var ready bool
	b = &pgx.Batch{}
	b.Queue(lockScopes, []int64{lock([sha256.Size]byte(key))})
	b.Queue(neighboursState, tenant, scopeID).QueryRow(func(row pgx.Row) error { return row.Scan(&memories, &of, &width, &ready) })
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return false, err
	}
	b = &pgx.Batch{}
	switch {
	case of != "" && (of != model || width != dims || memories < s.cfg.LargeScope/2):
		b.Queue(neighboursClose, scopeID)
		b.Queue(neighboursClosed, tenant, scopeID)
	case of == "" && memories >= s.cfg.LargeScope:
		b.Queue(neighboursOpen, scopeID, dims)
		b.Queue(neighboursOpened, tenant, scopeID, model, dims)
	case of != "" && !ready:
		b.Queue(neighboursCopy, tenant, scopeID, model, dims, copiedAtOnce)
	default:
		return false, nil
	}
	return true, exec(ctx, tx, b)
}

// widenGraphs lets the graphs of what follows in the transaction go on until enough is
// found; $1 is how many they keep in view, $2 how many they look at. Without sorting no
// plan is cheaper than walking the graph, whatever is known of the table.
const widenGraphs = `
	SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', $1::int::text, true),
	       set_config('hnsw.max_scan_tuples', $2::int::text, true), set_config('hnsw.scan_mem_multiplier', '8', true),
	       set_config('enable_sort', 'off', true)`

// hasNeighbours writes the condition that a row of memory_scope has neighbours that the
// query can be answered from; "" if it asks for what is not among them.
func (f *finding) hasNeighbours(st *statement, model string) string {
	if f.exact || f.asOf != nil || f.includeSuperseded || f.reach != reachUser && f.reach != reachTenant {
		return ""
	}
	return "neighbours_ready AND neighbour_model = " + model + " AND neighbour_dimensions = " + st.bind(len(f.query.Vector), "int")
}

// neighbourStatement finds the nearest memories of a scope that has neighbours, in about
// the order of their distance. With narrow those that do not qualify are passed over.
func (f *finding) neighbourStatement(scopeID int64) *statement {
	st := &statement{}
	tenant, scope := st.bind(f.tenant, "text"), st.bind(scopeID, "bigint")
	vector := st.bind(pgvector.NewHalfVector(f.query.Vector), "halfvec")
	distance := "embedding::halfvec(" + strconv.Itoa(len(f.query.Vector)) + ") <=> " + vector
	ready := " AND (SELECT " + f.hasNeighbours(st, st.bind(f.query.Model, "text")) + " FROM memory_scope WHERE id = " + scope + " AND tenant_id = " + tenant + ")"
	st.write("SELECT n.memory_id, n.distance FROM (SELECT memory_id, ", distance, " AS distance FROM memory_neighbour WHERE scope_id = ", scope,
		" AND tenant_id = ", tenant, ready, " ORDER BY ", distance, " OFFSET 0) n")
	if f.narrow {
		st.write(" CROSS JOIN LATERAL (SELECT FROM memory m WHERE m.id = n.memory_id AND m.tenant_id = ", tenant, f.conditions(st), " OFFSET 0) m")
	}
	return st.write(" LIMIT ", st.bind(f.wanted(), "int"))
}

// askNeighbours adds the nearest memories of the scopes that propose left to it. If one of
// them does not give as many as are wanted, all vectors are read.
func (f *finding) askNeighbours(ctx context.Context) error {
	short := false
	err := f.store.read(ctx, "longterm.search", f.tenant, func(b *pgx.Batch) {
		b.Queue(widenGraphs, min(max(graphBreadth, 2*f.wanted()), mostGraphBreadth), graphReach)
		for _, scopeID := range f.large {
			queue(b, f.neighbourStatement(scopeID)).Query(func(rows pgx.Rows) error {
				var n nearby
				tag, err := pgx.ForEachRow(rows, []any{&n.id, &n.distance}, func() error {
					f.near = append(f.near, n)
					return nil
				})
				short = short || tag.RowsAffected() < int64(f.wanted())
				return err
			})
		}
	})
	if err != nil {
		return err
	}
	if short {
		f.exact, f.near, f.large = true, nil, nil
		return f.store.read(ctx, "longterm.search", f.tenant, func(b *pgx.Batch) { queue(b, f.nearStatement()).Query(f.scanNear) })
	}
	far := math.Inf(1)
	slices.SortFunc(f.near, func(a, b nearby) int {
		return cmp.Compare(*cmp.Or(a.distance, &far), *cmp.Or(b.distance, &far))
	})
	f.near = f.near[:min(len(f.near), f.wanted())]
	return nil
}
