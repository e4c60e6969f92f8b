package assemble

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/shortterm"
)

// carriedLine is something that an earlier session has left open.
type carriedLine struct {
	// id is the message's, 0 of a summary.
	id   int64
	role string
	name string
	text string
	// whole says that it is all of the message, cleared that its secrets are taken out already.
	whole, cleared bool
	// place orders lines by when they were said; step is how far down it stands in the order of
	// what matters most.
	place, step int
	// last says that it is of the last turn of the nearest session, open that it has not settled.
	last, open bool
}

// candidate is the line at a place among those carried over. What matters more comes first,
// whoever said it, and of the last turn the end stays too: it may ask.
func (l carriedLine) candidate(at int) candidate {
	return candidate{at: at, message: l.id, role: l.role, name: l.name, text: l.text, cleared: l.cleared, ends: l.last, tier: tierOf(l.step, l.role)}
}

// What of a session matters most, in steps.
const (
	stepLast = iota
	stepSummary
	stepBefore
	stepOpen
	steps
)

// speakerOfSummary is who a model's summary is said by.
const speakerOfSummary = "summary"

const (
	// carriedTurns is how many turns of the nearest session are carried over word for
	// word; carriedQuestions and carriedPlans are how many sentences of each session.
	carriedTurns     = 2
	carriedQuestions = 3
	carriedPlans     = 6
	// bytesLookedAt bounds in how much text these are looked for.
	bytesLookedAt = 256 << 10
)

// carryOver chooses what of the sessions before this one, the latest first, is open: in
// the order of how much it matters. That is what was said last, whatever it says; a
// model's summary; the turn before the last; and of what is older the questions that were
// not answered, and what was decided or is planned. It goes back no farther than to have
// enough bytes.
func carryOver(past []shortterm.Past, enough int, secrets secrets) []carriedLine {
	var all []carriedLine
	bytes, looks := 0, bytesLookedAt
	taken := map[int64]bool{}
	place := 0
	for i, p := range past {
		if bytes > enough {
			break
		}
		had := len(all)
		place -= len(p.Entries)*maxSentences + 1 // an earlier session stands before a later one
		var spoken []shortterm.Entry
		for _, e := range p.Entries {
			if mayBeCarried(e) {
				spoken = append(spoken, e)
			}
		}
		whole := func(from, to, step int) {
			for k := to - 1; k >= from; k-- { // what was said last matters most
				if e := spoken[k]; !taken[e.ID] && (step == stepLast || e.Role != memd.RoleTool) {
					taken[e.ID] = true
					said := saidOf(e)
					all = append(all, carriedLine{id: e.ID, role: string(e.Role), name: e.Name, text: said.words(), whole: true,
						place: place + 1 + k*maxSentences, step: i*steps + step, last: step == stepLast, open: said.open})
				}
			}
		}
		from, before := len(spoken), len(spoken)
		if i == 0 {
			from = turnsBack(spoken, 1)
			before = turnsBack(spoken, carriedTurns)
			whole(from, len(spoken), stepLast)
		}
		if p.Summary != nil {
			all = append(all, carriedLine{role: speakerOfSummary, text: p.Summary.Text, whole: true, place: place, step: i*steps + stepSummary})
		}
		whole(before, from, stepBefore)
		first := before
		for first > 0 && looks > 0 {
			first--
			looks -= len(spoken[first].Text)
		}
		questions, plans := openSentences(spoken[first:before], secrets)
		for _, found := range [][]sentenceOf{questions, plans} {
			for _, s := range slices.Backward(found) {
				at := first + s.message
				e := spoken[at]
				all = append(all, carriedLine{id: e.ID, role: string(e.Role), name: e.Name, text: s.text, cleared: true,
					place: place + 1 + at*maxSentences + s.at, step: i*steps + stepOpen})
			}
		}
		for _, l := range all[had:] {
			bytes += min(len(l.text), enough/lineShare+1) // the rest of a long one must not keep others out
		}
	}
	return all
}

// mayBeCarried says whether a message says or does something, and does not instruct the model.
func mayBeCarried(e shortterm.Entry) bool {
	return (e.Role.Learnable() || e.Role == memd.RoleTool) && saidOf(e).words() != ""
}

// turnsBack gives where the last n turns begin.
func turnsBack(entries []shortterm.Entry, n int) int {
	for i, e := range slices.Backward(entries) {
		if e.Role == memd.RoleUser {
			if n--; n == 0 {
				return i
			}
		}
	}
	return 0
}

// maxSentences and bytesOfSentences bound how much of a message is looked at.
const (
	maxSentences     = 64
	bytesOfSentences = 16 << 10
)

// sentenceOf is a sentence of a message: its place among the sentences of that, and the
// message's among the entries.
type sentenceOf struct {
	message, at int
	text        string
}

// openSentences finds the last questions that nobody answered, and the last decisions and
// plans, in order, without secrets.
func openSentences(entries []shortterm.Entry, secrets secrets) (questions, plans []sentenceOf) {
	for i, e := range entries {
		asked, planned := openIn(e.Role, e.Text, answered(entries[i+1:]))
		if len(asked)+len(planned) > 0 {
			// What says that a sentence tells a secret may be the one before.
			read, _ := cutAt(e.Text, bytesOfSentences+bytesBeyond)
			s := said{id: e.ID, role: e.Role, name: e.Name, text: read}
			if secrets.clear(&s); s.text != read {
				asked, planned = openIn(e.Role, s.text, answered(entries[i+1:]))
			}
		}
		for _, found := range [][]sentenceOf{asked, planned} {
			for k := range found {
				found[k].message = i
			}
		}
		questions, plans = append(questions, asked...), append(plans, planned...)
	}
	return questions[max(0, len(questions)-carriedQuestions):], plans[max(0, len(plans)-carriedPlans):]
}

