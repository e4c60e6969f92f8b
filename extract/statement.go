package extract

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memdhq/memd"
)

const (
	// joinWords is the most words that joining sentences may make of a statement.
	joinWords = 60
	// leadWords is the most words of an introduction that are said again with each
	// part of the list that it introduces.
	leadWords = 20
	// userStatements and assistantStatements are how many statements of one message
	// are wanted at most; more are joined with their neighbours up to joinWords.
	userStatements, assistantStatements = 40, 12
	// maxStatements is how many there may be; more are joined up to maxRunes.
	maxStatements = 40
	// maxRunes is the most characters of a statement; a longer one is cut into
	// several, an unbroken run of letters cut off with "…".
	maxRunes = 2000
	// longTalk is from how many words on a message that only asks and commands is
	// kept all the same: it is bound to tell something.
	longTalk = 40
)

// statement is a memory in the making.
type statement struct {
	text string
	slot about
	when moment
	// forget says that it is to be forgotten, with is the message before that it is
	// also told by, nil for none.
	forget bool
	// slip says, with forget, that it was never so.
	slip bool
	with *memd.Message
	// posed says that it may be of what was asked for: it is about nothing.
	posed bool
	// corrects says that it puts right what was said by mistake, also are further messages of
	// which it has words.
	corrects bool
	also     []*memd.Message
	// words is the length of text as said.
	words int
	// list says that text is an introduction with items; lead is the introduction.
	list bool
	lead string
	// fate is what a sifting found out of it.
	fate fate
}

// statements gives what a message states. The only error is ctx's own.
func (h *hearing) statements(ctx context.Context, m *memd.Message) ([]statement, error) {
	return h.sifted(ctx, m, nil)
}

