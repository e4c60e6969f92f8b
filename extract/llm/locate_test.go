package llm

import (
	"testing"
	"unicode/utf8"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
)

// judged says whether a fact stands that cites the last of what was said.
func judged(t *testing.T, text string, said ...memd.Message) []memd.Candidate {
	t.Helper()
	r := New(Config{}, extract.NewRules()).begin(t.Context(), t.Context())
	last := len(said) - 1
	r.hear(extract.Input{Before: said[:last], Messages: said[last:]})
	return r.judge([]fact{{text: text, cited: []int{1}}}, r.batches()[0]).candidates
}

// Whatever a model answers, it can be read, and what comes of it is bounded, tidy and
// of a message that was given.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		"", "{", "}", `{"facts":[]}`, `{"facts":null}`, `{"facts":{"km":5}}`, "```json\n{\"facts\":[{\"text\":\"I live in Bergen\",\"sources\":[1]}]}\n```",
		`{"facts":[{"text":"I live in Bergen","sources":["2",3,null,[1]],"date":"2024-13-40","category":"A b"}]}{"facts":[1]}`,
		`<think>{"facts":[{"text":1}]}</think>{"facts":["a",{"text":"\u0000\ud800 I live in Bergen","sources":1e99}]}`,
		`{"facts":[{"text":"My sister Ana","sources":[1,1,2,2,99999999999999999999]}],"facts":3}`, `{"FACTS":[{"Text":"私は東京に住んでいます","sources":[3]}]}`,
	} {
		f.Add(seed, "", "")
		f.Add("", seed, "")
		f.Add(seed, seed, "{}")
	}
	in := extract.Input{Messages: []memd.Message{user(5, "I live in Bergen. My sister Ana is 34."), assistant(6, "Nice!"), user(9, "私は東京に住んでいます")}}
	x := New(Config{}, extract.NewRules())
	f.Fuzz(func(t *testing.T, content, first, second string) {
		var calls []string
		for _, c := range []string{first, second} {
			if c != "" {
				calls = append(calls, c)
			}
		}
		r := x.begin(t.Context(), t.Context())
		r.hear(in)
		ps := r.batches()[0]
		l, _ := r.limits(ps)
		candidates, err := r.read(answer{choices: []choice{{content: content, calls: calls}}}, r.promptFor(ps, l, ""), ps)
		if err != nil && len(candidates) > 0 {
			t.Fatal("candidates with an error")
		}
		r.candidates = candidates
		positions := map[int64]int{}
		for _, c := range r.inOrder() {
			if c.Text == "" || !utf8.ValidString(c.Text) || extract.Redact(c.Text) != c.Text {
				t.Errorf("text %q", c.Text)
			}
			if len(c.Sources) == 0 || c.SaidAt.IsZero() || c.Position != positions[c.Sources[0]] {
				t.Errorf("%+v", c)
			}
			positions[c.Sources[0]]++
			for _, s := range c.Sources {
				if s != 5 && s != 6 && s != 9 {
					t.Errorf("source %d", s)
				}
			}
		}
	})
}
