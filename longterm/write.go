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

// hashOf is the hash of the form in which a text is compared.
func hashOf(text string) string { return hashOfForm(lexical.Canonical(text)) }

// formerHash is the hash of the form in which texts were compared before: the normal form.
// What was stored then has it; for most texts it is the same.
func formerHash(text string) string { return hashOfForm(lexical.Normalise(text)) }

// hashesOf gives both hashes of a text, or the one that it has.
func hashesOf(text string) []string {
	now, former := hashOf(text), formerHash(text)
	if now == former {
		return []string{now}
	}
	return []string{now, former}
}

func hashOfForm(form string) string {
	sum := sha256.Sum256([]byte(form))
	return hex.EncodeToString(sum[:])
}

// maxIndexed is how many bytes of a text are indexed by their words; what comes after
// is not found by them.
const maxIndexed = 64 << 10

// indexed gives the terms of a document: those of its normal form.
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

func termsLiteral(list []int32) string {
	b, err := types.Encode(pgtype.Int4ArrayOID, pgtype.TextFormatCode, append([]int32{}, list...), nil)
	if err != nil {
		panic(err) // a list of numbers always encodes
	}
	return string(b)
}

func uuidsLiteral(list []memoryID) string {
	all := make([]string, len(list))
	for i, id := range list {
		all[i] = uuid.UUID(id).String()
	}
	return arrayLiteral(all)
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
	topic
	value, extractor      string
	validFrom             time.Time
	occurredAt, expiresAt *time.Time
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
	// before is what undoing it needs, JSON; undoable has all of the memory kept as that,
	// which is there still.
	before   []byte
	undoable bool
}

type vectorRow struct {
	memory  memoryID
	scopeID int64
	vector  []float32
	live    bool
}

type messageRow struct {
	scopeID, sessionNo int64
	position           int
	actor, text        string
}

