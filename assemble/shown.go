package assemble

import (
	"slices"
	"strings"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
)

// freed holds what recall may show though the window, taken whole, shows it.
type freed struct{ memories, open map[int]bool }

// add frees what full shows and now does not; false if there is nothing new.
func (f freed) add(m material, open []said, full, now shown) bool {
	grown := false
	for i, memory := range m.memories {
		if !f.memories[i] && full.states(memory) && !now.states(memory) {
			f.memories[i], grown = true, true
		}
	}
	for i, s := range open {
		if !f.open[i] && full.ids[s.id] && !now.ids[s.id] {
			f.open[i], grown = true, true
		}
	}
	return grown
}

// shown is what a reader of the turns sees.
type shown struct {
	// ids are the messages that are there, whole those that were not trimmed.
	ids, whole map[int64]bool
	// texts are what they say, folded, by speaker.
	texts map[string][]string
}

// seen gives what the turns of a draft show; their texts are not needed where no
// memory is to be compared with them.
func seen(d draft, withTexts bool) shown {
	s := shown{ids: map[int64]bool{}, whole: map[int64]bool{}, texts: map[string][]string{}}
	for _, g := range d.groups {
		for i, by := range g.said {
			s.ids[by.id] = true
			// What was trimmed may be another part than its words.
			s.whole[by.id] = !g.cut || g.messages[i].says() == by.text
			var text string
			switch {
			case !withTexts:
			case g.cut:
				text = folded(g.messages[i].says())
			default:
				text = g.words[i]
			}
			if text != "" {
				who := speaker(string(by.role), by.name)
				s.texts[who] = append(s.texts[who], text)
			}
		}
	}
	return s
}

// states says whether a memory can be read in the turns: one of the messages that
// state it is there, or its very words are, by the same speaker.
func (s shown) states(m memd.Memory) bool {
	if slices.ContainsFunc(m.Sources, func(id int64) bool { return s.whole[id] }) {
		return true
	}
	return s.statesWords(m, m.Memory)
}

// statesWords says whether the words of a memory, or as many as are shown of them, are there, said
// by the same speaker; the dates beside them need not be.
func (s shown) statesWords(m memd.Memory, shown string) bool {
	words := folded(extract.Undated(shown))
	if words == "" {
		return false
	}
	short := strings.Count(words, " ") < 4 // a word or two prove nothing within a longer text
	return slices.ContainsFunc(s.texts[speaker(m.Role, actorOf(m))], func(text string) bool {
		return text == words || !short && strings.Contains(text, words)
	})
}

func actorOf(m memd.Memory) string {
	if m.ActorID == nil {
		return ""
	}
	return *m.ActorID
}
