package extract

import (
	"slices"
	"testing"

	"github.com/memdhq/memd"
)

// An answer of several things is a statement of each.
func TestAnswersOfSeveralThings(t *testing.T) {
	for _, c := range []struct {
		question, answer string
		want             []string
	}{
		{"Are you allergic to anything?", "Yes, shellfish and nuts", []string{"allergy:shellfish", "allergy:nuts"}},
		{"Which languages do you speak?", "Dutch, French and a bit of Polish", []string{"language:dutch", "language:french", "language:polish"}},
		{"What's your name and how old are you?", "Priya, 34", []string{"name=Priya", "age=34"}},
		{"What's your name, and what do you do for a living?", "Marisol, tram driver", []string{"name=Marisol", "role=tram driver"}},
		{"Where do you live?", "Lyon, France", []string{"home=Lyon"}},
	} {
		var got []string
		for _, a := range extracted(t, []memd.Message{assistant(c.question)}, user(c.answer)) {
			got = append(got, holds(a))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q %q: %q, want %q", c.question, c.answer, got, c.want)
		}
	}
}

// What was just said is taken back, set right or denied in few words.
func TestFewWordsOnWhatWasSaid(t *testing.T) {
	earlier := func(m memd.Message) memd.Message {
		m.ID = 5
		return m
	}
	for _, c := range []struct {
		before memd.Message
		text   string
		want   []string
	}{
		{user("I have a cat"), "Just kidding", []string{"forget I have a cat"}},
		{user("I have a cat"), "jk lol", []string{"forget I have a cat"}},
		{user("I have a cat"), "scratch that", []string{"forget I have a cat"}},
		{user("I have three kids"), "no, 2", []string{"forget I have three kids", "number of children=2"}},
		{user("I have a dog called Rex"), "I no longer have a dog", []string{"!pet:rex"}},
		{user("I have a cat called Miso"), "My cat died", []string{"!pet:miso"}},
		{user("Rex is a dog's name"), "I no longer have a dog", []string{"!has:dog"}},
		{assistant("You like olives, so here is a recipe."), "No I don't", []string{"forget You like olives, so here is a recipe", "!taste:olives"}},
		{user("What is the capital of Peru?"), "just kidding", nil},
		{user("I live in Rome"), "no, 2", nil},
	} {
		var got []string
		for _, a := range extracted(t, []memd.Message{earlier(c.before)}, user(c.text)) {
			if a.Forget {
				got = append(got, "forget "+a.Text)
			} else {
				got = append(got, holds(a))
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q %q: %q, want %q", c.before.Text, c.text, got, c.want)
		}
	}
	if got := extracted(t, nil, user("I have a cat. Just kidding")); len(got) != 0 {
		t.Errorf("%s", quoted(texts(got)))
	}
}

func TestAnswerLengthIsKept(t *testing.T) {
	for text, want := range map[string]string{
		"Please keep answers short": "answer length=short", "Please give me long, detailed answers": "answer length=long", "Please give me detailed replies": "answer length=detailed",
	} {
		if got := extracted(t, nil, user(text)); len(got) != 1 || holds(got[0]) != want {
			t.Errorf("%q: %+v, want %q", text, got, want)
		}
	}
	if got := extracted(t, nil, user("Give me a long answer")); len(got) != 0 {
		t.Errorf("%s", quoted(texts(got)))
	}
}
