package extract

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/memdhq/memd"
)

// What the rules leave may be worth keeping all the same, to somebody who understands it: a
// language model chooses among all that a message states. What was left because it is not meant
// or not to be kept (played, handed over, told in confidence, taken back, put right, asked to be
// forgotten) is not among it, whoever chooses.

// Sifted is a statement of a message for somebody who chooses among them.
type Sifted struct {
	memd.Candidate
	// Kept says that Extract gives it, too.
	Kept bool
	// Was are the words that its speaker put right by it, "" for none: who tells these means it.
	Was string
	// Stands says that it is no matter of choice: it puts right what was said in an earlier message,
	// where what was wrong goes.
	Stands bool
	// Ends says that it denies something or says that it is over, Ordered that its speaker asked
	// for it to be remembered.
	Ends, Ordered bool
}

// Clean is the function of the same name, with secrets if r keeps them.
func (r *Rules) Clean(text string) string {
	text, _ = cleaned(context.Background(), text, r.KeepSecrets) // its only error is its context's
	return text
}

// Sift gives what the messages of in state, in order: what Extract gives, and of users what is
// of the moment only, or told too little to be kept by itself. Some of what is kept comes again
// as it was said. What asks, commands or is small talk states nothing here either. The only error
// is Unavailable, soon after ctx ends.
func (r *Rules) Sift(ctx context.Context, in Input) ([]Sifted, error) {
	h := hearing{rules: r, names: participants(in)}
	for i := range in.Before {
		h.hear(&in.Before[i])
	}
	var out []Sifted
	for i := range in.Messages {
		m := &in.Messages[i]
		if !m.Role.Learnable() {
			continue
		}
		all, err := h.sift(ctx, m)
		if err != nil {
			return nil, ended(err)
		}
		out = append(out, all...)
		h.hear(m)
	}
	if err := ctx.Err(); err != nil {
		return nil, ended(err)
	}
	return out, nil
}

// fate is what a sifting found out of a statement.
type fate struct {
	// piece is the piece of the message by which it came to what it is.
	piece int
	was   string
	// stands and ordered are as in Sifted, denies says that it begins by denying what was asked.
	stands, ordered, denies bool
}

// with is the fate of two statements that are joined.
func (f fate) with(o fate) fate {
	f.was = strings.TrimSpace(f.was + "\n" + o.was)
	f.stands, f.ordered, f.denies = f.stands || o.stands, f.ordered || o.ordered, f.denies || o.denies
	return f
}

// sifting follows the pieces of a message to the statements that become of them. Nil follows
// nothing.
type sifting struct {
	pieces []piece
	// left says of each piece that whether it is worth keeping is a matter of choice.
	left []bool
	// poses says of each piece that it may be of what was asked for.
	poses []bool
	// seen are the statements so far, as they were when the piece before had been taken.
	seen []seen
	g    *grouping
}

type seen struct {
	text, was string
	forget    bool
	// of are the pieces that it was made of.
	of []int
}

func (s *sifting) begins(g *grouping, pieces []piece) {
	if s != nil {
		s.g, s.pieces, s.left, s.poses = g, pieces, make([]bool, len(pieces)), make([]bool, len(pieces))
	}
}

// corrected notes that a whole message is a correction.
func (s *sifting) corrected(out []statement, text string) {
	if s == nil {
		return
	}
	for k := range out {
		out[k].fate.was = text
		out[k].fate.stands = slices.ContainsFunc(out, func(o statement) bool { return o.forget })
	}
}

// took notes what became of the i-th piece.
func (s *sifting) took(g *grouping, i int, confided bool) {
	if s == nil {
		return
	}
	amends, jests := g.amends, g.jests
	g.amends, g.jests = false, false
	text := s.pieces[i].text
	n := len(s.seen)
	k := max(0, n-1)
	if amends || confided || len(g.out) < n {
		k = 0
	}
	fresh := n
	for ; k < n; k++ {
		was := &s.seen[k]
		if k >= len(g.out) {
			s.strike(was.of)
			fresh = min(fresh, k)
			continue
		}
		now := &g.out[k]
		switch {
		case now.text == was.text && now.forget == was.forget:
		case !amends && !now.forget && strings.HasPrefix(now.text, was.text):
			was.text, was.of = now.text, append(was.of, i)
		default:
			s.strike(was.of)
			was.was = strings.TrimSpace(was.was + "\n" + was.text + "\n" + text)
			was.text, was.forget, was.of = now.text, now.forget, append(was.of, i)
			now.fate.piece, now.fate.was = i, was.was
		}
	}
	s.seen = s.seen[:min(n, len(g.out))]
	forgets := false
	for k := len(s.seen); k < len(g.out); k++ {
		now := &g.out[k]
		now.fate = fate{piece: i, ordered: bidsRemember.MatchString(text), denies: now.with != nil && deniesAsked.MatchString(text)}
		s.seen = append(s.seen, seen{text: now.text, forget: now.forget, of: []int{i}})
		forgets = forgets || now.forget
	}
	if amends && forgets {
		for k := fresh; k < len(g.out); k++ {
			g.out[k].fate.stands = true
		}
	}
	s.poses[i] = g.posing
	s.left[i] = !amends && !confided && !jests
	if i > 0 && amends && !slices.ContainsFunc(s.seen, func(was seen) bool { return slices.Contains(was.of, i-1) }) {
		s.left[i-1] = false // it may be what is taken back
	}
}

