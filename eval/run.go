package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embedded"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/shortterm"
	"github.com/rs/zerolog"
)

// ownPostgres starts a Postgres in a temporary folder and ends it after do, which may
// keep more in the folder.
func ownPostgres(ctx context.Context, do func(dir string, pg *embedded.Postgres) error) (err error) {
	dir, err := os.MkdirTemp("", "memd-eval-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Chmod(dir, 0o755); err != nil { // a Postgres without root's rights must get in
		return err
	}
	bin, err := embedded.FindPostgres()
	if err != nil {
		return err
	}
	pg, err := embedded.StartPostgres(ctx, embedded.PostgresConfig{BinDir: bin, DataDir: filepath.Join(dir, "postgres"), Log: zerolog.Nop()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pg.Stop(context.WithoutCancel(ctx))) }()
	return do(dir, pg)
}

// withPostgres gives do the empty database of a Postgres of its own.
func withPostgres(ctx context.Context, do func(*postgres.Pool) error) error {
	return ownPostgres(ctx, func(_ string, pg *embedded.Postgres) error {
		if err := postgres.Migrate(ctx, pg.OwnerURL()); err != nil {
			return err
		}
		pool, err := postgres.Open(ctx, pg.AppURL(), postgres.Config{MaxConns: 2})
		if err != nil {
			return err
		}
		defer pool.Close()
		return do(pool)
	})
}

// house is what a case goes through: the log, the extractor, the long tier.
type house struct {
	pool  *postgres.Pool
	log   *shortterm.Log
	rules *extract.Rules
	store *longterm.Store
	// live has each message learned from as it comes, not a session as a whole.
	live bool
}

// beforeLive is how many messages that precede it are seen with a message, as the
// workers do.
const beforeLive = 12

func newHouse(pool *postgres.Pool) *house {
	// No bus: nothing is queued, the work is done here, one session after the other.
	return &house{pool: pool, log: shortterm.New(pool, nil, shortterm.Config{Log: zerolog.Nop()}),
		rules: extract.NewRules(), store: longterm.New(pool, longterm.Config{})}
}

// play says a case's sessions, learns from each, and scores what is known at the end.
// user is whose case it is, and must not have been used before.
func (h *house) play(ctx context.Context, user string, c evalCase) (outcome, error) {
	for _, s := range c.Sessions {
		if err := h.learn(ctx, user, s); err != nil {
			return outcome{}, fmt.Errorf("session %s: %w", s.Session, err)
		}
	}
	list := func(superseded bool) (ms []memd.Memory, err error) {
		for cursor := ""; ; {
			page, _, next, err := h.store.List(ctx, memd.DefaultTenant, longterm.ListQuery{Scope: memd.Scope{UserID: user},
				IncludeSuperseded: superseded, Limit: longterm.MaxLimit, Cursor: cursor})
			if err != nil {
				return nil, err
			}
			if ms = append(ms, page...); next == "" {
				return ms, nil
			}
			cursor = next
		}
	}
	current, err := list(false)
	if err != nil {
		return outcome{}, err
	}
	all, err := list(true)
	if err != nil {
		return outcome{}, err
	}
	holds := map[string]bool{}
	for _, m := range current {
		holds[m.ID] = true
	}
	var past []memd.Memory
	for _, m := range all {
		if !holds[m.ID] {
			past = append(past, m)
		}
	}
	return score(c, current, past), nil
}

// learn says a session and takes what the rules make of it to the long tier, as a
// whole or, live, message by message.
func (h *house) learn(ctx context.Context, user string, s session) error {
	said := shortterm.Append{UserID: user, SessionID: s.Session, Timezone: s.Timezone}
	for _, m := range s.Messages {
		said.Messages = append(said.Messages, m.parsed)
	}
	done, err := h.log.Append(ctx, memd.DefaultTenant, said)
	if err != nil {
		return err
	}
	all := said.Messages
	for i := range all {
		m := &all[i]
		m.ID, m.Position, m.CreatedAt = done.Messages[i].ID, i, done.Messages[i].CreatedAt
		m.UserID, m.SessionID, m.Timezone = user, s.Session, s.Timezone
	}
	// The log hands on what can be learned from; the rest is there as what came before.
	var open []memd.Message
	for i, m := range all {
		switch {
		case !m.Role.Learnable():
		case h.live:
			if err := h.take(ctx, extract.Input{Before: all[max(0, i-beforeLive):i], Messages: all[i : i+1]}); err != nil {
				return err
			}
		default:
			open = append(open, m)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return h.take(ctx, extract.Input{Messages: open})
}

// take extracts from messages and consolidates what comes of it.
func (h *house) take(ctx context.Context, in extract.Input) error {
	extraction, err := h.rules.Extract(ctx, in)
	if err != nil {
		return err
	}
	learned := longterm.Learned{Messages: in.Messages, Candidates: extraction.Candidates,
		Vectors: make([][]float32, len(extraction.Candidates)), Extractor: extraction.Extractor}
	return h.pool.InTenant(ctx, memd.DefaultTenant, func(tx pgx.Tx) error {
		return h.store.Consolidate(ctx, tx, memd.DefaultTenant, learned)
	})
}
