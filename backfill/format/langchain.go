package format

import (
	"bufio"
	"cmp"
	"encoding/json"
	"strings"
)

// lcMessage is a message of LangChain: its members stand in it, in data or in kwargs.
type lcMessage struct {
	Type   json.RawMessage `json:"type"`
	Role   text            `json:"role"`
	IDs    json.RawMessage `json:"id"`
	Data   *lcMessage      `json:"data"`
	Kwargs *lcMessage      `json:"kwargs"`

	Content    json.RawMessage `json:"content"`
	Name       text            `json:"name"`
	ToolCalls  []lcCall        `json:"tool_calls"`
	ToolCallID text            `json:"tool_call_id"`
	CreatedAt  instant         `json:"created_at"`
	Timestamp  instant         `json:"timestamp"`
	More       struct {
		ToolCalls []toolCall `json:"tool_calls"`
		CreatedAt instant    `json:"created_at"`
		Timestamp instant    `json:"timestamp"`
	} `json:"additional_kwargs"`
	Response struct {
		CreatedAt instant `json:"created_at"`
		Created   instant `json:"created"`
	} `json:"response_metadata"`
}

type lcCall struct {
	ID   text            `json:"id"`
	Name text            `json:"name"`
	Args json.RawMessage `json:"args"`
}

// lcState is what messages stand in: a thread, a state or a checkpoint of LangGraph, or a row of a
// message history.
type lcState struct {
	ID        text     `json:"id"`
	ThreadID  text     `json:"thread_id"`
	SessionID text     `json:"session_id"`
	Mongo     text     `json:"SessionId"` // of MongoDB and DynamoDB
	CreatedAt instant  `json:"created_at"`
	TS        instant  `json:"ts"`
	Message   lcNested `json:"message"`
	Messages  lcNested `json:"messages"`
	History   lcNested `json:"history"`
	Values    *lcState `json:"values"`
	Channels  *lcState `json:"channel_values"`
	At        *lcState `json:"checkpoint"`
	Config    struct {
		Configurable struct {
			ThreadID text `json:"thread_id"`
			UserID   text `json:"user_id"`
		} `json:"configurable"`
	} `json:"config"`
	Metadata struct {
		ThreadID text `json:"thread_id"`
		UserID   text `json:"user_id"`
	} `json:"metadata"`
}

// lcNested is a message, a list of them, or either as a string of JSON.
type lcNested []json.RawMessage

// UnmarshalJSON takes what is none of these for nothing.
func (n *lcNested) UnmarshalJSON(raw []byte) error {
	raw = trimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' {
		raw = []byte(plainText(raw))
	}
	if len(raw) > 0 && raw[0] == '{' {
		*n = lcNested{append([]byte{}, raw...)}
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		*n = list
	}
	return nil
}

// messages gives those of a state, wherever they stand in it.
func (s *lcState) messages() []json.RawMessage {
	if s == nil {
		return nil
	}
	for _, n := range []lcNested{s.Messages, s.Message, s.History, s.Values.messages(), s.Channels.messages(), s.At.messages()} {
		if len(n) > 0 {
			return n
		}
	}
	return nil
}

func (s *lcState) session() string {
	for _, id := range []text{s.ThreadID, s.SessionID, s.Mongo, s.Config.Configurable.ThreadID, s.Metadata.ThreadID} {
		if id != "" {
			return string(id)
		}
	}
	if s.At != nil { // as the API names a checkpoint
		return string(s.At.ThreadID)
	}
	return ""
}

