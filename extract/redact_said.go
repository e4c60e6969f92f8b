package extract

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memdhq/memd"
)

// What is a secret only because of what was said before: an answer to a question for one,
// a correction of one, one that is said again.

const slipForms = `(?:oops|oopsie|whoops|ops|oh|ugh|argh|ah|sorry|wait|no|nope|hang on|hold on|correction|typo|edit|my bad|my mistake|hm+|actually|damn|scratch that|strike that|nvm|never ?mind|well|er+m?|um+|uh|lol|i mean|i meant|i meant to (?:say|type|write)|make (?:that|it)|should be|it should be|that should be|rather|or rather|or maybe|or was it|perdón|perdona|pardon|désolée?|non|entschuldigung|nein|ich meine|quise decir|je voulais dire|desculpa|quis dizer|scusa|volevo dire|извини|ой|нет|不对|不是|错了|應該是|应该是|すみません|間違えた|いや|آسف|لا)`

var (
	// slipsFrom opens what corrects something just said.
	slipsFrom = newPattern(`(?i)^[\s.,;:!?…—–)(-]*(?:\(\s*)?(?:` + slipForms + `(?:[\s,.:;!…—–-]+|[，。、]))+(?:(?:it's|it is|its|that's|that is|is|it was|not|the (?:right|correct) one is|with|es|c'est|es ist|ist)\s+)?(?:\S{1,40} but\s+)?`)
	// starredAs is "hunter3*" or "*hunter3".
	starredAs = newPattern(`^\s*(?:\*+\s?([^\s*]{3,60})|([^\s*]{3,60})\*+)\s*(?:$|\n)`)
	// slipsBehind is "4822 sorry".
	slipsBehind = newPattern(`(?i)^\s*(\S{3,60}?)[\s,.]+(?:sorry|oops|whoops|my bad|typo|my mistake|i mean|i meant|actually|lol)\W*(?:$|\n)`)
	// nextSentence is what is left of the sentence that a mark stands in.
	nextSentence = newPattern(`^[^\n.!?,;—–(]{0,40}(?:[.!?,;—–\n(]+|$|\s-\s)\s*`)
)

// changesItTo is "Next week I will change it to".
var changesItTo = newPattern(`(?i)^[^\n]{0,80}?\b(?:chang(?:e|ed|ing)|switch(?:ed|ing)?|reset|resetting|set|setting|updat(?:e|ed|ing)|rotat(?:e|ed|ing)|turn(?:ed)?) (?:it|that|this one|mine) (?:back )?(?:to|into)(?: be)? ["'“]?([^\s"'“])`)

// correctionBytes is how far behind a mark its correction is looked for.
const correctionBytes = 200

// corrections finds what corrects the secrets of a text that have been taken out.
func corrections(text string) []span {
	var out []span
	for from := 0; ; {
		n := strings.Index(text[from:], markBegin)
		if n < 0 {
			return out
		}
		n += from
		from = n + len(markBegin)
		size := strings.IndexByte(head(text[n:], longestMark), ']')
		if size < 0 {
			continue
		}
		mark := text[n : n+size+1]
		from = n + size + 1
		if mark == cardMark || mark == ibanMark {
			continue
		}
		if m := changesItTo.FindStringSubmatchIndex(head(text[from:], correctionBytes)); m != nil {
			start := from + m[2]
			end := tokenEnd(text, start)
			if v := text[start:end]; strong(v) && !strings.Contains(v, markBegin) {
				out = append(out, span{start, end, mark})
				continue
			}
		}
		i := from
		for range 2 {
			m := nextSentence.FindStringIndex(head(text[i:], correctionBytes))
			if m == nil {
				break
			}
			i += m[1]
			if s, ok := correctionAt(text, i, mark); ok {
				out = append(out, s)
				break
			}
		}
	}
}

// correctionAt finds what is right in a correction that begins at i.
func correctionAt(text string, i int, mark string) (span, bool) {
	window := head(text[i:], correctionBytes)
	if m := starredAs.FindStringSubmatchIndex(window); m != nil {
		at := max(m[2], m[4])
		return span{i + at, i + max(m[3], m[5]), mark}, !strings.Contains(window, markBegin)
	}
	if m := slipsBehind.FindStringSubmatchIndex(window); m != nil {
		if v := window[m[2]:m[3]]; short(v, mark) && !strings.Contains(v, markBegin) {
			return span{i + m[2], i + trimmedEnd(window, m[2], m[3]), mark}, true
		}
	}
	m := slipsFrom.FindStringIndex(window)
	if m == nil {
		return span{}, false
	}
	return valueAlone(text, i+m[1], mark, false)
}

