package extract

import (
	"strings"
)

// What is over may be named by its noun alone: "the keto thing is over", "Oslo is off". It
// meets what was told of it in the slot of the kind of thing that it is.

var (
	thingOver = english(`^(?:(?:the|my|our|that|this|whole|all the)\s+)*([\pL][\pL' -]{1,40}?)(\s+(?:thing|stuff|phase|business|experiment|diet|regime|era|kick))?\s+(?:is|are|was|were|got|has been|have been|had to be)\s+(?:(?:now|finally|officially|all|sadly|so|definitely)\s+)*(over|done|finished|off|history|cancelled|canceled|called off|not happening|no longer happening|behind me|behind us|a thing of the past)\b(?:$|\s*[,.;:!(–—-]|\s+(?:now|for|because|since|and|but|so|after|then|again|this|last|anyway)\b)`)
	journeyTo = english(`^(?:(?:trip|flight|holiday|vacation|journey|move|visit|weekend|tour|drive|cruise)\s+(?:to|in)\s+)(\p{Lu}.*)$`)
	goodbyeTo = english(`^(?:(?:am|is|are) (?:done|through|finished|over) with|(?:have )?said goodbye to|have had enough of)\s+(?:the|my|our)\s+(.+)$`)
)

var endHints = strings.Split(" over, done, finished, off, history,cancel,not happening,no longer happening,behind me,behind us,thing of the past", ",")

// endSlot reads that something named is over.
func endSlot(s *saying) (about, bool) {
	m := s.matchText(thingOver, endHints...)
	if m == nil {
		if m := s.match(goodbyeTo, "with ", "goodbye", "enough"); m != nil && s.known && !s.denied {
			if thing, bare := thingOf(m[1]); thing != "" && !bare && !jobs[thing] && !talkNouns[thing] && !workNouns[thing] {
				return about{name: possession(thing), subject: s.subject, negated: true}, true
			}
		}
		return about{}, false
	}
	low, ends := strings.ToLower(m[1]), strings.ToLower(m[3])
	cancelled := ends == "off" || strings.Contains(ends, "cancel") || strings.HasPrefix(ends, "called") || strings.Contains(ends, "happening")
	if to := journeyTo.FindStringSubmatch(m[1]); to != nil {
		return about{name: "going to:" + strings.ToLower(to[1]), negated: true}, true
	}
	switch kept := activity(low); {
	case dietWord.MatchString(low) && !cancelled:
		return about{name: "diet", value: low, negated: true}, true
	case kept != "" && !cancelled:
		return about{name: kept, negated: true}, true
	case cancelled && startsName(m[1]) && m[2] == "" && len(strings.Fields(low)) <= 3 && !noNames[low] && !own[strings.Fields(low)[0]] && !eventWord.MatchString(low):
		return about{name: "going to:" + low, negated: true}, true
	}
	return about{}, false
}

var (
	dietWord  = newPattern(`^(?:` + diets + `|keto|ketogenic|paleo|low-carb|gluten-free|dairy-free|sugar-free|mediterranean)$`)
	eventWord = newPattern(`\b(?:` + events + `)$`)
)

var (
	// wrongAbout names what somebody was wrong about, before they tell what is so.
	wrongAbout = english(`\b(?:(?:wrong|mistaken|confused|misinformed) (?:about|on)|as for|regarding|an update on|good news about|bad news about|about)\s+(?:the|my|that|those|these)?\s*([\pL-]+(?: [\pL-]+)?)(?:\s+(?:thing|stuff|allergy|business))?\s*[,;:.–—-]+\s*(.+)$`)
	// evidence opens what is so by what somebody found out.
	evidence = english(`^(?:(?:turns out|it turns out|so|actually|apparently not|but)[\s,]+)*(?:the|my|our)\s+(?:new |second |blood |skin |lab )*(?:tests?|results?|doctor|dentist|doc|gp|specialist|allergist|consultant|vet|scan|letter|report|lab)\s+(?:say|says|said|show|shows|showed|tell me|tells me|told me|found|confirm|confirms|confirmed)\s+(?:that\s+)?`)
	itBehind = english(`\b(?:it|them|that)\b`)
)

