package longterm

import (
	"fmt"
	"slices"
	"testing"

	"github.com/memdhq/memd"
)

// What is told from one side of a matter ends what was told from another, in whatever order
// it arrives, and nothing else.
func TestSidesOfOneMatter(t *testing.T) {
	is := func(text, slot, value string) memd.Candidate {
		return memd.Candidate{Text: text, Slot: slot, Value: value}
	}
	not := func(text, slot, value string) memd.Candidate {
		return memd.Candidate{Text: text, Slot: slot, Value: value, Negated: true}
	}
	status := func(text, value string) memd.Candidate { return is(text, "marital status", value) }
	pet := func(text, name string) memd.Candidate { return is(text, "pet:"+name, "") }
	wife, girlfriend := is("My wife is Ana", "partner", "Ana"), is("My girlfriend is called Nina", "partner", "Nina")
	for name, c := range map[string]struct {
		said []memd.Candidate
		// gone are the places of those that hold no more.
		gone []int
	}{
		"divorced, and no wife":                 {[]memd.Candidate{wife, status("I'm married", "married"), status("We got divorced", "divorced")}, []int{0, 1}},
		"divorced by name":                      {[]memd.Candidate{is("I'm with Ana", "partner", "Ana"), status("I divorced Ana", "divorced")}, []int{0}},
		"divorced, with a girlfriend":           {[]memd.Candidate{girlfriend, status("I'm divorced", "divorced")}, nil},
		"single":                                {[]memd.Candidate{girlfriend, status("I'm single again", "single")}, []int{0}},
		"no longer married":                     {[]memd.Candidate{wife, not("I'm not married anymore", "marital status", "married")}, []int{0}},
		"no longer engaged":                     {[]memd.Candidate{girlfriend, not("We called off the wedding", "marital status", "engaged")}, nil},
		"broke up":                              {[]memd.Candidate{girlfriend, status("I'm in a relationship", "in a relationship"), not("we broke up", "partner", "")}, []int{0, 1}},
		"broke up with the wife":                {[]memd.Candidate{wife, status("I'm married", "married"), not("My wife and I split up", "partner", "")}, []int{0, 1}},
		"broke up with another":                 {[]memd.Candidate{status("I'm married", "married"), not("Nina and I broke up", "partner", "Nina")}, nil},
		"somebody new":                          {[]memd.Candidate{status("I'm single", "single"), girlfriend}, []int{0}},
		"somebody new, and divorced":            {[]memd.Candidate{status("I'm divorced", "divorced"), girlfriend}, nil},
		"of another":                            {[]memd.Candidate{wife, {Text: "My sister is divorced", Slot: "marital status", Subject: "sister", Value: "divorced"}}, nil},
		"alone":                                 {[]memd.Candidate{is("I live with Ana", "lives with:ana", ""), is("I live with my mum", "lives with:mother", ""), not("I live alone now", "lives with", "")}, []int{0, 1}},
		"no longer alone":                       {[]memd.Candidate{not("I live alone", "lives with", ""), is("I live with Ana", "lives with:ana", "")}, []int{0}},
		"promoted":                              {[]memd.Candidate{is("I'm a cashier at Aldi", "work", "Aldi"), is("I've been promoted to manager", "role", "manager")}, []int{0}},
		"another post at the same firm":         {[]memd.Candidate{is("I'm a cashier at Aldi", "work", "Aldi"), is("I'm a manager at Aldi now", "work", "Aldi")}, []int{0}},
		"the same post in other words":          {[]memd.Candidate{is("I'm a cashier at Aldi", "work", "Aldi"), is("I work at Aldi as a cashier", "work", "Aldi")}, nil},
		"a post and where":                      {[]memd.Candidate{is("I work as a nurse", "role", "nurse"), is("I work at Charité", "work", "Charité")}, nil},
		"another pastime":                       {[]memd.Candidate{is("I'm a cashier at Aldi", "work", "Aldi"), is("I'm a beekeeper", "role", "beekeeper")}, nil},
		"no longer of that post":                {[]memd.Candidate{is("I'm a cashier at Aldi", "work", "Aldi"), not("I'm no longer a cashier", "role", "cashier")}, []int{0}},
		"out of work":                           {[]memd.Candidate{is("I work as a nurse", "role", "nurse"), not("I quit my job", "work", "")}, []int{0}},
		"out of work, and a nurse all the same": {[]memd.Candidate{is("I'm a nurse", "role", "nurse"), not("I quit my job", "work", "")}, nil},
		"left another firm":                     {[]memd.Candidate{is("I work as a nurse", "role", "nurse"), not("I left Aldi", "work", "Aldi")}, nil},
		"the only cat":                          {[]memd.Candidate{pet("My cat is called Mia", "mia"), pet("My dog is called Rex", "rex"), is("I have a cat", "has:cat", ""), not("I gave the cat away", "has:cat", "")}, []int{0, 2}},
		"one of two cats":                       {[]memd.Candidate{pet("My cat is called Mia", "mia"), pet("I have a cat named Tom", "tom"), not("I gave the cat away", "has:cat", "")}, nil},
		"both cats":                             {[]memd.Candidate{pet("My cat is called Mia", "mia"), pet("I have a cat named Tom", "tom"), not("we gave the cats away", "has:cats", "")}, []int{0, 1}},
		"the only dog died":                     {[]memd.Candidate{is("I have a dog", "has:dog", ""), pet("My dog is called Rex", "rex"), not("Rex died", "pet:rex", "")}, []int{0, 1}},
		"one of two dogs died":                  {[]memd.Candidate{is("I have a dog", "has:dog", ""), pet("My dog is called Rex", "rex"), pet("My dog Luna barks", "luna"), not("Rex died", "pet:rex", "")}, []int{1}},
		"called otherwise":                      {[]memd.Candidate{pet("My dog is called Rex", "rex"), pet("My cat is called Mia", "mia"), pet("My dog is called Max now", "max")}, []int{0}},
		"another database":                      {[]memd.Candidate{is("We use MySQL", "habit:use mysql", ""), is("We use Vue", "habit:use vue", ""), is("Our database is MySQL", "database", "MySQL"), is("we switched to Postgres", "habit:use postgres", "")}, []int{0, 2}},
		"one beside another":                    {[]memd.Candidate{is("We use MySQL", "habit:use mysql", ""), is("We use MongoDB", "habit:use mongodb", "")}, nil},
		"of another's":                          {[]memd.Candidate{is("We use MySQL", "habit:use mysql", ""), {Text: "My brother switched to Postgres", Slot: "habit:use postgres", Subject: "brother"}}, nil},
		"born":                                  {[]memd.Candidate{{Text: "My wife is pregnant", Slot: "health:pregnant", Subject: "partner"}, not("Our son was born", "health:pregnant", "")}, []int{0}},
		"not pregnant oneself":                  {[]memd.Candidate{{Text: "My wife is pregnant", Slot: "health:pregnant", Subject: "partner"}, not("I'm not pregnant", "health:pregnant", "")}, nil},
		"a sister's":                            {[]memd.Candidate{{Text: "My sister is pregnant", Slot: "health:pregnant", Subject: "sister"}, not("Our son was born", "health:pregnant", "")}, nil},
		"how often":                             {[]memd.Candidate{is("I run twice a week", "habit:run", "twice a week"), is("I run 5 km", "habit:run", "5 km"), is("I run four times a week now", "habit:run", "four times a week")}, []int{0}},
		"daily":                                 {[]memd.Candidate{is("I run every day", "habit:run", "every day"), is("I run twice a day", "habit:run", "twice a day")}, nil},
		"no longer daily":                       {[]memd.Candidate{is("I run every day", "habit:run", "every day"), is("I run twice a week", "habit:run", "twice a week")}, []int{0}},
		"the same in other words":               {[]memd.Candidate{is("I run two times a week", "habit:run", "two times a week"), is("I run twice a week", "habit:run", "twice a week")}, nil},
		"another one":                           {[]memd.Candidate{pet("My dog is called Rex", "rex"), pet("My dog is called Max", "max")}, nil},
		"one of several is called otherwise":    {[]memd.Candidate{pet("My dog is called Rex", "rex"), pet("I have a dog named Bo", "bo"), pet("My dog is called Max now", "max")}, nil},
	} {
		var current []string
		for i, s := range c.said {
			if !slices.Contains(c.gone, i) {
				current = append(current, s.Text)
			}
		}
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", late ", late), func(t *testing.T) {
				b := newStore(t)
				order := make([]int, len(c.said))
				for i := range order {
					order[i] = i
					if late {
						order[i] = len(order) - 1 - i
					}
				}
				for _, i := range order {
					b.tells(i, c.said[i])
				}
				if got := b.current(); len(got) != len(current) || slices.ContainsFunc(got, func(text string) bool { return !slices.Contains(current, text) }) {
					t.Errorf("current %q, want %q", got, current)
				}
				b.checkCounters()
			})
		}
	}
}
