package extract

import (
	"strings"
)

// What someone has, does, plans and wants done; what a project is like.

var (
	languageNames = `(english|french|spanish|german|portuguese|italian|dutch|polish|swedish|danish|norwegian|finnish|czech|greek|turkish|russian|ukrainian|arabic|hebrew|hindi|chinese|mandarin|japanese|korean|catalan|basque|romanian|hungarian|croatian|serbian|indonesian|vietnamese|thai|latin|welsh|irish|british english|american english|plain english|simple english)`
	answerIn      = english(`\b(?:answer|reply|respond|write|speak|talk)(?:\s+(?:to me|me|back|only|always|everything|in future|from now on))*\s+in\s+` + languageNames + `\b`)
	answerLength  = english(`\b(?:(?:keep|make) (?:it|them|your (?:answers?|replies|responses)|answers?|replies|responses|things) (?:\pL+ ){0,2}?(short|brief|concise|long|detailed|under \d+ \pL+|to \d+ \pL+)|(?:give(?: me)?|send me|write me|i (?:want|need|prefer|like)) (?:(?:more|very|really|nice|always|only|much|rather)\s+)*(short|brief|concise|long|detailed|longer|shorter)(?:(?:,|,? and)? (?:short|brief|concise|long|detailed|thorough|precise|clear|simple))* (?:answers|replies|responses|explanations)|(?:be|answer) (?:more )?(brief|concise|detailed|brief and to the point))\b`)
	answerUnits   = english(`\b(?:in|use|using|with) (metric|imperial)(?: units)?\b`)
	answerEmoji   = english(`\b(no|without|stop using|do not use|never use|avoid|skip the|use|with|lots of|more) (?:any )?emojis?\b`)
	answerStyle   = english(`\b(use|no|without|do not use|avoid|stop using|(?:(?:answer|reply|respond|write)(?: (?:me|to me|back|only|always))* (?:in|with|using))) (bullet points|bullets|tables|markdown|headings|lists|code blocks|exclamation marks|jargon)\b`)
	answerTone    = english(`^(?:please )?(?:be|talk to me|speak to me|answer(?: me)?|use)\s+(?:in )?(?:a |an )?(formal|informal|casual|friendly|polite|blunt|direct|humorous|sarcastic)(?:ly)?(?: tone| language| style)?\b`)
	standingWish  = english(`\b(?:always|never|from now on|in (?:the )?future|every time|whenever|each time|going forward|by default|ever|answers?|reply|replies|respond|responses|please|prefer|stop|any ?more|any longer)\b`)
)

var answerHints = strings.Split("answer repl respon write speak talk emoji short brief concise long detailed under metric imperial bullet table markdown heading list code exclamation jargon formal casual friendly polite blunt direct humorous sarcastic", " ")

// answerSlot reads how someone wants to be answered.
func answerSlot(s *saying) (about, bool) {
	if strings.HasPrefix(s.text, "my ") || strings.HasPrefix(s.text, "My ") || !contains(s.low, answerHints) || !standingWish.MatchString(s.text) {
		return about{}, false
	}
	negated := s.denied || notFirst.MatchString(s.text)
	if m := s.matchText(answerIn, "answer", "repl", "respon", "write", "speak", "talk"); m != nil {
		return about{name: "answer language", value: m[1], negated: negated}, true
	}
	if m := s.matchText(answerEmoji, "emoji"); m != nil {
		switch strings.ToLower(m[1]) {
		case "use", "with", "lots of", "more":
			return about{name: "answer with emojis", negated: negated}, true
		}
		return about{name: "answer with emojis", negated: true}, true
	}
	if m := s.matchText(answerLength, "short", "brief", "concise", "long", "detailed", "under", "keep"); m != nil && !answerUnits.MatchString(s.text) {
		return about{name: "answer length", value: strings.ToLower(m[1] + m[2] + m[3]), negated: negated}, true
	}
	if m := s.matchText(answerUnits, "metric", "imperial"); m != nil && !answerLength.MatchString(s.text) {
		return about{name: "answer units", value: strings.ToLower(m[1]), negated: negated}, true
	}
	if m := s.matchText(answerStyle, "bullet", "table", "markdown", "heading", "list", "code", "exclamation", "jargon"); m != nil {
		how := strings.ToLower(m[1])
		asked := how == "use" || strings.HasSuffix(how, " in") || strings.HasSuffix(how, " with") || strings.HasSuffix(how, " using")
		return about{name: "answer with " + strings.ToLower(m[2]), negated: !asked || negated}, true
	}
	if m := s.matchText(answerTone); m != nil {
		return about{name: "answer tone", value: strings.ToLower(m[1]), negated: negated}, true
	}
	return about{}, false
}

var notFirst = english(`^(?:please\s+)?(?:do not|never|stop)\b`)

