package shortterm

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
	"pgregory.net/rapid"
)

// imported is an Append as an import brings it.
func imported(t testing.TB, userID, session string, messages ...memd.Message) Append {
	t.Helper()
	return Append{UserID: userID, SessionID: session, Infer: true, Learn: both, Backfill: true, Messages: messages}
}

func (f fixture) all(t testing.TB, as ...Append) []Appended {
	t.Helper()
	done, err := f.AppendAll(t.Context(), tenant, as, nil)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// told is what an answer says, less what depends on the clock and on who else writes.
func told(as []Appended) (all []string) {
	for _, a := range as {
		line := a.SessionID + " " + a.NextSessionID
		for _, m := range a.Messages {
			line += fmt.Sprintf(" %s/%s/%s/%v", m.ClientID, m.Role, m.State, m.Duplicate)
		}
		all = append(all, line)
	}
	return all
}

// stored is all that stands of a tenant in the short tier, less its numbers and clocks.
func (f fixture) stored(t testing.TB, of string) (all []string) {
	t.Helper()
	b := postgres.TenantBatch(of)
	read := func(sql string) {
		b.Queue(sql, of).Query(func(rows pgx.Rows) error {
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			all = append(all, lines...)
			return err
		})
	}
	read(`SELECT jsonb_build_array(user_id, CASE WHEN length(session_id) < 36 THEN session_id END, kind, agent_id, title, metadata, messages, removed,
			CASE WHEN last_message_at < '2020-01-01' THEN last_message_at END, heard_at IS NOT NULL, previous_session_id IS NOT NULL, last_message_id IS NOT NULL, closed_at IS NOT NULL, next_session_id IS NOT NULL, forwards_to IS NOT NULL, turns, bytes, learn, incognito)::text
		 FROM conversation_session WHERE tenant_id = $1 ORDER BY 1`)
	read(`SELECT jsonb_build_array(c.user_id, s.title, c.role, c.message, CASE WHEN c.created_at < '2020-01-01' THEN c.created_at END, c.position, c.learn, c.agent_id, c.app_id, c.actor_id,
			c.client_id, c.timezone, c.metadata, c.learn_as, c.session_id = s.session_id, o.state, o.priority, o.attempts, o.lot, o.session_no = s.no, e.state)::text
		 FROM conversation_context c JOIN conversation_session s ON s.no = c.session_no
		 LEFT JOIN ingest_open o ON o.message_id = c.id LEFT JOIN ingest_settled e ON e.message_id = c.id WHERE c.tenant_id = $1 ORDER BY 1`)
	read(`SELECT user_id || learn FROM person WHERE tenant_id = $1 ORDER BY 1`)
	if err := f.pool.SendBatch(t.Context(), b).Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// A session may be erased before a bulk has its lock, and another of its name made before its row is
// read: that one is not held, and nothing is written to it in bulk.
func TestABulkIsNotWrittenToASessionThatIsNotHeld(t *testing.T) {
	f := open(t, Config{})
	f.append(t, call(t, "s", "before"))
	in := newBulk(tenant, []Append{imported(t, user, "s", message(t, memd.RoleUser, "mine", ""))})
	steps := &pgx.Batch{}
	held := in.queueHold(steps, time.Second)
	err := f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
		for _, q := range steps.QueuedQueries {
			if q.SQL == lockSessions {
				f.erase(t, user)
			}
			if err := tx.SendBatch(t.Context(), &pgx.Batch{QueuedQueries: []*pgx.QueuedQuery{q}}).Close(); err != nil {
				return err
			}
			if q.SQL == lockSessions {
				if _, err := New(f.pool, f.bus, Config{}).Append(t.Context(), tenant, call(t, "s", "another's")); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "sessions held", *held, 0)
}

// Whatever comes, in bulk it comes to what its appends would come to one after the other:
// the answers and every row.
func TestABulkIsWhatItsAppendsWouldBe(t *testing.T) {
	f := open(t, Config{Limits: Limits{Turns: ptr(4)}})
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		one, bulk := fmt.Sprint("one", n), fmt.Sprint("bulk", n)
		each := func(do func(of string)) { do(one); do(bulk) }
		said := rapid.IntRange(1, 3)
		for range rapid.IntRange(1, 3).Draw(rt, "calls") {
			switch rapid.IntRange(0, 6).Draw(rt, "before") { // sessions that are not plain, people who want nothing learned
			case 0:
				each(func(of string) {
					_, _, _ = f.Rotate(t.Context(), of, Rotation{UserID: "ann", SessionID: "s", NextSessionID: "t"})
				})
			case 1:
				each(func(of string) {
					no := false
					_, _ = f.CreateSession(t.Context(), of, NewSession{UserID: "bob", SessionID: "t", Learn: &no})
				})
			case 2:
				each(func(of string) { _, _ = f.SetPersonLearn(t.Context(), of, "ann", false) })
			case 3:
				each(func(of string) {
					_, _ = f.CreateSession(t.Context(), of, NewSession{UserID: "bob", SessionID: "u", Incognito: true})
				})
			}
			var as []Append
			for range rapid.IntRange(1, 8).Draw(rt, "appends") {
				a := imported(t, rapid.SampledFrom([]string{"ann", "bob", "c'l\\"}).Draw(rt, "user"), rapid.SampledFrom([]string{"s", "t", "u", "ü"}).Draw(rt, "session"))
				a.AgentID = rapid.SampledFrom([]string{"", "", "g", "h"}).Draw(rt, "agent")
				a.AppID = rapid.SampledFrom([]string{"", "app"}).Draw(rt, "app")
				a.Timezone = rapid.SampledFrom([]string{"", "Europe/Vienna"}).Draw(rt, "zone")
				a.Infer = rapid.IntRange(0, 5).Draw(rt, "infer") > 0
				a.Backfill = rapid.IntRange(0, 20).Draw(rt, "live") > 0
				if rapid.Bool().Draw(rt, "metadata") {
					a.Metadata = json.RawMessage(`{"k": {"l": 1.50}}`)
				}
				for i := range said.Draw(rt, "messages") {
					m := message(t, rapid.SampledFrom([]memd.Role{memd.RoleUser, memd.RoleAssistant, memd.RoleSystem, memd.RoleTool}).Draw(rt, "role"),
						fmt.Sprint("{\"ü\\", i, rapid.IntRange(0, 2).Draw(rt, "text")), rapid.SampledFrom([]string{"", "a", "b", "c", "d"}).Draw(rt, "id"))
					if rapid.Bool().Draw(rt, "dated") {
						m.CreatedAt = time.Date(2019, 1, 1+rapid.IntRange(0, 9).Draw(rt, "day"), 0, 0, 0, 0, time.UTC)
					}
					m.Name = rapid.SampledFrom([]string{"", "Ann"}).Draw(rt, "name")
					a.Messages = append(a.Messages, m)
				}
				as = append(as, a)
			}
			var alone []Appended
			for _, a := range as {
				done, err := f.Append(t.Context(), one, a)
				if err != nil {
					rt.Fatal(err)
				}
				alone = append(alone, done)
			}
			together, err := f.AppendAll(t.Context(), bulk, as, nil)
			if err != nil {
				rt.Fatal(err)
			}
			// A session that follows one has a name of its own.
			for i := range alone {
				if alone[i].SessionID != as[i].SessionID && together[i].SessionID != as[i].SessionID {
					together[i].SessionID = alone[i].SessionID
				}
				if (alone[i].NextSessionID == "") == (together[i].NextSessionID == "") {
					together[i].NextSessionID = alone[i].NextSessionID
				}
			}
			if got, want := show(told(together)), show(told(alone)); got != want {
				rt.Fatalf("in bulk the answers to %+v are\n%s\none by one\n%s", as, got, want)
			}
		}
		if got, want := f.stored(t, bulk), f.stored(t, one); show(got) != show(want) {
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || got[i] != want[i] {
					rt.Fatalf("in bulk there are %d rows, one by one %d; the first that differ are\n%s\n%s", len(got), len(want), at(got, i), at(want, i))
				}
			}
		}
	})
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "none"
}

