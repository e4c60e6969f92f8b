package export

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Of says of what is to be written: everything of a tenant, of one of its people, or of one session of
// theirs.
type Of struct{ Tenant, UserID, SessionID string }

// transferHead is the first line of a transfer: it says nothing of when, so that the same is the same.
type transferHead struct {
	Type    string `json:"type"`
	Version int    `json:"version"`
	Form    string `json:"form"`
}

// transferred are the kinds of lines of a transfer, for one person each.
var transferred = []kind{{"users", transferUser}, {"sessions", transferSessions}, {"messages", transferMessages}, {"memories", transferMemories}}

// Transfer writes what another memd needs to know the same: sessions, messages, and what was stored as
// it is. Whatever a memd makes of these is left out, its own numbers and clocks too, so that what was
// imported is exported again as it came. NotFound: there is nothing of the kind, and nothing was written.
func (e *Export) Transfer(ctx context.Context, of Of, w io.Writer) error {
	l := &lines{w: w, counts: map[string]int{}}
	return e.each(ctx, of, "export.transfer", func(tx pgx.Tx, user string, first bool) error {
		if first {
			for _, k := range transferred {
				l.counts[k.plural] = 0
			}
			if err := l.value(transferHead{"memd.export", Version, "transfer"}); err != nil {
				return err
			}
		}
		for _, k := range transferred {
			if err := l.rows(ctx, tx, k, of.Tenant, user, of.SessionID); err != nil {
				return err
			}
		}
		return nil
	}, func(tx pgx.Tx, first bool) (bool, error) {
		if of.UserID == "" && of.SessionID == "" {
			if err := l.unowned(ctx, tx, of.Tenant, first); err != nil {
				return false, err
			}
		}
		if first && l.counts[unowned.plural] == 0 {
			return false, nil
		}
		return true, l.value(tail{"end", l.counts})
	})
}

// unowned writes the memories that are nobody's: of an agent, or of a run. They are of a type of their own, since
// what a reader does not know it passes over, and else would take for the last person's. What
// was learned is given as it is, like what was stored: the messages behind it are nobody's either.
func (l *lines) unowned(ctx context.Context, tx pgx.Tx, tenant string, first bool) error {
	if first {
		var there bool
		if err := tx.QueryRow(ctx, anyUnowned, tenant).Scan(&there); err != nil || !there {
			return err
		}
		if err := l.value(transferHead{"memd.export", Version, "transfer"}); err != nil {
			return err
		}
	}
	return l.rows(ctx, tx, unowned, tenant)
}

var unowned = kind{"unowned_memories", `SELECT json_build_object('type', 'unowned_memory', 'verbatim', true, 'memory', m.memory, 'app_id', m.app_id,
	'agent_ids', CASE WHEN s.agent_id <> '' THEN ARRAY[s.agent_id] ELSE m.agent_ids END, 'run_ids', m.run_ids,
	` + ofMemory + `), NULL
	FROM (SELECT id, agent_id FROM memory_scope WHERE tenant_id = $1 AND user_id = '' ORDER BY app_id COLLATE "C", agent_id COLLATE "C", run_id COLLATE "C" OFFSET 0) s
	CROSS JOIN LATERAL (SELECT * FROM memory WHERE scope_id = s.id AND tenant_id = $1 AND (verbatim OR valid_to IS NULL) ORDER BY valid_from, hash, id OFFSET 0) m`}

const anyUnowned = `SELECT EXISTS (SELECT FROM memory_scope s WHERE s.tenant_id = $1 AND s.user_id = '' AND EXISTS (SELECT FROM memory m WHERE m.scope_id = s.id AND m.tenant_id = $1))`

// Chats writes a line in OpenAI's chat format for each session: its messages, with OpenAI's
// members alone. NotFound: as Transfer's.
func (e *Export) Chats(ctx context.Context, of Of, w io.Writer) error {
	return e.each(ctx, of, "export.chats", func(tx pgx.Tx, user string, _ bool) error {
		rows, err := tx.Query(ctx, chats, of.Tenant, user, of.SessionID)
		if err != nil {
			return err
		}
		defer rows.Close()
		open, last := false, int64(0)
		var b bytes.Buffer
		for rows.Next() {
			var no int64
			var raw string
			if err := rows.Scan(&no, &raw); err != nil {
				return err
			}
			if b.Reset(); open && no != last {
				b.WriteString("]}\n")
			}
			if !open || no != last {
				b.WriteString(`{"messages":[`)
			} else {
				b.WriteByte(',')
			}
			open, last = true, no
			b.Write(chatMembers(raw))
			if _, err := w.Write(b.Bytes()); err != nil {
				return err
			}
		}
		if err := rows.Err(); err != nil || !open {
			return err
		}
		_, err = io.WriteString(w, "]}\n")
		return err
	}, func(_ pgx.Tx, first bool) (bool, error) { return !first, nil })
}

// openAIMembers are those that a message of OpenAI's may have.
var openAIMembers = []string{"role", "content", "name", "tool_calls", "tool_call_id", "refusal", "audio", "function_call", "weight"}

// chatMembers gives a message with OpenAI's members alone. A result that names no call is one of a function, as
// it was before there were tools.
func chatMembers(raw string) []byte {
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(raw), &m) != nil {
		return []byte("null") // not written by memd
	}
	if _, calls := m["tool_call_id"]; !calls && string(m["role"]) == `"tool"` {
		m["role"] = json.RawMessage(`"function"`)
		if _, named := m["name"]; !named {
			m["name"] = json.RawMessage(`"function"`)
		}
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for _, name := range openAIMembers {
		v, ok := m[name]
		if !ok {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + name + `":`)
		_ = json.Compact(&b, v) // it is valid: it was parsed
	}
	b.WriteByte('}')
	return b.Bytes()
}

