package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/backfill"
	"github.com/memdhq/memd/backfill/format"
)

// remoteTarget has a running memd take what is imported.
type remoteTarget struct {
	memd    *remote
	backlog *progress
}

// appendBody is an item of POST /v1/messages/batch.
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

// stretch is a run of messages of a conversation that are posted as one item.
type stretch struct {
	of       format.Conversation
	messages []format.Message
}

// stretches parts a conversation where its messages differ in what is said of all of an item.
func stretches(c format.Conversation) (all []stretch) {
	for rest := c.Messages; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[0].Alike(rest[n]) {
			n++
		}
		all = append(all, stretch{c, rest[:n]})
		rest = rest[n:]
	}
	return all
}

func (s stretch) body() appendBody {
	first := s.messages[0]
	b := appendBody{UserID: s.of.UserID, SessionID: s.of.SessionID, AgentID: s.of.AgentID, AppID: s.of.AppID,
		Metadata: first.Metadata, Timezone: first.Zone, Infer: !first.NoLearn, Priority: "backfill"}
	for _, m := range s.messages {
		b.Messages = append(b.Messages, sentMessage(m))
	}
	return b
}

// aside says of a message that it is set aside.
func (s stretch) aside(m format.Message, reason string) format.Bad {
	return format.Bad{Place: format.Place{File: s.of.File, Line: m.Line}, SessionID: s.of.SessionID, Reason: reason, Text: string(m.Raw)}
}

// Conversations implements backfill.Target.
func (t *remoteTarget) Conversations(ctx context.Context, all []format.Conversation) (out backfill.Outcome, err error) {
	var parts []stretch
	for _, c := range all {
		if c.Opens {
			if err := t.open(ctx, c); err != nil {
				return out, err
			}
			continue
		}
		parts = append(parts, stretches(c)...)
	}
	for len(parts) > 0 {
		var some []stretch
		n := 0
		some, parts, n = upTo(parts, t.backlog.room())
		if err := t.backlog.await(ctx, n); err != nil {
			return out, err
		}
		if err := t.append(ctx, some, &out); err != nil {
			return out, err
		}
	}
	return out, nil
}

// upTo takes at most so many messages from the first on; n is how many there are in some.
func upTo(all []stretch, most int) (some, rest []stretch, n int) {
	for i, s := range all {
		if n+len(s.messages) <= most {
			n += len(s.messages)
			continue
		}
		rest = all[i:]
		if k := most - n; k > 0 {
			some = append(all[:i:i], stretch{s.of, s.messages[:k]})
			return some, append([]stretch{{s.of, s.messages[k:]}}, all[i+1:]...), most
		}
		return all[:i:i], rest, n
	}
	return all, nil, n
}

