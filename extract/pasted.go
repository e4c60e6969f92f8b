package extract

import "strings"

// A text that a user pasted was written by somebody else, whoever "I" is in it. What shows
// it is a request about a text ("reply to this email:"), the head of a mail, a salutation,
// or a word on who wrote it; it ends with its signature, its closing quote or a new label.

const textNouns = `(?:e-?mails?|mail|letters?|messages?|msg|texts?|dms?|sms|notes?|posts?|tweets?|bios?|profiles?|reviews?|comments?|replies|reply|response|paragraphs?|essays?|story|stories|poems?|articles?|passages?|excerpts?|abstract|ads?|advert|listing|captions?|lyrics|speech|statements?|transcripts?|conversations?|chats?|dialogues?|dialogs?|drafts?|pitch|introduction|descriptions?|quotes?|threads?|voicemails?|sentences?|phrases?)`

const somebodyElse = `(?:(?:my|our|the|a|this|some|your) (?:\pL+[ '-]){0,3}?\pL+|he|she|they|someone|somebody|\p{Lu}[\pL'-]+(?: \p{Lu}[\pL'-]+)?)`

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
	whatWrote = english(`^` + lightWords + `(?:here(?:'s| is)|heres|this is|that's|look at|see|read)?\s*what (?:` + somebodyElse + `) (?:just )?(?:wrote|said|says|sent|texted|posted|emailed|mailed|messaged|replied|answered|tweeted|told)\b[^.?!:]{0,30}[:.]?\s*$`)
	// wroteTo says who wrote what comes behind its colon; inSelf begins what somebody says of
	// themself.
	wroteTo = english(`^` + lightWords + `(` + somebodyElse + `)\s+(?:just |also |once )?(?:wrote|writes|sent|posted|emailed|mailed|texted|messaged|forwarded|replied|answered|tweeted|commented|said|says)\b(?: back)?(?: (?:me|us|to me|to us|my \pL+|in|on (?:\pL+)|today|yesterday|this|the following|that|back))*\s*[:：]`)
	inSelf  = english(`^["“'\s]*(?:(?:hi|hey|hello|ok|sorry|so|well|yes|no|btw)\b[^,.!:]{0,20}[,.!]?\s+)?(?:i|i'm|im|i've|i'd|i'll|my|we|we're|we've|our|me)\b`)
	// forFriend asks in another's place.
	forFriend = english(`\b(?:asking|question|this is|it's|its|i'm asking|im asking) (?:this |it )?(?:for|from) (?:a|my) (?:friend|mate|colleague|coworker|buddy|neighbou?r)\b`)
	// inVoice asks for a text in another's voice.
	inVoice = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?)?(?:write|compose|create|make|draft|give|tell|continue|speak|talk|say|answer|respond)\b[^:]{0,80}\b(?:perspective|point of view|p\.?o\.?v|voice|shoes|viewpoint|persona|as if (?:you|it) (?:were|was|are)|as (?:an?|the) (?:\pL+ ){0,2}\pL+)\b[^:]{0,60}:\s*\S`)
	// forwarded is the mark of a mail that was handed on.
	forwarded = english(`^\W*(?:begin )?(?:forwarded|fwd|original|pasted|copied|quoted)\s+(?:message|mail|e-?mail|text|post|letter)\b\W*$|^\W*fwd?\s*:\s|^on .{6,80} wrote\s*:\s*$`)
	// mailHead is a line of the head of a mail.
	mailHead = english(`^\W*(from|to|cc|bcc|subject|date|sent|reply-to)\s*:(?:\s|$)`)
	// givenText labels a text, asked a question about it.
	givenText  = english(`^\W*(?:text|passage|article|e-?mail|letter|message|excerpt|document|paragraph|review|transcript|post|tweet|story|input text|source(?: text)?|original(?: text)?)\s*:(?:\s|$)`)
	askedLabel = english(`^\W*(?:questions?|q|task|instructions?|prompt|query|now|my question|what i (?:want|need))\s*\d?\s*:`)
	// shownExamples opens a row of examples.
	shownExamples = english(`^` + lightWords + `(?:here(?:'s| is| are)|these are|the following are|see)\s+(?:my |an? |some |the |a few |two |three |more )?(?:\pL+ )?(?:examples?|samples?|few-?shots?)\b[^.?!]{0,40}:\s*$`)
	// opensLetter opens a letter, signsOff ends it.
	opensLetter = english(`^(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|greetings|hiya)\b[ ,]*(?:(?:mr|mrs|ms|dr|prof)\.? )?(?:\p{Lu}[\pL'-]+|all|team|everyone|there|sir|madam|friend)(?: (?:and )?\p{Lu}[\pL'-]+){0,2}\s*(?:[,!:.–—-]|$)`)
	signsOff    = english(`^(?:(?:with |all (?:the |my )?|very |my )?(?:best|kind(?:est)?|warm(?:est)?|many|good)(?: (?:wishes|regards|thanks))?|regards|(?:yours )?(?:sincerely|truly|faithfully|respectfully|cordially)(?: yours)?|yours(?: ever)?|cheers|love|lots of love|much love|xo+x*o*|thanks(?: again| so much| a lot| in advance)?|thank you(?: so much)?|take care|talk soon|speak soon|see you(?: soon)?|hugs|warmly)[\s,.!–—-]*(\p{Lu}[\pL'.-]*(?: \p{Lu}[\pL'.-]*){0,2})?[\s.]*$`)
	writesOn    = english(`^p\.?\s?s\b`)
)

// ofOneself says that a text is its sender's own.
var ofOneself = english(`\b(?:i(?:'ve| have)? (?:wrote|written|made|drafted|composed|put together)|i(?:'m| am) (?:writing|sending|posting)|about (?:me|myself|us)|my own|of mine|(?:private|encrypted|stored|saved|record\pL*|remembered|end-to-end))\b`)

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
		text := pieces[i].text
		if len(text) <= shortRequest && forFriend.MatchString(text) {
			mark(0, len(pieces))
			break
		}
		if from, to := opensPaste(pieces, i); to > from {
			mark(from, to)
			i = to - 1
			continue
		}
		if to := letterEnd(pieces, i); to > 0 && opensLetter.MatchString(text) {
			if asksOfLetter(pieces, i, to) {
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
	case inVoice.MatchString(text):
		return i, pasteEnd(pieces, i+1)
	case givenText.MatchString(text):
		return i, labelEnd(pieces, i)
	}
	if m := wroteTo.FindStringSubmatchIndex(text); m != nil && !own[strings.ToLower(text[m[2]:m[3]])] {
		switch {
		case inSelf.MatchString(text[m[1]:]):
			to = i + 1
			for to < len(pieces) && pieces[to].line == p.line && pieces[to].paragraph == p.paragraph {
				to++
			}
			return i, to
		case !hasContent(text[m[1]:]) && next.line > p.line && (inSelf.MatchString(next.text) || opensLetter.MatchString(next.text)):
			return i, pasteEnd(pieces, i+1)
		}
		return 0, 0
	}
	if ofOneself.MatchString(text) || ownText.MatchString(ask) || p.code {
		return 0, 0
	}
	if colon && hasContent(given) {
		if requestAbout(ask) && asksOfOther.MatchString(ask) && !asksAbout.MatchString(ask) || (inSelf.MatchString(given) || opensLetter.MatchString(strings.TrimSpace(given))) && requestAbout(ask) {
			return i, pasteEnd(pieces, i+1)
		}
		return 0, 0
	}
	if next.line <= p.line {
		return 0, 0
	}
	colon = strings.HasSuffix(strings.TrimSpace(text), ":")
	switch {
	case shownExamples.MatchString(text):
		for to = i + 1; to < len(pieces) && pieces[to].paragraph <= next.paragraph; to++ {
		}
		return i, to
	case whatWrote.MatchString(text), repliesEnd.MatchString(text) && asksOfOther.MatchString(text):
		return i, pasteEnd(pieces, i+1)
	case gotText.MatchString(text) && (colon || endsAsking(text) && thisText.MatchString(text) || opensLetter.MatchString(next.text)):
		return i, pasteEnd(pieces, i+1)
	case textFrom.MatchString(text), answersThis.MatchString(text) && opensLetter.MatchString(next.text):
		return i, pasteEnd(pieces, i+1)
	case answersText.MatchString(text) && asksOfOther.MatchString(text) && (colon || endsAsking(text) || !own[wordsOf(text)[0].low]):
		return i, pasteEnd(pieces, i+1)
	case asksAbout.MatchString(text) && (colon || endsAsking(text)):
		return i, pasteEnd(pieces, i+1)
	}
	return 0, 0
}

// requestAbout says whether a sentence asks for something about a text that is at hand.
func requestAbout(text string) bool {
	return len(text) <= shortRequest && !ofOneself.MatchString(text) && !ownText.MatchString(text) && (answersText.MatchString(text) || asksAbout.MatchString(text) || reworks.MatchString(text) && handing.MatchString(text))
}

// thisText points at a text.
var thisText = english(`\b(?:this|these|the) (?:\pL+[ -]){0,2}?` + textNouns + `\b`)

// isMailHead says whether the head of a mail begins with the i-th piece.
func isMailHead(pieces []piece, i int) bool {
	seen := map[string]bool{}
	n := i
	for ; n < len(pieces) && pieces[n].paragraph == pieces[i].paragraph; n++ {
		m := mailHead.FindStringSubmatch(pieces[n].text)
		if m == nil {
			break
		}
		seen[strings.ToLower(m[1])] = true
	}
	if !seen["from"] || len(seen) < 2 || n == len(pieces) {
		return false
	}
	return seen["subject"] || seen["sent"] || pieces[n].paragraph > pieces[i].paragraph
}

// labelEnd gives where a text ends that the i-th piece labels, 0 if nothing is asked of it.
func labelEnd(pieces []piece, i int) int {
	for n := i + 1; n < len(pieces); n++ {
		if askedLabel.MatchString(pieces[n].text) {
			return n
		}
	}
	if i > 0 && (endsAsking(pieces[i-1].text) || imperative(pieces[i-1].text)) && !ofOneself.MatchString(pieces[i-1].text) && !ownText.MatchString(pieces[i-1].text) {
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
	for n := i + 1; n < len(pieces); n++ {
		if to := signature(pieces, n); to > 0 {
			return to
		}
	}
	return 0
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

// asksOfLetter says whether something beside a letter asks for something about it.
func asksOfLetter(pieces []piece, from, to int) bool {
	for n, p := range pieces {
		if (n < from || n >= to) && requestAbout(p.text) {
			return true
		}
	}
	return false
}
