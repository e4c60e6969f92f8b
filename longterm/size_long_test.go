//go:build long

package longterm

const graphSize = 5000

const checks = "50"
