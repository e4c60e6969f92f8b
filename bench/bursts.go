package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"text/tabwriter"
	"time"
)

// load is what comes to the workers of a simulated memd: messages at random at rate a second,
// and times as many for as long as a burst lasts, once.
type load struct {
	rate  float64
	times float64
	burst time.Duration
	whole time.Duration // the burst begins after a quarter of it
}

// ages gives how long each message waits and is worked on, in the order they come, where
// cores work on one each, first come first served, and each takes as long.
func ages(l load, cores int, work time.Duration, r *rand.Rand) []time.Duration {
	free := make([]time.Duration, cores) // when each is
	var all []time.Duration
	begin := l.whole / 4
	for now := time.Duration(0); now < l.whole; {
		rate := l.rate
		if now >= begin && now < begin+l.burst {
			rate *= l.times
		}
		now += time.Duration(r.ExpFloat64() / rate * float64(time.Second))
		next := 0
		for i := range free {
			if free[i] < free[next] {
				next = i
			}
		}
		free[next] = max(free[next], now) + work
		all = append(all, free[next]-now)
	}
	return all
}

// printBursts simulates bursts of a minute on the workers of a node, and prints how old
// messages are when they have been learned from.
func printBursts(to io.Writer, cores int, work time.Duration) error {
	w := tabwriter.NewWriter(to, 0, 4, 2, ' ', 0)
	capacity := float64(cores) / work.Seconds()
	fmt.Fprintf(w, "simulated: %d cores, %v a message: %.0f messages/s at most; an hour, in which %v of more\n\n", cores, work, capacity, time.Minute)
	fmt.Fprintln(w, "busy before\tin the burst\tp50\tp99\toldest")
	for _, busy := range []float64{0.5, 0.7, 0.9} {
		for _, times := range []float64{1, 2, 5} {
			all := ages(load{busy * capacity, times, time.Minute, time.Hour}, cores, work, rand.New(rand.NewPCG(5, 8)))
			slices.Sort(all)
			fmt.Fprintf(w, "%.0f %%\t%.0f ×\t%v\t%v\t%v\n", 100*busy, times,
				all[len(all)/2].Round(time.Millisecond), all[len(all)*99/100].Round(time.Millisecond), all[len(all)-1].Round(time.Millisecond))
		}
	}
	return w.Flush()
}
