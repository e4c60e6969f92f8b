package longterm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/internal/memdtest"
	"pgregory.net/rapid"
)

// forget forgets, after a dry run that must count the same and change nothing.
func (b *bench) forget(f Forgetting) int {
	b.Helper()
	dry := f
	dry.DryRun = true
	counts := map[bool]int{}
	for _, f := range []Forgetting{dry, f} {
		before := query[int](b, `SELECT count(*) FROM memory`)
		err := b.pool.InTenant(b.ctx(), tenant, func(tx pgx.Tx) (err error) {
			counts[f.DryRun], err = b.Forget(b.ctx(), tx, tenant, f, "api")
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		if gone := before - query[int](b, `SELECT count(*) FROM memory`); f.DryRun && gone != 0 || !f.DryRun && gone != counts[false] {
			b.Fatalf("dry run %v says %d, and %d went", f.DryRun, counts[f.DryRun], gone)
		}
	}
	if counts[true] != counts[false] {
		b.Fatalf("the dry run said %d, the real one %d", counts[true], counts[false])
	}
	return counts[false]
}

func (b *bench) withdraw(messages ...int64) int {
	b.Helper()
	n, _ := b.bereave(messages...)
	return n
}

// bereave withdraws messages and gives those that must be learned from anew.
func (b *bench) bereave(messages ...int64) (int, []int64) {
	b.Helper()
	var w Withdrawn
	err := b.pool.InTenant(b.ctx(), tenant, func(tx pgx.Tx) (err error) {
		w, err = b.Withdraw(b.ctx(), tx, tenant, messages, "api", "its message was deleted")
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return w.Memories, w.Bereft
}

func (b *bench) history(id string) []HistoryEntry {
	b.Helper()
	h, err := b.History(b.ctx(), tenant, id, memd.Scope{})
	if err != nil {
		b.Fatal(err)
	}
	return h
}

func TestDelete(t *testing.T) {
	b := newStore(t)
	b.learn(memd.Message{UserID: "alice", AgentID: "a", SessionID: "s1", Text: "I like tea", Name: "bob"}, memd.Message{UserID: "alice", SessionID: "s1", Text: "…"})
	b.verbatim("alice", "kept")
	m := b.list(ListQuery{Scope: memd.Scope{UserID: "alice", AgentID: "a"}})[0]
	for _, check := range []memd.Scope{{UserID: "bob"}, {AgentID: "b"}, {UserID: "alice", AgentID: "b"}} {
		_, err := b.Get(t.Context(), tenant, m.ID, check)
		kind(t, err, memd.NotFound)
		kind(t, b.Delete(t.Context(), tenant, m.ID, check, "test"), memd.NotFound)
		_, err = b.History(t.Context(), tenant, m.ID, check)
		kind(t, err, memd.NotFound)
	}
	if err := b.Delete(t.Context(), tenant, m.ID, memd.Scope{UserID: "alice", AgentID: "a"}, "api"); err != nil {
		t.Fatal(err)
	}
	kind(t, b.Delete(t.Context(), tenant, m.ID, memd.Scope{}, "api"), memd.NotFound)
	for _, table := range []string{"memory_posting", "memory_embedding", "memory_source", "memory_provenance", "embedding_open"} {
		if n := query[int](b, "SELECT count(*) FROM "+table+" WHERE memory_id = $1", m.ID); n != 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
	_, err := b.History(t.Context(), tenant, m.ID, user("bob"))
	kind(t, err, memd.NotFound)
	history, err := b.History(t.Context(), tenant, m.ID, user("alice"))
	if err != nil || len(history) != 2 {
		t.Fatalf("%+v, %v", history, err)
	}
	if h := history[1]; h.Event != EventDelete || *h.PreviousMemory != "I like tea" || h.Memory != nil || h.By != "api" || h.Reason == "" {
		t.Fatalf("%+v", h)
	}
	b.checkCounters()
}

func TestForgetByScope(t *testing.T) {
	b := newStore(t)
	for i := range 30 {
		b.verbatim("alice", fmt.Sprintf("alice %d", i))
		b.verbatim("bob", fmt.Sprintf("bob %d", i))
	}
	b.learn(memd.Message{UserID: "alice", AgentID: "a", AppID: "p", SessionID: "s1", Text: "one"}, memd.Message{UserID: "bob", AgentID: "a", SessionID: "s2", Text: "two"})
	b.exec(`UPDATE memory SET valid_to = now() WHERE memory = 'alice 1'`)
	b.exec(`UPDATE memory SET expires_at = now() WHERE memory = 'alice 2'`)
	kind(t, b.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
		_, err := b.Forget(t.Context(), tx, tenant, Forgetting{}, "api")
		return err
	}), memd.Invalid)
	for _, c := range []struct {
		scope memd.Scope
		want  int
	}{
		{memd.Scope{UserID: "nobody"}, 0},
		{memd.Scope{UserID: "alice", AgentID: "b"}, 0},
		{memd.Scope{AgentID: "a", RunID: "s1"}, 1},
		{memd.Scope{AgentID: "a"}, 1},
		{memd.Scope{UserID: "alice"}, 30},
		{memd.Scope{UserID: "alice"}, 0},
	} {
		if n := b.forget(Forgetting{Scope: c.scope}); n != c.want {
			t.Fatalf("%s: %d, want %d", c.scope.Describe(), n, c.want)
		}
		b.checkCounters()
	}
	if n := query[int](b, `SELECT count(*) FROM memory`); n != 30 {
		t.Fatalf("%d are left", n)
	}
	if n := query[int](b, `SELECT count(*) FROM memory_history WHERE event = 'DELETE'`); n != 32 {
		t.Fatalf("%d deletions are in the history", n)
	}
}

func TestDeleteEachIsAllOrNone(t *testing.T) {
	b := newStore(t)
	events := b.verbatim("alice", "one", "two", "three")
	refs := []Ref{{ID: events[0].ID}, {ID: "nonsense"}, {ID: events[1].ID, Check: user("bob")}, {ID: events[2].ID, Check: user("alice")}}
	err := b.DeleteEach(t.Context(), tenant, refs, "api")
	kind(t, err, memd.NotFound)
	var absent *Absent
	if !errors.As(err, &absent) || err.Error() != "not_found: no such memory" {
		t.Fatalf("%v", err)
	}
	same(t, absent.Items, []int{1, 2})
	kind(t, b.DeleteEach(t.Context(), "other", refs[:1], "api"), memd.NotFound)
	if n := query[int](b, `SELECT count(*) FROM memory`); n != 3 {
		t.Fatalf("%d are left", n)
	}
	if err := b.DeleteEach(t.Context(), tenant, []Ref{refs[0], refs[3], refs[0]}, "api"); err != nil {
		t.Fatal(err)
	}
	same(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"two"})
	if err := b.DeleteEach(t.Context(), tenant, nil, "api"); err != nil {
		t.Fatal(err)
	}
	b.checkCounters()
}

func TestDeletedStaysDeleted(t *testing.T) {
	b := newStore(t)
	l := whole(b.say(memd.Message{UserID: "alice", SessionID: "s1", Text: "I live in Paris", CreatedAt: monday}))
	l.Candidates[0].Slot = "home"
	b.consolidate(l)
	id := b.list(ListQuery{Scope: user("alice")})[0].ID
	if err := b.Delete(t.Context(), tenant, id, memd.Scope{}, "api"); err != nil {
		t.Fatal(err)
	}
	// Learned again, in other words by another extractor, and other things beside.
	b.consolidate(l)
	again := l
	again.Candidates = []memd.Candidate{l.Candidates[0], l.Candidates[0], l.Candidates[0]}
	again.Candidates[0].Text = "My home is Paris"
	again.Candidates[1].Text, again.Candidates[1].Slot = "i live in PARIS", ""
	again.Candidates[2].Text, again.Candidates[2].Slot = "Paris is lovely", "likes"
	b.consolidate(again) // the message stated nothing else
	same(t, texts(b.list(ListQuery{Scope: user("alice")})), nil)
	// Said anew it is new.
	b.learn(memd.Message{UserID: "alice", SessionID: "s1", Text: "I live in Paris", CreatedAt: monday.Add(time.Hour)})
	ms := b.list(ListQuery{Scope: user("alice")})
	if len(ms) != 1 || ms[0].Memory != "I live in Paris" || ms[0].ID == id || len(ms[0].Sources) != 1 {
		t.Fatalf("%+v", ms)
	}
	b.consolidate(l)
	if ms := b.list(ListQuery{Scope: user("alice")}); len(ms) != 1 || len(ms[0].Sources) != 1 {
		t.Fatalf("%+v", ms)
	}
	b.checkCounters()
}

func TestForgottenWholeScopeIsNotLearnedAgain(t *testing.T) {
	b := newStore(t)
	l := whole(b.say(memd.Message{UserID: "alice", SessionID: "s1", Text: "I like tea"}, memd.Message{UserID: "alice", SessionID: "s1", Text: "I like coffee"}))
	b.consolidate(l)
	if n := b.forget(Forgetting{Scope: user("alice"), Filters: filter(t, `{"memory":"I like tea"}`)}); n != 1 {
		t.Fatalf("%d went", n)
	}
	other := l
	other.Candidates = slices.Clone(l.Candidates)
	other.Candidates[0].Text = "Tea is liked"
	b.consolidate(other) // by a filter only what that message stated went
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"I like coffee"})
	if n := b.forget(Forgetting{Scope: user("alice")}); n != 1 {
		t.Fatalf("%d went", n)
	}
	other.Candidates[0].Text, other.Candidates[1].Text = "Tea, please", "Coffee, please"
	b.consolidate(other)
	same(t, texts(b.list(ListQuery{Scope: user("alice")})), nil)
	b.checkCounters()
}

