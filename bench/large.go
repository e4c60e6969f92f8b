package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/embedded"
	"github.com/memdhq/memd/longterm"
)

const (
	// subjectsAsked is how many questions the recall of a graph is the mean of.
	subjectsAsked = 200
	// copiedAtOnce is how many memories of the large scope are copied in one transaction.
	copiedAtOnce = 10_000
)

func largeRecall(n int) string {
	return inEnglish.Sprintf("search in one scope of %d (HNSW), recall@10", n)
}

func largeSearch(n int) string {
	return inEnglish.Sprintf("search in one scope of %d (HNSW), p50", n)
}

// measureLarge compares the search of a scope that is large enough for a graph of its
// vectors with the search of all of them: how many of the ten nearest it gives, and how
// long it takes. What is asked has a word that stands
// nowhere, so that only vectors decide; these lie around subjects, as those of texts do.
func measureLarge(ctx context.Context, s scale, c choice, pg *embedded.Postgres) ([]row, error) {
	if !c.wants(largeRecall(s.large)) && !c.wants(largeSearch(s.large)) {
		return nil, nil
	}
	p, err := openPlace(ctx, pg, "large", longterm.Config{LargeScope: s.large / 2})
	if err != nil {
		return nil, err
	}
	defer p.close()
	made := newSentences()
	about := made.subjects(max(10, s.large/500))
	const user = "everybody"
	first := made.memories(user, 1)
	first[0].Vector = about.vector(made)
	if _, err := p.store.AddVerbatim(ctx, memd.DefaultTenant, first); err != nil {
		return nil, err
	}
	scope, err := p.scopeOf(ctx, user)
	if err != nil {
		return nil, err
	}
	copies, err := beginCopies(ctx, p)
	if err != nil {
		return nil, err
	}
	for left := s.large - 1; left > 0; left -= copiedAtOnce {
		memories := made.memories(user, min(left, copiedAtOnce))
		for i := range memories {
			memories[i].Text, memories[i].Vector = made.some(4), about.vector(made)
		}
		if err := copies.add(ctx, memories, slices.Repeat([]int64{scope}, len(memories))); err != nil {
			return nil, err
		}
	}
	if err := copies.end(ctx, []int64{scope}); err != nil {
		return nil, err
	}
	if err := p.tend(ctx); err != nil {
		return nil, err
	}
	// What is superseded stands in no graph: who asks for it, too, has all vectors read. There
	// is nothing superseded here, so that the answer is the same otherwise.
	search := func(ctx context.Context, vector []float32, exact bool) ([]string, error) {
		hits, err := p.store.Search(ctx, memd.DefaultTenant, longterm.Query{Scope: memd.Scope{UserID: user}, Text: "xyzzy", Vector: vector, Model: model,
			Relevance: embed.Calibration{}.Relevance, Limit: 10, IncludeSuperseded: exact})
		if err == nil && len(hits) != 10 {
			err = fmt.Errorf("%d hits of a scope of %d", len(hits), s.large)
		}
		ids := make([]string, len(hits))
		for i, h := range hits {
			ids[i] = h.Memory.ID
		}
		return ids, err
	}
	var rows []row
	if c.wants(largeRecall(s.large)) {
		found := 0
		for range subjectsAsked {
			vector := about.vector(made)
			near, err := search(ctx, vector, false)
			if err != nil {
				return nil, err
			}
			all, err := search(ctx, vector, true)
			if err != nil {
				return nil, err
			}
			for _, id := range all {
				if slices.Contains(near, id) {
					found++
				}
			}
		}
		recall := float64(found) / (10 * subjectsAsked)
		rows = append(rows, row{Figure: largeRecall(s.large), Unit: "of 1", Memd: recall, Baseline: 1, Ratio: recall, Aim: "≥ 0.98", Of: "all vectors read"})
	}
	if c.wants(largeSearch(s.large)) {
		var p50 [2][]float64
		var ratios []float64
		for range s.rounds {
			var times [2]time.Duration
			for i, exact := range []bool{false, true} {
				all, err := repeat(ctx, s.search, 1, func(ctx context.Context, _ int) error {
					_, err := search(ctx, about.vector(made), exact)
					return err
				})
				if err != nil {
					return nil, err
				}
				times[i] = median(all)
				p50[i] = append(p50[i], ms(times[i]))
			}
			ratios = append(ratios, float64(times[0])/float64(times[1]))
		}
		rows = append(rows, row{Figure: largeSearch(s.large), Unit: "ms", Memd: median(p50[0]), Baseline: median(p50[1]), Ratio: median(ratios), Aim: "–", Of: "all vectors read"})
	}
	return rows, nil
}

// tend has the graphs of large scopes made.
func (p *place) tend(ctx context.Context) error {
	for {
		worked, err := p.store.TendNeighbours(ctx, model, dimensions)
		if err != nil || !worked {
			return err
		}
	}
}

// subjects are directions around which vectors lie.
type subjects [][]float32

func (s *sentences) subjects(n int) subjects {
	all := make(subjects, n)
	for i := range all {
		all[i] = s.vector()
	}
	return all
}

// vector gives one that is about one of the subjects: its cosine with it is about 0.7, as
// between sentences about the same thing.
func (all subjects) vector(s *sentences) []float32 {
	v, about := s.vector(), all[s.r.IntN(len(all))]
	for i := range v {
		v[i] += about[i]
	}
	embed.Normalize(v)
	return v
}
