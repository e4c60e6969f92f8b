package extract

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Who someone is: name, age, home, work, studies, languages, family and pets.

var (
	isName     = english(`^(?:my|our)\s+((?:(?:full|first|last|real|actual|given|legal|middle|maiden|family)\s+)*(?:name|surname)) is\s+(?:(?:now|actually|really)\s+)*(.+)$`)
	renamed    = english(`^(?:have\s+)?(?:legally\s+|officially\s+)?changed my ((?:first |last |legal |family )?(?:name|surname)) to\s+(.+)$`)
	ageIs      = english(`^my age is\s+(?:now\s+)?(\d{1,3})\b`)
	ownsName   = english(`^((?:(?:my|our)\s+)[^,.]{2,40}?)(?:'s|s') (?:full |first |real )?name is\s+(.+)$`)
	calledSelf = english(`^(?:am called|go by)\s+(.+)$`)
	callMe     = english(`^(?:(?:you can|please|just|kindly|everyone|everybody|people|they|friends|my friends|all my friends|most people|my family|do not ever|do not|never)\s+)*calls? me\s+(.+)$`)
	notCallMe  = english(`^(?:please\s+)?(?:do not|never|stop)(?: ever)? call(?:ing)? me\s+(.+)$`)
	nameIsNot  = english(`^my name is (?:not|no longer)\s+(.+)$`)
	thisIsMe   = english(`^(?:hi|hello|hey)(?: there| all| everyone)?[,!.]*\s+(?:i am|this is|it is)\s+(\p{Lu}\pL+(?:\s\p{Lu}\pL+)?)(?:\s+(?:here|but|and)\b.*|,.*)?[.!]?$`)
	otherNames = english(`^is (?:called|named)\s+(.+)$`)
	notNames   = set(`not a an the spelled spelt pronounced unknown changed going on in secret what if my your crazy back later when tomorrow today now at to by because maybe sometime sometimes anytime hard easy old after that this common rare important names something it him her after from mad weird lazy stupid for as all out`)

	spokenAs = english(`^(?:my )?pronouns are\s+(\pL+(?:/\pL+)+)`)
	usesThem = english(`^use\s+(\pL+(?:/\pL+)+)(?: pronouns)?`)

	isAge     = english(`^(?:am|is|are)\s+(\d{1,3})(?:\s*(?:years?[- ]old|yrs? old|yo|y/o|years of age))?(?:\s+(?:now|today|already|btw|as of|and|but|not|since|in|last|this|next)\b.*|\s*[,;!(].*|\.(?:\s.*)?)?\W*$`)
	turnedAge = english(`^turned\s+(\d{1,3})\b`)
	agedLong  = english(`^(?:am|is|are)\s+(?:a\s+)?(\d{1,3})[- ]?(?:years?[- ]old|yo|y/o|yrs old)\b`)

	isBirthday = english(`^my birthday is\s+(?:on\s+)?(?:the\s+)?(.+)$`)
	wasBorn    = english(`^was born (?:on|in)\s+(.+)$`)
	othersDay  = english(`^((?:my|our)\s+[^,.]{2,40}?)(?:'s|s') birthday is\s+(?:on\s+)?(?:the\s+)?(.+)$`)

	marital = english(`^(?:am|is|are)\s+(?:happily |newly |recently |legally |not )*(single|married|divorced|engaged|widowed|separated|in a (?:\pL+ |long-distance )?relationship)(?:$|[^\pL-])`)
	// weddedTo is nobody.
	weddedTo = english(`\b(?:married|engaged) (?:to|in|with)\s+(?:(?:my|the|his|her|our|a)\s+)(?:job|work|idea|career|phone|desk|laptop|sea|game|business|company|notion|conversation|talks|debate|project|plan|bottle)\b|\b(?:married|engaged|divorced)\b.{0,20}\bin (?:(?:a|the|my|this|that|an|our) (?:\pL+ )?(?:game|dream|play|movie|film|story|roleplay|simulation|rpg|mmo|show|skit|sketch)|minecraft|the sims|sims|skyrim|stardew|vr|roblox|animal crossing|fallout|my dreams?)\b`)
	// wedToWhom tells whom one is married to: who is not married to a doctor may be to another.
	wedToWhom  = english(`^(?:am|is|are)\s+(?:married|engaged) to\s+\pL`)
	elidedWed  = english(`^(married|divorced|single|engaged|widowed)(?:\s+(?:to|now|again|with|since)\b|\W*$)`)
	gotMarried = english(`^got (married|divorced|engaged|separated)(?:\s+(?:yesterday|today|now|again|last|on|in|this|back|after|two|three|a|finally|recently)\b.*|\W*)$`)
	brokeUp    = english(`^(?:(?:my\s+)?(` + partners + `|ex|\p{Lu}[\pL'’-]+) and i|i and (?:my )?(` + partners + `|\p{Lu}[\pL'’-]+)|me and (?:my )?(` + partners + `|\pL[\pL'’-]+)|we)\s+(?:have\s+)?(?:just\s+)?(?:broke up|broken up|split up|separated|divorced|got divorced|parted ways|are no longer together|are not together|are over|are done|are finished|called it quits|broke it off|ended things|have split)`)
	seeing     = english(`^(?:am|are|have been|been|started|began)\s+(?:seeing|dating|going out with)\s+(?:(?:a|an|this|some)\s+)?(?:(?:new|really nice|nice|lovely)\s+)?(?:(?:guy|girl|man|woman|boy|bloke|lad|lass|dude|lady|person|someone|somebody)\s*,?\s+(?:called|named)\s+(\pL[\pL'’-]+)|(\p{Lu}[\pL'’-]+))`)
	// beganWith is seeing, of who has begun to.
	beganWith   = english(`^(?:i|we)\s+(?:have\s+)?(?:(?:just|recently|finally)\s+)?(?:started|began|begun)\s+(?:seeing|dating|going out with)\s+(\p{Lu}[\pL'’-]+)(?:\W*$|[,;.!(]|\s+(?:in|last|this|again|and|who|he|she|from|after|a|two|three)\b)`)
	namedLove   = english(`^(?:have|have got|got)\s+(?:a|an|my)\s+(?:new |lovely |wonderful )?(?:` + partners + `)(?: now)?,?\s+(?:called|named)\s+(\pL[\pL'’-]+)`)
	inCouple    = english(`^(?:have|have got|got)\s+(?:a|my)\s+(?:new\s+)?(?:girlfriend|boyfriend|partner|bf|gf)(?:\W*$|\s*[,.;!(].*|\s+(?:now|again|called|named)\b.*)`)
	leftThem    = english(`^(?:broke up with|split up with|split from|separated from|divorced|dumped)\s+(?:my\s+)?(` + partners + `|\p{Lu}[\pL'’-]+)|^left my (` + partners + `)(?:\W*$|\s*[,.;!(].*|\s+(?:last|in|this|for (?:good|someone|somebody|another)|two|three|a (?:week|month|year)|after|because|and|now|yesterday|today|recently)\b)`)
	isWidowed   = english(`^(?:am|is|became)\s+(?:a\s+)?widow(?:er)?\b`)
	partnerDied = english(`^(?:my\s+(?:late\s+)?(?:` + partners + `)(?:,?\s+(\p{Lu}[\pL'’-]+),?)?\s+(?:has\s+)?(?:just\s+|sadly\s+)?(?:died|passed away|passed on)|i lost my (?:` + partners + `)(?:\s+(?:last|in (?:the (?:war|fire|accident|crash)|\d{4}|january|february|march|april|may|june|july|august|september|october|november|december)|to|this|two|three|a (?:week|month|year)|\d+)\b|\W*$))`)
	// leftMe is the same of who was left.
	leftMe = english(`^(?:my\s+)?(` + partners + `|\p{Lu}[\pL'’-]+)\s+(?:has\s+|have\s+)?(?:just\s+|finally\s+|recently\s+)?(?:left|dumped|divorced|walked out on|broke up with|broken up with|split up with) me(?:\W*$|\s*[,.;!(].*|\s+(?:for (?:good|someone|somebody|another|her|his|a (?:man|woman|guy|girl|colleague|coworker))|last|in|this|yesterday|today|recently|after|because|and|two|three|four|a (?:week|month|year|while|few)|\d+)\b)`)

	relativeIs  = english(`^(?:my|our)\s+(?:(?:older|younger|little|big|best|elder|eldest|oldest|youngest|new|only|baby|twin)\s+)*(` + sole + `|` + several + `)(?:'s name)?\s+(?:is|are)\s+(?:now\s+)?(?:called |named )?(\p{L}[\pL'’-]+(?:\s\p{Lu}[\pL'’-]+)?)(?:\W*$|\s*[,.;!(–—-].*|\s+(?:and|but|now)\b.*)`)
	newRelative = english(`^(?:have|have got|got)\s+(?:a|our|my)\s+new\s+(boss|manager|landlord|landlady|flatmate|roommate)(?:\s+now)?\s*(?:,|:|-|–|called|named)\s*(?:(?:he is|she is|it is)\s+)?(?:called\s+|named\s+)?(\p{Lu}[\pL'’-]+)`)
	bossNow     = english(`(?:\b(?:so|and|now|but)\s+|[,;]\s+)my new (boss|manager|landlord|landlady|flatmate|roommate) is (?:called |named )?(\p{Lu}[\pL'’-]+(?:\.? \p{Lu}[\pL'’-]+)?)\b`)
	petIs       = english(`^(?:my|our)\s+(?:(?:new|old|little|first|other|rescue|pet)\s+)*(` + animals + `)(?:'s name)?\s+is\s+(?:now\s+)?(?:called|named|name is)?\s*(\p{Lu}[\pL'’-]+|\p{L}+)(?:\W*$|\s*[,.;!(].*|\s+now\b.*)`)
	petNamed    = english(`^(?:have|has|got|adopted|rescued|bought|own|are getting|am getting|is getting)(?: got)?\s+(?:a|an|the|another|our|my|one)\s+(?:[\pL-]+\s+){0,3}?(` + animals + `)s?\s*(?:,\s*)?(?:called|named|whose name is)\s+(\p{L}[\pL'’-]+)`)
	petBeside   = english(`^(?:have|has|got|adopted|rescued|own)(?: got)?\s+(?:a|an)\s+(?:[\pL-]+\s+){0,2}?(?:` + animals + `),\s+(\p{Lu}[\pL'’-]+)\W*$`)
	myPetDoes   = english(`^(?:my|our)\s+(?:(?:new|old|little|rescue)\s+)*(` + animals + `)\s+(\p{Lu}[\pL'’-]+)\s`)
	petGone     = english(`^(\p{L}[\pL'’-]+)\s+(?:has\s+|have\s+)?(?:just\s+|sadly\s+)?(?:died|passed away|passed on|passed|was put down|was put to sleep|had to be put (?:down|to sleep)|was euthani[sz]ed|crossed the rainbow bridge|ran away|is dead|is no longer with us|is not with us anymore|did not make it)\b`)
	petLost     = english(`^(?:lost|buried|(?:had to say|have said|said|say) goodbye to|had to put (?:down)?|put down)\s*(?:my|our)\s+(?:(?:old|little|dear|beloved|poor|sweet)\s+)*(?:` + animals + `)\s+(\p{Lu}[\pL'’-]+)\b`)
	animalGone  = english(`^(?:my|our)\s+(?:(?:old|little|dear|beloved|poor|sweet)\s+)*(` + animals + `)\s+(?:has\s+|have\s+)?(?:just\s+|sadly\s+)?(?:died|passed away|passed on|was put down|was put to sleep|crossed the rainbow bridge|ran away)\b`)
	petEnds     = english(`\b(?:died|passed away|passed on|was put down|put to sleep|ran away)\b`)
	strayed     = english(`\b(?:ran away|lost)\b.*\b(?:(?:came|come|is|got|was|been|brought|made it|found (?:his|her|its) way) (?:back|home|found|returned)|(?:we|i|they|somebody|someone) (?:\pL+ )?found (?:him|her|it|them)|turned up|returned)\b`)
	petGiven    = english(`^(?:gave|had to (?:put|give)|put|rehomed|lost)\s+(\p{Lu}[\pL'’-]+)\s*(?:away|up|down|to sleep|to|last|yesterday|today|$)`)
	petsKept    = english(`^(?:have|has|keep|own)(?: got)?\s+(\d{1,3}|` + tally + `)\s+(?:[\pL-]+\s+){0,2}?(` + animals + `|kid|child|children|son|daughter|brother|sister|sibling|grandchild|grandchildren)(?:s|es|ies)?(?:\W*$|\s*[,.;!(:].*|\s+(?:now|again|at home|at the moment|already)\b.*)`)
)

