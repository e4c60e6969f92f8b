package longterm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"pgregory.net/rapid"
)

func (b *bench) undo(id string) memd.Memory {
	b.Helper()
	m, err := b.Undo(b.ctx(), tenant, Ref{ID: id}, "api")
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// nothingToUndo expects that.
func (b *bench) nothingToUndo(id string) {
	b.Helper()
	_, err := b.Undo(b.ctx(), tenant, Ref{ID: id}, "api")
	kind(b, err, memd.Conflict)
}

func TestUndoEdits(t *testing.T) {
	b := newStore(t)
	later := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	l := about(b.say(memd.Message{UserID: "alice", SessionID: "s1", Text: "I live in Paris", CreatedAt: monday, Metadata: json.RawMessage(`{"x":1,"n":1e2}`)}), "home", "Paris")
	b.consolidate(l)
	first := b.list(ListQuery{Scope: user("alice")})[0]
	b.nothingToUndo(first.ID)
	b.edit(Edit{Text: ptr("I live in Rome"), Metadata: json.RawMessage(`{"x":null,"y":2}`), Categories: ptr([]string{"a"}), ExpiresAt: &later, Pinned: ptr(true)})
	second := b.edit(Edit{Text: ptr("I live in Bonn"), Unexpire: true})
	same := func(got, want memd.Memory) {
		t.Helper()
		got.UpdatedAt, want.UpdatedAt = time.Time{}, time.Time{}
		if g, w := encode(t, got), encode(t, want); g != w {
			t.Fatalf("got  %s\nwant %s", g, w)
		}
	}
	if m := b.undo(first.ID); m.Memory != "I live in Rome" || !m.ExpiresAt.Equal(later) || !m.Pinned || m.Hash != hashOf("I live in Rome") {
		t.Fatalf("from %s\nto %s", encode(t, second), encode(t, m))
	}
	same(b.undo(first.ID), first)
	b.nothingToUndo(first.ID)
	h := b.history(first.ID)
	if last := h[len(h)-1]; len(h) != 5 || last.Event != EventUpdate || last.By != "api" || *last.PreviousMemory != "I live in Rome" || *last.Memory != "I live in Paris" ||
		last.Reason != "undone: edited: memory, metadata, categories, expires_at, pinned" {
		t.Fatalf("%+v", h)
	}
	// It is found by its words, stands as its message has it, and is learned as before.
	if hits := b.search(Query{Scope: user("alice"), Text: "Paris", Mode: ModeLexical}); len(hits) != 1 {
		t.Fatal("not found")
	}
	b.consolidate(l)
	same(b.list(ListQuery{Scope: user("alice")})[0], first)
	b.checkCounters()
	b.withdraw(first.Sources[0])
	b.consolidate(l)
	if m := b.list(ListQuery{Scope: user("alice")}); len(m) != 1 || m[0].Memory != "I live in Paris" {
		t.Fatalf("%+v", m)
	}
}

func TestUndoADeletion(t *testing.T) {
	b := newStore(t)
	said, ids := b.chain("I live in Paris", "I live in Rome")
	b.learn(memd.Message{UserID: "alice", SessionID: "s1", AgentID: "a", Text: "I like tea", CreatedAt: monday, Metadata: json.RawMessage(`{"x":1}`)})
	tea := b.list(ListQuery{Scope: user("alice"), Filters: filter(t, `{"memory":"I like tea"}`)})[0]
	words := b.verbatim("alice", "as given")[0].ID
	before := map[string]memd.Memory{}
	all := append(slices.Clone(ids), tea.ID, words)
	for _, id := range all {
		m, err := b.Get(t.Context(), tenant, id, memd.Scope{})
		if err != nil {
			t.Fatal(err)
		}
		m.UpdatedAt = time.Time{}
		before[id] = m
	}
	for _, id := range all {
		if err := b.Delete(t.Context(), tenant, id, memd.Scope{}, "api"); err != nil {
			t.Fatal(err)
		}
	}
	_, err := b.Undo(t.Context(), tenant, Ref{ID: tea.ID, Check: user("bob")}, "api")
	kind(t, err, memd.NotFound)
	_, err = b.Undo(t.Context(), "other", Ref{ID: tea.ID}, "api")
	kind(t, err, memd.NotFound)
	b.consolidate(about(said, "home", "Paris", "Rome")) // brings nothing back
	for _, id := range []string{words, ids[1], tea.ID, ids[0]} {
		b.undo(id)
		b.checkCounters()
	}
	for _, id := range all {
		m, err := b.Get(t.Context(), tenant, id, memd.Scope{})
		if err != nil {
			t.Fatal(err)
		}
		m.UpdatedAt = time.Time{}
		if got, want := encode(t, m), encode(t, before[id]); got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice"), IncludeSuperseded: true})), []string{"I live in Paris", "I live in Rome", "I like tea", "as given"})
	same(t, texts(b.list(ListQuery{Scope: memd.Scope{AgentID: "a"}})), []string{"I like tea"})
	if h := b.history(tea.ID); len(h) != 3 || h[2].Event != EventAdd || h[2].Reason != "undone: deleted" || h[2].By != "api" {
		t.Fatalf("%+v", h)
	}
	missing, err := b.MissingVectors(t.Context(), 10)
	if err != nil || len(missing) != 4 {
		t.Fatalf("%d wait for a vector, %v", len(missing), err)
	}
	// Learned again it stays one, and withdrawn it goes for good.
	b.consolidate(about(said, "home", "Paris", "Rome"))
	if n := query[int](b, `SELECT count(*) FROM memory`); n != 4 {
		t.Fatalf("%d memories", n)
	}
	if err := b.Delete(t.Context(), tenant, tea.ID, memd.Scope{}, "api"); err != nil {
		t.Fatal(err)
	}
	b.withdraw(tea.Sources...)
	b.nothingToUndo(tea.ID)
}

// What was said anew since it was deleted becomes one with it.
func TestUndoADeletionOfWhatWasSaidAgain(t *testing.T) {
	b := newStore(t)
	id := func() string { return query[string](b, `SELECT id::text FROM memory`) }
	b.learn(memd.Message{UserID: "alice", SessionID: "s1", Text: "I like tea", CreatedAt: monday})
	was := id()
	if err := b.Delete(t.Context(), tenant, was, memd.Scope{}, "api"); err != nil {
		t.Fatal(err)
	}
	b.learn(memd.Message{UserID: "alice", SessionID: "s1", Text: "I like tea", CreatedAt: monday.Add(time.Hour)})
	anew := id()
	if m := b.undo(was); len(m.Sources) != 2 || !m.ValidFrom.Equal(monday) || m.ID != was || id() != was {
		t.Fatalf("%+v", m)
	}
	if h := b.history(anew); h[len(h)-1].Event != EventDelete || h[len(h)-1].Reason != reasonJoined {
		t.Fatalf("%+v", h)
	}
	b.checkCounters()
}

func TestUndoStandsAgainstTheSameSources(t *testing.T) {
	b := newStore(t)
	said, ids := b.chain("I live in Paris", "I live in Rome")
	l := about(said, "home", "Paris", "Rome")
	again := b.say(memd.Message{UserID: "alice", SessionID: "s2", Text: "I live in Rome", CreatedAt: monday.Add(2 * time.Hour)})
	b.consolidate(about(again, "home", "Rome"))
	m := b.undo(ids[0])
	if m.ValidTo != nil || m.SupersededBy != nil {
		t.Fatalf("%+v", m)
	}
	both := []string{"I live in Paris", "I live in Rome"}
	check := func(want []string) {
		t.Helper()
		sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), want)
		sameSet(t, found(b.search(ask("Paris", user("alice")))), want)
	}
	check(both)
	h := b.history(ids[0])
	if last := h[len(h)-1]; last.Event != EventUpdate || last.Reason != "undone: superseded" {
		t.Fatalf("%+v", h)
	}
	b.nothingToUndo(ids[0])
	b.consolidate(l)
	b.consolidate(about(again, "home", "Rome"))
	check(both)
	// Something said before it all changes nothing of that.
	b.consolidate(about(b.say(memd.Message{UserID: "alice", SessionID: "s3", Text: "I live in Graz", CreatedAt: monday.Add(-time.Hour)}), "home", "Graz"))
	check(both)
	// The same said in another message does.
	b.consolidate(about(b.say(memd.Message{UserID: "alice", SessionID: "s4", Text: "I live in Rome", CreatedAt: monday.Add(3 * time.Hour)}), "home", "Rome"))
	check([]string{"I live in Rome"})
	b.undo(ids[0])
	check(both)
	b.checkCounters()
}

