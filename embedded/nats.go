package embedded

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/rs/zerolog"

	"github.com/memdhq/memd"
)

const (
	natsStartTimeout = 30 * time.Second
	// maxReserved is more than all streams are bounded by, in bytes.
	maxReserved = 1 << 40
	// storeCheck is how often the store is looked after.
	storeCheck = 2 * time.Second
	// streamsUnder is where JetStream keeps the streams of the one account.
	streamsUnder = "jetstream/$G/streams"
)

// NATSConfig says how to run a nats-server.
type NATSConfig struct {
	// StoreDir is where JetStream keeps its streams. It is made if it does not
	// exist, and moved aside if it cannot be used.
	StoreDir string
	// Listen is the address to listen on, "127.0.0.1:4222", for looking in with
	// other tools. Empty, as it should be, means no port at all.
	Listen string
	// Log gets what the server has to say.
	Log zerolog.Logger
}

// NATS is a running nats-server with JetStream. A server whose store is lost
// while it runs is replaced by one with an empty store: connections made by Conn
// then reconnect by themselves, and find no streams.
type NATS struct {
	cfg  NATSConfig
	lock *os.File

	mu     sync.Mutex
	server *server.Server // nil while one is being replaced

	stop     chan struct{}
	stopOnce sync.Once
	done     chan struct{}
}

// StartNATS starts a nats-server on cfg.StoreDir and waits until JetStream is
// ready. A store that is damaged, or that the server did not survive opening the
// last time, is moved aside.
func StartNATS(cfg NATSConfig) (_ *NATS, err error) {
	if cfg.StoreDir, err = filepath.Abs(cfg.StoreDir); err != nil {
		return nil, natsError("bad store folder", err)
	}
	if err := os.MkdirAll(filepath.Dir(cfg.StoreDir), 0o755); err != nil {
		return nil, natsError("cannot make the store's folder", err)
	}
	n := &NATS{cfg: cfg, stop: make(chan struct{}), done: make(chan struct{})}
	if n.lock, err = lockDataDir(cfg.StoreDir); err != nil {
		return nil, err
	}
	if n.server, err = n.start(); err != nil {
		_ = n.lock.Close()
		return nil, err
	}
	go n.watch()
	return n, nil
}

// canListen says whether an address, if there is one, is free: the server would tell no
// more than that it did not start, as it does when its store is of no use.
func canListen(address string) error {
	if address == "" {
		return nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return natsError("cannot listen", err)
	}
	return l.Close()
}

// RemoveStore removes the store of a server that runs no more. That of one which runs is
// left, and an error of kind Conflict.
func RemoveStore(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return natsError("bad store folder", err)
	}
	if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	lock, err := lockDataDir(dir)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	if err := os.RemoveAll(dir); err != nil {
		return natsError("cannot remove the store", err)
	}
	return nil
}

// Conn connects within the process. The connection reconnects for ever; after a
// lost store it has reconnected to a server without streams, so a caller that
// keeps any gives a nats.ReconnectHandler that makes them again.
func (n *NATS) Conn(opts ...nats.Option) (*nats.Conn, error) {
	all := append([]nats.Option{
		nats.InProcessServer(n),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(50 * time.Millisecond),
		nats.ReconnectJitter(50*time.Millisecond, 50*time.Millisecond),
	}, opts...)
	c, err := nats.Connect("", all...)
	if err != nil {
		return nil, natsError("cannot connect", err)
	}
	return c, nil
}

// InProcessConn makes *NATS a nats.InProcessConnProvider: it connects to the
// server of the moment.
func (n *NATS) InProcessConn() (net.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.server == nil {
		return nil, natsError("the server is down", nil)
	}
	return n.server.InProcessConn()
}

// URL is the address for other programs, "" if the server does not listen.
func (n *NATS) URL() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.server == nil || n.cfg.Listen == "" {
		return ""
	}
	return n.server.ClientURL()
}