func TestForgettingLeavesOthersAlone(t *testing.T) {
	b := newStore(t)
	b.learn(memd.Message{UserID: "u1", SessionID: "s", Text: "I like tea"}, memd.Message{UserID: "u2", SessionID: "s", Text: "I like tea"})
	b.verbatim("u1", "mine")
	b.verbatim("u2", "mine")
	if _, err := b.AddVerbatim(t.Context(), "other", []Verbatim{{Scope: user("u1"), Text: "theirs", Role: "user"}}); err != nil {
		t.Fatal(err)
	}
	if n := b.forget(Forgetting{Scope: user("u1")}); n != 2 {
		t.Fatalf("%d went", n)
	}
	sameSet(t, texts(b.list(ListQuery{Scope: user("u2")})), []string{"I like tea", "mine"})
	if ms, _, _, err := b.List(t.Context(), "other", ListQuery{Scope: user("u1")}); err != nil || len(ms) != 1 {
		t.Fatalf("%v, %v", ms, err)
	}
	b.checkCounters()
}

func TestForgetManyLeavesNone(t *testing.T) {
	b := newStore(t)
	const n = 2500
	for i := range 5 {
		var vs []Verbatim
		for k := range n / 5 {
			text := fmt.Sprintf("fact %d of part %d", k, i)
			vs = append(vs, Verbatim{Scope: user("alice"), Text: text, Role: "user", Vector: vectorOf(text), Model: model})
		}
		if _, err := b.AddVerbatim(t.Context(), tenant, vs); err != nil {
			t.Fatal(err)
		}
	}
	b.verbatim("bob", "kept")
	if gone := b.forget(Forgetting{Scope: user("alice")}); gone != n {
		t.Fatalf("%d went", gone)
	}
	same(t, texts(b.list(ListQuery{Scope: user("alice"), IncludeSuperseded: true})), nil)
	for _, table := range []string{"memory_posting", "memory_embedding"} {
		if n := query[int](b, `SELECT count(DISTINCT memory_id) FROM `+table); n != 1 {
			t.Errorf("%d memories are left in %s", n, table)
		}
	}
	b.checkCounters()
}

