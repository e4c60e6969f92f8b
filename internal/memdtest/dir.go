package memdtest

import (
	"os"
	"testing"

	"github.com/memdhq/memd/embedded"
)

// Dir gives an empty folder for the test, removed after it: in memory if there is room,
// unless TMPDIR says where. Unlike that of t.TempDir it can be reached by a Postgres
// without root's rights.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := makeDir()
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

func makeDir() (string, error) {
	parent := os.Getenv("TMPDIR")
	if parent == "" {
		parent = memory()
	}
	dir, err := os.MkdirTemp(parent, "memd-test-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
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
