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
	andVerb = english(`(?:,?\s+and\s+|,\s+)((?:now\s+)?(?:live|work|study|speak|have|love|hate|play|drive|moved|got|am|work)\s)`)
)

// clausePart is a part of a sentence that is a statement of its own, and what it is about.
type clausePart struct {
	text string
	slot about
}

// clauses cuts a statement into those that have slots of their own. A clause that
// lacks its subject gets it in brackets.
func (g *grouping) clauses(text string) []clausePart {
	known, ok := g.parted[text]
	if !ok {
		known = g.partClauses(text)
		if len(text) <= 2*judgedBytes {
			g.parted[text] = known
		}
	}
	return known
}

func (g *grouping) partClauses(text string) []clausePart {
	if !supposed.MatchString(expand(text)) {
		if parts := g.ofNamed(text); parts != nil {
			return parts
		}
	}
	parts := g.cutClauses(text)
	if len(text) > 400 || supposed.MatchString(expand(text)) {
		return parts
	}
	var out []clausePart
	for _, part := range parts {
		out = append(out, g.ownPredicates(part)...)
	}
	return out
}

func (g *grouping) cutClauses(text string) []clausePart {
	if contains(text, figurativeHints) && inJest.MatchString(text) {
		return []clausePart{{text, about{}}}
	}
	whole := []clausePart{{text, slotOf(text)}}
	if strings.Contains(text, "ran away") && strayed.MatchString(text) {
		return whole
	}
	if each := g.unmarked(text); each != nil {
		return each
	}
	if len(text) > 400 || !strings.ContainsAny(text, ",;&–—-") && !strings.Contains(text, " and ") && !strings.Contains(text, " but ") && !strings.Contains(text, " also ") && !strings.Contains(text, " plus ") && !strings.Contains(text, " with ") || strings.ContainsAny(text, "\"“«") || supposed.MatchString(expand(text)) {
		return whole
	}
	if each := eachOf(text); each != nil {
		return each
	}
	if each := eachOwn(text); each != nil {
		return each
	}
	if each := eachHad(text); each != nil {
		return each
	}
	if each := eachLiked(text); each != nil {
		return each
	}
	if parts := besideWhat(text); parts != nil {
		return parts
	}
	var out []clausePart
	start, comma := 0, false
	cut := func(end int) {
		part := text[start:end]
		out = append(out, clausePart{part, slotOf(part)})
	}
	for _, m := range nextClause.FindAllStringSubmatchIndex(text, -1) {
		if m[2] < start || !g.wholeClause(text[start:m[0]]) || !g.wholeClause(firstClause(text[m[2]:])) {
			continue
		}
		comma = comma || !hasContent(text[m[0]:m[2]]) && !strings.Contains(text[m[0]:m[2]], "&")
		cut(m[0])
		start = m[2]
	}
	if start > 0 {
		cut(len(text))
	}
	if len(out) > 1 {
		var held about
		slots, alone := 0, 0
		for i, c := range out {
			switch {
			case c.slot.name != "":
				if slots == 0 || c.slot.name != held.name || c.slot.subject != held.subject {
					slots++
				}
				held = c.slot
			case standsForItself(&out[i]):
				slots++
				held = out[i].slot
			case i > 0 && (g.leans(c.text) || hangs.MatchString(c.text)), countWords(c.text) < 4:
			default:
				alone++
			}
		}
		if last := out[len(out)-1].slot; comma && out[0].slot.negated && (last.name == "" || out[0].slot.name == "role" || last.name == out[0].slot.name) {
			// "I'm not a sailor, I do tree work": the contrast is one statement.
			return []clausePart{{text, held}}
		}
		if slots >= 2 || slots == 1 && alone == len(out)-1 && !comma {
			return out
		}
		if slots == 1 && !(held.negated && whole[0].slot.name == "home") { // "I left Pisa, now we're in Bern"
			whole[0].slot = held
		}
		return whole
	}
	if !firstPerson.MatchString(expand(text)) {
		return whole
	}
	for _, m := range andVerb.FindAllStringSubmatchIndex(text, -1) {
		a, b := slotOf(text[:m[0]]), slotOf("I "+text[m[2]:])
		if b.name == "home" || b.name == "work" { // "I have a cat and live in Graz"
			if a.name == "" {
				a = looseSlot(text[:m[0]])
			}
		} else if whole[0].slot.name == "" {
			continue
		}
		if a.name != "" && b.name != "" && a.name != b.name {
			return []clausePart{{text[:m[0]], a}, {"(I) " + text[m[2]:], b}}
		}
	}
	return whole
}