// More identities than are locked one by one.
func TestForgetAnAgentOfManyUsers(t *testing.T) {
	b := newStore(t)
	var vs []Verbatim
	for i := range maxLocks + 10 {
		vs = append(vs, Verbatim{Scope: memd.Scope{UserID: fmt.Sprintf("user%d", i), AgentID: "a", AppID: "p"}, Text: "I like tea", Role: "user"})
	}
	vs = append(vs, Verbatim{Scope: memd.Scope{UserID: "user1", AgentID: "b"}, Text: "I like tea", Role: "user"})
	if _, err := b.AddVerbatim(t.Context(), tenant, vs); err != nil {
		t.Fatal(err)
	}
	if n := b.forget(Forgetting{Scope: memd.Scope{AgentID: "a"}, Filters: filter(t, `{"user_id":{"in":["user1","user2"]}}`)}); n != 2 {
		t.Fatalf("%d went", n)
	}
	if n := b.forget(Forgetting{Scope: memd.Scope{AgentID: "a"}}); n != maxLocks+8 {
		t.Fatalf("%d went", n)
	}
	b.checkCounters()
}

func TestForgetByApp(t *testing.T) {
	b := newStore(t)
	fill := func() {
		t.Helper()
		if _, err := b.AddVerbatim(t.Context(), tenant, []Verbatim{
			{Scope: memd.Scope{UserID: "alice", AppID: "p"}, Text: "one", Role: "user"}, {Scope: memd.Scope{AgentID: "a", AppID: "p"}, Text: "two", Role: "user"},
			{Scope: memd.Scope{UserID: "alice", AppID: "q"}, Text: "three", Role: "user"}, {Scope: user("alice"), Text: "four", Role: "user"}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		f    Forgetting
		want int
	}{
		{Forgetting{Scope: memd.Scope{AppID: "p"}}, 2},
		{Forgetting{Filters: filter(t, `{"app_id":"p"}`)}, 2},
		{Forgetting{Filters: filter(t, `{"app_id":["p","q"]}`)}, 3},
		{Forgetting{Filters: filter(t, `{"app_id":"p","user_id":["alice","bob"]}`)}, 1},
		{Forgetting{Scope: memd.Scope{AppID: "p"}, Filters: filter(t, `{"memory":"two"}`)}, 1},
		{Forgetting{AllScopes: true}, 4},
	} {
		b.forget(Forgetting{AllScopes: true})
		fill()
		if n := b.forget(c.f); n != c.want {
			t.Errorf("%+v: %d, want %d", c.f, n, c.want)
		}
	}
	for _, f := range []Forgetting{{}, {Filters: filter(t, `{"app_id":{"ne":"p"}}`)}, {Filters: filter(t, `{"OR":[{"app_id":"p"}]}`)}, {Filters: filter(t, `{"memory":"x"}`)}} {
		kind(t, b.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
			_, err := b.Forget(t.Context(), tx, tenant, f, "api")
			return err
		}), memd.Invalid)
	}
	_, _, _, err := b.List(t.Context(), tenant, ListQuery{Scope: memd.Scope{AppID: "p"}})
	kind(t, err, memd.Invalid)
	b.checkCounters()
}

