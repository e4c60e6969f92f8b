package extract

import (
	"slices"
	"strings"
	"time"
)

// ofThemAsked asks whether something is so of somebody who is not named: "she never married,
// right?"
var ofThemAsked = english(`^(?:and |so |but )?(?:he|she|he's|she's)\b.*[\s,](?:right|correct|isn't (?:he|she)|didn't (?:he|she)|did (?:he|she))\s*\?+$`)

// tellsInParts takes an introduction, or a question that tells something by the way.
func (g *grouping) tellsInParts(text string) bool {
	parts := g.introduction(text)
	if part, ok := toldByTheWay(text); ok {
		if did, _ := g.judge(text); did == asks {
			parts = []clausePart{part}
		}
	}
	if parts == nil {
		return false
	}
	for _, part := range parts {
		g.add(part.text, false, part.slot)
	}
	g.spoken, g.asked, g.adjacent = true, "", true
	return true
}

// carries adds a sentence whose "he" or "there" can only be what its speaker said in
// the message before, with that beside it, and says whether it did.
func (g *grouping) carries(text string) bool {
	if g.assistant || !g.english || g.shallow || g.question != "" || len(g.out) > 0 || !pointsBack(wordsOf(text)) {
		return false
	}
	from, last, chatting := g.own(g.ctx, g.message)
	if from == nil || !chatting {
		return false
	}
	if heOrShe[wordsOf(text)[0].low] && (petHad.MatchString(last.text) || ownTaste.MatchString(last.text) || !tellsOfSomebody(last.text)) {
		earlier, told := g.person(from)
		switch {
		case earlier != nil:
			from, last = earlier, told
		case !petHad.MatchString(last.text) && !ownTaste.MatchString(last.text) && !tellsOfSomebody(last.text):
			return false // whoever it is, it is nobody who was told of there
		}
	}
	dated, when := resolve(strings.TrimRight(text, "."), g.said, g.english)
	said := last.text
	s := statement{text: dated, when: when, with: from}
	// What is carried there is carried on, never one within the other.
	if carried := carriedIn(said); carried != "" && heOrShe[wordsOf(text)[0].low] && last.with != nil {
		said, s.also = carried, append(slices.Clone(last.also), last.with)
	}
	said, _, _ = strings.Cut(said, " (asked: ")
	said, _, _ = strings.Cut(said, " (said before: ")
	s.text, s.words = dated+" (said before: "+said+")", countWords(text)+countWords(said)
	g.out = append(g.out, s)
	return true
}

// carriedIn gives what a statement carries of what was said before, "" for nothing.
func carriedIn(text string) string {
	_, rest, ok := strings.Cut(text, " (said before: ")
	if !ok {
		return ""
	}
	open := 1
	for i, r := range rest {
		switch r {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return rest[:i]
			}
		}
	}
	return ""
}

// tellsOfSomebody says whether a text tells of somebody who may be "he" or "she" afterwards: one of
// the speaker's, or one who has a name.
func tellsOfSomebody(text string) bool {
	words := wordsOf(text)
	for i, w := range words {
		switch {
		case (w.low == "my" || w.low == "our") && i+1 < len(words) && !words[i+1].capital:
			for _, next := range words[i+1 : min(len(words), i+4)] {
				if people4[next.low] || animal5[next.low] {
					return true
				}
			}
		case heOrShe[w.low], w.low == "they", w.low == "him", w.low == "her", w.low == "his", i > 0 && w.capital && w.low != "i" && !strings.HasPrefix(w.low, "i'") && !months3(w.low) && weekdays[w.low] == 0, givenNames[w.low],
			i > 0 && (words[i-1].low == "a" || words[i-1].low == "an") && (people4[w.low] || animal5[w.low]):
			return true
		}
	}
	return parents[wordsOf(text + " x")[0].low]
}

var animal5 = set(strings.ReplaceAll(animals, "|", " "))

// petHad tells of an animal or a thing that is not named: whoever is "she" next need not be it.
var petHad = english(`^(?:i|we)(?:'ve| have)? (?:have|got|own|bought|keep|adopted|drive|want|like|love|need)?\s*(?:an?|the|two|three|some|my|our)\s+[\pL-]+(?: [\pL-]+)?\W*$`)