// A bulk of new sessions of many people goes in as it was given, and the second time nothing does.
func TestABulkGoesInOnce(t *testing.T) {
	f := open(t, Config{})
	var as []Append
	for i := range 300 {
		as = append(as, imported(t, fmt.Sprint("u", i%7), fmt.Sprint("s", i), message(t, memd.RoleUser, fmt.Sprint("I have ", i, " bees"), "m1"),
			message(t, memd.RoleAssistant, "Good", "m2"), message(t, memd.RoleTool, "", "m3")))
	}
	first := f.all(t, as...)
	last := int64(0)
	for i, a := range first {
		for j, m := range a.Messages {
			if m.Duplicate || m.ID <= last || m.ClientID != fmt.Sprint("m", j+1) {
				t.Fatalf("message %d of %d is answered %+v after %d", j, i, m, last)
			}
			last = m.ID
		}
	}
	equal(t, "open", f.rows(t, "ingest_open"), 600)
	equal(t, "due", f.query(t, `SELECT count(*) FROM ingest_open WHERE publish_at <= now() AND priority = 1`), 600)
	equal(t, "messages", f.rows(t, "conversation_context"), 900)
	again := f.all(t, as...)
	for i, a := range again {
		for j, m := range a.Messages {
			if want := first[i].Messages[j]; !m.Duplicate || m.ID != want.ID || m.State != want.State || !m.CreatedAt.Equal(want.CreatedAt) {
				t.Fatalf("again message %d of %d is answered %+v, first %+v", j, i, m, want)
			}
		}
	}
	equal(t, "messages the second time", f.rows(t, "conversation_context"), 900)
	equal(t, "people", f.rows(t, "person"), 7)
}

