package shortterm

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
	"github.com/sourcegraph/conc/panics"
)

// endedAtOnce is how many incognito sessions a Sweeper ends together, droppedAtOnce how many
// messages that are kept no longer it drops.
const (
	endedAtOnce   = 50
	droppedAtOnce = 500
)

// Drop takes messages of a session out of what was made of them elsewhere; see
// SweepMessages.
type Drop func(ctx context.Context, tx pgx.Tx, tenant string, messages []int64) error

// Sweeper takes out of the log what is to be kept no longer: see SweepIncognito and
// SweepMessages. It needs nothing but the database. Any number of replicas may run one.
type Sweeper struct {
	log   *Log
	drop  Drop
	every time.Duration

	mu     sync.Mutex
	cancel context.CancelFunc // nil while it does not run
	done   chan struct{}
}

// NewSweeper makes the sweeper of l, which looks about once in every, a minute if that is 0.
func (l *Log) NewSweeper(drop Drop, every time.Duration) *Sweeper {
	if every <= 0 {
		every = time.Minute
	}
	return &Sweeper{log: l, drop: drop, every: every}
}

// Start begins the sweeper's work, which goes on until Stop; ctx bounds nothing but the
// start. Conflict: it runs already.
func (s *Sweeper) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		return &memd.Error{Kind: memd.Conflict, Op: "shortterm.sweeper", Msg: "the sweeper runs already"}
	}
	ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	s.done = done
	go func() { defer close(done); s.run(ctx) }()
	return nil
}

// Stop ends the sweeper and waits for it, as far as ctx allows. Stopping again, or before
// Start, is harmless.
func (s *Sweeper) Stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel == nil {
		return nil
	}
	s.cancel()
	select {
	case <-s.done:
		s.cancel = nil
		return nil
	case <-ctx.Done():
		return postgres.Err("shortterm.sweeper", ctx.Err())
	}
}

func (s *Sweeper) run(ctx context.Context) {
	failures := 0
	for {
		// Replicas that were started together do not look together.
		next := time.NewTimer(s.every/2 + rand.N(s.every))
		select {
		case <-next.C:
		case <-ctx.Done():
			next.Stop()
			return
		}
		var err error
		if p := panics.Try(func() { err = s.sweep(ctx) }); p != nil {
			err = p.AsError()
		}
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			failures = 0
		default:
			if failures++; failures == worthALine {
				s.log.cfg.Log.Warn().Err(err).Msg("what is kept no longer cannot be dropped now; trying on")
			}
		}
	}
}

// sweep drops all that is over by now.
func (s *Sweeper) sweep(ctx context.Context) error {
	for n := endedAtOnce; n == endedAtOnce; {
		var err error
		if n, err = s.log.SweepIncognito(ctx, endedAtOnce); err != nil {
			return err
		}
	}
	for n := droppedAtOnce; n == droppedAtOnce; {
		var err error
		if n, err = s.log.SweepMessages(ctx, droppedAtOnce, s.drop); err != nil {
			return err
		}
	}
	return nil
}
