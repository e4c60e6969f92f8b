//go:build !race && !long

package extract

const (
	nastySize   = 8 << 10
	growthFrom  = 1 << 9
	growthTo    = 4 << 10
	splitSize   = MaxText
	redactSize  = 1 << 10
	endingSize  = 1 << 9
	largestText = 16 << 20
)

// largest are the shapes that are told as texts of many times MaxText: those that a cut
// meets differently, that reach behind it, and plain talk.
func largest(name string) bool {
	switch name {
	case "unbroken", "no punctuation", "Thai", "kana with marks", "invalid", // where to cut
		"tags that open", "tags cut short", "fences", "armour that opens", // what closes behind the cut
		"brackets", "quotes that open", "sentences":
		return true
	}
	return false
}
