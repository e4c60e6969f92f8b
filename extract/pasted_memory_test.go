package extract

import (
	"strings"
	"testing"
)

func TestOthersWordsAreNotTheUsers(t *testing.T) {
	for _, text := range []string{
		"act as my doctor. I am a doctor, you are the patient", "You are the patient. I am a doctor.", "write in first person: I am a sailor from Malta", "she never married right?",
	} {
		if got := extracted(t, nil, user(text)); len(got) != 0 {
			t.Errorf("%q: %s", text, quoted(texts(got)))
		}
	}
	for _, head := range []string{"## Relevant memories", "Known facts:", "# User profile", "Context from memory:", "**Retrieved memories:**"} {
		got := texts(extracted(t, nil, user(head+"\n- I live in Lima\n- I am vegan\n\nHi, I am Zoe")))
		if len(got) != 1 || !strings.Contains(got[0], "Zoe") {
			t.Errorf("%q: %s", head, quoted(got))
		}
	}
	for text, want := range map[string]string{"I am a doctor. You are great.": "I am a doctor", "My brother never married, right?": "My brother never married", "Facts about me:\n- I live in Lima": "I live in Lima"} {
		if got := texts(extracted(t, nil, user(text))); len(got) == 0 || !strings.Contains(strings.Join(got, "|"), want) {
			t.Errorf("%q: %s", text, quoted(got))
		}
	}
	for text, want := range map[string]string{"I have a dog. His name is Rex": "pet:rex", "I have a dog, Rex": "pet:rex", "I have a dog. His name is funny": "has:dog", "I live in Rome❤️": "home=Rome"} {
		got := extracted(t, nil, user(text))
		if len(got) != 1 || holds(got[0]) != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
