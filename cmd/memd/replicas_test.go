package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memdhq/memd/internal/memdtest"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Several memds on one Postgres and a NATS cluster of three. Clients send each request to
// the next replica, and so what they try again goes to another one with the same key.

func TestFaultsOfReplicas(t *testing.T) {
	t.Parallel()
	playReplicas(t, shortForm)
}

// natsNode is one server of a cluster.
type natsNode struct {
	child
	name, addr, route, monitor, store string
}

// natsCluster is three nats-servers with JetStream.
type natsCluster struct {
	t     *testing.T
	nodes []*natsNode
}

func newNATSCluster(t *testing.T) *natsCluster {
	t.Helper()
	c := &natsCluster{t: t}
	for i := range 3 {
		c.nodes = append(c.nodes, &natsNode{child: child{t: t}, name: fmt.Sprintf("nats-%d", i+1),
			addr: freeAddr(t), route: freeAddr(t), monitor: freeAddr(t), store: filepath.Join(memdtest.Dir(t), "js")})
	}
	for _, n := range c.nodes {
		c.begin(n)
		t.Cleanup(func() { n.end(syscall.SIGKILL) })
	}
	// Nothing that follows can succeed without it.
	for deadline := time.Now().Add(time.Minute); slices.ContainsFunc(c.nodes, func(n *natsNode) bool { return !n.healthy() }); {
		if time.Now().After(deadline) {
			t.Fatal("the NATS cluster does not come up")
		}
		<-time.After(50 * time.Millisecond)
	}
	return c
}

func (c *natsCluster) begin(n *natsNode) {
	path, err := natsBinary()
	if err != nil {
		c.t.Fatal(err)
	}
	var routes []string
	for _, other := range c.nodes {
		routes = append(routes, "nats://"+other.route)
	}
	host, port, err := net.SplitHostPort(n.addr)
	if err != nil {
		c.t.Fatal(err)
	}
	_, monitor, err := net.SplitHostPort(n.monitor)
	if err != nil {
		c.t.Fatal(err)
	}
	n.cmd = exec.Command(path, "-n", n.name, "-a", host, "-p", port, "-m", monitor, "-js", "-sd", n.store,
		"--cluster_name", "memd", "--cluster", "nats://"+n.route, "--routes", strings.Join(routes, ","))
	if err := n.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
}

func (c *natsCluster) url() string {
	var urls []string
	for _, n := range c.nodes {
		urls = append(urls, "nats://"+n.addr)
	}
	return strings.Join(urls, ",")
}

// healthy says whether a server has caught up with all that it holds a copy of.
func (n *natsNode) healthy() bool {
	resp, err := client.Get("http://" + n.monitor + "/healthz")
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// killed ends a server as kill -9 does, and begins it again with its store.
func (c *natsCluster) killed(n *natsNode) (heal func()) {
	n.end(syscall.SIGKILL)
	return func() { c.begin(n) }
}

// replicas is a theater of three memds.
type replicas struct {
	*theater
	cluster *natsCluster
	js      jetstream.JetStream

	// theater.mu guards what follows.
	nodes []*daemon
	dirs  []string
	turn  int
}

// replicaFault is a fault of a theater of replicas.
type replicaFault struct {
	name   string
	strike func() (heal func())
	// lasts is how long it goes on after the others have taken over.
	lasts time.Duration
	// late is as that of fault.
	late bool
	note string
}

func newReplicas(t *testing.T, form faultForm) *replicas {
	t.Helper()
	r := &replicas{theater: newTheater(t, form)}
	r.cluster = newNATSCluster(t)
	r.runPostgres(nil)
	model := newModelChild(t)
	r.env = append(r.env, "NATS_URL="+r.cluster.url(), "MEMD_NATS_REPLICAS=3",
		"MEMD_EMBED_URL=http://"+model.addr+"/v1", "MEMD_EMBED_MODEL=words")
	conn, err := nats.Connect(r.cluster.url(), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		closed := conn.StatusChanged(nats.CLOSED)
		conn.Close()
		<-closed
	})
	if r.js, err = jetstream.New(conn); err != nil {
		t.Fatal(err)
	}
	r.choose = func() *daemon {
		r.turn++
		return r.nodes[r.turn%len(r.nodes)]
	}
	for range 3 {
		dir := memdtest.Dir(t)
		r.dirs = append(r.dirs, dir)
		r.nodes = append(r.nodes, launch(t, dir, r.env...))
	}
	r.whole("their first start")
	return r
}

