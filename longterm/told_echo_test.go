package longterm

import (
	"testing"

	"github.com/memdhq/memd"
)

// What an answer says back of what was taken away is hidden, and no more: whole items of lists and
// whole blocks of code, with a mark in the place of what is missing.
func TestAnswersToWhatWasTakenAway(t *testing.T) {
	const code = "```python\ndef add(a, b):\n    name = 'adder'\n    return a + b\n```"
	for _, c := range []struct{ taken, answer, want string }{
		// Hidden.
		{"I have HIV", "With HIV you should see Dr. Molar twice a year", ""},
		{"I'm pregnant", "Congratulations on your pregnancy!", ""},
		{"I am in the third month of my pregnancy", "A pregnant woman should not smoke. Drink water.", "[…] Drink water."},
		{"I am allergic to peanuts", "I'll keep peanuts out of the recipes.", ""},
		{"My ex is called Bernd and he drives a red Volvo", "Sorry about Bernd! Tea is great.", "[…] Tea is great."},
		{"I live at 12 Elm Street", "The taxi comes to 12 Elm Street. It is blue.", "[…] It is blue."},
		{"I earn 5400 a month", "With 5,400 a month you can save 500.", ""},
		{"My phone number is 555-0199", "Got it, I saved 555-0199.", ""},
		{"I was born on 12 March 1984", "12 March was a Monday. Happy birthday!", "[…] Happy birthday!"},
		{"I work nights", "You work nights, so sleep till noon. Eat well.", "[…] so sleep till noon. Eat well."},
		{"My IBAN ends in 88231904", "The account 88231904 is fine.", ""},
		{"I speak Dutch", "The plan:\n1. Draft by Anna.\n2. Review by Tomas.\n3. Dutch translation by Piet. He is slow.\n4. Done.", "The plan:\n1. Draft by Anna.\n2. Review by Tomas.\n[…]\n4. Done."},
		{"I speak Dutch", "The plan: 1. Draft by Anna. 2. Review by Tomas. 3. Dutch translation by Piet.", "The plan: 1. Draft by Anna. 2. Review by Tomas. […]"},
		{"I live in Rome", "Here it is:\n```\nlisten 8080;\ncity Rome;\n```\nRestart it.", "Here it is:\n[…]\nRestart it."},
		{"I live in Rome", "server {\n  listen 8080;\n  city Rome;\n}\nRestart it.", "[…]\nRestart it."},
		// Not hidden.
		{"I have two kids", "1. Hold the button for two minutes.\n2. Wait.\n3. Log in as admin.\n4. Set two bands.", "1. Hold the button for two minutes.\n2. Wait.\n3. Log in as admin.\n4. Set two bands."},
		{"My name is Tim Berger", "Sure:\n" + code + "\nTry it.", "Sure:\n" + code + "\nTry it."},
		{"My port is 8080", "server {\n  listen 8080;\n  root /srv;\n}", "server {\n  listen 8080;\n  root /srv;\n}"},
		{"I live in Rome", "services:\n  web:\n    live_restore: true", "services:\n  web:\n    live_restore: true"},
		{"I live in Rome", "The live stream starts at 20:00 on channel Zorbo.", "The live stream starts at 20:00 on channel Zorbo."},
		{"My boss is called Karl", "I called the plumber Zebulon, he comes at 10.", "I called the plumber Zebulon, he comes at 10."},
		{"I got fired last week", "Last week you asked me for the Melbrook report: it is ready.", "Last week you asked me for the Melbrook report: it is ready."},
		{"My daughter Lena is 7 years old", "It is 7 degrees in Umea, take a coat.", "It is 7 degrees in Umea, take a coat."},
		{"I play chess on Mondays", "On Mondays the Grund museum is closed.", "On Mondays the Grund museum is closed."},
		{"I'm afraid of flying", "Your flight SK1234 leaves at 14:10.", "Your flight SK1234 leaves at 14:10."},
		{"I moved to Hamburg in March", "The deadline for the Quill grant is 31 March.", "The deadline for the Quill grant is 31 March."},
		{"I owe Bob 40 euros", "The Krona trip cost 1240 euros in total.", "The Krona trip cost 1240 euros in total."},
		{"I am a resident of Graz", "The presidency of the club is vacant.", "The presidency of the club is vacant."},
		{"I need to lose weight", "You need to sign form W-8BEN by Thursday.", "You need to sign form W-8BEN by Thursday."},
		{"I have a meeting with Karl on Tuesday", "On Tuesday you see the dentist Molar at 8, and you call Karl at 10.", "On Tuesday you see the dentist Molar at 8 […]"},
		{"My sister lives in Paris", "We decided on the green logo by studio Fenn.", "We decided on the green logo by studio Fenn."},
		{"I take lithium", "Day 1: Vigeland park. Day 2: Fram museum. Take the tram 12.", "Day 1: Vigeland park. Day 2: Fram museum. Take the tram 12."},
		{"I hate my job", "The Alder room is booked for 3 pm.", "The Alder room is booked for 3 pm."},
	} {
		taken := awayOf(c.taken)
		a := Account{Of: map[int64]Told{1: {Taken: true, gone: []away{taken}}}, away: []away{taken}}
		a.Answers(1, 2)
		if got := a.Shown(2, memd.RoleAssistant, c.answer); got != c.want {
			t.Errorf("without %q of %q is shown\n%q, want\n%q", c.taken, c.answer, got, c.want)
		}
	}
}

// The date beside relative words is nobody's word: of a statement that is known by its terms alone it
// is among these, and of what answers it beside the words.
func TestAddedDatesSayNothingBack(t *testing.T) {
	overruled := away{terms: termsOf("I moved to Hamburg in March (2026-03)")}
	a := Account{Of: map[int64]Told{1: {Taken: true, gone: []away{overruled}}}, away: []away{awayOf("I moved to Hamburg in March (2026-03)")}}
	a.Answers(1, 2)
	for text, want := range map[string]bool{
		"The deadline for the Quill grant is 31 March (2027-03-31)": false,
		"Trains leave at 03:00 in March (2026-03)":                  false,
		"Hamburg is cold in March (2026-03)":                        true,
	} {
		if got := a.SaysBackTo(1, "assistant", text) || a.SaysBackIn(2, "assistant", text); got != want {
			t.Errorf("%q says it back: %v", text, got)
		}
	}
}
