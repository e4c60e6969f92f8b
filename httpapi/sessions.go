package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/shortterm"
)

type postSessionInput struct {
	Body postSession
}

type postSession struct {
	UserID            identifier `json:"user_id" required:"true" doc:"Whose session."`
	AgentID           identifier `json:"agent_id" doc:"The agent that is talked to."`
	SessionID         identifier `json:"session_id" doc:"Its name. Default: a new UUID."`
	PreviousSessionID identifier `json:"previous_session_id" doc:"The session it carries on."`
	Metadata          metadata   `json:"metadata"`
	Rotate            limits     `json:"rotate" doc:"When the next user message opens a session that follows this one."`
	Learn             *bool      `json:"learn" doc:"false: nothing is learned from it. Default: true, unless it is incognito."`
	Incognito         bool       `json:"incognito" default:"false" doc:"Nothing is learned from it, and it goes with all its messages when it is closed, rotated or idle for long."`
	Kind              string     `json:"kind" default:"chat" enum:"chat,direct" doc:"direct: of messages that were given to POST /v1/memories, brought from elsewhere. It is no chat: never the latest, and not listed."`
}

// limits say when a session is rotated by itself. Of those that are missing or null the
// tenant's hold, and then the daemon's.
type limits struct {
	given  bool
	Idle   clearableSpan  `json:"idle" doc:"Once nothing came for so long (30m, 7d); 0s: never."`
	Turns  clearableCount `json:"turns" doc:"Once it has so many user messages; 0: never."`
	Tokens clearableCount `json:"tokens" doc:"Once its messages have so many tokens, at four bytes of their JSON each; 0: never."`
	Age    clearableSpan  `json:"age" doc:"Once it is so old; 0s: never."`
}

// Schema gives the OpenAPI schema of limits.
func (limits) Schema(r huma.Registry) *huma.Schema {
	return objectSchema(planObject(r, reflect.TypeFor[limits]()))
}

// missing has null take all of them away.
func (l *limits) missing(null bool) {
	if null {
		*l = limits{given: true, Idle: clearableSpan{given: true}, Turns: clearableCount{given: true}, Tokens: clearableCount{given: true}, Age: clearableSpan{given: true}}
	}
}

func (l *limits) read(f field, raw json.RawMessage, location string) *memd.Error {
	l.given = true
	switch faults := readObject(f.items, raw, reflect.ValueOf(l).Elem(), location); len(faults) {
	case 0:
		return nil
	case 1:
		return faults[0]
	default:
		return &memd.Error{Kind: memd.Invalid, Field: location, Details: faults}
	}
}

// change gives what becomes of limits by l: what is null goes, what is missing stays.
func (l limits) change(of shortterm.Limits) shortterm.Limits {
	if l.Idle.given {
		of.Idle = l.Idle.value
	}
	if l.Age.given {
		of.Age = l.Age.value
	}
	if l.Tokens.given {
		of.Tokens = l.Tokens.value
	}
	if l.Turns.given {
		of.Turns = nil
		if l.Turns.value != nil {
			n := int(*l.Turns.value)
			of.Turns = &n
		}
	}
	return of
}

// shownLimits are limits as every route shows them; null is one that is not set here.
type shownLimits struct {
	Idle   *string `json:"idle"`
	Turns  *int    `json:"turns"`
	Tokens *int64  `json:"tokens"`
	Age    *string `json:"age"`
}

func showLimits(l shortterm.Limits) shownLimits {
	return shownLimits{Idle: shownSpan(l.Idle), Turns: l.Turns, Tokens: l.Tokens, Age: shownSpan(l.Age)}
}

func shownSpan(d *time.Duration) *string {
	if d == nil {
		return nil
	}
	text := memd.FormatSpan(*d)
	return &text
}

type rotateInput struct {
	SessionID identifier `path:"session_id" doc:"The session's name, percent-encoded."`
	AgentID   identifier `query:"agent_id" doc:"404 unless it is this agent's."`
	UserID    identifier `query:"user_id" doc:"404 unless it is this user's."`
	Body      rotateSession
}

