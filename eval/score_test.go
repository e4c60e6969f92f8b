package main

import (
	"slices"
	"testing"
	"time"

	"github.com/memdhq/memd"
)

func said(text string) memd.Memory { return memd.Memory{Memory: text, Role: "user"} }

func TestMatching(t *testing.T) {
	day := time.Date(2024, 2, 26, 0, 0, 0, 0, time.UTC)
	dated := said("I moved to Lisbon two days ago (2024-02-26)")
	dated.OccurredAt = &day
	byAssistant := said("Lisbon is lovely")
	byAssistant.Role = "assistant"
	for _, c := range []struct {
		p    pattern
		m    memd.Memory
		want bool
	}{
		{pattern{All: []string{"lisbon", "live|moved|home"}}, dated, true},
		{pattern{All: []string{"LISBON"}}, dated, true},
		{pattern{All: []string{"lisbon", "live|home"}}, dated, false},
		{pattern{All: []string{"lisbon", "porto"}}, dated, false},
		{pattern{All: []string{"lisbon"}, Not: []string{"porto"}}, dated, true},
		{pattern{All: []string{"lisbon"}, Not: []string{"porto|moved"}}, dated, false},
		{pattern{All: []string{"lisbon"}, Not: []string{"porto", "two days"}}, dated, false},
		{pattern{All: []string{"lisbon"}, Role: "user"}, dated, true},
		{pattern{All: []string{"lisbon"}, Role: "user"}, byAssistant, false},
		{pattern{All: []string{"lisbon"}, OccurredOn: "2024-02-26"}, dated, true},
		{pattern{All: []string{"lisbon"}, OccurredOn: "2024-02-27"}, dated, false},
		{pattern{All: []string{"lisbon"}, OccurredOn: "2024-02-26"}, byAssistant, false},
		{pattern{All: []string{"I'm allergic"}}, said("I’m   allergic"), true},
		{pattern{All: []string{"ines"}}, said("Inês"), false},
		{pattern{All: []string{"Inês"}}, said("INE\u0302S"), true},
		{pattern{All: []string{"京都"}}, said("私は京都に住んでいます"), true},
	} {
		if got := c.p.matches(c.m); got != c.want {
			t.Errorf("%v on %q: %v", c.p, c.m.Memory, got)
		}
	}
}

func TestScore(t *testing.T) {
	no, yes := false, true
	want := func(w wanted, all ...string) wanted { w.All = all; return w }
	c := evalCase{
		Remember: []wanted{
			want(wanted{}, "lisbon"), want(wanted{}, "oboe"), want(wanted{Current: &no}, "porto"), want(wanted{Superseded: &yes}, "faro"),
			want(wanted{Once: true}, "tea"), want(wanted{Once: true}, "milk"),
		},
		May:   []pattern{{All: []string{"weather"}}},
		Never: []pattern{{All: []string{"password"}}},
	}
	for _, s := range []struct {
		name                        string
		current, past               []string
		right, wrong, found, missed int
	}{
		{"nothing", nil, nil, 0, 0, 0, 6},
		{"all of it", []string{"Lisbon", "oboe", "tea and milk"}, []string{"Porto", "Faro"}, 3, 0, 6, 0},
		{"the old one is still current", []string{"Lisbon", "Porto"}, nil, 1, 1, 1, 5},
		{"it was superseded", nil, []string{"Lisbon", "oboe"}, 0, 0, 0, 6},
		{"what may be there is neither", []string{"weather", "fine weather"}, nil, 0, 0, 0, 6},
		{"not asked for", []string{"hello"}, nil, 0, 1, 0, 6},
		{"never", []string{"Lisbon password"}, nil, 0, 1, 1, 5},
		{"a never of the past is no harm", nil, []string{"password"}, 0, 0, 0, 6},
		{"more than once", []string{"tea", "more tea", "Lisbon", "in Lisbon"}, nil, 3, 1, 2, 4},
		{"again with something new", []string{"tea", "tea with milk"}, nil, 2, 0, 2, 4},
		{"again with the weather", []string{"tea", "tea weather"}, nil, 2, 0, 1, 5},
	} {
		all := func(texts []string) (ms []memd.Memory) {
			for _, text := range texts {
				ms = append(ms, said(text))
			}
			return ms
		}
		got := score(c, all(s.current), all(s.past))
		if got.Right != s.right || got.Wrong != s.wrong || got.Found != s.found || got.Missed != s.missed ||
			len(got.Misses) != s.missed || len(got.False) != s.wrong || got.Clean != 0 && s.wrong+s.missed > 0 || got.Clean == 0 && s.wrong+s.missed == 0 {
			t.Errorf("%s: %+v", s.name, got)
		}
	}
}

func TestTheEarliestIsTheOneThatIsRepeated(t *testing.T) {
	c := evalCase{Remember: []wanted{{pattern: pattern{All: []string{"tea"}}, Once: true}}}
	late, early := said("late tea"), said("early tea")
	late.ValidFrom = time.Unix(2, 0)
	early.ValidFrom = time.Unix(1, 0)
	got := score(c, []memd.Memory{late, early}, nil)
	if !slices.Equal(got.False, []string{"user: late tea (once is enough)"}) {
		t.Errorf("%q", got.False)
	}
}

func TestShares(t *testing.T) {
	var c counts
	if _, ok := c.precision(); ok {
		t.Error("there is a precision of nothing")
	}
	c.add(counts{Cases: 1, Right: 3, Wrong: 1, Found: 1, Missed: 3})
	c.add(counts{Cases: 2, Clean: 1, Right: 3, Wrong: 1, Found: 1, Missed: 3})
	if c.Cases != 3 || c.Clean != 1 {
		t.Errorf("%+v", c)
	}
	if p, ok := c.precision(); p != 0.75 || !ok {
		t.Errorf("precision %v", p)
	}
	if r, ok := c.recall(); r != 0.25 || !ok {
		t.Errorf("recall %v", r)
	}
}