// foundOut reads what a doctor or a test said of who speaks: "the doctor says I'm no longer
// allergic to nuts".
func foundOut(text string) (about, bool) {
	opening := evidence.FindString(text)
	if opening == "" {
		return about{}, false
	}
	a := slotOf(text[len(opening):])
	return a, strings.HasPrefix(a.name, "allergy:") || strings.HasPrefix(a.name, "health:")
}

var evidenceHints = strings.Split(" say, said , show, tell, told , found , confirm", ",")

// takenUpSlot reads what is told by "it" of what is named before: "I was wrong about the
// penicillin, I'm not allergic to it".
func takenUpSlot(text string) about {
	m := wrongAbout.FindStringSubmatch(text)
	if m == nil || len(text) > 200 {
		return about{}
	}
	clause := evidence.ReplaceAllString(m[2], "")
	where := itBehind.FindStringIndex(clause)
	if where == nil || where[0] == 0 {
		return about{}
	}
	return slotOf(clause[:where[0]] + m[1] + clause[where[1]:])
}

var (
	keptIn  = english(`^(?:(?:the|our|my)\s+(?:[\pL-]+\s+)?(?:app|service|backend|back-end|api|server|site|website|system|platform|project|code|team|pipeline|tool|bot)|we|i|it)\s+(?:(?:no longer|do not|does not)\s+)?(?:stores?|keeps?|saves?|hosts?|caches?|logs?|tracks?|archives?|manages?|writes?|puts?|runs?|deploys?)\s+(?:(?:the|our|all|all the|all our|my|its|user)\s+)*([\pL][\pL-]*(?: [\pL][\pL-]*)?)\s+(?:in|on|with|at|to)\s+(\p{Lu}[\pL\d+#.-]*(?:\s\p{Lu}[\pL\d+#.-]*)?)(?:\W*$|[,;(–—]|\s+(?:now|at the moment|currently|because|and|but|for)\b)`)
	keptAre = english(`^(?:the|our|my|all|all the|all our)\s+([\pL][\pL-]*(?: [\pL][\pL-]*)?)\s+(?:is|are|gets?|live|lives)\s*(?:now\s+)?(?:stored|kept|saved|hosted|cached|logged|tracked|archived|deployed|managed)?\s*(?:in|on|with|at)\s+(\p{Lu}[\pL\d+#.-]*(?:\s\p{Lu}[\pL\d+#.-]*)?)(?:\W*$|[,;(–—]|\s+(?:now|at the moment|currently|because|and|but|for)\b)`)
	movesTo = english(`^(?:have\s+)?(?:just\s+)?(?:moved|migrated|switched|ported|transferred|shifted|changed)\s+(?:(?:the|our|all|all the|all our|my)\s+)*([\pL][\pL-]*(?: [\pL][\pL-]*)?)\s+(?:over\s+)?(?:(?:from|off|away from)\s+\p{Lu}\S*(?:\s\p{Lu}\S*)?\s+)?(?:over\s+)?(?:on)?to\s+(\p{Lu}[\pL\d+#.-]*(?:\s\p{Lu}[\pL\d+#.-]*)?)(?:\W*$|[,;(–—]|\s+(?:now|last|this|in|on|yesterday|today|because|and|but|for|so)\b)`)
	notKept = english(`^\S+(?:\s\S+){0,2}?\s+(?:no longer|do not|does not|is not|are not)\s`)
	parts4  = set(`ci cd front-end frontend back-end backend pipeline api app server website site infra infrastructure hosting monitoring logging search cache queue staging production prod tests docs blog code repo build`)
)

