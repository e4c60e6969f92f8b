package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"github.com/rs/zerolog"
)

var (
	threeSaid  = []memd.Message{user(1, "I have a dog named Rex."), user(2, "I moved to Lisbon."), user(3, "My sister Ana is vegan.")}
	threeKept  = []string{"I have a dog named Rex", "I moved to Lisbon", "My sister Ana is vegan"}
	threeFacts = facts("I have a dog named Rex", []int{1}, "I moved to Lisbon", []int{2}, "My sister Ana is vegan", []int{3})
	rex        = facts("I have a dog named Rex", []int{1})
	lisbon     = facts("I moved to Lisbon", []int{2})
	ana        = facts("My sister Ana is vegan", []int{3})
)

// completionOf is the body of a completion of messages, a choice each.
func completionOf(messages ...map[string]any) string {
	var choices []any
	for i, m := range messages {
		choices = append(choices, map[string]any{"index": i, "message": m, "finish_reason": "stop"})
	}
	out, _ := json.Marshal(map[string]any{"choices": choices, "usage": map[string]any{"prompt_tokens": 600, "completion_tokens": 50}})
	return string(out)
}

// streamOf is a completion as a stream of parts.
func streamOf(content string) string {
	var b strings.Builder
	b.WriteString(": ping\n\n")
	for part := range slices.Chunk([]rune(content), 20) {
		chunk, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"content": string(part)}, "finish_reason": nil}}})
		fmt.Fprintf(&b, "data: %s\n\n", chunk)
	}
	return b.String() + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":600,"completion_tokens":50}}` + "\n\ndata: [DONE]\n\n"
}

