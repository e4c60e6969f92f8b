package shortterm

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/postgres"
	"github.com/rs/zerolog"
)

// States of a message's ingest. Pending, running and failed are open; failed will be
// tried again.
const (
	StatePending = "pending"
	StateRunning = "running"
	StateFailed  = "failed"
	StateDone    = "done"
	StateSkipped = "skipped"
	StateDead    = "dead"
)

// Config says how the log works; the zero value is usable.
type Config struct {
	Log zerolog.Logger
	// MaxAttempts is how often a message is tried; default 5.
	MaxAttempts int
	// Lease is how long a claim holds without Extend; default 60 s.
	Lease time.Duration
}

// Log is the short tier.
type Log struct {
	pool *postgres.Pool
	bus  *bus.Bus
	cfg  Config
}

// New makes a Log on pool that publishes to b.
func New(pool *postgres.Pool, b *bus.Bus, cfg Config) *Log { return &Log{pool, b, cfg} }

// Append is a call's messages of one session.
type Append struct {
	// UserID is "" only with Direct. An empty SessionID makes a new session.
	UserID, SessionID, AgentID, AppID string
	Messages                          []memd.Message
	// Metadata is a JSON object that passes to what is learned, nil if none came.
	Metadata json.RawMessage
	// Timezone is an IANA name, "" for UTC.
	Timezone string
	// Infer and Learn say what is learned from: with Infer, messages of the roles in
	// Learn, if they are user or assistant.
	Infer bool
	Learn []memd.Role
	// Backfill waits behind live traffic.
	Backfill bool
	// Direct makes a new session one of kind direct, which is never the latest.
	Direct bool
	// Key is the request's idempotency key, nil if none came.
	Key *idempotency.Key
}

// Appended is what became of an Append. A replay equals the first answer.
type Appended struct {
	SessionID string
	SessionNo int64
	Messages  []AppendedMessage
	// Replayed says that the key was used before and nothing was written.
	Replayed bool
}

// AppendedMessage is one message of an Append, in the order given.
type AppendedMessage struct {
	ID        int64
	ClientID  string
	Role      memd.Role
	CreatedAt time.Time
	State     string
	// Duplicate says that the client id stood there already: this is that message.
	Duplicate bool
}

// Append writes all messages of a or none, in the order given, and returns once they
// are durable.
func (l *Log) Append(ctx context.Context, tenant string, a Append) (Appended, error) {
	return Appended{}, errTODO
}

// Entry is a message with what became of it.
type Entry struct {
	memd.Message
	Ingest Ingest
}

// Ingest says where a message stands on its way to the long tier.
type Ingest struct {
	State    string
	Attempts int
	// NextAttemptAt is set for a failed one.
	NextAttemptAt *time.Time
	// Error is a class and a code, "" if there was none.
	Error     string
	Extractor string
	SettledAt *time.Time
}

// Page says which messages of a session are wanted. With neither Turns nor Limit all
// are. Before and After are ids, exclusive, 0 for none.
type Page struct {
	UserID, SessionID string // SessionID "": the user's latest chat session
	Turns, Limit      int
	Before, After     int64
}

// Messages gives the messages of p in chronological order, and whether there are more
// beyond the end that p cut.
func (l *Log) Messages(ctx context.Context, tenant string, p Page) (sessionID string, entries []Entry, hasMore bool, err error) {
	return "", nil, false, errTODO
}

// Message gives one message. The ids of check that are set must be the message's;
// else, and in another tenant, it is NotFound.
func (l *Log) Message(ctx context.Context, tenant string, id int64, check memd.Scope) (Entry, error) {
	return Entry{}, errTODO
}

// Window is what the assembler needs of the log.
type Window struct {
	// Session is nil if there is none (yet).
	Session *Session
	// Entries are the last turns, chronological.
	Entries []Entry
	// Open are unsettled messages of this session and of the one it was rotated from
	// that are not among Entries, chronological.
	Open []Entry
}

// Window gives the last turns of a session and what of it is open besides.
func (l *Log) Window(ctx context.Context, tenant, userID, sessionID string, turns int) (Window, error) {
	return Window{}, errTODO
}

// Session is a run of messages of one user.
type Session struct {
	SessionID               string
	UserID                  string
	Kind                    string
	Title                   *string
	AgentID                 *string
	Messages                int
	LastMessageAt, ClosedAt *time.Time
	CreatedAt               time.Time
	PreviousSessionID       *string
	Metadata                json.RawMessage
}

// NewSession is a session to be made. An empty SessionID makes one.
type NewSession struct {
	UserID, SessionID, AgentID, PreviousSessionID string
	Metadata                                      json.RawMessage
}

// CreateSession makes a session; one of this name is Conflict.
func (l *Log) CreateSession(ctx context.Context, tenant string, s NewSession) (Session, error) {
	return Session{}, errTODO
}

