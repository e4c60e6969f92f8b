//go:build long

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"
)

// soakTime is how long the soak lasts, unless MEMD_TEST_SOAK says otherwise.
const soakTime = 4 * time.Minute

// sample is what memd holds at a time.
type sample struct {
	rss, goroutines, files, connections, calls float64
}

// Under a load of all kinds memd comes to hold so much, and then no more. Callers read,
// write, search, list, delete and wait, with a bounded number of users, of which each is
// forgotten from time to time: what is stored does not grow without end either.
func TestNothingGrowsUnderALoadThatGoesOn(t *testing.T) {
	lasts := soakTime
	if s := os.Getenv("MEMD_TEST_SOAK"); s != "" {
		var err error
		if lasts, err = time.ParseDuration(s); err != nil {
			t.Fatal("MEMD_TEST_SOAK must be a duration")
		}
	}
	dir := dataDir(t)
	d := start(t, dir)
	database, err := pgx.Connect(t.Context(), postmasterURL(filepath.Join(dir, "postgres")))
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close(context.Background())

	var calls atomic.Int64
	var faults sync.Map
	stop := make(chan struct{})
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(i), 1))
			user := fmt.Sprintf("soak-%d", i)
			do := func(method, path string, body any) {
				raw, err := json.Marshal(body)
				if err != nil {
					t.Error(err)
				}
				text := string(raw)
				if body == nil {
					text = ""
				}
				status, answer := d.try(method, path, text)
				calls.Add(1)
				if status != 503 && (status < 200 || status > 299 && status != 404) {
					faults.Store(fmt.Sprintf("%s %s: %d %s", method, path, status, answer), true)
				}
			}
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				session := fmt.Sprint("s", n/20%10)
				switch rnd.IntN(10) {
				case 0, 1, 2:
					do("POST", "/v1/messages", object{"user_id": user, "session_id": session, "messages": list{
						object{"role": "user", "content": fmt.Sprintf("I lost suitcase number %d in Toledo", rnd.IntN(200))},
						object{"role": "assistant", "content": strings.Repeat("I am sorry to hear that. ", 1+rnd.IntN(20))}}})
				case 3, 4:
					do("POST", "/v1/context", object{"user_id": user, "session_id": session, "append": list{
						object{"role": "user", "content": fmt.Sprintf("Where did I lose suitcase %d?", rnd.IntN(200))}}})
				case 5, 6:
					do("POST", "/v1/memories/search", object{"user_id": user, "query": fmt.Sprintf("suitcase %d", rnd.IntN(200)),
						"filters": object{fmt.Sprint("key", rnd.IntN(1000)): object{"ne": rnd.IntN(1000)}}})
				case 7:
					do("GET", "/v1/memories?limit=100&user_id="+user, nil)
				case 8:
					do("GET", "/v1/messages?after=1&wait=1s&user_id="+user, nil)
				case 9:
					if n%3 == 0 {
						do("DELETE", "/v1/memories?user_id="+user, nil)
					} else {
						do("DELETE", "/v1/sessions/"+session+"?user_id="+user, nil)
					}
				}
			}
		})
	}

	look := func() (s sample) {
		g := d.gauges()
		s = sample{rss: float64(residentOf(t, d.cmd.Process.Pid)) / (1 << 20), goroutines: g["go_goroutines"], files: g["process_open_fds"], calls: float64(calls.Load())}
		err := database.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name LIKE 'memd%'`).Scan(&s.connections)
		if err != nil {
			t.Error(err)
		}
		return s
	}
	const looks = 24
	var samples []sample
	tick := time.NewTicker(lasts / looks)
	for len(samples) < looks {
		<-tick.C
		samples = append(samples, look())
	}
	tick.Stop()
	close(stop)
	clients.Wait()
	faults.Range(func(fault, _ any) bool { t.Error(fault); return true })

	table := &strings.Builder{}
	w := tabwriter.NewWriter(table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "after\tcalls\tresident MB\tgoroutines\tfiles\tconnections\t")
	for i, s := range samples {
		fmt.Fprintf(w, "%v\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t\n", (time.Duration(i+1) * lasts / looks).Round(time.Second), s.calls, s.rss, s.goroutines, s.files, s.connections)
	}
	w.Flush()
	fmt.Printf("a load of all kinds for %v:\n%s", lasts, table)

	// The first third is for what is made once; of the rest the second half may not be above
	// the first by more than comes and goes.
	most := func(of []sample, what func(sample) float64) (m float64) {
		for _, s := range of {
			m = max(m, what(s))
		}
		return m
	}
	second, third := samples[looks/3:2*looks/3], samples[2*looks/3:]
	for name, m := range map[string]struct {
		what  func(sample) float64
		slack float64
	}{
		"resident MB": {func(s sample) float64 { return s.rss }, 40},
		"goroutines":  {func(s sample) float64 { return s.goroutines }, 30},
		"files":       {func(s sample) float64 { return s.files }, 20},
		"connections": {func(s sample) float64 { return s.connections }, 5},
	} {
		if before, after := most(second, m.what), most(third, m.what); after > before+m.slack {
			t.Errorf("%s grow: at most %.0f in the second third, %.0f in the last", name, before, after)
		}
	}
	d.settled()
	d.eventually("what was at work has ended", func() bool { return d.gauges()["memd_http_requests_in_flight"] <= 1 })
}

// residentOf gives how much of a process is in memory, in bytes.
func residentOf(t *testing.T, pid int) int {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(raw))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
