package longterm

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/memdhq/memd"
)

func TestVerbatimTwins(t *testing.T) {
	b := newStore(t)
	one := Verbatim{Scope: memd.Scope{UserID: "alice", AgentID: "a", RunID: "r", AppID: "p"}, Text: "I like tea", ActorID: "bob", Role: "user", Metadata: json.RawMessage(`{"n":1,"m":[true]}`)}
	vary := func(change func(*Verbatim)) Verbatim { v := one; change(&v); return v }
	vs := []Verbatim{
		one,
		vary(func(v *Verbatim) { v.Text = "I like tea." }),
		vary(func(v *Verbatim) { v.Scope.UserID = "bob" }),
		vary(func(v *Verbatim) { v.Scope.AgentID = "" }),
		vary(func(v *Verbatim) { v.Scope.RunID = "r2" }),
		vary(func(v *Verbatim) { v.Scope.AppID = "" }),
		vary(func(v *Verbatim) { v.ActorID = "" }),
		vary(func(v *Verbatim) { v.Role = "assistant" }),
		vary(func(v *Verbatim) { v.Metadata = nil }),
		vary(func(v *Verbatim) { v.Metadata = json.RawMessage(`{"n":"1","m":[true]}`) }),
		vary(func(v *Verbatim) { v.Metadata = json.RawMessage(` {"m": [true], "n": 1}`) }), // the first one again
	}
	first, err := b.AddVerbatim(t.Context(), tenant, vs)
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.AddVerbatim(t.Context(), tenant, vs)
	if err != nil {
		t.Fatal(err)
	}
	for i := range vs {
		want := EventAdd
		if i == len(vs)-1 {
			want = EventNone
			if first[i].ID != first[0].ID {
				t.Errorf("%d: a twin has an id of its own", i)
			}
		}
		if first[i].Event != want || again[i].Event != EventNone || again[i].ID != first[i].ID {
			t.Errorf("%d: first %+v, again %+v", i, first[i], again[i])
		}
	}
	if n := query[int](b, `SELECT count(*) FROM embedding_open`); n != len(vs)-1 {
		t.Errorf("%d wait for a vector", n)
	}
	b.checkCounters()
}

func TestExpiredVerbatimIsNoTwin(t *testing.T) {
	b := newStore(t)
	soon := time.Now().Add(time.Hour)
	v := []Verbatim{{Scope: user("alice"), Text: "I like tea", Role: "user", ExpiresAt: &soon, Categories: []string{"food", `a "b", {c}`}, MemoryType: "fact", MemoryScope: "mine"}}
	first, err := b.AddVerbatim(t.Context(), tenant, v)
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.Get(t.Context(), tenant, first[0].ID, memd.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, m.Categories, []string{"food", `a "b", {c}`})
	if *m.MemoryType != "fact" || *m.Scope != "mine" || m.ExpiresAt == nil || m.ExpiresAt.Location() != time.UTC {
		t.Fatalf("%+v", m)
	}
	b.exec(`UPDATE memory SET expires_at = now() - interval '1 second'`)
	second, err := b.AddVerbatim(t.Context(), tenant, v)
	if err != nil || second[0].Event != EventAdd {
		t.Fatalf("%+v, %v", second, err)
	}
}

func TestConcurrentTwins(t *testing.T) {
	b := newStore(t)
	const callers = 12
	events := make([][]Event, callers)
	errs := make([]error, callers)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			events[i], errs[i] = b.AddVerbatim(t.Context(), tenant, []Verbatim{
				{Scope: user("alice"), Text: "I like tea", Role: "user"},
				{Scope: user("bob"), Text: fmt.Sprintf("I am %d", i), Role: "user"},
			})
		}()
	}
	wg.Wait()
	added := 0
	for i := range callers {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if events[i][0].Event == EventAdd {
			added++
		}
		if events[i][0].ID != events[0][0].ID {
			t.Error("twins have different ids")
		}
	}
	if n := query[int](b, `SELECT count(*) FROM memory`); added != 1 || n != callers+1 {
		t.Fatalf("%d were added, there are %d", added, n)
	}
	b.checkCounters()
}

func TestVerbatimNeedsAnID(t *testing.T) {
	b := newStore(t)
	_, err := b.AddVerbatim(t.Context(), tenant, []Verbatim{{Scope: memd.Scope{AppID: "p"}, Text: "x", Role: "user"}})
	kind(t, err, memd.Invalid)
}

func TestMissingVectors(t *testing.T) {
	b := newStore(t)
	var vs []Verbatim
	for i := range 3 {
		vs = append(vs, Verbatim{Scope: user("alice"), Text: fmt.Sprintf("fact number %d", i), ActorID: "bob", Role: "user"})
	}
	events, err := b.AddVerbatim(t.Context(), tenant, vs)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.AddVerbatim(t.Context(), "other", []Verbatim{{Scope: user("eve"), Text: "theirs", Role: "user"}}); err != nil {
		t.Fatal(err)
	}
	// Found by its words meanwhile, and found at all by a vector search.
	q := ask("number 1", user("alice"))
	if hits := b.search(q); len(hits) != 3 || hits[0].ID != events[1].ID {
		t.Fatalf("found %q", found(hits))
	}
	all, err := b.MissingVectors(t.Context(), 10)
	if err != nil || len(all) != 4 {
		t.Fatalf("%v, %v", all, err)
	}
	if again, err := b.MissingVectors(t.Context(), 10); err != nil || len(again) != 0 {
		t.Fatalf("given twice at once: %v, %v", again, err)
	}
	mine := map[string]Missing{}
	for _, m := range all {
		if m.Tenant == tenant {
			mine[m.ID] = m
		} else if m.EmbedText != "theirs" {
			t.Errorf("%+v", m)
		}
	}
	if got := mine[events[0].ID].EmbedText; got != "bob: fact number 0" {
		t.Errorf("text is %q", got)
	}
	// One is deleted and one changes before the vectors come.
	if err := b.Delete(t.Context(), tenant, events[0].ID, memd.Scope{}, "test"); err != nil {
		t.Fatal(err)
	}
	b.exec(`UPDATE memory SET memory = 'another' WHERE id = $1`, events[1].ID)
	missing := []Missing{mine[events[0].ID], mine[events[1].ID], mine[events[2].ID]}
	if err := b.PutVectors(t.Context(), tenant, model, missing, [][]float32{vectorOf("a"), vectorOf("b"), vectorOf(missing[2].EmbedText)}); err != nil {
		t.Fatal(err)
	}
	if n := query[int](b, `SELECT count(*) FROM embedding_open`); n != 1 {
		t.Errorf("%d wait", n)
	}
	if id := query[string](b, `SELECT memory_id::text FROM memory_embedding`); id != events[2].ID {
		t.Errorf("a vector of %s", id)
	}
	if hits := b.search(ask("bob: fact number 2", user("alice"))); hits[0].ID != events[2].ID || hits[0].Similarity < .99 {
		t.Errorf("%+v", hits[0])
	}
	kind(t, b.PutVectors(t.Context(), tenant, model, missing, nil), memd.Internal)
}
