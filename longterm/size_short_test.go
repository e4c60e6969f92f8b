//go:build !long

package longterm

// graphSize is how many memories the graph of TestALargeScopeIsSearchedByItsGraph is of.
const graphSize = 2000

// checks is how often each property is checked: most of them write to a database.
const checks = "10"
