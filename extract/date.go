package extract

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// grain is how exactly a date is told; a smaller one is more exact.
type grain int

const (
	never grain = iota
	byMinute
	byDay
	byWeek
	byMonth
	byYear
)

// moment is a date that a text speaks of: the beginning of the day, week, month or
// year meant. Days are calendar days of the zone the message was said in, kept as
// midnight UTC, as the API has bare dates; the day read from it is the day meant.
type moment struct {
	time  time.Time
	grain grain
}

// instant gives the time, nil if there is none.
func (m moment) instant() *time.Time {
	if m.grain == never {
		return nil
	}
	t := m.time.UTC()
	return &t
}

// better gives the more exact of two, the first if they are alike.
func (m moment) better(other moment) moment {
	if m.grain == never || other.grain != never && other.grain < m.grain {
		return other
	}
	return m
}

// mention is a place in a text that tells a date.
type mention struct {
	start, end int
	when       moment
	// note is what is to be written beside the words, "" if they say it all.
	note string
}

// resolve finds what a sentence said at a time (in its zone) tells of dates,
// writes the dates of relative words beside them and gives the most exact one.
// Nothing is written into quotations, code, brackets and addresses. A zero time
// resolves nothing that is relative.
func resolve(text string, said time.Time, english bool) (string, moment) {
	spans := guarded(text)
	var out strings.Builder
	done := 0
	var best moment
	for _, m := range mentions(text, said, english) {
		for len(spans) > 0 && spans[0][1] <= m.start {
			spans = spans[1:]
		}
		if m.start < done || len(spans) > 0 && spans[0][0] <= m.start {
			continue
		}
		best = best.better(m.when)
		if rest := strings.TrimLeft(text[m.end:], " ,"); m.note == "" || strings.HasPrefix(rest, "(") && len(rest) > 1 && digitOf(rune(rest[1])) >= 0 {
			continue
		}
		out.WriteString(text[done:m.end])
		out.WriteString(" (" + m.note + ")")
		done = m.end
	}
	out.WriteString(text[done:])
	return out.String(), best
}

// reader walks over the words of a sentence.
type reader struct {
	text  string
	words []word
	// today is the calendar day of the message as midnight UTC; said its instant.
	today, said time.Time
	recurring   bool
	// able is the first word from which on "in three weeks" tells how long something
	// takes, len(words) if there is none.
	able int
	// clauses are the clauses in order; clause is the one that was last asked for.
	clauses []clause
	clause  int
}

// clause is a run of words of which each tells the tense of all.
type clause struct {
	end         int // the word after its last
	was, willBe bool
}

// mentions gives what a sentence tells of dates, in order.
func mentions(text string, said time.Time, english bool) []mention {
	r := reader{text: text, words: wordsOf(text), said: said}
	out := isoDates(text)
	if !english {
		slices.SortStableFunc(out, func(a, b mention) int { return a.start - b.start })
		return out
	}
	if !said.IsZero() {
		r.today = day(said.Year(), said.Month(), said.Day())
	}
	r.able = len(r.words)
	for i, w := range r.words {
		r.recurring = r.recurring || recurring[w.low] && (w.low != "each" || r.word(i+1) != "") // "900 each,"
		if i < r.able && abilities[w.low] {
			r.able = i
		}
	}
	r.cutClauses()
	for i := 0; i < len(r.words); {
		if m, n := r.at(i); n > 0 && m.when.valid() {
			m.start, m.end = r.words[i].start, r.words[i+n-1].end
			out = append(out, m)
			i += n
			continue
		}
		i++
	}
	slices.SortStableFunc(out, func(a, b mention) int { return a.start - b.start })
	return out
}

// valid holds a moment to years that can be written; one that notes no time is valid.
func (m moment) valid() bool {
	return m.grain == never || m.time.Year() >= 1 && m.time.Year() <= 9999
}

func day(year int, month time.Month, d int) time.Time {
	return time.Date(year, month, d, 0, 0, 0, 0, time.UTC)
}