const tally = `no|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a|an`

func nameSlot(s *saying) (about, bool) {
	called := func(value string, negated bool) (about, bool) {
		name := s.name(value, notNames)
		if name == "" || notNames[strings.ToLower(strings.Fields(name)[0])] {
			return about{}, false
		}
		return about{name: "called", value: name, negated: negated}, true
	}
	if m := s.matchText(notCallMe, "call"); m != nil {
		return called(m[1], true)
	}
	if m := s.matchText(callMe, "call"); m != nil && startsName(m[1]) {
		return called(m[1], false)
	}
	if m := s.match(calledSelf, "call", "go by"); m != nil && s.self() {
		return called(m[1], s.denied)
	}
	named := func(subject, value string, negated bool) (about, bool) {
		name := s.name(value, notNames)
		if name == "" || notNames[strings.ToLower(strings.Fields(name)[0])] || opinion(name) || peopleOf.MatchString(strings.ToLower(name)) {
			return about{}, false
		}
		return about{name: "name", subject: subject, value: name, negated: negated}, true
	}
	part := func(which, value string) (about, bool) {
		a, ok := named("", value, false)
		if ok {
			a.name = partOfName(strings.ToLower(which))
		}
		return a, ok
	}
	if m := s.matchText(nameIsNot, "name"); m != nil {
		return named("", m[1], true)
	}
	if m := s.match(renamed, "name"); m != nil && s.self() && !s.denied {
		return part(m[1], m[2])
	}
	if m := s.matchText(isName, "name"); m != nil {
		return part(m[1], m[2])
	}
	return about{}, false
}

