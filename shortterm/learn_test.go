package shortterm

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/postgres"
)

// Learning turned off: what is open ends, whoever is at it; what comes is skipped.
func TestLearningTurnedOff(t *testing.T) {
	for name, set := range map[string]func(f fixture, t *testing.T, learn bool){
		"session": func(f fixture, t *testing.T, learn bool) {
			if s := f.change(t, "s", Change{Learn: &learn}); s.Learn != learn || f.session(t, "s").Learn != learn {
				t.Errorf("learn = %v, want %v", s.Learn, learn)
			}
		},
		"person": func(f fixture, t *testing.T, learn bool) {
			p, err := f.SetPersonLearn(t.Context(), tenant, user, learn)
			if err != nil || p.Learn != learn || p.UserID != user || p.Sessions == 0 {
				t.Fatalf("%+v, %v", p, err)
			}
			people, _, _, err := f.People(t.Context(), tenant, 10, "")
			if err != nil || len(people) != 2 || people[1].Learn != learn || !people[0].Learn {
				t.Errorf("people %+v, %v", people, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, Config{})
			got := f.append(t, call(t, "s", "1", "2", "3", "4", "5"))
			all := ids(got)
			bobs := call(t, "s", "bob's")
			bobs.UserID = "bob"
			bob := f.append(t, bobs)
			f.settleAll(t, f.claim(t, got.SessionNo, 1, 0), StateDone)
			dead := f.claim(t, got.SessionNo, 1, 0)
			f.settleAll(t, dead, StateDead)
			held := f.claim(t, got.SessionNo, 1, 0)

			set(f, t, false)
			for i, want := range []string{StateDone, StateDead, StateSkipped, StateSkipped, StateSkipped} {
				equal(t, fmt.Sprint("state of ", i), f.ingest(t, all[i]).State, want)
			}
			equal(t, "why", f.ingest(t, all[3]).Error, notLearned)
			kind(t, "settling what was held", f.settle(t, Outcome{MessageID: held.Messages[0].ID, Attempt: 1, State: StateDone}), memd.Conflict)
			equal(t, "bob's", bob.Messages[0].State, StatePending)
			if in, err := f.Message(t.Context(), tenant, bob.Messages[0].ID, memd.Scope{}); err != nil || in.Ingest.State != StatePending {
				t.Errorf("bob's is %s, %v", in.Ingest.State, err)
			}
			off := f.append(t, call(t, "s", "6", "7"))
			together, err := f.together(t, nil, call(t, "s", "8"))
			if err != nil {
				t.Fatal(err)
			}
			next, _ := f.rotate(t, Rotation{SessionID: "s"})
			for _, m := range []AppendedMessage{off.Messages[0], off.Messages[1], together[0].Messages[0], f.append(t, call(t, next.SessionID, "9")).Messages[0], f.append(t, call(t, "s", "late")).Messages[0]} {
				equal(t, "state", m.State, StateSkipped)
				equal(t, "state as read", f.ingest(t, m.ID).State, StateSkipped)
			}
			if c := f.claim(t, got.SessionNo, 10, 0); c != nil {
				t.Errorf("claimed %v", claimedIDs(c))
			}
			// Nor does anything that is there come back.
			kind(t, "retrying a dead letter", f.RetryDead(t.Context(), tenant, all[1]), memd.Conflict)
			held2 := func(do func(tx pgx.Tx) error) {
				t.Helper()
				err := f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
					if _, err := f.Hold(t.Context(), tx, tenant, all[0], memd.Scope{}); err != nil {
						return err
					}
					return do(tx)
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			held2(func(tx pgx.Tx) error {
				n, err := f.Reopen(t.Context(), tx, tenant, all)
				equal(t, "opened again", n, 0)
				return err
			})
			held2(func(tx pgx.Tx) error {
				opened, err := f.Reword(t.Context(), tx, tenant, all[0], json.RawMessage(`{"role":"user","content":"other"}`))
				equal(t, "opened by new words", opened, false)
				return err
			})
			equal(t, "the reworded", f.ingest(t, all[0]).State, StateSkipped)

			set(f, t, true)
			equal(t, "what was skipped", f.ingest(t, all[3]).State, StateSkipped)
			if name == "person" {
				equal(t, "what comes now", f.append(t, call(t, "t", "10")).Messages[0].State, StatePending)
			}
			equal(t, "what comes now", f.append(t, call(t, "s", "10")).Messages[0].State, StatePending)
			held2(func(tx pgx.Tx) error {
				n, err := f.Reopen(t.Context(), tx, tenant, all[1:])
				equal(t, "opened again", n, 4)
				return err
			})
			equal(t, "in no one state", f.query(t, stateless), 0)
		})
	}
}

// stateless counts messages that are in none or several of skipped, open, settled.
const stateless = `SELECT count(*) FROM conversation_context c WHERE 1 <>
	(NOT c.learn)::int + (SELECT count(*) FROM ingest_open o WHERE o.message_id = c.id) + (SELECT count(*) FROM ingest_settled e WHERE e.message_id = c.id)`

func TestWhoIsNotLearnedFromFromTheStart(t *testing.T) {
	f := open(t, Config{})
	if p, err := f.SetPersonLearn(t.Context(), tenant, "new", false); err != nil || p.Learn || p.UserID != "new" {
		t.Fatal(p, err)
	}
	a := call(t, "", "1")
	a.UserID = "new"
	equal(t, "state", f.append(t, a).Messages[0].State, StateSkipped)
	a.Direct = true
	equal(t, "state of a direct one", f.append(t, a).Messages[0].State, StateSkipped)
	if done, err := f.together(t, nil, a, call(t, "s", "alice's")); err != nil || done[0].Messages[0].State != StateSkipped || done[1].Messages[0].State != StatePending {
		t.Errorf("%+v, %v", done, err)
	}
	_, err := f.SetPersonLearn(t.Context(), tenant, "", false)
	field(t, "nobody", err, memd.Invalid, "user_id")
	f.make(t, NewSession{SessionID: "quiet", Learn: ptr(false)})
	equal(t, "state in a quiet session", f.append(t, call(t, "quiet", "1")).Messages[0].State, StateSkipped)
	f.make(t, NewSession{SessionID: "loud", Learn: ptr(true)})
	equal(t, "state in a loud one", f.append(t, call(t, "loud", "1")).Messages[0].State, StatePending)
}

// Whatever was being appended, to sessions old and new, when learning was turned off: once
// that has returned, nothing is open.
func TestNothingSlipsThroughWhenLearningIsTurnedOff(t *testing.T) {
	f := open(t, Config{Limits: Limits{Turns: ptr(2)}})
	for round := range 6 {
		who := fmt.Sprint("u", round)
		var wg sync.WaitGroup
		for w := range 5 {
			wg.Go(func() {
				for i := range 6 {
					a := call(t, "s", "1", "2")
					a.UserID = who
					if w == 0 {
						a.SessionID = fmt.Sprint("new", i)
					}
					var err error
					if w == 1 {
						_, err = f.together(t, nil, a, a)
						if postgres.Deadlocked(err) {
							err = nil // it has made sessions, and so the person, in another order; callers try again
						}
					} else {
						_, err = f.Append(t.Context(), tenant, a)
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Go(func() {
			if _, err := f.SetPersonLearn(t.Context(), tenant, who, false); err != nil {
				t.Error(err)
			}
			equal(t, "open once it is off", f.query(t, `SELECT count(*) FROM ingest_open o JOIN conversation_session s ON s.no = o.session_no WHERE s.user_id = $1`, who), 0)
		})
		wg.Wait()
		equal(t, "open at the end", f.query(t, `SELECT count(*) FROM ingest_open o JOIN conversation_session s ON s.no = o.session_no WHERE s.user_id = $1`, who), 0)
	}
	equal(t, "in no one state", f.query(t, stateless), 0)
}

// waiting says that n transactions wait for others.
func (f fixture) waiting(t testing.TB, n int) {
	t.Helper()
	memdtest.Until(t, fmt.Sprint(n, " wait"), func() bool {
		var found int
		err := f.pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&found)
		return err == nil && found >= n
	})
}

// What is being written when learning is turned off, to a session that is there or that is
// in the making, is waited for.
func TestWhatIsBeingWrittenIsWaitedFor(t *testing.T) {
	for name, before := range map[string][]string{"a session that is there": {"s"}, "a new one": {"other"}, "the first of a person": nil} {
		for _, together := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", together ", together), func(t *testing.T) {
				f := open(t, Config{LockTimeout: bound})
				for _, s := range before {
					f.append(t, call(t, s, "1"))
				}
				var both sync.WaitGroup
				// Whoever has the key for now stops the append half-way.
				key := keyOf("k", "b")
				stop := errors.New("stop")
				err := f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
					if _, err := tx.Exec(t.Context(), `INSERT INTO idempotency (tenant_id, key, body) VALUES ($1, $2, $3)`, tenant, key.Hash[:], key.Body[:]); err != nil {
						return err
					}
					both.Go(func() {
						a := call(t, "s", "secret")
						var got []Appended
						var err error
						if together {
							got, err = f.together(t, key, a)
						} else {
							a.Key = key
							got = make([]Appended, 1)
							got[0], err = f.Append(t.Context(), tenant, a)
						}
						if err != nil || got[0].Messages[0].State != StatePending {
							t.Errorf("%+v, %v", got, err)
						}
					})
					f.waiting(t, 1)
					both.Go(func() {
						if _, err := f.SetPersonLearn(t.Context(), tenant, user, false); err != nil {
							t.Error(err)
						}
						equal(t, "open once it is off", f.rows(t, "ingest_open"), 0)
					})
					f.waiting(t, 2)
					return stop
				})
				both.Wait()
				if !errors.Is(err, stop) {
					t.Fatal(err)
				}
				equal(t, "open", f.rows(t, "ingest_open"), 0)
			})
		}
	}
}

