//go:build !long

package longterm

// graphSize is how many memories the graph of TestALargeScopeIsSearchedByItsGraph is of.
const graphSize = 2000
