package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"github.com/rs/zerolog"
)

// asked is a request as the server saw it.
type asked struct {
	Model          string           `json:"model"`
	Messages       []memdChat       `json:"messages"`
	ResponseFormat *json.RawMessage `json:"response_format"`
	Tools          *json.RawMessage `json:"tools"`
	ToolChoice     *json.RawMessage `json:"tool_choice"`
	Temperature    *float64         `json:"temperature"`
	MaxTokens      int              `json:"max_tokens"`
	MaxCompletion  int              `json:"max_completion_tokens"`

	raw  string
	auth string
}

type memdChat struct{ Role, Content string }

// fresh gives the new messages of a request, and what comes before them.
func (a asked) fresh(t *testing.T) (before string, lines []line) {
	t.Helper()
	user := a.Messages[len(a.Messages)-1].Content
	before, after, ok := strings.Cut(user, "New messages:\n")
	if !ok {
		t.Errorf("no new messages in %q", user)
	}
	for _, l := range strings.Split(after, "\n") {
		var m line
		if json.Unmarshal([]byte(l), &m) == nil && m.ID > 0 {
			lines = append(lines, m)
		}
	}
	return before, lines
}

// reply is what the server answers.
type reply struct {
	status  int
	header  map[string]string
	body    string // the whole body; else a completion of content
	content string
	calls   []any // the arguments of calls of the tool: a text, or JSON
	finish  string
	prompt  int // usage.prompt_tokens
	used    int // usage.completion_tokens
}

// server plays a model. answer is called for each request, n counting from 1; without
// one each reply of replies is given in turn, the last one for ever.
type server struct {
	t      *testing.T
	answer func(n int, a asked) reply
	http   *httptest.Server

	mu    sync.Mutex
	asked []asked
	// tells are the bodies for GET, by path; other paths are not found.
	tells map[string]string
	looks []string
}

func play(t *testing.T, answer func(n int, a asked) reply) *server {
	t.Helper()
	s := &server{t: t, answer: answer}
	s.http = httptest.NewServer(s)
	t.Cleanup(s.http.Close)
	return s
}

func replies(all ...reply) func(int, asked) reply {
	return func(n int, _ asked) reply { return all[min(n, len(all))-1] }
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		s.mu.Lock()
		body, ok := s.tells[r.URL.Path]
		s.looks = append(s.looks, r.URL.Path)
		s.mu.Unlock()
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(body))
		return
	}
	var a asked
	var raw json.RawMessage
	if r.URL.Path != "/v1/chat/completions" || json.NewDecoder(r.Body).Decode(&raw) != nil || json.Unmarshal(raw, &a) != nil {
		s.t.Errorf("unreadable request for %s", r.URL.Path)
	}
	a.raw, a.auth = string(raw), r.Header.Get("Authorization")
	s.mu.Lock()
	s.asked = append(s.asked, a)
	n := len(s.asked)
	s.mu.Unlock()
	p := s.answer(n, a)
	for k, v := range p.header {
		w.Header().Set(k, v)
	}
	if p.status != 0 {
		w.WriteHeader(p.status)
	}
	if p.body == "" && p.status == 0 {
		if p.finish == "" {
			p.finish = "stop"
		}
		message := map[string]any{"role": "assistant", "content": p.content}
		if p.calls != nil {
			var calls []any
			for _, arguments := range p.calls {
				calls = append(calls, map[string]any{"type": "function", "function": map[string]any{"name": "facts", "arguments": arguments}})
			}
			message["content"], message["tool_calls"] = nil, calls
		}
		body, _ := json.Marshal(map[string]any{
			"choices": []any{map[string]any{"message": message, "finish_reason": p.finish}},
			"usage":   map[string]any{"prompt_tokens": p.prompt, "completion_tokens": p.used},
		})
		p.body = string(body)
	}
	_, _ = w.Write([]byte(p.body)) // the client may have gone
}

func (s *server) requests() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// noRequestTwice holds the extractor to never asking the same again.
func (s *server) noRequestTwice() {
	s.t.Helper()
	seen := map[string]bool{}
	for _, a := range s.requests() {
		if seen[a.raw] {
			s.t.Errorf("asked twice: %s", a.raw)
		}
		seen[a.raw] = true
	}
}

func (s *server) extractor(change ...func(*Config)) *Extractor {
	s.t.Helper()
	config := Config{URL: s.http.URL + "/v1", Model: "tiny", Log: zerolog.New(zerolog.NewTestWriter(s.t))}
	for _, c := range change {
		c(&config)
	}
	x := New(config, extract.NewRules())
	x.pause = time.Microsecond
	s.t.Cleanup(x.Close)
	return x
}

// extract has a server that answers so extract from messages.
func extractWith(t *testing.T, answer func(int, asked) reply, in ...memd.Message) (*server, memd.Extraction) {
	t.Helper()
	s := play(t, answer)
	return s, must(t, s.extractor(), extract.Input{Messages: in})
}

func must(t *testing.T, x *Extractor, in extract.Input) memd.Extraction {
	t.Helper()
	e, err := x.Extract(t.Context(), in)
	if err != nil {
		t.Fatalf("Extract: %v", err)
	}
	return e
}

// monday is when the first message of each test was said.
var monday = time.Date(2024, 2, 26, 10, 0, 0, 0, time.UTC)

func message(id int64, role memd.Role, text string) memd.Message {
	return memd.Message{ID: id, Role: role, Text: text, CreatedAt: monday.Add(time.Duration(id) * time.Minute), Position: int(id)}
}

func user(id int64, text string) memd.Message      { return message(id, memd.RoleUser, text) }
func assistant(id int64, text string) memd.Message { return message(id, memd.RoleAssistant, text) }

// facts writes an answer: each fact is its text and the numbers it cites.
func facts(all ...any) string {
	list := []map[string]any{}
	for i := 0; i < len(all); i += 2 {
		list = append(list, map[string]any{"text": all[i], "sources": all[i+1], "date": nil, "category": nil})
	}
	out, _ := json.Marshal(map[string]any{"facts": list})
	return string(out)
}

func says(content string) reply { return reply{content: content} }

func texts(e memd.Extraction) []string {
	out := []string{}
	for _, c := range e.Candidates {
		out = append(out, c.Text)
	}
	return out
}

func want(t *testing.T, e memd.Extraction, extractor string, statements ...string) {
	t.Helper()
	if e.Extractor != extractor {
		t.Errorf("extractor %q, want %q", e.Extractor, extractor)
	}
	if got := texts(e); !slices.Equal(got, statements) && len(got)+len(statements) > 0 {
		t.Errorf("candidates %q\nwant       %q", got, statements)
	}
}

// ruled are the statements that the rules make of messages, which many tests ask for the
// same of.
var ruled sync.Map

// wantRules holds a result to being exactly what the rules give.
func wantRules(t *testing.T, e memd.Extraction, why string, in ...memd.Message) {
	t.Helper()
	key := fmt.Sprintf("%+v", in)
	statements, known := ruled.Load(key)
	if !known {
		r, err := extract.NewRules().Extract(context.Background(), extract.Input{Messages: in})
		if err != nil {
			t.Fatal(err)
		}
		statements, _ = ruled.LoadOrStore(key, texts(r))
	}
	want(t, e, extract.RulesVersion+" (llm: "+why+")", statements.([]string)...)
}
