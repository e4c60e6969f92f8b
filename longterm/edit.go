package longterm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
	"github.com/pgvector/pgvector-go"
)

// MaxMetadata is the most bytes of JSON that the metadata of a memory may have.
const MaxMetadata = 256 << 10

// Edit is what a person changes of a memory; what is nil stays.
type Edit struct {
	ID string
	// Check holds the user and agent that the memory must have, where set.
	Check memd.Scope
	Text  *string
	// About is what Text is about, as reading it gives; nil if nobody has read it, or it is
	// about nothing that can be updated.
	About *About
	// Metadata is a merge patch of RFC 7386, an object. Numbers keep their digits.
	Metadata   json.RawMessage
	Categories *[]string
	// ExpiresAt sets when the memory is to be found no more; Unexpire takes that away.
	ExpiresAt *time.Time
	Unexpire  bool
	Pinned    *bool
	// Vector is that of EmbedText with the memory's actor and Text, made with Model;
	// nil has it made later.
	Vector []float32
	Model  string
}

// About is what a statement is about, as of memd.Candidate.
type About struct {
	Slot, Subject, Value string
	Negated              bool
	Categories           []string
}

// Edit changes memories, all or none, in order, and gives them as they are then. The
// error is Absent if one of them is not there, or not the user's or agent's of its check;
// Invalid if a text is blank or metadata becomes larger than MaxMetadata, with the field,
// within memories[i] if there are several.
//
// What a person set stays, whatever is learned later: a text with its valid_from,
// categories, expires_at; metadata only gains keys that it has not from sources that come
// later. A text that was rewritten does not come back from the same messages; the same
// said in another message is new. The history says what was edited; an edit that changes
// nothing is not in it and leaves updated_at.
//
// A new text is about what its words are about, and no more about what it was: as Edit.About
// has it, else as those have it that say the same words. One that is about nothing ends
// nothing and is ended by nothing; only what held no more when it was edited, holds no more
// still. Categories that were found in the old words go with them.
func (s *Store) Edit(ctx context.Context, tenant string, edits []Edit, by string) ([]memd.Memory, error) {
	model := ""
	refs := make([]Ref, len(edits))
	for i, e := range edits {
		refs[i] = Ref{e.ID, e.Check}
		if e.Text == nil || e.Vector == nil {
			continue
		}
		if model != "" && e.Model != model {
			return nil, &memd.Error{Kind: memd.Internal, Op: "longterm.edit", Msg: "vectors of two models in one call"}
		}
		model = e.Model
	}
	edited := make([]memd.Memory, len(edits))
	err := s.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		found, err := hold(ctx, tx, tenant, refs)
		if err != nil || len(found) == 0 {
			return err
		}
		r := &revision{tenant: tenant, by: by, model: model, vectors: map[memoryID][]float32{}}
		if err := r.readCategories(ctx, tx, found); err != nil {
			return err
		}
		for i, e := range edits {
			at := ""
			if len(edits) > 1 {
				at = fmt.Sprintf("memories[%d].", i)
			}
			if err := r.apply(found[i], e, at); err != nil {
				return err
			}
			// The checks have been passed; an edit does not change what they are about.
			refs[i] = Ref{ID: uuid.UUID(found[i].id).String()}
		}
		if err := ruling(ctx, tx, tenant, r.overruled, r.before()); err != nil {
			return err
		}
		b := &pgx.Batch{}
		r.queue(b)
		now := make([]*memd.Memory, len(refs))
		queueFind(b, tenant, refs, now)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		if refolded, err := r.refold(ctx, tx); err != nil {
			return err
		} else if refolded {
			b := &pgx.Batch{}
			queueFind(b, tenant, refs, now)
			if err := tx.SendBatch(ctx, b).Close(); err != nil {
				return err
			}
		}
		for i, m := range now {
			edited[i] = *m
		}
		return nil
	})
	return edited, postgres.Err("longterm.edit", err)
}

// revision is one call of Edit.
type revision struct {
	tenant, by, model string
	// changed are the memories that are not as they were, each once.
	changed []*held
	// reworded are those whose text is another, and was as they were.
	reworded  []*held
	was       []newMemory
	vectors   map[memoryID][]float32
	overruled []overruled
	history   []historyRow
	// categories are those that were found in the words of memories.
	categories map[memoryID][]string
}

// before gives the memories that are reworded, as they were.
func (r *revision) before() []*held {
	all := make([]*held, len(r.was))
	for i, m := range r.was {
		all[i] = &held{newMemory: m}
	}
	return all
}

