package httpapi

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/erase"
	"github.com/memdhq/memd/export"
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
	Learn *bool  `json:"learn" required:"true" doc:"false: nothing is learned from their sessions from now on, and from what is open. What was learned stays."`
	Open  string `json:"open" default:"skip" enum:"skip,learn" doc:"learn: what is open is learned from all the same, as after an import from where it was."`
}

type patchUserAnswer struct {
	UserID string `json:"user_id"`
	Learn  bool   `json:"learn"`
}

// eraseWait is how much longer an erasure may take than other requests: a person of whom
// there are very many messages takes seconds.
const eraseWait = 100 * time.Second

// exportWait is how much longer than other requests an export may be read, and exportsAtOnce
// how many are, exportsOfTenant of them of one tenant: each holds a connection to the
// database as long.
const (
	exportWait      = 30 * time.Minute
	exportsAtOnce   = 3
	exportsOfTenant = 2
)

type userInput struct {
	Person  identifier `path:"user_id" doc:"Who, percent-encoded."`
	UserID  identifier `query:"user_id" doc:"404 unless it is this user."`
	AgentID identifier `query:"agent_id" doc:"Always 404: a person is no agent's."`
}

type exportInput struct {
	userInput
	Form      string     `query:"form" default:"full" enum:"full,transfer,openai" doc:"full: all that is kept. transfer: what another memd needs to know the same, for POST /v1/import and memd import; what was imported is exported again as it came. openai: a line in OpenAI's chat format for each session."`
	SessionID identifier `query:"session_id" doc:"Only this session, of form transfer or openai."`
}

type exportAllInput struct {
	Form string `query:"form" default:"transfer" enum:"transfer,openai" doc:"As of GET /v1/users/{user_id}/export."`
}

func (in userInput) permits() error {
	if in.AgentID != "" || in.UserID != "" && in.UserID != in.Person {
		return &memd.Error{Kind: memd.NotFound, Msg: "no such user"}
	}
	return nil
}

// eraseAnswer is the receipt of an erasure.
type eraseAnswer struct {
	UserID    string       `json:"user_id"`
	Event     string       `json:"event" doc:"Always ERASE."`
	ErasedAt  time.Time    `json:"erased_at"`
	ReceiptID string       `json:"receipt_id" doc:"Under which memd's log tells of it, without who it was."`
	Counts    erase.Counts `json:"counts" doc:"How much went."`
}

type erasuresInput struct {
	userInput
	pages
}

type allErasuresInput struct {
	pages
}

type erasuresAnswer struct {
	Erasures   []receipt `json:"erasures" doc:"Newest first."`
	NextCursor *string   `json:"next_cursor"`
}

// receipt is what is kept of an erasure. It does not say whose it was.
type receipt struct {
	ReceiptID string        `json:"receipt_id"`
	ErasedAt  time.Time     `json:"erased_at"`
	Counts    *erase.Counts `json:"counts" doc:"How much went. null: an erasure by a memd that did not keep it."`
}

// exportLine is what each line of an export has.
type exportLine struct {
	Type string `json:"type" doc:"memd.export first, then user, session, message, removed_message, memory, deleted_memory, statement, forgotten, retained, overruled and origin, and end last."`
}

func (s *server) userRoutes() {
	handle(s, operation{
		method: http.MethodDelete, path: "/v1/users/{user_id}", name: "erase-user", tag: "Short tier", effect: writes, waits: eraseWait,
		summary: "Erase a person",
		description: "All that was said by or learned of them goes from every tier and every app, with its history, in one step. " +
			"What is being learned from at the time does not come back. What is said afterwards is somebody new's. " +
			"Who is not known gets a receipt too, and GET /v1/users/{user_id}/erasures gives it again. " +
			"GET /v1/users/{user_id}/export first keeps what there is.",
		answers: map[int]any{200: eraseAnswer{}}, again: s.erasedAgain,
	}, s.eraseUser)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/users/{user_id}/erasures", name: "list-user-erasures", tag: "Short tier",
		summary: "Receipts of a person's erasures",
		description: "Each has its own, and is kept for good: when it was and how much went, nothing of what. Only who knows the name " +
			"finds them: memd keeps a hash of it. Of who was never erased the list is empty.",
		answers: map[int]any{200: erasuresAnswer{}},
	}, s.getErasures)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/erasures", name: "list-erasures", tag: "Looking in",
		summary: "Receipts of all erasures of a tenant", description: "Without whose they were. Needs an admin's key.",
		answers: map[int]any{200: erasuresAnswer{}},
	}, s.getAllErasures)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/users/{user_id}/export", name: "export-user", tag: "Short tier", waits: exportWait, streams: "application/x-ndjson",
		summary: "All that is kept of a person",
		description: "JSON lines, as of one moment. The first is {\"type\": \"memd.export\", \"version\": 1, …}; each message has its members as " +
			"they were given; superseded, expired and deleted memories and all history are among them, vectors are not. " +
			"The last is {\"type\": \"end\", \"counts\": {…}}: without it something is missing. 404 if nothing is known of such a person.",
		answers: map[int]any{200: exportLine{}},
	}, s.exportUser)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/export", name: "export-tenant", tag: "Short tier", waits: exportWait, streams: "application/x-ndjson",
		summary:     "What is kept of all people of a tenant",
		description: "As of one moment. Needs an admin's key. 404 if there is nobody.",
		answers:     map[int]any{200: exportLine{}},
	}, s.exportAll)
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
	if err := (userInput{in.Person, in.UserID, in.AgentID}).permits(); err != nil {
		return answer{}, err
	}
	if !*in.Body.Learn && in.Body.Open == "learn" {
		if err := s.Log.Arrive(ctx, c.tenant, shortterm.Arrival{UserID: string(in.Person), Unlearned: true}); err != nil {
			return answer{}, err
		}
		return ok(patchUserAnswer{string(in.Person), false})
	}
	p, err := s.Log.SetPersonLearn(ctx, c.tenant, string(in.Person), *in.Body.Learn)
	if err != nil {
		return answer{}, err
	}
	return ok(patchUserAnswer{p.UserID, p.Learn})
}

