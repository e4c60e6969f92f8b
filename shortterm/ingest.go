package shortterm

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Claim is the right to learn from some messages of one session, until its lease ends.
// A claim that was released, failed or settled must not be used again.
type Claim struct {
	Tenant            string
	SessionNo         int64
	UserID, SessionID string
	// Messages ascend.
	Messages []Claimed
	// Before are messages of the session that precede the first of Messages, in order.
	Before []memd.Message
}

// Claimed is a message that was claimed.
type Claimed struct {
	memd.Message
	// Attempt counts from 1 the tries that were not given back unburnt. It tells the
	// claim from those before and after it.
	Attempt int
	// Crashed says that all attempts were used up and the last never reported: its
	// worker died of it, or with it. Settle it dead.
	Crashed  bool
	Backfill bool
	// Again says that it was learned from before: what it brings now takes the place of
	// what it brought.
	Again bool
}

// Claim takes up to max open messages of a session whose time has come, oldest first;
// nil if there are none. They are the caller's until the lease ends: Extend it, and end
// it with Settle, Fail or Release. before is how many messages that precede them are
// looked at; those of them that are not to be learned from are left out.
func (l *Log) Claim(ctx context.Context, tenant string, sessionNo int64, max, before int) (*Claim, error) {
	c := &Claim{Tenant: tenant, SessionNo: sessionNo}
	leftRunning := map[int64]bool{}
	b := postgres.TenantBatch(tenant)
	b.Queue(claimOpen, tenant, sessionNo, max, l.cfg.Lease).Query(func(rows pgx.Rows) error {
		var id int64
		var left bool
		_, err := pgx.ForEachRow(rows, []any{&id, &left}, func() error {
			leftRunning[id] = left
			return nil
		})
		return err
	})
	b.Queue(claimedMessages, tenant, sessionNo, l.cfg.Lease, before).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var m Claimed
			var client, agent, app, actor, zone *string
			var role, raw string
			var priority int
			if err := rows.Scan(&m.ID, &client, &m.UserID, &m.SessionID, &agent, &app, &role, &actor, &raw,
				&m.CreatedAt, &m.ReceivedAt, &zone, &m.Metadata, &m.LearnAs, &m.Position, &m.Attempt, &priority, &m.Again); err != nil {
				return err
			}
			m.ClientID, m.AgentID, m.AppID, m.Name, m.Timezone = value(client), value(agent), value(app), value(actor), value(zone)
			m.Role, m.Raw, m.Text = memd.Role(role), json.RawMessage(raw), memd.TextOf(json.RawMessage(raw))
			m.CreatedAt, m.ReceivedAt = m.CreatedAt.UTC(), m.ReceivedAt.UTC()
			c.UserID, c.SessionID = m.UserID, m.SessionID
			if m.Attempt == 0 {
				c.Before = append(c.Before, m.Message)
				continue
			}
			// One that was reworded while it was worked on may have used up its attempts as well.
			m.Crashed, m.Backfill = m.Attempt > l.cfg.MaxAttempts && leftRunning[m.ID], priority > 0
			c.Messages = append(c.Messages, m)
		}
		return rows.Err()
	})
	err := postgres.Err("shortterm.claim", l.pool.SendBatch(ctx, b).Close())
	if err != nil || len(c.Messages) == 0 {
		return nil, err
	}
	return c, nil
}

// tokens are the messages of a claim and the attempts that name it.
func (c *Claim) tokens() (ids []int64, attempts []int) {
	for _, m := range c.Messages {
		ids, attempts = append(ids, m.ID), append(attempts, m.Attempt)
	}
	return ids, attempts
}

// Extend begins the lease anew and says which messages of the claim are still held: the
// others have settled, were given back, or were taken from it. Conflict: none is.
func (l *Log) Extend(ctx context.Context, c *Claim) (held []int64, err error) {
	ids, attempts := c.tokens()
	err = l.read(ctx, c.Tenant, func(rows pgx.Rows) error {
		var id int64
		err := rows.Scan(&id)
		held = append(held, id)
		return err
	}, extendClaim, c.Tenant, ids, attempts, l.cfg.Lease)
	if err == nil && len(held) == 0 {
		err = claimLost("shortterm.extend")
	}
	return held, err
}

// Outcome is how a message ended.
type Outcome struct {
	MessageID int64
	// Attempt is that of the claim.
	Attempt int
	// State is StateDone or StateDead.
	State string
	// Extractor says who learned from it; Error is a class and a code, "" if done.
	Extractor, Error string
}

