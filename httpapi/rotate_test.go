package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

func TestRotating(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.send("POST", "/v1/sessions", `{"user_id":"u","session_id":"a/b","agent_id":"a1","rotate":{"idle":"30m","turns":50},"metadata":{"old":1}}`).
		want(201, `"closed_at":null`, `"previous_session_id":null`, `"next_session_id":null`, `"forwards_to":null`, `"learn":true`, `"incognito":false`,
			`"rotate":{"idle":"30m","turns":50,"tokens":null,"age":null}`)
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"a/b","messages":[{"role":"user","content":"Where were we?"}]}`).want(201, "!next_session_id")

	for target, status := range map[string]int{
		"/v1/sessions/none/rotate": 404, "/v1/sessions/a%2Fb/rotate?user_id=v": 404, "/v1/sessions/a%2Fb/rotate?agent_id=a2": 404,
	} {
		h.send("POST", target, `{"user_id":"u"}`).want(status)
	}
	h.send("POST", "/v1/sessions/a%2Fb/rotate", `{"user_id":"v"}`).want(404)
	h.send("POST", "/v1/sessions", `{"user_id":"u","session_id":"taken"}`).want(201)
	h.send("POST", "/v1/sessions/a%2Fb/rotate", `{"user_id":"u","session_id":"taken"}`).want(409, `"location":"body.session_id"`)
	h.send("GET", "/v1/sessions/a%2Fb?user_id=u", nil).want(200, `"closed_at":null`)

	var first, again session
	h.send("POST", "/v1/sessions/a%2Fb/rotate?user_id=u&agent_id=a1", `{"user_id":"u","metadata":{"new":2},"rotate":{"turns":null,"age":"7d12h","idle":"0s"}}`).
		want(201, `"previous_session_id":"a/b"`, `"agent_id":"a1"`, `"metadata":{"new":2}`, `"messages":0`,
			// What is null is the old one's here: there is nothing to take it away from.
			`"rotate":{"idle":"0s","turns":50,"tokens":null,"age":"7d12h"}`).into(&first)
	h.send("POST", "/v1/sessions/a%2Fb/rotate", `{"user_id":"u"}`).want(200).into(&again)
	if string(encode(first)) != string(encode(again)) {
		t.Errorf("the next one was %s and is %s", encode(first), encode(again))
	}
	h.send("POST", "/v1/sessions/a%2Fb/rotate", `{"user_id":"u","session_id":"`+first.SessionID+`"}`).want(200, first.SessionID)
	h.send("POST", "/v1/sessions/a%2Fb/rotate", `{"user_id":"u","session_id":"another"}`).want(409, `"location":"body.session_id"`)
	h.send("GET", "/v1/sessions/a%2Fb?user_id=u", nil).want(200, `"next_session_id":"`+first.SessionID+`"`, `"forwards_to":null`, `!"closed_at":null`)
	h.send("POST", "/v1/sessions/"+first.SessionID+"/rotate", `{"user_id":"u","session_id":"named","agent_id":"a2"}`).
		want(201, `"session_id":"named"`, `"agent_id":"a2"`, `"previous_session_id":"`+first.SessionID+`"`)

	// What is posted to one that was closed stays there, and the answer says what follows.
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"a/b","messages":[{"role":"assistant","content":"Late."}]}`).
		want(201, `"session_id":"a/b"`, `"next_session_id":"`+first.SessionID+`"`)
}

