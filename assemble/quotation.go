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
	tokenMarker = regexp.MustCompile(`<(\|)|<(/?(?:start_of_turn|end_of_turn|im_start|im_end|begin_of_text|end_of_text|start_header_id|end_header_id|eot_id)\b)|\[(/?(?:inst|system_prompt|available_tools|tool_calls|tool_results|tool_content)\])|\|((?:im_start|im_end|im_sep|system|developer|assistant|user|human|tool|endoftext|eot_id|begin_of_text|start_header_id|end_header_id)\|)`)

	roleAsSpoken = map[string]bool{"system": true, "developer": true, "assistant": true, "user": true, "human": true, "tool": true, "function": true}
)

// likeMarks are characters that can be taken for those that markers are made with, beside
// the compatibility forms of these.
var likeMarks = map[rune]string{
	0x2236: ":", 0xA789: ":", 0x02F8: ":", 0x05C3: ":", 0x0589: ":", 0x0703: ":", 0x0704: ":", 0x16EC: ":", 0x1803: ":", 0xFE30: ":", 0xA4FD: ":", 0x02D0: ":",
	0x2223: "|", 0x01C0: "|", 0x2502: "|",
	0x2039: "<", 0x3008: "<", 0x2329: "<", 0x226E: "<", 0x2A74: "::=",
}

// likeLetters are letters, in lower case, that can be taken for those of roles' names.
var likeLetters = func() map[rune]rune {
	like := map[rune]rune{}
	for letter, others := range map[rune]string{'a': "аαɑᴀ", 'c': "сϲᴄ", 'd': "ԁᴅ", 'e': "еεҽᴇ", 'f': "ƒꜰ", 'h': "һʜ", 'i': "іιıɩɪ", 'l': "ӏʟ", 'm': "мμᴍ", 'n': "пηɴ",
		'o': "оοσᴏ", 'p': "рρᴘ", 'r': "гʀ", 's': "ѕꜱ", 't': "тτᴛ", 'u': "υцսᴜ", 'v': "ѵνᴠ", 'y': "уүʏγ"} {
		for _, other := range others {
			like[other] = letter
		}
	}
	return like
}()

// plain is a text as it may be read: in lower case, in the plain forms of its letters, without
// marks on them and what shows nothing. at gives for each byte of it, and for its end, where in the text that is.
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
		case itself(r):
			add(text[i:i+utf8.RuneLen(r)], i)
		default:
			add(strings.Map(bare, strings.ToLower(norm.NFKD.String(string(r)))), i)
		}
	}
	return b.String(), append(at, len(text))
}

// bare gives the plain form of a letter; marks on letters have none.
func bare(r rune) rune {
	if like, ok := likeLetters[r]; ok {
		return like
	}
	if unicode.Is(unicode.Mn, r) {
		return -1
	}
	return r
}

// itself says of the most frequent signs of East Asian texts, and of emoji, that they have no
// other form.
func itself(r rune) bool {
	return r >= 0x3041 && r <= 0x3096 || r >= 0x30A1 && r <= 0x30FA || r >= 0x3400 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 || r >= 0x1F300 && r <= 0x1FAFF
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
		return r >= 0xFE10 && !itself(r) && strings.ContainsAny(norm.NFKC.String(string(r)), ":<[|")
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

// indented gives a text whose further lines are indented, of which none begins like another
// message, and which holds no token of a chat template. All else stays as it is: it may be
// code.
func indented(text string) string {
	text = defuseTokens(strings.ReplaceAll(text, "\r\n", "\n"))
	lines := strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '\n', '\v', '\f', '\r', 0x85, 0x2028, 0x2029:
			return true
		}
		return false
	})
	return unled(strings.Join(lines, "\n  "))
}

// unled gives a text of which no line begins like another message, whatever signs and markers
// that were defused stand before it. It reads the text once.
func unled(text string) string {
	if !marked(text) {
		return text
	}
	read, at := plain(text)
	var b strings.Builder
	done := 0
	for pos := 0; pos < len(read); {
		from, to, end := leadingRole(read, pos)
		if from == to {
			next := strings.IndexByte(read[end:], '\n')
			if next < 0 {
				break
			}
			pos = end + next + 1
			continue
		}
		if from, pos = at[from], end; from >= done {
			_, size := utf8.DecodeRuneInString(text[at[to-1]:])
			b.WriteString(text[done:from])
			b.WriteString(" -")
			done = at[to-1] + size
		}
	}
	return b.String() + text[done:]
}

// leadingRole finds the colon of a marker, with the blanks before it, that read has at pos
// behind nothing but signs and markers that were defused, and where what follows it begins. If
// there is none, from is to, and end is as far as was read.
func leadingRole(read string, pos int) (from, to, end int) {
	for {
		word := pos + signs(read[pos:])
		end = word + len(leadingName.FindString(read[word:min(len(read), word+maxRoleName)]))
		if end == word {
			return end, end, end
		}
		from = end + len(read[end:]) - len(strings.TrimLeft(read[end:], "*_~`\"')]}>"))
		to = from + len(read[from:]) - len(strings.TrimLeft(read[from:], " \t\n\f\r"))
		if to < len(read) && read[to] == ':' {
			return from, to + 1, to + 1
		}
		pos = end + signs(read[end:])
		if !strings.Contains(read[end:pos], "-") {
			return end, end, end
		}
	}
}

// leadingName is a role's name; maxRoleName is the length of the longest.
var leadingName = regexp.MustCompile(`^(?:` + roleNames + `)`)

const maxRoleName = len("developer")

// signs is how many bytes text begins with that are neither of letters nor of numbers, nor a
// colon.
func signs(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool { return r == ':' || unicode.IsLetter(r) || unicode.IsNumber(r) })
	if n < 0 {
		return len(text)
	}
	return n
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
