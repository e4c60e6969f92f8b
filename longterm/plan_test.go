package longterm

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// fixedStatements are those of queries.go.
var fixedStatements = map[string]string{
	"categoriesSaid": categoriesSaid, "otherwiseStated": otherwiseStated, "rewritingSettled": rewritingSettled,
	"storedModels": storedModels, "relationSelect": relationSelect, "relatedSelect": relatedSelect,
	"shareTenant": shareTenant, "lockTenant": lockTenant, "lockScopes": lockScopes, "scopeInsert": scopeInsert, "scopeSelect": scopeSelect, "sessionSelect": sessionSelect,
	"messageSelect": messageSelect, "verbatimSelect": verbatimSelect,
	"slotsOfKind": slotsOfKind, "concernedSelect": concernedSelect, "concernedMentions": concernedMentions, "goneSelect": goneSelect,
	"namedSelect": namedSelect, "statedBefore": statedBefore, "goneBefore": goneBefore, "goneOfMessages": goneOfMessages, "retainedSelect": retainedSelect, "requestSelect": requestSelect, "mentionInsert": mentionInsert,
	"mentionDelete": mentionDelete, "mentionDeleteOf": mentionDeleteOf, "mentionsDeleted": mentionsDeleted, "requestInsert": requestInsert,
	"requestDelete": requestDelete, "retainedInsert": retainedInsert, "scopeRowSelect": scopeRowSelect, "historyScope": historyScope,
	"undoableSelect": undoableSelect, "undoneUpdate": undoneUpdate, "endingUndone": endingUndone, "mentionRestore": mentionRestore, "memoryRestore": memoryRestore,
	"sourceRestore": sourceRestore, "provenanceRestore": provenanceRestore, "overruledBack": overruledBack, "overruledDelete": overruledDelete, "retainedDelete": retainedDelete,
	"memoryInsert": memoryInsert, "memoryUpdate": memoryUpdate, "sourceInsert": sourceInsert,
	"provenanceInsert": provenanceInsert, "embeddingInsert": embeddingInsert, "embeddingOpenInsert": embeddingOpenInsert,
	"memoryPostingInsert": memoryPostingInsert, "messagePostingInsert": messagePostingInsert, "historyInsert": historyInsert,
	"memoriesOfSelect": memoriesOfSelect, "eventsOfSelect": eventsOfSelect, "memorySelect": memorySelect, "permittedSelect": permittedSelect,
	"findSelect": findSelect, "heldKeys": heldKeys, "heldSelect": heldSelect, "heldSources": heldSources, "messageHolders": messageHolders,
	"withdrawnSelect": withdrawnSelect, "memoryEdit": memoryEdit, "overruledSelect": overruledSelect, "overruledInsert": overruledInsert, "unsumLock": unsumLock, "unsum": unsum,
	"embeddingLive": embeddingLive,
	"sourceDelete":  sourceDelete, "provenanceDelete": provenanceDelete, "messagePostingDelete": messagePostingDelete,
	"expiredDue": expiredDue, "expiredSelect": expiredSelect, "liveByUser": liveByUser,
	"postingDelete": postingDelete, "postingUncount": postingUncount, "embeddingDelete": embeddingDelete, "memoryDelete": memoryDelete,
	"historySelect": historySelect, "embeddingDue": embeddingDue, "unembeddedSelect": unembeddedSelect, "vectorInsert": vectorInsert,
	"calibrationSelect": calibrationSelect, "calibrationInsert": calibrationInsert,
	"neighboursDue": neighboursDue, "neighboursTry": neighboursTry, "neighboursState": neighboursState,
	"neighboursBuild": neighboursBuild, "neighboursAttach": neighboursAttach, "neighboursOpened": neighboursOpened, "neighboursClose": neighboursClose, "neighboursClosed": neighboursClosed,
	"neighboursCompare": neighboursCompare, "neighboursMend": neighboursMend, "neighboursClear": neighboursClear, "neighboursUpTo": neighboursUpTo,
	"widenGraphs": widenGraphs,
	"personKeys":  personKeys, "personScopes": personScopes, "heldElsewhere": heldElsewhere, "historyElsewhere": historyElsewhere, "sourcesErased": sourcesErased,
	"memoriesErased": memoriesErased, "neighboursErased": neighboursErased, "neighboursForgotten": neighboursForgotten, "neighboursTidy": neighboursTidy,
	"vectorsErased": vectorsErased, "postingsErased": postingsErased, "messagePostingsErased": messagePostingsErased, "mentionsErased": mentionsErased,
	"sourcesOfErased": sourcesOfErased, "unembeddedErased": unembeddedErased, "requestsErased": requestsErased, "retainedErased": retainedErased,
	"historyErased": historyErased, "originsErased": originsErased, "memoryErased": memoryErased, "scopesErased": scopesErased,
	"overruledErased": overruledErased, "requestsOfErased": requestsOfErased, "retainedOfErased": retainedOfErased, "toldMessages": toldMessages,
	"originSelect": originSelect, "originGone": originGone, "originEnded": originEnded, "originInsert": originInsert, "originLeft": originLeft, "ownLearned": ownLearned,
	"toldOverruled": toldOverruled, "toldForgotten": toldForgotten, "toldGone": toldGone, "toldAway": toldAway,
}

