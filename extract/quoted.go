package extract

import (
	"regexp"
	"strings"
)

// reworks asks for something to be done with a text, handing opens the text itself.
var (
	reworks = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+|pls\s+)?)?(?:help me\s+)?(?:translate|proofread|proof-read|rewrite|rephrase|reword|paraphrase|summari[sz]e|shorten|correct|fix|edit|polish|improve|spell-?check|grammar[- ]check|check|review|simplify|format|make|classify|label|analy[sz]e|continue|complete)\b`)
	handing = english(`\b(?:this|these|it|following|below|e-?mail|mail|letter|message|text|paragraph|sentence|sentences|essay|post|draft|article|grammar|spelling|transcript|review|tweet|poem|lyrics|story|opening|chapter|scene|speech|verse|passage|excerpt|label|caption|to (?:english|german|french|spanish|italian|portuguese|dutch|japanese|chinese|arabic|polish|turkish))\b`)
	// ownText is a text that its sender says to be of theirs.
	ownText = english(`\bmy (?:own )?(?:cover letter|letter|e-?mail|bio|essay|cv|resume|post|message|draft|text|profile|application|speech|story|paragraph|intro|introduction|statement)\b`)
	// wroteThis tells that somebody else wrote what follows.
	wroteThis = english(`^(?:my|our|the|a|this)\s+[\pL' -]{2,30}?\s+(?:wrote|sent|posted|emailed|mailed|texted|messaged|forwarded)(?: me| us| to me)?(?: this| the following)?\b[^.!]*:?\W*$`)
)

// handsOver says whether a sentence hands over a text of somebody else's to have
// something done with it: what follows in paragraphs of its own states nothing. Where
// something was said before it, "this" may be that, unless a colon says otherwise.
func handsOver(text string, first bool) bool {
	if len(text) > 300 {
		return false
	}
	if wroteThis.MatchString(strings.TrimRight(firstPart(text), " ")) {
		return true
	}
	if n := countWords(text); n <= 4 && reworks.MatchString(text) && n <= 3 || strings.HasSuffix(text, ":") && hereIs.MatchString(strings.TrimRight(text, ": ")) || handsText.MatchString(text) {
		return true
	}
	colon := strings.HasSuffix(strings.TrimSpace(text), ":")
	return (colon || first) && reworks.MatchString(text) && handing.MatchString(text) && (colon || pointing.MatchString(text)) && !ownText.MatchString(text)
}

// pointing names what follows.
var pointing = english(`\b(?:this|these|the following|below)\b`)

// firstPart is a sentence up to its first comma.
func firstPart(text string) string {
	part, _, _ := strings.Cut(text, ",")
	return part
}

// handsOverHere says whether a request has its text on the same line: "Translate to
// German: I live in Berlin".
func handsOverHere(text string) bool {
	ask, given, ok := strings.Cut(text, ":")
	return ok && hasContent(given) && reworks.MatchString(ask) && handing.MatchString(ask) && !ownText.MatchString(ask)
}

// What a user quotes was said by somebody else.

// dropQuoted takes lines marked as quoted out of a message that has others: what is
// nothing but a quotation is kept, for it may be how its sender writes.
func dropQuoted(text string) string {
	if !strings.Contains(text, ">") {
		return text
	}
	var kept []string
	own, quoted := false, false
	for _, line := range strings.Split(text, "\n") {
		if quoteMark.MatchString(line) && hasContent(line) {
			quoted = true
			continue
		}
		own = own || hasContent(line)
		kept = append(kept, line)
	}
	if !own || !quoted {
		return text
	}
	return strings.Join(kept, "\n")
}

// handsText names a text that follows.
var handsText = english(`^` + lightWords + `(?:here(?:'s| is)|heres|this is|it's) (?:the|an?|this|what (?:he|she|they)) (?:article|passage|excerpt|text|post|e-?mail|letter|transcript|chapter|review|message|(?:wrote|said|sent))\b[^.!?]{0,30}:\s*$`)

// saidBy tells who said what is quoted: "she wrote: …", "lyrics: …".
var saidBy = english(`^[^"“«]{0,60}\b(?:said|says|wrote|writes|texted|sent|posted|replied|goes|reads|lyrics?|quote|tweeted|commented|shouted|yelled|whispered|caption(?:ed)?)\b[^"“«]{0,20}["“«][^"”»]{8,}["”»][^"“«]{0,30}$`)

// wholeQuote is a quotation and nothing else.
var wholeQuote = regexp.MustCompile(`^["“«„][^"“”«»„]{12,}["”»“]\W*$`)
