package httpapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/importjob"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/recall"
	"github.com/memdhq/memd/remember"
	"github.com/rs/zerolog"
)

// importBody is a body of POST /v1/import.
func importBody(members map[string]any) string {
	raw, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// work has the house work on imports until the test ends.
func (h *house) work() { h.workWith(time.Minute) }

// workWith is work with a lease.
func (h *house) workWith(lease time.Duration) {
	store := longterm.New(h.pool, longterm.Config{})
	rem := remember.New(h.pool, h.log, store, recall.New(store, h.embedder, recall.Config{}), remember.Config{})
	r := importjob.NewRunner(h.pool, h.log, rem, nil, lease, zerolog.Nop())
	if err := r.Start(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = r.Stop(context.Background()) })
}

// ended waits until an import has ended.
func (h *house) ended(id string) (job importAnswer) {
	h.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; {
		job = importAnswer{}
		if err := json.Unmarshal([]byte(h.send("GET", "/v1/import/"+id, nil).want(200).body), &job); err != nil {
			h.t.Fatal(err)
		}
		if job.State != importjob.StatePending && job.State != importjob.StateRunning {
			return job
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("an import does not end: %+v", job)
		}
		<-time.After(20 * time.Millisecond)
	}
}

func (h *house) posted(members map[string]any) (job importAnswer) {
	h.t.Helper()
	if err := json.Unmarshal([]byte(h.send("POST", "/v1/import", importBody(members)).want(202).body), &job); err != nil {
		h.t.Fatal(err)
	}
	return job
}

const chatLines = `{"id":"c1","created_at":"2024-03-01T10:00:00Z","messages":[{"role":"user","content":"I moved to Bremen yesterday"},{"role":"assistant","content":"Welcome!"},{"role":"king","content":"No"}]}
{"id":"c2","messages":
{"id":"c3","created_at":"2024-02-01T10:00:00+01:00","messages":[{"role":"user","content":"I have two dogs"},{"role":"user","content":" "}]}
`

func TestAnImportGoesInOnce(t *testing.T) {
	h := newHouse(t, houseConfig{})
	h.work()
	given := map[string]any{"user_id": "alice", "name": "chats.jsonl", "data": chatLines}
	first := h.posted(given)
	if first.State == "" || first.Conversations != 2 || first.Messages != 3 || first.Bad != 2 {
		t.Errorf("%+v", first)
	}
	got := h.ended(first.ID)
	if got.State != "done" || got.Sent != 3 || got.New != 3 || got.Known != 0 || got.Empty != 1 || got.Bad != 2 || got.EndedAt == nil || got.Error != nil ||
		fmt.Sprint(got.Errors) != "[{chats.jsonl 1 a role that is not known} {chats.jsonl 2 is not valid JSON}]" {
		t.Errorf("%+v", got)
	}
	h.send("GET", "/v1/ingest?user_id=alice&wait=60s", nil).want(200, `"done":3`)
	h.send("GET", "/v1/messages?user_id=alice", nil).want(200, `"session_id":"c1"`, `"created_at":"2024-03-01T10:00:00Z"`, "Bremen") // the last that was said
	h.send("GET", "/v1/memories?user_id=alice", nil).want(200, "I moved to Bremen yesterday (2024-02-29)", "I have two dogs")

	given["encoding"], given["data"] = "base64", base64.StdEncoding.EncodeToString([]byte(chatLines))
	if again := h.ended(h.posted(given).ID); again.State != "done" || again.New != 0 || again.Known != 3 {
		t.Errorf("the second time %+v", again)
	}
	stored := map[string]any{"data": `{"results":[{"id":"1","memory":"Likes figs","user_id":"bob","created_at":"2024-01-01T00:00:00Z"}]}`}
	if got := h.ended(h.posted(stored).ID); got.New != 1 || got.Memories != 1 {
		t.Errorf("%+v", got)
	}
	if got := h.ended(h.posted(stored).ID); got.New != 0 || got.Known != 1 {
		t.Errorf("%+v", got)
	}
	h.send("GET", "/v1/memories?user_id=bob", nil).want(200, "Likes figs", `"valid_from":"2024-01-01T00:00:00Z"`)

	list := h.send("GET", "/v1/import?limit=3", nil).want(200, first.Name, `"next_cursor":"`).body
	var page importsAnswer
	if err := json.Unmarshal([]byte(list), &page); err != nil || len(page.Imports) != 3 {
		t.Fatalf("%v %s", err, list)
	}
	h.send("GET", "/v1/import?limit=3&cursor="+*page.NextCursor, nil).want(200, first.ID, `"next_cursor":null`)
	h.send("GET", "/v1/import/"+first.ID+"?user_id=alice", nil).want(200)
	h.send("GET", "/v1/import/"+first.ID+"?user_id=bob", nil).want(404)
	h.send("GET", "/v1/import/"+first.ID+"?agent_id=x", nil).want(404)
	h.send("POST", "/v1/import/"+first.ID+"/cancel", nil).want(200, `"state":"done"`)
	h.send("GET", "/v1/import/none", nil).want(404)
	h.send("POST", "/v1/import/01890000-0000-7000-8000-000000000000/cancel", nil).want(404)

	for body, words := range map[string]string{
		importBody(map[string]any{"data": chatLines}):                                                         "body.user_id",
		importBody(map[string]any{"data": "nothing of use", "user_id": "u"}):                                  "body.data",
		importBody(map[string]any{"data": "%", "encoding": "base64"}):                                         "body.data",
		importBody(map[string]any{"data": chatLines, "user_id": "u", "timezone": "Mars"}):                     "body.timezone",
		importBody(map[string]any{"data": chatLines, "user_id": "u", "format": "xml"}):                        "body.format",
		importBody(map[string]any{"data": "a,b\n1,2\n", "user_id": "u", "columns": map[string]any{"x": "a"}}): "body.columns",
		importBody(map[string]any{"user_id": "u"}):                                                            "body.data",
		importBody(map[string]any{"data": "\x00", "user_id": "u"}):                                            "body.data",
		importBody(map[string]any{"data": "\ufeff \u200b\n", "user_id": "u"}):                                 "body.data",
	} {
		h.send("POST", "/v1/import", body).want(422, words)
	}
}

