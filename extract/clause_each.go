package extract

import (
	"slices"
	"strings"
)

// Of what is told in a row each may end by itself: the dog of a dog and a cat, one dish of
// three, the town of "I live in Haifa with my cat Mimi".

var (
	hadOpens  = english(`^((?:i|we)(?:'ve| have)?\s+(?:also |now )?(?:have|have got|got|own|keep|'ve got))\s+(.+)$`)
	hadItem   = english(`^(?:a|an|my|our|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})\s+[\pL'-]+(?:\s+[\pL'-]+){0,4}$`)
	likeOpens = english(`^((?:i|we)\s+(?:really |also |absolutely |just |both )?(?:love|like|enjoy|adore|hate|dislike|detest|can't stand|cannot stand|don't like|do not like))\s+(.+)$`)
	likeItem  = newPattern(`^[\pL'’-]+(?:\s+[\pL'’-]+){0,2}$`)
	lastAnd   = english(`^(?:and|or|&)\s+`)
	andInside = english(`\s+(?:and|or|&)\s+`)
	notItem   = english(`^(?:but|not|especially|mainly|mostly|when|because|so|also|too|then|if|it|they|i|we|you|he|she|that|which|who|even|just|as|like|with|without|sometimes|always|honestly|though|etc|more|less|to|what|how|all|both|everything|anything|the idea|lol|haha)\b`)
	// pairs are things that go by two names together.
	pairs = english(`\b(?:mac(?:aroni)? and cheese|fish and chips|rock (?:and|&) roll|salt and (?:vinegar|pepper)|peanut butter and (?:jelly|jam)|gin and tonic|rum and coke|drum and bass|arts and crafts|dungeons and dragons|bread and butter|bed and breakfast|(?:ham|bacon) and eggs|cookies and cream|peace and quiet|hide and seek|rhythm and blues|country and western|black and white|sweet and sour|wine and cheese|milk and (?:cookies|honey)|biscuits and gravy|chicken and waffles|burgers? and fries|steak and (?:chips|fries|kidney))\b`)
	// trios are names of three that look like a row.
	trios = english(`\b(?:earth,? wind,? (?:and|&) fire|crosby,? stills,? (?:and|&)|emerson,? lake,? (?:and|&)|blood,? sweat,? (?:and|&) tears|lock,? stock,? (?:and|&)|peter,? paul,? (?:and|&) mary|bed,? bath,? (?:and|&) beyond|live,? laugh,?(?: and)? love|eat,? pray,?(?: and)? love|the good,? the bad,? (?:and|&)|red,? white,? (?:and|&) blue|bell,? book,? (?:and|&) candle|hook,? line,? (?:and|&) sinker|sex,? drugs,? (?:and|&))`)
	// numbered is no member of a row of what is liked: "lock, stock and two smoking barrels".
	numbered = english(`^(?:one|two|three|four|five|six|seven|eight|nine|ten|\d+)\b`)
	withTail = english(`^(.+?)\s+(?:together |along )?with\s+((?:my|our|a|an|one|two|three|four|five|six|\d)\s+.+)$`)
	owner    = english(`^(?:my|our)\s+`)
	someOf   = english(`^(my|our|a|an)\s+(.+)$`)
	namedPet = english(`^(?:my |our |a )?(?:(?:old|little|new|rescue|beloved)\s+)*(` + animals + `)s?,?\s+(\p{Lu}[\pL'’-]+)$`)
	ownName  = newPattern(`^(?:(?:Hi|Hello|Hey)[,!. ]+)?(?:I'm|I’m|I am|Im)\s+(\p{Lu}[\pL'’-]+)$`)
)

