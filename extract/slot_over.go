package extract

import (
	"slices"
	"strings"
)

// What goes on and comes to an end: what someone belongs to, owns, wears, takes and does.
// "I run a tea shop in Hull" and "we closed the tea shop" must meet in one slot, whatever
// verbs they choose; so the slot is named by the thing, and by the kind of thing where
// that tells what one does with it.

var (
	gaveUp    = english(`^(?:(?:gave up|given up|giving up|am giving up)(?: on)?|quit|dropped|stopped|packed in|jacked in|am done with|am through with|ditched|binned|got rid of|sold|closed down|closed|shut down|shut|wound up|gave away|cancelled|canceled|returned|handed in|handed back|gave back|left|dropped out of|resigned from|stepped down from|got kicked out of|got thrown out of|pulled out of|withdrew from|ended|wrapped up|scrapped|moved off|migrated off|got off|ripped out|let go of|(?:have )?had to (?:close|sell|cancel|give up|give away|quit|leave|drop|shut))\s+(?:going to\s+)?(.+)$`)
	memberOf  = english(`^(?:(?:am|is|are|became|got to be)\s+(?:(?:a|an|the|one of the)\s+)?(?:[\pL-]+\s+)?(?:member|members|captain|treasurer|secretary|chair|chairman|chairwoman|president|trustee|patron)\s+of|belongs? to)\s+(?:the|a|an|our|my)?\s*(.+)$`)
	inGroup   = english(`^(?:(?:am|is|are|sit|sits|serve|serves)\s+(?:on|in|part of)|(?:also\s+)?(?:sing|sings|row|rows)\s+(?:in|with|for)|(?:also\s+)?(?:play|plays)\s+(?:(?:the |lead )?[\pL-]+\s+)?(?:in|for|with))\s+((?:the|a|an|our|my)\s+.+|\p{Lu}.+)$`)
	groups    = english(`\b(?:choir|band|team|club|council|committee|board|orchestra|ensemble|quartet|society|union|party|squad|association|crew|guild|church|league|troupe|network|cooperative|co-op|collective|parish|jury|group)\b`)
	owns      = english(`^(?:own|owns|co-own|rent|rents|lease|keep|keeps|run|runs|manage|have|has|bought|inherited)\s+(?:got\s+)?((?:a|an|the|my|our|two|three|four|five|\d+)\s+.+)$`)
	isOn      = english(`^(?:am|is|went|go|goes|been put|was put|got put)\s+(on|off)\s+(?:the\s+|my\s+)?([\pL-]+)(?:\s+(\d[\d.,]*\s?(?:mg|mcg|ml|g)))?(?:\W*$|\s*[,.;!(].*|\s+(?:now|for|since|again|twice|once|every|at|in|and|to|daily|these|because)\b.*)`)
	cameOff   = english(`^(?:came|come|coming|went|got|am coming|am finally)\s+off\s+(?:of\s+)?(?:the\s+|my\s+)?([\pL-]+)\b`)
	tookOff   = english(`^(?:.{0,40}?)\b(?:took|taken|weaned|weaning|got|taking)\s+(me|us|him|her|my \pL+)\s+off\s+(?:of\s+)?(?:the\s+|my\s+|his\s+|her\s+)?([\pL-]+)\b`)
	withThem  = english(`^(?:live|lives|am living|is living|share a (?:flat|house|place|room|home)|shares a (?:flat|house|place|room|home))\s+with\s+((?:my\s+)?[\pL'-]+(?:\s\p{Lu}[\pL'-]+)?)(?:\W*$|\s*[,.;!(].*|\s+(?:now|at the moment|since|until|till|and|for|while|here|again|currently)\b.*)`)
	offIt     = english(`^(?:.{0,20}?\b)?(?:(?:we|i|\p{Lu}\pL+ and i|my \pL+ and i|they)\s+)(?:have\s+)?(?:called off|cancelled|canceled|broke off|ended|have called off)\s+(?:the|our|my)\s+(engagement|wedding)(?:\W*$|\s*[,.;!(].*|\s+(?:last|in|on|yesterday|today|because|and|but|after|so)\b.*)`)
	gaveBirth = english(`^(?:.{0,30}?\b)?(?:gave birth|had (?:the|our|my) baby|(?:the|our|my) baby (?:is|was|has|came|arrived)\s*(?:here|born|arrived|come|on|last|yesterday|today|early|in)?\b|had a baby)\b`)
)

