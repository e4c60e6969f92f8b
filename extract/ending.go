package extract

import (
	"slices"
	"strings"

	"github.com/blevesearch/snowballstem"
	stemming "github.com/blevesearch/snowballstem/english"
)

// What was so is told in one statement and that it is over in another, mostly in other words: "I
// have a Pixel 8 and the battery drains fast", "gave up on the Pixel". An Ending is what a statement
// says to be over, of what kind and by which words; it ends the statements that speak of the same
// thing as of something that goes on. That decides here, for all that can end: what somebody has,
// plans, uses or does, who lives, who is together, who has a part in something, and when something is.

// endKind is in what way something is over.
type endKind int

const (
	notHad      endKind = iota + 1 // sold, stolen, lost: a thing
	calledOff                      // cancelled, decided against: a plan
	died                           // somebody, or an animal
	splitUp                        // with somebody
	dropped                        // no longer used, taken or done
	gaveOver                       // somebody who had a part in something
	anotherTime                    // an event that was moved
	misSaid                        // what was said and was wrong
	notSo                          // what was only supposed
	leftBehind                     // a place or a firm
)

// Ending is what a statement says to be over.
type Ending struct {
	kind endKind
	// words are those of the thing, in lower case: all names, or all that its noun has.
	words []string
	// named says that the words are names, own that it is said to be the speaker's.
	named, own bool
	// onDeadline says that it is a deadline; day is when an event is that was moved, "" if that is not told.
	onDeadline bool
	day        string
	// called is what somebody is to the speaker, "" if that is not told: of a dog Max and a brother
	// Max one is meant.
	called string
	// abroad says that it was said in another language than English.
	abroad bool
	// spelled is the thing as it was written, beside are the other words of the statement.
	spelled string
	beside  []string
}

// overSlots begin the names of slots of what is over and has no slot of its own.
const overSlots = "over:"

// EndSlots gives the slots by which statements are found that may say that what a text tells is over:
// of each word that may name the thing those in which such statements are, as far as the text may tell
// of something of that kind.
func EndSlots(text string) (slots []string) {
	said, _, _ := strings.Cut(text, " (said before: ")
	words := wordsOf(said)
	has := func(of map[string]bool) bool {
		return slices.ContainsFunc(words, func(w word) bool { return of[w.low] })
	}
	var kinds []string
	if used := has(useVerbs); used {
		kinds = append(kinds, "habit:use ", "habit:take ", "habit:play ", "habit:do ")
		slots = append(slots, "kept in", "runs on")
	}
	if has(schemes) {
		kinds = append(kinds, "going to:")
	}
	for _, also := range alsoEnding {
		if has(also.words) {
			slots = append(slots, also.slots...)
		}
	}
	plain, unsure, seen := said == strings.ToLower(said), has(supposes5), map[string]bool{}
	for i, w := range words {
		word := contentWord(w.low)
		if word == "" || seen[word] || len(seen) == mostEndWords {
			continue
		}
		seen[word] = true
		slots = append(slots, overSlots+stem(word))
		for _, kind := range kinds {
			slots = append(slots, kind+word)
		}
		if i > 0 && (possessors[words[i-1].low] || i > 1 && possessors[words[i-2].low]) {
			slots = append(slots, "has:"+word)
		}
		if i > 0 && numbers[words[i-1].low] > 0 {
			slots = append(slots, "has:"+w.low) // "we have four hives"
		}
		if w.capital || plain && i > 0 && animal5[words[i-1].low] {
			slots = append(slots, "pet:"+word)
		}
		if unsure {
			slots = append(slots, "allergy:"+word, "health:"+word)
		}
	}
	for i, w := range words {
		if strings.Trim(w.low, "0123456789") == "" && len(w.low) < 5 {
			slots = append(slots, overSlots+w.low)
		}
		if eventWord.MatchString(w.low) {
			slots = append(slots, dateOf(w.low))
			if i > 0 && !emptyWords[words[i-1].low] {
				slots = append(slots, dateOf(words[i-1].low+" "+w.low))
			}
		}
	}
	return slots
}

