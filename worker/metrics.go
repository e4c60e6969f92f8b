package worker

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

type metrics struct {
	messages   *prometheus.CounterVec
	failures   *prometheus.CounterVec
	durations  *prometheus.HistogramVec
	dead       *prometheus.CounterVec
	panics     prometheus.Counter
	stuck      prometheus.Counter
	broken     prometheus.Counter
	again      prometheus.Counter
	vectors    prometheus.Counter
	refused    prometheus.Counter
	jobs       prometheus.Gauge
	collectors []prometheus.Collector
}

// States of memd_worker_messages_total beside those of a message's ingest.
const stateReleased = "released"

func newMetrics(breakers []*breaker) *metrics {
	m := &metrics{
		messages: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "memd_worker_messages_total",
			Help: "Messages by what became of them: done, dead, failed (will be tried again), released (handed back).",
		}, []string{"state"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "memd_worker_failures_total",
			Help: "Batches that could not be learned from, by class and code of the cause.",
		}, []string{"class", "code"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "memd_worker_stage_seconds",
			Help: "Duration of the stages of a batch: extract, embed, commit.",
			// A rule-made batch takes milliseconds, a model's minutes.
			Buckets: prometheus.ExponentialBuckets(0.001, 3, 12),
		}, []string{"stage"}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "memd_worker_panics_total",
			Help: "Panics that were caught.",
		}),
		dead: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "memd_worker_dead_letters_total",
			Help: "Messages that were given up, by class and code of the cause.",
		}, []string{"class", "code"}),
		stuck: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "memd_worker_stuck_total",
			Help: "Batches that had not broken off long after their time was up, and were left behind.",
		}),
		broken: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "memd_worker_broken_off_total",
			Help: "Batches that were broken off because their messages were taken away, as by an erasure.",
		}),
		again: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "memd_worker_redeliveries_total",
			Help: "Deliveries of work that was delivered before.",
		}),
		vectors: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "memd_worker_late_vectors_total",
			Help: "Vectors made for memories that were stored without one.",
		}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "memd_worker_refused_vectors_total",
			Help: "Times that the embedder refused the text of a memory, which is found by its words alone for as long.",
		}),
		jobs: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "memd_worker_jobs",
			Help: "Sessions that are being worked on.",
		}),
	}
	m.collectors = []prometheus.Collector{m.messages, m.failures, m.durations, m.dead, m.panics, m.stuck, m.broken, m.again, m.vectors, m.refused, m.jobs}
	for _, b := range breakers {
		m.collectors = append(m.collectors, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "memd_worker_breaker_open",
			Help:        "1 while a dependency is away: nothing is fetched for it, or, for the extractor, the rules stand in.",
			ConstLabels: prometheus.Labels{"dependency": b.name},
		}, func() float64 {
			if away, _ := b.shown(); away {
				return 1
			}
			return 0
		}), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "memd_worker_breaker_pause_seconds",
			Help:        "How long a dependency that is away is left alone from now on.",
			ConstLabels: prometheus.Labels{"dependency": b.name},
		}, func() float64 {
			_, wait := b.shown()
			return wait.Seconds()
		}))
	}
	return m
}

// register registers all or none.
func (m *metrics) register(r prometheus.Registerer) error {
	for i, c := range m.collectors {
		if err := r.Register(c); err != nil {
			for _, done := range m.collectors[:i] {
				r.Unregister(done)
			}
			return errors.New("the worker's metrics cannot be registered: " + err.Error())
		}
	}
	return nil
}

// took records how long a stage took since start.
func (m *metrics) took(stage string, start time.Time) {
	m.durations.WithLabelValues(stage).Observe(time.Since(start).Seconds())
}
