package shortterm

import (
	"time"

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
	return c
}

// Log is the short tier. It is safe for concurrent use.
type Log struct {
	pool *postgres.Pool
	bus  *bus.Bus
	keys *idempotency.Store
	cfg  Config
}

// New makes a Log on pool that publishes what is open to b.
func New(pool *postgres.Pool, b *bus.Bus, cfg Config) *Log {
	return &Log{pool, b, idempotency.New(pool), cfg.withDefaults()}
}
