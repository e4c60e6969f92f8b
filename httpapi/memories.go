package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/shortterm"
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

type postMemoriesInput struct {
	Body postMemories
}

type postMemories struct {
	Messages   anyMessages     `json:"messages" required:"true" doc:"What to remember: a text of the user's, a message, or messages."`
	UserID     identifier      `json:"user_id" doc:"Whose memory. One of user_id, agent_id and run_id is needed."`
	AgentID    identifier      `json:"agent_id"`
	RunID      identifier      `json:"run_id" doc:"The session it was said in."`
	AppID      identifier      `json:"app_id"`
	Metadata   object          `json:"metadata" doc:"Passes to the memories."`
	Infer      bool            `json:"infer" default:"true" doc:"true: what the messages state is learned. false: each message is stored as it is."`
	Scopes     []string        `json:"scopes" default:"USER,ASSISTANT" enum:"USER,ASSISTANT" doc:"Whose messages are learned from, or stored."`
	Prompt     json.RawMessage `json:"prompt" doc:"Not supported yet."`
	MemoryType identifier      `json:"memory_type" doc:"With infer: false."`
	Scope      identifier      `json:"scope" doc:"With infer: false."`
	Categories []string        `json:"categories" maxItems:"100" doc:"With infer: false."`
	Store      json.RawMessage `json:"store" doc:"Not supported yet."`
	Filters    json.RawMessage `json:"filters" doc:"Not supported yet."`
	ExpiresAt  *moment         `json:"expires_at" doc:"With infer: false. When it is to be found no more."`
	OccurredAt *moment         `json:"occurred_at" doc:"With infer: false. When what it speaks of happened."`
	Timezone   string          `json:"timezone" default:"UTC" doc:"The IANA name of the zone that relative dates are meant in."`
	Wait       bool            `json:"wait" default:"true" doc:"With infer: wait up to 30 s for what is learned. false: 202 at once."`
}

type addAnswer struct {
	Results   []longterm.Event `json:"results" doc:"What happened to which memory: ADD, UPDATE, DELETE, or NONE where it was known already."`
	Relations []any            `json:"relations" doc:"Always empty."`
	Degraded  []string         `json:"degraded" doc:"embedding: the embedder is away; what was stored is found by its words until its vector follows. ingest: some messages could not be learned from, see dead letters."`
}

type addLaterAnswer struct {
	IngestIDs []int64 `json:"ingest_ids" doc:"Ids of the messages that are being learned from; see GET /v1/messages/{id}."`
}

type searchInput struct {
	Body searchMemories
}

type searchMemories struct {
	Query string `json:"query" required:"true" doc:"What to look for."`
	scopeFields
	Filters           json.RawMessage `json:"filters" doc:"Conditions on memories. user_id, agent_id or run_id may stand here too."`
	Limit             int             `json:"limit" default:"10" minimum:"1" maximum:"1000" doc:"The most results."`
	Threshold         float64         `json:"threshold" default:"0" minimum:"0" maximum:"1" doc:"The least score of a result."`
	Scopes            []string        `json:"scopes" default:"USER,ASSISTANT" enum:"USER,ASSISTANT" minItems:"1" doc:"Who said it; all that was not said by an assistant counts as USER."`
	AsOf              *moment         `json:"as_of" doc:"What held at that time."`
	IncludeSuperseded bool            `json:"include_superseded" default:"false" doc:"Also what a later statement took the place of."`
	Mode              string          `json:"mode" default:"hybrid" enum:"hybrid,vector,lexical"`
	Explain           bool            `json:"explain" default:"false" doc:"With every part of the score."`
	AllScopes         bool            `json:"all_scopes" default:"false" doc:"Without any id, over the whole tenant; needs an admin's API key."`
}

type searchAnswer struct {
	Results   []scoredMemory `json:"results" doc:"Best first, ties newer first."`
	Relations []any          `json:"relations" doc:"Always empty."`
	Degraded  []string       `json:"degraded" doc:"embedding: the embedder is away; found by words alone."`
}

