package app

import "testing"

// A model that is given sums sessions up, whoever extracts facts.
func TestWhetherSessionsAreSummedUp(t *testing.T) {
	for want, all := range map[bool][]Config{
		true:  {{Summaries: true, LLMURL: "http://x", LLMModel: "m"}, {Summaries: true, LLMURL: "http://x", LLMModel: "m", Extractor: "rules"}},
		false: {{LLMURL: "http://x", LLMModel: "m"}, {Summaries: true}, {Summaries: true, LLMURL: "http://x", Extractor: "rules"}},
	} {
		for _, c := range all {
			if c.SumsUp() != want {
				t.Errorf("%+v: %t", c, !want)
			}
		}
	}
}
