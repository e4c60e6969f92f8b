package revise_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/revise"
	"github.com/memdhq/memd/shortterm"
	"github.com/rs/zerolog"
)

func TestMain(m *testing.M) { memdtest.Main(m) }

const tenant = "acme"

// house is both tiers on a database of its own; the worker is in its tests.
type house struct {
	*testing.T
	pool   *postgres.Pool
	log    *shortterm.Log
	store  *longterm.Store
	revise *revise.Revise
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
	return &house{t, pool, log, store, revise.New(pool, log, store)}
}

// say puts texts into the log, those that begin with a question mark as the assistant's.
func (h *house) say(session string, texts ...string) (no int64, ids []int64) {
	h.Helper()
	var all []memd.Message
	for _, text := range texts {
		role := "user"
		if text[0] == '?' {
			role, text = "assistant", text[1:]
		}
		m, err := memd.ParseMessage(json.RawMessage(fmt.Sprintf(`{"role":%q,"content":%q}`, role, text)))
		if err != nil {
			h.Fatal(err)
		}
		all = append(all, m)
	}
	a, err := h.log.Append(h.Context(), tenant, shortterm.Append{UserID: "alice", SessionID: session, Messages: all, Infer: true, Learn: []memd.Role{memd.RoleUser, memd.RoleAssistant}})
	if err != nil {
		h.Fatal(err)
	}
	for _, m := range a.Messages {
		ids = append(ids, m.ID)
	}
	return a.SessionNo, ids
}

// learn takes what is open of a session to the long tier by the rules.
func (h *house) learn(no int64) {
	h.Helper()
	c, err := h.log.Claim(h.Context(), tenant, no, 10, 10)
	if err != nil || c == nil {
		h.Fatalf("%v, %v", c, err)
	}
	if err := h.settle(c); err != nil {
		h.Fatal(err)
	}
}

func (h *house) settle(c *shortterm.Claim) error {
	h.Helper()
	in := extract.Input{Before: c.Before}
	var l longterm.Learned
	var outcomes []shortterm.Outcome
	for _, m := range c.Messages {
		in.Messages = append(in.Messages, m.Message)
		if m.Again {
			l.Again = append(l.Again, m.ID)
		}
		outcomes = append(outcomes, shortterm.Outcome{MessageID: m.ID, Attempt: m.Attempt, State: shortterm.StateDone, Extractor: extract.RulesVersion})
	}
	x, err := extract.NewRules().Extract(h.Context(), in)
	if err != nil {
		h.Fatal(err)
	}
	l.Messages, l.Candidates, l.Extractor = in.Messages, x.Candidates, x.Extractor
	return h.pool.InTenant(h.Context(), tenant, func(tx pgx.Tx) error {
		if err := h.store.Consolidate(h.Context(), tx, tenant, l); err != nil {
			return err
		}
		return h.log.Settle(h.Context(), tx, tenant, outcomes)
	})
}

func (h *house) holds(want ...string) {
	h.Helper()
	all, _, _, err := h.store.List(h.Context(), tenant, longterm.ListQuery{Scope: memd.Scope{UserID: "alice"}})
	if err != nil {
		h.Fatal(err)
	}
	var got []string
	for _, m := range all {
		got = append(got, m.Memory)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		h.Fatalf("got  %q\nwant %q", got, want)
	}
}

func (h *house) delete(id int64) {
	h.Helper()
	if _, err := h.revise.Delete(h.Context(), tenant, id, memd.Scope{}, "api"); err != nil {
		h.Fatal(err)
	}
}

func (h *house) reword(id int64, text string) {
	h.Helper()
	content, _ := json.Marshal(text)
	if err := h.revise.Reword(h.Context(), tenant, id, memd.Scope{}, content, "api"); err != nil {
		h.Fatal(err)
	}
}

// What a slip and its correction stated together goes with either, and what the other
// states by itself is learned.
func TestACorrectionAndWhatItCorrects(t *testing.T) {
	h := newHouse(t)
	no, ids := h.say("s", "I live in Lisbon", "I live in Madrid", "no, I meant Porto")
	h.learn(no)
	h.holds("I live in Porto")
	h.delete(ids[2])
	h.holds("I live in Madrid")
	h.learn(no) // Madrid, once more
	h.holds("I live in Madrid")

	no, ids = h.say("s2", "I work at Bosch", "no, I meant Siemens")
	h.learn(no)
	h.holds("I live in Madrid", "I work at Siemens")
	h.reword(ids[0], "I work at Leica")
	h.holds("I live in Madrid")
	h.learn(no)
	h.holds("I live in Madrid", "I work at Siemens")
}

// What was a slip ended nothing, also where it was about something else altogether.
func TestASlipEndsNothing(t *testing.T) {
	for _, said := range [][]string{
		{"I'm allergic to nuts", "I'm not allergic to nuts", "sorry, I meant milk", "I'm not allergic to milk"},
		{"I live in Lisbon", "I no longer live in Lisbon", "sorry I meant Porto", "I no longer live in Porto"},
		{"I live in Lisbon", "I moved to Madrid", "sorry, I meant my office", "I moved to Madrid. sorry, I meant my office"},
	} {
		h := newHouse(t)
		no, _ := h.say("s1", said[0])
		h.learn(no)
		no, _ = h.say("s2", said[1:3]...)
		h.learn(no)
		h.holds(said[0], said[3])
	}
}

// An answer goes with its question.
func TestAnAnswerAndItsQuestion(t *testing.T) {
	h := newHouse(t)
	no, ids := h.say("s", "?What is your favorite color?", "Blue.")
	h.learn(no)
	h.holds("Blue (asked: What is your favorite color?)")
	h.reword(ids[0], "What color is your car?")
	h.holds()
	h.learn(no)
	h.holds("Blue (asked: What color is your car?)")
	h.delete(ids[0])
	h.holds()
	h.learn(no)
	all, _, _, err := h.store.List(t.Context(), tenant, longterm.ListQuery{Scope: memd.Scope{UserID: "alice"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if strings.Contains(m.Memory, "asked") {
			t.Errorf("%q is left", m.Memory)
		}
	}
}

// Whoever is learning with the old words in view loses the claim.
func TestOldWordsInViewAreNotLearned(t *testing.T) {
	h := newHouse(t)
	no, ids := h.say("s", "I live in Madrid")
	h.learn(no)
	h.say("s", "no, I meant Porto")
	c, err := h.log.Claim(t.Context(), tenant, no, 10, 10)
	if err != nil || c == nil {
		t.Fatalf("%v, %v", c, err)
	}
	h.reword(ids[0], "I live in Lisbon")
	if err := h.settle(c); memd.KindOf(err) != memd.Conflict {
		t.Fatalf("%v", err)
	}
	h.holds()
	h.learn(no)
	h.holds("I live in Porto")
}
