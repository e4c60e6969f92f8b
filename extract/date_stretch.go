package extract

import (
	"strconv"
	"strings"
	"time"
)

// What only questions name of time: stretches of it, parts of a year or a month, feasts with the
// days around them, and what is said of no day ("lately", "the other day").

// stretches reads them all.
func (r *reader) stretches() (all []mention) {
	for i := 0; i < len(r.words); {
		p, n := r.stretch(i)
		if n == 0 || p == (Period{}) {
			i++
			continue
		}
		all = append(all, mention{start: r.words[i].start, end: r.words[i+n-1].end, stretch: p})
		i += n
	}
	return all
}

// stretch reads one that begins at word i; n is how many words it takes, 0 if none does.
func (r *reader) stretch(i int) (p Period, n int) {
	for _, read := range []func(int) (Period, int){r.lastUnits, r.weekOf, r.edgeOf, r.nthOf, r.fromTo, r.wholeOf, r.seasonAsked, r.boundedYear, r.feastAsked, r.vague} {
		if p, n = read(i); n > 0 {
			return p, n
		}
	}
	return Period{}, 0
}

// lastUnits reads "the last two weeks", "the past half year": they end today.
func (r *reader) lastUnits(i int) (Period, int) {
	low := r.words[i].low
	if low != "last" && low != "past" || i+1 >= len(r.words) {
		return Period{}, 0
	}
	tomorrow := r.today.AddDate(0, 0, 1)
	if r.word(i+1) == "half" {
		n := 2
		if r.word(i+n) == "a" {
			n++
		}
		if units[r.word(i+n)] == "year" {
			return Period{r.today.AddDate(0, -6, 0), tomorrow}, n + 1
		}
		return Period{}, 0
	}
	v, n, few := r.number(i + 1)
	if n == 0 {
		// "the last week" ends today, "last week" is the one before this.
		prior := r.before(i)
		if v = 1; prior != "the" && !(prior == "this" && low == "past") {
			return Period{}, 0
		}
		if next := r.word(i + 2); next == "of" || next == "in" {
			return Period{}, 0 // "the last week of May"
		}
	}
	if few {
		v = 4
	}
	from, ok := back(r.today, v, units[r.word(i+1+n)])
	if !ok {
		return Period{}, 0
	}
	if next := r.word(i + n + 2); next == "of" {
		return Period{}, 0
	}
	return Period{from, tomorrow}, n + 2
}

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

// whole reads a year, a quarter, a month, a week or a season, of which something may be a part:
// "2024", "last year", "the year", "June", "June of last year", "Q3 2024".
func (r *reader) whole(i int) (Period, int) {
	if p, n := r.yearAt(i); n > 0 {
		return p, n
	}
	if m, ok := r.month(i); ok && r.word(i) != "" {
		if p, n := r.inYearOf(i+1, func(year int) Period { return monthOf(year, m) }); n > 0 {
			return p, n + 1
		}
		return r.nearestOf(func(year int) Period { return monthOf(year, m) }), 1
	}
	if low := r.word(i); seasons[low] != 0 {
		if p, n := r.inYearOf(i+1, func(year int) Period { return seasonOf(low, year) }); n > 0 {
			return p, n + 1
		}
		return r.nearestOf(func(year int) Period { return seasonOf(low, year) }), 1
	}
	if p, n := r.quarterAt(i); n > 0 {
		return p, n
	}
	step, n := 0, 1
	switch r.word(i) {
	case "the", "this":
	case "last":
		step = -1
	case "next":
		step = 1
	default:
		return Period{}, 0
	}
	switch unit := units[r.word(i+n)]; {
	case unit == "month":
		first := addMonths(r.today, step)
		return monthOf(first.Year(), first.Month()), n + 1
	case unit == "week":
		first := monday(r.today).AddDate(0, 0, 7*step)
		return Period{first, first.AddDate(0, 0, 7)}, n + 1
	}
	if m, ok := r.month(i + 1); ok && step != 0 {
		if mention, k := r.neighbour(i); k > 0 {
			if p, ok := mention.period(); ok {
				return p, k
			}
		}
		return monthOf(r.today.Year()+step, m), n + 1
	}
	if low := r.word(i + 1); seasons[low] != 0 {
		if year, ok := r.season(low, step); ok {
			return seasonOf(low, year), n + 1
		}
	}
	return Period{}, 0
}

