package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// at is said of a message that is imported: when it was said.
func (o object) at(when string) object { return o.with(object{"created_at": when}) }

// TestWhatIsLearnedCanBeTrusted plays what people say to a memd as it comes, without any
// model, and looks at what it holds to be so.
func TestWhatIsLearnedCanBeTrusted(t *testing.T) {
	t.Parallel()
	d := start(t, dataDir(t), "MEMD_WORKERS=4", "MEMD_DB_POOL_MAX=2")

	t.Run("of two statements that contradict each other the later is current, and the earlier is kept", func(t *testing.T) {
		for name, sessions := range map[string][2]string{"in one session": {"s1", "s1"}, "in two": {"s1", "s2"}} {
			for was, is := range map[string]string{
				"I love coriander":                      "I can't stand coriander",
				"I'm vegetarian":                        "I'm not vegetarian anymore",
				"I live in Coimbra":                     "I moved to Porto",
				"My favorite color is blue":             "My favorite color is green",
				"I work at Northwind":                   "I work at Contoso now",
				"My name is Ana Luz":                    "My name is Ana Prado",
				"Our production database is PostgreSQL": "Our production database is MySQL",
			} {
				c := d.caller(t)
				who := object{"user_id": name + ": " + was}
				c.say(who.with(object{"session_id": sessions[0], "messages": list{user(was).at("2024-01-10T09:00:00Z")}}))
				c.say(who.with(object{"session_id": sessions[1], "messages": list{user(is).at("2024-03-10T09:00:00Z")}}))
				current := c.one(c.list(who))
				if !strings.HasPrefix(current.Memory, is) || current.ValidTo != nil {
					t.Errorf("%s: %q is current", name, current.Memory)
				}
				c.sameTexts("a search", c.search(who.with(object{"query": was})).Results, current.Memory)
				c.sameTexts("a context", c.context(who.with(object{"session_id": "new", "query": was})).Recalled, current.Memory)
				all := c.list(who.with(object{"include_superseded": true})).Results
				c.sameTexts("both", all, was, current.Memory)
				for _, m := range all {
					if m.Memory == was && (text(m.SupersededBy) != current.ID || text(m.ValidTo) != "2024-03-10T09:00:00Z" || !strings.HasPrefix(m.ValidFrom, "2024-01-10T09:00:00")) {
						t.Errorf("%s: %+v is not superseded by %s when that was said", name, m, current.ID)
					}
				}
				for as, held := range map[string][]string{"2024-01-09T00:00:00Z": nil, "2024-02-01T00:00:00Z": {was}, "2024-04-01T00:00:00Z": {current.Memory}} {
					c.sameTexts("as of "+as, c.list(who.with(object{"as_of": as})).Results, held...)
				}
			}
		}
	})
	t.Run("what is of another thing ends nothing", func(t *testing.T) {
		for _, facts := range [][]string{
			{"I work at Northwind as manager", "I administer Northwind's repository"},
			{"I work at Northwind", "I used to sell boats to Northwind", "My sister works at Contoso"},
			{"I love coriander", "I can't stand parsley", "My brother hates coriander"},
			{"I live in Coimbra", "My parents live in Porto", "I was born in Faro"},
			{"My dog is called Rex", "My cat is called Mia", "My sister's dog is called Bolt"},
			{"I'm allergic to walnuts", "I'm allergic to shellfish"},
			{"I speak Danish", "I speak Finnish"},
			{"The flight to Oslo leaves at 6", "The flight to Bergen leaves at 8"},
		} {
			c := d.caller(t)
			who := object{"user_id": "unrelated: " + facts[0]}
			for i, f := range facts {
				c.say(who.with(object{"session_id": fmt.Sprint("s", i), "messages": list{user(f)}}))
			}
			c.sameTexts("the list", c.of("user_id", who["user_id"].(string)).Results, facts...)
		}
	})
	t.Run("who ended what is told, and can be undone", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "undone", "session_id": "s"}
		c.say(who.with(object{"messages": list{user("I work at Northwind")}}))
		id := c.one(c.list(object{"user_id": "undone"})).ID
		c.say(who.with(object{"messages": list{user("I work at Contoso now")}}))
		h := c.history(id).Results
		if last := h[len(h)-1]; last.Event != "UPDATE" || last.Reason == "" || last.By == "" {
			t.Errorf("history %+v", h)
		}
		c.want(200, http.MethodPost, "/v1/memories/"+id+"/undo", nil, nil)
		c.sameTexts("the list", c.of("user_id", "undone").Results, "I work at Northwind", "I work at Contoso now")
	})
	t.Run("a memory that is put right by its id keeps its versions", func(t *testing.T) {
		c := d.caller(t)
		id := c.learn("My tent sleeps two", object{"user_id": "versions"})
		for _, next := range []string{"My tent sleeps three", "My tent sleeps four"} {
			if m := c.patch(id, object{"memory": next}); m.ID != id || m.Memory != next {
				t.Errorf("%+v", m)
			}
		}
		var versions []string
		for _, e := range c.history(id).Results {
			versions = append(versions, e.Event+" "+text(e.PreviousMemory)+" → "+text(e.Memory))
		}
		if want := []string{"ADD  → My tent sleeps two", "UPDATE My tent sleeps two → My tent sleeps three", "UPDATE My tent sleeps three → My tent sleeps four"}; !slices.Equal(versions, want) {
			t.Errorf("history %s, want %s", quoted(versions), quoted(want))
		}
		c.sameTexts("the list", c.of("user_id", "versions").Results, "My tent sleeps four")
	})
	t.Run("what the assistant says is not the user's", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "roles", "session_id": "s"}
		ids := c.said(who.with(object{"messages": list{
			user("Can you prove that the square root of 2 is irrational?"),
			assistant("The square root of 2 is irrational: suppose it were p/q in lowest terms, then both are even. I recommend the book by Hardy."),
			user("Thanks! I teach mathematics in Ghent."),
			assistant("So you teach mathematics in Ghent. You're also fond of proofs."),
		}}))
		mine := c.search(object{"user_id": "roles", "query": "square root proof mathematics", "scopes": list{"USER"}, "limit": 50}).Results
		c.sameTexts("what the user said", mine, "I teach mathematics in Ghent")
		for _, m := range c.list(object{"user_id": "roles"}).Results {
			if m.Role == "assistant" != !slices.Equal(m.Sources, []int64{ids[2]}) || m.Role == "assistant" && !slices.Equal(m.Sources, []int64{ids[1]}) {
				t.Errorf("%s: %s, from %v", m.Role, m.Memory, m.Sources)
			}
		}
		c.say(object{"user_id": "roles", "session_id": "t", "scopes": list{"USER"}, "messages": list{assistant("The Majestic is a fine café in Porto.")}})
		for _, m := range c.list(object{"user_id": "roles"}).Results {
			if strings.Contains(m.Memory, "Majestic") {
				t.Errorf("learned by none's wish: %s", m.Memory)
			}
		}
	})
	t.Run("what was recalled for thirty turns is not learned again", func(t *testing.T) {
		c := d.caller(t)
		who := "thirty turns"
		c.say(object{"user_id": who, "session_id": "s0", "messages": list{user("I am allergic to walnuts. I live in Coimbra.")}})
		before := c.of("user_id", who).Results
		for i := range 30 {
			// Of a session that does not show them yet.
			a := c.context(object{"user_id": who, "session_id": "another", "query": "What may I eat where I live?"})
			if len(a.Recalled) != 2 {
				t.Fatalf("turn %d: recalled %s", i, quoted(texts(a.Recalled)))
			}
			system := a.Messages[0].words()
			// As clients put it: in a system message, in the user's own, and said back.
			c.say(object{"user_id": who, "session_id": "s", "messages": list{
				object{"role": "system", "content": "You are a helper.\n" + system},
				user(system + "\n\nWhat may I eat?"),
				assistant("As you said, you're allergic to walnuts. You live in Coimbra."),
			}})
		}
		after := c.list(object{"user_id": who, "include_superseded": true}).Results
		if excerpt(after) != excerpt(before) {
			t.Errorf("after thirty turns %s with %d sources, before %s", quoted(texts(after)), len(after[0].Sources), quoted(texts(before)))
		}
		for _, m := range after {
			var source loggedMessage
			if source = c.message(m.Sources[0]); len(m.Sources) != 1 || !strings.Contains(fmt.Sprint(source.Content), m.Memory) {
				t.Errorf("%q is not in what it comes from, %q", m.Memory, source.Content)
			}
		}
	})
	t.Run("what is said of a time is meant at the time it was said, in the zone it was said in", func(t *testing.T) {
		c := d.caller(t)
		for zone, want := range map[string]struct{ words, occurred string }{
			"UTC":                 {"The boiler was fixed two days ago (2024-02-26)", "2024-02-26T00:00:00Z"},
			"America/Los_Angeles": {"The boiler was fixed two days ago (2024-02-25)", "2024-02-25T00:00:00Z"},
			"Asia/Tokyo":          {"The boiler was fixed two days ago (2024-02-26)", "2024-02-26T00:00:00Z"},
		} {
			who := object{"user_id": "import " + zone}
			c.say(who.with(object{"session_id": "s", "timezone": zone, "messages": list{user("The boiler was fixed two days ago").at("2024-02-28T01:30:00Z")}}))
			m := c.one(c.list(who))
			if m.Memory != want.words || m.ValidFrom != "2024-02-28T01:30:00Z" || text(m.OccurredAt) != want.occurred {
				t.Errorf("%s: %q, valid from %s, occurred at %s", zone, m.Memory, m.ValidFrom, text(m.OccurredAt))
			}
		}
		vague := object{"user_id": "import, vague"}
		c.say(vague.with(object{"session_id": "s", "messages": list{user("We met a few years ago in Oslo").at("2024-02-28T01:30:00Z")}}))
		if m := c.one(c.list(vague)); m.Memory != "We met a few years ago (before 2024-02-28) in Oslo" || m.OccurredAt != nil {
			t.Errorf("%q, occurred at %s", m.Memory, text(m.OccurredAt))
		}
	})
	t.Run("a time is the same from every answer, in UTC, and a day is that day", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "days", "session_id": "s"}
		ids := c.said(who.with(object{"messages": list{
			user("I keep bees").at("2024-03-10T02:30:00+01:00"), user("I own a red boat").at("2024-03-09T23:59:59.999999Z"), user("I play the cello").at("2024-03-11"),
		}}))
		const said = "2024-03-10T01:30:00Z"
		on := c.list(object{"user_id": "days", "filters": object{"valid_from": object{"gte": "2024-03-10", "lt": "2024-03-11"}}})
		m := c.one(on)
		if m.Memory != "I keep bees" || m.ValidFrom != said || m.StructuredAttributes["hour"] != 1.0 || m.StructuredAttributes["day"] != 10.0 {
			t.Errorf("%+v", m)
		}
		var message struct {
			CreatedAt  string `json:"created_at"`
			ReceivedAt string `json:"received_at"`
			Ingest     struct {
				SettledAt string `json:"settled_at"`
			}
		}
		c.want(200, http.MethodGet, fmt.Sprintf("/v1/messages/%d", ids[0]), nil, &message)
		if message.CreatedAt != said {
			t.Errorf("created_at %s", message.CreatedAt)
		}
		var history struct{ Results []struct{ At string } }
		c.want(200, http.MethodGet, "/v1/memories/"+m.ID+"/history", nil, &history)
		var session struct {
			CreatedAt     string `json:"created_at"`
			LastMessageAt string `json:"last_message_at"`
		}
		c.want(200, http.MethodGet, "/v1/sessions/s?user_id=days", nil, &session)
		for name, at := range map[string]string{"received_at": message.ReceivedAt, "settled_at": message.Ingest.SettledAt, "memory.created_at": m.CreatedAt,
			"memory.updated_at": m.UpdatedAt, "history.at": history.Results[0].At, "session.created_at": session.CreatedAt, "last_message_at": session.LastMessageAt} {
			parsed, err := time.Parse(time.RFC3339Nano, at)
			if err != nil || !strings.HasSuffix(at, "Z") || name != "last_message_at" && (time.Since(parsed) > time.Hour || time.Until(parsed) > time.Minute) {
				t.Errorf("%s is %q", name, at)
			}
		}
		for name, got := range map[string]memory{"get": c.get(m.ID), "search": c.search(object{"user_id": "days", "query": "I keep bees"}).Results[0],
			"GET": c.of("user_id", "days").Results[1], "context": c.context(object{"user_id": "days", "session_id": "other", "query": "I keep bees"}).Recalled[0]} {
			if got.Memory == m.Memory && (got.ValidFrom != m.ValidFrom || got.CreatedAt != m.CreatedAt || got.UpdatedAt != m.UpdatedAt) {
				t.Errorf("%s: %s, %s, %s", name, got.ValidFrom, got.CreatedAt, got.UpdatedAt)
			}
		}
	})
	t.Run("content in parts is learned from as one text, and kept as it was given", func(t *testing.T) {
		c := d.caller(t)
		content := `[{"type":"text","text":"My cat is called Pipoca."},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","detail":"low"}},{"type":"text","text":"I own a red boat."},{"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"},"x":1e2}]`
		ids := c.said(object{"user_id": "parts", "session_id": "s", "messages": list{object{"role": "user", "content": raw(content)}}})
		c.sameTexts("learned", c.of("user_id", "parts").Results, "My cat is called Pipoca", "I own a red boat")
		for name, path := range map[string]string{"alone": fmt.Sprintf("/v1/messages/%d", ids[0]), "in its session": "/v1/messages?user_id=parts&session_id=s"} {
			if _, answer := c.send(http.MethodGet, path, nil); !strings.Contains(answer, content) {
				t.Errorf("%s it is %s", name, answer)
			}
		}
		var a struct {
			Messages []struct{ Content json.RawMessage }
		}
		c.want(200, http.MethodPost, "/v1/context", object{"user_id": "parts", "session_id": "s"}, &a)
		// A member that OpenAI does not know stays in the log.
		if last := a.Messages[len(a.Messages)-1]; string(last.Content) != strings.Replace(content, `,"x":1e2`, "", 1) {
			t.Errorf("sent to a model it is %s", last.Content)
		}
		for _, infer := range []bool{true, false} {
			who := fmt.Sprint("parts, added ", infer)
			for _, messages := range []any{object{"role": "user", "content": raw(content)}, list{object{"role": "user", "content": raw(content)}}} {
				c.add(object{"user_id": who, "messages": messages, "infer": infer})
			}
			if all := strings.Join(texts(c.of("user_id", who).Results), "\n"); strings.Count(all, "Pipoca") != 1 || strings.Count(all, "red boat") != 1 {
				t.Errorf("infer %v: %q", infer, all)
			}
		}
	})
	t.Run("nothing said is refused by the same rule on every way in", func(t *testing.T) {
		c := d.caller(t)
		ids := c.said(object{"user_id": "ways in", "session_id": "s", "messages": list{user("I keep bees"), assistant("I booked a table at Luma"), object{"role": "tool", "tool_call_id": "x", "content": "42"}}})
		calls := `,"tool_calls":[{"id":"x","type":"function","function":{"name":"f","arguments":"{ }"}}]`
		for _, m := range []struct {
			message string
			refused bool
		}{
			{`{"role":"user","content":""}`, true}, {`{"role":"user","content":" \t\n"}`, true}, {`{"role":"user","content":null}`, true}, {`{"role":"user"}`, true},
			{`{"role":"user","content":[]}`, true}, {`{"role":"user","content":"\u0000"}`, true}, {`{"role":"user","content":null` + calls + `}`, true},
			{`{"role":"user","content":"\u200b"}`, true}, {`{"role":"user","content":[{"type":"text","text":"\ufeff\u2060"}]}`, true}, {`{"role":"assistant","content":"\u200b\n"}`, true},
			{`{"role":"user","content":"\ud83d"}`, false}, {`{"role":"assistant","content":"\u200b"` + calls + `}`, false},
			{`{"role":"system","content":" "}`, true}, {`{"role":"developer","content":null}`, true},
			{`{"role":"assistant","content":""}`, true}, {`{"role":"assistant","content":null}`, true}, {`{"role":"assistant","content":null,"tool_calls":[]}`, true},
			{`{"role":"assistant","content":null` + calls + `}`, false}, {`{"role":"assistant","content":""` + calls + `}`, false}, {`{"role":"assistant","content":null,"refusal":"No."}`, false},
			{`{"role":"tool","tool_call_id":"x","content":""}`, false}, {`{"role":"tool","tool_call_id":"x","content":null}`, false},
		} {
			for path, body := range map[string]object{
				"/v1/messages":       {"user_id": "ways in", "session_id": "s", "messages": list{user("fine"), raw(m.message)}},
				"/v1/context":        {"user_id": "ways in", "session_id": "s", "append": list{user("fine"), raw(m.message)}},
				"/v1/memories":       {"user_id": "ways in", "messages": list{user("fine"), raw(m.message)}},
				"/v1/memories/batch": {"memories": list{object{"user_id": "ways in", "messages": list{user("fine"), raw(m.message)}}}},
			} {
				at := map[string]string{"/v1/messages": "body.messages[1].content", "/v1/context": "body.append[1].content", "/v1/memories": "body.messages[1].content", "/v1/memories/batch": "body.memories[0].messages[1].content"}[path]
				if m.refused {
					c.refused(http.MethodPost, path, body, at)
				} else if status, answer := c.send(http.MethodPost, path, body); status/100 != 2 {
					t.Errorf("%s: %s is %d %s", path, m.message, status, answer)
				}
			}
		}
		for i, content := range []string{`""`, `" "`, `null`, `[]`, `"\u200b"`} {
			for j, id := range ids[:2] {
				c.refused(http.MethodPatch, fmt.Sprintf("/v1/messages/%d", id), fmt.Sprintf(`{"content":%s}`, content), "body.content")
				if m := c.message(id); fmt.Sprint(m.Content) == "" || m.Content == nil {
					t.Errorf("%d, %d: %+v", i, j, m)
				}
			}
		}
		c.want(200, http.MethodPatch, fmt.Sprintf("/v1/messages/%d", ids[2]), `{"content":""}`, nil)
		c.settle("ways in")
	})
	t.Run("what many say at once is all there when it is told to be", func(t *testing.T) {
		c := d.caller(t)
		const people, facts = 12, 8
		ids := make([]int64, people)
		var wg sync.WaitGroup
		for i := range people {
			wg.Go(func() {
				var said []string
				for n := range facts {
					said = append(said, fmt.Sprintf("I own %d boats called Aurora%d", 100*i+n+2, i))
				}
				status, answer := c.send(http.MethodPost, "/v1/messages", object{"user_id": fmt.Sprint("at once ", i%4), "session_id": fmt.Sprint("s", i), "messages": list{user(strings.Join(said, ". ") + ".")}})
				var p posted
				if err := json.Unmarshal([]byte(answer), &p); err != nil || status != 201 || len(p.Messages) != 1 {
					t.Errorf("%d %s", status, answer)
					return
				}
				ids[i] = p.Messages[0].ID
			})
		}
		wg.Wait()
		d.eventually("all are done", func() bool {
			open := 0
			for i, id := range ids {
				m := c.message(id)
				want := 0
				switch m.Ingest.State {
				case "done":
					want = facts
				case "dead":
					t.Fatalf("message %d is given up: %s", i, text(m.Ingest.Error))
				default:
					open++
				}
				if n := len(m.Ingest.Memories); n != want {
					t.Errorf("message %d is %s with %d memories, want %d", i, m.Ingest.State, n, want)
				}
			}
			return open == 0
		})
		for i := range 4 {
			if total := c.of("user_id", fmt.Sprint("at once ", i)).Total; total != people/4*facts {
				t.Errorf("%d memories, want %d", total, people/4*facts)
			}
		}
	})
	t.Run("what is counted is what is sent", func(t *testing.T) {
		c := d.caller(t)
		said := list{}
		for i := range 40 {
			said = append(said, user(fmt.Sprintf("On day %d I fed the bees and %s", i, strings.Repeat("watched them fly ", 8))), assistant("Good."))
		}
		c.want(201, http.MethodPost, "/v1/messages", object{"user_id": "counted", "session_id": "s", "messages": said}, nil)
		last := -1
		for _, budget := range []int{200, 400, 800, 1600} {
			var a struct {
				Messages []json.RawMessage
				Tokens   struct {
					Budget, Used int
					Counter      string
				}
			}
			c.want(200, http.MethodPost, "/v1/context", object{"user_id": "counted", "session_id": "s", "turns": 40, "token_budget": budget}, &a)
			if a.Tokens.Budget != budget || a.Tokens.Used > budget || a.Tokens.Used <= last || a.Tokens.Counter != "o200k_base" {
				t.Errorf("%+v of %d", a.Tokens, budget)
			}
			size := 0
			for _, m := range a.Messages {
				size += len(m)
			}
			if size/8 > a.Tokens.Used { // no text has so long tokens
				t.Errorf("%d bytes are counted as %d tokens", size, a.Tokens.Used)
			}
			last = a.Tokens.Used
		}
	})
}
