package extract

import "strings"

// A text that a user pasted was written by somebody else, whoever "I" is in it. What shows
// it is a request about a text ("reply to this email:"), the head of a mail, a salutation,
// or a word on who wrote it; it ends with its signature, its closing quote or a new label.

const textNouns = `(?:e-?mails?|mail|letters?|messages?|msg|texts?|dms?|sms|notes?|posts?|tweets?|bios?|profiles?|reviews?|comments?|replies|reply|response|paragraphs?|essays?|story|stories|poems?|articles?|passages?|excerpts?|abstract|ads?|advert|listing|captions?|lyrics|speech|statements?|transcripts?|conversations?|chats?|dialogues?|dialogs?|drafts?|pitch|introduction|descriptions?|quotes?|threads?|voicemails?|sentences?|phrases?)`

const somebodyElse = `(?:(?:my|our|the|a|this|some|your) (?:\pL+[ '-]){0,3}?\pL+|he|she|they|someone|somebody|\p{Lu}[\pL'-]+(?: \p{Lu}[\pL'-]+)?)`

// inventedText are texts that are made up, anothersVoice says whose voice one is in.
const (
	inventedText  = `(?:tweet|story|tale|poem|song|rap|haiku|(?:diary|journal) entry|diary|monologue|dialogue|scene|novel|chapter|letter|post|review|speech)`
	anothersVoice = `(?:from (?:the )?(?:perspective|point of view|p\.?o\.?v\.?|viewpoint) of (?:an?|the)|in the (?:voice|shoes|persona) of (?:an?|the)|from an? [\pL' -]{2,30}'s (?:perspective|point of view|p\.?o\.?v\.?|viewpoint)|as if you (?:were|are) (?:an?|the)|as (?:an?|the) (?:pirate|soldier|knight|king|queen|prince|princess|wizard|witch|robot|alien|vampire|ghost|dog|cat|dragon|sailor|astronaut|detective|cowboy|viking|prisoner|villain|hero|tree))`
)