// sifted is statements; into, if there is one, notes what becomes of each sentence.
func (h *hearing) sifted(ctx context.Context, m *memd.Message, into *sifting) ([]statement, error) {
	text, err := cleaned(ctx, m.Text, h.rules.KeepSecrets)
	if err != nil {
		return nil, err
	}
	if !h.rules.KeepSecrets {
		text, _ = h.redactor.hide(m, text)
	}
	g := grouping{
		hearing: h, ctx: ctx, message: m,
		english: isEnglish(strings.Join(withoutCode(strings.Split(text, "\n")), "\n")), assistant: m.Role == memd.RoleAssistant, said: m.SaidAt(),
		names: without(h.names, wordsOf(m.Name)), judged: map[string]judgement{}, parted: map[string][]clausePart{}, unsaidOnce: map[string]bool{},
	}
	quoted := false // what was pasted was marked, and has gone
	if g.assistant {
		text = dropSpokenLines(text)
		g.product = m.Name == "" && (drafts(text) || g.produces())
	} else {
		own := dropQuoted(text)
		quoted, text = own != text, own
	}
	if g.question, g.asker, err = h.question(ctx, m); err != nil {
		return nil, err
	}
	pieces, err := split(ctx, text)
	if err != nil {
		return nil, err
	}
	g.form = isForm(pieces)
	g.alone = len(pieces) == 1
	g.styled = g.english && !g.assistant && onlyStyle(pieces)
	if len(pieces) > 0 {
		if done, err := g.answersSeveral(pieces); err != nil {
			return nil, err
		} else if done {
			pieces = nil
		}
	}
	if n := len(pieces); n > 1 && n <= 3 && g.english && !g.assistant && len(text) <= 120 && g.correctsIn(strings.Join(strings.Fields(text), " ")) {
		pieces = nil
		into.corrected(g.out, text)
	}
	var given handover
	theirs, again := make([]bool, len(pieces)), make([]bool, len(pieces))
	if g.english && !g.assistant && !quoted {
		pieces = partQuotes(pieces)
		theirs, again = pasted(pieces)
		if k := speaksOn(pieces); k < len(pieces) {
			again[k] = true
			clear(theirs[k:])
		}
	}
	into.begins(&g, pieces)
	hushed := h.confidedBefore(m)
	if g.assistant && (hushed || g.translates()) {
		return nil, nil
	}
	playing := earnest
	if in, err := h.inScene(ctx, m); err != nil {
		return nil, err
	} else if in && g.assistant {
		return nil, nil
	} else if in {
		playing = inPlay
	}
	for i, p := range pieces {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		confided := hushed
		if hushed && movesOn.MatchString(p.text) {
			confided, hushed = false, false
		}
		if !g.assistant {
			if c := confidenceOf(p.text, g.english); c.asks {
				if p.text, confided, hushed = g.confided(c, i == 0, i+1 == len(pieces)); p.text == "" {
					continue
				}
			}
		}
		if !confided && len(g.quiet) > 0 && g.quietOn(p.text) {
			confided = true
		}
		this := earnest
		if g.english && !g.assistant {
			if this, playing = playing.follow(p.text); this == inPlay && !g.asksNoMemory(p.text) || this == posed && counterpart.MatchString(p.text) {
				g.spoken, g.asked, g.adjacent = true, "", false
				continue
			}
		}
		if again[i] {
			given = handover{}
		}
		if theirs[i] {
			g.spoken, g.asked, g.adjacent = true, "", false
			continue
		}
		if !g.assistant && given.takes(p, g.english, !g.spoken) {
			g.spoken, g.asked, g.adjacent = true, "", false
			continue
		}
		introduces := i+1 < len(pieces) && (p.kind == lead && (pieces[i+1].kind == item || pieces[i+1].paragraph > p.paragraph || g.assistant))
		if g.next = ""; i+1 < len(pieces) {
			g.next = pieces[i+1].text
		}
		g.listed = p.kind == item || p.kind == lead && i+1 < len(pieces)
		n, end := len(g.out), g.lastText()
		g.posing = this == posed
		g.take(ctx, p, introduces)
		for k := n; k < len(g.out) && g.posing; k++ {
			g.out[k].pose()
		}
		if confided && g.lastText() != end {
			g.hushes(min(n, len(g.out)-1))
		}
		into.took(&g, i, confided)
	}
	told := len(g.out)
	g.endLead()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(g.out) == 0 && !g.assistant && g.unsaidWords >= longTalk {
		g.asked = ""
		for _, u := range g.unsaid {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			g.add(u, true, about{})
		}
	}
	for k := told; k < len(g.out); k++ {
		g.out[k].fate.piece = len(pieces)
	}
	wanted := userStatements
	if g.assistant {
		wanted = assistantStatements
	}
	out := pack(distinct(g.out), wanted, []int{joinWords / 3, joinWords * 2 / 3, joinWords}, func(s statement) int { return s.words })
	out = pack(out, maxStatements, []int{maxRunes / 4, maxRunes / 2, maxRunes}, func(s statement) int { return utf8.RuneCountInString(s.text) })
	out, err = finish(ctx, out, h.rules.KeepSecrets)
	return distinct(out), err
}

// distinct leaves out what a message says again word for word: it tells no more, and
// each statement costs its reading. Where anything is to be forgotten, what comes before
// and behind that differs.
func distinct(in []statement) []statement {
	if slices.ContainsFunc(in, func(s statement) bool { return s.forget }) {
		return in
	}
	type said struct {
		text string
		slot about
		with *memd.Message
	}
	seen := make(map[said]bool, len(in))
	var out []statement
	for _, s := range in {
		key := said{s.text, s.slot, s.with}
		if !seen[key] {
			seen[key] = true
			out = append(out, s)
		}
	}
	return out
}

