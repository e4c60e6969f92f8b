package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memdhq/memd"
)

// "No, red" after "my favorite color is green" tells by its kind what it puts right: in the
// place of what is wrong it makes a statement about the same thing. Only so is a bare word
// taken for a correction; "no, thanks" makes none.

const (
	// firmSlip tells of a slip by itself, softSlip only beside one, or as "no,".
	firmSlip = `(?:oops|oopsie|whoops|ops|sorry|wait|hang on|hold on|correction|typo|edit|my bad|my mistake|actually|nvm|never ?mind|j/?k|just kidding|i misspoke|autocorrect|stupid autocorrect|damn autocorrect)`
	softSlip = `(?:oh|omg|ugh|argh|ah|agh|no|nope|nah|h+m+|damn|well|er+m?|um+|uh|lol+|haha\pL*)`
)

var (
	putRight = english(`^((?:(?:` + firmSlip + `|` + softSlip + `)[\s,:;.!…–—-]+)*)((?:i )?(?:mean|meant)(?: to (?:say|write|type|put))?[\s,:;.!–—-]+|(?:that |it )?should (?:be|have been|say|read) |make (?:that|it) )?(?:(?:it's|its|it is|it was|that's|thats|that is|i'm|im|i am|in fact|rather)\s+(?:actually |really |rather )?)?(\S.*)$`)
	// speaksFirst opens a statement of one's own.
	speaksFirst = english(`^(?:i'm|im|i am)\s`)
	firmly      = english(`\b` + firmSlip + `\b|\b(?:no|nope|nah)\s*[,;:.!…–—-]`)
	rightNot    = english(`^(\S.{0,40}?)[,;]?\s+(?:and )?not\s+(\S.{0,40})$`)
	notRight    = english(`^not\s+(\S.{0,40}?)(?:,|;|\s+but)\s+(?:but |it's |rather )?(\S.{0,40})$`)
	beforeAll   = english(`^(?:in|at|on|to|for|with|a|an|the)\s+(\S.*)$`)
	// excuses are said behind "sorry" and "wait" for another reason.
	excuses = set(`phone door doorbell kettle call calls meeting work dinner lunch breakfast coffee tea bus train tram taxi traffic class gym school homework kids kid baby babies dog cat mum mom dad boss brb later laters tomorrow today tonight now soon then here there away afk lag wifi internet connection english spelling grammar mistake error chat thread window tab message question questions idea time minute minutes second seconds moment sec secs min mins hour hours thanks please sorry wait way problem worries same this that these those you u me him her us them it man dude bro guys buddy mate everyone someone nobody nothing anything something everything none all both neither either maybe perhaps yes no ok okay tired busy sleepy hungry bored distracted asleep late nevermind again more less enough kidding joking rant typing driving eating cooking sleeping working coming going leaving doubt wonder need rush clue pressure offence offense luck really seriously honestly instead too also though anymore yet still just only but and or because if when where what which who how why not never`)
	// hues are words of which a colour is named.
	hues = set(`red green blue yellow orange purple violet pink brown black white grey gray teal turquoise cyan magenta lilac lavender indigo navy maroon burgundy beige cream ivory gold golden silver bronze copper mint olive emerald lime amber coral salmon peach rose crimson scarlet ruby plum mauve fuchsia aqua azure cobalt sapphire khaki tan ochre rust mustard charcoal sage forest sky royal midnight baby neon pastel dark light deep bright pale hot burnt dusty bottle-green sea chartreuse vermilion periwinkle aubergine apricot terracotta sand jade`)
)

// correction is what a short sentence says to be right, of what wrong thing if it tells,
// and whether it can be nothing but a correction.
type correction struct {
	right, wrong string
	plainly      bool
}

// correctionOf reads a short sentence as a correction; ok is false if it has not the form of one.
func correctionOf(text string) (c correction, ok bool) {
	if len(text) > 120 || endsAsking(text) {
		return c, false
	}
	bare := strings.TrimRight(chatTail.ReplaceAllString(text, ""), " .!…😅🙈😂")
	if m := starred.FindStringSubmatch(bare); m != nil {
		return correction{right: m[1] + m[2], plainly: true}, true
	}
	if m := putRight.FindStringSubmatch(bare); m != nil {
		if c.right, c.plainly = m[3], m[2] != ""; m[1]+m[2] == "" && speaksFirst.MatchString(bare) {
			return c, false // "I'm 41, not 14" stands for itself
		}
		ok = c.plainly || firmly.MatchString(m[1])
	}
	if m := rightNot.FindStringSubmatch(c.right); m != nil {
		c, ok = correction{m[1], m[2], true}, true
	} else if m := notRight.FindStringSubmatch(c.right); m != nil {
		c, ok = correction{m[2], m[1], true}, true
	} else if m := slippedAfter.FindStringSubmatch(bare); m != nil && !ok {
		c, ok = correction{right: m[1]}, true
	}
	words := wordsOf(c.right)
	if !ok || len(words) == 0 || len(words) > 5 || len(words) > 1 && verbal(words) && !strings.ContainsAny(c.right, "0123456789") {
		return c, false
	}
	return c, true
}

