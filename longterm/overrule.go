package longterm

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/lexical"
	"github.com/memdhq/memd/postgres"
)

// overruled is a statement that a message no longer brings about, since a person took it
// away or rewrote it.
type overruled struct {
	message int64
	// hash is the statement's; "" stands for all that the message states.
	hash string
	// slot is the topic it is about, if that can be updated: nothing else about it is
	// learned from the message either. "" for none.
	slot string
	// alone says that the message stated nothing else: nothing is learned from it any more.
	alone bool
	// terms are those of the statement, by which it is known in other words.
	terms []int32
}

// covers says whether a message does not bring about a statement, by any of its hashes.
func (o overruled) covers(message int64, hashes []string, slot string) bool {
	return o.message == message && (o.hash == "" || slices.Contains(hashes, o.hash) || o.slot != "" && o.slot == slot)
}

// unruled gives those of the sources of a statement, or of a request, that still bring it
// about. Of a message that states other things too a statement is taken for what was overruled
// if it shares more of its words with that than with any of those, and half of the fewer.
func (f *learning) unruled(m *mention, sources []int64, request bool) []int64 {
	if len(f.overruled) == 0 {
		return slices.Clone(sources)
	}
	sources = left(f.overruled, sources, []string{m.hash, m.former}, m.about())
	if request {
		return sources
	}
	terms := termsOf(m.text)
	sources = slices.DeleteFunc(sources, func(id int64) bool {
		like := 0.0
		for _, o := range f.overruled {
			if o.message == id {
				like = max(like, likeness(terms, o.terms))
			}
		}
		return like >= 0.5 && !slices.ContainsFunc(f.mentions, func(n *mention) bool {
			return n.row.message != 0 && n.gone == "" && n.writtenOver == nil && slices.Contains(n.sources, id) && likeness(terms, termsOf(n.text)) >= like
		})
	})
	for _, id := range sources {
		alone := slices.ContainsFunc(f.overruled, func(o overruled) bool { return o.message == id && o.alone })
		if f.origins[id].role == m.role && !alone {
			return sources
		}
	}
	return nil
}

func termsOf(text string) (all []int32) {
	for _, t := range lexical.QueryTerms(lexical.Normalise(text)) {
		all = append(all, t.Hash)
	}
	return all
}

// likeness gives how much of the fewer of two lists of terms, sorted, is in the other.
func likeness(a, b []int32) float64 {
	both := 0
	for _, t := range a {
		if _, in := slices.BinarySearch(b, t); in {
			both++
		}
	}
	return float64(both) / float64(max(1, min(len(a), len(b))))
}

// ruling completes what is overruled of memories that go or are rewritten: by their terms,
// and whether the messages state anything else.
func ruling(ctx context.Context, tx pgx.Tx, tenant string, all []overruled, of []*held) error {
	if len(all) == 0 {
		return nil
	}
	var messages []int64
	for _, o := range all {
		messages = append(messages, o.message)
	}
	ids := make([]memoryID, len(of))
	terms := map[string][]int32{}
	for i, h := range of {
		ids[i], terms[h.hash] = h.id, termsOf(h.text)
	}
	slices.Sort(messages)
	rows, err := tx.Query(ctx, otherwiseStated, tenant, slices.Compact(messages), ids)
	if err != nil {
		return err
	}
	others, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	for i, o := range all {
		if o.hash != "" {
			all[i].alone, all[i].terms = !slices.Contains(others, o.message), terms[o.hash]
		}
	}
	return nil
}

// otherwiseStated gives those of the messages $2 that state memories beside $3.
const otherwiseStated = `
	SELECT k.id FROM unnest($2::bigint[]) AS k (id)
	 WHERE EXISTS (SELECT FROM memory_source x WHERE x.message_id = k.id AND x.tenant_id = $1 AND NOT x.memory_id = ANY ($3::uuid[]) OFFSET 0)`

// left gives those of the sources of a statement that still bring it about.
func left(all []overruled, sources []int64, hashes []string, slot string) []int64 {
	if len(all) == 0 {
		return sources
	}
	return slices.DeleteFunc(slices.Clone(sources), func(id int64) bool {
		return slices.ContainsFunc(all, func(o overruled) bool { return o.covers(id, hashes, slot) })
	})
}

func queueOverruled(b *pgx.Batch, tenant string, all []overruled) {
	if len(all) == 0 {
		return
	}
	// One statement must not name a row twice.
	rows := map[[2]any]overruled{}
	for _, o := range all {
		k := [2]any{o.message, o.hash}
		if was, ok := rows[k]; ok && was.slot != "" {
			continue
		}
		rows[k] = o
	}
	var messages []int64
	var hashes []string
	var slots []*string
	var alone []bool
	var terms []string
	for _, o := range rows {
		messages, hashes, slots = append(messages, o.message), append(hashes, o.hash), append(slots, some(o.slot))
		alone, terms = append(alone, o.alone), append(terms, termsLiteral(o.terms))
	}
	b.Queue(overruledInsert, tenant, messages, hashes, slots, alone, terms)
	queueUnsum(b, tenant, messages)
}

// Unrule forgets, within tx, which must be the tenant's, what persons said of statements
// in messages: for messages whose words are gone.
func (s *Store) Unrule(ctx context.Context, tx pgx.Tx, tenant string, messages []int64) error {
	b := &pgx.Batch{}
	b.Queue(overruledDelete, tenant, messages)
	b.Queue(retainedDelete, tenant, messages)
	return postgres.Err("longterm.unrule", exec(ctx, tx, b))
}

const overruledDelete = `DELETE FROM memory_overruled WHERE tenant_id = $1 AND message_id = ANY ($2::bigint[])`

const retainedDelete = `DELETE FROM memory_retained WHERE tenant_id = $1 AND message_id = ANY ($2::bigint[])`
