package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/internal/memdtest"
)

// store adds a text of a user's as it is and gives the memory's id.
func (h *house) store(user, text string, more ...string) string {
	h.t.Helper()
	var added addAnswer
	body := fmt.Sprintf(`{"user_id":%q,"messages":%q,"infer":false%s}`, user, text, strings.Join(append([]string{""}, more...), ","))
	h.send("POST", "/v1/memories", body).want(200, `"event":"ADD"`).into(&added)
	return added.Results[0].ID
}

// total is how many memories a user has.
func (h *house) total(user string) int {
	h.t.Helper()
	var list listAnswer
	h.send("GET", "/v1/memories?limit=1&user_id="+url.QueryEscape(user), nil).want(200).into(&list)
	return list.Total
}

func TestAMemoryIsEdited(t *testing.T) {
	h := newHouse(t, houseConfig{})
	var added addAnswer
	h.send("POST", "/v1/memories", `{"messages":[{"role":"user","name":"bob","content":"My favorite color is blue"}],"user_id":"u","metadata":{"a":1,"b":{"c":2,"d":3}}}`).want(200).into(&added)
	id := added.Results[0].ID
	at := "/v1/memories/" + id
	same := func(g got) {
		t.Helper()
		if now := h.send("GET", at, nil).want(200); now.body != g.body {
			t.Errorf("answered %s, is %s", g.body, now.body)
		}
	}
	same(h.send("PATCH", at, `{"memory":"My favorite colour is crimson\u0000"}`).want(200, `"memory":"My favorite colour is crimson"`, `"actor_id":"bob"`, `"event":"RETRIEVE"`))
	for _, mode := range []string{"hybrid", "vector", "lexical"} {
		h.send("POST", "/v1/memories/search", `{"query":"bob: My favorite colour is crimson","user_id":"u","threshold":0.9,"mode":"`+mode+`"}`).want(200, id, `"degraded":[]`)
	}
	stored := h.store("w", "The gate is blue")
	h.send("PATCH", "/v1/memories/"+stored, `{"memory":"The gate is green"}`).want(200)
	h.send("POST", "/v1/memories/search", `{"query":"blue","user_id":"w","mode":"lexical"}`).want(200, `"results":[]`)
	h.send("POST", "/v1/memories/search", `{"query":"green","user_id":"w","mode":"lexical"}`).want(200, stored)
	h.send("GET", at+"/history", nil).want(200, `"event":"UPDATE"`, `"previous_memory":"My favorite color is blue"`, `"by":"api"`)

	same(h.send("PATCH", at, `{"metadata":{"a":null,"b":{"c":5},"e":[1,null]}}`).want(200, `"metadata":{"b":{"c":5,"d":3},"e":[1,null]}`, "crimson"))
	same(h.send("PATCH", at, `{"categories":["x","y"],"pinned":true,"memory":null}`).want(200, `"categories":["x","y"]`, `"pinned":true`, "crimson", `"e":[1,null]`))
	same(h.send("PATCH", at, `{"categories":[],"expires_at":"2999-01-01"}`).want(200, `"categories":[]`, `"pinned":true`, `"expires_at":"2999-01-01T00:00:00Z"`))
	same(h.send("PATCH", at, `{"pinned":false}`).want(200, `"pinned":false`, `"expires_at":"2999-01-01T00:00:00Z"`))
	same(h.send("PATCH", at+"?user_id=u", `{"expires_at":null}`).want(200, `"expires_at":null`))
	h.send("POST", "/v1/memories/list", `{"user_id":"u","filters":{"b.c":5,"expires_at":null}}`).want(200, id)

	// The embedder away: changed all the same, and its vector follows.
	h.embedder.away.Store(true)
	h.send("PATCH", at, `{"memory":"The zeppelin lands at eight"}`).want(200)
	h.send("POST", "/v1/memories/search", `{"query":"zeppelin","user_id":"u"}`).want(200, id, `"degraded":["embedding"]`)
	h.embedder.away.Store(false)
	memdtest.Until(t, "its vector follows", func() bool {
		return strings.Contains(h.send("POST", "/v1/memories/search", `{"query":"bob: The zeppelin lands at eight","user_id":"u","mode":"vector","threshold":0.9}`).body, id)
	})

	before := h.send("GET", at, nil).want(200).body
	for body, location := range map[string]string{
		`{}`:                         "body",
		`{"memory":null}`:            "body",
		`{"memory":""}`:              "body.memory",
		`{"memory":" \u200b"}`:       "body.memory",
		`{"memory":"\u0000"}`:        "body.memory",
		`{"memory":7}`:               "body.memory",
		`{"metadata":[]}`:            "body.metadata",
		`{"metadata":"x"}`:           "body.metadata",
		`{"metadata":{"a":1e9999}}`:  "body.metadata",
		`{"categories":["a",""]}`:    "body.categories[1]",
		`{"categories":"a"}`:         "body.categories",
		`{"expires_at":"hunter2"}`:   "body.expires_at",
		`{"pinned":"yes"}`:           "body.pinned",
		`{"user_id":"v"}`:            "body.user_id",
		`{"memory":"x","role":"me"}`: "body.role",
		`{"categories":["a",` + strings.TrimSuffix(strings.Repeat(`"b",`, 100), ",") + `]}`: "body.categories",
	} {
		h.send("PATCH", at, body).want(422, fmt.Sprintf(`"location":"%s"`, location), "!hunter2")
	}
	if after := h.send("GET", at, nil).want(200).body; after != before {
		t.Errorf("a refused change changed %s to %s", before, after)
	}
	h.send("PATCH", at, `{`).want(400)
	for _, nobody := range []string{neverThere, "nope", "1", "a%2Fb", "batch%2F"} {
		h.send("PATCH", "/v1/memories/"+nobody, `{"pinned":true}`).want(404, "no such memory")
	}
}

