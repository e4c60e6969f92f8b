package format

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// sniff tells by the beginning of a text which format it has, "" if none is known, and whether it has
// one value on each line. whole says that there is no more of it.
func sniff(head []byte, whole bool) (format string, lines bool) {
	head = bytes.TrimLeft(head, " \t\r\n\x00")
	if len(head) == 0 {
		return "", false
	}
	if head[0] != '{' && head[0] != '[' {
		return sniffText(head, whole)
	}
	lines = hasLines(head, whole)
	if lines { // the first that is one may not be the first
		for line := range bytes.Lines(head) {
			if line = trimSpace(line); json.Valid(line) {
				if format = sniffJSON(line); format != "" {
					return format, true
				}
			}
		}
		return "", true
	}
	return sniffJSON(head), false
}

// sniffText is sniff of what does not begin as JSON: it may be lines of which the first is broken,
// or a table.
func sniffText(head []byte, whole bool) (format string, lines bool) {
	n := 0
	for line := range bytes.Lines(head) {
		if line = trimSpace(line); len(line) > 0 && (line[0] == '{' || line[0] == '[') && json.Valid(line) {
			if format = sniffJSON(line); format != "" {
				return format, true
			}
		}
		if n++; n > 100 {
			break
		}
	}
	if first, _, _ := bytes.Cut(head, []byte("\n")); len(first) > 0 && separatorOf(first) != 0 {
		return CSV, false
	}
	return "", false
}

// hasLines says whether a text that begins as JSON has a value on each line.
func hasLines(head []byte, whole bool) bool {
	n := 0
	for line := range bytes.Lines(head) {
		if !bytes.HasSuffix(line, []byte("\n")) && !whole { // cut off
			return false
		}
		line = trimSpace(line)
		if len(line) == 0 {
			continue
		}
		if json.Valid(line) && len(line) > 2 {
			// One value that takes one line is read either way; it is not held whole
			// where it is a list.
			return n > 0 || len(trimSpace(head)) > len(line)
		}
		if end := line[len(line)-1]; end == '{' || end == '[' || end == ',' || len(line) <= 2 {
			return false
		}
		if n++; n > 20 {
			return false
		}
	}
	return false
}

// keys are the members of an object as far as its beginning tells: of one that is cut off
// there the value is nil.
type keys map[string]json.RawMessage

func (k keys) has(names ...string) bool {
	for _, n := range names {
		if _, ok := k[n]; !ok {
			return false
		}
	}
	return true
}

// keysOf reads the beginning of an object, or of the first in a list.
func keysOf(head []byte) (k keys, list bool) {
	d := json.NewDecoder(bytes.NewReader(head))
	t, err := d.Token()
	if err == nil && t == json.Delim('[') {
		list = true
		t, err = d.Token()
		for err == nil && t == json.Delim('[') { // lists of messages
			t, err = d.Token()
		}
	}
	if err != nil || t != json.Delim('{') {
		return nil, list
	}
	k = keys{}
	for d.More() {
		name, err := d.Token()
		key, ok := name.(string)
		if err != nil || !ok {
			break
		}
		k[key] = nil
		at := d.InputOffset()
		var v json.RawMessage
		if d.Decode(&v) != nil {
			k[key] = bytes.TrimLeft(head[at:], ": \t\r\n")
			break
		}
		k[key] = v
	}
	return k, list
}

// langChainTypes are what LangChain calls messages.
var langChainTypes = []string{"human", "ai", "system", "tool", "function", "chat", "AIMessageChunk", "HumanMessageChunk", "remove"}

func sniffJSON(head []byte) string {
	k, list := keysOf(head)
	switch {
	case k == nil:
		if first := firstText(head); len(first) > 0 && first[0] == '{' && sniffJSON(first) == LangChain {
			return LangChain
		}
		return ""
	case plainText(k["type"]) == "memd.export":
		return Memd
	case k.has("mapping"):
		return ChatGPT
	case k.has("chat_messages"):
		return Claude
	case k.has("lc", "kwargs"), k.has("channel_values"), k.has("checkpoint"), k.has("values") && !k.has("role"):
		return LangChain
	case slices.Contains(langChainTypes, plainText(k["type"])) && (k.has("data") || k.has("content")):
		return LangChain
	case k.has("session_id", "message") && looksOf(k["message"]) == LangChain, k.has("SessionId", "History") && looksOf(k["History"]) == LangChain:
		return LangChain
	case k.has("conversations"), k.has("from", "value"):
		return ShareGPT
	case k.has("messages"):
		if looksOf(k["messages"]) == LangChain {
			return LangChain
		}
		return OpenAI
	case k.has("role") && (k.has("content") || k.has("tool_calls") || k.has("function_call")):
		return OpenAI
	case k.has("body") && bytes.Contains(k["body"], []byte(`"messages"`)), k.has("request") && bytes.Contains(k["request"], []byte(`"messages"`)),
		k.has("input", "preferred_output"):
		return OpenAI
	case k.has("ts") && (k.has("user") || k.has("bot_id") || k.has("subtype") || k.has("text")):
		return Slack
	}
	return sniffMemories(k, list)
}

// looksOf sniffs what begins within something else.
func looksOf(raw json.RawMessage) string {
	if raw = trimSpace(raw); len(raw) > 0 && raw[0] == '"' { // as text
		raw = trimSpace([]byte(plainText(raw)))
	}
	return sniffJSON(raw)
}

// firstText gives the first of a list of texts, nil if it is none.
func firstText(head []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(head))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return nil
	}
	var first string
	if d.Decode(&first) != nil {
		return nil
	}
	return trimSpace([]byte(first))
}

// sniffMemories tells memories of mem0 from those of PowerMem.
func sniffMemories(k keys, list bool) string {
	switch {
	case k.has("success", "data"):
		return PowerMem
	case k.isCollection():
		return Mem0
	}
	for _, name := range []string{"results", "memories", "data"} {
		if k.has(name) && !list && !k.has("memory") {
			if inner, _ := keysOf(k[name]); inner != nil {
				return sniffMemories(inner, true)
			}
			if name != "data" {
				return Mem0
			}
		}
	}
	id := trimSpace(k["id"])
	switch {
	case k.has("payload"):
		if inner, _ := keysOf(k["payload"]); inner != nil && inner.has("data") {
			if inner.has("fulltext_content") || bytes.Contains(k["payload"], []byte(`"intelligence"`)) {
				return PowerMem
			}
			return Mem0
		}
		return ""
	case !k.has("memory") && !(k.has("content") && (k.has("user_id") || k.has("memory_id"))) && !(k.has("id", "document") && (k.has("user_id") || k.has("metadata"))):
		return ""
	case len(id) > 0 && id[0] != '"', k.has("memory_id"), !k.has("memory"), k.has("category"),
		strings.Contains(string(k["metadata"]), `"intelligence"`), strings.Contains(string(k["metadata"]), `"fulltext_content"`):
		return PowerMem
	}
	return Mem0
}
