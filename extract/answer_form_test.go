package extract

import (
	"testing"

	"github.com/memdhq/memd"
)

func TestAnswersInTheFormAskedFor(t *testing.T) {
	for _, test := range []struct {
		question, answer string
		want             []string
	}{
		{"What are your pronouns?", "they/them", []string{"pronouns=they/them"}},
		{"Which pronouns should I use for you?", "she/her please", []string{"pronouns=she/her"}},
		{"Which languages do you speak?", "Polish and German", []string{"language:polish", "language:german"}},
		{"What should I call you?", "Boss", []string{"called=Boss"}},
		{"What should I call you?", "just Mo is fine", []string{"called=Mo"}},
		{"So you're still in Lucca?", "Pisa actually", []string{"home=Pisa"}},
		{"Are you still living in Lucca?", "No, Pisa now", []string{"home=Pisa"}},
		{"Do you still work at Bosch?", "nope, SAP now", []string{"work=SAP"}},
		{"Are you vegetarian?", "No I'm not", []string{"!diet=vegetarian"}},
		{"Do you have kids?", "Yep, two of them", []string{"number of children=two"}},
		{"How many kids do you have?", "three now", []string{"number of children=three"}},
		{"Do you have any pets?", "Yep, two cats", []string{"number of cats=two"}},
		{"How long have you lived in Ghent?", "since 2019", []string{"home=Ghent"}},
		{"How long have you been working at Bosch?", "about six years", []string{"work=Bosch"}},
		{"Are you married?", "yep, since 2019", []string{"marital status=married"}},
		{"How old is your son?", "he just turned 6", []string{"son|age=6"}},
		{"How old is Milo now?", "he just turned 6 yesterday", []string{"milo|age=6"}},
		{"Do you prefer tea or coffee?", "neither", []string{""}},
		// What is no answer in that form, or states nothing:
		{"Would you like me to send you a reminder?", "yes please", nil},
		{"Should I add it to the list?", "yes please", nil},
		{"What should I call you?", "whatever", nil},
		{"What should I call the file?", "Boss", nil},
		{"Which languages do you speak?", "why do you ask?", nil},
		{"What are your pronouns?", "why?", nil},
		{"Have you been to Lucca?", "Pisa actually", []string{""}},
		{"Do you like Lucca?", "Pisa actually", []string{""}},
		{"How old is your son?", "old enough", []string{""}},
		{"Do you have any pets?", "Yep, two bikes", []string{"number of bikes=two"}},
	} {
		var got []string
		for _, c := range extracted(t, []memd.Message{assistant(test.question)}, user(test.answer)) {
			got = append(got, holds(c))
		}
		if len(got) != len(test.want) {
			t.Errorf("%q, %q: %q, want %q", test.question, test.answer, got, test.want)
			continue
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%q, %q: %q, want %q", test.question, test.answer, got, test.want)
			}
		}
	}
}
