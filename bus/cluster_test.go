package bus

import (
	"fmt"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/memdhq/memd/internal/memdtest"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// startCluster starts three servers in this process and connects to them.
func startCluster(t *testing.T) (conn *nats.Conn, servers []*server.Server) {
	t.Helper()
	var ports []int
	var routes []*url.URL
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
		routes = append(routes, &url.URL{Scheme: "nats", Host: l.Addr().String()})
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	urls := ""
	for i, port := range ports {
		s, err := server.NewServer(&server.Options{
			ServerName: fmt.Sprintf("s%d", i), Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
			Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: port}, Routes: routes,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		s.Start()
		servers = append(servers, s)
		if !s.ReadyForConnections(bound) {
			t.Fatal("a server does not start")
		}
		urls += s.ClientURL() + ","
	}
	conn, err := nats.Connect(urls[:len(urls)-1], nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeAndWait(conn) })
	return conn, servers
}

func TestCopiesOfTheStreamAreAddedAndNeverTakenAway(t *testing.T) {
	t.Parallel()
	conn, _ := startCluster(t)
	name := "TEST_" + nats.NewInbox()[7:]
	first := open(t, conn, Config{Stream: name})
	ready(t, first)
	first.Publish(work("a", 1, 5), 0)
	copies := func(b *Bus) (n int) {
		s, err := b.js.Stream(t.Context(), name)
		if err != nil {
			return 0
		}
		for _, lane := range []string{live, backfill} {
			c, err := s.Consumer(t.Context(), lane)
			if err != nil || c.CachedInfo().Cluster == nil || len(c.CachedInfo().Cluster.Replicas)+1 != s.CachedInfo().Config.Replicas {
				return 0 // the consumers follow
			}
		}
		return s.CachedInfo().Config.Replicas
	}
	if n := copies(first); n != 1 {
		t.Fatalf("a stream has %d copies, want what was asked for", n)
	}
	second := open(t, conn, Config{Stream: name, Replicas: 3})
	memdtest.Until(t, "there are three copies", func() bool { return copies(second) == 3 })

	// One that was told of fewer, and changes something else.
	third := open(t, conn, Config{Stream: name, Replicas: 1, MaxBytes: 1 << 20})
	memdtest.Until(t, "the stream is as the third wants it", func() bool {
		s, err := third.js.Stream(t.Context(), name)
		return err == nil && s.CachedInfo().Config.MaxBytes == 1<<20
	})
	if n := copies(third); n != 3 {
		t.Errorf("after a replica that asks for one there are %d copies, want 3", n)
	}
	if got := fetchAll(t, third, 1); got[0] != 5 {
		t.Errorf("fetched %v: what was in the stream is lost", got)
	}
}

func TestAServerOfTheClusterMayGo(t *testing.T) {
	t.Parallel()
	conn, servers := startCluster(t)
	b := open(t, conn, Config{Replicas: 3})
	ready(t, b)
	b.Publish(work("a", 1, 1), 0)
	memdtest.Until(t, "it is published", func() bool { n, _ := b.Published(); return n == 1 })
	s, err := b.js.Stream(t.Context(), b.cfg.Stream)
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range servers {
		if server.Name() == s.CachedInfo().Cluster.Leader {
			server.Shutdown()
			server.WaitForShutdown()
		}
	}
	if got := fetchAll(t, b, 1); got[0] != 1 {
		t.Errorf("fetched %v, want what the others hold", got)
	}
	memdtest.Until(t, "work passes", func() bool {
		b.Publish(work("a", 1, 2), 1)
		got, err := b.Fetch(t.Context(), 1, 100*time.Millisecond)
		for _, d := range got {
			_ = d.Ack()
		}
		return err == nil && len(got) > 0
	})
	idle(t, b)
}
