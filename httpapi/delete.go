package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
)

type deleteAnswer struct {
	ID    string `json:"id"`
	Event string `json:"event" doc:"Always DELETE."`
}

type deleteItem struct {
	ID identifier `json:"id" required:"true" doc:"The memory's id."`
}

type deleteBatchInput struct {
	permission
	Body deleteBatch
}

type deleteBatch struct {
	Memories batch[deleteItem] `json:"memories" required:"true" doc:"All are deleted, or none."`
}

type deleteBatchAnswer struct {
	Items []deleteAnswer `json:"items" doc:"In the order given."`
}

type deleteScopeInput struct {
	scopeQuery
}

type deleteScopeAnswer struct {
	Count int `json:"count" doc:"How many memories were deleted."`
}

type deleteByInput struct {
	Body deleteBy
}

type deleteBy struct {
	scopeFields
	Filters   conditions `json:"filters" doc:"Conditions on memories; see Filters above. One of the ids may stand here too, at the top level."`
	DryRun    bool       `json:"dry_run" default:"false" doc:"Count what would go, and delete nothing."`
	AllScopes bool       `json:"all_scopes" default:"false" doc:"Without any id, over the whole tenant; needs an admin's API key, and filters."`
}

type deleteByAnswer struct {
	Count  int  `json:"count" doc:"How many memories were deleted, or with dry_run would be."`
	DryRun bool `json:"dry_run"`
}

func (s *server) deleteRoutes(tag string) {
	handle(s, operation{
		method: http.MethodDelete, path: "/v1/memories/{id}", name: "delete-memory", tag: tag, effect: writes,
		summary:     "Delete one memory",
		description: "The messages that state it do not bring it about again; the same said anew does. Its history stays. What an assistant said back of it is a memory of its own, which contexts leave out.",
		answers:     map[int]any{200: deleteAnswer{}},
	}, s.deleteMemory)
	handle(s, operation{
		method: http.MethodDelete, path: "/v1/memories/batch", name: "delete-memories-batch", tag: tag, effect: writes,
		summary:     "Delete several memories, or none of them",
		description: "422 lists every item that is wrong, and every one whose memory is not there.",
		answers:     map[int]any{200: deleteBatchAnswer{}},
	}, s.deleteBatch)
	const taken = "By agent or session, what other agents' or sessions' messages also state stays, with what those give it. " +
		"Superseded and expired memories go too."
	handle(s, operation{
		method: http.MethodDelete, path: "/v1/memories", name: "delete-memories", tag: tag, effect: writes,
		summary: "Delete all memories that carry the given ids",
		description: "One of the ids must be given. Messages with these ids that are not learned from yet will not be. " +
			taken,
		answers: map[int]any{200: deleteScopeAnswer{}},
	}, s.deleteMemories)
	handle(s, operation{
		method: http.MethodPost, path: "/v1/memories/delete", name: "delete-memories-by", tag: tag, effect: writes,
		summary: "Delete memories by conditions",
		description: "One of the ids must be given, beside the filters or at their top level. Without conditions it is " +
			"DELETE /v1/memories. " + taken,
		answers: map[int]any{200: deleteByAnswer{}},
	}, s.deleteBy)
}

func (s *server) deleteMemory(ctx context.Context, c *call, in *memoryInput) (answer, error) {
	if err := s.Store.Delete(ctx, c.tenant, string(in.ID), in.scope(c.tenant), byAPI); err != nil {
		return answer{}, err
	}
	return ok(deleteAnswer{strings.ToLower(string(in.ID)), longterm.EventDelete})
}

func (s *server) deleteBatch(ctx context.Context, c *call, in *deleteBatchInput) (answer, error) {
	b := &in.Body.Memories
	refs := refsOf(b, func(i deleteItem) identifier { return i.ID }, in.scope(c.tenant))
	if _, err := s.find(ctx, c, refs, b.wrong); err != nil {
		return answer{}, err
	}
	if err := b.err(); err != nil {
		return answer{}, err
	}
	if err := s.Store.DeleteEach(ctx, c.tenant, refs, byAPI); err != nil {
		return answer{}, b.located(err)
	}
	out := deleteBatchAnswer{Items: []deleteAnswer{}}
	for _, ref := range refs {
		out.Items = append(out.Items, deleteAnswer{strings.ToLower(ref.ID), longterm.EventDelete})
	}
	return ok(out)
}

func (s *server) deleteMemories(ctx context.Context, c *call, in *deleteScopeInput) (answer, error) {
	scope := in.scope(c.tenant)
	if scope == (memd.Scope{Tenant: c.tenant}) {
		return answer{}, memd.InvalidField("query.user_id", needsID)
	}
	n, err := s.Forget.Memories(ctx, c.tenant, longterm.Forgetting{Scope: scope}, byAPI)
	if err != nil {
		return answer{}, err
	}
	return ok(deleteScopeAnswer{n})
}

const needsID = "is required, or agent_id, run_id or app_id"

func (s *server) deleteBy(ctx context.Context, c *call, in *deleteByInput) (answer, error) {
	b := in.Body
	if err := c.mayAsk(b.AllScopes); err != nil {
		return answer{}, err
	}
	filters, err := parseFilter(b.Filters, "body")
	if err != nil {
		return answer{}, err
	}
	what := longterm.Forgetting{Scope: b.scope(c.tenant), Filters: filters, AllScopes: b.AllScopes, DryRun: b.DryRun}
	if what.Scope == (memd.Scope{Tenant: c.tenant}) && filters.Bare() {
		if b.AllScopes { // that would be everything the tenant has
			return answer{}, memd.InvalidField("body.filters", "must have a condition beside all_scopes")
		}
		return answer{}, memd.InvalidField("body.user_id", needsID)
	}
	n, err := s.Forget.Memories(ctx, c.tenant, what, byAPI)
	if err != nil {
		return answer{}, err
	}
	return ok(deleteByAnswer{n, b.DryRun})
}
