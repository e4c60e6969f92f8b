package extract

import "strings"

// usedTo tells what was so and is no more.
var usedTo = english(`^(?:i|we) used to ((?:live in|work (?:at|for)|work as|study|drive|eat|smoke|drink|play) [^,;.]{2,40}|smoke)\W*$`)

// wasOnce gives what "I used to live in Kiel" says to hold no more.
func wasOnce(text string) (about, bool) {
	m := usedTo.FindStringSubmatch(text)
	if m == nil || qualified(m[1]) {
		return about{}, false
	}
	a := slotOf("I " + m[1])
	if words := strings.Fields(strings.ToLower(a.value)); a.name == "home" && len(words) > 1 && !longPlaces[words[0]] && words[len(words)-1] != "city" {
		return about{}, false // a part of a town, which may be the one that is lived in yet
	}
	if kind, _, _ := strings.Cut(a.name, ":"); a.negated || kind != "home" && kind != "work" && kind != "role" && kind != "studies" && kind != "habit" && kind != "car" {
		return about{}, false
	}
	a.negated = true
	return a, true
}

// longPlaces open names of places of several words.
var longPlaces = set(`new san santa los las la le el st saint rio buenos the cape hong tel kuala mexico south north west east sri costa puerto united saudi port fort salt great long baton sierra cote nova sao são abu ho addis den des little grand palo bad novi santo san-`)

// slotOfAsked gives what a question is about, put as its answer says it: "I have your cat".
func slotOfAsked(text string) about {
	text = strings.ReplaceAll(text, " your ", " my ")
	if a := slotOf(text); a.name != "" {
		return a
	}
	if a := looseSlot(text); strings.HasPrefix(a.name, "has:") {
		return a
	}
	return about{}
}

var (
	isTheirs  = newPattern(`^(\p{Lu}[\pL'’-]+) is (?:my|our) ((?:(?:older|younger|little|big|elder|eldest|oldest|youngest|only|baby|twin)\s+)*)(` + sole + `|` + several + `)\W*$`)
	hasTheirs = english(`^(?:have|have got|got)\s+(?:a|an|one)\s+(?:(?:older|younger|little|big|elder|eldest|oldest|youngest|baby|twin)\s+)*(` + sole + `|` + several + `)\s*,?\s+(?:called|named)\s+(\p{Lu}[\pL'’-]+)(?:\W*$|\s*[,.;(].*|\s+(?:and|who|in|from|that)\b.*)`)
)

// theirs reads "Ana is my sister" and "I have a sister called Eva".
func (s *saying) theirs() (about, bool) {
	who, name := "", ""
	if m := s.matchText(isTheirs, " is my ", " is our "); m != nil && !noNames[strings.ToLower(m[1])] && !opinions[strings.ToLower(m[1])] {
		who, name = relation(strings.ToLower(m[3])), m[1]
	} else if m := s.match(hasTheirs, "called", "named"); m != nil && s.self() && !s.denied {
		who, name = relation(strings.ToLower(m[1])), m[2]
	} else {
		return about{}, false
	}
	if severalOf[who] {
		return about{name: who + ":" + strings.ToLower(name)}, true
	}
	return about{name: who, value: name}, true
}
