package extract

import (
	"strings"

	"github.com/memdhq/memd"
)

// An answer may hold several things, each a statement of its own: "Yes, shellfish and nuts"
// are two allergies, "Priya, 34" a name and an age.

var (
	// severalAsked parts a question that asks for two things.
	severalAsked = english(`[,;]?\s+and\s+((?:what|where|how|who|when|which)\b[^?]*)\?`)
	answerComma  = english(`\s*[,;/]\s*(?:and\s+)?|\s+and\s+`)
	// beforeAnswer is what an answer may begin with before it says anything.
	beforeAnswer = english(`^(?:(?:still|at the moment|at present|currently|right now|for now|just now|these days|nowadays|actually|honestly|well|um+|uh+|hm+|oh|so)[\s,.…–—-]+)+`)
	// remark is what is added to an answer and is none itself.
	remark = english(`^(?:\pL+ly|too|though|tho|unfortunately|of course|i (?:think|guess|believe|suppose|fear|'m afraid)|i'm afraid|thank god|thank goodness|thanks|why|you|alas|always|often|sometimes|now|again|please|lol|haha\pL*|in fact|as it happens|no less|at least)\W*$`)
	// noneSuch is an answer by which there is none.
	noneSuch = english(`^(?:nowhere|nobody|no one|no-one|none|nothing|not anywhere|nowhere (?:yet|right now|at the moment|really)|nothing (?:yet|right now|at the moment|really))(?:\s+(?:at the moment|right now|at present|currently|yet|really|special|in particular|for now))?\W*$`)
)

// answerParts gives the parts of an answer with what each is about, nil if it is of one thing
// or of nothing known.
func answerParts(question, answer string) []clausePart {
	if countWords(answer) > 12 || supposed.MatchString(answer) {
		return nil
	}
	lead := yesLead.FindString(answer)
	rest := strings.TrimRight(answer[len(lead):], " .!")
	items := answerComma.Split(rest, -1)
	for i := len(items) - 1; i > 0; i-- {
		if remark.MatchString(items[i]) { // "Peanuts, sadly" is one thing in its speaker's words
			return nil
		}
	}
	if len(items) < 2 {
		return nil
	}
	questions := make([]string, len(items))
	if m := severalAsked.FindStringSubmatchIndex(question); m != nil {
		if len(items) != 2 {
			return nil
		}
		questions[0], questions[1] = question[:m[0]]+"?", question[m[2]:m[3]]+"?"
	} else {
		for i := range questions {
			questions[i] = question
		}
	}
	several := questions[0] == questions[1]
	var out []clausePart
	for i, item := range items {
		a := slotOfAnswer(questions[i], item)
		if a.name == "" || a.negated {
			return nil
		}
		kind, _, named := strings.Cut(a.name, ":")
		first := a.name
		if len(out) > 0 {
			first = out[0].slot.name
		}
		// Several answers to one question are so beside each other; two questions ask for two things.
		if several && (!named || a.value != "" || !strings.HasPrefix(first, kind+":")) || !several && i > 0 && a.name == first {
			return nil
		}
		if i == 0 {
			item = lead + item
		}
		out = append(out, clausePart{item, a})
	}
	return out
}

// joking takes back what was said just before as never so.
var joking = english(`^(?:(?:oh|no|nah|lol|haha\pL*|hehe|ok|wait|sorry|actually|nope)[\s,!.]+)*(?:(?:just|only) (?:kidding|joking|messing(?: with you)?)|(?:i(?:'m| am| was)|im) (?:just |only )?(?:kidding|joking|messing with you)|kidding|joking|j/?k|(?:scratch|strike) that)(?:[\s,!.]+(?:lol|haha\pL*|hehe|sorry|xd|btw))*\W*$`)

