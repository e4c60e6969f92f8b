package longterm

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/internal/memdtest"
	"pgregory.net/rapid"
)

func ptr[T any](v T) *T { return &v }

func TestEditText(t *testing.T) {
	b := newStore(t)
	l := whole(b.say(memd.Message{UserID: "alice", SessionID: "s1", Name: "bob", Text: "I live in Paris", CreatedAt: monday}))
	l.Candidates[0].Slot = "home"
	b.consolidate(l)
	before := b.list(ListQuery{Scope: user("alice")})[0]
	b.exec(`INSERT INTO memory_embedding (tenant_id, memory_id, scope_id, model, embedding) SELECT tenant_id, memory_id, scope_id, 'another', embedding FROM memory_embedding`)
	m := b.edit(Edit{Text: ptr("I live in Rome\x00"), Vector: vectorOf("bob: I live in Rome"), Model: model})
	if m.Memory != "I live in Rome" || m.Hash != hashOf("I live in Rome") || m.ID != before.ID || !m.ValidFrom.Equal(monday) || !m.UpdatedAt.After(before.UpdatedAt) || !m.CreatedAt.Equal(before.CreatedAt) || len(m.Sources) != 1 {
		t.Fatalf("%+v", m)
	}
	if got, err := b.Get(t.Context(), tenant, m.ID, memd.Scope{}); err != nil || encode(t, got) != encode(t, m) {
		t.Fatalf("edit gives %s\nget gives  %s", encode(t, m), encode(t, got))
	}
	if got := query[string](b, `SELECT string_agg(model, ' ') FROM memory_embedding`); got != model {
		t.Fatalf("vectors of %s", got)
	}
	if hits := b.search(Query{Scope: user("alice"), Text: "Rome"}); len(hits) != 1 {
		t.Fatal("not found by its words")
	}
	if hits := b.search(Query{Scope: user("alice"), Text: "bob: I live in Rome", Vector: vectorOf("bob: I live in Rome"), Model: model, Mode: ModeVector}); hits[0].Similarity < .99 {
		t.Fatalf("%+v", hits)
	}
	h := b.history(m.ID)
	if last := h[len(h)-1]; len(h) != 2 || last.Event != EventUpdate || *last.PreviousMemory != "I live in Paris" || *last.Memory != "I live in Rome" || last.By != "api" || last.Reason != "edited: memory" {
		t.Fatalf("%+v", h)
	}
	b.checkCounters()

	// The same sources change nothing and bring nothing back, nor does an earlier saying
	// take its place; said anew it is new.
	b.consolidate(l)
	b.learn(memd.Message{UserID: "alice", SessionID: "s2", Name: "bob", Text: "i live in ROME", CreatedAt: monday.Add(-time.Hour)})
	ms := b.list(ListQuery{Scope: user("alice")})
	if len(ms) != 1 || ms[0].Memory != "I live in Rome" || len(ms[0].Sources) != 2 || !ms[0].ValidFrom.Equal(monday) {
		t.Fatalf("%+v", ms)
	}
	b.learn(memd.Message{UserID: "alice", SessionID: "s2", Name: "bob", Text: "I live in Paris", CreatedAt: monday})
	b.consolidate(l)
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"I live in Rome", "I live in Paris"})
	b.checkCounters()
}

func TestEditWithoutAVector(t *testing.T) {
	b := newStore(t)
	id := b.verbatim("alice", "I like tea")[0].ID
	if _, err := b.Edit(t.Context(), tenant, []Edit{{ID: id, Text: ptr("I like coffee")}}, "api"); err != nil {
		t.Fatal(err)
	}
	missing, err := b.MissingVectors(t.Context(), 10)
	if err != nil || len(missing) != 1 || missing[0].EmbedText != "I like coffee" {
		t.Fatalf("%+v, %v", missing, err)
	}
	if n := query[int](b, `SELECT count(*) FROM memory_embedding`); n != 0 {
		t.Fatalf("%d vectors of what it no longer says", n)
	}
	// A vector that comes for a text that was rewritten meanwhile is not stored.
	if _, err := b.Edit(t.Context(), tenant, []Edit{{ID: id, Text: ptr("I like water")}}, "api"); err != nil {
		t.Fatal(err)
	}
	if err := b.PutVectors(t.Context(), tenant, model, missing, [][]float32{vectorOf("I like coffee")}); err != nil {
		t.Fatal(err)
	}
	if n := query[int](b, `SELECT count(*) FROM memory_embedding`); n != 0 {
		t.Fatalf("%d vectors", n)
	}
}

func TestEditOfWhatIsSupersededStaysOutOfSearch(t *testing.T) {
	b := newStore(t)
	_, ids := b.chain("I live in Paris", "I live in Rome")
	b.edit(Edit{ID: ids[0], Text: ptr("I lived in Paris")})
	same(t, found(b.search(ask("Paris", user("alice")))), []string{"I live in Rome"})
	if live := query[bool](b, `SELECT live FROM memory_embedding WHERE memory_id = $1`, ids[0]); live {
		t.Fatal("its vector counts as live")
	}
}

