package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/embedded"
	"github.com/memdhq/memd/lexical"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/pgvector/pgvector-go"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

const (
	dimensions = 384
	model      = "bench"
)

func searchAlone(n int) string { return inEnglish.Sprintf("search of %d memories, p50", n) }

func searchAmong(n int, others crowd) string {
	return inEnglish.Sprintf("search of %d memories among %d of others, p50", n, others.users*others.each)
}

// inEnglish writes 10000 as 10,000.
var inEnglish = message.NewPrinter(language.English)

// measureSearches times the search of one user's memories, without the question's
// embedding, against the two bare queries: the nearest hundred vectors, and the
// postings of the question's terms. It does so where nobody else has memories and
// where many have, in turns.
func measureSearches(ctx context.Context, s scale, c choice, pg *embedded.Postgres) ([]row, error) {
	var sizes []int
	among := false
	for _, n := range s.memories {
		crowded := c.wants(searchAmong(n, s.others))
		if crowded || c.wants(searchAlone(n)) {
			sizes = append(sizes, n)
		}
		among = among || crowded
	}
	if len(sizes) == 0 {
		return nil, nil
	}
	made := newSentences()
	alone, err := openPlace(ctx, pg, "alone", longterm.Config{})
	if err != nil {
		return nil, err
	}
	defer alone.close()
	var many *place
	if among {
		if many, err = openPlace(ctx, pg, "among", longterm.Config{}); err != nil {
			return nil, err
		}
		defer many.close()
	}
	// The same memories lie in both places. Alone, a smaller user is measured before a
	// larger one is there.
	subjects := make([][]longterm.Verbatim, len(sizes))
	for i, n := range sizes {
		subjects[i] = made.memories(fmt.Sprintf("subject-%d", n), n)
	}
	if among {
		if err := s.others.gather(ctx, many, made, subjects); err != nil {
			return nil, err
		}
	}
	var rows []row
	for i, n := range sizes {
		for batch := range slices.Chunk(subjects[i], 200) {
			if _, err := alone.store.AddVerbatim(ctx, memd.DefaultTenant, batch); err != nil {
				return nil, err
			}
		}
		if err := alone.settle(ctx); err != nil {
			return nil, err
		}
		user := subjects[i][0].Scope.UserID
		more, err := measureSearch(ctx, s, c, n, user, made, alone, many)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// measureSearch measures the search of one user's n memories.
func measureSearch(ctx context.Context, s scale, c choice, n int, user string, made *sentences, alone, many *place) ([]row, error) {
	const search, bare, searchMany, bareMany = 0, 1, 2, 3
	var calls []call
	for _, p := range []*place{alone, many} {
		if p == many && !c.wants(searchAmong(n, s.others)) {
			break
		}
		scopeID, err := p.scopeOf(ctx, user)
		if err != nil {
			return nil, err
		}
		calls = append(calls, func(ctx context.Context, _ int) error { return p.search(ctx, user, made) },
			func(ctx context.Context, _ int) error { return bareQueries(ctx, p.pool, scopeID, made) })
	}
	p50 := make([][]float64, len(calls)) // by call, of each round
	for range s.rounds {
		for i, do := range calls {
			times, err := repeat(ctx, s.search, 1, do)
			if err != nil {
				return nil, err
			}
			p50[i] = append(p50[i], ms(median(times)))
		}
	}
	against := func(figure string, subject, baseline int, aim, of string) row {
		var ratios []float64
		for i := range p50[subject] {
			ratios = append(ratios, p50[subject][i]/p50[baseline][i])
		}
		return row{Figure: figure, Unit: "ms", Memd: median(p50[subject]), Baseline: median(p50[baseline]), Ratio: median(ratios), Aim: aim, Of: of}
	}
	var rows []row
	if c.wants(searchAlone(n)) {
		rows = append(rows, against(searchAlone(n), search, bare, "≤ 1.5", "the two bare queries"))
	}
	if figure := searchAmong(n, s.others); c.wants(figure) {
		rows = append(rows, against(figure, searchMany, search, "≤ 2", "the same search alone"),
			against(figure, searchMany, bareMany, "≤ 1.5", "the two bare queries there"))
	}
	return rows, nil
}

// place is a schema of its own with memd's tables.
type place struct {
	owner *pgx.Conn // may change the tables
	pool  *postgres.Pool
	store *longterm.Store
}

func openPlace(ctx context.Context, pg *embedded.Postgres, schema string, cfg longterm.Config) (_ *place, err error) {
	conn, err := pgx.Connect(ctx, pg.OwnerURL())
	if err != nil {
		return nil, err
	}
	_, err = conn.Exec(ctx, `CREATE SCHEMA `+schema)
	if err = errors.Join(err, conn.Close(ctx)); err != nil {
		return nil, err
	}
	// With public in the path the daemon's own tables would be taken for these.
	if err := postgres.Migrate(ctx, withPath(pg.OwnerURL(), schema)); err != nil {
		return nil, err
	}
	p := &place{}
	if p.owner, err = pgx.Connect(ctx, withPath(pg.OwnerURL(), schema+",public")); err != nil {
		return nil, err
	}
	if p.pool, err = postgres.Open(ctx, withPath(pg.AppURL(), schema+",public"), postgres.Config{MaxConns: 4}); err != nil {
		return nil, errors.Join(err, p.owner.Close(ctx))
	}
	p.store = longterm.New(p.pool, cfg)
	return p, nil
}

func (p *place) close() {
	p.pool.Close()
	_ = p.owner.Close(context.Background())
}

func withPath(url, path string) string { return url + "&search_path=" + path }

// settle does what autovacuum would have done by the time anyone searches.
func (p *place) settle(ctx context.Context) error {
	_, err := p.owner.Exec(ctx, `VACUUM ANALYZE memory_scope, memory, memory_source, memory_embedding, memory_posting, message_posting`)
	return err
}

func (p *place) scopeOf(ctx context.Context, user string) (id int64, err error) {
	err = p.pool.InTenant(ctx, memd.DefaultTenant, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT id FROM memory_scope WHERE tenant_id = $1 AND user_id = $2`, memd.DefaultTenant, user).Scan(&id)
	})
	return id, err
}

// search asks for ten memories of a user who has more.
func (p *place) search(ctx context.Context, user string, made *sentences) error {
	hits, err := p.store.Search(ctx, memd.DefaultTenant, longterm.Query{Scope: memd.Scope{UserID: user},
		Text: made.question(), Vector: made.vector(), Model: model, Relevance: embed.Calibration{}.Relevance, Limit: 10})
	if err == nil && len(hits) != 10 {
		err = fmt.Errorf("%d hits of the memories of %s", len(hits), user)
	}
	return err
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

// memories gives n memories of a user, none of them stored.
func (s *sentences) memories(user string, n int) []longterm.Verbatim {
	all := make([]longterm.Verbatim, n)
	for i := range all {
		all[i] = longterm.Verbatim{Scope: memd.Scope{UserID: user}, Text: s.sentence(), Role: "user", Vector: s.vector(), Model: model}
	}
	return all
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