// Conditions that contradict each other select nothing, and so nothing goes.
func TestForgetDoesNotWiden(t *testing.T) {
	b := newStore(t)
	b.verbatim("alice", "one")
	b.verbatim("bob", "two")
	for _, f := range []string{`{"AND":[{"user_id":"alice"},{"user_id":"bob"}]}`, `{"user_id":{"eq":"alice","in":["bob"]}}`, `{"user_id":[]}`} {
		if n := b.forget(Forgetting{Filters: filter(t, f)}); n != 0 {
			t.Errorf("%s: %d went", f, n)
		}
	}
}

func TestForgettingTakesSourcesFirst(t *testing.T) {
	b := newStore(t)
	said := b.learn(
		memd.Message{UserID: "alice", SessionID: "s1", AgentID: "a", Text: "I like tea", CreatedAt: monday, Metadata: json.RawMessage(`{"x":1,"y":1}`)},
		memd.Message{UserID: "alice", SessionID: "s2", AgentID: "b", Text: "I like tea", CreatedAt: monday.Add(time.Hour), Metadata: json.RawMessage(`{"x":2}`)},
		memd.Message{UserID: "alice", SessionID: "s2", AgentID: "a", Text: "I like tea", CreatedAt: monday.Add(2 * time.Hour)},
		memd.Message{UserID: "alice", SessionID: "s3", AgentID: "a", Text: "I have a dog", CreatedAt: monday},
		memd.Message{UserID: "alice", SessionID: "s2", AgentID: "b", Text: "I have a dog", CreatedAt: monday.Add(time.Hour)},
	)
	b.verbatim("alice", "no agent")
	if _, err := b.AddVerbatim(t.Context(), tenant, []Verbatim{{Scope: memd.Scope{UserID: "alice", AgentID: "a", RunID: "s2"}, Text: "verbatim", Role: "user"}}); err != nil {
		t.Fatal(err)
	}
	sources := func(text string) []int64 {
		t.Helper()
		ms := b.list(ListQuery{Scope: user("alice"), Filters: filter(t, `{"memory":`+encode(t, text)+`}`)})
		if len(ms) != 1 {
			t.Fatalf("%d of %q", len(ms), text)
		}
		return ms[0].Sources
	}
	// What says it with that agent in that session goes; what carries both by different
	// sources stays.
	if n := b.forget(Forgetting{Scope: memd.Scope{UserID: "alice", AgentID: "a", RunID: "s2"}}); n != 1 {
		t.Fatalf("%d went", n)
	}
	same(t, sources("I like tea"), []int64{said[0].ID, said[1].ID})
	same(t, sources("I have a dog"), []int64{said[3].ID, said[4].ID})
	b.checkCounters()

	if n := b.forget(Forgetting{Scope: memd.Scope{RunID: "s1"}}); n != 0 {
		t.Fatalf("%d went", n)
	}
	m := b.list(ListQuery{Scope: user("alice"), Filters: filter(t, `{"memory":"I like tea"}`)})[0]
	same(t, m.Sources, []int64{said[1].ID})
	if *m.AgentID != "b" || *m.RunID != "s2" || !m.ValidFrom.Equal(monday.Add(time.Hour)) || !sameJSON(m.Metadata, json.RawMessage(`{"x":2}`)) {
		t.Fatalf("%+v", m)
	}
	for _, s := range []memd.Scope{{RunID: "s1"}, {UserID: "alice", RunID: "s1"}} {
		same(t, texts(b.list(ListQuery{Scope: s})), nil)
	}
	if got := query[string](b, `SELECT string_agg(kind || ' ' || value, ', ' ORDER BY kind, value) FROM memory_provenance WHERE memory_id = $1`, m.ID); got != "agent b, run s2" {
		t.Fatalf("it carries %s", got)
	}
	h := b.history(m.ID)
	if last := h[len(h)-1]; last.Event != EventUpdate || last.Reason != reasonLess || *last.Memory != "I like tea" || *last.PreviousMemory != "I like tea" || last.By != "api" {
		t.Fatalf("%+v", last)
	}
	// The sources taken do not come back.
	b.consolidate(whole(said))
	same(t, sources("I like tea"), []int64{said[1].ID})

	if n := b.forget(Forgetting{Scope: memd.Scope{AgentID: "b"}}); n != 1 {
		t.Fatalf("%d went", n)
	}
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"I have a dog", "no agent"})
	same(t, sources("I have a dog"), []int64{said[3].ID})
	if n := b.forget(Forgetting{Scope: user("alice"), Filters: filter(t, `{"agent_id":["a","b"]}`)}); n != 1 {
		t.Fatalf("%d went", n)
	}
	same(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"no agent"})
	b.checkCounters()
}

