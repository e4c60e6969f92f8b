package longterm

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

// Why a memory came to be or changed, as the history has it.
const (
	reasonSaid       = "said"
	reasonAgain      = "said again"
	reasonEarlier    = "said earlier, in these words"
	reasonSuperseded = "superseded"
	reasonCurrent    = "what took its place was taken back"
	reasonForgotten  = "asked to be forgotten"
	reasonBack       = "no longer asked to be forgotten"
	reasonApart      = "held, ended and held again"
	reasonJoined     = "one with another memory"
)

// change is one change of what has been said. It reads all that this concerns, which must
// be locked, is given what is new and what goes, and writes what comes out differently.
type change struct {
	tenant string
	// by is who makes it, reason why memories go with what they were said by, less why some
	// stay with fewer sources.
	by, reason, less string
	// model names that of the vectors of mentions.
	model string
	verdicts

	memories map[memoryID]*stated
	mentions []*mention
	known    map[mentionKey]*mention
	origins  map[int64]origin
	scopes   map[int64]scopeRow
	wanted   wanting
	// preferred is the memory whose id stays where several become one, undone what is taken
	// back of it.
	preferred memoryID
	undone    string
	// undoable has what is taken away kept.
	undoable bool

	spans []*span
	w     writes
}

// scopeRow is an identity as it is stored.
type scopeRow struct {
	key       []byte
	app, user string
}

// stated is a memory that was learned, while what it was learned from changes.
type stated struct {
	held
	// expired ones are found no more and are not swept yet.
	expired bool
	// learned says that it has mentions.
	learned bool
	// place is when what a person wrote began to hold.
	place       saidAt
	forgottenBy *request
	// taken says that the memory is taken away, whatever states it.
	taken bool
	isNew bool
	// why it is there again, if it was gone.
	back string
}

// touched says whether a person changed it.
func (m *stated) touched() bool { return len(m.edited) > 0 || m.pinned }

// written says whether a person wrote its text.
func (m *stated) written() bool { return m.set(fieldMemory) }

func newChange(tenant, by string) *change {
	return &change{
		tenant: tenant, by: by, verdicts: verdicts{retained: map[retained]bool{}},
		memories: map[memoryID]*stated{}, known: map[mentionKey]*mention{}, origins: map[int64]origin{}, scopes: map[int64]scopeRow{},
		wanted: wanting{asked: map[string]bool{}},
	}
}

// -------------------------------------------------------------------- reading

// wanting is what is still to be read.
type wanting struct {
	asked map[string]bool
	// hashes are normal forms of which the memories are wanted, gone the same of which
	// only what is not remembered is.
	hashes, slots, gone struct {
		keys  [][]byte
		names []string
	}
	ids    []memoryID
	scopes [][]byte
}

func (w *wanting) first(what, key, name string) bool {
	asked := what + key + name
	if w.asked[asked] {
		return false
	}
	w.asked[asked] = true
	return true
}

// scope wants what was asked to be forgotten of an identity, by its key.
func (w *wanting) scope(key []byte) {
	if w.first("scope", string(key), "") {
		w.scopes = append(w.scopes, key)
	}
}

// hash wants all that is stated in one normal form.
func (w *wanting) hash(key []byte, hash string) {
	if w.first("hash", string(key), hash) {
		w.asked["gone"+string(key)+hash] = true
		w.hashes.keys, w.hashes.names = append(w.hashes.keys, key), append(w.hashes.names, hash)
	}
}

// slot wants all that is stated about one slot, whosever it is.
func (w *wanting) slot(key []byte, slot string) {
	if slot != "" && w.first("slot", string(key), slot) {
		w.slots.keys, w.slots.names = append(w.slots.keys, key), append(w.slots.names, slot)
	}
}

func (w *wanting) memory(id memoryID) {
	if w.first("memory", string(id[:]), "") {
		w.ids = append(w.ids, id)
	}
}

func (w *wanting) empty() bool {
	return len(w.hashes.keys)+len(w.slots.keys)+len(w.gone.keys)+len(w.ids)+len(w.scopes) == 0
}

