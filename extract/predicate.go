package extract

import "strings"

// A clause of a speaker on themself is taken for its verb, what stands before that and
// what behind: "I'll try that again" is of the moment, "I try a new dish every week" not.

// predicate is what a speaker says of themself.
type predicate struct {
	// verb is its main verb, or what stands behind "am"; rest are the words behind.
	verb string
	rest []word
	// be says that there is a form of "be" before, duty that it is yet to be done, habit
	// that it is told in the plain present, elided that it is a word alone.
	be, duty, habit, elided bool
}

// predicateOf takes what follows a subject apart; ok is false if there is no verb but
// auxiliary ones.
func predicateOf(words []word) (p predicate, ok bool) {
	p.habit = true
	i := 0
	for i < len(words) && modals[words[i].low] && !mainVerb(words[i:]) {
		low := words[i].low
		p.be = p.be || forms[low]
		p.duty = p.duty || duties[low]
		p.habit = p.habit && plainly[low]
		i++
	}
	if i >= len(words) {
		return p, false
	}
	p.verb, p.rest = words[i].low, words[i+1:]
	return p, true
}

// mainVerb says whether the first of some words, which may be an auxiliary, is the main
// verb: "I have a cat", "I need coffee".
func mainVerb(words []word) bool {
	low, next := words[0].low, ""
	if len(words) > 1 {
		next = words[1].low
	}
	perfect := low == "have" && (pasts[next] || strings.HasSuffix(next, "ed") || modals[next])
	return toVerbs[low] && next != "to" && !perfect
}

// selfTells says whether what a speaker says of themself outlasts the moment.
func selfTells(words []word) bool { return tellsOf(words, false) }

// tellsOf is selfTells for a clause whose subject is there or left out.
func tellsOf(words []word, subjectless bool) bool {
	p, ok := predicateOf(words)
	p.elided = subjectless && len(words) == 1
	if !ok || p.be && p.ofState() {
		return false
	}
	if p.be && !p.doing() {
		return p.verb != "stuffed"
	}
	if p.doing() && !p.be && !lifeDoings[p.verb] && emptyOf(p.rest) {
		return false // "still searching"
	}
	if p.doing() || strings.HasSuffix(p.verb, "ed") || pasts[p.verb] && !eitherTense[p.verb] {
		p.habit = false
	}
	for len(p.rest) > 0 && (particlesBehind[p.rest[0].low] || modals[p.rest[0].low] && p.rest[0].low != "have") {
		p.rest = p.rest[1:]
	}
	if phases[p.verb] && len(p.rest) > 1 && strings.HasSuffix(p.rest[0].low, "ing") {
		p.verb, p.rest, p.habit = p.rest[0].low, p.rest[1:], false // "tried turning it off"
	}
	if p.ofMoment() {
		return false
	}
	if len(p.rest) == 0 {
		return !light[p.verb] && !talkWords[p.verb] && !mindVerbs[p.verb]
	}
	return p.objectTells()
}

func (p predicate) doing() bool { return strings.HasSuffix(p.verb, "ing") }

// ofState says whether what one is, or is at, is of the moment.
func (p predicate) ofState() bool {
	bare, at := emptyOf(p.rest), p.verb == "in" || p.verb == "on" || p.verb == "at"
	if bare && (at || talkWords[p.verb] || p.doing() && !lifeDoings[p.verb]) {
		return true
	}
	if !at || len(p.rest) == 0 || len(p.rest) > 4 {
		return false
	}
	for i, w := range p.rest {
		if situations[w.low] && emptyOf(p.rest[i+1:]) {
			return true
		}
	}
	return len(p.rest) > 1 && p.rest[0].low == "the" && p.rest[1].low == "wrong"
}

// ofMoment says whether what one does is done with in a moment, whatever is done so.
func (p predicate) ofMoment() bool {
	n, bare := len(p.rest), emptyOf(p.rest)
	consumed := n < 4 && momentary[headOf(p.rest)]
	switch {
	case linking[p.verb] && bare: // "turned out perfect"
	case n > 1 && n < 4 && p.rest[0].low == "my" && fleetingThings[p.rest[1].low]: // "stretch my legs"
	case consumed && (wishVerbs[p.verb] || !p.be && p.doing() && !lifeDoings[p.verb] || !p.habit && consuming[p.verb]): // "need coffee", "might order pizza"
	case n == 0 && (p.elided && strings.HasSuffix(p.verb, "ed") || p.duty && !lifeDoings[p.verb+"ing"]): // "merged", "need to stretch"
	case n == 0:
		return false
	case !p.habit && (bodily[p.verb] && bare || workVerbs[p.verb] && !mine(p.rest)): // "slept badly", "deployed to staging"
	case p.verb == "stop" && n == 1 && strings.HasSuffix(p.rest[0].low, "ing") && !lifeDoings[p.rest[0].low] && !vices[p.rest[0].low]: // "can't stop yawning"
	case !p.be && choring[p.verb]: // "cleaning the kitchen"
	case playVerbs[p.verb] && p.habit: // "I attack the goblin"
	default:
		return false
	}
	return true
}