func TestSeveralMemoriesAreEditedOrNone(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	a, b, c := h.store("u", "one thing"), h.store("u", "another thing"), h.store("v", "a third thing")
	var edited patchBatchAnswer
	h.send("PATCH", "/v1/memories/batch", fmt.Sprintf(`{"memories":[{"id":%q,"memory":"first"},{"id":%q,"pinned":true},{"id":%q,"metadata":{"k":1},"expires_at":null}]}`, b, c, a)).
		want(200, `{"items":[{"id":"`+b).into(&edited)
	for i, id := range []string{b, c, a} {
		if one := h.send("GET", "/v1/memories/"+id, nil).want(200); one.body != string(encode(edited.Items[i])) {
			t.Errorf("answered %s, is %s", encode(edited.Items[i]), one.body)
		}
	}
	h.send("PATCH", "/v1/memories/batch", fmt.Sprintf(`{"memories":[{"id":%q,"memory":"changed"},{"memory":"x"},{"id":%q},{"id":%q,"memory":" "},{"id":"nope","pinned":true},{"id":%q,"pinned":true},7,{"id":%q,"pinned":false}]}`,
		a, b, c, neverThere, strings.ToUpper(a))).
		want(422, `"body.memories[1].id","message":"is required"`, `"body.memories[2]","message":"must have something to change"`, `"body.memories[3].memory"`,
			`"body.memories[4].id","message":"no such memory"`, `"body.memories[5].id","message":"no such memory"`, `"body.memories[6]"`,
			`"body.memories[7].id","message":"must be given once"`, "!memories[0]")
	h.send("PATCH", "/v1/memories/batch?user_id=u", fmt.Sprintf(`{"memories":[{"id":%q,"memory":"changed"},{"id":%q,"memory":"changed"}]}`, a, c)).
		want(422, `"errors":[{"location":"body.memories[1].id","message":"no such memory"}]`)
	h.send("GET", "/v1/memories/"+a, nil).want(200, "one thing", `"k":1`)
	for body, location := range map[string]string{`{}`: "body.memories", `{"memories":[]}`: "body.memories", `{"memories":{}}`: "body.memories", `{"items":[]}`: "body.items"} {
		h.send("PATCH", "/v1/memories/batch", body).want(422, fmt.Sprintf(`"location":"%s"`, location))
		h.send("DELETE", "/v1/memories/batch", body).want(422, fmt.Sprintf(`"location":"%s"`, location))
		h.send("POST", "/v1/memories/batch", body).want(422, fmt.Sprintf(`"location":"%s"`, location))
	}
}

func TestSeveralMemoriesAreDeletedOrNone(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	a, b, c := h.store("u", "one thing"), h.store("u", "another thing"), h.store("v", "a third thing")
	h.send("DELETE", "/v1/memories/batch", fmt.Sprintf(`{"memories":[{"id":%q},{"id":%q},{"id":%q},{}]}`, a, neverThere, a)).
		want(422, `"body.memories[1].id","message":"no such memory"`, `"body.memories[2].id","message":"must be given once"`, `"body.memories[3].id","message":"is required"`)
	h.send("DELETE", "/v1/memories/batch?user_id=u", fmt.Sprintf(`{"memories":[{"id":%q},{"id":%q}]}`, a, c)).want(422, `"body.memories[1].id"`)
	if h.total("u") != 2 {
		t.Error("a refused batch deleted something")
	}
	h.send("DELETE", "/v1/memories/batch", fmt.Sprintf(`{"memories":[{"id":%q},{"id":%q}]}`, c, a)).
		want(200, fmt.Sprintf(`{"items":[{"id":%q,"event":"DELETE"},{"id":%q,"event":"DELETE"}]}`, c, a))
	h.send("GET", "/v1/memories/"+a, nil).want(404)
	h.send("GET", "/v1/memories/"+c, nil).want(404)
	h.send("GET", "/v1/memories/"+b, nil).want(200)
}

// A batch is what its items would be alone, all of them or none.
func TestSeveralThingsAreAddedOrNone(t *testing.T) {
	h := newHouse(t, houseConfig{})
	h.send("POST", "/v1/memories/batch", `{"memories":[{"messages":"I live in Porto","user_id":"u"},
		{"messages":[{"role":"user","content":"x"},{"role":"user","content":" "},{"role":"nobody","content":"y"}],"user_id":"u"},
		{"messages":"I have a cat","user_id":"u","infer":false},
		{"messages":"hello","metadata":{"a":1e9999},"categories":["a",""],"hunter":1},
		{"messages":{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]},"infer":false,"timezone":"Mars/Base"}]}`).
		want(422, `"body.memories[1].messages[1].content"`, `"body.memories[1].messages[2].role"`, `"body.memories[3].metadata"`, `"body.memories[3].hunter"`,
			`"body.memories[4].user_id"`, `"body.memories[4].messages.content"`, `"body.memories[4].timezone"`, "!memories[0]", "!memories[2]", "!Mars")
	h.settle()
	if n := h.total("u"); n != 0 {
		t.Errorf("%d memories of a refused batch", n)
	}
	h.send("GET", "/v1/ingest", nil).want(200, `"states":{"pending":0,"running":0,"failed":0,"done":0,"skipped":0,"dead":0}`)

	mixed := `{"memories":[{"messages":"I live in Porto","user_id":"u","run_id":"r","metadata":{"n":1}},
		{"messages":[{"role":"user","content":"The gate opens at six"},{"role":"assistant","content":"Noted"}],"user_id":"u","infer":false,"scopes":["USER"]},
		{"messages":"My office is in Faro","agent_id":"g"}]}`
	var added struct{ Items []addAnswer }
	h.send("POST", "/v1/memories/batch", mixed, "Idempotency-Key", "k").want(200, `"relations":[],"degraded":[]`).into(&added)
	if len(added.Items) != 3 || len(added.Items[0].Results) != 1 || len(added.Items[1].Results) != 1 || len(added.Items[2].Results) != 1 ||
		added.Items[0].Results[0].Memory != "I live in Porto" || added.Items[1].Results[0].Memory != "The gate opens at six" || added.Items[2].Results[0].Memory != "My office is in Faro" {
		t.Fatalf("%+v", added)
	}
	again := h.send("POST", "/v1/memories/batch", mixed, "Idempotency-Key", "k").want(200)
	if again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%v", again.header)
	}
	h.send("GET", "/v1/memories?user_id=u", nil).want(200, `"total":2`, "Porto", "gate", "!Faro", "!Noted")
	h.send("GET", "/v1/memories?agent_id=g", nil).want(200, `"total":1`, "Faro")
	h.send("GET", "/v1/messages?user_id=u&session_id=r", nil).want(200, "Porto", "!gate")
	h.send("GET", "/v1/memories/"+added.Items[0].Results[0].ID, nil).want(200, `"run_id":"r"`, `"metadata":{"n":1}`)

	thousand := strings.TrimSuffix(strings.Repeat(`{"messages":"the same text","user_id":"many","infer":false},`, 1000), ",")
	h.send("POST", "/v1/memories/batch", `{"memories":[`+thousand+`,{"messages":"x","user_id":"many"}]}`).want(422, `"location":"body.memories"`)
	two := `{"messages":[{"role":"user","content":"x"},{"role":"user","content":"y"}],"user_id":"many","infer":false},`
	h.send("POST", "/v1/memories/batch", `{"memories":[`+strings.TrimSuffix(strings.Repeat(two, 501), ",")+`]}`).want(422, `"location":"body.memories"`)
	h.send("POST", "/v1/memories/batch", `{"memories":[`+thousand+`]}`).want(200, `"event":"ADD"`, `"event":"NONE"`)
	if n := h.total("many"); n != 1 {
		t.Errorf("%d memories of one text", n)
	}
}