// rowOf cuts a row of things at its commas and its last "and"; nil if it is none, or has
// only two parts where three are wanted.
func rowOf(text string, least int) []string {
	text = strings.TrimRight(text, " .!")
	if strings.ContainsAny(text, ";:()\"?") {
		return nil
	}
	hidden := text
	for m := pairs.FindStringIndex(hidden); m != nil; m = pairs.FindStringIndex(hidden) {
		hidden = hidden[:m[0]] + andInside.ReplaceAllString(hidden[m[0]:m[1]], "\x00") + hidden[m[1]:]
	}
	parts := strings.Split(hidden, ",")
	last := lastAnd.ReplaceAllString(strings.TrimSpace(parts[len(parts)-1]), "")
	ended := last != strings.TrimSpace(parts[len(parts)-1])
	parts[len(parts)-1] = last
	if two := andInside.Split(last, -1); !ended && len(two) > 1 {
		if len(two) != 2 {
			return nil
		}
		parts, ended = append(parts[:len(parts)-1], two...), true
	}
	if !ended || len(parts) < least {
		return nil
	}
	for i, p := range parts {
		p = strings.TrimSpace(p)
		if andInside.MatchString(p) || p == "" {
			return nil
		}
		parts[i] = strings.ReplaceAll(p, "\x00", " and ")
	}
	return parts
}

// twoColours are of one thing: "a black and white cat".
var twoColours = english(`^an?\s+(?:[\pL-]+\s+)??(?:` + looks + `)(?:,? (?:` + looks + `),?)?\s*(?:and|&)\s+(?:` + looks + `)\s+([\pL-]+(?:,? (?:called|named) \pL+)?)\W*$`)

const looks = `black|white|red|blue|green|grey|gray|brown|orange|yellow|pink|purple|ginger|tan|cream|gold|golden|silver|beige|tabby|big|small|old|new|soft|fluffy|cute|lazy|fat`

// eachHad parts "I have a dog called Rex, a cat and two kids".
func eachHad(text string) []clausePart {
	m := hadOpens.FindStringSubmatch(text)
	if m == nil || len(text) > 200 {
		return nil
	}
	if of := twoColours.FindStringSubmatch(m[2]); of != nil {
		a := slotOf(m[1] + " a " + of[1])
		if a.name == "" {
			a = looseSlot(m[1] + " a " + of[1])
		}
		return []clausePart{{text, a}}
	}
	items := rowOf(m[2], 2)
	var out []clausePart
	known := 0
	for i, item := range items {
		if appositive(items, i) {
			return []clausePart{{text, about{}}}
		}
		a := slotOf(m[1] + " " + item)
		ill := strings.HasPrefix(a.name, "health:") && countWords(item) <= 3
		if !hadItem.MatchString(item) && !ill || verbal(wordsOf(item)) && !ill && !nameCall.MatchString(item) && !strings.Contains(item, " called ") && !strings.Contains(item, " named ") {
			return nil
		}
		if a.name == "" {
			a = looseSlot(m[1] + " " + item)
		} else {
			known++
		}
		if a.negated {
			return nil
		}
		part := m[1] + " " + item
		if i > 0 {
			part = "(" + m[1] + ") " + item
		}
		out = append(out, clausePart{part, a})
	}
	if known == 0 {
		return nil
	}
	return out
}

