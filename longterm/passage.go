package longterm

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memdhq/memd/lexical"
)

// What is learned from a long answer is a few sentences each, and so is its own passage. A text
// that was stored as it was given may have pages: of those a context is handed the part that has
// to do with the question.

const (
	// passageWords is how many words a passage has at most, as many as a vector is of; a memory
	// that has no more is one.
	passageWords = 90
	// runesAWord counts words where no blanks part them.
	runesAWord = 7
)

// cutMark stands where a passage leaves something out.
const cutMark = "…"

// passage gives the part of a text that has most to do with a question, of texts of a few
// sentences all of it. Where it holds no word of the question it is the beginning.
func (q question) passage(text string) string {
	if wordsIn(text) <= passageWords {
		return text
	}
	all := passages(text)
	df := make([]int, len(q.hashes))
	tfs, lengths := make([][]int, len(all)), make([]int, len(all))
	total := 0
	for i, p := range all {
		tfs[i] = make([]int, len(q.hashes))
		terms, length := lexical.Terms(p)
		for _, t := range terms {
			if n, asked := q.at[t.Hash]; asked {
				tfs[i][n] = t.Count
				df[n]++
			}
		}
		lengths[i] = length
		total += length
	}
	best, most := 0, 0.0
	for i := range all {
		score := 0.0
		for n, tf := range tfs[i] {
			if tf > 0 {
				score += lexical.BM25(len(all), df[n], tf, lengths[i], float64(total)/float64(len(all)))
			}
		}
		if score > most {
			best, most = i, score
		}
	}
	p := all[best]
	if best > 0 {
		p = cutMark + " " + p
	}
	if best+1 < len(all) {
		p += " " + cutMark
	}
	return p
}

func wordsIn(text string) int {
	return max(countWords(text), utf8.RuneCountInString(text)/runesAWord)
}

func countWords(text string) (n int) {
	for range strings.FieldsSeq(text) {
		n++
	}
	return n
}

// passages packs the sentences and lines of a text into parts of up to passageWords; one that is
// half full ends with its line.
func passages(text string) (all []string) {
	var part string
	add := func() {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
		part = ""
	}
	for _, sentence := range sentences(text) {
		n := wordsIn(part)
		if n > 0 && n+wordsIn(sentence) > passageWords || n >= passageWords/2 && strings.HasPrefix(sentence, "\n") {
			add()
		}
		part += sentence
	}
	add()
	return all
}

// sentences cuts a text behind lines and sentences, and longer ones behind words; together they
// are the text.
func sentences(text string) (all []string) {
	start, words, blank := 0, 0, 0 // of the sentence: where it begins, its words, where the last one ended
	inWord, runes := false, 0
	cut := func(at int) {
		if at > start {
			all = append(all, text[start:at])
		}
		start, words, runes, blank = at, 0, 0, 0
	}
	ends := false // the last character may have ended a sentence
	for i, r := range text {
		switch {
		case r == '\n':
			cut(i)
			inWord, ends = false, false
		case unicode.IsSpace(r):
			if inWord {
				words++
				blank = i
			}
			if ends {
				cut(i)
			}
			inWord, ends = false, false
		default:
			inWord = true
			ends = strings.ContainsRune(".!?…", r) || ends && strings.ContainsRune(`"'”’)]`, r)
			if strings.ContainsRune("。！？", r) {
				cut(i + utf8.RuneLen(r))
			}
		}
		if runes++; words >= passageWords || runes >= passageWords*runesAWord {
			if blank > start {
				cut(blank)
			} else {
				cut(i)
			}
		}
	}
	cut(len(text))
	return all
}
