package importjob

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/backfill"
	"github.com/memdhq/memd/backfill/format"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/remember"
	"github.com/memdhq/memd/shortterm"
	"github.com/memdhq/memd/traffic"
	"github.com/rs/zerolog"
	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"
)

const (
	// lookEvery is how often it is looked for imports.
	lookEvery = time.Second
	// awayPause is the wait where the database is away, the first time, and awayMost the longest.
	awayPause, awayMost = time.Second, time.Minute
	// restOfImport is how many times as long as a step took is rested while others wait for answers.
	restOfImport = 3
	// maxTries is how often an import is begun that ends by a fault of its own.
	maxTries = 5
)

// Runner works on imports, one at a time. Any number of replicas may run one.
type Runner struct {
	pool *postgres.Pool
	log  *shortterm.Log
	rem  *remember.Remember
	live *traffic.Live
	out  zerolog.Logger
	// lease is for how long what a memd works on is left alone by others, if it is not held
	// on to.
	lease time.Duration

	mu     sync.Mutex
	cancel context.CancelFunc // nil while it does not run
	done   chan struct{}
}

// NewRunner makes a Runner that gives way to live, nil for nothing; log and rem must be on pool.
// What it was at when it was killed is taken on by another once lease is over.
func NewRunner(pool *postgres.Pool, log *shortterm.Log, rem *remember.Remember, live *traffic.Live, lease time.Duration, out zerolog.Logger) *Runner {
	return &Runner{pool: pool, log: log, rem: rem, live: live, lease: lease, out: out}
}

// Start begins the work, which goes on until Stop; ctx bounds nothing but the start. Conflict: it
// runs already.
func (r *Runner) Start(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel != nil {
		return &memd.Error{Kind: memd.Conflict, Op: "importjob.runner", Msg: "it runs already"}
	}
	ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	r.done = done
	go func() { defer close(done); r.run(ctx) }()
	return nil
}

// Stop ends the work and waits for it, as far as ctx allows. What it was at is begun anew.
func (r *Runner) Stop(ctx context.Context) error {
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
		return postgres.Err("importjob.runner", ctx.Err())
	}
}

func (r *Runner) run(ctx context.Context) {
	for tick := time.NewTicker(lookEvery); ; {
		found := true
		for found && ctx.Err() == nil {
			var err error
			if p := panics.Try(func() { found, err = r.next(ctx) }); p != nil {
				err = p.AsError()
			}
			if err != nil && ctx.Err() == nil {
				if memd.KindOf(err) != memd.Unavailable {
					r.out.Error().Err(err).Msg("an import failed")
				}
				found = false
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			tick.Stop()
			return
		}
	}
}

// taken is an import that this runner holds the lease of.
type taken struct {
	r       *Runner
	tenant  string
	id      uuid.UUID
	attempt int

	mu     sync.Mutex
	faults []Refused
	noted  time.Time
}

// errGone says that the import is another's now, or was cancelled.
var errGone = errors.New("the import is no longer this one's")

// next works on the import that is due, if there is one.
func (r *Runner) next(ctx context.Context) (found bool, err error) {
	t := &taken{r: r, faults: []Refused{}}
	err = r.pool.QueryRow(ctx, `SELECT tenant_id, id, attempts FROM memd_import_due($1)`, r.lease).Scan(&t.tenant, &t.id, &t.attempt)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, postgres.Err("importjob.due", err)
	}
	err = t.heldOnTo(ctx, t.work)
	switch {
	case ctx.Err() != nil: // others need not wait for the lease
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		return true, t.update(after, giveBack, t.tenant, t.id, t.attempt)
	case err == nil, errors.Is(err, errGone):
		return true, nil
	case memd.KindOf(err) == memd.Unavailable && t.attempt < 1000, t.attempt < maxTries:
		return true, errors.Join(err, t.update(ctx, putOff, t.tenant, t.id, t.attempt, min(time.Duration(t.attempt)*awayPause, awayMost)))
	}
	return true, errors.Join(err, t.update(ctx, failJob, t.tenant, t.id, t.attempt, memd.KindOf(err).String()))
}

