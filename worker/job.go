package worker

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/shortterm"
	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"
)

const (
	// maxHeld bounds the deliveries that one job holds: they count for its tenant's share
	// of the queue.
	maxHeld = 2
	// aloneFrom is the attempt from which on a message is tried alone. A first
	// attempt that ended without a report was likely a killed process; after a
	// second the message itself may be what kills it, and would take those that are
	// tried with it along.
	aloneFrom = 3
	// beat is the longest between two heartbeats: so soon it is noticed that a claim is
	// gone, as when its message was deleted or its user erased.
	beat = 3 * time.Second
	// longTexts is from how many bytes on the texts of a claim count as long, and
	// longRetry when those that could not be taken on are tried again.
	longTexts = 32 << 10
	longRetry = time.Second
	// batchOfBackfill is how many messages a batch of backfill has at most while others wait for answers:
	// what it takes the database is what they wait for.
	batchOfBackfill = 8
	// writeTime bounds one exchange with the database.
	writeTime = 15 * time.Second
)

// session tells sessions of all tenants apart.
type session struct {
	tenant string
	no     int64
}

// job is a worker's turn at one session. Within a process there is one for a session
// at a time. run.mu guards its fields.
type job struct {
	session
	deliveries []*bus.Delivery
	arrivals   int // deliveries so far
	// patient says that nobody waited for what it was begun for.
	patient bool
	claim   *shortterm.Claim
	// heldUntil is when what is held is no longer held on to, because what is done
	// with it takes too long.
	heldUntil time.Time
	// attempt is what is under way, nil if nothing is.
	attempt *attempt
}

// attempt is a try at some messages of a claim.
type attempt struct {
	messages []shortterm.Claimed
	// cancel breaks it off.
	cancel context.CancelCauseFunc
}

// errTaken is why an attempt was broken off whose messages are not its own any more.
var errTaken = errors.New("the claim was taken away")

// end is how a job's turn, or a part of it, ended.
type end int

const (
	// goOn: what was claimed is written down, as settled or failed.
	goOn end = iota
	// standBy: it was handed back, or will be once its lease ends; nothing more of
	// the session can be done now.
	standBy
)

// serve works on a session until nothing of it is open, and settles its deliveries.
func (r *run) serve(j *job) {
	beating, stopBeating := context.WithCancel(context.WithoutCancel(r.working))
	var heart conc.WaitGroup
	heart.Go(func() { r.heartbeat(beating, j) })
	if caught := panics.Try(func() { r.work(j) }); caught != nil {
		r.metrics.panics.Inc()
		r.logger.Error().Str(memd.LogTenant, j.tenant).Int64("session_no", j.no).
			Str("panic", panicText(caught.Value)).Bytes("stack", caught.Stack).Msg("a job panicked")
		r.quit(j, r.cfg.RetryMin)
	}
	stopBeating()
	heart.Wait()
}

func (r *run) work(j *job) {
	alone := 0 // how many messages are to be claimed one by one
	learned := 0
	for batches := 1; !r.isStopping(); batches++ {
		arrivals := r.arrivals(j)
		limit := r.cfg.Batch
		if j.patient && r.cfg.Live.IsOn() {
			limit = min(limit, batchOfBackfill)
		}
		if alone > 0 || !r.extraction.isClosed() { // one tells whether it is back as well as many
			limit = 1
		}
		claim, err := r.claim(j, limit)
		if err != nil {
			delay := max(memd.RetryAfterOf(err), r.cfg.RetryMin)
			if !isOutage(err) {
				r.logger.Error().Err(err).Str(memd.LogTenant, j.tenant).Int64("session_no", j.no).Msg("a session cannot be claimed")
				delay = max(delay, 30*time.Second)
			}
			r.quit(j, jitter(delay))
			return
		}
		if claim == nil {
			if r.finish(j, arrivals) {
				return
			}
			alone = 0
			continue
		}
		if suspects := r.suspects(claim); alone == 0 && suspects > 0 && len(claim.Messages) > 1 {
			// Handed back, because a crash would burn an attempt of each that is claimed.
			if r.release(claim, claim.Messages) == standBy {
				r.quit(j, jitter(r.cfg.RetryMin))
				return
			}
			alone = suspects
			continue
		}
		alone = max(0, alone-1)
		outcome, took := r.inTurn(claim, func() end { return r.learnAll(j, claim) })
		if !took {
			r.quit(j, jitter(longRetry))
			return
		}
		if outcome == standBy {
			delay := time.Duration(0)
			if !r.isStopping() {
				// Not before the messages themselves are due again.
				delay = r.pauseLeft() + r.cfg.RetryMin
			}
			r.quit(j, delay)
			return
		}
		more := len(claim.Messages) == limit
		r.ackThrough(j, claim.Messages[len(claim.Messages)-1].ID, more)
		learned += len(claim.Messages)
		// One that is written to all the time has more to do, though it never is much.
		if alone == 0 && (batches >= r.cfg.Batches || learned >= r.cfg.Batch) {
			r.goBehind(j, claim)
			return
		}
	}
	r.quit(j, 0)
}

