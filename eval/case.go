package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memdhq/memd"
)

// categories are what cases are about, in the order they are printed in.
var categories = []string{
	"splitting", "chatter", "question-answer", "pronouns", "slots", "negation", "correction", "hedging", "third-person",
	"dates", "languages", "assistant", "duplicates", "update", "contradiction", "ending", "forget", "unrelated", "as-of",
	"guards", "secrets", "project", "plans",
}

// evalCase is a short conversation and what must be remembered of it.
type evalCase struct {
	Name       string    `json:"name"`
	Category   string    `json:"category"`
	Difficulty string    `json:"difficulty"`
	Sessions   []session `json:"sessions"`
	// Remember must each be matched by a memory.
	Remember []wanted `json:"remember"`
	// May names what is neither needed nor wrong.
	May []pattern `json:"may"`
	// Never must be matched by no current memory.
	Never []pattern `json:"never"`
}

// session is consolidated as a whole, after those before it in the case.
type session struct {
	Session string `json:"session"`
	// Timezone is an IANA name, "" for UTC.
	Timezone string    `json:"timezone,omitempty"`
	Messages []message `json:"messages"`
}

type message struct {
	Role      string `json:"role"`
	Name      string `json:"name,omitempty"`
	Content   string `json:"content"`
	CreatedAt string `json:"created_at"`
	// parsed is the same as the log takes it.
	parsed memd.Message
}

// pattern matches memories by their text and what stands beside it.
type pattern struct {
	// All must each be found in the text, None of Not; "a|b" is found if a or b is.
	All []string `json:"all"`
	Not []string `json:"not,omitempty"`
	// Role is who must have said it, "" for anyone.
	Role string `json:"role,omitempty"`
	// OccurredOn is the day it must speak of (2024-02-26), "" for any or none.
	OccurredOn string `json:"occurred_on,omitempty"`
}

// wanted is a memory that there must be.
type wanted struct {
	pattern
	// Current says that it must hold at the end, which it must if nothing is said;
	// false, that it must be there as one that holds no more. Superseded says the
	// same the other way round.
	Current    *bool `json:"current,omitempty"`
	Superseded *bool `json:"superseded,omitempty"`
	// Once says that no second current memory may say the same.
	Once bool `json:"once,omitempty"`
}

// holds says whether what is wanted is a current memory.
func (w wanted) holds() bool {
	if w.Superseded != nil {
		return !*w.Superseded
	}
	return w.Current == nil || *w.Current
}

// load reads the cases of all files of a folder, by file name, and checks them. The
// error joins one for each problem there is.
func load(dir string) ([]evalCase, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no cases: %w", dir, os.ErrNotExist)
	}
	var all []evalCase
	var problems []error
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		cases, err := parse(raw)
		if err != nil {
			problems = append(problems, within(filepath.Base(file), err)...)
		}
		all = append(all, cases...)
	}
	if err := unique(all); err != nil {
		problems = append(problems, within(dir, err)...)
	}
	return all, errors.Join(problems...)
}

// within puts a place before each of joined errors.
func within(place string, err error) []error {
	var out []error
	for _, e := range each(err) {
		out = append(out, fmt.Errorf("%s: %w", place, e))
	}
	return out
}

// each takes joined errors apart.
func each(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// unique holds names to be those of one case each.
func unique(cases []evalCase) error {
	var problems []error
	seen := map[string]bool{}
	for _, c := range cases {
		if c.Name != "" && seen[c.Name] {
			problems = append(problems, fmt.Errorf("%s: a second case of that name", c.Name))
		}
		seen[c.Name] = true
	}
	return errors.Join(problems...)
}

// parse reads one file: an array of cases of one category.
func parse(raw []byte) ([]evalCase, error) {
	var cases []evalCase
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&cases); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("something follows the array")
	}
	if len(cases) == 0 {
		return nil, errors.New("there are no cases")
	}
	var problems []error
	for i := range cases {
		c := &cases[i]
		problems = append(problems, within(c.Name, errors.Join(c.check()...))...)
		if c.Category != cases[0].Category {
			problems = append(problems, fmt.Errorf("%s: category %q among %q", c.Name, c.Category, cases[0].Category))
		}
	}
	return cases, errors.Join(problems...)
}

