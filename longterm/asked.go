package longterm

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/memdhq/memd/lexical"
)

// asked is what a question asks for beside its words: of whom, said by whom, of which
// date, and whether for a time or a number. What cannot be read from it counts nothing.
type asked struct {
	text string
	// self says that it is about the one who asks.
	self bool
	// answers says that it is about what the assistant said.
	answers bool
	// when and many say that a time, or a number, is the answer.
	when, many bool
	// year, month and day are of a date that it names; 0 where it names none.
	year, month, day int

	named map[string]bool
	// slots are those that it asks for, by what their names begin with.
	slots []string
	// meant are the names of those whom it names by a relation, and steps the relations that only
	// lead to them: "my sister's husband" is not the sister. See hop.go.
	meant, steps []string
	timing
}

// questionBytes is how much of either end of a long text is read as a question.
const questionBytes = 8 << 10

// askedBy reads a question that is asked at a time, in the zone of who asks; the zero time
// leaves out what is told from it.
func askedBy(text string, at time.Time) *asked {
	// What somebody pastes above or below a question is not read as one to its end.
	if len(text) > 2*questionBytes {
		text = strings.ToValidUTF8(text[:questionBytes]+" "+text[len(text)-questionBytes:], "")
	}
	a := &asked{text: text, named: map[string]bool{}, timing: timingOf(text, at)}
	a.self = aboutSelf.MatchString(text)
	a.answers = aboutAnswers.MatchString(text)
	a.when = asksWhen.MatchString(text)
	a.many = asksMany.MatchString(text)
	a.slots = slotsAsked(text)
	if m := isoDate.FindStringSubmatch(text); m != nil {
		a.year, a.month, a.day = number(m[1]), number(m[2]), number(m[3])
		return a
	}
	a.year = number(yearNumber.FindString(text))
	if m := monthName.FindStringSubmatch(text); m != nil {
		a.month = months[strings.ToLower(m[2]+m[3]+m[5]+m[7]+m[8])]
		if a.day = number(m[1] + m[4] + m[6]); a.day > 31 {
			a.day = 0
		}
	}
	return a
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // few digits or none, as the patterns have it
	return n
}

// names says whether the question has the name of whoever said a memory, whole or its
// first word.
func (a *asked) names(actor string) bool {
	if actor == "" {
		return false
	}
	in, known := a.named[actor]
	if !known {
		all := []string{actor}
		if first, _, more := strings.Cut(strings.TrimSpace(actor), " "); more && len(first) > 2 {
			all = append(all, first)
		}
		in = lexical.NamesOf(all...).In(a.text)
		a.named[actor] = in
	}
	return in
}

// date says how well a time agrees with the date in the question: 1 for its month and
// year, so far as they are named, up to 1 more where it is the day or one of the ten
// after it, a little for the month after it, in which such things are still told.
func (a *asked) date(t time.Time) float64 {
	if a.year == 0 && a.month == 0 {
		return 0
	}
	year, month, day := t.Date()
	rightYear := a.year == 0 || a.year == year
	switch {
	case rightYear && (a.month == 0 || a.month == int(month)):
		if late := day - a.day; a.day > 0 && late >= 0 && late <= 10 {
			return 2
		}
		return 1
	case a.month > 0 && int(month) == a.month%12+1 && (a.year == 0 || a.year == t.AddDate(0, -1, 1-day).Year()):
		return nextMonth
	}
	return 0
}

const (
	nextMonth = 0.4
	// theYear is what it counts more that a month without a year is of the year meant.
	theYear = 0.5
)