// yearAt reads a year: "2024", "last year", "the year", "the year before last".
func (r *reader) yearAt(i int) (Period, int) {
	if y, n := r.year(i); n > 0 {
		return wholeYear(y), n
	}
	if y, err := strconv.Atoi(r.word(i)); err == nil && len(r.word(i)) == 4 && y >= 1900 && y <= 2100 {
		return wholeYear(y), 1 // "mid-2024"
	}
	year := r.today.Year()
	switch {
	case r.word(i) == "the" && r.word(i+1) == "year" && r.word(i+2) == "before" && r.word(i+3) == "last":
		return wholeYear(year - 2), 4
	case (r.word(i) == "the" || r.word(i) == "this") && r.word(i+1) == "year":
		return wholeYear(year), 2
	case r.word(i) == "last" && r.word(i+1) == "year":
		return wholeYear(year - 1), 2
	case r.word(i) == "next" && r.word(i+1) == "year":
		return wholeYear(year + 1), 2
	}
	return Period{}, 0
}

// inYearOf gives what a year has at word i, an "of" or "in" before it allowed.
func (r *reader) inYearOf(i int, of func(year int) Period) (Period, int) {
	n := 0
	if w := r.word(i); w == "of" || w == "in" {
		n = 1
	}
	if w := r.word(i + n); w == "the" && !(r.word(i+n+1) == "year" && r.word(i+n+2) == "before") {
		return Period{}, 0
	}
	year, k := r.yearAt(i + n)
	if k == 0 {
		return Period{}, 0
	}
	return of(year.From.Year()), n + k
}

// nearestOf gives what is there once a year, of which no year is told: the latest that has begun,
// or the next to end where the question is of what is to come.
func (r *reader) nearestOf(in func(year int) Period) Period {
	year := r.today.Year()
	if _, willBe := r.tense(0); willBe && !past(r.words) {
		if p := in(year); p.To.After(r.today) {
			return p
		}
		return in(year + 1)
	}
	if p := in(year); !p.From.After(r.today) {
		return p
	}
	return in(year - 1)
}

func wholeYear(year int) Period { return Period{day(year, 1, 1), day(year+1, 1, 1)} }

func monthOf(year int, m time.Month) Period { return Period{day(year, m, 1), day(year, m+1, 1)} }

func quarterOf(year, n int) Period {
	return Period{day(year, time.Month(3*n-2), 1), day(year, time.Month(3*n+1), 1)}
}

// quarterAt reads "Q3 2024", "H1", "last quarter".
func (r *reader) quarterAt(i int) (Period, int) {
	low := r.word(i)
	if len(low) == 2 && (low[0] == 'q' && low[1] >= '1' && low[1] <= '4' || low[0] == 'h' && (low[1] == '1' || low[1] == '2')) {
		n := int(low[1] - '0')
		of := func(year int) Period { return quarterOf(year, n) }
		if low[0] == 'h' {
			of = func(year int) Period { return Period{day(year, time.Month(6*n-5), 1), day(year, time.Month(6*n+1), 1)} }
		}
		if p, k := r.inYearOf(i+1, of); k > 0 {
			return p, k + 1
		}
		return r.nearestOf(of), 1
	}
	if step, ok := steps[low]; ok && r.word(i+1) == "quarter" && low != "past" && low != "coming" {
		first := addMonths(r.today, 3*step)
		return quarterOf(first.Year(), (int(first.Month())+2)/3), 2
	}
	return Period{}, 0
}

// weekOf reads "the week of 1 April 2024" and "the weekend of August 10".
func (r *reader) weekOf(i int) (Period, int) {
	unit := r.words[i].low
	if unit != "week" && unit != "weekend" || r.word(i+1) != "of" || i+2 >= len(r.words) {
		return Period{}, 0
	}
	start := i + 2
	if r.word(start) == "the" {
		start++
	}
	if start >= len(r.words) {
		return Period{}, 0
	}
	m, n := r.single(start)
	if n == 0 || m.when.grain != byDay {
		return Period{}, 0
	}
	first := monday(m.when.time)
	if unit == "weekend" {
		first = first.AddDate(0, 0, 5)
		return Period{first, first.AddDate(0, 0, 2)}, start - i + n
	}
	return Period{first, first.AddDate(0, 0, 7)}, start - i + n
}

// Parts of a whole.
var edges = map[string]int{"early": 1, "beginning": 1, "start": 1, "mid": 2, "middle": 2, "late": 3, "end": 3}

