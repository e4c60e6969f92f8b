package main

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func playScopes(t *testing.T, d *daemon) {

	t.Run("a memory must carry every id that is asked for", func(t *testing.T) {
		c := d.caller(t)
		// Each set of ids there can be holds one memory, named after them.
		names := []string{"user_id", "agent_id", "run_id"}
		values := object{"user_id": "carrier", "agent_id": "carrier's agent", "run_id": "carrier's run"}
		var sets []object
		for bits := 1; bits < 8; bits++ {
			ids := object{}
			for i, name := range names {
				if bits>>i&1 == 1 {
					ids[name] = values[name]
				}
			}
			sets = append(sets, ids)
		}
		called := func(ids object) string {
			var has []string
			for _, name := range names {
				if ids[name] != nil {
					has = append(has, strings.TrimSuffix(name, "_id"))
				}
			}
			return "Carried by " + strings.Join(has, ", ")
		}
		for _, ids := range sets {
			c.keep(called(ids), ids)
		}
		for _, asked := range sets {
			var want []string
			for _, ids := range sets {
				all := true
				for name := range asked {
					all = all && ids[name] != nil
				}
				if all {
					want = append(want, called(ids))
				}
			}
			var query []string
			for name, value := range asked {
				query = append(query, name, value.(string))
			}
			c.sameTexts(called(asked)+": search", c.search(asked.with(object{"query": "carried", "limit": 100})).Results, want...)
			c.sameTexts(called(asked)+": list", c.list(asked).Results, want...)
			c.sameTexts(called(asked)+": GET", c.of(query...).Results, want...)
			c.sameTexts(called(asked)+": in filters", c.list(object{"filters": asked}).Results, want...)
			var n struct{ Count int }
			c.want(200, http.MethodPost, "/v1/memories/delete", asked.with(object{"dry_run": true}), &n)
			if n.Count != len(want) {
				t.Errorf("%s: delete would take %d, want %d", called(asked), n.Count, len(want))
			}
			for name := range asked { // one id that is another's
				none := asked.with(object{name: "someone else"})
				c.sameTexts(called(asked)+", "+name+" another's: search", c.search(none.with(object{"query": "carried"})).Results)
				c.sameTexts(called(asked)+", "+name+" another's: list", c.list(none).Results)
			}
		}
	})
	t.Run("agents that share a user see each other's by the user and their own by name", func(t *testing.T) {
		c := d.caller(t)
		mother := object{"user_id": "shared"}
		cook, nurse := mother.with(object{"agent_id": "cook"}), mother.with(object{"agent_id": "nurse"})
		c.learn("I never eat lamb", cook)
		c.learn("I take aspirin every night", nurse)
		twice := c.learn("I live alone in Tavira", cook)
		a := c.add(nurse.with(object{"messages": "I live alone in Tavira"}))
		if len(a.Results) != 1 || a.Results[0].Event != "NONE" || a.Results[0].ID != twice {
			t.Errorf("told to both: %+v", a.Results)
		}
		all := []string{"I never eat lamb", "I take aspirin every night", "I live alone in Tavira"}
		c.sameTexts("the user's", c.list(mother).Results, all...)
		c.sameTexts("the cook's", c.list(cook).Results, all[0], all[2])
		c.sameTexts("the nurse's", c.list(nurse).Results, all[1], all[2])
		c.sameTexts("the nurse's, by a filter", c.list(mother.with(object{"filters": object{"agent_id": "nurse"}})).Results, all[1], all[2])
		c.sameTexts("of both at once", c.list(mother.with(object{"filters": raw(`{"AND": [{"agent_id": {"in": ["cook"]}}, {"agent_id": {"in": ["nurse"]}}]}`)})).Results, all[2])
		for _, agent := range []string{"cook", "nurse"} {
			// Either agent is given whatever the user told anyone, unless it narrows.
			ask := object{"user_id": "shared", "agent_id": agent, "query": "lamb, aspirin, Tavira", "session_id": "today"}
			c.sameTexts(agent+"'s context", c.context(ask).Recalled, all...)
			c.sameTexts(agent+"'s own context", c.context(ask.with(object{"recall_scope": list{"agent"}})).Recalled, texts(c.list(mother.with(object{"agent_id": agent})).Results)...)
			c.want(200, http.MethodGet, "/v1/memories/"+twice+"?"+parameters("agent_id", agent, "user_id", "shared"), nil, nil)
		}
		c.want(404, http.MethodGet, "/v1/memories/"+twice+"?agent_id=gardener", nil, nil)
	})
	t.Run("a context can be narrowed to its session", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "narrow"}
		c.keep("The gate code is on the fridge", who.with(object{"run_id": "s1"}))
		c.keep("The gate is green", who.with(object{"run_id": "s2", "agent_id": "a"}))
		ask := who.with(object{"query": "gate", "session_id": "s1", "agent_id": "a"})
		c.sameTexts("as it is", c.context(ask).Recalled, "The gate code is on the fridge", "The gate is green")
		c.sameTexts("to the session", c.context(ask.with(object{"recall_scope": list{"session"}})).Recalled, "The gate code is on the fridge")
		c.sameTexts("to the agent", c.context(ask.with(object{"recall_scope": list{"agent"}})).Recalled, "The gate is green")
		c.sameTexts("to both", c.context(ask.with(object{"recall_scope": list{"agent", "session"}})).Recalled)
		c.sameTexts("without the long tier", c.context(ask.with(object{"include_long_term": false})).Recalled)
		c.sameTexts("by a threshold", c.context(ask.with(object{"threshold": 1})).Recalled)
		c.refused(http.MethodPost, "/v1/context", who.with(object{"query": "gate", "recall_scope": list{"agent"}}), "body.agent_id")
		c.refused(http.MethodPost, "/v1/context", ask.with(object{"recall_scope": list{"everyone"}}), "body.recall_scope[0]")
	})
	t.Run("what an agent knows without a user is recalled for all of its users", func(t *testing.T) {
		c := d.caller(t)
		c.keep("The clinic closes at six", object{"agent_id": "desk"})
		c.keep("The bakery closes at one", object{"agent_id": "another desk"})
		for _, who := range []string{"desk user 1", "desk user 2"} {
			c.sameTexts(who, c.context(object{"user_id": who, "agent_id": "desk", "query": "When does it close?"}).Recalled, "The clinic closes at six")
			c.sameTexts(who+" without the agent", c.context(object{"user_id": who, "query": "When does it close?"}).Recalled)
			c.sameTexts(who+"'s list", c.of("user_id", who).Results)
		}
	})
	t.Run("memories merge within an app and a user, else an agent, else a session", func(t *testing.T) {
		c := d.caller(t)
		const fact = "I live alone in Tavira"
		apart := []object{{"user_id": "merge"}, {"user_id": "merge", "app_id": "a1"}, {"user_id": "merge", "app_id": "a2"}, {"agent_id": "merge"}, {"run_id": "merge"}, {"user_id": "merge, too"}}
		ids := map[string]bool{}
		for _, who := range apart {
			id := c.learn(fact, who)
			ids[id] = true
			for _, more := range []object{{}, {"run_id": "merge"}, {"agent_id": "merge"}} {
				if who["run_id"] != nil && more["agent_id"] != nil {
					continue // that is the agent's
				}
				if a := c.add(who.with(more).with(object{"messages": fact})); len(a.Results) != 1 || a.Results[0].ID != id || a.Results[0].Event != "NONE" {
					t.Errorf("%s and %s: %+v, want it to be %s", excerpt(who), excerpt(more), a.Results, id)
				}
			}
		}
		if len(ids) != len(apart) {
			t.Errorf("%d memories of %d scopes", len(ids), len(apart))
		}
		c.sameTexts("the user's in all apps", c.of("user_id", "merge").Results, fact, fact, fact)
		c.sameTexts("in one app", c.of("user_id", "merge", "app_id", "a1").Results, fact)
	})
	t.Run("what an answer says of a memory finds it", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "own words"}
		id := c.keep("Found by all it says", who.with(object{"agent_id": "a", "run_id": "r", "app_id": "p", "memory_type": "fact", "scope": "s", "categories": list{"c"},
			"expires_at": "2999-01-01T00:00:00.123456Z", "occurred_at": "2020-02-02T02:02:02.5Z"}))
		var m map[string]any
		c.want(200, http.MethodGet, "/v1/memories/"+id, nil, &m)
		for _, field := range []string{"id", "memory", "user_id", "agent_id", "run_id", "app_id", "role", "scope", "memory_type", "hash", "pinned",
			"created_at", "updated_at", "valid_from", "occurred_at", "expires_at", "actor_id", "valid_to", "superseded_by"} {
			c.sameTexts(field, c.list(who.with(object{"filters": object{field: m[field]}})).Results, "Found by all it says")
			if m[field] != nil {
				c.sameTexts(field+" in a list", c.list(who.with(object{"filters": object{field: list{m[field]}}})).Results, "Found by all it says")
				c.sameTexts(field+" not", c.list(who.with(object{"filters": object{"AND": list{object{"NOT": list{object{field: m[field]}}}}}})).Results)
			}
			if at, ok := m[field].(string); ok && (strings.HasSuffix(field, "_at") || field == "valid_from") {
				c.sameTexts(field+" from and to", c.list(who.with(object{"filters": object{field: object{"gte": at, "lte": at}}})).Results, "Found by all it says")
				c.sameTexts(field+" after", c.list(who.with(object{"filters": object{field: object{"gt": at}}})).Results)
				c.sameTexts(field+" before", c.list(who.with(object{"filters": object{field: object{"lt": at}}})).Results)
			}
		}
	})
	t.Run("a user's memories are nobody else's", func(t *testing.T) {
		c := d.caller(t)
		for _, pair := range [][2]string{
			{"acme:alice", "acme:alicia"}, {"acme:alice", "acme"}, {"a/b", "a"}, {"a/b", "a%2Fb"}, {"o'hara", "o''hara"}, {`"quoted"`, "quoted"},
			{"100%", "100%25"}, {"50%_off", "50%xoff"}, {"tab\\t", "tab"}, {"😀", "😁"}, {"Élise", "Elise"}, {"É", "E\u0301"}, {"CASE", "case"}, {" spaced ", "spaced"},
			{"a b", "a+b"}, {"a?b", "a"}, {"a#b", "a"}, {"a&b=c", "a"}, {"{}", "[]"}, {"null", "0"}, {"日本", "日本語"}, {"*", "x"}, {"%", "y"},
		} {
			mine, theirs := "of "+pair[0], "of "+pair[1]
			ids := []string{c.keep(mine, object{"user_id": pair[0], "agent_id": pair[1], "run_id": pair[0]}), c.keep(theirs, object{"user_id": pair[1], "run_id": pair[1]})}
			for i, who := range pair {
				want := []string{mine, theirs}[i]
				c.sameTexts(who+": GET", c.of("user_id", who, "run_id", who).Results, want)
				c.sameTexts(who+": list", c.list(object{"user_id": who, "run_id": who}).Results, want)
				c.sameTexts(who+": filter", c.list(object{"filters": object{"user_id": list{who}, "run_id": who}}).Results, want)
				c.sameTexts(who+": search", c.search(object{"user_id": who, "run_id": who, "query": "of"}).Results, want)
				if m := c.get(ids[i]); text(m.UserID) != who || text(m.RunID) != who {
					t.Errorf("%q came back as %q, %q", who, text(m.UserID), text(m.RunID))
				}
				c.want(200, http.MethodGet, "/v1/memories/"+ids[i]+"?"+parameters("user_id", who), nil, nil)
				c.want(404, http.MethodGet, "/v1/memories/"+ids[i]+"?"+parameters("user_id", pair[1-i]), nil, nil)
				c.want(404, http.MethodGet, "/v1/memories/"+ids[i]+"/history?"+parameters("user_id", pair[1-i]), nil, nil)
			}
			var n struct{ Count int }
			c.want(200, http.MethodDelete, "/v1/memories?"+parameters("user_id", pair[0], "run_id", pair[0]), nil, &n)
			if n.Count != 1 {
				t.Errorf("deleting those of %q takes %d", pair[0], n.Count)
			}
			c.sameTexts(pair[1]+" after "+pair[0]+" went", c.of("user_id", pair[1], "run_id", pair[1]).Results, theirs)
			c.want(200, http.MethodDelete, "/v1/memories?"+parameters("user_id", pair[1]), nil, nil)
		}
	})
	t.Run("ids may hold anything in a path", func(t *testing.T) {
		c := d.caller(t)
		for _, id := range []string{"a/b", "a%2Fb", `"q'`, "100%", "😀", "x y", "..x", "a?b#c", "acme:alice", "日本"} {
			c.want(201, http.MethodPost, "/v1/sessions", object{"user_id": id, "session_id": id}, nil)
			var s struct {
				SessionID string `json:"session_id"`
				UserID    string `json:"user_id"`
			}
			c.want(200, http.MethodGet, "/v1/sessions/"+url.PathEscape(id)+"?"+parameters("user_id", id), nil, &s)
			if s.SessionID != id || s.UserID != id {
				t.Errorf("%q came back as %+v", id, s)
			}
			c.want(404, http.MethodGet, "/v1/sessions/"+url.PathEscape(id)+"?user_id=other", nil, nil)
		}
	})
	t.Run("what is no id is refused", func(t *testing.T) {
		c := d.caller(t)
		for _, id := range []any{"", ".", "..", "a\u0000b", "a\nb", "\u007f", strings.Repeat("x", 256), 5, list{"u"}} {
			for _, name := range []string{"user_id", "agent_id", "run_id", "app_id"} {
				ids := object{"user_id": "ok", name: id}
				c.refused(http.MethodPost, "/v1/memories", ids.with(object{"messages": "x y", "infer": false}), "body."+name)
				c.refused(http.MethodPost, "/v1/memories/search", ids.with(object{"query": "x"}), "body."+name)
				c.refused(http.MethodPost, "/v1/memories/list", ids, "body."+name)
				c.refused(http.MethodPost, "/v1/memories/delete", ids, "body."+name)
			}
		}
		c.keep("An id may be long", object{"user_id": strings.Repeat("é", 255)})
		c.sameTexts("of a long id", c.of("user_id", strings.Repeat("é", 255)).Results, "An id may be long")
	})
	t.Run("a name is the actor, and can be asked for", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "household"}
		c.add(who.with(object{"infer": false, "messages": list{
			object{"role": "user", "name": "Bia", "content": "I like rice"}, object{"role": "user", "name": "Téo", "content": "I like pasta"},
			user("We like soup"), object{"role": "assistant", "name": "Bia", "content": "You like soup"}}}))
		c.add(who.with(object{"messages": object{"role": "user", "name": "Téo", "content": "My favorite food is figs"}}))
		for filter, want := range map[string][]string{
			`{"actor_id": "Bia"}`:                          {"I like rice", "You like soup"},
			`{"actor_id": "Téo"}`:                          {"I like pasta", "My favorite food is figs"},
			`{"actor_id": "bia"}`:                          nil,
			`{"actor_id": null}`:                           {"We like soup"},
			`{"actor_id": {"ne": "Bia"}}`:                  {"I like pasta", "We like soup", "My favorite food is figs"},
			`{"actor_id": ["Bia", "Téo"], "role": "user"}`: {"I like rice", "I like pasta", "My favorite food is figs"},
			`{"actor_id": "Bia", "role": "assistant"}`:     {"You like soup"},
			`{"metadata.actor_id": "Bia"}`:                 nil,
		} {
			c.sameTexts(filter, c.list(who.with(object{"filters": raw(filter)})).Results, want...)
			c.sameTexts("search with "+filter, c.search(who.with(object{"query": "food", "filters": raw(filter), "limit": 50})).Results, want...)
		}
	})
	t.Run("metadata is matched exactly, and ranges work in a list", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "exact"}
		for i, at := range []string{"2024-01-31", "2024-02-01T00:00:00Z", "2024-02-01T00:30:00+01:00", "2024-03-01", "later"} {
			c.keep(fmt.Sprint("visit ", i), who.with(object{"metadata": object{"at": at, "n": i, "as text": fmt.Sprint(i), "ward": object{"name": "East", "floor": i}}}))
		}
		c.keep("visit 10", who.with(object{"metadata": object{"n": 10, "as text": "10", "ward": object{"name": "east", "floor": "2"}}}))
		for filter, want := range map[string][]string{
			`{"n": 1}`:                                             {"visit 1"},
			`{"as text": "1"}`:                                     {"visit 1"},
			`{"as text": 1}`:                                       nil,
			`{"n": {"gt": 1}}`:                                     {"visit 2", "visit 3", "visit 4", "visit 10"},
			`{"n": {"gt": 1, "lt": 4}}`:                            {"visit 2", "visit 3"},
			`{"n": {"gte": 1, "lte": 4, "ne": 3}}`:                 {"visit 1", "visit 2", "visit 4"},
			`{"n": {"gt": "1"}}`:                                   nil, // a text is no number
			`{"as text": {"gt": 1}}`:                               nil,
			`{"as text": {"gt": "1"}}`:                             {"visit 2", "visit 3", "visit 4", "visit 10"}, // as texts
			`{"as text": {"lt": "2"}}`:                             {"visit 0", "visit 1", "visit 10"},
			`{"n": {"gt": -1e3, "lt": 0.5}}`:                       {"visit 0"},
			`{"ward.floor": {"gte": 3}}`:                           {"visit 3", "visit 4"},
			`{"ward.floor": "2"}`:                                  {"visit 10"},
			`{"ward.name": "East", "ward.floor": 2}`:               {"visit 2"},
			`{"ward": {"eq": {"floor": 2, "name": "East"}}}`:       {"visit 2"},
			`{"at": {"gte": "2024-02-01", "lt": "2024-03-01"}}`:    {"visit 1"}, // 00:30+01:00 is still January
			`{"at": {"lt": "2024-02-01T00:00:00Z"}}`:               {"visit 0", "visit 2"},
			`{"at": "2024-02-01"}`:                                 nil, // equal is equal: the texts differ
			`{"at": {"lte": "2024-03-01T00:00:00.000Z"}}`:          {"visit 0", "visit 1", "visit 2", "visit 3"},
			`{"created_at": {"gt": "2020-01-01"}, "n": {"lt": 1}}`: {"visit 0"},
			`{"valid_from": {"lt": "2020-01-01"}}`:                 nil,
		} {
			c.sameTexts(filter, c.list(who.with(object{"filters": raw(filter)})).Results, want...)
			c.sameTexts("search with "+filter, c.search(who.with(object{"query": "visit", "filters": raw(filter), "limit": 50})).Results, want...)
		}
		c.refused(http.MethodPost, "/v1/memories/list", who.with(object{"filters": raw(`{"n": {"greater": 5}}`)}), "body.filters.n.greater")
	})
	t.Run("a key that collides with a field is reached with its prefix", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "collide"}
		own := object{"user_id": "in metadata", "role": "tester", "memory": "m", "id": "i", "created_at": "2001-01-01", "pinned": true,
			"categories": list{"z"}, "hash": 7, "run_id": "r", "metadata": object{"x": 1}, "AND": "both", "structured_attributes": object{"year": 1999}}
		id := c.keep("Own keys", who.with(object{"metadata": own}))
		other := c.keep("Plain", who)
		for filter, want := range map[string][]string{
			`{"metadata.user_id": "in metadata"}`:                              {"Own keys"},
			`{"role": "tester"}`:                                               nil,
			`{"metadata.role": "tester"}`:                                      {"Own keys"},
			`{"metadata.memory": "m"}`:                                         {"Own keys"},
			`{"metadata.id": "i"}`:                                             {"Own keys"},
			`{"id": "i"}`:                                                      nil,
			`{"id": "` + id + `"}`:                                             {"Own keys"},
			`{"id": ["` + id + `", "` + other + `"]}`:                          {"Own keys", "Plain"},
			`{"metadata.created_at": {"lt": "2001-01-02"}}`:                    {"Own keys"},
			`{"created_at": {"lt": "2001-01-02"}}`:                             nil,
			`{"metadata.pinned": true}`:                                        {"Own keys"},
			`{"pinned": true}`:                                                 nil,
			`{"metadata.categories": "z"}`:                                     {"Own keys"},
			`{"categories": "z"}`:                                              nil,
			`{"metadata.hash": 7}`:                                             {"Own keys"},
			`{"metadata.run_id": "r"}`:                                         {"Own keys"},
			`{"run_id": ["r"]}`:                                                nil,
			`{"metadata.metadata.x": 1}`:                                       {"Own keys"},
			`{"metadata.AND": "both"}`:                                         {"Own keys"},
			`{"metadata.structured_attributes.year": 1999}`:                    {"Own keys"},
			`{"structured_attributes.year": 1999}`:                             nil,
			`{"metadata.role": null}`:                                          {"Plain"},
			`{"NOT": [{"metadata.user_id": {"exists": true}}]}`:                {"Plain"},
			`{"AND": [{"metadata.role": "tester"}, {"role": {"eq": "user"}}]}`: {"Own keys"},
		} {
			c.sameTexts(filter, c.list(who.with(object{"filters": raw(filter)})).Results, want...)
			c.sameTexts("search with "+filter, c.search(who.with(object{"query": "keys", "filters": raw(filter)})).Results, want...)
		}
		m := c.get(id)
		if text(m.UserID) != "collide" || m.Role != "user" || m.Memory != "Own keys" || m.Pinned || excerpt(m.Metadata) != excerpt(own) {
			t.Errorf("%+v", m)
		}
	})
}