// Settle ends messages within tx, which must be the tenant's. Conflict: a claim was
// lost, by its lease or because the message is gone; the caller must roll back.
func (l *Log) Settle(ctx context.Context, tx pgx.Tx, tenant string, outcomes []Outcome) error {
	var ids []int64
	var attempts []int
	var states []string
	var extractors, faults []*string
	for _, o := range outcomes {
		if o.State != StateDone && o.State != StateDead {
			return &memd.Error{Kind: memd.Internal, Op: "shortterm.settle", Msg: "a message ends done or dead"}
		}
		ids, attempts, states = append(ids, o.MessageID), append(attempts, o.Attempt), append(states, o.State)
		extractors, faults = append(extractors, optional(o.Extractor)), append(faults, optional(o.Error))
	}
	tag, err := tx.Exec(ctx, settle, tenant, ids, attempts, states, extractors, faults, l.cfg.MaxAttempts)
	if err == nil && tag.RowsAffected() != int64(len(outcomes)) {
		err = claimLost("shortterm.settle")
	}
	return postgres.Err("shortterm.settle", err)
}

// Failure is a try that failed.
type Failure struct {
	MessageID int64
	// Attempt is that of the claim.
	Attempt int
	// Error is a class and a code.
	Error string
	// After is how long to wait before the next try.
	After time.Duration
	// Free burns no attempt.
	Free bool
}

// Fail gives messages back, to be tried again. Those whose claim was lost are left
// out.
func (l *Log) Fail(ctx context.Context, tenant string, failures []Failure) error {
	var ids []int64
	var attempts []int
	var faults []string
	var after []time.Duration
	var free []bool
	for _, f := range failures {
		ids, attempts, faults = append(ids, f.MessageID), append(attempts, f.Attempt), append(faults, f.Error)
		after, free = append(after, f.After), append(free, f.Free)
	}
	_, err := l.exec(ctx, tenant, failClaim, tenant, ids, attempts, faults, after, free)
	return err
}

// Release gives a claim back as it was; no attempt is burnt. What was lost of it is
// left out.
func (l *Log) Release(ctx context.Context, c *Claim) error {
	ids, attempts := c.tokens()
	_, err := l.exec(ctx, c.Tenant, releaseClaim, c.Tenant, ids, attempts)
	return err
}

func claimLost(op string) error {
	return &memd.Error{Kind: memd.Conflict, Op: op, Msg: "the claim was lost"}
}

// exec runs one statement as the tenant, in one round trip, and says how many rows it
// touched.
func (l *Log) exec(ctx context.Context, tenant, sql string, args ...any) (n int64, err error) {
	b := postgres.TenantBatch(tenant)
	b.Queue(sql, args...)
	r := l.pool.SendBatch(ctx, b)
	defer func() { _ = r.Close() }()
	if err := postgres.ReadTenant(r); err != nil {
		return 0, postgres.Err("shortterm.exec", err)
	}
	tag, err := r.Exec()
	if err == nil {
		err = r.Close()
	}
	return tag.RowsAffected(), postgres.Err("shortterm.exec", err)
}

// Counts says how many messages are in each state.
type Counts struct {
	Pending, Running, Failed, Done, Skipped, Dead int64
	// OldestPending is the age of the oldest open message, 0 if none is open.
	OldestPending time.Duration
	// PerSecond is how many settled a second, over the last minute.
	PerSecond float64
}

// Open is how many have not settled.
func (c Counts) Open() int64 { return c.Pending + c.Running + c.Failed }

// Counts counts a tenant's messages, of one user and session where given, as they are
// at one moment. A session that does not exist is NotFound. Where all of a tenant are so many that
// it takes long, who asks soon after is told the same: it is asked again and again while much is open.
func (l *Log) Counts(ctx context.Context, tenant, userID, sessionID string) (Counts, error) {
	if userID != "" || sessionID != "" {
		return l.countsNow(ctx, tenant, userID, sessionID)
	}
	if c, ok := l.counted.Get(tenant); ok && time.Now().Before(c.until) {
		return c.Counts, nil
	}
	began := time.Now()
	c, err := l.countsNow(ctx, tenant, "", "")
	if took := time.Since(began); err == nil && took > longCount && c.Open() > manyOpen {
		l.counted.Add(tenant, counted{c, time.Now().Add(min(took*countRest, countMax))})
	}
	return c, err
}

// counted are counts that took long, and until when they are told.
type counted struct {
	Counts
	until time.Time
}

