package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/shortterm"
	"github.com/rs/zerolog"
)

// tables gives of each table how many rows a tenant has, and a digest of all that they hold.
func (h *house) tables(tenant string) map[string]string {
	h.t.Helper()
	all := map[string]string{}
	err := h.pool.InTenant(h.t.Context(), tenant, func(tx pgx.Tx) error {
		rows, err := tx.Query(h.t.Context(), `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`)
		if err != nil {
			return err
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, name := range names {
			var n int
			var digest string
			of := ` r`
			if name == "idempotency" { // of an erased answer a day long nothing is left but that its key was used
				of += ` WHERE NOT (status IS NOT DISTINCT FROM 410 AND body = '' AND num_nulls(message_ids, duplicates, states, content_type, answer, users) = 6)`
			}
			err := tx.QueryRow(h.t.Context(), `SELECT count(*), coalesce(md5(string_agg(r::text, E'\n' ORDER BY r::text)), '') FROM `+pgx.Identifier{name}.Sanitize()+of).Scan(&n, &digest)
			if err != nil {
				return err
			}
			all[name] = fmt.Sprintf("%d rows %s", n, digest)
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

// same holds tables to what they were; that a person was erased is remembered.
func (h *house) same(was, is map[string]string) {
	h.t.Helper()
	for name := range is {
		if name != "erasure" && name != "erasure_receipt" && is[name] != was[name] {
			h.t.Errorf("%s: %s, it was %s", name, is[name], was[name])
		}
	}
}

func (h *house) exec(tenant, sql string, args ...any) {
	h.t.Helper()
	err := h.pool.InTenant(h.t.Context(), tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(h.t.Context(), sql, args...)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// live is a life: something in every table.
func (h *house) live(key, tenant, user string) {
	h.t.Helper()
	send := func(method, target string, body any, header ...string) got {
		h.t.Helper()
		return h.send(method, target, body, append([]string{"X-API-Key", key}, header...)...)
	}
	settle := func() { h.t.Helper(); send("GET", "/v1/ingest?wait=60s", nil).want(200) }
	said := func(session, text string, more ...string) {
		h.t.Helper()
		send("POST", "/v1/messages", fmt.Sprintf(`{"user_id":%q,"session_id":%q,"messages":[{"role":"user","content":%q}]%s}`, user, session, text, strings.Join(more, "")),
			"Idempotency-Key", user+session+text).want(201)
	}
	memories := func() (all []memd.Memory) {
		h.t.Helper()
		var l struct{ Results []memd.Memory }
		send("POST", "/v1/memories/list", map[string]any{"user_id": user, "include_superseded": true}).want(200).into(&l)
		return l.Results
	}
	named := func(part string) string {
		h.t.Helper()
		for _, m := range memories() {
			if strings.Contains(m.Memory, part) {
				return m.ID
			}
		}
		h.t.Fatalf("%s has no memory of %q in %v", user, part, memories())
		return ""
	}
	said("s1", "I live in Lisbon")
	said("s1", "I keep a falcon")
	said("s1", "My favorite color is blue")
	said("s2", "I keep a falcon", `,"agent_id":"helper","app_id":"one"`)
	settle()
	said("s3", "I moved to Porto")
	said("s3", "Forget that my favorite color is blue")
	said("s3", "I like tea")
	said("s3", "this one is cursed")
	settle()
	send("PATCH", "/v1/memories/"+named("falcon"), `{"memory":"I keep a kite"}`, "Idempotency-Key", user+"edit").want(200)
	send("DELETE", "/v1/memories/"+named("tea"), nil, "Idempotency-Key", user+"delete").want(200)
	send("POST", "/v1/memories/"+named("Lisbon")+"/undo", nil).want(200)
	send("POST", "/v1/memories", map[string]any{"user_id": user, "messages": "Sells sea shells", "infer": false, "app_id": "two"}, "Idempotency-Key", user+"add").want(200)
	send("POST", "/v1/sessions", map[string]any{"user_id": user, "session_id": "made", "metadata": map[string]any{"of": user}}, "Idempotency-Key", user+"make").want(201)
	send("POST", "/v1/sessions/s3/rotate", map[string]any{"user_id": user}, "Idempotency-Key", user+"rotate").want(201)
	send("PATCH", "/v1/users/"+user, `{"learn":true}`, "Idempotency-Key", user+"learn").want(200)
	send("DELETE", "/v1/memories?user_id="+user+"&app_id=nobody", nil, "Idempotency-Key", user+"none").want(200)
	send("POST", "/v1/import", map[string]any{"user_id": user, "data": `{"messages":[{"role":"user","content":"I row"}]}`}).want(202)
	send("POST", "/v1/memories", `{"user_id":"`+user+`","infer":false,"messages":[{"role":"user","content":"Came from elsewhere","id":"e1"}]}`).want(200)
	var taken struct{ Messages []struct{ ID int64 } }
	send("POST", "/v1/messages", `{"user_id":"`+user+`","session_id":"s1","infer":false,"messages":[{"role":"user","content":"Never mind","id":"c1"}]}`).want(201).into(&taken)
	send("DELETE", fmt.Sprintf("/v1/messages/%d", taken.Messages[0].ID), nil).want(200)
	h.exec(tenant, `INSERT INTO session_summary (session_no, tenant_id, upto, summary, model) SELECT no, tenant_id, 1, 'they keep birds', 'm' FROM conversation_session WHERE user_id = $1 AND session_id = 's1'`, user)
	h.exec(tenant, `INSERT INTO summary_due (session_no, tenant_id, due_at) SELECT no, tenant_id, now() + interval '30 minutes' FROM conversation_session WHERE user_id = $1 AND session_id = 's1'`, user)
}

// A person goes from every table, and nobody else from any.
func TestAPersonIsErasedFromEveryTable(t *testing.T) {
	h := newHouse(t, houseConfig{doomed: "cursed", Config: Config{Keys: []Key{{"a", "acme", RoleWriter}, {"r", "acme", RoleReader}, {"o", "other", RoleAdmin}}}})
	h.live("a", "acme", "bob")
	h.live("o", "other", "alice")
	h.send("POST", "/v1/memories/batch", `{"memories":[{"user_id":"bob","messages":"I keep bees"},{"agent_id":"helper","messages":"It helps","infer":false}]}`, "X-API-Key", "a").want(200)
	acme, other := h.tables("acme"), h.tables("other")
	h.live("a", "acme", "alice")
	h.embedder.away.Store(true) // what comes now waits for its vector, or to be learned from
	defer h.embedder.away.Store(false)
	h.send("POST", "/v1/memories", `{"user_id":"alice","messages":"Waits for a vector","infer":false}`, "X-API-Key", "a").want(200)
	h.send("POST", "/v1/messages", `{"user_id":"alice","session_id":"s9","messages":[{"role":"user","content":"I play the cello"}]}`, "X-API-Key", "a").want(201)
	before := h.tables("acme")
	for name := range before {
		if before[name] == acme[name] && !slices.Contains([]string{"embedding_model", "tenant_setting", "erasure", "erasure_receipt", "memory_neighbour", "memory_retained"}, name) {
			t.Errorf("%s holds nothing of alice: %s", name, before[name])
		}
	}

	h.send("DELETE", "/v1/users/alice", nil, "X-API-Key", "r").want(403)
	h.send("DELETE", "/v1/users/alice?user_id=bob", nil, "X-API-Key", "a").want(404)
	h.send("DELETE", "/v1/users/alice?agent_id=helper", nil, "X-API-Key", "a").want(404)
	if is := h.tables("acme"); is["memory"] != before["memory"] || is["conversation_context"] != before["conversation_context"] || is["person"] != before["person"] {
		t.Error("who may not erase did")
	}

	var r eraseAnswer
	h.send("DELETE", "/v1/users/alice?user_id=alice", nil, "X-API-Key", "a").want(200).into(&r)
	h.same(acme, h.tables("acme"))
	h.same(other, h.tables("other"))
	if r.UserID != "alice" || r.Event != "ERASE" || r.ReceiptID == "" || r.ErasedAt.IsZero() {
		t.Errorf("%+v", r)
	}
	if c := r.Counts; c.Messages != 9 || c.Sessions < 5 || c.Queued != 1 || c.DeadLetters != 1 || c.Memories < 5 || c.Vectors < 4 ||
		c.History < 6 || c.Sources < 4 || c.Statements < 5 || c.Summaries != 1 || c.Origins != 1 || c.Imports != 1 || c.Idempotency < 14 {
		t.Errorf("%+v", c)
	}
	if line := h.logged.String(); !strings.Contains(line, r.ReceiptID) || !strings.Contains(line, `"messages":9`) || strings.Contains(line, "alice") {
		t.Errorf("logged %s", line)
	}
	h.send("GET", "/v1/messages?user_id=alice&session_id=s1", nil, "X-API-Key", "a").want(404)
	h.send("GET", "/v1/users/alice/export", nil, "X-API-Key", "a").want(404)

	// Again, and somebody who never was: nothing goes.
	for _, who := range []string{"alice", "nobody", "%2F", "a%2Fb"} {
		var again eraseAnswer
		h.send("DELETE", "/v1/users/"+who, nil, "X-API-Key", "a").want(200).into(&again)
		if again.Counts != (eraseAnswer{}.Counts) || again.ReceiptID == "" || again.ReceiptID == r.ReceiptID {
			t.Errorf("%s: %+v", who, again)
		}
	}
	h.same(acme, h.tables("acme"))

	// What was sent before and comes again brings nothing back, whatever it was; whoever comes
	// under the name with something else is new.
	h.embedder.away.Store(false)
	for _, again := range []struct{ method, path, body, key string }{
		{"POST", "/v1/messages", `{"user_id":"alice","session_id":"s1","messages":[{"role":"user","content":"I live in Lisbon"}]}`, "alices1I live in Lisbon"},
		{"POST", "/v1/memories", `{"user_id":"alice","messages":"Sells sea shells","infer":false,"app_id":"two"}`, "aliceadd"},
		{"POST", "/v1/sessions", `{"user_id":"alice","session_id":"made"}`, "alicemake"},
	} {
		h.send(again.method, again.path, again.body, "X-API-Key", "a", "Idempotency-Key", again.key).want(409, "was erased since", "!alice")
	}
	h.same(acme, h.tables("acme"))
	h.send("POST", "/v1/messages", `{"user_id":"alice","session_id":"s1","messages":[{"role":"user","content":"I live in Faro"}]}`, "X-API-Key", "a", "Idempotency-Key", "new").want(201, "!duplicate\":true")
	h.send("GET", "/v1/ingest?wait=60s", nil, "X-API-Key", "a").want(200)
	h.send("GET", "/v1/memories?user_id=alice", nil, "X-API-Key", "a").want(200, "Faro", `"total":1`)
	h.send("DELETE", "/v1/users/alice", nil, "X-API-Key", "a").want(200, `"memories":1`)
	h.same(acme, h.tables("acme"))
}

// An erasure is answered again to who repeats it, and done once.
func TestAnErasureIsRepeated(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.say("alice", "s", "I live in Porto")
	first := h.send("DELETE", "/v1/users/alice", nil, "Idempotency-Key", "k").want(200, `"messages":1`)
	again := h.send("DELETE", "/v1/users/alice", nil, "Idempotency-Key", "k").want(200)
	if again.body != first.body || again.header.Get(replayedHeader) != "true" {
		t.Errorf("%s, first %s", again.body, first.body)
	}
	err := h.pool.InTenant(t.Context(), "default", func(tx pgx.Tx) error {
		var kept string
		if err := tx.QueryRow(t.Context(), `SELECT string_agg(convert_from(answer, 'UTF8'), E'\n') FROM idempotency`).Scan(&kept); err != nil {
			return err
		}
		if !strings.Contains(kept, `"messages":1`) || strings.Contains(kept, "alice") {
			t.Errorf("kept: %s", kept)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// claimed has what is open of a session claimed, and learned gives how it would settle.
func (h *house) claimed(user string) *shortterm.Claim {
	h.t.Helper()
	var no int64
	err := h.pool.InTenant(h.t.Context(), "default", func(tx pgx.Tx) error {
		return tx.QueryRow(h.t.Context(), `SELECT no FROM conversation_session WHERE user_id = $1`, user).Scan(&no)
	})
	if err != nil {
		h.t.Fatal(err)
	}
	c, err := h.log.Claim(h.t.Context(), "default", no, 10, 10)
	if err != nil || c == nil {
		h.t.Fatalf("%v, %v", c, err)
	}
	return c
}

// settleClaim does what a worker does once it has extracted and embedded; held is called
// when the locks are had.
func (h *house) settleClaim(c *shortterm.Claim, held func()) error {
	var outcomes []shortterm.Outcome
	l := longterm.Learned{Extractor: "rules", Model: "words/64"}
	for _, m := range c.Messages {
		l.Messages = append(l.Messages, m.Message)
		l.Candidates = append(l.Candidates, memd.Candidate{Text: m.Text, Role: m.Role, SaidAt: m.CreatedAt, Sources: []int64{m.ID}})
		v, _ := h.embedder.EmbedQuery(h.t.Context(), m.Text)
		l.Vectors = append(l.Vectors, v)
		outcomes = append(outcomes, shortterm.Outcome{MessageID: m.ID, Attempt: m.Attempt, State: shortterm.StateDone, Extractor: "rules"})
	}
	return h.pool.InTenant(h.t.Context(), "default", func(tx pgx.Tx) error {
		if err := h.tier.Consolidate(h.t.Context(), tx, "default", l); err != nil {
			return err
		}
		held()
		return h.log.Settle(h.t.Context(), tx, "default", outcomes)
	})
}

// Who is learning while a person is erased loses the claim, whether they are known to the
// long tier yet or not; who is about to commit goes first, and what they learned goes too.
func TestWhatIsBeingLearnedDoesNotComeBack(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	nothing := h.tables("default")
	for _, known := range []bool{false, true} {
		if known {
			h.send("POST", "/v1/memories", `{"user_id":"alice","messages":"Known","infer":false}`).want(200)
		}
		h.say("alice", "s", "I live in Porto")
		c := h.claimed("alice")
		h.send("DELETE", "/v1/users/alice", nil).want(200, `"queued":1`)
		if err := h.settleClaim(c, func() {}); memd.KindOf(err) != memd.Conflict {
			t.Errorf("it was settled: %v", err)
		}
		if _, err := h.log.Extend(t.Context(), c); memd.KindOf(err) != memd.Conflict {
			t.Errorf("it was held on to: %v", err)
		}
		if err := h.log.Release(t.Context(), c); err != nil {
			t.Error(err)
		}
		if err := h.log.Fail(t.Context(), "default", []shortterm.Failure{{MessageID: c.Messages[0].ID, Attempt: c.Messages[0].Attempt, Error: "x:y"}}); err != nil {
			t.Error(err)
		}
		h.same(nothing, h.tables("default"))
	}

	h.say("alice", "s", "I live in Porto")
	c := h.claimed("alice")
	held, erased := make(chan struct{}), make(chan got, 1)
	go func() {
		<-held
		erased <- h.send("DELETE", "/v1/users/alice", nil)
	}()
	err := h.settleClaim(c, func() {
		close(held)
		h.awaitLock()
	})
	if err != nil {
		t.Fatal(err)
	}
	(<-erased).want(200, `"memories":1`, `"vectors":1`, `"queued":0`)
	h.same(nothing, h.tables("default"))
}

// Who waits for what is learned of somebody who is erased meanwhile is told so: that nothing
// came of it would read as if there had been nothing worth keeping.
func TestWaitingForWhatIsErasedMeanwhile(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true}) // nothing is learned here
	item := `{"user_id":"alice","messages":[{"role":"user","content":"I live in Lisbon"},{"role":"user","content":"I like tea"}]}`
	for _, c := range []struct{ path, body string }{{"/v1/memories", item}, {"/v1/memories/batch", `{"memories":[` + item + `,` + item + `]}`}} {
		for _, gone := range []string{"/v1/users/alice", "/v1/sessions/"} {
			answered := make(chan got)
			go func() { answered <- h.send("POST", c.path, c.body, "Idempotency-Key", c.path+gone) }()
			var in ingestAnswer
			for in.States.Pending == 0 {
				h.send("GET", "/v1/ingest", nil).want(200).into(&in)
			}
			if gone == "/v1/sessions/" { // each item has one
				h.exec("default", `WITH open AS (DELETE FROM ingest_open) DELETE FROM conversation_context`)
			} else {
				h.send("DELETE", gone, nil).want(200)
			}
			a := (<-answered).want(409, "was erased or deleted before it was learned from", "!Lisbon", "!results")
			if a.header.Get("Retry-After") == "" {
				t.Errorf("no Retry-After: %v", a.header)
			}
			if gone == "/v1/users/alice" {
				h.send("POST", c.path, c.body, "Idempotency-Key", c.path+gone).want(409, "was erased")
			}
		}
	}
}

// awaitLock returns when somebody waits for a lock in the house's database.
func (h *house) awaitLock() {
	for {
		var n int
		err := h.pool.QueryRow(context.WithoutCancel(h.t.Context()), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n)
		if err != nil {
			h.t.Error(err)
			return
		}
		if n > 0 {
			return
		}
	}
}

// Vectors that are made late, and answers that are kept late, do not come back.
func TestWhatComesLateIsNotKept(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.embedder.away.Store(true)
	nothing := h.tables("default")
	h.send("POST", "/v1/memories", `{"user_id":"alice","messages":"Late","infer":false}`).want(200)
	missing, err := h.tier.MissingVectors(t.Context(), 10)
	if err != nil || len(missing) != 1 {
		t.Fatal(missing, err)
	}
	answers := idempotency.New(h.pool)
	var claims []*idempotency.Claim
	for _, key := range []string{"alice", "bob"} {
		_, claim, err := answers.Begin(t.Context(), "default", idempotency.NewKey("PATCH", "/", key, nil))
		if err != nil {
			t.Fatal(err)
		}
		claims = append(claims, claim)
	}
	h.send("DELETE", "/v1/users/alice", nil).want(200, `"memories":1`)
	if err := h.tier.PutVectors(t.Context(), "default", "words/64", missing, [][]float32{make([]float32, 64)}); err != nil {
		t.Error(err)
	}
	if err := claims[0].Keep(t.Context(), idempotency.Answer{Status: 200, Body: []byte(`{}`)}, "bob", "alice"); memd.KindOf(err) != memd.Conflict {
		t.Errorf("it was kept: %v", err)
	} else if levelOfNotKept(err) != zerolog.InfoLevel || levelOfNotKept(memd.InvalidField("x", "no")) != zerolog.ErrorLevel {
		t.Error("an erasure is logged as an error")
	}
	h.same(nothing, func() map[string]string {
		is := h.tables("default")
		is["idempotency"] = nothing["idempotency"]
		return is
	}())
	if err := claims[1].Keep(t.Context(), idempotency.Answer{Status: 200, Body: []byte(`{}`)}, "bob"); err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(h.tables("default")["idempotency"], "1 rows") {
		t.Error(h.tables("default")["idempotency"])
	}
}

// What one write logged of several people stands as it is for those who are left.
func TestAWriteAboutSeveral(t *testing.T) {
	h := newHouse(t, houseConfig{})
	body := `{"memories":[{"user_id":"alice","messages":"I live in Porto"},{"user_id":"bob","messages":"I live in Faro"}]}`
	h.send("POST", "/v1/memories/batch", body, "Idempotency-Key", "k").want(200)
	h.send("DELETE", "/v1/users/alice", nil).want(200, `"memories":1`, `"idempotency":1`) // the answer, not what the log knows
	bobs := h.tables("default")
	h.send("POST", "/v1/memories/batch", body, "Idempotency-Key", "k")
	if is := h.tables("default"); is["conversation_context"] != bobs["conversation_context"] || is["memory"] != bobs["memory"] {
		t.Error("a repeated write brought somebody back, or wrote twice")
	}
}

// A memory of an agent that a person's message states loses it, and goes if it has no other.
func TestOthersMemoriesLoseTheirSource(t *testing.T) {
	h := newHouse(t, houseConfig{})
	h.send("POST", "/v1/memories", `{"agent_id":"helper","run_id":"r","messages":"I like walnuts"}`).want(200)
	h.send("POST", "/v1/memories", `{"agent_id":"helper","run_id":"r","messages":"I like pears"}`).want(200)
	h.settle()
	before := h.tables("default")
	id := h.say("alice", "s", "Hello")
	h.settle()
	// As if alice had said that she likes walnuts too, and alone that she likes pears.
	h.exec("default", `INSERT INTO memory_mention SELECT memory_id, $1::bigint, 0, tenant_id, scope_id, actor_id, role, ARRAY[$1::bigint], said_at, session_id, position, memory, hash, slot, subject, value, negated, occurred_at, categories, extractor, gone FROM memory_mention`, id)
	h.exec("default", `INSERT INTO memory_source SELECT DISTINCT m.id, $1::bigint, m.tenant_id, c.session_no, 0 FROM memory m, conversation_context c WHERE c.id = $1`, id)
	h.exec("default", `INSERT INTO memory_history (tenant_id, memory_id, scope_id, event, memory, reason, by, message_ids) SELECT tenant_id, id, scope_id, 'NONE', 'as alice said', 'said again', 'rules', ARRAY[$1::bigint] FROM memory`, id)
	h.exec("default", `DELETE FROM memory_mention n USING memory m WHERE m.id = n.memory_id AND m.memory LIKE '%pears%' AND n.message_id <> $1`, id)
	h.exec("default", `DELETE FROM memory_source n USING memory m WHERE m.id = n.memory_id AND m.memory LIKE '%pears%' AND n.message_id <> $1`, id)
	h.send("DELETE", "/v1/users/alice", nil).want(200, `"messages":1`)
	h.send("GET", "/v1/memories?agent_id=helper", nil).want(200, "walnuts", "!pears")
	after := h.tables("default")
	for _, name := range []string{"conversation_session", "conversation_context", "person", "ingest_settled", "message_posting"} {
		if after[name] != before[name] {
			t.Errorf("%s: %s, it was %s", name, after[name], before[name])
		}
	}
	for name, n := range map[string]int{"memory": 1, "memory_source": 1, "memory_mention": 1, "memory_history": 1, "memory_embedding": 1} {
		if !strings.HasPrefix(after[name], fmt.Sprintf("%d rows", n)) {
			t.Errorf("%s: %s, want %d", name, after[name], n)
		}
	}
}

// The neighbours of a large scope go, and the table they stood in.
func TestNeighboursAreErased(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	var items []map[string]any
	for i := range 300 {
		items = append(items, map[string]any{"user_id": "alice", "infer": false, "messages": fmt.Sprintf("Fact number %d about w%d", i, i)})
	}
	h.send("POST", "/v1/memories/batch", map[string]any{"memories": items}).want(200)
	large := longterm.New(h.pool, longterm.Config{LargeScope: 256})
	for worked := true; worked; {
		var err error
		if worked, err = large.TendNeighbours(t.Context(), "words/64", 64); err != nil {
			t.Fatal(err)
		}
	}
	if n := h.tables("default")["memory_neighbour"]; !strings.HasPrefix(n, "300 rows") {
		t.Fatal(n)
	}
	h.send("DELETE", "/v1/users/alice", nil).want(200, `"memories":300`, `"vectors":300`)
	var partitions int
	if err := h.pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_inherits WHERE inhparent = 'memory_neighbour'::regclass`).Scan(&partitions); err != nil || partitions != 0 {
		t.Errorf("%d tables are left, %v", partitions, err)
	}
	if n := h.tables("default")["memory_neighbour"]; !strings.HasPrefix(n, "0 rows") {
		t.Error(n)
	}
}

// While a person is erased again and again, others write about them in every way. Each write
// is wholly before or wholly after, and after the last erasure nothing is left.
func TestErasingWhileOthersWrite(t *testing.T) {
	h := newHouse(t, houseConfig{})
	nothing := h.tables("default")
	h.send("PATCH", "/v1/settings", `{"rotate":{"turns":3}}`).want(200)
	nothing["tenant_setting"] = h.tables("default")["tenant_setting"]
	const each = 30
	var writers sync.WaitGroup
	writing := func(n int, write func(i int) got) {
		for w := range n {
			writers.Go(func() {
				for i := range each {
					switch g := write(w*each + i); g.status {
					case 200, 201, 202, 404, 409, 503:
					default:
						t.Errorf("%d %s", g.status, g.body)
					}
				}
			})
		}
	}
	pair := `"messages":[{"role":"user","content":"I keep a falcon number %d"},{"role":"user","content":"I own %d boats"}]`
	writing(6, func(i int) got { // as many as share commits
		return h.send("POST", "/v1/messages", fmt.Sprintf(`{"user_id":"alice","session_id":"%s",`+pair+`}`, []string{"s", "t", "u"}[i%3], i, i))
	})
	writing(1, func(i int) got {
		return h.send("POST", "/v1/messages", fmt.Sprintf(`{"user_id":"alice",`+pair+`}`, i, i))
	})
	writing(1, func(i int) got {
		return h.send("POST", "/v1/memories/batch", fmt.Sprintf(`{"memories":[{"user_id":"alice","app_id":"a%d","messages":"Fact %d","infer":false},{"user_id":"alice","run_id":"s","messages":"I like tea %d","wait":false}]}`, i, i, i))
	})
	writing(1, func(i int) got {
		return h.send("POST", "/v1/messages/batch", fmt.Sprintf(`{"items":[{"user_id":"alice","session_id":"s","priority":"backfill",`+pair+`},{"user_id":"alice","session_id":"t%d","priority":"backfill",`+pair+`}]}`, i, i, i, i, i))
	})
	writing(1, func(i int) got { return h.send("POST", "/v1/sessions/s/rotate", `{"user_id":"alice"}`) })
	writing(1, func(i int) got { return h.send("DELETE", "/v1/sessions/s?user_id=alice", nil) })
	writing(1, func(i int) got {
		return h.send("POST", "/v1/sessions", fmt.Sprintf(`{"user_id":"alice","session_id":"m%d"}`, i), "Idempotency-Key", fmt.Sprint(i))
	})
	var over atomic.Bool
	erasing := make(chan int)
	go func() {
		n := 0
		for !over.Load() {
			switch g := h.send("DELETE", "/v1/users/alice", nil); g.status {
			case 200:
				n++
			case 503:
			default:
				t.Errorf("%d %s", g.status, g.body)
			}
			h.whole()
		}
		erasing <- n
	}()
	writers.Wait()
	over.Store(true)
	if n := <-erasing; n == 0 {
		t.Error("nothing was erased meanwhile")
	}
	h.settle()
	h.whole()
	h.send("DELETE", "/v1/users/alice", nil).want(200)
	h.settle()
	h.same(nothing, h.tables("default"))
}

// whole finds what is there by half.
func (h *house) whole() {
	err := h.pool.InTenant(context.WithoutCancel(h.t.Context()), "default", func(tx pgx.Tx) error {
		for what, sql := range map[string]string{
			"a message without its session":     `SELECT count(*) FROM conversation_context c WHERE NOT EXISTS (SELECT FROM conversation_session s WHERE s.no = c.session_no)`,
			"a session without its person":      `SELECT count(*) FROM conversation_session c WHERE user_id <> '' AND NOT EXISTS (SELECT FROM person s WHERE s.user_id = c.user_id)`,
			"an identity without its person":    `SELECT count(*) FROM memory_scope c WHERE user_id <> '' AND NOT EXISTS (SELECT FROM person s WHERE s.user_id = c.user_id)`,
			"half of a write":                   `SELECT count(*) FROM (SELECT FROM conversation_context c WHERE message LIKE '%falcon number%' OR message LIKE '%boats%' GROUP BY session_no, received_at HAVING count(*) % 2 = 1) half`,
			"an open message without its words": `SELECT count(*) FROM ingest_open c WHERE NOT EXISTS (SELECT FROM conversation_context s WHERE s.id = c.message_id)`,
			"a settled one without its words":   `SELECT count(*) FROM ingest_settled c WHERE NOT EXISTS (SELECT FROM conversation_context s WHERE s.id = c.message_id)`,
			"a source without its message":      `SELECT count(*) FROM memory_source c WHERE NOT EXISTS (SELECT FROM conversation_context s WHERE s.id = c.message_id)`,
			"a vector without its memory":       `SELECT count(*) FROM memory_embedding c WHERE NOT EXISTS (SELECT FROM memory s WHERE s.id = c.memory_id)`,
			"a posting without its scope":       `SELECT count(*) FROM message_posting c WHERE NOT EXISTS (SELECT FROM memory_scope s WHERE s.id = c.scope_id)`,
		} {
			var n int
			if err := tx.QueryRow(context.WithoutCancel(h.t.Context()), sql).Scan(&n); err != nil {
				return err
			}
			if n > 0 {
				h.t.Errorf("%s: %d", what, n)
			}
		}
		return nil
	})
	if err != nil {
		h.t.Error(err)
	}
}

// lines reads an export.
func exported(t testing.TB, body string) (all []map[string]any, of map[string][]string) {
	t.Helper()
	of = map[string][]string{}
	lines := bufio.NewScanner(strings.NewReader(body))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m map[string]any
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		kind, _ := m["type"].(string)
		all, of[kind] = append(all, m), append(of[kind], lines.Text())
	}
	return all, of
}

func TestExport(t *testing.T) {
	h := newHouse(t, houseConfig{doomed: "cursed", Config: Config{Keys: []Key{{"a", "acme", RoleWriter}, {"r", "acme", RoleReader}, {"o", "other", RoleReader}}}})
	h.live("a", "acme", "bob")
	h.live("a", "acme", "alice")
	raw := `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\": 1.50, \"b\":\"<&\\u2028>\"}"}}],"x_big":12345678901234567890.10,"z":1,"a":"\u0000 é \ud83d\ude00 <b>"}`
	h.send("POST", "/v1/messages", `{"user_id":"alice","session_id":"raw","timezone":"Europe/Lisbon","metadata":{"k":[1,2.50]},"messages":[
		{"role":"user","name":"Ann","id":"client-1","created_at":"2026-03-02T10:00:00.123456+01:00","content":"I sail"},
		`+strings.Replace(raw, `,"x_big"`, ",\n\t  \"x_big\"", 1)+`]}`, "X-API-Key", "a").want(201)
	h.send("GET", "/v1/ingest?wait=60s", nil, "X-API-Key", "a").want(200)

	g := h.send("GET", "/v1/users/alice/export?user_id=alice", nil, "X-API-Key", "r").want(200, "!bob", "!they keep other", "!tenant")
	if g.header.Get("Content-Type") != "application/x-ndjson" {
		t.Error(g.header)
	}
	all, of := exported(t, g.body)
	if first := all[0]; first["type"] != "memd.export" || first["version"] != 1.0 || first["user_id"] != "alice" || first["embeddings"] != false {
		t.Errorf("first %v", first)
	}
	last := all[len(all)-1]
	if last["type"] != "end" {
		t.Errorf("last %v", last)
	}
	names := map[string]string{"user": "users", "session": "sessions", "message": "messages", "memory": "memories", "deleted_memory": "deleted_memories",
		"statement": "statements", "forgotten": "forgotten", "retained": "retained", "overruled": "overruled",
		"origin": "origins", "removed_message": "removed_messages"}
	counts, _ := last["counts"].(map[string]any)
	for kind, plural := range names {
		if n := float64(len(of[kind])); counts[plural] != n || n == 0 && kind != "retained" {
			t.Errorf("%v %s, and the last line says %v", n, kind, counts[plural])
		}
	}
	if len(counts) != len(names) || len(of) != len(names)+2 {
		t.Errorf("counts %v, kinds %v", counts, len(of))
	}
	hold := func(kind string, parts ...string) {
		t.Helper()
		if !slices.ContainsFunc(of[kind], func(line string) bool {
			return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) })
		}) {
			t.Errorf("no %s with %q in %s", kind, parts, strings.Join(of[kind], "\n"))
		}
	}
	hold("message", `"client_id":"client-1"`, `"created_at":"2026-03-02T09:00:00.123456Z"`, `"timezone":"Europe/Lisbon"`, `"metadata":{"k":[1,2.50]}`, `"session_id":"raw"`, `"content":"I sail"`, `"state":"done"`)
	hold("message", `"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\": 1.50, \"b\":\"<&\\u2028>\"}"}}],"x_big":12345678901234567890.10,"z":1,"a":"\u0000 é \ud83d\ude00 <b>"}`)
	hold("message", "cursed", `"state":"dead"`)
	hold("session", `"session_id":"s1"`, `"text":"they keep birds"`)
	hold("memory", "Lisbon", `"event":"ADD"`, `"sources":[`, `"statements":[{`)
	hold("memory", "I keep a kite", "I keep a falcon", `"edited":["memory"`)
	hold("memory", "Sells sea shells", `"app_id":"two"`)
	hold("deleted_memory", "I like tea", `"event":"DELETE"`)
	hold("origin", `"source_id":"e1"`, `"memory_id":"`)
	hold("removed_message", `"id":`, `"removed_at":`)
	hold("user", `"learn":true`)
	if strings.Contains(g.body, `"embedding"`) {
		t.Error("vectors are among it")
	}

	h.send("GET", "/v1/users/alice/export?user_id=bob", nil, "X-API-Key", "a").want(404)
	h.send("GET", "/v1/users/alice/export?agent_id=x", nil, "X-API-Key", "a").want(404)
	h.send("GET", "/v1/users/alice/export", nil, "X-API-Key", "o").want(404)
	h.send("GET", "/v1/users/nobody/export", nil, "X-API-Key", "a").want(404)
}

// A stream that fails once it has begun ends without its end; before that it fails as any
// other answer.
func TestAStreamThatFails(t *testing.T) {
	b := serveBare(t, Deps{}, Config{}, func(s *server) {
		for path, n := range map[string]int{"/v1/early": 10, "/v1/late": 200_000} {
			handle(s, operation{method: http.MethodGet, path: path, name: path[4:], tag: "x", summary: "x", streams: "application/x-ndjson", answers: map[int]any{200: exportLine{}}},
				func(context.Context, *call, *struct{}) (answer, error) {
					return answer{status: 200, stream: func(w io.Writer) error {
						if _, err := io.WriteString(w, strings.Repeat("z", n)); err != nil {
							return err
						}
						return &memd.Error{Kind: memd.Unavailable}
					}}, nil
				})
		}
	})
	resp, body := b.do(t, "GET", "/v1/early", nil)
	wantProblem(t, resp, body, 503)
	resp, err := http.Get(b.url + "/v1/late")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("it looks whole: %v", err)
	}
}

func TestWhomAnAnswerIsAbout(t *testing.T) {
	for body, want := range map[string][]string{
		``:                    nil,
		`[1,"user_id"]`:       nil,
		`{"user_id":null}`:    nil,
		`{"user_id":"alice"}`: {"alice"},
		`{"items":[{"user_id":"a"},{"x":{"user_id":"b"}},{"user_id":"a"}]}`: {"a", "b"},
		`{"filters":{"AND":[{"user_id":{"in":["a","b"]}}]}}`:                {"a", "b"},
		`{"user":"alice","session":"s"}`:                                    {"alice"},
		`{"user_id":"a\u0000b"} rest`:                                       {"ab"},
	} {
		got := usersIn([]byte(body), nil)
		slices.Sort(got)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	if got := usersIn(nil, []string{"", "q", "q"}); !reflect.DeepEqual(got, []string{"q"}) {
		t.Errorf("%q", got)
	}
}
