package extract

import (
	"testing"

	"github.com/memdhq/memd"
)

func TestSlots(t *testing.T) {
	for _, c := range []struct {
		text, slot string
		negated    bool
	}{
		{"My name is Ana", "name", false},
		{"my name's ana lopes", "name", false},
		{"Call me Bobby", "name", false},
		{"Hi, I'm Marta", "name", false},
		{"Everyone calls me Kit", "name", false},
		{"My name is not Robert", "name", true},
		{"Don't call me Robert", "name", true},
		{"I live in Porto", "home", false},
		{"i live in porto", "home", false},
		{"I just moved to Lisbon last week", "home", false},
		{"We've moved to Oslo", "home", false},
		{"Actually, I'm now living in Ghent", "home", false},
		{"I'm based in Rome", "home", false},
		{"I no longer live in Porto", "home", true},
		{"I don't live in Porto anymore", "home", true},
		{"I work at Siemens", "work", false},
		{"I'm working for Acme Corp now", "work", false},
		{"I just started a new job at Bosch", "work", false},
		{"I no longer work at Siemens", "work", true},
		{"I quit my job at Siemens", "work", true},
		{"My favorite color is blue", "favorite:color", false},
		{"My favourite colour is green", "favorite:color", false},
		{"my fav movie is Tampopo", "favorite:movie", false},
		{"My favorite movies are Tampopo and Big Night", "favorite:movie", false},
		{"Teal is my favorite color", "favorite:color", false},
		{"My favorite color is no longer blue", "favorite:color", true},
		{"My favorite color isn't blue", "favorite:color", true},
		{"My favorite ice cream flavor is mango", "favorite:ice cream flavor", false},
		{"I'm vegan", "diet", false},
		{"im vegan", "diet", false},
		{"I am a strict vegetarian now", "diet", false},
		{"I’m vegan", "diet", false},
		{"I've become pescatarian", "diet", false},
		{"I'm on a keto diet", "diet", false},
		{"I'm no longer vegan", "diet", true},
		{"I'm not vegetarian", "diet", true},
		{"I'm allergic to nuts", "allergy:nuts", false},
		{"I am severely allergic to tree nuts.", "allergy:tree nuts", false},
		{"I'm not allergic to nuts", "allergy:nuts", true},
		{"I'm no longer allergic to cats", "allergy:cats", true},
		{"I have a peanut allergy", "allergy:peanut", false},
		{"I don't have a peanut allergy", "allergy:peanut", true},

		{"My sister is vegan", "", false},
		{"My sister's name is Ana", "", false},
		{"Ana lives in Porto", "", false},
		{"My brother works at Siemens", "", false},
		{"My son is allergic to nuts", "", false},
		{"My sister's favorite color is blue", "", false},
		{"I used to live in Porto", "", false},
		{"I lived in Porto", "", false},
		{"I might move to Oslo", "", false},
		{"If I lived in Oslo I'd ski", "", false},
		{"I live in fear", "", false},
		{"I live in a small flat", "", false},
		{"I moved to the sofa", "", false},
		{"I moved to Python", "", false},
		{"I also work at Bosch", "", false},
		{"I work at night", "", false},
		{"I work for myself", "", false},
		{"I work at home", "", false},
		{"I work as a nurse", "", false},
		{"One of my favorite films is Tampopo", "", false},
		{"My least favorite color is blue", "", false},
		{"My favorite part of the trip is the food", "", false},
		{"My favorite color used to be blue", "", false},
		{"My favorite color was blue", "", false},
		{"I wish I was vegan", "", false},
		{"I'm not only vegan but raw", "", false},
		{"I cook vegan food", "", false},
		{"I'm allergic to nuts and eggs", "", false},
		{"I think I'm allergic to nuts", "", false},
		{"Call me tomorrow", "", false},
		{"Call me when you arrive", "", false},
		{"My name is hard to spell", "", false},
		{"Hi, I'm German", "", false},
		{"Hi, I'm tired", "", false},
		{"He said I'm vegan", "", false},
	} {
		got := extracted(t, nil, user(c.text))
		if len(got) != 1 {
			t.Errorf("%q: %d statements", c.text, len(got))
			continue
		}
		if got[0].Slot != c.slot || got[0].Negated != c.negated {
			t.Errorf("%q: slot %q negated %v, want %q %v", c.text, got[0].Slot, got[0].Negated, c.slot, c.negated)
		}
	}
	for _, m := range []memd.Message{assistant("I live in Porto"), assistant("My name is Ada"), user("Vivo en Porto")} {
		if got := extracted(t, nil, m); len(got) != 1 || got[0].Slot != "" {
			t.Errorf("%q: %+v", m.Text, got)
		}
	}
	joined := extracted(t, nil, user("I live in Porto. It rains a lot. I'm vegan. It is easy."))
	if len(joined) != 2 || joined[0].Slot != "home" || joined[1].Slot != "diet" {
		t.Errorf("joined: %+v", joined)
	}
}