func (s *server) eraseUser(ctx context.Context, c *call, in *userInput) (answer, error) {
	if err := in.permits(); err != nil {
		return answer{}, err
	}
	r, err := s.Erase.Person(ctx, c.tenant, string(in.Person), byAPI)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusOK, body: receiptOf(string(in.Person), r), ids: &keptIDs{Receipt: &r}, lasts: true}, nil
}

// erasedAgain gives the receipt of an erasure once more, to who knows whom it was of.
func (s *server) erasedAgain(_ context.Context, c *call, ids keptIDs) (answer, error) {
	return ok(receiptOf(c.users[len(c.users)-1], *ids.Receipt))
}

func receiptOf(person string, r erase.Receipt) eraseAnswer {
	return eraseAnswer{person, eventErase, r.ErasedAt, r.ID, r.Counts}
}

const eventErase = "ERASE"

func (s *server) getErasures(ctx context.Context, c *call, in *erasuresInput) (answer, error) {
	if err := in.permits(); err != nil {
		return answer{}, err
	}
	return s.receipts(ctx, c, string(in.Person), in.pages)
}

func (s *server) getAllErasures(ctx context.Context, c *call, in *allErasuresInput) (answer, error) {
	if err := c.requireAdmin("this"); err != nil {
		return answer{}, err
	}
	return s.receipts(ctx, c, "", in.pages)
}

func (s *server) receipts(ctx context.Context, c *call, person string, p pages) (answer, error) {
	all, next, err := readPage(p, func(limit int, cursor string) ([]erase.Receipt, string, error) {
		return s.Erase.Receipts(ctx, c.tenant, person, limit, cursor)
	})
	if err != nil {
		return answer{}, err
	}
	out := erasuresAnswer{Erasures: []receipt{}, NextCursor: next}
	for _, r := range all {
		shown := receipt{ReceiptID: r.ID, ErasedAt: r.ErasedAt}
		if !r.Uncounted {
			shown.Counts = &r.Counts
		}
		out.Erasures = append(out.Erasures, shown)
	}
	return ok(out)
}

// export writes what is asked for in a form for others.
func (s *server) export(ctx context.Context, form string, of export.Of) (answer, error) {
	return answer{status: http.StatusOK, stream: func(w io.Writer) error {
		if form == "openai" {
			return s.Export.Chats(ctx, of, w)
		}
		return s.Export.Transfer(ctx, of, w)
	}}, nil
}

func (s *server) exportAll(ctx context.Context, c *call, in *exportAllInput) (answer, error) {
	if err := c.requireAdmin("this"); err != nil {
		return answer{}, err
	}
	return s.export(ctx, in.Form, export.Of{Tenant: c.tenant})
}

func (s *server) exportUser(ctx context.Context, c *call, in *exportInput) (answer, error) {
	if err := in.permits(); err != nil {
		return answer{}, err
	}
	if in.Form != "full" {
		return s.export(ctx, in.Form, export.Of{Tenant: c.tenant, UserID: string(in.Person), SessionID: string(in.SessionID)})
	}
	if in.SessionID != "" {
		return answer{}, memd.InvalidField("query.session_id", "needs the form transfer or openai")
	}
	return answer{status: http.StatusOK, stream: func(w io.Writer) error {
		return s.Export.Person(ctx, c.tenant, string(in.Person), w)
	}}, nil
}