// objectTells says whether what one does is done to more than what is talked of.
func (p predicate) objectTells() bool {
	object, _, _ := strings.Cut(p.rest[0].low, "'")
	determined := definite[object] || indefinite[object]
	switch {
	case object == "you" || object == "u" || object == "ya":
		return false
	case wishVerbs[p.verb] && len(p.rest) > 1 && (object == "know" || object == "hear" || object == "ask" || object == "see"):
		return !mindOfTalk(p.rest[1:])
	case pointers[object] && (len(p.rest) == 1 || !nounAfter(p.rest[1].low)):
		// "I restarted it twice", "I want it funnier"
		return creates[p.verb] || !(wishVerbs[p.verb] || mindVerbs[p.verb]) && !emptyOf(p.rest)
	case indefinite[object] && wishVerbs[p.verb]:
		for i, w := range p.rest[1:] {
			if i < 4 && products[w.low] {
				return false // "I need a recipe for banana bread"
			}
		}
	case !determined && (mindVerbs[p.verb] || wishVerbs[p.verb]) && complements[object]:
		return !mindOfTalk(p.rest) // "I see where this goes"
	}
	if mindVerbs[p.verb] && (object == "this" || object == "that" || object == "the") && verbal(p.rest) && !nounTells(p.rest) {
		return false // "I swear this boss hates me"
	}
	if determined && (!p.habit || mindVerbs[p.verb]) {
		for i := 1; i < min(len(p.rest), 4); i++ {
			if low := p.rest[i].low; talkNouns[low] || workNouns[low] {
				return !emptyOf(p.rest[i+1:])
			}
		}
	}
	return true
}

var (
	forms   = set(`am are was were be been is`)
	duties  = set(`need have got going gonna gotta will should must let`)
	plainly = set(`also really not do`)
	// phases are verbs of how far a doing is.
	phases     = set(`try tried keep kept stopped started finished`)
	consuming  = set(`order ordered grab eat make made cook`)
	vices      = set(`smoking drinking eating gambling`)
	definite   = set(`the that this those these your all`)
	indefinite = set(`a an some any one another more my two three`)
	// creates are verbs of what one makes, which "this" may show.
	creates = set(`painted drew knitted sewed baked built carved composed crocheted cooked brewed grew planted wrote cook`)
	// toVerbs are modals only before "to".
	toVerbs   = set(`need want have got like try going`)
	bodily    = set(`slept ate woke yawned napped overslept`)
	workVerbs = set(`deployed merged reverted pushed committed rebased compiled restarted rebooted reloaded refreshed retried rerun redeployed stashed formatted`)
	choring   = set(`cleaning cooking washing watching eating tidying vacuuming folding packing unpacking waiting sitting lying typing scrolling parking grabbing ironing reading brewing boiling`)
	// situations are what one is in or at for a while.
	situations = set(`mood hurry rush meeting call queue line class lecture traffic bath shower bed car bus train cab taxi elevator lift toilet couch sofa`)
	// playVerbs are what is done in a play only.
	playVerbs = set(`attack cast dodge parry loot stab slash equip summon`)
	// linking are verbs of how something came out.
	linking         = set(`turned came went got get getting looks looked`)
	momentary       = set(`coffee tea water food sleep rest caffeine beer wine lunch dinner breakfast air sugar chocolate cake pizza snacks`)
	particlesBehind = set(`up out off down back over on in at about with to for of again just only`)
	complements     = set(`you your i we so not what where how why when whether if who which that it this`)
)

// headOf is the first of words but for what tells how much, "" for none.
func headOf(words []word) string {
	for _, w := range words {
		if !determiners[w.low] && !light[w.low] {
			return w.low
		}
	}
	return ""
}

// mindOfTalk says whether what one thinks or knows is of the talk only.
func mindOfTalk(words []word) bool {
	first := words[0].low
	if first == "so" || first == "not" || first == "your" || first == "you" || pointers[first] && first != "what" && first != "which" {
		return true
	}
	if first == "i" || first == "we" {
		return !selfTells(words[1:])
	}
	if words = words[1:]; len(words) > 0 && (words[0].low == "i" || words[0].low == "we") {
		return !selfTells(words[1:])
	}
	return len(words) == 0 || emptyOf(words) || words[0].low == "you" || words[0].low == "it" || words[0].low == "this" || words[0].low == "that" || words[0].low == "your"
}

// nounAfter says whether a word behind "this" or "one" seems to be a noun that belongs
// to it.
func nounAfter(low string) bool {
	return !light[low] && !talkWords[low] && !particlesBehind[low] && !strings.HasSuffix(low, "er") && !strings.HasSuffix(low, "ly") && !modals[low]
}
