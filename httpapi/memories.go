package httpapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
)

// byAPI is who the history names for what callers did.
const byAPI = "api"

// scopeFields are the ids that a body asks for memories with.
type scopeFields struct {
	UserID  identifier `json:"user_id" doc:"Only what carries this user."`
	AgentID identifier `json:"agent_id" doc:"Only what carries this agent."`
	RunID   identifier `json:"run_id" doc:"Only what carries this session."`
	AppID   identifier `json:"app_id" doc:"Only what carries this app."`
}

func (f scopeFields) scope(tenant string) memd.Scope {
	return memd.Scope{Tenant: tenant, UserID: string(f.UserID), AgentID: string(f.AgentID), RunID: string(f.RunID), AppID: string(f.AppID)}
}

type searchInput struct {
	Body searchMemories
}

type searchMemories struct {
	Query string `json:"query" required:"true" doc:"What to look for."`
	scopeFields
	Filters           conditions `json:"filters" doc:"Conditions on memories; see Filters above. user_id, agent_id or run_id may stand here too."`
	Limit             int        `json:"limit" default:"10" minimum:"1" maximum:"1000" doc:"The most results."`
	Threshold         float64    `json:"threshold" default:"0" minimum:"0" maximum:"1" doc:"The least score of a result."`
	Scopes            []string   `json:"scopes" default:"USER,ASSISTANT" enum:"USER,ASSISTANT" minItems:"1" doc:"Who said it; all that was not said by an assistant counts as USER."`
	AsOf              *moment    `json:"as_of" doc:"What held at that time. Days that the query tells from today are told from then, in the zone of its offset."`
	IncludeSuperseded bool       `json:"include_superseded" default:"false" doc:"Also what a later statement took the place of."`
	Mode              string     `json:"mode" default:"hybrid" enum:"hybrid,vector,lexical"`
	Explain           bool       `json:"explain" default:"false" doc:"With every part of the score."`
	AllScopes         bool       `json:"all_scopes" default:"false" doc:"Without any id, over the whole tenant; needs an admin's API key."`
}

type searchAnswer struct {
	Results   []scoredMemory  `json:"results" doc:"Best first, ties newer first."`
	Relations []memd.Relation `json:"relations" doc:"What the results say of how one thing stands to another."`
	Degraded  []string        `json:"degraded" doc:"embedding: the embedder is away; found by words alone."`
}

// scoredMemory is a memory that was found.
type scoredMemory struct {
	memd.Memory
	Score      float64            `json:"score" doc:"0 to 1, higher is better; of the same meaning whatever the model."`
	Similarity float64            `json:"similarity" doc:"The plain cosine; 0 where there is no vector, and in mode lexical, which looks at none."`
	Explain    map[string]float64 `json:"explain,omitempty" doc:"Every part of the score."`
}

type listInput struct {
	Body listMemories
}

type listMemories struct {
	scopeFields
	Filters           conditions `json:"filters" doc:"Conditions on memories; see Filters above. user_id, agent_id or run_id may stand here too."`
	Limit             int        `json:"limit" default:"100" minimum:"1" maximum:"1000" doc:"The most results."`
	Offset            *int       `json:"offset" minimum:"0" maximum:"1000000" doc:"How many to leave out first. Not beside cursor."`
	Cursor            *string    `json:"cursor" doc:"The next_cursor of the answer before. Not beside offset."`
	Scopes            []string   `json:"scopes" default:"USER,ASSISTANT" enum:"USER,ASSISTANT" minItems:"1" doc:"Who said it; all that was not said by an assistant counts as USER."`
	AsOf              *moment    `json:"as_of" doc:"What held at that time."`
	IncludeSuperseded bool       `json:"include_superseded" default:"false" doc:"Also what a later statement took the place of."`
	AllScopes         bool       `json:"all_scopes" default:"false" doc:"Without any id, over the whole tenant; needs an admin's API key."`
	Threshold         float64    `json:"threshold" default:"0" minimum:"0" maximum:"1" doc:"Taken as in a search; a list has no scores, so it leaves nothing out."`
	Mode              string     `json:"mode" default:"hybrid" enum:"hybrid,vector,lexical" doc:"Taken as in a search; without meaning for a list."`
	Explain           bool       `json:"explain" default:"false" doc:"Taken as in a search; a list has nothing to explain."`
}

