package httpapi

import (
	"context"
	"net/http"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
)

type relatedInput struct {
	memoryInput
	Limit int `query:"limit" default:"10" minimum:"1" maximum:"1000" doc:"The most results."`
}

type relatedAnswer struct {
	Results   []memd.Memory   `json:"results" doc:"Current memories that say something of the same things, the nearest first."`
	Relations []memd.Relation `json:"relations" doc:"The memory's own first, then those of the results."`
}

func (s *server) undoRoutes(tag string) {
	handle(s, operation{
		method: http.MethodPost, path: "/v1/memories/{id}/undo", name: "undo-memory", tag: tag, effect: writes,
		summary: "Take back the last change of a memory",
		description: "What was edited is as it was, what was deleted is there again, what a later statement took the place of is current again; " +
			"and that stands against the same messages. Each call goes one change further back. 409 if there is nothing to undo. " +
			"The deletion of a whole scope is not undone, nor what followed from a message that was edited or deleted.",
		answers: map[int]any{200: memd.Memory{}},
	}, s.undoMemory)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/memories/{id}/related", name: "related-memories", tag: tag,
		summary: "Memories about the same things", answers: map[int]any{200: relatedAnswer{}},
	}, s.relatedMemories)
}

func (s *server) undoMemory(ctx context.Context, c *call, in *memoryInput) (answer, error) {
	m, err := s.Store.Undo(ctx, c.tenant, longterm.Ref{ID: string(in.ID), Check: in.scope(c.tenant)}, byAPI)
	if err != nil {
		return answer{}, err
	}
	return ok(showMemory(m))
}

func (s *server) relatedMemories(ctx context.Context, c *call, in *relatedInput) (answer, error) {
	found, relations, err := s.Store.Related(ctx, c.tenant, longterm.Ref{ID: string(in.ID), Check: in.scope(c.tenant)}, in.Limit)
	if err != nil {
		return answer{}, err
	}
	out := relatedAnswer{Results: []memd.Memory{}, Relations: append([]memd.Relation{}, relations...)}
	for _, m := range found {
		out.Results = append(out.Results, showMemory(m))
	}
	return ok(out)
}
