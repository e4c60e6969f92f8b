package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memdhq/memd"
)

// "Sorry, I mean Leiden" and "oops no, 241" correct what was said just before. What is
// right then holds with the words it corrects beside it: in a message of its own it
// also asks for the wrong statement to be forgotten.

const slip = `(?:sry|srry|oops|oopsie|whoops|ops|oh|omg|ugh|argh|ah|agh|sorry|wait|no wait|wait no|no|nope|hang on|hold on|correction|typo|edit|my bad|my mistake|hmm?|actually|damn|(?:scratch|strike|forget|ignore) that|nvm|never ?mind|well|er+m?|um+|uh|nah|lol)`

var (
	meant     = english(`^(?:` + slip + `[\s,:;.!–—-]+)*(?:i (?:mean|meant)(?: to (?:say|write|type|put))?|(?:that |it )?should (?:be|have been|say|read)|correction|typo|edit|i misspoke)[\s,:;.!–—-]+(?:it's |it is |that's |was )?(.+)$`)
	slipped   = english(`^(?:` + slip + `[\s,:;.!–—-]+){1,3}(?:(?:it's|its|it is|that's|thats|was|not)\s+)?(.+)$`)
	makesIt   = english(`^(?:` + slip + `[\s,:;.!–—-]+)*make (?:that|it)\s+(.+)$`)
	slipOpens = english(`^(?:(?:oh|ah|no|well|um+|er+m?|uh|lol|actually)[\s,.!–—-]+)*(?:oops|oopsie|whoops|ops|ugh|argh|agh|wait|no wait|wait no|omg no|correction|typo|edit|my bad|my mistake|sorry|(?:scratch|strike) that|nvm|never ?mind)\b`)
	// scratched takes back plainly what was just said.
	scratched = english(`^(?:(?:oh|ah|no|wait|actually|lol|sorry)[\s,.!–—-]+)*(?:scratch|strike) that\b[\s,:;.!–—-]*(?:(?:make (?:it|that)|it's|i mean|i meant)\s+)?(.+)$`)
	// slippedAfter has the slip behind what is right.
	slippedAfter = english(`^(.{1,40}?)[\s,.!–—-]+(?:sorry|i mean|i meant|oops|whoops|my bad|my mistake|rather|actually|typo|autocorrect)(?:[\s,.!]+(?:lol|haha|sorry|oops))*$`)
	actuallyIs   = english(`^(?:no[,.! ]+)?(?:(?:actually|sorry|wait|oh)[,: ]+)+(?:it's|it is|that's|it was|that was)\s+(.+)$`)
	notXButY     = english(`^(?:no[,.! ]+)?(?:it's |that's |i said |i meant )?not (\S+(?: \S+){0,3}?)(?:,| but|;) (?:but |it's |it is |rather )?(\S+(?: \S+){0,3})$`)
	// slipBehind is "7713 sorry".
	slipBehind = english(`^(\S*\d\S*|\p{Lu}\S+(?: \S*\d\S*)?)[\s,]+(?:sorry|oops|whoops|my bad|typo|my mistake|i mean|i meant)$`)
	// saidThough is "I told you X but that's the doll".
	saidThough = english(`^(?:` + lightWords + `)i (?:said|told you|wrote|mentioned)(?: earlier| before| yesterday)?(?: that)? (.{5,80}?),? but (?:that|it|this)(?:'s| is| was)(?: actually| really)? (?:not|the|a|an|my|only|just|wrong|her|his|from)\b.*$`)
	// spelled tells how a name is written.
	spelled = english(`^(?:no[,.! ]+)?(?:it's|it is|that's|that is|his name is|her name is)\s+(?:spel(?:led|t)\s+)?(\p{Lu}[\pL'-]+),?\s+(?:with|without|spel(?:led|t)|written) (?:an? |with |no |two )\S+.{0,30}$`)
	// saidEarlier corrects what was said some messages before.
	saidEarlier = english(`^(?:` + lightWords + `)?(?:(?:earlier|before|yesterday|just now),? i (?:said|told you|wrote|mentioned)|i (?:said|told you|wrote|mentioned) (?:earlier|before|yesterday))(?: that)? (.{5,80}?)[,;.]+ (?:but )?(?:(?:that|it)(?:'s| is| was) (?:wrong|a mistake|not right)[,;.:]* )?(?:but )?(?:it's|its|it is|that should be|it should be|that's|he's|she's|they're|he is|she is|they are) (?:actually |really |now )?((?:at |on |in )?\S+(?: \S+){0,4})$`)
	starred     = newPattern(`(?i)^(?:\*+\s?([^\s*]+(?:\s[^\s*]+){0,2}?)\**|([^\s*]+)\*+)(?:[\s,.!]+(?:lol+|haha\pL*|hehe|lmao|oops|sorry|ugh|autocorrect|typo|damn|stupid autocorrect|damn autocorrect))*$`)
	// saidButThat takes back what was said, which is so of something else.
	saidButThat = english(`^(?:` + lightWords + `)i (?:said|told you|wrote|mentioned)(?: earlier| before| yesterday| last time)?(?: that)? (.{5,80}?)[,;]? but (?:actually |in fact |honestly |really |to be honest )?(?:that's|thats|that is|that was|he's|she's|it's|this is|no)\b.{0,60}$`)
	saidWrong   = english(`^(?:` + lightWords + `)i (?:said|told you|wrote|mentioned)(?: earlier| before| yesterday)?(?: that)? (.{5,80}?),? (?:but )?(?:and )?(?:that|it|this|which|i)(?:'s| is| was|'re) (?:wrong|a mistake|incorrect|not right|not true|mistaken|a typo|a lie)[:,.;!–— -]+(?:(?:because|since|actually|in fact|and|but)\s+)*(?:(?:it|he|she|that|they)(?:'s| is| was|'re| are)|(?:it|that) should be|the (?:right|correct) one is)\s+(?:actually |really |called |now |in )*(.+)$`)
)

