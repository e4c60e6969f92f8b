package longterm

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// read runs a batch for a tenant: first its plans are pinned, then come the queries.
func (s *Store) read(ctx context.Context, op, tenant string, queue func(*pgx.Batch)) error {
	return readOn(ctx, s.pool, op, tenant, queue)
}

// readSelected is read for queries that a selection is part of.
func (s *Store) readSelected(ctx context.Context, op string, sel selection, queue func(*pgx.Batch)) error {
	return readOn(ctx, PoolFor(s.pool, sel.filters), op, sel.tenant, queue)
}

// PoolFor gives the pool for statements that a filter is part of; see postgres.Pool.Once.
func PoolFor(pool *postgres.Pool, f Filter) *postgres.Pool {
	if f.Empty() {
		return pool
	}
	return pool.Once()
}

func readOn(ctx context.Context, pool *postgres.Pool, op, tenant string, queue func(*pgx.Batch)) error {
	b := postgres.TenantBatch(tenant)
	b.Queue(pinPlans)
	queue(b)
	return postgres.Err(op, pool.SendBatch(ctx, b).Close())
}

// MemoriesOf gives the ids of the memories that each message states, by message, and those
// messages of which a memory has no vector yet.
func (s *Store) MemoriesOf(ctx context.Context, tenant string, messageIDs []int64) (of map[int64][]string, unembedded map[int64]bool, err error) {
	of, unembedded = map[int64][]string{}, map[int64]bool{}
	err = s.read(ctx, "longterm.memories_of", tenant, func(b *pgx.Batch) {
		b.Queue(memoriesOfSelect, tenant, messageIDs).Query(func(rows pgx.Rows) error {
			var message int64
			var id memoryID
			var open bool
			_, err := pgx.ForEachRow(rows, []any{&message, &id, &open}, func() error {
				of[message] = append(of[message], uuid.UUID(id).String())
				unembedded[message] = unembedded[message] || open
				return nil
			})
			return err
		})
	})
	return of, unembedded, err
}

// EventsOf gives what learning from messages did, in order.
func (s *Store) EventsOf(ctx context.Context, tenant string, messageIDs []int64) ([]Event, error) {
	events := []Event{}
	err := s.read(ctx, "longterm.events_of", tenant, func(b *pgx.Batch) {
		b.Queue(eventsOfSelect, tenant, messageIDs).Query(func(rows pgx.Rows) error {
			var id memoryID
			var event string
			var memory, previous *string
			var unembedded bool
			_, err := pgx.ForEachRow(rows, []any{&id, &event, &memory, &previous, &unembedded}, func() error {
				e := Event{ID: uuid.UUID(id).String(), Event: event, PreviousMemory: previous, Unembedded: unembedded}
				switch {
				case memory != nil:
					e.Memory = *memory
				case previous != nil:
					e.Memory = *previous // of what went
				}
				events = append(events, e)
				return nil
			})
			return err
		})
	})
	return events, err
}

// History gives what happened to a memory, oldest first; it outlives the memory. The user
// and agent of check, where set, must be the memory's; of one that is gone only those
// are known that its identity holds.
func (s *Store) History(ctx context.Context, tenant, id string, check memd.Scope) ([]HistoryEntry, error) {
	memory, err := parseID(id)
	if err != nil {
		return nil, err
	}
	entries := []HistoryEntry{}
	there := false
	err = s.read(ctx, "longterm.history", tenant, func(b *pgx.Batch) {
		b.Queue(permittedSelect, tenant, memory, check.UserID, check.AgentID).QueryRow(func(row pgx.Row) error { return row.Scan(&there) })
		b.Queue(historySelect, tenant, memory).Query(func(rows pgx.Rows) error {
			var e HistoryEntry
			_, err := pgx.ForEachRow(rows, []any{&e.Event, &e.PreviousMemory, &e.Memory, &e.Reason, &e.At, &e.By}, func() error {
				e.At = e.At.UTC()
				entries = append(entries, e)
				return nil
			})
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 || !there {
		return nil, notFound
	}
	return entries, nil
}
