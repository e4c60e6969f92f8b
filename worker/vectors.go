package worker

import (
	"context"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
	"github.com/sourcegraph/conc/panics"
)

// vectorsAtOnce is how many memories are embedded together when theirs are made late.
const vectorsAtOnce = 64

// fillVectors makes the vectors of memories that were stored without one, until Stop.
func (r *run) fillVectors() {
	for sleep(r.fetching, jitter(r.cfg.VectorsEvery)) {
		for more := true; more && !r.isStopping(); {
			more = false
			if !r.database.isClosed() || !r.embedding.isClosed() {
				break
			}
			var err error
			caught := panics.Try(func() { more, err = r.fillSome() })
			switch {
			case caught != nil:
				r.metrics.panics.Inc()
				r.logger.Error().Str("panic", panicText(caught.Value)).Bytes("stack", caught.Stack).Msg("making late vectors panicked")
			case err != nil && !isOutage(err):
				r.logger.Error().Err(err).Msg("late vectors cannot be made")
			}
		}
	}
}

// fillSome makes the vectors of some memories and says whether there may be more.
// What fails comes again, each time a little later.
func (r *run) fillSome() (more bool, err error) {
	ctx, cancel := context.WithTimeout(r.fetching, r.cfg.JobTimeout)
	defer cancel()
	var missing []longterm.Missing
	err = r.database.do(ctx, func() (err error) {
		within, cancel := context.WithTimeout(ctx, writeTime)
		defer cancel()
		missing, err = r.store.MissingVectors(within, vectorsAtOnce)
		return err
	})
	if err != nil {
		return false, err
	}
	byTenant := map[string][]longterm.Missing{}
	for _, m := range missing {
		byTenant[m.Tenant] = append(byTenant[m.Tenant], m)
	}
	for tenant, ms := range byTenant {
		if err := r.fill(ctx, tenant, ms); err != nil {
			return false, err
		}
	}
	return len(missing) == vectorsAtOnce, nil
}

func (r *run) fill(ctx context.Context, tenant string, ms []longterm.Missing) error {
	texts := make([]string, len(ms))
	for i, m := range ms {
		texts[i] = m.EmbedText
	}
	start := time.Now()
	vectors, err := r.embed(ctx, texts)
	switch {
	case err == nil:
	case isOutage(err) || ctx.Err() != nil:
		return err
	case len(ms) > 1:
		half := len(ms) / 2
		if err := r.fill(ctx, tenant, ms[:half]); err != nil {
			return err
		}
		return r.fill(ctx, tenant, ms[half:])
	default:
		if memd.KindOf(err) == memd.Invalid {
			r.metrics.refused.Inc()
		}
		r.logger.Warn().Err(err).Str(memd.LogTenant, tenant).Str(memd.LogMemory, ms[0].ID).Msg("a memory cannot be embedded")
		return nil
	}
	r.metrics.took("embed", start)
	err = r.database.do(ctx, func() error {
		within, cancel := context.WithTimeout(ctx, commitTime)
		defer cancel()
		return r.store.PutVectors(within, tenant, r.embedder.Model().Name, ms, vectors)
	})
	if err == nil {
		r.metrics.vectors.Add(float64(len(ms)))
	}
	return err
}
