package bus

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

type publication struct {
	work      Work
	publishes int
}

// Publish queues w. It never waits and reports nothing: what is lost is published
// again by the sweeper. publishes is how often this work was published before.
func (b *Bus) Publish(w Work, publishes int) {
	if len(w.MessageIDs) == 0 {
		return
	}
	select {
	case <-b.closing:
		b.lost.Add(1)
		return
	default:
	}
	// The socket may be stuck, hence a queue of our own: nothing but it is touched here.
	select {
	case b.queue <- publication{w, publishes}:
		b.held.add(w, 1)
	default:
		b.lost.Add(1)
	}
}

// Published counts what is safe in the stream, Lost what is not, since Open.
func (b *Bus) Published() (published, lost uint64) { return b.published.Load(), b.lost.Load() }

// publish sends what is queued until the Bus is closing and the queue is empty.
func (b *Bus) publish() {
	defer b.stop()
	defer b.js.CleanupPublisher()
	for {
		select {
		case p := <-b.queue:
			b.send(p)
		case <-b.stopped.Done():
			return
		case <-b.closing:
			for {
				select {
				case p := <-b.queue:
					b.send(p)
					continue
				default:
				}
				break
			}
			b.awaitAnswers()
			return
		}
	}
}

func (b *Bus) send(p publication) {
	// While NATS is away the client would keep it and send it at some time; the
	// sweeper does that better, and knows what is still open by then.
	if !b.conn.IsConnected() {
		b.lost.Add(1)
		return
	}
	data, err := encode(p.work)
	if err == nil {
		_, err = b.js.PublishMsgAsync(
			&nats.Msg{Subject: subject(b.prefix, p.work), Data: data},
			jetstream.WithMsgID(messageID(p.work, p.publishes)),
			jetstream.WithStallWait(50*time.Millisecond),
		)
	}
	if err != nil {
		b.lose(err)
	}
}

// lose counts a publication that failed, and has the stream looked after if that is
// why.
func (b *Bus) lose(err error) {
	b.lost.Add(1)
	if errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrNoResponders) {
		b.kick()
	}
}

// awaitAnswers waits until every publication was answered; publishTimeout bounds it,
// and so does the context of Close.
func (b *Bus) awaitAnswers() {
	ctx, cancel := context.WithTimeout(b.stopped, publishTimeout)
	defer cancel()
	if b.js.PublishAsyncPending() == 0 || !b.conn.IsConnected() {
		return
	}
	select {
	case <-b.js.PublishAsyncComplete():
	case <-ctx.Done():
	}
}
