package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// about is what a statement is about, if it is of a kind that can be updated or
// contradicted.
type about struct {
	// name is "home", "favorite:color", "allergy:nuts" …, "" for none. What can have
	// several values at once has the value in its name.
	name string
	// subject is whom or what it belongs to, "" for who speaks.
	subject string
	// value is what it holds, "" if that is not known or the name says it.
	value string
	// negated says that it does not hold value, or anything where value is "".
	negated bool
}

// Only what is said plainly and of the present gets a slot: a wrong slot would let
// one memory retire another that has nothing to do with it. "I used to live in",
// "I also work at", "one of my favourite films" get none, nor does what is only
// supposed, wished, asked or told by others.

// saying is a statement taken apart for the rules of slots.
type saying struct {
	// text has its short forms written out and nothing before its subject.
	text string
	// subject is whose it is, "" for who speaks; known is false if that is not clear.
	subject string
	known   bool
	// predicate is what follows the subject, without what only dwells on it ("now").
	predicate string
	// low and lowPredicate are both in lower case.
	low, lowPredicate string
	// denied says that the predicate was denied; its "not" is gone. over says that it was
	// denied as something that was so before.
	denied, over bool
	// plain says that the text is all lower case, so that no capital can be expected.
	plain bool
}

// slotRules are tried in order; the first that knows what a statement is about decides.
var slotRules = []func(s *saying) (about, bool){
	changeSlot, countSlot, nameSlot, pronounSlot, answerSlot, ageSlot, birthdaySlot, maritalSlot, relationSlot, petSlot,
	favoriteSlot, allergySlot, dietSlot, moveSlot, homeSlot, groupSlot, workSlot, roleSlot, undertakingSlot, studySlot, languageSlot,
	projectSlot, projectName, keptSlot, switchSlot, endSlot, skillSlot, eventSlot, journeySlot, ownedSlot, aidSlot, passingSlot, overSlot, attributeSlot, paySlot, healthSlot, tasteSlot, habitSlot, lastingSlot, petNoted,
}

// slotWords is the most words of a statement that gets a slot: a longer one tells more
// than one thing.
const slotWords = 45

// slotOf says what an English statement of a user is about.
func slotOf(text string) about {
	if len(text) > 600 || countWords(text) > slotWords || !mayHold(text) {
		return about{}
	}
	if a, ok := introduced(text); ok {
		return a
	}
	if contains(text, figurativeHints) && figurative.MatchString(text) {
		return about{}
	}
	if strings.Contains(text, "used to ") {
		if a, ok := wasOnce(text); ok {
			return a
		}
	}
	if contains(text, evidenceHints) {
		if a, ok := foundOut(text); ok {
			return a
		}
	}
	if strings.Contains(text, "til") {
		if a := formerSlot(text); a.name != "" {
			return a
		}
	}
	if strings.Contains(text, "want to ") {
		if a, ok := wishSlot(text); ok {
			return a
		}
	}
	if a, ok := livesElsewhere(text); ok {
		return a
	}
	if strings.Contains(text, " out ") {
		if m := turnedOut.FindStringSubmatch(text); m != nil {
			if a := slotOf(m[1]); strings.HasPrefix(a.name, "allergy:") || strings.HasPrefix(a.name, "health:") {
				return a
			}
		}
	}
	s := newSaying(text)
	if s.text == "" || contains(s.low, supposedHints) && supposed.MatchString(s.text) || contains(s.low, supposingHints) && supposing.MatchString(mainClause(s.text)) || strings.Contains(s.low, " my ") && novel.MatchString(s.text) || strings.Contains(s.low, "character") {
		return about{}
	}
	for _, rule := range slotRules {
		if a, ok := rule(&s); ok {
			if m := othersDate.FindStringSubmatch(a.name); m != nil && a.subject == "" {
				a.name, a.subject = "date:"+m[2], relation(m[1])
			}
			if strings.HasPrefix(a.name, "date:") && a.subject == "" && bareCare.MatchString(s.text) {
				return about{} // whose, has been told before
			}
			if a.name == "habit:eat meat" {
				a.name, a.value = "diet", "meat"
			}
			if m := doseOf.FindStringSubmatch(a.name); m != nil && !atTimes.MatchString(eachMorning.ReplaceAllString(s.predicate, "")) {
				a.name, a.value = "habit:take "+m[2], m[1] // how much of it may change
				return a
			}
			if strings.HasPrefix(a.name, "habit:") && a.value == "" && !a.negated {
				a.value = frequency(s.predicate)
			}
			return a
		}
	}
	return takenUpSlot(text)
}