// partOfName gives the slot of a name or of a part of it: who tells their first name does
// not change their last one.
func partOfName(which string) string {
	switch {
	case strings.Contains(which, "first"), strings.Contains(which, "given"):
		return "first name"
	case strings.Contains(which, "last"), strings.Contains(which, "family"), strings.Contains(which, "surname"):
		return "last name"
	case strings.Contains(which, "middle"), strings.Contains(which, "maiden"):
		return which
	}
	return "name"
}

// startsName says whether a text begins with a capital.
func startsName(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(first)
}

// sinceLived and livedSince tell where somebody lives by since when.
var (
	sinceLived = english(`^(?:(?:well|so|and|oh|yeah)[\s,]+)*(?:ever )?since (?:(?:early |late |mid-?)?(?:\pL+ )?(?:19|20)\d\d|(?:last|this) \pL+|january|february|march|april|may|june|july|august|september|october|november|december),? (?:i|we)(?:'ve|’ve| have) (?:lived|been living) in (\p{Lu}[\pL'’-]+(?: \p{Lu}[\pL'’-]+){0,2})\W*$`)
	livedSince = english(`^(?:(?:well|so|and|oh|yeah)[\s,]+)*(?:i|we)(?:'ve|’ve| have) (?:lived|been living) in (\p{Lu}[\pL'’-]+(?: \p{Lu}[\pL'’-]+){0,2}) (?:ever )?since (?:(?:early |late |mid-?)?(?:\pL+ )?(?:19|20)\d\d|(?:last|this) \pL+|january|february|march|april|may|june|july|august|september|october|november|december|i was (?:born|\d+)|birth)\W*$`)
)

// introduced reads "Hi, I'm Marta", whose greeting is no part of other statements, and
// since when somebody lives where.
func introduced(text string) (about, bool) {
	if m := firstMatch(text, livedSince, sinceLived); m != nil {
		if a := slotOf("I live in " + m[1]); a.name == "home" && a.subject == "" {
			return a, true
		}
	}
	m := thisIsMe.FindStringSubmatch(expand(text))
	if m == nil || !startsName(m[1]) || peoples(strings.ToLower(strings.Fields(m[1])[0])) {
		return about{}, false
	}
	return about{name: "name", value: m[1]}, true
}

func pronounSlot(s *saying) (about, bool) {
	if m := s.matchText(spokenAs, "pronouns"); m != nil {
		return about{name: "pronouns", value: m[1]}, true
	}
	if m := s.match(usesThem, "/"); m != nil && s.self() && personal3[strings.ToLower(strings.Split(m[1], "/")[0])] {
		return about{name: "pronouns", value: m[1], negated: s.denied}, true
	}
	return about{}, false
}

var personal3 = set(`he she they it xe ze any`)

func ageSlot(s *saying) (about, bool) {
	if m := s.match(inYear4, "year", "grade", "class", "form"); m != nil && s.known && !also.MatchString(s.text) {
		return s.about("school year", strings.ToLower(m[1]))
	}
	if m := s.match(agedMonths, "months", "weeks", "days"); m != nil && s.known && s.subject != "" {
		return s.about("age", strings.ToLower(m[1]))
	}
	if m := s.matchText(ageIs, "age"); m != nil {
		return about{name: "age", value: m[1]}, true
	}
	if m := s.match(spelledAge, "is "); m != nil && s.known && s.subject != "" && !s.denied && myRelative.MatchString(s.text) {
		return s.about("age", strconv.Itoa(numbers[strings.ToLower(m[1])]))
	}
	if !s.known || !strings.ContainsAny(s.predicate, "0123456789") || strings.HasPrefix(s.low, "we ") && !strings.Contains(s.low, "both") {
		return about{}, false // "we're 12 now" is how many
	}
	for _, p := range []string{"is", "turned", "long"} {
		pattern := isAge
		switch p {
		case "turned":
			pattern = turnedAge
		case "long":
			pattern = agedLong
		}
		if p == "is" && s.subject != "" && !strings.HasPrefix(s.low, "my ") && !strings.HasPrefix(s.low, "our ") && !(givenNames[s.subject] || nowAged.MatchString(s.predicate) && !ages[s.subject]) {
			continue // "Rent is 90"
		}
		if m := pattern.FindStringSubmatch(s.predicate); m != nil && !strings.HasPrefix(m[1], "0") && (len(m[1]) < 3 || m[1] < "121") {
			return s.about("age", m[1])
		}
	}
	return about{}, false
}

var (
	spelledAge = english(`^(?:is|turned)\s+(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?:\s+(?:years old|now|today|already))?\W*$`)
	// nowAged tells a number that goes up with the years.
	nowAged = english(`^is\s+\d{1,2}\s+(?:now|already|today)\W*$`)
	ages    = set(`rent price salary budget interest inflation score level temperature population speed weight shipping delivery tuition fee fees fare postage petrol gas coffee beer bread milk insurance netflix spotify python java version chapter season episode room track bus line`)

	agedMonths = english(`^(?:am|is|are)\s+(?:about |almost |nearly )?(\d{1,2} (?:months|weeks|days))(?: old)?(?:\s+(?:now|today|already)\b.*|\s*[,;!(].*)?\W*$`)
	inYear4    = english(`^(?:am|is)\s+(?:now\s+)?in\s+(?:her |his |my )?((?:year|grade|class|form) \w+|(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|final|last) (?:year|grade|class))\b`)
)

