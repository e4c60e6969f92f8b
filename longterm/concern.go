package longterm

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/extract"
)

// wanting is what is still to be read.
type wanting struct {
	asked map[string]bool
	// hashes are normal forms of which the memories are wanted, gone the same of which
	// only what is not remembered is; kinds are what names of slots begin with.
	hashes, slots, kinds, gone struct {
		keys  [][]byte
		names []string
	}
	ids    []memoryID
	scopes [][]byte
	// terms are of names, said is all of which no term is needed: both as far as it was
	// said before a time.
	terms struct {
		keys   [][]byte
		terms  []int32
		before []time.Time
	}
	// spoken are terms of what endings say to be over, as far as it was said before a time.
	spoken struct {
		keys   [][]byte
		terms  []int32
		before []time.Time
	}
	endings []extract.Ending
	// all is everything that was said before a time.
	said, all struct {
		keys   [][]byte
		before []time.Time
	}
}

func (w *wanting) first(what, key, name string) bool {
	asked := what + key + name
	if w.asked[asked] {
		return false
	}
	w.asked[asked] = true
	return true
}

// scope wants what was asked to be forgotten of an identity, by its key.
func (w *wanting) scope(key []byte) {
	if w.first("scope", string(key), "") {
		w.scopes = append(w.scopes, key)
	}
}

// hash wants all that is stated in forms of these hashes.
func (w *wanting) hash(key []byte, hashes ...string) {
	for _, hash := range hashes {
		if w.first("hash", string(key), hash) {
			w.asked["gone"+string(key)+hash] = true
			w.hashes.keys, w.hashes.names = append(w.hashes.keys, key), append(w.hashes.names, hash)
		}
	}
}

// unremembered wants of what is stated in forms of these hashes what is not remembered.
func (w *wanting) unremembered(key []byte, hashes ...string) {
	for _, hash := range hashes {
		if w.first("gone", string(key), hash) {
			w.gone.keys, w.gone.names = append(w.gone.keys, key), append(w.gone.names, hash)
		}
	}
}

// slot wants all that is stated about one slot, whosever it is.
func (w *wanting) slot(key []byte, slot string) {
	if slot != "" && w.first("slot", string(key), slot) {
		w.slots.keys, w.slots.names = append(w.slots.keys, key), append(w.slots.names, slot)
	}
}

func (w *wanting) memory(id memoryID) {
	if w.first("memory", string(id[:]), "") {
		w.ids = append(w.ids, id)
	}
}

func (w *wanting) empty() bool {
	return len(w.hashes.keys)+len(w.slots.keys)+len(w.kinds.keys)+len(w.gone.keys)+len(w.ids)+len(w.scopes)+len(w.terms.keys)+len(w.said.keys)+len(w.all.keys)+len(w.spoken.keys) == 0
}

// queueRead reads what is wanted.
func (c *change) queueRead(b *pgx.Batch) {
	w := &c.wanted
	if len(w.kinds.keys) > 0 {
		b.Queue(slotsOfKind, c.tenant, w.kinds.keys, w.kinds.names).Query(c.scanKinds)
	}
	if len(w.scopes) > 0 {
		b.Queue(requestSelect, c.tenant, w.scopes).Query(c.scanRequests)
	}
	if len(w.hashes.keys)+len(w.slots.keys)+len(w.ids) > 0 {
		args := []any{c.tenant, w.hashes.keys, w.hashes.names, w.slots.keys, w.slots.names, w.ids}
		b.Queue(concernedSelect, args...).Query(c.scanMemories)
		b.Queue(concernedMentions, args...).Query(func(rows pgx.Rows) error { return scanMentions(rows, c.add) })
	}
	if len(w.hashes.keys)+len(w.gone.keys)+len(w.slots.keys) > 0 {
		keys, names := slices.Concat(w.hashes.keys, w.gone.keys), slices.Concat(w.hashes.names, w.gone.names)
		b.Queue(goneSelect, c.tenant, keys, names, w.slots.keys, w.slots.names).Query(func(rows pgx.Rows) error { return scanMentions(rows, c.add) })
		b.Queue(retainedSelect, c.tenant, keys, names).Query(func(rows pgx.Rows) error {
			var r retained
			_, err := pgx.ForEachRow(rows, []any{&r.scopeID, &r.hash, &r.message}, func() error {
				c.retained[r] = true
				return nil
			})
			return err
		})
	}
	if len(w.terms.keys)+len(w.said.keys) > 0 {
		b.Queue(namedSelect, c.tenant, w.terms.keys, w.terms.terms, w.terms.before, w.said.keys, w.said.before).Query(c.scanNamed)
	}
	if len(w.spoken.keys) > 0 {
		b.Queue(namedSelect, c.tenant, w.spoken.keys, w.spoken.terms, w.spoken.before, [][]byte{}, []time.Time{}).Query(c.scanSpoken(w.endings))
	}
	if len(w.all.keys) > 0 {
		b.Queue(statedBefore, c.tenant, w.all.keys, w.all.before).Query(c.scanNamed)
	}
	if len(w.said.keys)+len(w.all.keys) > 0 {
		b.Queue(goneBefore, c.tenant, slices.Concat(w.said.keys, w.all.keys), slices.Concat(w.said.before, w.all.before)).Query(func(rows pgx.Rows) error {
			return scanMentions(rows, func(m *mention) { c.subjects.unremembered = append(c.subjects.unremembered, m) })
		})
	}
	c.wanted = wanting{asked: w.asked}
}

