package longterm

import (
	"testing"

	"github.com/memdhq/memd"
)

// What is said again with a smile, a lead-in or in another spelling is the same; it stands
// in the words in which it was said first, and is found by these.
func TestTheSameInOtherDress(t *testing.T) {
	b := newStore(t)
	b.tellAll(2, memd.Candidate{Text: "I love the colour teal 😊"}, memd.Candidate{Text: "As I said before, I love the color teal."}, memd.Candidate{Text: "I love the color teal at 6"})
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"I love the colour teal 😊", "I love the color teal at 6"})
	b.checkCounters()
	// Said earlier, and learned later.
	b.tellAll(0, memd.Candidate{Text: "By the way, I love the color teal"})
	ms := b.list(ListQuery{Scope: user("alice"), Filters: filter(t, `{"memory":"By the way, I love the color teal"}`)})
	if len(ms) != 1 || len(ms[0].Sources) != 3 || !ms[0].ValidFrom.Equal(at(0)) {
		t.Fatalf("%+v", ms)
	}
	b.checkCounters()
	same(t, found(b.search(Query{Scope: user("alice"), Text: "color way", Mode: ModeLexical, Limit: 1})), []string{"By the way, I love the color teal"})
	if hits := b.search(Query{Scope: user("alice"), Text: "i love the colour teal", Mode: ModeLexical}); hits[0].Memory.ID != ms[0].ID || hits[0].Score != 1 {
		t.Fatalf("%+v", hits[0])
	}
}

// The same value in another spelling ends nothing.
func TestAValueInAnotherSpelling(t *testing.T) {
	b := newStore(t)
	b.tellAll(0, memd.Candidate{Text: "I meet people at the theatre", Slot: "haunt", Value: "theatre"}, memd.Candidate{Text: "The theater is my haunt", Slot: "haunt", Value: "the theater"},
		memd.Candidate{Text: "My haunt is the theater 😊", Slot: "haunt", Value: "theater 😊"})
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice"), IncludeSuperseded: true})), []string{"I meet people at the theatre", "The theater is my haunt", "My haunt is the theater 😊"})
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"My haunt is the theater 😊"})
}

// asBefore gives all that is stored the hashes that it had before texts were compared as
// they are now.
func (b *bench) asBefore(all ...string) {
	b.Helper()
	for _, text := range all {
		for _, table := range []string{"memory", "memory_mention", "memory_history"} {
			b.exec("UPDATE "+table+" SET hash = $2 WHERE hash = $1", hashOf(text), formerHash(text))
		}
		for _, table := range []string{"memory_forgotten", "memory_retained", "memory_overruled"} {
			b.exec("UPDATE "+table+" SET hash = $2 WHERE hash = $1", hashOf(text), formerHash(text))
		}
	}
}

