package httpapi

import (
	"bytes"
	"encoding/json"
	"iter"
	"unicode/utf8"
)

// The functions here take valid JSON apart without copying or changing it: what they
// yield are slices of what they were given. They must only see text that json.Valid
// has accepted.

// isNull says whether a value is null.
func isNull(raw []byte) bool { return bytes.Equal(trim(raw), []byte("null")) }

// trim cuts the white space of JSON from both ends.
func trim(raw []byte) []byte { return bytes.Trim(raw, " \t\r\n") }

// members yields the members of an object in the order given; nothing if raw is no object.
func members(raw []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		i := skipSpace(raw, 0)
		if i >= len(raw) || raw[i] != '{' {
			return
		}
		i = skipSpace(raw, i+1)
		for i < len(raw) && raw[i] == '"' {
			end := skipValue(raw, i)
			key := text(raw[i:end])
			i = skipSpace(raw, skipSpace(raw, end)+1) // past the colon
			end = skipValue(raw, i)
			if !yield(key, raw[i:end:end]) {
				return
			}
			if i = skipSpace(raw, end); raw[i] == '}' {
				return
			}
			i = skipSpace(raw, i+1) // past the comma
		}
	}
}

// elements yields the elements of an array; nothing if raw is no array.
func elements(raw []byte) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		i := skipSpace(raw, 0)
		if i >= len(raw) || raw[i] != '[' {
			return
		}
		i = skipSpace(raw, i+1)
		for i < len(raw) && raw[i] != ']' {
			end := skipValue(raw, i)
			if !yield(raw[i:end:end]) {
				return
			}
			if i = skipSpace(raw, end); raw[i] == ']' {
				return
			}
			i = skipSpace(raw, i+1) // past the comma
		}
	}
}

// numbers yields the numbers anywhere in raw.
func numbers(raw []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := 0; i < len(raw); {
			switch c := raw[i]; {
			case c == '"':
				i = skipValue(raw, i)
			case c == '-' || c >= '0' && c <= '9':
				end := skipValue(raw, i)
				if !yield(raw[i:end:end]) {
					return
				}
				i = end
			default:
				i++
			}
		}
	}
}

// text reads a JSON string; lone surrogates and bytes that are no UTF-8 become U+FFFD.
func text(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	_ = json.Unmarshal(raw, &s) // raw is a valid string
	return s
}

// holdsNUL says whether a string or a key anywhere in raw holds U+0000.
func holdsNUL(raw []byte) bool {
	if !bytes.Contains(raw, []byte(`\u0000`)) {
		return false
	}
	for i := 0; i+5 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if bytes.HasPrefix(raw[i:], []byte(`\u0000`)) {
			return true
		}
		i++ // the escaped character may itself be a backslash
	}
	return false
}

func skipSpace(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\r' || raw[i] == '\n') {
		i++
	}
	return i
}

// skipValue gives the index after the value that begins at i.
func skipValue(raw []byte, i int) int {
	depth := 0
	for i < len(raw) {
		switch raw[i] {
		case '"':
			for i++; raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
			i++
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\r', '\n':
			i++
			continue
		default: // a number or a word
			for i < len(raw) && !bytes.ContainsRune([]byte(",:]} \t\r\n"), rune(raw[i])) {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
	return i
}
