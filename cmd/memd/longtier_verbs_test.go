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
	"time"
)

// memoryFields are what every answer that holds a memory says of it.
var memoryFields = []string{"actor_id", "agent_id", "app_id", "categories", "created_at", "event", "expires_at", "hash", "id", "memory",
	"memory_type", "metadata", "occurred_at", "pinned", "role", "run_id", "scope", "sources", "structured_attributes", "superseded_by",
	"updated_at", "user_id", "valid_from", "valid_to"}

func playAddingMemories(t *testing.T, d *daemon) {

	t.Run("a string, a message and messages are all taken", func(t *testing.T) {
		c := d.caller(t)
		for name, given := range map[string]any{
			"string":   "I live in Coimbra",
			"message":  user("I live in Coimbra"),
			"messages": list{user("I live in Coimbra"), user("Good morning!")},
			"parts":    object{"role": "user", "content": list{object{"type": "text", "text": "I live in Coimbra"}}},
		} {
			who := "adds a " + name
			a := c.add(object{"user_id": who, "messages": given})
			if len(a.Results) != 1 || a.Results[0].Event != "ADD" || a.Results[0].Memory != "I live in Coimbra" || len(a.Degraded) != 0 {
				t.Errorf("%s: %+v", name, a)
				continue
			}
			m := c.get(a.Results[0].ID)
			if m.Memory != "I live in Coimbra" || m.Role != "user" || text(m.UserID) != who || len(m.Sources) != 1 {
				t.Errorf("%s: %+v", name, m)
			}
		}
	})
	t.Run("without infer each message is stored as it stands", func(t *testing.T) {
		c := d.caller(t)
		a := c.add(object{"user_id": "verbatim", "infer": false, "messages": list{
			user("hm, hello there?"), object{"role": "assistant", "content": "Hello!", "name": "Iris"}, object{"role": "user", "content": "  Two\nlines ", "name": "bob"}}})
		if len(a.Results) != 3 || a.Results[0].Memory != "hm, hello there?" || a.Results[1].Memory != "Hello!" {
			t.Fatalf("%+v", a)
		}
		for i, want := range []memory{{Role: "user"}, {Role: "assistant", ActorID: pointer("Iris")}, {Role: "user", ActorID: pointer("bob")}} {
			if m := c.get(a.Results[i].ID); m.Role != want.Role || text(m.ActorID) != text(want.ActorID) {
				t.Errorf("message %d: role %s, actor %q, want %s, %q", i, m.Role, text(m.ActorID), want.Role, text(want.ActorID))
			}
		}
		if total := c.of("user_id", "verbatim").Total; total != 3 {
			t.Errorf("total = %d", total)
		}
	})
	t.Run("scopes say whose messages are taken", func(t *testing.T) {
		c := d.caller(t)
		said := list{user("My sister lives in Lagos"), assistant("I recommend the night train")}
		for _, infer := range []bool{true, false} {
			for scope, role := range map[string]string{"USER": "user", "ASSISTANT": "assistant"} {
				who := fmt.Sprint("scopes ", scope, infer)
				c.add(object{"user_id": who, "messages": said, "scopes": list{scope}, "infer": infer})
				for _, m := range c.of("user_id", who).Results {
					if m.Role != role {
						t.Errorf("scopes %s, infer %v: %q is of role %s", scope, infer, m.Memory, m.Role)
					}
				}
				if total := c.of("user_id", who).Total; total != 1 && (scope == "USER" || !infer) {
					t.Errorf("scopes %s, infer %v: %d memories", scope, infer, total)
				}
			}
		}
	})
	t.Run("what the caller says of it stays with it", func(t *testing.T) {
		c := d.caller(t)
		of := object{"metadata": object{"source": "form", "n": 3, "deep": object{"list": list{1, nil, "x"}}}, "memory_type": "profile",
			"scope": "private", "categories": list{"travel", "family"}, "occurred_at": "2024-05-04", "expires_at": "2999-01-01T12:00:00+02:00"}
		for _, infer := range []bool{true, false} {
			who := fmt.Sprint("fields ", infer)
			a := c.add(object{"user_id": who, "agent_id": "guide", "run_id": "r1", "app_id": "site", "infer": infer, "messages": "My passport is kept in the blue drawer"}.with(of))
			if len(a.Results) != 1 {
				t.Errorf("infer %v: %+v", infer, a)
				continue
			}
			m := c.get(a.Results[0].ID)
			if text(m.UserID) != who || text(m.AgentID) != "guide" || text(m.RunID) != "r1" || text(m.AppID) != "site" {
				t.Errorf("infer %v: ids %s %s %s %s", infer, text(m.UserID), text(m.AgentID), text(m.RunID), text(m.AppID))
			}
			if text(m.MemoryType) != "profile" || text(m.Scope) != "private" {
				t.Errorf("infer %v: memory_type %q, scope %q", infer, text(m.MemoryType), text(m.Scope))
			}
			if !slices.Contains(m.Categories, "travel") || !slices.Contains(m.Categories, "family") {
				t.Errorf("infer %v: categories %v", infer, m.Categories)
			}
			if text(m.OccurredAt) != "2024-05-04T00:00:00Z" || text(m.ExpiresAt) != "2999-01-01T10:00:00Z" {
				t.Errorf("infer %v: occurred_at %q, expires_at %q", infer, text(m.OccurredAt), text(m.ExpiresAt))
			}
			want, _ := json.Marshal(of["metadata"])
			if got, _ := json.Marshal(m.Metadata); string(got) != string(want) {
				t.Errorf("infer %v: metadata %s, want %s", infer, got, want)
			}
			for filter, there := range map[string]bool{
				`{"memory_type": "profile"}`: true, `{"memory_type": "other"}`: false, `{"scope": "private"}`: true, `{"category": "family"}`: true,
				`{"occurred_at": "2024-05-04T02:00:00+02:00"}`: true, `{"occurred_at": {"lt": "2024-05-04"}}`: false, `{"expires_at": {"gt": "2998-12-31"}}`: true,
				`{"deep.list": "x"}`: true, `{"n": {"gte": 3}}`: true, `{"categories": ["travel"]}`: true,
			} {
				if got := c.list(object{"user_id": who, "filters": raw(filter)}).Total == 1; got != there {
					t.Errorf("infer %v: %s finds it: %v, want %v", infer, filter, got, there)
				}
			}
		}
	})
	t.Run("a prompt that nobody can follow is named and costs nothing", func(t *testing.T) {
		c := d.caller(t)
		a := c.add(object{"user_id": "prompted", "messages": "I work as a beekeeper", "prompt": "Only keep professions."})
		if len(a.Results) != 1 || a.Results[0].Event != "ADD" || !slices.Contains(a.Degraded, "prompt") {
			t.Errorf("%+v, want it learned and degraded to name the prompt", a)
		}
		for _, prompt := range []any{"", "  ", 5, object{}, strings.Repeat("x", 32<<10+1)} {
			c.refused(http.MethodPost, "/v1/memories", object{"user_id": "prompted", "messages": "I keep bees", "prompt": prompt}, "body.prompt")
		}
	})
	t.Run("filters of an add give the ids it lacks", func(t *testing.T) {
		c := d.caller(t)
		for _, infer := range []bool{true, false} {
			who := fmt.Sprint("by filter ", infer)
			a := c.add(object{"messages": "I grow tomatoes on the balcony", "infer": infer, "agent_id": "mine",
				"filters": object{"user_id": who, "agent_id": "theirs", "run_id": "r9", "kind": object{"in": list{"a", "b"}}}})
			if len(a.Results) != 1 {
				t.Errorf("infer %v: %+v", infer, a)
				continue
			}
			if m := c.get(a.Results[0].ID); text(m.UserID) != who || text(m.AgentID) != "mine" || text(m.RunID) != "r9" || len(m.Metadata) != 0 {
				t.Errorf("infer %v: user %q, agent %q, run %q, metadata %v", infer, text(m.UserID), text(m.AgentID), text(m.RunID), m.Metadata)
			}
		}
		c.refused(http.MethodPost, "/v1/memories", object{"user_id": "u", "messages": "x y", "filters": object{"n": object{"about": 1}}}, "body.filters.n.about")
		c.refused(http.MethodPost, "/v1/memories", object{"messages": "x y", "filters": object{"kind": "a"}})
	})
	t.Run("a store is true or a name", func(t *testing.T) {
		c := d.caller(t)
		of := object{"user_id": "stores", "infer": false}
		if m := c.get(c.keep("plain", of.with(object{"store": true}))); len(m.Metadata) != 0 {
			t.Errorf("store true: metadata %v", m.Metadata)
		}
		if m := c.get(c.keep("named", of.with(object{"store": "archive"}))); m.Metadata["store"] != "archive" {
			t.Errorf("a named store: metadata %v", m.Metadata)
		}
		if m := c.get(c.keep("own", of.with(object{"store": "archive", "metadata": object{"store": "mine"}}))); m.Metadata["store"] != "mine" {
			t.Errorf("a store beside a key of that name: metadata %v", m.Metadata)
		}
		for _, store := range []any{false, "", 1, list{}, strings.Repeat("x", 256)} {
			c.refused(http.MethodPost, "/v1/memories", of.with(object{"messages": "no", "store": store}), "body.store")
		}
	})
	t.Run("what cannot be remembered is refused and leaves nothing", func(t *testing.T) {
		c := d.caller(t)
		for body, location := range map[string]string{
			`{"messages": "I like tea"}`:                                                   "body.user_id",
			`{"user_id": "nobody"}`:                                                        "body.messages",
			`{"user_id": "nobody", "messages": null}`:                                      "body.messages",
			`{"user_id": "nobody", "messages": []}`:                                        "body.messages",
			`{"user_id": "nobody", "messages": " \n\t"}`:                                   "body.messages",
			`{"user_id": "nobody", "messages": 7}`:                                         "body.messages",
			`{"user_id": "nobody", "messages": {"content": "x"}}`:                          "body.messages.role",
			`{"user_id": "nobody", "messages": [{"role": "user", "content": ""}]}`:         "body.messages[0].content",
			`{"user_id": "", "messages": "x y"}`:                                           "body.user_id",
			`{"user_id": "nobody", "messages": "x y", "metadata": []}`:                     "body.metadata",
			`{"user_id": "nobody", "messages": "x y", "metadata": {"a": "\u0000"}}`:        "body.metadata",
			`{"user_id": "nobody", "messages": "x y", "metadata": {"a": 1e9999}}`:          "body.metadata",
			`{"user_id": "nobody", "messages": "x y", "expires_at": "soon"}`:               "body.expires_at",
			`{"user_id": "nobody", "messages": "x y", "occurred_at": 5}`:                   "body.occurred_at",
			`{"user_id": "nobody", "messages": "x y", "timezone": "Mars/Base"}`:            "body.timezone",
			`{"user_id": "nobody", "messages": "x y", "scopes": ["BOTH"]}`:                 "body.scopes[0]",
			`{"user_id": "nobody", "messages": "x y", "categories": [""]}`:                 "body.categories[0]",
			`{"user_id": "nobody", "messages": "x y", "memory_type": ""}`:                  "body.memory_type",
			`{"user_id": "nobody", "messages": "x y", "favourite": true}`:                  "body.favourite",
			`{"user_id": "nobody", "messages": "x y", "metadata": {"a": "` + large + `"}}`: "body.metadata",
		} {
			for _, infer := range []string{"true", "false"} {
				c.refused(http.MethodPost, "/v1/memories", strings.TrimSuffix(body, "}")+`, "infer": `+infer+"}", location)
			}
		}
		if total := c.of("user_id", "nobody").Total; total != 0 {
			t.Errorf("%d memories are left", total)
		}
		c.want(400, http.MethodPost, "/v1/memories", `{"user_id": "nobody", "messages": "x y"`, nil)
	})
	t.Run("it need not be waited for", func(t *testing.T) {
		c := d.caller(t)
		var a added
		c.want(202, http.MethodPost, "/v1/memories", object{"user_id": "later", "messages": list{user("I was born in Evora"), user("I keep three goats")}, "wait": false}, &a)
		if len(a.IngestIDs) != 2 || len(a.Results) != 0 {
			t.Fatalf("%+v", a)
		}
		c.settle("later")
		for _, id := range a.IngestIDs {
			var m struct {
				Ingest struct {
					State    string
					Memories []string
				}
			}
			c.want(200, http.MethodGet, fmt.Sprintf("/v1/messages/%d", id), nil, &m)
			if m.Ingest.State != "done" || len(m.Ingest.Memories) != 1 {
				t.Errorf("message %d: %+v", id, m.Ingest)
				continue
			}
			if got := c.get(m.Ingest.Memories[0]); !slices.Equal(got.Sources, []int64{id}) {
				t.Errorf("message %d: the memory's sources are %v", id, got.Sources)
			}
		}
	})
	t.Run("a key makes a repetition give the same answer", func(t *testing.T) {
		c := d.caller(t)
		for _, infer := range []bool{true, false} {
			key := fmt.Sprint("once ", infer)
			body := object{"user_id": key, "messages": "I sail every Sunday", "infer": infer, "metadata": object{"n": 1}}
			_, first := c.send(http.MethodPost, "/v1/memories", body, "Idempotency-Key", key)
			status, second := c.send(http.MethodPost, "/v1/memories", body, "Idempotency-Key", key)
			if status != 200 || first != second || !strings.Contains(first, `"ADD"`) {
				t.Errorf("infer %v: first %s, then %d %s", infer, first, status, second)
			}
			if status, _ := c.send(http.MethodPost, "/v1/memories", body.with(object{"messages": "I ride"}), "Idempotency-Key", key); status != 422 {
				t.Errorf("infer %v: another body under the same key: %d", infer, status)
			}
			if total := c.of("user_id", key).Total; total != 1 {
				t.Errorf("infer %v: %d memories", infer, total)
			}
		}
	})
}

