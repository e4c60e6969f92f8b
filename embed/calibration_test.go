package embed

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestRelevanceAtTheMedians(t *testing.T) {
	c := Calibration{Unrelated: 0.75, Related: 0.87}
	for cosine, want := range map[float64]float64{
		-1: 0, -2: 0, 0.75: 0.12, 0.79: 0.19, 0.83: 0.435, 0.87: 0.68, 0.935: 0.84, 1: 1, 1.0000002: 1,
		math.NaN(): 0, math.Inf(-1): 0, math.Inf(1): 1,
	} {
		if got := c.Relevance(cosine); math.Abs(got-want) > 1e-9 {
			t.Errorf("Relevance(%v) = %v, want %v", cosine, got, want)
		}
	}
}

func TestRelevanceRisesStrictlyWhateverTheMedians(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Calibration{
			Unrelated: rapid.Float64Range(-1.5, 1.5).Draw(t, "unrelated"),
			Related:   rapid.Float64Range(-1.5, 1.5).Draw(t, "related"),
		}
		low := rapid.Float64Range(-1, 0.999).Draw(t, "low")
		high := rapid.Float64Range(low+1e-3, 1).Draw(t, "high")
		a, b := c.Relevance(low), c.Relevance(high)
		if a < 0 || b > 1 || a >= b {
			t.Fatalf("Relevance(%v) = %v, Relevance(%v) = %v", low, a, high, b)
		}
		if got := c.Relevance(1); got != 1 {
			t.Fatalf("Relevance(1) = %v", got)
		}
	})
}

// spread gives questions and answers with chosen cosines: each answer leans on
// its own question's axis by related, and all lean on one shared axis.
func spread(n int, shared, own float32) (questions, answers [][]float32) {
	for i := range n {
		q, a := make([]float32, n+1), make([]float32, n+1)
		q[n], a[n] = shared, shared
		q[i], a[i] = own, own
		questions, answers = append(questions, q), append(answers, a)
	}
	return questions, answers
}

func TestCalibrationOfTakesTheMedians(t *testing.T) {
	questions, answers := spread(9, 0.8, 0.3)
	// One pair that is out of line moves no median.
	answers[4] = make([]float32, 10)
	c := calibrationOf(questions, answers)
	if math.Abs(c.Unrelated-0.64) > 1e-6 || math.Abs(c.Related-0.73) > 1e-6 {
		t.Errorf("calibrationOf = %+v, want 0.64 and 0.73", c)
	}
}

func TestCalibrationOfAModelThatTellsNothingApart(t *testing.T) {
	for name, shared := range map[string]float32{"orthogonal": 0, "constant": 1, "half": 0.7} {
		questions, answers := spread(5, shared, 0)
		c := calibrationOf(questions, answers)
		if !c.usable() {
			t.Errorf("%s: %+v is of no use", name, c)
		}
	}
}

func TestCalibrationPairsAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, text := range append(calibrationQuestions(), calibrationAnswers()...) {
		if seen[text] {
			t.Errorf("twice: %q", text)
		}
		seen[text] = true
		if err := CheckText("text", text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if len(seen) != 2*len(calibrationPairs) || len(calibrationPairs) < 40 {
		t.Errorf("%d texts in %d pairs", len(seen), len(calibrationPairs))
	}
}