var (
	// othersDate is a day of somebody else's, bareCare opens what is told of nobody.
	othersDate = newPattern(`^date:(\pL+)'s (.+)$`)
	bareCare   = english(`^(?:surgery|operation|biopsy|treatment|procedure)\s`)
	// doseOf is how much one takes of what, atTimes tells one dose from others of a day.
	doseOf = english(`^habit:take (\d+(?:[.,]\d+)? ?(?:mg|mcg|µg|g|ml|iu|units?|tablets?|pills?|drops?))(?: of)? (\pL.*)$`)
	// eachMorning is when most take what they take once a day.
	eachMorning = english(`\b(?:every|each) morning\b`)
	atTimes     = english(`\b(?:mornings?|evenings?|nights?|noon|lunch|breakfast|dinner|bed|bedtime|am|pm)\b`)
)

var (
	// supposed and supposing tell that a statement is no plain one: the first wherever
	// they stand, the others beside its main verb.
	supposed  = english(`\b(?:maybe|perhaps|probably|possibly|presumably|might|i (?:think|guess|suppose|believe)|not (?:so |quite |really )?sure|wish|pretend|pretending|imagine|imagining|used to|hypothetical(?:ly)?|suppose|supposing|were i|if i|if we|let us say|role-?play(?:ing)?|as if|supposedly|allegedly|apparently)\b`)
	supposing = english(`\b(?:if|unless|would|could|should|may (?:be|have|move|go|get|not|well|start|become)|want|wants|wanted|hope|hopes|hoping|thinking|considering|consider|plan|plans|planning|dream|dreaming|almost|nearly|said|says|told|tells|claims|claimed|thinks|asked|think|feel like|tempted|try|trying|supposed|ought|until|to be)\b`)
	novel     = english(`\b(?:in (?:my|the|our) (?:novel|story|book|game|dream|campaign|screenplay|script|play|fanfic)|(?:my|the|our) (?:character|hero|heroine|protagonist|villain))\b`)
)

// The hints are pieces of which one stands in every text that matches: looking for
// them is quick.
var (
	supposedHints  = strings.Split("maybe perhaps prob possib presum might think guess suppos believe sure wish pretend imagin used hypoth were if say role alleged apparent", " ")
	supposingHints = strings.Split("if unless would could should may want hop think consider plan dream almost nearly said say told tell claim ask feel tempt try suppos ought until be", " ")
	// speakers and begins are words of which each statement with a slot has one: of who
	// speaks, or of what is asked for or worked on.
	speakers = set(`i im i'm ive i've i'd we we're we've we'll my our me`)
	matters3 = strings.Split("answer,repl,respond,write,speak,talk,emoji,metric,imperial,bullet,table,markdown,heading,list,code,jargon,short,brief,concise,detailed,formal,casual,friendly,polite,blunt,direct,port ,written,built,deadline,version,branch,limit,url,call,cancel,timeout,region,database,license,framework,package,linter,budget,retro,standup,renamed,is called,is named,stand-up,favo,together,operation,surgery,moved ,interview,runs on,appointment,dentist,flight,exam,wedding,meeting,rent , weighs ,anymore,any more,healed, gone,'s gone,over the ,is over,is off,are over,is history,is done,cancel,thing is,stores ,stored ,kept ,hosted ,recovered,back at work,leave is,home is ,so now ,that makes ,cast ,plaster,braces,crutches,sling,stitches,splint,down to ", ",")
)

// parents are called by what they are, without "my".
var parents = set(`mum mom mummy mommy dad daddy grandma granny grandpa gran nan`)

func contains(low string, hints []string) bool {
	return slices.ContainsFunc(hints, func(h string) bool { return strings.Contains(low, h) })
}

// mayHold says whether a text can have a slot at all.
func mayHold(text string) bool {
	for i, w := range wordsOf(text) {
		if speakers[w.low] || i == 0 && parents[w.low] || i == 0 && (w.capital && w.start == 0 || w.low == "the") || i < 6 && elided[w.low] {
			return true
		}
	}
	return contains(strings.ToLower(text), matters3)
}

