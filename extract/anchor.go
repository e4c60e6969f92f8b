package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// anchored says whether a text names somebody, something of the speaker's own, a time or
// a figure that is more than a place in the text that is talked of.
func (g *grouping) anchored(text string) bool {
	words := wordsOf(text)
	shouts := text == strings.ToUpper(text)
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1].low
		}
		first, _ := utf8.DecodeRuneInString(w.low)
		switch low := w.low; {
		case low == "my" || low == "our" || low == "mine" || low == "ours":
			if belongs(words[i+1:]) || i > 1 && (words[i-1].low == "is" || words[i-1].low == "are") && !pointers[words[i-2].low] && (next == "thing" || next == "life" || next == "passion" || next == "jam") {
				return true
			}
		case conditions[low], low == "hearing" && i > 1 && words[i-1].low == "of", low == "us" && i > 0 && words[i-1].low == "of":
			return true
		case (next == "and" || next == "&") && i+2 < len(words) && (words[i+2].low == "i" || words[i+2].low == "me") && !openingWords[low] && !talkWords[low] && !light[low] && !verbal(words[:i+1]):
			return true // "Rafa and I"
		case low == "me" && next == "and" && i+2 < len(words) && !light[words[i+2].low] && !talkWords[words[i+2].low] && !pointers[words[i+2].low]:
			return true
		case people[strings.TrimSuffix(low, "'s")] && !(i == len(words)-1 && i > 0 && talkWords[low]):
			return true
		case unicode.IsDigit(first):
			if !countsTalk(words, i) && (len(words) > 4 || own[words[0].low] || !emptyOf(words)) {
				return true
			}
		case low == "time" && i > 1 && words[i-1].low == "the" && words[i-2].low == "all":
			return true
		case lingers[low] && !(low == "never" && (next == "mind" || next == "would" || strings.Contains(text, "again") || next == "seen" || next == "thought") || low == "always" && (i+1 == len(words) || i > 0 && words[i-1].low == "as") || low == "forever" || low == "each" && next == "other"):
			return true
		case dayNames[low]:
			return true
		case w.capital && i > 0 && !shouts && low != "i" && !strings.HasPrefix(low, "i'") && !addressed(low, g.names) && text[w.start-1] == ' ' && !strings.ContainsRune("?!.…:", rune(text[max(0, w.start-2)])) && !talkWords[low] && !light[low]:
			return true
		case w.capital && len(words) == 1 && !shouts && !talkWords[low] && !light[low] && !talkNouns[low]:
			return true // "Lisbon"
		}
	}
	return false
}

// belongs says whether "my" stands before something that outlasts the moment.
func belongs(words []word) bool {
	if len(words) > 1 && words[0].low == "day" && words[1].low == "off" {
		return true
	}
	if len(words) == 0 || talkNouns[words[0].low] {
		return false
	}
	if len(words) == 1 {
		return !fleetingThings[words[0].low]
	}
	second := words[1].low
	if ofBody[words[0].low] {
		return false
	}
	if fleetingThings[words[0].low] {
		// "my phone number", not "my phone is dying"
		if len(words) > 3 && (second == "at" || second == "in") && words[2].low == "the" {
			return true
		}
		return !light[second] && !talkWords[second] && !openingWords[second] && !verbal(words[1:2]) && !particlesBehind[second] && !dayNames[second] && second != "gtg" && second != "brb"
	}
	return !talkNouns[second] && !(light[words[0].low] && fleetingThings[second])
}

// countsTalk says whether a number counts or numbers parts of what is talked of.
func countsTalk(words []word, i int) bool {
	if i > 1 && i+1 < len(words) && (words[i-1].low == "have" || words[i-1].low == "has") {
		if next := words[i+1].low; !talkNouns[next] && !workNouns[next] && !problems[next] && !countedBy[next] && !light[next] && !talkWords[next] {
			return false // "the runners only have 2 cores"
		}
	}
	for n := max(0, i-4); n < i; n++ {
		if low := words[n].low; workNouns[low] && !rides[low] && (n == 0 || words[n-1].low != "my" && words[n-1].low != "our") {
			return true
		}
	}
	if w := words[i].low; len(w) == 3 && (w[0] == '4' || w[0] == '5') && i > 0 && (determiners[words[i-1].low] || words[i-1].low == "still") {
		return true // "a 500"
	}
	if i > 0 {
		if before := words[i-1].low; talkNouns[before] || workNouns[before] || before == "of" && i > 1 || before == "max" || before == "number" || before == "battery" || i > 1 && (words[i-2].low == "pull" || words[i-2].low == "battery") {
			return true
		}
	}
	if i+1 < len(words) && words[i+1].start == words[i].end+1 && unicode.IsDigit(rune(words[i+1].low[0])) && (words[i+1].low == "10" || words[i+1].low == "5" || words[i+1].low == "100") {
		return true // "8/10"
	}
	if i > 0 && words[i].start == words[i-1].end+1 && unicode.IsDigit(rune(words[i-1].low[0])) && (words[i].low == "10" || words[i].low == "5" || words[i].low == "100") {
		return true
	}
	if i+1 == len(words) && i > 1 && words[i-1].low == "in" && (words[i-2].low == "back" || words[i-2].low == "there") {
		return true
	}
	if i > 0 && words[i-1].low == "it's" || i > 1 && words[i-1].low == "is" && words[i-2].low == "it" {
		return true // the time
	}
	if i+1 < len(words) {
		next := words[i+1].low
		return talkNouns[next] || workNouns[next] || countedBy[next] || next == "of" && i+2 < len(words) && words[i+2].low != "us"
	}
	return i > 0 && (words[i-1].low == "than" || words[i-1].low == "only")
}

// conditioned says whether a text names what somebody has or is that others must know.
func conditioned(text string) bool {
	for _, w := range wordsOf(text) {
		if conditions[w.low] {
			return true
		}
	}
	return false
}
