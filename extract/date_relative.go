package extract

import (
	"strconv"
	"strings"
	"time"
)

// Dates told from the day of the message: "yesterday", "three weeks ago", "next month".

// namedDay reads today, yesterday, last night and their like.
func (r *reader) namedDay(i int) (mention, int) {
	if r.titled(i) {
		return mention{}, 0
	}
	next := r.word(i + 1)
	shift := func(days, n int) (mention, int) {
		if part := r.word(i + n); n == 1 && (part == "morning" || part == "afternoon" || part == "evening" || part == "night") {
			n++
		}
		return onDay(r.today.AddDate(0, 0, days)), n
	}
	switch r.words[i].low {
	case "today", "tonight", "today's", "tonight's", "tonite":
		return shift(0, 1)
	case "yesterday", "yesterday's", "yday":
		if prior := r.before(i); prior == "like" || (prior == "just" || prior == "only") && r.before(i-1) == "like" {
			return mention{}, 0 // "it feels like yesterday"
		}
		return shift(-1, 1)
	case "tomorrow", "tomorrow's", "tmrw", "tmr", "tmrrw", "tomoz", "tommorow", "tommorrow", "tomorow":
		return shift(1, 1)
	case "day":
		if next == "before" && r.word(i+2) == "yesterday" {
			return shift(-2, 3)
		}
		if next == "after" && r.word(i+2) == "tomorrow" {
			return shift(2, 3)
		}
	case "last":
		if next == "night" || next == "evening" {
			return shift(-1, 2)
		}
	case "this":
		if next == "morning" || next == "afternoon" || next == "evening" {
			return shift(0, 2)
		}
	case "other":
		if (next == "day" || next == "night" || next == "week") && r.before(i) == "the" {
			return mention{note: "before " + r.today.Format("2006-01-02")}, 2
		}
	}
	return mention{}, 0
}

// titled says whether a day is the name of a work: "we watched The Day After Tomorrow",
// "Yesterday is my favourite song".
func (r *reader) titled(i int) bool {
	w := r.words[i]
	if w.low == "yesterday" && (r.word(i+1) == "is" || r.word(i+1) == "by") {
		return true
	}
	if !w.capital || i < 2 || r.parted(i) || r.text == strings.ToUpper(r.text) {
		return false
	}
	prior := r.words[i-1]
	return ofWorks[prior.low] || prior.capital && prior.low != "i" && !strings.Contains(prior.low, "'")
}

// ofWorks stand before the name of a work.
var ofWorks = set(`song film movie book novel album show series track watched watch called named titled`)

// number reads how many: "3", "three", "a", "a couple of". few says that it is not exact.
func (r *reader) number(i int) (value, n int, few bool) {
	w := r.words[i].low
	if len(w) <= 4 {
		if v, err := strconv.Atoi(w); err == nil {
			return v, 1, false
		}
	}
	next := r.word(i + 1)
	switch {
	case w == "a" && next == "couple", w == "couple":
		n = 1
		if w == "a" {
			n = 2
		}
		if r.word(i+n) == "of" {
			n++
		}
		return 2, n, false
	case w == "a" && next == "few":
		return 0, 2, true
	case w == "few" || w == "several" || w == "many" || w == "some":
		return 0, 1, true
	case w == "half":
		return 0, 0, false
	}
	if v, ok := numbers[w]; ok {
		return v, 1, false
	}
	return 0, 0, false
}