// unsays takes "just kidding" and "scratch that", and says whether it was that.
func (g *grouping) unsays(text string) bool {
	rest := ""
	if m := jokingThen.FindStringSubmatch(text); m != nil && len(text) <= 160 && !endsAsking(text) && (len(g.out) == 0 || g.adjacent) {
		text, rest = text[:len(text)-len(m[1])], m[1]
	}
	if len(text) > 60 || !joking.MatchString(text) {
		return false
	}
	switch n := len(g.out); {
	case n > 0 && g.adjacent && !g.out[n-1].forget:
		g.out = g.out[:n-1]
	case g.spoken || g.shallow || g.question != "":
	default:
		if from, last, _ := g.own(g.ctx, g.message); from != nil {
			g.out = append(g.out, statement{text: last.text, forget: true, slip: true, words: last.words})
		}
	}
	g.spoken, g.asked, g.adjacent = true, "", false
	if rest != "" {
		g.sentence(rest)
	}
	return true
}

// jokingThen is that with what is so: "just kidding, I eat steak every day".
var jokingThen = english(`^(?:(?:oh|no|nah|lol|haha\pL*|hehe|ok|wait|sorry|actually|nope)[\s,!.]+)*(?:(?:i(?:'m| am| was)|im) )?(?:just |only )?(?:kidding|joking)[\s,.!;:–—-]+((?:i|i'm|im|i've|we|we're|my|our|he|she|he's|she's|they|it|it's)\s.+)$`)

// recount is another number in the place of one: "no, 2".
var recount = english(`^(?:no+|nope|nah)[\s,.!–—-]+(?:(?:only|just|it's|i have|we have|there are)\s+)?(\d{1,3}|` + tally + `)\W*$`)

// recounts takes a number that is said right of the only one in what its speaker said last.
func (g *grouping) recounts(text string) bool {
	m := recount.FindStringSubmatch(text)
	if m == nil || g.spoken || g.shallow || g.question != "" {
		return false
	}
	from, last, _ := g.own(g.ctx, g.message)
	if from == nil || last.slot.value == "" || numerals(last.text) != 1 || numerals(last.slot.value) != 1 {
		return false
	}
	s := statement{text: follow(last.text, text), slot: last.slot, words: last.words + countWords(text), with: from}
	s.slot.value = strings.ToLower(m[1])
	g.out = append(g.out, statement{text: last.text, forget: true, slip: true, words: last.words}, s)
	g.spoken, g.asked, g.adjacent = true, "", true
	return true
}

// numerals counts the numbers of a text.
func numerals(text string) (n int) {
	for _, w := range wordsOf(text) {
		if numbers[w.low] > 1 || w.low[0] >= '0' && w.low[0] <= '9' {
			n++
		}
	}
	return n
}

// disowns takes "no I don't" behind an assistant's "you like olives", which was no question:
// it says the contrary of that.
func (g *grouping) disowns(text string) bool {
	if g.spoken || g.shallow || g.question != "" || len(text) > 40 || !plainNo.MatchString(text) {
		return false
	}
	others := g.anothers()
	if len(others) == 0 && len(g.heard) > 0 && g.heard[len(g.heard)-1].Role == memd.RoleAssistant && len(g.heard[len(g.heard)-1].Text) <= recalledText {
		// what only said back what was told is no statement of the assistant's
		for _, s := range sentences(g.ctx, g.heard[len(g.heard)-1].Text) {
			others = append(others, statement{text: withoutStop(s), words: countWords(s)})
		}
	}
	for _, wrong := range others {
		m := youDo.FindStringSubmatch(wrong.text)
		if m == nil {
			continue
		}
		a := slotOf("I " + strings.Replace(m[1], "are ", "am ", 1))
		if a.name == "" {
			continue
		}
		a.negated = !a.negated
		g.takesBackFrom(wrong)
		g.out = append(g.out, statement{text: strings.TrimRight(text, " .!") + " (said before: " + m[0] + ")", slot: a, words: countWords(text) + wrong.words, with: g.heard[len(g.heard)-1]})
		g.spoken, g.asked, g.adjacent = true, "", true
		return true
	}
	return false
}

var (
	plainNo = english(`^(?:no|nope|nah)[\s,.!–—-]+(?:i|we)(?:'m| am| do| have|'ve| can)?(?: not|n't| don't| dont| haven't| can't| aren't)\W*$`)
	youDo   = english(`^(?:(?:so|and|since|as|because|right)[\s,]+)*you\s+((?:are|live|work|have|like|love|study|eat|drink|speak|play|drive|own|hate)\b[^,;.!?]{1,60})`)
)

