package embed

import (
	"context"
	"math"
	"slices"
)

// The relevances given to the two medians: half of all unrelated pairs stay under
// the first, half of all questions and their answers come above the second. In
// between, the first third of the way gains little, because that is how far the
// medians of other texts were found to stray from those measured here: texts of
// one conversation are a little like each other throughout.
const (
	unrelatedRelevance = 0.12
	strayRelevance     = 0.19
	relatedRelevance   = 0.68
)

// Calibration maps a model's cosines to relevances. The zero value suits a model
// of which nothing is known.
type Calibration struct {
	// Unrelated is the median cosine of a question and a statement that has
	// nothing to do with it.
	Unrelated float64 `json:"unrelated"`
	// Related is the median cosine of a question and the statement that answers
	// it.
	Related float64 `json:"related"`
}

// uncalibrated stands in where the medians are missing or say nothing; it is
// where models that spread their cosines widely tend to have them.
var uncalibrated = Calibration{Unrelated: 0.2, Related: 0.6}

// minSpread is how far apart the medians must lie to be told apart from noise.
const minSpread = 0.02

func (c Calibration) usable() bool {
	return c.Unrelated > -1 && c.Related-c.Unrelated >= minSpread && c.Related < 1
}

// Relevance is the relevance, 0 to 1, that a cosine speaks for: it rises
// strictly with the cosine, and is 1 only at 1. A cosine that is NaN is worth
// nothing.
func (c Calibration) Relevance(cosine float64) float64 {
	if !c.usable() {
		c = uncalibrated
	}
	stray := c.Unrelated + (c.Related-c.Unrelated)/3
	switch {
	case math.IsNaN(cosine) || cosine <= -1:
		return 0
	case cosine >= 1:
		return 1
	case cosine < c.Unrelated:
		return between(cosine, -1, c.Unrelated, 0, unrelatedRelevance)
	case cosine < stray:
		return between(cosine, c.Unrelated, stray, unrelatedRelevance, strayRelevance)
	case cosine < c.Related:
		return between(cosine, stray, c.Related, strayRelevance, relatedRelevance)
	default:
		return between(cosine, c.Related, 1, relatedRelevance, 1)
	}
}

// between is the line from (x0, y0) to (x1, y1), at x.
func between(x, x0, x1, y0, y1 float64) float64 {
	return y0 + (y1-y0)*(x-x0)/(x1-x0)
}

// Calibrate measures the Calibration of an embedder on a fixed set of questions
// and answers. The error is the embedder's.
func Calibrate(ctx context.Context, e Embedder) (Calibration, error) {
	questions := make([][]float32, len(calibrationPairs))
	for i, pair := range calibrationPairs {
		v, err := e.EmbedQuery(ctx, pair.question)
		if err != nil {
			return Calibration{}, err
		}
		questions[i] = v
	}
	answers, err := e.EmbedPassages(ctx, calibrationAnswers())
	if err != nil {
		return Calibration{}, err
	}
	return calibrationOf(questions, answers), nil
}

// calibrationOf takes the medians over each question with its own answer, and
// with the answers of all others. A model that cannot tell the two apart is still
// given a usable calibration, in which its cosines at least keep their order.
func calibrationOf(questions, answers [][]float32) Calibration {
	var related, unrelated []float64
	for i, q := range questions {
		for j, a := range answers {
			if i == j {
				related = append(related, dot(q, a))
			} else {
				unrelated = append(unrelated, dot(q, a))
			}
		}
	}
	c := Calibration{Unrelated: median(unrelated), Related: median(related)}
	if c.usable() {
		return c
	}
	if c.Related = (1 + c.Unrelated) / 2; c.usable() {
		return c
	}
	return uncalibrated
}

func dot(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// median sorts values and gives the middle one, the mean of two if their number
// is even.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