// each calls do for each person that is asked for, within one snapshot, and end after the last; first says that there
// was nobody. It gives false where there was nothing at all.
func (e *Export) each(ctx context.Context, of Of, op string, do func(tx pgx.Tx, user string, first bool) error, end func(tx pgx.Tx, first bool) (bool, error)) error {
	err := pgx.BeginTxFunc(ctx, e.pool.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT set_config('memd.tenant', $1, true)`, of.Tenant); err != nil {
			return err
		}
		after, n := "", 0
		for ; ; n++ {
			var user string
			err := tx.QueryRow(ctx, nextUser, of.Tenant, of.UserID, of.SessionID, after).Scan(&user)
			if err == pgx.ErrNoRows {
				break
			}
			if err != nil {
				return err
			}
			if err := do(tx, user, n == 0); err != nil {
				return err
			}
			after = user
		}
		found, err := end(tx, n == 0)
		if err == nil && !found {
			err = &memd.Error{Kind: memd.NotFound, Op: op, Msg: "there is nothing of it"}
		}
		return err
	})
	return postgres.Err(op, err)
}

const (
	// nextUser is the first person after $4, of all, or the one that is asked for, who must have
	// the session that is.
	nextUser = `SELECT user_id FROM (
		SELECT user_id FROM person WHERE tenant_id = $1
		UNION SELECT user_id FROM memory_scope WHERE tenant_id = $1) p
	 WHERE user_id <> '' AND ($2 = '' OR user_id = $2) AND user_id COLLATE "C" > $4
	   AND ($3 = '' OR EXISTS (SELECT FROM conversation_session s WHERE s.tenant_id = $1 AND s.user_id = p.user_id AND s.session_id = $3))
	 ORDER BY user_id COLLATE "C" LIMIT 1`

	transferUser = `SELECT json_build_object('type', 'user', 'user_id', $2::text,
		'learn', NOT EXISTS (SELECT FROM person WHERE tenant_id = $1 AND user_id = $2 AND NOT learn)), NULL WHERE $3::text IS NOT NULL`

	ofSessions = ` FROM (SELECT no, session_id FROM conversation_session WHERE tenant_id = $1 AND user_id = $2 AND NOT incognito AND ($3 = '' OR session_id = $3) ORDER BY no OFFSET 0) s
		CROSS JOIN LATERAL (SELECT * FROM conversation_context WHERE tenant_id = $1 AND user_id = $2 AND session_id = s.session_id ORDER BY id OFFSET 0) c`

	chats = `SELECT s.no, c.message` + ofSessions
)

// transferSessions names other sessions only where they are among those that are exported.
var transferSessions = `SELECT json_build_object('type', 'session', 'session_id', s.session_id, 'kind', s.kind, 'agent_id', s.agent_id, 'metadata', s.metadata,
		'previous_session_id', ` + transferredSession("s.previous_session_id") + `, 'next_session_id', ` + transferredSession("s.next_session_id") + `,
		'forwards_to', ` + transferredSession("s.forwards_to") + `, 'closed_at', ` + utc("s.closed_at") + `, 'learn', s.learn), NULL
		FROM conversation_session s WHERE s.tenant_id = $1 AND s.user_id = $2 AND NOT s.incognito AND ($3 = '' OR s.session_id = $3) ORDER BY s.no`

func transferredSession(named string) string {
	return `(SELECT p.session_id FROM conversation_session p WHERE p.tenant_id = $1 AND p.user_id = $2
		   AND p.session_id = ` + named + ` AND p.kind = 'chat' AND NOT p.incognito AND ($3 = '' OR p.session_id = $3))`
}

var transferMessages = `SELECT json_build_object('type', 'message', 'session_id', c.session_id, 'client_id', coalesce(c.client_id, ` + postgres.MessageOrigin("c") + `),
	'created_at', ` + utc("c.created_at") + `, 'timezone', c.timezone, 'agent_id', c.agent_id, 'app_id', c.app_id,
	'learn', CASE WHEN c.role IN ('user', 'assistant') THEN c.learn END, 'metadata', c.metadata), c.message` + ofSessions

// ofMemory is what a memory m has beside its text and its ids.
var ofMemory = `'actor_id', m.actor_id, 'role', m.role, 'scope', m.scope, 'memory_type', m.memory_type, 'categories', m.categories, 'metadata', m.metadata,
	'source_id', CASE WHEN NOT m.verbatim THEN 'memd-memory-' || m.id ELSE
		(SELECT min(o.origin COLLATE "C") FROM memory_origin o WHERE o.memory_id = m.id AND o.tenant_id = $1 AND NOT starts_with(o.origin, 'import-')) END,
	'valid_from', ` + utc("m.valid_from") + `, 'occurred_at', ` + utc("m.occurred_at") + `, 'expires_at', ` + utc("m.expires_at")

var transferMemories = `SELECT json_build_object('type', 'memory', 'verbatim', true, 'memory', m.memory, 'app_id', m.app_id, 'agent_ids', m.agent_ids, 'run_ids', m.run_ids,
	` + ofMemory + `), NULL
	FROM ` + theirScopes + `
	CROSS JOIN LATERAL (SELECT * FROM memory WHERE scope_id = s.id AND tenant_id = $1 AND verbatim OFFSET 0) m
	WHERE $3 = '' ORDER BY m.valid_from, m.hash, m.id`
