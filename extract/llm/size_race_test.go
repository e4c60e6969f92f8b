//go:build race && !long

package llm

// checks are few under the race detector, which makes the rules ten times slower; `make
// test` runs this package once more without it.
const checks = "8"
