package httpapi

import (
	"net/http"
	"strings"
	"testing"
)

// No body sent to any route that takes one is a fault of memd's, or ends it.
func FuzzBodies(f *testing.F) {
	routes := []string{"/v1/messages", "/v1/context", "/v1/sessions", "/v1/memories", "/v1/memories/search", "/v1/memories/list", "/v1/dead-letters/1/retry", "/v1/memories/batch", "/v1/messages/batch", "/v1/memories/delete",
		"PATCH /v1/memories/{id}", "PATCH /v1/memories/batch", "DELETE /v1/memories/batch"}
	for i, bodies := range [][]string{
		{`{"user_id":"u","messages":[{"role":"user","content":"x","id":"c"}],"metadata":{"a":1e400}}`, `{"user_id":"u","session_id":"\ufffd","messages":[{"role":"tool","content":"\u0000"}]}`},
		{`{"user_id":"u","query":"x","filters":{"a":{"gt":1}}}`, `{"user_id":"u","append":[{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]},{"role":"tool","tool_call_id":"1"}],"token_budget":1}`, `{"user_id":"u","append":[{"role":"user","content":[{"type":"text","text":"y"}]}],"render":"system"}`},
		{`{"user_id":"u","metadata":{"a":"\ud800"},"previous_session_id":"p"}`},
		{`{"messages":"x","user_id":"u","infer":false,"categories":["a"],"expires_at":"9999-12-31"}`, `{"messages":[{"role":"user","content":"I live in \u0000Rome"}],"run_id":"r","wait":false}`},
		{`{"query":"x","user_id":"u","as_of":"0001-01-01","explain":true}`, `{"query":"%_\\","filters":{"AND":[{"user_id":"u"},{"NOT":[{"m":{"like":"%"}}]}]}}`},
		{`{"all_scopes":true,"filters":{"created_at":{"gt":"2020-01-01"}},"cursor":"x"}`, `{"user_id":"u","filters":{"n":{"in":[1,null,"a",{"b":[]}]}}}`},
		{`{}`, ``},
		{`{"memories":[{"messages":"x","user_id":"u","infer":false,"store":"s","metadata":{"a":1}},{"messages":[{"role":"user"}]},7]}`, `{"memories":[{"messages":"I live in Rome","filters":{"user_id":"u"},"prompt":"p","wait":false}]}`},
		{`{"user_id":"u","dry_run":true}`, `{"all_scopes":true,"filters":{"NOT":[{"a":1}]}}`, `{"filters":{"AND":[{"user_id":["u","v"]}]}}`},
		{`{"memory":"a\u0000","metadata":{"a":{"b":null}},"categories":["\ud800"],"expires_at":null,"pinned":true}`, `{"expires_at":"9999-12-31","metadata":{"":[1e1000]}}`},
		{`{"memories":[{"id":"{id}","memory":"x"},{"id":7},{"id":"{id}","pinned":false}]}`, `{"memories":[{"id":"{id}","metadata":{"a":null},"expires_at":"2000-01-01"}]}`},
		{`{"memories":[{"id":"` + neverThere + `"}]}`, `{"memories":[{"id":"{id}","x":1}]}`},
	} {
		for _, body := range bodies {
			f.Add(uint8(i), body)
		}
	}
	h := newHouse(f, houseConfig{idle: true, Config: Config{LearnWait: 1}})
	id := h.store("u", "one thing")
	f.Fuzz(func(t *testing.T, route uint8, body string) {
		method, path, named := strings.Cut(routes[int(route)%len(routes)], " ")
		if !named {
			method, path = http.MethodPost, method
		}
		resp, answer := do(t, method, h.url+strings.ReplaceAll(path, "{id}", id), strings.NewReader(strings.ReplaceAll(body, "{id}", id)))
		if resp.StatusCode >= 500 {
			t.Errorf("%d %s", resp.StatusCode, answer)
		}
		if resp.StatusCode >= 400 {
			wantProblem(t, resp, answer, resp.StatusCode)
		}
	})
}
