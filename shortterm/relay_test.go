package shortterm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// quick is a relay that does not keep a test waiting.
var quick = RelayConfig{Every: 10 * time.Millisecond, EmptyFor: 50 * time.Millisecond}

func (f fixture) relay(t *testing.T, cfg RelayConfig) *Relay {
	t.Helper()
	r := f.NewRelay(cfg)
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), bound)
		defer cancel()
		if err := r.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	return r
}

// work settles what is delivered until the test ends, and counts by message.
func (f fixture) work(t *testing.T) (settled func() map[int64]int) {
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	counts := map[int64]int{}
	var at sync.WaitGroup
	at.Go(func() {
		for ctx.Err() == nil {
			ds, _ := f.bus.Fetch(ctx, 8, 100*time.Millisecond) // away: the bus waits a little
			for _, d := range ds {
				for {
					c, err := f.Claim(context.Background(), d.Tenant, d.SessionNo, 50, 0)
					if err != nil {
						t.Error(err)
						break
					}
					if c == nil {
						break
					}
					var outcomes []Outcome
					for _, m := range c.Messages {
						outcomes = append(outcomes, Outcome{MessageID: m.ID, Attempt: m.Attempt, State: StateDone})
					}
					// Counted first: whoever sees them settled sees them counted.
					mu.Lock()
					for _, o := range outcomes {
						counts[o.MessageID]++
					}
					mu.Unlock()
					err = f.pool.InTenant(context.Background(), d.Tenant, func(tx pgx.Tx) error { return f.Settle(context.Background(), tx, d.Tenant, outcomes) })
					if err != nil {
						t.Error(err)
						break
					}
				}
				_ = d.Ack()
			}
		}
	})
	t.Cleanup(func() { cancel(); at.Wait() })
	return func() map[int64]int { mu.Lock(); defer mu.Unlock(); return maps.Clone(counts) }
}

// age makes everything open older than what may be on its way.
func (f fixture) age(t *testing.T) {
	t.Helper()
	f.do(t, `UPDATE ingest_open SET opened_at = opened_at - interval '1 min'`)
}

func (f fixture) drained(t *testing.T) {
	t.Helper()
	memdtest.Until(t, "all has settled", func() bool {
		c, err := f.Counts(t.Context(), tenant, "", "")
		if err != nil {
			t.Fatal(err)
		}
		return c.Open() == 0
	})
}

// The whole store is deleted under hundreds of open messages, twice; what was
// published a moment before is not due for half a minute by itself.
func TestAWipedStoreIsMadeGood(t *testing.T) {
	dir := filepath.Join(memdtest.Dir(t), "nats")
	f := openOn(t, memdtest.NATSAt(t, dir), Config{})
	memdtest.Until(t, "the queue is ready", func() bool { return f.bus.Check(t.Context()) == nil })
	total := 0
	for s := range 30 {
		for range 5 {
			a := call(t, fmt.Sprint("s", s), "1", "2")
			a.Backfill = s%3 == 0
			f.append(t, a)
			total += 2
		}
	}
	f.age(t)
	f.do(t, `UPDATE ingest_open SET publishes = 5, publish_at = now() + interval '5 min'`)
	f.relay(t, quick)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	memdtest.Until(t, "the relay publishes what was lost", func() bool {
		return f.query(t, `SELECT count(*) FROM ingest_open WHERE publishes > 5`) == int64(total)
	})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	settled := f.work(t)
	f.drained(t)
	equal(t, "messages settled", len(settled()), total)
	for id, n := range settled() {
		equal(t, fmt.Sprint("message ", id), n, 1)
	}
}

