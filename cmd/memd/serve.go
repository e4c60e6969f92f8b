package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/app"
	"github.com/memdhq/memd/embedded"
	"github.com/nats-io/nats.go"
	"github.com/rs/zerolog"
)

type serveCommand struct {
	app.Config
}

// Run serves until a signal comes or it cannot go on. It starts what the
// configuration does not name: its own Postgres, its own NATS.
func (c serveCommand) Run(ctx context.Context, misread []app.Unreadable) (err error) {
	cfg, openErr := c.InForce()
	if err := errors.Join(app.UnreadableError(misread), c.Check(), openErr); err != nil {
		return err
	}
	log := newLogger(cfg.LogLevel, cfg.LogFormat)
	for _, name := range app.UnknownVariables(os.Environ()) {
		log.Warn().Str("variable", name).Msg("no setting of memd")
	}
	defer app.RoomForGarbage()()
	own := &ownServers{cfg: cfg, log: log, gone: make(chan error, 1)}
	daemon, err := app.New(cfg, own.start, currentVersion(), log)
	if err != nil {
		return err
	}
	if err := daemon.Start(ctx); err != nil {
		return err
	}
	defer func() {
		began := time.Now()
		// What holds on to its work is cut off early enough for the servers to end well,
		// and a server that does not end is killed before the time is over.
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.DrainTimeout*9/10)
		defer cancel()
		draining, cancel := context.WithTimeout(ending, cfg.DrainTimeout*8/10)
		defer cancel()
		// Nothing is lost by what was cut off, it is done again; so it is no failure of a
		// memd that was told to stop.
		stopErr := daemon.Stop(draining)
		if stopErr = errors.Join(stopErr, own.stop(ending)); stopErr != nil {
			log.Error().Err(stopErr).Msg("not everything ended by itself")
		}
		log.Info().Dur(memd.LogDuration, time.Since(began)).Msg("stopped")
	}()
	fmt.Printf("memd %s listens on http://%s\n", currentVersion(), daemon.Addr())
	for ready := daemon.Ready(); ; {
		select {
		case <-ready:
			if !cfg.NoAPI && isatty.IsTerminal(os.Stdout.Fd()) { // it is for a person, not for a log
				fmt.Printf(invitation, daemon.Addr())
			}
			ready = nil // said once
		case <-ctx.Done():
			log.Info().Msg("stopping")
			return nil
		case err := <-daemon.Failed():
			return err
		case err := <-own.gone:
			return err
		}
	}
}

const invitation = `ready. Try:
  curl -s http://%[1]s/v1/messages -d '{"user_id":"alice","session_id":"s1","messages":[{"role":"user","content":"My favorite color is blue"}]}'
  curl -s http://%[1]s/v1/context -d '{"user_id":"alice","session_id":"s2","query":"Which color do I like?"}'
  http://%[1]s/docs
`

// ownServers are the servers that this process runs for itself.
type ownServers struct {
	cfg      app.Config
	log      zerolog.Logger
	postgres *embedded.Postgres
	nats     *embedded.NATS
	// gone yields why our Postgres will not come up any more.
	gone chan error
	// watched is closed when nobody waits for that any longer.
	watched chan struct{}
}

// start gives the servers to work on, and starts those that are ours.
func (o *ownServers) start(ctx context.Context) (s app.Servers, err error) {
	s = app.Servers{OwnerURL: cmp.Or(o.cfg.DBAdminURL, o.cfg.DBURL), AppURL: o.cfg.DBURL}
	if o.cfg.EmbedURL == "" {
		m, err := embedded.FindModel()
		if err != nil {
			return s, err
		}
		s.Model.ModelPath, s.Model.TokenizerPath, s.Model.RuntimePath = m.ONNX, m.Tokenizer, m.Library
	}
	if o.cfg.DBURL == "" {
		if err := o.startPostgres(ctx); err != nil {
			return s, err
		}
		s.OwnerURL, s.AppURL = o.postgres.OwnerURL(), o.postgres.AppURL()
	}
	if o.cfg.NATSURL != "" {
		s.NATS = func(opts ...nats.Option) (*nats.Conn, error) { return nats.Connect(o.cfg.NATSURL, opts...) }
		return s, nil
	}
	o.nats, err = embedded.StartNATS(embedded.NATSConfig{StoreDir: filepath.Join(o.cfg.DataDir, "nats"),
		Listen: o.cfg.NATSListen, Log: o.component("nats")})
	var busy *net.OpError
	if errors.As(err, &busy) && busy.Op == "listen" {
		return s, fmt.Errorf("MEMD_NATS_LISTEN: %w", busy)
	}
	if err != nil {
		return s, err
	}
	s.NATS = o.nats.Conn
	return s, nil
}

func (o *ownServers) startPostgres(ctx context.Context) error {
	bin, err := embedded.FindPostgres()
	if err != nil {
		return err
	}
	p, err := embedded.StartPostgres(ctx, embedded.PostgresConfig{BinDir: bin,
		DataDir: filepath.Join(o.cfg.DataDir, "postgres"), Log: o.component("postgres")})
	if err != nil {
		return err
	}
	o.postgres, o.watched = p, make(chan struct{})
	go func() {
		defer close(o.watched)
		<-p.Done()
		if err := p.Err(); err != nil {
			o.gone <- err
		}
	}()
	return nil
}

// stop ends them after everything that uses them has stopped.
func (o *ownServers) stop(ctx context.Context) error {
	if o.nats != nil {
		o.nats.Stop()
	}
	if o.postgres == nil {
		return nil
	}
	err := o.postgres.Stop(ctx)
	<-o.watched
	return err
}

func (o *ownServers) component(name string) zerolog.Logger {
	return o.log.With().Str(memd.LogComponent, name).Logger()
}

// newLogger logs to standard error: JSON for machines, colours for people.
func newLogger(level, format string) zerolog.Logger {
	zerolog.TimeFieldFormat = time.RFC3339Nano
	lvl, err := zerolog.ParseLevel(level)
	if err != nil {
		lvl = zerolog.InfoLevel
	}
	if format == "console" || format == "auto" && isatty.IsTerminal(os.Stderr.Fd()) {
		return zerolog.New(zerolog.ConsoleWriter{Out: os.Stderr, TimeFormat: time.TimeOnly}).Level(lvl).With().Timestamp().Logger()
	}
	return zerolog.New(os.Stderr).Level(lvl).With().Timestamp().Logger()
}
