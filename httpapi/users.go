package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/shortterm"
)

type usersInput struct {
	pages
}

type usersAnswer struct {
	Users      []user  `json:"users" doc:"Newest first."`
	Total      int     `json:"total"`
	NextCursor *string `json:"next_cursor"`
}

// user is a person of whom messages or memories are there.
type user struct {
	UserID        string     `json:"user_id"`
	CreatedAt     time.Time  `json:"created_at" doc:"When they first came up."`
	Sessions      int        `json:"sessions" doc:"How many chats."`
	Messages      int        `json:"messages" doc:"How many of theirs the log holds, those that were given to POST /v1/memories among them."`
	Memories      int        `json:"memories" doc:"How many, without superseded and expired ones."`
	LastMessageAt *time.Time `json:"last_message_at"`
	Learn         bool       `json:"learn" doc:"Whether anything is learned from their sessions."`
}

type patchUserInput struct {
	Person  identifier `path:"user_id" doc:"Who, percent-encoded. One of whom nothing is there yet comes up by it."`
	UserID  identifier `query:"user_id" doc:"404 unless it is this user."`
	AgentID identifier `query:"agent_id" doc:"Always 404: a person is no agent's."`
	Body    patchUser
}

type patchUser struct {
	Learn *bool `json:"learn" required:"true" doc:"false: nothing is learned from their sessions from now on, and from what is open. What was learned stays."`
}

type patchUserAnswer struct {
	UserID string `json:"user_id"`
	Learn  bool   `json:"learn"`
}

func (s *server) userRoutes() {
	handle(s, operation{
		method: http.MethodGet, path: "/v1/users", name: "list-users", tag: "Looking in",
		summary: "Whom there is something of", answers: map[int]any{200: usersAnswer{}},
	}, s.getUsers)
	handle(s, operation{
		method: http.MethodPatch, path: "/v1/users/{user_id}", name: "edit-user", tag: "Short tier", effect: writes,
		summary: "Say whether anything is learned from a person's sessions", answers: map[int]any{200: patchUserAnswer{}},
	}, s.patchUser)
}

func (s *server) getUsers(ctx context.Context, c *call, in *usersInput) (answer, error) {
	out := usersAnswer{Users: []user{}}
	people, next, err := readPage(in.pages, func(limit int, cursor string) ([]shortterm.Person, string, error) {
		people, total, next, err := s.Log.People(ctx, c.tenant, limit, cursor)
		out.Total = total
		return people, next, err
	})
	if err != nil {
		return answer{}, err
	}
	ids := make([]string, len(people))
	for i, p := range people {
		ids[i] = p.UserID
	}
	memories, err := s.Store.CountByUser(ctx, c.tenant, ids)
	if err != nil {
		return answer{}, err
	}
	for _, p := range people {
		out.Users = append(out.Users, user{UserID: p.UserID, CreatedAt: p.CreatedAt.UTC(), Sessions: p.Sessions,
			Messages: p.Messages, Memories: memories[p.UserID], LastMessageAt: utc(p.LastMessageAt), Learn: p.Learn})
	}
	out.NextCursor = next
	return ok(out)
}

func (s *server) patchUser(ctx context.Context, c *call, in *patchUserInput) (answer, error) {
	if in.AgentID != "" || in.UserID != "" && in.UserID != in.Person {
		return answer{}, &memd.Error{Kind: memd.NotFound, Msg: "no such user"}
	}
	p, err := s.Log.SetPersonLearn(ctx, c.tenant, string(in.Person), *in.Body.Learn)
	if err != nil {
		return answer{}, err
	}
	return ok(patchUserAnswer{p.UserID, p.Learn})
}
