package longterm

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Why a memory came to be or changed, as the history has it.
const (
	reasonSaid    = "said"
	reasonAgain   = "said again"
	reasonEarlier = "said earlier, in these words"
)

// Consolidate takes what was learned into the long tier, within tx, which must be the
// tenant's. From the first statement on it holds the locks of the identities the
// messages belong to, so that one person's messages are consolidated one at a time.
//
// A candidate whose normal form, actor, role and identity are those of a memory is a
// repeat of it: its sources are added, and the agents, runs and metadata they bring, and
// what their callers want of what is learned (memd.LearnAs). Of two sources that give the
// same metadata key, type or scope the one that was said earlier wins; categories add up;
// what is learned ends where each source wants an end, at the latest of them. What a
// person set of a memory stays, save that new sources add the metadata keys it has not.
// The memory stands as it was said first. A memory that was superseded is repeated by
// what was said before that, and not by what was said after.
//
// What a person took away or rewrote does not come back from the same messages.
//
// The result depends on what was said when, not on the order in which it is given
// here, and giving it again changes nothing.
func (s *Store) Consolidate(ctx context.Context, tx pgx.Tx, tenant string, l Learned) error {
	if len(l.Messages) == 0 {
		return nil
	}
	f := newFold(tenant, l)
	if err := f.read(ctx, tx); err != nil {
		return postgres.Err("longterm.consolidate", err)
	}
	w, err := f.run()
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	w.queue(b, tenant)
	b.Queue(unpinPlans)
	return postgres.Err("longterm.consolidate", exec(ctx, tx, b))
}

// stated is one memory while candidates are folded into it.
type stated struct {
	held
	isNew bool
	// said is when the words that stand were said.
	said   saidAt
	vector []float32
	// before are the sources that the memory drew from, in order; nil where its words
	// are new.
	before []origin
	// added are the messages that this fold brought.
	added             []int64
	previous          *string
	repeated, earlier bool
}

type statedKey struct {
	scopeID           int64
	hash, actor, role string
}

// fold is one call of Consolidate.
type fold struct {
	tenant  string
	learned Learned
	scopes  *identities
	// of is the identity of each message.
	of      map[int64]identity
	origins map[int64]origin
	known   map[statedKey][]*stated
	order   []*stated
	// overruled is what of the sources a person took away or rewrote.
	overruled []overruled
}

func newFold(tenant string, l Learned) *fold {
	f := &fold{tenant: tenant, learned: l, of: map[int64]identity{}, origins: map[int64]origin{}, known: map[statedKey][]*stated{}}
	var all []identity
	for _, m := range l.Messages {
		i := identityOf(memd.Scope{UserID: m.UserID, AgentID: m.AgentID, AppID: m.AppID, RunID: m.SessionID})
		f.of[m.ID] = i
		all = append(all, i)
	}
	f.scopes = newIdentities(tenant, all)
	return f
}

// identity gives that of a candidate: of the first of its sources that is among the
// messages.
func (f *fold) identity(c memd.Candidate) identity {
	for _, id := range c.Sources {
		if i, ok := f.of[id]; ok {
			return i
		}
	}
	return f.of[f.learned.Messages[0].ID]
}