func TestWithdraw(t *testing.T) {
	b := newStore(t)
	said := b.learn(
		memd.Message{UserID: "alice", SessionID: "s1", AgentID: "a", Text: "I like tea", CreatedAt: monday, Metadata: json.RawMessage(`{"x":1}`)},
		memd.Message{UserID: "alice", SessionID: "s2", AgentID: "b", Text: "I like tea!", CreatedAt: monday.Add(time.Hour), Metadata: json.RawMessage(`{"y":1}`)},
		memd.Message{UserID: "alice", SessionID: "s1", Text: "I have a dog", CreatedAt: monday},
		memd.Message{UserID: "bob", SessionID: "s1", Text: "I like tea", CreatedAt: monday},
	)
	id := b.list(ListQuery{Scope: user("alice"), Filters: filter(t, `{"memory":"I like tea"}`)})[0].ID
	if n := b.withdraw(said[0].ID, said[2].ID, said[2].ID, 1<<40); n != 1 {
		t.Fatalf("%d went", n)
	}
	m := b.list(ListQuery{Scope: user("alice")})[0]
	same(t, m.Sources, []int64{said[1].ID})
	if m.ID != id || m.Memory != "I like tea!" || *m.AgentID != "b" || *m.RunID != "s2" || !m.ValidFrom.Equal(monday.Add(time.Hour)) || !sameJSON(m.Metadata, json.RawMessage(`{"y":1}`)) {
		t.Fatalf("%+v", m)
	}
	if h := b.history(id); h[len(h)-1].Event != EventUpdate || h[len(h)-1].Reason != "its message was deleted" {
		t.Fatalf("%+v", h)
	}
	if n := query[int](b, `SELECT messages FROM memory_scope WHERE user_id = 'alice'`); n != 1 {
		t.Fatalf("%d messages are indexed", n)
	}
	b.checkCounters()
	// What was withdrawn may be learned again: an edited message is.
	b.consolidate(whole(said[2:3]))
	if n := b.withdraw(said[1].ID); n != 1 {
		t.Fatalf("%d went", n)
	}
	same(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"I have a dog"})
	same(t, texts(b.list(ListQuery{Scope: user("bob")})), []string{"I like tea"})
	h := b.history(id)
	if last := h[len(h)-1]; last.Event != EventDelete || last.Reason != "its message was deleted" {
		t.Fatalf("%+v", last)
	}
	if n := b.withdraw(); n != 0 {
		t.Fatalf("%d went", n)
	}
	b.checkCounters()
}

// What was made of question and answer goes with either, and the other is to be learned from.
func TestWithdrawTheAnswer(t *testing.T) {
	b := newStore(t)
	said := b.say(
		memd.Message{UserID: "alice", SessionID: "s1", Role: memd.RoleAssistant, Text: "Do you like tea?", CreatedAt: monday},
		memd.Message{UserID: "alice", SessionID: "s1", Text: "Yes", CreatedAt: monday.Add(time.Minute)},
	)
	l := Learned{Messages: said, Extractor: "test/1", Candidates: []memd.Candidate{
		{Text: "I like tea", Role: memd.RoleUser, SaidAt: monday, Sources: []int64{said[0].ID, said[1].ID}}}}
	b.consolidate(l)
	n, bereft := b.bereave(said[0].ID)
	if n != 1 {
		t.Fatalf("%d went", n)
	}
	same(t, bereft, []int64{said[1].ID})
	b.consolidate(l)
	if n, bereft = b.bereave(said[1].ID); n != 1 {
		t.Fatalf("%d went", n)
	}
	same(t, bereft, []int64{said[0].ID})
	// Nor does it once the answer is overruled.
	b.consolidate(l)
	id := b.list(ListQuery{Scope: user("alice")})[0].ID
	if err := b.Delete(t.Context(), tenant, id, memd.Scope{}, "api"); err != nil {
		t.Fatal(err)
	}
	b.exec(`DELETE FROM memory_overruled WHERE message_id = $1`, said[0].ID)
	b.consolidate(l)
	same(t, texts(b.list(ListQuery{Scope: user("alice")})), nil)
	b.checkCounters()
}

// about makes of each message one candidate that says the same, with these values of a slot.
func about(messages []memd.Message, slot string, values ...string) Learned {
	l := whole(messages)
	for i := range l.Candidates {
		l.Candidates[i].Slot, l.Candidates[i].Value = slot, values[i]
	}
	return l
}