// An item that is not waited for has the ids of its messages, as it would have alone.
func TestABatchThatIsNotLearnedInTime(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true, Config: Config{LearnWait: 50 * time.Millisecond}})
	h.send("POST", "/v1/memories/batch", `{"memories":[{"messages":"I live in Porto","user_id":"u"},{"messages":"stored","user_id":"u","infer":false}]}`).
		want(202, `{"items":[{"ingest_ids":[`, `"memory":"stored"`)
	h.send("POST", "/v1/memories/batch", `{"memories":[{"messages":"I live in Faro","user_id":"u","wait":false}]}`).want(202, `{"items":[{"ingest_ids":[`)
}

func TestABatchMayWaitForSomeItems(t *testing.T) {
	h := newHouse(t, houseConfig{})
	h.send("POST", "/v1/memories/batch", `{"memories":[{"messages":"I live in Porto","user_id":"u"},{"messages":"My cat is called Tom","user_id":"v","wait":false}]}`).
		want(202, `{"items":[{"results":[{"id":`, `Porto`, `{"ingest_ids":[`)
}

func TestAddTakesEveryFieldInBothModes(t *testing.T) {
	h := newHouse(t, houseConfig{})
	for _, infer := range []bool{true, false} {
		user := fmt.Sprint("u-", infer)
		body := map[string]any{
			"messages": "I live in Lisbon", "infer": infer, "user_id": user, "agent_id": "g", "run_id": "r", "app_id": "a", "metadata": map[string]any{"k": "v"},
			"prompt": "Keep places.", "memory_type": "fact", "scope": "private", "categories": []string{"Travel", "日本"}, "store": "main", "filters": map[string]any{"run_id": "ignored", "k": "v"},
			"expires_at": "2999-01-01", "occurred_at": "2020-02-29T12:00:00+01:00", "timezone": "Asia/Tokyo", "scopes": []string{"USER"}, "wait": true,
		}
		var added addAnswer
		degraded := `"degraded":[]`
		if infer {
			degraded = `"degraded":["prompt"]` // the rules take none
		}
		h.send("POST", "/v1/memories", body).want(200, `"event":"ADD"`, degraded).into(&added)
		h.send("GET", "/v1/memories/"+added.Results[0].ID, nil).want(200, `"user_id":"`+user+`","agent_id":"g","run_id":"r","app_id":"a"`, `"memory_type":"fact"`, `"scope":"private"`,
			`"Travel"`, `"日本"`, `"k":"v"`, `"store":"main"`, `"expires_at":"2999-01-01T00:00:00Z"`, `"occurred_at":"2020-02-29T11:00:00Z"`)
	}
	// Ids that the filters ask for stand in for those that are missing, and for no others.
	h.send("POST", "/v1/memories", `{"messages":"x y","infer":false,"app_id":"b","filters":{"AND":[{"user_id":"w"},{"app_id":{"eq":"c"}}],"agent_id":"h"},"metadata":{},"store":"s"}`).want(200)
	h.send("GET", "/v1/memories?user_id=w", nil).want(200, `"total":1`, `"app_id":"b"`, `"agent_id":"h"`, `"metadata":{"store":"s"}`)
	h.send("POST", "/v1/memories", `{"messages":"x y z","user_id":"w","infer":false,"metadata":{"store":1},"store":"s"}`).want(200)
	h.send("POST", "/v1/memories", `{"messages":"x y z z","user_id":"w","infer":false,"store":true}`).want(200)
	h.send("GET", "/v1/memories?user_id=w", nil).want(200, `"total":3`, `"metadata":{"store":1}`, `"metadata":{}`)
}

