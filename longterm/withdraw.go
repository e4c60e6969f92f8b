package longterm

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Withdraw takes messages away as sources of whatever they state, within tx, which must be
// the tenant's, and from the index of what was said around memories. It is for messages
// that are edited or deleted, to be called before the log changes. A memory with sources
// left stays, with what these give it; its words and what a person set stay. One with none
// left goes, and so does one with none left by who says it: a question without its
// answer states nothing. It says how many went.
//
// A memory that one of these took the place of is current again, unless something else
// that is still there took the place of that in turn.
func (s *Store) Withdraw(ctx context.Context, tx pgx.Tx, tenant string, messages []int64, by, reason string) (gone int, err error) {
	if len(messages) == 0 {
		return 0, nil
	}
	gone, err = withdraw(ctx, tx, tenant, messages, by, reason)
	return gone, postgres.Err("longterm.withdraw", err)
}

func withdraw(ctx context.Context, tx pgx.Tx, tenant string, messages []int64, by, reason string) (int, error) {
	messages = slices.Compact(slices.Sorted(slices.Values(messages)))
	var rows []messageRow
	var of []identity
	var holders []memoryID
	locked := map[string]bool{}
	var keys [][]byte
	lockKey := func(key []byte) {
		if !locked[string(key)] {
			locked[string(key)] = true
			keys = append(keys, key)
		}
	}
	readHolders := func(b *pgx.Batch) {
		holders = nil
		b.Queue(messageHolders, tenant, messages).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				var id memoryID
				var key []byte
				if err := rows.Scan(&id, &key); err != nil {
					return err
				}
				holders = append(holders, id)
				lockKey(key)
			}
			return rows.Err()
		})
	}
	b := &pgx.Batch{}
	b.Queue(pinPlans)
	b.Queue(withdrawnSelect, tenant, messages).Query(func(r pgx.Rows) error {
		for r.Next() {
			var scope memd.Scope
			var m messageRow
			var raw []byte
			if err := r.Scan(&scope.UserID, &scope.AgentID, &scope.AppID, &scope.RunID, &m.sessionNo, &m.position, &m.actor, &raw); err != nil {
				return err
			}
			i := identityOf(scope)
			key := i.key(tenant)
			lockKey(key[:])
			m.actor, m.text = clean(m.actor), clean(memd.TextOf(raw))
			rows, of = append(rows, m), append(of, i)
		}
		return r.Err()
	})
	readHolders(b)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return 0, err
	}
	// Whoever learned from the messages meanwhile did so under their identities' locks; only
	// if that was for others' memories are there more to take.
	for done := 0; done < len(keys); {
		b := &pgx.Batch{}
		queueLocks(b, tenant, keys[done:])
		done = len(keys)
		readHolders(b)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return 0, err
		}
	}

	scopes := newIdentities(tenant, of)
	b = &pgx.Batch{}
	b.Queue(scopeSelect, tenant, scopes.keys).Query(scopes.scan)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return 0, err
	}
	for i := range rows {
		rows[i].scopeID = scopes.ids[scopes.at[of[i]]]
	}
	b = &pgx.Batch{}
	queueMessagePostingDelete(b, tenant, rows)
	if err := exec(ctx, tx, b); err != nil {
		return 0, err
	}
	going := func(id int64, _ *origin) bool { _, ok := slices.BinarySearch(messages, id); return ok }
	l := &loss{tenant: tenant, by: by, reason: reason, less: reason, sources: going, revive: true}
	n, err := l.take(ctx, tx, holders)
	if err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, unpinPlans)
	return n, err
}
