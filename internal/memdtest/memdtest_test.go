package memdtest_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/memdhq/memd/internal/memdtest"
)

func TestMain(m *testing.M) { memdtest.Main(m) }

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

func TestPostgresGivesFreshDatabases(t *testing.T) {
	for range 2 {
		ownerURL, appURL := memdtest.Postgres(t)
		owner, app := connect(t, ownerURL), connect(t, appURL)
		if _, err := owner.Exec(t.Context(), "CREATE TABLE t (v vector(3)); GRANT INSERT ON t TO memd_app"); err != nil {
			t.Fatal(err)
		}
		if _, err := app.Exec(t.Context(), "INSERT INTO t VALUES ('[1,2,3]')"); err != nil {
			t.Fatal(err)
		}
		if _, err := app.Exec(t.Context(), "CREATE TABLE u ()"); err == nil {
			t.Fatal("memd_app could make a table")
		}
	}
}

func TestPreparedRunsOnce(t *testing.T) {
	runs := 0
	prepare := func(ctx context.Context, ownerURL string) error {
		runs++
		c, err := pgx.Connect(ctx, ownerURL)
		if err != nil {
			return err
		}
		defer func() { _ = c.Close(ctx) }()
		_, err = c.Exec(ctx, "CREATE TABLE t (n int)")
		return err
	}
	for range 3 {
		ownerURL, _ := memdtest.Prepared(t, "t", prepare)
		c := connect(t, ownerURL)
		var n int
		if err := c.QueryRow(t.Context(), "INSERT INTO t VALUES (1) RETURNING (SELECT count(*) FROM t)").Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n != 0 {
			t.Fatalf("a copy holds %d rows of another test", n)
		}
	}
	if runs != 1 {
		t.Fatalf("prepare ran %d times", runs)
	}
}

// What runs that were killed left goes when the next makes its first folder, with what
// still runs from there; what belongs to a process that is alive stays, and so does what
// has another name.
func TestLeftoversAreSwept(t *testing.T) {
	parent := memdtest.Dir(t)
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	stays := map[string]bool{
		fmt.Sprintf("memd-test-%d-1", ended.Process.Pid): false,
		fmt.Sprintf("memd-test-%d-1", os.Getpid()):       true,
		fmt.Sprintf("memd-test-%d", ended.Process.Pid):   true,
		"memd-test-x-1": true,
		"other":         true,
	}
	for name := range stays {
		if err := os.MkdirAll(filepath.Join(parent, name, "within"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	memdtest.Sweep(parent)
	for name, stay := range stays {
		if _, err := os.Stat(filepath.Join(parent, name)); (err == nil) != stay {
			t.Errorf("%s: %v", name, err)
		}
	}
}
