package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/postgres"
)

// testdata/schemaN.sql is what a memd of schema N wrote: the last one before the next
// schema, of two tenants, killed while messages were open. It is what pg_dump --data-only
// --column-inserts --rows-per-insert=200 gives, less comments and settings.

// releasedSchemas are the steps in postgres/migration.
func releasedSchemas(t *testing.T) (steps []string) {
	t.Helper()
	steps, err := filepath.Glob("../../postgres/migration/*.sql")
	if err != nil || len(steps) == 0 {
		t.Fatal("no migrations", err)
	}
	return steps // in order
}

func TestEverySchemaIsBroughtForward(t *testing.T) {
	t.Parallel()
	steps := releasedSchemas(t)
	model := newModelChild(t)
	left, err := filepath.Glob("testdata/schema*.sql")
	if err != nil || len(left) == 0 {
		t.Fatal("nothing was left by older ones", err)
	}
	for n := range left {
		t.Run(fmt.Sprintf("from %d", n+1), func(t *testing.T) { bringForward(t, steps[:n+1], model) })
	}
}

// loggedRow is a message of the log, rememberedRow a memory.
type loggedRow struct {
	ID                                   int64
	Tenant, User, Session, Role, Message string
}
type rememberedRow struct {
	ID                   string
	Tenant, User, Memory string
}

