package extract

import (
	"slices"
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

// holds is what a statement is about, as the tests write it: subject|slot=value, "!"
// before it for a denial.
func holds(c memd.Candidate) string {
	if c.Slot == "" || strings.HasPrefix(c.Slot, "does:") {
		return "" // what is just done can only be over
	}
	out := c.Slot
	if c.Subject != "" {
		out = c.Subject + "|" + out
	}
	if c.Value != "" {
		out += "=" + c.Value
	}
	if c.Negated {
		out = "!" + out
	}
	return out
}

func TestSlots(t *testing.T) {
	for text, want := range map[string]string{
		"My name is Ana":                            "name=Ana",
		"my name's ana lopes":                       "name=ana lopes",
		"Hi, I'm Marta":                             "name=Marta",
		"My name is not Robert":                     "!name=Robert",
		"My name is not Robert but Rupert":          "name=Rupert",
		"Call me Bobby":                             "called=Bobby",
		"Please call me Captain, my friends all do": "called=Captain",
		"Everyone calls me Kit":                     "called=Kit",
		"I go by Teddy":                             "called=Teddy",
		"Don't call me Robert":                      "!called=Robert",
		"btw my pronouns are they/them":             "pronouns=they/them",
		"I use she/her pronouns":                    "pronouns=she/her",

		"I'm 34 years old":               "age=34",
		"im 34":                          "age=34",
		"I turned 35 yesterday":          "age=35",
		"I'm 41, not 14":                 "age=41",
		"My daughter is 5":               "daughter|age=5",
		"I was born on 7 May 1990":       "birthday=7 May 1990",
		"My birthday is on March 3rd":    "birthday=March 3rd",
		"My mum's birthday is on 2 July": "mother|birthday=2 July",

		"I live in Porto":                             "home=Porto",
		"i live in porto":                             "home=porto",
		"I live in Porto, Portugal":                   "home=Porto",
		"I live in New York City now":                 "home=New York City",
		"I live in The Hague":                         "home=the Hague",
		"I just moved to Lisbon last week":            "home=Lisbon",
		"We've moved to Oslo":                         "home=Oslo",
		"We moved back to Cork":                       "home=Cork",
		"moved into our new flat in Linz on saturday": "home=Linz",
		"Actually, I'm now living in Ghent":           "home=Ghent",
		"I'm based in Rome":                           "home=Rome",
		"As I said, I live in Rome":                   "home=Rome",
		"I no longer live in Porto":                   "!home=Porto",
		"I don't live in Porto anymore":               "!home=Porto",
		"I moved away from Porto":                     "!home=Porto",
		"I don't live in Leeds but in Leiden":         "home=Leiden",
		"My sister lives in Turku":                    "sister|home=Turku",
		"My friend Aitor lives in Oslo now":           "aitor|home=Oslo",
		"Ana lives in Porto":                          "ana|home=Porto",

		"I work at Siemens":                       "work=Siemens",
		"I work at Northwind as a manager":        "work=Northwind",
		"I work at the city library":              "work=the city library",
		"I'm working for Acme Corp now":           "work=Acme Corp",
		"I just started a new job at Bosch":       "work=Bosch",
		"I no longer work at Siemens":             "!work=Siemens",
		"I quit my job at Siemens":                "!work=Siemens",
		"I got laid off from Siemens":             "!work=Siemens",
		"I quit my job":                           "!work",
		"I retired last year":                     "!work",
		"My wife started a new job at Ferrolux":   "partner|work=Ferrolux",
		"I work as a nurse":                       "role=nurse",
		"I'm a paramedic with the county service": "role=paramedic",
		"I study chemistry in Uppsala":            "studies=chemistry",
		"I'm studying law":                        "studies=law",
		"I finished my chemistry degree":          "!studies=chemistry",
		"I dropped out of law school":             "!studies=law",

		"I'm single":                   "marital status=single",
		"I'm married now":              "marital status=married",
		"I'm not married":              "!marital status=married",
		"My girlfriend is called Nina": "partner=Nina",
		"My wife is Ana":               "partner=Ana",
		"Nina and I broke up":          "!partner=Nina",
		"I broke up with my boyfriend": "!partner",
		"My mother's name is Inês":     "mother=Inês",
		"My brother's name is Ilias":   "brother:ilias",
		"We have two kids":             "number of children=two",

		"We have a dog named Bruno":          "pet:bruno",
		"my cat is called Pip":               "pet:pip",
		"I adopted a greyhound called Comet": "pet:comet",
		"Bruno died on Sunday, we miss him":  "!pet:bruno",
		"We have three cats now":             "number of cats=three",
		"I speak Polish":                     "language:polish",
		"I don't speak French":               "!language:french",
		"My mother tongue is Basque":         "native language=Basque",

		"My favorite color is blue":                    "favorite:color=blue",
		"My favourite colour is green":                 "favorite:color=green",
		"my fav movie is Tampopo":                      "favorite:movie=Tampopo",
		"My favourite film is The Salt Road":           "favorite:movie=The Salt Road",
		"My favorite movies are Tampopo and Big Night": "favorite:movie=Tampopo and Big Night",
		"Teal is my favorite color":                    "favorite:color=Teal",
		"My favorite color is no longer blue":          "!favorite:color=blue",
		"My favorite color isn't blue":                 "!favorite:color=blue",
		"Tennis is no longer my favourite sport":       "!favorite:sport=Tennis",
		"My favorite ice cream flavor is mango":        "favorite:ice cream flavor=mango",

		"I love coriander":                   "taste:coriander",
		"My favorite color is dark green":    "favorite:color=dark green",
		"My favorite movie is Up":            "favorite:movie=Up",
		"My favorite drink is hot chocolate": "favorite:drink=hot chocolate",
		"My bank is Starling":                "bank=Starling",
		"My hometown is New Ross":            "hometown=New Ross",
		"My last name is Lopez":              "last name=Lopez",
		"My name is Christian":               "name=Christian",
		"I can't stand coriander":            "!taste:coriander",
		"i really like coriander a lot":      "taste:coriander",
		"I don't like coriander":             "!taste:coriander",
		"I'm not a fan of coriander":         "!taste:coriander",
		"I love running now":                 "taste:running",
		"I don't like running in the rain":   "!taste:running in the rain",
		"My sister hates coriander":          "!sister|taste:coriander",

		"I'm vegan":                           "diet=vegan",
		"im vegan":                            "diet=vegan",
		"I am a strict vegetarian now":        "diet=vegetarian",
		"I’m vegan":                           "diet=vegan",
		"I've become pescatarian":             "diet=pescatarian",
		"I'm on a keto diet":                  "diet=keto",
		"I eat meat again":                    "diet=meat",
		"I'm no longer vegan":                 "!diet=vegan",
		"I stopped being vegan":               "!diet=vegan",
		"I'm not vegetarian":                  "!diet=vegetarian",
		"My sister is vegan":                  "sister|diet=vegan",
		"I'm allergic to nuts":                "allergy:nuts",
		"I am severely allergic to tree nuts": "allergy:tree nuts",
		"I'm not allergic to nuts":            "!allergy:nuts",
		"I'm no longer allergic to cats":      "!allergy:cats",
		"I have a peanut allergy":             "allergy:peanut",
		"I don't have a peanut allergy":       "!allergy:peanut",
		"I'm lactose intolerant":              "allergy:lactose",
		"My son is allergic to nuts":          "son|allergy:nuts",
		"I have asthma":                       "health:asthma",

		"I eat fish twice a week":                        "habit:eat fish=twice a week",
		"I no longer eat fish":                           "!habit:eat fish",
		"I go to the gym every Monday":                   "habit:go to gym",
		"I stopped going to the gym":                     "!habit:go to gym",
		"I quit smoking":                                 "!habit:smoke",
		"I don't smoke":                                  "!habit:smoke",
		"I smoke again, sadly":                           "habit:smoke",
		"I play the oboe":                                "habit:play oboe",
		"i dont subscribe to the morning ledger anymore": "!habit:subscribe to morning ledger",

		"My phone is a Lumo 4":                          "phone=Lumo 4",
		"I drive an old Skova estate":                   "car=Skova",
		"I sold my car":                                 "!car",
		"Sold the Skova today":                          "!over:skova",
		"My blood type is A positive":                   "blood type=A positive",
		"My driving test is on 5 May 2025":              "date:driving test=5 may 2025",
		"My driving test was moved to 19 May 2025":      "date:driving test=19 may 2025",
		"My train is at 6:15 tomorrow morning":          "date:train=6:15 2024-02-29",
		"The wedding is at 3pm in the town hall":        "date:wedding=3pm",
		"The launch is at the end of June":              "date:launch=2024-06",
		"My meeting is at 3 Main Street":                "",
		"Our deadline is 5 May":                         "deadline=2024-05-05",
		"My driving test was cancelled":                 "!date:driving test",
		"I'm going to the Blåtind festival in August":   "going to:blåtind festival",
		"I'm not going to the Blåtind festival anymore": "!over:blåtind",
		"I'm training for the Gdansk marathon":          "training for:gdansk marathon",
		"Finished the Gdansk marathon yesterday":        "!training for:gdansk marathon",
		"I've never been to Japan":                      "!been to:japan",
		"Got back from Japan yesterday":                 "been to:japan",

		"Always answer me in French":           "answer language=French",
		"Please keep your answers short":       "answer length=short",
		"No emojis, ever":                      "!answer with emojis",
		"Please always answer in metric units": "answer units=metric",
		"we use Postgres 16":                   "version:postgres=16",
		"The API listens on port 8080":         "api|port=8080",
		"Our backend is written in Go":         "backend|written in=Go",
		"Deadline for the beta is 2025-06-30":  "beta|deadline=2025-06-30",
	} {
		got := extracted(t, nil, user(text))
		if len(got) != 1 {
			t.Errorf("%q: %s", text, quoted(texts(got)))
			continue
		}
		if holds(got[0]) != want {
			t.Errorf("%q: %q, want %q", text, holds(got[0]), want)
		}
	}
}

// What is said of others, of the past, or only supposed gets no slot, nor does what
// can be true beside another of its kind.
func TestNoSlots(t *testing.T) {
	for _, text := range []string{
		"My friend lives in Oslo", "My late husband lived in Oslo", "I lived in Porto", "I live in Porto, I think", "I might move to Oslo", "If I lived in Oslo I'd ski", "I live in fear", "I live in a small flat",
		"I moved to the sofa", "I'm in Berlin this week for a conference", "I also work at Bosch", "I also work at a café on Saturdays", "I work at night", "I work for myself", "I work at home",
		"I administer Northwind's repository", "One of my favorite films is Tampopo", "My least favorite color is blue", "My favorite part of the trip is the food", "My favorite color used to be blue", "My favorite color was blue", "I wish I was vegan",
		"I'm not only vegan but raw", "I cook vegan food", "I think I'm allergic to nuts", "Call me tomorrow", "Call me when you arrive", "My name is hard to spell", "Hi, I'm German", "Hi, I'm tired", "He said I'm vegan",
		"I'm 20 minutes away", "I'm 15 weeks pregnant", "I love it", "I love that you asked", "I would like tea", "I'd love a dog", "I like coffee when it's cold", "I hope to work at Bosch",
		"I'm thinking of moving to Rome", "I almost moved to Rome", "In my novel I live in Rome", "Let's pretend I'm a pirate named Redbeard", "My boss Renate quit yesterday", "Stopped by the gym earlier", "I never forget a face", "My sister and I live in Rome",
		"I'm planning to quit my job", "My mum keeps saying I'm allergic to cats", "I ate fish yesterday", "We got married five years ago in Sintra", "I have a meeting at Siemens", "My brother's friend lives in Rome", "Ana and Rui live in Rome",
	} {
		for _, c := range extracted(t, nil, user(text)) {
			if holds(c) != "" {
				t.Errorf("%q: %q", text, holds(c))
			}
		}
	}
	for _, m := range []memd.Message{calledAda(assistant("I live in Porto")), calledAda(assistant("My name is Ada"))} {
		if got := extracted(t, nil, m); len(got) != 1 || holds(got[0]) != "" {
			t.Errorf("%q: %+v", m.Text, got)
		}
	}
}

func calledAda(m memd.Message) memd.Message {
	m.Name = "Ada"
	return m
}

// What changes apart is stated apart.
func TestClausesWithSlotsOfTheirOwn(t *testing.T) {
	for text, want := range map[string][]string{
		"I live in Porto. It rains a lot. I'm vegan. It is easy.":                                 {"home=Porto", "diet=vegan"},
		"I'm 45 and I live in Ostrava":                                                            {"age=45", "home=Ostrava"},
		"I'm 45 and live in Ostrava":                                                              {"age=45", "home=Ostrava"},
		"I finished my chemistry degree and now I work at Norrvik":                                {"!studies=chemistry", "work=Norrvik"},
		"my favourite author is Ruthanne Obi and my fav pizza topping is pineapple dont judge me": {"favorite:author=Ruthanne Obi", "favorite:pizza topping=pineapple"},
		"I hate horror films, I only watch them with my boyfriend":                                {"!taste:horror films"},
		"I live in Graz, near the river":                                                          {"home=Graz"},
		"I love my wife and my kids":                                                              {""},
	} {
		var got []string
		for _, c := range extracted(t, nil, user(text)) {
			got = append(got, holds(c))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestCategories(t *testing.T) {
	for text, want := range map[string]string{
		"I live in Porto": "home", "I work at Bosch": "work", "My wife is called Ana": "family", "I'm vegan": "food", "I have asthma": "health", "I love tea": "preference",
		"My driving test is on 5 May 2025": "plan", "we use Postgres 16": "project", "Always answer in French": "instruction", "We have two cats": "pets",
	} {
		if got := extracted(t, nil, user(text)); len(got) != 1 || !slices.Equal(got[0].Categories, []string{want}) {
			t.Errorf("%q: %+v, want %q", text, got, want)
		}
	}
	if got := extracted(t, nil, user("The boiler broke again")); got[0].Categories != nil {
		t.Errorf("%q", got[0].Categories)
	}
}
