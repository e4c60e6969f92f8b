package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/embedded"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/rs/zerolog"
)

// Faults happen while many clients write, each with an idempotency key that it uses again
// until it is told that its messages are in. After each fault what was acknowledged is
// held against what is stored, settled and remembered, and what memd holds against what
// it held before. MEMD_TEST_FAULTS, a regular expression, chooses among them by name;
// MEMD_TEST_SEED repeats the moments at which they happened; MEMD_TEST_TABLE names a file
// for the table, which is also printed.

// fault is something that dies, hangs, lies or fills up.
type fault struct {
	name string
	// strike makes it happen and gives what ends it; recovery is timed from then on.
	strike func() (heal func())
	lasts  time.Duration
	// late says that what was at work waits for a lease or an ack wait to end: the short
	// form looks at it when the other faults are over.
	late bool
	note string
}

// faultForm is how large a test of faults is.
type faultForm struct {
	name    string
	clients int
	// pace is how long a client waits after each acknowledgement while a fault lasts, patience
	// how long for one.
	pace, patience time.Duration
	// limit bounds what is waited for.
	limit time.Duration
}

var (
	shortForm = faultForm{name: "short", clients: 8, pace: time.Second, patience: time.Second, limit: 3 * time.Minute}
	longForm  = faultForm{name: "long", clients: 16, pace: 5 * time.Second, patience: 10 * time.Second, limit: 6 * time.Minute}
	// dense is the pace at which clients write around a fault that is over in a moment.
	dense = 400 * time.Millisecond
	// sparse is that from the end of a fault on: what memd recovers from is the fault, and on
	// a busy machine it would not keep up with more.
	sparse = 4 * time.Second
)

// theater is a memd with all it works on, where faults are played one after the other.
type theater struct {
	t    *testing.T
	form faultForm
	rnd  *rand.Rand
	seed uint64
	// dir is memd's data directory, pgDir that of the Postgres that it works on.
	dir, pgDir string
	env        []string
	// Between memd and what is not its own; nil where it is.
	db, queue, model *proxy

	mu sync.Mutex
	d  *daemon
	// choose says which of several memds a request goes to; nil where there is one.
	choose func() *daemon
	before footprint
	played int
	late   []finale
	// extra is told to the row of the fault that is being played.
	extra string
}

// finale is a fault whose traces are still to be looked at.
type finale struct {
	row  faultRow
	load *load
}

func newTheater(t *testing.T, form faultForm) *theater {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("MEMD_TEST_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal("MEMD_TEST_SEED must be a number")
		}
	}
	return &theater{t: t, form: form, seed: seed, rnd: rand.New(rand.NewPCG(seed, 0))}
}

// open starts memd, warms it up with the load that is to come and notes what it holds.
func (th *theater) open() {
	th.t.Helper()
	th.d = start(th.t, th.dir, th.env...)
	l := th.newLoadAt("warm-up", dense)
	l.await(4 * th.form.clients)
	l.end()
	th.settle(l)
	for range 5 { // the most of several looks: what comes and goes is no leftover
		f, _ := th.footprint()
		th.before.goroutines = max(th.before.goroutines, f.goroutines)
		th.before.files = max(th.before.files, f.files)
		<-time.After(50 * time.Millisecond)
	}
}

func (th *theater) current() *daemon {
	th.mu.Lock()
	defer th.mu.Unlock()
	if th.choose != nil {
		return th.choose()
	}
	return th.d
}

func (th *theater) relaunch() {
	th.t.Helper()
	d := launch(th.t, th.dir, th.env...)
	th.mu.Lock()
	defer th.mu.Unlock()
	th.d = d
}