// append posts messages of many sessions. What is refused of them is set aside, and the rest
// posted without it.
func (t *remoteTarget) append(ctx context.Context, all []stretch, out *backfill.Outcome) error {
	var body struct {
		Items []appendBody `json:"items"`
	}
	for _, s := range all {
		body.Items = append(body.Items, s.body())
	}
	var answer struct {
		Items []struct {
			Messages []struct{ Duplicate bool }
		}
	}
	err := t.memd.post(ctx, "/v1/messages/batch", encoded(body), &answer)
	if err == nil {
		for _, item := range answer.Items {
			for _, m := range item.Messages {
				if m.Duplicate {
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
	if odd := refused.odd("items", len(all)); len(odd) > 0 {
		rest := withoutOdd(all, odd, out)
		if len(rest) == 0 {
			return nil
		}
		return t.append(ctx, rest, out)
	}
	first, second := halves(all)
	if second != nil { // it is one of them, or all together
		if err := t.append(ctx, first, out); err != nil {
			return err
		}
		return t.append(ctx, second, out)
	}
	for _, m := range all[0].messages {
		out.Bad = append(out.Bad, all[0].aside(m, refused.Error()))
	}
	return nil
}

// withoutOdd sets aside what is odd and gives the rest.
func withoutOdd(all []stretch, odd map[int][]oddity, out *backfill.Outcome) (rest []stretch) {
	for i, s := range all {
		why := map[int]string{} // by message
		for _, o := range odd[i] {
			if n, words := o.inList("messages"); n >= 0 && n < len(s.messages) {
				why[n] = words
				continue
			}
			for n := range s.messages { // it is wrong with all of them
				why[n] = o.words()
			}
		}
		left := stretch{of: s.of}
		for n, m := range s.messages {
			if words, isOdd := why[n]; isOdd {
				out.Bad = append(out.Bad, s.aside(m, words))
			} else {
				left.messages = append(left.messages, m)
			}
		}
		if len(left.messages) > 0 {
			rest = append(rest, left)
		}
	}
	return rest
}

// halves parts what is posted in two, second is nil of a single message.
func halves(all []stretch) (first, second []stretch) {
	if n := len(all); n > 1 {
		return all[:n/2], all[n/2:]
	}
	s := all[0]
	n := len(s.messages)
	if n < 2 {
		return all, nil
	}
	return []stretch{{s.of, s.messages[:n/2]}}, []stretch{{s.of, s.messages[n/2:]}}
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

// oddity is what is wrong with an item of a list: where in it, and what.
type oddity struct{ place, message string }

func (o oddity) words() string { return o.place + " " + o.message }

var itemPlace = regexp.MustCompile(`^\.?([a-z]+)\[(\d+)\]`)

// inList gives the number of the item of a list within that is wrong, and what is; -1 for none.
func (o oddity) inList(list string) (int, string) {
	found := itemPlace.FindStringSubmatch(o.place)
	if found == nil || found[1] != list {
		return -1, ""
	}
	n, err := strconv.Atoi(found[2])
	if err != nil {
		return -1, ""
	}
	return n, oddity{o.place[len(found[0]):], o.message}.words()
}

// odd says which items of a list are wrong, and why.
func (r *refusal) odd(list string, n int) map[int][]oddity {
	all := map[int][]oddity{}
	for _, f := range r.faults {
		place, ok := strings.CutPrefix(f.Location, "body.")
		if !ok {
			continue
		}
		found := itemPlace.FindStringSubmatch(place)
		if found == nil || found[1] != list {
			continue
		}
		if i, err := strconv.Atoi(found[2]); err == nil && i < n {
			all[i] = append(all[i], oddity{place[len(found[0]):], f.Message})
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
	if c.Direct {
		body["kind"] = "direct"
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

// After implements backfill.Target. What a memd knows nothing of is left out.
func (t *remoteTarget) After(ctx context.Context, a format.After) error {
	path, body := "/v1/users/"+url.PathEscape(a.UserID), map[string]any{"learn": false, "open": "learn"}
	if a.SessionID != "" {
		path = "/v1/sessions/" + url.PathEscape(a.SessionID) + "?" + url.Values{"user_id": {a.UserID}}.Encode()
		if !a.Unlearned {
			body = map[string]any{}
		}
		if !a.ClosedAt.IsZero() {
			body["closed_at"] = memd.FormatTime(a.ClosedAt)
			for name, of := range map[string]string{"next_session_id": a.NextSessionID, "forwards_to": a.ForwardsTo} {
				if of != "" {
					body[name] = of
				}
			}
		}
	}
	err := t.memd.repeat(ctx, http.MethodPatch, path, encoded(body), &struct{}{})
	var r *refusal
	if a.SessionID != "" && errors.As(err, &r) && r.status == http.StatusNotFound {
		return nil // none of its messages came
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
	message := map[string]any{"id": m.ID, "role": m.Role, "content": m.Text}
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
		why, isOdd := refused.Error(), len(odd) == 0
		for _, o := range odd[i] {
			why, isOdd = o.words(), true
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
