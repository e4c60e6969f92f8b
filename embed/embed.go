// Package embed turns texts into vectors whose cosines say how near two texts
// are in meaning.
//
// There are two embedders: Remote, any server that speaks OpenAI's embeddings
// API, and the local model of package e5. Both give vectors of length one and of
// the width their Model names, or an error, never anything in between: no vector
// of another width, with a NaN in it, or of length zero leaves this package.
//
// What a cosine is worth differs from model to model (two texts that have
// nothing in common may stand at 0.1 or at 0.8), so each Model carries a
// Calibration, which makes of a cosine a relevance that means the same
// everywhere.
//
// Errors are memd.Errors:
//
//   - Invalid: the text cannot be embedded, now or later (it is blank, or the
//     server refuses it). Field says which text, as "texts[3]". Vectors of an
//     unexpected width are Invalid as well and wrap ErrWidth: the fault is in the
//     configuration, not in a text.
//   - RateLimited: the server asked to wait; RetryAfter says how long, if it did.
//   - Unavailable: the server is away, failing, too slow, or refuses the key.
package embed

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/memdhq/memd"
)

// Embedder makes vectors. It is safe for concurrent use.
type Embedder interface {
	// EmbedPassages gives the vector of each text that is stored to be found, in
	// the order of texts; all of them or an error. No texts give no vectors.
	EmbedPassages(ctx context.Context, texts []string) ([][]float32, error)
	// EmbedQuery gives the vector of a text that others are looked up by. Models
	// may embed it differently from a passage.
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
	// Model says whose vectors these are. It is complete once a vector has been
	// given.
	Model() Model
}

type patient struct{}

// Patiently marks ctx: what is embedded with it can wait behind all that is not.
func Patiently(ctx context.Context) context.Context { return context.WithValue(ctx, patient{}, true) }

// IsPatient says whether ctx is marked so.
func IsPatient(ctx context.Context) bool { return ctx.Value(patient{}) != nil }

// Model is what must be known of a model to store and compare its vectors.
type Model struct {
	// Name tells vectors apart that must not be compared: two embedders have the
	// same name only if their vectors can stand side by side.
	Name string
	// Dimensions is the width of every vector.
	Dimensions int
	// Calibration makes relevances of this model's cosines.
	Calibration Calibration
}

// ErrWidth marks errors about vectors of another width than was configured or
// seen before.
var ErrWidth = errors.New("unexpected width of vectors")

// widthError names both widths.
func widthError(op string, got, want int) error {
	return &memd.Error{
		Kind: memd.Invalid, Op: op, Err: ErrWidth,
		Msg: fmt.Sprintf("the embedding model gives vectors of %d dimensions, but %d are expected", got, want),
	}
}

// CheckText refuses a text in which there is nothing to embed; see memd.Findable. The error
// is Invalid and names field.
func CheckText(field, text string) error {
	if memd.Findable(text) {
		return nil
	}
	return memd.InvalidField(field, "must not be blank")
}

// Normalize scales v to length one and reports whether it could: a vector with
// a NaN or an infinity in it, or of length zero, has no direction.
func Normalize(v []float32) bool {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	norm := math.Sqrt(square)
	if norm == 0 || math.IsNaN(norm) || math.IsInf(norm, 0) {
		return false
	}
	for i, x := range v {
		v[i] = float32(float64(x) / norm)
	}
	return true
}
