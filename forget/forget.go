// Package forget takes what a tenant asks to be forgotten out of both tiers at once: the
// memories, and the open messages that would bring new ones about.
//
// Invariant: what is forgotten does not come back from a message that was said before.
// The locks of the memories' identities come first, then the open messages, which is the
// order in which a worker takes them.
package forget

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/shortterm"
)

// Forget forgets. It is safe for concurrent use.
type Forget struct {
	pool  *postgres.Pool
	log   *shortterm.Log
	store *longterm.Store
}

// New makes a Forget.
func New(pool *postgres.Pool, log *shortterm.Log, store *longterm.Store) *Forget {
	return &Forget{pool: pool, log: log, store: store}
}

// Memories removes the memories that what describes, all or none, and says how many went,
// or with DryRun would go; by stands in their history. Without conditions beside the ids
// the open messages that carry them are not learned from any more either; a condition
// says something of memories that are there, and nothing of those to come.
func (f *Forget) Memories(ctx context.Context, tenant string, what longterm.Forgetting, by string) (int, error) {
	n := 0
	err := f.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		var err error
		if n, err = f.store.Forget(ctx, tx, tenant, what, by); err != nil || what.DryRun {
			return err
		}
		scope, conditions := what.Filters.Narrow(what.Scope)
		if !conditions.Empty() || scope == (memd.Scope{Tenant: scope.Tenant}) {
			return nil
		}
		_, err = f.log.DropOpen(ctx, tx, tenant, scope)
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}
