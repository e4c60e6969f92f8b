package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/memdhq/memd"
)

// migrationFiles are the steps from each released schema to the next. The first is
// the first release's whole schema, kept as it was.
//
//go:embed migration/*.sql
var migrationFiles embed.FS

// schemaLock is the advisory lock under which the schema changes; any constant does.
const schemaLock = 0x6d656d64 // "memd"

// migrationPatience is how long a step waits for a table that somebody reads, in
// milliseconds: for as long requests to it wait, too.
const migrationPatience = "2000"

// minServerVersion is the oldest Postgres whose functions suffice (pg_input_is_valid).
const minServerVersion = 16

// minVectorVersion is the oldest pgvector without known HNSW faults.
const minVectorVersion = "0.8.0"

type migration struct {
	version int
	sql     string
}

func migrations() ([]migration, error) {
	names, err := fs.Glob(migrationFiles, "migration/*.sql")
	if err != nil {
		return nil, err
	}
	var all []migration
	for i, name := range names { // Glob sorts
		version, err := strconv.Atoi(strings.SplitN(strings.TrimPrefix(name, "migration/"), "_", 2)[0])
		if err != nil || version != i+1 {
			return nil, fmt.Errorf("migration %s: steps must be numbered without gaps", name)
		}
		sql, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, migration{version, string(sql)})
	}
	return all, nil
}

// Migrate brings the database of url to the current schema, as the role that url
// logs in with; that role comes to own it. Several may run at once. It refuses a
// schema newer than it knows. Unavailable: the database is away, or a table that is to be
// changed is being read for too long; nothing is changed then.
func Migrate(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return Err("postgres.migrate", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	steps, err := migrations()
	if err != nil {
		return &memd.Error{Kind: memd.Internal, Op: "postgres.migrate", Err: err}
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, schemaLock); err != nil {
			return err
		}
		// Whoever asks something of a table waits behind who waits to change it.
		if _, err := tx.Exec(ctx, `SELECT set_config('lock_timeout', $1, true)`, migrationPatience); err != nil {
			return err
		}
		if err := requireServer(ctx, tx); err != nil {
			return err
		}
		if err := requireVector(ctx, tx); err != nil {
			return err
		}
		have, err := schemaVersion(ctx, tx)
		if err != nil {
			return err
		}
		want := len(steps)
		switch {
		case have > want:
			return &memd.Error{Kind: memd.Invalid, Op: "postgres.migrate",
				Msg: fmt.Sprintf("the database has schema %d and this memd knows schemas up to %d: use a newer memd", have, want)}
		case have == 0:
			if _, err := tx.Exec(ctx, memd.Schema); err != nil {
				return err
			}
		default:
			for _, m := range steps[have:] {
				if _, err := tx.Exec(ctx, m.sql); err != nil {
					return fmt.Errorf("step %d: %w", m.version, err)
				}
			}
		}
		return allowRole(ctx, tx)
	})
	return unprepared("postgres.migrate", conn.Config().User, err)
}

// unprepared is Err, and tells what a superuser has to do once for a login that may not.
func unprepared(op, login string, err error) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || pg.Code != "42501" { // insufficient privilege
		return Err(op, err)
	}
	return &memd.Error{Kind: memd.Invalid, Op: op, Err: err, Msg: fmt.Sprintf(
		"the database login %s lacks a right; once, as a superuser, in memd's database: CREATE EXTENSION IF NOT EXISTS vector; CREATE ROLE %s NOLOGIN; GRANT %[2]s TO %[3]s (docs/replicas.md)",
		login, Role, pgx.Identifier{login}.Sanitize())}
}

func requireServer(ctx context.Context, tx pgx.Tx) error {
	var version int
	if err := tx.QueryRow(ctx, `SELECT current_setting('server_version_num')::int / 10000`).Scan(&version); err != nil {
		return err
	}
	if version < minServerVersion {
		return &memd.Error{Kind: memd.Invalid, Op: "postgres.migrate",
			Msg: fmt.Sprintf("the database is Postgres %d and memd needs %d or newer", version, minServerVersion)}
	}
	return nil
}

// requireVector sees to pgvector in the schema public. It must not run twice at
// once, hence under the lock.
func requireVector(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public`); err != nil {
		return err
	}
	var version string
	var enough bool
	err := tx.QueryRow(ctx, `SELECT extversion, string_to_array(extversion, '.')::int[] >= string_to_array($1, '.')::int[]
		FROM pg_extension WHERE extname = 'vector'`, minVectorVersion).Scan(&version, &enough)
	if err != nil {
		return err
	}
	if !enough {
		return &memd.Error{Kind: memd.Invalid, Op: "postgres.migrate",
			Msg: fmt.Sprintf("the database has pgvector %s and memd needs %s or newer: ALTER EXTENSION vector UPDATE", version, minVectorVersion)}
	}
	return nil
}

// schemaVersion gives the version of the schema there is, 0 if there is none.
func schemaVersion(ctx context.Context, tx pgx.Tx) (int, error) {
	var there bool
	if err := tx.QueryRow(ctx, `SELECT to_regprocedure('memd_schema_version()') IS NOT NULL`).Scan(&there); err != nil || !there {
		return 0, err
	}
	var v int
	err := tx.QueryRow(ctx, `SELECT memd_schema_version()`).Scan(&v)
	return v, err
}

// allowRole lets the login of the migration work as Role, where it is another.
func allowRole(ctx context.Context, tx pgx.Tx) error {
	var member bool
	err := tx.QueryRow(ctx, `SELECT pg_has_role(current_user, $1, 'SET')`, Role).Scan(&member)
	if err != nil || member {
		return err
	}
	// A nested transaction: a login that may not grant is an error only if it is also
	// the login that memd works with, and then connecting says so.
	nested, err := tx.Begin(ctx)
	if err != nil {
		return err
	}
	if _, err := nested.Exec(ctx, `GRANT `+Role+` TO CURRENT_USER`); err != nil {
		return nested.Rollback(ctx)
	}
	return nested.Commit(ctx)
}

// CheckRole holds the pool to its promise: the role it works as is no superuser,
// cannot bypass row-level security and owns none of memd's tables.
func (p *Pool) CheckRole(ctx context.Context) error {
	var role string
	var power, owns bool
	err := p.QueryRow(ctx, `
		SELECT current_user, r.rolsuper OR r.rolbypassrls,
		       EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('conversation_context') AND pg_has_role(current_user, c.relowner, 'USAGE'))
		  FROM pg_roles r WHERE r.rolname = current_user`).Scan(&role, &power, &owns)
	if err != nil {
		return unprepared("postgres.role", p.Config().ConnConfig.User, err)
	}
	if power || owns {
		return &memd.Error{Kind: memd.Invalid, Op: "postgres.role",
			Msg: fmt.Sprintf("the database role %s could see every tenant: memd works only as a role that is no superuser, cannot bypass row-level security and owns no table", role)}
	}
	return nil
}
