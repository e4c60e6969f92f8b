package longterm

import (
	"slices"
	"strings"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
)

// Shown gives what a message may still be quoted with: its text without the sentences that say
// what was taken away of it, or any that cannot be told from these; and of what others than the
// user said, without those that say back what was taken away of the user. What a user says
// again counts as new.
func (a Account) Shown(message int64, role memd.Role, text string) string {
	of := a.Of[message]
	echoes := role != memd.RoleUser && len(a.away)+len(of.answered) > 0
	switch {
	case of.hushed:
		return ""
	case !echoes && len(of.taken) == 0:
		return text
	}
	text, beyond := cut(text, bytesTold)
	if len(of.taken) > 0 {
		beyond = ""
	}
	pieces := extract.Pieces(text)
	terms := make([][][]int32, len(pieces))
	for i, p := range pieces {
		for _, s := range p.Sentences {
			terms[i] = append(terms[i], saidTerms(s))
		}
	}
	for _, t := range of.taken {
		if !slices.ContainsFunc(terms, func(piece [][]int32) bool { return slices.ContainsFunc(piece, t.says) }) {
			return "" // it cannot be told which sentence it was
		}
	}
	hides := func(terms []int32) bool {
		return slices.ContainsFunc(of.taken, func(t away) bool { return t.common(terms) > 0 }) ||
			echoes && (slices.ContainsFunc(a.away, func(t away) bool { return t.says(terms) }) ||
				slices.ContainsFunc(of.answered, func(t away) bool { return t.hasWord(terms) }))
	}
	if !slices.ContainsFunc(terms, func(piece [][]int32) bool { return slices.ContainsFunc(piece, hides) }) {
		return text + beyond
	}
	shown := leftText{marks: role != memd.RoleUser}
	for i, p := range pieces {
		switch {
		case !slices.ContainsFunc(terms[i], hides):
			shown.add(p.Text)
		case p.Whole && len(p.Sentences) > 0 && role != memd.RoleUser:
			shown.leave()
		default:
			for k, s := range p.Sentences {
				if !hides(terms[i][k]) {
					shown.add(s)
					continue
				}
				parts := a.besides(s, of, echoes)
				if len(parts) == 0 || !strings.HasPrefix(s, parts[0]) {
					shown.leave()
				}
				for _, p := range parts {
					shown.add(p)
				}
				if len(parts) > 0 && !strings.HasSuffix(s, parts[len(parts)-1]) {
					shown.leave()
				}
			}
		}
		shown.endLine()
	}
	shown.add(beyond)
	return shown.text()
}

// leftMark stands for what is left out of a message of others than the user, who are to know that
// it is not all they said.
const leftMark = "[…]"

// leftText is what is left of a text.
type leftText struct {
	marks  bool
	pieces []string
	some   bool // beside marks
	line   bool // the next piece begins a line
}

func (l *leftText) add(piece string) {
	if piece = strings.TrimRight(piece, " \n"); strings.TrimSpace(piece) == "" {
		return
	}
	l.some = true
	l.put(piece)
}

func (l *leftText) put(piece string) {
	if n := len(l.pieces); n > 0 {
		l.pieces = append(l.pieces, map[bool]string{true: "\n", false: " "}[l.line])
	}
	l.pieces, l.line = append(l.pieces, piece), false
}

// leave marks that something is left out.
func (l *leftText) leave() {
	if n := len(l.pieces); l.marks && (n == 0 || l.pieces[n-1] != leftMark) {
		l.put(leftMark)
	}
}

func (l *leftText) endLine() { l.line = true }

// text is all that is left, "" if that is nothing but marks.
func (l *leftText) text() string {
	if !l.some {
		return ""
	}
	return strings.TrimSpace(strings.Join(l.pieces, ""))
}

// besides gives the parts of a sentence that is not shown which have no word of why it is not.
func (a Account) besides(sentence string, of Told, echoes bool) (left []string) {
	parts := extract.Parts(sentence)
	if len(parts) < 2 {
		return nil
	}
	for _, p := range parts {
		terms := saidTerms(p)
		tells := func(t away) bool { return t.common(terms) > 0 }
		echo := func(t away) bool { return t.hasWord(terms) || t.says(terms) }
		if !slices.ContainsFunc(of.taken, tells) && !(echoes && (slices.ContainsFunc(a.away, echo) || slices.ContainsFunc(of.answered, echo))) {
			left = append(left, p)
		}
	}
	return left
}

// Instead gives what is told of a message in its place: what may be shown of it, behind what is
// remembered of it in other words than its own, as where a person rewrote it.
func (a Account) Instead(message int64, role memd.Role, text string) string {
	text = a.Shown(message, role, text)
	of := a.Of[message]
	if !of.Taken {
		return text
	}
	var sentences [][]int32
	for _, s := range extract.Sentences(text, len(text)) {
		sentences = append(sentences, termsOf(ungrouped(s)))
	}
	var told []string
	for _, l := range of.Left {
		statement := awayOf(l.Text)
		if l.Role == string(role) && !a.SaysBackIn(message, l.Role, l.Text) && !slices.ContainsFunc(sentences, statement.says) {
			told = append(told, l.Text)
		}
	}
	return strings.TrimSpace(strings.Join(append(told, text), " "))
}

// bytesTold is how much of a message is compared with what was taken away.
const bytesTold = 64 << 10

// cut gives a text in two, the first of at most n bytes.
func cut(text string, n int) (before, after string) {
	if len(text) <= n {
		return text, ""
	}
	before = strings.ToValidUTF8(text[:n], "")
	return before, text[len(before):]
}