// play has each fault happen at a random moment, and says in a table what came of it.
func (th *theater) play(faults ...fault) {
	th.t.Helper()
	for _, f := range faults {
		if !th.isChosen(f.name) {
			continue
		}
		th.extra = ""
		pace, first := th.form.pace, th.form.clients
		if f.lasts == 0 {
			pace, first = min(pace, dense), 2*first
		}
		l := th.newLoadAt(f.name, pace)
		l.await(first)
		<-time.After(time.Duration(th.rnd.Int64N(int64(400 * time.Millisecond))))
		acked, refused := l.acked.Load(), l.refused.Load()
		heal := f.strike()
		if f.lasts > 0 {
			<-time.After(f.lasts)
		}
		over := time.Now()
		if heal != nil {
			heal()
		}
		l.pace.Store(int64(max(pace, sparse)))
		took := th.recovered(f.name, over)
		row := faultRow{fault: f.name, form: th.form.name, seed: th.seed, lasted: f.lasts, recovery: took,
			load: fmt.Sprintf("%d clients: %d written, %d to be tried again", th.form.clients, l.acked.Load()-acked, l.refused.Load()-refused)}
		row.note = strings.Trim(f.note+"; "+th.extra, "; ")
		l.end()
		if f.late && th.form.name == shortForm.name {
			th.late = append(th.late, finale{row, l})
			continue
		}
		th.account(row, l)
		th.nothingLeft(f.name)
	}
	for _, f := range th.late {
		th.account(f.row, f.load)
	}
	th.late = nil
	th.nothingLeft("all faults")
}

// isChosen says whether MEMD_TEST_FAULTS chooses a fault.
func (th *theater) isChosen(name string) bool {
	th.t.Helper()
	only, err := regexp.Compile(os.Getenv("MEMD_TEST_FAULTS"))
	if err != nil {
		th.t.Fatal(err)
	}
	return only.MatchString(name)
}

// recovered waits until what is written now is acknowledged and settled and memd calls
// nothing degraded, and says how long after over that was.
func (th *theater) recovered(name string, over time.Time) time.Duration {
	th.t.Helper()
	th.played++
	user := fmt.Sprintf("probe-%d", th.played)
	var p posted
	th.within("a message written after "+name+" is acknowledged", func() bool {
		status, answer := th.ask(http.MethodPost, "/v1/messages", messageBody(user, "s", "After "+name+" I lost my green umbrella in Toledo"), "Idempotency-Key", user)
		return status == http.StatusCreated && json.Unmarshal([]byte(answer), &p) == nil && len(p.Messages) == 1
	})
	th.within("a message written after "+name+" is settled", func() bool {
		var m loggedMessage
		status, answer := th.ask(http.MethodGet, fmt.Sprintf("/v1/messages/%d", p.Messages[0].ID), "")
		return status == 200 && json.Unmarshal([]byte(answer), &m) == nil && m.Ingest.State == "done"
	})
	th.within("memd is ready and nothing degraded after "+name, func() bool {
		var r readiness
		status, answer := th.ask(http.MethodGet, "/readyz", "")
		return status == 200 && json.Unmarshal([]byte(answer), &r) == nil && len(r.Degraded) == 0
	})
	return time.Since(over)
}

// within waits until something holds, as long as the form allows.
func (th *theater) within(what string, holds func() bool) bool {
	th.t.Helper()
	limit := time.After(th.form.limit)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-limit:
			th.t.Errorf("not within %v: %s (seed %d)", th.form.limit, what, th.seed)
			return false
		case <-tick.C:
		}
	}
	return true
}

// ask makes one request of the memd that runs now; the status is 0 if there was no answer
// within a client's patience.
func (th *theater) ask(method, path, body string, header ...string) (status int, answer string) {
	ctx, cancel := context.WithTimeout(context.Background(), th.form.patience)
	defer cancel()
	return th.askWithin(ctx, method, path, body, header...)
}

func (th *theater) askWithin(ctx context.Context, method, path, body string, header ...string) (status int, answer string) {
	return askURL(ctx, th.t, th.current().url, method, path, body, header...)
}

// askURL makes one request of the memd at url; the status is 0 if there was no answer.
func askURL(ctx context.Context, t *testing.T, url, method, path, body string, header ...string) (status int, answer string) {
	r, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := client.Do(r)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, ""
	}
	return resp.StatusCode, string(raw)
}

