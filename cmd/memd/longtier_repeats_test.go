package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

func playRepeats(t *testing.T, d *daemon) {
	const fact = "I keep my bicycle in the cellar"

	t.Run("the same thing again is no change", func(t *testing.T) {
		c := d.caller(t)
		for _, infer := range []bool{true, false} {
			who := object{"user_id": fmt.Sprint("again ", infer), "infer": infer, "messages": fact}
			first := c.add(who).Results
			if len(first) != 1 || first[0].Event != "ADD" {
				t.Fatalf("infer %v: %+v", infer, first)
			}
			for range 5 {
				a := c.add(who)
				if len(a.Results) != 1 || a.Results[0].Event != "NONE" || a.Results[0].ID != first[0].ID || a.Results[0].Memory != fact {
					t.Errorf("infer %v: again: %+v, want NONE of %s", infer, a.Results, first[0].ID)
				}
			}
			m := c.one(c.of("user_id", who["user_id"].(string)))
			if m.ID != first[0].ID || infer && len(m.Sources) != 6 {
				t.Errorf("infer %v: %+v", infer, m)
			}
			for _, e := range c.history(m.ID).Results {
				if e.Event != "ADD" && e.Event != "NONE" && e.Event != "UPDATE" || text(e.Memory) != fact {
					t.Errorf("infer %v: history has %+v", infer, e)
				}
			}
		}
	})
	t.Run("verbatim memories that differ in anything stay apart", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "differ", "infer": false}
		said := func(m object) object {
			return who.with(object{"messages": object{"role": "user", "content": fact}.with(m)})
		}
		different := []object{
			said(nil), said(object{"name": "Bia"}), said(object{"role": "assistant"}), said(object{"content": fact + "!"}), said(nil).with(object{"metadata": object{"n": 1}}),
			said(nil).with(object{"metadata": object{"n": "1"}}), said(nil).with(object{"run_id": "r"}), said(nil).with(object{"agent_id": "r"}), said(nil).with(object{"app_id": "r"}),
		}
		for range 2 { // the second time all of them are known
			for _, body := range different {
				c.add(body)
			}
		}
		if total := c.of("user_id", "differ").Total; total != len(different) {
			t.Errorf("%d memories of %d that differ", total, len(different))
		}
	})
	t.Run("whatever way it comes in, one fact is one memory", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "ways"}
		c.say(who.with(object{"session_id": "s1", "messages": list{user(fact)}}))
		m := c.one(c.of("user_id", "ways"))
		if a := c.add(who.with(object{"messages": fact})); len(a.Results) != 1 || a.Results[0].Event != "NONE" || a.Results[0].ID != m.ID {
			t.Errorf("by the long tier after the log: %+v", a.Results)
		}
		c.context(who.with(object{"session_id": "s2", "append": list{user(fact)}}))
		for i := range 25 {
			c.want(201, http.MethodPost, "/v1/messages", who.with(object{"session_id": fmt.Sprint("s", i), "messages": list{user(fact)}}), nil)
			c.want(202, http.MethodPost, "/v1/memories", who.with(object{"messages": fact, "wait": false}), nil)
		}
		c.settle("ways")
		if again := c.one(c.of("user_id", "ways")); again.ID != m.ID || len(again.Sources) != 53 {
			t.Errorf("after 50 more: %s with %d sources, want %s with 53", again.ID, len(again.Sources), m.ID)
		}
	})
	t.Run("said by 50 at once it is one memory", func(t *testing.T) {
		for name, post := range map[string]func(c caller, who string, i int) (int, string){
			"learned": func(c caller, who string, i int) (int, string) {
				return c.send(http.MethodPost, "/v1/memories", object{"user_id": who, "messages": fact})
			},
			"verbatim": func(c caller, who string, i int) (int, string) {
				return c.send(http.MethodPost, "/v1/memories", object{"user_id": who, "messages": fact, "infer": false})
			},
			"by the log": func(c caller, who string, i int) (int, string) {
				return c.send(http.MethodPost, "/v1/messages", object{"user_id": who, "session_id": fmt.Sprint("s", i%10), "messages": list{user(fact)}})
			},
			"in batches": func(c caller, who string, i int) (int, string) {
				item := object{"user_id": who, "messages": fact, "infer": i%2 == 0}
				return c.send(http.MethodPost, "/v1/memories/batch", object{"memories": list{item, item}})
			},
		} {
			t.Run(name, func(t *testing.T) {
				c := d.caller(t)
				who := "50 at once, " + name
				events := make(chan event, 200)
				var wg sync.WaitGroup
				for i := range 50 {
					wg.Go(func() {
						status, answer := post(c, who, i)
						if status/100 != 2 {
							t.Errorf("%d %s", status, answer)
							return
						}
						var a struct {
							added
							Items []added
						}
						if err := json.Unmarshal([]byte(answer), &a); err != nil {
							t.Errorf("%v in %s", err, answer)
						}
						for _, item := range append(a.Items, a.added) {
							for _, e := range item.Results {
								events <- e
							}
						}
					})
				}
				wg.Wait()
				close(events)
				c.settle(who)
				want := 1
				if name == "in batches" {
					want = 2 // as it was said, and as it was learned
				}
				all := c.of("user_id", who)
				if all.Total != want {
					t.Errorf("%d memories, want %d", all.Total, want)
				}
				made := 0
				for e := range events {
					if e.Event == "ADD" {
						made++
					}
					if !slices.ContainsFunc(all.Results, func(m memory) bool { return m.ID == e.ID }) {
						t.Errorf("%+v names a memory that is not there", e)
					}
				}
				if made > 0 && made < want { // several messages may be learned from together
					t.Errorf("%d were told that they made it, want %d", made, want)
				}
			})
		}
	})
}