var isoDate = regexp.MustCompile(`\b(\d{4})-(\d{2})-(\d{2})\b`)

// writtenDates are dates in figures that leave no doubt: the day comes first with
// dots, the year with slashes and in Chinese and Japanese.
var (
	dottedDate  = regexp.MustCompile(`\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b`)
	slashedDate = regexp.MustCompile(`\b(\d{4})/(\d{1,2})/(\d{1,2})\b`)
	hanDate     = regexp.MustCompile(`(\d{4})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?[日号號]`)
)

func figureDates(text string) []mention {
	var out []mention
	for n, pattern := range []*regexp.Regexp{dottedDate, slashedDate, hanDate} {
		for _, m := range pattern.FindAllStringSubmatchIndex(text, -1) {
			part := func(group int) int {
				v, _ := strconv.Atoi(text[m[2*group]:m[2*group+1]]) // digits by the pattern
				return v
			}
			y, month, d := part(1), part(2), part(3)
			if n == 0 {
				y, d = d, y
			}
			if t := day(y, time.Month(month), d); y >= 1900 && y <= 2100 && month >= 1 && month <= 12 && t.Day() == d && t.Month() == time.Month(month) {
				out = append(out, mention{start: m[0], end: m[1], when: moment{t, byDay}})
			}
		}
	}
	return out
}

func isoDates(text string) []mention {
	out := figureDates(text)
	for _, m := range isoDate.FindAllStringSubmatchIndex(text, -1) {
		t, err := time.Parse("2006-01-02", text[m[0]:m[1]])
		if err == nil && t.Year() >= 1 {
			out = append(out, mention{start: m[0], end: m[1], when: moment{t, byDay}})
		}
	}
	return out
}

