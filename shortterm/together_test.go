package shortterm

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/internal/memdtest"
)

// together appends all in a transaction of their own.
func (f fixture) together(t testing.TB, key *idempotency.Key, as ...Append) ([]Appended, error) {
	t.Helper()
	var done []Appended
	err := f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) (err error) {
		done, err = f.AppendIn(t.Context(), tx, tenant, as, key)
		return err
	})
	return done, err
}

func keyOf(key, body string) *idempotency.Key {
	k := idempotency.NewKey("POST", "/v1/memories/batch", key, []byte(body))
	return &k
}

func (f fixture) rows(t testing.TB, table string) int64 {
	t.Helper()
	return f.query(t, "SELECT count(*) FROM "+table)
}

func TestAppendsTogetherAnswerInTheirOrder(t *testing.T) {
	f := open(t, Config{})
	f.append(t, call(t, "b", "before"))
	direct := call(t, "", "for ever")
	direct.UserID, direct.AgentID, direct.Direct = "", "agent", true
	as := []Append{call(t, "b", "1", "2"), call(t, "a", "3"), direct, call(t, "b", "4"), call(t, "", "5")}
	done, err := f.together(t, nil, as...)
	if err != nil || len(done) != len(as) {
		t.Fatalf("%+v, %v", done, err)
	}
	for i, d := range done {
		equal(t, fmt.Sprint("messages of ", i), len(d.Messages), len(as[i].Messages))
		if as[i].SessionID != "" {
			equal(t, fmt.Sprint("session of ", i), d.SessionID, as[i].SessionID)
		} else if len(d.SessionID) != 36 {
			t.Errorf("a session without a name is %q, want a UUID", d.SessionID)
		}
		for j, m := range d.Messages {
			e, err := f.Message(t.Context(), tenant, m.ID, memd.Scope{})
			if err != nil || e.Text != as[i].Messages[j].Text || e.SessionID != d.SessionID || e.Ingest.State != StatePending || m.State != StatePending {
				t.Errorf("message %d of %d: %+v, %v", j, i, e, err)
			}
		}
	}
	if done[0].SessionNo != done[3].SessionNo || done[3].Messages[0].ID <= done[0].Messages[1].ID {
		t.Errorf("of one session, but %+v, %+v", done[0], done[3])
	}
	f.checkSession(t, "b", 4)
	f.checkSession(t, "a", 1)
	if none, err := f.together(t, nil); err != nil || len(none) != 0 {
		t.Errorf("nothing = %v, %v", none, err)
	}
}

func TestAppendsTogetherAreAllOrNone(t *testing.T) {
	f := open(t, Config{})
	bad := call(t, "c", "2")
	bad.Metadata = []byte(`{"a":"\u0000"}`)
	silent := call(t, "c")
	nobodys := call(t, "", "3")
	nobodys.UserID = ""
	for name, a := range map[string]Append{"a value that cannot be stored": bad, "no messages": silent, "nobody's": nobodys} {
		_, err := f.together(t, keyOf("k", "b"), call(t, "a", "1"), a, call(t, "z", "3"))
		kind(t, name, err, memd.Invalid)
	}
	// The transaction's own end counts too.
	err := f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
		if _, err := f.AppendIn(t.Context(), tx, tenant, []Append{call(t, "a", "1"), call(t, "b", "2")}, keyOf("k", "b")); err != nil {
			t.Error(err)
		}
		equal(t, "messages that others see", f.rows(t, "conversation_context"), 0)
		return errors.New("no")
	})
	if err == nil {
		t.Error("committed")
	}
	for _, table := range []string{"conversation_session", "conversation_context", "ingest_open", "idempotency", "person"} {
		equal(t, table, f.rows(t, table), 0)
	}
	if _, found, err := f.Replay(t.Context(), tenant, *keyOf("k", "b"), []int{1, 1}); err != nil || found {
		t.Errorf("what was rolled back is replayed: %v, %v", found, err)
	}
}

