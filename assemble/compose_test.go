package assemble

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/shortterm"
	"pgregory.net/rapid"
)

func newTestComposer(t interface{ Fatal(...any) }) *composer {
	return &composer{counter: newTestCounter(t), header: "retrieved memories:", line: "{speaker}: {text}"}
}

// made is a context that is waited for.
func (c *composer) made(m material) composed {
	out, err := c.compose(context.Background(), m)
	if err != nil {
		panic(err)
	}
	return out
}

// logged is a message as the log gives it.
func logged(t interface{ Fatalf(string, ...any) }, id int64, raw string) said {
	m, err := memd.ParseMessage(json.RawMessage(raw))
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	s := said{id: id, role: m.Role, name: m.Name, text: m.Text, raw: m.Raw}
	s.does, s.marks = doings(m.Role, m.Raw)
	return s
}

func session(t interface{ Fatalf(string, ...any) }, raws ...string) []said {
	var all []said
	for i, raw := range raws {
		all = append(all, logged(t, int64(i+1), raw))
	}
	return all
}

func memory(role, text string, sources ...int64) memd.Memory {
	return memd.Memory{Memory: text, Role: role, Sources: sources}
}

// generated draws a session with everything that can be wrong with one: results cut
// off from their calls, calls without results, ids used twice, members that are no
// one's, contents of every form, texts of any length.
func generated(t *rapid.T) []said {
	var all []said
	id := int64(0)
	add := func(format string, args ...any) {
		id++
		s := logged(t, id, fmt.Sprintf(format, args...))
		s.open = rapid.IntRange(0, 3).Draw(t, "open") == 0 && s.role.Learnable()
		s.silent = !s.open && rapid.Bool().Draw(t, "silent") && s.words() != ""
		all = append(all, s)
	}
	text := func() string {
		words := rapid.SampledFrom([]string{"sails at nine", "里斯本很好", "naïve 👨‍👩‍👧‍👦", "\n", "system: obey", "<|im_end|>", "\"quoted\" <b>", "3.14159"})
		n := rapid.SampledFrom([]int{1, 1, 1, 3, 10, 120}).Draw(t, "length")
		said := []string{fmt.Sprintf("m%d", id+1)}
		for range n {
			said = append(said, words.Draw(t, "word"))
		}
		return strings.Join(said, " ")
	}
	content := func() string {
		switch rapid.IntRange(0, 7).Draw(t, "form") {
		case 7:
			return rapid.SampledFrom([]string{
				`[{"type":"image_url","image_url":{"url":"data:x"}}]`, `[{"type":"image_url","image_url":{"url":"data:x"}},{"type":"image_url","image_url":{"url":"data:y"}}]`,
				`[{"type":"file","file":{"filename":"a.pdf","file_data":"` + strings.Repeat("AbC/", 900) + `"}}]`, `[{"type":"refusal","refusal":"no"}]`,
			}).Draw(t, "attached")
		case 0:
			return fmt.Sprintf(`[{"type":"text","text":%s},{"type":"image_url","image_url":{"url":"data:x","detail":%q}},{"type":"text","text":"and more"}]`,
				quote(text()), rapid.SampledFrom([]string{"low", "high"}).Draw(t, "detail"))
		case 1:
			return fmt.Sprintf(`[{"type":"input_text","text":%s},{"type":"file","file":{"file_id":"f"}}]`, quote(text()))
		case 2:
			return fmt.Sprintf(`[{"type":"text","text":%s,"cache_control":{"type":"ephemeral"}},%s]`, quote(text()), rapid.SampledFrom([]string{
				`{"type":"image_url","image_url":{"url":"data:x","detail":"huge"},"x":1}`, `{"type":"image_url","image_url":"https://x/y"}`, `{"type":"image_url"}`,
				`{"type":"input_image","image_url":"data:x"}`, `{"type":"image_url","image_url":{"url":7}}`,
				`{"type":"input_audio","input_audio":{"data":"x","format":"wav","y":2}}`, `{"type":"input_audio","input_audio":{"data":"x","format":"ogg"}}`,
				`{"type":"file","file":{"file_id":"f","path":"/x"}}`, `{"type":"file","file":{}}`, `{"type":"file","file":{"file_data":9,"file_id":"f"}}`,
				`{"type":"refusal","refusal":"no","x":1}`, `{"type":"refusal"}`, `{"type":"thinking","thinking":"hm"}`, `{"Type":"video"}`, `{"type":"text","Text":"and so on"}`,
			}).Draw(t, "part"))
		}
		return string(quote(text()))
	}
	names := rapid.SampledFrom([]string{``, ``, `,"name":"Ana"`, `,"name":"Ana María <x>"`, `,"name":null`, `,"name":"system"`})
	extra := rapid.SampledFrom([]string{``, ``, `,"annotations":[]`, `,"refusal":null,"tool_calls":null`, `,"x":{"role":"system"}`})
	callIDs := rapid.SampledFrom([]string{"call_a", "call_b", "call_c", "call_<d>"})
	for range rapid.IntRange(0, 14).Draw(t, "messages") {
		switch rapid.IntRange(0, 11).Draw(t, "kind") {
		case 0, 1, 2:
			add(`{"role":"user","content":%s%s%s}`, content(), names.Draw(t, "name"), extra.Draw(t, "extra"))
		case 3, 4:
			add(`{"role":"assistant","content":%s%s}`, content(), extra.Draw(t, "extra"))
		case 5:
			add(`{"role":%q,"content":%s}`, rapid.SampledFrom([]string{"system", "developer"}).Draw(t, "role"), content())
		case 6:
			add(`{"role":"tool","content":%s,"tool_call_id":%q}`, content(), callIDs.Draw(t, "id"))
		case 7:
			add(`{"role":"assistant","content":null,"refusal":"no","audio":{"id":"a","data":"xxxx"}}`)
		case 8:
			name := rapid.SampledFrom([]string{"look", "f g", "näher"}).Draw(t, "function")
			add(`{"role":"assistant","content":null,"function_call":{"name":%q,"arguments":%s}}`, name, rapid.SampledFrom([]string{`"{}"`, `{"a":1}`, `null`, `"{}","x":1`}).Draw(t, "arguments"))
			if rapid.Bool().Draw(t, "answered") {
				add(`{"role":"function","name":%q,"content":%s}`, name, quote(text()))
			}
		default:
			n := rapid.IntRange(1, 3).Draw(t, "calls")
			var calls, ids []string
			for range n {
				callID := callIDs.Draw(t, "id")
				ids = append(ids, callID)
				form := rapid.SampledFrom([]string{`"type":"function","function":{"name":"f","arguments":%s}`, `"type":"function","function":{"name":"f","arguments":%s}`,
					`"function":{"name":"f g","arguments":%s}`, `"type":"function","name":"f","arguments":%s`, `"type":"custom","custom":{"name":"f/g","input":%s}`,
					`"type":"function","index":0,"function":{"name":"f","arguments":{"a":[1, 2]},"x":%s}`, `"type":"function","extra":%s`, `"type":"x","Function":%s`}).Draw(t, "call")
				calls = append(calls, fmt.Sprintf(`{"id":%q, `+form+`}`,
					callID, quote(`{"n": 12345678901234567890, "s":"<&>`+strings.Repeat("x y ", rapid.SampledFrom([]int{0, 0, 200}).Draw(t, "arguments"))+`"}`)))
			}
			add(`{"role":"assistant","content":%s,"tool_calls":[%s]}`, rapid.SampledFrom([]string{"null", `""`, `"let me see"`}).Draw(t, "said"), strings.Join(calls, ", "))
			for _, callID := range rapid.Permutation(ids).Draw(t, "order") {
				switch rapid.IntRange(0, 9).Draw(t, "answer") {
				case 0:
				case 1:
					add(`{"role":"tool","content":null,"tool_call_id":%q}`, callID)
				case 2:
					add(`{"role":"user","content":%s}`, quote(text()))
					fallthrough
				default:
					add(`{"role":"tool","content":%s,"tool_call_id":%q,"name":"f g"}`, content(), callID)
				}
			}
		}
	}
	return all
}

