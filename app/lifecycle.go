package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memdhq/memd/postgres"
)

// step is something that was started, and how it is stopped.
type step struct {
	name string
	stop func(context.Context) error
}

// onStop notes how to stop what has just been started. Only Start and startUp call
// it, one after the other, and Stop reads the steps after both have ended.
func (a *App) onStop(name string, stop func(context.Context) error) {
	a.steps = append(a.steps, step{name, stop})
}

// Stop ends everything that was started, last first, within the deadline of ctx or
// MEMD_DRAIN_TIMEOUT, whichever is sooner. New requests are refused at once; those
// at work finish; workers finish or hand back what they hold. It may be called more
// than once, and after a Start that failed.
func (a *App) Stop(ctx context.Context) error {
	a.stopOnce.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, a.cfg.DrainTimeout)
		defer cancel()
		a.drain()
		if a.startup.cancel != nil {
			a.startup.cancel()
			<-a.startup.done
		}
		var problems []error
		// The listener goes first: whoever calls from now on is told at once.
		order := a.steps
		if len(order) > 0 {
			order = append(append([]step{}, order[1:]...), order[0])
		}
		for i := len(order) - 1; i >= 0; i-- {
			began := time.Now()
			if err := order[i].stop(ctx); err != nil {
				problems = append(problems, fmt.Errorf("stopping %s: %w", order[i].name, err))
			}
			a.log.Debug().Str("part", order[i].name).Dur("took", time.Since(began)).Msg("stopped")
		}
		a.stopErr = errors.Join(problems...)
	})
	return a.stopErr
}

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
