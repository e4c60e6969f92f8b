package remember

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/shortterm"
)

func wantTold(t *testing.T, what string, r Result, events []string, degraded ...string) {
	t.Helper()
	if got := told(r); !slices.Equal(got, events) {
		t.Errorf("%s: %q, want %q", what, got, events)
	}
	if !slices.Equal(r.Degraded, degraded) && len(r.Degraded)+len(degraded) > 0 {
		t.Errorf("%s: degraded %q, want %q", what, r.Degraded, degraded)
	}
}

func TestWhatIsLearnedIsLoggedFirstAndWaitedFor(t *testing.T) {
	h := open(t, Config{})
	item := learn("alice", "I live in Oslo.", "Hello!")
	item.Scope.RunID, item.Scope.AgentID, item.Scope.AppID = "s1", "agent", "app"
	item.Metadata, item.Timezone = json.RawMessage(`{"k":1}`), "Asia/Tokyo"
	item.LearnAs = &memd.LearnAs{Scope: "home", Categories: []string{"place"}}
	got := h.add(nil, bound, item)
	wantTold(t, "the first", got[0], []string{"ADD I live in Oslo"})
	_, entries, _, err := h.log.Messages(t.Context(), tenant, shortterm.Page{UserID: "alice"})
	if err != nil || len(entries) != 2 {
		t.Fatalf("%+v, %v", entries, err)
	}
	for _, e := range entries {
		if e.SessionID != "s1" || e.AgentID != "agent" || e.AppID != "app" || e.Timezone != "Asia/Tokyo" ||
			!strings.Contains(string(e.Metadata), `"k"`) || !reflect.DeepEqual(e.LearnAs, item.LearnAs) || e.Ingest.State != shortterm.StateDone {
			t.Errorf("logged %+v", e)
		}
	}
	wantTold(t, "the same again", h.add(nil, bound, item)[0], []string{"NONE I live in Oslo"})
	wantTold(t, "nothing to learn", h.add(nil, bound, learn("alice", "Hello!"))[0], []string{})

	assistant := Item{Scope: memd.Scope{AgentID: "agent"}, Messages: []memd.Message{spoken(memd.RoleAssistant, "I moved to Bergen."), spoken(memd.RoleUser, "I moved to Rome.")},
		Infer: true, Roles: []memd.Role{memd.RoleAssistant}}
	wantTold(t, "whose messages", h.add(nil, bound, assistant)[0], []string{"ADD I moved to Bergen"})
	if n := h.count(`SELECT count(*) FROM conversation_session WHERE kind = 'direct'`); n != 2 {
		t.Errorf("%d sessions of what has no run, want 2", n)
	}
}

func TestAddsTogetherAnswerInTheirOrder(t *testing.T) {
	h := open(t, Config{})
	got := h.add(nil, bound, store("bob", "Milk is white", "Snow is white"), learn("bob", "I live in Oslo."), learn("alice", "I live in Rome.", "I like tea."),
		store("alice", "Milk is white"), learn("carol", "Hi!"))
	for i, want := range [][]string{
		{"ADD Milk is white", "ADD Snow is white"}, {"ADD I live in Oslo"}, {"ADD I live in Rome", "ADD I like tea"}, {"ADD Milk is white"}, {},
	} {
		wantTold(t, fmt.Sprint("item ", i), got[i], want)
	}
	again := h.add(nil, bound, store("alice", "Milk is white", "Milk is white"), store("bob", "Milk is white"))
	wantTold(t, "the same again", again[0], []string{"NONE Milk is white", "NONE Milk is white"})
	if again[0].Events[0].ID != got[3].Events[0].ID || again[1].Events[0].ID != got[0].Events[0].ID {
		t.Errorf("the same again is another: %+v, %+v", got, again)
	}
	if none, err := h.Add(t.Context(), tenant, nil, nil, bound); err != nil || len(none) != 0 {
		t.Errorf("nothing = %+v, %v", none, err)
	}
}

