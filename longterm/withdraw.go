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
// that are edited or deleted, to be called before the log changes. It says how many
// memories went.
//
// Then it is as if they had never been said: a memory stands in the words, with the time
// and all else, of what is left; what they ended or asked to be forgotten is there again;
// a memory with no source left goes, and so does one with none left by who says it: a
// question without its answer states nothing. What a person set stays.
func (s *Store) Withdraw(ctx context.Context, tx pgx.Tx, tenant string, messages []int64, by, reason string) (gone int, err error) {
	if len(messages) == 0 {
		return 0, nil
	}
	w := &withdrawal{tenant: tenant, messages: slices.Compact(slices.Sorted(slices.Values(messages))), locked: map[string]bool{}}
	if err = w.lock(ctx, tx); err == nil {
		gone, err = w.take(ctx, tx, by, reason)
	}
	return gone, postgres.Err("longterm.withdraw", err)
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

func (w *withdrawal) take(ctx context.Context, tx pgx.Tx, by, reason string) (int, error) {
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
		return 0, err
	}
	for i := range w.rows {
		w.rows[i].scopeID = identities.ids[identities.at[w.of[i]]]
	}
	if err := c.readScopeRows(ctx, tx, append(w.scopes, identities.ids...)); err != nil {
		return 0, err
	}
	if err := w.takeRequests(ctx, tx, c); err != nil {
		return 0, err
	}
	if err := c.readOn(ctx, tx); err != nil {
		return 0, err
	}
	var sources []int64
	for _, m := range c.mentions {
		if slices.ContainsFunc(m.sources, w.goes) {
			sources = append(sources, m.sources...)
		}
	}
	if err := c.readOrigins(ctx, tx, sources); err != nil {
		return 0, err
	}
	for _, m := range c.mentions {
		m.without(w.goes, c.origins)
		if m.lost && m.of != nil {
			m.of.expired = false
		}
	}
	c.fold()
	gone, err := c.settle(ctx, tx)
	if err != nil {
		return 0, err
	}
	b = &pgx.Batch{}
	queueMessagePostingDelete(b, w.tenant, w.rows)
	c.w.queue(b, w.tenant)
	b.Queue(unpinPlans)
	return len(gone), exec(ctx, tx, b)
}

// takeRequests takes the messages away from what they asked to be forgotten, and wants what
// that was.
func (w *withdrawal) takeRequests(ctx context.Context, tx pgx.Tx, c *change) error {
	var sources []int64
	for _, r := range c.requests {
		if slices.ContainsFunc(r.sources, w.goes) {
			sources = append(sources, r.sources...)
		}
	}
	if err := c.readOrigins(ctx, tx, sources); err != nil {
		return err
	}
	c.requests = slices.DeleteFunc(c.requests, func(r *request) bool {
		was := r.row()
		m := &mention{speaker: r.speaker, sources: r.sources, said: r.said}
		m.without(w.goes, c.origins)
		if len(m.sources) == len(r.sources) && !m.lost {
			return false
		}
		c.w.requestsGone = append(c.w.requestsGone, was)
		before := r.said.at
		r.sources, r.said, r.isNew = m.sources, m.said, true
		key := c.scopes[r.scopeID].key
		if r.slot != "" {
			c.wanted.slot(key, r.slot)
		} else {
			c.wanted.hash(key, r.hash)
		}
		if r.ofSubject() {
			c.subjects.seek(key, r.subject, before)
		}
		return m.lost
	})
	return nil
}
