package longterm

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

// held is a memory as it stands while it is changed, under the lock of its identity.
type held struct {
	newMemory
	validTo      *time.Time
	supersededBy *memoryID
	pinned       bool
	// storedHash is the hash that its row has: one that was stored before texts were compared
	// as they are now may have another than its text.
	storedHash string
	// edited are the fields that a person set and sources do not change.
	edited []string
	// sources are the ids of the messages that state it, ascending; origins are those
	// of them that are in the log, if they were read.
	sources []int64
	origins map[int64]origin
}

// The fields of a memory that a person may set.
const (
	fieldMemory     = "memory"
	fieldMetadata   = "metadata"
	fieldCategories = "categories"
	fieldExpiresAt  = "expires_at"
	fieldPinned     = "pinned"
	// fieldAbout is the topic of a text that a person wrote, where it is known by reading it.
	fieldAbout = "about"
)

// heldColumns are those of a row m that held takes.
const heldColumns = `m.id, m.scope_id, coalesce(m.app_id, ''), coalesce(m.user_id, ''), m.agent_ids, m.run_ids, coalesce(m.actor_id, ''), m.role,
	coalesce(m.scope, ''), coalesce(m.memory_type, ''), m.categories, m.metadata, m.memory, m.hash, m.verbatim, m.negated, coalesce(m.slot, ''), m.subject, m.value,
	coalesce(m.extractor, ''), m.valid_from, m.occurred_at, m.expires_at, m.valid_to, m.superseded_by, m.pinned, m.edited`

// scan reads heldColumns, and more after them.
func (h *held) scan(rows pgx.Rows, more ...any) error {
	err := rows.Scan(append(h.fields(), more...)...)
	h.storedHash = h.hash
	h.hash = hashOf(h.text)
	return err
}

func (h *held) fields() []any {
	return []any{
		&h.id, &h.scopeID, &h.app, &h.user, &h.agents, &h.runs, &h.actor, &h.role,
		&h.scope, &h.memType, &h.categories, &h.metadata, &h.text, &h.hash, &h.verbatim, &h.negated, &h.slot, &h.subject, &h.value,
		&h.extractor, &h.validFrom, &h.occurredAt, &h.expiresAt, &h.validTo, &h.supersededBy, &h.pinned, &h.edited,
	}
}

// set says whether a person set a field.
func (h *held) set(field string) bool { return slices.Contains(h.edited, field) }

// permits says whether h has the user and agent of a permission check, where set.
func (h *held) permits(check memd.Scope) bool {
	return (check.UserID == "" || check.UserID == h.user) && (check.AgentID == "" || slices.Contains(h.agents, check.AgentID))
}

// heldOf reads memories by id, those that are there, and with origins what the log knows
// of their sources.
func heldOf(ctx context.Context, tx pgx.Tx, tenant string, ids []memoryID, origins bool) ([]*held, error) {
	var all []*held
	byID := make(map[memoryID]*held, len(ids))
	b := &pgx.Batch{}
	b.Queue(heldSelect, tenant, ids).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			h := &held{origins: map[int64]origin{}}
			if err := h.scan(rows, &h.sources); err != nil {
				return err
			}
			slices.Sort(h.sources)
			if byID[h.id] == nil {
				byID[h.id] = h
				all = append(all, h)
			}
		}
		return rows.Err()
	})
	if origins {
		b.Queue(heldSources, tenant, ids).Query(func(rows pgx.Rows) error {
			var id memoryID
			return scanOrigins(rows, &id, func(id memoryID, o origin) {
				if h := byID[id]; h != nil {
					h.origins[o.message] = o
				}
			})
		})
	}
	return all, tx.SendBatch(ctx, b).Close()
}

// -------------------------------------------------------------------- sources

// saidAt orders what was said: by time, then session, then place in it, then place in
// the message. Nothing in it depends on when it arrived.
type saidAt struct {
	at       time.Time
	session  string
	position int
	part     int
}

func (a saidAt) compare(b saidAt) int {
	return cmp.Or(a.at.Compare(b.at), strings.Compare(a.session, b.session),
		cmp.Compare(a.position, b.position), cmp.Compare(a.part, b.part))
}

// origin is a message as a source of memories.
type origin struct {
	message   int64
	said      saidAt
	sessionNo int64
	role      string
	agent     string
	run       string
	metadata  []byte
	learnAs   *memd.LearnAs
}

func (o origin) compare(p origin) int {
	return cmp.Or(o.said.compare(p.said), cmp.Compare(o.message, p.message))
}

