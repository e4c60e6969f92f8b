package llm

import (
	"strings"

	"github.com/memdhq/memd"
)

const (
	// enough is the share of what a fact is made of that has to be found in the
	// statements it is taken to be told by.
	enough = 0.4
	// adds is the least weight by which a further statement has to add to it.
	adds = weightOfWord
	// maxTerms is how many terms of a fact are looked for: all that one has room for.
	maxTerms = maxFactBytes / 2
)

// place is a statement of a passage, in its speaker's words as the rules read them.
type place struct {
	at        int // of the passage in the call
	candidate memd.Candidate
	// kept says that the rules keep it, too; else they leave it.
	kept bool
	// stands says that it is stored whatever the model chooses.
	stands bool
	// held is what it is made of.
	held *evidence
	// size is how many terms it has.
	size int
}

// placesIn gives the statements of a passage: those the rules keep, and what they
// leave beside them. A fact in the words that a speaker put right is of what is right.
func (r *run) placesIn(p passage) []*place {
	if known, ok := r.places[p]; ok {
		return known
	}
	all := r.sift(p)
	var said strings.Builder
	forgets := false
	for _, s := range all {
		if s.Kept {
			said.WriteString(" " + normal(s.Text) + " ")
			forgets = forgets || s.Forget
		}
	}
	var out []*place
	m := r.said[p.at].message
	chosen := task(m) != "" // by who asked for it
	for _, s := range all {
		if !s.Kept && (forgets || strings.Contains(said.String(), " "+normal(s.Text)+" ")) {
			continue
		}
		out = append(out, &place{
			candidate: s.Candidate, kept: s.Kept, stands: s.Stands || (s.Ends || s.Kept && s.Ordered) && !chosen,
			held: newEvidence(s.Text + "\n" + m.Name + "\n" + s.Was), size: len(termsOf(s.Text)),
		})
	}
	r.places[p] = out
	return out
}

// located is where a fact was found.
type located struct {
	places []*place
	// share is how much of it was.
	share float64
}

// locate finds the statements that a fact is made of: those that hold most of what is
// left of it, one by one, as few and as small as there are. Which words are found says
// only what is meant; what it says stands in the statement.
func locate(terms []term, in []*place) located {
	if len(terms) > maxTerms {
		terms = terms[:maxTerms]
	}
	var whole, found float64
	for _, t := range terms {
		whole += t.weight
	}
	var out located
	open := terms
	for len(open) > 0 {
		var best *place
		most := 0.0
		for _, p := range in {
			weight := 0.0
			for _, t := range open {
				if p.held.has(t) {
					weight += t.weight
				}
			}
			if weight > most || weight == most && best != nil && p.before(best) {
				best, most = p, weight
			}
		}
		if best == nil || most < adds && len(out.places) > 0 {
			break
		}
		out.places = append(out.places, best)
		found += most
		var rest []term
		for _, t := range open {
			if !best.held.has(t) {
				rest = append(rest, t)
			}
		}
		open = rest
	}
	if whole == 0 || found < enough*whole {
		return located{}
	}
	out.share = found / whole
	return out
}

// before says whether a statement is to be taken before one that holds as much.
func (p *place) before(o *place) bool {
	if p.kept != o.kept {
		return p.kept
	}
	return p.size < o.size
}
