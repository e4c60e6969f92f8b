package extract

import (
	"slices"
	"strings"
)

// What a sentence tells besides of somebody it names lasts when what it tells of the speaker is
// over: of "I started dating Sander, he builds violins" Sander still builds violins once they have
// parted. Where it is sure of whom a further clause is, it is a statement of its own.

var (
	// ofTheOne is where a clause begins that takes up somebody by a pronoun.
	ofTheOne = english(`(?:[,;]\s+(?:(?:and|but)\s+)?|\s+(?:and|but)\s+|\s+[–—-]\s+)((he|she|his|her)\b('s|’s)?\s?.*)$`)
	// whoDoes is where one hangs on a name.
	whoDoes = english(`,?\s+who(?:('s|’s)|\b)\s+(.+)$`)
	// brings is before somebody of whom nothing was told.
	brings = set(`with dating seeing married engaged met meet date love like marrying called named know visit visiting miss hired adopted got have and of than boss partner friend`)
	// invented is told of nobody whom the speaker knows.
	invented = english(`\b(?:novel|hero|heroine|character|story|book|film|movie|show|series|game|campaign|play|screenplay|dream)\b`)
	// goesWith tells of both.
	goesWith = english(`\b(?:it|there|that|this|them|those|these|so|too|both|either|me|us|we|i|my|our|i'm|together|as well)\b`)
)

// ofNamed parts what a sentence tells of the speaker from what it tells of somebody whom it names, nil
// if it is not sure that it does.
func (g *grouping) ofNamed(text string) []clausePart {
	if len(text) > 300 || strings.ContainsAny(text, "\"“«?(") {
		return nil
	}
	if m := ofTheOne.FindStringSubmatchIndex(text); m != nil && m[0] > 0 {
		pronoun, clause := strings.ToLower(text[m[4]:m[5]]), text[m[5]:m[3]]
		if who := soleIn(text[:m[0]], pronoun); who != "" {
			return g.besideNamed(text[:m[0]], who, pronoun == "his" || pronoun == "her", clause)
		}
	}
	if m := whoDoes.FindStringSubmatchIndex(text); m != nil && m[0] > 0 {
		head, clause := text[:m[0]], " "+text[m[4]:m[5]]
		if m[2] >= 0 {
			clause = "'s" + clause
		}
		words := wordsOf(head)
		if last := words[len(words)-1]; !last.capital && !people4[last.low] {
			return nil
		}
		if who := soleIn(head, ""); who != "" {
			return g.besideNamed(head, who, false, clause)
		}
	}
	return nil
}

// besideNamed gives what is told of the speaker, and a clause of somebody.
func (g *grouping) besideNamed(head, who string, theirs bool, clause string) []clausePart {
	clause = strings.TrimRight(clause, " .!")
	held := slotOf(head)
	if held.name == "" {
		held = looseSlot(head)
	}
	loose := held.name == "" || strings.HasPrefix(held.name, "does:")
	planned := loose && slices.ContainsFunc(wordsOf(head), func(w word) bool { return schemes[w.low] || couples[w.low] })
	if loose && !planned || held.negated || goesWith.MatchString(clause) || invented.MatchString(head) {
		return nil
	}
	if low := strings.ToLower(who[strings.LastIndexByte(who, ' ')+1:]); held.subject != "" && held.subject != low && held.subject != relation(low) {
		return nil
	}
	rest, short := strings.CutPrefix(strings.ReplaceAll(clause, "’", "'"), "'s")
	lead, full := who, who+" "+strings.TrimSpace(rest)
	switch {
	case theirs:
		lead, full = who+"'s", who+"'s"+rest
		if !verbal(wordsOf(full)) || past(wordsOf(rest)) {
			return nil
		}
	case short:
		if past(wordsOf(rest)) || strings.HasPrefix(strings.TrimSpace(rest), "been ") {
			return nil // "he's left"
		}
		lead, full = who+" is", who+" is"+rest
	case !thirdPerson(strings.TrimSpace(rest)) || past(firstWords(rest, 1)):
		return nil
	}
	of := slotOf(full)
	return append(g.clauses(head), g.ownPredicates(clausePart{"(" + lead + ")" + " " + strings.TrimSpace(rest), of})...)
}

// thirdPerson says whether what stands behind "he" or a name opens with a verb of the present.
func thirdPerson(text string) bool {
	words := wordsOf(beforeVerb.ReplaceAllString(text, ""))
	if len(words) < 2 {
		return predicated(text, false)
	}
	low := words[0].low
	return predicated(text, false) || len(low) > 3 && strings.HasSuffix(low, "s") && !strings.HasSuffix(low, "ss") && low != "was" && !weekdaysAlso[low]
}

// weekdaysAlso end as a verb does and are none.
var weekdaysAlso = set(`always sometimes this perhaps besides towards across ours theirs hers yes plus unless`)

// soleIn gives the only one whom a clause on a speaker names who may be "he" or "she", as they are
// called; "" if there is none, or more.
func soleIn(head, pronoun string) string {
	words := wordsOf(head)
	if len(words) < 3 || !own[words[0].low] {
		return ""
	}
	who, named := "", 0
	for i, w := range words {
		if i < named {
			continue
		}
		next := word{}
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch before := words[max(i-1, 0)].low; {
		case i == 0 || w.low == "i" || strings.HasPrefix(w.low, "i'"):
		case strings.HasSuffix(w.low, "'s") && !contractions2[w.low], w.low == "his", w.low == "her", w.low == "their", w.low == "your":
			return "" // somebody else's
		case people4[w.low] || animal5[w.low]:
			if many := strings.HasSuffix(w.low, "s") && w.low != "boss"; many || who != "" {
				return ""
			}
			if pronoun != "" && (women.MatchString(w.low) && strings.HasPrefix(pronoun, "h") && pronoun != "her" || men.MatchString(w.low) && (pronoun == "she" || pronoun == "her")) {
				return ""
			}
			if who = "my " + w.low; next.capital {
				continue
			}
			if animal5[w.low] && next.low != "called" && next.low != "named" {
				return ""
			}
		case w.capital && before == "is" && who != "" && strings.HasPrefix(who, "my ") && i == 3:
			who, named = fullName(head, words, i) // "my boss is Karen"
		case w.capital && (people4[before] || animal5[before] || before == "called" || before == "named"):
			if who, named = fullName(head, words, i); people4[before] && relation(before) != "partner" && relation(before) != "boss" {
				who = "my " + before + " " + who
			}
		case w.capital && (brings[before] || before == "to" && i > 1 && couples[words[i-2].low]):
			if who != "" || weekdays[w.low] > 0 || months3(w.low) || peoples(w.low) {
				return ""
			}
			who, named = fullName(head, words, i)
		case w.capital && givenNames[w.low]:
			return "" // whose part in it is not known
		}
	}
	return who
}

// fullName gives the name that begins at a word, and where the words go on behind it.
func fullName(text string, words []word, i int) (string, int) {
	end := i + 1
	for end < len(words) && words[end].capital && strings.Trim(text[words[end-1].end:words[end].start], " .") == "" {
		end++
	}
	return text[words[i].start:words[end-1].end], end
}
