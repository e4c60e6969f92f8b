package e5

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/internal/memdtest"
)

// query15 has 15 tokens with its prefix, passage60 has 60.
const (
	query15   = "Where did we spend the summer after my last exam?"
	passage60 = "We spent the whole summer at my aunt's house by the lake, because I had finally passed the exam. " +
		"Every morning we swam out to the little island, and in the evening Tom cooked for all of us, mostly fish, " +
		"sometimes pancakes, whenever it rained too hard."
)

func cosine(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// The same model run by the reference gives the same vectors, up to what other
// kinds of processor round differently: the model quantises its activations as it
// goes, and one that falls on the other side moves a vector by thousandths.
func TestVectorsMatchTheReference(t *testing.T) {
	e := model(t)
	raw, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var items []struct{ Kind, Text, Vector string }
	if err := json.Unmarshal(raw, &items); err != nil {
		t.Fatal(err)
	}
	var cosines []float64
	for _, item := range items {
		packed, err := base64.StdEncoding.DecodeString(item.Vector)
		if err != nil || len(packed) != 4*Dimensions {
			t.Fatalf("%q: %d bytes, %v", item.Text, len(packed), err)
		}
		want := make([]float32, Dimensions)
		for i := range want {
			want[i] = math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i:]))
		}
		var got []float32
		if item.Kind == "query" {
			got, err = e.EmbedQuery(t.Context(), item.Text)
		} else {
			var all [][]float32
			if all, err = e.EmbedPassages(t.Context(), []string{item.Text}); err == nil {
				got = all[0]
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		c := cosine(got, want)
		cosines = append(cosines, c)
		if c < 0.99 {
			t.Errorf("%s %.60q: cosine %.6f", item.Kind, item.Text, c)
		}
	}
	sort.Float64s(cosines)
	if len(cosines) < 20 || cosines[len(cosines)/2] < 0.9999 {
		t.Errorf("cosines %v", cosines)
	}
	t.Logf("%d vectors, least cosine %.6f, median %.6f", len(cosines), cosines[0], cosines[len(cosines)/2])
}

func TestModelIsNamedWithItsRuntime(t *testing.T) {
	m := model(t).Model()
	asset := memdtest.Assets(t).Model
	if want := asset.Name + "@ort" + asset.LibraryVersion; m.Name != want || m.Dimensions != 384 {
		t.Errorf("%+v, want the name %s", m, want)
	}
}

