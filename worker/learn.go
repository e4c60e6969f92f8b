package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/shortterm"
	"github.com/sourcegraph/conc/panics"
)

const (
	// commitTime bounds the transaction that writes what was learned; it waits for
	// those of the same person.
	commitTime = 30 * time.Second
	// commitTries is how often it is tried before Postgres counts as away: it may only
	// have met another transaction.
	commitTries = 3
	// restOfBackfill is how many times as long as a step took a worker at a backfill rests after it while
	// others wait for answers, and textsInTurn how many texts are such a step while nobody does.
	restOfBackfill = 3
	textsInTurn    = 8
)

// learnAll sees to all messages of a claim.
func (r *run) learnAll(j *job, c *shortterm.Claim) end {
	var open []shortterm.Claimed
	crash := &failure{stage: stageCrash, code: codeLease, err: errors.New("no attempt came to an end")}
	for i, m := range c.Messages {
		if !m.Crashed {
			open = append(open, m)
		} else if r.bury(c, m, crash) == standBy {
			r.release(c, append(open, c.Messages[i+1:]...))
			return standBy
		}
	}
	return r.learn(j, c, open, c.Before)
}

// learn takes messages that follow before to the long tier together. If they fail for
// a reason of their own they are parted, until the one that is at fault stands alone
// and its neighbours are done.
func (r *run) learn(j *job, c *shortterm.Claim, messages []shortterm.Claimed, before []memd.Message) end {
	if len(messages) == 0 {
		return goOn
	}
	r.hold(j, c)
	f := r.attempt(j, c, messages, before)
	if f == nil {
		r.strikes.forget(messages)
		r.metrics.messages.WithLabelValues(shortterm.StateDone).Add(float64(len(messages)))
		return goOn
	}
	if f.remedy == stepBack {
		r.release(c, messages)
		return standBy
	}
	r.metrics.failures.WithLabelValues(string(f.stage), f.code).Inc()
	struck, strikes := 0, 0 // what is held against them, and how often it was
	switch {
	case f.own && len(messages) == 1:
		struck = r.strikes.against(messages, ownStrike)
		strikes = struck / ownStrike
	case f.blames:
		struck = r.strikes.against(messages, 1)
		strikes = struck
	}
	switch {
	case f.remedy == waitFor && (len(messages) > 1 || struck <= mostStrikes), f.own && len(messages) == 1 && struck <= mostStrikes:
		r.report(c, messages, f)
		after := max(asked(f.err), backoff(r.cfg.RetryMin, r.cfg.RetryMax, max(0, strikes-1)))
		if !f.blames && isBlaming(f) {
			// It asked whether what was away is back. The next to ask is another: if it is
			// this text that gets no answer, it must not be what decides each time.
			after = max(after, min(2*(r.pauseLeft()+r.cfg.RetryMin), maxAsked))
		}
		r.fail(c, messages, f, after, true)
		return standBy
	case (f.code == codeStuck || f.own && f.code == codeTimeout) && len(messages) > 1:
		// One by one, so that few are left behind, or waited for.
		for i, m := range messages {
			if r.learn(j, c, messages[i:i+1], before) == standBy {
				r.release(c, messages[i+1:])
				return standBy
			}
			before = append(slices.Clone(before), m.Message)
		}
		return goOn
	case len(messages) > 1:
		half := len(messages) / 2
		first, second := messages[:half], messages[half:]
		if r.learn(j, c, first, before) == standBy {
			r.release(c, second)
			return standBy
		}
		before = slices.Clone(before)
		for _, m := range first {
			before = append(before, m.Message)
		}
		return r.learn(j, c, second, before[max(0, len(before)-r.cfg.Before):])
	case f.remedy == giveUp, messages[0].Attempt >= r.cfg.MaxAttempts:
		return r.bury(c, messages[0], f)
	default:
		r.report(c, messages, f)
		return r.fail(c, messages, f, backoff(r.cfg.RetryMin, r.cfg.RetryMax, messages[0].Attempt-1+strikes), false)
	}
}

// progress is how far an attempt has come. It is read while it still goes on, if it heeds
// no context.
type progress struct {
	mu sync.Mutex
	at stage
	// well says that what the stage depends on was not known to be away when it began.
	well bool
	// lost says that a claim was lost.
	lost bool
}

