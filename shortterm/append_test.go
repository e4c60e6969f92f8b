package shortterm

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/postgres"
	"github.com/nats-io/nats.go"
	"pgregory.net/rapid"
)

func TestAppendKeepsWhatWasGiven(t *testing.T) {
	f := open(t, Config{})
	raw := json.RawMessage(`{"role":"user","name":"bob","content":"I moved to Lisbon \u0000 last week","x":12345678901234567890.10,"id":"client-7","created_at":"2026-03-02T10:00:00Z"}`)
	m, err := memd.ParseMessage(raw)
	if err != nil {
		t.Fatal(err)
	}
	tool := message(t, memd.RoleTool, "", "")
	a := Append{
		UserID: user, SessionID: "a/b 'ö'", AgentID: "agent", AppID: "app", Metadata: json.RawMessage(`{"k": [1, "ü"]}`),
		LearnAs:  &memd.LearnAs{Scope: "work", Categories: []string{"a", "ü"}, ExpiresAt: &m.CreatedAt, Prompt: "only \"food\""},
		Timezone: "Europe/Lisbon", Infer: true, Learn: both, Messages: []memd.Message{m, tool, message(t, memd.RoleAssistant, "Good", "")},
	}
	got := f.append(t, a)
	equal(t, "session", got.SessionID, a.SessionID)
	equal(t, "replayed", got.Replayed, false)
	for i, want := range []AppendedMessage{
		{ClientID: "client-7", Role: memd.RoleUser, CreatedAt: m.CreatedAt, State: StatePending},
		{Role: memd.RoleTool, State: StateSkipped},
		{Role: memd.RoleAssistant, State: StatePending},
	} {
		g := got.Messages[i]
		if i > 0 && g.ID <= got.Messages[i-1].ID {
			t.Errorf("ids do not ascend: %v", ids(got))
		}
		if want.CreatedAt.IsZero() {
			want.CreatedAt = got.Messages[1].CreatedAt // one arrival for all
		}
		want.ID = g.ID
		equal(t, fmt.Sprint("answer ", i), g, want)
	}
	session, entries, more, err := f.Messages(t.Context(), tenant, Page{UserID: user, SessionID: a.SessionID})
	if err != nil || session != a.SessionID || more || len(entries) != 3 {
		t.Fatalf("Messages = %q, %d, %v, %v", session, len(entries), more, err)
	}
	e := entries[0]
	if !reflect.DeepEqual(e.Ingest, Ingest{State: StatePending}) {
		t.Errorf("ingest = %+v", e.Ingest)
	}
	var metadata map[string]any
	if err := json.Unmarshal(e.Metadata, &metadata); err != nil || !reflect.DeepEqual(metadata, map[string]any{"k": []any{1.0, "ü"}}) {
		t.Errorf("metadata = %s", e.Metadata)
	}
	e.Metadata = nil
	want := memd.Message{
		ID: got.Messages[0].ID, ClientID: "client-7", UserID: user, SessionID: a.SessionID, AgentID: "agent", AppID: "app",
		Role: memd.RoleUser, Name: "bob", Raw: m.Raw, Text: m.Text, CreatedAt: m.CreatedAt,
		ReceivedAt: got.Messages[1].CreatedAt, Timezone: "Europe/Lisbon", LearnAs: a.LearnAs,
	}
	if !reflect.DeepEqual(e.Message, want) {
		t.Errorf("read\n%+v, want\n%+v", e.Message, want)
	}
	if entries[1].Ingest.State != StateSkipped {
		t.Errorf("a tool message is %s", entries[1].Ingest.State)
	}
	// What other readers of such a table expect.
	var role, text string
	b := postgres.TenantBatch(tenant)
	b.Queue(`SELECT role, message FROM conversation_context WHERE user_id = $1 AND session_id = $2 ORDER BY id LIMIT 1`, user, a.SessionID).
		QueryRow(func(row pgx.Row) error { return row.Scan(&role, &text) })
	if err := f.pool.SendBatch(t.Context(), b).Close(); err != nil || role != "user" || text != string(m.Raw) {
		t.Errorf("the table holds %s %s, %v", role, text, err)
	}
	f.checkSession(t, a.SessionID, 3)
	s, err := f.Session(t.Context(), tenant, user, a.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "title", *s.Title, "I moved to Lisbon last week")
	equal(t, "agent", *s.AgentID, "agent")
	equal(t, "kind", s.Kind, "chat")
	equal(t, "last message", *s.LastMessageAt, got.Messages[2].CreatedAt)
}