// openIn finds the questions in a text, unless they were answered, and the decisions and plans.
func openIn(role memd.Role, text string, answered bool) (questions, plans []sentenceOf) {
	for at, text := range sentencesOf(text) {
		switch {
		case asks(text):
			if role == memd.RoleUser && !answered {
				questions = append(questions, sentenceOf{at: at, text: text})
			}
		case !hinted(text):
		case role == memd.RoleUser && (decides.MatchString(text) || intends.MatchString(text)),
			role == memd.RoleAssistant && (decides.MatchString(text) || undertakes.MatchString(text)):
			plans = append(plans, sentenceOf{at: at, text: text})
		}
	}
	return questions, plans
}

// answered says whether somebody spoke before the user did again.
func answered(after []shortterm.Entry) bool { return len(after) > 0 && after[0].Role != memd.RoleUser }

// asks says whether a sentence ends as a question.
func asks(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, " )\"'”»!.…"))
	return last == '?' || last == '？' || last == '؟'
}

// Signs of what was decided, of what someone is about to do, and of what the assistant
// has taken upon itself.
var (
	decides = anyOf(
		`let'?s (?:go (?:with|for)|do|use|take|keep|make it|meet|start with|stick (?:with|to)|book)`, `(?:we|i)(?:'ve| have|'ll| will)? (?:decided|agreed|settled on|chose|picked|opted)`,
		`(?:we|i)(?:'ll| will|'m going to| are going to|'re going to)? (?:go|stick|stay) with`, `that'?s (?:decided|settled|agreed|a deal)`, `it'?s a deal`, `agreed`, `the plan is`, `final (?:decision|choice|answer)`, `next steps?`, `to-?do`, `action items?`,
		`decidimos|decidí|hemos decidido|quedamos en|acordamos`, `on a décidé|nous avons décidé|j'ai décidé|c'est décidé|on part sur`, `(?:wir haben|ich habe|haben wir|habe ich) (?:[^ .]+ ){0,8}(?:entschieden|beschlossen|vereinbart)|abgemacht`, `decidimos|decidi|combinado|ficou combinado`)
	intends = anyOf(
		`(?:i|we)(?:'m| am|'re| are) (?:going to|gonna|about to|planning|leaving|flying|meeting|moving|starting)`, `(?:i|we)(?:'ll| will| shall| must| have to| need to| want to|'d like to)`, `i plan to|we plan to`, `(?:by|on|until|before|next) (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)`, `tomorrow|tonight|next (?:week|month|year)`, `deadline|due (?:on|by|date)|appointment|scheduled for|booked`,
		`voy a|vamos a|tengo que|tenemos que|mañana`, `je vais|on va|il faut que|demain`, `ich werde|wir werden|ich muss|wir müssen|morgen`, `vou |vamos |tenho que|temos que|amanhã`)
	undertakes = anyOf(`i(?:'ll| will|'ve|'m going to| have) (?:send|sent|book|booked|order|ordered|schedule|scheduled|remind|set|call|write|email|prepare|reserve|reserved|cancel|cancelled|add|added|note|noted)`)
)

// hints are what these have in them: looking for them first is many times as fast.
var hints = []string{"let's", "lets", "decided", "agreed", "settled", "chose", "picked", "opted", "go with", "stick with", "stay with", "a deal", "plan", "final ", "next ",
	"to-do", "todo", "action item", "decidi", "decidí", "quedamos", "acordamos", "décidé", "on part sur", "entschieden", "beschlossen", "vereinbart", "abgemacht", "combinado",
	"'m ", " am ", "'re ", " are ", "'ll", " will", " shall", " must", " have ", " need to", " want to", "'d like", "day", "tomorrow", "tonight", "deadline", "due ", "appointment", "booked", "scheduled",
	"voy a", "vamos ", "tengo que", "tenemos que", "mañana", "je vais", "on va", "il faut", "demain", "ich werde", "wir werden", "ich muss", "wir müssen", "morgen", "vou ", "tenho que", "temos que", "amanhã",
	"i've", "決", "予定", "つもり", "决定", "打算", "计划", "明天", "明日", "قرر", "سوف", "غد"}

// hinted says whether a text may have a sign of a decision or a plan.
func hinted(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(hints, func(h string) bool { return strings.Contains(text, h) })
}

// anyOf matches any of the patterns as whole words, or what East Asian and Arabic texts
// say for a decision or a plan, which are not parted by blanks.
func anyOf(patterns ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^\pL\pN])(?:` + strings.Join(patterns, `|`) + `)(?:$|[^\pL\pN])|決め|決定|予定|つもり|決まり|决定|打算|计划|明天|明日|قررنا|قررت|سوف|غدا|غدًا`)
}

// sentencesOf cuts the beginning of a text into sentences.
func sentencesOf(text string) []string {
	text, _ = cutAt(text, bytesOfSentences)
	return extract.Sentences(text, maxSentences)
}

// cutAt gives a text in two, the first of at most n bytes.
func cutAt(text string, n int) (before, after string) {
	if len(text) <= n {
		return text, ""
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n], text[n:]
}
