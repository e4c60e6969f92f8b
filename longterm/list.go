package longterm

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
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
	err = s.readSelected(ctx, "longterm.list", sel, func(b *pgx.Batch) {
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
