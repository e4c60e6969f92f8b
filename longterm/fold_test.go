package longterm

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

// together has alice say things in one session, an hour apart, and gives the messages.
func (b *bench) together(session string, texts ...string) []memd.Message {
	var all []memd.Message
	for i, text := range texts {
		all = append(all, memd.Message{UserID: "alice", SessionID: session, Text: text, CreatedAt: at(i)})
	}
	return b.say(all...)
}

// states makes what messages state by the candidates, whose Sources are places among them.
func states(all []memd.Message, candidates ...memd.Candidate) Learned {
	l := Learned{Messages: all, Extractor: "test/1"}
	for _, c := range candidates {
		var sources []int64
		for _, i := range c.Sources {
			sources = append(sources, all[i].ID)
		}
		if c.Role == "" {
			c.Role = memd.RoleUser
		}
		by := c.Sources[0]
		if c.Corrects {
			by = c.Sources[len(c.Sources)-1]
		}
		c.SaidAt, c.Sources = all[by].CreatedAt, sources
		l.Candidates = append(l.Candidates, c)
	}
	return l
}

// again has only some of the messages of what was learned learned from once more.
func again(l Learned, which ...int) Learned {
	of := l
	of.Messages, of.Candidates = nil, nil
	for _, i := range which {
		of.Messages, of.Again = append(of.Messages, l.Messages[i]), append(of.Again, l.Messages[i].ID)
	}
	for _, c := range l.Candidates {
		if slices.Contains(of.Again, slices.Max(c.Sources)) {
			of.Candidates = append(of.Candidates, c)
		}
	}
	return of
}

// What is made of several messages goes with any of them, and what the others state by
// themselves is left to be learned.
func TestJointStatementsGoWithAnyOfTheirMessages(t *testing.T) {
	b := newStore(t)
	said := b.together("s", "I live in Lisbon", "I live in Madrid", "no, I meant Porto")
	l := states(said, memd.Candidate{Text: "I live in Lisbon", Slot: "home", Value: "Lisbon", Sources: []int64{0}},
		memd.Candidate{Text: "I live in Madrid", Slot: "home", Value: "Madrid", Sources: []int64{1}},
		memd.Candidate{Text: "I live in Madrid", Forget: true, Slip: true, Sources: []int64{2}},
		memd.Candidate{Text: "I live in Madrid. no, I meant Porto", Slot: "home", Value: "Porto", Sources: []int64{1, 2}, Position: 1})
	for which, want := range map[int][]string{1: {"I live in Lisbon"}, 2: {"I live in Madrid"}} {
		b.consolidate(l)
		same(t, b.current(), []string{"I live in Madrid. no, I meant Porto"})
		if m := b.named("I live in Lisbon"); !m.ValidTo.Equal(at(1)) {
			t.Fatalf("%+v", m)
		}
		n, bereft := b.bereave(said[which].ID)
		if n < 1 || !slices.Equal(bereft, []int64{said[3-which].ID}) {
			t.Fatalf("%d went, %d are left alone", n, bereft)
		}
		if which == 1 {
			b.consolidate(again(states(said, memd.Candidate{Text: "Porto is meant", Sources: []int64{2}}), 2))
			want = append(want, "Porto is meant")
		}
		sameSet(t, b.current(), want)
		if n := query[int](b, `SELECT count(*) FROM memory WHERE memory LIKE '%Madrid.%'`); n != 0 {
			t.Fatal("words of a message that is gone stay")
		}
		b.checkCounters()
		b.withdraw(said[0].ID, said[1].ID, said[2].ID)
		if n := query[int](b, `SELECT (SELECT count(*) FROM memory_mention) + (SELECT count(*) FROM memory_forgotten)`); n != 0 {
			t.Fatalf("%d rows are left", n)
		}
	}
}