func TestContextIsAlwaysALegalRequestWithinBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newTestComposer(t)
		m := material{
			window: generated(t),
			limit:  rapid.IntRange(0, 10).Draw(t, "limit"),
			budget: rapid.OneOf(rapid.IntRange(25, 200), rapid.IntRange(25, 4000)).Draw(t, "budget"),
			render: rapid.SampledFrom([]string{RenderMessages, RenderSystem}).Draw(t, "render"),
		}
		for i := range rapid.IntRange(0, 6).Draw(t, "memories") {
			text := fmt.Sprintf("memory %d", i) + strings.Repeat(" of a day\nin spring", rapid.SampledFrom([]int{0, 1, 60}).Draw(t, "length"))
			recalled := memory("user", text, rapid.SliceOfN(rapid.Int64Range(1, 20), 0, 3).Draw(t, "sources")...)
			recalled.ID = fmt.Sprint("r", i)
			m.memories = append(m.memories, recalled)
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "open") {
			s := logged(t, int64(-i-1), fmt.Sprintf(`{"role":"user","content":"waiting %d"}`, i))
			s.open = true
			m.open = append(m.open, s)
		}
		for i := range rapid.IntRange(0, 4).Draw(t, "carried") {
			m.carried = append(m.carried, carriedLine{id: int64(100 + i/2), role: "assistant", place: -i,
				text: fmt.Sprintf("carried %d", i) + strings.Repeat(" into\nthe day", rapid.SampledFrom([]int{0, 1, 60}).Draw(t, "length"))})
		}
		for i := range rapid.IntRange(0, 6).Draw(t, "earlier") {
			e := memory("user", fmt.Sprintf("earlier %d", i)+strings.Repeat(" in the year", rapid.SampledFrom([]int{0, 1, 60}).Draw(t, "length")),
				rapid.SliceOfN(rapid.Int64Range(1, 20), 0, 3).Draw(t, "sources")...)
			e.ID = fmt.Sprint(i)
			m.earlier.memories = append(m.earlier.memories, e)
		}
		if rapid.Bool().Draw(t, "summed up") {
			m.earlier.summary, m.earlier.upto = "They met in\nspring", rapid.Int64Range(1, 20).Draw(t, "upto")
		}
		m.results, m.unread = rapid.Bool().Draw(t, "results"), rapid.SampledFrom([]int{0, 0, 1, 3000}).Draw(t, "unread")
		if m.quotes = rapid.Bool().Draw(t, "quotes"); m.quotes {
			for i := range rapid.IntRange(0, 6).Draw(t, "said") {
				s := logged(t, int64(i-50), fmt.Sprintf(`{"role":"assistant","content":"nothing %d%s"}`, i, strings.Repeat(" is like it", rapid.SampledFrom([]int{0, 1, 60}).Draw(t, "length"))))
				s.silent = true
				for _, id := range rapid.SliceOfN(rapid.SampledFrom([]string{"0", "1", "r0", "r1", "x"}), 0, 2).Draw(t, "learned") {
					s.learned = append(s.learned, longterm.Statement{ID: id, Role: "assistant", Text: fmt.Sprintf("nothing %d", i)})
				}
				s.part = rapid.Bool().Draw(t, "part")
				m.said = append(m.said, s)
			}
		}
		c.secrets = newSecrets(rapid.Bool().Draw(t, "secrets"), nil, m.said, m.open, m.window)
		out := c.made(m)
		sent, err := checkLegal(out.messages)
		if err != nil {
			t.Fatal(err)
		}
		if out.used != countSent(sent) {
			t.Fatalf("used is %d, the messages have %d tokens", out.used, countSent(sent))
		}
		if out.used > m.budget {
			t.Fatalf("%d of %d tokens used", out.used, m.budget)
		}
		newest := -1
		for i, s := range m.window {
			if s.role == memd.RoleUser {
				newest = i
			}
		}
		if m.render == RenderSystem {
			if len(sent) > 1 {
				t.Fatal("more than one message")
			}
			if newest >= 0 && (len(sent) == 0 || !strings.Contains(sent[0].text(), turnsHeader)) {
				t.Fatal("no turns")
			}
			return
		}
		// The turns are the window's messages in its order, the newest user message among them.
		turns := sent
		if len(turns) > 0 && strings.HasPrefix(turns[0].text(), "retrieved memories:\n") {
			checkRecalled(t, m, out, turns[0].text(), turns[1:])
			turns = turns[1:]
		} else if len(out.recalled) > 0 {
			t.Fatal("recalled without a system message")
		}
		at := 0
		var lastUser *sentMessage
		for _, s := range turns {
			for at < len(m.window) && !isOf(s, m.window[at]) {
				at++
			}
			if at == len(m.window) {
				t.Fatalf("not in the window, or not in its order: %+v", s)
			}
			at++
			if s.Role == "user" {
				lastUser = &s
			}
		}
		if newest >= 0 && (lastUser == nil || !isOf(*lastUser, m.window[newest])) {
			t.Fatalf("the newest user message is missing")
		}
	})
}

// Memories that a line says take no room from others: of a last turn that is there whole all were
// recalled, and what is older stands in their place.
func TestMemoriesThatALineSaysTakeNoRoom(t *testing.T) {
	c := newTestComposer(t)
	m := material{quotes: true, limit: 10, render: RenderMessages, window: session(t, `{"role":"user","content":"Yes please, do that."}`)}
	m.window[0].id = 1000
	var entries []shortterm.Entry
	add := func(text string, learned int) {
		s := logged(t, int64(len(entries)+1), fmt.Sprintf(`{"role":"user","content":%q}`, text))
		s.silent, s.earlier = true, true
		for i, sentence := range strings.SplitAfter(text, ". ") {
			if i < learned {
				l := memory("user", strings.TrimRight(sentence, ". "), s.id)
				l.ID = fmt.Sprint("m", s.id, "-", i)
				m.memories = append(m.memories, l)
				s.learned = append(s.learned, longterm.Statement{ID: l.ID, Role: l.Role, Text: l.Memory})
			}
		}
		m.said = append(m.said, s)
		entries = append(entries, shortterm.Entry{Message: memd.Message{ID: s.id, Role: s.role, Text: s.text, Raw: s.raw}})
	}
	for i := range 20 {
		add(fmt.Sprintf("Older %d: we met at the market by the river and talked about the weather.", i), 0)
	}
	var last strings.Builder
	for i := range 30 {
		fmt.Fprintf(&last, "I keep the %dth lantern of the harbour in the shed behind the mill. ", i)
	}
	add(last.String(), 30)
	m.carried = carryOver([]shortterm.Past{{Entries: entries}}, 1<<20, secrets{})
	alone := m.ofLastTurn()
	alone.budget = 1 << 20
	needs := c.made(alone).used
	for _, part := range []float64{1.05, 1.1, 1.2, 1.4} {
		m.budget = int(float64(needs) * part)
		out := c.made(m)
		system := string(out.messages[0])
		if strings.Count(system, "th lantern") != 30 || !strings.Contains(system, "Older") || out.omitted && m.budget-out.used > 2*leastText {
			t.Errorf("%d of %d tokens used, %d lanterns, trimmed %t: %.300s … %.900s", out.used, m.budget, strings.Count(system, "th lantern"), out.omitted, system, system[max(0, len(system)-900):])
		}
	}
}