// parts of statements, not statements.
var parts = map[string]bool{"isRun": true, "sourceColumns": true, "permitted": true, "concernedIDs": true, "scopeColumns": true, "relatedColumns": true}

// built gives the statements that are put together, of every shape that a search or a
// list can have.
func built(t testing.TB, b *bench) map[string]*statement {
	all := map[string]*statement{}
	at := monday
	scopes := map[string]memd.Scope{
		"user": {UserID: "alice"}, "user and all": {UserID: "alice", AgentID: "a", RunID: "r", AppID: "p"}, "agent": {AgentID: "a", AppID: "p"}, "run": {RunID: "r"}, "run and agent": {RunID: "r", AgentID: "a"}, "tenant": {AppID: "p"}, "everyone": {},
	}
	filters := map[string]Filter{"": {}, "filtered": filter(t, `{"n":1,"due":{"gt":"2024-01-01"},"category":["x"],"a.b":{"icontains":"x"},"created_at":{"gte":"2024-01-01"}}`)}
	for name, scope := range scopes {
		for filtered, f := range filters {
			for _, more := range []bool{false, true} {
				sel, err := newSelection(tenant, scope, f, true)
				if err != nil {
					t.Fatal(err)
				}
				label := strings.TrimSpace(fmt.Sprint(name, " ", filtered))
				if more {
					label += " more"
					sel.assistant, sel.asOf, sel.without = true, &at, []int64{1}
					if sel.reach == reachUser {
						sel.ownAgent = "a"
					}
				}
				q := ask("green tea", scope)
				q.Mode, q.Limit = ModeHybrid, 10
				find := b.newFinding(sel, q)
				find.words, find.windows = map[memoryID]match{}, gatherWindows(find.question, corpus{}, nil)
				all[label+": count"], all[label+": same"] = find.countStatement(), find.sameStatement()
				find.scopeIDs = []int64{1}
				all[label+": load of one scope"], all[label+": load of more"] = find.loadStatement(), find.loadOfMore()
				find.scopeIDs = []int64{1, 2}
				all[label+": near"], all[label+": load"] = find.nearStatement(), find.loadStatement()
				if find.hasNeighbours(&statement{}, "") != "" {
					all[label+": neighbours"] = find.neighbourStatement(1)
				}
				all[label+": hop"] = find.hopStatement([]int32{1, 2})
				all[label+": time"], all[label+": event"] = find.timesOf(anySpan...), find.eventStatement()
				find.asked.event = &happening{at: at}
				all[label+": beside"] = find.besideStatement(anySpan)
				all[label+": memory postings"], all[label+": message postings"] = find.memoryPostings(), find.messagePostings()
				find.narrow = true
				all[label+": near, narrow"], all[label+": load, narrow"], all[label+": load of more, narrow"] = find.nearStatement(), find.loadStatement(), find.loadOfMore()
				all[label+": total"], all[label+": page"] = sel.countStatement(), sel.pageStatement(10, 0, &cursor{at, memoryID{}})
				all[label+": told"] = sel.toldStatement([]int64{1})
				all[label+": keys"], all[label+": ids"] = sel.keysStatement(), sel.idsStatement([][]byte{{1}})
				all[label+": pinned"], all[label+": pinned ids"] = sel.pinnedStatement(memoryColumns+", "+sourcesColumn, 10), sel.pinnedStatement("m.id", 10)
			}
		}
	}
	return all
}