// chain makes memories of texts each of which takes the place of the one before.
func (b *bench) chain(texts ...string) (said []memd.Message, ids []string) {
	b.Helper()
	for i, text := range texts {
		said = append(said, memd.Message{UserID: "alice", SessionID: "s1", Text: text, CreatedAt: monday.Add(time.Duration(i) * time.Hour)})
	}
	said = b.say(said...)
	b.consolidate(about(said, "home", texts...))
	for _, text := range texts {
		ids = append(ids, query[string](b, `SELECT id::text FROM memory WHERE memory = $1`, text))
	}
	return said, ids
}

func TestWhatWasSupersededByWhatGoes(t *testing.T) {
	end := func(b *bench, id string) (by *string, to *time.Time) {
		m, err := b.Get(b.ctx(), tenant, id, memd.Scope{})
		if err != nil {
			b.Fatal(err)
		}
		return m.SupersededBy, m.ValidTo
	}
	t.Run("withdrawn", func(t *testing.T) {
		b := newStore(t)
		said, ids := b.chain("I live in Paris", "I live in Rome", "I live in Bonn", "I live in Graz")
		if n := b.withdraw(said[1].ID, said[2].ID); n != 2 {
			t.Fatalf("%d went", n)
		}
		if by, to := end(b, ids[0]); by == nil || *by != ids[3] || !to.Equal(said[3].CreatedAt) {
			t.Fatalf("Paris ends %v by %v", to, by)
		}
		b.withdraw(said[3].ID)
		if by, to := end(b, ids[0]); by != nil || to != nil {
			t.Fatalf("Paris ends %v by %v", to, by)
		}
		h := b.history(ids[0])
		if last := h[len(h)-1]; last.Event != EventUpdate || last.Reason != reasonCurrent {
			t.Fatalf("%+v", last)
		}
		if hits := b.search(Query{Scope: user("alice"), Text: "zzz", Vector: vectorOf("I live in Paris"), Model: model, Mode: ModeVector}); len(hits) != 1 || hits[0].Similarity < .99 {
			t.Fatalf("found %+v", hits)
		}
		b.checkCounters()
	})
	t.Run("deleted", func(t *testing.T) {
		b := newStore(t)
		said, ids := b.chain("I live in Paris", "I live in Rome", "I live in Bonn")
		if err := b.Delete(t.Context(), tenant, ids[1], memd.Scope{}, "api"); err != nil {
			t.Fatal(err)
		}
		if by, to := end(b, ids[0]); by == nil || *by != ids[2] || !to.Equal(said[1].CreatedAt) {
			t.Fatalf("Paris ends %v by %v", to, by)
		}
		if err := b.Delete(t.Context(), tenant, ids[2], memd.Scope{}, "api"); err != nil {
			t.Fatal(err)
		}
		if by, to := end(b, ids[0]); by != nil || !to.Equal(said[1].CreatedAt) {
			t.Fatalf("Paris ends %v by %v", to, by)
		}
		same(t, texts(b.list(ListQuery{Scope: user("alice")})), nil)
		if h := b.history(ids[0]); len(h) != 2 || h[1].Reason != reasonSuperseded {
			t.Fatalf("%+v", h)
		}
	})
	t.Run("said later than was known", func(t *testing.T) {
		b := newStore(t)
		said, ids := b.chain("I live in Paris", "I live in Rome")
		b.consolidate(about(b.say(memd.Message{UserID: "alice", SessionID: "s2", Text: "I live in Rome", CreatedAt: monday.Add(5 * time.Hour)}), "home", "Rome"))
		b.withdraw(said[1].ID)
		if by, to := end(b, ids[0]); by == nil || *by != ids[1] || !to.Equal(monday.Add(5*time.Hour)) {
			t.Fatalf("Paris ends %v by %v", to, by)
		}
	})
}