// inTurn learns from a claim, if it may: long texts take a model many seconds, those that it
// never answers longer yet, and those of a few users must not hold every worker while others
// wait. took is false if it is not their turn; the claim is handed back then. One that hangs
// is put off instead, since it would be the first of its session again.
func (r *run) inTurn(c *shortterm.Claim, learn func() end) (outcome end, took bool) {
	if isSuspect(c) {
		// Each that is at work when the process is killed loses an attempt. Of those that may
		// have killed it before, only one is: the others keep theirs.
		select {
		case r.suspect <- struct{}{}:
			defer func() { <-r.suspect }()
		default:
			r.release(c, c.Messages)
			return standBy, false
		}
	}
	if len(c.Messages) == 1 && r.strikes.count(c.Messages[0].ID) >= ownStrike {
		select {
		case r.struck <- struct{}{}:
			defer func() { <-r.struck }()
			return learn(), true
		default:
			own := &failure{stage: stageEmbed, code: memd.Unavailable.String()}
			return r.fail(c, c.Messages, own, backoff(r.cfg.RetryMin, r.cfg.RetryMax, 1), true), true
		}
	}
	if !long(c) {
		return learn(), true
	}
	select {
	case r.long <- struct{}{}:
		defer func() { <-r.long }()
		return learn(), true
	default:
		r.release(c, c.Messages)
		return standBy, false
	}
}

// isSuspect says whether a claim is of one message that may be what killed the process.
func isSuspect(c *shortterm.Claim) bool {
	return len(c.Messages) == 1 && c.Messages[0].Attempt >= aloneFrom && !c.Messages[0].Crashed
}

// long says whether a claim's texts are long together.
func long(c *shortterm.Claim) bool {
	n := 0
	for _, m := range c.Messages {
		n += len(m.Text)
	}
	return n > longTexts
}

// canWait says that nobody waits for what is learned from messages.
func canWait(messages []shortterm.Claimed) bool {
	return !slices.ContainsFunc(messages, func(m shortterm.Claimed) bool { return !m.Backfill })
}

// suspects is how many of the claim's messages, from the first, have to be claimed
// one by one for the last that may be what kills the process, or what its model fails by.
func (r *run) suspects(c *shortterm.Claim) int {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		m := c.Messages[i]
		if (m.Attempt >= aloneFrom || r.strikes.count(m.ID) >= aloneAfter) && !m.Crashed {
			return i + 1
		}
	}
	return 0
}

func (r *run) claim(j *job, limit int) (claim *shortterm.Claim, err error) {
	err = r.database.do(r.working, func() error {
		ctx, cancel := context.WithTimeout(r.working, writeTime)
		defer cancel()
		claim, err = r.log.Claim(ctx, j.tenant, j.no, limit, r.cfg.Before)
		return err
	})
	if memd.KindOf(err) == memd.NotFound {
		claim, err = nil, nil // the session is gone
	}
	r.hold(j, claim)
	return claim, err
}

// hold has the heartbeat hold on to claim for as long as one batch may take from now.
func (r *run) hold(j *job, claim *shortterm.Claim) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j.claim, j.heldUntil = claim, time.Now().Add(r.cfg.JobTimeout+time.Minute)
}