// loadOfMore is loadStatement where not all that qualifies is near.
func (f *finding) loadOfMore() *statement {
	more := *f
	more.large = []int64{0}
	return more.loadStatement()
}

func TestQueriesPrepare(t *testing.T) {
	b := newStore(t)
	file, err := parser.ParseFile(token.NewFileSet(), "queries.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			for _, s := range g.Specs {
				if name := s.(*ast.ValueSpec).Names[0].Name; fixedStatements[name] == "" && !parts[name] {
					t.Errorf("%s is not among those prepared here", name)
				}
			}
		}
	}
	conn, err := b.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for name, sql := range fixedStatements {
		if _, err := conn.Conn().Prepare(t.Context(), name, sql); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, st := range built(t, b) {
		if _, err := conn.Conn().Prepare(t.Context(), name, st.sql.String()); err != nil {
			t.Errorf("%s: %v\n%s", name, err, st.sql.String())
		}
	}
}

// plan is what EXPLAIN (FORMAT JSON) gives, as far as it matters.
type plan struct {
	Type      string  `json:"Node Type"`
	Relation  string  `json:"Relation Name"`
	Index     string  `json:"Index Name"`
	IndexCond string  `json:"Index Cond"`
	Rows      float64 `json:"Actual Rows"`
	Loops     float64 `json:"Actual Loops"`
	Removed   float64 `json:"Rows Removed by Filter"`
	Plans     []plan
}

func (p plan) each(visit func(plan)) {
	visit(p)
	for _, inner := range p.Plans {
		inner.each(visit)
	}
}

// explain runs a statement under the plan it has in a search and gives that: the one made
// without its arguments when the connection first ran it.
func (b *bench) explain(tx pgx.Tx, st *statement) plan {
	b.Helper()
	sql := st.sql.String()
	name := "explained_" + hashOf(sql)[:32]
	prepared, err := tx.Prepare(b.ctx(), name, sql)
	if err != nil {
		b.Fatalf("%s: %v", sql, err)
	}
	arguments := make([]string, len(st.args))
	for i, arg := range st.args {
		text, err := tx.Conn().TypeMap().Encode(prepared.ParamOIDs[i], pgx.TextFormatCode, arg, nil)
		if err != nil {
			b.Fatal(err)
		}
		if arguments[i] = "NULL"; text != nil {
			arguments[i] = "'" + strings.ReplaceAll(string(text), "'", "''") + "'"
		}
	}
	var raw []byte
	execute := "EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE " + name + " (" + strings.Join(arguments, ", ") + ")"
	if err := tx.QueryRow(b.ctx(), execute, pgx.QueryExecModeSimpleProtocol).Scan(&raw); err != nil {
		b.Fatalf("%s: %v", sql, err)
	}
	var plans []struct{ Plan plan }
	if err := json.Unmarshal(raw, &plans); err != nil {
		b.Fatal(err)
	}
	return plans[0].Plan
}

