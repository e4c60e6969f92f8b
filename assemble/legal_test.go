package assemble

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/tiktoken-go/tokenizer"
)

// sentMessage is a message of a chat request, read strictly.
type sentMessage struct {
	Role         string          `json:"role"`
	Content      json.RawMessage `json:"content"`
	Name         *string         `json:"name"`
	ToolCalls    json.RawMessage `json:"tool_calls"`
	ToolCallID   *string         `json:"tool_call_id"`
	Refusal      *string         `json:"refusal"`
	Audio        json.RawMessage `json:"audio"`
	FunctionCall json.RawMessage `json:"function_call"`

	parts []sentPart
	calls []string
}

type sentPart struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	ImageURL json.RawMessage `json:"image_url"`
	raw      string
}

// text is what a message says.
func (m sentMessage) text() string {
	var b bytes.Buffer
	for i, p := range m.parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

// checkLegal holds messages to what OpenAI's chat API takes.
func checkLegal(messages []json.RawMessage) ([]sentMessage, error) {
	var all []sentMessage
	for i, raw := range messages {
		m, err := readSent(raw)
		if err != nil {
			return nil, fmt.Errorf("messages[%d]: %w: %s", i, err, raw)
		}
		all = append(all, m)
	}
	for i := 0; i < len(all); i++ {
		switch m := all[i]; {
		case m.Role == "tool" || m.Role == "function":
			return nil, fmt.Errorf("messages[%d]: a result without its call", i)
		case m.calls != nil:
			waiting := slices.Clone(m.calls)
			for range m.calls {
				if i++; i == len(all) || all[i].Role != "tool" {
					return nil, fmt.Errorf("messages[%d]: %q not answered", i, waiting)
				}
				at := slices.Index(waiting, *all[i].ToolCallID)
				if at < 0 {
					return nil, fmt.Errorf("messages[%d]: answers %q, waiting are %q", i, *all[i].ToolCallID, waiting)
				}
				waiting = slices.Delete(waiting, at, at+1)
			}
		case m.FunctionCall != nil:
			var call struct{ Name string }
			if json.Unmarshal(m.FunctionCall, &call) != nil {
				return nil, fmt.Errorf("messages[%d]: a function_call that is none", i)
			}
			if i++; i == len(all) || all[i].Role != "function" || *all[i].Name != call.Name {
				return nil, fmt.Errorf("messages[%d]: the function is not answered", i)
			}
		}
	}
	return all, nil
}

func readSent(raw json.RawMessage) (sentMessage, error) {
	var m sentMessage
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return m, err
	}
	switch {
	case len(m.Content) > 0 && m.Content[0] == '"':
		var s string
		_ = json.Unmarshal(m.Content, &s)
		m.parts = []sentPart{{Type: "text", Text: s}}
	case len(m.Content) > 0 && m.Content[0] == '[':
		var parts []json.RawMessage
		_ = json.Unmarshal(m.Content, &parts)
		if len(parts) == 0 {
			return m, fmt.Errorf("content without parts")
		}
		for _, p := range parts {
			part := sentPart{raw: string(p)}
			if err := json.Unmarshal(p, &part); err != nil || part.Type == "" {
				return m, fmt.Errorf("a part without a type")
			}
			m.parts = append(m.parts, part)
		}
	case string(m.Content) != "null":
		return m, fmt.Errorf("no content")
	case m.Role != "assistant":
		return m, fmt.Errorf("content is null")
	}
	if m.Name != nil && !sendableName.MatchString(*m.Name) {
		return m, fmt.Errorf("name %q", *m.Name)
	}
	assistants := m.ToolCalls != nil || m.Refusal != nil || m.Audio != nil || m.FunctionCall != nil
	switch m.Role {
	case "assistant":
		if m.ToolCallID != nil {
			return m, fmt.Errorf("a tool_call_id")
		}
		if m.parts == nil && !assistants {
			return m, fmt.Errorf("says nothing")
		}
	case "tool":
		if m.ToolCallID == nil || assistants {
			return m, fmt.Errorf("is no result")
		}
	case "function":
		if m.Name == nil || m.ToolCallID != nil || assistants {
			return m, fmt.Errorf("is no result")
		}
	case "user", "system", "developer":
		if m.ToolCallID != nil || assistants {
			return m, fmt.Errorf("members of another role")
		}
	default:
		return m, fmt.Errorf("role %q", m.Role)
	}
	if m.ToolCalls != nil {
		var calls []struct{ ID string }
		if json.Unmarshal(m.ToolCalls, &calls) != nil || len(calls) == 0 {
			return m, fmt.Errorf("tool_calls without calls")
		}
		for _, c := range calls {
			if c.ID == "" || slices.Contains(m.calls, c.ID) {
				return m, fmt.Errorf("call ids %q", c.ID)
			}
			m.calls = append(m.calls, c.ID)
		}
	}
	return m, nil
}

var codec = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })

// countSent counts a request from its JSON alone.
func countSent(messages []sentMessage) int {
	o200k, err := codec()
	if err != nil {
		panic(err)
	}
	count := func(s string) int {
		n, err := o200k.Count(s)
		if err != nil {
			panic(err)
		}
		return n
	}
	if len(messages) == 0 {
		return 0
	}
	n := 3
	for _, m := range messages {
		n += 3 + count(m.Role) + count(string(m.ToolCalls)) + count(string(m.Audio)) + count(string(m.FunctionCall))
		if m.Name != nil {
			n += 1 + count(*m.Name)
		}
		if m.ToolCallID != nil {
			n += count(*m.ToolCallID)
		}
		if m.Refusal != nil {
			n += count(*m.Refusal)
		}
		for _, p := range m.parts {
			switch p.Type {
			case "text":
				n += count(p.Text)
			case "image_url":
				n += map[bool]int{true: 85, false: 1105}[bytes.Contains(p.ImageURL, []byte(`"low"`))]
			default:
				n += count(p.raw)
			}
		}
	}
	return n
}
