package longterm

import (
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// mention is a statement as it was made once. Memories are what mentions are folded to:
// which of them hold, since when and until when depends on the mentions there are.
type mention struct {
	speaker
	topic
	// sources are the messages that make it, the first of them where it was said.
	sources []int64
	said    saidAt
	text    string
	hash    string
	// former is the hash by which it was known before, often the same.
	former string
	// value is what the slot holds by it, as it was said.
	value      string
	negated    bool
	occurredAt *time.Time
	categories []string
	extractor  string
	// gone says why it is not remembered, "" if it is.
	gone string

	vector []float32
	// says is what it says of who is called how, nil while nobody asked.
	says []bond
	// row is where it stands in the table, zero if it does not.
	row mentionRow
	// of is the memory that it is part of, as that stood before.
	of *stated
	// writtenOver is that memory if a person replaced the words by others.
	writtenOver *stated
	// forgottenBy is the request that took it away.
	forgottenBy *request
	// lost says that no message makes it any more.
	lost bool
}

// mentionRow is the key of a mention and what else of its row may change.
type mentionRow struct {
	memory  memoryID
	message int64
	part    int
	gone    string
	sources string
	hash    string
}

// Why a mention is not remembered.
const (
	goneForgotten = "forgotten" // a request that it be forgotten is there
	goneDeleted   = "deleted"   // its memory was taken away
)

func (m *mention) compare(o *mention) int { return m.said.compare(o.said) }

// touched says whether a person changed the memory that it is part of.
func (m *mention) touched() bool { return m.of != nil && m.of.touched() }

// reword has a mention say what a person wrote in its place, for when that is gone: what it
// said itself is not what ended anything.
func (m *mention) reword(as *stated) {
	m.text, m.hash, m.former = as.text, as.hash, formerHash(as.text)
	m.topic, m.value, m.negated, m.says = as.topic, as.value, as.negated, nil
}

// mentionKey is what makes two mentions the same one.
type mentionKey struct {
	speaker
	hash    string
	message int64
	part    int
}

func (m *mention) key() mentionKey { return mentionKey{m.speaker, m.hash, m.sources[0], m.said.part} }

// without takes messages away from a mention. It is lost with the last by who makes it;
// of what the log does not know it is taken that it is.
func (m *mention) without(goes func(int64) bool, origins map[int64]origin) {
	left := slices.DeleteFunc(slices.Clone(m.sources), goes)
	if len(left) == len(m.sources) {
		return
	}
	m.lost = !slices.ContainsFunc(left, func(id int64) bool {
		o, known := origins[id]
		return !known || o.role == m.role
	})
	if m.lost {
		return
	}
	if o, known := origins[left[0]]; known && left[0] != m.sources[0] {
		part := m.said.part
		m.said = o.said
		m.said.part = part
	}
	m.sources = left
}

// withdrawn takes messages away whose words are gone. What is made of several messages is
// lost with any of them, since its words are theirs, save where a person replaced the words.
func (m *mention) withdrawn(goes func(int64) bool, origins map[int64]origin) {
	if !slices.ContainsFunc(m.sources, goes) {
		return
	}
	if m.writtenOver != nil {
		m.without(goes, origins)
		return
	}
	m.lost = true
}

// mentionColumns are those of a mention n that scanMentions reads.
const mentionColumns = `n.memory_id, n.message_id, n.part, n.scope_id, coalesce(n.actor_id, ''), n.role, n.sources, n.said_at, n.session_id, n.position,
	 n.memory, n.hash, coalesce(n.slot, ''), n.subject, n.value, n.negated, n.occurred_at, n.categories,
	coalesce(n.extractor, ''), coalesce(n.gone, '')`

func scanMentions(rows pgx.Rows, each func(*mention)) error {
	for rows.Next() {
		m := &mention{}
		if err := rows.Scan(&m.row.memory, &m.row.message, &m.row.part, &m.scopeID, &m.actor, &m.role, &m.sources, &m.said.at, &m.said.session,
			&m.said.position, &m.text, &m.hash, &m.slot, &m.subject, &m.value, &m.negated, &m.occurredAt, &m.categories,
			&m.extractor, &m.gone); err != nil {
			return err
		}
		m.said.part, m.row.gone, m.row.sources, m.row.hash = m.row.part, m.gone, idsLiteral(m.sources), m.hash
		m.hash, m.former = hashOf(m.text), formerHash(m.text)
		each(m)
	}
	return rows.Err()
}

// queueMentions writes mentions to their table, each as a part of its memory.
func queueMentions(b *pgx.Batch, tenant string, all []*mention) {
	n := len(all)
	if n == 0 {
		return
	}
	memories, messages, parts, scopes := make([]memoryID, n), make([]int64, n), make([]int32, n), make([]int64, n)
	actors, roles, sources, said := make([]*string, n), make([]string, n), make([]string, n), make([]time.Time, n)
	sessions, positions, texts, hashes := make([]string, n), make([]int32, n), make([]string, n), make([]string, n)
	slots, subjects, values, negated := make([]*string, n), make([]string, n), make([]string, n), make([]bool, n)
	occurred, categories, extractors, gone := make([]*time.Time, n), make([]string, n), make([]*string, n), make([]*string, n)
	for i, m := range all {
		memories[i], messages[i], parts[i], scopes[i] = m.row.memory, m.sources[0], int32(m.said.part), m.scopeID
		actors[i], roles[i], sources[i], said[i] = some(m.actor), m.role, idsLiteral(m.sources), m.said.at
		sessions[i], positions[i], texts[i], hashes[i] = m.said.session, int32(m.said.position), m.text, m.hash
		slots[i], subjects[i], values[i], negated[i] = some(m.slot), m.subject, m.value, m.negated
		occurred[i], categories[i], extractors[i], gone[i] = m.occurredAt, arrayLiteral(m.categories), some(m.extractor), some(m.gone)
	}
	b.Queue(mentionInsert, tenant, memories, messages, parts, scopes, actors, roles, sources, said, sessions, positions, texts, hashes,
		slots, subjects, values, negated, occurred, categories, extractors, gone)
}

// queueMentionDelete takes rows out of the table of mentions.
func queueMentionDelete(b *pgx.Batch, tenant string, all []mentionRow) {
	n := len(all)
	if n == 0 {
		return
	}
	memories, messages, parts := make([]memoryID, n), make([]int64, n), make([]int32, n)
	for i, r := range all {
		memories[i], messages[i], parts[i] = r.memory, r.message, int32(r.part)
	}
	b.Queue(mentionDelete, tenant, memories, messages, parts)
}

// about names a topic in one word, as what is overruled has it; "" for none.
func (t topic) about() string {
	if t.subject == "" || t.slot == "" {
		return t.slot
	}
	return strings.Join([]string{t.slot, t.subject}, "\n")
}