func TestAnEditedTextIsAboutNothingUnlessRead(t *testing.T) {
	b := newStore(t)
	paris := b.say(memd.Message{UserID: "alice", SessionID: "s1", Text: "I live in Paris", CreatedAt: monday},
		memd.Message{UserID: "alice", SessionID: "s1", Text: "My home is Paris", CreatedAt: monday.Add(time.Hour)})
	b.consolidate(about(paris, "home", "Paris", "Paris"))
	id := query[string](b, `SELECT id::text FROM memory WHERE memory = 'I live in Paris'`)
	// What holds goes on holding, though it is not known any more what that is …
	if m := b.edit(Edit{ID: id, Text: ptr("I live in the 5th arrondissement")}); m.ValidTo != nil {
		t.Fatalf("%+v", m)
	}
	b.consolidate(about(paris, "home", "Paris", "Paris"))
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"I live in the 5th arrondissement", "My home is Paris"})
	// … and nothing that is said ends it, since nobody has read what it is about.
	rome := b.say(memd.Message{UserID: "alice", SessionID: "s2", Text: "I am at home in Rome", CreatedAt: monday.Add(2 * time.Hour)})
	b.consolidate(about(rome, "home", "Rome"))
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"I live in the 5th arrondissement", "I am at home in Rome"})
	if relations, err := b.Relations(t.Context(), tenant, []string{id}); err != nil || len(relations) != 0 {
		t.Fatalf("%+v, %v", relations, err)
	}
	b.withdraw(rome[0].ID)
	if m := b.undo(id); m.Memory != "I live in Paris" || m.ValidTo != nil {
		t.Fatalf("%+v", m)
	}
	if relations, err := b.Relations(t.Context(), tenant, []string{id}); err != nil || len(relations) != 1 || relations[0].Target != "Paris" {
		t.Fatalf("%+v, %v", relations, err)
	}
	b.checkCounters()
}

