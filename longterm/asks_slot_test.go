package longterm

import (
	"testing"
	"time"
)

func TestQuestionsAskForSlots(t *testing.T) {
	for _, c := range []struct {
		question, slot, subject string
		want                    bool
	}{
		{"where do i live", "home", "", true}, {"Where do I live now?", "home", "", true}, {"What city do we live in?", "home", "", true}, {"Where am I based?", "home", "", true}, {"where’s my home?", "home", "", true},
		{"Where does my sister live?", "home", "sister", true}, {"Where does my mum live?", "home", "mother", true}, {"Where does Aitor live?", "home", "aitor", true},
		{"Where do I work?", "work", "", true}, {"What do I do for a living?", "role", "", true}, {"How old am I?", "age", "", true}, {"What's my name?", "name", "", true}, {"Am I married?", "marital status", "", true}, {"Who is my wife?", "partner", "", true},
		{"Who did I work for in 2019?", "work", "", true}, {"What was my previous job?", "work", "", true}, {"Where was I living?", "home", "", true},
		{"What am I allergic to?", "allergy:nuts", "", true}, {"What is my dog called?", "pet:rex", "", true}, {"Who do I live with?", "lives with:ana", "", true},
		{"Where does my sister live?", "home", "", false}, {"Where does Aitor live?", "home", "sister", false}, {"Where do I work?", "home", "", false}, {"Where did I put my keys?", "home", "", false}, {"What is live music?", "home", "", false},
		{"I live for this", "home", "", false}, {"How old is the cheese?", "pet:rex", "", false}, {"Where do I live?", "", "", false},
	} {
		if got := askedBy(c.question, time.Time{}).asksFor(c.slot, c.subject, aboutSelf.MatchString(c.question)); got != c.want {
			t.Errorf("%q asks for %q of %q: %v", c.question, c.slot, c.subject, got)
		}
	}
}
