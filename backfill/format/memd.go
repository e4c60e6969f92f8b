package format

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/memdhq/memd"
)

// exported is a line of memd's own export.
type exported struct {
	Type    text           `json:"type"`
	Version int            `json:"version"`
	Counts  map[string]int `json:"counts"`
	UserID  text           `json:"user_id"`

	SessionID         text            `json:"session_id"`
	Kind              text            `json:"kind"`
	ClosedAt          instant         `json:"closed_at"`
	NextSessionID     text            `json:"next_session_id"`
	ForwardsTo        text            `json:"forwards_to"`
	AgentID           text            `json:"agent_id"`
	AppID             text            `json:"app_id"`
	PreviousSessionID text            `json:"previous_session_id"`
	Metadata          json.RawMessage `json:"metadata"`

	ClientID  text            `json:"client_id"`
	CreatedAt instant         `json:"created_at"`
	Timezone  text            `json:"timezone"`
	Learn     *bool           `json:"learn"`
	Message   json.RawMessage `json:"message"`

	Memory     text     `json:"memory"`
	SourceID   text     `json:"source_id"`
	Verbatim   bool     `json:"verbatim"`
	AgentIDs   []string `json:"agent_ids"`
	RunIDs     []string `json:"run_ids"`
	ActorID    text     `json:"actor_id"`
	Role       text     `json:"role"`
	Scope      text     `json:"scope"`
	MemoryType text     `json:"memory_type"`
	Categories []string `json:"categories"`
	ValidFrom  instant  `json:"valid_from"`
	OccurredAt instant  `json:"occurred_at"`
	ExpiresAt  instant  `json:"expires_at"`
}

// exportVersion is the newest form of an export that is read, countedLines what its end calls the lines of a type.
const exportVersion = 1

var countedLines = map[text]string{"user": "users", "session": "sessions", "message": "messages", "memory": "memories", "unowned_memory": "unowned_memories"}

// readMemd reads what memd exported: sessions with their messages, and what was stored as it is. What was
// learned from messages is learned from them again.
func readMemd(file string, r *bufio.Reader, _ bool, o Options, yield func(Item, error) bool) {
	loose := newRuns(file, o, yield)
	user, ended, begun := "", false, false
	read := map[string]int{"users": 0, "sessions": 0, "messages": 0, "memories": 0, "unowned_memories": 0}
	var after []After // of the person whose lines these are
	told := func() bool {
		for _, a := range after {
			if !yield(Item{After: &a}, nil) {
				return false
			}
		}
		after = nil
		return true
	}
	whole := each(file, "is no line of an export", newScanner(r).lines(), loose.between(yield), func(l exported, v value) bool {
		at := Place{file, v.line}
		if l.Type != "message" && !loose.flush() {
			return false
		}
		if name, ok := countedLines[l.Type]; ok {
			read[name]++
		}
		switch l.Type {
		case "memd.export":
			if l.Version > exportVersion {
				yield(bad(at, v.raw, fmt.Sprintf("is of version %d: a newer memd reads it", l.Version)), nil)
				return false
			}
			begun, user = true, idOf(string(l.UserID))
			return told()
		case "user": // of an export of several
			if !told() {
				return false
			}
			if l.UserID != "" {
				user = idOf(string(l.UserID))
			}
			if l.Learn != nil && !*l.Learn {
				after = append(after, After{Place: at, UserID: user, Unlearned: true})
			}
		case "session":
			c, a, fault := l.session(at, user, o)
			switch {
			case fault != "":
				return yield(bad(at, v.raw, fault), nil)
			case a != nil:
				after = append(after, *a)
			}
			if c != nil {
				return yield(Item{Conversation: c}, nil)
			}
		case "message":
			d := draft{Conversation: Conversation{Place: at, UserID: user, SessionID: string(l.SessionID), AgentID: idOf(string(l.AgentID)), AppID: idOf(string(l.AppID))}}
			return loose.add(d, l.said(v.raw, v.line, o))
		case "memory":
			if l.Verbatim {
				return l.memory(at, user, v.raw, o, yield)
			}
		case "unowned_memory": // of an agent, or of a run
			return l.memory(at, "", v.raw, o, yield)
		case "deleted_memory", "statement", "forgotten", "retained", "overruled":
		case "end":
			ended = true
			for name, n := range l.Counts {
				if there, ok := read[name]; ok && there < n && !yield(bad(at, v.raw, fmt.Sprintf("is not whole: of %d %s it has %d", n, name, there)), nil) {
					return false
				}
			}
		default:
			return yield(bad(at, v.raw, "is a line of a type that is not known"), nil)
		}
		return true
	})
	if whole && loose.flush() && told() && begun && !ended {
		yield(bad(Place{file, 0}, nil, "is cut off: it has no last line"), nil)
	}
}