// counted reads "three weeks ago", "2 days from now", "a few months back".
func (r *reader) counted(i int) (mention, int) {
	v, n, few := r.number(i)
	if n == 0 {
		return mention{}, 0
	}
	unit := units[r.word(i+n)]
	if unit == "" {
		return mention{}, 0
	}
	n++
	sign := 0
	switch w := r.word(i + n); {
	case w == "ago":
		sign, n = -1, n+1
	case w == "back":
		if was, _ := r.tense(i); !was {
			return mention{}, 0
		}
		sign, n = -1, n+1
	case w == "from" && (r.word(i+n+1) == "now" || r.word(i+n+1) == "today"):
		sign, n = 1, n+2
	default:
		return mention{}, 0
	}
	if i > 0 {
		switch prior := r.words[i-1].low; {
		case prior == "and" && i > 1 && units[r.words[i-2].low] != "":
			return mention{}, 0
		case prior == "or", prior == "to", numbers[prior] > 1, prior[0] >= '0' && prior[0] <= '9':
			few = true
		}
	}
	if few {
		word := "before "
		if sign > 0 {
			word = "after "
		}
		return mention{note: word + r.today.Format("2006-01-02")}, n
	}
	if sign < 0 && r.word(i+n) == "today" {
		switch unit { // to the day
		case "week":
			return onDay(r.today.AddDate(0, 0, -7*v)), n + 1
		case "month":
			return onDay(r.today.AddDate(0, -v, 0)), n + 1
		case "year":
			return onDay(r.today.AddDate(-v, 0, 0)), n + 1
		}
	}
	return r.shift(sign*v, unit), n
}

// shift goes a number of units on from the day of the message.
func (r *reader) shift(v int, unit string) mention {
	switch unit {
	case "minute", "hour":
		step := time.Minute
		if unit == "hour" {
			step = time.Hour
		}
		t := r.said.Add(time.Duration(v) * step)
		return mention{when: moment{t, byMinute}, note: t.Format("2006-01-02")}
	case "day":
		return onDay(r.today.AddDate(0, 0, v))
	case "week":
		return inWeek(r.today.AddDate(0, 0, 7*v))
	case "fortnight":
		return inWeek(r.today.AddDate(0, 0, 14*v))
	case "weekend":
		return onWeekend(monday(r.today).AddDate(0, 0, 5+7*v))
	case "month":
		return inMonth(addMonths(r.today, v))
	case "decade":
		v *= 10
	}
	return inYear(r.today.Year() + v)
}

// ahead reads "in three weeks", if the sentence speaks of what is to come: "I read
// it in three weeks" tells how long it took.
func (r *reader) ahead(i int) (mention, int) {
	if r.words[i].low != "in" || i+1 >= len(r.words) {
		return mention{}, 0
	}
	switch was, willBe := r.tense(i); {
	case i == 0 && !past(r.words): // "In two weeks I fly to Rome"
		if r.able < len(r.words) {
			return mention{}, 0
		}
	case was || !willBe:
		return mention{}, 0
	}
	if r.able < i {
		return mention{}, 0
	}
	start := i + 1
	if w := r.word(start); w == "" {
		return mention{}, 0
	} else if w == "about" || w == "around" || w == "just" {
		start++
	}
	if start >= len(r.words) || r.word(start) == "" {
		return mention{}, 0
	}
	v, n, few := r.number(start)
	unit := strings.TrimSuffix(r.word(start+n), "'s")
	if n == 0 || few || units[unit] == "" {
		return mention{}, 0
	}
	n += start - i + 1
	if next := r.word(i + n); next == "time" || i+n < len(r.words) && r.words[i+n].low == "time" && strings.TrimRight(r.text[r.words[i+n-1].end:r.words[i+n].start], " ") == "'" {
		n++ // "in two weeks' time"
	} else if next == "of" || next == "or" {
		return mention{}, 0
	}
	return r.shift(v, units[unit]), n
}

var steps = map[string]int{"last": -1, "past": -1, "this": 0, "next": 1, "coming": 1}