func birthdaySlot(s *saying) (about, bool) {
	if m := s.matchText(isBirthday, "birthday"); m != nil && strings.ContainsAny(m[1], "0123456789") {
		return about{name: "birthday", value: dayPhrase(m[1])}, true
	}
	if m := s.matchText(othersDay, "birthday"); m != nil && strings.ContainsAny(m[2], "0123456789") {
		who, _, known := relative(m[1] + " x")
		return about{name: "birthday", subject: who, value: dayPhrase(m[2])}, known
	}
	if m := s.match(wasBorn, "born"); m != nil && s.known && !s.denied {
		if strings.ContainsAny(valueOf(m[1]), "0123456789") {
			return s.about("birthday", dayPhrase(m[1]))
		}
		if place := s.name(m[1], placeStops); place != "" {
			return s.about("born in", place)
		}
	}
	return about{}, false
}

// dayPhrase is a day as it was said, up to where the sentence goes on.
func dayPhrase(text string) string {
	words := wordsOf(text)
	end := 0
	for i, w := range words {
		if i >= 4 || !months3(w.low) && !strings.ContainsAny(w.low, "0123456789") && w.low != "of" && w.low != "the" {
			break
		}
		end = w.end
	}
	return text[:end]
}

func months3(low string) bool { _, ok := months[low]; return ok }

var weddings = strings.Split("single married divorced engaged widowed separated relationship", " ")

func maritalSlot(s *saying) (about, bool) {
	if s.matchText(weddedTo, "married", "engaged") != nil || s.denied && !s.over && s.match(wedToWhom, " to ") != nil {
		return about{}, false
	}
	for i, pattern := range []interface {
		FindStringSubmatch(string) []string
	}{marital, elidedWed, gotMarried} {
		if !s.known {
			break
		}
		if !contains(s.lowPredicate, weddings) {
			break
		}
		if m := pattern.FindStringSubmatch(s.predicate); m != nil && (i != 1 || s.subject == "") {
			status := strings.ToLower(m[1])
			if strings.HasPrefix(status, "in a ") {
				status = "in a relationship"
			}
			return s.about("marital status", status)
		}
	}
	if m := s.matchText(offIt, "called off", "cancel", "broke off", "ended"); m != nil {
		return about{name: "marital status", value: "engaged", negated: true}, true
	}
	if m := s.match(seeing, "seeing", "dating", "going out"); m != nil && s.self() && !strings.HasSuffix(m[2], "'s") {
		return s.about("partner", m[1]+m[2])
	}
	if m := s.matchText(beganWith, "seeing", "dating", "going out"); m != nil {
		return s.about("partner", m[1])
	}
	if m := s.match(namedLove, "called", "named"); m != nil && s.self() && !s.denied {
		return s.about("partner", m[1])
	}
	if m := s.match(inCouple, strings.Split(partners, "|")...); m != nil && s.self() && !s.denied {
		return about{name: "marital status", value: "in a relationship"}, true
	}
	if m := s.match(isWidowed, "widow"); m != nil && s.known && !s.denied {
		return about{name: "marital status", subject: s.subject, value: "widowed"}, true
	}
	if m := s.matchText(partnerDied, "died", "passed", "lost my"); m != nil {
		a := about{name: "partner", negated: true, value: m[1]}
		return a, true
	}
	gone := ""
	if m := s.matchText(brokeUp, "broke", "split", "separated", "divorced", "parted", "together", "are over", "are done", "finished", "quits", "broke it", "ended things"); m != nil {
		gone = m[1] + m[2] + m[3]
	} else if m := s.match(leftThem, "broke", "split", "separated", "divorced", "dumped", "left my"); m != nil && s.self() {
		gone = m[1] + m[2]
	} else if m := s.matchText(leftMe, " me"); m != nil && !noNames[strings.ToLower(m[1])] {
		gone = m[1]
	} else {
		return about{}, false
	}
	if strings.Contains(s.low, "divorced") && !s.denied {
		return about{name: "marital status", value: "divorced"}, true
	}
	a := about{name: "partner", negated: true}
	if startsName(gone) || gone != "" && s.plain && !slices.Contains(strings.Split(partners, "|"), strings.ToLower(gone)) && gone != "ex" {
		a.value = gone
	}
	return a, true
}

func relationSlot(s *saying) (about, bool) {
	if m := s.match(newRelative, "new "); m != nil && s.self() && !s.denied {
		return about{name: relation(strings.ToLower(m[1])), value: m[2]}, true
	}
	if m := s.matchText(bossNow, " new "); m != nil && startsName(m[2]) && !cameToWork.MatchString(s.text) {
		return about{name: relation(strings.ToLower(m[1])), value: m[2]}, true
	}
	if a, ok := s.theirs(); ok {
		return a, true
	}
	m := s.matchText(relativeIs, "my ", "our ")
	if m == nil || !startsName(m[2]) && !(s.plain && strings.Contains(s.text, " called ") || strings.Contains(s.text, " named ") || strings.Contains(s.text, "name is ")) || notNames[strings.ToLower(m[2])] || peoples(strings.ToLower(m[2])) || strings.HasPrefix(m[2], "I ") {
		return about{}, false
	}
	who := relation(strings.ToLower(m[1]))
	for _, one := range strings.Split(several, "|") {
		if who == one {
			return about{name: who + ":" + strings.ToLower(m[2])}, true
		}
	}
	return about{name: who, value: m[2]}, true
}

// bornNext tells how many children there are by now.
var bornNext = english(`^had (?:a|our|my) (second|third|fourth|fifth) (?:kid|child|baby|son|daughter)\b`)

