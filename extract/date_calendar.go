package extract

import (
	"strconv"
	"strings"
	"time"
)

// Days of a month, with and without a year.

// explicit reads dates that name the year, in the orders that leave no doubt.
func (r *reader) explicit(i int) (mention, int) {
	// May 7, 2023; May 7th 2023; May 2023
	if m, ok := r.month(i); ok {
		if d, isDay := dayOf(r.word(i + 1)); isDay {
			if y, n := r.year(i + 2); n > 0 {
				return exact(y, m, d, 2+n)
			}
		}
		if y, n := r.year(i + 1); n > 0 {
			return mention{when: moment{day(y, m, 1), byMonth}}, 1 + n
		}
	}
	// 7 May 2023; 7th of May, 2023; the seventh of May, 2023
	if d, size := r.dayBefore(i); size > 0 {
		n := size
		if r.word(i+n) == "of" {
			n++
		}
		if m, ok := r.month(i + n); ok && r.word(i+n) != "" {
			if y, k := r.year(i + n + 1); k > 0 {
				return exact(y, m, d, n+1+k)
			}
		}
	}
	// in 2019
	if w := r.words[i].low; w == "in" || w == "since" {
		if y, n := r.year(i + 1); n > 0 && r.word(i+1) != "" && units[r.word(i+2)] == "" {
			return mention{when: moment{day(y, 1, 1), byYear}}, 2
		}
	}
	return mention{}, 0
}

func exact(year int, month time.Month, d, n int) (mention, int) {
	t := day(year, month, d)
	if t.Month() != month {
		return mention{}, 0
	}
	return mention{when: moment{t, byDay}}, n
}

// year reads a year of four digits, a comma before it allowed.
func (r *reader) year(i int) (int, int) {
	if i >= len(r.words) || i < 1 {
		return 0, 0
	}
	if gap := strings.TrimSpace(r.text[r.words[i-1].end:r.words[i].start]); gap != "" && gap != "," && gap != "." {
		return 0, 0
	}
	w := r.words[i].low
	if len(w) != 4 {
		return 0, 0
	}
	y, err := strconv.Atoi(w)
	if err != nil || y < 1900 || y > 2100 {
		return 0, 0
	}
	return y, 1
}

// month reads the name of a month. "may" and "march" need a capital; a short form
// too, and a number beside it, which the callers see to.
func (r *reader) month(i int) (time.Month, bool) {
	if i < 0 || i >= len(r.words) {
		return 0, false
	}
	low := r.words[i].low
	m, ok := months[low]
	if !ok {
		return 0, false
	}
	if (low == "may" || low == "march" || low == "august" || len(low) <= 4 && low != "june" && low != "july") && !r.words[i].capital && !r.numbered(i) {
		return 0, false
	}
	return m, true
}

// numbered says whether a day stands before a month that is written small: "on 5 may".
func (r *reader) numbered(i int) bool {
	before := r.before(i)
	if before == "of" {
		before = r.before(i - 1)
	}
	_, isDay := dayOf(before)
	if next := r.word(i + 1); !isDay && next != "" {
		if _, isDay = dayOf(next); isDay {
			// "on march 2", "feb 2", not "may 5 of us"
			return r.words[i].low != "may" && len(r.words[i].low) <= 4 || onDate[before] || len(next) > 2 || r.word(i+2) == ""
		}
	}
	return isDay && (r.words[i].low != "may" || !auxiliaries[r.word(i+1)] && !presents[r.word(i+1)] && r.word(i+1) != "not")
}

// nearest gives the year in which a day of the year is nearest to the message.
func (r *reader) nearest(m time.Month, d int) int {
	best := r.today.Year()
	apart := func(year int) time.Duration { return day(year, m, d).Sub(r.today).Abs() }
	for _, year := range []int{best - 1, best + 1} {
		if apart(year) < apart(best) {
			best = year
		}
	}
	return best
}

// onDate are words that stand before a date.
var onDate = set(`on by until till since from before after for to starting beginning ending`)

// yearOf gives the year that the tense around word i tells of a month, or of a day of it
// where d is not 0; of a day it is the nearest if no tense does. Clear says that the tense
// told it.
func (r *reader) yearOf(i int, m time.Month, d int) (year int, clear bool) {
	was, willBe := r.tense(i)
	if r.shifted(i) {
		was, willBe = false, true
	}
	if was == willBe && !was && r.appointed(i) {
		willBe = true
	}
	if was == willBe || r.leftBehind(i) {
		return r.nearest(m, d), false
	}
	year = r.today.Year()
	t := day(year, m, max(d, 1))
	switch {
	case was && d > 0 && t.After(r.today), was && d == 0 && m > r.today.Month():
		year--
	case willBe && d > 0 && t.Before(r.today), willBe && d == 0 && m < r.today.Month():
		year++
	}
	return year, true
}

