package extract

import (
	"strings"

	"github.com/memdhq/memd"
)

// How many there are of something is one number at a time. It is told outright ("we have four hives"),
// by what has come or gone ("one hive died, so now three") or as the answer to it ("that makes three").

const (
	aNumber = `(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)`
	anOne   = `(?:another|a second|a third|a fourth|a fifth|a|an|one(?: of (?:the|our|my))?|the|our|my|a new|one more)`
	whoCame = `(?:joined|left|quit|resigned|started|was hired|got hired|hired|was fired|got fired|retired)`
)

var (
	// countsThings tells how many of a thing somebody has, and no more of them.
	countsThings = english(`^(?:have|keep|own|have got|got|(?:am|are) (?:now )?(?:down|up|back) to)\s+(?:now\s+|only\s+)?` + aNumber + `\s+((?:\pL+\s)?\pL{2,}s|children|mice|geese|sheep)(?:\W*$|\s*[,.;!(].*|\s+(?:now|again|at the moment|already|in total|altogether)\b.*)`)
	// soNow closes a statement by how many there are by now.
	soNow = english(`(?:^|[\s,;–—-])(?:(?:so|and|which|that|this|it)\s+(?:(?:that|this|it|we|i|there)\s+)?(?:(?:now|have|has|am|are|is|leaves|makes|make|only|just)\s+)*(?:it\s+|me with\s+|us with\s+)?(?:at\s+)?|(?:we|i)\s+(?:have|are)\s+|(?:making|leaving)\s+(?:it\s+|me with\s+|us with\s+)?|(?:now\s+)?(?:down|up)\s+to\s+(?:only\s+|just\s+)?|now\s+(?:only\s+)?)` + aNumber + `(?:\s+(?:now|left|in total|altogether|by now|of (?:them|us)))*\W*$`)
	// tellsNow tells that the number is of now.
	tellsNow = english(`\b(?:now|makes|making|leaves|leaving|left|in total|altogether|down to|up to)\b`)
	// oneOfThem is one that has come or gone.
	oneOfThem = english(`\b(?:got|have|had|adopted|bought|rescued|lost|sold|gave away|given away|found|hatched|born|died|` + anOne + `)\s+(?:` + anOne + `\s+)?(?:\pL+\s+)??(` + animals + `|kid|child|baby|son|daughter|brother|sister|grandchild)\b`)
	// anotherOne names one of any kind.
	anotherOne = english(`\b(?:another|one more|one|a (?:second|third|fourth|fifth))\s+(\pL{3,})\b`)
	// nthOne is the third of its kind.
	nthOne     = english(`^(?:got|have|had|adopted|bought|rescued|welcomed)\s+(?:a|our|my)\s+(second|third|fourth|fifth)\s+(` + animals + `|kid|child|baby)(?:\W*$|\s*[,.;!(]|\s+(?:last|in|on|yesterday|today|now|this|called|named)\b)`)
	teamCount  = english(`^(?:(?:our|my|the) team\s+(?:has|is|consists of|counts|is now)|there are|(?:i |we )?(?:have|lead|manage|run|am on|are) a team of)\s+(?:now\s+)?` + aNumber + `(?:\s+(?:people|of us|engineers|developers|devs|employees|colleagues|members))?(?:\s+(?:now|on the team|in the team|in total|left|strong|at the moment))*(?:\W*$|\s*[,.;!(])`)
	weAreNow   = english(`[\s,;–—-](?:so |and |now |that means )?we are\s+(?:(?:only|just|now|still|down to|up to|already)\s+)*` + aNumber + `(?:\s+(?:people|of us|engineers|developers|devs))?(?:\s+(?:now|on the team|in the team|in total|left))*\W*$`)
	worn       = english(`^(?:` + aids + `)$`)
	cameToWork = english(`\b(?:\p{Lu}\pL+|one|two|three|somebody|someone|another|a colleague|a new \pL+)\s+(?:has\s+|have\s+|just\s+)*` + whoCame + `\b`)
	// uncounted are told of by a number and are not had.
	uncounted = set(`times days hours minutes weeks months years seconds things problems questions meetings exams appointments interviews ideas options reasons euros dollars pounds pages kilos miles steps points percent weddings classes lessons deadlines tickets shifts tests words lines calls errors bugs tasks issues messages emails jobs choices goals left others ones coffees beers drinks guesses wishes minutes notes rules friends`)
	nth       = map[string]string{"second": "two", "third": "three", "fourth": "four", "fifth": "five"}
)

