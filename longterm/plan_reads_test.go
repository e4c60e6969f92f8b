package longterm

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
	"github.com/pgvector/pgvector-go"
)

// crowd is alice with as many memories as mine beside twenty others with a hundred each, of
// two tenants, all of which carry the same agent and the same run.
type crowd struct {
	*bench
	owner *pgx.Conn
	// said are the messages that alice's memories were learned from.
	said []memd.Message
	// text is one of alice's memories, learned one of those from messages.
	text, learned string
}

const (
	mine        = 20
	sharedAgent = "everyone's agent"
	sharedRun   = "everyone's run"
)

func newCrowd(t *testing.T) *crowd {
	c := &crowd{bench: newStoreWith(t, postgres.Config{MaxConns: 2})}
	owner, err := pgx.Connect(t.Context(), c.bench.owner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = owner.Close(t.Context()) })
	c.owner = owner
	return c
}

// analyse has Postgres look at its tables.
func (c *crowd) analyse() {
	c.Helper()
	if _, err := c.owner.Exec(c.ctx(), "ANALYZE"); err != nil {
		c.Fatal(err)
	}
}

// gather fills the database.
func (c *crowd) gather() {
	c.Helper()
	add := func(tenant string, scope memd.Scope, n int) {
		scope.AppID = "p"
		var vs []Verbatim
		for i := range n {
			c.text = fmt.Sprintf("green tea and cup %d of %s", i, scope.Describe())
			vs = append(vs, Verbatim{Scope: scope, Text: c.text, Role: "user", Vector: vectorOf(c.text), Model: model, Metadata: json.RawMessage(`{"n":1}`)})
		}
		if _, err := c.AddVerbatim(c.ctx(), tenant, vs); err != nil {
			c.Fatal(err)
		}
	}
	learn := func(who string) []memd.Message {
		var said []memd.Message
		for i := range mine / 2 {
			said = append(said, memd.Message{UserID: who, SessionID: who + "'s", AgentID: sharedAgent, AppID: "p", Text: fmt.Sprintf("black tea and mug %d of %s", i, who)})
		}
		return c.learn(said...)
	}
	person := func(who string) memd.Scope {
		return memd.Scope{UserID: who, AgentID: sharedAgent, RunID: sharedRun}
	}
	for i := range 20 {
		who := fmt.Sprintf("user%d", i)
		add(tenant, person(who), 100)
		add("other", person(who), 100)
		add(tenant, memd.Scope{AgentID: who + "'s helper"}, mine)
		learn(who)
	}
	add(tenant, memd.Scope{AgentID: "helper"}, mine)
	c.said = learn("alice")
	c.learned = c.said[0].Text
	add("other", person("alice"), 100)
	add(tenant, person("alice"), mine)
}

// check holds the plan of a statement to indexes that are narrowed, and to reading about as
// much as alice has. What it wrote is undone.
func (c *crowd) check(label string, st *statement) {
	c.Helper()
	c.checkReads(label, st, 8*mine)
}

// checkReads is check for what may read so many rows of a table.
func (c *crowd) checkReads(label string, st *statement, most float64) {
	c.Helper()
	undone := errors.New("undone")
	err := c.pool.InTenant(c.ctx(), tenant, func(tx pgx.Tx) error {
		if _, err := tx.Exec(c.ctx(), pinPlans); err != nil {
			return err
		}
		c.explain(tx, st).each(func(p plan) {
			if p.Relation == "" || p.Type == "ModifyTable" {
				return
			}
			if !strings.HasPrefix(p.Type, "Index") || p.IndexCond == "" {
				c.Errorf("%s: %s on %s by %s reads a whole table", label, p.Type, p.Relation, p.Index)
			}
			if read := (p.Rows + p.Removed) * p.Loops; read > most {
				c.Errorf("%s: %s on %s by %s reads %v rows for who has %d", label, p.Type, p.Relation, p.Index, read, mine)
			}
		})
		return undone
	})
	if !errors.Is(err, undone) {
		c.Fatalf("%s: %v", label, err)
	}
}

// throughout calls each while the database is empty and when it is full, both before and
// after Postgres has looked at it.
func (c *crowd) throughout(each func(when string)) {
	each("empty")
	c.analyse()
	each("known to be empty")
	c.gather()
	each("before statistics")
	c.analyse()
	each("with statistics")
}