// session gives a session without its messages, nil if it is of no name, and what has become of it,
// nil if nothing has.
func (l exported) session(at Place, user string, o Options) (c *Conversation, a *After, fault string) {
	c = &Conversation{Place: at, Opens: true, UserID: user, SessionID: idOf(string(l.SessionID)), AgentID: idOf(string(l.AgentID)),
		PreviousSessionID: idOf(string(l.PreviousSessionID)), Direct: l.Kind == "direct"}
	if len(trimSpace(l.Metadata)) > 2 && l.Metadata[0] == '{' {
		c.About = l.Metadata
	}
	if c.SessionID == "" {
		return nil, nil, ""
	}
	a = &After{Place: at, UserID: user, SessionID: c.SessionID, Unlearned: l.Learn != nil && !*l.Learn,
		NextSessionID: idOf(string(l.NextSessionID)), ForwardsTo: idOf(string(l.ForwardsTo))}
	if a.ClosedAt, _, fault = firstTime(o.place(), l.ClosedAt); fault != "" {
		return nil, nil, fault
	}
	if !a.Unlearned && a.ClosedAt.IsZero() {
		a = nil
	}
	return c, a, ""
}

func (l exported) said(raw json.RawMessage, line int, o Options) said {
	s := chatMessage(l.Message, line, o)
	s.text = raw
	if s.id == "" {
		s.id = string(l.ClientID)
	}
	switch at, _, fault := firstTime(o.place(), l.CreatedAt); {
	case fault != "":
		s.fault = fault
	case !at.IsZero():
		s.at = at
	}
	if s.zone = validZone(string(l.Timezone)); isOddZone(string(l.Timezone)) {
		s.fault = oddZone
	}
	s.noLearn = l.Learn != nil && !*l.Learn
	if len(trimSpace(l.Metadata)) > 2 && l.Metadata[0] == '{' {
		s.metadata = l.Metadata
	}
	return s
}

func (l exported) memory(at Place, user string, raw json.RawMessage, o Options, yield func(Item, error) bool) bool {
	if strings.TrimSpace(string(l.Memory)) == "" {
		return yield(bad(at, raw, "has no text"), nil)
	}
	m := Memory{Place: at, ID: sourceID(string(l.SourceID)), UserID: user, AppID: idOf(string(l.AppID)), ActorID: nameOf(string(l.ActorID)), Role: roleOf(string(l.Role)), Text: string(l.Memory),
		MemoryType: idOf(string(l.MemoryType)), Scope: idOf(string(l.Scope)), Categories: l.Categories}
	if len(l.AgentIDs) > 0 {
		m.AgentID = l.AgentIDs[0]
	}
	if len(l.RunIDs) > 0 {
		m.RunID = l.RunIDs[0]
	}
	if !m.Role.Learnable() {
		m.Role = memd.RoleUser
	}
	for _, t := range []struct {
		into *time.Time
		of   instant
	}{{&m.CreatedAt, l.ValidFrom}, {&m.OccurredAt, l.OccurredAt}, {&m.ExpiresAt, l.ExpiresAt}} {
		var fault string
		if *t.into, _, fault = firstTime(o.place(), t.of); fault != "" {
			return yield(bad(at, raw, fault), nil)
		}
	}
	if len(trimSpace(l.Metadata)) > 2 && l.Metadata[0] == '{' {
		m.Metadata = l.Metadata
	}
	m = m.identified()
	return yield(Item{Memory: &m}, nil)
}
