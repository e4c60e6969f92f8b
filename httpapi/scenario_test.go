package httpapi

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/internal/memdtest"
)

func TestMessagesRoundTrip(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	var posted appendAnswer
	h.send("POST", "/v1/messages", `{ "user_id": "alice", "session_id": "s1", "agent_id": null, "app_id": null,
		"messages": [ {"role": "user", "name": "bob", "content": "I moved to Lisbon last week", "created_at": "2026-03-02T10:00:00Z", "id": "client-7"},
		{"z":1,"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"b\": 1,  \"a\":2}"}}],"big":123456789012345678901234567890,"a":"\ud800\u00e9"},
		{"role":"tool","tool_call_id":"c1","content":""}, {"role":"system","content":"be kind"} ],
		"metadata": {"k":[1,{"n":12345678901234567890}]}, "timezone": "Europe/Lisbon", "infer": true, "scopes": ["USER", "ASSISTANT"], "priority": "live" }`).
		want(201, `"session_id":"s1"`, `"client_id":"client-7"`, `"created_at":"2026-03-02T10:00:00Z"`, `"ingest":{"state":"pending"}`,
			`"client_id":null`, `"role":"system"`, `"ingest":{"state":"skipped"}`, `!duplicate`).into(&posted)
	if len(posted.Messages) != 4 {
		t.Fatalf("%+v", posted)
	}
	for i := range posted.Messages {
		if i > 0 && posted.Messages[i].ID <= posted.Messages[i-1].ID {
			t.Errorf("ids do not ascend: %+v", posted.Messages)
		}
	}
	id := posted.Messages[1].ID
	h.send("GET", "/v1/messages?user_id=alice&session_id=s1", nil).want(200, `"has_more":false`, `"name":"bob"`,
		fmt.Sprintf(`{"id":%d,"z":1,"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"b\": 1,  \"a\":2}"}}],"big":123456789012345678901234567890,"a":"\ufffd\u00e9","created_at":"`, id),
		`"client_id":"client-7"`, `"received_at":"`, `"ingest":{"state":"pending"}`, "!metadata")
	h.send("GET", fmt.Sprintf("/v1/messages/%d", id), nil).want(200, `"ingest":{"state":"pending","attempts":0,"next_attempt_at":null,"error":null,"memories":[],"extractor":null,"settled_at":null}`,
		`"user_id":"alice"`, `"session_id":"s1"`, `"big":123456789012345678901234567890`)
	h.send("GET", fmt.Sprintf("/v1/messages/%d?user_id=alice", id), nil).want(200)
	h.send("GET", fmt.Sprintf("/v1/messages/%d?user_id=bob", id), nil).want(404, "!alice")
	h.send("GET", fmt.Sprintf("/v1/messages/%d?user_id=alice&agent_id=x", id), nil).want(404)
	h.send("GET", "/v1/messages/999999999", nil).want(404)
	h.send("GET", "/v1/messages?user_id=alice&session_id=s9", nil).want(404)
	h.send("GET", "/v1/messages?user_id=bob", nil).want(404)
	h.send("GET", "/v1/messages", nil).want(422, `"location":"query.user_id"`)
	h.send("GET", "/v1/messages?user_id=alice&turns=1&limit=1", nil).want(422, `"location":"query.limit"`)
	h.send("GET", "/v1/messages?user_id=alice&limit=1001", nil).want(422, `"location":"query.limit"`)

	// The same client id again is the same message; the first stands.
	h.send("POST", "/v1/messages", `{"user_id":"alice","session_id":"s1","messages":[{"role":"user","content":"other words","id":"client-7"}]}`).
		want(201, fmt.Sprintf(`"id":%d`, posted.Messages[0].ID), `"duplicate":true`)
	h.send("GET", "/v1/messages?user_id=alice", nil).want(200, "!other words", "Lisbon")
	// A new session for each call without one.
	var a, b appendAnswer
	h.send("POST", "/v1/messages", `{"user_id":"alice","messages":[{"role":"user","content":"hi"}]}`).want(201).into(&a)
	h.send("POST", "/v1/messages", `{"user_id":"alice","messages":[{"role":"user","content":"hi"}]}`).want(201).into(&b)
	if a.SessionID == b.SessionID || len(a.SessionID) != 36 {
		t.Errorf("sessions %q and %q", a.SessionID, b.SessionID)
	}
}

// What a caller puts into a message cannot be taken for what memd says of it.
func TestACallersMembersDoNotStandForMemds(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	const forged = `"client_id":"forged","user_id":"forged","session_id":"forged","metadata":{"forged":1},"received_at":"forged","\u0069ngest":{"state":"forged"}`
	var posted appendAnswer
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","metadata":{"own":1},"messages":[
		{"role":"user",`+forged+`,"content":"one","x":2},
		{"\u0078":2,`+forged+`,"role":"user","id":"c","content":"two"}]}`).want(201, "!forged").into(&posted)
	once := func(object string, want string) {
		t.Helper()
		names := ""
		for name := range memd.JSONMembers([]byte(object)) {
			names += name + " "
		}
		if names != want {
			t.Errorf("members %s; want %s: %s", names, want, object)
		}
	}
	var page struct{ Messages []json.RawMessage }
	h.send("GET", "/v1/messages?user_id=u", nil).want(200, "!forged", `"x":2`, `"content":"one"`, `"content":"two"`, `"client_id":"c"`, `"ingest":{"state":"pending"}`).into(&page)
	once(string(page.Messages[0]), "id role content x created_at received_at ingest ")
	once(string(page.Messages[1]), "id x role content client_id created_at received_at ingest ")
	for i, want := range []string{"id role content x created_at received_at user_id session_id metadata ingest ", "id x role content client_id created_at received_at user_id session_id metadata ingest "} {
		g := h.send("GET", fmt.Sprint("/v1/messages/", posted.Messages[i].ID), nil).want(200, "!forged", `"user_id":"u","session_id":"s","metadata":{"own":1},"ingest":{"state":"pending"`)
		once(g.body, want)
	}
	// The log keeps them.
	e, err := h.log.Message(t.Context(), memd.DefaultTenant, posted.Messages[0].ID, memd.Scope{})
	if err != nil || !strings.Contains(string(e.Raw), forged) {
		t.Errorf("%s, %v", e.Raw, err)
	}
}

func TestMessagesArePagedInOrderOfArrival(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	var said []map[string]string
	for i := range 30 {
		role := []string{"user", "assistant", "assistant"}[i%3]
		said = append(said, map[string]string{"role": role, "content": fmt.Sprint("message ", i), "created_at": fmt.Sprintf("2026-01-01T10:%02d:00Z", 59-i)})
	}
	var posted appendAnswer
	h.send("POST", "/v1/messages", map[string]any{"user_id": "u", "session_id": "s", "messages": said}).want(201).into(&posted)
	read := func(query string) (texts []string, more bool) {
		t.Helper()
		var page struct {
			Messages []struct {
				ID      int64
				Content string
			}
			HasMore bool `json:"has_more"`
		}
		h.send("GET", "/v1/messages?user_id=u&session_id=s"+query, nil).want(200).into(&page)
		for _, m := range page.Messages {
			texts = append(texts, strings.TrimPrefix(m.Content, "message "))
		}
		return texts, page.HasMore
	}
	id := func(i int) int64 { return posted.Messages[i].ID }
	for query, want := range map[string]string{
		"":                                       "15-29 true",
		"&turns=1":                               "27-29 true",
		"&turns=10":                              "0-29 false",
		"&limit=4":                               "26-29 true",
		"&limit=30":                              "0-29 false",
		fmt.Sprint("&limit=4&before=", id(10)):   "6-9 true",
		fmt.Sprint("&limit=4&after=", id(10)):    "11-14 true",
		fmt.Sprint("&limit=4&after=", id(27)):    "28-29 false",
		fmt.Sprint("&turns=1&before=", id(10)):   "9-9 true",
		fmt.Sprint("&limit=1000&before=", id(0)): " false",
		fmt.Sprint("&limit=5&after=0&before=", id(3)): "0-2 false",
		"&limit=3&after=0":                            "0-2 true",
		"&turns=2&after=0":                            "0-5 true",
		"&after=0":                                    "0-29 false",
		fmt.Sprint("&after=", id(3)):                  "4-29 false",
		fmt.Sprint("&turns=2&after=", id(3)):          "4-8 true",
		fmt.Sprint("&turns=9&after=", id(3)):          "4-29 false",
		fmt.Sprint("&after=", id(29)):                 " false",
	} {
		texts, more := read(query)
		got := " "
		if len(texts) > 0 {
			got = texts[0] + "-" + texts[len(texts)-1] + " "
		}
		if got += fmt.Sprint(more); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

func TestGoingForwardIsBounded(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[`+strings.TrimSuffix(strings.Repeat(`{"role":"user","content":"x"},`, 250), ",")+`]}`).want(201)
	after, seen := int64(0), 0
	for more := true; more; {
		var page struct {
			Messages []struct{ ID int64 }
			HasMore  bool `json:"has_more"`
		}
		h.send("GET", fmt.Sprint("/v1/messages?user_id=u&after=", after), nil).want(200).into(&page)
		if len(page.Messages) == 0 || len(page.Messages) > defaultForward {
			t.Fatalf("a page of %d after %d messages", len(page.Messages), seen)
		}
		seen += len(page.Messages)
		after, more = page.Messages[len(page.Messages)-1].ID, page.HasMore
	}
	if seen != 250 {
		t.Errorf("saw %d messages", seen)
	}
}

