package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What is told of one somebody in one breath ends apart from one another: of "I'm vegan and
// allergic to nuts" the allergy outlasts the diet. Each predicate is a statement of its own
// where it is sure that it is one: it has a slot of its own, or a verb that goes with the subject.

var (
	// ofSpeaker and ofAnother are subjects with what may be shared of the verb.
	ofSpeaker = english(`^((?:i|we)(?:'m| am|'re| are|'ve| have)?)\s`)
	ofAnother = english(`^((?:my|our)\s+(?:[\pL-]+\s+){0,2}?(?:` + sole + `|` + several + `|` + animals + `)(?:,?\s+\p{Lu}[\pL'’-]+,?)?|\p{Lu}[\pL'-]+)((?:'s| is| are)?)\s`)
	// predicateAt is where a further predicate may begin.
	predicateAt = english(`\s*,?\s*\(\s*(?:(?:and|but|plus)\s+)?|\s*[,;]\s+(?:(?:and|but|plus)\s+)?|\s+(?:and|but|plus|&)\s+`)
	beforeVerb  = english(`^(?:(?:also|now|currently|still|just|really|never|always)\s+)+`)
	notShared   = english(`^(?:(?:have|has|am|is|are|was|had) (?:been|done|to|so|not|too)\b|so\b|a (?:half|bit|little|lot|few|couple|quarter)\b|not\b|if\b|when\b|because\b|since\b|then\b)|\b(?:it|there|that|this|them|him|her|so|both|either|(?:my|our|his|her|their) (?:job|work))\b`)
	// isAlso is what somebody is besides: "a nurse and a mother of two".
	isAlso = english(`^an?\s+[\pL-]+(?:\s|$)`)
	// reasoned opens a clause that says why.
	reasoned = english(`(?:,?\s+(?:because|cause|cuz|since|as|so)\s+)((?:i|i'm|im|i've|we|we're|we've|my|our)\s.+)$`)
	// whoTells tells by the way of somebody named.
	whoTells = english(`^(.*?\b((?:my|our)\s+(?:[\pL-]+\s+){0,2}?(?:` + sole + `|` + several + `|` + animals + `)(?:,?\s+\p{Lu}[\pL'’-]+)?)),?\s+who(?:\s+((?:is|has|can't|cannot|doesn't|loves|hates|likes|lives|works|studies|suffers|was)\s.+)|'s\s+(.+))$`)
	// sinceIll dates something by what befell a speaker.
	sinceIll = english(`\s(?:since|after|because of|due to|following)\s+(my\s+(?:[\pL-]+\s+){0,2}?(?:attack|stroke|surgery|operation|accident|diagnosis|transplant|divorce|cancer|illness|injury|breakdown|burnout|miscarriage)\b.*)$`)
	agedWhat = english(`^((?:i'm|im|i am)\s+an?)\s+(\d{1,3}[- ]years?[- ]old)\s+(.+)$`)
	dietWhat = english(`^((?:i'm|im|i am)\s+an?)\s+(vegan|vegetarian|pescatarian|diabetic|celiac|coeliac|muslim|christian|jewish)\s+(.+)$`)
	// elidedOwn tells the same of another: "my birthday is May 4, my wife's is May 5".
	elidedOwn = english(`^((?:my|our)\s+([\pL ]{3,30}?)\s+is\s+[^,;]+?)(?:\s*[,;]\s*(?:and\s+|but\s+)?|\s+(?:and|but)\s+)((?:my|our)\s+[\pL -]{2,30}?'s)\s+(is\s+.+)$`)
	// asideOf tells of what was just named, within a row of things.
	asideOf = english(`^((?:i|we)(?:'ve| have)?\s+(?:have|got|have got|own)\s+.*?(?:called|named)\s+(\p{Lu}[\pL'’-]+)),\s+(?:who(?:'s| is)|(?:he|she|it)(?:'s| is))\s+([^,]{1,40}),?\s+(and\s+.+)$`)
)