func petSlot(s *saying) (about, bool) {
	if s.matchText(strayed, "ran away", "lost") != nil {
		return about{}, false
	}
	if m := s.matchText(petIs, "my ", "our "); m != nil && !notNames[strings.ToLower(m[2])] && (startsName(m[2]) || s.plain && (strings.Contains(s.text, " called ") || strings.Contains(s.text, " named ") || strings.Contains(s.text, "name is "))) {
		return about{name: "pet:" + strings.ToLower(m[2])}, true
	}
	if m := s.match(petBeside, ", "); m != nil && s.known && !s.denied && startsName(m[1]) {
		return s.about("pet:"+strings.ToLower(m[1]), "")
	}
	if m := s.match(petNamed, "called", "named", "name is"); m != nil && s.known {
		return s.about("pet:"+strings.ToLower(m[2]), "")
	}
	if m := s.matchText(myPetDoes, "my ", "our "); m != nil && !s.denied && petEnds.MatchString(s.text) {
		return about{name: "pet:" + strings.ToLower(m[2]), negated: true}, true
	}
	if m := s.matchText(animalGone, "died", "passed", "rainbow", "put down", "put to sleep", "ran away"); m != nil {
		return about{name: "has:" + strings.ToLower(m[1]), negated: true}, true
	}
	if m := s.match(petLost, "lost", "buried", "goodbye", "put"); m != nil && s.self() && !s.denied {
		return about{name: "pet:" + strings.ToLower(m[1]), negated: true}, true
	}
	if m := s.matchText(petGone, "died", "passed", "rainbow", "put ", "euthan", "ran away", "dead", "with us", "make it"); m != nil && startsName(m[1]) && !noNames[strings.ToLower(m[1])] {
		return about{name: "pet:" + strings.ToLower(m[1]), negated: true}, true
	}
	if m := s.match(petGiven, "gave", "put", "rehomed", "give"); m != nil && s.self() && startsName(m[1]) {
		return about{name: "pet:" + strings.ToLower(m[1]), negated: true}, true
	}
	if m := s.match(bornNext, "had ", "having"); m != nil && s.self() && !s.denied {
		return about{name: "number of children", value: map[string]string{"second": "two", "third": "three", "fourth": "four", "fifth": "five"}[strings.ToLower(m[1])]}, true
	}
	if m := s.match(petsKept, "have", "has", "keep", "own"); m != nil && s.self() && !s.denied && !(m[1] == "a" || m[1] == "an") {
		return about{name: "number of " + plural(strings.ToLower(m[2])), value: strings.ToLower(m[1])}, true
	}
	return about{}, false
}

// petNoted reads that there is a pet where nothing else is told of it.
func petNoted(s *saying) (about, bool) {
	if m := s.matchText(myPetDoes, "my ", "our "); m != nil && !s.denied {
		return about{name: "pet:" + strings.ToLower(m[2])}, true
	}
	return about{}, false
}

func plural(noun string) string {
	switch noun {
	case "kid", "child", "children":
		return "children"
	case "grandchild", "grandchildren":
		return "grandchildren"
	case "puppy":
		return "puppies"
	case "mouse":
		return "mice"
	}
	return noun + "s"
}

const (
	staying = `(?:live|lives|am living|is living|are living|living|reside|resides|am based|is based|are based|based|moved|relocated|settled|are settled|am settled)`
)

var (
	// movedSeat is where one sits or works now, in the place where one was.
	movedSeat = english(`^moved (?:over |back |up |down )?(?:in)?to\s+(?:a|an|the|my|our|another)\s+(?:[\pL-]+\s+){0,3}?(?:row|seat|seats|sofa|couch|desk|table|chair|bed|team|department|group|office|room|floor|lane|line|queue|class|gym|bench|corner|side|back|front|counter|platform|gate)\b`)
	livesIn   = english(`^` + staying + `\s+(?:(?:back|over|here|down|up|out|away|permanently|now|together|alone|house|home|in with \S+|with [^,.]{1,20}?|near \S+|(?:on|at) (?:\d+\S* )?(?:the )?\p{Lu}\S+(?: \p{Lu}\S+)?|from \S+(?: \p{Lu}\S+)?)\s+)*(?:in|to|into)\s+(?:(?:a|an|our|the|my|her|his|their)\s+(?:[\pL-]+\s+){0,4}?(?:in|near)\s+)?(.+)$`)
	movedInto = english(`^moved (?:in|into)\b.{0,40}?\sin\s+(.+)$`)
	// movedFrom names with whom one lived: "moved out of my mum's place".
	movedFrom  = english(`^(?:have\s+)?moved out (?:of|from)\s+((?:my |our )?(?:mum|mom|dad|mother|father|parents|brother|sister|grandma|grandpa|aunt|uncle|girlfriend|boyfriend|partner|ex|friend))(?:'s|s'|')?(?:\s+(?:place|house|flat|home|apartment))?(?:\W*$|\s*[,.;!(].*|\s+(?:last|this|in|yesterday|today|and|now|because|finally|on|when|after)\b.*)`)
	movedAway  = english(`^(?:moved|have moved)\s+(?:out of|away from)\s+(.+)$`)
	notPlaces  = set(`python linux windows mac macos ubuntu android iphone ios java rust golang go typescript javascript react vue kubernetes postgres postgresql vim emacs vscode google apple microsoft amazon meta github gitlab slack teams discord notion spotify netflix marketing sales engineering finance hr management team plan phase step zoom jira mysql redis aws azure gcp docker excel`)
	placeStops = set(`fear peace hope a an my our your his her their that this one two three different another hiding luxury poverty constant total some many or and with near old first last next monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december spring summer autumn winter i we bed tears person general it them which where because since about here there harmony sin town jeans shorts hoodies leggings pyjamas pajamas sweatpants sneakers trainers boots slippers dread denial exile pain silence squalor strike see help try make`)
	livesAt    = english(`^(?:live|lives|am living|is living|am staying|reside|resides)\s+(?:at|on)\s+(?:(?:the\s+)(\p{Lu}.+)|(\d+\w?\s.+))$`)
	seasonal   = english(`\b(?:during (?:the )?(?:summers?|winters?|week|school year|term|holidays?|season|months?|spring|autumn)|in (?:the )?(?:summers|winters)|(?:in|every) (?:summer|winter)s?)\b`)
	// forNow limits where one lives to what one is there for, or to some days.
	forNow = english(`\b(?:for (?:work|my job|business|uni|university|school|my studies|the (?:summer|winter|spring|autumn|semester|term|season|project|holidays|weekend))|during the week|on weekdays|on weeknights|at (?:the )?weekends)\b`)
	// movesFor tells why somebody moved, which is no limit.
	movesFor = english(`^(?:relocated|moved) to\b.*\bfor (?:work|my job|a (?:new )?job|business|uni|university|school|my studies)\W*$`)
	cameBack = english(`\b(?:came|moved|went|come) back\b`)
)

var homeHints = strings.Split("liv resid based moved relocated settled", " ")

