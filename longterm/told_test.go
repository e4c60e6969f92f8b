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
		{"I live in Lyon", "You live in Lyon, so try Du Palais. It opens at nine", "[…] so try Du Palais. It opens at nine"},
		{"My brother lives in Lyon", "Trains to Lyon are late today", "Trains to Lyon are late today"},
		{"My sister Anna is a vet; Write me a poem about pirates; Translate clause 3 into Welsh", "Got it: My sister Anna is a vet. Ahoy!", "[…] Ahoy!"},
		{"My birthday is on 3 May", "A party for your birthday on 3 May: cake and games", "[…] cake and games"},
		{"We meet Odo on Friday (2026-12-04)", "Odo is free on Friday, in the bar", ""},
		{"My ex is Bernd", "To block Bernd, open the settings", "[…] open the settings"},
		{"My salary is 87450 euros", "With 87,450 euros you pay about 36% tax. Ask a clerk", "[…] Ask a clerk"},
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

// What answers somebody is not shown for a word of what was taken away of what they said; but for
// one of its own, not for an everyday one.
func TestOneWordOfItsOwnIsSaidBack(t *testing.T) {
	if n := len(everyday()); n < 150 {
		t.Fatalf("%d everyday words", n)
	}
	for _, c := range []struct {
		away, answer string
		said         bool
	}{
		{"I am allergic to peanuts", "I'll keep peanuts out of the recipes.", true},
		{"I'm writing a novel called Ashfall", "Ashfall is a great title.", true},
		{"I have diabetes", "With diabetes, cake should be rare.", true},
		{"I live at 12 Elm Street", "I saved Elm Street.", true},

		{"I moved to Hamburg in March", "The deadline for the Quill grant is 31 March.", false},
		{"I owe Bob 40 euros", "The Krona trip cost 1240 euros in total.", false},
		{"I have two kids", "Wait two minutes and log in as admin.", false},
		{"My daughter is called Lena and is 7", "The station is called Nord; take tram 7.", false},
		{"I live in Rome", "listen 8080; live_restore: true", false},
		{"I play chess on Mondays", "The shop is closed on Mondays.", false},
		{"I need a new number", "You need to note the number of the form.", false},
	} {
		if got := awayOf(c.away).hasWord(termsOf(c.answer)); got != c.said {
			t.Errorf("%q in %q: %v", c.away, c.answer, got)
		}
	}
}

// What was rewritten and says all of what it said before takes nothing away.
func TestWhatIsStillSaidIsNotAway(t *testing.T) {
	for _, c := range []struct {
		was, still string
		is         bool
		changed    int
	}{{"I like tea", "I like tea very much", false, 0}, {"I live in Rome", "I live in Rome, Italy", false, 0}, {"I live in Rome", "I live in Oslo", true, 1}, {"I live in Rome", "", true, 0}} {
		a, is := awayOf(c.was).less(termsOf(c.still))
		if is != c.is || len(a.changed) != c.changed {
			t.Errorf("%q, and %q is said: away %v, %d changed", c.was, c.still, is, len(a.changed))
		}
	}
}
