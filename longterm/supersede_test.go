package longterm

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

// tells has alice say something at an hour, each in a session of its own.
func (b *bench) tells(hour int, c memd.Candidate) memd.Message {
	b.Helper()
	if c.Role == "" {
		c.Role = memd.RoleUser
	}
	m := b.say(memd.Message{UserID: "alice", SessionID: fmt.Sprint("h", hour), Role: c.Role, Name: c.ActorID, Text: c.Text, CreatedAt: at(hour)})
	c.SaidAt, c.Sources = at(hour), []int64{m[0].ID}
	b.consolidate(Learned{Messages: m, Candidates: []memd.Candidate{c}, Vectors: [][]float32{vectorOf(c.Text)}, Model: model, Extractor: "test/1"})
	return m[0]
}

func (b *bench) current() []string { return texts(b.list(ListQuery{Scope: user("alice")})) }

func (b *bench) named(text string) memd.Memory {
	b.Helper()
	all := b.list(ListQuery{Scope: user("alice"), IncludeSuperseded: true, Filters: filter(b.TB.(*testing.T), `{"memory":`+encode(b, text)+`}`)})
	if len(all) != 1 {
		b.Fatalf("%d memories of %q", len(all), text)
	}
	return all[0]
}

// Of two statements that contradict each other the later holds, the earlier one is kept
// with what took its place and when; there is never neither.
func TestContradiction(t *testing.T) {
	for name, order := range map[string][]int{"as said": {0, 1}, "the other way round": {1, 0}} {
		t.Run(name, func(t *testing.T) {
			b := newStore(t)
			love := memd.Candidate{Text: "I love coriander", Slot: "taste:coriander"}
			hate := memd.Candidate{Text: "I can't stand coriander", Slot: "taste:coriander", Negated: true}
			for _, i := range order {
				b.tells(i, []memd.Candidate{love, hate}[i])
			}
			same(t, b.current(), []string{hate.Text})
			same(t, found(b.search(ask("coriander", user("alice")))), []string{hate.Text})
			was, is := b.named(love.Text), b.named(hate.Text)
			if was.SupersededBy == nil || *was.SupersededBy != is.ID || !was.ValidTo.Equal(at(1)) {
				t.Fatalf("%+v", was)
			}
			h := b.history(was.ID)
			if last := h[len(h)-1]; last.Event != EventUpdate || last.Reason != reasonSuperseded || last.By != "test/1" {
				t.Fatalf("%+v", h)
			}
			moment := at(0)
			same(t, texts(b.list(ListQuery{Scope: user("alice"), AsOf: &moment})), []string{love.Text})
			q := ask("coriander", user("alice"))
			q.IncludeSuperseded = true
			sameSet(t, found(b.search(q)), []string{love.Text, hate.Text})
			b.tells(2, memd.Candidate{Text: "Coriander is my friend again", Slot: "taste:coriander"})
			same(t, b.current(), []string{"Coriander is my friend again"})
			b.checkCounters()
		})
	}
}

func TestDietHasOneAnswer(t *testing.T) {
	b := newStore(t)
	b.tells(0, memd.Candidate{Text: "I am vegetarian", Slot: "diet", Value: "vegetarian"})
	last := b.tells(1, memd.Candidate{Text: "I eat anything now", Slot: "diet", Value: "anything"})
	same(t, b.current(), []string{"I eat anything now"})
	events, err := b.EventsOf(t.Context(), tenant, []int64{last.ID})
	if err != nil || len(events) != 2 {
		t.Fatalf("%+v, %v", events, err)
	}
	got := []string{events[0].Event + " " + events[0].Memory, events[1].Event + " " + events[1].Memory}
	sameSet(t, got, []string{"ADD I eat anything now", "UPDATE I am vegetarian"})
}

