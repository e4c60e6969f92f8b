package longterm

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memdhq/memd/extract"
)

// What asks for nothing but a time, beside of whom, and what asks for more.
func TestQuestionsOfNothingButATime(t *testing.T) {
	for question, whom := range map[string]string{
		"What did I do last month?": "", "What happened in May?": "", "What have I been up to recently?": "", "Who did I see the other day?": "",
		"What's new this week?": "", "How was my weekend?": "", "What was going on in the first week of May?": "", "Anything interesting over Christmas?": "",
		"Last summer?": "", "What did I do in the winter of 2023/24?": "", "What do you know about last week?": "", "What did I do before I moved to Oslo?": "", "What happened after the surgery?": "", "What happened right after the move to a new flat?": "",
		"What did I do the week before the wedding?": "", "After the breakup with Sander, what happened?": "", "What did I get up to between March and June?": "",
		"What did Halina do last summer?": "Halina", "What happened to Dov’s life in May?": "Dov", "What did I do in Paris last May?": "Paris",
	} {
		got := timingOf(question, monday)
		if !got.bare || strings.Join(got.whom, " ") != whom {
			t.Errorf("%q: bare %v, of %q", question, got.bare, got.whom)
		}
	}
	for _, question := range []string{
		"What did I buy last month?", "Which film did I see in May?", "Where did I hike last summer?", "What did I do?", "What happened to my bike last week?", "What is new?",
		"Which sport did I take up before I adopted Biscuit?", "What do I do before bed?", "What did Ann do after the trip to relax?", "Where did I live before Lisbon?", "I was ill last week",
	} {
		if got := timingOf(question, monday); got.bare {
			t.Errorf("%q asks for nothing but a time", question)
		}
	}
}

// among has many memories of other days beside some, and few candidates.
func among(t *testing.T, few map[string]time.Time) (*bench, *Store) {
	b := newStore(t)
	var all []Verbatim
	add := func(text string, said time.Time) {
		all = append(all, Verbatim{Scope: user("alice"), Text: text, Role: "user", SaidAt: said, Vector: vectorOf(text), Model: model})
	}
	for text, said := range few {
		add(text, said)
	}
	for i := range 150 {
		add(fmt.Sprintf("A month of things that happen to number %d", i), monday.AddDate(0, 0, -200-i))
	}
	if _, err := b.AddVerbatim(b.ctx(), tenant, all); err != nil {
		t.Fatal(err)
	}
	return b, New(b.pool, Config{Candidates: 10})
}

func firstFound(t *testing.T, s *Store, question, mode string, n int) (first []string, within []float64) {
	q := ask(question, user("alice"))
	q.AskedAt, q.Mode, q.Explain = monday, mode, true
	hits, err := s.Search(t.Context(), tenant, q)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits[:min(n, len(hits))] {
		first, within = append(first, h.Memory.Memory), append(within, h.Explain["within"])
	}
	return first, within
}

// What fell into a time is found by it and comes first, though no word of it is asked for.
func TestWhatFellIntoTheTimeComesFirst(t *testing.T) {
	_, s := among(t, map[string]time.Time{
		"I sold the drum": monday.AddDate(0, 0, -18), "We painted the shed": monday.AddDate(0, 0, -15), "I mended two tents": monday.AddDate(0, 0, -5), "I baked rye bread": monday.AddDate(0, 0, -90),
	})
	for question, want := range map[string][]string{
		"What did I do last month?":                 {"I mended two tents", "I sold the drum", "We painted the shed"},
		"What happened in early December?":          {"I baked rye bread"},
		"What have I been up to recently?":          {"I mended two tents", "I sold the drum", "We painted the shed"},
		"What did I do in mid-February?":            {"I sold the drum", "We painted the shed"},
		"What happened since the 20th of February?": {"I mended two tents"},
	} {
		for _, mode := range []string{ModeHybrid, ModeLexical} {
			first, within := firstFound(t, s, question, mode, len(want))
			slices.Sort(first)
			if !slices.Equal(first, want) || slices.Contains(within, 0) {
				t.Errorf("%s, %s: %q, %v", question, mode, first, within)
			}
		}
	}
	if first, within := firstFound(t, s, "Which numbers did things happen to last year?", ModeHybrid, 3); slices.Max(within) != 0 || !strings.HasPrefix(first[0], "A month of things") {
		t.Errorf("%q, %v", first, within)
	}
}

// What was before and after something is told from the memory that tells it, which may be over.
func TestWhatWasNextToSomething(t *testing.T) {
	b, s := among(t, map[string]time.Time{
		"I moved to Oslo": monday.AddDate(0, 0, -40), "I sold the drum": monday.AddDate(0, 0, -44), "We painted the shed": monday.AddDate(0, 0, -37), "I baked rye bread": monday.AddDate(0, 0, -1),
	})
	check := func() {
		t.Helper()
		for question, want := range map[string]string{
			"What did I do before I moved to Oslo?":          "I sold the drum",
			"What did I do after moving to Oslo?":            "We painted the shed",
			"What happened the week after I moved to Oslo?":  "We painted the shed",
			"After I moved to Oslo, what happened?":          "We painted the shed",
			"What did I do two weeks before I moved to Oslo": "I sold the drum",
		} {
			for _, mode := range []string{ModeHybrid, ModeLexical} {
				if first, within := firstFound(t, s, question, mode, 1); !slices.Equal(first, []string{want}) || within[0] < .5 {
					t.Errorf("%s, %s: %q, %v", question, mode, first, within)
				}
			}
		}
	}
	check()
	if _, within := firstFound(t, s, "What did I do before I moved to Bergen?", ModeHybrid, 10); slices.Max(within) != 0 {
		t.Errorf("nothing tells of Bergen: %v", within)
	}
	b.exec("UPDATE memory SET valid_to = $1 WHERE memory = 'I moved to Oslo'", monday)
	check()
	b.exec("UPDATE memory SET valid_to = NULL")
}

// The scope bounds what tells something, and so does the time that is asked about.
func TestWhatTellsSomethingIsOfTheScope(t *testing.T) {
	b, s := among(t, map[string]time.Time{"I sold the drum": monday.AddDate(0, 0, -44)})
	if _, err := b.AddVerbatim(b.ctx(), tenant, []Verbatim{{Scope: user("bob"), Text: "I moved to Oslo", Role: "user", SaidAt: monday.AddDate(0, 0, -40), Vector: vectorOf("I moved to Oslo"), Model: model}}); err != nil {
		t.Fatal(err)
	}
	if _, within := firstFound(t, s, "What did I do before I moved to Oslo?", ModeHybrid, 10); slices.Max(within) != 0 {
		t.Errorf("another's move bounds a time: %v", within)
	}
}

func TestStretchesBesideSomething(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{"What did I do the week ": 7 * day, "Where was I two months ": 62 * day, "What happened 3 days ": 3 * day, "What did I do in the weeks ": 21 * day, "What did I do ": 0, "this week ": 0} {
		if got := stretchOf(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// anySpan is a stretch of time, and timesOf a statement, for tests of plans.
var anySpan = []extract.Period{{From: at(0), To: at(100)}}

func (f *finding) timesOf(spans ...extract.Period) *statement {
	st := &statement{}
	return st.write(f.timeStatement(st, spans))
}