// corrects takes a sentence that corrects what was said before it and says whether
// it was one.
func (g *grouping) corrects(text string) bool {
	if !g.spoken && g.rejects(text) {
		return true
	}
	if n := len(text); n > 160 || updates.MatchString(text) && verbal(wordsOf(text)) && !scratched.MatchString(text) {
		return false // a slip is corrected in few words, and was never so
	}
	if g.restates(text) {
		return true
	}
	right, star, plainly := "", false, false
	bare := strings.TrimRight(chatTail.ReplaceAllString(text, ""), " .!😅🙈😂")
	if m := slipSaid.FindStringSubmatch(bare); m != nil && slipOpens.MatchString(bare) {
		bare = bare[:len(bare)-len(m[2])]
		bare = strings.TrimRight(bare, " ,;.")
	} else if m := starredAside.FindStringSubmatch(bare); m != nil {
		bare = m[1]
	}
	if m := notXButY.FindStringSubmatch(slipBefore.ReplaceAllString(bare, "")); m != nil {
		right, plainly = m[2], g.saidLast(m[1])
	} else if m := meant.FindStringSubmatch(bare); m != nil {
		right, plainly = m[1], true
		if g.meantOther(right) {
			return true
		}
	} else if m := starred.FindStringSubmatch(bare); m != nil {
		right, star = m[1]+m[2], true
	} else if m := actuallyIs.FindStringSubmatch(bare); m != nil && countWords(m[1]) <= 6 {
		right, plainly = m[1], true
	} else if m := makesIt.FindStringSubmatch(bare); m != nil && countWords(m[1]) <= 4 {
		right = m[1]
	} else if m := slipped.FindStringSubmatch(bare); m != nil && slipOpens.MatchString(bare) && countWords(m[1]) <= 4 && !verbal(wordsOf(m[1])) && !isSmallTalk(bare, g.names) {
		right = m[1]
	}
	if m := actuallyShort.FindStringSubmatch(bare); right == "" && m != nil && !verbal(wordsOf(m[1])) && len(g.out) == 0 {
		if _, last, _ := g.own(g.ctx, g.message); last.with != nil {
			right = m[1] // another answer
		}
	}
	scratch := false
	if m := scratched.FindStringSubmatch(bare); m != nil && countWords(m[1]) <= 12 {
		right, scratch, plainly = m[1], true, true
	}
	if right == "" {
		if m := slippedAfter.FindStringSubmatch(bare); m != nil && countWords(m[1]) <= 4 && !verbal(wordsOf(m[1])) && !isSmallTalk(m[1], g.names) {
			right = m[1]
		}
	}
	if m := slipBehind.FindStringSubmatch(bare); right == "" && m != nil && !isSmallTalk(m[1], g.names) {
		right = m[1]
	}
	if right == "" {
		if m := spelled.FindStringSubmatch(bare); m != nil {
			right, plainly = m[1], true
		} else if m := slipped.FindStringSubmatch(bare); m != nil && slipOpens.MatchString(bare) {
			// "sorry, 19 March, 4 March is my dad's"
			if first := firstPart(m[1]); first != m[1] && !countsOther(first, m[1][len(first):]) && countWords(first) <= 3 && !verbal(wordsOf(first)) && named(m[1], nil) && !isSmallTalk(first, g.names) {
				right = first
			}
		}
	}
	right = strings.TrimSpace(slipBefore.ReplaceAllString(right, ""))
	// What does not stand in what was said is a statement of its own, if it is a sentence.
	apart := func() bool {
		if scratch && countWords(right) > 2 {
			g.sentence(right)
		}
		return scratch
	}
	if m := notThat.FindStringSubmatch(right); m != nil {
		right = m[1]
	}
	if right == "" || endsAsking(text) {
		return false
	}
	// A whole statement stands for itself.
	if words := wordsOf(right); !scratch && len(words) > 3 && (own[words[0].low] || subjects[words[0].low]) && verbal(words) {
		return false
	}
	if g.written != "" {
		text = g.written
	}
	said := correction{right: right, text: bare}
	if m := wrongSaid.FindStringSubmatch(bare); m != nil {
		said.wrong = m[1] + m[2]
	}
	if m := arrow.FindStringSubmatch(right); m != nil {
		right = m[2]
		said.right, said.wrong = right, m[1]
	}
	dated, when := resolve(text, g.said, g.english)
	befits := func(s statement) bool { return said.standsIn(s, scratch, when.grain != never) }
	amended := func(s statement) statement {
		if now := said.inPlace(s); now.text != "" {
			return g.rightly(s, now, text)
		}
		if when.grain != never || figure.MatchString(right) || dayWord.MatchString(right) {
			s.when = when // the date that was told is the wrong one
		}
		s.text, s.words = follow(s.text, dated), s.words+countWords(text)
		s.slot = amend(s.slot, right, star)
		return s
	}
	if n := len(g.out); n > 0 && g.adjacent && !g.out[n-1].forget && (plainly || replaces(g.out[n-1].text, right)) && befits(g.out[n-1]) {
		g.out[n-1] = amended(g.out[n-1])
		g.spoken, g.asked = true, ""
		return true
	}
	if scratch && g.asked != "" && len(g.out) == 0 {
		// "Put me down for Monday. Scratch that, Tuesday": the wish holds with what is right.
		g.out = append(g.out, amended(statement{text: g.asked, words: countWords(g.asked)}))
		g.spoken, g.asked, g.adjacent = true, "", true
		return true
	}
	if g.spoken || g.shallow {
		return false
	}
	from, last := g.mistaken(right, star)
	if from == nil {
		var chatting bool
		if from, last, chatting = g.ownCorrected(); from == nil || !(plainly && (countWords(right) <= 3 || scratch && chatting)) && !(slipOpens.MatchString(bare) || actuallyOpens.MatchString(bare)) {
			return g.correctsAnother(right) || apart()
		}
		answered := last.with != nil && countWords(right) <= 3 && !verbal(wordsOf(right)) && !isSmallTalk(bare, g.names)
		if !plainly && !answered {
			return g.correctsAnother(right) || apart()
		}
	}
	if !befits(last) || !scratch && !said.sure() && g.askedSince(slices.Index(g.heard, from)) {
		return g.correctsAnother(right) || apart()
	}
	g.out = append(g.out, statement{text: last.text, forget: true, slip: true, words: last.words}, amended(last).of(from))
	g.spoken, g.asked, g.adjacent = true, "", true
	return true
}

