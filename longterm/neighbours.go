package longterm

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/google/uuid"
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
// The copy and its graph are made by TendNeighbours: in one go, which is several times
// cheaper than one by one and keeps nobody waiting, and then brought up to date piece by
// piece. From then on a trigger on memory_embedding keeps it right.

const (
	// leastLargeScope is the least Config.LargeScope; the index by which large scopes
	// are found does not hold smaller ones.
	leastLargeScope = 256
	// mostGraphDimensions are the most that a graph can be made of.
	mostGraphDimensions = 4000
	// builtAtOnce bounds the memory of which a graph is made in one go, in bytes; those of
	// a graph's links are about as many as linkBytes for each vector.
	builtAtOnce, linkBytes = 400 << 20, 400
	// comparedAtOnce is how many vectors are looked at in one transaction, and
	// mendedAtOnce how many are put into the graph: others cannot change the scope
	// meanwhile, for about a tenth of a second.
	comparedAtOnce, mendedAtOnce = 2000, 32
	// tendedAtOnce is how many scopes are looked at in search of one that no one else
	// is at work on.
	tendedAtOnce = 16
	// graphBreadth is how many near vectors a search of a graph keeps in view at least.
	// Below twice what is wanted some of the nearest are missed.
	graphBreadth, mostGraphBreadth = 200, 1000
	// mostGraphReach is how many vectors such a search looks at before it gives up finding
	// enough that qualify.
	mostGraphReach = 20_000

	lockNotAvailable = "55P03"
)

const neighboursDue = `SELECT tenant_id, scope_id FROM memd_neighbours_due($1, $2, $3, $4)`

// neighboursTry takes the work on a scope's neighbours upon itself until the end of the
// transaction, unless someone else has.
const neighboursTry = `
	SELECT key, pg_try_advisory_xact_lock(hashtextextended('memory_neighbour', id)) FROM memory_scope WHERE id = $2 AND tenant_id = $1`

const neighboursState = `
	SELECT memories, coalesce(neighbour_model, ''), coalesce(neighbour_dimensions, 0),
	       coalesce(neighbours_upto, '00000000-0000-0000-0000-000000000000'), neighbours_ready
	  FROM memory_scope WHERE id = $2 AND tenant_id = $1`

const neighboursBuild = `SELECT memd_neighbours_build($1, $2, $3, $4)`

const neighboursAttach = `SELECT memd_neighbours_attach($1)`

const neighboursOpened = `
	UPDATE memory_scope SET neighbour_model = $3, neighbour_dimensions = $4, neighbours_upto = NULL, neighbours_ready = false
	 WHERE id = $2 AND tenant_id = $1`

const neighboursClose = `SELECT memd_neighbours_close($1)`

const neighboursClosed = `
	UPDATE memory_scope SET neighbour_model = NULL, neighbour_dimensions = NULL, neighbours_upto = NULL, neighbours_ready = false
	 WHERE id = $2 AND tenant_id = $1`

// neighboursCompare gives the next $6 vectors after $5, of model $3 and width $4, and
// whether they ought to be put among the neighbours.
const neighboursCompare = `
	SELECT e.memory_id, e.live AND vector_dims(e.embedding) = $4
	       AND (SELECT n.embedding <> e.embedding FROM memory_neighbour n WHERE n.scope_id = $2 AND n.memory_id = e.memory_id AND n.tenant_id = $1) IS NOT FALSE
	  FROM memory_embedding e
	 WHERE e.scope_id = $2 AND e.model = $3 AND e.tenant_id = $1 AND e.memory_id > $5
	 ORDER BY e.memory_id LIMIT $6`

const neighboursMend = `
	INSERT INTO memory_neighbour (scope_id, memory_id, tenant_id, embedding)
	SELECT $2, u.id, $1, e.embedding FROM unnest($4::uuid[]) AS u (id)
	 CROSS JOIN LATERAL (SELECT embedding FROM memory_embedding WHERE scope_id = $2 AND model = $3 AND tenant_id = $1 AND memory_id = u.id OFFSET 0) e
	ON CONFLICT (scope_id, memory_id) DO UPDATE SET embedding = excluded.embedding`

// neighboursClear removes those after $4 and up to $5 that are not live.
const neighboursClear = `
	DELETE FROM memory_neighbour n WHERE n.scope_id = $2 AND n.tenant_id = $1 AND n.memory_id > $4 AND n.memory_id <= $5
	   AND (SELECT e.live FROM memory_embedding e WHERE e.scope_id = $2 AND e.model = $3 AND e.memory_id = n.memory_id AND e.tenant_id = $1) IS NOT TRUE`

const neighboursUpTo = `UPDATE memory_scope SET neighbours_upto = $3, neighbours_ready = $4 WHERE id = $2 AND tenant_id = $1`