// What a person rewrote stays while one of its speaker's messages is left; the words before
// are not brought back.
func TestARewrittenJointStatementStays(t *testing.T) {
	b := newStore(t)
	said := b.together("s", "My brother Tom has cancer", "He's a vet")
	b.consolidate(states(said, memd.Candidate{Text: "He's a vet (said before: My brother Tom has cancer)", Sources: []int64{0, 1}}))
	id := b.list(ListQuery{Scope: user("alice")})[0].ID
	b.edit(Edit{ID: id, Text: ptr("Tom is a vet")})
	b.withdraw(said[0].ID)
	same(t, b.current(), []string{"Tom is a vet"})
	b.nothingToUndo(id)
	b.withdraw(said[1].ID)
	same(t, b.current(), nil)
}

// Learning again from one message leaves alone what another states as well.
func TestLearnedAgainLeavesOthersStatements(t *testing.T) {
	b := newStore(t)
	said := b.together("s", "I like tea", "I like tea!", "I have a dog")
	l := states(said, memd.Candidate{Text: "I like tea", Sources: []int64{0, 1}})
	b.consolidate(l)
	b.consolidate(again(states(said, memd.Candidate{Text: "I drink tea", Sources: []int64{1}}), 1))
	sameSet(t, b.current(), []string{"I like tea", "I drink tea"})
	same(t, b.named("I like tea").Sources, []int64{said[0].ID, said[1].ID})

	// One after the other, and both at once.
	b.consolidate(again(states(said, memd.Candidate{Text: "I like tea", Sources: []int64{0}}), 0))
	b.consolidate(again(states(said, memd.Candidate{Text: "I like tea!", Sources: []int64{1}}), 1))
	same(t, b.current(), []string{"I like tea"})
	same(t, b.named("I like tea").Sources, []int64{said[0].ID, said[1].ID})
	b.consolidate(again(states(said, memd.Candidate{Text: "I like tea", Sources: []int64{0, 1}}), 0, 1))
	same(t, b.named("I like tea").Sources, []int64{said[0].ID, said[1].ID})
	b.consolidate(again(states(said, memd.Candidate{Text: "Tea is liked", Sources: []int64{0}}), 0, 1))
	same(t, b.current(), []string{"Tea is liked"})

	// A correction that is read otherwise takes the place of what it was read as.
	b.consolidate(states(said, memd.Candidate{Text: "I have a dog and like tea", Sources: []int64{1, 2}}))
	b.consolidate(again(states(said, memd.Candidate{Text: "I have a dog; I like tea", Sources: []int64{1, 2}}), 2))
	sameSet(t, b.current(), []string{"Tea is liked", "I have a dog; I like tea"})
	b.checkCounters()
}

// What a message asked to be forgotten and asks no more, learned from again, is there again.
func TestLearnedAgainWithoutTheRequest(t *testing.T) {
	b := newStore(t)
	said := b.together("s", "I like tea", "I live in Rome", "forget that I like tea")
	b.consolidate(states(said, memd.Candidate{Text: "I like tea", Sources: []int64{0}}, memd.Candidate{Text: "I live in Rome", Slot: "home", Value: "Rome", Sources: []int64{1}},
		memd.Candidate{Text: "I like tea", Forget: true, Sources: []int64{2}}))
	same(t, b.current(), []string{"I live in Rome"})
	b.consolidate(again(states(said, memd.Candidate{Text: "where I live", Slot: "home", Forget: true, Sources: []int64{2}}), 2))
	same(t, b.current(), []string{"I like tea"})
	b.consolidate(again(states(said), 2))
	sameSet(t, b.current(), []string{"I like tea", "I live in Rome"})
	b.checkCounters()
}

