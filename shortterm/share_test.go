package shortterm

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/postgres"
)

// share sends writes as one group.
func (f fixture) share(t *testing.T, of map[string][]Append) (map[string][]Appended, error) {
	t.Helper()
	var writes []*sharedWrite
	for tenant, calls := range of {
		for _, a := range calls {
			w := newWrite(tenant, a)
			if w.rotates {
				w.limits = f.limits(t.Context(), tenant)
			}
			writes = append(writes, &sharedWrite{write: w})
		}
	}
	answers, err := f.sendShared(t.Context(), writes)
	if err != nil {
		return nil, err
	}
	by := map[string][]Appended{}
	for i, w := range writes {
		by[w.tenant] = append(by[w.tenant], answers[i])
	}
	return by, nil
}

// What shares a transaction is written as it is alone, each under its own tenant.
func TestSharedWritesAreAsThoseAlone(t *testing.T) {
	f := open(t, Config{})
	at := time.Date(2026, 3, 2, 10, 0, 0, 123456789, time.UTC)
	key := func(s string) *idempotency.Key {
		k := idempotency.NewKey("POST", "/", s, []byte(s))
		return &k
	}
	whole := func(user, session string) Append {
		a := call(t, session, "first words of "+user, "an answer", "and more")
		a.UserID, a.AgentID, a.AppID, a.Timezone, a.Metadata, a.Backfill = user, "agent", "app", "Europe/Lisbon", json.RawMessage(`{"k": [1, "ü"]}`), true
		a.Messages[0].Name, a.Messages[1].CreatedAt = "bob", at
		a.Messages = append(a.Messages, message(t, memd.RoleTool, "a result", ""))
		return a
	}
	bare := func(user, session string) Append {
		a := call(t, session, "hello")
		a.UserID = user
		return a
	}
	// Sessions that are there, made by one message each.
	for _, tenant := range []string{"acme", "other"} {
		for _, name := range []string{"alone", "shared"} {
			for _, user := range []string{"u", "v"} {
				a := bare(user, name)
				a.Messages = []memd.Message{message(t, memd.RoleAssistant, "welcome", "")}
				if _, err := f.Append(t.Context(), tenant, a); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	keyed := func(a Append, s string) Append { a.Key = key(s); return a }
	shared, err := f.share(t, map[string][]Append{
		"acme":  {keyed(whole("u", "shared"), "1"), bare("v", "shared"), bare("nobody", "shared")},
		"other": {bare("u", "shared"), keyed(whole("v", "shared"), "1")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(shared["acme"][2].Messages); n != 0 {
		t.Errorf("%d messages came to a session that is not there", n)
	}
	rows := func(tenant, session string) (all []string) {
		b := postgres.TenantBatch(tenant)
		b.Queue(`SELECT concat_ws('|', c.user_id, c.role, c.message, c.created_at = c.received_at, c.position, c.learn, c.agent_id, c.app_id, c.actor_id,
			       c.timezone, c.metadata, o.priority, o.lot, s.messages, s.turns, s.bytes, s.title, s.agent_id, s.last_message_at = c.created_at, s.last_message_id = c.id)
			  FROM conversation_context c JOIN conversation_session s ON s.no = c.session_no LEFT JOIN ingest_open o ON o.message_id = c.id
			 WHERE c.session_id = $1 ORDER BY c.user_id, c.id`, session)
		r := f.pool.SendBatch(t.Context(), b)
		defer r.Close()
		if err := postgres.ReadTenant(r); err != nil {
			t.Fatal(err)
		}
		got, err := r.Query()
		for err == nil && got.Next() {
			var s string
			err = got.Scan(&s)
			all = append(all, s)
		}
		if err != nil || got.Err() != nil {
			t.Fatal(err, got.Err())
		}
		return all
	}
	for tenant, calls := range map[string][]Append{
		"acme":  {keyed(whole("u", "alone"), "2"), bare("v", "alone")},
		"other": {bare("u", "alone"), keyed(whole("v", "alone"), "2")},
	} {
		for i, a := range calls {
			want, err := f.Append(t.Context(), tenant, a)
			if err != nil {
				t.Fatal(err)
			}
			got := shared[tenant][i]
			if len(got.Messages) != len(want.Messages) || got.SessionNo == 0 || got.SessionID != "shared" {
				t.Fatalf("%s %d: %+v, want as %+v", tenant, i, got, want)
			}
			for j, m := range got.Messages {
				if w := want.Messages[j]; m.Role != w.Role || m.State != w.State || m.Duplicate || j > 0 && m.ID <= got.Messages[j-1].ID ||
					!a.Messages[j].CreatedAt.IsZero() && !m.CreatedAt.Equal(w.CreatedAt) {
					t.Errorf("%s %d.%d: %+v, want as %+v", tenant, i, j, m, w)
				}
			}
			if a.Key != nil {
				b := a
				b.SessionID, b.Key = "shared", key("1")
				again, err := f.Append(t.Context(), tenant, b)
				again.Replayed = false
				if err != nil || show(again) != show(got) {
					t.Errorf("again: %+v, %v, want %+v", again, err, got)
				}
			}
		}
		got, want := rows(tenant, "shared"), rows(tenant, "alone")
		if !slices.Equal(got, want) {
			t.Errorf("%s: shared\n%q\nalone\n%q", tenant, got, want)
		}
	}
}

// A session that has reached a limit, leads on or is over takes nothing of what is shared.
func TestSharedWritesLeaveOutWhatDoesNotLandThere(t *testing.T) {
	one := 1
	f := open(t, Config{Limits: Limits{Turns: &one}})
	f.append(t, call(t, "full", "hello"))
	f.append(t, call(t, "on", "hello"))
	f.append(t, call(t, "on", "hello again")) // turns it over
	late := call(t, "full", "hello", "late")
	late.Messages = late.Messages[1:]
	answers, err := f.share(t, map[string][]Append{tenant: {call(t, "full", "more"), call(t, "on", "more")}})
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers[tenant] {
		if len(a.Messages) > 0 {
			t.Errorf("%d: %+v", i, a)
		}
	}
	answers, err = f.share(t, map[string][]Append{tenant: {late}})
	if err != nil || len(answers[tenant][0].Messages) != 1 {
		t.Errorf("an assistant's message: %+v, %v", answers, err)
	}
}

// Writes that wait for locks give their places to others.
func TestSharedWritesDoNotWaitForThoseThatAreHeldUp(t *testing.T) {
	f := open(t, Config{LockTimeout: bound})
	for i := range sharers + 1 {
		f.append(t, call(t, fmt.Sprint("s", i), "hello"))
	}
	var held sync.WaitGroup
	err := f.inTenant(t.Context(), tenant, func(tx pgx.Tx) error {
		for i := range sharers {
			session := fmt.Sprint("s", i)
			if _, err := tx.Exec(t.Context(), lockSession, tenant, user, session); err != nil {
				return err
			}
			held.Go(func() { f.append(t, call(t, session, "held up")) })
		}
		lent := func() bool {
			f.shared.mu.Lock()
			defer f.shared.mu.Unlock()
			return f.shared.free == sharers && len(f.shared.busy) == sharers
		}
		memdtest.Until(t, "the places are lent", lent)
		f.append(t, call(t, fmt.Sprint("s", sharers), "not held up"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	held.Wait()
	for i := range sharers {
		f.checkSession(t, fmt.Sprint("s", i), 2)
	}
	equal(t, "places", f.shared.free, sharers)
}

// Many clients of many sessions and tenants, some of whom give up or try again, and writes
// that cannot be: what was acknowledged is there once, in the order of each session, and what
// failed for one failed for nobody else.
func TestSharedWritesOfMany(t *testing.T) {
	f := open(t, Config{})
	const clients, each = 24, 25
	tenants := []string{"acme", "other"}
	type said struct {
		ids  []int64
		text string
	}
	type place struct{ tenant, user, session string }
	acknowledged := map[place][]said{}
	given := map[string]bool{} // texts whose fate is not known
	var mu sync.Mutex
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(c), 9))
			for n := range each {
				at := place{tenants[c%2], fmt.Sprint("u", c%7), fmt.Sprint("s", c%3)}
				text := fmt.Sprint("client ", c, " says ", n)
				a := call(t, at.session, text, "noted")
				a.UserID = at.user
				bad, gone, twice := false, false, 1
				switch r.IntN(10) {
				case 0: // which Postgres refuses
					a.Metadata, bad = json.RawMessage(`{"a": "\u0000"}`), true
				case 1:
					gone = true
				case 2:
					k := idempotency.NewKey("POST", "/", text, []byte(text))
					a.Key, twice = &k, 2
				}
				for i := range twice {
					ctx, cancel := context.WithCancel(t.Context())
					if gone {
						time.AfterFunc(time.Duration(r.IntN(2000))*time.Microsecond, cancel)
					}
					got, err := f.Append(ctx, at.tenant, a)
					cancel()
					switch {
					case bad:
						if memd.KindOf(err) != memd.Invalid {
							t.Errorf("a write that cannot be: %+v, %v", got, err)
						}
					case err != nil && gone:
						mu.Lock()
						given[text] = true
						mu.Unlock()
					case err != nil:
						t.Error(err)
					case i > 0:
						if !got.Replayed {
							t.Error("a key was used twice")
						}
					default:
						mu.Lock()
						acknowledged[at] = append(acknowledged[at], said{ids(got), text})
						mu.Unlock()
					}
				}
			}
		})
	}
	wg.Wait()
	for at, all := range acknowledged {
		_, entries, _, err := f.Messages(t.Context(), at.tenant, Page{UserID: at.user, SessionID: at.session})
		if err != nil {
			t.Fatal(err)
		}
		ofID := map[int64]memd.Message{}
		texts := map[string]int{}
		for i, e := range entries {
			if e.Position != i || i > 0 && e.ID <= entries[i-1].ID {
				t.Errorf("%v: message %d at position %d", at, e.ID, e.Position)
			}
			ofID[e.ID] = e.Message
			texts[e.Text]++
		}
		for _, s := range all {
			if len(s.ids) != 2 || ofID[s.ids[0]].Text != s.text || ofID[s.ids[1]].Text != "noted" || ofID[s.ids[0]].Position+1 != ofID[s.ids[1]].Position || texts[s.text] != 1 {
				t.Errorf("%v: %+v is there %d times, as %q", at, s, texts[s.text], ofID[s.ids[0]].Text)
			}
			delete(texts, s.text)
		}
		delete(texts, "noted")
		for text := range texts {
			if !given[text] {
				t.Errorf("%v: %q was never acknowledged", at, text)
			}
		}
		last := map[string]int64{} // a client's messages are in the order they were acknowledged in
		for _, s := range all {
			var c, n int
			_, _ = fmt.Sscanf(s.text, "client %d says %d", &c, &n)
			who := fmt.Sprint(c)
			if s.ids[0] <= last[who] {
				t.Errorf("%v: %q came before what was said before it", at, s.text)
			}
			last[who] = s.ids[0]
		}
	}
	transactions, writes := f.query(t, `SELECT count(DISTINCT xmin::text) FROM conversation_context`), f.query(t, `SELECT count(*) / 2 FROM conversation_context`)
	t.Logf("%d writes in %d transactions", writes, transactions)
	if transactions == writes {
		t.Error("nothing was shared")
	}
	f.shared.mu.Lock()
	defer f.shared.mu.Unlock()
	if f.shared.free != sharers || len(f.shared.busy) > 0 || len(f.shared.waiting) > 0 {
		t.Errorf("left behind: %d free, %v busy, %d waiting", f.shared.free, f.shared.busy, len(f.shared.waiting))
	}
}

// A session may be erased before a write has its lock, and another of its name made before
// its words are written: nothing is written to that one, which is not held.
func TestNothingIsWrittenToASessionThatIsNotHeld(t *testing.T) {
	f := open(t, Config{})
	elsewhere := New(f.pool, f.bus, Config{})
	key := idempotency.NewKey("POST", "/", "k", []byte("k"))
	for name, queue := range map[string]func(b *pgx.Batch, w write, neighbour write, answers []Appended){
		"alone": func(b *pgx.Batch, w, _ write, answers []Appended) {
			b.Queue(makeSession, w.tenant, w.user, w.session, w.kind, w.agent)
			w.queue(b, &answers[0])
		},
		"alone, and known": func(b *pgx.Batch, w, _ write, answers []Appended) { w.queue(b, &answers[0]) },
		"alone, by client ids": func(b *pgx.Batch, w, _ write, answers []Appended) {
			name := "one"
			w.named, w.clients[0] = true, &name
			w.queue(b, &answers[0])
		},
		"shared": func(b *pgx.Batch, w, neighbour write, answers []Appended) {
			queueShared(b, tenant, []*sharedWrite{{write: w}, {write: neighbour}}, []int{0, 1}, answers)
		},
		"shared, and keyed": func(b *pgx.Batch, w, neighbour write, answers []Appended) {
			w.key = &key
			queueShared(b, tenant, []*sharedWrite{{write: w}, {write: neighbour}}, []int{0, 1}, answers)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f.append(t, call(t, "s", "before"))
			other := call(t, "s", "hello")
			other.UserID = "bob"
			f.append(t, other)

			b, answers := &pgx.Batch{}, make([]Appended, 2)
			queue(b, newWrite(tenant, call(t, "s", "mine")), newWrite(tenant, other), answers)
			err := f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
				for _, q := range b.QueuedQueries {
					isLock := q.SQL == lockSession || q.SQL == lockShared
					if isLock {
						f.erase(t, user)
					}
					if err := tx.SendBatch(t.Context(), &pgx.Batch{QueuedQueries: []*pgx.QueuedQuery{q}}).Close(); err != nil {
						return err
					}
					if isLock {
						if _, err := elsewhere.Append(t.Context(), tenant, call(t, "s", "another's")); err != nil {
							return err
						}
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "messages told of", len(answers[0].Messages), 0)
			f.checkSession(t, "s", 1)
			equal(t, "keys kept", f.query(t, `SELECT count(*) FROM idempotency`), 0)
			if strings.HasPrefix(name, "shared") {
				equal(t, "a neighbour's messages", len(answers[1].Messages), 1)
			}
			// A log that takes the session for known makes it anew.
			f.erase(t, user)
			f.append(t, call(t, "s", "mine"))
			f.checkSession(t, "s", 1)
			f.erase(t, user)
		})
	}
}

// erase takes a person from the log.
func (f fixture) erase(t *testing.T, user string) {
	t.Helper()
	err := f.inTenant(t.Context(), tenant, func(tx pgx.Tx) error {
		h, err := f.HoldPerson(t.Context(), tx, tenant, user)
		if err != nil {
			return err
		}
		_, err = f.ErasePerson(t.Context(), tx, h)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
