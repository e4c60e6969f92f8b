package llm

import (
	"flag"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// The tokenizer's vocabulary is large and lives as long as the tests.
	debug.SetGCPercent(800)
	// More are a flag away.
	if err := flag.Set("rapid.checks", checks); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
