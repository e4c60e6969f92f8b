package longterm

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/postgres"
)

// overruled is a statement that a message no longer brings about, since a person took it
// away or rewrote it.
type overruled struct {
	message int64
	// hash is the statement's; "" stands for all that the message states.
	hash string
	// slot is the topic it is about, if that can be updated: nothing else about it is
	// learned from the message either. "" for none.
	slot string
}

// covers says whether a message does not bring about a statement, by any of its hashes.
func (o overruled) covers(message int64, hashes []string, slot string) bool {
	return o.message == message && (o.hash == "" || slices.Contains(hashes, o.hash) || o.slot != "" && o.slot == slot)
}

// left gives those of the sources of a statement that still bring it about.
func left(all []overruled, sources []int64, hashes []string, slot string) []int64 {
	if len(all) == 0 {
		return sources
	}
	return slices.DeleteFunc(slices.Clone(sources), func(id int64) bool {
		return slices.ContainsFunc(all, func(o overruled) bool { return o.covers(id, hashes, slot) })
	})
}

func queueOverruled(b *pgx.Batch, tenant string, all []overruled) {
	if len(all) == 0 {
		return
	}
	// One statement must not name a row twice.
	rows := map[[2]any]overruled{}
	for _, o := range all {
		k := [2]any{o.message, o.hash}
		if was, ok := rows[k]; ok && was.slot != "" {
			continue
		}
		rows[k] = o
	}
	var messages []int64
	var hashes []string
	var slots []*string
	for _, o := range rows {
		messages, hashes, slots = append(messages, o.message), append(hashes, o.hash), append(slots, some(o.slot))
	}
	b.Queue(overruledInsert, tenant, messages, hashes, slots)
}

// Unrule forgets, within tx, which must be the tenant's, what persons said of statements
// in messages: for messages whose words are gone.
func (s *Store) Unrule(ctx context.Context, tx pgx.Tx, tenant string, messages []int64) error {
	b := &pgx.Batch{}
	b.Queue(overruledDelete, tenant, messages)
	b.Queue(retainedDelete, tenant, messages)
	return postgres.Err("longterm.unrule", exec(ctx, tx, b))
}

const overruledDelete = `DELETE FROM memory_overruled WHERE tenant_id = $1 AND message_id = ANY ($2::bigint[])`

const retainedDelete = `DELETE FROM memory_retained WHERE tenant_id = $1 AND message_id = ANY ($2::bigint[])`