// ownPredicates parts what a clause tells of one somebody, each beside what it is about; it
// gives the clause as it is where nothing in it is sure to be another thing.
func (g *grouping) ownPredicates(c clausePart) []clausePart {
	text := strings.TrimRight(c.text, " .!")
	whole := []clausePart{c}
	if c.slot.name == "" && hadOpens.MatchString(text) {
		if a := looseSlot(text); strings.HasPrefix(a.name, "has:") {
			c.slot = a
		}
	}
	if c.slot.name == "" {
		if held := slotBeforeWish(text); held.name != "" {
			return []clausePart{{c.text, held}}
		}
		if parts := g.eachSlotted(text); parts != nil {
			return parts
		}
	}
	if c.slot.name == "" || len(text) > 300 || strings.ContainsAny(text, "\"“«?") || strings.HasPrefix(text, "(") {
		return whole
	}
	if m := asideOf.FindStringSubmatch(text); m != nil {
		if each := eachHad(m[1] + " " + m[4]); len(each) > 1 {
			return append(each, clausePart{"(" + m[2] + " is) " + m[3], slotOf("my dog " + m[2] + " is " + m[3])})
		}
	}
	for _, rule := range []*pattern{agedWhat, dietWhat} {
		if m := rule.FindStringSubmatch(text); m != nil {
			first, second := clausePart{m[1] + " " + m[2], slotOf(m[1] + " " + m[2])}, clausePart{m[1] + " " + m[3], slotOf(m[1] + " " + m[3])}
			if second.slot.name == "" {
				second.slot = slotOf("I am " + m[3])
			}
			if first.slot.name != "" && second.slot.name != "" && second.slot.name != first.slot.name {
				return append([]clausePart{first}, withoutLead(g.ownPredicates(second), m[1])...)
			}
		}
	}
	if m := whoTells.FindStringSubmatch(text); m != nil {
		predicate := m[3]
		if predicate == "" {
			predicate = "is " + m[4]
		}
		head := slotOf(m[1])
		if of := slotOf(m[2] + " " + predicate); head.name != "" && of.name != "" && of.subject != head.subject {
			return []clausePart{{m[1], head}, {"(" + m[2] + ") " + predicate, of}}
		}
	}
	if m := reasoned.FindStringSubmatch(text); m != nil {
		// Why it is so is told with it, and stays when it is so no more.
		if why := slotOf(m[1]); why.name != "" && !c.slot.same(why) {
			return append(whole, g.ownPredicates(clausePart{m[1], why})...)
		}
	}
	if m := sinceIll.FindStringSubmatch(text); m != nil && c.slot.subject == "" {
		return append(whole, clausePart{"(I had) " + m[1], about{}})
	}
	if parts := g.predicates(c, text); parts != nil {
		return parts
	}
	return whole
}

// eachSlotted parts what has no slot as a whole where each predicate has one of its own: "I like
// sushi and hate olives".
func (g *grouping) eachSlotted(text string) []clausePart {
	at := predicateAt.FindStringIndex(text)
	if at == nil || at[0] == 0 || len(text) > 160 || !ofSpeaker.MatchString(text) {
		return nil
	}
	held := slotOf(text[:at[0]])
	if held.name == "" || held.subject != "" || strings.HasPrefix(held.name, "does:") {
		return nil
	}
	parts := g.predicates(clausePart{text, held}, text)
	for _, part := range parts {
		if part.slot.name == "" || strings.HasPrefix(part.slot.name, "does:") {
			return nil
		}
	}
	return parts
}

// wishBehind is what somebody wants besides, which hangs on what they tell of themself.
var wishBehind = english(`^((?:i|i'm|im|i've)\s[^,;:.!?]{3,80}?),?\s+(?:and|but)\s+(?:i\s+)?(?:(?:really|just|also)\s+)?(?:want|need|hope|plan|aim|would like|'d like|am trying|trying|have)\s+to\s[^,;:.!?]{2,60}$`)

// slotBeforeWish gives what is told before such a wish: of "I weigh 94 kilos and want to get to
// 85" the weight, which the rest is of too.
func slotBeforeWish(text string) about {
	if m := wishBehind.FindStringSubmatch(text); m != nil {
		if a := slotOf(m[1]); !a.negated && !strings.HasPrefix(a.name, "does:") {
			return a
		}
	}
	return about{}
}

// eachOwn parts "my birthday is May 4, my wife's is May 5".
func eachOwn(text string) []clausePart {
	m := elidedOwn.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	a, b := slotOf(m[1]), slotOf(m[3]+" "+m[2]+" "+m[4])
	if a.name == "" {
		return nil
	}
	return []clausePart{{m[1], a}, {m[3] + " (" + m[2] + ") " + m[4], b}}
}

// same says whether two slots are one.
func (a about) same(b about) bool { return a.name == b.name && a.subject == b.subject }

