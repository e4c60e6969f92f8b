package longterm

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Why a memory went, or changed because something else went, as the history has it.
const (
	reasonDeleted   = "deleted"
	reasonWithdrawn = "a source was taken away"
	reasonCurrent   = "what took its place was taken back"
)

// Delete removes one memory; see DeleteEach.
func (s *Store) Delete(ctx context.Context, tenant, id string, check memd.Scope, by string) error {
	return s.DeleteEach(ctx, tenant, []Ref{{id, check}}, by)
}

// DeleteEach removes memories and all that finds them, all or none; their history stays,
// with by as who did it. The error is Absent if one of them is not there, or not the
// user's or agent's of its check.
//
// It stands against the same sources for good: the messages that state such a memory do
// not bring it about again. The same said in another message is new. What such a memory
// took the place of does not come back: that it was no longer so has been said, whether or
// not what came instead is to be kept.
func (s *Store) DeleteEach(ctx context.Context, tenant string, refs []Ref, by string) error {
	return s.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		found, err := hold(ctx, tx, tenant, refs)
		if err != nil || len(found) == 0 {
			return err
		}
		ids := make([]memoryID, len(found))
		for i, h := range found {
			ids[i] = h.id
		}
		_, err = (&loss{tenant: tenant, by: by, reason: reasonDeleted, overrule: anything}).take(ctx, tx, ids)
		return postgres.Err("longterm.delete", err)
	})
}

// hold takes the locks of memories and reads them, in the order of refs. The error is
// Absent if one is not there.
func hold(ctx context.Context, tx pgx.Tx, tenant string, refs []Ref) ([]*held, error) {
	ids := make([]memoryID, len(refs))
	for i, r := range refs {
		ids[i], _ = parseID(r.ID) // what is no id is found nowhere
	}
	if err := lockMemories(ctx, tx, tenant, ids); err != nil {
		return nil, err
	}
	all, err := heldOf(ctx, tx, tenant, ids, false)
	if err != nil {
		return nil, err
	}
	byID := make(map[memoryID]*held, len(all))
	for _, h := range all {
		byID[h.id] = h
	}
	found := make([]*held, len(refs))
	var absent []int
	for i, r := range refs {
		if h := byID[ids[i]]; h != nil && h.permits(r.Check) {
			found[i] = h
		} else {
			absent = append(absent, i)
		}
	}
	if absent != nil {
		return nil, &Absent{absent}
	}
	return found, nil
}

// lockMemories pins plans and takes the locks of memories by id.
func lockMemories(ctx context.Context, tx pgx.Tx, tenant string, ids []memoryID) error {
	var keys [][]byte
	b := &pgx.Batch{}
	b.Queue(pinPlans)
	b.Queue(heldKeys, tenant, ids).Query(collectKeys(&keys))
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	b = &pgx.Batch{}
	queueLocks(b, tenant, keys)
	return exec(ctx, tx, b)
}

func collectKeys(into *[][]byte) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, pgx.RowTo[[]byte])
		return err
	}
}

func collectIDs(into *[]memoryID) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, pgx.RowTo[memoryID])
		return err
	}
}

// Forgetting says what is to be forgotten.
type Forgetting struct {
	// Scope holds the ids that a memory must carry. One must be there, an app_id alone
	// is enough, or in the filters, unless AllScopes.
	Scope     memd.Scope
	Filters   Filter
	AllScopes bool
	// DryRun counts and changes nothing.
	DryRun bool
}

// Forget removes, within tx, which must be the tenant's, the memories that carry every id
// and pass the filters, superseded and expired ones too, all or none. It says how many
// went, or would go.
//
// Where an agent or a run is asked for, those sources of such a memory go that carry each
// that is asked for. A memory with sources left stays, with the ids, metadata and time
// that these give it; so does one that carries the ids by different sources.
//
// As DeleteEach it stands against the same sources for good. Without filters nothing at
// all is learned from these sources any more.
func (s *Store) Forget(ctx context.Context, tx pgx.Tx, tenant string, f Forgetting, by string) (int, error) {
	scope, filters := f.Filters.narrow(f.Scope)
	_, apps := filters.oneOf("app_id")
	sel, err := newSelection(tenant, f.Scope, f.Filters, f.AllScopes || scope.AppID != "" || apps)
	if err != nil {
		return 0, err
	}
	sel.everything = true
	n, err := forget(ctx, tx, sel, f.DryRun, by)
	return n, postgres.Err("longterm.forget", err)
}

