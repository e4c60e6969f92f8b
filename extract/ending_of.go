package extract

import (
	"slices"
	"strings"
)

// Ends says whether what a text told before, of a slot and a subject, is over by an ending: it speaks
// of the same thing, as of something of the speaker's that goes on. which is what more the text calls
// the thing: where an ending tells no name ("the car"), it is not told which of two it is of.
func (e Ending) Ends(text, slot, subject string) (which string, ok bool) {
	said, beside, _ := strings.Cut(text, " (asked: ")
	said, _, _ = strings.Cut(said, " (said before: ")
	if len(said) > 600 || countWords(said) > slotWords {
		return "", false
	}
	kind, rest, _ := strings.Cut(slot, ":")
	if kind+":" == overSlots && e.kind != anotherTime {
		return "", false
	}
	if e.abroad {
		return "", e.endsAbroad(said)
	}
	expanded := leadIn.ReplaceAllString(noted.ReplaceAllString(expand(said), ""), "")
	words := wordsOf(expanded)
	if e.kind == dropped && beside != "" {
		// What an answer is about stands in its question: "yes (asked: Do you use Celery?)".
		asked := wordsOf(strings.TrimSuffix(beside, ")"))
		if at := e.at(asked); (at >= 0 && uses(asked[:at]) || e.at(words) >= 0 && uses(asked)) && !denial.MatchString(said) {
			return "", true
		}
	}
	for from := 0; from < len(words); {
		at := e.at(words[from:])
		if at < 0 {
			return "", false
		}
		at += from
		from = at + 1
		if !e.goesOn(expanded, words, at, kind, rest) || !e.whose(expanded, words, at, subject) {
			continue
		}
		if which = e.which(words, at); which != "" && e.called != "" && which != e.called {
			continue
		}
		return which, true
	}
	return "", false
}

// Names says whether a text has the words of the thing, in whatever way.
func (e Ending) Names(text string) bool { return e.at(wordsOf(text)) >= 0 }

// at is where the thing stands among words, negative if it does not.
func (e Ending) at(words []word) int {
	is := func(w word, of string) bool {
		if e.kind == anotherTime && slices.Contains(otherWords[of], w.low) {
			return true
		}
		return w.low == of || oneOf(w.low) == oneOf(of) || e.kind == dropped && len(of) > 5 && strings.HasSuffix(of, "ing") && stem(w.low) == stem(of)
	}
	if e.named {
		// One of its names is enough, unless it is another one of that name: "VW Golf", "VW Passat".
		for i, w := range words {
			if slices.ContainsFunc(e.words, func(name string) bool { return is(w, name) && !strings.ContainsAny(name, "0123456789") }) && !e.another(words, i) {
				return i
			}
		}
		return e.together(words)
	}
	found := -1
	for _, of := range e.words {
		i := slices.IndexFunc(words, func(w word) bool { return is(w, of) })
		if i < 0 {
			return e.together(words)
		}
		found = max(found, i)
	}
	return found
}

// otherWords are others by which an event is told.
var otherWords = map[string][]string{"wedding": {"married"}, "flight": {"flying", "fly", "land"}}

// together is where words tell that the speaker is together with somebody who is not named there,
// negative if they do not.
func (e Ending) together(words []word) int {
	if e.kind != splitUp || len(words) == 0 || !strings.HasPrefix(words[0].low, "we") {
		return -1
	}
	for i, w := range words {
		if i > 0 && w.capital {
			return -1
		}
	}
	return slices.IndexFunc(words, func(w word) bool { return w.low == "together" || w.low == "dating" })
}

// another says whether a name stands with names that the ending has not, and has not the others.
func (e Ending) another(words []word, i int) bool {
	from, to := i, i+1
	for from > 0 && words[from-1].capital && from-1 > 0 {
		from--
	}
	for to < len(words) && (words[to].capital || strings.ContainsAny(words[to].low, "0123456789")) {
		to++
	}
	of := func(w word) bool { return slices.Contains(e.words, strings.TrimSuffix(w.low, "'s")) }
	run := words[from:to]
	others := slices.ContainsFunc(run, func(w word) bool { return !of(w) })
	return others && slices.ContainsFunc(e.words, func(name string) bool {
		return !slices.ContainsFunc(run, func(w word) bool { return strings.TrimSuffix(w.low, "'s") == name })
	})
}

