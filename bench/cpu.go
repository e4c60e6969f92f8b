package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/postgres"
)

// serverTime is what the server's processes that work for memd in this database have used of the
// processor, by the scheduler's count. Only what it has grown by, with nobody gone meanwhile, says
// something.
func (p *place) serverTime(ctx context.Context) (sum time.Duration, err error) {
	rows, err := p.owner.Query(ctx, `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND usename = $1`, postgres.Role)
	if err != nil {
		return 0, err
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil {
		return 0, err
	}
	if len(pids) == 0 {
		return 0, errors.New("no process of the server is seen to work for memd")
	}
	for _, pid := range pids {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		if errors.Is(err, os.ErrNotExist) {
			continue // it has just gone
		}
		if err != nil {
			return 0, err
		}
		used, _, _ := strings.Cut(string(raw), " ")
		ns, err := strconv.ParseInt(used, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(ns)
	}
	return sum, nil
}

// cost gives what n calls have used of the processor, each: of this process, and of the server.
func (p *place) cost(ctx context.Context, n int, do call) (own, server time.Duration, err error) {
	before, err := p.serverTime(ctx)
	if err != nil {
		return 0, 0, err
	}
	used := cpuTime()
	for range n {
		if err := do(ctx, 0); err != nil {
			return 0, 0, err
		}
	}
	own = cpuTime() - used
	after, err := p.serverTime(ctx)
	return own / time.Duration(n), (after - before) / time.Duration(n), err
}
