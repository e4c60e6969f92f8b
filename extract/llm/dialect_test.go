package llm

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
)

// modeOf tells how a request asks for the shape of the answer.
func modeOf(a asked) string {
	switch {
	case a.ResponseFormat != nil:
		return "schema"
	case a.Tools != nil && a.ToolChoice != nil:
		return "tool"
	case a.Tools != nil:
		return "free tool"
	}
	return "plain"
}

func modesOf(s *server) string {
	var out []string
	for _, a := range s.requests() {
		out = append(out, modeOf(a))
	}
	return strings.Join(out, ", ")
}

var (
	tea   = extract.Input{Messages: []memd.Message{user(1, "I like tea")}}
	isTea = facts("I like tea", []int{1})
)

// takes is a server that knows some modes, answers in them, and refuses others so.
func takes(refusal reply, modes ...string) func(int, asked) reply {
	return func(_ int, a asked) reply {
		m := modeOf(a)
		switch {
		case !slices.Contains(modes, m):
			return refusal
		case strings.Contains(m, "tool"):
			return reply{calls: []any{isTea}, finish: "tool_calls"}
		}
		return says(isTea)
	}
}

func TestAServerIsAskedInTheRichestModeItKnows(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(int, asked) reply
		first  string
		then   string
	}{
		"all":             {takes(reply{}, "schema", "tool", "plain"), "schema", "schema"},
		"no schema":       {takes(reply{status: 400, body: `{"error":"json_schema is not supported"}`}, "tool", "plain"), "schema, tool", "tool"},
		"no schema, 500":  {takes(reply{status: 500, body: `{"error":{"message":"failed to parse grammar"}}`}, "tool", "plain"), "schema, tool", "tool"},
		"tools, as 500":   {takes(reply{status: 500, body: `{"error":{"message":"tools param requires --jinja flag; response_format: bad"}}`}, "plain"), "schema, tool, plain", "plain"},
		"no tool chosen":  {takes(reply{status: 400, body: `{"error":"response_format, tool_choice"}`}, "free tool", "plain"), "schema, tool, free tool", "free tool"},
		"words alone":     {takes(reply{status: 422, body: `{"detail":"extra fields not permitted"}`}, "plain"), "schema, tool, plain", "plain"},
		"failed with 200": {takes(reply{body: `{"error":{"code":400,"message":"unsupported response_format"}}`}, "tool"), "schema, tool", "tool"},
	} {
		t.Run(name, func(t *testing.T) {
			s := play(t, c.answer)
			x := s.extractor()
			for range 2 {
				want(t, must(t, x, tea), model, "I like tea")
			}
			if got := modesOf(s); got != c.first+", "+c.then {
				t.Errorf("asked by %s, want %s, then %s", got, c.first, c.then)
			}
		})
	}
}