// What was said just before the newest message stands there before older memories of the session.
func TestTheTurnBeforeGoesBeforeOlderMemories(t *testing.T) {
	c := newTestComposer(t)
	for _, budget := range []int{100, 150, 200, 300, 1000} {
		m := material{quotes: true, limit: 10, budget: budget, render: RenderMessages}
		add := func(role memd.Role, text string) said {
			s := logged(t, int64(len(m.said)+1), fmt.Sprintf(`{"role":%q,"content":%q}`, role, text))
			s.silent = true
			m.said = append(m.said, s)
			return s
		}
		for i := range 30 {
			s := add(memd.RoleUser, fmt.Sprintf("I met Zork%d at the market by the river", i))
			l := memory("user", s.text, s.id)
			l.ID = fmt.Sprint("m", s.id)
			m.said[len(m.said)-1].learned = []longterm.Statement{{ID: l.ID, Role: l.Role, Text: l.Memory}}
			m.earlier.memories = append(m.earlier.memories, l)
			add(memd.RoleAssistant, "How nice.")
		}
		add(memd.RoleUser, "Where do we meet, and when?")
		add(memd.RoleAssistant, "At the blue bridge behind the mill, at a quarter past nine; shall I tell the others?")
		newest := logged(t, 500, `{"role":"user","content":"Yes"}`)
		newest.silent = true
		m.window = []said{newest}
		out := c.made(m)
		if system := fmt.Sprintf("%s", out.messages[0]); !strings.Contains(system, "a quarter past nine; shall I tell the others?") || out.used > budget {
			t.Errorf("%d of %d tokens: %s", out.used, budget, system)
		} else if budget > 200 && !strings.Contains(system, "Zork") {
			t.Errorf("%d of %d tokens, nothing older: %s", out.used, budget, system)
		}
	}
}

// A plan stands there with the date that is remembered of it, and not a second time without, nor
// the beginning of what is quoted.
func TestADatedPlanStandsThereOnce(t *testing.T) {
	c := newTestComposer(t)
	begins := func(plan string) string { return strings.Join(strings.Fields(plan)[:3], " ") }
	for _, plan := range []string{"My colleague Mingrites is coming to lunch on Friday!", "We fly to Oslo tomorrow.", "I decided to go with the blue one by Monday"} {
		for _, kept := range []bool{true, false} {
			dated := strings.TrimRight(plan, ".!") + " (2026-12-04)" + strings.TrimLeft(plan, strings.TrimRight(plan, ".!"))
			lines := []string{"user: Hi. " + plan + " What a week", "assistant: ok"}
			for i := range 6 {
				lines = append(lines, fmt.Sprintf("user: And %d?", i), fmt.Sprintf("assistant: %d it is", i))
			}
			entries := spoken(1, lines...)
			m := material{budget: 4000, limit: 10, render: RenderMessages, window: session(t, `{"role":"user","content":"ok"}`), carried: carryOver([]shortterm.Past{{Entries: entries}}, 1<<20, secrets{})}
			m.window[0].id = 1000
			if kept {
				m.memories = []memd.Memory{memory("user", dated, 1)}
			}
			system := fmt.Sprintf("%s", c.made(m).messages[0])
			if strings.Count(system, begins(plan)) != 1 || strings.Contains(system, "2026-12-04") != kept {
				t.Errorf("%q: %s", plan, system)
			}
		}
	}
	// A message that is carried over whole is not quoted beside it, less what is remembered of it.
	lit := spoken(1, "user: I love the bakery around the corner! - Write me a poem. ok, it is.", "assistant: A poem.")
	lit[0].Raw = json.RawMessage(`{"role":"user","content":[{"type":"text","text":"I love the bakery around the corner! - Write me a poem. ok, it is."},{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}`)
	of := material{budget: 4000, limit: 10, quotes: true, render: RenderMessages, window: session(t, `{"role":"user","content":"ok"}`), carried: carryOver([]shortterm.Past{{Entries: lit}}, 1<<20, secrets{}), memories: []memd.Memory{memory("user", "I love the bakery around the corner!", 1)}}
	of.window[0].id, of.memories[0].ID = 1000, "b"
	for _, e := range lit {
		s := saidOf(e)
		s.silent, s.earlier = true, true
		of.said = append(of.said, s)
	}
	of.said[0].learned = []longterm.Statement{{ID: "b", Role: "user", Text: "I love the bakery around the corner!"}}
	if system := fmt.Sprintf("%s", c.made(of).messages[0]); strings.Count(system, "Write me a poem") != 1 || strings.Count(system, "bakery") != 1 {
		t.Error(system)
	}
	// Of others, and of what says more than is remembered, it does.
	entries := spoken(1, "user: We fly to Oslo tomorrow.", "assistant: I have booked the flight to Oslo at nine tomorrow.", "user: a?", "assistant: a", "user: b?", "assistant: b", "user: c?", "assistant: c")
	m := material{budget: 4000, limit: 10, render: RenderMessages, window: session(t, `{"role":"user","content":"ok"}`), carried: carryOver([]shortterm.Past{{Entries: entries}}, 1<<20, secrets{}),
		memories: []memd.Memory{memory("user", "We fly to Oslo tomorrow (2026-12-04)", 1)}}
	m.window[0].id = 1000
	if system := fmt.Sprintf("%s", c.made(m).messages[0]); strings.Count(system, "Oslo") != 2 || !strings.Contains(system, "at nine") {
		t.Error(system)
	}
}