// TendNeighbours does the next piece of work that large scopes need for their nearest
// vectors to be found fast, and says whether it found any. Vectors are those of model,
// and as wide as dims. It is to be called again and again, at once where it found some.
//
// A scope of any tenant that has come to hold Config.LargeScope memories is made ready
// piece by piece; one that has shrunk to less than half of that, or whose vectors were
// made ready for another model, is put back to the ordinary. What was begun goes on
// where it ended, whoever calls; several may call at once. The first piece is the largest:
// it takes about a millisecond a memory, and is begun anew if ctx ends before it does.
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

// neighbourhood is what is known of a scope's neighbours.
type neighbourhood struct {
	tenant  string
	scopeID int64
	// memories is the scope's size.
	memories int
	// model and width are those of the vectors, "" if there are none.
	model string
	width int
	// upTo is the last memory of which they are known to be right; ready says that all are.
	upTo  memoryID
	ready bool
}

func (n *neighbourhood) queue(b *pgx.Batch) {
	b.Queue(neighboursState, n.tenant, n.scopeID).QueryRow(func(row pgx.Row) error {
		return row.Scan(&n.memories, &n.model, &n.width, &n.upTo, &n.ready)
	})
}

// tend does the next piece of work on one scope, if nobody else is at it.
func (s *Store) tend(ctx context.Context, tx pgx.Tx, tenant string, scopeID int64, model string, dims int) (worked bool, err error) {
	var key []byte
	var mine bool
	n := &neighbourhood{tenant: tenant, scopeID: scopeID}
	b := &pgx.Batch{}
	b.Queue(pinPlans)
	b.Queue(neighboursTry, tenant, scopeID).QueryRow(func(row pgx.Row) error { return row.Scan(&key, &mine) })
	n.queue(b)
	if err := tx.SendBatch(ctx, b).Close(); err != nil || !mine {
		return false, err
	}
	large := n.memories >= s.cfg.LargeScope
	b = &pgx.Batch{}
	if n.model == "" && large {
		// Not under the scope's lock: it takes long.
		b.Queue(neighboursBuild, scopeID, model, dims, builtAtOnce/(2*dims+linkBytes))
	}
	// From here on no vector of the scope changes.
	queueLocks(b, tenant, [][]byte{key})
	n.queue(b)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return false, err
	}
	b = &pgx.Batch{}
	switch {
	case n.model == "" && large:
		b.Queue(neighboursAttach, scopeID)
		b.Queue(neighboursOpened, tenant, scopeID, model, dims)
	case n.model != "" && (n.model != model || n.width != dims || n.memories < s.cfg.LargeScope/2):
		b.Queue(neighboursClose, scopeID)
		b.Queue(neighboursClosed, tenant, scopeID)
	case n.model != "" && !n.ready:
		return true, n.mend(ctx, tx)
	default:
		return false, nil
	}
	return true, exec(ctx, tx, b)
}

// mend compares the next neighbours with the vectors and makes good what passed before
// they were put among the others.
func (n *neighbourhood) mend(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, neighboursCompare, n.tenant, n.scopeID, n.model, n.width, n.upTo, comparedAtOnce)
	if err != nil {
		return err
	}
	var missing []memoryID
	var id memoryID
	var isMissing bool
	compared, upTo := 0, n.upTo
	if _, err := pgx.ForEachRow(rows, []any{&id, &isMissing}, func() error {
		if len(missing) == mendedAtOnce {
			return nil
		}
		if isMissing {
			missing = append(missing, id)
		}
		compared, upTo = compared+1, id
		return nil
	}); err != nil {
		return err
	}
	ready := compared < comparedAtOnce && len(missing) < mendedAtOnce
	if ready {
		upTo = memoryID(uuid.Max)
	}
	b := &pgx.Batch{}
	if len(missing) > 0 {
		b.Queue(neighboursMend, n.tenant, n.scopeID, n.model, missing)
	}
	b.Queue(neighboursClear, n.tenant, n.scopeID, n.model, n.upTo, upTo)
	b.Queue(neighboursUpTo, n.tenant, n.scopeID, upTo, ready)
	return exec(ctx, tx, b)
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

// graphReach is how many vectors a search of a graph looks at before it gives up. Each
// costs as much as several that are read in a row.
func (f *finding) graphReach() int {
	return min(max(10*f.wanted(), f.memories.documents/5), mostGraphReach)
}

// askNeighbours adds the nearest memories of the scopes that propose left to it. If one of
// them does not give as many as are wanted, all vectors are read.
func (f *finding) askNeighbours(ctx context.Context) error {
	short := false
	err := f.store.readSelected(ctx, "longterm.search", f.selection, func(b *pgx.Batch) {
		b.Queue(widenGraphs, min(max(graphBreadth, 2*f.wanted()), mostGraphBreadth), f.graphReach())
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
		return f.store.readSelected(ctx, "longterm.search", f.selection, func(b *pgx.Batch) { queue(b, f.nearStatement()).Query(f.scanNear) })
	}
	far := math.Inf(1)
	slices.SortFunc(f.near, func(a, b nearby) int {
		return cmp.Compare(*cmp.Or(a.distance, &far), *cmp.Or(b.distance, &far))
	})
	f.near = f.near[:min(len(f.near), f.wanted())]
	return nil
}
