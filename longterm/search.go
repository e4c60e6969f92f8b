package longterm

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/pgvector/pgvector-go"
)

// The most hits and the default.
const (
	MaxLimit     = 1000
	defaultHits  = 10
	defaultList  = 100
	maxProposals = 4000
	slack        = 32
	findAgain    = 8
)

// Search gives the memories that have most to do with the query, best first.
//
// Up to Config.Candidates memories each are proposed by the vector, by the words, and by
// the words of the messages around their sources; those are ranked together. With a
// vector there are as many hits as the scope has memories that qualify, up to the limit,
// however little they have to do with the query; without one, only those that share a
// word with it.
//
// It takes two round trips: one for what is near, one for what that is. Further ones are
// needed only for large scopes, if too many of the nearest do not qualify, if others delete
// too many of them meanwhile, and once for what is said of somebody whom the question names
// by a relation (see hop.go) and for what was before or after something (see bare.go).
func (s *Store) Search(ctx context.Context, tenant string, q Query) ([]Hit, error) {
	if strings.TrimSpace(q.Text) == "" {
		return nil, memd.InvalidField("query", "must not be blank")
	}
	switch q.Mode {
	case "":
		q.Mode = ModeHybrid
	case ModeHybrid, ModeVector, ModeLexical:
	default:
		return nil, memd.InvalidField("mode", "must be one of hybrid, vector, lexical")
	}
	if q.Limit < 0 || q.Limit > MaxLimit {
		return nil, memd.InvalidField("limit", "must be between 1 and %d", MaxLimit)
	}
	q.Limit = cmp.Or(q.Limit, defaultHits)
	if q.Vector == nil {
		q.Mode = ModeLexical
	}
	sel, err := newSelection(tenant, q.Scope, q.Filters, q.AllScopes)
	if err != nil {
		return nil, err
	}
	sel.user, sel.assistant = q.ScopesUser, q.ScopesAssistant
	sel.asOf, sel.includeSuperseded, sel.without = q.AsOf, q.IncludeSuperseded, q.ExcludeSources
	if sel.reach == reachUser {
		sel.ownAgent = q.OwnAgentToo
	}
	f := s.newFinding(sel, q)
	if err := f.find(ctx); err != nil {
		return nil, err
	}
	if !f.narrow && q.Mode != ModeLexical && len(f.candidates) < q.Limit && len(f.candidates) < f.memories.documents {
		f.narrow = true
		if err := f.find(ctx); err != nil {
			return nil, err
		}
	}
	// All that was near qualified a moment ago: fewer are left only if others deleted some.
	for again := 0; again < findAgain && f.narrow && len(f.candidates) < min(q.Limit, len(f.near)); again++ {
		if err := f.find(ctx); err != nil {
			return nil, err
		}
	}
	if err := f.further(ctx); err != nil {
		return nil, err
	}
	rank(f.candidates, q.Mode, q.Text, f.asked, q.Relevance)
	return f.hits(), nil
}

// newSelection brings ids and filter together.
func newSelection(tenant string, scope memd.Scope, filters Filter, allScopes bool) (selection, error) {
	sel := selection{tenant: tenant}
	sel.scope, sel.filters = filters.narrow(scope)
	var err error
	sel.reach, sel.values, err = reachOf(sel.scope, sel.filters, allScopes)
	return sel, err
}

// finding is one search on its way.
type finding struct {
	store *Store
	selection
	query    Query
	question question
	asked    *asked
	// narrow decides for each memory whether it qualifies before distances are compared.
	narrow bool
	// exact reads the vectors of large scopes as well.
	exact bool

	// scopeIDs are the memory scopes that hold what is selected.
	scopeIDs           []int64
	memories, messages corpus
	near               []nearby
	// large are the scopes that near leaves to their neighbours.
	large   []int64
	same    []memoryID
	words   map[memoryID]match
	windows *windows
	// about are the memories that hold words of what the question asks; beside, of what it asks for
	// the time before or after of.
	about, beside map[memoryID]match

	candidates []*candidate
}

// nearby is a memory whose vector is near; distance is nil if it has no vector.
type nearby struct {
	id       memoryID
	distance *float64
}