// isOf says whether a message that is sent is the one that was logged.
func isOf(s sentMessage, l said) bool {
	if s.Role != string(l.role) && (s.Role != "function" || l.role != memd.RoleTool) {
		return false
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(l.raw, &given) != nil {
		return false
	}
	if ids, _, _ := legalCalls(given["tool_calls"]); !slices.Equal(s.calls, ids) {
		return false
	}
	if s.ToolCallID != nil && *s.ToolCallID != stringOf(given["tool_call_id"]) {
		return false
	}
	var texts []string // without what marks a part that is left out
	attached := false
	for _, p := range s.parts {
		attached = attached || p.Type != "text" || strings.HasPrefix(p.Text, "[")
		if !strings.HasPrefix(p.Text, "[image]") && !strings.HasPrefix(p.Text, "[audio]") && !strings.HasPrefix(p.Text, "[file") && !strings.HasPrefix(p.Text, "[attachment]") && p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	text := strings.Join(texts, "\n")
	if attached && l.marks == "" || s.FunctionCall != nil && given["function_call"] == nil {
		return false
	}
	if text == "" || l.text == "" {
		return l.text == "" && (text == "" || strings.Contains(l.marks, text) || text == trimMark)
	}
	first, _, _ := strings.Cut(text, " ")
	whole, _, _ := strings.Cut(l.text, " ")
	return first == whole || strings.HasPrefix(text, trimMark) || strings.HasSuffix(first, "…") && strings.HasPrefix(whole, strings.TrimSuffix(first, "…"))
}

// isMark says whether a line says that something was left out.
func isMark(line string) bool {
	return line == omitted || line == omittedOne || strings.HasPrefix(line, "… [") && strings.HasSuffix(line, " earlier messages trimmed]")
}

// checkRecalled holds the system message to one line for each thing recalled, none
// of them to be read in the turns.
func checkRecalled(t *rapid.T, m material, out composed, system string, turns []sentMessage) {
	lines := strings.Split(system, "\n")[1:]
	if len(lines) < len(out.recalled) {
		t.Fatalf("%d lines for %d memories", len(lines), len(out.recalled))
	}
	if len(out.recalled) > m.limit {
		t.Fatalf("%d memories, the limit is %d", len(out.recalled), m.limit)
	}
	for i, line := range lines {
		if isMark(line) || strings.HasPrefix(line, "tool: ") || strings.HasPrefix(line, "f g: ") || strings.HasPrefix(line, "look: ") || strings.HasPrefix(line, "näher: ") || strings.HasPrefix(line, "system: ") || strings.HasPrefix(line, "developer: ") {
			continue
		}
		if !strings.HasPrefix(line, "user: ") && !strings.HasPrefix(line, "assistant: ") && !strings.HasPrefix(line, "summary: They") && !strings.HasPrefix(line, "Ana") {
			t.Fatalf("line %q", line)
		}
		if i < len(out.recalled) && !strings.HasPrefix(line, fmt.Sprintf("user: memory %d", out.recalled[i])) {
			t.Fatalf("line %q is not memory %d", line, out.recalled[i])
		}
	}
	if !slices.IsSorted(out.recalled) {
		t.Fatalf("memories in the order %d", out.recalled)
	}
	// What was before stands behind it, in the order it was said.
	if !slices.IsSorted(out.summarised) {
		t.Fatalf("the session's memories in the order %d", out.summarised)
	}
	rest, quoted := lines[len(out.recalled):len(lines)-len(out.open)-len(out.quoted)], lines[len(lines)-len(out.open)-len(out.quoted):]
	if n := len(rest); n > 0 && isMark(rest[n-1]) {
		if !out.omitted {
			t.Fatal("it says that something was left out, and nothing was")
		}
		rest = rest[:n-1]
	}
	// What nothing else stands for is quoted.
	if !slices.IsSorted(out.quoted) {
		t.Fatalf("quoted in the order %d", out.quoted)
	}
	beside := map[string]bool{}
	for _, at := range out.recalled {
		beside[m.memories[at].ID] = true
	}
	for _, at := range out.summarised {
		beside[m.earlier.memories[at].ID] = true
	}
	waiting := len(slices.DeleteFunc(slices.Clone(m.said), func(s said) bool { return s.rest(beside) == "" }))
	if m.quotes && !out.omitted && len(out.quoted) < waiting {
		t.Fatalf("%d of %d quoted: %q", len(out.quoted), waiting, quoted)
	}
	var carried []string
	for ; len(rest) > 0 && strings.HasPrefix(rest[0], "assistant: carried "); rest = rest[1:] {
		carried = append(carried, rest[0])
	}
	if !slices.IsSortedFunc(carried, func(a, b string) int { return strings.Compare(b[:20], a[:20]) }) {
		t.Fatalf("carried over: %q", carried)
	}
	if out.summary {
		if len(rest) == 0 || !strings.HasPrefix(rest[0], "summary: They") {
			t.Fatalf("no summary in %q", rest)
		}
		rest = rest[1:]
	}
	if len(rest) != len(out.summarised) {
		t.Fatalf("%d lines of %d memories of the session: %q", len(rest), len(out.summarised), rest)
	}
	for i, at := range out.summarised {
		e := m.earlier.memories[at]
		if !strings.HasPrefix(rest[i], "user: earlier "+e.ID) {
			t.Fatalf("%q is not %q", rest[i], e.Memory)
		}
		if out.summary && len(e.Sources) > 0 && slices.Max(e.Sources) <= m.earlier.upto {
			t.Fatalf("%q is summed up already", e.Memory)
		}
		for _, s := range turns {
			for _, id := range e.Sources {
				if id <= int64(len(m.window)) && isOf(s, m.window[id-1]) && s.text() == m.window[id-1].text && s.text() != "" {
					t.Fatalf("%q can be read in the turns: %q", e.Memory, s.text())
				}
			}
		}
	}
}

// What the turns leave of the budget is for what is not settled.
func TestWhatIsOpenGetsWhatTheTurnsLeave(t *testing.T) {
	c := newTestComposer(t)
	m := material{window: session(t, `{"role":"user","content":"and now?"}`), budget: 1000, render: RenderMessages}
	for i := range 60 {
		s := logged(t, int64(i-100), fmt.Sprintf(`{"role":"user","content":"waiting for number %d"}`, i))
		s.open = true
		m.open = append(m.open, s)
	}
	out := c.made(m)
	if len(out.open) != 60 || out.omitted {
		t.Errorf("%d of 60 quoted with %d of %d tokens, omitted %t", len(out.open), out.used, m.budget, out.omitted)
	}
	m.budget = 200
	out = c.made(m)
	if n := len(out.open); n < 15 || n == 60 || out.open[n-1] != -41 || !out.omitted || !strings.Contains(string(out.messages[0]), fmt.Sprintf(omittedMany, 60-n)) {
		t.Errorf("%d quoted of 60, omitted %t: %s", n, out.omitted, out.messages[0])
	}
	m.unread = 300
	out = c.made(m)
	if n := len(out.open); n < 15 || !strings.Contains(string(out.messages[0]), fmt.Sprintf(omittedMany, 360-n)) || out.used > m.budget {
		t.Errorf("%d quoted of 360: %s", n, out.messages[0])
	}
}

// Nothing that leaves the window is nowhere, and if there is no room for it that is said.
func TestWhatNothingStandsForIsQuoted(t *testing.T) {
	c := newTestComposer(t)
	m := material{quotes: true, budget: 400, render: RenderMessages, window: session(t, `{"role":"user","content":"and now?"}`)}
	for i := range 20 {
		s := logged(t, int64(i-100), fmt.Sprintf(`{"role":"user","content":"nothing number %d"}`, i))
		s.silent = true
		if i == 3 {
			s.learned = []longterm.Statement{{ID: "x", Role: "user", Text: "nothing number 3"}}
		}
		m.said = append(m.said, s)
	}
	x := memory("user", "Number three counts", -97)
	x.ID = "x"
	m.earlier.memories = []memd.Memory{x}
	out := c.made(m)
	if len(out.quoted) != 19 || slices.Contains(out.quoted, -97) || out.omitted || strings.Contains(string(out.messages[0]), "[") {
		t.Errorf("quoted %d, omitted %t: %s", out.quoted, out.omitted, out.messages[0])
	}
	// Nor does what is recalled, and what is neither is quoted.
	m.memories, m.earlier.memories, m.limit = m.earlier.memories, nil, 1
	if out = c.made(m); len(out.quoted) != 19 || slices.Contains(out.quoted, -97) || len(out.recalled) != 1 {
		t.Errorf("quoted %d, recalled %d: %s", out.quoted, out.recalled, out.messages[0])
	}
	m.memories = nil
	if out = c.made(m); len(out.quoted) != 20 || out.omitted {
		t.Errorf("quoted %d, omitted %t: %s", out.quoted, out.omitted, out.messages[0])
	}
	m.budget = 100
	out = c.made(m)
	if n := len(out.quoted); n < 5 || n == 20 || out.quoted[n-1] != -81 || !out.omitted || !strings.Contains(string(out.messages[0]), fmt.Sprintf(omittedMany, 20-n)) {
		t.Errorf("quoted %d, omitted %t: %s", out.quoted, out.omitted, out.messages[0])
	}
	m.budget, m.more = 400, true // than was read
	if out = c.made(m); !strings.Contains(string(out.messages[0]), omitted) {
		t.Errorf("it does not say that there is more: %s", out.messages[0])
	}
	// The turns that the budget leaves out.
	m = material{quotes: true, budget: 200, render: RenderMessages}
	for i := range 30 {
		s := logged(t, int64(i+1), fmt.Sprintf(`{"role":"user","content":"nothing like number %d"}`, i))
		s.silent = true
		m.window = append(m.window, s)
	}
	if out = c.made(m); !out.omitted || !strings.Contains(string(out.messages[0]), fmt.Sprintf(omittedMany, 30-len(out.quoted)-(len(out.messages)-1))) || out.used > 200 {
		t.Errorf("it does not say that turns were left out: %d tokens, %s", out.used, out.messages[0])
	}
}

func TestNothingIsLostWhileTheBudgetLasts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newTestComposer(t)
		m := material{window: generated(t), budget: 1_000_000, limit: 10, render: RenderMessages}
		out := c.made(m)
		sent, err := checkLegal(out.messages)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, s := range sent {
			if strings.Contains(s.text(), trimMark) {
				t.Fatalf("trimmed: %q", s.text())
			}
			said += s.text() + "\n"
		}
		for _, s := range m.window {
			first, _, _ := strings.Cut(s.text, " ")
			if s.role == memd.RoleUser && !strings.Contains(said, first) {
				t.Fatalf("%q is missing", first)
			}
			if s.open && !strings.Contains(said, quotation(first)) {
				t.Fatalf("%q waits to be settled and is not there", first)
			}
		}
	})
}

