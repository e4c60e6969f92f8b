package memd

import (
	"bytes"
	"encoding/json"
	"iter"
	"unicode/utf8"
)

// What takes JSON apart here gives slices of what it was given, neither copied nor changed,
// so that a caller's bytes stay what they were: the order of members, and the digits of
// numbers among them. But for CleanJSON it must only see text that json.Valid has accepted,
// and panics on other text.

// IsNullJSON says whether a value is null.
func IsNullJSON(raw []byte) bool { return bytes.Equal(TrimJSON(raw), []byte("null")) }

// TrimJSON cuts the white space of JSON from both ends.
func TrimJSON(raw []byte) []byte { return bytes.Trim(raw, " \t\r\n") }

// JSONMembers yields the members of an object in the order given, one that comes twice twice;
// nothing if raw is no object.
func JSONMembers(raw []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		i := skipSpace(raw, 0)
		if i >= len(raw) || raw[i] != '{' {
			return
		}
		for i = skipSpace(raw, i+1); raw[i] != '}'; {
			end := skipString(raw, i)
			name := JSONString(raw[i:end])
			i = skipSpace(raw, skipSpace(raw, end)+1) // past the colon
			end = skipValue(raw, i)
			if !yield(name, raw[i:end:end]) {
				return
			}
			i = skipComma(raw, end)
		}
	}
}

// JSONElements yields the elements of an array; nothing if raw is no array.
func JSONElements(raw []byte) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		i := skipSpace(raw, 0)
		if i >= len(raw) || raw[i] != '[' {
			return
		}
		for i = skipSpace(raw, i+1); raw[i] != ']'; {
			end := skipValue(raw, i)
			if !yield(raw[i:end:end]) {
				return
			}
			i = skipComma(raw, end)
		}
	}
}

// JSONNumbers yields the numbers anywhere in raw.
func JSONNumbers(raw []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := 0; i < len(raw); {
			switch c := raw[i]; {
			case c == '"':
				i = skipString(raw, i)
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

// JSONString reads a string; lone surrogates and bytes that are no UTF-8 become U+FFFD.
func JSONString(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	_ = json.Unmarshal(raw, &s) // raw is a valid string
	return s
}

// HoldsNUL says whether a string or a name anywhere in raw holds U+0000.
func HoldsNUL(raw []byte) bool {
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

// skipSpace gives the index of what comes after white space at i.
func skipSpace(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\r' || raw[i] == '\n') {
		i++
	}
	return i
}

// skipComma gives where the next member or element begins after one that ended at i, or
// where the end of all is.
func skipComma(raw []byte, i int) int {
	if i = skipSpace(raw, i); raw[i] == ',' {
		return skipSpace(raw, i+1)
	}
	return i
}

// skipString gives the index after the string that begins at i.
func skipString(raw []byte, i int) int {
	for i++; ; {
		i += bytes.IndexByte(raw[i:], '"')
		escapes := 0
		for raw[i-1-escapes] == '\\' {
			escapes++
		}
		i++
		if escapes%2 == 0 {
			return i
		}
	}
}

// skipValue gives the index after the value that begins at i.
func skipValue(raw []byte, i int) int {
	depth := 0
	for i < len(raw) {
		switch raw[i] {
		case '"':
			i = skipString(raw, i)
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
			for i < len(raw) && bytes.IndexByte([]byte(",:]} \t\r\n"), raw[i]) < 0 {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

const replacement = `\ufffd`

// CleanJSON makes JSON text storable as it stands: bytes that are no UTF-8 become
// U+FFFD, and so do escaped surrogates that have no partner. Everything else, key
// order and the digits of big numbers among it, stays byte for byte. It expects
// syntactically valid JSON and returns raw itself where nothing is to be done.
func CleanJSON(raw json.RawMessage) json.RawMessage {
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	if !bytes.Contains(raw, []byte(`\u`)) {
		return raw
	}
	var out []byte
	last := 0 // what comes before it stands in out, once out is in use
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			i++
			continue
		}
		r, ok := unicodeEscape(raw, i)
		switch {
		case !ok: // another escape; its second byte may be a backslash
			i += 2
		case r < 0xD800 || r > 0xDFFF:
			i += 6
		default:
			if low, ok := unicodeEscape(raw, i+6); r < 0xDC00 && ok && low >= 0xDC00 && low <= 0xDFFF {
				i += 12
				continue
			}
			out = append(append(out, raw[last:i]...), replacement...)
			i += 6
			last = i
		}
	}
	if out == nil {
		return raw
	}
	return append(out, raw[last:]...)
}

// unicodeEscape reads \uXXXX at i.
func unicodeEscape(raw []byte, i int) (rune, bool) {
	if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range raw[i+2 : i+6] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
