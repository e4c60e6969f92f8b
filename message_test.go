package memd

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseMessageKeepsWhatWasGiven(t *testing.T) {
	for _, c := range []struct{ name, in, raw, text string }{
		{"as given", `{"role":"user","content":"hi"}`, `{"role":"user","content":"hi"}`, "hi"},
		{"key order and unknown members", `{"zeta":1,"content":"hi","role":"user","alpha":{"b":1,"a":2}}`, `{"zeta":1,"content":"hi","role":"user","alpha":{"b":1,"a":2}}`, "hi"},
		{"big numbers", `{"role":"user","content":"hi","n":123456789012345678901234567890.10}`, `{"role":"user","content":"hi","n":123456789012345678901234567890.10}`, "hi"},
		{"id and created_at are taken out", `{"id":"c1","role":"user","content":"hi","created_at":"2026-03-02"}`, `{"role":"user","content":"hi"}`, "hi"},
		{"function is tool", `{"role":"function","name":"f","content":"42"}`, `{"role":"tool","name":"f","content":"42"}`, "42"},
		{"missing content", `{"role":"assistant","tool_calls":[{"id":"x"}]}`, `{"role":"assistant","tool_calls":[{"id":"x"}],"content":null}`, ""},
		{"null content with refusal", `{"role":"assistant","content":null,"refusal":"no"}`, `{"role":"assistant","content":null,"refusal":"no"}`, ""},
		{"empty tool message", `{"role":"tool","tool_call_id":"x","content":""}`, `{"role":"tool","tool_call_id":"x","content":""}`, ""},
		{"parts", `{"role":"user","content":[{"type":"text","text":"one"},{"type":"image_url","image_url":{"url":"u"}},{"type":"text","text":"two"}]}`, `{"role":"user","content":[{"type":"text","text":"one"},{"type":"image_url","image_url":{"url":"u"}},{"type":"text","text":"two"}]}`, "one\ntwo"},
		{"image alone", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}`, `{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}`, ""},
		{"nul stays in the log and leaves the text", `{"role":"user","content":"a\u0000b"}`, `{"role":"user","content":"a\u0000b"}`, "ab"},
		{"lone surrogate", `{"role":"user","content":"a\ud83db"}`, `{"role":"user","content":"a\ufffdb"}`, "a\uFFFDb"},
		{"low surrogate first", `{"role":"user","content":"\ude00\ud83d\ude00"}`, `{"role":"user","content":"\ufffd\ud83d\ude00"}`, "\uFFFD😀"},
		{"an escaped backslash is no escape", `{"role":"user","content":"\\ud83d"}`, `{"role":"user","content":"\\ud83d"}`, `\ud83d`},
		{"what could not be read is shown as that", `{"role":"user","content":"\ud83d"}`, `{"role":"user","content":"\ufffd"}`, "\uFFFD"},
		{"a tool that says nothing to be seen", `{"role":"tool","tool_call_id":"x","content":"\u200b"}`, `{"role":"tool","tool_call_id":"x","content":"\u200b"}`, "\u200b"},
		{"invalid utf-8", "{\"role\":\"user\",\"content\":\"a\xffb\"}", "{\"role\":\"user\",\"content\":\"a\uFFFDb\"}", "a\uFFFDb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := ParseMessage(json.RawMessage(c.in))
			if err != nil {
				t.Fatal(err)
			}
			if string(m.Raw) != c.raw {
				t.Errorf("raw = %s, want %s", m.Raw, c.raw)
			}
			if m.Text != c.text {
				t.Errorf("text = %q, want %q", m.Text, c.text)
			}
			if again := TextOf(m.Raw); again != c.text {
				t.Errorf("TextOf = %q, want %q", again, c.text)
			}
		})
	}
}

func TestParseMessageRefuses(t *testing.T) {
	for _, c := range []struct{ in, field string }{
		{`"hi"`, ""}, {`[]`, ""}, {`null`, ""},
		{`{"content":"hi"}`, "role"}, {`{"role":null,"content":"hi"}`, "role"}, {`{"role":"robot","content":"hi"}`, "role"}, {`{"role":7,"content":"hi"}`, "role"},
		{`{"role":"user"}`, "content"}, {`{"role":"user","content":""}`, "content"}, {`{"role":"user","content":"  \n"}`, "content"}, {`{"role":"user","content":null}`, "content"},
		{`{"role":"system","content":""}`, "content"}, {`{"role":"developer","content":" "}`, "content"},
		{`{"role":"assistant","content":""}`, "content"}, {`{"role":"assistant","content":null,"tool_calls":[]}`, "content"},
		{`{"role":"user","content":7}`, "content"}, {`{"role":"user","content":{}}`, "content"}, {`{"role":"user","content":["x"]}`, "content"}, {`{"role":"user","content":[]}`, "content"},
		{`{"role":"user","content":[{"type":"text"}]}`, "content"}, {`{"role":"user","content":"\u0000"}`, "content"},
		{`{"role":"user","content":"\u200b"}`, "content"}, {`{"role":"user","content":[{"type":"text","text":"\u2060\ufeff"}]}`, "content"}, {`{"role":"assistant","content":"\u200b"}`, "content"},
		{`{"role":"user","content":"hi","id":7}`, "id"}, {`{"role":"user","content":"hi","id":""}`, "id"}, {`{"role":"user","content":"hi","id":"a\u0000"}`, "id"},
		{`{"role":"user","content":"hi","created_at":"yesterday"}`, "created_at"}, {`{"role":"user","content":"hi","name":""}`, "name"}, {`{"role":"user","content":"hi","name":[]}`, "name"},
	} {
		_, err := ParseMessage(json.RawMessage(c.in))
		if KindOf(err) != Invalid {
			t.Errorf("%s: err = %v, want invalid", c.in, err)
			continue
		}
		if e := err.(*Error); e.Field != c.field {
			t.Errorf("%s: field = %q, want %q", c.in, e.Field, c.field)
		}
	}
}

func TestParseTime(t *testing.T) {
	for in, want := range map[string]string{
		"2026-03-02T10:00:00Z":           "2026-03-02T10:00:00Z",
		"2026-03-02T10:00:00+02:00":      "2026-03-02T08:00:00Z",
		"2026-03-02T10:00:00":            "2026-03-02T10:00:00Z",
		"2026-03-02 10:00:00":            "2026-03-02T10:00:00Z",
		"2026-03-02T10:00":               "2026-03-02T10:00:00Z",
		"2026-03-02":                     "2026-03-02T00:00:00Z",
		"2026-03-02t10:00:00z":           "2026-03-02T10:00:00Z",
		"2026-03-02T10:00:00.123456789Z": "2026-03-02T10:00:00.123456Z",
	} {
		got, err := ParseTime("t", in)
		if err != nil || FormatTime(got) != want {
			t.Errorf("ParseTime(%q) = %v, %v; want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"", "yesterday", "2026-13-01", "2026-02-30", "10:00", "0000-01-01", "0001-01-01", "0001-01-01T00:00:00Z", "2026-03-02T25:00:00Z", "1767225600"} {
		if got, err := ParseTime("t", in); KindOf(err) != Invalid {
			t.Errorf("ParseTime(%q) = %v, %v; want invalid", in, got, err)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	f.Add("2026-03-02T10:00:00.5+02:00")
	f.Add("2026-03-02 10:00")
	f.Add("9999-12-31T23:59:59-14:00")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseTime("t", s)
		if err != nil {
			if KindOf(err) != Invalid {
				t.Fatalf("kind of %v", err)
			}
			return
		}
		again, err := ParseTime("t", FormatTime(got))
		if err != nil || !again.Equal(got) {
			t.Fatalf("%q reads as %v, which reads as %v, %v", s, got, again, err)
		}
	})
}

func TestCheckID(t *testing.T) {
	for _, id := range []string{"a", "acme:alice", "a/b", `"'%`, "..a", "名前", strings.Repeat("é", 255), " "} {
		if err := CheckID("user_id", id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	for _, id := range []string{"", ".", "..", "a\x00", "a\n", "\u0085", strings.Repeat("é", 256), "\xff"} {
		if err := CheckID("user_id", id); KindOf(err) != Invalid {
			t.Errorf("%q: err = %v, want invalid", id, err)
		}
	}
}

func FuzzParseMessage(f *testing.F) {
	f.Add([]byte(`{"role":"user","content":"hi","id":"1","x":[1,{"a":null}]}`))
	f.Add([]byte(`{"role":"assistant","content":[{"type":"text","text":"\ud800\u0000"}],"tool_calls":[1]}`))
	f.Add([]byte("{\"role\":\"tool\",\"content\":\"\xff\\\\ud800\"}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return
		}
		m, err := ParseMessage(raw)
		if err != nil {
			if KindOf(err) != Invalid {
				t.Fatalf("kind of %v", err)
			}
			return
		}
		if !json.Valid(m.Raw) || !utf8.Valid(m.Raw) {
			t.Fatalf("raw is not clean JSON: %q", m.Raw)
		}
		again, err := ParseMessage(m.Raw)
		if err != nil {
			t.Fatalf("what was kept does not parse: %v", err)
		}
		if string(again.Raw) != string(m.Raw) || again.Text != m.Text || again.Role != m.Role || again.Name != m.Name {
			t.Fatalf("parsing is not stable: %q then %q", m.Raw, again.Raw)
		}
		if strings.ContainsRune(m.Text, 0) || !utf8.ValidString(m.Text) {
			t.Fatalf("text %q", m.Text)
		}
	})
}

// What an object is taken apart into is what encoding/json finds in it.
func FuzzSplitObject(f *testing.F) {
	for _, s := range []string{`{}`, ` { "a" : 1 , "b":[1, {"c": "}\\\""}] } `, `{"a":1,"a":2,"\u0061":3}`, `{"a":-1.5e3}`, `{"a":null,"b":true}`,
		`{"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"3":0,"9":{}}`, `{"a":"\ud83d"}`, `{"a":1} 2`, `[1]`, `"{}"`, ``, `{"a"}`, "{\"a\xff\":1}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want map[string]json.RawMessage
		err := json.Unmarshal(raw, &want)
		got, gotErr := splitObject(raw)
		if (err == nil && want != nil) != (gotErr == nil) {
			t.Fatalf("%q: %v, want %v", raw, gotErr, err)
		}
		if len(got) != len(want) {
			t.Fatalf("%q: %d members, want %d", raw, len(got), len(want))
		}
		for _, m := range got {
			if string(m.value) != string(want[m.key]) {
				t.Errorf("%q: %q is %q, want %q", raw, m.key, m.value, want[m.key])
			}
		}
	})
}