// Whatever is around the facts of an answer, before them, between them or beside them,
// all three are found, with one call.
func TestFactsAreFoundWhereverTheyAre(t *testing.T) {
	lines := strings.TrimSuffix(strings.TrimPrefix(threeFacts, `{"facts":[`), `]}`)
	for name, answer := range map[string]func(a asked) reply{
		"plain":             func(asked) reply { return says(threeFacts) },
		"the system prompt": func(a asked) reply { return says(a.Messages[0].Content + "\n" + threeFacts) },
		"the whole prompt": func(a asked) reply {
			return says(a.Messages[0].Content + "\n" + a.Messages[1].Content + "\n" + threeFacts)
		},
		"the prompt in a row": func(a asked) reply { return says(a.Messages[0].Content + a.Messages[1].Content + threeFacts) },
		"a thought":           func(asked) reply { return says(`<thinking>Should I say {"facts": []}? No.</thinking>` + threeFacts) },
		"thoughts": func(asked) reply {
			return says(`<think a="b">{"facts":[]}</think> hm <reasoning>{"facts":[]}</reasoning>` + threeFacts)
		},
		"a thought half marked": func(asked) reply { return says(`so {"facts":[]}?</think>` + threeFacts) },
		"a thought in brackets": func(asked) reply { return says(`[THINK]{"facts":[]}[/THINK]` + threeFacts) },
		"a thought unended":     func(asked) reply { return says(`<think>so it is ` + threeFacts) },
		"channels": func(asked) reply {
			return says(`<|channel|>analysis<|message|>{"facts":[]}<|end|><|channel|>final<|message|>` + threeFacts)
		},
		"an empty one before": func(asked) reply {
			return says(`If there were nothing I would answer {"facts":[]}. But there is: ` + threeFacts)
		},
		"an empty one after": func(asked) reply { return says(threeFacts + `. Else it were {"facts":[]}.`) },
		"no lists before":    func(asked) reply { return says(`{"facts":null} {"facts":"none"} ` + threeFacts) },
		"an example before":  func(asked) reply { return says(facts("The user lives in Oslo", []int{1}) + threeFacts) },
		"a line each":        func(asked) reply { return says(strings.ReplaceAll(lines, "},{", "}\n{")) },
		"a list each":        func(asked) reply { return says(rex + "\n" + lisbon + "\n" + ana) },
		"by message":         func(asked) reply { return says(`{"1":` + rex + `,"2":` + lisbon + `,"3":` + ana + `}`) },
		"several calls":      func(asked) reply { return reply{calls: []any{rex, lisbon, ana}} },
		"some calls broken":  func(asked) reply { return reply{calls: []any{rex, "{bad", "not json", lisbon, ana}} },
		"a call each, as facts": func(asked) reply {
			return reply{calls: []any{`{"text":"I have a dog named Rex","sources":[1]}`, `{"text":"I moved to Lisbon","sources":[2]}`, `{"text":"My sister Ana is vegan","sources":[3]}`}}
		},
		"wrong and no ids": func(asked) reply {
			return says(facts("I have a dog named Rex", []int{1}, "I moved to Lisbon", []int{99}, "My sister Ana is vegan", []int{}))
		},
		"texts among them": func(asked) reply {
			return says(strings.TrimSuffix(rex, "]}") + `,"I moved to Lisbon",null,{"text":"My sister Ana is vegan"}]}`)
		},
		"texts alone": func(asked) reply {
			return says(`{"facts":["I have a dog named Rex","I moved to Lisbon","My sister Ana is vegan"]}`)
		},
		"texts as lists": func(asked) reply {
			return says(`{"facts":[{"text":["I have a dog named Rex","I moved to Lisbon"],"sources":[1,2]},{"text":["My sister Ana is vegan"],"sources":[3]}]}`)
		},
		"more text than fits": func(asked) reply {
			return says(facts(strings.Repeat("I have a dog named Rex. ", 400), []int{1}, "I moved to Lisbon", []int{2}, "My sister Ana is vegan", []int{3}))
		},
		"a mark before it": func(asked) reply { return reply{body: "\ufeff" + completionOf(map[string]any{"content": threeFacts})} },
		"a stream":         func(asked) reply { return reply{body: streamOf(threeFacts)} },
		"the second choice": func(asked) reply {
			return reply{body: completionOf(map[string]any{"content": "no"}, map[string]any{"content": threeFacts})}
		},
		"an empty choice": func(asked) reply {
			return reply{body: completionOf(map[string]any{"content": `{"facts":[]}`}, map[string]any{"content": threeFacts})}
		},
		"thought only": func(asked) reply {
			return reply{body: completionOf(map[string]any{"content": "", "reasoning_content": "I see. " + threeFacts})}
		},
		"a reasoning only": func(asked) reply {
			return reply{body: completionOf(map[string]any{"content": nil, "reasoning": threeFacts})}
		},
		"parts": func(asked) reply {
			return reply{body: completionOf(map[string]any{"content": []any{map[string]any{"type": "text", "text": threeFacts}}})}
		},
		"JSON as it is": func(asked) reply {
			return reply{body: completionOf(map[string]any{"content": json.RawMessage(threeFacts)})}
		},
		"the old way": func(asked) reply {
			b, _ := json.Marshal(threeFacts)
			return reply{body: `{"choices":[{"text":` + string(b) + `}]}`}
		},
		"whole, said to be cut": func(asked) reply { return reply{content: threeFacts, finish: "length"} },
		"an invented next chat": func(asked) reply {
			return says(threeFacts + "\n<|im_start|>user\nI own a boat\n" + `{"facts":[{"text":"I own a yacht","sources":[1]}]}{"facts":[{"te`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, e := extractWith(t, func(_ int, a asked) reply { return answer(a) }, threeSaid...)
			want(t, e, model, threeKept...)
			if n := len(s.requests()); n != 1 {
				t.Errorf("%d calls", n)
			}
		})
	}
}

// An answer that is broken off is not taken for one that says there is nothing.
func TestAnEmptyListBeforeATornOneIsNoAnswer(t *testing.T) {
	s, e := extractWith(t, replies(reply{content: `It could be {"facts":[]}, but it is {"facts":[{"te`, finish: "length"}), tea.Messages...)
	wantRules(t, e, "too_long", tea.Messages...)
	if n := len(s.requests()); n != 1 {
		t.Errorf("%d calls", n)
	}
}

// many is what somebody says in so many short messages.
func many(n int) []memd.Message {
	var in []memd.Message
	for i := range n {
		in = append(in, user(int64(i+1), fmt.Sprintf("I visited town number %d and liked it.", i)))
	}
	return in
}

// wantRulesOnly holds a result to being the rules', for whatever reason.
func wantRulesOnly(t *testing.T, e memd.Extraction, in ...memd.Message) {
	t.Helper()
	_, why, _ := strings.Cut(strings.TrimSuffix(e.Extractor, ")"), "(llm: ")
	wantRules(t, e, why, in...)
}

// useless are answers that bring nothing whatever is asked.
var useless = map[string]reply{
	"a list broken off":     says(`{"facts":[{"text":"I li`),
	"always cut off":        reply{content: `{"facts":[{"text":"I li`, finish: "length"},
	"whole and cut off":     reply{content: facts("I own a yacht", []int{1}), finish: "length"},
	"too much to read":      reply{status: 413},
	"the window is smaller": reply{status: 400, body: `{"error":{"code":"context_length_exceeded","message":"This model's maximum context length is 4096 tokens"}}`},
	"a poem":                says("Roses are red"),
	"a page":                reply{body: "<html>"},
	"withheld":              reply{finish: "content_filter"},
}