const (
	aids  = `glasses|contact lenses|hearing aids?|cast|plaster|plaster cast|braces|brace|sling|crutches|splint|moon boot|surgical boot|stitches|bandage|bandages|retainer|wheelchair|catheter|neck brace|eye patch`
	limbs = `arm|leg|foot|ankle|wrist|hand|knee|finger|thumb|toe|elbow|shoulder|neck|back|nose|collarbone`
)

var (
	wearsAid = english(`\b(?:(?:have|has|got|wear|wears|wearing|need|use|using)\s+(?:(?:got|to wear)\s+)?(?:(?:my|his|her|the)\s+(?:left\s+|right\s+)?(?:` + limbs + `)\s+in\s+)?(?:a\s+|an\s+|my\s+)?|(?:am|is|are)\s+(?:on|in)\s+(?:a\s+|an\s+|my\s+)?)(` + aids + `)\b`)
	offAid   = english(`(?:\b(?:the|my|his|her)\s+)?\b(` + aids + `)(?:'s|'re)?\s+(?:(?:is|are|was|were|has|have|got|came|come|been|taken|finally|just|now|both|removed)\s+)*(?:off|out|gone|removed)\b|\b(?:got|had|getting|have|took|taking)\s+(?:(?:the|my|his|her)\s+)?(` + aids + `)\s+(?:off|out|removed|taken off|taken out)\b|\b(?:off|out of|no more|done with|rid of|no longer need|without|do not need|do not wear)\s+(?:(?:the|my|his|her|a)\s+)?(` + aids + `)\b`)
)

// played and done are what one plays and does; what is given up is one of them.
var (
	played = set(`piano guitar violin cello viola bass drums flute clarinet oboe bassoon trumpet trombone tuba horn saxophone sax harp accordion ukulele banjo mandolin organ keyboard fiddle recorder harmonica percussion chess checkers poker bridge go darts pool snooker tennis football soccer rugby hockey basketball volleyball handball netball cricket baseball softball badminton squash padel pickleball golf floorball lacrosse ping-pong bowls billiards minecraft`)
	done   = set(`yoga judo karate aikido taekwondo kickboxing boxing pilates ballet gymnastics crossfit athletics zumba tai-chi ceramics pottery parkour calligraphy embroidery crochet origami improv aerobics spin spinning salsa tango capoeira fencing archery triathlon krav-maga ju-jitsu jiu-jitsu`)
	eaten  = set(`sugar meat dairy fish bread gluten chocolate eggs cheese pork beef chicken carbs sweets crisps wheat salt seafood`)
	drunk  = set(`coffee alcohol wine beer caffeine tea soda milk booze cola energy-drinks spirits`)
	smoked = set(`cigarettes tobacco nicotine cigs`)
	// noMeans are what one may be on or off that is nothing taken.
	noMeans = set(`holiday vacation leave duty fire track top time point work school sick sale call air board strike trend foot track hold edge alert parole probation benefits nights days shift shifts today tomorrow monday tuesday wednesday thursday friday saturday sunday to the a my it this that them and topic limits guard balance course way bed line record chest for in out at from with you me his her sofa couch bus train plane phone road mend roll ship boat break mission lunch`)
	// jobs are what is left and is work, which has a slot of its own.
	jobs     = set(`job position role post work company firm house room party dinner building office meeting table country city town flat call message note comment keys phone door window tab tabs laptop app browser file files issue ticket lid box book curtains eyes deal case thread gap`)
	adjunct  = set(`small little tiny big large old new nice lovely own whole local family great weekly monthly lovely cosy cozy beloved stupid dear entire second first other good used vintage`)
	lessons  = set(`class classes lesson lessons practice training session sessions course workshop`)
	thingCut = english(`\s+(?:called|named|in|on|at|near|from|with|for|to|by|as|since|until|till|every|each|twice|once|last|this|next|when|where|which|that|who|and|but|so|because|after|before|now|again|any ?more|any longer|btw|lol|haha|today|yesterday|recently|finally|too|if|though|there|here|ago|instead|next|outside|behind|down|up|off|while|early|late|of (?:which|whom)|two|three|a (?:week|month|year|while|few|couple))(?:\s.*)?$`)
	nameCall = english(`\b(?:called|named)\s+(\p{Lu}[\pL'-]*(?:\s\p{Lu}[\pL'-]*){0,3})`)
)

// thingOf gives the thing that a text begins with, by its noun: lower case, without what
// only says which one or what it is like; "" if that is more than four words. bare says
// that it has no article or owner.
func thingOf(text string) (thing string, bare bool) {
	low := strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	low = thingEnd.ReplaceAllString(low, "")
	low = thingCut.ReplaceAllString(low, "")
	words := strings.Fields(strings.Trim(low, " .!'"))
	bare = true
	for len(words) > 0 {
		switch w := words[0]; {
		case w == "that" || w == "this":
			return "", false // what was spoken of
		case possessors[w]:
			bare = false
		case len(words) > 1 && (adjunct[w] || numbers[w] > 0 || w[0] >= '0' && w[0] <= '9'):
		default:
			if len(words) > 4 {
				return "", bare
			}
			return strings.Join(words, " "), bare
		}
		words = words[1:]
	}
	return "", bare
}

