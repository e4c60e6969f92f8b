package longterm

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/lexical"
)

func TestBonds(t *testing.T) {
	for _, c := range []struct {
		text, value string
		want        []bond
	}{
		{"My sister Ana lives in Porto", "", []bond{{"sister", "ana"}}},
		{"My older sister is called Ana.", "", []bond{{"sister", "ana"}}},
		{"my sister's name is Ana", "", []bond{{"sister", "ana"}}},
		{"I met my sister, Ana, in Rome", "", []bond{{"sister", "ana"}}},
		{"Ana is my sister", "", []bond{{"sister", "ana"}}},
		{"Ana is my best friend and Bea is my boss.", "", []bond{{"boss", "bea"}}},
		{"I have a cat named Moss.", "", []bond{{"cat", "moss"}}},
		{"my ex is called damon", "", []bond{{"ex", "damon"}}},
		{"My boyfriend is Rafa.", "Rafa", []bond{{"boyfriend", "rafa"}}},
		{"My boss Gunnar's car", "", []bond{{"boss", "gunnar"}}},
		{"My sister is Portuguese", "", nil},
		{"My boss is called away", "", nil},
		{"She is my sister", "", nil},
		{"Friday is my sister's day", "", nil},
		{"Yesterday was my sister Ana's day", "", []bond{{"sister", "ana"}}},
		{"MY SISTER LIVES IN ROME", "", nil},
		{"My Sister Lives In Rome", "", nil},
		{"My sister-in-law is called Zoe", "", []bond{{"sister-in-law", "zoe"}}},
		{"Her sister Ana sings", "", nil},
		{"My doctor Dr. Smith", "", nil},
		{"I called my sister. Then I slept", "", nil},
		{"", "", nil},
	} {
		if got := bonds(c.text, c.value); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
}

func TestNaming(t *testing.T) {
	ana, bea := bond{"sister", "ana"}, bond{"sister", "bea"}
	for _, c := range []struct {
		subject string
		known   []bond
		in, not []string
	}{
		{"rafa", nil, []string{"Rafa has a dog", "Rafa’s dog"}, []string{"Rafaela sings", "My friend sings"}},
		{"my sister", nil, []string{"My sister sings", "I have a sister in Rome", "my older sister’s dog"},
			[]string{"Ana sings", "His sister sings", "Rafa's little sister sings", "My sister-in-law sings", "My sisters sing", "My step-sister sings"}},
		{"sister", []bond{ana, bea}, []string{"Ana sings", "My sister sings", "Bea sings"}, []string{"Clara sings"}},
		{"ana", []bond{ana}, []string{"Ana sings", "My sister sings"}, []string{"Her sister sings"}},
		{"ana", []bond{ana, bea}, []string{"Ana sings"}, []string{"My sister sings", "Bea sings"}},
		{"sister ana", []bond{ana}, []string{"Ana sings", "My sister sings"}, nil},
		{"mum", []bond{{"mother", "eva"}}, []string{"My mother sings", "Eva sings", "My mum’s car"}, []string{"My mother-in-law sings", "My father sings"}},
		{"mother-in-law", nil, []string{"My mother-in-law sings"}, []string{"My mother sings", "My father-in-law sings"}},
		{"neighbour", nil, []string{"My neighbor sings"}, nil},
		{"me", nil, nil, []string{"Call me Al", "I sing"}},
	} {
		n := namingOf(c.subject, c.known, false)
		if n.empty() != (c.in == nil) {
			t.Errorf("%s: empty is %v", c.subject, n.empty())
		}
		for _, text := range c.in {
			if !n.reaches(lexical.Canonical(text), "") {
				t.Errorf("%s with %v: not in %q", c.subject, c.known, text)
			}
		}
		for _, text := range c.not {
			if n.reaches(lexical.Canonical(text), "") {
				t.Errorf("%s with %v: in %q", c.subject, c.known, text)
			}
		}
	}
	if n := namingOf("my mum", nil, false); !n.reaches("she sings", "mother") || n.reaches("she sings", "sister") || n.reaches("she sings", "") {
		t.Error("the subject of a slot")
	}
}

// tellAll learns statements of alice's, hour by hour, each as it is told.
func (b *bench) tellAll(from int, all ...memd.Candidate) []memd.Message {
	b.Helper()
	var messages []memd.Message
	for i := range all {
		role := all[i].Role
		if role == "" {
			role = memd.RoleUser
		}
		messages = append(messages, memd.Message{UserID: "alice", SessionID: "s1", Role: role, Text: all[i].Text, CreatedAt: at(from + i)})
	}
	messages = b.say(messages...)
	l := whole(messages)
	for i, c := range all {
		l.Candidates[i].Slot, l.Candidates[i].Subject, l.Candidates[i].Value, l.Candidates[i].Forget = c.Slot, c.Subject, c.Value, c.Forget
	}
	b.consolidate(l)
	return messages
}

func forgetAbout(text, subject string) memd.Candidate {
	return memd.Candidate{Text: text, Subject: subject, Forget: true}
}

func TestForgetSomebody(t *testing.T) {
	b := newStore(t)
	b.verbatim("alice", "Rafa was stored as given")
	b.tellAll(0,
		memd.Candidate{Text: "Rafa has a dog"},
		memd.Candidate{Text: "My boyfriend is Rafa.", Slot: "partner", Value: "Rafa"},
		memd.Candidate{Text: "He lives in Porto", Slot: "home", Subject: "rafa", Value: "Porto"},
		memd.Candidate{Text: "I live in Leeds", Slot: "home", Value: "Leeds"},
		memd.Candidate{Text: "I moved in with Rafa in Rome", Slot: "home", Value: "Rome"},
		memd.Candidate{Text: "Rafael paints", Role: memd.RoleUser},
		memd.Candidate{Text: "Rafa sounds kind", Role: memd.RoleAssistant},
	)
	dog := query[string](b, `SELECT id::text FROM memory WHERE memory = 'Rafa has a dog'`)
	asked := b.tellAll(10, forgetAbout("Rafa", "rafa"))
	// What ended the home before it was forgotten: that it was no longer so has been said.
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice"), IncludeSuperseded: true})), []string{"I live in Leeds", "Rafael paints", "Rafa was stored as given"})
	h := b.history(dog)
	if last := h[len(h)-1]; last.Event != EventDelete || last.Reason != reasonForgotten || *last.PreviousMemory != "Rafa has a dog" {
		t.Fatalf("%+v", last)
	}
	events, err := b.EventsOf(t.Context(), tenant, []int64{asked[0].ID})
	if err != nil || len(events) != 5 {
		t.Fatalf("%+v, %v", events, err)
	}
	b.checkCounters()
	// Said before and learned late, it does not come back; said later, it is new.
	b.tellAll(5, memd.Candidate{Text: "Rafa plays the oboe"})
	b.tellAll(20, memd.Candidate{Text: "Rafa and I are back together"})
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"Rafael paints", "Rafa was stored as given", "Rafa and I are back together"})
	if n := query[int](b, `SELECT count(*) FROM memory_forgotten`); n != 1 {
		t.Fatalf("%d requests", n)
	}
	// Undone for one, it is there for good; the others stay away.
	if m := b.undo(dog); m.Memory != "Rafa has a dog" {
		t.Fatalf("%+v", m)
	}
	b.tellAll(6, memd.Candidate{Text: "Rafa has a dog"})
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"Rafa has a dog", "Rafael paints", "Rafa was stored as given", "Rafa and I are back together"})
	// Taken back, the request takes nothing away.
	b.withdraw(asked[0].ID)
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"Rafa has a dog", "My boyfriend is Rafa.", "He lives in Porto", "I moved in with Rafa in Rome", "Rafa sounds kind",
		"Rafa plays the oboe", "Rafael paints", "Rafa was stored as given", "Rafa and I are back together"})
	b.checkCounters()
}

