package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/app"
	"github.com/memdhq/memd/embedded"
	"golang.org/x/sys/unix"
)

// backupFlags say which data a backup is made of, or where it is restored to.
type backupFlags struct {
	DataDir string `env:"MEMD_DATA_DIR" placeholder:"DIR" help:"Where the embedded Postgres keeps its data (default: as of memd serve)."`
	DBURL   string `name:"db-url" env:"DB_URL" hidden:""`
}

// postgres gives the embedded Postgres that is meant.
func (f backupFlags) postgres(command, instead string) (embedded.PostgresConfig, error) {
	if f.DBURL != "" {
		return embedded.PostgresConfig{}, fmt.Errorf("DB_URL names a Postgres that memd does not run, and memd %s is for the embedded one: use %s, as docs/backup.md says, or unset DB_URL", command, instead)
	}
	cfg, err := app.Config{DataDir: f.DataDir}.InForce()
	if err != nil {
		return embedded.PostgresConfig{}, err
	}
	bin, err := embedded.FindPostgres()
	return embedded.PostgresConfig{BinDir: bin, DataDir: filepath.Join(cfg.DataDir, "postgres"),
		Log: newLogger("warn", "auto").With().Str(memd.LogComponent, "postgres").Logger()}, err
}

type backupCommand struct {
	backupFlags
	File string `arg:"" help:"Where to; - for standard output. A file of that name is replaced once the backup is complete."`
}

// Help is called by kong.
func (backupCommand) Help() string {
	return "The backup is of one moment. A memd that runs on the data directory goes on with its work; where none runs, its Postgres is started for as long as it takes. What was being learned when it was made is learned by the memd that is started on what is restored."
}

// Run writes a backup.
func (c backupCommand) Run(ctx context.Context) error {
	from, err := c.postgres("backup", "pg_dump")
	if err != nil {
		return err
	}
	if c.File == "-" {
		if isatty.IsTerminal(os.Stdout.Fd()) {
			return errors.New("a backup is nothing to be shown on a terminal: name a file, or send it to one")
		}
		m, err := writeBackup(ctx, from, os.Stdout)
		if err != nil {
			return interrupted(ctx, err)
		}
		fmt.Fprintln(os.Stderr, "backed up", m)
		return nil
	}
	out, err := createPartial(c.File)
	if err != nil {
		return err
	}
	defer out.discard()
	m, err := writeBackup(ctx, from, out)
	if err == nil {
		err = out.complete()
	}
	if err != nil {
		return interrupted(ctx, err)
	}
	fmt.Printf("backed up %s, to %s\n", m, c.File)
	return nil
}

// interrupted tells that a signal is why it went wrong, where one is.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}

// writeBackup writes an archive and what it is.
func writeBackup(ctx context.Context, from embedded.PostgresConfig, to io.Writer) (manifest, error) {
	m := manifest{Format: backupFormat, Memd: currentVersion(), MadeAt: time.Now().UTC().Truncate(time.Second)}
	sum := sha256.New()
	archive := &counter{w: io.MultiWriter(to, sum)}
	var err error
	if m.Contents, err = embedded.Backup(ctx, from, archive); err != nil {
		return m, err
	}
	m.Bytes, m.SHA256 = archive.n, hex.EncodeToString(sum.Sum(nil))
	_, err = to.Write(m.line())
	return m, err
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// partialSuffix ends the names of backups that are being written. Such a file is locked
// for as long as its memd lives.
const partialSuffix = ".memd-partial"

// partial is a file that gets its name when it is complete.
type partial struct {
	*os.File
	name string
}

// createPartial makes a file beside the one that it will be, and removes those that
// backups which were killed have left in that folder.
func createPartial(name string) (*partial, error) {
	dir := filepath.Dir(name)
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is there already and no file; for standard output say -", name)
	}
	if resolved, err := filepath.EvalSymlinks(name); err == nil {
		name, dir = resolved, filepath.Dir(resolved) // what a link names is replaced, not the link
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != partialSuffix || !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NOFOLLOW, 0); err == nil {
			if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil && sameFile(f, path) {
				_ = os.Remove(path)
			}
			_ = f.Close()
		}
	}
	for range 10 {
		f, err := os.CreateTemp(dir, "."+filepath.Base(name)+"-*"+partialSuffix)
		if err != nil {
			return nil, err
		}
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil && sameFile(f, f.Name()) {
			return &partial{File: f, name: name}, nil
		}
		// Another backup took it for left behind before it was locked.
		_ = os.Remove(f.Name())
		_ = f.Close()
	}
	return nil, fmt.Errorf("cannot lock a file in %s", dir)
}

// sameFile says whether the open file is the one that the path names.
func sameFile(f *os.File, path string) bool {
	opened, err1 := f.Stat()
	named, err2 := os.Lstat(path)
	return err1 == nil && err2 == nil && os.SameFile(opened, named)
}

// complete has all of it on disk, and gives it its name.
func (p *partial) complete() error {
	if err := p.Sync(); err != nil {
		return err
	}
	if err := os.Rename(p.File.Name(), p.name); err != nil {
		return err
	}
	temp := p.File
	p.File = nil
	dir, err := os.Open(filepath.Dir(p.name))
	if err != nil {
		return errors.Join(err, temp.Close())
	}
	return errors.Join(dir.Sync(), dir.Close(), temp.Close())
}

// discard removes what is not complete.
func (p *partial) discard() {
	if p.File != nil {
		_ = os.Remove(p.File.Name())
		_ = p.File.Close()
	}
}
