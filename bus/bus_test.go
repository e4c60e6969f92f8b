package bus

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// bound is how long anything may take before a test gives up on it.
const bound = 30 * time.Second

func open(t *testing.T, conn *nats.Conn, cfg Config) *Bus {
	t.Helper()
	if cfg.Stream == "" {
		cfg.Stream = "TEST_" + nats.NewInbox()[7:]
	}
	b, err := Open(conn, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), bound)
		defer cancel()
		if conn.IsConnected() {
			_ = b.js.DeleteStream(ctx, cfg.Stream)
		}
		if err := b.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return b
}

func ready(t *testing.T, b *Bus) {
	t.Helper()
	memdtest.Until(t, "the bus is ready", func() bool { return b.Check(t.Context()) == nil })
}

func work(tenant string, session int64, ids ...int64) Work {
	return Work{Tenant: tenant, SessionNo: session, MessageIDs: ids}
}

// fetchAll acks and gives the first ids of n deliveries, in the order they came.
func fetchAll(t *testing.T, b *Bus, n int) []int64 {
	t.Helper()
	var firsts []int64
	memdtest.Until(t, fmt.Sprintf("%d deliveries", n), func() bool {
		got, err := b.Fetch(t.Context(), 10, 200*time.Millisecond)
		if err != nil {
			t.Logf("fetch: %v", err)
		}
		for _, d := range got {
			firsts = append(firsts, d.MessageIDs[0])
			if err := d.Ack(); err != nil {
				t.Error(err)
			}
		}
		return len(firsts) >= n
	})
	return firsts
}

func idle(t *testing.T, b *Bus) {
	t.Helper()
	memdtest.Until(t, "the stream is empty", func() bool {
		pending, unacked, err := b.Backlog(t.Context())
		return err == nil && pending+unacked == 0
	})
}

func TestLiveComesBeforeBackfillAndOnceAcked(t *testing.T) {
	b := open(t, memdtest.NATS(t), Config{})
	ready(t, b)
	for i := range int64(3) {
		w := work("acme: ä.*>", 1, 100+i)
		w.Backfill = true
		b.Publish(w, 0)
	}
	for i := range int64(3) {
		b.Publish(work("acme: ä.*>", 1, 1+i), 0)
	}
	memdtest.Until(t, "all is published", func() bool { n, _ := b.Published(); return n == 6 })
	got, err := b.Fetch(t.Context(), 4, 0)
	if err != nil || len(got) != 4 {
		t.Fatalf("Fetch = %d, %v, want as many as asked for", len(got), err)
	}
	for i, want := range []int64{1, 2, 3, 100} {
		d := got[i]
		if d.MessageIDs[0] != want || d.Tenant != "acme: ä.*>" || d.SessionNo != 1 || d.Backfill != (want >= 100) || d.Deliveries != 1 {
			t.Errorf("delivery %d is %+v, want message %d", i, d.Work, want)
		}
		if err := d.Ack(); err != nil {
			t.Error(err)
		}
	}
	memdtest.Until(t, "acks arrive", func() bool {
		pending, unacked, err := b.Backlog(t.Context())
		return err == nil && pending == 2 && unacked == 0
	})
}

func TestAPublicationThatComesTwiceIsOne(t *testing.T) {
	b := open(t, memdtest.NATS(t), Config{})
	ready(t, b)
	b.Publish(work("a", 1, 1, 2), 0)
	b.Publish(work("a", 1, 1, 2), 0)
	b.Publish(work("a", 1, 1, 2), 1)
	memdtest.Until(t, "all is answered", func() bool { n, _ := b.Published(); return n == 3 })
	if pending, _, err := b.Backlog(t.Context()); err != nil || pending != 2 {
		t.Errorf("Backlog = %d, %v, want 2", pending, err)
	}
}

func TestNakComesAgainAndInProgressHolds(t *testing.T) {
	b := open(t, memdtest.NATS(t), Config{AckWait: time.Second})
	ready(t, b)
	b.Publish(work("a", 1, 1), 0)
	var d *Delivery
	next := func(what string, deliveries int) {
		memdtest.Until(t, what, func() bool {
			got, err := b.Fetch(t.Context(), 1, time.Second)
			if err != nil || len(got) == 0 {
				return false
			}
			d = got[0]
			return true
		})
		if d.Deliveries != deliveries {
			t.Errorf("%s: delivery %d, want %d", what, d.Deliveries, deliveries)
		}
	}
	next("the first delivery", 1)
	if err := d.Nak(time.Millisecond); err != nil {
		t.Fatal(err)
	}
	next("the one after nak", 2)
	if err := d.InProgress(); err != nil {
		t.Fatal(err)
	}
	next("the one after the ack wait", 3) // nobody acked
	if err := d.Ack(); err != nil {
		t.Fatal(err)
	}
	idle(t, b)
}