type rotateSession struct {
	UserID    identifier `json:"user_id" required:"true" doc:"Whose session."`
	SessionID identifier `json:"session_id" doc:"The name of the next session. Default: a new UUID."`
	AgentID   identifier `json:"agent_id" doc:"The next session's agent. Default: the same."`
	Metadata  metadata   `json:"metadata" doc:"The next session's."`
	Rotate    limits     `json:"rotate" doc:"Changes to the limits of the next session, which are otherwise the same."`
}

type sessionsInput struct {
	UserID identifier `query:"user_id" required:"true" doc:"Whose sessions."`
	pages
}

type sessionsAnswer struct {
	Sessions   []session `json:"sessions" doc:"Newest first."`
	NextCursor *string   `json:"next_cursor"`
}

type sessionInput struct {
	SessionID identifier `path:"session_id" doc:"The session's name, percent-encoded."`
	UserID    identifier `query:"user_id" required:"true" doc:"Whose session; another user's of the same name is another session."`
	AgentID   identifier `query:"agent_id" doc:"404 unless it is this agent's."`
}

// session is a session as every route shows it.
type session struct {
	SessionID         string          `json:"session_id"`
	UserID            string          `json:"user_id"`
	AgentID           *string         `json:"agent_id"`
	Title             *string         `json:"title" doc:"First words of the first user message."`
	Messages          int             `json:"messages" doc:"How many."`
	LastMessageAt     *time.Time      `json:"last_message_at"`
	CreatedAt         time.Time       `json:"created_at"`
	ClosedAt          *time.Time      `json:"closed_at"`
	PreviousSessionID *string         `json:"previous_session_id" doc:"The one it carries on."`
	NextSessionID     *string         `json:"next_session_id" doc:"The one that was opened by rotating it."`
	ForwardsTo        *string         `json:"forwards_to" doc:"Where what is posted under its name lands, once a limit has rotated it. It may yet have to be made: its next message does."`
	Learn             bool            `json:"learn"`
	Incognito         bool            `json:"incognito"`
	Rotate            shownLimits     `json:"rotate" doc:"Its own limits."`
	Metadata          json.RawMessage `json:"metadata"`
}

func showSession(userID string, s shortterm.Session) session {
	if s.Incognito && s.ClosedAt != nil { // nothing of it is left, whenever it was read
		s.Title, s.Messages, s.LastMessageAt, s.PreviousSessionID, s.Metadata = nil, 0, nil, nil, nil
	}
	return session{SessionID: s.SessionID, UserID: userID, AgentID: s.AgentID, Title: s.Title, Messages: s.Messages,
		LastMessageAt: utc(s.LastMessageAt), CreatedAt: s.CreatedAt.UTC(), ClosedAt: utc(s.ClosedAt),
		PreviousSessionID: s.PreviousSessionID, NextSessionID: s.NextSessionID, ForwardsTo: s.ForwardsTo,
		Learn: s.Learn, Incognito: s.Incognito, Rotate: showLimits(s.Limits), Metadata: orEmptyObject(s.Metadata)}
}

// sessionAnswer answers a write with a session. What is shown of one goes with it, and is
// not kept for a repetition; of an incognito one that is over nothing is shown.
func sessionAnswer(status int, userID string, s shortterm.Session) answer {
	a := answer{status: status, body: showSession(userID, s)}
	if !s.Incognito || s.ClosedAt == nil {
		a.ids = &keptIDs{User: userID, Session: s.SessionID}
	}
	return a
}

func orEmptyObject(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || memd.IsNullJSON(raw) {
		return json.RawMessage(`{}`)
	}
	return raw
}

func (s *server) sessionRoutes() {
	handle(s, operation{
		method: http.MethodPost, path: "/v1/sessions", name: "create-session", tag: "Short tier", effect: writes,
		summary:     "Make a session",
		description: "POST /v1/messages makes one by itself; 409 if the user has one of this name.",
		answers:     map[int]any{201: session{}}, again: s.sessionAgain,
	}, s.postSession)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/sessions", name: "list-sessions", tag: "Short tier",
		summary: "A user's sessions", answers: map[int]any{200: sessionsAnswer{}},
	}, s.getSessions)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/sessions/{session_id}", name: "get-session", tag: "Short tier",
		summary: "One session", answers: map[int]any{200: session{}},
	}, s.getSession)
	handle(s, operation{
		method: http.MethodPost, path: "/v1/sessions/{session_id}/rotate", name: "rotate-session", tag: "Short tier", effect: writes,
		summary: "Close a session and open its next one",
		description: "A session has one next: who rotates it again gets that one, with 200. What is open of it is learned from at " +
			"once, and stands with what else it left open in the contexts of the next until that has turns enough of its own. " +
			"What is posted to it afterwards is kept there. Of a session that a limit has rotated, it is the last that goes by its name.",
		answers: map[int]any{201: session{}, 200: session{}}, again: s.sessionAgain,
	}, s.rotateSession)
}