func TestRotatingWithAKey(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"x"}]}`).want(201)
	rotate := func(body string) got {
		return h.send("POST", "/v1/sessions/s/rotate", body, idempotencyHeader, "k1")
	}
	first := rotate(`{"user_id":"u"}`).want(201)
	again := rotate(`{"user_id":"u"}`).want(201)
	if first.header.Get(replayedHeader) != "" || again.header.Get(replayedHeader) != "true" || first.body != again.body {
		t.Errorf("%s: %s\n%s: %s", first.header.Get(replayedHeader), first.body, again.header.Get(replayedHeader), again.body)
	}
	rotate(`{"user_id":"u","session_id":"other"}`).want(422, "header.Idempotency-Key")
	h.send("GET", "/v1/sessions?user_id=u", nil).want(200, `"next_cursor":null`).wantSessions(2)
}

func (g got) wantSessions(n int) {
	g.t.Helper()
	var a sessionsAnswer
	g.into(&a)
	if len(a.Sessions) != n {
		g.t.Errorf("%d sessions, want %d: %s", len(a.Sessions), n, g.body)
	}
}

func TestChangingASession(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.send("POST", "/v1/sessions", `{"user_id":"u","session_id":"s","rotate":{"turns":5,"tokens":800}}`).want(201)
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"I keep bees."}]}`).want(201, `"pending"`)
	at := "/v1/sessions/s?user_id=u"
	h.send("PATCH", at, `{"rotate":{"turns":null,"age":"1d"}}`).want(200, `"rotate":{"idle":null,"turns":null,"tokens":800,"age":"1d"}`)
	h.send("PATCH", at, `{"rotate":{}}`).want(200, `"tokens":800,"age":"1d"`)
	h.send("PATCH", at, `{"learn":false}`).want(200, `"learn":false`, `"closed_at":null`)
	h.send("GET", "/v1/ingest?user_id=u", nil).want(200, `"pending":0`, `"skipped":1`)
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"I keep hens."}]}`).want(201, `"skipped"`)
	var closed, again session
	h.send("PATCH", at, `{"closed":true}`).want(200, `"next_session_id":null`, `"learn":false`).into(&closed)
	h.send("PATCH", at, `{"closed":true,"title":"The end"}`).want(200, `"title":"The end"`).into(&again)
	if closed.ClosedAt == nil || again.ClosedAt == nil || !closed.ClosedAt.Equal(*again.ClosedAt) {
		t.Errorf("closed at %v, then at %v", closed.ClosedAt, again.ClosedAt)
	}
	h.send("PATCH", at+"&agent_id=a", `{"closed":true}`).want(404)
	h.send("PATCH", "/v1/sessions/none?user_id=u", `{"closed":true}`).want(404)
	h.send("POST", "/v1/sessions/s/rotate", `{"user_id":"u"}`).want(201, `"previous_session_id":"s"`, `"learn":false`, `"tokens":800,"age":"1d"`).into(&again)
	h.send("PATCH", "/v1/sessions/"+again.SessionID+"?user_id=u", `{"rotate":null}`).want(200, `"rotate":{"idle":null,"turns":null,"tokens":null,"age":null}`)
}

func TestAnIncognitoSession(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.send("POST", "/v1/sessions", `{"user_id":"u","session_id":"s","incognito":true,"metadata":{"hunter":2}}`).want(201, `"incognito":true`, `"learn":false`)
	var posted appendAnswer
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"My hunter hides."}]}`).want(201, `"skipped"`).into(&posted)
	h.send("POST", "/v1/context", `{"user_id":"u","session_id":"s"}`).want(200, "My hunter hides.")
	h.send("PATCH", "/v1/sessions/s?user_id=u", `{"learn":true}`).want(422, `"location":"body.learn"`)
	h.send("PATCH", "/v1/sessions/s?user_id=u", `{"incognito":false}`).want(422, `"location":"body.incognito"`)
	h.send("POST", "/v1/sessions/s/rotate", `{"user_id":"u","session_id":"s2"}`).want(201, `"incognito":true`, `"previous_session_id":null`, "!hunter")
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s2","messages":[{"role":"user","content":"My hunter hides again."}]}`).want(201)
	h.send("PATCH", "/v1/sessions/s2?user_id=u", `{"closed":true}`).want(200, `!"closed_at":null`, "!hunter", `"messages":0`)
	for _, s := range []string{"s", "s2"} {
		h.send("GET", "/v1/sessions/"+s+"?user_id=u", nil).want(404, "!hunter")
		h.send("GET", "/v1/messages?user_id=u&session_id="+s, nil).want(404, "!hunter")
		h.send("POST", "/v1/context", `{"user_id":"u","session_id":"`+s+`"}`).want(200, "!hunter", `"messages":[]`)
		h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"`+s+`","messages":[{"role":"user","content":"Late."}]}`).want(409, `"location":"body.session_id"`)
		h.send("POST", "/v1/context", `{"user_id":"u","session_id":"`+s+`","append":[{"role":"user","content":"Late."}]}`).want(409, `"location":"body.session_id"`)
		h.send("POST", "/v1/sessions", `{"user_id":"u","session_id":"`+s+`"}`).want(409)
		h.send("PATCH", "/v1/sessions/"+s+"?user_id=u", `{"title":"x"}`).want(404)
	}
	h.send("GET", fmt.Sprint("/v1/messages/", posted.Messages[0].ID), nil).want(404)
	h.send("GET", "/v1/sessions?user_id=u", nil).want(200, `"sessions":[]`)
	h.send("GET", "/v1/ingest?user_id=u", nil).want(200, `"skipped":0`)
}

// What a repetition of a write is told goes with the incognito session it was of.
func TestNoAnswerOutlivesAnIncognitoSession(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	send := func(method, target, body string) got {
		return h.send(method, target, body, "Idempotency-Key", "k")
	}
	var posted appendAnswer
	writes := []func() got{
		func() got {
			return send("POST", "/v1/sessions", `{"user_id":"u","session_id":"s","incognito":true,"metadata":{"a":"my hunter"}}`).want(201, "my hunter")
		},
		func() got {
			return send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"A hunter hides."}]}`).want(201)
		},
		func() got {
			return send("PATCH", "/v1/sessions/s?user_id=u", `{"title":"Of a hunter"}`).want(200, "Of a hunter")
		},
		func() got {
			return send("PATCH", fmt.Sprint("/v1/messages/", posted.Messages[0].ID), `{"content":"No hunter hides."}`).want(200, "No hunter hides.")
		},
	}
	var first []string
	for i, write := range writes {
		g := write()
		if first = append(first, g.body); i == 1 {
			g.into(&posted)
		}
	}
	kept := func() (rows, words int) {
		err := h.pool.InTenant(t.Context(), memd.DefaultTenant, func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE i::text LIKE '%hunter%' OR convert_from(answer, 'UTF8') LIKE '%hunter%') FROM idempotency i`).Scan(&rows, &words)
		})
		if err != nil {
			t.Fatal(err)
		}
		return rows, words
	}
	if rows, words := kept(); rows != len(writes) || words != 0 {
		t.Errorf("%d of %d answers hold words", words, rows)
	}
	for i, write := range writes[2:] { // nothing has changed since
		if g := write(); g.header.Get("Idempotent-Replayed") != "true" || g.body != first[i+2] {
			t.Errorf("told again: %v %s", g.header, g.body)
		}
	}
	rotate := func() got {
		return send("POST", "/v1/sessions/s/rotate", `{"user_id":"u","session_id":"s2","metadata":{"a":"another hunter"}}`)
	}
	again := rotate().want(201, "another hunter")
	if g := rotate().want(201, "another hunter"); g.header.Get("Idempotent-Replayed") != "true" || g.body != again.body {
		t.Errorf("told again: %v %s", g.header, g.body)
	}
	end := func() got {
		return send("PATCH", "/v1/sessions/s2?user_id=u", `{"closed":true}`).want(200, "!hunter")
	}
	if ended := end(); end().body != ended.body {
		t.Error("the end is told otherwise the second time")
	}
	rotate().want(404, "!hunter")
	send("POST", "/v1/sessions", `{"user_id":"u","session_id":"s","incognito":true,"metadata":{"a":"my hunter"}}`).want(404, "!hunter")
	send("PATCH", "/v1/sessions/s?user_id=u", `{"title":"Of a hunter"}`).want(404, "!hunter")
	send("PATCH", fmt.Sprint("/v1/messages/", posted.Messages[0].ID), `{"content":"No hunter hides."}`).want(404, "!hunter")
	if rows, words := kept(); rows != len(writes)+2 || words != 0 {
		t.Errorf("%d of %d answers hold words", words, rows)
	}
	// Of any other session the answer is what there is of it then.
	send("POST", "/v1/sessions", `{"user_id":"v","session_id":"open","metadata":{"a":1}}`).want(422) // another body
	h.send("POST", "/v1/sessions", `{"user_id":"v","session_id":"open","metadata":{"a":1}}`, "Idempotency-Key", "k2").want(201)
	h.send("PATCH", "/v1/sessions/open?user_id=v", `{"metadata":{"a":2}}`).want(200)
	h.send("POST", "/v1/sessions", `{"user_id":"v","session_id":"open","metadata":{"a":1}}`, "Idempotency-Key", "k2").want(201, `{"a":2}`)
}

func TestWhetherAPersonIsLearnedFrom(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.send("POST", "/v1/messages", `{"user_id":"a/1","session_id":"s","messages":[{"role":"user","content":"I keep bees."}]}`).want(201, `"pending"`)
	h.send("GET", "/v1/users", nil).want(200, `"learn":true`)
	h.send("PATCH", "/v1/users/a%2F1", `{"learn":false}`).want(200, `{"user_id":"a/1","learn":false}`)
	h.send("GET", "/v1/users", nil).want(200, `"learn":false`)
	h.send("GET", "/v1/ingest?user_id=a%2F1", nil).want(200, `"pending":0`, `"skipped":1`)
	h.send("POST", "/v1/messages", `{"user_id":"a/1","session_id":"s2","messages":[{"role":"user","content":"I keep hens."}]}`).want(201, `"skipped"`)
	h.send("POST", "/v1/memories", `{"user_id":"a/1","messages":"I keep goats."}`).want(200, `"results":[]`)
	h.send("POST", "/v1/memories", `{"user_id":"a/1","messages":"I keep ducks.","infer":false}`).want(200, `"event":"ADD"`)
	h.send("GET", "/v1/memories?user_id=a%2F1", nil).want(200, `"total":1`)
	h.send("PATCH", "/v1/users/a%2F1", `{"learn":true}`).want(200, `"learn":true`)
	h.send("POST", "/v1/messages", `{"user_id":"a/1","session_id":"s2","messages":[{"role":"user","content":"I keep geese."}]}`).want(201, `"pending"`)
	// One of whom there is nothing yet may say so beforehand.
	h.send("PATCH", "/v1/users/new", `{"learn":false}`).want(200, `"user_id":"new"`)
	h.send("POST", "/v1/messages", `{"user_id":"new","messages":[{"role":"user","content":"I keep snails."}]}`).want(201, `"skipped"`)
	h.send("PATCH", "/v1/users/new?user_id=new", `{"learn":false}`).want(200)
	h.send("PATCH", "/v1/users/new?user_id=old", `{"learn":false}`).want(404)
	h.send("PATCH", "/v1/users/new?agent_id=a", `{"learn":false}`).want(404)
}

func TestAContextOfTwoSessions(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	var posted appendAnswer
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"The key lies under the mat."},{"role":"assistant","content":"Noted."}]}`).want(201).into(&posted)
	h.send("POST", "/v1/sessions/s/rotate", `{"user_id":"u","session_id":"s2"}`).want(201)
	var a contextAnswer
	h.send("POST", "/v1/context", `{"user_id":"u","session_id":"s2","append":[{"role":"user","content":"Where is it?"}]}`).
		want(200, `user: The key lies under the mat.`, `"summary":{"upto":null,"memories":[],"messages":[],"trimmed":false}`, `"degraded":[]`).into(&a)
	for _, m := range posted.Messages {
		if n := strings.Count(string(encode(append(a.Open, a.Carried...))), fmt.Sprint(m.ID)); n != 1 {
			t.Errorf("message %d is %d times in open %v and carried %v", m.ID, n, a.Open, a.Carried)
		}
	}
	h.send("POST", "/v1/context", `{"user_id":"u","session_id":"s2","include_long_term":false}`).want(200, `"open":[]`, `"carried":[]`, "!the mat")
	// Settled, it is carried over or not as the request says.
	h.send("PATCH", "/v1/sessions/s?user_id=u", `{"learn":false}`).want(200)
	h.send("POST", "/v1/context", `{"user_id":"u","session_id":"s2","summary":false}`).
		want(200, `"open":[]`, fmt.Sprintf(`"carried":[%d,%d]`, posted.Messages[0].ID, posted.Messages[1].ID), `the mat`)
	h.send("POST", "/v1/context", `{"user_id":"u","session_id":"s2","carry_over":false}`).want(200, `"open":[]`, `"carried":[]`, "!the mat")
	h.send("POST", "/v1/context", `{"user_id":"u","session_id":"s2","turns":0}`).want(200, `"carried":[]`, "!the mat")
	h.send("POST", "/v1/context", `{"user_id":"nobody","session_id":"none"}`).want(200, `"open":[]`, `"carried":[]`, `"summary":{"upto":null,"memories":[],"messages":[],"trimmed":false}`)
}

