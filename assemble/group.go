package assemble

import (
	"github.com/memdhq/memd"
)

// group is what is kept whole or dropped whole: one message, or a call and the
// results of it.
type group struct {
	messages []outgoing
	said     []said
	// call says that the first message calls tools and the others answer.
	call bool
	// words are the folded texts of messages, once fold was called.
	words []string
}

// foldedBytes bounds how much of a text is compared with memories.
const foldedBytes = 1 << 16

func (g *group) fold() {
	for _, m := range g.messages {
		text := m.says()
		g.words = append(g.words, folded(text[:min(len(text), foldedBytes)]))
	}
}

// groups gives the messages of a window in groups that may be sent, in order. Left
// out are what a chat API would refuse: results without their call (it came before
// the window, or is itself left out, or was answered already) and calls that are not
// followed by a result for each id before anything else is said. That includes a call
// at the very end: until its results are logged there is nothing to answer.
func groups(window []said) []group {
	var all []group
	for i := 0; i < len(window); {
		s := window[i]
		i++
		first, ok := newOutgoing(s)
		if !ok || s.role == memd.RoleTool {
			continue
		}
		g := group{messages: []outgoing{first}, said: []said{s}}
		switch {
		case first.calls != nil:
			results := i
			for i < len(window) && window[i].role == memd.RoleTool {
				i++
			}
			ok = g.takeResults(window[results:i])
		case first.function != "":
			ok = i < len(window) && g.takeFunctionResult(window[i])
			if ok {
				i++
			}
		}
		if ok {
			all = append(all, g)
		}
	}
	return all
}

// takeResults adds those of the tool messages that answer the group's call; false if
// not every id is answered.
func (g *group) takeResults(results []said) bool {
	g.call = true
	waiting := map[string]bool{}
	for _, id := range g.messages[0].calls {
		if id == "" || waiting[id] {
			return false // nothing could tell the results apart
		}
		waiting[id] = true
	}
	for _, s := range results {
		if m, ok := newOutgoing(s); ok && waiting[m.answers] {
			delete(waiting, m.answers)
			g.messages = append(g.messages, m)
			g.said = append(g.said, s)
		}
	}
	return len(waiting) == 0
}

// takeFunctionResult adds the message that answers the group's function_call; false
// if it does not.
func (g *group) takeFunctionResult(s said) bool {
	g.call = true
	m, ok := newOutgoing(s)
	if !ok || s.role != memd.RoleTool || m.answers != "" || s.name != g.messages[0].function {
		return false
	}
	m.role = roleFunction
	m.others = append(m.others, member{"name", quote(callable(s.name))})
	g.messages = append(g.messages, m)
	g.said = append(g.said, s)
	return true
}

// lateResults gives the settled results of tools in a window that none of its groups has:
// their call is not there, as where the session was rotated between the two.
func lateResults(window []said, all []group) map[int64]bool {
	late := map[int64]bool{}
	for _, s := range window {
		if s.role == memd.RoleTool && !s.open {
			late[s.id] = true
		}
	}
	if len(late) == 0 {
		return nil
	}
	for _, g := range all {
		for _, s := range g.said {
			delete(late, s.id)
		}
	}
	return late
}