// pack joins neighbours, if there are more statements than wanted, into as small
// ones as will do: the sizes are tried in turn, the last one is kept in any case.
func pack(in []statement, wanted int, sizes []int, size func(statement) int) []statement {
	out := in
	for _, limit := range sizes {
		if len(out) <= wanted {
			break
		}
		out = nil
		total := 0
		for _, s := range in {
			n := size(s) + 1
			if len(out) == 0 || total+n > limit || s.forget || s.with != nil || out[len(out)-1].forget || out[len(out)-1].with != nil {
				out = append(out, s)
				total = n
				continue
			}
			last := &out[len(out)-1]
			last.text = follow(last.text, s.text)
			last.words += s.words
			last.when = last.when.better(s.when)
			last.fate = last.fate.with(s.fate)
			switch {
			case last.slot.name == "":
				last.slot = s.slot
			case s.slot.name != "" && s.slot != last.slot:
				last.slot = about{}
			}
			total += n
		}
	}
	return out
}

// follow writes one sentence behind another.
func follow(a, b string) string {
	end, _ := utf8.DecodeLastRuneInString(a)
	if end < 0x0E00 && (unicode.IsLetter(end) || unicode.IsDigit(end)) {
		return a + ". " + b
	}
	return a + " " + b
}

// finish makes statements ready to be kept: redacted, of bounded length, without
// the full stop at the end. What is nothing but marks goes. The only error is ctx's own.
func finish(ctx context.Context, in []statement, keepSecrets bool) ([]statement, error) {
	var out []statement
	for _, s := range in {
		text := tidy(s.text)
		if !keepSecrets {
			var err error
			if text, err = redact(ctx, text); err != nil {
				return nil, err
			}
			if s.slot.value != "" && Redact(s.slot.value) != s.slot.value || strings.Contains(text, "[redacted:") && !strings.Contains(text, s.slot.value) {
				s.slot = about{}
			}
		}
		for _, text := range cut(text) {
			part := s
			part.text = withoutStop(leadingDash.ReplaceAllString(text, ""))
			if bare := redaction.ReplaceAllString(part.text, ""); hasContent(bare) && (bare == part.text || !bareLabels.MatchString(bare)) {
				out = append(out, part)
			}
		}
	}
	return out, nil
}

// leadingDash is a dash that hung the statement on to what was left out.
var leadingDash = newPattern(`^(?:[-–—•]+\s+)+`)

var redaction = newPattern(`\[redacted:[a-z]+\]`)

// withoutStop drops one full stop at the end, unless it belongs to the last word.
func withoutStop(text string) string {
	bare := strings.TrimSuffix(text, ".")
	if bare == text || strings.HasSuffix(bare, ".") || bare == "" {
		return text
	}
	token := strings.ToLower(lastToken.FindString(tail(bare, 40)))
	if shortened[token] || len(token) <= 6 && strings.Contains(token, ".") && unicode.IsLetter(rune(token[0])) {
		return text
	}
	return strings.TrimRight(bare, " ")
}

// shortened are words that are written with a full stop.
var shortened = set(`etc usw inc ltd co corp bros jr sr st dr dept`)

// cut parts a text that is too long at blanks; a run without any is cut off, or, in
// a script that writes none, just parted.
func cut(text string) []string {
	if utf8.RuneCountInString(text) <= maxRunes {
		return []string{text}
	}
	var out []string
	runes := []rune(text)
	for len(runes) > maxRunes {
		end := maxRunes
		for end > 0 && runes[end] != ' ' {
			end--
		}
		switch {
		case end > 0:
			out = append(out, string(runes[:end]))
			runes = runes[end+1:]
		case containsDense(string(runes[:maxRunes])):
			out = append(out, string(runes[:maxRunes]))
			runes = runes[maxRunes:]
		default:
			out = append(out, string(runes[:maxRunes-1])+"…")
			for end = maxRunes; end < len(runes) && runes[end] != ' '; end++ {
			}
			runes = runes[min(end+1, len(runes)):]
		}
	}
	if len(runes) > 0 {
		out = append(out, string(runes))
	}
	return out
}

// containsDense says whether a text has letters of scripts that part no words by blanks.
func containsDense(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= 0x0E00 && unicode.In(r, dense...) })
}

func without(names map[string]bool, own []word) map[string]bool {
	out := make(map[string]bool, len(names))
	for n := range names {
		out[n] = true
	}
	for _, w := range own {
		delete(out, w.low)
	}
	return out
}