func (c *change) scanMemories(rows pgx.Rows) error {
	for rows.Next() {
		m := &stated{}
		if err := m.scan(rows, &m.expired); err != nil {
			return err
		}
		if c.memories[m.id] == nil {
			c.memories[m.id] = m
		}
	}
	return rows.Err()
}

func (c *change) scanRequests(rows pgx.Rows) error {
	for rows.Next() {
		r := &request{}
		if err := rows.Scan(&r.scopeID, &r.actor, &r.role, &r.sources, &r.said.at, &r.said.session, &r.said.position, &r.said.part,
			&r.hash, &r.slot, &r.subject, &r.value, &r.negated, &r.slip); err != nil {
			return err
		}
		c.requests = append(c.requests, r)
	}
	return rows.Err()
}

// add takes a mention in, unless the same one is there. Of those that are stored each row
// is taken in: two that were told apart once may be the same now.
func (c *change) add(m *mention) {
	known := c.known[m.key()]
	if known != nil && m.row == (mentionRow{}) {
		return
	}
	if m.row != (mentionRow{}) {
		if c.rows[m.row] {
			return
		}
		c.rows[m.row] = true
	}
	if known == nil {
		c.known[m.key()] = m
	}
	c.mentions = append(c.mentions, m)
}

// readOn reads until nothing is missing: other memories may be about what a memory is about.
// Scopes must be known.
func (c *change) readOn(ctx context.Context, tx pgx.Tx) error {
	for {
		c.wantNamed()
		for _, m := range c.memories {
			key := c.scopes[m.scopeID].key
			c.wanted.topic(key, m.topic, m.text)
			if m.written() {
				c.wanted.over(key, m.role, m.text, m.validFrom)
			}
			c.wanted.unremembered(key, m.hash, m.storedHash)
			if m.hash != m.storedHash {
				c.wanted.hash(key, m.hash) // others may be stored by that
			}
		}
		for _, m := range c.mentions {
			key := c.scopes[m.scopeID].key
			c.wanted.topic(key, m.topic, m.text)
			c.wanted.over(key, m.role, m.text, m.said.at)
			c.wanted.scope(key)
			c.wanted.unremembered(key, m.hash, m.former)
			if m.row.hash != "" && m.hash != m.row.hash {
				c.wanted.hash(key, m.hash)
			}
		}
		if c.wanted.empty() {
			break
		}
		b := &pgx.Batch{}
		c.queueRead(b)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
	}
	for _, m := range c.mentions {
		if m.row.memory == (memoryID{}) || m.gone != "" {
			continue
		}
		if m.of = c.memories[m.row.memory]; m.of == nil {
			continue
		}
		m.of.learned = true
		if m.of.expired {
			m.gone = goneDeleted
			if m.of.written() {
				m.reword(m.of)
			}
		} else if m.of.written() && m.hash != m.of.hash {
			m.writtenOver = m.of
		}
		for _, id := range m.sources {
			if !slices.Contains(m.of.sources, id) {
				m.of.sources = append(m.of.sources, id)
			}
		}
	}
	for _, m := range c.memories {
		slices.Sort(m.sources)
		if m.written() {
			c.settlePlace(m)
		}
	}
	return nil
}

// readScopes reads the identities of memories.
func (c *change) readScopes(ctx context.Context, tx pgx.Tx, of []*held) error {
	var ids []int64
	for _, h := range of {
		ids = append(ids, h.scopeID)
	}
	return c.readScopeRows(ctx, tx, ids)
}

func (c *change) readScopeRows(ctx context.Context, tx pgx.Tx, ids []int64) error {
	slices.Sort(ids)
	rows, err := tx.Query(ctx, scopeRowSelect, c.tenant, slices.Compact(ids))
	if err != nil {
		return err
	}
	return c.scanScopes(rows)
}

// scanScopes reads scopeColumns.
func (c *change) scanScopes(rows pgx.Rows) error {
	for rows.Next() {
		var id int64
		var s scopeRow
		if err := rows.Scan(&id, &s.key, &s.app, &s.user); err != nil {
			return err
		}
		c.scopes[id] = s
	}
	return rows.Err()
}

// origin gives what the log knows of a message, nil for nothing.
func (c *change) origin(message int64) *origin {
	if o, ok := c.origins[message]; ok {
		return &o
	}
	return nil
}

// settlePlace finds out when what a person wrote began to hold: when that was said whose
// words it replaced, or since when that held.
func (c *change) settlePlace(m *stated) {
	m.place = saidAt{at: m.validFrom}
	m.since = m.place
	var found *mention
	for _, n := range c.mentions {
		if n.of == m && n.since().at.Equal(m.validFrom) && (found == nil || n.compare(found) < 0) {
			found = n
		}
	}
	if found != nil {
		m.place, m.since = found.said, found.since()
	}
}
