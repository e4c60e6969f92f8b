package memd

import (
	"strings"
	"unicode"
)

// IsShown says whether a character shows anything: it is no blank, steers nothing, and is not
// drawn as nothing.
func IsShown(r rune) bool {
	return !unicode.IsSpace(r) && r != '\u2800' && // Braille of no dots
		!unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Blank says whether nothing of a text is shown. Such a text is an empty one wherever one may
// not be empty.
func Blank(text string) bool { return !strings.ContainsFunc(text, IsShown) }

// Findable says whether there is anything in a text that it could be found by, or find
// something: it shows more than marks for what could not be read.
func Findable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r != unicode.ReplacementChar && IsShown(r) })
}
