package assemble

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/shortterm"
	"pgregory.net/rapid"
)

// spoken are entries of a session, from an id on: "role: text".
func spoken(from int64, lines ...string) (all []shortterm.Entry) {
	for i, line := range lines {
		role, text, _ := strings.Cut(line, ": ")
		all = append(all, shortterm.Entry{Message: memd.Message{ID: from + int64(i), Role: memd.Role(role), Text: text}})
	}
	return all
}

// carriedTexts shows lines as they were said.
func carriedTexts(lines []carriedLine) (texts []string) {
	slices.SortStableFunc(lines, func(a, b carriedLine) int { return a.place - b.place })
	for _, l := range lines {
		texts = append(texts, l.role+": "+l.text)
	}
	return texts
}

func TestCarryOver(t *testing.T) {
	for name, c := range map[string]struct {
		past []shortterm.Past
		want []string
	}{
		"nothing": {nil, nil},
		"the last turn, whatever it says": {
			[]shortterm.Past{{Entries: spoken(1, "user: hi", "assistant: hello", "user: ok", "assistant: 🙂")}},
			[]string{"user: hi", "assistant: hello", "user: ok", "assistant: 🙂"}},
		"what a tool gave last, and not who says nothing": {
			[]shortterm.Past{{Entries: spoken(1, "user: look it up", "assistant:  ", "tool: {\"rows\": 3}", "assistant: Three rows.")}},
			[]string{"user: look it up", "tool: {\"rows\": 3}", "assistant: Three rows."}},
		"no tool from before": {
			[]shortterm.Past{{Entries: spoken(1, "user: look it up", "tool: {\"rows\": 3}", "assistant: Three rows.", "user: fine")}},
			[]string{"user: look it up", "assistant: Three rows.", "user: fine"}},
		"decisions and plans from before": {
			[]shortterm.Past{{Entries: spoken(1,
				"user: Nice weather today. Let's go with the blue tiles. They look fine", "assistant: Good. I'll order the blue tiles on Monday. Anything else is up to you",
				"user: I have to be in Porto next week", "assistant: Understood",
				"user: what is 2+2?", "assistant: 4",
				"user: and 3+3?", "assistant: 6")}},
			[]string{"user: Let's go with the blue tiles.", "assistant: I'll order the blue tiles on Monday.", "user: I have to be in Porto next week",
				"user: what is 2+2?", "assistant: 4", "user: and 3+3?", "assistant: 6"}},
		"a question that nobody answered": {
			[]shortterm.Past{{Entries: spoken(1, "user: Which ferry takes bikes?", "user: never mind the cost", "assistant: All right", "user: a", "assistant: b", "user: c", "assistant: d")}},
			[]string{"user: Which ferry takes bikes?", "user: a", "assistant: b", "user: c", "assistant: d"}},
		"one that the user did not answer": {
			[]shortterm.Past{{Entries: spoken(1, "user: book a table", "assistant: Gladly. For how many people?")}},
			[]string{"user: book a table", "assistant: Gladly. For how many people?"}},
		"other languages": {
			[]shortterm.Past{{Entries: spoken(1, "user: Wir haben uns für Lissabon entschieden. Schön!", "assistant: Gut", "user: 明日は大阪に行きます。いい天気。", "assistant: はい",
				"user: a", "assistant: b", "user: c", "assistant: d")}},
			[]string{"user: Wir haben uns für Lissabon entschieden.", "user: 明日は大阪に行きます。", "user: a", "assistant: b", "user: c", "assistant: d"}},
		"the chain, the earliest first": {
			[]shortterm.Past{{SessionID: "s2", Entries: spoken(10, "user: x", "assistant: y")},
				{SessionID: "s1", Summary: &shortterm.Summary{Upto: 3, Text: "They planned a trip."}, Entries: spoken(1, "user: We decided on the night train", "assistant: Noted", "user: thanks")}},
			[]string{"summary: They planned a trip.", "user: We decided on the night train", "user: x", "assistant: y"}},
	} {
		if got := carriedTexts(carryOver(c.past, 1<<20, secrets{})); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q, want\n%q", name, got, c.want)
		}
	}
}