func (p *progress) enter(at stage, b *breaker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.well = at, b.isClosed()
}

func (p *progress) noteLost(lost bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost = lost
}

func (p *progress) read() (at stage, well, lost bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at, p.well, p.lost
}

// attempt tries once to take messages to the long tier, all or none, within
// Config.JobTimeout, and catches panics. It is broken off when they are taken from j.
func (r *run) attempt(j *job, c *shortterm.Claim, messages []shortterm.Claimed, before []memd.Message) *failure {
	breakable, breakOff := context.WithCancelCause(r.working)
	defer breakOff(nil)
	ctx, cancel := context.WithTimeout(breakable, r.cfg.JobTimeout)
	defer cancel()
	r.begin(j, &attempt{messages, breakOff})
	defer r.end(j)

	p := &progress{}
	p.enter(stageExtract, r.extraction)
	var err error
	var caught *panics.Recovered
	done := make(chan struct{})
	r.tasks.Go(func() {
		defer close(done)
		caught = panics.Try(func() { err = r.process(ctx, p, c, messages, before) })
	})
	ended := r.awaitAttempt(ctx, done)
	at, well, lost := p.read()
	switch {
	case !ended && r.working.Err() != nil:
		return &failure{stage: at, remedy: stepBack, err: ctx.Err()}
	case ended && caught != nil:
		r.metrics.panics.Inc()
		return &failure{stage: at, code: codePanic, err: errors.New(panicText(caught.Value)), stack: caught.Stack}
	case ended && err == nil:
		return nil
	case context.Cause(ctx) == errTaken:
		r.metrics.broken.Inc()
		return &failure{stage: at, remedy: stepBack, err: errTaken}
	case !ended:
		r.metrics.stuck.Inc()
		return &failure{stage: at, code: codeStuck, remedy: giveUp, err: ctx.Err()}
	case lost, r.working.Err() != nil:
		return &failure{stage: at, remedy: stepBack, err: err}
	case ctx.Err() != nil:
		return &failure{stage: at, code: codeTimeout, err: err}
	default:
		f := failureOf(at, err)
		f.blames = !f.own && well && isBlaming(f)
		return f
	}
}

// awaitAttempt waits until an attempt is done, but not much longer than its context lives:
// what heeds no context cannot be ended, only left behind.
func (r *run) awaitAttempt(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
	}
	grace := time.NewTimer(r.cfg.Grace)
	defer grace.Stop()
	select {
	case <-done:
		return true
	case <-grace.C:
		return false
	}
}

// process is the work itself: extract, embed, and write what was learned and that it
// was in one transaction. p is how far it has come.
func (r *run) process(ctx context.Context, p *progress, c *shortterm.Claim, messages []shortterm.Claimed, before []memd.Message) error {
	in := extract.Input{Before: before}
	for _, m := range messages {
		in.Messages = append(in.Messages, m.Message)
	}

	start := time.Now()
	var extraction memd.Extraction
	err := r.extraction.do(ctx, func() (err error) {
		extraction, err = r.extractor.Extract(ctx, in)
		return err
	})
	r.metrics.took("extract", start)
	if err != nil {
		return err
	}
	rest := func(since time.Time) {}
	if canWait(messages) {
		rest = func(since time.Time) { r.cfg.Live.GiveWay(ctx, time.Since(since), restOfBackfill) }
	}
	rest(start)

	p.enter(stageEmbed, r.embedding)
	start = time.Now()
	learned := longterm.Learned{Messages: in.Messages, Candidates: extraction.Candidates, Extractor: extraction.Extractor}
	for _, m := range messages {
		if m.Again {
			learned.Again = append(learned.Again, m.ID)
		}
	}
	if len(extraction.Candidates) > 0 {
		texts := make([]string, len(extraction.Candidates))
		for i, c := range extraction.Candidates {
			texts[i] = longterm.EmbedText(c.ActorID, c.Text)
		}
		if canWait(messages) {
			learned.Vectors, err = r.embedInTurn(embed.Patiently(ctx), texts)
		} else {
			learned.Vectors, err = r.embedSome(ctx, texts)
		}
		r.metrics.took("embed", start)
		if err != nil {
			return err
		}
		learned.Model = r.embedder.Model().Name
	}

	p.enter(stageLongterm, r.database)
	start = time.Now()
	outcomes := make([]shortterm.Outcome, len(messages))
	for i, m := range messages {
		outcomes[i] = shortterm.Outcome{MessageID: m.ID, Attempt: m.Attempt, State: shortterm.StateDone, Extractor: extraction.Extractor}
	}
	err = r.database.do(ctx, func() error { return r.commit(ctx, p, c, learned, outcomes) })
	r.metrics.took("commit", start)
	rest(start)
	return err
}

