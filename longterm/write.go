package longterm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/memdhq/memd/lexical"
	"github.com/pgvector/pgvector-go"
)

// hashOf is the hash of a text's normal form.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(lexical.Normalise(text)))
	return hex.EncodeToString(sum[:])
}

// maxIndexed is how many bytes of a text are indexed by their words; what comes after
// is not found by them.
const maxIndexed = 64 << 10

// indexed gives the terms of a document. They are those of its normal form, so that
// texts that count as the same have the same postings.
func indexed(actor, text string) (terms []lexical.Term, length int) {
	text = EmbedText(actor, text)
	if len(text) > maxIndexed {
		text = strings.ToValidUTF8(text[:maxIndexed], "")
	}
	return lexical.Terms(lexical.Normalise(text))
}

func small(n int) int16 { return int16(min(n, math.MaxInt16)) }

// arrayLiteral writes a list as Postgres reads it.
func arrayLiteral(list []string) string {
	b, err := types.Encode(pgtype.TextArrayOID, pgtype.TextFormatCode, append([]string{}, list...), nil)
	if err != nil {
		panic(err) // a list of strings always encodes
	}
	return string(b)
}

func idsLiteral(list []int64) string {
	b, err := types.Encode(pgtype.Int8ArrayOID, pgtype.TextFormatCode, append([]int64{}, list...), nil)
	if err != nil {
		panic(err) // a list of numbers always encodes
	}
	return string(b)
}

var types = pgtype.NewMap()

// newMemory is a row of memory to be made.
type newMemory struct {
	id                          memoryID
	scopeID                     int64
	app, user                   string
	agents, runs                []string
	actor, role, scope, memType string
	categories                  []string
	metadata                    json.RawMessage
	text, hash                  string
	verbatim, negated           bool
	slot, extractor             string
	validFrom                   time.Time
	occurredAt, expiresAt       *time.Time
}

type source struct {
	memory    memoryID
	message   int64
	sessionNo int64
	position  int
}

type historyRow struct {
	memory                 memoryID
	scopeID                int64
	event                  string
	previous               *string
	text, hash, reason, by string
	messages               []int64
}

type vectorRow struct {
	memory  memoryID
	scopeID int64
	vector  []float32
}

type messageRow struct {
	scopeID, sessionNo int64
	position           int
	actor, text        string
}

// writes collects the rows of one change, so that each table is written by one
// statement and all statements travel together.
type writes struct {
	memories []newMemory
	// drawn are memories whose sources are others than before, earlier those whose
	// words are.
	drawn, earlier []newMemory
	sources        []source
	// provenance may name what is there already.
	provenance []provenance
	vectors    []vectorRow
	model      string
	unembedded []memoryID
	messages   []messageRow
	history    []historyRow
}

type provenance struct {
	kind, value string
	memory      memoryID
}

// carry notes the agents and runs of a memory.
func (w *writes) carry(id memoryID, agents, runs []string) {
	for _, a := range agents {
		w.provenance = append(w.provenance, provenance{"agent", a, id})
	}
	for _, r := range runs {
		w.provenance = append(w.provenance, provenance{"run", r, id})
	}
}

// embed notes the vector of a memory, or that it has none yet.
func (w *writes) embed(id memoryID, scopeID int64, vector []float32) {
	if vector == nil {
		w.unembedded = append(w.unembedded, id)
		return
	}
	w.vectors = append(w.vectors, vectorRow{id, scopeID, vector})
}