// TestWhateverIsAskedReadsNothingOfOthers looks at the plans of searches and lists with all
// that can narrow them. Others' memories carry the same agent and run.
func TestWhateverIsAskedReadsNothingOfOthers(t *testing.T) {
	c := newCrowd(t)
	alice := memd.Scope{UserID: "alice"}
	later := time.Now().Add(time.Hour)
	listed := `{"user_id":["alice","nobody"]}`
	c.throughout(func(when string) {
		without := []int64{0}
		for _, m := range c.said {
			without = append(without, m.ID)
		}
		for name, q := range map[string]struct {
			scope  memd.Scope
			filter string
			change func(*selection)
		}{
			"an app":                            {memd.Scope{UserID: "alice", AppID: "p"}, "", nil},
			"an app, filtered":                  {memd.Scope{UserID: "alice", AppID: "p"}, `{"n":1}`, nil},
			"the agent of an app":               {memd.Scope{AgentID: "helper", AppID: "p"}, "", nil},
			"own agent":                         {alice, "", func(s *selection) { s.ownAgent = "helper" }},
			"own agent, filtered":               {alice, `{"n":1}`, func(s *selection) { s.ownAgent = "helper" }},
			"own agent of an app":               {memd.Scope{UserID: "alice", AppID: "p"}, "", func(s *selection) { s.ownAgent = "helper" }},
			"without sources":                   {alice, "", func(s *selection) { s.without = without }},
			"as of":                             {alice, "", func(s *selection) { s.asOf = &later }},
			"with what is superseded":           {alice, "", func(s *selection) { s.includeSuperseded = true }},
			"what the assistant said":           {alice, "", func(s *selection) { s.assistant = true }},
			"users listed":                      {memd.Scope{}, listed, nil},
			"users listed, all narrowed":        {memd.Scope{AppID: "p"}, listed, func(s *selection) { s.asOf, s.without, s.user, s.ownAgent = &later, without, true, "helper" }},
			"agents listed":                     {memd.Scope{}, `{"agent_id":["helper","nobody"]}`, nil},
			"runs listed":                       {memd.Scope{}, `{"run_id":["alice's","nobody's"]}`, nil},
			"users listed beside an agent":      {memd.Scope{AgentID: sharedAgent}, listed, nil},
			"users listed beside a run":         {memd.Scope{RunID: sharedRun}, listed, nil},
			"users listed beside both":          {memd.Scope{AgentID: sharedAgent, RunID: sharedRun, AppID: "p"}, listed, nil},
			"users listed beside listed agents": {memd.Scope{}, `{"user_id":["alice"],"agent_id":["` + sharedAgent + `"]}`, nil},
			"runs listed beside an agent":       {memd.Scope{AgentID: sharedAgent}, `{"run_id":["alice's"]}`, nil},
		} {
			sel, err := newSelection(tenant, q.scope, filter(t, q.filter), false)
			if err != nil {
				t.Fatal(err)
			}
			if q.change != nil {
				q.change(&sel)
			}
			asked := ask("green tea", q.scope)
			asked.Mode, asked.Limit = ModeHybrid, 10
			find := c.newFinding(sel, asked)
			if err := find.propose(t.Context()); err != nil {
				t.Fatal(err)
			}
			if find.scopeIDs == nil {
				find.scopeIDs = []int64{0} // see TestNothingScansWhatOthersHave
			}
			for what, st := range map[string]*statement{
				"count": find.countStatement(), "same": find.sameStatement(), "near": find.nearStatement(), "load": find.loadStatement(), "load of more": find.loadOfMore(),
				"hop": find.hopStatement(find.question.hashes), "time": find.timesOf(anySpan...), "event": find.eventStatement(), "beside": find.besideStatement(anySpan), "memory postings": find.memoryPostings(), "message postings": find.messagePostings(),
				"total": sel.countStatement(), "page": sel.pageStatement(10, 0, nil), "next page": sel.pageStatement(10, 0, &cursor{later, memoryID{1}}),
				"keys": sel.keysStatement(), "ids": sel.idsStatement([][]byte{{1}}), "pinned": sel.pinnedStatement(memoryColumns+", "+sourcesColumn, 10),
			} {
				c.check(fmt.Sprintf("%s, %s, %s", when, name, what), st)
			}
			if when == "with statistics" && len(find.near) == 0 && name != "what the assistant said" {
				t.Errorf("%s finds nothing", name)
			}
		}
	})
}

