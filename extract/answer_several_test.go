package extract

import (
	"slices"
	"testing"

	"github.com/memdhq/memd"
)

// Of several questions each answer is to its own; what may be to either is about nothing known.
func TestSeveralQuestionsAtOnce(t *testing.T) {
	for _, c := range []struct {
		question, answer string
		want             []string
	}{
		{"What's your name? Where do you live? Any allergies?", "Otto, Graz, none", []string{"name=Otto", "home=Graz", ""}},
		{"1. What's your name?\n2. Where do you live?\n3. Any allergies?", "1. Otto\n2. Graz\n3. peanuts", []string{"name=Otto", "home=Graz", "allergy:peanuts"}},
		{"1. What's your name?\n2. Where do you live?", "1) Otto 2) Graz", []string{"name=Otto", "home=Graz"}},
		{"Where do you live?\nHow old are you?", "Graz\n34", []string{"home=Graz", "age=34"}},
		{"What's your name? And where do you live?", "sam, Leeds", []string{"name=Sam", "home=Leeds"}},
		{"Do you smoke? Do you drink?", "no", []string{"!habit:smoke", "!habit:drink"}},
		{"Are you vegan? Any allergies?", "yes, nuts", []string{"diet=vegan", "allergy:nuts"}},
		{"What's your favorite color? Mine is blue. Any allergies?", "red", []string{""}},
		{"What's your name? Where do you live? Any allergies?", "Otto", []string{""}},
		// One of them can be meant, or only one is a question of its own.
		{"Have you been to Rome? Where do you live?", "Bonn", []string{"home=Bonn"}},
		{"How are you? Where do you live?", "Bonn", []string{"home=Bonn"}},
		{"Do you have any allergies? Where do you live?", "I live in Bonn", []string{"home=Bonn"}},
	} {
		var got []string
		for _, s := range extracted(t, []memd.Message{assistant(c.question)}, user(c.answer)) {
			got = append(got, holds(s))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q %q: %q, want %q", c.question, c.answer, got, c.want)
		}
	}
}

func TestAnswersThatWereLost(t *testing.T) {
	for _, c := range []struct{ question, answer, text, slot string }{
		{"So where are you based these days?", "still in Ghent, you?", "still in Ghent (asked: So where are you based these days?)", "home=Ghent"},
		{"Who is your doctor?", "Dr. Lee, she's great", "Dr. Lee, she's great (asked: Who is your doctor?)", ""},
		{"Do you prefer Python or Go?", "go", "go (asked: Do you prefer Python or Go?)", ""},
		{"what's your name", "sam", "sam (asked: what's your name)", "name=Sam"},
		{"Please enter your name:", "sam", "sam (asked: Please enter your name:)", "name=Sam"},
	} {
		got := extracted(t, []memd.Message{assistant(c.question)}, user(c.answer))
		if len(got) != 1 || got[0].Text != c.text || holds(got[0]) != c.slot {
			t.Errorf("%q %q: %+v", c.question, c.answer, got)
		}
	}
	check(t, user("Madrid"), []string{"Madrid (asked: And where does she live?) (said before: Ana)"}, assistant("Who's your best friend?"), user("Ana"), assistant("And where does she live?"))
	check(t, user("Madrid"), []string{"Madrid (asked: Where does Eva live?)"}, user("Ana"), assistant("Where does Eva live?"))
	for _, nothing := range [][2]string{{"Shall I go on or stop?", "go"}, {"Is it good or bad?", "you?"}} {
		check(t, user(nothing[1]), nil, assistant(nothing[0]))
	}
}

// A question to several is answered by each; one to nobody in particular by the first.
func TestTwoAnswerTheSameQuestion(t *testing.T) {
	anna, bob := user("Rome"), user("Pisa too")
	anna.Name, bob.Name = "anna", "bob"
	got := extracted(t, []memd.Message{assistant("Where do you both live?"), anna}, bob)
	if len(got) != 1 || holds(got[0]) != "home=Pisa" || got[0].ActorID != "bob" {
		t.Errorf("%+v", got)
	}
	got = extracted(t, []memd.Message{assistant("Where do you live, Anna?"), anna}, bob)
	if len(got) > 0 && holds(got[0]) != "" {
		t.Errorf("%+v: nobody asked bob", got)
	}
}