// heldOnTo does the work and holds on to the import meanwhile, whatever a step of it takes.
// The work is broken off once the import is another's or was cancelled; the error is then
// errGone.
func (t *taken) heldOnTo(ctx context.Context, work func(context.Context) error) error {
	working, breakOff := context.WithCancelCause(ctx)
	var heart conc.WaitGroup
	defer heart.Wait()
	defer breakOff(nil)
	heart.Go(func() {
		every := t.r.lease / 3
		for tick := time.NewTicker(every); ; {
			select {
			case <-tick.C:
			case <-working.Done():
				tick.Stop()
				return
			}
			within, cancel := context.WithTimeout(working, every)
			err := t.update(within, holdJob, t.tenant, t.id, t.attempt, t.r.lease)
			cancel()
			if errors.Is(err, errGone) {
				breakOff(errGone)
			}
		}
	})
	err := work(working)
	if errors.Is(context.Cause(working), errGone) {
		return errGone
	}
	return err
}

func (t *taken) work(ctx context.Context) error {
	var packed []byte
	var o Options
	err := t.r.pool.InTenant(ctx, t.tenant, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT source, options FROM import_job WHERE tenant_id = $1 AND id = $2`, t.tenant, t.id).Scan(&packed, &o)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return errGone
	}
	if err != nil {
		return postgres.Err("importjob.work", err)
	}
	data, err := unpack(packed)
	if err != nil {
		return err
	}
	cfg := o.config()
	cfg.Bad = t.setAside
	gathered, err := backfill.Gather(format.ReadFrom(o.Name, bytes.NewReader(data), o.reading()), cfg)
	if err != nil {
		return err
	}
	defer gathered.Close()
	var last backfill.Sent
	sent, err := gathered.Send(ctx, t, 1, func(s backfill.Sent) { last = s; t.note(ctx, gathered.Totals, s) })
	if err != nil {
		t.note(ctx, gathered.Totals, last)
		return err
	}
	return t.update(ctx, endJob, t.tenant, t.id, t.attempt, gathered.Totals, progressOf(sent), t.faults)
}

func progressOf(s backfill.Sent) Progress { return Progress{s.Done(), s.New, s.Known} }

func (t *taken) setAside(b format.Bad) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.faults) < maxErrors {
		t.faults = append(t.faults, Refused{b.File, b.Line, b.Reason})
	}
}

// note writes down how far it is, once a second.
func (t *taken) note(ctx context.Context, totals backfill.Totals, s backfill.Sent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.noted) < time.Second {
		return
	}
	t.noted = time.Now()
	_ = t.update(ctx, noteJob, t.tenant, t.id, t.attempt, totals, progressOf(s), t.faults)
}

// update changes the import's row, if it is still this one's.
func (t *taken) update(ctx context.Context, sql string, args ...any) error {
	err := t.r.pool.InTenant(ctx, t.tenant, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sql, args...)
		if err == nil && tag.RowsAffected() == 0 {
			return errGone
		}
		return err
	})
	if errors.Is(err, errGone) {
		return errGone
	}
	return postgres.Err("importjob.update", err)
}

// hold does something while the import is this one's. Who erases a person takes the import
// first, and so waits until that is done, or has it find the import gone.
func (t *taken) hold(ctx context.Context, do func() error) error {
	began := time.Now()
	defer func() { t.r.live.GiveWay(ctx, time.Since(began), restOfImport) }()
	err := t.r.pool.InTenant(ctx, t.tenant, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, shareJob, t.tenant, t.id, t.attempt)
		if err == nil && tag.RowsAffected() == 0 {
			return errGone
		}
		if err != nil {
			return err
		}
		return do()
	})
	if errors.Is(err, errGone) {
		return errGone
	}
	return postgres.Err("importjob.hold", err)
}

// Conversations implements backfill.Target.
func (t *taken) Conversations(ctx context.Context, all []format.Conversation) (out backfill.Outcome, err error) {
	err = t.hold(ctx, func() error { return t.take(ctx, all, &out) })
	return out, err
}

// take puts parts of conversations into the log.
func (t *taken) take(ctx context.Context, all []format.Conversation, out *backfill.Outcome) error {
	var stretches []stretch
	for _, c := range all {
		if c.Opens {
			if err := t.open(ctx, c); err != nil {
				return err
			}
			continue
		}
		for rest := c.Messages; len(rest) > 0; {
			n := 1
			for n < len(rest) && rest[0].Alike(rest[n]) {
				n++
			}
			s, err := stretchOf(c, rest[:n])
			if err != nil {
				return err
			}
			stretches, rest = append(stretches, s), rest[n:]
		}
	}
	if len(stretches) == 0 {
		return nil
	}
	return t.append(ctx, stretches, out)
}

// open makes a session, unless it is there, or its messages will do without it.
func (t *taken) open(ctx context.Context, c format.Conversation) error {
	_, err := t.r.log.CreateSession(ctx, t.tenant, shortterm.NewSession{UserID: c.UserID, SessionID: c.SessionID, AgentID: c.AgentID,
		PreviousSessionID: c.PreviousSessionID, Metadata: c.About, Direct: c.Direct})
	switch k := memd.KindOf(err); {
	case err == nil, k == memd.Conflict:
		return nil
	case k == memd.Invalid && c.PreviousSessionID != "":
		c.PreviousSessionID = "" // it was deleted
		return t.open(ctx, c)
	case k == memd.Invalid:
		return nil
	}
	return err
}

// stretch is a run of messages of a conversation that the log takes together; lines are where they stand.
type stretch struct {
	shortterm.Append
	file  string
	lines []int
}

func stretchOf(c format.Conversation, all []format.Message) (stretch, error) {
	s := stretch{file: c.File, Append: shortterm.Append{UserID: c.UserID, SessionID: c.SessionID, AgentID: c.AgentID, AppID: c.AppID, Metadata: all[0].Metadata,
		Timezone: all[0].Zone, Infer: !all[0].NoLearn, Learn: []memd.Role{memd.RoleUser, memd.RoleAssistant}, Backfill: true}}
	for _, m := range all {
		parsed, err := memd.ParseMessage(m.Raw)
		if err != nil {
			return s, err // it was parsed before
		}
		parsed.ClientID, parsed.CreatedAt = m.ID, m.CreatedAt
		s.Messages, s.lines = append(s.Messages, parsed), append(s.lines, m.Line)
	}
	return s, nil
}

// halves parts it in two; it must have two messages.
func (s stretch) halves() (first, second stretch) {
	n := len(s.lines) / 2
	first, second = s, s
	first.Messages, first.lines = s.Messages[:n], s.lines[:n]
	second.Messages, second.lines = s.Messages[n:], s.lines[n:]
	return first, second
}

// append puts messages into the log, and sets aside what that refuses.
func (t *taken) append(ctx context.Context, all []stretch, out *backfill.Outcome) error {
	appends := make([]shortterm.Append, len(all))
	for i, s := range all {
		appends[i] = s.Append
	}
	answers, err := t.r.log.AppendAll(ctx, t.tenant, appends, nil)
	var e *memd.Error
	switch {
	case err == nil:
		for _, a := range answers {
			for _, m := range a.Messages {
				if m.Duplicate {
					out.Known++
				} else {
					out.New++
				}
			}
		}
		return nil
	case !errors.As(err, &e) || e.Kind != memd.Invalid && (e.Kind != memd.Conflict || e.Field == ""):
		return err
	}
	first, second := all[:len(all)/2], all[len(all)/2:]
	if len(all) == 1 {
		if len(all[0].lines) == 1 || e.Kind == memd.Conflict { // of which the session is the cause
			for _, line := range all[0].lines {
				out.Bad = append(out.Bad, format.Bad{Place: format.Place{File: all[0].file, Line: line}, Reason: e.Msg})
			}
			return nil
		}
		a, b := all[0].halves()
		first, second = []stretch{a}, []stretch{b}
	}
	if err := t.append(ctx, first, out); err != nil {
		return err
	}
	return t.append(ctx, second, out)
}

// After implements backfill.Target.
func (t *taken) After(ctx context.Context, a format.After) error {
	return t.hold(ctx, func() error {
		err := t.r.log.Arrive(ctx, t.tenant, shortterm.Arrival{UserID: a.UserID, SessionID: a.SessionID, Unlearned: a.Unlearned, ClosedAt: a.ClosedAt,
			NextSessionID: a.NextSessionID, ForwardsTo: a.ForwardsTo})
		if memd.KindOf(err) == memd.NotFound {
			return nil // none of its messages came
		}
		return err
	})
}

// Memories implements backfill.Target.
func (t *taken) Memories(ctx context.Context, all []format.Memory) (out backfill.Outcome, err error) {
	err = t.hold(ctx, func() error { return t.remember(ctx, all, &out) })
	return out, err
}

func (t *taken) remember(ctx context.Context, all []format.Memory, out *backfill.Outcome) error {
	items := make([]remember.Item, len(all))
	for i, m := range all {
		items[i] = remember.Item{Scope: memd.Scope{Tenant: t.tenant, UserID: m.UserID, AgentID: m.AgentID, RunID: m.RunID, AppID: m.AppID},
			Messages: []memd.Message{{ClientID: m.ID, Role: m.Role, Name: m.ActorID, Text: m.Text, CreatedAt: m.CreatedAt,
				Raw: []byte(`{"role":` + strconv.Quote(string(m.Role)) + `,"content":null}`)}},
			Metadata: m.Metadata, Roles: []memd.Role{memd.RoleUser, memd.RoleAssistant}}
		if m.MemoryType != "" || m.Scope != "" || len(m.Categories) > 0 || !m.ExpiresAt.IsZero() || !m.OccurredAt.IsZero() {
			as := &memd.LearnAs{MemoryType: m.MemoryType, Scope: m.Scope, Categories: m.Categories}
			if !m.ExpiresAt.IsZero() {
				as.ExpiresAt = &all[i].ExpiresAt
			}
			if !m.OccurredAt.IsZero() {
				as.OccurredAt = &all[i].OccurredAt
			}
			items[i].LearnAs = as
		}
	}
	results, err := t.r.rem.Add(ctx, t.tenant, items, nil, 0)
	if memd.KindOf(err) == memd.Invalid && err != nil {
		if len(all) > 1 {
			half := len(all) / 2
			if err := t.remember(ctx, all[:half], out); err != nil {
				return err
			}
			return t.remember(ctx, all[half:], out)
		}
		var e *memd.Error
		errors.As(err, &e)
		out.Bad = append(out.Bad, format.Bad{Place: all[0].Place, Reason: e.Msg})
		return nil
	}
	for _, r := range results {
		for _, event := range r.Events {
			if event.Event == "NONE" {
				out.Known++
			} else {
				out.New++
			}
		}
	}
	return err
}

const (
	mine = ` WHERE tenant_id = $1 AND id = $2 AND attempts = $3 AND state = 'running'`

	holdJob  = `UPDATE import_job SET lease_until = now() + $4::interval` + mine
	shareJob = `SELECT FROM import_job` + mine + ` FOR KEY SHARE`
	noteJob  = `UPDATE import_job SET totals = $4, sent = $5, errors = $6` + mine
	giveBack = `UPDATE import_job SET state = 'pending', lease_until = NULL` + mine
	putOff   = `UPDATE import_job SET lease_until = now() + $4::interval` + mine
	failJob  = `UPDATE import_job SET state = 'failed', error = $4, ended_at = now(), source = NULL, lease_until = NULL` + mine
	endJob   = `UPDATE import_job SET state = 'done', totals = $4, sent = $5, errors = $6, ended_at = now(), source = NULL, lease_until = NULL` + mine
)
