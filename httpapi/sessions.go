package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

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
	PreviousSessionID *string         `json:"previous_session_id"`
	Metadata          json.RawMessage `json:"metadata"`
}

func showSession(userID string, s shortterm.Session) session {
	return session{SessionID: s.SessionID, UserID: userID, AgentID: s.AgentID, Title: s.Title, Messages: s.Messages,
		LastMessageAt: utc(s.LastMessageAt), CreatedAt: s.CreatedAt.UTC(), ClosedAt: utc(s.ClosedAt),
		PreviousSessionID: s.PreviousSessionID, Metadata: orEmptyObject(s.Metadata)}
}

func orEmptyObject(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || isNull(raw) {
		return json.RawMessage(`{}`)
	}
	return raw
}

func (s *server) sessionRoutes() {
	handle(s, operation{
		method: http.MethodPost, path: "/v1/sessions", name: "create-session", tag: "Short tier", effect: writes,
		summary:     "Make a session",
		description: "POST /v1/messages makes one by itself; 409 if the user has one of this name.",
		answers:     map[int]any{201: session{}},
	}, s.postSession)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/sessions", name: "list-sessions", tag: "Short tier",
		summary: "A user's sessions", answers: map[int]any{200: sessionsAnswer{}},
	}, s.getSessions)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/sessions/{session_id}", name: "get-session", tag: "Short tier",
		summary: "One session", answers: map[int]any{200: session{}},
	}, s.getSession)
}

func (s *server) postSession(ctx context.Context, c *call, in *postSessionInput) (answer, error) {
	b := in.Body
	made, err := s.Log.CreateSession(ctx, c.tenant, shortterm.NewSession{
		UserID: string(b.UserID), SessionID: string(b.SessionID), AgentID: string(b.AgentID),
		PreviousSessionID: string(b.PreviousSessionID), Metadata: json.RawMessage(b.Metadata),
	})
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, body: showSession(string(b.UserID), made)}, nil
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