// edgeOf reads "early June", "mid-2024", "the end of the year".
func (r *reader) edgeOf(i int) (Period, int) {
	low := r.words[i].low
	third, ok := edges[low]
	if !ok {
		return Period{}, 0
	}
	n := 1
	of := r.word(i+1) == "of" || r.word(i+1) == "in"
	if of {
		n = 2
	}
	noun := low == "beginning" || low == "start" || low == "end" || low == "middle"
	if noun && !of {
		return Period{}, 0 // "start June"
	}
	p, k := r.whole(i + n)
	if k == 0 {
		return Period{}, 0
	}
	return p.third(third, noun), n + k
}

// third gives the first, second or last part of a period; of a year its edge is a quarter of it.
func (p Period) third(which int, edge bool) Period {
	const month = 31 * 24 * time.Hour
	switch length := p.Length(); {
	case length > 4*month:
		months, middle := 4, 4
		if edge && which != 2 {
			months = 3
		}
		switch which {
		case 1:
			return Period{p.From, p.From.AddDate(0, months, 0)}
		case 2:
			return Period{p.From.AddDate(0, middle, 0), p.From.AddDate(0, 2*middle, 0)}
		}
		return Period{p.To.AddDate(0, -months, 0), p.To}
	case length > 2*month: // a season, a quarter
		return Period{p.From.AddDate(0, which-1, 0), p.From.AddDate(0, which, 0)}
	case length > month/2:
		from, to := p.From.AddDate(0, 0, 10*(which-1)), p.From.AddDate(0, 0, 10*which)
		if which == 3 {
			to = p.To
		}
		return Period{from, to}
	default:
		from, to := p.From.AddDate(0, 0, 2*(which-1)), p.From.AddDate(0, 0, 2*which+1)
		if to.After(p.To) || which == 3 {
			to = p.To
		}
		return Period{from, to}
	}
}

var placesOf = map[string]int{"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": -1}

// nthOf reads "the first week of May", "the second half of last year", "the third quarter", "the
// last three days of June", "the second Saturday of August".
func (r *reader) nthOf(i int) (Period, int) {
	nth, ok := placesOf[r.words[i].low]
	if !ok {
		return Period{}, 0
	}
	many, n := 1, 1
	if i+1 < len(r.words) {
		if v, k, few := r.number(i + 1); k > 0 && (nth == 1 || nth == -1) {
			if many, n = v, 1+k; few {
				many = 3
			}
		}
	}
	unit := r.word(i + n)
	n++
	weekdayNo, isWeekday := weekdays[unit]
	if w := r.word(i + n); w == "of" || w == "in" {
		n++
	} else if unit != "half" && unit != "quarter" {
		return Period{}, 0
	}
	p, k := r.whole(i + n)
	if k == 0 {
		if unit == "quarter" && nth > 0 { // "the third quarter"
			return r.nearestOf(func(year int) Period { return quarterOf(year, nth) }), 2
		}
		return Period{}, 0
	}
	n += k
	part, ok := p.nth(nth, many, unit, weekdayNo, isWeekday)
	if !ok {
		return Period{}, 0
	}
	return part, n
}

func (p Period) nth(nth, many int, unit string, on time.Weekday, isWeekday bool) (Period, bool) {
	// forth gives the n-th stretch of so many days or months of p, from its end if n is -1.
	stretch := func(months, days int) (Period, bool) {
		out := Period{p.From.AddDate(0, months*(nth-1), days*(nth-1)), p.From.AddDate(0, months*nth, days*nth)}
		if nth < 0 {
			out = Period{p.To.AddDate(0, -months, -days), p.To}
		}
		if out.To.After(p.To) {
			out.To = p.To
		}
		return out, out.From.Before(out.To) && !out.From.Before(p.From)
	}
	months := int((p.Length() + 15*24*time.Hour) / (30 * 24 * time.Hour)) // of p, so far as it has whole ones
	switch {
	case unit == "half" && months >= 2:
		if nth < 0 {
			nth = 2
		}
		return stretch(months/2, 0)
	case unit == "half" && months == 1:
		middle := p.From.AddDate(0, 0, 15)
		if nth == 1 {
			return Period{p.From, middle}, true
		}
		return Period{middle, p.To}, nth == 2 || nth == -1
	case unit == "quarter" && months >= 11:
		if nth < 0 {
			nth = 4
		}
		return stretch(3, 0)
	case isWeekday || unit == "weekend":
		if unit == "weekend" {
			on = time.Saturday
		}
		days := 1
		if unit == "weekend" {
			days = 2
		}
		first := p.From.AddDate(0, 0, (int(on)-int(p.From.Weekday())+7)%7+7*(nth-1))
		if nth < 0 {
			last := p.To.AddDate(0, 0, -1)
			first = last.AddDate(0, 0, -(int(last.Weekday())-int(on)+7)%7)
		}
		return Period{first, first.AddDate(0, 0, days)}, p.Has(first)
	}
	switch units[unit] {
	case "day":
		if many == 1 && strings.HasSuffix(unit, "s") {
			many = 5 // "the first days of May"
		}
		return stretch(0, many)
	case "week":
		return stretch(0, 7*many)
	case "month":
		return stretch(many, 0)
	}
	return Period{}, false
}