func TestIncognito(t *testing.T) {
	for name, c := range map[string]struct {
		end func(f fixture, t *testing.T) (next string)
	}{
		"closed": {func(f fixture, t *testing.T) string {
			if s := f.change(t, "s", Change{Closed: ptr(true)}); s.ClosedAt == nil || !s.Incognito {
				t.Errorf("closed = %+v", s)
			}
			return ""
		}},
		"rotated": {func(f fixture, t *testing.T) string {
			next, made := f.rotate(t, Rotation{SessionID: "s"})
			if !made || !next.Incognito || next.Learn || next.PreviousSessionID != nil {
				t.Errorf("next = %+v, made %v", next, made)
			}
			if again, made := f.rotate(t, Rotation{SessionID: "s"}); made || again.SessionID != next.SessionID || again.PreviousSessionID != nil {
				t.Errorf("again = %+v, made %v", again, made)
			}
			return next.SessionID
		}},
		"idle": {func(f fixture, t *testing.T) string {
			if n, err := f.SweepIncognito(t.Context(), 10); err != nil || n != 0 {
				t.Errorf("swept %d before its time, %v", n, err)
			}
			f.past(t, "s", "heard_at", 25*time.Hour)
			if n, err := f.SweepIncognito(t.Context(), 10); err != nil || n != 1 {
				t.Errorf("swept %d, %v", n, err)
			}
			if n, err := f.SweepIncognito(t.Context(), 10); err != nil || n != 0 {
				t.Errorf("swept %d again, %v", n, err)
			}
			return ""
		}},
		"deleted": {func(f fixture, t *testing.T) string {
			err := f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
				return f.removeHeld(t, tx, user, "s")
			})
			if err != nil {
				t.Fatal(err)
			}
			return ""
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, Config{})
			f.append(t, call(t, "other", "0"))
			s := f.make(t, NewSession{SessionID: "s", Incognito: true, Metadata: json.RawMessage(`{"k":"secret"}`)})
			if !s.Incognito || s.Learn {
				t.Errorf("made %+v", s)
			}
			key := keyOf("k", "b")
			a := call(t, "s", "a secret", "so it is")
			a.Key = key
			got := f.append(t, a)
			equal(t, "state", got.Messages[0].State, StateSkipped)
			f.do(t, `INSERT INTO session_summary (session_no, tenant_id, upto, summary, model) VALUES ($1, 'acme', 1, 'a secret', 'm')`, got.SessionNo)
			f.wantTexts(t, "s", "a secret", "so it is")
			if w, err := f.Window(t.Context(), tenant, user, "", 5, 1<<16); err != nil || w.Session == nil || len(w.Entries) != 2 {
				t.Errorf("window %+v, %v", w, err)
			}
			_, err := f.ChangeSession(t.Context(), tenant, user, "s", "", Change{Learn: ptr(true)})
			field(t, "learning from it", err, memd.Invalid, "learn")

			next := c.end(f, t)
			equal(t, "its messages", f.query(t, `SELECT count(*) FROM conversation_context WHERE session_id = 's'`), 0)
			equal(t, "what is left of it", f.query(t, `SELECT count(*) FROM conversation_session s WHERE session_id = 's' AND position('secret' IN to_jsonb(s)::text) = 0`), 1)
			equal(t, "summaries", f.query(t, `SELECT count(*) FROM session_summary`), 0)
			_, err = f.Session(t.Context(), tenant, user, "s")
			kind(t, "the session", err, memd.NotFound)
			_, _, _, err = f.Messages(t.Context(), tenant, Page{UserID: user, SessionID: "s"})
			kind(t, "messages", err, memd.NotFound)
			_, err = f.Counts(t.Context(), tenant, user, "s")
			kind(t, "counts", err, memd.NotFound)
			_, err = f.ChangeSession(t.Context(), tenant, user, "s", "", Change{Closed: ptr(true)})
			kind(t, "closing it again", err, memd.NotFound)
			if w, err := f.Window(t.Context(), tenant, user, "s", 5, 1<<16); err != nil || w.Session != nil || len(w.Entries)+len(w.Open)+len(w.Past) != 0 {
				t.Errorf("window %+v, %v", w, err)
			}
			err = f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
				_, err := f.HoldChain(t.Context(), tx, tenant, user, "s")
				return err
			})
			kind(t, "deleting it", err, memd.NotFound)
			sessions, _, err := f.Sessions(t.Context(), tenant, user, 10, "")
			if want := 1 + len(next)/36; err != nil || len(sessions) != want || sessions[len(sessions)-1].SessionID != "other" {
				t.Errorf("sessions %+v, %v", sessions, err)
			}
			if people, _, _, err := f.People(t.Context(), tenant, 10, ""); err != nil || people[0].Sessions != len(sessions) || people[0].Messages != 1 {
				t.Errorf("people %+v, %v", people, err)
			}
			// Its name stays taken, so that nobody learns what comes late.
			_, err = f.Append(t.Context(), tenant, call(t, "s", "late"))
			field(t, "late", err, memd.Conflict, "session_id")
			_, err = f.CreateSession(t.Context(), tenant, NewSession{UserID: user, SessionID: "s"})
			field(t, "making it again", err, memd.Conflict, "session_id")
			_, err = f.CreateSession(t.Context(), tenant, NewSession{UserID: user, PreviousSessionID: "s"})
			field(t, "carrying it on", err, memd.Invalid, "previous_session_id")
			if again, err := f.Append(t.Context(), tenant, a); err != nil || !again.Replayed || len(again.Messages) != 0 {
				t.Errorf("its key again: %+v, %v", again, err)
			}
			if next != "" {
				if got := f.append(t, call(t, next, "more")); got.SessionID != next || got.Messages[0].State != StateSkipped {
					t.Errorf("in the next: %+v", got)
				}
			}
		})
	}
	t.Run("made", func(t *testing.T) {
		f := open(t, Config{})
		_, err := f.CreateSession(t.Context(), tenant, NewSession{UserID: user, Incognito: true, Learn: ptr(true)})
		field(t, "learned from", err, memd.Invalid, "learn")
		_, err = f.CreateSession(t.Context(), tenant, NewSession{UserID: user, Limits: Limits{Tokens: ptr(int64(-1)), Idle: ptr(-time.Second)}})
		kind(t, "with wrong limits", err, memd.Invalid)
	})
}

