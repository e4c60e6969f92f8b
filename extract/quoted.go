package extract

import (
	"strings"
)

// reworks asks for something to be done with a text, handing opens the text itself.
var (
	reworks      = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+|pls\s+)?)?(?:help me\s+)?(?:translate|proofread|proof-read|rewrite|rephrase|reword|paraphrase|summari[sz]e|shorten|correct|fix|edit|polish|improve|spell-?check|grammar[- ]check|check|review|simplify|format|make|classify|label|analy[sz]e|continue|complete)\b`)
	handing      = english(`\b(?:this|these|it|following|below|e-?mail|mail|letter|message|text|paragraph|sentence|sentences|essay|post|draft|article|grammar|spelling|transcript|review|tweet|poem|lyrics|story|opening|chapter|scene|speech|verse|passage|excerpt|label|caption|to (?:english|german|french|spanish|italian|portuguese|dutch|japanese|chinese|arabic|polish|turkish))\b`)
	intoLanguage = english(`\btranslate\b.*\b(?:in)?to (?:english|german|french|spanish|italian|portuguese|dutch|japanese|chinese|arabic|polish|turkish)\b`)
	// textual are those of them that name a text.
	textual = english(`\b(?:e-?mail|mail|letter|message|text|paragraph|sentences?|essay|post|draft|article|grammar|spelling|transcript|review|tweet|poem|lyrics|story|speech|passage|excerpt|caption|to (?:english|german|french|spanish|italian|portuguese|dutch|japanese|chinese|arabic|polish|turkish))\b`)
	// ownText is a text that its sender says to be of theirs.
	ownText = english(`\bmy (?:own |new |short |personal |dating |tinder |hinge |bumble |linkedin |twitter |instagram |facebook )*(?:cover letter|letter|e-?mail|bio|essay|cv|resume|post|message|draft|text|profile|application|speech|story|paragraph|intro|introduction|statement)\b`)
	// wroteThis tells that somebody else wrote what follows.
	wroteThis = english(`^(?:my|our|the|a|this)\s+[\pL' -]{2,30}?\s+(?:wrote|sent|posted|emailed|mailed|texted|messaged|forwarded)(?: me| us| to me)?(?: this| the following)?\b[^.!]*:?\W*$`)
)

// handover follows through a message what of it is a text that was handed over: it tells nothing
// of who sends it.
type handover struct {
	// over says that the text has begun, behind that it begins with the next paragraph.
	over, behind bool
	paragraph    int
	// line is the one behind which the text begins already, 0 for none.
	line int
}

// takes says whether a piece of a user's message is such a text, or the request to do
// something with it. First says that nothing was told before it.
func (o *handover) takes(p piece, english, first bool) bool {
	if o.over || o.behind && (p.paragraph > o.paragraph || o.line > 0 && p.line > o.line) {
		return true
	}
	if foreignHanding.MatchString(p.text) {
		o.over = !p.code
		return true
	}
	if !english {
		return false
	}
	colon := strings.HasSuffix(strings.TrimSpace(p.text), ":")
	bare := strings.TrimRight(p.text, ": ")
	switch {
	case handsOverHere(p.text):
		o.over = true
		return true
	case !handsOver(p.text, first):
		return colon && p.code && hereIs.MatchString(bare)
	case p.code: // it ends where the code does
		return colon && hereIs.MatchString(bare)
	case colon && (!hereIs.MatchString(bare) || laterRequest.MatchString(p.text)):
		o.over = true
		return handsIt.MatchString(p.text) || reworks.MatchString(p.text)
	}
	o.behind, o.paragraph = true, p.paragraph
	if !colon && textual.MatchString(p.text) {
		o.line = p.line
	}
	return colon && hereIs.MatchString(bare)
}

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
	if !handing.MatchString(text) || ownText.MatchString(text) {
		return false
	}
	if first && countWords(text) <= 6 && intoLanguage.MatchString(text) {
		return true
	}
	return (colon || first) && reworks.MatchString(text) && (colon || pointing.MatchString(text)) || colon && laterRequest.MatchString(text)
}

// firstPart is a sentence up to its first comma.
func firstPart(text string) string {
	part, _, _ := strings.Cut(text, ",")
	return part
}

// handsOverHere says whether a request has its text on the same line: "Translate to
// German: I live in Berlin".
func handsOverHere(text string) bool {
	ask, given, ok := strings.Cut(text, ":")
	if !ok || !hasContent(given) || len(ask) > 160 || ownText.MatchString(ask) {
		return false
	}
	return reworks.MatchString(ask) && handing.MatchString(ask) || bareRework.MatchString(ask) || invents.MatchString(ask) || sampled.MatchString(ask) || asksOfText.MatchString(ask)
}