// alsoEnding are slots of statements that may say that what has one of the words is over, whatever
// else it names.
var alsoEnding = []struct {
	words map[string]bool
	slots []string
}{
	{couples, []string{"partner", "marital status"}},
	{couplesAbroad, []string{"partner"}},
	{set(`living live lives based from moved home commute commutes commuting`), []string{"home"}},
	{set(`work works working job at for`), []string{"work"}},
	{set(`deadline due`), []string{"deadline"}},
	{set(`married`), []string{"date:wedding"}},
	{set(`flying fly flight land`), []string{"date:flight"}},
}

// mostEndWords is how many words of a statement are looked up: a longer one tells no one thing.
const mostEndWords = 16

// contentWords gives the words of a text that may name a thing, once each, in their oneOf.
func contentWords(text string) (all []string) {
	for _, w := range wordsOf(text) {
		if low := contentWord(w.low); low != "" && !slices.Contains(all, low) {
			all = append(all, low)
		}
	}
	return all
}

// contentWord gives the singular of a word that may name a thing, "" for any other.
func contentWord(word string) string {
	low := oneOf(word)
	if len(low) < 2 || emptyWords[low] || emptyWords[word] || strings.Trim(low, "0123456789") == "" {
		return ""
	}
	return low
}

// emptyWords are no names of things.
var emptyWords = func() map[string]bool {
	all := set(`asked said before work working really three four five six seven eight nine ten year years month months week weeks day days morning evening night people person yesterday january february march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday`)
	for w := range light {
		all[w] = true
	}
	return all
}()

// supposes5 are words of what is not sure.
var supposes5 = set(`might may maybe perhaps think probably suspect suspects possibly could supposed guess`)

// stem is what the forms of a word have in common.
func stem(low string) string {
	env := snowballstem.NewEnv(strings.TrimSuffix(low, "'s"))
	stemming.Stem(env)
	return env.Current()
}

// oneOf gives the form by which a word of a thing is known.
func oneOf(low string) string {
	low = strings.TrimSuffix(low, "'s")
	if n := len(low); n > 3 && low[n-1] == 's' && low[n-2] != 's' && low[n-2] != 'u' && low[n-2] != 'i' {
		return low[:n-1]
	}
	return low
}

const (
	// opensClause is before the words that say that something is over.
	opensClause = `(?:^|[,;:.!…–—]\s+|\b(?:and|but|so|then|because|since|cuz|yeah|ok|well)\s+)`
	// weDid is whose doing it is, which may be left out.
	weDid = opensClause + `(?:(?:(?:me|my \pL+|\pL+) and )?(?:i|we)\s+)?(?:(?:have|had to|just|finally|recently|now|already|actually|also|ended up|decided to|sadly|unfortunately|have now|have since)\s+)*`
	// theThing is what it is of, where that stands first.
	theThing = opensClause + `((?:(?:my|our|the|that|poor|little|dear|old)\s+)*[\pL][\pL\d'’-]*(?:\s[\pL\d][\pL\d'’-]*){0,3}?)\s+`
	isNow    = `(?:(?:is|was|got|has|have|had|are|were|been|to be|just|finally|now|sadly|suddenly|also|all|recently|officially)\s+)*`
	shifted4 = `(?:moved|postponed|pushed|pushed back|rescheduled|rebooked|brought forward|shifted|delayed|put off|put back|bumped|pulled forward)`
)

// noCouple is what two do who are together no more.
const noCouple = `(?:broke up|broken up|split up|split|separated|divorced|called it quits|over|done|through|no longer together|not together|parted ways|not a couple|no longer a couple)\b`

var apartHints = strings.Split("broke,split,separat,divorc,quits,over,done,through,together,parted,couple", ",")