var (
	// slipSaid is what is right and that somebody said so: "thursday, he said thursday".
	slipSaid = english(`^(?:` + slip + `[\s,:;.!–—-]+)+(\S+(?: \S+){0,2}?)([\s,;.]+(?:he|she|they|it|i|we) (?:said|says|told me|meant|means|wrote|had said)\b.{0,40})$`)
	// starredAside is a word set right and why.
	starredAside = newPattern(`^(\*+\s?[^\s*,]+(?:\s[^\s*,]+)?\**)\s*[,;.–—-]+\s+\S.{2,80}$`)
	// notThat denies what was said before it tells what is right.
	notThat = english(`^not [^,;]{1,40}?(?:,| but|;)\s+(?:but |it's |it is |rather )?(\S+(?: \S+){0,3})$`)
)

// lastSaid gives the statement that a correction of a whole sentence can be of: the one
// right before it in the message, or where nothing has come yet, the speaker's last one, and
// the message from which that is.
func (g *grouping) lastSaid() (from *memd.Message, last statement, ok bool) {
	n := len(g.out)
	switch {
	case n > 0 && g.adjacent && !g.out[n-1].forget:
		return nil, g.out[n-1], true
	case g.spoken:
		return nil, statement{}, false
	}
	from, last, _ = g.ownCorrected()
	return from, last, from != nil
}

