package extract

import "testing"

// What is told of one somebody in one breath is told apart, so that one may end without the others.
func TestEachPredicateStandsForItself(t *testing.T) {
	tells(t, map[string][]string{
		"I'm vegan and allergic to nuts":                                      {"I'm vegan [diet=vegan]", "(I'm) allergic to nuts [allergy:nuts]"},
		"I'm vegan, allergic to nuts and live in Rome":                        {"I'm vegan [diet=vegan]", "(I'm) allergic to nuts [allergy:nuts]", "(I) live in Rome [home=Rome]"},
		"I'm vegan because I'm allergic to milk":                              {"I'm vegan because I'm allergic to milk [diet=vegan]", "I'm allergic to milk [allergy:milk]"},
		"I'm 34 and diabetic":                                                 {"I'm 34 [age=34]", "(I'm) diabetic [health:diabetic]"},
		"I'm a 34-year-old diabetic":                                          {"I'm a 34-year-old [age=34]", "(I'm a) diabetic [health:diabetic]"},
		"I'm a vegan nurse":                                                   {"I'm a vegan [diet=vegan]", "(I'm a) nurse [role=nurse]"},
		"I'm a nurse and a mother of two":                                     {"I'm a nurse [role=nurse]", "(I'm) a mother of two"},
		"I live in Rome (and have asthma)":                                    {"I live in Rome [home=Rome]", "(I) have asthma [health:asthma]"},
		"I live in Rome but work in Milan":                                    {"I live in Rome [home=Rome]", "(I) work in Milan"},
		"I have a cat and am allergic to dogs":                                {"I have a cat [has:cat]", "(I) am allergic to dogs [allergy:dogs]"},
		"My birthday is May 4, my wife's is May 5":                            {"My birthday is May 4 [birthday=May 4]", "my wife's (birthday) is May 5 [partner|birthday=May 5]"},
		"my son Leo is 7 and allergic to nuts":                                {"my son Leo is 7 [leo|age=7]", "(my son Leo is) allergic to nuts [leo|allergy:nuts]"},
		"my mom lives in Rome and has diabetes":                               {"my mom lives in Rome [mother|home=Rome]", "(my mom) has diabetes [mother|health:diabetes]"},
		"my wife Emma is a nurse and loves gardening":                         {"my wife Emma is a nurse [emma|role=nurse]", "(my wife Emma) loves gardening [emma|taste:gardening]"},
		"I moved to Rome with my son Leo, who has asthma":                     {"I moved to Rome with my son Leo [home=Rome]", "(my son Leo) has asthma [leo|health:asthma]"},
		"I live in Rome since my heart attack last year":                      {"I live in Rome since my heart attack last year (2023) [home=Rome]", "(I had) my heart attack last year (2023)"},
		"We have a beagle called Biscuit, he's three, and a cat called Olive": {"We have a beagle called Biscuit [pet:biscuit]", "(We have) a cat called Olive [pet:olive]", "(Biscuit is) three [pet:biscuit]"},
		// Of a sentence behind another:
		"My dog Rex is 3. He is allergic to chicken":              {"My dog Rex is 3 [rex|age=3]", "(My dog Rex) is allergic to chicken [rex|allergy:chicken]"},
		"My boss Max lives in Rome. He hates me. He's 50":         {"My boss Max lives in Rome [max|home=Rome]", "(My boss Max) hates me", "(My boss Max is) 50 [max|age=50]"},
		"my son Leo is 7 and my daughter Mia is 5. He has asthma": {"my son Leo is 7 [leo|age=7]", "my daughter Mia is 5 [mia|age=5]", "(my son Leo) has asthma [leo|health:asthma]"},
		"I live in Rome. My knee hurts":                           {"I live in Rome [home=Rome]", "My knee hurts [health:knee]"},
		"I live in Rome. Diabetic for years":                      {"I live in Rome [home=Rome]", "(I'm) Diabetic for years [health:diabetic]"},
		"I live in Rome. Two kids":                                {"I live in Rome [home=Rome]", "(I have) Two kids [number of children=two]"},
		"I live in Rome. Tom snores":                              {"I live in Rome [home=Rome]", "Tom snores"},
		// What hangs together stays together.
		"I work at IBM and have to travel a lot":                 {"I work at IBM and have to travel a lot [work=IBM]"},
		"I'm allergic to cats and have been since birth":         {"I'm allergic to cats and have been since birth [allergy:cats]"},
		"I live in Rome and Milan":                               {"I live in Rome and Milan [home=Rome]"},
		"My dog Rex is 3 and a half":                             {"My dog Rex is 3 and a half [rex|age=3]"},
		"I'm vegan and so is my wife":                            {"I'm vegan and so is my wife [diet=vegan]"},
		"I'm vegan and proud of it":                              {"I'm vegan and proud of it [diet=vegan]"},
		"I'm vegetarian and have been for years":                 {"I'm vegetarian and have been for years [diet=vegetarian]"},
		"I live in Rome and love it":                             {"I live in Rome and love it [home=Rome]"},
		"I'm a 34-year-old woman":                                {"I'm a 34-year-old woman [age=34]"},
		"I live in Rome (near the river)":                        {"I live in Rome (near the river) [home=Rome]"},
		"I live in Rome because my wife works there":             {"I live in Rome because my wife works there [home=Rome]"},
		"I live in Rome with my wife, who hates it":              {"I live in Rome with my wife, who hates it [home=Rome]"},
		"I live in Rome. Great views":                            {"I live in Rome. Great views [home=Rome]"},
		"I'm vegan. No exceptions":                               {"I'm vegan. No exceptions [diet=vegan]"},
		"My sister lives in Rome. She loves it there":            {"My sister lives in Rome. She loves it there [sister|home=Rome]"},
		"My mom lives in Rome. He is 5":                          {"My mom lives in Rome. He is 5 [mother|home=Rome]"},
		"My wife Emma is a nurse. Her mom is ill. She is in Ulm": {"My wife Emma is a nurse [emma|role=nurse]", "(My wife Emma's) mom is ill. She is in Ulm"},
	})
}

// tells checks the statements that a message gives, each with what it is about.
func tells(t *testing.T, cases map[string][]string) {
	t.Helper()
	for text, want := range cases {
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
