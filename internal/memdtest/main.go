// Package memdtest gives tests the real things: a Postgres with pgvector, a
// JetStream, the model. Only tests import it. A package that uses it has
//
//	func TestMain(m *testing.M) { memdtest.Main(m) }
//
// MEMD_TEST_DB_URL (a superuser's connection string) and MEMD_TEST_NATS_URL put
// servers that run already in the place of embedded ones.
package memdtest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

var running struct {
	mu   sync.Mutex
	main bool
	// stops are the steps that end what tests share, run last first.
	stops []func(context.Context) error
}

// Main runs the tests, stops what they shared, fails if a goroutine is left, and
// exits.
func Main(m *testing.M, ignore ...goleak.Option) {
	os.Exit(Run(m, ignore...))
}

// Run is Main for a TestMain that has something of its own to clear away: it gives
// the exit status instead of exiting.
func Run(m *testing.M, ignore ...goleak.Option) int {
	running.mu.Lock()
	running.main = true
	running.mu.Unlock()

	code := m.Run()

	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	running.mu.Lock()
	stops := running.stops
	running.mu.Unlock()
	for i := len(stops) - 1; i >= 0; i-- {
		if err := stops[i](ctx); err != nil {
			fmt.Fprintln(os.Stderr, "memdtest:", err)
			code = max(code, 1)
		}
	}
	if code == 0 {
		if err := goleak.Find(ignore...); err != nil {
			fmt.Fprintln(os.Stderr, "memdtest: goroutines are left:", err)
			code = 1
		}
	}
	return code
}

// atEnd has Main call stop when the tests are over.
func atEnd(t testing.TB, stop func(context.Context) error) {
	running.mu.Lock()
	defer running.mu.Unlock()
	if !running.main {
		t.Helper()
		t.Fatal("this package's TestMain must call memdtest.Main")
	}
	running.stops = append(running.stops, stop)
}
