package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/tiktoken-go/tokenizer"
)

const dimensions = 384

// modelServer stands in for the embedding and the chat model, in OpenAI's form, for all systems
// alike. Each calls it under a path of its own, so that the time which it spent with a request of
// theirs is known of each. Its vectors are of words and always the same, its chat answers say
// what was said.
type modelServer struct {
	url               string
	embedding, answer time.Duration // how long either takes at the least
	http              *http.Server

	mu   sync.Mutex
	uses map[string]*use
}

// use is what the models did for one system.
type use struct {
	inHand  int       // requests
	since   time.Time // when the first of them came
	busy    time.Duration
	prompts []string
}

func startModels(embedding, answer time.Duration) (*modelServer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &modelServer{url: "http://" + listener.Addr().String(), embedding: embedding, answer: answer, uses: map[string]*use{}}
	routes := http.NewServeMux()
	routes.HandleFunc("POST /{system}/v1/embeddings", func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, s.embedding, embeddings) })
	routes.HandleFunc("POST /{system}/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, s.answer, s.completion) })
	s.http = &http.Server{Handler: routes}
	go func() { _ = s.http.Serve(listener) }()
	return s, nil
}

func (s *modelServer) stop() error { return s.http.Close() }

// urlFor is the base URL for a system.
func (s *modelServer) urlFor(system string) string { return s.url + "/" + system + "/v1" }

// busy is for how long so far at least one request of a system was here.
func (s *modelServer) busy(system string) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.uses[system]
	if u == nil {
		return 0
	}
	if u.inHand > 0 {
		return u.busy + time.Since(u.since)
	}
	return u.busy
}

func (s *modelServer) begin(system string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.uses[system]
	if u == nil {
		u = &use{}
		s.uses[system] = u
	}
	if u.inHand++; u.inHand == 1 {
		u.since = time.Now()
	}
}

func (s *modelServer) end(system string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.uses[system]
	if u.inHand--; u.inHand == 0 {
		u.busy += time.Since(u.since)
	}
}

// takePrompts gives the texts that a system has sent to the chat model since it was last asked.
func (s *modelServer) takePrompts(system string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.uses[system]
	if u == nil {
		return nil
	}
	prompts := u.prompts
	u.prompts = nil
	return prompts
}

// serve answers a request once it has been here for long enough.
func (s *modelServer) serve(w http.ResponseWriter, r *http.Request, atLeast time.Duration, answer func(system string, body []byte) (any, error)) {
	system, came := r.PathValue("system"), time.Now()
	s.begin(system)
	defer s.end(system)
	status := http.StatusOK
	body, err := io.ReadAll(r.Body)
	var told any
	if err == nil {
		told, err = answer(system, body)
	}
	if err != nil {
		status, told = http.StatusBadRequest, map[string]any{"error": map[string]string{"message": err.Error(), "type": "invalid_request_error"}}
	}
	raw, err := json.Marshal(told)
	if err != nil {
		panic(err) // all of it is text and numbers
	}
	time.Sleep(atLeast - time.Since(came))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // who went away needs no answer
	_ = http.NewResponseController(w).Flush()
}