// mainClause is a statement up to what hangs on it.
func mainClause(text string) string {
	if m := clauseEnd.FindStringIndex(text); m != nil && countWords(text[:m[0]]) >= 3 {
		return text[:m[0]]
	}
	return text
}

var clauseEnd = english(`[,;:.!?(–—]\s|\s-\s|\s(?:because|since|so|although|though|but)\s`)

var (
	// leadIn is what may stand before the subject and changes nothing.
	leadIn = english(`^(?:(?:yes|yeah|yep|yup|no|nope|nah)[,!:.…–—]+\s*|(?:that's|thats|that is|that was|this is|it's) (?:wrong|not true|not right|incorrect|a mistake|nonsense|not so|outdated|old news)|kindly note that|(?:(?:(?:back )?in|since|from) (?:early |late |mid-?)?(?:january|february|march|april|may|june|july|august|september|october|november|december|\d{4})|since (?:last|this) (?:week|month|year|spring|summer|autumn|fall|winter|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|yeah so|yeah|ugh|argh|aargh|omg|lol|haha|well|so|oh|ok|okay|hi|hello|hey|also|and|but|plus|actually|btw|by the way|fyi|just so you know|heads up|heads-up|correction|(?:small |quick |little |big )?update|since|because|hi there|hello there|honestly|anyway|anyways|um|uh|hm|hmm|finally|sadly|unfortunately|luckily|fortunately|happily|good news|bad news|big news|as you (?:(?:may|might|probably|surely|already) )*know(?: already)?|as (?:i|we) (?:said|mentioned|told you)(?: before| earlier| already)?|like i said(?: before| earlier)?|from now on|for now|now|currently|nowadays|these days|at the moment|right now|recently|lately|today|yesterday|as of (?:today|now|this week|yesterday)|(?:last|this|earlier this|since last) (?:week|month|year|spring|summer|autumn|fall|winter|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday|morning)|(?:in|since) (?:january|february|march|april|may|june|july|august|september|october|november|december|\d{4})|please|\(i\)|just|really|sorry|oops|on the side|on weekdays|on weekends|in general|generally|personally|thankfully|turns out|it turns out|[🎉🥳😅😊✨👋]+)[\s,!:.…–—-]+)+`)
	// dwells are words before or in a predicate that change nothing.
	dwells = `(?:now|currently|just|recently|finally|still|really|actually|absolutely|totally|truly|simply|always|honestly|definitely|sadly|officially|permanently|already|very much|kind of|kinda|sort of|quite|fully|so|very|too|both|all)`

	dwellsFirst = english(`^(?:` + dwells + `\s+)+`)
	denies      = english(`^(?:(?:do|does|did|am|is|are|can|have|has|will|was|were)\s+(?:` + dwells + `\s+)*(?:not|never|no longer|no more)\s+|(?:no longer|never|not)\s+)(?:(?:` + dwells + `|even|anymore|longer|ever|to)\s+)*`)
	beDwells    = english(`^(am|is|are|have|has|do|does)\s+(?:` + dwells + `\s+)+`)
	deniesBe    = english(`^(am|is|are|can|have|has|will|was|were)\s`)
	perfect     = english(`^(?:have|has)\s+((?:` + dwells + `\s+)*)(been|moved|relocated|settled|started|quit|stopped|left|sold|joined|switched|become|gone|got|gotten|turned|lived|worked|finished|given|lost|changed|adopted|bought|replaced|given|retired|graduated|dropped|migrated)\b`)
	// haveSince dwells on what has changed meanwhile: "we've since moved".
	haveSince = english(`^(have|has)\s+(?:since(?: then)?|meanwhile|in the meantime)\s+(moved|relocated|settled|switched|changed|sold|quit|stopped|left|joined|become|given|started|got|gone|bought|adopted|lost|replaced|retired|dropped|turned|found|finished|graduated|migrated)\b`)
	// beenDoing opens a predicate of what goes on.
	beenDoing = english(`^been\s+((?:working|living|staying|learning|studying|playing|eating|drinking|smoking|taking|using)\s.+)$`)
	// emphatic is a "do" that only dwells on what follows.
	emphatic = english(`^(?:do|does)\s+(have|has|like|love|eat|drink|live|work|take|play|own|need|speak|smoke|use|study)\b`)
	// grewTo and resumes open a predicate that tells of a beginning.
	grewTo  = english(`^(?:have |has )?(?:come|grown|learned|learnt|started|began|got|came|grew) to (?:really )?`)
	resumes = english(`^(?:have |has )?(?:started|began|begun|took up|taken up|got back (?:in)?to|am back to|are back to|went back to|gone back to|returned to|resumed)\s+(\pL+ing)\b\s*`)
	// bears is the verb of whom nothing is to be said but that they can or cannot.
	bears = english(`^can (?:not )?(?:stand|bear|abide)\b`)
	// ceases opens a predicate that tells of an end.
	ceases = english(`^(?:(?:have |had to |have had to )?(?:stop|stopped|quit|gave up|give up|given up)|am done|am through with|am done with)\s+(?:on\s+)?(\pL+ing)\b\s*`)
	// endedWhen tells since when something has ended, which is no limit to its end.
	endedWhen = english(`(?:^|\s+)(?:back )?(?:(?:in|on|since|by) (?:early |late |mid-?)?(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn|winter|\d{4})\b|(?:on|at|since|after|over) (?:christmas|xmas|easter|new year's|new years|halloween|good friday|boxing day)(?: eve| day)?\b|(?:last|this) \pL+\b|yesterday\b|today\b|(?:\d+|a|two|three|four|five|six|ten) (?:days?|weeks?|months?|years?) ago\b)(?:\s*\([^)]*\))?(?:[!.,;].*)?$`)
	haveGot   = english(`^(have|has)\s+got\s+`)
	// notSince tells of what has not been for long.
	notSince = english(`^(?:have|has)\s+not\s+(?:had|(\pL+))\b(.*?)\s+(?:since|in (?:\pL+ )?(?:months|years|weeks|ages))\b.*$`)
	// goneBy denies what was so before.
	goneBy = english(`\b(?:no longer|no more)\b`)
	// anymore closes a predicate that is denied.
	anymore = english(`\s+(?:any ?more|any longer)\b`)
	// notThisButThat is a denial that tells what holds.
	notThisButThat = english(`\bnot\s+((?:in|at|for|with|to|on|from)\s+)?[^,;.!?]{1,40}?,?\s+but\s+(?:rather\s+|now\s+)?((?:in|at|for|with|to|on|from)\s+)?`)
	doNotButIn     = english(`\b(?:do|does|did) not (\pL+) (in|at|for|with|to) [^,;.!?]{1,40}?,? but (?:rather )?(in|at|for|with|to) `)
	// firstPerson and relative are subjects.
	firstPerson = english(`^(?:i|we)\s+`)
	elided      = set(`moved relocated sold quit stopped started finished bought adopted switched love loved hate like live living work working allergic married turned not no never broke got lost can found left graduated replaced joined enjoy prefer speak play drink eat smoke have haven't havent need studying retired gave given came closed shut dropped resigned ditched promoted ended scrapped recovered sober vegan vegetarian cancelled canceled divorced single engaged back`)
	// weighsFirst is nameFirst of a name that may be written small.
	weighsFirst = english(`^(\pL+)\s+(weighs\s+\d)`)
	nameFirst   = newPattern(`^(\p{Lu}[\pL\pM'’-]+)\s+(is|weighs|sleeps|sings|runs|keeps|owns|collects|has|lives|works|moved|died|passed|speaks|loves|hates|likes|does|turned|started|switched|changed|goes|quit|got|can|no|studies|plays|eats|drinks|smokes|joined|left)\b`)
)

