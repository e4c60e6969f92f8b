package extract

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memdhq/memd"
)

// Most of what a user types is part of the talk: what they think of the answer, how the
// thing that is worked on behaves, a nudge, a wish for this one answer. It tells nothing
// of them or their world. What does tell names somebody, something of their own, a time
// or a figure, or says of the speaker or of a thing more than words that are about
// talking can say. A sentence is taken apart just so far that this can be seen.

// worthWords is the most words of a sentence that is looked at so: a longer one tells
// something.
const worthWords = 24

// amongPeople says whether somebody talks with others and not, as far as can be seen, with
// an assistant: then what is said is hardly ever about the talk or an answer.
func (g *grouping) amongPeople() bool {
	return g.message.Name != "" && !slices.ContainsFunc(g.heard, func(m *memd.Message) bool { return m.Role == memd.RoleAssistant })
}

// worth says whether a sentence of which said states something is worth keeping where it
// stands: behind a statement it may belong to it, and where it has a slot or is to hold
// from now on it is in any case.
func (g *grouping) worth(text, said string) bool {
	if words := wordsOf(said); len(words) > 1 && words[0].low == "whenever" && emptyOf(words[1:]) {
		return false
	}
	if g.tells(said) || forbids.MatchString(said) || standing.MatchString(said) {
		return true
	}
	words := wordsOf(text)
	if a := slotOf(said); a.name != "" && !slotOfTalk(a, words) {
		return true
	}
	if g.onTopic(text) {
		return true
	}
	if len(g.out) > 0 && g.leans(text) && (refersBack(words) || g.adjacent && !verbal(words) && !emptyOf(words)) {
		return true
	}
	// "It's blue" may be of what its speaker told in the message before.
	return !g.spoken && len(words) > 0 && pointsBack(words) && !emptyOf(words) && g.leansOnMessage()
}

// tells says whether a sentence of a user tells anything that is worth keeping.
func (g *grouping) tells(text string) bool {
	if countWords(text) > worthWords || len(text) > 300 {
		return true
	}
	if born.MatchString(text) || tellsNew(text) || labelled.MatchString(text) && !todo.MatchString(text) {
		return true
	}
	if hereIs.MatchString(text) || saidBy.MatchString(text) || sought.MatchString(text) && !verbal(wordsOf(text)) || wishesFor.MatchString(text) && !ownsThing(text) && !conditioned(text) || !strings.ContainsFunc(text, unicode.IsLetter) && strings.ContainsAny(text, "+*/=^<>") {
		return false
	}
	if g.anchored(text) {
		return true
	}
	expanded := expand(text)
	for _, part := range clauseMark.Split(expanded, -1) {
		if g.clauseTells(wordsOf(part)) {
			return true
		}
	}
	return false
}

var (
	// born tells of a birth.
	born = english(`^\W*(?:it's|its|it is|we're having|twins)(?: (?:an?|two|twin))* (?:girls?|boys?)\b`)
	// newTo tells of what somebody knows little yet.
	newTo = english(`^` + lightWords + `(?:i(?:'m| am)?|im|we(?:'re| are)?)\s+(?:(?:still|quite|pretty|very|totally|completely|fairly|relatively|rather|kinda|kind of|a bit|really|so|brand|an?|absolute|complete|total)\s+)*(?:(?:new|newbie|noob|newcomer|beginner)\s+(?:to|at|in|with))\s+(?:(?:the|a|an)\s+)?(\pL[\pL\d+#.-]*(?: \pL[\pL\d+#.-]*)?)(?:\W*$|\s*[,;(–—-].*|\s+(?:and|but|so|since|programming|development)\b.*)`)
	// labelled names what it tells: "stack: Kotlin, no cloud".
	labelled = english(`^(?:` + lightWords + `)?\pL+(?: \pL+)?: \pL+[ ,]+\pL`)
	// todo labels what is to be done with the text at hand.
	todo = english(`^` + lightWords + `(?:nit|todo|fixme|typo|edit|error|question|answer|output|input|note to self|weekend plans|mood|status|me|you|also me|q|a|pov|fun fact about you):`)
	// wishesFor asks for what an answer may be: "I need a short poem about autumn".
	wishesFor = english(`^` + lightWords + `(?:(?:i|we)(?:'d| would)? (?:just |really |also )?)?(?:need|want|like|love|looking for|am looking for|'m looking for|could use)\s+(?:(?:a|an|some|any|the|your|another|one|two|three|four|five|six|ten|\d+|more|good|nice|short|quick|simple|new|better|different|\pL+y|list of|few)\s+){0,4}(?:word|words|synonyms?|recipes?|poems?|names?|list|ideas?|examples?|quotes?|jokes?|titles?|captions?|slogans?|essay|e-?mail|letter|sentences?|paragraph|code|script|formula|regex|query|explanation|translation|summary|definition|riddles?|story|tips?|advice|suggestions?|recommendations?|help|hand|opinion|feedback|template|outline)\b`)
	// hereIs hands something over.
	hereIs = english(`^` + lightWords + `(?:here(?:'s| is| are|s)|these are|this is) (?:my|the|our)(?: (?:full|whole|current|new|old|first|second))? (?:\.\w+|code|file|log|logs|output|config|query|text|draft|email|essay|letter|list|error|stack ?trace|schema|script|function|diff|paragraph|prompt|data|table|screenshot|picture|photo|notes|poem|intro|attempt|try|answer|solution|translation|sentence|question|one)s?\b[^.]{0,20}$`)
	// sought is what one looks up: "weather in Oslo tomorrow".
	sought = english(`^` + lightWords + `(?:weather|forecast|time|price|prices|flights?|trains?|hotels?|directions|distance|population|capital|meaning|definition|synonyms?|recipes?|ideas|suggestions|tips|best|cheap|cheapest|nearest|top|random|regex|sql|lyrics|news|score|results?)\b.*\b(?:in|for|to|from|of|between|at|near|with|under|about|on)\s`)
)

