package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/shortterm"
)

type patchMessageInput struct {
	messageInput
	Body patchMessage
}

type patchMessage struct {
	Content content `json:"content" required:"true" doc:"A string or an array of parts, or null for a message with tool calls, as POST /v1/messages takes it for the message's role."`
}

type deleteMessageAnswer struct {
	ID       int64  `json:"id"`
	Event    string `json:"event" doc:"Always DELETE."`
	Memories int    `json:"memories" doc:"How many memories went with it, having no other source."`
}

type reextractAnswer struct {
	ID     int64       `json:"id"`
	Ingest ingestState `json:"ingest" doc:"pending, or skipped for a message that is never learned from."`
}

type patchSessionInput struct {
	sessionInput
	Body patchSession
}

type patchSession struct {
	Title    *string  `json:"title" doc:"In place of the first words; at most 255 characters."`
	Metadata metadata `json:"metadata" doc:"A merge patch (RFC 7386): null takes a key away."`
	Closed   *bool    `json:"closed" doc:"true closes it, without a next one; what is closed stays so. Of one that a limit has rotated, it closes the last that goes by its name."`
	Learn    *bool    `json:"learn" doc:"false: nothing is learned from what is posted to it from now on, and from what is open."`
	Rotate   limits   `json:"rotate" doc:"Changes to its limits: null takes one away, or all, so that the tenant's holds."`
	Open     string   `json:"open" default:"skip" enum:"skip,learn" doc:"learn: with learn false, what is open is learned from all the same, as after an import from where it was."`

	ClosedAt      *moment    `json:"closed_at" doc:"When it was closed where it was brought from. One in which something was said later here stays open."`
	NextSessionID identifier `json:"next_session_id" doc:"With closed_at: the one that was opened there by rotating it, if that is here."`
	ForwardsTo    identifier `json:"forwards_to" doc:"With closed_at: where what is posted under its name landed there, if that is here."`
}

type deleteSessionAnswer struct {
	SessionID string `json:"session_id"`
	Event     string `json:"event" doc:"Always DELETE."`
	Messages  int    `json:"messages" doc:"How many messages it had."`
	Memories  int    `json:"memories" doc:"How many memories went with them, having no other source."`
}

func (s *server) reviseRoutes() {
	handle(s, operation{
		method: http.MethodPatch, path: "/v1/messages/{id}", name: "edit-message", tag: "Short tier", effect: writes,
		summary: "Reword a message",
		description: "What was learned from its old words is gone, and the new ones are learned from. " +
			"Nothing else of it changes, its place among the others neither.",
		answers: map[int]any{200: loggedEntry{}}, again: s.messageAgain,
	}, s.patchMessage)
	handle(s, operation{
		method: http.MethodDelete, path: "/v1/messages/{id}", name: "delete-message", tag: "Short tier", effect: writes,
		summary:     "Take a message back",
		description: "A memory that has no other source goes with it.",
		answers:     map[int]any{200: deleteMessageAnswer{}},
	}, s.deleteMessage)
	handle(s, operation{
		method: http.MethodPost, path: "/v1/messages/{id}/reextract", name: "reextract-message", tag: "Short tier", effect: writes,
		summary: "Learn from a message again",
		description: "By the extractor in force now. What it brings takes the place of what the message brought before; " +
			"what a person edited or deleted stays so.",
		answers: map[int]any{202: reextractAnswer{}},
	}, s.reextractMessage)
	handle(s, operation{
		method: http.MethodPatch, path: "/v1/sessions/{session_id}", name: "edit-session", tag: "Short tier", effect: writes,
		summary:     "Change a session's title, metadata, limits or what is learned from it, or close it",
		description: "Of a session that a limit has rotated, all that go by its name are changed, the running one too; the title is its own.",
		answers:     map[int]any{200: session{}}, again: s.sessionAgain,
	}, s.patchSession)
	handle(s, operation{
		method: http.MethodDelete, path: "/v1/sessions/{session_id}", name: "delete-session", tag: "Short tier", effect: writes,
		summary:     "Delete a session with its messages",
		description: "They are no sources any more: a memory that has no other goes. Sessions that limits have rotated it to go by its name, and are deleted with it.",
		answers:     map[int]any{200: deleteSessionAnswer{}},
	}, s.deleteSession)
}

