package app

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/memdhq/memd/postgres"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

func newRegistry(version string) *prometheus.Registry {
	r := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "memd_build_info", Help: "1, with the version as a label.",
		ConstLabels: prometheus.Labels{"version": version}})
	build.Set(1)
	r.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// scrapesAtOnce bounds those who read the metrics, some of which Postgres is asked for.
const scrapesAtOnce = 8

func metricsHandler(r *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: scrapesAtOnce})
}

// backlog gives what is open, and what was given up, over all tenants, read from Postgres
// when scraped.
type backlog struct {
	pool             *postgres.Pool
	away             func() bool // Postgres is known to be: it is not asked
	count, oldest    *prometheus.Desc
	dead, oldestDead *prometheus.Desc
}

func newBacklog(pool *postgres.Pool, away func() bool) *backlog {
	return &backlog{pool: pool, away: away,
		count:      prometheus.NewDesc("memd_ingest_open_messages", "Messages that have not settled.", []string{"state"}, nil),
		oldest:     prometheus.NewDesc("memd_ingest_oldest_open_seconds", "Age of the oldest message that has not settled.", []string{"state"}, nil),
		dead:       prometheus.NewDesc("memd_ingest_dead_letters", "Messages that were given up and neither retried nor discarded.", nil, nil),
		oldestDead: prometheus.NewDesc("memd_ingest_oldest_dead_letter_seconds", "How long ago the first of them was given up.", nil, nil)}
}

var errAway = errors.New("Postgres does not answer")

func (b *backlog) Describe(ch chan<- *prometheus.Desc) {
	ch <- b.count
	ch <- b.oldest
	ch <- b.dead
	ch <- b.oldestDead
}

func (b *backlog) Collect(ch chan<- prometheus.Metric) {
	if b.away() {
		ch <- prometheus.NewInvalidMetric(b.count, errAway)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	counts := map[string]float64{"pending": 0, "running": 0, "failed": 0}
	ages := map[string]float64{"pending": 0, "running": 0, "failed": 0}
	const dead = "dead"
	rows, err := b.pool.Query(ctx, `SELECT state, n, oldest_s FROM memd_backlog()`)
	if err == nil {
		for rows.Next() {
			var state string
			var n int64
			var age float64
			if err = rows.Scan(&state, &n, &age); err != nil {
				break
			}
			counts[state], ages[state] = float64(n), age
		}
		rows.Close()
		if err == nil {
			err = rows.Err()
		}
	}
	if err != nil { // no figure rather than a false one
		ch <- prometheus.NewInvalidMetric(b.count, err)
		return
	}
	ch <- prometheus.MustNewConstMetric(b.dead, prometheus.GaugeValue, counts[dead])
	ch <- prometheus.MustNewConstMetric(b.oldestDead, prometheus.GaugeValue, ages[dead])
	delete(counts, dead)
	for state := range counts {
		ch <- prometheus.MustNewConstMetric(b.count, prometheus.GaugeValue, counts[state], state)
		ch <- prometheus.MustNewConstMetric(b.oldest, prometheus.GaugeValue, ages[state], state)
	}
}

// poolStats gives how a pool of connections is used.
type poolStats struct {
	pool                 *postgres.Pool
	used, size, waits, s *prometheus.Desc
}

func newPoolStats(name string, pool *postgres.Pool) *poolStats {
	desc := func(metric, help string) *prometheus.Desc {
		return prometheus.NewDesc(metric, help, nil, prometheus.Labels{"pool": name})
	}
	return &poolStats{pool: pool,
		used:  desc("memd_db_connections_in_use", "Connections that are in use."),
		size:  desc("memd_db_connections", "Connections that are open."),
		waits: desc("memd_db_acquire_waits_total", "Acquisitions that had to wait for a connection."),
		s:     desc("memd_db_acquire_seconds_total", "Time spent in acquiring connections.")}
}

func (p *poolStats) Describe(ch chan<- *prometheus.Desc) {
	ch <- p.used
	ch <- p.size
	ch <- p.waits
	ch <- p.s
}

func (p *poolStats) Collect(ch chan<- prometheus.Metric) {
	s := p.pool.Stat()
	ch <- prometheus.MustNewConstMetric(p.used, prometheus.GaugeValue, float64(s.AcquiredConns()))
	ch <- prometheus.MustNewConstMetric(p.size, prometheus.GaugeValue, float64(s.TotalConns()))
	ch <- prometheus.MustNewConstMetric(p.waits, prometheus.CounterValue, float64(s.EmptyAcquireCount()))
	ch <- prometheus.MustNewConstMetric(p.s, prometheus.CounterValue, s.AcquireDuration().Seconds())
}

// newConnectionStats gives how many connections callers hold.
func newConnectionStats(c *connections) prometheus.Collector {
	return &connectionStats{connections: c,
		open: prometheus.NewDesc("memd_http_connections", "Connections of callers that are open.", nil, nil),
		shut: prometheus.NewDesc("memd_http_connections_shut_total", "Connections without a request that were ended because there were too many.", nil, nil)}
}

type connectionStats struct {
	connections *connections
	open, shut  *prometheus.Desc
}

func (s *connectionStats) Describe(ch chan<- *prometheus.Desc) { ch <- s.open; ch <- s.shut }

func (s *connectionStats) Collect(ch chan<- prometheus.Metric) {
	open, shut := s.connections.count()
	ch <- prometheus.MustNewConstMetric(s.open, prometheus.GaugeValue, float64(open))
	ch <- prometheus.MustNewConstMetric(s.shut, prometheus.CounterValue, float64(shut))
}
