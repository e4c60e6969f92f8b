package extract

import (
	"strings"
)

// Whether a date has been or is to come is told by the clause it stands in.

// clause is a run of words of which each tells the tense of all.
type clause struct {
	end         int // the word after its last
	was, willBe bool
}

// tense says whether the clause around word i tells of what has been, and whether
// of what is to come. "I've updated the calendar: dentist on Tuesday" does not say
// that the dentist was.
func (r *reader) tense(i int) (was, willBe bool) {
	// Words are read in order, so that the clause is the last one or one after it.
	for r.clauses[r.clause].end <= i {
		r.clause++
	}
	c := r.clauses[r.clause]
	return c.was, c.willBe
}

// clauseWords is the most words of a clause: what is written without any mark is no
// sentence, and a verb so far away tells nothing of a date.
const clauseWords = 80

// cutClauses finds the clauses and reads the tense of each once.
func (r *reader) cutClauses() {
	for from := 0; from < len(r.words); {
		to := from + 1
		for to < len(r.words) && to < from+clauseWords && !r.parted(to) {
			to++
		}
		words := r.words[from:to]
		r.clauses = append(r.clauses, clauseOf(words, to))
		from = to
	}
}

func clauseOf(words []word, end int) clause {
	if decides(words) || proposes(words) {
		return clause{end: end, willBe: true}
	}
	was := past(words)
	return clause{end: end, was: was, willBe: future(words) || setsOut(words) && !was}
}

// decides says whether words tell of what was decided and is not done: "I've decided to move".
func decides(words []word) bool {
	for i := 1; i+2 < len(words); i++ {
		if lead := words[i-1].low; words[i].low == "decided" && words[i+1].low == "to" && (strings.HasSuffix(lead, "'ve") || strings.HasSuffix(lead, "ve") || lead == "have" || lead == "just" || lead == "has") {
			return true
		}
	}
	return false
}

// proposes says whether words tell of what somebody said may come: "boss said maybe in September".
func proposes(words []word) bool {
	for i, w := range words {
		if (w.low == "maybe" || w.low == "perhaps") && i > 0 && (words[i-1].low == "said" || words[i-1].low == "says" || words[i-1].low == "told" || words[i-1].low == "me") {
			return true
		}
	}
	return false
}

// setsOut says whether words tell in the plain present of what is done once, and so is to
// come where a date is told: "I start on Monday", "remind me on Friday", "it's on Tuesday".
func setsOut(words []word) bool {
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1].low
		}
		switch low := w.low; {
		case low == "i" || low == "we" || low == "he" || low == "she" || low == "they":
			if once[strings.TrimSuffix(next, "s")] {
				return true
			}
		case (low == "comes" || low == "come" || low == "arrive" || low == "deliver" || low == "delivers") && i > 0 && (next == "on" || next == "tomorrow" || next == "next"):
			return true
		case low == "remind" && (next == "me" || next == "us"):
			return true
		case (low == "it's" || low == "that's" || low == "there's") && (next == "on" || next == "by" || next == "a" || next == "an" || next == "my" || next == "our"):
			return true
		}
	}
	return false
}

// once are verbs of what is not done again and again.
var once = set(`start begin fly move leave travel arrive return graduate marry retire turn emigrate relocate finish`)

// parted says whether a clause ends before word i.
func (r *reader) parted(i int) bool {
	return clauseOpeners[r.words[i].low] && !(r.words[i].low == "so" && passive[r.words[i-1].low]) || r.reported(i) || strings.ContainsAny(r.text[r.words[i-1].end:r.words[i].start], ",;:(—–")
}

// reported says whether word i opens what somebody is told: "I was told the exam is on
// Friday", "I forgot to tell you I moved".
func (r *reader) reported(i int) bool {
	if !opensReport[r.words[i].low] || i < 2 {
		return false
	}
	by := i - 1
	if hearer[r.words[by].low] {
		by--
	}
	if !telling[r.words[by].low] {
		return false
	}
	for j := i + 1; j < len(r.words) && j < i+6 && !clauseOpeners[r.words[j].low]; j++ {
		if low := r.words[j].low; auxiliaries[low] || pasts[low] || presents[low] && low != "meeting" || len(low) > 3 && strings.HasSuffix(low, "ed") && !notPast[low] {
			return true
		}
	}
	return false
}

var (
	opensReport = set(`i i'm i've i'll we we're we've we'll he she they my our the it it's there his her their`)
	hearer      = set(`you me him her us them u ya`)
	telling     = set(`told tell say said mention mentioned heard learned forgot add`)
)

var abilities = set(`can could takes once twice times`)

var clauseOpeners = set(`and but because so that which who when while before after if though although`)

// shifted says whether the date at word i is one to which something was put off or
// brought forward: it is to come, though the verb tells of what has been.
func (r *reader) shifted(i int) bool {
	if r.arranged(i) || r.yetToCome(i) {
		return true
	}
	to := false
	for back := i; back >= 0 && back > i-6; back-- {
		low := r.words[back].low
		to = to || low == "to" && !(r.words[back+1].low == "sleep" || r.words[back+1].low == "rest") || low == "until" || low == "till" || low == "for"
		if back < i && low == "moved" && back+2 < i-1 && r.words[back+1].low == "to" && weekdays[r.words[back+2].low] == 0 && !onDate[r.words[back+2].low] && r.words[back+2].low != "the" && r.words[back+2].low != "sunday" {
			return false // to a place
		}
		if back < i && shifts[low] {
			return to
		}
	}
	return false
}