// What a consumer takes for done and the stream still holds, as after a full disk, would
// count for its tenant's share for ever.
func TestAStreamThatNobodyIsGivenIsMadeAnew(t *testing.T) {
	f := open(t, Config{})
	js, err := jetstream.New(f.conn)
	if err != nil {
		t.Fatal(err)
	}
	created := func() time.Time {
		s, err := js.Stream(t.Context(), f.stream)
		if err != nil {
			return time.Time{}
		}
		return s.CachedInfo().Created
	}
	// Whoever keeps the stream may put the consumer right first: then it is broken again.
	for range 10 {
		memdtest.Until(t, "the queue is ready", func() bool { return f.bus.Check(t.Context()) == nil })
		was := created()
		if err := js.DeleteConsumer(t.Context(), f.stream, "live"); err != nil {
			t.Fatal(err)
		}
		for i := range 2 * f.bus.Share() {
			f.bus.Publish(bus.Work{Tenant: tenant, SessionNo: int64(i), MessageIDs: []int64{int64(i)}}, 0)
		}
		memdtest.Until(t, "the stream is full of it", func() bool {
			s, err := js.Stream(t.Context(), f.stream)
			return err == nil && s.CachedInfo().State.Msgs >= uint64(2*f.bus.Share())
		})
		_, err := js.CreateConsumer(t.Context(), f.stream, jetstream.ConsumerConfig{
			Durable: "live", AckPolicy: jetstream.AckExplicitPolicy, DeliverPolicy: jetstream.DeliverAllPolicy, FilterSubject: strings.ToLower(f.stream) + ".nobody.>",
		})
		if errors.Is(err, jetstream.ErrConsumerExists) || errors.Is(err, jetstream.ErrConsumerNameAlreadyInUse) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		r := f.NewRelay(quick)
		memdtest.Until(t, "it is made anew, or delivered", func() bool {
			_, err := r.look(t.Context())
			s, stateErr := f.bus.State(t.Context())
			return err == nil && stateErr == nil && (!created().Equal(was) || s.Live.Pending > 0)
		})
		if !created().Equal(was) {
			f.append(t, call(t, "s", "hello"))
			f.relay(t, quick)
			f.work(t)
			f.drained(t)
			return
		}
	}
	t.Error("it never was made anew")
}

