package llm

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is how deep an answer may be nested.
const maxDepth = 32

// kind is what sort of value a node is.
type kind byte

const (
	object  kind = '{'
	list    kind = '['
	text    kind = '"'
	number  kind = '0'
	literal kind = 'n' // true, false, null, or what else stands there bare
)

// node is a JSON value as a model wrote it.
type node struct {
	kind kind
	// text is what a text says, and a number or literal as it stands there.
	text string
	// keys are an object's, as many as items, those that come twice too.
	keys  []string
	items []node
}

// get gives the last value of an object under one of some keys, in any case, that is
// of one of the kinds; false if it has none.
func (n *node) get(keys []string, kinds ...kind) (node, bool) {
	for i := len(n.keys) - 1; i >= 0; i-- {
		for _, key := range keys {
			if !strings.EqualFold(n.keys[i], key) {
				continue
			}
			for _, k := range kinds {
				if n.items[i].kind == k {
					return n.items[i], true
				}
			}
		}
	}
	return node{}, false
}

// reader reads JSON, and what models take for it: commas too many or missing, single
// quotes, bare keys, line breaks and unescaped quotes within texts, comments, an end
// that is missing. Of JSON proper it makes what everyone makes of it.
type reader struct {
	in string
	at int
	// ended says that the input ended before the value did; torn, that what stood
	// there last was not whole and is left out.
	ended, torn bool
}

// value reads one value; ok is false if there is none.
func (r *reader) value(depth int) (n node, ok bool) {
	r.blanks()
	if r.at >= len(r.in) {
		r.ended, r.torn = true, true
		return n, true
	}
	switch c := r.in[r.at]; {
	case depth > maxDepth:
		return n, false
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.list(depth)
	case c == '"' || c == '\'':
		return node{kind: text, text: r.quoted()}, true
	case c == '-' || c == '+' || c >= '0' && c <= '9':
		return node{kind: number, text: r.run(func(c byte) bool {
			return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
		})}, true
	default:
		word := r.run(isWord)
		return node{kind: literal, text: word}, word != ""
	}
}

func (r *reader) object(depth int) (node, bool) {
	n := node{kind: object}
	r.at++
	for {
		r.separators()
		if r.at >= len(r.in) {
			r.ended = true
			return n, true
		}
		var key string
		switch c := r.in[r.at]; {
		case c == '}':
			r.at++
			return n, true
		case c == '"' || c == '\'':
			key = r.quoted()
		default:
			if key = r.run(isWord); key == "" {
				return n, false
			}
		}
		r.blanks()
		if r.at >= len(r.in) {
			r.ended, r.torn = true, true
			return n, true
		}
		if r.in[r.at] != ':' {
			return n, false
		}
		r.at++
		item, ok := r.value(depth + 1)
		if !ok {
			return n, false
		}
		if r.torn && item.kind != object && item.kind != list {
			return n, true
		}
		n.keys, n.items = append(n.keys, key), append(n.items, item)
		if r.ended {
			return n, true
		}
	}
}

func (r *reader) list(depth int) (node, bool) {
	n := node{kind: list}
	r.at++
	for first := true; ; first = false {
		more := r.separators()
		if r.at >= len(r.in) {
			// Behind a comma, or at the beginning, something was to come.
			r.ended, r.torn = true, r.torn || more || first
			return n, true
		}
		if r.in[r.at] == ']' {
			r.at++
			return n, true
		}
		item, ok := r.value(depth + 1)
		if !ok {
			return n, false
		}
		if r.ended {
			r.torn = true // the item has no end
			return n, true
		}
		n.items = append(n.items, item)
	}
}

// quoted reads a text. A quote ends it that is followed by what can follow a text, or
// by the end of the input; any other is part of it.
func (r *reader) quoted() string {
	quote := r.in[r.at]
	r.at++
	var out strings.Builder
	for r.at < len(r.in) {
		switch c := r.in[r.at]; {
		case c == quote && r.closes(r.at+1):
			r.at++
			return out.String()
		case c == '\\':
			r.escape(&out)
		default:
			out.WriteByte(c)
			r.at++
		}
	}
	r.ended, r.torn = true, true
	return out.String()
}

func (r *reader) closes(at int) bool {
	for at < len(r.in) && isBlank(r.in[at]) {
		at++
	}
	return at == len(r.in) || strings.IndexByte(",:}]", r.in[at]) >= 0
}

func (r *reader) escape(out *strings.Builder) {
	r.at++
	if r.at >= len(r.in) {
		return
	}
	c := r.in[r.at]
	r.at++
	switch c {
	case 'n':
		out.WriteByte('\n')
	case 't':
		out.WriteByte('\t')
	case 'r':
		out.WriteByte('\r')
	case 'b':
		out.WriteByte('\b')
	case 'f':
		out.WriteByte('\f')
	case 'u':
		first := r.hex()
		if utf16.IsSurrogate(first) && strings.HasPrefix(r.in[r.at:], `\u`) {
			before := r.at
			r.at += 2
			if both := utf16.DecodeRune(first, r.hex()); both != utf8.RuneError {
				first = both
			} else {
				r.at = before // the second is one of its own
			}
		}
		out.WriteRune(first) // half a pair becomes U+FFFD
	default:
		out.WriteByte(c)
	}
}

// hex reads the four digits of an escape; what are none are left standing.
func (r *reader) hex() rune {
	if len(r.in) < r.at+4 {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(r.in[r.at:r.at+4], 16, 32)
	if err != nil {
		return utf8.RuneError
	}
	r.at += 4
	return rune(n)
}

func (r *reader) run(in func(byte) bool) string {
	start := r.at
	for r.at < len(r.in) && in(r.in[r.at]) {
		r.at++
	}
	return r.in[start:r.at]
}

// blanks passes over blanks and comments to the end of their line.
func (r *reader) blanks() {
	for r.at < len(r.in) {
		switch {
		case isBlank(r.in[r.at]):
			r.at++
		case strings.HasPrefix(r.in[r.at:], "//"):
			r.run(func(c byte) bool { return c != '\n' })
		default:
			return
		}
	}
}

// separators passes over blanks and commas and says whether there was a comma.
func (r *reader) separators() (comma bool) {
	for r.blanks(); r.at < len(r.in) && r.in[r.at] == ','; r.blanks() {
		comma = true
		r.at++
	}
	return comma
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}
