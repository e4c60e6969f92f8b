package shortterm

import (
	"fmt"
	"testing"
	"time"

	"github.com/memdhq/memd/internal/memdtest"
)

// putBack makes all that is open look as if the clock had been put back since.
func (f fixture) putBack(t testing.TB, by time.Duration) {
	t.Helper()
	f.do(t, `UPDATE ingest_open SET opened_at = opened_at + $1::interval, publish_at = publish_at + $1::interval,
		lease_until = lease_until + $1::interval, next_attempt_at = next_attempt_at + $1::interval`, by)
}

// The clock goes back an hour, and whoever was at work or would have come again is gone.
func TestAClockThatIsPutBackHoldsUpNothing(t *testing.T) {
	f := open(t, Config{Lease: 300 * time.Millisecond})
	memdtest.Until(t, "the queue is ready", func() bool { return f.bus.Check(t.Context()) == nil })
	a := f.append(t, call(t, "s", "1", "2", "3", "4"))
	all := ids(a)
	f.claim(t, a.SessionNo, 1, 0) // its worker dies
	f.claim(t, a.SessionNo, 1, 0)
	if err := f.Fail(t.Context(), tenant, []Failure{{MessageID: all[1], Attempt: 1, Error: "x: y", After: 15 * time.Minute}}); err != nil {
		t.Fatal(err)
	}
	f.do(t, `UPDATE ingest_open SET priority = 1, publishes = 5, publish_at = now() + interval '5 min' WHERE message_id = $1`, all[2])
	f.putBack(t, time.Hour)
	for _, u := range []string{"", user} {
		if c, err := f.Counts(t.Context(), tenant, u, ""); err != nil || c.OldestPending != 0 {
			t.Errorf("oldest %v, %v", c.OldestPending, err)
		}
	}
	if n := f.query(t, `SELECT count(*) FROM memd_backlog() WHERE oldest_s < 0`); n != 0 {
		t.Errorf("%d ages are negative", n)
	}
	f.relay(t, quick)
	settled := f.work(t)
	f.drained(t)
	for _, id := range all {
		equal(t, fmt.Sprint("message ", id), settled()[id], 1)
	}
}

// Who is at work when the clock goes back can go on with it.
func TestAClockThatIsPutBackTakesNothingFromWhoIsAtWork(t *testing.T) {
	f := open(t, Config{})
	memdtest.Until(t, "the queue is ready", func() bool { return f.bus.Check(t.Context()) == nil })
	a := f.append(t, call(t, "s", "1"))
	c := f.claim(t, a.SessionNo, 1, 0)
	f.putBack(t, 24*time.Hour)
	f.relay(t, quick)
	memdtest.Until(t, "the lease is put right", func() bool {
		return f.query(t, `SELECT count(*) FROM ingest_open WHERE lease_until <= now() + interval '60 s' AND opened_at <= now()`) == 1
	})
	if n := f.query(t, `SELECT count(*) FROM ingest_open WHERE lease_until > now()`); n != 1 {
		t.Error("the lease is over")
	}
	f.settleAll(t, c, StateDone)
}

// What waits for as long as anything may is left to wait.
func TestWhatIsPutOffInEarnestStaysSo(t *testing.T) {
	f := open(t, Config{Lease: 5 * time.Minute})
	a := f.append(t, call(t, "s", "1", "2", "3"))
	f.claim(t, a.SessionNo, 1, 0)
	f.claim(t, a.SessionNo, 1, 0)
	if err := f.Fail(t.Context(), tenant, []Failure{{MessageID: ids(a)[1], Attempt: 1, Error: "x: y", After: 19 * time.Minute}}); err != nil {
		t.Fatal(err)
	}
	f.do(t, `UPDATE ingest_open SET publish_at = now() + interval '5 min' WHERE message_id = $1`, ids(a)[2])
	if n := f.query(t, `SELECT memd_due_ahead('5 min')`); n != 0 {
		t.Errorf("%d are due", n)
	}
	equal(t, "next attempts", f.query(t, `SELECT count(*) FROM ingest_open WHERE next_attempt_at > now() + interval '18 min'`), 1)
}

// What is kept for a time does not stay for ever if it is from a time that has yet to come.
func TestWhatIsFromTheFutureIsKeptFromNowOn(t *testing.T) {
	f := open(t, Config{KeepMessages: 10 * day})
	f.make(t, NewSession{SessionID: "i", Incognito: true})
	f.append(t, keyed(call(t, "i", "1"), "k", "b"))
	f.append(t, call(t, "s", "1"))
	f.do(t, `UPDATE idempotency SET created_at = now() + interval '10 years'`)
	f.do(t, `UPDATE conversation_context SET received_at = now() + interval '10 years'`)
	f.do(t, `UPDATE conversation_session SET heard_at = now() + interval '10 years'`)
	f.do(t, `INSERT INTO erasure (tenant_id, user_key, receipt_id, erased_at) VALUES ($1, 'x', gen_random_uuid(), now() + interval '10 years')`, tenant)
	f.relay(t, quick)
	memdtest.Until(t, "all is from now", func() bool {
		return f.query(t, `SELECT (SELECT count(*) FROM idempotency WHERE created_at > now()) + (SELECT count(*) FROM conversation_context WHERE received_at > now())
			+ (SELECT count(*) FROM conversation_session WHERE incognito AND heard_at > now()) + (SELECT count(*) FROM erasure WHERE erased_at > now())`) == 0
	})
	equal(t, "keys", f.query(t, `SELECT count(*) FROM idempotency WHERE created_at > now() - interval '1 h'`), 1)
	equal(t, "messages", f.query(t, `SELECT count(*) FROM conversation_context WHERE received_at > now() - interval '1 h'`), 2)
}
