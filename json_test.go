package memd

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// Taking apart gives what encoding/json gives, and the bytes are those of the text.
func FuzzTakingJSONApart(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, `null`, `{"a":1}`, ` { "a" : [1, {"b":"}"}] , "c\"\\":-1.5e300,"d":"\ud800" } `, `[[],{},"",null,true,0]`,
		"{\"a\":\"]\",\n\t\"a\":2}", `{"":{"":[]}}`, `"x"`, `[1 ,2 ]`, "{\"\xff\":1}", `{"a":123456789012345678901234567890}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) == nil {
			got := map[string]json.RawMessage{}
			for name, value := range JSONMembers(raw) {
				if !json.Valid(value) {
					t.Fatalf("member %q of %q is %q", name, raw, value)
				}
				got[name] = value
			}
			if len(got) != len(object) {
				t.Fatalf("members of %q: %q, want %q", raw, got, object)
			}
			for name, value := range object {
				if !bytes.Equal(TrimJSON(got[name]), TrimJSON(value)) {
					t.Fatalf("member %q of %q: %q, want %q", name, raw, got[name], value)
				}
			}
		}
		var array []json.RawMessage
		if json.Unmarshal(raw, &array) == nil {
			i := 0
			for value := range JSONElements(raw) {
				if i >= len(array) || !bytes.Equal(TrimJSON(value), TrimJSON(array[i])) {
					t.Fatalf("element %d of %q is %q", i, raw, value)
				}
				i++
			}
			if i != len(array) {
				t.Fatalf("%d elements of %q, want %d", i, raw, len(array))
			}
		}
		var anything any
		if err := json.Unmarshal(raw, &anything); err == nil && HoldsNUL(raw) != deepNUL(anything) {
			t.Fatalf("HoldsNUL(%q) = %v", raw, HoldsNUL(raw))
		}
	})
}

func deepNUL(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, "\x00")
	case []any:
		for _, e := range v {
			if deepNUL(e) {
				return true
			}
		}
	case map[string]any:
		for name, e := range v {
			if strings.Contains(name, "\x00") || deepNUL(e) {
				return true
			}
		}
	}
	return false
}