// updates says that something is otherwise now, and so was as it was said before.
var updates = english(`\b(?:now|nowadays|these days|any ?more|as of (?:today|now|yesterday|this|last)|(?:has|have|'s|'ve) (?:just |since )?(?:changed|switched|moved))\b`)

// saidLast says whether the last statement has all the words of a phrase.
func (g *grouping) saidLast(phrase string) bool {
	_, last, ok := g.lastSaid()
	if !ok || g.shallow {
		return false
	}
	said := wordsOf(last.text)
	for _, w := range wordsOf(phrase) {
		if !slices.ContainsFunc(said, func(o word) bool { return o.low == w.low }) {
			return false
		}
	}
	return true
}

// meantOther takes "sorry, I meant my brother moved to Lyon": a whole sentence in the place
// of the last, much of which it says again.
func (g *grouping) meantOther(right string) bool {
	words := wordsOf(right)
	if len(words) < 3 || !(own[words[0].low] || subjects[words[0].low] || words[0].capital) || !verbal(words) || g.shallow {
		return false
	}
	from, last, ok := g.lastSaid()
	if !ok {
		return false
	}
	shared := 0
	for _, w := range words {
		if !light[w.low] && !own[w.low] && slices.ContainsFunc(wordsOf(last.text), func(o word) bool { return o.low == w.low }) {
			shared++
		}
	}
	if shared < 2 && !(shared == 1 && differsInOne(words, wordsOf(noted.ReplaceAllString(last.text, "")))) {
		return false
	}
	if from == nil {
		g.out = g.out[:len(g.out)-1]
	} else {
		g.out = append(g.out, statement{text: last.text, forget: true, slip: true, words: last.words})
	}
	g.add(right, false, slotOf(right))
	g.spoken, g.asked, g.adjacent = true, "", true
	return true
}

// differsInOne says whether two sentences have all words but one in common.
func differsInOne(a, b []word) bool {
	if len(a) != len(b) {
		return false
	}
	n := 0
	for i := range a {
		if a[i].low != b[i].low {
			n++
		}
	}
	return n == 1
}

// restates takes "oh wait, she's 8" after "my niece Roos is 7": a slip and a whole sentence
// that says something else of what the last statement is about.
func (g *grouping) restates(text string) bool {
	m := slipWhole.FindStringSubmatch(text)
	if m == nil || endsAsking(text) || g.shallow {
		return false
	}
	from, last, ok := g.lastSaid()
	if !ok {
		return false
	}
	if thing, ok := strings.CutPrefix(last.slot.name, "taste:"); ok {
		if it := ofIt.FindStringSubmatchIndex(m[1]); it != nil {
			m[1] = m[1][:it[2]] + thing + m[1][it[3]:] // "actually, I hate it"
		}
	}
	now := slotOf(m[1])
	if now.name == "" {
		now = slotOfThem(m[1], last.text)
	}
	if now.name == "" || now.name != last.slot.name || now.subject != last.slot.subject || strings.EqualFold(now.value, last.slot.value) && now.negated == last.slot.negated || now.value == "" && now.negated == last.slot.negated {
		return false
	}
	dated, when := resolve(text, g.said, g.english)
	s := statement{text: follow(last.text, dated), slot: now, when: when, words: last.words + countWords(text)}
	if first := wordsOf(m[1])[0].low; now == slotOf(m[1]) && own[first] {
		s.text, s.when = resolve(m[1], g.said, g.english) // it can be understood alone
		s.words = countWords(m[1])
	}
	if from == nil {
		g.out[len(g.out)-1] = s
	} else {
		g.out = append(g.out, statement{text: last.text, forget: true, slip: true, words: last.words}, s.of(from))
	}
	g.spoken, g.asked, g.adjacent = true, "", true
	return true
}

