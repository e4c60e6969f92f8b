package longterm

import (
	"regexp"
	"slices"
	"strings"

	"github.com/memdhq/memd/lexical"
)

// "Forget my dog" is about the dog that the speaker has: "my dog", "I have a dog". The dog of
// a sister, a dog that bit somebody and what a dog only describes ("dog hair") are others'
// business, and stay.

// ownNoun is a noun by which a speaker names what is theirs.
type ownNoun struct {
	names lexical.Names
	// words are how many the noun has.
	words int
	// held says that it is somebody or something one has; else it may be what one is or does,
	// as "diabetes" is, which whoever speaks of themselves says without "my".
	held bool
}

func ownNounsOf(all []string) (nouns []ownNoun) {
	for _, name := range all {
		if names := lexical.NamesOf(name); !names.Empty() {
			nouns = append(nouns, ownNoun{names, len(strings.Fields(name)), relations[name] != nil || heldThings[name]})
		}
	}
	return nouns
}

func words(list string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(list) {
		all[word] = true
	}
	return all
}

var (
	tokens = regexp.MustCompile(`[\pL\pM\d_]+(?:['’.@-][\pL\pM\d_]+)*['’]?|[^\s\pL\pM\d]`)

	heldThings = words(`car house flat apartment bike boat phone email e-mail address number kid kids children pets boss office employer colleagues
		email-address parent family job work`)
	// heads are what a noun before them only describes.
	heads = words(`hair fur food allergy allergies walker sitter park shelter lover lovers person people trainer bed toy toys show wash dealer dealership insurance
		loan interview offer fair plant plants keeper music case charger call calls bill plan contract party card cake present gift wish list`)
	// kinds are what makes of a noun another thing when they stand before it.
	kinds = words(`email e-mail mail ip web mac wallet website phone ex former step hot guide toy`)
	// ownVerbs say that one has what is named behind them.
	ownVerbs   = words(`have had has got own owned bought drive drove driving ride rode keep kept adopted rescued get getting use using married owe earn lost sold and also , still with`)
	firsts     = words(`i we me im ive myself`)
	thirds     = words(`he she they it you u who whose him them his her their your its`)
	someOf     = words(`a an the one two three four five some any another no`)
	clauseCuts = words(`. ! ? ; : ( ) – — but because so while when that if though or`)
	beings     = words(`is has was had does are have were works suffers takes lives gets got owns earns drives`)
	opensBare  = words(`am have had got never also still just not been being having was no and`)
)

// says says whether a text, in the form in which it is compared, speaks of the noun as of the
// speaker's own. of is whom the slot of the text is of, "" for the speaker or nobody known.
func (n ownNoun) says(form, of string) bool {
	if !n.names.In(form) {
		return false
	}
	all := tokens.FindAllString(form, -1)
	for i := 0; i+n.words <= len(all); i++ {
		if n.names.In(strings.Join(all[i:i+n.words], " ")) && n.ownAt(all, i, of) {
			return true
		}
	}
	return false
}

func (n ownNoun) ownAt(all []string, i int, of string) bool {
	if next := i + n.words; next < len(all) && heads[all[next]] && !possessive(all[next-1]) {
		return false
	}
	// What stands before it says whose it is.
	from := i
	for back := 1; back <= 3 && i-back >= 0; back++ {
		word := all[i-back]
		switch {
		case word == "my", word == "our":
			return true
		case possessive(word), thirds[word] && word != "he" && word != "she" && word != "they" && word != "it" && word != "you" && word != "u":
			return false
		case back == 1 && kinds[word], strings.HasPrefix(word, "step"), strings.HasPrefix(word, "ex-"):
			return false
		}
		if someOf[word] {
			from = i - back
			break
		}
		if firsts[word] || thirds[word] || beings[word] || clauseCuts[word] || relations[word] != nil || ownVerbs[word] {
			break
		}
	}
	if of != "" {
		return false
	}
	if n.held && (from == 0 || !ownVerbs[all[from-1]]) && !(i > 0 && ownVerbs[all[i-1]]) {
		return false
	}
	// Else it is of whom the clause is about.
	for at := i - 1; at >= 0; at-- {
		word := all[at]
		switch {
		case firsts[word]:
			return true
		case thirds[word], (word == "my" || word == "our") && at+1 < len(all), possessive(word):
			return false
		case clauseCuts[word] && at+1 < i:
			return !n.held && !someElse(all[at+1:i])
		}
	}
	return !n.held && !someElse(all[:i])
}

// possessive says whether a word is of somebody: "mother's", "kids'".
func possessive(word string) bool {
	return strings.HasSuffix(word, "'s") || strings.HasSuffix(word, "’s") || strings.HasSuffix(word, "s'") || strings.HasSuffix(word, "s’")
}

// someElse says whether the beginning of a clause without "I" is of somebody: "tom has".
// "Diagnosed with" is of who says it.
func someElse(before []string) bool {
	if len(before) == 0 || opensBare[before[0]] {
		return false
	}
	return slices.ContainsFunc(before[1:], func(word string) bool { return beings[word] })
}

// isAnothers says whether a text calls somebody by the name who is to the speaker something else:
// "my sister Sandra", where Sandra is the speaker's former wife.
func isAnothers(text, name string, kin []string) bool {
	is := lexical.NamesOf(name)
	return slices.ContainsFunc(bonds(text, ""), func(b bond) bool { return is.In(b.name) && !slices.Contains(kin, b.relation) })
}

// surnamed says whether all that a text says of a name is of somebody of that name and a
// second one, "Paul McCartney", who is not who is called by the name alone.
func surnamed(text, name string) bool {
	if strings.ContainsAny(name, " -") || !smallWord.MatchString(text) {
		return false
	}
	is := lexical.NamesOf(name)
	all := tokens.FindAllString(text, -1)
	found := false
	for i, word := range all {
		if !is.In(word) {
			continue
		}
		if word == strings.ToLower(word) || possessive(word) || i+1 == len(all) || !fullName.MatchString(all[i+1]) || fullNot[all[i+1]] {
			return false
		}
		if ownRelationEnd.MatchString(strings.Join(all[:i], " ")) {
			return false
		}
		found = true
	}
	return found
}

var (
	fullName       = regexp.MustCompile(`^\p{Lu}['’]?\pL*\p{Ll}`)
	fullNot        = words(`I I'm I've I'd I'll`)
	ownRelationEnd = regexp.MustCompile(ownRelation + `(?: +(?:is|was|called|named))? *,?$`)
)
