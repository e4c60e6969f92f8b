package longterm

import (
	"context"
	"slices"
	"time"

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

// loss takes memories, or sources of them, away.
type loss struct {
	tenant, by string
	// reason is why memories go, less why some stay with fewer sources.
	reason, less string
	// sources says which sources go, by the message's id and what the log knows of it, nil
	// if that is nothing; a memory with others left by who says it stays. If it is nil,
	// memories go whatever their sources.
	sources  func(message int64, o *origin) bool
	overrule overruling
	// revive makes current again what a memory that goes took the place of.
	revive bool
	dry    bool
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
	b := &pgx.Batch{}
	w := &writes{}
	l.reduce(b, w, less, taken)
	var overrule []overruled
	for _, h := range less {
		overrule = l.overruled(overrule, h, taken[h.id], nil)
	}
	for _, h := range gone {
		overrule = l.overruled(overrule, h, taken[h.id], h.sources)
		w.history = append(w.history, historyRow{memory: h.id, scopeID: h.scopeID, event: EventDelete, previous: &h.text, hash: h.hash,
			reason: l.reason, by: l.by, messages: h.sources})
	}
	if len(gone) > 0 {
		back, err := l.superseded(ctx, tx, gone)
		if err != nil {
			return 0, err
		}
		back.queue(b, l, w)
		queueGone(b, l.tenant, gone)
	}
	queueOverruled(b, l.tenant, overrule)
	w.queue(b, l.tenant)
	return len(gone), exec(ctx, tx, b)
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
		o.slot = h.slot
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

// reduce takes sources away from memories that stay. Whether a message goes as a source is
// the same for all of them.
func (l *loss) reduce(b *pgx.Batch, w *writes, less []*held, taken map[memoryID][]int64) {
	if len(less) == 0 {
		return
	}
	var ids, drawn, later []memoryID
	var messages []int64
	var from []time.Time
	for _, h := range less {
		going := taken[h.id]
		ids, messages = append(ids, h.id), append(messages, going...)
		w.history = append(w.history, historyRow{memory: h.id, scopeID: h.scopeID, event: EventUpdate, previous: &h.text, text: h.text, hash: h.hash,
			reason: l.less, by: l.by, messages: going})
		left := slices.DeleteFunc(slices.Clone(h.sources), func(id int64) bool { return slices.Contains(going, id) })
		if slices.ContainsFunc(left, func(id int64) bool { _, known := h.origins[id]; return !known }) {
			continue // what the memory has of it cannot be told from what it has of those that go
		}
		before := inOrder(h.origins)
		now := slices.DeleteFunc(slices.Clone(before), func(o origin) bool { return slices.Contains(going, o.message) })
		h.draw(before, now, nil)
		if first := now[0].said.at; first.After(h.validFrom) && !h.set(fieldMemory) {
			h.validFrom = first
			later, from = append(later, h.id), append(from, first)
		}
		drawn = append(drawn, h.id)
		w.drawn = append(w.drawn, h.newMemory)
		w.carry(h.id, h.agents, h.runs)
	}
	b.Queue(sourceDelete, l.tenant, ids, messages)
	b.Queue(provenanceDelete, l.tenant, drawn)
	if len(later) > 0 {
		b.Queue(supersededLater, l.tenant, later, from)
	}
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

// reasonCurrent is why a memory holds again, as the history has it.
const reasonCurrent = "what took its place was taken back"

// pointer is a memory whose place another took, which goes.
type pointer struct {
	id, by     memoryID
	scopeID    int64
	text, hash string
	validTo    *time.Time
}

type pointers []pointer

// superseded reads what the memories that go took the place of, save what goes itself, and
// makes it point to what comes next: to what took the place of the one that goes, or to
// nothing.
func (l *loss) superseded(ctx context.Context, tx pgx.Tx, gone []*held) (pointers, error) {
	going := make(map[memoryID]*held, len(gone))
	ids := make([]memoryID, len(gone))
	for i, h := range gone {
		ids[i] = h.id
		going[h.id] = h
	}
	var all pointers
	rows, err := tx.Query(ctx, supersededSelect, l.tenant, ids)
	if err != nil {
		return nil, err
	}
	var p pointer
	_, err = pgx.ForEachRow(rows, []any{&p.id, &p.scopeID, &p.text, &p.hash, &p.validTo, &p.by}, func() error {
		if going[p.id] == nil {
			all = append(all, p)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range all {
		p := &all[i]
		for range gone {
			h := going[p.by]
			if h == nil {
				break
			}
			if l.revive {
				p.validTo = h.validTo
			}
			if p.by = (memoryID{}); h.supersededBy != nil {
				p.by = *h.supersededBy
			}
		}
	}
	return all, nil
}

func (all pointers) queue(b *pgx.Batch, l *loss, w *writes) {
	if len(all) == 0 {
		return
	}
	n := len(all)
	ids, by, until := make([]memoryID, n), make([]*memoryID, n), make([]*time.Time, n)
	var current []memoryID
	var scopes []int64
	for i, p := range all {
		ids[i], until[i] = p.id, p.validTo
		if p.by != (memoryID{}) {
			by[i] = &all[i].by
		}
		if l.revive && p.validTo == nil {
			current, scopes = append(current, p.id), append(scopes, p.scopeID)
			w.history = append(w.history, historyRow{memory: p.id, scopeID: p.scopeID, event: EventUpdate, previous: &all[i].text, text: p.text, hash: p.hash,
				reason: reasonCurrent, by: l.by})
		}
	}
	b.Queue(supersededUpdate, l.tenant, ids, by, until)
	if len(current) > 0 {
		b.Queue(embeddingLive, l.tenant, scopes, current)
	}
}