var (
	slipBefore = english(`^(?:` + slip + `[\s,:;.!–—-]+)+`)
	slipWhole  = english(`^(?:(?:` + slip + `|i mean|i meant)[\s,:;.!–—-]+)+((?:he|she|it|they|i|we|my|our|his|her|he's|she's|it's|they're|i'm|im|we're|i've|we've)\s.+)$`)
)

// ofIt is a taste for what was just spoken of.
var ofIt = english(`^(?:i|we) (?:\pL+ |don't |do not |can't ){0,3}(?:love|like|hate|dislike|enjoy|prefer|loathe|detest|stand)\s+(it|them|that)(?:\s+(?:now|though|really|too|a lot|so much))*\W*$`)

var (
	actuallyOpens = english(`^actually\b`)
	actuallyShort = english(`^(?:no[,.! ]+)?actually[,: ]+(\S+(?: \S+){0,2})$`)
)

// countsOther says whether what stands behind a bare number tells that it is of something else:
// "sorry, 12, I need 12 copies".
func countsOther(number, rest string) bool {
	if figure.FindString(number) != number {
		return false
	}
	words := wordsOf(rest)
	return len(words) > 0 && (strings.HasPrefix(words[0].low, "it") || slices.ContainsFunc(words, func(w word) bool { return w.low == number }))
}

// mistaken gives the last statement of the speaker, a few messages back at most, of which
// a word can be replaced by what is right, and the message it is of.
func (g *grouping) mistaken(right string, star bool) (*memd.Message, statement) {
	for i := len(g.heard) - 1; i >= 0 && i >= len(g.heard)-reach; i-- {
		earlier := g.heard[i]
		if !sameSpeaker(earlier, g.message) || len(earlier.Text) > recalledText {
			continue
		}
		all, err := g.saidBefore(i)
		if err != nil {
			return nil, statement{}
		}
		if n := len(all); n > 0 && !all[n-1].forget && countWords(all[n-1].text) <= backWords {
			said, _, _ := strings.Cut(all[n-1].text, " (asked: ")
			if replaces(said, right) || star && spelledLike(said, right) {
				return earlier, all[n-1]
			}
			if i < len(g.heard)-3 {
				return nil, statement{}
			}
		}
	}
	return nil, statement{}
}

// spelledLike says whether a word of a statement is spelled much like the last of right.
func spelledLike(statement, right string) bool {
	rights := wordsOf(right)
	return len(rights) > 0 && slices.ContainsFunc(wordsOf(statement), func(w word) bool { return alike(w.low, rights[len(rights)-1].low) })
}

// correctsAnother takes what is said right of what another speaker has just got wrong:
// "Mill Lane 14" after "delivery to Mill Lane 4".
func (g *grouping) correctsAnother(right string) bool {
	found := false
	for _, wrong := range g.anothers() {
		if misquotes(wrong.text, right) {
			g.takesBackFrom(wrong)
			found = true
		}
	}
	if !found || countWords(right) < 2 {
		return false
	}
	dated, when := resolve(right, g.said, g.english)
	g.out = append(g.out, statement{text: dated, when: when, words: countWords(right)})
	g.spoken, g.asked, g.adjacent = true, "", true
	return true
}

// anothers gives the statements of the message just before, if it is an assistant's.
func (g *grouping) anothers() []statement {
	if g.shallow || g.spoken || g.assistant || len(g.heard) == 0 {
		return nil
	}
	earlier := g.heard[len(g.heard)-1]
	if earlier.Role != memd.RoleAssistant || len(earlier.Text) > recalledText {
		return nil
	}
	if !g.othersRead { // once: a message may have many sentences that ask for them
		g.othersRead = true
		before := &hearing{rules: g.rules, names: g.hearing.names, heard: g.heard[:len(g.heard)-1], shallow: true}
		if all, err := before.statements(g.ctx, earlier); err == nil {
			g.others = all
		}
	}
	return g.others
}

