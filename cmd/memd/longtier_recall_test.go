package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func playSearch(t *testing.T, d *daemon) {

	t.Run("a score says how near a memory is", func(t *testing.T) {
		c := d.caller(t)
		facts := []string{
			"I am allergic to penicillin", "My sister Marta lives in Oslo", "I learned to ride a horse at six", "The cellar key hangs behind the stove",
			"I work night shifts at the hospital", "My car is an old Renault 4", "I can't stand the smell of coriander", "We are moving to Funchal in May",
		}
		for i, fact := range facts {
			c.keep(fact, object{"user_id": "scores"})
			if i%2 == 0 {
				c.learn(fact, object{"user_id": "scores, learned"})
			}
		}
		for _, fact := range facts[:2] {
			for _, query := range []string{fact, strings.ToUpper(fact), "  " + fact + ".\n"} {
				for _, threshold := range []float64{0, 0.7} {
					p := c.search(object{"user_id": "scores", "query": query, "threshold": threshold})
					if len(p.Results) == 0 || p.Results[0].Memory != fact || p.Results[0].Score < 0.99 {
						t.Fatalf("%q, threshold %v: %+v", query, threshold, p.Results)
					}
				}
			}
		}
		if p := c.search(object{"user_id": "scores, learned", "query": facts[0], "threshold": 0.7}); len(p.Results) == 0 || p.Results[0].Memory != facts[0] || p.Results[0].Score < 0.99 {
			t.Errorf("learned: %+v", p.Results)
		}
		for question, want := range map[string]string{
			"Which medicine must I not take?": facts[0], "Where does my sister live?": facts[1], "What car do I drive?": facts[5], "Where is the key to the cellar?": facts[3],
		} {
			all := c.search(object{"user_id": "scores", "query": question, "limit": 100}).Results
			if len(all) != len(facts) {
				t.Errorf("%q: %d of %d", question, len(all), len(facts))
			}
			for i, m := range all {
				if m.Score < 0 || m.Score > 1 || m.Similarity < -1 || m.Similarity > 1 {
					t.Errorf("%q: score %v, similarity %v", question, m.Score, m.Similarity)
				}
				if i > 0 && m.Score > all[i-1].Score {
					t.Errorf("%q: %v comes after %v", question, m.Score, all[i-1].Score)
				}
			}
			if all[0].Memory != want || all[0].Score < 0.3 {
				t.Errorf("%q: first is %q with %v, want %q", question, all[0].Memory, all[0].Score, want)
			}
			if all[4].Score > 0.3 { // half of them have nothing to do with it
				t.Errorf("%q: %q has %v", question, all[4].Memory, all[4].Score)
			}
			for _, threshold := range []float64{0.1, 0.3, all[1].Score, 1} {
				got := c.search(object{"user_id": "scores", "query": question, "limit": 100, "threshold": threshold}).Results
				want := 0
				for want < len(all) && all[want].Score >= threshold {
					want++
				}
				if len(got) != want {
					t.Errorf("%q, threshold %v: %d, want %d", question, threshold, len(got), want)
				}
			}
		}
		p := c.search(object{"user_id": "scores", "query": "The moons of Jupiter were seen in 1610"})
		if len(p.Results) != len(facts) || p.Results[len(facts)/2].Score > 0.2 || p.Results[0].Score > 0.5 {
			t.Errorf("what has nothing to do with it: %+v", p.Results)
		}
		for _, mode := range []string{"hybrid", "vector", "lexical"} {
			p := c.search(object{"user_id": "scores", "query": facts[3], "mode": mode, "explain": true})
			if len(p.Results) == 0 || p.Results[0].Memory != facts[3] {
				t.Errorf("%s: %v", mode, texts(p.Results))
			}
		}
		var explained struct {
			Results []struct{ Explain map[string]float64 }
		}
		c.want(200, http.MethodPost, "/v1/memories/search", object{"user_id": "scores", "query": "horse", "explain": true}, &explained)
		if len(explained.Results) == 0 || len(explained.Results[0].Explain) == 0 {
			t.Errorf("explain: %+v", explained)
		}
	})
	t.Run("scopes, a threshold and a limit narrow it", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "turns", "agent_id": "travel desk"}
		for i, city := range []string{"Porto", "Faro", "Beja", "Viseu", "Guarda", "Sines"} {
			c.add(who.with(object{"infer": false, "messages": list{
				user("I want to see " + city), assistant("The train to " + city + " is quick"), object{"role": "tool", "content": fmt.Sprint("fare to ", city, ": ", i), "tool_call_id": "x"}}}))
		}
		for name, want := range map[string]struct {
			scopes list
			roles  []string
			most   int
		}{
			"user":      {list{"USER"}, []string{"user", "tool"}, 12}, // all that no assistant said
			"assistant": {list{"ASSISTANT"}, []string{"assistant"}, 6},
			"both":      {list{"USER", "ASSISTANT"}, []string{"user", "tool", "assistant"}, 18},
		} {
			ask := who.with(object{"query": "What about going to Porto?", "scopes": want.scopes})
			all := c.search(ask.with(object{"limit": 100})).Results
			if len(all) != want.most || c.list(who.with(object{"scopes": want.scopes})).Total != want.most {
				t.Errorf("%s: %d found, want %d", name, len(all), want.most)
			}
			for _, m := range all {
				if !slices.Contains(want.roles, m.Role) {
					t.Errorf("%s: %q is of role %s", name, m.Memory, m.Role)
				}
			}
			top := c.search(ask.with(object{"threshold": 0.3, "limit": 5})).Results
			if len(top) > 5 || len(top) == 0 || !strings.Contains(top[0].Memory, "Porto") {
				t.Errorf("%s: threshold 0.3 and limit 5 give %v", name, texts(top))
			}
			for i, m := range top {
				if m.Score < 0.3 || m.ID != all[i].ID {
					t.Errorf("%s: result %d is %q with %v, without bounds it is %q", name, i, m.Memory, m.Score, all[i].Memory)
				}
			}
			if got := c.search(ask.with(object{"limit": 5})).Results; len(got) != 5 {
				t.Errorf("%s: %d with limit 5", name, len(got))
			}
		}
		c.refused(http.MethodPost, "/v1/memories/search", who.with(object{"query": "x", "scopes": list{}}), "body.scopes")
		c.refused(http.MethodPost, "/v1/memories/search", who.with(object{"query": "x", "scopes": list{"user"}}), "body.scopes[0]")
		c.refused(http.MethodPost, "/v1/memories/search", who.with(object{"query": "x", "threshold": 1.5}), "body.threshold")
		c.refused(http.MethodPost, "/v1/memories/search", who.with(object{"query": "x", "threshold": -0.1}), "body.threshold")
		c.refused(http.MethodPost, "/v1/memories/search", who.with(object{"query": "x", "limit": 0}), "body.limit")
		c.refused(http.MethodPost, "/v1/memories/search", who.with(object{"query": "x", "mode": "magic"}), "body.mode")
	})
	t.Run("the time it was said is taken apart, in UTC", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "times"}
		said := map[string]struct {
			at   string
			want object
		}{
			"leap day": {"2024-02-29T23:45:10Z", object{"year": 2024, "month": 2, "day": 29, "hour": 23, "minute": 45, "day_of_week": "thursday",
				"week_of_year": 9, "day_of_year": 60, "quarter": 1, "is_weekend": false}},
			"another day in UTC": {"2026-01-01T01:30:00+05:30", object{"year": 2025, "month": 12, "day": 31, "hour": 20, "minute": 0, "day_of_week": "wednesday",
				"week_of_year": 1, "day_of_year": 365, "quarter": 4, "is_weekend": false}},
			"a Sunday in week 53": {"2021-01-03T00:00:00Z", object{"year": 2021, "month": 1, "day": 3, "hour": 0, "minute": 0, "day_of_week": "sunday",
				"week_of_year": 53, "day_of_year": 3, "quarter": 1, "is_weekend": true}},
			"a Saturday": {"2025-07-05T12:05:59Z", object{"year": 2025, "month": 7, "day": 5, "hour": 12, "minute": 5, "day_of_week": "saturday",
				"week_of_year": 27, "day_of_year": 186, "quarter": 3, "is_weekend": true}},
		}
		for name, s := range said {
			c.add(who.with(object{"infer": false, "messages": object{"role": "user", "content": name, "created_at": s.at}}))
		}
		for name, s := range said {
			both := object{}
			for part, value := range s.want {
				field := "structured_attributes." + part
				both[field] = value
				var same []string // all that share this part
				for other, o := range said {
					if o.want[part] == value {
						same = append(same, other)
					}
				}
				for _, filter := range []object{{field: value}, {field: object{"eq": value}}, {field: list{value}}, {"AND": list{object{field: value}}}} {
					c.sameTexts(excerpt(filter), c.list(who.with(object{"filters": filter})).Results, same...)
				}
				c.sameTexts("search by "+part, c.search(who.with(object{"query": "day", "filters": object{field: value}})).Results, same...)
				if number, ok := value.(int); ok {
					filter := object{field: object{"gt": number - 1, "lt": number + 1}}
					c.sameTexts(excerpt(filter), c.list(who.with(object{"filters": filter})).Results, same...)
				}
			}
			m := c.one(c.list(who.with(object{"filters": both})))
			if m.Memory != name || excerpt(m.StructuredAttributes) != excerpt(s.want) {
				t.Errorf("%s: %s, want %s", m.Memory, excerpt(m.StructuredAttributes), excerpt(s.want))
			}
		}
		c.sameTexts("weekends of summer", c.list(who.with(object{"filters": raw(`{"structured_attributes.is_weekend": true, "structured_attributes.month": {"gte": 6, "lte": 8}}`)})).Results, "a Saturday")
		c.sameTexts("a part that is none", c.list(who.with(object{"filters": raw(`{"structured_attributes.century": 21}`)})).Results)
	})
	t.Run("a blank query is refused, and listing is a call of its own", func(t *testing.T) {
		c := d.caller(t)
		c.keep("Only one", object{"user_id": "blank"})
		for _, query := range []any{"", " ", "\n\t ", "\u200b", "\u00a0", nil} {
			c.refused(http.MethodPost, "/v1/memories/search", object{"user_id": "blank", "query": query}, "body.query")
		}
		c.refused(http.MethodPost, "/v1/memories/search", object{"user_id": "blank"}, "body.query")
		c.refused(http.MethodPost, "/v1/memories/search", object{"query": "only"}, "body.user_id")
		c.refused(http.MethodPost, "/v1/memories/list", object{"user_id": "blank", "query": "only"}, "body.query")
		c.sameTexts("list", c.of("user_id", "blank").Results, "Only one")
		// In a context a blank query is none.
		c.sameTexts("context", c.context(object{"user_id": "blank", "session_id": "s", "query": " "}).Recalled)
	})
	t.Run("queries may hold anything", func(t *testing.T) {
		c := d.caller(t)
		c.keep("It's 100% \"safe\"; DROP TABLE memory; -- 日本語 😀", object{"user_id": "odd"})
		for _, query := range []string{"'", "\"", "%", "\\", "😀", "日本語", "a\u0000b", "--", "?", "!!!", "the", strings.Repeat("long ", 5000), "It's 100% \"safe\"; DROP TABLE memory; -- 日本語 😀"} {
			for _, mode := range []string{"hybrid", "vector", "lexical"} {
				if p := c.search(object{"user_id": "odd", "query": query, "mode": mode}); mode != "lexical" && len(p.Results) != 1 {
					t.Errorf("%.20q, %s: %d results", query, mode, len(p.Results))
				}
			}
		}
	})
	t.Run("what held at a time can be asked for", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "as of"}
		for text, at := range map[string]string{"The old bridge is open": "2024-01-10T08:00:00Z", "The new bridge is open": "2024-03-10T08:00:00Z"} {
			c.add(who.with(object{"infer": false, "messages": object{"role": "user", "content": text, "created_at": at}}))
		}
		for at, want := range map[string][]string{
			"2024-01-10T07:59:59Z": nil, "2024-01-10T08:00:00Z": {"The old bridge is open"}, "2024-02-01": {"The old bridge is open"},
			"2024-03-10T09:00:00+01:00": {"The old bridge is open", "The new bridge is open"}, "2999-01-01": {"The old bridge is open", "The new bridge is open"},
		} {
			c.sameTexts("search as of "+at, c.search(who.with(object{"query": "bridge", "as_of": at})).Results, want...)
			c.sameTexts("list as of "+at, c.list(who.with(object{"as_of": at})).Results, want...)
		}
	})
}