// fromTo reads two months, seasons or years and what is between them: "between March and June",
// "from May to July 2024", "from 2019 to 2021".
func (r *reader) fromTo(i int) (Period, int) {
	lead := r.words[i].low
	if lead != "between" && lead != "from" {
		return Period{}, 0
	}
	a, n := r.end(i + 1)
	if n == 0 {
		return Period{}, 0
	}
	n++
	switch join := r.word(i + n); {
	case join == "and" && lead == "between":
		n++
	case (join == "to" || join == "till" || join == "until" || join == "through") && lead == "from":
		n++
	case lead == "from" && i+n < len(r.words) && strings.ContainsAny(r.text[r.words[i+n-1].end:r.words[i+n].start], "-–"):
	default:
		return Period{}, 0
	}
	b, k := r.end(i + n)
	if k == 0 {
		return Period{}, 0
	}
	return a.to(b), n + k
}

// to gives the span to another end; where one has no year it is that of the other.
func (a endOf) to(b endOf) Period {
	if b.told && !a.told {
		a.Period = a.in(b.From.Year())
		if a.From.After(b.From) {
			a.Period = a.in(b.From.Year() - 1)
		}
	} else if a.told && !b.told || !a.told && !b.told && b.From.Before(a.From) {
		b.Period = b.in(a.From.Year())
		if b.From.Before(a.From) {
			b.Period = b.in(a.From.Year() + 1)
		}
	} else if !a.told && !b.told && b.From.Year() > a.From.Year() {
		// Asked in May "between April and July" may be of this year, as far as it has come.
		b.Period = b.in(a.From.Year())
		if b.From.Before(a.From) {
			b.Period = b.in(a.From.Year() + 1)
		}
	}
	return Period{a.From, b.To}
}

// endOf is an end of a span: a period that is there in every year, told says with its year.
type endOf struct {
	Period
	in   func(year int) Period
	told bool
}

func (r *reader) end(i int) (endOf, int) {
	skip := 0
	if r.word(i) == "the" {
		skip = 1
	}
	var in func(int) Period
	if m, ok := r.month(i + skip); ok && r.word(i+skip) != "" {
		if _, isDay := dayOf(r.word(i + skip + 1)); isDay {
			return endOf{}, 0 // a day is read elsewhere
		}
		in = func(year int) Period { return monthOf(year, m) }
	} else if low := r.word(i + skip); seasons[low] != 0 {
		in = func(year int) Period { return seasonOf(low, year) }
	} else if y, n := r.year(i + skip); n > 0 {
		return endOf{wholeYear(y), wholeYear, true}, skip + n
	} else {
		return endOf{}, 0
	}
	p, n := r.whole(i + skip)
	return endOf{p, in, n > 1}, skip + n
}

// wholeOf reads wholes that no other word makes a time: "in August", "August last year", "Q3 2024",
// "the year before last".
func (r *reader) wholeOf(i int) (Period, int) {
	p, n := r.quarterAt(i)
	if n > 0 && (n > 1 || r.before(i) == "in" || r.before(i) == "during") {
		return p, n
	}
	if p, n := r.yearAt(i); n == 4 {
		return p, n
	}
	if m, ok := r.month(i); ok && r.word(i) != "" {
		if next, two := r.month(i + 2); two && next == m%12+1 && (r.word(i+1) == "and" || r.word(i+1) == "or") {
			a, _ := r.end(i)
			if b, k := r.end(i + 2); k > 0 {
				return a.to(b), 2 + k // "in July and August"
			}
		}
		if p, n := r.inYearOf(i+1, func(year int) Period { return monthOf(year, m) }); n > 1 {
			return p, n + 1
		}
		if _, isDay := dayOf(r.word(i + 1)); !isDay && (r.before(i) == "in" || r.before(i) == "during") {
			return r.nearestOf(func(year int) Period { return monthOf(year, m) }), 1
		}
	}
	return Period{}, 0
}