// Stop stops the server and waits until its store is closed. Stopping again is
// harmless.
func (n *NATS) Stop() {
	n.stopOnce.Do(func() { close(n.stop) })
	<-n.done
}

// watch replaces a server whose store is gone, or that has given JetStream up,
// and ends it at Stop.
func (n *NATS) watch() {
	defer close(n.done)
	defer func() { _ = n.lock.Close() }()
	tick := time.NewTicker(storeCheck)
	defer tick.Stop()
	for {
		select {
		case <-n.stop:
			n.mu.Lock()
			s := n.server
			n.server = nil
			n.mu.Unlock()
			shutDown(s)
			return
		case <-tick.C:
		}
		n.mu.Lock()
		s := n.server
		n.mu.Unlock()
		if s != nil {
			lost := n.lost(s)
			if lost == "" {
				continue
			}
			n.cfg.Log.Error().Str("store", n.cfg.StoreDir).Msg("JetStream lost its store (" + lost + "); starting it again with an empty one")
			n.mu.Lock()
			n.server = nil
			n.mu.Unlock()
			shutDown(s)
			if err := n.moveAside(); err != nil {
				n.cfg.Log.Error().Err(err).Msg("cannot move the lost store aside")
			}
		}
		s, err := n.start()
		if err != nil {
			n.cfg.Log.Error().Err(err).Msg("JetStream does not start; trying again")
			continue
		}
		n.mu.Lock()
		n.server = s
		n.mu.Unlock()
	}
}

// lost says what has become of the server's store, "" if it is there.
func (n *NATS) lost(s *server.Server) string {
	if !s.JetStreamEnabled() {
		return "JetStream is disabled"
	}
	if _, err := os.Stat(filepath.Join(n.cfg.StoreDir, "jetstream")); err != nil {
		return "its folder is gone"
	}
	for name := range liveStreams(s) {
		if _, err := os.Stat(filepath.Join(n.cfg.StoreDir, streamsUnder, name, "msgs")); err != nil {
			// It may have been deleted, as streams are, since the list was made.
			if liveStreams(s)[name] {
				return "the folder of stream " + name + " is gone"
			}
		}
	}
	return ""
}

// start starts a server, on an empty store if what is there is of no use.
func (n *NATS) start() (*server.Server, error) {
	if err := canListen(n.cfg.Listen); err != nil {
		return nil, err
	}
	if _, err := os.Stat(n.marker()); err == nil {
		// The last start did not come to its end: the store may be what killed it.
		if err := n.moveAside(); err != nil {
			return nil, err
		}
	}
	s, err := n.open()
	if err == nil {
		return s, nil
	}
	n.cfg.Log.Error().Err(err).Str("store", n.cfg.StoreDir).Msg("JetStream cannot use its store; starting with an empty one")
	if err := n.moveAside(); err != nil {
		return nil, err
	}
	return n.open()
}

func (n *NATS) open() (*server.Server, error) {
	if err := os.MkdirAll(n.cfg.StoreDir, 0o700); err != nil {
		return nil, natsError("cannot make the store", err)
	}
	if err := os.WriteFile(n.marker(), nil, 0o600); err != nil {
		return nil, natsError("cannot write beside the store", err)
	}
	defer func() { _ = os.Remove(n.marker()) }()

	opts := &server.Options{
		ServerName: "memd",
		DontListen: true,
		NoSigs:     true,
		JetStream:  true,
		StoreDir:   n.cfg.StoreDir,
		// Payloads are ids.
		MaxPayload: 1 << 20,
		// What streams may reserve. By default it is a part of what the disk has free, and on
		// a small disk no stream could be made at all.
		JetStreamMaxStore: maxReserved,
	}
	if n.cfg.Listen != "" {
		host, port, err := net.SplitHostPort(n.cfg.Listen)
		if err != nil {
			return nil, natsError("bad address to listen on", err)
		}
		if opts.Port, err = strconv.Atoi(port); err != nil {
			return nil, natsError("bad port to listen on", err)
		}
		if opts.Port == 0 {
			opts.Port = server.RANDOM_PORT
		}
		opts.Host, opts.DontListen = host, false
	}
	want := streamsOnDisk(n.cfg.StoreDir)
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, natsError("bad configuration", err)
	}
	log := &natsLog{log: n.cfg.Log}
	s.SetLoggerV2(log, false, false, false)
	s.Start()
	// After what the server calls fatal it would never call itself ready.
	if log.said() == "" && (!s.ReadyForConnections(natsStartTimeout) || !s.JetStreamEnabled()) {
		log.Fatalf("JetStream did not start")
	}
	if fatal := log.said(); fatal != "" {
		shutDown(s)
		return nil, natsError(fatal, nil)
	}
	have := liveStreams(s)
	for _, name := range want {
		if !have[name] {
			shutDown(s)
			return nil, natsError("stream "+name+" is in the store and cannot be read", nil)
		}
	}
	return s, nil
}

