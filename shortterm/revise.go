package shortterm

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/postgres"
)

// Held is a message whose session is locked: nothing is appended to it, and nobody else
// changes it, until the transaction ends.
type Held struct {
	Entry
	SessionNo int64
}

// Hold locks the session of a message within tx, which must be the tenant's, and reads
// the message. NotFound: there is none that carries every id of check.
func (l *Log) Hold(ctx context.Context, tx pgx.Tx, tenant string, id int64, check memd.Scope) (Held, error) {
	var h Held
	found := false
	b := &pgx.Batch{}
	b.Queue(lockSessionOf, tenant, id).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if err := rows.Scan(&h.SessionNo); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	b.Queue(oneMessage, tenant, id, check.UserID, check.AgentID, check.RunID, check.AppID).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var err error
			if h.Entry, found, err = scanEntry(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return Held{}, postgres.Err("shortterm.hold", err)
	}
	if !found || h.SessionNo == 0 {
		return Held{}, &memd.Error{Kind: memd.NotFound, Op: "shortterm.hold", Msg: "no such message"}
	}
	return h, nil
}

// Part is a session that is held whole: nobody reads or writes its row meanwhile.
type Part struct {
	SessionNo int64
	// AgentID is "" for none.
	AgentID string
	// MessageIDs are those of its messages, ascending.
	MessageIDs []int64
}

// HoldChain locks a session of a user within tx and all that limits have rotated it to, which
// go by its name, and gives them in their order. NotFound: there is none.
func (l *Log) HoldChain(ctx context.Context, tx pgx.Tx, tenant, userID, sessionID string) ([]Part, error) {
	on, err := chainOf(ctx, tx, tenant, userID, sessionID)
	if err != nil {
		return nil, postgres.Err("shortterm.hold", err)
	}
	rows, err := tx.Query(ctx, lockWholeSessions, tenant, on.numbers())
	if err != nil {
		return nil, postgres.Err("shortterm.hold", err)
	}
	parts, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p Part, err error) {
		err = row.Scan(&p.SessionNo, &p.AgentID)
		return p, err
	})
	if err == nil && len(parts) == 0 {
		err = &memd.Error{Kind: memd.NotFound, Op: "shortterm.hold", Msg: "no such session"}
	}
	if err != nil {
		return nil, postgres.Err("shortterm.hold", err)
	}
	slices.SortFunc(parts, func(a, b Part) int { return cmp.Compare(a.SessionNo, b.SessionNo) })
	b := &pgx.Batch{}
	for i := range parts {
		b.Queue(messagesOfSession, tenant, parts[i].SessionNo).Query(func(rows pgx.Rows) (err error) {
			parts[i].MessageIDs, err = pgx.CollectRows(rows, pgx.RowTo[int64])
			return err
		})
	}
	return parts, postgres.Err("shortterm.hold", tx.SendBatch(ctx, b).Close())
}

// chainOf has nobody turn over or delete sessions of a user until tx ends, and gives one of
// them with all that limits have rotated it to. It comes before the locks of sessions.
func chainOf(ctx context.Context, tx pgx.Tx, tenant, userID, sessionID string) (way, error) {
	w := write{tenant: tenant, user: userID, session: sessionID, named: true}
	var on way
	b := &pgx.Batch{}
	b.Queue(lockChains, tenant, userID)
	w.queueWay(b, &on)
	err := tx.SendBatch(ctx, b).Close()
	return on, err
}

// numbers are those of the sessions of a way.
func (w way) numbers() []int64 {
	all := make([]int64, len(w))
	for i, s := range w {
		all[i] = s.no
	}
	return all
}

// Reword puts a message's raw JSON in the place of what it was, within tx in which it is
// held, and opens it anew if it is one to be learned from, which opened says. Whoever was
// learning from its old words loses the claim. Tell what was opened with Publish once tx
// is committed.
func (l *Log) Reword(ctx context.Context, tx pgx.Tx, tenant string, id int64, raw json.RawMessage) (opened bool, err error) {
	titled, err := l.titledBy(ctx, tx, tenant, []int64{id})
	if err == nil {
		err = tx.QueryRow(ctx, rewordMessage, tenant, id, string(raw)).Scan(&opened)
	}
	if err == nil {
		err = l.retitle(ctx, tx, tenant, titled)
	}
	return opened, postgres.Err("shortterm.reword", err)
}