func TestWhatIsWrongWithMessagesIsNamed(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	many := strings.TrimSuffix(strings.Repeat(`{"role":"user","content":"x"},`, 1001), ",")
	for body, location := range map[string]string{
		`{"messages":[{"role":"user","content":"x"}]}`: "body.user_id",
		`{"user_id":"u"}`:                                               "body.messages",
		`{"user_id":"u","messages":[]}`:                                 "body.messages",
		`{"user_id":"u","messages":[` + many + `]}`:                     "body.messages",
		`{"user_id":"u","messages":[1]}`:                                "body.messages[0]",
		`{"user_id":"u","messages":[null]}`:                             "body.messages[0]",
		`{"user_id":"u","messages":[{"content":"x"}]}`:                  "body.messages[0].role",
		`{"user_id":"u","messages":[{"role":"hunter2","content":"x"}]}`: "body.messages[0].role",
		`{"user_id":"u","messages":[{"role":"user","content":"x"},{"role":"user","content":" "}]}`: "body.messages[1].content",
		`{"user_id":"u","messages":[{"role":"user"}]}`:                                             "body.messages[0].content",
		`{"user_id":"u","messages":[{"role":"user","content":null}]}`:                              "body.messages[0].content",
		`{"user_id":"u","messages":[{"role":"user","content":7}]}`:                                 "body.messages[0].content",
		`{"user_id":"u","messages":[{"role":"assistant","content":""}]}`:                           "body.messages[0].content",
		`{"user_id":"u","messages":[{"role":"user","content":"x","id":""}]}`:                       "body.messages[0].id",
		`{"user_id":"u","messages":[{"role":"user","content":"x","created_at":"hunter2"}]}`:        "body.messages[0].created_at",
		`{"user_id":"u","messages":[{"role":"user","content":"x"}],"timezone":"Mars/hunter2"}`:     "body.timezone",
		`{"user_id":"u","messages":[{"role":"user","content":"x"}],"timezone":"Local"}`:            "body.timezone",
		`{"user_id":"u","messages":[{"role":"user","content":"x"}],"timezone":""}`:                 "body.timezone",
		`{"user_id":"u","messages":[{"role":"user","content":"x"}],"metadata":[]}`:                 "body.metadata",
		`{"user_id":"u","messages":[{"role":"user","content":"x"}],"metadata":{"a":"\u0000"}}`:     "body.metadata",
		`{"user_id":"u","messages":[{"role":"user","content":"x"}],"scopes":["user"]}`:             "body.scopes[0]",
		`{"user_id":"u","messages":[{"role":"user","content":"x"}],"priority":"high"}`:             "body.priority",
		`{"user_id":"u","messages":[{"role":"user","content":"x"}],"infer":"no"}`:                  "body.infer",
		`{"user_id":"u\u0000","messages":[{"role":"user","content":"x"}]}`:                         "body.user_id",
		`{"user_id":"u","tenant_id":"x","messages":[{"role":"user","content":"x"}]}`:               "body.tenant_id",
	} {
		h.send("POST", "/v1/messages", body).want(422, fmt.Sprintf(`"location":"%s"`, location), "!hunter2")
	}
	// None of a call's messages is written if one is wrong.
	h.send("GET", "/v1/messages?user_id=u", nil).want(404)
	for _, body := range []string{``, `{`, `{"user_id":"u","messages":[{"role":"user","content":NaN}]}`, `{"user_id":"u"} {}`} {
		h.send("POST", "/v1/messages", body).want(400)
	}
	h.send("POST", "/v1/messages", `{"user_id":"u","messages":[`+strings.TrimSuffix(strings.Repeat(`{"role":"user","content":"x"},`, 1000), ",")+`]}`).want(201)
}