var (
	listens     = english(`^(?:(?:the|our|my)\s+)?([\pL][\pL\d _-]{1,30}?)\s+(?:now\s+)?(?:(?:listens|runs|is|is running|is listening|serves)\s+(?:now\s+)?on\s+|is\s+(?:now\s+)?(?:at|on)\s+)port\s+(\d{2,5})`)
	portIs      = english(`^(?:the|our|my)\s+([\pL][\pL\d _-]{1,30}?)(?:'s)? port is (?:now\s+)?(\d{2,5})`)
	writtenIn   = english(`^(?:the|our|my)\s+([\pL][\pL\d _-]{1,30}?)\s+(?:is|are)\s+(?:now\s+|all\s+)?(?:written|built|implemented|coded|done)\s+(?:in|with|on)\s+([\pL][\pL\d+#.]*)`)
	usesTool    = english(`^(?:use|are using|am using|run|are on|are running|run on|target|support)\s+(\p{Lu}[\pL+#.]*(?:\s\p{Lu}[\pL+#.]*)?)\s+v?(\d[\d.]*)`)
	upgraded    = english(`^(?:upgraded|updated|migrated|moved|bumped|switched)\s+(?:to|from (?:\p{Lu}[\pL+#.]*\s+)?v?[\d.]+ to|(?:our )?\p{Lu}[\pL+#.]* to)\s+(\p{Lu}[\pL+#.]*)\s+v?(\d[\d.]*)`)
	deadlineIs  = english(`^(?:the\s+|our\s+|my\s+)?deadline (?:for|of) (?:the |our |my )?([\pL][\pL\d _-]{1,30}?)\s+(?:is|was moved to|has moved to|moved to|is now|was pushed to|got moved to)\s+(?:now\s+)?(?:on\s+)?(.+)$`)
	itsDeadline = english(`^(?:(?:the|our|my)\s+)?([\pL][\pL\d _-]{1,30}?)\s+deadline\s+(?:is|was moved to|has moved to|moved to|is now|was pushed to|got moved to|got pushed to|has been moved to)\s+(?:now\s+)?(?:on\s+)?(.+)$`)
	// bareDeadline is of what everybody knows.
	bareDeadline = english(`^(?:(?:the|our|my)\s+)?(?:new\s+)?deadline\s+(?:is|was moved|has moved|moved|is now|was pushed|got moved|got pushed|has been moved|was changed|was extended|has been extended|got extended|is extended)\s+(?:back\s+)?(?:now\s+)?(?:(?:to|until|till|on)\s+)?(.+)$`)
	onVersion    = english(`^(?:the|our|my)\s+([\pL][\pL\d _-]{1,30}?)\s+(?:is|runs)\s+(?:now\s+)?(?:on|at)\s+(v\d[\d.]*)\b`)
	setting      = english(`^(?:the|our)\s+((?:[\pL\d_.-]+\s+){0,3}?)(default branch|main branch|branch|rate limit|timeout|staging url|url|version|region|database|license|framework|package manager|linter|standup|stand-up|retro|budget)\s+(?:is|are)\s+(?:now\s+)?(?:at\s+|in\s+|on\s+)?(\S.*)$`)
	hostIs       = english(`^(?:the|our|my)\s+((?:[\pL\d_.-]+\s+){0,3}?[\pL\d_-]+)(?:'s)?\s+(?:(?:is|are|lives|runs|sits|listens|moved|(?:is|was|has) (?:now )?(?:hosted|running|available|reachable|deployed|moved)|can be (?:reached|found))\s+(?:now\s+)?(?:at|on|under|to)|(?:ip|ip address|address|host|hostname|endpoint|domain|url|link) (?:is|has changed to|changed to)(?: now)?)\s+(` + host + `)(?:\W*$|\s*[,;(–—].*|\s(?:now|currently|again|since|from|and|for|in|as|via|but|not|until|instead)\b.*)`)
	versionIs    = english(`^(?:the\s+|our\s+)?(\p{Lu}[\pL+#.]*)\s+version is\s+(?:now\s+)?v?(\d[\d.]*)`)
)

// host is an address of a machine or a page.
const host = `(?:https?://)?(?:(?:\d{1,3}\.){3}\d{1,3}|(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,}|localhost)(?::\d{2,5})?(?:/[^\s,;)]*)?`

// runsOn tells what a part of a project is made with or runs on: "our CI runs on Jenkins",
// "Osprey's frontend is in React".
var runsOn = newPattern(`^(?:(?i:the|our|my)\s+)?((?:\p{Lu}[\pL\d_-]*(?:'s|’s)\s+)?(?i:ci|cd|front-?end|back-?end|pipeline|api|app|server|website|site|infra|infrastructure|hosting|monitoring|logging|search|cache|queue|staging|production|prod|tests|docs|blog|code|repo|build))\s+(?i:(?:is|are|runs|run|lives|live|sits|is hosted|are hosted|is written|is built)\s+(?:now\s+|currently\s+|all\s+)?(?:in|on|with|at))\s+(\p{Lu}[\pL\d+#.-]*(?:\s\p{Lu}[\pL\d+#.-]*)?)(?:\s+(?:now|currently|again|already|at the moment|these days)\b|\W*$|[,;(–—])`)

// projectSlot reads facts of what someone works on.
func projectSlot(s *saying) (about, bool) {
	subject := func(who string) string {
		who = strings.ToLower(strings.TrimSpace(who))
		return strings.TrimSuffix(strings.TrimPrefix(who, "project "), " project")
	}
	for _, p := range []*pattern{listens, portIs} {
		if m := s.matchText(p, "port "); m != nil {
			return about{name: "port", subject: subject(m[1]), value: m[2]}, true
		}
	}
	if m := s.matchText(writtenIn, "written", "built", "implemented", "coded"); m != nil && (startsName(m[2]) || s.plain) {
		return about{name: "written in", subject: subject(m[1]), value: strings.TrimRight(m[2], ".")}, true
	}
	if m := s.matchText(deadlineIs, "deadline"); m != nil {
		if day := eventDay(m[2]); day != "" {
			return about{name: "deadline", subject: subject(m[1]), value: day}, true
		}
	}
	if m := s.matchText(bareDeadline, "deadline"); m != nil {
		if day := eventDay(m[1]); day != "" {
			return about{name: "deadline", value: day}, true
		}
		return about{}, false
	}
	if m := s.matchText(itsDeadline, "deadline"); m != nil {
		if day := eventDay(m[2]); day != "" {
			return about{name: "deadline", subject: subject(m[1]), value: day}, true
		}
	}
	if m := s.matchText(onVersion, " v"); m != nil {
		return about{name: "version:" + subject(m[1]), value: m[2]}, true
	}
	if m := s.matchText(hostIs, ".", "localhost"); m != nil && !strings.HasSuffix(strings.ToLower(m[2]), ".js") {
		return about{name: "address", subject: subject(m[1]), value: strings.ToLower(m[2])}, true
	}
	if m := s.matchText(versionIs, "version"); m != nil {
		return about{name: "version:" + strings.ToLower(m[1]), value: strings.TrimRight(m[2], ".")}, true
	}
	if m := s.matchText(runsOn, " on ", " in ", " with ", " at "); m != nil {
		return about{name: "runs on", subject: subject(m[1]), value: strings.TrimRight(m[2], ".")}, true
	}
	if m := s.matchText(setting, " is ", " are "); m != nil && !opinion(m[3]) && !vague[strings.ToLower(strings.Fields(m[3])[0])] {
		if value := valueOf(m[3]); value != "" && len(strings.Fields(value)) <= 5 {
			return about{name: strings.ToLower(m[2]), subject: subject(m[1]), value: value}, true
		}
	}
	for _, p := range []*pattern{usesTool, upgraded} {
		if m := s.match(p, "use", "using", "run", "are on", "target", "support", "grade", "update", "migrated", "moved", "bumped", "switched"); m != nil && s.self() {
			name := "version:" + strings.ToLower(m[1])
			if where := besideMain.FindStringSubmatch(s.predicate); where != nil {
				name += " " + strings.ToLower(where[1]) // the one at work may be another
			}
			return s.about(name, strings.TrimRight(m[2], "."))
		}
	}
	return about{}, false
}

