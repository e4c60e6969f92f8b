package extract

import (
	"strings"
)

// A bare answer is kept with its question: "Lisbon (asked: Where do you live?)".

// answers says whether a message's first sentence is a bare answer to what the
// other speaker asked just before.
func (g *grouping) answers(text string) bool {
	if g.question != "" && g.english && !g.assistant && answersInForm(g.question, text) {
		return true
	}
	if g.question == "" || g.english && (asksOfTalk(g.question, text) || !g.assistant && (phatic.MatchString(g.question) && !politelyOf.MatchString(g.question) || g.quizzed() || !tellsAnswer(g.question, text))) || foreignService.MatchString(g.question) || endsAsking(text) || g.english && asksSomething(text) {
		return false
	}
	if _, ends := endedByAnswer(g.question, text); ends && g.english && !g.assistant {
		return true
	}
	words := wordsOf(text)
	n := countWords(text)
	if g.english && !g.assistant && (remarksOnAnswer(g.question, text) || chosen(g.question, text)) {
		return true
	}
	if g.english && !g.assistant && guessed.MatchString(g.question) && confirms.MatchString(text) {
		return true
	}
	if g.english && !g.assistant && (noAnswer.MatchString(text) || interrupts(text) || codeLine.MatchString(text) || offer.MatchString(g.question) && emptyOf(words) && !politelyOf.MatchString(g.question)) {
		return false
	}
	if g.english && !g.assistant && tasteAnswer.MatchString(text) && tasteAsked.MatchString(g.question) {
		return true
	}
	if !g.english {
		return n <= 3 && len(words) > 0 && !isSmallTalk(text, g.names)
	}
	if len(words) == 0 || n > 12 {
		return false
	}
	asked := wordsOf(g.question)
	topic := len(asked) <= 3 && !verbal(asked) && !nudge.MatchString(g.question) // "Milk?"
	bare := n <= 5 && yesOrNo(words)
	if bare || isSmallTalk(text, g.names) {
		// "Yes" tells something if the question was about who answers.
		return !g.assistant && (bare || yesNo[words[0].low]) && (topic || aboutYou.MatchString(g.question)) && !offer.MatchString(g.question)
	}
	if g.assistant || request.MatchString(text) && len(words) > 1 || offer.MatchString(g.question) && yesNo[words[0].low] {
		return false
	}
	if (affirming[words[0].low] || denying[words[0].low]) && len(words) > 1 && aboutYou.MatchString(g.question) && slotOf(yesLead.ReplaceAllString(text, "")).name == "" {
		return true
	}
	if own[words[0].low] && verbal(words) {
		return n <= 8 && (leavesOut(words) || doesSo.MatchString(text)) && !g.assistant
	}
	return n <= 3 || n <= 8 && (!verbal(words) || (fragment(words) || sinceWhen[words[0].low]) && asksWhich.MatchString(g.question)) || refersBack(words) && !(!verbal(asked) && verbal(words) && ofOthers5[words[0].low]) || standsIn(words) || yesNo[words[0].low] && len(words) > 1 && !own[words[1].low]
}

// ofOthers5 are of somebody who was told of before: "her class is 2B" answers no "Muffins?".
var ofOthers5 = set(`his her their he she he's she's they`)

// standsIn says whether words speak of somebody only as "she" and name nobody.
func standsIn(words []word) bool {
	found := false
	for i, w := range words {
		found = found || standing3[w.low]
		if own[w.low] || i > 0 && w.capital && w.low != "i" {
			return false
		}
	}
	return found
}

var (
	standing3 = set(`he he's she she's they they're him`)
	// tasteAnswer answers whether one likes something.
	tasteAnswer = english(`^(?:(?:yes|yeah|no|nope|nah|oh|i|honestly|absolutely|really|totally|actually)[\s,!.]+)*(love|adore|like|enjoy|hate|dislike|can't stand|don't like|do not like) (?:it|them|that|those)\b[^,.]{0,20}[.!]*$`)
	tasteAsked  = english(`\bdo you (?:like|enjoy|love)\s+([^?]+)\?`)
)