func homeSlot(s *saying) (about, bool) {
	if m := s.match(alsoMoved, "also "); m != nil && s.known && !s.denied {
		moved := *s
		moved.text, moved.predicate = strings.Replace(s.text, "also ", "", 1), m[1]
		moved.low, moved.lowPredicate = strings.ToLower(moved.text), strings.ToLower(m[1])
		return homeSlot(&moved)
	}
	if !s.known || !contains(s.lowPredicate, homeHints) || also.MatchString(s.text) || forNow.MatchString(s.predicate) && !movesFor.MatchString(s.predicate) {
		return about{}, false
	}
	negated := s.denied
	var place string
	if strings.HasPrefix(s.lowPredicate, "moved") && s.match(cameBack, "back") != nil && !strings.HasPrefix(s.lowPredicate, "moved back") || strings.HasPrefix(s.lowPredicate, "live") && s.match(seasonal) != nil {
		return about{}, false
	}
	if m := s.match(livesAt, " at ", " on "); m != nil {
		if m[2] != "" {
			return s.about("address", strings.ToLower(valueOf(m[2])))
		}
		if place := s.name(m[1], placeStops); place != "" {
			return s.about("home", "the "+place)
		}
	}
	if s.denied && strings.HasPrefix(s.lowPredicate, "lived in ") {
		if place := s.name(s.predicate[len("lived in "):], placeStops); place != "" {
			return s.about("home", place)
		}
	}
	if m := s.match(movedFrom, "moved out"); m != nil && !s.denied {
		if who := companion(m[1]); who != "" && (kin[who] || who != strings.ToLower(m[1])) {
			return about{name: "lives with:" + who, subject: s.subject, negated: true}, true
		}
	}
	if m := s.match(movedAway, "moved"); m != nil {
		place, negated = m[1], true
	} else if m := s.match(movedInto, "moved in"); m != nil {
		place = m[1]
	} else if m := s.match(livesIn, "liv", "resid", "based", "moved", "relocated", "settled"); m != nil {
		place = m[1]
	} else {
		return about{}, false
	}
	if strings.HasPrefix(s.predicate, "moved to") && s.plain && !strings.Contains(s.text, "live") {
		// "i moved to the sofa": without capitals only what reads as a name.
		if f := strings.Fields(place); len(f) == 0 || lowerWords[strings.ToLower(f[0])] {
			return about{}, false
		}
	}
	if strings.HasPrefix(s.lowPredicate, "moved") && s.match(movedSeat, "moved to ", "moved into ") != nil {
		return about{}, false
	}
	value := s.name(place, placeStops)
	if strings.HasPrefix(strings.ToLower(place), "the ") {
		if rest := place[4:]; startsName(rest) {
			value = "the " + s.name(rest, placeStops)
		} else {
			return about{}, false
		}
	}
	if value == "" || notPlaces[strings.ToLower(strings.Fields(value)[0])] {
		return about{}, false
	}
	return about{name: "home", subject: s.subject, value: value, negated: negated}, true
}

var (
	also       = english(`\b(?:also|as well|part[- ]time|second job|side job|for a (?:day|week|month|year|while|bit)|for (?:two|three|four|five|six|\d+) (?:days|weeks|months|years)|temporarily|sometimes|(?:on|at) (?:saturdays|sundays|weekends|the weekends?|the side)|in the evenings|half the year|used to|when i was|back when|as a (?:kid|child|student|teenager))\b`)
	lowerWords = set(`the a an my our your sofa couch bed table floor kitchen back front new old another other python linux desk left right top bottom next end garden balcony`)

	worksFor   = english(`^(?:(?:work|works|am working|is working|are working|working|am employed|is employed|employed|volunteer full[- ]time)\s+(?:(?:now|full[- ]time|remotely|as (?:a|an|the) [^,.]{2,30}?|nights|days|shifts|night shifts)\s+)*(?:at|for|with|by|in)|(?:started|began)(?:\s+(?:a|an|my|his|her|their|the))?(?:\s+new)?(?:\s+(?:job|position|role|work|working|gig|internship|apprenticeship))\s*(?:as (?:a|an|the) [^,.]{2,30}?\s+)?(?:at|for|with)|(?:started|begin|began)\s+(?:at)|(?:got|found|landed)\s+(?:a|an|my|his|her|the)(?:\s+new)?\s+(?:job|position|role|internship)\s+(?:offer\s+)?(?:as (?:a|an|the) [^,.]{2,30}?\s+)?(?:at|with)|joined|switched (?:jobs )?to|have a (?:new )?job at|has a (?:new )?job at)\s+(.+)$`)
	leavesJob  = english(`^(?:quit|left|lost|resigned from|am leaving|have left|gave up|was fired from|was laid off from|got fired from|got laid off from|got let go from|was let go from|retired from|stopped working|stopped working)\s+(?:(?:my|the|his|her|their)\s+)?(?:(?:old|current|day)\s+)?(?:job|position|role|work|post)?\s*(?:as (?:a|an|the) [^,.]{2,30}?\s+)?(?:(?:at|with|for|from)\s+)?(.*)$`)
	jobless    = english(`^(?:(?:got|was|been|have been|am)\s+(?:fired|laid off|made redundant|let go)|retired|am (?:unemployed|out of work|between jobs|retired|jobless)|is (?:unemployed|out of work|retired)|quit(?:\W*$|\s+(?:today|yesterday|this morning|last (?:week|month|friday|monday))\W*$)|quit work|quit my job|lost my job|left my job|resigned)\b`)
	foundJob   = english(`^(?:found|got|landed|have found|have got)\s+(?:a|my|another)\s+(?:new\s+|first\s+)?job\W*$`)
	lowerFirms = set(`home night nights least all times myself free fun money people them him her different several two once weekends day days food peanuts clients others it and or healthcare tech it education finance marketing sales construction hospitality retail law medicine retirement years hours long hard that this these my our your bed there here which fear january the-gym gym shifts school`)
)

var workHints = strings.Split("work,employ,job,position,role,joined,started,began,intern,gig,switched, at , for , with ,quit,left,lost,resign,leaving,gave up,fired,laid off,retired,let go,redundant,between", ",")