// The last turn has the first claim to what room there is, its end before its beginning.
func TestWhatWasSaidLastIsCarriedFirst(t *testing.T) {
	lines := carryOver([]shortterm.Past{{Summary: &shortterm.Summary{Text: "sum"}, Entries: spoken(1, "user: I will move to Oslo", "assistant: ok", "user: p", "assistant: q", "user: last", "assistant: reply")}}, 1<<20, secrets{})
	var texts []string
	for _, l := range lines {
		texts = append(texts, l.text)
	}
	if want := []string{"reply", "last", "sum", "q", "p", "I will move to Oslo"}; !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
}

// ofLastTurn is what there is of the last turn of the session before, and the window.
func (m material) ofLastTurn() material {
	alone := m
	alone.open, alone.said, alone.memories, alone.carried = nil, nil, nil, nil
	for _, l := range m.carried {
		if l.last {
			alone.carried = append(alone.carried, l)
		}
	}
	for _, s := range m.open {
		if m.isLast(s.id) {
			alone.open = append(alone.open, s)
		}
	}
	return alone
}

// Of what is quoted, too, a later turn goes before an earlier one, whoever said it.
func TestALaterTurnIsQuotedBeforeAnEarlierOne(t *testing.T) {
	c := newTestComposer(t)
	for _, open := range []bool{true, false} {
		m := material{budget: 1000, render: RenderMessages, quotes: true}
		for i := range 100 {
			for _, role := range []string{"user", "assistant"} {
				s := logged(t, int64(2*i+len(role)/9), fmt.Sprintf(`{"role":%q,"content":"good morning for the time %d"}`, role, i))
				if s.open = open; open {
					m.open = append(m.open, s)
				} else {
					s.silent = true
					m.said = append(m.said, s)
				}
			}
		}
		out := c.made(m)
		ids := out.open
		if !open {
			ids = out.quoted
		}
		if n := len(ids); n < 20 || n > 180 || ids[n-1] != 199 || ids[n-1]-ids[0] > int64(n) {
			t.Errorf("open %t: %v", open, ids)
		}
	}
}

func TestCarryOverIsBounded(t *testing.T) {
	var lines []string
	for i := range 24 {
		lines = append(lines, "user: "+strings.Repeat(fmt.Sprintf("I will go to place %d tomorrow. Who knows the way? ", i), 2000))
	}
	var past []shortterm.Past
	for i := range 8 {
		past = append(past, shortterm.Past{Entries: spoken(int64(100*i), lines...)})
	}
	if got := len(carryOver(past, 1<<30, secrets{})); got > 2+8*(carriedQuestions+carriedPlans) {
		t.Errorf("%d lines", got)
	}
	if got := len(carryOver(past, 100, secrets{})); got > 2+carriedQuestions+carriedPlans {
		t.Errorf("%d lines, though the first session's are enough", got)
	}
}

// What says that it is worth while to look for a sign has all of them.
func TestEverySignIsHinted(t *testing.T) {
	for _, sign := range []*regexp.Regexp{decides, intends, undertakes} {
		texts := rapid.StringMatching(strings.TrimPrefix(sign.String(), "(?i)"))
		rapid.Check(t, func(t *rapid.T) {
			if text := texts.Draw(t, "text"); !hinted(text) || !hinted(strings.ToUpper(text)) {
				t.Errorf("%q is not hinted", text)
			}
		})
	}
}

// A plan is carried over however much was said since.
func TestPlansAreFoundFarBack(t *testing.T) {
	lines := []string{"user: We decided on the night train"}
	for i := range 150 {
		lines = append(lines, fmt.Sprintf("user: line %d", i), "assistant: fine")
	}
	if got := carriedTexts(carryOver([]shortterm.Past{{Entries: spoken(1, lines...)}}, 1<<20, secrets{})); len(got) != 5 || got[0] != lines[0] {
		t.Errorf("%q", got)
	}
}
