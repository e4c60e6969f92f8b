package format

import (
	"bufio"
	"encoding/json"
	"strings"
)

// shared is a conversation as ShareGPT has it.
type shared struct {
	ID            text              `json:"id"`
	UserID        text              `json:"user_id"`
	System        text              `json:"system"`
	CreatedAt     instant           `json:"created_at"`
	Timestamp     instant           `json:"timestamp"`
	Conversations []json.RawMessage `json:"conversations"`
	Items         []json.RawMessage `json:"items"`
}

// utterance is what one says in it.
type utterance struct {
	From      text            `json:"from"`
	Role      text            `json:"role"`
	Value     json.RawMessage `json:"value"`
	Text      json.RawMessage `json:"text"`
	Content   json.RawMessage `json:"content"`
	Name      text            `json:"name"`
	ID        text            `json:"id"`
	Timestamp instant         `json:"timestamp"`
}

func readShareGPT(file string, r *bufio.Reader, lines bool, o Options, yield func(Item, error) bool) {
	loose := newRuns(file, o, yield)
	if each(file, "is no conversation", listsAs("conversations", newScanner(r).all(lines)), loose.between(yield), func(c shared, v value) bool {
		at := Place{file, v.line}
		var u utterance
		if len(c.Conversations) == 0 {
			c.Conversations = c.Items
		}
		if len(c.Conversations) == 0 {
			if json.Unmarshal(v.raw, &u) == nil && u.speaker() != "" { // it stands by itself
				return loose.add(draft{Conversation: Conversation{Place: at}}, u.said(v.raw, v.line, o))
			}
			return loose.flush() && yield(bad(at, v.raw, "has no conversation"), nil)
		}
		d := draft{Conversation: Conversation{Place: at, SessionID: string(c.ID), UserID: idOf(string(c.UserID))}}
		d.started, d.zone, d.startFault = firstTime(o.place(), c.CreatedAt, c.Timestamp)
		if strings.TrimSpace(string(c.System)) != "" {
			d.said = append(d.said, said{line: v.line, spoken: &spoken{Role: "system", Content: string(c.System)}})
		}
		for _, raw := range c.Conversations {
			u = utterance{}
			if json.Unmarshal(raw, &u) != nil || u.speaker() == "" {
				var chat said
				if chat = chatMessage(raw, v.line, o); chat.fault != "" || len(chat.raw) == 0 { // some have OpenAI's shape
					chat.fault = "a message must be an object with from and value"
				}
				d.said = append(d.said, chat)
				continue
			}
			d.said = append(d.said, u.said(raw, v.line, o))
		}
		return loose.flush() && give(d, o, yield)
	}) {
		loose.flush()
	}
}

// speaker is who says it, "" for a message of another shape.
func (u utterance) speaker() text {
	if u.From == "" && len(u.Value) > 0 {
		return u.Role
	}
	return u.From
}

func (u utterance) said(raw json.RawMessage, line int, o Options) said {
	s := said{line: line, text: raw, id: string(u.ID)}
	if s.at, s.zone, s.fault = firstTime(o.place(), u.Timestamp); s.fault != "" {
		return s
	}
	for _, words := range []json.RawMessage{u.Text, u.Content} { // as some have it
		if len(u.Value) == 0 {
			u.Value = words
		}
	}
	value := plainText(u.Value)
	if value == "" && len(u.Value) > 0 && u.Value[0] != '"' && string(u.Value) != "null" {
		value = string(u.Value) // the arguments of a call, or what it gave
	}
	from := string(u.speaker())
	if strings.EqualFold(from, "function_call") || strings.EqualFold(from, "tool_call") {
		call := function{Name: "function", Arguments: value}
		var given struct {
			Name      text            `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if json.Unmarshal([]byte(value), &given) == nil && given.Name != "" {
			call = function{string(given.Name), argumentsOf(given.Arguments)}
		}
		s.spoken = &spoken{Role: "assistant", ToolCalls: []toolCall{{hashOf("call-", raw), "function", call}}}
		return s
	}
	role := roleOf(from)
	if role == "" {
		s.fault = "a speaker that is not known"
		return s
	}
	s.spoken = &spoken{Role: string(role), Name: string(u.Name), Content: value}
	return s
}

// argumentsOf gives the arguments of a call as text, which is how a call has them.
func argumentsOf(raw json.RawMessage) string {
	if raw = trimSpace(raw); len(raw) > 0 && raw[0] == '"' {
		return plainText(raw)
	}
	if len(raw) == 0 || string(raw) == "null" {
		return "{}"
	}
	return string(raw)
}
