package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sys/unix"

	"github.com/memdhq/memd"
)

const (
	// attachPatience is how long the Postgres of another memd, which may be starting or
	// stopping, gets to answer.
	attachPatience = 30 * time.Second
	// listTries is how often the tables are counted anew because one of them went
	// meanwhile, as the graphs of large scopes do.
	listTries = 5
)

// Contents is what an archive holds.
type Contents struct {
	// Schema is the version of memd's schema.
	Schema int `json:"schema"`
	// Rows is the number of rows of each table, by its qualified name.
	Rows map[string]int64 `json:"rows"`
}

// Backup writes the database in cfg.DataDir to w, as pg_dump's custom format, as it was
// at one moment, and tells what is in it. A memd that runs on the directory goes on with
// its work; where none runs, a Postgres does for as long as it takes, under the lock on
// the directory. An error may come after part of the archive is written.
func Backup(ctx context.Context, cfg PostgresConfig, w io.Writer) (Contents, error) {
	dir, err := resolveDataDir(cfg.DataDir)
	if err != nil {
		return Contents{}, err
	}
	cfg.DataDir = dir
	if _, err := os.Stat(filepath.Join(dir, "PG_VERSION")); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return Contents{}, &memd.Error{Kind: memd.NotFound, Op: "embedded.backup", Msg: "there is no database in " + dir}
		}
		return Contents{}, invalid("%v", err)
	}
	patience := time.Now().Add(attachPatience)
	for {
		p, err := attach(ctx, cfg)
		if err == nil {
			contents, err := p.dump(ctx, w)
			if err != nil && ctx.Err() == nil && p.isGone(ctx) {
				err = &memd.Error{Kind: memd.Unavailable, Op: "embedded.backup",
					Msg: "the memd that ran on " + dir + " stopped while its backup was made; make it again", Err: err}
			}
			return contents, err
		}
		var stopped *notRunning
		if errors.As(err, &stopped) {
			p, err = StartPostgres(ctx, cfg)
			if err == nil {
				contents, err := p.dump(ctx, w)
				stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopPatience)
				defer cancel()
				return contents, errors.Join(err, p.Stop(stopping))
			}
		}
		// Another memd may be starting or stopping, or may have been faster.
		if k := memd.KindOf(err); k != memd.Unavailable && k != memd.Conflict || ctx.Err() != nil || time.Now().After(patience) {
			return Contents{}, err
		}
		wait := time.NewTimer(firstBackoff)
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
		}
	}
}

// notRunning is the error of attach where no memd holds the data directory.
type notRunning struct{ dir string }

func (e *notRunning) Error() string { return "no memd is running on " + e.dir }

// attach gives the Postgres that another memd runs on the data directory, for use by
// clients only.
func attach(ctx context.Context, cfg PostgresConfig) (*Postgres, error) {
	p := newPostgres(cfg)
	var err error
	if p.account, err = chooseAccount(cfg.DataDir); err != nil {
		return nil, err
	}
	if err := p.account.canReach(filepath.Join(cfg.BinDir, "bin")); err != nil {
		return nil, err
	}
	lock, err := lockDataDir(cfg.DataDir)
	if err == nil {
		_ = lock.Close()
		return nil, &notRunning{cfg.DataDir}
	}
	if memd.KindOf(err) != memd.Conflict {
		return nil, err
	}
	noted, err := os.ReadFile(lockPath(cfg.DataDir))
	if err != nil {
		return nil, invalid("%v", err)
	}
	p.socket = strings.TrimSpace(string(noted))
	if p.socket == "" {
		return nil, &memd.Error{Kind: memd.Unavailable, Op: "embedded.backup",
			Msg: "a memd is starting or stopping on " + cfg.DataDir}
	}
	// The first connection of many: it tells whether the server takes any.
	c, err := pgx.Connect(ctx, p.url(superuser, database))
	if err != nil {
		return nil, &memd.Error{Kind: memd.Unavailable, Op: "embedded.backup",
			Msg: "the Postgres on " + cfg.DataDir + ", which another memd runs, does not answer", Err: err}
	}
	return p, c.Close(ctx)
}

// isGone says whether a server that was attached to is ending, or has ended.
func (p *Postgres) isGone(ctx context.Context) bool {
	c, err := pgx.Connect(ctx, p.url(superuser, database))
	if err == nil {
		_ = c.Close(ctx)
		return false
	}
	var refused *pgconn.PgError
	return !errors.As(err, &refused) || refused.Code == "57P03" // cannot_connect_now
}