// large is a text of more than metadata may hold.
var large = strings.Repeat("0123456789abcdef", 16<<10+1)

func pointer[T any](v T) *T { return &v }

func playReadingMemories(t *testing.T, d *daemon) {

	t.Run("every answer has the same shape, and its ids work everywhere", func(t *testing.T) {
		c := d.caller(t)
		c.say(object{"user_id": "shape", "session_id": "s1", "messages": list{user("My bicycle is a green Vitor")}})
		kept := c.keep("The attic is full", object{"user_id": "shape"})
		learned := c.list(object{"user_id": "shape", "filters": raw(`{"memory": {"contains": "bicycle"}}`)})
		if learned.Total != 1 {
			t.Fatalf("%+v", learned)
		}
		for _, id := range []string{kept, learned.Results[0].ID} {
			var one map[string]json.RawMessage
			c.want(200, http.MethodGet, "/v1/memories/"+id, nil, &one)
			if got := slices.Sorted(maps.Keys(one)); !slices.Equal(got, memoryFields) {
				t.Errorf("get has %v, want %v", got, memoryFields)
			}
			body := object{"user_id": "shape", "filters": object{"id": id}, "limit": 100}
			for route, got := range map[string]json.RawMessage{
				"search":  c.first(http.MethodPost, "/v1/memories/search", body.with(object{"query": "bicycle attic"}), "results"),
				"list":    c.first(http.MethodPost, "/v1/memories/list", body, "results"),
				"context": c.first(http.MethodPost, "/v1/context", object{"user_id": "shape", "session_id": "s2", "query": "bicycle attic", "filters": object{"id": id}}, "recalled"),
			} {
				var m map[string]json.RawMessage
				if err := json.Unmarshal(got, &m); err != nil {
					t.Fatalf("%s: %v in %s", route, err, got)
				}
				delete(m, "score")
				delete(m, "similarity")
				for _, name := range slices.Sorted(maps.Keys(m)) {
					if string(m[name]) != string(one[name]) {
						t.Errorf("%s: %s is %s, by get %s", route, name, m[name], one[name])
					}
				}
				if len(m) != len(one) {
					t.Errorf("%s has %v", route, slices.Sorted(maps.Keys(m)))
				}
			}
			m := c.get(id)
			for name, at := range map[string]string{"created_at": m.CreatedAt, "updated_at": m.UpdatedAt, "valid_from": m.ValidFrom} {
				if _, err := time.Parse(time.RFC3339Nano, at); err != nil || !strings.HasSuffix(at, "Z") {
					t.Errorf("%s = %q, want a time in UTC", name, at)
				}
			}
			if len(m.ID) != 36 || m.ID[14] != '7' || m.Event != "RETRIEVE" || m.Hash == "" {
				t.Errorf("id %s, event %s, hash %q", m.ID, m.Event, m.Hash)
			}
			var h history
			c.want(200, http.MethodGet, "/v1/memories/"+id+"/history?user_id=shape", nil, &h)
			if len(h.Results) != 1 || h.Results[0].Event != "ADD" || h.Results[0].Memory == nil || *h.Results[0].Memory != m.Memory || h.Results[0].By == "" {
				t.Errorf("history = %+v", h)
			}
		}
	})
	t.Run("lists come newest first, in pages, with the total", func(t *testing.T) {
		c := d.caller(t)
		var want []string
		for i := range 23 {
			text := fmt.Sprintf("note %d", i)
			c.keep(text, object{"user_id": "pages", "metadata": object{"even": i%2 == 0}})
			want = append([]string{text}, want...)
		}
		var byOffset, byCursor []string
		for offset := 0; offset < 30; offset += 10 {
			var p page
			c.want(200, http.MethodGet, fmt.Sprintf("/v1/memories?user_id=pages&limit=10&offset=%d", offset), nil, &p)
			if p.Total != 23 {
				t.Errorf("total = %d", p.Total)
			}
			byOffset = append(byOffset, texts(p.Results)...)
		}
		body := object{"user_id": "pages", "limit": 4, "filters": object{"even": true}}
		for {
			p := c.list(body)
			if p.Total != 12 || len(p.Results) > 4 {
				t.Errorf("total = %d, %d on a page", p.Total, len(p.Results))
			}
			byCursor = append(byCursor, texts(p.Results)...)
			if p.NextCursor == nil {
				break
			}
			body["cursor"] = *p.NextCursor
		}
		if !slices.Equal(byOffset, want) {
			t.Errorf("by offset %v", byOffset)
		}
		if even := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return (s[len(s)-1]-'0')%2 == 1 }); !slices.Equal(byCursor, even) {
			t.Errorf("by cursor %v", byCursor)
		}
		var p page
		c.want(200, http.MethodGet, "/v1/memories?user_id=pages&offset=23", nil, &p)
		if len(p.Results) != 0 || p.Total != 23 || p.NextCursor != nil {
			t.Errorf("past the end: %+v", p)
		}
		c.want(200, http.MethodGet, "/v1/memories?user_id=nobody-at-all", nil, &p)
		if len(p.Results) != 0 || p.Total != 0 {
			t.Errorf("of nobody: %+v", p)
		}
	})
	t.Run("pages are bounded and asked for in one way", func(t *testing.T) {
		c := d.caller(t)
		cursor := text(c.list(object{"user_id": "pages", "limit": 2}).NextCursor)
		for body, location := range map[string]string{
			`{"user_id": "pages", "limit": 0}`:                              "body.limit",
			`{"user_id": "pages", "limit": 1001}`:                           "body.limit",
			`{"user_id": "pages", "limit": 2.5}`:                            "body.limit",
			`{"user_id": "pages", "offset": -1}`:                            "body.offset",
			`{"user_id": "pages", "offset": 1, "cursor": "` + cursor + `"}`: "body.cursor",
			`{"user_id": "pages", "cursor": "x"}`:                           "body.cursor",
			`{"user_id": "someone else", "cursor": "` + cursor + `"}`:       "body.cursor",
		} {
			c.refused(http.MethodPost, "/v1/memories/list", body, location)
		}
		c.refused(http.MethodGet, "/v1/memories?user_id=pages&limit=0", nil, "query.limit")
		c.refused(http.MethodGet, "/v1/memories?user_id=pages&sort=id", nil, "query.sort")
		c.refused(http.MethodGet, "/v1/memories", nil, "query.user_id")
		c.refused(http.MethodGet, "/v1/memories?limit=5", nil, "query.user_id")
	})
	t.Run("what has expired is found no more", func(t *testing.T) {
		c := d.caller(t)
		past := c.keep("The ticket is in the drawer", object{"user_id": "expiry", "expires_at": "2001-01-01"})
		c.keep("The map is in the drawer", object{"user_id": "expiry", "expires_at": "2999-01-01"})
		c.sameTexts("list", c.of("user_id", "expiry").Results, "The map is in the drawer")
		c.sameTexts("search", c.search(object{"user_id": "expiry", "query": "What is in the drawer?"}).Results, "The map is in the drawer")
		c.sameTexts("context", c.context(object{"user_id": "expiry", "query": "What is in the drawer?"}).Recalled, "The map is in the drawer")
		c.want(404, http.MethodGet, "/v1/memories/"+past+"?user_id=someone", nil, nil)
	})
	t.Run("expiry counts from that moment, and what has expired may be said again", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "at that moment"}
		until := time.Now().Add(1500 * time.Millisecond).UTC()
		soon := who.with(object{"expires_at": until.Format(time.RFC3339Nano)})
		kept, learned := c.keep("The parking ticket is valid", soon), c.learn("My pass is in the drawer", soon)
		d.eventually("they are found no more", func() bool {
			if c.of("user_id", "at that moment").Total > 0 {
				return false
			}
			if now := time.Now(); now.Before(until.Truncate(time.Microsecond)) {
				t.Errorf("gone at %v, before %v", now, until)
			}
			return true
		})
		c.sameTexts("search", c.search(who.with(object{"query": "ticket pass"})).Results)
		c.sameTexts("context", c.context(who.with(object{"query": "ticket pass", "session_id": "new"})).Recalled)
		if c.keep("The parking ticket is valid", who) == kept || c.learn("My pass is in the drawer", who) == learned {
			t.Error("what is said again is what has expired")
		}
		c.sameTexts("said again", c.of("user_id", "at that moment").Results, "The parking ticket is valid", "My pass is in the drawer")
	})
	t.Run("there is no such memory", func(t *testing.T) {
		c := d.caller(t)
		mine := c.keep("The spare key is under the pot", object{"user_id": "owner", "agent_id": "porter"})
		for _, path := range []string{
			"/v1/memories/01999999-0000-7000-8000-000000000000", "/v1/memories/none", "/v1/memories/%00", "/v1/memories/" + mine + "x",
			"/v1/memories/" + mine + "?user_id=thief", "/v1/memories/" + mine + "?agent_id=cook", "/v1/memories/" + mine + "?user_id=owner&agent_id=cook",
		} {
			status, answer := c.send(http.MethodGet, path, nil)
			if status != 404 && (status != 422 || !strings.Contains(path, "%00")) {
				t.Errorf("GET %s: %d %s", path, status, answer)
			}
		}
		c.want(200, http.MethodGet, "/v1/memories/"+mine+"?user_id=owner&agent_id=porter", nil, nil)
	})
	t.Run("whoever was met is listed", func(t *testing.T) {
		c := d.caller(t)
		c.keep("One thing", object{"user_id": "met by the long tier"})
		c.keep("Another thing", object{"user_id": "met by the long tier"})
		c.say(object{"user_id": "met by the log", "session_id": "s", "messages": list{user("I own a red kayak")}})
		var answer struct {
			Users []struct {
				UserID   string `json:"user_id"`
				Memories int
				Messages int
			}
			Total int
		}
		c.want(200, http.MethodGet, "/v1/users?limit=1000", nil, &answer)
		seen := map[string][2]int{}
		for _, u := range answer.Users {
			seen[u.UserID] = [2]int{u.Memories, u.Messages}
		}
		if seen["met by the long tier"] != [2]int{2, 0} || seen["met by the log"] != [2]int{1, 1} || len(seen) != answer.Total {
			t.Errorf("users = %+v", answer)
		}
	})
}

