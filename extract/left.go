package extract

import (
	"context"
	"strings"

	"github.com/memdhq/memd"
)

// What the rules leave may be worth keeping all the same, to somebody who understands it.

// Clean is the function of the same name, with secrets if r keeps them.
func (r *Rules) Clean(text string) string {
	text, _ = cleaned(context.Background(), text, r.KeepSecrets) // its only error is its context's
	return text
}

// Left gives what the users' messages of in state beside what Extract keeps: that which
// is of the moment only, or told too little to be kept by itself. Some of what Extract
// keeps is among it. What asks, commands, is handed over or is small talk states nothing
// here either. The only error is Unavailable, soon after ctx ends.
func (r *Rules) Left(ctx context.Context, in Input) ([]memd.Candidate, error) {
	h := hearing{rules: r, names: participants(in)}
	for i := range in.Before {
		h.hear(&in.Before[i])
	}
	var out []memd.Candidate
	for i := range in.Messages {
		m := &in.Messages[i]
		if m.Role != memd.RoleUser {
			h.hear(m)
			continue
		}
		all, err := h.left(ctx, m)
		if err != nil {
			return nil, ended(err)
		}
		for position, s := range all {
			out = append(out, s.candidate(m, position))
		}
		h.hear(m)
	}
	return out, nil
}

// left gives what a message states, whether or not that is worth keeping.
func (h *hearing) left(ctx context.Context, m *memd.Message) ([]statement, error) {
	text, err := cleaned(ctx, m.Text, h.rules.KeepSecrets)
	if err != nil {
		return nil, err
	}
	if !h.rules.KeepSecrets {
		text, _ = h.redactor.hide(m, text)
	}
	g := grouping{
		hearing: h, ctx: ctx, message: m,
		english: isEnglish(text), said: m.SaidAt(),
		names: without(h.names, wordsOf(m.Name)), judged: map[string]judgement{}, parted: map[string][]clausePart{},
	}
	pieces, err := split(ctx, dropQuoted(text))
	if err != nil {
		return nil, err
	}
	var given handover
	for _, p := range pieces {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p.kind == caption || given.takes(p, g.english, !g.spoken) {
			continue
		}
		g.leave(p.text)
	}
	return finish(ctx, g.out, h.rules.KeepSecrets)
}

// leave adds what a sentence states.
func (g *grouping) leave(text string) {
	did, said := g.judge(text)
	if did != states || strings.TrimSpace(said) == "" || wholeQuote.MatchString(text) {
		g.spoken = g.spoken || did != chats
		g.adjacent = false
		return
	}
	for _, part := range g.clauses(said) {
		g.add(part.text, g.adjacent && g.leans(part.text), part.slot)
		g.adjacent = true
	}
	g.spoken = true
}