// streamsOnDisk gives the names of the streams that the store should hold.
func streamsOnDisk(store string) []string {
	entries, _ := os.ReadDir(filepath.Join(store, streamsUnder))
	var names []string
	for _, e := range entries {
		// A stream that is being deleted has a dot before its name.
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

// liveStreams gives the names of the streams on disk that the server serves.
func liveStreams(s *server.Server) map[string]bool {
	names := map[string]bool{}
	z, err := s.Jsz(&server.JSzOptions{Streams: true, Config: true})
	if err != nil {
		return names
	}
	for _, account := range z.AccountDetails {
		for _, stream := range account.Streams {
			if stream.Config != nil && stream.Config.Storage == server.FileStorage {
				names[stream.Name] = true
			}
		}
	}
	return names
}

// moveAside puts the store out of the way, for someone to look at; the one that
// was put there before goes.
func (n *NATS) moveAside() error {
	aside := n.cfg.StoreDir + ".damaged"
	if _, err := os.Stat(n.cfg.StoreDir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err := os.RemoveAll(aside); err != nil {
		return natsError("cannot remove an older damaged store", err)
	}
	if err := os.Rename(n.cfg.StoreDir, aside); err != nil {
		return natsError("cannot move the damaged store aside", err)
	}
	n.cfg.Log.Warn().Str("to", aside).Msg("moved the JetStream store aside")
	return nil
}

// marker is a file that is there while a server is opening the store.
func (n *NATS) marker() string {
	return filepath.Join(filepath.Dir(n.cfg.StoreDir), "."+filepath.Base(n.cfg.StoreDir)+".starting")
}

func shutDown(s *server.Server) {
	if s != nil {
		s.Shutdown()
		s.WaitForShutdown()
	}
}

func natsError(msg string, err error) *memd.Error {
	return &memd.Error{Kind: memd.Unavailable, Op: "embedded.nats", Msg: msg, Err: err}
}

// natsLog passes on what the server says. Its notices are the routine of a server
// that is an end in itself; here they are detail.
type natsLog struct {
	log zerolog.Logger

	mu    sync.Mutex
	fatal string
}

func (l *natsLog) Noticef(format string, v ...any) { l.log.Debug().Msgf(format, v...) }
func (l *natsLog) Warnf(format string, v ...any)   { l.log.Warn().Msgf(format, v...) }
func (l *natsLog) Errorf(format string, v ...any)  { l.log.Error().Msgf(format, v...) }
func (l *natsLog) Debugf(format string, v ...any)  { l.log.Debug().Msgf(format, v...) }
func (l *natsLog) Tracef(format string, v ...any)  { l.log.Trace().Msgf(format, v...) }

// Fatalf keeps what stopped the server; what follows from it is not the server's
// to decide.
func (l *natsLog) Fatalf(format string, v ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fatal = fmt.Sprintf(format, v...)
}

// said gives what stopped the server, "" if nothing did.
func (l *natsLog) said() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}
