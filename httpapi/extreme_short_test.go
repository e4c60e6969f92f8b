//go:build !long

package httpapi

// larger makes the longest texts of TestExtremes and TestExtremeEdits so many times as
// long: in the long suite they fill a body.
const larger = 1
