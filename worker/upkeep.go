package worker

import (
	"context"
	"time"

	"github.com/sourcegraph/conc/panics"
)

// upkeepTime bounds one piece of upkeep. Making half a million memories ready for searches
// takes about ten minutes.
const upkeepTime = time.Hour

// reopenedAtOnce is how many messages are learned from again together.
const reopenedAtOnce = 200

// sweptAtOnce is how many expired memories are removed together.
const sweptAtOnce = 200

// piece is some of one kind of upkeep; more says that there may be more of it.
type piece func(context.Context) (more bool, err error)

// keepUp does one kind of what the tiers need done from time to time, until Stop.
// Every worker does; what one is at, another leaves alone. Each kind has a turn of its own,
// since one may take minutes.
func (r *run) keepUp(failure string, do piece) {
	for sleep(r.fetching, jitter(r.cfg.UpkeepEvery)) {
		r.upkeep(failure, do)
	}
}

// upkeep does one kind of work for as long as there is more of it.
func (r *run) upkeep(failure string, do piece) {
	for more := true; more && !r.isStopping() && r.database.isClosed(); {
		more = false
		var err error
		caught := panics.Try(func() {
			ctx, cancel := context.WithTimeout(r.fetching, upkeepTime)
			defer cancel()
			more, err = do(ctx)
		})
		switch {
		case caught != nil:
			r.metrics.panics.Inc()
			r.logger.Error().Str("panic", panicText(caught.Value)).Bytes("stack", caught.Stack).Msg("upkeep panicked")
		case err != nil && !isOutage(err) && !r.isStopping():
			r.logger.Error().Err(err).Msg(failure)
		}
	}
}

// inDatabase is for what asks the database alone: where that finds it away, nothing is
// fetched.
func (r *run) inDatabase(do piece) piece {
	return func(ctx context.Context) (more bool, err error) {
		err = r.database.do(ctx, func() (err error) {
			more, err = do(ctx)
			return err
		})
		return more, err
	}
}

// tend sums sessions up. It asks a model, which may be away or slow while the database is
// well: that it is, or that it is not, is for others to find out.
func (r *run) tend(ctx context.Context) (more bool, err error) { return r.cfg.Tend(ctx) }

func (r *run) sweep(ctx context.Context) (more bool, err error) {
	n, err := r.store.Sweep(ctx, sweptAtOnce)
	return n == sweptAtOnce, err
}

func (r *run) askAgain(ctx context.Context) (more bool, err error) {
	if !r.cfg.AsksAgain() {
		return false, nil
	}
	_, err = r.log.ReopenMarked(ctx, reopenedAtOnce)
	return false, err // the rest waits, so that live messages do not stand behind all of it
}

func (r *run) tendNeighbours(ctx context.Context) (more bool, err error) {
	model := r.embedder.Model()
	return r.store.TendNeighbours(ctx, model.Name, model.Dimensions)
}
