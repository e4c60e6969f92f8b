package assemble

import (
	"maps"
	"slices"
	"strings"

	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/lexical"
)

// unlearned gives the sentences of a message that none of the memories stands for. What was
// learned is in the speaker's own words, a sentence or a part of one; a sentence of which hardly
// more than that is left out counts as learned. What is hidden is not given, nor any other
// sentence if it cannot be told which that is.
func unlearned(text string, memories, hidden []string) string {
	if len(memories)+len(hidden) == 0 {
		return text
	}
	text, beyond := cutAt(text, bytesMatched)
	sentences := extract.Sentences(text, len(text))
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
	for _, h := range hidden {
		if !stands(h, true) {
			return ""
		}
		each(h, func(sentence string) { stands(sentence, true) })
	}
	for _, m := range memories {
		// What a mark stands for in it is not to be shown.
		redacted := strings.Contains(m, "[redacted:")
		stands(m, redacted)
		each(m, func(sentence string) { stands(sentence, redacted) })
	}
	var rest []string
	for i, s := range sentences {
		switch n := len(words[i]); {
		case n == 0:
		case learned[i] || 5*common(covered[i], words[i]) >= 3*n:
			rest = append(rest, besides(s, covered[i], learned[i])...)
		default:
			rest = append(rest, s)
		}
	}
	return strings.TrimSpace(strings.Join(rest, " ") + " " + beyond)
}

// each gives the sentences of a memory that is several, and the items of one that is a list.
func each(memory string, do func(sentence string)) {
	sentences := extract.Sentences(memory, len(memory))
	listed := strings.Contains(memory, "; ") // as lists are learned: "The steps: Open it; Wait; Log in"
	if len(sentences) < 2 && !listed {
		return
	}
	for _, s := range sentences {
		if len(strings.Fields(s)) >= wordsOfOne {
			do(s)
		}
		if !listed {
			continue
		}
		head, items, ok := strings.Cut(s, ": ")
		if !ok {
			head, items = "", s
		}
		for item := range strings.SplitSeq(items, "; ") {
			if (head != "" || items != item) && strings.Contains(strings.TrimSpace(item), " ") { // one word proves nothing
				do(item)
			}
		}
		if head != "" {
			do(head)
		}
	}
}

// wordsOfOne is how many words a sentence of a memory has at least that stands for one of a message.
const wordsOfOne = 3

// besides gives the parts of a sentence that say something beside these words: of a sentence
// that is hidden those alone that have none of them.
func besides(sentence string, covered map[string]bool, hidden bool) (rest []string) {
	parts := extract.Parts(sentence)
	if len(parts) < 2 {
		return nil
	}
	hides := lexical.QueryTerms(lexical.Normalise(strings.Join(slices.Collect(maps.Keys(covered)), " ")))
	for _, p := range parts {
		words := wordsOf(p)
		both := common(words, covered)
		switch {
		case len(words)-both < 2:
		case hidden:
			if !slices.ContainsFunc(lexical.QueryTerms(lexical.Normalise(p)), func(t lexical.Term) bool {
				return slices.ContainsFunc(hides, func(h lexical.Term) bool { return h.Hash == t.Hash })
			}) {
				rest = append(rest, p)
			}
		case 5*both < 2*len(words):
			rest = append(rest, p)
		}
	}
	return rest
}

// states says whether a text has the words of a memory, or most of them in one sentence.
func states(text, memory string) bool {
	text, _ = cutAt(text, bytesMatched)
	said := wordsOf(memory)
	for _, s := range extract.Sentences(text, len(text)) {
		words := wordsOf(s)
		if n := min(len(said), len(words)); n > 0 && 2*common(said, words) >= n {
			return true
		}
	}
	return false
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
