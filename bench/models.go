package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/embed/e5"
	ort "github.com/yalue/onnxruntime_go"
)

const questionEmbedded = "embedding of a question, p50"

// asked is the question, in words that the model has whole.
const asked = "where does my sister live now that she has moved to another city ?"

// measureQuestion times the embedding of a question against the model alone, which is given
// the question's tokens and gives the vectors of each.
func measureQuestion(ctx context.Context, s scale, c choice, at e5.Config) ([]row, error) {
	if !c.wants(questionEmbedded) {
		return nil, nil
	}
	model, err := e5.Open(at)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	bare, err := openBareModel(at)
	if err != nil {
		return nil, err
	}
	defer bare.close()

	// Both have to come to the same.
	want, err := model.EmbedQuery(ctx, asked)
	if err != nil {
		return nil, err
	}
	got, err := bare.vector()
	if err != nil {
		return nil, err
	}
	cosine := float32(0)
	for i := range want {
		cosine += want[i] * got[i]
	}
	if cosine < 0.999 {
		return nil, fmt.Errorf("the bare model embeds another question: the cosine is %v", cosine)
	}
	calls := []call{
		func(ctx context.Context, _ int) error { _, err := model.EmbedQuery(ctx, asked); return err },
		func(context.Context, int) error { return bare.session.Run() },
	}
	p50 := make([][]float64, len(calls))
	var ratios []float64
	for range s.rounds {
		for i, do := range calls {
			times, err := repeat(ctx, s.search, 1, do)
			if err != nil {
				return nil, err
			}
			p50[i] = append(p50[i], ms(median(times)))
		}
		n := len(p50[0]) - 1
		ratios = append(ratios, p50[0][n]/p50[1][n])
	}
	return []row{{Figure: questionEmbedded, Unit: "ms", Memd: median(p50[0]), Baseline: median(p50[1]),
		Ratio: median(ratios), Aim: "≤ 1.1", Of: "the model alone, given the tokens"}}, nil
}

// bareModel is the model with the question before it.
type bareModel struct {
	session *ort.AdvancedSession
	values  []ort.Value
	output  *ort.Tensor[float32]
}

// openBareModel wants the runtime to be loaded.
func openBareModel(at e5.Config) (m *bareModel, err error) {
	ids, err := tokensOfAsked(at.TokenizerPath)
	if err != nil {
		return nil, err
	}
	m = &bareModel{}
	defer func() {
		if err != nil {
			m.close()
		}
	}()
	shape := ort.NewShape(1, int64(len(ids)))
	ones, zeros := make([]int64, len(ids)), make([]int64, len(ids))
	for i := range ones {
		ones[i] = 1
	}
	for _, data := range [][]int64{ids, ones, zeros} {
		tensor, err := ort.NewTensor(shape, data)
		if err != nil {
			return nil, err
		}
		m.values = append(m.values, tensor)
	}
	if m.output, err = ort.NewEmptyTensor[float32](ort.NewShape(1, int64(len(ids)), e5.Dimensions)); err != nil {
		return nil, err
	}
	m.values = append(m.values, m.output)
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	defer options.Destroy()
	if err := errors.Join(options.SetIntraOpNumThreads(1), options.SetInterOpNumThreads(1)); err != nil {
		return nil, err
	}
	m.session, err = ort.NewAdvancedSession(at.ModelPath, []string{"input_ids", "attention_mask", "token_type_ids"},
		[]string{"last_hidden_state"}, m.values[:3], m.values[3:], options)
	return m, err
}

func (m *bareModel) close() {
	if m.session != nil {
		_ = m.session.Destroy()
	}
	for _, v := range m.values {
		_ = v.Destroy()
	}
}

// vector is the question's: the mean of its tokens', of length one.
func (m *bareModel) vector() ([]float32, error) {
	if err := m.session.Run(); err != nil {
		return nil, err
	}
	v := make([]float32, e5.Dimensions)
	for i, x := range m.output.GetData() {
		v[i%len(v)] += x
	}
	if !embed.Normalize(v) {
		return nil, errors.New("the bare model gives no direction")
	}
	return v, nil
}

// tokensOfAsked are those of the question as the model was trained to get it.
func tokensOfAsked(tokenizer string) ([]int64, error) {
	raw, err := os.ReadFile(tokenizer)
	if err != nil {
		return nil, err
	}
	var file struct {
		Model struct {
			Vocab map[string]int64 `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", tokenizer, err)
	}
	var ids []int64
	for _, piece := range strings.Fields("[CLS] query : " + asked + " [SEP]") {
		id, ok := file.Model.Vocab[piece]
		if !ok {
			return nil, fmt.Errorf("%s: the vocabulary has no %q", tokenizer, piece)
		}
		ids = append(ids, id)
	}
	return ids, nil
}
