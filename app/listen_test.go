package app

import (
	"context"
	"net"
	"net/http"
	"testing"
)

// One connection too many ends that which has asked nothing for longest, never one on
// which something is at work.
func TestOneConnectionTooManyEndsAnIdleOne(t *testing.T) {
	c := newConnections(3)
	conn := func() net.Conn {
		ours, theirs := net.Pipe()
		t.Cleanup(func() { ours.Close(); theirs.Close() })
		return ours
	}
	follow := func(conn net.Conn, state http.ConnState, want net.Conn) {
		t.Helper()
		if got := c.follow(conn, state); got != want {
			t.Fatalf("closes %v, want %v", got, want)
		}
	}
	work := func(conn net.Conn) { c.working(c.with(context.Background(), conn)) }
	first, second, third, fourth, fifth, sixth := conn(), conn(), conn(), conn(), conn(), conn()
	for _, conn := range []net.Conn{first, second, third} {
		follow(conn, http.StateNew, nil)
		follow(conn, http.StateActive, nil)
	}
	work(first)
	work(third)
	follow(third, http.StateIdle, nil)
	follow(fourth, http.StateNew, second) // of which the headers never came
	follow(second, http.StateClosed, nil)
	follow(fourth, http.StateActive, nil)
	work(fourth)
	follow(fifth, http.StateNew, third)
	work(fifth)
	follow(sixth, http.StateNew, sixth) // there is no other
	if open, shut := c.count(); open != 3 || shut != 3 {
		t.Errorf("%d open, %d ended", open, shut)
	}
	follow(first, http.StateClosed, nil)
	follow(sixth, http.StateClosed, nil)
	follow(conn(), http.StateNew, nil)
}
