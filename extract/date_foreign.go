package extract

import (
	"slices"
	"strings"
	"time"
)

// The days next to today in other languages: what leaves no doubt there without grammar.

// foreignDays are those words by language, with the days they are from today.
var foreignDays = map[string]map[string]int{
	"es": {"anteayer": -2, "ayer": -1, "hoy": 0, "mañana": 1},
	"fr": {"avant-hier": -2, "hier": -1, "aujourd'hui": 0, "demain": 1, "après-demain": 2},
	"de": {"vorgestern": -2, "gestern": -1, "heute": 0, "morgen": 1, "übermorgen": 2},
	"pt": {"anteontem": -2, "ontem": -1, "hoje": 0, "amanhã": 1},
	"it": {"ieri": -1, "oggi": 0, "domani": 1, "dopodomani": 2},
	"nl": {"eergisteren": -2, "gisteren": -1, "vandaag": 0, "morgen": 1, "overmorgen": 2},
}

// notBefore are words before which, or behind which, one of these is a part of the day or no
// day at all: "por la mañana", "guten Morgen", "de hoy en adelante".
var notBefore = set(`la esta cada por una guten goeden jeden am der vom de d las heute gestern`)

// denseDays are the words of scripts that part no words by blanks; the longer come first.
var denseDays = []struct {
	word string
	days int
}{
	{"一昨日", -2}, {"明後日", 2}, {"大前天", -3}, {"大后天", 3}, {"大後天", 3}, {"昨天", -1}, {"今天", 0}, {"明天", 1}, {"前天", -2}, {"后天", 2}, {"後天", 2}, {"昨日", -1}, {"今日", 0}, {"明日", 1},
	{"أمس", -1}, {"غداً", 1}, {"غدًا", 1}, {"غدا", 1},
}

// foreignMentions gives what a sentence that is not English tells of the days next to
// the day it was said on.
func foreignMentions(text string, said time.Time) []mention {
	if said.IsZero() {
		return nil
	}
	today := day(said.Year(), said.Month(), said.Day())
	var out []mention
	add := func(start, end, days int) {
		if !slices.ContainsFunc(out, func(m mention) bool { return start < m.end && m.start < end }) {
			m := onDay(today.AddDate(0, 0, days))
			m.start, m.end = start, end
			out = append(out, m)
		}
	}
	out = foreignCounted(text, said)
	words := wordsOf(text)
	known := foreignDays[languageOf(words)]
	for i, w := range words {
		days, ok := known[w.low]
		if !ok || i > 0 && (notBefore[words[i-1].low] || w.capital) || i+1 < len(words) && w.low == "hoy" && words[i+1].low == "en" {
			continue // "hoy en día", the German "Morgen"
		}
		start := w.start
		if i > 0 && text[words[i-1].end:w.start] == "-" { // "avant-hier"
			if days, ok = known[words[i-1].low+"-"+w.low]; !ok {
				continue
			}
			start = words[i-1].start
		}
		add(start, w.end, days)
	}
	for _, d := range denseDays {
		if at := strings.Index(text, d.word); at >= 0 {
			add(at, at+len(d.word), d.days)
		}
	}
	return out
}