// Nothing ends anything but what is about the same slot of the same subject, said by the
// same speaker within the same identity.
func TestWhatIsUnrelatedEndsNothing(t *testing.T) {
	b := newStore(t)
	all := []memd.Candidate{
		{Text: "I work at Northwind as manager", Slot: "work", Value: "Northwind"},
		{Text: "I administer Northwind's repository", Slot: "project:repository", Value: "administrator"},
		{Text: "I administer the wiki"},
		{Text: "My sister works at Contoso", Slot: "work", Subject: "sister", Value: "Contoso"},
		{Text: "My brother works at Fabrikam", Slot: "work", Subject: "brother", Value: "Fabrikam"},
		{Text: "I work at Litware", Slot: "work", Value: "Litware", ActorID: "bob"},
		{Text: "I work for you", Slot: "work", Value: "you", Role: memd.RoleAssistant},
		{Text: "Northwind is my employer", Slot: "work", Value: "northwind."},
		{Text: "I don't work at Contoso", Slot: "work", Value: "Contoso", Negated: true},
		{Text: "I work hard", Slot: "work"},
	}
	var want []string
	for i, c := range all {
		b.tells(i, c)
		want = append(want, c.Text)
	}
	b.verbatim("alice", "I work at Adventure Works")
	b.learn(memd.Message{UserID: "bob", SessionID: "s", Text: "I work at Wingtip"})
	sameSet(t, b.current(), append(want, "I work at Adventure Works"))
	b.checkCounters()
}

func TestAnEndingEndsWhatItDenies(t *testing.T) {
	b := newStore(t)
	b.tells(0, memd.Candidate{Text: "I eat fish", Slot: "diet", Value: "fish"})
	b.tells(1, memd.Candidate{Text: "I no longer eat meat", Slot: "diet", Value: "meat", Negated: true})
	sameSet(t, b.current(), []string{"I eat fish", "I no longer eat meat"})
	b.tells(2, memd.Candidate{Text: "I no longer eat fish", Slot: "diet", Value: "fish", Negated: true})
	sameSet(t, b.current(), []string{"I no longer eat meat", "I no longer eat fish"})
	b.tells(3, memd.Candidate{Text: "I eat meat again", Slot: "diet", Value: "Meat"})
	sameSet(t, b.current(), []string{"I no longer eat fish", "I eat meat again"})
	b.tells(4, memd.Candidate{Text: "I eat nothing at all", Slot: "diet", Negated: true})
	sameSet(t, b.current(), []string{"I no longer eat fish", "I eat nothing at all"})
	b.tells(5, memd.Candidate{Text: "I eat bread", Slot: "diet", Value: "bread"})
	sameSet(t, b.current(), []string{"I no longer eat fish", "I eat bread"})
}

// What held, ended and held again is two memories, whichever comes to be known last; once
// what came between is taken back it is one.
func TestTwoTimesOfOneFact(t *testing.T) {
	says := []memd.Candidate{
		{Text: "I live in Lisbon", Slot: "home", Value: "Lisbon"}, {Text: "I live in Porto", Slot: "home", Value: "Porto"}, {Text: "I live in Lisbon!", Slot: "home", Value: "Lisbon"},
	}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}, {1, 0, 2}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			b := newStore(t)
			said := make([]memd.Message, 3)
			for _, i := range order {
				said[i] = b.tells(i, says[i])
			}
			porto, first, second := b.named("I live in Porto"), b.named("I live in Lisbon"), b.named("I live in Lisbon!")
			same(t, first.Sources, []int64{said[0].ID})
			same(t, second.Sources, []int64{said[2].ID})
			if *first.SupersededBy != porto.ID || !first.ValidTo.Equal(at(1)) || *porto.SupersededBy != second.ID || !porto.ValidTo.Equal(at(2)) || second.ValidTo != nil {
				t.Fatalf("%+v\n%+v\n%+v", first, porto, second)
			}
			b.withdraw(said[1].ID)
			m := b.named("I live in Lisbon")
			same(t, m.Sources, slices.Sorted(slices.Values([]int64{said[0].ID, said[2].ID})))
			if m.ValidTo != nil || m.ID != second.ID || !m.ValidFrom.Equal(at(0)) {
				t.Fatalf("%+v", m)
			}
			same(t, b.current(), []string{"I live in Lisbon"})
			b.checkCounters()
		})
	}
}

// What a message ended is there again once the message is taken back.
func TestWithdrawnMessageEndedNothing(t *testing.T) {
	b := newStore(t)
	b.tells(0, memd.Candidate{Text: "I live in Paris", Slot: "home", Value: "Paris"})
	no := b.tells(1, memd.Candidate{Text: "I don't live in Paris", Slot: "home", Value: "Paris", Negated: true})
	b.withdraw(no.ID)
	same(t, b.current(), []string{"I live in Paris"})
	same(t, found(b.search(ask("Paris", user("alice")))), []string{"I live in Paris"})
}