// queueRead reads what is wanted.
func (c *change) queueRead(b *pgx.Batch) {
	w := &c.wanted
	if len(w.scopes) > 0 {
		b.Queue(requestSelect, c.tenant, w.scopes).Query(c.scanRequests)
	}
	if len(w.hashes.keys)+len(w.slots.keys)+len(w.ids) > 0 {
		args := []any{c.tenant, w.hashes.keys, w.hashes.names, w.slots.keys, w.slots.names, w.ids}
		b.Queue(concernedSelect, args...).Query(c.scanMemories)
		b.Queue(concernedMentions, args...).Query(func(rows pgx.Rows) error { return scanMentions(rows, c.add) })
	}
	if len(w.hashes.keys)+len(w.gone.keys)+len(w.slots.keys) > 0 {
		keys, names := slices.Concat(w.hashes.keys, w.gone.keys), slices.Concat(w.hashes.names, w.gone.names)
		b.Queue(goneSelect, c.tenant, keys, names, w.slots.keys, w.slots.names).Query(func(rows pgx.Rows) error { return scanMentions(rows, c.add) })
		b.Queue(retainedSelect, c.tenant, keys, names).Query(func(rows pgx.Rows) error {
			var r retained
			_, err := pgx.ForEachRow(rows, []any{&r.scopeID, &r.hash, &r.message}, func() error {
				c.retained[r] = true
				return nil
			})
			return err
		})
	}
	c.wanted = wanting{asked: w.asked}
}

func (c *change) scanMemories(rows pgx.Rows) error {
	for rows.Next() {
		m := &stated{}
		if err := rows.Scan(append(m.fields(), &m.expired)...); err != nil {
			return err
		}
		if c.memories[m.id] == nil {
			c.memories[m.id] = m
		}
	}
	return rows.Err()
}

func (c *change) scanRequests(rows pgx.Rows) error {
	for rows.Next() {
		r := &request{}
		if err := rows.Scan(&r.scopeID, &r.actor, &r.role, &r.sources, &r.said.at, &r.said.session, &r.said.position, &r.said.part,
			&r.hash, &r.slot, &r.subject, &r.value); err != nil {
			return err
		}
		c.requests = append(c.requests, r)
	}
	return rows.Err()
}

// add takes a mention in, unless the same one is there.
func (c *change) add(m *mention) {
	if c.known[m.key()] == nil {
		c.known[m.key()] = m
		c.mentions = append(c.mentions, m)
	}
}

// readOn reads until nothing is missing: other memories may be about what a memory is about.
// Scopes must be known.
func (c *change) readOn(ctx context.Context, tx pgx.Tx) error {
	for {
		for _, m := range c.memories {
			key := c.scopes[m.scopeID].key
			c.wanted.slot(key, m.slot)
			if c.wanted.first("gone", string(key), m.hash) {
				c.wanted.gone.keys, c.wanted.gone.names = append(c.wanted.gone.keys, key), append(c.wanted.gone.names, m.hash)
			}
		}
		for _, m := range c.mentions {
			c.wanted.slot(c.scopes[m.scopeID].key, m.slot)
		}
		if c.wanted.empty() {
			break
		}
		b := &pgx.Batch{}
		c.queueRead(b)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
	}
	for _, m := range c.mentions {
		if m.row.memory == (memoryID{}) || m.gone != "" {
			continue
		}
		if m.of = c.memories[m.row.memory]; m.of == nil {
			continue
		}
		m.of.learned = true
		if m.of.expired {
			m.gone = goneDeleted
		} else if m.of.written() && m.hash != m.of.hash {
			m.writtenOver = m.of
		}
		for _, id := range m.sources {
			if !slices.Contains(m.of.sources, id) {
				m.of.sources = append(m.of.sources, id)
			}
		}
	}
	for _, m := range c.memories {
		slices.Sort(m.sources)
		if m.written() {
			c.settlePlace(m)
		}
	}
	return nil
}

// readScopes reads the identities of memories.
func (c *change) readScopes(ctx context.Context, tx pgx.Tx, of []*held) error {
	var ids []int64
	for _, h := range of {
		ids = append(ids, h.scopeID)
	}
	return c.readScopeRows(ctx, tx, ids)
}

func (c *change) readScopeRows(ctx context.Context, tx pgx.Tx, ids []int64) error {
	slices.Sort(ids)
	rows, err := tx.Query(ctx, scopeRowSelect, c.tenant, slices.Compact(ids))
	if err != nil {
		return err
	}
	return c.scanScopes(rows)
}

