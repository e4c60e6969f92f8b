package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// object and list are JSON that a test sends.
type (
	object map[string]any
	list   []any
)

// with gives the object with another's members put in.
func (o object) with(other object) object {
	out := object{}
	for _, from := range []object{o, other} {
		for name, value := range from {
			out[name] = value
		}
	}
	return out
}

// caller makes requests of a memd in the name of one test, all over one connection
// unless the test makes them at the same time.
type caller struct {
	*testing.T
	url    string
	client *http.Client
	header []string
}

// caller of d in the name of t, which may be a part of the test that started d. header
// is sent with each request.
func (d *daemon) caller(t *testing.T, header ...string) caller {
	kept := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(kept.CloseIdleConnections)
	if d.key != "" {
		header = append([]string{"Authorization", "Bearer " + d.key}, header...)
	}
	return caller{t, d.url, &http.Client{Transport: kept}, header}
}

// send makes one request. A body that is a string is sent as it stands. The status is 0
// if there was no answer, which fails the test.
func (c caller) send(method, path string, body any, header ...string) (status int, answer string) {
	c.Helper()
	var raw []byte
	switch body := body.(type) {
	case nil:
	case string:
		raw = []byte(body)
	default:
		var err error
		if raw, err = json.Marshal(body); err != nil {
			c.Fatal(err)
		}
	}
	r, err := http.NewRequestWithContext(c.Context(), method, c.url+path, bytes.NewReader(raw))
	if err != nil {
		c.Fatal(err)
	}
	header = append(slices.Clone(c.header), header...)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := c.client.Do(r)
	if err != nil {
		c.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		c.Error(err)
		return 0, ""
	}
	return resp.StatusCode, string(got)
}

// want makes a request that must be answered with status, and decodes the answer.
func (c caller) want(status int, method, path string, body, into any, header ...string) {
	c.Helper()
	got, answer := c.send(method, path, body, header...)
	if got != status {
		c.Fatalf("%s %s %s: %d %s, want %d", method, path, excerpt(body), got, answer, status)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(answer), into); err != nil {
			c.Fatalf("%s %s: %v in %s", method, path, err, answer)
		}
	}
}

// excerpt is a body as a failure shows it.
func excerpt(body any) string {
	raw, _ := json.Marshal(body)
	if len(raw) > 400 {
		raw = append(raw[:400], "…"...)
	}
	return string(raw)
}

// refused makes a request that must be answered with 422 and a fault at each location.
func (c caller) refused(method, path string, body any, locations ...string) {
	c.Helper()
	var p struct {
		Errors []struct{ Location string }
	}
	c.want(422, method, path, body, &p)
	for _, location := range locations {
		if !slices.ContainsFunc(p.Errors, func(e struct{ Location string }) bool { return e.Location == location }) {
			c.Errorf("%s %s %s: faults at %v, want one at %s", method, path, excerpt(body), p.Errors, location)
		}
	}
}

// memory is a memory as every answer holds it.
type memory struct {
	ID                   string
	Memory               string
	UserID               *string `json:"user_id"`
	AgentID              *string `json:"agent_id"`
	RunID                *string `json:"run_id"`
	AppID                *string `json:"app_id"`
	ActorID              *string `json:"actor_id"`
	Role                 string
	Scope                *string
	MemoryType           *string `json:"memory_type"`
	Categories           []string
	Metadata             map[string]any
	Hash                 string
	Pinned               bool
	CreatedAt            string  `json:"created_at"`
	UpdatedAt            string  `json:"updated_at"`
	OccurredAt           *string `json:"occurred_at"`
	ValidFrom            string  `json:"valid_from"`
	ValidTo              *string `json:"valid_to"`
	SupersededBy         *string `json:"superseded_by"`
	ExpiresAt            *string `json:"expires_at"`
	Sources              []int64
	StructuredAttributes map[string]any `json:"structured_attributes"`
	Event                string

	Score, Similarity float64 // where it was searched for
}

// text of an optional member, "" where it is null.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// page is an answer of search or list.
type page struct {
	Results    []memory
	Total      int
	NextCursor *string `json:"next_cursor"`
	Degraded   []string
}

// texts of memories, in order.
func texts(memories []memory) []string {
	out := []string{}
	for _, m := range memories {
		out = append(out, m.Memory)
	}
	return out
}

func (c caller) search(body object) page {
	c.Helper()
	var p page
	c.want(200, http.MethodPost, "/v1/memories/search", body, &p)
	return p
}

func (c caller) list(body object) page {
	c.Helper()
	var p page
	c.want(200, http.MethodPost, "/v1/memories/list", object{"limit": 1000}.with(body), &p)
	return p
}

