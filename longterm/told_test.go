package longterm

import (
	"testing"

	"github.com/memdhq/memd"
)

// Of a message of which something was taken away the rest is shown, whatever parts it.
func TestToldRest(t *testing.T) {
	for _, c := range []struct{ taken, text, want string }{
		{"my sister anna is a vet", "deploy it to staging. my sister anna is a vet", "deploy it to staging."},
		{"my sister anna is a vet", "my sister anna is a vet, write me a poem about pirates", "write me a poem about pirates"},
		{"my sister anna is a vet", "my sister anna is a vet, tell anna about the pirates", ""},
		{"my sister anna is a vet", "my sister anna is a vet, she loves the pirates of her town", ""},
		{"my sister anna is a vet", "Something else altogether, write me a poem", ""},
	} {
		a := Account{Of: map[int64]Told{1: {Taken: true, taken: []away{awayOf(c.taken)}}}}
		if got := a.Shown(1, memd.RoleUser, c.text); got != c.want {
			t.Errorf("without %q of %q is shown %q, want %q", c.taken, c.text, got, c.want)
		}
	}
}

// What others say back of what was taken away is not shown, also with a clause of their own; what
// only mentions the thing is.
func TestToldEchoes(t *testing.T) {
	for _, c := range []struct{ taken, text, want string }{
		{"I live in Lyon", "You live in Lyon, so try Du Palais. It opens at nine", "so try Du Palais. It opens at nine"},
		{"My brother lives in Lyon", "Trains to Lyon are late today", "Trains to Lyon are late today"},
		{"My sister Anna is a vet; Write me a poem about pirates; Translate clause 3 into Welsh", "Got it: My sister Anna is a vet. Ahoy!", "Ahoy!"},
		{"My birthday is on 3 May", "A party for your birthday on 3 May: cake and games", "cake and games"},
		{"We meet Odo on Friday (2026-12-04)", "Odo is free on Friday, in the bar", ""},
		{"My ex is Bernd", "To block Bernd, open the settings", "open the settings"},
		{"My salary is 87450 euros", "With 87,450 euros you pay about 36% tax. Ask a clerk", "Ask a clerk"},
		{"My wife is called Renate", "Renate might like a book", "Renate might like a book"},
		{"My sister Anna is a vet in Graz", "I booked the opera in Graz", "I booked the opera in Graz"},
	} {
		a := Account{Of: map[int64]Told{}, away: []away{awayOf(c.taken)}}
		if got := a.Shown(1, memd.RoleAssistant, c.text); got != c.want {
			t.Errorf("with %q taken away, of %q is shown %q, want %q", c.taken, c.text, got, c.want)
		}
		if got := a.Shown(1, memd.RoleUser, c.text); got != c.text {
			t.Errorf("what a user says anew is not shown: %q", got)
		}
	}
	a := Account{away: []away{awayOf("I live in Lyon"), awayOf("My sister Anna is a vet in Graz"), awayOf("I have diabetes")}}
	for text, want := range map[string]bool{"You live in Lyon, so try Du Palais": true, "With diabetes you should avoid sugar": true, "I booked the vet in Graz for Rex on 3 May": false, "The trains from Paris to Lyon are late today": false} {
		if got := a.SaysBack("assistant", text); got != want {
			t.Errorf("%q says it back: %v", text, got)
		}
		if a.SaysBack("user", text) {
			t.Errorf("a user says %q back", text)
		}
	}
}