// read makes a request that has to be answered, when nothing is wrong any more.
func (th *theater) read(path string, into any) bool {
	th.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), th.form.limit)
	defer cancel()
	status, answer := th.askWithin(ctx, http.MethodGet, path, "")
	if status != 200 || json.Unmarshal([]byte(answer), into) != nil {
		th.t.Errorf("GET %s: %d %s", path, status, answer)
		return false
	}
	return true
}

// load is many clients that write. Two of them share a user and a session.
type load struct {
	th      *theater
	name    string
	prefix  string
	pace    atomic.Int64 // how long a client waits after each acknowledgement, a time.Duration
	senders []*sender
	// stopping is closed when no client is to begin anything more, abandoned when the test
	// has ended and what they began does not matter.
	stopping, abandoned chan struct{}
	wg                  sync.WaitGroup

	acked, refused atomic.Int64
}

// sender is one client. Its own goroutine alone writes acks until the load has ended.
type sender struct {
	user, mark string
	acks       []acked
}

// acked is a message as it was acknowledged.
type acked struct {
	text string
	id   int64
}

// loads numbers the loads of this process: no two have users in common.
var loads atomic.Int64

func (th *theater) newLoad(name string) *load { return th.newLoadAt(name, th.form.pace) }

func (th *theater) newLoadAt(name string, pace time.Duration) *load {
	l := &load{th: th, name: name, prefix: fmt.Sprintf("load%d", loads.Add(1)), stopping: make(chan struct{}), abandoned: make(chan struct{})}
	l.pace.Store(int64(pace))
	for i := range th.form.clients {
		s := &sender{user: fmt.Sprintf("%s-u%d", l.prefix, i/2), mark: fmt.Sprintf("%s-c%d", l.prefix, i)}
		l.senders = append(l.senders, s)
		l.wg.Go(func() { l.run(i, s) })
	}
	th.t.Cleanup(func() {
		close(l.abandoned)
		l.wg.Wait()
	})
	return l
}

// await waits until so many messages are acknowledged.
func (l *load) await(n int) {
	l.th.t.Helper()
	l.th.within(fmt.Sprintf("%d messages of %s are acknowledged", n, l.name), func() bool { return l.acked.Load() >= int64(n) })
}

// end has each client write to the end what it began.
func (l *load) end() {
	close(l.stopping)
	l.wg.Wait()
}

func (l *load) run(client int, s *sender) {
	n := 0
	for call := 0; ; call++ {
		select {
		case <-l.stopping:
			return
		default:
		}
		var texts []string
		messages := list{}
		for range 1 + call%3 { // all of a call land together
			text := fmt.Sprintf("Client %d lost suitcase number %d in Toledo", client, n)
			n++
			texts = append(texts, text)
			messages = append(messages, user(text))
		}
		body, err := json.Marshal(object{"user_id": s.user, "session_id": "s", "messages": messages})
		if err != nil {
			l.th.t.Error(err)
			return
		}
		if !l.write(s, fmt.Sprintf("%s-%d", s.mark, call), string(body), texts) {
			return
		}
		select {
		case <-l.stopping:
			return
		case <-l.abandoned:
			return
		case <-time.After(time.Duration(l.pace.Load())):
		}
	}
}