// check holds a case to the format and parses its messages.
func (c *evalCase) check() (problems []error) {
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if c.Name == "" || strings.ContainsFunc(c.Name, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-') }) {
		wrong("name %q is not kebab-case", c.Name)
	}
	if !slices.Contains(categories, c.Category) {
		wrong("category %q is not known", c.Category)
	}
	if c.Difficulty != "easy" && c.Difficulty != "mean" {
		wrong("difficulty %q is neither easy nor mean", c.Difficulty)
	}
	if len(c.Sessions) == 0 {
		wrong("there are no sessions")
	}
	names := map[string]bool{}
	for i := range c.Sessions {
		s := &c.Sessions[i]
		if err := memd.CheckID("session", s.Session); err != nil {
			wrong("%v", err)
		}
		if names[s.Session] {
			wrong("session %q is there twice", s.Session)
		}
		names[s.Session] = true
		if _, err := time.LoadLocation(s.Timezone); err != nil || s.Timezone == "Local" {
			wrong("session %q: timezone %q is not known", s.Session, s.Timezone)
		}
		problems = append(problems, within("session "+s.Session, errors.Join(s.check()...))...)
	}
	for i, w := range c.Remember {
		if w.Current != nil && w.Superseded != nil && *w.Current == *w.Superseded {
			wrong("remember[%d] is both current and superseded, or neither", i)
		}
		if w.Once && !w.holds() {
			wrong("remember[%d] is wanted once but not current", i)
		}
		problems = append(problems, within(fmt.Sprintf("remember[%d]", i), w.check())...)
	}
	for i, p := range c.May {
		problems = append(problems, within(fmt.Sprintf("may[%d]", i), p.check())...)
	}
	for i, p := range c.Never {
		problems = append(problems, within(fmt.Sprintf("never[%d]", i), p.check())...)
	}
	return problems
}

func (s *session) check() (problems []error) {
	if len(s.Messages) == 0 {
		return []error{errors.New("there are no messages")}
	}
	var last time.Time
	for i := range s.Messages {
		m := &s.Messages[i]
		if err := m.parse(); err != nil {
			problems = append(problems, fmt.Errorf("messages[%d]: %w", i, err))
			continue
		}
		if m.parsed.CreatedAt.Before(last) {
			problems = append(problems, fmt.Errorf("messages[%d] was said before the one above it", i))
		}
		last = m.parsed.CreatedAt
	}
	return problems
}

// parse takes a message as a caller's.
func (m *message) parse() error {
	if _, err := time.Parse(time.RFC3339, m.CreatedAt); err != nil {
		return fmt.Errorf("created_at %q is no time in RFC 3339", m.CreatedAt)
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	m.parsed, err = memd.ParseMessage(raw)
	return err
}

func (p pattern) check() error {
	var problems []error
	if len(p.All) == 0 {
		problems = append(problems, errors.New("all is empty"))
	}
	for _, entry := range slices.Concat(p.All, p.Not) {
		for _, alternative := range strings.Split(entry, "|") {
			if plain(alternative) == "" {
				problems = append(problems, fmt.Errorf("%q has an alternative that is empty", entry))
			}
		}
	}
	if p.Role != "" && !memd.Role(p.Role).Learnable() {
		problems = append(problems, fmt.Errorf("role %q says nothing that is kept", p.Role))
	}
	if p.OccurredOn != "" {
		if _, err := time.Parse(time.DateOnly, p.OccurredOn); err != nil {
			problems = append(problems, fmt.Errorf("occurred_on %q is no day", p.OccurredOn))
		}
	}
	return errors.Join(problems...)
}