// takesBackFrom has what another said forgotten.
func (g *grouping) takesBackFrom(wrong statement) {
	g.out = append(g.out, statement{text: wrong.text, forget: true, slip: true, words: wrong.words})
}

// misquotes says whether a statement has all words of a short phrase in a row but for one
// that is a number or a name much like it.
func misquotes(statement, right string) bool {
	rights, said := wordsOf(right), wordsOf(statement)
	if len(rights) == 0 || len(rights) > 4 {
		return false
	}
	number := func(w word) bool { return w.low[0] >= '0' && w.low[0] <= '9' || numbers[w.low] > 1 }
	for i := 0; i+len(rights) <= len(said); i++ {
		other, like := 0, false
		for j, r := range rights {
			if w := said[i+j]; w.low != r.low {
				other++
				like = number(w) && number(r) && len(rights) > 1 || w.capital && r.capital && utf8.RuneCountInString(w.low) > 2 && utf8.RuneCountInString(r.low) > 2 && edits(w.low, r.low) <= 2
			}
		}
		if other == 1 && like {
			return true
		}
	}
	return false
}

// rejects has forgotten what an assistant has just said, where the speaker says that it is
// not so: "no, fish is fine" after "as you eat no fish". It says whether nothing else is to
// be made of the sentence.
func (g *grouping) rejects(text string) bool {
	if g.question != "" || len(text) > 200 || len(g.out) > 0 {
		return false
	}
	bare := strings.TrimRight(text, " .!")
	if m := yNotX.FindStringSubmatch(bare); m != nil {
		for _, wrong := range g.anothers() {
			if slices.ContainsFunc(wordsOf(wrong.text), func(w word) bool { return strings.EqualFold(w.low, m[1]) }) {
				g.takesBackFrom(wrong)
			}
		}
		return false
	}
	no := rejecting.FindStringSubmatch(bare)
	if no == nil && !denyingSelf.MatchString(bare) {
		return countWords(bare) <= 4 && !verbal(wordsOf(bare)) && g.correctsAnother(bare)
	}
	if noReject.MatchString(bare) {
		return false
	}
	all := g.anothers()
	rest := bare
	if no != nil {
		rest = no[1]
	}
	words := wordsOf(rest)
	stated := false
	for _, s := range all {
		shared := false
		said := wordsOf(s.text)
		for _, w := range words {
			shared = shared || !light[w.low] && len(w.low) > 2 && !talkWords[w.low] && slices.ContainsFunc(said, func(o word) bool { return o.low == w.low })
		}
		if shared && no != nil && strings.Contains(" "+strings.ToLower(s.text), " you") && len(words) > 2 && verbal(words) && !endsAsking(text) {
			stated = true
		}
		if shared && strings.Contains(" "+strings.ToLower(s.text), " you") || no != nil && len(all) <= 2 && (thatIsNot.MatchString(rest) || misquotes(s.text, rest)) {
			g.takesBackFrom(s)
		}
	}
	// What it was about may have been left out of what is kept of it.
	if n := len(g.heard); no != nil && !stated && len(words) > 2 && verbal(words) && !endsAsking(text) && !g.shallow && n > 0 && g.heard[n-1].Role == memd.RoleAssistant && len(g.heard[n-1].Text) < 300 {
		heard := wordsOf(g.heard[n-1].Text)
		isSaid := func(low string) bool { return slices.ContainsFunc(heard, func(o word) bool { return o.low == low }) }
		stated = isSaid("you") && slices.ContainsFunc(words, func(w word) bool {
			return !light[w.low] && !talkWords[w.low] && !talkNouns[w.low] && !workNouns[w.low] && len(w.low) > 2 && isSaid(w.low)
		})
	}
	if stated {
		g.add(text, false, slotOf(text))
		g.spoken, g.asked, g.adjacent = true, "", true
	}
	return stated
}

