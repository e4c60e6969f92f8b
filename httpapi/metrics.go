package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// noRoute is the route of requests that match none.
const noRoute = "none"

// metrics are the counts and times of requests by route. They name no tenant.
type metrics struct {
	requests *prometheus.HistogramVec
	inFlight prometheus.Gauge
	refused  *prometheus.CounterVec
}

func newMetrics(r prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "memd_http_request_duration_seconds",
			Help:    "How long requests took, by route and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"method", "route", "status"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "memd_http_requests_in_flight",
			Help: "Requests that are being served.",
		}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "memd_http_refused_total",
			Help: "Requests that were refused because too much of their kind was at work.",
		}, []string{"lane"}),
	}
	for _, lane := range lanes { // 0, rather than nothing, before the first
		m.refused.WithLabelValues(lane)
	}
	if r == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.requests, m.inFlight, m.refused} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *metrics) observe(method, route string, status int, took time.Duration) {
	switch method { // any word can be a method; labels must stay few
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
	default:
		method = "other"
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}
