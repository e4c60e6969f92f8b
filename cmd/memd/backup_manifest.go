package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embedded"
)

const (
	// backupFormat is the version of the form of backups.
	backupFormat = 1
	// maxManifest bounds the last line of a backup: it has some tens of bytes for each
	// table.
	maxManifest = 8 << 20
)

// manifest is the last line of a backup, which is an archive of pg_dump's custom format
// up to there: pg_restore reads it as it is. What is cut short has no such line.
type manifest struct {
	Format int `json:"memd_backup"`
	// Memd is the version of the memd that made it.
	Memd   string    `json:"memd"`
	MadeAt time.Time `json:"made_at"`
	embedded.Contents
	// Bytes is the length of the archive, SHA256 its sum.
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// line is what follows the archive.
func (m manifest) line() []byte {
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err) // numbers and strings
	}
	return append(append([]byte{'\n'}, raw...), '\n')
}

// String tells what is in the backup.
func (m manifest) String() string {
	return fmt.Sprintf("%d messages, %d of them still to be learned from, and %d memories (schema %d, %s)",
		m.Rows["public.conversation_context"], m.Rows["public.ingest_open"], m.Rows["public.memory"], m.Schema, size(m.Bytes))
}

// size tells a number of bytes in words.
func size(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", (n+1023)>>10)
}

// errNoBackup is the error of a file without a manifest.
var errNoBackup = errors.New("is no whole backup of memd: it was cut short, or is something else")

// readManifest reads the last line of a backup of so many bytes.
func readManifest(r io.ReaderAt, length int64) (manifest, error) {
	var m manifest
	tail := make([]byte, min(length, maxManifest))
	if _, err := r.ReadAt(tail, length-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return m, err
	}
	line, ended := bytes.CutSuffix(tail, []byte{'\n'})
	begin := bytes.LastIndexByte(line, '\n')
	if !ended || begin < 0 {
		return m, errNoBackup
	}
	if err := json.Unmarshal(line[begin+1:], &m); err != nil || m.Format < 1 || m.Bytes != length-int64(len(tail))+int64(begin) {
		return manifest{}, errNoBackup
	}
	return m, nil
}

// check refuses a backup that this memd cannot restore, and one that is damaged.
func (m manifest) check(r io.ReaderAt) error {
	if m.Format > backupFormat {
		return fmt.Errorf("was made by memd %s in a form that this memd does not know: use a newer memd", m.Memd)
	}
	known, err := knownSchema()
	if err != nil {
		return err
	}
	if m.Schema > known {
		return fmt.Errorf("was made by memd %s and has schema %d, and this memd knows schemas up to %d: use a newer memd", m.Memd, m.Schema, known)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(r, 0, m.Bytes)); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != m.SHA256 {
		return errors.New("is damaged: its checksum is another than when it was made")
	}
	return nil
}

var schemaVersion = regexp.MustCompile(`(?m)^CREATE FUNCTION memd_schema_version\(\) .*'SELECT (\d+)';$`)

// knownSchema is the version of the schema that this memd works with.
func knownSchema() (int, error) {
	found := schemaVersion.FindStringSubmatch(memd.Schema)
	if found == nil {
		return 0, errors.New("the schema says no version")
	}
	return strconv.Atoi(found[1])
}
