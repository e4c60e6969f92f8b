package shortterm

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/postgres"
	"github.com/rs/zerolog"
)

// States of a message's ingest. Pending, running and failed are open; a failed one
// will be tried again.
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
	// Log is the relay's; the log itself returns its errors.
	Log zerolog.Logger
	// MaxAttempts is how often a message is tried; default 5.
	MaxAttempts int
	// Lease is how long a claim holds without Extend; default 60 s.
	Lease time.Duration
	// LockTimeout is how long Append waits for another writer of its session or a
	// first use of its idempotency key; default 5 s.
	LockTimeout time.Duration
	// Limits are those of sessions that have none of their own, nor their tenant.
	Limits Limits
	// Summaries has sessions summed up by a model once they are closed: see package summary.
	Summaries bool
	// KeepMessages is how long messages that have settled are kept, where a tenant does
	// not say; 0 is for ever.
	KeepMessages time.Duration
	// IncognitoIdle is how long an incognito session lives after its last message;
	// default 24 h.
	IncognitoIdle time.Duration
}

func (c Config) withDefaults() Config {
	if c.MaxAttempts <= 0 {
		c.MaxAttempts = 5
	}
	if c.Lease <= 0 {
		c.Lease = 60 * time.Second
	}
	if c.LockTimeout <= 0 {
		c.LockTimeout = 5 * time.Second
	}
	if c.IncognitoIdle <= 0 {
		c.IncognitoIdle = 24 * time.Hour
	}
	return c
}

// Log is the short tier. It is safe for concurrent use.
type Log struct {
	pool *postgres.Pool
	bus  *bus.Bus
	keys *idempotency.Store
	cfg  Config

	left     left
	shared   *sharing
	sessions *lru.Cache[knownSession, struct{}]
	counted  *lru.Cache[string, counted]

	settings    *lru.Cache[string, readSettings]
	settingsFor time.Duration
}

// New makes a Log on pool that publishes what is open to b.
func New(pool *postgres.Pool, b *bus.Bus, cfg Config) *Log {
	settings, err := lru.New[string, readSettings](settingsKept)
	if err != nil {
		panic(err) // only of a size that is none
	}
	sessions, err := lru.New[knownSession, struct{}](sessionsKnown)
	if err != nil {
		panic(err)
	}
	counts, err := lru.New[string, counted](countsKept)
	if err != nil {
		panic(err)
	}
	l := &Log{counted: counts, pool: pool, bus: b, keys: idempotency.New(pool), cfg: cfg.withDefaults(), sessions: sessions, settings: settings, settingsFor: settingsFor}
	l.shared = newSharing(l)
	return l
}
