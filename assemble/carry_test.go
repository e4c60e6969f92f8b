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

// The last turn of the session before stands in the context whole, however much is open besides,
// whoever said it, and whether or not it has settled.
func TestTheLastTurnGoesBeforeWhatIsOpen(t *testing.T) {
	c := newTestComposer(t)
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"look","arguments":"{}"}}]}`
	for name, last := range map[string][]string{
		"what the user said":      {`{"role":"user","content":"the vault word is Plover"}`},
		"what was answered":       {`{"role":"user","content":"hm"}`, `{"role":"assistant","content":"I will call it Plover."}`},
		"what a tool gave":        {`{"role":"user","content":"check it"}`, call, `{"role":"tool","tool_call_id":"t","content":"the vault word is Plover"}`},
		"the other of two tools'": {`{"role":"user","content":"check both"}`, call, `{"role":"tool","tool_call_id":"t","content":"big ` + strings.Repeat("row 17 ok, ", 800) + `"}`, `{"role":"tool","tool_call_id":"t2","content":"the vault word is Plover"}`},
	} {
		for _, settled := range []bool{false, true} {
			for _, budget := range []int{200, 500, 1000, 4000, 8000} {
				var all []said
				for i := range 300 {
					for _, role := range []string{"user", "assistant"} {
						all = append(all, logged(t, int64(len(all)+1), fmt.Sprintf(`{"role":%q,"content":"a longer filler question with more words so that it takes some space, number %d"}`, role, i)))
					}
				}
				var entries []shortterm.Entry
				for i := range all {
					all[i].open = true
				}
				for _, text := range last {
					s := logged(t, int64(len(all)+len(entries)+1), text)
					e := shortterm.Entry{Message: memd.Message{ID: s.id, Role: s.role, Text: s.text, Raw: s.raw}}
					if s.open = !settled; s.open {
						e.Ingest.State = shortterm.StatePending
					}
					entries = append(entries, e)
				}
				m := material{open: all, carried: carryOver([]shortterm.Past{{Entries: entries}}, 1<<20, secrets{}), budget: budget, render: RenderMessages}
				for _, e := range entries {
					if !settled {
						s := saidOf(e)
						m.open = append(m.open, s)
					}
				}
				out := c.made(m)
				if len(out.messages) != 1 || !strings.Contains(string(out.messages[0]), "Plover") || out.used > budget {
					t.Errorf("%s, settled %t, of %d tokens: %.300s", name, settled, budget, out.messages)
				}
			}
		}
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

// The last turn of the session before is cut only if it does not fit beside the newest message
// alone: memories and older lines give way, save those that are pinned.
func TestTheLastTurnIsCutOnlyForWantOfRoom(t *testing.T) {
	c := newTestComposer(t)
	for _, settled := range []bool{false, true} {
		for _, words := range []int{60, 300, 2000} {
			m := material{quotes: true, limit: 10, render: RenderMessages, window: session(t, `{"role":"user","content":"Yes please, do that."}`)}
			m.window[0].id = 1000
			var entries []shortterm.Entry
			for i := range 14 {
				role, text := memd.RoleUser, fmt.Sprintf("Older %d: ", i)+strings.Repeat("we met at the market. ", 9)
				if i%2 == 1 {
					role = memd.RoleAssistant
				}
				switch i {
				case 12:
					text = "Please write it all."
				case 13:
					text = "BEGIN of it. " + strings.Repeat("It is a long story. ", words/5) + "Shall I book END?"
				}
				s := logged(t, int64(i+1), fmt.Sprintf(`{"role":%q,"content":%q}`, role, text))
				e := shortterm.Entry{Message: memd.Message{ID: s.id, Role: s.role, Text: s.text, Raw: s.raw}}
				if s.open = !settled; s.open {
					e.Ingest.State = shortterm.StatePending
					m.open = append(m.open, s)
				} else {
					s.silent, s.earlier = true, true
					m.said = append(m.said, s)
				}
				entries = append(entries, e)
				remembered := memory("user", fmt.Sprintf("I like the %dth market by the river in spring best of all markets", i))
				remembered.Pinned = i == 0
				m.memories = append(m.memories, remembered)
			}
			m.carried = carryOver([]shortterm.Past{{Entries: entries}}, 1<<20, secrets{})
			last := entries[len(entries)-1].Text
			alone := m.ofLastTurn()
			alone.memories, alone.limit, alone.budget = m.memories[:1], 1, 1<<20
			needs := c.made(alone).used + c.omission() // which says that the rest is missing
			for _, part := range []float64{0.8, 0.95, 1, 1.02, 1.1, 1.2, 1.33, 1.5, 2} {
				m.budget = int(float64(needs) * part)
				out := c.made(m)
				system := string(out.messages[0])
				if whole := strings.Contains(system, last); part >= 1 && !whole || part < 0.9 && whole || out.used > m.budget {
					t.Errorf("settled %t, %d of %d tokens, %d are needed: whole %t: %.2000s", settled, out.used, m.budget, needs, whole, system)
				}
				if part >= 1 && m.budget > 400 && !strings.Contains(system, "I like the 0th market by the river in spring best") {
					t.Errorf("settled %t, %d of %d tokens: what is pinned is missing: %.2000s", settled, out.used, m.budget, system)
				}
				if part > 1.2 && words > 60 && !strings.Contains(system, "Older") {
					t.Errorf("settled %t, %d of %d tokens: nothing older: %.2000s", settled, out.used, m.budget, system)
				}
			}
		}
	}
}

// A long last turn, too, stands there before what was said before it, whether or not any of that has
// settled; where there is no room for all of it, its beginning and the question at its end do, and
// some of the rest.
func TestALongLastTurnKeepsItsEnd(t *testing.T) {
	c := newTestComposer(t)
	for _, words := range []int{40, 400, 1500, 20000} {
		for _, settled := range []string{"nothing", "all before", "all"} {
			for _, budget := range []int{250, 500, 1000, 2000, 4000} {
				m := material{quotes: true, budget: budget, limit: 10, render: RenderMessages, window: session(t, `{"role":"user","content":"Yes please, do that."}`)}
				m.window[0].id = 1000
				var entries []shortterm.Entry
				add := func(role memd.Role, text string, open bool) {
					s := logged(t, int64(len(entries)+1), fmt.Sprintf(`{"role":%q,"content":%q}`, role, text))
					e := shortterm.Entry{Message: memd.Message{ID: s.id, Role: s.role, Text: s.text, Raw: s.raw}}
					if s.open = open; open {
						e.Ingest.State = shortterm.StatePending
						m.open = append(m.open, s)
					} else {
						s.silent, s.earlier = true, true
						m.said = append(m.said, s)
					}
					entries = append(entries, e)
				}
				for i := range 12 {
					add(memd.RoleUser, fmt.Sprintf("Older %d: ", i)+strings.Repeat("we met at the market. ", 12), settled == "nothing")
					add(memd.RoleAssistant, fmt.Sprintf("Older answer %d: ", i)+strings.Repeat("how nice for you. ", 10), settled == "nothing")
					m.memories = append(m.memories, memory("user", fmt.Sprintf("I like the %dth market by the river in spring best of all markets", i)))
				}
				add(memd.RoleUser, "Which module is it? Tell me QUESTION.", settled != "all")
				answer := "BEGIN of it. " + strings.Repeat("It is a long story. ", words/5) + "Shall I book END?"
				add(memd.RoleAssistant, answer, settled != "all")
				m.carried = carryOver([]shortterm.Past{{Entries: entries}}, 1<<20, secrets{})
				alone := m.ofLastTurn()
				alone.budget = 1 << 20
				needs := c.made(alone).used
				out := c.made(m)
				system := string(out.messages[0])
				whole := strings.Contains(system, answer)
				if !strings.Contains(system, "QUESTION") || !strings.Contains(system, "BEGIN") || !strings.Contains(system, "Shall I book END?") || out.used > budget {
					t.Errorf("%d words, settled %s, %d of %d tokens: %.900s", words, settled, out.used, budget, system)
				}
				if !whole && needs+c.omission() <= budget {
					t.Errorf("%d words, settled %s, %d of %d tokens, %d are needed: cut: %.900s", words, settled, out.used, budget, needs, system)
				}
				if others := strings.Count(system, "Older"); !whole && others == 0 || out.omitted != (!whole || others < 24) || out.omitted && budget-out.used > 60 {
					t.Errorf("%d words, settled %s, %d of %d tokens, trimmed %t: %d others: %.900s", words, settled, out.used, budget, out.omitted, others, system)
				}
			}
		}
	}
	// A secret stays one where its name is cut off, and at both ends.
	entries := spoken(1, "user: hm", "assistant: BEGIN. The password:\nTig3rLily77zz "+strings.Repeat("It is a long story. ", 300)+"My key is -----BEGIN RSA PRIVATE KEY-----\n"+strings.Repeat("MIIEpAIBAAKCAQEA7bq0Zkq3Jt1uZ0yT4mVx8sW2dYf6kQ9rTa0b1cZx8vNp2LhE\n", 8)+"-----END RSA PRIVATE KEY-----\nShall I book END?")
	m := material{budget: 300, render: RenderMessages, window: session(t, `{"role":"user","content":"Yes"}`), carried: carryOver([]shortterm.Past{{Entries: entries}}, 1<<20, secrets{})}
	if system := string(c.made(m).messages[0]); strings.Contains(system, "AKCAQEA") || strings.Contains(system, "Tig3r") || !strings.Contains(system, "Shall I book END?") || !strings.Contains(system, "BEGIN.") {
		t.Error(system)
	}
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
