package format

import (
	"cmp"
	"encoding/json"
	"slices"
)

// A thread of LangGraph stands in a dump as often as it was saved, each time with all messages that it
// had by then; the newest comes first. It is one conversation, in which a message was said when it
// was first saved.

// thread are the states of one, as long as they come one after the other.
type thread struct {
	draft
	states []threadState
	// said are its messages as the newest state has them, by key.
	said map[string]threadMessage
}

type threadState struct {
	draft
	keys []string
}

type threadMessage struct {
	said
	of int // the number of the state
}

// add takes a state with its messages. One whose time cannot be read says nothing of when.
func (t *thread) add(of draft, all []said) {
	if t.said == nil {
		t.draft, t.said = of, map[string]threadMessage{}
	}
	t.startFault = cmp.Or(t.startFault, of.startFault)
	s := threadState{draft: of}
	for _, m := range all {
		key := "id " + m.id
		if m.id == "" {
			raw := m.raw
			if raw == nil {
				raw = encode(m.spoken)
			}
			key = hashOf("", raw, m.text)
		}
		s.keys = append(s.keys, key)
		if had, ok := t.said[key]; !ok || t.states[had.of].started.Before(of.started) {
			t.said[key] = threadMessage{m, len(t.states)}
		}
	}
	t.states = append(t.states, s)
}

// whole gives the conversation.
func (t *thread) whole() draft {
	slices.SortStableFunc(t.states, func(a, b threadState) int { return a.started.Compare(b.started) })
	out, done := t.draft, map[string]bool{}
	out.started = t.states[0].started
	for _, s := range t.states {
		for _, key := range s.keys {
			if done[key] {
				continue
			}
			done[key] = true
			m := t.said[key].said
			if m.at.IsZero() {
				if m.at = s.started; m.zone == "" {
					m.zone = s.zone
				}
			}
			out.said = append(out.said, m)
		}
	}
	return out
}

// isState says of a value that it is a state, also of a thread in which nothing was said yet.
func isState(raw json.RawMessage) bool {
	k, list := keysOf(raw)
	return k != nil && !list && (k.has("values") || k.has("channel_values") || k.has("checkpoint"))
}
