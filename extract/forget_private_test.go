package extract

import (
	"slices"
	"testing"

	"github.com/memdhq/memd"
)

func TestWhatIsToldInConfidenceIsNotKept(t *testing.T) {
	for _, text := range []string{
		"don't remember this: I have HIV", "This is confidential, please don't store it: I have HIV", "Off the record: I have HIV", "please don't save the following: I have HIV. My sister knows it.",
		"I have HIV. Please don't store that.", "I have HIV. Off the record please", "Between us: I was fired once", "Just between you and me - I was fired once",
	} {
		for _, c := range extracted(t, nil, user(text)) {
			if !c.Forget {
				t.Errorf("%q: %q is kept", text, c.Text)
			}
		}
	}
	for _, text := range []string{
		"Please don't store that", "off the record please", "don't save this", "please keep that between us", "don't remember that please", "That's confidential, don't store it", "keep it private, ok?",
	} {
		if got := asked(t, []memd.Message{user("I have HIV. I like tea.")}, text); !slices.Equal(got, []string{"I have HIV", "I like tea"}) {
			t.Errorf("%q: %q", text, got)
		}
	}
	// What was made of it goes with it.
	before := []memd.Message{user("I have HIV"), {ID: 6, Role: memd.RoleAssistant, Text: "HIV is treated with tenofovir these days.", CreatedAt: said}}
	if got := asked(t, before, "please don't store that"); !slices.Contains(got, "I have HIV") || len(got) != 2 {
		t.Errorf("%q", got)
	}
}

func TestWhatIsNotToldInConfidence(t *testing.T) {
	for text, want := range map[string]string{
		"I keep my diary private": "+I keep my diary private", "The report is confidential": "+The report is confidential",
		"My boss told me it's confidential, so I said nothing at work": "+My boss told me it's confidential, so I said nothing at work",
	} {
		if got := asked(t, []memd.Message{user("I live in Porto")}, text); !slices.Equal(got, []string{want}) {
			t.Errorf("%q: %q", text, got)
		}
	}
	for _, text := range []string{"keep it short please", "don't store that file in the cloud", "Is this confidential?", "between us and Spain there is Portugal"} {
		if got := asked(t, []memd.Message{user("I live in Porto")}, text); slices.Contains(got, "I live in Porto") {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestForgettingWhoIsNotNamed(t *testing.T) {
	for text, want := range map[string]string{
		"forget the dog": "about my dog", "please forget Dr. Lee": "about dr. lee", "forget Dr. Lee": "about dr. lee", "forget my sister's address": "home", "forget Eva's birthday": "birthday",
	} {
		if got := asked(t, nil, text); !slices.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"forget the dog, what about a cat?", "Forget the milk!", "forget the dog food"} {
		for _, c := range extracted(t, nil, user(text)) {
			if c.Forget {
				t.Errorf("%q: %+v", text, c)
			}
		}
	}
}
