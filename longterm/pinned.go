package longterm

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

// MaxPinned bounds how many pinned memories of a scope are found because they are pinned.
const MaxPinned = 100

// pinnedStatement finds the memories that are pinned, those made last first.
func (s selection) pinnedStatement(columns string, limit int) *statement {
	s.pinned = min(limit, MaxPinned)
	st := &statement{}
	return st.write("SELECT ", columns, " FROM ", s.memories(st), " ORDER BY m.created_at DESC, m.id DESC LIMIT ", st.bind(s.pinned, "int"))
}

// Pinned gives the pinned memories of q's scope that qualify, those made last first, up to
// q.Limit and MaxPinned, whatever they say: their score is 0.
func (s *Store) Pinned(ctx context.Context, tenant string, q Query) ([]Hit, error) {
	sel, err := newSelection(tenant, q.Scope, q.Filters, q.AllScopes)
	if err != nil {
		return nil, err
	}
	if sel.without = q.ExcludeSources; sel.reach == reachUser {
		sel.ownAgent = q.OwnAgentToo
	}
	var found []memd.Memory
	err = s.readSelected(ctx, "longterm.pinned", sel, func(b *pgx.Batch) {
		queue(b, sel.pinnedStatement(memoryColumns+", "+sourcesColumn, q.Limit)).Query(func(rows pgx.Rows) error {
			var err error
			found, err = collectMemories(rows)
			return err
		})
	})
	hits := make([]Hit, len(found))
	for i, m := range found {
		hits[i].Memory = m
	}
	return hits, err
}
