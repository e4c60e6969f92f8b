package extract

import "strings"

// Some questions tell what form their answer has, so that words which would tell nothing by
// themselves are one: "they/them" of pronouns, "Polish and German" of languages, "Boss" of how to be
// called, "Pisa actually" of what was taken for so.

var (
	asksPronouns  = english(`\b(?:what|which)(?:'s| is| are)? (?:your )?pronouns\b|\byour pronouns\b`)
	pronounsGiven = english(`^(?:(?:my pronouns are|i use|it's|mine are|just|oh|um+)[\s,]+)*((?:he|she|they|it|xe|ze|any)(?:\s*/\s*\pL+)+|(?:he|she|they) (?:and|or) (?:he|she|they))(?:[\s,]+(?:please|pls|thanks|is fine|are fine|mostly|for me))*\W*$`)
	asksTongues   = english(`\b(?:what|which) languages? (?:do you|can you|are you|did you)\b`)
	asksName      = english(`\bwhat (?:should|can|may|shall|do|would) (?:i|we|people|your friends|you like me to|you want me to) call you\b|\bhow (?:should|can|may|shall) i (?:call|address) you\b|\bwhat would you like (?:me to call you|to be called)\b`)
	nameGiven     = english(`^(?:(?:oh|um+|just|please|you can call me|call me|maybe|i go by|everyone calls me|it's)[\s,]+)*(\pL[\pL'’.-]+(?: \p{Lu}[\pL'’-]+)?)(?:[\s,]+(?:is (?:fine|ok|okay|good|great|enough)|works|will do|please|pls|thanks))*\W*$`)
	noNameGiven   = set(`whatever anything nothing none yes yeah yep no nope ok okay sure idk dunno hmm you later why maybe thanks please hello hi what who anytime lol haha skip pass stop nevermind me myself it`)
	// actually puts a name in the place of what was taken for so.
	actually = english(`^(?:(?:no|nope|nah|well|oh|um+|it's|i'm|we're)[\s,.!–—-]+)*(?:(?:in|at|for|with)\s+)?(\p{Lu}[\pL'’-]+(?: \p{Lu}[\pL'’-]+)?)[\s,]+(?:actually|now|these days|nowadays)\W*$|^(?:(?:no|nope|nah|well|oh)[\s,.!–—-]+)*actually[\s,]+(?:(?:it's|i'm|we're|in|at|for|with)\s+)*(\p{Lu}[\pL'’-]+(?: \p{Lu}[\pL'’-]+)?)\W*$`)
	// howLong asks since when something is so.
	howLong  = english(`\b(?:how long|since when) (?:have you (?:(lived|been living|worked|been working|studied|been studying|been)) ([^?]{2,60})|(?:do you|have you been|are you) ((?:live|living|work|working|study|studying)?) ?([^?]{2,60}))\?[^?]*$`)
	sinceYes = english(`^(?:yes|yeah|yep|yup|yea)[\s,.!–—-]+(?:since|for)\s+(?:\d|a |the |last |\pL+ (?:years?|months?|weeks?)\b|january|february|march|april|may|june|july|august|september|october|november|december|always|ages|forever)`)
	sinceOf  = english(`^(?:(?:oh|um+|well|about|around|roughly|since|for)\s+)*(?:since|for|\d+|a|one|two|three|four|five|six|seven|eight|nine|ten)\b[^.!?]{0,40}[.!]*$`)
	ageAsked = english(`\bhow old (?:is|are) (your )?((?:\pL+ ){0,2}?\pL+?)(?: now| these days)?\?[^?]*$`)
	ageGiven = english(`^(?:(?:he|she|they|it)(?:'s| is| are)? )?(?:(?:just|already|about|nearly|now|only) )*(?:turned |turning )?(\d{1,3})(?: (?:now|already|years old|this \pL+|last \pL+|in \pL+|yesterday|today|on \pL+))*\W*$`)
	// havingAsked asks whether somebody has any, havingSome tells how many of what.
	havingAsked = english(`\b(?:do you have|have you got|do you own|any) (?:any |got any )?(?:pets|animals|kids|children|siblings|brothers or sisters)\b[^?]*\?[^?]*$`)
	havingSome  = english(`^(?:(?:yes|yeah|yep|yup|sure|oh)[\s,.!–—-]+)*(?:i have |we have |i've got |we've got )?((?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten) \pL+)\W*$`)
	// holdsOne are slots of which one name holds at a time.
	holdsOne = set(`home work studies name school car phone`)
)