// which gives what more the words call the thing.
func (e Ending) which(words []word, at int) string {
	if e.kind == died || e.kind == splitUp || e.kind == gaveOver {
		if at > 0 && (people4[words[at-1].low] || animal5[words[at-1].low]) {
			return relation(words[at-1].low)
		}
		return ""
	}
	if e.named {
		return ""
	}
	if e.kind == anotherTime {
		if at > 0 && (words[at-1].low == "my" || words[at-1].low == "our") {
			return "my"
		}
		if at > 0 && !emptyWords[words[at-1].low] && !slices.Contains(e.words, words[at-1].low) && !auxiliaries[words[at-1].low] && !presents[words[at-1].low] {
			return words[at-1].low
		}
		return ""
	}
	var names []string
	for i, w := range words {
		if w.capital && i > 0 && !months3(w.low) && w.low != "i" && weekdays[w.low] == 0 {
			names = append(names, w.low)
		}
	}
	return strings.Join(names, " ")
}

var (
	denial = english(`^(?:no|nope|nah|not|never)\b`)
	// useVerbs are what is done with what may be dropped.
	useVerbs = set(`use uses using play plays playing do doing take takes taking run runs running drink drinks drinking eat eats eating smoke smokes smoking practise practice train trains training learn learning attend on prescribed deploy deploys deployed host hosted hosting store stored built based broker`)
	// atTimeOnce are kinds of slots of which one thing holds at a time.
	atTimeOnce = set(`home work role studies name partner age birthday school car phone`)
	// beside6 are words of where one lives or works.
	beside6 = set(`live living based work working home`)
	// lettered is a mark of letters and digits, which is no other's by chance: "2B".
	lettered = newPattern(`^(?:\d+\pL+|\pL+\d+)$`)
	// doers are before what one does, in the form of a verb.
	doers = set(`i we am are go goes going`)
	// machines are what a thing is kept in or runs on, whatever its name.
	machines = set(`runs run deploy deploys deployed hosted host built written stored`)
	// schemes are words of what is planned.
	schemes = set(`plan plans planning planned going moving flying travelling traveling trip holiday vacation visit visiting booked book booking want wants hope hoping looking thinking will would buying getting starting upcoming next tickets flight hotel considering soon fly travel signed offer invited`)
	// couples are words of those who are together.
	couples = set(strings.ReplaceAll(strings.NewReplacer("[ée]e?", "e").Replace(partners), "|", " ") + ` together dating seeing relationship married engaged fiancé fiancée couple`)
	// partWords are what somebody has a part by.
	partWords = set(`lead leads leading does do runs run manages manage handles handle head heads works work responsible co-founder cofounder founder boss manager colleague coworker supervisor partner cto ceo reviews review owns maintains maintain mentor mentors`)
	// partVerbs are what somebody does who has a part in something.
	partVerbs = set(`leads does runs handles manages owns reviews maintains heads works covers`)
	// people4 are those of whom a speaker speaks by a relation.
	people4 = set(strings.NewReplacer("[ée]e?", "e", "u?", "u", "|", " ").Replace(sole+"|"+several+"|"+many) + ` parents mum mom dad kids children siblings in-laws family`)
)

func uses(words []word) bool {
	return slices.ContainsFunc(words[max(0, len(words)-8):], func(w word) bool { return useVerbs[w.low] })
}

