// Package e5 runs e5-small-v2, quantised to eight bits, in the process: 384
// dimensions, English above all, no network.
//
// What the model was trained with is kept to: "query: " before what is looked
// for and "passage: " before what is stored, BERT's uncased tokenizer, at most
// 512 tokens, the mean over all tokens as the vector. Each text is a run of its
// own: the quantisation takes its scale from the whole input, so a text's vector
// would depend on the texts it shares a run with.
//
// Vectors of another runtime version differ a little, so the model's name carries
// it.
package e5

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
	"golang.org/x/sync/errgroup"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embed"
)

// Dimensions is the width of e5-small-v2's vectors.
const Dimensions = 384

const (
	queryPrefix   = "query: "
	passagePrefix = "passage: "
)

// calibration holds the medians that embed.Calibrate measures for this model.
var calibration = embed.Calibration{Unrelated: 0.734, Related: 0.805}

// Config says where the model's files are.
type Config struct {
	// ModelPath is e5-small-v2-q.onnx, TokenizerPath its tokenizer.json,
	// RuntimePath the shared library of onnxruntime.
	ModelPath, TokenizerPath, RuntimePath string
	// Threads is how many passages are embedded at once, each on one core; 0
	// means GOMAXPROCS.
	Threads int
}

// Embedder is the local model. It is safe for concurrent use.
type Embedder struct {
	words                *wordPiece
	queryIDs, passageIDs []int64
	gate                 *gate
	model                embed.Model
	outputs              sync.Pool

	// running is held for reading by each run, for writing by Close.
	running sync.RWMutex
	session *ort.DynamicAdvancedSession
}

var _ embed.Embedder = (*Embedder)(nil)

// Open loads the model, which takes some tenths of a second and 70 MB, and runs it
// once. Close frees it. The error is Internal and names the file that is at
// fault.
func Open(config Config) (*Embedder, error) {
	const op = "e5.open"
	words, err := openWordPiece(config.TokenizerPath)
	if err != nil {
		return nil, &memd.Error{Kind: memd.Internal, Op: op, Msg: "the tokenizer cannot be loaded", Err: err}
	}
	if err := loadRuntime(config.RuntimePath); err != nil {
		return nil, &memd.Error{Kind: memd.Internal, Op: op, Msg: "onnxruntime cannot be loaded", Err: err}
	}
	session, err := openSession(config.ModelPath)
	if err != nil {
		return nil, &memd.Error{Kind: memd.Internal, Op: op, Msg: "the model cannot be loaded", Err: err}
	}
	threads := config.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	e := &Embedder{
		words:      words,
		queryIDs:   words.appendPieces(nil, queryPrefix, maxTokens),
		passageIDs: words.appendPieces(nil, passagePrefix, maxTokens),
		gate:       newGate(threads),
		model: embed.Model{
			Name:        "e5-small-v2-q8@ort" + ort.GetVersion(),
			Dimensions:  Dimensions,
			Calibration: calibration,
		},
		session: session,
	}
	e.outputs.New = func() any {
		output := make([]float32, maxTokens*Dimensions)
		return &output
	}
	// A file that is another model fails here, not with the first message.
	if _, err := e.EmbedQuery(context.Background(), "ready?"); err != nil {
		e.Close()
		return nil, &memd.Error{Kind: memd.Internal, Op: op, Msg: "the model does not run", Err: err}
	}
	// What loading took and gave back would otherwise stay with the process: it is
	// as much as the model's own weights.
	returnFreedMemory()
	return e, nil
}

// Close frees the model once the runs under way have ended. Calls after that are
// Unavailable.
func (e *Embedder) Close() error {
	e.running.Lock()
	defer e.running.Unlock()
	if e.session == nil {
		return nil
	}
	err := e.session.Destroy()
	e.session = nil
	returnFreedMemory()
	if err != nil {
		return &memd.Error{Kind: memd.Internal, Op: "e5.close", Err: err}
	}
	return nil
}

// Model is embed.Embedder's.
func (e *Embedder) Model() embed.Model { return e.model }

// EmbedQuery is embed.Embedder's. A query does not wait for passages.
func (e *Embedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	const op = "e5.query"
	ids, n := e.words.encode(e.queryIDs, text)
	if n == 0 {
		return nil, blank(op, "text")
	}
	return e.run(ctx, op, query, ids)
}

// EmbedPassages is embed.Embedder's. The texts share the cores with those of
// other calls; longest first, so that none is left for the end.
func (e *Embedder) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	const op = "e5.passages"
	type passage struct {
		at  int
		ids []int64
	}
	passages := make([]passage, len(texts))
	for i, text := range texts {
		ids, n := e.words.encode(e.passageIDs, text)
		if n == 0 {
			return nil, blank(op, fmt.Sprintf("texts[%d]", i))
		}
		passages[i] = passage{i, ids}
	}
	slices.SortStableFunc(passages, func(a, b passage) int { return cmp.Compare(len(b.ids), len(a.ids)) })

	c := stored
	if embed.IsPatient(ctx) {
		c = patient
	}
	vectors := make([][]float32, len(texts))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(e.gate.slots)
	for _, p := range passages {
		group.Go(func() error {
			v, err := e.run(ctx, op, c, p.ids)
			vectors[p.at] = v
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return vectors, nil
}

func blank(op, field string) error {
	err := memd.InvalidField(field, "must not be blank")
	err.Op = op
	return err
}

// run waits for its turn and gives the vector of one text.
func (e *Embedder) run(ctx context.Context, op string, c class, ids []int64) ([]float32, error) {
	if err := e.gate.enter(ctx, c); err != nil {
		return nil, &memd.Error{Kind: memd.Unavailable, Op: op, Msg: "the embedding was not waited for", Err: err}
	}
	defer e.gate.leave(c)
	e.running.RLock()
	defer e.running.RUnlock()
	if e.session == nil {
		return nil, &memd.Error{Kind: memd.Unavailable, Op: op, Msg: "the embedding model is closed"}
	}
	output := e.outputs.Get().(*[]float32)
	defer e.outputs.Put(output)
	tokens := (*output)[:len(ids)*Dimensions]
	if err := runSession(e.session, ids, tokens); err != nil {
		return nil, &memd.Error{Kind: memd.Internal, Op: op, Msg: "the embedding model fails", Err: err}
	}
	v := mean(tokens)
	if !embed.Normalize(v) {
		return nil, &memd.Error{Kind: memd.Internal, Op: op, Err: errors.New("the vector has no direction")}
	}
	return v, nil
}

// mean pools the vectors of all tokens, one after the other, into one. There is
// no padding to leave out: a run is one text.
func mean(tokens []float32) []float32 {
	v := make([]float32, Dimensions)
	for token := range slices.Chunk(tokens, Dimensions) {
		for i, x := range token {
			v[i] += x
		}
	}
	n := float32(len(tokens) / Dimensions)
	for i := range v {
		v[i] /= n
	}
	return v
}