type getMemoriesInput struct {
	scopeQuery
	pages
	AsOf              *moment `query:"as_of" doc:"What held at that time."`
	IncludeSuperseded bool    `query:"include_superseded" default:"false" doc:"Also what a later statement took the place of."`
	AllScopes         bool    `query:"all_scopes" default:"false" doc:"Without any id, over the whole tenant; needs an admin's API key."`
}

// scopeQuery are the ids that a query asks for memories with.
type scopeQuery struct {
	UserID  identifier `query:"user_id" doc:"Only what carries this user."`
	AgentID identifier `query:"agent_id" doc:"Only what carries this agent."`
	RunID   identifier `query:"run_id" doc:"Only what carries this session."`
	AppID   identifier `query:"app_id" doc:"Only what carries this app."`
}

func (q scopeQuery) scope(tenant string) memd.Scope { return scopeFields(q).scope(tenant) }

type listAnswer struct {
	Results    []memd.Memory   `json:"results" doc:"Newest first."`
	Relations  []memd.Relation `json:"relations" doc:"What the results say of how one thing stands to another."`
	Total      int             `json:"total"`
	NextCursor *string         `json:"next_cursor"`
}

type memoryInput struct {
	ID identifier `path:"id" doc:"The memory's id."`
	permission
}

type historyAnswer struct {
	Results []longterm.HistoryEntry `json:"results" doc:"Oldest first."`
}

func (s *server) memoryRoutes() {
	const tag = "Long tier"
	s.addRoutes(tag)
	handle(s, operation{
		method: http.MethodPost, path: "/v1/memories/search", name: "search-memories", tag: tag,
		summary:     "Find memories by what they say",
		description: "One of user_id, agent_id and run_id must be given, beside the filters or at their top level; or all_scopes.",
		answers:     map[int]any{200: searchAnswer{}},
	}, s.searchMemories)
	handle(s, operation{
		method: http.MethodPost, path: "/v1/memories/list", name: "list-memories-by", tag: tag,
		summary:     "List memories by conditions",
		description: "One of user_id, agent_id and run_id must be given, beside the filters or at their top level; or all_scopes.",
		answers:     map[int]any{200: listAnswer{}},
	}, s.listMemories)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/memories", name: "list-memories", tag: tag,
		summary: "List memories", description: "One of user_id, agent_id and run_id must be given, or all_scopes.",
		answers: map[int]any{200: listAnswer{}},
	}, s.getMemories)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/memories/{id}", name: "get-memory", tag: tag,
		summary: "One memory", answers: map[int]any{200: memd.Memory{}},
	}, s.getMemory)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/memories/{id}/history", name: "get-memory-history", tag: tag,
		summary: "What happened to a memory", answers: map[int]any{200: historyAnswer{}},
	}, s.getHistory)
	s.editRoutes(tag)
	s.deleteRoutes(tag)
	s.undoRoutes(tag)
}

func (s *server) searchMemories(ctx context.Context, c *call, in *searchInput) (answer, error) {
	b := in.Body
	if !memd.Findable(b.Query) {
		return answer{}, memd.InvalidField("body.query", "must not be blank")
	}
	scope := b.scope(c.tenant)
	if err := c.mayAsk(b.AllScopes); err != nil {
		return answer{}, err
	}
	filters, err := parseFilter(b.Filters, "body")
	if err != nil {
		return answer{}, err
	}
	hits, degraded, err := s.Recall.Search(ctx, c.tenant, longterm.Query{
		Scope: scope, Text: b.Query, Limit: b.Limit, Threshold: b.Threshold,
		ScopesUser: slices.Contains(b.Scopes, "USER"), ScopesAssistant: slices.Contains(b.Scopes, "ASSISTANT"),
		Filters: filters, AsOf: b.AsOf.pointer(), IncludeSuperseded: b.IncludeSuperseded,
		AllScopes: b.AllScopes, Explain: b.Explain, Mode: b.Mode,
	})
	if err != nil {
		return answer{}, err
	}
	out := searchAnswer{Results: scoredMemories(hits), Relations: []memd.Relation{}, Degraded: append([]string{}, degraded...)}
	for _, h := range hits {
		out.Relations = append(out.Relations, relationOf(h.Memory)...)
	}
	return ok(out)
}

