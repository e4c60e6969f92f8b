package extract

import (
	"context"
	"strings"
	"unicode"
)

var (
	// recallHeading opens a block of recalled text, as an assembled context has it.
	recallHeading = newPattern(`(?i)^\W{0,6}(?:(?:retrieved|recalled|relevant)\s+(?:long[- ]term\s+)?memories)\b[^:\n]{0,60}:`)
	// recallTitle is such a heading on a line of its own, in other words.
	recallTitle = newPattern(`(?i)^\W{0,6}(?:(?:here (?:is|are) )?(?:what (?:i|we|you) (?:know|remember|have)|known facts|facts|memories|information|notes|context|background|things (?:i|we|you) (?:know|remember)|recalled|retrieved)\s+(?:facts\s+|memories\s+)?(?:about|of|on|for) (?:the user|this user|user|you)|user(?:'s)? (?:memories|memory|facts|profile)|(?:stored|saved|long[- ]term) memor(?:y|ies))\b[^:\n]{0,40}:?\W*$`)
	// memoryTitle is one that only counts before lines that say who spoke.
	memoryTitle = newPattern(`(?i)^\W{0,6}memor(?:y|ies)\W*$`)
	// aboutUser is a line that tells of "the user" as a memory does: nobody says so of
	// themself.
	aboutUser = newPattern(`(?i)^\W{0,4}(?:\d{1,3}[.)]\s*)?(?:memory:\s*)?(?:the )?user(?:(?:'s|’s) (?:name|favou?rite|dog|cat|wife|husband|sister|brother|son|daughter|job|age|birthday|home|hobb\pL+)\b|\s+(?:lives in|likes|loves|prefers|enjoys|dislikes|hates|works (?:at|as|for)|moved to|owns a|is (?:called|named|allergic|vegan|vegetarian|married|from|a (?:nurse|teacher|developer|student|doctor|vegan|vegetarian))|has (?:a|two|three|an) (?:dog|cat|sister|brother|son|daughter|kid|child|wife|husband|boat|allergy)|said|mentioned|told)\b)`)
	// recallTag is the same in the manner of markup.
	recallTag = newPattern(`(?i)<\s*(/?)\s*([a-z_-]{0,30}(?:memory|memories|recalled|user_info|user-info|user_profile|user-profile|userinfo|known_facts|user_facts)[a-z_-]{0,30})\b[^>\n]*>`)
	// recallLine is a line of such a block: "role: text", "- text" or "1. text".
	recallLine = newPattern(`^\s*(?:[-*•]\s+|\d{1,3}[.)]\s+)?(?:\[[^\]]{1,60}\]\s*)?[\p{L}\p{N}_ .-]{1,40}:\s|^\s*(?:[-*•]|\d{1,3}[.)])\s+`)
	// turnLine is a line of a chat that was pasted or given as an example.
	turnLine = newPattern(`(?i)^\s*(?:[-*>]\s+)?\**\s*(user|human|assistant|ai|bot|system|input|output|q|a)\s*\**\s*:\s*\**`)
	// exampleWord says that what follows are examples.
	exampleWord = newPattern(`(?i)\b(?:examples?|few[- ]shot|sample (?:dialog(?:ue)?|conversation|chat))\b`)
)

// Clean gives what of a message's text is learned from; other extractors begin with
// it too. It is what the first MaxText bytes have to say for themselves: valid text
// without control characters and direction overrides, without recalled memories that
// came back in it, without chats given as examples, secrets redacted. Line breaks stay.
func Clean(text string) string {
	text, _ = clean(context.Background(), text) // its only error is its context's
	return text
}

// clean is Clean for as long as ctx lasts.
func clean(ctx context.Context, text string) (string, error) { return cleaned(ctx, text, false) }

// cleaned is clean, with or without secrets.
func cleaned(ctx context.Context, text string, keepSecrets bool) (string, error) {
	text, rest := bound(text)
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			return '\n'
		case r == '\t':
			return ' '
		case unicode.IsControl(r), r == '\uFEFF', r >= '\u202A' && r <= '\u202E', r >= '\u2066' && r <= '\u2069':
			return -1
		}
		return r
	}, text)
	if err := ctx.Err(); err != nil {
		return "", err
	}
	text += closingTags(ctx, text, rest)
	if err := ctx.Err(); err != nil {
		return "", err
	}
	text = dropRecalled(text)
	if err := ctx.Err(); err != nil {
		return "", err
	}
	text = dropExamples(text)
	text += closingFence(ctx, text, rest)
	if keepSecrets {
		return text, ctx.Err()
	}
	return redact(ctx, text)
}