// bringForward starts memd on a database as an older one left it, while that goes on writing.
func bringForward(t *testing.T, steps []string, model *modelChild) {
	n := len(steps)
	ownerURL, appURL := memdtest.Postgres(t)
	owner := connectTo(t, ownerURL)
	for _, step := range steps {
		sql, err := os.ReadFile(step)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := owner.Exec(t.Context(), string(sql)); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
	}
	loadAsLeft(t, owner, fmt.Sprintf("testdata/schema%d.sql", n))
	messages, memories := rowsLogged(t, owner), rowsRemembered(t, owner)
	if len(messages) < 10 || len(memories) < 5 {
		t.Fatalf("of schema %d there are %d messages and %d memories", n, len(messages), len(memories))
	}

	w := &olderWriter{t: t, url: appURL, stopping: make(chan struct{}), done: make(chan struct{})}
	go w.run()
	defer w.end()
	w.await(5)
	began := time.Now()
	d := start(t, memdtest.Dir(t), "DB_URL="+appURL, "MEMD_DB_ADMIN_URL="+ownerURL, "MEMD_API_KEYS=key-one=default,key-two=acme",
		"MEMD_EMBED_URL=http://"+model.addr+"/v1", "MEMD_EMBED_MODEL=words")
	took := time.Since(began)
	during := w.written()
	w.await(during + 5) // what the older one writes into the newer schema
	w.end()

	keys := map[string]string{"default": "key-one", "acme": "key-two"}
	states := ingestStates{}
	for tenant, key := range keys {
		d.eventually("all of "+tenant+" is settled", func() bool {
			status, answer := d.try(http.MethodGet, "/v1/ingest", "", "Authorization", "Bearer "+key)
			var s ingestStates
			if status != 200 || json.Unmarshal([]byte(answer), &s) != nil || s.open() > 0 {
				return false
			}
			states.States.Done += s.States.Done
			states.States.Dead += s.States.Dead
			return true
		})
	}
	if states.States.Dead > 0 {
		t.Errorf("%d messages were given up", states.States.Dead)
	}

	// The log is as it was, and has what was written meanwhile.
	after := rowsLogged(t, owner)
	if len(after) < len(messages) || !slices.Equal(after[:len(messages)], messages) {
		t.Errorf("the log was\n%v\nand is\n%v", messages, after)
	}
	var texts []string
	for _, m := range after[min(len(after), len(messages)):] {
		var content struct{ Content string }
		if err := json.Unmarshal([]byte(m.Message), &content); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, content.Content)
	}
	if !slices.Equal(texts, w.texts) {
		t.Errorf("meanwhile was written\n%q\nand stored\n%q", w.texts, texts)
	}
	var page struct{ Messages []struct{ ID int64 } }
	d.want(200, http.MethodGet, "/v1/messages?user_id=alice&session_id=first", "", &page, "Authorization", "Bearer key-one")
	if len(page.Messages) != 4 {
		t.Errorf("a session of 4 messages is shown with %d", len(page.Messages))
	}

	// Every memory is there under its id, nothing is remembered twice, and what was open
	// was learned from.
	now := rowsRemembered(t, owner)
	for _, m := range memories {
		if !slices.Contains(now, m) {
			t.Errorf("%+v is gone", m)
		}
	}
	counts := map[string]int{}
	for _, m := range now {
		counts[m.Tenant+"/"+m.User+": "+m.Memory]++
	}
	expected := []string{"default/alice: I collect old stamps", "default/alice: My favorite color is teal", "default/carol: I am a nurse",
		"default/carol: I have a cat named Minka", "default/carol: I play chess on Sundays", "acme/dave: I study botany"}
	for _, text := range w.texts {
		expected = append(expected, "default/writer: "+text)
	}
	for _, text := range expected {
		if counts[text] != 1 {
			t.Errorf("%q is remembered %d times", text, counts[text])
		}
	}
	doubled := 0
	for text, n := range counts {
		if n > 1 {
			doubled += n - 1
			t.Errorf("%q is remembered %d times", text, n)
		}
	}
	for _, user := range []string{"alice", "bob", "carol", "writer"} {
		var profile struct{ Results []struct{ ID, Memory string } }
		d.want(200, http.MethodGet, "/v1/memories?limit=1000&user_id="+user, "", &profile, "Authorization", "Bearer key-one")
		if len(profile.Results) == 0 {
			t.Errorf("nothing is shown of %s", user)
		}
		for _, m := range profile.Results {
			var history struct{ Results []struct{ Event string } }
			d.want(200, http.MethodGet, "/v1/memories/"+m.ID+"/history", "", &history, "Authorization", "Bearer key-one")
			if len(history.Results) == 0 || !slices.ContainsFunc(history.Results, func(e struct{ Event string }) bool { return e.Event == "ADD" }) {
				t.Errorf("%q has the history %+v", m.Memory, history)
			}
		}
	}

	// What was learned long ago is found, by words and by its vector.
	var hits found
	d.want(200, http.MethodPost, "/v1/memories/search", `{"user_id":"bob","query":"allergic to peanuts"}`, &hits, "Authorization", "Bearer key-one")
	if len(hits.Results) == 0 || !strings.Contains(hits.Results[0].Memory, "peanuts") || len(hits.Degraded) > 0 {
		t.Errorf("found is %+v", hits)
	}
	// A write that comes again is told what it was told, and what is said again is one memory.
	var again posted
	d.want(201, http.MethodPost, "/v1/messages", `{"user_id": "carol", "session_id": "first", "messages": [{"role": "user", "content": "I am a nurse"}, {"role": "user", "content": "I have a cat named Minka"}, {"role": "user", "content": "I play chess on Sundays"}]}`,
		&again, "Authorization", "Bearer key-one", "Idempotency-Key", "carol-1")
	if len(again.Messages) != 3 || !slices.ContainsFunc(messages, func(m loggedRow) bool { return m.User == "carol" && m.ID == again.Messages[0].ID }) {
		t.Errorf("a write that came again was answered %+v", again)
	}
	d.want(201, http.MethodPost, "/v1/messages", messageBody("bob", "later", "I am allergic to peanuts"), nil, "Authorization", "Bearer key-one")
	d.eventually("that is settled", func() bool {
		var s ingestStates
		d.want(200, http.MethodGet, "/v1/ingest?user_id=bob", "", &s, "Authorization", "Bearer key-one")
		return s.open() == 0
	})
	peanuts := 0
	for _, m := range rowsRemembered(t, owner) {
		if m.User == "bob" && m.Memory == "I am allergic to peanuts" {
			peanuts++
		}
	}
	if peanuts != 1 {
		t.Errorf("what was said again after the upgrade is remembered %d times", peanuts)
	}
	if n >= 9 {
		importedBefore(t, d, owner)
	}
	theTable.add(faultRow{fault: fmt.Sprintf("upgrade from schema %d to %d", n, len(releasedSchemas(t))), form: "short",
		load: fmt.Sprintf("one writer of the older schema: %d written", during), acknowledged: len(messages) + len(w.texts), stored: len(after),
		settled: states.States.Done + states.States.Dead, doubled: doubled, recovery: took})
}