// scanOrigins reads sourceColumns, with the id of a memory before them unless memory
// is nil.
func scanOrigins(rows pgx.Rows, memory *memoryID, each func(memoryID, origin)) error {
	var o origin
	var agent *string
	var isRun bool
	var learnAs []byte
	into := []any{&o.message, &o.said.at, &o.sessionNo, &o.said.session, &o.said.position, &o.role, &agent, &o.metadata, &learnAs, &isRun}
	if memory != nil {
		into = append([]any{memory}, into...)
	}
	_, err := pgx.ForEachRow(rows, into, func() error {
		got := o
		got.metadata = bytes.Clone(o.metadata)
		if agent != nil {
			got.agent = *agent
		}
		if isRun {
			got.run = o.said.session
		}
		if learnAs != nil {
			if err := json.Unmarshal(learnAs, &got.learnAs); err != nil {
				return err
			}
		}
		if memory != nil {
			each(*memory, got)
		} else {
			each(memoryID{}, got)
		}
		return nil
	})
	return err
}

// inOrder gives the origins, earliest said first.
func inOrder(origins map[int64]origin) []origin {
	all := make([]origin, 0, len(origins))
	for _, o := range origins {
		all = append(all, o)
	}
	slices.SortFunc(all, origin.compare)
	return all
}

// carried gives the agents and runs of sources in order, each once.
func carried(inOrder []origin) (agents, runs []string) {
	for _, o := range inOrder {
		if o.agent != "" && !slices.Contains(agents, o.agent) {
			agents = append(agents, o.agent)
		}
		if o.run != "" && !slices.Contains(runs, o.run) {
			runs = append(runs, o.run)
		}
	}
	return agents, runs
}

// wanted brings together what the callers of sources in order want of what is learned:
// the first type, scope and time of happening, all categories, and an end only where all
// of them want one, then the latest.
func wanted(inOrder []origin) memd.LearnAs {
	var all memd.LearnAs
	ends := len(inOrder) > 0
	for _, o := range inOrder {
		w := o.learnAs
		if w == nil {
			ends = false
			continue
		}
		all.MemoryType, all.Scope = cmp.Or(all.MemoryType, w.MemoryType), cmp.Or(all.Scope, w.Scope)
		all.OccurredAt = cmp.Or(all.OccurredAt, w.OccurredAt)
		all.Categories = union(all.Categories, w.Categories)
		if w.ExpiresAt == nil {
			ends = false
		} else if all.ExpiresAt == nil || w.ExpiresAt.After(*all.ExpiresAt) {
			all.ExpiresAt = w.ExpiresAt
		}
	}
	if !ends {
		all.ExpiresAt = nil
	}
	return all
}

// union gives a list and what of another it has not.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return all
}

// draw makes what a memory takes from its sources, in order, and from the first of its
// mentions. What a person set stays, save that metadata gains what the sources in added
// bring and it has not.
func (h *held) draw(first *mention, now, added []origin) {
	h.agents, h.runs = carried(now)
	if h.set(fieldMetadata) {
		h.metadata = mergeJSON(h.metadata, merged(added))
	} else {
		h.metadata = merged(now)
	}
	w := wanted(now)
	h.memType, h.scope = w.MemoryType, w.Scope
	switch {
	case h.set(fieldCategories):
	case h.set(fieldMemory): // not those of the words that it replaced
		h.categories = union(h.categories, wanted(added).Categories)
	default:
		h.categories = union(w.Categories, first.categories)
	}
	if !h.set(fieldExpiresAt) {
		h.expiresAt = w.ExpiresAt
	}
	h.occurredAt = cmp.Or(w.OccurredAt, first.occurredAt)
}

// widen adds what sources bring to a memory that has others of which nothing is known any
// more.
func (h *held) widen(now, added []origin) {
	agents, runs := carried(now)
	h.agents, h.runs = union(h.agents, agents), union(h.runs, runs)
	h.metadata = mergeJSON(h.metadata, merged(added))
	if !h.set(fieldCategories) {
		h.categories = union(h.categories, wanted(added).Categories)
	}
}

// ---------------------------------------------------------------------- locks

// maxLocks is the most identities that one change locks one by one: the server has room
// for some thousands of locks in all.
const maxLocks = 256

// queueLocks waits for the locks of identities, by their keys, in the order in which
// everyone takes them. Many identities are locked as the whole tenant.
func queueLocks(b *pgx.Batch, tenant string, keys [][]byte) {
	whole := sha256.Sum256(append(binary.AppendUvarint(nil, uint64(len(tenant))), tenant...))
	if len(keys) > maxLocks {
		b.Queue(lockTenant, lock(whole))
		return
	}
	locks := make([]int64, len(keys))
	for i, key := range keys {
		locks[i] = lock([sha256.Size]byte(key))
	}
	slices.Sort(locks)
	b.Queue(shareTenant, lock(whole))
	b.Queue(lockScopes, slices.Compact(locks))
}