func TestWhatIsStoredIsAsItWasGiven(t *testing.T) {
	h := open(t, Config{})
	at := time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)
	later := time.Date(2124, 3, 1, 12, 0, 0, 0, time.UTC)
	named := spoken(memd.RoleUser, "Snow is white")
	named.Name, named.CreatedAt = "zoe", at
	item := Item{
		Scope:    memd.Scope{UserID: "alice", AgentID: "agent", RunID: "s1", AppID: "app"},
		Messages: []memd.Message{named, spoken(memd.RoleAssistant, "Milk is white"), spoken(memd.RoleTool, "Coal is black")},
		Metadata: json.RawMessage(`{"k":1}`), Roles: []memd.Role{memd.RoleUser},
		LearnAs: &memd.LearnAs{MemoryType: "fact", Scope: "colours", Categories: []string{"a", "b"}, ExpiresAt: &later, OccurredAt: &at, Prompt: "unused"},
	}
	got := h.add(nil, bound, item)[0]
	wantTold(t, "of the user's", got, []string{"ADD Snow is white", "ADD Coal is black"})
	m, err := h.store.Get(t.Context(), tenant, got.Events[0].ID, memd.Scope{UserID: "alice", AgentID: "agent", RunID: "s1", AppID: "app"})
	if err != nil {
		t.Fatal(err)
	}
	if *m.ActorID != "zoe" || m.Role != "user" || *m.RunID != "s1" || *m.MemoryType != "fact" || *m.Scope != "colours" || !slices.Equal(m.Categories, []string{"a", "b"}) ||
		!m.ExpiresAt.Equal(later) || !m.OccurredAt.Equal(at) || !m.ValidFrom.Equal(at) || !strings.Contains(string(m.Metadata), `"k"`) {
		t.Errorf("stored %+v", m)
	}
	other, err := h.store.Get(t.Context(), tenant, got.Events[1].ID, memd.Scope{})
	if err != nil || other.Role != "tool" || other.ActorID != nil {
		t.Errorf("stored %+v, %v", other, err)
	}
	item.Roles, item.LearnAs = []memd.Role{memd.RoleAssistant}, nil
	wantTold(t, "of the assistant's", h.add(nil, bound, item)[0], []string{"ADD Milk is white"})
	item.Roles = nil
	wantTold(t, "of nobody's", h.add(nil, bound, item)[0], []string{})
	if n := h.count(`SELECT count(*) FROM conversation_context`); n != 0 {
		t.Errorf("%d messages were logged", n)
	}
	if n := h.count(`SELECT count(*) FROM memory_embedding`); n != 3 {
		t.Errorf("%d of 3 have their vector", n)
	}
}

func TestNotWaitedFor(t *testing.T) {
	h := open(t, Config{})
	got := h.add(nil, 0, learn("alice", "I live in Oslo.", "I like tea."), store("alice", "Snow is white"))
	if len(got[0].IngestIDs) != 2 {
		t.Errorf("logged %+v", got[0])
	}
	wantTold(t, "stored", got[1], []string{"ADD Snow is white"})
	if len(h.add(nil, 0, learn("alice", "I own a boat."))[0].IngestIDs) != 1 {
		t.Error("a lone one is waited for")
	}
}

// Who has settled in time answers with what was learned, although another has not. The
// repetition by key answers of the same messages.
func TestOneThatTakesTooLongKeepsNoOtherBack(t *testing.T) {
	h := open(t, Config{})
	key := keyOf("k", "b")
	items := []Item{learn("alice", "I live in Oslo."), learn("bob", "I am stuck in Rome."), store("carol", "Snow is white")}
	first := h.add(key, 0, items...)
	if err := h.log.AwaitSettled(t.Context(), tenant, first[0].IngestIDs); err != nil {
		t.Fatal(err)
	}
	second := h.add(key, 50*time.Millisecond, items...)
	wantTold(t, "in time", second[0], []string{"ADD I live in Oslo"})
	if !slices.Equal(second[1].IngestIDs, first[1].IngestIDs) {
		t.Errorf("late: %+v, want %v", second[1], first[1].IngestIDs)
	}
	wantTold(t, "stored again", second[2], []string{"NONE Snow is white"})
	left, leave := context.WithCancel(t.Context())
	leave()
	if err := h.log.AwaitSettled(left, tenant, first[1].IngestIDs); err == nil {
		t.Fatal("nobody is stuck")
	}
	h.extractor.release()
	third := h.add(key, bound, items...)
	wantTold(t, "released", third[1], []string{"ADD I am stuck in Rome"})
	if n := h.count(`SELECT count(*) FROM conversation_context`); n != 2 {
		t.Errorf("%d messages, want 2", n)
	}
}