// What an edit ended is current again when the edit is undone, and that it was ended is no
// more to be undone: what comes next is what was changed before.
func TestUndoAnEditThatEndedAnother(t *testing.T) {
	b := newStore(t)
	said, ids := b.chain("I live in Paris", "I live in Rome")
	l := about(said, "home", "Paris", "Rome")
	place := map[int64]string{said[0].ID: said[0].Text, said[1].ID: said[1].Text}
	states := []string{b.told("alice", place)}
	edits := []Edit{
		{ID: ids[0], Text: ptr("I live in Graz"), About: &About{Slot: "home", Value: "Graz"}},
		{ID: ids[1], Text: ptr("I live in Graz")},
		{ID: ids[1], Text: ptr("I live in Bonn"), About: &About{Slot: "home", Value: "Bonn"}},
	}
	for _, e := range edits {
		b.edit(e)
		b.consolidate(l)
		states = append(states, b.told("alice", place))
	}
	for i, e := range slices.Backward(edits) {
		b.undo(e.ID)
		if is := b.told("alice", place); is != states[i] {
			t.Fatalf("before edit %d it was\n%s\nit is\n%s", i, states[i], is)
		}
	}
	// That another took its place when that was said can be undone still.
	if m := b.undo(ids[0]); m.ValidTo != nil {
		t.Fatalf("%+v", m)
	}
	b.nothingToUndo(ids[0])
	b.checkCounters()
}

