package memdtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/rs/zerolog"

	"github.com/memdhq/memd/embedded"
)

// NATS gives a connection to a server with JetStream, closed after the test: the
// test's own, unless MEMD_TEST_NATS_URL names one; on that the caller's streams
// need names of their own.
func NATS(t testing.TB) *nats.Conn {
	t.Helper()
	if url := os.Getenv("MEMD_TEST_NATS_URL"); url != "" {
		c, err := nats.Connect(url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closeConn(c) })
		return c
	}
	return NATSAt(t, filepath.Join(Dir(t), "nats"))
}

// NATSAt is NATS with a server of the test's own whose store is dir.
func NATSAt(t testing.TB, dir string) *nats.Conn {
	t.Helper()
	n, err := embedded.StartNATS(embedded.NATSConfig{StoreDir: dir, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Stop)
	c, err := n.Conn()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeConn(c) })
	return c
}

// closeConn closes the connection and waits until its goroutines know.
func closeConn(c *nats.Conn) {
	if c.IsClosed() { // by the test
		return
	}
	closed := c.StatusChanged(nats.CLOSED)
	c.Close()
	<-closed
}
