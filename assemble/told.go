package assemble

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/shortterm"
	"github.com/sourcegraph/conc/panics"
)

// told is what became of what was learned from messages.
type told struct {
	longterm.Account
	// asked says that somebody asked, unknown that it could not be found out.
	asked, unknown bool
	secrets        secrets
}

// told asks about the messages of earlier sessions and those that are open, and if own says so
// about those of this one of which nothing may have been learned. What is certainly shown is not
// looked at. recall is how the memories are asked for that the messages are quoted beside.
func (a *Assembler) told(ctx context.Context, tenant string, recall longterm.Query, w windowRead, own bool, certain []int64) (told, error) {
	asked := longterm.Telling{Scope: recall.Scope, Filters: recall.Filters}
	if own {
		for _, s := range slices.Concat(w.before, w.shown) {
			if s.silent && !slices.Contains(certain, s.id) {
				asked.Messages = append(asked.Messages, s.id)
			}
		}
	}
	for _, p := range w.past {
		for _, e := range p.Entries {
			if mayBeCarried(e) {
				asked.Messages = append(asked.Messages, e.ID)
			}
		}
	}
	if len(asked.Messages) == 0 && !slices.ContainsFunc(w.open, func(s said) bool { return s.role != memd.RoleUser }) {
		return told{}, nil
	}
	t, err := a.ask(ctx, tenant, asked)
	for _, p := range w.past {
		answer(t.Account, p.Entries, func(e shortterm.Entry) (int64, memd.Role) { return e.ID, e.Role })
	}
	here := slices.Concat(w.before, w.read, w.open)
	slices.SortFunc(here, func(a, b said) int { return cmp.Compare(a.id, b.id) })
	answer(t.Account, here, func(s said) (int64, memd.Role) { return s.id, s.role })
	return t, err
}

// answer has what others said behind a message of the user answer that; messages are
// chronological.
func answer[M any](account longterm.Account, messages []M, of func(M) (int64, memd.Role)) {
	asked := int64(0)
	for _, m := range messages {
		id, role := of(m)
		if role == memd.RoleUser {
			asked = id
		} else if asked != 0 {
			account.Answers(asked, id)
		}
	}
}

// replies is what became of the messages that others answer.
type replies struct {
	longterm.Account
	// asked has for a message the one of the user that it answers.
	asked map[int64]int64
}

// replies asks about the messages that what others than the user are remembered to have said
// answers: only where something was taken away.
func (a *Assembler) replies(ctx context.Context, tenant string, scope memd.Scope, account told, hits []longterm.Hit, earlier []memd.Memory) (replies, error) {
	var said []int64
	if account.TookAway() {
		for _, h := range hits {
			earlier = append(slices.Clone(earlier), h.Memory)
		}
		for _, m := range earlier {
			if m.Role != string(memd.RoleUser) && !m.Pinned {
				said = append(said, m.Sources...)
			}
		}
	}
	if len(said) == 0 {
		return replies{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, a.cfg.RecallTimeout)
	defer cancel()
	asked, err := a.log.Answered(ctx, tenant, scope.UserID, said)
	if err != nil {
		return replies{}, err
	}
	of, err := a.ask(ctx, tenant, longterm.Telling{Scope: scope, Messages: slices.Collect(maps.Values(asked))})
	return replies{of.Account, asked}, err
}

// saysBack says whether a memory answers what was taken away, and has a word of that.
func (r replies) saysBack(m memd.Memory) bool {
	return slices.ContainsFunc(m.Sources, func(id int64) bool {
		asked, ok := r.asked[id]
		return ok && r.SaysBackTo(asked, m.Role, m.Memory)
	})
}

// ask is told about what is asked.
func (a *Assembler) ask(ctx context.Context, tenant string, asked longterm.Telling) (told, error) {
	ctx, cancel := context.WithTimeout(ctx, a.cfg.RecallTimeout)
	defer cancel()
	t := told{asked: true}
	var err error
	if p := panics.Try(func() { t.Account, err = a.store.Told(ctx, tenant, asked) }); p != nil {
		err = p.AsError()
	}
	t.unknown = err != nil
	return t, err
}

// quotable gives messages as they may be quoted, with what was learned from them. What has
// settled is not, while nobody can tell what of it was taken away.
func (t told) quotable(messages []said) []said {
	messages = slices.Clone(messages)
	for i := range messages {
		switch s := &messages[i]; {
		case t.unknown:
			s.silent = false
		case s.silent:
			t.leave(s, s.earlier)
			s.silent = s.words() != "" || len(s.learned) > 0
		case s.open:
			t.show(s)
		}
	}
	return messages
}

// leave leaves of a message what may be shown of it, and notes what was learned from it: what has
// ended is not shown, nor what was taken away, also where it is said back. filtered has what
// recall is not to give stand in no other place.
func (t told) leave(s *said, filtered bool) {
	of := t.Of[s.id]
	if len(of.Ended)+len(of.Left) > 0 {
		t.secrets.clear(s)
	}
	text := s.text
	hidden := slices.Clone(of.Ended)
	for _, l := range of.Left {
		if t.SaysBackIn(s.id, l.Role, l.Text) {
			continue // no memory stands for it, and what says it is not shown
		}
		if filtered && l.Excluded {
			hidden = append(hidden, l.Text)
		} else {
			s.learned = append(s.learned, l)
		}
	}
	t.show(s)
	// What has ended and was taken away too is not looked for any more.
	hidden = slices.DeleteFunc(hidden, func(h string) bool { return s.text != text && states(text, h) && !states(s.text, h) })
	s.text = unlearned(s.text, nil, hidden)
	s.does, s.marks = t.Shown(s.id, s.role, s.does), t.Shown(s.id, s.role, s.marks)
	s.part = s.text != text
}

// show leaves of the text of a message what may be shown of it though it says something back.
func (t told) show(s *said) {
	if t.Shown(s.id, s.role, s.text) == s.text {
		return
	}
	t.secrets.clear(s)
	s.text = t.Shown(s.id, s.role, s.text)
}

// past gives earlier sessions without what was to be forgotten or has ended. In the place of a
// message of which that is a part, as when a person took something away or rewrote it, stands
// what is left of it.
func (t told) past(sessions []shortterm.Past) []shortterm.Past {
	sessions = slices.Clone(sessions)
	for i, p := range sessions {
		var left []shortterm.Entry
		for _, e := range p.Entries {
			s := saidOf(e)
			if e.Forgotten() || t.unknown && !s.open {
				continue
			}
			if s.silent || s.open {
				does, marks := s.does, s.marks
				if t.leave(&s, false); s.part || s.does != does || s.marks != marks {
					e.Text, e.Raw = s.rest(nil), nil
				}
			}
			left = append(left, e)
		}
		sessions[i].Entries = left
	}
	return sessions
}
