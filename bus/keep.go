package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// keeper holds what keep last made or found.
type keeper struct {
	kick chan struct{}

	mu             sync.Mutex
	live, backfill jetstream.Consumer // nil before they were first seen
}

const (
	// keepEvery is how often a healthy stream is looked at.
	keepEvery = 10 * time.Second
	// A stream that cannot be had is tried for again after keepRetry, then ever less
	// often.
	keepRetry, keepRetryMax = 50 * time.Millisecond, 2 * time.Second
)

// kick has the stream looked at now.
func (b *Bus) kick() {
	select {
	case b.keeper.kick <- struct{}{}:
	default:
	}
}

func (b *Bus) consumers() (live, backfill jetstream.Consumer) {
	b.keeper.mu.Lock()
	defer b.keeper.mu.Unlock()
	return b.keeper.live, b.keeper.backfill
}

// keep sees to it that the stream and its consumers are there and as configured,
// until the Bus ends.
func (b *Bus) keep() {
	status := b.conn.StatusChanged(nats.CONNECTED)
	defer b.conn.RemoveStatusListener(status)
	retry := keepRetry
	failing := false
	for {
		wait := keepEvery
		if b.conn.IsConnected() {
			switch err := b.ensure(b.stopped); {
			case err == nil:
				retry = keepRetry
				if failing {
					failing = false
					b.cfg.Log.Info().Msg("the queue is back")
				}
			case b.stopped.Err() == nil:
				if !failing {
					failing = true
					said := "the queue is not available: work waits in the database"
					var api jetstream.JetStreamError
					if errors.As(err, &api) && api.APIError() != nil && slices.Contains(tooFewServers, api.APIError().ErrorCode) {
						said = fmt.Sprintf("NATS has not the %d servers that MEMD_NATS_REPLICAS asks for: work waits in the database", b.cfg.Replicas)
					}
					b.cfg.Log.Warn().Err(err).Msg(said)
				}
				wait, retry = retry, min(retry*2, keepRetryMax)
			}
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-status:
		case <-b.keeper.kick:
			// Several fetches fail together; once a moment is enough.
			select {
			case <-time.After(keepRetry):
			case <-b.stopped.Done():
			}
		case <-b.stopped.Done():
		}
		timer.Stop()
		if b.stopped.Err() != nil {
			return
		}
	}
}

// tooFewServers are JetStream's codes for a stream of more copies than there are servers.
var tooFewServers = []jetstream.ErrorCode{10005, 10074}

func (b *Bus) streamConfig() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        b.cfg.Stream,
		Description: "memd: sessions with open messages; may be deleted at any time",
		Subjects:    []string{b.prefix + ".>"},
		Retention:   jetstream.WorkQueuePolicy,
		Storage:     jetstream.FileStorage,
		// The publisher must learn that the stream is full; the oldest work must stay.
		Discard:    jetstream.DiscardNew,
		MaxBytes:   b.cfg.MaxBytes,
		Replicas:   b.cfg.Replicas,
		Duplicates: 2 * time.Minute,
	}
}

func (b *Bus) consumerConfig(lane string) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:       lane,
		AckPolicy:     jetstream.AckExplicitPolicy,
		DeliverPolicy: jetstream.DeliverAllPolicy,
		FilterSubject: b.prefix + "." + lane + ".>",
		AckWait:       b.cfg.AckWait,
		MaxAckPending: b.cfg.MaxAckPending,
		MaxDeliver:    -1, // attempts are counted in Postgres
	}
}

// ensure makes the stream and its consumers, or brings them to the configuration.
func (b *Bus) ensure(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*requestTimeout)
	defer cancel()
	want := b.streamConfig()
	stream, err := b.js.Stream(ctx, b.cfg.Stream)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		if stream, err = b.js.CreateStream(ctx, want); err == nil {
			b.cfg.Log.Info().Str("stream", b.cfg.Stream).Msg("made the stream")
		} else if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another replica was first
			stream, err = b.js.UpdateStream(ctx, want)
		}
	case err == nil:
		have := stream.CachedInfo().Config
		// Copies are added and never taken away: a replica that was told of fewer must not
		// undo what another one does.
		want.Replicas = max(want.Replicas, have.Replicas)
		if !streamDiffers(have, want) {
			break
		}
		if stream, err = b.js.UpdateStream(ctx, want); err == nil {
			b.cfg.Log.Info().Str("stream", b.cfg.Stream).Msg("brought the stream to its configuration")
		}
	}
	if err != nil {
		return err
	}
	liveLane, err := b.ensureConsumer(ctx, stream, live)
	if err != nil {
		return err
	}
	backfillLane, err := b.ensureConsumer(ctx, stream, backfill)
	if err != nil {
		return err
	}
	b.keeper.mu.Lock()
	defer b.keeper.mu.Unlock()
	b.keeper.live, b.keeper.backfill = liveLane, backfillLane
	return nil
}

func (b *Bus) ensureConsumer(ctx context.Context, stream jetstream.Stream, lane string) (jetstream.Consumer, error) {
	want := b.consumerConfig(lane)
	c, err := stream.Consumer(ctx, lane)
	switch {
	case errors.Is(err, jetstream.ErrConsumerNotFound):
		return stream.CreateOrUpdateConsumer(ctx, want)
	case err != nil || !consumerDiffers(c.CachedInfo().Config, want):
		return c, err
	}
	c, err = stream.CreateOrUpdateConsumer(ctx, want)
	var api jetstream.JetStreamError
	if errors.As(err, &api) && api.APIError() != nil && api.APIError().Code != 503 {
		// Not everything of a consumer can change. A new one delivers again what was
		// at work, and doing work twice is harmless.
		if err := stream.DeleteConsumer(ctx, lane); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			return nil, err
		}
		c, err = stream.CreateOrUpdateConsumer(ctx, want)
	}
	if err == nil {
		b.cfg.Log.Info().Str("consumer", lane).Msg("brought the consumer to its configuration")
	}
	return c, err
}

func streamDiffers(have, want jetstream.StreamConfig) bool {
	return have.Retention != want.Retention || have.Storage != want.Storage || have.Discard != want.Discard ||
		have.MaxBytes != want.MaxBytes || have.Replicas != want.Replicas || have.Duplicates != want.Duplicates ||
		len(have.Subjects) != 1 || have.Subjects[0] != want.Subjects[0]
}

func consumerDiffers(have, want jetstream.ConsumerConfig) bool {
	return have.AckPolicy != want.AckPolicy || have.DeliverPolicy != want.DeliverPolicy || have.FilterSubject != want.FilterSubject ||
		have.AckWait != want.AckWait || have.MaxAckPending != want.MaxAckPending || have.MaxDeliver != want.MaxDeliver
}