// A text that a person wrote has the slot and value that its words have.
func TestEditedTextsHaveTheSlotOfTheirWords(t *testing.T) {
	home := func(place string) memd.Candidate {
		return memd.Candidate{Text: "I live in " + place, Slot: "home", Value: place}
	}
	for _, read := range []bool{true, false} {
		t.Run(fmt.Sprintf("read %v", read), func(t *testing.T) {
			b := newStore(t)
			edit := func(of, text string, about *About) {
				if !read {
					about = nil
				}
				b.edit(Edit{ID: b.named(of).ID, Text: &text, About: about})
			}
			b.tells(0, home("Rome"))
			edit("I live in Rome", "I live in Oslo", &About{Slot: "home", Value: "Oslo", Categories: []string{"places"}})
			b.tells(1, home("Rome"))
			last := b.tells(2, home("Oslo"))
			all := b.list(ListQuery{Scope: user("alice")})
			if len(all) != 1 || all[0].Memory != "I live in Oslo" || !slices.Equal(all[0].Sources, []int64{last.ID}) {
				t.Fatalf("%+v", all)
			}
			b.withdraw(last.ID)
			if want := map[bool][]string{true: {"I live in Rome"}, false: {"I live in Rome", "I live in Oslo"}}; !read {
				sameSet(t, b.current(), want[read])
			} else {
				same(t, b.current(), want[read])
			}
			b.checkCounters()

			// Facts of different slots never retire each other.
			b = newStore(t)
			c := memd.Candidate{Text: "My favorite color is red", Slot: "favorite:color", Value: "red", Categories: []string{"colors"}}
			b.tells(-1, memd.Candidate{Text: "My favorite color is green", Slot: "favorite:color", Value: "green"})
			b.tells(0, c)
			edit(c.Text, "I am allergic to nuts", &About{Slot: "allergy:nuts", Categories: []string{"health"}})
			sameSet(t, b.current(), []string{"My favorite color is green", "I am allergic to nuts"})
			m := b.named("I am allergic to nuts")
			want := map[bool][]string{true: {"health"}, false: {}}[read]
			if !slices.Equal(m.Categories, want) {
				t.Errorf("categories %q", m.Categories)
			}
			relations, err := b.Relations(t.Context(), tenant, []string{m.ID})
			if err != nil || (len(relations) == 1) != read || read && relations[0].Target != "nuts" {
				t.Errorf("%+v, %v", relations, err)
			}
			b.tells(1, memd.Candidate{Text: "My favorite color is blue", Slot: "favorite:color", Value: "blue"})
			sameSet(t, b.current(), []string{"My favorite color is blue", "I am allergic to nuts"})
			b.tells(2, memd.Candidate{Text: "I am not allergic to nuts", Slot: "allergy:nuts", Negated: true})
			if want := []string{"My favorite color is blue", "I am not allergic to nuts"}; read {
				sameSet(t, b.current(), want)
			} else {
				sameSet(t, b.current(), append(want, "I am allergic to nuts"))
			}
			b.checkCounters()
			// Undone it is about its color again.
			if read { // first what ended it
				if m := b.undo(m.ID); m.Memory != "I am allergic to nuts" || m.ValidTo != nil {
					t.Errorf("%+v", m)
				}
			}
			b.undo(m.ID)
			if m := b.named(c.Text); m.ValidTo == nil || !m.ValidTo.Equal(at(1)) || !slices.Equal(m.Categories, c.Categories) {
				t.Errorf("%+v", m)
			}
			b.checkCounters()
		})
	}
}

// Who has a name asks for what he said himself to be forgotten, who has none also for what
// an assistant said of him.
func TestRequestsReachTheirSpeakers(t *testing.T) {
	b := newStore(t)
	lives := func(name string, role memd.Role) memd.Candidate {
		return memd.Candidate{Text: "I live in Rome", Slot: "home", Value: "Rome", ActorID: name, Role: role}
	}
	asks := lives("Bob", memd.RoleUser)
	asks.Forget = true
	for i, c := range []memd.Candidate{lives("Ana", ""), lives("Bob", ""), lives("", ""), lives("", memd.RoleAssistant), lives("bob", "")} {
		b.tells(i, c)
	}
	who := func() (all []string) {
		for _, m := range b.list(ListQuery{Scope: user("alice")}) {
			actor := ""
			if m.ActorID != nil {
				actor = *m.ActorID
			}
			all = append(all, m.Role+" "+actor)
		}
		return all
	}
	b.tells(6, asks)
	sameSet(t, who(), []string{"user Ana", "user ", "assistant ", "user bob"})
	asks.ActorID = ""
	b.tells(7, asks)
	sameSet(t, who(), []string{"user Ana", "user bob"})
	// What an assistant got wrong anybody may correct.
	b.tells(8, memd.Candidate{Text: "You eat no fish", Role: memd.RoleAssistant})
	b.tells(9, memd.Candidate{Text: "You eat no fish", ActorID: "Ana", Forget: true})
	sameSet(t, who(), []string{"user Ana", "user bob", "assistant "})
	b.tells(10, memd.Candidate{Text: "You eat no fish", ActorID: "Ana", Forget: true, Slip: true})
	sameSet(t, who(), []string{"user Ana", "user bob"})
}