func readLangChain(file string, r *bufio.Reader, lines bool, o Options, yield func(Item, error) bool) {
	loose := newRuns(file, o, yield)
	var open *thread
	flush := func() bool {
		if t := open; t != nil {
			open = nil
			return give(t.whole(), o, yield)
		}
		return loose.flush()
	}
	for v, err := range newScanner(r).all(lines) {
		if err != nil {
			yield(Item{}, err)
			return
		}
		at := Place{file, v.line}
		var list []json.RawMessage
		var s lcState
		var m lcMessage
		if v.fault == "" && v.raw[0] == '"' { // as Redis keeps them
			v.raw = []byte(plainText(v.raw))
			if v = checked(v); v.fault == "" && len(v.raw) == 0 {
				continue
			}
		}
		switch {
		case v.fault != "":
		case v.raw[0] == '[':
			_ = json.Unmarshal(v.raw, &list)
		case json.Unmarshal(v.raw, &s) == nil && len(s.messages()) > 0:
			list = s.messages()
		case json.Unmarshal(v.raw, &m) == nil && m.kind() != "":
			if m.kind() != "remove" && (open != nil && !flush() || !loose.add(draft{Conversation: Conversation{Place: at}}, m.said(v.raw, v.line, o))) {
				return
			}
			continue
		case isState(v.raw): // in which nothing was said yet
			continue
		default:
			v.fault = "has no messages"
		}
		if v.fault != "" {
			if !flush() || !yield(bad(at, v.raw, v.fault), nil) {
				return
			}
			continue
		}
		d := draft{Conversation: Conversation{Place: at, SessionID: s.session()}}
		for _, id := range []text{s.Config.Configurable.UserID, s.Metadata.UserID} {
			if d.UserID == "" {
				d.UserID = idOf(string(id))
			}
		}
		times := []instant{s.CreatedAt, s.TS}
		if s.At != nil {
			times = append(times, s.At.CreatedAt, s.At.TS)
		}
		d.started, d.zone, d.startFault = firstTime(o.place(), times...)
		var whole []said
		for _, raw := range list {
			var m lcMessage
			if json.Unmarshal(raw, &m) != nil || m.kind() == "" {
				chat := chatMessage(raw, v.line, o)
				if chat.fault == "" && len(chat.raw) == 0 {
					chat.fault = "a message that cannot be read"
				}
				whole = append(whole, chat)
				continue
			}
			if m.kind() != "remove" {
				whole = append(whole, m.said(raw, v.line, o))
			}
		}
		if len(s.Message)+len(s.History) > 0 && len(whole) == 1 { // a row of a history
			row := whole[0]
			if row.at.IsZero() {
				if row.at = d.started; row.zone == "" {
					row.zone = d.zone
				}
				row.fault = cmp.Or(row.fault, d.startFault)
			}
			if row.id == "" && s.ID != "" {
				row.id = "row-" + string(s.ID)
			}
			if open != nil && !flush() || !loose.add(d, row) {
				return
			}
			continue
		}
		if d.SessionID != "" && isState(v.raw) {
			if open != nil && (open.SessionID != d.SessionID || open.UserID != d.UserID && d.UserID != "") || open == nil {
				if !flush() {
					return
				}
				open = &thread{}
			}
			open.add(d, whole)
			continue
		}
		if d.said = whole; !flush() || !give(d, o, yield) {
			return
		}
	}
	flush()
}

// kind is what a message is, "" for what is none.
func (m lcMessage) kind() string {
	if m.Kwargs != nil {
		var path []string
		if json.Unmarshal(m.IDs, &path) == nil && len(path) > 0 {
			return strings.ToLower(path[len(path)-1])
		}
	}
	kind := strings.ToLower(plainText(m.Type))
	if kind == "chat" {
		return m.body().Role.lower()
	}
	if kind != "remove" && roleOf(kind) == "" {
		return ""
	}
	return kind
}

func (t text) lower() string { return strings.ToLower(string(t)) }

func (m lcMessage) body() *lcMessage {
	switch {
	case m.Kwargs != nil:
		return m.Kwargs
	case m.Data != nil:
		return m.Data
	}
	return &m
}

func (m lcMessage) said(raw json.RawMessage, line int, o Options) said {
	s := said{line: line, text: raw}
	role, b := roleOf(m.kind()), m.body()
	if role == "" {
		s.fault = "a type that is not known"
		return s
	}
	s.id = plainText(b.IDs)
	s.at, s.zone, s.fault = firstTime(o.place(), b.CreatedAt, b.Timestamp, b.More.CreatedAt, b.More.Timestamp, b.Response.CreatedAt, b.Response.Created)
	s.spoken = &spoken{Role: string(role), Name: string(b.Name), Content: lcContent(b.Content)}
	if role == "tool" {
		s.spoken.ToolCallID = string(b.ToolCallID)
	}
	if role == "assistant" {
		for _, c := range b.ToolCalls {
			s.spoken.ToolCalls = append(s.spoken.ToolCalls, toolCall{string(c.ID), "function", function{string(c.Name), argumentsOf(c.Args)}})
		}
		if len(b.ToolCalls) == 0 {
			s.spoken.ToolCalls = b.More.ToolCalls
		}
	}
	return s
}

// lcContent gives a content as it stands, save for parts that say nothing to others.
func lcContent(raw json.RawMessage) any {
	raw = trimSpace(raw)
	if len(raw) == 0 || raw[0] != '[' {
		if len(raw) == 0 || raw[0] != '"' && string(raw) != "null" {
			return plainText(raw)
		}
		return raw
	}
	var parts []json.RawMessage
	_ = json.Unmarshal(raw, &parts)
	kept := []json.RawMessage{}
	for _, p := range parts {
		var of struct{ Type text }
		if s := plainText(p); s != "" {
			p = encode(part{Type: "text", Text: s})
		} else if json.Unmarshal(p, &of) != nil {
			continue
		}
		switch of.Type {
		case "tool_use", "tool_call", "thinking", "redacted_thinking", "reasoning", "input_json_delta", "function_call":
			continue
		}
		kept = append(kept, p)
	}
	if len(kept) == 0 {
		return ""
	}
	return kept
}
