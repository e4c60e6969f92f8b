package llm

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
)

// maxFactRunes is the longest statement that is taken from a model, in characters.
const maxFactRunes = 400

// judge holds each fact against the passages it cites and gives those that stand, and
// the passages, by their index, of which some did not.
func (r *run) judge(facts []fact, ps []passage) (candidates []memd.Candidate, refused []int) {
	for _, f := range facts {
		var cited []int
		for _, n := range f.cited {
			if n >= 1 && n <= len(ps) {
				cited = append(cited, n-1)
			}
		}
		slices.Sort(cited)
		cited = slices.Compact(cited)
		stands := r.candidatesOf(f, ps, cited)
		if len(stands) == 0 {
			refused = append(refused, cited...)
		}
		candidates = append(candidates, stands...)
	}
	slices.Sort(refused)
	return candidates, slices.Compact(refused)
}

// candidatesOf gives the statements of a fact, none if it does not stand. Who says so
// is the speaker of the last cited passage that has something of it which the others
// before do not: of a question and its answer that is the answer.
func (r *run) candidatesOf(f fact, ps []passage, cited []int) []memd.Candidate {
	text := extract.Clean(f.text)
	if len(cited) == 0 || len(cited) > maxCited || utf8.RuneCountInString(text) > maxFactRunes {
		return nil
	}
	terms := termsOf(text)
	known := map[string]bool{}
	var own, near []*evidence
	var sources []passage
	var speaker passage
	for _, i := range cited {
		e := r.evidenceOf(ps[i].text)
		bears, adds := false, false
		for _, t := range terms {
			if e.has(t) {
				bears, adds = true, adds || !known[t.text]
				known[t.text] = true
			}
		}
		if !bears {
			continue
		}
		if adds {
			speaker = ps[i]
		}
		sources = append(sources, ps[i])
		own = append(own, e)
		near = append(near, r.neighbours(ps[i])...)
	}
	if len(own) == 0 || !supports(own, near, text) || !r.statesSomething(speaker) {
		return nil
	}
	m := r.said[speaker.at].message
	// The rules tidy the text, read slot and date from it, and drop what is no statement.
	stated := r.applyRules(extract.Input{Messages: []memd.Message{{
		Role: m.Role, Name: m.Name, Text: text, CreatedAt: m.CreatedAt, Timezone: m.Timezone,
	}}})
	for i := range stated {
		c := &stated[i]
		c.Sources = nil
		for _, p := range sources {
			c.Sources = append(c.Sources, r.said[p.at].message.ID)
		}
		c.SaidAt = r.said[sources[0].at].message.CreatedAt
		if f.category != "" {
			c.Categories = []string{f.category}
		}
		if c.OccurredAt == nil && plausible(f.date, m) {
			c.OccurredAt = f.date
		}
	}
	return stated
}

// plausible says whether a date is worth keeping: within a lifetime, and not merely the
// day of the message, which models write where they know none.
func plausible(date *time.Time, m *memd.Message) bool {
	if date == nil {
		return false
	}
	said := m.CreatedAt.UTC()
	if zone, err := time.LoadLocation(m.Timezone); err == nil {
		said = said.In(zone)
	}
	return date.Format(time.DateOnly) != said.Format(time.DateOnly) &&
		(said.IsZero() || date.Year() > said.Year()-120 && date.Year() < said.Year()+120)
}

// neighbours gives what a passage may lean on: the names of who speaks, and the two
// utterances before it or the part of its own before it.
func (r *run) neighbours(p passage) []*evidence {
	u := r.said[p.at]
	out := []*evidence{r.evidenceOf(u.message.Name)}
	if p.from > 0 {
		out = append(out, r.evidenceOf(tail(u.text[:p.from], 400)))
	}
	for i := max(0, p.at-2); i < p.at; i++ {
		out = append(out, r.evidenceOf(r.said[i].text))
	}
	return out
}

func (r *run) evidenceOf(text string) *evidence {
	e := r.evidence[text]
	if e == nil {
		e = newEvidence(text)
		r.evidence[text] = e
	}
	return e
}

// statesSomething says whether a passage can be a source at all. One that only asks or
// commands is none, unless a user speaks of themself in it: "Prove that …" tells
// nothing of the user, "Find a hotel for my honeymoon in Rome" does.
func (r *run) statesSomething(p passage) bool {
	if r.said[p.at].message.Role == memd.RoleUser && firstPerson.MatchString(p.text) {
		return true
	}
	return len(r.byRules(p)) > 0
}

// uncovered gives the statements of one message that the candidates do not hold already.
func uncovered(statements, candidates []memd.Candidate) []memd.Candidate {
	if len(statements) == 0 {
		return nil
	}
	var texts []string
	for _, c := range candidates {
		if slices.Contains(c.Sources, statements[0].Sources[len(statements[0].Sources)-1]) {
			texts = append(texts, c.Text)
		}
	}
	held := bag(strings.Join(texts, "\n"))
	var out []memd.Candidate
	for _, s := range statements {
		if share([]*evidence{&held}, termsOf(s.Text)) < enough {
			out = append(out, s)
		}
	}
	return out
}