func TestTextThatBreaksStorage(t *testing.T) {
	h := newHouse(t, houseConfig{})
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[
		{"role":"user","content":"My locker code is abc\u0000def"}, {"role":"user","content":"I love 👩‍👩‍👧 and \ud83d\ude00, not \ud83d alone"},
		{"role":"tool","content":"\u0000\u0000"}, {"role":"user","content":[{"type":"text","text":"My cat is"},{"type":"image_url","image_url":{"url":"data:,"}},{"type":"text","text":"called \u0000Tom"}]}],
		"metadata":{"emoji":"👩‍👩‍👧","lone":"\udc00","n":1.10e2}}`).want(201)
	h.send("GET", "/v1/messages?user_id=u", nil).want(200, `abc\u0000def`, `👩‍👩‍👧`, `\ud83d\ude00`, `not \ufffd alone`, `"image_url":{"url":"data:,"}`)
	h.settle()
	h.send("GET", "/v1/ingest", nil).want(200, `"dead":0`, `"failed":0`)
	h.send("GET", "/v1/memories?user_id=u", nil).want(200, "!\\u0000", "👩‍👩‍👧")
	for plane := rune(0); plane <= 16; plane++ {
		c := string(plane<<16 | 0x1234)
		id := "p" + c
		h.send("POST", "/v1/messages", map[string]any{"user_id": id, "session_id": id, "messages": []any{map[string]string{"role": "user", "content": "x " + c}}}).want(201)
		h.send("GET", "/v1/messages?user_id="+url.QueryEscape(id), nil).want(200, "x "+c)
	}
}

func TestWritesToTheLogUnderAnIdempotencyKey(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	body := `{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"once"},{"role":"system","content":"x"}]}`
	first := h.send("POST", "/v1/messages", body, "Idempotency-Key", "k").want(201)
	again := h.send("POST", "/v1/messages", body, "Idempotency-Key", "k").want(201)
	if first.body != again.body || first.header.Get("Idempotent-Replayed") != "" || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("first %s %s\nagain %s %s", first.body, first.header, again.body, again.header)
	}
	h.send("POST", "/v1/messages", body+" ", "Idempotency-Key", "k").want(422, `"location":"header.Idempotency-Key"`)
	h.send("POST", "/v1/messages", strings.Replace(body, "once", "twice", 1), "Idempotency-Key", "k").want(422, "!twice")
	h.send("POST", "/v1/messages", body, "Idempotency-Key", "").want(422)
	if got := h.send("GET", "/v1/messages?user_id=u&limit=10", nil).want(200, "!twice"); strings.Count(got.body, "once") != 1 {
		t.Errorf("not written once: %s", got.body)
	}
	// A call that failed leaves nothing under its key.
	h.send("POST", "/v1/messages", `{"user_id":"u","messages":[]}`, "Idempotency-Key", "k2").want(422)
	h.send("POST", "/v1/messages", body, "Idempotency-Key", "k2").want(201)
	// Many at once are one.
	var wg sync.WaitGroup
	answers := make([]string, 8)
	for i := range answers {
		wg.Go(func() { answers[i] = h.send("POST", "/v1/messages", body, "Idempotency-Key", "k3").want(201).body })
	}
	wg.Wait()
	if len(slices.Compact(answers)) != 1 {
		t.Errorf("%q", answers)
	}
	// A context with append: nothing is appended twice, and the context is made anew.
	ctx := `{"user_id":"c","session_id":"s","append":[{"role":"user","content":"said once"}]}`
	one := h.send("POST", "/v1/context", ctx, "Idempotency-Key", "k").want(200)
	h.send("POST", "/v1/messages", `{"user_id":"c","session_id":"s","messages":[{"role":"assistant","content":"an answer"}]}`).want(201)
	two := h.send("POST", "/v1/context", ctx, "Idempotency-Key", "k").want(200, "an answer")
	var a, b contextAnswer
	one.into(&a)
	two.into(&b)
	if a.Appended[0].ID != b.Appended[0].ID || two.header.Get("Idempotent-Replayed") != "true" || one.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("%s\n%s", one.body, two.body)
	}
	if strings.Count(two.body, "said once") != 1 {
		t.Errorf("appended twice: %s", two.body)
	}
	// What is gone by now is made up for by no other session.
	h.send("DELETE", "/v1/sessions/s?user_id=c", nil).want(200)
	h.send("POST", "/v1/messages", `{"user_id":"c","session_id":"latest","messages":[{"role":"user","content":"elsewhere"}]}`).want(201)
	h.send("POST", "/v1/context", ctx, "Idempotency-Key", "k").want(200, `"session_id":"s"`, `"appended":[]`, "!elsewhere", "!said once")
}

func TestOtherWritesUnderAnIdempotencyKey(t *testing.T) {
	h := newHouse(t, houseConfig{})
	key := []string{"Idempotency-Key", "k"}
	same := func(method, target string, body any, status int) {
		t.Helper()
		first := h.send(method, target, body, key...).want(status)
		again := h.send(method, target, body, key...).want(status)
		if first.body != again.body || first.header.Get("Idempotent-Replayed") != "" || again.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s %s: first %s %v\nagain %s %v", method, target, first.body, first.header, again.body, again.header)
		}
	}
	same("POST", "/v1/sessions", `{"user_id":"u","session_id":"s"}`, 201)
	h.send("POST", "/v1/sessions", `{"user_id":"u","session_id":"t"}`, key...).want(422)
	same("POST", "/v1/memories", `{"messages":"I live in Porto","user_id":"u"}`, 200)
	h.send("POST", "/v1/memories", `{"messages":"I live in Rome","user_id":"u"}`, key...).want(422)
	var list listAnswer
	h.send("GET", "/v1/memories?user_id=u", nil).want(200).into(&list)
	if list.Total != 1 {
		t.Fatalf("%+v", list)
	}
	same("DELETE", "/v1/memories/"+list.Results[0].ID, nil, 200)
	h.send("POST", "/v1/memories", `{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}],"user_id":"v","infer":false}`).want(200)
	same("DELETE", "/v1/memories?user_id=v", nil, 200)
	h.send("DELETE", "/v1/memories?user_id=w", nil, key...).want(422) // another request under this key
}

func TestSessions(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.send("POST", "/v1/sessions", `{"user_id":"u","session_id":"a/b %\"é","agent_id":"g","metadata":{"n":1}}`).
		want(201, `"session_id":"a/b %\"é"`, `"user_id":"u"`, `"agent_id":"g"`, `"messages":0`, `"title":null`, `"last_message_at":null`, `"closed_at":null`, `"previous_session_id":null`, `"metadata":{"n":1}`)
	conflict := h.send("POST", "/v1/sessions", `{"user_id":"u","session_id":"a/b %\"é"}`).want(409)
	if conflict.header.Get("Retry-After") == "" {
		t.Error("409 without Retry-After")
	}
	at := "/v1/sessions/" + url.PathEscape(`a/b %"é`)
	h.send("GET", at+"?user_id=u", nil).want(200, `"agent_id":"g"`)
	h.send("GET", at+"?user_id=u&agent_id=g", nil).want(200)
	h.send("GET", at+"?user_id=u&agent_id=other", nil).want(404)
	h.send("GET", at+"?user_id=v", nil).want(404)
	h.send("GET", at, nil).want(422, `"location":"query.user_id"`)
	h.send("GET", "/v1/sessions", nil).want(422)
	h.send("POST", "/v1/sessions", `{"user_id":"u","previous_session_id":"a/b %\"é"}`).want(201, `"previous_session_id":"a/b %\"é"`)
	h.send("POST", "/v1/sessions", `{"session_id":"x"}`).want(422, `"location":"body.user_id"`)
	h.send("GET", "/v1/sessions?user_id=nobody", nil).want(200, `{"sessions":[],"next_cursor":null}`)

	for i := range 7 {
		h.send("POST", "/v1/messages", map[string]any{"user_id": "p", "session_id": fmt.Sprint("s", i), "messages": []any{map[string]string{"role": "user", "content": fmt.Sprint("hello number ", i)}}}).want(201)
	}
	var all, paged []string
	var page sessionsAnswer
	h.send("GET", "/v1/sessions?user_id=p", nil).want(200, `"title":"hello number 3"`, `"messages":1`).into(&page)
	for _, s := range page.Sessions {
		all = append(all, s.SessionID)
	}
	if strings.Join(all, "") != "s6s5s4s3s2s1s0" || page.NextCursor != nil {
		t.Errorf("not newest first: %q", all)
	}
	cursor := ""
	for range 7 {
		page = sessionsAnswer{}
		h.send("GET", "/v1/sessions?user_id=p&limit=2"+cursor, nil).want(200).into(&page)
		for _, s := range page.Sessions {
			paged = append(paged, s.SessionID)
		}
		if page.NextCursor == nil {
			break
		}
		cursor = "&cursor=" + url.QueryEscape(*page.NextCursor)
	}
	if !slices.Equal(all, paged) {
		t.Errorf("paged %q, want %q", paged, all)
	}
	page = sessionsAnswer{}
	h.send("GET", "/v1/sessions?user_id=p&limit=2&offset=3", nil).want(200).into(&page)
	var first sessionsAnswer
	h.send("GET", "/v1/sessions?user_id=p&limit=2", nil).want(200).into(&first)
	if len(page.Sessions) != 2 || page.Sessions[0].SessionID != "s3" {
		t.Errorf("offset: %+v", page)
	}
	h.send("GET", "/v1/sessions?user_id=p&offset=99", nil).want(200, `"sessions":[]`)
	h.send("GET", "/v1/sessions?user_id=p&offset=3&cursor=x", nil).want(422, `"location":"query.cursor"`)
	for _, cursor := range []string{"hunter%202", "1", "zz", url.QueryEscape(*first.NextCursor) + "%0A"} {
		h.send("GET", "/v1/sessions?user_id=p&cursor="+cursor, nil).want(422, `"location":"query.cursor"`, "!hunter")
		h.send("GET", "/v1/dead-letters?cursor="+cursor, nil).want(422, `"location":"query.cursor"`, "!hunter")
	}
	h.send("GET", "/v1/sessions?user_id=u&cursor="+url.QueryEscape(*first.NextCursor), nil).want(422, `"location":"query.cursor"`)
}

func TestIngestStatesAndDeadLetters(t *testing.T) {
	h := newHouse(t, houseConfig{doomed: "cursed"})
	h.send("GET", "/v1/ingest", nil).want(200, `"states":{"pending":0,"running":0,"failed":0,"done":0,"skipped":0,"dead":0}`, `"oldest_pending_s":0`, `"per_s":0`)
	var posted appendAnswer
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","agent_id":"g","messages":[{"role":"user","content":"a cursed sentence"}]}`).want(201).into(&posted)
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s2","messages":[{"role":"user","content":"I live in Lisbon"},{"role":"system","content":"x"}]}`).want(201)
	h.settle()
	h.send("GET", "/v1/ingest?user_id=u", nil).want(200, `"done":1`, `"skipped":1`, `"dead":1`, `"oldest_pending_s":0`)
	h.send("GET", "/v1/ingest?user_id=u&session_id=s", nil).want(200, `"done":0`, `"dead":1`)
	h.send("GET", "/v1/ingest?user_id=nobody", nil).want(200, `"done":0`)
	h.send("GET", "/v1/ingest?session_id=s", nil).want(422, `"location":"query.user_id"`)
	h.send("GET", "/v1/ingest?wait=61s", nil).want(422, `"location":"query.wait"`)

	id := posted.Messages[0].ID
	h.send("GET", "/v1/dead-letters", nil).want(200, fmt.Sprintf(`"id":%d`, id), `"session_id":"s"`, `"class":"extract"`, `"error":"extract: `, `"attempts":1`, "!cursed sentence")
	for _, query := range []string{"user_id=u", "session_id=s", "user_id=u&session_id=s", "class=extract", "class=extract:+invalid&user_id=u"} {
		h.send("GET", "/v1/dead-letters?"+query, nil).want(200, fmt.Sprintf(`"id":%d`, id))
	}
	for _, query := range []string{"user_id=v", "session_id=s2", "user_id=u&session_id=s2", "class=embedder", "class=extract:+panic"} {
		h.send("GET", "/v1/dead-letters?"+query, nil).want(200, `"dead_letters":[]`)
	}
	for _, class := range []string{"x%25", "nonsense", "extractor", "done:+x"} {
		h.send("GET", "/v1/dead-letters?class="+class, nil).want(422, `"location":"query.class"`, "embedder")
	}
	h.send("GET", "/v1/dead-letters?user_id=", nil).want(422, `"location":"query.user_id"`)
	h.send("GET", fmt.Sprintf("/v1/messages/%d", id), nil).want(200, `"state":"dead"`, `"attempts":1`, `"settled_at":"`)
	at := fmt.Sprintf("/v1/dead-letters/%d", id)
	h.send("POST", at+"/retry?user_id=v", nil).want(404)
	h.send("POST", at+"/retry?user_id=u&agent_id=v", nil).want(404)
	h.send("POST", at+"/retry", `{"x":1}`).want(422, `"location":"body.x"`)
	h.send("POST", at+"/retry?user_id=u&agent_id=g", `{}`).want(200, fmt.Sprintf(`{"id":%d,"ingest":{"state":"pending"}}`, id))
	h.settle()
	h.send("POST", at+"/discard", nil).want(200, `"state":"skipped"`)
	h.send("POST", at+"/discard", nil).want(404)
	h.send("POST", at+"/retry", nil).want(404)
	h.send("GET", "/v1/dead-letters", nil).want(200, `{"dead_letters":[],"next_cursor":null}`)
	h.send("GET", "/v1/ingest", nil).want(200, `"skipped":2`, `"dead":0`)
	h.send("POST", "/v1/dead-letters/999999/retry", nil).want(404)
}