// newFinding begins a search. Where every memory of the scope qualifies, the nearest are found
// without a look at the memories themselves; anything else is decided for each memory before
// distances are compared.
func (s *Store) newFinding(sel selection, q Query) *finding {
	return &finding{store: s, selection: sel, query: q, question: questionOf(q.Text), asked: askedBy(q.Text, q.askedAt()), narrow: !sel.plain()}
}

func (f *finding) find(ctx context.Context) error {
	if err := f.propose(ctx); err != nil {
		return err
	}
	if len(f.near) == 0 && len(f.same) == 0 && len(f.words) == 0 && len(f.windows.places) == 0 {
		return nil
	}
	return f.load(ctx)
}

// propose finds the nearest memories and all postings of the question's terms.
func (f *finding) propose(ctx context.Context) error {
	var memoryHits []memoryHit
	var messageHits []messageHit
	f.scopeIDs, f.memories, f.messages, f.near, f.large, f.same, f.asked.event = nil, corpus{}, corpus{}, nil, nil, nil, nil
	err := f.store.readSelected(ctx, "longterm.search", f.selection, func(b *pgx.Batch) {
		count := f.countStatement()
		queue(b, count).Query(func(rows pgx.Rows) error { return f.scanCounts(rows) })
		same := f.sameStatement()
		queue(b, same).Query(scanIDs(&f.same))
		if spans := f.asked.spans(); len(spans) > 0 && f.query.Mode != ModeVector {
			st := &statement{}
			queue(b, st.write(f.timeStatement(st, spans))).Query(scanIDs(&f.same))
		}
		if f.query.Pinned {
			queue(b, f.pinnedStatement("m.id", f.query.Limit)).Query(scanIDs(&f.same))
		}
		if f.query.Mode != ModeLexical {
			queue(b, f.nearStatement()).Query(f.scanNear)
		}
		if f.query.Mode == ModeVector || len(f.question.hashes) == 0 {
			return
		}
		queue(b, f.memoryPostings()).Query(func(rows pgx.Rows) error {
			var h memoryHit
			_, err := pgx.ForEachRow(rows, []any{&h.term, &h.memory, &h.tf, &h.length}, func() error {
				memoryHits = append(memoryHits, h)
				return nil
			})
			return err
		})
		queue(b, f.messagePostings()).Query(func(rows pgx.Rows) error {
			var h messageHit
			_, err := pgx.ForEachRow(rows, []any{&h.term, &h.session, &h.position, &h.tf, &h.length}, func() error {
				messageHits = append(messageHits, h)
				return nil
			})
			return err
		})
	})
	f.words = matchMemories(f.question, f.memories, memoryHits)
	f.about = f.words
	if f.asked.side != 0 {
		rest, beside := f.question.parted(f.asked.beside)
		f.about = matchMemories(rest, f.memories, memoryHits)
		f.beside = matchMemories(beside, f.memories, memoryHits)
	}
	f.windows = gatherWindows(f.question, f.messages, messageHits)
	if err != nil || len(f.large) == 0 {
		return err
	}
	return f.askNeighbours(ctx)
}

func queue(b *pgx.Batch, st *statement) *pgx.QueuedQuery { return b.Queue(st.sql.String(), st.args...) }

func scanIDs(into *[]memoryID) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var id memoryID
		_, err := pgx.ForEachRow(rows, []any{&id}, func() error {
			*into = append(*into, id)
			return nil
		})
		return err
	}
}

// countStatement gives the scopes that are searched with their sizes. Those are kept, not
// counted.
func (f *finding) countStatement() *statement {
	st := &statement{}
	scopes := f.scopes(st)
	return st.write("SELECT c.id, c.memories, c.memory_terms, c.messages, c.message_terms",
		" FROM (", scopes, ") s CROSS JOIN LATERAL (SELECT * FROM memory_scope WHERE id = s.id AND tenant_id = ", st.bind(f.tenant, "text"), " OFFSET 0) c")
}

func (f *finding) scanCounts(rows pgx.Rows) error {
	var id int64
	var memories, messages corpus
	_, err := pgx.ForEachRow(rows, []any{&id, &memories.documents, &memories.terms, &messages.documents, &messages.terms}, func() error {
		f.scopeIDs = append(f.scopeIDs, id)
		f.memories = f.memories.plus(memories)
		f.messages = f.messages.plus(messages)
		return nil
	})
	return err
}

