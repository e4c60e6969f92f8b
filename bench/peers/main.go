// Command peers measures memd side by side with mem0 and PowerMem: what a turn costs until it is
// recorded, until it is learned from and to be found again. All of them have the same Postgres and
// the same stand-in for the embedding and the chat model, whose time is subtracted from all.
//
//	go run ./bench/peers                      some minutes; the first time it also installs the two
//	go run ./bench/peers -short               one round of little
//	go run ./bench/peers -json figures.json   the table as JSON beside it
//
// It starts its own Postgres and memd in a temporary folder and ends them. The libraries run in
// virtual environments of their own, which are made below memd's cache folder and stay there.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/memdhq/memd/embedded"
)

// scale is how much is measured.
type scale struct {
	rounds      int // in which the systems take turns
	times       int // that each does the same in a round
	users, each int // whose memories are searched, and how many of them
	limit       int // memories that are asked for
	// embedding and answer are how long the models take.
	embedding, answer time.Duration
}

var (
	fullScale = scale{rounds: 7, times: 40, users: 100, each: 100, limit: 10, embedding: 2 * time.Millisecond, answer: 5 * time.Millisecond}
	// shortScale measures nothing well, but everything.
	shortScale = scale{rounds: 1, times: 3, users: 4, each: 15, limit: 10, embedding: 2 * time.Millisecond, answer: 5 * time.Millisecond}
)

func main() {
	short := flag.Bool("short", false, "one round of little")
	out := flag.String("json", "", "also write the figures to this `file`")
	python := flag.String("python", "python3", "with which the environments are made")
	flag.Parse()
	s := fullScale
	if *short {
		s = shortScale
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, s, *python, *out); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, s scale, python, out string) error {
	_, cache, err := embedded.CacheDir()
	if err != nil {
		return err
	}
	installed := make([]rival, len(rivals))
	for i, r := range rivals {
		if installed[i], err = r.install(ctx, python, cache, os.Stderr); err != nil {
			return err
		}
	}
	r, err := measure(ctx, s, installed, scripts)
	if err != nil {
		return err
	}
	r.Command = strings.Join(append([]string{"go run ./bench/peers"}, os.Args[1:]...), " ")
	if err := r.print(os.Stdout); err != nil || out == "" {
		return err
	}
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(raw, '\n'), 0o644)
}

// writeScripts puts the scripts where an interpreter finds them.
func writeScripts(from fs.ReadFileFS, dir string, names ...string) error {
	for _, name := range names {
		raw, err := from.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), raw, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// value is one system's figure.
type value struct {
	System string  `json:"system"`
	Value  float64 `json:"value"`
	// P5 is the time than which one in twenty is shorter: other work on the machine is hardly in it.
	P5 float64 `json:"p5,omitempty"`
	// Models is what the model server took of the same and was subtracted, Postgres what of it
	// was Postgres's.
	Models   float64 `json:"models_subtracted,omitempty"`
	Postgres float64 `json:"of_it_postgres,omitempty"`
	rounds   []float64
}

// row is one line of the table: memd's figure and that of each peer.
type row struct {
	Figure string  `json:"figure"`
	Unit   string  `json:"unit"`
	Values []value `json:"values"` // memd's first
	// Ratio is how many times as much as memd the better of the peers takes: the median over
	// the rounds. 0 is none.
	Ratio float64 `json:"ratio,omitempty"`
	Aim   string  `json:"aim"`
	// Is says what each does for it.
	Is string `json:"is"`
}

type report struct {
	Command string   `json:"command"`
	Machine string   `json:"machine"`
	Go      string   `json:"go"`
	Python  string   `json:"python"`
	Server  string   `json:"postgres"`
	Vector  string   `json:"pgvector"`
	Fsync   string   `json:"fsync"`
	Models  string   `json:"models"`
	Rounds  string   `json:"rounds"`
	Systems []string `json:"systems"`
	Rows    []row    `json:"rows"`
}

// ratio is the median over the rounds of the better peer to memd; 0 where there is none.
func ratio(values []value) (better float64) {
	for i, peer := range values[1:] {
		var each []float64
		for round, v := range values[0].rounds {
			if v <= 0 { // so little that it was not seen
				return 0
			}
			each = append(each, peer.rounds[round]/v)
		}
		if m := median(each); i == 0 || m < better {
			better = m
		}
	}
	return better
}

// median gives the middle of what was measured; of nothing it is zero.
func median(all []float64) float64 { return quantile(all, 0.5) }

func quantile(all []float64, q float64) float64 {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[int(q*float64(len(sorted)))]
}

// number writes a figure with three digits, or all before the point.
func number(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

func (r report) print(to io.Writer) error {
	fmt.Fprintf(to, "%s\n%s, %s, %s, Postgres %s, pgvector %s, fsync %s\nmodels: %s\nrounds: %s\n\n",
		r.Command, r.Machine, r.Go, r.Python, r.Server, r.Vector, r.Fsync, r.Models, r.Rounds)
	w := tabwriter.NewWriter(to, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "figure\t%s\tunit\tratio\taim\tbeside\n", strings.Join(r.Systems, "\t"))
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%s\t", row.Figure)
		var fast, models, postgres []string
		for i := range r.Systems {
			if i >= len(row.Values) {
				fmt.Fprint(w, "–\t")
				continue
			}
			v := row.Values[i]
			fmt.Fprintf(w, "%s\t", number(v.Value))
			fast = append(fast, fmt.Sprintf("%.1f", v.P5))
			models, postgres = append(models, fmt.Sprintf("%.1f", v.Models)), append(postgres, fmt.Sprintf("%.1f", v.Postgres))
		}
		ratio, beside := "–", ""
		if row.Ratio > 0 {
			ratio = fmt.Sprintf("%.1f", row.Ratio)
		}
		some := func(of func(value) float64) bool {
			return slices.ContainsFunc(row.Values, func(v value) bool { return of(v) > 0 })
		}
		if some(func(v value) float64 { return v.Models }) {
			beside = "subtracted for the models: " + strings.Join(models, " / ") + "; p5: " + strings.Join(fast, " / ")
		} else if some(func(v value) float64 { return v.Postgres }) {
			beside = "of it Postgres: " + strings.Join(postgres, " / ")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", row.Unit, ratio, row.Aim, beside)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(to, "\nratio: how many times as much as memd the better of the others takes, median of the rounds")
	for _, row := range r.Rows {
		fmt.Fprintf(to, "%s: %s\n", row.Figure, row.Is)
	}
	return nil
}