func TestFetchWakesForWorkThatComesLater(t *testing.T) {
	b := open(t, memdtest.NATS(t), Config{})
	ready(t, b)
	type result struct {
		got []*Delivery
		err error
	}
	for i, backfilled := range []bool{false, true} {
		done := make(chan result)
		go func() {
			got, err := b.Fetch(t.Context(), 5, bound)
			done <- result{got, err}
		}()
		w := work("a", 1, 1)
		w.Backfill = backfilled
		b.Publish(w, i)
		r := <-done
		if r.err != nil || len(r.got) != 1 || r.got[0].Backfill != backfilled {
			t.Fatalf("Fetch = %v, %v", r.got, r.err)
		}
		if err := r.got[0].Ack(); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Fetch(ctx, 1, bound); memd.KindOf(err) != memd.Unavailable {
		t.Errorf("Fetch with a cancelled context = %v, want Unavailable", err)
	}
}

// What reads nothing for ever must not stay in the stream.
func TestWorkThatCannotBeReadIsDropped(t *testing.T) {
	conn := memdtest.NATS(t)
	b := open(t, conn, Config{})
	ready(t, b)
	if _, err := b.js.Publish(t.Context(), b.prefix+".live.x.1", []byte("{")); err != nil {
		t.Fatal(err)
	}
	b.Publish(work("a", 1, 7), 0)
	if got := fetchAll(t, b, 1); len(got) != 1 || got[0] != 7 {
		t.Errorf("fetched %v, want 7 alone", got)
	}
	idle(t, b)
}

func TestAStreamOrConsumerThatIsDeletedComesBack(t *testing.T) {
	b := open(t, memdtest.NATS(t), Config{})
	ready(t, b)
	before, err := b.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, remove := range []func() error{
		func() error { return b.js.DeleteStream(t.Context(), b.cfg.Stream) },
		func() error { return b.js.DeleteConsumer(t.Context(), b.cfg.Stream, live) },
	} {
		if err := remove(); err != nil {
			t.Fatal(err)
		}
		memdtest.Until(t, "work passes again", func() bool {
			b.Publish(work("a", 1, 1), i)
			got, err := b.Fetch(t.Context(), 10, 100*time.Millisecond)
			for _, d := range got {
				_ = d.Ack()
			}
			return err == nil && len(got) > 0
		})
		after, err := b.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if after.Made == before.Made {
			t.Error("Made does not tell the old from the new")
		}
		before = after
	}
}

func TestConfigurationIsBroughtUpToDate(t *testing.T) {
	conn := memdtest.NATS(t)
	cfg := Config{Stream: "TEST_" + nats.NewInbox()[7:]}
	first, err := Open(conn, cfg)
	if err != nil {
		t.Fatal(err)
	}
	ready(t, first)
	first.Publish(work("a", 1, 5), 0)
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Somebody's hand has been in it: an ack policy cannot be changed back in place.
	js := first.js
	if err := js.DeleteConsumer(t.Context(), cfg.Stream, backfill); err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateConsumer(t.Context(), cfg.Stream, jetstream.ConsumerConfig{
		Durable: backfill, AckPolicy: jetstream.AckExplicitPolicy, FilterSubject: first.prefix + ".backfill.only.>", MaxDeliver: 3,
	}); err != nil {
		t.Fatal(err)
	}

	cfg.AckWait, cfg.MaxAckPending, cfg.MaxBytes = 123*time.Second, 17, 1<<20
	second := open(t, conn, cfg)
	memdtest.Until(t, "the new configuration is in force", func() bool {
		s, err := js.Stream(t.Context(), cfg.Stream)
		if err != nil || s.CachedInfo().Config.MaxBytes != 1<<20 {
			return false
		}
		for _, lane := range []string{live, backfill} {
			c, err := js.Consumer(t.Context(), cfg.Stream, lane)
			if err != nil || consumerDiffers(c.CachedInfo().Config, second.consumerConfig(lane)) {
				return false
			}
		}
		return true
	})
	if got := fetchAll(t, second, 1); got[0] != 5 {
		t.Errorf("fetched %v: what was in the stream is lost", got)
	}
}

// A full stream refuses the new and keeps the old.
func TestAFullStreamLosesNothingOld(t *testing.T) {
	b := open(t, memdtest.NATS(t), Config{MaxBytes: 4096})
	ready(t, b)
	for i := range int64(100) {
		b.Publish(work("a", 1, i+1), 0)
	}
	memdtest.Until(t, "all is answered", func() bool { n, lost := b.Published(); return n+lost == 100 })
	if n, lost := b.Published(); n == 0 || lost == 0 {
		t.Fatalf("published %d, lost %d: the stream did not fill", n, lost)
	}
	n, _ := b.Published()
	for i, id := range fetchAll(t, b, int(n)) {
		if id != int64(i+1) {
			t.Fatalf("delivery %d is message %d", i, id)
		}
	}
}

// natsServer is a server in this process that listens, and can be stopped and started
// again on the same port.
type natsServer struct {
	dir string
	*server.Server
}

func startServer(t *testing.T, dir string, port int) *natsServer {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(bound) {
		t.Fatal("the server does not start")
	}
	return &natsServer{dir, s}
}

func (s *natsServer) halt() { s.Shutdown(); s.WaitForShutdown() }

func TestAnExternalServerMayComeAndGo(t *testing.T) {
	s := startServer(t, t.TempDir(), -1)
	port := s.Addr().String()[len("127.0.0.1:"):]
	conn, err := nats.Connect(s.ClientURL(), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond), nats.RetryOnFailedConnect(true))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeAndWait(conn) })
	b := open(t, conn, Config{Stream: "MEMD"})
	ready(t, b)
	b.Publish(work("a", 1, 1), 0)
	memdtest.Until(t, "it is published", func() bool { n, _ := b.Published(); return n == 1 })

	s.halt()
	memdtest.Until(t, "the outage is known", func() bool { return b.Check(t.Context()) != nil })
	if memd.KindOf(b.Check(t.Context())) != memd.Unavailable {
		t.Errorf("Check = %v", b.Check(t.Context()))
	}
	if _, err := b.Fetch(t.Context(), 1, time.Millisecond); memd.KindOf(err) != memd.Unavailable {
		t.Errorf("Fetch = %v, want Unavailable", err)
	}
	b.Publish(work("a", 1, 2), 0)
	memdtest.Until(t, "the loss is counted", func() bool { _, lost := b.Published(); return lost == 1 })

	// Back with its store, then back without.
	p := 0
	fmt.Sscan(port, &p)
	s = startServer(t, s.dir, p)
	if got := fetchAll(t, b, 1); got[0] != 1 {
		t.Errorf("fetched %v, want what was in the store", got)
	}
	s.halt()
	s = startServer(t, t.TempDir(), p)
	defer s.halt()
	ready(t, b)
	b.Publish(work("a", 1, 3), 0)
	if got := fetchAll(t, b, 1); got[0] != 3 {
		t.Errorf("fetched %v, want 3", got)
	}
}

