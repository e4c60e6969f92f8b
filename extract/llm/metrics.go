package llm

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Outcomes of a call beside the codes.
const outcomeOK = "ok"

// Reasons of memd_llm_facts_total why a fact was dropped, beside kept.
type verdict string

const (
	kept        verdict = "kept"        // it was found in what the messages state
	unsupported verdict = "unsupported" // no message states it
	garbled     verdict = "garbled"     // it has characters that are none
	unwanted    verdict = "unwanted"    // the message asks to forget it
	excess      verdict = "excess"      // it is one too many
)

type metrics struct {
	registerer prometheus.Registerer
	tokens     *prometheus.CounterVec
	calls      *prometheus.CounterVec
	durations  prometheus.Histogram
	facts      *prometheus.CounterVec
	fallbacks  *prometheus.CounterVec
	cost       prometheus.Counter // nil without prices

	// prices of one token.
	promptPrice, completionPrice float64
}

// newMetrics registers them with Config.Metrics, if there is one. Extractors that
// share a registerer share their counters.
func newMetrics(config Config) *metrics {
	m := &metrics{
		registerer:  config.Metrics,
		promptPrice: config.PromptPrice / 1e6, completionPrice: config.CompletionPrice / 1e6,
	}
	m.tokens = register(m, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "memd_llm_tokens_total",
		Help: "Tokens by kind: prompt, completion; as the server counts them, else as o200k_base does.",
	}, []string{"kind"}))
	m.calls = register(m, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "memd_llm_calls_total",
		Help: "Calls of the language model by outcome and by how the shape of the answer was asked for: schema, tool, plain.",
	}, []string{"outcome", "mode"}))
	m.durations = register(m, prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "memd_llm_call_seconds",
		Help:    "Duration of the calls of the language model.",
		Buckets: prometheus.ExponentialBuckets(0.05, 2, 12),
	}))
	m.facts = register(m, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "memd_llm_facts_total",
		Help: "Facts that the language model proposed: kept, or why they were dropped.",
	}, []string{"outcome"}))
	m.fallbacks = register(m, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "memd_llm_fallbacks_total",
		Help: "Extractions for which the rules took the language model's place, wholly or in part, by reason.",
	}, []string{"reason"}))
	if config.PromptPrice > 0 || config.CompletionPrice > 0 {
		m.cost = register(m, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "memd_llm_cost_total",
			Help: "Estimated cost of the tokens, in the currency of the configured prices.",
		}))
	}
	return m
}

// register gives a collector, or the one of its name that is registered already.
func register[C prometheus.Collector](m *metrics, c C) C {
	if m.registerer == nil {
		return c
	}
	var known prometheus.AlreadyRegisteredError
	if err := m.registerer.Register(c); errors.As(err, &known) {
		if same, ok := known.ExistingCollector.(C); ok {
			return same
		}
	}
	return c
}

// window shows how much the model takes.
func (m *metrics) window(size func() int) {
	register(m, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "memd_llm_context_tokens",
		Help: "The language model's window as it is configured, told by its server or learned from it.",
	}, func() float64 { return float64(size()) }))
}

func (m *metrics) took(start time.Time) { m.durations.Observe(time.Since(start).Seconds()) }

func (m *metrics) called(why code, mode mode) {
	outcome := string(why)
	if why == "" {
		outcome = outcomeOK
	}
	m.calls.WithLabelValues(outcome, mode.String()).Inc()
}

// spent counts the tokens of a call that was answered.
func (m *metrics) spent(a answer, p prompt) {
	prompt, completion := a.promptTokens, a.completionTokens
	if prompt == 0 {
		prompt = p.tokens()
	}
	if completion == 0 {
		for _, c := range a.choices {
			completion += tokens(head(c.content, maxContent)) + tokens(head(c.thought, maxContent))
			for _, call := range c.calls {
				completion += tokens(head(call, maxContent))
			}
		}
	}
	m.tokens.WithLabelValues("prompt").Add(float64(prompt))
	m.tokens.WithLabelValues("completion").Add(float64(completion))
	if m.cost != nil {
		m.cost.Add(float64(prompt)*m.promptPrice + float64(completion)*m.completionPrice)
	}
}

func (m *metrics) judged(v verdict, n int) {
	if n > 0 {
		m.facts.WithLabelValues(string(v)).Add(float64(n))
	}
}
