package shortterm

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/postgres"
)

// Rotation closes a session and opens its next one.
type Rotation struct {
	UserID, SessionID string
	// OfAgent, if it is set, must be the session's agent.
	OfAgent string
	// NextSessionID names the next session; "" names it by a UUID.
	NextSessionID string
	// AgentID, Metadata (a JSON object) and Limits are the next session's; an empty agent
	// and limits that are nil are those of the session.
	AgentID  string
	Metadata json.RawMessage
	Limits   Limits
}

// Rotate closes a session and opens its next one, once: whoever comes after gets the one
// that was opened first, and made is false. Where limits have rotated the session, it is the
// last of those that go by its name. The next one has the kind, the switches and,
// where r does not say, the agent and the limits of the session. What is open of the
// session is published at once. An incognito session goes with its messages, and is not
// the previous one of its next. NotFound: the user has no such session, or it was
// incognito and was closed without a next. Conflict with the
// field session_id: another next one was asked for than it has, or a session has that name.
func (l *Log) Rotate(ctx context.Context, tenant string, r Rotation) (next Session, made bool, err error) {
	if err := r.Limits.check(); err != nil {
		return Session{}, false, err
	}
	asked := r.NextSessionID
	if asked == "" {
		if r.NextSessionID, err = newName(); err != nil {
			return Session{}, false, err
		}
	}
	var ended []opened
	err = l.inTenant(ctx, tenant, func(tx pgx.Tx) error {
		made, ended = false, nil
		on, err := chainOf(ctx, tx, tenant, r.UserID, r.SessionID)
		if err != nil {
			return err
		}
		var h heldSession
		found := len(on) > 0
		if found {
			if h, found, err = l.holdNamed(ctx, tx, tenant, r.UserID, on.last().sessionID, Limits{}); err != nil {
				return err
			}
		}
		if !found || r.OfAgent != "" && h.agentID != r.OfAgent {
			return &memd.Error{Kind: memd.NotFound, Op: "shortterm.rotate", Msg: "no such session"}
		}
		if h.next != "" {
			there := false
			rows, err := tx.Query(ctx, nextSession, tenant, r.UserID, h.next, h.no)
			if err != nil {
				return err
			}
			for rows.Next() {
				there = true
				if next, err = scanSession(rows); err != nil {
					rows.Close()
					return err
				}
			}
			if err := rows.Err(); err != nil {
				return err
			}
			if there && asked != "" && asked != h.next {
				return &memd.Error{Kind: memd.Conflict, Op: "shortterm.rotate", Field: "session_id", Msg: "the session is followed by another"}
			}
			if there {
				return nil
			}
			// It was deleted: there is none again.
		}
		if h.over {
			return &memd.Error{Kind: memd.NotFound, Op: "shortterm.rotate", Msg: "no such session"}
		}
		after, err := l.follow(ctx, tx, tenant, h, r, h.forwardsTo != "")
		if err != nil {
			return err
		}
		if after == nil {
			return &memd.Error{Kind: memd.Conflict, Op: "shortterm.rotate", Field: "session_id", Msg: "the user has a session of this name"}
		}
		next, made, ended = after.Session, true, after.opened
		return nil
	})
	if err != nil {
		return Session{}, false, postgres.Err("shortterm.rotate", err)
	}
	for _, o := range ended {
		l.publishOpened(tenant, o)
	}
	return next, made, nil
}

// follower is a session that follows another, and what is open of that one.
type follower struct {
	Session
	opened []opened
}

// follow makes the next session of one that is held within tx, and closes that one.
// forwards says whether what is posted under its name lands in the next. It is nil if a
// session has the next one's name.
func (l *Log) follow(ctx context.Context, tx pgx.Tx, tenant string, h heldSession, r Rotation, forwards bool) (*follower, error) {
	metadata := r.Metadata
	if len(metadata) == 0 {
		metadata = json.RawMessage(`{}`)
	}
	rows, err := tx.Query(ctx, makeNext, append([]any{tenant, h.no, r.NextSessionID, optional(r.AgentID), metadata}, r.Limits.columns()...)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var f *follower
	for rows.Next() {
		s, err := scanSession(rows)
		if err != nil {
			return nil, err
		}
		f = &follower{Session: s}
	}
	if err := rows.Err(); err != nil || f == nil {
		return nil, err
	}
	b := &pgx.Batch{}
	b.Queue(closeFor, tenant, h.no, r.NextSessionID, forwards)
	l.queueEnd(b, tenant, h.no, h.incognito, &f.opened)
	return f, tx.SendBatch(ctx, b).Close()
}

// queueEnd does what is to be done of a session that has just been closed: an incognito one
// is emptied, any other's open messages need wait no longer, and it is to be summed up.
// ended is what there is to publish of these once the transaction is committed.
func (l *Log) queueEnd(b *pgx.Batch, tenant string, no int64, incognito bool, ended *[]opened) {
	*ended = nil
	if incognito {
		queueEmpty(b, tenant, no)
		return
	}
	if l.cfg.Summaries {
		b.Queue(closedSummaryDue, tenant, no)
	}
	b.Queue(hasten, tenant, no).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var id int64
			var backfill bool
			if err := rows.Scan(&id, &backfill); err != nil {
				return err
			}
			all := *ended
			if n := len(all); n == 0 || all[n-1].backfill != backfill {
				all = append(all, opened{sessionNo: no, backfill: backfill})
			}
			all[len(all)-1].ids = append(all[len(all)-1].ids, id)
			*ended = all
		}
		return rows.Err()
	})
}