// putsRight takes a word or two that stand right in the place of a part of what its speaker
// said last, and says whether it was that.
func (g *grouping) putsRight(text string) bool {
	c, ok := correctionOf(text)
	if !ok || isSmallTalk(c.right, g.names) || interrupts(text) {
		return false
	}
	if n := len(g.out); n > 0 {
		if !g.adjacent {
			return false
		}
		at, a := c.among(g.out)
		if at < 0 {
			return false
		}
		g.out[at] = g.rightly(g.out[at], a, text)
		g.spoken, g.asked = true, ""
		return true
	}
	if g.spoken || g.shallow || g.question != "" && !c.plainly {
		return false
	}
	from, wrong, a := g.putWrong(c)
	if from == nil {
		return false
	}
	s := g.rightly(wrong, a, text)
	s.with, s.list = from, false
	g.out = append(g.out, statement{text: wrong.text, forget: true, slip: true, words: wrong.words}, s)
	g.spoken, g.asked, g.adjacent = true, "", true
	return true
}

// rightly is a statement with the correction behind it, of what it is about then.
func (g *grouping) rightly(s statement, a about, text string) statement {
	dated, when := resolve(text, g.said, g.english)
	if when.grain != never {
		s.when = when
	}
	if s.when.grain != never && (numerals(text) > 0 || dayWord.MatchString(text)) {
		s.when = when // the date that was told is the wrong one
	}
	s.text, s.slot, s.words = follow(s.text, dated), a, s.words+countWords(text)
	return s
}

// putWrong gives the statement that a correction is of, which is one of the last message of
// its speaker that states anything. What others said since must be of the same, or nothing.
func (g *grouping) putWrong(c correction) (*memd.Message, statement, about) {
	var others []*memd.Message
	for i := len(g.heard) - 1; i >= 0 && i >= len(g.heard)-reach; i-- {
		earlier := g.heard[i]
		if len(earlier.Text) > recalledText {
			break
		}
		if !sameSpeaker(earlier, g.message) {
			others = append(others, earlier)
			continue
		}
		before := &hearing{rules: g.rules, names: g.hearing.names, heard: g.heard[:i], shallow: true}
		all, err := before.statements(g.ctx, earlier)
		if err != nil {
			break
		}
		if len(all) == 0 && g.chats(earlier) {
			continue
		}
		at, a := c.among(all)
		if at < 0 || !c.plainly && slices.ContainsFunc(others, func(o *memd.Message) bool { return !g.chats(o) && !saysAgain(o.Text, all[at]) }) {
			break
		}
		return earlier, all[at], a
	}
	return nil, statement{}, about{}
}

// saysAgain says whether a text that asks nothing has what a statement holds.
func saysAgain(text string, s statement) bool {
	_, held := valueIn(s)
	return held != "" && !strings.ContainsAny(text, "?？") && strings.Contains(strings.ToLower(text), strings.ToLower(held))
}

// among gives the statement that a correction fits, -1 if it fits none or several of one kind
// alike, and what that is about then.
func (c correction) among(all []statement) (at int, a about) {
	at = -1
	var alikes, fitting []int
	var slots []about
	for i, s := range all {
		if s.forget {
			continue
		}
		if now, ok := c.fits(s); ok {
			fitting, slots = append(fitting, i), append(slots, now)
			if _, held := valueIn(s); alike(strings.ToLower(held), strings.ToLower(c.right)) || strings.Contains(strings.ToLower(c.right), strings.ToLower(held)) {
				alikes = append(alikes, len(fitting)-1)
			}
		}
	}
	if len(fitting) == 0 {
		return -1, about{}
	}
	last := len(fitting) - 1
	if len(alikes) == 1 {
		last = alikes[0]
	} else {
		for i := range fitting[:last] {
			if kindOf(slots[i]) == kindOf(slots[last]) {
				return -1, about{}
			}
		}
	}
	return fitting[last], slots[last]
}

// kindOf is the name of a slot without what it holds.
func kindOf(a about) string {
	if a.value != "" {
		return a.name
	}
	kind, _, _ := strings.Cut(a.name, ":")
	return kind
}

// valueIn gives the words of a statement as said and what of them its slot holds.
func valueIn(s statement) (base, held string) {
	base, _, _ = strings.Cut(noted.ReplaceAllString(s.text, ""), " (asked: ")
	base, _, _ = strings.Cut(base, " (said before: ")
	base = added.ReplaceAllString(base, "$1 ")
	held = s.slot.value
	if _, inName, named := strings.Cut(s.slot.name, ":"); held == "" && named {
		held = inName
	}
	return base, noted.ReplaceAllString(" "+held, "")[1:]
}

// added is the subject of a clause that was parted from the one that names it.
var added = newPattern(`^\(([^)]*)\) `)