func TestMemoriesAreDeletedByConditions(t *testing.T) {
	h := newHouse(t, houseConfig{Config: Config{Keys: []Key{{"a", "acme", RoleAdmin}, {"w", "acme", RoleWriter}, {"o", "other", RoleAdmin}}}})
	admin, writer := []string{"X-API-Key", "a"}, []string{"X-API-Key", "w"}
	var items []string
	for i := range 10 {
		for _, user := range []string{"u", "v"} {
			items = append(items, fmt.Sprintf(`{"messages":"%s has thing %d","user_id":%q,"agent_id":"g%d","app_id":"%s-app","run_id":"run-%d","infer":false,"metadata":{"n":%d}}`, user, i, user, i%2, user, i, i))
		}
	}
	h.send("POST", "/v1/memories/batch", `{"memories":[`+strings.Join(items, ",")+`]}`, writer...).want(200)
	h.send("POST", "/v1/memories", `{"messages":"another tenant's","user_id":"u","infer":false,"metadata":{"n":0}}`, "X-API-Key", "o").want(200)
	left := func(want int) {
		t.Helper()
		h.send("GET", "/v1/memories?all_scopes=true&limit=1", nil, admin...).want(200, fmt.Sprintf(`"total":%d`, want))
	}
	count := func(body string, want int) {
		t.Helper()
		var before listAnswer
		h.send("GET", "/v1/memories?all_scopes=true", nil, admin...).want(200).into(&before)
		dry := strings.TrimSuffix(body, "}") + `,"dry_run":true}`
		h.send("POST", "/v1/memories/delete", dry, admin...).want(200, fmt.Sprintf(`{"count":%d,"dry_run":true}`, want))
		left(before.Total)
		h.send("POST", "/v1/memories/delete", body, admin...).want(200, fmt.Sprintf(`{"count":%d,"dry_run":false}`, want))
		left(before.Total - want)
	}
	for body, location := range map[string]string{
		`{}`:                  "body.user_id",
		`{"filters":{}}`:      "body.user_id",
		`{"filters":{"n":1}}`: "body.user_id",
		`{"filters":{"OR":[{"user_id":"u"},{"n":1}]}}`: "body.user_id",
		`{"filters":{"NOT":[{"user_id":"u"}]}}`:        "body.user_id",
		`{"all_scopes":true}`:                          "body.filters",
		`{"all_scopes":true,"filters":{"AND":[]}}`:     "body.filters",
		`{"all_scopes":true,"filters":{"NOT":[]}}`:     "body.filters",
		`{"user_id":"u","filters":{"n":{"hunter":1}}}`: "body.filters.n.hunter",
		`{"user_id":"u","query":"x"}`:                  "body.query",
		`{"user_id":"u","dry_run":"yes"}`:              "body.dry_run",
		`{"user_id":""}`:                               "body.user_id",
	} {
		h.send("POST", "/v1/memories/delete", body, admin...).want(422, fmt.Sprintf(`"location":"%s"`, location))
	}
	h.send("POST", "/v1/memories/delete", `{"all_scopes":true,"filters":{"n":1}}`, writer...).want(403)
	left(20)
	count(`{"user_id":"u","filters":{"n":{"gte":8}}}`, 2)
	count(`{"filters":{"user_id":"u","n":7}}`, 1)
	count(`{"filters":{"AND":[{"user_id":{"in":["u","v"]}},{"n":6}]}}`, 2)
	count(`{"user_id":"u","filters":{"user_id":"v","n":5}}`, 1) // an explicit id stands
	count(`{"user_id":"u","agent_id":"g1","filters":{"user_id":"v"}}`, 2)
	count(`{"user_id":"u","filters":{"n":99}}`, 0)
	count(`{"user_id":"nobody"}`, 0)
	count(`{"all_scopes":true,"filters":{"n":0}}`, 2)
	count(`{"app_id":"u-app","filters":{"n":2}}`, 1)
	count(`{"run_id":"run-4"}`, 2)
	left(7)

	// The four ids by themselves.
	h.send("DELETE", "/v1/memories?run_id=run-9&user_id=nobody", nil, writer...).want(200, `{"count":0}`)
	h.send("DELETE", "/v1/memories?run_id=run-9", nil, writer...).want(200, `{"count":1}`)
	h.send("DELETE", "/v1/memories?agent_id=g0", nil, writer...).want(200, `{"count":2}`)
	h.send("DELETE", "/v1/memories?app_id=v-app&agent_id=g1", nil, writer...).want(200, `{"count":4}`)
	h.send("DELETE", "/v1/memories?app_id=v-app", nil, writer...).want(200, `{"count":0}`)
	left(0)
	h.send("GET", "/v1/memories?user_id=u", nil, "X-API-Key", "o").want(200, `"total":1`)
}