// unmarked parts a text in which somebody writes on without marks: "i live in rome my dog is
// called rex". Two parts must have a slot at least and each must be a clause, the first may be
// who speaks; nil if it is not so.
func (g *grouping) unmarked(text string) []clausePart {
	if len(text) > 400 || strings.ContainsAny(text, ",;.!?:()\"“”«»–—") || supposed.MatchString(expand(text)) {
		return nil
	}
	ends := append(runsOnAt.FindAllStringSubmatchIndex(text, -1), []int{len(text), len(text), len(text), len(text)})
	var out []clausePart
	start, slots, bare := 0, 0, false
	for n, m := range ends {
		part := strings.TrimSpace(text[start:m[0]])
		words := wordsOf(part)
		last := n == len(ends)-1
		if len(words) < 2 || !last && governs[words[len(words)-1].low] {
			if last {
				return nil
			}
			continue
		}
		slot := slotOf(part)
		if name := bareName.FindStringSubmatch(part); slot.name == "" && start == 0 && name != nil && givenNames[strings.ToLower(name[1])] {
			slot = about{name: "name", value: name[1]}
		}
		each := eachOf(part)
		if slot.name == "" && each == nil && (!g.wholeClause(part) || !last && slotOf(text[m[2]:ends[n+1][0]]).name == "") {
			if last {
				return nil
			}
			continue // it may go on
		}
		if slot.name != "" || each != nil {
			slots++
		}
		if each == nil {
			each = []clausePart{{part, slot}}
		}
		out = append(out, each...)
		bare = bare || !last && m[2] == m[0]+1
		start = m[2]
	}
	if slots < 2 || !bare {
		return nil // "and" alone parts what other rules part
	}
	return out
}

var (
	// runsOnAt is where a clause may begin that no mark parts from the one before.
	runsOnAt = english(`\s(?:and\s+)?((?:i|im|i'm|i've|ive|we|we're|my|our)\s)`)
	bareName = english(`^(?:(?:hi|hello|hey|heya|yo|hiya|so)\s+)*(?:i'm|im|i am|my names?)\s+(\pL{2,20})$`)
	// governs are words behind which a clause hangs on what is before it.
	governs = set(`that and or but because cuz bc since as if when whenever while where who whom which what how why than then so until till before after though although unless whether think thought know knew hope guess say said tell told feel wish believe bet swear mean means like love hate want need see hear find found make made let got get is are was were be am do does did have has had can will would could should may might must of in on at to for with from by about into over under near between without the a an my our your his her their its this these those not no both all and only just also even how me him them us you way day time moment year reason place thing things everything anything something nothing person people man woman guy girl one ones first best worst`)
)

var (
	// enumerates opens a statement that may be of several things alike.
	enumerates = english(`^((?:i|we)(?:'m| am|'re| are|'ve)?\s+(?:also |both )?(?:speak|take|allergic to|have|have got|got))\s+(.+)$`)
	enumerated = english(`\s*,\s*(?:and\s+)?|\s+and\s+`)
)

// eachOf parts a statement of several languages, allergies or pets: each may change apart
// from the others. It is nil if some have no slot.
func eachOf(text string) []clausePart {
	m := enumerates.FindStringSubmatch(text)
	if m == nil || len(text) > 120 {
		return nil
	}
	items := enumerated.Split(strings.TrimRight(m[2], " .!"), -1)
	if len(items) < 2 {
		return nil
	}
	var out []clausePart
	for i, item := range items {
		if words := wordsOf(item); i > 0 && len(words) > 0 && auxiliaries[words[0].low] {
			if i == 1 && len(items) == 2 {
				return []clausePart{{text, out[0].slot}} // "and have been since birth"
			}
			return nil
		}
		a := slotOf(m[1] + " " + item)
		if kind, _, _ := strings.Cut(a.name, ":"); a.negated || kind != "language" && kind != "allergy" && kind != "pet" && !(kind == "habit" && medicine(a.name)) || len(out) > 0 && !strings.HasPrefix(out[0].slot.name, kind+":") {
			return nil
		}
		if i > 0 {
			item = "(" + m[1] + ") " + item
		} else {
			item = m[1] + " " + item
		}
		out = append(out, clausePart{item, a})
	}
	return out
}

// medicine says whether a habit is to take something of one word: "habit:take metformin".
func medicine(habit string) bool {
	what, takes := strings.CutPrefix(habit, "habit:take ")
	return takes && !strings.Contains(what, " ") && len(what) > 4
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
