package memd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// MaxNesting is how deep arrays and objects of what a caller sends may lie in each other:
// whoever reads it later may read no deeper than some hundreds.
const MaxNesting = 100

// NestsTooDeep says whether arrays and objects in valid JSON lie more than most deep.
func NestsTooDeep(raw []byte, most int) bool {
	if bytes.Count(raw, []byte("{"))+bytes.Count(raw, []byte("[")) <= most {
		return false
	}
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = skipString(raw, i) - 1
		case '{', '[':
			if depth++; depth > most {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// TwiceGiven names a member that an object anywhere in valid JSON has twice, by the way to
// it ("tool_calls[0].function.name"); ok is false if there is none. The nesting must be
// bounded.
func TwiceGiven(raw json.RawMessage) (at string, ok bool) {
	raw = CleanJSON(raw)
	_, at, ok = twiceGiven(raw, skipSpace(raw, 0))
	return at, ok
}

// fewMembers is how many members of an object are compared one by one.
const fewMembers = 16

// twiceGiven reads the value that begins at i; end is the index after it.
func twiceGiven(raw []byte, i int) (end int, at string, ok bool) {
	switch raw[i] {
	case '{':
		var first [fewMembers][]byte
		few := first[:0]
		var many map[string]struct{}
		for i = skipSpace(raw, i+1); raw[i] != '}'; {
			end := skipString(raw, i)
			key := raw[i+1 : end-1]
			if bytes.IndexByte(key, '\\') >= 0 {
				key = []byte(JSONString(raw[i:end]))
			}
			switch {
			case many != nil:
				_, ok = many[string(key)]
				many[string(key)] = struct{}{}
			case slices.ContainsFunc(few, func(k []byte) bool { return bytes.Equal(k, key) }):
				ok = true
			case len(few) < fewMembers:
				few = append(few, key)
			default:
				many = map[string]struct{}{string(key): {}}
				for _, k := range few {
					many[string(k)] = struct{}{}
				}
			}
			if ok {
				return 0, string(key), true
			}
			var inner string
			if i, inner, ok = twiceGiven(raw, skipSpace(raw, skipSpace(raw, end)+1)); ok { // past the colon
				return 0, join(string(key), inner), true
			}
			i = skipComma(raw, i)
		}
		return i + 1, "", false
	case '[':
		i = skipSpace(raw, i+1)
		for n := 0; raw[i] != ']'; n++ {
			var inner string
			if i, inner, ok = twiceGiven(raw, i); ok {
				return 0, join(fmt.Sprintf("[%d]", n), inner), true
			}
			i = skipComma(raw, i)
		}
		return i + 1, "", false
	case '"':
		return skipString(raw, i), "", false
	}
	return skipValue(raw, i), "", false
}

// join gives the way to what lies at inner within what lies at outer.
func join(outer, inner string) string {
	if strings.HasPrefix(inner, "[") {
		return outer + inner
	}
	return outer + "." + inner
}