// scoredMemory is a memory that was found.
type scoredMemory struct {
	memd.Memory
	Score      float64            `json:"score" doc:"0 to 1, higher is better; of the same meaning whatever the model."`
	Similarity float64            `json:"similarity" doc:"The plain cosine, 0 where there is no vector."`
	Explain    map[string]float64 `json:"explain,omitempty" doc:"Every part of the score."`
}

type listInput struct {
	Body listMemories
}

type listMemories struct {
	scopeFields
	Filters           json.RawMessage `json:"filters" doc:"Conditions on memories. user_id, agent_id or run_id may stand here too."`
	Limit             int             `json:"limit" default:"100" minimum:"1" maximum:"1000" doc:"The most results."`
	Offset            *int            `json:"offset" minimum:"0" maximum:"1000000" doc:"How many to leave out first. Not beside cursor."`
	Cursor            *string         `json:"cursor" doc:"The next_cursor of the answer before. Not beside offset."`
	Scopes            []string        `json:"scopes" default:"USER,ASSISTANT" enum:"USER,ASSISTANT" minItems:"1" doc:"Who said it; all that was not said by an assistant counts as USER."`
	AsOf              *moment         `json:"as_of" doc:"What held at that time."`
	IncludeSuperseded bool            `json:"include_superseded" default:"false" doc:"Also what a later statement took the place of."`
	AllScopes         bool            `json:"all_scopes" default:"false" doc:"Without any id, over the whole tenant; needs an admin's API key."`
	Threshold         float64         `json:"threshold" default:"0" minimum:"0" maximum:"0" doc:"Only 0: a list has no scores."`
	Mode              string          `json:"mode" default:"hybrid" enum:"hybrid" doc:"Without meaning for a list."`
	Explain           bool            `json:"explain" default:"false" doc:"Only false: a list has no scores."`
}

type getMemoriesInput struct {
	scopeQuery
	pages
	IncludeSuperseded bool `query:"include_superseded" default:"false" doc:"Also what a later statement took the place of."`
	AllScopes         bool `query:"all_scopes" default:"false" doc:"Without any id, over the whole tenant; needs an admin's API key."`
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
	Results    []memd.Memory `json:"results" doc:"Newest first."`
	Relations  []any         `json:"relations" doc:"Always empty."`
	Total      int           `json:"total"`
	NextCursor *string       `json:"next_cursor"`
}

type memoryInput struct {
	ID identifier `path:"id" doc:"The memory's id."`
	permission
}

type historyAnswer struct {
	Results []longterm.HistoryEntry `json:"results" doc:"Oldest first."`
}

type deleteAnswer struct {
	ID    string `json:"id"`
	Event string `json:"event" doc:"Always DELETE."`
}

type deleteScopeInput struct {
	scopeQuery
}

type deleteScopeAnswer struct {
	Count int `json:"count" doc:"How many memories were deleted."`
}