// write tries until the messages are acknowledged, always with the same key.
func (l *load) write(s *sender, key, body string, texts []string) bool {
	deadline := time.Now().Add(2 * l.th.form.limit)
	for {
		status, answer := l.th.ask(http.MethodPost, "/v1/messages", body, "Idempotency-Key", key)
		switch status {
		case http.StatusCreated:
			var p posted
			if err := json.Unmarshal([]byte(answer), &p); err != nil || len(p.Messages) != len(texts) {
				l.th.t.Errorf("%s: %v in %s", l.name, err, answer)
				return false
			}
			for i, m := range p.Messages {
				s.acks = append(s.acks, acked{texts[i], m.ID})
			}
			l.acked.Add(int64(len(texts)))
			return true
		case 0, http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusConflict:
			l.refused.Add(1)
		default:
			l.th.t.Errorf("%s: %d %s (seed %d)", l.name, status, answer, l.th.seed)
			return false
		}
		if time.Now().After(deadline) {
			l.th.t.Errorf("%s: a message is not taken: %d %s (seed %d)", l.name, status, answer, l.th.seed)
			return false
		}
		select {
		case <-l.abandoned:
			return false
		case <-time.After(100 * time.Millisecond): // as a client that tries again would wait
		}
	}
}

func (l *load) users() []string {
	users := map[string]bool{}
	for _, s := range l.senders {
		users[s.user] = true
	}
	return slices.Sorted(maps.Keys(users))
}

// settle waits until nothing of a load is open, and counts what is done and what dead.
func (th *theater) settle(l *load) (done, dead int) {
	th.t.Helper()
	for _, u := range l.users() {
		var s ingestStates
		path := "/v1/ingest?user_id=" + url.QueryEscape(u)
		th.within("all of "+l.name+" is settled", func() bool {
			s = ingestStates{}
			status, answer := th.ask(http.MethodGet, path, "")
			return status == 200 && json.Unmarshal([]byte(answer), &s) == nil && s.open() == 0
		})
		if s.open() > 0 {
			th.t.Errorf("%s: %+v", u, s.States)
		}
		done, dead = done+s.States.Done, dead+s.States.Dead
	}
	return done, dead
}

// account holds what was acknowledged of a load against what is stored, settled and
// remembered, and adds the row to the table.
func (th *theater) account(row faultRow, l *load) {
	th.t.Helper()
	done, dead := th.settle(l)
	row.settled = done + dead
	if dead > 0 {
		th.t.Errorf("%s: %d messages are given up", l.name, dead)
	}
	for _, u := range l.users() {
		sent := map[string]int64{}
		var of []*sender
		for _, s := range l.senders {
			if s.user == u {
				of = append(of, s)
				for _, a := range s.acks {
					sent[a.text] = a.id
				}
			}
		}
		row.acknowledged += len(sent)
		stored := th.stored(u)
		row.stored += len(stored)
		at := map[string]int{}
		for i, m := range stored {
			if _, twice := at[m.text]; twice {
				row.doubled++
				th.t.Errorf("%s: %q is stored twice", l.name, m.text)
			}
			at[m.text] = i
			if id, ok := sent[m.text]; !ok {
				th.t.Errorf("%s: %q is stored and was not acknowledged", l.name, m.text)
			} else if id != m.id {
				th.t.Errorf("%s: %q was acknowledged as %d and is stored as %d", l.name, m.text, id, m.id)
			}
		}
		for _, s := range of {
			last := -1
			for _, a := range s.acks {
				i, ok := at[a.text]
				if !ok {
					th.t.Errorf("%s: %q was acknowledged as %d and is not stored", l.name, a.text, a.id)
				} else if i <= last {
					th.t.Errorf("%s: %q does not stand where it was written", l.name, a.text)
				}
				last = max(last, i)
			}
		}
		known := th.remembered(u)
		for text := range sent {
			switch n := known[text]; {
			case n == 0:
				th.t.Errorf("%s: %q is settled and not remembered", l.name, text)
			case n > 1:
				row.doubled += n - 1
				th.t.Errorf("%s: %q is remembered %d times", l.name, text, n)
			}
		}
		if len(known) != len(sent) {
			th.t.Errorf("%s: %s said %d things and %d are remembered", l.name, u, len(sent), len(known))
		}
	}
	if row.settled != row.stored {
		th.t.Errorf("%s: %d stored, %d settled", l.name, row.stored, row.settled)
	}
	theTable.add(row)
}