// tellsNew says whether somebody tells of what they know little yet, by its name: "new to
// Go", not "new to this".
func tellsNew(text string) bool {
	m := newTo.FindStringSubmatch(text)
	if m == nil || len(text) > 200 {
		return false
	}
	named := wordsOf(m[1])
	return !pointers[named[0].low] && (named[0].capital || named[0].low == "go" || !emptyOf(named))
}

// clauseMark parts the clauses of a sentence.
var clauseMark = english(`[,;:!?.…()"“”]+(?:\s+|$)|\s+[-–—]+\s+|\s+(?:and|but|so|because|cuz|cause|bc|then|though|although|or|when|if|until|while|where|than|before|after)\s+`)

// onTopic says whether a sentence is what its speaker thinks of the topic they just named:
// "rom coms? not for me".
func (g *grouping) onTopic(text string) bool {
	if n := countWords(g.asked); n == 0 || n > 3 || !endsAsking(g.asked) {
		return false
	}
	asked, words := wordsOf(g.asked), wordsOf(text)
	return len(words) > 0 && !verbal(asked) && !emptyOf(asked) && !questionWords[asked[0].low] && (mine(words) || words[0].low == "i" || tasteAnswer.MatchString(text))
}

// forbids is a command that may be meant to hold: "don't use emojis with me".
var forbids = english(`^` + lightWords + `(?:don't|dont|do not|stop|avoid|no more)\s+(?:use|using|call|calling|send|sending|give|giving|add|adding|write|writing|include|including|mention|mentioning|start|starting|end|ending)\s+(?:me\s+)?[\pL-]+`)

// slotOfTalk says whether a slot is only of what is talked of: a liking of "the opening",
// or "like" that is no verb. What is named without "the" is liked wherever it is met:
// "I love coffee", "I like puns"; so is what goes by the clock, "the train".
func slotOfTalk(a about, words []word) bool {
	thing, taste := strings.CutPrefix(a.name, "taste:")
	if !taste || len(words) == 0 {
		return false
	}
	named := wordsOf(thing)
	if words[0].low == "like" || len(named) == 0 {
		return true
	}
	last := named[len(named)-1].low
	return (talkNouns[last] || workNouns[last] && !rides[last]) && pointedAt(named, words)
}

// pointedAt says whether a thing has "the" or its like before it among words, as what is
// at hand has.
func pointedAt(thing, words []word) bool {
	if definite[thing[0].low] {
		return true
	}
	for i, w := range words {
		if i > 0 && w.low == thing[0].low && definite[words[i-1].low] {
			return true
		}
	}
	return false
}

// likesPlainly says whether words, of which the first is who speaks, name without "the"
// what they like or prefer: "I like beer and pizza", not "I prefer the second one" or "I
// prefer shorter".
func likesPlainly(words []word) bool {
	i := 1
	for i < len(words) && likings[words[i].low] == adverb {
		i++
	}
	if i+1 >= len(words) || likings[words[i].low] != liking {
		return false
	}
	object := words[i+1 : i+2]
	return !definite[object[0].low] && !pointers[object[0].low] && !emptyOf(object)
}

