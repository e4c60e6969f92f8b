package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"
)

// How much a term tells of which statement is meant.
const (
	// weightOfName is that of a number, and of what is written as names are.
	weightOfName = 2
	weightOfWord = 1
	// weightOfLight is that of a word which goes with anything.
	weightOfLight = 0.5
)

// term is a word that can be looked for, or of scripts that part no words two
// characters in a row, or a number.
type term struct {
	text string
	// stem is that of a word, "" for others.
	stem   string
	weight float64
}

// filler is passed over: little words, and those that models bring in for the speakers.
var filler = set(`the and that this these those with from have has had was were are been being for but not you your yours
	she her hers his him they them their theirs its our ours who whom whose which what when where why how
	will would can could should shall may might must does did doing don didn doesn isn wasn aren weren won couldn wouldn shouldn haven hasn hadn cannot
	currently now there here then than too also very just about into onto over under some any all each because while user users assistant speaker says said states stated mentioned`)

// light are words that go with anything: what a model says something with.
var light = set(`live lives lived living like likes liked love loves loved work works worked working want wants wanted use uses used using own owns owned get gets got make makes made go goes going went
	called named name names prefer prefers preferred need needs needed know knows think thinks feel feels take takes took called tell tells told year years old age aged time times day days thing things lot something someone
	favorite favourite really always usually often recently lately new interested enjoys enjoy enjoyed plans planning plan wishes hopes`)

// counts are the numbers that are written as words. "One" is mostly no number.
var counts = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
	"nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30"}

// dense are the scripts whose words are not parted by blanks, or carry endings as long
// as themselves.
var dense = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

const (
	other = iota
	letter
	digit
	unparted
)

func classOf(r rune) int {
	switch {
	case unicode.IsDigit(r):
		return digit
	case r >= 0x0E00 && (unicode.In(r, dense...) || r == 'ー'):
		return unparted
	case unicode.IsLetter(r), unicode.IsMark(r):
		return letter
	}
	return other
}

// termsOf gives the terms of a text; of one that has none but little words, these.
func termsOf(text string) []term {
	text = norm.NFKC.String(text)
	var out, little []term
	words := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		class, start := classOf(r), i
		for i += size; i < len(text); i += size {
			r, size = utf8.DecodeRuneInString(text[i:])
			// 1,000 is one number.
			if class == digit && r == ',' && len(text) > i+3 && classOf(rune(text[i+3])) == digit {
				continue
			}
			if classOf(r) != class {
				break
			}
		}
		run := text[start:i]
		switch class {
		case digit:
			run = strings.TrimLeft(strings.ReplaceAll(run, ",", ""), "0")
			out = append(out, term{text: "#" + run, weight: weightOfName})
		case unparted:
			out = append(out, grams(run)...)
		case letter:
			words++
			t, ok := wordTerm(run, words == 1)
			if ok {
				out = append(out, t)
			} else {
				little = append(little, t)
			}
		}
	}
	if len(out) == 0 {
		return little
	}
	return out
}

// grams gives each two characters in a row.
func grams(run string) []term {
	chars := []rune(run)
	if len(chars) == 1 {
		return []term{{text: run, weight: weightOfWord}}
	}
	var out []term
	for i := range chars[1:] {
		out = append(out, term{text: string(chars[i : i+2]), weight: weightOfWord})
	}
	return out
}

// wordTerm gives a word as it is looked for; ok is false for one that is passed over.
func wordTerm(word string, first bool) (t term, ok bool) {
	low := strings.ToLower(word)
	if n, counted := counts[low]; counted {
		return term{text: "#" + n, weight: weightOfName}, true
	}
	initial, _ := utf8.DecodeRuneInString(word)
	name := unicode.IsUpper(initial) && !first && utf8.RuneCountInString(word) > 1
	if filler[low] || utf8.RuneCountInString(low) <= 2 && !name {
		return term{text: low, weight: weightOfLight}, false
	}
	env := snowballstem.NewEnv(low)
	english.Stem(env)
	t = term{text: low, stem: env.Current(), weight: weightOfWord}
	switch {
	case name:
		t.weight = weightOfName
	case light[low]:
		t.weight = weightOfLight
	}
	return t, true
}

// evidence is a text in which terms are looked for.
type evidence struct {
	found map[string]bool // terms, and all words
	stems map[string]bool
	words []string
}

func newEvidence(text string) *evidence {
	e := &evidence{found: map[string]bool{}, stems: map[string]bool{}}
	for _, word := range strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), func(r rune) bool { return classOf(r) != letter }) {
		e.found[word] = true
	}
	for _, t := range termsOf(text) {
		e.found[t.text] = true
		if t.stem != "" && !e.stems[t.stem] {
			e.stems[t.stem] = true
			e.words = append(e.words, t.text)
		}
	}
	return e
}

// has says whether a term occurs: the word itself, or one of the same stem, or one
// with another ending ("allergic" for "allergy").
func (e *evidence) has(t term) bool {
	if e.found[t.text] || t.stem != "" && e.stems[t.stem] {
		return true
	}
	if t.stem == "" {
		return false
	}
	for _, w := range e.words {
		n := 0
		for n < len(w) && n < len(t.text) && w[n] == t.text[n] {
			n++
		}
		if float64(n) >= 0.65*float64(max(len(w), len(t.text))) && utf8.RuneCountInString(w[:n]) >= 4 {
			return true
		}
	}
	return false
}

// normal gives a text as repeats are told by: its words and numbers in lower case.
func normal(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), func(r rune) bool { return classOf(r) == other }), " ")
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}