var (
	months = map[string]time.Month{
		"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
		"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
	}
	weekdays = map[string]time.Weekday{
		"sunday": 0, "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6,
	}
	numbers = map[string]int{
		"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
		"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "eighteen": 18, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
	}
	units = map[string]string{
		"minute": "minute", "minutes": "minute", "min": "minute", "mins": "minute", "hour": "hour", "hours": "hour",
		"day": "day", "days": "day", "night": "day", "nights": "day", "week": "week", "weeks": "week", "weekend": "weekend", "weekends": "weekend",
		"month": "month", "months": "month", "year": "year", "years": "year", "yr": "year", "yrs": "year", "decade": "decade", "decades": "decade", "fortnight": "fortnight", "fortnights": "fortnight",
	}
	seasons = map[string]time.Month{"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
	// recurring words make a day of the year one of every year.
	recurring = set(`birthday birthdays anniversary born every each annual annually yearly always usually often sometimes mondays tuesdays wednesdays thursdays fridays saturdays sundays`)
)

// word gives the i-th word in lower case if only blanks or a hyphen part it from
// the one before; "" past the end.
func (r *reader) word(i int) string {
	if i < 0 || i >= len(r.words) {
		return ""
	}
	if i > 0 {
		if gap := r.text[r.words[i-1].end:r.words[i].start]; strings.TrimSpace(gap) != "" && gap != "-" {
			return ""
		}
	}
	return r.words[i].low
}

// tense says whether the clause around word i tells of what has been, and whether
// of what is to come. "I've updated the calendar: dentist on Tuesday" does not say
// that the dentist was.
func (r *reader) tense(i int) (was, willBe bool) {
	// Words are read in order, so that the clause is the last one or one after it.
	for r.clauses[r.clause].end <= i {
		r.clause++
	}
	c := r.clauses[r.clause]
	return c.was, c.willBe
}

// clauseWords is the most words of a clause: what is written without any mark is no
// sentence, and a verb so far away tells nothing of a date.
const clauseWords = 80

// cutClauses finds the clauses and reads the tense of each once.
func (r *reader) cutClauses() {
	for from := 0; from < len(r.words); {
		to := from + 1
		for to < len(r.words) && to < from+clauseWords && !r.parted(to) {
			to++
		}
		words := r.words[from:to]
		r.clauses = append(r.clauses, clause{end: to, was: past(words), willBe: future(words)})
		from = to
	}
}

// parted says whether a clause ends before word i.
func (r *reader) parted(i int) bool {
	return clauseOpeners[r.words[i].low] || strings.ContainsAny(r.text[r.words[i-1].end:r.words[i].start], ",;:(—–")
}

var abilities = set(`can could takes once twice times`)

var clauseOpeners = set(`and but because so that which who when while before after if though although`)

// before gives the word before i, whatever parts them.
func (r *reader) before(i int) string {
	if i <= 0 {
		return ""
	}
	return r.words[i-1].low
}

// at reads a date that begins at word i; n is how many words it takes, 0 if none
// does. Words that cannot be resolved exactly take a note and no moment.
func (r *reader) at(i int) (m mention, n int) {
	if m, n = r.explicit(i); n > 0 {
		return m, n
	}
	if r.said.IsZero() {
		return mention{}, 0
	}
	for _, read := range []func(int) (mention, int){r.namedDay, r.counted, r.ahead, r.neighbour, r.weekday, r.bareWeekday, r.bareMonth, r.ordinalDay} {
		if m, n = read(i); n > 0 {
			return m, n
		}
	}
	return mention{}, 0
}

func onDay(t time.Time) mention {
	return mention{when: moment{t, byDay}, note: t.Format("2006-01-02")}
}

func inWeek(t time.Time) mention {
	monday := monday(t)
	return mention{when: moment{monday, byWeek}, note: "week of " + monday.Format("2006-01-02")}
}

func onWeekend(saturday time.Time) mention {
	return mention{when: moment{saturday, byDay}, note: "weekend of " + saturday.Format("2006-01-02")}
}

func inMonth(t time.Time) mention {
	first := day(t.Year(), t.Month(), 1)
	return mention{when: moment{first, byMonth}, note: first.Format("2006-01")}
}

func inYear(year int) mention {
	return mention{when: moment{day(year, 1, 1), byYear}, note: fmt.Sprintf("%04d", year)}
}

func monday(t time.Time) time.Time {
	return t.AddDate(0, 0, -(int(t.Weekday())+6)%7)
}

// addMonths goes n months on to the first of that month.
func addMonths(t time.Time, n int) time.Time { return day(t.Year(), t.Month()+time.Month(n), 1) }

// namedDay reads today, yesterday, last night and their like.
func (r *reader) namedDay(i int) (mention, int) {
	next := r.word(i + 1)
	shift := func(days, n int) (mention, int) {
		if part := r.word(i + n); n == 1 && (part == "morning" || part == "afternoon" || part == "evening" || part == "night") {
			n++
		}
		return onDay(r.today.AddDate(0, 0, days)), n
	}
	switch r.words[i].low {
	case "today", "tonight", "today's", "tonight's":
		return shift(0, 1)
	case "yesterday", "yesterday's":
		if prior := r.before(i); prior == "like" || (prior == "just" || prior == "only") && r.before(i-1) == "like" {
			return mention{}, 0 // "it feels like yesterday"
		}
		return shift(-1, 1)
	case "tomorrow", "tomorrow's":
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
	if was, willBe := r.tense(i); was || !willBe {
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
	if next := r.word(i + n); next == "time" {
		n++
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
	if r.words[i].low == "this" && r.word(i+2) == "time" {
		return mention{}, 0
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
	if m, ok := months[unit]; ok && (unit != "may" && unit != "march" || r.words[i+1].capital) && len(unit) > 3 {
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
		return mention{note: unit + " " + strconv.Itoa(year)}, 2
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

// weekday reads last Monday, this Monday, next Monday, and on Monday where the
// tense says which. Next Monday is that of the week after this one, weeks beginning
// on Monday; last Monday is the latest one before today.
func (r *reader) weekday(i int) (mention, int) {
	lead := r.words[i].low
	target, ok := weekdays[strings.TrimSuffix(r.word(i+1), "'s")]
	if !ok {
		return mention{}, 0
	}
	n := 2
	if part := r.word(i + 2); part == "morning" || part == "afternoon" || part == "evening" || part == "night" {
		n = 3
	}
	offset := (int(target) - int(r.today.Weekday()) + 7) % 7
	latest := offset - 7
	was, willBe := r.tense(i)
	if r.shifted(i) {
		was, willBe = false, true
	} else if lead == "to" || lead == "for" {
		return mention{}, 0
	}
	switch lead {
	case "last", "past":
		return onDay(r.today.AddDate(0, 0, latest)), n
	case "next":
		return onDay(monday(r.today).AddDate(0, 0, 7+(int(target)+6)%7)), n
	case "this", "coming":
		inThisWeek := monday(r.today).AddDate(0, 0, (int(target)+6)%7)
		if lead == "coming" || inThisWeek.Before(r.today) && !was {
			inThisWeek = r.today.AddDate(0, 0, offset)
		}
		return onDay(inThisWeek), n
	case "on", "until", "by", "since", "to", "for":
		if r.recurring || was == willBe && lead != "since" {
			return mention{}, 0
		}
		if was || lead == "since" {
			return onDay(r.today.AddDate(0, 0, latest)), n
		}
		if offset == 0 {
			offset = 7
		}
		return onDay(r.today.AddDate(0, 0, offset)), n
	}
	return mention{}, 0
}

// shifted says whether the date at word i is one to which something was put off or
// brought forward: it is to come, though the verb tells of what has been.
func (r *reader) shifted(i int) bool {
	to := false
	for back := i; back >= 0 && back > i-6; back-- {
		low := r.words[back].low
		to = to || low == "to" || low == "until" || low == "till" || low == "for"
		if back < i && shifts[low] {
			return to
		}
	}
	return false
}

var (
	shifts = set(`moved postponed rescheduled pushed delayed changed brought shifted put scheduled booked set planned`)
	// appointed are nouns and verbs of what is on a day: with them a day needs no "on".
	appointed = set(`appointment test exam flight wedding interview surgery operation meeting viewing trip party concert lesson class match game race presentation dinner lunch breakfast checkup scan inspection delivery launch release demo conference dentist doctor deadline freeze ends starts begins opens arrives leaves due departs lands closes call`)
)

// bareWeekday reads "dentist appointment Thursday", "the sprint ends Friday".
func (r *reader) bareWeekday(i int) (mention, int) {
	target, ok := weekdays[r.words[i].low]
	if !ok || r.recurring || i == 0 {
		return mention{}, 0
	}
	named := false
	for back := i - 1; back >= 0 && back >= i-4 && !r.parted(back+1); back-- {
		switch low := r.words[back].low; {
		case back < i-1 && !appointed[low]:
		case low == "on" || low == "a" || low == "the" || low == "my" || low == "to" || low == "and" || low == "or" || low == "from" || low == "black" || low == "good":
			return mention{}, 0
		case appointed[low]:
			named = true
		}
	}
	if !named {
		return mention{}, 0
	}
	n := 1
	if part := r.word(i + 1); part == "morning" || part == "afternoon" || part == "evening" || part == "night" {
		n = 2
	}
	offset := (int(target) - int(r.today.Weekday()) + 7) % 7
	if was, willBe := r.tense(i); was && !willBe {
		return onDay(r.today.AddDate(0, 0, offset-7)), n
	}
	if offset == 0 {
		offset = 7
	}
	return onDay(r.today.AddDate(0, 0, offset)), n
}

// ordinalDay reads "on the 15th" and "moved to the 12th": the nearest such day in the
// direction of the tense.
func (r *reader) ordinalDay(i int) (mention, int) {
	w := r.words[i].low
	if i < 2 || len(w) < 3 || r.recurring || r.words[i-1].low != "the" || !strings.HasSuffix(w, "th") && !strings.HasSuffix(w, "st") && !strings.HasSuffix(w, "nd") && !strings.HasSuffix(w, "rd") {
		return mention{}, 0
	}
	d, ok := dayOf(w)
	lead := r.words[i-2].low
	if next := r.word(i + 1); !ok || lead != "on" && lead != "until" && lead != "by" && lead != "to" && lead != "since" || next != "" && !afterDay[next] {
		return mention{}, 0
	}
	was, willBe := r.tense(i)
	if r.shifted(i) {
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
			return onDay(t), 1
		}
	}
	return mention{}, 0
}

var afterDay = set(`at in for with and because so to i we my from if when which but or instead now this around before after`)

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
	// 7 May 2023; 7th of May, 2023
	if d, isDay := dayOf(r.words[i].low); isDay {
		n := 1
		if r.word(i+1) == "of" {
			n = 2
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

// appointed says whether the clause around word i names something that is on a day.
func (r *reader) appointed(i int) bool {
	for back := i - 1; back >= 0 && back >= i-5 && !r.parted(back+1); back-- {
		if low := r.words[back].low; appointed[low] || low == "leaving" || low == "flying" || low == "arriving" || low == "moving" || low == "back" {
			return true
		}
	}
	return false
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
var onDate = set(`on by until till since from before after for to`)

// bareMonth reads "in March", "on March 3rd", "on the 3rd of March" without a year,
// where the tense says which year is meant; of a day it is the nearest if no tense does.
func (r *reader) bareMonth(i int) (mention, int) {
	was, willBe := r.tense(i)
	if r.shifted(i) {
		was, willBe = false, true
	}
	if r.recurring {
		return mention{}, 0
	}
	if was == willBe && !was && r.appointed(i) {
		willBe = true
	}
	unclear := was == willBe
	pick := func(m time.Month, d int) int {
		year := r.today.Year()
		t := day(year, m, max(d, 1))
		switch {
		case unclear:
			return r.nearest(m, d)
		case was && d > 0 && t.After(r.today), was && d == 0 && m > r.today.Month():
			return year - 1
		case willBe && d > 0 && t.Before(r.today), willBe && d == 0 && m < r.today.Month():
			return year + 1
		}
		return year
	}
	if m, ok := r.month(i); ok {
		if d, isDay := dayOf(r.word(i + 1)); isDay {
			if t := day(pick(m, d), m, d); t.Month() == m {
				return onDay(t), 2
			}
			return mention{}, 0
		}
		if !unclear && (len(r.words[i].low) > 3 && r.words[i].low != "sept" || r.words[i].low == "may") {
			switch r.before(i) {
			case "in", "since", "until", "by", "early", "late", "mid", "of", "to":
				if edge := r.before(i - 1); r.before(i) == "of" && edge != "end" && edge != "beginning" && edge != "start" && edge != "middle" || r.before(i) == "to" && !r.shifted(i) {
					break
				}
				if r.word(i) != "" {
					return inMonth(day(pick(m, 0), m, 1)), 1
				}
			}
		}
	}
	if d, isDay := dayOf(r.words[i].low); isDay {
		// "3 to 9 April", "7-9 October": from its first day on
		next := i + 1
		if w := r.word(next); w == "to" || w == "till" || w == "until" {
			next++
		}
		if last, isRange := dayOf(r.word(next)); isRange && last > d {
			if m, ok := r.month(next + 1); ok && r.word(next+1) != "" {
				year := pick(m, d)
				from, to := day(year, m, d), day(year, m, last)
				if from.Month() == m && to.Month() == m {
					return mention{when: moment{from, byDay}, note: from.Format("2006-01-02") + " to " + to.Format("2006-01-02")}, next + 2 - i
				}
			}
		}
		n := 1
		if r.word(i+1) == "of" {
			n = 2
		}
		if m, ok := r.month(i + n); ok && r.word(i+n) != "" {
			if t := day(pick(m, d), m, d); t.Month() == m {
				return onDay(t), n + 1
			}
		}
	}
	return mention{}, 0
}