// besideMain is where something is in use beside where one works with it: one's own machine, or
// what is only tried.
var besideMain = english(`\b(?:at|on|in)\s+(?:my |the |our )?(home|staging|dev|development|test|testing|ci|laptop|raspberry pi)\b`)

// vague are words that begin what is no value of a setting.
var vague = set(`hosted stored kept deployed running located based backed written built managed saved cached not too so very down broken slow fast good bad great terrible wrong fine ok okay a an the being still up out tight huge small getting`)

var (
	eventOn   = english(`^(?:(?:my|our|the)\s+)?((?:[\pL'-]+\s+){0,3}?(?:` + events + `)(?:\s+(?:with|at|in|to) [\pL'.-]+)?)\s+(?:got delayed|was delayed|has been delayed|is delayed|is postponed|is moved|is rescheduled|is pushed|is pushed back|is|is now|got moved|was moved|has been moved|has moved|got pushed|was pushed|was pushed back|has been pushed back|got postponed|was postponed|has been postponed|was rescheduled|has been rescheduled|got rescheduled|moved|starts|will be|takes place|is happening|was changed|is set for|is scheduled)\s*(?:me\s+|us\s+|it\s+)?(?:now\s+|back\s+)?(?:(?:on|to|at|for|until|till|from)\s+)?(.+)$`)
	eventOff  = english(`^(?:my|our|the)\s+((?:[\pL'-]+\s+){0,3}?(?:` + events + `))\s+(?:(?:is|was|got|has been|had to be)\s+)?(?:cancelled|canceled|called off|off|not happening|no longer happening)\b`)
	cancelled = english(`^(?:cancelled|canceled|called off|have cancelled|have canceled|had to cancel)\s+(?:my|our|the)\s+((?:[\pL'-]+\s+){0,3}?(?:` + events + `))(?:\W*$|\s*[,.;!(].*|\s+(?:on|in|at|with|for|because|and|but|so|today|tomorrow|this|last|next|due|since|after|again|now)\b.*)`)
	goingTo   = english(`^(?:am|are|is)\s+(?:going|flying|travelling|traveling|heading|driving|off)\s+to\s+(.+)$`)
	trains    = english(`^(?:am|are|is)\s+(?:training|preparing|practising|practicing|studying|revising)\s+for\s+(.+)$`)
	trained   = english(`^(?:finished|completed|ran|did|passed|survived|failed)\s+(?:the|my|our)\s+(.+)$`)
	notGoing  = english(`^(?:not going)\s+to\s+(.+)$`)
)

// movedBy tells that somebody moved an event.
var movedBy = english(`^(?:they|the \pL+|he|she|i|we|my boss)\s+(?:have |has )?(?:just )?(?:moved|postponed|pushed(?: back)?|rescheduled|changed|shifted|brought forward)\s+(?:(?:my|our|the)\s+)?((?:[\pL'-]+\s+){0,3}?(?:` + events + `))\s+(?:back |forward )?(?:to|until|till|for)\s+(.+)$`)

// movedAgain is the same where the new day just follows: "moved my exam again, 3 May now".
var movedAgain = english(`^(?:(?:they|the \pL+|he|she|i|we|my boss)\s+(?:have |has )?(?:just )?(?:moved|postponed|pushed|pushed back|rescheduled|changed|shifted)\s+(?:(?:my|our|the)\s+)?((?:[\pL'-]+\s+){0,3}?(?:` + events + `))|(?:(?:my|our|the)\s+)?((?:[\pL'-]+\s+){0,3}?(?:` + events + `))\s+(?:(?:got|was|has been|is|has)\s+)?(?:moved|postponed|pushed|pushed back|rescheduled|changed|shifted|delayed))(?:\s+(?:yet\s+)?again)?\s*[,:;.–—-]\s*(?:(?:it is|now|to|so|new date|new date is|this time)\s+)*(?:on\s+)?(.+)$`)

// timetable is when a journey or an event begins or ends, each apart.
var timetable = english(`^(?:my|our|the)\s+((?:[\pL'-]+\s+){0,2}?(?:` + events + `)(?:\s+(?:to|from|for) \pL[\pL'-]+)?)\s+(lands|leaves|departs|arrives|boards|ends|finishes|takes off|gets in|begins)\s+(?:now\s+)?(?:at|on)\s+(.+)$`)

// takesPart tells of an event with a name that someone takes part in.
var takesPart = english(`^(?:am|are|is)\s+(?:running|doing|racing|attending|taking part in|competing in|signed up for|registered for|walking|riding|swimming)\s+(?:in\s+)?(?:the|a)\s+(.+)$`)

