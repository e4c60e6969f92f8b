package longterm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

func TestWhomQuestionsNameByARelation(t *testing.T) {
	for question, want := range map[string]string{
		"Where does my sister work?":                      "/sister",
		"Where does my sister's husband work?":            "/sister/husband",
		"Where does the husband of my older sister work?": "/sister/husband",
		"What does Halina's brother do?":                  "halina/brother",
		"Where does the wife of Halina’s brother work?":   "halina/brother/wife",
		"Is our neighbour's son or my boss older?":        "/neighbour/son /boss",
		"Where does my fiancé live?":                      "/fiance",
		"Where do I work?":                                "",
		"Who is a good sister?":                           "",
		"What's brother Lee like?":                        "",
		"my " + strings.Repeat("long ", 50) + "sister":    "",
	} {
		var got []string
		for _, k := range kinOf(question) {
			got = append(got, strings.Join(append([]string{k.owner}, k.relations...), "/"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q names %q, want %q", question, got, want)
		}
	}
}

// Who stands in a relation is told by what is remembered; what is said of them under their name
// is found, among however many memories, and only where the question names them.
func TestWhatIsSaidOfWhomAQuestionMeans(t *testing.T) {
	b := newStore(t)
	var others []string
	for i := range 400 {
		text := fmt.Sprintf("Number %d is blue", i)
		if i%9 == 0 {
			text = fmt.Sprintf("The work of number %d is hard", i) // a word of the question
		}
		others = append(others, text)
	}
	for _, text := range []string{"My sister Ioana got engaged", "Ioana's husband Radu is kind", "Radu repairs trams in Sibiu", "Ioana sells lamps", "Radu was here with Tom"} {
		b.verbatim("alice", text)
	}
	b.verbatim("alice", others...)
	b.verbatim("bob", "Radu owns a bakery")
	hopped := func(q Query) (all []string) {
		q.Explain, q.Limit = true, 500
		for _, h := range b.search(q) {
			if h.Explain["hop"] > 0 {
				all = append(all, h.Memory.Memory)
			}
		}
		return all
	}
	lexically := func(text string) Query {
		q := ask(text, user("alice"))
		q.Mode = ModeLexical
		return q
	}
	radu := []string{"Ioana's husband Radu is kind", "Radu repairs trams in Sibiu", "Radu was here with Tom"}
	sameSet(t, hopped(lexically("Where does my sister's husband work?")), radu)
	sameSet(t, hopped(ask("Where does my sister's husband work?", user("alice"))), radu)
	sameSet(t, hopped(lexically("Where does my sister work?")), []string{"My sister Ioana got engaged", "Ioana's husband Radu is kind", "Ioana sells lamps"})
	for _, question := range []string{"Where does my brother's wife work?", "Where does the husband work?", "Where does Radu work, my sister's husband?", "Who is a sister?"} {
		if got := hopped(lexically(question)); len(got) > 0 {
			t.Errorf("%q leads to %q", question, got)
		}
	}
	q := lexically("Where does my sister's husband work?")
	q.Filters = filter(t, `{"memory":{"contains":"trams"}}`)
	sameSet(t, found(b.search(q)), nil)
	q.Limit = 10
	if best := found(b.search(lexically("Where does my sister's husband work?"))); !slices.Contains(best, radu[1]) {
		t.Errorf("%q", best)
	}
}

// Kin have words of their own, and people tell of them in their own ways.
func TestWhoStandsInARelation(t *testing.T) {
	b := newStore(t)
	for i, text := range []string{
		"My brother Nils sells boats", "My brother Arne mends teeth", "My niece Fenna turned four", "My aunt Tove married a Scot called Ewan", "My cousin Dario grows rice", "Dario got engaged to Yasmin",
		"My neighbour Mrs Okafor cooks soup", "Mrs Okafor's son Emeka plays the bassoon", "My best friend Ola swims", "My friend Berit hikes", "Ola's husband Arjen fires pots",
		"We ate with my grandparents, Armel and Solange", "My doctor, Dr. Quist, is tall", "My boss is Henrike", "My landlord is Mr. Pavlik", "My godson Kees paints", "My sister Ilse and her husband Tom had a baby boy called Milo",
		"Emeka is Anneke's nephew", "Runa is Ola's sister", "My ex-wife Carla teaches", "My flatmate Iwan left", "My teacher is Ms. Lund",
	} {
		c := memd.Candidate{Text: text}
		if text == "My boss is Henrike" {
			c.Slot, c.Value = "boss", "Henrike"
		}
		b.tells(i, c)
	}
	for question, want := range map[string]string{
		"What do my brothers do?": "arne nils", "How old is my niece?": "fenna", "What does my brother's daughter want?": "fenna", "What does my uncle make?": "ewan", "What does my aunt's husband make?": "ewan",
		"What does my cousin's fiancée do?": "yasmin", "Who is my cousin?": "dario", "What does my neighbour cook?": "okafor", "What does my neighbour's son play?": "emeka", "What does my best friend do?": "ola",
		"What does my best friend's husband make?": "arjen", "Who are my grandparents?": "armel solange", "What did my grandmother bake?": "armel solange", "What did my doctor say?": "quist", "What does my boss collect?": "henrike",
		"Where did my landlord move?": "pavlik", "What does my godson paint?": "kees", "What does my nephew play?": "milo", "What did my sister's son get?": "milo", "What happened to my best friend's sister?": "runa",
		"What does my ex-wife teach?": "carla", "Where did my flatmate go?": "iwan", "How does my teacher ride?": "lund", "What do my siblings sell?": "arne ilse nils", "What does my sister-in-law do?": "", "Who is my dentist?": "",
	} {
		f := b.finding(ask(question, user("alice")))
		if err := f.find(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := f.whoIsMeant()
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%q means %q, want %q", question, got, want)
		}
	}
}

// Of people with names, each has relations of their own.
func TestRelationsAreOfWhoTheQuestionSays(t *testing.T) {
	b := newStore(t)
	say := func(actor, text string) {
		b.tells(len(b.current()), memd.Candidate{Text: text, ActorID: actor})
	}
	say("Halina", "My brother Antek carried the sofa")
	say("Dov", "My brother Saul plays chess")
	say("Dov", "Antek and Basia got married in autumn")
	say("Halina", "Basia feeds seals")
	say("Halina", "Saul has won again")
	say("Dov", "His husband Leon repairs clocks")
	for question, want := range map[string][]string{
		"What does Halina's brother do?":               {"My brother Antek carried the sofa", "Antek and Basia got married in autumn"},
		"What does Dov's brother do?":                  {"My brother Saul plays chess", "Saul has won again"},
		"What does the wife of Halina's brother feed?": {"Antek and Basia got married in autumn", "Basia feeds seals"},
		"What does my brother do?":                     nil,
	} {
		q := ask(question, user("alice"))
		q.Explain = true
		var got []string
		for _, h := range b.search(q) {
			if h.Explain["hop"] > 0 {
				got = append(got, h.Memory.Memory)
			}
		}
		sameSet(t, got, want)
	}
}
