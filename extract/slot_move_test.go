package extract

import "testing"

func TestMovesInOtherWords(t *testing.T) {
	for text, want := range map[string]string{
		"I moved again, to Utrecht, on the first of June":            "home=Utrecht",
		"We moved house last week to Bergen":                         "home=Bergen",
		"On the 1st of June we moved to Utrecht":                     "home=Utrecht",
		"My new address is in Porvoo":                                "home=Porvoo",
		"our flat is now in Porvoo":                                  "home=Porvoo",
		"I also moved to Setúbal on the 12th":                        "home=Setúbal",
		"we've since relocated to Malmö":                             "home=Malmö",
		"small update, we've since relocated to Bergen":              "home=Bergen",
		"we ended up settling in Leuven":                             "home=Leuven",
		"we ended up in Leuven, the rent was too high in Ghent":      "home=Leuven",
		"we ended up buying a flat in Leuven and moved in last week": "home=Leuven",
		"new flat in Bergen, moved last weekend":                     "home=Bergen",
		"We upped sticks and moved to Bergen last month":             "home=Bergen",
		"I'm based out of Bergen now":                                "home=Bergen",
		"home is Bergen these days":                                  "home=Bergen",
		"I'm back in Bergen for good":                                "home=Bergen",
		"I packed up and left Ghent, I'm in Bergen now":              "home=Bergen",
		"I left Ghent in May, now I'm in Bergen":                     "home=Bergen",
		// What is no move of the speaker's, or none yet:
		"My parents moved to Porto": "", "I moved the meeting to Utrecht": "", "we're moving house next year": "", "The company moved to Bergen": "",
		"we moved the kids to a school in Bergen": "", "we ended up in Leuven for dinner": "", "we ended up in Leuven": "", "we ended up in hospital": "",
		"I'm moving to Bergen in May": "", "I'm back in Bergen": "", "We bought a house in Bergen": "", "I also moved the sofa": "", "my sister's new flat is in Bergen": "",
		"our new office is in Bergen": "", "I also live in Bergen": "", "we might have since moved to Bergen": "", "I left Ghent at nine, now I'm in Bergen for dinner": "",
	} {
		if a := slotOf(text); a.name != "home" && want != "" || a.name == "home" && (a.subject != "" || "home="+a.value != want) {
			t.Errorf("%q: %+v, want %q", text, a, want)
		}
	}
}