const events = `appointment|test|exam|flight|wedding|interview|surgery|operation|meeting|viewing|trip|party|concert|lesson|class|match|game|race|marathon|defen[cs]e|presentation|move|holiday|vacation|dinner|check-?up|scan|inspection|delivery|launch|release|demo|conference|recital|audition|hearing|due date|first day|graduation|reunion|ceremony|training|workshop|course|session|physio|visit|beta|standup|stand-up|retro|dentist|doctor|train|bus|choir|rehearsal|practice|call`

// dateOf names the slot of when something is; "physio appointment" and "physio" are one.
func dateOf(event string) string {
	event = strings.ToLower(strings.TrimSpace(event))
	if head, last, two := cutLast(event); two && (last == "appointment" || last == "session" || last == "visit") {
		event = head
	}
	return "date:" + event
}

func cutLast(text string) (head, last string, two bool) {
	if i := strings.LastIndexByte(text, ' '); i > 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}

// eventDay is the day or time that a text names, as it was said; "" if there is none.
func eventDay(text string) string {
	if !dayWord.MatchString(text) && !spanWord.MatchString(text) {
		return ""
	}
	fields := strings.Fields(strings.ToLower(strings.Trim(eventEnd.ReplaceAllString(text, ""), " .!")))
	end := 0
	for end < len(fields) && ofTime(strings.Trim(fields[end], ".,")) {
		end++
	}
	if next := end; next < len(fields) && end > 0 && bareNumber.MatchString(fields[end-1]) && !besideTime[fields[next]] {
		end-- // "4 people", "3 Main Street"
	}
	for end > 0 && hangsOn[fields[end-1]] {
		end--
	}
	day := strings.Join(fields[:end], " ")
	if !dayWord.MatchString(day) && !spanWord.MatchString(day) {
		return ""
	}
	return day
}

// spanWord is how far off something is.
var spanWord = english(`\bin (?:a|an|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of) (?:days?|weeks?|months?|years?|hours?)\b`)

// ofTime says whether a word tells when.
func ofTime(low string) bool {
	if months3(low) || timeWord[low] || hangsOn[low] || numbers[low] > 0 || clock.MatchString(low) {
		return true
	}
	_, day := weekdays[low]
	return day
}

var (
	timeWord   = set(`tomorrow today tonight yesterday noon midnight midday week weeks weekend month months year years day days hour hours minutes spring summer autumn fall winter morning afternoon evening night am pm a.m p.m a.m. p.m. o'clock sharp next this last coming following first second third end beginning start middle early late mid half quarter past easter christmas ago after before and`)
	hangsOn    = set(`of the at on in from to till until by around about or for a an and after before past`)
	besideTime = set(`at in with for on from to and but because instead now not until till via near outside inside here there btw or so then sharp`)
	bareNumber = newPattern(`^\d{1,2}$`)
	clock      = newPattern(`^(?:\d{1,2}(?:[:.h]\d{2})?(?:am|pm|a\.m|p\.m)?|\d{1,2}(?:st|nd|rd|th)|\d{4}|\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?|\d{1,2}[/.]\d{1,2}(?:[/.]\d{2,4})?|\d{1,2}(?:[:.]\d\d)?(?:am|pm)?[-–]\d{1,2}(?:[:.]\d\d)?(?:am|pm)?|\d{1,2}-[\pL]+-\d{4})$`)
)

var (
	dayWord  = english(`\d|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|today|tonight|noon|midnight|week|month|year|spring|summer|autumn|winter|weekend)\b`)
	eventEnd = english(`\s*(?:[,;!?()]|[.](?:\s|$)|\s(?:because|since|so|with|instead|now|but|and|which|not|due|thanks)\s|\s(?:now|instead)$).*$`)
)

// eventSlot reads when something is, or that it is not.
func eventSlot(s *saying) (about, bool) {
	if m := s.matchText(eventOff, "cancel", "off", "not happening", "no longer"); m != nil {
		return about{name: dateOf(m[1]), negated: true}, true
	}
	if m := s.match(cancelled, "cancel", "called off"); m != nil && s.self() {
		return about{name: dateOf(m[1]), negated: true}, true
	}
	if m := s.matchText(timetable, " at ", " on "); m != nil {
		if day := eventDay(m[3]); day != "" {
			return about{name: dateOf(m[1]) + " " + strings.ToLower(m[2]), value: day}, true
		}
	}
	if m := s.matchText(eventOn, " is ", "moved", "pushed", "postponed", "resched", "starts", "will be", "takes", "changed", "delay", "set for", "got"); m != nil && !strings.HasPrefix(strings.ToLower(m[2]), "not ") {
		if day := eventDay(m[2]); day != "" {
			return about{name: dateOf(m[1]), value: day}, true
		}
		return about{}, false
	}
	if m := s.matchText(movedBy, "moved", "postponed", "pushed", "resched", "changed", "shifted", "brought"); m != nil {
		if day := eventDay(m[2]); day != "" {
			return about{name: dateOf(m[1]), value: day}, true
		}
	}
	if m := s.matchText(movedAgain, "moved", "postponed", "pushed", "resched", "changed", "shifted", "delayed"); m != nil {
		if day := eventDay(m[3]); day != "" {
			return about{name: dateOf(m[1] + m[2]), value: day}, true
		}
	}
	if !s.known {
		return about{}, false
	}
	if m := s.match(takesPart, "running", "doing", "racing", "attending", "part in", "competing", "signed", "registered", "walking", "riding", "swimming"); m != nil {
		if what := destination(m[1]); what != "" && eventNoun.MatchString(what) {
			return s.about("taking part in:"+what, "")
		}
	}
	for _, p := range []*pattern{goingTo, notGoing} {
		if m := s.match(p, "to "); m != nil {
			if where := destination(m[1]); where != "" {
				return about{name: "going to:" + where, subject: s.subject, negated: s.denied || p == notGoing}, true
			}
		}
	}
	if m := s.match(trains, "for "); m != nil {
		if what := destination(m[1]); what != "" {
			return s.about("training for:"+what, "")
		}
	}
	if m := s.match(trained, "finished", "completed", "ran", "did", "passed", "survived", "failed"); m != nil && !s.denied && strings.Contains(m[1], " ") {
		if what := destination(m[1]); what != "" && eventNoun.MatchString(what) {
			return about{name: "training for:" + what, subject: s.subject, negated: true}, true
		}
	}
	return about{}, false
}