// short says whether a word can be a secret such as the one before, by itself.
func short(v, mark string) bool {
	return strong(v) || mark != keyMark && mark != tokenMark && allDigits(v) && len([]rune(v)) >= 3
}

// valueAlone gives the secret that a clause at i consists of: a word that looks like one,
// or words in a row. A plain word counts only if nothing else is in the clause; keys are
// never one.
func valueAlone(text string, i int, mark string, strongOnly bool) (span, bool) {
	if i >= len(text) || strings.HasPrefix(text[i:], markBegin) {
		return span{}, false
	}
	if start, end, _, ok := quotedValue(text, i); ok {
		v := text[start:end]
		return span{start, end, mark}, !strings.Contains(v, markBegin) && (!strongOnly || strong(v))
	}
	if end := seedEnd(text, i); end > i && mark == passwordMark {
		return span{i, end, mark}, true
	}
	c := clauseFrom(text, i)
	if len(c.words) == 0 {
		return span{}, false
	}
	words := mark != keyMark && mark != tokenMark && mark != cvvMark && mark != ssnMark && mark != cardMark
	if mark != passwordMark {
		if m := pinDigits.FindStringSubmatchIndex(head(text[i:], 64)); m != nil && mark != keyMark && mark != tokenMark {
			return span{i + m[2], i + m[3], mark}, true
		}
	}
	first := c.words[0]
	if strings.ContainsAny(first.text, "0123456789") && mark == passwordMark {
		if m := pinDigits.FindStringSubmatchIndex(head(text[i:], 64)); m != nil && !measure.MatchString(text[i+m[3]:min(len(text), i+m[3]+20)]) {
			return span{i + m[2], i + m[3], mark}, true
		}
	}
	if words && !strongOnly {
		if m := pinWords.FindStringIndex(head(text[i:], 80)); m != nil {
			return span{i, i + len(strings.TrimRight(text[i:i+m[1]], " ,-.!?\n")), mark}, true
		}
		if c.listed() && (len(c.words) <= 8 || len(c.words) >= 11) && !verbal(wordsOf(text[i:c.end])) {
			return span{i, c.end, mark}, true
		}
	}
	for _, w := range c.words {
		if !strings.Contains(w.text, markBegin) && short(w.text, mark) && (hasLetters(w.text) || len(c.words) <= 3) && !pretend.MatchString(w.text) {
			return span{w.start, w.end, mark}, true
		}
	}
	if words && !strongOnly && len(c.words) == 1 && c.whole && !isProse(first.text) && !refuses[strings.ToLower(first.text)] && utf8.RuneCountInString(first.text) >= 3 && hasLetters(first.text) {
		return span{i, first.end, mark}, !strings.Contains(first.text, markBegin)
	}
	return span{}, false
}

// refuses are words that are no answer to a question for a secret.
var refuses = set(`idk dunno nope nah never later skip pass secret private forgot forgotten sure yes yeah yep yup ok okay no none hi hello hey bye lol haha hahaha stop cancel help back done next wow cool great nice good bitwarden keepass lastpass dashlane nordpass keeper enpass chrome google apple icloud nobody somebody ja nein sí si non oui não sim нет да ні không`)

// Redactor redacts the messages of one session in their order: what Redact takes out, and
// what is a secret because of what was said before it. Its zero value is ready; it is not
// for several goroutines at once.
type Redactor struct {
	last   []heardOf
	values []taken
}

// heardOf is what a message means for those that follow it.
type heardOf struct {
	role memd.Role
	name string
	// asks is the mark of the secret that it asks for, "" for none; loosely says that it
	// need not be told in answer.
	asks    string
	loosely bool
	// open says that it names a secret that is to follow.
	open string
	// told is the mark of the last secret in it.
	told string
	// brief says that it is so short that a question before it still waits.
	brief bool
}

// Next gives the text of the next message without its secrets.
func (r *Redactor) Next(m *memd.Message) string {
	text, values, _ := redactValues(context.Background(), m.Text) // its only error is its context's
	hidden, more := r.hide(m, text)
	r.note(m, hidden, append(values, more...))
	return hidden
}