func TestWhatWasStoredUnderFormerHashes(t *testing.T) {
	const dressed = "As I said, I love coffee 😊"
	hashOfMemory := func(b *bench) string { return query[string](b, `SELECT string_agg(hash, ' ') FROM memory`) }
	t.Run("said again", func(t *testing.T) {
		b := newStore(t)
		l := whole(b.tellAll(1, memd.Candidate{Text: dressed}))
		b.asBefore(dressed)
		id := b.list(ListQuery{Scope: user("alice")})[0].ID
		b.consolidate(l)
		b.tellAll(2, memd.Candidate{Text: dressed + "!"})
		ms := b.list(ListQuery{Scope: user("alice")})
		if len(ms) != 1 || len(ms[0].Sources) != 2 || ms[0].ID != id || hashOfMemory(b) != hashOf(dressed) {
			t.Fatalf("%+v", ms)
		}
		if n := query[int](b, `SELECT count(*) FROM memory_mention WHERE hash = $1`, hashOf(dressed)); n != 2 {
			t.Fatalf("%d mentions have the hash", n)
		}
		// From then on it is found by the same without the dress.
		b.tellAll(3, memd.Candidate{Text: "I love coffee"})
		if ms := b.list(ListQuery{Scope: user("alice")}); len(ms) != 1 || len(ms[0].Sources) != 3 {
			t.Fatalf("%+v", ms)
		}
		b.checkCounters()
	})
	t.Run("two that are one now", func(t *testing.T) {
		b := newStore(t)
		l := whole(b.tellAll(1, memd.Candidate{Text: dressed}))
		b.asBefore(dressed)
		b.tellAll(2, memd.Candidate{Text: "I love coffee"})
		sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{dressed, "I love coffee"})
		b.consolidate(l)
		b.consolidate(l)
		ms := b.list(ListQuery{Scope: user("alice")})
		if len(ms) != 1 || len(ms[0].Sources) != 2 || ms[0].Memory != dressed || !ms[0].ValidFrom.Equal(at(1)) {
			t.Fatalf("%+v", ms)
		}
		if n := query[int](b, `SELECT count(*) FROM memory_history WHERE event = 'DELETE' AND reason = $1`, reasonJoined); n != 1 {
			t.Fatalf("%d are one with another", n)
		}
		b.checkCounters()
	})
	t.Run("twice from one message", func(t *testing.T) {
		b := newStore(t)
		l := whole(b.tellAll(1, memd.Candidate{Text: dressed}))
		b.asBefore(dressed)
		l.Candidates[0].Text = "I love coffee" // by another extractor
		b.consolidate(l)
		l.Candidates[0].Text = dressed
		b.consolidate(l)
		if ms := b.list(ListQuery{Scope: user("alice")}); len(ms) != 1 || len(ms[0].Sources) != 1 {
			t.Fatalf("%+v", ms)
		}
		if n := query[int](b, `SELECT count(*) FROM memory_mention`); n != 1 {
			t.Fatalf("%d mentions", n)
		}
		b.checkCounters()
	})
	t.Run("of a slot", func(t *testing.T) {
		b := newStore(t)
		home := memd.Candidate{Text: "As I said, I live in Porto 😊", Slot: "home", Value: "Porto"}
		b.tellAll(1, home)
		b.asBefore(home.Text)
		home.Text = "I live in Porto"
		b.tellAll(2, home)
		if ms := b.list(ListQuery{Scope: user("alice")}); len(ms) != 1 || len(ms[0].Sources) != 2 {
			t.Fatalf("%+v", ms)
		}
		b.checkCounters()
	})
	t.Run("forgotten", func(t *testing.T) {
		b := newStore(t)
		b.tellAll(5, memd.Candidate{Text: dressed, Forget: true})
		b.asBefore(dressed)
		b.tellAll(1, memd.Candidate{Text: dressed})
		same(t, texts(b.list(ListQuery{Scope: user("alice")})), nil)
		b.tellAll(6, memd.Candidate{Text: dressed})
		same(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{dressed})
	})
	t.Run("deleted, and undone", func(t *testing.T) {
		b := newStore(t)
		l := whole(b.tellAll(1, memd.Candidate{Text: dressed}))
		b.asBefore(dressed)
		id := b.list(ListQuery{Scope: user("alice")})[0].ID
		if err := b.Delete(t.Context(), tenant, id, memd.Scope{}, "api"); err != nil {
			t.Fatal(err)
		}
		b.asBefore(dressed)
		b.consolidate(l)
		same(t, texts(b.list(ListQuery{Scope: user("alice")})), nil)
		b.undo(id)
		b.consolidate(l)
		same(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{dressed})
		b.checkCounters()
	})
	t.Run("forgotten, and undone", func(t *testing.T) {
		b := newStore(t)
		l := whole(b.tellAll(1, memd.Candidate{Text: dressed}))
		id := b.list(ListQuery{Scope: user("alice")})[0].ID
		b.tellAll(5, memd.Candidate{Text: dressed, Forget: true})
		b.asBefore(dressed)
		b.undo(id)
		b.asBefore(dressed)
		b.consolidate(l)
		same(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{dressed})
		b.checkCounters()
	})
	t.Run("stored as given", func(t *testing.T) {
		b := newStore(t)
		first := b.verbatim("alice", dressed)
		b.asBefore(dressed)
		if again := b.verbatim("alice", dressed); again[0].Event != EventNone || again[0].ID != first[0].ID {
			t.Fatalf("%+v", again)
		}
		// In other words it is another one.
		if other := b.verbatim("alice", "I love coffee"); other[0].Event != EventAdd {
			t.Fatalf("%+v", other)
		}
		if hits := b.search(Query{Scope: user("alice"), Text: dressed, Mode: ModeLexical}); len(hits) != 2 || hits[0].Score != 1 || hits[1].Score != 1 {
			t.Fatalf("%+v", hits)
		}
	})
	t.Run("edited", func(t *testing.T) {
		b := newStore(t)
		b.tellAll(1, memd.Candidate{Text: "I love tea"})
		b.edit(Edit{Text: ptr(dressed)})
		b.asBefore(dressed)
		b.tellAll(2, memd.Candidate{Text: dressed})
		ms := b.list(ListQuery{Scope: user("alice")})
		if len(ms) != 1 || len(ms[0].Sources) != 2 || ms[0].Memory != dressed {
			t.Fatalf("%+v", ms)
		}
		b.checkCounters()
	})
}