const (
	// longCount is how long counting more than manyOpen may take before what it gives is told again,
	// countRest how many times as long that is done, at most for countMax.
	longCount = 100 * time.Millisecond
	manyOpen  = 50_000
	countRest = 5
	countMax  = 5 * time.Second
	// countsKept is of how many tenants.
	countsKept = 1000
)

func (l *Log) countsNow(ctx context.Context, tenant, userID, sessionID string) (Counts, error) {
	var c Counts
	var oldest float64
	var settled, late, neverLearned int64
	scan := func(rows pgx.Rows) error {
		return rows.Scan(&c.Pending, &c.Running, &c.Failed, &oldest, &settled, &c.Dead, &c.Skipped, &late, &neverLearned)
	}
	var err error
	if userID == "" && sessionID == "" {
		err = l.read(ctx, tenant, scan, countTenant, tenant)
	} else {
		if sessionID != "" {
			if _, err := l.Session(ctx, tenant, userID, sessionID); err != nil {
				return Counts{}, err
			}
		}
		err = l.read(ctx, tenant, scan, countUser, tenant, userID, sessionID)
	}
	if err != nil {
		return Counts{}, err
	}
	c.Done = settled - c.Dead - c.Skipped
	c.Skipped += neverLearned
	c.OldestPending = time.Duration(oldest * float64(time.Second))
	c.PerSecond = float64(late) / 60
	return c, nil
}

// Waiting looks first after pollFirst, then ever less often.
const pollFirst, pollMax = 5 * time.Millisecond, 250 * time.Millisecond

// poll asks until the answer is 0.
func (l *Log) poll(ctx context.Context, tenant, sql string, args ...any) error {
	for wait := pollFirst; ; wait = min(wait*3/2, pollMax) {
		var n int64
		err := l.read(ctx, tenant, func(rows pgx.Rows) error { return rows.Scan(&n) }, sql, args...)
		if err != nil || n == 0 {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return postgres.Err("shortterm.await", ctx.Err())
		}
	}
}

// AwaitSettled returns when all messages have settled; Unavailable when ctx ends first.
func (l *Log) AwaitSettled(ctx context.Context, tenant string, ids []int64) error {
	return l.poll(ctx, tenant, countUnsettled, tenant, ids)
}

// Standing says which of the messages are open, and which were given up; ascending.
func (l *Log) Standing(ctx context.Context, tenant string, ids []int64) (open, dead []int64, err error) {
	err = l.read(ctx, tenant, func(rows pgx.Rows) error {
		var id int64
		var isDead bool
		err := rows.Scan(&id, &isDead)
		if isDead {
			dead = append(dead, id)
		} else {
			open = append(open, id)
		}
		return err
	}, unsettled, tenant, ids)
	return open, dead, err
}

// Gone says which of the messages are in the log no more; ascending.
func (l *Log) Gone(ctx context.Context, tenant string, ids []int64) (all []int64, err error) {
	return l.these(ctx, tenant, gone, ids)
}

// StoodIn says which of the messages the rules learned from in a language model's place, if
// only in part; ascending.
func (l *Log) StoodIn(ctx context.Context, tenant string, ids []int64) (all []int64, err error) {
	return l.these(ctx, tenant, stoodIn, ids)
}

func (l *Log) these(ctx context.Context, tenant, query string, ids []int64) (all []int64, err error) {
	err = l.read(ctx, tenant, func(rows pgx.Rows) error {
		var id int64
		err := rows.Scan(&id)
		all = append(all, id)
		return err
	}, query, tenant, ids)
	return all, err
}