// dropRecalled takes out blocks of recalled text: a heading with the lines that
// follow in its form, or a pair of tags with all between them.
func dropRecalled(text string) string {
	text = dropTagged(text)
	if low := strings.ToLower(text); !strings.Contains(low, "memor") && !strings.Contains(low, "user") && !strings.Contains(low, "you") {
		return text
	}
	var kept []string
	inside := false
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		switch {
		case aboutUser.MatchString(line):
		case recallHeading.MatchString(line), recallTitle.MatchString(line), memoryTitle.MatchString(line) && i+1 < len(lines) && turnLine.MatchString(lines[i+1]):
			inside = true
		case inside && recallLine.MatchString(line):
		default:
			inside = false
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// dropTagged takes out recall tags that close, with all between them.
func dropTagged(text string) string {
	tags := recallTag.FindAllStringSubmatchIndex(text, -1)
	closing := map[string]int{} // tags still to come that close what their name opens
	name := func(tag []int) string { return strings.ToLower(text[tag[4]:tag[5]]) }
	closes := func(tag []int) bool { return tag[2] < tag[3] }
	for _, tag := range tags {
		if closes(tag) {
			closing[name(tag)]++
		}
	}
	var out strings.Builder
	done, open := 0, ""
	for _, tag := range tags {
		n := name(tag)
		switch {
		case closes(tag):
			closing[n]--
			if open == n {
				done, open = tag[1], ""
			}
		case open == "" && closing[n] > 0:
			out.WriteString(text[done:tag[0]] + "\n")
			open = n
		}
	}
	return out.String() + text[done:]
}

// dropExamples takes out chats with both sides marked ("User: … Assistant: …"):
// what is said in them was not said by who sent them. Questions and answers marked
// "Q:" and "A:", inputs and outputs count only if called examples.
func dropExamples(text string) string {
	lines := strings.Split(text, "\n")
	sides := map[string]bool{}
	users := 0
	for _, line := range lines {
		if m := turnLine.FindStringSubmatch(line); m != nil {
			side := strings.ToLower(m[1])
			sides[side] = true
			if side == "user" {
				users++
			}
		}
	}
	lines, paired := withoutPairs(lines)
	chat := (sides["user"] || sides["human"]) && (sides["assistant"] || sides["ai"] || sides["bot"]) || users > 1
	pairs := (sides["q"] && sides["a"] || sides["input"] && sides["output"]) && exampleWord.MatchString(text)
	if !chat && !pairs {
		if paired {
			return strings.Join(lines, "\n")
		}
		return text
	}
	var kept []string
	inside := false
	for _, line := range lines {
		switch {
		case turnLine.MatchString(line):
			inside = true
		case inside && strings.TrimSpace(line) != "":
		default:
			inside = false
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

var (
	// labelLine is a line of a pasted talk or of examples: who says it or what it is.
	labelLine = newPattern(`^\s*(?:[\[(]?\d{1,2}:\d\d(?::\d\d)?(?:\s?[AaPp][Mm])?[\])]?,?\s*(?:-\s*)?)?([\pL][\pL\d_-]{0,20}(?: [\pL][\pL\d_-]{0,20})?):(?:\s|$)`)
	// stamped is one that begins with the time of day.
	stamped = newPattern(`^\s*[\[(]?\d{1,2}:\d\d`)
)

// withoutPairs takes out lines with two labels that come by turns, twice each at least:
// examples ("Input: … Output: …") or a talk of others that was pasted. It says whether
// there were any.
func withoutPairs(lines []string) ([]string, bool) {
	count := map[string]int{}
	last, turns, stamps := "", 0, 0
	for _, line := range lines {
		m := labelLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		label := strings.ToLower(m[1])
		count[label]++
		if last != "" && label != last {
			turns++
		}
		last = label
		if stamped.MatchString(line) {
			stamps++
		}
	}
	repeated := 0
	for _, n := range count {
		if n > 1 {
			repeated++
		}
	}
	if !(repeated > 1 && turns > 2 || stamps > 1) {
		return lines, false
	}
	var kept []string
	for _, line := range lines {
		if m := labelLine.FindStringSubmatch(line); m != nil && (count[strings.ToLower(m[1])] > 1 || stamped.MatchString(line)) {
			continue
		}
		kept = append(kept, line)
	}
	return kept, true
}
