package llm

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// maxContent is how much of an answer is looked at, in bytes.
	maxContent = 256 << 10
	// maxOpenings is at how many brackets it is tried to read JSON.
	maxOpenings = 40
	// maxFacts is how many statements of one answer are looked at, repeats aside.
	maxFacts = 100
	// maxCited is how many messages one statement may rest on.
	maxCited = 4
)

// fact is one statement that a model proposes, as it stands in the answer.
type fact struct {
	text string
	// cited are the numbers of the messages it is taken from, as given in the prompt.
	cited []int
	// date is when it happens, nil if the answer has no plain date.
	date     *time.Time
	category string
}

// proposal is what an answer holds.
type proposal struct {
	list []fact
	// more says that something follows the JSON, so that the model was done with it.
	more bool
	// over says that there were more than maxFacts.
	over bool
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
	dateKeys     = []string{"date"}
	categoryKeys = []string{"category"}
)

// parseAnswer gives the facts of the first of the parts that holds any: of all calls
// of a tool together, else of what is said beside them.
func parseAnswer(a answer) (proposal, error) {
	var all proposal
	called := false
	for _, arguments := range a.calls {
		got, err := parseFacts(arguments)
		switch {
		case err == nil:
			called = true
			all.list, all.over = append(all.list, got.list...), all.over || got.over
		case errors.Is(err, errTorn):
			return proposal{}, err
		}
	}
	if called {
		return all.bounded(), nil
	}
	return parseFacts(a.content)
}

// parseFacts finds the first list of facts in what a model said: bare, fenced, or with
// anything before and after it. An item of the list that is no fact comes as one that
// cites nothing.
func parseFacts(content string) (proposal, error) {
	if i := strings.LastIndex(content, "</think>"); i >= 0 {
		content = content[i:]
	}
	content = content[:min(len(content), maxContent)]
	for range maxOpenings {
		i := strings.IndexAny(content, "{[")
		if i < 0 {
			break
		}
		content = content[i:]
		r := reader{in: content}
		if root, ok := r.value(0); ok {
			if items, ok := factsOf(&root); ok {
				if r.torn {
					return proposal{}, errTorn
				}
				var out proposal
				for i := range items {
					out.list = append(out.list, factOf(&items[i]))
				}
				out.more = strings.Trim(content[r.at:], " \t\r\n`") != ""
				return out.bounded(), nil
			}
		}
		content = content[1:]
	}
	return proposal{}, errNoFacts
}

// bounded drops repeats, and what is too much.
func (p proposal) bounded() proposal {
	seen := map[string]bool{}
	var out []fact
	for _, one := range p.list {
		key := normal(one.text)
		for _, n := range one.cited[:min(len(one.cited), maxCited+1)] {
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

// factsOf finds the items of a list of facts in a value: what stands under "facts",
// a list of what are facts by their keys, or one such fact; else in what it holds.
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
		if items, ok = factsOf(&n.items[i]); ok {
			return items, true
		}
	}
	return nil, false
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
	_, says := n.get(textKeys, text)
	_, cites := n.get(sourcesKeys, list, number, text)
	return says && cites
}

func factOf(n *node) fact {
	if n.kind != object {
		return fact{}
	}
	said, _ := n.get(textKeys, text)
	sources, _ := n.get(sourcesKeys, list, number, text)
	date, _ := n.get(dateKeys, text)
	category, _ := n.get(categoryKeys, text)
	out := fact{text: said.text, cited: numbersIn(&sources), category: categoryOf(category.text)}
	if t, err := time.Parse(time.DateOnly, date.text); err == nil && t.Year() >= 1 {
		out.date = &t
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

// categoryOf gives a label as categories are written, "" for what is none.
func categoryOf(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if len(s) > 40 {
		return ""
	}
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '-' {
			return ""
		}
	}
	switch s {
	case "null", "none", "other", "misc":
		return ""
	}
	return s
}
