package extract

import "github.com/memdhq/memd"

// Read gives what a text that somebody wrote as one statement is about by itself, as the
// rules see it: the slot, subject, value, polarity and categories of a candidate of a role.
// Nothing was said before it and nothing is asked of it.
func Read(role memd.Role, text string) memd.Candidate {
	s := statement{text: text, slot: slotOf(text), words: countWords(text)}
	c := s.candidate(&memd.Message{Role: role, Text: text}, 0)
	return memd.Candidate{Text: text, Role: role, Slot: c.Slot, Subject: c.Subject, Value: c.Value, Negated: c.Negated, Categories: c.Categories}
}