// Reopen has held messages learned from again that have settled, within tx; those that
// are never learned from, and those that are open, stay as they are. It says how many.
func (l *Log) Reopen(ctx context.Context, tx pgx.Tx, tenant string, ids []int64) (int, error) {
	tag, err := tx.Exec(ctx, reopenMessages, tenant, ids, 0)
	return int(tag.RowsAffected()), postgres.Err("shortterm.reopen", err)
}

// Relearn has messages of a session learned from again that stated something together with
// one whose words go, within tx in which it is held, and takes from whoever is learning from
// messages after that one, with the old words in view, the right to it. It gives those to tell
// of with Publish once tx is committed.
func (l *Log) Relearn(ctx context.Context, tx pgx.Tx, tenant string, sessionNo, id int64, bereft []int64) (opened []int64, err error) {
	collect := func(rows pgx.Rows) error {
		some, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		opened = append(opened, some...)
		return err
	}
	b := &pgx.Batch{}
	b.Queue(interruptAfter, tenant, sessionNo, id).Query(collect)
	if len(bereft) > 0 {
		b.Queue(reopenMessages+` RETURNING message_id`, tenant, bereft, 0).Query(collect)
	}
	err = tx.SendBatch(ctx, b).Close()
	return opened, postgres.Err("shortterm.relearn", err)
}

// Remove deletes messages of one session, within tx in which it is held, with all that is
// known of their ingest.
func (l *Log) Remove(ctx context.Context, tx pgx.Tx, tenant string, sessionNo int64, ids []int64) error {
	titled, err := l.titledBy(ctx, tx, tenant, ids)
	if err != nil {
		return postgres.Err("shortterm.remove", err)
	}
	b := &pgx.Batch{}
	b.Queue(markRemoved, tenant, ids)
	b.Queue(removeOpen, tenant, ids)
	b.Queue(removeSettled, tenant, ids)
	b.Queue(removeMessages, tenant, ids)
	b.Queue(recountSession, tenant, sessionNo, len(ids))
	if len(ids) > 0 {
		b.Queue(dropStaleSummary, tenant, sessionNo, slices.Min(ids))
	}
	if err = tx.SendBatch(ctx, b).Close(); err == nil {
		err = l.retitle(ctx, tx, tenant, titled)
	}
	return postgres.Err("shortterm.remove", err)
}

// titledBy gives the session that has its title from one of these messages, all of one
// session, 0 if none: a title that a caller has set is nobody's words but theirs.
func (l *Log) titledBy(ctx context.Context, tx pgx.Tx, tenant string, ids []int64) (sessionNo int64, err error) {
	rows, err := tx.Query(ctx, titledMessages, tenant, ids)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var no int64
		var has, raw string
		if err := rows.Scan(&no, &has, &raw); err != nil {
			return 0, err
		}
		if has == titleOf(raw) {
			sessionNo = no
		}
	}
	return sessionNo, rows.Err()
}

// retitle makes a session's title anew from the user messages that it has now; it does
// nothing for session 0.
func (l *Log) retitle(ctx context.Context, tx pgx.Tx, tenant string, sessionNo int64) error {
	if sessionNo == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, firstUserMessages, tenant, sessionNo)
	if err != nil {
		return err
	}
	raws, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	made := ""
	for _, raw := range raws {
		if made = titleOf(raw); made != "" {
			break
		}
	}
	_, err = tx.Exec(ctx, setTitle, tenant, sessionNo, optional(made))
	return err
}

// RemoveSession deletes a session whose messages are gone, within tx in which it is held;
// those before and after it carry each other on. Of an incognito one the name stays taken.
func (l *Log) RemoveSession(ctx context.Context, tx pgx.Tx, tenant string, sessionNo int64) error {
	var incognito bool
	err := tx.QueryRow(ctx, isIncognito, tenant, sessionNo).Scan(&incognito)
	if err == nil {
		b := &pgx.Batch{}
		if incognito {
			queueEmpty(b, tenant, sessionNo)
		} else {
			b.Queue(dropSummary, tenant, sessionNo)
			b.Queue(dropSummaryDue, tenant, sessionNo)
			b.Queue(joinNeighbours, tenant, sessionNo)
			b.Queue(removeSession, tenant, sessionNo)
		}
		err = tx.SendBatch(ctx, b).Close()
	}
	return postgres.Err("shortterm.remove_session", err)
}

// Publish tells that messages of a session were opened anew. As with Announce it may be
// lost.
func (l *Log) Publish(tenant string, sessionNo int64, ids []int64) {
	l.offer(bus.Work{Tenant: tenant, SessionNo: sessionNo, MessageIDs: ids}, anew())
}

