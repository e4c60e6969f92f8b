package extract

// A short answer is worth keeping where the question asks something of who answers. What is
// asked out of courtesy, offered, or asked to see what somebody knows, is not of that kind.

var (
	// phatic asks nothing but how to go on: an offer, a courtesy, an invitation to speak.
	phatic = english(`^` + askLead + `(?:[^?]{0,60}[.!,…–—-]\s+)?(?:(?:and|how about|what about) (?:you|yourself)|you|wanna|(?:do you )?want (?:something|anything|some|a|an|the|me|to|help|more|another|it|that|this)\b.*|(?:would|will|could|might) (?:a|an|the|some|it|that|this|these|any|more|another)\b.*\b(?:help|work|do|suit|be (?:better|useful|helpful|nice|good|ok|okay|enough))\b.*|(?:what|how|where) (?:else )?(?:can|could|may|shall|should|do|would) (?:i|we) (?:do|help|assist|get|fetch|offer|bring|make|show|tell|start|begin|be|have the)\b.*|how(?:'s| is| are|'re) (?:it|things|life|everything|everyone|your (?:day|morning|evening|weekend|week|night))\b.*|what(?:'s| is| has)? (?:up|new|going on|wrong|happening|happened|the (?:matter|problem|issue|occasion|rush|news)|it|that|on your mind|next|brings? you(?: here)?|troubling you|bothering you)(?: (?:today|now|here|there|then|for you))*|(?:is|are) (?:everything|you) (?:ok|okay|alright|all right|well|good|fine|sure|ready|still there|there)\b.*|(?:shall|may|can|could) (?:i|we)\b.*|(?:need|fancy|care for|up for|in the mood for|how about|what about|ready for|interested in) (?:a|an|some|any|another|more|help|something|anything|me|to)\b.*|(?:does|did|is|was|has) (?:that|this|it)\b.*|(?:you )?(?:good|ready|sure|okay|ok|alright|still there|there)|(?:anything|something|what) (?:else|more)\b.*|guess what)\s*[?!.]*$`)
	// politelyOf asks for something of who is asked as if for leave.
	politelyOf = english(`\b(?:may|can|could|shall|should) (?:i|we) (?:\pL+ )?(?:ask|know|have|take|note)\b|\byour\b`)
	// wouldOffer asks whether something is to be done.
	wouldOffer = english(`^` + askLead + `(?:(?:shall|should|may|can|could) (?:i|we)|(?:do you )?want (?:me|some|more|another)|(?:need|fancy|how about) (?:a|some|more|another|help)|would (?:a|an|some|it|that|this|more)\b[^?]* help)\b[^?]{0,60}\?\W*$`)
	// guessed says of who is asked what they may be.
	guessed = english(`^(?:` + recalling + `|` + askLead + `|(?:ah|oh|wait|hm+|let me guess)[\s,:]+)*(?:so |and |then )?(?:you(?:'re| are| have|'ve| live| work| play| study| like| love| own| speak| drive)\b|your \pL[^?]*(?: is|'s)\b|(?:a|an) \pL+(?: \pL+)?\?)[^?]*\?[^?]*$`)
	// confirms says that a guess is right.
	confirms = english(`^(?:(?:haha\pL*|lol|hehe|omg|wow|oh|ah|ding|yes|yeah|yep|yup|well)[\s,!.]+)*(?:(?:yes|yeah|yep|yup)[\s,!.]+)?(?:exactly|correct|that's (?:it|right|me|correct|true)|thats (?:it|right|me)|right|spot on|bingo|you got (?:it|me)|got it in one|nailed it|indeed|precisely|true)(?:[\s,!.]+(?:haha\pL*|lol|yes|yeah|how did you know|well done|indeed|right))*[\s!.?😄😂🎯]*$`)
	// asksWhich asks for a noun.
	asksWhich = english(`\b(?:what|which|who|whom|whose|where|when|how (?:many|much|old|long|often)|or)\b|\b(?:any|have you|do you have|have)\b`)
	// ofKnowledge asks what anybody may know.
	ofKnowledge = english(`^` + askLead + `(?:[^?]{0,80}[.!]\s+)?(?:(?:so|and|now|next|ok|question \d+|number \d+)[\s,:.]+)*(?:(?:what|which|who|where|name)(?:'s| is| was| are| were)? (?:the |a )?(?:capital|population|currency|chemical symbol|symbol|formula|square root|cube root|plural|past tense|past participle|opposite|synonym|antonym|translation|meaning|definition|derivative|integral|atomic number|largest|biggest|smallest|longest|tallest|highest|deepest|fastest|first president|official language|flag|author|inventor|composer|sum|product)\b|(?:what|how much) (?:is|are|does)? ?(?:\d[\d.,]*|\pL+ (?:plus|minus|times))\s*(?:[-+*/x×÷^%]|plus|minus|times|divided|squared|to the)|(?:who|which \pL+) (?:wrote|painted|composed|invented|discovered|directed|won|founded)\b|(?:in )?(?:what|which) year (?:did|was|were)\b|how (?:many|far|big|tall|old) (?:[\pL ]{1,30} )?(?:are there|is|are|does|do|in) (?:a|an|the)\b|how do you (?:say|spell|conjugate)\b|what does ["'“]?\pL+["'”]? mean\b|(?:translate|conjugate|spell)\b)`)
	// goesOnWith asks the same of something else.
	goesOnWith = english(`^(?:[^?]{0,80}[.!]\s+)?(?:and|what about|how about|now)\s+(?:of|in|for|the|at)?\s*[\pL' -]{1,40}\?\W*$`)
	// graded opens a message that says whether an answer was right.
	graded = english(`^(?:(?:yes|no|yay|ooh|ah|well)[\s,!.]+)*(?:correct|right|wrong|incorrect|not quite|exactly|well done|spot on|nope|close|almost|nearly|good job|bravo|perfect|sorry)\b[^?]{0,60}[!.,]`)
	// wantsQuiz asks to be asked.
	wantsQuiz = english(`\b(?:quiz|test|drill|examine) me\b|\b(?:ask me (?:\pL+ ){0,3}(?:questions|trivia)|flash ?cards|trivia|practi[cs]e (?:questions|test|exam)|a quiz|pub quiz|mock (?:exam|test))\b`)
	ofYou     = english(`\b(?:you|your|yours|you're|you've|we|our|us)\b`)
)

