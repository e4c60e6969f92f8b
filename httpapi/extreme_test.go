package httpapi

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

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
		"message nested deep":        {"/v1/messages", `{"user_id":"u","messages":[{"role":"user","content":"x","more":` + deep(4000) + `}]}`, 201},
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

// Bodies made of the fields that routes know, with values that are nearly right.
func TestNearlyRightBodies(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true, Config: Config{LearnWait: 1}})
	text := rapid.SampledFrom([]string{`"u"`, `"a/b"`, `""`, `".."`, `"\u0000"`, `"\ud800"`, `"é😀"`, `"UTC"`, `"Asia/Tokyo"`, `"2026-01-01"`, `"hybrid"`, `"lexical"`, `"system"`, `null`, `"%"`, `"'; --"`})
	scalar := rapid.OneOf(text, rapid.SampledFrom([]string{`0`, `1`, `-1`, `10`, `0.5`, `1e400`, `99999999999999999999`, `true`, `false`, `null`}))
	message := rapid.Custom(func(t *rapid.T) string {
		content := rapid.SampledFrom([]string{`"My cat is called Tom"`, `"\u0000"`, `null`, `""`, `[{"type":"text","text":"hi"}]`, `[{"type":"image_url","image_url":{"url":"x"}}]`, `[]`, `7`}).Draw(t, "content")
		role := rapid.SampledFrom([]string{"user", "assistant", "system", "developer", "tool", "function", "x"}).Draw(t, "role")
		more := rapid.SampledFrom([]string{``, `,"id":"c1"`, `,"name":"bob"`, `,"tool_calls":[{"id":"t1","type":"function","function":{"name":"f","arguments":"{}"}}]`, `,"tool_call_id":"t1"`, `,"created_at":"2026-02-30"`, `,"created_at":"2026-02-03T10:00:00"`}).Draw(t, "more")
		return fmt.Sprintf(`{"role":%q,"content":%s%s}`, role, content, more)
	})
	messages := rapid.Custom(func(t *rapid.T) string {
		return "[" + strings.Join(rapid.SliceOfN(message, 0, 5).Draw(t, "messages"), ",") + "]"
	})
	filter := rapid.Deferred(func() *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			name := rapid.SampledFrom([]string{"user_id", "run_id", "category", "categories", "created_at", "expires_at", "pinned", "k", "metadata.k", "k.l", "sources", "structured_attributes.year", "superseded_by", "hash", "memory"}).Draw(t, "name")
			value := scalar.Draw(t, "value")
			op := rapid.SampledFrom([]string{"eq", "ne", "gt", "lte", "like", "icontains", "exists", "in", "nin", "$eq", "nope"}).Draw(t, "op")
			return rapid.SampledFrom([]string{
				fmt.Sprintf(`{%q:%s}`, name, value), fmt.Sprintf(`{%q:{%q:%s}}`, name, op, value), fmt.Sprintf(`{%q:{%q:[%s]}}`, name, op, value),
				fmt.Sprintf(`{"NOT":{%q:%s}}`, name, value), fmt.Sprintf(`{"OR":[{%q:%s},{%q:{%q:%s}}]}`, name, value, name, op, value), fmt.Sprintf(`{"AND":[{"user_id":"u"},{%q:%s}]}`, name, value),
			}).Draw(t, "filter")
		})
	})
	any := rapid.OneOf(scalar, messages, message, filter, rapid.SampledFrom([]string{`[]`, `{}`, `["USER"]`, `["user"]`, `["user","session"]`, `{"k":{"l":[1,"x"]}}`}))
	fields := map[string]map[string]*rapid.Generator[string]{}
	doc := serveBare(t, Deps{}, Config{}, nil).api.OpenAPI()
	for path, item := range doc.Paths {
		if item.Post == nil || item.Post.RequestBody == nil {
			continue
		}
		if path == "/v1/memories/batch" {
			fields[path] = map[string]*rapid.Generator[string]{"memories": rapid.OneOf(any, rapid.Map(any, func(item string) string { return "[" + item + "]" }),
				rapid.Map(rapid.SliceOfN(message, 1, 3), func(each []string) string {
					return `[{"user_id":"u","messages":` + strings.Join(each, `},{"agent_id":"a","infer":false,"messages":`) + `}]`
				}))}
			continue
		}
		fields[path] = map[string]*rapid.Generator[string]{}
		for name := range doc.Components.Schemas.SchemaFromRef(item.Post.RequestBody.Content["application/json"].Schema.Ref).Properties {
			generator := rapid.OneOf(scalar, any)
			switch name {
			case "messages", "append":
				generator = rapid.OneOf(messages, messages, messages, any)
			case "filters":
				generator = rapid.OneOf(filter, filter, filter, any)
			case "user_id", "query":
				generator = rapid.OneOf(rapid.Just(`"u"`), rapid.Just(`"u"`), text)
			}
			fields[path][name] = generator
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SampledFrom(keysOf(fields)).Draw(t, "path")
		names := rapid.SliceOfNDistinct(rapid.SampledFrom(keysOf(fields[path])), 0, 4, rapid.ID[string]).Draw(t, "names")
		names = append(names, map[string]string{"/v1/messages": "messages", "/v1/memories": "messages", "/v1/memories/search": "query", "/v1/memories/batch": "memories"}[path])
		if path != "/v1/memories/batch" {
			names = append(names, "user_id")
		}
		var parts []string
		seen := map[string]bool{"": true}
		for _, name := range names {
			if !seen[name] {
				seen[name] = true
				parts = append(parts, fmt.Sprintf("%q:%s", name, fields[path][name].Draw(t, name)))
			}
		}
		body := "{" + strings.Join(parts, ",") + "}"
		got := h.send("POST", path, body, "Idempotency-Key", url.QueryEscape(body)[:min(250, len(url.QueryEscape(body)))])
		if got.status >= 500 {
			t.Fatalf("%s %s: %d %s", path, body, got.status, got.body)
		}
	})
}

func keysOf[T any](m map[string]T) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
