package extract

import "strings"

// People say in many ways that they were wrong: "I made a mistake, it's Porto", "I said Lisbon but
// it's Porto", "wait, it's Porto, I mistyped". Such a text is read as the shortest that says it.

// fault is how one's own mistake is called.
const fault = `(?:i (?:just |must have |had |have )?(?:mistyped|mistype|misspoke|misspelled|misspelt|misremembered|was wrong|was mistaken|(?:made|did) (?:a|an|one) (?:little |small |silly |stupid )?(?:mistake|typo|error|slip)|had a typo|(?:got|had|wrote|typed|said) (?:it|that|this) wrong)|(?:that|it|this) was (?:wrong|a typo|a mistake|not right)|(?:quick|small|little|tiny) (?:fix|correction))`

const (
	// firstSlips may come before.
	firstSlips = `(?:(?:` + slip + `|sry|ok|okay|btw|haha\pL*|hey)[\s,:;.!–—-]+)*`
	itIs       = `(?:(?:it's|its|it is|it was|that's|it should be|the right one is)\s+(?:actually |really )?)?`
)

var (
	faultFirst    = english(`^` + firstSlips + fault + `[\s,:;.!–—-]+` + itIs + `(\S.{0,70})$`)
	faultBehind   = english(`^` + firstSlips + itIs + `(\S.{0,40}?)[\s,;:.!–—-]+(?:because )?` + fault + `(?: (?:earlier|before|there|lol|sorry))*$`)
	saidMeant     = english(`^` + firstSlips + `(?:did )?i (?:said|say|wrote|write|typed|type|told you|mentioned|put)(?: that)?(?: it was| it's)? (\S+(?: \S+){0,3}?)[\s,.;?!–—-]+(?:(?:but|and|when)\s+)?(?:i (?:mean|meant)(?: to (?:say|write|type))?|it's|its|it is|it was|that's|it should be)\s+(?:actually |really )?(\S+(?: \S+){0,3})$`)
	rightAfterAll = english(`^(?:(?:` + slip + `|haha\pL*)[\s,:;.!–—-]+)+(?:(?:it is|it was|it's)\s+)?(\S+(?: \S+){0,2}?)(?:,? (?:was|is) (?:right|correct|true)(?: after all| all along)?|,? after all)(?:[\s,.!]+.{0,40})?$`)
	cleft         = english(`^` + firstSlips + `(?:it's|its|it is) (?:actually )?((?:the |a |an )?\S+(?: \S+)?) (?:that|who|which|where) .{3,40}?, (?:and )?not ((?:the |a |an )?\S+(?: \S+)?)$`)
	spellNote     = english(`^` + firstSlips + `(?:it's |its )?(\p{Lu}[\pL'-]+)[!,.]? (?:is )?(?:spel(?:led|t) |written )?with (?:an? |one |two |double |no )?[a-z]{1,3}(?:'?s)?$`)
	// numberAndWhy is a number put right and what explains it: "28 sorry, my birthday is in november".
	numberAndWhy = english(`^(?:(?:(?:no|sorry|sry|oops|wait|actually)[\s,]+){1,3}(\d{1,4})|(\d{1,4}) (?:sorry|oops|sry|my bad))[,.;]\s+((?:my|i|i'm|he|she|we)\s.{5,60})$`)
	notBehind    = english(`^(\S+(?: \S+){0,2})[.!] not (\S+(?: \S+){0,2}?)[.!]?(?: (?:my bad|sorry|oops|my mistake)[.!]?)?$`)
)

// inForm gives a text that says that one was wrong as the shortest that does; any other as it is.
func inForm(text string) string {
	if len(text) > 160 || endsAsking(text) {
		return text
	}
	bare := strings.TrimRight(chatTail.ReplaceAllString(text, ""), " .!…😅🙈😂🤦")
	phrase := func(s string) bool {
		words := wordsOf(s)
		return len(words) > 0 && !own[words[0].low] && (len(words) == 1 || particular(words) || !verbal(words))
	}
	switch {
	case saidMeant.MatchString(bare):
		m := saidMeant.FindStringSubmatch(bare)
		if wrong := strings.TrimRight(m[1], " ,.;?!"); phrase(wrong) && !common[wordsOf(m[2] + " x")[0].low] {
			return "sorry, " + m[2] + " not " + wrong
		}
	case faultFirst.MatchString(bare):
		return "sorry, I meant " + faultFirst.FindStringSubmatch(bare)[1]
	case faultBehind.MatchString(bare):
		if m := faultBehind.FindStringSubmatch(bare); phrase(m[1]) || numerals(m[1]) > 0 {
			return "sorry, I meant " + strings.TrimRight(m[1], " ,.;")
		}
	case rightAfterAll.MatchString(bare):
		if m := rightAfterAll.FindStringSubmatch(bare); phrase(m[1]) {
			return "sorry, I meant " + m[1]
		}
	case cleft.MatchString(bare):
		m := cleft.FindStringSubmatch(bare)
		return "sorry, " + m[1] + " not " + m[2]
	case spellNote.MatchString(bare):
		return "*" + spellNote.FindStringSubmatch(bare)[1]
	case notBehind.MatchString(bare):
		if m := notBehind.FindStringSubmatch(bare); phrase(m[1]) && phrase(m[2]) {
			return "sorry, " + m[1] + " not " + m[2]
		}
	}
	return text
}