// Skipped is only what the caller, or its role, keeps from being learned from; what
// merely says nothing in words is done with no memories.
func TestMessagesWithoutTextAreDone(t *testing.T) {
	h := newHouse(t, houseConfig{})
	var posted appendAnswer
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[
		{"role":"user","name":"bob","content":[{"type":"image_url","image_url":{"url":"https://x/y.png"}}]},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"I live in Lisbon"},
		{"role":"assistant","content":"","refusal":"I cannot say"},
		{"role":"assistant","content":null,"audio":{"id":"a1"}},
		{"role":"assistant","function_call":{"name":"f","arguments":"{}"}}]}`).want(201).into(&posted)
	for i, m := range posted.Messages {
		if want := map[bool]string{true: "skipped", false: "pending"}[m.Role == "tool"]; m.Ingest.State != want {
			t.Errorf("message %d is %s, want %s", i, m.Ingest.State, want)
		}
	}
	h.settle()
	for _, m := range posted.Messages {
		want := `"state":"done","attempts":1`
		if m.Role == "tool" {
			want = `"state":"skipped","attempts":0`
		}
		h.send("GET", fmt.Sprint("/v1/messages/", m.ID), nil).want(200, want, `"error":null,"memories":[]`)
	}
	h.send("GET", "/v1/ingest?user_id=u", nil).want(200, `"pending":0,"running":0,"failed":0,"done":5,"skipped":1,"dead":0`)
	h.send("POST", "/v1/memories", `{"user_id":"u","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}]}`).want(200, `"results":[]`)
}

// Open messages outside of the window are recalled word for word, those without words by
// their marks.
func TestOpenMessagesWithoutTextAreMarked(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[
		{"role":"user","name":"bob","content":[{"type":"image_url","image_url":{"url":"https://x/y.png"}}]},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"found"},{"role":"assistant","content":"A fine bicycle."},
		{"role":"user","content":"What was it?"}]}`).want(201, `"state":"pending"`)
	h.send("POST", "/v1/context", `{"user_id":"u","session_id":"s","turns":1}`).
		want(200, `"content":"retrieved memories:\nbob: [image]\nassistant: [calls f {}]\ntool: found\nassistant: A fine bicycle."`, "!tool_calls", "!https://x/y.png")
}

// As it is while a message is learned from: its memories must not be seen before its
// state says that they are all there.
func TestOnlyASettledMessageShowsItsMemories(t *testing.T) {
	h := newHouse(t, houseConfig{})
	var posted appendAnswer
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"I live in Lisbon"}]}`).want(201).into(&posted)
	h.settle()
	id := posted.Messages[0].ID
	target := fmt.Sprint("/v1/messages/", id)
	h.send("GET", target, nil).want(200, `"state":"done"`, `!"memories":[]`)
	err := h.pool.InTenant(t.Context(), memd.DefaultTenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `WITH gone AS (DELETE FROM ingest_settled WHERE message_id = $1 RETURNING message_id, tenant_id)
			INSERT INTO ingest_open (message_id, tenant_id, session_no, state, attempts, lease_until, publish_at)
			SELECT g.message_id, g.tenant_id, c.session_no, 'running', 1, now() + interval '1 hour', now() + interval '1 hour'
			  FROM gone g JOIN conversation_context c ON c.id = g.message_id`, id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	h.send("GET", target, nil).want(200, `"state":"running"`, `"memories":[]`)
}

func TestMemoriesAreLearnedAndFound(t *testing.T) {
	h := newHouse(t, houseConfig{})
	var added addAnswer
	h.send("POST", "/v1/memories", `{"messages":[{"role":"user","content":"My favorite color is blue","created_at":"2026-03-03T10:00:00Z"}],"user_id":"alice","run_id":"r1","metadata":{"k":"v"}}`).
		want(200, `"event":"ADD"`, `"previous_memory":null`, `"relations":[{"source":"user","relationship":"favorite_color","target":"blue"`, `"degraded":[]`).into(&added)
	if len(added.Results) != 1 {
		t.Fatalf("%+v", added)
	}
	id := added.Results[0].ID
	h.send("GET", "/v1/memories/"+id, nil).want(200, `"memory":"My favorite color is blue"`, `"user_id":"alice"`, `"run_id":"r1"`, `"app_id":null`, `"role":"user"`,
		`"categories":[`, `"metadata":{"k":"v"}`, `"valid_from":"2026-03-03T10:00:00Z"`, `"valid_to":null`, `"event":"RETRIEVE"`, `"day_of_week":"tuesday"`, `"sources":[`)
	h.send("GET", "/v1/messages?user_id=alice&session_id=r1", nil).want(200, "favorite color") // logged first, under run_id
	h.send("POST", "/v1/memories/search", `{"query":"what is the favorite color","user_id":"alice"}`).want(200, id, `"score":`, `"similarity":`, "!explain", `"relations":[{`, `"degraded":[]`)
	h.send("POST", "/v1/memories/search", `{"query":"My favorite color is blue","user_id":"alice","threshold":0.99,"explain":true}`).want(200, id, `"score":1`, `"explain":{`)
	h.send("POST", "/v1/memories/search", `{"query":"favorite color","user_id":"bob"}`).want(200, `"results":[]`, "!blue")
	h.send("POST", "/v1/memories/search", `{"query":"favorite color","filters":{"user_id":"alice"}}`).want(200, id)
	h.send("POST", "/v1/memories/search", `{"query":"favorite color","filters":{"AND":[{"user_id":{"in":["alice","bob"]}}]}}`).want(200, id)
	h.send("POST", "/v1/memories/search", `{"query":"favorite color","filters":{"metadata.k":"v"},"user_id":"alice"}`).want(200, id)
	h.send("POST", "/v1/memories/search", `{"query":"favorite color","filters":{"k":"other"},"user_id":"alice"}`).want(200, `"results":[]`)
	h.send("POST", "/v1/memories/search", `{"query":"favorite color","user_id":"alice","scopes":["ASSISTANT"]}`).want(200, `"results":[]`)
	h.send("POST", "/v1/memories/search", `{"query":"favorite color","user_id":"alice","as_of":"2026-03-02"}`).want(200, `"results":[]`)
	h.send("GET", "/v1/memories?user_id=alice&as_of=2026-03-02", nil).want(200, `"results":[]`)
	h.send("GET", "/v1/memories?user_id=alice&as_of=tomorrow", nil).want(422, "query.as_of")
	h.send("POST", "/v1/memories/search", `{"query":"favorite color","user_id":"alice","mode":"lexical"}`).want(200, id)
	h.send("POST", "/v1/memories/search", `{"query":"favorite color","user_id":"alice","mode":"vector"}`).want(200, id)
	h.send("POST", "/v1/memories/search", `{"query":"favorite color","all_scopes":true}`).want(200, id)
	h.send("POST", "/v1/memories/search", `{"query":"favorite color","run_id":"r1"}`).want(200, id)
	for body, location := range map[string]string{
		`{"query":" ","user_id":"a"}`:                                 "body.query",
		`{"query":"\u200b","user_id":"a"}`:                            "body.query",
		`{"user_id":"a"}`:                                             "body.query",
		`{"query":"x"}`:                                               "body.user_id",
		`{"query":"x","app_id":"a"}`:                                  "body.user_id",
		`{"query":"x","filters":{"OR":[{"user_id":"a"}]}}`:            "body.user_id",
		`{"query":"x","user_id":"a","limit":0}`:                       "body.limit",
		`{"query":"x","user_id":"a","limit":1001}`:                    "body.limit",
		`{"query":"x","user_id":"a","threshold":1.5}`:                 "body.threshold",
		`{"query":"x","user_id":"a","mode":"magic"}`:                  "body.mode",
		`{"query":"x","user_id":"a","scopes":[]}`:                     "body.scopes",
		`{"query":"x","user_id":"a","top_k":5}`:                       "body.top_k",
		`{"query":"x","user_id":"a","filters":[]}`:                    "body.filters",
		`{"query":"x","user_id":"a","filters":{"n":{"hunter":5}}}`:    "body.filters.n.hunter",
		`{"query":"x","user_id":"a","filters":{"n":{"in":"hunter"}}}`: "body.filters.n.in",
	} {
		h.send("POST", "/v1/memories/search", body).want(422, fmt.Sprintf(`"location":"%s`, location))
	}

	h.send("GET", "/v1/memories/"+id+"/history", nil).want(200, `"event":"ADD"`, `"memory":"My favorite color is blue"`, `"previous_memory":null`, `"reason":"`, `"by":"`)
	for _, check := range []string{"?user_id=bob", "?agent_id=x", "?user_id=alice&agent_id=x"} {
		h.send("GET", "/v1/memories/"+id+check, nil).want(404, "!blue")
		h.send("GET", "/v1/memories/"+id+"/history"+check, nil).want(404, "!blue")
		h.send("DELETE", "/v1/memories/"+id+check, nil).want(404)
	}
	h.send("GET", "/v1/memories/"+id+"?user_id=alice", nil).want(200)
	h.send("DELETE", "/v1/memories/"+id+"?user_id=alice", nil).want(200, fmt.Sprintf(`{"id":"%s","event":"DELETE"}`, id))
	h.send("GET", "/v1/memories/"+id, nil).want(404)
	h.send("DELETE", "/v1/memories/"+id, nil).want(404)
	h.send("POST", "/v1/memories/search", `{"query":"favorite color","user_id":"alice"}`).want(200, "!blue")
	h.send("GET", "/v1/memories/"+id+"/history", nil).want(200, `"event":"DELETE"`, `"by":"api"`)
	for _, id := range []string{"nope", "00000000-0000-0000-0000-000000000000", "%27%22", "a%2Fb", "1"} {
		h.send("GET", "/v1/memories/"+id, nil).want(404)
		h.send("GET", "/v1/memories/"+id+"/history", nil).want(404)
		h.send("DELETE", "/v1/memories/"+id, nil).want(404)
	}
}

