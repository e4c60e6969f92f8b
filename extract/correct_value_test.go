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

func fold(text string) string { return strings.ToLower(text) }
