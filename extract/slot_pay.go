package extract

import "strings"

// What somebody earns is a matter of its own, which they may want forgotten without their job.

var (
	// earns tells it without "salary"; makesMoney is a verb of other things too, so that only a
	// currency or a period shows that it is of money.
	earns      = english(`^(?:earn|earns|am paid|is paid|get paid|gets paid|am earning|is earning|take home|takes home|bring home|brings home)\s+` + roughly + `(` + pay + `)` + behindPay)
	makesMoney = english(`^(?:make|makes|am making|is making)\s+` + roughly + `((?:[$€£¥]\s?\d[\d.,]*\s?(?:k|grand|thousand)?|\d[\d.,]*\s?(?:k|grand|euros?|dollars?|pounds|bucks|eur|usd|gbp|chf|francs|€|£|\$))(?:` + period + `)?|\d[\d.,]{3,}(?:` + period + `))` + behindPay)
	payHints   = strings.Split("earn,paid,make,making,home", ",")
)

const (
	roughly   = `(?:about |around |roughly |approximately |almost |nearly |over |under |just )*`
	period    = `\s?(?:(?:a|an|per|each|every)\s(?:year|month|week|hour|day|annum)|/\s?(?:year|yr|month|mo|hour|hr|h|week)|yearly|monthly|annually|an hour|gross|net)`
	pay       = `(?:[$€£¥]\s?\d[\d.,]*\s?(?:k|grand|thousand)?|\d[\d.,]*\s?(?:k|grand|thousand|euros?|dollars?|pounds|bucks|eur|usd|gbp|chf|francs|€|£|\$))(?:` + period + `)?`
	behindPay = `(?:\s*(?:[,.;!(–—-]|$)|\s+(?:now|there|as|at|in|before|after|from|gross|net|these|but|and|so|which|because)\b)`
)

// paySlot reads what somebody earns.
func paySlot(s *saying) (about, bool) {
	if !s.known || s.denied {
		return about{}, false
	}
	for _, says := range []*pattern{earns, makesMoney} {
		if m := s.match(says, payHints...); m != nil {
			return s.about("salary", strings.ToLower(m[1]))
		}
	}
	return about{}, false
}
