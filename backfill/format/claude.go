package format

import (
	"bufio"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// claudeConversation is one of conversations.json. Where messages name their parents they are a
// tree, of which the branch with the latest message was kept.
type claudeConversation struct {
	UUID      text              `json:"uuid"`
	CreatedAt instant           `json:"created_at"`
	Leaf      text              `json:"current_leaf_message_uuid"`
	Messages  []json.RawMessage `json:"chat_messages"`
}

type claudeMessage struct {
	UUID        text            `json:"uuid"`
	Text        text            `json:"text"`
	Content     []claudePart    `json:"content"`
	Sender      text            `json:"sender"`
	CreatedAt   instant         `json:"created_at"`
	Parent      text            `json:"parent_message_uuid"`
	Attachments []claudeFile    `json:"attachments"`
	Files       []claudeFile    `json:"files"`
	raw         json.RawMessage // as it stands
	faulty      bool
}

type claudePart struct {
	Type      text            `json:"type"`
	Text      text            `json:"text"`
	ID        text            `json:"id"`
	Name      text            `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID text            `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
}

type claudeFile struct {
	Name text `json:"file_name"`
	Type text `json:"file_type"`
	// Text is what stands in it; of what was pasted that is all there is.
	Text text `json:"extracted_content"`
}

func readClaude(file string, r *bufio.Reader, lines bool, o Options, yield func(Item, error) bool) {
	each(file, "is no conversation", newScanner(r).all(lines), yield, func(c claudeConversation, v value) bool {
		if c.Messages == nil {
			return yield(bad(Place{file, v.line}, v.raw, "is no conversation"), nil)
		}
		d := draft{Conversation: Conversation{Place: Place{file, v.line}, SessionID: string(c.UUID)}}
		d.started, d.zone, d.startFault = firstTime(o.place(), c.CreatedAt)
		for _, m := range c.kept() {
			d.said = append(d.said, m.said(v.line, o.place())...)
		}
		return give(d, o, yield)
	})
}

// kept gives the messages of the branch that was kept, in order.
func (c claudeConversation) kept() []claudeMessage {
	all := make([]claudeMessage, len(c.Messages))
	at := map[string]int{}
	tree := false
	for i, raw := range c.Messages {
		if json.Unmarshal(raw, &all[i]) != nil {
			all[i] = claudeMessage{faulty: true}
		}
		all[i].raw = raw
		at[string(all[i].UUID)] = i
	}
	for _, m := range all {
		if _, ok := at[string(m.Parent)]; ok && m.Parent != "" {
			tree = true
		}
	}
	if !tree {
		return all
	}
	leaf, ok := at[string(c.Leaf)]
	if !ok || c.Leaf == "" {
		leaf = len(all) - 1
	}
	on := map[int]bool{}
	for ok := true; ok && !on[leaf]; {
		on[leaf] = true
		leaf, ok = at[string(all[leaf].Parent)]
	}
	var kept []claudeMessage
	for i, m := range all {
		if on[i] || m.faulty {
			kept = append(kept, m)
		}
	}
	return kept
}

// said gives what a message says: more than one where it uses tools.
func (m claudeMessage) said(line int, place *time.Location) []said {
	base := said{line: line, text: m.raw}
	base.at, base.zone, base.fault = firstTime(place, m.CreatedAt)
	role := roleOf(string(m.Sender))
	if base.fault != "" {
		return []said{base}
	}
	if m.faulty || role == "" {
		base.fault = "a message that cannot be read"
		if !m.faulty {
			base.fault = "a sender that is not known"
		}
		return []said{base}
	}
	var out []said
	add := func(s *spoken) {
		next := base
		if next.id = string(m.UUID); len(out) > 0 && next.id != "" {
			next.id += "-" + strconv.Itoa(len(out)+1)
		}
		next.spoken = s
		out = append(out, next)
	}
	var texts []string
	var calls []toolCall
	flush := func() {
		if len(texts)+len(calls) > 0 {
			add(&spoken{Role: string(role), Content: strings.Join(texts, "\n"), ToolCalls: calls})
		}
		texts, calls = nil, nil
	}
	usesTools := false
	for _, p := range m.Content {
		usesTools = usesTools || p.Type == "tool_use" || p.Type == "tool_result"
	}
	if !usesTools {
		for _, p := range m.Content {
			if p.Text != "" && !strings.Contains(string(p.Type), "thinking") {
				texts = append(texts, string(p.Text))
			}
		}
		words := strings.Join(texts, "\n")
		if strings.TrimSpace(words) == "" {
			words = string(m.Text)
		}
		words = m.withPasted(words)
		s := &spoken{Role: string(role)}
		s.attach(words, m.sent())
		add(s)
		return out
	}
	last := ""
	for _, p := range m.Content {
		switch p.Type {
		case "text":
			if len(calls) > 0 {
				flush()
			}
			if strings.TrimSpace(string(p.Text)) != "" {
				texts = append(texts, string(p.Text))
			}
		case "tool_use":
			id := string(p.ID)
			if id == "" {
				id = hashOf("call-", []byte(m.UUID), []byte(strconv.Itoa(len(out)+len(calls))), p.Input)
			}
			last = id
			calls = append(calls, toolCall{id, "function", function{string(p.Name), argumentsOf(p.Input)}})
		case "tool_result":
			flush()
			id := string(p.ToolUseID)
			if id == "" {
				id = last
			}
			add(&spoken{Role: "tool", Name: string(p.Name), ToolCallID: id, Content: claudeResult(p.Content)})
		}
	}
	flush()
	if sent := m.sent(); len(sent) > 0 {
		s := &spoken{Role: string(role)}
		s.attach("", sent)
		add(s)
	}
	return out
}

// withPasted adds to what was written what was pasted, which is an attachment without a name.
func (m claudeMessage) withPasted(words string) string {
	all := []string{words}
	for _, a := range m.Attachments {
		if a.Name == "" && strings.TrimSpace(string(a.Text)) != "" {
			all = append(all, string(a.Text))
		}
	}
	if strings.TrimSpace(words) == "" && len(all) > 1 {
		all = all[1:]
	}
	return strings.Join(all, "\n")
}

// claudeResult gives the text of what a tool gave.
func claudeResult(raw json.RawMessage) string {
	if s := plainText(raw); s != "" {
		return s
	}
	var parts []claudePart
	if json.Unmarshal(raw, &parts) != nil {
		if string(trimSpace(raw)) == "null" {
			return ""
		}
		return string(raw)
	}
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, string(p.Text))
		}
	}
	return strings.Join(texts, "\n")
}

// sent gives what was attached, each once.
func (m claudeMessage) sent() (all []attachment) {
	seen := map[text]bool{"": true}
	for _, f := range append(m.Attachments[:len(m.Attachments):len(m.Attachments)], m.Files...) {
		if !seen[f.Name] {
			seen[f.Name] = true
			all = append(all, attachment{Name: string(f.Name), Type: claudeType(string(f.Type), string(f.Name))})
		}
	}
	return all
}

// claudeType tells the type of a file of which no more is known than its ending.
func claudeType(given, name string) string {
	if strings.Contains(given, "/") {
		return given
	}
	switch name = strings.ToLower(name); {
	case strings.HasSuffix(name, ".png"), strings.HasSuffix(name, ".jpg"), strings.HasSuffix(name, ".jpeg"), strings.HasSuffix(name, ".gif"), strings.HasSuffix(name, ".webp"):
		return "image"
	}
	return given
}