// asksOfTalk says whether a question is about the talk or what is worked on, so that its
// answer tells nothing of who gives it: "How long should it be?", "Did you clear the cache?"
func asksOfTalk(question, answer string) bool {
	words := wordsOf(question)
	asked := false
	for i, w := range words {
		if w.low == "your" && i+1 < len(words) && !askedTalk[words[i+1].low] && !talkNouns[words[i+1].low] && !workNouns[words[i+1].low] {
			return false // "What topic is your thesis on?"
		}
		asked = asked || askedTalk[w.low] && (i == 0 || words[i-1].low != "your")
	}
	return asked || ofWorkAsked.MatchString(question) || goesOnAsked.MatchString(question) && emptyOf(wordsOf(answer))
}

var (
	askedTalk = set(`poem story essay paragraph tone topic sentence sentences wording error errors cache log logs output query cable cursor draft joke riddle quiz summary translation font router printer`)
	// ofWorkAsked asks how one is, or how the work goes.
	ofWorkAsked = english(`^` + askLead + `(?:how (?:are|were) you(?: doing| feeling| holding up| today| tonight| now| this \pL+)*\W*$|how do you feel(?: today| now)?\W*$|how(?:'s| is) it going(?: today| there)?\W*$|(?:did|have|do|can|could) you (?:already )?(?:try|tried|clear|cleared|restart|restarted|reboot|rebooted|check|checked|see|saw|seen|plug|plugged) (?:it|that|this|the|any|again|\pL+ing)\b|do you give up\b|(?:is|was|are) (?:that|this|it|the (?:light|led|screen|power|cable|page|code|tone|text)) (?:still|now|better|blinking|working|loading)\b|how (?:long|formal|short|detailed|many words) (?:should|shall|do you want|would you like)\b)`)
	// goesOnAsked asks how to go on.
	goesOnAsked = english(`^` + askLead + `(?:shall (?:we|i)|should (?:it|i|we|the)|which (?:one|version|option)s? (?:do|would|did) you (?:like|prefer|want)|does (?:that|it|this)|(?:is|was) (?:that|this|it)|ready (?:for|to)|do you (?:want|prefer) (?:the|a))\b`)
)

// recalling opens what somebody wants to hear confirmed.
const recalling = `(?:(?:so|ok|okay|and|great|alright|hmm|wait)[\s,]+)*(?:(?:if i (?:remember|recall|understand|understood|got)(?: (?:it|that|this|you))?(?: right| correctly| well)?|(?:just )?to (?:check|confirm|be sure|make sure|clarify)|just checking|let me (?:check|confirm)|i (?:think|believe|take it|guess|assume|suppose|gather)(?: that)?|(?:am i right|is it (?:right|true|correct)|do i (?:remember|understand) (?:right|correctly)) that)[\s,:–—-]+)+`

const askLead = `(?:(?:so|ok|okay|and|great|alright|hmm)[\s,]+)*`

// resolveAnswer resolves the dates of a bare answer, of which its question may tell whether
// they were or are to be.
func (g *grouping) resolveAnswer(bare string) (string, moment) {
	if g.english && yearlyAsked.MatchString(g.question) {
		if dated, when := resolve(yearly+bare, g.said, true); strings.HasPrefix(dated, yearly) {
			return dated[len(yearly):], when // a birthday is of every year
		}
	}
	dated, when := resolve(bare, g.said, g.english)
	if when.grain != never || !g.english || !strings.ContainsAny(bare, "0123456789") {
		return dated, when
	}
	opening := "It is "
	if past(wordsOf(g.question)) {
		opening = "It was "
	}
	if dated, when := resolve(opening+bare, g.said, true); when.grain != never && strings.HasPrefix(dated, opening) {
		return dated[len(opening):], when
	}
	return dated, when
}