var possessors = set(`the a an my our his her their this that`)

// groupOf gives what someone belongs to as a name: its own one, else its noun.
func groupOf(text string) string {
	if m := nameCall.FindStringSubmatch(text); m != nil {
		return strings.ToLower(m[1])
	}
	thing, _ := thingOf(text)
	return thing
}

// activity gives the slot of something that one takes part in again and again, by what it
// is; "" if that is not known.
func activity(thing string) string {
	words := strings.Fields(thing)
	if n := len(words); n > 1 && lessons[words[n-1]] {
		words = words[:n-1]
	}
	if len(words) == 0 || len(words) > 2 {
		return ""
	}
	thing = strings.Join(words, " ")
	switch last := words[len(words)-1]; {
	case played[last], played[thing]:
		return "habit:play " + thing
	case done[last], done[strings.Join(words, "-")]:
		return "habit:do " + thing
	case len(words) > 1:
		return ""
	case eaten[thing]:
		return "habit:eat " + thing
	case drunk[thing]:
		return "habit:drink " + thing
	case smoked[thing]:
		return "habit:smoke"
	case len(thing) > 5 && strings.HasSuffix(thing, "ing") && !notDoing[thing]:
		return strings.TrimSpace("habit:" + infinitive(thing))
	}
	return ""
}

// groupSlot reads what someone belongs to, and what they left.
func groupSlot(s *saying) (about, bool) {
	if !s.known {
		return about{}, false
	}
	if m := s.match(memberOf, "member", "belong", "captain", "treasurer", "secretary", "chair", "president", "trustee", "patron"); m != nil {
		if group := groupOf(m[1]); group != "" {
			return s.about("in:"+group, "")
		}
	}
	if m := s.match(inGroup, " on ", " in ", " of ", " for ", " with "); m != nil {
		if group := groupOf(m[1]); group != "" && (groups.MatchString(strings.ToLower(valueOf(m[1]))) || nameCall.MatchString(m[1]) || s.over && startsName(m[1])) {
			if strings.HasPrefix(s.lowPredicate, "play") && !nameCall.MatchString(m[1]) && !s.over && played[strings.Fields(valueOf(strings.TrimPrefix(m[0][strings.Index(m[0], " ")+1:], "the ")))[0]] {
				return about{}, false // what is played outlasts with whom
			}
			return s.about("in:"+group, "")
		}
	}
	return about{}, false
}

var (
	// givenOnly are given away and were none that one had.
	givenOnly = set(`keys secret surprise ending plot answer answers game match win lead bride show plan point prize position`)
	// together opens what somebody did with others.
	together = english(`^(?:(?:my )?[\pL'-]+ and i|me and (?:my )?[\pL'-]+|i and (?:my )?[\pL'-]+|both of us)\s+`)
	letGo    = english(`^(?:have\s+)?(?:had to\s+)?(?:let\s+((?:the|my|our)\s+.{2,30}?)\s+go\b|(?:gave|give|given)\s+((?:the|my|our)\s+.{2,30}?)\s+(?:away|up for adoption)\b|(?:put|have put)\s+((?:the|my|our)\s+(?:` + animals + `)s?)\s+(?:down|to sleep)(?:\W*$|\s*[,.;!(]|\s+(?:last|this|yesterday|today|in|because|and|after|on (?:\pL+day|the \d))\b))`)
)

var giveUpHints = strings.Split("gave,given,giving,quit,drop,stop,packed,jacked,ended,wrapped,scrapped,moved off,migrated,got off,ripped,let go,done with,through with,ditched,binned,rid of,sold,close,shut,wound,cancel,returned,handed,left,resigned,stepped,kicked,thrown,pulled,withdrew,had to", ",")