func embeddings(_ string, body []byte) (any, error) {
	var asked struct {
		Input      oneOrMany `json:"input"`
		Model      string    `json:"model"`
		Dimensions int       `json:"dimensions"`
		Format     string    `json:"encoding_format"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, err
	}
	if asked.Dimensions != 0 && asked.Dimensions != dimensions {
		return nil, fmt.Errorf("vectors have %d dimensions", dimensions)
	}
	type item struct {
		Object    string `json:"object"`
		Index     int    `json:"index"`
		Embedding any    `json:"embedding"`
	}
	items := make([]item, len(asked.Input))
	for i, text := range asked.Input {
		items[i] = item{Object: "embedding", Index: i}
		v := vectorOf(text)
		if asked.Format == "base64" {
			raw := make([]byte, 0, 4*dimensions)
			for _, x := range v {
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
			}
			items[i].Embedding = base64.StdEncoding.EncodeToString(raw)
		} else {
			items[i].Embedding = v
		}
	}
	return map[string]any{"object": "list", "model": asked.Model, "data": items}, nil
}

// oneOrMany is a text or a list of them.
type oneOrMany []string

func (m *oneOrMany) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*m = oneOrMany{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(m))
}

// vectorOf is of length 1. Texts are the nearer the more words they have in common.
func vectorOf(text string) []float32 {
	v := make([]float32, dimensions)
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for axis := byte(0); axis < 3; axis++ {
			h := fnv.New64a()
			_, _ = h.Write(append([]byte(word), axis)) // never fails
			at := h.Sum64()
			v[at%dimensions] += float32(int64(at>>62&1)*2 - 1)
		}
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		v[0], sum = 1, 1
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func (s *modelServer) completion(system string, body []byte) (any, error) {
	var asked struct {
		Model    string `json:"model"`
		Messages []struct {
			Content spoken `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, err
	}
	var told []string
	for _, m := range asked.Messages {
		told = append(told, string(m.Content))
	}
	s.mu.Lock()
	s.uses[system].prompts = append(s.uses[system].prompts, told...)
	s.mu.Unlock()
	text, err := answerTo(told)
	if err != nil {
		return nil, err
	}
	return map[string]any{"id": "stub", "object": "chat.completion", "created": 0, "model": asked.Model, "choices": []any{map[string]any{
		"index": 0, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": text}}}}, nil
}

// spoken is the text of a message, be it given as one or in parts.
type spoken string

func (s *spoken) UnmarshalJSON(raw []byte) error {
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, (*string)(s)) == nil {
		return nil
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*s += spoken(p.Text)
	}
	return nil
}

// answerTo answers what a system asks a chat model, as short as it can be: that what was said is
// a fact, and a new one. A question that no system is known to ask is an error, so that a version
// which asks another is noticed.
func answerTo(told []string) (string, error) {
	if len(told) == 0 {
		return "", errors.New("there is no message")
	}
	first, last := told[0], told[len(told)-1]
	var answer any
	switch {
	case strings.Contains(first, `"sources":[number]`): // memd
		answer = map[string]any{"facts": factsOfMemd(after(last, "New messages:\n"))}
	case strings.Contains(last, "## New Messages\n"): // mem0
		var all []map[string]string
		for _, said := range saidByUser(before(after(last, "## New Messages\n"), "\n## ")) {
			all = append(all, map[string]string{"id": fmt.Sprint(len(all)), "text": said, "attributed_to": "user"})
		}
		answer = map[string]any{"memory": all}
	case strings.HasPrefix(first, "You are a Personal Information Organizer."): // PowerMem
		answer = map[string]any{"facts": saidByUser(after(last, "Input:\n"))}
	case strings.HasPrefix(first, "You are a memory manager."): // PowerMem, with those facts
		var all []map[string]string
		for line := range strings.Lines(before(after(last, "New facts:\n```\n"), "\n```")) {
			all = append(all, map[string]string{"id": fmt.Sprintf("new-%d", len(all)), "text": strings.TrimSpace(strings.TrimPrefix(line, "- ")), "event": "ADD"})
		}
		answer = map[string]any{"memory": all}
	default:
		return "", errors.New("this is not known to be asked")
	}
	raw, err := json.Marshal(answer)
	return string(raw), err
}

// factsOfMemd makes a fact of each message, which are lines of JSON.
func factsOfMemd(lines string) []map[string]any {
	all := []map[string]any{}
	for line := range strings.Lines(lines) {
		var m struct {
			ID   int
			Text string
		}
		if json.Unmarshal([]byte(line), &m) == nil && m.ID > 0 {
			all = append(all, map[string]any{"text": m.Text, "sources": []int{m.ID}, "category": nil})
		}
	}
	return all
}

// saidByUser gives what stands behind "user:" in the lines of a conversation.
func saidByUser(conversation string) []string {
	all := []string{}
	for line := range strings.Lines(conversation) {
		if said, ok := strings.CutPrefix(line, "user:"); ok {
			all = append(all, strings.TrimSpace(said))
		}
	}
	return all
}

// after is what follows the last mark, before what precedes the first one.
func after(text, mark string) string {
	if i := strings.LastIndex(text, mark); i >= 0 {
		return text[i+len(mark):]
	}
	return ""
}

func before(text, mark string) string {
	text, _, _ = strings.Cut(text, mark)
	return text
}

// tokenCounter counts tokens as o200k_base has them, of each text once.
type tokenCounter struct {
	codec tokenizer.Codec
	known map[string]int
}

func newTokenCounter() (*tokenCounter, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	return &tokenCounter{codec: codec, known: map[string]int{}}, err
}

func (c *tokenCounter) count(texts []string) (sum int, err error) {
	for _, text := range texts {
		n, ok := c.known[text]
		if !ok {
			if n, err = c.codec.Count(text); err != nil {
				return 0, err
			}
			c.known[text] = n
		}
		sum += n
	}
	return sum, nil
}