// yearlyAsked asks for a day of every year, yearly opens such an answer.
var yearlyAsked = english(`\b(?:birthday|b-?day|anniversary|born)\b`)

const yearly = "My birthday is "

var (
	// noAnswer tells that there is none, or none yet.
	noAnswer = english(`^(?:(?:h+m+|um+|uh+|er+|well|oh|ah|ok|sorry|honestly|no|lol|haha)[\s,.!…]+)*(?:idk|dunno|i(?:'m| am)? (?:don't|dont|do not|really don't|can't|cant) (?:know|remember|say|decide)|no (?:idea|clue)|(?:i'm |im )?not (?:really )?sure|hard to (?:say|tell)|(?:that's a )?(?:good|great|tough|hard) (?:one|question)|let me (?:think|see|check|look)|(?:hang|hold) on|i wish\b|no comment|as if\b|you wish|(?:one |a |just a )?(?:sec|second|moment|min|minute|wait|skip|pass|next|guess)(?: please)?\W*$|why do you|why would|why are you|what do you mean|none of your|you tell me|i'd rather not|rather not)(?:\W|$)`)
	// nudge asks only whether somebody is there, or goes on.
	nudge = english(`^(?:(?:hello|hey|hi|so|ok|okay|and|but|well)\W+)*(?:(?:are )?(?:you|u|ya|anyone|anybody) (?:still )?(?:there|here|around|awake|ready|ok|okay|alright|good|up|sure|serious|kidding)|hello|really|seriously|ready|ok|okay|right|more|anything else|what else|and|then|sure|deal|see|so|now what|what|why|how so|how come|still there|everything ok(?:ay)?|all good|better)\W*$`)
)

// yesOrNo tells "Yes", "No, I'm not", "I do", "not anymore", "never": answers that
// say nothing without their question.
func yesOrNo(words []word) bool {
	for _, w := range words {
		if !answering[w.low] && !yesNo[w.low] {
			return false
		}
	}
	return true
}

var (
	yesNo     = set(`yes yeah yep yup ya no nope nah never not sometimes always rarely often definitely absolutely yea`)
	answering = set(`i i'm am do did have was don't didn't haven't wasn't not really anymore any more yet we are aren't sure course of it is isn't never always at all much often he she does doesn't has hasn't`)
	// aboutYou opens a question to be answered by yes or no about who is asked.
	aboutYou = english(`^` + recalling + `your?\b|\b(?:so|and|then|ah|oh|ok|right),? your \pL[^.?!]{2,50}(?: is| are|'s) [^.?!]*\?|(?:^|[,.!?]\s+|\b(?:so|and|but|also|oh|hey|ok)\s+)(?:are|were|do|did|have|had|is|was|does|has|aren't|don't|didn't|haven't|isn't|can|could|would|will)\s+(?:you|your|any of you|anyone in your)\b|\b(?:so|and|then|ah|oh),? you(?:'re| are| live| work| have| like| don't| do not)\b[^.?!]*\?|\byou[^.?!]{2,60}, (?:right|correct|yes|don't you|aren't you)\?|(?:^|[,.!?]\s+)(?:and |do you have )?any (?:food |known |other )?(?:allerg|dietary|pets|kids|children|siblings|hobbies|medical|health|medication|brothers|sisters|intolerance)`)
	// offer is a question whose yes grants or wishes, and tells nothing.
	offer = english(`\b(?:would you (?:like|mind|care)|do you want|(?:would|do|did) you (?:like|want|need|mind|prefer) (?:me|to (?:know|see|hear|try|go on|continue|proceed|start)|some (?:help|tips|ideas|more|examples)|any (?:help|more|other)|help|more|another|that|this)|(?:can|could|shall|should|may) (?:i|we)|(?:can|could) you (?:tell|give|share|send|show|confirm|clarify|elaborate)|make sense|(?:do|did) (?:that|this|it|you) (?:help|understand|see|get|agree|think|know)|anything else|(?:are you )?ready (?:to|for)|is (?:that|this) (?:ok|okay|right|correct|fine|all)|sounds? good)\b`)
)

