package extract

import (
	"strings"
	"time"
)

// Feasts, on the same day each year or counted from Easter: "for Christmas", "last Halloween", "at
// Easter". A birthday is no day that the words tell.

// feastDay is the day of a feast; day 0 is the fourth Thursday of the month, month 0 that many days from
// Easter Sunday.
type feastDay struct {
	month time.Month
	day   int
}

var (
	feasts = map[string]feastDay{
		"christmas": {12, 25}, "xmas": {12, 25}, "halloween": {10, 31}, "thanksgiving": {11, 0}, "nye": {12, 31},
		"christmas eve": {12, 24}, "valentine's day": {2, 14}, "valentines day": {2, 14}, "new year's eve": {12, 31}, "new years eve": {12, 31},
		"christmas day": {12, 25}, "boxing day": {12, 26}, "new year's day": {1, 1}, "new years day": {1, 1}, "valentine's": {2, 14},
		"easter": {0, 0}, "easter sunday": {0, 0}, "easter monday": {0, 1}, "easter day": {0, 0}, "good friday": {0, -2}, "whit monday": {0, 50}, "pentecost": {0, 49}, "palm sunday": {0, -7},
	}
	// beforeFeast are words with which a feast tells when something is.
	beforeFeast = set(`for at on over by before until till since last this next around`)
)

// feast reads a feast whose year the tense tells, or "last", "this" and "next".
func (r *reader) feast(i int) (mention, int) {
	lead := r.words[i].low
	if !beforeFeast[lead] || r.recurring {
		return mention{}, 0
	}
	f, n := r.feastNamed(i)
	if next := r.word(i + n); n == 0 || next != "" && !afterDay[next] && !beforeFeast[next] {
		return mention{}, 0 // "for Christmas dinner"
	}
	was, willBe := r.tense(i)
	willBe = willBe || !was && strings.HasSuffix(r.words[0].low, "ing") // "flying home for Christmas"
	year := r.today.Year()
	switch gone := f.in(year).Before(r.today); {
	case lead == "this":
	case lead == "last" || lead == "since" || lead != "next" && was && !willBe && !r.shifted(i):
		if !gone {
			year--
		}
	case lead == "next" || willBe || r.shifted(i) || lead == "on" && !was && r.appointed(i):
		if gone {
			year++
		}
	default:
		return mention{}, 0
	}
	return onDay(f.in(year)), n
}

// feastNamed reads the name of a feast after word i; n is how many words it takes with that one.
func (r *reader) feastNamed(i int) (f feastDay, n int) {
	name := ""
	for k := 1; k <= 3 && r.word(i+k) != ""; k++ {
		name = strings.TrimSpace(name + " " + r.word(i+k))
		if known, ok := feasts[name]; ok {
			f, n = known, k+1
		}
	}
	return f, n
}

// in gives the day of a feast in a year.
func (f feastDay) in(year int) time.Time {
	if f.month == 0 {
		return easter(year).AddDate(0, 0, f.day)
	}
	if f.day > 0 {
		return day(year, f.month, f.day)
	}
	first := day(year, f.month, 1)
	return first.AddDate(0, 0, (int(time.Thursday)-int(first.Weekday())+7)%7+21)
}