// read takes the locks and reads, in one round trip, what the candidates meet.
func (f *fold) read(ctx context.Context, tx pgx.Tx) error {
	var users, sessions []string
	place := map[[2]string]bool{}
	here := map[int64]bool{}
	for _, m := range f.learned.Messages {
		here[m.ID] = true
		if k := [2]string{m.UserID, m.SessionID}; !place[k] {
			place[k] = true
			users, sessions = append(users, m.UserID), append(sessions, m.SessionID)
		}
	}
	var elsewhere, sources []int64
	var keys [][]byte
	var hashes []string
	asked := map[string]bool{}
	for _, c := range f.learned.Candidates {
		sources = append(sources, c.Sources...)
		for _, id := range c.Sources {
			if !here[id] {
				here[id] = true
				elsewhere = append(elsewhere, id)
			}
		}
		key, hash := f.scopes.keys[f.scopes.at[f.identity(c)]], hashOf(c.Text)
		if k := string(key) + hash; !asked[k] {
			asked[k] = true
			keys, hashes = append(keys, key), append(hashes, hash)
		}
	}
	app, user, agent, run := f.scopes.columns()

	b := &pgx.Batch{}
	b.Queue(pinPlans)
	queueLocks(b, f.tenant, f.scopes.keys)
	b.Queue(scopeInsert, f.tenant, f.scopes.keys, app, user, agent, run)
	b.Queue(scopeSelect, f.tenant, f.scopes.keys).Query(f.scopes.scan)
	b.Queue(sessionSelect, f.tenant, users, sessions).Query(f.scanSessions)
	if len(elsewhere) > 0 {
		b.Queue(messageSelect, f.tenant, elsewhere).Query(func(rows pgx.Rows) error {
			return scanOrigins(rows, nil, func(_ memoryID, o origin) { f.origins[o.message] = o })
		})
	}
	if len(hashes) > 0 {
		slices.Sort(sources)
		b.Queue(overruledSelect, f.tenant, slices.Compact(sources)).Query(f.scanOverruled)
		byID := map[memoryID]*stated{}
		b.Queue(statedSelect, f.tenant, keys, hashes).Query(func(rows pgx.Rows) error { return f.scanStated(rows, byID) })
		b.Queue(statedSources, f.tenant, keys, hashes).Query(func(rows pgx.Rows) error {
			var id memoryID
			return scanOrigins(rows, &id, func(id memoryID, o origin) {
				if m := byID[id]; m != nil {
					m.origins[o.message] = o
				}
			})
		})
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	for _, all := range f.known {
		for _, m := range all {
			m.settle()
		}
	}
	return nil
}

// scan reads scopeSelect.
func (s *identities) scan(rows pgx.Rows) error {
	var n int
	var id int64
	_, err := pgx.ForEachRow(rows, []any{&n, &id}, func() error {
		s.ids[n], s.byID[id] = id, n
		return nil
	})
	return err
}

// scanSessions reads sessionSelect and with it makes origins of the messages.
func (f *fold) scanSessions(rows pgx.Rows) error {
	var no int64
	var user, session string
	var isRun bool
	_, err := pgx.ForEachRow(rows, []any{&no, &user, &session, &isRun}, func() error {
		for _, m := range f.learned.Messages {
			if m.UserID != user || m.SessionID != session {
				continue
			}
			o := origin{message: m.ID, sessionNo: no, role: string(m.Role), agent: m.AgentID, metadata: m.Metadata, learnAs: m.LearnAs,
				said: saidAt{at: m.CreatedAt.Truncate(time.Microsecond), session: session, position: m.Position}}
			if isRun {
				o.run = session
			}
			f.origins[m.ID] = o
		}
		return nil
	})
	return err
}

func (f *fold) scanStated(rows pgx.Rows, byID map[memoryID]*stated) error {
	for rows.Next() {
		m := &stated{held: held{origins: map[int64]origin{}}}
		if err := rows.Scan(m.fields()...); err != nil {
			return err
		}
		byID[m.id] = m
		k := statedKey{m.scopeID, m.hash, m.actor, m.role}
		f.known[k] = append(f.known[k], m)
	}
	return rows.Err()
}

func (f *fold) scanOverruled(rows pgx.Rows) error {
	var o overruled
	_, err := pgx.ForEachRow(rows, []any{&o.message, &o.hash, &o.slot}, func() error {
		f.overruled = append(f.overruled, o)
		return nil
	})
	return err
}

// settle finds out of a stored memory when its words were said.
func (m *stated) settle() {
	m.said = saidAt{at: m.validFrom}
	m.before = inOrder(m.origins)
	for _, o := range m.before {
		if o.said.at.Equal(m.validFrom) {
			m.said = o.said
			break
		}
	}
}

// run folds the candidates in the order in which they were said.
func (f *fold) run() (*writes, error) {
	var candidates []candidacy
	for i, c := range f.learned.Candidates {
		if len(c.Sources) == 0 {
			return nil, &memd.Error{Kind: memd.Internal, Op: "longterm.consolidate", Msg: "a candidate has no source"}
		}
		first, ok := f.origins[c.Sources[0]]
		if !ok {
			return nil, &memd.Error{Kind: memd.Conflict, Op: "longterm.consolidate", Msg: "a source is not in the log"}
		}
		c.Text = clean(c.Text)
		at := saidAt{at: c.SaidAt.Truncate(time.Microsecond), session: first.said.session, position: first.said.position, part: c.Position}
		next := candidacy{Candidate: c, who: f.identity(c), hash: hashOf(c.Text), said: at}
		if next.Sources = left(f.overruled, c.Sources, next.hash, c.Slot); len(next.Sources) < len(c.Sources) && !f.speaks(next) {
			continue
		}
		if i < len(f.learned.Vectors) {
			next.vector = f.learned.Vectors[i]
		}
		candidates = append(candidates, next)
	}
	slices.SortStableFunc(candidates, func(a, b candidacy) int { return a.said.compare(b.said) })
	for _, c := range candidates {
		if err := f.take(c); err != nil {
			return nil, err
		}
	}
	return f.writes(), nil
}

// candidacy is a candidate on its way into the fold.
type candidacy struct {
	memd.Candidate
	who    identity
	hash   string
	said   saidAt
	vector []float32
}

// speaks says whether one of a candidate's sources is of who says it: what is left of
// question and answer without the answer states nothing.
func (f *fold) speaks(c candidacy) bool {
	return slices.ContainsFunc(c.Sources, func(id int64) bool { return f.origins[id].role == string(c.Role) })
}

// take folds one candidate in.
func (f *fold) take(c candidacy) error {
	key := statedKey{f.scopes.ids[f.scopes.at[c.who]], c.hash, clean(c.ActorID), string(c.Role)}
	m := repeatedBy(f.known[key], c.said.at)
	if m == nil {
		id, err := newID()
		if err != nil {
			return &memd.Error{Kind: memd.Internal, Op: "longterm.consolidate", Err: err}
		}
		m = &stated{held: held{origins: map[int64]origin{}}, isNew: true}
		m.id, m.scopeID, m.hash, m.actor, m.role = id, key.scopeID, key.hash, key.actor, key.role
		m.app, m.user = c.who.app, c.who.user
		m.state(c, f.learned.Extractor)
		f.known[key] = append(f.known[key], m)
		f.order = append(f.order, m)
	} else if !m.isNew && !m.set(fieldMemory) && c.said.compare(m.said) < 0 && m.gains(c) {
		if m.previous == nil {
			was := m.text
			m.previous = &was
		}
		m.earlier = true
		m.state(c, f.learned.Extractor)
	}
	for _, id := range c.Sources {
		if _, ok := m.origins[id]; ok {
			continue
		}
		o, ok := f.origins[id]
		if !ok {
			continue // deleted from the log meanwhile; another source stands
		}
		m.origins[id] = o
		m.added = append(m.added, id)
		if !m.isNew && !m.repeated {
			m.repeated = true
			f.order = append(f.order, m)
		}
	}
	return nil
}

// gains says whether a candidate has a source that m has not.
func (m *stated) gains(c candidacy) bool {
	return slices.ContainsFunc(c.Sources, func(id int64) bool {
		_, has := m.origins[id]
		return !has
	})
}

// repeatedBy chooses the memory that something said at that time repeats: the one that
// held then, or the earliest if it was said before all of them.
func repeatedBy(all []*stated, at time.Time) *stated {
	var found *stated
	for _, m := range all { // by validFrom
		if found == nil || !m.validFrom.After(at) {
			found = m
		}
	}
	if found != nil && found.validTo != nil && !at.Before(*found.validTo) {
		return nil
	}
	return found
}

// state puts a candidate's words in the memory's place.
func (m *stated) state(c candidacy, extractor string) {
	m.text, m.slot, m.negated, m.occurredAt, m.extractor = c.Text, c.Slot, c.Negated, c.OccurredAt, extractor
	m.categories, m.validFrom, m.said, m.vector, m.before = c.Categories, c.said.at, c.said, c.vector, nil
}

// writes makes rows of what was folded.
func (f *fold) writes() *writes {
	w := &writes{model: f.learned.Model}
	for _, m := range f.learned.Messages {
		o, ok := f.origins[m.ID]
		if ok && m.Role.Learnable() {
			w.messages = append(w.messages, messageRow{
				scopeID: f.scopes.ids[f.scopes.at[f.of[m.ID]]], sessionNo: o.sessionNo, position: m.Position,
				actor: clean(m.Name), text: clean(m.Text),
			})
		}
	}
	for _, m := range f.order {
		var added []origin
		for _, id := range m.added {
			o := m.origins[id]
			added = append(added, o)
			w.sources = append(w.sources, source{m.id, id, o.sessionNo, o.said.position})
		}
		slices.SortFunc(added, origin.compare)
		m.draw(m.before, inOrder(m.origins), added)
		slices.Sort(m.added)
		h := historyRow{memory: m.id, scopeID: m.scopeID, event: EventAdd, text: m.text, hash: m.hash,
			reason: reasonSaid, by: f.learned.Extractor, messages: m.added}
		if m.isNew {
			w.memories = append(w.memories, m.newMemory)
			w.embed(m.id, m.scopeID, m.vector)
		} else {
			w.drawn = append(w.drawn, m.newMemory)
			h.event, h.reason = EventNone, reasonAgain
			if m.earlier {
				w.earlier = append(w.earlier, m.newMemory)
				if *m.previous != m.text {
					h.event, h.reason, h.previous = EventUpdate, reasonEarlier, m.previous
					w.embed(m.id, m.scopeID, m.vector)
				}
			}
		}
		w.carry(m.id, m.agents, m.runs)
		w.history = append(w.history, h)
	}
	return w
}
