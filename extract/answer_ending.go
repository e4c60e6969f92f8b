package extract

import "strings"

// "How is Rex?" "He died last month": who is asked after is told of by a pronoun, what is
// asked of as going on is said to be over by a verb alone.

var (
	askedAfter = english(`^` + askLead + `(?:how(?:'s|s| is| are| has)|and|what about|how about)\s+(?:(?:your|ur)\s+)?((?:(?:` + partners + `|` + animals + `)s?)?\s*(?:\p{Lu}[\pL'’-]+)?)(?:\s+(?:doing|been|these days|now|today|lately))*\s*\?`)
	theyDid    = english(`^(?:(?:oh|sadly|unfortunately|well|not good|bad news|um+)[\s,.:!]+)*(?:he|she|it)(?:'s| has)?\s+((?:sadly |just )?(?:died|passed away|passed on|was put down|ran away)\b.*)$`)
	stillDoing = english(`\bdo (?:you|u) (?:still )?((?:smoke|drink|vape|play|eat|go to|work|live|take|study|use)\b[^?]*)\?`)
	overNow    = english(`^(?:(?:oh|no|nah|nope|well|actually)[\s,.!]+)*(?:i (?:have |'ve )?(?:quit|stopped|gave (?:it|that|them) up|gave up|left|dropped it)|(?:i )?quit|(?:i )?stopped)(?:\s+(?:it|that|last \pL+|in \pL+|(?:\pL+ )?(?:months?|weeks?|years?|days?) ago|recently|a while ago|yesterday))*\W*$`)
)

var (
	doingFirst = english(`^\s*(?:(?:live|work|go|study) (?:in|at|for|as|to|with)|\pL+)\s*`)
	whenOrHow  = english(`\b(?:at|on|in|with|before|after|during|for|from|by|to|near|as|every|when|while|alone|indoors|outdoors|outside|inside|together|daily|weekly|without|around|until|since|because|if|that)\b`)
	unlimited  = english(`\b(?:at all|at the moment|these days|any ?more|any longer|in general)\b`)
)

// qualified says whether a clause limits what it tells of to a time, a place or a company:
// who stopped drinking coffee at night may drink it by day.
func qualified(clause string) bool {
	return whenOrHow.MatchString(doingFirst.ReplaceAllString(unlimited.ReplaceAllString(clause, ""), ""))
}

// endedByAnswer gives what an answer says to be over of what its question asks after, which
// may be nothing that ends anything.
func endedByAnswer(question, answer string) (about, bool) {
	if did := theyDid.FindStringSubmatch(answer); did != nil {
		if m := askedAfter.FindStringSubmatch(question); m != nil {
			fields := strings.Fields(m[1])
			if len(fields) == 0 {
				return about{}, false
			}
			who := fields[len(fields)-1]
			if !startsName(who) {
				who = "My " + who
			}
			if a := slotOf(who + " " + did[1]); a.negated {
				return a, true
			}
		}
		return about{}, false
	}
	if overNow.MatchString(answer) {
		if m := stillDoing.FindStringSubmatch(question); m != nil {
			if qualified(m[1]) {
				return about{}, true
			}
			a := slotOf("I " + strings.TrimSpace(strings.ReplaceAll(m[1]+" ", " your ", " my ")))
			if a.name != "" && !a.negated {
				a.negated = true
				return a, true
			}
		}
	}
	return about{}, false
}