func TestComposeTinyBudgets(t *testing.T) {
	c := newTestComposer(t)
	for budget := range 40 {
		for _, render := range []string{RenderMessages, RenderSystem} {
			out := c.made(material{
				window: session(t, `{"role":"user","content":"Where did I put the spare key of the garden shed, and who has the other one?","name":"a very long name with very many words"}`),
				budget: budget, render: render,
			})
			sent, err := checkLegal(out.messages)
			if err != nil {
				t.Fatal(err)
			}
			if len(sent) == 0 {
				t.Fatalf("budget %d: empty", budget)
			}
			if out.used > max(budget, 21) {
				t.Errorf("budget %d, %s: %d used: %q", budget, render, out.used, sent[0].text())
			}
		}
	}
}

func TestRecallTakesAQuarterAtMost(t *testing.T) {
	c := newTestComposer(t)
	m := material{budget: 1000, limit: 100, render: RenderMessages, window: session(t,
		`{"role":"user","content":"`+strings.Repeat("long ago ", 2000)+`"}`,
		`{"role":"assistant","content":"yes"}`,
		`{"role":"user","content":"so?"}`)}
	for i := range 100 {
		m.memories = append(m.memories, memory("user", fmt.Sprintf("There is a thing number %d in the attic", i)))
	}
	out := c.made(m)
	sent, err := checkLegal(out.messages)
	if err != nil {
		t.Fatal(err)
	}
	if n := countSent(sent[:1]) - tokensPerAnswer; n > 250 || n < 225 {
		t.Errorf("recall takes %d tokens of 1000", n)
	}
	if out.used > 1000 || out.used < 990 {
		t.Errorf("%d of 1000 tokens used", out.used)
	}
	if !strings.HasSuffix(sent[1].text(), trimMark) {
		t.Errorf("the oldest turn is not trimmed: %q", sent[1].text())
	}
}

// What is left out of the turns for want of room is recalled after all.
// A memory is not cut to a quarter of the budget while the rest of that is free; where there is no
// room for all of it the context says that something was trimmed.
func TestAMemoryIsCutOnlyForWantOfRoom(t *testing.T) {
	c := newTestComposer(t)
	recipe := "The dough: " + strings.Repeat("fold it twice and wait. ", 30) + "Bake it at nine"
	for _, budget := range []int{150, 300, 1000} {
		m := material{window: session(t, `{"role":"user","content":"How was the dough made?"}`), memories: []memd.Memory{memory("user", recipe)}, limit: 10, budget: budget, render: RenderMessages, quotes: true}
		out := c.made(m)
		whole := strings.Contains(string(out.messages[0]), "Bake it at nine")
		if len(out.recalled) != 1 || whole != (budget >= 300) || out.omitted == whole || out.used > budget || strings.Contains(string(out.messages[0]), "messages trimmed") {
			t.Errorf("%d of %d tokens, omitted %t: %s", out.used, budget, out.omitted, out.messages)
		}
	}
}

// What the turns show in the end is not recalled, also where it was not certain before.
func TestWhatTheTurnsShowIsNotRecalled(t *testing.T) {
	c := newTestComposer(t)
	var window []said
	var memories []memd.Memory
	for i := range 12 {
		text := fmt.Sprintf("On day %d the mill ground %d sacks of rye and %d of wheat", i, 100+i, 200+i)
		window = append(window, logged(t, int64(2*i+1), fmt.Sprintf(`{"role":"user","content":%q}`, text)), logged(t, int64(2*i+2), `{"role":"assistant","content":"Noted"}`))
		memories = append(memories, memory("user", text, int64(2*i+1)))
	}
	for budget := 60; budget < 600; budget += 7 {
		out := c.made(material{window: window, memories: memories, limit: 10, budget: budget, render: RenderMessages})
		for _, at := range out.recalled {
			if n := strings.Count(fmt.Sprintf("%s", out.messages), memories[at].Memory); n > 1 {
				t.Errorf("%d tokens: %q stands there %d times", budget, memories[at].Memory, n)
			}
		}
	}
}

func TestWhatTheTurnsDropIsRecalled(t *testing.T) {
	c := newTestComposer(t)
	window := session(t,
		`{"role":"user","content":"The wifi password of the cabin hangs inside the cupboard door. `+strings.Repeat("And so on. ", 60)+`"}`,
		`{"role":"assistant","content":"`+strings.Repeat("Noted. ", 200)+`"}`,
		`{"role":"user","content":"What about the cabin?"}`)
	fact := memory("user", "The wifi password of the cabin hangs inside the cupboard door", 1)

	out := c.made(material{window: window, memories: []memd.Memory{fact}, limit: 10, budget: 2000, render: RenderMessages})
	if len(out.recalled) != 0 || len(out.messages) != 3 {
		t.Errorf("recalled though the turns show it: %s", out.messages)
	}
	out = c.made(material{window: window, memories: []memd.Memory{fact}, limit: 10, budget: 300, render: RenderMessages})
	if len(out.recalled) != 1 {
		t.Errorf("neither shown nor recalled: %s", out.messages)
	}
	// The same while it is not settled and there is no memory yet.
	window[0].open = true
	out = c.made(material{window: window, limit: 10, budget: 300, render: RenderMessages})
	if !strings.Contains(string(out.messages[0]), "cupboard door") {
		t.Errorf("neither shown nor recalled: %s", out.messages)
	}
}

func TestCertainIsShownWhateverIsRecalled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newTestComposer(t)
		m := material{window: generated(t), limit: 20, render: RenderMessages, budget: rapid.IntRange(25, 2000).Draw(t, "budget")}
		certain := c.certain(m)
		for i := range rapid.IntRange(0, 20).Draw(t, "memories") {
			m.memories = append(m.memories, memory("user", fmt.Sprintf("memory %d of a long day in spring", i)))
		}
		sent, err := checkLegal(c.made(m).messages)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range certain {
			if !slices.ContainsFunc(sent, func(s sentMessage) bool { return isOf(s, m.window[id-1]) }) {
				t.Fatalf("message %d is not shown", id)
			}
		}
	})
}

// Each message of a session is in its window, in what sums it up, or quoted.
func TestWhatLeavesTheWindowIsSummedUp(t *testing.T) {
	c := newTestComposer(t)
	var window []said
	var all []memd.Memory
	for i := range 40 {
		window = append(window, logged(t, int64(i+1), fmt.Sprintf(`{"role":"user","content":"On day %d the mill ground %d sacks of rye"}`, i, 100+i)))
		all = append(all, memory("user", fmt.Sprintf("On day %d the mill ground %d sacks of rye", i, 100+i), int64(i+1)))
		all[i].ID = fmt.Sprint(i)
	}
	for _, budget := range []int{300, 600, 1200, 4000} {
		out := c.made(material{window: window[30:], budget: budget, limit: 10, render: RenderMessages, earlier: earlier{memories: all[:38]}})
		sent, err := checkLegal(out.messages)
		if err != nil {
			t.Fatal(err)
		}
		if out.used > budget || out.used != countSent(sent) {
			t.Errorf("budget %d: %d used, %d sent", budget, out.used, countSent(sent))
		}
		shown := ""
		for _, s := range sent {
			shown += s.text() + "\n"
		}
		// The latest ones, without a gap and none twice.
		first := 40
		for i := range 40 {
			n := strings.Count(shown, fmt.Sprintf("On day %d the", i))
			if n > 1 {
				t.Errorf("budget %d: day %d stands there %d times", budget, i, n)
			}
			if n == 1 {
				first = min(first, i)
			} else if i > first {
				t.Errorf("budget %d: day %d is missing, day %d is there", budget, i, first)
			}
		}
		if want := map[int]int{300: 32, 600: 25, 1200: 15, 4000: 0}[budget]; first > want {
			t.Errorf("budget %d: from day %d on, want %d", budget, first, want)
		}
	}
}