func (r *replicas) node(i int) *daemon {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.nodes[i]
}

func (r *replicas) relaunchNode(i int) {
	r.t.Helper()
	d := launch(r.t, r.dirs[i], r.env...)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nodes[i] = d
}

// askNode is ask of one replica.
func (r *replicas) askNode(i int, method, path, body string, header ...string) (status int, answer string) {
	ctx, cancel := context.WithTimeout(context.Background(), r.form.patience)
	defer cancel()
	return askURL(ctx, r.t, r.node(i).url, method, path, body, header...)
}

// whole waits until every replica is ready and misses nothing, and the stream has all its
// copies.
func (r *replicas) whole(after string) {
	r.t.Helper()
	for i := range r.nodes {
		r.within(fmt.Sprintf("replica %d is ready and nothing degraded after %s", i, after), func() bool {
			var ready readiness
			status, answer := r.askNode(i, http.MethodGet, "/readyz", "")
			return status == 200 && json.Unmarshal([]byte(answer), &ready) == nil && len(ready.Degraded) == 0
		})
	}
	r.within("the stream has three copies after "+after, func() bool {
		for _, n := range r.cluster.nodes {
			if !n.healthy() {
				return false
			}
		}
		info, err := r.stream()
		if err != nil || info.Config.Replicas != 3 || info.Cluster == nil || len(info.Cluster.Replicas) != 2 {
			return false
		}
		for _, peer := range info.Cluster.Replicas {
			if peer.Offline || !peer.Current {
				return false
			}
		}
		return true
	})
}

const streamName = "MEMD"

func (r *replicas) stream() (*jetstream.StreamInfo, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	s, err := r.js.Stream(ctx, streamName)
	if err != nil {
		return nil, err
	}
	return s.CachedInfo(), nil
}

// leader gives the server that leads the stream.
func (r *replicas) leader() (leader *natsNode) {
	r.t.Helper()
	r.within("the stream has a leader", func() bool {
		info, err := r.stream()
		if err != nil || info.Cluster == nil {
			return false
		}
		i := slices.IndexFunc(r.cluster.nodes, func(n *natsNode) bool { return n.name == info.Cluster.Leader })
		if i < 0 {
			return false
		}
		leader = r.cluster.nodes[i]
		return true
	})
	if leader == nil {
		r.t.FailNow()
	}
	return leader
}

// follower gives a server that does not lead the stream.
func (r *replicas) follower() *natsNode {
	leader := r.leader()
	others := slices.DeleteFunc(slices.Clone(r.cluster.nodes), func(n *natsNode) bool { return n == leader })
	return others[r.rnd.IntN(len(others))]
}

// notStuck waits until no consumer holds anything back. What a process held that was
// killed comes back when its ack wait is over, which is longer than the short form waits.
func (r *replicas) notStuck(after string) {
	r.t.Helper()
	for _, lane := range []string{"live", "backfill"} {
		var info *jetstream.ConsumerInfo
		ok := r.within("nothing waits in the queue after "+after, func() bool {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			c, err := r.js.Consumer(ctx, streamName, lane)
			if err != nil {
				return false
			}
			info = c.CachedInfo()
			return info.NumPending == 0 && (info.NumAckPending == 0 || r.form.name == shortForm.name)
		})
		if !ok && info != nil {
			r.t.Errorf("after %s the consumer %s has %d pending and %d unacked", after, lane, info.NumPending, info.NumAckPending)
		}
	}
}