// quizzed says whether the question before asks what somebody knows, not of themself.
func (g *grouping) quizzed() bool {
	if ofYou.MatchString(g.question) {
		return false
	}
	if ofKnowledge.MatchString(g.question) || g.asker != nil && graded.MatchString(head(g.asker.Text, 200)) && len(g.heard) > 2 {
		return true
	}
	for i := len(g.heard) - 1; i >= 0 && i >= len(g.heard)-quizReach; i-- {
		m := g.heard[i]
		if sameSpeaker(m, g.message) && wantsQuiz.MatchString(head(m.Text, 300)) {
			return true
		}
		if !sameSpeaker(m, g.message) && m != g.asker && goesOnWith.MatchString(g.question) && ofKnowledge.MatchString(head(m.Text, 300)) {
			return true
		}
	}
	return false
}

// quizReach is how many messages back a quiz may have begun.
const quizReach = 12

// tellsAnswer says whether an answer has anything that its question may ask for: words of
// mere reaction answer only what is asked by yes or no, or how one likes something.
func tellsAnswer(question, answer string) bool {
	words := wordsOf(answer)
	if chosen(question, answer) {
		return true
	}
	if len(words) == 0 || yesNo[words[0].low] || yesOrNo(words) || tasteAnswer.MatchString(answer) || confirms.MatchString(answer) {
		return true
	}
	for _, w := range words {
		if numbers[w.low] > 0 || w.low[0] >= '0' && w.low[0] <= '9' || w.low == "none" || w.low == "both" || w.low == "neither" || w.low == "nothing" || w.low == "nobody" {
			return true
		}
	}
	return !carriesNothing(answer) && !reacting.MatchString(answer)
}

// reacting is a mere reaction or a word on one's own breath.
var reacting = english(`^(?:(?:ok|okay|oh|ah|um+|uh|hm+|haha\pL*|lol|lmao|omg|ugh|phew|wow|right|so)[\s,!.]+)*(?:deep breath|breathe|drum ?roll.*|(?:just )?(?:poking|looking|browsing|messing|playing|hanging|snooping) (?:around|about)|just (?:browsing|looking|chatting|chilling|bored|curious|saying hi)|(?:yes|yeah|yep|sure|ok|okay)?[\s,]*(?:pls|please|plz)|why not|go on|go ahead|bring it(?: on)?|(?:i'm |im )?all (?:ears|good)|you (?:tell|guess)\b.*|i wish|as if|you wish|maybe(?: later| not| idk)?|later|grand|meh|same|whatever)\W*$`)

// fragment says whether words are no sentence: they have no subject and no auxiliary verb.
func fragment(words []word) bool {
	for _, w := range words {
		if auxiliaries[w.low] || pronouns[w.low] || own[w.low] && w.low != "my" && w.low != "our" || imperativeOpen[words[0].low] {
			return false
		}
	}
	return true
}

// sinceWhen open an answer that tells how long or when.
var sinceWhen = set(`since for until till from around about at`)

// imperativeOpen open a command, not a fragment.
var imperativeOpen = set(`ask tell show give make write try use put let send check stop go come explain help read look add remove change`)
