package format

import (
	"bufio"
	"encoding/json"
	"path"
	"strings"
)

// chatLine is a conversation in OpenAI's chat format: a line of a fine-tuning file, of a log of
// requests, or of a preference set; or a message by itself.
type chatLine struct {
	ID             text              `json:"id"`
	CustomID       text              `json:"custom_id"`
	SessionID      text              `json:"session_id"`
	ConversationID text              `json:"conversation_id"`
	ThreadID       text              `json:"thread_id"`
	UserID         text              `json:"user_id"`
	User           text              `json:"user"`
	AgentID        text              `json:"agent_id"`
	AppID          text              `json:"app_id"`
	CreatedAt      instant           `json:"created_at"`
	Created        instant           `json:"created"`
	Timestamp      instant           `json:"timestamp"`
	Timezone       text              `json:"timezone"`
	Messages       []json.RawMessage `json:"messages"`
	Body           *chatLine         `json:"body"`
	Request        *chatLine         `json:"request"`
	Response       json.RawMessage   `json:"response"`
	Input          json.RawMessage   `json:"input"`
	Preferred      []json.RawMessage `json:"preferred_output"`
	Choices        []choice          `json:"choices"`

	Role    text            `json:"role"`
	Content json.RawMessage `json:"content"`
}

type choice struct {
	Message json.RawMessage `json:"message"`
}

func (c chatLine) session() string {
	for _, id := range []text{c.SessionID, c.ConversationID, c.ThreadID, c.ID, c.CustomID} {
		if id != "" {
			return string(id)
		}
	}
	return ""
}

// all gives the messages of a line, wherever they stand in it.
func (c chatLine) all() []json.RawMessage {
	of := c
	switch {
	case len(c.Messages) > 0:
	case c.Body != nil:
		of = *c.Body
	case c.Request != nil:
		of = *c.Request
	case len(c.Input) > 0:
		_ = json.Unmarshal(c.Input, &of)
	}
	all := append(of.Messages[:len(of.Messages):len(of.Messages)], c.Preferred...)
	choices := c.Choices
	if len(choices) == 0 && len(c.Response) > 0 {
		var r struct {
			Choices []choice `json:"choices"`
			Body    struct {
				Choices []choice `json:"choices"`
			} `json:"body"`
		}
		_ = json.Unmarshal(c.Response, &r)
		choices = append(r.Choices, r.Body.Choices...)
	}
	if len(choices) > 0 && len(choices[0].Message) > 0 {
		all = append(all, choices[0].Message)
	}
	return all
}

// readOpenAI reads conversations; messages that stand by themselves are one of the session that
// they name, else of the file.
func readOpenAI(file string, r *bufio.Reader, lines bool, o Options, yield func(Item, error) bool) {
	loose := newRuns(file, o, yield)
	// A list of messages is a conversation.
	if each(file, "is no conversation", listsAs("messages", newScanner(r).all(lines)), loose.between(yield), func(c chatLine, v value) bool {
		at := Place{file, v.line}
		d := draft{Conversation: Conversation{Place: at, UserID: idOf(string(c.UserID)), SessionID: c.session(), AgentID: idOf(string(c.AgentID)), AppID: idOf(string(c.AppID))}}
		d.started, d.zone, d.startFault = firstTime(o.place(), c.CreatedAt, c.Created, c.Timestamp)
		if zone := validZone(string(c.Timezone)); zone != "" {
			d.zone = zone
		}
		if d.UserID == "" {
			d.UserID = idOf(string(c.User))
		}
		all := c.all()
		if len(all) == 0 && c.Role != "" {
			d.SessionID = ""
			for _, id := range []text{c.SessionID, c.ConversationID, c.ThreadID} {
				if d.SessionID == "" {
					d.SessionID = string(id)
				}
			}
			return loose.add(d, chatMessage(v.raw, v.line, o))
		}
		if len(all) == 0 {
			return loose.flush() && yield(bad(at, v.raw, "has no messages"), nil)
		}
		for _, raw := range all {
			d.said = append(d.said, chatMessage(raw, v.line, o))
		}
		return loose.flush() && give(d, o, yield)
	}) {
		loose.flush()
	}
}