// goesOn says whether a text tells of the thing as of something that goes on, in the way in which the
// ending says that it is over.
func (e Ending) goesOn(text string, words []word, at int, kind, rest string) bool {
	holds := func(w string) bool { return slices.Contains(strings.Fields(rest), w) }
	if slices.ContainsFunc(e.words, holds) && (kind == "has" && e.kind == notHad || kind == "pet" && e.kind == died || kind == "habit" && e.kind == dropped || kind == "going to" && e.kind == calledOff) {
		return true
	}
	if e.kind == notHad && slices.Contains(strings.Split(belongings, "|"), kind) {
		return true
	}
	if e.kind != splitUp && past(words[:min(at+3, len(words))]) && !(e.kind == anotherTime && movedAt(text)) {
		return false
	}
	switch e.kind {
	case calledOff:
		return slices.ContainsFunc(words, func(w word) bool { return schemes[w.low] }) && !slices.ContainsFunc(words[:at], func(w word) bool { return w.low == "live" || w.low == "lives" })
	case splitUp:
		return slices.ContainsFunc(words, func(w word) bool { return couples[w.low] })
	case leftBehind:
		return kind == "home" || kind == "work" || kind == "lives with" || slices.ContainsFunc(words[:at], func(w word) bool { return beside6[w.low] })
	case misSaid:
		return atTimeOnce[kind] || lettered.MatchString(e.words[0]) || slices.ContainsFunc(words, func(w word) bool {
			return slices.ContainsFunc(e.beside, func(b string) bool { return stem(b) == stem(w.low) })
		})
	case notSo:
		return slices.ContainsFunc(words, func(w word) bool { return supposes5[w.low] })
	case dropped:
		return at == 0 && words[0].low != e.words[0] || at > 0 && doers[words[at-1].low] || uses(words[:at]) || stem(words[at].low) == rest
	case gaveOver:
		for i, w := range words {
			if i != at && w.capital && i+1 < len(words) && partVerbs[words[i+1].low] {
				return false // of another one besides
			}
		}
		near := words[max(0, at-4):min(len(words), at+4)]
		return slices.ContainsFunc(near, func(w word) bool { return partWords[w.low] })
	case anotherTime:
		return slices.ContainsFunc(words, func(w word) bool {
			return months3(w.low) || weekdays[w.low] > 0 || w.low == "tomorrow" || clock.MatchString(w.low)
		})
	}
	return true
}

// movedAt says whether a text tells itself when an event is that was moved.
func movedAt(text string) bool {
	e, ok := EndingOf(text)
	return ok && e.kind == anotherTime
}

// whose says whether a text tells of the thing as of the speaker's, or of whom the ending names.
func (e Ending) whose(text string, words []word, at int, subject string) bool {
	if e.kind == anotherTime && !e.own {
		return true // "the surgery is postponed" of whom it was told
	}
	for i := at - 1; i >= max(0, at-5); i-- {
		low := words[i].low
		switch {
		case low == "my" || low == "our":
			return e.kind == died || e.kind == gaveOver || e.kind == splitUp || !slices.ContainsFunc(words[i+1:at], func(w word) bool { return people4[w.low] })
		case others3[low], strings.HasSuffix(low, "'s") && !contractions2[low] && !slices.Contains(e.words, low):
			return false
		}
		if auxiliaries[low] || presents[low] || pasts[low] {
			break
		}
	}
	if e.kind == died || e.kind == gaveOver || e.kind == splitUp {
		return true
	}
	if e.kind == dropped && slices.ContainsFunc(words[:at], func(w word) bool { return machines[w.low] }) && !slices.ContainsFunc(words[:at], func(w word) bool { return people4[w.low] }) {
		return true
	}
	if subject != "" && !slices.Contains(e.words, subject) {
		return false
	}
	if s := newSaying(text); s.known {
		return s.subject == "" || slices.Contains(e.words, s.subject)
	}
	return !slices.ContainsFunc(words[:at], func(w word) bool {
		return people4[w.low] || w.low == "he" || w.low == "she" || w.low == "they" || givenNames[w.low]
	})
}

// contractions2 end as possessives do.
var contractions2 = set(`it's that's there's here's what's who's let's`)
