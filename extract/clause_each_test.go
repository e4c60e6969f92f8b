package extract

import (
	"slices"
	"testing"
)

func TestEachOfARowIsParted(t *testing.T) {
	for text, want := range map[string][]string{
		"I have a dog called Rex, a cat called Mia and two hamsters": {"I have a dog called Rex [pet:rex]", "(I have) a cat called Mia [pet:mia]", "(I have) two hamsters [number of hamsters=two]"},
		"I have a wife, two kids and a dog":                          {"I have a wife [has:wife]", "(I have) two kids [number of children=two]", "(I have) a dog [has:dog]"},
		"I like apples, pears and plums":                             {"I like apples [taste:apples]", "(I like) pears [taste:pears]", "(I like) plums [taste:plums]"},
		"I love sushi, ramen and mac and cheese":                     {"I love sushi [taste:sushi]", "(I love) ramen [taste:ramen]", "(I love) mac and cheese"},
		"I hate olives, anchovies, and capers":                       {"I hate olives [!taste:olives]", "(I hate) anchovies [!taste:anchovies]", "(I hate) capers [!taste:capers]"},
		"I'm Dana, I live in Haifa and I have a cat":                 {"I'm Dana", "I live in Haifa [home=Haifa]", "I have a cat [has:cat]"},
		"I live in Haifa with my cat Mimi and my severe nut allergy": {"I live in Haifa [home=Haifa]", "(I have) my cat Mimi [pet:mimi]", "(I have) my severe nut allergy [allergy:nut]"},
		"I live in Bonn with my wife and two kids":                   {"I live in Bonn with my wife [home=Bonn]", "(I have) two kids [number of children=two]"},
		"I'm a teacher in Bonn with two kids":                        {"I'm a teacher [role=teacher]", "(I'm) in Bonn", "(I have) two kids [number of children=two]"},
		"I like Berlin, sushi and cats":                              {"I like Berlin [taste:berlin]", "(I like) sushi [taste:sushi]", "(I like) cats [taste:cats]"},
		"I have a black and white cat":                               {"I have a black and white cat [has:cat]"},
		"I have a black and white cat called Mia":                    {"I have a black and white cat called Mia [pet:mia]"},
		// What hangs together stays together.
		"I love Earth, Wind and Fire":                {"I love Earth, Wind and Fire"},
		"I love Crosby, Stills and Nash":             {"I love Crosby, Stills and Nash"},
		"i love earth, wind & fire":                  {"i love earth, wind & fire"},
		"I love lock, stock and two smoking barrels": {"I love lock, stock and two smoking barrels"},
		"I like pizza, but not pineapple":            {"I like pizza, but not pineapple"},
		"I love hiking, especially in the Alps":      {"I love hiking, especially in the Alps [taste:hiking]"},
		"I live in Bonn with my girlfriend":          {"I live in Bonn with my girlfriend [home=Bonn]"},
		"I live in Rome, I love it":                  {"I live in Rome, I love it [home=Rome]"},
		"I have two cats, Mia and Leo":               {"I have two cats, Mia and Leo [number of cats=two]"},
		"I like fish and chips":                      {"I like fish and chips"},
		"I love soup and spicy food":                 {"I love soup and spicy food"},
		"I love Simon and Garfunkel":                 {"I love Simon and Garfunkel"},
		"I like hiking and swimming":                 {"I like hiking [taste:hiking]", "(I like) swimming [taste:swimming]"},
		"I work with a cat and two dogs in a shop":   {"I work with a cat and two dogs in a shop"},
	} {
		var got []string
		for _, c := range extracted(t, nil, user(text)) {
			said := c.Text
			if held := holds(c); held != "" {
				said += " [" + held + "]"
			}
			got = append(got, said)
		}
		if quoted(got) != quoted(want) {
			t.Errorf("%q\n gives %s\n want  %s", text, quoted(got), quoted(want))
		}
	}
}

func TestEachOfATeamAndOfTheHobbies(t *testing.T) {
	for text, want := range map[string][]string{
		"Priya leads backend, Tom does QA":          {"Priya leads backend", "Tom does QA"},
		"Priya leads backend and Tom does QA":       {"Priya leads backend", "Tom does QA"},
		"my hobbies are climbing, baking and chess": {"my hobbies are climbing", "(my hobbies are) baking", "(my hobbies are) chess"},
		"my hobbies are what keeps me sane":         {"my hobbies are what keeps me sane"},
	} {
		if got := texts(extracted(t, nil, user(text))); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
