package shortterm

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/postgres"
	"github.com/sourcegraph/conc/panics"
)

// RelayConfig says how the relay works; the zero value is usable.
type RelayConfig struct {
	// Every is how often it looks; default 1 s. It looks again after a fifth of that while
	// the stream holds as much of a tenant as it should.
	Every time.Duration
	// EmptyFor is how long the stream must have been empty before what is open is
	// taken for lost; default 2 s.
	EmptyFor time.Duration
	// Backlog is how much work of a priority the stream may hold for the relay to add
	// to it; default 1,000. What is not added is still due later.
	Backlog int
	// ExpireEvery is how often idempotency rows past their day are dropped; default
	// 1 min.
	ExpireEvery time.Duration
}

func (c RelayConfig) withDefaults() RelayConfig {
	if c.Every <= 0 {
		c.Every = time.Second
	}
	if c.EmptyFor <= 0 {
		c.EmptyFor = 2 * time.Second
	}
	if c.Backlog <= 0 {
		c.Backlog = 1000
	}
	if c.ExpireEvery <= 0 {
		c.ExpireEvery = time.Minute
	}
	return c
}

const (
	// dueBatch is how many messages are published at a time, expireBatch how many
	// idempotency rows are dropped.
	dueBatch, expireBatch = 500, 1000
	// relayTimeout bounds one look.
	relayTimeout = 30 * time.Second
	// worthALine is how many looks in a row must fail to be logged: at start the stream
	// is not there yet.
	worthALine = 3
	// restOfLook is how many times as long as a look for backfill took there is none: of a million that are
	// open it may take the database tenths of a second.
	restOfLook = 4
)

// Relay publishes again what is open and due: messages whose publication was lost,
// whose next try has come, or whose worker died. It needs nothing but the database to
// know them, so the queue may be lost whole. Any number of replicas may run one.
type Relay struct {
	log *Log
	cfg RelayConfig

	mu     sync.Mutex
	cancel context.CancelFunc // nil while it does not run
	done   chan struct{}

	// Known to the goroutine alone.
	made       string    // the stream that was last seen
	lost       uint64    // publications of this process that had failed then
	emptySince time.Time // zero while somebody is given, or will be, what the stream holds
	deadSince  time.Time // zero unless it holds what nobody is ever given, or takes nothing
	failedAt   time.Time // when publications were last seen to have failed
	expireAt   time.Time
	failures   int // in a row
	// backfillAt is when it is looked again for what nobody waits for.
	backfillAt time.Time
}

// NewRelay makes the relay of l.
func (l *Log) NewRelay(cfg RelayConfig) *Relay {
	return &Relay{log: l, cfg: cfg.withDefaults()}
}

// Start begins the relay's work, which goes on until Stop; ctx bounds nothing but the
// start. Conflict: it runs already.
func (r *Relay) Start(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel != nil {
		return &memd.Error{Kind: memd.Conflict, Op: "shortterm.relay", Msg: "the relay runs already"}
	}
	ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	r.done = done
	go func() { defer close(done); r.run(ctx) }()
	return nil
}

// Stop ends the relay and waits for it, as far as ctx allows. Stopping again, or
// before Start, is harmless; afterwards it may be started again.
func (r *Relay) Stop(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel == nil {
		return nil
	}
	r.cancel()
	select {
	case <-r.done:
		r.cancel = nil
		return nil
	case <-ctx.Done():
		return postgres.Err("shortterm.relay", ctx.Err())
	}
}

func (r *Relay) run(ctx context.Context) {
	for {
		var err error
		more := false
		if p := panics.Try(func() { more, err = r.look(ctx) }); p != nil {
			err = p.AsError()
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if r.failures++; r.failures == worthALine {
				r.log.cfg.Log.Warn().Err(err).Msg("what is due cannot be published now; trying on")
			}
		default:
			if r.failures >= worthALine {
				r.log.cfg.Log.Info().Msg("what is due is published again")
			}
			r.failures = 0
		}
		wait := r.cfg.Every
		if more {
			wait /= 5
		}
		if !r.rest(ctx, wait) {
			return
		}
	}
}