// neighbour reads last, this and next with week, month, year, weekend, a season.
func (r *reader) neighbour(i int) (mention, int) {
	if (r.words[i].low == "over" || r.words[i].low == "at" || r.words[i].low == "on" || r.words[i].low == "during") && r.word(i+1) == "the" && r.word(i+2) == "weekend" {
		saturday := monday(r.today).AddDate(0, 0, 5)
		switch was, willBe := r.tense(i); {
		case was:
			if saturday.After(r.today) {
				saturday = saturday.AddDate(0, 0, -7)
			}
		case willBe:
		default:
			return mention{}, 0
		}
		return onWeekend(saturday), 3
	}
	step, ok := steps[r.words[i].low]
	if !ok {
		return mention{}, 0
	}
	unit := strings.TrimSuffix(r.word(i+1), "'s")
	if r.words[i].low == "past" || r.words[i].low == "coming" {
		if unit != "weekend" || r.before(i) != "this" {
			return mention{}, 0
		}
		step = 0
		if r.words[i].low == "past" {
			step = -1
		}
	}
	if prior := r.before(i); (prior == "the" || prior == "every" || prior == "at" || prior == "for") && r.words[i].low != "coming" {
		// "the last week" is a stretch of time, "every last year" and "at last" are none.
		if !(prior == "the" && unit == "weekend") && !(prior == "for" && r.words[i].low != "last") {
			return mention{}, 0
		}
	}
	if r.words[i].low == "this" && r.word(i+2) == "time" || unit == "weekend" && r.word(i+2) == "of" {
		return mention{}, 0 // "the last weekend of May"
	}
	switch unit {
	case "week":
		return inWeek(r.today.AddDate(0, 0, 7*step)), 2
	case "month":
		return inMonth(addMonths(r.today, step)), 2
	case "year":
		return inYear(r.today.Year() + step), 2
	case "weekend":
		saturday := monday(r.today).AddDate(0, 0, 5)
		was, _ := r.tense(i)
		switch {
		case r.words[i].low == "past" && r.today.Before(saturday), r.words[i].low == "last":
			saturday = saturday.AddDate(0, 0, -7)
		case r.words[i].low == "this" && was && r.today.Before(saturday):
			saturday = saturday.AddDate(0, 0, -7)
		case r.words[i].low == "next":
			saturday = saturday.AddDate(0, 0, 7)
		}
		return onWeekend(saturday), 2
	}
	if m, ok := months[unit]; ok && (unit != "may" && unit != "march" || r.words[i+1].capital) && (len(unit) > 3 || unit == "may") {
		year := r.today.Year()
		switch {
		case step < 0 && m >= r.today.Month():
			year--
		case step > 0 && m <= r.today.Month():
			year++
		}
		return r.monthDay(i+1, m, year, 2)
	}
	if year, ok := r.season(unit, step); ok {
		return mention{note: unit + " " + strconv.Itoa(year), stretch: seasonOf(unit, year)}, 2
	}
	return mention{}, 0
}

// season gives the year of the last, this or next one, where it is warm in July; a
// winter has the year that it begins in. Said in winter, "last winter" is unclear.
func (r *reader) season(name string, step int) (year int, ok bool) {
	first, ok := seasons[name]
	if !ok {
		return 0, false
	}
	year, now := r.today.Year(), r.today.Month()
	switch {
	case name == "winter" && (now == 12 || now <= 2):
		if now <= 2 {
			year--
		}
		return year, step == 0
	case name == "winter" && step < 0, step < 0 && now <= first+2:
		year--
	case name != "winter" && step > 0 && now >= first:
		year++
	}
	return year, true
}

// edge reads "the end of the month", of what is to come, and "the week after next".
func (r *reader) edge(i int) (mention, int) {
	unit := r.words[i].low
	if r.before(i) == "the" && r.word(i+1) == "after" && r.word(i+2) == "next" {
		switch unit {
		case "week":
			return inWeek(r.today.AddDate(0, 0, 14)), 3
		case "month":
			return inMonth(addMonths(r.today, 2)), 3
		case "year":
			return inYear(r.today.Year() + 2), 3
		case "weekend":
			return onWeekend(monday(r.today).AddDate(0, 0, 19)), 3
		}
	}
	if unit != "end" || r.word(i+1) != "of" || r.recurring {
		return mention{}, 0
	}
	step, ok := map[string]int{"the": 0, "this": 0, "next": 1}[r.word(i+2)]
	if was, willBe := r.tense(i); !ok || was || !willBe {
		return mention{}, 0
	}
	switch r.word(i + 3) {
	case "month":
		return onDay(addMonths(r.today, step+1).AddDate(0, 0, -1)), 4
	case "year":
		return onDay(day(r.today.Year()+step, 12, 31)), 4
	}
	return mention{}, 0
}
