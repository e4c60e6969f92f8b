package main

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// proxy stands between memd and a server, and fails as networks do.
type proxy struct {
	t                 *testing.T
	network, upstream string
	addr              string

	mu       sync.Mutex
	listener net.Listener
	links    map[*link]bool
	// cut gives after how many bytes of answers a connection is cut; nil: never.
	cut func() int64
	wg  sync.WaitGroup
}

// link is a connection through the proxy.
type link struct {
	client, server net.Conn
	once           sync.Once
}

// sever ends both sides as a machine does that knows nothing of them.
func (l *link) sever() {
	l.once.Do(func() {
		for _, c := range []net.Conn{l.client, l.server} {
			if tcp, ok := c.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
			}
			_ = c.Close()
		}
	})
}

func newProxy(t *testing.T, network, upstream string) *proxy {
	t.Helper()
	p := &proxy{t: t, network: network, upstream: upstream, addr: "127.0.0.1:0", links: map[*link]bool{}}
	p.listen()
	t.Cleanup(func() {
		p.refuse()
		p.wg.Wait()
	})
	return p
}

// listen takes connections again.
func (p *proxy) listen() {
	l, err := net.Listen("tcp", p.addr)
	if err != nil {
		p.t.Error(err)
		return
	}
	p.mu.Lock()
	p.listener, p.addr = l, l.Addr().String()
	p.mu.Unlock()
	p.wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.wg.Go(func() { p.serve(c) })
		}
	})
}

// refuse ends all connections and takes no more.
func (p *proxy) refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.listener.Close()
	for l := range p.links {
		l.sever()
	}
}

// cutting has each connection, old and new, cut in the middle of an answer.
func (p *proxy) cutting(seed uint64, atMost int64) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = func() int64 { return 1 + rnd.Int64N(atMost) }
	for l := range p.links {
		l.sever()
	}
}

// mend ends the cutting.
func (p *proxy) mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = nil
	for l := range p.links { // each had its end set
		l.sever()
	}
}

// open counts the connections.
func (p *proxy) open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links)
}

func (p *proxy) serve(client net.Conn) {
	server, err := net.DialTimeout(p.network, p.upstream, 5*time.Second)
	if err != nil {
		(&link{client: client, server: client}).sever()
		return
	}
	l := &link{client: client, server: server}
	var answers io.Reader = server
	p.mu.Lock()
	p.links[l] = true
	if p.cut != nil {
		answers = io.LimitReader(server, p.cut())
	}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.links, l)
		p.mu.Unlock()
	}()
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(client, answers)
		l.sever()
	})
	both.Go(func() {
		_, _ = io.Copy(server, client)
		l.sever()
	})
	both.Wait()
}