// queueEmpty takes all that an incognito session holds; its name stays taken, so that what
// comes late does not make an ordinary one.
func queueEmpty(b *pgx.Batch, tenant string, no int64) {
	b.Queue(dropSaid, tenant, no)
	b.Queue(dropSummary, tenant, no)
	b.Queue(dropSummaryDue, tenant, no)
	b.Queue(blankSession, tenant, no)
}

// opened are messages of a session that may be claimed now.
type opened struct {
	sessionNo int64
	backfill  bool
	ids       []int64
}

// publishOpened tells of them. It may be lost.
func (l *Log) publishOpened(tenant string, o opened) {
	l.offer(bus.Work{Tenant: tenant, SessionNo: o.sessionNo, MessageIDs: o.ids, Backfill: o.backfill}, anew())
}

// anew is a number that no publication of the same messages had: the stream drops what it
// has seen of late.
func anew() int { return int(time.Now().UnixMilli() & 0x7fffffff) }

// tries is how often a transaction is tried that others stand in the way of.
const tries = 3

// inTenant is the pool's, tried again where Postgres ended it for another's sake.
func (l *Log) inTenant(ctx context.Context, tenant string, do func(pgx.Tx) error) error {
	for again := 1; ; again++ {
		err := l.pool.InTenant(ctx, tenant, do)
		if !postgres.Deadlocked(err) || again >= tries || ctx.Err() != nil {
			return err
		}
	}
}

const (
	// nextSession is the one of a name that follows number $4, also if it was incognito and is
	// over.
	nextSession = `SELECT ` + sessionColumns + ` FROM conversation_session WHERE tenant_id = $1 AND user_id = $2 AND session_id = $3 AND no > $4`

	makeNext = `INSERT INTO conversation_session (tenant_id, user_id, session_id, kind, agent_id, previous_session_id, metadata,
		       learn, incognito, rotate_idle, rotate_turns, rotate_tokens, rotate_age)
		SELECT $1, user_id, $3, kind, coalesce($4, agent_id), CASE WHEN NOT incognito THEN session_id END, $5,
		       learn, incognito, coalesce($6, rotate_idle), coalesce($7, rotate_turns), coalesce($8, rotate_tokens), coalesce($9, rotate_age)
		  FROM conversation_session WHERE tenant_id = $1 AND no = $2
		ON CONFLICT (tenant_id, user_id, session_id) DO NOTHING
		RETURNING ` + sessionColumns

	// closeFor: the clock's time, so that what came before it did so by its own time too.
	closeFor = `UPDATE conversation_session
		   SET closed_at = coalesce(closed_at, clock_timestamp()), next_session_id = $3, forwards_to = CASE WHEN $4 THEN $3 END
		 WHERE tenant_id = $1 AND no = $2`

	// hasten leaves alone what others are at, who will be done with it.
	hasten = `WITH open AS (
		SELECT message_id FROM ingest_open WHERE tenant_id = $1 AND session_no = $2 AND state <> 'running'
		 ORDER BY message_id FOR UPDATE SKIP LOCKED
	), due AS (
		UPDATE ingest_open o SET next_attempt_at = CASE o.state WHEN 'failed' THEN now() END, publish_at = now() + interval '5 s'
		 WHERE o.tenant_id = $1 AND o.message_id = ANY (ARRAY(SELECT message_id FROM open))
		RETURNING o.message_id, o.priority
	)
	SELECT message_id, priority > 0 FROM due ORDER BY 2, 1`

	dropSaid = `DELETE FROM conversation_context c USING conversation_session s
		 WHERE s.tenant_id = $1 AND s.no = $2 AND c.tenant_id = $1 AND c.user_id = s.user_id AND c.session_id = s.session_id`

	dropSummary    = `DELETE FROM session_summary WHERE tenant_id = $1 AND session_no = $2`
	dropSummaryDue = `DELETE FROM summary_due WHERE tenant_id = $1 AND session_no = $2`

	closedSummaryDue = `INSERT INTO summary_due (session_no, tenant_id)
		SELECT no, $1 FROM conversation_session WHERE tenant_id = $1 AND no = $2 AND kind = 'chat' AND learn AND last_message_id IS NOT NULL
		ON CONFLICT (session_no) DO UPDATE SET attempts = 0, due_at = now()`

	blankSession = `UPDATE conversation_session
		   SET title = NULL, metadata = '{}', previous_session_id = NULL, removed = messages, last_message_id = NULL, last_message_at = NULL,
		       heard_at = NULL, turns = 0, bytes = 0, closed_at = coalesce(closed_at, now())
		 WHERE tenant_id = $1 AND no = $2`
)
