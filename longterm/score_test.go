package longterm

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/memdhq/memd/postgres"
)

// Of those that say just what was asked for, none is better than another.
func TestWhatScoresOneStandsNewestFirst(t *testing.T) {
	b := newStore(t)
	var vs []Verbatim
	// Without a name a text is nearest to the question, with a long one it is far from it.
	for i, actor := range []string{"", "zoe", "the man who sells green tea and coffee by the river"} {
		vs = append(vs, Verbatim{Scope: user("alice"), Text: "Green tea is best", ActorID: actor, Role: "user", SaidAt: monday.Add(time.Duration(i) * time.Hour),
			Vector: vectorOf(EmbedText(actor, "Green tea is best")), Model: model})
	}
	vs = append(vs, Verbatim{Scope: user("alice"), Text: "Green tea is best of all", Role: "user", SaidAt: monday.Add(24 * time.Hour)})
	if _, err := b.AddVerbatim(t.Context(), tenant, vs); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{ModeHybrid, ModeVector, ModeLexical} {
		q := ask("green tea is best!", user("alice"))
		q.Mode = mode
		hits := b.search(q)
		var actors []string
		for _, h := range hits {
			if h.Score == 1 {
				actors = append(actors, deref(h.ActorID))
			}
		}
		if want := []string{vs[2].ActorID, "zoe", ""}; !slices.Equal(actors, want) {
			t.Errorf("%s: %q, want %q", mode, actors, want)
		}
		checkScores(t, hits, q.Text)
	}
}

// pairs are questions and what answers them.
var pairs = [][2]string{
	{"What is the name of the dog we adopted from the shelter?", "Our dog is called Biscuit"},
	{"In which village did I grow up as a child?", "I grew up on a farm near Tartu"},
	{"Which instrument does my older sister play on weekends?", "Her sister is first violin in an orchestra"},
	{"On what day do I run the marathon in Riga?", "I signed up for the marathon in October"},
	{"Which foods must guests never serve me because I am allergic?", "I am allergic to peanuts and shellfish"},
	{"Who became my manager after the office moved?", "Ingrid has been my manager since spring"},
	{"Which city in Japan do I dream of visiting one day?", "I hope to see Kanazawa in Japan next year"},
	{"What colour and make is the car that we bought?", "The car is a dark green estate"},
	{"How many years have I taken Portuguese lessons?", "I began Portuguese in the autumn of 2021"},
	{"What advice did the doctor give about my swollen knee?", "The knee needs rest for a month"},
	{"How strong do I like my morning coffee?", "I drink my coffee black"},
	{"In which country are my parents spending their retirement?", "My parents moved to Valencia"},
	{"Which book did I finish reading on the plane?", "I am halfway through a book about glaciers"},
	{"What is the wifi password of the cabin by the lake?", "At the cabin use the word moose47"},
	{"Which subject does my eldest daughter study at university?", "My daughter is at sea with marine biologists"},
	{"When do my wife and I celebrate our wedding anniversary?", "Our anniversary is on the ninth of June"},
	{"What breed is the grey cat that the neighbours feed?", "Their cat is a Norwegian forest one"},
	{"Which train brings me to the office on Fridays?", "I take the early train every morning"},
	{"Which soup do I order in that small restaurant?", "Nothing beats leek soup"},
	{"How much monthly rent is due for the flat downtown?", "The flat went up to 900 euros"},
}