// TestDryRunCountsWhatGoes forgets anything of a store that is filled anyhow: the dry run
// counts what the real one takes, sums stay right, and what was asked for is not there.
func TestDryRunCountsWhatGoes(t *testing.T) {
	b := newStore(t)
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		who := fmt.Sprintf("user%d", n)
		id := func(label string, all ...string) string { return rapid.SampledFrom(all).Draw(r, label) }
		for range rapid.IntRange(1, 12).Draw(r, "memories") {
			scope := memd.Scope{UserID: who, AgentID: id("agent", "", "a", "b"), RunID: id("run", "s1", "s2"), AppID: id("app", "", "p")}
			text := id("text", "I like tea", "I have a dog", "I am tall")
			if rapid.Bool().Draw(r, "verbatim") {
				if _, err := b.AddVerbatim(t.Context(), tenant, []Verbatim{{Scope: scope, Text: text, Role: "user"}}); err != nil {
					t.Fatal(err)
				}
			} else {
				b.learn(memd.Message{UserID: who, AgentID: scope.AgentID, AppID: scope.AppID, SessionID: scope.RunID, Text: text, CreatedAt: monday.Add(time.Duration(rapid.IntRange(0, 3).Draw(r, "hour")) * time.Hour)})
			}
		}
		f := Forgetting{Scope: memd.Scope{UserID: who, AgentID: id("of agent", "", "a", "b"), RunID: id("of run", "", "s1", "s2"), AppID: id("of app", "", "p")}}
		if raw := id("filter", "", `{"memory":{"ne":"I like tea"}}`, `{"agent_id":["a","b"]}`, `{"run_id":{"in":["s2"]}}`); raw != "" {
			f.Filters = filter(t, raw)
		}
		listed := b.list(ListQuery{Scope: f.Scope, Filters: f.Filters})
		plain := f.Scope.AgentID == "" && f.Scope.RunID == "" && !strings.Contains(fmt.Sprint(f.Filters), "_id")
		gone := b.forget(f)
		b.checkCounters()
		_, byAgent := f.Filters.oneOf("agent_id")
		_, byRun := f.Filters.oneOf("run_id")
		if plain = plain && !byAgent && !byRun; plain && gone != len(listed) || gone > len(listed) {
			r.Fatalf("%d of %d went", gone, len(listed))
		}
		left := b.list(ListQuery{Scope: f.Scope, Filters: f.Filters})
		// Of one id nothing is left; of two a memory may carry each by another source.
		ids := 0
		for _, asked := range []bool{f.Scope.AgentID != "" || byAgent, f.Scope.RunID != "" || byRun} {
			if asked {
				ids++
			}
		}
		if ids < 2 && len(left) > 0 {
			r.Fatalf("%q are left", texts(left))
		}
	})
}

// TestSumsAfterAnything does everything that changes memories, in any order, and holds the
// kept sums and indexes to what there is.
func TestSumsAfterAnything(t *testing.T) {
	b := newStore(t)
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		who := fmt.Sprintf("user%d", n)
		sayings := []string{"I like tea", "i like TEA", "I have a dog called Biscuit", "I am tall", "Paris is where I live"}
		var said []memd.Message
		pick := func() (string, bool) {
			ms := b.list(ListQuery{Scope: user(who), IncludeSuperseded: true})
			if len(ms) == 0 {
				return "", false
			}
			return ms[rapid.IntRange(0, len(ms)-1).Draw(r, "which")].ID, true
		}
		for range rapid.IntRange(1, 10).Draw(r, "steps") {
			text := rapid.SampledFrom(sayings).Draw(r, "text")
			switch rapid.SampledFrom([]string{"learn", "learn", "verbatim", "relearn", "edit", "delete", "withdraw", "forget"}).Draw(r, "step") {
			case "learn":
				said = append(said, b.learn(memd.Message{UserID: who, SessionID: rapid.SampledFrom([]string{"s1", "s2"}).Draw(r, "session"), Name: rapid.SampledFrom([]string{"", "bob"}).Draw(r, "name"), Text: text,
					CreatedAt: monday.Add(time.Duration(len(said)%3) * time.Hour)})...)
			case "verbatim":
				b.verbatim(who, text)
			case "relearn":
				if len(said) > 0 {
					b.consolidate(whole(said))
				}
			case "edit":
				if id, ok := pick(); ok {
					e := Edit{ID: id, Text: &text}
					if rapid.Bool().Draw(r, "vector") {
						e.Vector, e.Model = vectorOf(text), model
					}
					if _, err := b.Edit(t.Context(), tenant, []Edit{e}, "api"); err != nil {
						t.Fatal(err)
					}
				}
			case "delete":
				if id, ok := pick(); ok {
					if err := b.Delete(t.Context(), tenant, id, memd.Scope{}, "api"); err != nil {
						t.Fatal(err)
					}
				}
			case "withdraw":
				if len(said) > 0 {
					b.withdraw(said[rapid.IntRange(0, len(said)-1).Draw(r, "message")].ID)
				}
			case "forget":
				b.forget(Forgetting{Scope: memd.Scope{UserID: who, RunID: rapid.SampledFrom([]string{"", "s1"}).Draw(r, "of run")}})
			}
			b.checkCounters()
		}
		if loose := query[string](b, `SELECT coalesce(string_agg(DISTINCT what, ', '), '') FROM (
			SELECT 'posting' AS what, memory_id FROM memory_posting UNION ALL SELECT 'vector', memory_id FROM memory_embedding) x
			 WHERE NOT EXISTS (SELECT FROM memory m WHERE m.id = x.memory_id)`); loose != "" {
			r.Fatalf("%s of no memory", loose)
		}
		if lost := query[int](b, `SELECT count(*) FROM memory m WHERE NOT EXISTS (SELECT FROM memory_embedding e WHERE e.memory_id = m.id)
			AND NOT EXISTS (SELECT FROM embedding_open o WHERE o.memory_id = m.id)`); lost != 0 {
			r.Fatalf("%d memories never get a vector", lost)
		}
		if wrong := query[int](b, `SELECT count(*) FROM memory m WHERE (SELECT count(*) FROM memory_provenance p WHERE p.memory_id = m.id) <> cardinality(agent_ids) + cardinality(run_ids)
			OR NOT verbatim AND NOT EXISTS (SELECT FROM memory_source s WHERE s.memory_id = m.id)`); wrong != 0 {
			r.Fatalf("%d memories do not carry what their sources do", wrong)
		}
	})
}

