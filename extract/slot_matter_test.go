package extract

import (
	"testing"

	"github.com/memdhq/memd"
)

// slotTable holds texts against what they are about.
func slotTable(t *testing.T, cases map[string]string) {
	t.Helper()
	for text, want := range cases {
		got := extracted(t, nil, user(text))
		if len(got) != 1 || holds(got[0]) != want {
			all := ""
			for _, c := range got {
				all += " " + holds(c)
			}
			t.Errorf("%q: %s,%s; want %s", text, quoted(texts(got)), all, want)
		}
	}
}

func TestWhoIsThePartnerNoMore(t *testing.T) {
	slotTable(t, map[string]string{
		"we broke up": "!partner", "Nina and I broke up": "!partner=Nina", "My wife and I split up": "!partner", "I left my husband last year": "!partner", "I left my wife": "!partner",
		"Lisa left me": "!partner=Lisa", "My girlfriend left me last month": "!partner", "Lisa left me for someone else": "!partner=Lisa", "my boyfriend dumped me": "!partner", "I dumped Tom": "!partner=Tom",
		"I divorced Ana": "marital status=divorced", "we got divorced last month": "marital status=divorced", "My husband divorced me": "marital status=divorced", "I'm single again": "marital status=single", "I'm in a happy relationship": "marital status=in a relationship", "I'm not in a relationship": "!marital status=in a relationship",
		"I live alone now": "!lives with", "I live by myself": "!lives with", "I live on my own since May": "!lives with", "I don't live alone anymore": "lives with", "I live with Ana": "lives with:ana",
		"My girlfriend moved out": "!lives with:partner", "My sister Ana moved out last week": "!lives with:ana", "Ana moved out of our flat": "!lives with:ana",
		// Of something else:
		"Lisa left me a note": "", "Lisa left me the keys": "", "Lisa left me at the station": "", "My boss left me in charge": "", "I left my husband at home": "", "I left my wife a message": "", "Lisa left me alone with the kids": "",
		"My wife left me for the weekend": "", "I live alone in Graz": "home=Graz", "I travel alone": "", "The tenants moved out": "",
	})
	got := extracted(t, []memd.Message{user("I live with my brother Tom"), assistant("Nice!")}, user("he moved out yesterday"))
	if len(got) != 1 || holds(got[0]) != "!lives with:tom" {
		t.Errorf("%s", quoted(texts(got)))
	}
}

func TestWhatIsGivenUp(t *testing.T) {
	slotTable(t, map[string]string{
		"I gave the cat away": "!has:cat", "We gave our dog up for adoption": "!has:dog", "We had to give the hens away": "!has:hens", "I gave the piano away": "!piano", "we put the dog to sleep": "!has:dog",
		"I quit coffee": "!habit:drink coffee", "I stopped playing the piano": "!habit:play piano", "sold my car": "!car", "I sold my car": "!car", "I don't take the bus anymore": "!commute=bus", "we got rid of the car": "!car",
		"I dropped out of university": "!studies", "I finished my thesis": "!in the middle of:thesis", "I've submitted my dissertation!": "!in the middle of:dissertation", "I'm writing my thesis": "in the middle of:thesis", "I'm working on a crime novel": "in the middle of:novel",
		"Rex died": "!pet:rex", "My dog is called Max now": "pet:max", "I finished my chemistry degree": "!studies=chemistry",
		// Of something else:
		"I gave the secret away": "", "I put the dog down on the sofa": "", "I gave the keys away": "", "I finished the book you gave me": "", "I dropped out of the race": "",
	})
}
