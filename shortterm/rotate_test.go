package shortterm

import (
	"encoding/json"
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
	"github.com/memdhq/memd/postgres"
)

func ptr[T any](v T) *T { return &v }

func (f fixture) make(t testing.TB, s NewSession) Session {
	t.Helper()
	if s.UserID == "" {
		s.UserID = user
	}
	made, err := f.CreateSession(t.Context(), tenant, s)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func (f fixture) rotate(t testing.TB, r Rotation) (Session, bool) {
	t.Helper()
	if r.UserID == "" {
		r.UserID = user
	}
	next, made, err := f.Rotate(t.Context(), tenant, r)
	if err != nil {
		t.Fatal(err)
	}
	return next, made
}

func (f fixture) change(t testing.TB, session string, c Change) Session {
	t.Helper()
	s, err := f.ChangeSession(t.Context(), tenant, user, session, "", c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (f fixture) session(t testing.TB, session string) Session {
	t.Helper()
	s, err := f.Session(t.Context(), tenant, user, session)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// texts are what a session holds, in order.
func (f fixture) texts(t testing.TB, session string) []string {
	t.Helper()
	_, entries, _, err := f.Messages(t.Context(), tenant, Page{UserID: user, SessionID: session})
	if err != nil {
		t.Fatal(session, err)
	}
	all := []string{}
	for _, e := range entries {
		all = append(all, e.Text)
	}
	return all
}

func (f fixture) wantTexts(t testing.TB, session string, want ...string) {
	t.Helper()
	if got := f.texts(t, session); !slices.Equal(got, want) {
		t.Errorf("session %s holds %q, want %q", session, got, want)
	}
}

// field holds err to be of a kind and to name a field.
func field(t testing.TB, what string, err error, want memd.Kind, name string) {
	t.Helper()
	kind(t, what, err, want)
	var e *memd.Error
	if !errors.As(err, &e) || e.Field != name {
		t.Errorf("%s: %v names %q, want %q", what, err, e.Field, name)
	}
}

func TestRotationPassesOnWhatTheSessionIs(t *testing.T) {
	f := open(t, Config{})
	f.make(t, NewSession{SessionID: "a", AgentID: "agent", Metadata: json.RawMessage(`{"k":1}`), Learn: ptr(false),
		Limits: Limits{Idle: ptr(time.Hour), Turns: ptr(7), Tokens: ptr(int64(9)), Age: ptr(48 * time.Hour)}})
	f.append(t, call(t, "a", "1", "2"))
	next, made := f.rotate(t, Rotation{SessionID: "a", NextSessionID: "b"})
	if !made || next.SessionID != "b" || value(next.PreviousSessionID) != "a" || value(next.AgentID) != "agent" || next.Learn || next.Incognito ||
		next.Kind != "chat" || next.Title != nil || next.Messages != 0 || string(next.Metadata) != `{}` || next.ClosedAt != nil || next.NextSessionID != nil ||
		*next.Limits.Idle != time.Hour || *next.Limits.Turns != 7 || *next.Limits.Tokens != 9 || *next.Limits.Age != 48*time.Hour {
		t.Errorf("next = %+v, made %v", next, made)
	}
	old := f.session(t, "a")
	if old.ClosedAt == nil || value(old.NextSessionID) != "b" || old.ForwardsTo != nil {
		t.Errorf("old = %+v", old)
	}
	again, made := f.rotate(t, Rotation{SessionID: "a"})
	if made || again.SessionID != "b" {
		t.Errorf("again = %+v, made %v", again, made)
	}
	if again, made = f.rotate(t, Rotation{SessionID: "a", NextSessionID: "b"}); made || again.SessionID != "b" {
		t.Errorf("again by its name = %+v, made %v", again, made)
	}
	if since := f.session(t, "a"); !since.ClosedAt.Equal(*old.ClosedAt) {
		t.Errorf("closed again at %v, was %v", since.ClosedAt, old.ClosedAt)
	}
	_, _, err := f.Rotate(t.Context(), tenant, Rotation{UserID: user, SessionID: "a", NextSessionID: "c"})
	field(t, "another next", err, memd.Conflict, "session_id")
	_, _, err = f.Rotate(t.Context(), tenant, Rotation{UserID: user, SessionID: "b", NextSessionID: "a"})
	field(t, "a name that is taken", err, memd.Conflict, "session_id")
	if f.session(t, "b").ClosedAt != nil {
		t.Error("a rotation that was refused has closed the session")
	}
	for what, r := range map[string]Rotation{
		"unknown": {UserID: user, SessionID: "x"}, "another's": {UserID: "bob", SessionID: "a"}, "another agent's": {UserID: user, SessionID: "a", OfAgent: "x"},
	} {
		_, _, err := f.Rotate(t.Context(), tenant, r)
		kind(t, what, err, memd.NotFound)
	}
	_, _, err = f.Rotate(t.Context(), tenant, Rotation{UserID: user, SessionID: "b", Limits: Limits{Turns: ptr(-1)}})
	field(t, "a limit", err, memd.Invalid, "rotate.turns")

	next, _ = f.rotate(t, Rotation{SessionID: "b", OfAgent: "agent", AgentID: "other", Metadata: json.RawMessage(`{"x":2}`), Limits: Limits{Turns: ptr(0)}})
	if len(next.SessionID) != 36 || value(next.AgentID) != "other" || string(next.Metadata) != `{"x": 2}` || *next.Limits.Turns != 0 || *next.Limits.Idle != time.Hour {
		t.Errorf("next = %+v", next)
	}
}

func TestClosing(t *testing.T) {
	f := open(t, Config{})
	f.append(t, call(t, "a", "1", "2"))
	first := f.change(t, "a", Change{Closed: ptr(true)})
	if first.ClosedAt == nil {
		t.Fatal("not closed")
	}
	if again := f.change(t, "a", Change{Closed: ptr(true), Title: ptr("t")}); !again.ClosedAt.Equal(*first.ClosedAt) || *again.Title != "t" {
		t.Errorf("closing it again: %+v", again)
	}
	_, err := f.ChangeSession(t.Context(), tenant, user, "a", "", Change{Closed: ptr(false)})
	field(t, "opening it", err, memd.Invalid, "closed")
	// What comes late is kept and learned from.
	late := f.append(t, call(t, "a", "late"))
	if late.SessionID != "a" || late.NextSessionID != "" || late.Messages[0].State != StatePending {
		t.Errorf("late = %+v", late)
	}
	next, made := f.rotate(t, Rotation{SessionID: "a"})
	if !made || value(next.PreviousSessionID) != "a" || !f.session(t, "a").ClosedAt.Equal(*first.ClosedAt) {
		t.Errorf("next = %+v, made %v", next, made)
	}
	key := keyOf("k", "b")
	a := call(t, "a", "later")
	a.Key = key
	if late = f.append(t, a); late.SessionID != "a" || late.NextSessionID != next.SessionID {
		t.Errorf("late = %+v, want the next %s", late, next.SessionID)
	}
	replayed := f.append(t, a)
	if replayed.SessionID != "a" || replayed.NextSessionID != next.SessionID || !replayed.Replayed || replayed.Messages[0] != late.Messages[0] {
		t.Errorf("replayed = %+v, first %+v", replayed, late)
	}
	f.wantTexts(t, "a", "1", "2", "late", "later")
	f.checkSession(t, "a", 4)
}

// Two agents who rotate at once split nothing.
func TestAllWhoRotateAtOnceGetOneNext(t *testing.T) {
	f := open(t, Config{})
	for _, incognito := range []bool{false, true} {
		name := fmt.Sprint("incognito ", incognito)
		f.make(t, NewSession{SessionID: name, Incognito: incognito})
		f.append(t, call(t, name, "1"))
		var mu sync.Mutex
		var wg sync.WaitGroup
		nexts, made := map[string]int{}, 0
		for range 20 {
			wg.Go(func() {
				next, first, err := f.Rotate(t.Context(), tenant, Rotation{UserID: user, SessionID: name})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				nexts[next.SessionID]++
				if first {
					made++
				}
			})
		}
		wg.Wait()
		if made != 1 || len(nexts) != 1 {
			t.Errorf("%s: %d were made, all got %v", name, made, nexts)
		}
	}
	equal(t, "sessions", f.query(t, `SELECT count(*) FROM conversation_session`), 4)
}

// Whatever appends run while a session is rotated again and again: each message is in one
// session, in order, and none is lost.
func TestRotatingWhileAppendsRun(t *testing.T) {
	f := open(t, Config{})
	f.append(t, call(t, "s", "first"))
	const writers, each = 6, 15
	var wg sync.WaitGroup
	sessions := []string{"s"}
	for w := range writers {
		wg.Go(func() {
			session := "s"
			for i := range each {
				got, err := f.Append(t.Context(), tenant, call(t, session, fmt.Sprintf("%d/%d", w, i), fmt.Sprintf("%d/%d answer", w, i)))
				if err != nil || len(got.Messages) != 2 || got.SessionID != session {
					t.Errorf("%+v, %v", got, err)
				}
				if got.NextSessionID != "" {
					session = got.NextSessionID
				}
			}
		})
	}
	wg.Go(func() {
		for range 10 {
			next, made, err := f.Rotate(t.Context(), tenant, Rotation{UserID: user, SessionID: sessions[len(sessions)-1]})
			if err != nil || !made {
				t.Error(made, err)
				return
			}
			sessions = append(sessions, next.SessionID)
		}
	})
	wg.Wait()
	seen := f.onceEach(t, sessions)
	equal(t, "messages", len(seen), 1+writers*each*2)
	for w := range writers {
		last := -1
		for i := range each {
			at, answer := seen[fmt.Sprintf("%d/%d", w, i)], seen[fmt.Sprintf("%d/%d answer", w, i)]
			if at == 0 || answer <= at || int(at) < last { // others draw ids between the two, in other sessions
				t.Errorf("%d/%d is %d, its answer %d", w, i, at, answer)
			}
			last = int(at)
		}
	}
}

// onceEach holds sessions to hold each text once, without gaps; it gives the texts' ids.
func (f fixture) onceEach(t testing.TB, sessions []string) map[string]int64 {
	t.Helper()
	seen := map[string]int64{}
	for _, s := range sessions {
		_, entries, _, err := f.Messages(t.Context(), tenant, Page{UserID: user, SessionID: s})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if seen[e.Text] != 0 {
				t.Errorf("%q stands twice", e.Text)
			}
			seen[e.Text] = e.ID
		}
		f.checkSession(t, s, len(entries))
	}
	equal(t, "messages in no session", f.query(t, `SELECT count(*) FROM conversation_context`), int64(len(seen)))
	return seen
}

// What is open of a session that is closed is published at once, and so is what waits for
// its next try.
func TestRotationHastensWhatIsOpen(t *testing.T) {
	for name, end := range map[string]func(f fixture, t *testing.T){
		"rotated": func(f fixture, t *testing.T) { f.rotate(t, Rotation{SessionID: "s"}) },
		"closed":  func(f fixture, t *testing.T) { f.change(t, "s", Change{Closed: ptr(true)}) },
		"by limit": func(f fixture, t *testing.T) {
			f.change(t, "s", Change{Limits: turns(1)})
			f.append(t, call(t, "s", "new"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, Config{})
			got := f.append(t, call(t, "s", "1", "2", "3"))
			c := f.claim(t, got.SessionNo, 1, 0)
			if err := f.Fail(t.Context(), tenant, []Failure{{MessageID: c.Messages[0].ID, Attempt: 1, Error: "x: y", After: time.Hour}}); err != nil {
				t.Fatal(err)
			}
			held := f.claim(t, got.SessionNo, 1, 0)
			settled := f.work(t)
			end(f, t)
			memdtest.Until(t, "what was open is worked on", func() bool {
				done := settled()
				return done[got.Messages[0].ID] == 1 && done[got.Messages[2].ID] == 1
			})
			if done := settled(); done[got.Messages[1].ID] != 0 {
				t.Error("what another is at was taken")
			}
			if err := f.Release(t.Context(), held); err != nil {
				t.Error(err)
			}
		})
	}
}

func turns(n int) func(Limits) (Limits, error) {
	return func(l Limits) (Limits, error) {
		l.Turns = &n
		return l, nil
	}
}

// past moves a session's times back.
func (f fixture) past(t testing.TB, session, column string, by time.Duration) {
	t.Helper()
	f.do(t, `UPDATE conversation_session SET `+column+` = `+column+` - $2::interval WHERE session_id = $1`, session, by)
}

func TestLimits(t *testing.T) {
	for name, c := range map[string]struct {
		limits Limits
		ready  func(f fixture)
	}{
		"idle": {Limits{Idle: ptr(30 * time.Minute)}, func(f fixture) { f.past(t, "s", "heard_at", 30*time.Minute) }},
		"age":  {Limits{Age: ptr(24 * time.Hour)}, func(f fixture) { f.past(t, "s", "created_at", 24*time.Hour) }},
		"age, by a clock that was put back since": {Limits{Age: ptr(24 * time.Hour)}, func(f fixture) { f.past(t, "s", "created_at", -25*time.Hour) }},
		"turns":  {Limits{Turns: ptr(2)}, func(f fixture) { f.append(t, call(t, "s", "3", "4")) }},
		"tokens": {Limits{Tokens: ptr(int64(40))}, func(f fixture) { f.append(t, call(t, "s", "a message of some length", "and its answer")) }},
	} {
		for _, whose := range []string{"session", "tenant", "daemon"} {
			t.Run(name+" of the "+whose, func(t *testing.T) {
				cfg := Config{}
				if whose == "daemon" {
					cfg.Limits = c.limits
				}
				f := open(t, cfg)
				made := NewSession{SessionID: "s", AgentID: "agent"}
				switch whose {
				case "session":
					made.Limits = c.limits
				case "tenant":
					if _, err := f.ChangeSettings(t.Context(), tenant, func(s Settings) (Settings, error) { s.Limits = c.limits; return s, nil }); err != nil {
						t.Fatal(err)
					}
				}
				f.make(t, made)
				f.append(t, call(t, "s", "1", "2"))
				if got := f.append(t, Append{UserID: user, SessionID: "s", Infer: true, Learn: both, Messages: []memd.Message{message(t, memd.RoleAssistant, "2b", "")}}); got.SessionID != "s" {
					t.Fatal("rotated before its time")
				}
				c.ready(f)
				before := f.texts(t, "s")
				// What begins with no user message goes on where it is, and what is told of the past.
				f.append(t, Append{UserID: user, SessionID: "s", Infer: true, Learn: both, Messages: []memd.Message{message(t, memd.RoleAssistant, "x", "")}})
				backfill := call(t, "s", "y")
				backfill.Backfill = true
				f.append(t, backfill)
				f.wantTexts(t, "s", append(before, "x", "y")...)
				if name == "idle" {
					c.ready(f)
				}

				got := f.append(t, call(t, "s", "new", "answer"))
				if got.SessionID == "s" || got.NextSessionID != "" || len(got.Messages) != 2 {
					t.Fatalf("got %+v", got)
				}
				f.wantTexts(t, "s", append(before, "x", "y")...)
				f.wantTexts(t, got.SessionID, "new", "answer")
				old, next := f.session(t, "s"), f.session(t, got.SessionID)
				if old.ClosedAt == nil || value(old.NextSessionID) != got.SessionID || value(old.ForwardsTo) != got.SessionID ||
					value(next.PreviousSessionID) != "s" || value(next.AgentID) != "agent" || show(next.Limits) == show(Limits{}) && whose == "session" {
					t.Errorf("old %+v, next %+v", old, next)
				}
				// From now on all that comes under its name lands there, whatever it is.
				if got = f.append(t, Append{UserID: user, SessionID: "s", Messages: []memd.Message{message(t, memd.RoleAssistant, "more", "")}}); got.SessionID != next.SessionID {
					t.Errorf("landed in %s, want %s", got.SessionID, next.SessionID)
				}
				f.wantTexts(t, next.SessionID, "new", "answer", "more")
				f.checkSession(t, next.SessionID, 3)
				if w, err := f.Window(t.Context(), tenant, user, "s", 5, 1<<16); err != nil || w.Session == nil || w.Session.SessionID != next.SessionID {
					t.Errorf("window %+v, %v", w.Session, err)
				}
				// So does a rotation: it is of the last that goes by the name.
				if again, made := f.rotate(t, Rotation{SessionID: "s"}); !made || value(again.PreviousSessionID) != next.SessionID {
					t.Errorf("rotating it is %+v, made %v", again, made)
				}
			})
		}
	}
}

func TestWhoHasNoLimit(t *testing.T) {
	f := open(t, Config{Limits: Limits{Turns: ptr(1), Idle: ptr(time.Minute), Tokens: ptr(int64(1)), Age: ptr(time.Minute)}})
	never := Limits{Turns: ptr(0), Idle: ptr(time.Duration(0)), Tokens: ptr(int64(0)), Age: ptr(time.Duration(0))}
	f.make(t, NewSession{SessionID: "never", Limits: never})
	f.make(t, NewSession{SessionID: "silent", Limits: Limits{Turns: ptr(0), Tokens: ptr(int64(0))}})
	f.past(t, "silent", "created_at", time.Hour)
	f.make(t, NewSession{SessionID: "closed"})
	f.append(t, call(t, "closed", "1"))
	f.change(t, "closed", Change{Closed: ptr(true)})
	for _, s := range []string{"never", "closed", "silent"} {
		got := f.append(t, call(t, s, "a", "b"))
		equal(t, "landed in", got.SessionID, s)
	}
	f.past(t, "never", "created_at", time.Hour)
	f.past(t, "never", "heard_at", time.Hour)
	equal(t, "landed in", f.append(t, call(t, "never", "c")).SessionID, "never")
	if got := f.append(t, call(t, "silent", "c")); got.SessionID == "silent" {
		t.Error("one that is past its age has no limit once it holds something")
	}
	direct := call(t, "", "1")
	direct.Direct = true
	first := f.append(t, direct)
	direct.SessionID = first.SessionID
	equal(t, "a direct one", f.append(t, direct).SessionID, first.SessionID)
	// A tenant's own never stands against the daemon's.
	if _, err := f.ChangeSettings(t.Context(), tenant, func(s Settings) (Settings, error) { s.Limits = never; return s, nil }); err != nil {
		t.Fatal(err)
	}
	f.append(t, call(t, "ours", "a"))
	equal(t, "landed in", f.append(t, call(t, "ours", "b")).SessionID, "ours")
}

func raw(t testing.TB, text string) memd.Message {
	t.Helper()
	m, err := memd.ParseMessage(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A call of a tool and its result are not parted by turns and tokens, unless nobody answers
// for as long again.
func TestToolCallsStayTogether(t *testing.T) {
	calls := `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	for name, c := range map[string]struct {
		last  string
		stays bool
	}{
		"a call": {calls, true}, "a result": {`{"role":"tool","tool_call_id":"c","content":"42"}`, true},
		"the old kind of call": {`{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}`, true},
		"an answer":            {`{"role":"assistant","content":"so","tool_calls":[],"function_call":null}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, Config{})
			f.make(t, NewSession{SessionID: "s", Limits: Limits{Turns: ptr(2)}})
			f.append(t, call(t, "s", "1", "2", "3"))
			one := func(m memd.Message) Appended {
				return f.append(t, Append{UserID: user, SessionID: "s", Messages: []memd.Message{m}})
			}
			said := func() {
				if strings.Contains(c.last, `"tool"`) {
					one(raw(t, calls))
				}
				one(raw(t, c.last))
			}
			said()
			got := one(message(t, memd.RoleUser, "new", ""))
			if stayed := got.SessionID == "s"; stayed != c.stays {
				t.Fatalf("landed in %s", got.SessionID)
			}
			if !c.stays {
				return
			}
			said() // three turns
			equal(t, "landed in", one(message(t, memd.RoleUser, "again", "")).SessionID, "s")
			said() // four: twice the limit
			if got = one(message(t, memd.RoleUser, "at last", "")); got.SessionID == "s" {
				t.Error("an unanswered call keeps a session for ever")
			}
		})
	}
	// Whether the result of a call comes late or never, the turn after the next turns over.
	for _, answered := range []bool{false, true} {
		f := open(t, Config{})
		f.make(t, NewSession{SessionID: "s", Limits: Limits{Turns: ptr(2)}})
		f.append(t, call(t, "s", "1"))
		one := func(m memd.Message) string {
			return f.append(t, Append{UserID: user, SessionID: "s", Messages: []memd.Message{m}}).SessionID
		}
		one(message(t, memd.RoleUser, "2", ""))
		one(raw(t, calls))
		equal(t, "landed in", one(message(t, memd.RoleUser, "3", "")), "s")
		if answered {
			equal(t, "landed in", one(raw(t, `{"role":"tool","tool_call_id":"c","content":"42"}`)), "s")
		}
		if one(message(t, memd.RoleUser, "4", "")) == "s" {
			t.Errorf("it stays, answered %t", answered)
		}
	}
	t.Run("idle", func(t *testing.T) {
		f := open(t, Config{})
		f.make(t, NewSession{SessionID: "s", Limits: Limits{Idle: ptr(time.Hour)}})
		f.append(t, Append{UserID: user, SessionID: "s", Messages: []memd.Message{message(t, memd.RoleUser, "1", ""), raw(t, calls)}})
		f.past(t, "s", "heard_at", time.Hour)
		if got := f.append(t, call(t, "s", "new")); got.SessionID == "s" {
			t.Error("nobody waits for a tool for that long")
		}
	})
}

// A chain of any length is followed, and kept short.
func TestForwardsAreFollowedAndKeptShort(t *testing.T) {
	f := open(t, Config{})
	const n = 100
	f.make(t, NewSession{SessionID: "s0", Limits: Limits{Turns: ptr(1)}})
	sessions := []string{"s0"}
	f.append(t, call(t, "s0", "0"))
	for i := 1; i <= n; i++ { // by the latest name: nothing is followed
		got := f.append(t, call(t, sessions[i-1], fmt.Sprint(i)))
		sessions = append(sessions, got.SessionID)
	}
	equal(t, "sessions", len(slices.Compact(slices.Sorted(slices.Values(sessions)))), n+1)
	last := sessions[n]
	answer := Append{UserID: user, SessionID: "s0", Messages: []memd.Message{message(t, memd.RoleAssistant, "answer", "")}}
	equal(t, "landed in", f.append(t, answer).SessionID, last)
	equal(t, "forwards to", value(f.session(t, "s0").ForwardsTo), last)
	equal(t, "its next stays", value(f.session(t, "s0").NextSessionID), sessions[1])
	if w, err := f.Window(t.Context(), tenant, user, sessions[1], 1, 1<<16); err != nil || w.Session.SessionID != last {
		t.Errorf("window of %+v, %v", w.Session, err)
	}
	// By the first name it is turned over again, and stays short.
	for i := range 3 {
		got := f.append(t, call(t, "s0", fmt.Sprint("more ", i)))
		equal(t, "forwards to", value(f.session(t, "s0").ForwardsTo), got.SessionID)
		sessions = append(sessions, got.SessionID)
	}
	if done, err := f.together(t, nil, answer, call(t, sessions[50], "in the middle")); err != nil || done[0].SessionID != done[1].SessionID || done[1].SessionID == sessions[n+3] {
		t.Errorf("%+v, %v", done, err) // the one in the middle sorts first, and turns it over
	}
	for i, s := range sessions[:n] {
		f.wantTexts(t, s, fmt.Sprint(i))
	}
	equal(t, "texts", len(f.texts(t, sessions[n+3])), 1)
}

// A way is not shortened to a session that is gone.
func TestShorteningKnowsWhatIsThere(t *testing.T) {
	f := open(t, Config{})
	f.make(t, NewSession{SessionID: "s0", Limits: Limits{Turns: ptr(1)}})
	at := []string{"s0"}
	for i := range 4 {
		at = append(at, f.append(t, call(t, at[len(at)-1], fmt.Sprint(i))).SessionID)
	}
	at = slices.Compact(at) // s0, and three after it
	w := newWrite(tenant, call(t, "s0", "x"))
	var found way
	b := postgres.TenantBatch(tenant)
	w.queueWay(b, &found)
	if err := f.pool.SendBatch(t.Context(), b).Close(); err != nil || len(found) != 4 {
		t.Fatalf("%+v, %v", found, err)
	}
	err := f.inTenant(t.Context(), tenant, func(tx pgx.Tx) error { // after who wrote there found the way
		return f.removeHeld(t, tx, user, at[3])
	})
	if err != nil {
		t.Fatal(err)
	}
	f.shorten(t.Context(), w, found)
	if to := value(f.session(t, "s0").ForwardsTo); to == at[3] {
		t.Error("it leads to what is gone")
	}
	got := f.append(t, call(t, "s0", "on"))
	equal(t, "its next stays", value(f.session(t, "s0").NextSessionID), at[1])
	equal(t, "what carries on the last one left", value(f.session(t, at[2]).NextSessionID), got.SessionID)
}

// What stands in the log under a client id and comes again is the same message, also if the
// session has turned over since.
func TestRepeatsDoNotTurnOver(t *testing.T) {
	f := open(t, Config{})
	f.make(t, NewSession{SessionID: "s", Limits: Limits{Turns: ptr(1)}})
	named := func(clients ...string) Append {
		a := Append{UserID: user, SessionID: "s", Infer: true, Learn: both}
		for _, c := range clients {
			a.Messages = append(a.Messages, message(t, memd.RoleUser, c, c))
		}
		return a
	}
	first := f.append(t, named("a"))
	again := f.append(t, named("a"))
	if again.SessionID != "s" || again.Messages[0].ID != first.Messages[0].ID || !again.Messages[0].Duplicate {
		t.Errorf("again = %+v", again)
	}
	second := f.append(t, named("b"))
	third := f.append(t, named("c"))
	if second.SessionID == "s" || third.SessionID == second.SessionID {
		t.Fatal(second.SessionID, third.SessionID)
	}
	for client, want := range map[string]Appended{"a": first, "b": second, "c": third} {
		got := f.append(t, named(client))
		if got.SessionID != want.SessionID || got.SessionNo != want.SessionNo || got.Messages[0].ID != want.Messages[0].ID || !got.Messages[0].Duplicate || got.NextSessionID != "" {
			t.Errorf("%s again = %+v, want %+v", client, got, want)
		}
	}
	// Some of it new: that lands where all does now, the rest is what it was.
	mixed := f.append(t, named("a", "d"))
	if mixed.Messages[0].ID != first.Messages[0].ID || !mixed.Messages[0].Duplicate || mixed.Messages[1].Duplicate || mixed.SessionID != third.SessionID {
		t.Errorf("mixed = %+v", mixed)
	}
	if done, err := f.together(t, nil, named("b"), named("a", "c")); err != nil || done[0].Messages[0].ID != second.Messages[0].ID ||
		done[1].Messages[0].ID != first.Messages[0].ID || done[1].Messages[1].ID != third.Messages[0].ID {
		t.Errorf("together = %+v, %v", done, err)
	}
	// A key is answered as it was the first time.
	keyed := named("e")
	keyed.Key = keyOf("k", "b")
	if done := f.append(t, keyed); done.SessionID == third.SessionID {
		t.Error("not turned over")
	} else {
		f.append(t, call(t, "s", "more"))
		replayed := f.append(t, keyed)
		if !replayed.Replayed || replayed.SessionID != done.SessionID || replayed.Messages[0] != done.Messages[0] {
			t.Errorf("replayed = %+v, want %+v", replayed, done)
		}
	}
}

// remove deletes a session of user.
func (f fixture) remove(t testing.TB, session string) {
	t.Helper()
	if err := f.removeOf(t, user, session); err != nil {
		t.Fatal(err)
	}
}

// removeHeld deletes the first of those that go by a name.
func (f fixture) removeHeld(t testing.TB, tx pgx.Tx, who, session string) error {
	held, err := f.HoldChain(t.Context(), tx, tenant, who, session)
	if err == nil {
		err = f.Remove(t.Context(), tx, tenant, held[0].SessionNo, held[0].MessageIDs)
	}
	if err == nil {
		err = f.RemoveSession(t.Context(), tx, tenant, held[0].SessionNo)
	}
	return err
}

func (f fixture) removeOf(t testing.TB, who, session string) error {
	return f.inTenant(t.Context(), tenant, func(tx pgx.Tx) error {
		return f.removeHeld(t, tx, who, session)
	})
}

func TestWhatFollowsADeletedNext(t *testing.T) {
	f := open(t, Config{})
	f.make(t, NewSession{SessionID: "s", Learn: ptr(false), Limits: Limits{Turns: ptr(1)}})
	f.append(t, call(t, "s", "1"))
	next := f.append(t, call(t, "s", "2")).SessionID
	f.remove(t, next)
	if s := f.session(t, "s"); s.NextSessionID != nil || s.ForwardsTo == nil || *s.ForwardsTo == next {
		t.Errorf("s = %+v", s)
	}
	f.append(t, call(t, next, "of another"))
	got := f.append(t, call(t, "s", "3"))
	if got.SessionID == next || got.SessionID == "s" || got.Messages[0].State != StateSkipped || value(f.session(t, got.SessionID).PreviousSessionID) != "s" {
		t.Errorf("landed in %+v, want a new one", got)
	}
	f.wantTexts(t, got.SessionID, "3")
	f.make(t, NewSession{SessionID: "a"})
	b, _ := f.rotate(t, Rotation{SessionID: "a"})
	f.remove(t, b.SessionID)
	c, made := f.rotate(t, Rotation{SessionID: "a", NextSessionID: "c"})
	if !made || c.SessionID != "c" || value(f.session(t, "a").NextSessionID) != "c" {
		t.Errorf("c = %+v, made %v", c, made)
	}
}

func TestIncognitoSessionsThatAreOverTurnNoMore(t *testing.T) {
	f := open(t, Config{})
	f.make(t, NewSession{SessionID: "i", Incognito: true})
	_, err := f.CreateSession(t.Context(), tenant, NewSession{UserID: user, SessionID: "x", PreviousSessionID: "i"})
	field(t, "carrying on an incognito one", err, memd.Invalid, "previous_session_id")
	f.change(t, "i", Change{Closed: ptr(true)})
	_, _, err = f.Rotate(t.Context(), tenant, Rotation{UserID: user, SessionID: "i", NextSessionID: "j"})
	kind(t, "rotating one that is over", err, memd.NotFound)
	_, err = f.Session(t.Context(), tenant, user, "j")
	kind(t, "its next", err, memd.NotFound)
}

// Many who write to a session that turns over at each turn: all lands, each call in one
// session.
func TestTurningOverUnderLoad(t *testing.T) {
	f := open(t, Config{Limits: Limits{Turns: ptr(2)}})
	const writers, each = 8, 8
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				a := call(t, "s", fmt.Sprintf("%d/%d", w, i), fmt.Sprintf("%d/%d answer", w, i))
				if i%2 == 1 {
					a.Key = keyOf(fmt.Sprint(w, i), "b")
				}
				got, err := f.Append(t.Context(), tenant, a)
				if err != nil || len(got.Messages) != 2 {
					t.Errorf("%+v, %v", got, err)
				}
			}
		})
	}
	for w := range 2 {
		wg.Go(func() {
			for i := range each {
				as := []Append{call(t, "s", fmt.Sprintf("t%d/%d", w, i)), call(t, "a", fmt.Sprintf("ta%d/%d", w, i)), call(t, "s", fmt.Sprintf("tt%d/%d", w, i))}
				err := f.inTenant(t.Context(), tenant, func(tx pgx.Tx) error {
					done, err := f.AppendIn(t.Context(), tx, tenant, as, nil)
					if err == nil && len(done) != 3 {
						t.Errorf("%+v", done)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	sessions, _, err := f.Sessions(t.Context(), tenant, user, 1000, "")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	next := map[string]int{}
	for _, s := range sessions {
		names = append(names, s.SessionID)
		next[value(s.PreviousSessionID)]++
	}
	for s, n := range next {
		if s != "" && n != 1 {
			t.Errorf("%s was followed %d times", s, n)
		}
	}
	if seen := f.onceEach(t, names); len(seen) != writers*each*2+2*each*3 {
		t.Errorf("%d messages", len(seen))
	}
	equal(t, "more turns than the limit", f.query(t, `SELECT count(*) FROM conversation_session WHERE turns > 2`), 0)
	equal(t, "counted wrongly", f.query(t, `SELECT count(*) FROM conversation_session s CROSS JOIN LATERAL
		(SELECT count(*) FILTER (WHERE role = 'user') AS turns, sum(octet_length(message)) AS bytes FROM conversation_context c WHERE c.session_no = s.no) c
		 WHERE s.turns <> c.turns OR s.bytes <> c.bytes`), 0)
}

// Many at once who each turn the session over: nobody is sent away, and nobody looks for
// where to write to more than a few times.
func TestAllWhoTurnOverAtOnceAreHeard(t *testing.T) {
	f := open(t, Config{})
	f.make(t, NewSession{SessionID: "s", Limits: Limits{Turns: ptr(1)}})
	f.append(t, call(t, "s", "first"))
	const writers, each = 60, 3
	landed := make(chan string, writers*each)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			name := "s"
			for i := range each {
				got, err := f.Append(t.Context(), tenant, call(t, name, fmt.Sprintf("%d/%d", w, i)))
				if err != nil {
					t.Error(err)
					return
				}
				landed <- got.SessionID
				if w%2 == 0 {
					name = got.SessionID // where the others write to
				}
			}
		})
	}
	wg.Wait()
	close(landed)
	sessions := map[string]bool{}
	for s := range landed {
		sessions[s] = true
	}
	equal(t, "sessions", len(sessions), writers*each)
	equal(t, "not carried on", f.query(t, `SELECT count(*) FROM conversation_session s WHERE next_session_id IS NULL`), 1)
}

func TestTogetherTurnsOverWithinItself(t *testing.T) {
	f := open(t, Config{})
	f.make(t, NewSession{SessionID: "m", Limits: Limits{Turns: ptr(1)}})
	key := keyOf("k", "b")
	as := []Append{call(t, "m", "1"), call(t, "z", "z"), call(t, "m", "2", "2b"), call(t, "m", "3")}
	done, err := f.together(t, key, as...)
	if err != nil {
		t.Fatal(err)
	}
	if done[0].SessionID != "m" || done[2].SessionID == "m" || done[3].SessionID == done[2].SessionID || done[1].SessionID != "z" {
		t.Fatalf("%+v", done)
	}
	f.wantTexts(t, "m", "1")
	f.wantTexts(t, done[2].SessionID, "2", "2b")
	f.wantTexts(t, done[3].SessionID, "3")
	replayed, found, err := f.Replay(t.Context(), tenant, *key, []int{1, 1, 2, 1})
	if err != nil || !found {
		t.Fatal(found, err)
	}
	for i, r := range replayed {
		if r.SessionID != done[i].SessionID || !slices.Equal(r.Messages, done[i].Messages) {
			t.Errorf("replayed %+v, first %+v", r, done[i])
		}
	}
	if _, err := f.together(t, key, as...); !errors.Is(err, ErrKeyUsed) {
		t.Errorf("the key again: %v", err)
	}
	f.make(t, NewSession{SessionID: "i", Incognito: true})
	f.change(t, "i", Change{Closed: ptr(true)})
	_, err = f.together(t, nil, call(t, "y", "1"), call(t, "i", "2"))
	field(t, "one is over", err, memd.Conflict, "session_id")
	_, err = f.Session(t.Context(), tenant, user, "y")
	kind(t, "another of it", err, memd.NotFound)
}

// Who closes what goes by a name is told when what is running under it was closed.
func TestClosingUnderANameTellsOfTheRunningOne(t *testing.T) {
	f := open(t, Config{})
	f.append(t, call(t, "s", "a"))
	f.change(t, "s", Change{Limits: func(l Limits) (Limits, error) { l.Turns = ptr(1); return l, nil }})
	next := f.append(t, call(t, "s", "b")).SessionID
	named, err := f.Session(t.Context(), tenant, user, "s")
	if err != nil || next == "s" || named.ClosedAt == nil {
		t.Fatalf("%s, %+v, %v", next, named, err)
	}
	answered := f.change(t, "s", Change{Closed: ptr(true)})
	running, err := f.Session(t.Context(), tenant, user, next)
	if err != nil || answered.SessionID != "s" || running.ClosedAt == nil || !answered.ClosedAt.Equal(*running.ClosedAt) || answered.ClosedAt.Equal(*named.ClosedAt) {
		t.Errorf("%+v, not as %+v, %v", answered, running, err)
	}
}

// What comes late to a session that was closed stays there, and makes it no later than it was: the
// user's latest is the one in which something was said since, or that was made since.
func TestLateMessagesMakeNoSessionTheLatest(t *testing.T) {
	f := open(t, Config{})
	latest := func(what, want string) {
		t.Helper()
		got, _, _, err := f.Messages(t.Context(), tenant, Page{UserID: user, Limit: 1})
		if err != nil || got != want {
			t.Errorf("%s: the latest is %q, %v, want %q", what, got, err, want)
		}
	}
	f.append(t, call(t, "a", "1"))
	f.append(t, call(t, "b", "2"))
	f.rotate(t, Rotation{SessionID: "b", NextSessionID: "c"})
	latest("with a next that is silent", "c")
	f.append(t, call(t, "b", "late"))
	latest("late, before the next has any", "c")
	f.append(t, call(t, "c", "3"))
	f.append(t, call(t, "b", "later"))
	latest("late, behind the next", "c")
	f.append(t, call(t, "a", "4"))
	latest("said elsewhere", "a")
	f.append(t, call(t, "b", "latest"))
	latest("late again", "a")
	// One that was closed without a next is the latest until something is said elsewhere.
	f.append(t, call(t, "d", "5"))
	f.change(t, "d", Change{Closed: ptr(true)})
	latest("closed", "d")
	f.append(t, call(t, "d", "late"))
	latest("closed, and late", "d")
	f.append(t, call(t, "a", "6"))
	f.append(t, call(t, "d", "later"))
	latest("closed, and behind what was said elsewhere", "a")
	f.wantTexts(t, "d", "5", "late", "later")
	// All that is said of one that was made closed, or is empty but for what came late.
	f.make(t, NewSession{SessionID: "e"})
	f.change(t, "e", Change{Closed: ptr(true)})
	f.append(t, call(t, "e", "late"))
	latest("nothing but late", "a")
}
