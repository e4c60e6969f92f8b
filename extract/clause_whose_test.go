package extract

import "testing"

// What is told behind the mention of somebody may be told of them, and gives the subject nothing.
func TestWhatIsToldOfAnotherIsNotTheSubjects(t *testing.T) {
	tells(t, map[string][]string{
		"I'm married to Tom, a firefighter":                                                       {"I'm married to Tom, a firefighter [marital status=married]"},
		"I'm married to a nurse, vegan and proud":                                                 {"I'm married to a nurse, vegan and proud [marital status=married]"},
		"I'm living with my boyfriend, a chef, in Graz":                                           {"I'm living with my boyfriend, a chef, in Graz [lives with:partner]"},
		"my sister is married to Tom, a firefighter":                                              {"my sister is married to Tom, a firefighter [sister|marital status=married]"},
		"I have a husband, a nurse, and a dog":                                                    {"I have a husband, a nurse, and a dog [has:husband]"},
		"I love my dog Rex, a beagle, and my cat":                                                 {"I love my dog Rex, a beagle, and my cat [taste:my dog rex]"},
		"I'm vegan, my wife isn't, and allergic to nuts":                                          {"I'm vegan, my wife isn't, and allergic to nuts [diet=vegan]"},
		"I'm married to Tom. A firefighter.":                                                      {"I'm married to Tom. A firefighter [marital status=married]"},
		"My sister is 30. Vegan.":                                                                 {"My sister is 30. Vegan [sister|age=30]"},
		"I'm divorced from Ben, a lawyer and allergic to cats":                                    {"I'm divorced from Ben, a lawyer and allergic to cats [marital status=divorced]"},
		"I'm a teacher and my wife's a nurse and allergic to cats":                                {"I'm a teacher and my wife's a nurse and allergic to cats [role=teacher]"},
		"I'm dating Leo, a cop, and his brother is a thief and allergic to dogs":                  {"I'm dating Leo, a cop [partner=Leo]", "(Leo's) brother is a thief and allergic to dogs"},
		"I'm writing a novel btw, the hero is called Max, he's a smuggler and allergic to silver": {"I'm writing a novel btw, the hero is called Max, he's a smuggler and allergic to silver [in the middle of:novel]"},
		"As a vegan, what can my sister eat?":                                                     nil,
		"My mother is ill. I take care of her. Allergic to nuts.":                                 {"My mother is ill", "I take care of her. Allergic to nuts"},
		// What is surely the subject's is theirs.
		"I'm married to Pia and allergic to cats":           {"I'm married to Pia [marital status=married]", "(I'm) allergic to cats [allergy:cats]"},
		"I'm married to Pia, a nurse, and allergic to cats": {"I'm married to Pia, a nurse [marital status=married]", "(I'm) allergic to cats [allergy:cats]"},
		"I live with Tom, a nurse, and work at Siemens":     {"I live with Tom, a nurse [lives with:tom]", "(I) work at Siemens [work=Siemens]"},
		"As a vegan, what can I cook for my sister?":        {"(I'm) a vegan [diet=vegan]"},
		"I'm Tom, a firefighter":                            {"I'm Tom [name=Tom]", "(I'm) a firefighter [role=firefighter]"},
		"I'm 45, a nurse and allergic to nuts":              {"I'm 45 [age=45]", "(I'm) a nurse [role=nurse]", "(I'm) allergic to nuts [allergy:nuts]"},
		"I have a dog called Rex and a cat":                 {"I have a dog called Rex [pet:rex]", "(I have) a cat [has:cat]"},
	})
}

// A word that is put to who listens is no part of what is told.
func TestAWordHungOnIsNoValue(t *testing.T) {
	tells(t, map[string][]string{
		"I'm allergic to nuts, remember?":                   {"I'm allergic to nuts [allergy:nuts]"},
		"never forget that I'm allergic to penicillin, ok?": {"I'm allergic to penicillin [allergy:penicillin]"},
		"I'm allergic to nuts and eggs, ok?":                {"I'm allergic to nuts [allergy:nuts]", "(I'm allergic to) eggs [allergy:eggs]"},
		"I speak French, got it?":                           {"I speak French [language:french]"},
		"I'm allergic to nuts, shellfish":                   {"I'm allergic to nuts [allergy:nuts]", "(I'm allergic to) shellfish [allergy:shellfish]"},
	})
}