var eventNoun = english(`\b(?:marathon|race|triathlon|exam|test|10k|5k|half|tournament|competition|championship|certification|course|ironman|ultra)\b`)

// destination is a place or an event with a name: a row of words of which one has a
// capital.
func destination(text string) string {
	value := valueOf(text)
	value = articles.ReplaceAllString(strings.TrimPrefix(strings.TrimPrefix(value, "the "), "my "), "")
	if value == "" || len(strings.Fields(value)) > 5 || value == strings.ToLower(value) && !eventNoun.MatchString(value) {
		return ""
	}
	return strings.ToLower(value)
}

var (
	neverBeen = english(`^(?:have |has )?(?:been|visited|seen|tried|gone)\s+(?:to\s+)?(.+)$`)
	wasThere  = english(`^(?:(?:got|came|am|are|have just got|just)\s+back from|back from|went to|visited|was in|were in|been to|flew to|travelled to|traveled to|returned from)\s+(.+)$`)
)

// journeySlot reads where someone has never been, and that they have been there after
// all: having been somewhere twice is no contradiction, so only the "never" can end.
func journeySlot(s *saying) (about, bool) {
	if !s.self() {
		return about{}, false
	}
	if m := s.match(neverBeen, "been to", "visited"); m != nil && s.denied {
		if where := s.name(m[1], placeStops); where != "" {
			return about{name: "been to:" + strings.ToLower(where), negated: true}, true
		}
	}
	if m := s.match(wasThere, "back from", "went to", "visited", "was in", "were in", "been to", "flew to", "travel", "returned"); m != nil && !s.denied {
		if where := s.name(m[1], placeStops); where != "" && startsName(where) {
			return about{name: "been to:" + strings.ToLower(where)}, true
		}
	}
	return about{}, false
}

var (
	drives  = english(`^(?:drive|drives)\s+(?:a|an|my|the)\s+(.+)$`)
	ownsOne = english(`^(?:my|our)\s+((?:(?:new|current|main|old|work|daily)\s+)*)(` + belongings + `)\s+(?:is|is now|will be)\s+(?:now\s+)?(?:a|an|the)\s+(.+)$`)
	soldOne = english(`^(?:sold|crashed|scrapped|got rid of|gave away|lost|traded in|no longer have|totalled)\s+(?:my|our|the)\s+(?:(?:old|new|blue|red|green|white|black)\s+)*(.+)$`)
	swapped = english(`^(?:traded in|traded|swapped|exchanged|replaced)\s+(?:my|our|the)\s+(.+?)\s+(?:for|with|by)\s+(?:a|an|the|my)\s+(?:new\s+)?(.+)$`)
	newOne  = english(`^(?:got|bought|have|picked up|ordered)\s+(?:a|an|my|our)\s+new\s+(` + belongings + `)\s*[,:(–—-]\s*(?:it is\s+)?(?:a|an|the)?\s*(.+)$`)
	hasOne  = english(`^(?:have|own)\s+(?:a|an|the|my)\s+(` + belongings + `)\W*$`)
)

// forWork tells that what one drives is no car of one's own.
var forWork = english(`\b(?:for (?:a living|work|my job|uber|amazon|dhl|ups)|at work|to work on|as a job|rental|hire car|company)\b`)

const belongings = `phone|car|laptop|computer|bike|bicycle|motorbike|motorcycle|camera|tablet|van|truck|scooter|watch|boat|piano|guitar|violin|cello|keyboard`

// ownedSlot reads what someone has one of at a time, and that they have it no more.
func ownedSlot(s *saying) (about, bool) {
	if m := s.matchText(ownsOne, "my ", "our "); m != nil && !strings.Contains(strings.ToLower(m[1]), "old ") {
		if v := s.model(m[3]); v != "" && !opinion(m[3]) {
			name := strings.ToLower(m[2])
			if strings.Contains(strings.ToLower(m[1]), "work ") {
				name = "work " + name // which is beside one's own
			}
			return about{name: name, value: v}, true
		}
	}
	if !s.self() {
		return about{}, false
	}
	if m := s.match(drives, "drive"); m != nil && !forWork.MatchString(s.predicate) && !also.MatchString(s.text) {
		if v := s.model(m[1]); v != "" {
			return s.about("car", v)
		}
	}
	if m := s.match(swapped, "traded", "swapped", "exchanged", "replaced"); m != nil && !s.denied {
		if was, is := s.model(m[1]), s.model(m[2]); was != "" && is != "" && startsName(is) {
			return about{name: "car", value: is}, true
		}
	}
	if m := s.match(newOne, " new "); m != nil && !s.denied {
		if v := s.model(m[2]); v != "" && startsName(v) {
			return about{name: strings.ToLower(m[1]), value: v}, true
		}
	}
	if m := s.match(soldOne, "sold", "crashed", "scrapped", "got rid", "gave away", "traded", "lost", "totalled"); m != nil && !s.denied {
		what := strings.ToLower(valueOf(m[1]))
		for _, b := range strings.Split(belongings, "|") {
			if what == b {
				return about{name: b, negated: true}, true
			}
		}
		if v := s.model(m[1]); v != "" && startsName(v) && !strings.HasPrefix(strings.ToLower(s.predicate), "lost") {
			return about{name: "car", value: v, negated: true}, true
		}
	}
	if m := s.match(hasOne, "have", "own"); m != nil && s.denied {
		return about{name: strings.ToLower(m[1]), negated: true}, true
	}
	return about{}, false
}

