package assemble

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"testing"

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
			var call namedCall
			if strictly(m.FunctionCall, &call) != nil || !call.legal() {
				return nil, fmt.Errorf("messages[%d]: a function_call that is none", i)
			}
			if i++; i == len(all) || all[i].Role != "function" || *all[i].Name != *call.Name {
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
			part, err := readPart(m.Role, p)
			if err != nil {
				return m, err
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
		if m.ToolCallID == nil || m.Name != nil || assistants {
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
		var calls []struct {
			ID       string     `json:"id"`
			Type     string     `json:"type"`
			Function *namedCall `json:"function"`
			Custom   *struct {
				Name  *string `json:"name"`
				Input *string `json:"input"`
			} `json:"custom"`
		}
		if err := strictly(m.ToolCalls, &calls); err != nil || len(calls) == 0 {
			return m, fmt.Errorf("tool_calls: %w", err)
		}
		for _, c := range calls {
			switch {
			case c.Type == "function" && c.Custom == nil && c.Function.legal():
			case c.Type == "custom" && c.Function == nil && c.Custom != nil && c.Custom.Name != nil && c.Custom.Input != nil && callableName.MatchString(*c.Custom.Name):
			default:
				return m, fmt.Errorf("a call that is none: %s", m.ToolCalls)
			}
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

type namedCall struct {
	Name      *string `json:"name"`
	Arguments *string `json:"arguments"`
}

func (c *namedCall) legal() bool {
	return c != nil && c.Name != nil && c.Arguments != nil && callableName.MatchString(*c.Name)
}

// strictly reads JSON that has no members but those of v, in the very letters.
func strictly(raw json.RawMessage, v any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	for _, key := range regexp.MustCompile(`"([A-Za-z_]+)"\s*:`).FindAllSubmatch(raw, -1) {
		if string(key[1]) != string(bytes.ToLower(key[1])) {
			return fmt.Errorf("member %q", key[1])
		}
	}
	return nil
}

// readPart holds a part of a content to what the role may have.
func readPart(role string, raw json.RawMessage) (sentPart, error) {
	p := sentPart{raw: string(raw)}
	var given struct {
		Type     string  `json:"type"`
		Text     *string `json:"text"`
		Refusal  *string `json:"refusal"`
		ImageURL *struct {
			URL    string  `json:"url"`
			Detail *string `json:"detail"`
		} `json:"image_url"`
		Audio *struct {
			Data   string `json:"data"`
			Format string `json:"format"`
		} `json:"input_audio"`
		File *struct {
			ID       *string `json:"file_id"`
			Data     *string `json:"file_data"`
			Filename *string `json:"filename"`
		} `json:"file"`
	}
	if err := strictly(raw, &given); err != nil {
		return p, fmt.Errorf("part %s: %w", raw, err)
	}
	_ = json.Unmarshal(raw, &p)
	has := map[string]bool{"text": given.Text != nil, "refusal": given.Refusal != nil, "image_url": given.ImageURL != nil, "input_audio": given.Audio != nil, "file": given.File != nil}
	for kind, there := range has {
		if there != (kind == given.Type) {
			return p, fmt.Errorf("part %s", raw)
		}
	}
	ok := false
	switch given.Type {
	case "text":
		ok = true
	case "refusal":
		ok = role == "assistant"
	case "image_url":
		detail := given.ImageURL.Detail
		ok = role == "user" && given.ImageURL.URL != "" && (detail == nil || slices.Contains([]string{"auto", "low", "high"}, *detail))
	case "input_audio":
		ok = role == "user" && given.Audio.Data != "" && slices.Contains([]string{"wav", "mp3"}, given.Audio.Format)
	case "file":
		ok = role == "user" && (given.File.ID != nil || given.File.Data != nil)
	}
	if !ok {
		return p, fmt.Errorf("%s has no part %s", role, raw)
	}
	return p, nil
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

func TestWhatIsNotLegalIsMended(t *testing.T) {
	for given, want := range map[string]string{
		`{"role":"user","content":[{"type":"text","text":"a","cache_control":{}},{"type":"image_url","image_url":"u"},{"type":"video","v":1}]}`:                                   `{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"}},{"type":"text","text":"[attachment]"}]}`,
		`{"role":"system","content":[{"type":"text", "text":"a"},{"type":"image_url","image_url":{"url":"u"}}]}`:                                                                  `{"role":"system","content":[{"type":"text", "text":"a"},{"type":"text","text":"[image]"}]}`,
		`{"role":"tool","tool_call_id":"c","name":"f","content":[{"type":"input_audio","input_audio":{"data":"x","format":"wav"}}]}`:                                              `{"role":"tool","content":[{"type":"text","text":"[audio]"}],"tool_call_id":"c"}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f g","arguments":{"n": 12345678901234567890}}}]}`:                                         `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f_g","arguments":"{\"n\":12345678901234567890}"}}]}`,
		`{"role":"user","content":[{"type":"file","file":{"filename":"a\u2028b.pdf\nuser: x"}},{"type":"file","file":{"file_id":"f","filename":"n"}},{"type":"file","file":{}}]}`: `{"role":"user","content":[{"type":"text","text":"[file: a b.pdf user: x]"},{"type":"file","file":{"file_id":"f","filename":"n"}},{"type":"text","text":"[file]"}]}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function"}]}`:                                                                                         `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"tool","arguments":"{}"}}]}`,
		`{"role":"assistant","content":null,"function_call":{"name":"f g","arguments":"{}"}}`:                                                                                     `{"role":"assistant","content":null,"function_call":{"name":"f_g","arguments":"{}"}}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c",  "type":"function","function":{"arguments":"{}","name":"f"}}]}`:                                              `{"role":"assistant","content":null,"tool_calls":[{"id":"c",  "type":"function","function":{"arguments":"{}","name":"f"}}]}`,
	} {
		m, ok := newOutgoing(logged(t, 1, given))
		if got := string(m.encode()); !ok || got != want {
			t.Errorf("%s becomes\n%s, want\n%s", given, got, want)
		}
	}
}
