package extract

import (
	"testing"

	"github.com/memdhq/memd"
)

func TestCounts(t *testing.T) {
	for text, want := range map[string]string{
		"We have four hives": "number of hives=four",
		"I have 12 plants":   "number of plants=12",
		"One hive did not make it over winter, so now three": "number of hives=three",
		"we had another baby, so now three":                  "number of children=three",
		"adopted another cat, that makes four":               "number of cats=four",
		"we got a third dog":                                 "number of dogs=three",
		"I'm down to nine plants":                            "number of plants=nine",
		"our team has six people":                            "how many we are=six",
		"Tom left, we're five now":                           "how many we are=five",
		"I lead a team of six people, Priya does QA":         "how many we are=six",
		"one goat died last night, so now three :(":          "number of goats=three",
		"Priya joined, so we're seven now":                   "how many we are=seven",
		// Where nothing is counted, or another's:
		"so now three of us know about it": "", "I'm five minutes late, that makes three times": "", "my sister had another baby, so now three": "",
		"we live in a three-bedroom flat, so now three rooms to clean": "", "I have two meetings": "", "I have three days": "", "down to two a day": "",
		"I have two plants in the office": "", "we're five minutes away now": "", "Tom left, we're late now": "", "my brother has two bikes": "", "I have two ideas, so now three": "",
	} {
		a := slotOf(text)
		got := a.name
		if a.value != "" {
			got += "=" + a.value
		}
		if a.subject != "" || got != want && !(want == "" && !isCount(a)) {
			t.Errorf("%q: %+v, want %q", text, a, want)
		}
	}
	// A number alone is of what its speaker counted just before.
	for _, c := range []struct{ before, text, want string }{
		{"I have three hens", "the fox got one, down to two", "number of hens=two"},
		{"I have three hens", "so now two", "number of hens=two"},
		{"I live in Rome", "so now two", ""},
		{"I have three hens", "I ate at seven, so now two pizzas later", ""},
	} {
		said := user(c.before)
		said.ID = 5
		held := ""
		for _, x := range extracted(t, []memd.Message{said}, user(c.text)) {
			if isCount(about{name: x.Slot}) {
				held = holds(x)
			}
		}
		if held != c.want {
			t.Errorf("%q, %q: %q, want %q", c.before, c.text, held, c.want)
		}
	}
}

func isCount(a about) bool {
	return a.name == "how many we are" || len(a.name) > 10 && a.name[:10] == "number of "
}

func TestSoldThingsEndTheirCount(t *testing.T) {
	if !endsIt("We have four hives", "we sold the hives") || endsIt("We have four hives", "we sold the hens") {
		t.Error("the hives are still counted, or hens are hives")
	}
}
