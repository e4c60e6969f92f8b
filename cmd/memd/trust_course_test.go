package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestWhatHoldsInTheEnd has people tell what changes, day by day and each day in a session of
// its own, and looks at what holds in the end.
func TestWhatHoldsInTheEnd(t *testing.T) {
	t.Parallel()
	d := start(t, dataDir(t), "MEMD_WORKERS=4", "MEMD_DB_POOL_MAX=2")
	first := time.Date(2024, time.January, 10, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		said []string
		// holds are the places of what holds in the end, of what each statement begins with.
		holds []int
	}{
		"a home of years ago":                 {[]string{"I moved to Hamburg in 2010."}, []int{0}},
		"and a later one":                     {[]string{"I moved to Hamburg in 2010.", "I moved to Kiel in 2018."}, []int{1}},
		"told the other way round":            {[]string{"I moved to Kiel in 2018.", "I moved to Hamburg in 2010."}, []int{0}},
		"told after the home of today":        {[]string{"I live in Bonn.", "I moved to Hamburg in 2010."}, []int{0}},
		"moved this year":                     {[]string{"I live in Bonn.", "I moved to Hamburg in 2024."}, []int{1}},
		"broke up":                            {[]string{"My girlfriend is called Nina.", "I'm in a relationship.", "We broke up."}, []int{2}},
		"divorced":                            {[]string{"My husband is called Tom.", "I'm married.", "We got divorced last month."}, []int{2}},
		"divorced Ana":                        {[]string{"My wife is Ana.", "My sister is Eva.", "I divorced Ana."}, []int{1, 2}},
		"divorced, with a girlfriend":         {[]string{"My girlfriend is called Nina.", "I'm divorced."}, []int{0, 1}},
		"she left":                            {[]string{"My girlfriend is called Lisa.", "Lisa left me."}, []int{1}},
		"lives alone":                         {[]string{"I live with Ana.", "I live alone now."}, []int{1}},
		"moved out":                           {[]string{"I live with my girlfriend.", "I live with my mum.", "My girlfriend moved out."}, []int{1, 2}},
		"gave the cat away":                   {[]string{"My cat is called Mia.", "My dog is called Rex.", "I gave the cat away."}, []int{1, 2}},
		"one of two cats, nobody knows which": {[]string{"My cat is called Mia.", "I have a cat named Tom.", "I gave the cat away."}, []int{0, 1, 2}},
		"one of two dogs died":                {[]string{"My dog is called Rex.", "I have a dog named Bo.", "Rex died."}, []int{1, 2}},
		"called otherwise":                    {[]string{"My dog is called Rex.", "My dog is called Max now."}, []int{1}},
		"no coffee":                           {[]string{"I drink coffee every morning.", "I drink tea every evening.", "I quit coffee."}, []int{1, 2}},
		"no piano":                            {[]string{"I play the piano.", "I play the cello.", "I stopped playing the piano."}, []int{1, 2}},
		"no car":                              {[]string{"I drive a Fiat Panda.", "Sold my car."}, []int{1}},
		"no bus":                              {[]string{"I take the bus to work.", "I don't take the bus anymore."}, []int{1}},
		"rid of the car":                      {[]string{"I have a car.", "We got rid of the car."}, []int{1}},
		"dropped out":                         {[]string{"I study chemistry.", "I dropped out of university."}, []int{1}},
		"thesis":                              {[]string{"I study chemistry.", "I'm writing my thesis.", "I finished my thesis."}, []int{0, 2}},
		"promoted":                            {[]string{"I'm a cashier at Aldi.", "I've been promoted to manager."}, []int{1}},
		"another database":                    {[]string{"We use MySQL.", "We use Vue.", "We switched to Postgres."}, []int{1, 2}},
		"migrated":                            {[]string{"We use MySQL.", "We migrated from MySQL to Postgres."}, []int{1}},
		"more often":                          {[]string{"I run twice a week.", "I play tennis twice a week.", "I run four times a week now."}, []int{1, 2}},
		"widowed":                             {[]string{"My wife is Ana.", "My wife passed away."}, []int{1}},
		"out of work":                         {[]string{"I work as a nurse.", "I quit my job."}, []int{1}},
		"replaced":                            {[]string{"We use MySQL.", "We replaced MySQL with Postgres."}, []int{1}},
		"another post":                        {[]string{"I'm a cashier at Aldi.", "I'm a manager at Aldi now."}, []int{1}},
	} {
		c1 := d.caller(t)
		who := object{"user_id": name}
		for i, text := range c.said {
			c1.say(who.with(object{"session_id": fmt.Sprint("s", i), "messages": list{user(text).at(first.AddDate(0, 0, 10*i).Format(time.RFC3339))}}))
		}
		holding := texts(c1.list(who).Results)
		ok := len(holding) == len(c.holds)
		for _, i := range c.holds {
			said := strings.TrimSuffix(c.said[i], ".")
			ok = ok && slices.ContainsFunc(holding, func(h string) bool { return strings.HasPrefix(h, said) })
		}
		if !ok {
			t.Errorf("%s: of %q hold %q", name, c.said, holding)
		}
		if all := c1.list(who.with(object{"include_superseded": true})).Total; all != len(c.said) {
			t.Errorf("%s: %d of %d are kept", name, all, len(c.said))
		}
	}
	c := d.caller(t)
	who := object{"user_id": "told the other way round"}
	for _, m := range c.list(who.with(object{"include_superseded": true})).Results {
		if year := map[bool]string{true: "2010", false: "2018"}[strings.Contains(m.Memory, "Hamburg")]; !strings.HasPrefix(m.ValidFrom, year) {
			t.Errorf("%q holds from %s", m.Memory, m.ValidFrom)
		}
	}
	c.sameTexts("as of 2015", c.list(who.with(object{"as_of": "2015-06-01T00:00:00Z"})).Results, "I moved to Hamburg in 2010")

	t.Run("what is told in answers and questions", func(t *testing.T) {
		for name, c := range map[string]struct {
			said  list
			holds []string
		}{
			"introduction": {list{assistant("Tell me about yourself."), user("Tom, 30, from Leeds")}, []string{"(I'm) Tom", "(I'm) 30", "(I'm) from Leeds"}},
			"number":       {list{assistant("How many kids do you have?"), user("3")}, []string{"3 (asked: How many kids do you have?)"}},
			"question":     {list{user("Since I'm vegan, what can I eat in Berlin?")}, []string{"I'm vegan"}},
			"as a nurse":   {list{user("As a nurse, how do I calm a patient?")}, []string{"(I'm) a nurse"}},
			"nothing":      {list{user("What can I eat as a snack?")}, nil},
		} {
			who := object{"user_id": "told " + name}
			cl := d.caller(t)
			cl.say(who.with(object{"session_id": "s", "messages": c.said}))
			cl.sameTexts(name, cl.list(who).Results, c.holds...)
		}
	})
	t.Run("what is asked to be forgotten goes, and the history says so", func(t *testing.T) {
		for text, goes := range map[string]bool{"Forget my diet.": true, "Forget my diet. I want pizza.": true, "Forget my diet. Let's order pizza.": false} {
			c := d.caller(t)
			who := object{"user_id": text}
			c.say(who.with(object{"session_id": "s1", "messages": list{user("I'm vegan.")}}))
			id := c.one(c.list(who)).ID
			c.say(who.with(object{"session_id": "s2", "messages": list{user(text)}}))
			h := c.history(id).Results
			last := h[len(h)-1]
			kept := slices.Contains(texts(c.list(who).Results), "I'm vegan")
			if kept == goes || (last.Event == "DELETE") != goes || goes && last.Reason != "asked to be forgotten" {
				t.Errorf("%q: kept %v, history %+v", text, kept, h)
			}
			if goes {
				c.want(404, http.MethodGet, "/v1/memories/"+id, nil, nil)
			}
		}
	})
	t.Run("what a question asks for comes first, whatever its words", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "asked"}
		for i, text := range []string{"I live for jazz concerts.", "My parents live in a big old house.", "My sister lives in Rome.", "I moved to Kiel.", "Living abroad was the best time of my life.", "I joined Aldi as a cashier.",
			"Working out keeps me sane.", "My brother works at Bosch.", "I turned 41 last week.", "My car is old.", "I'm looking for a place to live near the sea for my aunt.", "My cat hates the vet."} {
			c.say(who.with(object{"session_id": fmt.Sprint("s", i), "messages": list{user(text).at(first.AddDate(0, 0, i).Format(time.RFC3339))}}))
		}
		for question, want := range map[string]string{"where do i live": "I moved to Kiel", "Where does my sister live?": "My sister lives in Rome", "where do I work?": "I joined Aldi as a cashier", "how old am I?": "I turned 41"} {
			found := texts(c.search(who.with(object{"query": question})).Results)
			if !strings.HasPrefix(found[0], want) {
				t.Errorf("%q: %q", question, found)
			}
		}
	})
}
