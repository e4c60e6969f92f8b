package shortterm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

const (
	// sharers is how many transactions of writes are under way at a time before those that
	// come are written together. With fewer each waits for the next, with more there is less
	// to share.
	sharers = 2
	// A write that is larger than mostMessages or mostBytes has a transaction of its own; so
	// many writes, and so many messages, share one at most.
	mostMessages, mostBytes = 32, 64 << 10
	mostShared, mostOfAll   = 64, 256
	// shareWait is how long a write waits for others to end, and sharedLock how long those
	// that share wait for a lock. Then each has a transaction of its own.
	shareWait  = 500 * time.Millisecond
	sharedLock = 100 * time.Millisecond
	// turnTime is how long a write that is alone keeps others from its place. It waits for a
	// lock then, which they may not have to.
	turnTime = 100 * time.Millisecond
	// mostWaiting bounds those that wait.
	mostWaiting = 1024
)

// sharing has writes that come while others are under way share a transaction, and so a
// commit. A write that finds nobody in its way is written at once, in its caller's
// goroutine and context. Those of one session, or with one key, are never under way at the
// same time, and so stand in no transaction together.
type sharing struct {
	log *Log

	mu      sync.Mutex
	free    int // how many transactions may begin
	waiting []*sharedWrite
	busy    map[claimed]bool
}

// claimed is a session, or an idempotency key, of which a write is under way.
type claimed struct{ tenant, user, session, key string }

// sharedWrite is a write on its way.
type sharedWrite struct {
	write
	of    []claimed
	ended chan verdict // has room for the one that is sent
	// group is nil while it waits.
	group *sharedGroup
}

// verdict is what became of a write that has waited: an answer, an error, or that its caller
// is to write it: because it is its turn, and nobody shares it, or outside of all this.
type verdict struct {
	answer      Appended
	err         error
	turn, alone bool
}

// sharedGroup are writes that share a transaction.
type sharedGroup struct {
	writes []*sharedWrite
	left   int                // how many of their callers have gone
	cancel context.CancelFunc // called when all have
	// lent says that another has its place, ended that it is over.
	lent, ended bool
}

func newSharing(l *Log) *sharing {
	return &sharing{log: l, free: sharers, busy: map[claimed]bool{}}
}

// mayShare says whether w can be written together with others: it comes to a session that
// is there, is small, and has no ids of its caller's, since what stands there is looked for
// once the session is held.
func (w write) mayShare() bool {
	if !w.known || w.named || w.learnAs != nil || len(w.raws) > mostMessages {
		return false
	}
	bytes := len(value(w.heading))
	if raw, ok := w.metadata.(json.RawMessage); ok {
		bytes += len(raw)
	}
	for _, raw := range w.raws {
		bytes += len(raw)
	}
	return bytes <= mostBytes
}

// send is Log.send of a write that may share its transaction with others.
func (s *sharing) send(ctx context.Context, w write) (Appended, error) {
	if !w.mayShare() {
		return s.log.send(ctx, w)
	}
	r := &sharedWrite{write: w, of: []claimed{{tenant: w.tenant, user: w.user, session: w.session}}}
	if w.key != nil {
		r.of = append(r.of, claimed{tenant: w.tenant, key: string(w.key.Hash[:])})
	}
	switch s.enter(r) {
	case entersNow:
		return s.inTurn(ctx, r)
	case entersNever:
		return s.log.send(ctx, w)
	}
	wait := time.NewTimer(shareWait)
	defer wait.Stop()
	for {
		select {
		case v := <-r.ended:
			switch {
			case v.turn:
				return s.inTurn(ctx, r)
			case v.alone:
				return s.log.send(ctx, w)
			}
			return v.answer, v.err
		case <-wait.C:
			if s.leave(r) {
				return s.log.send(ctx, w)
			}
		case <-ctx.Done():
			if !s.leave(r) {
				s.goFrom(r)
			}
			return Appended{}, ctx.Err()
		}
	}
}

// inTurn writes r by itself, whose turn it is.
func (s *sharing) inTurn(ctx context.Context, r *sharedWrite) (Appended, error) {
	lend := time.AfterFunc(turnTime, func() { s.lend(r.group) })
	defer func() { lend.Stop(); s.end(r.group) }()
	return s.log.send(ctx, r.write)
}

// lend gives the place of a write that takes long to those that wait.
func (s *sharing) lend(g *sharedGroup) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.ended {
		return
	}
	g.lent = true
	s.free++
	s.beginNext()
}

