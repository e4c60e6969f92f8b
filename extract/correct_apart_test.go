package extract

import (
	"slices"
	"testing"

	"github.com/memdhq/memd"
)

// What is said behind "scratch that" puts right what it can stand in; else it is a statement of
// its own, and what was said before stays as it was said.
func TestNoMemoryIsGluedOfTwoSentences(t *testing.T) {
	for _, c := range []struct {
		before, text string
		want         []string
	}{
		{"I live in Quedlinburg.", "Scratch that, Dr Zwick is not my dentist.", []string{"Dr Zwick is not my dentist"}},
		{"I work at Bosch. Which lamp is good?", "Scratch that, I meant next week.", nil},
		{"I love opera. Please sort the list.", "Scratch that, sort the other list first.", nil},
		{"I live in Soest.", "Scratch that, I work at Bosch.", []string{"I work at Bosch"}},
		{"I have a cat called Miso", "Scratch that, the train leaves at nine", []string{"the train leaves at nine"}},
		// What does stand in it puts it right.
		{"I live in Soest.", "Scratch that, Hamm.", []string{"forget I live in Soest", "I live in Hamm"}},
		{"I live in Soest.", "Scratch that, I meant Hamm.", []string{"forget I live in Soest", "I live in Hamm"}},
		{"My flight is on Monday.", "Scratch that, Tuesday.", []string{"forget My flight is on Monday (2024-03-04)", "My flight is on Tuesday (2024-03-05)"}},
		{"I have two cats.", "Scratch that, three.", []string{"forget I have two cats", "I have three cats"}},
		{"I love opera.", "Scratch that, ballet.", []string{"forget I love opera", "I love ballet"}},
	} {
		before := user(c.before)
		before.ID = 5
		var got []string
		for _, a := range extracted(t, []memd.Message{before}, user(c.text)) {
			if a.Forget {
				got = append(got, "forget "+a.Text)
			} else {
				got = append(got, a.Text)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q after %q gives %q, want %q", c.text, c.before, got, c.want)
		}
	}
}
