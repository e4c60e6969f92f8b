package extract

import "strings"

// A message that says nothing but how to answer means all answers to come; with a question or a
// task beside it, it means that one.

// styleWish is a way of saying how to answer, and the slot of it.
type styleWish struct {
	form    *pattern
	name    string
	negated bool
}

const wishing = `^` + lightWords + `(?:(?:(?:can|could|would|will) you|you (?:can|should|may)|i(?:'d| would)? (?:want|like|prefer|need) (?:you to|it if you))\s+(?:please\s+)?|(?:please|pls|just|from now on)[\s,]+)*`
const wished = `(?:[\s,]+(?:please|pls|plz|thanks|thank you|with me|for me|to me|from now on|in (?:general|future)|always|all the time|so (?:much|often)|every time|any ?more|when you (?:answer|reply|explain)|in your (?:answers?|replies|responses)))*\W*$`

var styleWishes = []styleWish{
	{english(wishing + `keep (?:all |the |your |all your )*(?:explanations?|answers?|replies|responses|messages|texts|summaries) (?:as )?((?:very |really |nice and )?(?:short|brief|concise|long|detailed|simple|minimal|to the point))(?: as possible)?(?:[\s,]+(?:and|then)\s.{3,60})?` + wished), "answer length", false},
	{english(wishing + `(?:explain|talk|speak|write|answer)(?: (?:things|stuff|everything|concepts))?(?: to me)? (?:like|as if|as though) (?:i'm|i am|i were|i was|im|to) ((?:a |an )?(?:five|5|six|ten|12|beginner|newbie|complete beginner|total beginner|child|kid|idiot|dummy|expert|(?:five|5|six|ten)[- ]years?[- ]old)(?: years? old)?)` + wished), "answer level", false},
	{english(wishing + `(?:stop|quit|don't|dont|do not|never|no need to|no|no more|without)(?: ever| always| keep| all the)? (?:apologi[sz](?:e|ing)|apologi(?:es|y)|(?:saying|say) (?:you're |you are )?sorry|sorrys?)` + wished), "answer with apologies", true},
	{english(wishing + `(?:(?:give|show|put|start with|lead with) (?:me )?)?(?:the )?(code|answer|result|conclusion|short answer|summary|bottom line|tl;?dr) first(?:[\s,]+(?:and |then ).{3,60})?` + wished), "answer first", false},
	{english(wishing + `(?:skip|drop|leave out|no|without|cut|stop with) (?:the |all the |any |your )?(?:intros|introductions|small ?talk|pleasantries|disclaimers|fluff|filler|preambles|flattery|compliments)` + wished), "answer with extras", true},
}

// styleOf gives the slot of a sentence that says how to answer.
func styleOf(text string) (about, bool) {
	if len(text) > 140 || endsAsking(text) {
		return about{}, false
	}
	for _, w := range styleWishes {
		if m := w.form.FindStringSubmatch(text); m != nil {
			a := about{name: w.name, negated: w.negated}
			if len(m) > 1 {
				a.value = strings.ToLower(strings.TrimSpace(m[1]))
			}
			return a, true
		}
	}
	if wishesStyle.MatchString(text) {
		a := slotOf(text + ", please")
		return a, a.name != ""
	}
	return about{}, false
}

// wishesStyle are further ways, whose slots are read where they are asked for in general too.
var wishesStyle = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?|you (?:can|should)\s+)?(?:be (?:more |very |as )?(?:brief|concise|detailed|formal|informal|casual|friendly|polite|blunt|direct|humorous|sarcastic)(?: as possible)?|(?:answer|reply|respond|write)(?: (?:me|to me|back|only))* (?:in|with|using) (?:bullet points|bullets|tables|markdown|lists)|(?:use|no|avoid|without|stop using|don't use|dont use|do not use|skip the|drop the) (?:any |more )?(?:emojis?|bullet points|bullets|tables|markdown|headings|lists|code blocks|exclamation marks|jargon))(?:[\s,]+(?:please|pls|plz|thanks|thank you|with me|for me|when you (?:answer|reply)|in your (?:answers?|replies|responses)))*\W*$`)

// onlyStyle says whether a user's message says nothing but how to answer.
func onlyStyle(pieces []piece) bool {
	for _, p := range pieces {
		if _, ok := styleOf(p.text); !ok && !isSmallTalk(p.text, nil) {
			return false
		}
	}
	return len(pieces) > 0 && len(pieces) <= 4
}
