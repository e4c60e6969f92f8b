package extract

import (
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

// "She" is the person who was told of, not the dog that was told of last.
func TestWhoIsMeantByShe(t *testing.T) {
	for _, c := range []struct {
		said, then string
		before     []string
	}{
		{"(said before: My sister is called Nora)", "she lives in Bonn", []string{"My sister is called Nora", "I have a dog"}},
		{"(said before: My roommate Jan hates cats)", "he works nights at the hospital", []string{"My roommate Jan hates cats. I love cats."}},
		{"(said before: I have a dog)", "she is called Luna", []string{"I have a dog"}},
		{"(said before: My sister is called Nora)", "she lives in Bonn", []string{"My sister is called Nora"}},
	} {
		var before []memd.Message
		for _, text := range c.before {
			before = append(before, user(text))
		}
		got := texts(extracted(t, before, user(c.then)))
		if len(got) != 1 || !strings.Contains(got[0], c.said) {
			t.Errorf("%q, %q: %q", c.before, c.then, got)
		}
	}
}

// What is carried from before is what "he" can be of, without what was carried or asked there; where
// nobody was told of, nothing is.
func TestWhatIsCarried(t *testing.T) {
	for _, c := range []struct {
		said []string // assistants' begin with ">"
		want string
	}{
		{[]string{"My flatmate Nikhil is messy", ">ok", "I'm a barista", ">ok", "he leaves the couch though"}, "he leaves the couch though (said before: My flatmate Nikhil is messy)"},
		{[]string{"I'm a barista", ">ok", "he leaves the couch though"}, "he leaves the couch though"},
		{[]string{"surgery is postponed to april 17, the doctor is sick", ">Good to know.", "She's nervous"}, "She's nervous"},
		{[]string{"My daughter Ellen starts school in August", ">How exciting! Is she nervous?", "a bit. she loves school", ">ok", "she loves dinosaurs"}, "she loves dinosaurs (said before: My daughter Ellen starts school in August)"},
		{[]string{"I bake for my daughter's class on Friday", ">Oat and banana muffins?", "sounds good. her class is 2B at Lindenschule"}, "her class is 2B at Lindenschule"},
		{[]string{"my mom is having cataract surgery", ">ok", "she lives with us"}, "she lives with us (said before: my mom is having cataract surgery)"},
	} {
		var before []memd.Message
		for _, text := range c.said[:len(c.said)-1] {
			if said, ok := strings.CutPrefix(text, ">"); ok {
				before = append(before, assistant(said))
			} else {
				before = append(before, user(text))
			}
		}
		if got := texts(extracted(t, before, user(c.said[len(c.said)-1]))); len(got) != 1 || got[0] != c.want {
			t.Errorf("%q: %q, want %q", c.said, got, c.want)
		}
	}
}

// A bare day of the month follows the day that was told just before, what comes on a day is to come,
// and so is what somebody said may be.
func TestDaysToCome(t *testing.T) {
	for text, want := range map[string]string{
		"staying at the Arlo in Midtown until the 8th": "staying at the Arlo in Midtown until the 8th (2024-05-08)",
		"boss said maybe in september":                 "boss said maybe in september (2024-09)",
		"The plumber comes on Tuesday at 8":            "The plumber comes on Tuesday (2024-03-05) at 8",
		"the movers come on Thursday morning":          "the movers come on Thursday morning (2024-02-29)",
		"The cleaner comes on Tuesdays":                "The cleaner comes on Tuesdays",
	} {
		if got := texts(extracted(t, []memd.Message{user("I land at JFK on May 3 at 7 pm"), assistant("ok")}, user(text))); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := texts(extracted(t, nil, user("I stay there until the 8th"))); len(got) != 1 || !strings.Contains(got[0], "(2024-03-08)") {
		t.Errorf("%q", got)
	}
}