// predicates parts a clause at a further predicate of its subject, nil if it has none.
func (g *grouping) predicates(c clausePart, text string) []clausePart {
	subject, be, first := "", "", false
	if m := ofSpeaker.FindStringSubmatch(text); m != nil {
		first = true
		subject, be = m[1][:strings.IndexFunc(m[1]+" ", func(r rune) bool { return !unicode.IsLetter(r) })], m[1]
		if !strings.HasSuffix(be, "m") && !strings.HasSuffix(be, "re") {
			be = ""
		}
	} else if m := ofAnother.FindStringSubmatch(text); m != nil && c.slot.subject != "" && isCalled(m[1], c.slot) {
		subject, be = m[1], m[1]+m[2]
		if m[2] == "" {
			be = ""
		}
	} else {
		return nil
	}
	for _, at := range predicateAt.FindAllStringIndex(text, -1) {
		if at[0] <= len(subject) {
			continue
		}
		head, tail := text[:at[0]], text[at[1]:]
		if strings.Contains(text[at[0]:at[1]], "(") {
			end := strings.IndexByte(tail, ')')
			if end < 0 || hasContent(tail[end+1:]) {
				continue
			}
			tail = tail[:end]
		}
		if notShared.MatchString(firstPredicate(tail)) {
			continue
		}
		held := slotOf(head)
		if held.name == "" && c.slot.subject == "" && hadOpens.MatchString(head) {
			held = looseSlot(head)
		}
		if held.name == "" || held.subject != c.slot.subject {
			continue
		}
		lead, finite := be, predicated(tail, first)
		if finite {
			lead = subject
		} else if be == "" {
			continue
		}
		if !surelyOf(ownVerb.ReplaceAllString(head[len(subject):], ""), text[at[0]:at[1]], tail, held, finite) {
			continue
		}
		full := lead + " " + tail
		of := slotOf(full)
		if of.name == "" && lead == be && !((held.name == "role" || held.name == "age") && isAlso.MatchString(tail)) {
			if of = slotOf(lead + " " + firstPredicate(tail)); of.name == "" {
				continue
			}
		}
		if of.name != "" && (held.same(of) || of.subject != held.subject) || of.name == "" && countWords(tail) < 3 && !isAlso.MatchString(tail) {
			continue
		}
		rest := g.partClauses(full)
		if len(rest) == 1 && rest[0].slot.name == "" {
			rest[0].slot = of
		}
		return append([]clausePart{{head, held}}, withoutLead(rest, lead)...)
	}
	return nil
}

// ofCare is who is seen again and again.
var ofCare = english(`^(?:\pL+ )?sees? (?:a|an|my|his|her) (?:\pL+ )?(?:therapist|psychologist|psychiatrist|doctor|physio|physiotherapist|counsellor|counselor|coach|specialist|dietitian|dietician)\b`)

// oftenAlone are verbs of what somebody does, who says no more of it.
var oftenAlone = set(`smoke vape drink`)

// ownDoings are further verbs of what is told of somebody.
var ownDoings = set(`suffer commute weigh earn owe measure`)

// firstPredicate is a text up to where a further predicate may begin.
func firstPredicate(text string) string {
	if at := predicateAt.FindStringIndex(text); at != nil && at[0] > 0 {
		return text[:at[0]]
	}
	return text
}

// predicated says whether a text opens with a verb in the form of its subject.
func predicated(text string, first bool) bool {
	words := wordsOf(beforeVerb.ReplaceAllString(text, ""))
	if len(words) < 2 {
		return first && len(words) == 1 && oftenAlone[words[0].low]
	}
	low := words[0].low
	switch low {
	case "see", "sees":
		return first == (low == "see") && ofCare.MatchString(text)
	case "can", "can't", "cannot", "moved", "got", "had", "started", "quit", "lost", "became", "was":
		return true
	case "am", "have", "don't", "do":
		return first
	case "is", "has", "doesn't", "does":
		return !first
	}
	return (presents[low] || ownDoings[low] || ownDoings[strings.TrimSuffix(low, "s")]) && first != strings.HasSuffix(low, "s")
}

// withoutLead puts what was left out of the first of some parts in brackets.
func withoutLead(parts []clausePart, lead string) []clausePart {
	if rest, ok := strings.CutPrefix(parts[0].text, lead); ok && len(parts) > 0 {
		parts[0].text = "(" + lead + ")" + rest
	}
	return parts
}

