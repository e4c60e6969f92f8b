package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/memdhq/memd"
)

// A memory is a statement that was learned from a message, or one that several messages make, or a
// text that was stored as it was given. The ranking is of messages that were learned from; what it
// makes of the other two is measured on the same conversations, said in the other ways.

// form is a way in which a conversation becomes memories.
type form struct {
	name string
	say  func(c caller, ctx context.Context, user string, conv conversation) (sayings, error)
}

// statements is the form of all other figures.
var statements = form{"statements", caller.say}

// otherForms are compared with it.
var otherForms = []form{
	{"merged, each said twice", caller.sayTwice},
	{"verbatim", caller.store},
}

// ofEachForm is how many conversations of a group are said in every form.
const ofEachForm = 2

// inEachForm chooses the conversations that are: the first open ones of each group.
func inEachForm(all []conversation) (some []conversation) {
	taken := map[string]int{}
	for _, c := range all {
		if !c.heldOut() && taken[c.group()] < ofEachForm {
			taken[c.group()]++
			some = append(some, c)
		}
	}
	return some
}

// sayings map what a search gives to the messages of a conversation.
type sayings struct {
	// messages are ids of the log, memories those of what was stored as it was.
	messages map[int64]string
	memories map[string]string
}

func newSayings() sayings { return sayings{map[int64]string{}, map[string]string{}} }

// of gives the messages that a result stands for.
func (s sayings) of(r result) (ids []string) {
	if id, ok := s.memories[r.ID]; ok {
		ids = append(ids, id)
	}
	for _, source := range r.Sources {
		if id, ok := s.messages[source]; ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// spoken is a turn as it is written.
type spoken struct {
	Role      memd.Role `json:"role"`
	Name      string    `json:"name,omitempty"`
	Content   string    `json:"content"`
	CreatedAt string    `json:"created_at"`
}

func (t turn) spoken(named bool) spoken {
	m := spoken{Role: memd.Role(t.Speaker), Content: t.Text, CreatedAt: t.Time + "Z"}
	if named {
		m.Role, m.Name = memd.RoleUser, t.Speaker
	}
	return m
}

// say writes a conversation, message by message as it would come.
func (c caller) say(ctx context.Context, user string, conv conversation) (sayings, error) {
	s := newSayings()
	for _, t := range conv.turns {
		if err := c.log(ctx, user, fmt.Sprintf("%s-%d", user, t.Session), t.spoken(conv.named()), t.ID, s); err != nil {
			return sayings{}, err
		}
	}
	return s, c.settle(ctx, user)
}

// sayTwice has each session said once more an hour later, so that what it states has two sources.
func (c caller) sayTwice(ctx context.Context, user string, conv conversation) (sayings, error) {
	s := newSayings()
	for from := 0; from < len(conv.turns); {
		to := from
		for to < len(conv.turns) && conv.turns[to].Session == conv.turns[from].Session {
			to++
		}
		for round := range 2 {
			for _, t := range conv.turns[from:to] {
				at, err := time.Parse(sessionTime, t.Time)
				if err != nil {
					return sayings{}, err
				}
				t.Time = at.Add(time.Duration(round) * time.Hour).Format(sessionTime)
				if err := c.log(ctx, user, fmt.Sprintf("%s-%d-%d", user, t.Session, round), t.spoken(conv.named()), t.ID, s); err != nil {
					return sayings{}, err
				}
			}
			// What is repeated is known by then, as it would be.
			if err := c.settle(ctx, user); err != nil {
				return sayings{}, err
			}
		}
		from = to
	}
	return s, nil
}

// log writes a message to the log.
func (c caller) log(ctx context.Context, user, session string, m spoken, id string, s sayings) error {
	var logged struct {
		Messages []struct{ ID int64 }
	}
	body := map[string]any{"user_id": user, "session_id": session, "messages": []spoken{m}}
	if err := c.call(ctx, http.MethodPost, "/v1/messages", body, &logged); err != nil {
		return err
	}
	if len(logged.Messages) != 1 {
		return fmt.Errorf("%d messages were logged of one", len(logged.Messages))
	}
	s.messages[logged.Messages[0].ID] = id
	return nil
}

// store stores each message as it is.
func (c caller) store(ctx context.Context, user string, conv conversation) (sayings, error) {
	s := newSayings()
	for _, t := range conv.turns {
		var stored struct {
			Results  []struct{ ID string }
			Degraded []string
		}
		body := map[string]any{"user_id": user, "infer": false, "messages": []spoken{t.spoken(conv.named())}}
		if err := c.call(ctx, http.MethodPost, "/v1/memories", body, &stored); err != nil {
			return sayings{}, err
		}
		if len(stored.Results) != 1 || len(stored.Degraded) > 0 {
			return sayings{}, fmt.Errorf("%d memories were stored of one message; degraded: %s", len(stored.Results), strings.Join(stored.Degraded, ", "))
		}
		if _, known := s.memories[stored.Results[0].ID]; !known {
			s.memories[stored.Results[0].ID] = t.ID
		}
	}
	return s, nil
}

// measureForms asks some conversations their questions in every other form.
func measureForms(ctx context.Context, address string, all []conversation) (map[string]map[string]figures, error) {
	c, done := newCaller(address)
	defer done()
	forms := map[string]map[string]figures{}
	for n, f := range otherForms {
		var answers []answer
		for _, conv := range inEachForm(all) {
			user := fmt.Sprintf("%s-form%d", conv.name, n)
			s, err := f.say(c, ctx, user, conv)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", conv.name, f.name, err)
			}
			for _, q := range conv.questions {
				got, err := c.ask(ctx, user, q, s)
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", conv.name, f.name, err)
				}
				answers = append(answers, answer{conversation: conv, question: q, found: got})
			}
		}
		forms[f.name] = byGroup(answers)
	}
	return forms, nil
}

// byGroup takes the means for each group of conversations.
func byGroup(answers []answer) map[string]figures {
	groups := map[string]figures{}
	for _, a := range answers {
		group := a.conversation.group()
		if _, done := groups[group]; !done {
			groups[group] = mean(answers, func(b answer) bool { return b.conversation.group() == group })
		}
	}
	return groups
}

// compareForms puts the figures of the other forms beside those of the same conversations as
// statements.
func (r *recallReport) compareForms(all []conversation, others map[string]map[string]figures) {
	some := inEachForm(all)
	var answers []answer
	for _, a := range r.answers {
		for _, c := range some {
			if c.name == a.conversation.name {
				answers = append(answers, a)
			}
		}
	}
	r.Forms = map[string]map[string]figures{statements.name: byGroup(answers)}
	for name, f := range others {
		r.Forms[name] = f
	}
}