func (s *server) listMemories(ctx context.Context, c *call, in *listInput) (answer, error) {
	b := in.Body
	scope := b.scope(c.tenant)
	if err := c.mayAsk(b.AllScopes); err != nil {
		return answer{}, err
	}
	filters, err := parseFilter(b.Filters, "body")
	if err != nil {
		return answer{}, err
	}
	return s.list(ctx, c, "body", b.Offset, b.Cursor, longterm.ListQuery{
		Scope: scope, Filters: filters, Limit: b.Limit,
		ScopesUser: slices.Contains(b.Scopes, "USER"), ScopesAssistant: slices.Contains(b.Scopes, "ASSISTANT"),
		AsOf: b.AsOf.pointer(), IncludeSuperseded: b.IncludeSuperseded, AllScopes: b.AllScopes,
	})
}

func (s *server) getMemories(ctx context.Context, c *call, in *getMemoriesInput) (answer, error) {
	scope := in.scope(c.tenant)
	if err := c.mayAsk(in.AllScopes); err != nil {
		return answer{}, err
	}
	return s.list(ctx, c, "query", in.Offset, in.Cursor, longterm.ListQuery{
		Scope: scope, Limit: in.Limit, AsOf: in.AsOf.pointer(), IncludeSuperseded: in.IncludeSuperseded, AllScopes: in.AllScopes,
	})
}

func (s *server) list(ctx context.Context, c *call, part string, offset *int, cursor *string, q longterm.ListQuery) (answer, error) {
	if err := oneOfPages(part, offset, cursor); err != nil {
		return answer{}, err
	}
	if offset != nil {
		q.Offset = *offset
	}
	if cursor != nil {
		q.Cursor = *cursor
	}
	found, total, next, err := s.Store.List(ctx, c.tenant, q)
	if err != nil {
		return answer{}, err
	}
	out := listAnswer{Results: []memd.Memory{}, Relations: []memd.Relation{}, Total: total, NextCursor: optional(next)}
	for _, m := range found {
		out.Results = append(out.Results, showMemory(m))
		out.Relations = append(out.Relations, relationOf(m)...)
	}
	return ok(out)
}

// relationOf gives the relation of a memory, or none.
func relationOf(m memd.Memory) []memd.Relation {
	if m.Relation == nil {
		return nil
	}
	return []memd.Relation{*m.Relation}
}

func (s *server) getMemory(ctx context.Context, c *call, in *memoryInput) (answer, error) {
	m, err := s.Store.Get(ctx, c.tenant, string(in.ID), in.scope(c.tenant))
	if err != nil {
		return answer{}, err
	}
	return ok(showMemory(m))
}

func (s *server) getHistory(ctx context.Context, c *call, in *memoryInput) (answer, error) {
	entries, err := s.Store.History(ctx, c.tenant, string(in.ID), in.scope(c.tenant))
	if err != nil {
		return answer{}, err
	}
	out := historyAnswer{Results: []longterm.HistoryEntry{}}
	for _, e := range entries {
		e.At = e.At.UTC()
		out.Results = append(out.Results, e)
	}
	return ok(out)
}

// mayAsk refuses a question over all of a tenant's scopes, unless the key may ask it.
// That an id is needed otherwise, beside the filters or in them, is the store's to say.
func (c *call) mayAsk(allScopes bool) error {
	if allScopes {
		return c.requireAdmin("all_scopes")
	}
	return nil
}

func scoredMemories(hits []longterm.Hit) []scoredMemory {
	out := []scoredMemory{}
	for _, h := range hits {
		out = append(out, scoredMemory{showMemory(h.Memory), h.Score, h.Similarity, h.Explain})
	}
	return out
}

// showMemory gives a memory as every route shows it: lists and objects are never
// null, times are in UTC.
func showMemory(m memd.Memory) memd.Memory {
	m.Categories = append([]string{}, m.Categories...)
	m.Sources = append([]int64{}, m.Sources...)
	m.Metadata = orEmptyObject(m.Metadata)
	m.CreatedAt, m.UpdatedAt, m.ValidFrom = m.CreatedAt.UTC(), m.UpdatedAt.UTC(), m.ValidFrom.UTC()
	m.OccurredAt, m.ValidTo, m.ExpiresAt = utc(m.OccurredAt), utc(m.ValidTo), utc(m.ExpiresAt)
	m.StructuredAttributes = memd.AttributesOf(m.ValidFrom)
	m.Event = "RETRIEVE"
	return m
}
