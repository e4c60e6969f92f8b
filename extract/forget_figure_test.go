package extract

import (
	"slices"
	"testing"

	"github.com/memdhq/memd"
)

// Nothing is forgotten by a figure of speech, nor by what only tells of not knowing.
func TestFiguresOfForgettingAskForNothing(t *testing.T) {
	for _, text := range []string{
		"forget my diet, let's order pizza", "Forget my job, let's talk about football", "forget my name, who cares", "forget my dog, what about yours?", "forget my job and let's talk about football",
		"Forget my diet. Let's order pizza.", "Forget my job. Let's talk about football.", "forget my budget. Let's get the big one!", "Forget my diet. Who cares?",
		"forget my diet, it's friday", "forget my diet, i'm starving", "Forget that I'm on keto, let's order pizza", "forget about the gluten thing, let's talk about Rome",
		"dont remember my blood type", "dont know my phone number", "don't remember my phone number", "Don't know my address.", "dont remember what i said", "never remember my phone number", "forget Leo, who needs him",
	} {
		for _, c := range extracted(t, nil, user(text)) {
			if c.Forget {
				t.Errorf("%q: %+v", text, c)
			}
		}
	}
	for _, text := range []string{"forget my diet, let's order pizza", "forget my name, who cares"} {
		if got := extracted(t, nil, user(text)); len(got) != 0 {
			t.Errorf("%q: %s", text, quoted(texts(got)))
		}
	}
	if got := asked(t, nil, "forget my diet, I live in Rome"); !slices.Contains(got, "+I live in Rome") {
		t.Errorf("%q", got)
	}
}

func TestRequestsToForgetAreHeeded(t *testing.T) {
	for text, want := range map[string]string{
		"forget my dog": "about my dog", "forget my dog, please": "about my dog", "forget my dog, i gave her away": "about my dog", "forget my diet - it is over": "diet", "forget my diet, I'm not on keto anymore": "diet",
		"forget my salary, that's private": "salary", "forget my name, email and address": "email address", "forget my address and my phone number": "phone number", "can you forget my name?": "name",
		"can you forget my address, please?": "address", "please don't remember my phone number": "phone number", "don't remember my name please": "name", "don't store my phone number": "phone number",
		"don't save my salary": "salary", "don't remember my blood type for me": "blood type", "you don't need to remember my salary": "salary", "please forget Leo": "about leo", "Forget Leo please": "about leo",
		"i don't want you to remember my salary": "about my earn",
		"Forget my diet. I want pizza.":          "diet", "Forget my diet.": "diet", "Forget my diet. Thanks!": "diet", "Forget my address. Let's use my sister's.": "address", "Forget my name. Let's talk about football.": "name", "Forget my diet. What's new?": "diet", "Forget my diet. I'm not vegan anymore.": "diet",
	} {
		if got := asked(t, nil, text); !slices.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"erase all memories", "clear all memories", "please delete all the data you have on me", "forget about me", "Delete all information about me", "forget everything you know about me"} {
		if got := asked(t, nil, text); !slices.Equal(got, []string{"about " + memd.Everything}) {
			t.Errorf("%q: %q", text, got)
		}
	}
	for _, text := range []string{"erase all memories of the trip", "delete all the data in the table", "clear the cache", "forget about lunch"} {
		if got := asked(t, nil, text); slices.Contains(got, "about "+memd.Everything) {
			t.Errorf("%q: %q", text, got)
		}
	}
}
