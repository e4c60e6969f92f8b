package shortterm

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

func (f fixture) drop(t testing.TB, tenant string, scope memd.Scope) (n int, err error) {
	t.Helper()
	err = f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) (err error) {
		n, err = f.DropOpen(t.Context(), tx, tenant, scope)
		return err
	})
	return n, err
}

func TestWhatIsDroppedIsNotLearned(t *testing.T) {
	f := open(t, Config{})
	got := f.append(t, call(t, "s", "1", "2", "3", "4", "5", "6"))
	all := ids(got)
	f.settleAll(t, f.claim(t, got.SessionNo, 1, 0), StateDone)
	failing := f.claim(t, got.SessionNo, 1, 0)
	if err := f.Fail(t.Context(), tenant, []Failure{{MessageID: all[1], Attempt: 1, Error: "x: y", After: time.Hour}}); err != nil {
		t.Fatal(failing, err)
	}
	dead := f.claim(t, got.SessionNo, 1, 0)
	f.settleAll(t, dead, StateDead)
	held := f.claim(t, got.SessionNo, 2, 0)
	f.append(t, call(t, "t", "elsewhere"))

	n, err := f.drop(t, tenant, memd.Scope{UserID: user, RunID: "s"})
	if err != nil || n != 4 {
		t.Errorf("dropped %d, %v, want what was pending, running and failed", n, err)
	}
	// Whoever was at work on it has lost it: it can settle nothing, so it learns nothing.
	kind(t, "settling", f.settle(t, Outcome{MessageID: all[3], Attempt: 1, State: StateDone}, Outcome{MessageID: all[4], Attempt: 1, State: StateDone}), memd.Conflict)
	kind(t, "settling one", f.settle(t, Outcome{MessageID: all[3], Attempt: 1, State: StateDone}), memd.Conflict)
	kind(t, "holding on", f.extend(t, held), memd.Conflict)
	if err := f.Fail(t.Context(), tenant, []Failure{{MessageID: all[3], Attempt: 1, Error: "x: y"}}); err != nil {
		t.Error(err)
	}
	if err := f.Release(t.Context(), held); err != nil {
		t.Error(err)
	}
	if c := f.claim(t, got.SessionNo, 10, 0); c != nil {
		t.Errorf("claimed %v", claimedIDs(c))
	}
	for i, want := range []string{StateDone, StateSkipped, StateDead, StateSkipped, StateSkipped, StateSkipped} {
		in := f.ingest(t, all[i])
		equal(t, fmt.Sprint("state of ", i), in.State, want)
		equal(t, fmt.Sprint("error of ", i), in.Error, map[string]string{StateSkipped: forgotten, StateDead: "extract: panic"}[want])
		if in.SettledAt == nil {
			t.Errorf("%d is not settled", i)
		}
	}
	equal(t, "attempts that were begun", f.ingest(t, all[3]).Attempts, 1)
	for _, session := range []string{"", "s"} {
		c, err := f.Counts(t.Context(), tenant, user, session)
		open := int64(len("t")) - int64(len(session))
		if err != nil || c.Pending != open || c.Running+c.Failed != 0 || c.Skipped != 4 || c.Done != 1 || c.Dead != 1 {
			t.Errorf("counts of %q: %+v, %v", session, c, err)
		}
	}
	if c, err := f.Counts(t.Context(), tenant, "", ""); err != nil || c.Pending != 1 || c.Skipped != 4 || c.Done != 1 || c.Dead != 1 {
		t.Errorf("counts: %+v, %v", c, err)
	}
	if err := f.AwaitSettled(t.Context(), tenant, all); err != nil {
		t.Error(err)
	}
	open, gone, err := f.Standing(t.Context(), tenant, append(all, 1<<40))
	if err != nil || len(open) != 0 || !slices.Equal(gone, all[2:3]) {
		t.Errorf("Standing = %v, %v, %v", open, gone, err)
	}
	kind(t, "retrying one", f.RetryDead(t.Context(), tenant, all[3]), memd.NotFound)
	if n, err := f.drop(t, tenant, memd.Scope{UserID: user, RunID: "s"}); err != nil || n != 0 {
		t.Errorf("again dropped %d, %v", n, err)
	}
}

