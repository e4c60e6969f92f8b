package extract

import (
	"slices"
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

// Periods gives the stretches of time that a question asked at a time, in its zone, names.
func Periods(question string, asked time.Time) (all []Period) {
	words := wordsOf(question)
	if asked.IsZero() || len(words) == 0 || len(words) > longestAsked {
		return nil
	}
	today := day(asked.Year(), asked.Month(), asked.Day())
	english := isEnglish(question)
	if english && !slices.ContainsFunc(words, timed) {
		return nil // as most questions are
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
	var before Period // the period that was read last, and where it ended
	end := -1
	for _, m := range read {
		p, ok := m.period()
		if !ok {
			continue
		}
		lead := leadOf(words, m)
		switch {
		case end >= 0 && (lead == "and" || lead == "to" || lead == "until" || lead == "till") && between(question[:m.start]) && !p.From.Before(before.From):
			all[len(all)-1] = Period{before.From, p.To} // "between May and July 2024"
		case lead == "since" || lead == "from" && strings.Contains(strings.ToLower(question[m.end:]), " on"):
			all = append(all, Period{p.From, time.Time{}})
		case lead == "after":
			all = append(all, Period{p.To, time.Time{}})
		case lead == "before" || lead == "until" || lead == "till":
			all = append(all, Period{time.Time{}, p.From})
		default:
			all = append(all, p)
		}
		before, end = p, m.end
	}
	return all
}

// timed says whether a word may be of a date.
func timed(w word) bool {
	low := strings.TrimSuffix(w.low, "'s")
	return low != "" && low[0] >= '0' && low[0] <= '9' || months[low] != 0 || seasons[low] != 0 || units[low] != "" || strings.HasSuffix(low, "day") || timeWords[low] || len(low) > 3 && weekdays[low] != 0
}

var timeWords = set(`yday tonite tonight yesterday tomorrow tmrw tmr tmrrw tomoz tommorow tommorrow tomorow night evening morning afternoon decade
	christmas xmas halloween thanksgiving nye eve valentine's valentines tues weds thur thurs fri`)

// between says whether what stands before a date opens a span of two.
func between(text string) bool {
	low := strings.ToLower(text)
	return strings.Contains(low, "between ") || strings.Contains(low, "from ")
}

// leadOf gives the word that says how a date is meant: its first, or the one before it.
func leadOf(words []word, m mention) string {
	first := slices.IndexFunc(words, func(w word) bool { return w.start >= m.start })
	if first < 0 {
		return ""
	}
	if low := words[first].low; bounding[low] {
		return low
	}
	for first > 0 {
		first--
		switch low := words[first].low; low {
		case "the", "early", "mid", "late", "of", "end", "beginning", "start":
		default:
			return low
		}
	}
	return ""
}

var bounding = set(`since after before until till from`)

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

// stretches reads what only questions name: "the last two weeks", "over the summer", "in spring
// 2023", "after Christmas".
func (r *reader) stretches() (all []mention) {
	for i := 0; i < len(r.words); {
		p, n := r.stretch(i)
		if n == 0 {
			i++
			continue
		}
		all = append(all, mention{start: r.words[i].start, end: r.words[i+n-1].end, stretch: p})
		i += n
	}
	return all
}

func (r *reader) stretch(i int) (Period, int) {
	tomorrow := r.today.AddDate(0, 0, 1)
	switch low := r.words[i].low; {
	case low == "last" || low == "past":
		v, n, few := r.number(min(i+1, len(r.words)-1))
		if i+1 >= len(r.words) {
			return Period{}, 0
		}
		prior := r.before(i)
		if n == 0 {
			// "the last week" ends today, "last week" is the one before this.
			if v = 1; prior != "the" && !(prior == "this" && low == "past") {
				return Period{}, 0
			}
		}
		if few {
			v = 4
		}
		from, ok := back(r.today, v, units[r.word(i+1+n)])
		if !ok {
			return Period{}, 0
		}
		return Period{from, tomorrow}, n + 2
	case seasons[low] != 0:
		n := 1
		if r.word(i+1) == "of" {
			n = 2
		}
		if year, k := r.year(i + n); k > 0 {
			return seasonOf(low, year), n + k
		}
		lead := r.before(i)
		if lead == "the" {
			lead = r.before(i - 1)
		}
		if !inSeasons[lead] || low == "fall" && r.before(i) != "the" && lead != "in" || r.word(i+1) != "" && !afterSeason[r.word(i+1)] {
			return Period{}, 0 // "the spring roll", "did I fall"
		}
		if _, willBe := r.tense(i); willBe && !past(r.words) {
			p := seasonOf(low, r.today.Year())
			if !p.To.After(r.today) {
				p = seasonOf(low, r.today.Year()+1)
			}
			return p, 1
		}
		p := seasonOf(low, r.today.Year())
		if p.From.After(r.today) {
			p = seasonOf(low, r.today.Year()-1)
		}
		return p, 1
	case beforeYear[low]:
		if year, n := r.year(i + 1); n > 0 {
			return Period{day(year, 1, 1), day(year+1, 1, 1)}, n + 1
		}
		if low != "after" && low != "during" {
			break
		}
		if f, n := r.feastNamed(i); n > 0 {
			on := f.in(r.today.Year())
			if on.After(r.today) {
				on = f.in(r.today.Year() - 1)
			}
			return Period{on, on.AddDate(0, 0, 1)}, n
		}
	}
	return Period{}, 0
}

var (
	beforeYear = set(`before until till after during from`)
	// inSeasons stand before a season of which the year is not told.
	inSeasons   = set(`in over during since before after until till`)
	afterSeason = set(`and or when while did do does was were is are with at on holidays holiday break vacation`)
)

// back goes a number of units back from a day.
func back(from time.Time, v int, unit string) (time.Time, bool) {
	switch unit {
	case "day":
		return from.AddDate(0, 0, -v), true
	case "week":
		return from.AddDate(0, 0, -7*v), true
	case "fortnight":
		return from.AddDate(0, 0, -14*v), true
	case "month":
		return from.AddDate(0, -v, 0), true
	case "year":
		return from.AddDate(-v, 0, 0), true
	case "decade":
		return from.AddDate(-10*v, 0, 0), true
	}
	return time.Time{}, false
}
