// Command bench measures memd against what it cannot be faster than, in the same
// run and on the same servers: rows inserted by plain pgx, an HTTP server that only
// echoes, the bare queries behind a search. It prints ratios; single times of a
// shared machine say little.
//
//	go run ./bench                      some five minutes
//	go run ./bench -short               a few seconds, so that it cannot rot
//	go run ./bench -only among          the figures whose name matches
//	go run ./bench -json figures.json   the table as JSON beside it
//	go run ./bench -only among -each 1000      beside a million memories of others
//	go run ./bench -only 'one scope' -large 1000000    half an hour
//	go run ./bench -only growth -growth 100000         a user's memories from 1,000 on, by tens
//	go run ./bench -bursts              what bursts do to a node's workers, simulated
//
// It starts its own Postgres and NATS in a temporary folder and ends them.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/app"
	"github.com/memdhq/memd/embedded"
	"github.com/memdhq/memd/postgres"
	"github.com/rs/zerolog"
)

// scale is how much is measured.
type scale struct {
	rounds   int           // alternations of subject and baseline
	write    time.Duration // of each of them in a round, with writes
	search   time.Duration // the same with searches
	memories []int         // sizes of the scope that is searched
	others   crowd         // whose memories lie around it
	growth   []int         // ever more memories of one user
	large    int           // memories of the scope that is searched by a graph
	facts    int           // that each learner tells in a round
	starts   int           // of the binary
}

var (
	fullScale = scale{rounds: 7, write: 2 * time.Second, search: time.Second, memories: []int{100, 10_000}, others: crowd{users: 1000, each: 200}, growth: growthTo(10_000), large: 60_000, facts: 50, starts: 5}
	// shortScale measures nothing well, but everything.
	shortScale = scale{rounds: 1, write: 200 * time.Millisecond, search: 100 * time.Millisecond, memories: []int{100}, others: crowd{users: 50, each: 20}, growth: []int{100}, large: 600, facts: 2, starts: 1}
)

// figures gives the names of all that is measured, in their order.
func (s scale) figures() []string {
	names := []string{writeAlone, writeMany, questionEmbedded, learningByRules, learningCPU, learningAllCPU, sizeOfMessage, sizeOfMemory}
	for _, n := range s.memories {
		names = append(names, searchAlone(n), searchAmong(n, s.others))
	}
	names = append(names, searchGuarded)
	for _, n := range s.growth {
		names = append(names, grownSearch(n), grownSize(n))
	}
	return append(names, largeRecall(s.large), largeSearch(s.large), contextCPU(s.contextSize()), contextOver(s.contextSize()), startToReady, idleMemory)
}

// choice is which figures are wanted; the zero value wants all.
type choice struct{ name *regexp.Regexp }

func (c choice) wants(figure string) bool { return c.name == nil || c.name.MatchString(figure) }

// chosen reads what -only was given.
func chosen(s scale, only string) (choice, error) {
	if only == "" {
		return choice{}, nil
	}
	name, err := regexp.Compile(only)
	if err != nil {
		return choice{}, fmt.Errorf("-only: %w", err)
	}
	if c := (choice{name}); slices.ContainsFunc(s.figures(), c.wants) {
		return c, nil
	}
	return choice{}, fmt.Errorf("-only: no figure has a name like %q; there are\n\t%s", only, strings.Join(s.figures(), "\n\t"))
}

// row is one line of the table: a figure of memd and of a baseline. A figure with two
// baselines has two.
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
	Vector  string `json:"pgvector"`
	Fsync   string `json:"fsync"`
	Rounds  string `json:"rounds"`
	Rows    []row  `json:"rows"`
}