func (s *server) memoryRoutes() {
	handle(s, operation{
		method: http.MethodPost, path: "/v1/memories", name: "add-memories", tag: "Long tier", effect: writes, waits: s.cfg.LearnWait,
		summary: "Remember something",
		description: "With infer the messages are logged first (in the session run_id, else in one of their own), so that " +
			"nothing is lost whatever the models do; 202 if they are not all learned from in time.",
		answers: map[int]any{200: addAnswer{}, 202: addLaterAnswer{}},
	}, s.postMemories)
	handle(s, operation{
		method: http.MethodPost, path: "/v1/memories/search", name: "search-memories", tag: "Long tier",
		summary:     "Find memories by what they say",
		description: "One of user_id, agent_id and run_id must be given, beside the filters or at their top level.",
		answers:     map[int]any{200: searchAnswer{}},
	}, s.searchMemories)
	handle(s, operation{
		method: http.MethodPost, path: "/v1/memories/list", name: "list-memories-by", tag: "Long tier",
		summary:     "List memories by conditions",
		description: "One of user_id, agent_id and run_id must be given, beside the filters or at their top level.",
		answers:     map[int]any{200: listAnswer{}},
	}, s.listMemories)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/memories", name: "list-memories", tag: "Long tier",
		summary: "List memories", description: "One of user_id, agent_id and run_id must be given.",
		answers: map[int]any{200: listAnswer{}},
	}, s.getMemories)
	handle(s, operation{
		method: http.MethodDelete, path: "/v1/memories", name: "delete-memories", tag: "Long tier", effect: writes,
		summary: "Delete all memories that carry the given ids", description: "One of the ids must be given.",
		answers: map[int]any{200: deleteScopeAnswer{}},
	}, s.deleteMemories)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/memories/{id}", name: "get-memory", tag: "Long tier",
		summary: "One memory", answers: map[int]any{200: memd.Memory{}},
	}, s.getMemory)
	handle(s, operation{
		method: http.MethodDelete, path: "/v1/memories/{id}", name: "delete-memory", tag: "Long tier", effect: writes,
		summary: "Delete one memory", answers: map[int]any{200: deleteAnswer{}},
	}, s.deleteMemory)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/memories/{id}/history", name: "get-memory-history", tag: "Long tier",
		summary: "What happened to a memory", answers: map[int]any{200: historyAnswer{}},
	}, s.getHistory)
}

func (s *server) postMemories(ctx context.Context, c *call, in *postMemoriesInput) (answer, error) {
	b := in.Body
	var faults []*memd.Error
	if b.UserID == "" && b.AgentID == "" && b.RunID == "" {
		faults = append(faults, memd.InvalidField("body.user_id", "is required, or agent_id or run_id"))
	}
	for name, value := range map[string]json.RawMessage{"prompt": b.Prompt, "store": b.Store, "filters": b.Filters} {
		if value != nil {
			faults = append(faults, memd.InvalidField("body."+name, "is not supported yet"))
		}
	}
	if b.Infer {
		for name, there := range map[string]bool{"memory_type": b.MemoryType != "", "scope": b.Scope != "",
			"categories": b.Categories != nil, "expires_at": b.ExpiresAt != nil, "occurred_at": b.OccurredAt != nil} {
			if there {
				faults = append(faults, memd.InvalidField("body."+name, "is not supported yet with infer; with infer: false it is"))
			}
		}
	}
	for i, category := range b.Categories {
		if err := memd.CheckID(fmt.Sprintf("body.categories[%d]", i), category); err != nil {
			faults = append(faults, err.(*memd.Error))
		}
	}
	zone, fault := checkZone(b.Timezone)
	if fault != nil {
		faults = append(faults, fault)
	}
	given, location, fault := messagesOf(b.Messages)
	if fault != nil {
		faults = append(faults, fault)
	}
	messages, wrong := parseMessages(given, location)
	if location == "body" { // not an array: the faults lie in the one message
		for _, f := range wrong {
			f.Field = "body.messages" + strings.TrimPrefix(f.Field, "body[0]")
		}
	}
	faults = append(faults, wrong...)
	slices.SortStableFunc(faults, func(a, b *memd.Error) int { return strings.Compare(a.Field, b.Field) })
	if err := invalid(faults); err != nil {
		return answer{}, err
	}
	if !b.Infer {
		return s.addVerbatim(ctx, c, b, messages, location)
	}

	add := shortterm.Append{
		UserID: string(b.UserID), SessionID: string(b.RunID), AgentID: string(b.AgentID), AppID: string(b.AppID),
		Messages: messages, Metadata: json.RawMessage(b.Metadata), Timezone: zone, Infer: true, Learn: roles(b.Scopes),
		Direct: b.RunID == "",
	}
	if c.derive != nil {
		// The log knows a repetition too: the answer may have been lost before it was kept.
		add.Key = c.derive("#log")
	}
	appended, err := s.Log.Append(ctx, c.tenant, add)
	if err != nil {
		return answer{}, err
	}
	ids := make([]int64, len(appended.Messages))
	for i, m := range appended.Messages {
		ids[i] = m.ID
	}
	later := answer{status: http.StatusAccepted, body: addLaterAnswer{ids}}
	if !b.Wait {
		return later, nil
	}
	waitCtx, cancel := context.WithTimeout(ctx, s.cfg.LearnWait)
	defer cancel()
	if err := s.Log.AwaitSettled(waitCtx, c.tenant, ids); err != nil {
		if waitCtx.Err() != nil || memd.KindOf(err) == memd.Unavailable {
			return later, nil // it is in the log, and will be learned from
		}
		return answer{}, err
	}
	events, err := s.Store.EventsOf(ctx, c.tenant, ids)
	if err != nil {
		return later, nil
	}
	out := addAnswer{Results: append([]longterm.Event{}, events...), Relations: []any{}, Degraded: []string{}}
	if dead, err := s.anyDead(ctx, c.tenant, string(b.UserID), appended.SessionID, ids); err != nil {
		return later, nil
	} else if dead {
		out.Degraded = append(out.Degraded, "ingest")
	}
	return ok(out)
}