// answered is a kind of question and the statement that its answer makes.
type answered struct {
	asks *pattern
	// says is the statement, with "$" where the answer stands and "$1" where a word of
	// the question does.
	says string
}

var answeredAs = []answered{
	{english(`\bwhere (?:do you live|are you (?:living|based|located)|is (?:your )?home)\b|\b(?:what|which) (?:city|town|country|place) (?:do you live|are you (?:living|based))`), "I live in $"},
	{english(`\bwhat(?:'s| is) your (?:full |first )?name\b|\bmay i (?:ask|have) your name\b|\bwho am i (?:talking|speaking) (?:to|with)\b`), "My name is $"},
	{english(`\bwhat (?:should|can|may|shall) i call you\b|\bhow (?:should|can|may) i (?:call|address) you\b`), "Call me $"},
	{english(`\b(?:phone|mobile|cell) number\b|\bnumber (?:can|should|may) (?:i|we) (?:reach|call)`), "My phone number is $"},
	{english(`\be-?mail(?: address)?\b`), "My email is $"},
	{english(`\b(?:what|which) (?:is |address )?(?:your )?address\b|\byour address\b`), "My address is $"},
	{english(`\bhow old are you\b|\bwhat(?:'s| is) your age\b`), "I am $"},
	{english(`\bhow tall are you\b`), "My height is $"},
	{english(`\bhow much do you weigh\b`), "I weigh $"},
	{english(`\bwhat(?:'s| is) your (shoe size|height|weight|blood type|star sign|time ?zone|job title)\b`), "My $1 is $"},
	{english(`\bwhere do you work\b|\bwho do you work for\b|\b(?:what|which) company do you work\b|\bwho is your employer\b`), "I work at $"},
	{english(`\bwhat do you do(?: for (?:a living|work))?\W*$|\bwhat(?:'s| is) your (?:job|profession|occupation)\b`), "I work as a $"},
	{english(`\ballergic to\b|\b(?:food )?allerg(?:y|ies)\b`), "I am allergic to $"},
	{english(`\bwhat(?:'s| is) your favou?rite ((?:[\pL'-]+\s?){1,3})\?`), "My favorite $1 is $"},
	{english(`\bwhat(?:'s| is) your (dog|cat|puppy|kitten|parrot|rabbit|hamster|horse)(?:'s name| called| named)\b`), "My $1 is called $"},
	{english(`\bwhat(?:'s| is) your (wife|husband|partner|girlfriend|boyfriend|sister|brother|son|daughter|mother|father|mum|mom|dad)(?:'s name| called)\b`), "My $1 is called $"},
	{english(`\bwhat (?:do|are) you study(?:ing)?\b|\bwhat(?:'s| is) your major\b`), "I study $"},
	{english(`\bwhen(?:'s| is|s) your (?:birthday|b-?day)\b|\bwhat(?:'s| is) your (?:birthday|b-?day)\b`), "My birthday is $"},
	{english(`\bwhat(?:'s| is|'re| are) your pronouns\b`), "My pronouns are $"},
	{english(`\b(?:what|which) (?:phone|car|laptop|bike|camera) (?:do you (?:have|use|drive|own|ride))\b`), ""},
	{english(`\b(?:what|which) languages? (?:do you speak|can you speak)\b`), "I speak $"},
}

var (
	// countAsked asks how many somebody has of what, or whether they have any.
	countAsked = english(`\b(?:how many (` + countable + `) (?:do you have|have you got|do you own|are there in your family)|(?:do you have|have you got) (?:any )?(` + countable + `)\b)[^?]*\?[^?]*$`)
	numberOnly = english(`^(?:(?:so|and|oh|well|that makes|that's|it's|we're at|i'm at|now|down to|up to|we have|i have)[\s,]+)*(\d{1,3}|` + tally + `|zero)(?:\s+of (?:them|those))?(?:\s+(?:now|by now|already|in total|altogether))?\W*$`)
	noneOfThem = english(`^(?:none|zero|0|no (?:kids|children)?|nobody)(?: (?:yet|at all|so far))?\W*$`)
)

