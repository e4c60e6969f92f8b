package extract

import (
	"slices"
	"testing"

	"github.com/memdhq/memd"
)

// toldAfter gives what is told in answer to a question, each with what it is about.
func toldAfter(t *testing.T, question, text string) (all []string) {
	t.Helper()
	var before []memd.Message
	if question != "" {
		before = []memd.Message{assistant(question)}
	}
	for _, c := range extracted(t, before, user(text)) {
		all = append(all, c.Text+" ["+holds(c)+"]")
	}
	return all
}

func TestIntroductions(t *testing.T) {
	for _, c := range []struct {
		question, text string
		want           []string
	}{
		{"Tell me about yourself.", "Tom, 30, from Leeds", []string{"(I'm) Tom [name=Tom]", "(I'm) 30 [age=30]", "(I'm) from Leeds [home=Leeds]"}},
		{"Hi! Tell me a bit about yourself", "Anna, 28, nurse, Berlin", []string{"(I'm) Anna [name=Anna]", "(I'm) 28 [age=28]", "(I'm) nurse [role=nurse]", "(I'm in) Berlin [home=Berlin]"}},
		{"Who am I talking to?", "Tom, nurse from Leeds.", []string{"(I'm) Tom [name=Tom]", "(I'm) nurse [role=nurse]", "(I'm) from Leeds [home=Leeds]"}},
		{"", "I'm Tom, 30, from Leeds", []string{"I'm Tom [name=Tom]", "(I'm) 30 [age=30]", "(I'm) from Leeds [home=Leeds]"}},
		// Nothing of the kind:
		{"Tell me about yourself.", "Tom, tired, from work", nil},
		{"", "Tom, 30, from Leeds", []string{"Tom, 30, from Leeds []"}},
		{"", "I'm Tom, and I like tea", []string{"I'm Tom []", "I like tea [taste:tea]"}},
		{"Who won?", "Tom, 30, from Leeds", nil},
	} {
		got := toldAfter(t, c.question, c.text)
		if c.want == nil {
			if slices.ContainsFunc(got, func(s string) bool { return s == "(I'm) Tom [name=Tom]" }) {
				t.Errorf("%q, %q: %q", c.question, c.text, got)
			}
		} else if !slices.Equal(got, c.want) {
			t.Errorf("%q, %q: %q, want %q", c.question, c.text, got, c.want)
		}
	}
}

func TestWhatQuestionsTellByTheWay(t *testing.T) {
	for text, want := range map[string][]string{
		"Since I'm vegan, what can I eat in Berlin?":                 {"I'm vegan [diet=vegan]"},
		"As a nurse, how do I calm a patient?":                       {"(I'm) a nurse [role=nurse]"},
		"as a vegan what can I eat?":                                 nil,
		"As a vegan, what can I eat?":                                {"(I'm) a vegan [diet=vegan]"},
		"What can I eat in Berlin as a vegan?":                       {"(I'm) a vegan [diet=vegan]"},
		"My son is allergic to nuts, what snacks can I give him?":    {"My son is allergic to nuts [son|allergy:nuts]"},
		"What can I cook for my daughter who is lactose intolerant?": {"my daughter who is lactose intolerant [daughter|allergy:lactose]"},
		"What can I cook for my sister who's allergic to nuts?":      {"my sister who's allergic to nuts [sister|allergy:nuts]"},
		"I'm 34 and live in Leeds, which gyms are good?":             {"I'm 34 [age=34]", "(I) live in Leeds [home=Leeds]"},
		"As a nurse, how would you calm a patient?":                  nil,
		"As a nurse, what does one earn?":                            nil,
		"What should I give him as a nurse?":                         nil,
		"What can I eat as a snack?":                                 nil,
		"If I lived as a vegan, what could I eat?":                   nil,
		"As an example, how do I write a loop?":                      nil,
		"What do you call somebody who is allergic to nuts?":         nil,
		"Could you act as a nurse and tell me what to do?":           nil,
		"Imagine I work as a nurse, what could I earn as a nurse?":   nil,
	} {
		if got := toldAfter(t, "", text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestBareNumbersAnswer(t *testing.T) {
	for _, c := range []struct{ question, text, want string }{
		{"How many kids do you have?", "3", "number of children=3"}, {"How many kids do you have?", "Three!", "number of children=three"}, {"How many children do you have?", "none", "number of children=no"},
		{"Do you have any siblings?", "2", "number of siblings=2"}, {"How many cats do you have?", "two of them", "number of cats=two"}, {"How old are you?", "34", "age=34"}, {"How tall are you?", "1.80", "height=1.80"}, {"What's your shoe size?", "42", "shoe size=42"},
		{"Any allergies?", "peanuts", "allergy:peanuts"}, {"Any allergies?", "nope", ""}, {"Any allergies?", "none", ""},
		{"How many kids are coming to the party?", "3", ""}, {"How many eggs do you need?", "3", ""}, {"Do you have kids?", "no", ""},
	} {
		got := extracted(t, []memd.Message{assistant(c.question)}, user(c.text))
		for _, g := range got {
			if g.Text == c.text { // "nope" tells nothing by itself
				t.Errorf("%q, %q: %q", c.question, c.text, g.Text)
			}
			if holds(g) != c.want && !(c.want == "" && g.Negated) {
				t.Errorf("%q, %q: %s, want %s", c.question, c.text, holds(g), c.want)
			}
		}
		if c.want != "" && len(got) != 1 {
			t.Errorf("%q, %q: %q", c.question, c.text, texts(got))
		}
	}
}
