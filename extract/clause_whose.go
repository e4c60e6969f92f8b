package extract

import "strings"

// What follows the mention of somebody may be told of them: "I'm married to Tom, a
// firefighter", "the hero is Max, he's a smuggler and allergic to silver". Where it is not sure
// that a further predicate is of the subject, the sentence stays whole.

var (
	// tellsOfOther is a clause on somebody else, within what is told of a subject.
	tellsOfOther = english(`\b(?:he|she|they|it|who|whose|which|that|his|her|their|him|them)\b|\b(?:he|she|they|it|who)'\pL+|\b(?:is|are|was|were|has|had|does)(?:n't)?\b|[\pL]'s\s+(?:an?|the|so|very|really|just|also|not|in|at|on|from|allergic|\pL+(?:ing|ed|an|ic))\b|\b(?:my|our|the|his|her)\s+[\pL-]+\s+(?:loves|likes|hates|works|lives|eats|plays|speaks|studies|teaches|drives|wants|needs|keeps|drinks|runs)\b`)
	// withOther names somebody beside the subject.
	withOther = newPattern(`\b(?:to|with|and|dating|seeing|marrying|from|love|know|called|named|than|like|of|for)\s+(?:` +
		`(?i:(?:my|our|his|her|an?|the|some|two|three)\s+(?:[\pL-]+\s+){0,2}?(?:` + sole + `|` + several + `|` + many + `|` + animals + `|` + trades + `|man|woman|guy|girl|boy|person|widow|widower|ex|parents?|family))\b|\p{Lu}[\pL'’-]+)`)
	// ownOther is somebody of a subject's, whatever is before.
	ownOther = english(`\b(?:my|our)\s+(?:[\pL-]+\s+){0,2}?(?:` + sole + `|` + several + `|` + many + `|` + animals + `)\b`)
	// ownVerb is the verb of a subject itself.
	ownVerb = english(`^\s*['\pL]+\s+`)
	// breeds are what an animal that was named may be.
	breeds   = set(`beagle greyhound labrador lab poodle terrier dachshund corgi collie spaniel retriever pug bulldog husky shepherd tabby siamese mongrel mutt`)
	anAnimal = english(`\b(?:` + animals + `)\b`)
	// fromPlace names where, and nobody.
	fromPlace = newPattern(`\b(?:from|to|of)\s+\p{Lu}[\pL'’-]+`)
	// ownArticle stands before somebody one has.
	ownArticle = english(`^(?:a|an|my|our|one)\s+`)
	// whatOne is what somebody is, by a noun.
	whatOne = english(`\ban?\s+[\pL-]+\s*$`)
)

// appositive says whether the i-th of some items tells only who or what the one before it is: "a
// nurse" behind "a husband", "a beagle" behind "my dog Rex".
func appositive(items []string, i int) bool {
	if i == 0 || !whatOne.MatchString(items[i]) {
		return false
	}
	words := wordsOf(items[i])
	what := words[len(words)-1].low
	return breeds[what] && anAnimal.MatchString(items[i-1]) || callings[what] && ownOther.MatchString("my "+ownArticle.ReplaceAllString(items[i-1], ""))
}

// ofPeople are slots whose value is somebody, or that name one.
func ofPeople(a about) bool {
	kind, _, _ := strings.Cut(a.name, ":")
	switch kind {
	case "marital status", "partner", "boss", "lives with", "friend":
		return true
	}
	return false
}

// namesOther says whether what is told of a subject, which the slot is about, names somebody else.
func namesOther(said string, a about) bool {
	if ownOther.MatchString(said) {
		return true
	}
	if !ofPeople(a) {
		said = fromPlace.ReplaceAllString(said, "")
	}
	return withOther.MatchString(said)
}

// surelyOf says whether what is told behind a part of a clause is surely of that clause's
// subject. Said is what is told of it before, mark what stands between, and finite says that the
// rest has a verb in the subject's form.
func surelyOf(said, mark, rest string, a about, finite bool) bool {
	if tellsOfOther.MatchString(said) {
		return finite && a.subject == "" && firstForm.MatchString(rest)
	}
	if !namesOther(said, a) {
		return true
	}
	joined := hasContent(mark)
	switch {
	case finite:
		return joined || a.subject == "" && firstForm.MatchString(rest)
	case !joined:
		return false // "a firefighter", behind Tom
	case strings.Contains(said, ","):
		// What is set off by commas at both ends is over: "Pia, a nurse, and allergic to cats".
		return strings.ContainsAny(mark, ",;")
	}
	return !isAlso.MatchString(rest) || !whatOne.MatchString(said)
}

// firstForm is a verb that only a speaker is said to do.
var firstForm = english(`^(?:(?:also|now|currently|still|really)\s+)*(?:am|have|don't|do|live|work|love|like|hate|speak|study|play|need|want|prefer)\b`)