// readCategories reads which categories were found in the words of memories.
func (r *revision) readCategories(ctx context.Context, tx pgx.Tx, of []*held) error {
	ids := make([]memoryID, len(of))
	for i, h := range of {
		ids[i] = h.id
	}
	rows, err := tx.Query(ctx, categoriesSaid, r.tenant, ids)
	if err != nil {
		return err
	}
	r.categories = map[memoryID][]string{}
	var id memoryID
	var all []string
	_, err = pgx.ForEachRow(rows, []any{&id, &all}, func() error {
		r.categories[id] = union(r.categories[id], all)
		return nil
	})
	return err
}

const categoriesSaid = `
	SELECT k.id, n.categories FROM unnest($2::uuid[]) AS k (id)
	 CROSS JOIN LATERAL (SELECT categories FROM memory_mention n WHERE n.memory_id = k.id AND n.gone IS NULL AND n.tenant_id = $1 OFFSET 0) n`

// rewrite makes a memory about what its new words are about.
func (r *revision) rewrite(h *held, about *About, was *edited) {
	was.About = &spoken{h.slot, h.subject, h.value, h.negated}
	h.edited = slices.DeleteFunc(slices.Clone(h.edited), func(field string) bool { return field == fieldAbout })
	var found []string
	switch {
	case about != nil && about.Slot != "" && len(about.Slot) <= maxSlot:
		h.topic, h.value, h.negated = topic{clean(about.Slot), clean(about.Subject)}, clean(about.Value), about.Negated
		h.edited, found = append(h.edited, fieldAbout), about.Categories
	case h.validTo != nil && h.slot != "":
		h.value, h.negated = "", false // whatever it says, it holds no more
		h.edited = append(h.edited, fieldAbout)
	default:
		h.topic, h.value, h.negated = topic{}, "", false
	}
	if !h.set(fieldCategories) {
		categories := slices.Clone(h.categories)
		was.Categories = &categories
		h.categories = union(slices.DeleteFunc(slices.Clone(h.categories), func(c string) bool { return slices.Contains(r.categories[h.id], c) }), found)
	}
}

// apply makes one edit of a memory as the edits before have left it.
func (r *revision) apply(h *held, e Edit, at string) error {
	before := h.newMemory
	was := &edited{Set: append([]string{}, h.edited...), Until: h.validTo}
	var what []string
	if e.Text != nil {
		text := clean(*e.Text)
		if strings.TrimSpace(text) == "" {
			return memd.InvalidField(at+fieldMemory, "must not be blank")
		}
		if text != h.text {
			what = append(what, fieldMemory)
			was.Text = &before.text
			for _, id := range h.sources {
				r.overruled = append(r.overruled, overruled{message: id, hash: h.hash, slot: h.about()})
			}
			h.text, h.hash = text, hashOf(text)
			if !h.verbatim {
				r.rewrite(h, e.About, was)
			}
			r.vectors[h.id] = e.Vector
			if !slices.Contains(r.reworded, h) {
				r.reworded = append(r.reworded, h)
				r.was = append(r.was, before)
			}
		}
	}
	if e.Metadata != nil {
		patched := MergePatch(h.metadata, e.Metadata)
		if !sameJSON(patched, h.metadata) {
			if storedSize(patched) > MaxMetadata {
				return memd.InvalidField(at+fieldMetadata, "must have at most %d bytes", MaxMetadata)
			}
			what = append(what, fieldMetadata)
			was.Metadata = json.RawMessage(object(h.metadata))
			h.metadata = patched
		}
	}
	if e.Categories != nil {
		categories := make([]string, len(*e.Categories))
		for i, c := range *e.Categories {
			categories[i] = clean(c)
		}
		if !slices.Equal(categories, h.categories) {
			what = append(what, fieldCategories)
			if was.Categories == nil {
				was.Categories = &before.categories
			}
			h.categories = categories
		}
	}
	if e.ExpiresAt != nil || e.Unexpire {
		var at *time.Time
		if e.ExpiresAt != nil {
			cut := e.ExpiresAt.Truncate(time.Microsecond)
			at = &cut
		}
		if (at == nil) != (h.expiresAt == nil) || at != nil && !at.Equal(*h.expiresAt) {
			what = append(what, fieldExpiresAt)
			was.Expiry, was.ExpiresAt = true, h.expiresAt
			h.expiresAt = at
		}
	}
	h.edited = union(h.edited, what)
	if e.Pinned != nil && *e.Pinned != h.pinned {
		what = append(what, fieldPinned)
		pinned := h.pinned
		was.Pinned = &pinned
		h.pinned = *e.Pinned
	}
	if len(what) == 0 {
		return nil
	}
	if !slices.Contains(r.changed, h) {
		r.changed = append(r.changed, h)
	}
	kept, err := json.Marshal(undoable{Edit: was})
	if err != nil {
		return &memd.Error{Kind: memd.Internal, Op: "longterm.edit", Err: err}
	}
	r.history = append(r.history, historyRow{memory: h.id, scopeID: h.scopeID, event: EventUpdate, previous: &before.text, text: h.text, hash: h.hash,
		reason: reasonEdited + strings.Join(what, ", "), by: r.by, before: kept})
	return nil
}