// queue puts the statements into b, memories first, since others refer to them.
func (w *writes) queue(b *pgx.Batch, tenant string) {
	if len(w.memories) > 0 {
		w.queueMemories(b, tenant)
		queueMemoryPostings(b, tenant, w.memories)
	}
	if len(w.drawn) > 0 {
		queueDrawn(b, tenant, w.drawn)
	}
	if n := len(w.earlier); n > 0 {
		ids, texts, slots := make([]memoryID, n), make([]string, n), make([]*string, n)
		negated, extractors := make([]bool, n), make([]*string, n)
		for i, m := range w.earlier {
			ids[i], texts[i], slots[i], negated[i], extractors[i] = m.id, m.text, some(m.slot), m.negated, some(m.extractor)
		}
		b.Queue(memoryEarlier, tenant, ids, texts, slots, negated, extractors)
	}
	if n := len(w.sources); n > 0 {
		memories, messages, sessions, positions := make([]memoryID, n), make([]int64, n), make([]int64, n), make([]int32, n)
		for i, s := range w.sources {
			memories[i], messages[i], sessions[i], positions[i] = s.memory, s.message, s.sessionNo, int32(s.position)
		}
		b.Queue(sourceInsert, tenant, memories, messages, sessions, positions)
	}
	if len(w.provenance) > 0 {
		var kinds, values []string
		var ids []memoryID
		for _, p := range w.provenance {
			kinds, values, ids = append(kinds, p.kind), append(values, p.value), append(ids, p.memory)
		}
		b.Queue(provenanceInsert, tenant, kinds, values, ids)
	}
	if n := len(w.vectors); n > 0 {
		ids, scopes, vectors := make([]memoryID, n), make([]int64, n), make([]pgvector.HalfVector, n)
		for i, v := range w.vectors {
			ids[i], scopes[i], vectors[i] = v.memory, v.scopeID, pgvector.NewHalfVector(v.vector)
		}
		b.Queue(embeddingInsert, tenant, w.model, ids, scopes, vectors)
	}
	if len(w.unembedded) > 0 {
		b.Queue(embeddingOpenInsert, tenant, w.unembedded)
	}
	if len(w.messages) > 0 {
		w.queueMessagePostings(b, tenant)
	}
	if n := len(w.history); n > 0 {
		ids, scopes, events := make([]memoryID, n), make([]int64, n), make([]string, n)
		previous, texts, hashes := make([]*string, n), make([]*string, n), make([]string, n)
		reasons, by, messages := make([]string, n), make([]string, n), make([]string, n)
		for i, h := range w.history {
			ids[i], scopes[i], events[i], previous[i], hashes[i] = h.memory, h.scopeID, h.event, h.previous, h.hash
			reasons[i], by[i], messages[i] = h.reason, h.by, idsLiteral(h.messages)
			if h.event != EventDelete {
				texts[i] = &w.history[i].text
			}
		}
		b.Queue(historyInsert, tenant, ids, scopes, events, previous, texts, hashes, reasons, by, messages)
	}
}

func (w *writes) queueMemories(b *pgx.Batch, tenant string) {
	n := len(w.memories)
	ids, scopes := make([]memoryID, n), make([]int64, n)
	apps, users, agents, runs := make([]*string, n), make([]*string, n), make([]string, n), make([]string, n)
	actors, roles, mscopes, mtypes := make([]*string, n), make([]string, n), make([]*string, n), make([]*string, n)
	categories, metadata, texts, hashes := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	verbatim, slots, negated, extractors := make([]bool, n), make([]*string, n), make([]bool, n), make([]*string, n)
	from, occurred, expires := make([]time.Time, n), make([]*time.Time, n), make([]*time.Time, n)
	for i, m := range w.memories {
		ids[i], scopes[i] = m.id, m.scopeID
		apps[i], users[i], agents[i], runs[i] = some(m.app), some(m.user), arrayLiteral(m.agents), arrayLiteral(m.runs)
		actors[i], roles[i], mscopes[i], mtypes[i] = some(m.actor), m.role, some(m.scope), some(m.memType)
		categories[i], metadata[i], texts[i], hashes[i] = arrayLiteral(m.categories), object(m.metadata), m.text, m.hash
		verbatim[i], slots[i], negated[i], extractors[i] = m.verbatim, some(m.slot), m.negated, some(m.extractor)
		from[i], occurred[i], expires[i] = m.validFrom, m.occurredAt, m.expiresAt
	}
	b.Queue(memoryInsert, tenant, ids, scopes, apps, users, agents, runs, actors, roles, mscopes, mtypes,
		categories, metadata, texts, hashes, verbatim, slots, negated, extractors, from, occurred, expires)
}

// queueDrawn writes what memories take from their sources.
func queueDrawn(b *pgx.Batch, tenant string, all []newMemory) {
	n := len(all)
	ids, agents, runs, metadata := make([]memoryID, n), make([]string, n), make([]string, n), make([]string, n)
	scopes, types, categories := make([]*string, n), make([]*string, n), make([]string, n)
	from, occurred, expires := make([]time.Time, n), make([]*time.Time, n), make([]*time.Time, n)
	for i, m := range all {
		ids[i], agents[i], runs[i], metadata[i] = m.id, arrayLiteral(m.agents), arrayLiteral(m.runs), object(m.metadata)
		scopes[i], types[i], categories[i] = some(m.scope), some(m.memType), arrayLiteral(m.categories)
		from[i], occurred[i], expires[i] = m.validFrom, m.occurredAt, m.expiresAt
	}
	b.Queue(memoryDrawn, tenant, ids, agents, runs, metadata, scopes, types, categories, from, occurred, expires)
}

// posting is a term of a document; memory stands for itself, a message for its place.
type posting struct {
	scopeID, sessionNo int64
	term               int32
	memory             memoryID
	position           int32
	tf, length         int16
}

// sortPostings brings them into the order of the index, which spares page accesses.
func sortPostings(all []posting) {
	slices.SortFunc(all, func(a, b posting) int {
		return cmp.Or(cmp.Compare(a.scopeID, b.scopeID), cmp.Compare(a.term, b.term))
	})
}

