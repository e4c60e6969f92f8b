package extract

import "strings"

// What has changed is often told in other words than what was so: "I outgrew my nut allergy",
// "we moved, now in Pisa", "the doctor raised my lisinopril to 20 mg". Each is read as what it
// says of the same.

const (
	dose     = `\d+(?:[.,]\d+)? ?(?:mg|mcg|µg|g|ml|iu|units?|tablets?|pills?|drops?)`
	named4   = `(\p{Lu}[\pL\d'’&-]*(?:\s\p{Lu}[\pL\d'’&-]*){0,3})`
	codes    = `(?:locker|door|gate|alarm|safe|entry|garage|zip|post|postal|access|lock|bike lock|padlock|house|building|bike) (?:code|combination|combo)`
	codeIs   = `is|is now|changed to|has changed to|was changed to|got changed to|has been changed to`
	softOnly = `(?:(?:just|finally|recently|now|already|really|also)\s+)*`
)

var (
	doseSet     = english(`^(?:(?:the|my)\s+)?(?:doctor|doc|gp|cardiologist|psychiatrist|specialist|dr\.? \pL+|he|she|they|i|we)\s+(?:have |has )?` + softOnly + `(?:raised|increased|lowered|reduced|upped|changed|cut|bumped|doubled|adjusted)\s+(?:up\s+)?(?:my|the)\s+(\pL[\pL-]+)(?:\s+(?:dose|dosage))?\s+(?:up |down |back )?(?:from ` + dose + ` )?to\s+(` + dose + `)`)
	outgrew     = english(`^(?:have )?(?:outgrew|outgrown|grew out of|grown out of|got over|gotten over|lost)\s+(?:my|the)\s+([\pL-]+(?: [\pL-]+)?) (?:allergy|intolerance)\b`)
	allergyGone = english(`^(?:my|the)\s+([\pL-]+(?: [\pL-]+)?) (?:allergy|intolerance) (?:is|has|went|seems|cleared|disappeared|vanished)\s*(?:(?:finally|now|completely|all|to be|been|just)\s+)*(?:gone|over|cured|away|up|disappeared|vanished|history|)\W*$`)
	getsIll     = english(`^(?:get|gets|suffer from|suffers from|have|has)\s+(?:any\s+)?(` + illnesses + `)\W*$`)
	smoker      = english(`^(?:am|is)\s+(?:a|an)\s+(?:\pL+ )?(non-?smoker|ex-?smoker|former smoker|smoker)\b`)
	babyBorn    = english(`^(?:my|our)\s+(?:baby(?: (?:girl|boy|daughter|son))?|little (?:girl|boy)|(?:son|daughter))(?:,? (?:called |named )?\p{Lu}[\pL'’-]+,?)?\s+(?:was|is|has been) (?:finally )?born\s*(?:\W*$|(?:today|yesterday|this (?:morning|week|afternoon)|last (?:night|week)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b)`)
	nowWith     = english(`^(?:am|is)\s+with\s+` + named4 + `\s+now\W*$`)
	switchedJob = english(`^(?:have )?` + softOnly + `(?:switched|changed)\s+(?:jobs?|employers?|companies|firms)[\s,;:.–—-]+(?:(?:and|so|i am|i work|i am working|working|now|currently)\s+)*(?:at|for|with)\s+` + named4)
	lastDay     = english(`^(?:(?:(?:today|yesterday|(?:last )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?: \([^)]*\))? )?was (?:finally )?my last day (?:of work )?(?:at|with|for)\s+` + named4 + `|my last day (?:at|with|for)\s+` + named4 + `\s+(?:was|is today))`)
	notThere    = english(`^(?:(?:i am|we are)\s+)?(?:not|no longer)\s+(?:living |based )?in\s+` + named4 + `(?:\s+(?:any ?more|any longer))?\s*[,;:.–—-]+\s*(?:but |and |so )?((?:i|we)\b.+)$`)
	movedNow    = english(`^(?:i|we)\s+(?:have\s+)?` + softOnly + `moved[\s,;:.–—-]+(?:(?:and|so|i am|we are|now|currently|living|based|live)\s+)+in\s+` + named4)
	actualDay   = english(`^(my birthday is)\s+(?:(?:actually|really|in fact|now)\s+)+(.+)$`)
	flyingOn    = english(`^(?:am|are|is)\s+flying\s+to\s+` + named4 + `\s+on\s+(.+)$`)
	visitOn     = english(`^have\s+(?:a|an|my)\s+((?:dentist|dental|orthodontist|optician|physio|driving|eye)(?:'s)? (?:appointment|test|exam)|wedding|surgery|operation|graduation|thesis defen[cs]e)\s+(?:on|this|next|tomorrow|at)\b\s*(.*)$`)
	newNumber   = english(`^(?:have|got|have got)\s+(?:a|my)\s+new\s+((?:phone |mobile |cell )?number|e-?mail(?: address)?|address)\s*[,:;–—-]*\s*(?:(?:it is|which is|now)\s+)?(\S.*\d.*|\S+@\S+)$`)
	codeOf      = english(`^(?:my|the|our)\s+(` + codes + `)\s+(?:` + codeIs + `)\s+(?:now\s+)?([\pL\d-]*\d[\pL\d-]*)\W*$`)
	projectOn   = english(`^(?:the|our|my)\s+(project|app|api|backend|back-end|frontend|front-end|server|service|site|website|code|codebase|build)\s+(?:now\s+|currently\s+)?(?:uses|runs on|runs|targets|is on|requires|is using)\s+(?:now\s+)?(\p{Lu}[\pL+#.]*)\s+v?(\d[\d.]*)(?:\W*$|\s*[,;(].*|\s+(?:now|because|and|but|since|for)\b.*)`)
	exNamed     = english(`^my ex-?\s?(?:` + partners + `)\s+(\p{Lu}[\pL'’-]+)\b`)
	babyHere    = english(`^(?:the|our|my)\s+(?:twins|triplets|babies|baby|little one|little (?:girl|boy)|newborn)\s+(?:is|are|was|were|has|have)\s+(?:(?:finally|already|now|both|been)\s+)*(?:here|born|arrived)\b`)
	foundHome   = english(`\b(?:found|bought|rented|got|took)\s+(?:a|an|our)\s+(?:[\pL-]+\s+){0,2}?(?:flat|house|apartment|place|room|studio)\s+in\s+` + named4 + `.*\b(?:we|i)(?: have)?\s+(?:just |already |finally )*moved in\b`)
	weighsNow   = english(`^(?:(?:i am|am|got|it is|weight is)\s+)?(?:(?:now|already|finally)\s+)*(?:down|up|back)\s+(?:to|at)\s+(\d[\d.,]* ?(?:kg|kgs|kilos?|lbs?|pounds|stone))\b`)
	howMany     = english(`^(?:(?:no|yes|yeah|so|and|but|hiring freeze|[\pL ]{1,20}),?\s+)?we are\s+(?:(?:only|just|now|still|down to|up to|already)\s+)*(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?:\s+(?:people|of us|engineers|developers|devs|employees|colleagues|members))?(?:\s+(?:now|on the team|in the team|in total|left|strong|at the moment))*(?:\W*$|\s+and\s|\s*[,.;!(])`)
	ofTeam      = english(`\b(?:people|of us|engineers|developers|devs|employees|colleagues|team|hiring|hired|company|startup)\b`)
	seatOf      = english(`^(?:(?:when|if) [^:,]{3,30}[:,]\s+i\s+)?(?:(?:always|really|actually)\s+)*(?:want|prefer|like|need|take|book)\s+(?:me\s+)?(?:a|an|the)?\s*(window|aisle|middle)\s+seats?\b`)
	goesSchool  = english(`^(?:go|goes|is|are|started|starts)\s+(?:now\s+)?(?:to|at)\s+(?:the\s+)?(\p{Lu}[\pL'’.-]*(?:\s\p{Lu}[\pL'’.-]*)*\s(?:Elementary|Primary|High|School|Middle|Academy|Kindergarten|Preschool|Nursery|College|Grammar|Gymnasium|Montessori)(?:\s(?:School|High))?)\b`)
	otherSchool = english(`^(?:has\s+)?(?:switched|changed|moved)\s+schools?[\s,;:.–—-]+(?:(?:and|so|now)\s+)*(?:(?:he|she|they)\s+(?:is|are|goes|go)\s+)?(?:now\s+)?(?:at|to)\s+` + named4)
	studyFields = `statistics|mathematics|maths|math|physics|chemistry|biology|economics|law|medicine|nursing|history|philosophy|psychology|sociology|engineering|architecture|computer science|informatics|linguistics|literature|business|accounting|marketing|political science|geography|geology|pharmacy|art history|musicology|data science|anthropology|journalism|education`
	studiesNow  = english(`^(?:have\s+)?(?:switched|changed|transferred)\s+(?:(?:my\s+)?(?:majors?|course|degree|programme|program|studies|over)\s+)?(?:from\s+[\pL ]{3,25}?\s+)?to\s+(` + studyFields + `)(?:\W*$|\s*[,.;!(]|\s+(?:now|last|this|because|and|but|at|in)\b)`)
	yearOf      = english(`^(?:am|is)\s+(?:now\s+)?in\s+(?:my|her|his)\s+(?:first|second|third|fourth|fifth|final|last)\s+year\s+(?:of|in|studying)\s+(` + studyFields + `)\b`)
	wantsTo     = english(`^(?:i|we)\s+(?:really\s+|also\s+|still\s+)*(do not |no longer )?want to ((?:learn|study|visit|become|buy|run|write|travel to|move to|start|join|build|get) [\pL][\pL' -]{1,30}?)(\s+any ?more|\s+any longer)?\W*$`)
	// utilities are with whom one is as a customer.
	utilities = set(`vodafone o2 ee verizon t-mobile orange telekom telefonica santander hsbc revolut monzo n26 barclays lloyds allianz axa geico aviva bupa aetna chase starling sky virgin comcast octopus eon`)
)

