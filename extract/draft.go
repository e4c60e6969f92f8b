package extract

// A text that is asked for says what it is to say: "write an email to my manager saying I have the
// flu" tells of nobody's flu.

var (
	// inventing asks for a text to be written, drafting for one to somebody.
	inventing = english(`^` + lightWords + `(?:(?:(?:can|could|would|will) you|i (?:want|need|would like) you to|i'd like you to|please|help me|help me to)\s+)*(?:write|compose|create|make up|invent|tell|draft|generate|continue|give)\s+(?:me |us |him |her |them |up )?(?:an?|the|another|this|some|my|our)?\s*(?:[\pL'-]+\s+){0,4}?(?:story|tale|poem|song|rap|haiku|sonnet|limerick|ballad|scene|dialogue|dialog|monologue|novel|chapter|fable|sketch|screenplay|script for (?:a|an|my)|play about|diary entry|journal entry|fan ?fic\pL*)\b`)
	drafting  = english(`^` + lightWords + `(?:(?:(?:can|could|would|will) you|i (?:want|need|would like) you to|i'd like you to|please|help me|help me to)\s+)*(?:write|compose|draft|prepare|word|generate|send)\s+(?:me |us |him |her |them |up )?(?:an?|the|another|this|some|my|our|that)?\s*(?:[\pL'-]+\s+){0,4}?(?:e-?mail|mail|letter|message|msg|text|sms|dm|whatsapp|post|tweet|caption|speech|toast|review|note|reply|response|invitation|complaint|apology|excuse|announcement|press release|voicemail|ad|listing)\b`)
	// presenting asks for a text on its sender, who tells what stands in it.
	presenting = english(`\b(?:cover letter|motivation letter|cv|resume|bio|profile|about me|about myself|application|personal statement|dating)\b`)
	// ofTexts asks for something about texts, and for none: "give me a song recommendation".
	ofTexts = english(`\b(?:story|tale|poem|song|rap|haiku|novel|scene|message|letter|e-?mail|mail|post|review|note|speech|text)\s+(?:recommendations?|ideas?|suggestions?|titles?|names?|lists?|prompts?|tips?|critiques?|topics?|apps?|client|clients|provider|address|account)\b`)
	// toSay opens what such a text is to say.
	toSay = english(`\s*[,;:–—-]*\s+(?:saying|telling|explaining|stating|announcing|asking|to (?:say|tell|explain|ask|let)|(?:and )?(?:say|tell (?:him|her|them)|let (?:him|her|them) know)|in which|where|which|that|about (?:how|why|the fact)|because|since)\b`)
)

// asksForText says whether a sentence asks for a text that is not about its sender.
func asksForText(text string) bool {
	if ofTexts.MatchString(text) {
		return false
	}
	return inventing.MatchString(text) || drafting.MatchString(text) && !presenting.MatchString(text)
}

// requestForText gives the request for a text, without what that is to say.
func requestForText(text string) string {
	m := drafting.FindStringIndex(text)
	if m == nil {
		if m = inventing.FindStringIndex(text); m == nil {
			return text
		}
	}
	if at := toSay.FindStringIndex(text[m[1]:]); at != nil {
		return text[:m[1]+at[0]]
	}
	return text
}
