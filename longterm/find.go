package longterm

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

// Get gives one memory, also a superseded or expired one. The user and agent of check,
// where set, must be the memory's; else, and in another tenant, it is NotFound.
func (s *Store) Get(ctx context.Context, tenant, id string, check memd.Scope) (memd.Memory, error) {
	memory, err := parseID(id)
	if err != nil {
		return memd.Memory{}, err
	}
	var found []memd.Memory
	err = s.read(ctx, "longterm.get", tenant, func(b *pgx.Batch) {
		b.Queue(memorySelect, tenant, memory, check.UserID, check.AgentID).Query(func(rows pgx.Rows) error {
			var err error
			found, err = collectMemories(rows)
			return err
		})
	})
	if err != nil {
		return memd.Memory{}, err
	}
	if len(found) == 0 {
		return memd.Memory{}, notFound
	}
	return found[0], nil
}

// Ref names a memory. The user and agent of Check, where set, must be the memory's.
type Ref struct {
	ID    string
	Check memd.Scope
}

// Absent is the error of a call about several memories of which some are not there. It
// is NotFound.
type Absent struct {
	// Items are the positions of those in the call, ascending.
	Items []int
}

// Error says no more than that something is not there.
func (a *Absent) Error() string { return notFound.Error() }

// Unwrap makes it an error of kind NotFound.
func (a *Absent) Unwrap() error { return notFound }

// Find gives memories as Get does, in the order of refs, nil where Get gives NotFound.
func (s *Store) Find(ctx context.Context, tenant string, refs []Ref) ([]*memd.Memory, error) {
	found := make([]*memd.Memory, len(refs))
	err := s.read(ctx, "longterm.find", tenant, func(b *pgx.Batch) { queueFind(b, tenant, refs, found) })
	return found, err
}

// queueFind reads memories into found.
func queueFind(b *pgx.Batch, tenant string, refs []Ref, found []*memd.Memory) {
	var at []int // of an id in refs
	var ids []memoryID
	var users, agents []string
	for i, r := range refs {
		id, err := parseID(r.ID)
		if err != nil {
			continue
		}
		at, ids = append(at, i), append(ids, id)
		users, agents = append(users, r.Check.UserID), append(agents, r.Check.AgentID)
	}
	b.Queue(findSelect, tenant, ids, users, agents).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var n int
			var r memoryRow
			if err := rows.Scan(append(r.fields([]any{&n}), &r.Sources)...); err != nil {
				return err
			}
			m := r.memory()
			found[at[n]] = &m
		}
		return rows.Err()
	})
}

// CountByUser gives how many live memories each of the users has.
func (s *Store) CountByUser(ctx context.Context, tenant string, users []string) (map[string]int, error) {
	counts := make(map[string]int, len(users))
	for _, u := range users {
		counts[u] = 0
	}
	users = slices.Collect(maps.Keys(counts)) // each once
	err := s.read(ctx, "longterm.count_by_user", tenant, func(b *pgx.Batch) {
		b.Queue(liveByUser, tenant, users).Query(func(rows pgx.Rows) error {
			var user string
			var n int
			_, err := pgx.ForEachRow(rows, []any{&user, &n}, func() error { counts[user] = n; return nil })
			return err
		})
	})
	return counts, err
}