// The questions. English in the main; what is not recognised has no bearing.
var (
	aboutSelf = regexp.MustCompile(`(?i)\b(?:i|me|my|mine|myself|we|our|(?-i:us)|ich|mich|mir|mein\w*|wir|unser\w*|je|moi|mon|mes|nous|notre|yo|mi|mis|nosotros|nuestr\w+|meu|minha|nosso|nossa)\b`)

	aboutAnswers = regexp.MustCompile(`(?i)\b(?:did|have|had) you\b|\byou(?:['’]ve| have|r)? (?:\w+ )?(?:said|suggested|recommended|told|advised|mentioned|explained|proposed|gave|listed|provided|recommendations?|advice|suggestions?|answer)\b`)

	asksWhen = regexp.MustCompile(`(?i)^\s*(?:when|since when|wann|seit wann|quand|cu[aá]ndo|quando)\b|\b(?:(?:what|which) (?:date|month|year|day)|how long|how many (?:days|weeks|months|years)|wie lange|combien de temps|cu[aá]nto tiempo|quanto tempo)\b`)

	asksMany = regexp.MustCompile(`(?i)\b(?:how (?:many|much|often)|wie ?viele?|wie oft|combien|cu[aá]nt[oa]s?|quant[oa]s?)\b`)
)

// The answers.
var (
	// tellsTime is found in what says when.
	tellsTime = regexp.MustCompile(`(?i)\b(?:yesterday|today|tonight|tomorrow|last|next|this (?:week|month|morning|weekend|year)|ago|weeks?|months?|years?|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday|recently|since|january|february|march|april|june|july|august|september|october|november|december|(?:19|20)\d\d)\b`)
	// tellsNumber is found in what says how many.
	tellsNumber = regexp.MustCompile(`(?i)\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twice|once|several|few)\b`)
)

// Dates in a question. What may be a name or another word counts as a month only beside a
// number, or after a word that goes before a month.
var (
	isoDate    = regexp.MustCompile(`\b((?:19|20)\d\d)-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?\b`)
	yearNumber = regexp.MustCompile(`\b(?:19[5-9]\d|20[0-4]\d)\b`)
	monthName  = func() *regexp.Regexp {
		var all, plain []string
		for name := range months {
			all = append(all, name)
			if len(name) > 4 && !alsoWords[name] {
				plain = append(plain, name)
			}
		}
		slices.Sort(all)
		slices.Sort(plain)
		any, day := "("+strings.Join(all, "|")+")", `(\d{1,2})(?:st|nd|rd|th|\.|º)?`
		after := `(?:[.,]? (\d{1,2})(?:st|nd|rd|th)?\b)`
		return regexp.MustCompile(`(?i)(?:^|[^\pL\d])(?:` + day + `(?: (?:of|de))? ` + any + `|` +
			`(?:in|of|on|by|since|until|till|before|after|during|last|this|next|early|mid|late|im|seit|en|de|depuis|em) ` + any + after + `?|` +
			any + after + `|` + any + `[.,]? (?:19|20)\d\d|(` + strings.Join(plain, "|") + `))(?:[^\pL]|$)`)
	}()
)

// alsoWords are names of months that are words or names of people as well.
var alsoWords = map[string]bool{"march": true, "april": true, "august": true, "avril": true, "julho": true, "agosto": true}

var months = func() map[string]int {
	all := map[string]int{"sept": 9}
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		all[name], all[name[:3]] = int(m), int(m)
	}
	for _, names := range []string{
		"januar februar märz april mai juni juli august september oktober november dezember",
		"janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
		"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
		"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
	} {
		for i, name := range strings.Fields(names) {
			all[name] = i + 1
		}
	}
	return all
}()

// endsAsking says that a text ends with a question mark, apart from a note in brackets
// and what is no letter after it.
func endsAsking(text string) bool {
	text, _, _ = strings.Cut(strings.TrimSpace(text), " (asked: ")
	if strings.HasSuffix(text, "]") {
		if i := strings.LastIndexByte(text, '['); i > 0 {
			text = text[:i]
		}
	}
	text = strings.TrimRightFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '?' && r != '？' && r != '؟'
	})
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") || strings.HasSuffix(text, "؟")
}
