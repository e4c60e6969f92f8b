//go:build long

package shortterm

const checks = "100"
