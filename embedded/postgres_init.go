package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/setup"
)

// initialize makes the data directory if there is none, and refuses one that is
// not ours to use. It is made under another name and renamed when it is whole: a
// first start that is killed leaves nothing that the next would take for data.
func (p *Postgres) initialize(ctx context.Context) error {
	dir := p.cfg.DataDir
	if err := p.removeUnfinished(ctx); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return p.create(ctx)
	case err != nil:
		return invalid("%v", err)
	case !info.IsDir():
		return invalid("%s is not a folder", dir)
	}
	version, err := os.ReadFile(filepath.Join(dir, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		if isEmptyDir(dir) {
			return p.create(ctx)
		}
		return invalid("%s is not empty and holds no Postgres data; use another MEMD_DATA_DIR", dir)
	}
	if err != nil {
		return invalid("%v", err)
	}
	want, err := majorVersion()
	if err != nil {
		return err
	}
	if have := strings.TrimSpace(string(version)); have != want {
		return invalid("%s holds data of Postgres %s and this memd carries %s; dump it with Postgres %s and restore it into a new folder, or use another MEMD_DATA_DIR",
			dir, have, want, have)
	}
	return nil
}

// removeUnfinished removes data directories that were never finished. We hold the
// lock: whoever began them is gone.
func (p *Postgres) removeUnfinished(ctx context.Context) error {
	stale, err := filepath.Glob(globEscape(p.cfg.DataDir) + ".new-*")
	if err != nil {
		return invalid("%s: %v", p.cfg.DataDir, err)
	}
	for _, old := range stale {
		if err := endProcesses(ctx, func() []int { return processesOf(old) }, unix.SIGKILL); err != nil {
			return err
		}
		if err := os.RemoveAll(old); err != nil {
			return invalid("cannot remove %s, left by a first start or a restore that was cut short: %v", old, err)
		}
	}
	return nil
}

func majorVersion() (string, error) {
	lock, err := setup.Read()
	if err != nil {
		return "", err
	}
	asset, err := lock.Asset("postgres")
	if err != nil {
		return "", err
	}
	major, _, _ := strings.Cut(asset.Version, ".")
	return major, nil
}

func (p *Postgres) create(ctx context.Context) error {
	temp, err := p.createNew(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	return p.putInPlace(temp)
}

// createNew runs initdb under a name that removeUnfinished knows. initdb insists on a
// user that the system knows by name, so as root it is always nobody, whoever gets the
// directory in the end.
func (p *Postgres) createNew(ctx context.Context) (_ string, err error) {
	dir := p.cfg.DataDir
	maker := p.account
	if _, err := user.LookupId(strconv.FormatUint(uint64(maker.uid), 10)); err != nil {
		if !maker.drop {
			return "", invalid("uid %d has no name on this system, which initdb needs; add it to the password file, or make the first start as a user that has one", maker.uid)
		}
		if maker, err = nobody(); err != nil {
			return "", err
		}
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".new-")
	if err != nil {
		return "", invalid("cannot make the data folder (MEMD_DATA_DIR): %v", err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(temp)
		}
	}()
	if err := maker.own(temp); err != nil {
		return "", invalid("cannot give %s to uid %d: %v", temp, maker.uid, err)
	}
	p.cfg.Log.Info().Str("dir", dir).Msg("making a new Postgres data directory")
	if err := p.initdb(ctx, temp, maker); err != nil {
		return "", err
	}
	if maker != p.account {
		if err := p.ownTree(temp); err != nil {
			return "", invalid("cannot give %s to uid %d: %v", temp, p.account.uid, err)
		}
	}
	return temp, nil
}

// putInPlace gives a finished data directory its name.
func (p *Postgres) putInPlace(temp string) error {
	dir := p.cfg.DataDir
	// Unlike os.Rename, the system's takes the place of an empty directory.
	if err := unix.Rename(temp, dir); err != nil {
		if errors.Is(err, unix.EBUSY) {
			return invalid("%s is a mount point; use a folder inside it, or mount the one above it", dir)
		}
		return invalid("cannot put the new data directory at %s: %v", dir, err)
	}
	return syncDir(filepath.Dir(dir))
}

func (p *Postgres) initdb(ctx context.Context, dir string, maker account) error {
	cmd := exec.CommandContext(ctx, filepath.Join(p.cfg.BinDir, "bin", "initdb"),
		"-U", superuser, "--auth=trust", "--encoding=UTF8",
		"--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--no-instructions")
	closeDir, err := p.passDir(cmd, dir)
	if err != nil {
		return err
	}
	defer closeDir()
	cmd.Env = serverEnv()
	cmd.SysProcAttr = maker.attributes()
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out

	// See supervise: the system ties the child to the thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	afterStart := dieWithParent(cmd)
	if err := cmd.Start(); err != nil {
		return invalid("cannot start initdb as uid %d: %v", maker.uid, err)
	}
	release := afterStart()
	defer release()
	err = cmd.Wait()
	if ctx.Err() != nil {
		return &memd.Error{Kind: memd.Unavailable, Op: "embedded.postgres", Msg: "initdb was cut short", Err: ctx.Err()}
	}
	if err != nil {
		return invalid("initdb failed: %s (%v)", whatFailed(out.String(), lastLine), err)
	}
	return nil
}

func (p *Postgres) ownTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return p.account.own(path)
	})
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return invalid("%v", err)
	}
	defer func() { _ = d.Close() }()
	if err := d.Sync(); err != nil {
		return invalid("%v", err)
	}
	return nil
}

