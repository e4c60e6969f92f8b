package longterm

import (
	"slices"
	"testing"
	"time"

	"github.com/memdhq/memd"
)

func TestChangesOfYearsAgoHoldSinceThen(t *testing.T) {
	said := saidAt{at: time.Date(2024, time.May, 3, 10, 0, 0, 0, time.UTC)}
	year := func(y int) time.Time { return time.Date(y, time.January, 1, 0, 0, 0, 0, time.UTC) }
	march := time.Date(2010, time.March, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		text, slot, value string
		occurred          *time.Time
		want              time.Time
	}{
		{"I moved to Hamburg in 2010", "home", "Hamburg", nil, year(2010)},
		{"In 2010 I moved to Hamburg", "home", "Hamburg", nil, year(2010)},
		{"Back in 2010 we moved to Hamburg", "home", "Hamburg", nil, year(2010)},
		{"I moved to Hamburg in March 2010", "home", "Hamburg", &march, march},
		{"I moved to Hamburg ten years ago (2014)", "home", "Hamburg", nil, year(2014)},
		{"I started at Siemens in 2012", "work", "Siemens", nil, year(2012)},
		{"We got married in 2015 in Sintra", "marital status", "married", nil, year(2015)},
		{"I left Siemens in 2012", "work", "Siemens", nil, year(2012)},
		// As of now:
		{"I moved to Hamburg in 2024", "home", "Hamburg", nil, said.at},
		{"I moved to Hamburg in 2023", "home", "Hamburg", nil, said.at},
		{"I moved to Hamburg", "home", "Hamburg", nil, said.at},
		{"I've lived in Hamburg since 2010", "home", "Hamburg", nil, said.at},
		{"I live in Hamburg, I was born in 1980", "home", "Hamburg", nil, said.at},
		{"I live in Hamburg where my sister was born in 1980", "home", "Hamburg", nil, said.at},
		{"I bought a car in 2010", "car", "a car", nil, said.at},
		{"I moved to number 2010 in Hamburg", "home", "Hamburg", nil, said.at},
	} {
		m := &mention{topic: topic{slot: c.slot}, said: said, text: c.text, value: c.value, occurredAt: c.occurred}
		if got := m.since().at; !got.Equal(c.want) {
			t.Errorf("%q: since %s, want %s", c.text, got, c.want)
		}
	}
}

// Homes come in the order in which they were moved to, in whatever order they are told, and
// arrive.
func TestHomesFollowEachOtherAsTheyWereMovedTo(t *testing.T) {
	type told struct {
		text, value string
		negated     bool
	}
	hamburg, kiel, bonn := told{"I moved to Hamburg in 2010", "Hamburg", false}, told{"I moved to Kiel in 2018", "Kiel", false}, told{"I live in Bonn", "Bonn", false}
	leftKiel := told{"I moved away from Kiel in 2020", "Kiel", true}
	for _, c := range []struct {
		said    []told
		current []string
	}{
		{[]told{hamburg}, []string{hamburg.text}},
		{[]told{hamburg, kiel}, []string{kiel.text}},
		{[]told{kiel, hamburg}, []string{kiel.text}},
		{[]told{bonn, hamburg, kiel}, []string{bonn.text}},
		{[]told{hamburg, bonn, kiel}, []string{bonn.text}},
		{[]told{kiel, hamburg, leftKiel}, []string{leftKiel.text}},
		{[]told{leftKiel, kiel, bonn}, []string{leftKiel.text, bonn.text}},
	} {
		for _, late := range []bool{false, true} {
			b := newStore(t)
			order := []int{0, 1, 2}[:len(c.said)]
			if late {
				slices.Reverse(order)
			}
			for _, i := range order {
				s := c.said[i]
				b.tells(i, memd.Candidate{Text: s.text, Slot: "home", Value: s.value, Negated: s.negated})
			}
			sameSet(t, b.current(), c.current)
			if m := b.named(c.said[0].text); c.said[0] == hamburg && m.ValidFrom.Year() != 2010 {
				t.Errorf("%+v: %+v", c.said, m)
			}
			if len(c.said) == 2 {
				was, is := b.named(hamburg.text), b.named(kiel.text)
				if was.ValidTo == nil || was.ValidTo.Year() != 2018 || was.SupersededBy == nil || *was.SupersededBy != is.ID {
					t.Errorf("%+v: %+v", c.said, was)
				}
				for year, want := range map[int][]string{2009: nil, 2012: {hamburg.text}, 2019: {kiel.text}} {
					moment := time.Date(year, time.June, 1, 0, 0, 0, 0, time.UTC)
					same(t, texts(b.list(ListQuery{Scope: user("alice"), AsOf: &moment})), want)
				}
			}
			b.checkCounters()
		}
	}
}

// A request to forget reaches what was said before it, whenever that came about; and what a
// person wrote in the place of such a statement stays where that stood.
func TestWhatCameAboutYearsAgoWasSaidWhenItWasSaid(t *testing.T) {
	hamburg := memd.Candidate{Text: "I moved to Hamburg in 2010", Slot: "home", Value: "Hamburg"}
	b := newStore(t)
	b.tells(0, hamburg)
	b.tells(1, memd.Candidate{Text: "forget where I live", Slot: "home", Forget: true})
	same(t, b.current(), nil)
	b.tells(2, memd.Candidate{Text: "I moved to Kiel in 2012", Slot: "home", Value: "Kiel"})
	same(t, b.current(), []string{"I moved to Kiel in 2012"})

	b = newStore(t)
	b.tells(0, hamburg)
	id := b.named(hamburg.Text).ID
	b.edit(Edit{ID: id, Text: ptr("I moved to Harburg in 2010"), About: &About{Slot: "home", Value: "Harburg"}})
	b.tells(1, memd.Candidate{Text: "I live in Kiel", Slot: "home", Value: "Kiel"})
	same(t, b.current(), []string{"I live in Kiel"})
	if m := b.named("I moved to Harburg in 2010"); m.ID != id || m.ValidFrom.Year() != 2010 || !m.ValidTo.Equal(at(1)) {
		t.Fatalf("%+v", m)
	}
	b.checkCounters()
}