// What is deleted does not come back from messages that were waiting to be learned from.
func TestDeletingAScopeDropsWhatIsStillToBeLearned(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	var u, v appendAnswer
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"I live in Porto"}]}`).want(201).into(&u)
	h.send("POST", "/v1/messages", `{"user_id":"v","session_id":"s","messages":[{"role":"user","content":"I live in Faro"}]}`).want(201).into(&v)
	state := func(a appendAnswer, want string) {
		t.Helper()
		h.send("GET", fmt.Sprint("/v1/messages/", a.Messages[0].ID), nil).want(200, `"state":"`+want+`"`)
	}
	h.send("POST", "/v1/memories/delete", `{"user_id":"u","dry_run":true}`).want(200, `"count":0`)
	h.send("POST", "/v1/memories/delete", `{"user_id":"u","filters":{"n":1}}`).want(200, `"count":0`)
	state(u, "pending")
	h.send("POST", "/v1/memories/delete", `{"filters":{"user_id":"u"}}`).want(200, `"count":0`)
	state(u, "skipped")
	h.send("DELETE", "/v1/memories?user_id=v&agent_id=g", nil).want(200)
	state(v, "pending")
	h.send("DELETE", "/v1/memories?run_id=s", nil).want(200)
	state(v, "skipped")
}

func TestWritesOfMemoriesUnderAnIdempotencyKey(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	a, b, c := h.store("u", "one thing"), h.store("u", "another thing"), h.store("u", "a third thing")
	for i, test := range []struct{ method, target, body string }{
		{"PATCH", "/v1/memories/" + a, `{"memory":"changed"}`},
		{"PATCH", "/v1/memories/batch", fmt.Sprintf(`{"memories":[{"id":%q,"memory":"changed too"}]}`, b)},
		{"DELETE", "/v1/memories/batch", fmt.Sprintf(`{"memories":[{"id":%q}]}`, b)},
		{"POST", "/v1/memories/batch", `{"memories":[{"messages":"x","user_id":"v","infer":false}]}`},
		{"POST", "/v1/memories/delete", `{"user_id":"u","filters":{"memory":"a third thing"}}`},
	} {
		key := []string{"Idempotency-Key", fmt.Sprint("k", i)}
		first := h.send(test.method, test.target, test.body, key...).want(200)
		again := h.send(test.method, test.target, test.body, key...).want(200)
		if first.body != again.body || first.header.Get("Idempotent-Replayed") != "" || again.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s %s: %s %v\n%s %v", test.method, test.target, first.body, first.header, again.body, again.header)
		}
		h.send(test.method, test.target, test.body+" ", key...).want(422, `"location":"header.Idempotency-Key"`)
	}
	var history historyAnswer
	h.send("GET", "/v1/memories/"+a+"/history", nil).want(200).into(&history)
	if len(history.Results) != 2 {
		t.Errorf("changed twice: %+v", history)
	}
	h.send("GET", "/v1/memories/"+c, nil).want(404)
}

// The same memory is the same from every route.
func TestOneShapeEverywhere(t *testing.T) {
	h := newHouse(t, houseConfig{})
	for _, infer := range []bool{true, false} {
		user := fmt.Sprint("u-", infer)
		var added addAnswer
		h.send("POST", "/v1/memories", map[string]any{"messages": []any{map[string]any{"role": "user", "name": "bob", "content": "I live in Lisbon", "created_at": "2026-03-03T10:11:12.123456Z"}},
			"user_id": user, "agent_id": "g", "run_id": "r", "metadata": map[string]any{"k": map[string]any{"b": 1, "a": []any{nil, 1.50}}}, "infer": infer,
			"memory_type": "fact", "scope": "private", "categories": []string{"travel"}, "expires_at": "2999-01-01", "occurred_at": "2020-02-29"}).want(200).into(&added)
		id := added.Results[0].ID
		patched := h.send("PATCH", "/v1/memories/"+id, `{"pinned":true,"metadata":{"p":"q"}}`).want(200)
		answers := map[string]json.RawMessage{"PATCH": json.RawMessage(patched.body)}
		var batched struct{ Items []json.RawMessage }
		h.send("PATCH", "/v1/memories/batch", fmt.Sprintf(`{"memories":[{"id":%q,"pinned":true}]}`, id)).want(200).into(&batched)
		answers["PATCH batch"] = batched.Items[0]
		answers["GET one"] = json.RawMessage(h.send("GET", "/v1/memories/"+id, nil).want(200).body)
		for name, g := range map[string]got{
			"search":        h.send("POST", "/v1/memories/search", `{"query":"Lisbon","user_id":"`+user+`"}`),
			"lexical":       h.send("POST", "/v1/memories/search", `{"query":"Lisbon","user_id":"`+user+`","mode":"lexical","explain":true}`),
			"search agents": h.send("POST", "/v1/memories/search", `{"query":"Lisbon","agent_id":"g","filters":{"user_id":"`+user+`"}}`),
			"GET list":      h.send("GET", "/v1/memories?user_id="+user, nil),
			"POST list":     h.send("POST", "/v1/memories/list", `{"user_id":"`+user+`"}`),
		} {
			var found struct{ Results []json.RawMessage }
			g.want(200).into(&found)
			if len(found.Results) != 1 {
				t.Fatalf("%s: %s", name, g.body)
			}
			answers[name] = found.Results[0]
		}
		var context struct{ Recalled []json.RawMessage }
		h.send("POST", "/v1/context", `{"user_id":"`+user+`","session_id":"new","query":"Lisbon"}`).want(200).into(&context)
		if len(context.Recalled) != 1 {
			t.Fatalf("%+v", context)
		}
		answers["context"] = context.Recalled[0]

		fields := func(name string) map[string]string {
			all := map[string]string{}
			for field, value := range memd.JSONMembers(answers[name]) {
				if !slices.Contains([]string{"score", "similarity", "explain"}, field) {
					all[field] = string(value)
				}
			}
			// These tell when it was changed, and an edit that changed nothing may count or not.
			if strings.HasPrefix(name, "PATCH") {
				all["updated_at"] = ""
			}
			return all
		}
		want := fields("GET one")
		for name := range answers {
			got := fields(name)
			if strings.HasPrefix(name, "PATCH") {
				got["updated_at"] = want["updated_at"]
			}
			if !maps.Equal(got, want) {
				t.Errorf("infer %v, %s:\n%v\nGET one:\n%v", infer, name, got, want)
			}
		}
		var m memd.Memory
		_ = json.Unmarshal(answers["GET one"], &m)
		if m.StructuredAttributes != memd.AttributesOf(time.Date(2026, 3, 3, 10, 11, 12, 0, time.UTC)) || !m.Pinned || string(m.Metadata) != `{"k":{"a":[null,1.5],"b":1},"p":"q"}` {
			t.Errorf("%s", answers["GET one"])
		}
	}
}

func TestWhatExpiresIsGoneAtThatMoment(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.store("u", "The pass code of today", fmt.Sprintf(`"expires_at":%q`, time.Now().Add(time.Second).UTC().Format(time.RFC3339Nano)))
	lasting := h.store("u", "The pass code of ever")
	h.send("PATCH", "/v1/memories/"+lasting, `{"expires_at":"2999-01-01"}`).want(200)
	ways := map[string]func() got{
		"search": func() got { return h.send("POST", "/v1/memories/search", `{"query":"pass code","user_id":"u"}`) },
		"lexical": func() got {
			return h.send("POST", "/v1/memories/search", `{"query":"pass code","user_id":"u","mode":"lexical"}`)
		},
		"list": func() got { return h.send("POST", "/v1/memories/list", `{"user_id":"u"}`) },
		"GET":  func() got { return h.send("GET", "/v1/memories?user_id=u", nil) },
		"context": func() got {
			return h.send("POST", "/v1/context", `{"user_id":"u","session_id":"s","query":"pass code"}`)
		},
	}
	for name, ask := range ways {
		memdtest.Until(t, "it is gone from "+name, func() bool { return !strings.Contains(ask().want(200, "of ever").body, "of today") })
	}
	h.send("GET", "/v1/memories?user_id=u", nil).want(200, `"total":1`)
	// Taken back in time.
	soon := h.store("u", "The pass code of tomorrow", fmt.Sprintf(`"expires_at":%q`, time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)))
	h.send("GET", "/v1/memories?user_id=u", nil).want(200, `"total":1`)
	h.send("PATCH", "/v1/memories/"+soon, `{"expires_at":null}`).want(200)
	h.send("GET", "/v1/memories?user_id=u", nil).want(200, `"total":2`)
}

func TestPinnedMemoriesComeFirst(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.store("u", "Green tea in the morning")
	h.store("u", "Green tea in the evening too")
	pinned := h.store("u", "Allergic to peanuts, and drinks tea")
	h.send("PATCH", "/v1/memories/"+pinned, `{"pinned":true}`).want(200)
	var c contextAnswer
	h.send("POST", "/v1/context", `{"user_id":"u","session_id":"s","query":"green tea in the morning"}`).want(200, `retrieved memories:\nuser: Allergic to peanuts`).into(&c)
	if len(c.Recalled) != 3 || c.Recalled[0].ID != pinned || !c.Recalled[0].Pinned {
		t.Errorf("%+v", c.Recalled)
	}
	h.send("POST", "/v1/memories/list", `{"user_id":"u","filters":{"pinned":true}}`).want(200, `"total":1`, pinned)
}

func TestACursorHoldsForItsOwnList(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	for i := range 3 {
		for _, user := range []string{"u", "v"} {
			h.store(user, fmt.Sprintf("%s's thing %d", user, i), `"agent_id":"g"`)
		}
	}
	var page listAnswer
	h.send("GET", "/v1/memories?user_id=u&limit=1", nil).want(200).into(&page)
	cursor := url.QueryEscape(*page.NextCursor)
	h.send("GET", "/v1/memories?user_id=u&limit=1&cursor="+cursor, nil).want(200, "u's thing 1")
	for _, query := range []string{"user_id=v", "agent_id=g", "user_id=u&agent_id=g", "all_scopes=true", "user_id=u&include_superseded=true"} {
		h.send("GET", "/v1/memories?limit=1&cursor="+cursor+"&"+query, nil).want(422, `"location":"query.cursor"`, "!thing")
	}
	for _, body := range []string{`"user_id":"v"`, `"user_id":"u","filters":{"n":1}`, `"user_id":"u","as_of":"2020-01-01"`} {
		h.send("POST", "/v1/memories/list", fmt.Sprintf(`{"cursor":%q,%s}`, *page.NextCursor, body)).want(422, `"location":"body.cursor"`, "!thing")
	}
	// One that was tampered with.
	for i, c := range *page.NextCursor {
		other := "A"
		if c == 'A' {
			other = "B"
		}
		forged := (*page.NextCursor)[:i] + other + (*page.NextCursor)[i+1:]
		if got := h.send("GET", "/v1/memories?user_id=u&cursor="+forged, nil); strings.Contains(got.body, "v's") {
			t.Errorf("%s: %s", forged, got.body)
		}
	}
	h.send("GET", "/v1/users?limit=1", nil).want(200).into(&page)
	h.send("GET", "/v1/memories?user_id=u&cursor="+url.QueryEscape(*page.NextCursor), nil).want(422, `"location":"query.cursor"`)
}

// Every memory is reached once, although others come meanwhile.
func TestPagesAreStableUnderInserts(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	const n = 1137
	ids := map[string]bool{}
	for from := 0; from < n; from += 379 {
		var said []any
		for i := from; i < from+379; i++ {
			said = append(said, map[string]any{"role": "user", "content": fmt.Sprintf("Thing %d", i)})
		}
		var added addAnswer
		h.send("POST", "/v1/memories", map[string]any{"messages": said, "user_id": "u", "infer": false}).want(200).into(&added)
		for _, e := range added.Results {
			ids[e.ID] = true
		}
	}
	for _, filters := range []string{`{}`, `{"memory":{"like":"Thing %"}}`} {
		seen := map[string]bool{}
		body := fmt.Sprintf(`{"user_id":"u","limit":100,"filters":%s`, filters)
		cursor, pages := "", 0
		for ; pages == 0 || cursor != ""; pages++ {
			var page listAnswer
			more := "}"
			if cursor != "" {
				more = fmt.Sprintf(`,"cursor":%q}`, cursor)
			}
			h.send("POST", "/v1/memories/list", body+more).want(200).into(&page)
			for _, m := range page.Results {
				if seen[m.ID] {
					t.Errorf("%s came twice", m.ID)
				}
				seen[m.ID] = true
			}
			h.store("u", fmt.Sprintf("Thing that came with page %d of %s", pages, filters))
			if cursor = ""; page.NextCursor != nil {
				cursor = *page.NextCursor
			}
		}
		for id := range ids {
			if !seen[id] {
				t.Errorf("%s is missing", id)
			}
			delete(seen, id)
		}
		for id := range seen { // what came before this list was begun
			ids[id] = true
		}
		if pages < 12 {
			t.Errorf("%d pages", pages)
		}
	}
}

func TestUsers(t *testing.T) {
	h := newHouse(t, houseConfig{})
	h.send("GET", "/v1/users", nil).want(200, `{"users":[],"total":0,"next_cursor":null}`)
	h.send("POST", "/v1/messages", `{"user_id":"alice","session_id":"s1","messages":[{"role":"user","content":"I live in Lisbon","created_at":"2026-03-02T10:00:00+01:00"},{"role":"system","content":"x","created_at":"2026-03-02T10:00:01+01:00"}]}`).want(201)
	h.send("POST", "/v1/messages", `{"user_id":"alice","session_id":"s2","messages":[{"role":"user","content":"My cat is called Tom","created_at":"2026-03-03"}]}`).want(201)
	h.settle()
	h.store("bob", "Only stored")
	h.send("POST", "/v1/sessions", `{"user_id":"a/b %","session_id":"empty"}`).want(201)
	h.send("POST", "/v1/memories", `{"messages":"My office is in Faro","agent_id":"g"}`).want(200)
	var all usersAnswer
	h.send("GET", "/v1/users", nil).want(200, `"next_cursor":null`).into(&all)
	var names []string
	for i, u := range all.Users {
		names = append(names, u.UserID)
		if time.Since(u.CreatedAt) > time.Hour || u.CreatedAt.Location() != time.UTC {
			t.Errorf("%+v", u)
		}
		all.Users[i].CreatedAt = time.Time{}
	}
	if all.Total != 3 || !slices.Equal(names, []string{"a/b %", "bob", "alice"}) {
		t.Fatalf("%+v", all)
	}
	last := time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)
	if want := (user{UserID: "alice", Sessions: 2, Messages: 3, Memories: 2, LastMessageAt: &last, Learn: true}); !reflect.DeepEqual(all.Users[2], want) {
		t.Errorf("%+v, want %+v", all.Users[2], want)
	}
	if want := (user{UserID: "bob", Memories: 1, Learn: true}); !reflect.DeepEqual(all.Users[1], want) {
		t.Errorf("%+v, want %+v", all.Users[1], want)
	}
	var paged []string
	for cursor := "x"; cursor != ""; {
		var page usersAnswer
		target := "/v1/users?limit=1"
		if cursor != "x" {
			target += "&cursor=" + url.QueryEscape(cursor)
		}
		h.send("GET", target, nil).want(200, `"total":3`).into(&page)
		if cursor = ""; page.NextCursor != nil {
			cursor = *page.NextCursor
		}
		for _, u := range page.Users {
			paged = append(paged, u.UserID)
		}
	}
	if !slices.Equal(paged, names) {
		t.Errorf("paged %q", paged)
	}
	h.send("GET", "/v1/users?offset=2", nil).want(200, `"users":[{"user_id":"alice"`, `"total":3`)
	h.send("GET", "/v1/users?offset=9", nil).want(200, `{"users":[],"total":3,"next_cursor":null}`)
	h.send("GET", "/v1/users?offset=1&cursor=x", nil).want(422, `"location":"query.cursor"`)
	h.send("GET", "/v1/users?cursor=hunter2", nil).want(422, `"location":"query.cursor"`, "!hunter2")
	h.send("GET", "/v1/users?limit=1001", nil).want(422, `"location":"query.limit"`)
	h.send("GET", "/v1/users?user_id=alice", nil).want(422, `"location":"query.user_id"`)
}

// Metadata is held to the same bounds wherever it comes in.
func TestMetadataIsBounded(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	id := h.store("u", "one thing")
	full := `{"a":"` + strings.Repeat("x", maxMetadata-8) + `"}`
	for _, test := range []struct{ method, target, body, location string }{
		{"POST", "/v1/messages", `{"user_id":"u","messages":[{"role":"user","content":"x"}],"metadata":%s}`, "body.metadata"},
		{"POST", "/v1/context", `{"user_id":"u","append":[{"role":"user","content":"x"}],"metadata":%s}`, "body.metadata"},
		{"POST", "/v1/sessions", `{"user_id":"u","metadata":%s}`, "body.metadata"},
		{"POST", "/v1/memories", `{"user_id":"u","messages":"some text","infer":false,"metadata":%s}`, "body.metadata"},
		{"POST", "/v1/memories", `{"user_id":"u","messages":"some text","wait":false,"metadata":%s}`, "body.metadata"},
		{"POST", "/v1/memories/batch", `{"memories":[{"user_id":"u","messages":"some text","infer":false,"metadata":%s}]}`, "body.memories[0].metadata"},
		{"PATCH", "/v1/memories/" + id, `{"metadata":%s}`, "body.metadata"},
		{"PATCH", "/v1/memories/batch", `{"memories":[{"id":"` + id + `","metadata":%s}]}`, "body.memories[0].metadata"},
	} {
		fits := func(metadata string) {
			t.Helper()
			if got := h.send(test.method, test.target, fmt.Sprintf(test.body, metadata)); got.status >= 300 {
				t.Errorf("%s %s: %d %.300s", test.method, test.target, got.status, got.body)
			}
		}
		fits(`{"a":1e1000,"b":-1e-1000,"c":"1e9999","\"1e9999":[` + strings.Repeat("1", 1000) + `]}`)
		for _, bad := range []string{
			`{"a":"` + strings.Repeat("x", maxMetadata-7) + `"}`, `{"a":1e1001}`, `{"a":[{"b":-1E-1001}]}`, `{"a":` + strings.Repeat("1", 1001) + `}`, `{"\u0000":1}`, `[]`,
		} {
			h.send(test.method, test.target, fmt.Sprintf(test.body, bad)).want(422, `"location":"`+test.location+`"`)
		}
		if test.method == "PATCH" { // beside what is there
			for _, key := range []string{"b", "c", `\"1e9999`} {
				fits(`{"` + key + `":null}`)
			}
			fits(full[:250<<10] + `"}`)
			h.send(test.method, test.target, fmt.Sprintf(test.body, `{"z":"`+strings.Repeat("x", 10<<10)+`"}`)).want(422, `"location":"`+test.location+`"`)
			fits(`{"a":null}`)
			continue
		}
		fits(full)
	}
	// What memd adds counts as well.
	store := `{"user_id":"u","messages":"some text","infer":false,"store":"` + strings.Repeat("s", 100) + `","metadata":%s}`
	h.send("POST", "/v1/memories", fmt.Sprintf(store, full)).want(422, `"location":"body.metadata"`)
	h.send("POST", "/v1/memories/batch", `{"memories":[`+fmt.Sprintf(store, full)+`]}`).want(422, `"location":"body.memories[0].metadata"`)
	h.send("POST", "/v1/memories", fmt.Sprintf(store, full[:len(full)-1000]+`"}`)).want(200)
}