// scanScopes reads scopeColumns.
func (c *change) scanScopes(rows pgx.Rows) error {
	for rows.Next() {
		var id int64
		var s scopeRow
		if err := rows.Scan(&id, &s.key, &s.app, &s.user); err != nil {
			return err
		}
		c.scopes[id] = s
	}
	return rows.Err()
}

// origin gives what the log knows of a message, nil for nothing.
func (c *change) origin(message int64) *origin {
	if o, ok := c.origins[message]; ok {
		return &o
	}
	return nil
}

// settlePlace finds out when what a person wrote began to hold: when that was said whose
// words it replaced.
func (c *change) settlePlace(m *stated) {
	m.place = saidAt{at: m.validFrom}
	var found *mention
	for _, n := range c.mentions {
		if n.of == m && n.said.at.Equal(m.validFrom) && (found == nil || n.compare(found) < 0) {
			found = n
		}
	}
	if found != nil {
		m.place = found.said
	}
}

// -------------------------------------------------------------------- folding

// fold makes of the mentions that are left the times through which each claim holds.
func (c *change) fold() {
	c.spans = nil
	claims := map[claimKey]*claim{}
	var order []*claim
	of := func(k claimKey) *claim {
		if claims[k] == nil {
			claims[k] = &claim{speaker: k.speaker, hash: k.hash, edited: k.edited}
			order = append(order, claims[k])
		}
		return claims[k]
	}
	written := map[claimKey]*stated{}
	for _, m := range c.written() {
		k := claimKey{speaker{m.scopeID, m.actor, m.role}, m.hash, nil}
		if written[k] == nil {
			written[k] = m
		}
		k.edited = m
		of(k)
	}
	for _, m := range c.mentions {
		m.forgottenBy = nil
		if m.lost {
			continue
		}
		k := claimKey{m.speaker, m.hash, nil}
		if m.writtenOver != nil {
			k.hash, k.edited = m.writtenOver.hash, m.writtenOver
		} else {
			k.edited = written[k]
		}
		claim := of(k)
		claim.mentions = append(claim.mentions, m)
	}
	topics := map[slotKey][]*claim{}
	var slots []slotKey
	for _, k := range order {
		k.describe()
		if k.slot == "" {
			c.spans = append(c.spans, c.follow([]*claim{k})...)
			continue
		}
		s := slotKey{k.speaker, k.topic}
		if topics[s] == nil {
			slots = append(slots, s)
		}
		topics[s] = append(topics[s], k)
	}
	for _, s := range slots {
		c.spans = append(c.spans, c.follow(topics[s])...)
	}
}

// written gives the memories whose text a person wrote and which something states still, in
// the order in which they began to hold.
func (c *change) written() []*stated {
	var all []*stated
	for _, n := range c.mentions {
		if m := n.of; m != nil && !n.lost && m.written() && !m.expired && !m.taken && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *stated) int { return cmp.Or(a.place.compare(b.place), bytes.Compare(a.id[:], b.id[:])) })
	return all
}

type slotKey struct {
	speaker
	topic
}

// spanOf gives the span that a memory is now.
func (c *change) spanOf(id memoryID) *span {
	for _, s := range c.spans {
		if s.gone {
			continue
		}
		if s.edited != nil {
			if s.edited.id == id {
				return s
			}
			continue
		}
		if slices.ContainsFunc(s.mentions, func(m *mention) bool { return m.row.memory == id }) {
			return s
		}
	}
	return nil
}

// keep makes a memory hold until a time, or as long as it is remembered if that is nil: what
// ends it before does so no more, whatever is said.
func (c *change) keep(id memoryID, until *time.Time) {
	for c.fold(); ; c.fold() {
		s := c.spanOf(id)
		if s == nil || s.until == nil || until != nil && !s.until.at.at.Before(*until) {
			return
		}
		for _, message := range s.until.sources {
			r := retained{s.claim.scopeID, s.claim.hash, message}
			c.retained[r] = true
			c.w.retained = append(c.w.retained, r)
		}
	}
}

// -------------------------------------------------------------------- writing