// Where there are only words, a score means what it means elsewhere: half and more is an
// answer, next to nothing has nothing to do with the question.
func TestScoresByWordsAloneTellAnswersFromTheRest(t *testing.T) {
	b := newStore(t)
	for _, p := range pairs {
		b.verbatim("alice", p[1])
	}
	median := func(all []float64) float64 {
		slices.Sort(all)
		return all[len(all)/2]
	}
	for name, change := range map[string]func(*Query){
		"mode lexical":         func(q *Query) { q.Mode = ModeLexical },
		"the embedder is away": func(q *Query) { q.Vector = nil },
	} {
		var answers, rest []float64
		for _, p := range pairs {
			q := ask(p[0], user("alice"))
			q.Limit = len(pairs)
			change(&q)
			scores := map[string]float64{} // what shares no word is not found
			for _, h := range b.search(q) {
				scores[h.Memory.Memory] = h.Score
			}
			for _, other := range pairs {
				if other == p {
					answers = append(answers, scores[other[1]])
				} else {
					rest = append(rest, scores[other[1]])
				}
			}
		}
		if m := median(answers); m < .5 {
			t.Errorf("%s: half of the answers score less than %v", name, m)
		}
		if m := median(rest); m > .2 {
			t.Errorf("%s: half of the rest scores more than %v", name, m)
		}
		slices.Sort(rest)
		if high := rest[len(rest)*9/10]; high > .2 {
			t.Errorf("%s: a tenth of the rest scores more than %v", name, high)
		}
		for _, text := range []string{"Biscuit our dog is called", "our dog called Biscuit", "Is our dog called Biscuit, then?", "dog"} {
			q := ask(text, user("alice"))
			change(&q)
			if hits := b.search(q); len(hits) == 0 || hits[0].Memory.Memory != pairs[0][1] || hits[0].Score >= 1 || hits[0].Score < .5 {
				t.Errorf("%s: %q finds %v", name, text, hits)
			}
		}
		q := ask(pairs[0][1], user("alice"))
		change(&q)
		if hits := b.search(q); hits[0].Score != 1 {
			t.Errorf("%s: the text itself scores %v", name, hits[0].Score)
		}
	}
}

// Others may delete what was found to be near before it is read. Who shares the only
// connection with a search comes between its two steps.
func TestAsManyAsThereAreWhileOthersDelete(t *testing.T) {
	b := newStoreWith(t, postgres.Config{MaxConns: 1})
	c := newCloud(7, 5)
	c.fill(b, tenant, "alice", 900)
	const limit = 150
	plain := c.asks("alice")
	plain.Limit = limit
	filtered := plain // each is looked at before distances are
	filtered.Filters = filter(t, `{"i":{"gte":0}}`)
	nearest := b.exactly(plain, 900)
	var at sync.WaitGroup
	deleting := make(chan struct{})
	at.Go(func() {
		defer close(deleting)
		for chunk := range slices.Chunk(nearest[:5*(slack+20)], slack+20) { // more at once than there are to spare
			var refs []Ref
			for _, id := range chunk {
				refs = append(refs, Ref{ID: id})
			}
			if err := b.DeleteEach(t.Context(), tenant, refs, "api"); err != nil {
				t.Error(err)
			}
		}
	})
	for over := false; !over; {
		select {
		case <-deleting:
			over = true
		default:
		}
		for name, q := range map[string]Query{"all": plain, "filtered": filtered} {
			if got := len(b.search(q)); got != limit {
				t.Errorf("%s: %d of %d", name, got, limit)
			}
		}
	}
	at.Wait()
}

// What is missing of the proposed is made good by those to spare.
func TestSomeMoreAreProposedThanAreAskedFor(t *testing.T) {
	b := newStore(t)
	c := newCloud(8, 5)
	c.fill(b, tenant, "alice", 300)
	q := c.asks("alice")
	q.Mode, q.Limit = ModeHybrid, 200
	f := b.finding(q)
	if err := f.propose(t.Context()); err != nil {
		t.Fatal(err)
	}
	var nearest []Ref
	for _, n := range f.near[:slack] {
		nearest = append(nearest, Ref{ID: uuid.UUID(n.id).String()})
	}
	if err := b.DeleteEach(t.Context(), tenant, nearest, "api"); err != nil {
		t.Fatal(err)
	}
	if err := f.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(f.candidates) < q.Limit {
		t.Errorf("%d of %d", len(f.candidates), q.Limit)
	}
}