// However many items of a batch are wrong, each is named.
func TestABatchNamesAllThatIsWrongWithIt(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	for method, item := range map[string]string{"POST": `{"messages":"x","user_id":""}`, "PATCH": `{"id":"` + neverThere + `","pinned":7}`, "DELETE": `{"id":7}`} {
		var answer struct{ Errors []fault }
		h.send(method, "/v1/memories/batch", `{"memories":[`+strings.TrimSuffix(strings.Repeat(item+",", maxItems), ",")+`]}`).want(422).into(&answer)
		named := map[string]bool{}
		for _, f := range answer.Errors {
			at, _, _ := strings.Cut(f.Location, "]")
			named[at] = true
		}
		for i := range maxItems {
			if !named[fmt.Sprintf("body.memories[%d", i)] {
				t.Errorf("%s names %d of %d items, and not %d", method, len(named), maxItems, i)
				break
			}
		}
	}
}

// Under one key an admin and another may ask for the same; what the one was told is not
// for the other.
func TestWhatAnAdminWasToldIsNotToldToAWriter(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true, Config: Config{Keys: []Key{{"a", "acme", RoleAdmin}, {"w", "acme", RoleWriter}, {"b", "acme", RoleAdmin}}}})
	as := func(who, key string) []string {
		return []string{"Authorization", "Bearer " + who, "Idempotency-Key", key}
	}
	h.send("POST", "/v1/memories", `{"user_id":"u","messages":"one thing","infer":false}`, as("w", "add")...).want(200)
	everywhere := `{"all_scopes":true,"filters":{"memory":"one thing"}}`
	first := h.send("POST", "/v1/memories/delete", everywhere, as("a", "k")...).want(200, `1`)
	for _, key := range []string{"k", "admin k", "admink", "admin"} {
		if got := h.send("POST", "/v1/memories/delete", everywhere, as("w", key)...).want(403); got.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: replayed", key)
		}
	}
	again := h.send("POST", "/v1/memories/delete", everywhere, as("b", "k")...).want(200)
	if again.body != first.body || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the admin is told %s, then %s", first.body, again.body)
	}
}