// To forget by run is as if nothing had been said there.
func TestForgetARunFoldsAnew(t *testing.T) {
	b := newStore(t)
	b.tells(0, memd.Candidate{Text: "I live in Paris", Slot: "home", Value: "Paris"})
	b.tells(1, memd.Candidate{Text: "I live in Rome", Slot: "home", Value: "Rome"})
	b.tells(2, memd.Candidate{Text: "I live in Paris!", Slot: "home", Value: "Paris"})
	b.tells(3, memd.Candidate{Text: "I live in Bonn", Slot: "home", Value: "Bonn"})
	b.forget(Forgetting{Scope: memd.Scope{UserID: "alice", RunID: "h3"}})
	same(t, b.current(), []string{"I live in Paris!"})
	b.forget(Forgetting{Scope: memd.Scope{RunID: "h2"}})
	same(t, b.current(), []string{"I live in Rome"})
	b.checkCounters()
}

func TestAskedToBeForgotten(t *testing.T) {
	b := newStore(t)
	paris := b.tells(1, memd.Candidate{Text: "I live in Paris", Slot: "home", Value: "Paris"})
	b.tells(2, memd.Candidate{Text: "I live in Rome", Slot: "home", Value: "Rome"})
	b.tells(2, memd.Candidate{Text: "You live in Rome", Slot: "home", Value: "Rome", Role: memd.RoleAssistant})
	b.tells(2, memd.Candidate{Text: "My sister lives in Rome", Slot: "home", Subject: "sister", Value: "Rome"})
	b.tells(2, memd.Candidate{Text: "I like tea"})
	rome := b.named("I live in Rome")
	asked := b.tells(3, memd.Candidate{Text: "that I live in Rome", Slot: "home", Value: "rome", Forget: true})
	sameSet(t, b.current(), []string{"My sister lives in Rome", "I like tea"})
	h := b.history(rome.ID)
	if last := h[len(h)-1]; last.Event != EventDelete || last.Reason != reasonForgotten || *last.PreviousMemory != "I live in Rome" {
		t.Fatalf("%+v", h)
	}
	events, err := b.EventsOf(t.Context(), tenant, []int64{asked.ID})
	if err != nil || len(events) != 2 || events[0].Event != EventDelete || *events[0].PreviousMemory == "" {
		t.Fatalf("%+v, %v", events, err)
	}
	// That it was no longer Paris was said.
	if m := b.named("I live in Paris"); m.ValidTo == nil || m.SupersededBy != nil {
		t.Fatalf("%+v", m)
	}
	// What comes to be known later and was said before is not remembered, what is said later is.
	b.tells(0, memd.Candidate{Text: "I live in Rome", Slot: "home", Value: "Rome"})
	b.tells(3, memd.Candidate{Text: "I LIKE TEA.", Forget: true})
	same(t, b.current(), []string{"My sister lives in Rome"})
	b.tells(4, memd.Candidate{Text: "I live in Rome", Slot: "home", Value: "Rome"})
	b.tells(4, memd.Candidate{Text: "I like tea"})
	sameSet(t, b.current(), []string{"My sister lives in Rome", "I live in Rome", "I like tea"})
	// An assistant asks only for what it said itself.
	b.tells(5, memd.Candidate{Text: "where I live", Slot: "home", Role: memd.RoleAssistant, Forget: true})
	sameSet(t, b.current(), []string{"My sister lives in Rome", "I live in Rome", "I like tea"})
	b.checkCounters()

	// What was asked for is not any more once its message is taken back.
	b.withdraw(asked.ID)
	sameSet(t, b.current(), []string{"My sister lives in Rome", "I live in Rome", "I like tea"})
	all := b.list(ListQuery{Scope: user("alice"), IncludeSuperseded: true, Filters: filter(t, `{"memory":"I live in Rome"}`)})
	if len(all) != 2 || len(all[0].Sources)+len(all[1].Sources) != 3 {
		t.Fatalf("%+v", all)
	}
	b.withdraw(paris.ID)
	if m := b.named("I live in Rome"); len(m.Sources) != 3 {
		t.Fatalf("%+v", m)
	}
	b.checkCounters()
}

func TestForgettingIsUndone(t *testing.T) {
	b := newStore(t)
	b.tells(0, memd.Candidate{Text: "I live in Rome", Slot: "home", Value: "Rome"})
	id := b.named("I live in Rome").ID
	asked := []memd.Candidate{{Text: "where I live", Slot: "home", Forget: true}}
	said := b.tells(1, asked[0])
	same(t, b.current(), nil)
	b.undo(id)
	b.consolidate(Learned{Messages: []memd.Message{said}, Extractor: "test/1", Candidates: []memd.Candidate{{Text: "where I live", Slot: "home", Forget: true, Role: memd.RoleUser, SaidAt: at(1), Sources: []int64{said.ID}}}})
	same(t, b.current(), []string{"I live in Rome"})
	h := b.history(id)
	if last := h[len(h)-1]; last.Event != EventAdd || last.Reason != "undone: asked to be forgotten" {
		t.Fatalf("%+v", h)
	}
	b.tells(2, asked[0])
	same(t, b.current(), nil)
	b.checkCounters()
}

