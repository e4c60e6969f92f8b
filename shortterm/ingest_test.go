package shortterm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/internal/memdtest"
)

func (f fixture) claim(t testing.TB, sessionNo int64, max, before int) *Claim {
	t.Helper()
	c, err := f.Claim(t.Context(), tenant, sessionNo, max, before)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func claimedIDs(c *Claim) (all []int64) {
	if c == nil {
		return nil
	}
	for _, m := range c.Messages {
		all = append(all, m.ID)
	}
	return all
}

func (f fixture) settle(t testing.TB, outcomes ...Outcome) error {
	t.Helper()
	return f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error { return f.Settle(t.Context(), tx, tenant, outcomes) })
}

// settleAll settles everything a claim holds.
func (f fixture) settleAll(t testing.TB, c *Claim, state string) {
	t.Helper()
	var outcomes []Outcome
	for _, m := range c.Messages {
		o := Outcome{MessageID: m.ID, Attempt: m.Attempt, State: state, Extractor: "rules/1"}
		if state == StateDead {
			o.Error = "extract: panic"
		}
		outcomes = append(outcomes, o)
	}
	if err := f.settle(t, outcomes...); err != nil {
		t.Fatal(err)
	}
}

func (f fixture) ingest(t testing.TB, id int64) Ingest {
	t.Helper()
	e, err := f.Message(t.Context(), tenant, id, memd.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	return e.Ingest
}

// expire ends the lease of everything that is running.
func (f fixture) expire(t testing.TB) {
	t.Helper()
	f.do(t, `UPDATE ingest_open SET lease_until = now() - interval '1 s' WHERE state = 'running'`)
}

func TestClaimTakesInOrderAndOnce(t *testing.T) {
	f := open(t, Config{})
	a := call(t, "s", "1", "2", "3", "4", "5")
	a.Messages = slices.Insert(a.Messages, 2, message(t, memd.RoleTool, "t", ""))
	a.AgentID, a.AppID, a.Timezone, a.Metadata = "agent", "app", "Asia/Tokyo", []byte(`{"k": 1}`)
	a.Messages[0].Name = "bob"
	got := f.append(t, a)
	first := f.claim(t, got.SessionNo, 2, 10)
	if show(claimedIDs(first)) != show(ids(got)[:2]) || len(first.Before) != 0 || first.UserID != user || first.SessionID != "s" {
		t.Errorf("first claim %+v", first)
	}
	m := first.Messages[0]
	equal(t, "attempt", m.Attempt, 1)
	equal(t, "name", m.Name, "bob")
	equal(t, "agent", m.AgentID+m.AppID+m.Timezone+string(m.Metadata)+m.Text, `agentappAsia/Tokyo{"k": 1}1`)
	equal(t, "raw", string(m.Raw), string(a.Messages[0].Raw))
	second := f.claim(t, got.SessionNo, 10, 3)
	if show(claimedIDs(second)) != show(ids(got)[3:]) {
		t.Errorf("second claim %v, want %v", claimedIDs(second), ids(got)[3:])
	}
	var before []int64
	for _, m := range second.Before {
		before = append(before, m.ID)
	}
	if show(before) != show(ids(got)[:3]) {
		t.Errorf("before it %v, want %v", before, ids(got)[:3])
	}
	equal(t, "the role of what stands before", second.Before[2].Role, memd.RoleTool)
	if third := f.claim(t, got.SessionNo, 10, 3); third != nil {
		t.Errorf("a third claim got %v", claimedIDs(third))
	}
	equal(t, "state", f.ingest(t, got.Messages[0].ID).State, StateRunning)
	if c, err := f.Claim(t.Context(), tenant, got.SessionNo+1000, 1, 0); err != nil || c != nil {
		t.Errorf("an unknown session: %+v, %v", c, err)
	}
}

func TestManyClaimersShareNothing(t *testing.T) {
	f := open(t, Config{})
	var sessions []int64
	for s := range 4 {
		a := call(t, fmt.Sprint("s", s), "1", "2", "3", "4", "5", "6", "7", "8", "9")
		sessions = append(sessions, f.append(t, a).SessionNo)
	}
	var mu sync.Mutex
	taken := map[int64]int{}
	var at sync.WaitGroup
	for w := range 8 {
		at.Go(func() {
			for i := range 12 {
				c, err := f.Claim(t.Context(), tenant, sessions[(w+i)%4], 2, 1)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, id := range claimedIDs(c) {
					taken[id]++
				}
				mu.Unlock()
			}
		})
	}
	at.Wait()
	equal(t, "messages", len(taken), 36)
	for id, n := range taken {
		if n != 1 {
			t.Errorf("message %d was claimed %d times", id, n)
		}
	}
}

func TestSettleEndsWhatIsHeld(t *testing.T) {
	f := open(t, Config{})
	a := f.append(t, call(t, "s", "1", "2"))
	f.settleAll(t, f.claim(t, a.SessionNo, 10, 0), StateDone)
	for _, m := range a.Messages {
		i := f.ingest(t, m.ID)
		if i.SettledAt == nil || i.State != StateDone || i.Extractor != "rules/1" || i.Attempts != 1 || i.Error != "" || i.NextAttemptAt != nil {
			t.Errorf("ingest %+v", i)
		}
	}
	kind(t, "settling again", f.settle(t, Outcome{MessageID: a.Messages[0].ID, Attempt: 1, State: StateDone}), memd.Conflict)
	kind(t, "another state", f.settle(t, Outcome{MessageID: 1, Attempt: 1, State: StateSkipped}), memd.Internal)
}

// Whoever lost a claim cannot settle, and what it did in the transaction goes with it.
func TestALostClaimSettlesNothing(t *testing.T) {
	f := open(t, Config{})
	a := f.append(t, call(t, "s", "1", "2"))
	old := f.claim(t, a.SessionNo, 10, 0)
	if err := f.extend(t, old); err != nil {
		t.Fatal(err)
	}
	if again := f.claim(t, a.SessionNo, 10, 0); again != nil {
		t.Fatal("claimed within the lease")
	}
	f.expire(t)
	fresh := f.claim(t, a.SessionNo, 1, 0)
	equal(t, "attempt", fresh.Messages[0].Attempt, 2)
	kind(t, "settling with the old claim", f.settle(t, Outcome{ids(a)[0], 1, StateDone, "", ""}), memd.Conflict)
	err := f.settle(t, Outcome{ids(a)[1], 1, StateDone, "", ""}, Outcome{ids(a)[0], 1, StateDone, "", ""})
	kind(t, "settling with one of two lost", err, memd.Conflict)
	equal(t, "the other is still open", f.ingest(t, ids(a)[1]).State, StateRunning)
	if err := f.extend(t, old); err != nil { // it still holds the second
		t.Errorf("Extend of what is left: %v", err)
	}
	if err := f.Release(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	equal(t, "what the new one holds", f.ingest(t, ids(a)[0]).State, StateRunning)
	equal(t, "what the old one held", f.ingest(t, ids(a)[1]).State, StatePending)
	if err := f.Fail(t.Context(), tenant, []Failure{{MessageID: ids(a)[0], Attempt: 1, Error: "x: y"}}); err != nil {
		t.Fatal(err)
	}
	equal(t, "after the old one failed", f.ingest(t, ids(a)[0]).State, StateRunning)
	f.settleAll(t, fresh, StateDone)
	kind(t, "Extend of nothing", f.extend(t, fresh), memd.Conflict)
}

func TestFailComesAgainAfterItsTime(t *testing.T) {
	f := open(t, Config{})
	a := f.append(t, call(t, "s", "1", "2", "3"))
	c := f.claim(t, a.SessionNo, 10, 0)
	err := f.Fail(t.Context(), tenant, []Failure{
		{MessageID: ids(a)[0], Attempt: 1, Error: "embedder: unavailable", After: time.Hour},
		{MessageID: ids(a)[1], Attempt: 1, Error: "embedder: rate_limited", After: time.Hour, Free: true},
		{MessageID: ids(a)[2], Attempt: 1, Error: "extract: internal"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		attempts int
		fault    string
		waits    bool
	}{{1, "embedder: unavailable", true}, {0, "embedder: rate_limited", true}, {1, "extract: internal", false}} {
		got := f.ingest(t, ids(a)[i])
		if got.State != StateFailed || got.Attempts != want.attempts || got.Error != want.fault || (got.NextAttemptAt != nil) != want.waits {
			t.Errorf("ingest %+v, want %+v", got, want)
		}
		if next := got.NextAttemptAt; next != nil && time.Until(*next) < 30*time.Minute {
			t.Errorf("the next attempt is at %v, want in an hour", next)
		}
	}
	again := f.claim(t, a.SessionNo, 10, 0)
	if show(claimedIDs(again)) != show(ids(a)[2:]) || again.Messages[0].Attempt != 2 {
		t.Errorf("claimed %+v, want the one whose time has come", again)
	}
	equal(t, "publish at the next attempt", f.query(t, `SELECT count(*) FROM ingest_open WHERE publish_at = next_attempt_at`), 2)
	// An outage outlasts the wait: a time that has gone by is none at which it will be tried.
	f.do(t, `UPDATE ingest_open SET next_attempt_at = now() - interval '1 minute' WHERE state = 'failed'`)
	for _, id := range ids(a)[:2] {
		if got := f.ingest(t, id); got.State != StateFailed || got.NextAttemptAt != nil {
			t.Errorf("one that is due shows %+v", got)
		}
	}
	again = f.claim(t, a.SessionNo, 10, 0)
	equal(t, "attempts", show([]int{again.Messages[0].Attempt, again.Messages[1].Attempt}), "[2 1]")
	_ = c
}

func TestReleaseBurnsNothing(t *testing.T) {
	f := open(t, Config{})
	a := f.append(t, call(t, "s", "1"))
	for range 20 {
		c := f.claim(t, a.SessionNo, 10, 0)
		if c == nil || c.Messages[0].Attempt != 1 || c.Messages[0].Crashed {
			t.Fatalf("claim %+v", c)
		}
		if err := f.Release(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		i := f.ingest(t, ids(a)[0])
		if i.State != StatePending || i.Attempts != 0 {
			t.Fatalf("ingest %+v", i)
		}
	}
}

// A message whose worker dies of it every time is told apart once its attempts are up.
func TestCrashesAreBounded(t *testing.T) {
	f := open(t, Config{MaxAttempts: 3})
	a := f.append(t, call(t, "s", "1"))
	for attempt := 1; attempt <= 4; attempt++ {
		c := f.claim(t, a.SessionNo, 10, 0)
		if c == nil || c.Messages[0].Attempt != attempt || c.Messages[0].Crashed != (attempt > 3) {
			t.Fatalf("claim %d: %+v", attempt, c)
		}
		if attempt <= 3 {
			f.expire(t)
		} else {
			f.settleAll(t, c, StateDead)
		}
	}
	equal(t, "state", f.ingest(t, ids(a)[0]).State, StateDead)
}

func TestCountsOfEachState(t *testing.T) {
	f := open(t, Config{})
	if c, err := f.Counts(t.Context(), tenant, "", ""); err != nil || c != (Counts{}) {
		t.Errorf("Counts of nothing = %+v, %v", c, err)
	}
	a := call(t, "s", "1", "2", "3", "4", "5", "6", "7")
	a.Messages = append(a.Messages, message(t, memd.RoleSystem, "s", ""), message(t, memd.RoleTool, "t", ""))
	got := f.append(t, a)
	f.settleAll(t, f.claim(t, got.SessionNo, 2, 0), StateDone)
	f.settleAll(t, f.claim(t, got.SessionNo, 2, 0), StateDead)
	if err := f.DiscardDead(t.Context(), tenant, ids(got)[2]); err != nil {
		t.Fatal(err)
	}
	c := f.claim(t, got.SessionNo, 2, 0)
	if err := f.Fail(t.Context(), tenant, []Failure{{MessageID: c.Messages[0].ID, Attempt: 1, Error: "x: y", After: time.Hour}}); err != nil {
		t.Fatal(err)
	}
	f.append(t, call(t, "t", "1"))
	bob := call(t, "s", "1", "2")
	bob.UserID = "bob"
	f.append(t, bob)
	f.do(t, `UPDATE ingest_open SET opened_at = now() - interval '90 s' WHERE message_id = $1`, ids(got)[6])
	for _, want := range []struct {
		user, session string
		Counts
	}{
		{"", "", Counts{Pending: 4, Running: 1, Failed: 1, Done: 2, Skipped: 3, Dead: 1}},
		{user, "", Counts{Pending: 2, Running: 1, Failed: 1, Done: 2, Skipped: 3, Dead: 1}},
		{user, "s", Counts{Pending: 1, Running: 1, Failed: 1, Done: 2, Skipped: 3, Dead: 1}},
		{user, "t", Counts{Pending: 1}},
		{"bob", "s", Counts{Pending: 2}},
		{"nobody", "", Counts{}},
	} {
		got, err := f.Counts(t.Context(), tenant, want.user, want.session)
		if err != nil {
			t.Fatal(err)
		}
		if old := got.OldestPending >= 90*time.Second; old != (want.Counts.Done > 0) {
			t.Errorf("%s %s: oldest %v", want.user, want.session, got.OldestPending)
		}
		equal(t, "per second", got.PerSecond, float64(want.Done+want.Dead+min(want.Done, 1))/60)
		got.OldestPending, got.PerSecond = 0, 0
		equal(t, want.user+" "+want.session, got, want.Counts)
	}
	_, err := f.Counts(t.Context(), tenant, user, "none")
	kind(t, "an unknown session", err, memd.NotFound)
	f.do(t, `UPDATE ingest_settled SET settled_at = now() - interval '61 s'`)
	if c, err := f.Counts(t.Context(), tenant, "", ""); err != nil || c.PerSecond != 0 || c.Done != 2 {
		t.Errorf("a minute later %+v, %v", c, err)
	}
}

// Counts are of one moment: while messages move between states, their sum stays.
func TestCountsAreOfOneMoment(t *testing.T) {
	f := open(t, Config{})
	const n = 60
	var texts []string
	for i := range n {
		texts = append(texts, fmt.Sprint(i))
	}
	a := f.append(t, call(t, "s", texts...))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := f.Claim(t.Context(), tenant, a.SessionNo, 1, 0)
			if err != nil || c == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			f.settleAll(t, c, StateDone)
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		for _, u := range []string{"", user} {
			c, err := f.Counts(t.Context(), tenant, u, "")
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "sum", c.Open()+c.Done+c.Dead+c.Skipped, n)
		}
	}
}

func TestAwaiting(t *testing.T) {
	f := open(t, Config{})
	a := f.append(t, call(t, "s", "1", "2"))
	f.append(t, call(t, "t", "1"))
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	kind(t, "AwaitSettled past its deadline", f.AwaitSettled(short, tenant, ids(a)), memd.Unavailable)
	if c, err := f.AwaitIdle(short, tenant, "", ""); err != nil || c.Pending != 3 {
		t.Errorf("AwaitIdle past its deadline = %+v, %v, want what is open", c, err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, err := f.AwaitIdle(gone, tenant, "", "")
	kind(t, "AwaitIdle of a caller that left", err, memd.Unavailable)

	settled := make(chan error)
	idle := make(chan error)
	go func() { settled <- f.AwaitSettled(t.Context(), tenant, ids(a)) }()
	go func() {
		c, err := f.AwaitIdle(t.Context(), tenant, user, "s")
		if err == nil && (c.Open() != 0 || c.Done != 1 || c.Dead != 1) {
			err = errors.New(show(c))
		}
		idle <- err
	}()
	f.settleAll(t, f.claim(t, a.SessionNo, 1, 0), StateDone)
	select {
	case <-settled:
		t.Error("settled with one open")
	case <-idle:
		t.Error("idle with one open")
	default:
	}
	f.settleAll(t, f.claim(t, a.SessionNo, 1, 0), StateDead)
	for name, c := range map[string]chan error{"AwaitSettled": settled, "AwaitIdle": idle} {
		select {
		case err := <-c:
			if err != nil {
				t.Errorf("%s = %v", name, err)
			}
		case <-time.After(bound):
			t.Errorf("%s does not return", name)
		}
	}
	if err := f.AwaitSettled(t.Context(), tenant, nil); err != nil {
		t.Errorf("AwaitSettled of nothing = %v", err)
	}
}

func TestDeadLetters(t *testing.T) {
	f := open(t, Config{})
	memdtest.Until(t, "the queue is ready", func() bool { return f.bus.Check(t.Context()) == nil })
	a := f.append(t, call(t, "s", "1", "2", "3", "4", "5"))
	f.settleAll(t, f.claim(t, a.SessionNo, 5, 0), StateDead)
	var all []int64
	cursor := ""
	for {
		page, next, err := f.DeadLetters(t.Context(), tenant, "", "", "", 2, cursor)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range page {
			if d.Ingest.State != StateDead || d.Ingest.Error != "extract: panic" || d.Ingest.Attempts != 1 || d.UserID != user || d.Text == "" {
				t.Errorf("dead letter %+v", d)
			}
			all = append(all, d.ID)
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	want := ids(a)
	slices.Reverse(want)
	if !slices.Equal(all, want) {
		t.Errorf("dead letters %v, want %v", all, want)
	}
	_, _, err := f.DeadLetters(t.Context(), tenant, "", "", "", 2, "!")
	kind(t, "cursor", err, memd.Invalid)

	// Take what the append published out of the way.
	drain := func() (got []int64) {
		memdtest.Until(t, "a delivery", func() bool {
			ds, err := f.bus.Fetch(t.Context(), 10, time.Second)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range ds {
				got = append(got, d.MessageIDs...)
				_ = d.Ack()
			}
			return len(got) > 0
		})
		return got
	}
	drain()
	for _, id := range ids(a)[:2] {
		if err := f.RetryDead(t.Context(), tenant, id); err != nil {
			t.Fatal(err)
		}
		if got := drain(); show(got) != show([]int64{id}) {
			t.Errorf("published %v, want %d", got, id)
		}
		i := f.ingest(t, id)
		if i.State != StatePending || i.Attempts != 0 || i.Error != "" {
			t.Errorf("after retry %+v", i)
		}
		kind(t, "retrying again", f.RetryDead(t.Context(), tenant, id), memd.NotFound)
		kind(t, "discarding what is open", f.DiscardDead(t.Context(), tenant, id), memd.NotFound)
	}
	f.settleAll(t, f.claim(t, a.SessionNo, 5, 0), StateDone)
	id := ids(a)[2]
	if err := f.DiscardDead(t.Context(), tenant, id); err != nil {
		t.Fatal(err)
	}
	equal(t, "after discard", f.ingest(t, id).State, StateSkipped)
	kind(t, "discarding again", f.DiscardDead(t.Context(), tenant, id), memd.NotFound)
	kind(t, "retrying what was discarded", f.RetryDead(t.Context(), tenant, id), memd.NotFound)
	kind(t, "retrying what is done", f.RetryDead(t.Context(), tenant, ids(a)[0]), memd.NotFound)
	if page, _, err := f.DeadLetters(t.Context(), tenant, "", "", "", 10, ""); err != nil || len(page) != 2 {
		t.Errorf("left %d, %v, want 2", len(page), err)
	}
}

func TestDeadLettersOfOneUserAndSession(t *testing.T) {
	f := open(t, Config{})
	all := map[string]int64{}
	for _, at := range []string{"alice/s", "alice/t", "bob/s"} {
		a := call(t, "", "x")
		a.UserID, a.SessionID, _ = strings.Cut(at, "/")
		made := f.append(t, a)
		f.settleAll(t, f.claim(t, made.SessionNo, 1, 0), StateDead)
		all[at] = ids(made)[0]
	}
	for at, want := range map[[2]string][]int64{
		{"", ""}:        {all["bob/s"], all["alice/t"], all["alice/s"]},
		{"alice", ""}:   {all["alice/t"], all["alice/s"]},
		{"", "s"}:       {all["bob/s"], all["alice/s"]},
		{"alice", "s"}:  {all["alice/s"]},
		{"bob", "t"}:    nil,
		{"carol", ""}:   nil,
		{"alice", "s%"}: nil,
	} {
		var got []int64
		cursor := ""
		for more := true; more; more = cursor != "" {
			page, next, err := f.DeadLetters(t.Context(), tenant, at[0], at[1], "", 1, cursor)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range page {
				got = append(got, d.ID)
			}
			cursor = next
		}
		if !slices.Equal(got, want) {
			t.Errorf("of %q: %v, want %v", at, got, want)
		}
	}
	_, cursor, err := f.DeadLetters(t.Context(), tenant, "alice", "", "", 1, "")
	if err != nil || cursor == "" {
		t.Fatalf("%q, %v", cursor, err)
	}
	_, _, err = f.DeadLetters(t.Context(), tenant, "", "", "", 1, cursor)
	kind(t, "a narrower list's cursor", err, memd.Invalid)
}

// What the rules stood in for is learned from again, after ever longer times; what the
// model's answer was no good for is not.
func TestMarkedMessagesAreReopened(t *testing.T) {
	f := open(t, Config{Summaries: true})
	got := f.append(t, call(t, "s", "1", "2", "3", "4", "5", "6"))
	all := ids(got)
	settle := func() {
		t.Helper()
		f.do(t, `DELETE FROM ingest_open`)
		f.do(t, `DELETE FROM ingest_settled`)
		for i, extractor := range []string{"llm/2:m", "rules/2 (llm: unavailable)", "rules/2 (llm: rate_limited)", "rules/2 (llm: unsupported)", "rules/2 (llm: invalid_answer)", "rules/2 (llm: timeout) (cut at 65536 bytes)"} {
			f.do(t, `INSERT INTO ingest_settled (message_id, tenant_id, state, attempts, extractor) VALUES ($1, $2, 'done', 1, $3)`, all[i], tenant, extractor)
		}
	}
	ago := func(received, settled time.Duration) {
		t.Helper()
		f.do(t, `UPDATE conversation_context SET received_at = now() - $1::interval`, received)
		f.do(t, `UPDATE ingest_settled SET settled_at = now() - $1::interval`, settled)
	}
	for name, c := range map[string]struct {
		received, settled time.Duration
		again             []int64
	}{
		"at once":                     {10 * time.Second, 5 * time.Second, nil},
		"a minute later":              {70 * time.Second, 61 * time.Second, []int64{all[1], all[2], all[5]}},
		"an hour of trying":           {time.Hour + 30*time.Minute, 30 * time.Minute, nil},
		"an hour after that hour":     {2 * time.Hour, 61 * time.Minute, []int64{all[1], all[2], all[5]}},
		"a day, of what is years old": {1000 * day, 25 * time.Hour, []int64{all[1], all[2], all[5]}},
		"hours, of what is years old": {1000 * day, 20 * time.Hour, nil},
	} {
		settle()
		ago(c.received, c.settled)
		n, err := f.ReopenMarked(t.Context(), 100)
		if err != nil || n != len(c.again) {
			t.Errorf("%s: %d, %v", name, n, err)
		}
		claim, err := f.Claim(t.Context(), tenant, got.SessionNo, 100, 0)
		if err != nil {
			t.Fatal(err)
		}
		var claimed []int64
		if claim != nil {
			for _, m := range claim.Messages {
				claimed = append(claimed, m.ID)
				if !m.Again || !m.Backfill {
					t.Errorf("%s: %+v", name, m)
				}
			}
		}
		if !slices.Equal(claimed, c.again) {
			t.Errorf("%s: %v are learned from again, want %v", name, claimed, c.again)
		}
	}
	// Nobody is learned from again who is not learned from any more.
	for _, off := range []string{`UPDATE conversation_session SET learn = false`, `UPDATE conversation_session SET learn = true`} {
		settle()
		ago(time.Hour, 59*time.Minute)
		f.do(t, off)
		if strings.HasSuffix(off, "true") {
			f.do(t, `UPDATE person SET learn = false`)
		}
		if n, err := f.ReopenMarked(t.Context(), 100); err != nil || n != 0 {
			t.Errorf("%s: %d, %v", off, n, err)
		}
	}
	f.do(t, `UPDATE person SET learn = true`)
	settle()
	ago(time.Hour, 59*time.Minute)
	if n, err := f.ReopenMarked(t.Context(), 2); err != nil || n != 2 {
		t.Errorf("two at most: %d, %v", n, err)
	}
}

func TestAClosedSessionIsToBeSummedUp(t *testing.T) {
	f := open(t, Config{Summaries: true})
	f.append(t, call(t, "s1", "one"))
	f.append(t, call(t, "s2", "one"))
	closed := true
	if _, err := f.ChangeSession(t.Context(), tenant, user, "s1", "", Change{Closed: &closed}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Rotate(t.Context(), tenant, Rotation{UserID: user, SessionID: "s2"}); err != nil {
		t.Fatal(err)
	}
	rows, err := f.pool.Query(t.Context(), `SELECT session_no FROM memd_summary_due(10, '1 min')`)
	if err != nil {
		t.Fatal(err)
	}
	if due, err := pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil || len(due) != 2 {
		t.Errorf("due: %v, %v", due, err)
	}
}

func (f fixture) extend(t *testing.T, c *Claim) error {
	t.Helper()
	_, err := f.Extend(t.Context(), c)
	return err
}