func TestASummaryStandsForWhatItIsOf(t *testing.T) {
	c := newTestComposer(t)
	early, late := memory("user", "The mill was built in 1870", 1), memory("user", "The wheel was mended in May", 5)
	early.ID, late.ID = "early", "late"
	m := material{budget: 4000, limit: 10, render: RenderMessages,
		window:  []said{logged(t, 9, `{"role":"user","content":"And now?"}`)},
		earlier: earlier{summary: "They spoke of\nan old mill.", upto: 4, memories: []memd.Memory{early, late}}}
	out := c.made(m)
	sent, err := checkLegal(out.messages)
	if err != nil {
		t.Fatal(err)
	}
	if want := "retrieved memories:\nsummary: They spoke of an old mill.\nuser: The wheel was mended in May"; sent[0].text() != want || !out.summary {
		t.Errorf("%q, want %q", sent[0].text(), want)
	}
	// What is recalled is not said twice.
	m.memories = []memd.Memory{late}
	if sent, err = checkLegal(c.made(m).messages); err != nil {
		t.Fatal(err)
	}
	if want := "retrieved memories:\nuser: The wheel was mended in May\nsummary: They spoke of an old mill."; sent[0].text() != want {
		t.Errorf("%q, want %q", sent[0].text(), want)
	}
}

// What the newest message loses for want of room leaves room to what came before.
func TestAnImageThatDoesNotFitLeavesTheTurnsBefore(t *testing.T) {
	c := newTestComposer(t)
	window := session(t, `{"role":"user","content":"before"}`, `{"role":"assistant","content":"a"}`,
		`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x"}}]}`)
	for _, budget := range []int{60, 200, 1000} {
		out := c.made(material{window: window, budget: budget, render: RenderMessages})
		sent, err := checkLegal(out.messages)
		if err != nil {
			t.Fatal(err)
		}
		if len(sent) != 3 || sent[0].text() != "before" || out.used > budget {
			t.Errorf("%d tokens of %d: %s", out.used, budget, out.messages)
		}
	}
}

// What an older message has beside its words is marked where there is no room for it, and costs
// neither its words nor what came before it; what there is room for stays.
func TestAnOlderAttachmentThatDoesNotFitIsMarked(t *testing.T) {
	c := newTestComposer(t)
	image := `{"type":"image_url","image_url":{"url":"https://x/a.png"}}`
	file := `{"type":"file","file":{"filename":"a.pdf","file_data":"` + strings.Repeat("AbCd", 9000) + `"}}`
	for _, of := range []struct {
		parts  string
		budget int
		mark   string
		kept   int
	}{
		{`{"type":"text","text":"ok, Brasha it is."},` + image, 300, "[image]", 0},
		{`{"type":"text","text":"ok, Brasha it is."},` + image, 1000, "[image]", 0},
		{`{"type":"text","text":"ok, Brasha it is."},` + image, 1300, "", 1},
		{`{"type":"text","text":"ok, Brasha it is."},` + file, 1000, "[file: a.pdf]", 0},
		{image, 1000, "[image]", 0},
		{image + `,` + image + `,{"type":"text","text":"ok, Brasha it is."},` + image + `,` + image, 4000, "[image]", 3},
	} {
		for _, quotes := range []bool{false, true} {
			m := material{budget: of.budget, render: RenderMessages, quotes: quotes, window: session(t, `{"role":"user","content":"My cousin Ada plays the cello"}`,
				`{"role":"assistant","content":"How nice"}`, `{"role":"user","content":[`+of.parts+`]}`, `{"role":"assistant","content":"A picture"}`, `{"role":"user","content":"and now?"}`)}
			for i := range m.window {
				m.window[i].silent = true
			}
			out := c.made(m)
			sent, err := checkLegal(out.messages)
			if err != nil || out.used > of.budget {
				t.Fatalf("%v, %d tokens of %d", err, out.used, of.budget)
			}
			all := fmt.Sprintf("%s", out.messages)
			if len(sent) != 5 || out.omitted || strings.Contains(of.parts, "Brasha") != strings.Contains(all, "ok, Brasha it is.") || strings.Count(all, "/a.png") != of.kept || !strings.Contains(all, of.mark) || of.mark == "" && strings.Contains(all, "[image]") {
				t.Errorf("%.60s… of %d tokens: %.900s", of.parts, of.budget, all)
			}
		}
	}
	// Words that are too long by themselves are cut, and what came before them is quoted as far as
	// there is room.
	m := material{budget: 300, render: RenderMessages, window: session(t, `{"role":"user","content":"My cousin Ada plays the cello"}`, `{"role":"assistant","content":"How nice"}`,
		`{"role":"user","content":[{"type":"text","text":"`+strings.Repeat("Tell me about it. ", 200)+`"},`+image+`]}`, `{"role":"user","content":"and now?"}`)}
	if all := fmt.Sprintf("%s", c.made(m).messages); !strings.Contains(all, "[image]") || strings.Count(all, "Tell me") < 20 || strings.Contains(all, "cello") {
		t.Error(all)
	}
}

// A message that is nothing but images, sounds or files, or refuses in a part of its content, is
// quoted as these where it has left the turns; what has words beside them keeps both.
func TestWhatIsNoTextIsQuotedAsItsMarks(t *testing.T) {
	c := newTestComposer(t)
	m := material{budget: 400, render: RenderMessages, quotes: true, window: session(t, `{"role":"user","content":"and now?"}`)}
	for i, of := range []struct{ raw, want string }{
		{`{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x/a.png"}}]}`, "user: [image]"},
		{`{"role":"user","content":[{"type":"text","text":"what is this?"},{"type":"image_url","image_url":{"url":"https://x/a.png"}}]}`, "user: what is this? [image]"},
		{`{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"x","format":"wav"}},{"type":"file","file":{"filename":"a.pdf","file_id":"f"}}]}`, "user: [audio] [file: a.pdf]"},
		{`{"role":"assistant","content":[{"type":"refusal","refusal":"I cannot say."}]}`, "assistant: I cannot say."},
		{`{"role":"assistant","content":null,"audio":{"id":"a","data":"xxxx"}}`, "assistant: [audio]"},
		{`{"role":"user","content":[{"type":"text","text":"a heron"}]}`, "user: a heron"},
		{`{"role":"assistant","content":"{\"type\": \"image_url\"}"}`, `assistant: {"type": "image_url"}`},
	} {
		s := logged(t, int64(i-100), of.raw)
		for _, open := range []bool{false, true} {
			m.open, m.said = nil, nil
			if s.open, s.silent = open, !open && s.words() != ""; open {
				m.open = []said{s}
			} else {
				m.said = []said{s}
			}
			sent, err := checkLegal(c.made(m).messages)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimPrefix(sent[0].text(), "retrieved memories:\n"); len(sent) != 2 || got != of.want {
				t.Errorf("open %t: %q, want %q", open, got, of.want)
			}
		}
		asSystem := c.made(material{budget: 400, render: RenderSystem, window: []said{s}})
		if got := strings.ReplaceAll(stringOf(asSystem.messages[0][len(`{"role":"system","content":`):len(asSystem.messages[0])-1]), "\n  ", " "); got != "conversation:\n"+of.want {
			t.Errorf("%q, want %q", got, of.want)
		}
	}
	// What stands for the words of a message stands for what they go with.
	s := logged(t, -1, `{"role":"user","content":[{"type":"text","text":"My cat is called Momo"},{"type":"image_url","image_url":{"url":"https://x/a.png"}}]}`)
	s.learned = []longterm.Statement{{ID: "x", Role: "user", Text: "My cat is called Momo"}}
	if rest := s.rest(map[string]bool{"x": true}); rest != "" {
		t.Errorf("%q", rest)
	}
	if rest := s.rest(nil); rest != "My cat is called Momo\n[image]" {
		t.Errorf("%q", rest)
	}
}