// overSlot reads that something has come to an end.
func overSlot(s *saying) (about, bool) {
	if m := s.matchText(gaveBirth, "birth", "baby"); m != nil && !s.denied && (strings.HasPrefix(s.low, "i ") || strings.HasPrefix(s.low, "we ") || strings.Contains(s.low, "our baby") || strings.Contains(s.low, "my baby") || strings.HasPrefix(s.low, "the baby") || strings.HasPrefix(s.low, "gave") || strings.HasPrefix(s.low, "had")) {
		return about{name: "health:pregnant", negated: true}, true
	}
	if m := s.matchText(tookOff, " off "); m != nil && !noMeans[strings.ToLower(m[2])] {
		a := means(strings.ToLower(m[2]))
		if who, _, known := relative(m[1] + " x"); known {
			a.subject = who
		}
		a.negated = true
		return a, true
	}
	if !s.known {
		if m := together.FindStringIndex(s.text); m != nil {
			we := *s
			we.known, we.subject, we.predicate = true, "", s.text[m[1]:]
			we.deny()
			we.lowPredicate = strings.ToLower(we.predicate)
			if !we.denied {
				return overSlot(&we)
			}
		}
		return about{}, false
	}
	if m := s.match(letGo, "let ", "away", "adoption", "put "); m != nil && !s.denied {
		if thing, bare := thingOf(m[1] + m[2] + m[3]); thing != "" && !bare && !jobs[thing] && !givenOnly[thing] {
			return about{name: possession(thing), subject: s.subject, negated: true}, true
		}
	}
	if m := s.match(cameOff, " off "); m != nil && !noMeans[strings.ToLower(m[1])] {
		a := means(strings.ToLower(m[1]))
		a.subject, a.negated = s.subject, true
		return a, true
	}
	m := s.match(gaveUp, giveUpHints...)
	if m == nil || s.denied || leavesCourse.MatchString(s.predicate) {
		return about{}, false
	}
	if sub := subscriptionTo.FindStringSubmatch(m[1]); sub != nil {
		if to := liked(strings.TrimSpace(habitEnd.ReplaceAllString(" "+strings.ToLower(sub[1]), ""))); to != "" {
			return about{name: "habit:subscribe to " + to, negated: true}, true
		}
	}
	thing, bare := thingOf(m[1])
	if thing == "" || jobs[thing] || noMeans[thing] || thing == "yesterday" || jobs[strings.Fields(thing)[len(strings.Fields(thing))-1]] || noThings[strings.Fields(thing)[0]] {
		return about{}, false
	}
	over := func(name string) (about, bool) { return about{name: name, subject: s.subject, negated: true}, true }
	verb := strings.Fields(s.lowPredicate)[0]
	if (verb == "closed" || verb == "shut" || verb == "stopped" || verb == "left" || verb == "returned") && forToday.MatchString(s.predicate) {
		return about{}, false
	}
	switch kept := activity(thing); {
	case kept != "" && !(verb == "quit" && startsName(m[1]) && strings.HasSuffix(thing, "ing")) && verb != "sold" && verb != "left" && verb != "returned" && verb != "cancelled" && verb != "canceled" && verb != "closed" && verb != "shut":
		return over(kept)
	case dietName.MatchString(thing):
		return about{name: "diet", subject: s.subject, value: thing, negated: true}, true
	case groups.MatchString(thing) && (verb == "left" || verb == "quit" || verb == "resigned" || verb == "stepped" || verb == "got" || verb == "pulled" || verb == "dropped" || verb == "withdrew" || verb == "gave" || verb == "given"):
		return over("in:" + groupOf(m[1]))
	case verb == "left", verb == "resigned", verb == "stepped", verb == "pulled", verb == "withdrew":
		name := s.name(m[1], placeStops)
		if name == "" || !startsName(name) || strings.Contains(s.lowPredicate, " for good") {
			return about{}, false
		}
		if s.subject == "" && bare && len(thing) > 0 && !strings.Contains(thing, " ") {
			return about{name: "work", value: name, negated: true}, true
		}
		return over("in:" + thing)
	case verb == "stopped" && bare && len(strings.Fields(thing)) == 1 && !strings.HasSuffix(thing, "ing"):
		return over("habit:take " + thing)
	case tongue.MatchString(thing):
		return over("habit:learn " + strings.Fields(thing)[0])
	case bare && verb == "quit" && s.self() && startsName(m[1]) && len(strings.Fields(thing)) <= 3 && !givenNames[thing] && !services[strings.Fields(thing)[0]]:
		if name := s.name(m[1], placeStops); name != "" {
			return about{name: "work", value: name, negated: true}, true
		}
		return about{}, false
	case bare && len(strings.Fields(thing)) == 1 && (verb == "dropped" || verb == "ditched" || verb == "quit" || verb == "moved" || verb == "migrated" || verb == "got" || verb == "ripped"):
		return over("habit:use " + thing)
	case bare && verb != "sold":
		return about{}, false
	}
	return over(possession(thing))
}