func main() {
	short := flag.Bool("short", false, "a few seconds instead of minutes")
	only := flag.String("only", "", "measure the figures whose name matches this regular expression")
	out := flag.String("json", "", "also write the figures to this `file`")
	each := flag.Int("each", 0, "how many memories each of the others has, at least 10 (default 200)")
	large := flag.Int("large", 0, "how many memories the large scope has, at least 600 (default 60,000)")
	growth := flag.Int("growth", 0, "up to how many memories of one user grow, at least 1,000 (default 10,000)")
	bursts := flag.Bool("bursts", false, "measure nothing: simulate bursts on the workers of a node")
	cores := flag.Int("cores", 16, "how many cores that node has")
	work := flag.Duration("work", 12250*time.Microsecond, "and how long one of them takes for a message")
	flag.Parse()
	if *bursts {
		if err := printBursts(os.Stdout, max(1, *cores), max(time.Microsecond, *work)); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	defer app.RoomForGarbage()() // as memd has it
	s := fullScale
	if *short {
		s = shortScale
	}
	if *each > 0 {
		s.others.each = *each
	}
	if *growth > 0 {
		s.growth = growthTo(max(1000, *growth))
	}
	if *large > 0 {
		s.large = *large
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, s, *only, *out, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

// run measures, prints the table and writes it as JSON to the file out, if that is not "".
func run(ctx context.Context, s scale, only, out string, table io.Writer) error {
	c, err := chosen(s, only)
	if err != nil {
		return err
	}
	r, err := measure(ctx, s, c)
	if err != nil {
		return err
	}
	r.Command = strings.Join(append([]string{"go run ./bench"}, os.Args[1:]...), " ")
	if err := r.print(table); err != nil {
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

// measure starts servers of its own and fills a report.
func measure(ctx context.Context, s scale, c choice) (r report, err error) {
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
	r = report{Rounds: fmt.Sprintf("%d of %v a write, %v a search", s.rounds, s.write, s.search),
		Machine: fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()), Go: runtime.Version()}
	if err := postgres.Migrate(ctx, pg.OwnerURL()); err != nil {
		return r, err
	}
	if err := describeServer(ctx, pg.OwnerURL(), &r); err != nil {
		return r, err
	}
	writes, err := measureWrites(ctx, s, c, servers, pg)
	if err != nil {
		return r, err
	}
	questions, err := measureQuestion(ctx, s, c, servers.Model)
	if err != nil {
		return r, err
	}
	learning, err := measureLearning(ctx, s, c, pg, dir, servers.Model)
	if err != nil {
		return r, err
	}
	searches, err := measureSearches(ctx, s, c, pg)
	if err != nil {
		return r, err
	}
	guarded, err := measureGuarded(ctx, s, c, pg)
	if err != nil {
		return r, err
	}
	growth, err := measureGrowth(ctx, s, c, pg)
	if err != nil {
		return r, err
	}
	large, err := measureLarge(ctx, s, c, pg)
	if err != nil {
		return r, err
	}
	contexts, err := measureContexts(ctx, s, c, pg, ns)
	if err != nil {
		return r, err
	}
	process, err := measureProcess(ctx, s, c, dir)
	if err != nil {
		return r, err
	}
	r.Rows = slices.Concat(writes, questions, learning, searches, guarded, growth, large, contexts, process)
	return r, nil
}

// startDaemon starts a memd with so many workers and waits until it serves.
func startDaemon(ctx context.Context, servers app.Servers, workers int) (url string, stop func() error, err error) {
	daemon, err := app.New(app.Config{Listen: "127.0.0.1:0", DBPoolMin: 1, DBPoolMax: 10, NATSReplicas: 1, Workers: workers,
		DrainTimeout: 10 * time.Second, LogLevel: "error", LogFormat: "json"}, func(context.Context) (app.Servers, error) { return servers, nil }, "bench", zerolog.Nop())
	if err != nil {
		return "", nil, err
	}
	if err := daemon.Start(ctx); err != nil {
		return "", nil, err
	}
	stop = func() error { return daemon.Stop(context.WithoutCancel(ctx)) }
	select {
	case <-daemon.Ready():
		return "http://" + daemon.Addr().String(), stop, nil
	case err = <-daemon.Failed():
	case <-ctx.Done():
		err = ctx.Err()
	}
	return "", nil, errors.Join(err, stop())
}

func describeServer(ctx context.Context, url string, r *report) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return conn.QueryRow(ctx, `
		SELECT current_setting('server_version'), current_setting('fsync'), (SELECT extversion FROM pg_extension WHERE extname = 'vector')`).
		Scan(&r.Server, &r.Fsync, &r.Vector)
}

func (r report) print(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "%s\n%s, %s, Postgres %s, pgvector %s, fsync %s\nrounds: %s\n\n", r.Command, r.Machine, r.Go, r.Server, r.Vector, r.Fsync, r.Rounds)
	fmt.Fprintln(w, "figure\tmemd\tbaseline\tunit\tratio\taim\tbaseline is")
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%s\t%.3g\t%.3g\t%s\t%.2f\t%s\t%s\n", row.Figure, row.Memd, row.Baseline, row.Unit, row.Ratio, row.Aim, row.Of)
	}
	return w.Flush()
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