const countable = `kids|children|sons|daughters|brothers|sisters|siblings|grandchildren|cats|dogs|horses|hens|rabbits|parrots`

// countOf reads a bare number as an answer to how many there are of something.
func countOf(question, answer string) (about, bool) {
	m := countAsked.FindStringSubmatch(question)
	if m == nil {
		return about{}, false
	}
	name := "number of " + plural(strings.ToLower(strings.TrimSuffix(m[1]+m[2], "s")))
	if noneOfThem.MatchString(answer) && m[1] != "" {
		return about{name: name, value: "no"}, true
	}
	if n := numberOnly.FindStringSubmatch(answer); n != nil && !strings.EqualFold(n[1], "no") {
		return about{name: name, value: strings.ToLower(n[1])}, true
	}
	return about{}, false
}

// doesSo opens an answer that says yes in other words and goes on: "I do, a rabbit".
var doesSo = english(`^(?:i|we) (?:do|have|am|are|did|can|don't|haven't|didn't)\s*[,–—-]`)

var (
	yesLead     = english(`^(?:yes|yeah|yep|yup|yea|no|nope|nah|well|um|uh|oh|it's|it is|that's|that would be|in|at|as an?|for|on|mostly|mainly|just|only|to|i'm|i am|he's|she's|his name is|her name is|her name's|his name's|called)(?:[\s,!.–—-]+)`)
	youQuestion = english(`(?:^|[,.!?]\s+|\b(?:so|and|but|also|oh|hey|ok)[\s,]+)(are|do|have|can) you\s+((?:still|currently|also|really|actually)\s+)?([^?]+)\?[^?]*$`)
	youSaid     = english(`\byou(?:('re\b)| )?((?:are|live|work|have|like|love|study|eat|drink|speak|play|drive)?\b[^?]{2,60}?)(?:, (?:right|correct|yes|don't you|aren't you))?\?[^?]*$`)
	// yourIs asks whether something of who is asked is what it is said to be: "so your name is
	// Ana?", "is your name Ana?"
	yourIs    = english(`(?:^|[,.!?]\s+|\b(?:so|and|but|then|ah|oh|ok|right)[\s,]+)(?:your ([^?,]{2,40}?)(?:'s| (is|are)) ([^?,]{1,40}?)(?:, (?:right|correct|yes|isn't it))?\?|(is|are) your (name|surname|nickname|birthday) ([^?,]{1,40}?)\?)[^?]*$`)
	denying   = set(`no nope nah never not don't didn't haven't`)
	affirming = set(`yes yeah yep yup ya yea definitely absolutely sure always`)
)

// inPlace is what takes the place of what was wrong: "no, in Milan".
var inPlace = english(`^(?:no|nope|nah)[\s,.!–—-]+(?:(?:it's|it is|i'm|i am|it's actually|actually)\s+)?(?:(?:in|at|for|with)\s+)?(\p{Lu}[\pL'-]+(?: \p{Lu}[\pL'-]+)?)(?:,? (?:now|actually|not \p{Lu}[\pL'-]+))?\W*$`)

// alsoSo ends an answer that is as another's was.
var alsoSo = english(`,?\s+(?:too|as well)\W*$`)

// noMore denies what was so.
var noMore = english(`^(?:not|no longer)(?:\s+(?:any ?more|any longer|really|now|for a while))*\W*$`)