func TestWhatIsGoneMeanwhileIsNotTakenForNothing(t *testing.T) {
	h := open(t, Config{})
	var results []Result
	var added sync.WaitGroup
	added.Go(func() {
		results = h.add(nil, bound, learn("alice", "I am stuck in Rome."), learn("bob", "I live in Oslo."), learn("carol", "Hello!"), learn("dora", "I am stuck in Bergen."))
	})
	memdtest.Until(t, "the others are learned from", func() bool {
		return h.count(`SELECT count(*) FROM ingest_settled`) == 2
	})
	for _, sql := range []string{`DELETE FROM ingest_open o USING conversation_context c WHERE c.id = o.message_id AND c.user_id = 'alice'`,
		`DELETE FROM conversation_context WHERE user_id = 'alice'`} {
		b := postgres.TenantBatch(tenant)
		b.Queue(sql)
		if err := h.pool.SendBatch(t.Context(), b).Close(); err != nil {
			t.Fatal(err)
		}
	}
	h.extractor.release()
	added.Wait()
	for i, want := range []struct{ events, degraded []string }{
		{[]string{}, []string{"gone"}}, {[]string{"ADD I live in Oslo"}, nil}, {[]string{}, nil}, {[]string{"ADD I am stuck in Bergen"}, nil},
	} {
		wantTold(t, fmt.Sprint("item ", i), results[i], want.events, want.degraded...)
	}
}

func TestDegraded(t *testing.T) {
	h := open(t, Config{})
	asked := func(i Item) Item { i.LearnAs = &memd.LearnAs{Prompt: "only food"}; return i }
	got := h.add(nil, bound, learn("alice", "I am doomed."), learn("bob", "I live in Oslo."), asked(learn("carol", "I like tea.")),
		asked(learn("dave", "I am doomed.")), asked(store("erin", "Snow is white")))
	wantTold(t, "given up", got[0], []string{}, "ingest")
	wantTold(t, "beside it", got[1], []string{"ADD I live in Oslo"})
	wantTold(t, "a prompt", got[2], []string{"ADD I like tea"}, "prompt")
	wantTold(t, "both", got[3], []string{}, "ingest", "prompt")
	wantTold(t, "stored", got[4], []string{"ADD Snow is white"})
	wantTold(t, "alone", h.add(nil, bound, learn("alice", "All are doomed."))[0], []string{}, "ingest")
	if got := h.add(nil, 0, asked(learn("frank", "I like tea.")))[0]; !slices.Equal(got.Degraded, []string{"prompt"}) {
		t.Errorf("not waited for: %+v", got)
	}

	h.embedder.away.Store(true)
	silent := store("alice", "Coal is black")
	silent.Roles = nil
	got = h.add(nil, 0, store("alice", "Coal is black"), silent, learn("alice", "I like coal."))
	wantTold(t, "without its vector", got[0], []string{"ADD Coal is black"}, "embedding")
	wantTold(t, "nothing to store", got[1], []string{})
	if len(got[2].Degraded) != 0 {
		t.Errorf("logged %+v", got[2])
	}
	h.embedder.away.Store(false)
	memdtest.Until(t, "the vector follows", func() bool { return h.count(`SELECT count(*) FROM embedding_open`) == 0 })

	taken := open(t, Config{TakesPrompt: true})
	wantTold(t, "a prompt that is taken", taken.add(nil, bound, asked(learn("carol", "I like tea.")))[0], []string{"ADD I like tea"})
}

func TestFaultsNameTheirItem(t *testing.T) {
	h := open(t, Config{})
	silent, blank := learn("alice"), store("alice", "Snow is white", "x")
	blank.Messages[1].Text = " \u200b\n"
	nobodys := learn("", "I like tea.")
	nobodys.Scope.AppID = "app"
	for _, c := range []struct {
		items  []Item
		fields []string
	}{
		{[]Item{silent}, []string{"messages"}},
		{[]Item{blank}, []string{"messages[1].content"}},
		{[]Item{nobodys}, []string{"user_id"}},
		{[]Item{store("alice", "ok"), blank}, []string{"memories[1].messages[1].content"}},
		{[]Item{silent, learn("bob", "I like tea."), nobodys, blank}, []string{"memories[0].messages", "memories[2].user_id", "memories[3].messages[1].content"}},
	} {
		_, err := h.Add(t.Context(), tenant, c.items, nil, bound)
		var e *memd.Error
		if !errors.As(err, &e) || e.Kind != memd.Invalid {
			t.Errorf("%q: %v", c.fields, err)
			continue
		}
		got := []string{e.Field}
		if len(e.Details) > 0 {
			got = nil
			for _, d := range e.Details {
				got = append(got, d.Field)
			}
		}
		if !slices.Equal(got, c.fields) {
			t.Errorf("named %q, want %q", got, c.fields)
		}
	}
	if n := h.count(`SELECT (SELECT count(*) FROM conversation_context) + (SELECT count(*) FROM memory)`); n != 0 {
		t.Errorf("%d rows were written", n)
	}
}

