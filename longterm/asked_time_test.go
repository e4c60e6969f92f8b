package longterm

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/memdhq/memd"
)

// The order that questions ask for, and which only sound like it.
func TestQuestionsAskForAnOrder(t *testing.T) {
	for _, c := range []struct {
		question          string
		first, last, past bool
		side              int
	}{
		{"What was the first race I ran?", true, false, false, 0},
		{"When did Ann first go to Rome?", true, false, false, 0},
		{"Where did I originally work?", true, false, false, 0},
		{"What was the last book I read?", false, true, false, 0},
		{"When did I last see Ann?", false, true, false, 0},
		{"When was the last time we met?", false, true, false, 0},
		{"What is Ann's latest plan?", false, true, false, 0},
		{"Which film did I see most recently?", false, true, false, 0},
		{"Where did I live before Lisbon?", false, false, true, -1},
		{"What did I do before I moved to Lisbon?", false, false, true, -1},
		{"Before she moved to Lisbon, where did Ann live?", false, false, true, -1},
		{"What have I bought since the wedding?", false, false, false, 1},
		{"What happened after the wedding?", false, false, false, 1},
		{"Where did I use to live?", false, false, false, 0},
		{"Where I used to live?", false, false, true, 0},
		{"Who did I work for in 2019?", false, false, true, 0},
		{"What was my previous job?", false, false, true, 0},
		{"Where did I live before?", false, false, true, 0},

		{"What did I do in the first week of May?", false, false, true, 0},
		{"What did the team do to win first place?", false, false, false, 0},
		{"What was the first thing I bought last year?", true, false, true, 0},
		{"How did the father come by the first vines?", false, false, false, 0},
		{"How many bars did I sell on my first day?", false, false, false, 0},
		{"How fast was my last race?", false, true, false, 0},
		{"What is my first name?", false, false, false, 0},
		{"What is Ann's last name?", false, false, false, 0},
		{"Where do I keep the first aid kit?", false, false, false, 0},
		{"What did I do last year?", false, false, true, 0},
		{"What am I doing next week?", false, false, false, 0},
		{"Who did I meet last Monday?", false, false, true, 0},
		{"Why was the radio silent at first?", false, false, false, 0},
		{"How long did the meeting last?", false, false, false, 0},
		{"How long will the battery last?", false, false, false, 0},
		{"What is both the first and the last of them?", false, false, false, 0},
		{"What do I take before bed?", false, false, false, 0},
		{"What do I eat after lunch?", false, false, false, 0},
		{"Have I been to Rome before?", false, false, false, 0},
		{"What came before that?", false, false, false, 0},
		{"Where do I live?", false, false, false, 0},
		{"Who is my boss now?", false, false, false, 0},
	} {
		got := timingOf(c.question, monday)
		if got.first != c.first || got.last != c.last || got.past != c.past || got.side != c.side {
			t.Errorf("%q: first %v, last %v, past %v, side %d", c.question, got.first, got.last, got.past, got.side)
		}
	}
}