// Many who post to one session that turns over with each message get contexts of what they
// posted.
func TestAContextOfWhatWasAppended(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.send("POST", "/v1/sessions", `{"user_id":"u","session_id":"s","rotate":{"turns":1}}`).want(201)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 6 {
				said := fmt.Sprintf("number %d of %d", k, i)
				var a contextAnswer
				g := h.send("POST", "/v1/context", fmt.Sprintf(`{"user_id":"u","session_id":"s","append":[{"role":"user","content":%q}],"recall":0,"carry_over":false}`, said)).want(200, said)
				if json.Unmarshal([]byte(g.body), &a) != nil || len(a.Appended) != 1 {
					t.Errorf("%s", g.body)
					continue
				}
				h.send("GET", fmt.Sprintf("/v1/messages/%d", a.Appended[0].ID), nil).want(200, `"session_id":"`+a.SessionID+`"`)
			}
		})
	}
	all.Wait()
}

// The result of a call that was left unanswered when its session was rotated.
func TestAContextOfAResultThatCameLate(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"book a table"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"function","function":{"name":"book","arguments":"{}"}}]}]}`).want(201)
	h.send("POST", "/v1/sessions/s/rotate", `{"user_id":"u","session_id":"s2"}`).want(201)
	h.send("POST", "/v1/context", `{"user_id":"u","session_id":"s2","append":[{"role":"tool","tool_call_id":"x","content":"booked, ref 7781"}]}`).
		want(200, `user: book a table`, `tool: booked, ref 7781`)
}

func TestWaitingForMessages(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true, Config: Config{MaxInFlight: 2}})
	say := func(content string) int64 {
		t.Helper()
		var p appendAnswer
		h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"`+content+`"}]}`).want(201).into(&p)
		return p.Messages[0].ID
	}
	last := say("first")
	at := "/v1/messages?user_id=u&session_id=s&wait="
	h.send("GET", at+"60s&after=0", nil).want(200, "first") // there already
	h.send("GET", fmt.Sprint(at, "20ms&after=", last), nil).want(200, `"session_id":"s"`, `"messages":[]`, `"has_more":false`)
	h.send("GET", "/v1/messages?user_id=u&session_id=none&after=0&wait=60s", nil).want(404)
	h.send("GET", at+"0s", nil).want(200, "first") // waits for nothing
	for query, location := range map[string]string{
		"1s": "query.wait", "1s&turns=3": "query.wait", "61s&after=0": "query.wait", "-1s&after=0": "query.wait", "x&after=0": "query.wait", "1s&after=-1": "query.after", "1s&after=x": "query.after",
	} {
		h.send("GET", at+query, nil).want(422, `"location":"`+location+`"`)
	}

	// As many wait as may; they keep nobody but others that wait from their turn.
	var waiting sync.WaitGroup
	for range 2 {
		waiting.Go(func() {
			resp, body := do(t, "GET", fmt.Sprint(h.url, at, "60s&after=", last), nil)
			if resp.StatusCode != 200 || !strings.Contains(body, "second") || strings.Contains(body, "first") {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
		})
	}
	for h.send("GET", fmt.Sprint(at, "1ms&after=", last), nil).status != http.StatusServiceUnavailable {
	}
	h.send("GET", "/v1/messages?user_id=u&session_id=s", nil).want(200, "first")
	h.send("GET", "/v1/sessions?user_id=u", nil).want(200)
	say("second")
	waiting.Wait()

	// Without a session it is the latest one, also one that comes to be meanwhile.
	done := make(chan string, 1)
	now := say("third")
	go func() {
		_, body := do(t, "GET", fmt.Sprint(h.url, "/v1/messages?user_id=u&wait=60s&after=", now), nil)
		done <- body
	}()
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s2","messages":[{"role":"user","content":"elsewhere"}]}`).want(201)
	var p messagesAnswerShown
	if err := json.Unmarshal([]byte(<-done), &p); err != nil || p.SessionID != "s2" || len(p.Messages) != 1 {
		t.Errorf("%v %+v", err, p)
	}
}