func TestForgetARelativeByName(t *testing.T) {
	b := newStore(t)
	asked := b.tellAll(10, forgetAbout("my sister", "sister"))
	// All of it is learned late, who she is last.
	b.tellAll(0, memd.Candidate{Text: "Ana has a cat"}, memd.Candidate{Text: "My sister sings"}, memd.Candidate{Text: "Tom's sister sings"})
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"Ana has a cat", "Tom's sister sings"})
	who := b.tellAll(5, memd.Candidate{Text: "My sister is called Ana"})
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"Tom's sister sings"})
	b.withdraw(who[0].ID)
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"Ana has a cat", "Tom's sister sings"})
	b.withdraw(asked[0].ID)
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"Ana has a cat", "My sister sings", "Tom's sister sings"})
	b.checkCounters()
}

// Another's request reaches what they said themselves.
func TestForgetSomebodyAsAnotherSpeaker(t *testing.T) {
	b := newStore(t)
	b.learn(memd.Message{UserID: "alice", SessionID: "s1", Text: "Rafa has a dog", CreatedAt: at(0)}, memd.Message{UserID: "alice", SessionID: "s1", Text: "Rafa sings", Role: memd.RoleAssistant, CreatedAt: at(0)},
		memd.Message{UserID: "bob", SessionID: "s1", Text: "Rafa has a dog", CreatedAt: at(0)})
	l := whole(b.say(memd.Message{UserID: "alice", SessionID: "s1", Text: "Rafa", Role: memd.RoleAssistant, CreatedAt: at(1)}))
	l.Candidates[0].Forget, l.Candidates[0].Subject = true, "rafa"
	b.consolidate(l)
	same(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"Rafa has a dog"})
	same(t, texts(b.list(ListQuery{Scope: user("bob")})), []string{"Rafa has a dog"})
	b.checkCounters()
}