// refold folds anew what rewritten texts have to do with, once they are stored, if there is
// anything: what was said in the same words is one with them. They hold as long as before.
func (r *revision) refold(ctx context.Context, tx pgx.Tx) (bool, error) {
	c := newChange(r.tenant, r.by)
	learned := slices.DeleteFunc(slices.Clone(r.reworded), func(h *held) bool { return h.verbatim })
	if len(learned) == 0 {
		return false, nil
	}
	if err := c.readScopes(ctx, tx, learned); err != nil {
		return false, err
	}
	for _, h := range learned {
		c.wanted.memory(h.id)
		c.wanted.hash(c.scopes[h.scopeID].key, hashesOf(h.text)...)
		c.wanted.scope(c.scopes[h.scopeID].key)
	}
	for _, m := range r.was {
		if !m.verbatim {
			c.wanted.slot(c.scopes[m.scopeID].key, m.slot) // what it ended there
		}
	}
	if err := c.readOn(ctx, tx); err != nil {
		return false, err
	}
	for _, h := range learned {
		c.remember(h.id)
		c.keep(h.id, h.validTo)
	}
	if _, err := c.settle(ctx, tx); err != nil {
		return false, err
	}
	b := &pgx.Batch{}
	c.w.queue(b, r.tenant)
	return true, exec(ctx, tx, b)
}

// queue writes what changed. The rows come first: whoever stores a vector waits for them
// and then finds another text.
func (r *revision) queue(b *pgx.Batch) {
	n := len(r.changed)
	if n == 0 {
		return
	}
	ids, texts, hashes, metadata := make([]memoryID, n), make([]string, n), make([]string, n), make([]string, n)
	categories, expires, pinned, edited := make([]string, n), make([]*time.Time, n), make([]bool, n), make([]string, n)
	slots, subjects, values, negated := make([]*string, n), make([]string, n), make([]string, n), make([]bool, n)
	for i, h := range r.changed {
		ids[i], texts[i], hashes[i], metadata[i] = h.id, h.text, h.hash, object(h.metadata)
		categories[i], expires[i], pinned[i], edited[i] = arrayLiteral(h.categories), h.expiresAt, h.pinned, arrayLiteral(h.edited)
		slots[i], subjects[i], values[i], negated[i] = some(h.slot), h.subject, h.value, h.negated
	}
	b.Queue(memoryEdit, r.tenant, ids, texts, hashes, metadata, categories, expires, pinned, edited, slots, subjects, values, negated)
	if len(r.reworded) > 0 {
		r.queueWords(b)
	}
	queueOverruled(b, r.tenant, r.overruled)
	(&writes{history: r.history}).queue(b, r.tenant)
}

// queueWords replaces what the index and the vectors hold of texts that were rewritten.
// Vectors of other models go as well: they are of what the memory no longer says.
func (r *revision) queueWords(b *pgx.Batch) {
	var ids, embedded, open []memoryID
	var scopes []int64
	var texts []string
	var vectors []pgvector.HalfVector
	for _, h := range r.reworded {
		ids, scopes = append(ids, h.id), append(scopes, h.scopeID)
		if v := r.vectors[h.id]; v != nil {
			embedded, texts, vectors = append(embedded, h.id), append(texts, h.text), append(vectors, pgvector.NewHalfVector(v))
		} else {
			open = append(open, h.id)
		}
	}
	queuePostingDelete(b, r.tenant, r.was)
	queueMemoryPostings(b, r.tenant, r.reworded)
	b.Queue(embeddingDelete, r.tenant, scopes, ids)
	if len(embedded) > 0 {
		b.Queue(vectorInsert, r.tenant, r.model, embedded, texts, vectors)
	}
	if len(open) > 0 {
		b.Queue(embeddingOpenInsert, r.tenant, open)
	}
}
