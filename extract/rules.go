package extract

import (
	"context"
	"slices"

	"github.com/memdhq/memd"
)

// RulesVersion is what Rules calls itself in an Extraction. It is raised when the
// same message would give other candidates.
const RulesVersion = "rules/8"

// Input is a run of messages of one session.
type Input struct {
	// Before is what was said before, oldest first. It is context only: nothing is
	// extracted from it, but it may be a source of what is said now (a question of
	// its answer).
	Before []memd.Message
	// Messages are those to extract from, in order.
	Messages []memd.Message
}

// Rules extracts by rules alone. Its zero value is ready; it has no state and may
// be used by many goroutines at once.
type Rules struct {
	// KeepSecrets leaves secrets in the texts of candidates; else each gives way to a
	// mark such as "[redacted:key]".
	KeepSecrets bool
}

// NewRules gives the extractor that needs no model.
func NewRules() *Rules { return &Rules{} }

// Extract gives the statements of in.Messages in order. Messages of other roles
// than user and assistant give none. Of each message the first MaxText bytes are
// looked at; if one is longer, Extractor ends in CutMark. The only error is
// Unavailable, soon after ctx ends.
func (r *Rules) Extract(ctx context.Context, in Input) (memd.Extraction, error) {
	out := memd.Extraction{Extractor: RulesVersion + CutMark(in.Messages)}
	h := hearing{rules: r, names: participants(in)}
	for i := range in.Before {
		h.hear(&in.Before[i])
	}
	for i := range in.Messages {
		m := &in.Messages[i]
		if !m.Role.Learnable() {
			continue
		}
		all, err := h.statements(ctx, m)
		if err != nil {
			return memd.Extraction{}, ended(err)
		}
		for position, s := range all {
			out.Candidates = append(out.Candidates, s.candidate(m, position))
		}
		h.hear(m)
	}
	if err := ctx.Err(); err != nil {
		return memd.Extraction{}, ended(err)
	}
	return out, nil
}

// candidate makes a candidate of a statement of a message.
func (s statement) candidate(m *memd.Message, position int) memd.Candidate {
	if m.Role == memd.RoleUser && !s.forget && !s.posed {
		s.slot = s.lateSlot().anchored(s.text).orEnding(s.text)
	}
	c := memd.Candidate{
		Text: s.text, Role: m.Role, ActorID: m.Name,
		Slot: s.slot.name, Subject: s.slot.subject, Value: s.slot.value, Negated: s.slot.negated,
		Forget: s.forget, Slip: s.slip, Categories: s.slot.categories(),
		SaidAt: m.CreatedAt, OccurredAt: s.when.instant(), Sources: []int64{m.ID}, Position: position,
	}
	if s.with != nil && s.with.ID != m.ID {
		c.Sources = []int64{s.with.ID, m.ID}
		for _, also := range s.also {
			c.Sources = append(c.Sources, also.ID)
		}
		slices.Sort(c.Sources)
		c.Sources = slices.Compact(c.Sources)
		if c.Corrects = s.corrects && c.Sources[len(c.Sources)-1] == m.ID; !c.Corrects && c.Sources[0] == s.with.ID {
			c.SaidAt = s.with.CreatedAt
		}
	}
	return c
}

func ended(err error) error {
	return &memd.Error{Kind: memd.Unavailable, Op: "extract.rules", Msg: "extraction was ended", Err: err}
}

// participants gives the names of those who speak, as they may be addressed.
func participants(in Input) map[string]bool {
	names := map[string]bool{}
	for _, messages := range [][]memd.Message{in.Before, in.Messages} {
		for _, m := range messages {
			for _, w := range wordsOf(m.Name) {
				names[w.low] = true
			}
		}
	}
	return names
}