// entrance is how a write begins.
type entrance int

const (
	entersNow entrance = iota
	waits
	entersNever
)

func (s *sharing) enter(r *sharedWrite) entrance {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free > 0 && !s.isBusy(r) {
		s.begin(r)
		return entersNow
	}
	if len(s.waiting) >= mostWaiting {
		return entersNever
	}
	r.ended = make(chan verdict, 1)
	s.waiting = append(s.waiting, r)
	return waits
}

// begin has the writes take a turn together.
func (s *sharing) begin(writes ...*sharedWrite) *sharedGroup {
	s.free--
	g := &sharedGroup{writes: writes}
	for _, r := range writes {
		r.group = g
		for _, c := range r.of {
			s.busy[c] = true
		}
	}
	return g
}

func (s *sharing) isBusy(r *sharedWrite) bool {
	return slices.ContainsFunc(r.of, func(c claimed) bool { return s.busy[c] })
}

// end ends the turn of a group and has those that wait begin.
func (s *sharing) end(g *sharedGroup) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g.ended = true
	if !g.lent {
		s.free++
	}
	for _, r := range g.writes {
		for _, c := range r.of {
			delete(s.busy, c)
		}
	}
	s.beginNext()
}

// beginNext has those that wait begin, as far as there is a place.
func (s *sharing) beginNext() {
	for s.free > 0 {
		next := s.take()
		switch len(next) {
		case 0:
			return
		case 1:
			s.begin(next[0])
			next[0].ended <- verdict{turn: true}
		default:
			g := s.begin(next...)
			var ctx context.Context
			ctx, g.cancel = context.WithCancel(postgres.Writing(context.Background()))
			go s.write(ctx, g)
		}
	}
}

// take takes from those that wait, in the order they came in, who can be written now.
func (s *sharing) take() []*sharedWrite {
	var taken []*sharedWrite
	mine := map[claimed]bool{}
	messages := 0
	s.waiting = slices.DeleteFunc(s.waiting, func(r *sharedWrite) bool {
		if len(taken) >= mostShared || messages+len(r.raws) > mostOfAll || s.isBusy(r) ||
			slices.ContainsFunc(r.of, func(c claimed) bool { return mine[c] }) {
			return false
		}
		for _, c := range r.of {
			mine[c] = true
		}
		taken, messages = append(taken, r), messages+len(r.raws)
		return true
	})
	return taken
}

// leave takes r from those that wait, and says whether it was among them.
func (s *sharing) leave(r *sharedWrite) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.waiting, r)
	if i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	return i >= 0
}

// goFrom says that nobody waits any more for r, which is under way or was told that it is
// its turn.
func (s *sharing) goFrom(r *sharedWrite) {
	s.mu.Lock()
	g := r.group
	g.left++
	last := g.left == len(g.writes)
	s.mu.Unlock()
	switch {
	case len(g.writes) == 1:
		s.end(g)
	case last:
		g.cancel()
	}
}

// write writes a group in one transaction and tells each what became of it. Where the
// server refused the transaction, nothing of it is written, and each is told to try by
// itself: whose fault it was is then seen. Where it is not known what became of it, all are
// told so.
func (s *sharing) write(ctx context.Context, g *sharedGroup) {
	defer g.cancel()
	answers, err := s.log.sendShared(ctx, g.writes)
	s.end(g)
	for i, r := range g.writes {
		switch {
		case err == nil && len(answers[i].Messages) > 0:
			r.ended <- verdict{answer: answers[i]}
		case err == nil || isRolledBack(err):
			r.ended <- verdict{alone: true}
		default:
			r.ended <- verdict{err: err}
		}
	}
}

// isRolledBack says of an error whether the server has told by it that the transaction, which
// was sent whole, is rolled back. An error that ends the connection may come after the commit.
func isRolledBack(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.SeverityUnlocalized == "ERROR"
}