func (s *server) postSession(ctx context.Context, c *call, in *postSessionInput) (answer, error) {
	b := in.Body
	made, err := s.Log.CreateSession(ctx, c.tenant, shortterm.NewSession{
		UserID: string(b.UserID), SessionID: string(b.SessionID), AgentID: string(b.AgentID),
		PreviousSessionID: string(b.PreviousSessionID), Metadata: json.RawMessage(b.Metadata),
		Limits: b.Rotate.change(shortterm.Limits{}), Learn: b.Learn, Incognito: b.Incognito, Direct: b.Kind == "direct",
	})
	if err != nil {
		return answer{}, inBody(err)
	}
	return sessionAnswer(http.StatusCreated, string(b.UserID), made), nil
}

func (s *server) getSessions(ctx context.Context, c *call, in *sessionsInput) (answer, error) {
	found, next, err := readPage(in.pages, func(limit int, cursor string) ([]shortterm.Session, string, error) {
		return s.Log.Sessions(ctx, c.tenant, string(in.UserID), limit, cursor)
	})
	if err != nil {
		return answer{}, err
	}
	out := sessionsAnswer{Sessions: []session{}, NextCursor: next}
	for _, f := range found {
		out.Sessions = append(out.Sessions, showSession(string(in.UserID), f))
	}
	return ok(out)
}

func (s *server) getSession(ctx context.Context, c *call, in *sessionInput) (answer, error) {
	found, err := s.Log.Session(ctx, c.tenant, string(in.UserID), string(in.SessionID))
	if err != nil {
		return answer{}, err
	}
	if in.AgentID != "" && (found.AgentID == nil || *found.AgentID != string(in.AgentID)) {
		return answer{}, &memd.Error{Kind: memd.NotFound, Msg: "no such session"}
	}
	return ok(showSession(string(in.UserID), found))
}

func (s *server) rotateSession(ctx context.Context, c *call, in *rotateInput) (answer, error) {
	b := in.Body
	if in.UserID != "" && in.UserID != b.UserID {
		return answer{}, &memd.Error{Kind: memd.NotFound, Msg: "no such session"}
	}
	next, made, err := s.Log.Rotate(ctx, c.tenant, shortterm.Rotation{
		UserID: string(b.UserID), SessionID: string(in.SessionID), OfAgent: string(in.AgentID), NextSessionID: string(b.SessionID),
		AgentID: string(b.AgentID), Metadata: json.RawMessage(b.Metadata), Limits: b.Rotate.change(shortterm.Limits{}),
	})
	if err != nil {
		return answer{}, inBody(err)
	}
	status := http.StatusOK
	if made {
		status = http.StatusCreated
	}
	return sessionAnswer(status, string(b.UserID), next), nil
}

func (s *server) sessionAgain(ctx context.Context, c *call, ids keptIDs) (answer, error) {
	found, err := s.Log.Session(ctx, c.tenant, ids.User, ids.Session)
	if err != nil {
		return answer{}, err
	}
	return ok(showSession(ids.User, found))
}

// inBody says of what is wrong with a field that it is the body's.
func inBody(err error) error {
	var fault *memd.Error
	if !errors.As(err, &fault) || fault.Kind != memd.Invalid || strings.HasPrefix(fault.Field, "body") {
		return err
	}
	moved := *fault
	if moved.Field != "" {
		moved.Field = "body." + moved.Field
	}
	moved.Details = nil
	for _, d := range fault.Details {
		d := *d
		d.Field = "body." + d.Field
		moved.Details = append(moved.Details, &d)
	}
	return &moved
}
