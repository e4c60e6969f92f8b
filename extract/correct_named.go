package extract

import (
	"slices"
	"strings"
)

// What was wrong may be named, wherever that was said: "it's Elin, not Ellen, autocorrect",
// "correction, I land at 4 pm not 7, I read the wrong line". And a correction may say more behind it:
// "wait no, June 14, she'd kill me", "make it 8 o'clock, and we're 12 now".

var (
	// rightNotWrong names what is wrong behind what is right; what is before either tells only of what.
	rightNotWrong = english(`^(.{0,60}?\b)((?:\S+ ){0,2}\S+?),? (?:and )?not ((?:the |a |an |at |on |in )?\S+(?: \S+)?)$`)
	// tellsWhy is behind a correction and says no more than how it came about.
	tellsWhy = english(`^(?:(?:stupid |damn |bloody )?autocorrect|typo|my bad|my mistake|sorry|lol|haha|oops|i (?:read|misread|was|mixed|got|wrote|typed|always|keep|thought)\b.*|(?:she|he|they)(?:'d|'ll| would| will) (?:kill|murder|hate|never forgive)\b.*|because\b.*)(?:\s+(?:lol|haha|sorry))*$`)
	// slipsOpen are the slips before what is right.
	slipsOpen = english(`^(?:(?:` + slip + `|(?:small|quick|little|tiny|one) correction|i (?:mean|meant)|make (?:it|that)|(?:ok|okay),? (?:let's say|lets say|say))[\s,:;.!–—-]+)+`)
	letsSay   = english(`^(?:(?:` + slip + `|ok|okay|hm+|fine|alright)[\s,:;.!–—-]+)*(?:let's|lets|let us) (?:say|make (?:it|that))\s+(\S+(?: \S+)?)$`)
	hisName   = english(`^(?:no[\s,]+)?(?:it's|its|it is)\s+(\p{Lu}\pL+)\s+actually$`)
	meansBack = english(`^(?:` + slip + `[\s,:;.!–—-]+)+(\S+(?: \S+){0,3}?)\s+(?:i (?:mean|meant))$`)
)

