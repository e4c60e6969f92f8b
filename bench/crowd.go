package main

import (
	"context"
	"fmt"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
)

// crowd is other users, each with so many memories: at least two, and ten for one of
// them to be searched.
type crowd struct{ users, each int }

func (c crowd) user(i int) string { return fmt.Sprintf("other-%d", i) }

// gather stores the memories of the subjects among those of the crowd. All users speak
// in turn, as they would over the months, so that what belongs to one of them lies
// scattered over tables and indexes. The subjects' memories go the way that memories
// go, and so does the first of each of the others, which makes their scopes. The rest
// would take minutes that way: it is copied into the tables.
func (c crowd) gather(ctx context.Context, p *place, made *sentences, subjects [][]longterm.Verbatim) error {
	var first []longterm.Verbatim
	for i := range c.users {
		first = append(first, made.memories(c.user(i), 1)...)
	}
	if _, err := p.store.AddVerbatim(ctx, memd.DefaultTenant, first); err != nil {
		return err
	}
	scopes := make([]int64, c.users)
	for i := range scopes {
		var err error
		if scopes[i], err = p.scopeOf(ctx, c.user(i)); err != nil {
			return err
		}
	}
	copies, err := beginCopies(ctx, p)
	if err != nil {
		return err
	}
	for turn := 1; turn < c.each; turn++ {
		memories := made.memories("", c.users)
		for i := range memories {
			memories[i].Scope.UserID = c.user(i)
		}
		if err := copies.add(ctx, memories, scopes); err != nil {
			return err
		}
		for _, all := range subjects {
			from, to := len(all)*(turn-1)/(c.each-1), len(all)*turn/(c.each-1)
			if _, err := p.store.AddVerbatim(ctx, memd.DefaultTenant, all[from:to]); err != nil {
				return err
			}
		}
	}
	if err := copies.end(ctx, scopes); err != nil {
		return err
	}
	// What was copied is as good as what was added.
	return p.search(ctx, c.user(c.users-1), made)
}
