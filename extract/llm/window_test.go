package llm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"pgregory.net/rapid"
)

func TestTheWindowIsAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		tells  map[string]string
		config int
		want   int
	}{
		"nothing":              {nil, 0, defaultWindow},
		"configured":           {map[string]string{"/v1/models": `{"data":[{"id":"tiny","max_model_len":2048}]}`}, 1500, 1500},
		"max_model_len":        {map[string]string{"/v1/models": `{"data":[{"id":"big","max_model_len":99999},{"id":"tiny","max_model_len":2048}]}`}, 0, 2048},
		"context_length":       {map[string]string{"/v1/models": `{"data":[{"id":"tiny","context_length":131072,"top_provider":{}}]}`}, 0, 131072},
		"context_window":       {map[string]string{"/v1/models": `{"data":[{"id":"tiny","context_window":"4096"}]}`}, 0, 4096},
		"what is loaded":       {map[string]string{"/v1/models": `{"data":[{"id":"tiny","max_context_length":32768,"loaded_context_length":4096}]}`}, 0, 4096},
		"the only one":         {map[string]string{"/v1/models": `{"data":[{"id":"models/tiny.gguf","context_length":4096}]}`}, 0, 4096},
		"none of several":      {map[string]string{"/v1/models": `{"data":[{"id":"a","context_length":4096},{"id":"b","context_length":4096}]}`}, 0, defaultWindow},
		"what it was made for": {map[string]string{"/v1/models": `{"data":[{"id":"tiny","meta":{"n_ctx_train":131072}}]}`}, 0, defaultWindow},
		"properties":           {map[string]string{"/v1/models": `{"data":[{"id":"tiny"}]}`, "/props": `{"default_generation_settings":{"n_ctx":3072}}`}, 0, 3072},
		"absurd":               {map[string]string{"/v1/models": `{"data":[{"id":"tiny","context_length":-1,"max_model_len":1e300,"n_ctx":[]}]}`, "/props": `<html>`}, 0, defaultWindow},
		"no JSON":              {map[string]string{"/v1/models": `hello`, "/props": `null`}, 0, defaultWindow},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, replies(says(isTea)))
			s.tells = c.tells
			x := s.extractor(func(config *Config) { config.Context = c.config })
			for range 2 {
				want(t, must(t, x, tea), model, "I like tea")
			}
			if got := x.client.window.tokens(); got != c.want {
				t.Errorf("window %d, want %d", got, c.want)
			}
			if max := s.requests()[0].MaxTokens; max > c.want/3 || max < 100 {
				t.Errorf("an answer of %d tokens", max)
			}
			if looks := s.looks; c.config > 0 && len(looks) > 0 || len(looks) > 2 {
				t.Errorf("asked %q", looks)
			}
		})
	}
}

func TestTheWindowIsAskedForAgain(t *testing.T) {
	s := play(t, replies(says(isTea)))
	s.tells = map[string]string{"/v1/models": `{"data":[{"id":"tiny","max_model_len":2048}]}`}
	x := s.extractor()
	must(t, x, tea)
	s.tells["/v1/models"] = `{"data":[{"id":"tiny","max_model_len":4096}]}`
	x.client.window.next = time.Now()
	must(t, x, tea)
	if got := x.client.window.tokens(); got != 4096 {
		t.Errorf("window %d", got)
	}
	// A server that is away says nothing, and what is known stays.
	x.client.window.next = time.Now()
	s.http.Close()
	must(t, x, tea)
	if got := x.client.window.tokens(); got != 4096 {
		t.Errorf("window %d", got)
	}
}

// bounded is a model with a window: it refuses what is longer so, and is cut off at the
// end of what it may answer.
func bounded(t *testing.T, window int, refusal func(asked int) reply) func(int, asked) reply {
	answer := modelOf(t, 1<<30, reply{})
	return func(n int, a asked) reply {
		in := tokens(a.Messages[0].Content) + tokens(a.Messages[1].Content) + 20
		if in+a.MaxTokens > window {
			return refusal(in + a.MaxTokens)
		}
		r := answer(n, a)
		r.prompt, r.used = in, tokens(r.content)
		if r.used > a.MaxTokens {
			r.content, r.used, r.finish = r.content[:len(r.content)*a.MaxTokens/r.used], a.MaxTokens, "length"
		}
		return r
	}
}

func holdsBoats(t *testing.T, e memd.Extraction, n int) {
	t.Helper()
	got := texts(e)
	for i := range n {
		fact := fmt.Sprintf("I own %d boats called Aurora%d", 100+i, i)
		if n := count(got, fact); n != 1 {
			t.Errorf("%q is there %d times", fact, n)
		}
	}
}