// services are what one may quit and has not worked for, as a rule.
var services = set(`facebook twitter x instagram tiktok reddit slack netflix spotify linkedin snapchat whatsapp telegram discord youtube twitch pinterest tinder bumble hinge duolingo hbo disney hulu amazon prime audible steam xbox playstation minecraft fortnite wow windows linux mac macos android ios chrome firefox vim emacs vscode java python rust go php perl ruby jira notion evernote trello zoom skype gmail dropbox github gitlab mysql mongodb keto paleo zoloft prozac xanax ritalin adderall lexapro weight crossfit pilates yoga zumba ozempic`)

var (
	subscriptionTo = english(`^(?:my|our|the)\s+(?:\pL+\s+)?subscription to\s+(.+)$`)
	tongue         = newPattern(`^` + languageNames + `(?: lessons?| class(?:es)?| course)?$`)
)

// possession gives the slot of something that one has.
func possession(thing string) string {
	words := strings.Fields(thing)
	last := words[len(words)-1]
	if slices.Contains(strings.Split(belongings, "|"), last) {
		return last
	}
	if kept := activity(thing); kept != "" && lessons[last] {
		return kept
	}
	if last == "membership" && len(words) > 1 {
		return "habit:go to " + strings.Join(words[:len(words)-1], " ")
	}
	return "has:" + thing
}

// forToday tells that something has ended for a day only.
var forToday = english(`\b(?:early|for (?:the day|the night|a bit|a while|now|lunch|an hour|a few|good reason)|at (?:\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight|lunch)|last night|tonight|this (?:morning|afternoon|evening)|because of the (?:storm|weather|rain|snow|heat|wind))\b`)

var dietName = newPattern(`^(?:` + diets + `|keto|paleo|low-carb)$`)

// means gives the slot of something that is taken, or kept from.
func means(what string) about {
	if name := activity(what); name != "" {
		return about{name: name}
	}
	return about{name: "habit:take " + what}
}

// aidSlot reads what someone wears while something heals, and that it is off.
func aidSlot(s *saying) (about, bool) {
	if m := s.matchText(offAid, " off", " out", "gone", "removed", "no more", "done with", "rid of", "no longer", "without", "do not"); m != nil {
		return about{name: "wears:" + strings.ToLower(m[1]+m[2]+m[3]), subject: s.subject, negated: true}, true
	}
	if m := s.matchText(wearsAid, strings.Split(aids, "|")...); m != nil && (s.known || strings.HasPrefix(s.low, "my ")) {
		return s.about("wears:"+strings.ToLower(m[1]), "")
	}
	return about{}, false
}

// lastingSlot reads what someone owns, takes, lives with or just does, which later may
// be said to be over.
func lastingSlot(s *saying) (about, bool) {
	if !s.known {
		return about{}, false
	}
	if m := s.match(withThem, " with "); m != nil {
		if who := companion(m[1]); who != "" {
			return s.about("lives with:"+who, "")
		}
	}
	if m := s.match(livesAlone, " alone", " on m", " on h", " on o", " by m", " by h"); m != nil {
		return about{name: "lives with", subject: s.subject, negated: !s.denied}, true
	}
	if s.subject != "" && !s.denied && s.match(movesOut, "moved out") != nil {
		return about{name: "lives with:" + s.subject, negated: true}, true
	}
	if m := s.match(isOn, " on ", " off "); m != nil && !noMeans[strings.ToLower(m[2])] && (m[3] != "" || startsName(m[2]) || s.denied || strings.EqualFold(m[1], "off")) {
		a := means(strings.ToLower(m[2]))
		a.subject, a.negated = s.subject, s.denied != strings.EqualFold(m[1], "off")
		return a, true
	}
	if s.over && !onDays.MatchString(s.predicate) {
		if m := s.match(owns, "own", "rent", "lease", "keep", "run", "manage", "have", "has"); m != nil {
			if thing, _ := thingOf(m[1]); thing != "" {
				return s.about(possession(thing), "")
			}
		}
		if name := doingOf(s); name != "" {
			return s.about(name, "")
		}
	}
	return about{}, false
}

var (
	// livesAlone and movesOut tell of who lives somewhere no more.
	livesAlone = english(`^(?:live|lives|am living|is living|are living)\s+(?:all\s+)?(?:alone|by (?:my|him|her)self|on (?:my|his|her) own)(?:\W*$|\s*[,.;!(].*|\s+(?:now|again|since|because|and|but|at the moment|these days|for)\b.*)`)
	movesOut   = english(`^(?:has\s+)?moved out(?:\W*$|\s*[,.;!(].*|\s+(?:last|this|yesterday|today|in|on|because|and|again|after|for good|two|three|four|a|\d+|now|already|of (?:our|my|the) (?:place|flat|apartment|house|home))\b.*)`)
)

