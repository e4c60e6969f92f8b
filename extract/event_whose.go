package extract

import (
	"strings"
)

// "The exam was moved to Friday" tells of whose exam was told just before: an event without an owner is
// that of the one whose it was, and the speaker's only where nobody else's was spoken of.

// ownedEvent says that an event is the speaker's.
var ownedEvent = english(`\b(?:my|our|i|we|i'm|i've|we're|we've|me|us)\b`)

// meantWhose gives an event that is told of nobody to whom the last event of that name was of.
func (g *grouping) meantWhose(text string, a about) about {
	if !strings.HasPrefix(a.name, "date:") || a.subject != "" || g.shallow || ownedEvent.MatchString(text) {
		return a
	}
	last := statement{}
	for i := len(g.out) - 1; i >= 0 && last.slot.name != a.name; i-- {
		last = g.out[i]
	}
	if last.slot.name != a.name {
		if from, told, _ := g.own(g.ctx, g.message); from != nil {
			last = told
		}
	}
	if last.slot.name == a.name && last.slot.subject != "" && !last.slot.negated {
		a.subject = last.slot.subject
	}
	return a
}

// Unowned says whether an ending moves an event without saying whose it is: where several have one, it
// is not told which.
func (e Ending) Unowned() bool { return e.kind == anotherTime && !e.own && !e.named }
