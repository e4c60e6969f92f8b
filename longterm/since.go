package longterm

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Some tell of a change that lies years back: "I moved to Hamburg in 2010". What is so since
// then is history where something later is known, whichever of both was told first. So a
// change of years ago takes its place in the course of its topic by its year. What is of this
// year or the last is as of when it was said: a year alone does not tell it from what else was
// said then.

const (
	// changes are verbs by which somebody tells that something began or ended.
	changes  = `(?:moved|relocated|settled|emigrated|immigrated|joined|started|began|became|got|was|were|left|quit|retired|resigned|graduated|finished|changed|switched|met|married|divorced|separated|broke|split|promoted|hired|fired|laid)`
	inYear   = `(?:in|around|since)\s+(?:(?:early|late|mid|the summer of|the winter of|the spring of|the autumn of|the fall of|january|february|march|april|may|june|july|august|september|october|november|december)[\s-]+)?((?:19|20)\d\d)\b`
	noPauses = `[^,;:.!?]{0,80}?`
)

var (
	// changedIn tells of a change and its year, inYearChanged the other way round.
	changedIn     = regexp.MustCompile(`(?i)\b` + changes + `\b` + noPauses + `(?:\b` + inYear + `|\bago \(((?:19|20)\d\d)\b)`)
	inYearChanged = regexp.MustCompile(`(?i)(?:^|\s)` + inYear + `,?\s(?:[\pL']+\s){1,4}?` + changes + `\b[^,;:.!?]*`)
)

// lasts are slots of what begins once and lasts until something else takes its place.
var lasts = map[string]bool{"home": true, "work": true, "role": true, "studies": true, "marital status": true, "partner": true}

// since says from when on a mention holds: since it was said, or since the year in which, it
// says, that began.
func (m *mention) since() saidAt {
	at := m.said
	if year := m.changeYear(); year != 0 && year < at.at.Year()-1 {
		at.at = time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC)
		if m.occurredAt != nil && m.occurredAt.Year() == year {
			at.at = m.occurredAt.UTC()
		}
	}
	return at
}

// changeYear gives the year of the change that a mention tells of, 0 for none.
func (m *mention) changeYear() int {
	if !lasts[m.slot] || !strings.Contains(m.text, "19") && !strings.Contains(m.text, "20") {
		return 0
	}
	for _, form := range []*regexp.Regexp{changedIn, inYearChanged} {
		g := form.FindStringSubmatch(m.text)
		if g == nil || !strings.Contains(strings.ToLower(g[0]), strings.ToLower(m.value)) {
			continue
		}
		year, _ := strconv.Atoi(cmp.Or(g[1:]...))
		return year
	}
	return 0
}
