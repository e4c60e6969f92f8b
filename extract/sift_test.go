package extract

import (
	"context"
	"slices"
	"testing"

	"github.com/memdhq/memd"
)

// What is taken back in the same message, and what only sounds so.
func TestTakenBackInTheSameBreath(t *testing.T) {
	for _, c := range []struct {
		said string
		want []string
	}{
		{"I love coriander. Actually, I hate it.", []string{"I hate coriander"}},
		{"I love coriander. Well, actually I don't like it.", []string{"I don't like coriander"}},
		{"I love coriander. Actually, I love it.", []string{"I love coriander"}},
		{"I have a car. Actually, I hate it.", []string{"I have a car"}},
		{"I am vegan. Just kidding, I eat steak every day.", []string{"I eat steak every day"}},
		{"I am vegan. Just kidding!", nil},
		{"I live in Porto. Forget it, I will do it myself.", []string{"I live in Porto"}},
		{"I live in Porto. Forget it, it's fine.", []string{"I live in Porto"}},
		{"I live in Porto. Forget it.", nil},
		{"I live in Porto. Forget that, I live in Lisbon.", []string{"I live in Lisbon"}},
	} {
		e, err := NewRules().Extract(context.Background(), Input{Messages: []memd.Message{user(c.said)}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, candidate := range e.Candidates {
			got = append(got, candidate.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.said, got, c.want)
		}
	}
}

// What is left out for more than being not worth keeping is nobody's to choose.
func TestWhatMayBeChosen(t *testing.T) {
	for _, c := range []struct {
		said         string
		kept, chosen []string
	}{
		{"I am at the station. I bought a red bike.", []string{"I bought a red bike"}, []string{"I am at the station"}},
		{"Let's roleplay. I am at the station. My name is Polly.", nil, nil},
		{"I am at the station. Forget that.", nil, nil},
		{"I live in Porto. Sorry, I meant Lisbon. I am at the station.", []string{"I live in Lisbon"}, []string{"I am at the station"}},
	} {
		all, err := NewRules().Sift(context.Background(), Input{Messages: []memd.Message{user(c.said)}})
		if err != nil {
			t.Fatal(err)
		}
		var kept, chosen []string
		for _, s := range all {
			if s.Kept {
				kept = append(kept, s.Text)
			} else if !slices.ContainsFunc(all, func(o Sifted) bool { return o.Kept && o.Text == s.Text }) {
				chosen = append(chosen, s.Text)
			}
		}
		if !slices.Equal(kept, c.kept) || !slices.Equal(chosen, c.chosen) {
			t.Errorf("%q: kept %q, %q to be chosen; want %q, %q", c.said, kept, chosen, c.kept, c.chosen)
		}
	}
}
