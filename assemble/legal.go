package assemble

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/memdhq/memd"
)

// What goes out is held to OpenAI's chat format here. What is legal stays as it was given, byte
// for byte; what is not is mended, or a text in its place says what it was.

// fields takes an object apart; clean says that it has no member but those allowed, and none
// twice. It is nil for anything else.
func fields(raw json.RawMessage, allowed ...string) (members map[string]json.RawMessage, clean bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	members, clean = map[string]json.RawMessage{}, true
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, false
		}
		key, _ := t.(string)
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil, false
		}
		_, twice := members[key]
		known := false
		for _, a := range allowed {
			known = known || a == key
		}
		clean = clean && known && !twice
		members[key] = value
	}
	return members, clean
}

// object writes members that have a value, in the order given.
func object(members ...member) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, m := range members {
		if m.value == nil {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(quote(m.key))
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

func isString(raw json.RawMessage) bool {
	return len(raw) > 0 && raw[0] == '"'
}

// legalPart makes of a part of a content what a message of the role may hold.
func legalPart(role memd.Role, raw json.RawMessage) part {
	var known struct {
		Type, Text string
	}
	if json.Unmarshal(raw, &known) != nil {
		known.Type = ""
	}
	switch known.Type {
	case "text":
		if _, clean := fields(raw, "type", "text"); clean {
			return part{text: known.Text, raw: raw}
		}
		return part{text: known.Text}
	case "input_text", "output_text": // what another format of OpenAI calls a text
		return part{text: known.Text}
	case "refusal":
		if members, _ := fields(raw); role == memd.RoleAssistant && isString(members["refusal"]) {
			return part{raw: object(member{"type", quote("refusal")}, member{"refusal", members["refusal"]}), is: otherPart}
		}
	case "image_url", "input_image":
		if p, ok := legalImage(raw); ok && role == memd.RoleUser {
			return p
		}
		return part{text: "[image]"}
	case "input_audio":
		if legal, ok := legalInner(raw, "input_audio", "data", "format"); ok && role == memd.RoleUser {
			return part{raw: legal, is: otherPart}
		}
		return part{text: "[audio]"}
	case "file", "input_file":
		if legal, ok := legalInner(raw, "file", "file_id", "file_data", "filename"); ok && role == memd.RoleUser {
			return part{raw: legal, is: otherPart}
		}
		return part{text: fileMark(raw)}
	}
	return part{text: "[attachment]"}
}

// longestName is how much of a file's name is shown.
const longestName = 120

// fileMark stands for a file of which there is no more than a name, as in what was imported.
func fileMark(raw json.RawMessage) string {
	outer, _ := fields(raw)
	inner, _ := fields(outer["file"])
	name := oneLine(cmp.Or(stringOf(inner["filename"]), stringOf(outer["filename"])))
	if r := []rune(name); len(r) > longestName {
		name = string(r[:longestName]) + "…"
	}
	if name == "" {
		return "[file]"
	}
	return "[file: " + name + "]"
}

// legalImage reads a part that is an image; ok is false if it names none.
func legalImage(raw json.RawMessage) (p part, ok bool) {
	outer, clean := fields(raw, "type", "image_url")
	inner, innerClean := fields(outer["image_url"], "url", "detail")
	url, detail := inner["url"], inner["detail"]
	if isString(outer["image_url"]) { // the form of OpenAI's other format
		url, detail = outer["image_url"], outer["detail"]
	}
	if stringOf(url) == "" {
		return part{}, false
	}
	p = part{raw: raw, is: imagePart}
	switch stringOf(detail) {
	case "low":
		p.is = thumbPart
	case "high", "auto":
	default:
		innerClean = innerClean && detail == nil
		detail = nil
	}
	if !clean || !innerClean || stringOf(outer["type"]) != "image_url" {
		p.raw = object(member{"type", quote("image_url")}, member{"image_url", object(member{"url", url}, member{"detail", detail})})
	}
	return p, true
}

// legalInner reads a part that holds an object of strings under its type; ok is false if that
// is not there, or lacks what it cannot do without.
func legalInner(raw json.RawMessage, kind string, keys ...string) (json.RawMessage, bool) {
	outer, clean := fields(raw, "type", kind)
	inner, innerClean := fields(outer[kind], keys...)
	var kept []member
	for _, key := range keys {
		value, there := inner[key]
		if there && !isString(value) {
			innerClean = false
			continue
		}
		kept = append(kept, member{key, value})
	}
	has := func(key string) bool { return stringOf(inner[key]) != "" }
	switch format := stringOf(inner["format"]); {
	case kind == "input_audio" && (!has("data") || format != "wav" && format != "mp3"),
		kind == "file" && !has("file_id") && !has("file_data"):
		return nil, false
	}
	if clean && innerClean && stringOf(outer["type"]) == kind {
		return raw, true
	}
	return object(member{"type", quote(kind)}, member{kind, object(kept...)}), true
}

// callableName is what OpenAI takes as the name of a function.
var callableName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// callable makes a function's name of one that OpenAI would refuse.
func callable(name string) string {
	if callableName.MatchString(name) {
		return name
	}
	name = strings.Map(func(r rune) rune {
		if r < 0x80 && callableName.MatchString(string(r)) {
			return r
		}
		return '_'
	}, name)
	if name = name[:min(len(name), 64)]; name == "" {
		return "tool"
	}
	return name
}

// legalCalls gives the ids of tool calls, and the calls as they may be sent; ok is false if
// there are none.
func legalCalls(raw json.RawMessage) (ids []string, legal json.RawMessage, ok bool) {
	var calls []json.RawMessage
	if json.Unmarshal(raw, &calls) != nil || len(calls) == 0 {
		return nil, nil, false
	}
	mended := false
	for i, c := range calls {
		id, call, clean := legalCall(c)
		ids = append(ids, id)
		calls[i], mended = call, mended || !clean
	}
	if !mended {
		return ids, raw, true
	}
	return ids, append(append([]byte{'['}, bytes.Join(rawBytes(calls), []byte{','})...), ']'), true
}

func rawBytes(all []json.RawMessage) [][]byte {
	out := make([][]byte, len(all))
	for i, raw := range all {
		out[i] = raw
	}
	return out
}

func legalCall(raw json.RawMessage) (id string, legal json.RawMessage, clean bool) {
	outer, clean := fields(raw, "id", "type", "function", "custom")
	id = stringOf(outer["id"])
	if inner, innerClean := fields(outer["custom"], "name", "input"); stringOf(outer["type"]) == "custom" && isString(inner["input"]) {
		name := stringOf(inner["name"])
		if clean && innerClean && callableName.MatchString(name) && outer["function"] == nil {
			return id, raw, true
		}
		return id, object(member{"id", outer["id"]}, member{"type", outer["type"]},
			member{"custom", object(member{"name", quote(callable(name))}, member{"input", inner["input"]})}), false
	}
	inner, asGiven := legalFunction(outer["function"])
	if inner == nil { // name and arguments may stand where the function should
		inner, _ = namedFunction(outer)
		asGiven = false
	}
	if clean && asGiven && stringOf(outer["type"]) == "function" && outer["custom"] == nil {
		return id, raw, true
	}
	return id, object(member{"id", quote(id)}, member{"type", quote("function")}, member{"function", inner}), false
}

// legalFunction gives a function's name and arguments as they may be sent; clean says that
// they are as given. It is nil for what is no object.
func legalFunction(raw json.RawMessage) (legal json.RawMessage, clean bool) {
	members, clean := fields(raw, "name", "arguments")
	if members == nil {
		return nil, false
	}
	legal, asGiven := namedFunction(members)
	if clean && asGiven {
		return raw, true
	}
	return legal, false
}

// namedFunction makes a function of the members name and arguments, whatever they are.
func namedFunction(members map[string]json.RawMessage) (legal json.RawMessage, asGiven bool) {
	name, arguments := stringOf(members["name"]), members["arguments"]
	if callableName.MatchString(name) && isString(arguments) {
		return object(member{"name", members["name"]}, member{"arguments", arguments}), true
	}
	switch {
	case isString(arguments):
	case len(arguments) == 0 || string(arguments) == "null":
		arguments = quote("{}")
	default:
		var text bytes.Buffer
		if json.Compact(&text, arguments) != nil {
			text.Reset()
			text.WriteString("{}")
		}
		arguments = quote(text.String())
	}
	return object(member{"name", quote(callable(name))}, member{"arguments", arguments}), false
}