func TestAClientIDStandsOnceAmongAppendsTogether(t *testing.T) {
	f := open(t, Config{})
	named := func(session string, clients ...string) Append {
		a := call(t, session)
		for i, c := range clients {
			a.Messages = append(a.Messages, message(t, memd.RoleUser, fmt.Sprint(session, i), c))
		}
		return a
	}
	f.append(t, named("a", "1"))
	key := keyOf("k", "b")
	as := []Append{named("b", "1", "2"), named("a", "1", "2"), named("b", "2", "3", "3"), call(t, "a", "plain")}
	done, err := f.together(t, key, as...)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range done {
		marks := ""
		for _, m := range d.Messages {
			marks += map[bool]string{true: "=", false: "+"}[m.Duplicate]
		}
		got = append(got, marks)
	}
	if want := []string{"++", "=+", "=+=", "+"}; !slices.Equal(got, want) {
		t.Errorf("new %q, want %q", got, want)
	}
	equal(t, "the same message", done[2].Messages[0].ID, done[0].Messages[1].ID)
	f.checkSession(t, "a", 3)
	f.checkSession(t, "b", 3)
	// The answer stays what it was, whatever has become of the messages.
	f.do(t, `DELETE FROM ingest_open`)
	again, found, err := f.Replay(t.Context(), tenant, *key, []int{2, 2, 3, 1})
	if err != nil || !found {
		t.Fatal(found, err)
	}
	for i := range again {
		equal(t, "replayed", again[i].Replayed, true)
		again[i].Replayed = false
	}
	if !reflect.DeepEqual(again, done) {
		t.Errorf("replay\n%+v, want\n%+v", again, done)
	}
}

// The answer may be lost between the commit and the caller: whoever comes again with
// the key gets it.
func TestAKeyAppendsTogetherOnce(t *testing.T) {
	f := open(t, Config{})
	key, as := keyOf("k", "b"), []Append{call(t, "b", "1", "2"), call(t, "a", "3")}
	as[0].Key = keyOf("own", "b") // that of one does not count
	if _, found, err := f.Replay(t.Context(), tenant, *key, []int{2, 1}); err != nil || found {
		t.Errorf("replayed before: %v, %v", found, err)
	}
	first, err := f.together(t, key, as...)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.together(t, key, as...)
	kind(t, "the key again", err, memd.Conflict)
	if !errors.Is(err, ErrKeyUsed) {
		t.Errorf("the key again: %v", err)
	}
	again, found, err := f.Replay(t.Context(), tenant, *key, []int{2, 1})
	if err != nil || !found || len(again) != 2 {
		t.Fatalf("%+v, %v, %v", again, found, err)
	}
	for i := range again {
		again[i].Replayed = false
	}
	if !reflect.DeepEqual(again, first) {
		t.Errorf("replay\n%+v, want\n%+v", again, first)
	}
	_, _, err = f.Replay(t.Context(), tenant, *keyOf("k", "other"), []int{2, 1})
	kind(t, "another body", err, memd.Invalid)
	_, _, err = f.Replay(t.Context(), tenant, *key, []int{2})
	kind(t, "another number", err, memd.Internal)
	_, found, err = f.Replay(t.Context(), "other", *key, []int{2, 1})
	if err != nil || found {
		t.Errorf("another tenant's: %v, %v", found, err)
	}
	f.checkSession(t, "b", 2)
	f.checkSession(t, "a", 1)
	equal(t, "keys", f.rows(t, "idempotency"), 1)

	// What is gone by now is left out, and the rest stays with its own.
	f.do(t, `DELETE FROM conversation_context WHERE id = $1`, first[0].Messages[0].ID)
	again, _, err = f.Replay(t.Context(), tenant, *key, []int{2, 1})
	if err != nil || len(again) != 2 || !slices.Equal(ids(again[0]), ids(first[0])[1:]) || !slices.Equal(ids(again[1]), ids(first[1])) {
		t.Errorf("with one gone: %+v, %v", again, err)
	}
}