// correctsMore takes a correction that names what is wrong, or says more behind it, and says whether
// it was one.
func (g *grouping) correctsMore(text string) bool {
	if len(text) > 160 || endsAsking(text) {
		return false
	}
	bare := strings.TrimRight(chatTail.ReplaceAllString(text, ""), " .!…😅🙈😂")
	if m := letsSay.FindStringSubmatch(bare); m != nil && numerals(m[1]) > 0 {
		return g.putsNumber(m[1], text)
	}
	if m := hisName.FindStringSubmatch(bare); m != nil && !g.shallow && len(g.out) == 0 {
		if from, last, ok := g.lastSaid(); ok && from != nil {
			if is := onlyMe.FindStringSubmatch(last.text); is != nil && alike(strings.ToLower(is[1]), strings.ToLower(m[1])) || is != nil && strings.HasPrefix(strings.ToLower(m[1]), strings.ToLower(is[1])) {
				now := strings.Replace(last.text, is[1], m[1], 1)
				g.out = append(g.out, statement{text: last.text, forget: true, slip: true, words: last.words}, statement{text: now, slot: slotOf(now), words: countWords(now)}.of(from))
				g.spoken, g.asked, g.adjacent = true, "", true
				return true
			}
		}
	}
	// What is right ends at the first comma behind it.
	opening := slipsOpen.FindString(bare)
	head, tail := bare[len(opening):], ""
	for i := strings.IndexByte(head, ','); i >= 0; {
		if rest := strings.TrimSpace(head[i+1:]); !strings.HasPrefix(strings.ToLower(rest), "not ") && !strings.HasPrefix(strings.ToLower(rest), "and not ") {
			head, tail = head[:i], rest
			break
		}
		next := strings.IndexByte(head[i+1:], ',')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	if m := rightNotWrong.FindStringSubmatch(head); m != nil && g.namesWrong(m[1], m[2], m[3], opening != "", text) {
		g.goesOnBehind(tail)
		return true
	}
	if opening != "" && g.putsSort(head, text) {
		g.goesOnBehind(tail)
		return true
	}
	if tail == "" || opening == "" || countWords(head) > 5 || strings.HasPrefix(strings.ToLower(head), "not ") || countsOther(head, tail) {
		return false
	}
	if said := opening + head; g.putsRight(said) || g.corrects(said) {
		g.goesOnBehind(tail)
		return true
	}
	if m := meansBack.FindStringSubmatch(opening + head); m != nil {
		if said := "sorry, I meant " + m[1]; g.putsRight(said) || g.corrects(said) {
			g.goesOnBehind(tail)
			return true
		}
	}
	return false
}

// onlyMe is a message that says who it is from.
var onlyMe = newPattern(`(?i)^(?:(?:hey|hi|hello|yo|it's|its|this is|i'm|i am|here is)[\s,!]*)+(\p{Lu}\pL+)\W*$`)

// goesOnBehind takes what is said behind a correction, unless it says only how it came about.
func (g *grouping) goesOnBehind(tail string) {
	var told []string
	for _, part := range strings.Split(tail, ",") {
		if part = strings.TrimSpace(part); !tellsWhy.MatchString(part) {
			told = append(told, part)
		}
	}
	rest := lastAnd.ReplaceAllString(strings.Join(told, ", "), "")
	if countWords(rest) < 3 || !verbal(wordsOf(rest)) {
		return
	}
	g.sentence(rest)
}

// namesWrong puts a named thing right where it was said, here or in one of the messages just before.
func (g *grouping) namesWrong(before, right, wrong string, slips bool, text string) bool {
	words := wordsOf(right)
	if len(words) == 0 || negates.MatchString(before) {
		return false
	}
	// Of what is right the last words are it: as many as are of the kind of what is wrong.
	wrongs := wordsOf(wrong)
	if n := len(wrongs); n > 0 && determiners[wrongs[0].low] && n > 1 {
		wrongs = wrongs[1:]
	}
	if len(wrongs) == 0 {
		return false
	}
	first := wrongs[0]
	switch {
	case numeral(first) || strings.ContainsAny(first.low, "0123456789"):
		at := slices.IndexFunc(words, func(w word) bool { return strings.ContainsAny(w.low, "0123456789") || numbers[w.low] > 0 })
		if at < 0 {
			return false
		}
		right = right[words[at].start:]
	case weekday4(first) || monthWord(first):
		if last := words[len(words)-1]; weekday4(last) || monthWord(last) {
			right = right[last.start:]
		} else {
			return false
		}
	case first.capital:
		at := slices.IndexFunc(words, func(w word) bool { return w.capital })
		if at < 0 {
			return false
		}
		right = right[words[at].start:]
	default:
		return false // "tea not coffee" may be what one wants
	}
	named := strings.ContainsAny(right[:1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && !slips && before != "" && !isSo.MatchString(before)
	if named {
		return false // "I live in Rome, not Milan" stands for itself
	}
	return g.putsNamed(correction{right: strings.TrimSpace(right), wrong: wrong[first.start:], text: text, plainly: true}, text)
}

var (
	negates = english(`\b(?:not|never|no)\b`)
	isSo    = english(`(?:^|\s)(?:it's|its|it is|that's|he's|she's|they're|i'm|im|is|was|are|in|at|on|for|to|called|named)\s*$`)
)

// putsNamed puts what is right in the place of what is wrong, in the one statement that has it.
func (g *grouping) putsNamed(c correction, text string) bool {
	place := func(all []statement) (int, corrected) {
		for i, s := range slices.Backward(all) {
			if s.forget {
				continue
			}
			wide := c
			if base, _ := valueIn(s); wholeAt(strings.ToLower(base), strings.ToLower(c.wrong)) >= 0 {
				if unit := unitOf.FindString(c.right); unit != "" && wholeAt(strings.ToLower(base), strings.ToLower(c.wrong+" "+unit)) >= 0 {
					wide.wrong += " " + unit // "at 7 pm", "4 pm not 7"
				}
				if now := wide.inPlace(s); now.text != "" {
					return i, now
				}
				bare := s
				bare.slot = about{}
				if now := wide.inPlace(bare); now.text != "" && wholeAt(s.slot.value, wide.wrong) >= 0 {
					now.about = s.slot // which a part of it has
					now.value = strings.Replace(s.slot.value, wide.wrong, wide.right, 1)
					return i, now
				}
			}
		}
		return -1, corrected{}
	}
	if at, now := place(g.out); at >= 0 {
		g.out[at] = g.rightly(g.out[at], now, text)
		g.spoken, g.asked = true, ""
		return true
	}
	if g.shallow {
		return false
	}
	for i := len(g.heard) - 1; i >= 0 && i >= len(g.heard)-farther; i-- {
		earlier := g.heard[i]
		if !sameSpeaker(earlier, g.message) || len(earlier.Text) > recalledText {
			continue
		}
		all, err := g.saidBefore(i)
		if err != nil {
			return false
		}
		if at, now := place(all); at >= 0 {
			g.out = append(g.out, statement{text: all[at].text, forget: true, slip: true, words: all[at].words}, g.rightly(all[at], now, text).of(earlier))
			g.spoken, g.asked, g.adjacent = true, "", true
			return true
		}
	}
	return false
}

// putsSort puts a day or an hour in the place of the one that the speaker told last, where that is the
// only one of its statement.
func (g *grouping) putsSort(right, text string) bool {
	clockTime := clockRight.FindStringSubmatch(right)
	if g.shallow || clockTime == nil && daySort.FindString(right) != right {
		return false
	}
	all := slices.Clone(g.out)
	for i := len(g.heard) - 1; i >= 0 && i >= len(g.heard)-reach && len(all) == 0; i-- {
		if sameSpeaker(g.heard[i], g.message) && len(g.heard[i].Text) <= recalledText {
			said, err := g.saidBefore(i)
			if err != nil {
				return false
			}
			all = slices.DeleteFunc(slices.Clone(said), func(s statement) bool {
				base, _ := valueIn(s)
				return s.forget || clockTime != nil && len(atClock.FindAllString(base, -1)) != 1 || clockTime == nil && len(daySort.FindAllString(base, -1)) != 1
			})
		}
	}
	if len(all) != 1 {
		return false
	}
	base, _ := valueIn(all[0])
	if clockTime != nil {
		if m := atClock.FindStringSubmatch(base); m != nil && !strings.EqualFold(m[1], clockTime[1]) {
			return g.putsNamed(correction{right: clockTime[1], wrong: m[1], text: text, plainly: true}, text)
		}
		return false
	}
	wrong := daySort.FindString(base)
	return wrong != "" && !strings.EqualFold(wrong, right) && g.putsNamed(correction{right: right, wrong: wrong, text: text, plainly: true}, text)
}

var (
	daySort    = sorts[1]
	clockRight = english(`^(?:at )?(\d{1,2}(?::\d\d)?(?: ?[ap]m)?)(?: o'clock)?$`)
	atClock    = english(`\bat (\d{1,2}(?::\d\d)?(?: ?[ap]m)?)\b`)
)

// unitOf is what is counted, behind a number.
var unitOf = english(`\b(?:am|pm|kg|km|euros?|dollars?|pounds?|people|kids|o'clock)$`)

// putsNumber puts a number in the place of the one that the speaker said last.
func (g *grouping) putsNumber(right, text string) bool {
	from, last, ok := g.lastSaid()
	if !ok || g.shallow || from == nil {
		return false
	}
	base, _ := valueIn(last)
	var wrong []string
	for _, w := range wordsOf(base) {
		if numeral(w) && !months3(w.low) {
			wrong = append(wrong, base[w.start:w.end])
		}
	}
	if len(wrong) != 1 {
		return false
	}
	return g.putsNamed(correction{right: right, wrong: wrong[0], text: text, plainly: true}, text)
}