// settle finds out what became of each memory and adds it to what is to be written. It
// says which are gone.
func (c *change) settle(ctx context.Context, tx pgx.Tx) (gone []*stated, err error) {
	remembered := slices.DeleteFunc(slices.Clone(c.spans), func(s *span) bool { return s.gone })
	slices.SortStableFunc(remembered, func(a, b *span) int { return a.from.compare(b.from) })
	is, err := c.assign(remembered)
	if err != nil {
		return nil, err
	}
	var drawn []int64
	for _, s := range remembered {
		if m := is[s]; c.redraws(m, s) {
			drawn = append(drawn, sourcesOf(s)...)
		}
	}
	if err := c.readOrigins(ctx, tx, drawn); err != nil {
		return nil, err
	}
	c.w.model = c.model
	kept := map[memoryID]bool{}
	for _, s := range remembered {
		kept[is[s].id] = true
		c.state(s, is)
	}
	for _, m := range c.memories {
		if m.learned && !kept[m.id] && !m.expired {
			gone = append(gone, m)
		}
	}
	slices.SortFunc(gone, func(a, b *stated) int { return bytes.Compare(a.id[:], b.id[:]) })
	for _, m := range gone {
		c.depart(m, kept)
	}
	if err := c.settleMentions(remembered, is); err != nil {
		return nil, err
	}
	c.takeRequests()
	return gone, nil
}

// readOrigins reads what the log knows of messages, unless that is known.
func (c *change) readOrigins(ctx context.Context, tx pgx.Tx, messages []int64) error {
	missing := slices.DeleteFunc(messages, func(id int64) bool { return c.origin(id) != nil })
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	rows, err := tx.Query(ctx, messageSelect, c.tenant, slices.Compact(missing))
	if err != nil {
		return err
	}
	return scanOrigins(rows, nil, func(_ memoryID, o origin) { c.origins[o.message] = o })
}

// assign says which memory each span is. The latest of several takes the id that they had
// in common, so that what holds stays the memory it is.
func (c *change) assign(remembered []*span) (map[*span]*stated, error) {
	is := map[*span]*stated{}
	taken := map[memoryID]bool{}
	claim := func(s *span, m *stated) {
		is[s], taken[m.id] = m, true
	}
	for _, s := range remembered {
		if s.edited != nil {
			claim(s, s.edited)
		}
	}
	if p := c.memories[c.preferred]; p != nil && !taken[p.id] {
		if s := c.spanOf(p.id); s != nil && is[s] == nil {
			claim(s, p)
		}
	}
	for _, s := range slices.Backward(remembered) {
		if is[s] != nil {
			continue
		}
		var found *stated
		for _, m := range s.mentions {
			if m.of != nil && !m.of.written() && !m.of.expired && !m.of.taken && !taken[m.of.id] && (found == nil || m.of.touched() || !found.touched()) {
				found = m.of
			}
		}
		if found != nil {
			claim(s, found)
		}
	}
	for _, s := range remembered {
		if is[s] != nil {
			continue
		}
		m := &stated{isNew: true}
		scope := c.scopes[s.claim.scopeID]
		m.scopeID, m.hash, m.actor, m.role, m.app, m.user = s.claim.scopeID, s.claim.hash, s.claim.actor, s.claim.role, scope.app, scope.user
		// What is there again is what it was.
		for _, n := range s.mentions {
			if id := n.row.memory; n.row.gone != "" && c.memories[id] == nil && !taken[id] {
				m.id, m.back = id, reasonBack
			}
		}
		if m.id == (memoryID{}) {
			var err error
			if m.id, err = newID(); err != nil {
				return nil, &memd.Error{Kind: memd.Internal, Op: "longterm.change", Err: err}
			}
		}
		claim(s, m)
	}
	return is, nil
}