// A slip of the tongue ended nothing; what is asked to be forgotten ended what it ended.
func TestSlipsEndNothing(t *testing.T) {
	for name, c := range map[string]struct{ truth, slip, right memd.Candidate }{
		"a denial": {memd.Candidate{Text: "I'm allergic to nuts", Slot: "allergy:nuts"}, memd.Candidate{Text: "I'm not allergic to nuts", Slot: "allergy:nuts", Negated: true},
			memd.Candidate{Text: "I'm not allergic to nuts. sorry, I meant milk", Slot: "allergy:milk", Negated: true}},
		"an end":   {memd.Candidate{Text: "I live in Lisbon", Slot: "home", Value: "Lisbon"}, memd.Candidate{Text: "I no longer live in Lisbon", Slot: "home", Value: "Lisbon", Negated: true}, memd.Candidate{Text: "I no longer live in Porto", Slot: "home", Value: "Porto", Negated: true}},
		"a change": {memd.Candidate{Text: "I live in Lisbon", Slot: "home", Value: "Lisbon"}, memd.Candidate{Text: "I moved to Madrid", Slot: "home", Value: "Madrid"}, memd.Candidate{Text: "My office moved to Madrid"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newStore(t)
			said := b.together("s2", "slip", "correction")
			c.slip.Sources, c.right.Sources = []int64{0}, []int64{0, 1}
			c.right.Position = 1
			takes := memd.Candidate{Text: c.slip.Text, Forget: true, Slip: true, Sources: []int64{1}}
			b.tells(-1, c.truth)
			l := states(said, c.slip, takes, c.right)
			first := again(l, 0)
			first.Again = nil
			b.consolidate(first)
			if m := b.named(c.truth.Text); m.ValidTo == nil {
				t.Fatalf("%+v", m)
			}
			b.consolidate(l)
			sameSet(t, b.current(), []string{c.truth.Text, c.right.Text})
			if m := b.named(c.slip.Text); m.ValidTo == nil || !m.ValidTo.Equal(said[1].CreatedAt) {
				t.Fatalf("%+v", m)
			}
			// Asked for, not corrected: it did end.
			takes.Slip = false
			b.consolidate(again(states(said, takes, c.right), 1))
			if m := b.named(c.truth.Text); m.ValidTo == nil || m.SupersededBy != nil {
				t.Fatalf("%+v", m)
			}
			b.checkCounters()
		})
	}
}