// newSaying takes a statement apart.
func newSaying(text string) saying {
	s := saying{text: strings.TrimSpace(expand(text))}
	s.text = titleStop.ReplaceAllString(s.text, "$1 ")
	s.text = leadIn.ReplaceAllString(s.text, "")
	s.text = bareYesNo.ReplaceAllString(s.text, "$1 ")
	s.text = nounIs.ReplaceAllString(s.text, "$1 is $2")
	s.plain = s.text == strings.ToLower(s.text) || strings.TrimPrefix(s.text, "I ") == strings.ToLower(strings.TrimPrefix(s.text, "I "))
	if m := usedToNow.FindStringSubmatch(s.text); m != nil {
		s.text = m[1]
	}
	if m := guessedNow.FindStringSubmatch(s.text); m != nil {
		s.text = m[1]
	}
	if m := favoriteUsed.FindStringSubmatch(s.text); m != nil {
		s.text = "my favorite " + m[1] + " is " + m[2]
	}
	s.text = afterAll.ReplaceAllString(s.text, "")
	s.text = doNotButIn.ReplaceAllString(s.text, "$1 $3 ")
	s.text = notThisButThat.ReplaceAllString(s.text, "$2")
	s.text = strings.TrimRight(chatTail.ReplaceAllString(s.text, ""), " .!…😀😊😅🎉")
	words := wordsOf(head(s.text, 200))
	if len(words) == 0 {
		return saying{}
	}
	switch m := firstPerson.FindStringIndex(s.text); {
	case m != nil:
		s.known, s.predicate = true, s.text[m[1]:]
	case words[0].low == "my" || words[0].low == "our":
		s.subject, s.predicate, s.known = relative(s.text)
	case parents[words[0].low] && len(words) > 2 && (auxiliaries[words[1].low] || presents[words[1].low] || pasts[words[1].low] || strings.HasSuffix(words[1].low, "ed")):
		s.known, s.subject, s.predicate = true, relation(words[0].low), s.text[words[1].start:]
	case elided[words[0].low], words[0].low == "do" && anymore.MatchString(s.text):
		s.known, s.predicate = true, s.text
	default:
		if m := nameFirst.FindStringSubmatchIndex(s.text); m != nil && !noNames[words[0].low] {
			s.known, s.subject, s.predicate = true, words[0].low, s.text[m[4]:]
		} else if m := weighsFirst.FindStringSubmatchIndex(s.text); m != nil && !noNames[words[0].low] {
			s.known, s.subject, s.predicate = true, words[0].low, s.text[m[4]:]
		}
	}
	if s.known {
		s.deny()
	}
	s.low, s.lowPredicate = strings.ToLower(s.text), strings.ToLower(s.predicate)
	return s
}