// keptSlot reads what a part of a project is kept in or run by, and that it was moved.
func keptSlot(s *saying) (about, bool) {
	part, in := "", ""
	if m := s.matchText(keptIn, " in ", " on ", " with ", " at ", " to "); m != nil {
		part, in = m[1], m[2]
	} else if m := s.matchText(keptAre, " stored ", " kept ", " saved ", " hosted ", " cached ", " logged ", " tracked ", " archived ", " deployed ", " managed "); m != nil && !s.denied {
		part, in = m[1], m[2]
	} else if m := s.match(movesTo, "moved", "migrated", "switched", "ported", "transferred", "shifted", "changed"); m != nil && s.self() && !s.denied {
		part, in = m[1], m[2]
	} else {
		return about{}, false
	}
	denied := s.denied || notKept.MatchString(s.text)
	part, in = strings.ToLower(part), strings.TrimRight(in, ".")
	if source, off := strings.CutPrefix(part, "from "); off {
		if startsName(in) && countWords(source) == 1 {
			return about{name: "habit:use " + source, negated: true}, true // "from MySQL to Postgres"
		}
		return about{}, false
	}
	if _, day := weekdays[strings.ToLower(in)]; day || months3(strings.ToLower(in)) || eventWord.MatchString(part) || kin[part] || pronouns[part] {
		return about{}, false
	}
	if parts4[part] {
		return about{name: "runs on", subject: part, value: in, negated: denied}, true
	}
	return about{name: "kept in", subject: part, value: in, negated: denied}, true
}

// switchesTo tells what somebody uses from now on.
var switchesTo = english(`^(?:have\s+)?(?:just\s+|finally\s+)?(switched|migrated|moved|changed|converted|ported|went over)\s+(?:(?:everything|completely|over|fully|all|back|away|it all)\s+)*to\s+(\p{Lu}[\pL\d+#.-]*(?:\s\p{Lu}[\pL\d+#.-]*)?|\pL+)(?:\W*$|[,;(–—!]|\.\s|\s+(?:now|last|this|yesterday|today|recently|because|and|but|for (?:the|our|my|everything|all)|since|in (?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|\d)|instead|a (?:week|month|year|while)|two|three)\b)`)

// usesInstead tells what somebody uses no more, and what in its place.
var usesInstead = english(`^(?:have\s+)?(?:just\s+|finally\s+)?(?:replaced|swapped)\s+(?:our\s+|the\s+|my\s+)?(\pL[\pL\d+#.-]*)\s+(?:with|by|for)\s+\p{Lu}`)

// switchSlot reads what somebody uses since they changed to it: what was used for the same
// before is over.
func switchSlot(s *saying) (about, bool) {
	if m := s.match(usesInstead, "replaced", "swapped"); m != nil && s.self() && !s.denied && (notPlaces[strings.ToLower(m[1])] || services[strings.ToLower(m[1])]) {
		return about{name: "habit:use " + strings.ToLower(m[1]), negated: true}, true
	}
	m := s.match(switchesTo, "switched", "migrated", "moved", "changed", "converted", "ported", "went over")
	if m == nil || !s.self() || s.denied {
		return about{}, false
	}
	tool := strings.ToLower(strings.TrimRight(m[2], "."))
	first := strings.Fields(tool)[0]
	if known := notPlaces[first] || services[first]; !known && (!startsName(m[2]) || strings.EqualFold(m[1], "moved") || strings.EqualFold(m[1], "changed")) {
		return about{}, false
	}
	if _, day := weekdays[first]; day || tongue.MatchString(tool) || months3(first) || givenNames[first] || eventWord.MatchString(tool) {
		return about{}, false
	}
	return about{name: "habit:use " + tool}, true
}

// untilThen tells what was so and no longer is: "I was vegan until last year".
var untilThen = english(`^((?:i|we|my \pL+|\p{Lu}\pL+))\s+(was|were|lived|worked|had|studied|played|smoked|drank|ate|drove)\s+(.+?)\s+(?:until|till|up until|up to)\s+(?:last|this|a|\d|january|february|march|april|may|june|july|august|september|october|november|december|recently|yesterday|the|two|three|i|we)\b`)

// formerSlot reads what was so until some time.
func formerSlot(text string) about {
	m := untilThen.FindStringSubmatch(text)
	if m == nil {
		return about{}
	}
	verb := map[string]string{"was": "am", "were": "are", "had": "have", "drank": "drink", "ate": "eat", "drove": "drive", "studied": "study", "lived": "live", "worked": "work", "played": "play", "smoked": "smoke"}[strings.ToLower(m[2])]
	if low := strings.ToLower(m[1]); low != "i" && low != "we" {
		verb = strings.Replace(verb, "am", "is", 1)
	}
	a := slotOf(m[1] + " " + verb + " " + m[3])
	if a.name == "" || a.negated || a.name == "age" {
		return about{}
	}
	a.negated = true
	return a
}
