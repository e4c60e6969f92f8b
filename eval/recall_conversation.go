package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memdhq/memd"
)

const (
	turnsSuffix     = ".turns.jsonl"
	questionsSuffix = ".questions.jsonl"
	// heldOutSuffix ends the names of conversations that weights are not fitted on.
	heldOutSuffix = "-heldout"
	// adversarial are questions that nothing in the conversation answers.
	adversarial = 5
)

// conversation is what was said over some months, and what is asked of it.
type conversation struct {
	// name is that of its files.
	name      string
	turns     []turn
	questions []question
}

// turn is one message: a line of a file *.turns.jsonl.
type turn struct {
	// Session is its number within the conversation, from 1.
	Session int `json:"session"`
	// Time is when the session took place, in UTC: 2024-03-02T18:20:00.
	Time string `json:"session_time"`
	// ID names the message within the conversation.
	ID string `json:"dia_id"`
	// Speaker is user, assistant, or the name of one of several people.
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
}

// question is a line of a file *.questions.jsonl.
type question struct {
	Question string `json:"question"`
	Answer   any    `json:"answer"`
	// Kind is what makes the question hard, CategoryName in a file.
	Kind string `json:"category_name"`
	// Category is the kind's number, in files that have one.
	Category int `json:"category"`
	// Evidence are the ids of all messages that are needed to answer.
	Evidence []string `json:"evidence"`
	// Asked is when it is asked, as the time of a turn; "" asks now.
	Asked string `json:"asked"`
	// IncludeSuperseded asks for what is over as well.
	IncludeSuperseded bool `json:"include_superseded"`
}

// search is the body of a search that asks a user's memories.
func (q question) search(user string, limit int) map[string]any {
	body := map[string]any{"query": q.Question, "user_id": user, "limit": limit}
	if q.Asked != "" {
		body["as_of"] = q.Asked + "Z"
	}
	if q.IncludeSuperseded {
		body["include_superseded"] = true
	}
	return body
}

// group is the first word of a conversation's name: the kind of conversation it is.
func (c conversation) group() string {
	group, _, _ := strings.Cut(c.name, "-")
	return group
}

func (c conversation) heldOut() bool { return strings.HasSuffix(c.name, heldOutSuffix) }

// named says whether the speakers are people with names, not a user and an assistant.
func (c conversation) named() bool {
	return slices.ContainsFunc(c.turns, func(t turn) bool {
		return t.Speaker != string(memd.RoleUser) && t.Speaker != string(memd.RoleAssistant)
	})
}

// loadConversations reads those of a folder that belong to a part: open, heldout or all.
func loadConversations(dir, part string) ([]conversation, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*"+turnsSuffix))
	if err != nil {
		return nil, err
	}
	var all []conversation
	for _, file := range files {
		c := conversation{name: strings.TrimSuffix(filepath.Base(file), turnsSuffix)}
		if part != "all" && (part == heldOutSet) != c.heldOut() {
			continue
		}
		turns, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		questions, err := os.ReadFile(strings.TrimSuffix(file, turnsSuffix) + questionsSuffix)
		if err != nil {
			return nil, err
		}
		if err := c.parse(turns, questions); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s holds no conversations of the set %s: %w", dir, part, os.ErrNotExist)
	}
	return all, nil
}

// parse reads a conversation's two files and checks them. Questions that nothing answers
// are left out, and so is evidence that was not said.
func (c *conversation) parse(turns, questions []byte) (err error) {
	if c.turns, err = lines[turn](turns); err != nil {
		return fmt.Errorf("turns: %w", err)
	}
	asked, err := lines[question](questions)
	if err != nil {
		return fmt.Errorf("questions: %w", err)
	}
	said := map[string]bool{}
	for i, t := range c.turns {
		if err := t.check(); err != nil {
			return fmt.Errorf("turns, line %d: %w", i+1, err)
		}
		if said[t.ID] {
			return fmt.Errorf("turns, line %d: a second message %q", i+1, t.ID)
		}
		said[t.ID] = true
	}
	for i, q := range asked {
		if strings.TrimSpace(q.Question) == "" || q.Kind == "" {
			return fmt.Errorf("questions, line %d: there is no question or no category_name", i+1)
		}
		if q.Asked != "" {
			if _, err := time.Parse(sessionTime, q.Asked); err != nil {
				return fmt.Errorf("questions, line %d: asked %q is not as 2024-03-02T18:20:00", i+1, q.Asked)
			}
		}
		q.Evidence = slices.DeleteFunc(q.Evidence, func(id string) bool { return !said[id] })
		if q.Category != adversarial && len(q.Evidence) > 0 {
			c.questions = append(c.questions, q)
		}
	}
	if len(c.questions) == 0 {
		return errors.New("there are no questions that are answered")
	}
	return nil
}

// sessionTime is how times are written in the files.
const sessionTime = "2006-01-02T15:04:05"

func (t turn) check() error {
	switch {
	case t.ID == "" || t.Session < 1 || strings.TrimSpace(t.Text) == "":
		return errors.New("there is no dia_id, session or text")
	case t.Speaker != strings.TrimSpace(t.Speaker) || t.Speaker == "":
		return fmt.Errorf("speaker %q", t.Speaker)
	}
	if _, err := time.Parse(sessionTime, t.Time); err != nil {
		return fmt.Errorf("session_time %q is not as 2024-03-02T18:20:00", t.Time)
	}
	return nil
}

// longestLine bounds what is read as one line, in bytes.
const longestLine = 1 << 20

// lines reads a value a line; empty lines are left out.
func lines[T any](raw []byte) (all []T, err error) {
	scanner := bufio.NewScanner(bytes.NewReader(raw))
	scanner.Buffer(nil, longestLine)
	for n := 1; scanner.Scan(); n++ {
		line := bytes.TrimSpace(scanner.Bytes())
		if len(line) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		all = append(all, v)
	}
	return all, scanner.Err()
}
