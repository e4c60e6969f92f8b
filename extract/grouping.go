package extract

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/memdhq/memd"
)

// lastText is the text of the last statement so far, "" for none.
func (g *grouping) lastText() string {
	if len(g.out) == 0 {
		return ""
	}
	return g.out[len(g.out)-1].text
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

// headsOnly is a heading that tells nothing without what it is over.
var headsOnly = english(`^\W*(?:(?:whatsapp|telegram|signal|slack|chat|group|our|the|my|this|retrieved|stored|saved|job|work)\s+)*(?:chats?|conversation|transcript|chat log|logs?|thread|memor(?:y|ies)|ad|advert|posting|description|listing)\b[^.?!:]{0,30}[:\]]\s*$|^(?:i|we) (?:filled|wrote|typed|pasted|copied|answered|put) (?:this|it|that|these|them|the form)\b[^.?!:]{0,30}:\s*$|^(?:he|she|they|someone) (?:just )?(?:wrote|said|says|sent|texted|posted|replied|answered)(?: (?:me|us|this|back))*:\s*$`)

var (
	// onlyCode is code that was written within a line, hedgeAlone a word that leaves it open.
	onlyCode   = newPattern("^[\\s\\pP]*`[^`]+`[\\s\\pP]*$")
	hedgeAlone = english(`^(?:(?:hm+|well|ok|oh|i guess|i suppose|uh|um)[\s,.!…]+)*(?:possibly|maybe|perhaps|probably|likely|unlikely|dunno|it depends|depends|hopefully|presumably|potentially|not sure|no idea|could be|might be)(?:[\s,.]+(?:yes|no|not|so|though|tbh|i guess|i think))*\W*$`)
	// gotThis hands over what somebody sent.
	gotThis = english(`^(?:(?:my|our|the|a)\s+[\pL' -]{2,30}?|he|she|they|\p{Lu}\pL+) (?:just |also )?(?:sent|wrote|texted|e-?mailed|forwarded|posted|showed|gave|told) (?:me|us) (?:this|that|the following)(?: (?:today|yesterday|last night|this morning))?\W*$`)
)

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