// What was said by mistake stood until it was put right, and what is right is said then.
func TestACorrectionIsKept(t *testing.T) {
	b := newStore(t)
	said := b.together("s", "I live in Lisbon", "no, I meant Porto", "argh no, Faro")
	home := func(value string, sources ...int64) memd.Candidate {
		return memd.Candidate{Text: "I live in " + value, Slot: "home", Value: value, Corrects: len(sources) > 1, Position: 1, Sources: sources}
	}
	slip := func(value string, source int64) memd.Candidate {
		return memd.Candidate{Text: "I live in " + value, Forget: true, Slip: true, Sources: []int64{source}}
	}
	lisbon, porto, faro := home("Lisbon", 0), home("Porto", 0, 1), home("Faro", 0, 2)
	b.consolidate(again(states(said, lisbon), 0))
	id := b.named("I live in Lisbon").ID
	b.consolidate(states(said[:2], slip("Lisbon", 1), porto))
	b.consolidate(states(said, slip("Porto", 2), faro))
	b.consolidate(states(said, lisbon, slip("Lisbon", 1), porto, slip("Porto", 2), faro)) // nothing new
	same(t, b.current(), []string{"I live in Faro"})
	for i, text := range []string{"I live in Lisbon", "I live in Porto", "I live in Faro"} {
		m := b.named(text)
		if !m.ValidFrom.Equal(at(i)) {
			t.Errorf("%s since %v", text, m.ValidFrom)
		}
		now := at(i).Add(time.Minute)
		same(t, texts(b.list(ListQuery{Scope: user("alice"), AsOf: &now})), []string{text})
		if i < 2 && (m.ValidTo == nil || !m.ValidTo.Equal(at(i+1)) || m.SupersededBy == nil) {
			t.Errorf("%+v", m)
		}
	}
	if m := b.named("I live in Lisbon"); m.ID != id || *m.SupersededBy != b.named("I live in Porto").ID {
		t.Errorf("%+v", m)
	}
	var told []string
	for _, h := range b.history(id) {
		told = append(told, string(h.Event)+" "+h.Reason)
	}
	same(t, told, []string{"ADD said", "UPDATE corrected"})

	// A person may know better, and what is said again is one with what was put right.
	b.tells(9, memd.Candidate{Text: "I live in Faro", Slot: "home", Value: "Faro"})
	same(t, b.current(), []string{"I live in Faro"})
	b.undo(id)
	sameSet(t, b.current(), []string{"I live in Lisbon", "I live in Faro"})
	b.checkCounters()
}

// A slip is what was said in the same session, not what was said in the same words before.
func TestASlipIsOfItsSession(t *testing.T) {
	b := newStore(t)
	madrid := memd.Candidate{Text: "I live in Madrid", Slot: "home", Value: "Madrid"}
	b.tells(-2, madrid)
	b.tells(-1, memd.Candidate{Text: "I live in Rome", Slot: "home", Value: "Rome"})
	said := b.together("s", "I live in Madrid", "no, Porto")
	madrid.Sources = []int64{0}
	b.consolidate(states(said, madrid, memd.Candidate{Text: madrid.Text, Forget: true, Slip: true, Sources: []int64{1}}))
	same(t, b.current(), []string{"I live in Rome"})
	var until []time.Time
	for _, m := range b.list(ListQuery{Scope: user("alice"), IncludeSuperseded: true}) {
		if m.Memory == madrid.Text && len(m.Sources) == 1 {
			until = append(until, *m.ValidTo)
		}
	}
	slices.SortFunc(until, time.Time.Compare)
	if len(until) != 2 || !until[0].Equal(at(-1)) || !until[1].Equal(said[1].CreatedAt) {
		t.Fatalf("%v", until)
	}
	// Without one there it is what was said elsewhere.
	b.tells(3, memd.Candidate{Text: "I live in Rome", Forget: true, Slip: true})
	same(t, b.current(), []string{"I live in Madrid"})
	b.checkCounters()
}

// "forget that I hate tea" is not about the love that was before.
func TestARequestMeansItsPolarity(t *testing.T) {
	love, hate := memd.Candidate{Text: "I love tea", Slot: "taste:tea"}, memd.Candidate{Text: "I hate tea", Slot: "taste:tea", Negated: true}
	for _, c := range []struct {
		asks memd.Candidate
		left []string
	}{
		{hate, []string{"I love tea"}}, {love, []string{"I hate tea"}},
		{memd.Candidate{Text: "that I can't stand tea", Slot: "taste:tea", Negated: true}, []string{"I love tea"}},
		{memd.Candidate{Text: "what I think of tea", Slot: "taste:tea"}, nil},
	} {
		b := newStore(t)
		b.tells(0, love)
		b.tells(1, hate)
		c.asks.Forget = true
		b.tells(2, c.asks)
		same(t, texts(b.list(ListQuery{Scope: user("alice"), IncludeSuperseded: true})), c.left)
		b.checkCounters()
	}
}