var (
	// usedToNow and favoriteUsed tell of what was and what is.
	usedToNow = english(`^(?:i|we) used to [^,;]{1,60}?(?:[,;]|\s+but|\s+and)\s*(?:but |and )?(?:these days|now|nowadays|since then)[,]? ((?:i|we|my)\b.+)$`)
	// guessedNow is no guess: "I guess I'm pescatarian now".
	guessedNow   = english(`^(?:i guess|i suppose|guess|looks like|seems like)\s+(?:that\s+)?((?:i am|we are)\s.{2,40}?\s+now\b.{0,15})$`)
	favoriteUsed = english(`^my favorite ([\pL' ]{2,30}?) (?:used to be|was) [^,;]{1,40}?(?:[,;]|\s+but|\s+and)\s*(?:but |and )?(?:now |these days )?(?:it is|is)(?: now)? (.+)$`)
	afterAll     = english(`\s+after all\b`)
)

// chatTail is what hangs on a statement in chat and changes nothing.
var chatTail = english(`(?:[\s,.!…–-]+(?:lol+|lmao|haha(?:ha)*h?|hehe|btw|tbh|ngl|imo|xd|tho|fyi|smh|oh well|woo+hoo+|yay+|phew|:\)|:-\)|:\(|;\)|:d|[\x{2600}-\x{27bf}\x{1f300}-\x{1faff}\x{fe0f}]+))+[\s.!]*$`)

// bareYesNo is a yes or no before a whole sentence, without a comma.
var bareYesNo = english(`^(?:yes|yeah|yep|yup|no|nope|nah)\s+(i|we|my|our|he|she|it|they)\s`)

// nounIs is a noun with a short "is" behind it.
var nounIs = english(`^((?:(?:the|my|our)\s+)?[\pL-]+(?:\s[\pL-]+)?)'s\s+(off|on|at|moved|been|cancelled|canceled|called|named|now|fine|a|an|in|not|no|gone|broken|out|due|from|over|\d+)\b`)

// titleStop is a full stop that belongs to a title or a saint.
var titleStop = newPattern(`\b(St|Dr|Mr|Mrs|Ms|Mt|Ft|Prof)\. `)

// noNames are words that begin a statement with a capital and are nobody's name.
var noNames = set(`it this that these those there the here what who everything everyone everybody somebody someone nobody nothing something one today tomorrow yesterday he she they you life work school dinner lunch breakfast mum mom dad god nothing traffic weather class time money music everything`)

