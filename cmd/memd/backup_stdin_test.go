package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What comes from standard input is read whole, to its end, and leaves no file.
func TestStandardInputIsSpooled(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f, err := spool(strings.NewReader("a backup"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := io.ReadAll(io.NewSectionReader(f, 2, 6))
	if err != nil || string(got) != "backup" {
		t.Errorf("read %q, %v", got, err)
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

// Standard input that is no backup is refused as a file is.
func TestRestoreReadsStandardInput(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), binary, "restore", "-", "--data-dir", filepath.Join(t.TempDir(), "d"))
	cmd.Env = append(cleanEnv(), "TMPDIR="+temporary)
	cmd.Stdin = strings.NewReader(strings.Repeat("no backup ", 1000))
	out, err := cmd.CombinedOutput()
	if err == nil || strings.Contains(string(out), "no such file") || !strings.Contains(string(out), "is no whole backup") {
		t.Errorf("%v: %s", err, out)
	}
}
