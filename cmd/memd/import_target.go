package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/backfill"
	"github.com/memdhq/memd/backfill/format"
)

// remoteTarget has a running memd take what is imported.
type remoteTarget struct {
	memd    *remote
	backlog *progress
}

// maxSent is about how many bytes of messages go into one request.
const maxSent = 8 << 20

// appendBody is the body of POST /v1/messages.
type appendBody struct {
	UserID    string            `json:"user_id"`
	SessionID string            `json:"session_id"`
	AgentID   string            `json:"agent_id,omitempty"`
	AppID     string            `json:"app_id,omitempty"`
	Messages  []json.RawMessage `json:"messages"`
	Metadata  json.RawMessage   `json:"metadata,omitempty"`
	Timezone  string            `json:"timezone,omitempty"`
	Infer     bool              `json:"infer"`
	Priority  string            `json:"priority"`
}

func encoded(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // what is given always encodes
	return b.Bytes()
}

// sentMessage is a message as it is posted.
func sentMessage(m format.Message) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"id":`)
	b.Write(bytes.TrimSpace(encoded(m.ID)))
	if !m.CreatedAt.IsZero() {
		b.WriteString(`,"created_at":"` + memd.FormatTime(m.CreatedAt) + `"`)
	}
	b.WriteByte(',')
	b.Write(bytes.TrimPrefix(bytes.TrimSpace(m.Raw), []byte("{")))
	return b.Bytes()
}

// Conversation implements backfill.Target.
func (t *remoteTarget) Conversation(ctx context.Context, c format.Conversation) (out backfill.Outcome, err error) {
	if c.Opens {
		return out, t.open(ctx, c)
	}
	if err := t.backlog.await(ctx, len(c.Messages)); err != nil {
		return out, err
	}
	for rest := c.Messages; len(rest) > 0; {
		n, size := 0, 0
		for n < len(rest) && alike(rest[0], rest[n]) && (n == 0 || size+len(rest[n].Raw) < maxSent) {
			size += len(rest[n].Raw)
			n++
		}
		if err := t.append(ctx, c, rest[:n], &out); err != nil {
			return out, err
		}
		rest = rest[n:]
	}
	return out, nil
}

// alike says whether two messages go into one request.
func alike(a, b format.Message) bool {
	return a.Zone == b.Zone && a.NoLearn == b.NoLearn && bytes.Equal(a.Metadata, b.Metadata)
}

// append posts messages of one session. What is refused of them is set aside, and the rest
// posted without it.
func (t *remoteTarget) append(ctx context.Context, c format.Conversation, all []format.Message, out *backfill.Outcome) error {
	body := appendBody{UserID: c.UserID, SessionID: c.SessionID, AgentID: c.AgentID, AppID: c.AppID,
		Metadata: all[0].Metadata, Timezone: all[0].Zone, Infer: !all[0].NoLearn, Priority: "backfill"}
	for _, m := range all {
		body.Messages = append(body.Messages, sentMessage(m))
	}
	var answer struct {
		Messages []struct{ Duplicate bool }
	}
	err := t.memd.post(ctx, "/v1/messages", encoded(body), &answer)
	if err == nil {
		for _, m := range answer.Messages {
			if m.Duplicate {
				out.Known++
			} else {
				out.New++
			}
		}
		return nil
	}
	refused := rejects(err)
	if refused == nil {
		return err
	}
	aside := func(m format.Message, reason string) {
		out.Bad = append(out.Bad, format.Bad{Place: format.Place{File: c.File, Line: m.Line}, Reason: reason, Text: string(m.Raw)})
	}
	odd := refused.odd("messages", len(all))
	switch {
	case len(odd) > 0:
		var rest []format.Message
		for i, m := range all {
			if why, ok := odd[i]; ok {
				aside(m, why)
			} else {
				rest = append(rest, m)
			}
		}
		if len(rest) == 0 {
			return nil
		}
		return t.append(ctx, c, rest, out)
	case len(all) > 1 && refused.status != http.StatusConflict: // one of them, or all together
		half := len(all) / 2
		if err := t.append(ctx, c, all[:half], out); err != nil {
			return err
		}
		return t.append(ctx, c, all[half:], out)
	}
	for _, m := range all {
		aside(m, refused.Error())
	}
	return nil
}

// rejects gives the refusal of what is wrong in itself, nil for an error that all else would
// meet too.
func rejects(err error) *refusal {
	var r *refusal
	if !errors.As(err, &r) {
		return nil
	}
	switch r.status {
	case http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return r
	}
	return nil
}

var faultPlace = regexp.MustCompile(`^body\.([a-z]+)\[(\d+)\]`)

// odd says which items of a list are wrong, and why.
func (r *refusal) odd(list string, n int) map[int]string {
	all := map[int]string{}
	for _, f := range r.faults {
		found := faultPlace.FindStringSubmatch(f.Location)
		if found == nil || found[1] != list {
			continue
		}
		if i, err := strconv.Atoi(found[2]); err == nil && i < n {
			all[i] = f.Location[len(found[0]):] + " " + f.Message
		}
	}
	return all
}

// open makes a session, unless it is there.
func (t *remoteTarget) open(ctx context.Context, c format.Conversation) error {
	body := map[string]any{"user_id": c.UserID, "session_id": c.SessionID}
	if c.AgentID != "" {
		body["agent_id"] = c.AgentID
	}
	if c.About != nil {
		body["metadata"] = c.About
	}
	if c.PreviousSessionID != "" {
		body["previous_session_id"] = c.PreviousSessionID
	}
	err := t.memd.post(ctx, "/v1/sessions", encoded(body), &struct{}{})
	if r := rejects(err); r != nil && r.status == http.StatusUnprocessableEntity && c.PreviousSessionID != "" {
		c.PreviousSessionID = "" // it was deleted
		return t.open(ctx, c)
	} else if r != nil {
		return nil // it is there; or its messages will do without it
	}
	return err
}

// addBody is an item of POST /v1/memories/batch.
type addBody struct {
	Messages   []json.RawMessage `json:"messages"`
	UserID     string            `json:"user_id,omitempty"`
	AgentID    string            `json:"agent_id,omitempty"`
	RunID      string            `json:"run_id,omitempty"`
	AppID      string            `json:"app_id,omitempty"`
	Metadata   json.RawMessage   `json:"metadata,omitempty"`
	MemoryType string            `json:"memory_type,omitempty"`
	Scope      string            `json:"scope,omitempty"`
	Categories []string          `json:"categories,omitempty"`
	ExpiresAt  string            `json:"expires_at,omitempty"`
	OccurredAt string            `json:"occurred_at,omitempty"`
	Infer      bool              `json:"infer"`
}

func addOf(m format.Memory) addBody {
	message := map[string]any{"role": m.Role, "content": m.Text}
	if m.ActorID != "" {
		message["name"] = m.ActorID
	}
	if !m.CreatedAt.IsZero() {
		message["created_at"] = memd.FormatTime(m.CreatedAt)
	}
	b := addBody{Messages: []json.RawMessage{encoded(message)}, UserID: m.UserID, AgentID: m.AgentID, RunID: m.RunID, AppID: m.AppID,
		Metadata: m.Metadata, MemoryType: m.MemoryType, Scope: m.Scope, Categories: m.Categories}
	if !m.ExpiresAt.IsZero() {
		b.ExpiresAt = memd.FormatTime(m.ExpiresAt)
	}
	if !m.OccurredAt.IsZero() {
		b.OccurredAt = memd.FormatTime(m.OccurredAt)
	}
	return b
}

// Memories implements backfill.Target.
func (t *remoteTarget) Memories(ctx context.Context, all []format.Memory) (out backfill.Outcome, err error) {
	return out, t.remember(ctx, all, &out)
}

func (t *remoteTarget) remember(ctx context.Context, all []format.Memory, out *backfill.Outcome) error {
	var body struct {
		Memories []addBody `json:"memories"`
	}
	for _, m := range all {
		body.Memories = append(body.Memories, addOf(m))
	}
	var answer struct {
		Items []struct {
			Results []struct{ Event string }
		}
	}
	err := t.memd.post(ctx, "/v1/memories/batch", encoded(body), &answer)
	if err == nil {
		for _, i := range answer.Items {
			for _, r := range i.Results {
				if r.Event == "NONE" {
					out.Known++
				} else {
					out.New++
				}
			}
		}
		return nil
	}
	refused := rejects(err)
	if refused == nil {
		return err
	}
	odd := refused.odd("memories", len(all))
	if len(odd) == 0 && len(all) > 1 {
		half := len(all) / 2
		if err := t.remember(ctx, all[:half], out); err != nil {
			return err
		}
		return t.remember(ctx, all[half:], out)
	}
	var rest []format.Memory
	for i, m := range all {
		why, isOdd := odd[i]
		if len(odd) == 0 {
			why, isOdd = refused.Error(), true
		}
		if isOdd {
			out.Bad = append(out.Bad, format.Bad{Place: m.Place, Reason: why, Text: m.Text})
		} else {
			rest = append(rest, m)
		}
	}
	if len(rest) == 0 {
		return nil
	}
	return t.remember(ctx, rest, out)
}