func playForgetting(t *testing.T, d *daemon) {

	t.Run("deleting one user leaves all others as they were", func(t *testing.T) {
		c := d.caller(t)
		for _, who := range []string{"u1", "u2"} {
			c.learn("I keep bees", object{"user_id": who})
			c.keep("I keep bees, as they say", object{"user_id": who, "agent_id": "shared"})
		}
		before := c.of("user_id", "u2")
		var n struct{ Count int }
		c.want(200, http.MethodDelete, "/v1/memories?user_id=u1", nil, &n)
		if n.Count != 2 {
			t.Errorf("count = %d", n.Count)
		}
		if p := c.of("user_id", "u1"); p.Total != 0 {
			t.Errorf("left: %v", texts(p.Results))
		}
		if after := c.of("user_id", "u2"); excerpt(after) != excerpt(before) {
			t.Errorf("u2 had %v and has %v", texts(before.Results), texts(after.Results))
		}
		c.want(200, http.MethodDelete, "/v1/memories?user_id=u1", nil, &n)
		if n.Count != 0 {
			t.Errorf("a second time takes %d", n.Count)
		}
	})
	t.Run("without a scope nothing is deleted", func(t *testing.T) {
		c := d.caller(t)
		c.refused(http.MethodDelete, "/v1/memories", nil, "query.user_id")
		c.refused(http.MethodDelete, "/v1/memories?user_id=", nil, "query.user_id")
		c.refused(http.MethodDelete, "/v1/memories?limit=10", nil, "query.limit")
		for _, body := range []string{
			`{}`, `{"filters": {}}`, `{"filters": {"kind": "x"}}`, `{"all_scopes": true}`, `{"all_scopes": true, "filters": {}}`, `{"all_scopes": true, "filters": {"AND": []}}`,
			`{"user_id": null}`, `{"dry_run": true}`, `{"user_id": "u2", "filters": {"n": {"about": 1}}}`, `{"user_id": "u2", "query": "bees"}`, `[]`,
		} {
			c.refused(http.MethodPost, "/v1/memories/delete", body)
		}
		c.sameTexts("u2", c.of("user_id", "u2").Results, "I keep bees", "I keep bees, as they say")
	})
	t.Run("each way of deleting takes the ids that are given together", func(t *testing.T) {
		c := d.caller(t)
		make := func() {
			for _, ids := range []object{{"user_id": "d"}, {"user_id": "d", "agent_id": "a"}, {"user_id": "d", "run_id": "r"}, {"user_id": "d", "agent_id": "a", "run_id": "r"}, {"user_id": "d", "app_id": "p"}} {
				c.keep(excerpt(ids), ids)
			}
		}
		for _, ids := range []object{{"user_id": "d", "agent_id": "a"}, {"user_id": "d", "agent_id": "a", "run_id": "r"}, {"agent_id": "a"}, {"run_id": "r"}, {"app_id": "p"}, {"user_id": "d", "app_id": "p"}} {
			var query []string
			for name, value := range ids {
				query = append(query, name, value.(string))
			}
			for _, delete := range []func(into any){
				func(into any) { c.want(200, http.MethodDelete, "/v1/memories?"+parameters(query...), nil, into) },
				func(into any) { c.want(200, http.MethodPost, "/v1/memories/delete", ids, into) },
				func(into any) { c.want(200, http.MethodPost, "/v1/memories/delete", object{"filters": ids}, into) },
			} {
				make()
				want := c.list(object{"user_id": "d", "filters": ids}).Total
				var n struct{ Count int }
				delete(&n)
				if left := c.of("user_id", "d").Total; n.Count != want || left != 5-want {
					t.Errorf("%s: %d went and %d are left, want %d to go", excerpt(ids), n.Count, left, want)
				}
				c.want(200, http.MethodDelete, "/v1/memories?user_id=d", nil, nil)
			}
		}
	})
	t.Run("what waits to be learned from is forgotten as well", func(t *testing.T) {
		for name, delete := range map[string]func(c caller, who string){
			"by the user": func(c caller, who string) {
				c.want(200, http.MethodDelete, "/v1/memories?"+parameters("user_id", who), nil, nil)
			},
			"by the user, in a body": func(c caller, who string) {
				c.want(200, http.MethodPost, "/v1/memories/delete", object{"user_id": who}, nil)
			},
			"by the session": func(c caller, who string) {
				c.want(200, http.MethodDelete, "/v1/memories?"+parameters("user_id", who, "run_id", "s"), nil, nil)
			},
			"by the agent": func(c caller, who string) {
				c.want(200, http.MethodDelete, "/v1/memories?"+parameters("user_id", who, "agent_id", "ag"), nil, nil)
			},
		} {
			t.Run(name, func(t *testing.T) {
				c := d.caller(t)
				who := "queued, deleted " + name
				body := object{"user_id": who, "session_id": "s", "agent_id": "ag"}
				var said list
				for i := range 40 {
					said = append(said, user(fmt.Sprintf("I own %d red wheelbarrows", i+2)))
				}
				c.want(201, http.MethodPost, "/v1/messages", body.with(object{"messages": said}), nil)
				delete(c, who)
				c.settle(who)
				if left := c.list(object{"user_id": who, "include_superseded": true}); left.Total != 0 {
					t.Errorf("%d came back, such as %v", left.Total, texts(left.Results[:1]))
				}
				c.sameTexts("search", c.search(object{"user_id": who, "query": "red wheelbarrows"}).Results)
				c.sameTexts("context", c.context(object{"user_id": who, "session_id": "another", "query": "red wheelbarrows"}).Recalled)
				// The log holds them all the same, and what comes now is learned from.
				var log struct{ Messages []json.RawMessage }
				c.want(200, http.MethodGet, "/v1/messages?limit=1000&session_id=s&"+parameters("user_id", who), nil, &log)
				if len(log.Messages) != 40 {
					t.Errorf("%d messages are in the log", len(log.Messages))
				}
				c.say(body.with(object{"messages": list{user("I own 41 red wheelbarrows and a cart")}}))
				c.sameTexts("afterwards", c.of("user_id", who).Results, "I own 41 red wheelbarrows and a cart")
			})
		}
	})
	t.Run("a filter takes nothing that waits", func(t *testing.T) {
		c := d.caller(t)
		c.want(201, http.MethodPost, "/v1/messages", object{"user_id": "waits", "session_id": "s", "messages": list{user("I own a blue cart")}}, nil)
		c.want(200, http.MethodPost, "/v1/memories/delete", object{"user_id": "waits", "filters": object{"kind": "none"}}, nil)
		c.settle("waits")
		c.sameTexts("list", c.of("user_id", "waits").Results, "I own a blue cart")
	})
	t.Run("deleting while it is being said leaves nothing of what was there", func(t *testing.T) {
		c := d.caller(t)
		for round := range 10 {
			who := fmt.Sprint("race ", round)
			var wg sync.WaitGroup
			for i := range 5 {
				wg.Go(func() {
					if status, answer := c.send(http.MethodPost, "/v1/memories", object{"user_id": who, "messages": fmt.Sprintf("I have %d cousins in Évora", i+2)}); status != 200 {
						t.Errorf("%d %s", status, answer)
					}
				})
			}
			wg.Go(func() {
				if status, answer := c.send(http.MethodDelete, "/v1/memories?"+parameters("user_id", who), nil); status != 200 {
					t.Errorf("%d %s", status, answer)
				}
			})
			wg.Wait()
			c.settle(who)
			c.want(200, http.MethodDelete, "/v1/memories?"+parameters("user_id", who), nil, nil)
			c.sameTexts(who, c.list(object{"user_id": who, "include_superseded": true}).Results)
			c.sameTexts(who+", searched", c.search(object{"user_id": who, "query": "cousins in Évora"}).Results)
		}
	})
}

