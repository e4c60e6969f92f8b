package extract

import (
	"strings"
)

// "I live in Lyon, I mean Lille" is put right in the sentence itself. It is kept as said;
// what it is about and when is read from the sentence with what is right in its place.

var (
	// mends has a slip between what is wrong and what is right.
	mends = english(`^(.{3,}?)(?:\s*[,;…–—]+|\s*\.{2,}|\s+-)\s*(?:(?:oh|ah|oops|whoops|argh|ugh|er+m?|um+|uh)[\s,]+)*(i mean(?:t)?(?: to say)?|(?:sorry|oops|wait|no)[\s,]+i mean(?:t)?|sorry|or rather|rather|no,? wait|wait,? no|wait|no,? sorry|sorry,? no|no,? i mean(?:t)?|no|correction|oops|whoops|my bad|my mistake|make (?:that|it)|(?:scratch|strike) that|actually|that is|well)([\s,:;.–—-]+)(\S.*?)[\s.!]*$`)
	// weakSlips are also said for another reason, if no comma comes behind.
	weakSlips = set(`sorry no wait actually well rather`)
	// noMending opens what is no correction: "no, not Paris".
	noMending = english(`^(?:not|no|never|don't|nothing|but|and|so|or|too|also|really|just|maybe|probably|for|about|if|that|it|because|since|which|who|though|like)\b`)
)

// mended reads a sentence that puts itself right; ok is false if it does not.
func (g *grouping) mended(text string) (s statement, ok bool) {
	if len(text) > 200 {
		return statement{}, false
	}
	m := mends.FindStringSubmatchIndex(text)
	if m == nil {
		return statement{}, false
	}
	wrong, slip, gap, right := text[m[2]:m[3]], strings.ToLower(text[m[4]:m[5]]), text[m[6]:m[7]], text[m[8]:m[9]]
	words := wordsOf(right)
	switch {
	case len(words) == 0 || len(words) > 4 || noMending.MatchString(right) || weekdayless(words) && isSmallTalk(right, g.names),
		verbal(words) && len(g.dayIn(right)) == 0,
		strings.TrimSpace(gap) == "" && weakSlips[slip] && !words[0].capital && !numeral(words[0]) && weekdayless(words),
		(slip == "well" || slip == "that is" || slip == "actually" || slip == "rather") && !words[0].capital && !numeral(words[0]) && weekdayless(words):
		return statement{}, false
	}
	dated, when := resolve(text, g.said, true)
	s = statement{text: dated, when: when, words: countWords(text)}
	if whose.MatchString(right) {
		return s, slotOf(wrong).name != "" // it is of somebody else
	}
	fixed, ok := g.inPlace(wrong, right)
	if !ok {
		return statement{}, false
	}
	s.slot = slotOf(fixed)
	note := ""
	s.when = moment{}
	for _, day := range mentions(fixed, g.said, true) {
		s.when = s.when.better(day.when)
		note = day.note
	}
	s.text = strings.TrimRight(text, " .")
	if note != "" && s.when.grain != never {
		s.text += " (" + note + ")"
	}
	return s, true
}

// weekdayless says whether words name no day.
func weekdayless(words []word) bool {
	for _, w := range words {
		if weekday4(w) || monthWord(w) || w.low == "tomorrow" || w.low == "today" {
			return false
		}
	}
	return true
}

// dayIn gives the day that a few words tell, if they tell nothing else.
func (g *grouping) dayIn(right string) []mention {
	lead := "It is on "
	for _, m := range mentions(lead+right, g.said, true) {
		if m.end == len(lead)+len(right) && (m.start <= len(lead) || strings.HasPrefix(strings.ToLower(right), "the ") && m.start == len(lead)+len("the ")) {
			return []mention{m}
		}
	}
	return nil
}

// numeral says whether a word is a number.
func numeral(w word) bool {
	return w.low[0] >= '0' && w.low[0] <= '9' || numbers[w.low] > 1 || w.low == "one"
}

// inPlace gives a sentence with what is right in the place of what is wrong: a day for a
// day, a number for a number, a name or what a slot holds for another.
func (g *grouping) inPlace(wrong, right string) (string, bool) {
	put := func(start, end int) (string, bool) { return wrong[:start] + right + wrong[end:], true }
	words, rights := wordsOf(wrong), wordsOf(right)
	lead := len(rights) > 1 && beforeDay[rights[0].low]
	for i := len(words) - 1; i >= 0; i-- {
		w, first := words[i], rights[0]
		if lead {
			first = rights[1]
		}
		switch {
		case weekday4(w) && weekday4(first), monthWord(w) && monthWord(first), numeral(w) && numeral(first) && len(g.dayIn(right)) == 0:
			if lead && i > 0 && beforeDay[words[i-1].low] {
				return put(words[i-1].start, w.end)
			}
			return put(w.start, w.end)
		}
	}
	if len(g.dayIn(right)) > 0 {
		for _, m := range mentions(wrong, g.said, true) {
			return put(m.start, m.end)
		}
		return "", false
	}
	was := slotOf(wrong)
	value := was.value
	if _, inName, named := strings.Cut(was.name, ":"); value == "" && named && !strings.HasPrefix(was.name, "date:") {
		value = inName
	}
	if value != "" {
		if at := strings.LastIndex(strings.ToLower(wrong), strings.ToLower(value)); at >= 0 && numeral(rights[0]) == numeral(wordsOf(value + " x")[0]) {
			return put(at, at+len(value))
		}
	}
	if !rights[0].capital {
		return "", false
	}
	for i := len(words) - 1; i > 0; i-- {
		if w := words[i]; w.capital && !own[w.low] {
			start := i
			for start > 1 && words[start-1].capital && !own[words[start-1].low] && words[start].start == words[start-1].end+1 {
				start--
			}
			return put(words[start].start, w.end)
		}
	}
	return "", false
}

// movedTo says of what was just told that it is on another day.
var movedTo = english(`^(?:(?:and|but|now|then|actually|sadly|unfortunately|luckily)[\s,]+)*(?:it|that|this)(?:'s| is| was| has been| got| has| had)?\s+(?:now |just |been |since |already )*(?:moved|postponed|rescheduled|pushed|changed|shifted|put off|brought forward|delayed)(?: back| forward| out)?\s+(?:to|until|till)\s+(.{1,40}?)[\s.!]*$`)

// moves has what was just told on the day to which a sentence moves it.
func (g *grouping) moves(last *statement, text string, when moment) {
	m := movedTo.FindStringSubmatch(text)
	if m == nil {
		return
	}
	if when.grain != never {
		last.when = when
	}
	if last.slot.name == "" {
		return
	}
	if fixed, ok := g.inPlace(noted.ReplaceAllString(last.text, ""), m[1]); ok {
		if now := slotOf(fixed); now.name == last.slot.name {
			last.slot.value = now.value
		}
	}
}

// noted is a date written in beside the words.
var noted = newPattern(` \((?:week of |weekend of )?\d{4}(?:-\d\d){0,2}(?: (?:to|and) \d{4}-\d\d-\d\d)?\)`)