// What is stored as it is stays for good, and so is no part of what is said incognito.
func TestNothingIncognitoIsStored(t *testing.T) {
	h := open(t, Config{})
	if _, err := h.log.CreateSession(t.Context(), tenant, shortterm.NewSession{UserID: "alice", SessionID: "secret", Incognito: true}); err != nil {
		t.Fatal(err)
	}
	in := func(user, run string) Item {
		item := store(user, "My pin is in the drawer.")
		item.Scope.RunID = run
		return item
	}
	_, err := h.Add(t.Context(), tenant, []Item{in("alice", "secret")}, nil, bound)
	var fault *memd.Error
	if !errors.As(err, &fault) || fault.Kind != memd.Invalid || fault.Field != "run_id" {
		t.Errorf("stored incognito: %v", err)
	}
	_, err = h.Add(t.Context(), tenant, []Item{in("alice", "open"), in("alice", "secret"), in("bob", "secret")}, nil, bound)
	if !errors.As(err, &fault) || fault.Kind != memd.Invalid || fault.Field != "memories[1].run_id" {
		t.Errorf("one of three: %v", err)
	}
	if n := h.count(`SELECT count(*) FROM memory`); n != 0 {
		t.Errorf("%d memories", n)
	}
	wantTold(t, "another's session of the name", h.add(nil, bound, in("bob", "secret"))[0], []string{"ADD My pin is in the drawer."})
}

func TestAllOrNone(t *testing.T) {
	h := open(t, Config{})
	bad := store("bob", "Coal is black")
	bad.Metadata = json.RawMessage(`{"a":"\u0000"}`)
	badLog := learn("bob", "I like coal.")
	badLog.Metadata = bad.Metadata
	for name, items := range map[string][]Item{
		"the last that is stored": {learn("alice", "I like tea."), store("alice", "Snow is white"), bad},
		"the last that is logged": {learn("alice", "I like tea."), store("alice", "Snow is white"), badLog},
		"stored alone":            {store("alice", "Snow is white"), bad},
		"logged alone":            {learn("alice", "I like tea."), badLog},
	} {
		_, err := h.Add(t.Context(), tenant, items, keyOf("k", "b"), bound)
		if err == nil || memd.KindOf(err) != memd.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, table := range []string{"conversation_session", "conversation_context", "ingest_open", "memory", "memory_history", "idempotency", "person"} {
		if n := h.count("SELECT count(*) FROM " + table); n != 0 {
			t.Errorf("%s holds %d rows", table, n)
		}
	}
	wantTold(t, "the key is free", h.add(keyOf("k", "b"), bound, learn("alice", "I like tea."), store("alice", "Snow is white"))[0], []string{"ADD I like tea"})
}

func TestAKeyIsKnownToTheLog(t *testing.T) {
	for name, items := range map[string][]Item{
		"one":     {learn("alice", "I live in Oslo.", "Hi!")},
		"several": {learn("bob", "I live in Oslo."), learn("alice", "I like tea.", "I own a boat.")},
		"both":    {learn("bob", "I live in Oslo."), store("alice", "Snow is white"), learn("alice", "I like tea.")},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, Config{})
			first := h.add(keyOf("k", "b"), bound, items...)
			logged := h.count(`SELECT count(*) FROM conversation_context`)
			again := h.add(keyOf("k", "b"), bound, items...)
			for i := range items {
				if !items[i].Infer {
					wantTold(t, "stored again", again[i], []string{"NONE Snow is white"})
					if again[i].Events[0].ID != first[i].Events[0].ID {
						t.Error("stored again is another")
					}
				} else if !reflect.DeepEqual(again[i], first[i]) {
					t.Errorf("again %+v, want %+v", again[i], first[i])
				}
			}
			_, err := h.Add(t.Context(), tenant, items, keyOf("k", "other"), bound)
			if err == nil || memd.KindOf(err) != memd.Invalid {
				t.Errorf("another body: %v", err)
			}
			if n := h.count(`SELECT count(*) FROM conversation_context`); n != logged {
				t.Errorf("%d messages, then %d", logged, n)
			}
		})
	}
}

