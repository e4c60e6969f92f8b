package extract

import (
	"context"
	"strings"
)

// Sentences gives the sentences of a text as they are learned from, as many as most, each in its
// own letters. A line break ends one too, and none has to begin with a capital. What numbers an item
// of a list stays with it.
func Sentences(text string, most int) (all []string) {
	for line := range strings.Lines(text) {
		for _, s := range sentencesOfLine(line) {
			if len(all) == most {
				return all
			}
			all = append(all, s)
		}
	}
	return all
}

// sentencesOfLine gives the sentences of a line, with the numbers of items at their beginning.
func sentencesOfLine(line string) (all []string) {
	number := ""
	for _, s := range sentences(context.Background(), strings.TrimSpace(line)) {
		s, number = number+s, ""
		m := endsInNumber.FindStringSubmatchIndex(s)
		if m == nil {
			all = append(all, s)
			continue
		}
		if before := strings.TrimSpace(s[:m[2]]); before != "" {
			all = append(all, before)
		}
		number = s[m[2]:] + " "
	}
	if number = strings.TrimSpace(number); number != "" {
		all = append(all, number)
	}
	return all
}

// endsInNumber is a sentence that ends in the number of the item behind it: "The plan: 1."
var endsInNumber = newPattern(`(?:^|[:：]\s)\s*((?:\d{1,3}|[a-z])[.)])\s*$`)

// Piece is a piece of a text that is shown or left out for what its sentences say.
type Piece struct {
	Text string
	// Sentences are what it says; of code, its lines.
	Sentences []string
	// Whole says that it is of no use without a part of it: an item of a list, a block of code.
	Whole bool
}

var (
	// fence opens and closes a block of code.
	fence = newPattern("^\\s*(?:```|~~~)")
	// itemBegin begins an item of a list.
	itemBegin = newPattern(`^\s*(?:[-*•+]|(?:\d{1,3}|[a-z])[.)])\s+\S`)
	// lineOfCode is a line of a program or of settings.
	lineOfCode = newPattern(`[;{}]\s*$`)
)

// Pieces gives the pieces of a text, in order: blocks of code, items of lists with what is indented
// below them, and lines.
func Pieces(text string) (all []Piece) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := 0; i < len(lines); {
		end := i + 1
		switch {
		case fence.MatchString(lines[i]):
			for end < len(lines) && !fence.MatchString(lines[end]) {
				end++
			}
			end = min(end+1, len(lines))
			all = append(all, Piece{strings.Join(lines[i:end], "\n"), lines[i:end], true})
		case lineOfCode.MatchString(lines[i]) && i+1 < len(lines) && lineOfCode.MatchString(lines[i+1]):
			for end < len(lines) && (lineOfCode.MatchString(lines[end]) || strings.HasPrefix(lines[end], " ") || strings.HasPrefix(lines[end], "\t")) {
				end++
			}
			all = append(all, Piece{strings.Join(lines[i:end], "\n"), lines[i:end], true})
		case itemBegin.MatchString(lines[i]):
			indent := len(lines[i]) - len(strings.TrimLeft(lines[i], " \t"))
			for end < len(lines) && len(lines[end])-len(strings.TrimLeft(lines[end], " \t")) > indent && !itemBegin.MatchString(lines[end]) && !fence.MatchString(lines[end]) {
				end++
			}
			item := strings.Join(lines[i:end], "\n")
			all = append(all, Piece{item, Sentences(item, len(item)), true})
		default:
			if line := strings.TrimSpace(lines[i]); line != "" {
				all = append(all, Piece{line, sentencesOfLine(line), false})
			}
		}
		i = end
	}
	return all
}

var (
	// partEnd parts what may be said for itself, also behind what may be an abbreviation.
	partEnd = newPattern(`(?i)[.,;:，；、]\s+|\s+[–—-]+\s+|(?:\.{2,}|…)\s+|[,;]?\s+(?:and|und|y|et|e)\s+`)
	// leansOn opens what is said of what is before it.
	leansOn = newPattern(`(?i)^(?:(?:and|but|or|also|then|so|und|y|et|e)\s+)*(?:he|she|they|it|its|it['’]s|he['’]s|she['’]s|they['’]re|his|her|hers|their|theirs|him|them|who|whose|which|that|this|these|those|because|since|where|when|while|if|to|with|without|for|as|than|or|nor|not|in|on|at|by|from|of|about|during|after|before|until|near|er|sie|es|ihr|ihre|sein|seine|der|die|das|weil|wo|mit|bei|él|ella|ellos|su|sus|que|porque|con|en|elle|il|ils|son|sa|ses|qui|car|avec|dans)(?:\s|$)`)
)

// titleWord stands before a name, so that its full stop ends nothing.
var titleWord = newPattern(`(?i)(?:^|[\s(])(?:dr|mr|mrs|ms|prof|hr|fr|mme|mlle|rev|capt|sgt|vs|approx|e\.g|i\.e)$`)

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
			if titleWord.MatchString(tail(sentence[start:end], 8)) {
				continue
			}
			end++
		}
		all = append(all, strings.TrimSpace(sentence[start:end]))
		start = m[1]
	}
	return append(all, strings.TrimSpace(sentence[start:]))
}

// maxParted is how long a sentence is at most that is looked at for its parts.
const maxParted = 4 << 10
