package format

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/memdhq/memd"
)

// Place is where something stands.
type Place struct {
	File string `json:"file"`
	// Line is counted from 1; 0 means the file as a whole.
	Line int `json:"line,omitempty"`
}

// Item is what a reader gives: one of the four is set.
type Item struct {
	Conversation *Conversation `json:"conversation,omitempty"`
	Memory       *Memory       `json:"memory,omitempty"`
	After        *After        `json:"after,omitempty"`
	Bad          *Bad          `json:"bad,omitempty"`
}

// After is what had become of a person, or of a session of theirs, in the memd that all of it was
// exported from: it is said once all else is there.
type After struct {
	Place
	UserID string `json:"user_id,omitempty"`
	// SessionID is "" where it is about the person.
	SessionID string `json:"session_id,omitempty"`
	// Unlearned says that nothing is learned from what is said from then on.
	Unlearned     bool      `json:"unlearned,omitempty"`
	ClosedAt      time.Time `json:"closed_at,omitzero"`
	NextSessionID string    `json:"next_session_id,omitempty"`
	ForwardsTo    string    `json:"forwards_to,omitempty"`
}

// Conversation is a run of messages of one session, in the order they were said in. A long
// session comes as several, one after the other.
type Conversation struct {
	Place
	// UserID is "" where the source does not say whose it is.
	UserID string `json:"user_id,omitempty"`
	// SessionID is never "".
	SessionID string `json:"session_id"`
	AgentID   string `json:"agent_id,omitempty"`
	AppID     string `json:"app_id,omitempty"`
	// Opens says that this is the session itself, as memd's export tells of it, and none of its
	// messages: which one it carries on, and About, its own metadata.
	Opens             bool   `json:"opens,omitempty"`
	PreviousSessionID string `json:"previous_session_id,omitempty"`
	// Direct says that it is none of the person's chats: its messages were given to be remembered.
	Direct bool            `json:"direct,omitempty"`
	About  json.RawMessage `json:"about,omitempty"`
	// Messages are at most maxMessages, and have no more than partBytes unless there is but one.
	Messages []Message `json:"messages,omitempty"`
	// Empty counts messages that say nothing and were left out, Repeated those that stood
	// there twice.
	Empty    int `json:"empty,omitempty"`
	Repeated int `json:"repeated,omitempty"`
}

// Size is about how many bytes its messages have.
func (c Conversation) Size() (n int) {
	for _, m := range c.Messages {
		n += len(m.Raw) + len(m.Metadata)
	}
	return n
}

// Message is one message of a conversation.
type Message struct {
	Line int `json:"line,omitempty"`
	// ID is unique within the session and always the same of the same source.
	ID   string    `json:"id"`
	Role memd.Role `json:"role"`
	// Raw is as memd.Message has it.
	Raw json.RawMessage `json:"raw"`
	// CreatedAt is zero where nothing says when it was said.
	CreatedAt time.Time `json:"created_at,omitzero"`
	// Zone is the IANA name of the zone it was said in, "" if that is not known.
	Zone string `json:"zone,omitempty"`
	// Metadata passes to what is learned from it.
	Metadata json.RawMessage `json:"metadata,omitempty"`
	// NoLearn says that nothing is to be learned from it.
	NoLearn bool `json:"no_learn,omitempty"`
}

// Alike says whether another message of the conversation is of the same zone, with the same metadata,
// and learned from as this one is: such go together.
func (m Message) Alike(other Message) bool {
	return m.Zone == other.Zone && m.NoLearn == other.NoLearn && bytes.Equal(m.Metadata, other.Metadata)
}

// Memory is a statement that another store remembered, to be kept as it is.
type Memory struct {
	Place
	// ID is always the same of the same source, also where what it says has changed there.
	ID      string    `json:"id"`
	UserID  string    `json:"user_id,omitempty"`
	AgentID string    `json:"agent_id,omitempty"`
	RunID   string    `json:"run_id,omitempty"`
	AppID   string    `json:"app_id,omitempty"`
	ActorID string    `json:"actor_id,omitempty"`
	Role    memd.Role `json:"role"`
	Text    string    `json:"text"`
	// CreatedAt is when what it says was said, or was changed to that.
	CreatedAt  time.Time       `json:"created_at,omitzero"`
	ExpiresAt  time.Time       `json:"expires_at,omitzero"`
	OccurredAt time.Time       `json:"occurred_at,omitzero"`
	Categories []string        `json:"categories,omitempty"`
	MemoryType string          `json:"memory_type,omitempty"`
	Scope      string          `json:"scope,omitempty"`
	Metadata   json.RawMessage `json:"metadata,omitempty"`
}

// identified gives it an id that is made of what it says, where its source has none.
func (m Memory) identified() Memory {
	if m.ID == "" {
		m.ID = hashOf(madeID, []byte(m.Text), []byte(m.AgentID), []byte(m.RunID), []byte(m.AppID), []byte(m.ActorID), []byte(m.Role), m.Metadata, []byte(stamp(m.CreatedAt)))
	}
	return m
}

// Bad is what could not be read.
type Bad struct {
	Place
	Reason string `json:"reason"`
	// Text is what stands there, cut where it is very long.
	Text string `json:"text,omitempty"`
	// SessionID is the conversation that it stands in, "" if it is none, or none is named.
	SessionID string `json:"session_id,omitempty"`
}

// Time is when the first of it was said, zero if nothing says so.
func (i Item) Time() time.Time {
	switch {
	case i.Memory != nil:
		return i.Memory.CreatedAt
	case i.Conversation != nil:
		for _, m := range i.Conversation.Messages {
			if !m.CreatedAt.IsZero() {
				return m.CreatedAt
			}
		}
	}
	return time.Time{}
}

const (
	// maxMessages is the most messages of a conversation that is given at once, partBytes the most bytes of
	// several.
	maxMessages = 500
	partBytes   = 1 << 20
	// maxBadText is the most of a bad line that is kept.
	maxBadText = 64 << 10
)

func bad(p Place, text []byte, reason string) Item {
	if len(text) > maxBadText {
		text = text[:maxBadText]
	}
	return Item{Bad: &Bad{Place: p, Reason: reason, Text: string(text)}}
}
