package assemble

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
)

// said is a message of the log as the composition sees it.
type said struct {
	id   int64
	role memd.Role
	name string
	text string
	// does is what it does beside: what an assistant calls, or why it refuses. marks stand for its
	// images, files and the like.
	does, marks string
	raw         json.RawMessage
	// open says that it is neither settled nor skipped.
	open bool
	// silent says that it has settled and may be quoted. part says that some of its text is left
	// out, since it is not to be shown any more.
	silent, part bool
	// cleared says that its secrets are taken out of it already.
	cleared bool
	// learned is what was learned from it and is remembered: where that stands, the rest of the
	// text is quoted.
	learned []longterm.Statement
	// earlier says that it is of a session before this one.
	earlier bool
}

// words are what a message is quoted with.
func (s said) words() string {
	if s.marks == "" && s.does == "" {
		return strings.TrimSpace(s.text)
	}
	return strings.TrimSpace(s.text + "\n" + s.marks + "\n" + s.does)
}

// rest gives the words that it is quoted with where memories with these ids stand beside it. What
// it said and does not say any more, as when a person rewrote it, stands before them.
func (s said) rest(beside map[string]bool) string {
	if len(s.learned) == 0 {
		return s.words()
	}
	var stand, before []string
	for _, l := range s.learned {
		if beside[l.ID] {
			stand = append(stand, l.Text)
		} else if s.part && l.Role == string(s.role) && !states(s.text, l.Text) {
			before = append(before, l.Text)
		}
	}
	before = append(before, unlearned(s.text, stand, nil))
	text := s.text
	if s.text = strings.TrimSpace(strings.Join(before, " ")); s.text == "" && text != "" {
		s.marks = "" // what stands for the words stands for what they go with
	}
	return s.words()
}

// doings says in words what a message does beside what its content says, and what its content has
// beside text.
func doings(role memd.Role, raw json.RawMessage) (does, marks string) {
	if !bytes.Contains(raw, []byte(`"type"`)) && !bytes.Contains(raw, []byte("_call")) && !bytes.Contains(raw, []byte("refusal")) && !bytes.Contains(raw, []byte("audio")) {
		return "", ""
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil {
		return "", ""
	}
	marks = marksOf(given["content"])
	if role != memd.RoleAssistant {
		return "", marks
	}
	var m outgoing
	for _, key := range []string{"tool_calls", "function_call", "refusal", "audio"} {
		if value := given[key]; value != nil {
			m.others = append(m.others, member{key, value})
		}
	}
	return strings.Join(m.does(), "\n"), marks
}

// marksOf says what of a content is no text.
func marksOf(content json.RawMessage) string {
	var parts []json.RawMessage
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var all []string
	for _, raw := range parts {
		if mark := markOf(raw); mark != "" {
			all = append(all, mark)
		}
	}
	return strings.Join(all, " ")
}

// markOf gives what stands for a part of a content that is no text, "" for one that is.
func markOf(raw json.RawMessage) string {
	var known struct{ Type, Refusal string }
	_ = json.Unmarshal(raw, &known)
	switch known.Type {
	case "text", "input_text", "output_text":
		return ""
	case "refusal":
		if known.Refusal != "" {
			return known.Refusal
		}
	case "image_url", "input_image":
		return "[image]"
	case "input_audio":
		return "[audio]"
	case "file", "input_file":
		return fileMark(raw)
	}
	return "[attachment]"
}

// does gives what the message calls, and why it refuses, in words.
func (m outgoing) does() (all []string) {
	type function struct {
		Name             string
		Arguments, Input json.RawMessage
	}
	calls := func(f function) {
		given := f.Arguments
		if given == nil {
			given = f.Input
		}
		arguments := string(given)
		if isString(given) {
			arguments = stringOf(given)
		}
		if f.Name != "" {
			all = append(all, "[calls "+f.Name+" "+arguments+"]")
		}
	}
	for _, o := range m.others {
		switch o.key {
		case "tool_calls":
			var given []struct {
				function         // as some write a call, without an object of its own
				Function, Custom function
			}
			_ = json.Unmarshal(o.value, &given)
			for _, call := range given {
				calls(call.function)
				calls(call.Function)
				calls(call.Custom)
			}
		case "function_call":
			var given function
			_ = json.Unmarshal(o.value, &given)
			calls(given)
		case "refusal":
			if why := stringOf(o.value); why != "" {
				all = append(all, why)
			}
		case "audio":
			if string(o.value) != "null" {
				all = append(all, "[audio]")
			}
		}
	}
	return all
}

// outgoing is a message as it is sent.
type outgoing struct {
	role string
	// parts is the content; a plain text is one part with plain set. None: null.
	parts []part
	plain bool
	// others are the members beside role and content, in the order of memberOrder.
	others []member
	// calls and answers hold the ids of its tool calls, and of the call it answers.
	calls   []string
	answers string
	// function is the name in a function_call, the form that tool_calls replaced, as given.
	function string
}

// part is one part of a content: a text, or anything else as given.
type part struct {
	text string
	raw  json.RawMessage // nil for a text that was cut
	is   partKind
}

type partKind int

const (
	textPart partKind = iota
	imagePart
	thumbPart
	otherPart
	// markPart is a text in the place of a part that is left out.
	markPart
)

type member struct {
	key   string
	value json.RawMessage
}

// roleFunction is the role of an answer to a function_call. The log keeps such
// messages as tool messages.
const roleFunction = "function"

// sendableName is what OpenAI takes as a name.
var sendableName = regexp.MustCompile(`^[^\s<|\\/>]{1,64}$`)

// newOutgoing makes of a logged message what can be sent: members that OpenAI's
// format has for its role, with the values as given, byte for byte, if they are legal there.
// ok is false if nothing is left of it.
func newOutgoing(s said) (m outgoing, ok bool) {
	var given map[string]json.RawMessage
	if json.Unmarshal(s.raw, &given) != nil {
		return outgoing{}, false
	}
	m.role = string(s.role)
	if !m.readContent(given["content"]) {
		return outgoing{}, false
	}
	keep := func(key string, value json.RawMessage) { m.others = append(m.others, member{key, value}) }
	if name := stringOf(given["name"]); name != "" && s.role != memd.RoleTool {
		if sendableName.MatchString(name) {
			keep("name", given["name"])
		} else {
			keep("name", quote(sendable(name)))
		}
	}
	switch s.role {
	case memd.RoleAssistant:
		if ids, calls, ok := legalCalls(given["tool_calls"]); ok {
			m.calls = ids
			keep("tool_calls", calls)
		}
		if refusal := given["refusal"]; stringOf(refusal) != "" {
			keep("refusal", refusal)
		}
		var audio struct {
			ID json.RawMessage `json:"id"`
		}
		if json.Unmarshal(given["audio"], &audio) == nil && stringOf(audio.ID) != "" {
			// An answer's audio also holds its data; only the id may be sent back.
			keep("audio", json.RawMessage(`{"id":`+string(audio.ID)+`}`))
		}
		var call struct {
			Name string `json:"name"`
		}
		if m.calls == nil && json.Unmarshal(given["function_call"], &call) == nil && call.Name != "" {
			m.function = call.Name
			legal, _ := legalFunction(given["function_call"])
			keep("function_call", legal)
		}
		if len(m.parts) == 0 && len(m.others) == 0 {
			return outgoing{}, false
		}
	case memd.RoleTool:
		if m.answers = stringOf(given["tool_call_id"]); m.answers != "" {
			keep("tool_call_id", given["tool_call_id"])
		}
		if len(m.parts) == 0 { // the format has no null here
			m.plain, m.parts = true, []part{{raw: json.RawMessage(`""`)}}
		}
	}
	return m, true
}

// readContent takes a content apart; false if it is none.
func (m *outgoing) readContent(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return true
	case raw[0] == '"':
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return false
		}
		m.plain, m.parts = true, []part{{text: s, raw: raw}}
		return true
	}
	var given []json.RawMessage
	if json.Unmarshal(raw, &given) != nil {
		return false
	}
	for _, p := range given {
		m.parts = append(m.parts, legalPart(memd.Role(m.role), p))
	}
	return true
}

// sendable makes a name of one that OpenAI would refuse.
func sendable(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<|\/>`, r) || !sendableName.MatchString(string(r)) {
			return '_'
		}
		return r
	}, name)
	for utf8.RuneCountInString(name) > 64 {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return name
}

// stringOf gives a JSON string's value, "" for anything else.
func stringOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// quote gives s as a JSON string, with nothing escaped that need not be.
func quote(s string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return bytes.TrimRight(b.Bytes(), "\n")
}

// encode gives the message as JSON.
func (m outgoing) encode() json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"role":`)
	b.Write(quote(m.role))
	b.WriteString(`,"content":`)
	switch {
	case len(m.parts) == 0:
		b.WriteString("null")
	case m.plain && m.parts[0].raw != nil:
		b.Write(m.parts[0].raw)
	case m.plain:
		b.Write(quote(m.parts[0].text))
	default:
		for i, p := range m.parts {
			b.WriteByte("[,"[min(i, 1)])
			if p.raw != nil {
				b.Write(p.raw)
				continue
			}
			b.WriteString(`{"type":"text","text":`)
			b.Write(quote(p.text))
			b.WriteByte('}')
		}
		b.WriteByte(']')
	}
	for _, o := range m.others {
		b.WriteByte(',')
		b.Write(quote(o.key))
		b.WriteByte(':')
		b.Write(o.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// says gives the message's text.
func (m outgoing) says() string {
	var texts []string
	for _, p := range m.parts {
		if p.is == textPart && p.text != "" {
			texts = append(texts, p.text)
		}
	}
	return strings.Join(texts, "\n")
}

// member gives the value of a member beside role and content, nil if it has none.
func (m outgoing) member(key string) json.RawMessage {
	for _, o := range m.others {
		if o.key == key {
			return o.value
		}
	}
	return nil
}

// tokens gives what the message adds to a request, if that is at most limit, else
// any number above limit: tokensPerMessage, its role, its texts, its name and ids,
// its tool calls as JSON; an image by the most that one costs, other parts as JSON.
func (c *counter) tokens(m outgoing, limit int) int {
	n := tokensPerMessage + c.count(m.role, math.MaxInt)
	for _, o := range m.others {
		text := string(o.value)
		switch o.key {
		case "name":
			n += tokensPerName
			text = stringOf(o.value)
		case "tool_call_id", "refusal":
			text = stringOf(o.value)
		}
		n += c.count(text, max(limit-n, 0))
	}
	for _, p := range m.parts {
		n += c.partTokens(p, max(limit-n, 0))
	}
	return n
}

// partTokens gives what a part of a content adds, if that is at most limit.
func (c *counter) partTokens(p part, limit int) int {
	switch p.is {
	case textPart, markPart:
		return c.count(p.text, limit)
	case imagePart:
		return tokensPerImage
	case thumbPart:
		return tokensPerThumb
	}
	return c.count(string(p.raw), limit)
}

// withText gives the message with its texts cut to room tokens in all, the first
// ones first.
func (c *counter) withText(m outgoing, room int) outgoing {
	parts, cut := m.parts, false
	m.parts = nil
	for _, p := range parts {
		if p.is == textPart {
			if cut {
				continue
			}
			if n := c.count(p.text, max(room, 0)); n > room {
				p, cut = part{text: c.trim(p.text, room)}, true
			} else {
				room -= n
			}
		}
		m.parts = append(m.parts, p)
	}
	return m
}

// withEnds gives the message with its texts cut to about room tokens in all: the beginning of
// the first ones and at least as much of the end of the last ones stay.
func (c *counter) withEnds(m outgoing, room int) outgoing {
	var texts []string
	for _, p := range m.parts {
		if p.is == textPart {
			texts = append(texts, p.text)
		}
	}
	whole := strings.TrimSpace(strings.Join(texts, "\n"))
	if whole == trimMark || c.count(whole, max(room, 0)) <= room {
		return m
	}
	begin, end := c.ends(whole, room)
	if len(texts) == 1 && end != "" {
		begin, end = begin+" "+end, ""
	}
	parts, of := m.parts, 0
	m.parts = nil
	for _, p := range parts {
		if p.is == textPart {
			of++
			switch {
			case of == 1:
				p = part{text: begin}
			case of == len(texts) && end != "":
				p = part{text: end}
			default:
				continue
			}
		}
		m.parts = append(m.parts, p)
	}
	return m
}

// mark gives the part that says that p is left out.
func (p part) mark() part { return part{text: markOf(p.raw), is: markPart} }

// withAttachments gives the message with those of its parts that are no text for which there are
// room tokens, in order, and a mark in the place of each of the others. kept is how many are
// there, at most most.
func (c *counter) withAttachments(m outgoing, room, most int) (out outgoing, kept int) {
	out = m
	out.parts = nil
	for _, p := range m.parts {
		if p.is != textPart {
			room -= c.count(p.mark().text, math.MaxInt)
		}
	}
	for _, p := range m.parts {
		if p.is != textPart {
			mark := p.mark()
			more := c.partTokens(p, max(room, 0)+maxMark) - c.count(mark.text, math.MaxInt)
			if more <= room && kept < most {
				room -= more
				kept++
			} else {
				p = mark
			}
		}
		out.parts = append(out.parts, p)
	}
	return out, kept
}

// maxMark is more than the tokens of any mark.
const maxMark = 1024

// onlyText gives the message without the parts of its content that are no text.
func (m outgoing) onlyText() outgoing {
	parts := m.parts
	m.parts = nil
	for _, p := range parts {
		if p.is == textPart {
			m.parts = append(m.parts, p)
		}
	}
	if len(m.parts) == 0 {
		m.plain, m.parts = true, []part{{text: trimMark}}
	}
	return m
}

// unnamed gives the message without its name.
func (m outgoing) unnamed() outgoing {
	others := m.others
	m.others = nil
	for _, o := range others {
		if o.key != "name" {
			m.others = append(m.others, o)
		}
	}
	return m
}