// deny takes the denial and what dwells on it off a predicate.
func (s *saying) deny() {
	p := dwellsFirst.ReplaceAllString(s.predicate, "")
	p = beDwells.ReplaceAllString(p, "$1 ")
	p = emphatic.ReplaceAllString(p, "$1")
	p = haveGot.ReplaceAllString(p, "$1 ")
	if m := notSince.FindStringSubmatch(p); m != nil {
		if base := participleOf(strings.ToLower(m[1])); base != "" {
			s.denied, s.over = true, true
			p = base + m[2]
		}
	}
	p = haveSince.ReplaceAllString(p, "$1 $2")
	p = perfect.ReplaceAllString(p, "$2")
	if m := beenDoing.FindStringSubmatch(p); m != nil {
		p = "am " + m[1]
	}
	p = grewTo.ReplaceAllString(p, "")
	if m := resumes.FindStringSubmatchIndex(p); m != nil {
		p = infinitive(strings.ToLower(p[m[2]:m[3]])) + " " + p[m[1]:]
	}
	if m := ceases.FindStringSubmatchIndex(p); m != nil && !startsName(p[m[2]:m[3]]) {
		s.denied, s.over = true, true
		p = infinitive(strings.ToLower(p[m[2]:m[3]])) + " " + endedWhen.ReplaceAllString(p[m[1]:], "")
	} else if m := denies.FindStringIndex(p); m != nil {
		s.denied, s.over = true, goneBy.MatchString(p[:m[1]])
		be := ""
		if b := deniesBe.FindString(p); b != "" {
			be = b
		}
		p = be + p[m[1]:]
	}
	if anymore.MatchString(p) {
		if s.over = s.denied; s.over && !bears.MatchString(p) {
			p = strings.TrimPrefix(p, "can ")
		}
		p = anymore.ReplaceAllString(p, "")
	}
	s.predicate = strings.TrimSpace(dwellsFirst.ReplaceAllString(p, ""))
}

// participleOf gives the plain form of the verbs of habits that a participle belongs to.
func participleOf(form string) string {
	switch form {
	case "smoked", "used":
		return form[:len(form)-1]
	case "eaten":
		return "eat"
	case "drunk":
		return "drink"
	case "taken":
		return "take"
	case "worn":
		return "wear"
	case "gone":
		return "go"
	case "done":
		return "do"
	case "run":
		return "run"
	case "played", "watched", "visited", "attended", "worked", "trained", "collected":
		return strings.TrimSuffix(form, "ed")
	}
	if base := strings.TrimSuffix(form, "d"); presents[base] || infinitive(strings.TrimSuffix(base, "e")+"ing") == base {
		return base
	}
	return ""
}

// infinitive takes the ending off an English "-ing" form, as far as the verbs of
// habits need it.
func infinitive(doing string) string {
	base := strings.TrimSuffix(doing, "ing")
	switch base {
	case "smok", "tak", "us", "driv", "danc", "bak", "liv", "writ", "practic", "cycl", "vap", "hik", "skat", "mak", "subscrib", "lov", "lik", "dislik", "ador", "hat", "hav", "com", "rid":
		return base + "e"
	}
	if n := len(base); n > 3 && base[n-1] == base[n-2] && !strings.ContainsRune("sl", rune(base[n-1])) {
		return base[:n-1]
	}
	return base
}

// sole are relatives and others of whom one speaks as of one only; siblings and
// children may be several, but who calls one "my sister" tells of the same.
const (
	partners = `girlfriend|boyfriend|wife|husband|fianc[ée]e?|partner|spouse|hubby|gf|bf`
	sole     = `mother|father|mum|mom|mummy|mommy|dad|daddy|` + partners + `|boss|manager|landlord|landlady|flatmate|roommate|grandmother|grandfather|grandma|grandpa|gran|nan|mother-in-law|father-in-law`
	several  = `sister|brother|son|daughter|twin|kid|child|baby|stepson|stepdaughter|grandson|granddaughter|niece|nephew`
	many     = `friend|colleague|coworker|co-worker|cousin|uncle|aunt|neighbou?r|teammate|classmate|teacher|student|client|doctor|dentist|therapist|coach`
	animals  = `dog|puppy|cat|kitten|parrot|hamster|rabbit|bunny|tortoise|turtle|horse|pony|guinea pig|budgie|canary|gecko|snake|goldfish|ferret|hen|goat|beagle|greyhound|labrador|lab|poodle|terrier|dachshund|corgi|collie|spaniel|retriever|pug|bulldog|husky|shepherd|tabby|siamese|lizard|iguana|cockatiel|rat|mouse|gerbil|chinchilla|pig|duck|donkey|bird`
)