func TestMemoriesWithoutAUser(t *testing.T) {
	h := newHouse(t, houseConfig{doomed: "cursed"})
	h.send("POST", "/v1/memories", `{"messages":"My office is in Porto","agent_id":"g"}`).want(200, `"event":"ADD"`)
	h.send("POST", "/v1/memories", `{"messages":"My garden is in Faro","run_id":"r"}`).want(200, `"event":"ADD"`)
	h.send("GET", "/v1/memories?agent_id=g", nil).want(200, "Porto", "!Faro", `"user_id":null`, `"total":1`)
	h.send("GET", "/v1/memories?run_id=r", nil).want(200, "Faro", "!Porto", `"total":1`)
	h.send("POST", "/v1/memories/search", `{"query":"office","agent_id":"g"}`).want(200, "Porto", "!Faro")
	h.send("POST", "/v1/context", `{"user_id":"u","agent_id":"g","query":"where is the office"}`).want(200, "Porto", "!Faro")
	h.send("POST", "/v1/memories", `{"messages":[{"role":"user","content":"I live in Rome"}],"user_id":"u","run_id":"r2"}`).want(200, `"degraded":[]`)
	// Given up, and said so: an empty answer would look like nothing worth keeping.
	h.send("POST", "/v1/memories", `{"messages":"a cursed sentence","user_id":"u"}`).want(200, `"results":[]`, `"degraded":["ingest"]`)
}

func TestWhatIsAddedIsNeverLost(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true, Config: Config{LearnWait: 50 * time.Millisecond}})
	var later addLaterAnswer
	h.send("POST", "/v1/memories", `{"messages":"I live in Lisbon","user_id":"u"}`).want(202, `"ingest_ids":[`).into(&later) // nobody works
	if len(later.IngestIDs) != 1 {
		t.Fatalf("%+v", later)
	}
	h.send("GET", fmt.Sprintf("/v1/messages/%d", later.IngestIDs[0]), nil).want(200, `"content":"I live in Lisbon"`, `"role":"user"`, `"state":"pending"`)
	h.send("POST", "/v1/memories", `{"messages":{"role":"user","content":"I have a cat"},"user_id":"u","wait":false}`).want(202, `"ingest_ids":[`)
	h.send("GET", "/v1/messages?user_id=u", nil).want(404) // such sessions are never the latest
	for body, location := range map[string]string{
		`{"messages":"x"}`:                                  "body.user_id",
		`{"messages":"x","app_id":"a"}`:                     "body.user_id",
		`{"user_id":"u"}`:                                   "body.messages",
		`{"messages":"","user_id":"u"}`:                     "body.messages",
		`{"messages":[],"user_id":"u"}`:                     "body.messages",
		`{"messages":7,"user_id":"u"}`:                      "body.messages",
		`{"messages":["x"],"user_id":"u"}`:                  "body.messages[0]",
		`{"messages":{"role":"user"},"user_id":"u"}`:        "body.messages.content",
		`{"messages":{"content":"x"},"user_id":"u"}`:        "body.messages.role",
		`{"messages":"x","user_id":"u","prompt":" "}`:       "body.prompt",
		`{"messages":"x","user_id":"u","prompt":"a\u0000"}`: "body.prompt",
		`{"messages":"x","user_id":"u","prompt":"` + strings.Repeat("x", maxPrompt+1) + `"}`:                    "body.prompt",
		`{"messages":"x","user_id":"u","prompt":{}}`:                                                            "body.prompt",
		`{"messages":"x","user_id":"u","store":{}}`:                                                             "body.store",
		`{"messages":"x","user_id":"u","store":false}`:                                                          "body.store",
		`{"messages":"x","user_id":"u","store":""}`:                                                             "body.store",
		`{"messages":"x","user_id":"u","store":"a\n"}`:                                                          "body.store",
		`{"messages":"x","user_id":"u","filters":[]}`:                                                           "body.filters",
		`{"messages":"x","user_id":"u","filters":{"a":{"hunter":1}}}`:                                           "body.filters.a.hunter",
		`{"messages":"x","filters":{"OR":[{"user_id":"u"}]}}`:                                                   "body.user_id",
		`{"messages":"x","filters":{"app_id":"u"}}`:                                                             "body.user_id",
		`{"messages":"x","filters":{"user_id":"a\nb"}}`:                                                         "body.filters",
		`{"messages":"x","user_id":"u","categories":["a","b\u0007"]}`:                                           "body.categories[1]",
		`{"messages":"x","user_id":"u","memory_type":""}`:                                                       "body.memory_type",
		`{"messages":"x","user_id":"u","scope":7}`:                                                              "body.scope",
		`{"messages":"x","user_id":"u","occurred_at":"soon"}`:                                                   "body.occurred_at",
		`{"messages":"x","user_id":"u","infer":false,"expires_at":"soon"}`:                                      "body.expires_at",
		`{"messages":"x","user_id":"u","infer":false,"categories":["a",""]}`:                                    "body.categories[1]",
		`{"messages":[{"role":"user","content":"x"},{"role":"tool","content":""}],"user_id":"u","infer":false}`: "body.messages[1].content",
		`{"messages":"x","user_id":"u","immutable":true}`:                                                       "body.immutable",
	} {
		h.send("POST", "/v1/memories", body).want(422, fmt.Sprintf(`"location":"%s"`, location))
	}
	h.send("POST", "/v1/memories", `{"messages":"x","user_id":"u","prompt":null,"store":null,"filters":null,"wait":false}`).want(202)
}