// requestsWithIDs is what each route with an id in its path is sent, so that nothing but
// the id is wrong with it. A new route needs a line.
var requestsWithIDs = map[string]string{
	"GET /v1/memories/{id}":                 "",
	"PATCH /v1/memories/{id}":               `{"memory": "stolen"}`,
	"DELETE /v1/memories/{id}":              "",
	"GET /v1/memories/{id}/history":         "",
	"POST /v1/memories/{id}/undo":           "",
	"GET /v1/memories/{id}/related":         "",
	"GET /v1/messages/{id}":                 "",
	"PATCH /v1/messages/{id}":               `{"content": "stolen"}`,
	"DELETE /v1/messages/{id}":              "",
	"POST /v1/messages/{id}/reextract":      "",
	"PATCH /v1/sessions/{session_id}":       `{"title": "stolen"}`,
	"DELETE /v1/sessions/{session_id}":      "",
	"GET /v1/sessions/{session_id}":         "",
	"POST /v1/sessions/{session_id}/rotate": `{"user_id": "alice"}`,
	"PATCH /v1/users/{user_id}":             `{"learn": false}`,
	"DELETE /v1/users/{user_id}":            "",
	"GET /v1/users/{user_id}/export":        "",
	"GET /v1/users/{user_id}/erasures":      "",
	"POST /v1/dead-letters/{id}/retry":      "",
	"POST /v1/dead-letters/{id}/discard":    "",
	"GET /v1/import/{id}":                   "",
	"POST /v1/import/{id}/cancel":           "",
}

