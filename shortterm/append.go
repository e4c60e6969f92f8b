package shortterm

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/postgres"
)

// Append is a call's messages of one session.
type Append struct {
	// UserID is "" only for messages that are given to be remembered of an agent or a
	// run. An empty SessionID makes a new session.
	UserID, SessionID, AgentID, AppID string
	// Messages are in the order they arrive in. Of each, ClientID, Role, Name, Raw, Text
	// and CreatedAt are looked at; a zero CreatedAt becomes the time of arrival, the
	// same for all of the call.
	Messages []memd.Message
	// Metadata is a JSON object that passes to what is learned, nil if none came.
	Metadata json.RawMessage
	// LearnAs is what the caller wants of what is learned, nil for nothing.
	LearnAs *memd.LearnAs
	// Timezone is an IANA name, "" for UTC.
	Timezone string
	// Infer and Learn say what is learned from: with Infer, messages of the roles in
	// Learn that are user or assistant, also those without a text, which end with
	// nothing learned. The rest is skipped for ever.
	Infer bool
	Learn []memd.Role
	// Backfill waits behind live traffic.
	Backfill bool
	// Direct makes a new session one of kind direct: nobody's run, and never the latest.
	Direct bool
	// Key is the request's idempotency key, nil if none came.
	Key *idempotency.Key
}

// Appended is what became of an Append. A replay equals the first answer, save for
// Replayed.
type Appended struct {
	// SessionID is the session that the messages are in: where the one that was asked for
	// has reached a limit, now or before, it is the one that follows it.
	SessionID string
	// NextSessionID is the session that follows it, for messages that came late to a closed
	// one; "" for none.
	NextSessionID string
	SessionNo     int64
	Messages      []AppendedMessage
	// Replayed says that the key was used before and nothing was written.
	Replayed bool

	// turned are the sessions that it has closed because a limit was reached.
	turned []opened
}

// AppendedMessage is one message of an Append, in the order given.
type AppendedMessage struct {
	ID        int64
	ClientID  string
	Role      memd.Role
	CreatedAt time.Time
	// State is pending or skipped; of a duplicate, the state it had reached.
	State string
	// Duplicate says that the client id stood in the session already, or earlier in
	// the call: this is that message.
	Duplicate bool
	// Removed says that it was deleted, and does not come back by this: ID is what it had.
	Removed bool
}

// learns says whether m is learned from.
func (a Append) learns(m memd.Message) bool {
	return a.Infer && m.Role.Learnable() && slices.Contains(a.Learn, m.Role)
}

// Append writes all messages of a or none, in the order given, in one round trip, and
// returns once they are durable. Work for the long tier is published afterwards; that
// can neither fail nor slow it. Where the session has reached a limit and the first
// message is a live one of the user, its next session is opened and they land there, as
// does all that comes under the session's name from then on. Invalid: another body came
// with the key before, or a value cannot be stored. Conflict: a first request with the key
// has not ended; with the field session_id, the session was incognito and is over.
// Unavailable: the database is away, or the session is locked for too long; whether the
// messages were written is then not known, unless there is a key to ask again with.
func (l *Log) Append(ctx context.Context, tenant string, a Append) (Appended, error) {
	a, err := a.ready()
	if err != nil {
		return Appended{}, err
	}
	w := newWrite(tenant, a)
	if w.rotates {
		w.limits = l.limits(ctx, tenant)
	}
	w.known = l.isKnown(tenant, a.UserID, a.SessionID)
	send := l.shared.send
	// Again: the connection was dead before anything was sent, the session was deleted or
	// turned over between two statements, or the key that stood in the way has gone.
	for again, halts := 0, 0; ; {
		answer, err := send(ctx, w)
		switch {
		case err == nil && len(answer.Messages) > 0:
			l.publish(tenant, a, answer)
			if answer.SessionID == a.SessionID {
				l.know(tenant, a.UserID, a.SessionID)
			}
			return answer, nil
		case err == nil && answer.Replayed: // all of it is gone by now
			return answer.in(a), nil
		case err == nil && halts < maxHalts:
			halts++
			send = l.sendOn
			l.forgetKnown(tenant, a.UserID, a.SessionID)
			continue
		case err == nil:
			return Appended{}, beingDeleted()
		case a.Key != nil && postgres.Violates(err, idempotency.AppendedConstraint):
			answer, found, err := l.replay(ctx, tenant, *a.Key)
			if err != nil || found {
				return answer.in(a), err
			}
			if again >= 2 {
				return Appended{}, idempotency.AtWork()
			}
		case pgconn.SafeToRetry(err) && again == 0 && ctx.Err() == nil:
		case postgres.Deadlocked(err) && again < 2 && ctx.Err() == nil:
		case a.Key != nil && isLockTimeout(err):
			return Appended{}, idempotency.AtWork()
		default:
			return Appended{}, postgres.Err("shortterm.append", err)
		}
		again++
	}
}

