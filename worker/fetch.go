package worker

import (
	"context"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/bus"
	"github.com/sourcegraph/conc/panics"
)

const (
	// fetchWait is how long one fetch waits for work.
	fetchWait = 5 * time.Second
	// awayMin and awayMax bound the wait before an absent queue is asked again.
	awayMin, awayMax = 200 * time.Millisecond, 5 * time.Second
)

// fetch takes work from the queue for as many workers as are free, until Stop.
func (r *run) fetch() {
	away := 0 // fetches in a row that failed
	for r.awaitDependencies() {
		var err error
		start := time.Now()
		got := 0
		caught := panics.Try(func() { got, err = r.fetchOnce() })
		switch {
		case r.isStopping():
			return
		case caught != nil:
			r.metrics.panics.Inc()
			r.logger.Error().Str("panic", panicText(caught.Value)).Bytes("stack", caught.Stack).Msg("fetching panicked")
			sleep(r.fetching, awayMax)
		case err != nil:
			// The queue is no truth: what is in it now, or is lost with it, is
			// published again.
			if away++; away == 1 {
				r.logger.Warn().Err(err).Msg("the queue is away")
			}
			sleep(r.fetching, backoff(awayMin, awayMax, away))
		case away > 0:
			r.logger.Info().Msg("the queue answers again")
			away = 0
		case got == 0 && time.Since(start) < awayMin:
			// A fetch that does not wait must not become a busy loop.
			sleep(r.fetching, awayMin)
		}
	}
}

// fetchOnce waits for free workers and gives them what the queue has.
func (r *run) fetchOnce() (got int, err error) {
	free := r.takeWorkers()
	defer func() { r.freeWorkers(free) }()
	if free == 0 {
		return 0, nil
	}
	deliveries, err := r.bus.Fetch(r.fetching, free, fetchWait)
	for _, d := range deliveries {
		if d.Deliveries > 1 {
			r.metrics.again.Inc()
		}
		if free == 0 {
			r.settleDelivery(d, d.Nak(0))
		} else if r.dispatch(d) {
			free--
		}
	}
	return len(deliveries), err
}

// awaitDependencies returns true once all that work needs answers, as far as asking
// can tell, and false when fetching has ended.
func (r *run) awaitDependencies() bool {
	for _, b := range r.breakers() {
		for b.probe != nil && !b.isClosed() {
			if wait, _ := b.standing(); wait > 0 {
				if !sleep(r.fetching, wait) {
					return false
				}
				continue
			}
			err := b.do(r.fetching, func() error {
				ctx, cancel := context.WithTimeout(r.fetching, probeTime)
				defer cancel()
				return b.probe(ctx)
			})
			// Not asked, because a worker is asking.
			if err != nil && !sleep(r.fetching, jitter(b.min/4)) {
				return false
			}
		}
	}
	return !r.isStopping()
}

// takeWorkers waits for a free worker and takes all that are free: that many may be
// fetched for. It is 0 when fetching has ended. While the extractor was away the next
// job is the one that tells whether it is back: it goes alone.
func (r *run) takeWorkers() int {
	if b := r.extraction; !b.isClosed() {
		if wait, _ := b.standing(); !sleep(r.fetching, wait) {
			return 0
		}
		for n := range cap(r.slots) {
			select {
			case r.slots <- struct{}{}:
			case <-r.fetching.Done():
				r.freeWorkers(n)
				return 0
			}
		}
		if b.isClosed() {
			return cap(r.slots)
		}
		r.freeWorkers(cap(r.slots) - 1)
		return 1
	}
	select {
	case r.slots <- struct{}{}:
	case <-r.fetching.Done():
		return 0
	}
	for n := 1; ; n++ {
		select {
		case r.slots <- struct{}{}:
		default:
			return n
		}
	}
}

func (r *run) freeWorkers(n int) {
	for range n {
		<-r.slots
	}
}

// roomForBackfill is how many more jobs may be at what nobody waits for: as long as somebody waits for
// something else in this process it is one at a time.
func (r *run) roomForBackfill() int {
	most := int64(r.cfg.Workers)
	if r.cfg.Live.IsOn() {
		most = 1
	}
	return int(most - r.backfill.Load())
}

// dispatch gives d to the job of its session, which goes on for it, or else to a free
// worker: then it is true. So one busy session occupies one worker.
func (r *run) dispatch(d *bus.Delivery) (started bool) {
	s := session{d.Tenant, d.SessionNo}
	r.mu.Lock()
	j := r.jobs[s]
	if j != nil {
		j.arrivals++
		held := len(j.deliveries) < maxHeld
		if held {
			j.deliveries = append(j.deliveries, d)
		}
		r.mu.Unlock()
		if !held {
			// The job claims until nothing is open; if it dies, what is open is published
			// again. Holding ever more would exhaust what the queue lets be at work.
			r.settleDelivery(d, d.Ack())
		}
		return false
	}
	j = &job{session: s, arrivals: 1, deliveries: []*bus.Delivery{d}, patient: d.Backfill}
	r.jobs[s] = j
	r.mu.Unlock()
	r.metrics.jobs.Inc()
	patient := int64(0)
	if d.Backfill {
		patient = 1
	}
	r.backfill.Add(patient)
	r.tasks.Go(func() {
		defer r.freeWorkers(1)
		defer r.backfill.Add(-patient)
		defer r.metrics.jobs.Dec()
		r.serve(j)
	})
	return true
}

// settleDelivery notes that a delivery could not be acked or given back. Nothing is
// lost by it: it comes again, and what it speaks of is claimed once.
func (r *run) settleDelivery(d *bus.Delivery, err error) {
	if err != nil {
		r.logger.Debug().Err(err).Str(memd.LogTenant, d.Tenant).Int64("session_no", d.SessionNo).Msg("a delivery will come again")
	}
}
