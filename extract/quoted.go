package extract

import "strings"

// What a user quotes was said by somebody else.

// dropQuoted takes lines marked as quoted out of a message that has others: what is
// nothing but a quotation is kept, for it may be how its sender writes.
func dropQuoted(text string) string {
	if !strings.Contains(text, ">") {
		return text
	}
	var kept []string
	own, quoted := false, false
	for _, line := range strings.Split(text, "\n") {
		if quoteMark.MatchString(line) && hasContent(line) {
			quoted = true
			continue
		}
		own = own || hasContent(line)
		kept = append(kept, line)
	}
	if !own || !quoted {
		return text
	}
	return strings.Join(kept, "\n")
}
