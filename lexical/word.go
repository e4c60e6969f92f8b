package lexical

import (
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"
)

// maxWord is the most characters of a word that count; the rest of a longer run
// (base64, a row of laughter) is dropped.
const maxWord = 64

// word is a token before stop words are dropped and stems are taken.
type word struct {
	text string
	// gram says that it is a piece of a script that writes no blanks; such a
	// piece is neither stemmed nor a stop word.
	gram bool
}

// unspaced are the scripts cut into pairs of characters: those that part no words
// by blanks, and Hangul, whose particles hang on the words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Yi,
}

// letters that carry no accent to take off, though people leave it out in typing.
var plain = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ħ': "h", 'ı': "i", 'ŋ': "n",
	'ς': "σ", 'ى': "ي", 'ة': "ه",
}

// words gives the words of a text in order: compatibility forms unified, lower
// case, accents folded, possessive 's dropped, cut at all that is neither letter,
// mark nor digit.
func words(text string) []word {
	runes := fold(text)
	var out []word
	for i := 0; i < len(runes); {
		r := runes[i]
		if !wordRune(r) {
			i++
			continue
		}
		start, isUnspaced := i, joined(r)
		for i++; i < len(runes) && wordRune(runes[i]); i++ {
			if !unicode.IsMark(runes[i]) && joined(runes[i]) != isUnspaced && !lengthMark(runes[i]) {
				break
			}
		}
		if isUnspaced {
			out = appendGrams(out, runes[start:i])
			continue
		}
		out = append(out, word{text: string(runes[start:min(i, start+maxWord)])})
		if i+1 < len(runes) && apostrophe(runes[i]) && runes[i+1] == 's' && (i+2 == len(runes) || !wordRune(runes[i+2])) {
			i += 2
		}
	}
	return out
}

// fold unifies forms, lowers case and takes accents off. Marks that are part of a
// script's spelling (Devanagari vowels, say) stay; accents of Latin, Greek and
// Cyrillic letters and the optional vowel points of Arabic and Hebrew go.
func fold(text string) []rune {
	text = strings.ToValidUTF8(text, " ")
	marked := norm.NFKD.String(text)
	var bare strings.Builder
	bare.Grow(len(marked))
	for _, r := range marked {
		switch {
		case r >= 0x300 && r <= 0x36F, r >= 0x64B && r <= 0x65F, r == 0x670, r == 0x640, r >= 0x591 && r <= 0x5C7:
		case r == 0x200B:
			bare.WriteByte(' ')
		case unicode.Is(unicode.Cf, r):
		default:
			r = unicode.ToLower(r)
			if p, ok := plain[r]; ok {
				bare.WriteString(p)
			} else {
				bare.WriteRune(r)
			}
		}
	}
	return []rune(norm.NFC.String(bare.String()))
}

// appendGrams adds the pairs of neighbouring characters of a run, a character
// being a letter with its marks; of a run of one, that one. An ideograph is also
// a term by itself, since it can be a whole word of a question.
func appendGrams(out []word, run []rune) []word {
	var chars []string
	for i := 0; i < len(run); {
		start := i
		for i++; i < len(run) && unicode.IsMark(run[i]); i++ {
		}
		chars = append(chars, string(run[start:min(i, start+8)]))
		if unicode.Is(unicode.Han, run[start]) {
			out = append(out, word{text: chars[len(chars)-1], gram: true})
		}
		if n := len(chars); n > 1 {
			out = append(out, word{text: chars[n-2] + chars[n-1], gram: true})
		}
	}
	if len(chars) == 1 && !unicode.Is(unicode.Han, run[0]) {
		out = append(out, word{text: chars[0], gram: true})
	}
	return out
}

// stem gives the term of a word: Snowball English for words of a–z, the word
// itself for all others. Words of other languages in Latin script are stemmed
// alike, which is crude but the same on both sides.
func (w word) stem() string {
	if w.gram {
		return w.text
	}
	for i := 0; i < len(w.text); i++ {
		if w.text[i] < 'a' || w.text[i] > 'z' {
			return w.text
		}
	}
	env := snowballstem.NewEnv(w.text)
	english.Stem(env)
	return env.Current()
}

func wordRune(r rune) bool {
	if r < 0x80 {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
}

// joined tells the characters of scripts that part no words by blanks.
func joined(r rune) bool { return r >= 0x0E00 && unicode.In(r, unspaced...) }

// lengthMark tells the kana length mark, which Unicode counts to no script of its own.
func lengthMark(r rune) bool { return r == 'ー' }

func apostrophe(r rune) bool { return r == '\'' || r == '’' || r == 'ʼ' }