// endForms are the ways to say that something is over. What it is of stands in the group, or
// follows.
var endForms = []struct {
	kind    endKind
	follows bool
	pattern *pattern
	hints   []string
}{
	{notHad, true, english(weDid + `(?:sold|sell|selling|gave away|given away|give away|got rid of|get rid of|returned|donated|scrapped|binned|ditched|traded in|trade in|gave up on|lost|replaced|replace|swapped|upgraded from|parted with|totall?ed|wrecked|no longer (?:have|own|drive|ride)|(?:do not|does not) (?:have|own|drive|ride))\s+`), strings.Split("sold,sell,away,rid of,returned,donated,scrapped,binned,ditched,traded,trade in,gave up on,lost,replace,swapped,upgraded,parted,total,wrecked,no longer,not ", ",")},
	{notHad, false, english(theThing + isNow + `(?:stolen|sold|nicked|totall?ed|scrapped|written off|given away|taken from (?:me|us)|broken beyond repair|gone)\b`), strings.Split("stolen,sold,nicked,total,scrapped,written off,given away,taken,broken,gone", ",")},
	{notHad, true, english(opensClause + `(?:someone|somebody|they|a thief|thieves|some \pL+)\s+(?:just\s+)?(?:stole|nicked|broke into and took|took)\s+`), []string{"stole", "nicked", "took"}},
	{calledOff, true, english(weDid + `(?:cancel|cancelled|canceled|called off|call off|bailed on|backed out of|pulled out of|(?:am|are) skipping|skipped|decided against|changed (?:my|our) minds? (?:about|on)|gave up on (?:the idea of|the plan (?:to|of)|our plans? (?:to|for))|decided not to|(?:not|(?:am|are|will) (?:not|no longer)(?: be)?) (?:going|moving|flying|travelling|traveling|doing|buying|getting|starting|having|visiting|taking))\s+`), strings.Split("cancel,call off,called off,bailed,backed out,pulled out,skip,decided,changed,idea,plan,not ,no longer", ",")},
	{calledOff, false, english(theThing + isNow + `(?:cancelled|canceled|called off|not happening|no longer happening|off)\b(?:$|[\s,;:.!(–—]+(?:$|because|since|so|and|but|now|then|for|this|my|we|i|the|sadly|unfortunately)\b)`), strings.Split("cancel,called off,happening, off", ",")},
	{calledOff, false, english(theThing + isNow + `(?:fell through|fallen through)\b`), []string{"through"}},
	{died, false, english(theThing + isNow + `(?:died|passed away|(?:did|does) not make it|put (?:down|to sleep)|no longer with us|dead(?:$|[,.;!:(]| now| since))(?:$|[^\pL])`), strings.Split("died,passed,dead,not make it,put ,no longer with", ",")},
	{died, false, english(opensClause + `(?:i|we)\s+(?:have\s+)?(?:had to\s+)?(?:put|have)\s+((?:(?:my|our|the|poor|old)\s+)*[\pL][\pL'’-]*(?:\s[\pL][\pL'’-]*)?)\s+(?:put\s+)?(?:down|to sleep)(?:$|[,.;!:(]|\s+(?:last|this|yesterday|today|in|because|after|and|on (?:\pL+day|the \d))\b)`), []string{"down", "to sleep"}},
	{splitUp, false, english(opensClause + `(?:(?:i|me)\s+and\s+)((?:my\s+)?[\pL][\pL'’-]*(?:\s[\pL][\pL'’-]*)?)\s+` + isNow + noCouple), apartHints},
	{splitUp, false, english(opensClause + `((?:my\s+)?[\pL][\pL'’-]*(?:\s[\pL][\pL'’-]*)?)(?:\s+and\s+(?:i|me))\s+` + isNow + noCouple), apartHints},
	{splitUp, true, english(weDid + `(?:broke up with|broken up with|split up with|split with|separated from|divorced|dumped)\s+`), strings.Split("broke,split,separat,divorc,dumped", ",")},
	{splitUp, false, english(opensClause + `((?:my\s+)?[\pL][\pL'’-]*(?:\s[\pL][\pL'’-]*)?)\s+` + isNow + `(?:broke up with|split up with|left|dumped|divorced)\s+me(?:$|[,.;!:(]|\s+(?:last|this|yesterday|today|in (?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|\d)|for (?:another|someone|somebody|him|her)|after|because|and|two|three|a (?:week|month|year))\b)`), []string{" me"}},
	{dropped, true, english(weDid + `(?:dropped|ditched|abandoned|ripped out|moved (?:off|away from)|migrated (?:off|away from|from)|switched (?:from|away from|off)|replaced|got off|came off|come off|weaned off|stopped|stop|quit|gave up|give up|given up|packed in|no longer (?:use|take|play|do|practi[cs]e|go|on|run on)|(?:do not|can not) (?:use|take|play|do|practi[cs]e|go) |(?:am|are) (?:no longer|not) (?:on|using|taking|playing|doing)|(?:am|are) (?:done|through|finished) with|(?:am|are) off)\s+`), strings.Split("drop,ditch,abandon,ripped,moved,migrated,switched,replaced,got off,came off,come off,weaned,stop,quit,gave up,give up,given up,packed,no longer,not ,done with,through with,finished with, off ", ",")},
	{dropped, true, english(opensClause + `(?:no more|enough of)\s+`), []string{"no more", "enough of"}},
	{misSaid, true, english(`^(?:` + lightWords + `)?(?:(?:earlier|before|yesterday|last time),? )?i (?:said|told you|wrote|mentioned)\s+(?:(?:that|it was|it is)\s+)?`), []string{"i said", "i told", "i wrote", "i mentioned"}},
	{misSaid, true, english(`^(?:` + lightWords + `)?(?:(?:(?:small|quick|little) )?correction|sorry|oops|wait|i (?:mean|meant)|my bad|actually)[\s,:;.!–—-]+.{1,60}?,?\s(?:and )?not\s+`), []string{" not "}},
	{leftBehind, false, english(weDid + `(?:left|moved away from|am leaving|are leaving)\s+(\p{Lu}[\pL'’-]*(?:\s\p{Lu}[\pL'’-]*)?)\s+(?:for good|behind)\b`), []string{"for good", "behind"}},
	{notSo, true, english(`\b(?:am|is) not\s+(?:allergic to\s+)?`), []string{" not "}},
	{dropped, true, english(weDid + `(?:moved|migrated|switched|ported)\s+(?:\S+\s+){0,3}?from\s+`), []string{" from "}},
	{gaveOver, false, english(opensClause + `(\pL[\pL'’-]*)\s+` + isNow + `(?:left|quit|resigned|leaving|fired|laid off)\b(?:\s+(?:the|our)\s+(?:company|team|firm|project|startup|start-up|band|group|job|club|office|practice|school))?(?:$|[,;:.!(–—]|\s+(?:so|and|last|this|in|on|because|now|yesterday|today)\b)`), strings.Split("left,quit,resigned,leaving,fired,laid off", ",")},
	{gaveOver, true, english(`\b(?:took|takes|taking|has taken) over\s+(?:\S+\s+){0,4}?from\s+`), []string{" over "}},
	{anotherTime, false, english(opensClause + `((?:(?:my|our|the)\s+)?(?:[\pL'’-]+\s+){0,3}?(?:` + events + `|deadline|booking|reservation))\s+` + isNow + shifted4 + `\b`), strings.Split("move,postpone,push,resched,rebook,brought,shift,delay,put ,bump,pull", ",")},
	{anotherTime, false, english(`\b(?:` + shifted4[3:len(shifted4)-1] + `|move|postpone|push|reschedule|bring|delay)\s+((?:(?:my|our|the)\s+)?(?:[\pL'’-]+\s+){0,3}?(?:` + events + `|deadline|booking|reservation))\b`), strings.Split("move,postpone,push,resched,rebook,brought,bring,shift,delay,put ,bump,pull", ",")},
}

