package extract

import (
	"context"
	"strings"
)

// Who is asked several things at once answers them by turns ("Otto, Graz, none"), in a list
// or only one of them: then which one is told by their form, or nothing says it.

const (
	// askedAtOnce is the most questions of one message that are told apart.
	askedAtOnce = 8
	// askedBytes is the longest message that is looked at for several questions.
	askedBytes = 800
)

var (
	// independent is a question that can be understood and answered by itself.
	independent = english(`^` + askLead + `(?:(?:also|next|then|first|finally|lastly|second|third|oh|plus|by the way|btw|please tell me|tell me)[\s,:]+)*(?:what|where|who|when|which|how|why|whose|do|are|is|have|did|can|any|does|were|was|has)(?:'s|'re)?\b`)
	ofWhich     = english(`^` + askLead + `(?:(?:also|next|then|first|finally|lastly|second|third|oh|plus|by the way|btw|please tell me|tell me)[\s,:]+)*(?:(?:what|where|who|when|which|how|why|whose)(?:'s|'re)?|any|(?:do you )?have (?:you )?(?:got )?any|do you have)\b`)
	ofWhether   = english(`^` + askLead + `(?:(?:also|next|then|first|finally|lastly|second|third|oh|plus|by the way|btw)[\s,:]+)*(?:do|are|is|have|did|can|any|does|were|was|has)\b`)
	oneByOne    = english(`\s*[,;/]\s*(?:and\s+)?|\s+and\s+`)
	numberedAll = newPattern(`(?:^|[\s,;])\(?\d{1,2}[.):]\s*`)
	bareNo      = english(`^(?:no|nope|nah|none|neither|never|no to (?:both|all)|neither of (?:them|those))\W*$`)
	// returned asks back what was answered.
	returned = english(`\s*[,.!–—-]?\s*(?:(?:and|how about|what about|wbu|hbu)\s*)?(?:you|yours|yourself|u|wbu|hbu)\s*\?+\s*$`)
)

// questionsOf gives the questions of a message that each ask for something.
func questionsOf(ctx context.Context, text string) ([]string, error) {
	if len(text) > askedBytes || strings.Count(text, "?")+strings.Count(text, " and ") < 1 {
		return nil, nil
	}
	text, err := clean(ctx, text)
	if err != nil {
		return nil, err
	}
	pieces, err := split(ctx, text)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range pieces {
		if !endsAsking(p.text) || !independent.MatchString(p.text) || isSmallTalk(p.text, nil) || phatic.MatchString(p.text) && !politelyOf.MatchString(p.text) || offer.MatchString(p.text) && !politelyOf.MatchString(p.text) {
			continue
		}
		if m := severalAsked.FindStringSubmatchIndex(p.text); m != nil {
			out = append(out, p.text[:m[0]]+"?", p.text[m[2]:m[3]]+"?")
			continue
		}
		out = append(out, p.text)
	}
	if len(out) > askedAtOnce {
		return nil, nil
	}
	return out, nil
}

// answersSeveral takes a message that answers several questions one by one, and says
// whether it did. Where it is not clear which of them a bare answer is for, it stands
// beside all of them.
func (g *grouping) answersSeveral(pieces []piece) (bool, error) {
	if g.assistant || !g.english || g.question == "" || g.asker == nil || g.quizzed() || len(pieces) > askedAtOnce {
		return false, nil
	}
	questions, err := questionsOf(g.ctx, g.asker.Text)
	if err != nil || len(questions) < 2 {
		return false, err
	}
	if items := itemsOf(pieces, len(questions)); items != nil {
		for i, item := range items {
			g.answer(questions[i], item)
		}
		return true, nil
	}
	text := pieces[0].text
	if len(pieces) == 1 && bareNo.MatchString(text) {
		all := true
		for _, q := range questions {
			all = all && ofWhether.MatchString(q)
		}
		if all {
			for _, q := range questions {
				g.answer(q, text)
			}
			return true, nil
		}
	}
	yes := affirming[firstLow(text)] || denying[firstLow(text)]
	fitting, n := "", 0
	for _, q := range questions {
		if yes && ofWhether.MatchString(q) || !yes && ofWhich.MatchString(q) {
			fitting = q
			n++
		}
	}
	switch joined := strings.Join(questions, " "); {
	case n == 1:
		g.question = fitting
	case countWords(joined) <= questionWordsShown:
		g.question = joined
	}
	g.unclear = n != 1
	return false, nil
}

// firstLow is the first word of a text in small letters.
func firstLow(text string) string {
	if words := wordsOf(text); len(words) > 0 {
		return words[0].low
	}
	return ""
}