// What a person took away does not come back in other words; the rest of its message does.
func TestOverruledInOtherWords(t *testing.T) {
	for _, rewritten := range []bool{false, true} {
		b := newStore(t)
		said := b.together("s", "I like tea and my brother lives in Rome and my sister does")
		first := states(said, memd.Candidate{Text: "I like tea", Sources: []int64{0}}, memd.Candidate{Text: "My brother lives in Rome", Sources: []int64{0}, Position: 1}, memd.Candidate{Text: "My sister lives in Rome", Sources: []int64{0}, Position: 2})
		b.consolidate(first)
		overrule := func(text, by string) {
			id := b.named(text).ID
			if rewritten {
				b.edit(Edit{ID: id, Text: &by})
			} else if err := b.Delete(t.Context(), tenant, id, memd.Scope{}, "api"); err != nil {
				t.Fatal(err)
			}
		}
		left := func(all ...string) []string {
			if rewritten {
				all = append(all, "edited")
			}
			return all
		}
		overrule("My brother lives in Rome", "edited")
		b.consolidate(again(first, 0))
		sameSet(t, b.current(), left("I like tea", "My sister lives in Rome"))
		other := states(said, memd.Candidate{Text: "The user enjoys tea", Sources: []int64{0}}, memd.Candidate{Text: "The brother's home is Rome", Sources: []int64{0}, Position: 1},
			memd.Candidate{Text: "The user's sister lives in Rome", Sources: []int64{0}, Position: 2}, memd.Candidate{Text: "The user plays chess", Sources: []int64{0}, Position: 3})
		b.consolidate(again(other, 0))
		sameSet(t, b.current(), left("The user enjoys tea", "The user's sister lives in Rome", "The user plays chess"))
		// Once nothing else of the message is left, nothing more comes of it.
		for _, text := range []string{"The user enjoys tea", "The user's sister lives in Rome", "The user plays chess"} {
			if err := b.Delete(t.Context(), tenant, b.named(text).ID, memd.Scope{}, "api"); err != nil {
				t.Fatal(err)
			}
		}
		b.consolidate(again(states(said, memd.Candidate{Text: "Something else", Sources: []int64{0}}), 0))
		sameSet(t, b.current(), append(left(), map[bool][]string{true: {"Something else"}}[rewritten]...))
		b.checkCounters()
	}
}

// An only memory that was deleted takes all of its message with it, until that is undone.
func TestOverruledAlone(t *testing.T) {
	b := newStore(t)
	said := b.together("s", "I like tea")
	l := states(said, memd.Candidate{Text: "I like tea", Sources: []int64{0}})
	b.consolidate(l)
	id := b.named("I like tea").ID
	if err := b.Delete(t.Context(), tenant, id, memd.Scope{}, "api"); err != nil {
		t.Fatal(err)
	}
	other := again(states(said, memd.Candidate{Text: "The user is fond of a hot drink", Sources: []int64{0}}), 0)
	b.consolidate(other)
	same(t, b.current(), nil)
	b.undo(id)
	b.consolidate(other)
	same(t, b.current(), []string{"The user is fond of a hot drink"})
}

func TestRelationsHaveOwners(t *testing.T) {
	b := newStore(t)
	for i, c := range []memd.Candidate{
		{Text: "My sister lives in Rome", Slot: "home", Subject: "sister", Value: "Rome", ActorID: "Ana"},
		{Text: "My sister works at Bosch", Slot: "work", Subject: "sister", Value: "Bosch", ActorID: "Bob"},
		{Text: "My sister works at Siemens", Slot: "work", Subject: "sister", Value: "Siemens", ActorID: "Ana"},
		{Text: "I work at Leica", Slot: "work", Value: "Leica", ActorID: "Ana"},
		{Text: "I have a pet called McRex", Slot: "pet:mcrex", ActorID: "Ana"},
	} {
		b.tells(i, c)
	}
	memories, relations, err := b.Related(t.Context(), tenant, Ref{ID: b.named("My sister lives in Rome").ID}, 10)
	if err != nil {
		t.Fatal(err)
	}
	same(t, texts(memories), []string{"My sister works at Siemens"})
	if relations[0].Source != "Ana's sister" || relations[1].Source != "Ana's sister" {
		t.Errorf("%+v", relations)
	}
	memories, relations, err = b.Related(t.Context(), tenant, Ref{ID: b.named("I have a pet called McRex").ID}, 10)
	if err != nil || len(memories) != 0 || relations[0].Target != "McRex" || relations[0].Source != "Ana" {
		t.Errorf("%q, %+v, %v", texts(memories), relations, err)
	}
}