type messagesAnswerShown struct {
	SessionID string `json:"session_id"`
	Messages  []json.RawMessage
}

func TestWhatCannotBeOfSessionsNamesItsField(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.send("POST", "/v1/sessions", `{"user_id":"u","session_id":"s"}`).want(201)
	limits := map[string]string{
		`{"idle":"hunter"}`: "rotate.idle", `{"idle":5}`: "rotate.idle", `{"idle":"-1s"}`: "rotate.idle", `{"idle":""}`: "rotate.idle", `{"idle":"1e3s"}`: "rotate.idle", `{"idle":"99999999d"}`: "rotate.idle",
		`{"age":"1w"}`: "rotate.age", `{"age":true}`: "rotate.age",
		`{"turns":-1}`: "rotate.turns", `{"turns":1.5}`: "rotate.turns", `{"turns":"5"}`: "rotate.turns", `{"turns":3000000000}`: "rotate.turns", `{"turns":1e30}`: "rotate.turns",
		`{"tokens":-1}`: "rotate.tokens", `{"tokens":999999999999999999}`: "rotate.tokens", `{"tokens":[]}`: "rotate.tokens",
		`{"hunter":1}`: "rotate.hunter", `[]`: "rotate", `"30m"`: "rotate", `true`: "rotate",
	}
	for given, location := range limits {
		for _, route := range []string{"POST /v1/sessions", "POST /v1/sessions/s/rotate", "PATCH /v1/sessions/s?user_id=u", "PATCH /v1/settings"} {
			method, target, _ := strings.Cut(route, " ")
			body := `{"user_id":"u","rotate":` + given + `}`
			if method == "PATCH" {
				body = `{"rotate":` + given + `}`
			}
			g := h.send(method, target, body).want(422, fmt.Sprintf(`"location":"body.%s"`, location))
			if location != "rotate.hunter" && strings.Contains(g.body, "hunter") {
				t.Errorf("%s %s: what was sent is said again: %s", route, given, g.body)
			}
		}
	}
	h.send("POST", "/v1/sessions", `{"user_id":"u","learn":5,"rotate":{"turns":-1}}`).want(422, `"location":"body.rotate.turns"`, `"location":"body.learn"`)
	h.send("PATCH", "/v1/settings", `{"rotate":{"turns":"5","idle":"x","age":true,"hunter":1}}`).
		want(422, `"location":"body.rotate.turns"`, `"location":"body.rotate.idle"`, `"location":"body.rotate.age"`, `"location":"body.rotate.hunter"`)
	for body, location := range map[string]string{
		`{"user_id":"u","learn":"no"}`: "body.learn", `{"user_id":"u","incognito":1}`: "body.incognito", `{"user_id":"u","incognito":true,"learn":true}`: "body.learn",
		`{"user_id":"u","previous_session_id":"none"}`: "body.previous_session_id", `{"user_id":"u","previous_session_id":".."}`: "body.previous_session_id",
	} {
		h.send("POST", "/v1/sessions", body).want(422, `"location":"`+location+`"`)
	}
	for body, location := range map[string]string{
		`{}`: "body.user_id", `{"user_id":"u","session_id":""}`: "body.session_id", `{"user_id":"u","agent_id":5}`: "body.agent_id", `{"user_id":"u","metadata":[]}`: "body.metadata", `{"user_id":"u","incognito":true}`: "body.incognito",
	} {
		h.send("POST", "/v1/sessions/s/rotate", body).want(422, `"location":"`+location+`"`)
	}
	for body, location := range map[string]string{
		`{}`: "body", `{"closed":false}`: "body.closed", `{"closed":"yes"}`: "body.closed", `{"learn":1}`: "body.learn", `{"next_session_id":"x"}`: "body.next_session_id",
	} {
		h.send("PATCH", "/v1/sessions/s?user_id=u", body).want(422, `"location":"`+location+`"`)
	}
	for _, body := range []string{`{}`, `{"learn":null}`, `{"learn":"no"}`, `{"learn":0}`} {
		h.send("PATCH", "/v1/users/u", body).want(422, `"location":"body.learn"`)
	}
	for body, location := range map[string]string{`{"user_id":"u","summary":"x"}`: "body.summary", `{"user_id":"u","carry_over":1}`: "body.carry_over"} {
		h.send("POST", "/v1/context", body).want(422, `"location":"`+location+`"`)
	}
	h.send("POST", "/v1/context", `{"user_id":"u","token_budget":99999999}`).want(422, "must be between 1 and 10000000")
	h.send("POST", "/v1/sessions/s/rotate", `{"user_id":`).want(400)
	h.send("GET", "/v1/sessions?user_id=u", nil).want(200, `"closed_at":null`, `!"turns":-1`).wantSessions(1)
	// Null is as good as nothing.
	h.send("POST", "/v1/sessions", `{"user_id":"u","session_id":"n","rotate":null,"learn":null,"incognito":null,"previous_session_id":null}`).want(201, `"learn":true`, `"incognito":false`)
	h.send("POST", "/v1/sessions/n/rotate", `{"user_id":"u","session_id":null,"agent_id":null,"metadata":null,"rotate":null}`).want(201)
}

