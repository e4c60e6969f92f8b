package extract

import (
	"context"
	"slices"
	"strings"
	"time"
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

// lastText is the text of the last statement so far, "" for none.
func (g *grouping) lastText() string {
	if len(g.out) == 0 {
		return ""
	}
	return g.out[len(g.out)-1].text
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

// grouping gathers the statements of one message.
type grouping struct {
	*hearing
	ctx     context.Context
	message *memd.Message

	english, assistant bool
	said               time.Time
	names              map[string]bool
	// question is what the other speaker asked just before, in the message asker.
	question string
	asker    *memd.Message
	// unclear says that several things were asked, and not which of them is answered.
	unclear bool

	out []statement
	// spoken says that something other than small talk has come.
	spoken bool
	// adjacent says that the piece before was kept.
	adjacent bool
	// asked is the question or command just before, which the next sentence may lean on.
	asked string
	// lead is an introduction that waits for what it introduces; used says that it
	// has been said.
	lead     string
	leadUsed bool
	// written is a correction as it was written, while it is read in another form.
	written string
	// echoing says that the list to come is what an assistant was told.
	echoing bool
	// heardWords are the words of the messages just before, nil if not asked for yet.
	heardWords map[string]bool
	// others are the statements of the assistant's message just before, once they were read.
	others     []statement
	othersRead bool
	// product says that the message is a text that was asked for.
	product bool
	// form says that the message is filled in like one: "Name: …", "Age: …".
	form bool
	// styled says that the message says nothing but how to answer.
	styled bool
	// alone says that the message is of one piece.
	alone bool
	// quiet are topics that nothing is to be kept of.
	quiet []string
	// posing says that the piece at hand may be of what was asked for.
	posing bool
	// next is the piece behind the one at hand.
	next string
	// listed says that the piece at hand is one of a list.
	listed bool
	// amends says that the piece at hand put right, took back or denied what was said, or asked
	// for it to be forgotten; jests that it says of itself that it is not meant.
	amends, jests bool
	// unsaid are the questions and commands left out so far, each once.
	unsaid      []string
	unsaidOnce  map[string]bool
	unsaidWords int
	// judged are short sentences with what was judged of them: a message of many
	// lines has many that are alike.
	judged map[string]judgement
	// parted are the same with their clauses.
	parted map[string][]clausePart
}

// judgement is what judge gives.
type judgement struct {
	did  act
	said string
}

// judgedBytes is the length up to which sentences are remembered.
const judgedBytes = 32

func (g *grouping) judge(text string) (act, string) {
	known, ok := g.judged[text]
	if !ok {
		known.did, known.said = judge(text, g.english, g.assistant, g.names)
		if len(text) <= judgedBytes {
			g.judged[text] = known
		}
	}
	return known.did, known.said
}

// take adds a piece of the message, in order.
func (g *grouping) take(ctx context.Context, p piece, introduces bool) {
	switch p.kind {
	case caption:
		if g.english && headsOnly.MatchString(p.text) {
			return
		}
		g.caption(p.text)
		return
	case lead:
		if g.english && !g.assistant && bareLead.MatchString(p.text) {
			return
		}
		if g.echoing = g.assistant && knownOf.MatchString(p.text); g.echoing {
			g.endLead()
			g.lead, g.leadUsed, g.adjacent = "", false, false
			return
		}
		if introduces && !(g.english && !g.assistant && reworks.MatchString(p.text)) {
			g.endLead()
			g.lead, g.leadUsed = p.text, false
			return
		}
	case item:
		if g.echoing {
			return
		}
		if g.lead != "" && !g.ownStatement(p.text) {
			g.item(p.text)
			return
		}
		if g.lead != "" && !g.leadUsed {
			// "About me:" tells nothing that its items do not.
			if g.leadUsed = true; !g.leans(strings.TrimRight(g.lead, ":： ")) {
				g.sentence(g.lead)
			}
		}
		if countWords(p.text) > joinWords {
			for _, s := range sentences(ctx, p.text) {
				g.sentence(s)
			}
			return
		}
	}
	if g.lead != "" && p.kind != item {
		if g.assistant && !g.leadUsed && !isSmallTalk(p.text, g.names) {
			g.item(p.text)
			g.lead = ""
			return
		}
		g.endLead()
	}
	g.sentence(p.text)
}

// bareLead is a heading that tells nothing of what follows it.
var bareLead = english(`^(?:examples?|(?:now )?(?:label|check|translate|do) (?:this|these)(?: one)?|input|output|text|context|data|question|code|error|logs?|sentences?|getting this|i get this|this|(?:here(?:'s| is)|this is) (?:my|the|some) (?:context|background|memories|notes?|history)):$`)

// ownStatement says whether an item of a user's list can be understood alone.
func (g *grouping) ownStatement(text string) bool {
	words := wordsOf(text)
	return !g.assistant && g.english && len(words) >= 2 && own[words[0].low] && verbal(words)
}

// endLead says an introduction that introduced nothing.
func (g *grouping) endLead() {
	if g.lead != "" && !g.leadUsed {
		text := g.lead
		g.lead = ""
		g.sentence(text)
	}
	g.lead, g.leadUsed = "", false
}

// item adds an item to the introduction it stands under.
func (g *grouping) item(text string) {
	words := countWords(text)
	if g.leadUsed && len(g.out) > 0 {
		last := &g.out[len(g.out)-1]
		if last.list && last.lead == g.lead && last.words+words <= joinWords {
			dated, when := resolve(text, g.said, g.english)
			last.text += "; " + withoutStop(strings.TrimRight(dated, ";,"))
			last.words += words
			last.when = last.when.better(when)
			return
		}
	}
	full := text
	if countWords(g.lead) <= leadWords || !g.leadUsed {
		full = strings.TrimRight(g.lead, ":： ") + ": " + text
	}
	dated, when := resolve(full, g.said, g.english)
	g.out = append(g.out, statement{text: withoutStop(strings.TrimRight(dated, ";,")), when: when, words: countWords(full), list: true, lead: g.lead})
	g.leadUsed, g.spoken, g.asked = true, true, ""
}

// caption adds a note in brackets to what was said with it.
func (g *grouping) caption(text string) {
	if countWords(text) < 2 {
		return
	}
	switch {
	case len(g.out) > 0 && g.out[len(g.out)-1].words < 2*joinWords:
		last := &g.out[len(g.out)-1]
		last.text += " " + text
		last.words += countWords(text)
	case g.asked != "":
		g.out = append(g.out, statement{text: g.asked + " " + text, words: countWords(g.asked) + countWords(text)})
	default:
		g.out = append(g.out, statement{text: text, words: countWords(text)})
	}
	g.spoken, g.asked = true, ""
}

// sentence judges a sentence and adds what it states.
func (g *grouping) sentence(text string) {
	if g.assistant && (g.echoes(text) || g.remarks(text) || g.concludes(text)) {
		g.adjacent = false
		return
	}
	if !g.english && !g.assistant && g.forgetsForeign(text) {
		g.amends = true
		return
	}
	if g.english && !g.assistant {
		text = withoutTag(text)
	}
	if g.english && !g.assistant && g.tellsInParts(text) {
		return
	}
	if g.english && !g.assistant && (g.unsays(text) || g.recounts(text)) {
		g.amends = true
		return
	}
	if g.english && !g.assistant && g.countsOn(text) {
		return
	}
	if g.english && !g.assistant && g.disowns(text) {
		g.amends = true
		return
	}
	if g.english && !g.assistant && (g.correctsMore(text) || g.correctsIn(text) || g.takesBack(text) || g.putsRight(text) || g.corrects(text) || g.forgets(text)) {
		g.amends = true
		return
	}
	passing := func() bool {
		return g.english && !g.assistant && passes(text, g.names) && (g.question == "" || g.spoken || interrupts(text) || countWords(text) > 3)
	}
	if g.english && !g.assistant && !g.spoken && g.question != "" {
		if short := returned.ReplaceAllString(text, ""); hasContent(short) {
			text = short
		}
	}
	if g.english && !g.assistant && (g.answersAndTells(text) || g.agrees(text)) {
		return
	}
	if !g.spoken && g.english && !g.assistant && hedgeAlone.MatchString(text) {
		g.spoken, g.asked, g.adjacent = true, "", false
		return
	}
	if !g.spoken && g.question != "" && g.answers(text) && !passing() {
		bare := strings.TrimRight(text, ".。")
		dated, when := g.resolveAnswer(bare)
		s := statement{
			text: dated + " (asked: " + g.question + ")", when: when, words: countWords(text) + countWords(g.question), with: g.asker,
		}
		parts := []clausePart(nil)
		if who := g.ofWhom(); who != "" && g.english && !g.assistant {
			s.text += " (said before: " + who + ")"
			s.words += countWords(who)
		}
		if g.english && !g.assistant && !g.unclear {
			s.slot, parts = slotOfAnswer(g.question, bare), answerParts(g.question, bare)
		}
		for _, part := range parts {
			each := s
			each.text, each.slot = part.text+" (asked: "+g.question+")", part.slot
			g.out = append(g.out, each)
		}
		if parts == nil {
			g.out = append(g.out, s)
		}
		g.spoken, g.asked, g.adjacent = true, "", true
		return
	}
	if !g.spoken && g.english && !g.assistant && g.question != "" && g.quizzed() && fragment(wordsOf(text)) && countWords(text) <= 5 {
		g.spoken, g.asked, g.adjacent = true, "", false
		return // the answer of a quiz
	}
	if !g.spoken && g.english && !g.assistant && wouldOffer.MatchString(g.question) && !politelyOf.MatchString(g.question) && countWords(text) <= 4 && !own[wordsOf(text + " x")[0].low] && !g.tellsNames(text) && slotOf(text).name == "" {
		g.spoken, g.asked, g.adjacent = true, "", false
		return // what is wished of an offer
	}
	if (g.form || g.alone) && g.english && !g.assistant && g.field(text) {
		return
	}
	if g.assistant && g.english && g.message.Name == "" {
		text = ownPart(text)
	}
	if g.alone && g.english && !g.assistant && ofThemAsked.MatchString(text) {
		g.spoken, g.asked, g.adjacent = true, text, false
		return
	}
	if !g.assistant && (onlyCode.MatchString(text) || g.english && (hedgeAlone.MatchString(text) || gotThis.MatchString(text))) {
		g.spoken, g.asked, g.adjacent = true, "", false
		return
	}
	did, said := g.judge(text)
	if g.styled && g.question == "" {
		if slot, ok := styleOf(text); ok {
			g.out = append(g.out, statement{text: text, slot: slot, words: countWords(text)})
			g.spoken, g.asked, g.adjacent = true, "", true
			return
		}
	}
	if g.english && !g.assistant && g.decided(text) {
		g.add(text, false, about{})
		g.spoken, g.asked, g.adjacent = true, "", true
		return
	}
	if did == commands && g.english && !g.assistant && strings.HasPrefix(slotOf(text).name, "answer length") && !endsAsking(text) {
		did, said = states, text // "please give me long answers": all that come
	}
	if did == states && g.english && !g.adjacent && carriesNothing(text) && !g.onTopic(text) {
		did = chats
	}
	if did == states && g.english && !g.assistant && headsOnly.MatchString(text) && slotOf(text).name == "" {
		g.adjacent = false
		return
	}
	if did == states && g.english && !g.assistant && (inJestAfter.MatchString(text) || wondersAt(text)) {
		g.jests = inJestAfter.MatchString(text)
		g.spoken, g.asked, g.adjacent = true, "", false
		return
	}
	if did == states && wholeQuote.MatchString(text) && (g.assistant || len(g.heard) > 0 || g.spoken) {
		did = chats // somebody else's words, or a text that is worked on
	}
	if did == states && g.english && !g.assistant && !g.listed && !g.amongPeople() && !g.worth(text, said) {
		g.spoken, g.asked, g.adjacent = true, "", false
		return
	}
	if did == states && passing() && !(g.adjacent && g.leans(text) && refersBack(wordsOf(text))) {
		g.spoken, g.asked, g.adjacent = true, "", false
		return
	}
	switch did {
	case chats:
		// "It was magical!" is no small talk if it is about what was just told.
		if g.adjacent && !g.assistant && g.leans(text) && !endsAsking(text) && refersBack(wordsOf(text)) {
			g.add(text, true, about{})
		} else {
			g.adjacent = false
		}
		return
	case asks, commands:
		g.spoken, g.asked, g.adjacent = true, text, false
		if !g.unsaidOnce[text] {
			g.unsaidOnce[text] = true
			g.unsaid = append(g.unsaid, text)
			g.unsaidWords += countWords(text)
		}
		return
	}
	first := !g.spoken
	g.spoken = true
	parts := []clausePart{{text: said}}
	if g.english && !g.assistant {
		if mended, ok := g.mended(said); ok {
			g.out = append(g.out, mended)
			g.asked, g.adjacent = "", true
			return
		}
		if !g.posing {
			parts = g.clauses(said)
		}
	} else if !g.english && !g.assistant && !g.posing {
		parts = foreignParts(said)
	}
	for i, part := range parts {
		leans := !(i > 0 && strings.HasPrefix(part.text, "(")) && g.leans(part.text)
		if first && i == 0 && leans && g.carries(part.text) {
			continue
		}
		g.add(part.text, leans, g.meantWhose(part.text, g.meantPet(part.slot)))
	}
	g.asked, g.adjacent = "", true
}

// ofThemAsked asks whether something is so of somebody who is not named: "she never married,
// right?"
var ofThemAsked = english(`^(?:and |so |but )?(?:he|she|he's|she's)\b.*[\s,](?:right|correct|isn't (?:he|she)|didn't (?:he|she)|did (?:he|she))\s*\?+$`)

// headsOnly is a heading that tells nothing without what it is over.
var headsOnly = english(`^\W*(?:(?:whatsapp|telegram|signal|slack|chat|group|our|the|my|this|retrieved|stored|saved|job|work)\s+)*(?:chats?|conversation|transcript|chat log|logs?|thread|memor(?:y|ies)|ad|advert|posting|description|listing)\b[^.?!:]{0,30}[:\]]\s*$|^(?:i|we) (?:filled|wrote|typed|pasted|copied|answered|put) (?:this|it|that|these|them|the form)\b[^.?!:]{0,30}:\s*$|^(?:he|she|they|someone) (?:just )?(?:wrote|said|says|sent|texted|posted|replied|answered)(?: (?:me|us|this|back))*:\s*$`)

var (
	// onlyCode is code that was written within a line, hedgeAlone a word that leaves it open.
	onlyCode   = newPattern("^[\\s\\pP]*`[^`]+`[\\s\\pP]*$")
	hedgeAlone = english(`^(?:(?:hm+|well|ok|oh|i guess|i suppose|uh|um)[\s,.!…]+)*(?:possibly|maybe|perhaps|probably|likely|unlikely|dunno|it depends|depends|hopefully|presumably|potentially|not sure|no idea|could be|might be)(?:[\s,.]+(?:yes|no|not|so|though|tbh|i guess|i think))*\W*$`)
	// gotThis hands over what somebody sent.
	gotThis = english(`^(?:(?:my|our|the|a)\s+[\pL' -]{2,30}?|he|she|they|\p{Lu}\pL+) (?:just |also )?(?:sent|wrote|texted|e-?mailed|forwarded|posted|showed|gave|told) (?:me|us) (?:this|that|the following)(?: (?:today|yesterday|last night|this morning))?\W*$`)
)

// tellsInParts takes an introduction, or a question that tells something by the way.
func (g *grouping) tellsInParts(text string) bool {
	parts := g.introduction(text)
	if part, ok := toldByTheWay(text); ok {
		if did, _ := g.judge(text); did == asks {
			parts = []clausePart{part}
		}
	}
	if parts == nil {
		return false
	}
	for _, part := range parts {
		g.add(part.text, false, part.slot)
	}
	g.spoken, g.asked, g.adjacent = true, "", true
	return true
}

// carries adds a sentence whose "he" or "there" can only be what its speaker said in
// the message before, with that beside it, and says whether it did.
func (g *grouping) carries(text string) bool {
	if g.assistant || !g.english || g.shallow || g.question != "" || len(g.out) > 0 || !pointsBack(wordsOf(text)) {
		return false
	}
	from, last, chatting := g.own(g.ctx, g.message)
	if from == nil || !chatting {
		return false
	}
	if heOrShe[wordsOf(text)[0].low] && (petHad.MatchString(last.text) || ownTaste.MatchString(last.text) || !tellsOfSomebody(last.text)) {
		earlier, told := g.person(from)
		switch {
		case earlier != nil:
			from, last = earlier, told
		case !petHad.MatchString(last.text) && !ownTaste.MatchString(last.text) && !tellsOfSomebody(last.text):
			return false // whoever it is, it is nobody who was told of there
		}
	}
	dated, when := resolve(strings.TrimRight(text, "."), g.said, g.english)
	said := last.text
	s := statement{text: dated, when: when, with: from}
	// What is carried there is carried on, never one within the other.
	if carried := carriedIn(said); carried != "" && heOrShe[wordsOf(text)[0].low] && last.with != nil {
		said, s.also = carried, append(slices.Clone(last.also), last.with)
	}
	said, _, _ = strings.Cut(said, " (asked: ")
	said, _, _ = strings.Cut(said, " (said before: ")
	s.text, s.words = dated+" (said before: "+said+")", countWords(text)+countWords(said)
	g.out = append(g.out, s)
	return true
}

// carriedIn gives what a statement carries of what was said before, "" for nothing.
func carriedIn(text string) string {
	_, rest, ok := strings.Cut(text, " (said before: ")
	if !ok {
		return ""
	}
	open := 1
	for i, r := range rest {
		switch r {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return rest[:i]
			}
		}
	}
	return ""
}

// tellsOfSomebody says whether a text tells of somebody who may be "he" or "she" afterwards: one of
// the speaker's, or one who has a name.
func tellsOfSomebody(text string) bool {
	words := wordsOf(text)
	for i, w := range words {
		switch {
		case (w.low == "my" || w.low == "our") && i+1 < len(words) && !words[i+1].capital:
			for _, next := range words[i+1 : min(len(words), i+4)] {
				if people4[next.low] || animal5[next.low] {
					return true
				}
			}
		case heOrShe[w.low], w.low == "they", w.low == "him", w.low == "her", w.low == "his", i > 0 && w.capital && w.low != "i" && !strings.HasPrefix(w.low, "i'") && !months3(w.low) && weekdays[w.low] == 0, givenNames[w.low],
			i > 0 && (words[i-1].low == "a" || words[i-1].low == "an") && (people4[w.low] || animal5[w.low]):
			return true
		}
	}
	return parents[wordsOf(text + " x")[0].low]
}

var animal5 = set(strings.ReplaceAll(animals, "|", " "))

// petHad tells of an animal or a thing that is not named: whoever is "she" next need not be it.
var petHad = english(`^(?:i|we)(?:'ve| have)? (?:have|got|own|bought|keep|adopted|drive|want|like|love|need)?\s*(?:an?|the|two|three|some|my|our)\s+[\pL-]+(?: [\pL-]+)?\W*$`)

// ownTaste tells only of who says it.
var ownTaste = newPattern(`^(?:I|We) (?:really |also )?(?:love|like|hate|enjoy|prefer|work|live|study|play|eat|drink|speak) [^A-Z]*$`)

var heOrShe = set(`he he's he'll he'd she she's she'll she'd`)

// person gives what its speaker said before a message, and of whom somebody who is told of
// at its beginning is: "my sister is called Nora".
func (g *grouping) person(than *memd.Message) (*memd.Message, statement) {
	for i := len(g.heard) - 1; i >= 0; i-- {
		if g.heard[i] != than {
			continue
		}
		before := &hearing{rules: g.rules, names: g.hearing.names, heard: g.heard[:i], shallow: true}
		if all, err := before.statements(g.ctx, than); err == nil {
			for _, s := range slices.Backward(all) {
				if _, _, known := relative(s.text + " x"); known && !s.forget {
					return than, s
				}
			}
		}
		from, last, chatting := before.own(g.ctx, g.message)
		if _, _, known := relative(last.text + " x"); from != nil && chatting && known {
			return from, last
		}
		break
	}
	return nil, statement{}
}

// add puts a sentence beside the one it leans on, or lets it stand by itself.
func (g *grouping) add(text string, leans bool, slot about) {
	words := countWords(text)
	dated, when := resolve(text, g.daysFrom(text), g.english)
	s := statement{text: dated, when: when, words: words, slot: slot}
	if leans {
		toAsked := g.asked != "" && (len(g.out) == 0 || named(g.asked, g.names))
		if toAsked && countWords(g.asked)+words <= joinWords {
			s.text, s.words = g.asked+" "+s.text, words+countWords(g.asked)
			g.out = append(g.out, s)
			return
		}
		if !toAsked && len(g.out) > 0 && !g.out[len(g.out)-1].forget {
			last := &g.out[len(g.out)-1]
			if own, ok := g.apart(text, last); ok {
				s.text, s.when = resolve(own.text, g.said, g.english)
				s.slot = own.slot
				g.out = append(g.out, s)
				return
			}
			if last.words+words <= joinWords {
				last.when = last.when.better(when)
				if g.english && !g.assistant {
					g.moves(last, text, when)
				}
				last.text = follow(last.text, s.text)
				last.words += words
				if first := wordsOf(head(last.text, 40)); last.slot.name == "" {
					if verbal(wordsOf(text)) || !namesOther(last.text, last.slot) && !tellsOfOther.MatchString(last.text) {
						last.slot = s.slot
					}
				} else if len(first) > 0 && !own[first[0].low] && !elided[first[0].low] && !g.refers(text) && !verbal(wordsOf(text)) {
					last.slot = about{} // a row of fragments tells more than one thing
				}
				return
			}
		}
	}
	g.out = append(g.out, s)
}

// daysFrom is when what a text tells of days is told from: a bare day of the month ("until the 8th")
// follows the day to come that was told just before.
func (g *grouping) daysFrom(text string) time.Time {
	if !g.english || g.assistant || g.shallow || !bareOrdinal.MatchString(text) || contains(strings.ToLower(text), monthHints) {
		return g.said
	}
	last, ok := statement{}, false
	if n := len(g.out); n > 0 {
		last, ok = g.out[n-1], true
	} else if from, own, _ := g.own(g.ctx, g.message); from != nil {
		last, ok = own, true
	}
	if day := last.when.instant(); ok && day != nil && day.After(g.said) && last.when.grain == byDay {
		return *day
	}
	return g.said
}

var (
	bareOrdinal = english(`\b(?:until|till|through|from|to|on) the \d{1,2}(?:st|nd|rd|th)\b`)
	monthHints  = strings.Split("jan feb mar apr may jun jul aug sep oct nov dec month", " ")
)

// leans says whether a sentence cannot be understood without the one before it.
func (g *grouping) leans(text string) bool {
	if !g.english {
		return !containsDense(text) && len(wordsOf(text)) == 1
	}
	words := wordsOf(text)
	if len(words) == 0 {
		return true
	}
	if refersBack(words) || goesThere(words) {
		return true
	}
	if verbal(words) && (len(words) > 2 || own[words[0].low]) {
		return false
	}
	return !verbal(words) && len(words) <= 8 || len(words) <= 2
}

// refers says whether a sentence begins with what stands for something said before.
func (g *grouping) refers(text string) bool {
	words := wordsOf(text)
	return len(words) > 0 && refersBack(words)
}

// refersBack says whether words begin with one that stands for something said before.
func refersBack(words []word) bool {
	i := 0
	for i < len(words)-1 && connectives[words[i].low] {
		i++
	}
	low, next := words[i].low, ""
	if i+1 < len(words) {
		next = words[i+1].low
	}
	switch {
	case low == "because" || low == "cause" || hangers[low]:
		return true
	case low == "this" || low == "that" || low == "these" || low == "those":
		return !timeNouns[next]
	case low == "it's" || low == "it":
		if (next == "is" || next == "was" || next == "has") && i+2 < len(words) {
			next = words[i+2].low
		}
		return !impersonal[next]
	}
	return stands[low]
}

// goesThere says whether words speak of a place as "there" only.
func goesThere(words []word) bool {
	for i, w := range words {
		if i > 0 && w.low == "there" && beforeThere[words[i-1].low] {
			return true
		}
	}
	return false
}

// pointsBack says whether words begin with one that stands for somebody or something
// spoken of before.
func pointsBack(words []word) bool {
	i := 0
	for i < len(words)-1 && connectives[words[i].low] {
		i++
	}
	low := words[i].low
	return carried[low] && refersBack(words) || goesThere(words)
}

var (
	beforeThere = set(`back go going went live lives lived living work works worked been stay stayed moved move over get born met from out up drive fly studied grew`)
	carried     = set(`he he's he'll he'd she she's she'll she'd they they're they've they'll his her their it it's its`)
	connectives = set(`and but so also plus then or yeah yes well anyway though still besides honestly actually oh`)
	hangers     = set(`which especially mostly mainly except including such either neither otherwise likewise hence therefore too`)
	stands      = set(`its that's they they're they've they'll they'd their theirs them he he's he'll he'd she she's she'll she'd his her hers him both it'll it'd that'll`)
	timeNouns   = set(`morning afternoon evening night week weekend month year summer winter spring autumn fall monday tuesday wednesday thursday friday saturday sunday time january february march april may june july august september october november december christmas easter`)
	impersonal  = set(`my our raining snowing been monday tuesday wednesday thursday friday saturday sunday late time`)
)