// Last is Next for a message that nothing follows.
func (r *Redactor) Last(m *memd.Message) string {
	text, _, _ := redactValues(context.Background(), m.Text) // its only error is its context's
	text, _ = r.hide(m, text)
	return text
}

// hushed is m without its secrets, for those that look back at it.
func (h *hearing) hushed(m *memd.Message) *memd.Message {
	if h.rules.KeepSecrets {
		return m
	}
	text, rest := bound(m.Text)
	c := *m
	c.Text = text
	if c.Text = h.redactor.Next(&c) + rest; c.Text == m.Text {
		return m
	}
	return &c
}

// hide takes out of a text of m, which has been redacted by itself, what is a secret
// after what was said before.
func (r *Redactor) hide(m *memd.Message, text string) (string, []taken) {
	var values []taken
	if len(r.last) == 0 {
		return text, nil
	}
	if mark, loosely := r.asked(m); mark != "" {
		text, values = takeOut(text, answerSpans(text, mark, loosely), values)
	} else if mark := r.toldBy(m); mark != "" {
		if s, ok := correctionAt(text, 0, mark); ok {
			text, values = takeOut(text, []span{s}, values)
		}
	}
	if len(values) > 0 {
		text, values = takeOut(text, corrections(text), values)
	}
	return withoutRepeated(text, slices.Concat(r.values, unmistakable(values))), values
}

// asked gives the mark of the secret that m answers with, if it was asked for one.
func (r *Redactor) asked(m *memd.Message) (mark string, loosely bool) {
	for i := len(r.last) - 1; i >= 0; i-- {
		s := r.last[i]
		same := s.role == m.Role && s.name == m.Name
		switch {
		case same && s.open != "":
			return s.open, false
		case !same && s.asks != "":
			return s.asks, s.loosely
		case same && !s.brief, !same && !s.brief:
			return "", false
		}
	}
	return "", false
}

// toldBy gives the mark of the secret that m's speaker has told last.
func (r *Redactor) toldBy(m *memd.Message) string {
	for i := len(r.last) - 1; i >= 0; i-- {
		if s := r.last[i]; s.role == m.Role && s.name == m.Name && s.told != "" {
			return s.told
		}
	}
	return ""
}

// briefBytes is the most bytes of a message after which a question still waits.
const briefBytes = 60

// note remembers what m means for those that follow.
func (r *Redactor) note(m *memd.Message, text string, values []taken) {
	if !m.Role.Learnable() || strings.TrimSpace(text) == "" {
		return
	}
	s := heardOf{role: m.Role, name: m.Name, brief: len(text) <= briefBytes && !strings.ContainsAny(text, "?？؟")}
	s.asks, s.loosely = asksFor(tail(text, askBytes))
	s.open = leavesOpen(tail(text, askBytes))
	if n := strings.LastIndex(text, markBegin); n >= 0 {
		if size := strings.IndexByte(head(text[n:], longestMark), ']'); size > 0 {
			s.told, s.brief = text[n:n+size+1], false
		}
	}
	if r.last = append(r.last, s); len(r.last) > reach {
		r.last = r.last[1:]
	}
	for _, v := range values {
		if isUnmistakable(v.value) || allDigits(v.value) && len(v.value) >= 4 || strings.Contains(v.value, " ") && len(v.value) >= 10 {
			r.values = append(r.values, v)
		}
	}
	if n := len(r.values) - repeatedMost; n > 0 {
		r.values = r.values[n:]
	}
}

// askBytes is how much of the end of a message is looked at for what it asks.
const askBytes = 400