// Whoever comes to hold something while "forget" waits for those that it has found is not
// locked by it, and so not touched: two that took the same away would count it twice.
func TestForgettingTouchesNothingThatItHasNotLocked(t *testing.T) {
	b := newStore(t)
	b.learn(memd.Message{UserID: "alice", SessionID: "s", AgentID: "a", Text: "I like tea"})
	id := b.list(ListQuery{Scope: user("alice")})[0].ID
	holding, err := b.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer holding.Rollback(context.Background())
	if _, err := holding.Exec(t.Context(), `SELECT set_config('memd.tenant', $1, true)`, tenant); err != nil {
		t.Fatal(err)
	}
	if _, err := hold(t.Context(), holding, tenant, []Ref{{ID: id}}); err != nil {
		t.Fatal(err)
	}
	forgotten := make(chan int, 1)
	go func() {
		var n int
		err := b.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) (err error) {
			n, err = b.Forget(t.Context(), tx, tenant, Forgetting{Scope: memd.Scope{AgentID: "a"}}, "api")
			return err
		})
		if err != nil {
			t.Error(err)
		}
		forgotten <- n
	}()
	memdtest.Until(t, "forgetting waits for alice", func() bool {
		return query[bool](b, `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`)
	})
	b.learn(memd.Message{UserID: "bob", SessionID: "s", AgentID: "a", Text: "I like tea"})
	if err := holding.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := <-forgotten; n != 1 {
		t.Errorf("%d forgotten, want alice's", n)
	}
	if left := b.list(ListQuery{Scope: user("bob")}); len(left) != 1 {
		t.Errorf("bob has %d memories, want 1", len(left))
	}
	b.checkCounters()
}

func TestEverythingAtOnce(t *testing.T) {
	b := newStore(t)
	const rounds = 6
	var learned []Learned
	for i := range rounds {
		var said []memd.Message
		for _, who := range []string{"alice", "bob", "carol"} {
			said = append(said, memd.Message{UserID: who, SessionID: fmt.Sprintf("s%d", i), AgentID: "a", Text: "I like tea"}, memd.Message{UserID: who, SessionID: fmt.Sprintf("s%d", i), Text: fmt.Sprintf("I am number %d", i)})
		}
		learned = append(learned, whole(b.say(said...)))
	}
	events := b.verbatim("alice", "one", "two", "three")
	events = append(events, b.verbatim("bob", "one", "two", "three")...)
	var wg sync.WaitGroup
	var errs []error
	var mu sync.Mutex
	do := func(f func() error) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := f(); err != nil && memd.KindOf(err) != memd.NotFound {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		}()
	}
	inTenant := func(f func(pgx.Tx) error) func() error {
		return func() error { return b.pool.InTenant(t.Context(), tenant, f) }
	}
	for i := range rounds {
		do(inTenant(func(tx pgx.Tx) error { return b.Consolidate(t.Context(), tx, tenant, learned[i]) }))
		do(func() error {
			text := fmt.Sprintf("edited %d", i)
			edits := []Edit{{ID: events[i%3].ID, Text: &text}, {ID: events[3+i%3].ID, Text: &text}}
			if i%2 == 0 {
				slices.Reverse(edits)
			}
			_, err := b.Edit(t.Context(), tenant, edits, "api")
			return err
		})
		do(func() error {
			refs := []Ref{{ID: events[i%3].ID}, {ID: events[3+i%3].ID}}
			if i%2 == 0 {
				slices.Reverse(refs)
			}
			return b.DeleteEach(t.Context(), tenant, refs, "api")
		})
		do(inTenant(func(tx pgx.Tx) error {
			_, err := b.Withdraw(t.Context(), tx, tenant, []int64{learned[i].Messages[0].ID, learned[i].Messages[3].ID}, "api", "withdrawn")
			return err
		}))
		do(inTenant(func(tx pgx.Tx) error {
			_, err := b.Forget(t.Context(), tx, tenant, Forgetting{Scope: memd.Scope{AgentID: "a"}}, "api")
			return err
		}))
		do(inTenant(func(tx pgx.Tx) error {
			_, err := b.Forget(t.Context(), tx, tenant, Forgetting{AllScopes: true, Filters: filter(t, `{"memory":"two"}`)}, "api")
			return err
		}))
	}
	wg.Wait()
	for _, err := range errs {
		t.Error(err)
	}
	b.checkCounters()
}
