package longterm

import (
	"testing"

	"github.com/memdhq/memd/lexical"
)

// What is asked to be forgotten of the speaker's own reaches what they said of themselves, and
// nothing of others.
func TestForgettingOnesOwn(t *testing.T) {
	sandra, paul := bond{"ex", "sandra"}, bond{"ex", "paul"}
	for _, c := range []struct {
		subject string
		known   []bond
		in, not []string
	}{
		{"my dog", nil,
			[]string{"My dog barks", "My old black dog barks", "I have a dog called Rex", "We've got two cats and a dog", "I walk my dog at 6", "Our dog is ill", "I'm scared of my dog"},
			[]string{"My sister has a dog called Max", "I'm allergic to dog hair", "I was bitten by a dog as a child", "Her dog barks", "My mother's dog barks", "I work at a dog shelter", "I have a dog allergy", "Tom has a dog", "I like hot dog stands"}},
		{"my cat", nil, []string{"I adopted a cat", "my cat is called Tilly"}, []string{"my mom has a cat called Pip", "my sister and her cat moved", "a cat sat on the wall"}},
		{"my diabetes", nil,
			[]string{"I have diabetes", "diagnosed with diabetes in May", "My diabetes is getting worse", "My doctor says I have diabetes", "Diabetes since 2010", "My brother and I have diabetes", "I take pills for diabetes"},
			[]string{"My dad has diabetes", "Tom has diabetes", "my father's diabetes is bad", "my sister, who has diabetes, bakes", "She got diabetes last year"}},
		{"my allergic", nil, []string{"I'm allergic to eggs", "allergic to nuts"}, []string{"My son is allergic to nuts", "He is allergic to nuts"}},
		{"my address", nil, []string{"My address is 12 Elm Street", "my home address is 12 Elm Street", "I told Tom my address"}, []string{"my mother's address is 4 Oak Road", "my email address is a@b.org", "his address is 4 Oak Road"}},
		{"my email", nil, []string{"my email is a@b.org", "my work email is a@b.org"}, []string{"I hate email", "my boss's email is c@d.org"}},
		{"my car", nil, []string{"I drive a red car", "My car is blue", "we bought a car"}, []string{"my wife's car is blue", "I was hit by a car", "I run a car wash"}},
		{"my house", nil, []string{"I own a house in Devon", "we own a house"}, []string{"my parents own a house in Kent", "I'm at a house party"}},
		{"my trip", nil, []string{"I'm planning a trip to Peru", "my trip to Peru"}, []string{"my brother is on a trip to Chile"}},
		{"my school", nil, []string{"my school is St Mary"}, []string{"my kids' school is called Oak"}},
		{"my locker code", nil, []string{"My locker code is 8812"}, []string{"My son's locker code is 11", "the code is 5"}},
		{"my ex", []bond{sandra}, []string{"my ex Sandra lives in Rome", "Sandra called me", "my ex is called Sandra"}, []string{"Sandra Bullock is my favorite actress", "my sister Sandra is a nurse"}},
		{"paul", []bond{paul}, []string{"my ex Paul is a liar", "Paul lies", "I saw Paul on Monday", "my ex Paul Miller lies"}, []string{"Paul McCartney is my favorite singer", "I'm from Sao Paulo"}},
		{"paul", nil, []string{"Paul Miller owes me money"}, nil},
		{"my sister", nil, []string{"my sister's dog barks"}, []string{"my wife's sister is called Ida"}},
	} {
		n := namingOf(c.subject, c.known, false)
		for _, text := range c.in {
			if !n.reaches(lexical.Canonical(text), "", text) {
				t.Errorf("%s with %v: not in %q", c.subject, c.known, text)
			}
		}
		for _, text := range c.not {
			if n.reaches(lexical.Canonical(text), "", text) {
				t.Errorf("%s with %v: in %q", c.subject, c.known, text)
			}
		}
	}
	if namingOf("my ex", []bond{sandra}, false).reaches("my sister sandra is a nurse", "sandra", "my sister Sandra is a nurse") {
		t.Error("a sister of the same name")
	}
	// Of whom the slot of a statement is, it is.
	for of, want := range map[string]bool{"": true, "son": false} {
		if got := namingOf("my allergic", nil, false).reaches("am allergic to nuts", of); got != want {
			t.Errorf("of %q: %v", of, got)
		}
	}
}
