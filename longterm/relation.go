package longterm

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
// newest first. That the same speaker says something of himself is no relation, nor is one
// speaker's sister another's. The error is NotFound as of Get.
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
	var its related
	known := false
	for _, m := range all {
		if m.id == id {
			its = m
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
			if near := nearness(its, m, self.Target, r.Target); near > 0 {
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

// nearness says how much two memories, which hold what is given, have to do with each
// other, 0 for nothing.
func nearness(a, b related, holdsA, holdsB string) int {
	same := func(a, b string) bool { return lexical.Canonical(a) == lexical.Canonical(b) }
	is := func(target string, of related) bool {
		name := cmp.Or(of.subject, of.actor)
		return name != "" && relations[of.subject] == nil && same(target, name)
	}
	switch {
	case is(holdsA, b), is(holdsB, a):
		return 3
	case same(holdsA, holdsB):
		return 2
	case a.subject != "" && same(a.subject, b.subject) && (relations[a.subject] == nil || a.actor == b.actor && a.role == b.role):
		return 1
	}
	return 0
}

// related is what of a memory makes a relation.
type related struct {
	id                                      memoryID
	actor, role, slot, subject, value, text string
	negated, current                        bool
}

func (m *related) fields() []any {
	return []any{&m.id, &m.actor, &m.role, &m.slot, &m.subject, &m.value, &m.negated, &m.current, &m.text}
}

// relation makes subject, relation and object of a slot: the speaker or whose slot it is,
// what kind of slot, and its value, or what the name of the slot holds of it.
func (m *related) relation() (memd.Relation, bool) {
	if m.slot == "" || m.negated {
		return memd.Relation{}, false
	}
	kind, rest, _ := strings.Cut(m.slot, ":")
	target := m.value
	if kind == "does" || kind == "date" && relativeTime.MatchString(target) {
		return memd.Relation{}, false // words that can only be over, a day that nobody can tell
	}
	if day, hour := dayAndHour(target); kind == "date" && day == "" && hour != "" {
		kind = "time"
	}
	if _, period := frequencyOf(lexical.Canonical(target)); kind == "habit" && period != "" {
		target = "" // how often is not what
	}
	switch {
	case target == "":
		target = spelledIn(m.text, rest)
	case rest != "":
		kind += " " + rest
	}
	if target == "" {
		return memd.Relation{}, false
	}
	source := cmp.Or(m.subject, m.actor, m.role)
	if m.actor != "" && relations[m.subject] != nil {
		source = m.actor + "'s " + m.subject
	}
	return memd.Relation{Source: source, Relationship: strings.ReplaceAll(kind, " ", "_"), Target: target,
		MemoryID: uuid.UUID(m.id).String()}, true
}

// relativeTime is a time that is another with each day.
var relativeTime = regexp.MustCompile(`(?i)\b(?:today|tonight|tomorrow|yesterday|next|this|last|coming|ago|soon|later|monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|in (?:a|an|\d+|two|three|four|five|six) \pL+)\b`)

// spelledIn gives a name, which is in lower case, as a text spells it.
func spelledIn(text, name string) string {
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) }
	for i := range text {
		if before, _ := utf8.DecodeLastRuneInString(text[:i]); i > 0 && letter(before) {
			continue
		}
		end := i
		for range name {
			_, n := utf8.DecodeRuneInString(text[end:])
			end += n
		}
		if after, n := utf8.DecodeRuneInString(text[end:]); strings.EqualFold(text[i:end], name) && (n == 0 || !letter(after)) {
			return text[i:end]
		}
	}
	return name
}
