//go:build race && !long

package httpapi

import "flag"

// Under the race detector properties are checked less often; `make test` runs them once more
// without it.
func init() {
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
}