// The constants are what the calibration finds; and on texts it has not seen,
// unrelated ones stay low and answers come out high.
func TestCalibration(t *testing.T) {
	e := model(t)
	measured, err := embed.Calibrate(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(measured.Unrelated-calibration.Unrelated) > 0.01 || math.Abs(measured.Related-calibration.Related) > 0.01 {
		t.Errorf("measured %+v, the constants are %+v", measured, calibration)
	}
	t.Logf("measured %+v", measured)

	pairs := [][2]string{
		{"Where do I live?", "I live in Porto with my two kids."},
		{"What's my favorite color?", "My favorite color is blue"},
		{"What is the name of my cat?", "Our cat Mittens turned three yesterday"},
		{"When do I see the dentist?", "user: I have a dentist appointment on Friday at 10"},
		{"What does Ana do for work?", "Ana: I started as a nurse in the city hospital"},
		{"Which car do I drive?", "I drive an old Volvo that my dad gave me"},
		{"Where did we go on holiday last year?", "Last summer we spent two weeks in Greece, mostly at the beach"},
		{"How long have I known Ben?", "Ben and I met at school, twenty years ago"},
		{"What am I building in the garage?", "The boat in the garage is coming along, the hull is done"},
		{"Which course did I sign up for?", "I finally enrolled in that evening class on pottery"},
	}
	var related, unrelated []float64
	for _, p := range pairs {
		q, err := e.EmbedQuery(t.Context(), p[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range pairs {
			a, err := e.EmbedPassages(t.Context(), []string{o[1]})
			if err != nil {
				t.Fatal(err)
			}
			relevance := e.Model().Calibration.Relevance(cosine(q, a[0]))
			if o == p {
				related = append(related, relevance)
			} else {
				unrelated = append(unrelated, relevance)
			}
		}
	}
	sort.Float64s(related)
	sort.Float64s(unrelated)
	if r, u := related[len(related)/2], unrelated[len(unrelated)/2]; r < 0.5 || u > 0.2 {
		t.Errorf("medians: related %.3f, unrelated %.3f", r, u)
	}
}

func TestVectorsAreTheSameAloneAndTogether(t *testing.T) {
	e := model(t)
	texts := make([]string, 40)
	for i := range texts {
		texts[i] = strings.TrimSpace(fmt.Sprintf("Text %d is %s long.", i, strings.Repeat("very ", (i*7)%23)))
	}
	together, err := e.EmbedPassages(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		alone, err := e.EmbedPassages(t.Context(), []string{text})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(alone[0], together[i]) {
			t.Errorf("%q: another vector in company", text)
		}
		if n := cosine(together[i], together[i]); math.Abs(n-1) > 1e-5 || len(together[i]) != Dimensions {
			t.Errorf("%q: length² %v, width %d", text, n, len(together[i]))
		}
	}
	if vectors, err := e.EmbedPassages(t.Context(), nil); err != nil || len(vectors) != 0 {
		t.Errorf("no texts: %v, %v", vectors, err)
	}
}

func TestBlankTextsAreInvalid(t *testing.T) {
	e := model(t)
	for _, text := range []string{"", " ", "\u200b", "\x00", "\xff"} {
		_, err := e.EmbedPassages(t.Context(), []string{"fine", text})
		var invalid *memd.Error
		if !errors.As(err, &invalid) || invalid.Kind != memd.Invalid || invalid.Field != "texts[1]" {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := e.EmbedQuery(t.Context(), text); memd.KindOf(err) != memd.Invalid {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTheContextIsKeptTo(t *testing.T) {
	e := model(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.EmbedQuery(ctx, "hello"); memd.KindOf(err) != memd.Unavailable || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := e.EmbedPassages(ctx, []string{"a", "b", "c"}); memd.KindOf(err) != memd.Unavailable || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestOpenTwiceCloseReopen(t *testing.T) {
	first, err := Open(config(t))
	if err != nil {
		t.Fatal(err)
	}
	second, err := Open(config(t))
	if err != nil {
		t.Fatal(err)
	}
	want, err := first.EmbedQuery(t.Context(), "hello")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := first.EmbedQuery(t.Context(), "hello"); memd.KindOf(err) != memd.Unavailable {
		t.Errorf("after Close: %v", err)
	}
	if _, err := first.EmbedPassages(t.Context(), []string{"hello"}); memd.KindOf(err) != memd.Unavailable {
		t.Errorf("after Close: %v", err)
	}
	if got, err := second.EmbedQuery(t.Context(), "hello"); err != nil || !slices.Equal(got, want) {
		t.Errorf("the other one: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	third, err := Open(config(t))
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close()
	if got, err := third.EmbedQuery(t.Context(), "hello"); err != nil || !slices.Equal(got, want) {
		t.Errorf("opened again: %v", err)
	}
}

// Close waits for the runs under way, and no run begins after it.
func TestCloseDuringRuns(t *testing.T) {
	c := config(t)
	c.Threads = 2
	e, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	begun := make(chan struct{}, 100)
	for range 3 {
		group.Go(func() {
			for {
				_, err := e.EmbedPassages(t.Context(), []string{"one", "two", "three"})
				begun <- struct{}{}
				if err == nil {
					continue
				}
				if memd.KindOf(err) != memd.Unavailable {
					t.Error(err)
				}
				return
			}
		})
	}
	for range 4 {
		<-begun
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	for {
		select {
		case <-begun:
		case <-done:
			return
		}
	}
}

func TestOpenNamesTheFileAtFault(t *testing.T) {
	nonsense := filepath.Join(t.TempDir(), "nonsense")
	if err := os.WriteFile(nonsense, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Loads the runtime, so that another one can be refused.
	model(t)
	for name, change := range map[string]func(*Config, string){
		"model":     func(c *Config, path string) { c.ModelPath = path },
		"tokenizer": func(c *Config, path string) { c.TokenizerPath = path },
		"runtime":   func(c *Config, path string) { c.RuntimePath = path },
	} {
		for _, path := range []string{nonsense, nonsense + "-missing"} {
			c := config(t)
			change(&c, path)
			e, err := Open(c)
			if err == nil {
				e.Close()
			}
			if err == nil || memd.KindOf(err) != memd.Internal || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func BenchmarkQuery(b *testing.B) {
	e := model(b)
	againstBareRun(b, e.queryIDs, query15, 15, func() error {
		_, err := e.EmbedQuery(b.Context(), query15)
		return err
	})
}

func BenchmarkPassage(b *testing.B) {
	e := model(b)
	againstBareRun(b, e.passageIDs, passage60, 60, func() error {
		_, err := e.EmbedPassages(b.Context(), []string{passage60})
		return err
	})
}

func BenchmarkPassages64(b *testing.B) {
	e := model(b)
	texts := slices.Repeat([]string{passage60}, 64)
	for b.Loop() {
		if _, err := e.EmbedPassages(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
	}
}

// againstBareRun takes turns between vector and the model alone, on tensors made
// once, which is what a vector costs at least; it reports the medians and their
// ratio, which machines that do other things at the same time do not blur.
func againstBareRun(b *testing.B, prefix []int64, text string, tokens int, vector func() error) {
	e := model(b)
	ids, _ := e.words.encode(prefix, text)
	if len(ids) != tokens {
		b.Fatalf("%d tokens", len(ids))
	}
	var inputs []ort.Value
	for _, data := range [][]int64{ids, allOnes, allZeros} {
		tensor, err := ort.NewTensor(ort.NewShape(1, int64(tokens)), data)
		if err != nil {
			b.Fatal(err)
		}
		defer tensor.Destroy()
		inputs = append(inputs, tensor)
	}
	output, err := ort.NewEmptyTensor[float32](ort.NewShape(1, int64(tokens), Dimensions))
	if err != nil {
		b.Fatal(err)
	}
	defer output.Destroy()

	var whole, bare []float64
	for b.Loop() {
		start := time.Now()
		if err := vector(); err != nil {
			b.Fatal(err)
		}
		between := time.Now()
		if err := e.session.Run(inputs, []ort.Value{output}); err != nil {
			b.Fatal(err)
		}
		whole = append(whole, between.Sub(start).Seconds())
		bare = append(bare, time.Since(between).Seconds())
	}
	sort.Float64s(whole)
	sort.Float64s(bare)
	w, r := whole[len(whole)/2], bare[len(bare)/2]
	b.ReportMetric(1e3*w, "embed-ms")
	b.ReportMetric(1e3*r, "bare-ms")
	b.ReportMetric(w/r, "ratio")
}