func TestMemoriesAreStoredVerbatim(t *testing.T) {
	h := newHouse(t, houseConfig{})
	body := `{"messages":[{"role":"user","name":"bob","content":"The gate opens at six","created_at":"2026-03-02T10:00:00+01:00"},{"role":"assistant","content":"Noted: six"}],
		"user_id":"alice","agent_id":"g","run_id":"r","app_id":"a","infer":false,"metadata":{"k":{"n":1}},"memory_type":"fact","scope":"private","categories":["travel"],"occurred_at":"2026-03-01","expires_at":"2999-01-01T00:00:00Z"}`
	var added, again addAnswer
	h.send("POST", "/v1/memories", body).want(200, `"event":"ADD"`, "!NONE").into(&added)
	h.send("POST", "/v1/memories", body).want(200, `"event":"NONE"`, "!ADD").into(&again)
	if len(added.Results) != 2 || added.Results[0].ID != again.Results[0].ID || added.Results[1].ID != again.Results[1].ID {
		t.Errorf("%+v\n%+v", added, again)
	}
	h.send("GET", "/v1/memories/"+added.Results[0].ID, nil).want(200, `"memory":"The gate opens at six"`, `"actor_id":"bob"`, `"role":"user"`, `"agent_id":"g"`, `"run_id":"r"`, `"app_id":"a"`,
		`"memory_type":"fact"`, `"scope":"private"`, `"categories":["travel"]`, `"occurred_at":"2026-03-01T00:00:00Z"`, `"expires_at":"2999-01-01T00:00:00Z"`, `"valid_from":"2026-03-02T09:00:00Z"`, `"sources":[]`)
	h.send("GET", "/v1/messages?user_id=alice", nil).want(404) // not logged
	h.send("POST", "/v1/memories/list", `{"user_id":"alice","scopes":["ASSISTANT"]}`).want(200, "Noted: six", "!gate", `"total":1`)

	// The embedder away: stored, found by words, and said so.
	h.embedder.away.Store(true)
	var late addAnswer
	h.send("POST", "/v1/memories", `{"messages":"The zeppelin lands at eight","user_id":"alice","app_id":"a","infer":false}`).want(200, `"degraded":["embedding"]`, `"event":"ADD"`).into(&late)
	h.send("POST", "/v1/memories/search", `{"query":"when does the zeppelin land","user_id":"alice","app_id":"a"}`).want(200, late.Results[0].ID, `"degraded":["embedding"]`)
	h.embedder.away.Store(false)
	memdtest.Until(t, "its vector follows", func() bool {
		var found searchAnswer
		h.send("POST", "/v1/memories/search", `{"query":"The zeppelin lands at eight","user_id":"alice","app_id":"a","mode":"vector"}`).want(200).into(&found)
		return len(found.Results) > 0 && found.Results[0].ID == late.Results[0].ID && len(found.Degraded) == 0
	})
}

func TestMemoriesArePagedAndDeleted(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	const n = 237
	var said []any
	for i := range n {
		said = append(said, map[string]any{"role": "user", "content": fmt.Sprintf("Thing %d is in box %d", i, i)})
	}
	h.send("POST", "/v1/memories", map[string]any{"messages": said, "user_id": "u", "infer": false}).want(200)
	h.send("POST", "/v1/memories", `{"messages":"Another's thing","user_id":"v","infer":false}`).want(200)
	for _, way := range []string{"GET", "POST"} {
		seen := map[string]bool{}
		cursor := ""
		for range n {
			var page listAnswer
			if way == "GET" {
				target := "/v1/memories?user_id=u&limit=50"
				if cursor != "" {
					target += "&cursor=" + url.QueryEscape(cursor)
				}
				h.send("GET", target, nil).want(200, "!Another").into(&page)
			} else {
				body := map[string]any{"user_id": "u", "limit": 50}
				if cursor != "" {
					body["cursor"] = cursor
				}
				h.send("POST", "/v1/memories/list", body).want(200, "!Another").into(&page)
			}
			if page.Total != n {
				t.Errorf("total %d", page.Total)
			}
			for _, m := range page.Results {
				if seen[m.ID] {
					t.Errorf("%s came twice", m.ID)
				}
				seen[m.ID] = true
			}
			if page.NextCursor == nil {
				break
			}
			cursor = *page.NextCursor
		}
		if len(seen) != n {
			t.Errorf("%s: %d memories could be reached", way, len(seen))
		}
	}
	var page listAnswer
	h.send("GET", "/v1/memories?user_id=u&limit=10&offset=230", nil).want(200).into(&page)
	if len(page.Results) != 7 {
		t.Errorf("offset: %d results", len(page.Results))
	}
	h.send("GET", "/v1/memories?user_id=u&offset=1&cursor=x", nil).want(422, `"location":"query.cursor"`)
	h.send("POST", "/v1/memories/list", `{"user_id":"u","offset":1,"cursor":"x"}`).want(422, `"location":"body.cursor"`)
	h.send("POST", "/v1/memories/list", `{"user_id":"u","cursor":"hunter2"}`).want(422, `"location":"body.cursor"`, "!hunter2")
	h.send("POST", "/v1/memories/list", `{"user_id":"u","threshold":0.5,"explain":true,"mode":"vector"}`).want(200, fmt.Sprintf(`"total":%d`, n))
	h.send("POST", "/v1/memories/list", `{"user_id":"u","threshold":1.5}`).want(422, `"location":"body.threshold"`)
	h.send("POST", "/v1/memories/list", `{"user_id":"u","mode":"x"}`).want(422, `"location":"body.mode"`)
	h.send("POST", "/v1/memories/list", `{"user_id":"u","query":"x"}`).want(422, `"location":"body.query"`)
	h.send("GET", "/v1/memories", nil).want(422, `"location":"query.user_id"`)
	h.send("POST", "/v1/memories/list", `{}`).want(422, `"location":"body.user_id"`)
	h.send("GET", "/v1/memories?all_scopes=true&limit=1", nil).want(200, fmt.Sprintf(`"total":%d`, n+1))

	h.send("DELETE", "/v1/memories", nil).want(422, `"location":"query.user_id"`)
	h.send("DELETE", "/v1/memories?user_id=", nil).want(422)
	h.send("DELETE", "/v1/memories?userid=u", nil).want(422, `"location":"query.userid"`)
	h.send("DELETE", "/v1/memories?user_id=u&user_id=v", nil).want(422)
	h.send("DELETE", "/v1/memories?user_id=u", nil).want(200, fmt.Sprintf(`{"count":%d}`, n))
	h.send("GET", "/v1/memories?user_id=u", nil).want(200, `{"results":[],"relations":[],"total":0,"next_cursor":null}`)
	h.send("GET", "/v1/memories?user_id=v", nil).want(200, "Another")
}

