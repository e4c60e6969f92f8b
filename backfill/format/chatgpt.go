package format

import (
	"bufio"
	"encoding/json"
	"strings"
	"time"
)

// gptConversation is one of conversations.json: a tree of messages, of which one branch was
// kept.
type gptConversation struct {
	ID             text                `json:"id"`
	ConversationID text                `json:"conversation_id"`
	CreateTime     instant             `json:"create_time"`
	CurrentNode    text                `json:"current_node"`
	Mapping        map[string]*gptNode `json:"mapping"`
}

type gptNode struct {
	Message  json.RawMessage `json:"message"`
	Parent   text            `json:"parent"`
	Children []text          `json:"children"`
}

type gptMessage struct {
	ID     text `json:"id"`
	Author struct {
		Role text `json:"role"`
		Name text `json:"name"`
	} `json:"author"`
	CreateTime instant         `json:"create_time"`
	Content    json.RawMessage `json:"content"`
	Recipient  text            `json:"recipient"`
	Metadata   struct {
		Attachments []struct {
			ID       text `json:"id"`
			Name     text `json:"name"`
			MimeType text `json:"mimeType"`
			Mime     text `json:"mime_type"`
		} `json:"attachments"`
		Hidden bool `json:"is_visually_hidden_from_conversation"`
	} `json:"metadata"`
	raw json.RawMessage // as it stands
}

type gptContent struct {
	Type             text              `json:"content_type"`
	Parts            []json.RawMessage `json:"parts"`
	Text             text              `json:"text"`
	Result           text              `json:"result"`
	UserProfile      text              `json:"user_profile"`
	UserInstructions text              `json:"user_instructions"`
	ModelContext     text              `json:"model_set_context"`
}

func readChatGPT(file string, r *bufio.Reader, lines bool, o Options, yield func(Item, error) bool) {
	each(file, "is no conversation", newScanner(r).all(lines), yield, func(c gptConversation, v value) bool {
		if c.Mapping == nil {
			return yield(bad(Place{file, v.line}, v.raw, "is no conversation"), nil)
		}
		d := draft{Conversation: Conversation{Place: Place{file, v.line}, SessionID: string(c.ConversationID)}}
		if d.SessionID == "" {
			d.SessionID = string(c.ID)
		}
		d.started, d.zone, d.startFault = firstTime(o.place(), c.CreateTime)
		call := ""
		for _, id := range c.kept() {
			raw := trimSpace(c.Mapping[id].Message)
			if len(raw) == 0 || string(raw) == "null" {
				continue
			}
			m := &gptMessage{raw: raw}
			if json.Unmarshal(raw, m) != nil {
				d.said = append(d.said, said{line: v.line, text: raw, fault: "a message that cannot be read"})
				continue
			}
			if m.ID == "" {
				m.ID = text(id)
			}
			if s, ok := m.said(v.line, &call, o.place()); ok {
				d.said = append(d.said, s)
			}
		}
		return give(d, o, yield)
	})
}

// kept gives the ids of the branch that was kept, the first message first. Where nothing says
// which that is, it is the one that the last answers lead to.
func (c gptConversation) kept() (ids []string) {
	at := string(c.CurrentNode)
	if c.Mapping[at] == nil {
		at = c.lastLeaf()
	}
	seen := map[string]bool{}
	for c.Mapping[at] != nil && !seen[at] {
		seen[at] = true
		ids = append(ids, at)
		at = string(c.Mapping[at].Parent)
	}
	for i, j := 0, len(ids)-1; i < j; i, j = i+1, j-1 {
		ids[i], ids[j] = ids[j], ids[i]
	}
	return ids
}

// lastLeaf goes from the root by each message's last answer.
func (c gptConversation) lastLeaf() string {
	root := ""
	for id, n := range c.Mapping {
		if n != nil && c.Mapping[string(n.Parent)] == nil && (root == "" || len(n.Children) > len(c.Mapping[root].Children) ||
			len(n.Children) == len(c.Mapping[root].Children) && id < root) {
			root = id
		}
	}
	at, seen := root, map[string]bool{}
	for c.Mapping[at] != nil && !seen[at] {
		seen[at] = true
		next := ""
		for _, child := range c.Mapping[at].Children {
			if c.Mapping[string(child)] != nil && !seen[string(child)] {
				next = string(child)
			}
		}
		if next == "" {
			return at
		}
		at = next
	}
	return at
}

