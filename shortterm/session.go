package shortterm

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Session is a run of messages of one user.
type Session struct {
	SessionID string
	UserID    string
	// Kind is chat, or direct for messages that were given to be remembered.
	Kind string
	// Title is the first words of the first user message.
	Title   *string
	AgentID *string
	// Messages counts them.
	Messages int
	// LastMessageAt is when the last message was said.
	LastMessageAt, ClosedAt *time.Time
	CreatedAt               time.Time
	// PreviousSessionID is the one it carries on, NextSessionID the one that carries it on.
	PreviousSessionID, NextSessionID *string
	// ForwardsTo is set once a limit has rotated the session: what is posted under its name
	// lands in that one, and on from there.
	ForwardsTo *string
	// Learn is false if nothing is learned from what is posted to it.
	Learn bool
	// Incognito says that nothing is learned from it, and that it goes with its messages
	// when it is closed, rotated or idle for long.
	Incognito bool
	// Limits are its own.
	Limits   Limits
	Metadata json.RawMessage
}

// NewSession is a session to be made. An empty SessionID makes a new one;
// PreviousSessionID, if set, must be a session of the user that is not incognito.
type NewSession struct {
	UserID, SessionID, AgentID, PreviousSessionID string
	Metadata                                      json.RawMessage
	// Limits are its own; see there.
	Limits Limits
	// Learn false has nothing learned from it; nil is true.
	Learn *bool
	// Incognito is for ever; see Session.
	Incognito bool
	// Direct makes it one of kind direct.
	Direct bool
}

// CreateSession makes a session. Conflict: the user has one of this name, or had an
// incognito one. Invalid: the previous one does not exist or is incognito, a limit cannot
// be, or an incognito one should be learned from.
func (l *Log) CreateSession(ctx context.Context, tenant string, s NewSession) (Session, error) {
	if err := s.Limits.check(); err != nil {
		return Session{}, err
	}
	learn := !s.Incognito
	if s.Learn != nil {
		if *s.Learn && s.Incognito {
			return Session{}, learnsNothing()
		}
		learn = *s.Learn
	}
	if s.SessionID == "" {
		id, err := uuid.NewV7()
		if err != nil {
			return Session{}, &memd.Error{Kind: memd.Internal, Op: "shortterm.create_session", Err: err}
		}
		s.SessionID = id.String()
	}
	if len(s.Metadata) == 0 {
		s.Metadata = json.RawMessage(`{}`)
	}
	var made *Session
	err := l.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		if s.PreviousSessionID != "" {
			var there, incognito bool
			if err := tx.QueryRow(ctx, previousThere, tenant, s.UserID, s.PreviousSessionID).Scan(&there, &incognito); err != nil {
				return err
			}
			if !there {
				return memd.InvalidField("previous_session_id", "names no session of this user")
			}
			if incognito {
				return memd.InvalidField("previous_session_id", "must not name an incognito session")
			}
		}
		rows, err := tx.Query(ctx, createSession, tenant, s.UserID, s.SessionID, optional(s.AgentID), optional(s.PreviousSessionID), s.Metadata,
			kindOf(s.Direct), learn, s.Incognito, s.Limits.Idle, s.Limits.Turns, s.Limits.Tokens, s.Limits.Age)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			session, err := scanSession(rows)
			if err != nil {
				return err
			}
			made = &session
		}
		return rows.Err()
	})
	if err == nil && made == nil {
		err = &memd.Error{Kind: memd.Conflict, Op: "shortterm.create_session", Field: "session_id", Msg: "the user has a session of this name"}
	}
	if err != nil {
		return Session{}, postgres.Err("shortterm.create_session", err)
	}
	return *made, nil
}

// Sessions lists a user's sessions of kind chat, newest first, up to limit after
// cursor ("" for the first page). next is "" at the end. Invalid: the cursor is none of
// this list.
func (l *Log) Sessions(ctx context.Context, tenant, userID string, limit int, cursor string) (sessions []Session, next string, err error) {
	pages := list{"sessions", tenant, userID}
	before, err := pages.readCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	sessions = []Session{}
	var last int64
	err = l.read(ctx, tenant, func(rows pgx.Rows) error {
		if len(sessions) == limit {
			next = pages.writeCursor(last)
			return nil
		}
		s, err := scanSession(rows, &last)
		sessions = append(sessions, s)
		return err
	}, listSessions, tenant, userID, before, limit+1)
	return sessions, next, err
}

// Session gives one session of a user, or NotFound.
func (l *Log) Session(ctx context.Context, tenant, userID, sessionID string) (Session, error) {
	var session Session
	found := false
	err := l.read(ctx, tenant, func(rows pgx.Rows) (err error) {
		found = true
		session, err = scanSession(rows)
		return err
	}, oneSession, tenant, userID, sessionID)
	if err == nil && !found {
		err = &memd.Error{Kind: memd.NotFound, Op: "shortterm.session", Msg: "no such session"}
	}
	return session, err
}

// Incognito gives the places of those of users' sessions, by name, that are or were
// incognito, ascending.
func (l *Log) Incognito(ctx context.Context, tenant string, users, sessions []string) (places []int, err error) {
	err = l.read(ctx, tenant, func(rows pgx.Rows) error {
		var place int
		err := rows.Scan(&place)
		places = append(places, place)
		return err
	}, areIncognito, tenant, users, sessions)
	return places, err
}

// scanSession reads sessionColumns, after what else the row begins with.
func scanSession(rows pgx.Rows, head ...any) (s Session, err error) {
	columns := append(head, &s.SessionID, &s.UserID, &s.Kind, &s.Title, &s.AgentID, &s.Messages,
		&s.LastMessageAt, &s.ClosedAt, &s.CreatedAt, &s.PreviousSessionID, &s.NextSessionID, &s.ForwardsTo, &s.Learn, &s.Incognito, &s.Metadata)
	err = rows.Scan(append(columns, s.Limits.scan()...)...)
	s.LastMessageAt, s.ClosedAt, s.CreatedAt = utc(s.LastMessageAt), utc(s.ClosedAt), s.CreatedAt.UTC()
	return s, err
}

func kindOf(direct bool) string {
	if direct {
		return "direct"
	}
	return "chat"
}

func learnsNothing() error {
	return memd.InvalidField("learn", "must not be true of an incognito session")
}
