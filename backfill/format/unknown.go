package format

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
)

// unknownWords is why something is set aside that seems empty, and has words where no reader looks for them.
const unknownWords = "says something in members that are not known"

// aboutKeys are members that tell of a message, or of what a model thought to itself: none of what is said.
var aboutKeys = regexp.MustCompile(`(?i)^(?:.*_)?(?:ids?|uuid|type|at|time|ts|timestamp|created|updated|date|name|username|role|from|sender|author|recipient|channel|user|agent|app|bot|team|url|uri|pointer|` +
	`format|status|reason|model|lang|language|zone|timezone|metadata|usage|hash|version|score|categor(?:y|ies)|annotations|logprobs|object|tags?|weight|refusal|mime|mimetype|` +
	`reasoning|reasoning_content|reasoning_details|thinking|thoughts?|signature|fingerprint|kwargs|scope|attributes|lc)$`)

// hasWords says whether there are words anywhere in a value, in members that are not of those that tell about it.
func hasWords(raw json.RawMessage) bool {
	raw = trimSpace(raw)
	if len(raw) == 0 {
		return false
	}
	switch raw[0] {
	case '"':
		return strings.ContainsFunc(plainText(raw), unicode.IsLetter)
	case '[':
		var all []json.RawMessage
		_ = json.Unmarshal(raw, &all)
		for _, v := range all {
			if hasWords(v) {
				return true
			}
		}
	case '{':
		var all map[string]json.RawMessage
		_ = json.Unmarshal(raw, &all)
		if kind := strings.ToLower(plainText(all["type"])); strings.Contains(kind, "thinking") || strings.Contains(kind, "reasoning") {
			return false
		}
		for name, v := range all {
			if !aboutKeys.MatchString(name) && hasWords(v) {
				return true
			}
		}
	}
	return false
}