// sendShared writes several writes, each of another session, in one round trip and one
// transaction, in which each statement is one tenant's. An answer without messages says that
// nothing of it was written: its session is not there, or is none to write to.
func (l *Log) sendShared(ctx context.Context, writes []*sharedWrite) ([]Appended, error) {
	answers := make([]Appended, len(writes))
	order := make([]int, len(writes)) // that in which all that write take locks
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		v, w := writes[a], writes[b]
		return cmp.Or(cmp.Compare(v.tenant, w.tenant), cmp.Compare(v.user, w.user), cmp.Compare(v.session, w.session))
	})
	b := &pgx.Batch{}
	for len(order) > 0 {
		tenant := writes[order[0]].tenant
		n := slices.IndexFunc(order, func(i int) bool { return writes[i].tenant != tenant })
		if n < 0 {
			n = len(order)
		}
		b.Queue(setTenant, tenant, strconv.FormatInt(min(sharedLock, l.cfg.LockTimeout).Milliseconds(), 10))
		queueShared(b, tenant, writes, order[:n], answers)
		order = order[n:]
	}
	if err := l.pool.SendBatch(ctx, b).Close(); err != nil {
		return nil, err
	}
	return answers, nil
}

// queueShared puts the statements of those of a tenant into a batch that has the tenant.
func queueShared(b *pgx.Batch, tenant string, writes []*sharedWrite, of []int, answers []Appended) {
	n, messages := len(of), 0
	for _, i := range of {
		messages += len(writes[i].raws)
	}
	c := sharedColumns{
		users: make([]string, n), sessions: make([]string, n), agents: make([]*string, n), apps: make([]*string, n), zones: make([]*string, n),
		metadata: make([]*string, n), priorities: make([]int32, n), titles: make([]*string, n), rotates: make([]bool, n),
		idle: make([]*time.Duration, n), turns: make([]*int, n), tokens: make([]*int64, n), age: make([]*time.Duration, n),
		keys: make([][]byte, n), bodies: make([][]byte, n),
		places: make([]int32, 0, messages), steps: make([]int32, 0, messages), roles: make([]string, 0, messages), raws: make([]string, 0, messages),
		said: make([]*time.Time, 0, messages), learn: make([]bool, 0, messages), actors: make([]*string, 0, messages),
	}
	sql := appendShared
	for place, i := range of {
		w := writes[i].write
		c.users[place], c.sessions[place], c.agents[place], c.apps[place], c.zones[place] = w.user, w.session, w.agent, w.app, w.zone
		c.priorities[place], c.titles[place], c.rotates[place] = int32(w.priority), w.heading, w.rotates
		if raw, ok := w.metadata.(json.RawMessage); ok {
			c.metadata[place] = optional(string(raw))
		}
		c.idle[place], c.turns[place], c.tokens[place], c.age[place] = w.limits.Idle, w.limits.Turns, w.limits.Tokens, w.limits.Age
		if w.key != nil {
			c.keys[place], c.bodies[place] = w.key.Hash[:], w.key.Body[:]
			sql = appendSharedKeyed
		}
		for step := range w.raws {
			c.places, c.steps = append(c.places, int32(place+1)), append(c.steps, int32(step))
		}
		c.roles, c.raws, c.said = append(c.roles, w.roles...), append(c.raws, w.raws...), append(c.said, w.said...)
		c.learn, c.actors = append(c.learn, w.learn...), append(c.actors, w.actors...)
		answers[i].SessionID = w.session
	}
	args := []any{tenant, c.users, c.sessions, c.agents, c.apps, c.zones, c.metadata, c.priorities, c.titles, c.rotates,
		c.idle, c.turns, c.tokens, c.age, c.places, c.steps, c.roles, c.raws, c.said, c.learn, c.actors}
	if sql == appendSharedKeyed {
		args = append(args, c.keys, c.bodies)
	}
	b.Queue(lockShared, tenant, c.users, c.sessions)
	b.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var place int
			var no int64
			var next *string
			var role string
			var learn bool
			var m AppendedMessage
			if err := rows.Scan(&place, &no, &next, &m.ID, &role, &m.CreatedAt, &learn); err != nil {
				return err
			}
			m.Role, m.State, m.CreatedAt = memd.Role(role), StateSkipped, m.CreatedAt.UTC()
			if learn {
				m.State = StatePending
			}
			a := &answers[of[place-1]]
			a.NextSessionID = value(next)
			a.add(m, no, a.SessionID)
		}
		return rows.Err()
	})
}

// sharedColumns are writes as appendShared takes them: of each one, and then of each message.
type sharedColumns struct {
	users, sessions     []string
	agents, apps, zones []*string
	metadata            []*string
	priorities          []int32
	titles              []*string
	rotates             []bool
	idle, age           []*time.Duration
	turns               []*int
	tokens              []*int64
	keys, bodies        [][]byte
	places, steps       []int32 // places from 1
	roles, raws         []string
	said                []*time.Time
	learn               []bool
	actors              []*string
}
