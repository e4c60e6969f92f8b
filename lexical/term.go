package lexical

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
)

// Term is a stem and how often it occurs.
type Term struct {
	// Hash is the 32-bit FNV-1a hash of the stem's UTF-8 bytes, as a signed
	// number. It never changes: stored postings hold it.
	Hash int32
	// Count is at least 1.
	Count int
}

// Terms gives the terms of a text that is stored, sorted by hash, and its length
// in terms, each occurrence counted. Stop words are left out, unless the text has
// nothing else: then all its words count, so that it can still be found by itself.
func Terms(text string) (terms []Term, length int) {
	all := words(text)
	kept := without(all, stop)
	if len(kept) == 0 {
		kept = all
	}
	return count(kept), len(kept)
}

// QueryTerms gives the terms of a question, sorted by hash. Beside the stop words
// it leaves out those that speak of the conversation itself ("what did I mention
// about"). If that leaves none, only stop words are left out; if that too leaves
// none, every word counts.
func QueryTerms(text string) []Term {
	all := words(text)
	kept := without(without(all, stop), meta)
	if len(kept) == 0 {
		kept = without(all, stop)
	}
	if len(kept) == 0 {
		kept = all
	}
	return count(kept)
}

// ContentTerms gives the terms of a text that are neither stop words nor of the conversation itself,
// and none where it has nothing else.
func ContentTerms(text string) []Term { return count(without(without(words(text), stop), meta)) }

func without(in []word, drop map[string]bool) []word {
	var out []word
	for _, w := range in {
		if w.gram || !drop[w.text] {
			out = append(out, w)
		}
	}
	return out
}

func count(in []word) []Term {
	counts := make(map[int32]int, len(in))
	for _, w := range in {
		counts[hash(w.stem())]++
	}
	out := make([]Term, 0, len(counts))
	for h, n := range counts {
		out = append(out, Term{Hash: h, Count: n})
	}
	slices.SortFunc(out, func(a, b Term) int { return cmp.Compare(a.Hash, b.Hash) })
	return out
}

func hash(stem string) int32 {
	h := fnv.New32a()
	h.Write([]byte(stem)) // a hash's Write never fails
	return int32(h.Sum32())
}

// The constants of BM25: how fast repetition stops counting, and how much of a
// text's length is held against it.
const (
	K1 = 1.2
	B  = 0.75
)

// BM25 is what one term adds to the score of one text: with n texts in the scope,
// df of them holding the term, tf occurrences in this one, length terms in this
// one and avg terms in the mean text. The inverse document frequency is
// ln(1 + (n − df + ½)/(df + ½)), which is never negative. Counters that lag behind
// (df > n, avg 0) give a finite, non-negative result.
func BM25(n, df, tf, length int, avg float64) float64 {
	if tf <= 0 {
		return 0
	}
	df = max(df, 0)
	n = max(n, df)
	idf := math.Log(1 + (float64(n-df)+.5)/(float64(df)+.5))
	relative := 1.0
	if avg > 0 {
		relative = float64(max(length, 0)) / avg
	}
	return idf * float64(tf) * (K1 + 1) / (float64(tf) + K1*(1-B+B*relative))
}
