package llm

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// plain gives a node as encoding/json gives values.
func plain(n node) any {
	switch n.kind {
	case object:
		out := map[string]any{}
		for i, key := range n.keys {
			out[key] = plain(n.items[i])
		}
		return out
	case list:
		out := []any{}
		for _, item := range n.items {
			out = append(out, plain(item))
		}
		return out
	case text:
		return n.text
	case number:
		f, _ := strconv.ParseFloat(n.text, 64)
		return f
	}
	switch n.text {
	case "true":
		return true
	case "false":
		return false
	}
	return nil
}

func TestJSONIsMended(t *testing.T) {
	const whole = `{"a":[1,"b"]}`
	for in, want := range map[string]string{
		`{"a":[1,"b",],}`:                   whole,
		`{"a":[1 "b"]}`:                     whole,
		`{'a':[1,'b']}`:                     whole,
		`{a:[1,"b"]}`:                       whole,
		"{\"a\": // the first\n[1,\"b\"]}":  whole,
		`{"a":[1,"b"]`:                      whole,
		`{"a":[1,"b"`:                       whole,
		`{"a":[1,"b"]}}}`:                   whole,
		`{"a":[True,None,false]}`:           `{"a":[null,null,false]}`,
		"{\"a\":\"two\nlines\tand a tab\"}": `{"a":"two\nlines\tand a tab"}`,
		`{"a":"she said "hi" to me"}`:       `{"a":"she said \"hi\" to me"}`,
		`{'a':'I'm Tom, it's late'}`:        `{"a":"I'm Tom, it's late"}`,
		`{"a":"it\'s \x41 \ud83d\ude00 \ud83d \ude00 \u00"}`: `{"a":"it's x41 😀 \ufffd \ufffd \ufffd00"}`,
		`{"a":1,"a":2}`:        `{"a":2}`,
		`{"url":"http://x/y"}`: `{"url":"http://x/y"}`,
	} {
		r := reader{in: in}
		n, ok := r.value(0)
		var expected any
		if err := json.Unmarshal([]byte(want), &expected); err != nil {
			t.Fatal(err)
		}
		if !ok || r.torn || !reflect.DeepEqual(plain(n), expected) {
			t.Errorf("%s: %v (%v, torn %v), want %s", in, plain(n), ok, r.torn, want)
		}
	}
	for _, in := range []string{`{facts}`, `{"a"}`, `{ {`, `[}`, `}`, strings.Repeat("[", 40) + strings.Repeat("]", 40)} {
		r := reader{in: in}
		if n, ok := r.value(0); ok {
			t.Errorf("%s was read as %v", in, plain(n))
		}
	}
	for _, in := range []string{`{"a":[1,"b`, `{"a":[`, `{"a":[1,`, `{"a":[{"b":1`, `{"a`, `{"a":`, `["a\`} {
		r := reader{in: in}
		if r.value(0); !r.ended || !r.torn {
			t.Errorf("%s: ended %v, torn %v", in, r.ended, r.torn)
		}
	}
}

// Whatever is JSON is read as everyone reads it, and nothing makes the reader fall or
// look behind the end.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"facts":[{"text":"I live in \"Bergen\"","sources":[1,2.5e3],"date":null}]}`, `[]`, `{}`, `"\ud83d\ude00\ud83d"`, `[1,-0.5,true,[[[]]]]`, "{\"a\":\n [ ] ,\t\"a\":{}}",
		`{'a':'b',}`, `{"a":"b`, `[[[[[[[`, `{"a"://`, `"\u12`, `{a:b,c:[d`, "[\"\\", `{"a":"x"y","b":1}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		r := reader{in: in}
		n, ok := r.value(0)
		if r.at > len(in) {
			t.Fatalf("at %d of %d", r.at, len(in))
		}
		var want any
		if !utf8.ValidString(in) || json.Unmarshal([]byte(in), &want) != nil || deep(want) > maxDepth {
			return
		}
		if !ok || r.ended || !same(plain(n), want) {
			t.Fatalf("%q was read as %#v (%v, ended %v), want %#v", in, plain(n), ok, r.ended, want)
		}
	})
}

func deep(v any) int {
	most := 0
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			most = max(most, deep(item)+1)
		}
	case []any:
		for _, item := range v {
			most = max(most, deep(item)+1)
		}
	}
	return most
}

// same compares values, numbers too large for a float as one.
func same(a, b any) bool {
	if x, ok := a.(float64); ok {
		y, ok := b.(float64)
		return ok && (x == y || math.IsInf(x, 0))
	}
	return reflect.DeepEqual(a, b)
}