// AwaitIdle returns as soon as nothing is open, or at ctx's deadline, and counts. If
// ctx is cancelled it is Unavailable.
func (l *Log) AwaitIdle(ctx context.Context, tenant, userID, sessionID string) (Counts, error) {
	err := l.poll(ctx, tenant, anyOpen, tenant, userID, sessionID)
	if err != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return Counts{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err == nil {
		return l.countsNow(ctx, tenant, userID, sessionID)
	}
	return l.Counts(ctx, tenant, userID, sessionID)
}

// DeadLetter is a message that was given up, and why.
type DeadLetter struct{ Entry }

// DeadLetters lists what was given up, of one user and session where given, and of one
// cause or class of causes, newest first, up to limit after cursor ("" for the first
// page). next is "" at the end.
// Invalid: the cursor is none of this list.
func (l *Log) DeadLetters(ctx context.Context, tenant, userID, sessionID, class string, limit int, cursor string) (letters []DeadLetter, next string, err error) {
	pages := list{"dead letters", tenant, userID, sessionID, class}
	before, err := pages.readCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	letters = []DeadLetter{}
	err = l.read(ctx, tenant, func(rows pgx.Rows) error {
		if len(letters) == limit {
			next = pages.writeCursor(letters[limit-1].ID)
			return nil
		}
		e, _, err := scanEntry(rows)
		letters = append(letters, DeadLetter{e})
		return err
	}, listDead, tenant, before, limit+1, userID, sessionID, class)
	return letters, next, err
}

// RetryDead opens a dead letter again, with all its attempts. NotFound: it is none.
// Conflict: nothing is learned from its session or user now.
func (l *Log) RetryDead(ctx context.Context, tenant string, id int64) error {
	var sessionNo int64
	var dead bool
	b := postgres.TenantBatch(tenant)
	b.Queue(lockSessionOf, tenant, id)
	b.Queue(retryDead, tenant, id).Query(eachRow(func(rows pgx.Rows) error { return rows.Scan(&sessionNo) }))
	b.Queue(isDead, tenant, id).QueryRow(func(row pgx.Row) error { return row.Scan(&dead) })
	switch err := l.pool.SendBatch(ctx, b).Close(); {
	case err != nil:
		return postgres.Err("shortterm.retry", err)
	case dead:
		return &memd.Error{Kind: memd.Conflict, Op: "shortterm.retry", Msg: "nothing is learned from its session or user"}
	case sessionNo == 0:
		return noDeadLetter("shortterm.retry")
	}
	l.Publish(tenant, sessionNo, []int64{id})
	return nil
}

// DiscardDead makes a dead letter skipped. NotFound: it is none.
func (l *Log) DiscardDead(ctx context.Context, tenant string, id int64) error {
	n, err := l.exec(ctx, tenant, discardDead, tenant, id)
	if err == nil && n == 0 {
		err = noDeadLetter("shortterm.discard")
	}
	return err
}

// ReopenMarked has up to n messages, of any tenant, learned from again that the rules
// learned from since the model was away, and says how many there were. It is for when the
// model answers again. One that fares no better waits twice as long the next time.
func (l *Log) ReopenMarked(ctx context.Context, n int) (int, error) {
	type marked struct {
		TenantID   string
		SessionNo  int64
		MessageIDs []int64
	}
	rows, err := l.pool.Query(ctx, markedMessages, n)
	if err != nil {
		return 0, postgres.Err("shortterm.reopen_marked", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[marked])
	if err != nil {
		return 0, postgres.Err("shortterm.reopen_marked", err)
	}
	found := 0
	for _, m := range all {
		found += len(m.MessageIDs)
		err := l.inTenant(ctx, m.TenantID, func(tx pgx.Tx) error {
			// What is revised is so under the session's lock.
			if _, err := tx.Exec(ctx, lockByNo, m.TenantID, m.SessionNo); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, reopenMessages, m.TenantID, m.MessageIDs, 1)
			return err
		})
		if err != nil {
			return 0, postgres.Err("shortterm.reopen_marked", err)
		}
		l.publishOpened(m.TenantID, opened{sessionNo: m.SessionNo, backfill: true, ids: m.MessageIDs})
	}
	return found, nil
}

const markedMessages = `SELECT tenant_id, session_no, message_ids FROM memd_marked($1)`

// forgotten is the error of messages that DropOpen has ended.
const forgotten = "forgotten"

// DropOpen ends the open messages that carry every id of scope that is set, RunID being
// the session's, as skipped, and says how many those were. Whoever has claimed one loses
// it, so that nothing of it is learned once tx, which must be the tenant's, is committed.
// It waits for who is settling one: call it last, under the locks that are taken before
// settling.
func (l *Log) DropOpen(ctx context.Context, tx pgx.Tx, tenant string, scope memd.Scope) (int, error) {
	if scope.UserID == "" && scope.RunID == "" && scope.AgentID == "" && scope.AppID == "" {
		return 0, memd.InvalidField("user_id", "is required, or agent_id, run_id or app_id")
	}
	drop := dropOpenOfUser
	if scope.UserID == "" {
		drop = dropOpenOfAny
	}
	tag, err := tx.Exec(ctx, drop, tenant, scope.UserID, scope.RunID, scope.AgentID, scope.AppID, forgotten)
	return int(tag.RowsAffected()), postgres.Err("shortterm.drop_open", err)
}

// NoDeadLetter is said of a message that is unknown, and of one that is no dead letter.
const NoDeadLetter = "no such dead letter: a message that is still to be tried again is none, and is tried without being asked for"

func noDeadLetter(op string) error {
	return &memd.Error{Kind: memd.NotFound, Op: op, Msg: NoDeadLetter}
}
