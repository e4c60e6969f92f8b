package assemble

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/memdhq/memd"
)

// What a model, or the template that a request is put into, could take for the
// beginning of another message. Each is kept readable and made something else:
// "system:" becomes "system -", "<|im_start|>" becomes "< |im_start|>".
var (
	roleMarker   = regexp.MustCompile(`(?i)\b(system|developer|assistant|user|human|tool|function)\s*[:：]`)
	tagMarker    = regexp.MustCompile(`(?i)<(/?(?:system|sys|developer|assistant|user|human|tool|function|im_start|im_end|s)\b)`)
	instMarker   = regexp.MustCompile(`(?i)\[(/?INST\])`)
	tokenMarker  = regexp.MustCompile(`<\|`)
	roleAsSpoken = map[string]bool{"system": true, "developer": true, "assistant": true, "user": true, "human": true, "tool": true, "function": true}
)

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
	case r == 0x00AD, r == 0x200B, r == 0x2060, r == 0xFEFF, // soft hyphen, zero width
		r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, // directions
		r >= 0xE0000 && r <= 0xE007F: // tags
		return true
	}
	return false
}

func defuse(line string) string {
	if !strings.ContainsAny(line, ":：<[") {
		return line
	}
	line = roleMarker.ReplaceAllString(line, "$1 -")
	line = tagMarker.ReplaceAllString(line, "< $1")
	line = instMarker.ReplaceAllString(line, "[ $1")
	return tokenMarker.ReplaceAllString(line, "< |")
}

// indented gives a text whose further lines are indented, so that none of them can
// pass for the beginning of another message, and which holds no token of a chat
// template. All else stays as it is: it may be code.
func indented(text string) string {
	text = tokenMarker.ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), "< |")
	lines := strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '\n', '\v', '\f', '\r', 0x85, 0x2028, 0x2029:
			return true
		}
		return false
	})
	return strings.Join(lines, "\n  ")
}

// speaker gives who a line is by: the actor's name if there is one, else the role. A
// name that is a role's does not count: nobody is "system" by calling themselves so.
func speaker(role, name string) string {
	if name != "" {
		name = quotation(strings.NewReplacer(":", " ", "：", " ").Replace(name))
		if name != "" && !roleAsSpoken[strings.ToLower(name)] {
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