// model is the make of a thing: its capitals and numbers, else its words.
func (s *saying) model(text string) string {
	value := valueOf(text)
	var capitals []string
	for _, f := range strings.Fields(value) {
		if startsName(f) || len(capitals) > 0 && strings.ContainsAny(f[:1], "0123456789") {
			capitals = append(capitals, f)
		} else if len(capitals) > 0 {
			break
		}
	}
	if len(capitals) > 0 {
		return strings.Join(capitals, " ")
	}
	if f := strings.Fields(value); len(f) == 0 || len(f) > 4 || !s.plain {
		return ""
	}
	return value
}

var attribute = english(`^my (?:new |current )?(phone number|mobile number|number|e-?mail(?: address)?|address|blood type|blood group|shoe size|height|weight|star sign|zodiac sign|time ?zone|job title|username|user name|nickname|email|wifi name|insurance|bank|gp|hometown|home town|dream job|team|budget|bedtime|alarm|locker(?: at the \pL+)? number|seat|desk|office|flat number|room number|apartment number|order number|membership number|licence plate|license plate|employer|major|degree|gym|commute|rent|salary|landlord|local pub|shift|student number) (?:is|changed to|has changed to|is now|went up to|dropped to|was changed to)\s+(?:now\s+)?(?:at\s+|in\s+)?(\S.*)$`)

// changedTo is an attribute of the speaker's that is spoken of without "my".
var changedTo = english(`^(?:(?:the|our)\s+)?(rent|salary|bedtime|commute|budget|shift) (?:changed to|has changed to|is now|went up to|went down to|was raised to|got raised to|dropped to|was changed to)\s+(\d\S*.*)$`)

var (
	weighs   = english(`^(?:weigh|weighs|am (?:down|up) to|is (?:down|up) to)\s+(?:about |around |almost |nearly )?(\d[\d.,]* ?(?:kg|kgs|kilos?|lbs?|pounds|stone|g|grams))\b`)
	risesAt  = english(`^(wake up|get up|go to bed|go to sleep)\s+(?:at|around)\s+(\S+(?: (?:am|pm|a\.m|p\.m))?)`)
	takesIt  = english(`^(?:take|drink|like|have) my (coffee|tea)\s+((?:black|white|with|without|strong|weak|sweet|no|plain)\b.{0,30})$`)
	commutes = english(`^(?:commute|get to work|go to work|travel to work)\s+(?:by|on)\s+(\pL+)|^(?:take|ride) (?:the|my|a) (\pL+) to work\b|^(cycle|bike|walk|drive) to work\b`)
)

// attributeSlot reads what everybody has one of.
func attributeSlot(s *saying) (about, bool) {
	if s.known {
		if m := s.match(weighs, "weigh", "down to", "up to"); m != nil {
			return s.about("weight", m[1])
		}
		if m := s.match(risesAt, "up at", "up around", "bed at", "bed around", "sleep at", "sleep around"); m != nil && !s.denied && !also.MatchString(s.text) {
			return s.about(strings.Replace(strings.ToLower(m[1]), "wake up", "get up", 1), m[2])
		}
		if m := s.match(takesIt, "my coffee", "my tea"); m != nil && !s.denied {
			return s.about("takes "+strings.ToLower(m[1]), strings.ToLower(strings.Trim(thingTail.ReplaceAllString(m[2], ""), " .")))
		}
		if m := s.match(commutes, "commute", "work"); m != nil && !s.denied && !also.MatchString(s.text) {
			return s.about("commute", strings.ToLower(m[1]+m[2]+m[3]))
		}
	}
	if m := s.matchText(changedTo, "went", "dropped", "changed", "is now", "raised"); m != nil {
		return about{name: strings.ToLower(m[1]), value: strings.Trim(eventEnd.ReplaceAllString(m[2], ""), " .!")}, true
	}
	m := s.matchText(attribute, "my ")
	if m == nil {
		return about{}, false
	}
	low := strings.ToLower(m[2])
	if strings.HasPrefix(low, "not ") || strings.HasPrefix(low, "so ") || strings.HasPrefix(low, "too ") || strings.HasPrefix(low, "very ") {
		return about{}, false
	}
	value := strings.Trim(eventEnd.ReplaceAllString(m[2], ""), " .!")
	name := strings.ToLower(m[1])
	if !s.holdsAs(name, value) {
		return about{}, false
	}
	if name == "commute" {
		value = strings.TrimPrefix(value, "by ")
	}
	switch name {
	case "employer":
		name = "work"
	case "email", "e-mail", "e-mail address":
		name = "email address"
	case "number", "mobile number":
		name = "phone number"
	}
	return about{name: name, value: value}, true
}

var (
	hasIllness = english(`^(?:have|has|suffer from|suffers from|was diagnosed with|is diagnosed with|got diagnosed with|am diagnosed with|been diagnosed with)\s+(?:(?:a|an|bad|severe|mild|chronic|got|terrible)\s+)*(` + illnesses + `)\b`)
	isIll      = english(`^(?:am|is|been)\s+(?:a\s+)?(diabetic|coeliac|celiac|asthmatic|epileptic|dyslexic|colou?r-?blind|pregnant|anaemic|anemic|bipolar|autistic|deaf|blind)\b`)
)

var illHints = strings.Split("diabetic coeliac celiac asthmatic epileptic dyslexic blind pregnant anaemic anemic bipolar autistic deaf", " ")

// healthSlot reads what someone suffers from.
func healthSlot(s *saying) (about, bool) {
	if !s.known {
		return about{}, false
	}
	if m := s.match(hasIllness, "have", "has", "suffer", "diagnos"); m != nil {
		return s.about("health:"+strings.ToLower(m[1]), "")
	}
	if m := s.match(isIll, illHints...); m != nil {
		return s.about("health:"+strings.ToLower(m[1]), "")
	}
	return about{}, false
}

