// Command bench measures memd against what it cannot be faster than, in the same
// run and on the same servers: rows inserted by plain pgx, an HTTP server that only
// echoes, the bare queries behind a search. It prints ratios; single times of a
// shared machine say little.
//
//	go run ./bench            about two minutes
//	go run ./bench -short     a few seconds, so that it cannot rot
//
// It starts its own Postgres and NATS in a temporary folder and ends them.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/app"
	"github.com/memdhq/memd/embedded"
	"github.com/rs/zerolog"
)

// scale is how much is measured.
type scale struct {
	rounds   int           // alternations of subject and baseline
	round    time.Duration // of each of them in a round
	memories []int         // sizes of the scope that is searched
}

// row is one line of the table: a figure of memd and of its baseline.
type row struct {
	Figure   string  `json:"figure"`
	Unit     string  `json:"unit"`
	Memd     float64 `json:"memd"`
	Baseline float64 `json:"baseline"`
	// Ratio is the median over the rounds of memd's figure to the baseline's in the
	// same round.
	Ratio float64 `json:"ratio"`
	Aim   string  `json:"aim"`
	Of    string  `json:"baseline_is"`
}

type report struct {
	Command string `json:"command"`
	Machine string `json:"machine"`
	Go      string `json:"go"`
	Server  string `json:"postgres"`
	Fsync   string `json:"fsync"`
	Rows    []row  `json:"rows"`
}

func main() {
	short := flag.Bool("short", false, "a few seconds instead of minutes")
	out := flag.String("json", "", "also write the figures to this file")
	flag.Parse()
	s := scale{rounds: 7, round: 2 * time.Second, memories: []int{100, 10_000}}
	if *short {
		s = shortScale
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := measure(ctx, s)
	if err == nil {
		err = r.print(*out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

// shortScale measures nothing well, but everything.
var shortScale = scale{rounds: 1, round: 200 * time.Millisecond, memories: []int{100}}

// measure starts servers of its own and fills a report.
func measure(ctx context.Context, s scale) (r report, err error) {
	dir, err := os.MkdirTemp("", "memd-bench-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // a Postgres without root's rights must get in
		return r, err
	}
	assets, err := embedded.FindAssets()
	if err != nil {
		return r, err
	}
	pg, err := embedded.StartPostgres(ctx, embedded.PostgresConfig{BinDir: assets.Postgres,
		DataDir: filepath.Join(dir, "postgres"), Log: zerolog.Nop()})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, pg.Stop(context.WithoutCancel(ctx))) }()
	ns, err := embedded.StartNATS(embedded.NATSConfig{StoreDir: filepath.Join(dir, "nats"), Log: zerolog.Nop()})
	if err != nil {
		return r, err
	}
	defer ns.Stop()

	servers := app.Servers{OwnerURL: pg.OwnerURL(), AppURL: pg.AppURL(), NATS: ns.Conn}
	servers.Model.ModelPath, servers.Model.TokenizerPath, servers.Model.RuntimePath = assets.ONNX, assets.Tokenizer, assets.Library
	// No workers: what is measured is the request path, and the pipeline would take
	// the same cores.
	daemon, err := app.New(app.Config{Listen: "127.0.0.1:0", DBPoolMin: 1, DBPoolMax: 10, NATSReplicas: 1,
		DrainTimeout: 10 * time.Second, LogLevel: "error", LogFormat: "json"}, func(context.Context) (app.Servers, error) { return servers, nil }, "bench", zerolog.Nop())
	if err != nil {
		return r, err
	}
	if err := daemon.Start(ctx); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, daemon.Stop(context.WithoutCancel(ctx))) }()
	select {
	case <-daemon.Ready():
	case err := <-daemon.Failed():
		return r, err
	case <-ctx.Done():
		return r, ctx.Err()
	}

	r = report{Command: fmt.Sprintf("go run ./bench (%d rounds of %v)", s.rounds, s.round),
		Machine: fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()), Go: runtime.Version()}
	if err := describeServer(ctx, pg.OwnerURL(), &r); err != nil {
		return r, err
	}
	writes, err := measureWrites(ctx, s, "http://"+daemon.Addr().String(), pg)
	if err != nil {
		return r, err
	}
	searches, err := measureSearches(ctx, s, pg)
	if err != nil {
		return r, err
	}
	r.Rows = append(writes, searches...)
	return r, nil
}

func describeServer(ctx context.Context, url string, r *report) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return conn.QueryRow(ctx, `SELECT current_setting('server_version'), current_setting('fsync')`).Scan(&r.Server, &r.Fsync)
}

func (r report) print(out string) error {
	fmt.Printf("%s\n%s, %s, Postgres %s, fsync %s\n\n", r.Command, r.Machine, r.Go, r.Server, r.Fsync)
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "figure\tmemd\tbaseline\tunit\tratio\taim\tbaseline is")
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%s\t%.3g\t%.3g\t%s\t%.2f\t%s\t%s\n", row.Figure, row.Memd, row.Baseline, row.Unit, row.Ratio, row.Aim, row.Of)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if out == "" {
		return nil
	}
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(raw, '\n'), 0o644)
}

// median gives the middle of what was measured; of nothing it is zero.
func median[T time.Duration | float64](all []T) T {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
