package extract

import "strings"

// "Forget my diet, let's order pizza" asks for nothing to be forgotten: something goes on
// behind it that gives no reason for it.

var (
	// insteadOf opens what is said instead of what is told to be forgotten.
	insteadOf = english(`[,;:–—-]+\s*(?:and |but |so |now )?(?:let's|lets|let us|let me|who cares|who needs|what about|how about|what if|whatever|tell me|show me|give me)\b|\s+and\s+(?:let's|lets|let us|tell me|give me|show me)\b`)
	// wherefore are words of a reason why something is to be forgotten.
	wherefore = english(`\b(?:not|n't|dont|didnt|isnt|wasnt|doesnt|never|no longer|any ?more|over|gone|wrong|old|outdated|private|secret|personal|sensitive|mistake|lie|lied|joke|joking|kidding|changed|moved|sold|left|quit|stopped|broke|split|lost|cancel+ed|went off|gave|made (?:it|that|this) up|incorrect|untrue|shouldn't|should|changes|has changed|died|uncomfortable|none of)\b`)
	// itIsDay is no reason: "forget my diet, it's Friday".
	itIsDay   = english(`^(?:it's|its|it is|that's|today is|tonight is)\s+(?:(?:the|my|your|a|almost|nearly|already)\s+)*(?:friday|saturday|sunday|monday|weekend|party|christmas|birthday|holiday|pizza|summer|time|late|raining)\b`)
	ofThem    = english(`^(?:but |as |since |because |cause |and )*(?:he|she|it|they|that|this|he's|she's|it's|they're|that's|thats|its|it'll|it'd)\b`)
	tellsOwn  = english(`^(?:but |as |since |because |cause |and )*(?:i|we|i'm|im|i've|ive|we're|we've|my|our|turns out|there)\b`)
	courteous = english(`^(?:please|pls|plz|thanks|thank you|thx|ok|okay|will you|would you|could you|can you|now|too|lol|haha|all of it|from (?:your )?memory|for good|completely)(?:[\s,]+(?:please|pls|thanks|ok|okay|now))*\W*$`)
)

var (
	// pastime opens what is done instead, by a sentence of its own.
	pastime = english(`^(?:(?:and|so|ok|okay|now|today)[\s,]+)*(?:let's|lets|let us)\s+(?:just\s+)?(?:order|eat|get|grab|have|go|talk|chat|party|celebrate|drink|play|watch|dance|cook|bake|enjoy|live|relax|do something)\b|^(?:who cares|who needs)\b`)
	// ofRecord are things of which nobody says "forget it" in passing: they are on record.
	ofRecord = english(`^(?:(?:full|real|last|first|home|phone|mobile|cell|e-?mail|bank|credit card|card)\s+)*(?:name|address|addresses|number|phone|e-?mail|password|birthday|birth date|date of birth|location|salary|age|pin|account)\b`)
)

// asFigure says whether "forget my diet" is a figure of speech by the sentence that follows:
// "Let's order pizza." A full stop makes it a request, unless what follows is a pastime and
// what is named is no matter of record. Nothing is said of it in the same sentence.
func (g *grouping) asFigure(noun, rest string) bool {
	return !hasContent(rest) && g.next != "" && pastime.MatchString(g.next) && !ofRecord.MatchString(noun)
}

// meantSo says whether what is said behind "forget my …" leaves it a request: nothing, a
// courtesy, a reason, or something that is told in its place.
func meantSo(rest string) bool {
	rest = strings.TrimSpace(rest)
	switch {
	case !hasContent(rest), courteous.MatchString(rest):
		return true
	case itIsDay.MatchString(rest), strings.Contains(rest, "?"):
		return false
	case ofThem.MatchString(rest):
		return true
	case tellsOwn.MatchString(rest) && wherefore.MatchString(expand(rest)):
		return true
	}
	return slotOf(rest).name != ""
}

// moreToForget gives what a row of nouns behind "forget my name" names too: "email and address".
func moreToForget(rest string) (nouns []string) {
	for _, item := range rowCut.Split(strings.TrimRight(rest, " .!"), -1) {
		item = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(item)), "and "), "my ")
		if item == "" || !knownTopic(item) {
			return nil
		}
		nouns = append(nouns, item)
	}
	return nouns
}

var (
	rowCut = english(`\s*,\s*|\s+(?:and|&)\s+`)
	// forgetOne names somebody and nothing of them: who is meant, and whether it is meant, is open.
	forgetOne  = newPattern(`^(?:[Pp]lease,? |[Jj]ust |[Oo]k,? )*[Ff]orget\s+((?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?\p{Lu}[\pL'’-]+(?: (?:(?:and|&) )?\p{Lu}[\pL'’-]+){0,2})(?:,? (?:please|pls|from (?:your )?memory))?\W*$`)
	andBetween = newPattern(` (?:and|&) `)
	askedFor   = english(`\b(?:please|pls|memory)\b`)
)

// goesOnFrom takes what is said behind a figure of speech; what it bids to let be is no memory.
func (g *grouping) goesOnFrom(text string) bool {
	g.spoken, g.asked, g.adjacent = true, "", false
	if m := behindFigure.FindStringSubmatch(text); m != nil && hasContent(m[1]) {
		g.sentence(m[1])
	}
	return true
}

// behindFigure is what a figure of speech leads to.
var behindFigure = english(`^[^,;:–—]{4,60}[,;:–—]+\s*(\S.*)$`)