func TestEditFields(t *testing.T) {
	b := newStore(t)
	later := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	said := memd.Message{UserID: "alice", SessionID: "s1", Text: "I like tea", CreatedAt: monday, Metadata: json.RawMessage(`{"x":1,"y":{"a":1,"b":2},"n":1e2}`)}
	l := whole(b.say(said))
	b.consolidate(l)
	id := b.list(ListQuery{Scope: user("alice")})[0].ID
	entries := 1
	for _, c := range []struct {
		e      Edit
		reason string // "" for an edit that changes nothing
		holds  func(memd.Memory) bool
	}{
		{Edit{}, "", func(m memd.Memory) bool { return !m.Pinned }},
		{Edit{Pinned: ptr(true)}, "edited: pinned", func(m memd.Memory) bool { return m.Pinned }},
		{Edit{Pinned: ptr(true)}, "", func(m memd.Memory) bool { return m.Pinned }},
		{Edit{Categories: ptr([]string{"b", "a"})}, "edited: categories", func(m memd.Memory) bool { return strings.Join(m.Categories, " ") == "b a" }},
		{Edit{ExpiresAt: &later}, "edited: expires_at", func(m memd.Memory) bool { return m.ExpiresAt.Equal(later) }},
		{Edit{ExpiresAt: &later}, "", func(m memd.Memory) bool { return m.ExpiresAt.Equal(later) }},
		{Edit{Unexpire: true}, "edited: expires_at", func(m memd.Memory) bool { return m.ExpiresAt == nil }},
		{Edit{Unexpire: true}, "", func(m memd.Memory) bool { return m.ExpiresAt == nil }},
		{Edit{Metadata: json.RawMessage(`{"x":null,"y":{"a":null,"c":3},"z":[null]}`)}, "edited: metadata", func(m memd.Memory) bool {
			return sameJSON(m.Metadata, json.RawMessage(`{"y":{"b":2,"c":3},"z":[null],"n":100}`))
		}},
		{Edit{Metadata: json.RawMessage(`{"x":null,"n":100,"y":{"c":3}}`)}, "", func(m memd.Memory) bool { return true }},
		{Edit{Metadata: json.RawMessage(`{"n":1e2}`)}, "", func(m memd.Memory) bool { return true }},
		{Edit{Metadata: json.RawMessage(`{}`)}, "", func(m memd.Memory) bool { return true }},
		{Edit{Metadata: json.RawMessage(`{"big":123456789012345678901234567890.10}`)}, "edited: metadata", func(m memd.Memory) bool {
			return strings.Contains(string(m.Metadata), "123456789012345678901234567890.10")
		}},
		{Edit{Text: ptr("I like tea")}, "", func(m memd.Memory) bool { return m.Memory == "I like tea" }},
		{Edit{Text: ptr("I like tea!"), Pinned: ptr(false), Categories: ptr([]string{})}, "edited: memory, categories, pinned", func(m memd.Memory) bool {
			return m.Memory == "I like tea!" && !m.Pinned && len(m.Categories) == 0
		}},
	} {
		before, err := b.Get(t.Context(), tenant, id, memd.Scope{})
		if err != nil {
			t.Fatal(err)
		}
		c.e.ID = id
		m := b.edit(c.e)
		if !c.holds(m) {
			t.Errorf("%+v gives %s", c.e, encode(t, m))
		}
		h := b.history(id)
		if c.reason != "" {
			entries++
			last := h[len(h)-1]
			if last.Reason != c.reason || last.Event != EventUpdate || *last.PreviousMemory != "I like tea" {
				t.Errorf("%+v: %+v", c.e, last)
			}
		}
		if len(h) != entries || m.UpdatedAt.After(before.UpdatedAt) != (c.reason != "") {
			t.Errorf("%+v: %d entries, want %d; updated %s, then %s", c.e, len(h), entries, before.UpdatedAt, m.UpdatedAt)
		}
	}
	// What sources say later changes none of it; keys that they bring are added, also
	// those that a person removed.
	b.consolidate(l)
	b.learn(memd.Message{UserID: "alice", SessionID: "s2", Text: "I like tea", CreatedAt: monday.Add(-time.Hour), Metadata: json.RawMessage(`{"n":7,"x":9}`), LearnAs: &memd.LearnAs{Categories: []string{"food"}, ExpiresAt: &later, MemoryType: "fact"}})
	m := b.list(ListQuery{Scope: user("alice")})[0]
	if m.Memory != "I like tea!" || !m.ValidFrom.Equal(monday) || len(m.Categories) != 0 || m.ExpiresAt != nil || len(m.Sources) != 2 || *m.MemoryType != "fact" ||
		!sameJSON(m.Metadata, json.RawMessage(`{"y":{"b":2,"c":3},"z":[null],"n":100,"x":9,"big":123456789012345678901234567890.10}`)) {
		t.Fatalf("%s", encode(t, m))
	}
	b.checkCounters()
}

