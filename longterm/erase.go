package longterm

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/memdhq/memd/postgres"
)

// Said are the messages of a person who is erased, and the sessions they stand in.
type Said struct {
	SessionNos, MessageIDs []int64
}

// Erased says how much of a person the long tier held.
type Erased struct {
	// Memories counts superseded and expired ones too.
	Memories, Vectors, Sources, History int
	// Statements is what was known of what was said, forgotten and taken back.
	Statements int
	// Origins is by what memories that came from elsewhere were known there.
	Origins int
	// MemoryIDs are those of Memories, and of what was deleted before.
	MemoryIDs []uuid.UUID
	// HasNeighbours says that there is something to be tidied up by TidyNeighbours.
	HasNeighbours bool
}

// ErasePerson takes away all that the long tier has of a person, in every app, within tx,
// which must be the tenant's and in which nothing new of the person comes up: memories with
// all that finds them, their history, and what stands against learning them anew. Memories
// that are others' lose the person's messages as sources; one with none left goes, and so
// does what happened to it because of them. by stands in the history of those that stay.
func (s *Store) ErasePerson(ctx context.Context, tx pgx.Tx, tenant, userID string, said Said, by string) (Erased, error) {
	p := &person{tenant: tenant, user: userID, said: said}
	err := p.lock(ctx, tx)
	if err == nil {
		err = p.leaveOthers(ctx, tx, s, by)
	}
	if err == nil {
		err = p.erase(ctx, tx)
	}
	return p.done, postgres.Err("longterm.erase_person", err)
}

// TidyNeighbours drops the empty tables that the neighbours of erased scopes stood in. It
// keeps searches waiting for a moment, and is no part of an erasure.
func (s *Store) TidyNeighbours(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, neighboursTidy)
	return postgres.Err("longterm.tidy_neighbours", err)
}

const reasonErased = "a person was erased"

// erasedAtOnce is how many ids one statement names.
const erasedAtOnce = 10_000

// person is one call of ErasePerson.
type person struct {
	tenant, user string
	said         Said
	// scopes are the person's, elsewhere the memories of others that messages of theirs state,
	// and shared those messages.
	scopes    []int64
	elsewhere []memoryID
	shared    []int64
	// stated are messages that what is gone was made of, which may have left the log.
	stated map[int64]bool
	done   Erased
}

// lock takes the locks of the person's identities and of those that hold something of theirs.
func (p *person) lock(ctx context.Context, tx pgx.Tx) error {
	var keys [][]byte
	b := &pgx.Batch{}
	b.Queue(pinPlans)
	b.Queue(personKeys, p.tenant, p.user, p.said.SessionNos).Query(collectKeys(&keys))
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	b = &pgx.Batch{}
	queueLocks(b, p.tenant, keys)
	b.Queue(personScopes, p.tenant, p.user).Query(func(rows pgx.Rows) error {
		var id int64
		var large bool
		_, err := pgx.ForEachRow(rows, []any{&id, &large}, func() error {
			p.scopes, p.done.HasNeighbours = append(p.scopes, id), p.done.HasNeighbours || large
			return nil
		})
		return err
	})
	b.Queue(heldElsewhere, p.tenant, p.user, p.said.SessionNos).Query(func(rows pgx.Rows) error {
		var id memoryID
		var message int64
		_, err := pgx.ForEachRow(rows, []any{&id, &message}, func() error {
			p.elsewhere, p.shared = append(p.elsewhere, id), append(p.shared, message)
			return nil
		})
		return err
	})
	return tx.SendBatch(ctx, b).Close()
}

// leaveOthers takes the person's messages away as sources of memories that are not theirs.
func (p *person) leaveOthers(ctx context.Context, tx pgx.Tx, s *Store, by string) error {
	if len(p.shared) == 0 {
		return nil
	}
	if _, err := s.Withdraw(ctx, tx, p.tenant, p.shared, by, reasonErased); err != nil {
		return err
	}
	b := &pgx.Batch{}
	b.Queue(pinPlans)
	b.Queue(sourcesErased, p.tenant, p.elsewhere, p.shared).Exec(p.count(&p.done.Sources))
	// Their words stand in the history of what they stated, and in what Withdraw just wrote.
	b.Queue(historyElsewhere, p.tenant, p.elsewhere, p.shared).Exec(p.count(&p.done.History))
	return tx.SendBatch(ctx, b).Close()
}

