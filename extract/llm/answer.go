package llm

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxContent is how much of an answer is looked at, in bytes.
	maxContent = 256 << 10
	// maxOpenings is at how many brackets it is tried to read JSON in vain.
	maxOpenings = 40
	// shortLine and longLine are from how many bytes on a line of the prompt is known as
	// such in an answer, by itself or within a line.
	shortLine, longLine = 8, 24
	// maxFacts is how many statements of one answer are looked at, repeats aside.
	maxFacts = 100
)

// fact is one statement that a model proposes, as it stands in the answer.
type fact struct {
	text string
	// cited are the numbers of the messages it is taken from, as given in the prompt.
	cited    []int
	category string
}

// proposal is what an answer holds.
type proposal struct {
	list []fact
	// more says that something follows the JSON, so that the model was done with it.
	more bool
	// over says that there were more than maxFacts.
	over bool
	// closed says that a list was closed which holds any.
	closed bool
}

var (
	errNoFacts = errors.New(`it holds no JSON object with a list "facts"`)
	// errTorn is a list that breaks off within an item.
	errTorn = errors.New("its JSON breaks off")
)

// The names that models give to the parts of an answer.
var (
	factsKeys    = []string{"facts"}
	textKeys     = []string{"text", "fact", "statement", "memory"}
	sourcesKeys  = []string{"sources", "source", "ids", "id", "source_ids", "message_ids"}
	categoryKeys = []string{"category"}
	// lineKeys tell a message of the prompt that is given back.
	lineKeys = []string{"role", "said"}
)

// parse gives the facts of a choice: of all calls of a tool together, else of what is
// said beside them, else of what was thought. Lines that are the prompt's are none of it.
func (c *choice) parse(p prompt) (proposal, error) {
	var all proposal
	called := false
	for _, arguments := range c.calls {
		got, err := parseFacts(arguments)
		switch {
		case err == nil:
			called = true
			all.list, all.over, all.closed = append(all.list, got.list...), all.over || got.over, all.closed || got.closed
		case errors.Is(err, errTorn):
			return proposal{}, err
		}
	}
	if called {
		return all.bounded(), nil
	}
	if strings.TrimSpace(c.content) == "" {
		return parseFacts(withoutPrompt(c.thought, p))
	}
	said, thought := apart(c.content)
	got, err := parseFacts(withoutPrompt(said, p))
	if errors.Is(err, errNoFacts) && thought != "" {
		// A thought that never ends may hold the answer, but an empty list in it is none.
		if inner, _ := parseFacts(withoutPrompt(thought, p)); len(inner.list) > 0 {
			return inner, nil
		}
	}
	return got, err
}

var (
	// thinks and thought are the marks around what a model says to itself.
	thinks  = regexp.MustCompile(`(?i)[<\[](?:think(?:ing)?|thoughts?|reason(?:ing)?|analysis|reflection|scratchpad)(?:\s[^>\]]{0,60})?[>\]]`)
	thought = regexp.MustCompile(`(?i)[<\[]/(?:think(?:ing)?|thoughts?|reason(?:ing)?|analysis|reflection|scratchpad)\s*[>\]]`)
	// final opens what is meant for others, of models that say all in channels.
	final = "<|channel|>final<|message|>"
)

// apart gives what a model says, and what it says to itself at the end and never closes.
func apart(content string) (said, open string) {
	content = content[:min(len(content), maxContent)]
	if i := strings.LastIndex(content, final); i >= 0 {
		return content[i+len(final):], ""
	}
	var out strings.Builder
	for {
		start, end := thinks.FindStringIndex(content), thought.FindStringIndex(content)
		switch {
		case end == nil && start == nil:
			out.WriteString(content)
			return out.String(), ""
		case end == nil:
			out.WriteString(content[:start[0]])
			return out.String(), content[start[1]:]
		case start != nil && start[0] < end[0]:
			out.WriteString(content[:start[0]] + "\n")
		default:
			out.Reset() // it was opened before the answer begins
		}
		content = content[end[1]:]
	}
}

