package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/embedded"
	"github.com/memdhq/memd/lexical"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/pgvector/pgvector-go"
)

const (
	dimensions = 384
	model      = "bench"
)

// measureSearches times the search of one user's memories, without the question's
// embedding, against the two bare queries: the nearest hundred vectors, and the
// postings of the question's terms.
func measureSearches(ctx context.Context, s scale, pg *embedded.Postgres) ([]row, error) {
	pool, err := postgres.Open(ctx, pg.AppURL(), postgres.Config{MaxConns: 4})
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	store := longterm.New(pool, longterm.Config{})
	made := newSentences()
	var rows []row
	for _, n := range s.memories {
		user := fmt.Sprintf("user-%d", n)
		if err := fill(ctx, store, made, user, n); err != nil {
			return nil, err
		}
		owner, err := pgx.Connect(ctx, pg.OwnerURL())
		if err != nil {
			return nil, err
		}
		// What autovacuum would have done by the time anyone searches.
		_, err = owner.Exec(ctx, `VACUUM ANALYZE memory, memory_embedding, memory_posting, message_posting`)
		owner.Close(ctx)
		if err != nil {
			return nil, err
		}
		scopeID, err := scopeOf(ctx, pool, user)
		if err != nil {
			return nil, err
		}
		search := func(ctx context.Context, _ int) error {
			hits, err := store.Search(ctx, memd.DefaultTenant, longterm.Query{Scope: memd.Scope{UserID: user},
				Text: made.question(), Vector: made.vector(), Model: model, Relevance: embed.Calibration{}.Relevance, Limit: 10})
			if err == nil && len(hits) != 10 {
				err = fmt.Errorf("%d hits of %d memories", len(hits), n)
			}
			return err
		}
		bare := func(ctx context.Context, _ int) error { return bareQueries(ctx, pool, scopeID, made) }
		var times [2][]float64
		var ratios []float64
		for range s.rounds {
			var p50 [2]time.Duration
			for i, do := range []call{search, bare} {
				all, err := repeat(ctx, s.round, 1, do)
				if err != nil {
					return nil, err
				}
				p50[i] = median(all)
				times[i] = append(times[i], ms(p50[i]))
			}
			ratios = append(ratios, float64(p50[0])/float64(p50[1]))
		}
		rows = append(rows, row{fmt.Sprintf("search of %d memories, p50", n), "ms", median(times[0]), median(times[1]), median(ratios), "≤ 1.5", "the two bare queries"})
	}
	return rows, nil
}

func fill(ctx context.Context, store *longterm.Store, made *sentences, user string, n int) error {
	for batch := range slices.Chunk(make([]longterm.Verbatim, n), 200) {
		for i := range batch {
			batch[i] = longterm.Verbatim{Scope: memd.Scope{UserID: user}, Text: made.sentence(), Role: "user", Vector: made.vector(), Model: model}
		}
		if _, err := store.AddVerbatim(ctx, memd.DefaultTenant, batch); err != nil {
			return err
		}
	}
	return nil
}

func scopeOf(ctx context.Context, pool *postgres.Pool, user string) (id int64, err error) {
	err = pool.InTenant(ctx, memd.DefaultTenant, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT id FROM memory_scope WHERE tenant_id = $1 AND user_id = $2`, memd.DefaultTenant, user).Scan(&id)
	})
	return id, err
}

// bareQueries is what a search cannot do without: two queries in one round trip.
func bareQueries(ctx context.Context, pool *postgres.Pool, scopeID int64, made *sentences) error {
	var terms []int32
	for _, t := range lexical.QueryTerms(made.question()) {
		terms = append(terms, t.Hash)
	}
	b := postgres.TenantBatch(memd.DefaultTenant)
	b.Queue(`SELECT memory_id, embedding OPERATOR(public.<=>) $3 FROM memory_embedding
		WHERE tenant_id = $1 AND scope_id = $2 AND model = $4 ORDER BY embedding OPERATOR(public.<=>) $3 LIMIT 100`,
		memd.DefaultTenant, scopeID, pgvector.NewHalfVector(made.vector()), model)
	b.Queue(`SELECT term, memory_id, tf, length FROM memory_posting WHERE tenant_id = $1 AND scope_id = $2 AND term = ANY($3)`,
		memd.DefaultTenant, scopeID, terms)
	results := pool.SendBatch(ctx, b)
	defer results.Close()
	if err := postgres.ReadTenant(results); err != nil {
		return err
	}
	var id [16]byte
	for range 2 {
		rows, err := results.Query()
		if err != nil {
			return err
		}
		for rows.Next() {
			values := rows.RawValues()
			copy(id[:], values[0])
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return results.Close()
}

// sentences makes texts of invented words, common and rare as in a language, and
// vectors in random directions. The same seed makes the same ones.
type sentences struct {
	r     *rand.Rand
	zipf  *rand.Zipf
	words []string
}

func newSentences() *sentences {
	r := rand.New(rand.NewPCG(7, 11))
	s := &sentences{r: r, zipf: rand.NewZipf(r, 1.1, 8, 19_999)}
	syllables := strings.Fields("ba ke li mo nu ra se ti vo zu pla dri fen gor hul jas kit lom mur nop")
	for i := range 20_000 {
		word := ""
		for n := i + 1; n > 0; n /= len(syllables) {
			word += syllables[n%len(syllables)]
		}
		s.words = append(s.words, word)
	}
	return s
}

func (s *sentences) some(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = s.words[s.zipf.Uint64()]
	}
	return strings.Join(words, " ")
}

func (s *sentences) sentence() string { return s.some(12 + s.r.IntN(16)) }

func (s *sentences) question() string { return s.some(6) }

func (s *sentences) vector() []float32 {
	v := make([]float32, dimensions)
	for i := range v {
		v[i] = float32(s.r.NormFloat64())
	}
	embed.Normalize(v)
	return v
}
