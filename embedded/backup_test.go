package embedded_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embedded"
	"github.com/memdhq/memd/internal/memdtest"
)

// withTables starts a Postgres on dir with a schema that has a version, a table that only
// some roles may see into, and a row in it.
func withTables(t *testing.T, dir string) *embedded.Postgres {
	t.Helper()
	pg := startPostgres(t, dir)
	c, err := pgx.Connect(t.Context(), pg.OwnerURL())
	if err == nil {
		_, err = c.Exec(t.Context(), `
			CREATE FUNCTION memd_schema_version() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 7';
			CREATE TABLE "a table" (n int, near vector(2));
			INSERT INTO "a table" VALUES (1, '[1,2]');
			GRANT SELECT ON "a table" TO memd_app;
			ALTER TABLE "a table" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
			CREATE POLICY p ON "a table" USING (current_user = 'memd_app')`)
	}
	if err == nil {
		err = c.Close(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return pg
}

func TestBackupAndRestore(t *testing.T) {
	from := usedDir(t)
	pg := withTables(t, from)
	var running, stopped bytes.Buffer
	contents, err := embedded.Backup(t.Context(), config(t, from), &running)
	if err != nil || contents.Schema != 7 || len(contents.Rows) != 1 || contents.Rows[`public."a table"`] != 1 {
		t.Fatalf("%+v, %v", contents, err)
	}
	stopPostgres(t, pg)
	again, err := embedded.Backup(t.Context(), config(t, from), &stopped)
	if err != nil || again.Schema != 7 || again.Rows[`public."a table"`] != 1 || stopped.Len() == 0 {
		t.Fatalf("%+v, %v", again, err)
	}

	into := newDir(t)
	if err := embedded.Restore(t.Context(), config(t, into), &running, contents); err != nil {
		t.Fatal(err)
	}
	restored := startPostgres(t, into)
	if n := query[int](t, restored.AppURL(), `SELECT n FROM "a table" WHERE near = '[1,2]'`); n != 1 {
		t.Errorf("memd_app sees %d", n)
	}
	if n := query[int](t, restored.OwnerURL(), `SELECT count(*) FROM "a table"`); n != 0 {
		t.Errorf("the owner sees %d rows past the policy", n)
	}
	if !query[bool](t, restored.OwnerURL(), `SELECT has_table_privilege('memd_app', '"a table"', 'SELECT') AND NOT has_table_privilege('memd_app', '"a table"', 'INSERT')`) {
		t.Error("the grants are others")
	}
}

// stopping has something done before the first of what is written is taken.
type stopping struct {
	once sync.Once
	do   func() error
}

func (s *stopping) Write(b []byte) (n int, err error) {
	s.once.Do(func() { err = s.do() })
	return len(b), err
}

// A backup that ends with the memd it is made of says so; one that ends for another reason
// does not.
func TestABackupSaysThatItsMemdStopped(t *testing.T) {
	from := usedDir(t)
	pg := withTables(t, from)
	c, err := pgx.Connect(t.Context(), pg.OwnerURL())
	if err == nil { // more than lies on its way
		_, err = c.Exec(t.Context(), `CREATE TABLE much AS SELECT md5(n::text) || md5((-n)::text) AS text FROM generate_series(1, 100000) n`)
	}
	if err == nil {
		err = c.Close(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	const says = "stopped while its backup was made"
	full := errors.New("full")
	if _, err := embedded.Backup(t.Context(), config(t, from), &stopping{do: func() error { return full }}); !errors.Is(err, full) || strings.Contains(err.Error(), says) {
		t.Errorf("where it cannot be written: %v", err)
	}
	_, err = embedded.Backup(t.Context(), config(t, from), &stopping{do: func() error { stopPostgres(t, pg); return nil }})
	if memd.KindOf(err) != memd.Unavailable || !strings.Contains(err.Error(), says) {
		t.Errorf("where it stops: %v", err)
	}
}

func TestBackupAndRestoreRefuse(t *testing.T) {
	empty := usedDir(t)
	pg := startPostgres(t, empty)
	var out bytes.Buffer
	if _, err := embedded.Backup(t.Context(), config(t, empty), &out); memd.KindOf(err) != memd.NotFound || out.Len() > 0 {
		t.Errorf("a database without a schema: %v, %d bytes", err, out.Len())
	}
	err := embedded.Restore(t.Context(), config(t, empty), &out, embedded.Contents{})
	if memd.KindOf(err) != memd.Conflict || !strings.Contains(err.Error(), "another memd is running") {
		t.Errorf("a running one: %v", err)
	}
	stopPostgres(t, pg)
	if err := embedded.Restore(t.Context(), config(t, empty), &out, embedded.Contents{}); memd.KindOf(err) != memd.Conflict {
		t.Errorf("one that is there: %v", err)
	}
	if _, err := embedded.Backup(t.Context(), config(t, newDir(t)), &out); memd.KindOf(err) != memd.NotFound {
		t.Errorf("none: %v", err)
	}

	broken := errors.New("the disk is full")
	full := usedDir(t)
	pg = withTables(t, full)
	if _, err := embedded.Backup(t.Context(), config(t, full), writer(func([]byte) (int, error) { return 0, broken })); !errors.Is(err, broken) {
		t.Errorf("what cannot be written: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := embedded.Backup(ctx, config(t, full), writer(func(b []byte) (int, error) {
		cancel()
		return len(b), nil
	})); !errors.Is(err, context.Canceled) {
		t.Errorf("cut short: %v", err)
	}
	stopPostgres(t, pg)
}

func TestRestoreLeavesNothingOfWhatIsNoArchive(t *testing.T) {
	parent := memdtest.Dir(t)
	into := filepath.Join(parent, "deep", "postgres")
	err := embedded.Restore(t.Context(), config(t, into), strings.NewReader("PGDMP"), embedded.Contents{})
	if err == nil || !strings.Contains(err.Error(), "pg_restore") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }
