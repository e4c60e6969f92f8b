package memd

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
)

// Role is who speaks in a message.
type Role string

// The roles of OpenAI's chat format. "function" is taken as RoleTool.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleSystem    Role = "system"
	RoleDeveloper Role = "developer"
	RoleTool      Role = "tool"
)

// Learnable says whether messages of this role are ever learned from.
func (r Role) Learnable() bool { return r == RoleUser || r == RoleAssistant }

// Message is one chat message: what came from the caller and, once it is in the
// log, its place there.
type Message struct {
	// ID is the log's number for it; ids of one session ascend in order of arrival.
	ID int64
	// ClientID is the caller's own id for it, "" if none came.
	ClientID string
	// UserID, SessionID, AgentID and AppID say whose it is; "" if not given.
	UserID, SessionID, AgentID, AppID string
	// Role and Name say who speaks; Name is the actor, "" if none came.
	Role Role
	Name string
	// Raw is the whole message as JSON in OpenAI's shape, as given: it always has
	// role and content, and holds neither id nor created_at.
	Raw json.RawMessage
	// Text is what it says: the content, or its text parts joined by line breaks,
	// without NUL characters.
	Text string
	// CreatedAt is when it was said, ReceivedAt when it came.
	CreatedAt, ReceivedAt time.Time
	// Timezone is the IANA name of the zone it was said in, "" for UTC.
	Timezone string
	// Metadata is a JSON object that passes to what is learned, nil if none came.
	Metadata json.RawMessage
	// LearnAs is what the caller wants of what is learned from it, nil for nothing.
	LearnAs *LearnAs
	// Position is its place in the session, from 0, without gaps.
	Position int
}

// SaidAt gives when it was said in the zone it was said in; an unknown zone is UTC.
func (m *Message) SaidAt() time.Time { return InZone(m.CreatedAt, m.Timezone) }

// InZone gives a time in the zone of an IANA name; "" and an unknown one are UTC.
func InZone(t time.Time, name string) time.Time {
	if t.IsZero() || name == "" {
		return t.UTC()
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return t.UTC()
	}
	return t.In(zone)
}

// member is one member of a JSON object, its value raw.
type member struct {
	key   string
	value json.RawMessage
}

// ParseMessage reads one message as a caller sends it and keeps it as given, save
// that its id and created_at are taken out, "function" becomes "tool", a missing
// content becomes null, invalid UTF-8 and lone surrogates become U+FFFD. CreatedAt
// stays zero if the message has none. Errors are Invalid and name the field within
// the message ("content"; "" for the message itself).
func ParseMessage(raw json.RawMessage) (Message, error) {
	raw = CleanJSON(raw)
	members, err := splitObject(raw)
	if err != nil {
		return Message{}, InvalidField("", "must be a JSON object")
	}
	for _, f := range members {
		if NestsTooDeep(f.value, MaxNesting-1) {
			return Message{}, tooDeep(f.key)
		}
	}
	return parseMembers(raw, members)
}

func tooDeep(field string) error {
	return InvalidField(field, "must not be nested deeper than %d arrays and objects", MaxNesting)
}

func parseMembers(raw json.RawMessage, members []member) (Message, error) {
	var m Message
	var content json.RawMessage
	speaks := false // something stands for content: a tool call, a refusal, audio
	kept := members[:0:0]
	hasContent, rebuilt := false, false
	var err error
	for _, f := range members {
		switch f.key {
		case "id", "created_at":
			rebuilt = true
			s, ok, err := optionalString(f)
			if err != nil {
				return Message{}, err
			}
			if !ok {
				continue
			}
			if f.key == "id" {
				if err := CheckID("id", s); err != nil {
					return Message{}, err
				}
				m.ClientID = s
			} else if m.CreatedAt, err = ParseTime("created_at", s); err != nil {
				return Message{}, err
			}
			continue
		case "role":
			s, _, err := optionalString(f)
			if err != nil {
				return Message{}, err
			}
			if s == "function" {
				s, f.value, rebuilt = "tool", json.RawMessage(`"tool"`), true
			}
			m.Role = Role(s)
		case "name":
			s, ok, err := optionalString(f)
			if err != nil {
				return Message{}, err
			}
			if ok {
				if err := CheckID("name", s); err != nil {
					return Message{}, err
				}
			}
			m.Name = s
		case "content":
			hasContent, content = true, f.value
		case "tool_calls", "refusal", "audio", "function_call":
			speaks = speaks || !emptyJSON(f.value)
		}
		kept = append(kept, f)
	}
	switch m.Role {
	case RoleUser, RoleAssistant, RoleSystem, RoleDeveloper, RoleTool:
	case "":
		return Message{}, InvalidField("role", "is required")
	default:
		return Message{}, InvalidField("role", "must be one of user, assistant, system, developer, tool")
	}
	text, says, err := readContent(content)
	if err != nil {
		return Message{}, err
	}
	m.Text = text
	switch m.Role {
	case RoleTool:
	case RoleAssistant:
		if !says && !speaks {
			return Message{}, InvalidField("content", "must not be empty without tool_calls, refusal, audio or function_call")
		}
	default:
		if !says {
			return Message{}, InvalidField("content", "must not be empty")
		}
	}
	if !hasContent {
		kept, rebuilt = append(kept, member{"content", json.RawMessage("null")}), true
	}
	m.Raw = raw
	if rebuilt {
		m.Raw = joinObject(kept)
	}
	return m, nil
}

