package llm

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
)

// maxFactRunes is the longest statement that is taken from a model, in characters.
const maxFactRunes = 400

// nowhere stands among the refused for a fact that cites no passage.
const nowhere = -1

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
		stands, v := r.candidatesOf(f, ps, cited)
		r.client.metrics.judged(v, 1)
		switch {
		case v == kept:
			candidates = append(candidates, stands...)
		case v == unwanted:
		case len(cited) == 0:
			refused = append(refused, nowhere)
		default:
			refused = append(refused, cited...)
		}
	}
	slices.Sort(refused)
	return candidates, slices.Compact(refused)
}

// candidatesOf gives the statements of a fact, or why it does not stand. Who says so
// is the speaker of the last cited passage that has something of it which the others
// before do not: of a question and its answer that is the answer.
func (r *run) candidatesOf(f fact, ps []passage, cited []int) ([]memd.Candidate, verdict) {
	aside, text := thirdPerson(f.text)
	text = extract.Clean(text)
	switch {
	case len(cited) == 0, len(cited) > maxCited:
		return nil, uncited
	case utf8.RuneCountInString(text) > maxFactRunes:
		return nil, overlong
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
	if len(own) == 0 || !supports(own, near, text) {
		return nil, unsupported
	}
	if !r.statesSomething(speaker) {
		return nil, unstated
	}
	var ruled []memd.Candidate
	for _, p := range sources {
		ruled = append(ruled, r.byRules(p)...)
	}
	if asksToForget(ruled, text) {
		return nil, unwanted
	}
	m := r.said[speaker.at].message
	var stated []memd.Candidate
	if aside {
		stated = wordsFor(text, m.Role, ruled)
	} else {
		// The rules tidy the text, read slot and date from it, and drop what is no statement.
		stated = r.applyRules(extract.Input{Messages: []memd.Message{{
			Role: m.Role, Name: m.Name, Text: text, CreatedAt: m.CreatedAt, Timezone: m.Timezone,
		}}})
	}
	if len(stated) == 0 {
		return nil, unstated
	}
	for i := range stated {
		c := &stated[i]
		if strings.EqualFold(c.Subject, m.Name) {
			c.Subject = "" // who speaks, by name
		}
		switch {
		case c.Forget:
			return nil, unwanted
		case contradicted(c, ruled):
			return nil, misattributed
		}
		c.Sources = nil
		for _, p := range sources {
			c.Sources = append(c.Sources, r.said[p.at].message.ID)
		}
		c.SaidAt = r.said[sources[0].at].message.CreatedAt
		if f.category != "" && !slices.Contains(c.Categories, f.category) {
			c.Categories = append(slices.Clone(c.Categories), f.category)
		}
		if c.OccurredAt == nil && plausible(f.date, m) {
			c.OccurredAt = f.date
		}
	}
	return stated, kept
}

// asksToForget says whether a statement is what its sources ask to be forgotten.
func asksToForget(ruled []memd.Candidate, text string) bool {
	for _, c := range ruled {
		if !c.Forget {
			continue
		}
		asked, stated := bag(c.Text), bag(text)
		if share([]*evidence{&asked}, termsOf(text)) == 1 || share([]*evidence{&stated}, termsOf(c.Text)) == 1 {
			return true
		}
	}
	return false
}

// contradicted says whether the rules read the same of the sources as said of somebody
// else, or as denied where it is stated or stated where it is denied.
func contradicted(c *memd.Candidate, ruled []memd.Candidate) bool {
	against := false
	for _, r := range ruled {
		if r.Slot == "" || r.Slot != c.Slot || !strings.EqualFold(r.Value, c.Value) || r.Role != c.Role {
			continue
		}
		if r.Subject == c.Subject && r.Negated == c.Negated {
			return false
		}
		against = true
	}
	return against
}

// opening is that of a statement as a model makes it of who speaks.
var opening = regexp.MustCompile(`(?i)^\W*(?:the\s+)?(?:user|speaker|human|assistant)(?:['’]s)?\s+`)

// thirdPerson says whether a model says something of who speaks as of another, and what.
func thirdPerson(text string) (aside bool, what string) {
	if m := opening.FindStringIndex(text); m != nil {
		return true, text[m[1]:]
	}
	return false, text
}

// wordsFor gives the speaker's own words for what a model says of them in the third
// person, nil if there are none that say all of it.
func wordsFor(text string, role memd.Role, ruled []memd.Candidate) []memd.Candidate {
	terms := termsOf(text)
	for _, c := range ruled {
		said := bag(c.Text)
		if c.Role == role && !c.Forget && share([]*evidence{&said}, terms) == 1 {
			return []memd.Candidate{c}
		}
	}
	return nil
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
		terms := termsOf(s.Text)
		if share([]*evidence{&held}, terms) < enough || slices.ContainsFunc(terms, func(t term) bool { return t.exact && !held.has(t) }) {
			out = append(out, s)
		}
	}
	return out
}