func TestContexts(t *testing.T) {
	h := newHouse(t, houseConfig{})
	h.send("POST", "/v1/memories", `{"messages":"My favorite color is blue","user_id":"alice","run_id":"old","agent_id":"g"}`).want(200)
	h.send("POST", "/v1/memories", `{"messages":"My dentist is called Nina","user_id":"bob"}`).want(200)
	// A session that is new: recall only.
	fresh := h.send("POST", "/v1/context", `{"user_id":"alice","session_id":"s1","query":"favorite color"}`).
		want(200, `"session_id":"s1"`, `"appended":[]`, `"role":"system"`, `retrieved memories:\nuser: My favorite color is blue`, `"score":`, `"degraded":[]`, `"counter":"o200k_base"`, `"budget":4000`, "!Nina")
	var c contextAnswer
	fresh.into(&c)
	if len(c.Messages) != 1 || len(c.Recalled) != 1 || c.Tokens.Used == 0 {
		t.Errorf("%s", fresh.body)
	}
	h.send("GET", "/v1/sessions/s1?user_id=alice", nil).want(404) // asking makes no session
	// One call a turn.
	h.send("POST", "/v1/context", `{"user_id":"alice","session_id":"s1","append":[{"role":"user","content":"Which is my favorite color?","id":"c-1","created_at":"2026-03-02T10:00:00Z"}],"timezone":"Europe/Lisbon","metadata":{"a":1}}`).
		want(200, `"appended":[{"id":`, `"client_id":"c-1"`, `"ingest":{"state":"pending"}`, `"content":"Which is my favorite color?"`, "color is blue", "!created_at\":\"2026-03-02T10:00:00Z\",\"role")
	h.send("POST", "/v1/messages", `{"user_id":"alice","session_id":"s1","messages":[{"role":"assistant","content":"Blue it is."}]}`).want(201)
	h.send("POST", "/v1/context", `{"user_id":"alice"}`).want(200, `"session_id":"s1"`, "Blue it is.")
	h.send("POST", "/v1/context", `{"user_id":"alice","session_id":"s1","turns":0,"query":"color"}`).want(200, `!"role":"assistant","content"`, `!"role":"user","content"`, "favorite color is blue")
	h.send("POST", "/v1/context", `{"user_id":"alice","session_id":"s1","include_long_term":false}`).want(200, "!retrieved", `"recalled":[]`)
	h.send("POST", "/v1/context", `{"user_id":"alice","session_id":"s1","recall":0}`).want(200, `"recalled":[]`)
	h.send("POST", "/v1/context", `{"user_id":"alice","session_id":"s1","query":" ","threshold":1}`).want(200, `"recalled":[]`)
	h.send("POST", "/v1/context", `{"user_id":"alice","session_id":"s1","query":"color","filters":{"run_id":"nope"}}`).want(200, `"recalled":[]`)
	h.send("POST", "/v1/context", `{"user_id":"alice","session_id":"old","query":"color","recall_scope":["session"],"turns":0}`).want(200, "color is blue")
	h.send("POST", "/v1/context", `{"user_id":"alice","agent_id":"other","session_id":"s9","query":"color","recall_scope":["user","agent"]}`).want(200, `"recalled":[]`)
	h.send("POST", "/v1/context", `{"user_id":"alice","session_id":"s1","render":"system","query":"color"}`).want(200, `"messages":[{"role":"system"`, "Blue it is.", `!"role":"assistant"`)
	// Nobody yet: a session that comes to be with its first message.
	var none contextAnswer
	h.send("POST", "/v1/context", `{"user_id":"carol"}`).want(200, `"messages":[]`, `"recalled":[]`).into(&none)
	if len(none.SessionID) != 36 {
		t.Errorf("session %q", none.SessionID)
	}
	h.send("POST", "/v1/context", `{"user_id":"carol","recall_scope":["session"],"query":"x"}`).want(200, `"recalled":[]`)
	h.embedder.away.Store(true)
	h.send("POST", "/v1/context", `{"user_id":"alice","session_id":"s1","query":"favorite color"}`).want(200, `"degraded":["embedding"]`, "color is blue", "Blue it is.")
	for body, location := range map[string]string{
		`{"session_id":"s"}`: "body.user_id",
		`{"user_id":"u","append":[{"role":"user","content":""}]}`:    "body.append[0].content",
		`{"user_id":"u","append":{}}`:                                "body.append",
		`{"user_id":"u","turns":-1}`:                                 "body.turns",
		`{"user_id":"u","turns":1001}`:                               "body.turns",
		`{"user_id":"u","recall":-1}`:                                "body.recall",
		`{"user_id":"u","threshold":2}`:                              "body.threshold",
		`{"user_id":"u","recall_scope":["tenant"]}`:                  "body.recall_scope[0]",
		`{"user_id":"u","recall_scope":[]}`:                          "body.recall_scope",
		`{"user_id":"u","recall_scope":"user"}`:                      "body.recall_scope",
		`{"user_id":"u","recall_scope":["agent"]}`:                   "body.agent_id",
		`{"user_id":"u","token_budget":0}`:                           "body.token_budget",
		`{"user_id":"u","render":"xml"}`:                             "body.render",
		`{"user_id":"u","filters":{"a":{"hunter":1}}}`:               "body.filters.a.hunter",
		`{"user_id":"u","messages":[{"role":"user","content":"x"}]}`: "body.messages",
		`{"user_id":"u","query":5}`:                                  "body.query",
	} {
		h.send("POST", "/v1/context", body).want(422, fmt.Sprintf(`"location":"%s`, location))
	}
}

// For every route: another tenant's key, another user's or agent's name, and what is
// there is not there.
func TestOthersSeeNothingAnywhere(t *testing.T) {
	h := newHouse(t, houseConfig{doomed: "cursed", Config: Config{Keys: []Key{{"a", "acme", RoleAdmin}, {"w", "acme", RoleWriter}, {"r", "acme", RoleReader}, {"o", "other", RoleAdmin}}}})
	as := func(key string) []string { return []string{"Authorization", "Bearer " + key} }
	settle := func(key string) {
		t.Helper()
		h.send("GET", "/v1/ingest?wait=60s", nil, as(key)...).want(200, `"pending":0`, `"running":0`)
	}
	var posted appendAnswer
	var added addAnswer
	h.send("POST", "/v1/messages", `{"user_id":"u1","session_id":"s","agent_id":"g","messages":[{"role":"user","content":"a cursed secret"}]}`, as("w")...).want(201).into(&posted)
	h.send("POST", "/v1/memories", `{"messages":"My secret is a secret","user_id":"u1","agent_id":"g","infer":false}`, as("w")...).want(200).into(&added)
	settle("a")
	message, memory := fmt.Sprint(posted.Messages[0].ID), added.Results[0].ID

	for _, other := range []string{`"u2"`, `"u1","agent_id":"h"`} {
		h.send("POST", "/v1/memories/search", `{"query":"secret","user_id":`+other+`}`, as("a")...).want(200, `"results":[]`)
		h.send("POST", "/v1/memories/list", `{"user_id":`+other+`}`, as("a")...).want(200, `"results":[]`, `"total":0`)
	}
	h.send("POST", "/v1/context", `{"user_id":"u2","session_id":"s","query":"secret"}`, as("a")...).want(200, "!secret")
	h.send("GET", "/v1/messages?user_id=u2&session_id=s", nil, as("a")...).want(404)
	h.send("GET", "/v1/memories?user_id=u2", nil, as("a")...).want(200, `"total":0`)
	h.send("DELETE", "/v1/memories?user_id=u2", nil, as("a")...).want(200, `{"count":0}`)

	// Another tenant's key: as if nothing were there.
	h.send("POST", "/v1/memories/search", `{"query":"secret","user_id":"u1"}`, as("o")...).want(200, `"results":[]`)
	h.send("POST", "/v1/memories/search", `{"query":"secret","all_scopes":true}`, as("o")...).want(200, `"results":[]`)
	h.send("GET", "/v1/memories?all_scopes=true", nil, as("o")...).want(200, `"total":0`)
	h.send("POST", "/v1/context", `{"user_id":"u1","session_id":"s","query":"secret"}`, as("o")...).want(200, "!secret")
	h.send("GET", "/v1/messages?user_id=u1&session_id=s", nil, as("o")...).want(404)
	h.send("GET", "/v1/sessions?user_id=u1", nil, as("o")...).want(200, `"sessions":[]`)
	h.send("GET", "/v1/dead-letters", nil, as("o")...).want(200, `"dead_letters":[]`)
	h.send("GET", "/v1/ingest", nil, as("o")...).want(200, `"dead":0`)
	h.send("DELETE", "/v1/memories?user_id=u1", nil, as("o")...).want(200, `{"count":0}`)

	// Roles.
	h.send("POST", "/v1/memories/search", `{"query":"secret","all_scopes":true}`, as("w")...).want(403)
	h.send("GET", "/v1/memories?all_scopes=true", nil, as("r")...).want(403)
	h.send("POST", "/v1/memories/search", `{"query":"secret","user_id":"u1"}`, as("r")...).want(200, "secret")
	h.send("POST", "/v1/memories/list", `{"user_id":"u1"}`, as("r")...).want(200, "secret")
	h.send("POST", "/v1/context", `{"user_id":"u1","query":"secret"}`, as("r")...).want(200, "secret")
	h.send("POST", "/v1/context", `{"user_id":"u1","session_id":"s","append":[{"role":"user","content":"x"}]}`, as("r")...).want(403)
	h.send("DELETE", "/v1/memories/"+memory, nil, as("r")...).want(403)

	// The owner's.
	for _, target := range []string{"/v1/messages/" + message, "/v1/memories/" + memory} {
		h.send("GET", target+"?user_id=u1&agent_id=g", nil, as("r")...).want(200, "secret")
	}
	h.send("GET", "/v1/dead-letters", nil, as("r")...).want(200, message)
}

