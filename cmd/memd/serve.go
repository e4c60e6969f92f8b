package main

import (
	"context"
	"errors"
	"fmt"
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
	if err := errors.Join(app.UnreadableError(misread), c.Check()); err != nil {
		return err
	}
	log := newLogger(c.LogLevel, c.LogFormat)
	for _, name := range app.UnknownVariables(os.Environ()) {
		log.Warn().Str("variable", name).Msg("no setting of memd")
	}
	own := &ownServers{cfg: c.Config, log: log}
	defer func() {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.DrainTimeout)
		defer cancel()
		err = errors.Join(err, own.stop(stopping))
	}()
	servers, err := own.start(ctx)
	if err != nil {
		if ctx.Err() != nil { // stopped while starting
			return nil
		}
		return err
	}
	daemon, err := app.New(c.Config, servers, currentVersion(), log)
	if err != nil {
		return err
	}
	if err := daemon.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, daemon.Stop(context.WithoutCancel(ctx))) }()
	fmt.Printf("memd %s listens on http://%s\n", currentVersion(), daemon.Addr())
	for ready := daemon.Ready(); ; {
		select {
		case <-ready:
			fmt.Printf(invitation, daemon.Addr())
			ready = nil // said once
		case <-ctx.Done():
			log.Info().Msg("stopping")
			return nil
		case err := <-daemon.Failed():
			return err
		case <-own.gone():
			return own.postgres.Err()
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
}

func (o *ownServers) start(ctx context.Context) (app.Servers, error) {
	s := app.Servers{OwnerURL: o.cfg.DBAdminURL, AppURL: o.cfg.DBURL}
	if s.OwnerURL == "" {
		s.OwnerURL = o.cfg.DBURL
	}
	dataDir := o.cfg.DataDir
	if dataDir == "" {
		var err error
		if dataDir, err = defaultDataDir(); err != nil {
			return s, err
		}
	}
	dataDir, err := filepath.Abs(dataDir)
	if err != nil {
		return s, fmt.Errorf("MEMD_DATA_DIR: %w", err)
	}
	if o.cfg.EmbedURL == "" {
		m, err := embedded.FindModel()
		if err != nil {
			return s, err
		}
		s.Model.ModelPath, s.Model.TokenizerPath, s.Model.RuntimePath = m.ONNX, m.Tokenizer, m.Library
	}
	if o.cfg.DBURL == "" {
		bin, err := embedded.FindPostgres()
		if err != nil {
			return s, err
		}
		o.postgres, err = embedded.StartPostgres(ctx, embedded.PostgresConfig{BinDir: bin,
			DataDir: filepath.Join(dataDir, "postgres"), Log: o.component("postgres")})
		if err != nil {
			return s, err
		}
		s.OwnerURL, s.AppURL = o.postgres.OwnerURL(), o.postgres.AppURL()
	}
	if o.cfg.NATSURL != "" {
		s.NATS = func(opts ...nats.Option) (*nats.Conn, error) { return nats.Connect(o.cfg.NATSURL, opts...) }
		return s, nil
	}
	o.nats, err = embedded.StartNATS(embedded.NATSConfig{StoreDir: filepath.Join(dataDir, "nats"),
		Listen: o.cfg.NATSListen, Log: o.component("nats")})
	if err != nil {
		return s, err
	}
	s.NATS = o.nats.Conn
	return s, nil
}

// gone is closed when our Postgres will not come up any more; never, if we run none.
func (o *ownServers) gone() <-chan struct{} {
	if o.postgres == nil {
		return nil
	}
	return o.postgres.Done()
}

// stop ends them after everything that uses them has stopped.
func (o *ownServers) stop(ctx context.Context) error {
	var err error
	if o.nats != nil {
		o.nats.Stop()
	}
	if o.postgres != nil {
		err = o.postgres.Stop(ctx)
	}
	return err
}

func (o *ownServers) component(name string) zerolog.Logger {
	return o.log.With().Str(memd.LogComponent, name).Logger()
}

// defaultDataDir is where data lies unless MEMD_DATA_DIR says otherwise. As root it
// is not in root's home, where the unprivileged Postgres could not reach it.
func defaultDataDir() (string, error) {
	if os.Geteuid() == 0 {
		return "/var/lib/memd", nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "memd"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("MEMD_DATA_DIR: must be set where there is no home directory")
	}
	return filepath.Join(home, ".local", "share", "memd"), nil
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
