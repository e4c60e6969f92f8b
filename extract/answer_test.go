package extract

import (
	"slices"
	"testing"

	"github.com/memdhq/memd"
)

// What a question and its answer are about together.
func TestSlotsOfAnswers(t *testing.T) {
	for _, c := range []struct{ question, answer, want string }{
		{"Where do you live?", "Lisbon.", "home=Lisbon"},
		{"And where are you based?", "in Lisbon, near the river", "home=Lisbon"},
		{"Do you live in Porto?", "Yes.", "home=Porto"},
		{"Do you live in Porto?", "no", "!home=Porto"},
		{"Do you live in Porto?", "No, I live in Faro", "home=Faro"},
		{"Do you still work at Bosch?", "no, I left in May", "!work=Bosch"},
		{"Are you vegetarian?", "Yes", "diet=vegetarian"},
		{"Are you vegetarian?", "No, I'm not", "!diet=vegetarian"},
		{"Do you smoke?", "no, never have", "!habit:smoke"},
		{"Do you like spicy food?", "not really", "!taste:spicy food"},
		{"Do you like spicy food?", "love it!", "taste:spicy food"},
		{"Do you like spicy food?", "I can't stand it", "!taste:spicy food"},
		{"What's your name?", "Nadia", "name=Nadia"},
		{"What should I call you?", "Nadi", "called=Nadi"},
		{"How old are you?", "34", "age=34"},
		{"Do you have any food allergies?", "Yes, shellfish.", "allergy:shellfish"},
		{"What's your favorite color?", "Blue", "favorite:color=Blue"},
		{"What's your dog called?", "Waffle", "pet:waffle"},
		{"Where do you work?", "at the city library", "work=the city library"},
		{"When is your birthday?", "4th of August", "birthday=4th of August"},

		{"So you're vegan?", "yes", "diet=vegan"},
		{"You live in Porto, right?", "yep", "home=Porto"},
		{"Where do you live? That way I can check the weather.", "Cork", "home=Cork"},
		{"Do you have any pets?", "I do, a rabbit", ""},
		{"How many kids do you have?", "I have two", "number of children=two"},

		{"Are you on any medication?", "nope", ""},
		{"Do you prefer tea or coffee?", "tea", ""},
		{"Are you vegan or vegetarian?", "yes", ""},
		{"Where do you live?", "I think in Rome", ""},
		{"Where do you work?", "At the moment nowhere", "!work"},
		{"Where do you live?", "nowhere right now", ""},
		{"Where do you live?", "Currently in Lyon", "home=Lyon"},
		{"What's your name?", "Actually it's Anna", "name=Anna"},
		{"What's your favorite color?", "blue and green", "favorite:color=blue"},
	} {
		got := extracted(t, []memd.Message{assistant(c.question)}, user(c.answer))
		if len(got) != 1 || holds(got[0]) != c.want {
			t.Errorf("%q %q: %+v, want %q", c.question, c.answer, got, c.want)
		}
	}
}

// Both messages state it, in whichever order their ids are and if the question came
// in an earlier run.
func TestSourcesOfAnswers(t *testing.T) {
	for _, batch := range [][2][]memd.Message{
		{{assistant("Do you live in Porto?")}, {user("Yes")}},
		{nil, {assistant("Do you live in Porto?"), user("Yes")}},
	} {
		got := extracted(t, batch[0], batch[1]...)
		if len(got) != 1 || !slices.Equal(got[0].Sources, []int64{6, 7}) || got[0].Role != memd.RoleUser {
			t.Errorf("%+v", got)
		}
	}
}