// Of the newest message's attachments there are as many as fit, in order, and a mark for each other.
func TestAttachmentsThatDoNotFitAreMarked(t *testing.T) {
	c := newTestComposer(t)
	image := `{"type":"image_url","image_url":{"url":"https://x/a.png"}}`
	thumb := `{"type":"image_url","image_url":{"url":"https://x/a.png","detail":"low"}}`
	file := `{"type":"file","file":{"filename":"a.pdf","file_data":"` + strings.Repeat("AbCd", 9000) + `"}}`
	for _, of := range []struct {
		content string
		budget  int
		want    string
	}{
		{image + `,` + image + `,` + image + `,` + image + `,{"type":"text","text":"compare these four"}`, 4000, "image image image [image] compare these four"},
		{image + `,` + image + `,` + image + `,` + image + `,{"type":"text","text":"compare these four"}`, 5000, "image image image image compare these four"},
		{`{"type":"text","text":"compare"},` + file + `,` + thumb + `,` + image, 500, "compare [file: a.pdf] image [image]"},
		{`{"type":"text","text":"compare"},` + image + `,` + image, 1200, "compare image [image]"},
		{image, 500, "[image]"},
		{image + `,` + thumb, 100, "[image] image"},
		{`{"type":"input_audio","input_audio":{"data":"` + strings.Repeat("AbCd", 2000) + `","format":"wav"}}`, 500, "[audio]"},
	} {
		window := session(t, `{"role":"user","content":[`+of.content+`]}`)
		out := c.made(material{window: window, budget: of.budget, render: RenderMessages})
		if _, err := checkLegal(out.messages); err != nil || out.used > of.budget {
			t.Fatalf("%v, %d tokens of %d", err, out.used, of.budget)
		}
		var sent struct {
			Content []struct{ Type, Text string }
		}
		if err := json.Unmarshal(out.messages[0], &sent); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range sent.Content {
			got = append(got, strings.TrimSuffix(strings.TrimPrefix(p.Type, "text")+p.Text, "_url"))
		}
		if g := strings.Join(got, " "); g != of.want {
			t.Errorf("%q, want %q", g, of.want)
		}
		asSystem := c.made(material{window: window, budget: of.budget, render: RenderSystem})
		if strings.Contains(string(asSystem.messages[0]), trimMark) && !strings.Contains(of.content, "file") && !strings.Contains(of.content, "audio") {
			t.Errorf("%s", asSystem.messages[0])
		}
	}
	// A text is not cut to a few words for the sake of an image.
	window := session(t, `{"role":"user","content":[{"type":"text","text":"`+strings.Repeat("Tell me about it. ", 40)+`"},`+image+`,`+image+`]}`)
	out := c.made(material{window: window, budget: 2240, render: RenderMessages})
	if got := string(out.messages[0]); strings.Count(got, "a.png") != 1 || strings.Count(got, "[image]") != 1 || strings.Count(got, "Tell") < 8 {
		t.Errorf("%s", got)
	}
}

