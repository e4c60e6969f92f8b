//go:build !race || long

package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
)

// What is here reads megabytes in the name of one caller, with nothing beside it that could
// race: the race detector would make it ten times slower. `make test` runs it without.

// Whatever is valid JSON is taken or refused, and never a fault of memd's.
func TestExtremes(t *testing.T) {
	h := newHouse(t, houseConfig{})
	deep := func(n int) string { return strings.Repeat(`{"a":[`, n) + strings.Repeat(`]}`, n) }
	wide := `"` + strings.Repeat("😀", 255) + `"`
	for name, test := range map[string]struct {
		target, body string
		status       int // 0: anything below 500
	}{
		"metadata nested deep":       {"/v1/messages", `{"user_id":"u","messages":[{"role":"user","content":"x"}],"metadata":` + deep(4000) + `}`, 0},
		"metadata nested too deep":   {"/v1/messages", `{"user_id":"u","messages":[{"role":"user","content":"x"}],"metadata":` + deep(6000) + `}`, 422},
		"metadata with huge numbers": {"/v1/messages", `{"user_id":"u","messages":[{"role":"user","content":"x"}],"metadata":{"a":1e999999,"b":-1e-999999}}`, 0},
		"session metadata deep":      {"/v1/sessions", `{"user_id":"u","metadata":` + deep(4000) + `}`, 0},
		"session metadata huge":      {"/v1/sessions", `{"user_id":"u","metadata":{"a":1e999999}}`, 0},
		"memory metadata deep":       {"/v1/memories", `{"messages":"x y","user_id":"u","infer":false,"metadata":` + deep(4000) + `}`, 0},
		"memory metadata huge":       {"/v1/memories", `{"messages":"x y","user_id":"u","infer":false,"metadata":{"a":1e999999}}`, 0},
		"message nested deep":        {"/v1/messages", `{"user_id":"u","messages":[{"role":"user","content":"x","more":` + deep(4000) + `}]}`, 422},
		"message nested":             {"/v1/messages", `{"user_id":"u","messages":[{"role":"user","content":"x","more":` + deep(49) + `}]}`, 201},
		"longest ids":                {"/v1/messages", `{"user_id":` + wide + `,"session_id":` + wide + `,"agent_id":` + wide + `,"app_id":` + wide + `,"messages":[{"role":"user","content":"I live in Rome","id":` + wide + `,"name":` + wide + `}]}`, 201},
		"longest ids of a memory":    {"/v1/memories", `{"user_id":` + wide + `,"run_id":` + wide + `,"agent_id":` + wide + `,"app_id":` + wide + `,"messages":"x y","infer":false,"memory_type":` + wide + `,"scope":` + wide + `,"categories":[` + wide + `]}`, 200},
		"first and last day":         {"/v1/messages", `{"user_id":"u","messages":[{"role":"user","content":"I live in Rome","created_at":"0001-01-02"},{"role":"user","content":"I moved two weeks ago","created_at":"9999-12-31T23:59:59.999999Z"}]}`, 201},
		"before the first day":       {"/v1/messages", `{"user_id":"u","messages":[{"role":"user","content":"x","created_at":"0001-01-01T00:00:00+23:00"}]}`, 422},
		"no time at all":             {"/v1/messages", `{"user_id":"u","messages":[{"role":"user","content":"x","created_at":"0001-01-01"}]}`, 422},
		"a long text":                {"/v1/messages", `{"user_id":"u","messages":[{"role":"user","content":"` + strings.Repeat("word and more ", 10_000*larger) + `"}]}`, 201},
		"a long word":                {"/v1/memories", `{"messages":"` + strings.Repeat("w", 10_000*larger) + `","user_id":"u","infer":false}`, 200},
		"a long text stored":         {"/v1/memories", `{"messages":"` + strings.Repeat("many different words ", 5_000*larger) + `","user_id":"u","infer":false}`, 200},
		"a long question":            {"/v1/memories/search", `{"query":"` + strings.Repeat("many words ", 5_000*larger) + `","user_id":"u"}`, 200},
		"a question of marks":        {"/v1/memories/search", `{"query":"'\"\\%_:*&|!()<>\u0000","user_id":"u"}`, 200},
		"filters nested deep":        {"/v1/memories/search", `{"query":"x","user_id":"u","filters":` + deep(4000) + `}`, 0},
		"filters that are many":      {"/v1/memories/list", `{"user_id":"u","filters":{"OR":[` + strings.TrimSuffix(strings.Repeat(`{"a":1},`, 1000), ",") + `]}}`, 422},
		"filters with huge numbers":  {"/v1/memories/list", `{"user_id":"u","filters":{"a":{"gt":1e999999}}}`, 0},
		"filters with marks":         {"/v1/memories/list", `{"user_id":"u","filters":{"a'b\"c\\d.e":{"like":"\\"},"metadata.":"x","":1}}`, 0},
		"filters with NUL":           {"/v1/memories/list", `{"user_id":"u","filters":{"a":"\u0000"}}`, 422},
		"filters of many wildcards":  {"/v1/memories/list", `{"user_id":"u","filters":{"memory":{"like":"` + strings.Repeat("%a", 6_000*larger) + `"}}}`, 422},
		"filters of empty groups":    {"/v1/memories/list", `{"user_id":"u","filters":{"AND":[` + strings.TrimSuffix(strings.Repeat(`{},`, 20_000*larger), ",") + `]}}`, 422},
		"filters of empty negations": {"/v1/memories/search", `{"query":"x","user_id":"u","filters":{"OR":[` + strings.TrimSuffix(strings.Repeat(`{"NOT":[]},`, 5_000*larger), ",") + `]}}`, 422},
		"a filter of a long path":    {"/v1/memories/list", `{"user_id":"u","filters":{"a` + strings.Repeat(".a", 9_999) + `":1}}`, 200},
		"filters of long paths":      {"/v1/memories/search", `{"query":"x","user_id":"u","filters":{"OR":[` + strings.TrimSuffix(strings.Repeat(`{"a`+strings.Repeat(".a", 999)+`":{"ne":1}},`, 200), ",") + `]}}`, 200},
		"filters of short paths":     {"/v1/memories/list", `{"user_id":"u","filters":{"AND":[` + strings.TrimSuffix(strings.Repeat(`{"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p":{"gt":1}},`, 256), ",") + `]}}`, 200},
		"a filter of many values":    {"/v1/memories/list", `{"user_id":"u","filters":{"a.b":{"nin":[` + strings.TrimSuffix(strings.Repeat(`"x",2,`, 500), ",") + `]}}}`, 200},
		"a filter of many times":     {"/v1/memories/list", `{"user_id":"u","filters":{"created_at":{"in":[` + strings.TrimSuffix(strings.Repeat(`"2026-03-01",`, 1000), ",") + `]}}}`, 200},
		"deleting by many wildcards": {"/v1/memories/delete", `{"user_id":"u","filters":{"memory":{"ilike":"` + strings.Repeat("_", 6_000*larger) + `"}}}`, 422},
		"a huge id list":             {"/v1/memories/list", `{"filters":{"user_id":[` + strings.TrimSuffix(strings.Repeat(`"u",`, 5000), ",") + `]}}`, 0},
		"as of the first day":        {"/v1/memories/search", `{"query":"x","user_id":"u","as_of":"0001-01-02"}`, 200},
		"the largest context":        {"/v1/context", `{"user_id":"u","turns":1000,"recall":1000,"token_budget":10000000,"query":"x"}`, 200},
		"the smallest context":       {"/v1/context", `{"user_id":"u","session_id":"c","turns":1,"recall":1,"token_budget":1,"append":[{"role":"user","content":"some words that do not fit"}]}`, 200},
	} {
		t.Run(name, func(t *testing.T) {
			h := *h
			h.t = t
			got := h.send("POST", test.target, test.body)
			if test.status != 0 && got.status != test.status || got.status >= 500 {
				t.Errorf("%d %.600s", got.status, got.body)
			}
		})
	}
	for _, query := range []string{
		"limit=1&before=9223372036854775807", "limit=1&after=9223372036854775807", "before=1", "turns=1000&before=9223372036854775807", "before=9223372036854775808", "before=-1", "before=1e3",
	} {
		if got := h.send("GET", "/v1/messages?user_id=u&"+query, nil); got.status >= 500 {
			t.Errorf("%s: %d %s", query, got.status, got.body)
		}
	}
	h.send("GET", "/v1/messages/9223372036854775807", nil).want(404)
	h.send("GET", "/v1/messages/9223372036854775808", nil).want(422)
	h.send("GET", "/v1/memories?user_id=u&offset=100000", nil).want(200, `"results":[]`)
	h.settle()
	h.send("GET", "/v1/ingest", nil).want(200, `"dead":0`)
}