var (
	// demands asks for a thing itself.
	demands = newPattern(`(?i)\b(?:what(?:'s|’s|s| is| was| are)?|which|tell|send|give|share|enter|type|provide|paste|need|confirm|message|dm|text me|may i|can i|could i|could you|can you|let me know|let me have|remind me|i(?:'ll| will) need|say|spell|read me|drop|insert|submit|reply with|go ahead|set|choose|pick|qué|cuál|cual|dime|envía(?:me)?|dame|pásame|quel(?:le)?|donne|envoie|envoyez|donnez|was ist|wie (?:ist|lautet)|welche|schick|sag|gib|qual|manda|envie|diga|dimmi|inviami|wat is|geef|stuur)\b|какой|скажи|напиши|пришли|дай|什么|什麼|多少|告诉|告訴|发|请|何|なに|なん|教え|送って|ما هي|ما هو|ما\s|أرسل|أعطني|اكتب|뭐|무엇|알려`)
	// demandsNot asks something else about it.
	demandsNot = newPattern(`(?i)\b(?:how|why|when|where|who|manager|reset link|policy|never share|don't share|do not share|hint|strength|length|how often|how many)\b|どこ|いつ|なぜ|为什么|哪里|怎么`)
	openAsk    = newPattern(`(?i)\b(?:log-?ins?|log-?in details|credentials|creds|card number|number on (?:the|your) card|credit card|(?:verification|\d-digit|six-digit|four-digit|one-time|sms|security) code|code (?:we|i) (?:just )?(?:sent|texted|emailed))\b`)
	// toFollow ends what a secret is to follow in the next message.
	toFollow = newPattern(`(?i)^["'”’)]?(?:\s+(?:for|of|to|on|für|de|del|du|para|от)(?:\s+[^\s:=,;.!?]+){1,5}?)?(?:\s+(?:is|are|ist|es|est|è|é|lautet|follows|below)|は|是)?\s*[:：=]?(?:\s*(?:\.{2,}|…|👇|⬇️?))?\s*$`)
)

// asksFor gives the mark of the secret that a message asks for at its end.
func asksFor(text string) (mark string, loosely bool) {
	names := namesOf(text)
	for i := len(names) - 1; i >= 0; i-- {
		n := names[i]
		sentence, question := sentenceAround(text, n.start, n.end)
		if (n.kind == anyKey || n.kind == aWord) && !question {
			continue
		}
		if how, ok := asksThat(sentence, question); ok {
			if after := head(text[n.end:], 24); notOfIt.MatchString(after) {
				continue
			}
			return n.kind.mark(), how
		}
	}
	if m := openAsk.FindStringIndex(text); m != nil {
		sentence, question := sentenceAround(text, m[0], m[1])
		mark := passwordMark
		if strings.Contains(strings.ToLower(text[m[0]:m[1]]), "card") {
			mark = cardMark
		}
		if how, ok := asksThat(sentence, question); ok {
			return mark, how || mark == passwordMark && !strings.Contains(strings.ToLower(sentence), "code")
		}
	}
	return "", false
}

// notOfIt follows a name of which something else is asked.
var notOfIt = newPattern(`(?i)^[\s-]*(?:manager|reset|policy|length|strength|hint|generator|vault|app|rotation|protected|expir\pL+|rules?|requirements?|管理|マネージャ)`)

// asksThat says whether a sentence that names a secret asks for it.
func asksThat(sentence string, question bool) (loosely, ok bool) {
	words := countWords(sentence)
	switch {
	case demandsNot.MatchString(sentence):
		return false, false
	case demands.MatchString(sentence) && (question || words <= 24):
		return false, true
	case question && words <= 5 && !opensYesNo.MatchString(sentence), words <= 3:
		return false, true // "And the PIN?"
	}
	return true, question
}

var opensYesNo = newPattern(`(?i)^\W*(?:(?:and|so|but|ok|oh)\s+)?(?:do|did|have|has|is|are|was|were|does|will|would|should|any)\b`)

// sentenceAround gives the sentence that a part of a text stands in, and whether it asks.
func sentenceAround(text string, start, end int) (string, bool) {
	from := strings.LastIndexAny(text[:start], ".!?\n") + 1
	if n := strings.LastIndexAny(text[:start], "。？！"); n >= from {
		_, size := utf8.DecodeRuneInString(text[n:])
		for !utf8.RuneStart(text[n]) {
			n--
		}
		_, size = utf8.DecodeRuneInString(text[n:])
		from = n + size
	}
	to := len(text)
	if n := strings.IndexFunc(text[end:], func(r rune) bool { return strings.ContainsRune(".!?\n。？！؟", r) }); n >= 0 {
		to = end + n
	}
	r, _ := utf8.DecodeRuneInString(text[to:])
	return text[from:to], r == '?' || r == '？' || r == '؟'
}

// leavesOpen gives the mark of the secret that a message names at its very end, to be
// told in the next.
func leavesOpen(text string) string {
	names := namesOf(text)
	if len(names) == 0 {
		return ""
	}
	n := names[len(names)-1]
	rest := text[n.end:]
	if !toFollow.MatchString(rest) || n.kind == aWord && strings.TrimSpace(rest) == "" {
		return ""
	}
	if said := strings.TrimSpace(rest); strings.HasSuffix(said, ":") || strings.HasSuffix(said, "：") || strings.HasSuffix(said, "=") || strings.HasSuffix(said, "👇") || strings.HasSuffix(said, " is") || said == "is" || said == "are" || said == "ist" || said == "es" || said == "est" || said == "是" || said == "は" || announcing.MatchString(tail(text[:n.start], 60)) {
		return n.kind.mark()
	}
	return ""
}