// What a person writes stays, whatever was asked to be forgotten before.
func TestWhatAPersonWritesOfTheForgotten(t *testing.T) {
	b := newStore(t)
	b.tellAll(0, memd.Candidate{Text: "I like tea"})
	b.tellAll(1, forgetAbout("Rafa", "rafa"), forgetAbout("Rafa", "rafa"))
	b.edit(Edit{Text: ptr("Rafa likes tea")})
	same(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"Rafa likes tea"})
	b.tellAll(-1, memd.Candidate{Text: "Rafa has a dog"})
	same(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"Rafa likes tea"})
	b.checkCounters()
}

// What was forgotten stays so when something else about the same is deleted.
func TestForgottenStaysForgottenWhenOthersAreDeleted(t *testing.T) {
	b := newStore(t)
	b.tellAll(0, memd.Candidate{Text: "I live in Porto", Slot: "home", Value: "Porto"}, memd.Candidate{Text: "I live in Rome", Slot: "home", Value: "Rome"})
	b.tellAll(5, memd.Candidate{Text: "I live in Porto", Slot: "home", Value: "Porto", Forget: true})
	id := b.list(ListQuery{Scope: user("alice")})[0].ID
	if err := b.Delete(t.Context(), tenant, id, memd.Scope{}, "api"); err != nil {
		t.Fatal(err)
	}
	same(t, texts(b.list(ListQuery{Scope: user("alice"), IncludeSuperseded: true})), nil)
	b.checkCounters()
}

// Two requests for the same are undone together.
func TestUndoWhatWasForgottenTwice(t *testing.T) {
	b := newStore(t)
	b.tellAll(0, memd.Candidate{Text: "Rafa has a dog"})
	id := b.list(ListQuery{Scope: user("alice")})[0].ID
	b.tellAll(1, forgetAbout("Rafa", "rafa"), forgetAbout("Rafa please", "rafa"))
	if m := b.undo(id); m.Memory != "Rafa has a dog" {
		t.Fatalf("%+v", m)
	}
	b.checkCounters()
}

// It reads what was said of whom it is about, not all that there is.
func TestForgettingSomebodyReadsLittle(t *testing.T) {
	b := newStore(t)
	var vs []memd.Candidate
	for i := range 40 {
		vs = append(vs, memd.Candidate{Text: fmt.Sprintf("I own book %d", i)})
	}
	b.tellAll(0, append(vs, memd.Candidate{Text: "Rafa has a dog"})...)
	c := newChange(tenant, "test")
	err := b.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
		scope := query[int64](b, `SELECT id FROM memory_scope`)
		if err := c.readScopeRows(t.Context(), tx, []int64{scope}); err != nil {
			return err
		}
		c.subjects.seek(c.scopes[scope].key, "rafa", monday.Add(1000*time.Hour))
		return c.readOn(t.Context(), tx)
	})
	if err != nil || len(c.memories) != 1 || len(c.mentions) != 1 {
		t.Fatalf("%d memories, %d mentions, %v", len(c.memories), len(c.mentions), err)
	}
}