// What is appended, also by two at once, leaves alone what else there is of a session.
func TestAppendingChangesNothingElseOfASession(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.send("POST", "/v1/sessions", `{"user_id":"u","session_id":"s","agent_id":"a","learn":false,"metadata":{"k":[1,2.50]},"rotate":{"idle":"2h","turns":900}}`).want(201)
	h.send("PATCH", "/v1/sessions/s?user_id=u", `{"title":"Mine"}`).want(200)
	var at sync.WaitGroup
	for range 2 {
		at.Go(func() {
			for range 10 {
				h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","metadata":{"of":"the message"},"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`).want(201)
			}
		})
	}
	at.Wait()
	h.send("GET", "/v1/sessions/s?user_id=u", nil).
		want(200, `"agent_id":"a"`, `"learn":false`, `"metadata":{"k":[1,2.50]}`, `"idle":"2h`, `"turns":900`, `"title":"Mine"`, `"messages":40`, `"closed_at":null`)
}

// Who waits for the next message of a session that is rotated goes on in the next at once.
func TestWaitingForASessionThatIsRotated(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	var said appendAnswer
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"I keep bees."}]}`).want(201).into(&said)
	wait := "/v1/messages?user_id=u&session_id=s&wait=60s&after=" + fmt.Sprint(said.Messages[0].ID)
	waits := make(chan got, 1)
	go func() { waits <- h.send("GET", wait, nil) }()
	var next session
	h.send("POST", "/v1/sessions/s/rotate", `{"user_id":"u"}`).want(201).into(&next)
	for _, g := range []got{<-waits, h.send("GET", wait, nil)} {
		g.want(200, `"session_id":"s"`, `"messages":[]`, `"next_session_id":"`+next.SessionID+`"`, `!"forwards_to"`)
	}
	h.send("GET", "/v1/messages?user_id=u&session_id=s", nil).want(200, `"next_session_id":"`+next.SessionID+`"`)
}

// What is asked for under a name that limits have rotated is done to all that goes by it.
func TestWhatGoesByARotatedName(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	post := func(text string) (a appendAnswer) {
		h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"`+text+`"}]}`).want(201).into(&a)
		return a
	}
	at := "/v1/sessions/s?user_id=u"
	open := func(incognito string) (last appendAnswer) {
		h.send("POST", "/v1/sessions", `{"user_id":"u","session_id":"s"`+incognito+`,"rotate":{"turns":1},"metadata":{"a":1}}`).want(201)
		first := post("I keep bees.")
		second := post("I keep hens.")
		last = post("I keep geese.")
		if first.SessionID != "s" || second.SessionID == "s" || last.SessionID == second.SessionID {
			t.Fatal(first, second, last)
		}
		h.send("GET", "/v1/messages?user_id=u&session_id=s&wait=60s&after="+fmt.Sprint(first.Messages[0].ID), nil).
			want(200, `"session_id":"s"`, `"messages":[]`, `"next_session_id":"`+second.SessionID+`"`, `"forwards_to":"`+last.SessionID+`"`)
		return last
	}
	running := func(last appendAnswer) string { return "/v1/sessions/" + last.SessionID + "?user_id=u" }

	last := open("")
	h.send("PATCH", at, `{"learn":false,"metadata":{"b":2},"title":"Mine"}`).
		want(200, `"session_id":"s"`, `"learn":false`, `"forwards_to":"`+last.SessionID+`"`, `"title":"Mine"`)
	h.send("GET", running(last), nil).want(200, `"learn":false`, `"b":2`, "!Mine")
	h.send("GET", "/v1/ingest?user_id=u", nil).want(200, `"pending":0`, `"skipped":3`)
	last = post("I keep ducks.")
	if last.Messages[0].Ingest.State != "skipped" {
		t.Error("learned from")
	}
	h.send("PATCH", at+"&agent_id=a", `{"learn":true}`).want(404)
	var next session
	h.send("POST", "/v1/sessions/s/rotate", `{"user_id":"u"}`).want(201, `"previous_session_id":"`+last.SessionID+`"`).into(&next)
	h.send("POST", "/v1/sessions/s/rotate", `{"user_id":"u"}`).want(200, next.SessionID)
	h.send("PATCH", at, `{"title":"Done","closed":true}`).want(200)
	h.send("GET", "/v1/sessions/"+next.SessionID+"?user_id=u", nil).want(200, `"closed_at":null`) // a name of its own
	h.send("DELETE", at, nil).want(200, `"session_id":"s"`, `"messages":4`)
	h.send("GET", "/v1/sessions?user_id=u", nil).want(200, next.SessionID, `"previous_session_id":null`).wantSessions(1)
	h.send("DELETE", "/v1/sessions/"+next.SessionID+"?user_id=u", nil).want(200)

	last = open("")
	h.send("PATCH", at, `{"closed":true}`).want(200)
	h.send("GET", running(last), nil).want(200, `!"closed_at":null`, `"next_session_id":null`)
	if late := post("I keep swans."); late.SessionID != last.SessionID {
		t.Errorf("%+v", late)
	}
	h.send("DELETE", at, nil).want(200, `"messages":4`)

	// The last of them is deleted by its own name: there is none to go on in, and closing the
	// session has none made.
	last = open("")
	h.send("DELETE", running(last), nil).want(200, `"messages":1`)
	h.send("PATCH", at, `{"closed":true}`).want(200)
	before := post("I keep swans.")
	h.send("GET", running(before), nil).want(200, `!"closed_at":null`, `"forwards_to":null`, `"messages":2`)
	h.send("DELETE", at, nil).want(200, `"messages":3`)

	last = open(`,"incognito":true`)
	h.send("PATCH", at, `{"metadata":{"b":2}}`).want(200, `"session_id":"`+last.SessionID+`"`, `"b":2`)
	h.send("PATCH", at, `{"closed":true}`).want(200)
	h.send("GET", running(last), nil).want(404)
	h.send("GET", at, nil).want(404)
	h.send("DELETE", at, nil).want(404)
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"x"}]}`).want(409)
	h.send("GET", "/v1/ingest?user_id=u", nil).want(200, `"pending":0`, `"skipped":0`)
}

// What a repetition of a write is told goes with what it was of.
func TestNoAnswerOutlivesWhatItIsOf(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	send := func(method, target, body string) got {
		return h.send(method, target, body, "Idempotency-Key", "k")
	}
	var posted appendAnswer
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"m","messages":[{"role":"user","content":"x"}]}`).want(201).into(&posted)
	at := fmt.Sprint("/v1/messages/", posted.Messages[0].ID)
	writes := []func() got{
		func() got {
			return send("POST", "/v1/sessions", `{"user_id":"u","session_id":"s","metadata":{"a":"my hunter"}}`)
		},
		func() got { return send("PATCH", "/v1/sessions/s?user_id=u", `{"title":"Of a hunter"}`) },
		func() got { return send("PATCH", at, `{"content":"No hunter hides."}`) },
	}
	for _, again := range []int{0, 1, 2} {
		for i, write := range writes {
			if write := write(); write.status/100 != 2 || !strings.Contains(write.body, "hunter") {
				t.Errorf("write %d, again %d: %d %s", i, again, write.status, write.body)
			}
		}
	}
	h.send("DELETE", "/v1/sessions/s?user_id=u", nil).want(200)
	h.send("DELETE", at, nil).want(200)
	for _, write := range writes {
		write().want(404, "!hunter")
	}
}
