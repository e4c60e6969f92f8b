package longterm

import (
	"bytes"
	"cmp"
	"slices"
	"time"
)

// Why a memory came to be or changed, as the history has it.
const (
	reasonSaid       = "said"
	reasonAgain      = "said again"
	reasonEarlier    = "said earlier, in these words"
	reasonSuperseded = "superseded"
	reasonCorrected  = "corrected"
	reasonCurrent    = "what took its place was taken back"
	reasonForgotten  = "asked to be forgotten"
	reasonBack       = "no longer asked to be forgotten"
	reasonApart      = "held, ended and held again"
	reasonJoined     = "one with another memory"
	reasonAnew       = "learned from again"
)

// change is one change of what has been said. It reads all that this concerns, which must
// be locked, is given what is new and what goes, and writes what comes out differently.
type change struct {
	tenant string
	// by is who makes it, reason why memories go with what they were said by, less why some
	// stay with fewer sources.
	by, reason, less string
	// model names that of the vectors of mentions.
	model string
	verdicts

	memories map[memoryID]*stated
	mentions []*mention
	known    map[mentionKey]*mention
	rows     map[mentionRow]bool
	origins  map[int64]origin
	scopes   map[int64]scopeRow
	wanted   wanting
	subjects subjects
	// preferred is the memory whose id stays where several become one, undone what is taken
	// back of it.
	preferred memoryID
	undone    string
	// restores says that it takes something back: what that ends is as it was, which is
	// nothing to undo.
	restores bool
	// undoable has what is taken away kept.
	undoable bool

	spans []*span
	w     writes
}

// scopeRow is an identity as it is stored.
type scopeRow struct {
	key       []byte
	app, user string
}

// stated is a memory that was learned, while what it was learned from changes.
type stated struct {
	held
	// expired ones are found no more and are not swept yet.
	expired bool
	// learned says that it has mentions.
	learned bool
	// place is when that was said whose words a person replaced, since from when on it holds.
	place, since saidAt
	forgottenBy  *request
	// taken says that the memory is taken away, whatever states it.
	taken bool
	isNew bool
	// why it is there again, if it was gone.
	back string
}

// touched says whether a person changed it.
func (m *stated) touched() bool { return len(m.edited) > 0 || m.pinned }

// written says whether a person wrote its text.
func (m *stated) written() bool { return m.set(fieldMemory) }

func newChange(tenant, by string) *change {
	return &change{
		tenant: tenant, by: by, verdicts: verdicts{retained: map[retained]bool{}},
		memories: map[memoryID]*stated{}, known: map[mentionKey]*mention{}, rows: map[mentionRow]bool{}, origins: map[int64]origin{}, scopes: map[int64]scopeRow{},
		wanted: wanting{asked: map[string]bool{}},
	}
}

// fold makes of the mentions that are left the times through which each claim holds.
func (c *change) fold() {
	c.spans = nil
	c.readRequests()
	claims := map[claimKey]*claim{}
	var order []*claim
	of := func(k claimKey) *claim {
		if claims[k] == nil {
			claims[k] = &claim{speaker: k.speaker, hash: k.hash, edited: k.edited}
			order = append(order, claims[k])
		}
		return claims[k]
	}
	written := map[claimKey]*stated{}
	for _, m := range c.written() {
		k := claimKey{speaker{m.scopeID, m.actor, m.role}, m.hash, nil}
		if written[k] == nil {
			written[k] = m
		}
		k.edited = m
		of(k)
	}
	for _, m := range c.mentions {
		m.forgottenBy = nil
		if m.lost {
			continue
		}
		k := claimKey{m.speaker, m.hash, nil}
		if m.writtenOver != nil {
			k.hash, k.edited = m.writtenOver.hash, m.writtenOver
		} else {
			k.edited = written[k]
		}
		claim := of(k)
		claim.mentions = append(claim.mentions, m)
	}
	topics := map[slotKey][]*claim{}
	var slots []slotKey
	for _, k := range order {
		k.describe()
	}
	enders := endersOf(order)
	for _, k := range order {
		if k.slot == "" {
			c.spans = append(c.spans, c.follow([]*claim{k}, concerning(enders, []*claim{k}))...)
			continue
		}
		s := slotKey{k.speaker, k.matter()}
		if topics[s] == nil {
			slots = append(slots, s)
		}
		topics[s] = append(topics[s], k)
	}
	for _, s := range slots {
		c.spans = append(c.spans, c.follow(topics[s], concerning(enders, topics[s]))...)
	}
	c.nameEnders()
}

// written gives the memories whose text a person wrote and which something states still, in
// the order in which they began to hold.
func (c *change) written() []*stated {
	var all []*stated
	for _, n := range c.mentions {
		if m := n.of; m != nil && !n.lost && m.written() && !m.expired && !m.taken && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *stated) int { return cmp.Or(a.since.compare(b.since), bytes.Compare(a.id[:], b.id[:])) })
	return all
}

type slotKey struct {
	speaker
	topic
}

// spanOf gives the span that a memory is now.
func (c *change) spanOf(id memoryID) *span {
	for _, s := range c.spans {
		if s.gone {
			continue
		}
		if s.edited != nil {
			if s.edited.id == id {
				return s
			}
			continue
		}
		if slices.ContainsFunc(s.mentions, func(m *mention) bool { return m.row.memory == id }) {
			return s
		}
	}
	return nil
}

// remember has a memory be there: whoever asked for it to be forgotten does so no more.
func (c *change) remember(id memoryID) {
	memory := c.memories[id]
	if memory == nil {
		return
	}
	for {
		c.fold()
		var asked *request
		if memory.written() {
			asked = memory.forgottenBy
		}
		for _, m := range c.mentions {
			if asked == nil && m.row.memory == id {
				asked = m.forgottenBy
			}
		}
		if asked == nil {
			return
		}
		c.retain(memory.scopeID, memory.hash, asked.sources)
	}
}

// retain has messages end or take away a statement no more.
func (c *change) retain(scopeID int64, hash string, messages []int64) {
	for _, message := range messages {
		r := retained{scopeID, hash, message}
		c.retained[r] = true
		c.w.retained = append(c.w.retained, r)
	}
}

// keep makes a memory hold until a time, or as long as it is remembered if that is nil: what
// ends it before does so no more, whatever is said.
func (c *change) keep(id memoryID, until *time.Time) {
	for c.fold(); ; c.fold() {
		s := c.spanOf(id)
		if s == nil || s.until == nil || until != nil && !s.until.at.at.Before(*until) {
			return
		}
		c.retain(s.claim.scopeID, s.claim.hash, s.until.sources)
	}
}