func workSlot(s *saying) (about, bool) {
	if m := s.matchText(jobIs, "job", "employer", "position", "role"); m != nil {
		if firm := s.firm(m[1]); firm != "" {
			return about{name: "work", value: firm}, true
		}
	}
	if m := s.matchText(firedMe, " me"); m != nil {
		return about{name: "work", negated: true}, true
	}
	if !s.known || !contains(s.lowPredicate, workHints) || also.MatchString(s.text) {
		return about{}, false
	}
	if m := s.match(firedAt, "fired", "sacked", "laid", "let go"); m != nil && startsName(m[1]) && !noFirm.MatchString(m[1]) && !s.denied {
		if firm := s.firm(m[1]); firm != "" {
			return about{name: "work", subject: s.subject, value: firm, negated: true}, true
		}
	}
	if m := s.match(gaveUp, "quit", "left", "resigned", "gave up"); m != nil && !strings.Contains(s.lowPredicate, "job") {
		if thing, _ := thingOf(m[1]); groups.MatchString(thing) {
			return about{}, false // a choir is no employer
		}
	}
	if s.denied && s.match(leavesJob, "quit", "left", "lost", "resign", "fired", "laid off", "retired", "let go") != nil {
		return about{}, false // "I didn't quit my job"
	}
	if m := s.match(leavesJob, "quit", "left", "lost", "resign", "leaving", "gave up", "fired", "laid off", "retired", "let go", "stopped work"); m != nil && (strings.Contains(strings.ToLower(s.predicate), "job") || strings.Contains(s.predicate, " at ") || strings.Contains(s.predicate, " from ") || strings.Contains(s.predicate, "position")) {
		firm := s.firm(m[1])
		if hasJob := strings.Contains(strings.ToLower(s.predicate), "job"); hasJob || firm != "" && (startsName(firm) || !strings.HasPrefix(s.lowPredicate, "left") && !strings.HasPrefix(s.lowPredicate, "lost")) {
			return about{name: "work", subject: s.subject, value: firm, negated: true}, true
		}
	}
	if m := s.match(jobless, "quit", "fired", "laid", "redundant", "let go", "retired", "unemployed", "work", "job", "resigned"); m != nil && !s.denied && (s.self() || !strings.HasPrefix(s.lowPredicate, "quit") || strings.Contains(s.lowPredicate, "job") || strings.Contains(s.lowPredicate, "quit work")) {
		return about{name: "work", subject: s.subject, negated: true}, true
	}
	if m := s.match(isAAt, " at ", " for ", " with "); m != nil {
		if firm := s.firm(m[1]); firm != "" && !peoples(strings.ToLower(firm)) {
			return s.about("work", firm)
		}
	}
	if m := s.match(nowAt, "am at", "is at"); m != nil {
		if firm := s.firm(m[1]); firm != "" {
			return s.about("work", firm)
		}
	}
	if foundJob.MatchString(s.predicate) && !s.denied {
		return about{name: "work", subject: s.subject}, true
	}
	m := s.match(worksFor, "work", "employ", "job", "position", "role", "joined", "started", "began", "intern", "gig", "switched")
	if m == nil {
		return about{}, false
	}
	firm := s.firm(m[1])
	low := strings.ToLower(s.predicate)
	if withWhat := strings.Contains(strings.TrimSuffix(low, strings.ToLower(m[1])), " with "); withWhat && (!startsName(firm) || notPlaces[strings.ToLower(firm)]) {
		return about{}, false // tools, and those one works with
	}
	if firm == "" || strings.Contains(low, "working in") || strings.HasPrefix(low, "work in ") && !strings.HasPrefix(strings.ToLower(m[1]), "a") && !strings.HasPrefix(strings.ToLower(m[1]), "the") {
		return about{}, false
	}
	if (strings.HasPrefix(low, "joined") || strings.HasPrefix(low, "switched")) && !(startsName(m[1]) && strings.Contains(low, " as ")) {
		return about{}, false
	}
	return s.about("work", firm)
}

// firm reads for whom someone works: a name, or "the city library".
func (s *saying) firm(text string) string {
	value := valueOf(text)
	fields := strings.Fields(value)
	if len(fields) == 0 || lowerFirms[strings.ToLower(fields[0])] {
		return ""
	}
	if withinFirm.MatchString(value) {
		return ""
	}
	if name := s.name(text, lowerFirms); name != "" && startsName(name) {
		if givenNames[strings.ToLower(name)] {
			return "" // whom one works for, whoever employs both
		}
		return name
	}
	low := strings.ToLower(fields[0])
	if len(fields) > 1 && len(fields) <= 5 && (low == "the" || low == "a" || low == "an") && !lowerFirms[strings.ToLower(fields[1])] && !unspecific[strings.ToLower(fields[1])] {
		return value
	}
	if s.plain && len(fields) <= 3 && !placeStops[low] {
		return value
	}
	return ""
}

// withinFirm is where in a firm, or at what, one works.
var withinFirm = english(`\b(?:department|dept|team|office|offices|division|branch|unit|desk|computer|laptop|screen|keyboard|counter|till|checkout|reception|front desk|shift|floor|crew|group of|squad|site|warehouse floor|section|headquarters|hq|basement|height|loss|pace|speed|discount)\b`)

var unspecific = set(`moment same new living while weekend weekends night day time project company job bit week month year minute past future book novel paper few couple lot`)

var (
	worksAs  = english(`^(?:work|works|am working|is working|am employed|is employed|worked)\s+(?:full[- ]time\s+)?as (?:a|an|the)\s+(.+)$`)
	promoted = english(`^(?:(?:got|was|been|am|have been)\s+)?promoted to\s+(?:an?\s+|the\s+)?(.+)$`)
	isAAt    = english(`^(?:am|is)\s+(?:a|an|the)\s+(?:[\pL-]+\s+){0,3}?(?:` + trades + `|intern|lead|head|director|assistant|clerk|officer|partner|trainee|apprentice)\s+(?:at|for|with)\s+(\p{Lu}.*)$`)
	nowAt    = english(`^(?:am|is)\s+at\s+(\p{Lu}\S*(?:\s\p{Lu}\S*)?)\s+(?:now|since)\b`)
	jobIs    = english(`^my (?:new |current )?(?:job|employer|position|role) is (?:now )?(?:at |with )?(\p{Lu}.*)$`)
	// firedMe tells an end of work by who made it; firedAt where it was.
	firedMe = english(`^(?:they|we|(?:my|the) (?:\pL+ )?(?:boss|company|employer|manager|firm|job|work)|\p{Lu}[\pL'’-]+)\s+(?:(?:just|finally|actually|have|has)\s+)*(?:(?:fired|sacked|axed) me|laid me off|let me go)(?:\W*$|\s+(?:last|in|on|today|yesterday|this|after|because|over|from work|without)\b)`)
	firedAt = english(`^(?:got|was|were|have been|been)\s+(?:fired|sacked|laid off|let go)\s+(?:at|by|from)\s+(\p{Lu}.*)$`)
	noFirm  = english(`^(?:christmas|easter|noon|midnight|thanksgiving|new year|covid)`)
	isA     = english(`^(?:am|is)\s+(?:a|an)\s+((?:[\pL-]+\s+){0,2}?(?:` + trades + `))(?:\W*$|\s*[,.;!(].*|\s+(?:at|by|in|with|for|from|and|now|who|since|here)\b.*)`)
)