// importedBefore looks at what a memd of schema 9 or later had imported for alice: e1 as it is; e2 and
// e5, which were deleted; e3, which was reworded; e4, which was changed where it comes from. erin was
// erased.
func importedBefore(t *testing.T, d *daemon, owner *pgx.Conn) {
	t.Helper()
	key := []string{"Authorization", "Bearer key-one"}
	was := rowsRemembered(t, owner)
	brought := func(id, text, at string) (event, memory string) {
		var a struct{ Results []struct{ ID, Event string } }
		d.want(200, http.MethodPost, "/v1/memories", fmt.Sprintf(`{"user_id": "alice", "infer": false, "messages": [{"role": "user", "content": %q, "id": %q, "created_at": %q}]}`, text, id, at), &a, key...)
		return a.Results[0].Event, a.Results[0].ID
	}
	var lamp string
	for _, m := range []struct{ id, text, at string }{
		{"e1", "Her clock came from Trieste", "2024-03-01T00:00:00Z"}, {"e2", "Her kettle whistles in C", "2024-03-01T00:00:00Z"},
		{"e3", "Her boat is called Gull", "2024-03-01T00:00:00Z"}, {"e4", "Her garden has two sheds", "2024-03-01T00:00:00Z"},
		{"e4", "Her garden has three sheds", "2024-06-01T00:00:00Z"}, {"e5", "Her lamp is made of tin", "2024-03-01T00:00:00Z"},
	} {
		event, memory := brought(m.id, m.text, m.at)
		if event != "NONE" {
			t.Errorf("%q comes again: %s", m.text, event)
		}
		lamp = memory
	}
	if now := rowsRemembered(t, owner); !slices.Equal(now, was) {
		t.Errorf("after the same import again there is\n%v\nand was\n%v", now, was)
	}
	// What was deleted before the upgrade comes back by undoing that, and then goes for good again.
	d.want(200, http.MethodPost, "/v1/memories/"+lamp+"/undo", "", nil, key...)
	for _, step := range []string{"undone", "deleted"} {
		if event, _ := brought("e5", "Her lamp is made of tin", "2024-03-01T00:00:00Z"); event != "NONE" {
			t.Errorf("%s, e5 comes again: %s", step, event)
		}
		if step == "undone" {
			d.want(200, http.MethodDelete, "/v1/memories/"+lamp, "", nil, key...)
		}
	}
	if event, _ := brought("e6", "Her kettle whistles in C", "2024-03-01T00:00:00Z"); event != "ADD" {
		t.Errorf("the same from another origin: %s", event)
	}
	for _, left := range []string{`SELECT count(*) FROM memory WHERE starts_with(slot, 'from:') AND tenant_id = current_setting('memd.tenant')`,
		`SELECT count(*) FROM memory_overruled WHERE message_id < 0 AND tenant_id = current_setting('memd.tenant')`} {
		for _, n := range ofAll[struct{ N int }](t, owner, left) {
			if n.N != 0 {
				t.Errorf("%d of %s", n.N, left)
			}
		}
	}
	var receipts struct {
		Erasures []struct{ Counts *struct{ Messages int } }
	}
	d.want(200, http.MethodGet, "/v1/users/erin/erasures", "", &receipts, key...)
	if len(receipts.Erasures) != 1 || receipts.Erasures[0].Counts != nil {
		t.Errorf("of erin there are %+v", receipts)
	}
}