func TestEditIsAllOrNone(t *testing.T) {
	b := newStore(t)
	events := b.verbatim("alice", "one", "two")
	_, err := b.Edit(t.Context(), tenant, []Edit{{ID: events[0].ID, Text: ptr("x")}, {ID: events[1].ID, Check: user("bob"), Text: ptr("x")}, {ID: "?"}}, "api")
	var absent *Absent
	if !errors.As(err, &absent) || memd.KindOf(err) != memd.NotFound {
		t.Fatalf("%v", err)
	}
	same(t, absent.Items, []int{1, 2})
	big := json.RawMessage(`{"a":"` + strings.Repeat("x", MaxMetadata) + `"}`)
	for field, edits := range map[string][]Edit{
		"memory":               {{ID: events[0].ID, Text: ptr(" \x00")}},
		"metadata":             {{ID: events[0].ID, Metadata: big}},
		"memories[1].metadata": {{ID: events[0].ID, Text: ptr("x")}, {ID: events[1].ID, Metadata: big}},
	} {
		_, err := b.Edit(t.Context(), tenant, edits, "api")
		var e *memd.Error
		if !errors.As(err, &e) || e.Kind != memd.Invalid || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	_, err = b.Edit(t.Context(), "other", []Edit{{ID: events[0].ID, Pinned: ptr(true)}}, "api")
	kind(t, err, memd.NotFound)
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"one", "two"})

	// In order: the second edit of a memory meets what the first has left.
	ms, err := b.Edit(t.Context(), tenant, []Edit{
		{ID: events[0].ID, Text: ptr("three"), Metadata: json.RawMessage(`{"a":1}`)}, {ID: events[1].ID, Pinned: ptr(true)}, {ID: events[0].ID, Text: ptr("four"), Metadata: json.RawMessage(`{"b":1}`)}}, "api")
	if err != nil || len(ms) != 3 || ms[0].Memory != "four" || ms[0].ID != events[0].ID || !ms[1].Pinned || !sameJSON(ms[2].Metadata, json.RawMessage(`{"a":1,"b":1}`)) {
		t.Fatalf("%+v, %v", ms, err)
	}
	if h := b.history(events[0].ID); len(h) != 3 || *h[2].PreviousMemory != "three" {
		t.Fatalf("%+v", h)
	}
	b.checkCounters()
}

// TestMergePatch holds the patch to the one that RFC 7386 gives as pseudocode, on
// documents that are decoded.
func TestMergePatch(t *testing.T) {
	var apply func(target, patch any) any
	apply = func(target, patch any) any {
		p, ok := patch.(map[string]any)
		if !ok {
			return patch
		}
		into, ok := target.(map[string]any)
		if !ok {
			into = map[string]any{}
		}
		for k, v := range p {
			if v == nil {
				delete(into, k)
			} else {
				into[k] = apply(into[k], v)
			}
		}
		return into
	}
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaf := rapid.SampledFrom([]any{nil, true, 1.0, "x", []any{nil, 1.0}, map[string]any{}})
		if depth == 0 {
			return leaf
		}
		object := rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c", `q"<`}), rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) }), 0, 3), func(m map[string]any) any { return m })
		return rapid.OneOf(leaf, object, object)
	}
	memdtest.Checks(t, 100)
	rapid.Check(t, func(r *rapid.T) {
		object := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}), value(3), 0, 4)
		target, patch := encode(t, object.Draw(r, "target")), encode(t, object.Draw(r, "patch"))
		var x, y any
		for raw, into := range map[*string]*any{&target: &x, &patch: &y} {
			if err := json.Unmarshal([]byte(*raw), into); err != nil {
				t.Fatal(err)
			}
		}
		want := encode(t, apply(x, y))
		if got := MergePatch(json.RawMessage(target), json.RawMessage(patch)); !sameJSON(got, json.RawMessage(want)) {
			r.Fatalf("%s with %s gives %s, want %s", target, patch, got, want)
		}
	})
}

// Numbers are compared as Postgres gives them back.
func TestNumbersAreComparedAsStored(t *testing.T) {
	b := newStore(t)
	for _, n := range []string{"0", "-0", "-0.0", "1", "1.0", "1.50", "1e2", "1.5e1", "1.50e1", "15e-1", "1E+3", "-2.5e-3", "123456789012345678901234567890.120", "1e-20", "0e5"} {
		stored := query[string](b, `SELECT $1::jsonb::text`, n)
		if got := string(plainNumber(json.Number(n))); got != stored {
			t.Errorf("%s is %s, stored it is %s", n, got, stored)
		}
	}
}
