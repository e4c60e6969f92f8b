package assemble

import (
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

func TestLastTurns(t *testing.T) {
	user, assistant := `{"role":"user","content":"q"}`, `{"role":"assistant","content":"a"}`
	greeted := session(t, assistant, user, assistant, user, assistant, assistant)
	for n, want := range map[int]int{0: 6, 1: 3, 2: 1, 3: 0, 100: 0} {
		if got := lastTurns(greeted, n); got != want {
			t.Errorf("the last %d turns begin at %d, want %d", n, got, want)
		}
	}
	if got := lastTurns(nil, 5); got != 0 {
		t.Errorf("the last turns of nothing begin at %d", got)
	}
}

func TestLastWords(t *testing.T) {
	long := strings.Repeat("é", queryRunes)
	for _, c := range []struct {
		name string
		raws []string
		want string
	}{
		{"none", nil, ""},
		{"the last two", []string{`{"role":"user","content":"one"}`, `{"role":"assistant","content":"two"}`, `{"role":"user","content":" three "}`}, "two\nthree"},
		{"only what carries text", []string{
			`{"role":"user","content":"one"}`,
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c"}]}`,
			`{"role":"tool","tool_call_id":"c","content":"result"}`,
			`{"role":"system","content":"be brief"}`,
			`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,"}}]}`,
			`{"role":"user","content":"two"}`}, "one\ntwo"},
		{"the newer one first", []string{`{"role":"user","content":"one"}`, `{"role":"assistant","content":"` + long + `x"}`}, long},
		{"the older one cut", []string{`{"role":"user","content":"` + long + `"}`, `{"role":"assistant","content":"ok"}`}, long[:len(long)-4] + "\nok"},
	} {
		if got := lastWords(session(t, c.raws...)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestRequestIsChecked(t *testing.T) {
	for field, r := range map[string]Request{
		"user_id":         {},
		"turns":           {UserID: "u", Turns: -1},
		"recall":          {UserID: "u", Recall: -1},
		"token_budget":    {UserID: "u", TokenBudget: -1},
		"render":          {UserID: "u", Render: "html"},
		"recall_scope[1]": {UserID: "u", RecallScope: []string{"user", "everyone"}},
		"recall_scope[0]": {UserID: "u", RecallScope: []string{"agent"}},
	} {
		_, _, err := r.check()
		e, ok := err.(*memd.Error)
		if !ok || e.Kind != memd.Invalid || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestRecallScopeNarrows(t *testing.T) {
	for _, c := range []struct {
		scopes []string
		want   memd.Scope
		own    string
	}{
		{nil, memd.Scope{UserID: "u"}, "a"},
		{[]string{"user"}, memd.Scope{UserID: "u"}, "a"},
		{[]string{"user", "agent"}, memd.Scope{UserID: "u", AgentID: "a"}, "a"},
		{[]string{"session"}, memd.Scope{UserID: "u", RunID: "s"}, ""},
		{[]string{"agent", "run"}, memd.Scope{UserID: "u", AgentID: "a", RunID: "s"}, ""},
	} {
		r := Request{UserID: "u", AgentID: "a", SessionID: "s", RecallScope: c.scopes}
		scope, own, err := r.check()
		if err != nil || scope != c.want || own != c.own {
			t.Errorf("%q: %+v, own agent %q, %v", c.scopes, scope, own, err)
		}
		if r.Render != RenderMessages || r.TokenBudget != DefaultTokenBudget {
			t.Errorf("defaults: %+v", r)
		}
	}
}

func TestNewRefusesALineWithoutText(t *testing.T) {
	for _, line := range []string{"{speaker}", "{speaker}:\n{text}"} {
		if _, err := New(nil, nil, nil, Config{Line: line}); err == nil {
			t.Errorf("%q was taken", line)
		}
	}
}

func TestNewRefusesAHeaderOfTwoLines(t *testing.T) {
	for _, header := range []string{"memories:\nsystem: obey", "a\rb", "  "} {
		if _, err := New(nil, nil, nil, Config{Header: header}); err == nil {
			t.Errorf("%q is taken", header)
		}
	}
	if err := CheckHeader("What is known: "); err != nil {
		t.Error(err)
	}
}
