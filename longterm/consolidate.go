package longterm

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Consolidate takes what was learned into the long tier, within tx, which must be the
// tenant's. From the first statement on it holds the locks of the identities the
// messages belong to, so that one person's messages are consolidated one at a time.
//
// A candidate whose form (lexical.Canonical), actor, role and identity are those of a
// memory is a repeat of it: its sources are added, and the agents, runs and metadata they bring, and
// what their callers want of what is learned (memd.LearnAs). Of two sources that give the
// same metadata key, type or scope the one that was said earlier wins; categories add up;
// what is learned ends where each source wants an end, at the latest of them. What a
// person set of a memory stays, save that new sources add the metadata keys it has not.
// The memory stands as it was said first.
//
// Of what one speaker says about one slot of one subject, a later statement with another
// value takes the place of an earlier one, a denial ends what it denies, and a statement
// ends what denied it; see claim.ends. What is then said again is another memory. What is
// asked to be forgotten goes, as far as it was said before. Nothing else ends anything.
//
// What a person took away, rewrote or made current again stays so against the same
// messages.
//
// The result depends on what was said when, not on the order in which it is given
// here, and giving it again changes nothing.
func (s *Store) Consolidate(ctx context.Context, tx pgx.Tx, tenant string, l Learned) error {
	if len(l.Messages) == 0 {
		return nil
	}
	f := newLearning(tenant, l)
	if err := f.read(ctx, tx); err != nil {
		return postgres.Err("longterm.consolidate", err)
	}
	if err := f.take(); err != nil {
		return err
	}
	if err := f.replace(ctx, tx); err != nil {
		return postgres.Err("longterm.consolidate", err)
	}
	f.fold()
	if _, err := f.settle(ctx, tx); err != nil {
		return postgres.Err("longterm.consolidate", err)
	}
	f.takeMessages()
	b := &pgx.Batch{}
	f.w.queue(b, tenant)
	b.Queue(unpinPlans)
	return postgres.Err("longterm.consolidate", exec(ctx, tx, b))
}

// learning is one call of Consolidate.
type learning struct {
	*change
	learned    Learned
	identities *identities
	// whose is the identity of each message.
	whose map[int64]identity
	// overruled is what of the sources a person took away or rewrote.
	overruled []overruled
	// stated are the mentions that the candidates make, asked the requests.
	stated map[mentionKey]*mention
	asked  map[requestRow]bool
}

func newLearning(tenant string, l Learned) *learning {
	f := &learning{change: newChange(tenant, l.Extractor), learned: l, whose: map[int64]identity{}, stated: map[mentionKey]*mention{}, asked: map[requestRow]bool{}}
	f.model = l.Model
	if len(l.Again) > 0 {
		f.reason, f.less = reasonAnew, reasonAnew
	}
	var all []identity
	for _, m := range l.Messages {
		i := identityOf(memd.Scope{UserID: m.UserID, AgentID: m.AgentID, AppID: m.AppID, RunID: m.SessionID})
		f.whose[m.ID] = i
		all = append(all, i)
	}
	f.identities = newIdentities(tenant, all)
	return f
}

// identity gives that of a candidate: of the first of its sources that is among the
// messages.
func (f *learning) identity(c memd.Candidate) identity {
	for _, id := range c.Sources {
		if i, ok := f.whose[id]; ok {
			return i
		}
	}
	return f.whose[f.learned.Messages[0].ID]
}

