package longterm

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

// List gives memories of a scope, newest first, then by id from the highest; how many
// there are in all; and the cursor of what comes after, "" at the end. A cursor holds a
// place in one list and is refused by any other.
func (s *Store) List(ctx context.Context, tenant string, l ListQuery) (ms []memd.Memory, total int, next string, err error) {
	switch {
	case l.Limit < 0 || l.Limit > MaxLimit:
		return nil, 0, "", memd.InvalidField("limit", "must be between 1 and %d", MaxLimit)
	case l.Offset < 0:
		return nil, 0, "", memd.InvalidField("offset", "must not be negative")
	case l.Offset > 0 && l.Cursor != "":
		return nil, 0, "", memd.InvalidField("cursor", "must not be given with an offset")
	}
	l.Limit = cmp.Or(l.Limit, defaultList)
	sel, err := newSelection(tenant, l.Scope, l.Filters, l.AllScopes)
	if err != nil {
		return nil, 0, "", err
	}
	sel.user, sel.assistant = l.ScopesUser, l.ScopesAssistant
	sel.asOf, sel.includeSuperseded = l.AsOf, l.IncludeSuperseded
	var after *cursor
	if l.Cursor != "" {
		if after, err = sel.readCursor(l.Cursor); err != nil {
			return nil, 0, "", err
		}
	}
	err = s.read(ctx, "longterm.list", tenant, func(b *pgx.Batch) {
		queue(b, sel.countStatement()).QueryRow(func(row pgx.Row) error { return row.Scan(&total) })
		queue(b, sel.pageStatement(l.Limit+1, l.Offset, after)).Query(func(rows pgx.Rows) error {
			var err error
			ms, err = collectMemories(rows)
			return err
		})
	})
	if err != nil {
		return nil, 0, "", err
	}
	if ms == nil {
		ms = []memd.Memory{}
	}
	if len(ms) > l.Limit {
		ms = ms[:l.Limit]
		last := ms[len(ms)-1]
		id, err := parseID(last.ID)
		if err != nil {
			return nil, 0, "", err
		}
		next = cursor{last.CreatedAt, id}.encode(sel)
	}
	return ms, total, next, nil
}

func (s selection) countStatement() *statement {
	st := &statement{}
	return st.write("SELECT count(*) FROM ", s.memories(st))
}

func (s selection) pageStatement(limit, offset int, after *cursor) *statement {
	st := &statement{}
	st.write("SELECT ", memoryColumns, ", ", sourcesColumn, " FROM ", s.memories(st))
	if after != nil {
		st.write(" WHERE (m.created_at, m.id) < (", st.bind(after.createdAt, "timestamptz"), ", ", st.bind(after.id, "uuid"), ")")
	}
	return st.write(" ORDER BY m.created_at DESC, m.id DESC LIMIT ", st.bind(limit, "int"), " OFFSET ", st.bind(offset, "int"))
}

// cursor is the last memory of a page.
type cursor struct {
	createdAt time.Time
	id        memoryID
}

// fingerprint tells lists apart: it is of the query and all its values.
func (s selection) fingerprint() []byte {
	st := &statement{}
	st.write(s.memories(st))
	args, err := json.Marshal(st.args)
	if err != nil {
		panic(err) // texts, numbers and times always encode
	}
	sum := sha256.Sum256(append([]byte(st.sql.String()), args...))
	return sum[:8]
}

func (c cursor) encode(s selection) string {
	b := binary.BigEndian.AppendUint64(s.fingerprint(), uint64(c.createdAt.UnixMicro()))
	return base64.RawURLEncoding.EncodeToString(append(b, c.id[:]...))
}

func (s selection) readCursor(text string) (*cursor, error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil && len(b) == 32 && bytes.Equal(b[:8], s.fingerprint()) {
		c := &cursor{time.UnixMicro(int64(binary.BigEndian.Uint64(b[8:]))).UTC(), memoryID(b[16:])}
		// No row was made before 1970, and what Postgres knows of times ends.
		if y := c.createdAt.Year(); y >= 1970 && y <= 9999 && c.encode(s) == text {
			return c, nil
		}
	}
	return nil, memd.InvalidField("cursor", "is not one of this list")
}

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

const reasonDeleted = "deleted"

