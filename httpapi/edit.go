package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
)

// patchMemory is what one call changes of a memory; what is missing stays.
type patchMemory struct {
	Memory     *string   `json:"memory" doc:"The statement. It is found by its new words at once, and embedded anew."`
	Metadata   metadata  `json:"metadata" doc:"A merge patch (RFC 7386): null takes a key away."`
	Categories []string  `json:"categories" maxItems:"100" doc:"In place of those that are there."`
	ExpiresAt  clearable `json:"expires_at" doc:"When it is to be found no more. null: never."`
	Pinned     *bool     `json:"pinned" doc:"Pinned memories come first in a context."`
}

type patchMemoryInput struct {
	memoryInput
	Body patchMemory
}

// patchItem is one item of a batch of changes.
type patchItem struct {
	ID identifier `json:"id" required:"true" doc:"The memory's id."`
	patchMemory
}

type patchBatchInput struct {
	permission
	Body patchBatch
}

type patchBatch struct {
	Memories batch[patchItem] `json:"memories" required:"true" doc:"Bodies of PATCH /v1/memories/{id}, each with its id. All are changed, or none."`
}

type patchBatchAnswer struct {
	Items []memd.Memory `json:"items" doc:"In the order given."`
}

func (s *server) editRoutes(tag string) {
	handle(s, operation{
		method: http.MethodPatch, path: "/v1/memories/{id}", name: "edit-memory", tag: tag, effect: writes,
		summary: "Change a memory",
		description: "What a person sets stands against what the same messages say, however often they are learned from. " +
			"The history keeps what was there before.",
		answers: map[int]any{200: memd.Memory{}},
	}, s.patchMemory)
	handle(s, operation{
		method: http.MethodPatch, path: "/v1/memories/batch", name: "edit-memories-batch", tag: tag, effect: writes,
		summary:     "Change several memories, or none of them",
		description: "422 lists every item that is wrong, and every one whose memory is not there.",
		answers:     map[int]any{200: patchBatchAnswer{}},
	}, s.patchBatch)
}

func (s *server) patchMemory(ctx context.Context, c *call, in *patchMemoryInput) (answer, error) {
	ref := longterm.Ref{ID: string(in.ID), Check: in.scope(c.tenant)}
	found, err := s.Store.Find(ctx, c.tenant, []longterm.Ref{ref})
	if err != nil {
		return answer{}, err
	}
	if found[0] == nil {
		return answer{}, noSuchMemory()
	}
	edited, err := s.edit(ctx, c, found, []longterm.Edit{in.Body.edit(ref)})
	if err != nil {
		return answer{}, err
	}
	return ok(edited[0])
}

func (s *server) patchBatch(ctx context.Context, c *call, in *patchBatchInput) (answer, error) {
	b := &in.Body.Memories
	refs := refsOf(b, func(i patchItem) identifier { return i.ID }, in.scope(c.tenant))
	found, err := s.find(ctx, c, refs, b.wrong)
	if err != nil {
		return answer{}, err
	}
	if err := b.err(); err != nil {
		return answer{}, err
	}
	edits := make([]longterm.Edit, len(b.items))
	for i := range b.items {
		edits[i] = b.items[i].edit(refs[i])
	}
	edited, err := s.edit(ctx, c, found, edits)
	if err != nil {
		return answer{}, b.located(err)
	}
	return ok(patchBatchAnswer{edited})
}

// edit makes the vectors of the texts that are new, and then the changes. Without the
// embedder the vectors follow.
func (s *server) edit(ctx context.Context, c *call, found []*memd.Memory, edits []longterm.Edit) ([]memd.Memory, error) {
	var texts []string
	for i, e := range edits {
		if e.Text != nil {
			actor := ""
			if found[i].ActorID != nil {
				actor = *found[i].ActorID
			}
			texts = append(texts, longterm.EmbedText(actor, *e.Text))
			if s.Read != nil {
				edits[i].About = s.Read(found[i].Role, *e.Text)
			}
		}
	}
	vectors, model, _, err := s.Recall.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	for i := range edits {
		if edits[i].Text != nil && len(vectors) > 0 {
			edits[i].Vector, edits[i].Model, vectors = vectors[0], model, vectors[1:]
		}
	}
	edited, err := s.Store.Edit(ctx, c.tenant, edits, byAPI)
	if err != nil {
		return nil, err
	}
	for i := range edited {
		edited[i] = showMemory(edited[i])
	}
	return edited, nil
}

// check holds a change to what a memory may be.
func (p *patchMemory) check(location string) []*memd.Error {
	if p.Memory == nil && p.Metadata == nil && p.Categories == nil && !p.ExpiresAt.given && p.Pinned == nil {
		return []*memd.Error{memd.InvalidField(location, "must have something to change")}
	}
	var faults []*memd.Error
	if p.Memory != nil {
		*p.Memory = strings.ReplaceAll(*p.Memory, "\x00", "")
		if !memd.Findable(*p.Memory) {
			faults = append(faults, memd.InvalidField(location+".memory", "must not be blank"))
		}
	}
	return append(faults, checkCategories(p.Categories, location)...)
}

// edit is the change as the store takes it.
func (p *patchMemory) edit(ref longterm.Ref) longterm.Edit {
	e := longterm.Edit{ID: ref.ID, Check: ref.Check, Text: p.Memory, Metadata: json.RawMessage(p.Metadata),
		ExpiresAt: p.ExpiresAt.at, Unexpire: p.ExpiresAt.given && p.ExpiresAt.at == nil, Pinned: p.Pinned}
	if p.Categories != nil {
		e.Categories = &p.Categories
	}
	return e
}

func noSuchMemory() *memd.Error { return &memd.Error{Kind: memd.NotFound, Msg: "no such memory"} }

// refsOf names the memories of a batch's items. One that was named before is a fault:
// which of two changes is to stand nobody can say.
func refsOf[T any](b *batch[T], id func(T) identifier, check memd.Scope) []longterm.Ref {
	refs := make([]longterm.Ref, len(b.items))
	seen := map[string]bool{}
	for i, item := range b.items {
		refs[i] = longterm.Ref{ID: string(id(item)), Check: check}
		key := strings.ToLower(refs[i].ID)
		if key != "" && seen[key] {
			b.wrong(i, memd.InvalidField(itemAt("body.memories", i)+".id", "must be given once"))
		}
		seen[key] = true
	}
	return refs
}

// find finds the memories of a batch; wrong is told of each that is not there.
func (s *server) find(ctx context.Context, c *call, refs []longterm.Ref, wrong func(int, *memd.Error)) ([]*memd.Memory, error) {
	found, err := s.Store.Find(ctx, c.tenant, refs)
	if err != nil {
		return nil, err
	}
	for i := range refs {
		if refs[i].ID != "" && found[i] == nil { // an item without an id is told already
			wrong(i, notThere(i))
		}
	}
	return found, nil
}

func notThere(i int) *memd.Error {
	return memd.InvalidField(itemAt("body.memories", i)+".id", "no such memory")
}

// located tells an error of the store as one of the batch: memories that are not there
// any more, and faults, lie in their items.
func (b *batch[T]) located(err error) error {
	var gone *longterm.Absent
	var fault *memd.Error
	switch {
	case errors.As(err, &gone):
		for _, i := range gone.Items {
			b.wrong(i, notThere(i))
		}
		return b.err()
	case errors.As(err, &fault) && fault.Kind == memd.Invalid && len(b.items) == 1: // which the store does not count
		return memd.InvalidField(itemAt("body.memories", 0)+"."+fault.Field, "%s", fault.Msg)
	}
	return err
}
