// Command backfill measures what years of generated conversations cost: how fast they go in and
// are learned from, how much memory memd and the importer take, and how long a client who is at it
// meanwhile waits, against the same client alone.
//
//	go run ./bench/backfill                       a million messages
//	go run ./bench/backfill -messages 200000      fewer
//	go run ./bench/backfill -messages 0           only the client, alone and beside an import by turns
//
// It builds memd, and runs it and its importer as anybody would, on a data directory that is removed
// afterwards. Single times of a shared machine say little.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// scale is how much is measured.
type scale struct {
	messages int           // that are imported in one go, 0 for none
	rounds   int           // of the client alone and beside an import
	phase    time.Duration // of either in a round
	beside   int           // messages of the import beside the client, more than go in meanwhile
	settling time.Duration // for how long the rate of learning is watched
	importer []string      // what else the importer is told
	server   []string      // what else memd is told, as environment
}

func main() {
	s := scale{beside: 200_000, settling: 30 * time.Second}
	flag.IntVar(&s.messages, "messages", 1_000_000, "how many messages are imported in one go")
	flag.IntVar(&s.rounds, "rounds", 5, "how often the client is measured alone and beside an import")
	flag.DurationVar(&s.phase, "phase", 15*time.Second, "for how long either")
	importer := flag.String("importer", "", "flags of memd import, separated by blanks")
	server := flag.String("server", "", "settings of memd serve, as NAME=value, separated by blanks")
	flag.Parse()
	s.importer, s.server = strings.Fields(*importer), strings.Fields(*server)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, s, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "backfill:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, s scale, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "memd-backfill-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // a Postgres without root's rights must get in
		return err
	}
	program := filepath.Join(dir, "memd")
	if err := build(ctx, program); err != nil {
		return err
	}
	m, err := startMemd(ctx, program, filepath.Join(dir, "data"), s.server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.stop()) }()
	fmt.Fprintf(out, "%s/%s, %d cores, %s\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())

	c := newClient(m.url)
	if _, err := c.live(ctx, s.phase/3); err != nil { // until all is warm
		return err
	}
	if s.rounds > 0 {
		if err := byTurns(ctx, s, m, c, out); err != nil {
			return err
		}
	}
	if s.messages > 0 {
		return atOnce(ctx, s, m, c, out)
	}
	return nil
}

// byTurns measures the client alone and beside an import, again and again.
func byTurns(ctx context.Context, s scale, m *memd, c *client, out io.Writer) error {
	var alone, beside waits
	var ratios [2][]float64 // of writes and of contexts
	brought := 0
	for round := range s.rounds {
		quiet, err := c.live(ctx, s.phase)
		if err != nil {
			return err
		}
		i, err := m.importing(ctx, past{prefix: fmt.Sprintf("r%d-", round), messages: s.beside, people: 50}, s.importer)
		if err != nil {
			return err
		}
		if err := i.awaitSending(ctx); err != nil {
			return err
		}
		before, err := c.logged(ctx)
		if err != nil {
			return err
		}
		busy, err := c.live(ctx, s.phase)
		if err != nil {
			return errors.Join(err, i.end())
		}
		after, err := c.logged(ctx)
		if err != nil {
			return err
		}
		if err := i.breakOff(); err != nil {
			return err
		}
		brought += after - before
		alone, beside = alone.and(quiet), beside.and(busy)
		ratios[0] = append(ratios[0], of(busy.writes, 0.99)/of(quiet.writes, 0.99))
		ratios[1] = append(ratios[1], of(busy.contexts, 0.99)/of(quiet.contexts, 0.99))
		// What the import has left to do must not be in the way of the next round.
		if err := c.forget(ctx, fmt.Sprintf("r%d-", round)); err != nil {
			return err
		}
		if err := c.settled(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\na client beside an import (%d rounds of %v; %.0f messages/s went in meanwhile)\n", s.rounds, s.phase, float64(brought)/(float64(s.rounds)*s.phase.Seconds()))
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "\talone p50\tp99\tbeside p50\tp99\tratio of p99 (median of rounds)\taim")
	for n, what := range []struct {
		name          string
		alone, beside []time.Duration
	}{{"POST /v1/messages", alone.writes, beside.writes}, {"POST /v1/context with append", alone.contexts, beside.contexts}} {
		fmt.Fprintf(w, "%s\t%.1f ms\t%.1f ms\t%.1f ms\t%.1f ms\t%.2f (%.2f)\t≤ 1.5\n", what.name, of(what.alone, 0.5), of(what.alone, 0.99),
			of(what.beside, 0.5), of(what.beside, 0.99), of(what.beside, 0.99)/of(what.alone, 0.99), median(ratios[n]))
	}
	return w.Flush()
}

// atOnce imports everything, the client beside it.
func atOnce(ctx context.Context, s scale, m *memd, c *client, out io.Writer) error {
	quiet, err := c.live(ctx, s.phase)
	if err != nil {
		return err
	}
	began := time.Now()
	i, err := m.importing(ctx, past{messages: s.messages, people: max(1, s.messages/1000)}, append([]string{"--max-backlog", "0"}, s.importer...))
	if err != nil {
		return err
	}
	var busy waits
	for !i.over() {
		some, err := c.live(ctx, time.Second)
		if err != nil {
			return errors.Join(err, i.end())
		}
		busy = busy.and(some)
	}
	if err := i.end(); err != nil {
		return err
	}
	took := time.Since(began)
	var late waits
	open, withClient, err := c.learning(ctx, func() (err error) {
		late, err = c.live(ctx, s.settling)
		return err
	})
	if err != nil {
		return err
	}
	_, without, err := c.learning(ctx, func() error {
		select {
		case <-time.After(s.settling):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	if err != nil {
		return err
	}
	sending := took - i.read
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "\n%d messages in one go\n", s.messages)
	fmt.Fprintf(w, "in the log\t%.0f messages/s (%v; of which %v to read and order them)\n", float64(s.messages)/took.Seconds(), took.Round(time.Second), i.read.Round(time.Second))
	fmt.Fprintf(w, "while sending\t%.0f messages/s\n", float64(s.messages)/sending.Seconds())
	fmt.Fprintf(w, "learned from\t%.0f messages/s with the client beside, %.0f without (%d of %d messages were open when all was in)\n", withClient, without, open, s.messages)
	fmt.Fprintf(w, "memory, at most\timporter %d MiB, memd %d MiB\n", i.peak>>20, m.peak()>>20)
	for _, what := range []struct {
		name                 string
		quiet, beside, after []time.Duration
	}{{"POST /v1/messages", quiet.writes, busy.writes, late.writes}, {"POST /v1/context with append", quiet.contexts, busy.contexts, late.contexts}} {
		fmt.Fprintf(w, "%s\tp50 / p99: before %.1f / %.1f ms, during %.1f / %.1f ms, while learning %.1f / %.1f ms\n", what.name,
			of(what.quiet, 0.5), of(what.quiet, 0.99), of(what.beside, 0.5), of(what.beside, 0.99), of(what.after, 0.5), of(what.after, 0.99))
	}
	return w.Flush()
}

// of gives a quantile in milliseconds.
func of(all []time.Duration, q float64) float64 {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return float64(sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]) / float64(time.Millisecond)
}

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}
