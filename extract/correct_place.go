package extract

import "strings"

// What is right stands in the place of what is wrong: "I live in Lisbon" and "no, I meant Porto"
// make "I live in Porto". So no word of the slip is read again, and the same said anew is the same.

// inPlace puts a statement right in its own words; the text is "" if the place of what is wrong
// is not known, or if it would be about something else then.
func (c correction) inPlace(s statement) corrected {
	base, held := valueIn(s)
	if strings.Contains(s.text, " (asked: ") || whose.MatchString(c.right) {
		return corrected{}
	}
	c.right = besideRight.ReplaceAllString(c.right, "")
	start, end := c.place(base, held)
	if start < 0 {
		return corrected{}
	}
	right := c.right
	if m := beforeAll.FindStringSubmatch(right); m != nil && !strings.HasPrefix(strings.ToLower(base[start:end]), strings.ToLower(right[:len(right)-len(m[1])])) {
		right = m[1] // "at the airport" for "the bakery"
	}
	now := corrected{text: base[:start] + right + base[end+twice(right, base[end:]):]}
	now.about = slotOf(now.text)
	if s.slot.name != "" && (kindOf(now.about) != kindOf(s.slot) || now.subject != s.slot.subject || now.negated != s.slot.negated) {
		return corrected{}
	}
	return now
}

// place is where in a statement what is wrong stands, negative if that is not known.
func (c correction) place(base, held string) (start, end int) {
	low := strings.ToLower(base)
	if len(low) != len(base) {
		return -1, -1
	}
	whole := func(phrase string) (int, int) {
		at := wholeAt(low, strings.ToLower(phrase))
		return at, at + len(phrase)
	}
	if c.wrong != "" {
		wrong := c.wrong
		if start, end := whole(wrong); start >= 0 {
			return start, end
		}
		if m := beforeAll.FindStringSubmatch(wrong); m != nil {
			wrong = m[1]
		}
		if start, end := whole(wrong); start >= 0 {
			return start, end
		}
		return alikePlace(base, wrong)
	}
	if start, end := c.likePlace(base); start >= 0 {
		return start, end
	}
	words, rights := wordsOf(base), wordsOf(c.right)
	if len(rights) == 0 {
		return -1, -1
	}
	last := rights[len(rights)-1]
	at := -1
	one := func(like func(word) bool) bool {
		at = -1
		n := 0
		for i, w := range words {
			if like(w) {
				at = i
				n++
			}
		}
		return n == 1
	}
	switch {
	case numerals(c.right) == 1 && len(rights) == 1:
		if one(numeral) {
			return words[at].start, words[at].end
		}
	case len(rights) == 1 && one(func(w word) bool { return alike(w.low, last.low) }):
		return words[at].start, words[at].end
	case len(rights) == 1 && weekday4(last) && one(weekday4):
		return words[at].start, words[at].end
	}
	if held != "" && (numerals(held) > 0) == (numerals(c.right) > 0) && capitalIn(base, held) == rights[0].capital {
		return whole(held)
	}
	return -1, -1
}

var (
	monthNamed = `(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)`
	dayNamed   = `(?:mon|tues|wednes|thurs|fri|satur|sun)days?`
	// sorts are what is known by its form alone.
	sorts = []*pattern{
		newPattern(`[^\s@,;]+@[^\s@,;]+\.[a-zA-Z]{2,}`),
		english(`\b` + monthNamed + `\.? \d{1,2}(?:st|nd|rd|th)?\b|\b(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? ` + monthNamed + `\b`),
		newPattern(`\b(?:19|20)\d\d\b`),
		english(`\b\d+(?:[.,]\d+)? ?(?:mg|mcg|ml|kg|km|cm|g|k|miles|pounds|lbs)\b`),
		english(`\b` + dayNamed + `(?:(?:,| and| or| &|, and) ` + dayNamed + `)+\b`),
	}
)

// likePlace is where the one thing in a statement stands that has the form of what is right, or
// is of the same list of words.
func (c correction) likePlace(base string) (start, end int) {
	for _, sort := range sorts {
		if m := sort.FindStringIndex(c.right); m == nil || m[0] != 0 || m[1] != len(c.right) {
			continue
		}
		if all := sort.FindAllStringIndex(base, -1); len(all) == 1 {
			return all[0][0], all[0][1]
		}
		return -1, -1
	}
	rights := wordsOf(c.right)
	if len(rights) == 0 || len(rights) > 2 || particular(rights) {
		return -1, -1
	}
	start, end = -1, -1
	for _, w := range wordsOf(base) {
		if sameList([]word{w}, rights[len(rights)-1:]) {
			if start >= 0 {
				return -1, -1
			}
			start, end = w.start, w.end
		}
	}
	return start, end
}

// sameSort says whether what is right can only be said of one thing in a statement.
func (c correction) sameSort(s statement) bool {
	base, _ := valueIn(s)
	start, _ := c.likePlace(base)
	if start < 0 && strings.HasPrefix(c.text, "*") {
		start, _ = alikePlace(base, c.right)
	}
	return start >= 0 && !onlyWaits(c.text) && !makesIt.MatchString(c.text)
}

// alikePlace is where the one word stands that is spelled much like another.
func alikePlace(base, other string) (start, end int) {
	start, end = -1, -1
	low := strings.ToLower(other)
	for _, w := range wordsOf(base) {
		if len(low) > 3 && alike(w.low, low) {
			if start >= 0 {
				return -1, -1
			}
			start, end = w.start, w.end
		}
	}
	return start, end
}

// beside is what stands in brackets behind the words of a statement: what was asked, or said before.
func beside(text string) string {
	at := len(text)
	for _, opening := range []string{" (asked: ", " (said before: "} {
		if i := strings.Index(text, opening); i >= 0 {
			at = min(at, i)
		}
	}
	return text[at:]
}
