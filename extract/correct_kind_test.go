package extract

import (
	"testing"

	"github.com/memdhq/memd"
)

// correctable are statements with what can be wrong in them and what is right.
var correctable = []struct{ said, wrong, right string }{
	{"I live in Lisbon", "Lisbon", "Porto"},
	{"My name is Marc", "Marc", "Mark"},
	{"I'm 34", "34", "35"},
	{"I work at Siemens", "Siemens", "Bosch"},
	{"My birthday is June 12", "June 12", "July 12"},
	{"my daughter is called Ana", "Ana", "Anna"},
	{"my dog Rex is a labrador", "labrador", "beagle"},
	{"My favorite color is green", "green", "blue"},
	{"I take 50mg of sertraline", "50mg", "100mg"},
	{"my email is tom@exmaple.org", "tom@exmaple.org", "tom@example.org"},
	{"my flight to Tokyo is on May 3", "May 3", "May 4"},
	{"my sister lives in Berlin", "Berlin", "Bern"},
	{"We got married in 2016", "2016", "2015"},
	{"I have two kids", "two", "three"},
}

// What is of another kind than what it would replace puts nothing right.
func TestNoCorrections(t *testing.T) {
	answer := assistant("Here is the draft: the meeting starts at 6pm in Berlin with Tom, background green.")
	for _, c := range correctable {
		for _, text := range []string{
			"*sigh*", "*laughs*", "*hugs*", "I mean it", "I mean, whatever", "I mean Spotify", "I mean Paris Hilton lol", "actually it's late", "actually it's fine", "actually it's Monday",
			"actually 5 of them", "actually it's Paul calling, brb", "no, I meant the song", "no, I meant your last answer", "no, I meant London time", "not today, maybe tomorrow",
			"not now, later", "not you, him", "not Tom, the other guy", "not Anna, Lisa called", "sorry, what?", "sorry, wrong chat", "wait, it's Monday?", "typo: teh -> the",
			"make it 3 not 4", "sorry, 7pm not 6pm for the pizza order", "correction: the capital of Turkey is Ankara", "no, blue for the background", "hmm not that, try orange",
			"no, use the other one", "sorry, the train", "I made a mistake, it's late", "I was wrong, it's raining", "haha no, Paul was right", "I wrote Java but it's Python",
			"I said tomorrow but it's Monday", "did I say Tuesday? I meant the report", "sorry, 12, I need 12 copies", "no, make it purple", "Paris with an s", "I put Anna but it's Lisa who called",
		} {
			for _, before := range [][]memd.Message{{user(c.said)}, {user(c.said), answer}} {
				for _, got := range extracted(t, before, user(text)) {
					if got.Forget && got.Text != answer.Text[:len(answer.Text)-1] || len(got.Sources) > 1 {
						t.Errorf("%q after %q: %q %v, forget %v", text, c.said, got.Text, got.Sources, got.Forget)
					}
				}
			}
		}
	}
	for said, text := range map[string]string{
		"my favorite color is red":    "hmm not red, try orange",
		"My brother Tom is a lawyer":  "not Tom, the other guy",
		"I'm vegan":                   "not vegan, just a salad please",
		"My favourite band is Portis": "no, I meant the drummer",
	} {
		for _, got := range extracted(t, []memd.Message{user(said)}, user(text)) {
			if got.Forget {
				t.Errorf("%q after %q: %q is forgotten", text, said, got.Text)
			}
		}
	}
}
