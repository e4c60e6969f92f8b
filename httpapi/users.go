package httpapi

import (
	"context"
	"net/http"
	"time"

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
}

func (s *server) userRoutes() {
	handle(s, operation{
		method: http.MethodGet, path: "/v1/users", name: "list-users", tag: "Looking in",
		summary: "Whom there is something of", answers: map[int]any{200: usersAnswer{}},
	}, s.getUsers)
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
			Messages: p.Messages, Memories: memories[p.UserID], LastMessageAt: utc(p.LastMessageAt)})
	}
	out.NextCursor = next
	return ok(out)
}
