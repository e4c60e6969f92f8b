package extract

import (
	"slices"
	"testing"
)

func TestSentencesAreThoseThatAreLearnedFrom(t *testing.T) {
	for text, want := range map[string][]string{
		"deploy it to staging. my sister anna is a vet":                {"deploy it to staging.", "my sister anna is a vet"},
		"the build is red! why? i meet dr. kwon at 3.5 p.m. today\nok": {"the build is red!", "why?", "i meet dr. kwon at 3.5 p.m. today", "ok"},
		"住在波尔图。为什么？":                                                   {"住在波尔图。", "为什么？"},
		"":                                                             nil,
	} {
		if got := Sentences(text, 100); !slices.Equal(got, want) {
			t.Errorf("Sentences(%q) = %q", text, got)
		}
	}
	if got := Sentences("One. Two. Three.", 2); len(got) != 2 {
		t.Errorf("%q are more than 2", got)
	}
}

func TestPartsOfSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"we fly to malta on friday, can you check invoice 77?":    {"we fly to malta on friday", "can you check invoice 77?"},
		"Explain quicksort again - We drive to Rome on Friday":    {"Explain quicksort again", "We drive to Rome on Friday"},
		"I bought a moped; make the table wider and write a poem": {"I bought a moped", "make the table wider", "write a poem"},
		"My ex is Bernd, who lives in Kiel, and he owes me 4,200": {"My ex is Bernd, who lives in Kiel, and he owes me 4,200"},
		"I live at 5 Elm St. Can you check the invoice?":          {"I live at 5 Elm St.", "Can you check the invoice?"},
		`She said "come over, bring the dog now" to me`:           {`She said "come over, bring the dog now" to me`},
	} {
		if got := Parts(text); !slices.Equal(got, want) {
			t.Errorf("Parts(%q) = %q", text, got)
		}
	}
}