func forget(ctx context.Context, tx pgx.Tx, sel selection, dry bool, by string) (int, error) {
	b := &pgx.Batch{}
	b.Queue(pinPlans)
	if !dry {
		var keys [][]byte
		queue(b, sel.keysStatement()).Query(collectKeys(&keys))
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return 0, err
		}
		b = &pgx.Batch{}
		queueLocks(b, sel.tenant, keys)
	}
	var ids []memoryID
	queue(b, sel.idsStatement()).Query(collectIDs(&ids))
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return 0, err
	}
	l := &loss{tenant: sel.tenant, by: by, reason: reasonDeleted, overrule: anything, sources: sel.sources(), dry: dry}
	if sel.filters.Empty() {
		l.overrule = everything
	}
	n, err := l.take(ctx, tx, ids)
	if err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, unpinPlans)
	return n, err
}

// keysStatement gives the identities that hold what is selected.
func (s selection) keysStatement() *statement {
	st := &statement{}
	scopes := s.scopes(st)
	return st.write("SELECT c.key FROM (", scopes, ") s CROSS JOIN LATERAL (SELECT key FROM memory_scope WHERE id = s.id AND tenant_id = ", st.bind(s.tenant, "text"), " OFFSET 0) c")
}

func (s selection) idsStatement() *statement {
	st := &statement{}
	return st.write("SELECT m.id FROM ", s.memories(st))
}

// sources gives the condition on those sources of the selected memories that are meant;
// nil means all.
func (s selection) sources() func(int64, *origin) bool {
	agents, byAgent := s.asked("agent_id", s.scope.AgentID)
	runs, byRun := s.asked("run_id", s.scope.RunID)
	if !byAgent && !byRun {
		return nil
	}
	return func(_ int64, o *origin) bool {
		// Of what is no longer in the log nothing else is known than that the memory carries
		// the ids.
		return o == nil || (!byAgent || slices.Contains(agents, o.agent)) && (!byRun || slices.Contains(runs, o.run))
	}
}

// asked gives the values of which an id must have one.
func (s selection) asked(field, id string) ([]string, bool) {
	if id != "" {
		return []string{id}, true
	}
	return s.filters.oneOf(field)
}

// Withdraw takes messages away as sources of whatever they state, within tx, which must be
// the tenant's, and from the index of what was said around memories. It is for messages
// that are edited or deleted, to be called before the log changes. A memory with sources
// left stays, with what these give it; its words and what a person set stay. One with none
// left goes, and so does one with none left by who says it: a question without its
// answer states nothing. It says how many went.
//
// A memory that one of these took the place of is current again, unless something else
// that is still there took the place of that in turn.
func (s *Store) Withdraw(ctx context.Context, tx pgx.Tx, tenant string, messages []int64, by, reason string) (gone int, err error) {
	if len(messages) == 0 {
		return 0, nil
	}
	gone, err = withdraw(ctx, tx, tenant, messages, by, reason)
	return gone, postgres.Err("longterm.withdraw", err)
}

func withdraw(ctx context.Context, tx pgx.Tx, tenant string, messages []int64, by, reason string) (int, error) {
	messages = slices.Compact(slices.Sorted(slices.Values(messages)))
	var rows []messageRow
	var of []identity
	var holders []memoryID
	locked := map[string]bool{}
	var keys [][]byte
	lockKey := func(key []byte) {
		if !locked[string(key)] {
			locked[string(key)] = true
			keys = append(keys, key)
		}
	}
	readHolders := func(b *pgx.Batch) {
		holders = nil
		b.Queue(messageHolders, tenant, messages).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				var id memoryID
				var key []byte
				if err := rows.Scan(&id, &key); err != nil {
					return err
				}
				holders = append(holders, id)
				lockKey(key)
			}
			return rows.Err()
		})
	}
	b := &pgx.Batch{}
	b.Queue(pinPlans)
	b.Queue(withdrawnSelect, tenant, messages).Query(func(r pgx.Rows) error {
		for r.Next() {
			var scope memd.Scope
			var m messageRow
			var raw []byte
			if err := r.Scan(&scope.UserID, &scope.AgentID, &scope.AppID, &scope.RunID, &m.sessionNo, &m.position, &m.actor, &raw); err != nil {
				return err
			}
			i := identityOf(scope)
			key := i.key(tenant)
			lockKey(key[:])
			m.actor, m.text = clean(m.actor), clean(memd.TextOf(raw))
			rows, of = append(rows, m), append(of, i)
		}
		return r.Err()
	})
	readHolders(b)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return 0, err
	}
	// Whoever learned from the messages meanwhile did so under their identities' locks; only
	// if that was for others' memories are there more to take.
	for done := 0; done < len(keys); {
		b := &pgx.Batch{}
		queueLocks(b, tenant, keys[done:])
		done = len(keys)
		readHolders(b)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return 0, err
		}
	}

	scopes := newIdentities(tenant, of)
	b = &pgx.Batch{}
	b.Queue(scopeSelect, tenant, scopes.keys).Query(scopes.scan)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return 0, err
	}
	for i := range rows {
		rows[i].scopeID = scopes.ids[scopes.at[of[i]]]
	}
	b = &pgx.Batch{}
	queueMessagePostingDelete(b, tenant, rows)
	if err := exec(ctx, tx, b); err != nil {
		return 0, err
	}
	going := func(id int64, _ *origin) bool { _, ok := slices.BinarySearch(messages, id); return ok }
	l := &loss{tenant: tenant, by: by, reason: reason, sources: going, revive: true}
	n, err := l.take(ctx, tx, holders)
	if err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, unpinPlans)
	return n, err
}

