package longterm

import (
	"regexp"
	"slices"
	"strings"
)

// "Where do I live?" and "I moved to Kiel" share no word. What a question asks for of a person
// is a slot as well, and what is told of that slot answers it whatever its words are.

// asksSlot is a form of questions, of which the first word after it may be whose it is, and
// the slots that answer it, by what their names begin with.
type asksSlot struct {
	form  *regexp.Regexp
	slots []string
}

var asksSlots = func() []asksSlot {
	of := func(form string, slots ...string) asksSlot {
		return asksSlot{regexp.MustCompile(`(?i)` + form), slots}
	}
	return []asksSlot{
		of(`\bwhere (?:do|does|did|am|is|are|was|were) .{1,40}?\b(?:live|living|based|reside|move|moved)\b|\b(?:which|what) (?:city|town|country|place) (?:do|does|am|is|are) .{1,40}?\b(?:live|living|based)\b|\bwhere(?:'s| is) (?:my|our) home\b|\bmy (?:home ?town|current city|(?:previous|former|last|old) (?:home|address|city|flat|apartment))\b`, "home"),
		of(`\bwhere (?:do|does|did|am|is|are|was|were) .{1,40}?\b(?:work|working|employed)\b|\bwho (?:do|does|did) .{1,40}? work for\b|\bwho(?:'s| is) (?:my|our) employer\b|\b(?:which|what) (?:company|firm) (?:do|does|did) .{1,40}? work\b|\bmy (?:employer|(?:previous|former|last|old) (?:job|employer|company))\b`, "work"),
		of(`\bwhat (?:do|does) .{1,40}? do (?:for (?:a living|work)|professionally)\b|\bwhat(?:'s| is| was) (?:my|our) (?:job|profession|occupation|role|position)\b`, "role", "work", "job title"),
		of(`\bwhat (?:do|does|am|is|are) .{1,40}? (?:study|studying|majoring)\b|\bmy (?:major|studies)\b`, "studies", "major"),
		of(`\bhow old (?:am|is|are)\b|\bmy age\b`, "age", "birthday"),
		of(`\bwhen(?:'s| is| was) .{1,40}? (?:birthday|born)\b|\bmy birthday\b`, "birthday"),
		of(`\bwhat(?:'s| is) my name\b|\bwho am i\b|\bwhat am i called\b|\bmy name\b`, "name", "called", "first name"),
		of(`\b(?:am|is|are) .{1,40}? (?:married|single|engaged|divorced|in a relationship)\b|\bmarital status\b|\bwho(?:'s| is) my (?:partner|wife|husband|girlfriend|boyfriend|spouse)\b|\bmy (?:partner|wife|husband|girlfriend|boyfriend|spouse)(?:'s name| called)\b`, "partner", "marital status"),
		of(`\bwho (?:do|does) .{1,40}? live with\b`, "lives with"),
		of(`\bwhat (?:am|is|are) .{1,40}? allergic to\b|\b(?:any|my|have) (?:\w+ )?allerg(?:y|ies)\b`, "allergy:"),
		of(`\bmy diet\b|\bwhat (?:can|may|should) i eat\b|\bwhat (?:can't|cannot|shouldn't) i eat\b|\b(?:am i|is (?:he|she)) (?:a )?(?:vegan|vegetarian)\b`, "diet", "allergy:"),
		of(`\bhow many (?:kids|children) (?:do|does)\b`, "number of children"),
		of(`\b(?:what|which) (?:car|vehicle) (?:do|does)\b|\bmy car\b`, "car"),
		of(`\bwhat(?:'s| is| are) my (?:pets?|dog|cat)\b|\bmy (?:pet|dog|cat)(?:'s name| called| named)\b|\b(?:what|which) pets (?:do|does)\b|\bhave (?:any )?pets\b`, "pet:"),
		of(`\b(?:what|which) languages? (?:do|does|can) .{1,40}? speak\b`, "language:", "native language"),
	}
}()

// slotsAsked gives what slots a question asks for, by what their names begin with.
func slotsAsked(text string) (slots []string) {
	if len(text) > maxSlotQuestion {
		return nil
	}
	text = strings.ReplaceAll(text, "’", "'")
	for _, a := range asksSlots {
		if a.form.MatchString(text) {
			slots = append(slots, a.slots...)
		}
	}
	return slots
}

// maxSlotQuestion is the most bytes of a question that asks for one thing.
const maxSlotQuestion = 200

// asksFor says whether a question asks for what a memory holds in its slot, of whose that is.
func (a *asked) asksFor(slot, subject string, ofSpeaker bool) bool {
	if slot == "" || !slices.ContainsFunc(a.slots, func(s string) bool {
		return s == slot || strings.HasSuffix(s, ":") && strings.HasPrefix(slot, s) || s == "lives with" && strings.HasPrefix(slot, allOfHome)
	}) {
		return false
	}
	if subject != "" {
		if slices.Contains(a.meant, subject) {
			return true
		}
		if slices.ContainsFunc(a.steps, func(step string) bool { return sameRelation(step, subject) }) {
			return false
		}
		return a.names(subject) || slices.ContainsFunc(relations[subject], a.names)
	}
	kind, _, _ := strings.Cut(slot, ":")
	return ofSpeaker && (kinKinds[kind] || !kinAsked.MatchString(a.text))
}

var (
	// kinAsked is in a question about somebody of the asker's, kinKinds are kinds of slots that
	// name such people.
	kinAsked = regexp.MustCompile(ownRelation)
	kinKinds = map[string]bool{"partner": true, "marital status": true, "pet": true, "lives with": true}
)