var (
	// notSaid is before what has not come about.
	notSaid = english(`\b(?:if|unless|would|could|should|might|may|maybe|perhaps|want|wanna|thinking|considering|hope|hoping|wish|dreamt|dreamed|dream|almost|nearly|imagine|pretend|suppose|planning|scared|afraid|never|has not|have not|will not have|not yet|was going to|used to|nearly|book|movie|film|novel|game|worried|asked|heard that you)\b`)
	// atLast tells that what is denied was so before.
	atLast = english(`\b(?:no longer|any ?more|any longer|after all|in the end)\b`)
	// notHeld opens a denial, which only by such words says that something is over.
	notHeld = english(`(?:do not|does not|can not|are not|am not|not) (?:have|own|drive|ride|use|take|play|do|practi[cs]e|go|on|using|taking|playing|doing|going|moving|flying|travelling|traveling|buying|getting|starting|having|visiting)\s*$`)
	// beforeObject is what one does with a thing, told before it.
	beforeObject = english(`^(?:(?:taking|using|playing|doing|practi[cs]ing|going|buying|buy|moving|move|go|travel|travelling|traveling|get|getting|take|do|start|starting|have|having|visit|visiting|to|with|on|in|the idea of|for)\s+)+`)
	objectEnd    = english(`\s*(?:[,;:!?()\[\]–—"“”…]|\.(?:\s|$)|\s-\s|\s(?:because|since|so|and|but|when|while|after|before|last|this|yesterday|today|two|three|four|a (?:week|month|year|while|few)|for|instead|now|again|already|any ?more|any longer|with|by|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|in (?:january|february|march|april|may|june|july|august|september|october|november|december|\d{4})|who|which|that|if|though|to save|anyway|lol|haha)(?:[\s,;.!?]|$)).*$`)
	// noObjects are not what something over is of.
	noObjects  = set(`out by off at down over around away through back ahead short to for with into on in up as like i we he she it they you someone somebody everyone nobody this that these those there here what who which one ones all some any mine nothing something everything anything him her them me us time money track count weight hope interest job work position battery control touch balance patience appetite voice temper match game bet way mind call door conversation topic subject hint ball bomb line class party meeting early home`)
	workWords4 = set(`project deal team company app server laptop battery wifi internet conversation party`)
	others3    = set(`his her their your its whose`)
)

