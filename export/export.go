// Package export gives all that is kept of a person as JSON lines, as it was at one moment.
//
// The first line is of type memd.export and says which form this is; then come user, session,
// message, memory and what else there is, each with its type; the last is of type end and says
// how many there were of each, so that a file that was cut off is known as one. Messages are
// in the order of arrival, with all members as they were given. Vectors are left out, being
// made of the texts, and so is what an undo would need.
//
// Invariants: all lines are of one snapshot; nothing is held of more than one row.
package export

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Version is that of the form of the lines. It changes where a reader of an older one would
// get something wrong; members and types that are new do not change it.
const Version = 1

// Export exports. It is safe for concurrent use.
type Export struct{ pool *postgres.Pool }

// New makes an Export.
func New(pool *postgres.Pool) *Export { return &Export{pool} }

// head is the first line.
type head struct {
	Type       string    `json:"type"`
	Version    int       `json:"version"`
	ExportedAt time.Time `json:"exported_at"`
	UserID     string    `json:"user_id"`
	// Embeddings says that vectors are not among the lines.
	Embeddings bool `json:"embeddings"`
}

// tail is the last line.
type tail struct {
	Type   string         `json:"type"`
	Counts map[string]int `json:"counts"`
}

// Person writes the lines of a person to w. A connection is held until all is written. NotFound:
// nothing is known of such a person, and nothing was written. Where any other error comes,
// and w has some of the lines, it has no last one.
func (e *Export) Person(ctx context.Context, tenant, userID string, w io.Writer) error {
	err := pgx.BeginTxFunc(ctx, e.pool.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		// The snapshot is that of the first query.
		if _, err := tx.Exec(ctx, `SELECT set_config('memd.tenant', $1, true)`, tenant); err != nil {
			return err
		}
		var known bool
		if err := tx.QueryRow(ctx, isKnown, tenant, userID).Scan(&known); err != nil {
			return err
		}
		if !known {
			return &memd.Error{Kind: memd.NotFound, Op: "export.person", Msg: "no such user"}
		}
		l := &lines{w: w, counts: map[string]int{}}
		if err := l.value(head{"memd.export", Version, time.Now().UTC(), userID, false}); err != nil {
			return err
		}
		for _, k := range kinds {
			l.counts[k.plural] = 0
			if err := l.rows(ctx, tx, k, tenant, userID); err != nil {
				return err
			}
		}
		return l.value(tail{"end", l.counts})
	})
	return postgres.Err("export.person", err)
}

// lines writes JSON lines and counts them by their kind.
type lines struct {
	w      io.Writer
	counts map[string]int
	line   bytes.Buffer
}

// rows writes the rows of one kind.
func (l *lines) rows(ctx context.Context, tx pgx.Tx, k kind, args ...any) error {
	rows, err := tx.Query(ctx, k.sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var row json.RawMessage
		var raw *string
		if err := rows.Scan(&row, &raw); err != nil {
			return err
		}
		l.line.Reset()
		if err := json.Compact(&l.line, row); err != nil {
			return err
		}
		if raw != nil {
			l.line.Truncate(l.line.Len() - 1) // the brace
			l.line.WriteString(`,"message":`)
			l.message(*raw)
			l.line.WriteByte('}')
		}
		l.line.WriteByte('\n')
		if _, err := l.w.Write(l.line.Bytes()); err != nil {
			return err
		}
		l.counts[k.plural]++
	}
	return rows.Err()
}

// message writes a message's own JSON: without the blanks between its members it is one line,
// and every number, key and escape stands as it was given.
func (l *lines) message(raw string) {
	at := l.line.Len()
	if json.Compact(&l.line, []byte(raw)) != nil { // not written by memd
		l.line.Truncate(at)
		text, _ := json.Marshal(raw)
		l.line.Write(text)
	}
}

func (l *lines) value(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = l.w.Write(append(raw, '\n'))
	return err
}