func TestDroppedIsWhatCarriesEveryID(t *testing.T) {
	type of struct{ user, session, agent, app string }
	all := []of{
		{"alice", "s", "", ""}, {"alice", "s", "helper", "web"}, {"alice", "t", "helper", ""}, {"bob", "s", "helper", "web"}, {"bob", "t", "", "web"},
	}
	f := open(t, Config{})
	var made []int64
	for _, o := range all {
		a := call(t, o.session, "one")
		a.UserID, a.AgentID, a.AppID = o.user, o.agent, o.app
		made = append(made, ids(f.append(t, a))...)
	}
	for _, c := range []struct {
		scope memd.Scope
		want  []int
	}{
		{memd.Scope{UserID: "alice"}, []int{0, 1, 2}},
		{memd.Scope{RunID: "s"}, []int{0, 1, 3}},
		{memd.Scope{AgentID: "helper"}, []int{1, 2, 3}},
		{memd.Scope{AppID: "web"}, []int{1, 3, 4}},
		{memd.Scope{UserID: "alice", AgentID: "helper"}, []int{1, 2}},
		{memd.Scope{UserID: "bob", RunID: "s", AgentID: "helper", AppID: "web"}, []int{3}},
		{memd.Scope{UserID: "bob", AgentID: "other"}, nil},
		{memd.Scope{UserID: "nobody"}, nil},
	} {
		var dropped []int64
		err := f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
			n, err := f.DropOpen(t.Context(), tx, tenant, c.scope)
			if err != nil || n != len(c.want) {
				t.Errorf("%s: dropped %d, %v, want %d", c.scope.Describe(), n, err, len(c.want))
			}
			rows, err := tx.Query(t.Context(), `SELECT message_id FROM ingest_settled WHERE state = 'skipped' ORDER BY 1`)
			if err != nil {
				t.Fatal(err)
			}
			if dropped, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
				t.Fatal(err)
			}
			return errRollBack
		})
		if !errors.Is(err, errRollBack) {
			t.Fatal(err)
		}
		var want []int64
		for _, i := range c.want {
			want = append(want, made[i])
		}
		if !slices.Equal(dropped, want) {
			t.Errorf("%s: dropped %v, want %v", c.scope.Describe(), dropped, want)
		}
	}
}

var errRollBack = errors.New("roll back")

func TestDroppingNeedsAnIDAndKnowsWhatIsNoRun(t *testing.T) {
	f := open(t, Config{})
	direct := call(t, "", "1")
	direct.Direct = true
	got := f.append(t, direct)
	_, err := f.drop(t, tenant, memd.Scope{Tenant: tenant})
	kind(t, "without any id", err, memd.Invalid)
	if n, err := f.drop(t, tenant, memd.Scope{RunID: got.SessionID}); err != nil || n != 0 {
		t.Errorf("the session of what was given to be remembered is a run: %d, %v", n, err)
	}
	if n, err := f.drop(t, tenant, memd.Scope{UserID: user}); err != nil || n != 1 {
		t.Errorf("dropped %d, %v", n, err)
	}
}

// A claim that is being settled is waited for; what it has settled is no longer open.
func TestDroppingWaitsForWhoSettles(t *testing.T) {
	f := open(t, Config{})
	got := f.append(t, call(t, "s", "1", "2"))
	f.claim(t, got.SessionNo, 1, 0)
	type dropped struct {
		n   int
		err error
	}
	done := make(chan dropped, 1)
	err := f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
		if err := f.Settle(t.Context(), tx, tenant, []Outcome{{MessageID: ids(got)[0], Attempt: 1, State: StateDone}}); err != nil {
			return err
		}
		go func() {
			n, err := f.drop(t, tenant, memd.Scope{UserID: user})
			done <- dropped{n, err}
		}()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := <-done; d.err != nil || d.n != 1 {
		t.Errorf("dropped %+v, want what was left", d)
	}
	equal(t, "the settled one", f.ingest(t, ids(got)[0]).State, StateDone)
	equal(t, "the other", f.ingest(t, ids(got)[1]).State, StateSkipped)
}