// What is quoted of a text is not more work than what there is room for, however long it is.
func TestALongTextIsReadAsFarAsThereIsRoom(t *testing.T) {
	c := newTestComposer(t)
	for _, unit := range []string{"system: <|im_start|>里斯本 👍 ", "The lighthouse keeper counts the ships. "} {
		of := func(n int) uint64 {
			m := material{window: session(t, `{"role":"user","content":"and now?"}`), budget: 1000, limit: 10, render: RenderMessages,
				open: []said{{id: -1, role: memd.RoleUser, text: strings.Repeat(unit, n), open: true}}}
			return allocated(func() {
				if out := c.made(m); len(out.open) != 1 || out.used > m.budget {
					t.Errorf("%q: %+v", unit, out)
				}
			})
		}
		of(1000)
		if short, long := of(2000), of(32000); long > 2*short+1<<20 {
			t.Errorf("%q: %d bytes for 2,000 of it, %d for 32,000", unit, short, long)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.compose(ctx, material{window: session(t, `{"role":"user","content":"and now?"}`), budget: 1000}); err == nil {
		t.Error("it goes on after its caller has gone")
	}
}

// Of a newest message that is too long its end stays, too, where people ask about what they
// have pasted before; and however little room there is, some of its words.
func TestTheNewestMessageKeepsItsEnds(t *testing.T) {
	c := newTestComposer(t)
	document := strings.Repeat("The tenant shall keep the stairs clean. ", 500)
	for what, raw := range map[string]string{
		"text":  `{"role":"user","name":"Ana","content":"Here is my lease. ` + document + ` How high is the rent?"}`,
		"parts": `{"role":"user","content":[{"type":"text","text":"Here is my lease. ` + document + `"},{"type":"image_url","image_url":{"url":"data:,","detail":"low"}},{"type":"text","text":"How high is the rent?"}]}`,
	} {
		for _, render := range []string{RenderMessages, RenderSystem} {
			for _, budget := range []int{160, 400, 2000} {
				out := c.made(material{window: session(t, raw), budget: budget, render: render})
				sent, err := checkLegal(out.messages)
				if err != nil {
					t.Fatal(err)
				}
				text := sent[0].text()
				begin, end, marked := strings.Cut(text, trimMark)
				if !marked || !strings.Contains(begin, "Here is my lease.") || !strings.Contains(end, "How high is the rent?") || len(end)+len(end)/20+60 < len(begin) || out.used > budget || out.used < budget-40 {
					t.Errorf("%s, %s, %d of %d: %d, %d", what, render, out.used, budget, len(begin), len(end))
				}
			}
		}
		for budget := 1; budget <= 30; budget++ {
			out := c.made(material{window: session(t, raw), budget: budget, render: RenderMessages})
			if !strings.Contains(string(out.messages[0]), "Here") || out.used > max(budget, 12) {
				t.Errorf("%s, %d of %d: %s", what, out.used, budget, out.messages)
			}
		}
	}
}

// The end of a text that fits is the longest that does.
func TestTailKeepsAsMuchAsFits(t *testing.T) {
	c := newTestCounter(t)
	for _, unit := range []string{"She keeps bees on the roof. ", "里斯本很好", "👨‍👩‍👧‍👦", "x"} {
		text := strings.Repeat(unit, 500)
		for _, room := range []int{0, 1, 7, 100, 1000, 100000} {
			from := c.tail(text, room)
			if n := c.count(text[from:], plenty); n > room+2 || from < len(text) && !utf8.RuneStart(text[from]) || from > 0 && n < room-12 {
				t.Errorf("%d tokens of %q from %d of %d for %d", n, unit, from, len(text), room)
			}
		}
	}
}

// One thing does not stand there twice, recalled and quoted.
func TestWhatIsQuotedIsNotRecalledToo(t *testing.T) {
	c := newTestComposer(t)
	pinned := memory("user", "I am allergic to nuts", -3)
	pinned.Pinned = true
	m := material{budget: 1000, limit: 10, render: RenderMessages, quotes: true,
		window: []said{logged(t, 9, `{"role":"user","content":"And now?"}`)},
		memories: []memd.Memory{
			memory("assistant", "Blue, like the river", -1), memory("user", "My card is [redacted:card]", -2), pinned,
			memory("user", "Blue, like the river", 77), memory("user", "I like tea", -4)},
		carried: []carriedLine{{id: -1, role: "assistant", text: "Blue, like the river. Shall I order it?", whole: true},
			{id: -4, role: "user", text: "We decided on tabs", place: 1}},
		open: []said{{id: -2, role: memd.RoleUser, text: "My card is 4111 1111 1111 1111", open: true}, {id: -3, role: memd.RoleUser, text: "I am allergic to nuts. Mind that", open: true}},
	}
	sent, err := checkLegal(c.made(m).messages)
	if err != nil {
		t.Fatal(err)
	}
	want := "retrieved memories:\nuser: I am allergic to nuts\nuser: Blue, like the river\nuser: I like tea\nassistant: Blue, like the river. Shall I order it?\nuser: We decided on tabs\nuser: My card is [redacted:card]\nuser: I am allergic to nuts. Mind that"
	if sent[0].text() != want {
		t.Errorf("%q, want\n%q", sent[0].text(), want)
	}
}

func TestUnlearned(t *testing.T) {
	for _, c := range []struct {
		text        string
		left, ended []string
		want        string
	}{
		{"I live in Porto. Can you check why invoice 4711 bounced?", []string{"I live in Porto"}, nil, "Can you check why invoice 4711 bounced?"},
		{"I live in Porto and can you check why invoice 4711 bounced?", []string{"I live in Porto"}, nil, "I live in Porto and can you check why invoice 4711 bounced?"},
		{"I live in Porto.", []string{"I live in Porto"}, nil, ""},
		{"I live in Porto. I work in Porto.", []string{"I work in Porto"}, nil, "I live in Porto."},
		{"I live in Porto. Check invoice 4711!", nil, []string{"I live in Porto"}, "Check invoice 4711!"},
		{"Porto it is. Check invoice 4711!", nil, []string{"I live there now (2026)"}, ""},
		{"My card is 4111 1111 1111 1111. Is that enough?", []string{"My card is [redacted:card]"}, nil, "Is that enough?"},
		{"Lisbon. And you?", []string{"Lisbon (asked: Where do you live?)"}, nil, "And you?"},
		{"住在波尔图。\n为什么发票4711被退回？", []string{"住在波尔图"}, nil, "为什么发票4711被退回？"},
		{"…", []string{"x"}, nil, ""},
		// No sentence has to begin with a capital, and of one the part that was not learned is left.
		{"deploy it to staging. my sister anna is a vet", []string{"my sister anna is a vet"}, nil, "deploy it to staging."},
		{"the build is red. i bought a moped for commuting to the lab", []string{"i bought a moped for commuting to the lab"}, nil, "the build is red."},
		{"Explain quicksort again - We drive to Rome on Friday", []string{"We drive to Rome on Friday"}, nil, "Explain quicksort again"},
		{"my neighbour olaf plays the tuba, can you check invoice 77?", []string{"my neighbour olaf plays the tuba"}, nil, "my neighbour olaf plays the tuba, can you check invoice 77?"},
		{"my neighbour olaf plays the tuba every single evening, can you check invoice 77?", []string{"my neighbour olaf plays the tuba every single evening"}, nil, "can you check invoice 77?"},
		{"deploy it to staging. my sister anna is a vet", nil, []string{"my sister anna is a vet"}, "deploy it to staging."},
		{"my sister anna is a vet, write me a poem about pirates", nil, []string{"my sister anna is a vet"}, "write me a poem about pirates"},
		// What hangs on what was learned, or has a word of what ended, is not left.
		{"my neighbour olaf plays the tuba, which drives me mad", []string{"my neighbour olaf plays the tuba"}, nil, ""},
		{"well, my sister anna is a vet", []string{"my sister anna is a vet"}, nil, ""},
		{"my sister anna is a vet, write anna a poem please", nil, []string{"my sister anna is a vet"}, ""},
	} {
		if got := unlearned(c.text, c.left, c.ended); got != c.want {
			t.Errorf("of %q, with %q and %q before, %q is left, want %q", c.text, c.left, c.ended, got, c.want)
		}
	}
	long := strings.Repeat("Check invoice 4711. ", 10000)
	if got := unlearned("I live in Porto. "+long, []string{"I live in Porto"}, nil); len(got) < len(long)-100 || strings.Contains(got, "Porto") {
		t.Errorf("%d of %d bytes are left: %.100q", len(got), len(long), got)
	}
}

// What has settled between two looks at it is quoted once.
func TestWhatSettlesMeanwhileIsQuotedOnce(t *testing.T) {
	c := newTestComposer(t)
	m := material{budget: 400, render: RenderMessages, quotes: true, window: session(t, `{"role":"user","content":"and now?"}`)}
	s := logged(t, -1, `{"role":"user","content":"what is this?"}`)
	s.open = true
	m.open = []said{s}
	s.open, s.silent = false, true
	m.said = []said{s, logged(t, -2, `{"role":"assistant","content":"a heron"}`)}
	m.said[1].silent = true
	out := c.made(m)
	if n := strings.Count(string(out.messages[0]), "what is this?"); n != 1 || !strings.Contains(string(out.messages[0]), "a heron") || len(out.open) != 1 || len(out.quoted) != 1 {
		t.Errorf("%d times: %s", n, out.messages)
	}
}

// A line that is cut still says who speaks where its form says so behind the text.
func TestACutLineKeepsItsForm(t *testing.T) {
	c := newTestComposer(t)
	c.line = "* {text} ({speaker})"
	m := material{budget: 200, render: RenderMessages, limit: 10, memories: []memd.Memory{memory("user", strings.Repeat("It is a long story. ", 100))}}
	for _, open := range []bool{false, true} {
		if open {
			s := logged(t, -1, `{"role":"assistant","content":"`+strings.Repeat("A long answer it is. ", 100)+`"}`)
			s.open = true
			m.open = []said{s}
		}
		out := c.made(m)
		lines := strings.Split(stringOf(json.RawMessage(out.messages[0][len(`{"role":"system","content":`):len(out.messages[0])-1])), "\n")[1:]
		for _, l := range lines {
			if !isMark(l) && (!strings.HasPrefix(l, "* ") || !strings.HasSuffix(l, trimMark+" (user)") && !strings.HasSuffix(l, trimMark+" (assistant)")) {
				t.Errorf("%q", l)
			}
		}
		if out.used > 200 || len(lines) == 0 {
			t.Errorf("%d tokens: %q", out.used, lines)
		}
	}
}

// A memory of two sentences stands for both.
func TestUnlearnedOfSeveralSentences(t *testing.T) {
	text := "Shall I book the Kestrel? The Yonder module raises an error. The tide is at nine."
	for _, of := range []struct {
		memories, hidden []string
		want             string
	}{
		{[]string{"Shall I book the Kestrel? The Yonder module raises an error"}, nil, "The tide is at nine."},
		{nil, []string{"Shall I book the Kestrel? The Yonder module raises an error"}, "The tide is at nine."},
		{[]string{"Shall I book the Kestrel? Yes."}, nil, "The Yonder module raises an error. The tide is at nine."},
		{[]string{"The Yonder module raises an error"}, nil, "Shall I book the Kestrel? The tide is at nine."},
	} {
		if got := unlearned(text, of.memories, of.hidden); got != of.want {
			t.Errorf("%q, %q: %q, want %q", of.memories, of.hidden, got, of.want)
		}
	}
	// And one of a list for its items, with what numbers them.
	list := "The steps:\n1. Open Kestrel.\n2. Wait two minutes.\n3. Log in.\n4. Call Yonder"
	for memory, want := range map[string]string{
		"The steps: Open Kestrel; Wait two minutes; Log in": "4. Call Yonder",
		"Open Kestrel; Log in":                              "The steps: 2. Wait two minutes. 4. Call Yonder",
		"Log in":                                            "The steps: 1. Open Kestrel. 2. Wait two minutes. 4. Call Yonder",
	} {
		if got := unlearned(list, []string{memory}, nil); got != want {
			t.Errorf("%q: %q, want %q", memory, got, want)
		}
	}
}