const (
	liking = 1 + iota
	adverb
)

// likings are verbs of taste, and what may stand before them.
var likings = map[string]int{
	"prefer": liking, "like": liking, "love": liking, "enjoy": liking, "hate": liking, "dislike": liking,
	"really": adverb, "much": adverb, "also": adverb, "always": adverb, "usually": adverb, "generally": adverb, "definitely": adverb, "still": adverb, "just": adverb, "do": adverb, "not": adverb, "both": adverb,
}

// leansOnMessage says whether there is a statement in the message before that "it" can
// stand for.
func (g *grouping) leansOnMessage() bool {
	if g.shallow || g.question != "" || len(g.out) > 0 {
		return false
	}
	from, _, chatting := g.own(g.ctx, g.message)
	return from != nil && chatting
}

// clauseTells says whether a clause without names and figures tells anything.
func (g *grouping) clauseTells(words []word) bool {
	if len(words) > 1 && words[0].low == "no" && words[1].low == "need" {
		return false
	}
	for len(words) > 1 && (openingWords[words[0].low] || words[0].low == "never" && len(words) > 1 && auxiliaries[words[1].low]) {
		words = words[1:]
	}
	if len(words) == 0 || emptyOf(words) && !habitual(words) {
		return false
	}
	first, second := words[0].low, ""
	if len(words) > 1 {
		second = words[1].low
	}
	switch {
	case first == "i" || first == "we":
		return doesWith(words) || likesPlainly(words) || selfTells(words[1:])
	case (first == "my" || first == "our"):
		// "my brain is mush" tells less than "my eyes are sensitive to light"
		return !fleetingThings[second] || len(words) > 4 && auxiliaries[words[2].low] && contents(words[3:]) > 1
	case first == "one" && second == "of":
		return true
	case first == "wish" && second == "me", first == "such" && (second == "a" || second == "an"), first == "late" && second == "for", len(words) == 2 && second == "me":
		return false
	case (first == "this" || first == "that" || first == "these" || first == "those") && second != "" && !auxiliaries[second] && !presents[second] && !pasts[second] && !talkWords[second] && !light[second] && !strings.HasSuffix(second, "ed") && !(strings.HasSuffix(second, "s") && len(words) > 2 && (pointers[words[2].low] || determiners[words[2].low] || words[2].low == "me")):
		if first == "that" {
			return false
		}
		for _, w := range words[1:min(len(words), 4)] {
			if workNouns[w.low] {
				return false // what both have before them
			}
		}
		return nounTells(words[1:])
	case pointers[first], first == "you" || first == "u" || first == "your" || first == "ur" || first == "ya" || first == "you're" || first == "you've":
		for i, w := range words[1:] {
			if (w.low == "i" || w.low == "we") && i+2 < len(words) {
				return selfTells(words[i+2:]) // "it's not that I don't like fish"
			}
		}
		return false
	case first == "he" || first == "she" || first == "they":
		return len(words) > 1 && selfTells(words[1:])
	case first == "his" || first == "her" || first == "their":
		return len(words) > 2
	case len(words) < 6 && len(words) > 2 && words[len(words)-1].low == "is" && words[len(words)-2].low == "it":
		return false // "lemon it is"
	case first == "here" || first == "here's" || first == "heres":
		return false
	}
	if len(words) > 2 && !mine(words) && (second == "is" || second == "are") && !determiners[first] && !words[0].capital {
		if last := words[len(words)-1].low; emptyOf(words[2:]) && last != "fine" && last != "ok" && last != "okay" || last == "again" {
			return false // "css is pain", "ci is red again"
		}
	}
	if !verbal(words) && !(len(words) == 3 && first == "the" && strings.HasSuffix(words[2].low, "s")) {
		return fragmentTells(words)
	}
	if thirdSingular(first) || first == "not" || first == "no" && !verbal(words[1:]) {
		return len(words) > 5 && !talkNouns[words[len(words)-1].low]
	}
	if wishVerbs[first] || auxiliaries[first] || pasts[first] || strings.HasSuffix(first, "ed") && !notPast[first] && len(first) > 3 || strings.HasSuffix(first, "ing") && !notDoing[first] && len(first) > 4 && !talkWords[first] {
		return tellsOf(words, true) // "tried it already", "would never do that"
	}
	return nounTells(words)
}

