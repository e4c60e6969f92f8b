package bus

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memdhq/memd"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"
)

// Config says how the stream is kept; the zero value is usable.
type Config struct {
	// Stream is the stream's name and, in lower case, the first token of its
	// subjects; default "MEMD".
	Stream string
	// Replicas is how many servers of a cluster hold the stream, at least: one that more
	// hold is left so. Default 1.
	Replicas int
	// MaxBytes bounds the stream on disk; when it is full, publishing fails and the
	// sweeper makes up for it. Default 256 MiB.
	MaxBytes int64
	// AckWait is how long a delivery may go without Ack or InProgress before it is
	// given to another; default 90 s.
	AckWait time.Duration
	// MaxAckPending bounds the deliveries at work in all replicas together, for live
	// and for backfill each; default 1,000.
	MaxAckPending int
	// Share is how much work of one tenant the stream holds, of live and of backfill
	// each, before more of it has to wait its turn; default 64.
	Share int
	// Log gets what happens to the stream.
	Log zerolog.Logger
}

func (c Config) withDefaults() Config {
	if c.Stream == "" {
		c.Stream = "MEMD"
	}
	if c.Replicas <= 0 {
		c.Replicas = 1
	}
	if c.MaxBytes <= 0 {
		c.MaxBytes = 256 << 20
	}
	if c.AckWait <= 0 {
		c.AckWait = 90 * time.Second
	}
	if c.MaxAckPending <= 0 {
		c.MaxAckPending = 1000
	}
	if c.Share <= 0 {
		c.Share = 64
	}
	return c
}

const (
	// requestTimeout bounds one question to JetStream.
	requestTimeout = 2 * time.Second
	// publishTimeout is how long a publication may go without an answer.
	publishTimeout = 5 * time.Second
	// queueLength is how much work may wait to be published, maxUnanswered how much
	// may be without an answer. What comes beyond is left to the sweeper.
	queueLength   = 4096
	maxUnanswered = 4096
)

// Bus is a connection to the stream.
type Bus struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	cfg    Config
	prefix string

	queue     chan publication
	published atomic.Uint64
	lost      atomic.Uint64
	held      holdings
	liveRun   atomic.Int64 // live deliveries since there was one of backfill
	// mostBackfill is set by LimitBackfill.
	mostBackfill atomic.Pointer[func() int]

	keeper keeper

	stop     context.CancelFunc // ends the keeper and what waits
	stopped  context.Context
	closing  chan struct{} // closed first: nothing is taken into the queue any more
	close    sync.Once
	routines sync.WaitGroup
}

// Open uses conn, which stays the caller's and should outlive the Bus. It never waits
// for NATS: the stream and its consumers are made in the background as soon as NATS
// answers, and again whenever they are gone.
func Open(conn *nats.Conn, cfg Config) (*Bus, error) {
	cfg = cfg.withDefaults()
	if strings.ContainsAny(cfg.Stream, " .*>/\\\t\r\n") {
		return nil, memd.InvalidField("Stream", "must be a stream's name")
	}
	b := &Bus{
		conn: conn, cfg: cfg, prefix: strings.ToLower(cfg.Stream),
		queue: make(chan publication, queueLength), closing: make(chan struct{}),
	}
	var err error
	b.js, err = jetstream.New(conn,
		jetstream.WithDefaultTimeout(requestTimeout),
		jetstream.WithPublishAsyncMaxPending(maxUnanswered),
		jetstream.WithPublishAsyncTimeout(publishTimeout),
		// Called with the publisher's lock held in some cases: it must not ask js.
		jetstream.WithPublishAsyncErrHandler(func(_ jetstream.JetStream, _ *nats.Msg, err error) { b.lose(err) }),
		jetstream.WithPublishAsyncAckHandler(func(jetstream.JetStream, *nats.Msg, *jetstream.PubAck) { b.published.Add(1) }),
	)
	if err != nil {
		return nil, &memd.Error{Kind: memd.Internal, Op: "bus.open", Err: err}
	}
	b.stopped, b.stop = context.WithCancel(context.Background())
	b.keeper.kick = make(chan struct{}, 1)
	b.held.of, b.held.crowded, b.held.room = map[owner]int{}, map[owner]bool{}, make(chan struct{}, 1)
	b.routines.Add(2)
	go func() { defer b.routines.Done(); b.keep() }()
	go func() { defer b.routines.Done(); b.publish() }()
	return b, nil
}

// Close publishes what is queued, waits for the answers as far as ctx allows, and ends
// the Bus. Closing again is harmless.
func (b *Bus) Close(ctx context.Context) error {
	b.close.Do(func() { close(b.closing) })
	done := make(chan struct{})
	go func() { b.routines.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	b.stop()
	select {
	case <-done:
		return nil
	case <-time.After(time.Second): // a write to a stuck socket cannot be broken off
		return unavailable("bus.close", ctx.Err())
	}
}

// Check is nil if work can be published and fetched, else Unavailable.
func (b *Bus) Check(ctx context.Context) error {
	_, err := b.State(ctx)
	return err
}

// Lane is the state of live or of backfill work.
type Lane struct {
	// Pending work waits in the stream, Unacked work was fetched and is at work.
	Pending, Unacked int
}

// Total is all that the stream holds of the lane.
func (l Lane) Total() int { return l.Pending + l.Unacked }

// State is what the stream holds.
type State struct {
	Live, Backfill Lane
	// Made tells one stream from the next: it changes when the stream was made anew
	// and what was in it may be lost.
	Made string
	// Lost counts the publications of this Bus that failed.
	Lost uint64
}

// State asks what the stream holds. While NATS is away it is Unavailable.
func (b *Bus) State(ctx context.Context) (State, error) {
	if c, _ := b.consumers(); c == nil || !b.conn.IsConnected() {
		return State{}, unavailable("bus.state", nats.ErrDisconnected)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	s := State{Lost: b.lost.Load()}
	for _, lane := range []struct {
		name string
		into *Lane
	}{{live, &s.Live}, {backfill, &s.Backfill}} {
		c, err := b.js.Consumer(ctx, b.cfg.Stream, lane.name)
		if err != nil {
			b.kick()
			return State{}, unavailable("bus.state", err)
		}
		info := c.CachedInfo()
		*lane.into = Lane{int(info.NumPending), info.NumAckPending}
		s.Made += info.Created.UTC().Format(time.RFC3339Nano) + " "
	}
	return s, nil
}

// Backlog says how much work waits in the stream and how much is at work.
func (b *Bus) Backlog(ctx context.Context) (pending, unacked int, err error) {
	s, err := b.State(ctx)
	return s.Live.Pending + s.Backfill.Pending, s.Live.Unacked + s.Backfill.Unacked, err
}

// unavailable is the error of everything that needs NATS.
func unavailable(op string, err error) error {
	var own *memd.Error
	if errors.As(err, &own) {
		return err
	}
	return &memd.Error{Kind: memd.Unavailable, Op: op, Msg: "the queue is not available", RetryAfter: time.Second, Err: err}
}