// However a server says that a request is too long, it is told less, nothing is lost,
// and the next one fits at once.
func TestTheWindowIsLearnedFromRefusals(t *testing.T) {
	for name, refusal := range map[string]func(asked int) reply{
		"n_ctx": func(n int) reply {
			return reply{status: 400, body: fmt.Sprintf(`{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":%d,"n_ctx":2048}}`, n)}
		},
		"in words": func(n int) reply {
			return reply{status: 400, body: fmt.Sprintf(`{"error":{"message":"This model's maximum context length is 2048 tokens. However, you requested %d tokens.","code":"context_length_exceeded"}}`, n)}
		},
		"in brackets": func(n int) reply {
			return reply{status: 400, body: fmt.Sprintf(`{"error":{"message":"request (%d tokens) exceeds the available context size (2048 tokens)"}}`, n)}
		},
		"another's": func(n int) reply {
			return reply{status: 400, body: fmt.Sprintf(`prompt is too long: %d tokens > 2048 maximum`, n)}
		},
		"as 500": func(int) reply {
			return reply{status: 500, body: `input is too large to process. increase the context size`}
		},
		"not at all": func(int) reply { return reply{status: http.StatusRequestEntityTooLarge} },
		"as 200":     func(int) reply { return reply{body: `{"error":{"code":400,"message":"context length exceeded"}}`} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, bounded(t, 2048, refusal))
			x := s.extractor()
			e := must(t, x, extract.Input{Messages: []memd.Message{user(1, things(6)), user(2, things(12)[len(things(6))+1:])}})
			if e.Extractor != model {
				t.Errorf("extractor %q", e.Extractor)
			}
			holdsBoats(t, e, 12)
			s.noRequestTwice()
			if got := x.client.window.tokens(); got > 3000 {
				t.Errorf("window %d", got)
			}
			before := len(s.requests())
			want(t, must(t, x, tea), model, "I like tea")
			if n := len(s.requests()) - before; n != 1 {
				t.Errorf("%d calls for what fits", n)
			}
		})
	}
}

// A window of 4096 tokens and a turn of 8,000: each call fits, and all are made once.
func TestALongTurnIsReadInAShortWindow(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "I own %d boats called Aurora%d. And then they went on %s. ", 100+i, i, strings.Repeat("and on ", 120))
	}
	long := user(1, b.String())
	s := play(t, bounded(t, 4096, func(n int) reply {
		t.Errorf("a call of %d tokens", n)
		return reply{status: 400}
	}))
	x := s.extractor(func(c *Config) { c.Context = 4096 })
	e := must(t, x, extract.Input{Messages: []memd.Message{long}})
	if !strings.HasPrefix(e.Extractor, model) || strings.Contains(e.Extractor, "rules") {
		t.Errorf("extractor %q", e.Extractor)
	}
	holdsBoats(t, e, 30)
	s.noRequestTwice()
	if n := len(s.requests()); n < 5 || n > 20 {
		t.Errorf("%d calls", n)
	}
}

// A model that may say no more than 200 tokens, and a turn of 60 facts.
func TestAShortAnswerIsAskedForInParts(t *testing.T) {
	t.Parallel()
	for says, n := range map[string]int{"length": 60, "stop": 16} {
		play60 := bounded(t, 8192, nil)
		s := play(t, func(n int, a asked) reply {
			a.MaxTokens = min(a.MaxTokens, 200)
			r := play60(n, a)
			if r.finish == "length" && says == "stop" {
				r.finish, r.used = "", 0
			}
			return r
		})
		e := must(t, s.extractor(), extract.Input{Messages: []memd.Message{user(1, things(n))}})
		if e.Extractor != model {
			t.Errorf("extractor %q", e.Extractor)
		}
		holdsBoats(t, e, n)
		s.noRequestTwice()
		if n := len(s.requests()); n > 40 { // a fact is longer in an answer
			t.Errorf("%d calls", n)
		}
	}
}

func TestWhatTheWindowHasNoRoomForGoesToTheRules(t *testing.T) {
	s := play(t, replies(says(isTea)))
	x := s.extractor(func(c *Config) { c.Context = 512 })
	wantRules(t, must(t, x, tea), "too_long", tea.Messages...)
	x = s.extractor(func(c *Config) { c.Context = 4096 })
	in := wanting(strings.Repeat("Only what they eat. ", 1000), user(1, "I like tea"))
	wantRules(t, must(t, x, extract.Input{Messages: []memd.Message{in}}), "too_long", in)
	if n := len(s.requests()); n != 0 {
		t.Errorf("%d calls", n)
	}
}

// What cannot be less itself can do with less before it.
func TestWhatCameBeforeGoesFirst(t *testing.T) {
	before := []memd.Message{user(1, things(40))}
	s := play(t, func(_ int, a asked) reply {
		if was, _ := a.fresh(t); was != "" {
			return reply{status: 413}
		}
		return says(isTea)
	})
	in := tea
	in.Before = before
	want(t, must(t, s.extractor(), in), model, "I like tea")
	if n := len(s.requests()); n != 2 {
		t.Errorf("%d calls", n)
	}
	s = play(t, replies(reply{status: 413}))
	wantRules(t, must(t, s.extractor(), tea), "too_long", tea.Messages...)
	if n := len(s.requests()); n != 1 {
		t.Errorf("%d calls", n)
	}
}