// first gives the one item of a list in an answer, as it stands.
func (c caller) first(method, path string, body any, name string) json.RawMessage {
	c.Helper()
	var answer map[string]json.RawMessage
	c.want(200, method, path, body, &answer)
	var items []json.RawMessage
	if err := json.Unmarshal(answer[name], &items); err != nil || len(items) != 1 {
		c.Fatalf("%s %s: %s, want one of %s", method, path, answer[name], name)
	}
	return items[0]
}

// history is what happened to a memory.
type history struct {
	Results []struct {
		Event          string
		PreviousMemory *string `json:"previous_memory"`
		Memory         *string
		Reason, By, At string
	}
}

func (c caller) history(id string) history {
	c.Helper()
	var h history
	c.want(200, http.MethodGet, "/v1/memories/"+id+"/history", nil, &h)
	return h
}

func (c caller) patch(id string, body object) memory {
	c.Helper()
	var m memory
	c.want(200, http.MethodPatch, "/v1/memories/"+id, body, &m)
	return m
}

func playChangingMemories(t *testing.T, d *daemon) {

	t.Run("a new text is found and the old one is not", func(t *testing.T) {
		c := d.caller(t)
		for name, make := range map[string]func(who string) string{
			"verbatim": func(who string) string {
				return c.keep("My cat is called Pipoca", object{"user_id": who, "metadata": object{"a": 1}})
			},
			"learned": func(who string) string {
				return c.learn("My cat is called Pipoca", object{"user_id": who, "metadata": object{"a": 1}})
			},
		} {
			who := "patch " + name
			id := make(who)
			before := c.get(id)
			m := c.patch(id, object{"memory": "The harbour opens at seven"})
			if m.ID != id || m.Memory != "The harbour opens at seven" || m.Event != "RETRIEVE" || m.CreatedAt != before.CreatedAt || m.UpdatedAt <= before.UpdatedAt || m.Hash == before.Hash {
				t.Errorf("%s: %+v after %+v", name, m, before)
			}
			if got := c.get(id); got.Memory != m.Memory || got.UpdatedAt != m.UpdatedAt || got.Metadata["a"] != 1.0 {
				t.Errorf("%s: get gives %+v", name, got)
			}
			for _, mode := range []string{"hybrid", "vector", "lexical"} {
				ask := object{"user_id": who, "mode": mode}
				if p := c.search(ask.with(object{"query": "The harbour opens at seven"})); len(p.Results) != 1 || mode != "lexical" && p.Results[0].Score < 0.99 {
					t.Errorf("%s, %s: the new text gives %+v", name, mode, p.Results)
				}
				if p := c.search(ask.with(object{"query": "My cat is called Pipoca", "threshold": 0.6})); len(p.Results) != 0 {
					t.Errorf("%s, %s: the old text gives %+v", name, mode, p.Results)
				}
			}
			h := c.history(id).Results
			if len(h) != 2 || h[1].Event != "UPDATE" || text(h[1].PreviousMemory) != "My cat is called Pipoca" || text(h[1].Memory) != "The harbour opens at seven" || h[1].By != "api" {
				t.Errorf("%s: history %+v", name, h)
			}
		}
	})
	t.Run("metadata is merged", func(t *testing.T) {
		c := d.caller(t)
		id := c.keep("The boiler was serviced", object{"user_id": "merge", "metadata": object{"a": 1, "b": "x", "deep": object{"one": 1, "two": 2}, "list": list{1, 2}}})
		for _, step := range []struct{ patch, want string }{
			{`{"b": "y", "c": true}`, `{"a":1,"b":"y","c":true,"deep":{"one":1,"two":2},"list":[1,2]}`},
			{`{"a": null, "deep": {"two": null, "three": 3}}`, `{"b":"y","c":true,"deep":{"one":1,"three":3},"list":[1,2]}`},
			{`{"list": [3], "c": {"d": null, "e": 0}}`, `{"b":"y","c":{"e":0},"deep":{"one":1,"three":3},"list":[3]}`},
			{`{}`, `{"b":"y","c":{"e":0},"deep":{"one":1,"three":3},"list":[3]}`},
			{`{"missing": null}`, `{"b":"y","c":{"e":0},"deep":{"one":1,"three":3},"list":[3]}`},
		} {
			m := c.patch(id, object{"metadata": raw(step.patch)})
			if got, _ := json.Marshal(m.Metadata); string(got) != step.want || m.Memory != "The boiler was serviced" {
				t.Errorf("%s makes %s, want %s", step.patch, got, step.want)
			}
		}
		if c.list(object{"user_id": "merge", "filters": raw(`{"deep.three": 3, "a": null, "list": 3}`)}).Total != 1 {
			t.Error("filters do not see the metadata as it is now")
		}
		if c.list(object{"user_id": "merge", "filters": raw(`{"a": 1}`)}).Total != 0 {
			t.Error("filters see the metadata as it was")
		}
	})
	t.Run("text and metadata go together, and an update says which keys won", func(t *testing.T) {
		c := d.caller(t)
		id := c.learn("I have two brothers", object{"user_id": "both", "metadata": object{"source": "chat", "trust": 1}})
		m := c.patch(id, object{"memory": "I have three brothers", "metadata": object{"trust": 2, "checked": true}})
		if got, _ := json.Marshal(m.Metadata); m.Memory != "I have three brothers" || string(got) != `{"checked":true,"source":"chat","trust":2}` {
			t.Errorf("%q with %s", m.Memory, got)
		}
	})
	t.Run("categories, pinning and expiry can be set and taken back", func(t *testing.T) {
		c := d.caller(t)
		id := c.keep("The tent is at my uncle's", object{"user_id": "set", "categories": list{"old"}})
		m := c.patch(id, object{"categories": list{"camping", "family"}, "pinned": true, "expires_at": "2999-06-01"})
		if !slices.Equal(m.Categories, []string{"camping", "family"}) || !m.Pinned || text(m.ExpiresAt) != "2999-06-01T00:00:00Z" {
			t.Errorf("%+v", m)
		}
		for _, filter := range []string{`{"category": "camping"}`, `{"pinned": true}`, `{"expires_at": {"gte": "2999-01-01"}}`} {
			if c.list(object{"user_id": "set", "filters": raw(filter)}).Total != 1 {
				t.Errorf("%s does not find it", filter)
			}
		}
		if m = c.patch(id, object{"categories": list{}, "pinned": false, "expires_at": nil}); len(m.Categories) != 0 || m.Pinned || m.ExpiresAt != nil {
			t.Errorf("taken back: %+v", m)
		}
		c.patch(id, object{"expires_at": "2001-01-01"})
		if p := c.of("user_id", "set"); p.Total != 0 {
			t.Errorf("expired by the change and still there: %+v", p)
		}
	})
	t.Run("pinned memories come first in a context", func(t *testing.T) {
		c := d.caller(t)
		c.keep("The train to Braga leaves at nine", object{"user_id": "pins"})
		c.patch(c.keep("I am allergic to walnuts", object{"user_id": "pins"}), object{"pinned": true})
		a := c.context(object{"user_id": "pins", "query": "When does the train to Braga leave?"})
		if len(a.Recalled) != 2 || a.Recalled[0].Memory != "I am allergic to walnuts" {
			t.Errorf("recalled %v", texts(a.Recalled))
		}
	})
	t.Run("changes made at once are all there", func(t *testing.T) {
		c := d.caller(t)
		id := c.keep("Many hands", object{"user_id": "at once"})
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				if status, answer := c.send(http.MethodPatch, "/v1/memories/"+id, object{"metadata": object{fmt.Sprint("key ", i): i}}); status != 200 {
					t.Errorf("%d %s", status, answer)
				}
			})
		}
		wg.Wait()
		if m := c.get(id); len(m.Metadata) != 50 || m.Memory != "Many hands" {
			t.Errorf("%d keys are left: %v", len(m.Metadata), m.Metadata)
		}
		deleted := make(chan int, 50)
		for range 50 {
			wg.Go(func() {
				status, _ := c.send(http.MethodDelete, "/v1/memories/"+id, nil)
				deleted <- status
			})
		}
		wg.Wait()
		close(deleted)
		answers := map[int]int{}
		for status := range deleted {
			answers[status]++
		}
		if answers[200] != 1 || answers[404] != 49 {
			t.Errorf("50 deletions were answered %v, want one 200 and 404 to all others", answers)
		}
	})
	t.Run("a key makes a repeated change give the same answer", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "keyed"}
		id, other := c.keep("The first", who), c.keep("The second", who)
		c.keep("The third", who)
		for _, r := range []struct {
			method, path string
			body         any
		}{
			{http.MethodPatch, "/v1/memories/" + id, object{"memory": "Changed", "metadata": object{"n": 1}}},
			{http.MethodPatch, "/v1/memories/batch", object{"memories": list{object{"id": other, "pinned": true}}}},
			{http.MethodDelete, "/v1/memories/" + id, nil},
			{http.MethodDelete, "/v1/memories/batch", object{"memories": list{object{"id": other}}}},
			{http.MethodPost, "/v1/memories/delete", who.with(object{"filters": object{"memory": "The third"}})},
			{http.MethodDelete, "/v1/memories?user_id=keyed", nil},
		} {
			if r.path == "/v1/memories?user_id=keyed" {
				c.keep("The last", who)
			}
			key := []string{"Idempotency-Key", r.method + r.path}
			status, first := c.send(r.method, r.path, r.body, key...)
			again, second := c.send(r.method, r.path, r.body, key...)
			if status != 200 || again != 200 || first != second {
				t.Errorf("%s %s: first %d %s, then %d %s", r.method, r.path, status, first, again, second)
			}
		}
		c.sameTexts("what is left", c.of("user_id", "keyed").Results)
	})
	t.Run("no change leaves everything as it was", func(t *testing.T) {
		c := d.caller(t)
		id := c.keep("Nothing new", object{"user_id": "still", "metadata": object{"a": 1}})
		before := c.get(id)
		if m := c.patch(id, object{"memory": "Nothing new", "metadata": object{"a": 1}, "pinned": false, "expires_at": nil}); excerpt(m) != excerpt(before) {
			t.Errorf("it became %+v, it was %+v", m, before)
		}
	})
	t.Run("what is no change is refused and changes nothing", func(t *testing.T) {
		c := d.caller(t)
		id := c.keep("The ladder is in the shed", object{"user_id": "refuse", "metadata": object{"a": 1}})
		before := c.get(id)
		for body, location := range map[string]string{
			`{}`:                                   "body",
			`{"memory": ""}`:                       "body.memory",
			`{"memory": " \t"}`:                    "body.memory",
			`{"memory": 5}`:                        "body.memory",
			`{"memory": "x y", "metadata": []}`:    "body.metadata",
			`{"metadata": "a"}`:                    "body.metadata",
			`{"metadata": {"a": "\u0000"}}`:        "body.metadata",
			`{"metadata": {"a": "` + large + `"}}`: "body.metadata",
			`{"categories": "a"}`:                  "body.categories",
			`{"categories": [""]}`:                 "body.categories[0]",
			`{"pinned": "yes"}`:                    "body.pinned",
			`{"expires_at": "soon"}`:               "body.expires_at",
			`{"content": "x y"}`:                   "body.content",
			`{"user_id": "thief"}`:                 "body.user_id",
			`[]`:                                   "body",
		} {
			c.refused(http.MethodPatch, "/v1/memories/"+id, body, location)
		}
		c.want(400, http.MethodPatch, "/v1/memories/"+id, `{"memory": `, nil)
		for _, path := range []string{"/v1/memories/01999999-0000-7000-8000-000000000000", "/v1/memories/none", "/v1/memories/" + id + "?user_id=thief", "/v1/memories/" + id + "?agent_id=none"} {
			c.want(404, http.MethodPatch, path, object{"memory": "stolen"}, nil)
			c.want(404, http.MethodDelete, path, nil, nil)
		}
		if after := c.get(id); excerpt(after) != excerpt(before) {
			t.Errorf("it became %+v, it was %+v", after, before)
		}
	})
	t.Run("what a person wrote stands against what was said before", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "stands", "session_id": "s1"}
		said := list{object{"role": "user", "content": "My dentist is in Aveiro", "id": "m1"}}
		c.say(who.with(object{"messages": said}))
		c.patch(c.one(c.of("user_id", "stands")).ID, object{"memory": "My dentist is in Leiria"})
		c.say(who.with(object{"messages": said})) // the same message again
		c.sameTexts("after the same message again", c.of("user_id", "stands").Results, "My dentist is in Leiria")
		c.say(who.with(object{"messages": list{user("My dentist is in Aveiro")}})) // said anew
		if got := texts(c.of("user_id", "stands").Results); !slices.Contains(got, "My dentist is in Aveiro") {
			t.Errorf("said anew it is not known: %v", got)
		}
	})
	t.Run("the id of any answer is good for any call", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "round trip"}
		for name, find := range map[string]func(id string) string{
			"add":    func(id string) string { return id },
			"search": func(string) string { return c.one(c.search(who.with(object{"query": "anchor"}))).ID },
			"list":   func(string) string { return c.one(c.list(who)).ID },
			"GET":    func(string) string { return c.one(c.of("user_id", "round trip")).ID },
			"context": func(string) string {
				return c.one(page{Results: c.context(who.with(object{"query": "anchor"})).Recalled}).ID
			},
			"PATCH": func(id string) string { return c.patch(id, object{"pinned": true}).ID },
		} {
			id := c.keep("The anchor weighs nine kilos", who)
			found := find(id)
			if found != id {
				t.Errorf("%s gives %s, want %s", name, found, id)
			}
			c.patch(found, object{"metadata": object{"by": name}})
			if len(c.history(found).Results) < 2 || c.list(who.with(object{"filters": object{"id": found}})).Total != 1 {
				t.Errorf("%s: the id is not good for a history or a filter", name)
			}
			c.want(200, http.MethodDelete, "/v1/memories/"+found, nil, nil)
		}
	})
	t.Run("a deleted memory is gone from everywhere", func(t *testing.T) {
		c := d.caller(t)
		for name, id := range map[string]string{
			"verbatim": c.keep("The oven is broken", object{"user_id": "gone"}),
			"learned":  c.learn("I play the cello", object{"user_id": "gone"}),
		} {
			var answer struct{ ID, Event string }
			c.want(200, http.MethodDelete, "/v1/memories/"+id+"?user_id=gone", nil, &answer)
			if answer.ID != id || answer.Event != "DELETE" {
				t.Errorf("%s: %+v", name, answer)
			}
			c.want(404, http.MethodDelete, "/v1/memories/"+id, nil, nil)
			c.want(404, http.MethodGet, "/v1/memories/"+id, nil, nil)
			c.want(404, http.MethodPatch, "/v1/memories/"+id, object{"memory": "back again"}, nil)
		}
		c.sameTexts("list", c.of("user_id", "gone").Results)
		c.sameTexts("with what was superseded", c.list(object{"user_id": "gone", "include_superseded": true}).Results)
		c.sameTexts("search", c.search(object{"user_id": "gone", "query": "oven cello", "include_superseded": true}).Results)
		c.sameTexts("context", c.context(object{"user_id": "gone", "session_id": "new", "query": "oven cello"}).Recalled)
	})
	t.Run("a deleted memory may be said anew", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "anew"}
		for name, add := range map[string]func() string{
			"verbatim": func() string { return c.keep("The lamp is green", who) },
			"learned":  func() string { return c.learn("I collect old maps", who) },
		} {
			old := add()
			c.want(200, http.MethodDelete, "/v1/memories/"+old, nil, nil)
			if again := add(); again == old {
				t.Errorf("%s: it came back under its id", name)
			}
		}
		c.sameTexts("list", c.of("user_id", "anew").Results, "The lamp is green", "I collect old maps")
	})
}