var (
	// haveWrong tells what is wrong of the speaker, and what is right.
	haveWrong = english(`^` + firstSlips + `(?:i think )?(?:you(?:'ve| have)?(?: got)?|you (?:wrote|saved|noted|remember)) (my \S+(?: \S+){0,2}?) wrong[\s,;:.!–—-]+(?:it's|its|it is|it was|that's|it should be)\s+(?:actually |really )?(\S+(?: \S+){0,3})[.!]*$`)
	// notThatOne is a cleft sentence, "it's the viola that my son plays, not the cello".
	notThatOne = english(`^` + firstSlips + `(?:it's|its|it is) (?:actually )?((?:the |a |an )?\S+(?: \S+)?) (?:that|which) (my .{3,40}?|i .{3,30}?), (?:and )?not ((?:the |a |an )?\S+(?: \S+)?)[.!]*$`)
)

// setsRight takes a correction that names itself what it is of, also of another session, and
// says whether it was one.
func (g *grouping) setsRight(text string) bool {
	if len(text) > 160 || endsAsking(text) {
		return false
	}
	dated, when := resolve(text, g.said, g.english)
	s := statement{text: dated, when: when, words: countWords(text)}
	if m := haveWrong.FindStringSubmatch(text); m != nil {
		s.slot = slotOf(m[1] + " is " + m[2])
	} else if m := notThatOne.FindStringSubmatch(text); m != nil {
		wrong := m[2] + " " + m[3]
		if s.slot = slotOf(m[2] + " " + m[1]); s.slot.name != "" && slotOf(wrong).name != "" {
			g.out = append(g.out, statement{text: wrong, forget: true, slip: true, words: countWords(wrong)})
		}
	}
	if s.slot.name == "" {
		return false
	}
	g.out = append(g.out, s)
	g.spoken, g.asked, g.adjacent = true, "", true
	return true
}

// saidOnce says whether the speaker has said a phrase before, not long ago.
func (g *grouping) saidOnce(phrase string) bool {
	for i := len(g.heard) - 1; i >= 0 && i >= len(g.heard)-farther; i-- {
		if m := g.heard[i]; sameSpeaker(m, g.message) && len(m.Text) <= recalledText && wholeAt(strings.ToLower(m.Text), strings.ToLower(phrase)) >= 0 {
			return true
		}
	}
	return false
}

// saidAlike says whether what its speaker said last has a word that is spelled much like another,
// or a bare number of as many digits as a number.
func (g *grouping) saidAlike(other string) bool {
	_, last, ok := g.lastSaid()
	if !ok {
		return false
	}
	base, _ := valueIn(last)
	if figure.FindString(other) == other {
		n := 0
		for _, w := range wordsOf(base) {
			if numeral(w) {
				n++
				if len(w.low) != len(other) {
					return false
				}
			}
		}
		return n == 1
	}
	start, _ := alikePlace(base, other)
	return start >= 0
}

// correctsIn takes a text that says in many words that one was wrong, and says whether it was one.
func (g *grouping) correctsIn(text string) bool {
	if m := numberAndWhy.FindStringSubmatch(text); m != nil && !endsAsking(text) && numerals(m[3]) == 0 && g.saidAlike(m[1]+m[2]) {
		g.written = text
		done := g.putsRight("sorry, " + m[1] + m[2])
		if g.written = ""; done {
			g.sentence(m[3])
			return true
		}
	}
	plain := inForm(text)
	if m := rightAfterAll.FindStringSubmatch(strings.TrimRight(text, " .!")); m != nil && !g.saidOnce(m[1]) {
		return false
	}
	if m := spellNote.FindStringSubmatch(strings.TrimRight(text, " .!")); m != nil && !g.saidAlike(m[1]) {
		return false
	}
	if plain != text {
		g.written = text
		done := g.putsRight(plain) || g.corrects(plain)
		if g.written = ""; done {
			return true
		}
	}
	return g.setsRight(text)
}
