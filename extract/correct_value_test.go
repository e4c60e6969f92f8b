package extract

import (
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

// rightAfter gives what a message makes of the slots after others, and what it takes back.
func rightAfter(t *testing.T, before []string, text string) (now, wrong string) {
	t.Helper()
	all := talk(append(before, text)...)
	for _, c := range extracted(t, all[:len(all)-1], all[len(all)-1]) {
		if c.Forget && c.Slip {
			wrong = c.Text
		} else if !c.Forget {
			now = holds(c)
		}
	}
	return now, wrong
}

// A word or two stand right in the place of what was said wrong, if they are of its kind.
func TestAWordIsPutRight(t *testing.T) {
	for _, test := range [][3]string{
		{"I'm allergic to almonds", "sorry, meant walnuts", "allergy:walnuts"},
		{"I'm allergic to almonds", "wait no, walnuts", "allergy:walnuts"},
		{"I'm allergic to almonds", "walnuts, not almonds", "allergy:walnuts"},
		{"I'm allergic to almonds", "oops, walnuts not almonds", "allergy:walnuts"},
		{"I'm allergic to almonds", "not almonds, walnuts", "allergy:walnuts"},
		{"my favorite color is green", "no wait, red", "favorite:color=red"},
		{"my favorite color is green", "no, red", "favorite:color=red"},
		{"my favorite color is green", "sorry, dark red", "favorite:color=dark red"},
		{"my favorite color is green", "*red", "favorite:color=red"},
		{"my favorite color is green", "red sorry", "favorite:color=red"},
		{"my favourite hobby is running", "no, swimming", "favorite:hobby=swimming"},
		{"my favorite food is pizza", "no, pasta", "favorite:food=pasta"},
		{"i live in bern", "no wait, basel", "home=Basel"},
		{"i live in bern", "sorry, in basel", "home=Basel"},
		{"i live in bern", "*basel", "home=Basel"},
		{"I live in Bern", "oh sorry, i meant Basel, not Bern", "home=Basel"},
		{"i live in bern and my favorite color is green", "sorry, basel", "home=Basel"},
		{"my sister lives in bern", "no, basel", "sister|home=Basel"},
		{"i work at aldi", "sorry, lidl", "work=Lidl"},
		{"my name is ana", "oops, anna", "name=anna"},
		{"my dog is called rex", "sorry, max", "pet:max"},
		{"I have a cat", "sorry, a dog", "has:dog"},
		{"I have 2 sisters", "actually 3", "number of sisters=3"},
		{"My birthday is May 3", "sorry, May 4", "birthday=May 4"},
		{"My birthday is May 3", "sorry, 4", "birthday=May 4"},
		{"my flight is on May 3", "no, it's on May 4", "date:flight=2024-05-04"},
		{"my meeting is at 3", "sorry, 4", "date:meeting=4"},
		{"i'm vegan", "no wait, vegetarian", "diet=vegetarian"},
		{"I'm married", "sorry, engaged", "marital status=engaged"},
		{"I'm 40", "lol jk im actually 38", "age=38"},
		{"i speak french", "sorry, italian", "language:italian"},
		{"I love sushi", "sorry, ramen", "taste:ramen"},
		{"I'm allergic to nuts, milk and eggs", "soy, not milk", "allergy:soy"},
		{"I'm allergic to almonds", "sorry, walnuts and pecans", ""},
	} {
		now, wrong := rightAfter(t, []string{test[0]}, test[1])
		// Capitals tell nothing of what is written small.
		if fold(now) != fold(test[2]) || wrong == "" {
			t.Errorf("%q, %q: holds %q, takes back %q", test[0], test[1], now, wrong)
		}
	}
	for _, test := range [][2]string{
		{"my favorite color is green. sorry, red", "favorite:color=red"},
		{"im allergic to almonds. wait no, walnuts", "allergy:walnuts"},
		{"i live in bern. oops, basel", "home=Basel"},
	} {
		got := extracted(t, nil, user(test[0]))
		if len(got) != 1 || fold(holds(got[0])) != fold(test[1]) {
			t.Errorf("%q: %s", test[0], quoted(texts(got)))
		}
	}
	// An answer, and an assistant's echo between.
	m := []memd.Message{assistant("Where do you live?"), user("bern")}
	if got := extracted(t, m, user("no wait, basel")); len(got) != 2 || !got[0].Slip || fold(holds(got[1])) != "home=basel" {
		t.Errorf("an answer: %s", quoted(texts(got)))
	}
	m = []memd.Message{user("i live in bern"), assistant("Bern is lovely!")}
	if got := extracted(t, m, user("no, basel")); len(got) != 2 || !got[0].Slip {
		t.Errorf("behind an echo: %s", quoted(texts(got)))
	}
}

func TestNothingIsPutRight(t *testing.T) {
	for _, said := range []string{"my favorite color is green", "my favorite food is pizza", "i live in bern", "I have 2 sisters", "i work at aldi", "I'm allergic to almonds"} {
		for _, text := range []string{
			"no, thanks", "sorry, busy", "no, later", "wait no, never mind", "no way", "sorry, phone", "sorry, dinner", "no, really", "wait, what", "oh no",
			"no, seriously", "sorry, typo", "sorry, late reply", "no, sorry", "sorry, tired", "no, that's all", "hang on, brb", "no idea", "oops, wrong chat", "sorry, gotta go", "actually, no", "no, nothing", "wait, coffee",
		} {
			if now, wrong := rightAfter(t, []string{said}, text); wrong != "" || now != "" && now != "called" {
				t.Errorf("%q, %q: holds %q, takes back %q", said, text, now, wrong)
			}
		}
	}
	for _, test := range []struct{ said, other, text string }{
		{"i live in bern", "Do you want a list of bars?", "sorry, busy"},
		{"my favorite color is green", "Do you like blue too?", "no, red"},
		{"i live in bern", "Nice! Do you own a car?", "no, bike"},
		{"i live in bern", "The capital of France is Paris.", "no, lyon"},
		{"i live in bern", "Where is your sister?", "sorry, basel"},
	} {
		for _, c := range extracted(t, []memd.Message{user(test.said), assistant(test.other)}, user(test.text)) {
			if c.Forget || c.Slot == "home" || c.Slot == "favorite:color" {
				t.Errorf("%q, %q, %q: %+v", test.said, test.other, test.text, c)
			}
		}
	}
	// Of several alike it is not known which.
	if now, wrong := rightAfter(t, []string{"I'm allergic to fish, milk and eggs"}, "sorry, walnuts"); wrong != "" {
		t.Errorf("one of three: %q, takes back %q", now, wrong)
	}
}

// Words that are of another kind than what was said, or of none, put nothing right: neither
// what was said just before nor what was said once.
func TestAWordOfAnotherKindPutsNothingRight(t *testing.T) {
	for said, texts := range map[string][]string{
		"i live in bern":             {"*hugs*", "*laughs*", "*facepalm*", "*shrugs*", "*waves*", "i mean whatever", "I mean currently", "actually, Switzerland rocks", "sorry, Alexa", "sorry ChatGPT", "oops, Spotify", "no wait, dinner"},
		"I work at Aldi":             {"I mean it", "i mean obviously", "i mean, money", "sorry, autocorrect", "wait, Monday", "*sighs*", "sorry, 2"},
		"I'm vegan":                  {"i mean mostly", "sorry, Siri", "no wait, pizza", "actually, Berlin"},
		"my name is Tom":             {"sorry Siri", "wait, Friday", "actually, Monday", "no wait, lunch", "*yawns*", "oops, Spotify"},
		"my cat is called mia":       {"*purrs*", "wait, delivery!", "*meows*"},
		"my wife is called Ana":      {"wait, spider", "no wait, spider"},
		"my dog is called Max":       {"wait, squirrel", "no wait, squirrel", "*woof*"},
		"I have 2 kids":              {"sorry, 1 sec", "wait, 5 mins", "wait, 3 questions", "sorry, 2 more things", "oops, wrong chat"},
		"I'm 30":                     {"no wait, 5 minutes", "wait, 1 more thing", "sorry, 10 percent battery", "wait 2 sec"},
		"I weigh 80 kg":              {"wait 2 sec", "sorry, 5 minutes"},
		"my son is 4":                {"sorry, 1 moment", "wait, 2 questions"},
		"my budget is 500":           {"sorry, 5 min"},
		"my commute is 20 minutes":   {"wait, 5 minutes"},
		"my meeting is at 3pm":       {"oops, 10 minutes late"},
		"my birthday is May 3":       {"wait, June already", "sorry, Friday vibes"},
		"my favorite food is pizza":  {"oh no, rain", "sorry, Spotify ad", "wait, police"},
		"my favorite color is green": {"sorry, basel", "no wait, friday", "actually, Anna"},
		"I drive a BMW":              {"oops, police", "sorry, AFK"},
		"I study law":                {"wait, exam", "sorry, Zoom"},
		"I speak German":             {"sorry, Zoom", "oops, Anna"},
		"i love sushi":               {"wait, delivery!", "sorry, fat fingers", "i mean yum", "i mean, wow"},
	} {
		for _, text := range texts {
			for name, before := range map[string][]memd.Message{"now": {user(said), assistant("Noted!")}, "once": {user(said), assistant("Noted!"), user("thanks"), assistant("Anytime!")}, "alone": nil} {
				for _, c := range extracted(t, before, user(text)) {
					if c.Forget || c.Slot != "" {
						t.Errorf("%s: %q, %q: %s", name, said, text, quoted(retold([]memd.Candidate{c})))
					}
				}
			}
		}
	}
}

// What was asked since is answered, not what was said before it put right.
func TestAnAnswerPutsNothingRight(t *testing.T) {
	for _, test := range []struct{ said, asked, text, want string }{
		{"I'm 30", "How many kids do you have?", "3 actually", "number of children=3"},
		{"I'm 30", "How many kids do you have?", "i mean 3", "number of children=3"},
		{"I'm 30", "How many kids do you have?", "oh wait, 3", "number of children=3"},
		{"my name is Tom", "Hi Tom! Where do you live?", "oh sorry, Bern", "home=Bern"},
		{"my name is Tom", "Hi Tom! And your wife's name?", "oops sorry, Ana", ""},
		{"I have 2 kids", "How old are they?", "sorry, 3 and 5", ""},
		{"my dog is called Max", "What breed?", "oh sorry, Beagle", ""},
		{"I love sushi", "Which kind?", "i mean salmon", ""},
		{"i live in bern", "Which city do you like best?", "no wait, basel", ""},
		{"i live in bern", "Nice. Tell me your favorite city.", "no wait, basel", ""},
		{"hello", "Where do you live?", "sorry, phone", ""},
		{"", "Any allergies?", "actually, shrimp", "allergy:shrimp"},
		{"hello", "Do you have any allergies?", "oh sorry, peanuts", "allergy:peanuts"},
	} {
		before := []memd.Message{assistant(test.asked)}
		if test.said != "" {
			before = []memd.Message{user(test.said), assistant(test.asked)}
		}
		held := ""
		for _, c := range extracted(t, before, user(test.text)) {
			if c.Forget {
				t.Errorf("%q, %q, %q takes back %q", test.said, test.asked, test.text, c.Text)
			}
			held = holds(c)
			if test.want == "" && (c.Slot == "age" || c.Slot == "name" || strings.HasPrefix(c.Slot, "pet:") || c.Slot == "number of children" || c.Slot == "home") {
				t.Errorf("%q, %q, %q: %q", test.said, test.asked, test.text, held)
			}
		}
		if test.want != "" && held != test.want {
			t.Errorf("%q, %q, %q: %q, not %q", test.said, test.asked, test.text, held, test.want)
		}
	}
}

// An offer to go on asks nothing, and what tells its wrong word is right behind a question too.
func TestAWordIsPutRightBehindAnOffer(t *testing.T) {
	for _, test := range []struct{ said, other, text, want string }{
		{"my favorite color is green", "Noted! What else would you like to share?", "no wait, red", "favorite:color=red"},
		{"my favorite color is green", "Noted! How can I help you today?", "no wait, red", "favorite:color=red"},
		{"my favorite color is green", "Green, nice! Let me know if I can help with anything.", "no wait, red", "favorite:color=red"},
		{"i live in bern", "Bern is lovely! Is there anything else you'd like to share?", "sorry, basel", "home=basel"},
		{"I live in Bern", "Noted!", "sorry, Interlaken", "home=Interlaken"},
		{"I work at Aldi", "Noted!", "oops, Lidl", "work=Lidl"},
		{"My name is Tom", "Noted!", "sorry, Tim", "name=Tim"},
		{"my wife is called Ana", "Noted!", "sorry, Anna", "partner=Anna"},
		{"I weigh 80 kg", "Noted!", "sorry, 82 kg", "weight=82 kg"},
		{"I have 2 kids", "Noted!", "no wait, 3", "number of children=3"},
		{"i live in bern", "What do you like there?", "basel, not bern", "home=basel"},
		{"i live in bern", "What do you like there?", "*basel", "home=basel"},
		{"i live in bern", "What do you like there?", "i meant basel", "home=basel"},
		{"I'm 30", "How many kids do you have?", "31, not 30", "age=31"},
	} {
		held, wrong := "", ""
		for _, c := range extracted(t, []memd.Message{user(test.said), assistant(test.other)}, user(test.text)) {
			if c.Forget {
				wrong = c.Text
			} else {
				held = holds(c)
			}
		}
		if wrong == "" || fold(held) != fold(test.want) {
			t.Errorf("%q, %q, %q: holds %q, takes back %q", test.said, test.other, test.text, held, wrong)
		}
	}
}

func fold(text string) string { return strings.ToLower(text) }

func TestANumberIsPutRightWithItsNoun(t *testing.T) {
	for _, test := range []struct{ said, text, want string }{
		{"I have two cats", "I mean three cats", "I have three cats"},
		{"I have two cats", "I mean three", "I have three cats"},
		{"I have two black cats", "sorry, three black cats", "I have three black cats"},
		{"I'm 34 years old", "I mean 35 years old", "I'm 35 years old"},
		{"I have two cats and a dog", "I mean three cats", "I have three cats"},
	} {
		got := ""
		for _, c := range extracted(t, []memd.Message{user(test.said)}, user(test.text)) {
			if !c.Forget {
				got = c.Text
			}
		}
		if got != test.want {
			t.Errorf("%q, %q: %q, want %q", test.said, test.text, got, test.want)
		}
	}
}
