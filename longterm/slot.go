package longterm

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memdhq/memd/lexical"
)

// speaker is who makes statements within an identity: the actor, else the role.
type speaker struct {
	scopeID     int64
	actor, role string
}

// topic is what a statement is about, if that is one of the things that can be updated
// or contradicted: a slot of a subject, "" for the speaker. No slot, no topic.
type topic struct{ slot, subject string }

// claim is all that one speaker says in one form, with what it says of its topic.
// That is as the earliest mention that has a topic has it. Each memory whose text a person
// wrote is a claim of its own, with what is said in the same words: it says what its words were
// read to say, else what those that say them are about.
type claim struct {
	speaker
	topic
	hash string
	// value is what the slot holds by it, in the form in which that is compared, spelled the same as it was said.
	value    string
	spelled  string
	negated  bool
	mentions []*mention
	// compared is the form in which it is compared, "" while nobody asked.
	compared string
	// ofWhich says that it moves one of several events, and not which: it ends none of them.
	ofWhich bool
	// hashes are hash and those by which it was known before.
	hashes []string
	// edited is the memory if a person wrote its text, else nil.
	edited *stated
}

type claimKey struct {
	speaker
	hash   string
	edited *stated
}

// describe finds out what a claim says.
func (c *claim) describe() {
	c.hashes = []string{c.hash}
	if c.edited != nil {
		c.hashes = hashesOf(c.edited.text)
	}
	for _, m := range c.mentions {
		if m.writtenOver == nil && !slices.Contains(c.hashes, m.former) {
			c.hashes = append(c.hashes, m.former)
		}
	}
	slices.SortFunc(c.mentions, (*mention).compare)
	if m := c.edited; m != nil && m.set(fieldAbout) {
		c.says(m.topic, m.value, m.negated)
		if c.value != "" || c.negated {
			return
		}
	}
	for _, m := range c.mentions {
		if m.slot != "" && m.writtenOver == nil && (c.slot == "" || c.topic == m.topic) {
			c.says(m.topic, m.value, m.negated)
			return
		}
	}
	if c.edited == nil && c.slot == "" {
		c.negated = c.mentions[0].negated
	}
}

func (c *claim) says(t topic, value string, negated bool) {
	c.topic, c.value, c.spelled, c.negated = t, lexical.Canonical(value), value, negated
}

// form gives the form in which a claim is compared.
func (c *claim) form() string {
	if c.compared == "" {
		if c.edited != nil {
			c.compared = lexical.Canonical(c.edited.text)
		} else {
			c.compared = lexical.Canonical(c.mentions[0].text)
		}
	}
	return c.compared
}

// texts are the words in which it was said.
func (c *claim) texts() (all []string) {
	if c.edited != nil {
		return []string{c.edited.text}
	}
	for _, m := range c.mentions {
		all = append(all, m.text)
	}
	return all
}

// span is a time through which a claim holds: what a memory is made of.
type span struct {
	claim *claim
	// edited is the memory whose text a person wrote, nil for any other.
	edited *stated
	// mentions are what is remembered of it, in order.
	mentions []*mention
	from     saidAt
	// until is what ended it, nil while it holds.
	until *ending
	// gone says that it ends others and is not remembered itself.
	gone bool
	// slip is what said that it was never so, nil if it was meant: it ends nothing.
	slip *request
}

// momentary says that it ended in the instant in which it began.
func (s *span) momentary() bool { return s.until != nil && s.until.at.at.Equal(s.from.at) }

// ending is how something came to hold no more.
type ending struct {
	at saidAt
	by *span
	// sources are the messages that said so.
	sources []int64
	// said is what said it in another course, nil for what did in its own.
	said *moment
}

// retained is a claim that a message ends or takes away no more, since a person said so.
type retained struct {
	scopeID int64
	hash    string
	message int64
}

// request is that something be forgotten.
type request struct {
	speaker
	topic
	sources []int64
	said    saidAt
	hash    string
	value   string
	// naming is what it is about by name, if it has a subject and no slot.
	naming naming
	// memories are those that went because of it in this change.
	memories []memoryID
	negated  bool
	// slip says that what it is about was never so.
	slip bool
	// negates says whether it means what is denied or what is affirmed of its slot, nil for both.
	negates *bool
	isNew   bool
	// lost says that no message makes it any more.
	lost bool
}

// verdicts are what decides beside the mentions themselves.
type verdicts struct {
	requests []*request
	retained map[retained]bool
}

func (v *verdicts) keeps(c *claim, sources []int64) bool {
	return slices.ContainsFunc(sources, func(id int64) bool {
		return slices.ContainsFunc(c.hashes, func(hash string) bool { return v.retained[retained{c.scopeID, hash, id}] })
	})
}