// of gives all memories that carry an id, by GET.
func (c caller) of(query ...string) page {
	c.Helper()
	var p page
	c.want(200, http.MethodGet, "/v1/memories?limit=1000&"+parameters(query...), nil, &p)
	return p
}

// parameters is a query of names and values in turn.
func parameters(query ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		q.Set(query[i], query[i+1])
	}
	return q.Encode()
}

// one gives the one memory that an answer must hold.
func (c caller) one(p page) memory {
	c.Helper()
	if len(p.Results) != 1 {
		c.Fatalf("%s, want one", quoted(texts(p.Results)))
	}
	return p.Results[0]
}

func (c caller) get(id string) memory {
	c.Helper()
	var m memory
	c.want(200, http.MethodGet, "/v1/memories/"+id, nil, &m)
	return m
}

// assembled is an answer of POST /v1/context.
type assembled struct {
	SessionID string `json:"session_id"`
	Messages  []sent
	Recalled  []memory
	Degraded  []string
}

// sent is a message of a context.
type sent struct {
	Role    string
	Content any
}

// words of a message whose content is a text.
func (s sent) words() string {
	text, _ := s.Content.(string)
	return text
}

func (c caller) context(body object) assembled {
	c.Helper()
	var a assembled
	c.want(200, http.MethodPost, "/v1/context", body, &a)
	return a
}

// event is what became of a memory.
type event struct {
	ID, Memory, Event string
	PreviousMemory    *string `json:"previous_memory"`
}

type added struct {
	Results   []event
	IngestIDs []int64 `json:"ingest_ids"`
	Degraded  []string
}

// add remembers something and waits until it is learned.
func (c caller) add(body object) added {
	c.Helper()
	var a added
	c.want(200, http.MethodPost, "/v1/memories", body, &a)
	return a
}

// keep stores one text as it is and gives the memory's id.
func (c caller) keep(text string, body object) string {
	c.Helper()
	a := c.add(object{"messages": text, "infer": false}.with(body))
	if len(a.Results) != 1 || a.Results[0].Event != "ADD" || a.Results[0].ID == "" {
		c.Fatalf("%q: %+v, want it added", text, a.Results)
	}
	return a.Results[0].ID
}

// learn remembers one statement and gives the memory's id.
func (c caller) learn(text string, body object) string {
	c.Helper()
	a := c.add(object{"messages": text}.with(body))
	if len(a.Results) != 1 || a.Results[0].Event != "ADD" || a.Results[0].Memory != text {
		c.Fatalf("%q: %+v, want it added in these words", text, a.Results)
	}
	return a.Results[0].ID
}

// say logs messages of a session and waits until they are learned from.
func (c caller) say(body object) {
	c.Helper()
	c.want(201, http.MethodPost, "/v1/messages", body, nil)
	c.settle(body["user_id"].(string))
}

// settle waits until nothing of a user's is open.
func (c caller) settle(user string) {
	c.Helper()
	var s ingestStates
	c.want(200, http.MethodGet, "/v1/ingest?wait=60s&"+parameters("user_id", user), nil, &s)
	if s.open() != 0 {
		c.Fatalf("a minute later %+v is still open", s.States)
	}
}

// imported imports something, waits until all of it is in the log, and gives the import's id.
func (c caller) imported(body object) string {
	c.Helper()
	var job struct{ ID, State string }
	c.want(202, http.MethodPost, "/v1/import", body, &job)
	for deadline := time.Now().Add(time.Minute); job.State == "pending" || job.State == "running"; {
		if time.Now().After(deadline) {
			c.Fatalf("a minute later the import is still %s", job.State)
		}
		<-time.After(20 * time.Millisecond)
		c.want(200, http.MethodGet, "/v1/import/"+job.ID, nil, &job)
	}
	if job.State != "done" {
		c.Fatalf("the import is %s", job.State)
	}
	return job.ID
}

func user(text string) object      { return object{"role": "user", "content": text} }
func assistant(text string) object { return object{"role": "assistant", "content": text} }

// sameTexts fails unless the memories are these, in any order.
func (c caller) sameTexts(what string, got []memory, want ...string) {
	c.Helper()
	have := texts(got)
	slices.Sort(have)
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(have, want) {
		c.Errorf("%s gives %s, want %s", what, quoted(have), quoted(want))
	}
}

func quoted(texts []string) string { return "[" + strings.Join(mapped(texts, quote), ", ") + "]" }

func quote(s string) string { return fmt.Sprintf("%q", s) }

func mapped[A, B any](in []A, f func(A) B) []B {
	out := make([]B, 0, len(in))
	for _, a := range in {
		out = append(out, f(a))
	}
	return out
}

// raw is JSON that is sent as it stands.
func raw(s string) json.RawMessage { return json.RawMessage(s) }
