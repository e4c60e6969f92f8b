package memdtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/memdhq/memd/embedded"
)

// Dir gives an empty folder for the test, removed after it: in memory if there is room,
// unless TMPDIR says where. Unlike that of t.TempDir it can be reached by a Postgres
// without root's rights.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := MakeDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// prefix is what the names of tests' folders begin with; the number of the process that
// made it and what makes it unique follow.
const prefix = "memd-test-"

var swept sync.Once

// MakeDir is Dir for what outlives a test; the caller removes it. What runs that were
// killed have left there goes first.
func MakeDir() (string, error) {
	parent := os.Getenv("TMPDIR")
	if parent == "" {
		parent = memory()
	}
	if parent == "" {
		parent = os.TempDir()
	}
	swept.Do(func() { sweep(parent) })
	dir, err := os.MkdirTemp(parent, fmt.Sprintf("%s%d-", prefix, os.Getpid()))
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}

// sweep removes the folders below parent whose processes are gone. What cannot be
// removed stays, for somebody who can.
func sweep(parent string) {
	left, err := filepath.Glob(filepath.Join(parent, prefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		number, _, named := strings.Cut(strings.TrimPrefix(filepath.Base(dir), prefix), "-")
		pid, err := strconv.Atoi(number)
		if named && err == nil && unix.Kill(pid, 0) == unix.ESRCH {
			release(dir)
			_ = os.RemoveAll(dir)
		}
	}
}

// Assets gives the place of Postgres, the model and its runtime.
func Assets(t testing.TB) embedded.Assets {
	t.Helper()
	assets, err := embedded.FindAssets()
	if err != nil {
		t.Fatal(err)
	}
	return assets
}
