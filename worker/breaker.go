package worker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/memdhq/memd"
	"github.com/rs/zerolog"
	"github.com/sony/gobreaker/v2"
)

// probeTime bounds the call that asks whether a dependency is back.
const probeTime = 30 * time.Second

// breaker stands before one dependency, for all workers: the first outage opens it,
// and until the dependency answers again nothing is fetched and no call goes through.
type breaker struct {
	name     string
	min, max time.Duration
	// probe asks whether the dependency is back; nil if only work can tell.
	probe   func(context.Context) error
	circuit *gobreaker.TwoStepCircuitBreaker[struct{}]
	logger  zerolog.Logger
	// elsewhere is what is known of the dependency that does not stop the workers: that it
	// is not well, and for how long it is left alone. nil: nothing.
	elsewhere func() (unwell bool, wait time.Duration)

	mu      sync.Mutex
	outages int       // in a row
	until   time.Time // nothing is tried before
}

// maxAsked bounds how long a dependency can ask to be left alone. With it nothing open waits
// for more than the 20 min from which on memd_due_ahead takes its time for a wrong clock's.
const maxAsked = 15 * time.Minute

// asked is how long an outage asks to wait, within reason.
func asked(err error) time.Duration { return min(memd.RetryAfterOf(err), maxAsked) }

// errPaused is the cause of an error for which the dependency was not asked at all.
var errPaused = errors.New("paused")

// errUncounted is the outcome of a call that says nothing about the dependency.
var errUncounted = errors.New("uncounted")

func newBreaker(name string, cfg Config, logger zerolog.Logger, probe func(context.Context) error) *breaker {
	return &breaker{
		name: name, min: cfg.PauseMin, max: cfg.PauseMax, probe: probe, logger: logger,
		circuit: gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
			Name:        name,
			MaxRequests: 1,
			// How long it stays open is until's to say: it may be what the dependency asks for.
			Timeout:      time.Nanosecond,
			ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= 1 },
			IsSuccessful: func(err error) bool { return !isOutage(err) },
			IsExcluded:   func(err error) bool { return errors.Is(err, errUncounted) },
		}),
	}
}

// do calls f unless the dependency is known to be away; then, as when f finds that
// it is, the error is one of outage. Whatever happens after ctx has ended counts as
// nothing.
func (b *breaker) do(ctx context.Context, f func() error) error {
	wait, outages := b.standing()
	if wait > 0 {
		return b.away(wait, errPaused)
	}
	done, err := b.circuit.Allow()
	if err != nil {
		return b.away(b.min, fmt.Errorf("%w: %w", errPaused, err)) // another call is finding out
	}
	outcome := errUncounted // what a panic leaves
	defer func() { done(outcome) }()
	err = f()
	switch {
	case ctx.Err() != nil:
	case isOutage(err):
		outcome = err
		b.pause(err, outages)
	default:
		outcome = err
		b.resume(outages)
	}
	return err
}

func (b *breaker) away(wait time.Duration, cause error) error {
	return &memd.Error{Kind: memd.Unavailable, Op: "worker." + b.name, Msg: "paused until it answers again", RetryAfter: wait, Err: cause}
}

// pause sets how long nothing is tried after an outage, met by a call that began
// when there had been so many outages before: of several calls that meet the same
// one, the first counts.
func (b *breaker) pause(err error, before int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if until := now.Add(asked(err)); until.After(b.until) {
		b.until = until
	}
	if b.outages != before {
		return
	}
	if own := now.Add(backoff(b.min, b.max, b.outages)); own.After(b.until) {
		b.until = own
	}
	if b.outages == 0 {
		b.logger.Warn().Err(err).Str("dependency", b.name).Msg("away: nothing is fetched until it answers")
	}
	b.outages++
}

// resume forgets the outages, unless there was one since the call began.
func (b *breaker) resume(before int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.outages != before || before == 0 {
		return
	}
	b.logger.Info().Str("dependency", b.name).Msg("answers again")
	b.outages, b.until = 0, time.Time{}
}

// standing is how long nothing may be tried, and how many outages there were in a row.
func (b *breaker) standing() (wait time.Duration, outages int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(0, time.Until(b.until)), b.outages
}

// isClosed says that nothing is known to be wrong.
func (b *breaker) isClosed() bool { return b.circuit.State() == gobreaker.StateClosed }

// shown is what is told of the dependency: whether it is away, and for how long it is left
// alone.
func (b *breaker) shown() (away bool, wait time.Duration) {
	wait, _ = b.standing()
	away = !b.isClosed()
	if b.elsewhere != nil {
		unwell, rest := b.elsewhere()
		away, wait = away || unwell, max(wait, rest)
	}
	return away, wait
}

// backoff doubles from low to high over the tries, up to a quarter more or less.
func backoff(low, high time.Duration, tries int) time.Duration {
	d := low
	for ; tries > 0 && d < high; tries-- {
		d *= 2
	}
	return jitter(min(d, high))
}

// jitter spreads d by a quarter both ways, so that those who wait do not come back
// together.
func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.75 + rand.Float64()/2))
}

// sleep waits for d and says whether ctx lives on.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
