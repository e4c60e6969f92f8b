package longterm

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/lexical"
)

// "We sold the Volvo" ends "our old Volvo V70 needs new brake pads", which has no slot, or another.
// What says that something is over (extract.EndingOf) ends what the same speaker said before of the same
// thing, by its words. Each takes part in the courses of all that it may end, and has its own course
// beside; so what ends what depends on what was said, and in which order, alone.

// ender is a claim that says that something is over.
type ender struct {
	claim *claim
	extract.Ending
	// ends are the claims that are over by it.
	ends map[*claim]bool
}

// text gives the words that a claim is read by.
func (c *claim) text() string { return c.texts()[0] }

// first is when a claim was first made.
func (c *claim) first() saidAt {
	if len(c.mentions) > 0 {
		return c.mentions[0].said
	}
	return c.edited.since
}

// endersOf gives those of claims that say that something is over, with what of the others that is.
func endersOf(claims []*claim) (all []*ender) {
	for _, c := range claims {
		if c.slot == "" || c.role == string(memd.RoleAssistant) {
			continue
		}
		if e, ok := extract.EndingOf(c.text()); ok {
			all = append(all, &ender{c, e, map[*claim]bool{}})
		}
	}
	for _, e := range all {
		// Of which of two it is that a noun alone says to be over ("the car") is not told.
		called := map[string]bool{}
		for _, c := range claims {
			if c == e.claim || c.speaker != e.claim.speaker || c.first().compare(e.claim.first()) >= 0 || !e.Names(c.text()) || !slices.Contains(extract.EndSlots(c.text()), e.claim.slot) {
				continue
			}
			if which, ok := e.Ends(c.text(), c.slot, c.subject); ok {
				e.ends[c] = true
				if which != "" {
					called[which] = true
				}
			}
		}
		if len(called) > 1 {
			clear(e.ends)
			e.claim.ofWhich = e.Unowned()
		}
	}
	return slices.DeleteFunc(all, func(e *ender) bool { return len(e.ends) == 0 })
}

// concerning gives those that say of one of some claims that it is over.
func concerning(all []*ender, claims []*claim) []*ender {
	return slices.DeleteFunc(slices.Clone(all), func(e *ender) bool {
		return !slices.ContainsFunc(claims, func(c *claim) bool { return e.ends[c] })
	})
}

// over ends what is over by what was said, unless that was a slip.
func (f *course) over(m moment) {
	if m.mention != nil {
		if m.mention.writtenOver != nil {
			return
		}
		if asked := f.forgets(m.claim, m.said, false); asked != nil && asked.slip {
			return
		}
	}
	f.current = slices.DeleteFunc(f.current, func(s *span) bool {
		if !m.by.ends[s.claim] || f.keeps(s.claim, m.sources()) {
			return false
		}
		s.until = &ending{at: m.at, sources: m.sources(), said: &m}
		return true
	})
}

// nameEnders finds the spans of what said that others are over.
func (c *change) nameEnders() {
	for _, s := range c.spans {
		if s.until == nil || s.until.said == nil {
			continue
		}
		for _, o := range c.spans {
			if o.claim == s.until.said.claim && !o.gone && (o.edited != nil && o.edited == s.until.said.edited || slices.Contains(o.mentions, s.until.said.mention)) {
				s.until.by = o
				break
			}
		}
	}
}

// over wants what may say that a text is over, and what a text may say to be over, as far as it was
// said before.
func (w *wanting) over(key []byte, role, text string, said time.Time) {
	if role == string(memd.RoleAssistant) || !w.first("over"+text, string(key), said.String()) {
		return
	}
	for _, slot := range extract.EndSlots(text) {
		w.slot(key, slot)
	}
	e, ok := extract.EndingOf(text)
	if !ok {
		return
	}
	for _, head := range e.Heads() {
		terms, _ := lexical.Terms(head)
		for _, t := range terms {
			w.spoken.keys, w.spoken.terms, w.spoken.before = append(w.spoken.keys, key), append(w.spoken.terms, t.Hash), append(w.spoken.before, said)
		}
	}
	w.endings = append(w.endings, e)
}

// scanSpoken reads namedSelect: what has a word of something that is over.
func (c *change) scanSpoken(endings []extract.Ending) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var id memoryID
		var scope int64
		var text, subject string
		_, err := pgx.ForEachRow(rows, []any{&id, &scope, &text, &subject}, func() error {
			if slices.ContainsFunc(endings, func(e extract.Ending) bool { return e.Names(text) }) {
				c.wanted.memory(id)
			}
			return nil
		})
		return err
	}
}
