package longterm

import (
	"cmp"
	"math"
	"slices"
)

// weights say what each kind of evidence counts for in the ranking, each measured in
// standard deviations over the candidates of the question (z). A sum of these beats
// reciprocal ranks by ten points where the kinds are unequal, and needs no scale.
//
// The three count about the same: on conversations of two kinds, none of them written
// for this, the plain sum is within the noise of the best weights for these three. The
// window counts as much as the memory's own words because it holds them as well.
var weights = struct{ words, window, vector float64 }{words: 1, window: 1, vector: 1}

// wordShare is how much of what the vector leaves open the shared words can add to a
// relevance: a question and its answer share some, so that they are evidence, but a
// word in common does not make a thing relevant.
const wordShare = 0.4

// windowShare is what words count for a relevance that are not the memory's own but its
// neighbours'.
const windowShare = 0.5

// allWords is the relevance of a text that holds all words of a question and has no vector
// to speak for it: it need not be about the same.
const allWords = 0.92

// byWords is the relevance that the share of a question's words alone speaks for. Answers
// hold a small part of their question's words (a sixth, in the middle), and unrelated
// texts none, so that little already says much.
func byWords(share float64) float64 { return allWords * math.Cbrt(share) }

// Scores are told apart down to step. Those of memories that are not the very text that
// was asked for stay below highest.
const (
	step    = 1e-6
	highest = 0.999
)

// candidate is a memory in the running.
type candidate struct {
	memoryRow
	similarity float64
	embedded   bool
	words      match
	window     match
	// alone says that no message states it: it has no neighbours.
	alone bool
	exact bool

	zWords, zWindow, zVector float64
	fused, relevance, score  float64
}

// rank orders the candidates by all evidence and gives them scores that fall in that
// order.
//
// The order comes from how the candidates compare with each other, the score from what
// each is worth by itself: the relevance of its cosine and the words it shares with the
// question. Where the two disagree, the scores of those concerned are averaged (isotonic
// regression), so that a threshold cuts the ranking and never picks from it.
func rank(all []*candidate, mode, text string, relevance func(float64) float64) {
	if relevance == nil {
		relevance = func(cosine float64) float64 { return min(1, max(0, cosine)) }
	}
	hashes := hashesOf(text)
	standardise(all, func(c *candidate) (*float64, float64, bool) { return &c.zWords, c.words.score, true })
	standardise(all, func(c *candidate) (*float64, float64, bool) { return &c.zWindow, c.window.score, !c.alone })
	standardise(all, func(c *candidate) (*float64, float64, bool) { return &c.zVector, c.similarity, c.embedded })
	for _, c := range all {
		if c.alone {
			c.zWindow = c.zWords
		}
		c.exact = slices.Contains(hashes, c.Hash)
		switch {
		case mode == ModeVector:
			c.fused = c.similarity
			if !c.embedded {
				c.fused = -1
			}
		case mode == ModeLexical:
			c.fused = weights.words*c.zWords + weights.window*c.zWindow
		default:
			c.fused = weights.words*c.zWords + weights.window*c.zWindow + weights.vector*c.zVector
		}
		switch {
		case mode == ModeVector:
			if c.relevance = 0; c.embedded {
				c.relevance = relevance(c.similarity)
			}
		case mode == ModeHybrid && c.embedded:
			r := relevance(c.similarity)
			c.relevance = r + (1-r)*wordShare*max(c.words.coverage, windowShare*c.window.coverage)
		default:
			c.relevance = max(byWords(c.words.coverage), windowShare*byWords(c.window.coverage))
		}
	}
	slices.SortFunc(all, func(a, b *candidate) int {
		if a.exact && b.exact { // they all score 1
			return newer(a, b)
		}
		return cmp.Or(compareBool(b.exact, a.exact), cmp.Compare(b.fused, a.fused), newer(a, b))
	})
	score(all)
}

// newer orders what was said later first, then what was stored later, then by id.
func newer(a, b *candidate) int {
	return cmp.Or(b.ValidFrom.Compare(a.ValidFrom), b.CreatedAt.Compare(a.CreatedAt), slices.Compare(b.id[:], a.id[:]))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// standardise sets each z to how many standard deviations the feature lies above its
// mean over the candidates that have it; 0 for those that have not, and for all where
// they do not differ.
func standardise(all []*candidate, feature func(*candidate) (z *float64, x float64, has bool)) {
	var n, sum, squares float64
	for _, c := range all {
		if _, x, has := feature(c); has {
			n++
			sum += x
		}
	}
	mean := sum / n
	for _, c := range all {
		if _, x, has := feature(c); has {
			squares += (x - mean) * (x - mean)
		}
	}
	deviation := math.Sqrt(squares / n)
	for _, c := range all {
		z, x, has := feature(c)
		if *z = 0; has && deviation > 1e-9 {
			*z = (x - mean) / deviation
		}
	}
}

// score gives the candidates, which are in order, the scores nearest to their relevances
// that fall from one to the next. Equal evidence gets an equal score.
func score(all []*candidate) {
	exact := 0
	for exact < len(all) && all[exact].exact {
		all[exact].score = 1
		exact++
	}
	rest := all[exact:]
	fitted := fallingFit(rest)
	below := 0.0 // the least score that the next one up may have
	for i := len(rest) - 1; i >= 0; i-- {
		if i+1 < len(rest) {
			if rest[i].fused == rest[i+1].fused {
				rest[i].score = rest[i+1].score
				continue
			}
			below = rest[i+1].score + step
		}
		rest[i].score = round(max(min(fitted[i], highest), below))
	}
}

func round(score float64) float64 { return math.Round(score/step) / (1 / step) }

// fallingFit gives the non-increasing sequence with the least squared distance to the
// relevances: neighbours that rise are pooled until none do.
func fallingFit(all []*candidate) []float64 {
	type block struct {
		sum float64
		n   int
	}
	var blocks []block
	for _, c := range all {
		b := block{c.relevance, 1}
		for len(blocks) > 0 {
			last := blocks[len(blocks)-1]
			if last.sum/float64(last.n) >= b.sum/float64(b.n) {
				break
			}
			b = block{b.sum + last.sum, b.n + last.n}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	fitted := make([]float64, 0, len(all))
	for _, b := range blocks {
		for range b.n {
			fitted = append(fitted, b.sum/float64(b.n))
		}
	}
	return fitted
}

// explain gives every part of a score by name.
func (c *candidate) explain() map[string]float64 {
	return map[string]float64{
		"bm25": c.words.score, "bm25_window": c.window.score, "cosine": c.similarity,
		"coverage": c.words.coverage, "coverage_window": c.window.coverage,
		"z_bm25": c.zWords, "z_bm25_window": c.zWindow, "z_cosine": c.zVector,
		"fused": c.fused, "relevance": c.relevance, "score": c.score,
	}
}