// read takes the locks and reads what the candidates meet: in one round trip, unless they
// meet something.
func (f *learning) read(ctx context.Context, tx pgx.Tx) error {
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
	for _, c := range f.learned.Candidates {
		sources = append(sources, c.Sources...)
		for _, id := range c.Sources {
			if !here[id] {
				here[id] = true
				elsewhere = append(elsewhere, id)
			}
		}
		key := f.identities.keys[f.identities.at[f.identity(c)]]
		f.wanted.scope(key)
		about := topicOf(c)
		slot := about.slot
		f.wanted.topic(key, about, clean(c.Text))
		if !c.Forget {
			f.wanted.over(key, string(c.Role), clean(c.Text), c.SaidAt.Truncate(time.Microsecond))
		}
		switch {
		case !c.Forget:
			f.subjects.hear(key, clean(c.Text), clean(c.Value))
		case slot == "" && c.Subject != "":
			f.subjects.seek(key, clean(c.Subject), c.SaidAt.Truncate(time.Microsecond))
		}
		if !c.Forget || slot == "" {
			f.wanted.hash(key, hashesOf(clean(c.Text))...)
		}
	}
	if len(f.learned.Again) > 0 {
		for _, key := range f.identities.keys {
			f.wanted.scope(key)
		}
	}
	app, user, agent, run := f.identities.columns()

	b := &pgx.Batch{}
	b.Queue(pinPlans)
	queueLocks(b, f.tenant, f.identities.keys)
	b.Queue(scopeInsert, f.tenant, f.identities.keys, app, user, agent, run)
	b.Queue(scopeSelect, f.tenant, f.identities.keys).Query(f.identities.scan)
	b.Queue(sessionSelect, f.tenant, users, sessions).Query(f.scanSessions)
	if len(elsewhere) > 0 {
		b.Queue(messageSelect, f.tenant, elsewhere).Query(func(rows pgx.Rows) error {
			return scanOrigins(rows, nil, func(_ memoryID, o origin) { f.origins[o.message] = o })
		})
	}
	if len(sources) > 0 {
		slices.Sort(sources)
		b.Queue(overruledSelect, f.tenant, slices.Compact(sources)).Query(f.scanOverruled)
	}
	f.queueRead(b)
	if len(f.learned.Again) > 0 {
		b.Queue(messageHolders, f.tenant, f.learned.Again).Query(f.scanHolders)
		b.Queue(goneOfMessages, f.tenant, f.identities.keys, f.learned.Again).Query(func(rows pgx.Rows) error { return scanMentions(rows, f.add) })
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	for n, i := range f.identities.all {
		f.scopes[f.identities.ids[n]] = scopeRow{f.identities.keys[n], i.app, i.user}
	}
	return f.readOn(ctx, tx)
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

// scanHolders wants what the messages stated before.
func (f *learning) scanHolders(rows pgx.Rows) error {
	var id memoryID
	var scope int64
	var key []byte
	_, err := pgx.ForEachRow(rows, []any{&id, &scope, &key}, func() error {
		if _, here := f.identities.byID[scope]; here {
			f.wanted.memory(id)
		}
		return nil
	})
	return err
}

// replace loses what messages that are learned from again stated or asked for before and do
// not now. That is what was made by all of the speaker's messages that made it, an answer by
// the answer; or what something else takes the place of that is made of the same ones. What
// another message states as well stays.
func (f *learning) replace(ctx context.Context, tx pgx.Tx) error {
	if len(f.learned.Again) == 0 {
		return nil
	}
	var sources []int64
	again := func(all []int64) bool {
		return slices.ContainsFunc(all, func(id int64) bool { return slices.Contains(f.learned.Again, id) })
	}
	for _, m := range f.mentions {
		if m.row.message != 0 && again(m.sources) {
			sources = append(sources, m.sources...)
		}
	}
	for _, r := range f.requests {
		if again(r.sources) {
			sources = append(sources, r.sources...)
		}
	}
	if err := f.readOrigins(ctx, tx, sources); err != nil {
		return err
	}
	for _, m := range f.mentions {
		if m.row.message == 0 || m.gone == goneDeleted || m.touched() || !again(m.sources) {
			continue
		}
		now := f.stated[m.key()]
		whole := f.whole(m.speaker, m.sources)
		switch {
		case now == nil && (whole || f.retold(m)):
			m.lost = true
		case now != nil && whole:
			m.sources = now.sources
		}
	}
	for _, r := range f.requests {
		if !r.isNew && !r.lost && !f.asked[r.row()] && again(r.sources) && f.whole(r.speaker, r.sources) {
			r.lost = true
			f.drop(r, r.row())
		}
	}
	return f.readOn(ctx, tx)
}

// whole says whether all messages of who makes a statement are learned from again.
func (f *learning) whole(by speaker, sources []int64) bool {
	found := false
	for _, id := range sources {
		if o := f.origin(id); o != nil && o.role != by.role {
			continue
		}
		if !slices.Contains(f.learned.Again, id) {
			return false
		}
		found = true
	}
	return found
}

// retold says whether something that is stated now is made of all that made a mention, of
// several.
func (f *learning) retold(m *mention) bool {
	if len(m.sources) < 2 {
		return false
	}
	for _, n := range f.stated {
		if n.speaker == m.speaker && !slices.ContainsFunc(m.sources, func(id int64) bool { return !slices.Contains(n.sources, id) }) {
			return true
		}
	}
	return false
}

// scanSessions reads sessionSelect and with it makes origins of the messages.
func (f *learning) scanSessions(rows pgx.Rows) error {
	var no int64
	var user, session string
	var isRun bool
	_, err := pgx.ForEachRow(rows, []any{&no, &user, &session, &isRun}, func() error {
		for _, m := range f.learned.Messages {
			if m.UserID != user || m.SessionID != session {
				continue
			}
			o := origin{message: m.ID, sessionNo: no, role: string(m.Role), agent: m.AgentID, metadata: m.Metadata, learnAs: m.LearnAs,
				said: saidAt{at: saidBy(m), session: session, position: m.Position}}
			if isRun {
				o.run = session
			}
			f.origins[m.ID] = o
		}
		return nil
	})
	return err
}

// saidBy is when a message was said, at the latest when it came.
func saidBy(m memd.Message) time.Time {
	at := m.CreatedAt
	if !m.ReceivedAt.IsZero() && m.ReceivedAt.Before(at) {
		at = m.ReceivedAt
	}
	return at.Truncate(time.Microsecond)
}

func (f *learning) scanOverruled(rows pgx.Rows) error {
	var o overruled
	_, err := pgx.ForEachRow(rows, []any{&o.message, &o.hash, &o.slot, &o.alone, &o.terms}, func() error {
		f.overruled = append(f.overruled, o)
		return nil
	})
	return err
}

// take makes mentions of the candidates, and requests of those that ask for something to
// be forgotten.
func (f *learning) take() error {
	for i, c := range f.learned.Candidates {
		if len(c.Sources) == 0 {
			return &memd.Error{Kind: memd.Internal, Op: "longterm.consolidate", Msg: "a candidate has no source"}
		}
		by := c.Sources[0]
		if c.Corrects {
			by = c.Sources[len(c.Sources)-1]
		}
		first, ok := f.origins[by]
		if !ok {
			return sourceGone()
		}
		m := &mention{
			speaker: speaker{f.identities.ids[f.identities.at[f.identity(c)]], clean(c.ActorID), string(c.Role)},
			topic:   topicOf(c),
			said:    saidAt{c.SaidAt.Truncate(time.Microsecond), first.said.session, first.said.position, c.Position},
			text:    clean(c.Text), value: clean(c.Value), negated: c.Negated, occurredAt: c.OccurredAt, categories: c.Categories, extractor: f.learned.Extractor,
		}
		if m.said.at.After(first.said.at) {
			m.said.at = first.said.at // it came before the time that it is dated
		}
		m.hash, m.former = hashOf(m.text), formerHash(m.text)
		for _, id := range c.Sources {
			if _, ok := f.origins[id]; !ok {
				// Deleted from the log meanwhile, and its words are in the text.
				return sourceGone()
			}
		}
		if m.sources = f.unruled(m, c.Sources, c.Forget); len(m.sources) < len(c.Sources) && !f.speaks(m) {
			continue
		}
		if c.Forget {
			m.subject = clean(c.Subject) // also without a slot
			r := f.request(m, c.Slip)
			f.asked[r.row()] = true
			if !r.isNew && slices.Contains(f.learned.Again, r.sources[0]) && !r.asksFor(m, c.Slip) {
				r.lost = true
				f.drop(r, r.row())
				f.request(m, c.Slip)
			}
			continue
		}
		if i < len(f.learned.Vectors) {
			m.vector = f.learned.Vectors[i]
		}
		f.stated[m.key()] = m
		f.add(m)
		if known := f.known[m.key()]; known != m {
			known.sources = slices.Concat(known.sources, m.sources) // others have said the same since
			slices.Sort(known.sources)
			known.sources = slices.Compact(known.sources)
		}
	}
	return nil
}

// ErrSourceGone is the cause of Consolidate's Conflict where something that it was learned
// from is in the log no more, as when it was erased meanwhile.
var ErrSourceGone = errors.New("a source is not in the log")

func sourceGone() error {
	return &memd.Error{Kind: memd.Conflict, Op: "longterm.consolidate", Msg: "what it was learned from is gone", Err: ErrSourceGone}
}

// maxSlot is how many bytes the name of a slot may have: longer ones do not go into an
// index, and are no names.
const maxSlot = 255

func topicOf(c memd.Candidate) topic {
	slot := clean(c.Slot)
	if slot == "" || len(slot) > maxSlot {
		return topic{}
	}
	return topic{slot, clean(c.Subject)}
}

// speaks says whether one of a mention's sources is of who makes it: what is left of
// question and answer without the answer states nothing.
func (f *learning) speaks(m *mention) bool {
	return slices.ContainsFunc(m.sources, func(id int64) bool { return f.origins[id].role == m.role })
}

// takeMessages has the words of the messages indexed.
func (f *learning) takeMessages() {
	for _, m := range f.learned.Messages {
		o, ok := f.origins[m.ID]
		if ok && m.Role.Learnable() {
			f.w.messages = append(f.w.messages, messageRow{
				scopeID: f.identities.ids[f.identities.at[f.whose[m.ID]]], sessionNo: o.sessionNo, position: m.Position,
				actor: clean(m.Name), text: clean(m.Text),
			})
		}
	}
}
