package longterm

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/lexical"
)

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
	for _, slips := range []bool{false, true} { // what was meant before what was not
		for _, s := range slices.Backward(remembered) {
			if is[s] != nil || slips != (s.slip != nil) {
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
	return !m.written() && (m.text != w.text || !m.validFrom.Equal(w.since().at) || m.extractor != w.extractor)
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
		m.text, m.extractor, m.validFrom = first.text, first.extractor, first.since().at
	}
	if !m.written() || !m.set(fieldAbout) {
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
			c.superseded(entry, m.text, s, !c.restores)
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
		if lexical.Normalise(m.text) != lexical.Normalise(was.text) {
			c.w.reworded, c.w.worded = append(c.w.reworded, &m.held), append(c.w.worded, was.newMemory)
		}
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
		if c.restores && m.id != c.preferred {
			c.w.unended = append(c.w.unended, m.id) // it was ended by what is being undone
		}
	default:
		// One that held no more is ended otherwise: what undoes that is there already.
		c.superseded(entry, previous, s, !c.restores && was.validTo == nil)
		if was.validTo == nil {
			c.w.ended = append(c.w.ended, vectorRow{memory: m.id, scopeID: m.scopeID})
		}
	}
}

// superseded notes what took the place of a memory, and whether that can be undone.
func (c *change) superseded(e historyRow, previous string, s *span, undoable bool) {
	e.event, e.previous, e.reason, e.by, e.messages = EventUpdate, &previous, reasonSuperseded, c.by, s.until.sources
	if s.slip != nil {
		e.reason = reasonCorrected
		s.slip.memories = append(s.slip.memories, e.memory)
		c.w.forgotten = append(c.w.forgotten, sourcesOf(s)...) // no summary says it on
	}
	if undoable {
		e.before = []byte(beforeSuperseded)
	}
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
	return m.hash == was.storedHash && m.text == was.text && m.topic == was.topic && m.value == was.value && m.negated == was.negated && m.extractor == was.extractor &&
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
		now := mentionRow{m.row.memory, m.sources[0], m.said.part, m.gone, idsLiteral(m.sources), m.hash}
		if id, ok := at[m]; ok {
			now.memory, now.gone = id, ""
		} else if m.forgottenBy != nil {
			now.gone = goneForgotten
			if m.row.gone != goneForgotten {
				c.w.forgotten = append(c.w.forgotten, m.sources...)
			}
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