// writes collects the rows of one change, so that each table is written by one
// statement and all statements travel together.
type writes struct {
	memories []*held
	// changed are memories that are not as they were, gone those that are no more.
	changed, gone []*held
	// reworded are those of the changed with other words to be found by, worded the same as
	// they were.
	reworded    []*held
	worded      []newMemory
	sources     []source
	sourcesGone []source
	// provenance may name what is there already; that of the recarried goes first.
	provenance []provenance
	recarried  []memoryID
	vectors    []vectorRow
	model      string
	unembedded []memoryID
	// ended and revived are memories that came to hold no more, or again.
	ended, revived []vectorRow
	// unended are those whose last ending was undone with what brought it about.
	unended      []memoryID
	mentions     []*mention
	mentionsGone []mentionRow
	// unmentioned are memories whose mentions all go, or with undoable count no more.
	unmentioned  []memoryID
	undoable     bool
	requestsGone []requestRow
	requests     []*request
	retained     []retained
	overruled    []overruled
	// forgotten are messages of which something came to be asked to be forgotten.
	forgotten []int64
	messages  []messageRow
	history   []historyRow
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
func (w *writes) embed(id memoryID, scopeID int64, vector []float32, live bool) {
	if vector == nil {
		w.unembedded = append(w.unembedded, id)
		return
	}
	w.vectors = append(w.vectors, vectorRow{id, scopeID, vector, live})
}

// queue puts the statements into b: what goes first, with the history that is made of it,
// then memories, since others refer to them. Whoever stores a vector waits for the row of
// a memory and then finds it gone or with another text.
func (w *writes) queue(b *pgx.Batch, tenant string) {
	queueHistory(b, tenant, w.history, true)
	queueMentionDelete(b, tenant, w.mentionsGone)
	if len(w.unmentioned) > 0 {
		if w.undoable {
			b.Queue(mentionsDeleted, tenant, w.unmentioned)
		} else {
			b.Queue(mentionDeleteOf, tenant, w.unmentioned)
		}
	}
	if len(w.gone) > 0 {
		queueGone(b, tenant, w.gone)
	}
	if len(w.memories) > 0 {
		queueMemories(b, tenant, w.memories)
		queueMemoryPostings(b, tenant, w.memories)
	}
	if len(w.changed) > 0 {
		queueChanged(b, tenant, w.changed)
	}
	if len(w.reworded) > 0 {
		queuePostingDelete(b, tenant, w.worded)
		queueMemoryPostings(b, tenant, w.reworded)
	}
	queueMentions(b, tenant, w.mentions)
	if n := len(w.sourcesGone); n > 0 {
		memories, messages := make([]memoryID, n), make([]int64, n)
		for i, s := range w.sourcesGone {
			memories[i], messages[i] = s.memory, s.message
		}
		b.Queue(sourceDelete, tenant, memories, messages)
	}
	if n := len(w.sources); n > 0 {
		memories, messages, sessions, positions := make([]memoryID, n), make([]int64, n), make([]int64, n), make([]int32, n)
		for i, s := range w.sources {
			memories[i], messages[i], sessions[i], positions[i] = s.memory, s.message, s.sessionNo, int32(s.position)
		}
		b.Queue(sourceInsert, tenant, memories, messages, sessions, positions)
	}
	if len(w.recarried) > 0 {
		b.Queue(provenanceDelete, tenant, w.recarried)
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
		ids, scopes, vectors, live := make([]memoryID, n), make([]int64, n), make([]pgvector.HalfVector, n), make([]bool, n)
		for i, v := range w.vectors {
			ids[i], scopes[i], vectors[i], live[i] = v.memory, v.scopeID, pgvector.NewHalfVector(v.vector), v.live
		}
		b.Queue(embeddingInsert, tenant, w.model, ids, scopes, vectors, live)
	}
	if len(w.unembedded) > 0 {
		b.Queue(embeddingOpenInsert, tenant, w.unembedded)
	}
	queueLive(b, tenant, w.ended, false)
	queueLive(b, tenant, w.revived, true)
	if len(w.unended) > 0 {
		b.Queue(endingUndone, tenant, w.unended)
	}
	queueRequestDelete(b, tenant, w.requestsGone)
	queueRequests(b, tenant, w.requests)
	if n := len(w.retained); n > 0 {
		scopes, hashes, messages := make([]int64, n), make([]string, n), make([]int64, n)
		for i, r := range w.retained {
			scopes[i], hashes[i], messages[i] = r.scopeID, r.hash, r.message
		}
		b.Queue(retainedInsert, tenant, scopes, hashes, messages)
	}
	queueOverruled(b, tenant, w.overruled)
	queueUnsum(b, tenant, w.forgotten)
	if len(w.messages) > 0 {
		w.queueMessagePostings(b, tenant)
	}
	queueHistory(b, tenant, w.history, false)
}

// queueHistory writes those entries that tell of memories that go, or the others.
func queueHistory(b *pgx.Batch, tenant string, all []historyRow, gone bool) {
	var ids []memoryID
	var scopes []int64
	var events, hashes, reasons, by, messages []string
	var previous, texts, before []*string
	var undoable []bool
	for i, h := range all {
		if (h.event == EventDelete) != gone {
			continue
		}
		var text *string
		if !gone {
			text = &all[i].text
		}
		ids, scopes, events = append(ids, h.memory), append(scopes, h.scopeID), append(events, h.event)
		previous, texts, hashes = append(previous, h.previous), append(texts, text), append(hashes, h.hash)
		reasons, by, messages = append(reasons, h.reason), append(by, h.by), append(messages, idsLiteral(h.messages))
		before, undoable = append(before, some(string(h.before))), append(undoable, h.undoable)
	}
	if len(ids) > 0 {
		b.Queue(historyInsert, tenant, ids, scopes, events, previous, texts, hashes, reasons, by, messages, before, undoable)
	}
}

// queueLive says of vectors whether their memories hold.
func queueLive(b *pgx.Batch, tenant string, of []vectorRow, live bool) {
	if len(of) == 0 {
		return
	}
	var scopes []int64
	var ids []memoryID
	for _, v := range of {
		scopes, ids = append(scopes, v.scopeID), append(ids, v.memory)
	}
	b.Queue(embeddingLive, tenant, scopes, ids, live)
}

// columns are those of memories that follow from what they are learned from.
type columns struct {
	ids                                       []memoryID
	agents, runs, categories, metadata, texts []string
	scopes, types, slots, extractors          []*string
	subjects, values                          []string
	hashes                                    []string
	negated                                   []bool
	from                                      []time.Time
	to, occurred, expires                     []*time.Time
	by                                        []*memoryID
}

func columnsOf(all []*held) columns {
	n := len(all)
	c := columns{
		ids: make([]memoryID, n), agents: make([]string, n), runs: make([]string, n), categories: make([]string, n), metadata: make([]string, n), texts: make([]string, n),
		scopes: make([]*string, n), types: make([]*string, n), slots: make([]*string, n), extractors: make([]*string, n), subjects: make([]string, n), values: make([]string, n),
		hashes: make([]string, n), negated: make([]bool, n), from: make([]time.Time, n), to: make([]*time.Time, n), occurred: make([]*time.Time, n), expires: make([]*time.Time, n), by: make([]*memoryID, n),
	}
	for i, m := range all {
		c.ids[i], c.agents[i], c.runs[i], c.categories[i], c.metadata[i], c.texts[i] = m.id, arrayLiteral(m.agents), arrayLiteral(m.runs), arrayLiteral(m.categories), object(m.metadata), m.text
		c.scopes[i], c.types[i], c.slots[i], c.extractors[i], c.subjects[i], c.values[i] = some(m.scope), some(m.memType), some(m.slot), some(m.extractor), m.subject, m.value
		c.hashes[i], c.negated[i], c.from[i], c.to[i], c.occurred[i], c.expires[i], c.by[i] = m.hash, m.negated, m.validFrom, m.validTo, m.occurredAt, m.expiresAt, m.supersededBy
	}
	return c
}

func queueMemories(b *pgx.Batch, tenant string, all []*held) {
	n := len(all)
	scopes, apps, users := make([]int64, n), make([]*string, n), make([]*string, n)
	actors, roles, verbatim := make([]*string, n), make([]string, n), make([]bool, n)
	for i, m := range all {
		scopes[i], apps[i], users[i] = m.scopeID, some(m.app), some(m.user)
		actors[i], roles[i], verbatim[i] = some(m.actor), m.role, m.verbatim
	}
	c := columnsOf(all)
	b.Queue(memoryInsert, tenant, c.ids, scopes, apps, users, c.agents, c.runs, actors, roles, c.scopes, c.types, c.categories, c.metadata, c.texts, c.hashes,
		verbatim, c.slots, c.negated, c.extractors, c.from, c.occurred, c.expires, c.to, c.by, c.subjects, c.values)
}

// queueChanged writes what follows from other mentions than before.
func queueChanged(b *pgx.Batch, tenant string, all []*held) {
	c := columnsOf(all)
	b.Queue(memoryUpdate, tenant, c.ids, c.agents, c.runs, c.metadata, c.scopes, c.types, c.categories, c.from, c.occurred, c.expires,
		c.texts, c.slots, c.negated, c.extractors, c.to, c.by, c.subjects, c.values, c.hashes)
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

func queueMemoryPostings(b *pgx.Batch, tenant string, memories []*held) {
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

// asksTerm is the term of the posting of every message that ends with a question: what
// comes right after one often is its answer.
const asksTerm int32 = 1

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
		if endsAsking(m.text) {
			p.term = asksTerm
			all = append(all, p)
		}
		for _, t := range terms {
			if t.Hash != wholeMessage && t.Hash != asksTerm {
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
