package longterm

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

const reasonUndone = "undone: "

// beforeSuperseded is what the history keeps of a memory whose place another takes.
const beforeSuperseded = `{"superseded": true}`

// undoable is what the history keeps so that a change can be undone: one of its members.
type undoable struct {
	// Memory is all of a memory that went, with the mentions it was made of.
	Memory   json.RawMessage `json:"memory,omitempty"`
	Mentions json.RawMessage `json:"mentions,omitempty"`
	// Superseded says that another took its place.
	Superseded bool `json:"superseded,omitempty"`
	// Edit is what a person changed, as it was.
	Edit *edited `json:"edit,omitempty"`
}

// edited is what a person changed of a memory, as it was before.
type edited struct {
	Text       *string         `json:"text,omitempty"`
	Metadata   json.RawMessage `json:"metadata,omitempty"`
	Categories *[]string       `json:"categories,omitempty"`
	ExpiresAt  *time.Time      `json:"expires_at,omitempty"`
	Expiry     bool            `json:"expiry,omitempty"`
	Pinned     *bool           `json:"pinned,omitempty"`
	// About is what the text was about; what was kept before had none, and changed none.
	About *spoken `json:"about,omitempty"`
	// Until is when it held until, nil while it held.
	Until *time.Time `json:"until,omitempty"`
	// Set are the fields that a person had set by then.
	Set []string `json:"set"`
}

// spoken is what a text is about.
type spoken struct {
	Slot    string `json:"slot"`
	Subject string `json:"subject"`
	Value   string `json:"value"`
	Negated bool   `json:"negated"`
}

// nothing is the error of undoing what has not been changed.
var nothing = &memd.Error{Kind: memd.Conflict, Op: "longterm.undo", Msg: "nothing of this memory can be undone"}

// Undo takes back the last change that a person or consolidation made to a memory and that
// was not undone yet, and gives the memory as it is then: what an edit changed is as it was,
// one that was taken away, also by request of a speaker, is there again, one whose place
// another took is current again. That stands: the messages that ended it, or asked for it to
// be forgotten, do so no more. The history says what was undone, and by whom.
//
// Forgetting a whole scope is not undone, nor what followed from a message that was deleted
// or edited. The error is NotFound if there never was such a memory, or it is not the
// user's or agent's of the check; Conflict if there is nothing to undo.
func (s *Store) Undo(ctx context.Context, tenant string, ref Ref, by string) (memd.Memory, error) {
	id, err := parseID(ref.ID)
	if err != nil {
		return memd.Memory{}, err
	}
	var now *memd.Memory
	err = s.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		u := &undoing{change: newChange(tenant, by), id: id}
		u.restores = true
		if err := u.lock(ctx, tx, ref.Check); err != nil {
			return err
		}
		if err := u.undo(ctx, tx); err != nil {
			return err
		}
		found := make([]*memd.Memory, 1)
		b := &pgx.Batch{}
		queueFind(b, tenant, []Ref{{ID: uuid.UUID(id).String()}}, found)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		if now = found[0]; now == nil {
			return nothing
		}
		return nil
	})
	if err != nil {
		return memd.Memory{}, postgres.Err("longterm.undo", err)
	}
	return *now, nil
}

// undoing is one call of Undo.
type undoing struct {
	*change
	id      memoryID
	scopeID int64
	// live is the memory as it stands, nil if it is gone.
	live *held
}

// change that was made and may be undone.
type changed struct {
	id       int64
	reason   string
	messages []int64
	before   undoable
}

// lock takes the lock of the memory's identity, which its history knows.
func (u *undoing) lock(ctx context.Context, tx pgx.Tx, check memd.Scope) error {
	there := false
	b := &pgx.Batch{}
	b.Queue(pinPlans)
	b.Queue(permittedSelect, u.tenant, u.id, check.UserID, check.AgentID).QueryRow(func(row pgx.Row) error { return row.Scan(&there) })
	b.Queue(historyScope, u.tenant, u.id).Query(u.scanScopes)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	if !there || len(u.scopes) == 0 {
		return notFound
	}
	b = &pgx.Batch{}
	for id, s := range u.scopes {
		u.scopeID = id
		queueLocks(b, u.tenant, [][]byte{s.key})
		u.wanted.scope(s.key)
	}
	return exec(ctx, tx, b)
}

func (u *undoing) undo(ctx context.Context, tx pgx.Tx) error {
	all, err := heldOf(ctx, tx, u.tenant, []memoryID{u.id}, false)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		u.live = all[0]
	}
	rows, err := tx.Query(ctx, undoableSelect, u.tenant, u.id)
	if err != nil {
		return err
	}
	var made []changed
	var c changed
	var raw []byte
	if _, err := pgx.ForEachRow(rows, []any{&c.id, &c.reason, &c.messages, &raw}, func() error {
		c.before = undoable{}
		made = append(made, c)
		return json.Unmarshal(raw, &made[len(made)-1].before)
	}); err != nil {
		return err
	}
	for _, c := range made {
		if _, err := tx.Exec(ctx, undoneUpdate, u.tenant, c.id); err != nil {
			return err
		}
		switch {
		case c.before.Superseded && u.live != nil && u.live.validTo != nil:
			return u.revive(ctx, tx)
		case c.before.Memory != nil && u.live == nil:
			return u.restore(ctx, tx, c)
		case c.before.Edit != nil && u.live != nil:
			return u.unedit(ctx, tx, c)
		}
		// It has come out otherwise since.
	}
	return nothing
}