// anyDead says whether one of a session's messages was given up.
func (s *server) anyDead(ctx context.Context, tenant, userID, sessionID string, ids []int64) (bool, error) {
	counts, err := s.Log.Counts(ctx, tenant, userID, sessionID)
	if err != nil || counts.Dead == 0 {
		return false, err
	}
	for _, id := range ids {
		m, err := s.Log.Message(ctx, tenant, id, memd.Scope{})
		if err != nil {
			return false, err
		}
		if m.Ingest.State == shortterm.StateDead {
			return true, nil
		}
	}
	return false, nil
}

// messagesOf gives the messages of what POST /v1/memories takes: a string, a message,
// or an array of messages. location is where they lie; "body" for a single one.
func messagesOf(raw anyMessages) (given []chatMessage, location string, fault *memd.Error) {
	if len(raw) == 0 { // told already: it is required
		return nil, "body", nil
	}
	switch raw[0] {
	case '"':
		if blank(text(raw)) {
			return nil, "body", memd.InvalidField("body.messages", "must not be blank")
		}
		return []chatMessage{chatMessage(`{"role":"user","content":` + string(raw) + `}`)}, "body", nil
	case '{':
		return []chatMessage{chatMessage(raw)}, "body", nil
	}
	for e := range elements(raw) {
		if len(given) == maxItems {
			return nil, "body", memd.InvalidField("body.messages", "must have at most %d items", maxItems)
		}
		given = append(given, chatMessage(e))
	}
	if len(given) == 0 {
		return nil, "body", memd.InvalidField("body.messages", "must have at least 1 items")
	}
	return given, "body.messages", nil
}

// addVerbatim stores each message as a memory of its own.
func (s *server) addVerbatim(ctx context.Context, c *call, b postMemories, messages []memd.Message, location string) (answer, error) {
	scope := memd.Scope{Tenant: c.tenant, UserID: string(b.UserID), AgentID: string(b.AgentID), RunID: string(b.RunID), AppID: string(b.AppID)}
	var add []longterm.Verbatim
	var texts []string
	for i, m := range messages {
		if blank(m.Text) {
			at := "body.messages.content"
			if location != "body" {
				at = fmt.Sprintf("%s[%d].content", location, i)
			}
			return answer{}, memd.InvalidField(at, "must have a text to be stored")
		}
		scopeName := "USER"
		if m.Role == memd.RoleAssistant {
			scopeName = "ASSISTANT"
		}
		if !slices.Contains(b.Scopes, scopeName) {
			continue
		}
		add = append(add, longterm.Verbatim{
			Scope: scope, Text: m.Text, ActorID: m.Name, Role: string(m.Role), Metadata: json.RawMessage(b.Metadata),
			Categories: b.Categories, MemoryType: string(b.MemoryType), MemoryScope: string(b.Scope),
			ExpiresAt: b.ExpiresAt.pointer(), OccurredAt: b.OccurredAt.pointer(), SaidAt: m.CreatedAt,
		})
		texts = append(texts, longterm.EmbedText(m.Name, m.Text))
	}
	out := addAnswer{Results: []longterm.Event{}, Relations: []any{}, Degraded: []string{}}
	if len(add) == 0 {
		return ok(out)
	}
	vectors, model, degraded, err := s.Recall.Embed(ctx, texts)
	if err != nil {
		return answer{}, err
	}
	for i := range vectors {
		add[i].Vector, add[i].Model = vectors[i], model
	}
	events, err := s.Store.AddVerbatim(ctx, c.tenant, add)
	if err != nil {
		return answer{}, err
	}
	out.Results, out.Degraded = append(out.Results, events...), append(out.Degraded, degraded...)
	return ok(out)
}

