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
		"I divorced Ana": "marital status=divorced", "we got divorced last month": "marital status=divorced", "My husband divorced me": "marital status=divorced", "I'm single again": "marital status=single", "My wife passed away": "!partner", "My husband Tom died in May": "!partner=Tom", "I'm a widow": "marital status=widowed", "I lost my husband last year": "!partner", "I lost my husband in the crowd and found him": "", "I'm in a happy relationship": "marital status=in a relationship", "I'm not in a relationship": "!marital status=in a relationship",
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

func TestHowOftenAndWhatIsUsed(t *testing.T) {
	slotTable(t, map[string]string{
		"I run twice a week": "habit:run=twice a week", "I run four times a week now": "habit:run=four times a week", "I go running twice a week": "habit:run=twice a week", "I don't go running anymore": "!habit:run", "I meditate every day": "habit:meditate=every day",
		"I play tennis 3 times a week": "habit:play tennis=3 times a week", "I run 5 km twice a week": "habit:run=5 km", "I drink coffee every morning": "habit:drink coffee",
		"we switched to Postgres": "habit:use postgres", "We moved to Postgres last week": "habit:use postgres", "I switched to Linux": "habit:use linux", "I moved to Python": "habit:use python", "We moved to Slack last week": "habit:use slack", "we switched from MySQL to Postgres": "!habit:use mysql", "We migrated to Kubernetes in March": "habit:use kubernetes", "We replaced MySQL with Postgres": "!habit:use mysql", "We replaced Tom with Anna": "",
		// Of something else:
		"I switched to decaf": "", "I moved to Bonn last week": "home=Bonn", "I switched to German": "", "I run a bakery": "has:bakery", "we moved to Monday": "", "I switched to plan B": "",
	})
}

// How much one takes of a medicine changes, where the dose is not one of several a day.
func TestDoses(t *testing.T) {
	for text, want := range map[string]string{
		"I take 50mg of sertraline":                "habit:take sertraline=50mg",
		"I take 100mg of sertraline now":           "habit:take sertraline=100mg",
		"I take 2 tablets of magnesium":            "habit:take magnesium=2 tablets",
		"I take 50mg of sertraline in the morning": "habit:take 50mg of sertraline",
		"I don't take sertraline anymore":          "!habit:take sertraline",
	} {
		got := extracted(t, nil, user(text))
		if len(got) != 1 || holds(got[0]) != want {
			t.Errorf("%q: %s", text, quoted(retold(got)))
		}
	}
}

// What only looks like an end or a move, and what is of another: with what tells it apart.
func TestWhatATellingWordTellsApart(t *testing.T) {
	slotTable(t, map[string]string{
		"I don't speak German well": "", "I don't speak German": "!language:german", "I don't speak German anymore": "!language:german",
		"I'm not married to a doctor": "", "I'm not married": "!marital status=married", "I'm no longer married to Tom": "!marital status=married",
		"Rex ran away, then came back": "", "Rex ran away but we found him": "", "Rex ran away": "!pet:rex",
		"I moved to the front row in Milan": "", "I moved to another desk in Milan": "", "I moved to a new flat in Milan": "home=Milan", "I moved to Milan": "home=Milan",
		"my cat is 3": "cat|age=3", "my other cat is 5": "other cat|age=5", "My other cat, Bo, is 5": "bo|age=5",
		"we use Postgres 14 at work": "version:postgres=14", "we use Postgres 16 at home": "version:postgres home=16", "we upgraded to Postgres 16": "version:postgres=16",
	})
}
