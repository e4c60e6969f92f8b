package embedded

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/memdhq/memd/setup"
)

// Assets tells where the things that memd needs beside Go lie.
type Assets struct {
	// Postgres is the root of the Postgres installation: bin, lib and share.
	Postgres string
	Model
}

// Model tells where the embedding model and its runtime lie, and their versions.
type Model struct {
	// Library is the ONNX Runtime's shared library.
	Library string
	// LibraryVersion is the runtime's version, "1.31.1".
	LibraryVersion string
	// ONNX is the model file, Tokenizer the tokenizer's vocabulary as JSON.
	ONNX, Tokenizer string
	// Name is the model's name, "e5-small-v2-q8"; Version the version of the
	// artifact it came in; SHA256 that of the model file.
	Name, Version, SHA256 string
}

// FindAssets gives the place of all assets, or one line that says what is
// missing and what to do.
func FindAssets() (Assets, error) {
	postgres, err := FindPostgres()
	if err != nil {
		return Assets{}, err
	}
	model, err := FindModel()
	return Assets{Postgres: postgres, Model: model}, err
}

// FindPostgres gives the root of the Postgres installation.
func FindPostgres() (string, error) {
	dir, asset, err := find("postgres", func(a setup.Asset) []string {
		return []string{filepath.Join(a.Root, "bin/postgres"), filepath.Join(a.Root, "bin/initdb")}
	})
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, asset.Root), nil
}

// FindModel gives the place of the embedding model and of its runtime.
func FindModel() (Model, error) {
	runtimeDir, library, err := find("onnxruntime", func(a setup.Asset) []string {
		return []string{a.Library[setup.Platform()]}
	})
	if err != nil {
		return Model{}, err
	}
	modelDir, model, err := find("e5-small-v2-q8", func(setup.Asset) []string {
		return []string{"model.onnx", "tokenizer.json"}
	})
	if err != nil {
		return Model{}, err
	}
	return Model{
		Library:        filepath.Join(runtimeDir, library.Library[setup.Platform()]),
		LibraryVersion: library.Version,
		ONNX:           filepath.Join(modelDir, "model.onnx"),
		Tokenizer:      filepath.Join(modelDir, "tokenizer.json"),
		Name:           model.Name,
		Version:        model.Version,
		SHA256:         model.Files[setup.Platform()]["model.onnx"],
	}, nil
}

// CacheDir is where the assets lie that no release brings along, and by what variable it
// is chosen, which is read nowhere else.
func CacheDir() (variable, dir string, err error) {
	dir, err = setup.CacheDir()
	return "MEMD_CACHE_DIR", dir, err
}

// find gives the folder of the named asset: beside the program, as an image or
// a release archive carries it, else in the cache. MEMD_CACHE_DIR goes before
// both.
func find(name string, needs func(setup.Asset) []string) (string, setup.Asset, error) {
	lock, err := setup.Read()
	if err != nil {
		return "", setup.Asset{}, err
	}
	asset, err := lock.Asset(name)
	if err != nil {
		return "", setup.Asset{}, err
	}
	if !supported(lock, setup.Platform()) {
		return "", setup.Asset{}, fmt.Errorf("there is no %s for %s", name, setup.Platform())
	}
	cache, err := setup.CacheDir()
	if err != nil {
		return "", setup.Asset{}, err
	}
	places := []string{cache}
	if exe, err := os.Executable(); err == nil && os.Getenv("MEMD_CACHE_DIR") == "" {
		places = []string{filepath.Join(filepath.Dir(exe), "../share/memd"), cache}
	}
	for _, place := range places {
		dir := filepath.Join(place, asset.Dir)
		if allExist(dir, needs(asset)) {
			return dir, asset, nil
		}
	}
	return "", setup.Asset{}, fmt.Errorf("%s %s is not in %s (MEMD_CACHE_DIR): run `make setup`", asset.Name, asset.Version, cache)
}

func supported(lock setup.Lock, platform string) bool {
	for _, p := range lock.Platforms {
		if p == platform {
			return true
		}
	}
	return false
}

func allExist(dir string, names []string) bool {
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}