// A context without a query asks for what the last two messages say that have something
// to say.
func playRecallFromWhatWasSaidLast(t *testing.T, d *daemon) {

	t.Run("the last two messages that carry text are the question", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "last two"}
		facts := map[string]string{"taxes": "The tax papers are in the blue folder", "dog": "The dog Biscuit eats boiled chicken", "boat": "The boat is moored in Vigo", "piano": "The piano was tuned in March"}
		for _, fact := range facts {
			c.keep(fact, who)
		}
		call := object{"role": "assistant", "content": nil, "tool_calls": list{object{"id": "c1", "type": "function", "function": object{"name": "look", "arguments": "{}"}}}}
		result := object{"role": "tool", "tool_call_id": "c1", "content": "piano piano piano tuned in March"}
		first := func(p page, n int) []string { return texts(p.Results[:n]) }
		for name, said := range map[string]list{
			"two messages":                {user("Was the piano tuned?"), user("Where are the tax papers?"), user("What does the dog Biscuit eat?")},
			"tool messages after them":    {user("Was the piano tuned?"), user("Where are the tax papers?"), user("What does the dog Biscuit eat?"), call, result},
			"tool messages between them":  {user("Where are the tax papers?"), call, result, user("What does the dog Biscuit eat?")},
			"one of them the assistant's": {user("Was the piano tuned?"), user("What does the dog Biscuit eat?"), assistant("Did you look for the tax papers?")},
			"an empty one in between":     {user("Where are the tax papers?"), object{"role": "assistant", "content": "", "refusal": "no"}, user("What does the dog Biscuit eat?")},
			"instructions in between":     {user("Where are the tax papers?"), object{"role": "system", "content": "The piano was tuned in March, the piano"}, user("What does the dog Biscuit eat?")},
			"a picture without any words": {user("Where are the tax papers?"), object{"role": "user", "content": list{object{"type": "image_url", "image_url": object{"url": "data:,"}}}}, user("What does the dog Biscuit eat?")},
			"words beside a picture":      {user("Where are the tax papers?"), object{"role": "user", "content": list{object{"type": "image_url", "image_url": object{"url": "data:,"}}, object{"type": "text", "text": "What does the dog Biscuit eat?"}}}},
		} {
			session := who.with(object{"session_id": name})
			c.want(201, http.MethodPost, "/v1/messages", session.with(object{"messages": said, "infer": false}), nil)
			a := c.context(session.with(object{"recall": 2}))
			c.sameTexts(name, a.Recalled, facts["taxes"], facts["dog"])
			if a.Messages[0].Role != "system" || !strings.HasPrefix(a.Messages[0].words(), "retrieved memories:\n") {
				t.Errorf("%s: %+v", name, a.Messages[0])
			}
			// A query stands in their place.
			if got := texts(c.context(session.with(object{"recall": 1, "query": "Where is the boat?"})).Recalled); !slices.Equal(got, []string{facts["boat"]}) {
				t.Errorf("%s: with a query %v", name, got)
			}
			// The same question by search finds the same.
			c.sameTexts(name+", searched for", c.search(who.with(object{"query": "Where are the tax papers?\nWhat does the dog Biscuit eat?"})).Results[:2], first(c.search(who.with(object{"query": "Where are the tax papers? What does the dog Biscuit eat?"})), 2)...)
		}
		// In one call: appended and asked for.
		a := c.context(who.with(object{"session_id": "one call", "recall": 2, "append": list{user("Where are the tax papers?"), call, result, user("What does the dog Biscuit eat?")}}))
		c.sameTexts("one call", a.Recalled, facts["taxes"], facts["dog"])
		if a := c.context(who.with(object{"session_id": "not there yet"})); len(a.Recalled) != 0 || len(a.Messages) != 0 {
			t.Errorf("nothing to ask: %+v", a)
		}
	})
	t.Run("an agent that changes its session for each talk still recalls", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "rotating", "agent_id": "arm"}
		c.context(who.with(object{"session_id": "talk 0", "append": list{user("My grandson is called Tomás"), assistant("A fine name.")}}))
		c.settle("rotating")
		previous := "talk 0"
		for i := 1; i <= 3; i++ {
			session := fmt.Sprint("talk ", i)
			c.want(201, http.MethodPost, "/v1/sessions", who.with(object{"session_id": session, "previous_session_id": previous}), nil)
			a := c.context(who.with(object{"session_id": session, "append": list{user("What is my grandson called?")}}))
			if len(a.Recalled) == 0 || a.Recalled[0].Memory != "My grandson is called Tomás" {
				t.Errorf("%s: recalled %v", session, texts(a.Recalled))
			}
			if n := len(a.Messages); n != 2 || a.Messages[1].words() != "What is my grandson called?" {
				t.Errorf("%s: the window holds %+v, want this session's message alone", session, a.Messages)
			}
			previous = session
		}
		c.settle("rotating")
	})
	t.Run("what the window shows is not recalled as well", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "shown", "session_id": "s"}
		c.say(who.with(object{"messages": list{user("I play the oboe"), assistant("Nice.")}}))
		ask := list{user("What do I play?")}
		c.sameTexts("within the window", c.context(who.with(object{"append": ask})).Recalled)
		c.sameTexts("outside of it", c.context(who.with(object{"turns": 1})).Recalled, "I play the oboe")
	})
}