// One append that cannot be stored keeps all others out, sessions and people too.
func TestABulkIsAllOrNone(t *testing.T) {
	f := open(t, Config{})
	bad := imported(t, "bob", "b", message(t, memd.RoleUser, "x", ""))
	bad.Metadata = json.RawMessage(`{"a": "\u0000"}`)
	_, err := f.AppendAll(t.Context(), tenant, []Append{imported(t, user, "a", message(t, memd.RoleUser, "x", "")), bad}, nil)
	kind(t, "metadata that cannot be stored", err, memd.Invalid)
	_, err = f.AppendAll(t.Context(), tenant, []Append{imported(t, user, "a", message(t, memd.RoleUser, "x", "")), imported(t, "bob", "b")}, nil)
	kind(t, "no messages", err, memd.Invalid)
	for _, table := range []string{"conversation_session", "conversation_context", "ingest_open", "person"} {
		equal(t, table, f.rows(t, table), 0)
	}
	if none, err := f.AppendAll(t.Context(), tenant, nil, nil); err != nil || len(none) != 0 {
		t.Errorf("nothing = %v, %v", none, err)
	}
}

// With a key all of it goes in once, and the second time is told what the first was.
func TestAKeyBringsABulkOnce(t *testing.T) {
	f := open(t, Config{})
	as := []Append{imported(t, user, "a", message(t, memd.RoleUser, "x", ""), message(t, memd.RoleUser, "y", "")), imported(t, "bob", "", message(t, memd.RoleUser, "z", ""))}
	key := keyOf("k", "body")
	first, err := f.AppendAll(t.Context(), tenant, as, key)
	if err != nil {
		t.Fatal(err)
	}
	again, err := f.AppendAll(t.Context(), tenant, as, key)
	if err != nil {
		t.Fatal(err)
	}
	for i := range again {
		if !again[i].Replayed || show(ids(again[i])) != show(ids(first[i])) || again[i].SessionID != first[i].SessionID {
			t.Errorf("again %+v, first %+v", again[i], first[i])
		}
	}
	equal(t, "messages", f.rows(t, "conversation_context"), 3)
	_, err = f.AppendAll(t.Context(), tenant, as, keyOf("k", "another body"))
	kind(t, "another body", err, memd.Invalid)
	var at sync.WaitGroup
	for range 8 {
		at.Go(func() {
			if done, err := f.AppendAll(t.Context(), tenant, as, keyOf("many", "body")); err != nil || len(done) != 2 {
				t.Errorf("%+v, %v", done, err)
			}
		})
	}
	at.Wait()
	equal(t, "messages of many at once", f.rows(t, "conversation_context"), 6)
}

// Bulks, appends and rotations of the same sessions at once: nothing is lost, and no session has
// a gap.
func TestBulksBesideOthers(t *testing.T) {
	f := open(t, Config{LockTimeout: bound})
	const writers, calls = 6, 12
	var at sync.WaitGroup
	for w := range writers {
		at.Go(func() {
			for c := range calls {
				if w == 0 {
					if _, err := f.Append(t.Context(), tenant, call(t, fmt.Sprint("s", c%5), "live")); err != nil {
						t.Error(err)
					}
					continue
				}
				if w == 1 && c%4 == 0 {
					if _, _, err := f.Rotate(t.Context(), tenant, Rotation{UserID: user, SessionID: "s4"}); err != nil && memd.KindOf(err) != memd.NotFound {
						t.Error(err)
					}
				}
				var as []Append
				for i := range 10 { // in another order each
					s := (i*[]int{1, 3, 7, 9, 11, 13}[w] + c) % 10
					as = append(as, imported(t, []string{user, "bob"}[s/5], fmt.Sprint("s", s%5), message(t, memd.RoleUser, "of all", fmt.Sprint("c", c)), message(t, memd.RoleUser, "own", fmt.Sprint("w", w, "c", c))))
				}
				if _, err := f.AppendAll(t.Context(), tenant, as, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	at.Wait()
	for s := range 4 {
		own, live := (writers-1)*calls, 0
		for c := range calls {
			if c%5 == s {
				live++
			}
		}
		f.checkSession(t, fmt.Sprint("s", s), calls+own+live)
	}
	equal(t, "one position twice, or a gap", f.query(t, `SELECT count(*) FROM conversation_session s WHERE messages <> (SELECT count(DISTINCT position) FROM conversation_context c WHERE c.session_no = s.no)
		OR messages <> (SELECT coalesce(max(position) + 1, 0) FROM conversation_context c WHERE c.session_no = s.no)`), 0)
	equal(t, "messages of bob", f.query(t, `SELECT count(*) FROM conversation_context WHERE user_id = 'bob'`), int64(5*(calls+(writers-1)*calls)))
}