// TestNothingScansWhatOthersHave looks at the plans beside many rows of other users and
// tenants: each table is reached through an index whose condition narrows it to the ids
// asked for, and what is read is bounded by what those have.
func TestNothingScansWhatOthersHave(t *testing.T) {
	b := newStoreWith(t, postgres.Config{MaxConns: 2})
	fill := func(tenant, who string, n int) {
		var vs []Verbatim
		for i := range n {
			text := fmt.Sprintf("green tea and cup %d of %s", i, who)
			vs = append(vs, Verbatim{Scope: memd.Scope{UserID: who, AgentID: who + "'s agent", RunID: who + "'s run"}, Text: text, Role: "user", Vector: vectorOf(text), Model: model, Metadata: json.RawMessage(`{"n":1}`)})
		}
		if _, err := b.AddVerbatim(t.Context(), tenant, vs); err != nil {
			t.Fatal(err)
		}
	}
	const mine = 20
	check := func(name string) {
		for _, scope := range []memd.Scope{{UserID: "alice"}, {AgentID: "alice's agent"}, {RunID: "alice's run"}, {UserID: "alice", RunID: "alice's run", AgentID: "alice's agent"}} {
			for _, f := range []Filter{{}, filter(t, `{"n":1}`)} {
				sel, err := newSelection(tenant, scope, f, false)
				if err != nil {
					t.Fatal(err)
				}
				q := ask("green tea", scope)
				q.Mode, q.Limit = ModeHybrid, 10
				find := b.newFinding(sel, q)
				if err := find.propose(t.Context()); err != nil {
					t.Fatal(err)
				}
				if find.scopeIDs == nil {
					// Nobody loads from no scope at all; a condition that cannot hold would let any
					// partial index do.
					find.scopeIDs = []int64{0}
				}
				statements := map[string]*statement{
					"count": find.countStatement(), "same": find.sameStatement(), "near": find.nearStatement(), "load": find.loadStatement(), "load of more": find.loadOfMore(),
					"hop": find.hopStatement(find.question.hashes), "time": find.timesOf(anySpan...), "event": find.eventStatement(), "beside": find.besideStatement(anySpan), "memory postings": find.memoryPostings(), "message postings": find.messagePostings(),
					"total": sel.countStatement(), "page": sel.pageStatement(10, 0, nil),
					"pinned": sel.pinnedStatement(memoryColumns+", "+sourcesColumn, 10),
				}
				for what, st := range statements {
					err := b.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
						if _, err := tx.Exec(t.Context(), pinPlans); err != nil {
							return err
						}
						// The bodies of prepared statements are explained by running them.
						b.explain(tx, st).each(func(p plan) {
							label := fmt.Sprintf("%s, %s, %s: %s on %s", name, scope.Describe(), what, p.Type, p.Relation)
							if p.Relation == "" {
								return
							}
							if !strings.HasPrefix(p.Type, "Index") || p.IndexCond == "" {
								t.Errorf("%s by %s reads a whole table", label, p.Index)
							}
							if read := (p.Rows + p.Removed) * p.Loops; read > 8*mine {
								t.Errorf("%s by %s reads %v rows of a scope of %d", label, p.Index, read, mine)
							}
						})
						return nil
					})
					if err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	owner, err := pgx.Connect(t.Context(), b.owner)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = owner.Close(b.ctx()) }()
	analyse := func() {
		if _, err := owner.Exec(t.Context(), "ANALYZE"); err != nil {
			t.Fatal(err)
		}
	}
	// A connection that is opened early keeps the plans of an empty database.
	check("empty")
	analyse()
	check("known to be empty")
	fill(tenant, "alice", mine)
	for i := range 20 {
		fill(tenant, fmt.Sprintf("user%d", i), 100)
		fill("other", fmt.Sprintf("user%d", i), 100)
	}
	fill("other", "alice", 100)
	check("before statistics")
	analyse()
	check("with statistics")
}

// TestChangesReadNothingOfOthers looks at the plans of what finds and writes the memories
// that a change is about.
func TestChangesReadNothingOfOthers(t *testing.T) {
	b := newStoreWith(t, postgres.Config{MaxConns: 2})
	const mine = 20
	fill := func(who string) []memd.Message {
		var said []memd.Message
		for i := range mine {
			said = append(said, memd.Message{UserID: who, SessionID: who + "'s", AgentID: who + "'s agent", AppID: "p", Text: fmt.Sprintf("green tea and cup %d of %s", i, who)})
		}
		l := whole(b.say(said...))
		for i := range l.Candidates {
			l.Candidates[i].Slot, l.Candidates[i].Subject, l.Candidates[i].Value = "cup", fmt.Sprint(i), "green"
			if i%2 == 0 {
				l.Candidates[i].Slot = ""
			}
		}
		b.consolidate(l)
		asked := about(b.say(memd.Message{UserID: who, SessionID: who + "'s", AppID: "p", Text: "forget the first cup"}), "cup", "green")
		asked.Candidates[0].Subject, asked.Candidates[0].Forget = "1", true
		b.consolidate(asked)
		return l.Messages
	}
	owner, err := pgx.Connect(t.Context(), b.owner)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = owner.Close(b.ctx()) }()
	analyse := func() {
		if _, err := owner.Exec(t.Context(), "ANALYZE"); err != nil {
			t.Fatal(err)
		}
	}
	check := func(name string, said []memd.Message) {
		messages := []int64{0}
		for _, m := range said {
			messages = append(messages, m.ID)
		}
		ids, scopes := []memoryID{{}}, []int64{0}
		for _, m := range b.list(ListQuery{Scope: user("alice")}) {
			id, _ := parseID(m.ID)
			ids, scopes = append(ids, id), append(scopes, query[int64](b, `SELECT scope_id FROM memory WHERE id = $1`, m.ID))
		}
		none, texts, times := make([]*memoryID, len(ids)), make([]string, len(ids)), make([]*time.Time, len(ids))
		var session int64
		if said != nil {
			session = query[int64](b, `SELECT session_no FROM conversation_context WHERE id = $1`, said[0].ID)
		}
		for i := range texts {
			texts[i], times[i] = "{}", &monday // as JSON and as a list
		}
		last := len(ids) - 1
		alice := identity{app: "p", user: "alice"}.key(tenant)
		keys, hashes, homes := [][]byte{alice[:]}, []string{hashOf("green tea and cup 1 of alice")}, []string{"cup"}
		places := make([]int32, len(ids))
		terms := naming{all: []string{"green"}}.terms()
		fixed := func(sql string, args ...any) *statement {
			st := &statement{args: append([]any{tenant}, args...)}
			return st.write(sql)
		}
		statements := map[string]*statement{
			"concerned": fixed(concernedSelect, keys, hashes, keys, homes, ids), "concerned mentions": fixed(concernedMentions, keys, hashes, keys, homes, ids),
			"slots of a kind": fixed(slotsOfKind, keys, homes), "what is not remembered": fixed(goneSelect, keys, hashes, keys, homes),
			"the same of messages": fixed(goneOfMessages, keys, messages), "retained": fixed(retainedSelect, keys, hashes), "requests": fixed(requestSelect, keys),
			"named": fixed(namedSelect, keys, terms, times[:1], keys, times[:1]), "not remembered before": fixed(goneBefore, keys, times[:1]), "stated before": fixed(statedBefore, keys, times[:1]),
			"take mentions": fixed(mentionDelete, ids, messages[:1], places[:1]), "take all mentions": fixed(mentionDeleteOf, ids), "mentions count no more": fixed(mentionsDeleted, ids),
			"take requests": fixed(requestDelete, messages, places[:1], texts[:1], texts[:1]), "identities": fixed(scopeRowSelect, scopes[last:]),
			"identity of history": fixed(historyScope, ids[last]), "undoable": fixed(undoableSelect, ids[last]), "endings undone": fixed(endingUndone, ids), "restore mentions": fixed(mentionRestore, ids[last], `[{"message_id":1,"part":0,"memory":"x","hash":"x","subject":"","value":"","negated":false}]`),
			"restore sources": fixed(sourceRestore, ids[last]), "restore provenance": fixed(provenanceRestore, ids[last]), "overrule no more": fixed(overruledBack, messages, texts[:1]), "end again": fixed(retainedDelete, messages),
			"relations": fixed(relationSelect, ids), "related": fixed(relatedSelect, ids[last]), "events": fixed(eventsOfSelect, messages),
			"find": fixed(findSelect, ids, texts, texts), "keys": fixed(heldKeys, ids), "held": fixed(heldSelect, ids), "sources": fixed(heldSources, ids),
			"holders": fixed(messageHolders, messages), "withdrawn": fixed(withdrawnSelect, messages), "overruled": fixed(overruledSelect, messages),
			"expired": fixed(expiredSelect, ids), "live": fixed(liveByUser, []string{"alice", "nobody"}),
			"make live":    fixed(embeddingLive, scopes, ids, true),
			"take sources": fixed(sourceDelete, ids, append(messages, make([]int64, len(ids))...)[:len(ids)]), "take provenance": fixed(provenanceDelete, ids),
			"take words": fixed(messagePostingDelete, scopes[last], []int32{wholeMessage}, session, places, wholeMessage), "take postings": fixed(postingDelete, scopes[last], []int32{1, 2}, ids[last]),
			"uncount": fixed(postingUncount, scopes[:1], places[:1], scopes[:1]), "update": fixed(memoryUpdate, ids, texts, texts, texts, texts, texts, texts, times, times, times, texts, texts, make([]bool, len(ids)), texts, times, none, texts, texts, texts),
			"edit":       fixed(memoryEdit, ids, texts, texts, texts, texts, times, make([]bool, len(ids)), texts, texts, texts, texts, make([]bool, len(ids))),
			"categories": fixed(categoriesSaid, ids), "stated otherwise": fixed(otherwiseStated, messages, ids[:1]), "settle rewriting": fixed(rewritingSettled, ids),
			"of an origin": fixed(originSelect, keys, homes), "learned here": fixed(ownLearned, keys, homes, ownOrigin), "gone of an origin": fixed(originGone, keys, homes),
			"ended by its origin": fixed(originEnded, ids[:1], ids[:1], times[:1]), "has it no more": fixed(originLeft, scopes[:1], homes, ids[:1]),
			"take": fixed(memoryDelete, ids), "take vectors": fixed(embeddingDelete, scopes, ids),
		}
		if last > 0 {
			statements["has an origin"] = fixed(originInsert, scopes[last:], homes, ids[last:])
		}
		for _, scope := range []memd.Scope{{UserID: "alice"}, {AgentID: "alice's agent"}, {RunID: "alice's"}} {
			for _, f := range []Filter{{}, filter(t, `{"n":1}`)} {
				sel, err := newSelection(tenant, scope, f, false)
				if err != nil {
					t.Fatal(err)
				}
				sel.everything = true
				label := scope.Describe() + fmt.Sprint(f.Empty())
				statements["keys of "+label], statements["ids of "+label] = sel.keysStatement(), sel.idsStatement(keys)
			}
		}
		rolledBack := errors.New("rolled back")
		for what, st := range statements {
			err := b.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
				if _, err := tx.Exec(t.Context(), pinPlans); err != nil {
					return err
				}
				b.explain(tx, st).each(func(p plan) {
					label := fmt.Sprintf("%s, %s: %s on %s", name, what, p.Type, p.Relation)
					if p.Relation == "" || p.Type == "ModifyTable" {
						return
					}
					if !strings.HasPrefix(p.Type, "Index") || p.IndexCond == "" {
						t.Errorf("%s by %s reads a whole table", label, p.Index)
					}
					if read := (p.Rows + p.Removed) * p.Loops; read > 8*mine {
						t.Errorf("%s by %s reads %v rows of a scope of %d", label, p.Index, read, mine)
					}
				})
				return rolledBack
			})
			if !errors.Is(err, rolledBack) {
				t.Fatal(err)
			}
		}
	}
	check("empty", nil)
	analyse()
	check("known to be empty", nil)
	said := fill("alice")
	for i := range 30 {
		fill(fmt.Sprintf("user%d", i))
	}
	check("before statistics", said)
	analyse()
	check("with statistics", said)
}