// ready checks a and names its session.
func (a Append) ready() (Append, error) {
	switch {
	case len(a.Messages) == 0:
		return a, memd.InvalidField("messages", "must not be empty")
	case a.UserID == "" && a.SessionID == "" && !a.Direct:
		return a, memd.InvalidField("user_id", "is required")
	}
	if a.SessionID == "" {
		id, err := uuid.NewV7()
		if err != nil {
			return a, &memd.Error{Kind: memd.Internal, Op: "shortterm.append", Err: err}
		}
		a.SessionID = id.String()
	}
	return a, nil
}

// write is an Append as its statements take it: columns, one array each.
type write struct {
	tenant, user, session string
	kind                  string
	agent                 *string
	key                   *idempotency.Key
	named                 bool
	// known says that its session was there of late: it is not made if it is not.
	known bool
	// rotates says that it goes to the next session if this one has reached a limit;
	// limits are those of one that has none of its own.
	rotates bool
	limits  Limits
	// before are sessions that what was posted under the session's name landed in: what
	// stands there under a client id is the same message.
	before []stop

	roles, raws     []string
	said            []*time.Time
	learn           []bool
	actors, clients []*string
	app, zone       *string
	metadata        any
	priority        int
	heading         *string
	learnAs         *memd.LearnAs
}

func newWrite(tenant string, a Append) write {
	n := len(a.Messages)
	w := write{
		tenant: tenant, user: a.UserID, session: a.SessionID, kind: kindOf(a.Direct), agent: optional(a.AgentID), key: a.Key,
		rotates: !a.Backfill && !a.Direct && a.Messages[0].Role == memd.RoleUser,
		roles:   make([]string, n), raws: make([]string, n), said: make([]*time.Time, n), learn: make([]bool, n),
		actors: make([]*string, n), clients: make([]*string, n),
		app: optional(a.AppID), zone: optional(a.Timezone), learnAs: a.LearnAs,
	}
	for i, m := range a.Messages {
		w.roles[i], w.raws[i] = string(m.Role), string(m.Raw)
		if !m.CreatedAt.IsZero() {
			w.said[i] = &a.Messages[i].CreatedAt
		}
		w.learn[i] = a.learns(m)
		w.actors[i], w.clients[i] = optional(m.Name), optional(m.ClientID)
		w.named = w.named || m.ClientID != ""
		if w.heading == nil && m.Role == memd.RoleUser {
			w.heading = optional(title(m.Text))
		}
	}
	if len(a.Metadata) > 0 {
		w.metadata = a.Metadata
	}
	if a.Backfill {
		w.priority = 1
	}
	return w
}

// statement is what writes w into its session.
func (w write) statement() (sql string, args []any) {
	args = []any{w.tenant, w.user, w.session, w.roles, w.raws, w.said, w.learn, w.actors, w.clients,
		w.agent, w.app, w.zone, w.metadata, w.priority, w.heading, w.learnAs,
		w.rotates, w.limits.Idle, w.limits.Turns, w.limits.Tokens, w.limits.Age}
	switch {
	case w.named && w.key != nil:
		sql = appendNamedKeyed
	case w.named:
		sql = appendNamed
	case w.key != nil:
		sql = appendKeyed
	default:
		sql = appendPlain
	}
	if w.key != nil {
		args = append(args, w.key.Hash[:], w.key.Body[:])
	}
	if w.named {
		before := make([]int64, len(w.before))
		for i, s := range w.before {
			before[i] = s.no
		}
		args = append(args, before)
	}
	return sql, args
}

// queue puts the statements of w into a batch that has its tenant and has its session
// made, and has answer filled when the batch is read. Several writes of a tenant may
// share a batch, and so a commit, if they are queued in the order of their sessions. An
// answer without messages says that nothing was written: the session is not there, or
// nothing is to be written to it.
func (w write) queue(b *pgx.Batch, answer *Appended) {
	*answer = Appended{SessionID: w.session}
	b.Queue(lockSession, w.tenant, w.user, w.session).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var next *string
			if err := rows.Scan(&next, nil); err != nil {
				return err
			}
			answer.NextSessionID = value(next)
		}
		return rows.Err()
	})
	sql, args := w.statement()
	b.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var m AppendedMessage
			var client *string
			var no int64
			if err := rows.Scan(&m.ID, &client, &m.Role, &m.CreatedAt, &no, &m.Duplicate, &m.State); err != nil {
				return err
			}
			m.ClientID, m.CreatedAt = value(client), m.CreatedAt.UTC()
			answer.add(m, no, w.nameOf(no))
		}
		if answer.SessionID != w.session {
			answer.NextSessionID = "" // nothing came to the one that has it
		}
		return rows.Err()
	})
}

// nameOf is the name of one of the sessions that w may find its messages in.
func (w write) nameOf(no int64) string {
	for _, s := range w.before {
		if s.no == no {
			return s.sessionID
		}
	}
	return w.session
}

// add puts the next message into an answer. The answer's session is that of what is new,
// and only where nothing is, that of what stood there before.
func (a *Appended) add(m AppendedMessage, no int64, sessionID string) {
	if a.SessionNo == 0 || !m.Duplicate {
		a.SessionNo, a.SessionID = no, sessionID
	}
	a.Messages = append(a.Messages, m)
}