// revive makes a memory current again.
func (u *undoing) revive(ctx context.Context, tx pgx.Tx) error {
	u.undone = reasonUndone + reasonSuperseded
	return u.refold(ctx, tx, nil)
}

// refold folds anew what the memory has to do with, so that it holds until a time.
func (u *undoing) refold(ctx context.Context, tx pgx.Tx, until *time.Time) error {
	u.preferred = u.id
	u.wanted.memory(u.id)
	if err := u.readOn(ctx, tx); err != nil {
		return err
	}
	u.keep(u.id, until)
	return u.write(ctx, tx)
}

func (u *undoing) write(ctx context.Context, tx pgx.Tx) error {
	if _, err := u.settle(ctx, tx); err != nil {
		return err
	}
	b := &pgx.Batch{}
	u.w.queue(b, u.tenant)
	return exec(ctx, tx, b)
}

// restore has a memory that went be there again, with what its messages still state.
func (u *undoing) restore(ctx context.Context, tx pgx.Tx, c changed) error {
	back, err := tx.Exec(ctx, mentionRestore, u.tenant, u.id, string(c.before.Mentions))
	if err != nil {
		return err
	}
	var verbatim struct {
		Verbatim bool `json:"verbatim"`
	}
	if err := json.Unmarshal(c.before.Memory, &verbatim); err != nil {
		return err
	}
	if back.RowsAffected() == 0 && !verbatim.Verbatim {
		return nothing // the messages are gone
	}
	b := &pgx.Batch{}
	b.Queue(memoryRestore, u.tenant, string(c.before.Memory))
	b.Queue(sourceRestore, u.tenant, u.id)
	b.Queue(provenanceRestore, u.tenant, u.id)
	b.Queue(embeddingOpenInsert, u.tenant, []memoryID{u.id})
	if err := exec(ctx, tx, b); err != nil {
		return err
	}
	all, err := heldOf(ctx, tx, u.tenant, []memoryID{u.id}, false)
	if err != nil || len(all) == 0 {
		return err
	}
	u.live = all[0]
	b = &pgx.Batch{}
	queueMemoryPostings(b, u.tenant, all)
	b.Queue(overruledBack, u.tenant, u.live.sources, hashesOf(u.live.text))
	if err := exec(ctx, tx, b); err != nil {
		return err
	}
	u.w.history = append(u.w.history, historyRow{memory: u.id, scopeID: u.scopeID, event: EventAdd, text: u.live.text, hash: u.live.hash,
		reason: reasonUndone + c.reason, by: u.by, messages: u.live.sources})
	if verbatim.Verbatim {
		b := &pgx.Batch{}
		u.w.queue(b, u.tenant)
		return exec(ctx, tx, b)
	}
	if c.reason == reasonForgotten {
		u.retain(u.scopeID, u.live.hash, c.messages)
	}
	u.preferred = u.id
	u.wanted.memory(u.id)
	u.wanted.hash(u.scopes[u.scopeID].key, hashesOf(u.live.text)...)
	if err := u.readOn(ctx, tx); err != nil {
		return err
	}
	u.remember(u.id)
	return u.write(ctx, tx)
}

// unedit gives a memory the fields that it had before an edit.
func (u *undoing) unedit(ctx context.Context, tx pgx.Tx, c changed) error {
	h, was, e := u.live, u.live.newMemory, c.before.Edit
	until := h.validTo
	r := &revision{tenant: u.tenant, by: u.by, vectors: map[memoryID][]float32{}, changed: []*held{h}}
	if e.Text != nil {
		h.text, h.hash = *e.Text, hashOf(*e.Text)
		r.reworded, r.was = []*held{h}, []newMemory{was}
		if a := e.About; a != nil {
			h.topic, h.value, h.negated = topic{a.Slot, a.Subject}, a.Value, a.Negated
		}
	}
	if e.Metadata != nil {
		h.metadata = e.Metadata
	}
	if e.Categories != nil {
		h.categories = *e.Categories
	}
	if e.Expiry {
		h.expiresAt = e.ExpiresAt
	}
	if e.Pinned != nil {
		h.pinned = *e.Pinned
	}
	h.edited = slices.Clone(e.Set)
	r.history = []historyRow{{memory: h.id, scopeID: h.scopeID, event: EventUpdate, previous: &was.text, text: h.text, hash: h.hash, reason: reasonUndone + c.reason, by: u.by}}
	b := &pgx.Batch{}
	r.queue(b)
	if e.Text != nil {
		b.Queue(overruledBack, u.tenant, h.sources, hashesOf(h.text))
	}
	if err := exec(ctx, tx, b); err != nil || e.Text == nil || h.verbatim {
		return err
	}
	u.wanted.hash(u.scopes[u.scopeID].key, hashesOf(h.text)...)
	u.wanted.slot(u.scopes[u.scopeID].key, was.slot)
	if was.topic != h.topic {
		return u.refold(ctx, tx, &h.validFrom) // about something else it is as it would have been
	}
	if until == nil {
		until = e.Until
	}
	return u.refold(ctx, tx, until)
}
