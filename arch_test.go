package memd_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/memdhq/memd"

// mayImport says which packages of this module each package may import: the table
// of docs/architecture.md. Data flows one way, so no arrow points back.
var mayImport = map[string][]string{
	"":                {},
	"postgres":        {""},
	"lexical":         {""},
	"embed":           {""},
	"embed/e5":        {"", "embed"},
	"extract":         {""},
	"extract/llm":     {"", "extract"},
	"bus":             {""},
	"traffic":         {},
	"idempotency":     {"", "postgres"},
	"shortterm":       {"", "postgres", "bus", "idempotency"},
	"longterm":        {"", "postgres", "lexical", "extract"},
	"recall":          {"", "embed", "longterm"},
	"worker":          {"", "postgres", "bus", "shortterm", "extract", "embed", "longterm", "traffic"},
	"assemble":        {"", "extract", "lexical", "shortterm", "longterm", "recall"},
	"remember":        {"", "postgres", "idempotency", "shortterm", "longterm", "recall"},
	"forget":          {"", "postgres", "shortterm", "longterm"},
	"revise":          {"", "postgres", "shortterm", "longterm"},
	"erase":           {"", "postgres", "idempotency", "shortterm", "longterm", "importjob"},
	"importjob":       {"", "postgres", "backfill", "backfill/format", "shortterm", "remember", "traffic"},
	"export":          {"", "postgres"},
	"backfill":        {"", "backfill/format"},
	"backfill/format": {""},
	"httpapi":         {"", "idempotency", "shortterm", "longterm", "recall", "assemble", "remember", "forget", "revise", "erase", "export", "importjob", "backfill/format", "traffic"},
	"summary":         {"", "postgres", "extract", "shortterm", "longterm"},
	"setup":           {},
	"embedded":        {"", "setup"},
	"app": {"", "postgres", "embed", "embed/e5", "extract", "extract/llm", "bus", "idempotency", "shortterm", "longterm",
		"recall", "worker", "assemble", "summary", "remember", "forget", "revise", "erase", "export", "importjob", "httpapi", "traffic"},
	"cmd/memd":          {"", "app", "embedded", "backfill", "backfill/format"},
	"eval":              {"", "app", "embedded", "postgres", "shortterm", "extract", "longterm"},
	"bench":             {"", "app", "httpapi", "assemble", "recall", "embedded", "postgres", "shortterm", "longterm", "embed", "embed/e5", "lexical", "bus", "idempotency"},
	"bench/backfill":    {},
	"bench/peers":       {"embedded"},
	"examples/demo":     {},
	"internal/memdtest": {"", "embedded", "postgres"},
}

type goPackage struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
	Deps         []string
	ForTest      string
}

func goList(t *testing.T, args ...string) []goPackage {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,TestImports,XTestImports,Deps,ForTest"}, args...)...).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// own gives the path of a package within the module.
func own(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

// badImports lists imports of this module that the table does not allow.
func badImports(p goPackage) []string {
	name, _ := own(p.ImportPath)
	allowed, known := mayImport[name]
	if !known {
		return []string{name + ": has no row in the table"}
	}
	var bad []string
	for _, i := range p.Imports {
		if dep, ok := own(i); ok && !slices.Contains(allowed, dep) {
			bad = append(bad, name+" imports "+dep)
		}
	}
	return bad
}

func TestPackagesImportOnlyWhatTheTableAllows(t *testing.T) {
	for _, p := range goList(t, "./...") {
		for _, bad := range badImports(p) {
			t.Error(bad)
		}
	}
}

func TestAPlantedImportIsFound(t *testing.T) {
	planted := goPackage{ImportPath: module + "/shortterm", Imports: []string{"fmt", module, module + "/longterm"}}
	if got := badImports(planted); len(got) != 1 || got[0] != "shortterm imports longterm" {
		t.Errorf("badImports = %q, want the planted one", got)
	}
	if got := badImports(goPackage{ImportPath: module + "/util"}); len(got) != 1 {
		t.Errorf("a package without a row is not found: %q", got)
	}
}

// The root package is the vocabulary: nothing but the standard library.
func TestTheRootImportsOnlyTheStandardLibrary(t *testing.T) {
	for _, p := range goList(t, ".") {
		for _, i := range p.Imports {
			if strings.Contains(strings.SplitN(i, "/", 2)[0], ".") {
				t.Errorf("the root imports %s", i)
			}
		}
	}
}

// Code for tests stays out of the binary.
func TestTheBinaryLinksNoTestCode(t *testing.T) {
	for _, p := range goList(t, "./cmd/memd") {
		for _, d := range p.Deps {
			if d == "testing" || strings.HasPrefix(d, "go.uber.org/goleak") || strings.HasPrefix(d, "pgregory.net/rapid") ||
				d == module+"/internal/memdtest" {
				t.Errorf("cmd/memd links %s", d)
			}
		}
	}
}

// Only tests import memdtest.
func TestOnlyTestsImportMemdtest(t *testing.T) {
	for _, p := range goList(t, "./...") {
		if slices.Contains(p.Imports, module+"/internal/memdtest") {
			t.Errorf("%s imports memdtest outside its tests", p.ImportPath)
		}
	}
}
