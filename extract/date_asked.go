package extract

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// What a question names of time, told from when it is asked: "last summer", "two weeks ago",
// "since Christmas". The dates are read as those of statements are; a question speaks of
// stretches of time as well, and leaves an end of them open.

// Period is a stretch of time that a question names, in calendar days of the zone it is asked
// in, kept as midnight UTC as the days of statements are: from From on and before To, each zero
// where it is open.
type Period struct{ From, To time.Time }

// Has says whether a day is in the period.
func (p Period) Has(day time.Time) bool {
	return !day.Before(p.From) && (p.To.IsZero() || day.Before(p.To))
}

// Length is how long the period is, 0 where an end is open.
func (p Period) Length() time.Duration {
	if p.From.IsZero() || p.To.IsZero() {
		return 0
	}
	return p.To.Sub(p.From)
}

// longestAsked bounds the words of a question that are read for times.
const longestAsked = 80

// Periods gives the stretches of time that a question asked at a time, in its zone, names, and
// what of the question is not about those.
func Periods(question string, asked time.Time) (all []Period, rest string) {
	words := wordsOf(question)
	if asked.IsZero() || len(words) == 0 || len(words) > longestAsked {
		return nil, question
	}
	today := day(asked.Year(), asked.Month(), asked.Day())
	english := isEnglish(question)
	if english && !slices.ContainsFunc(words, timed) {
		return nil, question // as most questions are
	}
	read := mentions(question, asked, english)
	if english {
		r := reader{text: question, words: words, said: asked, today: today}
		r.able = len(words)
		r.cutClauses()
		stretches := r.stretches()
		// A stretch is read before what stands in it: "the last two years".
		read = slices.DeleteFunc(read, func(m mention) bool {
			return slices.ContainsFunc(stretches, func(s mention) bool { return m.start < s.end && s.start < m.end })
		})
		read = append(read, stretches...)
		slices.SortStableFunc(read, func(a, b mention) int { return a.start - b.start })
	}
	var left strings.Builder
	done := 0
	var before Period // the period that was read last, and where it ended
	end := -1
	for _, m := range read {
		p, ok := m.period()
		if !ok {
			continue
		}
		if m.start >= done {
			left.WriteString(question[done:m.start] + " ")
			done = m.end
		}
		lead, at := leadOf(words, m)
		beside, ok := p.beside(words, at)
		switch {
		case ok:
			all = append(all, beside)
		case end >= 0 && (lead == "and" || lead == "to" || lead == "until" || lead == "till") && between(question[:m.start]) && !p.From.Before(before.From):
			all[len(all)-1] = Period{before.From, p.To} // "between 3 May and 7 July 2024"
		case lead == "since" || lead == "from" && strings.Contains(strings.ToLower(question[m.end:]), " on"):
			all = append(all, Period{p.From, time.Time{}})
		case lead == "after":
			all = append(all, Period{p.To, time.Time{}})
		case lead == "before" || lead == "until" || lead == "till":
			all = append(all, Period{time.Time{}, p.From})
		case lead == "around" || lead == "about":
			wider := max(p.Length()/2, 4*24*time.Hour)
			all = append(all, Period{p.From.Add(-wider).Truncate(24 * time.Hour), p.To.Add(wider).Truncate(24 * time.Hour)})
		default:
			all = append(all, p)
		}
		before, end = p, m.end
	}
	left.WriteString(question[done:])
	return all, left.String()
}

// beside gives what is next to a period by the words before it, of which the one at says on which
// side: "the day before", "two weeks after".
func (p Period) beside(words []word, at int) (Period, bool) {
	if at < 2 || words[at].low != "before" && words[at].low != "after" {
		return Period{}, false
	}
	unit, v := units[words[at-1].low], 1
	if counted, ok := numbers[words[at-2].low]; ok {
		v = counted
	} else if figure, err := strconv.Atoi(words[at-2].low); err == nil && figure < 100 {
		v = figure
	} else if words[at-2].low != "the" {
		return Period{}, false
	}
	if words[at].low == "before" {
		from, ok := back(p.From, v, unit)
		return Period{from, p.From}, ok
	}
	to, ok := back(p.To, -v, unit)
	return Period{p.To, to}, ok
}

// timed says whether a word may be of a date.
func timed(w word) bool {
	low := strings.TrimSuffix(w.low, "'s")
	return low != "" && low[0] >= '0' && low[0] <= '9' || months[low] != 0 || seasons[low] != 0 || units[low] != "" || strings.HasSuffix(low, "day") || timeWords[low] || len(low) > 3 && weekdays[low] != 0
}

var timeWords = set(`yday tonite tonight yesterday tomorrow tmrw tmr tmrrw tomoz tommorow tommorrow tomorow night evening morning afternoon decade
	christmas xmas halloween thanksgiving nye eve valentine's valentines tues weds thur thurs fri
	quarter recently lately recent easter holidays q1 q2 q3 q4 h1 h2 nineties eighties seventies sixties`)

// between says whether what stands before a date opens a span of two.
func between(text string) bool {
	low := strings.ToLower(text)
	return strings.Contains(low, "between ") || strings.Contains(low, "from ")
}

// leadOf gives the word that says how a date is meant, its first or the one before it, and the
// place of that.
func leadOf(words []word, m mention) (string, int) {
	first := slices.IndexFunc(words, func(w word) bool { return w.start >= m.start })
	if first < 0 {
		return "", -1
	}
	switch low := words[first].low; {
	case low == "from" || low == "between": // both ends are in it
		return "", -1
	case bounding[low]:
		return low, first
	}
	for first > 0 {
		first--
		switch low := words[first].low; low {
		case "the", "early", "mid", "late", "of", "end", "beginning", "start":
		default:
			return low, first
		}
	}
	return "", -1
}

var bounding = set(`since after before until till`)

// period gives the days that a mention is of.
func (m mention) period() (Period, bool) {
	if m.stretch != (Period{}) {
		return m.stretch, true
	}
	first := m.when.time
	switch m.when.grain {
	case byMinute:
		first = day(first.Year(), first.Month(), first.Day())
		return Period{first, first.AddDate(0, 0, 1)}, true
	case byDay:
		if strings.HasPrefix(m.note, "weekend of ") {
			return Period{first, first.AddDate(0, 0, 2)}, true
		}
		return Period{first, first.AddDate(0, 0, 1)}, true
	case byWeek:
		return Period{first, first.AddDate(0, 0, 7)}, true
	case byMonth:
		return Period{first, first.AddDate(0, 1, 0)}, true
	case byYear:
		return Period{first, first.AddDate(1, 0, 0)}, true
	}
	return Period{}, false
}

// seasonOf is the three months of a season that begins in a year.
func seasonOf(name string, year int) Period {
	first := day(year, seasons[name], 1)
	return Period{first, first.AddDate(0, 3, 0)}
}
