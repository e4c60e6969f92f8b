package assemble

import (
	"strings"

	"github.com/memdhq/memd/longterm"
)

// unlearned gives the sentences of a message that no memory stands for. What was learned is in
// the speaker's own words, a sentence or a part of one; a sentence of which hardly more than
// that is left out counts as learned. A sentence of which what was learned has ended is not
// given, and none if it cannot be told which that is.
func unlearned(text string, of longterm.Told) string {
	text, beyond := cutAt(text, bytesMatched)
	sentences := split(text, len(text))
	words := make([]map[string]bool, len(sentences))
	for i, s := range sentences {
		words[i] = wordsOf(s)
	}
	covered := make([]map[string]bool, len(sentences)) // the words of each that memories have
	learned := make([]bool, len(sentences))
	// stands notes the sentences that a memory comes from; false if none has half of its words.
	stands := func(memory string, whole bool) bool {
		said := wordsOf(memory)
		best := 0.0
		shares := make([]float64, len(sentences))
		for i := range sentences {
			if n := min(len(said), len(words[i])); n > 0 {
				both := float64(common(said, words[i]))
				shares[i] = both/float64(n) + both/1e6 // the longer one of two that are the same
			}
			best = max(best, shares[i])
		}
		if best < 0.5 {
			return false
		}
		for i, share := range shares {
			if share < best {
				continue
			}
			if covered[i] == nil {
				covered[i] = map[string]bool{}
			}
			for w := range said {
				covered[i][w] = true
			}
			learned[i] = learned[i] || whole
		}
		return true
	}
	for _, ended := range of.Ended {
		if !stands(ended, true) {
			return ""
		}
	}
	for _, l := range of.Left {
		// What a mark stands for in it is not to be shown.
		stands(l.Text, strings.Contains(l.Text, "[redacted:"))
	}
	var rest []string
	for i, s := range sentences {
		if n := len(words[i]); n == 0 || learned[i] || 5*common(covered[i], words[i]) >= 3*n {
			continue
		}
		rest = append(rest, s)
	}
	return strings.TrimSpace(strings.Join(rest, " ") + " " + beyond)
}

// bytesMatched is how much of a message is compared with what was learned from it.
const bytesMatched = 64 << 10

func wordsOf(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(folded(text)) {
		all[w] = true
	}
	return all
}

func common(a, b map[string]bool) (n int) {
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}
