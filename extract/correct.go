package extract

import (
	"regexp"
	"strings"
)

// "Sorry, I mean Leiden" and "oops no, 241" correct what was said just before. What is
// right then holds with the words it corrects beside it: in a message of its own it
// also asks for the wrong statement to be forgotten.

const slip = `(?:oops|oopsie|whoops|ops|oh|ugh|argh|ah|agh|sorry|wait|no wait|wait no|no|nope|hang on|hold on|correction|typo|edit|my bad|my mistake|hmm?|actually|damn)`

var (
	meant      = english(`^(?:` + slip + `[\s,:;.!–—-]+)*(?:i (?:mean|meant)(?: to (?:say|write|type|put))?|make that|make it|(?:that |it )?should (?:be|have been|say|read)|correction|typo|edit|scratch that|i misspoke)[\s,:;.!–—-]+(?:it's |it is |that's |was )?(.+)$`)
	slipped    = english(`^(?:` + slip + `[\s,:;.!–—-]+){1,3}(?:(?:it's|it is|that's|was|not)\s+)?(.+)$`)
	slipOpens  = english(`^(?:oops|oopsie|whoops|ops|ugh|argh|agh|wait|no wait|wait no|correction|typo|edit|my bad|my mistake|sorry)\b`)
	actuallyIs = english(`^(?:no[,.! ]+)?(?:(?:actually|sorry|wait|oh)[,: ]+)+(?:it's|it is|that's|it was|that was)\s+(.+)$`)
	notXButY   = english(`^(?:no[,.! ]+)?(?:it's |that's |i said |i meant )?not (\S+(?: \S+){0,3}?)(?:,| but|;) (?:but |it's |it is |rather )?(\S+(?: \S+){0,3})$`)
	starred    = regexp.MustCompile(`^(?:\*+\s?([^\s*]+(?:\s[^\s*]+){0,2})\**|([^\s*]+)\*+)$`)
	saidWrong  = english(`^(?:` + lightWords + `)i (?:said|told you|wrote|mentioned)(?: earlier| before| yesterday)?(?: that)? (.{5,80}?),? (?:but )?(?:and )?(?:that|it|this|which|i)(?:'s| is| was|'re) (?:wrong|a mistake|incorrect|not right|not true|mistaken|a typo|a lie)[:,.;!–— -]+(?:(?:because|since|actually|in fact|and|but)\s+)*(?:(?:it|he|she|that|they)(?:'s| is| was|'re| are)|(?:it|that) should be|the (?:right|correct) one is)\s+(?:actually |really |called |now |in )*(.+)$`)
)

// corrects takes a sentence that corrects what was said before it and says whether
// it was one.
func (g *grouping) corrects(text string) bool {
	right, star := "", false
	bare := strings.TrimRight(text, " .!😅🙈😂")
	switch m := meant.FindStringSubmatch(bare); {
	case m != nil:
		right = m[1]
	default:
		if m := starred.FindStringSubmatch(bare); m != nil {
			right, star = m[1]+m[2], true
		} else if m := actuallyIs.FindStringSubmatch(bare); m != nil && countWords(m[1]) <= 6 {
			right = m[1]
		} else if m := notXButY.FindStringSubmatch(bare); m != nil {
			right = m[2]
		} else if m := slipped.FindStringSubmatch(bare); m != nil && slipOpens.MatchString(bare) && countWords(m[1]) <= 4 && !verbal(wordsOf(m[1])) && !isSmallTalk(bare, g.names) {
			right = m[1]
		}
	}
	if right == "" || endsAsking(text) {
		return false
	}
	// A whole statement stands for itself.
	if words := wordsOf(right); len(words) > 3 && (own[words[0].low] || subjects[words[0].low]) && verbal(words) {
		return false
	}
	dated, when := resolve(text, g.said, g.english)
	amended := func(s statement) statement {
		s.text, s.words, s.when = follow(s.text, dated), s.words+countWords(text), when.better(s.when)
		s.slot = amend(s.slot, right, star)
		return s
	}
	if n := len(g.out); n > 0 && g.adjacent && !g.out[n-1].forget {
		g.out[n-1] = amended(g.out[n-1])
		g.spoken, g.asked = true, ""
		return true
	}
	if g.spoken || g.shallow {
		return false
	}
	from, last, _ := g.own(g.ctx, g.message)
	if from == nil {
		return false
	}
	s := amended(last)
	s.with, s.list = from, false
	g.out = append(g.out, statement{text: last.text, forget: true, words: last.words}, s)
	g.spoken, g.asked, g.adjacent = true, "", true
	return true
}

// amend gives a slot the value that is right. What has its value in its name has
// another name then.
func amend(a about, right string, star bool) about {
	value := figure.FindString(right)
	if value == "" {
		s := saying{plain: right == strings.ToLower(right)}
		if value = s.name(right, notNames); value == "" {
			value = valueOf(right)
		}
	}
	wrong := a.value
	head, inName, named := strings.Cut(a.name, ":")
	if wrong == "" && named {
		wrong = inName
	}
	switch {
	case a.name == "" || value == "":
		return about{}
	case star && (wrong == "" || !strings.EqualFold(wrong[:1], value[:1])):
		return a // another word was misspelt
	case a.value == "" && named:
		a.name = head + ":" + strings.ToLower(value)
	default:
		a.value = value
	}
	return a
}

var figure = regexp.MustCompile(`^\d[\d.,:/]*`)

// takesBack takes "I said my sister's name is Katrin, that was wrong: it's Karin".
func (g *grouping) takesBack(text string) bool {
	m := saidWrong.FindStringSubmatch(strings.TrimRight(text, " .!"))
	if m == nil {
		return false
	}
	clause := strings.TrimSpace(m[1])
	was := slotOf(clause)
	dated, when := resolve(text, g.said, g.english)
	g.out = append(g.out,
		statement{text: clause, slot: was, forget: true, words: countWords(clause)},
		statement{text: dated, when: when, slot: amend(was, m[2], false), words: countWords(text)})
	g.spoken, g.asked, g.adjacent = true, "", true
	return true
}