// playWhatIsNotYoursIsNotThere asks every route for what belongs to another tenant, and to
// another user.
func playWhatIsNotYoursIsNotThere(t *testing.T, d *daemon) {
	key := func(t *testing.T, name string) caller { return d.caller(t, "Authorization", "Bearer "+name) }
	one := key(t, "k-one")
	p := posted{}
	one.want(201, http.MethodPost, "/v1/messages", object{"user_id": "alice", "session_id": "s1", "messages": list{user("I keep a falcon")}}, &p)
	job := one.imported(object{"user_id": "alice", "data": `{"messages":[{"role":"assistant","content":"Good morning"}]}`})
	one.settle("alice")
	mine := one.one(one.of("user_id", "alice"))
	ids := map[string]map[string]string{
		"/v1/memories":     {"{id}": mine.ID},
		"/v1/messages":     {"{id}": fmt.Sprint(p.Messages[0].ID)},
		"/v1/dead-letters": {"{id}": fmt.Sprint(p.Messages[0].ID)},
		"/v1/sessions":     {"{session_id}": "s1"},
		"/v1/users":        {"{user_id}": "alice"},
		"/v1/import":       {"{id}": job},
	}
	unchanged := func(t *testing.T) {
		t.Helper()
		if got := key(t, "k-one").get(mine.ID); excerpt(got) != excerpt(mine) {
			t.Errorf("it is %+v, it was %+v", got, mine)
		}
	}

	t.Run("by its id, on no route", func(t *testing.T) {
		var document struct {
			Paths map[string]map[string]json.RawMessage
		}
		one.want(200, http.MethodGet, "/openapi.json", nil, &document)
		routes := 0
		for path, methods := range document.Paths {
			if !strings.Contains(path, "{") {
				continue
			}
			for method := range methods {
				route := strings.ToUpper(method) + " " + path
				body, ok := requestsWithIDs[route]
				if !ok {
					t.Errorf("this test does not know what to send to %s", route)
					continue
				}
				routes++
				asked := path
				for prefix, values := range ids {
					if strings.HasPrefix(path, prefix+"/") {
						for name, value := range values {
							asked = strings.ReplaceAll(asked, name, value)
						}
					}
				}
				var sent any
				if body != "" {
					sent = body
				}
				if !strings.HasPrefix(path, "/v1/users/") { // each tenant has its own alice
					key(t, "k-two-admin").want(404, strings.ToUpper(method), asked+"?user_id=alice", sent, nil)
				}
				one.want(404, strings.ToUpper(method), asked+"?user_id=bob", sent, nil)
				if !strings.Contains(path, "dead-letters") && method == "get" {
					one.want(200, strings.ToUpper(method), asked+"?user_id=alice", sent, nil)
				}
			}
		}
		if routes != len(requestsWithIDs) {
			t.Errorf("%d routes with ids, want %v", routes, slices.Sorted(maps.Keys(requestsWithIDs)))
		}
		unchanged(t)
	})
	t.Run("by asking, on no route", func(t *testing.T) {
		two := key(t, "k-two")
		ask := object{"user_id": "alice"}
		two.sameTexts("search", two.search(ask.with(object{"query": "I keep a falcon"})).Results)
		two.sameTexts("list", two.list(ask).Results)
		two.sameTexts("GET", two.of("user_id", "alice").Results)
		two.sameTexts("context", two.context(ask.with(object{"query": "I keep a falcon"})).Recalled)
		two.sameTexts("by id in a filter", two.list(ask.with(object{"filters": object{"id": mine.ID}})).Results)
		admin := key(t, "k-two-admin")
		admin.sameTexts("all of the tenant's", admin.list(object{"all_scopes": true}).Results)
		admin.sameTexts("search in all of the tenant's", admin.search(object{"all_scopes": true, "query": "falcon"}).Results)
		var n struct{ Count int }
		for _, body := range []object{{"user_id": "alice"}, {"user_id": "alice", "dry_run": true}, {"all_scopes": true, "filters": object{"memory": object{"like": "%"}}}} {
			admin.want(200, http.MethodPost, "/v1/memories/delete", body, &n)
			if n.Count != 0 {
				t.Errorf("deleting %s takes %d of another tenant's", excerpt(body), n.Count)
			}
		}
		two.want(200, http.MethodDelete, "/v1/memories?user_id=alice", nil, &n)
		if n.Count != 0 {
			t.Errorf("deleting takes %d of another tenant's", n.Count)
		}
		var users struct{ Users []json.RawMessage }
		two.want(200, http.MethodGet, "/v1/users", nil, &users)
		if len(users.Users) != 0 {
			t.Errorf("users of another tenant: %s", users.Users)
		}
		for _, method := range []string{http.MethodPatch, http.MethodDelete} {
			item := object{"id": mine.ID}
			if method == http.MethodPatch {
				item["memory"] = "stolen"
			}
			two.refused(method, "/v1/memories/batch", object{"memories": list{item}}, "body.memories[0].id")
			one.refused(method, "/v1/memories/batch?user_id=bob", object{"memories": list{item}}, "body.memories[0].id")
		}
		unchanged(t)
	})
	t.Run("a cursor opens nothing that is another's", func(t *testing.T) {
		for i := range 5 {
			one.keep(fmt.Sprint("entry ", i), object{"user_id": "carol"})
		}
		cursor := text(one.list(object{"user_id": "carol", "limit": 2}).NextCursor)
		two := key(t, "k-two")
		two.refused(http.MethodPost, "/v1/memories/list", object{"user_id": "carol", "cursor": cursor}, "body.cursor")
		one.refused(http.MethodPost, "/v1/memories/list", object{"user_id": "alice", "cursor": cursor}, "body.cursor")
		two.refused(http.MethodGet, "/v1/memories?"+parameters("user_id", "carol", "cursor", cursor), nil, "query.cursor")
	})
	t.Run("all scopes are an admin's", func(t *testing.T) {
		for _, path := range []string{"/v1/memories/search", "/v1/memories/list", "/v1/memories/delete"} {
			body := object{"all_scopes": true, "filters": object{"memory": "I keep a falcon"}}
			switch path {
			case "/v1/memories/search":
				body["query"] = "falcon"
			case "/v1/memories/delete":
				body["dry_run"] = true
			}
			one.want(403, http.MethodPost, path, body, nil)
			key(t, "k-one-reader").want(403, http.MethodPost, path, body, nil)
			_, answer := key(t, "k-one-admin").send(http.MethodPost, path, body)
			if !strings.Contains(answer, mine.ID) && !strings.Contains(answer, `"count":1`) {
				t.Errorf("%s: an admin is answered with %s", path, answer)
			}
		}
		one.want(403, http.MethodGet, "/v1/memories?all_scopes=true", nil, nil)
		unchanged(t)
	})
	t.Run("a reader changes nothing", func(t *testing.T) {
		reader := key(t, "k-one-reader")
		reader.want(200, http.MethodGet, "/v1/memories/"+mine.ID, nil, nil)
		for _, r := range []struct {
			method, path string
			body         any
		}{
			{http.MethodPost, "/v1/memories", object{"user_id": "alice", "messages": "x y"}},
			{http.MethodPatch, "/v1/memories/" + mine.ID, object{"memory": "x"}},
			{http.MethodDelete, "/v1/memories/" + mine.ID, nil},
			{http.MethodDelete, "/v1/memories?user_id=alice", nil},
			{http.MethodPost, "/v1/memories/delete", object{"user_id": "alice"}},
			{http.MethodPost, "/v1/memories/batch", object{"memories": list{object{"user_id": "alice", "messages": "x y"}}}},
			{http.MethodPatch, "/v1/memories/batch", object{"memories": list{object{"id": mine.ID, "memory": "x"}}}},
			{http.MethodDelete, "/v1/memories/batch", object{"memories": list{object{"id": mine.ID}}}},
		} {
			reader.want(403, r.method, r.path, r.body, nil)
		}
		unchanged(t)
	})
}
