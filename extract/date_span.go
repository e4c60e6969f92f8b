package extract

import (
	"strings"
	"time"
)

// Days from one to another: "4-18 April 2027", "from June 4 to July 2", "12 and 13 June".

// span reads several days of a month or two. They are on the first; where something was
// moved from one to the other, it is on the last.
func (r *reader) span(i int) (mention, int) {
	if r.recurring {
		return mention{}, 0
	}
	first, n := r.spanDay(i)
	if n == 0 {
		return mention{}, 0
	}
	join, k := r.joins(i + n)
	if join == "" {
		return mention{}, 0
	}
	n += k
	last, k := r.spanDay(i + n)
	switch {
	case k == 0, first.month == 0 && last.month == 0, join == "and" && first.month != 0 && last.month != 0:
		return mention{}, 0
	}
	behind := r.word(i + n + k)
	n += k
	year, k := r.year(i + n)
	n += k
	switch {
	case last.month == 0: // "June 4-18"
		if k == 0 && behind != "" && !afterDay[behind] {
			return mention{}, 0 // "May 5 to 10 guests"
		}
		last.month = first.month
	case first.month == 0:
		first.month = last.month
	}
	if first.month == last.month && first.day >= last.day {
		return mention{}, 0
	}
	told := k > 0
	if !told {
		year, _ = r.yearOf(i, first.month, first.day)
	} else if first.month > last.month {
		year--
	}
	from, to := day(year, first.month, first.day), day(year, last.month, last.day)
	if first.month > last.month {
		to = day(year+1, last.month, last.day)
	}
	if from.Day() != first.day || to.Day() != last.day {
		return mention{}, 0
	}
	if join == "to" && r.leftBehind(i) {
		if first.month != last.month || r.words[i].low != first.word {
			return mention{}, 0 // each is read by itself
		}
		from, join = to, ""
	}
	m := mention{when: moment{from, byDay}, stretch: Period{from, to.AddDate(0, 0, 1)}}
	if !told {
		m.note = from.Format("2006-01-02")
		if join != "" {
			m.note += " " + join + " " + to.Format("2006-01-02")
		}
	}
	return m, n
}

// spanned is a day of a span; its month may be told with the other one.
type spanned struct {
	day   int
	month time.Month
	word  string // the day as written
}

// spanDay reads "4", "4th of April", "April 4".
func (r *reader) spanDay(i int) (spanned, int) {
	if i >= len(r.words) {
		return spanned{}, 0
	}
	if m, ok := r.month(i); ok {
		if d, isDay := dayOf(r.word(i + 1)); isDay {
			return spanned{d, m, r.word(i + 1)}, 2
		}
		return spanned{}, 0
	}
	d, isDay := dayOf(r.words[i].low)
	if !isDay || strings.HasPrefix(r.text[r.words[i].end:], ":") {
		return spanned{}, 0
	}
	n := 1
	if r.word(i+1) == "of" {
		n = 2
	}
	if m, ok := r.month(i + n); ok && r.word(i+n) != "" {
		return spanned{d, m, r.words[i].low}, n + 1
	}
	return spanned{d, 0, r.words[i].low}, 1
}

// joins reads what stands between the days of a span, before word i: a dash, or one of
// the n words that it takes; "" if they are no span.
func (r *reader) joins(i int) (join string, n int) {
	if i >= len(r.words) {
		return "", 0
	}
	switch strings.TrimSpace(r.text[r.words[i-1].end:r.words[i].start]) {
	case "-", "–", "—":
		return "to", 0
	}
	switch r.word(i) {
	case "to", "till", "until", "through":
		join = "to"
	case "and":
		join = "and"
	default:
		return "", 0
	}
	if r.word(i+1) == "the" {
		return join, 2
	}
	return join, 1
}
