package lexical

import (
	"slices"
	"unicode"
)

// Names are names, of whatever, to be looked for in texts.
type Names struct {
	// spaced are names as runs of words, joined those in scripts that part no words.
	spaced [][]string
	joined [][]rune
}

// determiners say whose something is or which, and are no part of its name.
var determiners = set(`the a an my our this that these those`)

// NamesOf makes names of texts. What is before a name ("my", "the") is no part of it. A
// text of nothing but stop words, or of one character in a script that parts no words by
// blanks, names nothing.
func NamesOf(texts ...string) Names {
	var n Names
	for _, text := range texts {
		all := words(text)
		for len(all) > 1 && determiners[all[0].text] {
			all = all[1:]
		}
		switch {
		case len(without(all, stop)) == 0:
		case slices.ContainsFunc(all, func(w word) bool { return w.gram }):
			if runes := trimmed(fold(text)); len(runes) > 1 {
				n.joined = append(n.joined, runes)
			}
		default:
			name := make([]string, len(all))
			for i, w := range all {
				name[i] = w.text
			}
			n.spaced = append(n.spaced, name)
		}
	}
	return n
}

func trimmed(all []rune) []rune {
	for len(all) > 0 && !wordRune(all[0]) {
		all = all[1:]
	}
	for len(all) > 0 && !wordRune(all[len(all)-1]) {
		all = all[:len(all)-1]
	}
	return all
}

// Empty says that nothing is named.
func (n Names) Empty() bool { return len(n.spaced)+len(n.joined) == 0 }

// In says whether a text has one of the names: as a word, or as words that follow each
// other, whatever their case and accents, also with a possessive 's. Part of a word is not
// it. In scripts that part no words by blanks a name counts wherever it is, except within a
// longer run of Katakana, or not at the beginning of a word in Hangul.
func (n Names) In(text string) bool {
	if len(n.spaced) > 0 {
		all := words(text)
		for _, name := range n.spaced {
			for i := 0; i+len(name) <= len(all); i++ {
				if slices.EqualFunc(all[i:i+len(name)], name, func(w word, name string) bool { return w.text == name }) {
					return true
				}
			}
		}
	}
	if len(n.joined) > 0 {
		all := fold(text)
		for _, name := range n.joined {
			for i := 0; i+len(name) <= len(all); i++ {
				end := i + len(name)
				if slices.Equal(all[i:end], name) && (i == 0 || parted(all[i-1], name[0], true)) && (end == len(all) || parted(name[len(name)-1], all[end], false)) {
					return true
				}
			}
		}
	}
	return false
}

// parted says whether a name can begin, or end, between two characters.
func parted(a, b rune, begin bool) bool {
	switch {
	case !wordRune(a) || !wordRune(b):
		return true
	case unicode.IsMark(b):
		return false
	case joined(a) != joined(b) && !lengthMark(a) && !lengthMark(b):
		return true
	case !joined(a):
		return false
	}
	kana := func(r rune) bool { return unicode.Is(unicode.Katakana, r) || lengthMark(r) }
	hangul := unicode.Is(unicode.Hangul, a) && unicode.Is(unicode.Hangul, b)
	return !(kana(a) && kana(b)) && !(hangul && begin)
}