// EndingOf gives what an English statement says to be over, false if nothing.
func EndingOf(text string) (Ending, bool) {
	text, _, _ = strings.Cut(text, " (asked: ")
	text, _, _ = strings.Cut(text, " (said before: ")
	if len(text) > 300 || countWords(text) > slotWords {
		return Ending{}, false
	}
	if contains(text, figurativeHints) && figurative.MatchString(text) || inJestAfter.MatchString(text) {
		return Ending{}, false
	}
	if e, ok := foreignEnding(text); ok {
		return e, true
	}
	whole := noted.ReplaceAllString(expand(text), "")
	bare := leadIn.ReplaceAllString(whole, "")
	low := strings.ToLower(whole)
	for _, form := range endForms {
		if !contains(low, form.hints) {
			continue
		}
		text := bare
		if form.kind == misSaid {
			text = whole // which "sorry" makes one
		}
		m := form.pattern.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		object, before := text[m[1]:], text[:m[1]]
		if !form.follows {
			object, before = text[m[2]:m[3]], text[:m[2]]
		} else if notHeld.MatchString(strings.TrimSpace(before)) && !atLast.MatchString(text) {
			continue
		}
		if notSaid.MatchString(text[:m[1]]) || form.kind == dropped && forToday.MatchString(text) || novel.MatchString(text) || before != "" && whoseElse(before) {
			continue
		}
		if form.kind == anotherTime && strings.Contains(text[m[1]:], " to ") && !dayWord.MatchString(text[m[1]:]) {
			continue // to a place
		}
		if form.kind == misSaid && !wasWrong.MatchString(text) && !strings.HasSuffix(strings.ToLower(strings.TrimSpace(before)), "not") {
			continue
		}
		if e, ok := form.kind.of(object, whole == low || whole == "I"+low[1:]); ok {
			e.beside = slices.DeleteFunc(contentWords(text), func(w string) bool { return slices.Contains(e.words, w) })
			if e.kind == anotherTime {
				e.onDeadline = strings.Contains(strings.ToLower(object), "deadline")
				if to := newDay4.FindStringSubmatch(text[m[1]:]); to != nil {
					e.day = eventDay(to[1])
				}
			}
			return e, true
		}
	}
	return Ending{}, false
}

