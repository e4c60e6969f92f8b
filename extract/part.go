package extract

import (
	"context"
	"strings"
)

// Sentences gives the sentences of a text as they are learned from, as many as most, each in its
// own letters. A line break ends one too, and none has to begin with a capital.
func Sentences(text string, most int) (all []string) {
	for line := range strings.Lines(text) {
		for _, s := range sentences(context.Background(), strings.TrimSpace(line)) {
			if len(all) == most {
				return all
			}
			all = append(all, s)
		}
	}
	return all
}

var (
	// partEnd parts what may be said for itself, also behind what may be an abbreviation.
	partEnd = newPattern(`(?i)[.,;:，；、]\s+|\s+[–—-]+\s+|(?:\.{2,}|…)\s+|[,;]?\s+(?:and|und|y|et|e)\s+`)
	// leansOn opens what is said of what is before it.
	leansOn = newPattern(`(?i)^(?:(?:and|but|or|also|then|so|und|y|et|e)\s+)*(?:he|she|they|it|its|it['’]s|he['’]s|she['’]s|they['’]re|his|her|hers|their|theirs|him|them|who|whose|which|that|this|these|those|because|since|where|when|while|if|to|with|without|for|as|than|or|nor|not|in|on|at|by|from|of|about|during|after|before|until|near|er|sie|es|ihr|ihre|sein|seine|der|die|das|weil|wo|mit|bei|él|ella|ellos|su|sus|que|porque|con|en|elle|il|ils|son|sa|ses|qui|car|avec|dans)(?:\s|$)`)
)

// leastPart is how many words a part has at least.
const leastPart = 3

// Parts gives the parts of a sentence of which each may say something of its own: "we fly on
// Friday, can you check the invoice?" has two. What hangs on what is before it stays with that.
func Parts(sentence string) (all []string) {
	if len(sentence) > maxParted {
		return []string{sentence}
	}
	start, rest := 0, guarded(sentence)
	for _, m := range partEnd.FindAllStringIndex(sentence, -1) {
		for len(rest) > 0 && rest[0][1] <= m[0] {
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0][0] < m[1] || leansOn.MatchString(sentence[m[1]:]) || len(strings.Fields(sentence[start:m[0]])) < leastPart || len(strings.Fields(sentence[m[1]:])) < leastPart {
			continue
		}
		end := m[0]
		if sentence[end] == '.' {
			end++
		}
		all = append(all, strings.TrimSpace(sentence[start:end]))
		start = m[1]
	}
	return append(all, strings.TrimSpace(sentence[start:]))
}

// maxParted is how long a sentence is at most that is looked at for its parts.
const maxParted = 4 << 10