func playBatchesOfMemories(t *testing.T, d *daemon) {
	const path = "/v1/memories/batch"
	batch := func(items ...object) object {
		return object{"memories": append([]object{}, items...)}
	}

	t.Run("each item is answered as the single call would", func(t *testing.T) {
		c := d.caller(t)
		var made struct{ Items []added }
		c.want(200, http.MethodPost, path, batch(
			object{"user_id": "b1", "messages": "The first", "infer": false},
			object{"user_id": "b2", "messages": list{user("I play chess on Fridays")}},
			object{"user_id": "b1", "messages": list{user("The second"), assistant("The third")}, "infer": false, "metadata": object{"n": 3}},
			object{"user_id": "b1", "messages": "The first", "infer": false},
		), &made)
		if len(made.Items) != 4 || len(made.Items[0].Results) != 1 || len(made.Items[1].Results) != 1 || len(made.Items[2].Results) != 2 || len(made.Items[3].Results) != 1 {
			t.Fatalf("%+v", made)
		}
		if made.Items[3].Results[0].Event != "NONE" || made.Items[3].Results[0].ID != made.Items[0].Results[0].ID {
			t.Errorf("the same twice in a batch: %+v", made.Items)
		}
		c.sameTexts("b1", c.of("user_id", "b1").Results, "The first", "The second", "The third")
		c.sameTexts("b2", c.of("user_id", "b2").Results, "I play chess on Fridays")

		one, two := made.Items[0].Results[0].ID, made.Items[1].Results[0].ID
		var changed struct{ Items []memory }
		c.want(200, http.MethodPatch, path, batch(object{"id": two, "memory": "I play chess on Mondays"}, object{"id": one, "metadata": object{"a": 1}, "pinned": true}), &changed)
		if len(changed.Items) != 2 || changed.Items[0].ID != two || changed.Items[0].Memory != "I play chess on Mondays" || changed.Items[1].Metadata["a"] != 1.0 || !changed.Items[1].Pinned {
			t.Errorf("%+v", changed)
		}
		for _, m := range changed.Items {
			if got := c.get(m.ID); excerpt(got) != excerpt(m) {
				t.Errorf("answered with %+v, it is %+v", m, got)
			}
		}
		var gone struct{ Items []event }
		c.want(200, http.MethodDelete, path, batch(object{"id": two}, object{"id": one}), &gone)
		if len(gone.Items) != 2 || gone.Items[0].ID != two || gone.Items[0].Event != "DELETE" || gone.Items[1].ID != one {
			t.Errorf("%+v", gone)
		}
		c.sameTexts("b1", c.of("user_id", "b1").Results, "The second", "The third")
		c.sameTexts("b2", c.of("user_id", "b2").Results)
	})
	t.Run("an item that is still being learned makes it 202", func(t *testing.T) {
		c := d.caller(t)
		var made struct{ Items []added }
		c.want(202, http.MethodPost, path, batch(
			object{"user_id": "b3", "messages": "I repair accordions", "wait": false},
			object{"user_id": "b3", "messages": "Kept as it is", "infer": false},
		), &made)
		if len(made.Items) != 2 || len(made.Items[0].IngestIDs) != 1 || len(made.Items[1].Results) != 1 || made.Items[1].Results[0].Event != "ADD" {
			t.Errorf("%+v", made)
		}
		c.settle("b3")
		c.sameTexts("b3", c.of("user_id", "b3").Results, "I repair accordions", "Kept as it is")
	})
	t.Run("a bad item is named, and none is done", func(t *testing.T) {
		c := d.caller(t)
		c.refused(http.MethodPost, path, batch(
			object{"user_id": "b4", "messages": "Good", "infer": false},
			object{"messages": "Whose?"},
			object{"user_id": "b4", "messages": "Good as well"},
			object{"user_id": "b4", "messages": " "},
			object{"user_id": "b4", "messages": "x y", "colour": "red"},
		), "body.memories[1].user_id", "body.memories[3].messages", "body.memories[4].colour")
		c.settle("b4")
		c.sameTexts("b4", c.of("user_id", "b4").Results)

		id, other := c.keep("Stays", object{"user_id": "b5"}), c.keep("Another's", object{"user_id": "b6"})
		const none = "01999999-0000-7000-8000-000000000000"
		c.refused(http.MethodPatch, path, batch(object{"id": id, "memory": "Changed"}, object{"id": none, "memory": "x"}, object{"memory": "x"}, object{"id": id, "pinned": true}, object{"id": other}),
			"body.memories[1].id", "body.memories[2].id", "body.memories[3].id", "body.memories[4]")
		c.refused(http.MethodPatch, path+"?user_id=b5", batch(object{"id": id, "memory": "Changed"}, object{"id": other, "memory": "Changed"}), "body.memories[1].id")
		c.refused(http.MethodDelete, path, batch(object{"id": id}, object{"id": none}), "body.memories[1].id")
		c.refused(http.MethodDelete, path, batch(object{"id": id}, object{"id": id}), "body.memories[1].id")
		c.refused(http.MethodDelete, path+"?user_id=b5", batch(object{"id": id}, object{"id": other}), "body.memories[1].id")
		if c.get(id).Memory != "Stays" || c.get(other).Memory != "Another's" {
			t.Error("a batch that was refused did something")
		}
	})
	t.Run("a batch has items, and at most a thousand", func(t *testing.T) {
		c := d.caller(t)
		many := make([]object, 1001)
		for i := range many {
			many[i] = object{"user_id": "b7", "messages": fmt.Sprint("n ", i), "infer": false}
		}
		for _, method := range []string{http.MethodPost, http.MethodPatch, http.MethodDelete} {
			c.refused(method, path, batch(), "body.memories")
			c.refused(method, path, object{}, "body.memories")
			c.refused(method, path, batch(many...), "body.memories")
		}
		c.sameTexts("b7", c.of("user_id", "b7").Results)
	})
	t.Run("a key covers the whole batch", func(t *testing.T) {
		c := d.caller(t)
		body := batch(object{"user_id": "b8", "messages": "I breed carps"}, object{"user_id": "b8", "messages": "Kept", "infer": false})
		status, first := c.send(http.MethodPost, path, body, "Idempotency-Key", "batch")
		_, second := c.send(http.MethodPost, path, body, "Idempotency-Key", "batch")
		if status != 200 || first != second || strings.Count(first, `"ADD"`) != 2 {
			t.Errorf("first %s, then %s", first, second)
		}
		c.sameTexts("b8", c.of("user_id", "b8").Results, "I breed carps", "Kept")
	})
}
