package longterm

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
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

// Two that say the same where they come from are one memory here, known by both.
func TestWhatTwoOriginsSayIsKnownByBoth(t *testing.T) {
	then, later := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)
	from := func(origin, text string, at time.Time) Verbatim {
		return Verbatim{Scope: user("alice"), Text: text, Role: "user", Origin: origin, SaidAt: at}
	}
	tea := func(origin string) Verbatim { return from(origin, "Drinks tea", then) }
	t.Run("deleted", func(t *testing.T) {
		b := newStore(t)
		first := b.brought(tea("e1"))
		if got := b.brought(tea("e2")); got.Event != EventNone || got.ID != first.ID {
			t.Fatalf("%+v", got)
		}
		b.delete(first.ID)
		for _, origin := range []string{"e1", "e2"} {
			if got := b.brought(tea(origin)); got.Event != EventNone || got.ID != first.ID {
				t.Errorf("%s brings %+v", origin, got)
			}
		}
		if got := b.current(); len(got) != 0 {
			t.Errorf("current are %q", got)
		}
	})
	for _, together := range []bool{false, true} {
		t.Run(fmt.Sprintf("changed, together %v", together), func(t *testing.T) {
			b := newStore(t)
			bring := func(vs ...Verbatim) {
				t.Helper()
				if !together {
					for _, v := range vs {
						b.brought(v)
					}
				} else if _, err := b.AddVerbatim(t.Context(), tenant, vs); err != nil {
					t.Fatal(err)
				}
			}
			want := func(texts ...string) {
				t.Helper()
				got := b.current()
				slices.Sort(got)
				if !slices.Equal(got, texts) {
					t.Errorf("current are %q, want %q", got, texts)
				}
				b.checkCounters()
			}
			bring(tea("e1"), tea("e2"), from("e2", "Drinks coffee", later))
			want("Drinks coffee", "Drinks tea")
			bring(tea("e1"), from("e1", "Drinks water", later), from("e2", "Drinks coffee", later))
			want("Drinks coffee", "Drinks water")
			bring(tea("e1"), tea("e2"), from("e1", "Drinks water", later))
			want("Drinks coffee", "Drinks water")
		})
	}
}

// What was learned here, and is exported as it is, does not come back either once it was deleted.
func TestWhatWasLearnedHereIsKnownByItsOwnOrigin(t *testing.T) {
	b := newStore(t)
	b.consolidate(whole(b.say(memd.Message{UserID: "alice", SessionID: "s", Text: "I drink tea"})))
	all := b.list(ListQuery{Scope: user("alice")})
	if len(all) != 1 {
		t.Fatalf("%+v", all)
	}
	own := Verbatim{Scope: user("alice"), Text: all[0].Memory, Role: "user", Origin: ownOrigin + all[0].ID, SaidAt: time.Now()}
	bobs := own
	bobs.Scope = user("bob")
	for _, step := range []string{"there", "deleted"} {
		if got := b.brought(own); got.Event != EventNone || got.ID != all[0].ID {
			t.Errorf("%s, it is %+v", step, got)
		}
		if step == "there" {
			b.delete(all[0].ID)
		}
	}
	if got := b.brought(bobs); got.Event != EventAdd {
		t.Errorf("of another person it is %+v", got)
	}
}

// A memd of schema 9 has origins in slots, and knows none of those that are in their table.
func TestWhatAMemdOfTheSchemaBeforeWritesOfOrigins(t *testing.T) {
	b := newStore(t)
	said := time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)
	v := Verbatim{Scope: user("alice"), Text: "Has a clock", Role: "user", Origin: "e1", SaidAt: said}
	known := b.brought(v)
	scope := query[int64](b, `SELECT scope_id FROM memory WHERE id = $1`, known.ID)
	older := func(id, text, origin string) error {
		return b.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `INSERT INTO memory (id, tenant_id, scope_id, user_id, role, memory, hash, verbatim, slot, valid_from)
				VALUES ($1, $2, $3, 'alice', 'user', $4, $5, true, 'from:' || $6, $7)`, id, tenant, scope, text, hashOf(text), origin, said)
			return err
		})
	}
	const added = "01a22ee7-f5ab-73ad-a4e9-000000000001"
	if err := older(added, "Has a boat", "e2"); err != nil {
		t.Fatal(err)
	}
	if got := b.brought(Verbatim{Scope: user("alice"), Text: "Has a boat", Role: "user", Origin: "e2", SaidAt: said}); got.Event != EventNone || got.ID != added {
		t.Errorf("what it stored is %+v", got)
	}
	for _, text := range []string{"Has a clock", "Has two clocks"} {
		if err := older("01a22ee7-f5ab-73ad-a4e9-000000000002", text, "e1"); memd.KindOf(postgres.Err("", err)) != memd.Unavailable {
			t.Errorf("%q of an origin that is known: %v", text, err)
		}
	}
	// One that it finds by its words gets the origin from it; what it takes away is gone for good.
	plain := b.brought(Verbatim{Scope: user("alice"), Text: "Has a lamp", Role: "user", SaidAt: said})
	b.exec(`UPDATE memory SET slot = 'from:e3' WHERE id = $1`, plain.ID)
	b.exec(`INSERT INTO memory_overruled (tenant_id, message_id, hash, slot) VALUES ($1, -$2::bigint, 'from:e3', $3)`, tenant, scope, plain.ID)
	b.exec(`DELETE FROM memory WHERE id = $1`, plain.ID)
	if got := b.brought(Verbatim{Scope: user("alice"), Text: "Has a lamp", Role: "user", Origin: "e3", SaidAt: said}); got.Event != EventNone || got.ID != plain.ID {
		t.Errorf("what it took away is %+v", got)
	}
	if n := query[int](b, `SELECT (SELECT count(*) FROM memory WHERE slot IS NOT NULL) + (SELECT count(*) FROM memory_overruled)`); n != 0 {
		t.Errorf("%d rows are as they were of old", n)
	}
}
