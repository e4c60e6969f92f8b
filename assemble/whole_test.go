//go:build !race

package assemble

// What computes long, in one goroutine that nothing could race with: `make test` runs it
// without the race detector.

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/shortterm"
	"pgregory.net/rapid"
)

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

// Whatever the budget: a message of the window stands in the turns, or is quoted, or the context
// says that something was left out; and nothing is left out, cut or marked while there is room for
// it. Of the last turn of the session before more stands there than of all that is quoted beside it.
func TestNothingIsLeftOutWithoutNeed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newTestComposer(t)
		m := material{
			window:  generated(t),
			limit:   rapid.IntRange(0, 10).Draw(t, "limit"),
			budget:  rapid.OneOf(rapid.IntRange(60, 400), rapid.IntRange(60, 4000)).Draw(t, "budget"),
			render:  RenderMessages,
			quotes:  true,
			results: true,
		}
		for i := range m.window {
			s := &m.window[i]
			attached := strings.Contains(string(s.raw), `"image_url"`) || strings.Contains(string(s.raw), `"file"`)
			s.silent = !s.open && (s.role.Learnable() || s.role == memd.RoleTool) && (s.words() != "" || attached)
		}
		sizes := rapid.SampledFrom([]int{0, 1, 20, 200})
		for i := range rapid.IntRange(0, 4).Draw(t, "memories") {
			recalled := memory("user", fmt.Sprintf("memory %d%s", i, strings.Repeat(" of a day in spring", sizes.Draw(t, "length"))))
			recalled.ID = fmt.Sprint("r", i)
			m.memories = append(m.memories, recalled)
		}
		id := int64(-100)
		before := func(text string, last, open bool) {
			id++
			s := logged(t, id, fmt.Sprintf(`{"role":%q,"content":%q}`, []memd.Role{memd.RoleUser, memd.RoleAssistant}[-id%2], text))
			if s.open, s.silent, s.earlier = open, !open, true; open {
				m.open = append(m.open, s)
			} else {
				m.said = append(m.said, s)
			}
			m.carried = append(m.carried, carriedLine{id: id, role: string(s.role), text: text, whole: true, place: int(id), step: map[bool]int{true: stepLast, false: stepBefore}[last], last: last, open: open})
		}
		for i := range rapid.IntRange(0, 8).Draw(t, "before") {
			before(fmt.Sprintf("before %d%s", i, strings.Repeat(" it was at the market", sizes.Draw(t, "length"))), false, rapid.Bool().Draw(t, "waits"))
		}
		lasts := rapid.IntRange(0, 2).Draw(t, "last")
		for i := range lasts {
			before(fmt.Sprintf("begin%d%s end%d?", i, strings.Repeat(" so it is said", sizes.Draw(t, "length")), i), true, rapid.Bool().Draw(t, "waits"))
		}
		out := c.made(m)
		sent, err := checkLegal(out.messages)
		if err != nil {
			t.Fatal(err)
		}
		if out.used > m.budget {
			t.Fatalf("%d of %d tokens used", out.used, m.budget)
		}
		var lines []string
		turns := sent
		if len(turns) > 0 && strings.HasPrefix(turns[0].text(), c.header+"\n") {
			lines, turns = strings.Split(turns[0].text(), "\n")[1:], turns[1:]
		}
		// Turns are told apart by their words, from the newest back.
		there := map[int64]bool{}
		for _, id := range slices.Concat(out.open, out.quoted, out.carried) {
			there[id] = true
		}
		at := len(m.window)
		for _, s := range slices.Backward(turns) { // what is quoted may say the same, and is no turn
			for at--; at >= 0 && (there[m.window[at].id] || !isOf(s, m.window[at])); at-- {
			}
			if at < 0 {
				t.Fatalf("not in the window, or not in its order: %+v", s)
			}
			there[m.window[at].id] = true
		}
		var missing []string
		for _, s := range slices.Concat(m.window, m.said, m.open) {
			if (s.open || s.silent) && s.words() != "" && !there[s.id] {
				missing = append(missing, fmt.Sprint(s.id, s.open, string(s.raw)))
			}
		}
		if len(missing) > 0 && !out.omitted {
			t.Fatalf("nowhere: %q, but %q", missing, lines)
		}
		cut := strings.Count(fmt.Sprintf("%s", out.messages), trimMark)
		// What a line may not be shorter than, and what is kept for saying that some are left out.
		if slack := 2*leastText + c.omission(); (out.omitted || len(missing)+cut > 0) && m.budget-out.used > slack {
			t.Fatalf("omitted %t, %d missing, %d cut, with %d of %d tokens used: %q", out.omitted, len(missing), cut, out.used, m.budget, out.messages)
		}
		if cut > 0 && !out.omitted && slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, trimMark) }) {
			t.Fatalf("it does not say that a line was cut: %q", lines)
		}
		cost := func(of ...string) (n int) {
			for _, line := range lines {
				if slices.ContainsFunc(of, func(o string) bool { return strings.Contains(line, o) }) {
					n += c.count(line+"\n", 1<<20)
				}
			}
			return n
		}
		for i := range lasts {
			begin, end := fmt.Sprintf(": begin%d", i), fmt.Sprintf("end%d?", i)
			line := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, begin) })
			if line < 0 || !strings.Contains(lines[line], trimMark) {
				continue
			}
			if beside := cost(": before", ": m"); beside > m.budget/lineShare+leastLine+c.omission() {
				t.Fatalf("%d of %d tokens are of other lines: %q", beside, m.budget, lines)
			}
			if c.count(lines[line], 1<<20) > 3*leastText && !strings.HasSuffix(lines[line], end) {
				t.Fatalf("it does not end as it ended: %q", lines[line])
			}
		}
	})
}