// slotOfAnswer gives what an answer to a question is about.
func slotOfAnswer(question, answer string) about {
	if a, ends := endedByAnswer(question, answer); ends {
		return a
	}
	question = plainQuestion(question)
	if a, ok := slotByForm(question, answer); ok {
		return a
	}
	answer = alsoSo.ReplaceAllString(answer, "")
	if lead := beforeAnswer.FindString(answer); lead != "" && len(lead) < len(answer) {
		answer = answer[len(lead):]
	}
	words := wordsOf(answer)
	if len(words) == 0 || supposed.MatchString(answer) {
		return about{}
	}
	if m, asked := tasteAnswer.FindStringSubmatch(answer), tasteAsked.FindStringSubmatch(question); m != nil && asked != nil {
		a := slotOf("I like " + asked[1])
		switch strings.ToLower(m[1]) {
		case "love", "adore", "like", "enjoy":
		default:
			a.negated = a.name != ""
		}
		return a
	}
	yes, no := affirming[words[0].low], denying[words[0].low] || noMore.MatchString(answer)
	if confirms.MatchString(answer) {
		yes, no = true, false
	}
	if said := slotOf(yesLead.ReplaceAllString(answer, "")); (yes || no) && said.name != "" {
		return said
	}
	if yes && !confirms.MatchString(answer) && !yesOrNo(words) && !own[words[1].low] && !sinceYes.MatchString(answer) {
		yes = false // "Yes, shellfish"
	}
	if yes || no {
		for _, w := range words {
			no = no || w.low == "not" || strings.HasSuffix(w.low, "n't")
		}
		m := youQuestion.FindStringSubmatch(question)
		if own := yourIs.FindStringSubmatch(question); own != nil {
			a := slotOf("My " + own[1] + own[5] + " is " + own[3] + own[6])
			a.negated = a.name != "" && a.negated != no
			return a
		}
		if d := youSaid.FindStringSubmatch(question); m == nil && d != nil {
			a := slotOf("I " + strings.Replace(strings.Replace(d[1]+d[2], "'re", "am", 1), "are ", "am ", 1))
			if right := inPlace.FindStringSubmatch(answer); no && right != nil && a.value != "" && !a.negated && startsName(right[1]) {
				a.value = right[1] // "no, in Milan"
				return a
			}
			a.negated = a.name != "" && a.negated != no
			return a
		}
		if m == nil || strings.Contains(m[3], " or ") || strings.HasPrefix(m[3], "ever ") {
			return about{}
		}
		be := map[string]string{"are": "I am ", "do": "I ", "have": "I have ", "can": "I can "}[strings.ToLower(m[1])]
		a := slotOfAsked(be + strings.TrimRight(m[3], " "))
		if rest, at := strings.CutPrefix(m[3], "at "); a.name == "" && at && be == "I am " && startsName(rest) {
			a = slotOf("I work at " + rest) // "are you still at Bosch?"
		}
		if a.name == "" || strings.HasPrefix(a.name, "allergy:") && noAllergy[strings.TrimPrefix(a.name, "allergy:")] {
			return about{}
		}
		a.negated = a.negated != no
		return a
	}
	bare := answer
	for {
		short := yesLead.ReplaceAllString(bare, "")
		if short == bare {
			break
		}
		bare = short
	}
	if a, counted := countOf(question, bare); counted {
		return a
	}
	for _, q := range answeredAs {
		m := q.asks.FindStringSubmatch(question)
		if m == nil {
			continue
		}
		says := q.says
		if len(m) > 1 {
			says = strings.Replace(says, "$1", strings.TrimSpace(m[1]), 1)
		}
		if noneSuch.MatchString(bare) {
			if strings.HasPrefix(says, "I work ") {
				return about{name: "work", negated: true}
			}
			return about{}
		}
		if says == "" || strings.Count(question, "?") > 1 || joined.MatchString(question) {
			return about{}
		}
		if says == "My name is $" && countWords(bare) == 1 && !carriesNothing(bare) {
			bare = strings.ToUpper(bare[:1]) + bare[1:] // many write their own name small
		}
		return slotOf(strings.Replace(says, "$", bare, 1))
	}
	return about{}
}

// joined are questions that ask for two things at once.
var joined = english(`\S\s+and (?:what|where|how|who|when|do|are)\b`)
