package httpapi

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

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
		if path == "/v1/messages/batch" {
			fields[path] = map[string]*rapid.Generator[string]{"items": rapid.OneOf(any, rapid.Map(any, func(item string) string { return "[" + item + "]" }),
				rapid.Map(rapid.SliceOfN(messages, 1, 3), func(each []string) string {
					return `[{"user_id":"u","messages":` + strings.Join(each, `},{"user_id":"v","session_id":"s","priority":"backfill","messages":`) + `}]`
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
		names = append(names, map[string]string{"/v1/messages": "messages", "/v1/memories": "messages", "/v1/memories/search": "query", "/v1/memories/batch": "memories", "/v1/messages/batch": "items"}[path])
		if !strings.HasSuffix(path, "/batch") {
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