// answersInForm says whether an answer is of the form that its question asks for.
func answersInForm(question, answer string) bool {
	if countWords(answer) > 8 {
		return false
	}
	if asksPronouns.MatchString(question) && pronounsGiven.MatchString(answer) {
		return true
	}
	if asksTongues.MatchString(question) && tonguesOnly(answer) {
		return true
	}
	if asksName.MatchString(question) {
		m := nameGiven.FindStringSubmatch(answer)
		return m != nil && !noNameGiven[strings.ToLower(m[1])]
	}
	return false
}

// tonguesOnly says whether an answer names languages and nothing else.
func tonguesOnly(answer string) bool {
	named := false
	for _, w := range wordsOf(answer) {
		switch {
		case tongue.MatchString(w.low):
			named = true
		case w.low != "and" && w.low != "a" && w.low != "bit" && w.low != "of" && w.low != "some" && w.low != "little" && w.low != "mostly" && w.low != "mainly" && w.low != "fluent" && w.low != "basic" && w.low != "only" && w.low != "just" && w.low != "plus":
			return false
		}
	}
	return named
}

// slotByForm gives what an answer is about whose question tells its form, false if that does not.
func slotByForm(question, answer string) (about, bool) {
	if m := pronounsGiven.FindStringSubmatch(answer); m != nil && asksPronouns.MatchString(question) {
		return about{name: "pronouns", value: strings.ReplaceAll(m[1], " ", "")}, true
	}
	if asksName.MatchString(question) && answersInForm(question, answer) {
		m := nameGiven.FindStringSubmatch(answer)
		return slotOf("Call me " + strings.ToUpper(m[1][:1]) + m[1][1:]), true
	}
	if m := ageAsked.FindStringSubmatch(question); m != nil {
		if age := ageGiven.FindStringSubmatch(answer); age != nil {
			if m[1] == "" && !startsName(m[2]) {
				return about{}, false
			}
			if m[1] == "" {
				return about{name: "age", subject: strings.ToLower(m[2]), value: age[1]}, true
			}
			return slotOf("My " + m[2] + " is " + age[1]), true
		}
	}
	if m := howLong.FindStringSubmatch(question); m != nil && sinceOf.MatchString(answer) {
		verb := strings.ToLower(m[1] + m[3])
		says := "I am "
		switch {
		case strings.Contains(verb, "liv"):
			says = "I live "
		case strings.Contains(verb, "work"):
			says = "I work "
		case strings.Contains(verb, "stud"):
			says = "I study "
		}
		a := slotOf(says + m[2] + m[4])
		return a, a.name != "" && !a.negated
	}
	if havingAsked.MatchString(question) {
		if m := havingSome.FindStringSubmatch(answer); m != nil {
			a := slotOf("I have " + m[1])
			return a, strings.HasPrefix(a.name, "number of ") && !a.negated
		}
	}
	if m := actually.FindStringSubmatch(answer); m != nil {
		if a := supposedIn(question); holdsOne[a.name] && a.value != "" && !a.negated {
			a.value = m[1] + m[2]
			return a, true
		}
	}
	return about{}, false
}

// supposedIn gives what a question takes to be so of who is asked.
func supposedIn(question string) about {
	if d := youSaid.FindStringSubmatch(question); d != nil {
		if a := slotOf("I " + strings.Replace(strings.Replace(d[1]+d[2], "'re", "am", 1), "are ", "am ", 1)); a.name != "" {
			return a
		}
		if in := stillIn.FindStringSubmatch(question); in != nil {
			return slotOf("I live in " + in[1])
		}
	}
	if own := yourIs.FindStringSubmatch(question); own != nil {
		return slotOf("My " + own[1] + own[5] + " is " + own[3] + own[6])
	}
	if m := youQuestion.FindStringSubmatch(question); m != nil {
		be := map[string]string{"are": "I am ", "do": "I ", "have": "I have "}[strings.ToLower(m[1])]
		if a := slotOf(be + m[3]); a.name != "" || be == "" {
			return a
		}
		if in := stillIn.FindStringSubmatch(question); in != nil {
			return slotOf("I live in " + in[1])
		}
		if rest, at := strings.CutPrefix(m[3], "at "); at && startsName(rest) {
			return slotOf("I work at " + rest)
		}
	}
	return about{}
}

// stillIn asks whether somebody is where they were.
var stillIn = english(`\b(?:you're|you are|are you) still (?:living |based )?in (\p{Lu}[\pL'’-]+(?: \p{Lu}[\pL'’-]+)?)\b`)
