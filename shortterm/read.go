package shortterm

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Entry is a message with what became of it.
type Entry struct {
	memd.Message
	Ingest Ingest
}

// Forgotten says that it was not learned from since what it says was to be forgotten.
func (e Entry) Forgotten() bool { return e.Ingest.Error == forgotten }

// Ingest says where a message stands on its way to the long tier.
type Ingest struct {
	State string
	// Attempts counts the tries that were begun.
	Attempts int
	// NextAttemptAt is the earliest time of the next try of a failed one; nil once that
	// has come, as when what it waits for stays away: it is then tried as soon as that
	// is back.
	NextAttemptAt *time.Time
	// Error is the class and code of the last failure, "" if there was none.
	Error     string
	Extractor string
	SettledAt *time.Time
}

// Page says which messages of a session are wanted, and from which end of its bounds:
// with After the first ones, without it the last. With neither Turns nor Limit all are.
type Page struct {
	UserID string
	// SessionID "" is the user's latest session of kind chat.
	SessionID string
	// Turns are counted from that end. A turn that After cuts counts as one: what is
	// left of it.
	Turns int
	// Limit is how many messages there are at most, from that end.
	Limit int
	// Before and After are ids that bound the page, exclusive; nil bounds nothing. An
	// After of 0 is before the very first.
	Before, After *int64
}

// Messages gives the messages of p in chronological order, and whether there are more
// within its bounds: later ones with After, else earlier ones. A session without
// messages has none; one that does not exist is NotFound, and so is the latest of a user
// who has none.
func (l *Log) Messages(ctx context.Context, tenant string, p Page) (sessionID string, entries []Entry, hasMore bool, err error) {
	forward := p.After != nil
	after, before := int64(0), int64(math.MaxInt64)
	if forward {
		after = *p.After
	}
	if p.Before != nil {
		before = *p.Before
	}
	sql, n := newest, math.MaxInt32
	switch {
	case p.Turns > 0 && forward:
		sql, n = firstTurns, p.Turns
	case p.Turns > 0:
		sql, n = lastTurns, p.Turns
	case p.Limit > 0:
		n = p.Limit + 1 // one more tells whether there are more
		if forward {
			sql = following
		}
	}
	entries = []Entry{}
	found := false
	err = l.read(ctx, tenant, func(rows pgx.Rows) error {
		found = true
		e, ok, err := scanEntry(rows, &sessionID, &hasMore)
		if ok {
			entries = append(entries, e)
		}
		return err
	}, sql, tenant, p.UserID, p.SessionID, n, after, before)
	if err == nil && !found {
		err = &memd.Error{Kind: memd.NotFound, Op: "shortterm.messages", Msg: "no such session"}
	}
	if err != nil {
		return "", nil, false, err
	}
	if p.Limit > 0 && len(entries) > p.Limit {
		hasMore = true
		if forward {
			entries = entries[:p.Limit]
		} else {
			entries = entries[len(entries)-p.Limit:]
		}
	}
	return sessionID, entries, hasMore, nil
}

// Answered gives for those of a user's messages with these ids that answer one of the user's the
// last such before each in its session.
func (l *Log) Answered(ctx context.Context, tenant, userID string, ids []int64) (map[int64]int64, error) {
	asked := map[int64]int64{}
	err := l.read(ctx, tenant, func(rows pgx.Rows) error {
		var id, of int64
		err := rows.Scan(&id, &of)
		asked[id] = of
		return err
	}, answered, tenant, userID, ids)
	return asked, err
}

const answered = `SELECT m.id, u.id
	  FROM (SELECT id, user_id, session_id FROM conversation_context m WHERE m.id = ANY ($3::bigint[]) AND m.tenant_id = $1 AND m.user_id = $2 AND m.role <> 'user' OFFSET 0) m
	 CROSS JOIN LATERAL (SELECT u.id FROM conversation_context u
	                      WHERE u.tenant_id = $1 AND u.user_id = m.user_id AND u.session_id = m.session_id AND u.id < m.id AND u.role = 'user'
	                      ORDER BY u.id DESC LIMIT 1) u`

// Message gives one message. The ids of check that are set must be the message's;
// else, and in another tenant, it is NotFound.
func (l *Log) Message(ctx context.Context, tenant string, id int64, check memd.Scope) (Entry, error) {
	var entry Entry
	found := false
	err := l.read(ctx, tenant, func(rows pgx.Rows) (err error) {
		entry, found, err = scanEntry(rows)
		return err
	}, oneMessage, tenant, id, check.UserID, check.AgentID, check.RunID, check.AppID)
	if err == nil && !found {
		err = &memd.Error{Kind: memd.NotFound, Op: "shortterm.message", Msg: "no such message"}
	}
	return entry, err
}

// read runs one query as the tenant, in one round trip, and gives each row to do.
func (l *Log) read(ctx context.Context, tenant string, do func(pgx.Rows) error, sql string, args ...any) error {
	b := postgres.TenantBatch(tenant)
	b.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if err := do(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	return postgres.Err("shortterm.read", l.pool.SendBatch(ctx, b).Close())
}

// scanEntry reads entryColumns, after what else the row begins with; ok is false for a
// row that stands for no message.
func scanEntry(rows pgx.Rows, head ...any) (e Entry, ok bool, err error) {
	var id *int64
	var client, user, session, agent, app, role, actor, message, zone, state, fault, extractor *string
	var created, received *time.Time
	var metadata json.RawMessage
	var learnAs *memd.LearnAs
	var position, attempts *int
	err = rows.Scan(append(head, &id, &client, &user, &session, &agent, &app, &role, &actor, &message,
		&created, &received, &zone, &metadata, &learnAs, &position,
		&state, &attempts, &e.Ingest.NextAttemptAt, &fault, &extractor, &e.Ingest.SettledAt)...)
	if err != nil || id == nil {
		return Entry{}, false, err
	}
	raw := json.RawMessage(*message)
	e.Message = memd.Message{
		ID: *id, ClientID: value(client), UserID: *user, SessionID: *session, AgentID: value(agent), AppID: value(app),
		Role: memd.Role(*role), Name: value(actor), Raw: raw, Text: memd.TextOf(raw),
		CreatedAt: created.UTC(), ReceivedAt: received.UTC(), Timezone: value(zone), Metadata: metadata, LearnAs: learnAs, Position: *position,
	}
	e.Ingest.State, e.Ingest.Attempts, e.Ingest.Error, e.Ingest.Extractor = *state, *attempts, value(fault), value(extractor)
	e.Ingest.NextAttemptAt, e.Ingest.SettledAt = utc(e.Ingest.NextAttemptAt), utc(e.Ingest.SettledAt)
	return e, true, nil
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}
