package extract

import (
	"slices"
	"strings"
)

// What is right is of the kind of what it replaces: a name for a name, a number for a number.
// "No, I meant the song" puts no city right, and "try orange" is no colour.

var (
	// bidding opens what is to be done, not what is right.
	bidding = english(`^(?:please|pls|try|use|make|pick|choose|go (?:with|for)|change|set|write|call|send|show|give|ask|tell|add|let's|do|put|draw|paint|say|read|check|look|play|open)\s`)
	// common opens what is no name: "the other guy".
	common = set(`the a an this that these those some any another other my your our his her their its one`)
	// arrow stands between what is wrong and what is right: "teh -> the".
	arrow = newPattern(`^(\S.{0,40}?)\s*(?:->|=>|→|➔)\s*(\S.{0,40})$`)
	// lightlyMeant says no more than that somebody else is spoken of now.
	lightlyMeant = english(`^(?:(?:lol|haha\pL*|h+m+|oh|ah|well)[\s,]+)*i mean\s`)
)

// ofKind says whether what is right may stand for what is wrong, or for what a statement holds
// where that is not told.
func (c correction) ofKind(s statement) bool {
	if bidding.MatchString(c.right) {
		return false
	}
	base, held := valueIn(s)
	words, said := wordsOf(c.right), wordsOf(base)
	if len(words) == 0 {
		return false
	}
	olds := held
	if c.wrong != "" {
		olds = c.wrong
	}
	whole := wordsOf(olds)
	if makesIt.MatchString(c.text) && numerals(c.right) == 0 && weekdayless(words) {
		return false // "make it blue" is said of what is being made
	}
	if c.wrong == "" && len(words) == 1 && !fitsNumber(words[0].low, base) {
		return false
	}
	if len(words) > 1 && common[words[0].low] && !particular(words[1:]) && !whose.MatchString(c.right) {
		last := words[len(words)-1]
		switch {
		case len(whole) > 0 && common[whole[0].low], sameList(whole, words[1:]):
			return true
		case slices.ContainsFunc(said, func(w word) bool { return w.low == last.low && !light[w.low] }):
			return true // "the red one" of two
		case olds == "":
			start, _ := c.likePlace(base) // "the cello" for a violin
			return start >= 0 && looseSlot(base).name == ""
		}
		return !capitalIn(base, olds) && !strings.ContainsAny(olds, "0123456789@./") && (s.slot.name == "" || !mayBeNames[kindOfSlot(s.slot)])
	}
	if c.wrong == "" && lightlyMeant.MatchString(c.text) && len(words) > max(1, len(whole)) && proper(words, c.right) {
		return false // somebody of two names for a city
	}
	return true
}

// fitsNumber says whether a bare number may stand for the one in a statement: a year for a year, a
// day for a day of a month.
func fitsNumber(right, base string) bool {
	if right == "" || strings.Trim(right, "0123456789") != "" {
		return true
	}
	if sorts[2].MatchString(right) && !fourDigits.MatchString(base) {
		return false
	}
	day := sorts[1].MatchString(base) && !sorts[2].MatchString(base)
	return !day || len(right) < 3 && (len(right) < 2 || right <= "31")
}

var fourDigits = newPattern(`\d{4}`)

// particular says whether words have a name or a number among them.
func particular(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.capital || numeral(w) })
}

// kindOfSlot is the first word of the kind of a slot.
func kindOfSlot(a about) string {
	kind, _, _ := strings.Cut(kindOf(a), ":")
	kind, _, _ = strings.Cut(kind, " ")
	return kind
}

// standsIn says whether what is right stands in a statement: in the place of something there, or
// beside it as a bare value of the same kind. What is put in the place of all that was said, as
// behind "scratch that", need not show it otherwise, but no sentence stands in the place of a word,
// and no date beside what has none.
func (c correction) standsIn(s statement, scratch, dated bool) bool {
	if c.inPlace(s).text != "" {
		return c.befits(s) || scratch && countWords(c.right) <= valueWords && !verbal(wordsOf(c.right)) && c.ofKind(s)
	}
	if dated && s.when.grain == never && numerals(s.text) == 0 && !dayWord.MatchString(s.text) {
		return false
	}
	return c.befits(s)
}

// valueWords is how many words there are at most in what is said in the place of a value.
const valueWords = 4