var (
	// wasWrong tells that what somebody said was not right.
	wasWrong = english(`\b(?:but|and)?\s*(?:(?:that|it|this)(?:'s| is| was)? (?:wrong|a mistake|not right|not true|incorrect|a typo)|i was wrong|(?:but|it|that) (?:it is|it's|is|was|should be)(?: actually)?\s|i meant)`)
	// newDay4 is the new day of what was moved.
	newDay4 = english(`\b(?:to|until|till|for)\s+(?:now\s+)?(?:on\s+)?(.+)$`)
)

// whoseElse says whether what stands before makes it somebody else's doing.
func whoseElse(before string) bool {
	words := wordsOf(before)
	for i, w := range words {
		if (w.low == "my" || w.low == "our") && i+1 < len(words) && people4[words[i+1].low] && !strings.Contains(strings.ToLower(before), " and i") {
			return true
		}
	}
	return false
}

// of makes an ending of what it is of; plain says that no capitals can be expected.
func (k endKind) of(object string, plain bool) (Ending, bool) {
	if m := beforeObject.FindString(object); m != "" {
		object = object[len(m):]
	}
	object = objectEnd.ReplaceAllString(object, "")
	e := Ending{kind: k, spelled: strings.TrimSpace(object)}
	var nouns, names []string
	owned, definite := false, false
	words := wordsOf(object)
	for i, w := range words {
		switch {
		case i == 0 && (noObjects[w.low] || others3[w.low] || k == notSo && light[w.low]):
			return Ending{}, false
		case w.low == "my" || w.low == "our":
			owned, definite = true, true
		case possessors[w.low]:
			definite = definite || w.low != "a" && w.low != "an"
		case w.low == "to" || w.low == "in" || w.low == "at" || w.low == "of" || w.low == "from":
			if k == notSo {
				return Ending{}, false // "not married to a doctor"
			}
			if len(nouns) == 0 {
				continue
			}
			if rest := namesIn(words[i+1:]); len(names) == 0 && len(rest) > 0 {
				names = rest // "the trip to Kyoto"
			}
			return e.with(nouns, names, owned, definite, plain)
		case strings.HasSuffix(w.low, "'s"):
			nouns = append(nouns, w.low)
		case w.capital && !(i == 0 && light[w.low]):
			names = append(names, strings.TrimSuffix(w.low, "'s"))
			nouns = append(nouns, w.low)
		case adjunct[w.low] || numbers[w.low] > 0 || light[w.low] || strings.Trim(w.low, "0123456789") == "" && k != misSaid:
		default:
			nouns = append(nouns, oneOf(w.low))
		}
		if people4[w.low] || animal5[w.low] {
			e.called = relation(w.low)
		}
		if len(nouns) > 4 {
			return Ending{}, false
		}
	}
	return e.with(nouns, names, owned, definite, plain)
}

func namesIn(words []word) (names []string) {
	for _, w := range words {
		if w.capital {
			names = append(names, strings.TrimSuffix(w.low, "'s"))
		}
	}
	return names
}