// ownTaste tells only of who says it.
var ownTaste = newPattern(`^(?:I|We) (?:really |also )?(?:love|like|hate|enjoy|prefer|work|live|study|play|eat|drink|speak) [^A-Z]*$`)

var heOrShe = set(`he he's he'll he'd she she's she'll she'd`)

// daysFrom is when what a text tells of days is told from: a bare day of the month ("until the 8th")
// follows the day to come that was told just before.
func (g *grouping) daysFrom(text string) time.Time {
	if !g.english || g.assistant || g.shallow || !bareOrdinal.MatchString(text) || contains(strings.ToLower(text), monthHints) {
		return g.said
	}
	last, ok := statement{}, false
	if n := len(g.out); n > 0 {
		last, ok = g.out[n-1], true
	} else if from, own, _ := g.own(g.ctx, g.message); from != nil {
		last, ok = own, true
	}
	if day := last.when.instant(); ok && day != nil && day.After(g.said) && last.when.grain == byDay {
		return *day
	}
	return g.said
}

var (
	bareOrdinal = english(`\b(?:until|till|through|from|to|on) the \d{1,2}(?:st|nd|rd|th)\b`)
	monthHints  = strings.Split("jan feb mar apr may jun jul aug sep oct nov dec month", " ")
)

// leans says whether a sentence cannot be understood without the one before it.
func (g *grouping) leans(text string) bool {
	if !g.english {
		return !containsDense(text) && len(wordsOf(text)) == 1
	}
	words := wordsOf(text)
	if len(words) == 0 {
		return true
	}
	if refersBack(words) || goesThere(words) {
		return true
	}
	if verbal(words) && (len(words) > 2 || own[words[0].low]) {
		return false
	}
	return !verbal(words) && len(words) <= 8 || len(words) <= 2
}

// refers says whether a sentence begins with what stands for something said before.
func (g *grouping) refers(text string) bool {
	words := wordsOf(text)
	return len(words) > 0 && refersBack(words)
}

// refersBack says whether words begin with one that stands for something said before.
func refersBack(words []word) bool {
	i := 0
	for i < len(words)-1 && connectives[words[i].low] {
		i++
	}
	low, next := words[i].low, ""
	if i+1 < len(words) {
		next = words[i+1].low
	}
	switch {
	case low == "because" || low == "cause" || hangers[low]:
		return true
	case low == "this" || low == "that" || low == "these" || low == "those":
		return !timeNouns[next]
	case low == "it's" || low == "it":
		if (next == "is" || next == "was" || next == "has") && i+2 < len(words) {
			next = words[i+2].low
		}
		return !impersonal[next]
	}
	return stands[low]
}

// goesThere says whether words speak of a place as "there" only.
func goesThere(words []word) bool {
	for i, w := range words {
		if i > 0 && w.low == "there" && beforeThere[words[i-1].low] {
			return true
		}
	}
	return false
}

// pointsBack says whether words begin with one that stands for somebody or something
// spoken of before.
func pointsBack(words []word) bool {
	i := 0
	for i < len(words)-1 && connectives[words[i].low] {
		i++
	}
	low := words[i].low
	return carried[low] && refersBack(words) || goesThere(words)
}

var (
	beforeThere = set(`back go going went live lives lived living work works worked been stay stayed moved move over get born met from out up drive fly studied grew`)
	carried     = set(`he he's he'll he'd she she's she'll she'd they they're they've they'll his her their it it's its`)
	connectives = set(`and but so also plus then or yeah yes well anyway though still besides honestly actually oh`)
	hangers     = set(`which especially mostly mainly except including such either neither otherwise likewise hence therefore too`)
	stands      = set(`its that's they they're they've they'll they'd their theirs them he he's he'll he'd she she's she'll she'd his her hers him both it'll it'd that'll`)
	timeNouns   = set(`morning afternoon evening night week weekend month year summer winter spring autumn fall monday tuesday wednesday thursday friday saturday sunday time january february march april may june july august september october november december christmas easter`)
	impersonal  = set(`my our raining snowing been monday tuesday wednesday thursday friday saturday sunday late time`)
)