func (s *server) patchMessage(ctx context.Context, c *call, in *patchMessageInput) (answer, error) {
	if raw := json.RawMessage(in.Body.Content); !memd.NestsTooDeep(raw, memd.MaxNesting) { // else it is refused for that
		if twice, ok := memd.TwiceGiven(raw); ok {
			return answer{}, memd.InvalidField("body.content"+shown(twice), "must be given once")
		}
	}
	err := s.Revise.Reword(ctx, c.tenant, in.ID, in.scope(c.tenant), json.RawMessage(in.Body.Content), byAPI)
	var fault *memd.Error
	if errors.As(err, &fault) && fault.Kind == memd.Invalid && fault.Field == "content" {
		return answer{}, memd.InvalidField("body.content", "%s", fault.Msg)
	}
	if err != nil {
		return answer{}, err
	}
	a, err := s.getMessage(ctx, c, &in.messageInput)
	a.ids = &keptIDs{Message: in.ID} // its words must not outlive it
	return a, err
}

func (s *server) messageAgain(ctx context.Context, c *call, ids keptIDs) (answer, error) {
	return s.message(ctx, c, ids.Message, memd.Scope{})
}

func (s *server) deleteMessage(ctx context.Context, c *call, in *messageInput) (answer, error) {
	gone, err := s.Revise.Delete(ctx, c.tenant, in.ID, in.scope(c.tenant), byAPI)
	if err != nil {
		return answer{}, err
	}
	return ok(deleteMessageAnswer{in.ID, longterm.EventDelete, gone.Memories})
}

func (s *server) reextractMessage(ctx context.Context, c *call, in *messageInput) (answer, error) {
	if _, err := s.Revise.Again(ctx, c.tenant, in.ID, in.scope(c.tenant)); err != nil {
		return answer{}, err
	}
	m, err := s.Log.Message(ctx, c.tenant, in.ID, memd.Scope{})
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusAccepted, body: reextractAnswer{in.ID, ingestState{m.Ingest.State}}}, nil
}

func (s *server) patchSession(ctx context.Context, c *call, in *patchSessionInput) (answer, error) {
	b := in.Body
	for name, given := range map[string]identifier{"next_session_id": b.NextSessionID, "forwards_to": b.ForwardsTo} {
		if given != "" && b.ClosedAt == nil {
			return answer{}, memd.InvalidField("body."+name, "needs closed_at")
		}
	}
	if b.Title == nil && b.Metadata == nil && b.Closed == nil && b.Learn == nil && !b.Rotate.given && b.ClosedAt == nil {
		return answer{}, memd.InvalidField("body", "must have something to change")
	}
	change := shortterm.Change{Title: b.Title, Closed: b.Closed, Learn: b.Learn}
	if b.Rotate.given {
		change.Limits = func(was shortterm.Limits) (shortterm.Limits, error) { return b.Rotate.change(was), nil }
	}
	if b.Title != nil {
		if err := memd.CheckID("body.title", *b.Title); err != nil {
			return answer{}, err
		}
	}
	if b.Metadata != nil {
		change.Metadata = func(was json.RawMessage) (json.RawMessage, error) {
			merged := longterm.MergePatch(was, json.RawMessage(b.Metadata))
			if fault := checkMetadata(merged, "body.metadata"); fault != nil {
				return nil, fault
			}
			return merged, nil
		}
	}
	arrived := shortterm.Arrival{UserID: string(in.UserID), SessionID: string(in.SessionID), NextSessionID: string(b.NextSessionID), ForwardsTo: string(b.ForwardsTo)}
	if b.Open == "learn" && b.Learn != nil && !*b.Learn {
		arrived.Unlearned, change.Learn = true, nil
	}
	if b.ClosedAt != nil {
		arrived.ClosedAt = b.ClosedAt.Time
	}
	changed, err := s.Log.ChangeSession(ctx, c.tenant, string(in.UserID), string(in.SessionID), string(in.AgentID), change)
	if err != nil {
		return answer{}, inBody(err)
	}
	if arrived.Unlearned || b.ClosedAt != nil {
		if err = s.Log.Arrive(ctx, c.tenant, arrived); err == nil {
			changed, err = s.Log.Session(ctx, c.tenant, arrived.UserID, arrived.SessionID)
		}
		if err != nil {
			return answer{}, err
		}
	}
	return sessionAnswer(http.StatusOK, string(in.UserID), changed), nil
}

func (s *server) deleteSession(ctx context.Context, c *call, in *sessionInput) (answer, error) {
	gone, err := s.Revise.DeleteSession(ctx, c.tenant, string(in.UserID), string(in.SessionID), string(in.AgentID), byAPI)
	if err != nil {
		return answer{}, err
	}
	return ok(deleteSessionAnswer{string(in.SessionID), longterm.EventDelete, gone.Messages, gone.Memories})
}
