package longterm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
	"github.com/pgvector/pgvector-go"
)

// BenchmarkSearch compares, in turns on one connection, a search with the two bare SQL
// queries that a context cannot do without: the last messages of a session, and the
// nearest vectors of a user. Metrics are medians in milliseconds, and their ratio.
func BenchmarkSearch(b *testing.B) {
	for _, size := range []int{100, 10_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := newStoreWith(b, postgres.Config{MaxConns: 1})
			r := rand.New(rand.NewPCG(1, 2))
			fillConversation(s, r, "alice", size)
			owner, err := pgx.Connect(b.Context(), s.owner)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := owner.Exec(b.Context(), "VACUUM ANALYZE"); err != nil {
				b.Fatal(err)
			}
			if err := owner.Close(b.Context()); err != nil {
				b.Fatal(err)
			}
			scopeID := query[int64](s, `SELECT id FROM memory_scope`)
			bare := func(vector []float32) error {
				batch := postgres.TenantBatch(tenant)
				batch.Queue(pinPlans)
				batch.Queue(`SELECT role, message FROM conversation_context WHERE tenant_id = $1 AND user_id = $2 AND session_id = $3 ORDER BY id DESC LIMIT 20`, tenant, "alice", "s0")
				batch.Queue(`SELECT memory_id FROM memory_embedding WHERE scope_id = $1 AND model = $2 AND tenant_id = $3 ORDER BY embedding <=> $4 LIMIT 10`, scopeID, model, tenant, pgvector.NewHalfVector(vector))
				return s.pool.SendBatch(b.Context(), batch).Close()
			}
			var searches, bares []time.Duration
			for b.Loop() {
				q := Query{Scope: user("alice"), Text: strings.TrimSpace(sentence(r, 9)), Vector: randomVector(r), Model: model}
				start := time.Now()
				if hits, err := s.Search(b.Context(), tenant, q); err != nil || len(hits) != 10 {
					b.Fatal(len(hits), err)
				}
				searches = append(searches, time.Since(start))
				start = time.Now()
				if err := bare(q.Vector); err != nil {
					b.Fatal(err)
				}
				bares = append(bares, time.Since(start))
			}
			b.ReportMetric(median(searches), "search-ms")
			b.ReportMetric(median(bares), "bare-ms")
			b.ReportMetric(median(searches)/median(bares), "ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func median(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2]) / float64(time.Millisecond)
}

// sentence makes words as common as they are in talk: a few again and again.
func sentence(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		if r.IntN(2) == 0 {
			b.WriteString([]string{"the", "and", "is", "to", "of", "I", "a", "in"}[r.IntN(8)])
		} else {
			fmt.Fprintf(&b, "w%d", int(math.Exp(r.Float64()*math.Log(20_000))))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

func randomVector(r *rand.Rand) []float32 {
	v := make([]float32, 384)
	var norm float64
	for i := range v {
		x := r.NormFloat64()
		v[i] = float32(x)
		norm += x * x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(norm))
	}
	return v
}

// fillConversation has a user say n things in sessions of 25, each of which becomes a memory.
func fillConversation(s *bench, r *rand.Rand, who string, n int) {
	s.Helper()
	for done := 0; done < n; {
		var said []memd.Message
		for range min(25, n-done) {
			said = append(said, memd.Message{UserID: who, SessionID: fmt.Sprintf("s%d", done/25), Text: sentence(r, 20)})
		}
		l := whole(s.say(said...))
		for i := range l.Vectors {
			l.Vectors[i] = randomVector(r)
		}
		s.consolidate(l)
		done += len(said)
	}
}

// BenchmarkConsolidate writes messages that each become a memory.
func BenchmarkConsolidate(b *testing.B) {
	s := newStore(b)
	r := rand.New(rand.NewPCG(1, 2))
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		l := whole(s.say(memd.Message{UserID: "alice", SessionID: fmt.Sprint("s", i/25), Text: sentence(r, 20)},
			memd.Message{UserID: "alice", SessionID: fmt.Sprint("s", i/25), Role: memd.RoleAssistant, Text: sentence(r, 60)}))
		for i := range l.Vectors {
			l.Vectors[i] = randomVector(r)
		}
		b.StartTimer()
		s.consolidate(l)
	}
	b.ReportMetric(2*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}

// BenchmarkConsolidateInto consolidates sessions of 32 messages into a person of whom much
// is remembered, beside one of whom nothing is, in turns. A quarter of what is said is about
// one of a few slots. Metrics are medians in milliseconds, and their ratio.
func BenchmarkConsolidateInto(b *testing.B) {
	s := newStore(b)
	r := rand.New(rand.NewPCG(1, 2))
	fillConversation(s, r, "full", 10_000)
	owner, err := pgx.Connect(b.Context(), s.owner)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := owner.Exec(b.Context(), "VACUUM ANALYZE"); err != nil {
		b.Fatal(err)
	}
	if err := owner.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
	n := 0
	session := func(who string) Learned {
		var said []memd.Message
		n++
		for i := range 32 {
			role := memd.RoleUser
			if i%2 == 1 {
				role = memd.RoleAssistant
			}
			said = append(said, memd.Message{UserID: who, SessionID: fmt.Sprint("b", n), Role: role, Text: sentence(r, 20)})
		}
		l := whole(s.say(said...))
		for i := range l.Vectors {
			l.Vectors[i] = randomVector(r)
			if i%4 == 0 {
				l.Candidates[i].Slot, l.Candidates[i].Value = fmt.Sprint("slot", r.IntN(20)), fmt.Sprint(r.IntN(4))
			}
		}
		return l
	}
	timed := func(l Learned) time.Duration {
		start := time.Now()
		s.consolidate(l)
		return time.Since(start)
	}
	var full, empty []time.Duration
	for b.Loop() {
		full = append(full, timed(session("full")))
		empty = append(empty, timed(session(fmt.Sprint("empty", n))))
	}
	b.ReportMetric(median(full), "full-ms")
	b.ReportMetric(median(empty), "empty-ms")
	b.ReportMetric(median(full)/median(empty), "ratio")
	b.ReportMetric(0, "ns/op")
}