// TestUndoComesBackToWhatWas changes things anyhow and undoes it all.
func TestUndoComesBackToWhatWas(t *testing.T) {
	b := newStore(t)
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		who := fmt.Sprintf("user%d", n)
		said := b.say(memd.Message{UserID: who, SessionID: "s1", Text: "I live in Paris", CreatedAt: monday}, memd.Message{UserID: who, SessionID: "s1", Text: "I live in Rome", CreatedAt: monday.Add(time.Hour)},
			memd.Message{UserID: who, SessionID: "s1", Text: "I like tea", CreatedAt: monday})
		l := about(said[:2], "home", "Paris", "Rome")
		b.consolidate(l)
		b.consolidate(whole(said[2:]))
		place := map[int64]string{}
		for _, m := range said {
			place[m.ID] = m.Text
		}
		before := b.told(who, place)
		var done []string
		for range rapid.IntRange(1, 6).Draw(r, "changes") {
			ms := b.list(ListQuery{Scope: user(who), IncludeSuperseded: true})
			if len(ms) == 0 {
				break
			}
			id := ms[rapid.IntRange(0, len(ms)-1).Draw(r, "which")].ID
			if rapid.Bool().Draw(r, "delete") {
				if err := b.Delete(t.Context(), tenant, id, memd.Scope{}, "api"); err != nil {
					t.Fatal(err)
				}
			} else {
				text := rapid.SampledFrom([]string{"I live in Bonn", "I live in Graz", "I like coffee"}).Draw(r, "text")
				m, err := b.Get(t.Context(), tenant, id, memd.Scope{})
				if err != nil {
					t.Fatal(err)
				}
				if m.Memory == text {
					continue
				}
				e := Edit{ID: id, Text: &text}
				if place, ok := strings.CutPrefix(text, "I live in "); ok && rapid.Bool().Draw(r, "read") {
					e.About = &About{Slot: "home", Value: place}
				}
				if _, err := b.Edit(t.Context(), tenant, []Edit{e}, "api"); err != nil {
					t.Fatal(err)
				}
			}
			done = append(done, id)
			if rapid.Bool().Draw(r, "relearn") {
				b.consolidate(l)
			}
			b.checkCounters()
		}
		for _, id := range slices.Backward(done) {
			b.undo(id)
			b.checkCounters()
		}
		if after := b.told(who, place); after != before {
			r.Fatalf("it was\n%s\nit is\n%s", before, after)
		}
	})
}

func TestUndoAtOnce(t *testing.T) {
	b := newStore(t)
	said, ids := b.chain("I live in Paris", "I live in Rome")
	l := about(said, "home", "Paris", "Rome")
	var wg sync.WaitGroup
	errs := make([]error, 12)
	for i := range errs {
		wg.Go(func() {
			switch i % 3 {
			case 0:
				_, errs[i] = b.Undo(t.Context(), tenant, Ref{ID: ids[0]}, "api")
			case 1:
				errs[i] = b.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error { return b.Consolidate(t.Context(), tx, tenant, l) })
			default:
				text := fmt.Sprintf("I live in %d", i)
				_, errs[i] = b.Edit(t.Context(), tenant, []Edit{{ID: ids[1], Text: &text, About: &About{Slot: "home", Value: fmt.Sprint(i)}}}, "api")
			}
		})
	}
	wg.Wait()
	undone := 0
	for i, err := range errs {
		if i%3 == 0 && err != nil {
			kind(t, err, memd.Conflict)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			undone++
		}
	}
	if undone != 1 {
		t.Fatalf("%d undid it", undone)
	}
	b.checkCounters()
}
