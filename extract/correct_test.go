package extract

import (
	"testing"
	"time"

	"github.com/memdhq/memd"
)

// retold writes candidates as tests read them: "-" before what is to be forgotten.
func retold(candidates []memd.Candidate) []string {
	var out []string
	for _, c := range candidates {
		line := c.Text
		if h := holds(c); h != "" {
			line += " [" + h + "]"
		}
		if c.Forget {
			line = "-" + line
		}
		out = append(out, line)
	}
	return out
}

// talk is a row of messages of one user, a minute apart.
func talk(lines ...string) []memd.Message {
	var out []memd.Message
	for i, line := range lines {
		out = append(out, memd.Message{ID: int64(i + 1), Role: memd.RoleUser, Text: line, CreatedAt: said.Add(time.Duration(i) * time.Minute)})
	}
	return out
}

func checkTold(t *testing.T, messages []memd.Message, want ...string) {
	t.Helper()
	whole := retold(extracted(t, nil, messages...))
	var single []string
	for i := range messages {
		single = append(single, retold(extracted(t, messages[:i], messages[i]))...)
	}
	for _, got := range [][]string{whole, single} {
		if quoted(got) != quoted(want) {
			t.Errorf("%q\n gives %s\n want  %s", messages[len(messages)-1].Text, quoted(got), quoted(want))
		}
	}
}

func TestCorrections(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  []string
	}{
		{[]string{"I live in Leeds. Sorry, I mean Leiden, autocorrect."}, []string{"I live in Leiden [home=Leiden]"}},
		{[]string{"I live in Leeds", "I mean Leiden"}, []string{"I live in Leeds [home=Leeds]", "-I live in Leeds", "I live in Leiden [home=Leiden]"}},
		{[]string{"my locker is number 214", "oops no, 241"}, []string{"my locker is number 214", "-my locker is number 214", "my locker is number 241"}},
		{[]string{"the meeting is at 3", "sorry 4 not 3"}, []string{"the meeting is at 3 [date:meeting=3]", "-the meeting is at 3", "the meeting is at 4 [date:meeting=4]"}},
		{[]string{"my son plays in the town bend", "*band"}, []string{"my son plays in the town bend", "-my son plays in the town bend", "my son plays in the town band [son|in:town band]"}},
		{[]string{"I said my sister's name is Katrin, that was wrong: it's Karin."},
			[]string{"-my sister's name is Katrin [sister:katrin]", "I said my sister's name is Katrin, that was wrong: it's Karin [sister:karin]"}},
		{[]string{"I'm 14 years old", "Typo! I'm 41, not 14"}, []string{"I'm 14 years old [age=14]", "-I'm 14 years old", "I'm 41 years old [age=41]"}},
		{[]string{"I'm allergic to nuts", "Sorry, not nuts, but bees"}, []string{"I'm allergic to nuts [allergy:nuts]", "-I'm allergic to nuts", "I'm allergic to bees [allergy:bees]"}},
		{[]string{"My cat is called Mia", "Sorry, not Mia but Mila"}, []string{"My cat is called Mia [pet:mia]", "-My cat is called Mia", "My cat is called Mila [pet:mila]"}},
		{[]string{"I hate olives. No, wait, I love olives."}, []string{"I love olives [taste:olives]"}},

		// In the sentence itself.
		{[]string{"I live in Lyon, I mean Lille"}, []string{"I live in Lyon, I mean Lille [home=Lille]"}},
		{[]string{"I live in Lisbon, sorry, I mean Porto"}, []string{"I live in Lisbon, sorry, I mean Porto [home=Porto]"}},
		{[]string{"I'm 41, sorry, 42"}, []string{"I'm 41, sorry, 42 [age=42]"}},
		{[]string{"I have three kids, I mean two"}, []string{"I have three kids, I mean two [number of children=two]"}},
		{[]string{"My dog is called Rex, no, Max"}, []string{"My dog is called Rex, no, Max [pet:max]"}},
		{[]string{"I work at Acme, or rather Globex"}, []string{"I work at Acme, or rather Globex [work=Globex]"}},
		{[]string{"My flight is at 6pm, I mean 8pm"}, []string{"My flight is at 6pm, I mean 8pm [date:flight=8pm]"}},
		{[]string{"I live in Lyon, no kids"}, []string{"I live in Lyon, no kids [home=Lyon]"}},
		{[]string{"I like tea, I mean who doesn't"}, []string{"I like tea, I mean who doesn't [taste:tea]"}},

		// What is so now was otherwise before, and no slip.
		{[]string{"My favourite color is blue", "Actually my favorite colour is green now"}, []string{"My favourite color is blue [favorite:color=blue]", "Actually my favorite colour is green now [favorite:color=green]"}},
		{[]string{"I live in Lyon", "Actually I live in Lille now"}, []string{"I live in Lyon [home=Lyon]", "Actually I live in Lille now [home=Lille]"}},

		// No corrections of what was said before.
		{[]string{"I live in Leeds", "sorry I'm late"}, []string{"I live in Leeds [home=Leeds]", "sorry I'm late"}},
		{[]string{"the kids are picked up at 3", "ugh monday"}, []string{"the kids are picked up at 3"}},
		{[]string{"I ordered the blue lamp", "make it green"}, []string{"I ordered the blue lamp"}},
		{[]string{"I collect maps", "oh wait, dinner"}, []string{"I collect maps [habit:collect maps]"}},
	} {
		checkTold(t, talk(c.lines...), c.want...)
	}
	got := extracted(t, nil, talk("my locker is number 214", "oops no, 241")...)
	if len(got[1].Sources) != 1 || len(got[2].Sources) != 2 || !got[2].Corrects || !got[2].SaidAt.Equal(said.Add(time.Minute)) {
		t.Errorf("%+v", got)
	}
}