// sourcesOf gives the messages that state a span, ascending.
func sourcesOf(s *span) (all []int64) {
	for _, m := range s.mentions {
		all = append(all, m.sources...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// words gives the mention in whose words a span stands.
func (s *span) words() *mention {
	if s.edited != nil {
		for _, m := range s.mentions {
			if m.writtenOver == s.edited {
				return m
			}
		}
	}
	return s.mentions[0]
}

// redraws says whether a memory takes other things from its sources than before.
func (c *change) redraws(m *stated, s *span) bool {
	if m.isNew || !slices.Equal(m.sources, sourcesOf(s)) {
		return true
	}
	w := s.words()
	return !m.written() && (m.text != w.text || !m.validFrom.Equal(w.said.at) || m.extractor != w.extractor)
}

// state brings a memory to what a span says, and notes what is different.
func (c *change) state(s *span, is map[*span]*stated) {
	m := is[s]
	was := m.held
	before := *m
	redraws := c.redraws(m, s)
	sources, added, removed := c.compare(m, s)
	first := s.words()
	if !m.written() {
		m.text, m.extractor, m.validFrom = first.text, first.extractor, first.said.at
		m.topic, m.value, m.negated = s.claim.topic, s.claim.spelled, s.claim.negated
	}
	m.validTo, m.supersededBy = nil, nil
	if s.until != nil {
		at := s.until.at.at
		m.validTo = &at
		if by := s.supersededBy(); by != nil {
			id := is[by].id
			m.supersededBy = &id
		}
	}
	if redraws {
		c.draw(m, first, sources, added)
	}
	m.sources = sources

	for _, id := range added {
		o := c.origins[id]
		c.w.sources = append(c.w.sources, source{m.id, id, o.sessionNo, o.said.position})
	}
	for _, id := range removed {
		c.w.sourcesGone = append(c.w.sourcesGone, source{memory: m.id, message: id})
	}
	entry := historyRow{memory: m.id, scopeID: m.scopeID, text: m.text, hash: m.hash, by: c.by, messages: added}
	if m.isNew {
		entry.event, entry.reason, entry.by = EventAdd, reasonSaid, first.extractor
		if m.back != "" {
			entry.reason, entry.by = m.back, c.by
		}
		c.w.history = append(c.w.history, entry)
		c.w.memories = append(c.w.memories, &m.held)
		c.w.embed(m.id, m.scopeID, first.vector, m.validTo == nil)
		c.w.carry(m.id, m.agents, m.runs)
		if m.validTo != nil {
			c.superseded(entry, m.text, s.until)
		}
		return
	}
	if m.same(&before) && len(added)+len(removed) == 0 {
		return
	}
	c.w.changed = append(c.w.changed, &m.held)
	if !slices.Equal(m.agents, was.agents) || !slices.Equal(m.runs, was.runs) {
		c.w.recarried = append(c.w.recarried, m.id)
		c.w.carry(m.id, m.agents, m.runs)
	}
	previous := was.text
	if m.text != was.text {
		c.w.embed(m.id, m.scopeID, first.vector, m.validTo == nil)
	}
	if len(removed) > 0 {
		e := entry
		e.event, e.previous, e.messages, e.reason = EventUpdate, &previous, removed, c.less
		if e.reason == "" {
			e.reason = reasonApart
		}
		c.w.history = append(c.w.history, e)
	}
	if len(added) > 0 {
		e := entry
		e.event, e.reason = EventNone, reasonAgain
		if m.text != was.text {
			e.event, e.reason, e.previous = EventUpdate, reasonEarlier, &previous
		}
		c.w.history = append(c.w.history, e)
	}
	switch {
	case m.validTo == nil && was.validTo == nil || m.validTo != nil && was.validTo != nil && m.validTo.Equal(*was.validTo):
	case m.validTo == nil:
		e := entry
		e.event, e.previous, e.reason, e.messages = EventUpdate, &previous, reasonCurrent, nil
		if m.id == c.preferred && c.undone != "" {
			e.reason = c.undone
		}
		c.w.history = append(c.w.history, e)
		c.w.revived = append(c.w.revived, vectorRow{memory: m.id, scopeID: m.scopeID})
	default:
		c.superseded(entry, previous, s.until)
		if was.validTo == nil {
			c.w.ended = append(c.w.ended, vectorRow{memory: m.id, scopeID: m.scopeID})
		}
	}
}

// superseded notes what took the place of a memory.
func (c *change) superseded(e historyRow, previous string, by *ending) {
	e.event, e.previous, e.reason, e.by, e.messages = EventUpdate, &previous, reasonSuperseded, c.by, by.sources
	e.before = []byte(beforeSuperseded)
	c.w.history = append(c.w.history, e)
}

// compare gives the sources that a memory has now, ascending, and how they differ from those
// it had.
func (c *change) compare(m *stated, s *span) (now, added, removed []int64) {
	now = sourcesOf(s)
	for _, id := range now {
		if _, had := slices.BinarySearch(m.sources, id); !had {
			added = append(added, id)
		}
	}
	for _, id := range m.sources {
		if _, has := slices.BinarySearch(now, id); !has {
			removed = append(removed, id)
		}
	}
	return now, added, removed
}

// draw makes what a memory takes from its sources.
func (c *change) draw(m *stated, first *mention, sources, added []int64) {
	of := func(ids []int64) (all []origin) {
		for _, id := range ids {
			if o, ok := c.origins[id]; ok {
				all = append(all, o)
			}
		}
		slices.SortFunc(all, origin.compare)
		return all
	}
	now := of(sources)
	if !m.isNew && len(now) < len(sources) {
		m.widen(now, of(added))
		return
	}
	m.held.draw(first, now, of(added))
}

// same says whether a memory is stored as it is.
func (m *stated) same(was *stated) bool {
	sameTime := func(a, b *time.Time) bool { return (a == nil) == (b == nil) && (a == nil || a.Equal(*b)) }
	return m.text == was.text && m.topic == was.topic && m.value == was.value && m.negated == was.negated && m.extractor == was.extractor &&
		slices.Equal(m.agents, was.agents) && slices.Equal(m.runs, was.runs) && bytes.Equal(m.metadata, was.metadata) &&
		m.scope == was.scope && m.memType == was.memType && slices.Equal(m.categories, was.categories) && m.validFrom.Equal(was.validFrom) &&
		sameTime(m.validTo, was.validTo) && sameTime(m.occurredAt, was.occurredAt) && sameTime(m.expiresAt, was.expiresAt) &&
		(m.supersededBy == nil) == (was.supersededBy == nil) && (m.supersededBy == nil || *m.supersededBy == *was.supersededBy)
}

// depart notes that a memory goes, and why.
func (c *change) depart(m *stated, kept map[memoryID]bool) {
	e := historyRow{memory: m.id, scopeID: m.scopeID, event: EventDelete, previous: &m.text, hash: m.hash, reason: c.reason, by: c.by, messages: m.sources}
	asked := m.forgottenBy
	joined := false
	for _, n := range c.mentions {
		if n.row.memory != m.id || n.row.gone != "" {
			continue
		}
		if n.forgottenBy != nil && asked == nil {
			asked = n.forgottenBy
		}
		joined = joined || !n.lost && n.gone == "" && n.forgottenBy == nil
	}
	switch {
	case m.taken:
		e.undoable = c.undoable
	case joined:
		e.reason = reasonJoined
	case asked != nil:
		e.reason, e.messages, e.undoable = reasonForgotten, asked.sources, true
		asked.memories = append(asked.memories, m.id)
	}
	c.w.history = append(c.w.history, e)
	c.w.gone = append(c.w.gone, &m.held)
}

// settleMentions notes where each mention is now.
func (c *change) settleMentions(remembered []*span, is map[*span]*stated) error {
	at := map[*mention]memoryID{}
	for _, s := range remembered {
		for _, m := range s.mentions {
			at[m] = is[s].id
		}
	}
	for _, m := range c.mentions {
		if m.of != nil && m.of.expired && !m.lost {
			continue
		}
		stored := m.row != mentionRow{}
		if m.lost {
			if stored {
				c.w.mentionsGone = append(c.w.mentionsGone, m.row)
			}
			continue
		}
		now := mentionRow{m.row.memory, m.sources[0], m.said.part, m.gone, len(m.sources)}
		if id, ok := at[m]; ok {
			now.memory, now.gone = id, ""
		} else if m.forgottenBy != nil {
			now.gone = goneForgotten
		}
		if now == m.row {
			continue
		}
		if stored {
			c.w.mentionsGone = append(c.w.mentionsGone, m.row)
		}
		if now.memory == (memoryID{}) {
			var err error
			if now.memory, err = newID(); err != nil {
				return &memd.Error{Kind: memd.Internal, Op: "longterm.change", Err: err}
			}
		}
		m.row, m.gone = now, now.gone
		c.w.mentions = append(c.w.mentions, m)
	}
	slices.SortFunc(c.w.mentions, func(a, b *mention) int {
		if n := bytes.Compare(a.row.memory[:], b.row.memory[:]); n != 0 {
			return n
		}
		return strings.Compare(a.hash, b.hash)
	})
	return nil
}