// What a killed memd was at is gone on with by another, and comes to the same.
func TestAnImportOutlivesWhoWorksOnIt(t *testing.T) {
	h := newHouse(t, houseConfig{})
	job := h.posted(map[string]any{"user_id": "alice", "data": chatLines})
	h.send("GET", "/v1/import/"+job.ID, nil).want(200, `"state":"pending"`)
	err := h.pool.InTenant(t.Context(), "default", func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE import_job SET state = 'running', attempts = 1, lease_until = now() - interval '1 s'`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// A part was in.
	cut := strings.Split(chatLines, "\n")[2] + "\n"
	other := h.posted(map[string]any{"user_id": "alice", "data": cut}).ID
	h.work()
	if got := h.ended(other); got.New+got.Known != 1 {
		t.Errorf("%+v", got)
	}
	if got := h.ended(job.ID); got.State != "done" || got.New+got.Known != 3 || got.Sent != 3 {
		t.Errorf("%+v", got)
	}
	h.send("GET", "/v1/ingest?user_id=alice&wait=60s", nil).want(200, `"done":3`)
}

// Whoever works on an import holds on to it while a step of it takes its time, and breaks that
// off when the import is cancelled.
func TestAnImportIsHeldOnTo(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	stop := make(chan struct{})
	locked, released := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(released)
		err := h.pool.InTenant(context.Background(), "default", func(tx pgx.Tx) error {
			_, err := tx.Exec(context.Background(), `LOCK TABLE conversation_session IN SHARE MODE`)
			close(locked)
			<-stop
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}()
	<-locked
	job := h.posted(map[string]any{"user_id": "alice", "data": chatLines})
	h.workWith(900 * time.Millisecond)
	h.awaitLock()
	held := func() (until time.Time, attempts int) {
		t.Helper()
		err := h.pool.InTenant(t.Context(), "default", func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT lease_until, attempts FROM import_job WHERE id = $1`, job.ID).Scan(&until, &attempts)
		})
		if err != nil {
			t.Fatal(err)
		}
		return until, attempts
	}
	first, _ := held()
	memdtest.Until(t, "it is held beyond its first lease", func() bool {
		until, attempts := held()
		return attempts == 1 && until.After(first.Add(900*time.Millisecond))
	})
	h.send("POST", "/v1/import/"+job.ID+"/cancel", nil).want(200, `"state":"cancelled"`)
	memdtest.Until(t, "the step is broken off", func() bool {
		var n int
		if err := h.pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n == 0
	})
	close(stop)
	<-released
	h.send("GET", "/v1/import/"+job.ID, nil).want(200, `"state":"cancelled"`)
	h.send("GET", "/v1/messages?user_id=alice", nil).want(404)
}