func connectTo(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

// loadAsLeft loads a file as the tables' owner, who is held to row-level security else, and
// has some of what is open be as a killed worker leaves it.
func loadAsLeft(t *testing.T, owner *pgx.Conn, path string) {
	t.Helper()
	sql, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	each := `DO $$ DECLARE t regclass; BEGIN FOR t IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') LOOP
		EXECUTE format('ALTER TABLE %%s %s', t); END LOOP; END $$`
	for _, step := range []string{
		fmt.Sprintf(each, "NO FORCE ROW LEVEL SECURITY, DISABLE TRIGGER USER"), string(sql),
		`UPDATE ingest_open SET state = 'running', attempts = 1, lease_until = now() - interval '1 s' WHERE message_id = (SELECT min(message_id) FROM ingest_open)`,
		`UPDATE ingest_open SET state = 'failed', attempts = 2, next_attempt_at = now() - interval '1 s', error = 'timeout' WHERE message_id = (SELECT max(message_id) FROM ingest_open WHERE tenant_id = 'default')`,
		`UPDATE ingest_open SET priority = 1 WHERE tenant_id = 'acme'`,
		`UPDATE idempotency SET created_at = now()`, // it is known for a day
		fmt.Sprintf(each, "FORCE ROW LEVEL SECURITY, ENABLE TRIGGER USER"),
	} {
		if _, err := owner.Exec(t.Context(), step); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
}

// ofAll gives what a query gives of each tenant.
func ofAll[T any](t *testing.T, owner *pgx.Conn, query string) (all []T) {
	t.Helper()
	for _, tenant := range []string{"default", "acme"} {
		err := pgx.BeginFunc(t.Context(), owner, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), `SELECT set_config('memd.tenant', $1, true)`, tenant); err != nil {
				return err
			}
			rows, err := tx.Query(t.Context(), query)
			if err != nil {
				return err
			}
			some, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
			all = append(all, some...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func rowsLogged(t *testing.T, owner *pgx.Conn) []loggedRow {
	t.Helper()
	all := ofAll[loggedRow](t, owner, `SELECT id, tenant_id, user_id, session_id, role, message FROM conversation_context WHERE tenant_id = current_setting('memd.tenant') ORDER BY id`)
	slices.SortFunc(all, func(a, b loggedRow) int { return int(a.ID - b.ID) })
	return all
}

func rowsRemembered(t *testing.T, owner *pgx.Conn) []rememberedRow {
	t.Helper()
	return ofAll[rememberedRow](t, owner, `SELECT id::text, tenant_id, coalesce(user_id, ''), memory FROM memory WHERE tenant_id = current_setting('memd.tenant') ORDER BY id`)
}

// olderWriter writes messages in statements that suit every schema, as a memd does that
// serves while a newer one starts.
type olderWriter struct {
	t        *testing.T
	url      string
	stopping chan struct{}
	done     chan struct{}

	texts []string // what was committed; to be read when it has ended
	count atomic.Int64
}

func (w *olderWriter) written() int { return int(w.count.Load()) }

func (w *olderWriter) await(n int) {
	w.t.Helper()
	memdtest.Until(w.t, "the older one writes", func() bool { return w.written() >= n })
}

func (w *olderWriter) end() {
	select {
	case <-w.stopping:
	default:
		close(w.stopping)
	}
	<-w.done
}

func (w *olderWriter) run() {
	defer close(w.done)
	ctx := context.Background()
	c, err := pgx.Connect(ctx, w.url)
	if err != nil {
		w.t.Error(err)
		return
	}
	defer c.Close(ctx)
	for n := 0; ; {
		select {
		case <-w.stopping:
			return
		case <-time.After(10 * time.Millisecond):
		}
		text := fmt.Sprintf("Client 7 lost suitcase number %d in Toledo", n)
		err := pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `SELECT set_config('memd.tenant', 'default', true)`); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `INSERT INTO conversation_session (user_id, session_id) VALUES ('writer', 's') ON CONFLICT DO NOTHING`); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, `
				WITH s AS (
					UPDATE conversation_session SET messages = messages + 1, last_message_at = now()
					 WHERE tenant_id = 'default' AND user_id = 'writer' AND session_id = 's' RETURNING no, messages - 1 AS position),
				m AS (
					INSERT INTO conversation_context (user_id, session_id, role, message, session_no, position, learn)
					SELECT 'writer', 's', 'user', json_build_object('role', 'user', 'content', $1::text)::text, no, position, true FROM s
					RETURNING id, session_no)
				INSERT INTO ingest_open (message_id, tenant_id, session_no) SELECT id, 'default', session_no FROM m`, text)
			return err
		})
		if err != nil {
			if !postgres.Deadlocked(err) {
				w.t.Error(err)
				return
			}
			continue // its client tries again
		}
		w.texts = append(w.texts, text)
		w.count.Add(1)
		n++
	}
}
