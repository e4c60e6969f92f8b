//go:build race && !long

package extract

import "flag"

// The race detector makes the rules ten times slower, and there is nothing here that
// could race. So it gets the small sizes; `make test` runs this package once more
// without it, with the sizes of size_test.go.
const (
	nastySize   = 1 << 9
	growthFrom  = 1 << 7
	growthTo    = 1 << 10
	splitSize   = 8 << 10
	redactSize  = 1 << 8
	endingSize  = 1 << 7
	largestText = 2 * MaxText
)

// largest are the shapes that are told as texts that are cut.
func largest(name string) bool { return name == "unbroken" }

func init() {
	// More are a flag away.
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
}
