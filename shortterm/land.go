package shortterm

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

// stop is a session on the way that what is posted under a name takes.
type stop struct {
	no        int64
	sessionID string
	// forwardsTo is the next stop, "" at the last one. Where that one was deleted, the way
	// ends before it.
	forwardsTo string
	// over says that the session was incognito and has ended.
	over bool
}

// way is the session that was asked for and those that it forwards to, one after the
// other; empty if there is no such session. What has client ids has in it also the sessions
// that the way has led through before it was shortened.
type way []stop

func (w way) last() stop { return w[len(w)-1] }

// queueWay has on filled with the way of w. Sessions are not
// locked: one that forwards does so for ever, so that whoever finds the last one as it was
// once it is locked has come to the right one.
func (w write) queueWay(b *pgx.Batch, on *way) {
	b.Queue(wayOn, w.tenant, w.user, w.session, w.named).Query(func(rows pgx.Rows) error {
		*on = nil
		for rows.Next() {
			var s stop
			var forwards *string
			if err := rows.Scan(&s.no, &s.sessionID, &forwards, &s.over); err != nil {
				return err
			}
			s.forwardsTo = value(forwards)
			*on = append(*on, s)
		}
		return rows.Err()
	})
}

// maxHalts is how often a write looks for where it lands. Those that turn sessions of a user
// over go one after the other, so that only a deletion, or a rotation that was asked for, has
// one look again.
const maxHalts = 10

// sendOn writes w where the session that it names is none to write to: to the one that
// takes its place, which it may have to make. An answer without messages says that it
// became another in the meantime, unless it is a replay.
func (l *Log) sendOn(ctx context.Context, w write) (Appended, error) {
	if w.key != nil {
		// What was written with the key is the answer, whatever became of the session.
		answer, found, err := l.replay(ctx, w.tenant, *w.key)
		if err != nil || found {
			return answer, err
		}
	}
	var on way
	b := &pgx.Batch{}
	b.Queue(setTenant, w.tenant, "0")
	w.queueWay(b, &on)
	if err := l.pool.SendBatch(ctx, b).Close(); err != nil {
		return Appended{}, err
	}
	w.known = false
	if len(on) == 0 {
		return l.send(ctx, w)
	}
	if len(on) > 1 && on.last().forwardsTo == "" {
		answer, err := l.send(ctx, w.along(on))
		if err == nil && len(answer.Messages) > 0 {
			l.shorten(ctx, w, on)
		}
		if err != nil || len(answer.Messages) > 0 {
			return answer, err
		}
	}
	var answer Appended
	err := l.pool.InTenant(ctx, w.tenant, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(lendTimeout, strconv.FormatInt(l.cfg.LockTimeout.Milliseconds(), 10))
		b.Queue(lockChains, w.tenant, w.user)
		w.queueWay(b, &on) // as those before have left it
		if err := tx.SendBatch(ctx, b).Close(); err != nil || len(on) == 0 {
			return err
		}
		var landed string
		var err error
		answer, landed, err = l.land(ctx, tx, w, on)
		if from := on[0]; err == nil && len(answer.Messages) > 0 && from.forwardsTo != "" && from.forwardsTo != landed {
			_, err = tx.Exec(ctx, shortenWay, w.tenant, from.no, from.forwardsTo, landed)
		}
		return err
	})
	if err != nil {
		return Appended{}, err
	}
	return answer, nil
}

// along is w as it is written to the last session of its way.
func (w write) along(on way) write {
	w.session = on.last().sessionID
	w.before = on[:len(on)-1]
	return w
}

// land writes w within tx to the last session of its way, or to the one that follows it,
// which is made if a limit was reached or if it was deleted; landed says to which. An answer
// without messages says that the last session is that no longer.
func (l *Log) land(ctx context.Context, tx pgx.Tx, w write, on way) (answer Appended, landed string, err error) {
	h, found, err := l.holdNamed(ctx, tx, w.tenant, w.user, on.last().sessionID, w.limits)
	if err != nil || !found || h.forwardsTo != on.last().forwardsTo {
		return Appended{}, "", err
	}
	if h.over && h.forwardsTo == "" {
		return Appended{}, "", isOverErr(w.session)
	}
	w = w.along(on)
	next := h.forwardsTo
	if next == "" && w.rotates {
		due, err := l.isDue(ctx, tx, w, h)
		if err != nil {
			return Appended{}, "", err
		}
		if due {
			if next, err = newName(); err != nil {
				return Appended{}, "", err
			}
		}
	}
	w.rotates = false
	var turned []opened
	if next != "" {
		made, err := l.follow(ctx, tx, w.tenant, h, Rotation{NextSessionID: next}, true)
		if err != nil {
			return Appended{}, "", err
		}
		if made == nil {
			return Appended{}, "", nil // another has made it again
		}
		turned = made.opened
		w.session, w.before = next, append(w.before, h.stop)
	}
	b := &pgx.Batch{}
	w.queue(b, &answer)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return Appended{}, "", err
	}
	answer.turned = turned
	return answer, w.session, nil
}