func TestWhatIsLearnedFrom(t *testing.T) {
	f := open(t, Config{})
	image, err := memd.ParseMessage(json.RawMessage(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var silent []memd.Message
	for _, raw := range []string{`"tool_calls":[{"id":"c"}]`, `"refusal":"no"`, `"audio":{"id":"a"}`, `"function_call":{"name":"f"}`} {
		m, err := memd.ParseMessage(json.RawMessage(`{"role":"assistant","content":null,` + raw + `}`))
		if err != nil {
			t.Fatal(err)
		}
		silent = append(silent, m)
	}
	given := []memd.Message{
		message(t, memd.RoleSystem, "s", ""), message(t, memd.RoleDeveloper, "d", ""), message(t, memd.RoleTool, "t", ""),
		message(t, memd.RoleUser, "u", ""), message(t, memd.RoleAssistant, "a", ""), image,
	}
	given = append(given, silent...)
	for _, c := range []struct {
		infer bool
		learn []memd.Role
		want  string
	}{
		{true, both, "...ppppppp"},
		{true, []memd.Role{memd.RoleUser}, "...p.p...."},
		{true, []memd.Role{memd.RoleAssistant, memd.RoleTool}, "....p.pppp"},
		{true, nil, ".........."},
		{false, both, ".........."},
	} {
		got := f.append(t, Append{UserID: user, Messages: given, Infer: c.infer, Learn: c.learn})
		states := ""
		for _, m := range got.Messages {
			states += map[string]string{StatePending: "p", StateSkipped: "."}[m.State]
		}
		equal(t, show(c), states, c.want)
		equal(t, "open rows", f.query(t, `SELECT count(*) FROM ingest_open WHERE session_no = $1`, got.SessionNo), int64(strings.Count(c.want, "p")))
		if len(got.SessionID) != 36 {
			t.Errorf("a session without a name is %q, want a UUID", got.SessionID)
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	f := open(t, Config{})
	_, err := f.Append(t.Context(), tenant, Append{UserID: user})
	kind(t, "no messages", err, memd.Invalid)
	_, err = f.Append(t.Context(), tenant, Append{Messages: call(t, "s", "a").Messages})
	kind(t, "no user", err, memd.Invalid)
	bad := call(t, "s", "a", "b")
	bad.Metadata = json.RawMessage(`{"a": "\u0000"}`)
	_, err = f.Append(t.Context(), tenant, bad)
	kind(t, "metadata that cannot be stored", err, memd.Invalid)
	_, err = f.Session(t.Context(), tenant, user, "s")
	kind(t, "the session of a call that failed", err, memd.NotFound)
	if _, err := f.Append(t.Context(), tenant, Append{Direct: true, Messages: call(t, "", "a").Messages}); err != nil {
		t.Errorf("direct without a user: %v", err)
	}
}

func TestTheFirstOfAClientIDStands(t *testing.T) {
	f := open(t, Config{})
	named := func(role memd.Role, text, id string) memd.Message { return message(t, role, text, id) }
	a := Append{UserID: user, SessionID: "s", Infer: true, Learn: both}
	a.Messages = []memd.Message{
		named(memd.RoleUser, "one", "c1"), named(memd.RoleAssistant, "none", ""), named(memd.RoleAssistant, "again", "c1"),
		named(memd.RoleSystem, "two", "c2"), named(memd.RoleUser, "none", ""),
	}
	first := f.append(t, a)
	equal(t, "second of c1", first.Messages[2], AppendedMessage{
		ID: first.Messages[0].ID, ClientID: "c1", Role: memd.RoleUser, CreatedAt: first.Messages[0].CreatedAt, State: StatePending, Duplicate: true})
	f.checkSession(t, "s", 4)

	f.do(t, `WITH gone AS (DELETE FROM ingest_open WHERE message_id = $1)
		INSERT INTO ingest_settled (message_id, tenant_id, state, attempts) VALUES ($1, 'acme', 'done', 1)`, first.Messages[0].ID)
	a.Messages = []memd.Message{
		named(memd.RoleUser, "new", ""), named(memd.RoleAssistant, "x", "c2"), named(memd.RoleUser, "y", "c3"), named(memd.RoleUser, "z", "c1"),
		named(memd.RoleUser, "y again", "c3"),
	}
	second := f.append(t, a)
	equal(t, "c2", second.Messages[1], AppendedMessage{ID: first.Messages[3].ID, ClientID: "c2", Role: memd.RoleSystem,
		CreatedAt: first.Messages[3].CreatedAt, State: StateSkipped, Duplicate: true})
	equal(t, "c1", second.Messages[3], AppendedMessage{ID: first.Messages[0].ID, ClientID: "c1", Role: memd.RoleUser,
		CreatedAt: first.Messages[0].CreatedAt, State: StateDone, Duplicate: true})
	equal(t, "c3 is new", second.Messages[2].Duplicate, false)
	equal(t, "c3 again", second.Messages[4].ID, second.Messages[2].ID)
	f.checkSession(t, "s", 6)

	a.Messages = a.Messages[1:2]
	all := f.append(t, a)
	equal(t, "nothing new", all.Messages[0].ID, first.Messages[3].ID)
	f.checkSession(t, "s", 6)
	a.SessionID = "other"
	if other := f.append(t, a); other.Messages[0].Duplicate {
		t.Error("a client id of another session counts")
	}
}

// Whatever comes, in whatever calls: what stands is the first of each client id, in
// order, without gaps.
func TestClientIDsProperty(t *testing.T) {
	f := open(t, Config{})
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		session := fmt.Sprint("p", n)
		type stood struct {
			id   int64
			text string
		}
		var want []stood
		seen := map[string]int64{}
		for c := range rapid.IntRange(1, 3).Draw(rt, "calls") {
			a := Append{UserID: user, SessionID: session}
			for i := range rapid.IntRange(1, 6).Draw(rt, "messages") {
				id := rapid.SampledFrom([]string{"", "", "a", "b", "c"}).Draw(rt, "id")
				a.Messages = append(a.Messages, message(t, memd.RoleUser, fmt.Sprint(c, " ", i), id))
			}
			got := f.append(t, a)
			for i, g := range got.Messages {
				m := a.Messages[i]
				first, dup := seen[m.ClientID]
				dup = dup && m.ClientID != ""
				if g.Duplicate != dup || dup && g.ID != first || g.ClientID != m.ClientID {
					rt.Fatalf("message %d of %v: %+v, duplicate %v of %d", i, a.Messages, g, dup, first)
				}
				if !dup {
					want = append(want, stood{g.ID, m.Text})
					seen[m.ClientID] = g.ID
				}
			}
		}
		_, entries, _, err := f.Messages(t.Context(), tenant, Page{UserID: user, SessionID: session})
		if err != nil || len(entries) != len(want) {
			rt.Fatalf("%d messages, %v, want %d", len(entries), err, len(want))
		}
		for i, e := range entries {
			if (stood{e.ID, e.Text}) != want[i] || e.Position != i {
				rt.Fatalf("message %d is %+v, want %+v", i, e.Message, want[i])
			}
		}
	})
}

func TestManyWritersOfOneSession(t *testing.T) {
	f := open(t, Config{LockTimeout: bound})
	const writers, calls = 16, 10
	var at sync.WaitGroup
	for w := range writers {
		at.Go(func() {
			for c := range calls {
				a := call(t, "s", "one", "two", "three")
				if w%4 == 0 { // some with client ids, that others have too
					a.Messages[1] = message(t, memd.RoleUser, "two", fmt.Sprint("c", c))
				}
				if w%4 == 1 { // some elsewhere at the same time
					a.SessionID = fmt.Sprint("s", c%2)
				}
				if _, err := f.Append(t.Context(), tenant, a); err != nil {
					t.Error(err)
				}
			}
		})
	}
	at.Wait()
	f.checkSession(t, "s", (writers*3/4)*calls*3-(writers/4-1)*calls)
	f.checkSession(t, "s0", writers/4*calls/2*3)
	f.checkSession(t, "s1", writers/4*calls/2*3)
}

// A reader that has seen an id of a session never sees a smaller one appear.
func TestIDsAscendInOrderOfCommit(t *testing.T) {
	f := open(t, Config{LockTimeout: bound})
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 25 {
				if _, err := f.Append(t.Context(), tenant, call(t, "s", "one", "two")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	var seen []int64
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		_, entries, _, err := f.Messages(t.Context(), tenant, Page{UserID: user, SessionID: "s"})
		if memd.KindOf(err) == memd.NotFound && err != nil {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var now []int64
		for _, e := range entries {
			now = append(now, e.ID)
		}
		if len(now) < len(seen) || !slices.Equal(now[:len(seen)], seen) {
			t.Fatalf("what was read before changed: %v then %v", seen, now)
		}
		seen = now
	}
	equal(t, "messages", len(seen), 200)
}

func keyed(a Append, key, body string) Append {
	k := idempotency.NewKey("POST", "/v1/messages", key, []byte(body))
	a.Key = &k
	return a
}

func TestAKeyAppendsOnce(t *testing.T) {
	f := open(t, Config{})
	a := call(t, "s", "one", "two")
	a.Messages = append(a.Messages, message(t, memd.RoleTool, "t", "c1"), message(t, memd.RoleUser, "u", "c1"))
	f.append(t, call(t, "s", "before"))
	first := f.append(t, keyed(a, "k", "b"))
	// The answer stays what it was, whatever has become of the messages.
	f.do(t, `DELETE FROM ingest_open`)
	f.append(t, call(t, "s", "after"))
	again := f.append(t, keyed(a, "k", "b"))
	equal(t, "replayed", again.Replayed, true)
	again.Replayed = false
	if !reflect.DeepEqual(again, first) {
		t.Errorf("replay\n%+v, want\n%+v", again, first)
	}
	f.checkSession(t, "s", 5)

	_, err := f.Append(t.Context(), tenant, keyed(a, "k", "other"))
	kind(t, "another body", err, memd.Invalid)
	if e := err.(*memd.Error); e.Field != idempotency.Header {
		t.Errorf("field %q", e.Field)
	}
	if _, err := f.Append(t.Context(), "other tenant", keyed(a, "k", "other")); err != nil {
		t.Errorf("another tenant's key: %v", err)
	}

	// Duplicates are told as they were, too.
	dup := Append{UserID: user, SessionID: "s", Messages: a.Messages[2:3]}
	told := f.append(t, keyed(dup, "l", "b"))
	equal(t, "state then", told.Messages[0].State, StateSkipped)
	done := Append{UserID: user, SessionID: "s", Infer: true, Learn: both, Messages: []memd.Message{message(t, memd.RoleUser, "x", "c9")}}
	id := f.append(t, done).Messages[0].ID
	f.do(t, `UPDATE ingest_open SET state = 'running' WHERE message_id = $1`, id)
	told = f.append(t, keyed(done, "m", "b"))
	equal(t, "state then", told.Messages[0].State, StateRunning)
	f.do(t, `DELETE FROM ingest_open`)
	again = f.append(t, keyed(done, "m", "b"))
	again.Replayed = false
	if !reflect.DeepEqual(again, told) {
		t.Errorf("replay\n%+v, want\n%+v", again, told)
	}
}

// A repetition of what is gone by now names the session that was asked for, or a new one.
func TestAKeyWhoseMessagesAreGone(t *testing.T) {
	f := open(t, Config{})
	f.append(t, call(t, "latest", "another"))
	for _, session := range []string{"s", ""} {
		a := keyed(call(t, session, "one"), "k"+session, "b")
		first := f.append(t, a)
		f.remove(t, first.SessionID)
		again := f.append(t, a)
		if !again.Replayed || len(again.Messages) > 0 || again.SessionID == "" || again.SessionID == "latest" || session != "" && again.SessionID != session {
			t.Errorf("of %q: %+v", session, again)
		}
		_, err := f.Session(t.Context(), tenant, user, again.SessionID)
		kind(t, "its session", err, memd.NotFound)
	}
}

func TestOneOfManyWithAKeyAppends(t *testing.T) {
	f := open(t, Config{LockTimeout: bound})
	for round := range 5 {
		var at sync.WaitGroup
		answers := make([]Appended, 8)
		for i := range answers {
			at.Go(func() {
				a := call(t, "", "one", "two") // each would make a session of its own
				got, err := f.Append(t.Context(), tenant, keyed(a, fmt.Sprint(round), "b"))
				if err != nil {
					t.Error(err)
				}
				answers[i] = got
			})
		}
		at.Wait()
		written := 0
		for _, a := range answers {
			if !a.Replayed {
				written++
			}
			a.Replayed, answers[0].Replayed = false, false
			if !reflect.DeepEqual(a, answers[0]) {
				t.Errorf("answers differ: %+v, %+v", a, answers[0])
			}
		}
		equal(t, "writes", written, 1)
	}
	equal(t, "messages", f.query(t, `SELECT count(*) FROM conversation_context`), 10)
	equal(t, "sessions", f.query(t, `SELECT count(*) FROM conversation_session`), 5)
}

func TestAFirstOneThatDoesNotEndIsAConflict(t *testing.T) {
	f := open(t, Config{LockTimeout: 50 * time.Millisecond})
	a := keyed(call(t, "s", "one"), "k", "b")
	err := f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), idempotency.InsertAppended+`VALUES ($1, $2, $3, '{1}', '{f}', NULL)`, tenant, a.Key.Hash[:], a.Key.Body[:])
		if err != nil {
			return err
		}
		_, err = f.Append(t.Context(), tenant, a)
		kind(t, "while the first one is at work", err, memd.Conflict)
		if memd.RetryAfterOf(err) <= 0 {
			t.Error("no RetryAfter")
		}
		return pgx.ErrTxClosed // roll back
	})
	kind(t, "the first one", err, memd.Unavailable)
	f.append(t, a)

	// Without a key it is the session that is busy.
	_ = f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), lockSession, tenant, user, "s"); err != nil {
			t.Fatal(err)
		}
		_, err := f.Append(t.Context(), tenant, call(t, "s", "one"))
		kind(t, "while the session is locked", err, memd.Unavailable)
		return nil
	})
	f.checkSession(t, "s", 1)
}

