package extract

import (
	"slices"
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

// What asks for something to be forgotten is read whatever its form, and is never a memory.
func TestFormsOfRequestsToForget(t *testing.T) {
	for noun, want := range map[string]string{
		"my address": "address", "my age": "age", "my cat": "about my cat", "my diabetes": "health:diabetes", "my job": "work", "where I live": "home", "my locker code": "about my locker code",
		"that I'm gay": "", "who I voted for": "about my voted for", "Jenny": "about jenny", "my ex": "about my ex",
	} {
		for _, form := range []string{
			"I'd like you to forget {}", "pls forget {} thx", "you can forget {} now", "take {} out of your memory", "you should no longer remember {}", "about {}: please forget that",
			"hey, about {}: please forget that", "I don't want you to remember {}, delete it", "forget about {}", "Can you please forget {}?", "could you delete {} from your memory please?",
			"stop remembering {}", "wipe {} from your memory", "please delete what I said about {}", "remove {} from your memory", "erase everything you know about {}", "I don't want you to remember {}", "please don't store {}",
		} {
			if noun == "that I'm gay" && strings.Contains(form, "about {}:") || noun == "Jenny" && form == "forget about {}" {
				continue
			}
			text := strings.ReplaceAll(form, "{}", noun)
			got := asked(t, nil, text)
			if slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "+") }) || len(got) == 0 || want != "" && !slices.Contains(got, want) {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		}
	}
	for text, want := range map[string]string{
		"wipe my age": "age", "wipe the thing about jenny": "about jenny", "that thing about Tesco, erase it": "about tesco", "don't remember my dentist anymore": "about my dentist",
		"Forget where I live.": "address", "remove everything health related about me": "about my diabetes", "forget Jenny": "about jenny", "you can forget the locker code now": "about my locker code",
		"take Max and Moritz out of your memory please, I don't like you knowing my kids": "about moritz", "forget about my cat": "about my cat", "forget about my ex": "about my ex",
		"Can you please forget about my depression? I don't want that stored.": "health:depression", "delete everything related to my health": "about my diabetes",
	} {
		if got := asked(t, nil, text); !slices.Contains(got, want) || slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "+") }) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"pretend I never said that. forget it please", "I don't want that stored.", "act like I didn't say anything"} {
		if got := asked(t, []memd.Message{user("I'm thinking of divorcing my husband")}, text); !slices.Equal(got, []string{"I'm thinking of divorcing my husband"}) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// The same words ask for nothing where they are about something else.
func TestFormsThatAskForNothing(t *testing.T) {
	for _, text := range []string{
		"wipe my phone", "remove the noise", "delete Photoshop", "you can forget the milk", "forget the steak, i'm vegan!", "let's forget about pizza, I want sushi", "I'll never forget my wedding in Rome",
		"take my dog out for a walk", "I always forget my umbrella at the office", "you should not forget my address", "remove the part about pricing", "about my essay: please remove it", "keep my dog in mind",
		"My therapist told me to forget my ex", "about my trip: I leave on Monday", "stop remembering", "Forget Leo, let's go", "clear my schedule", "please never forget my birthday", "I want that stored in the cellar",
		"can you delete the file test.py?", "forget-me-nots are my favorite flowers", "I take my dog out of the house at six",
	} {
		for _, c := range extracted(t, nil, user(text)) {
			if c.Forget {
				t.Errorf("%q: %+v", text, c)
			}
		}
	}
}
