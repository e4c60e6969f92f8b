//go:build !race || long

package llm

// checks is how often each property is checked.
const checks = "100"