// TestWhatIsPinnedIsReadAlone looks for it where a person has nothing pinned, and a little:
// nothing else of theirs is read.
func TestWhatIsPinnedIsReadAlone(t *testing.T) {
	c := newCrowd(t)
	look := func(when string, has float64) {
		for name, change := range map[string]func(*selection){
			"alone": func(*selection) {}, "own agent": func(s *selection) { s.ownAgent = "helper" },
			"without sources": func(s *selection) { s.without = []int64{0} }, "of an agent": func(s *selection) { s.scope.AgentID = sharedAgent },
		} {
			sel, err := newSelection(tenant, memd.Scope{UserID: "alice"}, Filter{}, false)
			if err != nil {
				t.Fatal(err)
			}
			change(&sel)
			st := sel.pinnedStatement(memoryColumns+", "+sourcesColumn, 10)
			err = c.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
				if _, err := tx.Exec(t.Context(), pinPlans); err != nil {
					return err
				}
				there := false
				c.explain(tx, st).each(func(p plan) {
					if p.Relation != "memory" {
						return
					}
					there = true
					if read := (p.Rows + p.Removed) * p.Loops; p.Index != "memory_pinned" || p.IndexCond == "" || read > has {
						t.Errorf("%s, %s: %s by %s reads %v rows of %v that are pinned", when, name, p.Type, p.Index, read, has)
					}
				})
				if !there {
					t.Errorf("%s, %s: no memory is looked for", when, name)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	c.throughout(func(when string) { look(when, 0) })
	pin := true
	for _, m := range c.list(ListQuery{Scope: user("alice")})[:2] {
		c.edit(Edit{ID: m.ID, Pinned: &pin})
	}
	look("with two pinned", 2)
	c.analyse()
	look("with two pinned and statistics", 2)
}

// TestKnownThingsAreReadAlone looks at the plans of what is read and written by ids.
func TestKnownThingsAreReadAlone(t *testing.T) {
	c := newCrowd(t)
	c.throughout(func(when string) {
		messages := []int64{0}
		for _, m := range c.said {
			messages = append(messages, m.ID)
		}
		ids, scopes := []memoryID{{}}, []int64{0}
		for _, m := range c.list(ListQuery{Scope: user("alice")}) {
			id, _ := parseID(m.ID)
			ids, scopes = append(ids, id), append(scopes, query[int64](c.bench, `SELECT scope_id FROM memory WHERE id = $1`, m.ID))
		}
		id, scope := ids[len(ids)-1], scopes[len(scopes)-1]
		key := identity{app: "p", user: "alice"}.key(tenant)
		keys, hashes := [][]byte{key[:], key[:], []byte("none")}, []string{hashOf(c.text), hashOf(c.learned), hashOf(c.text)}
		texts, vectors := make([]string, len(ids)), make([]pgvector.HalfVector, len(ids))
		places, small := make([]int32, len(ids)), make([]int16, len(ids))
		for i := range vectors {
			vectors[i] = pgvector.NewHalfVector(vectorOf("x"))
		}
		fixed := func(sql string, args ...any) *statement {
			st := &statement{args: append([]any{tenant}, args...)}
			return st.write(sql)
		}
		one := []string{"x"}
		statements := map[string]*statement{
			"one": fixed(memorySelect, id, "alice", ""), "permitted": fixed(permittedSelect, id, "alice", ""), "history": fixed(historySelect, id),
			"memories of": fixed(memoriesOfSelect, messages), "events of": fixed(eventsOfSelect, messages),
			"scopes": fixed(scopeSelect, keys), "sessions": fixed(sessionSelect, []string{"alice"}, []string{"alice's"}), "messages": fixed(messageSelect, messages),
			"verbatim":   fixed(verbatimSelect, keys, hashes),
			"unembedded": fixed(unembeddedSelect, ids), "vectors": fixed(vectorInsert, model, ids, texts, vectors),
			"history, added":  fixed(historyInsert, ids[:1], scopes[:1], []string{EventNone}, one, one, one, one, one, []string{"{1}"}, []*string{nil}, []bool{true}),
			"history, undone": fixed(undoneUpdate, int64(1)),
			"calibration":     fixed(calibrationSelect, model), "overruled": fixed(overruledDelete, messages),
			"neighbours, try": fixed(neighboursTry, scope), "neighbours, state": fixed(neighboursState, scope), "neighbours, opened": fixed(neighboursOpened, scope, model, dimensions),
			"neighbours, closed": fixed(neighboursClosed, scope), "neighbours, up to": fixed(neighboursUpTo, scope, id, false),
			"neighbours, compare": fixed(neighboursCompare, scope, model, dimensions, memoryID{}, comparedAtOnce),
			"neighbours, mend":    fixed(neighboursMend, scope, "another", ids), "neighbours, clear": fixed(neighboursClear, scope, model, memoryID{}, id),
		}
		var session int64
		if c.said != nil {
			session = query[int64](c.bench, `SELECT session_no FROM conversation_context WHERE id = $1`, c.said[0].ID)
		}
		sessions, whose := []int64{session}, slices.Compact(slices.Sorted(slices.Values(scopes)))
		for what, st := range map[string]*statement{
			"keys": fixed(personKeys, "alice", sessions), "scopes": fixed(personScopes, "alice"), "held elsewhere": fixed(heldElsewhere, "alice", sessions),
			"sources elsewhere": fixed(sourcesErased, ids, messages), "history elsewhere": fixed(historyElsewhere, ids, messages),
			"memories": fixed(memoriesErased, whose), "neighbours": fixed(neighboursErased, whose), "neighbours known": fixed(neighboursForgotten, whose),
			"vectors": fixed(vectorsErased, whose), "words of messages": fixed(messagePostingsErased, whose),
			"mentions": fixed(mentionsErased, ids), "sources": fixed(sourcesOfErased, ids), "without vectors": fixed(unembeddedErased, ids),
			"requests": fixed(requestsErased, whose), "retained": fixed(retainedErased, whose), "history": fixed(historyErased, whose),
			"origins": fixed(originsErased, whose), "rows": fixed(memoryErased, whose), "identities": fixed(scopesErased, scopes[:1]), // on others memories hang

			"overruled, by message": fixed(overruledErased, "alice", messages), "requests, by message": fixed(requestsOfErased, "alice", messages),
			"retained, by message": fixed(retainedOfErased, "alice", messages), "told": fixed(toldMessages, messages), "told, overruled": fixed(toldOverruled, "alice", messages),
			"told, forgotten": fixed(toldForgotten, messages), "told, gone": fixed(toldGone, "alice", messages), "told, away": fixed(toldAway, "alice", awayMost), "summed up": fixed(unsum, messages),
		} {
			statements["erase, "+what] = st
		}
		// Of words a person has several to a memory: these are read, and no others.
		words := query[int64](c.bench, `SELECT count(*) FROM memory_posting WHERE scope_id = ANY ($1)`, whose)
		if when == "with statistics" && words < mine {
			t.Errorf("%d words", words)
		}
		c.checkReads(when+", erase, words", fixed(postingsErased, whose), float64(words))
		if len(ids) > 1 { // rows of their own are new to each scope
			statements["index memories"] = fixed(memoryPostingInsert, scopes[1:], places[1:], ids[1:], small[1:], small[1:], scopes[1:2], places[1:2], scopes[1:2])
			statements["index messages"] = fixed(messagePostingInsert, scopes[1:], places[1:], scopes[1:], places[1:], small[1:], small[1:], 1)
		}
		for what, st := range statements {
			c.check(when+", "+what, st)
		}
	})
}

// readsTables are statements that look for rows in tables.
var readsTables = regexp.MustCompile(`(?i)\b(FROM|JOIN|UPDATE)\s+(memory|conversation_|embedding_|ingest_|person)`)

// TestEveryStatementIsPlanned fails when a statement with a fixed text is added that is not
// prepared in TestQueriesPrepare, or that reads tables and has no test of its plan.
func TestEveryStatementIsPlanned(t *testing.T) {
	stated, planned := map[string]string{}, map[string]bool{}
	names, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	begins := regexp.MustCompile(`(?i)^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|MERGE|TRUNCATE|LOCK|SET)\s`)
	for _, name := range names {
		if !strings.HasSuffix(name.Name(), ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name.Name(), "_test.go") {
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 {
					f, isName := call.Fun.(*ast.Ident)
					if sql, ok := call.Args[0].(*ast.Ident); ok && isName && f.Name == "fixed" {
						planned[sql.Name] = true
					}
				}
				return true
			})
			continue
		}
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				s, ok := s.(*ast.ValueSpec)
				if !ok {
					continue
				}
				for i, v := range s.Values {
					if text := literal(v); begins.MatchString(text) {
						stated[s.Names[i].Name] = text
					}
				}
			}
		}
	}
	for _, name := range []string{"pinPlans", "unpinPlans"} { // settings, of every batch
		delete(stated, name)
	}
	if len(stated) < 50 || len(planned) < 30 {
		t.Fatalf("%d statements and %d plans are found", len(stated), len(planned))
	}
	for _, name := range slices.Sorted(maps.Keys(stated)) {
		if parts[name] {
			continue
		}
		if fixedStatements[name] == "" {
			t.Errorf("%s is not among those that TestQueriesPrepare prepares", name)
		}
		if readsTables.MatchString(stated[name]) && !planned[name] && name != "storedModels" { // which is asked once, at the start, of the newest of any tenant
			t.Errorf("nobody looks at the plan of %s", name)
		}
	}
}

// literal joins the literals of a constant's value.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if err != nil {
			return "" // a number
		}
		return text
	case *ast.BinaryExpr:
		return literal(e.X) + literal(e.Y)
	}
	return ""
}