// sameStatement finds the memories that say just what the query says.
func (f *finding) sameStatement() *statement {
	st := &statement{}
	scopes := f.scopes(st)
	return st.write("SELECT m.id FROM (", scopes, ") s CROSS JOIN LATERAL (SELECT id FROM memory m WHERE m.scope_id = s.id AND m.hash = ANY (",
		st.bind(hashesOf(f.query.Text), "text[]"), ") AND m.tenant_id = ", st.bind(f.tenant, "text"), f.conditions(st), " LIMIT ", st.bind(f.store.cfg.Candidates, "int"), ") m")
}

// wanted is how many are proposed: some more than asked for, since others may delete what
// is proposed before it is loaded.
func (f *finding) wanted() int { return max(f.store.cfg.Candidates, f.query.Limit+slack) }

// nearStatement finds the memories whose vectors are nearest. Of each scope the vectors
// are read in one piece, and nothing else; with narrow the memories are read first, and
// the vectors only of those that qualify. Scopes whose neighbours can be asked are left
// out and named after the memories.
func (f *finding) nearStatement() *statement {
	st := &statement{}
	tenant, model := st.bind(f.tenant, "text"), st.bind(f.query.Model, "text")
	vector := st.bind(pgvector.NewHalfVector(f.query.Vector), "halfvec")
	limit := st.bind(f.wanted(), "int")
	ordinary, large := f.selection, ""
	if has := f.hasNeighbours(st, model); has != "" {
		ordinary.scopesThat = " AND NOT (" + has + ")"
		asked := f.selection
		asked.scopesThat = " AND " + has
		large = " UNION ALL SELECT NULL, NULL, id FROM (" + asked.scopes(st) + ") s"
	}
	if f.narrow {
		memories := ordinary.memories(st)
		return st.write("(SELECT m.id, e.distance, NULL::bigint FROM ", memories, " LEFT JOIN LATERAL (SELECT embedding <=> ", vector, " AS distance FROM memory_embedding e WHERE e.scope_id = m.scope_id AND e.model = ", model,
			" AND e.memory_id = m.id AND e.tenant_id = ", tenant, " OFFSET 0) e ON true ORDER BY e.distance, m.created_at DESC, m.id DESC LIMIT ", limit, ")", large)
	}
	return st.write("(SELECT e.memory_id, e.distance, NULL::bigint FROM (", ordinary.scopes(st), ") s CROSS JOIN LATERAL (SELECT memory_id, embedding <=> ", vector, " AS distance FROM memory_embedding e WHERE e.scope_id = s.id AND e.model = ", model,
		" AND e.tenant_id = ", tenant, " AND e.live ORDER BY distance LIMIT ", limit, ") e ORDER BY e.distance LIMIT ", limit, ")", large)
}

func (f *finding) scanNear(rows pgx.Rows) error {
	var id *memoryID
	var distance *float64
	var scopeID *int64
	_, err := pgx.ForEachRow(rows, []any{&id, &distance, &scopeID}, func() error {
		if scopeID != nil {
			f.large = append(f.large, *scopeID)
		} else {
			f.near = append(f.near, nearby{*id, distance})
		}
		return nil
	})
	return err
}

func (f *finding) memoryPostings() *statement {
	st := &statement{}
	return st.write("SELECT p.term, p.memory_id, p.tf, p.length FROM (", f.scopes(st), ") s CROSS JOIN LATERAL (SELECT term, memory_id, tf, length FROM memory_posting WHERE scope_id = s.id AND term = ANY (",
		st.bind(f.question.hashes, "int[]"), ") AND tenant_id = ", st.bind(f.tenant, "text"), " OFFSET 0) p")
}

func (f *finding) messagePostings() *statement {
	st := &statement{}
	return st.write("SELECT p.term, p.session_no, p.position, p.tf, p.length FROM (", f.scopes(st), ") s CROSS JOIN LATERAL (SELECT term, session_no, position, tf, length FROM message_posting WHERE scope_id = s.id AND term = ANY (",
		st.bind(f.question.hashes, "int[]"), ") AND tenant_id = ", st.bind(f.tenant, "text"), " OFFSET 0) p")
}