// meantPet gives a pet that is spoken of as "a dog" the name by which its speaker called it
// in one of the messages just before.
func (g *grouping) meantPet(a about) about {
	animal, owned := strings.CutPrefix(a.name, "has:")
	if !owned || !a.negated || a.subject != "" || g.shallow || !oneAnimal.MatchString(animal) {
		return a
	}
	for i := len(g.heard) - 1; i >= 0 && i >= len(g.heard)-farther; i-- {
		earlier := g.heard[i]
		if !sameSpeaker(earlier, g.message) || len(earlier.Text) > recalledText || !strings.Contains(strings.ToLower(earlier.Text), animal) {
			continue
		}
		before := &hearing{rules: g.rules, names: g.hearing.names, heard: g.heard[:i], shallow: true}
		all, err := before.statements(g.ctx, earlier)
		if err != nil {
			return a
		}
		for _, s := range all {
			if strings.HasPrefix(s.slot.name, "pet:") && !s.slot.negated && !s.forget && strings.Contains(strings.ToLower(s.text), animal) {
				return about{name: s.slot.name, negated: true}
			}
		}
	}
	return a
}

var oneAnimal = english(`^(?:` + animals + `)$`)

// answerThen parts an answer from what is told beside it: "34, and my wife is 32".
var answerThen = english(`^(.{1,40}?)(?:\s*[,;–—-]\s*(?:(?:and|but|also|plus)\s+)?|\s+(?:and|but)\s+)((?:my|our|i|i'm|im|we|we're)\s.+)$`)

// answersAndTells takes an answer with a clause behind it that tells something of its own,
// and says whether it was that.
func (g *grouping) answersAndTells(text string) bool {
	if g.spoken || g.question == "" || len(text) > 200 {
		return false
	}
	m := answerThen.FindStringSubmatch(text)
	if m == nil || !g.answers(m[1]) {
		return false
	}
	answered, beside, short := slotOfAnswer(g.question, m[1]), slotOf(m[2]), yesOrNo(wordsOf(m[1]))
	if answered.name == "" || answered.negated || short && beside.name == answered.name || !g.wholeClause(m[2]) || hangs.MatchString(m[2]) ||
		beside.name == "" && !(short && g.tells(m[2])) {
		return false
	}
	g.sentence(m[1])
	g.sentence(m[2])
	return true
}

// agrees takes "yes, that's right" behind an assistant's "You live in Rome.", which was no
// question, and says whether it was that.
func (g *grouping) agrees(text string) bool {
	if g.spoken || g.shallow || g.question != "" || len(g.heard) == 0 || len(text) > 60 || !confirms.MatchString(text) && !plainYes.MatchString(text) {
		return false
	}
	asker := g.heard[len(g.heard)-1]
	if asker.Role != memd.RoleAssistant || len(asker.Text) > recalledText {
		return false
	}
	m := youDoOnly.FindStringSubmatch(lastLine(asker.Text))
	if m == nil {
		return false
	}
	says := "I " + strings.Replace(m[3], "are ", "am ", 1)
	if m[2] != "" {
		says = "I am " + m[3]
	}
	a := slotOf(says)
	if a.name == "" {
		return false
	}
	g.out = append(g.out, statement{text: strings.TrimRight(text, " .!") + " (said before: " + m[1] + ")", slot: a, words: countWords(text) + countWords(m[1]), with: asker})
	g.spoken, g.asked, g.adjacent = true, "", true
	return true
}

// lastLine is the last line of a text.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

var (
	plainYes = english(`^(?:yes|yep|yup|yeah|yea)(?:[\s,.!]+(?:i|we) (?:do|am|are|have))?\W*$`)
	// youDoOnly is a statement about who is spoken to, and no more, at the end of a text.
	youDoOnly = english(`(?:^|[.!?]\s+)((?:(?:so|ah|oh|ok|okay|right|and|then|` + recalling + `)[\s,]*)*you(?: |('re ))((?:are|live|work|have|like|love|study|eat|drink|speak|play|drive|own|hate|prefer)?\b[^,;.!?]{2,60}))[.!]*$`)
)
