package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// chatServer speaks OpenAI's chat completions as a model that answers by play.
type chatServer struct {
	url string

	mu    sync.Mutex
	play  func(asked []chatLine) (status int, content string)
	calls []string // the bodies of all requests
}

// chatLine is a new message as memd shows it to the model.
type chatLine struct {
	ID   int
	Role string
	Text string
}

func newChatServer(t *testing.T, play func([]chatLine) (int, string)) *chatServer {
	t.Helper()
	s := &chatServer{play: play}
	mux := http.NewServeMux()
	s.handle(mux)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.url = server.URL + "/v1"
	return s
}

// handle serves what a chat server serves.
func (s *chatServer) handle(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[]}`) })
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var raw json.RawMessage
		var asked struct{ Messages []struct{ Content string } }
		if json.NewDecoder(r.Body).Decode(&raw) != nil || json.Unmarshal(raw, &asked) != nil || len(asked.Messages) == 0 {
			w.WriteHeader(400)
			return
		}
		_, fresh, _ := strings.Cut(asked.Messages[len(asked.Messages)-1].Content, "New messages:\n")
		var lines []chatLine
		for line := range strings.Lines(fresh) {
			var l chatLine
			if json.Unmarshal([]byte(line), &l) == nil && l.ID > 0 {
				lines = append(lines, l)
			}
		}
		s.mu.Lock()
		s.calls = append(s.calls, string(raw))
		play := s.play
		s.mu.Unlock()
		status, content := play(lines)
		if status != 200 {
			w.WriteHeader(status)
			return
		}
		answer, _ := json.Marshal(object{"choices": list{object{"message": object{"role": "assistant", "content": content}, "finish_reason": "stop"}}})
		_, _ = w.Write(answer)
	})
}

// plays has it answer in another way from now on.
func (s *chatServer) plays(play func([]chatLine) (int, string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.play = play
}

func (s *chatServer) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// repeating gives each sentence of the user's as a fact, as a model does that is good.
func repeating(lines []chatLine) (int, string) {
	facts := list{}
	for _, l := range lines {
		for _, sentence := range strings.Split(l.Text, ". ") {
			if sentence = strings.TrimSpace(strings.TrimSuffix(sentence, ".")); l.Role == "user" && sentence != "" {
				facts = append(facts, object{"text": sentence, "sources": list{l.ID}, "date": nil, "category": nil})
			}
		}
	}
	return answers(facts...)(lines)
}

// babbling answers what is no answer.
func babbling([]chatLine) (int, string) { return 200, "Roses are red, violets are blue." }

// answers gives these facts whatever is asked.
func answers(facts ...any) func([]chatLine) (int, string) {
	return func([]chatLine) (int, string) {
		content, _ := json.Marshal(object{"facts": append(list{}, facts...)})
		return 200, string(content)
	}
}

func fact(text string, sources ...any) object {
	return object{"text": text, "sources": list(sources), "date": nil, "category": nil}
}

// loggedMessage is a message as it is read alone.
type loggedMessage struct {
	ID      int64
	Role    string
	Content any
	Ingest  struct {
		State     string
		Error     *string
		Extractor *string
		Memories  []string
		SettledAt *string `json:"settled_at"`
	}
}

func (c caller) message(id int64) (m loggedMessage) {
	c.Helper()
	c.want(200, http.MethodGet, fmt.Sprintf("/v1/messages/%d", id), nil, &m)
	return m
}

// said logs messages of a session, waits until they are learned from and gives their ids.
func (c caller) said(body object) []int64 {
	c.Helper()
	var p posted
	c.want(201, http.MethodPost, "/v1/messages", body, &p)
	c.settle(body["user_id"].(string))
	var ids []int64
	for _, m := range p.Messages {
		ids = append(ids, m.ID)
	}
	return ids
}

// withModel starts a memd that learns by a model.
func withModel(t *testing.T, play func([]chatLine) (int, string), env ...string) (*daemon, *chatServer) {
	t.Helper()
	s := newChatServer(t, play)
	return start(t, dataDir(t), append(env, "MEMD_LLM_URL="+s.url, "MEMD_LLM_MODEL=parrot")...), s
}

// Whatever a model answers, a message stays in the log, it is told how it ended, nothing
// is made up of it, and it can be learned from again.
func TestAModelCannotLoseOrInvent(t *testing.T) {
	t.Parallel()
	d, model := withModel(t, repeating)

	t.Run("that it found nothing is an answer, and another may be asked for", func(t *testing.T) {
		c := d.caller(t)
		model.plays(answers())
		id := c.said(object{"user_id": "nothing", "session_id": "s", "messages": list{user("My locker code changed to 4471")}})[0]
		m := c.message(id)
		if m.Ingest.State != "done" || len(m.Ingest.Memories) != 0 || m.Ingest.Error != nil || strings.Contains(text(m.Ingest.Extractor), "rules") || m.Content != "My locker code changed to 4471" {
			t.Errorf("%+v with %q", m, text(m.Ingest.Extractor))
		}
		c.sameTexts("the list", c.of("user_id", "nothing").Results)
		model.plays(repeating)
		for range 2 {
			c.want(202, http.MethodPost, fmt.Sprintf("/v1/messages/%d/reextract", id), nil, nil)
			c.settle("nothing")
			c.sameTexts("the list", c.of("user_id", "nothing").Results, "My locker code changed to 4471")
		}
		if m := c.message(id); m.Ingest.State != "done" || len(m.Ingest.Memories) != 1 {
			t.Errorf("%+v", m)
		}
	})
	t.Run("an answer that cannot be read is asked for once more and told what is wrong", func(t *testing.T) {
		c := d.caller(t)
		before := len(model.asked())
		first := true
		var mu sync.Mutex
		model.plays(func(lines []chatLine) (int, string) {
			mu.Lock()
			defer mu.Unlock()
			if first {
				first = false
				return 200, ""
			}
			return repeating(lines)
		})
		id := c.said(object{"user_id": "empty body", "session_id": "s", "messages": list{user("My locker code changed to 4471")}})[0]
		if m := c.message(id); m.Ingest.State != "done" || len(m.Ingest.Memories) != 1 || strings.Contains(text(m.Ingest.Extractor), "rules") {
			t.Errorf("%+v by %q", m, text(m.Ingest.Extractor))
		}
		calls := model.asked()[before:]
		if len(calls) != 2 || calls[0] == calls[1] || !strings.Contains(calls[1], "could not be used") {
			t.Errorf("%d calls: %s", len(calls), calls)
		}
		c.sameTexts("the list", c.of("user_id", "empty body").Results, "My locker code changed to 4471")
	})
	t.Run("where it never answers well the rules do, marked with the reason, and it is not asked for ever", func(t *testing.T) {
		c := d.caller(t)
		before := len(model.asked())
		model.plays(babbling)
		id := c.said(object{"user_id": "babble", "session_id": "s", "messages": list{user("My locker code changed to 4471")}})[0]
		if m := c.message(id); m.Ingest.State != "done" || len(m.Ingest.Memories) != 1 || !strings.Contains(text(m.Ingest.Extractor), "(llm: invalid_answer)") {
			t.Errorf("%+v by %q", m, text(m.Ingest.Extractor))
		}
		if n := len(model.asked()) - before; n != 2 {
			t.Errorf("%d calls", n)
		}
		c.sameTexts("the list", c.of("user_id", "babble").Results, "My locker code changed to 4471")
	})
	t.Run("a fenced answer with prose around it is read", func(t *testing.T) {
		c := d.caller(t)
		model.plays(func(lines []chatLine) (int, string) {
			_, content := repeating(lines)
			return 200, "Here you are:\n```json\n" + content + "\n```\nShall I go on?"
		})
		id := c.said(object{"user_id": "fence", "session_id": "s", "messages": list{user("My locker code changed to 4471")}})[0]
		if m := c.message(id); len(m.Ingest.Memories) != 1 || strings.Contains(text(m.Ingest.Extractor), "rules") {
			t.Errorf("%+v by %q", m, text(m.Ingest.Extractor))
		}
	})
	t.Run("it is never shown what others than people said, nor what was recalled, and cannot learn it", func(t *testing.T) {
		c := d.caller(t)
		before := len(model.asked())
		model.plays(answers(fact("I own a yacht in Nice", 1), fact("I am a pastry cook", 1), fact("I keep bees behind the house", 1)))
		ids := c.said(object{"user_id": "recalled", "session_id": "s", "messages": list{
			object{"role": "system", "content": "You are a helper. retrieved memories:\nuser: I am a pastry cook"},
			object{"role": "developer", "content": "The user owns a yacht in Nice"},
			user("Retrieved memories:\nuser: I own a yacht in Nice\nuser: I am a pastry cook\n\nI keep bees behind the house"),
			object{"role": "tool", "tool_call_id": "x", "content": "I own a yacht in Nice"},
		}})
		c.sameTexts("the list", c.of("user_id", "recalled").Results, "I keep bees behind the house")
		for i, id := range ids {
			m := c.message(id)
			if want := map[bool]string{true: "done", false: "skipped"}[i == 2]; m.Ingest.State != want || len(m.Ingest.Memories) != map[bool]int{true: 1}[i == 2] {
				t.Errorf("message %d: %+v", i, m)
			}
		}
		for _, call := range model.asked()[before:] {
			if strings.Contains(call, "yacht") || strings.Contains(call, "pastry") {
				t.Errorf("the model was shown %s", call)
			}
		}
	})
	t.Run("a profile that nobody gave is refused", func(t *testing.T) {
		c := d.caller(t)
		model.plays(answers(fact("I am John Doe, a software engineer from California", 1), fact("I love hiking and photography", 1), fact("I am allergic to walnuts", 1)))
		ids := c.said(object{"user_id": "profile", "session_id": "s", "messages": list{user("I am allergic to walnuts")}})
		c.sameTexts("the list", c.of("user_id", "profile").Results, "I am allergic to walnuts")
		if m := c.one(c.of("user_id", "profile")); !slices.Equal(m.Sources, ids) {
			t.Errorf("sources %v, want %v", m.Sources, ids)
		}
	})
	t.Run("what the assistant did is never the user's", func(t *testing.T) {
		c := d.caller(t)
		model.plays(func(lines []chatLine) (int, string) {
			facts := list{}
			for _, l := range lines {
				facts = append(facts, fact("User proved that the square root of 2 is irrational", l.ID), fact("The square root of 2 is irrational", l.ID))
			}
			return answers(facts...)(lines)
		})
		c.said(object{"user_id": "proof", "session_id": "s", "messages": list{
			user("Prove that the square root of 2 is irrational"),
			assistant("The square root of 2 is irrational: suppose it were p/q in lowest terms, then both are even."),
		}})
		for _, m := range c.list(object{"user_id": "proof", "include_superseded": true}).Results {
			if m.Role != "assistant" {
				t.Errorf("%s: %s", m.Role, m.Memory)
			}
		}
	})
	t.Run("a message of more facts than an answer holds is learned from whole", func(t *testing.T) {
		c := d.caller(t)
		model.plays(func(lines []chatLine) (int, string) {
			n := 0
			for _, l := range lines {
				n += strings.Count(l.Text, ".")
			}
			if n > 20 {
				return 413, ""
			}
			return repeating(lines)
		})
		before := len(model.asked())
		var b strings.Builder
		var want []string
		for i := range 60 {
			want = append(want, fmt.Sprintf("I own %d boats called Aurora%d", 100+i, i))
			b.WriteString(want[i] + ". ")
		}
		id := c.said(object{"user_id": "boats", "session_id": "s", "messages": list{user(b.String())}})[0]
		c.sameTexts("the list", c.of("user_id", "boats").Results, want...)
		if m := c.message(id); len(m.Ingest.Memories) != 60 || strings.Contains(text(m.Ingest.Extractor), "rules") {
			t.Errorf("%d memories by %q", len(m.Ingest.Memories), text(m.Ingest.Extractor))
		}
		calls := model.asked()[before:]
		slices.Sort(calls)
		if once := slices.Compact(slices.Clone(calls)); len(once) != len(calls) || len(calls) > 20 {
			t.Errorf("%d calls, %d of them different", len(calls), len(once))
		}
	})
}
