package llm

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"github.com/prometheus/client_golang/prometheus"
)

// values gives what a registry holds, by name and labels' values.
func values(t *testing.T, r *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			switch {
			case m.Counter != nil:
				out[name] = m.GetCounter().GetValue()
			case m.Gauge != nil:
				out[name] = m.GetGauge().GetValue()
			case m.Histogram != nil:
				out[name] = float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return out
}

func TestWhatIsSpentAndMadeIsCounted(t *testing.T) {
	answer := says(facts("I like tea", []int{1}, "I own a yacht", []int{1}, "I like rum", []int{}, "My name is Ana", []int{1}, "My sister Ana lives in \ufffd", []int{1}))
	answer.prompt, answer.used = 600, 100
	s := play(t, replies(reply{status: 400, body: "response_format"}, says("no"), answer, reply{status: 401}))
	r := prometheus.NewRegistry()
	x := s.extractor(func(c *Config) { c.Metrics, c.PromptPrice, c.CompletionPrice, c.Context = r, 2, 10, 4096 })
	in := extract.Input{Messages: []memd.Message{user(1, "I like tea. My sister is called Ana.")}}
	must(t, x, in)
	must(t, x, in)
	got := values(t, r)
	for name, want := range map[string]float64{
		"memd_llm_calls_total schema refused": 1, "memd_llm_calls_total tool invalid_answer": 1, "memd_llm_calls_total plain ok": 1, "memd_llm_calls_total tool unauthorized": 1,
		"memd_llm_call_seconds":     4,
		"memd_llm_facts_total kept": 2, "memd_llm_facts_total unsupported": 2, "memd_llm_facts_total garbled": 1,
		"memd_llm_fallbacks_total unsupported": 0, "memd_llm_fallbacks_total unauthorized": 1,
		"memd_llm_context_tokens": 4096,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	// The answer that has no count of its server is counted here.
	prompt, completion := got["memd_llm_tokens_total prompt"], got["memd_llm_tokens_total completion"]
	if prompt < 800 || prompt > 1500 || completion != 100+float64(tokens("no")) {
		t.Errorf("tokens %v, %v", prompt, completion)
	}
	if want := fmt.Sprintf("%.9f", prompt*2e-6+completion*10e-6); fmt.Sprintf("%.9f", got["memd_llm_cost_total"]) != want {
		t.Errorf("cost %v, want %s", got["memd_llm_cost_total"], want)
	}
}

func TestWithoutPricesThereIsNoCost(t *testing.T) {
	r := prometheus.NewRegistry()
	s := play(t, replies(says(isTea)))
	for range 2 { // one that is made anew goes on with the same counters
		must(t, s.extractor(func(c *Config) { c.Metrics = r }), tea)
	}
	got := values(t, r)
	if _, ok := got["memd_llm_cost_total"]; ok || got["memd_llm_calls_total schema ok"] != 2 {
		t.Errorf("%v", got)
	}
}

// What a server cannot have counted is not believed: it is counted here.
func TestCountsAreDoubted(t *testing.T) {
	for name, usage := range map[string]string{
		"absurd":       `{"prompt_tokens":2147483647,"completion_tokens":2147483647}`,
		"negative":     `{"prompt_tokens":-5,"completion_tokens":1e300}`,
		"no numbers":   `{"prompt_tokens":"many","completion_tokens":[]}`,
		"much too big": `{"prompt_tokens":20000,"completion_tokens":200000}`,
	} {
		content, _ := json.Marshal(isTea)
		s := play(t, replies(reply{body: `{"choices":[{"message":{"content":` + string(content) + `}}],"usage":` + usage + `}`}))
		r := prometheus.NewRegistry()
		x := s.extractor(func(c *Config) { c.Metrics, c.PromptPrice = r, 1 })
		scale := x.client.window.scale
		want(t, must(t, x, tea), model, "I like tea")
		got := values(t, r)
		if prompt, completion := got["memd_llm_tokens_total prompt"], got["memd_llm_tokens_total completion"]; prompt > 2000 || prompt < 200 || completion != float64(tokens(isTea)) || got["memd_llm_cost_total"] > 0.002 {
			t.Errorf("%s: %v, %v", name, prompt, completion)
		}
		if x.client.window.scale != scale {
			t.Errorf("%s: scale %v", name, x.client.window.scale)
		}
	}
}

// An answer that is withheld was made, and is paid for.
func TestAWithheldAnswerIsCounted(t *testing.T) {
	s := play(t, replies(reply{finish: "content_filter", prompt: 600, used: 70}))
	r := prometheus.NewRegistry()
	must(t, s.extractor(func(c *Config) { c.Metrics = r }), tea)
	if got := values(t, r); got["memd_llm_tokens_total prompt"] == 0 || got["memd_llm_tokens_total completion"] != got["memd_llm_tokens_total prompt"]/600*70 {
		t.Errorf("%v", got)
	}
}