// onDays limits a denial to some days.
var onDays = english(`\bon (?:mon|tues|wednes|thurs|fri|satur|sun|week)(?:days?|ends?)\b|\b(?:after|before) (?:\d|noon|lunch|dinner|work|bed)`)

// companion gives with whom someone lives as one word.
func companion(text string) string {
	low := strings.TrimPrefix(strings.ToLower(text), "my ")
	first, _, _ := strings.Cut(low, " ")
	if _, name, two := strings.Cut(strings.TrimPrefix(text, "my "), " "); two && startsName(name) {
		return strings.ToLower(name)
	}
	switch who := relation(first); {
	case kin[first], strings.HasPrefix(strings.ToLower(text), "my "):
		return who
	case startsName(text):
		return first
	}
	return ""
}

// looseSlot gives a slot to what is told plainly and has none: it can only be said to be
// over, never to be another.
func looseSlot(text string) about {
	if len(text) > 200 || countWords(text) > 16 || !mayHold(text) || contains(text, figurativeHints) && figurative.MatchString(text) {
		return about{}
	}
	s := newSaying(text)
	for _, rule := range []func(*saying) (about, bool){aidSlot, passingSlot} {
		if a, ok := rule(&s); ok && !supposed.MatchString(s.text) {
			return a
		}
	}
	if !s.known || s.denied || supposed.MatchString(s.text) || supposing.MatchString(mainClause(s.text)) || past(firstWords(s.predicate, 2)) {
		return about{}
	}
	if m := s.match(owns, "own", "rent", "lease", "keep", "run", "manage", "have", "has"); m != nil {
		if thing, _ := thingOf(m[1]); thing != "" && !happening.MatchString(thing) {
			return about{name: possession(thing), subject: s.subject}
		}
		return about{}
	}
	if name := doingOf(&s); name != "" {
		return about{name: name, subject: s.subject}
	}
	return about{}
}

func firstWords(text string, n int) []word {
	words := wordsOf(text)
	return words[:min(n, len(words))]
}

// doingOf names what someone does by the words of the predicate, up to its first comma.
func doingOf(s *saying) string {
	low := strings.ToLower(strings.ReplaceAll(s.predicate, "’", "'"))
	if m := afterDoing.FindStringIndex(low); m != nil {
		low = low[:m[0]]
	}
	words := strings.Fields(strings.Trim(low, " .!'"))
	var kept []string
	for _, w := range words {
		if !possessors[w] {
			kept = append(kept, w)
		}
	}
	if len(kept) > 2 && be3[kept[0]] && len(kept[1]) > 4 && strings.HasSuffix(kept[1], "ing") && !notDoing[kept[1]] {
		kept = kept[1:]
		kept[0] = infinitive(kept[0])
	} else if len(kept) > 1 && !s.over && mindVerbs[kept[0]] {
		return ""
	}
	if len(kept) < 2 || len(kept) > 7 || len(kept) == 2 && be3[kept[0]] || kept[0] == "and" || slices.Contains(kept, "also") || auxiliaries[kept[0]] && !be3[kept[0]] || noHabits[kept[0]] && !(kept[0] == "work" && workWays[kept[1]]) {
		return ""
	}
	if kept[0] = plainForm(kept[0]); be3[kept[0]] || kept[0] == "i" {
		kept[0] = "am"
	}
	return "does:" + strings.Join(kept, " ")
}

// workWays are in which one works.
var workWays = set(`remotely nights shifts days freelance full-time part-time weekends hybrid`)

var (
	happening  = english(`\b(?:` + events + `|question|idea|problem|look|cold|headache|time|day|week|chance|feeling|favou?r)$`)
	be3        = set(`am is are`)
	afterDoing = english(`\s*(?:[,;:!?()\[\]–—"“”]|[.…](?:\s|$)|\s-\s|\s(?:and|but|because|since|so|cuz|now|these days|at the moment|btw|lol|haha|every|twice|once|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?)(?:\s|$)).*$`)
)

