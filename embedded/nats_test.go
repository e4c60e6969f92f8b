package embedded_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embedded"
	"github.com/memdhq/memd/internal/memdtest"
)

func startNATS(t *testing.T, store string) *embedded.NATS {
	t.Helper()
	n, err := embedded.StartNATS(embedded.NATSConfig{StoreDir: store, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Stop)
	return n
}

func natsConn(t *testing.T, n *embedded.NATS, opts ...nats.Option) *nats.Conn {
	t.Helper()
	c, err := n.Conn(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// An address that is taken is told, and the store is left as it is.
func TestNATSWhereItCannotListen(t *testing.T) {
	store := filepath.Join(memdtest.Dir(t), "nats")
	first := startNATS(t, store)
	publish(t.Context(), t, natsConn(t, first))
	first.Stop()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = embedded.StartNATS(embedded.NATSConfig{StoreDir: store, Listen: l.Addr().String(), Log: zerolog.Nop()})
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "listen" {
		t.Fatalf("started on a taken address: %v", err)
	}
	if _, err := os.Stat(store + ".damaged"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the store was put aside: %v", err)
	}
	if n := publish(t.Context(), t, natsConn(t, startNATS(t, store))); n != 2 {
		t.Errorf("%d messages in the stream, want 2", n)
	}
}

// publish makes the stream if there is none, publishes to it and gives the
// number of messages in it.
func publish(ctx context.Context, t *testing.T, c *nats.Conn) uint64 {
	t.Helper()
	js, err := jetstream.New(c)
	if err != nil {
		t.Fatal(err)
	}
	s, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "S", Subjects: []string{"s.>"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(ctx, "s.x", []byte("1")); err != nil {
		t.Fatal(err)
	}
	info, err := s.Info(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return info.State.Msgs
}

func TestNATSKeepsStreams(t *testing.T) {
	store := filepath.Join(memdtest.Dir(t), "nats")
	for want := uint64(1); want <= 3; want++ {
		n := startNATS(t, store)
		c := natsConn(t, n)
		if have := publish(t.Context(), t, c); have != want {
			t.Fatalf("start %d: %d messages", want, have)
		}
		if n.URL() != "" {
			t.Fatalf("listens on %s unasked", n.URL())
		}
		c.Close()
		n.Stop()
		n.Stop()
	}
}

func TestNATSSurvivesADamagedStore(t *testing.T) {
	streams := func(store string) string { return filepath.Join(store, "jetstream", "$G", "streams") }
	write := func(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }
	damage := map[string]func(store string) error{
		"gone":          os.RemoveAll,
		"a file":        func(s string) error { return errors.Join(os.RemoveAll(s), write(s, "x")) },
		"no folder":     func(s string) error { return errors.Join(os.RemoveAll(s+"/jetstream"), write(s+"/jetstream", "x")) },
		"meta":          func(s string) error { return write(filepath.Join(streams(s), "S", "meta.inf"), "{") },
		"no meta":       func(s string) error { return os.Remove(filepath.Join(streams(s), "S", "meta.inf")) },
		"no sum":        func(s string) error { return os.Remove(filepath.Join(streams(s), "S", "meta.sum")) },
		"stray stream":  func(s string) error { return os.Mkdir(filepath.Join(streams(s), "X"), 0o700) },
		"died starting": func(s string) error { return write(filepath.Join(filepath.Dir(s), ".nats.starting"), "") },
		"blocks": func(s string) error {
			blocks, err := filepath.Glob(filepath.Join(streams(s), "S", "msgs", "*"))
			for _, b := range blocks {
				err = errors.Join(err, write(b, "rubbish"))
			}
			return err
		},
	}
	for name, harm := range damage {
		t.Run(name, func(t *testing.T) {
			store := filepath.Join(memdtest.Dir(t), "nats")
			n := startNATS(t, store)
			c := natsConn(t, n)
			publish(t.Context(), t, c)
			c.Close()
			n.Stop()
			if err := harm(store); err != nil {
				t.Fatal(err)
			}
			c = natsConn(t, startNATS(t, store))
			if have := publish(t.Context(), t, c); have != 1 {
				t.Fatalf("%d messages in a store begun anew", have)
			}
		})
	}
}

func TestNATSReplacesAServerThatLostItsStore(t *testing.T) {
	for name, lose := range map[string]func(store string) error{
		"all":    os.RemoveAll,
		"stream": func(s string) error { return os.RemoveAll(filepath.Join(s, "jetstream", "$G", "streams", "S")) },
	} {
		t.Run(name, func(t *testing.T) {
			store := filepath.Join(memdtest.Dir(t), "nats")
			reconnected := make(chan struct{}, 1)
			c := natsConn(t, startNATS(t, store), nats.ReconnectHandler(func(*nats.Conn) { reconnected <- struct{}{} }))
			publish(t.Context(), t, c)
			if err := lose(store); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			select {
			case <-reconnected:
			case <-ctx.Done():
				t.Fatal("the connection did not move to a new server")
			}
			if have := publish(ctx, t, c); have != 1 {
				t.Fatalf("%d messages in a store begun anew", have)
			}
		})
	}
}

func TestNATSDeletedStreamIsNoLoss(t *testing.T) {
	store := filepath.Join(memdtest.Dir(t), "nats")
	lost := make(chan struct{}, 1)
	n := startNATS(t, store)
	c := natsConn(t, n, nats.DisconnectErrHandler(func(*nats.Conn, error) { lost <- struct{}{} }))
	js, err := jetstream.New(c)
	if err != nil {
		t.Fatal(err)
	}
	publish(t.Context(), t, c)
	if err := js.DeleteStream(t.Context(), "S"); err != nil {
		t.Fatal(err)
	}
	if have := publish(t.Context(), t, c); have != 1 {
		t.Fatalf("%d messages", have)
	}
	if embedded.LostStore(n) != "" {
		t.Fatal("a deleted stream was taken for a loss")
	}
	select {
	case <-lost:
		t.Fatal("the server was replaced")
	default:
	}
}

func TestNATSListensWhenAsked(t *testing.T) {
	n, err := embedded.StartNATS(embedded.NATSConfig{
		StoreDir: filepath.Join(memdtest.Dir(t), "nats"), Listen: "127.0.0.1:0", Log: zerolog.Nop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Stop)
	c, err := nats.Connect(n.URL())
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

func TestNATSTwoOnOneStore(t *testing.T) {
	store := filepath.Join(memdtest.Dir(t), "nats")
	startNATS(t, store)
	_, err := embedded.StartNATS(embedded.NATSConfig{StoreDir: store, Log: zerolog.Nop()})
	if memd.KindOf(err) != memd.Conflict {
		t.Fatalf("a second server on the store: %v", err)
	}
}