func TestTheLongestAnswerIsLearned(t *testing.T) {
	for _, body := range []string{
		`{"error":{"message":"max_tokens is too large: 2048. This model supports at most 1000 completion tokens"}}`,
		`{"error":{"message":"max_tokens: 2048 > 1000, which is the maximum allowed number of output tokens"}}`,
		`{"error":{"message":"max_tokens must be less than or equal to 1000"}}`,
	} {
		s := play(t, func(_ int, a asked) reply {
			if a.MaxTokens > 1000 {
				return reply{status: 400, body: body}
			}
			return says(isTea)
		})
		x := s.extractor()
		for range 2 {
			want(t, must(t, x, tea), model, "I like tea")
		}
		if got := modesOf(s); got != "schema, schema, schema" {
			t.Errorf("%s: asked by %s", body, got)
		}
	}
}

// What a server counts where we count less makes the next calls smaller.
func TestTheServersCountIsLearned(t *testing.T) {
	w := window{configured: 8192, scale: firstScale}
	first, _ := w.limits(400, 6000, 4096)
	for range 3 {
		w.counted(1000, 3*1000+frame)
	}
	second, _ := w.limits(400, 6000, 4096)
	if second.input*2 > first.input {
		t.Errorf("%+v, then %+v", first, second)
	}
	w.counted(1000, 3) // a template that drops the messages
	w.counted(10, 1000)
	if third, _ := w.limits(400, 6000, 4096); third.input > second.input+20 {
		t.Errorf("%+v, then %+v", second, third)
	}
}

// Whatever the window and what is learned of it, a call fits it.
func TestLimitsFitTheWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := window{configured: rapid.IntRange(0, 1<<20).Draw(t, "window"), scale: firstScale}
		for range rapid.IntRange(0, 5).Draw(t, "n") {
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				w.counted(rapid.IntRange(0, 1e5).Draw(t, "ours"), rapid.IntRange(-5, 1e6).Draw(t, "theirs"))
			case 1:
				w.exceeded(rapid.SampledFrom([]string{"", `"n_ctx": 3000`, "context length is 99999999999999999999", "context size 300"}).Draw(t, "says"), rapid.IntRange(0, 1e5).Draw(t, "input"), 500)
			case 2:
				w.outputExceeded("max_tokens at most 333", 500)
			}
		}
		told := rapid.IntRange(0, 9000).Draw(t, "told")
		l, ok := w.limits(told, 6000, 4096)
		if !ok {
			return
		}
		if whole := float64(told+l.input+l.before)*w.scale + float64(l.answer); whole > float64(w.tokens()) || l.input > 6000 || l.answer < 1 {
			t.Fatalf("%+v of %d: %.0f tokens", l, w.tokens(), whole)
		}
	})
}

func TestTokensAddUp(t *testing.T) {
	codec := vocabulary()
	for _, text := range []string{"", "a", strings.Repeat("I keep bees in Ghent. ", 500), strings.Repeat("長い話", 900), strings.Repeat("x", 5000), strings.Repeat("\xff", 3000), strings.Repeat("🦊", 700)} {
		whole, err := codec.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := tokens(text); got < whole || got > whole+whole/20+len(text)/chunkBytes+1 {
			t.Errorf("%.20q: %d tokens, of the whole %d", text, got, whole)
		}
	}
}

func FuzzComplaint(f *testing.F) {
	for _, seed := range []string{`"n_ctx": 4096`, "maximum context length is 8192 tokens", "prompt is too long: 5 tokens > 3000 maximum", "max_tokens must be at most 7"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, complaint string) {
		if n := sizeIn(complaint); n != 0 && (n < minWindow || n > maxWindow) {
			t.Errorf("a window of %d", n)
		}
		w := window{scale: firstScale}
		w.exceeded(complaint, 1000, 500)
		w.outputExceeded(complaint, 500)
		if n := w.tokens(); n < minWindow || n > defaultWindow {
			t.Errorf("a window of %d", n)
		}
		if w.output != 0 && (w.output < 16 || w.output >= 500) {
			t.Errorf("an answer of %d", w.output)
		}
		raw, err := json.Marshal(map[string]any{"id": "m", "context_length": complaint})
		if err == nil && saidOf(raw).size > maxWindow {
			t.Error("a window too large")
		}
	})
}

func TestSizesAreFound(t *testing.T) {
	got := []int{}
	for _, c := range []string{"", "the context", `{"n_ctx":4096}`, "context window of 8192 tokens", "exceeds the maximum number of tokens allowed (32768)", "context length 12", "max_model_len (2048)"} {
		got = append(got, sizeIn(c))
	}
	if !slices.Equal(got, []int{0, 0, 4096, 8192, 32768, 0, 2048}) {
		t.Errorf("%d", got)
	}
}