// lateSlot gives a statement's slot once its text is settled: that of what is said of "she"
// is the same as if her name were there, and what has none may have a loose one.
func (s statement) lateSlot() about {
	switch said, before, back := strings.Cut(s.text, " (said before: "); {
	case s.slot.name != "":
		return s.slot
	case back:
		if a := slotOf(strings.TrimSuffix(before, ")")); theyMovedOut.MatchString(said) && strings.HasPrefix(a.name, "lives with:") && !a.negated {
			a.negated = true
			return a
		}
		if held := slotOf(strings.TrimSuffix(before, ")")); held.name == "home" && held.value != "" {
			return slotOf(thereIn.ReplaceAllString(said, "in "+held.value))
		}
		return slotOfThem(said, strings.TrimSuffix(before, ")"))
	case s.with != nil, s.list:
		return about{}
	}
	if !isEnglish(s.text) {
		return foreignSlot(s.text)
	}
	if a := slotOf(s.text); a.name == "health:pregnant" && a.negated {
		return a // "The twins are here!! Felix and Ada"
	}
	a := looseSlot(s.text)
	if m := itsName.FindStringSubmatch(s.text); m != nil && startsName(m[1]) && oneAnimal.MatchString(strings.TrimPrefix(a.name, "has:")) {
		a.name = "pet:" + strings.ToLower(m[1])
	}
	return a
}

// itsName names an animal that was told of just before: "I have a dog. His name is Rex".
var itsName = english(`^[^.!?]{4,60}[.!]\s+(?:his|her|its|their) name(?:'s|’s| is)\s+(\p{Lu}[\pL'’-]+)\W*$`)

// anchored gives a slot that holds a day the date that the text has beside it: "tomorrow" is
// another day the day after.
func (a about) anchored(text string) about {
	if a.value == "" || !strings.HasPrefix(a.name, "date:") && !strings.HasPrefix(a.name, "going to:") && a.name != "deadline" {
		return a
	}
	low, words := strings.ToLower(text), strings.Fields(a.value)
	for size := len(words); size > 0; size-- {
		for i := 0; i+size <= len(words); i++ {
			phrase := strings.Join(words[i:i+size], " ") + " ("
			at := strings.Index(low, phrase)
			if at < 0 {
				continue
			}
			date, _, closed := strings.Cut(low[at+len(phrase):], ")")
			if closed && datedAs.MatchString(date) {
				kept := slices.Clone(words[:i])
				for _, w := range words[i : i+size] {
					if hourWord.MatchString(w) {
						kept = append(kept, w) // "6:15 tomorrow"
					}
				}
				a.value = strings.Join(slices.Concat(kept, []string{date}, words[i+size:]), " ")
				return a
			}
		}
	}
	return a
}

var hourWord = newPattern(`^(?:\d{1,2}[:.]\d\d(?:am|pm)?|\d{1,2}(?:am|pm)|noon|midnight)$`)

var datedAs = newPattern(`^(?:week of )?\d{4}-\d\d(?:-\d\d)?$`)

// theyMovedOut tells it of somebody who was named before.
var theyMovedOut = english(`^(?:(?:and|but|so|well|then|actually|anyway|update)[\s,:]+)*(?:he|she|they)(?:'ve|'s| has| have)?\s+(?:just\s+|finally\s+|already\s+)?moved out\b`)

// thereIn is a place that was named before.
var thereIn = english(`\bthere\b`)

// slotOfThem reads what is said of somebody by a pronoun, who was spoken of before.
func slotOfThem(text, before string) about {
	who := subjectOf(before)
	if who == "" {
		return about{}
	}
	s := newSaying(text)
	m := themFirst.FindStringIndex(s.text)
	if m == nil || supposed.MatchString(s.text) || supposing.MatchString(mainClause(s.text)) {
		return about{}
	}
	s.known, s.subject, s.predicate, s.denied = true, who, s.text[m[1]:], false
	s.deny()
	s.text = "my " + who + " " + s.predicate
	s.low, s.lowPredicate = strings.ToLower(s.text), strings.ToLower(s.predicate)
	for _, rule := range slotRules {
		if a, ok := rule(&s); ok && a.subject == who {
			return a
		}
	}
	return about{}
}

var themFirst = english(`^(?:he|she|it|they)\s+`)

// subjectOf gives whom a statement is about, "" for who speaks or nobody.
func subjectOf(text string) string {
	s := newSaying(text)
	if !s.known {
		return ""
	}
	return s.subject
}

const stays = `hospital|prison|jail|rehab|intensive care|icu|quarantine|isolation|custody|(?:maternity|paternity|parental|sick|annual|unpaid)? ?leave|a coma`

