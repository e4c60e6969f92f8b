package assemble

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memdhq/memd"
	"golang.org/x/text/unicode/norm"
)

const roleNames = `system|developer|assistant|user|human|tool|function`

// What a model, or the template that a request is put into, could take for the
// beginning of another message, as plain has it. Each is kept readable and made something
// else: "system:" becomes "system -", "<|im_start|>" becomes "< | im_start|>", "### System"
// becomes "- System".
var (
	roleMarker  = regexp.MustCompile(`(?:\b|[\d_])(?:` + roleNames + `)(?: (?:prompt|message|instructions?))?[*_~\x60"')\]}>]*(\s*:)`)
	headMarker  = regexp.MustCompile(`(#{2,6})[\s*_]*(?:(?:` + roleNames + `)\b|(?:instructions?|input|response)[\s*_]*:)`)
	labelMarker = regexp.MustCompile(`\[(/?(?:` + roleNames + `)\])`)
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
		case enclosed(r) && standsAlone(text, i, r): // a bullet
			add("*", i)
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
	for _, first := range enclosedLetters {
		if r >= first && r < first+26 {
			return 'a' + r - first
		}
	}
	if unicode.Is(unicode.Mn, r) {
		return -1
	}
	return r
}

// enclosedLetters are where rows of letters in circles or squares begin that have no plain form
// in Unicode.
var enclosedLetters = []rune{0x1F150, 0x1F170, 0x1F1E6}

// enclosed says whether r is a letter in a circle or the like.
func enclosed(r rune) bool {
	return r >= 0x249C && r <= 0x24E9 || r >= 0x1F110 && r <= 0x1F149 || r >= 0x1F150 && r <= 0x1F189 || r >= 0x1F1E6 && r <= 0x1F1FF
}

// standsAlone says whether r, at i, is beside no letter.
func standsAlone(text string, i int, r rune) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
	return !unicode.IsLetter(before) && !enclosed(before) && !unicode.IsLetter(after) && !enclosed(after)
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

// marks are the characters that markers are made with, leadingMarks those that the first of a
// line is made with.
const (
	marks        = ":<[|#"
	leadingMarks = marks + "*="
)

// marked says whether a text has a character that can be taken for one of these.
func marked(text, of string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		if r < utf8.RuneSelf {
			return strings.ContainsRune(of, r)
		}
		if _, like := likeMarks[r]; like {
			return true
		}
		return r >= 0xFE10 && !itself(r) && strings.ContainsAny(norm.NFKC.String(string(r)), of)
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
	if !marked(line, marks) {
		return line
	}
	line = defuseTokens(line)
	line = edit(line, tagMarker, " ", false)
	line = edit(line, labelMarker, " ", false)
	line = edit(line, headMarker, "-", true)
	return edit(line, roleMarker, " -", true, isKey)
}

// maxBeforeKey is how much of a line is looked at for the beginning of an object.
const maxBeforeKey = 4 << 10

// isKey says whether what read has from one place to another is the end of a key in a JSON object
// that a line quotes, like what a tool was called with, and its colon.
func isKey(read string, from, to int) bool {
	begin := max(0, from-maxBeforeKey)
	open := strings.LastIndexByte(read[begin:from], '"') + begin
	if open < begin || read[to-1] != ':' || !strings.HasSuffix(strings.TrimRight(read[from:to-1], " "), `"`) {
		return false
	}
	before := strings.TrimRight(read[begin:open], " ")
	value := strings.TrimLeft(read[to:min(len(read), to+8)], " ")
	return (strings.HasSuffix(before, "{") || strings.HasSuffix(before, ",")) &&
		strings.Count(before, "{") > strings.Count(before, "}") && strings.ContainsFunc(before, unicode.IsLetter) &&
		value != "" && strings.IndexByte(`"{[-0123456789tfn`, value[0]) >= 0
}

// defuseTokens does so with what templates begin and end messages with.
func defuseTokens(text string) string {
	if !marked(text, marks) {
		return text
	}
	return edit(text, tokenMarker, " ", false)
}

