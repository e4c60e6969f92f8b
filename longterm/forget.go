package longterm

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Why a memory went, or stayed with fewer sources, as the history has it.
const (
	reasonDeleted = "deleted"
	reasonEdited  = "edited: " // and what of it
	reasonLess    = "a source was forgotten"
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
		_, err = (&loss{tenant: tenant, by: by, reason: reasonDeleted, overrule: overruleSlot, undoable: true}).take(ctx, tx, ids)
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
		return 0, memd.InvalidField("user_id", "one of user_id, agent_id, run_id and app_id is required")
	}
	sel.everything = true
	n, err := forget(ctx, tx, sel, f.DryRun, by)
	return n, postgres.Err("longterm.forget", err)
}

func forget(ctx context.Context, tx pgx.Tx, sel selection, dry bool, by string) (int, error) {
	b := &pgx.Batch{}
	b.Queue(pinPlans)
	var keys [][]byte
	if !dry {
		keys = [][]byte{} // none, not all
		queue(b, sel.keysStatement()).Query(collectKeys(&keys))
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return 0, err
		}
		b = &pgx.Batch{}
		queueLocks(b, sel.tenant, keys)
	}
	var found []memoryID
	queue(b, sel.idsStatement(keys)).Query(collectIDs(&found))
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return 0, err
	}
	l := &loss{tenant: sel.tenant, by: by, reason: reasonDeleted, less: reasonLess, overrule: overruleSlot, sources: sel.sources(), dry: dry}
	if sel.filters.Empty() {
		l.overrule = overruleAll
	} else {
		l.undoable = l.sources == nil
	}
	n, err := l.take(ctx, tx, found)
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

// idsStatement gives what is selected, of the locked identities if that is not nil: what
// others have come to hold since they were locked was said after this.
func (s selection) idsStatement(locked [][]byte) *statement {
	st := &statement{}
	st.write("SELECT m.id FROM ", s.memories(st))
	if locked != nil {
		st.write(" WHERE m.scope_id = ANY (ARRAY(SELECT id FROM memory_scope WHERE tenant_id = ", st.bind(s.tenant, "text"),
			" AND key = ANY (", st.bind(locked, "bytea[]"), ")))")
	}
	return st
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
