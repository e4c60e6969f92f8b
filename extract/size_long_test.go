//go:build long

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

// largest says that every shape is told as a text of many times MaxText.
func largest(string) bool { return true }
