package llm

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memdhq/memd"
)

const (
	// maxFactBytes is how much of one fact is looked at.
	maxFactBytes = 4000
	// wellLocated is the share from which on a fact's category is that of its statement.
	wellLocated = 0.75
)

// judgement is what comes of a list of facts.
type judgement struct {
	candidates []memd.Candidate
	// found is how many facts were located.
	found int
	// verdicts are what became of each fact.
	verdicts []verdict
	// reachesEnd says that the last statement of the last passage that states anything,
	// by the rules, is among the candidates.
	reachesEnd bool
	// over says that there were too many, and what the rules keep was kept besides.
	over bool
}

// judge takes each fact for a choice of what the messages state: it is looked for in
// the messages it cites, else in all of the call, and what is kept is the statement
// that it is told by, in the words, of the speaker and with the sources, the slot and
// the date that the rules give it. So a fact that says something else than its source
// becomes what the source says, one that is of several messages becomes several, and
// several of one statement become one. What is in no statement is dropped; so that
// nothing is lost with it, what the messages it cites state by the rules takes its
// place, unless another fact is from there. What is no matter of choice is kept whatever the
// model lists: a request to forget, what puts an earlier message right, what denies something
// or says that it is over, and what its speaker asked to be remembered.
func (r *run) judge(facts []fact, ps []passage) judgement {
	out := judgement{verdicts: []verdict{}}
	var all []*place
	for i, p := range ps {
		for _, place := range r.placesIn(p) {
			place.at = i
			all = append(all, place)
		}
	}
	chosen := map[*place]bool{}
	category := map[*place]string{}
	fromHere := make([]bool, len(ps))
	missed := make([]bool, len(ps))
	for _, f := range facts {
		if r.ctx.Err() != nil {
			break
		}
		v, l, cited := r.find(f, ps, all)
		out.verdicts = append(out.verdicts, v)
		if l.share > 0 {
			out.found++
		}
		outside := l.share == 0
		for _, p := range l.places {
			if p.candidate.Forget {
				continue // that is kept without the model
			}
			outside = outside || len(cited) > 0 && !slices.Contains(cited, p.at)
			chosen[p], fromHere[p.at] = true, true
			for _, same := range near(all, cited) { // what is said again is said twice
				if same.candidate.Role == p.candidate.Role && normal(same.candidate.Text) == normal(p.candidate.Text) {
					chosen[same], fromHere[same.at] = true, true
				}
			}
			if len(l.places) == 1 && l.share >= wellLocated && category[p] == "" {
				category[p] = f.category
			}
		}
		if outside {
			for _, i := range cited {
				missed[i] = true
			}
		}
	}
	last := -1
	for n, p := range all {
		if p.kept && !p.candidate.Forget {
			last = n
			if missed[p.at] && !fromHere[p.at] && out.found > 0 {
				chosen[p] = true
			}
		}
	}
	for n, p := range all {
		out.reachesEnd = out.reachesEnd || chosen[p] && n >= last
		if !chosen[p] && !p.stands {
			continue
		}
		c := p.candidate
		c.Sources = slices.Clone(c.Sources)
		if label := category[p]; label != "" && len(c.Categories) == 0 {
			c.Categories = []string{label}
		}
		out.candidates = append(out.candidates, c)
	}
	return out
}

// find gives where a fact is told, and the passages it cites.
func (r *run) find(f fact, ps []passage, all []*place) (verdict, located, []int) {
	var cited []int
	for _, n := range f.cited {
		if n >= 1 && n <= len(ps) && !slices.Contains(cited, n-1) {
			cited = append(cited, n-1)
		}
	}
	text := head(f.text, maxFactBytes)
	if strings.ContainsRune(text, utf8.RuneError) {
		return garbled, located{}, cited
	}
	terms := termsOf(text)
	l := locate(terms, near(all, cited))
	if l.share == 0 {
		l = locate(terms, all)
	}
	switch {
	case l.share == 0:
		return unsupported, l, cited
	case !slices.ContainsFunc(l.places, func(p *place) bool { return !p.candidate.Forget }):
		return unwanted, l, cited
	}
	return kept, l, cited
}

// near gives the statements of the passages cited.
func near(all []*place, cited []int) []*place {
	var out []*place
	for _, p := range all {
		if slices.Contains(cited, p.at) {
			out = append(out, p)
		}
	}
	return out
}
