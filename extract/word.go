package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is a word of a text: letters and digits, with apostrophes inside.
type word struct {
	// low is lower case, with a straight apostrophe.
	low string
	// start and end are byte offsets in the text.
	start, end int
	// capital says that it begins with an upper-case letter.
	capital bool
}

// wordsOf cuts a text into its words.
func wordsOf(text string) []word {
	var out []word
	start := -1
	flush := func(end int) {
		if start < 0 {
			return
		}
		w := text[start:end]
		first, _ := utf8.DecodeRuneInString(w)
		out = append(out, word{
			low:   strings.ReplaceAll(strings.ToLower(w), "’", "'"),
			start: start, end: end, capital: unicode.IsUpper(first),
		})
		start = -1
	}
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if start < 0 {
				start = i
			}
		case (r == '\'' || r == '’') && start >= 0:
			next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
			if !unicode.IsLetter(next) {
				flush(i)
			}
		default:
			flush(i)
		}
	}
	flush(len(text))
	return out
}

// countWords counts what a reader takes for words: runs between blanks, and of
// scripts that write none, every second character.
func countWords(text string) int {
	characters := 0
	for _, r := range text {
		if r >= 0x0E00 && unicode.In(r, dense...) {
			characters++
		}
	}
	return len(strings.Fields(text)) + characters/2
}

// dense are the scripts that part no words by blanks.
var dense = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// hasContent says whether a text has any letter or digit.
func hasContent(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// set makes a set of the blank-separated words of a list.
func set(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}