// load reads the proposed memories that qualify, with what the ranking needs of them.
func (f *finding) load(ctx context.Context) error {
	st := f.loadStatement()
	f.candidates = nil
	return f.store.readSelected(ctx, "longterm.search", f.selection, func(b *pgx.Batch) {
		queue(b, st).Query(f.scanCandidates)
		if len(f.beside) > 0 && f.query.Mode != ModeVector {
			queue(b, f.eventStatement()).Query(f.scanEvent)
		}
	})
}

// loadStatement gives the memories found by each way that qualify. With narrow, those
// found by words are tried best first until enough qualify, so that others keep none out;
// without, nearly all do.
func (f *finding) loadStatement() *statement {
	st := &statement{}
	q := f.qualification(st)
	near := f.nearIDs()
	others := slices.DeleteFunc(slices.Clone(f.same), func(id memoryID) bool { return slices.Contains(near, id) })
	known := st.bind(append(near, others...), "uuid[]")
	if f.complete() {
		return f.details(st, q, known, len(others) == 0)
	}
	proposals := f.wanted()
	qualify, enough := "", ""
	if f.narrow {
		proposals = max(maxProposals, proposals)
		qualify = " CROSS JOIN LATERAL (SELECT FROM memory m WHERE m.id = u.id AND m.tenant_id = " + q.tenant + q.where + " OFFSET 0) m"
		enough = " LIMIT " + st.bind(f.wanted(), "int")
	}
	byWords, places := bestMemories(f.words, proposals), f.windows.best(proposals)
	sessions, positions := make([]int64, len(places)), make([]int32, len(places))
	for i, p := range places {
		sessions[i], positions[i] = p.session, p.position
	}
	st.write("WITH pool AS MATERIALIZED (SELECT u.id FROM unnest(", known, ") AS u (id)",
		" UNION ALL (SELECT u.id FROM unnest(", st.bind(byWords, "uuid[]"), ") AS u (id)", qualify, enough, ")",
		" UNION ALL (SELECT u.id FROM unnest(", st.bind(sessions, "bigint[]"), ", ", st.bind(positions, "int[]"), ") AS p (session_no, position)",
		" CROSS JOIN LATERAL (SELECT x.memory_id AS id FROM memory_source x WHERE x.session_no = p.session_no AND x.position = p.position AND x.tenant_id = ", q.tenant, " OFFSET 0) u",
		qualify, enough, "))")
	return f.details(st, q, "ARRAY(SELECT id FROM pool)", false)
}

// nearIDs are those of what is near.
func (f *finding) nearIDs() []memoryID {
	ids := make([]memoryID, len(f.near), len(f.near)+len(f.same))
	for i, n := range f.near {
		ids[i] = n.id
	}
	return ids
}

// complete says that all that qualifies is among what is near already: of a scope of ordinary
// size nothing else can be proposed by words.
func (f *finding) complete() bool {
	return f.query.Mode != ModeLexical && len(f.large) == 0 && (!f.narrow && len(f.near) >= f.memories.documents || f.narrow && len(f.near) < f.wanted())
}

// qualification is what makes a memory m one that is wanted: whose it is, in which scope, and
// what else holds of it, as a statement has bound it.
type qualification struct{ tenant, scope, where string }

func (f *finding) qualification(st *statement) qualification {
	q := qualification{st.bind(f.tenant, "text"), "m.scope_id", f.conditions(st)}
	if f.reach == reachUser || f.reach == reachTenant {
		// A place in a session may be of another app than the memories asked for. + 0 keeps
		// each memory from being looked for among all of the scope.
		if len(f.scopeIDs) == 1 {
			// Known before the first row is read, it leaves one partition of the vectors.
			q.scope = st.bind(f.scopeIDs[0], "bigint")
			q.where += " AND m.scope_id + 0 = " + q.scope
		} else {
			q.where += " AND m.scope_id + 0 = ANY (" + st.bind(f.scopeIDs, "bigint[]") + ")"
		}
	}
	return q
}

