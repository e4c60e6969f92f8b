package extract

import (
	"fmt"
	"slices"
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
	// stretch is what is meant where that is no moment: a season.
	stretch Period
}

// resolve finds what a sentence said at a time (in its zone) tells of dates,
// writes the dates of relative words beside them and gives the most exact one.
// The same words have it beside them once. Nothing is written into quotations, code, brackets and addresses. A zero time
// resolves nothing that is relative.
func resolve(text string, said time.Time, english bool) (string, moment) {
	spans := guarded(text)
	var out strings.Builder
	done := 0
	var best moment
	noted := map[string]bool{} // words that have their date beside them already
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
		if words := strings.ToLower(text[m.start:m.end]); noted[words] {
			continue
		} else {
			noted[words] = true
		}
		out.WriteString(text[done:m.end])
		out.WriteString(" (" + m.note + ")")
		done = m.end
	}
	out.WriteString(text[done:])
	return out.String(), best
}

// Undated gives a statement without the dates that are written beside relative words.
func Undated(text string) string {
	if !strings.Contains(text, "(") {
		return text
	}
	return notedDate.ReplaceAllString(text, "")
}

// notedDate is a date beside relative words, as a mention notes it.
var notedDate = newPattern(`\s\([\pL ]{0,24}\d{4}(?:-\d\d){0,2}(?:[^()\d]{1,12}\d{4}(?:-\d\d){0,2})?\)`)

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
	// lastDay is the day that was told last with its month.
	lastDay time.Time
}

// mentions gives what a sentence tells of dates, in order.
func mentions(text string, said time.Time, english bool) []mention {
	r := reader{text: text, words: wordsOf(text), said: said}
	out := isoDates(text)
	if !english {
		out = append(out, foreignMentions(text, said)...)
		slices.SortStableFunc(out, func(a, b mention) int { return a.start - b.start })
		return out
	}
	if !said.IsZero() {
		r.today = day(said.Year(), said.Month(), said.Day())
	}
	r.able = len(r.words)
	for i, w := range r.words {
		r.recurring = r.recurring || recurring[w.low] && !(strings.HasPrefix(w.low, "birthday") && feastings[r.word(i+1)]) && (w.low != "each" || r.word(i+1) != "") // "900 each,"
		if i < r.able && abilities[w.low] {
			r.able = i
		}
	}
	r.cutClauses()
	for i := 0; i < len(r.words); {
		if m, n := r.at(i); n > 0 && m.when.valid() {
			m.start, m.end = r.words[i].start, r.words[i+n-1].end
			out = append(out, m)
			if m.when.grain == byDay && slices.ContainsFunc(r.words[i:i+n], func(w word) bool { return months[w.low] > 0 }) {
				r.lastDay = m.when.time
			}
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

var (
	months = map[string]time.Month{
		"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
		"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
	}
	weekdays = map[string]time.Weekday{
		"sunday": 0, "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6,
		"tues": 2, "weds": 3, "thur": 4, "thurs": 4, "fri": 5,
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
	recurring = set(`birthday birthdays birthday's bday bdays bday's anniversary anniversary's born every each annual annually yearly always usually often sometimes mondays tuesdays wednesdays thursdays fridays saturdays sundays`)
)

// feastings are on one day, of whatever day of the year.
var feastings = set(`party dinner lunch brunch bash celebration picnic trip barbecue bbq drinks`)

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
	if m, n = r.span(i); n > 0 && (m.note == "" || !r.said.IsZero()) {
		return m, n
	}
	if m, n = r.single(i); n > 0 && r.leftBehind(i) {
		m.when = moment{} // it is not on that day any more
	}
	return m, n
}

// single reads a date that is no span.
func (r *reader) single(i int) (m mention, n int) {
	if m, n = r.explicit(i); n > 0 {
		return m, n
	}
	if r.said.IsZero() {
		return mention{}, 0
	}
	for _, read := range []func(int) (mention, int){r.namedDay, r.edge, r.feast, r.counted, r.ahead, r.neighbour, r.weekday, r.bareWeekday, r.bareMonth, r.ordinalDay} {
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