// play is as that of theater. A row's time to recover is how long it took until a message
// was taken and settled by what was left.
func (r *replicas) play(faults ...replicaFault) {
	r.t.Helper()
	var late []finale
	for _, f := range faults {
		if !r.isChosen(f.name) {
			continue
		}
		r.extra = ""
		l := r.newLoad(f.name)
		l.await(r.form.clients)
		<-time.After(time.Duration(r.rnd.Int64N(int64(400 * time.Millisecond))))
		acked, refused := l.acked.Load(), l.refused.Load()
		began := time.Now()
		heal := f.strike()
		took := r.recovered(f.name, time.Now())
		if f.lasts > 0 {
			<-time.After(f.lasts)
		}
		if heal != nil {
			heal()
		}
		row := faultRow{fault: f.name, form: r.form.name, seed: r.seed, lasted: time.Since(began), recovery: took}
		r.whole(f.name)
		r.recovered(f.name+", when all were back", time.Now())
		row.load = fmt.Sprintf("%d clients: %d written, %d to be tried again", r.form.clients, l.acked.Load()-acked, l.refused.Load()-refused)
		row.note = strings.Trim(f.note+"; "+r.extra, "; ")
		l.end()
		if f.late && r.form.name == shortForm.name {
			late = append(late, finale{row, l})
			continue
		}
		r.account(row, l)
		r.notStuck(f.name)
	}
	for _, f := range late {
		r.account(f.row, f.load)
	}
	r.notStuck("all faults")
}

func (r *replicas) killNode(i int) (heal func()) {
	r.node(i).kill()
	return func() { r.relaunchNode(i) }
}

// restartPostgres has the server end at once as by pg_ctl -m fast; it is started again.
func (r *replicas) restartPostgres() (heal func()) {
	if err := syscall.Kill(postmaster(r.pgDir), syscall.SIGINT); err != nil {
		r.t.Error(err)
	}
	return nil
}

// roll stops and starts each replica, one after the other, as an upgrade does.
func (r *replicas) roll() (heal func()) {
	var longest time.Duration
	for i := range r.nodes {
		err, took := r.node(i).terminate()
		if err != nil || took > 10*time.Second {
			r.t.Errorf("after SIGTERM under load replica %d ended with %v after %v, want 0 within 10 s", i, err, took)
		}
		longest = max(longest, took)
		r.relaunchNode(i)
		r.within(fmt.Sprintf("replica %d is ready again", i), func() bool {
			status, _ := r.askNode(i, http.MethodGet, "/readyz", "")
			return status == 200
		})
	}
	r.extra = fmt.Sprintf("each exit 0, the slowest after %.1f s", longest.Seconds())
	return nil
}

func playReplicas(t *testing.T, form faultForm) {
	r := newReplicas(t, form)
	r.readsItsWrites()
	r.learnTogether()
	victim := func() int { return r.rnd.IntN(len(r.nodes)) }
	long := form.name != shortForm.name
	var lasts time.Duration
	if long {
		lasts = 20 * time.Second
	}
	faults := []replicaFault{
		{name: "replicas: kill -9 of one memd", late: true, lasts: lasts, strike: func() func() { return r.killNode(victim()) }},
		{name: "replicas: kill -9 of one memd and of the NATS server that leads the stream", late: true, lasts: lasts, strike: func() func() {
			back := r.killNode(victim())
			lead := r.cluster.killed(r.leader())
			return func() { lead(); back() }
		}},
		{name: "replicas: Postgres restarted", strike: r.restartPostgres},
		{name: "replicas: rolling restart of all memds", strike: r.roll},
	}
	if long {
		faults = slices.Concat(faults, []replicaFault{
			{name: "replicas: kill -9 of a NATS server", lasts: lasts, strike: func() func() { return r.cluster.killed(r.follower()) }},
			{name: "replicas: kill -9 of the NATS server that leads the stream", lasts: lasts, strike: func() func() { return r.cluster.killed(r.leader()) }},
			{name: "replicas: one memd frozen", lasts: 25 * time.Second, note: "longer than its leases",
				strike: func() func() { return r.freeze(r.node(victim()).cmd.Process.Pid) }},
			{name: "replicas: rolling restart of the NATS cluster", strike: func() func() {
				for _, n := range r.cluster.nodes {
					n.end(syscall.SIGTERM)
					r.cluster.begin(n)
					r.whole("a restart of " + n.name)
				}
				return nil
			}},
		})
	}
	r.play(faults...)
	r.learnTogether()
	r.readsItsWrites()
}

