package main

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embedded"
	"github.com/memdhq/memd/longterm"
)

const (
	searchGuarded = "CPU of a search of 100 memories under row-level security, with Postgres's"
	// guardedMemories is of how many memories that is: of more, the distances hide what it costs.
	guardedMemories = 100
	// guardedSearches are made in a round.
	guardedSearches = 200
)

// measureGuarded has a search made, and then the same where no row-level security binds who asks:
// what it takes of the processor tells them apart, times of a millisecond do not.
func measureGuarded(ctx context.Context, s scale, c choice, pg *embedded.Postgres) ([]row, error) {
	if !c.wants(searchGuarded) {
		return nil, nil
	}
	p, err := openPlace(ctx, pg, "guarded", longterm.Config{})
	if err != nil {
		return nil, err
	}
	defer p.close()
	made := newSentences()
	const user = "subject"
	if _, err := p.store.AddVerbatim(ctx, memd.DefaultTenant, made.memories(user, guardedMemories)); err != nil {
		return nil, err
	}
	if err := p.settle(ctx); err != nil {
		return nil, err
	}
	search := func(ctx context.Context, _ int) error { return p.search(ctx, user, made) }
	var cpu [2][]float64
	var ratios []float64
	for range s.rounds {
		for i, how := range []string{"ENABLE", "DISABLE"} {
			if err := p.secure(ctx, how); err != nil {
				return nil, err
			}
			for range 20 { // plans are made anew
				if err := search(ctx, 0); err != nil {
					return nil, err
				}
			}
			own, server, err := p.cost(ctx, guardedSearches, search)
			if err != nil {
				return nil, err
			}
			cpu[i] = append(cpu[i], ms(own+server))
		}
		last := len(ratios)
		ratios = append(ratios, cpu[0][last]/cpu[1][last])
	}
	return []row{{Figure: searchGuarded, Unit: "ms", Memd: median(cpu[0]), Baseline: median(cpu[1]), Ratio: median(ratios), Aim: "≤ 1.1", Of: "the same without it"}}, nil
}

// secure has all tables of a place be bound by row-level security, or none.
func (p *place) secure(ctx context.Context, how string) error {
	rows, err := p.owner.Query(ctx, `SELECT oid::regclass::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')`)
	if err != nil {
		return err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, table := range tables {
		if _, err := p.owner.Exec(ctx, `ALTER TABLE `+table+` `+how+` ROW LEVEL SECURITY`); err != nil {
			return err
		}
	}
	return nil
}