// One that a limit turns over goes on under its name.
func TestAnIncognitoSessionTurnsOver(t *testing.T) {
	f := open(t, Config{Limits: Limits{Turns: ptr(1)}})
	f.make(t, NewSession{SessionID: "s", Incognito: true})
	f.append(t, call(t, "s", "1"))
	second := f.append(t, call(t, "s", "2"))
	third := f.append(t, call(t, "s", "3"))
	if second.SessionID == "s" || third.SessionID == second.SessionID || third.Messages[0].State != StateSkipped {
		t.Fatal(second, third)
	}
	equal(t, "messages", f.rows(t, "conversation_context"), 1)
	if w, err := f.Window(t.Context(), tenant, user, "s", 5, 1<<16); err != nil || w.Session == nil || w.Session.SessionID != third.SessionID || len(w.Entries) != 1 {
		t.Errorf("window %+v, %v", w, err)
	}
	f.change(t, third.SessionID, Change{Closed: ptr(true)})
	_, err := f.Append(t.Context(), tenant, call(t, "s", "4"))
	field(t, "once it is over", err, memd.Conflict, "session_id")
	equal(t, "messages", f.rows(t, "conversation_context"), 0)
}

// Whoever appends to an incognito session while it ends either comes before, and goes with
// it, or is refused.
func TestAppendingWhileAnIncognitoSessionEnds(t *testing.T) {
	f := open(t, Config{})
	for round := range 5 {
		name := fmt.Sprint("s", round)
		f.make(t, NewSession{SessionID: name, Incognito: true})
		f.append(t, call(t, name, "1"))
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 5 {
					_, err := f.Append(t.Context(), tenant, call(t, name, "x", "y"))
					if err != nil && memd.KindOf(err) != memd.Conflict {
						t.Error(err)
					}
				}
			})
		}
		wg.Go(func() {
			if round%2 == 0 {
				_, _, err := f.Rotate(t.Context(), tenant, Rotation{UserID: user, SessionID: name})
				if err != nil {
					t.Error(err)
				}
			} else if _, err := f.ChangeSession(t.Context(), tenant, user, name, "", Change{Closed: ptr(true)}); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
	}
	equal(t, "messages", f.rows(t, "conversation_context"), 0)
	equal(t, "open", f.rows(t, "ingest_open"), 0)
}

func TestSweepingAnIncognitoSessionThatIsSpokenInLetsItLive(t *testing.T) {
	f := open(t, Config{IncognitoIdle: time.Hour})
	f.make(t, NewSession{SessionID: "empty", Incognito: true})
	f.make(t, NewSession{SessionID: "s", Incognito: true})
	f.append(t, call(t, "s", "1"))
	f.past(t, "s", "created_at", 2*time.Hour)
	f.past(t, "empty", "created_at", 2*time.Hour)
	f.make(t, NewSession{SessionID: "plain"})
	f.past(t, "plain", "created_at", 2*time.Hour)
	if n, err := f.SweepIncognito(t.Context(), 10); err != nil || n != 1 {
		t.Errorf("swept %d, %v", n, err)
	}
	f.wantTexts(t, "s", "1")
	f.session(t, "plain")
	_, err := f.Session(t.Context(), tenant, user, "empty")
	kind(t, "the one in which nothing was said", err, memd.NotFound)
}