// details writes what scanCandidates reads of those among some memories that qualify: the
// memories, and then a row for each message that states one of them. Of both tables the index
// is gone through once, not once for each memory. near says that all of them are near, of which
// the distance is known.
func (f *finding) details(st *statement, q qualification, ids string, near bool) *statement {
	distance := "NULL::float8"
	if f.query.Mode != ModeLexical && !near {
		distance = "CASE WHEN m.id <> ALL (" + st.bind(f.nearIDs(), "uuid[]") + ") THEN (SELECT embedding <=> " + st.bind(pgvector.NewHalfVector(f.query.Vector), "halfvec") + " FROM memory_embedding e WHERE e.scope_id = " + q.scope +
			" AND e.model = " + st.bind(f.query.Model, "text") + " AND e.memory_id = m.id AND e.tenant_id = " + q.tenant + ") END"
	}
	return st.write(" SELECT ", memoryColumns, ", ",
		// Only of people with names it has a weight.
		"coalesce(CASE WHEN m.actor_id <> '' AND m.role <> 'assistant' THEN EXISTS (SELECT FROM (SELECT session_no, position FROM memory_source x WHERE x.memory_id = m.id AND x.tenant_id = ", q.tenant, " OFFSET 0) x",
		" CROSS JOIN LATERAL (SELECT FROM message_posting q WHERE q.scope_id = ", q.scope, " AND q.term = ", st.bind(asksTerm, "int"),
		" AND q.session_no = x.session_no AND q.position = x.position - 1 AND q.tenant_id = ", q.tenant, " OFFSET 0) q) END, false), ",
		distance, ", NULL::bigint, NULL::bigint, NULL::int FROM memory m WHERE m.id = ANY (", ids, ") AND m.tenant_id = ", q.tenant, q.where,
		" UNION ALL SELECT x.memory_id, ", strings.Repeat("NULL, ", memoryColumnsRead+1), "x.message_id, x.session_no, x.position",
		" FROM memory_source x WHERE x.memory_id = ANY (", ids, ") AND x.tenant_id = ", q.tenant)
}

// madeAtOnce is how many candidates are made at a time.
const madeAtOnce = 32

// scanCandidates reads what details writes and looks up what the words say of each.
func (f *finding) scanCandidates(rows pgx.Rows) error {
	distances := make(map[memoryID]*float64, len(f.near))
	for _, n := range f.near {
		distances[n.id] = n.distance
	}
	type source struct {
		memory  memoryID
		message int64
		place
	}
	var sources []source
	const ofSource = memoryColumnsRead + 2 // where a row has what is of a source
	into := make([]any, ofSource+3)
	read := make(map[memoryID]*candidate, len(f.near))
	var fresh []candidate // made many at a time
	var fields []any
	for rows.Next() {
		if rows.RawValues()[ofSource] != nil {
			var s source
			into[0], into[ofSource], into[ofSource+1], into[ofSource+2] = &s.memory, &s.message, &s.session, &s.position
			if err := rows.Scan(into...); err != nil {
				return err
			}
			sources = append(sources, s)
			continue
		}
		if len(fresh) == 0 {
			fresh = make([]candidate, madeAtOnce)
		}
		c := &fresh[0]
		fresh = fresh[1:]
		c.alone = true
		var distance *float64
		fields = append(c.fields(fields[:0]), &c.answering, &distance, nil, nil, nil)
		if err := rows.Scan(fields...); err != nil {
			return err
		}
		c.words, c.about = f.words[c.id], f.about[c.id].coverage
		if distance == nil {
			distance = distances[c.id]
		}
		if distance != nil {
			c.similarity, c.embedded = 1-*distance, true
		}
		read[c.id] = c
		f.candidates = append(f.candidates, c)
	}
	for _, s := range sources {
		c := read[s.memory]
		if c == nil { // it does not qualify
			continue
		}
		c.alone = false
		c.Sources = append(c.Sources, s.message)
		if m := f.windows.match(s.place); m.score > c.window.score {
			c.window = m
		}
	}
	return rows.Err()
}

func (f *finding) hits() []Hit {
	hits := []Hit{}
	if f.query.Pinned {
		slices.SortStableFunc(f.candidates, func(a, b *candidate) int {
			switch {
			case a.Pinned == b.Pinned:
				return 0
			case a.Pinned:
				return -1
			}
			return 1
		})
	}
	for _, c := range f.candidates {
		if len(hits) == f.query.Limit || c.score < f.query.Threshold && !(f.query.Pinned && c.Pinned) {
			break
		}
		h := Hit{Memory: c.memory(), Score: c.score, Similarity: c.similarity, Unembedded: f.query.Vector != nil && !c.embedded, Passage: f.question.passage(c.Memory.Memory)}
		if f.query.Explain {
			h.Explain = c.explain()
		}
		hits = append(hits, h)
	}
	return hits
}