// Sessions lists a user's chat sessions, newest first. next is "" at the end.
func (l *Log) Sessions(ctx context.Context, tenant, userID string, limit int, cursor string) (sessions []Session, next string, err error) {
	return nil, "", errTODO
}

// Session gives one session of a user.
func (l *Log) Session(ctx context.Context, tenant, userID, sessionID string) (Session, error) {
	return Session{}, errTODO
}

// Counts says how many messages are in each state.
type Counts struct {
	Pending, Running, Failed, Done, Skipped, Dead int64
	// OldestPending is the age of the oldest open message, 0 if none is open.
	OldestPending time.Duration
	// PerSecond is how many were settled a second, over the last minute.
	PerSecond float64
}

// Open is how many have not settled.
func (c Counts) Open() int64 { return c.Pending + c.Running + c.Failed }

// Counts counts a tenant's messages, of one user and session where given.
func (l *Log) Counts(ctx context.Context, tenant, userID, sessionID string) (Counts, error) {
	return Counts{}, errTODO
}

// AwaitSettled returns when all messages have settled; Unavailable when ctx ends first.
func (l *Log) AwaitSettled(ctx context.Context, tenant string, ids []int64) error { return errTODO }

// AwaitIdle returns when nothing is open, or what is when ctx ends.
func (l *Log) AwaitIdle(ctx context.Context, tenant, userID, sessionID string) (Counts, error) {
	return Counts{}, errTODO
}

// Claim is the right to learn from some messages of one session, until its lease ends.
type Claim struct {
	Tenant            string
	SessionNo         int64
	UserID, SessionID string
	// Messages ascend.
	Messages []Claimed
	// Before are the messages of the session that precede the first of Messages.
	Before []memd.Message
}

// Claimed is a message that was claimed.
type Claimed struct {
	memd.Message
	// Attempt counts from 1.
	Attempt int
	// Crashed says that all attempts were used up without one ever reporting: settle
	// it dead.
	Crashed  bool
	Backfill bool
}

// Claim takes up to max open messages of a session whose time has come; nil if there
// are none. before is how many messages that precede them are wanted.
func (l *Log) Claim(ctx context.Context, tenant string, sessionNo int64, max, before int) (*Claim, error) {
	return nil, errTODO
}

// Extend begins the lease anew. Conflict: none of the claim is held any more.
func (l *Log) Extend(ctx context.Context, c *Claim) error { return errTODO }

// Outcome is how a message ended.
type Outcome struct {
	MessageID        int64
	Attempt          int
	State            string // StateDone or StateDead
	Extractor, Error string
}

// Settle ends messages within tx, which must be the tenant's. Conflict: a claim was
// lost; the caller must roll back.
func (l *Log) Settle(ctx context.Context, tx pgx.Tx, tenant string, outcomes []Outcome) error {
	return errTODO
}

// Failure is a try that failed.
type Failure struct {
	MessageID int64
	Attempt   int
	Error     string // class and code
	After     time.Duration
	// Free burns no attempt.
	Free bool
}

// Fail gives messages back, to be tried again. Claims that were lost are left out.
func (l *Log) Fail(ctx context.Context, tenant string, failures []Failure) error { return errTODO }

// Release gives a claim back as it was; no attempt is burnt.
func (l *Log) Release(ctx context.Context, c *Claim) error { return errTODO }

// DeadLetter is a message that was given up.
type DeadLetter struct {
	Entry
}

// DeadLetters lists what was given up, newest first. next is "" at the end.
func (l *Log) DeadLetters(ctx context.Context, tenant string, limit int, cursor string) (letters []DeadLetter, next string, err error) {
	return nil, "", errTODO
}

// RetryDead opens a dead letter again, with all its attempts. NotFound if it is none.
func (l *Log) RetryDead(ctx context.Context, tenant string, id int64) error { return errTODO }

// DiscardDead makes a dead letter skipped. NotFound if it is none.
func (l *Log) DiscardDead(ctx context.Context, tenant string, id int64) error { return errTODO }

// RelayConfig says how the relay works; the zero value is usable.
type RelayConfig struct {
	// Every is how often it looks; default 1 s.
	Every time.Duration
}

// Relay publishes again what is open and due.
type Relay struct{}

// NewRelay makes the relay of l.
func (l *Log) NewRelay(cfg RelayConfig) *Relay { return &Relay{} }

// Start begins the relay's work; ctx bounds nothing but the start.
func (r *Relay) Start(ctx context.Context) error { return errTODO }

// Stop ends it and waits. Stopping again, or before Start, is harmless.
func (r *Relay) Stop(ctx context.Context) error { return nil }

var errTODO = &memd.Error{Kind: memd.Internal}