var (
	// heSays opens a sentence on somebody just told of.
	heSays = english(`^(?:and\s+|also,?\s+)?(he|she|his|her)(?:('s)|\b)\s*(\s.+)$`)
	// ofSame are words for what was just told that is nobody.
	ofSame = english(`\b(?:it|there|that|this|them|those|these|so|too|both|either)\b`)
	// leftOut is a subject in brackets, without the verb that may stand in them with it.
	leftOut = english(`^\((.+?)(?: is)?\)`)
	women   = english(`\b(?:mom|mum|mother|mummy|mommy|sister|wife|daughter|girlfriend|gf|aunt|auntie|grandma|grandmother|granny|nana|niece|granddaughter|fianc[ée]e|stepmother|stepmom|landlady|queen|cow|hen|mare)\b`)
	men     = english(`\b(?:dad|father|daddy|brother|son|husband|boyfriend|bf|uncle|grandpa|grandfather|grandad|granddad|nephew|grandson|stepfather|stepdad|landlord|rooster|stallion)\b`)
	// itsOwn opens a short sentence on something of a speaker's.
	itsOwn = english(`^(?:my|our)\s+\pL+`)
	// heDoes is a name and what its bearer does.
	heDoes = newPattern(`^\p{Lu}\pL+ \pL+s\W*$`)
)

// isCalled says whether somebody as they are called is the one that a slot is of.
func isCalled(called string, a about) bool {
	low := strings.ToLower(called)
	return strings.HasPrefix(low, "my ") || strings.HasPrefix(low, "our ") || low == a.subject
}

// toldOf gives whom a pronoun stands for, as they were called, "" if that is not sure: the one
// told of last, or where that cannot be, for a man or a woman, the last one before that may.
func (g *grouping) toldOf(pronoun string) string {
	hers := pronoun == "she" || pronoun == "her"
	for i := len(g.out) - 1; i >= 0; i-- {
		text := leftOut.ReplaceAllString(g.out[i].text, "$1")
		m := ofAnother.FindStringSubmatch(text + " ")
		if i == len(g.out)-1 && g.out[i].slot.subject == "" && firstPerson.MatchString(expand(text)) {
			return soleIn(text, pronoun) // "I'm dating Sander. He builds violins"
		}
		if m == nil || g.out[i].slot.subject == "" && text == g.out[i].text || !isCalled(m[1], g.out[i].slot) || strings.HasSuffix(m[1], "'s") || m[2] == "'s" {
			return ""
		}
		who := strings.TrimRight(m[1], ",")
		switch she, he := women.MatchString(who), men.MatchString(who); {
		case she == he && i < len(g.out)-1:
			return ""
		case she == he, she == hers:
			return who
		}
	}
	return ""
}

// apart gives a sentence that would be put behind the last statement as a statement of its own,
// where that statement may end without it: "My dog Rex is 3. He is allergic to chicken".
func (g *grouping) apart(text string, last *statement) (clausePart, bool) {
	if !g.english || g.assistant || last.list || last.with != nil {
		return clausePart{}, false
	}
	if m := heSays.FindStringSubmatch(text); m != nil {
		if !verbal(wordsOf(text)) || ofSame.MatchString(text) {
			return clausePart{}, false
		}
		who := g.toldOf(strings.ToLower(m[1]))
		switch pronoun := strings.ToLower(m[1]); {
		case who == "":
			return clausePart{}, false
		case pronoun == "his" || pronoun == "her":
			return clausePart{"(" + who + "'s)" + m[3], slotOf(who + "'s" + m[3])}, true
		case m[2] != "":
			return clausePart{"(" + who + " is)" + m[3], slotOf(who + " is" + m[3])}, true
		}
		return clausePart{"(" + who + ")" + m[3], slotOf(who + m[3])}, true
	}
	if last.slot.name == "" {
		return clausePart{}, false
	}
	if g.refers(text) || goesThere(wordsOf(text)) {
		return clausePart{}, false
	}
	bare := strings.TrimRight(text, " .!")
	if itsOwn.MatchString(bare) && countWords(bare) > 2 || heDoes.MatchString(bare) && givenNames[strings.ToLower(strings.Fields(bare)[0])] {
		return clausePart{text, slotOf(text)}, true
	}
	if verbal(wordsOf(bare)) || countWords(bare) > 6 || last.slot.subject != "" || namesOther(last.text, last.slot) {
		return clausePart{}, false
	}
	r, size := utf8.DecodeRuneInString(bare)
	low := string(unicode.ToLower(r)) + bare[size:]
	for _, lead := range []string{"I'm", "I have"} {
		a := slotOf(lead + " " + low)
		if a.name == "" && lead == "I'm" {
			a = slotOf("I am " + low)
		}
		switch kind, _, _ := strings.Cut(a.name, ":"); kind {
		case "allergy", "health", "diet", "pet", "marital status", "number of children", "number of dogs", "number of cats", "age", "role":
			if !a.same(last.slot) {
				return clausePart{"(" + lead + ") " + bare, a}, true
			}
		}
	}
	return clausePart{}, false
}