// Change is what a person changes of a session; nil fields stay.
type Change struct {
	Title *string
	// Metadata is a merge patch, an object.
	Metadata func(json.RawMessage) (json.RawMessage, error)
	// Closed true closes the session; what is closed stays so, and false is Invalid.
	Closed *bool
	// Learn says whether anything is learned from what is posted to it. Turned off, what is
	// open is skipped.
	Learn *bool
	// Limits gives its limits to change.
	Limits func(Limits) (Limits, error)
}

// ChangeSession changes a session. Where limits have rotated it, what goes by its name is
// changed: Learn, Metadata and Limits of all of these, while Closed closes the last of them;
// the title is its own. It gives the one that was asked for, or, if that was incognito and is
// over, the last; with Closed, when the last was closed. An incognito one that is closed goes, with all its messages. NotFound: the
// user has none of this name, or not this agent's, where one is given. Invalid: it should be
// opened again, a limit cannot be, or an incognito one should be learned from.
func (l *Log) ChangeSession(ctx context.Context, tenant, userID, sessionID, agentID string, c Change) (Session, error) {
	if c.Closed != nil && !*c.Closed {
		return Session{}, memd.InvalidField("closed", "must not be false: what is closed stays so")
	}
	var changed Session
	var ended []opened
	err := l.inTenant(ctx, tenant, func(tx pgx.Tx) error {
		on, err := chainOf(ctx, tx, tenant, userID, sessionID)
		if err != nil {
			return err
		}
		type part struct {
			Session
			no int64
		}
		rows, err := tx.Query(ctx, lockedSessions, tenant, on.numbers())
		if err != nil {
			return err
		}
		parts, err := pgx.CollectRows(rows, func(pgx.CollectableRow) (p part, err error) {
			p.Session, err = scanSession(rows, &p.no)
			return p, err
		})
		if err != nil {
			return err
		}
		slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.no, b.no) })
		if len(parts) == 0 || agentID != "" && value(parts[0].AgentID) != agentID {
			return &memd.Error{Kind: memd.NotFound, Op: "shortterm.change_session", Msg: "no such session"}
		}
		ended = nil
		b := &pgx.Batch{}
		for i := range parts {
			s := &parts[i]
			last := s.no == on.last().no
			if err := c.apply(&s.Session, s.SessionID == sessionID || len(parts) == 1); err != nil {
				return err
			}
			// One that leads on to what was deleted is closed already: it does so no longer.
			closes := c.Closed != nil && last && (s.ClosedAt == nil || s.ForwardsTo != nil)
			ends := closes && s.ClosedAt == nil
			b.Queue(changeSession, tenant, s.no, s.Title, s.Metadata, s.Learn, s.Limits.Idle, s.Limits.Turns, s.Limits.Tokens, s.Limits.Age, closes).
				QueryRow(func(row pgx.Row) error { return row.Scan(&s.ClosedAt, &s.ForwardsTo) })
			if c.Learn != nil && !s.Learn {
				b.Queue(dropOpenOfSession, tenant, s.no, notLearned)
			}
			if ends {
				l.queueEnd(b, tenant, s.no, s.Incognito, &ended)
			}
		}
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		changed = parts[0].Session
		if c.Closed != nil {
			for _, p := range parts {
				if p.no == on.last().no {
					changed.ClosedAt = p.ClosedAt
				}
			}
		}
		changed.ClosedAt = utc(changed.ClosedAt)
		return nil
	})
	if err != nil {
		return Session{}, postgres.Err("shortterm.change_session", err)
	}
	for _, o := range ended {
		l.publishOpened(tenant, o)
	}
	return changed, nil
}

// apply changes what is to be changed of s; named says that it is the one that was asked for.
func (c Change) apply(s *Session, named bool) (err error) {
	if c.Title != nil && named {
		s.Title = optional(*c.Title)
	}
	if c.Metadata != nil {
		if s.Metadata, err = c.Metadata(s.Metadata); err != nil {
			return err
		}
	}
	if c.Limits != nil {
		if s.Limits, err = c.Limits(s.Limits); err != nil {
			return err
		}
		if err := s.Limits.check(); err != nil {
			return err
		}
	}
	if c.Learn != nil {
		if *c.Learn && s.Incognito {
			return learnsNothing()
		}
		s.Learn = *c.Learn
	}
	return nil
}