// What is free at the end goes to what was left out: where there is room for all, all is there, and
// with less no message is missing that there is room for.
func TestWhatIsFreeGoesToWhatWasLeftOut(t *testing.T) {
	c := newTestComposer(t)
	for _, both := range []bool{false, true} {
		m := material{quotes: true, limit: 10, render: RenderMessages, window: session(t, `{"role":"user","content":"Yes please, do that."}`)}
		m.window[0].id = 1000
		var entries []shortterm.Entry
		add := func(role memd.Role, text string, learned bool) {
			s := logged(t, int64(len(entries)+1), fmt.Sprintf(`{"role":%q,"content":%q}`, role, text))
			s.silent, s.earlier = true, true
			if learned {
				l := memory(string(role), strings.SplitAfter(text, ". ")[0], s.id)
				l.ID = fmt.Sprint("m", s.id)
				m.memories = append(m.memories, l)
				s.learned = append(s.learned, longterm.Statement{ID: l.ID, Role: l.Role, Text: l.Memory})
			}
			m.said = append(m.said, s)
			entries = append(entries, shortterm.Entry{Message: memd.Message{ID: s.id, Role: s.role, Text: s.text, Raw: s.raw}})
		}
		for i := range 6 {
			add(memd.RoleUser, fmt.Sprintf("I met Zork%d at the market. ", i)+strings.Repeat("We walked along the river. ", 3), true)
			add(memd.RoleAssistant, fmt.Sprintf("Nice about Zork%d. ", i)+strings.Repeat("How nice for you. ", 2), false)
		}
		add(memd.RoleUser, "Please write it.", false)
		if both {
			add(memd.RoleAssistant, "BEGIN of it. "+strings.Repeat("It is a long story. ", 20)+"Shall I book END?", true)
		}
		m.carried = carryOver([]shortterm.Past{{Entries: entries}}, 1<<20, secrets{})
		m.budget = 1 << 20
		needs := c.made(m).used
		for m.budget = needs + 40; m.budget > needs/2; m.budget -= 3 {
			out := c.made(m)
			// A line of the shortest message, and what says that something is missing.
			free := m.budget - out.used
			if out.used > m.budget || out.omitted && (m.budget >= needs || free > leastText+12) {
				t.Errorf("%d of %d tokens used, all need %d, trimmed %t: %s", out.used, m.budget, needs, out.omitted, out.messages[0])
			}
		}
	}
}

// However often a text has what is to be defused, the work grows as its length does.
func TestDefusingIsLinear(t *testing.T) {
	for _, unit := range []string{"system: ", "\nsystem - ", " \n** ", "tool \n ", "|system|user", "<|im_start|>", "[INST]", "<<|s>", "ｓystem∶里", "user:\n", "\u200bsystem :", "['", "## user\n", "[user]\n", "1. ", "a) ", "12:", "ⓐ", "##"} {
		for name, of := range map[string]func(string) string{"unled": unled, "quotation": quotation, "indented": indented} {
			of(unit)
			short := allocated(func() { of(strings.Repeat(unit, 2000)) })
			long := allocated(func() { of(strings.Repeat(unit, 16000)) })
			if long > 24*short+1<<20 {
				t.Errorf("%s of %q: %d bytes for 2,000 of it, %d for 16,000", name, unit, short, long)
			}
		}
	}
}
