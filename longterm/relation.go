package longterm

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/lexical"
	"github.com/memdhq/memd/postgres"
)

// Relations gives what memories, by id, say of how one thing stands to another, in the
// order of ids: at most one relation each, none where a memory has no slot, denies, or
// does not say what the slot holds. Ids of no memory are passed over.
func (s *Store) Relations(ctx context.Context, tenant string, ids []string) ([]memd.Relation, error) {
	relations := []memd.Relation{}
	var of []memoryID
	for _, id := range ids {
		if m, err := parseID(id); err == nil {
			of = append(of, m)
		}
	}
	if len(of) == 0 {
		return relations, nil
	}
	err := s.read(ctx, "longterm.relations", tenant, func(b *pgx.Batch) {
		b.Queue(relationSelect, tenant, of).Query(func(rows pgx.Rows) error {
			var m related
			_, err := pgx.ForEachRow(rows, m.fields(), func() error {
				if r, ok := m.relation(); ok {
					relations = append(relations, r)
				}
				return nil
			})
			return err
		})
	})
	return relations, err
}

// Related gives up to limit current memories of the same identity that have to do with
// what a memory relates, with their relations and its own: those that say something of
// the same things, or hold of another what it holds, those of the same subject last; the
// newest first. The error is NotFound as of Get.
func (s *Store) Related(ctx context.Context, tenant string, ref Ref, limit int) ([]memd.Memory, []memd.Relation, error) {
	if _, err := s.Get(ctx, tenant, ref.ID, ref.Check); err != nil {
		return nil, nil, err
	}
	id, err := parseID(ref.ID)
	if err != nil {
		return nil, nil, err
	}
	var all []related
	err = s.read(ctx, "longterm.related", tenant, func(b *pgx.Batch) {
		b.Queue(relatedSelect, tenant, id).Query(func(rows pgx.Rows) error {
			var m related
			_, err := pgx.ForEachRow(rows, m.fields(), func() error {
				all = append(all, m)
				return nil
			})
			return err
		})
	})
	if err != nil {
		return nil, nil, err
	}
	var self memd.Relation
	known := false
	for _, m := range all {
		if m.id == id {
			self, known = m.relation()
		}
	}
	memories, relations := []memd.Memory{}, []memd.Relation{}
	if !known {
		return memories, relations, nil
	}
	relations = append(relations, self)
	type hit struct {
		memd.Relation
		near int
	}
	var hits []hit
	for _, m := range all { // the newest first
		if r, ok := m.relation(); ok && m.id != id && m.current {
			if near := nearness(self, r); near > 0 {
				hits = append(hits, hit{r, near})
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.near, a.near) })
	hits = hits[:min(limit, len(hits))]
	refs := make([]Ref, len(hits))
	for i, h := range hits {
		refs[i] = Ref{ID: h.MemoryID}
	}
	found, err := s.Find(ctx, tenant, refs)
	if err != nil {
		return nil, nil, postgres.Err("longterm.related", err)
	}
	for i, m := range found {
		if m != nil { // it may have gone meanwhile
			memories, relations = append(memories, *m), append(relations, hits[i].Relation)
		}
	}
	return memories, relations, nil
}

// nearness says how much two relations have to do with each other, 0 for nothing.
func nearness(a, b memd.Relation) int {
	same := func(a, b string) bool { return lexical.Canonical(a) == lexical.Canonical(b) }
	switch {
	case same(a.Target, b.Source), same(a.Source, b.Target):
		return 3
	case same(a.Target, b.Target):
		return 2
	case same(a.Source, b.Source):
		return 1
	}
	return 0
}

// related is what of a memory makes a relation.
type related struct {
	id                                memoryID
	actor, role, slot, subject, value string
	negated, current                  bool
}

func (m *related) fields() []any {
	return []any{&m.id, &m.actor, &m.role, &m.slot, &m.subject, &m.value, &m.negated, &m.current}
}

// relation makes subject, relation and object of a slot: the speaker or whose slot it is,
// what kind of slot, and its value, or what the name of the slot holds of it.
func (m *related) relation() (memd.Relation, bool) {
	if m.slot == "" || m.negated {
		return memd.Relation{}, false
	}
	kind, rest, _ := strings.Cut(m.slot, ":")
	target := m.value
	switch {
	case target == "":
		target = rest
	case rest != "":
		kind += " " + rest
	}
	if target == "" {
		return memd.Relation{}, false
	}
	return memd.Relation{Source: cmp.Or(m.subject, m.actor, m.role), Relationship: strings.ReplaceAll(kind, " ", "_"), Target: target,
		MemoryID: uuid.UUID(m.id).String()}, true
}
