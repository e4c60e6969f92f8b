package extract

import (
	"slices"
	"strings"
)

// What is said of a thing is not always what it is: "my email is down" and "my landlord is
// rude" are opinions on what was told before and put nothing in its place. Only what is of
// the kind of a thing is a value of it.

// opinions are words that say how something is, not what.
var opinions = set(`good bad great fine nice lovely cool awesome amazing awful terrible horrible rubbish garbage crap trash perfect excellent fantastic wonderful brilliant decent ok okay alright mediocre boring funny rude mean friendly kind strict lazy crazy weird strange odd unusual common rare unique special normal ordinary typical private public secret confidential personal hidden visible down up out off on broken dead slow fast quick late early long short big small tiny huge large tall high low higher lower cheap expensive pricey ridiculous insane silly stupid dumb annoying difficult hard easy simple complicated tricky complex fake real wrong right correct incorrect true false valid invalid outdated old new full empty busy quiet loud noisy dirty clean messy cold hot warm dark bright ugly beautiful pretty gorgeous stunning cute adorable far close near away nearby here there everywhere nowhere gone missing lost stolen hacked blocked locked suspended disabled expired frozen closed open available unavailable unknown known important unimportant useless useful helpful safe unsafe secure insecure dangerous risky tight flexible negotiable overdue due paid unpaid pending ready done underrated overrated iconic classic legendary timeless underpaid overpaid killing driving getting becoming going not never always still really just too very so quite rather pretty kind sort more less better worse best worst fun sad happy sick tired ill healthy single married pregnant available amazing exhausting stressful brutal exploding rising falling dropping increasing shrinking embarrassing hilarious impossible changing spam spammed full unreadable unpronounceable memorable forgettable easy-going supportive demanding horrendous outrageous laughable pathetic`)

// verdicts are nouns that do the same behind an article.
var verdicts = set(`classic masterpiece joke mess pain disaster mystery secret nightmare dream scam shame pity bore idiot jerk saint angel legend gem treasure must pleasure delight beauty beast dump hole tragedy miracle problem issue bit lot little nuisance bargain ripoff rip-off steal hassle challenge struggle shitshow shithole ghost`)

// opinion says whether a text only tells how something is.
func opinion(text string) bool {
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(text, "’", "'")))
	if len(words) == 0 {
		return true
	}
	first := strings.Trim(words[0], ".,!")
	switch {
	case opinions[first]: // "far away", but neither "dark green" nor "New York"
		return len(words) == 1 || opinions[strings.Trim(words[1], ".,!")] || behindOpinion[strings.Trim(words[1], ".,!")] || strings.HasSuffix(words[0], ",")
	case first == "a" || first == "an" || first == "the" || first == "such" || first == "my":
		rest := words[1:]
		for len(rest) > 1 && (opinions[strings.Trim(rest[0], ",")] || rest[0] == "a" || rest[0] == "total" || rest[0] == "complete" || rest[0] == "absolute" || rest[0] == "true") {
			rest = rest[1:]
		}
		return len(rest) == 0 || verdicts[strings.Trim(rest[0], ".,!")]
	}
	return false
}

// behindOpinion are words that go on behind an opinion, and are no thing that is so.
var behindOpinion = set(`to for at in on and but or because since as with from this these those again about by of than enough though lately anymore that if when me him her us it them i we you they my your compared today tonight tomorrow yesterday here tbh lol haha atm rn`)

var (
	zodiac    = set(`aries taurus gemini cancer leo virgo libra scorpio sagittarius capricorn aquarius pisces`)
	bloodType = newPattern(`(?i)^(?:the )?(?:a|b|ab|o|0)\s*(?:[+-−]|pos(?:itive)?|neg(?:ative)?|plus|minus|rh\S*|$)`)
	ofNumber  = set(`height weight rent salary budget bedtime alarm shift`)
	byMeans   = english(`^(?:by |on |a |the )?(?:train|bus|tram|car|bike|bicycle|foot|metro|subway|tube|ferry|boat|scooter|motorbike|plane|walk)\b`)
	bedtimes  = english(`\b(?:noon|midnight|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|quarter|morning|evening|night|day|late|early|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b`)
)

// holdsAs says whether a text is of the kind of an attribute: an address has a number or a
// name, a wage a sum.
func (s *saying) holdsAs(attribute, text string) bool {
	digits := strings.ContainsAny(text, "0123456789")
	low := strings.ToLower(text)
	switch {
	case attribute == "star sign" || attribute == "zodiac sign":
		return slices.ContainsFunc(strings.Fields(low), func(w string) bool { return zodiac[w] })
	case strings.HasPrefix(attribute, "blood "):
		return bloodType.MatchString(text)
	case strings.Contains(attribute, "mail"):
		return strings.Contains(text, "@") || strings.Contains(text, "[redacted")
	case strings.Contains(attribute, "number") || strings.Contains(attribute, "size") || strings.Contains(attribute, "plate"):
		return digits || strings.Contains(text, "[redacted")
	case attribute == "commute":
		return digits || byMeans.MatchString(text)
	case ofNumber[attribute]:
		return digits || bedtimes.MatchString(text) && !opinion(text)
	case attribute == "address" || attribute == "office" || attribute == "seat" || attribute == "desk" || strings.HasPrefix(attribute, "time"):
		return digits || startsName(strings.TrimPrefix(low0(text), "the ")) || strings.Contains(text, "[redacted")
	}
	if startsName(text) && !strings.Contains(text, " ") || attribute == "dream job" || attribute == "major" || attribute == "degree" {
		return !opinion(text)
	}
	return !opinion(text) && !doingWord.MatchString(text)
}