func (p *person) count(into *int) func(pgconn.CommandTag) error {
	return func(tag pgconn.CommandTag) error {
		*into += int(tag.RowsAffected())
		return nil
	}
}

// collect counts rows of message ids and notes these.
func (p *person) collect(into *int) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var ids []int64
		tag, err := pgx.ForEachRow(rows, []any{&ids}, func() error {
			for _, id := range ids {
				p.stated[id] = true
			}
			return nil
		})
		*into += int(tag.RowsAffected())
		return err
	}
}

func (p *person) erase(ctx context.Context, tx pgx.Tx) error {
	p.stated = map[int64]bool{}
	for _, id := range p.said.MessageIDs {
		p.stated[id] = true
	}
	var memories []memoryID
	b := &pgx.Batch{}
	b.Queue(pinPlans)
	b.Queue(memoriesErased, p.tenant, p.scopes).Query(collectIDs(&memories))
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	for _, id := range memories {
		p.done.MemoryIDs = append(p.done.MemoryIDs, uuid.UUID(id))
	}
	b = &pgx.Batch{}
	if p.done.HasNeighbours {
		// At once, so that the trigger need not look for each.
		b.Queue(neighboursErased, p.tenant, p.scopes)
		b.Queue(neighboursForgotten, p.tenant, p.scopes)
	}
	b.Queue(vectorsErased, p.tenant, p.scopes).Exec(p.count(&p.done.Vectors))
	b.Queue(postingsErased, p.tenant, p.scopes)
	b.Queue(messagePostingsErased, p.tenant, p.scopes)
	for ids := range slices.Chunk(memories, erasedAtOnce) {
		b.Queue(mentionsErased, p.tenant, ids).Query(p.collect(&p.done.Statements))
		b.Queue(sourcesOfErased, p.tenant, ids).Query(p.collect(&p.done.Sources))
		b.Queue(provenanceDelete, p.tenant, ids)
		b.Queue(unembeddedErased, p.tenant, ids)
	}
	b.Queue(requestsErased, p.tenant, p.scopes).Query(p.collect(&p.done.Statements))
	b.Queue(retainedErased, p.tenant, p.scopes).Query(p.collect(&p.done.Statements))
	b.Queue(historyErased, p.tenant, p.scopes).Query(p.collect(&p.done.History))
	b.Queue(originsErased, p.tenant, p.scopes).Exec(p.count(&p.done.Origins))
	b.Queue(memoryErased, p.tenant, p.scopes).Exec(p.count(&p.done.Memories))
	b.Queue(scopesErased, p.tenant, p.scopes)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	messages := make([]int64, 0, len(p.stated))
	for id := range p.stated {
		messages = append(messages, id)
	}
	slices.Sort(messages)
	b = &pgx.Batch{}
	for ids := range slices.Chunk(messages, erasedAtOnce) {
		for _, erase := range []string{overruledErased, requestsOfErased, retainedOfErased} {
			b.Queue(erase, p.tenant, p.user, ids).Exec(p.count(&p.done.Statements))
		}
	}
	b.Queue(unpinPlans)
	return exec(ctx, tx, b)
}

// statedElsewhere gives what messages of sessions $3 state of others than user $2.
const statedElsewhere = `
	  FROM unnest($3::bigint[]) AS k (no)
	 CROSS JOIN LATERAL (SELECT memory_id, message_id FROM memory_source x WHERE x.session_no = k.no AND x.tenant_id = $1 OFFSET 0) x
	 CROSS JOIN LATERAL (SELECT id, scope_id FROM memory m WHERE m.id = x.memory_id AND m.tenant_id = $1 AND m.user_id IS DISTINCT FROM $2 OFFSET 0) m`