// give yields what a draft is worth.
func give(d draft, o Options, yield func(Item, error) bool) bool {
	for _, i := range d.items(o) {
		if !yield(i, nil) {
			return false
		}
	}
	return true
}

// chatMessage reads a message in OpenAI's shape, as given save for what says when and as which.
func chatMessage(raw json.RawMessage, line int, o Options) said {
	s := said{line: line, text: raw}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil || m == nil {
		s.fault = "a message must be an object"
		return s
	}
	changed := map[string]json.RawMessage{}
	if role := plainText(m["role"]); role != "" {
		known := roleOf(role)
		if known == "" {
			s.fault = "a role that is not known"
			return s
		}
		if string(known) != role {
			changed["role"] = encode(known)
		}
	}
	if s.at, s.zone, s.fault = firstTime(o.place(), instant(m["created_at"]), instant(m["timestamp"]), instant(m["create_time"]), instant(m["created"])); s.fault != "" {
		return s
	}
	zone := plainText(m["timezone"])
	if isOddZone(zone) {
		s.fault = oddZone
		return s
	}
	if z := validZone(zone); z != "" {
		s.zone = z
	}
	s.id = plainText(m["id"])
	if name := plainText(m["name"]); name != "" && nameOf(name) != name {
		if changed["name"] = encode(nameOf(name)); nameOf(name) == "" {
			changed["name"] = nil
		}
	}
	for _, name := range []string{"id", "created_at"} {
		if _, ok := m[name]; ok {
			changed[name] = nil
		}
	}
	if s.raw = raw; len(changed) > 0 {
		s.raw = withMembers(raw, changed)
	}
	return s
}

// runs gathers messages that stand by themselves, as long as those of one session come one
// after the other.
type runs struct {
	file  string
	o     Options
	yield func(Item, error) bool
	open  *draft
	size  int // of what open has
	// session is that of what names none.
	session string
}

func newRuns(file string, o Options, yield func(Item, error) bool) *runs {
	return &runs{file: file, o: o, yield: yield}
}

// add takes a message of a session; of is what is known of that. It gives false where reading is over.
func (r *runs) add(of draft, s said) bool {
	if of.SessionID == "" {
		if r.session == "" {
			r.session = sessionOf(r.file)
			if !s.at.IsZero() && s.fault == "" { // wherever the file lies, and whatever it is called
				r.session = hashOf(madeID, []byte(s.id), s.raw, encode(s.spoken), []byte(stamp(s.at)))
			}
		}
		of.SessionID = r.session
	}
	if r.open != nil && (r.open.SessionID != of.SessionID || r.open.UserID != of.UserID || r.open.AgentID != of.AgentID || r.open.AppID != of.AppID || len(r.open.said) >= maxMessages || r.size >= partBytes) {
		if !r.flush() {
			return false
		}
	}
	if r.open == nil {
		r.open = &of
	}
	r.open.said = append(r.open.said, s)
	r.size += len(s.text)
	return true
}

// between gives what comes between runs, after those that are open.
func (r *runs) between(yield func(Item, error) bool) func(Item, error) bool {
	return func(i Item, err error) bool { return r.flush() && yield(i, err) }
}

func (r *runs) flush() bool {
	if r.open == nil {
		return true
	}
	d := *r.open
	r.open, r.size = nil, 0
	return give(d, r.o, r.yield)
}

// sessionOf names the session of a file of which nothing else does.
func sessionOf(file string) string {
	name := path.Base(strings.ReplaceAll(file, `\`, "/"))
	for _, ext := range []string{".gz", ".zst", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".txt"} {
		name = strings.TrimSuffix(name, ext)
	}
	if name = idOf(name); name == "" || name == "-" {
		return "import"
	}
	return name
}