func TestAKeyIsFreeAfterADay(t *testing.T) {
	f := open(t, Config{})
	f.append(t, keyed(call(t, "s", "one"), "k", "b"))
	f.do(t, `UPDATE idempotency SET created_at = now() - interval '25 hours'`)
	if got := f.append(t, keyed(call(t, "s", "one"), "k", "other")); got.Replayed {
		t.Error("replayed after a day")
	}
	f.checkSession(t, "s", 2)
}

// Whether a write that was given up was written after all is not known to who gave it
// up: the server may have had all of it by then. With a key the question has an answer.
func TestAppendEndsWithItsContext(t *testing.T) {
	f := open(t, Config{LockTimeout: bound})
	f.append(t, call(t, "s", "one"))
	two := keyed(call(t, "s", "two"), "k", "b")
	_ = f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), lockSession, tenant, user, "s"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err := f.Append(ctx, tenant, two)
		kind(t, "past its deadline", err, memd.Unavailable)
		return nil
	})
	f.append(t, two)
	f.checkSession(t, "s", 2)
}

// NATS away or deaf: writing does not notice.
func TestAppendDoesNotNeedTheQueue(t *testing.T) {
	deaf, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	conn, err := nats.Connect("nats://"+deaf.Addr().String(), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.Timeout(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	f := openOn(t, conn, Config{})
	for range 20 {
		f.append(t, call(t, "s", "one", "two"))
	}
	f.checkSession(t, "s", 40)
	equal(t, "open", f.query(t, `SELECT count(*) FROM ingest_open WHERE state = 'pending'`), 40)
}

func TestWorkIsPublishedAfterTheCommit(t *testing.T) {
	f := open(t, Config{})
	memdtest.Until(t, "the queue is ready", func() bool { return f.bus.Check(t.Context()) == nil })
	a := call(t, "s", "one", "two")
	a.Messages = append(a.Messages, message(t, memd.RoleTool, "t", ""))
	live := f.append(t, a)
	a.Backfill = true
	back := f.append(t, a)
	a.Infer = false
	f.append(t, a)
	var got []string
	memdtest.Until(t, "two deliveries", func() bool {
		ds, err := f.bus.Fetch(t.Context(), 10, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range ds {
			got = append(got, show(d.Work))
			if err := d.Ack(); err != nil {
				t.Fatal(err)
			}
		}
		return len(got) >= 2
	})
	want := []string{
		fmt.Sprintf("{Tenant:acme SessionNo:%d MessageIDs:%v Backfill:false}", live.SessionNo, ids(live)[:2]),
		fmt.Sprintf("{Tenant:acme SessionNo:%d MessageIDs:%v Backfill:true}", back.SessionNo, ids(back)[:2]),
	}
	if !slices.Equal(got, want) {
		t.Errorf("published %v, want %v", got, want)
	}
	equal(t, "backfill rows", f.query(t, `SELECT count(*) FROM ingest_open WHERE priority = 1`), 2)
}

// Nothing holds one connection while it waits for another.
func TestOneConnectionIsEnough(t *testing.T) {
	f := open(t, Config{})
	config := f.pool.Config()
	config.MaxConns, config.MinConns = 1, 0
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	f.pool = &postgres.Pool{Pool: pool}
	f.Log = New(f.pool, f.bus, Config{})
	var at sync.WaitGroup
	for i := range 4 {
		at.Go(func() {
			session := fmt.Sprint("s", i)
			if _, err := f.CreateSession(t.Context(), tenant, NewSession{UserID: user, SessionID: session}); err != nil {
				t.Error(err)
			}
			for range 2 {
				a := keyed(call(t, session, "1", "2"), session, "b")
				got, err := f.Append(t.Context(), tenant, a)
				if err != nil {
					t.Error(err)
				}
				if c, err := f.Claim(t.Context(), tenant, got.SessionNo, 10, 1); err != nil {
					t.Error(err)
				} else if c != nil {
					f.settleAll(t, c, StateDone)
				}
			}
			if _, err := f.Window(t.Context(), tenant, user, "", 2, 1<<16); err != nil {
				t.Error(err)
			}
			if c, err := f.AwaitIdle(t.Context(), tenant, user, session); err != nil || c.Done != 2 {
				t.Errorf("AwaitIdle = %+v, %v", c, err)
			}
		})
	}
	at.Wait()
}

// Connections that the server has cut cost at most one call each, and that says so.
func TestCutConnectionsAreReplaced(t *testing.T) {
	f := open(t, Config{})
	f.append(t, call(t, "s", "1"))
	_, _ = f.pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user`)
	written := 1
	memdtest.Until(t, "appending works again", func() bool {
		_, err := f.Append(t.Context(), tenant, call(t, "s", "2"))
		if err != nil {
			kind(t, "on a cut connection", err, memd.Unavailable)
			return false
		}
		written++
		return true
	})
	f.checkSession(t, "s", written)

	away, err := postgres.Open(t.Context(), "postgres://memd_app@127.0.0.1:1/memd?connect_timeout=1", postgres.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	l := New(away, f.bus, Config{})
	_, err = l.Append(t.Context(), tenant, call(t, "s", "1"))
	kind(t, "without a database", err, memd.Unavailable)
	_, _, _, err = l.Messages(t.Context(), tenant, Page{UserID: user, SessionID: "s"})
	kind(t, "reading without a database", err, memd.Unavailable)
}

func TestTitles(t *testing.T) {
	long := strings.Repeat("x", 100)
	for text, want := range map[string]string{
		"": "", " \n": "", "Hello  there,\nyou": "Hello there, you", long: long[:80] + "…",
		"a " + long:               "a…",
		strings.Repeat("ab ", 50): strings.TrimSpace(strings.Repeat("ab ", 27)) + "…",
		strings.Repeat("ä", 90):   strings.Repeat("ä", 80) + "…",
	} {
		equal(t, text, title(text), want)
	}
	memdtest.Checks(t, 100)
	rapid.Check(t, func(t *rapid.T) {
		got := title(rapid.String().Draw(t, "text"))
		if utf8.RuneCountInString(got) > titleLength+1 || strings.ContainsAny(got, "\n\t") || !utf8.ValidString(got) {
			t.Fatalf("title %q", got)
		}
	})
}

// Append in one transaction of one round trip, against the plainest insert of the same
// two rows, alternating.
func BenchmarkAppend(b *testing.B) {
	f := open(b, Config{})
	_, err := f.pool.Exec(b.Context(), `SELECT 1`)
	if err != nil {
		b.Fatal(err)
	}
	a := call(b, "s", strings.Repeat("I moved to Lisbon last week. ", 6), strings.Repeat("That is nice. ", 12))
	plain := func() error {
		batch := postgres.TenantBatch(tenant)
		batch.Queue(`INSERT INTO conversation_context (user_id, session_id, role, message, tenant_id, session_no, position, learn)
			VALUES ($1, $2, $3, $4, $5, 0, 0, false), ($1, $2, $6, $7, $5, 0, 0, false)`,
			user, "plain", "user", string(a.Messages[0].Raw), tenant, "assistant", string(a.Messages[1].Raw))
		return f.pool.SendBatch(b.Context(), batch).Close()
	}
	var ours, plains []time.Duration
	for b.Loop() {
		at := time.Now()
		if err := plain(); err != nil {
			b.Fatal(err)
		}
		mid := time.Now()
		if _, err := f.Append(b.Context(), tenant, a); err != nil {
			b.Fatal(err)
		}
		plains, ours = append(plains, mid.Sub(at)), append(ours, time.Since(mid))
	}
	slices.Sort(ours)
	slices.Sort(plains)
	p50, base := ours[len(ours)/2], plains[len(plains)/2]
	b.ReportMetric(float64(p50.Microseconds()), "append-p50-µs")
	b.ReportMetric(float64(base.Microseconds()), "plain-p50-µs")
	b.ReportMetric(float64(p50)/float64(base), "ratio")
}