// forgets gives the request, if there is one, that a claim made at a time be forgotten: one
// made later, by who may ask it, before all others the first that says that it was a slip. What
// a person wrote is none.
func (v *verdicts) forgets(c *claim, at saidAt, written bool) *request {
	var found, slip *request
	for _, r := range v.requests {
		if r.lost || !r.heeds(c.speaker) || at.compare(r.said) >= 0 || !r.means(c) || v.keeps(c, r.sources) {
			continue
		}
		switch {
		case !r.slip:
			found = r
		case !written && r.takesBack(c, at) && (slip == nil || r.said.compare(slip.said) < 0):
			slip = r
		}
	}
	if slip != nil {
		return slip
	}
	return found
}

// moment is something in the course of a topic: a mention, or the start of what a person
// wrote.
type moment struct {
	// at is since when it holds, said when it was said.
	at, said saidAt
	claim    *claim
	mention  *mention
	edited   *stated
	// by is the claim that says that others are over, nil where it is one of the course.
	by *ender
}

func (m moment) compare(o moment) int {
	started := func(m moment) int {
		if m.edited != nil {
			return 0
		}
		return 1
	}
	return cmp.Or(m.at.compare(o.at), cmp.Compare(started(m), started(o)), strings.Compare(m.claim.hash, o.claim.hash))
}

func (m moment) sources() []int64 {
	if m.edited != nil {
		return m.edited.sources
	}
	return m.mention.sources
}

// course is what is folded of one topic of one speaker, or of one claim that has none.
type course struct {
	*verdicts
	spans []*span
	// current are those of the spans that hold.
	current []*span
	// passing are mentions of what was said and ended in the same instant, see pass.
	passing map[*mention]bool
}

// follow goes through all that was said about one topic, or several of one matter, in the order in which it was
// said or, for changes of years ago, in which they came about (see since.go), and gives the times through which each claim holds. It depends on what was said
// and on nothing else.
func (v *verdicts) follow(claims []*claim, enders []*ender) []*span {
	var moments []moment
	add := func(c *claim, by *ender) {
		for _, m := range c.mentions {
			moments = append(moments, moment{m.since(), m.said, c, m, nil, by})
		}
		if c.edited != nil {
			moments = append(moments, moment{c.edited.since, c.edited.place, c, nil, c.edited, by})
		}
	}
	for _, c := range claims {
		add(c, nil)
	}
	for _, e := range enders {
		add(e.claim, e)
	}
	slices.SortFunc(moments, moment.compare)
	f := &course{verdicts: v}
	f.run(moments)
	if passing := f.pass(); len(passing) > 0 {
		f = &course{verdicts: v, passing: passing}
		f.run(moments)
		f.attach(moments)
	}
	f.putRight()
	return f.spans
}

func (f *course) run(moments []moment) {
	for _, m := range moments {
		if m.by != nil {
			f.over(m)
			continue
		}
		if f.passing[m.mention] {
			continue
		}
		if s := f.take(m); s != nil && s.claim.slot != "" {
			f.end(m, s)
		}
	}
}

// pass gives the mentions of spans of no length whose claim has another by then: that it
// held once more for no time is nothing to remember, they are sources of that other. One that
// is alone stays, so that what was said is in the history.
func (f *course) pass() map[*mention]bool {
	passing := map[*mention]bool{}
	for i, s := range f.spans {
		if s.gone || s.edited != nil || !s.momentary() {
			continue
		}
		if slices.ContainsFunc(f.spans[:i], func(o *span) bool { return o.claim == s.claim && !o.gone }) ||
			slices.ContainsFunc(f.spans[i+1:], func(o *span) bool {
				return o.claim == s.claim && !o.gone && o.from.at.Equal(s.from.at) && !o.momentary()
			}) {
			for _, m := range s.mentions {
				passing[m] = true
			}
		}
	}
	return passing
}

// attach has mentions that pass be sources of their claim's memory: the latest that began
// before, else the first.
func (f *course) attach(moments []moment) {
	for _, m := range moments {
		if m.by != nil || !f.passing[m.mention] {
			continue
		}
		m.mention.forgottenBy = nil
		var to *span
		for _, s := range f.spans {
			if s.claim == m.claim && !s.gone && (to == nil || s.from.compare(m.at) < 0) {
				to = s
			}
		}
		if to != nil {
			to.mentions = append(to.mentions, m.mention)
			slices.SortFunc(to.mentions, (*mention).compare)
		}
	}
}