var announcing = newPattern(`(?i)\b(?:here(?:'s|’s| is| are|s)|this is|sending you|aquí (?:está|tienes)|voici|hier ist|ecco|aqui está)\b[^.!?\n]*$`)

// answerLead opens an answer.
var answerLead = newPattern(`(?i)^(?:(?:sure thing|sure|okay|ok|yes|yeah|yep|yup|of course|um+|hm+|uh|er+|well|oh|so|right|alright|got it|no problem|np|fine|hi|hey|here you go|here it is|here you are|here|it's still|it’s still|it's|it’s|its|it is|that's|that’s|that is|that would be|that'd be|there you go|try|use|i think it's|i think it is|i think|i believe it's|i believe|probably|maybe|it should be|should be|it was|i use|we use|i set it to|you can use|my (?:\pL+ ){0,3}?is|the (?:\pL+ ){0,3}?is|they are|they're|these are|es la|es|la es|mi (?:\pL+ ){0,2}es|c'est|c’est|es ist|ist|das ist|mein (?:\pL+ )?ist|è|é|a senha é|это|他是|就是|它是|是|هي|هو|then|please use|please)(?:[\s,.:;!–—-]+|$)|[\s"“'(]+)*`)

// answerSpans finds the secret in an answer to a question for one. Loosely asked, only
// what looks like one is taken.
func answerSpans(text, mark string, loosely bool) []span {
	var out []span
	for from, lines := 0, 0; from < len(text) && lines < followMost; lines++ {
		end := len(text)
		if n := strings.IndexByte(text[from:], '\n'); n >= 0 {
			end = from + n
		}
		line := text[from:end]
		if strings.TrimSpace(line) != "" {
			if len(out) > 0 && !hasDigit(line) || lines > 0 && countWords(line) > 2 {
				break
			}
			s, ok := answerAt(text[:end], from, mark, loosely)
			if !ok {
				break
			}
			out = append(out, s...)
		}
		from = end + 1
	}
	return out
}

// answerAt finds the secret in a line of an answer that begins at from.
func answerAt(text string, from int, mark string, loosely bool) ([]span, bool) {
	lead := answerLead.FindString(head(text[from:], correctionBytes))
	i := from + len(lead)
	if quotes := strings.TrimRight(lead, `"“'(`); len(quotes) < len(lead) {
		if _, _, _, ok := quotedValue(text, from+len(quotes)); ok {
			i = from + len(quotes)
		}
	}
	if refusal.MatchString(text[from:min(len(text), from+correctionBytes)]) {
		loosely = true
	}
	s, ok := valueAlone(text, i, mark, loosely)
	if !ok {
		return nil, false
	}
	out := []span{s}
	// More of them in the same line: "4821 or 4822", "bob / hunter2".
	for len(out) < followMost {
		end := out[len(out)-1].end
		window := head(text[end:], 60)
		m := valueJoins.FindStringIndex(window)
		if m == nil {
			m = valueList.FindStringIndex(window)
		}
		if m == nil || m[1] == 0 {
			break
		}
		next := tokenEnd(text, end+m[1])
		if v := text[end+m[1] : next]; v == "" || strings.Contains(v, markBegin) || !strong(v) {
			break
		}
		out = append(out, span{end + m[1], next, mark})
	}
	return out, true
}

// refusal opens an answer that does not tell.
var refusal = newPattern(`(?i)^\W*(?:(?:sorry|no|um+|hm+|well|oh|ok)[\s,.!]+)*(?:i(?:'d|’d| would) rather|i (?:don't|don’t|dont|do not|can't|can’t|cannot|won't|won’t|forgot|lost|never|have no|haven't|changed|reset|already|just)|why|what|who|how|where|not (?:telling|sharing|going)|none of|no way|never|let me|same|the same|in my|it's in|it's on|it is on|ask |it's (?:the same|saved|stored|a secret|private)|you (?:don't|should)|is (?:it|that|this)|do you|can you|i'm not|maybe later)\b`)