func TestAnImportIsCancelledOrGoesWithItsPerson(t *testing.T) {
	h := newHouse(t, houseConfig{})
	cancelled := h.posted(map[string]any{"user_id": "alice", "data": chatLines})
	erased := h.posted(map[string]any{"user_id": "bob", "data": chatLines})
	h.send("POST", "/v1/import/"+cancelled.ID+"/cancel?user_id=bob", nil).want(404)
	h.send("POST", "/v1/import/"+cancelled.ID+"/cancel", nil).want(200, `"state":"cancelled"`)
	h.send("DELETE", "/v1/users/bob", nil).want(200)
	h.send("GET", "/v1/import/"+erased.ID, nil).want(404)
	h.work()
	last := h.posted(map[string]any{"user_id": "carol", "data": chatLines})
	if got := h.ended(last.ID); got.New != 3 {
		t.Errorf("%+v", got)
	}
	h.send("GET", "/v1/messages?user_id=alice", nil).want(404)
	h.send("GET", "/v1/messages?user_id=bob", nil).want(404)
	h.send("GET", "/v1/import/"+cancelled.ID, nil).want(200, `"state":"cancelled"`)
}

// Messages of several sessions are written together, or none; each answer is that of the single call.
func TestMessagesOfSeveralSessionsAreWrittenOrNone(t *testing.T) {
	h := newHouse(t, houseConfig{})
	h.send("POST", "/v1/messages/batch", `{"items":[{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"x"}]},
		{"user_id":"u","messages":[{"role":"user","content":"x"},{"role":"user","content":" "},{"role":"nobody","content":"y"}]},
		{"messages":[{"role":"user","content":"x"}],"hunter":1},
		{"user_id":"v","messages":[{"role":"user","content":"x"}],"timezone":"Mars/Base"},{"user_id":"v","messages":[]}]}`).
		want(422, `"body.items[1].messages[1].content"`, `"body.items[1].messages[2].role"`, `"body.items[2].user_id"`, `"body.items[2].hunter"`,
			`"body.items[3].timezone"`, `"body.items[4].messages"`, "!items[0]", "!Mars")
	h.send("GET", "/v1/users", nil).want(200, `"total":0`)
	two := `{"user_id":"u","session_id":"s","priority":"backfill","messages":[{"role":"user","content":"I keep bees"},{"role":"assistant","content":"Good"}]},`
	h.send("POST", "/v1/messages/batch", `{"items":[`+strings.TrimSuffix(strings.Repeat(two, 501), ",")+`]}`).want(422, `"location":"body.items"`)

	body := `{"items":[{"user_id":"u","session_id":"s","priority":"backfill","messages":[{"role":"user","content":"I keep bees","id":"a"},{"role":"user","content":"again","id":"a"}]},
		{"user_id":"v","priority":"backfill","infer":false,"messages":[{"role":"user","content":"I have a cat"}]},
		{"user_id":"u","session_id":"s","agent_id":"g","priority":"backfill","messages":[{"role":"assistant","content":"Good","created_at":"2020-01-01"}]}]}`
	var got appendBatchAnswer
	h.send("POST", "/v1/messages/batch", body, "Idempotency-Key", "k").want(201, `"duplicate":true`, `"ingest":{"state":"skipped"}`, `"created_at":"2020-01-01T00:00:00Z"`).into(&got)
	if len(got.Items) != 3 || got.Items[0].SessionID != "s" || len(got.Items[1].SessionID) != 36 || got.Items[0].Messages[1].ID != got.Items[0].Messages[0].ID {
		t.Errorf("%+v", got)
	}
	if again := h.send("POST", "/v1/messages/batch", body, "Idempotency-Key", "k").want(201); again.header.Get(replayedHeader) != "true" {
		t.Errorf("%v", again.header)
	}
	h.send("GET", "/v1/messages?user_id=u&session_id=s", nil).want(200, "I keep bees", "Good", "!again")
	h.settle()
	if n := h.total("u"); n != 1 {
		t.Errorf("%d memories", n)
	}
	if n := h.total("v"); n != 0 {
		t.Errorf("%d memories of what is not learned from", n)
	}
}