// readsItsWrites writes at each replica and reads at the others at once, while others write.
func (r *replicas) readsItsWrites() {
	r.t.Helper()
	l := r.newLoad("reads of what was written elsewhere")
	var wg sync.WaitGroup
	for writer := range r.nodes {
		wg.Go(func() {
			user := fmt.Sprintf("%s-reader-%d", l.prefix, writer)
			for n := range r.form.clients {
				text := fmt.Sprintf("What number %d says", n)
				var p posted
				key := fmt.Sprintf("%s-%d", user, n)
				if !r.within("a message is acknowledged", func() bool {
					status, answer := r.askNode(writer, http.MethodPost, "/v1/messages", messageBody(user, "s", text), "Idempotency-Key", key)
					return status == http.StatusCreated && json.Unmarshal([]byte(answer), &p) == nil && len(p.Messages) == 1
				}) {
					return
				}
				reader := (writer + 1 + n%2) % len(r.nodes)
				for _, look := range []struct{ method, path, body string }{
					{http.MethodGet, fmt.Sprintf("/v1/messages/%d", p.Messages[0].ID), ""},
					{http.MethodGet, "/v1/messages?limit=1000&session_id=s&user_id=" + url.QueryEscape(user), ""},
					{http.MethodPost, "/v1/context", fmt.Sprintf(`{"user_id":%q,"session_id":"s"}`, user)},
				} {
					status, answer := 0, ""
					if !r.within("a replica answers", func() bool {
						status, answer = r.askNode(reader, look.method, look.path, look.body)
						return status != 0 && status != http.StatusServiceUnavailable
					}) {
						return
					}
					if status != 200 || !strings.Contains(answer, text) {
						r.t.Errorf("%s %s at replica %d right after %q was acknowledged by replica %d: %d %s", look.method, look.path, reader, text, writer, status, answer)
					}
				}
				// The same write again, elsewhere, is told the same.
				var again posted
				if !r.within("a repeated write is answered", func() bool {
					status, answer := r.askNode(reader, http.MethodPost, "/v1/messages", messageBody(user, "s", text), "Idempotency-Key", key)
					return status == http.StatusCreated && json.Unmarshal([]byte(answer), &again) == nil && len(again.Messages) == 1
				}) {
					return
				}
				if again.Messages[0].ID != p.Messages[0].ID {
					r.t.Errorf("a write that came again at replica %d was stored again: %+v, %+v", reader, p, again)
				}
			}
		})
	}
	wg.Wait()
	l.end()
	r.settle(l)
}

// learnTogether has all replicas learn of one person at once: what is said in several of
// their sessions is one memory, and of what changed the last is true.
func (r *replicas) learnTogether() {
	r.t.Helper()
	user := fmt.Sprintf("person-%d", loads.Add(1))
	cities := []string{"Oslo", "Bergen", "Lisbon", "Toledo", "Vienna", "Prague", "Madrid", "Athens", "Dublin"}
	day := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	var wg sync.WaitGroup
	for i, city := range cities {
		wg.Go(func() {
			body, err := json.Marshal(object{"user_id": user, "session_id": fmt.Sprintf("s%d", i), "messages": list{
				object{"role": "user", "content": "My favorite color is teal", "created_at": day.AddDate(0, 0, i)},
				object{"role": "user", "content": "I live in " + city, "created_at": day.AddDate(0, 0, i).Add(time.Minute)},
			}})
			if err != nil {
				r.t.Error(err)
				return
			}
			key := fmt.Sprintf("%s-%d", user, i)
			r.within("a message is acknowledged", func() bool {
				status, _ := r.askNode(i%len(r.nodes), http.MethodPost, "/v1/messages", string(body), "Idempotency-Key", key)
				return status == http.StatusCreated
			})
		})
	}
	wg.Wait()
	r.within("all that a person said is settled", func() bool {
		var s ingestStates
		status, answer := r.ask(http.MethodGet, "/v1/ingest?user_id="+user, "")
		return status == 200 && json.Unmarshal([]byte(answer), &s) == nil && s.open() == 0 && s.States.Done == 2*len(cities)
	})
	known := r.remembered(user)
	want := map[string]int{"My favorite color is teal": 1, "I live in " + cities[len(cities)-1]: 1}
	for text, n := range want {
		if known[text] != n {
			r.t.Errorf("%q is remembered %d times, want once: %v", text, known[text], known)
		}
	}
	if len(known) != len(want) {
		r.t.Errorf("remembered is %v, want %v", known, want)
	}
}
