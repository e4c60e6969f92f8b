package longterm

import (
	"testing"
	"time"

	"github.com/memdhq/memd"
)

func TestExpiry(t *testing.T) {
	b := newStore(t)
	soon := time.Now().Add(time.Hour)
	l := whole(b.say(
		memd.Message{UserID: "alice", SessionID: "s1", Text: "I am in Rome this week", CreatedAt: monday, LearnAs: &memd.LearnAs{ExpiresAt: &soon}},
		memd.Message{UserID: "alice", SessionID: "s1", Text: "I like tea", CreatedAt: monday},
	))
	b.consolidate(l)
	for _, tenant := range []string{tenant, "other"} {
		if _, err := b.AddVerbatim(t.Context(), tenant, []Verbatim{{Scope: user("bob"), Text: "for now", Role: "user", ExpiresAt: &soon}}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := b.Sweep(t.Context(), 10); err != nil || n != 0 {
		t.Fatalf("%d, %v", n, err)
	}
	expired := time.Now().Add(-time.Second)
	id := query[string](b, `SELECT id::text FROM memory WHERE memory LIKE '%Rome%'`)
	b.edit(Edit{ID: id, ExpiresAt: &expired})
	b.exec(`UPDATE memory SET expires_at = now() - interval '1 second' WHERE memory = 'for now'`)
	// Gone at that moment, swept later; not learned again before nor after.
	gone := func(when string) {
		t.Helper()
		b.consolidate(l)
		same(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"I like tea"})
		for _, mode := range []string{ModeHybrid, ModeVector, ModeLexical} {
			q := ask("Rome this week", user("alice"))
			q.Mode = mode
			for _, text := range found(b.search(q)) {
				if text != "I like tea" {
					t.Errorf("%s: found %q by %s", when, text, mode)
				}
			}
		}
		b.checkCounters()
	}
	gone("expired")
	if n := query[int](b, `SELECT count(*) FROM memory`); n != 3 {
		t.Fatalf("%d memories", n)
	}
	if n, err := b.Sweep(t.Context(), 1); err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	if n, err := b.Sweep(t.Context(), 10); err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	gone("swept")
	if n := query[int](b, `SELECT count(*) FROM memory`); n != 1 {
		t.Fatalf("%d memories", n)
	}
	h := b.history(id)
	if last := h[len(h)-1]; last.Event != EventDelete || last.Reason != "expired" || last.By != "memd" {
		t.Fatalf("%+v", last)
	}
	// Of another tenant, too.
	ms, _, _, err := b.List(t.Context(), "other", ListQuery{Scope: user("bob")})
	if err != nil || len(ms) != 1 {
		t.Fatalf("%v, %v", ms, err)
	}
	if _, err := b.Edit(t.Context(), "other", []Edit{{ID: ms[0].ID, ExpiresAt: &expired}}, "api"); err != nil {
		t.Fatal(err)
	}
	if n, err := b.Sweep(t.Context(), 10); err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	// Said anew it is new.
	b.learn(memd.Message{UserID: "alice", SessionID: "s1", Text: "I am in Rome this week"})
	if n := len(b.list(ListQuery{Scope: user("alice")})); n != 2 {
		t.Fatalf("%d memories", n)
	}
}

func TestUnexpired(t *testing.T) {
	b := newStore(t)
	past := time.Now().Add(-time.Hour)
	events, err := b.AddVerbatim(t.Context(), tenant, []Verbatim{{Scope: user("alice"), Text: "for now", Role: "user", ExpiresAt: &past}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, texts(b.list(ListQuery{Scope: user("alice")})), nil)
	b.edit(Edit{ID: events[0].ID, Unexpire: true})
	if n, err := b.Sweep(t.Context(), 10); err != nil || n != 0 {
		t.Fatalf("%d, %v", n, err)
	}
	same(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"for now"})
}

func TestFindAndCount(t *testing.T) {
	b := newStore(t)
	events := b.verbatim("alice", "one", "two", "three", "four")
	b.verbatim("bob", "five")
	b.exec(`UPDATE memory SET valid_to = now() WHERE memory = 'one'`)
	b.exec(`UPDATE memory SET expires_at = now() WHERE memory = 'two'`)
	if _, err := b.AddVerbatim(t.Context(), tenant, []Verbatim{{Scope: memd.Scope{UserID: "alice", AppID: "p"}, Text: "six", Role: "user"}}); err != nil {
		t.Fatal(err)
	}
	got, err := b.Find(t.Context(), tenant, []Ref{{ID: events[1].ID}, {ID: "?"}, {ID: events[0].ID, Check: user("alice")}, {ID: events[0].ID, Check: user("bob")}, {ID: events[0].ID, Check: memd.Scope{AgentID: "a"}}, {ID: events[1].ID}})
	if err != nil || len(got) != 6 || got[1] != nil || got[3] != nil || got[4] != nil {
		t.Fatalf("%v, %v", got, err)
	}
	for i, want := range map[int]string{0: "two", 2: "one", 5: "two"} {
		m, err := b.Get(t.Context(), tenant, got[i].ID, memd.Scope{})
		if err != nil || got[i].Memory != want || encode(t, m) != encode(t, got[i]) {
			t.Errorf("%d: %+v, %v", i, got[i], err)
		}
	}
	if got, err := b.Find(t.Context(), "other", []Ref{{ID: events[1].ID}}); err != nil || got[0] != nil {
		t.Fatalf("%v, %v", got, err)
	}
	if got, err := b.Find(t.Context(), tenant, nil); err != nil || len(got) != 0 {
		t.Fatalf("%v, %v", got, err)
	}
	counts, err := b.CountByUser(t.Context(), tenant, []string{"alice", "bob", "carol", "alice"})
	if err != nil || len(counts) != 3 || counts["alice"] != 3 || counts["bob"] != 1 {
		t.Fatalf("%v, %v", counts, err)
	}
}