func TestTheStoreDeletedUnderARunningServer(t *testing.T) {
	dir := filepath.Join(memdtest.Dir(t), "nats")
	b := open(t, memdtest.NATSAt(t, dir), Config{Stream: "MEMD"})
	ready(t, b)
	before, err := b.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	memdtest.Until(t, "a stream was made anew", func() bool {
		s, err := b.State(t.Context())
		return err == nil && s.Made != before.Made
	})
	b.Publish(work("a", 1, 3), 0)
	if got := fetchAll(t, b, 1); got[0] != 3 {
		t.Errorf("fetched %v, want 3", got)
	}
}

func TestOpenNeverWaits(t *testing.T) {
	// Nobody listens on a port that was just given back.
	s := startServer(t, t.TempDir(), -1)
	url := s.ClientURL()
	s.halt()
	conn, err := nats.Connect(url, nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeAndWait(conn) })
	b := open(t, conn, Config{})
	for i := range int64(2 * queueLength) {
		b.Publish(work("a", 1, i), 0)
	}
	memdtest.Until(t, "all is counted as lost", func() bool { _, lost := b.Published(); return lost == 2*queueLength })
}

func TestAClosedConnectionHangsNobody(t *testing.T) {
	conn := memdtest.NATSAt(t, filepath.Join(memdtest.Dir(t), "nats"))
	b := open(t, conn, Config{})
	ready(t, b)
	done := make(chan error)
	go func() {
		for {
			if _, err := b.Fetch(t.Context(), 1, 100*time.Millisecond); err != nil {
				done <- err
				return
			}
		}
	}()
	closeAndWait(conn)
	if err := <-done; memd.KindOf(err) != memd.Unavailable {
		t.Errorf("Fetch = %v, want Unavailable", err)
	}
	b.Publish(work("a", 1, 1), 0)
	memdtest.Until(t, "the loss is counted", func() bool { _, lost := b.Published(); return lost == 1 })
}

func TestCloseSendsWhatIsQueued(t *testing.T) {
	conn := memdtest.NATS(t)
	cfg := Config{Stream: "TEST_" + nats.NewInbox()[7:]}
	first, err := Open(conn, cfg)
	if err != nil {
		t.Fatal(err)
	}
	ready(t, first)
	const n = 1000
	for i := range int64(n) {
		first.Publish(work("a", 1, i+1), 0)
	}
	var closers sync.WaitGroup
	for range 3 {
		closers.Go(func() {
			if err := first.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	closers.Wait()
	first.Publish(work("a", 1, n+1), 0)
	if published, lost := first.Published(); published != n || lost != 1 {
		t.Errorf("published %d, lost %d; want %d, 1", published, lost, n)
	}
	second := open(t, conn, cfg)
	ready(t, second)
	if pending, _, err := second.Backlog(t.Context()); err != nil || pending != n {
		t.Errorf("Backlog = %d, %v", pending, err)
	}
}

func closeAndWait(c *nats.Conn) {
	if c.IsClosed() {
		return
	}
	closed := c.StatusChanged(nats.CLOSED)
	c.Close()
	<-closed
}

func BenchmarkPublish(b *testing.B) {
	bus, err := Open(memdtest.NATS(b), Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer bus.Close(context.Background())
	for b.Loop() {
		bus.Publish(work("a", 1, 1), 0)
	}
}