// Told from the day of the question, in its zone, a memory is of the time asked for by when it
// happened, or else by when it was told.
func TestMemoriesOfTheTimeAskedFor(t *testing.T) {
	lisbon := time.Date(2024, 3, 6, 10, 0, 0, 0, time.UTC)
	on := func(day string) time.Time {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for _, c := range []struct {
		question, told, happened string
		want                     float64
	}{
		{"What did I do last summer?", "2023-07-20", "", 1},
		{"What did I do last summer?", "2023-09-20", "", nextMonth},
		{"What did I do last summer?", "2022-07-20", "", 0},
		{"What did I do last summer?", "2024-03-01", "2023-08-01", 1},
		{"What did I do last summer?", "2023-07-20", "2023-12-24", 0.5},
		{"What did I do yesterday?", "2024-03-05", "", 2},
		{"What did I do yesterday?", "2024-03-06", "2024-03-05", 2},
		{"What did I do yesterday?", "2024-02-20", "", 0},
		{"What did I do two weeks ago?", "2024-02-22", "", 1.5},
		{"What am I doing next week?", "2024-01-02", "2024-03-12", 1.5},
		{"What have I done since Christmas?", "2024-01-20", "", 1},
		{"What have I done since Christmas?", "2023-11-20", "", 0},
		{"Where did I live before 2023?", "2022-11-20", "", 1},
		{"Where did I live before 2023?", "2023-11-20", "", 0},
		{"Where do I live?", "2024-03-05", "2024-03-05", 0},
	} {
		m := &candidate{}
		m.ValidFrom = on(c.told)
		if c.happened != "" {
			at := on(c.happened)
			m.OccurredAt = &at
		}
		if got := timingOf(c.question, lisbon).during(m); got != c.want {
			t.Errorf("%q, told %s, happened %q: %v, want %v", c.question, c.told, c.happened, got, c.want)
		}
	}
	// Told at one in the morning in Tokyo it is of the day before in London.
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	m := &candidate{}
	m.ValidFrom = time.Date(2024, 3, 4, 16, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		asked time.Time
		want  float64
	}{{lisbon.In(tokyo), 2}, {lisbon, nextMonth}} {
		if got := timingOf("What did I do yesterday?", c.asked).during(m); got != c.want {
			t.Errorf("asked at %v: %v", c.asked, got)
		}
	}
}

// What is asked for in an order comes in it, and only where it is asked for.
func TestTheFirstAndTheLast(t *testing.T) {
	b := newStore(t)
	texts := []string{"I ran a marathon in Riga", "I ran a marathon in Graz", "I ran a marathon in Bern"}
	for i, text := range texts {
		b.tells(100*i, memd.Candidate{Text: text})
	}
	b.tells(301, memd.Candidate{Text: "I have two cats"})
	for _, c := range []struct {
		question string
		order    map[string]float64
	}{
		{"Which was the first marathon I ran?", map[string]float64{texts[0]: 1, texts[1]: .5, texts[2]: 0}},
		{"Which was the last marathon I ran?", map[string]float64{texts[0]: 0, texts[1]: .5, texts[2]: 1}},
		{"Which marathon did I run before Graz?", map[string]float64{texts[0]: 1, texts[1]: 0, texts[2]: 0}},
		{"Which marathon did I run after the one in Graz?", map[string]float64{texts[0]: 0, texts[1]: 0, texts[2]: 1}},
		{"Which marathon did I run?", map[string]float64{texts[0]: 0, texts[1]: 0, texts[2]: 0}},
		{"Which marathon did I run before Oslo?", map[string]float64{texts[0]: 0, texts[1]: 0, texts[2]: 0}},
	} {
		q := ask(c.question, user("alice"))
		q.Explain, q.Mode = true, ModeLexical
		seen := 0
		for _, h := range b.search(q) {
			if want, of := c.order[h.Memory.Memory]; of {
				seen++
				if h.Explain["order"] != want {
					t.Errorf("%q: %q stands at %v, want %v", c.question, h.Memory.Memory, h.Explain["order"], want)
				}
			} else if h.Explain["order"] != 0 {
				t.Errorf("%q: %q has a place", c.question, h.Memory.Memory)
			}
		}
		if seen != len(texts) {
			t.Errorf("%q finds %d", c.question, seen)
		}
	}
}

// A season of a year is not the whole year.
func TestAPartOfAYearIsAskedFor(t *testing.T) {
	b := newStore(t)
	for month, text := range map[int]string{0: "We planted onions", 4: "We planted beans", 11: "We planted garlic"} {
		b.tells(24*30*month, memd.Candidate{Text: text})
	}
	for _, c := range []struct {
		question, best string
		date           float64
	}{
		{fmt.Sprintf("What did we plant in summer %d?", at(0).Year()), "We planted beans", 0},
		{fmt.Sprintf("What did we plant in %d?", at(0).Year()), "", 1},
	} {
		q := ask(c.question, user("alice"))
		q.AskedAt, q.Explain, q.Mode = at(24*30*20), true, ModeLexical
		hits := b.search(q)
		if len(hits) != 3 || c.best != "" && hits[0].Memory.Memory != c.best {
			t.Errorf("%q finds %q", c.question, found(hits))
		}
		for _, h := range hits {
			if want := map[bool]float64{true: c.date}[h.ValidFrom.Year() == at(0).Year()]; h.Explain["date"] != want {
				t.Errorf("%q: %q agrees by %v, want %v", c.question, h.Memory.Memory, h.Explain["date"], want)
			}
		}
	}
}

// What ended after the question's time was not over, and what is over answers only a question
// that is about it.
func TestWhatEndedLaterWasNotOver(t *testing.T) {
	b := newStore(t)
	b.tells(0, memd.Candidate{Text: "I live in Ghent", Slot: "home", Value: "Ghent"})
	b.tells(24*150, memd.Candidate{Text: "I ironed nine shirts"})
	b.tells(24*400, memd.Candidate{Text: "I live in Oslo", Slot: "home", Value: "Oslo"})
	for _, c := range []struct {
		question string
		asked    int
		over     float64
	}{{"Where did I live last month?", 24 * 170, 0}, {"Where did I live last month?", 24 * 410, 1}, {"Which shirts did I iron last month?", 24 * 410, 0}} {
		q := ask(c.question, user("alice"))
		when := at(c.asked)
		q.AskedAt, q.Explain, q.IncludeSuperseded, q.Mode = when, true, true, ModeLexical
		for _, h := range b.search(q) {
			if want := map[bool]float64{true: c.over}[h.Memory.Memory == "I live in Ghent"]; h.Explain["ended"] != want {
				t.Errorf("%q asked on day %d: %q is over by %v, want %v", c.question, c.asked/24, h.Memory.Memory, h.Explain["ended"], want)
			}
		}
	}
}

// What is over answers a question about the past, where it is searched at all.
func TestWhatIsOverAnswersForThePast(t *testing.T) {
	b := newStore(t)
	day := func(n int) int { return 24 * n }
	b.tells(day(0), memd.Candidate{Text: "I live in Porto", Slot: "home", Value: "Porto"})
	b.tells(day(100), memd.Candidate{Text: "I live in Lisbon now", Slot: "home", Value: "Lisbon"})
	b.tells(day(200), memd.Candidate{Text: "I live in Faro these days", Slot: "home", Value: "Faro"})
	for _, c := range []struct {
		question, event, best string
		over                  bool
	}{
		{"Where did I live before Lisbon?", "I live in Lisbon now", "I live in Porto", true},
		{"Where did I live before Faro?", "I live in Faro these days", "I live in Lisbon now", true},
		{"Where did I live two months ago?", "", "I live in Lisbon now", true},
		{"Where do I live?", "", "I live in Faro these days", false},
	} {
		q := ask(c.question, user("alice"))
		q.AskedAt, q.Explain = at(day(210)), true
		for _, h := range b.search(q) {
			if h.ValidTo != nil || h.Explain["ended"] != 0 {
				t.Errorf("%q finds what is over unasked: %+v", c.question, h)
			}
		}
		q.IncludeSuperseded = true
		hits := b.search(q)
		if len(hits) != 3 {
			t.Fatalf("%q finds %v", c.question, found(hits))
		}
		// What it was before holds words of the question, and may come first.
		hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.Memory.Memory == c.event })
		if hits[0].Memory.Memory != c.best || c.over && hits[0].Explain["ended"] != 1 {
			t.Errorf("%q finds %v", c.question, found(hits))
		}
		for _, h := range hits {
			if h.ValidTo == nil && h.Explain["ended"] != 0 || h.ValidTo != nil && !c.over && h.Explain["ended"] != noLonger {
				t.Errorf("%q: %q is over by %v", c.question, h.Memory.Memory, h.Explain["ended"])
			}
		}
	}
}
