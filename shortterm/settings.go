package shortterm

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Settings are what a tenant has set for itself; what is nil is the daemon's.
type Settings struct {
	// Limits are those of its sessions that have none of their own.
	Limits Limits
	// KeepMessages is how long the log keeps messages that have settled, 0 for ever.
	KeepMessages *time.Duration
	// UpdatedAt is when they were changed last, nil if never.
	UpdatedAt *time.Time
}

func (s Settings) check() error {
	if err := s.Limits.check(); err != nil {
		return err
	}
	if orZero(s.KeepMessages) < 0 {
		return memd.InvalidField("keep_messages", "must not be negative")
	}
	return nil
}

// settingsFor is how long a daemon goes by settings it has read, settingsKept of how many
// tenants it knows them, settingsTimeout how long a write waits for them.
const (
	settingsFor     = 5 * time.Second
	settingsKept    = 1000
	settingsTimeout = time.Second
)

// readSettings are settings and when they were read.
type readSettings struct {
	Settings
	at time.Time
}

// Settings gives a tenant's settings as they stand.
func (l *Log) Settings(ctx context.Context, tenant string) (Settings, error) {
	at := time.Now()
	var s Settings
	err := l.read(ctx, tenant, func(rows pgx.Rows) error { return s.scan(rows) }, tenantSettings, tenant)
	if err != nil {
		return Settings{}, err
	}
	l.settings.Add(tenant, readSettings{s, at})
	return s, nil
}

// ChangeSettings gives a tenant's settings to change and keeps what comes back. Other
// daemons go by them within five seconds. Invalid: one cannot be. An error of change
// passes through.
func (l *Log) ChangeSettings(ctx context.Context, tenant string, change func(Settings) (Settings, error)) (Settings, error) {
	var changed Settings
	err := l.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		var s Settings
		b := &pgx.Batch{}
		b.Queue(makeSettings, tenant)
		b.Queue(tenantSettings+` FOR UPDATE`, tenant).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				if err := s.scan(rows); err != nil {
					return err
				}
			}
			return rows.Err()
		})
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		s, err := change(s)
		if err != nil {
			return err
		}
		if err := s.check(); err != nil {
			return err
		}
		var at time.Time
		if err := tx.QueryRow(ctx, changeSettings, append([]any{tenant, s.KeepMessages}, s.Limits.columns()...)...).Scan(&at); err != nil {
			return err
		}
		s.UpdatedAt = utc(&at)
		changed = s
		return nil
	})
	if err != nil {
		return Settings{}, postgres.Err("shortterm.change_settings", err)
	}
	l.settings.Remove(tenant)
	return changed, nil
}

func (s *Settings) scan(rows pgx.Rows) error {
	err := rows.Scan(append([]any{&s.KeepMessages, &s.UpdatedAt}, s.Limits.scan()...)...)
	s.UpdatedAt = utc(s.UpdatedAt)
	return err
}

// limits are those of a tenant's sessions that have none of their own. They may have been
// read some seconds ago, or longer if they cannot be read now: what is to be written says
// then by itself what is wrong.
func (l *Log) limits(ctx context.Context, tenant string) Limits {
	s, ok := l.settings.Get(tenant)
	if !ok || time.Since(s.at) >= l.settingsFor {
		ctx, cancel := context.WithTimeout(ctx, settingsTimeout)
		defer cancel()
		if fresh, err := l.Settings(ctx, tenant); err == nil {
			s.Settings = fresh
		}
	}
	return s.Limits.or(l.cfg.Limits)
}

const (
	settingColumns = `keep_messages, updated_at, rotate_idle, rotate_turns, rotate_tokens, rotate_age`

	tenantSettings = `SELECT ` + settingColumns + ` FROM tenant_setting WHERE tenant_id = $1`

	makeSettings = `INSERT INTO tenant_setting (tenant_id) VALUES ($1) ON CONFLICT DO NOTHING`

	changeSettings = `UPDATE tenant_setting
		   SET keep_messages = $2, rotate_idle = $3, rotate_turns = $4, rotate_tokens = $5, rotate_age = $6, updated_at = now()
		 WHERE tenant_id = $1 RETURNING updated_at`
)