var (
	// myAnimal is a pet as the one that is spoken of.
	myAnimal   = english(`^(?:my|our)\s+(?:(?:new|old|little|other|rescue|big|baby)\s+)*(` + animals + `)(?:,?\s+(\p{Lu}[\pL'’-]+),?)?\s+`)
	otherOne   = english(`^(?:my|our)\s+(?:\pL+\s+)?other\s`)
	myRelative = english(`^(?:my|our)\s+((?:(?:older|younger|little|big|best|elder|eldest|oldest|youngest|new|dear|late|only|baby|twin|former|old|good|close|current)\s+)*)(` + sole + `|` + several + `|` + many + `)(?:,?\s+(\p{Lu}[\pL\pM'’-]+)(?:,)?)?\s+`)
	eachMany   = newPattern(`^(?:` + many + `)$`)
	formerly   = english(`^(?:my|our)\s+(?:\pL+\s+)?(?:late|former|ex)\b`)
)

// relative gives whom a statement with "my" speaks of, as the speaker calls them, and
// what it says of them. known is false if they are not told from others.
func relative(text string) (subject, predicate string, known bool) {
	if m := myAnimal.FindStringSubmatchIndex(text); m != nil {
		if m[4] >= 0 && startsName(text[m[4]:m[5]]) {
			return strings.ToLower(text[m[4]:m[5]]), text[m[1]:], true
		}
		kind := strings.ToLower(text[m[2]:m[3]])
		if otherOne.MatchString(text) {
			kind = "other " + kind
		}
		return kind, text[m[3]:][1:], m[4] < 0
	}
	m := myRelative.FindStringSubmatchIndex(text)
	if m == nil || formerly.MatchString(text) {
		return "", "", false
	}
	which, who := strings.ToLower(text[m[2]:m[3]]), strings.ToLower(text[m[4]:m[5]])
	if m[6] >= 0 {
		if name := strings.ToLower(text[m[6]:m[7]]); text[m[6]:m[7]] != name {
			return name, text[m[1]:], true
		}
		return "", "", false
	}
	if eachMany.MatchString(who) {
		return "", "", false
	}
	return whichOf(which, who) + relation(who), text[m[1]:], true
}

// whichOf tells siblings and children apart by their age: "older " and "younger ", "" for
// those who are not.
func whichOf(which, who string) string {
	if !severalOf[who] {
		return ""
	}
	for _, w := range strings.Fields(which) {
		switch w {
		case "older", "elder", "big":
			return "older "
		case "younger", "little", "baby":
			return "younger "
		case "oldest", "eldest":
			return "oldest "
		case "youngest":
			return "youngest "
		}
	}
	return ""
}

var severalOf = set(strings.ReplaceAll(several, "|", " "))

// relation gives one word for those that mean the same person.
func relation(who string) string {
	switch who {
	case "mum", "mom", "mummy", "mommy":
		return "mother"
	case "dad", "daddy":
		return "father"
	case "girlfriend", "boyfriend", "wife", "husband", "fiance", "fiancé", "fiancee", "fiancée", "partner", "spouse", "hubby", "gf", "bf":
		return "partner"
	case "grandma", "gran", "nan":
		return "grandmother"
	case "grandpa":
		return "grandfather"
	case "manager":
		return "boss"
	}
	return who
}

// self says that the statement is of who speaks.
func (s *saying) self() bool { return s.known && s.subject == "" }

// about gives a slot of the one that the statement is of.
func (s *saying) about(name, value string) (about, bool) {
	return about{name: name, subject: s.subject, value: value, negated: s.denied}, true
}

