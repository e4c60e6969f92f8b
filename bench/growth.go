package main

import (
	"context"
	"slices"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embedded"
	"github.com/memdhq/memd/longterm"
)

func grownSearch(n int) string { return inEnglish.Sprintf("growth: search of %d of a user, p50", n) }

func grownSize(n int) string {
	return inEnglish.Sprintf("growth: bytes of one of %d memories, with vector, words and indexes", n)
}

// growthTo gives the sizes that are measured up to n.
func growthTo(n int) (sizes []int) {
	for size := 1000; size <= n; size *= 10 {
		sizes = append(sizes, size)
	}
	return sizes
}

// measureGrowth has the memories of one user become ever more, and at each size times their
// search and weighs them. Among how many of others they lie is what -each says.
func measureGrowth(ctx context.Context, s scale, c choice, pg *embedded.Postgres) (rows []row, err error) {
	if !slices.ContainsFunc(s.growth, func(n int) bool { return c.wants(grownSearch(n)) || c.wants(grownSize(n)) }) {
		return nil, nil
	}
	const schema, user = "growth", "subject"
	p, err := openPlace(ctx, pg, schema, longterm.Config{})
	if err != nil {
		return nil, err
	}
	defer p.close()
	empty, _, err := p.weigh(ctx)
	if err != nil {
		return nil, err
	}
	made := newSentences()
	if _, err := p.store.AddVerbatim(ctx, memd.DefaultTenant, made.memories(user, 1)); err != nil {
		return nil, err
	}
	scope, err := p.scopeOf(ctx, user)
	if err != nil {
		return nil, err
	}
	there := 1
	for _, n := range s.growth {
		copies, err := beginCopies(ctx, p)
		if err != nil {
			return nil, err
		}
		for there < n {
			memories := made.memories(user, min(n-there, copiedAtOnce))
			if err := copies.add(ctx, memories, slices.Repeat([]int64{scope}, len(memories))); err != nil {
				return nil, err
			}
			there += len(memories)
		}
		if err := copies.end(ctx, []int64{scope}); err != nil {
			return nil, err
		}
		if err := p.tend(ctx); err != nil {
			return nil, err
		}
		if c.wants(grownSearch(n)) {
			r, err := p.timeGrown(ctx, s, n, user, scope, made)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
		if c.wants(grownSize(n)) {
			all, indexes, err := p.weigh(ctx)
			if err != nil {
				return nil, err
			}
			each := (all - empty) / float64(n)
			rows = append(rows, row{Figure: grownSize(n), Unit: "bytes", Memd: each, Baseline: indexes / float64(n), Ratio: each / (indexes / float64(n)), Aim: "–", Of: "its indexes alone"})
		}
	}
	return rows, nil
}

// timeGrown times the search of n memories against the two bare queries.
func (p *place) timeGrown(ctx context.Context, s scale, n int, user string, scope int64, made *sentences) (row, error) {
	var p50 [2][]float64
	var ratios []float64
	for range s.rounds {
		for i, do := range []call{
			func(ctx context.Context, _ int) error { return p.search(ctx, user, made) },
			func(ctx context.Context, _ int) error { return bareQueries(ctx, p.pool, scope, made) },
		} {
			times, err := repeat(ctx, s.search, 1, do)
			if err != nil {
				return row{}, err
			}
			p50[i] = append(p50[i], ms(median(times)))
		}
		last := len(ratios)
		ratios = append(ratios, p50[0][last]/p50[1][last])
	}
	return row{Figure: grownSearch(n), Unit: "ms", Memd: median(p50[0]), Baseline: median(p50[1]), Ratio: median(ratios), Aim: "–", Of: "the two bare queries"}, nil
}

// weigh gives the bytes of the tables that memories stand in, and of the indexes alone.
func (p *place) weigh(ctx context.Context) (all, indexes float64, err error) {
	err = p.owner.QueryRow(ctx, `SELECT sum(pg_total_relation_size(oid))::float8, sum(pg_indexes_size(oid))::float8
		FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname ~ '^memory'`).Scan(&all, &indexes)
	return all, indexes, err
}
