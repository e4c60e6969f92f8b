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

// tries is how often it is tried where another transaction stands in the way.
const tries = 3

// Memories removes the memories that what describes, all or none, and says how many went,
// or with DryRun would go; by stands in their history. Without conditions beside the ids
// the open messages that carry them are not learned from any more either; a condition
// says something of memories that are there, and nothing of those to come.
func (f *Forget) Memories(ctx context.Context, tenant string, what longterm.Forgetting, by string) (int, error) {
	for again := 1; ; again++ {
		n := 0
		err := longterm.PoolFor(f.pool, what.Filters).InTenant(ctx, tenant, func(tx pgx.Tx) (err error) {
			n, err = f.memories(ctx, tx, tenant, what, by)
			return err
		})
		if postgres.Deadlocked(err) && again < tries {
			continue
		}
		if err != nil {
			return 0, err
		}
		return n, nil
	}
}

func (f *Forget) memories(ctx context.Context, tx pgx.Tx, tenant string, what longterm.Forgetting, by string) (int, error) {
	n, err := f.store.Forget(ctx, tx, tenant, what, by)
	if err != nil || what.DryRun {
		return n, err
	}
	scope, conditions := what.Filters.Narrow(what.Scope)
	if !conditions.Empty() || scope == (memd.Scope{Tenant: scope.Tenant}) {
		return n, nil
	}
	if _, err := f.log.DropOpen(ctx, tx, tenant, scope); err != nil {
		return 0, err
	}
	// A worker that was settling one of them when it was to be dropped was waited for:
	// what it learned is there only now.
	late, err := f.store.Forget(ctx, tx, tenant, what, by)
	return n + late, err
}
