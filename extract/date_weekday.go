package extract

import (
	"slices"
	"strings"
)

// Days of the week.

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
		if was == willBe && !was && lead == "on" && (r.clause == 0 || !r.tellsPast()) && r.appointed(i) {
			willBe = true // "exam on Thursday"
		}
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
	if was, willBe := r.tense(i); was && !willBe && !r.arranged(i) {
		return onDay(r.today.AddDate(0, 0, offset-7)), n
	}
	if offset == 0 {
		offset = 7
	}
	return onDay(r.today.AddDate(0, 0, offset)), n
}

// tellsPast says whether any clause tells of what has been.
func (r *reader) tellsPast() bool {
	return slices.ContainsFunc(r.clauses, func(c clause) bool { return c.was })
}
