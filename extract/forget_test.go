package extract

import (
	"slices"
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

// forgotten gives what a message asks to be forgotten: slots, subjects, else texts.
func asked(t *testing.T, before []memd.Message, text string) (out []string) {
	t.Helper()
	for _, c := range extracted(t, before, user(text)) {
		switch {
		case !c.Forget:
			out = append(out, "+"+c.Text)
		case c.Slot != "":
			out = append(out, c.Slot)
		case c.Subject != "":
			out = append(out, "about "+c.Subject)
		default:
			out = append(out, c.Text)
		}
	}
	return out
}

func TestForgettingByWhatItIsCalled(t *testing.T) {
	for text, want := range map[string]string{
		"please delete my address":                                 "home",
		"erase my mobile number from your memory":                  "phone number",
		"pls forget my shoe size":                                  "shoe size",
		"forget my favourite author, i went off her":               "favorite:author",
		"can you forget everything I told you about my health":     "about my medication",
		"forget what i said about my debts":                        "about my debt",
		"you don't need to remember the garage thing anymore":      "about garage",
		"forget that my cousin Hye sings, she stopped long ago":    "my cousin Hye sings",
		"Bitte vergiss, dass ich in Zwickau arbeite.":              "ich arbeite in Zwickau",
		"vergiss alles, was ich über Lutz gesagt habe":             "about lutz",
		"olvida que trabajo en Lugo, por favor":                    "trabajo en Lugo",
		"oublie que j'habite à Brest, s'il te plaît":               "j'habite à Brest",
		"esquece que eu tenho dois gatos":                          "tenho dois gatos",
		"dimentica che lavoro a Udine":                             "lavoro a Udine",
		"神戸に住んでいることを忘れてください":                                       "神戸に住んでいます",
		"请忘记我喜欢爬山这件事":                                              "我喜欢爬山",
		"انسَ أنني أعمل في صفاقس":                                  "أعمل في صفاقس",
		"olvida todo lo que te dije sobre Inés":                    "about inés",
		"Vergiss meinen Vermieter.":                                "about mein vermieter",
		"Bitte vergiss, wie mein Vermieter heißt.":                 "about mein vermieter",
		"Olvida a mi casero.":                                      "about mi casero",
		"Olvida cómo se llama mi casero, por favor":                "about mi casero",
		"Oublie mon propriétaire.":                                 "about mon propriétaire",
		"Please forget who my landlord is.":                        "about my landlord",
		"forget what my landlord is called":                        "about my landlord",
		"Please delete what I told you about my lupus diagnosis.":  "about my lupus",
		"please forget that I have a rash, it was only a mosquito": "health:rash",
	} {
		if got := asked(t, nil, text); !slices.Contains(got, want) || slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "+") }) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What was ever said is one request; what was said in the talk at hand is each statement's.
func TestForgettingEverything(t *testing.T) {
	for _, text := range []string{"Forget everything I told you", "Delete all my memories", "please delete everything you know about me", "can you forget all I ever said?", "erase my data, please"} {
		if got := asked(t, []memd.Message{user("I live in Porto")}, text); !slices.Equal(got, []string{"about " + memd.Everything}) {
			t.Errorf("%q: %q", text, got)
		}
	}
	for _, text := range []string{"forget everything I said today", "forget everything we talked about"} {
		if got := asked(t, []memd.Message{user("I live in Porto")}, text); !slices.Equal(got, []string{"I live in Porto"}) {
			t.Errorf("%q: %q", text, got)
		}
	}
	for _, text := range []string{"don't forget everything I told you", "forget everything but my name", "delete all my files", "I forgot everything I told you"} {
		if got := asked(t, nil, text); slices.Contains(got, "about "+memd.Everything) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// What is said beside a request stays, and what only sounds like one asks for nothing.
func TestForgettingIsNotAskedFor(t *testing.T) {
	for _, text := range []string{
		"forget that, show me the other one", "Vergiss nicht, dass ich morgen zum Arzt muss", "No olvides que viajo el lunes", "delete my last paragraph",
		"can you remove my background noise", "I keep forgetting names", "Vergiss meine Frage", "olvida mi pregunta", "Oublie ma question", "Vergiss meinen Vermieter nicht", "I forgot who my landlord is", "don't forget my train leaves at 9",
	} {
		for _, c := range extracted(t, nil, user(text)) {
			if c.Forget {
				t.Errorf("%q asks for %q to be forgotten", text, c.Text)
			}
		}
	}
	if got := asked(t, nil, "forget that I live in Turin, I moved to Bari"); !slices.Equal(got, []string{"home", "+I moved to Bari"}) {
		t.Errorf("%q", got)
	}
}

func TestWhatWasSaidInTheSameBreathIsTakenBack(t *testing.T) {
	for _, text := range []string{
		"The safe is behind the mirror. Actually forget that, I shouldn't have said it.", "I read her diary once. wait, forget that",
	} {
		if got := extracted(t, nil, user(text)); len(got) != 0 {
			t.Errorf("%q: %s", text, quoted(texts(got)))
		}
	}
	if got := asked(t, []memd.Message{user("The safe is behind the mirror")}, "oh actually please forget that"); !slices.Equal(got, []string{"The safe is behind the mirror"}) {
		t.Errorf("%q", got)
	}
}