var (
	shifts = set(`moved postponed rescheduled pushed delayed changed brought shifted put scheduled booked set planned`)
	// appointed are nouns and verbs of what is on a day: with them a day needs no "on".
	appointed = set(`appointment test exam flight wedding interview surgery operation meeting viewing trip party concert lesson class match game race presentation dinner lunch breakfast checkup scan inspection delivery launch release demo conference dentist doctor deadline freeze ends starts begins opens arrives leaves due departs lands closes call`)
)

// appointed says whether the clause around word i names something that is on a day.
func (r *reader) appointed(i int) bool {
	for back := i - 1; back >= 0 && back >= i-5 && !r.parted(back+1); back-- {
		if low := r.words[back].low; appointed[low] || low == "leaving" || low == "flying" || low == "arriving" || low == "moving" || low == "back" {
			return true
		}
	}
	return false
}

// leftBehind says whether the date at word i is one from which something was moved to
// another: "the deadline moved from 5 June to 12 June".
func (r *reader) leftBehind(i int) bool {
	if r.before(i) != "from" || r.word(i) == "" {
		return false
	}
	for back := i - 2; back >= 0 && back > i-6; back-- {
		if elsewhere[r.words[back].low] {
			return true
		}
	}
	return false
}

// elsewhere are verbs of what is on another day than it was.
var elsewhere = set(`moved moves move postponed rescheduled pushed delayed changed changes shifted brought`)

// arranged says whether the date at word i is one for which something was got or bought:
// "got tickets to see a play on June 5". What was got is before it in its clause.
func (r *reader) arranged(i int) bool {
	thing, ticket := -1, false
	for back := i - 1; back >= 0 && back > i-10 && !(back+1 < i && r.parted(back+1)); back-- {
		low := r.words[back].low
		switch {
		case low == "signed" && back+1 < i && r.words[back+1].low == "up":
			return back+2 < i && r.words[back+2].low == "for"
		case ticketed[low] && thing < 0:
			thing, ticket = back, true
		case settled[low] && thing < 0:
			thing = back
		case obtains[low]:
			// "booked the tickets on Friday" may tell when that was.
			behind := thing == i-1 && r.words[i].low == "on" || thing == i-2 && r.words[i-1].low == "on"
			return thing > 0 && (low == "found" && ticket || !(behind && (ticket || low != "got")))
		}
	}
	return false
}

var (
	obtains  = set(`found approved granted confirmed got get gotten bought booked ordered grabbed scored snagged reserved landed scheduled arranged made`)
	ticketed = set(`ticket tickets flight flights seat seats invite invites invitation invitations pass passes`)
	settled  = set(`appointment appointments reservation booking interview interviews viewing slot surgery exam checkup meeting vacation holiday holidays leave trip`)
)

// yetToCome says whether the date at word i is one to come by what it stands behind, whatever the
// tense of the verb: until when something was given, to when it had to be moved, on which it was
// decided to do something, which was chosen for it.
func (r *reader) yetToCome(i int) bool {
	lead := i - 1
	for lead > 0 && (r.words[lead].low == "the" || weekdays[r.words[lead].low] != 0 || r.words[lead].low == "sunday") {
		lead--
	}
	if lead < 1 {
		return false
	}
	low := r.words[lead].low
	until := low == "until" || low == "till" || low == "til"
	if picks[low] {
		return true
	}
	if low == "on" && picksOn[r.words[lead-1].low] {
		for end := i + 1; end < len(r.words) && end < i+4; end++ {
			if next := r.words[end].low; next == "for" || next == "as" {
				return true
			} else if _, isDay := dayOf(next); !isDay && months[next] == 0 {
				return false
			}
		}
		return i+3 > len(r.words)
	}
	if was, _ := r.tense(i); until && !was {
		return true
	}
	for back := lead - 1; back >= 0 && back > lead-9 && !r.parted(back+1); back-- {
		next := r.words[back+1].low
		switch verb := r.words[back].low; {
		case until && holdsFor[verb]:
			return true
		case low == "to" && moves[verb] && next != "to":
			return true
		case resolves[verb] && next == "to" && back+1 != lead:
			return true
		}
	}
	return false
}

var (
	// picks are verbs whose object is a date that is to come.
	picks   = set(`chose chosen picked`)
	picksOn = set(`settled decided agreed`)
	// holdsFor are words of what is had for a while from then on.
	holdsFor = set(`gave given give gives renewed extended extends prolonged granted paid prepaid rented leased signed allowed approved postponed have has`)
	// moves are verbs of what gets another date.
	moves = set(`move moving reschedule rescheduling rebook rebooked rebooking postpone postponing push pushing delay delaying change changing shift shifting bring bringing bump bumped extend extended extending swap swapped`)
	// resolves are verbs of what one will do then.
	resolves = set(`decided chose agreed promised arranged planned resolved offered committed`)
)