// stored gives a user's messages in order.
func (th *theater) stored(user string) (all []acked) {
	th.t.Helper()
	for after := int64(0); ; {
		var page struct {
			Messages []struct {
				ID      int64
				Content string
			}
			HasMore bool `json:"has_more"`
		}
		path := fmt.Sprintf("/v1/messages?limit=1000&session_id=s&user_id=%s&after=%d", url.QueryEscape(user), after)
		if !th.read(path, &page) {
			return all
		}
		for _, m := range page.Messages {
			all = append(all, acked{m.Content, m.ID})
			after = m.ID
		}
		if !page.HasMore {
			return all
		}
	}
}

// remembered counts a user's memories by their text.
func (th *theater) remembered(user string) map[string]int {
	th.t.Helper()
	texts := map[string]int{}
	for cursor := ""; ; {
		var page struct {
			Results []struct{ Memory string }
			Next    *string `json:"next_cursor"`
		}
		path := "/v1/memories?limit=1000&user_id=" + url.QueryEscape(user)
		if cursor != "" {
			path += "&cursor=" + url.QueryEscape(cursor)
		}
		if !th.read(path, &page) {
			return texts
		}
		for _, m := range page.Results {
			texts[m.Memory]++
		}
		if page.Next == nil {
			return texts
		}
		cursor = *page.Next
	}
}

// footprint is what a memd holds while it has nothing to do, its connections apart.
type footprint struct{ goroutines, files int }