// The history is in the order in which it was written, also by who began earlier and waited.
func TestHistoryIsInOrderOfTime(t *testing.T) {
	b := newStore(t)
	begun, done := make(chan struct{}), make(chan error, 1)
	first := b.together("s", "I like tea", "I like tea!")
	go func() {
		done <- b.pool.InTenant(b.ctx(), tenant, func(tx pgx.Tx) error {
			if _, err := tx.Exec(b.ctx(), "SELECT now()"); err != nil {
				return err
			}
			begun <- struct{}{}
			<-begun
			return b.Consolidate(b.ctx(), tx, tenant, states(first, memd.Candidate{Text: "I like tea!", Sources: []int64{1}}))
		})
	}()
	<-begun
	b.consolidate(states(first, memd.Candidate{Text: "I like tea", Sources: []int64{0}}))
	begun <- struct{}{}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	h := b.history(b.named("I like tea").ID)
	if len(h) != 2 || h[1].At.Before(h[0].At) {
		t.Fatalf("%+v", h)
	}
}

// What is dated later than it came was said when it came.
func TestDatedInTheFuture(t *testing.T) {
	b := newStore(t)
	came := time.Now().UTC().Truncate(time.Microsecond)
	future := time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
	m := memd.Message{UserID: "alice", SessionID: "s", Text: "I live in Rome", CreatedAt: future}
	said := b.say(m)
	said[0].ReceivedAt = came
	b.consolidate(states(said, memd.Candidate{Text: "I live in Rome", Slot: "home", Value: "Rome", Sources: []int64{0}}))
	if got := b.named("I live in Rome"); !got.ValidFrom.Equal(came) {
		t.Fatalf("%+v", got)
	}
	later := b.say(memd.Message{UserID: "alice", SessionID: "s", Text: "I live in Oslo", CreatedAt: came.Add(time.Minute)})
	later[0].ReceivedAt = came.Add(time.Minute)
	b.consolidate(states(later, memd.Candidate{Text: "I live in Oslo", Slot: "home", Value: "Oslo", Sources: []int64{0}}))
	same(t, b.current(), []string{"I live in Oslo"})
	if _, err := b.AddVerbatim(t.Context(), tenant, []Verbatim{{Scope: user("bob"), Text: "to come", Role: "user", SaidAt: future}}); err != nil {
		t.Fatal(err)
	}
	now := time.Now().Add(time.Minute)
	same(t, texts(b.list(ListQuery{Scope: user("bob"), AsOf: &now})), []string{"to come"})
}

// A session that is posted once more, all of it at one time, leaves nothing that held for no
// time beside what it says.
func TestASessionPostedAgain(t *testing.T) {
	b := newStore(t)
	for i, hour := range []int{0, 1, 1, 2} {
		var all []memd.Message
		for _, value := range []string{"Lisbon", "Porto"} {
			all = append(all, memd.Message{UserID: "alice", SessionID: fmt.Sprint("s", i), Text: "I live in " + value, CreatedAt: at(hour)})
		}
		b.consolidate(about(b.say(all...), "home", "Lisbon", "Porto"))
		lisbon, porto := b.named("I live in Lisbon"), b.named("I live in Porto")
		if len(lisbon.Sources) != i+1 || len(porto.Sources) != i+1 || porto.ValidTo != nil || !porto.ValidFrom.Equal(at(0)) || *lisbon.SupersededBy != porto.ID {
			t.Fatalf("%+v\n%+v", lisbon, porto)
		}
		b.checkCounters()
	}
}