// rest waits until the next look, which is sooner where work of a tenant was done of whom more
// waits. It says whether ctx lives on.
func (r *Relay) rest(ctx context.Context, wait time.Duration) bool {
	next, soonest := time.NewTimer(wait), time.NewTimer(r.cfg.Every/10)
	defer next.Stop()
	defer soonest.Stop()
	room := r.log.bus.Room()
	for hasRoom, mayLook := false, false; !hasRoom || !mayLook; {
		select {
		case <-room:
			hasRoom = true
		case <-soonest.C:
			mayLook = true
		case <-next.C:
			return true
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// look publishes what is due, and says whether there may soon be room for more.
func (r *Relay) look(ctx context.Context) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, relayTimeout)
	defer cancel()
	if now := time.Now(); now.After(r.expireAt) {
		if err := r.expire(ctx); err != nil {
			return false, err
		}
		r.expireAt = now.Add(r.cfg.ExpireEvery)
	}
	if err := r.takeAhead(ctx); err != nil {
		return false, err
	}
	state, err := r.log.bus.State(ctx)
	if err != nil {
		r.emptySince, r.deadSince = time.Time{}, time.Time{}
		return false, err // nothing is marked as published that could not be
	}
	if r.lost != state.Lost {
		r.failedAt = time.Now()
	}
	if err := r.checkLost(ctx, state); err != nil {
		return false, err
	}
	if err := r.takeLeft(ctx); err != nil {
		return false, err
	}
	live, backfill, err := r.log.bus.Tenants(ctx)
	if err != nil {
		return false, err
	}
	if r.isDead(state, len(live)+len(backfill) > 0) {
		r.log.cfg.Log.Warn().Msg("the stream takes nothing, or holds what nobody is given: it is made anew")
		return false, r.log.bus.Remake(ctx)
	}
	for priority, lane := range []struct {
		bus.Lane
		tenants map[string]int
	}{{state.Live, live}, {state.Backfill, backfill}} {
		room := min(r.cfg.Backlog-lane.Total(), dueBatch)
		if room <= 0 {
			continue
		}
		// So that a tenant who is alone keeps the workers of all replicas busy.
		share := max(r.log.bus.Share(), r.log.bus.Share()/2+lane.Unacked)
		began := time.Now()
		if priority > 0 && began.Before(r.backfillAt) {
			more = true
			continue
		}
		due, err := r.takeDue(ctx, room, share, priority, lane.tenants)
		if err != nil {
			return false, err
		}
		if ended := time.Now(); priority > 0 {
			r.backfillAt = ended.Add(restOfLook * ended.Sub(began))
		}
		more = more || len(due) == room
		for _, m := range due {
			lane.tenants[m.TenantID]++
		}
		var crowded []string
		for tenant, n := range lane.tenants {
			if n >= share {
				crowded = append(crowded, tenant)
			}
		}
		r.log.bus.SetCrowded(priority > 0, crowded)
		more = more || len(crowded) > 0
		r.publish(due, priority > 0)
	}
	return more, nil
}

// checkLost finds out whether the stream has lost what it held. Each message has a
// time to be published again, minutes away if it often was; after a loss all are due.
func (r *Relay) checkLost(ctx context.Context, state bus.State) error {
	now := time.Now()
	empty := state.Live.Total()+state.Backfill.Total() == 0
	switch {
	case !empty:
		r.emptySince = time.Time{}
	case r.emptySince.IsZero():
		r.emptySince = now
	}
	lost := ""
	switch {
	case r.made != "" && r.made != state.Made:
		lost = "the stream was made anew"
	case r.lost != state.Lost:
		lost = "publications failed"
	case empty && now.Sub(r.emptySince) >= r.cfg.EmptyFor:
		lost = "the stream is empty"
	default:
		r.made = state.Made
		return nil
	}
	var n int64
	if err := r.log.pool.QueryRow(ctx, markLost).Scan(&n); err != nil {
		return postgres.Err("shortterm.relay", err)
	}
	r.made, r.lost, r.emptySince = state.Made, state.Lost, time.Time{}
	if n > 0 {
		r.log.cfg.Log.Info().Int64("messages", n).Str("because", lost).Msg("publishing again what is open")
	}
	return nil
}

// isDead says whether the stream has for a while held something of which its consumers know
// nothing, as after its disk was full: they take it for done. It would stand in the way of
// what is published for ever. Or it is there and empty, and refuses for a while what is published:
// a file that could not be written to once takes nothing any more, room or none (nats-server 2.15
// keeps the error). What is open is in Postgres, so nothing is lost with it.
func (r *Relay) isDead(state bus.State, holds bool) bool {
	now := time.Now()
	refuses := !r.failedAt.IsZero() && now.Sub(r.failedAt) < r.cfg.EmptyFor
	switch {
	case state.Live.Total()+state.Backfill.Total() > 0, !holds && !refuses:
		r.deadSince = time.Time{}
	case r.deadSince.IsZero():
		r.deadSince = now
	case now.Sub(r.deadSince) >= r.cfg.EmptyFor:
		r.deadSince, r.failedAt = time.Time{}, time.Time{}
		return true
	}
	return false
}

type dueMessage struct {
	TenantID  string
	SessionNo int64
	MessageID int64
	Publishes int
}

// takeDue takes up to n messages that are due, and of each tenant what is missing to its
// share of the stream, which holds so much of it.
func (r *Relay) takeDue(ctx context.Context, n, share, priority int, held map[string]int) ([]dueMessage, error) {
	var tenants []string
	var counts []int
	for tenant, n := range held {
		tenants, counts = append(tenants, tenant), append(counts, n)
	}
	rows, err := r.log.pool.Query(ctx, takeDue, n, priority, share, tenants, counts)
	if err != nil {
		return nil, postgres.Err("shortterm.relay", err)
	}
	due, err := pgx.CollectRows(rows, pgx.RowToStructByName[dueMessage])
	return due, postgres.Err("shortterm.relay", err)
}

// publish publishes due messages of one priority, those of a session together, and
// says how many publications that were.
func (r *Relay) publish(due []dueMessage, backfill bool) int {
	slices.SortFunc(due, func(a, b dueMessage) int {
		return cmp.Or(cmp.Compare(a.SessionNo, b.SessionNo), cmp.Compare(a.MessageID, b.MessageID))
	})
	n := 0
	for len(due) > 0 {
		w := bus.Work{Tenant: due[0].TenantID, SessionNo: due[0].SessionNo, Backfill: backfill}
		publishes := 0
		for len(due) > 0 && due[0].SessionNo == w.SessionNo { // numbers are unique beyond the tenant
			w.MessageIDs = append(w.MessageIDs, due[0].MessageID)
			publishes = max(publishes, due[0].Publishes)
			due = due[1:]
		}
		r.log.bus.Publish(w, publishes)
		n++
	}
	return n
}

// takeAhead finds what was put off for longer than anything ever is.
func (r *Relay) takeAhead(ctx context.Context) error {
	var n int64
	if err := r.log.pool.QueryRow(ctx, takeAhead, r.log.cfg.Lease).Scan(&n); err != nil {
		return postgres.Err("shortterm.relay", err)
	}
	if n > 0 {
		r.log.cfg.Log.Warn().Int64("messages", n).Msg("the database's clock was put back: what waited for a time far off is due")
	}
	return nil
}

// expire drops idempotency rows past their day.
func (r *Relay) expire(ctx context.Context) error {
	if _, err := r.log.pool.Exec(ctx, keepAhead); err != nil {
		return postgres.Err("shortterm.relay", err)
	}
	for {
		var n int64
		if err := r.log.pool.QueryRow(ctx, expireIdempotency, expireBatch).Scan(&n); err != nil {
			return postgres.Err("shortterm.relay", err)
		}
		if n < expireBatch {
			return nil
		}
	}
}