// edit puts something before the group that marks each match of a text as it may be read, or
// in its place, save where one of except says of the match that it is none.
func edit(text string, marker *regexp.Regexp, by string, replace bool, except ...func(read string, from, to int) bool) string {
	read, at := plain(text)
	var b strings.Builder
	done := 0
	for _, m := range marker.FindAllStringSubmatchIndex(read, -1) {
		if slices.ContainsFunc(except, func(is func(string, int, int) bool) bool { return is(read, m[0], m[1]) }) {
			continue
		}
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

// unled gives a text of which no line begins like another message, whatever signs, numbers and
// markers that were defused stand before it. It reads the text once.
func unled(text string) string {
	if !marked(text, leadingMarks) {
		return text
	}
	read, at := plain(text)
	var b strings.Builder
	done := 0
	for pos := 0; pos < len(read); {
		m := leadingRole(read, pos)
		if m.by == "" {
			next := strings.IndexByte(read[m.end:], '\n')
			if next < 0 {
				break
			}
			pos = m.end + next + 1
			continue
		}
		pos = m.end
		if from := at[m.from]; from >= done {
			b.WriteString(text[done:from])
			b.WriteString(m.by)
			done = from
			if m.to > m.from {
				_, size := utf8.DecodeRuneInString(text[at[m.to-1]:])
				done = at[m.to-1] + size
			}
		}
	}
	return b.String() + text[done:]
}

// leading is what stands in the place of what marks the beginning of a line as another message's,
// "" if nothing does; end is as far as was read.
type leading struct {
	by            string
	from, to, end int
}

// leadingRole looks at what read has at pos for the name of a role behind nothing but signs,
// numbers and markers that were defused: with a colon, alone on a line that is a heading or a
// label, or in brackets.
func leadingRole(read string, pos int) leading {
	for {
		word := pos + signs(read[pos:])
		end := word + len(leadingName.FindString(read[word:min(len(read), word+maxRoleName)]))
		if end == word {
			return leading{end: end}
		}
		line := word - len(read[pos:word]) + 1 + strings.LastIndexByte(read[pos:word], '\n')
		before := read[line:word]
		closed := end + len(read[end:]) - len(strings.TrimLeft(read[end:], "*_~`\"')]}>"))
		to := closed + len(read[closed:]) - len(strings.TrimLeft(read[closed:], " \t\n\f\r"))
		if to < len(read) && read[to] == ':' {
			return leading{" -", closed, to + 1, to + 1}
		}
		if open := strings.TrimRight(before, "/"); closed > end && (strings.HasSuffix(open, "<") && read[end] == '>' || strings.HasSuffix(open, "[") && read[end] == ']') {
			at := line + len(open)
			return leading{" ", at, at, end}
		}
		rest := closed + len(read[closed:]) - len(strings.TrimLeft(read[closed:], "*_#= \t"))
		if strings.ContainsAny(before, "#*=") && (rest == len(read) || read[rest] == '\n') {
			return leading{" -", closed, closed, rest}
		}
		pos = end + signs(read[end:])
		if !strings.Contains(read[end:pos], "-") {
			return leading{end: end}
		}
	}
}

// leadingName is a role's name; maxRoleName is the length of the longest.
var leadingName = regexp.MustCompile(`^(?:` + roleNames + `)(?: (?:prompt|message|instructions?))?`)

const maxRoleName = len("developer instructions")

// signs is how many bytes text begins with that are no words: neither letters, save those that
// number a list, nor a colon, save in a time.
func signs(text string) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsLetter(r):
			if size = len(listed.FindString(text[i:min(len(text), i+maxListed)])); size == 0 {
				return i
			}
		case r == ':' && (i == 0 || i+1 == len(text) || !isDigit(text[i-1]) || !isDigit(text[i+1])):
			return i
		}
		i += size
	}
	return len(text)
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// listed is a letter or a Roman number that numbers a list, with what is behind it.
var listed = regexp.MustCompile(`^(?:[a-z]|[ivx]{2,4})[.)]\s`)

const maxListed = len("viii) ")

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
