package extract

import (
	"context"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A secret in a string of a program ("mi contrase\u00f1a es x", "password\tx", a key whose lines
// "\n" parts) is looked for in what the string says, and what is left is written as a string
// again. So are the strings in it, as where a tool was given JSON in JSON.

// escapesDeep is how deep strings in strings are looked into.
const escapesDeep = 4

// written is a string as programs write it, between marks of the same kind: where what stands
// between them is. One that was cut at the end of the text ends there.
type written struct {
	start, end int
	mark       byte
	escaped    bool
}

// stringsOf finds the strings of a text. One begins where something other than a word is before
// it: an apostrophe begins none.
func stringsOf(text string) []written {
	var out []written
	i := 0
	if end, ok := cutOffString(text); ok {
		out = append(out, written{end: end, mark: '"', escaped: true})
		i = end + 1
	}
	for ; i < len(text); i++ {
		mark := text[i]
		if mark != '"' && mark != '\'' || i > 0 && strings.IndexByte(" \t\r\n{[(,:=", text[i-1]) < 0 {
			continue
		}
		w := written{start: i + 1, mark: mark}
		j := i + 1
		for ; j < len(text) && text[j] != mark; j++ {
			if text[j] == '\\' {
				w.escaped = true
				j++
			}
		}
		if w.end = min(j, len(text)); j >= len(text) && !w.escaped {
			continue // an apostrophe, or a string that says what it is
		}
		out = append(out, w)
		i = w.end
	}
	return out
}

// cutOffString gives the end of a string at the beginning of a text of which the beginning was cut
// off: lines are parted in it as in a string, and by nothing else.
func cutOffString(text string) (end int, ok bool) {
	for end < len(text) && text[end] != '"' && text[end] != '\n' {
		if text[end] == '\\' {
			ok = ok || strings.HasPrefix(text[end:], `\n`)
			end++
		}
		end++
	}
	end = min(end, len(text))
	return end, ok && (end == len(text) || text[end] == '"' && strings.ContainsAny(head(text[end+1:], 1)+"\n", "}],\n"))
}

// withoutEscaped takes secrets out of the strings of a text that have to be read to see them.
func withoutEscaped(ctx context.Context, text string, deep int) (string, []taken, error) {
	if deep == 0 || strings.IndexByte(text, '\\') < 0 {
		return text, nil, nil
	}
	var out strings.Builder
	var values []taken
	done := 0
	var key string // what the string before says, if this one is the value of it
	all := stringsOf(text)
	for i, w := range all {
		said := text[w.start:w.end]
		if w.escaped {
			said = unescaped(said)
		}
		named := key
		key = ""
		if i+1 < len(all) && isMember(text[w.end:all[i+1].start]) {
			key = said
		}
		if !w.escaped {
			continue
		}
		left, more, err := redactDeep(ctx, said, deep-1)
		if err != nil {
			return "", nil, err
		}
		if kind := nameOf(named, "", "").kind; named != "" && left == said && secretMember(kind, said) {
			left, more = kind.mark(), []taken{{said, kind.mark()}}
		}
		if left == said {
			continue
		}
		values = append(values, more...)
		out.WriteString(text[done:w.start])
		out.WriteString(escape(left, w.mark))
		done = w.end
	}
	if done == 0 {
		return text, nil, nil
	}
	out.WriteString(text[done:])
	return out.String(), values, nil
}

// isMember says whether what stands between two strings makes them a name and its value.
func isMember(between string) bool {
	return len(between) <= 8 && strings.Trim(between, " \t\r\n\"'") == ":"
}

// secretMember says whether what is written as the value of a name is what the name says, though
// it could not be told from its look.
func secretMember(kind secretKind, value string) bool {
	switch kind {
	case aPassword, aKey, aPhrase:
		return value != "" && !pretend.MatchString(value) && !strings.Contains(value, markBegin) && !isProse(value) && len(strings.Fields(value)) == 1
	}
	return false
}

// readable gives a text with the letters that its strings give by number ("\u00f1"), as a reader
// would write them.
func readable(text string) string {
	if !strings.Contains(text, `\u`) {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '\\' || i+1 >= len(text) {
			out.WriteByte(text[i])
			i++
			continue
		}
		if r, size := byNumber(text[i:]); r >= 0xA0 && unicode.IsPrint(r) || r >= 0 && r < 0x80 && isASCIIAlnum(byte(r)) {
			out.WriteRune(r)
			i += size
			continue
		}
		out.WriteString(text[i : i+2]) // also what is no number: "\\u00f1"
		i += 2
	}
	return out.String()
}

// byNumber gives the letter that a text begins with the number of, and the bytes of that; -1 if
// it does with none.
func byNumber(text string) (rune, int) {
	r, ok := hexRune(text)
	if !ok {
		return -1, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if low, ok := hexRune(text[6:]); ok {
		if r := utf16.DecodeRune(r, low); r != utf8.RuneError {
			return r, 12
		}
	}
	return -1, 0
}

// hexRune reads "\u00f1".
func hexRune(text string) (rune, bool) {
	if len(text) < 6 || text[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}

// escapes are what a letter behind a backslash says.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', '"': '"', '\'': '\'', '\\': '\\', '/': '/'}

// unescaped gives what a string says; what no string has in it stays as it is.
func unescaped(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '\\' || i+1 >= len(text) {
			out.WriteByte(text[i])
			i++
			continue
		}
		if r, size := byNumber(text[i:]); size > 0 {
			out.WriteRune(r)
			i += size
			continue
		}
		if b, ok := escapes[text[i+1]]; ok {
			out.WriteByte(b)
		} else {
			out.WriteString(text[i : i+2])
		}
		i += 2
	}
	return out.String()
}

// escape writes what a string says.
func escape(text string, mark byte) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch b := text[i]; b {
		case '\n':
			out.WriteString(`\n`)
		case '\t':
			out.WriteString(`\t`)
		case '\r':
			out.WriteString(`\r`)
		case '\\', mark:
			out.WriteByte('\\')
			out.WriteByte(b)
		default:
			if b < ' ' {
				out.WriteString(`\u00` + strconv.FormatUint(uint64(b)+0x100, 16)[1:])
				continue
			}
			out.WriteByte(b)
		}
	}
	return out.String()
}
