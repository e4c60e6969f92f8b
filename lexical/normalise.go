package lexical

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// quotes are written one way by keyboards and another by phones and editors.
var quotes = strings.NewReplacer("’", "'", "‘", "'", "ʼ", "'", "“", `"`, "”", `"`, "„", `"`)

// ending is the punctuation that may close a statement without changing what it
// states. Signs that can be part of a name (C#, C++) are not among it.
const ending = " .,;:!?…。、।॥؟،؛۔"

// Normalise gives the form of a text whose terms are indexed: compatibility forms
// unified, case folded, curly quotes straightened, blanks collapsed, control characters
// and closing punctuation dropped. A text of nothing but punctuation stays as it is.
// Applying it twice changes nothing.
func Normalise(text string) string {
	if plainly(text) { // as most texts, and in a tenth of the time
		return closed(strings.ToLower(text))
	}
	s := strings.ToValidUTF8(text, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
	// Folding can yield what composes or folds again, so this goes to a fixed point.
	for range 4 {
		next := norm.NFKC.String(quotes.Replace(cases.Fold().String(norm.NFKC.String(s))))
		if next == s {
			break
		}
		s = next
	}
	return closed(s)
}

// closed collapses blanks and drops closing punctuation.
func closed(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if bare := strings.TrimRight(s, ending); bare != "" {
		s = bare
	}
	return s
}

// plainly says whether a text has no characters but those of ASCII that can be read.
func plainly(text string) bool {
	for i := range len(text) {
		if (text[i] < ' ' || text[i] > '~') && text[i] != '\n' {
			return false
		}
	}
	return true
}
