package httpapi

import (
	"strings"
	"testing"
)

func TestSettings(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true, Config: Config{Keys: []Key{{"a", "one", RoleAdmin}, {"w", "one", RoleWriter}, {"r", "one", RoleReader}, {"b", "two", RoleAdmin}}}})
	as := func(key, method, target string, body any, more ...string) got {
		t.Helper()
		return h.send(method, target, body, append([]string{"X-API-Key", key}, more...)...)
	}
	const none = `"rotate":{"idle":null,"turns":null,"tokens":null,"age":null},"keep_messages":null,"updated_at":null`
	as("r", "GET", "/v1/settings", nil).want(200, none)
	for _, key := range []string{"w", "r"} {
		as(key, "PATCH", "/v1/settings", `{"keep_messages":"1d"}`).want(403)
	}
	as("a", "PATCH", "/v1/settings", `{"rotate":{"idle":"90m","turns":2},"keep_messages":"36h"}`).
		want(200, `"rotate":{"idle":"1h30m","turns":2,"tokens":null,"age":null},"keep_messages":"1d12h"`, `!"updated_at":null`)
	for _, key := range []string{"a", "w", "r"} {
		as(key, "GET", "/v1/settings", nil).want(200, `"idle":"1h30m","turns":2`, `"keep_messages":"1d12h"`)
	}
	as("b", "GET", "/v1/settings", nil).want(200, none)

	// What is missing stays, null takes away, and nothing is a length of its own.
	as("a", "PATCH", "/v1/settings", `{"rotate":{"idle":null,"tokens":8000}}`).want(200, `"rotate":{"idle":null,"turns":2,"tokens":8000,"age":null},"keep_messages":"1d12h"`)
	as("a", "PATCH", "/v1/settings", `{"keep_messages":"0s"}`).want(200, `"turns":2,"tokens":8000`, `"keep_messages":"0s"`)
	as("a", "PATCH", "/v1/settings", `{"keep_messages":null}`).want(200, `"turns":2,"tokens":8000`, `"keep_messages":null`)

	as("a", "PATCH", "/v1/settings", `{"rotate":{"idle":"5m"}}`).want(200, `"idle":"5m","turns":2,"tokens":8000`)
	as("a", "PATCH", "/v1/settings", `{"rotate":{}}`).want(200, `"idle":"5m","turns":2,"tokens":8000`)
	as("a", "PATCH", "/v1/settings", `{"rotate":null}`).want(200, `"rotate":{"idle":null,"turns":null,"tokens":null,"age":null}`)
	as("a", "PATCH", "/v1/settings", `{"rotate":{"turns":2,"tokens":8000}}`).want(200, `"idle":null,"turns":2,"tokens":8000`)

	// They hold at once for sessions that have none of their own.
	var posted appendAnswer
	for _, content := range []string{"One.", "Two.", "Three."} {
		as("w", "POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"`+content+`"}]}`).want(201).into(&posted)
	}
	if posted.SessionID == "s" {
		t.Error("the tenant's limit does not hold")
	}
	as("w", "GET", "/v1/sessions/s?user_id=u", nil).want(200, `"forwards_to":"`+posted.SessionID+`"`, `"rotate":{"idle":null,"turns":null,"tokens":null,"age":null}`)
	as("w", "GET", "/v1/messages?user_id=u&session_id=s", nil).want(200, `"session_id":"s"`, "Two.", "!Three.")
	as("w", "POST", "/v1/context", `{"user_id":"u","session_id":"s"}`).want(200, `"session_id":"`+posted.SessionID+`"`, "Three.")

	first := as("a", "PATCH", "/v1/settings", `{"rotate":{"age":"7d"}}`, idempotencyHeader, "k").want(200)
	as("a", "PATCH", "/v1/settings", `{"rotate":{"age":"8d"}}`).want(200)
	if again := as("a", "PATCH", "/v1/settings", `{"rotate":{"age":"7d"}}`, idempotencyHeader, "k").want(200); again.body != first.body || again.header.Get(replayedHeader) != "true" {
		t.Errorf("%s then %s", first.body, again.body)
	}
	as("a", "GET", "/v1/settings", nil).want(200, `"age":"8d"`)
}

func TestSettingsThatCannotBe(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	for body, location := range map[string]string{
		`{}`: "body", `{"rotate":true}`: "body.rotate", `[]`: "body",
		`{"keep_messages":"hunter"}`: "body.keep_messages", `{"keep_messages":90}`: "body.keep_messages", `{"keep_messages":"-1h"}`: "body.keep_messages", `{"keep_messages":"70000d"}`: "body.keep_messages",
		`{"keep":"90d"}`: "body.keep", `{"updated_at":"2026-01-01"}`: "body.updated_at",
	} {
		g := h.send("PATCH", "/v1/settings", body).want(422, `"location":"`+location+`"`)
		if strings.Contains(g.body, "hunter") {
			t.Errorf("what was sent is said again: %s", g.body)
		}
	}
	h.send("GET", "/v1/settings?user_id=u", nil).want(422, `"location":"query.user_id"`)
	h.send("GET", "/v1/settings", nil).want(200, `"updated_at":null`)
}