// The same of edits.
func TestExtremeEdits(t *testing.T) {
	h := newHouse(t, houseConfig{})
	at := "/v1/memories/" + h.store("u", "one thing")
	deep := func(n int) string { return strings.Repeat(`{"a":[`, n) + strings.Repeat(`]}`, n) }
	for name, test := range map[string]struct {
		body   string
		status int
	}{
		"a long text":          {`{"memory":"` + strings.Repeat("many different words ", 5_000*larger) + `"}`, 200},
		"a long word":          {`{"memory":"` + strings.Repeat("w", 100_000*larger) + `"}`, 200},
		"broken text":          {`{"memory":"a\ud800b\u0000c"}`, 200},
		"deep metadata":        {`{"metadata":` + deep(50) + `}`, 200},
		"deeper metadata":      {`{"metadata":` + deep(4900) + `}`, 422},
		"metadata taken away":  {`{"metadata":{"a":null}}`, 200},
		"odd keys":             {`{"metadata":{"":1,"a.b":2,"$x":3,"\"":4,"a":5,"a":null}}`, 200},
		"the first day":        {`{"expires_at":"0001-01-02"}`, 200},
		"the last day":         {`{"expires_at":"9999-12-31T23:59:59.999999Z"}`, 200},
		"a hundred categories": {`{"categories":["` + strings.Repeat(`é","`, 99) + `z"]}`, 200},
	} {
		if got := h.send("PATCH", at, test.body); got.status != test.status {
			t.Errorf("%s: %d %.300s", name, got.status, got.body)
		}
		h.send("GET", at, nil).want(200)
		h.send("GET", at+"/history", nil).want(200)
	}
	h.settle()
}