// What has expired holds no more, and what it took the place of stays ended.
func TestExpiredStillEnds(t *testing.T) {
	b := newStore(t)
	b.tells(0, memd.Candidate{Text: "I live in Paris", Slot: "home", Value: "Paris"})
	b.tells(1, memd.Candidate{Text: "I live in Rome", Slot: "home", Value: "Rome"})
	b.exec(`UPDATE memory SET expires_at = now() WHERE memory = 'I live in Rome'`)
	for range 2 {
		b.tells(-1, memd.Candidate{Text: "I live in Bonn", Slot: "home", Value: "Bonn"})
		same(t, b.current(), nil)
		if n, err := b.Sweep(t.Context(), 10); err != nil || n > 1 {
			t.Fatal(n, err)
		}
		b.checkCounters()
	}
	b.tells(2, memd.Candidate{Text: "I live in Rome", Slot: "home", Value: "Rome"})
	same(t, b.current(), []string{"I live in Rome"})
}

// A message that says several things says them in order.
func TestSeveralThingsInOneMessage(t *testing.T) {
	b := newStore(t)
	m := b.say(memd.Message{UserID: "alice", SessionID: "s", Text: "I live in Lisbon. No, Porto. No, Lisbon!", CreatedAt: monday})
	l := Learned{Messages: m, Extractor: "test/1"}
	for i, value := range []string{"Lisbon", "Porto", "Lisbon"} {
		l.Candidates = append(l.Candidates, memd.Candidate{Text: "I live in " + value, Slot: "home", Value: value, Role: memd.RoleUser, SaidAt: monday, Sources: []int64{m[0].ID}, Position: i})
	}
	slices.Reverse(l.Candidates)
	for range 2 {
		b.consolidate(l)
		same(t, b.current(), []string{"I live in Lisbon"})
		// That Lisbon held for no time before it held is nothing of its own.
		if n := query[int](b, `SELECT count(*) FROM memory`); n != 2 {
			t.Fatalf("%d memories", n)
		}
	}
	b.withdraw(m[0].ID)
	if n := query[int](b, `SELECT (SELECT count(*) FROM memory) + (SELECT count(*) FROM memory_mention)`); n != 0 {
		t.Fatalf("%d rows are left", n)
	}
}

// Sessions of one person that are consolidated at once come out as if one by one.
func TestUpdatesAtOnce(t *testing.T) {
	b := newStore(t)
	places := []string{"Lisbon", "Porto", "Rome"}
	var learned []Learned
	var all []said
	for i := range 12 {
		value := places[i%3]
		m := b.say(memd.Message{UserID: "alice", SessionID: fmt.Sprintf("s%02d", i), Text: "I live in " + value, CreatedAt: at(i)})
		learned = append(learned, about(m, "home", value))
		all = append(all, said{text: "I live in " + value, slot: "home", value: value, role: memd.RoleUser, session: i, hour: i, asked: -1})
	}
	var wg sync.WaitGroup
	errs := make([]error, 2*len(learned))
	for i := range errs {
		wg.Go(func() {
			errs[i] = b.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error { return b.Consolidate(t.Context(), tx, tenant, learned[i%len(learned)]) })
		})
	}
	wg.Wait()
	place := map[int64]string{}
	for i, l := range learned {
		place[l.Messages[0].ID] = all[i].place()
	}
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got, want := b.told("alice", place), tell(rules(all)); got != want {
		t.Fatalf("there is\n%s\nthere must be\n%s", got, want)
	}
	b.checkCounters()
}