func TestNATSAwayForLongIsMadeGood(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	conn, err := nats.Connect(fmt.Sprintf("nats://127.0.0.1:%d", port),
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	f := openOn(t, conn, Config{})
	f.relay(t, quick)
	settled := f.work(t)
	for s := range 20 {
		f.append(t, call(t, fmt.Sprint("s", s), "1", "2", "3"))
	}
	f.age(t)
	f.do(t, `UPDATE ingest_open SET publishes = 9, publish_at = now() + interval '5 min'`)
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	f.drained(t)
	equal(t, "messages settled", len(settled()), 60)
}

// What no publication speaks of any more: a try that failed, and a worker that died.
func TestWhatIsDueComesByItself(t *testing.T) {
	f := open(t, Config{})
	memdtest.Until(t, "the queue is ready", func() bool { return f.bus.Check(t.Context()) == nil })
	a := f.append(t, call(t, "s", "1", "2", "3", "4"))
	one := f.claim(t, a.SessionNo, 1, 0)
	if err := f.Fail(t.Context(), tenant, []Failure{{MessageID: ids(a)[0], Attempt: 1, Error: "x: y", After: 15 * time.Minute}}); err != nil {
		t.Fatal(err)
	}
	f.claim(t, a.SessionNo, 1, 0)
	f.claim(t, a.SessionNo, 1, 0)
	f.do(t, `UPDATE ingest_open SET lease_until = now() - interval '1 s', publish_at = now() - interval '1 s' WHERE message_id = $1`, ids(a)[1])
	f.age(t)
	r := f.relay(t, quick)
	settled := f.work(t)
	memdtest.Until(t, "the pending and the expired have settled", func() bool { return len(settled()) == 2 })
	if settled()[ids(a)[1]] != 1 || settled()[ids(a)[3]] != 1 {
		t.Errorf("settled %v", settled())
	}
	f.do(t, `UPDATE ingest_open SET next_attempt_at = now(), publish_at = now() WHERE state = 'failed'`)
	memdtest.Until(t, "the failed has settled", func() bool { return settled()[ids(a)[0]] == 1 })
	equal(t, "what is running", f.ingest(t, ids(a)[2]).State, StateRunning)
	kind(t, "a second start", r.Start(t.Context()), memd.Conflict)
	_ = one
}

// While the stream holds enough nothing is added to it.
func TestTheRelayDoesNotPileUp(t *testing.T) {
	f := open(t, Config{})
	memdtest.Until(t, "the queue is ready", func() bool { return f.bus.Check(t.Context()) == nil })
	for s := range 5 {
		a := call(t, fmt.Sprint("live", s), "1")
		f.append(t, a)
		a = call(t, fmt.Sprint("back", s), "1")
		a.Backfill = s == 0 // one of them: that lane is nearly empty
		f.append(t, a)
	}
	memdtest.Until(t, "all is published", func() bool { n, _ := f.bus.Published(); return n == 10 })
	f.age(t)
	f.do(t, `UPDATE ingest_open SET publish_at = now() - interval '1 s'`)
	cfg := quick
	cfg.Backlog = 5
	f.relay(t, cfg)
	memdtest.Until(t, "the lane with room is filled", func() bool {
		return f.query(t, `SELECT count(*) FROM ingest_open WHERE publishes > 0 AND priority = 1`) == 1
	})
	equal(t, "published again in the full lane", f.query(t, `SELECT count(*) FROM ingest_open WHERE publishes > 0 AND priority = 0`), 0)
	settled := f.work(t)
	f.drained(t)
	equal(t, "messages settled", len(settled()), 10)
}

func TestWorkOfASessionIsPublishedTogether(t *testing.T) {
	f := open(t, Config{})
	memdtest.Until(t, "the queue is ready", func() bool { return f.bus.Check(t.Context()) == nil })
	a := call(t, "s", "1", "2")
	mine := append(f.append(t, a).Messages, f.append(t, a).Messages...)
	other, err := f.Append(t.Context(), "other", a)
	if err != nil {
		t.Fatal(err)
	}
	memdtest.Until(t, "the appends are published", func() bool { n, _ := f.bus.Published(); return n == 3 })
	for got := 0; got < 3; {
		ds, err := f.bus.Fetch(t.Context(), 3, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range ds {
			_ = d.Ack()
			got++
		}
	}
	r := f.NewRelay(quick)
	due := []dueMessage{{"other", other.SessionNo, ids(other)[1], 2}, {tenant, 1, mine[3].ID, 1}, {tenant, 1, mine[0].ID, 3}, {"other", other.SessionNo, ids(other)[0], 1}}
	equal(t, "publications", r.publish(due, false), 2)
	var got []string
	memdtest.Until(t, "both are there", func() bool {
		ds, err := f.bus.Fetch(t.Context(), 3, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range ds {
			got = append(got, fmt.Sprint(d.Tenant, d.SessionNo, d.MessageIDs))
			_ = d.Ack()
		}
		return len(got) == 2
	})
	want := []string{fmt.Sprint(tenant, 1, []int64{mine[0].ID, mine[3].ID}), fmt.Sprint("other", other.SessionNo, ids(other))}
	equal(t, "works", show(got), show(want))
}

func TestTheRelayDropsOldKeys(t *testing.T) {
	f := open(t, Config{})
	f.append(t, keyed(call(t, "s", "1"), "old", "b"))
	f.do(t, `UPDATE idempotency SET created_at = now() - interval '25 hours'`)
	f.append(t, keyed(call(t, "s", "1"), "new", "b"))
	f.relay(t, quick)
	memdtest.Until(t, "the old key is dropped", func() bool { return f.query(t, `SELECT count(*) FROM idempotency`) == 1 })
}

func TestTheRelayMayStartAndStopAtAnyTime(t *testing.T) {
	f := open(t, Config{})
	r := f.NewRelay(quick)
	if err := r.Stop(t.Context()); err != nil {
		t.Errorf("Stop before Start = %v", err)
	}
	for i := range 30 {
		if err := r.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			f.append(t, call(t, "s", "1"))
		}
		var at sync.WaitGroup
		for range 3 {
			at.Go(func() {
				if err := r.Stop(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		at.Wait()
	}
	// The context of Start bounds the start alone.
	ctx, cancel := context.WithCancel(t.Context())
	if err := r.Start(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	settled := f.work(t)
	f.age(t)
	f.do(t, `UPDATE ingest_open SET publish_at = now()`)
	f.drained(t)
	equal(t, "messages settled", len(settled()), 10)
	if err := r.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// A stream that is empty and refuses for a while what is published is made anew; one that refused
// something once is not, nor one that takes some of it.
func TestAStreamThatTakesNothingIsDead(t *testing.T) {
	const empty = 50 * time.Millisecond
	for _, c := range []struct {
		name    string
		pending int
		again   bool // what is published fails again and again
		dead    bool
	}{{"refuses all", 0, true, true}, {"refused once", 0, false, false}, {"takes some", 1, true, false}} {
		t.Run(c.name, func(t *testing.T) {
			r := &Relay{cfg: RelayConfig{EmptyFor: empty}, failedAt: time.Now()}
			dead := false
			for end := time.Now().Add(4 * empty); time.Now().Before(end) && !dead; <-time.After(time.Millisecond) {
				if c.again {
					r.failedAt = time.Now()
				}
				dead = r.isDead(bus.State{Live: bus.Lane{Pending: c.pending}}, c.pending > 0)
			}
			if dead != c.dead {
				t.Errorf("dead: %v", dead)
			}
		})
	}
}