// eachDoes parts "Priya leads backend, Tom does QA": each may leave by themselves.
func eachDoes(text string) []clausePart {
	var out []clausePart
	for _, part := range doesBetween.Split(strings.TrimRight(text, " .!"), -1) {
		if !doesPart.MatchString(part) {
			return nil
		}
		out = append(out, clausePart{part, slotOf(part)})
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// eachPastime parts "my hobbies are climbing, baking and chess".
func eachPastime(text string) []clausePart {
	m := pastimes.FindStringSubmatch(text)
	if m == nil || len(text) > 160 {
		return nil
	}
	var out []clausePart
	for i, item := range rowOf(m[2], 2) {
		if !likeItem.MatchString(item) || notItem.MatchString(item) {
			return nil
		}
		part := m[1] + " " + item
		if i > 0 {
			part = "(" + m[1] + ") " + item
		}
		out = append(out, clausePart{part, about{}})
	}
	return out
}

var (
	pastimes    = english(`^((?:my|our) hobbies (?:are|include))\s+(.+)$`)
	doesBetween = newPattern(`\s*(?:,|;)\s+(?:and\s+)?|\s+and\s+`)
	doesPart    = newPattern(`^\p{Lu}\pL+ (?:does|leads|runs|handles|manages|owns|reviews|maintains|heads|covers) (?:the |our )?[\pL\d][\pL\d/ -]{1,30}$`)
)

// eachLiked parts "I like apples, pears and plums".
func eachLiked(text string) []clausePart {
	if each := eachDoes(text); each != nil {
		return each
	}
	if each := eachPastime(text); each != nil {
		return each
	}
	m := likeOpens.FindStringSubmatch(text)
	if m == nil || len(text) > 160 {
		return nil
	}
	var out []clausePart
	items := rowOf(m[2], 2)
	if len(items) == 2 && slices.ContainsFunc(items, func(item string) bool { return strings.Contains(item, " ") }) {
		return nil // "hot and spicy food"
	}
	if trios.MatchString(m[2]) || len(items) > 0 && (!slices.ContainsFunc(items, func(item string) bool { return !startsName(item) }) || slices.ContainsFunc(items, numbered.MatchString)) {
		return []clausePart{{text, about{}}} // a name as a whole, or names
	}
	for i, item := range items {
		words := wordsOf(item)
		if !pairs.MatchString(item) && (!likeItem.MatchString(item) || len(words) > 1 && verbal(words)) || notItem.MatchString(item) {
			return nil
		}
		if appositive(items, i) {
			return []clausePart{{text, out[0].slot}}
		}
		a := slotOf(m[1] + " " + item)
		if a.name == "" && !pairs.MatchString(item) || a.name != "" && !strings.HasPrefix(a.name, "taste:") {
			return nil
		}
		part := m[1] + " " + item
		if i > 0 {
			part = "(" + m[1] + ") " + item
		}
		out = append(out, clausePart{part, a})
	}
	return out
}

// besideWhat parts where somebody lives or what they are from whom and what they tell with it:
// a pet, children, an allergy or an illness of theirs outlasts the move.
func besideWhat(text string) []clausePart {
	m := withTail.FindStringSubmatch(strings.TrimRight(text, " .!"))
	if m == nil || len(text) > 200 {
		return nil
	}
	head := slotOf(m[1])
	switch head.name {
	case "home", "role", "work", "marital status", "age", "name":
	default:
		return nil
	}
	if head.subject != "" || head.negated {
		return nil
	}
	items := rowOf(m[2], 2)
	if items == nil {
		items = []string{m[2]}
	}
	with := []string(nil)
	var out []clausePart
	for _, item := range items {
		if !hadItem.MatchString(item) {
			return nil
		}
		a := slotOfHad(item)
		kind, _, _ := strings.Cut(a.name, ":")
		switch kind {
		case "pet", "allergy", "health", "number of children", "number of dogs", "number of cats", "has":
			out = append(out, clausePart{"(I have) " + item, a})
		default:
			with = append(with, item)
		}
	}
	if len(out) == 0 {
		return nil
	}
	if len(with) > 0 {
		m[1] += " with " + strings.Join(with, " and ")
	}
	parts := []clausePart{{m[1], head}}
	if at := roleIn.FindStringSubmatch(m[1]); at != nil && head.name == "role" && len(with) == 0 {
		parts = []clausePart{{at[1], head}, {"(I'm) " + at[2], about{}}}
	}
	return append(parts, out...)
}

// roleIn is what somebody is and where.
var roleIn = newPattern(`^(.+?)\s+(in \p{Lu}[\pL'’-]+(?:\s\p{Lu}[\pL'’-]+)?)$`)

// slotOfHad gives the slot of something that one has by its noun.
func slotOfHad(item string) about {
	if m := namedPet.FindStringSubmatch(item); m != nil {
		return slotOf("I have a " + strings.ToLower(m[1]) + " called " + m[2])
	}
	said := owner.ReplaceAllString(item, "a ")
	if a := slotOf("I have " + said); a.name != "" {
		return a
	}
	if a := looseSlot("I have " + said); oneAnimal.MatchString(strings.TrimPrefix(a.name, "has:")) {
		return a
	}
	return about{}
}

// standsForItself gives a clause that has no slot so far the one of what is told in it that stands
// for itself: who somebody is, what they have. It says whether it has one.
func standsForItself(c *clausePart) bool {
	if m := ownName.FindStringSubmatch(strings.TrimSpace(c.text)); m != nil && !peoples(strings.ToLower(m[1])) {
		return true
	}
	if m := hadOpens.FindStringSubmatch(c.text); m != nil && hadItem.MatchString(strings.TrimRight(m[2], " .!")) {
		if a := looseSlot(c.text); strings.HasPrefix(a.name, "has:") {
			c.slot = a
			return true
		}
	}
	return false
}