// WithContent gives a stored message another content. The error is as ParseMessage's; what
// else the message holds is not looked at again.
func WithContent(raw, content json.RawMessage) (json.RawMessage, error) {
	members, err := splitObject(raw)
	if err != nil {
		return nil, &Error{Kind: Internal, Op: "memd.with_content", Err: err}
	}
	if NestsTooDeep(content, MaxNesting-1) {
		return nil, tooDeep("content")
	}
	for i := range members {
		if members[i].key == "content" {
			members[i].value = CleanJSON(content)
		}
	}
	raw = joinObject(members)
	if members, err = splitObject(raw); err != nil {
		return nil, InvalidField("content", "must be JSON")
	}
	m, err := parseMembers(raw, members)
	return m.Raw, err
}

// TextOf gives what a stored message says; see Message.Text. A message that the
// log holds always parses; "" stands for one that does not.
func TextOf(raw json.RawMessage) string {
	var m struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &m) != nil {
		return ""
	}
	text, _, _ := readContent(m.Content)
	return text
}

// readContent gives the text of a content and whether it says anything: a text
// that is not blank, or a part that is no text (an image, a file).
func readContent(raw json.RawMessage) (text string, says bool, err error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return "", false, nil
	}
	switch raw[0] {
	case '"':
		s := dropNUL(JSONString(raw))
		return s, !Blank(s), nil
	case '[':
		var parts []json.RawMessage
		if err := json.Unmarshal(raw, &parts); err != nil {
			return "", false, InvalidField("content", "must be a string, an array of parts or null")
		}
		var texts []string
		for _, p := range parts {
			var part struct {
				Type *string         `json:"type"`
				Text json.RawMessage `json:"text"`
			}
			if json.Unmarshal(p, &part) != nil || part.Type == nil {
				return "", false, InvalidField("content", "parts must be objects with a type")
			}
			switch *part.Type {
			case "text", "input_text", "output_text":
				var s *string
				if json.Unmarshal(part.Text, &s) != nil || s == nil {
					return "", false, InvalidField("content", "text parts must have a text")
				}
				if t := dropNUL(*s); !Blank(t) {
					texts, says = append(texts, t), true
				}
			default:
				says = true
			}
		}
		return strings.Join(texts, "\n"), says, nil
	}
	return "", false, InvalidField("content", "must be a string, an array of parts or null")
}

func dropNUL(s string) string { return strings.ReplaceAll(s, "\x00", "") }

// optionalString reads a member that is a string or null; ok is false for null.
func optionalString(f member) (s string, ok bool, err error) {
	switch f.value[0] {
	case '"':
		return JSONString(f.value), true, nil
	case 'n':
		return "", false, nil
	}
	return "", false, InvalidField(f.key, "must be a string")
}

// emptyJSON says whether a value stands for nothing.
func emptyJSON(v json.RawMessage) bool {
	switch string(bytes.TrimSpace(v)) {
	case "", "null", `""`, "[]", "{}", "false":
		return true
	}
	return false
}

// splitObject takes a JSON object apart in the order given; of a key that comes
// twice the last value stands, as encoding/json has it. The values are parts of raw.
func splitObject(raw []byte) ([]member, error) {
	if !json.Valid(raw) {
		return nil, errors.New("not JSON")
	}
	if raw[skipSpace(raw, 0)] != '{' {
		return nil, errors.New("not an object")
	}
	members := make([]member, 0, 8)
	var at map[string]int // made once there are many members
	for key, value := range JSONMembers(raw) {
		if n := len(members); n == cap(members) && at == nil {
			at = make(map[string]int, 4*n)
			for place, m := range members {
				at[m.key] = place
			}
		}
		place, twice := at[key]
		if at == nil {
			place = slices.IndexFunc(members, func(m member) bool { return m.key == key })
			twice = place >= 0
		}
		if twice {
			members[place].value = value
			continue
		}
		if at != nil {
			at[key] = len(members)
		}
		members = append(members, member{key, value})
	}
	return members, nil
}

// joinObject is the reverse of splitObject.
func joinObject(members []member) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, f := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		_ = enc.Encode(f.key)   // a string always encodes
		b.Truncate(b.Len() - 1) // the encoder's line break
		b.WriteByte(':')
		b.Write(f.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}