// bareMonth reads "in March", "on March 3rd", "on the 3rd of March" without a year,
// where the tense says which year is meant.
func (r *reader) bareMonth(i int) (mention, int) {
	if r.recurring {
		return mention{}, 0
	}
	if m, ok := r.month(i); ok {
		if d, isDay := dayOf(r.word(i + 1)); isDay {
			year, _ := r.yearOf(i, m, d)
			if t := day(year, m, d); t.Month() == m {
				return onDay(t), 2
			}
			return mention{}, 0
		}
		if year, clear := r.yearOf(i, m, 0); clear && (len(r.words[i].low) > 3 && r.words[i].low != "sept" || r.words[i].low == "may") {
			switch r.before(i) {
			case "in", "since", "until", "by", "early", "late", "mid", "of", "to":
				if edge := r.before(i - 1); r.before(i) == "of" && edge != "end" && edge != "beginning" && edge != "start" && edge != "middle" || r.before(i) == "to" && !r.shifted(i) {
					break
				}
				if r.word(i) != "" {
					return inMonth(day(year, m, 1)), 1
				}
			}
		}
	}
	if d, n := r.dayBefore(i); n > 0 {
		if r.word(i+n) == "of" {
			n++
		}
		if m, ok := r.month(i + n); ok && r.word(i+n) != "" {
			year, _ := r.yearOf(i, m, d)
			if t := day(year, m, d); t.Month() == m {
				return onDay(t), n + 1
			}
		}
	}
	return mention{}, 0
}

// dayBefore reads the day that may stand before a month, and of how many words it is: one that is
// spelled out only before an "of".
func (r *reader) dayBefore(i int) (d, n int) {
	if d, ok := dayOf(r.words[i].low); ok {
		return d, 1
	}
	if d, n = r.spelledDay(i); n > 0 && r.word(i+n) == "of" {
		return d, n
	}
	return 0, 0
}

// spelledDay reads an ordinal that is spelled out, and of how many words it is: "twelfth", "twenty-first".
func (r *reader) spelledDay(i int) (d, n int) {
	low := r.word(i)
	if d := spelledDays[low]; d > 0 {
		return d, 1
	}
	if tens := map[string]int{"twenty": 20, "thirty": 30}[low]; tens > 0 {
		if d := spelledDays[r.word(i+1)]; d > 0 && d < 10 && tens+d <= 31 {
			return tens + d, 2
		}
	}
	return 0, 0
}

var spelledDays = func() map[string]int {
	all := map[string]int{}
	for i, w := range strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth") {
		all[w] = i + 1
		if i < 9 {
			all["twenty-"+w] = 21 + i
		}
	}
	all["thirtieth"], all["thirty-first"] = 30, 31
	return all
}()

// monthDay reads the day that may follow a month at word i ("last March 3rd"), n
// words having been read.
func (r *reader) monthDay(i int, m time.Month, year, n int) (mention, int) {
	if d, ok := dayOf(r.word(i + 1)); ok && year > 0 {
		if t := day(year, m, d); t.Month() == m {
			return onDay(t), n + 1
		}
	}
	return inMonth(day(year, m, 1)), n
}

// dayOf reads a day of the month: 3, 3rd.
func dayOf(w string) (int, bool) {
	if len(w) > 2 {
		switch w[len(w)-2:] {
		case "st", "nd", "rd", "th":
			w = w[:len(w)-2]
		}
	}
	if len(w) == 0 || len(w) > 2 {
		return 0, false
	}
	d, err := strconv.Atoi(w)
	return d, err == nil && d >= 1 && d <= 31
}

// ordinalDay reads "on the 15th" and "moved to the 12th": the nearest such day in the
// direction of the tense.
func (r *reader) ordinalDay(i int) (mention, int) {
	w := r.words[i].low
	if i < 2 || len(w) < 3 || r.recurring || r.words[i-1].low != "the" {
		return mention{}, 0
	}
	d, size := r.spelledDay(i)
	ok := size > 0 && r.words[i-2].low != "to" // "to the second" may be of a row
	if size == 0 {
		if !strings.HasSuffix(w, "th") && !strings.HasSuffix(w, "st") && !strings.HasSuffix(w, "nd") && !strings.HasSuffix(w, "rd") {
			return mention{}, 0
		}
		d, ok = dayOf(w)
		size = 1
	}
	lead := r.words[i-2].low
	if next := r.word(i + size); !ok || lead != "on" && lead != "until" && lead != "by" && lead != "to" && lead != "since" || next != "" && !afterDay[next] {
		return mention{}, 0
	}
	if last := r.lastDay; !last.IsZero() && lead != "since" {
		// "flying on 14 August, back on the 28th"
		months := 0
		if d <= last.Day() {
			months = 1
		}
		first := addMonths(last, months)
		if t := day(first.Year(), first.Month(), d); t.Month() == first.Month() {
			return onDay(t), size
		}
	}
	was, willBe := r.tense(i)
	if r.shifted(i) || was == willBe && !was && lead == "on" && r.appointed(i) {
		was, willBe = false, true
	}
	if was == willBe || lead == "to" && !r.shifted(i) {
		return mention{}, 0
	}
	step := 1
	if was {
		step = -1
	}
	for months := 0; months <= 2; months++ {
		first := addMonths(r.today, step*months)
		t := day(first.Year(), first.Month(), d)
		if t.Month() == first.Month() && (was && !t.After(r.today) || willBe && !t.Before(r.today)) {
			return onDay(t), size
		}
	}
	return mention{}, 0
}

var afterDay = set(`at in for with and because so to i we my from if when which but or instead now this around before after`)