func TestRelations(t *testing.T) {
	b := newStore(t)
	b.tells(0, memd.Candidate{Text: "I live in Lisbon", Slot: "home", Value: "Lisbon"})
	b.tells(1, memd.Candidate{Text: "My favorite color is blue", Slot: "favorite:color", Value: "blue"})
	b.tells(2, memd.Candidate{Text: "I love coriander", Slot: "taste:coriander"})
	b.tells(3, memd.Candidate{Text: "I hate dill", Slot: "taste:dill", Negated: true})
	b.tells(4, memd.Candidate{Text: "My sister is called Anna", Slot: "sister", Value: "Anna"})
	b.tells(5, memd.Candidate{Text: "Anna lives in Lisbon", Slot: "home", Subject: "anna", Value: "lisbon"})
	b.tells(6, memd.Candidate{Text: "I live in Oslo", Slot: "home", Value: "Oslo", ActorID: "bob"})
	b.tells(7, memd.Candidate{Text: "Tea is good"})
	var ids []string
	for _, text := range []string{"I live in Lisbon", "My favorite color is blue", "I love coriander", "I hate dill", "My sister is called Anna", "Anna lives in Lisbon", "I live in Oslo", "Tea is good"} {
		ids = append(ids, b.named(text).ID)
	}
	relations, err := b.Relations(t.Context(), tenant, append(ids, "nonsense"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, relations, []memd.Relation{
		{Source: "user", Relationship: "home", Target: "Lisbon", MemoryID: ids[0]}, {Source: "user", Relationship: "favorite_color", Target: "blue", MemoryID: ids[1]},
		{Source: "user", Relationship: "taste", Target: "coriander", MemoryID: ids[2]}, {Source: "user", Relationship: "sister", Target: "Anna", MemoryID: ids[4]},
		{Source: "anna", Relationship: "home", Target: "lisbon", MemoryID: ids[5]}, {Source: "bob", Relationship: "home", Target: "Oslo", MemoryID: ids[6]},
	})
	if relations, err := b.Relations(t.Context(), "other", ids); err != nil || len(relations) != 0 {
		t.Fatalf("%+v, %v", relations, err)
	}

	memories, relations, err := b.Related(t.Context(), tenant, Ref{ID: ids[5]}, 10)
	if err != nil {
		t.Fatal(err)
	}
	same(t, texts(memories), []string{"My sister is called Anna", "I live in Lisbon"})
	if len(relations) != 3 || relations[0].MemoryID != ids[5] || relations[1].MemoryID != ids[4] {
		t.Fatalf("%+v", relations)
	}
	memories, _, err = b.Related(t.Context(), tenant, Ref{ID: ids[0], Check: user("alice")}, 2)
	if err != nil {
		t.Fatal(err)
	}
	same(t, texts(memories), []string{"Anna lives in Lisbon"}) // not all that the user says of himself
	if memories, relations, err = b.Related(t.Context(), tenant, Ref{ID: ids[7]}, 10); err != nil || len(memories)+len(relations) != 0 {
		t.Fatalf("%+v, %+v, %v", memories, relations, err)
	}
	_, _, err = b.Related(t.Context(), tenant, Ref{ID: ids[0], Check: user("bob")}, 10)
	kind(t, err, memd.NotFound)
	_, _, err = b.Related(t.Context(), tenant, Ref{ID: "nonsense"}, 10)
	kind(t, err, memd.NotFound)
}

// A day later the same is said by the rules of another extractor: nothing doubles.
func TestLearnedAgainByAnother(t *testing.T) {
	b := newStore(t)
	said := b.tells(0, memd.Candidate{Text: "I live in Paris", Slot: "home", Value: "Paris"})
	b.consolidate(Learned{Messages: []memd.Message{said}, Extractor: "llm/1", Candidates: []memd.Candidate{{Text: "i live in Paris", Role: memd.RoleUser, SaidAt: at(0), Sources: []int64{said.ID}, Position: 3}}})
	m := b.named("I live in Paris")
	if m.ValidTo != nil || len(m.Sources) != 1 || time.Since(m.CreatedAt) < 0 {
		t.Fatalf("%+v", m)
	}
	b.tells(1, memd.Candidate{Text: "I live in Rome", Slot: "home", Value: "Rome"})
	same(t, b.current(), []string{"I live in Rome"})
}

// What is too long for the name of a slot is none.
func TestLongSlots(t *testing.T) {
	b := newStore(t)
	long := strings.Repeat("slot", 2000)
	b.tells(0, memd.Candidate{Text: "one", Slot: long, Subject: long, Value: long})
	b.tells(1, memd.Candidate{Text: "two", Slot: long, Subject: long, Value: "x"})
	b.tells(2, memd.Candidate{Text: "three", Slot: "x", Subject: long, Value: long})
	b.tells(3, memd.Candidate{Text: "four", Slot: "x", Subject: long, Value: "x"})
	sameSet(t, b.current(), []string{"one", "two", "four"})
}
