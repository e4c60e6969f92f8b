package format

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/memdhq/memd"
)

// draft is a conversation as a reader found it.
type draft struct {
	Conversation
	// started is when it began, for messages of which nothing says when they were said.
	started time.Time
	// startFault says that when it began cannot be read.
	startFault string
	zone       string
	said       []said
	// flat says that it may be a part of a session that others are parts of.
	flat bool
}

// said is a message as a reader found it.
type said struct {
	line int
	// id is the source's own, "" if it has none.
	id   string
	at   time.Time
	zone string
	// raw is a message in OpenAI's shape; or, if it is nil, spoken is what to make it of.
	raw      json.RawMessage
	spoken   *spoken
	metadata json.RawMessage
	noLearn  bool
	// fault says that it cannot be read, and text what stands there.
	fault string
	text  []byte
	// seen is where all that it says was looked for, nil for text: what has words there, and yet
	// says nothing, is not empty but of a form that is not known.
	seen json.RawMessage
}

// spoken is a message in OpenAI's shape, its members in this order.
type spoken struct {
	Role        string       `json:"role"`
	Name        string       `json:"name,omitempty"`
	Content     any          `json:"content"`
	ToolCalls   []toolCall   `json:"tool_calls,omitempty"`
	ToolCallID  string       `json:"tool_call_id,omitempty"`
	Attachments []attachment `json:"attachments,omitempty"`
}

type toolCall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// attachment is what was sent with a message. It is named, and no more than that is kept of it.
type attachment struct {
	Name string `json:"name,omitempty"`
	Type string `json:"type,omitempty"`
	ID   string `json:"id,omitempty"`
}

// part is a part of a content: a text, or a file of which the name is all there is. Of such a one
// nothing is learned.
type part struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
	File *file  `json:"file,omitempty"`
}

type file struct {
	Name string `json:"filename,omitempty"`
}

// attach has a message say what was sent with it.
func (s *spoken) attach(text string, all []attachment) {
	s.Content = text
	if len(all) == 0 {
		return
	}
	s.Attachments = all
	var parts []part
	if strings.TrimSpace(text) != "" {
		parts = append(parts, part{Type: "text", Text: text})
	}
	for _, a := range all {
		parts = append(parts, part{Type: "file", File: &file{cmp.Or(a.Name, a.ID)}})
	}
	s.Content = parts
}

// roles are the names that programs give to who speaks.
var roles = map[string]memd.Role{
	"user": memd.RoleUser, "human": memd.RoleUser, "customer": memd.RoleUser, "prompter": memd.RoleUser, "me": memd.RoleUser,
	"client": memd.RoleUser, "visitor": memd.RoleUser, "humanmessage": memd.RoleUser, "humanmessagechunk": memd.RoleUser,
	"assistant": memd.RoleAssistant, "gpt": memd.RoleAssistant, "ai": memd.RoleAssistant, "bot": memd.RoleAssistant, "model": memd.RoleAssistant,
	"chatgpt": memd.RoleAssistant, "claude": memd.RoleAssistant, "bing": memd.RoleAssistant, "bard": memd.RoleAssistant, "agent": memd.RoleAssistant,
	"aimessage": memd.RoleAssistant, "aimessagechunk": memd.RoleAssistant,
	"system": memd.RoleSystem, "systemmessage": memd.RoleSystem, "developer": memd.RoleDeveloper,
	"tool": memd.RoleTool, "function": memd.RoleTool, "observation": memd.RoleTool, "function_response": memd.RoleTool, "tool_response": memd.RoleTool,
	"toolmessage": memd.RoleTool, "functionmessage": memd.RoleTool,
}

// roleOf gives the role of a name, "" for one that is not known.
func roleOf(name string) memd.Role { return roles[strings.ToLower(strings.TrimSpace(name))] }

// nameOf gives the name of a speaker as memd takes it, "" if nothing is left of it.
func nameOf(s string) string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))), " ")
	if r := []rune(s); len(r) > memd.MaxIDLength {
		s = string(r[:memd.MaxIDLength])
	}
	return idOf(s)
}

// madeID begins ids that are made of what something says.
const madeID = "import-"

// idLength is how many characters of a hash make an id.
const idLength = 24

// hashOf makes an id of what is given.
func hashOf(prefix string, parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p))))
		h.Write([]byte{':'})
		h.Write(p)
	}
	return prefix + hex.EncodeToString(h.Sum(nil))[:idLength]
}

// sourceID gives an id of the source as memd takes it: one that memd would not take is hashed.
func sourceID(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return ""
	}
	if id := idOf(s); id != "" {
		return id
	}
	return hashOf("id-", []byte(s))
}

