package app

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"

	"github.com/memdhq/memd/httpapi"
	"golang.org/x/sys/unix"
)

// refusing has connections on which what net/http answers by itself is told as all else is.
type refusing struct{ net.Listener }

func (l refusing) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		return refusingConn{tcp}, nil
	}
	return conn, err
}

type refusingConn struct{ *net.TCPConn }

func (c refusingConn) Write(b []byte) (int, error) {
	answer, ok := httpapi.Refusal(b)
	if !ok {
		return c.TCPConn.Write(b)
	}
	if _, err := c.TCPConn.Write(answer); err != nil {
		return 0, err
	}
	return len(b), nil
}

// maxConnections is how many connections may be open, where there are files for twice as
// many.
const maxConnections = 8192

// connections bounds the connections of a server: one too many ends that on which nothing
// has been asked for longest. So there is room for whoever asks something, be it only
// whether memd is alive, however many keep connections without asking.
type connections struct {
	most int

	mu   sync.Mutex
	open map[net.Conn]*list.Element // nil while a request is at work on it
	idle *list.List                 // of net.Conn, that which has been idle longest first
	shut uint64                     // how many were ended
}

func newConnections(most int) *connections {
	return &connections{most: most, open: map[net.Conn]*list.Element{}, idle: list.New()}
}

// mostConnections is maxConnections, or fewer where this process may not have so many files.
func mostConnections() int {
	var files unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) != nil || files.Cur >= 2*maxConnections {
		return maxConnections
	}
	return max(int(files.Cur/2), 16)
}

// changed follows a connection; it is the server's ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	if victim := c.follow(conn, state); victim != nil {
		_ = victim.Close()
	}
}

// follow notes the state of a connection and gives one that is to be closed, nil for none.
func (c *connections) follow(conn net.Conn, state http.ConnState) net.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if place := c.open[conn]; place != nil {
		c.idle.Remove(place)
	}
	switch state {
	case http.StateNew, http.StateIdle, http.StateActive: // active: a request has begun to come
		c.open[conn] = c.idle.PushBack(conn)
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
	}
	if state != http.StateNew || len(c.open) <= c.most {
		return nil
	}
	victim := c.idle.Remove(c.idle.Front()).(net.Conn) // the new one, if there is no other
	delete(c.open, victim)
	c.shut++
	return victim
}

// connKey is under which the context of a request has its connection.
type connKey struct{}

// with is the server's ConnContext.
func (c *connections) with(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// working notes that a request is at work, until the connection is idle again.
func (c *connections) working(ctx context.Context) {
	conn, _ := ctx.Value(connKey{}).(net.Conn)
	c.mu.Lock()
	defer c.mu.Unlock()
	if place := c.open[conn]; place != nil {
		c.idle.Remove(place)
		c.open[conn] = nil
	}
}

// cut ends all connections. Whoever writes to one, or reads from it, is told so at once.
func (c *connections) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.open {
		_ = conn.Close()
	}
}

// count gives how many are open, and how many were ended because of the bound.
func (c *connections) count() (open int, shut uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open), c.shut
}