// For every route with an id in its path, and every batch: a thing that another's is, and
// one that a tenant does not have, answer as one that never was, in the same bytes but
// for the request's id; and nothing has changed.
func TestWhatIsNotPermittedIsAsIfItWereNot(t *testing.T) {
	h := newHouse(t, houseConfig{doomed: "cursed", Config: Config{Keys: []Key{{"a", "acme", RoleAdmin}, {"o", "other", RoleAdmin}}}})
	own, other := []string{"Authorization", "Bearer a", "X-Request-ID", "r"}, []string{"Authorization", "Bearer o", "X-Request-ID", "r"}
	var posted appendAnswer
	var added addAnswer
	h.send("POST", "/v1/messages", `{"user_id":"u1","session_id":"s","agent_id":"g","messages":[{"role":"user","content":"a cursed secret"}]}`, own...).want(201).into(&posted)
	h.send("POST", "/v1/memories", `{"messages":"My secret is a secret","user_id":"u1","agent_id":"g","infer":false}`, own...).want(200).into(&added)
	h.send("GET", "/v1/ingest?wait=60s", nil, own...).want(200, `"dead":1`)
	message, memory := fmt.Sprint(posted.Messages[0].ID), added.Results[0].ID
	var imported importAnswer // which nobody works on
	h.send("POST", "/v1/import", importBody(map[string]any{"user_id": "u1", "agent_id": "g", "data": chatLines}), own...).want(202).into(&imported)
	all := func() string {
		t.Helper()
		s := ""
		for _, target := range []string{"/v1/messages?user_id=u1", "/v1/messages/" + message, "/v1/memories?user_id=u1", "/v1/memories/" + memory + "/history",
			"/v1/sessions?user_id=u1", "/v1/dead-letters", "/v1/users", "/v1/import/" + imported.ID} {
			s += h.send("GET", target, nil, own...).want(200).body
		}
		return s
	}
	before := all()

	n := 0
	for path, item := range serveBare(t, Deps{}, Config{}, nil).api.OpenAPI().Paths {
		for method := range operationsOf(item) {
			batch := path == "/v1/memories/batch" && method != "POST"
			if !strings.HasPrefix(path, "/v1/") || !strings.Contains(path, "{") && !batch || strings.HasPrefix(path, "/v1/users/") {
				continue
			}
			n++
			there, missing := message, "999999999"
			switch {
			case strings.HasPrefix(path, "/v1/memories/"):
				there, missing = memory, neverThere
			case strings.HasPrefix(path, "/v1/import/"):
				there, missing = imported.ID, neverThere
			}
			send := func(id, session, check string, as []string) got {
				t.Helper()
				target := strings.NewReplacer("{id}", id, "{session_id}", session).Replace(path)
				return h.send(method, target+check, bodyOf(method, path, id), as...)
			}
			want := send(missing, "none", "?user_id=u1", own)
			if batch {
				want.want(422, `"location":"body.memories[0].id"`)
			} else {
				want.want(404)
			}
			answers := map[string]got{}
			for _, check := range []string{"?user_id=u2", "?user_id=u1&agent_id=h", "?user_id=u2&agent_id=g"} {
				answers[check] = send(there, "s", check, own)
				answers["missing"+check] = send(missing, "none", check, own)
			}
			answers["another tenant"] = send(there, "s", "?user_id=u1", other)
			if !strings.Contains(path, "{session_id}") { // which needs a user
				answers["without a check"] = send(missing, "none", "", own)
				answers["only an agent"] = send(there, "s", "?agent_id=h", own)
				answers["another tenant without a check"] = send(there, "s", "", other)
			}
			for check, got := range answers {
				if got.status != want.status || got.body != want.body {
					t.Errorf("%s %s, %s: %d %s; want %d %s", method, path, check, got.status, got.body, want.status, want.body)
				}
				got.header.Del("Date")
				want.header.Del("Date")
				if !reflect.DeepEqual(got.header, want.header) {
					t.Errorf("%s %s, %s: headers %v; want %v", method, path, check, got.header, want.header)
				}
			}
		}
	}
	if n != 20 {
		t.Errorf("%d routes with ids", n)
	}
	want := h.send("GET", "/v1/messages?user_id=u1&session_id=none", nil, own...).want(404)
	if got := h.send("GET", "/v1/messages?user_id=u2&session_id=s", nil, own...); got.body != want.body {
		t.Errorf("another's session: %s; want %s", got.body, want.body)
	}
	h.send("GET", "/v1/import", nil, other...).want(200, `{"imports":[],"next_cursor":null}`)
	h.send("GET", "/v1/export", nil, other...).want(404)
	h.send("GET", "/v1/users", nil, other...).want(200, `{"users":[],"total":0,"next_cursor":null}`)
	h.send("POST", "/v1/memories/delete", `{"user_id":"u1"}`, other...).want(200, `{"count":0,"dry_run":false}`)
	h.send("POST", "/v1/memories/delete", `{"all_scopes":true,"filters":{"user_id":{"exists":true}}}`, other...).want(200, `"count":0`)
	if after := all(); after != before {
		t.Errorf("something has changed:\n%s\nwas\n%s", after, before)
	}
	// The owner may.
	h.send("PATCH", "/v1/memories/"+memory+"?user_id=u1&agent_id=g", `{"pinned":true}`, own...).want(200, `"pinned":true`)
	h.send("PATCH", "/v1/memories/batch?user_id=u1", fmt.Sprintf(`{"memories":[{"id":%q,"pinned":false}]}`, memory), own...).want(200, `"pinned":false`)
	h.send("DELETE", "/v1/memories/batch?agent_id=g", fmt.Sprintf(`{"memories":[{"id":%q}]}`, memory), own...).want(200, memory)
	h.send("POST", "/v1/import/"+imported.ID+"/cancel?user_id=u1&agent_id=g", nil, own...).want(200, `"state":"cancelled"`)
}

func TestAnswersHaveTheContractsForm(t *testing.T) {
	h := newHouse(t, houseConfig{})
	h.send("POST", "/v1/memories", `{"messages":"I live in Lisbon","user_id":"u"}`).want(200)
	var list struct{ Results []map[string]json.RawMessage }
	h.send("GET", "/v1/memories?user_id=u", nil).want(200).into(&list)
	if len(list.Results) != 1 {
		t.Fatalf("%+v", list)
	}
	members := strings.Fields("id memory user_id agent_id run_id app_id actor_id role scope memory_type categories metadata hash pinned created_at updated_at occurred_at valid_from valid_to superseded_by expires_at sources structured_attributes event")
	for _, name := range members {
		if _, ok := list.Results[0][name]; !ok {
			t.Errorf("a memory has no %s", name)
		}
	}
	if len(list.Results[0]) != len(members) {
		t.Errorf("a memory has %d members: %v", len(list.Results[0]), list.Results[0])
	}
	id := regexp.MustCompile(`^"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"$`)
	if !id.Match(list.Results[0]["id"]) {
		t.Errorf("the id is %s", list.Results[0]["id"])
	}
	for _, name := range []string{"created_at", "updated_at", "valid_from"} {
		var s string
		_ = json.Unmarshal(list.Results[0][name], &s)
		if at, err := memd.ParseTime(name, s); err != nil || !strings.HasSuffix(s, "Z") || time.Since(at) > time.Hour {
			t.Errorf("%s is %q", name, s)
		}
	}
}

// What is kept as it was given must be such that anybody can read it again, and all alike.
func TestAMessageIsReadAlikeByAll(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	post := func(message string) got {
		return h.send("POST", "/v1/messages", `{"user_id":"alice","session_id":"s1","messages":[{"role":"user","content":"hi"},`+message+`]}`)
	}
	for message, location := range map[string]string{
		`{"role":"user","content":"hi","x":` + deep(100) + `}`:                                  "body.messages[1].x",
		`{"role":"user","content":"hi","x":` + deep(9000) + `}`:                                 "body.messages[1].x",
		`{"role":"user","content":"hi","role":"assistant"}`:                                     "body.messages[1].role",
		`{"role":"user","content":[{"type":"text","text":"a","text":"b"}]}`:                     "body.messages[1].content[0].text",
		`{"role":"assistant","tool_calls":[{"function":{"name":"a","name":"b"}}],"content":""}`: "body.messages[1].tool_calls[0].function.name",
	} {
		post(message).want(422, `"location":"`+location+`"`)
		h.send("POST", "/v1/context", `{"user_id":"alice","session_id":"s1","append":[`+message+`]}`).
			want(422, `"location":"`+strings.Replace(location, "messages[1]", "append[0]", 1)+`"`)
		h.send("POST", "/v1/memories", `{"user_id":"alice","messages":[{"role":"user","content":"hi"},`+message+`]}`).
			want(422, `"location":"`+location+`"`)
	}
	h.send("GET", "/v1/messages?user_id=alice&session_id=s1", nil).want(404) // nothing of it was kept
	var posted struct{ Messages []struct{ ID int64 } }
	post(`{"role":"user","content":"hi","x":` + deep(99) + `,"y":[{"a":1},{"a":1}]}`).want(201).into(&posted)
	path := fmt.Sprintf("/v1/messages/%d", posted.Messages[1].ID)
	h.send("PATCH", path, `{"content":[{"type":"text","text":"a","text":"b"}]}`).want(422, `"location":"body.content[0].text"`)
	h.send("PATCH", path, `{"content":[{"type":"image","x":`+deep(100)+`}]}`).want(422, `"location":"body.content"`)
	h.send("PATCH", path, `{"content":[{"type":"text","text":"a"}]}`).want(200)
}