// seasonAsked reads a season with or without its year: "in the spring of 2023", "over the summer".
func (r *reader) seasonAsked(i int) (Period, int) {
	low := r.words[i].low
	if seasons[low] == 0 {
		return Period{}, 0
	}
	of := func(year int) Period { return seasonOf(low, year) }
	if p, n := r.inYearOf(i+1, of); n > 0 {
		return p, n + 1
	}
	lead := r.before(i)
	if lead == "the" {
		lead = r.before(i - 1)
	}
	if !inSeasons[lead] || low == "fall" && r.before(i) != "the" && lead != "in" || r.word(i+1) != "" && !afterSeason[r.word(i+1)] {
		return Period{}, 0 // "the spring roll", "did I fall"
	}
	return r.nearestOf(of), 1
}

// boundedYear reads a year behind a word that says what is asked for of it: "before 2023".
func (r *reader) boundedYear(i int) (Period, int) {
	if year, n := r.year(i); n > 0 && beforeYear[r.before(i)] {
		return wholeYear(year), n
	}
	return Period{}, 0
}

var (
	beforeYear = set(`before until till after during from`)
	// inSeasons stand before a season of which the year is not told.
	inSeasons   = set(`in over during since before after until till`)
	afterSeason = set(`and or when while did do does was were is are with at on holidays holiday break vacation`)
)

// holidays are feasts that questions name beside those of statements, by the days that belong to
// them in a year.
var holidays = map[string]func(year int) Period{
	"easter":         func(year int) Period { e := easter(year); return Period{e.AddDate(0, 0, -2), e.AddDate(0, 0, 2)} },
	"good friday":    func(year int) Period { return oneDay(easter(year).AddDate(0, 0, -2)) },
	"easter monday":  func(year int) Period { return oneDay(easter(year).AddDate(0, 0, 1)) },
	"new year":       func(year int) Period { return Period{day(year-1, 12, 31), day(year, 1, 2)} },
	"new year's":     func(year int) Period { return Period{day(year-1, 12, 31), day(year, 1, 2)} },
	"new year's day": func(year int) Period { return oneDay(day(year, 1, 1)) },
	"holidays":       func(year int) Period { return Period{day(year, 12, 23), day(year+1, 1, 3)} },
	"christmas day":  func(year int) Period { return oneDay(day(year, 12, 25)) },
	"boxing day":     func(year int) Period { return oneDay(day(year, 12, 26)) },
}

func oneDay(t time.Time) Period { return Period{t, t.AddDate(0, 0, 1)} }

// easter gives Easter Sunday of a year, by the rule of the Gregorian calendar.
func easter(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return day(year, time.Month(n/31), n%31+1)
}

// feastAsked reads a feast: "over Christmas", "at Easter 2024", "Christmas of last year".
func (r *reader) feastAsked(i int) (Period, int) {
	in, n, aDay := r.feastAt(i)
	if n == 0 {
		return Period{}, 0
	}
	lead := r.before(i)
	if lead == "the" {
		lead = r.before(i - 1)
	}
	if lead == "over" || lead == "around" || lead == "during" || lead == "at" {
		if narrow := in; aDay {
			in = func(year int) Period {
				p := narrow(year)
				return Period{p.From.AddDate(0, 0, -2), p.To.AddDate(0, 0, 2)}
			}
		}
	}
	if p, k := r.inYearOf(i+n, in); k > 0 {
		return p, n + k
	}
	if next := r.word(i + n); !beforeFeast[lead] && !inSeasons[lead] || next != "" && !afterDay[next] && !beforeFeast[next] && !afterSeason[next] {
		return Period{}, 0 // "for Christmas dinner"
	}
	year := r.today.Year()
	switch begun := !in(year).From.After(r.today); {
	case lead == "next" && begun:
		return in(year + 1), n
	case lead == "this", lead == "next":
		return in(year), n
	case lead == "last" && !begun, lead == "since" && !begun:
		return in(year - 1), n
	case lead == "last", lead == "since":
		return in(year), n
	}
	return r.nearestOf(in), n
}

