package main

import (
	"fmt"
	"os"
	"unicode/utf8"

	"github.com/memdhq/memd/backfill"
	"github.com/tiktoken-go/tokenizer"
)

// estimate is what a chat model would take to learn from what is imported.
type estimate struct {
	// Model is the one that this environment names, "" if there is none: then nothing is asked.
	Model string `json:"model,omitempty"`
	Calls int    `json:"llm_calls"`
	// PromptTokens and CompletionTokens are of all calls together, Cost what they come to at
	// the prices that are set.
	PromptTokens     int     `json:"prompt_tokens,omitempty"`
	CompletionTokens int     `json:"completion_tokens,omitempty"`
	Cost             float64 `json:"cost,omitempty"`
}

// What is known of calls from experience: how much text one takes at most, what the instructions
// take, what share of the text the answer has.
const (
	tokensPerCall     = 4000
	instructionTokens = 1600
	answerShare       = 0.3
	tokenizedAtOnce   = 1024
)

// estimate says what a model would take, if this environment names one.
func (c importCommand) estimate(t backfill.Totals) *estimate {
	e := &estimate{}
	if os.Getenv("MEMD_LLM_URL") == "" || os.Getenv("MEMD_EXTRACTOR") == "rules" {
		return e
	}
	e.Model = os.Getenv("MEMD_LLM_MODEL")
	if t.Learnable > 0 {
		e.Calls = max(t.Conversations, (t.Tokens+tokensPerCall-1)/tokensPerCall)
	}
	e.PromptTokens = t.Tokens + e.Calls*instructionTokens
	e.CompletionTokens = int(float64(t.Tokens) * answerShare)
	e.Cost = (float64(e.PromptTokens)*c.LLMPromptPrice + float64(e.CompletionTokens)*c.LLMCompletionPrice) / 1e6
	return e
}

func (e *estimate) words() string {
	if e.Model == "" {
		return "no calls of a chat model: none is set here (MEMD_LLM_URL)"
	}
	s := fmt.Sprintf("about %d calls of %s, %d tokens sent and %d answered", e.Calls, e.Model, e.PromptTokens, e.CompletionTokens)
	if e.Cost > 0 {
		s += fmt.Sprintf(", at a cost of %.2f", e.Cost)
	}
	return s
}

// tokensOf gives what counts tokens. A text is counted in pieces: it takes long of one that is.
func tokensOf() (func(string) int, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return nil, err
	}
	return func(text string) (n int) {
		for len(text) > 0 {
			at := min(len(text), tokenizedAtOnce)
			for at < len(text) && at > 0 && !utf8.RuneStart(text[at]) {
				at--
			}
			if at == 0 {
				at = len(text)
			}
			ids, _, err := codec.Encode(text[:at])
			if err != nil {
				return n + len(text)/4
			}
			n += len(ids)
			text = text[at:]
		}
		return n
	}, nil
}
