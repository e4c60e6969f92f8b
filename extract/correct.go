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
	meant      = english(`^(?:` + slip + `[\s,:;.!–—-]+)*(?:i (?:mean|meant)(?: to (?:say|write|type|put))?|(?:that |it )?should (?:be|have been|say|read)|correction|typo|edit|i misspoke)[\s,:;.!–—-]+(?:it's |it is |that's |was )?(.+)$`)
	slipped    = english(`^(?:` + slip + `[\s,:;.!–—-]+){1,3}(?:(?:it's|it is|that's|was|not)\s+)?(.+)$`)
	makesIt    = english(`^(?:` + slip + `[\s,:;.!–—-]+)*make (?:that|it)\s+(.+)$`)
	slipOpens  = english(`^(?:oops|oopsie|whoops|ops|ugh|argh|agh|wait|no wait|wait no|correction|typo|edit|my bad|my mistake|sorry)\b`)
	actuallyIs = english(`^(?:no[,.! ]+)?(?:(?:actually|sorry|wait|oh)[,: ]+)+(?:it's|it is|that's|it was|that was)\s+(.+)$`)
	notXButY   = english(`^(?:no[,.! ]+)?(?:it's |that's |i said |i meant )?not (\S+(?: \S+){0,3}?)(?:,| but|;) (?:but |it's |it is |rather )?(\S+(?: \S+){0,3})$`)
	// spelled tells how a name is written.
	spelled = english(`^(?:no[,.! ]+)?(?:it's|it is|that's|that is|his name is|her name is)\s+(?:spel(?:led|t)\s+)?(\p{Lu}[\pL'-]+),?\s+(?:with|without|spel(?:led|t)|written) (?:an? |with |no |two )\S+.{0,30}$`)
	// saidEarlier corrects what was said some messages before.
	saidEarlier = english(`^(?:` + lightWords + `)?(?:(?:earlier|before|yesterday|just now),? i (?:said|told you|wrote|mentioned)|i (?:said|told you|wrote|mentioned) (?:earlier|before|yesterday))(?: that)? (.{5,80}?)[,;.]+ (?:but )?(?:(?:that|it)(?:'s| is| was) (?:wrong|a mistake|not right)[,;.:]* )?(?:but )?(?:it's|it is|that should be|it should be|that's) (?:actually |really |now )?((?:at |on |in )?\S+(?: \S+){0,4})$`)
	starred     = regexp.MustCompile(`^(?:\*+\s?([^\s*]+(?:\s[^\s*]+){0,2})\**|([^\s*]+)\*+)$`)
	saidWrong   = english(`^(?:` + lightWords + `)i (?:said|told you|wrote|mentioned)(?: earlier| before| yesterday)?(?: that)? (.{5,80}?),? (?:but )?(?:and )?(?:that|it|this|which|i)(?:'s| is| was|'re) (?:wrong|a mistake|incorrect|not right|not true|mistaken|a typo|a lie)[:,.;!–— -]+(?:(?:because|since|actually|in fact|and|but)\s+)*(?:(?:it|he|she|that|they)(?:'s| is| was|'re| are)|(?:it|that) should be|the (?:right|correct) one is)\s+(?:actually |really |called |now |in )*(.+)$`)
)

