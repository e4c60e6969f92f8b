package extract

import (
	"strconv"
	"time"
)

// Dates in figures.

var isoDate = newPattern(`\b(\d{4})-(\d{2})-(\d{2})\b`)

// These are dates in figures that leave no doubt: the day comes first with dots, the
// year with slashes and in Chinese and Japanese; with slashes and the year behind, only
// what can be no month, or is the same as the month, is the day.
var (
	dottedDate = newPattern(`\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b`)
	// figuredDate may have the day or the month first.
	figuredDate = newPattern(`\b(\d{1,2})/(\d{1,2})/(\d{4})\b`)
	slashedDate = newPattern(`\b(\d{4})/(\d{1,2})/(\d{1,2})\b`)
	hanDate     = newPattern(`(\d{4})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?[日号號]`)
)

func figureDates(text string) []mention {
	var out []mention
	for n, pattern := range []*pattern{dottedDate, figuredDate, slashedDate, hanDate} {
		for _, m := range pattern.FindAllStringSubmatchIndex(text, -1) {
			part := func(group int) int {
				v, _ := strconv.Atoi(text[m[2*group]:m[2*group+1]]) // digits by the pattern
				return v
			}
			y, month, d := part(1), part(2), part(3)
			if n < 2 {
				y, d = d, y
			}
			if n == 1 {
				if month > 12 {
					month, d = d, month
				} else if d <= 12 && d != month {
					continue
				}
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