// knownSession names a session that was there of late.
type knownSession struct{ tenant, user, session string }

// sessionsKnown is how many of them a Log remembers.
const sessionsKnown = 10_000

func (l *Log) isKnown(tenant, user, session string) bool {
	_, ok := l.sessions.Get(knownSession{tenant, user, session})
	return ok
}

func (l *Log) know(tenant, user, session string) {
	l.sessions.Add(knownSession{tenant, user, session}, struct{}{})
}

func (l *Log) forgetKnown(tenant, user, session string) {
	l.sessions.Remove(knownSession{tenant, user, session})
}

// send writes w in one round trip: the batch is one transaction, committed when it is
// closed without error. An answer without messages means that the session vanished, or
// is none to write to; see sendOn.
func (l *Log) send(ctx context.Context, w write) (Appended, error) {
	b := &pgx.Batch{}
	b.Queue(setTenant, w.tenant, strconv.FormatInt(l.cfg.LockTimeout.Milliseconds(), 10))
	if !w.known {
		b.Queue(makeSession, w.tenant, w.user, w.session, w.kind, w.agent)
	}
	var answer Appended
	w.queue(b, &answer)
	if err := l.pool.SendBatch(ctx, b).Close(); err != nil {
		return Appended{}, err
	}
	return answer, nil
}

// replay gives the answer that the first request with the key got.
func (l *Log) replay(ctx context.Context, tenant string, k idempotency.Key) (Appended, bool, error) {
	kept, found, err := l.keys.Appended(ctx, tenant, k)
	if err != nil || !found {
		return Appended{}, false, err
	}
	answers, err := l.readKept(ctx, tenant, kept, []int{len(kept.MessageIDs)})
	if err != nil {
		return Appended{}, true, err
	}
	return answers[0], true, nil
}

// in gives an answer of which all messages are gone by now: its session is the one asked
// for, which may be a new one.
func (a Appended) in(asked Append) Appended {
	if a.SessionID == "" {
		a.SessionID = asked.SessionID
	}
	return a
}

// readKept makes answers of what a write left of its own: counts says how many messages
// each has. Messages that are gone by now are left out.
func (l *Log) readKept(ctx context.Context, tenant string, kept idempotency.Appended, counts []int) ([]Appended, error) {
	states := make([]*string, len(kept.MessageIDs))
	for i := range kept.States {
		states[i] = &kept.States[i]
	}
	answers := make([]Appended, len(counts))
	of := make([]int, 0, len(kept.MessageIDs)) // whose a message is
	for i, n := range counts {
		answers[i].Replayed = true
		of = append(of, slices.Repeat([]int{i}, n)...)
	}
	err := l.read(ctx, tenant, func(rows pgx.Rows) error {
		var m AppendedMessage
		var client *string
		var session string
		var next *string
		var no int64
		var place int
		if err := rows.Scan(&m.ID, &client, &m.Role, &m.CreatedAt, &no, &session, &next, &m.Duplicate, &m.State, &place); err != nil {
			return err
		}
		m.ClientID, m.CreatedAt = value(client), m.CreatedAt.UTC()
		answer := &answers[of[place-1]]
		if answer.add(m, no, session); answer.SessionNo == no {
			answer.NextSessionID = value(next)
		}
		return nil
	}, replayed, tenant, kept.MessageIDs, kept.Duplicates, states)
	return answers, err
}

// publish announces what of an answer is new and open, and what of the sessions that it
// has closed is.
func (l *Log) publish(tenant string, a Append, answer Appended) {
	for _, o := range answer.turned {
		l.publishOpened(tenant, o)
	}
	w := bus.Work{Tenant: tenant, SessionNo: answer.SessionNo, Backfill: a.Backfill}
	for _, m := range answer.Messages {
		if !m.Duplicate && m.State == StatePending {
			w.MessageIDs = append(w.MessageIDs, m.ID)
		}
	}
	if len(w.MessageIDs) > 0 {
		l.offer(w, 0)
	}
}

func isLockTimeout(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "55P03"
}

// titleLength is the most characters of a session's title.
const titleLength = 80

// title gives the first words of a text, on one line.
func title(text string) string {
	if len(text) > 8*titleLength {
		text = strings.ToValidUTF8(text[:8*titleLength], "") // no need to split a book into words
	}
	var b strings.Builder
	length := 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		if length > 0 && length+1+n > titleLength {
			return b.String() + "…"
		}
		if length > 0 {
			b.WriteByte(' ')
			length++
		}
		if n > titleLength {
			return b.String() + string([]rune(word)[:titleLength]) + "…"
		}
		b.WriteString(word)
		length += n
	}
	return b.String()
}

// titleOf is the title that a message makes, "" for none.
func titleOf(raw string) string { return title(memd.TextOf(json.RawMessage(raw))) }

// optional gives nil for "".
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// value gives "" for nil.
func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
