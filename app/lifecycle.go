package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/memdhq/memd/postgres"
)

// step is something that was started, and how it is stopped.
type step struct {
	name string
	// works says that it takes on work, and stands on those that do not.
	works bool
	stop  func(context.Context) error
}

// onStop notes how to stop what has just been started. Only Start and startUp call
// it, one after the other, and Stop reads the steps after both have ended.
func (a *App) onStop(name string, stop func(context.Context) error) {
	a.steps = append(a.steps, step{name: name, stop: stop})
}

// onDrain is onStop for what takes on work.
func (a *App) onDrain(name string, stop func(context.Context) error) {
	a.steps = append(a.steps, step{name, true, stop})
}

// Stop ends everything that was started within the deadline of ctx or MEMD_DRAIN_TIMEOUT,
// whichever is sooner. New requests are refused at once; those at work finish; workers
// finish or hand back what they hold. All that takes on work ends at the same time, so that
// none of it has to do with what another has left: for what a caller holds up, workers would
// else have no time to hand back. What it stands on comes then, last first; of the time that
// is left each has half. It may be called more than once, and after a Start that failed.
func (a *App) Stop(ctx context.Context) error {
	a.stopOnce.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, a.cfg.DrainTimeout)
		defer cancel()
		a.drain()
		if a.startup.cancel != nil {
			a.startup.cancel()
			<-a.startup.done
		}
		problems := make([]error, len(a.steps))
		stop := func(i int, share float64) {
			deadline, _ := ctx.Deadline()
			began := time.Now()
			within, cancel := context.WithTimeout(ctx, time.Duration(share*float64(time.Until(deadline))))
			defer cancel()
			if err := a.steps[i].stop(within); err != nil {
				problems[i] = fmt.Errorf("stopping %s: %w", a.steps[i].name, err)
			}
			a.log.Debug().Str("part", a.steps[i].name).Dur("took", time.Since(began)).Msg("stopped")
		}
		var drained sync.WaitGroup
		for i, s := range a.steps {
			if s.works {
				drained.Go(func() { stop(i, drainShare) })
			}
		}
		drained.Wait()
		for i, s := range slices.Backward(a.steps) {
			if !s.works {
				stop(i, 0.5)
			}
		}
		a.stopErr = errors.Join(problems...)
	})
	return a.stopErr
}

// drainShare is how much of the time of a stop is for what takes on work.
const drainShare = 0.75

// closePool closes a pool, but does not wait for connections past the deadline.
func closePool(p *postgres.Pool) func(context.Context) error {
	return func(ctx context.Context) error {
		closed := make(chan struct{})
		go func() {
			p.Close()
			close(closed)
		}()
		select {
		case <-closed:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
