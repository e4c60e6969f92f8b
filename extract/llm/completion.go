package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/memdhq/memd"
)

// answer is what a model said.
type answer struct {
	// choices are its answers to one question: one, mostly.
	choices []choice
	// promptTokens is how many tokens the server says it was given, 0 if it does not.
	promptTokens int
	// completionTokens is how many it says the answer has, 0 likewise.
	completionTokens int

	dialect dialect
	request sum
	// again says that the same was asked before.
	again bool
}

type choice struct {
	content string
	// thought is what it says that it thought, beside its answer.
	thought string
	// calls are the arguments with which it called a tool.
	calls []string
	// cut says that the model was stopped at its limit of tokens.
	cut bool
	// withheld says that the server keeps the answer back.
	withheld bool
}

// completion is the body of an answer, or a part of one that comes as a stream.
type completion struct {
	Choices []struct {
		Index        int    `json:"index"`
		Message      spoken `json:"message"`
		Delta        spoken `json:"delta"`
		Text         string `json:"text"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		PromptTokens     tokenCount `json:"prompt_tokens"`
		CompletionTokens tokenCount `json:"completion_tokens"`
	} `json:"usage"`
	Error *struct {
		Code any `json:"code"`
	} `json:"error"`
}

type spoken struct {
	Content   json.RawMessage `json:"content"`
	Reasoning json.RawMessage `json:"reasoning_content"`
	Thought   json.RawMessage `json:"reasoning"`
	ToolCalls []struct {
		Index    int      `json:"index"`
		Function function `json:"function"`
	} `json:"tool_calls"`
	FunctionCall function `json:"function_call"`
}

type function struct {
	Arguments json.RawMessage `json:"arguments"`
}

// tokenCount is a number of tokens as a server counts them, 0 for what is none.
type tokenCount int

func (n *tokenCount) UnmarshalJSON(raw []byte) error {
	f, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if *n = 0; err == nil && f > 0 && f < 1<<31 {
		*n = tokenCount(f)
	}
	return nil
}

// maxChoices bounds how many answers to one question are looked at.
const maxChoices = 8

// parseCompletion reads the body of an answer, as a stream of parts too. What is no
// completion at all is an invalid answer like any other: a second try may do better.
func parseCompletion(header http.Header, raw []byte) (answer, error) {
	raw = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(raw), []byte("\ufeff")))
	var a answer
	var failed bool
	if parts := streamed(raw); parts != nil {
		for _, part := range parts {
			if body, ok := readCompletion(part); ok {
				a.take(body)
			}
		}
	} else if body, ok := readCompletion(raw); ok {
		if failed = len(body.Choices) == 0 && body.Error != nil; failed {
			// Some pass a failure on with a status that says all is well.
			if status, err := strconv.Atoi(fmt.Sprint(body.Error.Code)); err == nil && status >= 400 && status < 600 {
				return answer{}, refusal(status, header, raw)
			}
		}
		a.take(body)
	}
	switch {
	case len(a.choices) == 0:
		return answer{}, &fault{code: codeInvalid, err: errors.New("it was no completion")}
	case !slices.ContainsFunc(a.choices, func(c choice) bool { return !c.withheld }):
		return a, &fault{code: codeRefused, err: errors.New("the answer was withheld")}
	}
	return a, nil
}

func readCompletion(raw []byte) (body completion, ok bool) {
	err := json.Unmarshal(raw, &body)
	var mistyped *json.UnmarshalTypeError
	return body, err == nil || errors.As(err, &mistyped)
}

// streamed gives the parts of a body that is sent as events, nil for one that is not.
func streamed(raw []byte) [][]byte {
	if !bytes.HasPrefix(raw, []byte("data:")) && !bytes.HasPrefix(raw, []byte("event:")) && !bytes.HasPrefix(raw, []byte(":")) {
		return nil
	}
	parts := [][]byte{}
	for line := range bytes.Lines(raw) {
		if data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:")); ok {
			parts = append(parts, bytes.TrimSpace(data))
		}
	}
	return parts
}

// take adds what a body, or the next part of it, says.
func (a *answer) take(body completion) {
	for n, one := range body.Choices[:min(len(body.Choices), maxChoices)] {
		at := n
		if one.Index > 0 && one.Index < maxChoices {
			at = one.Index
		}
		for len(a.choices) <= at {
			a.choices = append(a.choices, choice{})
		}
		c := &a.choices[at]
		c.content += one.Text
		for _, m := range []spoken{one.Message, one.Delta} {
			c.content += textOf(m.Content)
			c.thought += textOf(m.Reasoning) + textOf(m.Thought)
			for _, call := range m.ToolCalls[:min(len(m.ToolCalls), maxFacts)] {
				c.called(call.Index, call.Function.Arguments, one.Delta.ToolCalls != nil)
			}
			c.called(0, m.FunctionCall.Arguments, one.Delta.FunctionCall.Arguments != nil)
		}
		switch strings.ToLower(one.FinishReason) {
		case "length", "max_tokens", "model_length":
			c.cut = true
		case "content_filter":
			c.withheld = true
		}
	}
	a.promptTokens = max(a.promptTokens, int(body.Usage.PromptTokens))
	a.completionTokens = max(a.completionTokens, int(body.Usage.CompletionTokens))
}

// called adds the arguments of a call: a text that holds JSON, or the JSON. Of a
// stream they go on where those of the same call ended.
func (c *choice) called(index int, raw json.RawMessage, goesOn bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	if goesOn && index >= 0 && index < len(c.calls) {
		c.calls[index] += text
		return
	}
	c.calls = append(c.calls, text)
}

// textOf gives what a content says, as a text, in parts, or as the JSON that it is.
func textOf(raw json.RawMessage) string {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case raw[0] == '{':
		return string(raw)
	}
	return memd.TextOf(json.RawMessage(`{"content":` + string(raw) + `}`))
}

// believe drops counts that no server can have counted for this, and takes an answer
// for cut off that has all the tokens it may have.
func (a *answer) believe(p prompt) {
	if a.promptTokens > 2*maxScale*p.tokens()+4*frame {
		a.promptTokens = 0
	}
	said := 0
	for _, c := range a.choices {
		said += len(c.content) + len(c.thought)
		for _, call := range c.calls {
			said += len(call)
		}
	}
	if a.completionTokens > max(2*p.answer, said) {
		a.completionTokens = 0
	}
	if len(a.choices) == 1 && a.completionTokens >= p.answer {
		a.choices[0].cut = true
	}
}