var (
	// answersText asks for an answer to a text.
	answersText = english(`\b(?:reply|respond|responding|response|replying|comeback|write back|text back|react)\b[^.?!:]{0,30}?\b(?:this|these|the following|below|` + textNouns + `)\b|\banswer(?:ing)?\b[^.?!:]{0,30}?\b(?:to (?:this|these|the following)|` + textNouns + `)\b`)
	// answersThis is one that may as well be a question of its sender's own.
	answersThis = english(`\b(?:answer|reply|respond|react)\b[^.?!:]{0,20}\bthis\W*$`)
	// textFrom is a heading that tells whose the text is.
	textFrom = english(`^\W*` + textNouns + `\s+(?:i (?:just )?(?:got|received)\s+)?(?:from|by|of|that)\s+[^.?!:]{2,50}:\s*$`)
	// repliesEnd is a request that ends on what it is to answer: "Draft a reply to:".
	repliesEnd = english(`\b(?:reply|respond|response|answer|comeback)\b[^.?!:]{0,40}\bto(?: (?:him|her|them|it|that|` + somebodyElse + `))?\s*:\s*$`)
	// asksAbout asks what is to be made of a text.
	asksAbout = english(`\b(?:what do you (?:think|make)|what would you|thoughts|opinions?|feedback|rate|critique|sentiment|tone|mood|is|are|does|do|did|how(?:'s| is)|who|whose|scam|legit|spam|phishing|fake|real|meaning?|means|summary|summari[sz]e|tl;?dr|understand|guess)\b[^.!]{0,60}\b(?:this|these|the following|the below)\s+(?:\pL+[ -]){0,2}?` + textNouns + `\b`)
	// gotText tells that a text came, of which something is asked.
	gotText = english(`^` + lightWords + `(?:(?:i|we)(?:'ve| have)?\s+)?(?:just\s+)?(?:got|received|saw|found|read|here(?:'s| is)|heres|this is|look at)\s+(?:this|these|an?|the|another|some)\s+(?:\pL+[ -]){0,2}?` + textNouns + `\b`)
	// whatWrote names as text what somebody wrote.
	whatWrote = english(`^` + lightWords + `(?:here(?:'s| is)|heres|this is|that's|look at|see|read)?\s*what (` + somebodyElse + `) (?:just )?(?:wrote|said|says|sent|texted|posted|emailed|mailed|messaged|replied|answered|tweeted|told)\b[^.?!:]{0,30}[:.]?\s*$`)
	// wroteTo says who wrote what comes behind its colon; inSelf begins what somebody says of
	// themself.
	wroteTo = english(`^` + lightWords + `(` + somebodyElse + `)\s+(?:just |also |once )?(?:wrote|writes|sent|posted|emailed|mailed|texted|messaged|forwarded|replied|answered|tweeted|commented|said|says)\b(?: back)?(?: (?:me|us|to me|to us|my \pL+|in|on (?:\pL+)|today|yesterday|this|the following|that|back))*\s*[:：]`)
	inSelf  = english(`^["“'\s]*(?:(?:hi|hey|hello|ok|sorry|so|well|yes|no|btw)\b[^,.!:]{0,20}[,.!]?\s+)?(?:i|i'm|im|i've|i'd|i'll|my|we|we're|we've|our|me)\b`)
	// forFriend asks in another's place, and says so before anything else.
	forFriend = english(`^\W*(?:(?:i'm|im|just|i am) )*asking (?:this |it )?for (?:a|my) (?:friend|mate|colleague|coworker|buddy|neighbou?r)\s*[:：]\s*\S`)
	// inVoice asks for a text that is made up in another's voice; voiceAbove does so on the
	// line before it.
	inVoice = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?)?(?:write|compose|create|make up|draft|pretend|continue)\b[^:]{0,40}\b` + inventedText + `\b[^:]{0,40}?\b` + anothersVoice + `\b[^:]{0,60}:\s*\S`)
	// firstPersonText asks for a text whose "I" is nobody.
	firstPersonText = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?)?(?:write|rewrite|continue|compose)\b[^:]{0,30}\bin (?:the )?first[- ]person\b[^:]{0,40}:\s*\S`)
	voiceAbove      = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?)?(?:write|compose|create|make up|draft)\b[^:]{0,40}\b(?:(?:diary|journal) entry|diary|monologue)\s+(?:of|by|` + anothersVoice + `)\b[^:]{0,40}[.:]?\s*$`)
	// forwarded is the mark of a mail that was handed on.
	forwarded = english(`^\W*(?:begin )?(?:forwarded|fwd|original|pasted|copied|quoted)\s+(?:message|mail|e-?mail|text|post|letter)\b\W*$|^\W*fwd?\s*:\s|^on .{6,80} wrote\s*:\s*$`)
	// mailHead is a line of the head of a mail.
	mailHead = english(`^\W*(from|to|cc|bcc|subject|date|sent|reply-to)\s*:(?:\s+(.*)|$)`)
	// givenText labels a text, asked a question about it.
	givenText  = english(`^\W*(?:text|passage|article|e-?mail|letter|message|excerpt|document|paragraph|review|transcript|post|tweet|story|input text|source(?: text)?|original(?: text)?)\s*:(?:\s|$)`)
	askedLabel = english(`^\W*(?:questions?|q|task|instructions?|prompt|query|now|my question|what i (?:want|need))\s*\d?\s*:`)
	// shownExamples opens a row of examples.
	shownExamples = english(`^` + lightWords + `(?:here(?:'s| is| are)|these are|the following are|see)\s+(?:my |an? |some |the |a few |two |three |more )?(?:\pL+ )?(?:examples?|samples?|few-?shots?)\b[^.?!]{0,40}:\s*$`)
	// opensLetter opens a letter, signsOff ends it.
	opensLetter = english(`^(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|greetings|hiya)\b[ ,]*(?:(?:mr|mrs|ms|dr|prof)\.? )?(?:\p{Lu}[\pL'-]+|all|team|everyone|there|sirs?(?: or madam)?|madam|friend|to whom it may concern|hiring (?:manager|team|committee))(?: (?:and )?\p{Lu}[\pL'-]+){0,2}\s*(?:[,!:.–—-]|$)`)
	signsOff    = english(`^(?:(?:with |all (?:the |my )?|very |my )?(?:best|kind(?:est)?|warm(?:est)?|many|good)(?: (?:wishes|regards|thanks))?|regards|(?:yours )?(?:sincerely|truly|faithfully|respectfully|cordially)(?: yours)?|yours(?: ever)?|cheers|love|lots of love|much love|xo+x*o*|thanks(?: again| so much| a lot| in advance)?|thank you(?: so much)?|take care|talk soon|speak soon|see you(?: soon)?|hugs|warmly)[\s,.!–—-]*(\p{Lu}[\pL'.-]*(?: \p{Lu}[\pL'.-]*){0,2})?[\s.]*$`)
	writesOn    = english(`^p\.?\s?s\b`)
)

// ofOneself says that a text is its sender's own.
var ofOneself = english(`\b(?:i(?:'ve| have)? (?:wrote|written|made|drafted|composed|put together)|i(?:'m| am) (?:writing|sending|posting)|about (?:me|myself|us)|my own|of mine|notes? (?:about|on) my|(?:private|encrypted|stored|saved|record\pL*|remembered|end-to-end))\b`)

// asksOfOther opens a request for an answer to somebody else.
var asksOfOther = english(`^` + lightWords + `(?:(?:can|could|would|will) (?:you|u)\b|how\b|what\b|help\b|need\b|reply\b|respond\b|answer\b|write\b|draft\b|compose\b|come up\b|give\b|make\b|suggest\b|generate\b|prepare\b|i(?:'m| am|'d| would)? (?:need|want|have|trying|like|struggling|supposed|not sure)\b)`)

// shortRequest is the most bytes of a request about a text.
const shortRequest = 300

// pasted says of each piece of a user's message whether it belongs to a text that was
// pasted, or does nothing but hand one over. Again are the pieces with which its sender
// speaks on behind a signature.
func pasted(pieces []piece) (theirs, again []bool) {
	theirs, again = make([]bool, len(pieces)), make([]bool, len(pieces))
	mark := func(from, to int) {
		for n := from; n < to; n++ {
			theirs[n] = true
		}
		if to < len(pieces) {
			again[to] = true
		}
	}
	for i := 0; i < len(pieces); i++ {
		if i == 0 && forFriend.MatchString(pieces[0].text) {
			to := paragraphEnd(pieces, 0)
			mark(0, to)
			i = to - 1
			continue
		}
		if from, to := opensPaste(pieces, i); to > from {
			mark(from, to)
			i = to - 1
			continue
		}
		if to := letterEnd(pieces, i); to > 0 {
			if somebodysLetter(pieces, i, to) {
				mark(i, to)
			} else if to < len(pieces) {
				again[to] = true
			}
			i = to - 1
		}
	}
	return theirs, again
}

// opensPaste gives the run of pieces that a text fills which opens with the i-th, with what
// only hands it over; an empty one if none does.
func opensPaste(pieces []piece, i int) (from, to int) {
	p := pieces[i]
	text := p.text
	next := piece{}
	if i+1 < len(pieces) {
		next = pieces[i+1]
	}
	ask, given, colon := strings.Cut(text, ":")
	switch {
	case len(ask) > shortRequest:
		return 0, 0
	case isMailHead(pieces, i), forwarded.MatchString(text):
		return i, pasteEnd(pieces, i+1)
	case inVoice.MatchString(text), firstPersonText.MatchString(text):
		return i, pasteEnd(pieces, i+1)
	case voiceAbove.MatchString(text) && next.line > p.line && inSelf.MatchString(next.text):
		return i, paragraphEnd(pieces, i+1)
	case songWords.MatchString(text), codeAt(pieces, i):
		return i, paragraphEnd(pieces, i)
	case (rememberedOf.MatchString(text) || memoryHead.MatchString(text)) && next.line > p.line:
		for to = i + 1; to < len(pieces) && pieces[to].kind == item; to++ {
		}
		return i, to
	case givenText.MatchString(text):
		return i, labelEnd(pieces, i)
	}
	if m := wroteTo.FindStringSubmatchIndex(text); m != nil && !own[strings.ToLower(text[m[2]:m[3]])] {
		theirs := writtenByOther(text[m[2]:m[3]], text[m[3]:m[1]])
		switch {
		case inSelf.MatchString(text[m[1]:]) && theirs:
			to = i + 1
			for to < len(pieces) && pieces[to].line == p.line && pieces[to].paragraph == p.paragraph {
				to++
			}
			return i, to
		case !hasContent(text[m[1]:]) && next.line > p.line && (theirs && inSelf.MatchString(next.text) || opensLetter.MatchString(next.text) || signedEnd(pieces, i+1) > 0):
			return i, pasteEnd(pieces, i+1)
		}
		return 0, 0
	}
	if ofOneself.MatchString(text) || ownText.MatchString(ask) || p.code {
		return 0, 0
	}
	if colon && hasContent(given) {
		if asksHere(ask, given) {
			return i, pasteEnd(pieces, i+1)
		}
		return 0, 0
	}
	if next.line <= p.line {
		if answersText.MatchString(text) && asksOfOther.MatchString(text) && (toText.MatchString(text) || toThisText.MatchString(text)) {
			n := paragraphEnd(pieces, i)
			if n < len(pieces) && (greets.MatchString(pieces[n].text+" ") || opensLetter.MatchString(pieces[n].text)) {
				return n, pasteEnd(pieces, n)
			}
		}
		return 0, 0
	}
	if jobAd.MatchString(text) {
		return i, adEnd(pieces, i+1)
	}
	colon = strings.HasSuffix(strings.TrimSpace(text), ":")
	block := next.paragraph > p.paragraph
	letter := func() bool {
		return opensLetter.MatchString(next.text) || wholeQuote.MatchString(next.text) || signedEnd(pieces, i+1) > 0
	}
	switch {
	case shownExamples.MatchString(text):
		for to = i + 1; to < len(pieces) && pieces[to].paragraph <= next.paragraph; to++ {
		}
		return i, to
	case whatWrote.MatchString(text) && (!tellers.MatchString(whatWrote.FindStringSubmatch(text)[1]) || letter()), repliesEnd.MatchString(text) && asksOfOther.MatchString(text) && (block || letter()):
		return i, pasteEnd(pieces, i+1)
	case gotText.MatchString(text) && (letter() || thisText.MatchString(text) && (colon || endsAsking(text)) || colon && hereText.MatchString(text)):
		return i, pasteEnd(pieces, i+1)
	case textFrom.MatchString(text) && (block || letter()), answersThis.MatchString(text) && letter(), fraud.MatchString(text) && (block || letter()):
		return i, pasteEnd(pieces, i+1)
	case answersText.MatchString(text) && asksOfOther.MatchString(text) && (letter() || colon && toText.MatchString(text) || block && (toThisText.MatchString(text) || toText.MatchString(text) && greets.MatchString(next.text))):
		return i, pasteEnd(pieces, i+1)
	case asksAbout.MatchString(text) && (colon || endsAsking(text)) && (letter() || asksMeaning.MatchString(text) && !thisTalk.MatchString(text)):
		return i, pasteEnd(pieces, i+1)
	}
	return 0, 0
}

// jobAd is a heading over what a company writes of itself and whom it looks for.
var jobAd = english(`^\W*(?:(?:this|here)(?:'s| is) )?(?:the |a |an )?(?:job|work|position|vacancy|role)?\s*(?:ad|advert|advertisement|posting|offer|description|listing|vacancy)\b[^.?!:]{0,40}:\s*$`)

// adEnd gives where it ends: with a paragraph that is of "I", or a question.
func adEnd(pieces []piece, from int) int {
	for n := from + 1; n < len(pieces); n++ {
		if pieces[n].paragraph > pieces[n-1].paragraph && (asksOn.MatchString(pieces[n].text) || endsAsking(pieces[n].text) || speaksSelf.MatchString(pieces[n].text) && !strings.HasPrefix(strings.ToLower(pieces[n].text), "we") && !strings.HasPrefix(strings.ToLower(pieces[n].text), "our")) {
			return n
		}
	}
	return len(pieces)
}

// asksHere says whether a request has the text that it is about behind its own colon.
func asksHere(ask, given string) bool {
	given = strings.TrimSpace(given)
	if opensLetter.MatchString(given) {
		return requestAbout(ask)
	}
	if answersText.MatchString(ask) && !(draftsAnswer.MatchString(ask) && handsIn.MatchString(ask)) && !toThisText.MatchString(ask) || inManner.MatchString(ask) || thisTalk.MatchString(ask) {
		return false // the words are put to who is asked
	}
	if requestAbout(ask) && asksOfOther.MatchString(ask) && !asksAbout.MatchString(ask) {
		return true
	}
	return inSelf.MatchString(given) && (requestAbout(ask) || len(ask) <= shortRequest && asksIfGood.MatchString(ask))
}

var (
	// toText says that what is to be answered is a text, toThisText that it is at hand.
	toText     = english(`\b(?:to|answer(?:ing)?)\s+(?:this|these|the following|(?:the|an?|my|his|her|their|our)\s+(?:[\pL']+ ){0,2}?` + textNouns + `)\b`)
	toThisText = english(`\b(?:to|answer(?:ing)?)\s+(?:this|these|the following)\s+(?:\pL+ ){0,2}?(?:e-?mails?|mail|letters?|texts?|dms?|sms|posts?|tweets?|reviews?|comments?|notes?|ads?|listing|voicemails?|messages? (?:from|by|for)|messages?\s*[?.!]*$)`)
	// greets opens a message to somebody whom it need not name.
	greets = english(`^(?:hi|hey|hello|dear)\b[\s,!]`)
	// draftsAnswer asks for an answer that is written for who asks.
	draftsAnswer = english(`\b(?:write|draft|compose|help|suggest|generate|prepare|come up|how (?:do|should|would|can) (?:i|we|you)|give me)\b`)
	handsIn      = english(`\b(?:this|these|the following|below)\b`)
	// inManner says how is to be answered, not what.
	inManner = english(`\b(?:with|in|using) (?:\pL+ ){0,2}\pL+\s*$`)
	// thisTalk is the talk itself, whose words are its speakers' own.
	thisTalk = english(`\b(?:this|these|the) (?:\pL+ )?(?:chats?|conversations?|messages|texts|threads?|dialogues?|notes|replies)\b`)
	// asksMeaning asks what a text says or is worth.
	asksMeaning = english(`\b(?:think|make|thoughts|opinions?|feedback|rate|critique|sentiment|tone|mood|scam|legit|spam|phishing|fake|means?|meaning|summary|summari[sz]e|tl;?dr|who (?:wrote|sent)|whose)\b`)
	// asksIfGood asks whether a text will do.
	asksIfGood = english(`^` + lightWords + `(?:is|does) (?:this|that|it)\b(?: sound like)?(?: an?)?(?: \pL+){0,3} (?:e-?mail|letter|bio|profile|tweet|post|caption|poem|lyrics|story|review|pitch|introduction|description|essay|ad)$`)
	// hereText hands a text over.
	hereText = english(`\b(?:this|these|here(?:'s| is)|heres|look at)\b`)
	// fraud asks whether what follows is one.
	fraud = english(`^\W*(?:is (?:this|it) )?(?:an? )?(?:scam|spam|phishing|legit|fake|real)(?: or (?:an? )?(?:scam|spam|phishing|legit|fake|real|not))?\s*\?+\s*$`)
	// songWords are those of a song.
	songWords = english(`^\W*(?:the |some )?(?:song )?lyrics\s*:\s*\S`)
	// rememberedOf hands back what was remembered of who writes.
	// memoryHead heads what another system remembers.
	memoryHead   = english(`^\W*(?:(?:relevant|retrieved|stored|saved|recalled|long-term|user) (?:memories|memory|facts|context)|known facts|user profile|memories|context from (?:memory|earlier|previous (?:chats|conversations)))(?: (?:about|of|on|for) the user)?\s*:?\W*$`)
	rememberedOf = english(`^` + lightWords + `(?:(?:here(?:'s| is)|heres|this is|that's) )?what you(?:'ve| have)? (?:remember(?:ed)?|know|knew|recall(?:ed)?|stored|saved|noted|wrote|said) (?:about|of|on) (?:me|us)\b[^.?!:]{0,30}:\s*$`)
	// assigned is a line of code that gives a name its value, codeValue one whose value has
	// the signs of code.
	assigned  = newPattern(`^[A-Za-z_][\w.]*\s*=\s*\S`)
	codeValue = newPattern("=\\s*(?:[\"'`\\[{(]|[\\w.]+\\()")
	// tellers are those who tell one about oneself; peers are those who write of themselves.
	tellers = english(`^(?:(?:my|our|the) )?(?:\pL+ )?(?:doctor|doc|gp|dentist|vet|nurse|therapist|psychologist|psychiatrist|counsell?or|surgeon|midwife|pharmacist|boss|manager|supervisor|hr|chef|coach|trainer|teacher|tutor|professor|school|lawyer|accountant|landlord|landlady|mom|mum|mother|dad|father|wife|husband|bank|company|team|office|hospital|clinic|lab|employer|recruiter|judge|court|agent|broker|mechanic|optician|trainer|priest)$`)
	peers   = english(`^(?:he|she|they|someone|somebody|(?:my|our|an?|this|some) (?:\pL+ )?(?:friend|ex|mate|buddy|cousin|roommate|flatmate|colleague|coworker|neighbou?r|classmate|match|penpal|stranger|guy|girl|woman|man|person|user|client|customer|student|follower))$`)
	// writes are what one does in writing, handsOn points at what was written.
	writes  = english(`\b(?:wrote|writes|sent|posted|emailed|mailed|texted|messaged|forwarded|tweeted|commented)\b`)
	handsOn = english(`\b(?:this|the following)\s*[:：]\s*$`)
)

// writtenByOther says whether what somebody wrote or said in words such as "I" tells of
// them, and not of who passes it on: "the vet says: my dog has arthritis" may be either.
func writtenByOther(who, did string) bool {
	if handsOn.MatchString(did) {
		return true
	}
	if tellers.MatchString(who) {
		return false
	}
	if peers.MatchString(who) {
		return writes.MatchString(did)
	}
	words := wordsOf(who)
	for _, w := range words {
		if !w.capital {
			return false
		}
	}
	return len(words) > 0 && !own[words[0].low]
}

// codeAt says whether the i-th piece begins a paragraph of nothing but lines that give names
// their values as code does.
func codeAt(pieces []piece, i int) bool {
	if i > 0 && pieces[i-1].paragraph == pieces[i].paragraph {
		return false
	}
	valued := false
	for n := i; n < len(pieces) && pieces[n].paragraph == pieces[i].paragraph; n++ {
		if !assigned.MatchString(pieces[n].text) {
			return false
		}
		valued = valued || codeValue.MatchString(pieces[n].text)
	}
	return valued
}

// paragraphEnd gives where the paragraph of the i-th piece ends.
func paragraphEnd(pieces []piece, i int) int {
	to := i
	for to < len(pieces) && pieces[to].paragraph == pieces[i].paragraph {
		to++
	}
	return to
}

// signedEnd gives where a text ends that begins with the i-th piece and is signed, 0 if it
// is not.
func signedEnd(pieces []piece, i int) int {
	for n := i + 1; n < len(pieces) && n <= i+letterPieces; n++ {
		if to := signature(pieces, n); to > 0 {
			return to
		}
	}
	return 0
}

// letterPieces is the most pieces of a letter whose signature is looked for.
const letterPieces = 100

// requestAbout says whether a sentence asks for something about a text that is at hand.
func requestAbout(text string) bool {
	return len(text) <= shortRequest && !ofOneself.MatchString(text) && !ownText.MatchString(text) && (answersText.MatchString(text) || asksAbout.MatchString(text) || reworks.MatchString(text) && handing.MatchString(text))
}

// thisText points at a text.
var thisText = english(`\b(?:this|these|the) (?:\pL+[ -]){0,2}?` + textNouns + `\b`)

// isMailHead says whether the head of a mail begins with the i-th piece: a journey has a
// "from" and a "to" as well, but no subject, and no person at either end.
func isMailHead(pieces []piece, i int) bool {
	seen, person := map[string]bool{}, false
	n := i
	for ; n < len(pieces) && pieces[n].paragraph == pieces[i].paragraph; n++ {
		m := mailHead.FindStringSubmatch(pieces[n].text)
		if m == nil {
			break
		}
		label := strings.ToLower(m[1])
		seen[label] = true
		if first := wordsOf(m[2]); strings.Contains(m[2], "@") || label != "date" && len(first) > 0 && givenNames[first[0].low] {
			person = true
		}
	}
	if !seen["from"] || len(seen) < 2 || n == len(pieces) {
		return false
	}
	return seen["subject"] || seen["sent"] || person && pieces[n].paragraph > pieces[i].paragraph
}

var (
	// ofAsker is a question that is its asker's own, asksOfGiven one about a text.
	ofAsker     = english(`\b(?:i|me|my|mine|we|us|our)\b`)
	asksOfGiven = english(`\b(?:text|passage|article|author|writer|narrator|speaker|sender|sentiment|tone|mood|summari[sz]e|summary|tl;?dr|translate|paraphrase|rewrite|rephrase|proofread|correct|fix|shorten|simplify|classify|extract|analy[sz]e|entit\pL+|reply|respond|` + textNouns + `)\b`)
)

// labelEnd gives where a text ends that the i-th piece labels, 0 if nothing is asked of it.
func labelEnd(pieces []piece, i int) int {
	for n := i + 1; n < len(pieces); n++ {
		if askedLabel.MatchString(pieces[n].text) {
			if ofAsker.MatchString(pieces[n].text) {
				return 0
			}
			return n
		}
	}
	if i > 0 && asksOfGiven.MatchString(pieces[i-1].text) && (endsAsking(pieces[i-1].text) || imperative(pieces[i-1].text)) && !ofOneself.MatchString(pieces[i-1].text) && !ownText.MatchString(pieces[i-1].text) {
		return pasteEnd(pieces, i+1)
	}
	return 0
}

// pasteEnd gives where a pasted text ends of which pieces from one on are left.
func pasteEnd(pieces []piece, from int) int {
	if from < len(pieces) && wholeQuote.MatchString(pieces[from].text) {
		return from + 1
	}
	for n := from; n < len(pieces); n++ {
		if askedLabel.MatchString(pieces[n].text) || n > from && pieces[n].paragraph > pieces[n-1].paragraph && asksOn.MatchString(pieces[n].text) {
			return n
		}
		if to := signature(pieces, n); n > from && to > 0 {
			return to
		}
	}
	return len(pieces)
}

// asksOn is what is asked behind a text: how to answer it.
var asksOn = english(`^` + lightWords + `(?:(?:how|what) (?:should|do|can|would|could|shall) (?:i|you|we)\b|(?:can|could|would|will) you\b|(?:reply|respond|answer|draft)\b|tell (?:him|her|them|\p{Lu}\pL+)\b|(?:say|keep|make) (?:that|it|something)\b|write (?:back|a|me)\b)`)

// letterEnd gives where a letter ends that begins with the i-th piece, 0 if it has no
// signature.
func letterEnd(pieces []piece, i int) int {
	if !opensLetter.MatchString(pieces[i].text) {
		return 0
	}
	return signedEnd(pieces, i)
}

// signature gives where what is signed with the n-th piece ends, 0 if that signs nothing.
func signature(pieces []piece, n int) int {
	m := signsOff.FindStringSubmatch(pieces[n].text)
	if m == nil {
		return 0
	}
	last := n
	if m[1] == "" {
		if last++; last == len(pieces) || !isSigner(pieces[last].text) {
			return 0
		}
	}
	to := last + 1
	for to < len(pieces) && (pieces[to].paragraph == pieces[last].paragraph || writesOn.MatchString(pieces[to].text)) {
		last = to
		to++
	}
	return to
}

// isSigner says whether a text is a name and nothing else.
func isSigner(text string) bool {
	words := wordsOf(text)
	for _, w := range words {
		if !w.capital || own[w.low] {
			return false
		}
	}
	return len(words) > 0 && len(words) <= 4
}

// somebodysLetter says whether a letter with a signature is somebody else's: something is
// said beside it, but not that it is its sender's own, and it has another's name or is
// asked about.
func somebodysLetter(pieces []piece, from, to int) bool {
	beside := false
	for n, p := range pieces {
		if n >= from && n < to {
			continue
		}
		if requestAbout(p.text) {
			return true
		}
		if ofOneself.MatchString(p.text) || ownText.MatchString(p.text) {
			return false
		}
		if m := selfNamed.FindStringSubmatch(p.text); m != nil && signedBy(pieces[from:to], m[1]) {
			return false
		}
		beside = true
	}
	return beside && toSomebody.MatchString(pieces[from].text)
}

// toSomebody greets one person by name.
var toSomebody = english(`^(?:hi|hello|hey|dear)\b[ ,]*(?:(?:mr|mrs|ms|dr|prof)\.? )?\p{Lu}\p{Ll}[\pL'-]*`)

// selfNamed tells what its speaker is called.
var selfNamed = english(`\b(?:i'm|i am|im|my name is|my name's|call me|this is)\s+(\p{Lu}[\pL'-]+)`)

// signedBy says whether a letter ends with a name.
func signedBy(letter []piece, name string) bool {
	for _, p := range letter[max(0, len(letter)-3):] {
		for _, w := range wordsOf(p.text) {
			if w.low == strings.ToLower(name) {
				return true
			}
		}
	}
	return false
}