// strike has pieces be no matter of choice any more.
func (s *sifting) strike(pieces []int) {
	for _, i := range pieces {
		s.left[i] = false
	}
}

var (
	// bidsRemember asks for what follows to be remembered.
	bidsRemember = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?|i(?: want|'d like| would like| need) you to\s+)?(?:remember|(?:keep|bear) (?:this |it )?in mind|(?:don't|do not|never|please don't) (?:ever )?forget|make a note|take note|note|memori[sz]e|save|store)(?:\s+(?:about me|for (?:me|later|next time|future reference)|this|down))*[,:]?\s+(?:that\s+|this:\s+)?\S`)
	// saysOver says in the words of the statement that something is over.
	saysOver = english(`\b(?:no longer|any ?more|any longer)\b`)
	// deniesAsked begins an answer by denying what was asked.
	deniesAsked = english(`^` + lightWords + `(?:no|nope|nah|not)\b`)
)

// Struck gives the sentences of in.Messages of which nothing may be kept, whoever chooses: for
// who reads a message in parts, which do not show that. The only error is Unavailable, soon
// after ctx ends.
func (r *Rules) Struck(ctx context.Context, in Input) ([]string, error) {
	h := hearing{rules: r, names: participants(in)}
	for i := range in.Before {
		h.hear(&in.Before[i])
	}
	var out []string
	for i := range in.Messages {
		m := &in.Messages[i]
		if m.Role == memd.RoleUser {
			s := &sifting{}
			if _, err := h.sifted(ctx, m, s); err != nil {
				return nil, ended(err)
			}
			told := map[int]bool{}
			for _, was := range s.seen {
				for _, i := range was.of {
					told[i] = told[i] || !was.forget
				}
			}
			for i, p := range s.pieces {
				if !s.left[i] && !told[i] {
					out = append(out, p.text)
				}
			}
		}
		h.hear(m)
	}
	return out, nil
}

// sift gives what a message states, by whose choice ever.
func (h *hearing) sift(ctx context.Context, m *memd.Message) ([]Sifted, error) {
	var s *sifting
	if m.Role == memd.RoleUser {
		s = &sifting{}
	}
	all, err := h.sifted(ctx, m, s)
	if err != nil {
		return nil, err
	}
	kept := len(all)
	if s != nil && s.g != nil {
		left, err := s.rest(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, left...)
	}
	var out []Sifted
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[a].fate.piece, all[b].fate.piece) })
	for position, i := range order {
		each := Sifted{Candidate: all[i].candidate(m, position), Kept: i < kept, Was: all[i].fate.was, Ordered: all[i].fate.ordered}
		if each.Kept {
			each.Stands = each.Forget || each.Corrects || all[i].fate.stands
			each.Ends = m.Role == memd.RoleUser && !each.Forget && each.Slot != "" && (each.Negated || all[i].fate.denies || saysOver.MatchString(each.Text))
		}
		out = append(out, each)
	}
	return out, nil
}

// rest gives what the pieces state that are a matter of choice, kept or not.
func (s *sifting) rest(ctx context.Context) ([]statement, error) {
	g := grouping{
		hearing: s.g.hearing, ctx: ctx, message: s.g.message,
		english: s.g.english, said: s.g.said,
		names: s.g.names, judged: map[string]judgement{}, parted: map[string][]clausePart{},
	}
	for i, p := range s.pieces {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p.kind == caption {
			continue
		}
		if !s.left[i] {
			g.spoken, g.adjacent, g.asked = true, false, ""
			continue
		}
		n := len(g.out)
		g.posing = s.poses[i]
		g.leave(p.text)
		for k := n; k < len(g.out); k++ {
			g.out[k].fate.piece = i
			if g.posing {
				g.out[k].pose()
			}
		}
	}
	return finish(ctx, g.out, s.g.rules.KeepSecrets)
}

// leave adds what a sentence states.
func (g *grouping) leave(text string) {
	did, said := g.judge(text)
	if did != states || strings.TrimSpace(said) == "" || wholeQuote.MatchString(text) {
		g.spoken = g.spoken || did != chats
		g.adjacent = false
		return
	}
	parts := []clausePart{{text: said}}
	if !g.posing {
		parts = g.clauses(said)
	}
	for _, part := range parts {
		g.add(part.text, g.adjacent && g.leans(part.text), part.slot)
		g.adjacent = true
	}
	g.spoken = true
}