// beasts and foods of which one is allergic to several.
var manyOf = set(`cat dog horse nut peanut walnut cashew hazelnut almond egg bee wasp strawberry tomato rabbit hamster banana mushroom apple pistachio shrimp prawn`)

// slotOfAllergy gives the slot of an allergy by the noun before it: "cat allergy".
func slotOfAllergy(noun string) string {
	noun = strings.ToLower(noun)
	switch {
	case strings.HasSuffix(noun, "y") && manyOf[noun]:
		noun = noun[:len(noun)-1] + "ies"
	case strings.HasSuffix(noun, "o") && manyOf[noun]:
		noun += "es"
	case manyOf[noun]:
		noun += "s"
	}
	return "allergy:" + noun
}

// changeSlot reads what has changed.
func changeSlot(s *saying) (about, bool) {
	if m := s.matchText(doseSet, " to "); m != nil {
		return about{name: "habit:take " + strings.ToLower(m[1]), value: m[2]}, true
	}
	if m := s.matchText(allergyGone, "allergy", "intolerance"); m != nil {
		return about{name: slotOfAllergy(m[1]), negated: true}, true
	}
	if m := s.matchText(babyBorn, "born"); m != nil {
		return about{name: "health:pregnant", negated: true}, true
	}
	if m := s.matchText(babyHere, "here", "born", "arrived"); m != nil {
		return about{name: "health:pregnant", negated: true}, true
	}
	if m := s.matchText(foundHome, "moved in"); m != nil {
		return about{name: "home", value: m[1]}, true
	}
	if m := s.matchText(weighsNow, "down", "up", "back"); m != nil {
		return about{name: "weight", value: m[1]}, true
	}
	if m := s.matchText(howMany, "we are"); m != nil && ofTeam.MatchString(s.text) {
		return about{name: "how many we are", value: strings.ToLower(m[1])}, true
	}
	if m := s.matchText(lastDay, "last day"); m != nil {
		return about{name: "work", value: m[1] + m[2], negated: true}, true
	}
	if m := s.matchText(movedNow, "moved"); m != nil {
		return about{name: "home", value: m[1]}, true
	}
	if m := s.matchText(actualDay, "birthday"); m != nil && strings.ContainsAny(m[2], "0123456789") {
		return about{name: "birthday", value: dayPhrase(m[2])}, true
	}
	if m := s.matchText(codeOf, " cod", " comb"); m != nil {
		return about{name: strings.ToLower(m[1]), value: m[2]}, true
	}
	if m := s.matchText(projectOn, "project", "app", "api", "end ", "serv", "site", "code", "build"); m != nil {
		return about{name: "version:" + strings.ToLower(m[2]), subject: strings.ToLower(m[1]), value: strings.TrimRight(m[3], ".")}, true
	}
	if m := s.matchText(exNamed, "my ex"); m != nil && !s.plain {
		return about{name: "partner", value: m[1], negated: true}, true
	}
	if s.known && !s.denied {
		if m := s.match(goesSchool, " to ", " at "); m != nil && s.subject != "" {
			return s.about("school", m[1])
		}
		if m := s.match(otherSchool, "school"); m != nil {
			return s.about("school", m[1])
		}
		if m := firstMatch(s.predicate, studiesNow, yearOf); m != nil {
			return s.about("studies", strings.ToLower(m[1]))
		}
	}
	if m := s.match(seatOf, "window", "aisle", "middle"); m != nil && !s.denied {
		return about{name: "seat", value: strings.ToLower(m[1])}, true
	}
	if m := s.matchText(seatOf, "window", "aisle", "middle"); m != nil {
		return about{name: "seat", value: strings.ToLower(m[1])}, true
	}
	if !s.self() {
		return about{}, false
	}
	if m := s.match(outgrew, "outgr", "out of", "over", "lost"); m != nil && !s.denied {
		return about{name: slotOfAllergy(m[1]), negated: true}, true
	}
	if m := s.match(getsIll, "get", "suffer", "have"); m != nil && s.denied && s.over {
		return about{name: "health:" + strings.ToLower(m[1]), negated: true}, true
	}
	if m := s.match(smoker, "smoker"); m != nil {
		return about{name: "habit:smoke", negated: s.denied != !strings.EqualFold(m[1], "smoker")}, true
	}
	if m := s.match(nowWith, "with "); m != nil && !utilities[strings.ToLower(m[1])] && !s.denied && startsName(m[1]) {
		if firm := s.firm(m[1]); firm != "" {
			return about{name: "work", value: firm}, true
		}
	}
	if m := s.match(switchedJob, "switched", "changed"); m != nil && !s.denied && startsName(m[1]) {
		return about{name: "work", value: m[1]}, true
	}
	if m := s.match(flyingOn, "flying"); m != nil && !s.denied {
		if day := eventDay(m[2]); day != "" {
			return about{name: "going to:" + strings.ToLower(m[1]), value: day}, true
		}
	}
	if m := s.match(visitOn, "have "); m != nil && !s.denied {
		if day := eventDay(s.predicate[strings.Index(s.predicate, m[1])+len(m[1]):]); day != "" {
			return about{name: dateOf(strings.Replace(m[1], "'s ", " ", 1)), value: day}, true
		}
	}
	if m := s.match(newNumber, "new "); m != nil && !s.denied {
		name := strings.ToLower(m[1])
		switch {
		case strings.HasSuffix(name, "number"):
			name = "phone number"
		case strings.HasPrefix(name, "e"):
			name = "email address"
		}
		return about{name: name, value: strings.Trim(eventEnd.ReplaceAllString(m[2], ""), " .!")}, true
	}
	return about{}, false
}

// livesElsewhere reads where somebody lives by where they do not: "not in Rome anymore, we live in
// Pisa".
func livesElsewhere(text string) (about, bool) {
	m := notThere.FindStringSubmatch(expand(text))
	if m == nil {
		return about{}, false
	}
	a := slotOf(m[2])
	return a, a.name == "home" && a.subject == ""
}

// wishSlot reads what somebody wants to do, which may only be over.
func wishSlot(text string) (about, bool) {
	m := wantsTo.FindStringSubmatch(expand(text))
	if m == nil || (m[1] == "") != (m[3] == "") && m[1] == "" {
		return about{}, false
	}
	return about{name: "wants:" + strings.ToLower(strings.TrimSpace(m[2])), negated: m[1] != ""}, true
}

// turnedOut opens, behind how it was found out, what is so of an allergy or an illness.
var turnedOut = english(`^.{0,80}?\b(?:turns|turned) out[\s,:]+(?:that\s+)?((?:i|i'm|i’m|my)\b.+)$`)