// A message that stood in the log before brings nothing about now, whatever it did then.
func TestWhatTheLogKnewIsKnown(t *testing.T) {
	h := open(t, Config{})
	item := func(ids ...string) Item {
		all := learn("alice")
		all.Scope.RunID = "s1"
		for _, id := range ids {
			m := spoken(memd.RoleUser, map[string]string{"c1": "I live in Oslo.", "c2": "I like tea.", "c3": "I own a boat."}[id])
			m.ClientID = id
			all.Messages = append(all.Messages, m)
		}
		return all
	}
	first := h.add(keyOf("k", "b"), bound, item("c1", "c2"))[0]
	wantTold(t, "the first", first, []string{"ADD I live in Oslo", "ADD I like tea"})
	wantTold(t, "again", h.add(nil, bound, item("c1"))[0], []string{"NONE I live in Oslo"})
	wantTold(t, "again under another key", h.add(keyOf("l", "b"), bound, item("c2", "c1"))[0], []string{"NONE I live in Oslo", "NONE I like tea"})
	wantTold(t, "that replayed", h.add(keyOf("l", "b"), bound, item("c2", "c1"))[0], []string{"NONE I live in Oslo", "NONE I like tea"})
	wantTold(t, "beside a new one", h.add(nil, bound, item("c1", "c3"))[0], []string{"ADD I own a boat", "NONE I live in Oslo"})
	again := h.add(keyOf("k", "b"), bound, item("c1", "c2"))[0]
	if !reflect.DeepEqual(again, first) {
		t.Errorf("the replay answers %+v, the first %+v", again, first)
	}
	wantTold(t, "several items", h.add(nil, bound, item("c3"), learn("bob", "I like tea."))[0], []string{"NONE I own a boat"})
}

func TestOneOfManyWithAKeyAdds(t *testing.T) {
	h := open(t, Config{})
	items := []Item{learn("bob", "I live in Oslo."), store("alice", "Snow is white"), learn("alice", "I like tea.")}
	var at sync.WaitGroup
	got := make([][]Result, 8)
	for i := range got {
		at.Go(func() {
			var err error
			if got[i], err = h.Add(t.Context(), tenant, items, keyOf("k", "b"), 0); err != nil {
				t.Error(err)
			}
		})
	}
	at.Wait()
	for _, results := range got {
		if !reflect.DeepEqual(results[0], got[0][0]) || !reflect.DeepEqual(results[2], got[0][2]) || results[1].Events[0].ID != got[0][1].Events[0].ID {
			t.Errorf("answered %+v and %+v", got[0], results)
		}
	}
	if n := h.count(`SELECT count(*) FROM conversation_context`); n != 2 {
		t.Errorf("%d messages, want 2", n)
	}
	if n := h.count(`SELECT count(*) FROM memory WHERE verbatim`); n != 1 {
		t.Errorf("%d stored memories, want 1", n)
	}
}

// Two calls may meet people who are new to both, in opposite order; the one that has to
// give way tries again.
func TestNewPeopleInOppositeOrder(t *testing.T) {
	h := open(t, Config{})
	var at sync.WaitGroup
	for w := range 6 {
		at.Go(func() {
			for round := range 6 {
				a, b := fmt.Sprint("a", round), fmt.Sprint("b", round)
				if w%2 == 1 {
					a, b = b, a
				}
				if _, err := h.Add(t.Context(), tenant, []Item{learn(a, "I like tea."), store(b, "Snow is white"), store(a, "Coal is black")}, nil, 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	at.Wait()
	if n := h.count(`SELECT count(*) FROM conversation_context`); n != 36 {
		t.Errorf("%d messages, want 36", n)
	}
	if n := h.count(`SELECT count(*) FROM memory WHERE verbatim`); n != 24 {
		t.Errorf("%d stored memories, want 24", n)
	}
}

// While vectors are made all connections are free.
func TestNoConnectionIsHeldWhileVectorsAreMade(t *testing.T) {
	h := open(t, Config{})
	h.embedder.during = func() {
		if n := h.pool.Stat().AcquiredConns(); n != 0 {
			t.Errorf("%d connections are held", n)
		}
	}
	h.add(keyOf("k", "b"), 0, store("alice", "Snow is white"), store("bob", "Coal is black"))
	h.add(nil, 0, store("alice", "Milk is white"))
}

func TestACallerThatLeft(t *testing.T) {
	h := open(t, Config{})
	gone, leave := context.WithCancel(t.Context())
	leave()
	for name, items := range map[string][]Item{
		"stored": {store("alice", "Snow is white")}, "logged": {learn("alice", "I like tea.")}, "both": {store("alice", "Snow is white"), learn("alice", "I like tea.")},
	} {
		_, err := h.Add(gone, tenant, items, nil, bound)
		if err == nil || memd.KindOf(err) != memd.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
}
