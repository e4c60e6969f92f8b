package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/memdhq/memd/embedded"
)

type restoreCommand struct {
	backupFlags
	File string `arg:"" help:"A file that memd backup wrote; - for standard input, which is kept in a temporary file meanwhile."`
}

// Help is called by kong.
func (restoreCommand) Help() string {
	return "The data directory must hold no database yet: nothing is ever overwritten. It has the database when all of it is restored and checked, and not before. A backup of an older memd is brought up to date when memd is started on it; one of a newer memd is refused."
}

// Run makes a data directory from a backup.
func (c restoreCommand) Run(ctx context.Context) error {
	to, err := c.postgres("restore", "pg_restore")
	if err != nil {
		return err
	}
	var f *os.File
	if c.File == "-" {
		f, err = spool(os.Stdin)
	} else {
		f, err = os.Open(c.File)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file: a backup is read from its end", c.File)
	}
	m, err := readManifest(f, info.Size())
	if err == nil {
		err = m.check(f)
	}
	if err != nil {
		return fmt.Errorf("%s %w", c.File, err)
	}
	archive := bufio.NewReaderSize(io.NewSectionReader(f, 0, m.Bytes), 1<<20)
	if err := embedded.Restore(ctx, to, archive, m.Contents); err != nil {
		return interrupted(ctx, err)
	}
	dir := filepath.Dir(to.DataDir)
	// What a queue holds belongs to another database. It costs nothing that it goes:
	// what is open is published anew.
	if err := embedded.RemoveStore(filepath.Join(dir, "nats")); err != nil {
		fmt.Fprintln(os.Stderr, "memd: the queue of an earlier database is left, which does no harm:", plain(err))
	}
	fmt.Printf("restored %s, made by memd %s at %s, into %s\n", m, m.Memd, m.MadeAt.Format("2006-01-02 15:04:05Z"), dir)
	return nil
}

// spool keeps what is read in a file, which is gone once it is closed: a backup is read from
// its end.
func spool(from io.Reader) (*os.File, error) {
	f, err := os.CreateTemp("", "memd-restore-*")
	if err != nil {
		return nil, err
	}
	if err = os.Remove(f.Name()); err == nil {
		_, err = io.Copy(f, from)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
