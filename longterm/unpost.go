package longterm

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/postgres"
)

// Unpost takes messages that leave the log out of what searches know of neighbouring
// messages, within tx, which must be the tenant's; to be called while the log still has
// them. What they state stays remembered.
func (s *Store) Unpost(ctx context.Context, tx pgx.Tx, tenant string, messages []int64) error {
	if len(messages) == 0 {
		return nil
	}
	w := &withdrawal{tenant: tenant, messages: slices.Compact(slices.Sorted(slices.Values(messages))), locked: map[string]bool{}}
	err := w.lock(ctx, tx)
	if err == nil {
		err = w.unpost(ctx, tx)
	}
	return postgres.Err("longterm.unpost", err)
}

func (w *withdrawal) unpost(ctx context.Context, tx pgx.Tx) error {
	identities := newIdentities(w.tenant, w.of)
	b := &pgx.Batch{}
	b.Queue(scopeSelect, w.tenant, identities.keys).Query(identities.scan)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	for i := range w.rows {
		w.rows[i].scopeID = identities.ids[identities.at[w.of[i]]]
	}
	b = &pgx.Batch{}
	queueMessagePostingDelete(b, w.tenant, w.rows)
	b.Queue(unpinPlans)
	return exec(ctx, tx, b)
}