const (
	lockSessionOf = `SELECT s.no FROM conversation_context c
		 CROSS JOIN LATERAL (SELECT no FROM conversation_session WHERE tenant_id = $1 AND no = c.session_no FOR NO KEY UPDATE) s
		 WHERE c.tenant_id = $1 AND c.id = $2`

	// FOR UPDATE: no writer may wait for the row and then find it gone half-way.
	lockWholeSessions = `SELECT no, coalesce(agent_id, '') FROM conversation_session
		 WHERE tenant_id = $1 AND no = ANY ($2::bigint[]) AND NOT ` + isOver + ` ORDER BY session_id COLLATE "C" FOR UPDATE`

	messagesOfSession = `SELECT c.id FROM conversation_session s JOIN conversation_context c ON c.tenant_id = $1 AND c.user_id = s.user_id AND c.session_id = s.session_id
		 WHERE s.tenant_id = $1 AND s.no = $2 ORDER BY c.id`

	// openAnew keeps the attempts of one that is worked on: they tell the claim of the old
	// words from those to come.
	openAnew = `ON CONFLICT (message_id) DO UPDATE
		   SET state = 'pending', attempts = CASE ingest_open.state WHEN 'running' THEN ingest_open.attempts ELSE 0 END, lease_until = NULL, next_attempt_at = NULL, error = NULL, opened_at = now(), publish_at = now() + interval '5 s'`

	// rewordMessage: what is said while nothing is learned is skipped for ever, here too.
	rewordMessage = `WITH said AS (
		UPDATE conversation_context c SET message = $3, learn = c.learn AND ` + messageLearns + `
		 WHERE c.tenant_id = $1 AND c.id = $2 RETURNING c.id, c.session_no, c.user_id, c.learn
	), unsettled AS (
		DELETE FROM ingest_settled WHERE tenant_id = $1 AND message_id = $2
	), closed AS (
		DELETE FROM ingest_open WHERE tenant_id = $1 AND message_id = $2 AND NOT (SELECT learn FROM said)
	), stale AS (
		` + staleSummary + `(SELECT session_no FROM said) AND upto >= $2 RETURNING session_no
	), due AS (
		` + summaryDue + `
	), opened AS (
		INSERT INTO ingest_open (message_id, tenant_id, session_no, lot)
		SELECT id, $1, session_no, hashtextextended(user_id, 0) FROM said WHERE learn ` + openAnew + `
	)
	SELECT learn FROM said`

	// interruptAfter keeps the attempts, as openAnew does.
	interruptAfter = `UPDATE ingest_open SET state = 'pending', lease_until = NULL, next_attempt_at = NULL, publish_at = now() + interval '5 s'
		 WHERE tenant_id = $1 AND session_no = $2 AND message_id > $3 AND state = 'running' RETURNING message_id`

	// reopenMessages: $3 is the priority, 1 behind live traffic.
	reopenMessages = `WITH unsettled AS (
		DELETE FROM ingest_settled e USING conversation_context c
		 WHERE e.tenant_id = $1 AND e.message_id = ANY ($2::bigint[]) AND c.tenant_id = $1 AND c.id = e.message_id AND c.learn AND ` + messageLearns + `
		RETURNING e.message_id
	)
	INSERT INTO ingest_open (message_id, tenant_id, session_no, again, priority, lot)
	SELECT c.id, $1, c.session_no, true, $3, hashtextextended(c.user_id, 0) FROM unsettled u JOIN conversation_context c ON c.tenant_id = $1 AND c.id = u.message_id
	 ORDER BY c.id`

	removeOpen     = `DELETE FROM ingest_open WHERE tenant_id = $1 AND message_id = ANY ($2::bigint[])`
	removeSettled  = `DELETE FROM ingest_settled WHERE tenant_id = $1 AND message_id = ANY ($2::bigint[])`
	removeMessages = `DELETE FROM conversation_context WHERE tenant_id = $1 AND id = ANY ($2::bigint[])`

	titledMessages = `SELECT s.no, s.title, c.message FROM conversation_context c
		 CROSS JOIN LATERAL (SELECT no, title FROM conversation_session WHERE tenant_id = $1 AND no = c.session_no OFFSET 0) s
		 WHERE c.tenant_id = $1 AND c.id = ANY ($2::bigint[]) AND c.role = 'user' AND s.title IS NOT NULL`

	// firstUserMessages: some may be without a text.
	firstUserMessages = `SELECT c.message FROM conversation_session s JOIN conversation_context c ON c.tenant_id = $1 AND c.user_id = s.user_id AND c.session_id = s.session_id AND c.role = 'user'
		 WHERE s.tenant_id = $1 AND s.no = $2 ORDER BY c.id LIMIT 20`

	setTitle = `UPDATE conversation_session SET title = $3 WHERE tenant_id = $1 AND no = $2`

	recountSession = `UPDATE conversation_session s
		   SET removed = s.removed + $3, last_message_id = last.id, last_message_at = last.created_at
		  FROM (SELECT 1) one LEFT JOIN LATERAL (
			SELECT c.id, c.created_at FROM conversation_session o JOIN conversation_context c
			    ON c.tenant_id = $1 AND c.user_id = o.user_id AND c.session_id = o.session_id
			 WHERE o.tenant_id = $1 AND o.no = $2 ORDER BY c.id DESC LIMIT 1) last ON true
		 WHERE s.tenant_id = $1 AND s.no = $2`

	// neighbours of the sessions in gone are joined, so that nothing names one that is gone,
	// whose name may become another's. What forwarded there and has nothing else to forward
	// to does so to a name that nobody has, under which the next is made.
	neighbours = `UPDATE conversation_session s
		   SET previous_session_id = CASE WHEN s.no > g.no AND s.previous_session_id = g.session_id THEN g.previous_session_id ELSE s.previous_session_id END,
		       next_session_id = CASE WHEN s.no < g.no AND s.next_session_id = g.session_id THEN g.next_session_id ELSE s.next_session_id END,
		       forwards_to = CASE WHEN s.no < g.no AND s.forwards_to = g.session_id
		                          THEN coalesce(nullif(s.next_session_id, g.session_id), g.forwards_to, g.next_session_id, g.fresh) ELSE s.forwards_to END
		  FROM (SELECT o.*, gen_random_uuid()::text AS fresh FROM conversation_session o JOIN gone ON o.no = gone.no WHERE o.tenant_id = $1 AND NOT o.incognito OFFSET 0) g
		 WHERE s.tenant_id = $1 AND s.user_id = g.user_id
		   AND (s.no > g.no AND s.previous_session_id = g.session_id OR s.no < g.no AND g.session_id IN (s.next_session_id, s.forwards_to))`

	// lockChains has the sessions of a user that go, and those that are turned over by a limit,
	// do so one after the other: each takes the locks of those around it too, which may be
	// going themselves. It comes before the locks of sessions.
	lockChains = `SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))`

	joinNeighbours = `WITH gone AS (SELECT $2::bigint AS no) ` + neighbours

	// removeSession leaves the name of one that was incognito.
	removeSession = `DELETE FROM conversation_session WHERE tenant_id = $1 AND no = $2 AND NOT incognito`

	isIncognito = `SELECT incognito FROM conversation_session WHERE tenant_id = $1 AND no = $2`

	// staleSummary drops a summary; which one follows. summaryDue has it made anew.
	staleSummary = `DELETE FROM session_summary WHERE tenant_id = $1 AND session_no = `

	summaryDue = `INSERT INTO summary_due (session_no, tenant_id) SELECT session_no, $1 FROM stale
		ON CONFLICT (session_no) DO UPDATE SET due_at = now(), attempts = 0`

	dropStaleSummary = `WITH stale AS (` + staleSummary + `$2 AND upto >= $3 RETURNING session_no) ` + summaryDue

	lockedSessions = `SELECT no, ` + sessionColumns + ` FROM conversation_session
		 WHERE tenant_id = $1 AND no = ANY ($2::bigint[]) AND NOT ` + isOver + ` ORDER BY session_id COLLATE "C" FOR NO KEY UPDATE`

	// changeSession: one that is closed ($10) leads on to none that is yet to be made.
	changeSession = `UPDATE conversation_session
		   SET title = $3, metadata = $4, learn = $5, rotate_idle = $6, rotate_turns = $7, rotate_tokens = $8, rotate_age = $9,
		       closed_at = CASE WHEN $10 THEN coalesce(closed_at, clock_timestamp()) ELSE closed_at END,
		       forwards_to = CASE WHEN NOT $10 THEN forwards_to END
		 WHERE tenant_id = $1 AND no = $2 RETURNING closed_at, forwards_to`

	dropOpenOfSession = `WITH held AS (
		SELECT message_id FROM ingest_open WHERE tenant_id = $1 AND session_no = $2 ORDER BY message_id FOR UPDATE
	), gone AS (
		DELETE FROM ingest_open o WHERE o.tenant_id = $1 AND o.message_id = ANY (ARRAY(SELECT message_id FROM held))
		RETURNING o.message_id, o.attempts
	)
	INSERT INTO ingest_settled (message_id, tenant_id, state, attempts, error)
	SELECT message_id, $1, 'skipped', attempts, $3 FROM gone`
)