// countSlot reads how many there are of something.
func countSlot(s *saying) (about, bool) {
	if m := s.matchText(teamCount, "team", "there are "); m != nil && ofTeam.MatchString(s.text) {
		return about{name: "how many we are", value: strings.ToLower(m[1])}, true
	}
	if m := firstMatch(s.text, howMany, weAreNow); m != nil && cameToWork.MatchString(s.text) {
		return about{name: "how many we are", value: strings.ToLower(m[1])}, true
	}
	if s.known && (s.subject != "" || s.denied) {
		return about{}, false
	}
	if m := s.match(nthOne, "second", "third", "fourth", "fifth"); m != nil {
		return about{name: "number of " + plural(asCounted(m[2])), value: nth[strings.ToLower(m[1])]}, true
	}
	if m := s.match(countsThings, "have", "keep", "own", "got", " to "); m != nil && s.self() {
		words := strings.Fields(strings.ToLower(m[2]))
		if noun := words[len(words)-1]; uncounted[noun] || worn.MatchString(noun) || people4[strings.TrimSuffix(noun, "s")] || eventWord.MatchString(strings.TrimSuffix(noun, "s")) || len(words) > 1 && !adjunct[words[0]] {
			return about{}, false
		} else {
			return about{name: "number of " + noun, value: strings.ToLower(m[1])}, true
		}
	}
	if n := countNow(s.text); n != "" {
		if kind := whatCame(s.text); kind != "" {
			return about{name: "number of " + kind, value: n}, true
		}
	}
	return about{}, false
}

// countsOn takes how many there are by now of what its speaker counted just before, and says whether it
// did: "I have three hens", "the fox got one, down to two".
func (g *grouping) countsOn(text string) bool {
	n := countNow(text)
	if n == "" || g.shallow || slotOf(text).name != "" || whatCame(text) != "" {
		return false
	}
	var from *memd.Message
	last := statement{}
	if k := len(g.out); k > 0 {
		last = g.out[k-1]
	} else if from, last, _ = g.own(g.ctx, g.message); from == nil {
		return false
	}
	if last.slot.value == "" || last.slot.negated || last.slot.name != "how many we are" && !strings.HasPrefix(last.slot.name, "number of ") {
		return false
	}
	said, _, _ := strings.Cut(last.text, " (said before: ")
	s := statement{text: strings.TrimRight(text, " .!") + " (said before: " + said + ")", slot: last.slot, words: countWords(text) + countWords(said), with: from}
	s.slot.value = n
	g.out = append(g.out, s)
	g.spoken, g.asked, g.adjacent = true, "", true
	return true
}

// countNow gives the number with which a statement closes as that of now, "" for none.
func countNow(text string) string {
	m := soNow.FindStringSubmatch(text)
	if m == nil || len(text) > 160 || !tellsNow.MatchString(text) {
		return ""
	}
	return strings.ToLower(m[1])
}

// whatCame gives of what a statement tells that one has come or gone, "" if of nothing.
func whatCame(text string) string {
	if whose := ofOthersFirst.FindString(text); whose != "" {
		return "" // another's
	}
	if m := oneOfThem.FindStringSubmatch(text); m != nil {
		return plural(asCounted(m[1]))
	}
	if m := anotherOne.FindStringSubmatch(text); m != nil {
		if kind := plural(strings.ToLower(m[1])); !uncounted[kind] && !emptyWords[strings.ToLower(m[1])] {
			return kind
		}
	}
	return ""
}

// ofOthersFirst opens what is told of somebody else.
var ofOthersFirst = english(`^(?:(?:my|our|his|her|their)\s+(?:\pL+\s+)?(?:` + sole + `|` + several + `|` + many + `|parents)\b|(?:he|she|they)\b)`)

// asCounted is what somebody counts who tells of one.
func asCounted(one string) string {
	switch one = strings.ToLower(one); one {
	case "baby", "kid", "son", "daughter":
		return "child"
	}
	return one
}