func TestBodiesAreBounded(t *testing.T) {
	b := serveBare(t, Deps{}, Config{}, func(s *server) {
		handle(s, operation{method: "POST", path: "/t/size", name: "size", effect: mayLog}, func(_ context.Context, c *call, _ *bodyInput) (answer, error) {
			return ok(len(c.body))
		})
	})
	fits := []byte("{}" + strings.Repeat(" ", maxBody-2))
	over := append(bytes.Clone(fits), ' ')
	for _, test := range []struct {
		name   string
		body   io.Reader // not one that net/http knows the length of: chunked
		status int
	}{
		{"fits", bytes.NewReader(fits), 200}, {"over", bytes.NewReader(over), 413},
		{"fits in chunks", io.MultiReader(bytes.NewReader(fits)), 200}, {"over in chunks", io.MultiReader(bytes.NewReader(over)), 413},
	} {
		resp, body := b.do(t, "POST", "/t/size", test.body)
		if test.status == 200 {
			if resp.StatusCode != 200 || strings.TrimSpace(body) != fmt.Sprint(maxBody) {
				t.Errorf("%s: %d %s", test.name, resp.StatusCode, body)
			}
			continue
		}
		wantProblem(t, resp, body, test.status)
	}
	if !b.bounds.bodies.turns.TryAcquire(max(b.cfg.MaxBodies, maxBody+1)) || !b.bounds.beginnings.turns.TryAcquire(b.cfg.MaxBodies/4) {
		t.Error("a body's place was not given back")
	}
}