// corrects takes a sentence that corrects what was said before it and says whether
// it was one.
func (g *grouping) corrects(text string) bool {
	if n := len(text); n > 160 {
		return false // a slip is corrected in few words
	}
	right, star, plainly := "", false, false
	bare := strings.TrimRight(text, " .!😅🙈😂")
	if m := meant.FindStringSubmatch(bare); m != nil {
		right, plainly = m[1], true
	} else if m := starred.FindStringSubmatch(bare); m != nil {
		right, star = m[1]+m[2], true
	} else if m := actuallyIs.FindStringSubmatch(bare); m != nil && countWords(m[1]) <= 6 {
		right, plainly = m[1], true
	} else if m := notXButY.FindStringSubmatch(bare); m != nil {
		right = m[2]
	} else if m := makesIt.FindStringSubmatch(bare); m != nil && countWords(m[1]) <= 4 {
		right = m[1]
	} else if m := slipped.FindStringSubmatch(bare); m != nil && slipOpens.MatchString(bare) && countWords(m[1]) <= 4 && !verbal(wordsOf(m[1])) && !isSmallTalk(bare, g.names) {
		right = m[1]
	}
	if right == "" {
		if m := spelled.FindStringSubmatch(bare); m != nil {
			right, plainly = m[1], true
		} else if m := slipped.FindStringSubmatch(bare); m != nil && slipOpens.MatchString(bare) {
			// "sorry, 19 March, 4 March is my dad's"
			if first := firstPart(m[1]); first != m[1] && countWords(first) <= 3 && !verbal(wordsOf(first)) && named(m[1], nil) && !isSmallTalk(first, g.names) {
				right = first
			}
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
		if when.grain != never || figure.MatchString(right) || dayWord.MatchString(right) {
			s.when = when // the date that was told is the wrong one
		}
		s.text, s.words = follow(s.text, dated), s.words+countWords(text)
		s.slot = amend(s.slot, right, star)
		return s
	}
	if n := len(g.out); n > 0 && g.adjacent && !g.out[n-1].forget && (plainly || replaces(g.out[n-1].text, right)) {
		g.out[n-1] = amended(g.out[n-1])
		g.spoken, g.asked = true, ""
		return true
	}
	if g.spoken || g.shallow {
		return false
	}
	from, last, _ := g.own(g.ctx, g.message)
	if from == nil || !replaces(last.text, right) && !(plainly && countWords(right) <= 3) {
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

// replaces says whether what is said to be right can stand for a word of a statement:
// a number for a number, a name for a name, a word for one spelt much alike.
func replaces(statement, right string) bool {
	rights := wordsOf(right)
	if len(rights) == 0 {
		return false
	}
	number := func(w word) bool { return numbers[w.low] > 0 || strings.ContainsAny(w.low[:1], "0123456789") }
	for i, w := range wordsOf(statement) {
		switch {
		case number(rights[0]):
			if number(w) && len(w.low) > 1 || strings.ContainsAny(w.low[:1], "0123456789") {
				return true
			}
		case rights[0].capital && i > 0 && w.capital && !own[w.low], alike(w.low, rights[len(rights)-1].low):
			return true
		}
	}
	return false
}

// alike says whether two words differ in two letters at most, and begin the same.
func alike(a, b string) bool {
	if len(a) < 3 || len(b) < 3 || a[0] != b[0] || max(len(a), len(b)) > 24 || a == b {
		return false
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)] <= 2
}

var figure = regexp.MustCompile(`^\d[\d.,:/]*`)

var wrongHints = strings.Split("wrong,mistake,incorrect,not right,not true,typo,a lie", ",")

// takesBack takes "I said my sister's name is Katrin, that was wrong: it's Karin".
func (g *grouping) takesBack(text string) bool {
	if len(text) <= 300 && g.saysOtherwise(text) {
		return true
	}
	if low := strings.ToLower(text); len(text) > 300 || !contains(low, wrongHints) {
		return false
	}
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

// saysOtherwise takes "earlier I said the flight leaves at 6, it's at 8": what was said of
// it in one of the messages just before is to be forgotten.
func (g *grouping) saysOtherwise(text string) bool {
	m := saidEarlier.FindStringSubmatch(strings.TrimRight(text, " .!"))
	if m == nil {
		return false
	}
	if clause := strings.TrimSpace(m[1]); !g.shallow {
		if was, found := g.saidOf(clause); found {
			g.out = append(g.out, statement{text: was.text, forget: true, words: was.words})
		}
	}
	dated, when := resolve(text, g.said, g.english)
	g.out = append(g.out, statement{text: dated, when: when, words: countWords(text)})
	g.spoken, g.asked, g.adjacent = true, "", true
	return true
}

// farther is how many messages back a statement is looked for that is quoted.
const farther = 2 * reach

// saidOf gives the statement of the messages just before that has all that a clause has.
func (g *grouping) saidOf(clause string) (statement, bool) {
	wanted := wordsOf(clause)
	for i := len(g.heard) - 1; i >= 0 && i >= len(g.heard)-farther; i-- {
		earlier := g.heard[i]
		if !sameSpeaker(earlier, g.message) || len(earlier.Text) > recalledText {
			continue
		}
		before := &hearing{rules: g.rules, names: g.hearing.names, heard: g.heard[:i], shallow: true}
		all, err := before.statements(g.ctx, earlier)
		if err != nil {
			return statement{}, false
		}
		for _, s := range all {
			has := map[string]bool{}
			for _, w := range wordsOf(s.text) {
				has[w.low] = true
			}
			missing := 0
			for _, w := range wanted {
				if !has[w.low] && !light[w.low] {
					missing++
				}
			}
			if missing == 0 && !s.forget {
				return s, true
			}
		}
	}
	return statement{}, false
}