func TestAppendsTogetherWaitForAFirstOneAndNoLonger(t *testing.T) {
	f := open(t, Config{LockTimeout: 50 * time.Millisecond})
	key, as := keyOf("k", "b"), []Append{call(t, "b", "1"), call(t, "a", "2")}
	_ = f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
		if _, err := f.AppendIn(t.Context(), tx, tenant, []Append{call(t, "elsewhere", "1")}, key); err != nil {
			t.Fatal(err)
		}
		var own string
		if err := tx.QueryRow(t.Context(), `SHOW lock_timeout`).Scan(&own); err != nil || own != "0" {
			t.Errorf("left a bound of %s on the caller's locks, %v", own, err)
		}
		_, err := f.together(t, key, as...)
		kind(t, "while a first one is at work", err, memd.Conflict)
		if errors.Is(err, ErrKeyUsed) || memd.RetryAfterOf(err) <= 0 {
			t.Errorf("while a first one is at work: %v", err)
		}
		return errors.New("roll back")
	})
	if _, err := f.together(t, key, as...); err != nil {
		t.Error(err)
	}
	_ = f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), lockSession, tenant, user, "b"); err != nil {
			t.Fatal(err)
		}
		_, err := f.together(t, nil, as...)
		kind(t, "while a session is locked", err, memd.Unavailable)
		return nil
	})
	f.checkSession(t, "a", 1)
	f.checkSession(t, "b", 1)
}

// Many that want the same sessions in opposite orders, beside lone ones: none meets
// another for good, and every session stays in order.
func TestAppendsTogetherInOppositeOrder(t *testing.T) {
	f := open(t, Config{LockTimeout: bound})
	const writers, calls = 6, 15
	sessions := []string{"a", "b", "c"}
	var at sync.WaitGroup
	for w := range writers {
		at.Go(func() {
			for c := range calls {
				var as []Append
				for _, s := range sessions {
					as = append(as, call(t, s, "one", "two"))
				}
				as = append(as, call(t, fmt.Sprint("new", c), "one"))
				if w%2 == 1 {
					slices.Reverse(as)
				}
				if w%3 == 2 {
					if _, err := f.Append(t.Context(), tenant, as[0]); err != nil {
						t.Error(err)
					}
					as = as[1:]
				}
				done, err := f.together(t, nil, as...)
				if err != nil {
					t.Error(err)
				}
				f.Announce(tenant, as, done)
			}
		})
	}
	at.Wait()
	for _, s := range sessions {
		f.checkSession(t, s, writers*calls*2)
	}
	for c := range calls {
		f.checkSession(t, fmt.Sprint("new", c), writers)
	}
}

func TestWhatIsAppendedTogetherIsAnnounced(t *testing.T) {
	f := open(t, Config{})
	memdtest.Until(t, "the queue is ready", func() bool { return f.bus.Check(t.Context()) == nil })
	silent := call(t, "c", "no")
	silent.Infer = false
	as := []Append{call(t, "b", "1", "2"), call(t, "a", "3"), silent}
	key := keyOf("k", "b")
	done, err := f.together(t, key, as...)
	if err != nil {
		t.Fatal(err)
	}
	f.Announce(tenant, as, done)
	again, _, err := f.Replay(t.Context(), tenant, *key, []int{2, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	f.Announce(tenant, as, again) // was announced, or is found by the relay
	last := f.append(t, call(t, "d", "4"))
	got := map[int64][]int64{}
	memdtest.Until(t, "three deliveries", func() bool {
		ds, err := f.bus.Fetch(t.Context(), 10, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range ds {
			got[d.SessionNo] = append(got[d.SessionNo], d.MessageIDs...)
			if err := d.Ack(); err != nil {
				t.Fatal(err)
			}
		}
		return len(got) >= 3
	})
	want := map[int64][]int64{done[0].SessionNo: ids(done[0]), done[1].SessionNo: ids(done[1]), last.SessionNo: ids(last)}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("published %v, want %v", got, want)
	}
}
