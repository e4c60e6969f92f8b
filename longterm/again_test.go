package longterm

import (
	"testing"
	"time"

	"github.com/memdhq/memd"
)

// What a message brings when it is learned from again takes the place of what it brought
// before; what others say too, and what a person changed, stays.
func TestLearnedFromAgain(t *testing.T) {
	b := newStore(t)
	said := b.say(
		memd.Message{UserID: "alice", SessionID: "s1", Text: "long", CreatedAt: monday},
		memd.Message{UserID: "alice", SessionID: "s2", Text: "short", CreatedAt: monday.Add(time.Hour)},
	)
	states := func(of memd.Message, again bool, all ...string) {
		t.Helper()
		l := Learned{Messages: []memd.Message{of}, Extractor: "test/1"}
		for i, text := range all {
			l.Candidates = append(l.Candidates, memd.Candidate{Text: text, Role: memd.RoleUser, SaidAt: of.CreatedAt, Sources: []int64{of.ID}, Position: i})
		}
		if again {
			l.Again = []int64{of.ID}
		}
		b.consolidate(l)
	}
	id := func(text string) string { return b.named(text).ID }
	states(said[0], false, "I like tea", "I own a boat", "I sing", "I can swim")
	states(said[1], false, "I sing")
	kept, edited := id("I like tea"), id("I can swim")
	reworded := "I swim well"
	b.edit(Edit{ID: edited, Text: &reworded})

	states(said[0], true, "I like tea", "I have a sister")
	sameSet(t, b.current(), []string{"I like tea", "I have a sister", "I sing", "I swim well"})
	if id("I like tea") != kept || id("I swim well") != edited {
		t.Error("a memory that stays is another one")
	}
	same(t, b.named("I sing").Sources, []int64{said[1].ID})
	sameSet(t, texts(b.list(ListQuery{Scope: memd.Scope{UserID: "alice", RunID: "s1"}})), []string{"I like tea", "I have a sister", "I swim well"})

	// Once more, with nothing: what only this message said goes.
	states(said[0], true)
	sameSet(t, b.current(), []string{"I sing", "I swim well"})
	states(said[0], true, "I like tea")
	sameSet(t, b.current(), []string{"I sing", "I swim well", "I like tea"})
	b.checkCounters()
}

// A question that is learned from again does not take its answer back.
func TestAQuestionLearnedFromAgain(t *testing.T) {
	b := newStore(t)
	said := b.say(
		memd.Message{UserID: "alice", SessionID: "s1", Role: memd.RoleAssistant, Text: "Do you like tea?", CreatedAt: monday},
		memd.Message{UserID: "alice", SessionID: "s1", Text: "Yes", CreatedAt: monday.Add(time.Minute)},
	)
	yes := memd.Candidate{Text: "I like tea", Role: memd.RoleUser, SaidAt: monday, Sources: []int64{said[0].ID, said[1].ID}}
	b.consolidate(Learned{Messages: said, Extractor: "test/1", Candidates: []memd.Candidate{yes}})
	b.consolidate(Learned{Messages: said[:1], Extractor: "test/1", Again: []int64{said[0].ID}})
	same(t, b.current(), []string{"I like tea"})
	b.consolidate(Learned{Messages: said[1:], Extractor: "test/1", Again: []int64{said[1].ID}})
	same(t, b.current(), nil)
}