// heldSession is a session whose row is locked.
type heldSession struct {
	stop
	userID  string
	agentID string
	next    string
	// mayTurn says that it is one that a limit may close; aged and full, which kind of limit
	// it has reached, and overfull that it is twice the latter.
	mayTurn, aged, full, overfull bool
	lastMessage                   *int64
	incognito                     bool
}

// holdNamed locks a session within tx. limits are those of one that has none of its own.
func (l *Log) holdNamed(ctx context.Context, tx pgx.Tx, tenant, userID, sessionID string, limits Limits) (h heldSession, found bool, err error) {
	rows, err := tx.Query(ctx, holdNamed, tenant, userID, sessionID, limits.Idle, limits.Turns, limits.Tokens, limits.Age)
	if err != nil {
		return h, false, err
	}
	defer rows.Close()
	h.userID = userID
	for rows.Next() {
		var forwards, next, agent *string
		if err := rows.Scan(&h.no, &h.sessionID, &forwards, &h.over, &next, &agent, &h.incognito,
			&h.mayTurn, &h.aged, &h.full, &h.overfull, &h.lastMessage); err != nil {
			return h, false, err
		}
		h.forwardsTo, h.next, h.agentID, found = value(forwards), value(next), value(agent), true
	}
	return h, found, rows.Err()
}

// isDue says whether w opens the next session of h. What stands there under a client id
// was posted before and comes again: it must not come to stand twice. A call of a tool and
// its result stay together, as long as that does not take for ever.
func (l *Log) isDue(ctx context.Context, tx pgx.Tx, w write, h heldSession) (bool, error) {
	if !h.mayTurn || !h.aged && !h.full {
		return false, nil
	}
	if w.named {
		known := []int64{h.no}
		for _, s := range w.before {
			known = append(known, s.no)
		}
		var there bool
		if err := tx.QueryRow(ctx, anyThere, w.tenant, known, w.clients).Scan(&there); err != nil || there {
			return false, err
		}
	}
	if h.aged || h.overfull {
		return true, nil
	}
	var role, raw string
	var called bool
	err := tx.QueryRow(ctx, lastOf, w.tenant, h.lastMessage).Scan(&role, &raw, &called)
	// A result that came late, when the user had gone on, holds nothing up.
	late := memd.Role(role) == memd.RoleTool && !called
	return err == nil && (late || !isUnanswered(memd.Role(role), []byte(raw))), err
}

// isUnanswered says of the last message of a session whether it is in the midst of calling
// tools.
func isUnanswered(role memd.Role, raw []byte) bool {
	if role != memd.RoleAssistant {
		return role == memd.RoleTool
	}
	var m struct {
		ToolCalls    []json.RawMessage `json:"tool_calls"`
		FunctionCall json.RawMessage   `json:"function_call"`
	}
	if json.Unmarshal(raw, &m) != nil {
		return false
	}
	return len(m.ToolCalls) > 0 || len(m.FunctionCall) > 0 && string(m.FunctionCall) != "null"
}

// shorten has the session that was asked for forward to where its way ends. It is no part
// of what was asked: where it fails, or sessions of the user are just turned over or
// deleted, the way stays as long as it is.
func (l *Log) shorten(ctx context.Context, w write, on way) {
	if on[0].forwardsTo == on.last().sessionID {
		return
	}
	_ = l.pool.InTenant(ctx, w.tenant, func(tx pgx.Tx) error {
		var free bool
		if err := tx.QueryRow(ctx, tryChains, w.tenant, w.user).Scan(&free); err != nil || !free {
			return err
		}
		// Who was deleted meanwhile must not be led to: the name may become another's.
		var now way
		b := &pgx.Batch{}
		w.queueWay(b, &now)
		if err := tx.SendBatch(ctx, b).Close(); err != nil || len(now) == 0 || now.last().forwardsTo != "" {
			return err
		}
		_, err := tx.Exec(ctx, shortenWay, w.tenant, now[0].no, now[0].forwardsTo, now.last().sessionID)
		return err
	})
}