func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// items makes of a draft what it is worth: conversations in parts that are not too large, and what
// of it cannot be read.
func (d draft) items(o Options) (out []Item) {
	c := d.Conversation
	var kept []Message
	for _, s := range d.said {
		at := Place{c.File, s.line}
		if s.line == 0 {
			at.Line = c.Line
		}
		if s.fault != "" {
			out = append(out, d.bad(at, s.text, s.fault))
			continue
		}
		m, err := s.message()
		switch {
		case isEmpty(err) && hasWords(s.whole()):
			out = append(out, d.bad(at, s.whole(), unknownWords))
		case isEmpty(err):
			c.Empty++
		case err != nil:
			text := s.text
			if text == nil {
				text = s.raw
			}
			if text == nil {
				text = encode(s.spoken)
			}
			out = append(out, d.bad(at, text, wordsOf(err)))
		default:
			m.Line = at.Line
			if m.Zone == "" {
				m.Zone = d.zone
			}
			if m.Zone == "" {
				m.Zone = o.zone()
			}
			kept = append(kept, m)
		}
	}
	if len(kept) == 0 {
		if c.Empty > 0 {
			out = append(out, Item{Conversation: &c})
		}
		return out
	}
	if c.SessionID = sourceID(c.SessionID); c.SessionID == "" {
		c.SessionID = hashOf(madeID, contents(kept)...)
	}
	if d.startFault != "" && !slices.ContainsFunc(kept, func(m Message) bool { return !m.CreatedAt.IsZero() }) {
		for _, m := range kept { // nothing else says when they were said
			out = append(out, d.bad(Place{c.File, m.Line}, m.Raw, d.startFault))
		}
		return out
	}
	kept, c.Repeated = identify(c.SessionID, kept)
	started := d.started
	if started.IsZero() {
		started = o.At
	}
	fillTimes(kept, started)
	for len(kept) > 0 {
		n, size := 0, 0
		for n < min(len(kept), maxMessages) && (n == 0 || size+len(kept[n].Raw) <= partBytes) {
			size += len(kept[n].Raw)
			n++
		}
		part := c
		part.Messages, kept = kept[:n:n], kept[n:]
		part.Line = part.Messages[0].Line
		out = append(out, Item{Conversation: &part})
		c.Empty, c.Repeated = 0, 0
	}
	return out
}

// bad says of what stands in it that it cannot be read.
func (d draft) bad(p Place, text []byte, reason string) Item {
	i := bad(p, text, reason)
	i.Bad.SessionID = sourceID(d.SessionID)
	return i
}

// whole is where all that it says was looked for.
func (s said) whole() json.RawMessage {
	if s.seen != nil {
		return s.seen
	}
	return s.text
}

// message makes a message of what was found.
func (s said) message() (Message, error) {
	raw := s.raw
	if raw == nil {
		s.spoken.Name = nameOf(s.spoken.Name)
		raw = encode(s.spoken)
	}
	m, err := memd.ParseMessage(raw)
	if err != nil {
		return Message{}, err
	}
	if _, ok := memd.TwiceGiven(m.Raw); ok {
		m.Raw = once(m.Raw)
	}
	out := Message{ID: s.id, Role: m.Role, Raw: m.Raw, CreatedAt: s.at, Zone: s.zone, Metadata: s.metadata, NoLearn: s.noLearn}
	if out.ID == "" {
		out.ID = m.ClientID
	}
	if out.CreatedAt.IsZero() {
		out.CreatedAt = m.CreatedAt
	}
	return out, nil
}

// once gives an object in which of a member that comes twice the last is left, as most
// readers have it: memd takes no such message, but kept some once, as others do.
func once(raw json.RawMessage) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return raw // which memd then refuses
	}
	return encode(value)
}

// isEmpty says of an error that the message says nothing.
func isEmpty(err error) bool {
	var e *memd.Error
	return errors.As(err, &e) && e.Field == "content" && strings.HasPrefix(e.Msg, "must not be empty")
}

func wordsOf(err error) string {
	var e *memd.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	if e.Field == "" {
		return "a message " + e.Msg
	}
	return e.Field + " " + e.Msg
}

// contents gives what messages say, to tell conversations apart.
func contents(all []Message) (parts [][]byte) {
	for _, m := range all {
		parts = append(parts, []byte(m.Role), m.Raw, []byte(stamp(m.CreatedAt)))
	}
	return parts
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return memd.FormatTime(t)
}

// identify gives each message its id, and leaves out those that stand there twice under an id
// of their own. Of two that say something else under one id the second gets another.
func identify(session string, all []Message) (kept []Message, repeated int) {
	seen := map[string]string{} // by id, a hash of what it says
	count := map[string]int{}
	for _, m := range all {
		what := hashOf("", []byte(session), []byte(m.Role), m.Raw, []byte(stamp(m.CreatedAt)))
		if m.ID = sourceID(m.ID); m.ID == "" {
			count[what]++
			if m.ID = madeID + what; count[what] > 1 {
				m.ID += "-" + strconv.Itoa(count[what])
			}
		} else if was, ok := seen[m.ID]; ok {
			if was != what {
				m.ID = hashOf("id-", []byte(m.ID), []byte(what))
			}
			if seen[m.ID] == what {
				repeated++
				continue
			}
		}
		seen[m.ID] = what
		kept = append(kept, m)
	}
	return kept, repeated
}

// fillTimes gives messages of which nothing says when they were said the time of those before
// them, and the first ones that of those behind or of the beginning.
func fillTimes(all []Message, started time.Time) {
	first := started
	for _, m := range all {
		if !m.CreatedAt.IsZero() {
			if first.IsZero() || m.CreatedAt.Before(first) {
				first = m.CreatedAt
			}
			break
		}
	}
	at := first
	for i := range all {
		if all[i].CreatedAt.IsZero() {
			all[i].CreatedAt = at
		}
		at = all[i].CreatedAt
	}
}