var (
	habit        = english(`^(learn|learns|eat|eats|eating|drink|drinks|smoke|smokes|vape|vapes|play|plays|go to|goes to|going to|subscribe to|subscribed to|take|takes|use|teach|teaches|do|practise|practice|run|runs|swim|swims|cycle|cycles|volunteer at|collect|collects|keep|keeps|bake|bakes|meditate|watch|watches|attend|wear|wears|sing in|dance|train|work out|work nights|work night shifts)\b\s*(.*)$`)
	doing        = english(`^(?:am|are|is)\s+(eating|drinking|smoking|playing|taking|using|subscribing to|doing|learning)\b\s*(.*)$`)
	quits        = english(`^(?:quit|gave up|gave up on|dropped|cancelled my|canceled my|cancelled|canceled|got off)\s+(?:the\s+|my\s+)?(\pL+)(?:\s+subscription)?(?:\W*$|\s+(?:now|for good|last|yesterday|today|in|on|this|two|three|a)\b.*|\s*[,.].*)`)
	mayEat       = english(`^can (?:eat|have|tolerate)\s+(.+)$`)
	leavesCourse = english(`^(?:quit|stopped|gave up|dropped|dropped out of|cancelled|canceled|left|ended)\s+(?:my|the)\s+([\pL ]{2,30}?)\s+(lessons|classes|course|membership|subscription)\b`)
	subscribed   = english(`^have (?:a|an) (?:subscription|membership) (?:to|at|with) (?:the )?(\p{Lu}[\pL ]{1,30}?)(?:\W*$|\s*[,.;].*)`)
	medicated    = english(`^(?:am|is|went|came|got) (on|off) (?:the |my )?(antibiotics|medication|meds|the pill|insulin|statins|beta blockers|antidepressants|painkillers|steroids|metformin|ibuprofen|blood thinners)\b`)
	reads        = english(`^(?:am|are) (reading|watching|playing|listening to)\s+(\p{Lu}.{1,60})$`)
	hasRead      = english(`^(?:just )?finished\s+(?:reading |watching |playing |the book |the series )?(\p{Lu}.{1,60})$`)
	habitEnd     = english(`\s+(?:twice|once|thrice|(?:two|three|four|five|six|seven|eight|nine|ten) (?:or \pL+ )?times|every|each|daily|weekly|on|at|in|most|a lot|lots|often|sometimes|now and then|regularly|for|since|with|again|all the time|all day|before|after|during|from time to time|several times|\d+ times|when|whenever|because|only|any|always|whole)\b.*$`)
)

// habitSlot reads what someone does again and again, and that they do it no more.
func habitSlot(s *saying) (about, bool) {
	if !s.known {
		return about{}, false
	}
	verb, object := "", ""
	if m := s.match(mayEat, "can "); m != nil && (s.denied || strings.Contains(s.lowPredicate, " again")) {
		verb, object = "eat", m[1]
	} else if m := s.match(goesDoing, "go ", "goes "); m != nil {
		verb, object = infinitive(strings.ToLower(m[1])), s.predicate[len(m[0]):]
	} else if m := s.match(habit); m != nil {
		verb, object = strings.ToLower(m[1]), m[2]
	} else if m := s.match(doing, "ing"); m != nil {
		verb, object = infinitive(strings.ToLower(m[1])), m[2]
	} else if m := s.match(leavesCourse, "lesson", "class", "course", "membership", "subscription"); m != nil && s.self() && !s.denied {
		what := strings.ToLower(m[1])
		switch strings.ToLower(m[2]) {
		case "membership":
			return about{name: "habit:go to " + what, negated: true}, true
		case "subscription":
			return about{name: "habit:subscribe to " + what, negated: true}, true
		}
		return about{name: "habit:take " + what + " " + strings.ToLower(m[2]), negated: true}, true
	} else if m := s.match(subscribed, "subscription", "membership"); m != nil && s.self() {
		return s.about("habit:subscribe to "+strings.ToLower(m[1]), "")
	} else if m := s.match(medicated, "on ", "off "); m != nil {
		return about{name: "habit:take " + strings.ToLower(m[2]), subject: s.subject, negated: s.denied != strings.EqualFold(m[1], "off")}, true
	} else if m := s.match(reads, "reading", "watching", "playing"); m != nil && s.self() && startsName(m[2]) {
		return s.about("in the middle of:"+strings.ToLower(title(m[2])), "")
	} else if m := s.match(hasRead, "finished"); m != nil && s.self() && startsName(m[1]) && !s.denied {
		return about{name: "in the middle of:" + strings.ToLower(title(m[1])), negated: true}, true
	} else if m := s.match(quits, "quit", "gave up", "dropped", "cancel"); m != nil && s.self() && !s.denied {
		return quitting(strings.ToLower(m[1]))
	} else {
		return about{}, false
	}
	object = fillerLike.ReplaceAllString(strings.ToLower(object), "$1")
	if m := lessonsIn.FindStringSubmatch(object); m != nil && (verb == "take" || verb == "takes" || verb == "do" || verb == "attend" || verb == "go to" || verb == "have") {
		if name := activity(m[1]); name != "" {
			return s.about(name, "")
		}
		if tongue.MatchString(m[1]) {
			return s.about("habit:learn "+m[1], "")
		}
		object = m[1] + " lessons"
	}
	if vehicle := transport.FindString(object); verb == "take" && vehicle != "" {
		rest := strings.TrimSpace(object[len(vehicle):])
		if rest != "" && !toWork.MatchString(rest) {
			return about{}, false // now and then, or to somewhere
		}
		return s.about("commute", strings.Fields(vehicle)[len(strings.Fields(vehicle))-1])
	}
	if m := distance.FindStringSubmatch(object); m != nil && overWays[plainForm(verb)] {
		return about{name: "habit:" + plainForm(verb), subject: s.subject, value: m[1], negated: s.denied}, true
	}
	if (verb == "learn" || verb == "learns") && !tongue.MatchString(strings.TrimSpace(habitEnd.ReplaceAllString(object, ""))) {
		return about{}, false
	}
	ended := habitEnd.ReplaceAllString(" "+object, "")
	if rest := strings.TrimPrefix(" "+object, ended); s.denied && restricts.MatchString(rest) && !(s.over && strings.HasPrefix(strings.TrimSpace(rest), "because")) {
		return about{}, false // "I never drink coffee after three"
	}
	what := liked(strings.TrimSpace(ended))
	switch {
	case strings.TrimSpace(ended) == "" && intransitive[verb]:
		what = ""
	case what == "" || noHabits[strings.Fields(what)[0]] || strings.HasPrefix(verb, "keep") && strings.HasSuffix(strings.Fields(what)[0], "ing"):
		return about{}, false
	}
	verb = plainForm(verb)
	switch verb {
	case "run", "keep", "use":
		if m := owns.FindStringSubmatch("own " + object); m != nil && !often.MatchString(object) {
			if thing, _ := thingOf(m[1]); thing != "" {
				return s.about(possession(thing), "")
			}
		}
	case "play", "do", "practise", "practice", "go to", "take", "learn":
		if name := activity(what); strings.HasPrefix(name, "habit:play") || strings.HasPrefix(name, "habit:do") {
			return s.about(name, "")
		}
	}
	if m := amountOf.FindStringSubmatch(object); m != nil && (verb == "drink" || verb == "eat") {
		return about{name: "habit:" + verb + " " + strings.TrimSuffix(m[2], "s"), subject: s.subject, value: m[1], negated: s.denied}, true
	}
	if verb == "smoke" && amount.MatchString(what) {
		what = "" // how much changes, the habit stays
	}
	return s.about(strings.TrimSpace("habit:"+verb+" "+what), "")
}