// overruling is what of a statement that goes its sources no longer bring about.
type overruling int

const (
	nothing overruling = iota
	// wording is the statement itself, anything also what is said about its slot as well.
	wording
	anything
	// everything is all that the sources state.
	everything
)

// loss takes memories, or sources of them, away.
type loss struct {
	tenant, by, reason string
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
	case nothing:
		return all
	case anything, everything:
		o.slot = h.slot
	}
	for _, id := range others {
		if !slices.Contains(taken, id) {
			o.message = id
			all = append(all, o)
		}
	}
	if l.overrule == everything {
		o.hash, o.slot = "", ""
	}
	for _, id := range taken {
		o.message = id
		all = append(all, o)
	}
	return all
}

// reduce takes sources away from memories that stay.
func (l *loss) reduce(b *pgx.Batch, w *writes, less []*held, taken map[memoryID][]int64) {
	var memories []memoryID
	var messages []int64
	var dropped []provenance
	var drawn []newMemory
	var later []memoryID
	var from []time.Time
	for _, h := range less {
		for _, id := range taken[h.id] {
			memories, messages = append(memories, h.id), append(messages, id)
		}
		w.history = append(w.history, historyRow{memory: h.id, scopeID: h.scopeID, event: EventUpdate, previous: &h.text, text: h.text, hash: h.hash,
			reason: reasonWithdrawn, by: l.by, messages: taken[h.id]})
		before := inOrder(h.origins)
		known := 0 // of those left
		for _, id := range h.sources {
			if _, ok := h.origins[id]; ok && !slices.Contains(taken[h.id], id) {
				known++
			}
		}
		if known < len(h.sources)-len(taken[h.id]) {
			continue // what the log no longer holds of the others cannot be told from what went
		}
		now := slices.DeleteFunc(slices.Clone(before), func(o origin) bool { return slices.Contains(taken[h.id], o.message) })
		agents, runs := h.agents, h.runs
		h.draw(before, now, nil)
		for _, a := range agents {
			if !slices.Contains(h.agents, a) {
				dropped = append(dropped, provenance{"agent", a, h.id})
			}
		}
		for _, r := range runs {
			if !slices.Contains(h.runs, r) {
				dropped = append(dropped, provenance{"run", r, h.id})
			}
		}
		if first := now[0].said.at; first.After(h.validFrom) && !h.set(fieldMemory) {
			h.validFrom = first
			later, from = append(later, h.id), append(from, first)
		}
		drawn = append(drawn, h.newMemory)
	}
	if len(memories) > 0 {
		b.Queue(sourceDelete, l.tenant, memories, messages)
	}
	if len(dropped) > 0 {
		kinds, values, ids := provenanceColumns(dropped)
		b.Queue(provenanceDelete, l.tenant, kinds, values, ids)
	}
	if len(later) > 0 {
		b.Queue(supersededLater, l.tenant, later, from)
	}
	w.drawn = append(w.drawn, drawn...)
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

// DeleteScope forgets all memories that carry every id of scope, in a transaction of its
// own; see Forget.
func (s *Store) DeleteScope(ctx context.Context, tenant string, scope memd.Scope, by string) (n int, err error) {
	err = s.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		n, err = s.Forget(ctx, tx, tenant, Forgetting{Scope: scope}, by)
		return err
	})
	return n, err
}