// embedInTurn is embedSome of what nobody waits for: one text after the other, with rests, while others
// wait for answers.
func (r *run) embedInTurn(ctx context.Context, texts []string) (all [][]float32, err error) {
	for len(texts) > 0 {
		n := min(len(texts), textsInTurn)
		if r.cfg.Live.IsOn() {
			n = 1
		}
		start := time.Now()
		some, err := r.embedSome(ctx, texts[:n])
		if err != nil {
			return nil, err
		}
		all, texts = append(all, some...), texts[n:]
		r.cfg.Live.GiveWay(ctx, time.Since(start), restOfBackfill)
	}
	return all, nil
}

// embedSome gives the vector of each text, nil for one that cannot be embedded: it is
// found by its words, and tried again ever more rarely.
func (r *run) embedSome(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := r.embed(ctx, texts)
	if err == nil || isOutage(err) || ctx.Err() != nil || memd.KindOf(err) != memd.Invalid {
		return vectors, err
	}
	if len(texts) == 1 {
		r.metrics.refused.Inc()
		r.logger.Warn().Err(err).Msg("a memory cannot be embedded")
		return [][]float32{nil}, nil
	}
	half := len(texts) / 2
	first, err := r.embedSome(ctx, texts[:half])
	if err != nil {
		return nil, err
	}
	second, err := r.embedSome(ctx, texts[half:])
	return append(first, second...), err
}

// embed gives the vector of each text, none if one cannot be had. An outage that only
// these texts meet is none: then the error is errOwn.
func (r *run) embed(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	err = r.embedding.do(ctx, func() (err error) {
		vectors, err = r.embedWithin(ctx, texts)
		if memd.KindOf(err) != memd.Unavailable || memd.RetryAfterOf(err) > 0 || ctx.Err() != nil {
			return err
		}
		if _, failed := r.embedWithin(ctx, []string{probeText}); failed != nil {
			return err
		}
		return &memd.Error{Kind: memd.Internal, Op: "worker.embed", Msg: "the embedder fails by a text", Err: fmt.Errorf("%w: %w", errOwn, err)}
	})
	if err == nil && len(vectors) != len(texts) {
		err = &memd.Error{Kind: memd.Internal, Op: "worker.embed", Err: fmt.Errorf("%d vectors for %d texts", len(vectors), len(texts))}
	}
	return vectors, err
}

// embedWithin is EmbedPassages, which may take so long as others would lead one to expect.
func (r *run) embedWithin(ctx context.Context, texts []string) ([][]float32, error) {
	within, cancel := context.WithTimeout(ctx, r.pace.allowed(texts))
	defer cancel()
	start := time.Now()
	vectors, err := r.embedder.EmbedPassages(within, texts)
	switch {
	case err == nil:
		r.pace.took(texts, time.Since(start))
	case within.Err() != nil && ctx.Err() == nil:
		err = &memd.Error{Kind: memd.Unavailable, Op: "worker.embed", Err: fmt.Errorf("%w: %w", errSlow, err)}
	}
	return vectors, err
}

func (r *run) commit(ctx context.Context, p *progress, c *shortterm.Claim, learned longterm.Learned, outcomes []shortterm.Outcome) error {
	for try := 1; ; try++ {
		err := r.inTenant(ctx, commitTime, c.Tenant, func(ctx context.Context, tx pgx.Tx) error {
			err := r.store.Consolidate(ctx, tx, c.Tenant, learned)
			// Erased or deleted meanwhile, mostly with the claim itself: no failure of anything.
			p.noteLost(errors.Is(err, longterm.ErrSourceGone) && stoodInLog(c, learned.Candidates))
			if err != nil {
				return err
			}
			err = r.log.Settle(ctx, tx, c.Tenant, outcomes)
			p.noteLost(memd.KindOf(err) == memd.Conflict)
			if err != nil || r.cfg.Settled == nil {
				return err
			}
			return r.cfg.Settled(ctx, tx, c.Tenant, c.SessionNo)
		})
		if !isOutage(err) || try == commitTries || !sleep(ctx, jitter(50*time.Millisecond)) {
			return err
		}
	}
}