// low0 writes the first letter of a text small if an article begins it.
func low0(text string) string {
	if strings.HasPrefix(text, "The ") {
		return "t" + text[1:]
	}
	return text
}

// doingWord opens what somebody or something does or has had done to it.
var doingWord = english(`^(?:[\pL-]{3,}ing\b(?:\s|$)|(?:being|been|has|have|was|would|should|will|in|on|at|from|about|around|under|over|behind|where|what|when|why|how|because|like|as|full of|part of)\b)`)

// givenNames are first names by which one may speak of somebody and not of a firm.
var givenNames = set(`adam alice alex alexander amanda amy ana andrea andrew andy anna anne anthony antonio arthur ben benjamin bob brian carl carla carlos caroline catherine charles chloe chris christina christine claire clara dan daniel dave david diana diane elena elizabeth ella emily emma eric erik eva felix fiona frank fred gary george grace greg hannah helen henry ian ines irene jack jacob james jane jason jean jennifer jenny jessica jim joan joe john jonas jose joseph joshua juan julia julian julie karen karin kate katherine katie kevin kim laura lea leo leon lily linda lisa liz louis louise lucas lucy luis luke marco maria mark marta martha martin mary matt matthew max megan mia michael michelle miguel mike mohammed monica nancy natalie nick nicole nina noah noor nora olga oliver olivia oscar pablo pat patrick paul paula pedro peter phil philip rachel rebecca richard rita robert roger rosa ruth ryan sam samantha samuel sandra sara sarah scott simon sofia sophie stefan stephen steve steven sue susan tanja tara ted teresa theo thomas tim tina tom tony valerie vera victor victoria walter wendy will william yuki zoe`)

// peopleOf tells where somebody or their name is from, which is no name.
var peopleOf = newPattern(`^(?:` + languageNames + `|american|australian|canadian|mexican|brazilian|indian|swiss|biblical|celtic|slavic|african|asian|european|nordic|scandinavian|iranian|persian|filipino|austrian|belgian)$`)

// What one can do, and what a project is called.

var (
	can      = english(`^can\s+(?:(?:finally|now|actually|even)\s+)*(swim|drive|ride a (?:bike|bicycle|horse)|cook|bake|ski|skate|ice skate|surf|dance|sing|whistle|juggle|knit|sew|type|touch type|code|program|read music|read sheet music|dive|sail|climb|skateboard|play chess)(?:\W*$|\s*[,.;!(].*|\s+(?:now|yet|at all|again|well|properly|finally|anymore|because|and|but|since)\b.*)`)
	learntTo = english(`^(?:have\s+)?(?:finally\s+)?(?:learned|learnt)\s+(?:how\s+)?to\s+(swim|drive|ride a (?:bike|bicycle|horse)|ski|skate|surf|dance|juggle|knit|sew|sail|read music)\b`)

	calledSo = english(`^(?:the|our|my)\s+((?:new\s+)?` + works3 + `)\s+(?:is|was|has been|got|is now|will be)\s+(?:now\s+)?(?:called|named|renamed(?: to| as)?)\s+(\p{Lu}.{0,40})$`)
	renames  = english(`^(?:have\s+)?(?:just\s+)?(?:renamed|rebranded)\s+(?:the|our|my)\s+(` + works3 + `)\s+(?:from \S+\s+)?(?:to|as|into)?\s*(\p{Lu}.{0,40})$`)
)

const works3 = `(?:project|app|company|startup|start-up|product|service|library|repo|repository|tool|bot|team|band|game|website|site|blog|podcast|platform|server|package|channel|boat|shop|store|cafe|restaurant)`

// skillSlot reads what somebody can or cannot do.
func skillSlot(s *saying) (about, bool) {
	if !s.known {
		return about{}, false
	}
	if m := s.match(can, "can "); m != nil {
		return s.about("can:"+strings.ToLower(m[1]), "")
	}
	if m := s.match(learntTo, "learned", "learnt"); m != nil && !s.denied {
		return s.about("can:"+strings.ToLower(m[1]), "")
	}
	return about{}, false
}

// projectName reads what a project, a firm or a band is called.
func projectName(s *saying) (about, bool) {
	if m := s.matchText(calledSo, "called", "named"); m != nil && !s.denied {
		if name := s.name(m[2], notNames); name != "" {
			return about{name: "name", subject: firmOf(strings.ToLower(strings.TrimPrefix(m[1], "new "))), value: name}, true
		}
	}
	if m := s.match(renames, "renamed", "rebranded"); m != nil && s.self() && !s.denied {
		if name := s.name(m[2], notNames); name != "" {
			return about{name: "name", subject: firmOf(strings.ToLower(m[1])), value: name}, true
		}
	}
	return about{}, false
}

// firmOf gives one word for those that mean what one runs.
func firmOf(what string) string {
	switch what {
	case "startup", "start-up", "business", "firm", "agency":
		return "company"
	}
	return what
}
