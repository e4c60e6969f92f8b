package extract

import "strings"

// "Tom, 30, from Leeds" introduces who was asked to, and "As a nurse, how do I …" tells by the
// way what somebody is: fragments, each of which is a statement of its own with its subject
// written before it.

var (
	// asksOfSelf asks somebody to introduce themself.
	asksOfSelf = english(`\b(?:(?:tell|say) (?:me |us )?(?:(?:a (?:bit|little)|a few (?:things|words)|something|more|a bit more|a little more) )?about you(?:rself)?|introduce yourself|who (?:are you|am i (?:talking|speaking|chatting) (?:to|with))|what(?:'s| is) your name|(?:a bit )?about (?:you|yourself))\b`)
	// iAmFirst opens an introduction that nobody asked for.
	iAmFirst   = english(`^` + lightWords + `(?:i'm|im|i am|my name is|my name's)\s+`)
	ofAgeOnly  = english(`^(?:age |aged )?(\d{1,2})(?:\s*(?:years?[- ]old|yrs? old|yo|y/o|years))?$`)
	comesFrom  = english(`^(?:(?:originally )?(?:from|based in|living in|live in|lives in|in))\s+(\p{Lu}.*)$`)
	tradeFrom  = english(`^(?:a |an )?((?:[\pL-]+ ){0,2}?(?:` + trades + `))(?:\s+(?:from|in|based in|living in)\s+(\p{Lu}.*))?$`)
	nameOfSelf = newPattern(`^\p{Lu}[\pL'’-]+(?: \p{Lu}[\pL'’-]+)?$`)
)

// selfFirst are pieces of which iAmFirst has one.
var selfFirst = []string{"i'm ", "i’m ", "im ", "i am ", "my name"}

// introduction parts an introduction into what it tells of who speaks, nil if that is not all it
// does: it begins with a name and has an age, a place or an occupation behind it.
func (g *grouping) introduction(text string) []clausePart {
	bare := strings.TrimRight(text, " .!")
	if len(bare) > 120 || !strings.ContainsAny(bare, ",;/") && !strings.Contains(bare, " and ") {
		return nil
	}
	asked := !g.spoken && len(g.heard) > 0 && !sameSpeaker(g.heard[len(g.heard)-1], g.message) && asksOfSelf.MatchString(head(g.heard[len(g.heard)-1].Text, 400))
	opening := ""
	if contains(strings.ToLower(head(bare, 40)), selfFirst) {
		opening = iAmFirst.FindString(bare)
	}
	if opening == "" && !asked {
		return nil
	}
	items := answerComma.Split(bare[len(opening):], -1)
	if len(items) < 2 || len(items) > 5 {
		return nil
	}
	name := strings.TrimSuffix(items[0], " here")
	if !nameOfSelf.MatchString(name) || peoples(strings.ToLower(strings.Fields(name)[0])) || noNames[strings.ToLower(name)] || opinion(name) {
		return nil
	}
	parts := []clausePart{{opening + items[0], about{name: "name", value: name}}}
	if opening == "" {
		parts[0].text = "(I'm) " + items[0]
	}
	add := func(text string, a about) { parts = append(parts, clausePart{"(I'm) " + text, a}) }
	for i, item := range items[1:] {
		item = strings.TrimSpace(item)
		if m := ofAgeOnly.FindStringSubmatch(item); m != nil {
			add(item, about{name: "age", value: m[1]})
		} else if m := comesFrom.FindStringSubmatch(item); m != nil && slotOf("I live in "+m[1]).name == "home" {
			add(item, about{name: "home", value: slotOf("I live in " + m[1]).value})
		} else if m := tradeFrom.FindStringSubmatch(item); m != nil {
			if m[2] != "" {
				where := slotOf("I live in " + m[2])
				if where.name != "home" {
					return nil
				}
				at := len(item) - len(m[2])
				at = strings.LastIndex(strings.TrimRight(item[:at], " "), " ") + 1
				add(strings.TrimSpace(item[:at]), about{name: "role", value: strings.ToLower(m[1])})
				add(item[at:], about{name: "home", value: where.value})
				continue
			}
			add(item, about{name: "role", value: strings.ToLower(m[1])})
		} else if i == len(items)-2 && i > 0 && nameOfSelf.MatchString(item) && !peoples(strings.ToLower(strings.Fields(item)[0])) && !givenNames[strings.ToLower(item)] {
			parts = append(parts, clausePart{"(I'm in) " + item, about{name: "home", value: item}})
		} else {
			return nil
		}
	}
	return parts
}

var (
	// beingWhat opens a question by what its speaker is, asBeing ends one.
	beingWhat   = english(`^` + lightWords + `(?:as|being|speaking as)\s+((?:a|an)\s+[\pL -]{3,40}?),\s+(.+)$`)
	asBeing     = english(`^(.+?)\s+as\s+((?:a|an)\s+[\pL-]{3,20}(?: [\pL-]+)?)\s*\?+\s*$`)
	asksForSelf = english(`\b(?:i|i'm|my|me|we|our)\b`)
	putToOther  = english(`\b(?:would|do|could|should|can|will|are) (?:you|u)\b|\bact as\b`)
	asksForOne  = english(`\b(?:can|could|should|do|may|must|will|would|am|shall|did) (?:i|we)\b`)
	ofSomebody  = english(`\b(?:him|her|them|my|someone|somebody|he|she|it)\b`)
	// speaksOfSelf names who asks, and not only whom they have.
	speaksOfSelf = english(`\b(?:i|me|we|us)\b`)
	// whoIsIt tells of a relative in a question: "my daughter who is lactose intolerant".
	whoIsIt = english(`\b((?:my|our)\s+(?:[\pL-]+\s+)?(?:` + sole + `|` + several + `)(?:\s+\p{Lu}\pL+)?)\s+who\s*('s|is|has|can't|cannot|can not|doesn't|hates|loves|likes)\s+([^?,]{3,60}?)\s*\?+\s*$`)
)

// byTheWay are pieces of what tells something by the way.
var byTheWay = []string{"as a", "being a", " who"}

// toldByTheWay gives what a question tells of who asks by what they are asked as, or of a
// relative by a clause of its own; ok is false if it does neither.
func toldByTheWay(text string) (part clausePart, ok bool) {
	if len(text) > 300 || !contains(strings.ToLower(text), byTheWay) || !asksSomething(text) || supposed.MatchString(text) || supposing.MatchString(text) && strings.Contains(strings.ToLower(text), "if ") {
		return clausePart{}, false
	}
	what, question := "", ""
	if m := beingWhat.FindStringSubmatch(text); m != nil {
		what, question = m[1], m[2]
	} else if m := asBeing.FindStringSubmatch(text); m != nil && asksForOne.MatchString(m[1]) && !ofSomebody.MatchString(m[1]) {
		what, question = m[2], m[1]
	}
	if what != "" && asksForSelf.MatchString(question) && !putToOther.MatchString(question) && !(ownOther.MatchString(question) && !speaksOfSelf.MatchString(question)) {
		if a := slotOf("I am " + what); a.name != "" && a.subject == "" {
			return clausePart{"(I'm) " + what, a}, true
		}
	}
	if m := whoIsIt.FindStringSubmatch(text); m != nil {
		if a := slotOf(m[1] + " " + strings.Replace(m[2], "'s", "is", 1) + " " + m[3]); a.name != "" && a.subject != "" {
			space := " "
			if m[2] == "'s" || m[2] == "’s" {
				space = ""
			}
			return clausePart{m[1] + " who" + space + m[2] + " " + m[3], a}, true
		}
	}
	return clausePart{}, false
}