var (
	// laterRequest is one that another clause stands before: "here is an email, fix it:".
	laterRequest = english(`(?:[,;–—-]\s*|\b(?:and|to|please|pls|you)\s+)(?:translate|proofread|proof-read|rewrite|rephrase|reword|paraphrase|summari[sz]e|shorten|correct|fix|edit|polish|improve|spell-?check|check|review|simplify|reformat|classify|label|analy[sz]e|continue|complete)\b[^,;]{0,60}:\s*$`)
	handsIt      = english(`^` + lightWords + `(?:(?:here(?:'s| is| are)|heres|this is|these are|it's)\b|i(?:'ve| have)? (?:got|have|received|wrote)\b)`)
	// bareRework is a request whose text can only be what follows it.
	bareRework = english(`^` + lightWords + `(?:translate|proofread|rewrite|rephrase|reword|paraphrase|summari[sz]e|tl;?dr|say|repeat(?: after me)?|recite|echo|quote|type|print|write|spell|pronounce|read(?: out| aloud)?|classify|correct|continue|complete|finish|extract(?: .{1,40})?|find the (?:names?|dates?|entit\pL+|errors?|mistakes?)(?: .{1,30})?|count (?:the )?(?:words|letters|characters)(?: .{1,20})?)(?:\s+(?:this|that|it|the following|after me|please|pls|exactly))*\s*$`)
	// invents asks for a text that is made up.
	invents = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?)?(?:write|compose|create|make up|tell|continue|finish|give)\s+(?:me\s+|us\s+)?(?:an?|the|another|this|my|some)?\s*(?:\pL+\s+){0,3}?(?:poem|story|song|haiku|limerick|rap|scene|dialogue|dialog|joke|riddle|tale|fable|novel|chapter|lyrics|verse|stanza|monologue|fan ?fic\pL*|screenplay|script|sonnet|sentence|rhyme)\b.*$`)
	// sampled labels a text as an example.
	sampled = english(`^` + lightWords + `(?:examples?|(?:an?|one|another|for) example|samples?|input|sentences?|passage|excerpt|original(?: text)?|quote)(?:\s+\d{1,2}|\s+(?:text|sentence|input))?\s*$`)
	// asksOfText asks something of a text that follows.
	asksOfText = english(`^` + lightWords + `(?:is|are|does|do|can|which|what|what's|whats|how|did)\b.*\b(?:sentences?|phrases?|grammar|grammatical\pL*|correct|spelling|wording|say|means?|natural|translat\pL+|proper english|in (?:german|french|english|spanish|italian|portuguese|dutch|japanese|chinese))\b[^:]{0,30}$`)
	// foreignHanding hands a text over in another language.
	foreignHanding = phrases(
		`(?:bitte )?(?:übersetze?n?|korrigiere?|verbessere?|fasse?|prüfe?|formuliere?)(?:\s[^:：]{0,60})?\s?[:：]`, `(?:schreibe?|dichte)\s[^:：]{0,40}(?:gedicht|geschichte|lied|witz|märchen)[^:：]{0,40}[:：]`,
		`(?:s'il (?:te|vous) plaît,? )?(?:traduis|traduisez|corrige|corrigez|résume|résumez|reformule|reformulez|améliore|améliorez)(?:\s[^:：]{0,60})?\s?[:：]`,
		`(?:por favor,? )?(?:traduce|tradúce(?:me|lo|la)?|traduzca|corrige|corríge(?:me|lo|la)?|resume|resúme(?:me|lo)?|reescribe|mejora)(?:\s[^:：]{0,60})?\s?[:：]`,
		`(?:por favor,? )?(?:traduza|traduz|corrija|resuma|reescreva|melhore)(?:\s[^:：]{0,60})?\s?[:：]`,
		`(?:per favore,? )?(?:traduci|correggi|riassumi|riscrivi|migliora)(?:\s[^:：]{0,60})?\s?[:：]`,
		`(?:alsjeblieft )?(?:vertaal|verbeter|corrigeer)(?:\s[^:：]{0,60})?\s?[:：]`,
		`(?:请|請|麻烦|麻煩|帮我|幫我)*(?:把)?[^:：。]{0,12}(?:翻译|翻譯|修改|润色|潤色|总结|總結)[^:：。]{0,12}[:：]`, `[^:：。]{0,20}(?:翻訳|訳|直|要約|添削)して?[^:：。]{0,12}[:：]`, `(?:من فضلك،? )?(?:ترجم|صحح|لخص)[^:：]{0,40}:`)
)

// pointing names what follows.
var pointing = english(`\b(?:this|these|the following|below)\b`)

// What a user quotes was said by somebody else.

// dropQuoted takes lines marked as quoted out of a message that has others: what is
// nothing but a quotation is kept, for it may be how its sender writes.
func dropQuoted(text string) string {
	text = heldMemory.ReplaceAllString(text, "\n")
	if !strings.Contains(text, ">") {
		return text
	}
	var kept []string
	own, quoted := false, false
	for _, line := range strings.Split(text, "\n") {
		if quoteMark.MatchString(line) && hasContent(line) {
			quoted = true
			if n := len(kept) - 1; n >= 0 && (wroteThis.MatchString(kept[n]) || headsOnly.MatchString(kept[n])) {
				kept = kept[:n] // what only opens the quotation
			}
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

// heldMemory is what somebody gives back as remembered: between marks that say so, or in
// quotation marks with who said it.
var heldMemory = newPattern(`(?i)\[memor(?:y|ies)\][^\[\]]*\[/memor(?:y|ies)\]|["“«](?:user|human|assistant)\s*:\s[^"”»\n]{0,400}["”»]`)

// handsText names a text that follows.
var handsText = english(`^` + lightWords + `(?:here(?:'s| is)|heres|this is|it's) (?:the|an?|this|what (?:he|she|they)) (?:article|passage|excerpt|text|post|e-?mail|letter|transcript|chapter|review|message|(?:wrote|said|sent))\b[^.!?]{0,30}:\s*$`)

// saidBy tells who said what is quoted: "she wrote: …", "lyrics: …".
var saidBy = english(`^[^"“«]{0,60}\b(?:said|says|wrote|writes|texted|sent|posted|replied|goes|reads|lyrics?|quote|tweeted|commented|shouted|yelled|whispered|caption(?:ed)?)\b[^"“«]{0,20}["“«][^"”»]{8,}["”»][^"“«]{0,30}$`)

// wholeQuote is a quotation and nothing else, or begins with the role of who said it.
var wholeQuote = newPattern(`(?i)^(?:(?:i|we) (?:remember|recall|know)\s*:\s*)?(?:user|human|assistant)\s*:\s\S|^["“«„][^"“”«»„]{12,}["”»“]\W*$`)