var (
	yNotX       = english(`^(?:no[\s,]+)?(?:it's|its|it is|that's|he's|she's|i'm|his name is|her name is|my name is)\s+\S+(?:\s\S+)?,?\s+not\s+(\S+)$`)
	rejecting   = english(`^(?:(?:oh|um+|er+m?|uh|lol|haha|actually|sorry|wait|hm+)[\s,!.]+)*(?:no|nope|nah|wrong|not quite|not really)(?:[\s,!.–—-]+(?:no|nope|wait|sorry|actually|wrong))*[\s,!.;:–—-]+(\S.*)$`)
	denyingSelf = english(`^(?:(?:oh|um+|er+m?|uh|but|actually|sorry|wait|hm+)[\s,!.]+)*(?:i(?:'m| am) not|im not|i (?:don't|dont|do not|didn't|didnt|haven't|never)|my \pL+ (?:isn't|isnt|is not|doesn't|doesnt)|(?:that's|thats|that is|it's|its) not)\b`)
	noReject    = english(`^(?:\S+[\s,!.]+)?no[\s,]+(?:thanks|thank|worries|problem|prob|idea|clue|need|rush|way|one|more|doubt|pressure|please|wonder|kidding)\b`)
	thatIsNot   = english(`^(?:that's|thats|that is|it's|its|it is|this is|those are|they're|theyre|that was|it was)\b`)
)

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
	case a.name == "" || value == "" || whose.MatchString(right):
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

// whose begins what is rather put right as whom or what it is about: "I moved to Madrid",
// "sorry, I meant my office".
var whose = english(`^(?:my|our|his|her|their)\s`)

// replaces says whether what is said to be right can stand for a word of a statement:
// a number for a number, a name for a name, a word for one spelt much alike.
func replaces(statement, right string) bool {
	rights := wordsOf(right)
	for len(rights) > 1 && beforeDay[rights[0].low] {
		rights = rights[1:]
	}
	if len(rights) == 0 {
		return false
	}
	number := func(w word) bool { return numbers[w.low] > 0 || strings.ContainsAny(w.low[:1], "0123456789") }
	for i, w := range wordsOf(statement) {
		switch {
		case number(rights[0]) && (number(w) && len(w.low) > 1 || strings.ContainsAny(w.low[:1], "0123456789")):
			return true
		case weekday4(rights[0]) && weekday4(w), monthWord(rights[0]) && monthWord(w):
			return true
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
	return edits(a, b) <= 2
}

// edits counts the letters in which two words differ.
func edits(a, b string) int {
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
	return row[len(b)]
}

func weekday4(w word) bool { _, ok := weekdays[w.low]; return ok }

func monthWord(w word) bool { _, ok := months[w.low]; return ok && len(w.low) > 3 }

var beforeDay = set(`the on at in to a for by`)

var figure = newPattern(`^\d[\d.,:/]*`)

var wrongHints = strings.Split("wrong,mistake,incorrect,not right,not true,typo,a lie", ",")

// takesBack takes "I said my sister's name is Katrin, that was wrong: it's Karin".
func (g *grouping) takesBack(text string) bool {
	if len(text) <= 300 && g.saysOtherwise(text) {
		return true
	}
	bare := strings.TrimRight(text, " .!")
	if m := saidButThat.FindStringSubmatch(bare); m != nil && len(text) <= 300 && standsAlone(m[1]) {
		was := slotOf(m[1])
		dated, when := resolve(text, g.said, g.english)
		g.out = append(g.out,
			statement{text: m[1], slot: was, forget: true, slip: true, words: countWords(m[1])},
			statement{text: dated, when: when, words: countWords(text)})
		g.spoken, g.asked, g.adjacent = true, "", true
		return true
	}
	if m := saidThough.FindStringSubmatch(text); m != nil && len(text) <= 300 && standsAlone(m[1]) {
		clause := strings.TrimSpace(m[1])
		dated, when := resolve(text, g.said, g.english)
		g.out = append(g.out, statement{text: clause, slot: slotOf(clause), forget: true, slip: true, words: countWords(clause)}, statement{text: dated, when: when, words: countWords(text)})
		g.spoken, g.asked, g.adjacent = true, "", true
		return true
	}
	if low := strings.ToLower(text); len(text) > 300 || !contains(low, wrongHints) {
		return false
	}
	m := saidWrong.FindStringSubmatch(bare)
	if m == nil {
		return false
	}
	clause := strings.TrimSpace(m[1])
	was := slotOf(clause)
	dated, when := resolve(text, g.said, g.english)
	g.out = append(g.out,
		statement{text: clause, slot: was, forget: true, slip: true, words: countWords(clause)},
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
			g.out = append(g.out, statement{text: was.text, forget: true, slip: true, words: was.words})
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
