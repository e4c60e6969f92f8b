package lexical

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Sentences gives the sentences of a text, as Unicode has them, as many as most. A line break
// ends one too.
func Sentences(text string, most int) (all []string) {
	for line := range strings.Lines(text) {
		state := -1
		for rest := line; rest != "" && len(all) < most; {
			var s string
			s, rest, state = uniseg.FirstSentenceInString(rest, state)
			if s = strings.TrimSpace(s); s != "" {
				all = append(all, s)
			}
		}
	}
	return all
}