const trades = `nurse|doctor|teacher|paramedic|engineer|developer|programmer|designer|architect|lawyer|electrician|plumber|carpenter|chef|cook|baker|barista|waiter|waitress|bartender|pilot|driver|firefighter|police officer|accountant|journalist|editor|translator|interpreter|librarian|scientist|researcher|physicist|chemist|biologist|professor|lecturer|therapist|psychologist|physiotherapist|dentist|vet|veterinarian|pharmacist|midwife|surgeon|photographer|florist|gardener|farmer|mechanic|welder|technician|analyst|consultant|manager|salesperson|cashier|hairdresser|barber|tailor|social worker|data scientist|project manager|product manager|bookkeeper|secretary|receptionist|musician|violinist|pianist|actor|actress|dancer|sailor|fisherman|soldier|judge|notary|optician|radiologist|cardiologist|beekeeper|locksmith|janitor|courier|postman|mail carrier|flight attendant|tram driver|bus driver|taxi driver|truck driver|student`

func roleSlot(s *saying) (about, bool) {
	if !s.known || !strings.Contains(s.lowPredicate, " a") && !strings.Contains(s.lowPredicate, "promoted") || also.MatchString(s.text) {
		return about{}, false
	}
	if m := s.match(promoted, "promoted", "made"); m != nil && !s.denied {
		if what := strings.ToLower(valueOf(m[1])); what != "" && len(strings.Fields(what)) <= 4 {
			return s.about("role", what)
		}
	}
	if m := s.match(worksAs, "as a", "as the"); m != nil && !strings.HasPrefix(s.predicate, "worked") {
		if what := strings.ToLower(valueOf(m[1])); what != "" && len(strings.Fields(what)) <= 4 {
			return s.about("role", what)
		}
	}
	if m := s.match(isA, "a "); m != nil && !opinions[strings.Fields(strings.ToLower(m[1]))[0]] && !asPastime.MatchString(m[1]) {
		return s.about("role", strings.ToLower(m[1]))
	}
	return about{}, false
}

// asPastime tells how well one does what may be no work.
var asPastime = english(`\b(?:keen|talented|passionate|gifted|born|natural|hobby|amateur|aspiring|wannabe|home|skilled|avid|budding|would-be|former|retired|ex)\b`)

var (
	studies     = english(`^(?:study|studies|am studying|is studying|are studying|studying|major in|majors in|am majoring in|am doing (?:a|my) (?:degree|master's|masters|phd|bachelor's|doctorate) in|am enrolled in|read)\s+(.+)$`)
	studiesDone = english(`^(?:finished|completed|graduated(?: from| with| in)?|dropped out of|got|finally finished|defended|left|quit)\s*(?:(?:my|a|the|with a|uni|university|school)\s*)*((?:[\pL-]+\s+){0,3}?)(?:degree|studies|phd|thesis|master's|masters|bachelor's|uni|university|college|law school|med school|medical school|school|diploma)\b`)
	noStudies   = set(`for hard at in on with every all a the my late until alone together here there it that this and abroad french spanish german english italian portuguese dutch japanese chinese korean`)
)

var studyHints = strings.Split("stud major enrolled degree master phd doctorate finished completed graduated dropped defended", " ")

func studySlot(s *saying) (about, bool) {
	if !s.known || !contains(s.lowPredicate, studyHints) || also.MatchString(s.text) {
		return about{}, false
	}
	if m := s.match(studies, "stud", "major", "enrolled", "degree in", "master", "phd", "doctorate"); m != nil {
		what := strings.ToLower(valueOf(m[1]))
		if f := strings.Fields(what); len(f) > 0 && len(f) <= 4 && !noStudies[f[0]] && !strings.HasPrefix(s.predicate, "read") {
			return s.about("studies", what)
		}
	}
	if m := s.match(studiesDone, "finished", "completed", "graduated", "dropped out", "defended"); m != nil && !s.denied {
		what := strings.ToLower(strings.TrimSpace(m[1]))
		if strings.Contains(s.predicate, "law school") {
			what = "law"
		}
		return about{name: "studies", subject: s.subject, value: what, negated: true}, true
	}
	return about{}, false
}

var (
	speaks   = english(`^(?:speak|speaks|am fluent in|is fluent in)\s+(?:(?:a little|a bit of|some|fluent|decent|basic|good|native|only|fluently|broken|very good|bad|perfect|any)\s+)*(\pL+)(?:\W*$|\s*[,.;!(].*|\s+(?:fluently|at home|at work|with|well|quite|very|too|but|now|since|because)\b.*)`)
	mothers  = english(`^(?:my|our) (?:native language|mother tongue|first language|native tongue) is\s+(\pL+)`)
	noTongue = set(`to with about for of up out at loudly slowly softly too more less english-only in the my your it that this like from on so very as when`)
)

func languageSlot(s *saying) (about, bool) {
	if m := s.matchText(mothers, "language", "tongue"); m != nil {
		return about{name: "native language", value: m[1]}, true
	}
	if m := s.match(speaks, "speak", "fluent"); m != nil && !(s.denied && (onlyThere.MatchString(s.predicate) || notMuch.MatchString(s.predicate))) && s.known && !noTongue[strings.ToLower(m[1])] && (startsName(m[1]) || s.plain) {
		return s.about("language:"+strings.ToLower(m[1]), "")
	}
	return about{}, false
}

// onlyThere limits a denial to a place.
var onlyThere = english(`\b(?:at (?:home|work|school)|with (?:my|the|our)|in (?:public|class|meetings))\b`)

// notMuch denies how well a language is spoken, not that it is.
var notMuch = english(`\b(?:well|fluently|perfectly|much|often|a lot|good|properly|natively|that|every|enough|without|like|as|except)\b`)

// peoples says whether a capitalised word names where someone is from or what they
// are, not who.
func peoples(low string) bool {
	for _, ending := range []string{"ish", "ian", "ese", "ean", "ch", "ican"} {
		if strings.HasSuffix(low, ending) {
			return true
		}
	}
	return adjectives[low]
}

var adjectives = set(`german greek dutch czech thai swiss muslim jewish vegan catholic buddhist hindu gay iraqi israeli pakistani here back fine good great new sorry sure ok okay done ready tired lost bored hungry happy sad sick busy late home pregnant retired dead away asleep vegetarian amazing awesome great lovely sweet afraid worried allergic coming going getting moving working living visiting staying arriving leaving turning 5 also not a an the in at on from my very so really still now always never the-best best wonderful the`)