// itemsOf gives the n bare answers that a message consists of, nil if it has others.
func itemsOf(pieces []piece, n int) []string {
	var items []string
	switch {
	case len(pieces) == n:
		for i, p := range pieces {
			if i > 0 && p.line == pieces[i-1].line {
				return nil
			}
			items = append(items, p.text)
		}
	case len(pieces) == 1 && len(numberedAll.FindAllStringIndex(pieces[0].text, -1)) == n:
		items = numberedAll.Split(pieces[0].text, -1)[1:]
	case len(pieces) == 1:
		items = oneByOne.Split(strings.TrimRight(pieces[0].text, " .!"), -1)
	}
	if len(items) != n {
		return nil
	}
	for i, item := range items {
		items[i] = strings.Trim(item, " .,;!")
		words := wordsOf(items[i])
		if len(words) == 0 || len(words) > 6 || verbal(words) && own[words[0].low] || endsAsking(item) || noAnswer.MatchString(item) || isSmallTalk(item, nil) && !yesNo[words[0].low] {
			return nil
		}
	}
	return items
}

// answer adds the bare answer to one of several questions.
func (g *grouping) answer(question, item string) {
	g.question = question
	dated, when := g.resolveAnswer(item)
	s := statement{text: dated + " (asked: " + question + ")", when: when, words: countWords(item) + countWords(question), with: g.asker}
	if !noneSuch.MatchString(item) {
		s.slot = slotOfAnswer(question, item)
	}
	g.out = append(g.out, s)
	g.spoken, g.asked, g.adjacent = true, "", true
}

// prompted asks for something without a question mark: "Please enter your name:".
var (
	prompted   = english(`^` + lightWords + `(?:(?:please|kindly|now|first|next|and)\s+)*(?:enter|type(?: in)?|tell (?:me|us)|give (?:me|us)|provide|state|share|specify|fill in|let me know)\s+(?:me\s+)?(your (?:\pL+ ){0,2}\pL+)\W*$`)
	asksUnsaid = english(`^` + askLead + `(?:what|where|who|when|which|how)(?:'s|s)?\s[^?.!]{0,60}\b(?:you|your|u|ur)\b[^?.!]{0,40}$`)
)

// asksPlainly says whether a sentence asks for something of who is spoken to, though it has
// no question mark.
func asksPlainly(text string) bool {
	return len(text) < 100 && (prompted.MatchString(text) || asksUnsaid.MatchString(text) && interrogative.MatchString(text))
}

// asksOfAll asks several people at once.
var asksOfAll = english(`\b(?:both(?: of you)?|you all|all of you|everyone|everybody|each of you|you two|the two of you|you guys|y'?all|any of you|either of you|anyone|anybody)\b`)

// plainQuestion is a question as it would be put to one person, with its mark.
func plainQuestion(question string) string {
	if m := prompted.FindStringSubmatch(question); m != nil {
		return "What is " + m[1] + "?"
	}
	if asksUnsaid.MatchString(question) {
		question = strings.TrimRight(question, " :") + "?"
	}
	return ofBoth.ReplaceAllString(question, "$1")
}

var ofBoth = english(`\b(you) (?:both|all|two|guys)\b`)

var (
	askedOfThem = english(`\b(?:she|he|they|her|his|their|him|them)\b`)
	// withRemark is a bare answer and what is said about it.
	withRemark = english(`^((?:\pL[\pL'.-]*\s?){1,4}),\s+(?:he|she|it|they|i|we|which|who)(?:'s|'re|'m|'ve)?\s`)
	asksWho    = english(`^` + askLead + `(?:and |so )?(?:who|what|which|where|when)\b`)
)

// remarksOnAnswer says whether a text is a bare answer with a remark on it: "Dr. Lee, she's
// great".
func remarksOnAnswer(question, text string) bool {
	m := withRemark.FindStringSubmatch(text)
	if m == nil || !asksWho.MatchString(question) {
		return false
	}
	words := wordsOf(m[1])
	return !verbal(words) && fragment(words) && !isSmallTalk(m[1], nil) && !carriesNothing(m[1])
}

// chosen says whether an answer is one of what its question lets choose from.
func chosen(question, answer string) bool {
	if !strings.Contains(question, " or ") {
		return false
	}
	asked := map[string]bool{}
	for _, w := range wordsOf(question) {
		asked[w.low] = true
	}
	words := wordsOf(answer)
	for _, w := range words {
		if !asked[w.low] || w.low == "or" || w.low == "you" {
			return false
		}
	}
	return len(words) > 0 && len(words) <= 3
}

// ofWhom gives what its speaker said last before a question about "her", to stand beside
// the answer; "" if that is not short.
func (g *grouping) ofWhom() string {
	if g.asker == nil || !askedOfThem.MatchString(g.question) || named(g.question, nil) {
		return ""
	}
	for i := len(g.heard) - 1; i > 0; i-- {
		if g.heard[i] != g.asker {
			continue
		}
		if before := g.heard[i-1]; sameSpeaker(before, g.message) && countWords(before.Text) <= 12 && len(before.Text) < 120 && !endsAsking(before.Text) && !isSmallTalk(before.Text, g.names) {
			return strings.TrimRight(strings.Join(strings.Fields(before.Text), " "), ".!")
		}
		return ""
	}
	return ""
}
