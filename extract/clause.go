package extract

import (
	"strings"
)

// A sentence may tell two things that change apart from one another: "I'm 45 and I
// live in Ostrava". Each is a statement of its own then, so that moving house does not
// make anyone ageless. What hangs together stays together.

var (
	// nextClause parts clauses of which the second has a subject of its own.
	nextClause = english(`(?:[,;]\s+(?:and|but|also|plus)\s+|[,;]\s+|\s+(?:and|but|also|plus|&)\s+|\s+[–—-]\s+)((?:(?:also|now|then|so|currently|recently|on the side|in my free time|yesterday|today|these days|sometimes)\s+)?(?:i|i'm|im|i've|i'd|we|we're|we've|my|our)\s)`)
	// andVerb parts clauses that share their subject.
	andVerb = english(`(?:,?\s+and\s+|,\s+)((?:now\s+)?(?:live|work|study|speak|have|love|hate|like|play|drive|moved|got|am|work)\s)`)
)

// clauses cuts a statement into those that have slots of their own. A clause that
// lacks its subject gets it in brackets.
func (g *grouping) clauses(text string) []string {
	if len(text) > 400 || strings.ContainsAny(text, "\"“«") || supposed.MatchString(expand(text)) {
		return []string{text}
	}
	var out []string
	start := 0
	for _, m := range nextClause.FindAllStringSubmatchIndex(text, -1) {
		if m[2] < start || !g.wholeClause(text[start:m[0]]) || !g.wholeClause(firstClause(text[m[2]:])) {
			continue
		}
		out = append(out, text[start:m[0]])
		start = m[2]
	}
	out = append(out, text[start:])
	if len(out) > 1 {
		slots, alone := map[string]bool{}, 0
		for i, c := range out {
			if a := slotOf(c); a.name != "" {
				slots[a.name+a.subject] = true
			} else if i > 0 && (g.leans(c) || hangs.MatchString(c)) || countWords(c) < 4 {
				alone--
			} else {
				alone++
			}
		}
		if len(slots) >= 2 || len(slots) == 1 && alone == len(out)-1 {
			return out
		}
		return []string{text}
	}
	if !firstPerson.MatchString(expand(text)) {
		return out
	}
	for _, m := range andVerb.FindAllStringSubmatchIndex(text, -1) {
		a, b := slotOf(text[:m[0]]), slotOf("I "+text[m[2]:])
		if a.name != "" && b.name != "" && a.name != b.name {
			return []string{text[:m[0]], "(I) " + text[m[2]:]}
		}
	}
	return out
}

// hangs are words that stand for something of the clause before.
var hangs = english(`\b(?:it|them|him|her|there|one|ones|both|that)\b|\b(?:do|does|did|too|either)\W*$`)

// firstClause is a text up to its next comma or "and".
func firstClause(text string) string {
	if m := nextClause.FindStringIndex(text); m != nil {
		return text[:m[0]]
	}
	return text
}

// wholeClause says whether a clause has a verb and is no mere opening.
func (g *grouping) wholeClause(text string) bool {
	words := wordsOf(text)
	return (len(words) >= 3 || len(words) == 2 && own[words[0].low]) && verbal(words) && !conditional[words[0].low] && !because.MatchString(text) && !noteThat.MatchString(text)
}