// ensureDatabase makes what is missing of roles, database and extension. It runs
// at each start: a first one may have been cut short anywhere.
func (p *Postgres) ensureDatabase(ctx context.Context) error {
	if err := p.exec(ctx, "postgres", func(c *pgx.Conn) error {
		for _, role := range []string{ownerRole, appRole} {
			if err := unless(ctx, c, "SELECT 1 FROM pg_roles WHERE rolname = $1", role,
				"CREATE ROLE "+role+" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"); err != nil {
				return err
			}
		}
		return unless(ctx, c, "SELECT 1 FROM pg_database WHERE datname = $1", database,
			"CREATE DATABASE "+database+" OWNER "+ownerRole)
	}); err != nil {
		return err
	}
	return p.exec(ctx, database, func(c *pgx.Conn) error {
		if err := unless(ctx, c, "SELECT 1 FROM pg_extension WHERE extname = $1", "vector",
			"CREATE EXTENSION vector WITH SCHEMA public"); err != nil {
			return err
		}
		// A newer memd may carry a newer extension.
		return unless(ctx, c, `SELECT 1 FROM pg_extension e JOIN pg_available_extensions a ON a.name = e.extname
			WHERE e.extname = $1 AND e.extversion = a.default_version`, "vector",
			"ALTER EXTENSION vector UPDATE")
	})
}

func (p *Postgres) exec(ctx context.Context, db string, f func(*pgx.Conn) error) error {
	c, err := pgx.Connect(ctx, p.url(superuser, db))
	if err == nil {
		err = f(c)
		_ = c.Close(ctx)
	}
	var told *memd.Error
	if err == nil || errors.As(err, &told) {
		return err
	}
	return &memd.Error{Kind: memd.Unavailable, Op: "embedded.postgres", Msg: "cannot prepare the database", Err: err}
}

func unless(ctx context.Context, c *pgx.Conn, query, arg, statement string) error {
	var one int
	err := c.QueryRow(ctx, query, arg).Scan(&one)
	if errors.Is(err, pgx.ErrNoRows) {
		_, err = c.Exec(ctx, statement)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// serverEnv is all that the server's programs get to know of memd's environment,
// which holds keys that are none of their business.
func serverEnv() []string {
	return []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
}

// whatFailed gives the first line that tells of an error: later ones come of it, and the last
// tell what was tidied up. Where there is none, other chooses. What the server says of one
// may stand behind how far it was.
func whatFailed(said string, other func(string) string) string {
	for line := range strings.Lines(said) {
		for _, mark := range []string{"FATAL:", "PANIC:"} {
			if _, what, found := strings.Cut(line, mark); found {
				return strings.TrimSpace(what)
			}
		}
		if strings.Contains(line, "error:") {
			return strings.TrimSpace(line)
		}
	}
	return other(said)
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