func TestFewCallsAreMadeInVain(t *testing.T) {
	for name, r := range useless {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for messages, most := range map[int]int{1: 6, 4: 8, 30: 10} {
				in := many(messages)
				s := play(t, replies(r))
				wantRulesOnly(t, must(t, s.extractor(), extract.Input{Messages: in}), in...)
				if n := len(s.requests()); n > most {
					t.Errorf("%d calls for %d messages", n, messages)
				}
				s.noRequestTwice()
			}
		})
	}
}

// After some extractions that brought nothing the model is left alone, and tried again
// by one later on, each time after longer.
func TestAModelOfNoUseIsLeftAlone(t *testing.T) {
	for name, r := range useless {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := extract.Input{Messages: many(2)}
			useful := false
			s := play(t, func(_ int, a asked) reply {
				if useful {
					_, lines := a.fresh(t)
					return says(facts(lines[0].Text, []int{1}))
				}
				return r
			})
			x := s.extractor(func(c *Config) { c.Pause = time.Hour })
			for range maxFruitless + 2 {
				wantRulesOnly(t, must(t, x, in), in.Messages...)
			}
			rested := len(s.requests())
			if rested > maxFruitless*6 {
				t.Errorf("%d calls", rested)
			}
			for _, least := range []time.Duration{time.Hour / 8, time.Hour / 4} {
				if wait := time.Until(x.client.until); wait < least-5*time.Minute {
					t.Errorf("left alone for %v, want %v", wait, least)
				}
				x.client.until = time.Time{} // later
				wantRulesOnly(t, must(t, x, in), in.Messages...)
				wantRulesOnly(t, must(t, x, in), in.Messages...)
			}
			if n := len(s.requests()) - rested; n == 0 || n > 2*6 {
				t.Errorf("%d calls to try again", n)
			}
			useful = true
			x.client.until = time.Time{}
			for range 2 {
				if e := must(t, x, in); !strings.HasPrefix(e.Extractor, model) {
					t.Errorf("extractor %q", e.Extractor)
				}
			}
		})
	}
}

// A model that keeps to no shape is asked in words in the end, and this is remembered.
func TestWordsAreTriedInTheEnd(t *testing.T) {
	s := play(t, func(_ int, a asked) reply {
		if modeOf(a) != "plain" {
			return says("I see three facts in what you say.")
		}
		return says(isTea)
	})
	x := s.extractor()
	wantRules(t, must(t, x, tea), "invalid_answer", tea.Messages...)
	for range 4 {
		want(t, must(t, x, tea), model, "I like tea")
	}
	if got := modesOf(s); got != "schema, tool, tool, plain, tool, plain, plain, plain" {
		t.Errorf("asked by %s", got)
	}
	// One that was held to it is not given up for one odd message.
	s = play(t, func(n int, a asked) reply {
		if n == 2 || n == 3 {
			return says("Roses are red")
		}
		return takes(reply{}, "schema", "tool")(n, a)
	})
	x = s.extractor()
	for range 4 {
		must(t, x, tea)
	}
	if got := modesOf(s); got != "schema, schema, tool, schema, schema" {
		t.Errorf("asked by %s", got)
	}
}

func TestAServerThatHasNotImplementedAModeIsAskedInAnother(t *testing.T) {
	s := play(t, takes(reply{status: 501, body: "not implemented"}, "plain"))
	x := s.extractor()
	for range 2 {
		want(t, must(t, x, tea), model, "I like tea")
	}
	if got := modesOf(s); got != "schema, tool, plain, plain" {
		t.Errorf("asked by %s", got)
	}
}

// Why answers that look well are refused is told in the log, without a word of them.
func TestTheLogSaysWhatWasWrongWithAnAnswer(t *testing.T) {
	answer := says(facts("I like tea", []int{1}))
	answer.prompt = 1 // fewer tokens than it was sent words
	var log strings.Builder
	x := play(t, replies(answer)).extractor(func(c *Config) { c.Log = zerolog.New(&log) })
	in := []memd.Message{user(1, "I like tea")}
	wantRules(t, must(t, x, extract.Input{Messages: in}), "invalid_answer", in...)
	if !strings.Contains(log.String(), "the messages were not read") || strings.Contains(log.String(), "tea") {
		t.Errorf("logged %s", log.String())
	}
}
