package extract

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/memdhq/memd"
)

// MaxText is the most bytes of one message's text that are learned from: some forty
// pages. What follows stays in the log and gives no statement.
const MaxText = 64 << 10

// cutWindow is how far before MaxText a text may be cut to end it well.
const cutWindow = 8 << 10

// CutMark is what the name of an extraction's extractor ends in if one of the
// messages that it learned from is longer than MaxText; else it is "".
func CutMark(messages []memd.Message) string {
	for i := range messages {
		if messages[i].Role.Learnable() && len(messages[i].Text) > MaxText {
			return fmt.Sprintf(" (cut at %d bytes)", MaxText)
		}
	}
	return ""
}

// bound parts a text into what is learned from and the rest: behind a line or a
// sentence if one ends shortly before MaxText, else at a blank, so that no secret is
// cut in two, and else behind a character.
func bound(text string) (kept, rest string) {
	if len(text) <= MaxText {
		return text, ""
	}
	end := MaxText
	for end > MaxText-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	window := text[end-cutWindow : end]
	best := -1
	for _, mark := range []string{"\n", "\r", ". ", "! ", "? ", "。", "！", "？"} {
		if n := strings.LastIndex(window, mark); n >= 0 {
			best = max(best, n+len(mark))
		}
	}
	if best < 0 {
		best = strings.LastIndexAny(window, " \t") + 1
	}
	if best > 0 {
		end += best - cutWindow
	}
	return text[:end], text[end:]
}

// ending is the end of a text, of which no more than MaxText is looked at.
func ending(text string) string {
	if len(text) <= MaxText {
		return text
	}
	start := len(text) - MaxText
	for start < len(text) && !utf8.RuneStart(text[start]) {
		start++
	}
	return text[start:]
}

// patience is how many steps of a scan are taken between two looks at the context.
const patience = 1 << 12

// closingTags gives those tags of the rest that close recalled text which kept
// leaves open: it stays recalled, though its end was cut off.
func closingTags(ctx context.Context, kept, rest string) string {
	open := map[string]bool{}
	if rest == "" || !strings.Contains(kept, "<") {
		return ""
	}
	for _, tag := range recallTag.FindAllStringSubmatch(kept, -1) {
		if name := strings.ToLower(tag[2]); tag[1] == "" {
			open[name] = true
		} else {
			delete(open, name)
		}
	}
	var out strings.Builder
	for step := 0; len(open) > 0 && (step%patience != 0 || ctx.Err() == nil); step++ {
		n := strings.IndexByte(rest, '<')
		if n < 0 {
			break
		}
		rest = strings.TrimLeft(rest[n+1:], " \t\r\n")
		if !strings.HasPrefix(rest, "/") {
			continue
		}
		tag := strings.TrimLeft(head(rest[1:], 200), " \t\r\n")
		end := strings.IndexAny(tag, "> \t\r\n")
		if end < 0 || !strings.Contains(tag[end:], ">") {
			continue
		}
		if name := strings.ToLower(tag[:end]); open[name] {
			out.WriteString("</" + name + ">")
			delete(open, name)
		}
	}
	return out.String()
}

// closingFence gives the fence of the rest that closes code which kept leaves open,
// or "".
func closingFence(ctx context.Context, kept, rest string) string {
	if rest == "" {
		return ""
	}
	lines := strings.Split(kept, "\n")
	for i := 0; i < len(lines); i++ {
		if !fenceLine.MatchString(lines[i]) {
			continue
		}
		mark := strings.TrimSpace(lines[i])[:3]
		end := fenceEnd(lines, i, mark)
		if end < len(lines) {
			i = end
		} else if fences(ctx, rest, mark) {
			return "\n" + mark
		}
	}
	return ""
}

// fences says whether a line of a text begins with a mark.
func fences(ctx context.Context, text, mark string) bool {
	from := 0
	for step := 0; step%patience != 0 || ctx.Err() == nil; step++ {
		n := strings.Index(text[from:], mark)
		if n < 0 {
			return false
		}
		begin := from + n
		for begin > from && (text[begin-1] == ' ' || text[begin-1] == '\t') {
			begin--
		}
		if begin == 0 || strings.IndexByte("\n\r\v\f", text[begin-1]) >= 0 {
			return true
		}
		from += n + len(mark)
	}
	return false
}
