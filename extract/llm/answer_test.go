package llm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
)

func TestAnswersOfAnotherShapeAreMended(t *testing.T) {
	item := `{"text":"I like green tea","sources":[1]}`
	for name, content := range map[string]string{
		"bare list":           `[` + item + `]`,
		"one fact":            item,
		"one fact as facts":   `{"facts":` + item + `}`,
		"facts by number":     `{"facts":{"1":` + item + `}}`,
		"another name":        `{"memories":[` + item + `]}`,
		"other keys":          `{"facts":[{"statement":"I like green tea","source_ids":["#1"]}]}`,
		"ids as objects":      `{"facts":[{"text":"I like green tea","sources":[{"id":1}]}]}`,
		"ids as one text":     `{"facts":[{"text":"I like green tea","sources":"1, 7"}]}`,
		"ids with a point":    `{"facts":[{"text":"I like green tea","sources":[1.0]}]}`,
		"JSON in a text":      `{"facts":"[{\"text\":\"I like green tea\",\"sources\":[1]}]"}`,
		"Python":              `{'facts': [{'text': 'I like green tea', 'sources': [1], 'date': None}]}`,
		"trailing commas":     `{"facts":[{"text":"I like green tea","sources":[1,],},],}`,
		"no end":              `{"facts":[` + item,
		"facts twice":         `{"facts":[],"facts":[` + item + `],"facts":[]}`,
		"text twice":          `{"facts":[{"text":"I own a yacht","sources":[9],"text":"I like green tea","sources":[1]}]}`,
		"text twice, once no": `{"facts":[{"text":"I like green tea","text":null,"sources":[1]}]}`,
		"a quote in it":       `{"facts":[{"text":"I like "green tea"","sources":[1]}]}`,
		"mark of order":       "\ufeff" + `{"facts":[` + item + `]}`,
		"prose with brackets": "[Note] {see below}\n\n* facts: [" + item + "]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, e := extractWith(t, replies(says(content)), user(1, "I like green tea."))
			if got := texts(e); len(got) != 1 || strings.ReplaceAll(got[0], `"`, "") != "I like green tea" || e.Extractor != model {
				t.Errorf("candidates %q by %s", got, e.Extractor)
			}
			if n := len(s.requests()); n != 1 {
				t.Errorf("%d calls", n)
			}
		})
	}
}

func TestAnswersThatBreakOffAreNotWhole(t *testing.T) {
	for _, content := range []string{`{"facts":[`, `{"facts":[{"text":"I like tea","sources":[1]},`, `{"facts":[{"text":"I like tea","sources":[1]},{"te`, "```json\n[{\"text\":\"I like tea\",\"sources\":[1]},{"} {
		if got, err := parseFacts(content); !errors.Is(err, errTorn) {
			t.Errorf("%s: %+v, %v", content, got, err)
		}
	}
	// Said to be done, it was not: less at once is asked for, and never the same.
	s := play(t, func(_ int, a asked) reply {
		_, lines := a.fresh(t)
		if len(lines) > 1 {
			return says(`{"facts":[{"text":"I like te`)
		}
		return says(facts(lines[0].Text, []int{1}))
	})
	in := []memd.Message{user(1, "I like green tea"), user(2, "I keep bees in Ghent")}
	want(t, must(t, s.extractor(), extract.Input{Messages: in}), model, "I like green tea", "I keep bees in Ghent")
	s.noRequestTwice()
	if n := len(s.requests()); n != 3 {
		t.Errorf("%d calls", n)
	}
}

// Repeats do not use up what is looked at; of too many others the rest is asked for in
// parts.
func TestFactsAreCounted(t *testing.T) {
	var b strings.Builder
	for range 5000 {
		b.WriteString(`{"text":"I like tea","sources":[1]},`)
	}
	got, err := parseFacts(`{"facts":[` + b.String() + `{"text":"I like rum","sources":[1]}]}`)
	if err != nil || len(got.list) != 2 || got.over {
		t.Errorf("%d facts, over %v, %v", len(got.list), got.over, err)
	}
	b.Reset()
	for i := range maxFacts + 1 {
		fmt.Fprintf(&b, `{"text":"I own boat %d","sources":[1]},`, i)
	}
	got, err = parseFacts(`{"facts":[` + b.String() + `]}`)
	if err != nil || len(got.list) != maxFacts || !got.over {
		t.Errorf("%d facts, over %v, %v", len(got.list), got.over, err)
	}
}

func TestCallsOfAToolAreReadTogether(t *testing.T) {
	one, two := `{"facts":[{"text":"a","sources":[1]}]}`, `{"facts":[{"text":"b","sources":[2]}]}`
	for _, c := range []struct {
		a    choice
		want []string
	}{
		{choice{calls: []string{one, two}}, []string{"a", "b"}},
		{choice{calls: []string{one, one}}, []string{"a"}},
		{choice{calls: []string{one}, content: two}, []string{"a"}},
		{choice{calls: []string{"", "{}"}, content: two}, []string{"b"}},
		{choice{calls: []string{`{"text":"a","sources":[1]}`, `{"text":"b","sources":[1]}`}}, []string{"a", "b"}},
	} {
		got, err := c.a.parse(prompt{})
		var said []string
		for _, f := range got.list {
			said = append(said, f.text)
		}
		if err != nil || !slices.Equal(said, c.want) {
			t.Errorf("%+v: %q, %v", c.a, said, err)
		}
	}
	if _, err := (&choice{calls: []string{one, `{"facts":[{"te`}}).parse(prompt{}); !errors.Is(err, errTorn) {
		t.Errorf("half a call: %v", err)
	}
}