var (
	staysIn   = english(`^(?:am|is|are)\s+(?:still\s+|back\s+)?(?:in|on)\s+(?:the\s+|a\s+)?(` + stays + `)(?:\W*$|\s*[,.;!(].*|\s+(?:until|till|for|with|after|since|at|in|now|again|because|and)\b.*)`)
	isOut     = english(`^(?:am|is|are|got|came|come|has come|was let|was released|was discharged)\s+(?:finally\s+|now\s+)?(?:out of|off|from|home from|back from|let out of|released from|discharged from)\s+(?:the\s+|a\s+)?(` + stays + `)\b`)
	healed    = english(`^(?:my|the|his|her)?\s*(?:left |right )?(` + limbs + `|` + ailments + `|` + illnesses + `)\s+(?:(?:is|has|are|have|was|got)\s+)?(?:(?:finally|all|completely|fully|now|much|almost)\s+)*(?:gone|over|better|healed|cleared up|fine again|fine now|ok again|okay again|cured|back to normal|recovered|good again)\b`)
	gotOver   = english(`^(?:(?:am|is|are|have|has)\s+)?(?:finally\s+)?(?:over|got over|gotten over|recovered from|shaken off|shook off|rid of)\s+(?:the|my|that|his|her)?\s*(` + ailments + `)\b`)
	onceOver  = english(`^(?:over|recovered from)\s+(?:the|my|that)\s+(` + ailments + `)\b`)
	leaveEnds = english(`^(?:(?:my|the)\s+)?(?:\pL+\s+)?leave is (?:over|done|up)\b|^(?:am\s+)?back at work\b`)
	ails      = english(`^(?:have|has|caught|got|am down with|is down with|am ill with)\s+(?:got\s+)?(?:(?:a|an|the|bad|nasty|terrible|awful|mild)\s+)*(` + ailments + `)\b`)
	injured   = english(`^(?:have|has|got)\s+(?:a|an)\s+(?:broken|sprained|fractured|twisted|torn|sore|swollen|dislocated|bad|busted)\s+(` + limbs + `)\b|^(?:broke|sprained|fractured|twisted|tore|dislocated|hurt|injured)\s+(?:my|his|her)\s+(?:left |right )?(` + limbs + `)\b`)
	hurts     = english(`^(?:my|his|her)\s+(?:left |right )?(` + limbs + `)\s+(?:is|has been)\s+(?:\pL+\s+)?(?:swollen|sore|broken|sprained|stiff|inflamed|injured|killing me|acting up|bad|hurting)\b|^(?:my)\s+(?:left |right )?(` + limbs + `)\s+hurts\b`)
)

const ailments = `cold|flu|cough|fever|covid|corona|tonsillitis|bronchitis|pneumonia|chickenpox|shingles|sinusitis|stomach bug|food poisoning|sore throat|ear infection|uti|infection|rash|concussion|sunburn|jet ?lag|toothache`

// healthWords are pieces of what passingSlot reads.
var healthWords = strings.Split(limbs+"|asthma|diabetes|migraine|epilepsy|arthritis|anxiety|depression|insomnia|tinnitus|hypertension|blood pressure|eczema|psoriasis|sciatica|anaemia|anemia|fever|vertigo|gout|reflux|back pain|cancer|"+strings.ReplaceAll(ailments, "jet ?lag", "jet"), "|")

// passingSlot reads what one is in or has for a time only, and that it has passed.
func passingSlot(s *saying) (about, bool) {
	if m := s.match(staysIn, "in ", "on "); m != nil && s.known {
		return s.about("in:"+leaveOf(m[1]), "")
	}
	if m := s.match(isOut, " of ", "off ", "from "); m != nil && s.known && !s.denied {
		return about{name: "in:" + leaveOf(m[1]), subject: s.subject, negated: true}, true
	}
	if s.matchText(leaveEnds, "leave is", "back at work") != nil || s.known && s.match(leaveEnds, "back at work") != nil {
		return about{name: "in:leave", negated: true}, true
	}
	if !contains(s.low, healthWords) {
		return about{}, false
	}
	if m := s.matchText(onceOver); m != nil {
		return about{name: "health:" + strings.ToLower(m[1]), negated: true}, true
	}
	if m := s.matchText(healed); m != nil {
		return about{name: "health:" + strings.ToLower(m[1]), negated: true}, true
	}
	if m := s.matchText(hurts); m != nil {
		return about{name: "health:" + strings.ToLower(m[1]+m[2])}, true
	}
	if !s.known {
		return about{}, false
	}
	if m := s.match(gotOver); m != nil && !s.denied {
		return about{name: "health:" + strings.ToLower(m[1]), subject: s.subject, negated: true}, true
	}
	if m := s.match(ails); m != nil {
		return s.about("health:"+strings.ToLower(m[1]), "")
	}
	if m := s.match(injured); m != nil {
		return s.about("health:"+strings.ToLower(m[1]+m[2]), "")
	}
	return about{}, false
}

// leaveOf gives all kinds of leave one name.
func leaveOf(stay string) string {
	if stay = strings.ToLower(strings.TrimSpace(stay)); strings.HasSuffix(stay, "leave") {
		return "leave"
	}
	return stay
}
