package memd

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func TestNesting(t *testing.T) {
	for raw, want := range map[string]bool{
		nested(100): false, nested(101): true, nested(9000): true,
		strings.Repeat(`{"a":`, 101) + "1" + strings.Repeat("}", 101): true,
		"[" + strings.Repeat(nested(99)+",", 500) + "1]":              false, // wide, not deep
		`["` + strings.Repeat("[", 500) + `"]`:                        false,
		`["\"` + strings.Repeat("[", 500) + `\\"]`:                    false,
		`["\\",` + nested(100) + `]`:                                  true,
	} {
		if got := NestsTooDeep([]byte(raw), 100); got != want {
			t.Errorf("%.40s: %t", raw, got)
		}
	}
}

func TestAMessageIsNotNestedDeeply(t *testing.T) {
	for _, c := range []struct{ in, field string }{
		{`{"role":"user","content":"hi","x":` + nested(99) + `}`, "-"},
		{`{"role":"user","content":"hi","x":` + nested(100) + `}`, "x"},
		{`{"role":"user","content":[{"type":"image","x":` + nested(5000) + `}]}`, "content"},
		{`{"role":"assistant","tool_calls":` + nested(1000) + `}`, "tool_calls"},
	} {
		_, err := ParseMessage(json.RawMessage(c.in))
		if c.field == "-" {
			if err != nil {
				t.Errorf("%.60s: %v", c.in, err)
			}
		} else if e, ok := err.(*Error); !ok || e.Kind != Invalid || e.Field != c.field {
			t.Errorf("%.60s: %v, want a complaint of %s", c.in, err, c.field)
		}
	}
	// What the log holds already can still be edited, but not for the worse.
	held := json.RawMessage(`{"role":"user","content":"hi","x":` + nested(1000) + `}`)
	if raw, err := WithContent(held, json.RawMessage(` "ho" `)); err != nil || !strings.Contains(string(raw), `"content": "ho" `) {
		t.Errorf("%.60s: %v", raw, err)
	}
	if _, err := WithContent(held, json.RawMessage(`[{"type":"image","x":`+nested(200)+`}]`)); KindOf(err) != Invalid {
		t.Errorf("a deep content: %v", err)
	}
}

func TestWhatIsGivenTwice(t *testing.T) {
	many := func(last string) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, `"k%d":%d,`, i, i)
		}
		return "{" + b.String() + last + "}"
	}
	for raw, want := range map[string]string{
		`{"role":"user","content":"a","role":"assistant"}`:                               "role",
		`{"role":"user" , "ro\u006ce" : 1}`:                                              "role",
		`{"content":[{"type":"text","text":"a"},{"type":"text","text":"a","text":"b"}]}`: "content[1].text",
		`{"tool_calls":[{"function":{"name":"a","arguments":"{}","name":"b"}}]}`:         "tool_calls[0].function.name",
		`{"a":[[0,{"":1,"":2}]]}`:                                                        "a[0][1].",
		many(`"k3":0`):                                                                   "k3",
		many(`"k39":0`):                                                                  "k39",
		many(`"k40":0`):                                                                  "-",
		many(`"K3":0`):                                                                   "-",
		`{"a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":1}]}`:                                "-",
		`{"role":"user","content":"a \"role\":\"x\",\"role\":\"y\" \\"}`:                 "-",
		` [ ] `: "-", ` { } `: "-", `"x"`: "-", `17`: "-", `{"a":-1.5e3,"b":true,"c":null,"d":[ 1 , 2 ]}`: "-",
	} {
		at, ok := TwiceGiven(json.RawMessage(raw))
		if !ok {
			at = "-"
		}
		if at != want {
			t.Errorf("%.80s: %q, want %q", raw, at, want)
		}
	}
}

// Whatever is JSON is read to its end, and only what loses a member by being read has one twice.
func FuzzTwiceGiven(f *testing.F) {
	for _, seed := range []string{`{"a":1,"b":[{"a":"\\\""}],"a":2}`, `{"":{"":1}}`, "[{\"\\u0061\":1,\"a\":2}]", `{"\ud800":1,"\udc00":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) || NestsTooDeep(raw, MaxNesting) {
			return
		}
		_, ok := TwiceGiven(raw)
		var value any
		dec := json.NewDecoder(strings.NewReader(string(raw)))
		dec.UseNumber()
		if dec.Decode(&value) != nil {
			return
		}
		given := 0
		for i := 0; i < len(raw); i++ {
			switch raw[i] {
			case '"':
				i = skipString(raw, i) - 1
			case ':':
				given++
			}
		}
		if kept := membersOf(value); ok != (kept < given) {
			t.Fatalf("%q: %t, with %d members of %d kept", raw, ok, kept, given)
		}
	})
}

func membersOf(value any) (n int) {
	switch v := value.(type) {
	case map[string]any:
		n = len(v)
		for _, inner := range v {
			n += membersOf(inner)
		}
	case []any:
		for _, inner := range v {
			n += membersOf(inner)
		}
	}
	return n
}

func BenchmarkTwiceGiven(b *testing.B) {
	raw := json.RawMessage(`{"role":"user","content":"` + strings.Repeat("I moved to Lisbon last week. ", 10) + `","name":"bob","id":"client-7"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := TwiceGiven(raw); ok {
			b.Fatal("nothing is")
		}
	}
}