func queueMemoryPostings(b *pgx.Batch, tenant string, memories []newMemory) {
	var all []posting
	var sums scopeSums
	for _, m := range memories {
		terms, length := indexed(m.actor, m.text)
		for _, t := range terms {
			all = append(all, posting{scopeID: m.scopeID, term: t.Hash, memory: m.id, tf: small(t.Count), length: small(length)})
		}
		sums.add(m.scopeID, int64(small(length)))
	}
	sortPostings(all)
	n := len(all)
	scopes, terms, ids := make([]int64, n), make([]int32, n), make([]memoryID, n)
	tfs, lengths := make([]int16, n), make([]int16, n)
	for i, p := range all {
		scopes[i], terms[i], ids[i], tfs[i], lengths[i] = p.scopeID, p.term, p.memory, p.tf, p.length
	}
	b.Queue(memoryPostingInsert, tenant, scopes, terms, ids, tfs, lengths, sums.ids, sums.documents, sums.terms)
}

// queuePostingDelete takes memories out of the index.
func queuePostingDelete(b *pgx.Batch, tenant string, memories []newMemory) {
	var sums scopeSums
	for _, m := range memories {
		held, length := indexed(m.actor, m.text)
		terms := make([]int32, len(held))
		for i, t := range held {
			terms[i] = t.Hash
		}
		sums.add(m.scopeID, int64(small(length)))
		b.Queue(postingDelete, tenant, m.scopeID, terms, m.id)
	}
	b.Queue(postingUncount, tenant, sums.ids, sums.documents, sums.terms)
}

// scopeSums counts documents and their lengths by scope.
type scopeSums struct {
	ids       []int64
	documents []int32
	terms     []int64
}

func (s *scopeSums) add(scopeID, length int64) {
	i := slices.Index(s.ids, scopeID)
	if i < 0 {
		i = len(s.ids)
		s.ids, s.documents, s.terms = append(s.ids, scopeID), append(s.documents, 0), append(s.terms, 0)
	}
	s.documents[i]++
	s.terms[i] += length
}

// wholeMessage is the term of the posting that every indexed message has exactly once:
// it says that the message is there, and how long it is. A word whose hash it is
// cannot be found, one of four thousand million.
const wholeMessage int32 = 0

// messagePostings gives the postings of messages, in the order of the index.
func messagePostings(messages []messageRow) (all []posting) {
	for _, m := range messages {
		if strings.TrimSpace(m.text) == "" {
			continue // an image, a tool call: only its speaker's name could be found
		}
		terms, length := indexed(m.actor, m.text)
		if length == 0 {
			continue
		}
		p := posting{scopeID: m.scopeID, sessionNo: m.sessionNo, position: int32(m.position), length: small(length)}
		p.term, p.tf = wholeMessage, 1
		all = append(all, p)
		for _, t := range terms {
			if t.Hash != wholeMessage {
				p.term, p.tf = t.Hash, small(t.Count)
				all = append(all, p)
			}
		}
	}
	sortPostings(all)
	return all
}

func (w *writes) queueMessagePostings(b *pgx.Batch, tenant string) {
	all := messagePostings(w.messages)
	if len(all) == 0 {
		return
	}
	n := len(all)
	scopes, terms, sessions, positions := make([]int64, n), make([]int32, n), make([]int64, n), make([]int32, n)
	tfs, lengths := make([]int16, n), make([]int16, n)
	for i, p := range all {
		scopes[i], terms[i], sessions[i], positions[i], tfs[i], lengths[i] = p.scopeID, p.term, p.sessionNo, p.position, p.tf, p.length
	}
	b.Queue(messagePostingInsert, tenant, scopes, terms, sessions, positions, tfs, lengths, wholeMessage)
}

// queueMessagePostingDelete takes messages out of the index.
func queueMessagePostingDelete(b *pgx.Batch, tenant string, messages []messageRow) {
	type session struct{ scopeID, no int64 }
	terms, positions := map[session][]int32{}, map[session][]int32{}
	for _, p := range messagePostings(messages) {
		s := session{p.scopeID, p.sessionNo}
		terms[s] = append(terms[s], p.term)
		if p.term == wholeMessage {
			positions[s] = append(positions[s], p.position)
		}
	}
	for s := range terms {
		slices.Sort(terms[s])
		b.Queue(messagePostingDelete, tenant, s.scopeID, slices.Compact(terms[s]), s.no, positions[s], wholeMessage)
	}
}

// object gives a JSON object, {} for none.
func object(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return "{}"
	}
	return string(raw)
}

func newID() (memoryID, error) {
	id, err := uuid.NewV7()
	return memoryID(id), err
}

// exec sends a batch of statements that give no rows.
func exec(ctx context.Context, tx pgx.Tx, b *pgx.Batch) error {
	if b.Len() == 0 {
		return nil
	}
	return tx.SendBatch(ctx, b).Close()
}