// take gives the span that a moment belongs to, nil if it has no effect on others.
func (f *course) take(m moment) *span {
	switch {
	case m.edited != nil:
		return f.start(m)
	case m.mention.writtenOver != nil:
		return f.underneath(m)
	}
	asked := f.forgets(m.claim, m.said, false)
	gone := m.mention.gone == goneDeleted
	if asked != nil && asked.slip {
		if !gone {
			f.slips(m, asked)
		}
		return nil // it was never so
	}
	if !gone {
		m.mention.forgottenBy, gone = asked, asked != nil
	}
	s := f.holding(m.claim, false)
	if gone {
		// It says again what holds, or what is as little remembered.
		if s == nil {
			s = f.holding(m.claim, true)
		}
		if s == nil {
			s = f.begin(m, true)
		}
		return s
	}
	if s == nil {
		s = f.begin(m, false)
	}
	s.mentions = append(s.mentions, m.mention)
	return s
}

// slips keeps what was said by mistake for as long as it stood: it ends nothing.
func (f *course) slips(m moment, r *request) {
	for _, s := range f.spans {
		if s.claim == m.claim && s.slip == r {
			s.mentions = append(s.mentions, m.mention)
			return
		}
	}
	f.spans = append(f.spans, &span{claim: m.claim, mentions: []*mention{m.mention}, from: m.at, slip: r, until: &ending{at: r.said, sources: r.sources}})
}

// putRight finds what was said in the place of each slip: the next that its speaker says of the
// matter in the message that corrects it.
func (f *course) putRight() {
	for _, s := range f.spans {
		if s.slip == nil || s.claim.slot == "" {
			continue
		}
		var right *mention
		for _, o := range f.spans {
			for _, m := range o.mentions {
				if r := s.slip.said; !o.gone && m.said.at.Equal(r.at) && m.said.session == r.session && m.said.position == r.position && m.said.part > r.part && (right == nil || m.said.part < right.said.part) {
					right, s.until.by = m, o
				}
			}
		}
	}
}

func (f *course) begin(m moment, gone bool) *span {
	s := &span{claim: m.claim, edited: m.edited, from: m.at, gone: gone}
	f.spans, f.current = append(f.spans, s), append(f.current, s)
	return s
}

// holding gives the latest span of a claim that holds.
func (f *course) holding(c *claim, gone bool) *span {
	for _, s := range slices.Backward(f.current) {
		if s.claim == c && s.gone == gone {
			return s
		}
	}
	return nil
}

// start is where what a person wrote begins to hold. It is what was said before in the
// same words, if that holds then and no person has changed it.
func (f *course) start(m moment) *span {
	m.edited.forgottenBy = f.forgets(m.claim, m.said, true)
	if m.edited.forgottenBy != nil {
		return f.begin(m, true)
	}
	before := f.holding(m.claim, false)
	s := f.begin(m, false)
	if before == nil || before.edited != nil || slices.ContainsFunc(before.mentions, func(n *mention) bool { return n.of != m.edited && n.touched() }) {
		return s
	}
	s.mentions = before.mentions
	is := func(other *span) bool { return other == before }
	f.spans, f.current = slices.DeleteFunc(f.spans, is), slices.DeleteFunc(f.current, is)
	for _, other := range f.spans {
		if other.until != nil && other.until.by == before {
			other.until.by = s
		}
	}
	return s
}

// underneath is a mention whose words a person replaced: it stays a source of those.
func (f *course) underneath(m moment) *span {
	for _, s := range f.spans {
		if s.edited != m.mention.writtenOver {
			continue
		}
		if s.gone {
			m.mention.forgottenBy = s.edited.forgottenBy
			return nil
		}
		s.mentions = append(s.mentions, m.mention)
		if s.until == nil {
			return s
		}
	}
	return nil
}

// end ends what no longer holds by what was said.
func (f *course) end(m moment, by *span) {
	kindred := f.meant(by.claim)
	f.current = slices.DeleteFunc(f.current, func(s *span) bool {
		ends := kindred(s) || by.claim.topic == s.claim.topic && !by.claim.ofWhich && by.claim.ends(s)
		if s == by || !ends || f.keeps(s.claim, m.sources()) {
			return false
		}
		s.until = &ending{at: m.at, by: by, sources: m.sources()}
		return true
	})
}

// ends says whether a claim, when it is made, ends a span of the same topic.
func (c *claim) ends(s *span) bool {
	switch {
	case c.negated && s.claim.negated:
		return false
	case c.negated:
		return c.value == "" || denies(c.slot, c.spelled, s.claim.spelled)
	case s.claim.negated:
		return s.claim.value == "" || s.claim.value == c.value
	}
	if s.claim.edited != nil && s.claim.value == "" {
		return c.value != "" // what a person wrote stands where something else was told
	}
	return contradicts(c.slot, s.claim.spelled, c.spelled)
}

// supersededBy gives what took the place of a span: the next that is remembered.
func (s *span) supersededBy() *span {
	for s.until != nil && s.until.by != nil {
		if s = s.until.by; !s.gone {
			return s
		}
	}
	return nil
}