func TestWhatAToolIsCalledWithIsRead(t *testing.T) {
	for name, r := range map[string]reply{
		"a text":            {calls: []any{isTea}},
		"JSON":              {calls: []any{map[string]any{"facts": []any{map[string]any{"text": "I like tea", "sources": []int{1}}}}}},
		"two calls":         {calls: []any{isTea, `{"facts":[]}`}},
		"an old call":       {body: `{"choices":[{"message":{"content":"","function_call":{"name":"facts","arguments":"{\"text\":\"I like tea\",\"sources\":[1]}"}}}]}`},
		"said beside it":    {body: `{"choices":[{"message":{"content":"{\"facts\":[{\"text\":\"I like tea\",\"sources\":[1]}]}","tool_calls":[{"function":{"arguments":null}}]}}]}`},
		"tool_calls is odd": {body: `{"choices":[{"message":{"content":"{\"facts\":[{\"text\":\"I like tea\",\"sources\":[1]}]}","tool_calls":{"a":1}},"finish_reason":7}],"usage":"none"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s, e := extractWith(t, replies(r), tea.Messages...)
			want(t, e, model, "I like tea")
			if n := len(s.requests()); n != 1 {
				t.Errorf("%d calls", n)
			}
		})
	}
}

// A server that takes a schema and does not hold its model to it is found out.
func TestASchemaThatIsNotHeldToIsGivenUp(t *testing.T) {
	s := play(t, func(_ int, a asked) reply {
		if a.ResponseFormat != nil {
			return says("Roses are red, violets are blue")
		}
		return reply{calls: []any{isTea}}
	})
	x := s.extractor()
	for range 4 {
		want(t, must(t, x, tea), model, "I like tea")
	}
	if got := modesOf(s); got != "schema, tool, schema, tool, tool, tool" {
		t.Errorf("asked by %s", got)
	}
	// One odd answer is no reason.
	s = play(t, func(n int, _ asked) reply {
		if n == 1 {
			return says("Roses are red")
		}
		return says(isTea)
	})
	x = s.extractor()
	for range 2 {
		want(t, must(t, x, tea), model, "I like tea")
	}
	if got := modesOf(s); got != "schema, tool, schema" {
		t.Errorf("asked by %s", got)
	}
}

func TestAServerThatLearnsIsAskedAnew(t *testing.T) {
	var grown atomic.Bool
	old := takes(reply{status: 400, body: "response_format"}, "tool")
	s := play(t, func(n int, a asked) reply {
		if !grown.Load() {
			return old(n, a)
		}
		return takes(reply{status: 400, body: "tool"}, "schema")(n, a)
	})
	x := s.extractor(func(c *Config) { c.Reprobe = time.Hour })
	want(t, must(t, x, tea), model, "I like tea")
	grown.Store(true)
	x.client.manners.since = x.client.manners.since.Add(-2 * time.Hour)
	for range 2 {
		want(t, must(t, x, tea), model, "I like tea")
	}
	if got := modesOf(s); got != "schema, tool, schema, schema" {
		t.Errorf("asked by %s", got)
	}
}

// One that is replaced by another behind the same address is found out by its refusals.
func TestAServerThatForgetsIsAskedAnew(t *testing.T) {
	var other atomic.Bool
	s := play(t, func(n int, a asked) reply {
		if other.Load() {
			return takes(reply{status: 400, body: "tools are not for me"}, "plain")(n, a)
		}
		return takes(reply{status: 400, body: "response_format"}, "tool")(n, a)
	})
	x := s.extractor()
	want(t, must(t, x, tea), model, "I like tea")
	other.Store(true)
	for range 2 {
		want(t, must(t, x, tea), model, "I like tea")
	}
	if got := modesOf(s); got != "schema, tool, tool, plain, plain" {
		t.Errorf("asked by %s", got)
	}
}

// A message that a server refuses for ever costs a few calls, and its neighbours
// nothing.
func TestAMessageThatIsRefusedStandsAlone(t *testing.T) {
	s := play(t, func(_ int, a asked) reply {
		_, lines := a.fresh(t)
		var all []any
		for i, l := range lines {
			if strings.Contains(l.Text, "unspeakable") {
				return reply{status: 400, body: `{"error":{"message":"rejected"}}`}
			}
			all = append(all, l.Text, []int{i + 1})
		}
		return says(facts(all...))
	})
	x := s.extractor()
	want(t, must(t, x, tea), model, "I like tea")
	in := extract.Input{Messages: []memd.Message{user(2, "I keep bees"), user(3, "I own an unspeakable boat"), user(4, "I eat rye bread"), user(5, "I play the oboe")}}
	for range 3 {
		before := len(s.requests())
		e := must(t, x, in)
		if e.Extractor != model+" + "+extract.RulesVersion+" (llm: refused)" {
			t.Errorf("extractor %q", e.Extractor)
		}
		if got := texts(e); !slices.Equal(got, []string{"I keep bees", "I own an unspeakable boat", "I eat rye bread", "I play the oboe"}) {
			t.Errorf("candidates %q", got)
		}
		if n := len(s.requests()) - before; n != 5 {
			t.Errorf("%d calls", n)
		}
	}
	want(t, must(t, x, tea), model, "I like tea")
	if strings.Contains(modesOf(s), "tool") || strings.Contains(modesOf(s), "plain") {
		t.Errorf("asked by %s", modesOf(s))
	}
}

func TestAServerThatTakesNothingIsLeftAlone(t *testing.T) {
	s := play(t, replies(reply{status: 400, body: "no"}))
	x := s.extractor(func(c *Config) { c.Pause = time.Hour })
	wantRules(t, must(t, x, tea), "refused", tea.Messages...)
	for range 3 {
		wantRules(t, must(t, x, tea), "unavailable", tea.Messages...) // these it was not asked
	}
	if got := modesOf(s); got != "schema, tool, plain" {
		t.Errorf("asked by %s", got)
	}
}

func TestAWithheldAnswerGivesWayToTheRules(t *testing.T) {
	s, e := extractWith(t, replies(reply{content: "", finish: "content_filter"}), tea.Messages...)
	wantRules(t, e, "refused", tea.Messages...)
	s.noRequestTwice()
}

// A server that says how long it wants to be left alone is, by all extractions.
func TestAServerIsLeftAloneForAsLongAsItAsks(t *testing.T) {
	for _, r := range []reply{
		{status: 429, header: map[string]string{"Retry-After": "600"}},
		{status: 503, header: map[string]string{"Retry-After": "600"}},
		{header: map[string]string{"Retry-After": "600"}, body: `{"error":{"code":429,"message":"slow down"}}`},
	} {
		s := play(t, replies(r, says(isTea)))
		x := s.extractor(func(c *Config) { c.Pause = time.Nanosecond })
		for range 5 {
			e := must(t, x, tea)
			if !strings.Contains(e.Extractor, "(llm: ") || !slices.Equal(texts(e), []string{"I like tea"}) {
				t.Errorf("%+v", e)
			}
		}
		if n := len(s.requests()); n != 1 {
			t.Errorf("%d calls", n)
		}
		x.client.until = time.Time{} // ten minutes later
		want(t, must(t, x, tea), model, "I like tea")
	}
}