// heartbeat keeps what j holds from being given to another, until ctx ends.
func (r *run) heartbeat(ctx context.Context, j *job) {
	every := min(r.cfg.Lease/3, r.cfg.AckWait/3, beat)
	for sleep(ctx, every) {
		r.mu.Lock()
		claim, deliveries, attempt := j.claim, slices.Clone(j.deliveries), j.attempt
		late := time.Now().After(j.heldUntil)
		r.mu.Unlock()
		if late {
			continue
		}
		for _, d := range deliveries {
			r.settleDelivery(d, d.InProgress())
		}
		if claim == nil {
			continue
		}
		extend, cancel := context.WithTimeout(ctx, every)
		held, err := r.log.Extend(extend, claim)
		cancel()
		switch {
		case err != nil && memd.KindOf(err) != memd.Conflict:
			if ctx.Err() == nil {
				r.logger.Debug().Err(err).Str(memd.LogTenant, j.tenant).Int64("session_no", j.no).Msg("a claim could not be extended")
			}
		case attempt != nil && r.isAt(j, attempt) && !attempt.isHeld(held):
			// Deleted, erased, reworded, or another's since the lease ended. No model need
			// go on with it.
			attempt.cancel(errTaken)
		}
	}
}

// isHeld says whether all of it is among what is held.
func (a *attempt) isHeld(held []int64) bool {
	return !slices.ContainsFunc(a.messages, func(m shortterm.Claimed) bool { return !slices.Contains(held, m.ID) })
}

// isAt says whether j is still at an attempt: what it has settled is not held either.
func (r *run) isAt(j *job, a *attempt) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return j.attempt == a
}

// begin notes what j is at, end that it is at nothing.
func (r *run) begin(j *job, a *attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j.attempt = a
}

func (r *run) end(j *job) { r.begin(j, nil) }

func (r *run) arrivals(j *job) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return j.arrivals
}

// isBackfill says whether all of j may wait behind live work.
func (r *run) isBackfill(j *job) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !slices.ContainsFunc(j.deliveries, func(d *bus.Delivery) bool { return !d.Backfill })
}

// ackThrough acks the deliveries whose messages, up to and including last, are done
// with, but keeps one if there is more to do.
func (r *run) ackThrough(j *job, last int64, more bool) {
	r.mu.Lock()
	var done, kept []*bus.Delivery
	for _, d := range j.deliveries {
		if len(d.MessageIDs) == 0 || slices.Max(d.MessageIDs) > last {
			kept = append(kept, d)
		} else {
			done = append(done, d)
		}
	}
	if more && len(kept) == 0 && len(done) > 0 {
		done, kept = done[1:], done[:1]
	}
	j.deliveries = kept
	r.mu.Unlock()
	for _, d := range done {
		r.settleDelivery(d, d.Ack())
	}
}

// finish ends j and acks all it holds, unless more came since it had so many arrivals.
func (r *run) finish(j *job, arrivals int) bool {
	r.mu.Lock()
	if j.arrivals != arrivals {
		r.mu.Unlock()
		return false
	}
	held := r.forget(j)
	r.mu.Unlock()
	for _, d := range held {
		r.settleDelivery(d, d.Ack())
	}
	return true
}

// quit ends j and gives all it holds back to the queue, to come again after delay.
func (r *run) quit(j *job, delay time.Duration) {
	r.mu.Lock()
	held := r.forget(j)
	r.mu.Unlock()
	for _, d := range held {
		r.settleDelivery(d, d.Nak(delay))
	}
}

// goBehind ends j and has the rest of its session come again behind what waits now. What
// is given back to the queue would come before it.
func (r *run) goBehind(j *job, c *shortterm.Claim) {
	isBackfill := r.isBackfill(j)
	r.mu.Lock()
	held := r.forget(j)
	r.mu.Unlock()
	last := c.Messages[len(c.Messages)-1].ID
	for _, d := range held {
		r.settleDelivery(d, d.Ack())
	}
	r.log.GoBehind(j.tenant, j.no, last, isBackfill)
}

// forget takes j from the jobs; run.mu is held.
func (r *run) forget(j *job) []*bus.Delivery {
	held := j.deliveries
	j.deliveries, j.claim = nil, nil
	if r.jobs[j.session] == j {
		delete(r.jobs, j.session)
	}
	return held
}

// pauseLeft is how long the longest pause for a dependency lasts, at least RetryMin.
func (r *run) pauseLeft() time.Duration {
	longest := r.cfg.RetryMin
	for _, b := range r.breakers() {
		wait, _ := b.standing()
		longest = max(longest, wait)
	}
	return longest
}