// with gives the ending its words.
func (e Ending) with(nouns, names []string, owned, definite, plain bool) (Ending, bool) {
	e.own = owned
	switch others := slices.ContainsFunc(nouns, func(n string) bool { return strings.HasSuffix(n, "'s") }); {
	case len(nouns) == 0:
		return Ending{}, false
	case others && e.kind != died && e.kind != anotherTime:
		return Ending{}, false
	case others:
		e.words = nouns // somebody else's
	case len(names) > 0:
		e.words, e.named = names, true
	default:
		e.words = nouns
	}
	if head := e.Head(); noObjects[head] || emptyWords[head] || jobs[head] && e.kind == notHad {
		return Ending{}, false
	}
	last, given := e.words[len(e.words)-1], e.named && givenNames[e.words[0]]
	switch e.kind {
	case notHad:
		if !definite && !e.named && !plain || given || people4[last] {
			return Ending{}, false
		}
	case dropped:
		if given || slices.Contains(strings.Split(belongings, "|"), last) && !played[last] {
			return Ending{}, false // "I dropped my phone", "we replaced Tom"
		}
	case died, splitUp, gaveOver:
		if !e.named && !owned && !(plain && len(nouns) == 1) && !(e.kind == died && definite) {
			return Ending{}, false
		}
		if e.kind == died && (slices.Contains(strings.Split(belongings, "|"), last) || workWords4[last]) || e.kind == gaveOver && people4[last] {
			return Ending{}, false // "my phone died", "my boss left"
		}
	case calledOff, notSo, misSaid:
		if len(e.words) > 3 || e.kind == notSo && e.named {
			return Ending{}, false
		}
	}
	return e, true
}

// Head is the word by which the thing is looked up: the last that is no number, of names the
// last that is no model.
func (e Ending) Head() string {
	for _, w := range slices.Backward(e.words) {
		if !strings.ContainsAny(w, "0123456789") {
			return oneOf(w)
		}
	}
	return e.words[0]
}

// coloured tells one of several by what it looks like.
var coloured = english(`\b(?:blue|red|green|white|black|yellow|grey|gray|silver|orange|pink|purple|brown|golden|second|other|spare)\b`)

// Heads are the words of which one stands in what is over.
func (e Ending) Heads() []string {
	heads := []string{e.Head()}
	switch {
	case e.kind == splitUp:
		heads = append(heads, "together", "dating")
	case e.kind == anotherTime && heads[0] == "wedding":
		heads = append(heads, "married")
	case e.kind == anotherTime && heads[0] == "flight":
		heads = append(heads, "flying", "land")
	}
	return heads
}

// madeOver has something in the place of what need be no car.
var madeOver = english(`\b(?:replaced|swapped)\b`)

// orEnding gives what a statement is about that may say that something is over: what it is about
// otherwise, if that can be found by a word of the thing, else the thing.
func (a about) orEnding(text string) about {
	kind, rest, several := strings.Cut(a.name, ":")
	mine := slices.Contains(strings.Split(belongings, "|"), a.name)
	loose := a.name == "" || a.negated && kind == "does" && strings.Contains(rest, " after ") || mine && a.negated && (a.value != "" || coloured.MatchString(text)) || a.name == "car" && a.value != "" && madeOver.MatchString(text) ||
		a.negated && several && strings.Contains(strings.TrimPrefix(rest, "use "), " ") && (kind == "has" || kind == "going to" || strings.HasPrefix(rest, "use "))
	if !loose {
		return a
	}
	e, ok := EndingOf(text)
	switch {
	case !ok:
		return a
	case e.day != "" && e.named && e.onDeadline:
		return about{name: "deadline", subject: e.Head(), value: e.day}.anchored(text)
	case e.day != "" && !e.named && !bareCare.MatchString(text):
		return about{name: dateOf(strings.Join(e.words, " ")), value: e.day}.anchored(text)
	case e.kind == splitUp && len(e.words) == 1 && !people4[e.words[0]]:
		return about{name: "partner", value: e.spelled, negated: true}
	}
	return about{name: overSlots + stem(e.Head()), negated: true}
}