// What was said in several sessions or to several agents goes when the last of them goes.
func playProvenance(t *testing.T, d *daemon) {
	forget := func(c caller, count int, query ...string) {
		c.Helper()
		var n struct{ Count int }
		c.want(200, http.MethodDelete, "/v1/memories?"+parameters(query...), nil, &n)
		if n.Count != count {
			c.Errorf("deleting %v takes %d, want %d", query, n.Count, count)
		}
	}
	said := func(who, session, agent, text, at string) object {
		return object{"user_id": who, "session_id": session, "agent_id": agent, "messages": list{object{"role": "user", "content": text, "created_at": at}}, "metadata": object{session: true}}
	}

	t.Run("what is repeated carries both sessions until one is deleted", func(t *testing.T) {
		c := d.caller(t)
		const fact = "My favorite color is blue"
		c.say(said("p1", "s1", "a1", fact, "2024-01-10T08:00:00Z"))
		c.say(said("p1", "s2", "a2", fact, "2024-02-20T09:00:00Z"))
		c.say(said("p1", "s1", "a1", "I drive a yellow van", "2024-01-10T08:01:00Z"))
		first := c.of("user_id", "p1", "run_id", "s1", "agent_id", "a1").Results
		c.sameTexts("s1", first, fact, "I drive a yellow van")
		both := c.one(c.of("user_id", "p1", "run_id", "s2"))
		if m := both; m.Memory != fact || len(m.Sources) != 2 || text(m.RunID) != "s1" || text(m.AgentID) != "a1" || m.ValidFrom != "2024-01-10T08:00:00Z" || m.Metadata["s1"] != true || m.Metadata["s2"] != true {
			t.Errorf("said twice: %+v", m)
		}
		for _, ids := range []object{{"run_id": "s1"}, {"run_id": "s2"}, {"agent_id": "a1"}, {"agent_id": "a2"}, {"run_id": "s1", "agent_id": "a2"}} {
			if got := texts(c.search(object{"user_id": "p1", "query": fact}.with(ids)).Results); !slices.Contains(got, fact) {
				t.Errorf("%v does not find it: %v", ids, got)
			}
			c.want(200, http.MethodGet, "/v1/memories/"+both.ID+"?user_id=p1&"+parameters("agent_id", "a2"), nil, nil)
		}

		forget(c, 1, "user_id", "p1", "run_id", "s1") // the van; blue stays
		c.sameTexts("s1 after it went", c.of("user_id", "p1", "run_id", "s1").Results)
		c.sameTexts("a1 after s1 went", c.of("user_id", "p1", "agent_id", "a1").Results)
		if m := c.one(c.of("user_id", "p1", "run_id", "s2")); m.Memory != fact || m.ID != both.ID || len(m.Sources) != 1 || text(m.RunID) != "s2" || text(m.AgentID) != "a2" || m.ValidFrom != "2024-02-20T09:00:00Z" || m.Metadata["s1"] != nil || m.Metadata["s2"] != true {
			t.Errorf("what the rest gives: %+v", m)
		}
		forget(c, 1, "user_id", "p1", "run_id", "s2")
		c.sameTexts("when both are gone", c.list(object{"user_id": "p1", "include_superseded": true}).Results)
		c.sameTexts("search when both are gone", c.search(object{"user_id": "p1", "query": fact}).Results)
	})
	t.Run("the later session may go first", func(t *testing.T) {
		c := d.caller(t)
		const fact = "My boat is called Saudade"
		c.say(said("p2", "s1", "a1", fact, "2024-01-10T08:00:00Z"))
		c.say(said("p2", "s2", "a1", fact, "2024-02-20T09:00:00Z"))
		forget(c, 0, "user_id", "p2", "run_id", "s2")
		if m := c.one(c.of("user_id", "p2", "agent_id", "a1")); m.Memory != fact || len(m.Sources) != 1 || text(m.RunID) != "s1" || m.ValidFrom != "2024-01-10T08:00:00Z" {
			t.Errorf("%+v", m)
		}
		forget(c, 1, "user_id", "p2", "agent_id", "a1")
		c.sameTexts("all", c.of("user_id", "p2").Results)
	})
	t.Run("an agent's part can be taken back", func(t *testing.T) {
		c := d.caller(t)
		c.say(said("p3", "s1", "a1", "I teach algebra", "2024-01-10T08:00:00Z"))
		c.say(said("p3", "s2", "a2", "I teach algebra", "2024-01-11T08:00:00Z"))
		c.keep("Stored by the first", object{"user_id": "p3", "agent_id": "a1", "run_id": "s1"})
		c.keep("Stored by the second", object{"user_id": "p3", "agent_id": "a2", "run_id": "s2"})
		// It carries both ids, of different messages: none of its sources has both.
		forget(c, 0, "user_id", "p3", "run_id", "s1", "agent_id", "a2")
		c.sameTexts("after a deletion that met nothing", c.of("user_id", "p3").Results, "I teach algebra", "Stored by the first", "Stored by the second")
		forget(c, 1, "user_id", "p3", "agent_id", "a1")
		c.sameTexts("the second's", c.of("user_id", "p3").Results, "I teach algebra", "Stored by the second")
		c.sameTexts("the first's", c.of("user_id", "p3", "agent_id", "a1").Results)
	})
	t.Run("a filter's session is the session", func(t *testing.T) {
		c := d.caller(t)
		for i, filter := range []string{`{"run_id": "s1"}`, `{"run_id": {"eq": "s1"}}`, `{"AND": [{"run_id": "s1"}]}`} {
			who := fmt.Sprint("p6 ", i)
			for _, session := range []string{"s1", "s2"} {
				c.say(said(who, session, "a1", "My boat is called Saudade", "2024-01-10T08:00:00Z"))
			}
			var n struct{ Count int }
			for _, dry := range []bool{true, false} {
				c.want(200, http.MethodPost, "/v1/memories/delete", object{"user_id": who, "filters": raw(filter), "dry_run": dry}, &n)
				if n.Count != 0 {
					t.Errorf("%s, dry run %v: %d go, though another session says it too", filter, dry, n.Count)
				}
			}
			if m := c.one(c.of("user_id", who)); text(m.RunID) != "s2" || len(m.Sources) != 1 {
				t.Errorf("%s: %+v", filter, m)
			}
		}
	})
	t.Run("a deleted session does not come back, and may be told anew", func(t *testing.T) {
		c := d.caller(t)
		body := said("p4", "s1", "a1", "I was a diver in the navy", "2024-01-10T08:00:00Z")
		body["messages"].(list)[0].(object)["id"] = "m1"
		c.say(body)
		forget(c, 1, "user_id", "p4", "run_id", "s1")
		c.say(body) // the same message
		c.sameTexts("after the same message came again", c.of("user_id", "p4").Results)
		c.say(said("p4", "s1", "a1", "I was a diver in the navy", "2024-03-10T08:00:00Z"))
		c.sameTexts("said anew", c.of("user_id", "p4").Results, "I was a diver in the navy")
	})
}