// habitual says whether words tell plainly what somebody does with a thing: "I skip
// breakfast".
func habitual(words []word) bool {
	if doesWith(words) {
		return true
	}
	return len(words) > 2 && words[0].low == "i" && talkWords[words[1].low] && !mindVerbs[words[1].low] && !wishVerbs[words[1].low] && presents[words[1].low] &&
		!light[words[2].low] && !pointers[words[2].low] && !talkNouns[words[2].low] && !workNouns[words[2].low]
}

// doesWith says whether words tell with what somebody does something: "I read on a tiny
// screen".
func doesWith(words []word) bool {
	return len(words) > 4 && words[0].low == "i" && doneWith[words[1].low] && (words[2].low == "on" || words[2].low == "with" || words[2].low == "from") && indefinite[words[3].low]
}

// doneWith are verbs of what one does with a thing again and again.
var doneWith = set(`read write type work listen watch draw code browse sleep study`)

// emptyOf says whether words are only of the talk.
func emptyOf(words []word) bool {
	for i, w := range words {
		low := w.low
		if low == "my" || low == "our" {
			continue // what it is before was looked at
		}
		if !light[low] && !talkWords[low] && !light[shorten(low, 1)] && !openingWords[low] && !(fleetingThings[low] && i > 0 && (words[i-1].low == "my" || words[i-1].low == "our")) && !unicode.IsDigit(rune(low[0])) && !(len(low) > 4 && strings.HasSuffix(low, "ly") && !noManner[low]) && !(i > 0 && talkNouns[low]) {
			return false
		}
	}
	return true
}

// contents counts the words that are not only of the talk.
func contents(words []word) int {
	n := 0
	for i := range words {
		if !emptyOf(words[i : i+1]) {
			n++
		}
	}
	return n
}

// thirdSingular says whether a word is a verb whose subject is left out: "needs",
// "smells".
func thirdSingular(low string) bool {
	return strings.HasSuffix(low, "s") && presents[low] && (presents[strings.TrimSuffix(low, "s")] || presents[strings.TrimSuffix(low, "es")])
}

// nounTells says whether what is said of a thing tells of more than what is worked on.
func nounTells(words []word) bool {
	i := 0
	for i < len(words)-1 && (determiners[words[i].low] || ordinals[words[i].low] || unicode.IsDigit(rune(words[i].low[0]))) {
		i++
	}
	if i > 0 && i+2 < len(words) && (words[i+1].low == "looks" || words[i+1].low == "look" || words[i+1].low == "sounds" || words[i+1].low == "seems" || words[i+1].low == "feels" || words[i+1].low == "was") && emptyOf(words[i+2:]) {
		return false // "the movie was so bad"
	}
	for n := i; n < len(words) && n < i+3; n++ {
		low := strings.TrimSuffix(words[n].low, "'s")
		if talkNouns[low] && !(n+1 < len(words) && words[n+1].low == "of") {
			return false
		}
		if workNouns[low] {
			if mine(words) && words[0].low != "this" && words[0].low != "that" {
				return true
			}
			for _, w := range words[n+1 : min(len(words), n+4)] {
				if w.low == "must" || w.low == "should" || w.low == "needs" {
					return true
				}
				if problems[w.low] {
					return false
				}
			}
			if n+1 < len(words) && emptyOf(words[n+1:]) {
				return false
			}
			break
		}
		if auxiliaries[low] || presents[low] && n > i {
			break
		}
	}
	return len(words) > 2
}

// fragmentTells says whether words without a verb tell anything by themselves.
func fragmentTells(words []word) bool {
	if mine(words) {
		return true
	}
	last := words[len(words)-1].low
	if unlike[words[0].low] {
		return false
	}
	if last == "here" && len(words) > 1 && !emptyOf(words) && !isWeather(words) {
		return true // "nurse here"
	}
	for _, w := range words {
		if selfNouns[w.low] || callings[w.low] {
			return true
		}
	}
	if words[0].low == "new" && len(words) > 1 && !talkNouns[words[1].low] && !workNouns[words[1].low] {
		return true
	}
	return len(words) > 6 && !determiners[words[0].low] && !light[words[0].low] && !talkWords[words[0].low]
}

func isWeather(words []word) bool {
	for _, w := range words {
		if weather[w.low] {
			return true
		}
	}
	return false
}

// mine says whether words tell of somebody who speaks: "coffee keeps me up".
func mine(words []word) bool {
	for _, w := range words {
		if w.low == "me" || w.low == "us" {
			return true
		}
	}
	return false
}

// noManner are words that end as those of manner do, and are none.
var noManner = set(`family italy belly jelly bully july assembly anomaly lily fly supply butterfly monopoly`)
