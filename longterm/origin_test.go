package longterm

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/memdhq/memd"
)

// brought stores one memory.
func (b *bench) brought(v Verbatim) Event {
	b.Helper()
	events, err := b.AddVerbatim(b.Context(), tenant, []Verbatim{v})
	if err != nil {
		b.Fatal(err)
	}
	return events[0]
}

func (b *bench) delete(id string) {
	b.Helper()
	if err := b.Delete(b.Context(), tenant, id, memd.Scope{}, "api"); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) sweepAll() {
	b.Helper()
	if n, err := b.Sweep(b.Context(), 10); err != nil || n != 1 {
		b.Fatalf("%d swept, %v", n, err)
	}
}

// What comes from elsewhere is brought again each night: nothing of it comes back that went.
func TestWhatHasAnOriginIsKnownByItWhateverBecameOfIt(t *testing.T) {
	reworded := "I like tea no more"
	past, said := time.Now().Add(-time.Hour), time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)
	from := func(origin, text string) Verbatim {
		return Verbatim{Scope: user("alice"), Text: text, Role: "user", Origin: origin, SaidAt: said}
	}
	for name, c := range map[string]struct {
		then  func(b *bench, id string)
		what  func(Verbatim) Verbatim
		event string
	}{
		"as it was":       {nil, nil, EventNone},
		"deleted":         {func(b *bench, id string) { b.delete(id) }, nil, EventNone},
		"reworded":        {func(b *bench, id string) { b.edit(Edit{ID: id, Text: &reworded}) }, nil, EventNone},
		"metadata edited": {func(b *bench, id string) { b.edit(Edit{ID: id, Metadata: json.RawMessage(`{"k":1}`)}) }, nil, EventNone},
		"expired":         {func(b *bench, id string) { b.exec(`UPDATE memory SET expires_at = now() - interval '1 second'`) }, nil, EventNone},
		"expired and swept": {func(b *bench, id string) {
			b.exec(`UPDATE memory SET expires_at = now() - interval '1 second'`)
			b.sweepAll()
		}, nil, EventNone},
		"deleted, of no one": {func(b *bench, id string) { b.delete(id) }, func(v Verbatim) Verbatim { v.Origin = ""; return v }, EventAdd},
		"another origin":     {func(b *bench, id string) { b.delete(id) }, func(v Verbatim) Verbatim { v.Origin = "e2"; return v }, EventAdd},
		"another person":     {func(b *bench, id string) { b.delete(id) }, func(v Verbatim) Verbatim { v.Scope = user("bob"); return v }, EventAdd},
		"deleted and back": {func(b *bench, id string) {
			b.delete(id)
			b.undo(id)
			if n := query[int](b, `SELECT count(*) FROM memory_overruled`); n != 0 {
				b.Errorf("%d origins are overruled after it was undone", n)
			}
		}, nil, EventNone},
	} {
		t.Run(name, func(t *testing.T) {
			b := newStore(t)
			v := from("e1", "I like tea")
			first := b.brought(v)
			if first.Event != EventAdd {
				t.Fatalf("%+v", first)
			}
			if c.then != nil {
				c.then(b, first.ID)
			}
			if c.what != nil {
				v = c.what(v)
			}
			for range 2 {
				got := b.brought(v)
				if got.Event != c.event || c.event == EventNone && got.ID != first.ID {
					t.Errorf("%+v, want %s of %s", got, c.event, first.ID)
				}
				if c.event = EventNone; got.Event == EventAdd {
					first = got
				}
			}
			b.checkCounters()
		})
	}
	t.Run("expired before it comes", func(t *testing.T) {
		b := newStore(t)
		v := from("e1", "I like tea")
		v.ExpiresAt = &past
		if first, second := b.brought(v), b.brought(v); first.Event != EventAdd || second.Event != EventNone {
			t.Errorf("%+v, then %+v", first, second)
		}
	})
	t.Run("stored before without one", func(t *testing.T) {
		b := newStore(t)
		v := from("", "I like tea")
		first := b.brought(v)
		v.Origin = "e1"
		if got := b.brought(v); got.Event != EventNone || got.ID != first.ID {
			t.Errorf("%+v", got)
		}
		b.delete(first.ID)
		if got := b.brought(v); got.Event != EventNone {
			t.Errorf("deleted, it is %+v", got)
		}
	})
}

// What was changed where it comes from takes the place of what it was, in whatever order they come.
func TestWhatIsChangedAtItsOriginTakesThePlace(t *testing.T) {
	b := newStore(t)
	then, later := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)
	old := Verbatim{Scope: user("alice"), Text: "Lives in Madrid", Role: "user", Origin: "e1", SaidAt: then}
	anew := Verbatim{Scope: user("alice"), Text: "Lives in Lisbon", Role: "user", Origin: "e1", SaidAt: later, Metadata: json.RawMessage(`{"v":2}`)}
	other := Verbatim{Scope: user("alice"), Text: "Has a cat", Role: "user", Origin: "e2", SaidAt: then}
	first, _ := b.brought(old), b.brought(other)
	second := b.brought(anew)
	if second.Event != EventAdd || second.ID == first.ID {
		t.Fatalf("%+v", second)
	}
	for _, again := range []Verbatim{old, anew, other} {
		if got := b.brought(again); got.Event != EventNone {
			t.Errorf("%s again is %+v", again.Text, got)
		}
	}
	m, err := b.Get(t.Context(), tenant, first.ID, memd.Scope{})
	if err != nil || m.ValidTo == nil || !m.ValidTo.Equal(later) || m.SupersededBy == nil || *m.SupersededBy != second.ID || m.Relation != nil {
		t.Errorf("%+v, %v", m, err)
	}
	if got := b.current(); len(got) != 2 || slices.Contains(got, "Lives in Madrid") {
		t.Errorf("current are %q", got)
	}
	// Both in one call, and an older file after a newer one.
	c := newStore(t)
	events, err := c.AddVerbatim(t.Context(), tenant, []Verbatim{old, anew})
	if err != nil || events[0].Event != EventAdd || events[1].Event != EventAdd {
		t.Fatalf("%+v, %v", events, err)
	}
	d := newStore(t)
	if a, b := d.brought(anew), d.brought(old); a.Event != EventAdd || b.Event != EventNone || b.ID != a.ID {
		t.Errorf("%+v, then %+v", a, b)
	}
	for _, s := range []*bench{c, d} {
		if n := query[int](s, `SELECT count(*) FROM memory WHERE valid_to IS NULL`); n != 1 {
			t.Errorf("%d hold", n)
		}
		s.checkCounters()
	}
}
