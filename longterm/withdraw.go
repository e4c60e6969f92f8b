package longterm

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Withdraw takes messages away as sources of whatever they state, within tx, which must be
// the tenant's, and from the index of what was said around memories. It is for messages
// that are edited or deleted, to be called before the log changes.
//
// Then it is as if they had never been said: a memory stands in the words, with the time
// and all else, of what is left; what they ended or asked to be forgotten is there again;
// a memory with no source left goes. What was made of several messages, an answer with its
// question, a statement with its correction, goes with any of them: the others are to be
// learned from anew. What a person wrote stays as long as a message of who says it is left.
func (s *Store) Withdraw(ctx context.Context, tx pgx.Tx, tenant string, messages []int64, by, reason string) (Withdrawn, error) {
	if len(messages) == 0 {
		return Withdrawn{}, nil
	}
	w := &withdrawal{tenant: tenant, messages: slices.Compact(slices.Sorted(slices.Values(messages))), locked: map[string]bool{}}
	err := w.lock(ctx, tx)
	if err == nil {
		err = w.take(ctx, tx, by, reason)
	}
	slices.Sort(w.done.Bereft)
	w.done.Bereft = slices.Compact(w.done.Bereft)
	return w.done, postgres.Err("longterm.withdraw", err)
}

// Withdrawn is what came of a Withdraw.
type Withdrawn struct {
	// Memories is how many memories went.
	Memories int
	// Bereft are the ids of other messages that stated something, or asked for it to be
	// forgotten, together with those that were withdrawn, ascending: what they state by
	// themselves must be learned anew. Some may have left the log.
	Bereft []int64
}

// withdrawal is one call of Withdraw.
type withdrawal struct {
	tenant   string
	messages []int64
	// rows are what the messages are indexed by, of their identities.
	rows []messageRow
	of   []identity
	// holders are the memories that they state.
	holders []memoryID
	scopes  []int64
	keys    [][]byte
	locked  map[string]bool
	done    Withdrawn
}

// bereaves notes which others made something together with the messages.
func (w *withdrawal) bereaves(sources []int64) {
	for _, id := range sources {
		if !w.goes(id) {
			w.done.Bereft = append(w.done.Bereft, id)
		}
	}
}

func (w *withdrawal) goes(message int64) bool {
	_, ok := slices.BinarySearch(w.messages, message)
	return ok
}

func (w *withdrawal) key(key []byte) {
	if !w.locked[string(key)] {
		w.locked[string(key)] = true
		w.keys = append(w.keys, key)
	}
}

// lock takes the locks of all identities that the messages have to do with.
func (w *withdrawal) lock(ctx context.Context, tx pgx.Tx) error {
	b := &pgx.Batch{}
	b.Queue(pinPlans)
	b.Queue(withdrawnSelect, w.tenant, w.messages).Query(func(r pgx.Rows) error {
		for r.Next() {
			var scope memd.Scope
			var m messageRow
			var raw []byte
			if err := r.Scan(&scope.UserID, &scope.AgentID, &scope.AppID, &scope.RunID, &m.sessionNo, &m.position, &m.actor, &raw); err != nil {
				return err
			}
			i := identityOf(scope)
			key := i.key(w.tenant)
			w.key(key[:])
			m.actor, m.text = clean(m.actor), clean(memd.TextOf(raw))
			w.rows, w.of = append(w.rows, m), append(w.of, i)
		}
		return r.Err()
	})
	w.queueHolders(b)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	// Whoever learned from the messages meanwhile did so under their identities' locks; only
	// if that was for others' memories are there more to take.
	for done := 0; done < len(w.keys); {
		b := &pgx.Batch{}
		queueLocks(b, w.tenant, w.keys[done:])
		done = len(w.keys)
		w.queueHolders(b)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
	}
	return nil
}

func (w *withdrawal) queueHolders(b *pgx.Batch) {
	w.holders, w.scopes = nil, nil
	b.Queue(messageHolders, w.tenant, w.messages).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var id memoryID
			var scope int64
			var key []byte
			if err := rows.Scan(&id, &scope, &key); err != nil {
				return err
			}
			w.holders, w.scopes = append(w.holders, id), append(w.scopes, scope)
			w.key(key)
		}
		return rows.Err()
	})
}

func (w *withdrawal) take(ctx context.Context, tx pgx.Tx, by, reason string) error {
	identities := newIdentities(w.tenant, w.of)
	c := newChange(w.tenant, by)
	c.reason, c.less = reason, reason
	b := &pgx.Batch{}
	b.Queue(scopeSelect, w.tenant, identities.keys).Query(identities.scan)
	b.Queue(goneOfMessages, w.tenant, w.keys, w.messages).Query(func(rows pgx.Rows) error { return scanMentions(rows, c.add) })
	for _, id := range w.holders {
		c.wanted.memory(id)
	}
	for _, key := range w.keys {
		c.wanted.scope(key)
	}
	c.queueRead(b)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	for i := range w.rows {
		w.rows[i].scopeID = identities.ids[identities.at[w.of[i]]]
	}
	if err := c.readScopeRows(ctx, tx, append(w.scopes, identities.ids...)); err != nil {
		return err
	}
	for _, r := range c.requests {
		if slices.ContainsFunc(r.sources, w.goes) {
			r.lost = true
			c.drop(r, r.row())
			w.bereaves(r.sources)
		}
	}
	if err := c.readOn(ctx, tx); err != nil {
		return err
	}
	var sources []int64
	for _, m := range c.mentions {
		if slices.ContainsFunc(m.sources, w.goes) {
			sources = append(sources, m.sources...)
		}
	}
	if err := c.readOrigins(ctx, tx, sources); err != nil {
		return err
	}
	var settled []memoryID
	for _, m := range c.mentions {
		had := m.sources
		m.withdrawn(w.goes, c.origins)
		switch {
		case m.lost:
			w.bereaves(had)
			if m.of != nil {
				m.of.expired = false
			}
		case len(m.sources) < len(had):
			settled = append(settled, m.of.id)
		}
	}
	c.fold()
	gone, err := c.settle(ctx, tx)
	if err != nil {
		return err
	}
	w.done.Memories = len(gone)
	b = &pgx.Batch{}
	queueMessagePostingDelete(b, w.tenant, w.rows)
	c.w.queue(b, w.tenant)
	if len(settled) > 0 {
		b.Queue(rewritingSettled, w.tenant, settled)
	}
	b.Queue(unpinPlans)
	return exec(ctx, tx, b)
}

// rewritingSettled has what persons rewrote of memories not be undone: the words that they
// replaced are in part of messages that are gone.
const rewritingSettled = `
	UPDATE memory_history SET before = NULL
	 WHERE tenant_id = $1 AND memory_id = ANY ($2::uuid[]) AND before->'edit' ? 'text'`
