package llm

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

const (
	// maxContent is how much of an answer is looked at, in bytes.
	maxContent = 256 << 10
	// maxOpenings is at how many braces it is tried to read JSON.
	maxOpenings = 40
	// maxFacts is how many statements of one answer are looked at.
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

var errNoFacts = errors.New(`it holds no JSON object with a list "facts"`)

// parseFacts finds the first JSON object with a list "facts" in what a model said:
// bare, fenced, or with anything before and after it. An item of the list that is no
// fact comes as one that cites nothing. more says that something follows the object,
// so that the model was done with it.
func parseFacts(content string) (facts []fact, more bool, err error) {
	if i := strings.LastIndex(content, "</think>"); i >= 0 {
		content = content[i:]
	}
	content = content[:min(len(content), maxContent)]
	for range maxOpenings {
		i := strings.IndexByte(content, '{')
		if i < 0 {
			break
		}
		content = content[i:]
		var object struct {
			Facts *[]json.RawMessage `json:"facts"`
		}
		dec := json.NewDecoder(strings.NewReader(content))
		if dec.Decode(&object) == nil && object.Facts != nil {
			for _, raw := range (*object.Facts)[:min(len(*object.Facts), maxFacts)] {
				facts = append(facts, parseFact(raw))
			}
			return facts, strings.Trim(content[dec.InputOffset():], " \t\r\n`") != "", nil
		}
		content = content[1:]
	}
	return nil, false, errNoFacts
}

func parseFact(raw json.RawMessage) fact {
	var f struct {
		Text     string          `json:"text"`
		Sources  json.RawMessage `json:"sources"`
		Date     json.RawMessage `json:"date"`
		Category json.RawMessage `json:"category"`
	}
	if json.Unmarshal(raw, &f) != nil {
		return fact{}
	}
	out := fact{text: f.Text, cited: numbersIn(f.Sources)}
	var s string
	if json.Unmarshal(f.Date, &s) == nil {
		if t, err := time.Parse(time.DateOnly, s); err == nil && t.Year() >= 1 {
			out.date = &t
		}
	}
	if s = ""; json.Unmarshal(f.Category, &s) == nil {
		out.category = categoryOf(s)
	}
	return out
}

// numbersIn reads [1,2], ["1","[2]"], 1 and "1".
func numbersIn(raw json.RawMessage) []int {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	var out []int
	for _, item := range list[:min(len(list), 1000)] {
		if n, err := strconv.Atoi(strings.Trim(string(item), "\"[]# ")); err == nil {
			out = append(out, n)
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