// Delete removes a memory and all that finds it; its history stays, with by as who did
// it. The user and agent of check, where set, must be the memory's; else, and in another
// tenant, it is NotFound.
func (s *Store) Delete(ctx context.Context, tenant, id string, check memd.Scope, by string) error {
	memory, err := parseID(id)
	if err != nil {
		return err
	}
	return s.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		keys := [][]byte{nil}
		var scopeID int64
		if err := tx.QueryRow(ctx, memoryLockKey, tenant, memory, check.UserID, check.AgentID).Scan(&keys[0], &scopeID); err != nil {
			if err == pgx.ErrNoRows {
				return notFound
			}
			return err
		}
		n, err := deleteMemories(ctx, tx, tenant, keys, by, func() *statement {
			st := &statement{}
			return st.write("SELECT m.id, m.scope_id, coalesce(m.actor_id, ''), m.memory, m.hash, ", sourcesColumn, " FROM memory m WHERE m.id = ", st.bind(memory, "uuid"),
				" AND m.tenant_id = ", st.bind(tenant, "text"))
		}())
		if err == nil && n == 0 {
			return notFound // someone else was faster
		}
		return err
	})
}

// DeleteScope removes all memories that carry every id of scope, superseded and expired
// ones too, all or none, and says how many there were.
func (s *Store) DeleteScope(ctx context.Context, tenant string, scope memd.Scope, by string) (int, error) {
	sel, err := newSelection(tenant, scope, Filter{}, false)
	if err != nil {
		return 0, err
	}
	sel.everything = true
	n := 0
	err = s.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		st := &statement{}
		scopes := sel.scopes(st)
		st.write("SELECT c.key FROM (", scopes, ") s CROSS JOIN LATERAL (SELECT key FROM memory_scope WHERE id = s.id AND tenant_id = ", st.bind(tenant, "text"), " OFFSET 0) c")
		var keys [][]byte
		b := &pgx.Batch{}
		b.Queue(pinPlans)
		queue(b, st).Query(func(rows pgx.Rows) error {
			var err error
			keys, err = pgx.CollectRows(rows, pgx.RowTo[[]byte])
			return err
		})
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		doomed := &statement{}
		doomed.write("SELECT m.id, m.scope_id, coalesce(m.actor_id, ''), m.memory, m.hash, ", sourcesColumn, " FROM ", sel.memories(doomed))
		var err error
		n, err = deleteMemories(ctx, tx, tenant, keys, by, doomed)
		return err
	})
	return n, err
}

// deleteMemories takes the locks of the scopes, reads what is to go by doomed, and
// removes it.
func deleteMemories(ctx context.Context, tx pgx.Tx, tenant string, keys [][]byte, by string, doomed *statement) (int, error) {
	locks := make([]int64, len(keys))
	for i, key := range keys {
		locks[i] = lock([sha256.Size]byte(key))
	}
	slices.Sort(locks)
	w := &writes{}
	var ids, postingIDs []memoryID
	var scopes, postingScopes []int64
	var terms []int32
	var sums scopeSums
	b := &pgx.Batch{}
	b.Queue(pinPlans)
	b.Queue(lockScopes, slices.Compact(locks))
	queue(b, doomed).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			h := historyRow{event: EventDelete, reason: reasonDeleted, by: by}
			var actor, text string
			if err := rows.Scan(&h.memory, &h.scopeID, &actor, &text, &h.hash, &h.messages); err != nil {
				return err
			}
			slices.Sort(h.messages)
			h.previous = &text
			w.history = append(w.history, h)
			ids, scopes = append(ids, h.memory), append(scopes, h.scopeID)
			held, length := indexed(actor, text)
			sums.add(h.scopeID, int64(small(length)))
			for _, t := range held {
				postingIDs, postingScopes, terms = append(postingIDs, h.memory), append(postingScopes, h.scopeID), append(terms, t.Hash)
			}
		}
		return rows.Err()
	})
	if err := tx.SendBatch(ctx, b).Close(); err != nil || len(ids) == 0 {
		return 0, err
	}
	b = &pgx.Batch{}
	b.Queue(postingDelete, tenant, postingScopes, terms, postingIDs, sums.ids, sums.documents, sums.terms)
	b.Queue(embeddingDelete, tenant, scopes, ids)
	b.Queue(memoryDelete, tenant, ids)
	w.queue(b, tenant)
	return len(ids), exec(ctx, tx, b)
}