// said gives what a message says, false if it is none of the conversation. call is the last tool
// call that has no result yet.
func (m *gptMessage) said(line int, call *string, place *time.Location) (said, bool) {
	s := said{line: line, id: string(m.ID)}
	s.at, s.zone, s.fault = firstTime(place, m.CreateTime)
	s.text, s.seen = m.raw, m.Content
	var c gptContent
	if json.Unmarshal(m.Content, &c) != nil {
		s.fault = "a content that cannot be read"
		return s, true
	}
	role := roleOf(string(m.Author.Role))
	words, sent := c.words()
	for _, a := range m.Metadata.Attachments {
		sent = withAttachment(sent, attachment{Name: string(a.Name), Type: string(a.MimeType + a.Mime), ID: string(a.ID)})
	}
	switch {
	case role == "":
		s.fault = "a role that is not known"
		return s, true
	case c.Type == "thoughts", c.Type == "reasoning_recap": // what a model thought to itself
		return s, false
	case c.Type == "user_editable_context", c.Type == "model_editable_context": // what it was told of the user
		role = "system"
	case m.Metadata.Hidden && role != "tool":
		return s, false
	case role == "assistant" && m.Recipient != "" && m.Recipient != "all":
		*call = string(m.ID)
		s.spoken = &spoken{Role: "assistant", ToolCalls: []toolCall{{*call, "function", function{string(m.Recipient), words}}}}
		return s, true
	case role == "tool":
		s.spoken = &spoken{Role: "tool", Name: string(m.Author.Name), ToolCallID: *call}
		s.spoken.attach(words, sent)
		if *call == "" { // nothing asked for it that is left
			s.spoken.ToolCallID = string(m.ID)
		}
		return s, words != "" || len(sent) > 0
	}
	s.spoken = &spoken{Role: string(role), Name: string(m.Author.Name)}
	s.spoken.attach(words, sent)
	return s, true
}

// withAttachment adds what is not there yet: an image stands in the content and among what
// was attached.
func withAttachment(all []attachment, a attachment) []attachment {
	for i, b := range all {
		if a.ID != "" && strings.HasSuffix(b.ID, a.ID) || b == a {
			all[i] = a
			return all
		}
	}
	return append(all, a)
}

// words gives the text of a content and what else is in it.
func (c gptContent) words() (string, []attachment) {
	var texts []string
	var sent []attachment
	for _, raw := range c.Parts {
		if s := plainText(raw); s != "" {
			texts = append(texts, s)
			continue
		}
		var p struct {
			Type     text `json:"content_type"`
			Text     text `json:"text"`
			Asset    text `json:"asset_pointer"`
			Metadata struct {
				Name text `json:"filename"`
			} `json:"metadata"`
			Audio struct {
				Asset text `json:"asset_pointer"`
			} `json:"audio_asset_pointer"`
		}
		if json.Unmarshal(raw, &p) != nil {
			continue
		}
		switch {
		case p.Text != "": // what was spoken, written down
			texts = append(texts, string(p.Text))
		case p.Asset != "":
			kind, _, _ := strings.Cut(string(p.Type), "_")
			sent = withAttachment(sent, attachment{Name: string(p.Metadata.Name), Type: kind, ID: string(p.Asset)})
		case p.Audio.Asset != "":
			sent = withAttachment(sent, attachment{Type: "audio", ID: string(p.Audio.Asset)})
		}
	}
	for _, s := range []text{c.Text, c.Result, c.UserProfile, c.UserInstructions, c.ModelContext} {
		if s != "" {
			texts = append(texts, string(s))
		}
	}
	return strings.Join(texts, "\n"), sent
}
