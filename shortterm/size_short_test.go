//go:build !long

package shortterm

// checks is how often each property is checked: most of them write to a database.
const checks = "25"