// What the log knew before brings nothing about; only a replay answers as the first did.
func TestAMessageThatIsKnownBringsNothingAbout(t *testing.T) {
	h := newHouse(t, houseConfig{})
	body := `{"user_id":"u","run_id":"r","messages":[{"role":"user","content":"I live in Porto","id":"c1"}]}`
	first := h.send("POST", "/v1/memories", body, "Idempotency-Key", "k").want(200, `"event":"ADD"`, "Porto")
	h.send("POST", "/v1/memories", body).want(200, `"event":"NONE"`, "Porto", `!"event":"ADD"`)
	again := h.send("POST", "/v1/memories", body, "Idempotency-Key", "k").want(200)
	if again.body != first.body || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%s\n%s", first.body, again.body)
	}
	h.send("POST", "/v1/memories", body, "Idempotency-Key", "another").want(200, `"event":"NONE"`, `!"event":"ADD"`)
	h.send("POST", "/v1/memories", body, "Idempotency-Key", "another").want(200, `"event":"NONE"`, `!"event":"ADD"`)
	both := `{"user_id":"u","run_id":"r","messages":[{"role":"user","content":"I live in Porto","id":"c1"},{"role":"user","content":"I have a cat called Tom","id":"c2"}]}`
	h.send("POST", "/v1/memories", both).want(200, `"event":"NONE"`, `"event":"ADD"`, "Porto", "Tom")
}