// backends counts the connections that memd has in Postgres, and those among them that are
// in the middle of something.
func (th *theater) backends() (all, busy int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c, err := pgx.Connect(ctx, postmasterURL(th.pgDir))
	if err != nil {
		return 0, 0, err
	}
	defer c.Close(ctx)
	err = c.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE state <> 'idle') FROM pg_stat_activity
		WHERE backend_type = 'client backend' AND application_name LIKE 'memd%'`).Scan(&all, &busy)
	return all, busy, err
}

// postmasterURL logs in as superuser to the Postgres on a data directory.
func postmasterURL(dir string) string {
	lines := postmasterFile(dir)
	if len(lines) < 5 {
		return "postgres:///"
	}
	return "postgres:///postgres?" + url.Values{"host": {lines[4]}, "user": {"memd"}, "sslmode": {"disable"}}.Encode()
}

func postmasterFile(dir string) []string {
	raw, _ := os.ReadFile(filepath.Join(dir, "postmaster.pid"))
	return strings.Split(string(raw), "\n")
}

// postmaster gives the process of the Postgres on a data directory, 0 if there is none.
func postmaster(dir string) int {
	pid, err := strconv.Atoi(postmasterFile(dir)[0])
	if err != nil || syscall.Kill(pid, 0) != nil {
		return 0
	}
	return pid
}

// children gives the processes that another one started.
func children(parent int) (pids []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(raw), ") ") // after the name
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

var gauge = regexp.MustCompile(`(?m)^(go_goroutines|process_open_fds) (\S+)$`)

func (th *theater) footprint() (f footprint, ok bool) {
	status, answer := th.ask(http.MethodGet, "/metrics", "")
	connections, _, err := th.backends()
	if status != 200 || err != nil {
		return f, false
	}
	values := map[string]int{}
	for _, m := range gauge.FindAllStringSubmatch(answer, -1) {
		v, _ := strconv.ParseFloat(m[2], 64)
		values[m[1]] = int(v)
	}
	f = footprint{values["go_goroutines"], values["process_open_fds"] - connections}
	if th.queue != nil {
		f.files -= th.queue.open()
	}
	if th.model != nil { // two goroutines serve each
		f.files -= th.model.open()
		f.goroutines -= 2 * th.model.open()
	}
	return f, len(values) == 2
}

// slack is by how much two looks at a memd that has nothing to do may differ: of what
// looks after it some may be at work.
const slack = 4

// nothingLeft waits until memd holds no more than before the faults.
func (th *theater) nothingLeft(after string) {
	th.t.Helper()
	var now footprint
	var connections, busy int
	ok := th.within("nothing is left over after "+after, func() (ok bool) {
		if now, ok = th.footprint(); !ok {
			return false
		}
		var err error
		if connections, busy, err = th.backends(); err != nil || busy > 0 || th.db != nil && connections != th.db.open() {
			return false
		}
		return now.goroutines <= th.before.goroutines+slack && now.files <= th.before.files+slack
	})
	if !ok {
		open := connections
		if th.db != nil {
			open = th.db.open()
		}
		th.t.Errorf("after %s memd holds %+v, before %+v; Postgres has %d connections, %d at work, memd %d", after, now, th.before, connections, busy, open)
	}
}

// faultRow is what came of one fault.
type faultRow struct {
	fault, form, load, note                string
	acknowledged, stored, settled, doubled int
	lasted, recovery                       time.Duration
	seed                                   uint64
	notRun                                 string
}

// faultTable collects the rows of all tests.
type faultTable struct {
	mu   sync.Mutex
	rows []faultRow
}

var theTable faultTable

// add also writes the table as it stands to the file that MEMD_TEST_TABLE names: tests that
// are broken off leave what they know.
func (f *faultTable) add(r faultRow) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows = append(f.rows, r)
	if path := os.Getenv("MEMD_TEST_TABLE"); path != "" {
		_ = os.WriteFile(path, []byte(f.text()), 0o644) // print says what is wrong
	}
}

// text is the table; f.mu is held.
func (f *faultTable) text() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "fault\tform\tlasted\tload during it\tacknowledged\tstored\tsettled\tdoubled\tseconds to recover\tseed\t")
	slices.SortStableFunc(f.rows, func(a, b faultRow) int { return cmp.Or(cmp.Compare(a.form, b.form), cmp.Compare(a.fault, b.fault)) })
	for _, r := range f.rows {
		if r.notRun != "" {
			fmt.Fprintf(w, "%s\t%s\tnot run: %s\n", r.fault, r.form, r.notRun)
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%v\t%s\t%d\t%d\t%d\t%d\t%.1f\t%d\t%s\n", r.fault, r.form, r.lasted, r.load,
			r.acknowledged, r.stored, r.settled, r.doubled, r.recovery.Seconds(), r.seed, r.note)
	}
	_ = w.Flush() // a Builder takes all
	return out.String()
}

// print writes the table to standard output and to the file that MEMD_TEST_TABLE names.
func (f *faultTable) print() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.rows) == 0 {
		return nil
	}
	fmt.Print(f.text())
	path := os.Getenv("MEMD_TEST_TABLE")
	if path == "" {
		return nil
	}
	return os.WriteFile(path, []byte(f.text()), 0o644)
}

// runPostgres keeps a Postgres running for the theater, whose clock may be set where that
// can be done, and puts a proxy before it.
func (th *theater) runPostgres(clock *databaseClock) {
	th.t.Helper()
	bin := memdtest.Assets(th.t).Postgres
	if clock != nil {
		bin = clock.binDir
	}
	th.pgDir = filepath.Join(dataDir(th.t), "postgres")
	p, err := embedded.StartPostgres(th.t.Context(), embedded.PostgresConfig{BinDir: bin, DataDir: th.pgDir, Log: zerolog.Nop()})
	if err != nil {
		th.t.Fatal(err)
	}
	th.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := p.Stop(ctx); err != nil {
			th.t.Error(err)
		}
	})
	u, err := url.Parse(p.AppURL())
	if err != nil {
		th.t.Fatal(err)
	}
	th.db = newProxy(th.t, "unix", filepath.Join(u.Query().Get("host"), ".s.PGSQL.5432"))
	login := func(from string) string {
		u, err := url.Parse(from)
		if err != nil {
			th.t.Fatal(err)
		}
		u.Host, u.RawQuery = th.db.addr, "sslmode=disable"
		return u.String()
	}
	th.env = append(th.env, "DB_URL="+login(p.AppURL()), "MEMD_DB_ADMIN_URL="+login(p.OwnerURL()))
}