// dump writes the archive within one snapshot, in which the rows are counted as well.
func (p *Postgres) dump(ctx context.Context, w io.Writer) (Contents, error) {
	c, err := pgx.Connect(ctx, p.url(superuser, database))
	if err != nil {
		return Contents{}, dumpError(err)
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	for try := 1; ; try++ {
		contents, err := p.dumpSnapshot(ctx, c, w)
		var pgErr *pgconn.PgError
		if errors.As(err, &pgErr) && pgErr.Code == "42P01" && try < listTries { // undefined_table
			continue // nothing is written yet
		}
		return contents, err
	}
}

func (p *Postgres) dumpSnapshot(ctx context.Context, c *pgx.Conn, w io.Writer) (Contents, error) {
	tx, err := c.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return Contents{}, dumpError(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	var snapshot string
	if err := tx.QueryRow(ctx, `SELECT pg_export_snapshot()`).Scan(&snapshot); err != nil {
		return Contents{}, dumpError(err)
	}
	// What is counted stays until the transaction ends, so that pg_dump finds every
	// table that the snapshot has.
	contents, err := readContents(ctx, tx)
	if err != nil {
		return Contents{}, err
	}
	return contents, p.client(ctx, "pg_dump", nil, w,
		"--format=custom", "--snapshot="+snapshot, "--dbname="+p.url(superuser, database))
}

func dumpError(err error) error {
	return &memd.Error{Kind: memd.Unavailable, Op: "embedded.backup", Msg: "cannot read the database", Err: err}
}

// readContents counts what is in the database. The error of one without memd's schema
// is of kind NotFound.
func readContents(ctx context.Context, tx pgx.Tx) (Contents, error) {
	contents := Contents{Rows: map[string]int64{}}
	// Names come out qualified.
	if _, err := tx.Exec(ctx, `SET LOCAL search_path = ''`); err != nil {
		return contents, dumpError(err)
	}
	var there bool
	if err := tx.QueryRow(ctx, `SELECT to_regprocedure('public.memd_schema_version()') IS NOT NULL`).Scan(&there); err != nil {
		return contents, dumpError(err)
	}
	if !there {
		return contents, &memd.Error{Kind: memd.NotFound, Op: "embedded.backup", Msg: "the database is still empty: no memd has come up on it"}
	}
	if err := tx.QueryRow(ctx, `SELECT public.memd_schema_version()`).Scan(&contents.Schema); err != nil {
		return contents, dumpError(err)
	}
	rows, err := tx.Query(ctx, `
		SELECT c.oid::regclass::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		 WHERE c.relkind = 'r' AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\_%'
		   AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
		                    WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`)
	if err != nil {
		return contents, dumpError(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return contents, dumpError(err)
	}
	for _, table := range tables {
		var n int64
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM `+table).Scan(&n); err != nil {
			return contents, dumpError(err)
		}
		contents.Rows[table] = n
	}
	return contents, nil
}

// Restore makes cfg.DataDir from an archive of Backup and holds what comes of it against
// want. The directory must not exist or be empty: one that holds anything, and one that a
// memd runs on, are errors of kind Conflict. It gets its name when all is in it and on
// disk; an error leaves nothing behind.
func Restore(ctx context.Context, cfg PostgresConfig, archive io.Reader, want Contents) (err error) {
	dir, err := resolveDataDir(cfg.DataDir)
	if err != nil {
		return err
	}
	made := missing(filepath.Dir(dir))
	_, statErr := os.Stat(lockPath(dir))
	newLock := errors.Is(statErr, fs.ErrNotExist)
	p, err := takeDataDir(cfg)
	defer func() {
		if err == nil {
			return
		}
		for _, folder := range made {
			_ = os.Remove(folder) // refused where there is something in it
		}
	}()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil && newLock {
			_ = os.Remove(lockPath(dir))
		}
		p.release()
	}()
	if info, err := os.Stat(dir); err == nil && (!info.IsDir() || !isEmptyDir(dir)) {
		return &memd.Error{Kind: memd.Conflict, Op: "embedded.restore",
			Msg: fmt.Sprintf("%s is there already and not empty: a backup is restored into a new data directory only", dir)}
	}
	p.forgetSocketDir()
	if err := p.removeUnfinished(ctx); err != nil {
		return err
	}
	temp, err := p.createNew(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	if err := p.fill(ctx, temp, archive, want); err != nil {
		return err
	}
	return p.putInPlace(temp)
}

// missing lists the folders that are not there of a path, the innermost first.
func missing(dir string) (folders []string) {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			return folders
		}
		folders = append(folders, dir)
		dir = filepath.Dir(dir)
	}
}

// fill loads the archive into the new data directory temp, by a server of its own that
// has ended when it returns.
func (p *Postgres) fill(ctx context.Context, temp string, archive io.Reader, want Contents) (err error) {
	cfg := p.cfg
	cfg.DataDir = temp
	s := newPostgres(cfg)
	s.account, s.byHand = p.account, p.byHand
	// The server gives the lock back when it ends; ours goes on holding.
	fd, err := unix.FcntlInt(p.lock.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return invalid("%v", err)
	}
	s.lock = os.NewFile(uintptr(fd), p.lock.Name())
	if s.socket, err = s.makeSocketDir(); err != nil {
		s.release()
		return err
	}
	if err := s.run(ctx); err != nil {
		return err
	}
	if err := s.load(ctx, archive, want); err != nil {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopPatience)
		defer cancel()
		return errors.Join(err, s.Stop(stopping))
	}
	// It ends when all is on disk, which takes as long as it takes; or is killed with
	// ctx, and then not all is.
	if err := s.Stop(ctx); err != nil {
		return err
	}
	return ctx.Err()
}

func (p *Postgres) load(ctx context.Context, archive io.Reader, want Contents) error {
	if err := p.ensureDatabase(ctx); err != nil {
		return err
	}
	// In one transaction: whoever looks in sees nothing, or all of it.
	if err := p.client(ctx, "pg_restore", archive, nil,
		"--single-transaction", "--dbname="+p.url(superuser, database)); err != nil {
		return err
	}
	return p.exec(ctx, database, func(c *pgx.Conn) error {
		tx, err := c.Begin(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
		have, err := readContents(ctx, tx)
		if err != nil {
			return err
		}
		if have.Schema != want.Schema {
			return invalid("the backup says that it has schema %d, and has %d", want.Schema, have.Schema)
		}
		if !maps.Equal(have.Rows, want.Rows) {
			return invalid("what was restored is not what the backup says: %s", difference(want.Rows, have.Rows))
		}
		if err := tx.Rollback(ctx); err != nil {
			return err
		}
		// Plans are made by these statistics, which an archive does not have.
		_, err = c.Exec(ctx, `ANALYZE`)
		return err
	})
}

// difference names one table that is not as it should be.
func difference(want, have map[string]int64) string {
	for table, n := range want {
		if m, there := have[table]; !there || m != n {
			return fmt.Sprintf("%s has %d rows and should have %d", table, m, n)
		}
	}
	for table := range have {
		if _, there := want[table]; !there {
			return table + " should not be there"
		}
	}
	return "nothing"
}

// client runs a program of the Postgres installation that connects to the server. It
// works with the account's rights, and ends with this process.
func (p *Postgres) client(ctx context.Context, program string, stdin io.Reader, stdout io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(p.cfg.BinDir, "bin", program), args...)
	cmd.Dir = "/"
	cmd.Env = serverEnv()
	cmd.SysProcAttr = p.account.attributes()
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGTERM) }
	cmd.WaitDelay = stopPatience
	said := &firstBytes{n: 4 << 10}
	cmd.Stdin, cmd.Stderr = stdin, said
	var out *outcome
	if stdout != nil {
		out = &outcome{w: stdout}
		cmd.Stdout = out
	}

	// See supervise: the system ties the child to the thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	afterStart := dieWithParent(cmd)
	if err := cmd.Start(); err != nil {
		return invalid("cannot start %s as uid %d: %v", program, p.account.uid, err)
	}
	release := afterStart()
	defer release()
	err := cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return &memd.Error{Kind: memd.Unavailable, Op: "embedded.postgres", Msg: program + " was cut short", Err: ctx.Err()}
	case out != nil && out.err != nil:
		return out.err // more telling than that the pipe broke
	case err != nil:
		return &memd.Error{Kind: memd.Internal, Op: "embedded.postgres", Msg: program + " failed: " + said.line(), Err: err}
	}
	return nil
}

// outcome remembers why writing failed.
type outcome struct {
	w   io.Writer
	err error
}

func (o *outcome) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if err != nil {
		o.err = err
	}
	return n, err
}

// firstBytes keeps the beginning of what is written: what goes wrong first is the cause
// of what goes wrong later.
type firstBytes struct {
	n    int
	kept []byte
}

func (f *firstBytes) Write(b []byte) (int, error) {
	f.kept = append(f.kept, b[:min(len(b), f.n-len(f.kept))]...)
	return len(b), nil
}

// line gives the first line that tells of an error, else the first.
func (f *firstBytes) line() string { return whatFailed(string(f.kept), firstLine) }

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
