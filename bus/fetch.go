package bus

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Delivery is work that was fetched. It must be acked, naked or kept alive within
// Config.AckWait, else another gets it.
type Delivery struct {
	Work
	// Deliveries counts how often this work was delivered, this time included.
	Deliveries int
	msg        jetstream.Msg
	held       *holdings
}

// Ack takes the work from the queue for good.
func (d *Delivery) Ack() error {
	err := d.msg.Ack()
	if err == nil {
		d.held.add(d.Work, -1)
	}
	return deliveryErr("bus.ack", err)
}

// Nak gives the work back, to be delivered again after delay.
func (d *Delivery) Nak(delay time.Duration) error {
	return deliveryErr("bus.nak", d.msg.NakWithDelay(delay))
}

// InProgress begins the ack wait anew.
func (d *Delivery) InProgress() error { return deliveryErr("bus.in_progress", d.msg.InProgress()) }

func deliveryErr(op string, err error) error {
	if err == nil {
		return nil
	}
	return unavailable(op, err)
}

// Between two looks at the lanes Fetch waits for live work, first shortly, then
// longer: backfill work that comes meanwhile waits no longer than that. A wait is not
// broken off, since what came in that moment would lie until its ack wait is over; so
// the longest is also how late Fetch may notice that its context ended.
const fetchStep, fetchStepMax = 100 * time.Millisecond, 500 * time.Millisecond

// backfillAfter is how many live deliveries there may be in a row while there is backfill
// work: it comes behind live work, but it comes.
const backfillAfter = 15

// Fetch takes up to n deliveries, live before backfill, and waits up to wait for the
// first. Of many in a row one is of backfill, if there is any. None is no error. While NATS is away it is Unavailable, once wait is over.
func (b *Bus) Fetch(ctx context.Context, n int, wait time.Duration) ([]*Delivery, error) {
	if n <= 0 {
		return nil, nil
	}
	deadline := time.Now().Add(wait)
	step := fetchStep
	for {
		got, err := b.take(n)
		left := time.Until(deadline)
		if len(got) > 0 || left <= 0 && err == nil {
			return got, nil
		}
		if ctx.Err() != nil || b.stopped.Err() != nil || left <= 0 {
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				err = b.stopped.Err()
			}
			return nil, unavailable("bus.fetch", err)
		}
		step = min(step, left)
		if err != nil {
			b.pause(ctx, step)
		} else if got, err = b.await(n, step); len(got) > 0 {
			return got, nil
		} else if err != nil {
			b.pause(ctx, step)
		}
		step = min(step*2, fetchStepMax)
	}
}

// LimitBackfill has Fetch give no more deliveries of backfill than most says at that time.
func (b *Bus) LimitBackfill(most func() int) { b.mostBackfill.Store(&most) }

// roomForBackfill is how many deliveries of backfill may be given.
func (b *Bus) roomForBackfill() int {
	if most := b.mostBackfill.Load(); most != nil {
		return (*most)()
	}
	return math.MaxInt
}

func (b *Bus) pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	case <-b.stopped.Done():
	}
}

// take takes what is there, without waiting. With deliveries there may be an error.
func (b *Bus) take(n int) ([]*Delivery, error) {
	liveLane, backfillLane := b.consumers()
	if liveLane == nil || !b.conn.IsConnected() {
		return nil, nats.ErrDisconnected
	}
	var due []*Delivery
	if b.liveRun.Load() >= backfillAfter && b.roomForBackfill() > 0 {
		var err error
		if due, err = b.collect(backfillLane.FetchNoWait(1)); err != nil {
			return nil, err
		}
		b.liveRun.Store(0)
		if len(due) == n {
			return due, nil
		}
	}
	got, err := b.collect(liveLane.FetchNoWait(n - len(due)))
	b.liveRun.Add(int64(len(got)))
	got = append(got, due...)
	if err != nil || len(got) == n {
		return got, err
	}
	n = min(n-len(got), b.roomForBackfill()-len(due))
	if n <= 0 {
		return got, nil
	}
	more, err := b.collect(backfillLane.FetchNoWait(n))
	if len(more) > 0 {
		b.liveRun.Store(0)
	}
	return append(got, more...), err
}

// await waits for one live delivery, and takes what else is there once it has come.
func (b *Bus) await(n int, wait time.Duration) ([]*Delivery, error) {
	liveLane, _ := b.consumers()
	got, err := b.collect(liveLane.Fetch(1, jetstream.FetchMaxWait(wait)))
	b.liveRun.Add(int64(len(got)))
	if err != nil || len(got) == 0 || n == 1 {
		return got, err
	}
	more, _ := b.take(n - 1)
	return append(got, more...), nil
}

// collect reads a batch to its end. With deliveries there is no error.
func (b *Bus) collect(batch jetstream.MessageBatch, err error) ([]*Delivery, error) {
	if err != nil {
		return nil, err
	}
	var got []*Delivery
	for msg := range batch.Messages() {
		w, err := decode(msg.Subject(), msg.Data())
		if err != nil {
			// Nobody will ever read it; what it may have meant stands in the database.
			b.cfg.Log.Warn().Err(err).Msg("dropped work that cannot be read")
			_ = msg.Term()
			continue
		}
		d := &Delivery{Work: w, msg: msg, held: &b.held}
		if meta, err := msg.Metadata(); err == nil {
			d.Deliveries = int(meta.NumDelivered)
		}
		got = append(got, d)
	}
	err = batch.Error()
	if err != nil {
		b.kick() // the consumer is gone, or will be
	}
	if len(got) > 0 || errors.Is(err, nats.ErrTimeout) {
		err = nil
	}
	return got, err
}