var (
	// transport is what one takes to get somewhere.
	transport = newPattern(`^(?:the |a )?(?:bus|train|tram|metro|subway|tube|ferry|underground|s-bahn|u-bahn)\b`)
	toWork    = english(`^(?:to (?:work|school|uni|the office|university)|every (?:day|morning|weekday)|daily|now|these days|because|since|,|and\b|so\b)`)
	// distance is how far one goes; "5 km" is nothing that one has.
	distance = newPattern(`^(?:about |around |up to |almost |nearly |like )?(\d[\d.,]*\s?(?:km|kms|kilometers?|kilometres?|k|miles?|mi|m|meters?|metres?|laps?|lengths?|steps?)\b)`)
	overWays = set(`run swim cycle dance`)
	// fillerLike is a "like" that means nothing.
	fillerLike = english(`^like\s+(all|every|\d|two|three|five|ten|twenty|a\s)`)
	// lessonsIn names what is taught.
	lessonsIn = english(`^(?:(?:the|a|an|my|some|private|evening|weekly)\s+)*(?:lessons?|class|classes|course|courses|training)\s+in\s+(?:the\s+)?([\pL-]+)\b`)
)

// amountOf is how much somebody takes of what in a day: "about four coffees a day".
var amountOf = english(`^((?:(?:about|around|maybe|roughly|at least|up to|almost|nearly|over)\s+)?(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|a|a few|several|lots of|a lot of|too many|too much))\s+(?:(?:cups?|glass(?:es)?|mugs?|bottles?|cans?|pints?|lit(?:er|re)s?)\s+of\s+)?(coffees?|teas?|beers?|wine|water|milk|soda|cola|eggs?|juice)(?:\s+(?:a|per|each|every)\s+(?:day|night|morning|week|evening))?\W*$`)

var amount = english(`^(?:(?:about|around|maybe|up to|roughly) )?(?:an? |half a |one |two |\d+ )?(?:packs?|cigarettes?|cigs?)\b|^(?:(?:about|around|maybe|up to|roughly) )?(?:\d+|two|three|four|five|six|seven|eight|ten|fifteen|twenty)(?: a day)?$`)

// restricts opens what limits a denial to some times or places.
var restricts = english(`^\s*(?:after|before|with|on|in|at|when|whenever|during|every|only|all|always|most|any (?:more than|before|after)|each|daily|weekly|often|a lot|because)\b`)

// quitting reads "quit smoking" and "quit the gym".
func quitting(what string) (about, bool) {
	switch what {
	case "gym", "choir", "band", "team":
		return about{name: "habit:go to " + what, negated: true}, true
	case "sugar", "meat", "dairy", "fish":
		return about{name: "habit:eat " + what, negated: true}, true
	case "coffee", "alcohol", "wine", "beer", "caffeine":
		return about{name: "habit:drink " + what, negated: true}, true
	case "cigarettes", "tobacco", "nicotine":
		return about{name: "habit:smoke", negated: true}, true
	}
	return about{}, false
}

// plainForm gives the infinitive of the verbs of habits.
func plainForm(verb string) string {
	switch verb {
	case "goes to", "going to":
		return "go to"
	case "subscribed to":
		return "subscribe to"
	case "teaches", "watches":
		return strings.TrimSuffix(verb, "es")
	case "eating":
		return "eat"
	}
	if head, rest, two := strings.Cut(verb, " "); two {
		return strings.TrimSuffix(head, "s") + " " + rest
	}
	return strings.TrimSuffix(verb, "s")
}

var (
	intransitive = set(`smoke smokes drink drinks vape swim swims run runs cycle cycles meditate dance`)
	noHabits     = set(`care part it place place-in well fine good better up out off not that this what so the-best dishes turn turns note notes time forever ages my-time away back shower advantage break seat look me you him her them us everything anything my your bed sleep work home there here someone people nothing something more less like with`)
)