// feastAt reads the name of a feast at word i; aDay says that it is but one.
func (r *reader) feastAt(i int) (in func(year int) Period, n int, aDay bool) {
	name := ""
	for k := 0; k < 3 && r.word(i+k) != ""; k++ {
		name = strings.TrimSpace(name + " " + r.word(i+k))
		if of, ok := holidays[name]; ok && !(name == "holidays" && (r.before(i) != "the" || r.before(i-1) != "over" && r.before(i-1) != "during")) {
			in, n, aDay = of, k+1, false
		} else if f, ok := feasts[name]; ok {
			in, n, aDay = func(year int) Period { return oneDay(f.in(year)) }, k+1, true
		}
	}
	return in, n, aDay
}

// vague reads what is said of no day: "recently", "the other day", "a few weeks ago", "my week".
func (r *reader) vague(i int) (Period, int) {
	low, tomorrow := r.words[i].low, r.today.AddDate(0, 0, 1)
	const aMonth = 31
	switch low {
	case "recently", "lately":
		if prior := r.before(i); prior == "most" || prior == "until" {
			return Period{}, 0
		}
		return Period{r.today.AddDate(0, 0, -aMonth), tomorrow}, 1
	case "recent":
		if unit := units[r.word(i+1)]; r.before(i) == "in" && unit != "" {
			from, ok := back(r.today, 4, unit)
			if !ok {
				return Period{}, 0
			}
			return Period{from, tomorrow}, 2
		}
	case "other":
		if r.before(i) != "the" {
			return Period{}, 0
		}
		switch units[r.word(i+1)] {
		case "day":
			return Period{r.today.AddDate(0, 0, -14), r.today}, 2
		case "week":
			return Period{r.today.AddDate(0, 0, -28), monday(r.today)}, 2
		}
	case "this":
		if r.word(i+1) == "time" && r.word(i+2) == "last" && r.word(i+3) == "year" {
			then := r.today.AddDate(-1, 0, 0)
			return Period{then.AddDate(0, 0, -14), then.AddDate(0, 0, 15)}, 4
		}
	case "a", "one":
		if r.word(i+1) == "year" && r.word(i+2) == "ago" && r.word(i+3) != "today" {
			then := r.today.AddDate(-1, 0, 0)
			return Period{then.AddDate(0, 0, -45), then.AddDate(0, 0, 46)}, 3
		}
	case "half":
		if r.word(i+1) == "a" && r.word(i+2) == "year" && r.word(i+3) == "ago" {
			first := addMonths(r.today, -6)
			return monthOf(first.Year(), first.Month()), 4
		}
	case "my", "our":
		switch unit := r.word(i + 1); unit {
		case "week", "month":
			if next := r.word(i + 2); next == "" || next == "been" || next == "going" {
				from, _ := back(r.today, 1, unit)
				return Period{from, tomorrow}, 2
			}
		case "day":
			if r.word(i+2) == "" {
				return oneDay(r.today), 2
			}
		case "weekend":
			if r.word(i+2) == "" {
				saturday := monday(r.today).AddDate(0, 0, 5)
				if saturday.After(r.today) {
					saturday = saturday.AddDate(0, 0, -7)
				}
				return Period{saturday, saturday.AddDate(0, 0, 2)}, 2
			}
		}
	case "90s", "80s", "70s", "60s", "nineties", "eighties", "seventies", "sixties":
		if r.before(i) == "the" {
			year := map[byte]int{'9': 1990, 'n': 1990, '8': 1980, 'e': 1980, '7': 1970, '6': 1960}[low[0]]
			if year == 0 {
				year = map[byte]int{'e': 1970, 'i': 1960}[low[1]] // seventies, sixties
			}
			return Period{day(year, 1, 1), day(year+10, 1, 1)}, 1
		}
	}
	if len(low) == 5 && strings.HasSuffix(low, "0s") {
		if year, err := strconv.Atoi(low[:4]); err == nil && year >= 1900 && year <= 2090 {
			return Period{day(year, 1, 1), day(year+10, 1, 1)}, 1
		}
	}
	if _, n, few := r.number(i); few {
		unit := units[r.word(i+n)]
		if ago := r.word(i + n + 1); ago != "ago" && ago != "back" {
			return Period{}, 0
		}
		from, ok := back(r.today, 7, unit)
		if !ok {
			return Period{}, 0
		}
		to, _ := back(r.today, 1, unit)
		return Period{from, to}, n + 2
	}
	return Period{}, 0
}