// closed are kinds of slots of which a few words can be a value only if they are of the kind.
var closed = set(`age birthday date deadline diet port number marital weight height salary rent budget commute`)

// fits gives what a statement is about with what is right in the place of what is wrong; ok
// is false if that is not about the same thing.
func (c correction) fits(s statement) (now about, ok bool) {
	if s.slot.name == "" && s.with == nil {
		if s.slot = looseSlot(s.text); !strings.HasPrefix(s.slot.name, "has:") {
			return about{}, otherDay(s.text, c.right)
		}
	}
	base, held := valueIn(s)
	low := strings.ToLower(base)
	if c.wrong != "" {
		wrong := strings.ToLower(c.wrong)
		if m := beforeAll.FindStringSubmatch(wrong); m != nil {
			wrong = m[1]
		}
		if wholeAt(low, wrong) < 0 {
			return about{}, false
		}
		if held == "" || wholeAt(strings.ToLower(held), wrong) < 0 && wholeAt(wrong, strings.ToLower(held)) < 0 {
			return about{}, countWords(c.right) <= 3 // another word of it
		}
	}
	if held == "" || s.slot.negated || !c.mayHold(s.slot) {
		return about{}, false
	}
	words := wordsOf(c.right)
	rights := []string{c.right}
	if m := beforeAll.FindStringSubmatch(c.right); m != nil {
		if rights = []string{m[1], c.right}; determiners[words[0].low] {
			rights = []string{c.right, m[1]}
		}
	}
	for _, r := range rights {
		first, size := utf8.DecodeRuneInString(r)
		if unicode.IsLower(first) {
			rights = append(rights, string(unicode.ToUpper(first))+r[size:])
		}
	}
	_, question, answered := strings.Cut(s.text, " (asked: ")
	start, end := wholeAt(low, strings.ToLower(held)), 0
	end = start + len(held)
	if numerals(c.right) == 1 && countWords(c.right) == 1 && numerals(held) == 1 && start >= 0 {
		for _, w := range wordsOf(held) {
			if numeral(w) { // "May 3", "sorry, 4"
				start, end = start+w.start, start+w.end
			}
		}
	}
	for _, r := range rights {
		switch {
		case answered:
			now = slotOfAnswer(strings.TrimSuffix(question, ")"), r)
		case start < 0 || len(low) != len(base):
			return about{}, false
		default:
			fixed := base[:start] + r + base[end:]
			if now = slotOf(fixed); now.name == "" {
				if parts := eachOf(fixed); parts != nil && kindOf(parts[0].slot) == kindOf(s.slot) {
					return about{}, true // "walnuts and pecans"
				}
				now = looseSlot(fixed)
			}
		}
		if now.name != "" && kindOf(now) == kindOf(s.slot) && now.subject == s.slot.subject && !now.negated {
			if _, is := valueIn(statement{text: base, slot: now}); is != "" && !strings.EqualFold(is, held) {
				return now, true
			}
		}
	}
	return about{}, false
}

// otherDay says whether a day of the week is said right of the one in a statement.
func otherDay(text, right string) bool {
	day := func(w word) bool { return weekday4(w) || weekday4(word{low: strings.TrimSuffix(w.low, "s")}) }
	words := wordsOf(right)
	return len(words) <= 2 && day(words[len(words)-1]) && slices.ContainsFunc(wordsOf(text), day)
}

// mayHold says whether what is right may be what a slot holds, for all that the words tell.
func (c correction) mayHold(a about) bool {
	kind := strings.Fields(kindOf(a))[0]
	kind, _, _ = strings.Cut(kind, ":")
	words := wordsOf(c.right)
	if _, held := valueIn(statement{slot: a}); numeral(words[0]) && numerals(held) == 0 {
		return false
	}
	if closed[kind] {
		return true
	}
	if strings.HasPrefix(a.name, "favorite:") && strings.Contains(a.name, "color") {
		return !slices.ContainsFunc(words, func(w word) bool { return !hues[w.low] })
	}
	if opinion(c.right) || len(words) > 4 {
		return false
	}
	for i, w := range words {
		if excuses[w.low] && !(kind == "has" && len(words) > 1) && (i == 0 || i == len(words)-1) || strings.HasSuffix(w.low, "ly") && len(w.low) > 5 && i == len(words)-1 && !w.capital {
			return false
		}
	}
	if doing := words[0].low; len(words) == 1 && verbal(words) {
		return strings.HasSuffix(doing, "ing") && (kind == "favorite" || kind == "taste" || kind == "habit")
	}
	return true
}

// wholeAt is where a phrase stands in a text by whole words, the last time; -1 if nowhere.
func wholeAt(text, phrase string) int {
	if phrase == "" {
		return -1
	}
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
	for end := len(text); ; {
		at := strings.LastIndex(text[:end], phrase)
		if at < 0 {
			return -1
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(phrase):])
		if !letter(before) && !letter(after) {
			return at
		}
		end = at + len(phrase) - 1
	}
}
