package forget_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/forget"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/shortterm"
	"github.com/rs/zerolog"
)

func TestMain(m *testing.M) { memdtest.Main(m) }

const tenant = "acme"

// house is both tiers on a database of its own; what a worker does, its tests do.
type house struct {
	*testing.T
	pool   *postgres.Pool
	log    *shortterm.Log
	store  *longterm.Store
	forget *forget.Forget
}

func newHouse(t *testing.T) *house {
	t.Helper()
	_, url := memdtest.Prepared(t, "schema", postgres.Migrate)
	pool, err := postgres.Open(t.Context(), url, postgres.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	b, err := bus.Open(memdtest.NATS(t), bus.Config{Stream: fmt.Sprintf("TEST%d", rand.Uint64()), Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	log, store := shortterm.New(pool, b, shortterm.Config{Log: zerolog.Nop()}), longterm.New(pool, longterm.Config{})
	return &house{t, pool, log, store, forget.New(pool, log, store)}
}

// say puts a message into the log.
func (h *house) say(tenant, user, session, text string) shortterm.Appended {
	h.Helper()
	m, err := memd.ParseMessage(json.RawMessage(fmt.Sprintf(`{"role":"user","content":%q}`, text)))
	if err != nil {
		h.Fatal(err)
	}
	a, err := h.log.Append(h.Context(), tenant, shortterm.Append{UserID: user, SessionID: session, AgentID: "agent of " + session,
		Messages: []memd.Message{m}, Infer: true, Learn: []memd.Role{memd.RoleUser}})
	if err != nil {
		h.Fatal(err)
	}
	return a
}

// claim takes a session's open messages to learn from.
func (h *house) claim(tenant string, a shortterm.Appended) *shortterm.Claim {
	h.Helper()
	c, err := h.log.Claim(h.Context(), tenant, a.SessionNo, 10, 0)
	if err != nil || c == nil {
		h.Fatalf("%v, %v", c, err)
	}
	return c
}

// settle remembers of each message of a claim what it says, within tx.
func (h *house) settle(ctx context.Context, tx pgx.Tx, c *shortterm.Claim) error {
	l := longterm.Learned{Extractor: "test"}
	var outcomes []shortterm.Outcome
	for _, m := range c.Messages {
		l.Messages = append(l.Messages, m.Message)
		l.Candidates = append(l.Candidates, memd.Candidate{Text: m.Text, Role: m.Role, SaidAt: m.CreatedAt, Sources: []int64{m.ID}})
		outcomes = append(outcomes, shortterm.Outcome{MessageID: m.ID, Attempt: m.Attempt, State: shortterm.StateDone, Extractor: "test"})
	}
	l.Vectors = make([][]float32, len(l.Candidates))
	if err := h.store.Consolidate(ctx, tx, c.Tenant, l); err != nil {
		return err
	}
	return h.log.Settle(ctx, tx, c.Tenant, outcomes)
}

// learn does what a worker does with a session's open messages.
func (h *house) learn(tenant string, a shortterm.Appended) {
	h.Helper()
	c := h.claim(tenant, a)
	if err := h.pool.InTenant(h.Context(), tenant, func(tx pgx.Tx) error { return h.settle(h.Context(), tx, c) }); err != nil {
		h.Fatal(err)
	}
}

func (h *house) memories(tenant, user string) string {
	h.Helper()
	found, _, _, err := h.store.List(h.Context(), tenant, longterm.ListQuery{Scope: memd.Scope{UserID: user}})
	if err != nil {
		h.Fatal(err)
	}
	var texts []string
	for _, m := range found {
		texts = append(texts, m.Memory)
	}
	return strings.Join(texts, ", ")
}

func (h *house) state(tenant string, a shortterm.Appended) string {
	h.Helper()
	m, err := h.log.Message(h.Context(), tenant, a.Messages[0].ID, memd.Scope{})
	if err != nil {
		h.Fatal(err)
	}
	return m.Ingest.State
}

func (h *house) want(what, got, want string) {
	h.Helper()
	if got != want {
		h.Errorf("%s: %q, want %q", what, got, want)
	}
}

func filter(t *testing.T, raw string) longterm.Filter {
	t.Helper()
	f, err := longterm.ParseFilter(json.RawMessage(raw))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestMemoriesAndWhatIsStillOpenAreForgotten(t *testing.T) {
	h := newHouse(t)
	type said struct{ learned, open shortterm.Appended }
	all := map[[2]string]said{}
	for _, who := range [][2]string{{tenant, "alice"}, {tenant, "bob"}, {"other", "alice"}} {
		s := said{learned: h.say(who[0], who[1], "s1", who[1]+" lives in Porto")}
		h.learn(who[0], s.learned)
		s.open = h.say(who[0], who[1], "s2", who[1]+" has a cat")
		all[who] = s
	}
	alice := all[[2]string{tenant, "alice"}]
	check := func(what string, n, want int, err error, memories, open string) {
		t.Helper()
		if err != nil || n != want {
			t.Errorf("%s: %d, %v; want %d", what, n, err, want)
		}
		h.want(what+": memories", h.memories(tenant, "alice"), memories)
		h.want(what+": open", h.state(tenant, alice.open), open)
	}
	forgetting := longterm.Forgetting{Scope: memd.Scope{UserID: "alice"}}
	dry := forgetting
	dry.DryRun = true
	n, err := h.forget.Memories(t.Context(), tenant, dry, "test")
	check("a dry run", n, 1, err, "alice lives in Porto", shortterm.StatePending)
	some := forgetting
	some.Filters = filter(t, `{"memory":{"like":"%Faro"}}`)
	n, err = h.forget.Memories(t.Context(), tenant, some, "test")
	check("with a condition", n, 0, err, "alice lives in Porto", shortterm.StatePending)
	n, err = h.forget.Memories(t.Context(), tenant, longterm.Forgetting{}, "test")
	if memd.KindOf(err) != memd.Invalid {
		t.Errorf("without an id: %v", err)
	}
	check("without an id", n, 0, nil, "alice lives in Porto", shortterm.StatePending)
	n, err = h.forget.Memories(t.Context(), tenant, longterm.Forgetting{Scope: memd.Scope{UserID: "alice", RunID: "s3"}}, "test")
	check("another session", n, 0, err, "alice lives in Porto", shortterm.StatePending)
	n, err = h.forget.Memories(t.Context(), tenant, longterm.Forgetting{Filters: filter(t, `{"AND":[{"user_id":"alice"}],"agent_id":"agent of s2"}`)}, "test")
	check("ids in the filters", n, 0, err, "alice lives in Porto", shortterm.StateSkipped)
	n, err = h.forget.Memories(t.Context(), tenant, forgetting, "test")
	check("all of hers", n, 1, err, "", shortterm.StateSkipped)
	h.want("learned", h.state(tenant, alice.learned), shortterm.StateDone)
	for who, s := range all {
		if who != [2]string{tenant, "alice"} {
			h.want(fmt.Sprint(who), h.memories(who[0], who[1]), who[1]+" lives in Porto")
			h.want(fmt.Sprint(who), h.state(who[0], s.open), shortterm.StatePending)
		}
	}
}

// A whole tenant is never emptied by conditions, and its open messages stay.
func TestConditionsOverAllScopesDropNothingOpen(t *testing.T) {
	h := newHouse(t)
	h.learn(tenant, h.say(tenant, "alice", "s1", "Lives in Porto"))
	open := h.say(tenant, "alice", "s2", "Has a cat")
	n, err := h.forget.Memories(t.Context(), tenant, longterm.Forgetting{AllScopes: true, Filters: filter(t, `{"role":"user"}`)}, "test")
	if err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	h.want("open", h.state(tenant, open), shortterm.StatePending)
}

// A worker that holds a message when its memories are to be forgotten loses it.
func TestAClaimIsLost(t *testing.T) {
	h := newHouse(t)
	a := h.say(tenant, "alice", "s", "Lives in Porto")
	c := h.claim(tenant, a)
	if n, err := h.forget.Memories(t.Context(), tenant, longterm.Forgetting{Scope: memd.Scope{RunID: "s"}}, "test"); err != nil || n != 0 {
		t.Fatalf("%d, %v", n, err)
	}
	err := h.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error { return h.settle(t.Context(), tx, c) })
	if memd.KindOf(err) != memd.Conflict {
		t.Errorf("settling gave %v", err)
	}
	h.want("memories", h.memories(tenant, "alice"), "")
	h.want("state", h.state(tenant, a), shortterm.StateSkipped)
}

// What a worker was just about to commit is forgotten with the rest, whether memories of
// the same person were there before or not.
func TestWhatIsBeingLearnedIsForgottenToo(t *testing.T) {
	for _, known := range []bool{false, true} {
		h := newHouse(t)
		if known {
			h.learn(tenant, h.say(tenant, "alice", "s0", "Has a cat"))
		}
		c := h.claim(tenant, h.say(tenant, "alice", "s", "Lives in Porto"))
		ctx := t.Context()
		settled, commit, worker := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			worker <- h.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
				defer close(settled)
				if err := h.settle(ctx, tx, c); err != nil {
					return err
				}
				settled <- struct{}{}
				<-commit
				return nil
			})
		}()
		<-settled
		type result struct {
			n   int
			err error
		}
		forgotten := make(chan result, 1)
		go func() {
			n, err := h.forget.Memories(ctx, tenant, longterm.Forgetting{Scope: memd.Scope{UserID: "alice"}}, "test")
			forgotten <- result{n, err}
		}()
		memdtest.Until(t, "it waits for the worker", func() bool {
			var waiting bool
			err := h.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)`).Scan(&waiting)
			return err == nil && waiting
		})
		close(commit)
		if err := <-worker; err != nil {
			t.Fatal(err)
		}
		want := 1
		if known {
			want = 2
		}
		if r := <-forgotten; r.err != nil || r.n != want {
			t.Errorf("known %v: %d, %v; want %d", known, r.n, r.err, want)
		}
		h.want("memories", h.memories(tenant, "alice"), "")
	}
}