func newName() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", &memd.Error{Kind: memd.Internal, Op: "shortterm.session", Err: err}
	}
	return id.String(), nil
}

func isOverErr(sessionID string) error {
	return &memd.Error{Kind: memd.Conflict, Op: "shortterm.append", Field: "session_id", Msg: "the session was incognito and is over"}
}

const (
	// wayOn: a session leads only to those made after it, so that one of an old name, made
	// anew, is none that it has led to. back are those ($4) that the last carries on, as far
	// as the first.
	wayOn = `WITH RECURSIVE hop AS (
		SELECT no, session_id, forwards_to, ` + isOver + ` AS over, previous_session_id, no AS first, 0 AS n
		  FROM conversation_session WHERE tenant_id = $1 AND user_id = $2 AND session_id = $3
		UNION ALL
		SELECT o.no, o.session_id, o.forwards_to, o.incognito AND o.closed_at IS NOT NULL, o.previous_session_id, hop.first, hop.n + 1
		  FROM hop JOIN conversation_session o ON o.tenant_id = $1 AND o.user_id = $2 AND o.session_id = hop.forwards_to AND o.no > hop.no
		 WHERE hop.n < 10000
	), back AS (
		SELECT * FROM (SELECT * FROM hop WHERE $4 AND n > 0 ORDER BY no DESC LIMIT 1) last
		UNION ALL
		SELECT p.no, p.session_id, p.forwards_to, p.incognito AND p.closed_at IS NOT NULL, p.previous_session_id, back.first, back.n + 1
		  FROM back JOIN conversation_session p ON p.tenant_id = $1 AND p.user_id = $2 AND p.session_id = back.previous_session_id
		   AND p.no < back.no AND p.no > back.first
		 WHERE back.n < 10000
	)
	SELECT no, session_id, forwards_to, over FROM hop
	UNION SELECT no, session_id, forwards_to, over FROM back ORDER BY no`

	// shortenWay changes it only from what it was found to be, and waits for nobody.
	shortenWay = `UPDATE conversation_session SET forwards_to = $4 WHERE tenant_id = $1 AND no = (
		SELECT no FROM conversation_session WHERE tenant_id = $1 AND no = $2 AND forwards_to = $3 FOR NO KEY UPDATE SKIP LOCKED)`

	tryChains = `SELECT pg_try_advisory_xact_lock(hashtext($1), hashtext($2))`

	holdNamed = `SELECT no, session_id, forwards_to, ` + isOver + `, next_session_id, agent_id, incognito,
		       closed_at IS NULL AND kind = 'chat' AND last_message_id IS NOT NULL,
		       heard_at <= now() - nullif(coalesce(rotate_idle, $4), interval '0') IS TRUE
		       OR greatest(now() - created_at, created_at - now()) >= nullif(coalesce(rotate_age, $7), interval '0') IS TRUE,
		       turns >= nullif(coalesce(rotate_turns, $5), 0) IS TRUE OR bytes >= 4 * nullif(coalesce(rotate_tokens, $6), 0) IS TRUE,
		       turns >= 2 * nullif(coalesce(rotate_turns, $5), 0)::bigint IS TRUE OR bytes >= 8 * nullif(coalesce(rotate_tokens, $6), 0) IS TRUE,
		       last_message_id
		  FROM conversation_session WHERE tenant_id = $1 AND user_id = $2 AND session_id = $3 FOR NO KEY UPDATE`

	anyThere = `SELECT EXISTS (SELECT FROM conversation_context WHERE tenant_id = $1 AND session_no = ANY ($2::bigint[]) AND client_id = ANY ($3::text[]))`

	// lastOf is a message, and of a tool's result whether one was called in the same turn.
	lastOf = `SELECT l.role, l.message, l.role = 'tool' AND EXISTS (
		SELECT FROM conversation_context c
		 WHERE c.tenant_id = $1 AND c.user_id = l.user_id AND c.session_id = l.session_id AND c.id < l.id AND c.role = 'assistant' AND c.message LIKE '%\_call%'
		   AND c.id > coalesce((SELECT u.id FROM conversation_context u
		        WHERE u.tenant_id = $1 AND u.user_id = l.user_id AND u.session_id = l.session_id AND u.id < l.id AND u.role = 'user' ORDER BY u.id DESC LIMIT 1), 0))
		  FROM conversation_context l WHERE l.tenant_id = $1 AND l.id = $2`
)