// withoutPrompt drops the lines of an answer that are the prompt's; a long one within
// a line, too.
func withoutPrompt(content string, p prompt) string {
	content = content[:min(len(content), maxContent)]
	asked := map[string]bool{}
	for line := range strings.Lines(p.system + "\n" + p.user) {
		line = strings.TrimSpace(line)
		if len(line) >= longLine {
			content = strings.ReplaceAll(content, line, "\n")
		}
		asked[line] = len(line) >= shortLine && line[0] != '{' // what a prompt says to answer is an answer
	}
	lines := strings.Split(content, "\n")
	kept := lines[:0]
	for _, line := range lines {
		if !asked[strings.TrimSpace(line)] {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// parseFacts gives the facts of all lists in what a model said, and those that stand
// there without one: bare, fenced, a line each, or with anything before, between and
// after them. An item of a list that is no fact comes as an empty one.
func parseFacts(content string) (proposal, error) {
	content = content[:min(len(content), maxContent)]
	var out proposal
	found, torn := false, false
	for openings := 0; openings < maxOpenings; {
		i := strings.IndexAny(content, "{[")
		if i < 0 {
			break
		}
		content = content[i:]
		r := reader{in: content}
		root, ok := r.value(0)
		var items []node
		listed := false
		if ok {
			items, listed = factsOf(&root)
		}
		switch {
		case listed && r.torn:
			torn = true
			content = ""
		case listed:
			found = true
			for i := range items {
				out.list = append(out.list, factsIn(&items[i])...)
			}
			out.closed = out.closed || len(items) > 0 && !r.ended && !isFact(&root)
			content = content[r.at:]
			out.more = strings.Trim(content, " \t\r\n`") != ""
		case ok && !r.ended:
			openings++
			content = content[r.at:]
		default:
			openings++
			content = content[1:]
		}
	}
	switch {
	case torn && !out.closed:
		return proposal{}, errTorn
	case !found:
		return proposal{}, errNoFacts
	}
	out.more = out.more || torn
	return out.bounded(), nil
}

// bounded drops repeats, and what is too much.
func (p proposal) bounded() proposal {
	seen := map[string]bool{}
	var out []fact
	for _, one := range p.list {
		key := normal(one.text)
		for _, n := range one.cited {
			key += " " + strconv.Itoa(n)
		}
		if !seen[key] {
			seen[key] = true
			out = append(out, one)
		}
	}
	p.over = p.over || len(out) > maxFacts
	p.list = out[:min(len(out), maxFacts)]
	return p
}

// factsOf finds the items of the lists of facts in a value: what stands under "facts",
// a list of what are facts by their keys, or one such fact; else in all that it holds.
func factsOf(n *node) (items []node, ok bool) {
	switch n.kind {
	case object:
		for i := range n.keys {
			if strings.EqualFold(n.keys[i], factsKeys[0]) {
				if got, listed := listed(&n.items[i]); listed {
					items, ok = append(items, got...), true
				}
			}
		}
		if ok {
			return items, true
		}
		if isFact(n) {
			return []node{*n}, true
		}
	case list:
		if slices.ContainsFunc(n.items, func(item node) bool { return isFact(&item) }) {
			return n.items, true
		}
	}
	for i := range n.items {
		if got, listed := factsOf(&n.items[i]); listed {
			items, ok = append(items, got...), true
		}
	}
	return items, ok
}

// listed gives what stands under "facts" as a list: a list, a fact, an object of
// facts, or one of these written as a text.
func listed(n *node) ([]node, bool) {
	switch n.kind {
	case list:
		return n.items, true
	case object:
		if isFact(n) {
			return []node{*n}, true
		}
		if slices.ContainsFunc(n.items, func(item node) bool { return isFact(&item) }) {
			return n.items, true
		}
	case text:
		r := reader{in: n.text}
		if inner, ok := r.value(0); ok && !r.ended && (inner.kind == list || inner.kind == object) {
			return listed(&inner)
		}
	}
	return nil, false
}

// isFact says whether an object has the parts of a fact that no fact is without.
func isFact(n *node) bool {
	if n.kind != object {
		return false
	}
	_, says := n.get(textKeys, text, list)
	_, cites := n.get(sourcesKeys, list, number, text)
	_, given := n.get(lineKeys, text)
	return says && cites && !given
}

// factsIn gives what an item of a list says: a fact, a text alone, or one with several
// texts; an empty fact if it is none of these.
func factsIn(n *node) []fact {
	if n.kind == text {
		return []fact{{text: n.text}}
	}
	if _, given := n.get(lineKeys, text); n.kind != object || given {
		return []fact{{}}
	}
	sources, _ := n.get(sourcesKeys, list, number, text)
	category, _ := n.get(categoryKeys, text)
	one := fact{cited: numbersIn(&sources), category: categoryOf(category.text)}
	said, _ := n.get(textKeys, text, list)
	if said.kind != list {
		one.text = said.text
		return []fact{one}
	}
	var out []fact
	for i := range said.items {
		if said.items[i].kind == text {
			part := one
			part.text = said.items[i].text
			out = append(out, part)
		}
	}
	return out
}

// numbersIn reads [1,2], ["1","[2]"], [{"id":1}], 1 and "1, 2".
func numbersIn(n *node) []int {
	var out []int
	add := func(s string) {
		for _, part := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("[]#,; ", r) }) {
			if f, err := strconv.ParseFloat(part, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<31 {
				out = append(out, int(f))
			}
		}
	}
	switch n.kind {
	case number, text:
		add(n.text[:min(len(n.text), 1000)])
	case list:
		for i := range n.items[:min(len(n.items), 1000)] {
			item := n.items[i]
			if id, ok := item.get([]string{"id"}, number, text); ok {
				item = id
			}
			if item.kind == number || item.kind == text {
				add(item.text[:min(len(item.text), 100)])
			}
		}
	}
	return out
}

// categoryNames are the categories that a model may give: the rules', and a few more.
const categoryNames = "home, work, education, family, pets, health, food, habit, preference, instruction, plan, project, personal, hobby, travel, money, event"

var categories = set(strings.ReplaceAll(categoryNames, ",", " "))

// categoryOf gives a label if it is a category, else "".
func categoryOf(s string) string {
	if s = strings.ToLower(strings.TrimSpace(head(s, 40))); categories[s] {
		return s
	}
	return ""
}