// A wrong date is none of what the correction states, nor of its words.
func TestACorrectedDateIsGone(t *testing.T) {
	got := extracted(t, nil, user("I was born in 1985. Wait, 1984."))
	if len(got) != 1 || got[0].Text != "I was born in 1984" || got[0].OccurredAt.Year() != 1984 || holds(got[0]) != "birthday=1984" {
		t.Errorf("%+v", got)
	}
}

// What is right, or to what something was moved, is when it is.
func TestACorrectedDateIsTheOther(t *testing.T) {
	for text, want := range map[string]string{
		"I was born in 1985, no, 1986": "1986-01-01", "My meeting is on Tuesday, no wait, Wednesday": "2024-03-06", "My flight is tomorrow, no wait, the day after tomorrow": "2024-03-01",
		"The deadline is 5 June. It moved to 12 June.": "2024-06-12", "My meeting is on Tuesday. No wait, it's on Wednesday.": "2024-03-06",
	} {
		got := extracted(t, nil, user(text))
		if len(got) != 1 || got[0].OccurredAt == nil || got[0].OccurredAt.Format(time.DateOnly) != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestForgetting(t *testing.T) {
	for text, want := range map[string]string{
		"Forget that I live in Porto.":                             "-I live in Porto [home=Porto]",
		"Please delete that I have a parrot named Fern":            "-I have a parrot named Fern [pet:fern]",
		"can you please forget that I like jazz?":                  "-I like jazz [taste:jazz]",
		"Remove the fact that I'm vegan from your memory":          "-I'm vegan [diet=vegan]",
		"stop remembering that I play the oboe":                    "-I play the oboe [habit:play oboe]",
		"Forget my birthday":                                       "-my birthday [birthday]",
		"Please don't remember this: my boss is Henrik":            "-my boss is Henrik [boss=Henrik]",
		"nah forget it":                                            "",
		"Forget about it!":                                         "",
		"don't forget my name":                                     "",
		"I forgot my umbrella on the tram":                         "I forgot my umbrella on the tram",
		"I never forget a face":                                    "I never forget a face",
		"Don't forget to call mum":                                 "Don't forget to call mum",
		"Don't forget: mum's birthday is on 2 July":                "mum's birthday is on 2 July",
		"Never forget that my passport expires in October":         "my passport expires in October (2024-10)",
		"I dropped that class and removed the app":                 "I dropped that class and removed the app",
		"Remember that the spare key is under the blue flowerpot.": "the spare key is under the blue flowerpot",
	} {
		var wants []string
		if want != "" {
			wants = []string{want}
		}
		checkTold(t, talk(text), wants...)
	}
	got := extracted(t, nil, user("Please forget everything about Damon."))
	if len(got) != 1 || !got[0].Forget || got[0].Subject != "damon" || got[0].Text != "Damon" || got[0].Slot != "" {
		t.Errorf("%+v", got)
	}
}

// All that was said in the session, or what was said last.
func TestForgettingWhatWasSaid(t *testing.T) {
	for _, request := range []string{"Forget everything I said today", "please forget everything"} {
		checkTold(t, talk("I have a cat", "I live in Rome", request), "I have a cat [has:cat]", "I live in Rome [home=Rome]", "-I have a cat", "-I live in Rome")
	}
	checkTold(t, talk("I live in Rome", "Don't remember that"), "I live in Rome [home=Rome]", "-I live in Rome")
	checkTold(t, talk("I have a dog called Rex", "forget that I have a dog"), "I have a dog called Rex [pet:rex]", "-I have a dog called Rex", "-I have a dog [has:dog]")
}

// "He" takes along what its speaker said just before, if nobody said anything else.
func TestWhatPointsToTheMessageBefore(t *testing.T) {
	m := talk("I adopted a greyhound called Comet", "Congratulations!", "He's terrified of vacuum cleaners")
	m[1].Role = memd.RoleAssistant
	checkTold(t, m, "I adopted a greyhound called Comet [pet:comet]", "He's terrified of vacuum cleaners (said before: I adopted a greyhound called Comet)")
	m[1].Text = "My colleague has a greyhound, too."
	checkTold(t, m, "I adopted a greyhound called Comet [pet:comet]", "My colleague has a greyhound, too", "He's terrified of vacuum cleaners")
	checkTold(t, talk("We spent our honeymoon in Kotor. Want to go back there for our anniversary."), "We spent our honeymoon in Kotor. Want to go back there for our anniversary")
}

func TestForms(t *testing.T) {
	checkTold(t, talk("Name: Tomas\nAge: 34\nCity: Brno\nJob: welder"), "Name: Tomas [name=Tomas]", "Age: 34 [age=34]", "City: Brno [home=Brno]", "Job: welder [role=welder]")
	checkTold(t, talk("1. I'm vegan 2. I hate running 3. I live in Kobe"), "I'm vegan [diet=vegan]", "I hate running [!taste:running]", "I live in Kobe [home=Kobe]")
}

// What an assistant has got wrong is forgotten when it is set right.
func TestWhatAnAssistantGotWrong(t *testing.T) {
	for _, test := range []struct {
		said, right string
		gone        bool
	}{
		{"So you'll be in room 12 at Hotel Lind.", "room 21", true},
		{"Your order of three lamps ships on Monday.", "two lamps", true},
		{"I've put you down as Mr. Klein.", "it's Kleine, not Klein", true},
		{"Delivery goes to Elm Road 7.", "Elm Road 17", true},
		{"I found your booking: a double room in Ghent.", "no thats my flatmates", true},
		{"You like hiking, so Zermatt may suit you.", "i never said i like hiking", true},
		{"Delivery goes to Elm Road 7.", "no worries", false},
		{"Delivery goes to Elm Road 7.", "perfect, thanks", false},
		{"Your order of three lamps ships on Monday.", "ok so tuesday for the rug", false},
	} {
		gone := false
		for _, c := range extracted(t, []memd.Message{assistant(test.said)}, user(test.right)) {
			gone = gone || c.Forget
		}
		if gone != test.gone {
			t.Errorf("%q after %q: forgotten %v", test.right, test.said, gone)
		}
	}
}

func TestCorrectionsThatSayMore(t *testing.T) {
	for _, test := range []struct{ said, right, slot string }{
		{"my niece Wilma is 7", "oh wait she's 8 since last week", "wilma|age=8"},
		{"my uncle's bus is the 44", "my bad, its the 47", "uncle|date:bus=the 47"},
		{"the party is on Saturday", "omg no Sunday", "date:party=2024-03-03"},
		{"my budget is 500", "600 sorry", "budget=600"},
		{"I work at Bosch", "sorry i mean i work at Siemens", "work=Siemens"},
	} {
		got := extracted(t, []memd.Message{user(test.said)}, user(test.right))
		if len(got) != 2 || !got[0].Forget || holds(got[1]) != test.slot {
			t.Errorf("%q, %q: %s", test.said, test.right, quoted(texts(got)))
			for _, c := range got {
				t.Log(holds(c))
			}
		}
	}
}

// A letter is no name that another letter could be a slip of.
func TestALetterCorrectsNothing(t *testing.T) {
	got := extracted(t, []memd.Message{assistant("A my name is Ana Ⱥ")}, user("A"))
	if len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
