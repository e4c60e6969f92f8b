package longterm

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
)

// overruling is what of a statement that goes its sources no longer bring about.
type overruling int

const (
	overruleNothing overruling = iota
	// overruleWording is of the statement itself.
	overruleWording
	// overruleSlot is also of anything else about its slot.
	overruleSlot
	// overruleAll is of all that the sources state.
	overruleAll
)

// loss takes memories, or sources of them, away. What a memory that is taken away whole
// took the place of stays ended; without its sources it is as if they had never said so.
type loss struct {
	tenant, by string
	// reason is why memories go, less why some stay with fewer sources.
	reason, less string
	// sources says which sources go, by the message's id and what the log knows of it, nil
	// if that is nothing; a memory with others left by who says it stays. If it is nil,
	// memories go whatever their sources.
	sources  func(message int64, o *origin) bool
	overrule overruling
	// undoable keeps what undoing it needs.
	undoable bool
	dry      bool
}

// atOnce is how many memories are taken in one round: what they hold is in memory.
const atOnce = 2000

// take removes what is lost of memories, which must be locked, and says how many go.
func (l *loss) take(ctx context.Context, tx pgx.Tx, ids []memoryID) (int, error) {
	if l.dry && l.sources == nil {
		return len(ids), nil
	}
	n := 0
	for some := range slices.Chunk(ids, atOnce) {
		gone, err := l.takeSome(ctx, tx, some)
		if err != nil {
			return 0, err
		}
		n += gone
	}
	return n, nil
}

func (l *loss) takeSome(ctx context.Context, tx pgx.Tx, ids []memoryID) (int, error) {
	all, err := heldOf(ctx, tx, l.tenant, ids, l.sources != nil)
	if err != nil {
		return 0, err
	}
	var gone, less []*held
	taken := map[memoryID][]int64{}
	for _, h := range all {
		t, stays := l.split(h)
		taken[h.id] = t
		switch {
		case !stays:
			gone = append(gone, h)
		case len(t) > 0:
			less = append(less, h)
		}
	}
	if l.dry {
		return len(gone), nil
	}
	c := newChange(l.tenant, l.by)
	c.reason, c.less, c.undoable = l.reason, l.less, l.undoable
	for _, h := range less {
		c.w.overruled = l.overruled(c.w.overruled, h, taken[h.id], nil)
	}
	for _, h := range gone {
		c.w.overruled = l.overruled(c.w.overruled, h, taken[h.id], h.sources)
	}
	if err := ruling(ctx, tx, l.tenant, c.w.overruled, append(slices.Clone(gone), less...)); err != nil {
		return 0, err
	}
	if err := l.change(ctx, tx, c, gone, less); err != nil {
		return 0, err
	}
	b := &pgx.Batch{}
	c.w.queue(b, l.tenant)
	return len(gone), exec(ctx, tx, b)
}

// change takes away what is lost. What has no topic and goes whole concerns nothing else.
func (l *loss) change(ctx context.Context, tx pgx.Tx, c *change, gone, less []*held) error {
	whole := map[memoryID]bool{}
	for _, h := range gone {
		if !h.verbatim && (h.slot != "" || h.set(fieldMemory) || l.sources != nil) {
			whole[h.id] = true
			c.wanted.memory(h.id)
			continue
		}
		c.w.gone = append(c.w.gone, h)
		c.w.history = append(c.w.history, historyRow{memory: h.id, scopeID: h.scopeID, event: EventDelete, previous: &h.text, hash: h.hash,
			reason: l.reason, by: l.by, messages: h.sources, undoable: l.undoable})
		c.w.unmentioned = append(c.w.unmentioned, h.id)
		c.w.undoable = l.undoable
	}
	for _, h := range less {
		c.wanted.memory(h.id)
	}
	if c.wanted.empty() {
		return nil
	}
	if err := c.readScopes(ctx, tx, append(slices.Clone(gone), less...)); err != nil {
		return err
	}
	if err := c.readOn(ctx, tx); err != nil {
		return err
	}
	for _, h := range append(slices.Clone(gone), less...) {
		maps.Copy(c.origins, h.origins)
	}
	for _, m := range c.mentions {
		switch {
		case m.of == nil:
		case whole[m.of.id]:
			m.of.expired = false
			if l.sources == nil {
				if m.writtenOver != nil {
					m.reword(m.of)
				}
				m.of.taken, m.gone, m.writtenOver = true, goneDeleted, nil
			} else {
				m.lost = true
			}
		case slices.ContainsFunc(less, func(h *held) bool { return h.id == m.of.id }):
			m.without(func(id int64) bool { return l.sources(id, c.origin(id)) }, c.origins)
		}
	}
	c.fold()
	_, err := c.settle(ctx, tx)
	return err
}

// split gives the sources that a memory loses, and whether it stays.
func (l *loss) split(h *held) (taken []int64, stays bool) {
	if l.sources == nil {
		return h.sources, false
	}
	for _, id := range h.sources {
		var known *origin
		if o, ok := h.origins[id]; ok {
			known = &o
		}
		switch {
		case l.sources(id, known):
			taken = append(taken, id)
		case known == nil || known.role == h.role:
			stays = true
		}
	}
	return taken, stays || len(taken) == 0 && len(h.sources) > 0
}

// overruled adds what the sources of h that are taken no longer bring about; of the
// others, which go with it, that is the statement at most.
func (l *loss) overruled(all []overruled, h *held, taken, others []int64) []overruled {
	o := overruled{hash: h.hash}
	switch l.overrule {
	case overruleNothing:
		return all
	case overruleSlot, overruleAll:
		o.slot = h.about()
	}
	for _, id := range others {
		if !slices.Contains(taken, id) {
			o.message = id
			all = append(all, o)
		}
	}
	if l.overrule == overruleAll {
		o.hash, o.slot = "", ""
	}
	for _, id := range taken {
		o.message = id
		all = append(all, o)
	}
	return all
}

// queueGone removes memories and all that finds them. The rows go first: whoever stores a
// vector waits for them and then finds no memory.
func queueGone(b *pgx.Batch, tenant string, gone []*held) {
	memories, ids, scopes := make([]newMemory, len(gone)), make([]memoryID, len(gone)), make([]int64, len(gone))
	for i, h := range gone {
		memories[i], ids[i], scopes[i] = h.newMemory, h.id, h.scopeID
	}
	b.Queue(memoryDelete, tenant, ids)
	queuePostingDelete(b, tenant, memories)
	b.Queue(embeddingDelete, tenant, scopes, ids)
}
