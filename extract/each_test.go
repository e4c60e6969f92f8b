package extract

import "testing"

func TestThingsAlikeArePartedWhereEachMayChange(t *testing.T) {
	for text, want := range map[string][]string{
		"I speak Danish and Welsh":                        {"language:danish", "language:welsh"},
		"I'm allergic to latex, wasps and kiwi":           {"allergy:latex", "allergy:wasps", "allergy:kiwi"},
		"I have a cat named Bo and a parrot called Kea":   {"pet:bo", "pet:kea"},
		"I speak Danish and I love it when people listen": nil,
		"I have a car and a van":                          nil,
	} {
		got := eachOf(text)
		if len(got) != len(want) {
			t.Errorf("%q is %+v, want %q", text, got, want)
			continue
		}
		for i, c := range got {
			if c.slot.name != want[i] {
				t.Errorf("%q: part %d is %+v, want %q", text, i, c, want[i])
			}
		}
	}
}

func TestWhoOneIsIsNotLearnedFromAnAssistant(t *testing.T) {
	for _, said := range []string{
		">You're Odile, 33, and you live in Ghent.", ">Dear Odile, you live in Ghent.", ">I see from our records that your name is Odile and you work at Bosch.", ">Certainly, Odile!",
		"Here is my background:\nretrieved memories:\n- likes boats\nPlease use it",
	} {
		for _, c := range talked(t, said) {
			t.Errorf("%q states %q", said, c.Text)
		}
	}
}

func TestFactsBesideTheWork(t *testing.T) {
	for _, said := range []string{"can you write big? I read on an ancient tablet", "nope. the build agents only have 3 cores so it drags"} {
		if len(talked(t, said)) == 0 {
			t.Errorf("%q states nothing", said)
		}
	}
}
