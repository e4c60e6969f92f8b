package longterm

import (
	"testing"
	"time"

	"github.com/memdhq/memd"
)

// TestForgetEverything asks for all that a speaker said to be forgotten.
func TestForgetEverything(t *testing.T) {
	b := newStore(t)
	at := func(session, name, text string, hours int) memd.Message {
		return memd.Message{UserID: "alice", SessionID: session, Name: name, Text: text, CreatedAt: monday.Add(time.Duration(hours) * time.Hour)}
	}
	tea := b.learn(at("s1", "", "I like tea", 0))
	home := b.say(at("s2", "", "I live in Paris", 1), at("s2", "", "I live in Rome", 2))
	b.consolidate(about(home, "home", "Paris", "Rome"))
	b.learn(at("s2", "Bob", "I like gin", 2))
	b.learn(memd.Message{UserID: "carol", SessionID: "s9", Text: "I like rum", CreatedAt: monday})
	ids := map[string]string{}
	for _, m := range b.list(ListQuery{Scope: user("alice"), IncludeSuperseded: true}) {
		ids[m.Memory] = m.ID
	}
	asked := whole(b.say(at("s3", "", "Forget everything I told you", 3)))
	asked.Candidates[0].Forget, asked.Candidates[0].Subject = true, memd.Everything
	b.consolidate(asked)
	same(t, texts(b.list(ListQuery{Scope: user("alice"), IncludeSuperseded: true})), []string{"I like gin"})
	same(t, texts(b.list(ListQuery{Scope: user("carol")})), []string{"I like rum"})
	for _, text := range []string{"I like tea", "I live in Paris", "I live in Rome"} {
		if h := b.history(ids[text]); h[len(h)-1].Event != EventDelete || h[len(h)-1].Reason != reasonForgotten {
			t.Errorf("%s: %+v", text, h)
		}
	}
	events, err := b.EventsOf(t.Context(), tenant, []int64{asked.Messages[0].ID})
	if err != nil || len(events) != 3 {
		t.Fatalf("%+v, %v", events, err)
	}
	for _, e := range events {
		if e.Event != EventDelete || e.PreviousMemory == nil || *e.PreviousMemory == "" {
			t.Errorf("%+v", e)
		}
	}
	// Learned again, or late, it does not come back; what is said afterwards is new.
	b.consolidate(whole(tea))
	b.learn(at("s4", "", "I like figs", 2))
	b.learn(at("s4", "", "I like tea", 4))
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice")})), []string{"I like gin", "I like tea"})
	// Taken back, all is as it was.
	b.withdraw(asked.Messages[0].ID)
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice"), IncludeSuperseded: true})), []string{"I like gin", "I like tea", "I like figs", "I live in Paris", "I live in Rome"})
	b.checkCounters()
}