var goesOn = english(`\s*(?:[,;!?()\[\]–—"“”]|[.…](?:\s|$)|:\s|\s-\s|\s(?:and|but|because|since|so|when|where|which|who|that|with|now|again|anymore|these days|nowadays|at the moment|right now|currently|today|yesterday|tomorrow|tonight|last|next|this|as|until|till|from|near|though|although|while|after|before|for|if|instead|too|already|lol|haha|tho|cuz|bc|ago|on|in|at|every|twice|once|permanently|temporarily|together|by|or|to|dont|don't|do not|please|pls)(?:[\s,;.!?]|$)).*$`)

// valueOf is the beginning of a text up to where something else begins.
func valueOf(text string) string {
	return strings.Trim(strings.TrimRightFunc(goesOn.ReplaceAllString(text, ""), pictorial), " .!'’")
}

// pictorial says whether a character is a picture or belongs to one.
func pictorial(r rune) bool {
	return unicode.In(r, unicode.So, unicode.Sk) || r == 0xfe0f || r == 0x200d
}

// name reads a name that begins a text: a run of capitals, or the first words where
// everything is written small. At most four words.
func (s *saying) name(text string, stops map[string]bool) string {
	var taken []string
	for i, f := range strings.Fields(valueOf(text)) {
		first, _ := utf8.DecodeRuneInString(f)
		low := strings.ToLower(strings.Trim(f, ".,!"))
		switch {
		case stops[low] || i >= 4:
			return strings.Join(taken, " ")
		case unicode.IsUpper(first) || unicode.IsDigit(first) && i > 0, s.plain && i < 3 && unicode.IsLetter(first), i > 0 && particles[low]:
			taken = append(taken, f)
		default:
			return trimParticles(taken)
		}
	}
	return trimParticles(taken)
}

var particles = set(`de da do la le el al of the upon van von der den del di du y & am an im`)

func trimParticles(words []string) string {
	for len(words) > 0 && particles[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}

// match gives the groups of a pattern in the predicate, nil if one of the hints must
// stand in it and none does, or the pattern does not match.
func (s *saying) match(pattern *pattern, hints ...string) []string {
	return matchIn(s.predicate, s.lowPredicate, pattern, hints)
}

// matchText is match on the whole statement.
func (s *saying) matchText(pattern *pattern, hints ...string) []string {
	return matchIn(s.text, s.low, pattern, hints)
}

func matchIn(text, low string, pattern *pattern, hints []string) []string {
	if len(hints) > 0 && !contains(low, hints) {
		return nil
	}
	return pattern.FindStringSubmatch(text)
}

// liked gives what is liked, eaten or used as a name: lower case, without article and
// without what is added on; "" if it is more than one thing, no thing, or holds only
// at times.
func liked(text string) string {
	text = strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	if m := onlyWhen.FindStringIndex(text); m != nil {
		return ""
	}
	text = thingEnd.ReplaceAllString(text, "")
	for {
		short := thingTail.ReplaceAllString(text, "")
		if short == text {
			break
		}
		text = short
	}
	text = articles.ReplaceAllString(text, "")
	words := strings.Fields(text)
	if len(text) < 2 || len(words) == 0 || len(words) > 6 || noThings[words[0]] {
		return ""
	}
	for _, w := range words {
		if w == "and" || w == "or" || w == "nor" || w == "but" || w == "than" {
			return ""
		}
	}
	return strings.Trim(text, " '.")
}

var (
	articles  = newPattern(`^(?:the|a|an|some|any|all|every|most|much)\s+`)
	thingEnd  = english(`\s*(?:[,;:!?()\[\]–—"“”]|[.…](?:\s|$)|\s-\s|[^\x00-\x{2bff}]|\s(?:because|since|so that|which|though|although|cuz|bc|as it|as they|it is|so)(?:\s|$)).*$`)
	thingTail = english(`\s+(?:now|again|a lot|so much|very much|too much|these days|nowadays|at all|any ?more|lately|too|to be honest|tbh|lol|haha|the most|more than anything|at the moment|right now|currently|recently|though|btw|already|still|myself|ever since|in general|personally|either|really|honestly|today|yesterday|here|there)\W*$`)
	onlyWhen  = english(`\s(?:when|whenever|if|unless|except|after|before|while|as long as|but|until|without)\s`)
	noThings  = set(`it this that these those them him her you me us they he she i we how what when where why who to be being my-self myself idea ideas hearing talking chatting having seeing being your one ones everything anything nothing something many few both`)
)
