// Package setup knows what memd needs beside Go: which Postgres, which model,
// which runtime, and where fetch.py has put them. assets.lock is the one place
// that says so; fetch.py reads it when it fetches, this package is built with it.
package setup

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

//go:embed assets.lock
var lockFile []byte

// Asset is one thing in the cache.
type Asset struct {
	// Name is postgres, onnxruntime or e5-small-v2-q8.
	Name string `json:"name"`
	// Version is the version of what is inside, not of the package that carries it.
	Version string `json:"version"`
	// PGVector is the version of the extension that comes with postgres.
	PGVector string `json:"pgvector"`
	// Dir is the asset's folder in the cache; it changes whenever its contents do.
	Dir string `json:"dir"`
	// Root is where in Dir the installation begins, if not in Dir itself.
	Root string `json:"root"`
	// Library names the shared library in Dir, by platform.
	Library map[string]string `json:"library"`
	// Files are the sha256 of single files in Dir, by platform and name.
	Files map[string]map[string]string `json:"files"`
}

// Lock is what assets.lock says, as far as memd itself needs it.
type Lock struct {
	// Platforms for which there are assets, as Platform writes them.
	Platforms []string `json:"platforms"`
	Assets    []Asset  `json:"assets"`
}

// Read gives the lock that this program was built with.
func Read() (Lock, error) {
	var l Lock
	if err := json.Unmarshal(lockFile, &l); err != nil {
		return Lock{}, fmt.Errorf("assets.lock: %w", err)
	}
	return l, nil
}

// Asset gives the asset of that name.
func (l Lock) Asset(name string) (Asset, error) {
	for _, a := range l.Assets {
		if a.Name == name {
			return a, nil
		}
	}
	return Asset{}, fmt.Errorf("assets.lock: no asset %q", name)
}

// Platform is this program's platform as the lock writes it, "linux-amd64".
func Platform() string { return runtime.GOOS + "-" + runtime.GOARCH }

// CacheDir is where fetch.py puts the assets: MEMD_CACHE_DIR, else
// /var/cache/memd for root, else memd under XDG_CACHE_HOME or ~/.cache.
func CacheDir() (string, error) {
	if dir := os.Getenv("MEMD_CACHE_DIR"); dir != "" {
		return filepath.Abs(dir)
	}
	if os.Geteuid() == 0 {
		// Root's home is closed to the unprivileged Postgres.
		return "/var/cache/memd", nil
	}
	base := os.Getenv("XDG_CACHE_HOME")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("no cache folder: set MEMD_CACHE_DIR or HOME: %w", err)
		}
		base = filepath.Join(home, ".cache")
	}
	return filepath.Join(base, "memd"), nil
}
