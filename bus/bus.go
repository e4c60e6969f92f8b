package bus

import (
	"context"
	"time"

	"github.com/memdhq/memd"
	"github.com/nats-io/nats.go"
	"github.com/rs/zerolog"
)

// Work says that messages of one session are open. It is a hint: what is to be done
// stands in Postgres.
type Work struct {
	Tenant     string
	SessionNo  int64
	MessageIDs []int64
	Backfill   bool
}

// Config says how the stream is kept; the zero value is usable.
type Config struct {
	// Stream is the stream's name and the first token of its subjects, in lower
	// case; default "MEMD".
	Stream string
	// Replicas is how many servers of a cluster hold the stream; default 1.
	Replicas int
	// MaxBytes bounds the stream on disk; when it is full, publishing fails and the
	// sweeper makes up for it. Default 256 MiB.
	MaxBytes int64
	// AckWait is how long a delivery may go without Ack or InProgress before it is
	// given to another; default 90 s.
	AckWait time.Duration
	// MaxAckPending bounds the deliveries that are at work in all replicas together,
	// for each priority; default 1,000.
	MaxAckPending int
	Log           zerolog.Logger
}

// Bus is a connection to the stream.
type Bus struct{}

// Open uses conn, which stays the caller's and must not be closed before the Bus is.
// It never waits for NATS.
func Open(conn *nats.Conn, cfg Config) (*Bus, error) { return &Bus{}, nil }

// Publish queues w. It never waits and reports nothing: what is lost is published
// again by the sweeper. publishes is how often this work was published before.
func (b *Bus) Publish(w Work, publishes int) {}

// Fetch takes up to n deliveries, live before backfill, and waits up to wait for the
// first. None is no error. While NATS is away it is Unavailable, once wait is over.
func (b *Bus) Fetch(ctx context.Context, n int, wait time.Duration) ([]*Delivery, error) {
	return nil, &memd.Error{Kind: memd.Internal}
}

// Backlog says how many deliveries wait in the stream and how many are at work.
func (b *Bus) Backlog(ctx context.Context) (pending, unacked int, err error) {
	return 0, 0, &memd.Error{Kind: memd.Internal}
}

// Check is nil if work can be published and fetched, else Unavailable.
func (b *Bus) Check(ctx context.Context) error { return &memd.Error{Kind: memd.Internal} }

// Close publishes what is queued, as far as ctx allows, and ends the Bus.
func (b *Bus) Close(ctx context.Context) error { return nil }

// Delivery is work that was fetched. It must be acked, naked or kept alive within
// Config.AckWait, else another gets it.
type Delivery struct {
	Work
}

// Ack takes the work from the queue for good.
func (d *Delivery) Ack() error { return nil }

// Nak gives the work back, to be delivered again after delay.
func (d *Delivery) Nak(delay time.Duration) error { return nil }

// InProgress begins the ack wait anew.
func (d *Delivery) InProgress() error { return nil }
