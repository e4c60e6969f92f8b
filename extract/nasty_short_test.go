//go:build !long

package extract

// largest are the shapes that are told as texts of many times MaxText in the short suite
// as well: those that a cut meets differently, that reach behind it, and plain talk. In
// the long suite it is all of them.
func largest(name string) bool {
	switch name {
	case "unbroken", "no punctuation", "Thai", "kana with marks", "invalid", // where to cut
		"tags that open", "tags cut short", "fences", "armour that opens", // what closes behind the cut
		"brackets", "quotes that open", "sentences":
		return true
	}
	return false
}