func (s *server) searchMemories(ctx context.Context, c *call, in *searchInput) (answer, error) {
	b := in.Body
	if blank(b.Query) {
		return answer{}, memd.InvalidField("body.query", "must not be blank")
	}
	scope := b.scope(c.tenant)
	if err := c.mayAsk(b.AllScopes); err != nil {
		return answer{}, err
	}
	filters, err := parseFilter(b.Filters)
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
	return ok(searchAnswer{Results: scoredMemories(hits), Relations: []any{}, Degraded: append([]string{}, degraded...)})
}

func (s *server) listMemories(ctx context.Context, c *call, in *listInput) (answer, error) {
	b := in.Body
	if b.Explain {
		return answer{}, memd.InvalidField("body.explain", "must be false: a list has no scores")
	}
	scope := b.scope(c.tenant)
	if err := c.mayAsk(b.AllScopes); err != nil {
		return answer{}, err
	}
	filters, err := parseFilter(b.Filters)
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
		Scope: scope, Limit: in.Limit, IncludeSuperseded: in.IncludeSuperseded, AllScopes: in.AllScopes,
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
	out := listAnswer{Results: []memd.Memory{}, Relations: []any{}, Total: total, NextCursor: optional(next)}
	for _, m := range found {
		out.Results = append(out.Results, showMemory(m))
	}
	return ok(out)
}

func (s *server) getMemory(ctx context.Context, c *call, in *memoryInput) (answer, error) {
	m, err := s.Store.Get(ctx, c.tenant, string(in.ID), in.scope(c.tenant))
	if err != nil {
		return answer{}, err
	}
	return ok(showMemory(m))
}

func (s *server) deleteMemory(ctx context.Context, c *call, in *memoryInput) (answer, error) {
	if err := s.Store.Delete(ctx, c.tenant, string(in.ID), in.scope(c.tenant), byAPI); err != nil {
		return answer{}, err
	}
	return ok(deleteAnswer{string(in.ID), longterm.EventDelete})
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

func (s *server) deleteMemories(ctx context.Context, c *call, in *deleteScopeInput) (answer, error) {
	scope := in.scope(c.tenant)
	if scope.UserID == "" && scope.AgentID == "" && scope.RunID == "" && scope.AppID == "" {
		return answer{}, memd.InvalidField("query.user_id", "is required, or agent_id, run_id or app_id")
	}
	n, err := s.Store.DeleteScope(ctx, c.tenant, scope, byAPI)
	if err != nil {
		return answer{}, err
	}
	return ok(deleteScopeAnswer{n})
}

// blank says whether there is nothing in a text that could be found or found by: only
// blanks and characters that show nothing.
func blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r != unicode.ReplacementChar && !unicode.IsSpace(r) && !unicode.In(r, unicode.Cc, unicode.Cf)
	})
}

// mayAsk refuses a question over all of a tenant's scopes, unless the key may ask it.
// That an id is needed otherwise, beside the filters or in them, is the store's to say.
func (c *call) mayAsk(allScopes bool) error {
	if allScopes {
		return c.requireAdmin()
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
