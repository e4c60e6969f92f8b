package longterm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memdhq/memd/extract"
)

// away is a statement that was taken away, by its terms; weighty are those of names and numbers,
// each of which, but for small numbers, weighs as much as two others. Of a statement that is known by nothing but its
// terms there are none. changed are those that what was written in its place does not have; nil if
// nothing was.
type away struct{ terms, weighty, changed []int32 }

// editedAway makes a statement that was rewritten one that was taken away; false if all of it is
// still said.
func editedAway(text, instead string) (away, bool) {
	return awayOf(text).less(termsOf(ungrouped(instead)))
}

// less is a statement that was taken away of a message of which something with these terms is
// remembered still; false if that has all of it.
func (a away) less(still []int32) (away, bool) {
	if len(still) == 0 {
		return a, true
	}
	a.changed = []int32{}
	for _, t := range a.terms {
		if !slices.Contains(still, t) {
			a.changed = append(a.changed, t)
		}
	}
	return a, len(a.changed) > 0
}

// stands says whether what has these terms has of a statement that was rewritten what is not so
// any more.
func (a away) stands(terms []int32) bool {
	return a.changed == nil || slices.ContainsFunc(a.changed, func(t int32) bool { return slices.Contains(terms, t) })
}

// awayOf makes a statement one that was taken away.
func awayOf(text string) away {
	text = ungrouped(extract.Undated(text))
	a := away{terms: termsOf(text)}
	for i, w := range strings.Fields(text) {
		w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		first, _ := utf8.DecodeRuneInString(w)
		if i > 0 && unicode.IsUpper(first) && w != "I" || strings.ContainsFunc(w, unicode.IsDigit) {
			a.weighty = append(a.weighty, termsOf(w)...)
		}
	}
	return a
}

const (
	// leastLike is how much of the fewer terms two statements have in common that say the same in
	// other words.
	leastLike = 0.5
	// mostOfIt is how much of a sentence consists of a statement that it says back, with others.
	mostOfIt = 0.6
)

// says says whether a sentence with these terms says the statement again, in other words.
func (a away) says(terms []int32) bool {
	both := a.common(terms)
	switch {
	case both == 0 || !a.stands(terms) || !a.owns(terms):
		return false
	case both >= min(2, len(a.terms)) && (float64(both) >= leastLike*float64(len(a.terms)) || float64(both) >= mostOfIt*float64(len(terms))):
		return true
	}
	return a.most(terms)
}

// most says whether a sentence has more than half of what the statement says, by the weight of its
// terms: of "my ex is Bernd" the name alone.
func (a away) most(terms []int32) bool {
	both, all, names := 0, 0, false
	for _, t := range a.terms {
		weight, named := 1, slices.Contains(a.weighty, t) && !smallNumbers()[t]
		if named {
			weight = 2
		}
		all += weight
		if slices.Contains(terms, t) {
			both += weight
			names = names || named
		}
	}
	return 2*both > all && (names || a.common(terms) >= min(2, len(a.terms)))
}

// hasWord says whether a sentence has a word of the statement that is its own: no everyday one, and
// no small number.
func (a away) hasWord(terms []int32) bool {
	return slices.ContainsFunc(terms, func(t int32) bool { return slices.Contains(a.terms, t) && !everyday()[t] && !smallNumbers()[t] })
}

// owns says whether what a sentence has of the statement is more than everyday words, unless it
// consists of these.
func (a away) owns(terms []int32) bool {
	all := everyday()
	own := func(t int32) bool { return !all[t] }
	return !slices.ContainsFunc(a.terms, own) || slices.ContainsFunc(terms, func(t int32) bool { return own(t) && slices.Contains(a.terms, t) })
}

// everyday are words that answers have whatever they are about.
var everyday = sync.OnceValue(func() map[int32]bool {
	all := map[int32]bool{}
	for _, t := range termsOf(`add ask be become begin book bring buy call came change check come cost day days do drink eat end enjoy euro euros dollar dollars pound pounds
		family feel few find first friend friends get give go goes going gone good got great grow guess have having hear help hour hours idea job keep kind know large last late learn leave left
		let like list little live lives living long look lot love made make many maybe mean meet minute minutes month months morning move moved moving much name named need needs new next nice
		night number old one open owe own part pay people place plan plans play please put read ready really right run said say second see send set show since small sort start started step steps stop
		sure take talk tell thank thanks thing things think third time times today tomorrow tonight took tried try two three four five six seven eight nine ten twelve twenty thirty hundred thousand
		use used using visit wait walk want wants watch way week weekend weeks well went work worked working works write year years yesterday
		monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday saturdays sunday sundays
		january february march april may june july august september october november december spring summer autumn winter`) {
		all[t] = true
	}
	return all
})

// smallNumbers are numbers of up to four figures: a port, a year, a price, a time.
var smallNumbers = sync.OnceValue(func() map[int32]bool {
	all := map[int32]bool{}
	for n := range 10000 {
		for _, t := range termsOf(fmt.Sprintf("%d %02d", n, n)) { // dates have 03
			all[t] = true
		}
	}
	return all
})

// saidTerms are the terms of what may say something back: the name of a state counts as what is in
// it, "pregnancy" as "pregnant".
func saidTerms(text string) []int32 {
	text = ungrouped(extract.Undated(text))
	terms := termsOf(text)
	for _, m := range ofState.FindAllStringSubmatch(text, -1) {
		of := map[string]string{"ncy": "nt", "nt": "ncy"}[strings.ToLower(m[2])]
		for _, t := range termsOf(m[1] + of) {
			if !slices.Contains(terms, t) {
				terms = append(terms, t)
			}
		}
	}
	slices.Sort(terms)
	return terms
}

// ofState is the name of a state, or who is in it.
var ofState = regexp.MustCompile(`(?i)\b([a-z]{4,}[ae])(ncy|nt)\b`)

func (a away) common(terms []int32) (n int) {
	for _, t := range terms {
		if slices.Contains(a.terms, t) {
			n++
		}
	}
	return n
}

// ungrouped writes numbers in one: "87,450" as "87450".
func ungrouped(text string) string { return digitGroup.ReplaceAllString(text, "$1$2") }

var digitGroup = regexp.MustCompile(`(\d)[,'’](\d{3})\b`)