// stoodInLog says whether all that was learned from was in the log when it was claimed: if
// it is not there now it went since, and is not missing each time.
func stoodInLog(c *shortterm.Claim, learned []memd.Candidate) bool {
	there := make(map[int64]bool, len(c.Messages)+len(c.Before))
	for _, m := range c.Messages {
		there[m.ID] = true
	}
	for _, m := range c.Before {
		there[m.ID] = true
	}
	for _, candidate := range learned {
		for _, id := range candidate.Sources {
			if !there[id] {
				return false
			}
		}
	}
	return true
}

func (r *run) inTenant(ctx context.Context, within time.Duration, tenant string, do func(context.Context, pgx.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return r.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error { return do(ctx, tx) })
}

// bury gives a message up, with its cause, in a transaction of its own.
func (r *run) bury(c *shortterm.Claim, m shortterm.Claimed, f *failure) end {
	dead := []shortterm.Outcome{{MessageID: m.ID, Attempt: m.Attempt, State: shortterm.StateDead, Error: f.cause()}}
	r.strikes.forget([]shortterm.Claimed{m})
	r.event(f).Str(memd.LogTenant, c.Tenant).Int64(memd.LogMessage, m.ID).Int(memd.LogAttempts, m.Attempt).Msg("a message is given up")
	r.metrics.dead.WithLabelValues(string(f.stage), f.code).Inc()
	return r.keep(c, shortterm.StateDead, 1, func(ctx context.Context) error {
		return r.inTenant(ctx, writeTime, c.Tenant, func(ctx context.Context, tx pgx.Tx) error {
			return r.log.Settle(ctx, tx, c.Tenant, dead)
		})
	})
}

// fail writes that messages will be tried again after a while; free burns no attempt.
func (r *run) fail(c *shortterm.Claim, messages []shortterm.Claimed, f *failure, after time.Duration, free bool) end {
	failures := make([]shortterm.Failure, len(messages))
	for i, m := range messages {
		failures[i] = shortterm.Failure{MessageID: m.ID, Attempt: m.Attempt, Error: f.cause(), After: after, Free: free}
	}
	return r.keep(c, shortterm.StateFailed, len(messages), func(ctx context.Context) error {
		return r.log.Fail(ctx, c.Tenant, failures)
	})
}

// release hands messages of a claim back as they were.
func (r *run) release(c *shortterm.Claim, messages []shortterm.Claimed) end {
	if len(messages) == 0 {
		return goOn
	}
	part := *c
	part.Messages = messages
	return r.keep(c, stateReleased, len(messages), func(ctx context.Context) error { return r.log.Release(ctx, &part) })
}

// errNotTried stands for a write that is still to come.
var errNotTried error = &memd.Error{Kind: memd.Unavailable, Op: "worker.keep"}

// keep writes down what became of n claimed messages. While Postgres is away it goes
// on trying, because a claim that is left to its lease burns an attempt; once working
// has ended it tries once more. A claim that was lost needs nothing.
func (r *run) keep(c *shortterm.Claim, state string, n int, write func(context.Context) error) end {
	try := func(ctx context.Context, within time.Duration) error {
		ctx, cancel := context.WithTimeout(ctx, within)
		defer cancel()
		return write(ctx)
	}
	err := errNotTried
	for tries := 0; r.working.Err() == nil; tries++ {
		err = try(r.working, writeTime)
		if !isOutage(err) || !sleep(r.working, backoff(r.cfg.PauseMin, r.cfg.PauseMax, tries)) {
			break
		}
	}
	if isOutage(err) { // and working has ended
		err = try(context.WithoutCancel(r.working), r.handBack)
	}
	switch {
	case err == nil:
		r.metrics.messages.WithLabelValues(state).Add(float64(n))
		return goOn
	case memd.KindOf(err) == memd.Conflict:
		return goOn
	default:
		r.logger.Error().Err(err).Str(memd.LogTenant, c.Tenant).Int64("session_no", c.SessionNo).Str("state", state).
			Msg("what became of claimed messages could not be written: their lease has to end")
		return standBy
	}
}