const (
	personKeys = `
	SELECT key FROM memory_scope WHERE tenant_id = $1 AND user_id = $2
	UNION
	SELECT s.key` + statedElsewhere + `
	 CROSS JOIN LATERAL (SELECT key FROM memory_scope s WHERE s.id = m.scope_id AND s.tenant_id = $1 OFFSET 0) s`

	personScopes = `SELECT id, neighbour_model IS NOT NULL FROM memory_scope WHERE tenant_id = $1 AND user_id = $2`

	heldElsewhere = `SELECT m.id, x.message_id` + statedElsewhere

	sourcesErased = `DELETE FROM memory_source WHERE tenant_id = $1 AND memory_id = ANY ($2::uuid[]) AND message_id = ANY ($3::bigint[])`

	historyElsewhere = `
	DELETE FROM memory_history h WHERE h.tenant_id = $1 AND h.memory_id = ANY ($2::uuid[])
	   AND (h.message_ids && $3::bigint[] OR h.at >= now() OR (SELECT m.id FROM memory m WHERE m.id = h.memory_id AND m.tenant_id = $1 OFFSET 0) IS NULL)`

	// memoriesErased gives those that are gone already too: something of them may be left.
	memoriesErased = `
	SELECT x.id FROM unnest($2::bigint[]) AS k (id)
	 CROSS JOIN LATERAL (SELECT id FROM memory m WHERE m.scope_id = k.id AND m.tenant_id = $1 OFFSET 0) x
	UNION
	SELECT x.id FROM unnest($2::bigint[]) AS k (id)
	 CROSS JOIN LATERAL (SELECT memory_id AS id FROM memory_history h WHERE h.scope_id = k.id AND h.tenant_id = $1 OFFSET 0) x
	UNION
	SELECT x.id FROM unnest($2::bigint[]) AS k (id)
	 CROSS JOIN LATERAL (SELECT memory_id AS id FROM memory_mention n WHERE n.scope_id = k.id AND n.gone IS NOT NULL AND n.tenant_id = $1 OFFSET 0) x`

	neighboursErased      = `DELETE FROM memory_neighbour WHERE tenant_id = $1 AND scope_id = ANY ($2::bigint[])`
	neighboursForgotten   = `UPDATE memory_scope SET neighbour_model = NULL, neighbours_ready = false WHERE tenant_id = $1 AND id = ANY ($2::bigint[])`
	neighboursTidy        = `SELECT memd_neighbours_tidy()`
	vectorsErased         = `DELETE FROM memory_embedding WHERE tenant_id = $1 AND scope_id = ANY ($2::bigint[])`
	postingsErased        = `DELETE FROM memory_posting WHERE tenant_id = $1 AND scope_id = ANY ($2::bigint[])`
	messagePostingsErased = `DELETE FROM message_posting WHERE tenant_id = $1 AND scope_id = ANY ($2::bigint[])`
	mentionsErased        = `DELETE FROM memory_mention WHERE tenant_id = $1 AND memory_id = ANY ($2::uuid[]) RETURNING sources`
	sourcesOfErased       = `DELETE FROM memory_source WHERE tenant_id = $1 AND memory_id = ANY ($2::uuid[]) RETURNING ARRAY[message_id]`
	unembeddedErased      = `DELETE FROM embedding_open WHERE tenant_id = $1 AND memory_id = ANY ($2::uuid[])`
	requestsErased        = `DELETE FROM memory_forgotten WHERE tenant_id = $1 AND scope_id = ANY ($2::bigint[]) RETURNING sources`
	retainedErased        = `DELETE FROM memory_retained WHERE tenant_id = $1 AND scope_id = ANY ($2::bigint[]) RETURNING ARRAY[message_id]`
	historyErased         = `DELETE FROM memory_history WHERE tenant_id = $1 AND scope_id = ANY ($2::bigint[]) RETURNING message_ids`
	originsErased         = `DELETE FROM memory_origin WHERE tenant_id = $1 AND scope_id = ANY ($2::bigint[])`
	memoryErased          = `DELETE FROM memory WHERE tenant_id = $1 AND scope_id = ANY ($2::bigint[])`
	scopesErased          = `DELETE FROM memory_scope WHERE tenant_id = $1 AND id = ANY ($2::bigint[])`

	// notAnothers holds what is known of messages to those that are not in the log any more,
	// or are the person's.
	notAnothers = ` AND (SELECT c.id FROM conversation_context c WHERE c.id = o.message_id AND c.tenant_id = $1 AND c.user_id <> $2 OFFSET 0) IS NULL`

	overruledErased  = `DELETE FROM memory_overruled o WHERE o.tenant_id = $1 AND o.message_id = ANY ($3::bigint[])` + notAnothers
	requestsOfErased = `DELETE FROM memory_forgotten o WHERE o.tenant_id = $1 AND o.message_id = ANY ($3::bigint[])` + notAnothers
	retainedOfErased = `DELETE FROM memory_retained o WHERE o.tenant_id = $1 AND o.message_id = ANY ($3::bigint[])` + notAnothers
)
