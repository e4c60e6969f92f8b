package assemble

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memdhq/memd"
	"golang.org/x/text/unicode/norm"
)

const roleNames = `system|developer|assistant|user|human|tool|function`

// What a model, or the template that a request is put into, could take for the
// beginning of another message, as plain has it. Each is kept readable and made something
// else: "system:" becomes "system -", "<|im_start|>" becomes "< | im_start|>".
var (
	roleMarker  = regexp.MustCompile(`\b(?:` + roleNames + `)[*_~\x60"')\]}>]*(\s*:)`)
	tagMarker   = regexp.MustCompile(`<(/?(?:system|sys|developer|assistant|user|human|tool|function|im_start|im_end|s)\b)`)
	tokenMarker = regexp.MustCompile(`<(\|)|<(/?(?:start_of_turn|end_of_turn|im_start|im_end|begin_of_text|end_of_text|start_header_id|end_header_id|eot_id)\b)|\[(/?inst\])|\|((?:im_start|im_end|im_sep|system|developer|assistant|user|human|tool|endoftext|eot_id|begin_of_text|start_header_id|end_header_id)\|)`)

	roleAsSpoken = map[string]bool{"system": true, "developer": true, "assistant": true, "user": true, "human": true, "tool": true, "function": true}
)

// likeMarks are characters that can be taken for those that markers are made with, beside
// the compatibility forms of these.
var likeMarks = map[rune]string{
	0x2236: ":", 0xA789: ":", 0x02F8: ":", 0x05C3: ":", 0x0589: ":", 0x0703: ":", 0x0704: ":", 0x16EC: ":", 0x1803: ":", 0xFE30: ":", 0xA4FD: ":", 0x02D0: ":",
	0x2223: "|", 0x01C0: "|", 0x2502: "|",
	0x2039: "<", 0x3008: "<", 0x2329: "<",
}

// plain is a text as it may be read: in lower case, in the plain forms of its letters, without
// what shows nothing. at gives for each byte of it, and for its end, where in the text that is.
func plain(text string) (read string, at []int) {
	var b strings.Builder
	add := func(s string, from int) {
		for range len(s) {
			at = append(at, from)
		}
		b.WriteString(s)
	}
	for i, r := range text {
		switch like := likeMarks[r]; {
		case r < utf8.RuneSelf:
			add(string(unicode.ToLower(r)), i)
		case like != "":
			add(like, i)
		case hidden(r), ignorable(r):
		default:
			add(strings.ToLower(norm.NFKC.String(string(r))), i)
		}
	}
	return b.String(), append(at, len(text))
}

// ignorable says whether r shows nothing by itself, though languages or emoji need it.
func ignorable(r rune) bool {
	return r == 0x200C || r == 0x200D || r >= 0x180B && r <= 0x180F || r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF || r == 0x17B4 || r == 0x17B5
}

// marked says whether a text has a character that a marker could be made with.
func marked(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		if r < utf8.RuneSelf {
			return r == ':' || r == '<' || r == '[' || r == '|'
		}
		if _, like := likeMarks[r]; like {
			return true
		}
		return r >= 0xFE10 && strings.ContainsAny(norm.NFKC.String(string(r)), ":<[|")
	})
}

// quotation makes of a text one line that cannot pass for anything but a text: line
// breaks and runs of blanks become one blank, characters that show nothing or turn
// the direction of writing go, markers of roles are defused. Applying it twice
// changes nothing.
func quotation(text string) string {
	// What one step yields may be what another looks for.
	for {
		next := defuse(oneLine(text))
		if next == text {
			return next
		}
		text = next
	}
}

func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), hidden(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.Fields(text), " ")
}

// hidden says whether r shows nothing and is not needed to write any language or
// emoji: what could hide an instruction, or split a marker.
func hidden(r rune) bool {
	switch {
	case r == 0x00AD, r == 0x200B, r == 0x2060, r == 0xFEFF, r == 0x034F, // soft hyphen, zero width, joiner
		r == 0x200E, r == 0x200F, r == 0x061C, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x206F, // directions
		r >= 0x2061 && r <= 0x2065, r == 0x180E, r >= 0xFFF0 && r <= 0xFFFB, // operators, separators
		r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, // fillers
		r >= 0xE0000 && r <= 0xE007F: // tags
		return true
	}
	return false
}

// defuse makes what could be taken for the beginning of a message something else.
func defuse(line string) string {
	if !marked(line) {
		return line
	}
	line = defuseTokens(line)
	line = edit(line, tagMarker, " ", false)
	return edit(line, roleMarker, " -", true)
}

// defuseTokens does so with what templates begin and end messages with.
func defuseTokens(text string) string {
	if !marked(text) {
		return text
	}
	return edit(text, tokenMarker, " ", false)
}

// edit puts something before the group that marks each match of a text as it may be read, or
// in its place.
func edit(text string, marker *regexp.Regexp, by string, replace bool) string {
	read, at := plain(text)
	var b strings.Builder
	done := 0
	for _, m := range marker.FindAllStringSubmatchIndex(read, -1) {
		for g := 2; g < len(m); g += 2 {
			if m[g] < 0 {
				continue
			}
			from, to := at[m[g]], at[m[g]]
			if replace {
				_, size := utf8.DecodeRuneInString(text[at[m[g+1]-1]:])
				to = at[m[g+1]-1] + size
			}
			if from < done {
				continue
			}
			b.WriteString(text[done:from])
			b.WriteString(by)
			done = to
		}
	}
	return b.String() + text[done:]
}

// indented gives a text whose further lines are indented, so that none of them can
// pass for the beginning of another message, and which holds no token of a chat
// template. All else stays as it is: it may be code.
func indented(text string) string {
	text = defuseTokens(strings.ReplaceAll(text, "\r\n", "\n"))
	lines := strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '\n', '\v', '\f', '\r', 0x85, 0x2028, 0x2029:
			return true
		}
		return false
	})
	return strings.Join(lines, "\n  ")
}

// leadingRole is the marker of a role that a text begins with, whatever signs and markers that
// were defused stand before it.
var leadingRole = regexp.MustCompile(`^(?:[^\pL\pN:]*\b(?:` + roleNames + `)\b[^\pL\pN:]*-)*[^\pL\pN:]*` + roleMarker.String())

// unled gives a text that does not begin like another message.
func unled(text string) string {
	for marked(text) {
		next := edit(text, leadingRole, " -", true)
		if next == text {
			break
		}
		text = next
	}
	return text
}

// speaker gives who a line is by: the actor's name if there is one, else the role. A
// name that is a role's does not count: nobody is "system" by calling themselves so.
func speaker(role, name string) string {
	if name != "" {
		name = quotation(strings.Map(func(r rune) rune {
			if read, _ := plain(string(r)); read == ":" {
				return ' '
			}
			return r
		}, name))
		if name != "" && !isRole(name) {
			return name
		}
	}
	if roleAsSpoken[role] {
		return role
	}
	if role = strings.TrimRight(quotation(role), " :："); role != "" {
		return role
	}
	return string(memd.RoleUser)
}

// isRole says whether a name may be read as that of a role, with whatever signs around it.
func isRole(name string) bool {
	read, _ := plain(name)
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
		return -1
	}, read)
	return strings.TrimSpace(read) == "" || roleAsSpoken[letters]
}

// folded gives the words of a text, in lower case and with blanks around each, for
// finding one text in another.
func folded(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.M, r)
	})
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, " ") + " "
}