func TestFixedNamesStandBeforeIDs(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.send("POST", "/v1/memories/batch", `{"memories":7}`).want(422, "body.memories")
	h.send("PATCH", "/v1/memories/batch", `{"pinned":true}`).want(422, "body.pinned", "body.memories")
	h.send("DELETE", "/v1/memories/batch", nil).want(400)
	h.send("GET", "/v1/memories/batch", nil).want(404, "no such memory")
	for _, name := range []string{"delete", "search", "list"} {
		h.send("POST", "/v1/memories/"+name, `{"hunter":1}`).want(422, "body.hunter")
		h.send("PATCH", "/v1/memories/"+name, `{"pinned":true}`).want(404, "no such memory")
	}
	h.send("POST", "/v1/memories/"+neverThere, `{}`).want(405)
}

// A text that the embedder refuses is remembered and found by its words: that it has no
// vector is told where it was given, where its message is read, and where vectors alone are
// asked; nowhere else.
func TestAMemoryWithoutAVectorIsNotComparedByIt(t *testing.T) {
	h := newHouse(t, houseConfig{})
	h.embedder.refuses.Store("gnomon")
	var added struct{ Results []struct{ ID string } }
	h.send("POST", "/v1/memories", `{"user_id":"alice","messages":"I keep a gnomon in the cellar","run_id":"r"}`).want(200, `"degraded":["embedding"]`).into(&added)
	h.send("POST", "/v1/memories", `{"user_id":"alice","messages":"I live in Lisbon","run_id":"r"}`).want(200, `"degraded":[]`, "Lisbon")
	var page struct{ Messages []struct{ ID int64 } }
	h.send("GET", "/v1/messages?user_id=alice&session_id=r", nil).want(200).into(&page)
	message := func(i int) string { return fmt.Sprint("/v1/messages/", page.Messages[i].ID) }
	h.send("GET", message(0), nil).want(200, `"state":"done"`, `"degraded":["embedding"]`, added.Results[0].ID)
	h.send("GET", message(1), nil).want(200, `"state":"done"`, "!degraded")

	search := func(mode string) got {
		return h.send("POST", "/v1/memories/search", `{"user_id":"alice","query":"cellar","mode":"`+mode+`"}`).want(200)
	}
	search("vector").want(200, "Lisbon", "!gnomon", `"degraded":["embedding"]`)
	search("lexical").want(200, "gnomon", `"degraded":[]`)
	search("hybrid").want(200, "gnomon", "Lisbon", `"degraded":[]`)
	h.send("POST", "/v1/memories/search", `{"user_id":"alice","query":"cellar","mode":"vector","limit":1}`).want(200, "Lisbon", "!gnomon", `"degraded":[]`)

	h.embedder.refuses.Store("")
	memdtest.Until(t, "its vector is made", func() bool {
		return !strings.Contains(h.send("GET", message(0), nil).want(200).body, "degraded")
	})
	search("vector").want(200, "Lisbon", "gnomon", `"degraded":[]`)
}
