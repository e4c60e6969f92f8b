package summary_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/shortterm"
	"github.com/memdhq/memd/summary"
	"github.com/nats-io/nats.go"
)

func TestMain(m *testing.M) { memdtest.Main(m) }

const tenant = "acme"

type fixture struct {
	*testing.T
	pool   *postgres.Pool
	log    *shortterm.Log
	keeper *summary.Keeper
	// answer is what the model says, asked what it was given.
	answer func(input string) (string, error)
	asked  []string
}

func open(t *testing.T, cfg summary.Config) *fixture {
	t.Helper()
	_, appURL := memdtest.Prepared(t, "schema", postgres.Migrate)
	pool, err := postgres.Open(t.Context(), appURL, postgres.Config{MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	b, err := bus.Open(memdtest.NATS(t), bus.Config{Stream: "TEST_" + nats.NewInbox()[7:]})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	f := &fixture{T: t, pool: pool, log: shortterm.New(pool, b, shortterm.Config{})}
	f.answer = func(input string) (string, error) { return fmt.Sprintf("Summary %d.", len(f.asked)), nil }
	f.keeper = summary.New(pool, f.log, longterm.New(pool, longterm.Config{}), func(_ context.Context, instructions, input string, most int) (string, error) {
		if instructions == "" || most <= 0 {
			t.Errorf("asked without instructions, or for nothing")
		}
		f.asked = append(f.asked, input)
		return f.answer(input)
	}, cfg)
	return f
}

// say posts messages, "role: text", and gives the ids.
func (f *fixture) say(session string, lines ...string) (ids []int64) {
	f.Helper()
	a := shortterm.Append{UserID: "alice", SessionID: session, Infer: true, Learn: []memd.Role{memd.RoleUser, memd.RoleAssistant}}
	for _, line := range lines {
		role, text, _ := strings.Cut(line, ": ")
		raw, err := json.Marshal(map[string]string{"role": role, "content": text})
		if err != nil {
			f.Fatal(err)
		}
		m, err := memd.ParseMessage(raw)
		if err != nil {
			f.Fatal(err)
		}
		a.Messages = append(a.Messages, m)
	}
	done, err := f.log.Append(f.Context(), tenant, a)
	if err != nil {
		f.Fatal(err)
	}
	f.do(`UPDATE summary_due SET due_at = now()`)
	for _, m := range done.Messages {
		ids = append(ids, m.ID)
	}
	f.in(func(tx pgx.Tx) error { return f.keeper.Mark(f.Context(), tx, tenant, done.SessionNo) })
	f.do(`UPDATE summary_due SET due_at = now()`)
	return ids
}

func (f *fixture) in(do func(pgx.Tx) error) {
	f.Helper()
	if err := f.pool.InTenant(f.Context(), tenant, do); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) do(sql string, args ...any) {
	f.Helper()
	f.in(func(tx pgx.Tx) error { _, err := tx.Exec(f.Context(), sql, args...); return err })
}

// tend sums up until nothing is due.
func (f *fixture) tend() {
	f.Helper()
	for {
		more, err := f.keeper.Tend(f.Context())
		if err != nil {
			f.Fatal(err)
		}
		if !more {
			return
		}
	}
}

// due counts the sessions that are to be looked at.
func (f *fixture) due() (n int) {
	f.Helper()
	f.in(func(tx pgx.Tx) error { return tx.QueryRow(f.Context(), `SELECT count(*) FROM summary_due`).Scan(&n) })
	return n
}

func (f *fixture) summary(session string) (text string, upto int64) {
	f.Helper()
	w, err := f.log.Window(f.Context(), tenant, "alice", session, 5, 1<<16)
	if err != nil {
		f.Fatal(err)
	}
	if w.Summary == nil {
		return "", 0
	}
	return w.Summary.Text, w.Summary.Upto
}

// turns are n turns of two messages each.
func turns(from, n int) (lines []string) {
	for i := from; i < from+n; i++ {
		lines = append(lines, fmt.Sprintf("user: question %d", i), fmt.Sprintf("assistant: answer %d", i))
	}
	return lines
}

func TestWhatHasLeftTheWindowIsSummedUp(t *testing.T) {
	f := open(t, summary.Config{Model: "m"})
	ids := f.say("s1", turns(0, 9)...)
	f.tend()
	if len(f.asked) != 0 || f.due() != 0 {
		t.Errorf("asked for the little there is: %q", f.asked)
	}
	ids = append(ids, f.say("s1", turns(9, 2)...)...)
	f.tend()
	text, upto := f.summary("s1")
	if text != "Summary 1." || upto != ids[11] || f.due() != 0 {
		t.Errorf("%q up to %d of %d", text, upto, ids)
	}
	if !strings.Contains(f.asked[0], "answer 5") || strings.Contains(f.asked[0], "question 6") {
		t.Errorf("asked about %s", f.asked[0])
	}
	// The next one goes on from it.
	ids = append(ids, f.say("s1", turns(11, 6)...)...)
	f.tend()
	text, upto = f.summary("s1")
	if text != "Summary 2." || upto != ids[23] {
		t.Errorf("%q up to %d of %d", text, upto, ids)
	}
	if !strings.Contains(f.asked[1], "Summary 1.") || strings.Contains(f.asked[1], "answer 5") || !strings.Contains(f.asked[1], "question 6") || strings.Contains(f.asked[1], "question 12") {
		t.Errorf("asked about %s", f.asked[1])
	}
	// Each session has its own.
	if text, _ := f.summary("s2"); text != "" {
		t.Errorf("another session has %q", text)
	}
}

func TestAClosedSessionIsSummedUpWhole(t *testing.T) {
	f := open(t, summary.Config{})
	ids := f.say("s1", "user: Let's paint it blue", "assistant: Blue it is")
	f.do(`UPDATE conversation_session SET closed_at = now()`)
	f.in(func(tx pgx.Tx) error { return f.keeper.Mark(f.Context(), tx, tenant, 1) })
	f.tend()
	if text, upto := f.summary("s1"); text != "Summary 1." || upto != ids[1] || f.due() != 0 {
		t.Errorf("%q up to %d", text, upto)
	}
	f.in(func(tx pgx.Tx) error { return f.keeper.Mark(f.Context(), tx, tenant, 1) })
	if f.due() != 0 {
		t.Error("due again, though nothing came")
	}
}

func TestALongSessionTakesSeveralQuestions(t *testing.T) {
	f := open(t, summary.Config{})
	var ids []int64
	for i := range 5 {
		ids = append(ids, f.say("s1", turns(100*i, 100)...)...)
	}
	f.do(`UPDATE conversation_session SET closed_at = now()`)
	f.tend()
	if _, upto := f.summary("s1"); upto != ids[len(ids)-1] || len(f.asked) < 3 {
		t.Errorf("up to %d in %d questions", upto, len(f.asked))
	}
	all := strings.Join(f.asked, "")
	for i := range 500 {
		if n := strings.Count(all, fmt.Sprintf("%q", fmt.Sprintf("question %d", i))); n != 1 {
			t.Fatalf("question %d was given %d times", i, n)
		}
	}
	for _, a := range f.asked {
		if len(a) > 64<<10 {
			t.Errorf("a question of %d bytes", len(a))
		}
	}
}

func TestAQuestionFitsTheModelsWindow(t *testing.T) {
	f := open(t, summary.Config{Room: func(string, int) int { return 4000 }})
	ids := f.say("s1", turns(0, 60)...)
	f.do(`UPDATE conversation_session SET closed_at = now()`)
	f.tend()
	if _, upto := f.summary("s1"); upto != ids[len(ids)-1] || len(f.asked) < 2 {
		t.Errorf("up to %d in %d questions", upto, len(f.asked))
	}
	for _, a := range f.asked {
		if len(a) > 4000 {
			t.Errorf("a question of %d bytes", len(a))
		}
	}
}

func TestWhatIsNotToBeLearnedIsNotSummedUp(t *testing.T) {
	f := open(t, summary.Config{Least: 1, Turns: 1})
	f.say("s1", "system: You are a pirate", "user: My password is hunter2 and I like sloops", "tool: {}", "user: ok", "assistant: What's your PIN?", "user: 4821")
	f.tend()
	if len(f.asked) != 1 || strings.Contains(f.asked[0], "pirate") || strings.Contains(f.asked[0], "4821") || strings.Contains(f.asked[0], "hunter2") || !strings.Contains(f.asked[0], "sloops") {
		t.Errorf("asked about %q", f.asked)
	}
	for _, change := range []string{`UPDATE conversation_session SET incognito = true`, `UPDATE conversation_session SET incognito = false, learn = false`,
		`UPDATE conversation_session SET learn = true`} {
		f.do(change)
		if strings.HasSuffix(change, "learn = true") {
			f.do(`UPDATE person SET learn = false`)
		}
		f.do(`INSERT INTO summary_due (session_no, tenant_id) VALUES (1, $1) ON CONFLICT DO NOTHING`, tenant)
		f.say("s1", turns(0, 10)...)
		f.tend()
		if len(f.asked) != 1 || f.due() != 0 {
			t.Errorf("%s: asked %d times, %d due", change, len(f.asked), f.due())
		}
	}
}

// A message that is changed while the model sums up is not summed up as it was.
func TestAChangeMeanwhileIsNoticed(t *testing.T) {
	f := open(t, summary.Config{})
	ids := f.say("s1", turns(0, 12)...)
	f.answer = func(string) (string, error) {
		if len(f.asked) == 1 {
			f.do(`UPDATE conversation_context SET message = '{"role":"user","content":"something else"}' WHERE id = $1`, ids[2])
		}
		return fmt.Sprintf("Summary %d.", len(f.asked)), nil
	}
	f.tend()
	if text, _ := f.summary("s1"); text != "Summary 2." || !strings.Contains(f.asked[1], "something else") {
		t.Errorf("%q after %d questions", text, len(f.asked))
	}
}

// What is due while the model is away is summed up once it is back, however long that takes.
func TestWhatIsDueWaitsForAModelThatIsAway(t *testing.T) {
	answers := false
	f := open(t, summary.Config{Answers: func() bool { return answers }})
	f.say("s1", turns(0, 12)...)
	state := func() (attempts int, soon bool) {
		f.in(func(tx pgx.Tx) error {
			return tx.QueryRow(f.Context(), `SELECT attempts, due_at < now() + interval '10 s' FROM summary_due`).Scan(&attempts, &soon)
		})
		return attempts, soon
	}
	if more, err := f.keeper.Tend(t.Context()); more || err != nil {
		t.Errorf("%v, %v", more, err)
	}
	if attempts, soon := state(); len(f.asked) != 0 || attempts != 0 || !soon {
		t.Errorf("asked %d times, %d attempts, due soon: %t", len(f.asked), attempts, soon)
	}
	answers = true
	ctx, cancel := context.WithCancel(t.Context())
	outages := 0
	f.answer = func(string) (string, error) {
		if outages++; outages == 12 {
			cancel() // memd is stopped meanwhile
			return "", ctx.Err()
		}
		return "", &memd.Error{Kind: memd.Unavailable, Msg: "away"}
	}
	for range 12 {
		f.do(`UPDATE summary_due SET due_at = now()`)
		if more, err := f.keeper.Tend(ctx); more || err == nil {
			t.Fatalf("%v, %v", more, err)
		}
		if attempts, soon := state(); attempts != 0 || !soon {
			t.Fatalf("%d attempts, due soon: %t", attempts, soon)
		}
	}
	// Those of no use count, whatever was tried between them.
	f.answer = func(string) (string, error) {
		if len(f.asked)%2 == 0 {
			return "", &memd.Error{Kind: memd.Unavailable, Msg: "away"}
		}
		return "", nil
	}
	f.asked = nil
	for f.due() > 0 && len(f.asked) < 20 {
		f.do(`UPDATE summary_due SET due_at = now()`)
		if _, err := f.keeper.Tend(t.Context()); err == nil {
			t.Fatal("summed up")
		}
	}
	if len(f.asked) != 9 {
		t.Errorf("given up after %d questions, want 9", len(f.asked))
	}
	f.say("s1", "user: more")
	f.answer = func(string) (string, error) { return "At last.", nil }
	f.tend()
	if text, _ := f.summary("s1"); text != "At last." {
		t.Errorf("%q", text)
	}
}

func TestAModelThatFailsIsLeftAloneAfterAWhile(t *testing.T) {
	f := open(t, summary.Config{})
	f.say("s1", turns(0, 12)...)
	for _, answer := range []func(string) (string, error){
		func(string) (string, error) { return "", errors.New("the model refuses") },
		func(string) (string, error) { return " <think>hm</think>\n", nil },
	} {
		f.answer = answer
		f.asked = nil
		for range 20 {
			f.do(`UPDATE summary_due SET due_at = now()`)
			if more, err := f.keeper.Tend(t.Context()); more || err == nil && f.due() > 0 {
				t.Fatalf("%v, %v", more, err)
			}
		}
		if text, _ := f.summary("s1"); text != "" || len(f.asked) != 5 || f.due() != 0 {
			t.Errorf("%q after %d questions, %d due", text, len(f.asked), f.due())
		}
		f.say("s1", "user: more")
	}
	f.answer = func(string) (string, error) { return "<think>hm</think> At\nlast \x00 my password is hunter2", nil }
	f.tend()
	if text, _ := f.summary("s1"); text != "At last my password is [redacted:password]" {
		t.Errorf("%q", text)
	}
}

func TestSummariesAreBounded(t *testing.T) {
	f := open(t, summary.Config{Least: 1, Turns: 1})
	f.say("s1", "user: "+strings.Repeat("ö", 100_000), "user: x", "user: y")
	f.answer = func(string) (string, error) { return strings.Repeat("ü ", 100_000), nil }
	f.tend()
	if text, _ := f.summary("s1"); len([]rune(text)) > 1501 {
		t.Errorf("%d characters", len([]rune(text)))
	}
	if slices.ContainsFunc(f.asked, func(a string) bool { return len(a) > 10<<10 }) {
		t.Errorf("asked about %d bytes", len(f.asked[0]))
	}
}

// What a person took away of what was learned does not come back through a summary, also if
// that is being made at the time.
func TestWhatWasTakenAwayIsNotSummedUp(t *testing.T) {
	f := open(t, summary.Config{})
	ids := f.say("s1", turns(0, 12)...)
	take := func(id int64) {
		f.do(`INSERT INTO memory_overruled (tenant_id, message_id, hash) VALUES ($1, $2, '')`, tenant, id)
	}
	take(ids[0])
	f.answer = func(string) (string, error) {
		if len(f.asked) == 1 {
			take(ids[2])
		}
		return fmt.Sprintf("Summary %d.", len(f.asked)), nil
	}
	f.tend()
	if text, _ := f.summary("s1"); text != "Summary 2." || strings.Contains(f.asked[0], "question 0") || !strings.Contains(f.asked[0], "question 1\"") ||
		strings.Contains(f.asked[1], "question 0") || strings.Contains(f.asked[1], "question 1\"") || !strings.Contains(f.asked[1], "question 2") {
		t.Errorf("%q after %q", text, f.asked)
	}
}

// Nor does it through the rest of what a message said: what is left of that is summed up in
// its place.
func TestOnlyWhatIsLeftOfAMessageIsSummedUp(t *testing.T) {
	f := open(t, summary.Config{})
	ids := f.say("s1", turns(0, 12)...)
	remember := func(id int64, memory string) {
		f.do(`WITH scope AS (INSERT INTO memory_scope (tenant_id, key, user_id) VALUES ($1, convert_to($3::text, 'UTF8'), 'alice') RETURNING id),
			made AS (INSERT INTO memory (id, tenant_id, scope_id, user_id, role, memory, hash, valid_from) SELECT gen_random_uuid(), $1, id, 'alice', 'user', $3, $3, now() FROM scope RETURNING id)
			INSERT INTO memory_source (memory_id, message_id, tenant_id, session_no, position) SELECT id, $2, $1, 1, 0 FROM made`, tenant, id, memory)
	}
	remember(ids[0], "Tea is what is left")
	f.do(`INSERT INTO memory_overruled (tenant_id, message_id, hash) VALUES ($1, $2, 'doctor')`, tenant, ids[0])
	f.answer = func(string) (string, error) {
		if len(f.asked) == 1 {
			f.do(`UPDATE memory SET memory = 'Cake is what is left'`)
		}
		return fmt.Sprintf("Summary %d.", len(f.asked)), nil
	}
	f.tend()
	if text, _ := f.summary("s1"); text != "Summary 2." || strings.Contains(f.asked[0], "question 0") || !strings.Contains(f.asked[0], "Tea is what is left") ||
		strings.Contains(f.asked[1], "question 0") || !strings.Contains(f.asked[1], "Cake is what is left") {
		t.Errorf("%q after %q", text, f.asked)
	}
}

// What an assistant says back of what was taken away is not summed up, and all else is.
func TestWhatSaysBackWhatWasTakenAwayIsNotSummedUp(t *testing.T) {
	f := open(t, summary.Config{})
	store := longterm.New(f.pool, longterm.Config{})
	ids := f.say("s1", append([]string{"user: I live at 5 Elm St. Why did invoice 4711 bounce?", "assistant: Got it, you live at 5 Elm St. Invoice 4711 is paid"}, turns(0, 12)...)...)
	_, entries, _, err := f.log.Messages(f.Context(), tenant, shortterm.Page{UserID: "alice", SessionID: "s1", Limit: 100})
	if err != nil || entries[0].ID != ids[0] {
		t.Fatal(err)
	}
	m := entries[0].Message
	f.in(func(tx pgx.Tx) error {
		return store.Consolidate(f.Context(), tx, tenant, longterm.Learned{Messages: []memd.Message{m}, Extractor: "rules", Vectors: [][]float32{nil},
			Candidates: []memd.Candidate{{Text: "I live at 5 Elm St", Role: m.Role, SaidAt: m.CreatedAt, Sources: []int64{m.ID}}}})
	})
	listed, _, _, err := store.List(f.Context(), tenant, longterm.ListQuery{Scope: memd.Scope{UserID: "alice"}, Limit: 10})
	if err != nil || len(listed) != 1 {
		t.Fatal(len(listed), err)
	}
	if err := store.Delete(f.Context(), tenant, listed[0].ID, memd.Scope{}, "api"); err != nil {
		t.Fatal(err)
	}
	f.tend()
	if len(f.asked) != 1 || strings.Contains(f.asked[0], "Elm") || !strings.Contains(f.asked[0], "Why did invoice 4711 bounce?") || !strings.Contains(f.asked[0], "Invoice 4711 is paid") {
		t.Errorf("asked %q", f.asked)
	}
}

// What the speaker asks to be forgotten goes from the summary that was made of it before, and
// stays out of the next.
func TestWhatIsAskedToBeForgottenIsNotSummedUp(t *testing.T) {
	f := open(t, summary.Config{})
	store := longterm.New(f.pool, longterm.Config{})
	learn := func(text, about string, forget bool) {
		f.Helper()
		ids := f.say("s1", append([]string{"user: " + text}, turns(0, 12)...)...)
		_, entries, _, err := f.log.Messages(f.Context(), tenant, shortterm.Page{UserID: "alice", SessionID: "s1", Limit: 100})
		if err != nil {
			f.Fatal(err)
		}
		i := slices.IndexFunc(entries, func(e shortterm.Entry) bool { return e.ID == ids[0] })
		m := entries[i].Message
		f.in(func(tx pgx.Tx) error {
			return store.Consolidate(f.Context(), tx, tenant, longterm.Learned{Messages: []memd.Message{m}, Extractor: "rules", Vectors: [][]float32{nil},
				Candidates: []memd.Candidate{{Text: about, Role: m.Role, SaidAt: m.CreatedAt, Sources: []int64{m.ID}, Forget: forget}}})
		})
	}
	learn("I have an ulcer", "I have an ulcer", false)
	f.tend()
	if text, _ := f.summary("s1"); text != "Summary 1." || !strings.Contains(f.asked[0], "ulcer") {
		t.Fatalf("%q after %q", text, f.asked)
	}
	learn("Forget what I said of my stomach", "I have an ulcer", true)
	if text, _ := f.summary("s1"); text != "" {
		t.Errorf("%q is still there", text)
	}
	f.tend()
	if text, _ := f.summary("s1"); text != "Summary 2." || strings.Contains(f.asked[1], "ulcer") || !strings.Contains(f.asked[1], "question 0") {
		t.Errorf("%q after %q", text, f.asked[1])
	}
}
