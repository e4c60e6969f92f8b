package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// environment is ours without what would be a setting of memd's or of a peer's, save where memd's
// assets are.
func environment(more ...string) (env []string) {
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		switch prefix, _, _ := strings.Cut(name, "_"); {
		case name == "MEMD_CACHE_DIR":
		case prefix == "MEMD", prefix == "MEM0", prefix == "POWERMEM", prefix == "OPENAI", prefix == "DB", prefix == "NATS", strings.HasPrefix(name, "PG"):
			continue
		}
		env = append(env, e)
	}
	return append(env, more...)
}

// memd is a daemon that runs, spoken to as anybody would: by HTTP.
type memd struct {
	name string // also under which it calls the models
	cmd  *exec.Cmd
	log  bytes.Buffer
	url  string
	http http.Client
}

func buildMemd(ctx context.Context, dir string) (program string, err error) {
	program = filepath.Join(dir, "memd")
	if out, err := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", program, "github.com/memdhq/memd/cmd/memd").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

// startMemd starts one, on a Postgres that is there and a queue of its own, and waits until it is
// ready.
func startMemd(ctx context.Context, name, program, dir string, settings ...string) (_ *memd, err error) {
	m := &memd{name: name, cmd: exec.CommandContext(ctx, program, "serve")}
	m.cmd.Env = environment(append([]string{"MEMD_LISTEN=127.0.0.1:0", "MEMD_DATA_DIR=" + dir, "MEMD_LOG_LEVEL=error"}, settings...)...)
	m.cmd.Stderr = &m.log
	m.cmd.Cancel = func() error { return m.cmd.Process.Signal(syscall.SIGTERM) }
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := m.cmd.Start(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.stop())
		}
	}()
	for lines := bufio.NewScanner(out); m.url == "" && lines.Scan(); {
		_, m.url, _ = strings.Cut(lines.Text(), " listens on ")
	}
	if m.url == "" {
		return nil, errors.New("memd does not say where it listens")
	}
	go func() { _, _ = io.Copy(io.Discard, out) }() // until it has ended
	for waited := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		err := m.ask(ctx, http.MethodGet, "/readyz", nil, http.StatusOK, nil)
		if err == nil || ctx.Err() != nil || time.Since(waited) > time.Minute {
			return m, err
		}
	}
}

func (m *memd) stop() error {
	m.http.CloseIdleConnections()
	_ = m.cmd.Process.Signal(syscall.SIGTERM)
	if err := m.cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w\n%s", m.name, err, m.log.String())
	}
	return nil
}

func (m *memd) modelsName() string { return m.name }

func (m *memd) cpu() (time.Duration, error) { return cpuOf(m.cmd.Process.Pid) }

// ask sends a request, wants this status, and reads the answer into into unless that is nil.
func (m *memd) ask(ctx context.Context, method, path string, body any, want int, into any) error {
	var sent io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(ctx, method, m.url+path, sent)
	if err != nil {
		return err
	}
	resp, err := m.http.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != want {
		return fmt.Errorf("%s %s: %d %s", method, path, resp.StatusCode, answer)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}

// fill stores memories of a user word for word.
func (m *memd) fill(ctx context.Context, user string, texts []string) error {
	var messages []map[string]string
	for _, text := range texts {
		messages = append(messages, map[string]string{"role": "user", "content": text})
	}
	n, err := m.verbatim(ctx, user, messages)
	if err == nil && n != len(texts) {
		err = fmt.Errorf("%d of %d memories were stored", n, len(texts))
	}
	return err
}

func (m *memd) verbatim(ctx context.Context, user string, messages any) (stored int, err error) {
	var answer struct{ Results, Degraded []json.RawMessage }
	err = m.ask(ctx, http.MethodPost, "/v1/memories", map[string]any{"user_id": user, "messages": messages, "infer": false}, http.StatusOK, &answer)
	if err == nil && len(answer.Degraded) > 0 {
		err = errors.New("memories were stored without vectors")
	}
	return len(answer.Results), err
}

// sessionOf is the one session of a user: a chat that goes on.
func sessionOf(user string) string { return user + "-chat" }

// post records a turn and gives the message's id.
func (m *memd) post(ctx context.Context, user, text string) (id int64, err error) {
	var answer struct{ Messages []struct{ ID int64 } }
	err = m.ask(ctx, http.MethodPost, "/v1/messages", map[string]any{"user_id": user, "session_id": sessionOf(user),
		"messages": []map[string]string{{"role": "user", "content": text}}}, http.StatusCreated, &answer)
	if err == nil && len(answer.Messages) != 1 {
		err = fmt.Errorf("%d messages came of one", len(answer.Messages))
	}
	if err != nil {
		return 0, err
	}
	return answer.Messages[0].ID, nil
}

// settled waits until nothing is open, of a user's session or, with "", at all.
func (m *memd) settled(ctx context.Context, user string) error {
	query := url.Values{"wait": {"60s"}}
	if user != "" {
		query.Set("user_id", user)
		query.Set("session_id", sessionOf(user))
	}
	for {
		var answer struct {
			States struct{ Pending, Running, Failed, Dead int }
		}
		if err := m.ask(ctx, http.MethodGet, "/v1/ingest?"+query.Encode(), nil, http.StatusOK, &answer); err != nil {
			return err
		}
		if answer.States.Dead > 0 {
			return fmt.Errorf("%d messages were given up", answer.States.Dead)
		}
		if s := answer.States; s.Pending+s.Running+s.Failed == 0 {
			return nil
		}
	}
}

// learned sees to it that something was learned from a message, by this extractor.
func (m *memd) learned(ctx context.Context, id int64, extractor string) error {
	var answer struct {
		Ingest struct {
			State, Extractor string
			Memories         []string
		}
	}
	if err := m.ask(ctx, http.MethodGet, "/v1/messages/"+strconv.FormatInt(id, 10), nil, http.StatusOK, &answer); err != nil {
		return err
	}
	if in := answer.Ingest; len(in.Memories) == 0 || !strings.HasPrefix(in.Extractor, extractor+"/") {
		return fmt.Errorf("of message %d: %+v", id, in)
	}
	return nil
}

func (m *memd) search(ctx context.Context, user, query string, limit int) (results int, err error) {
	var answer struct{ Results, Degraded []json.RawMessage }
	err = m.ask(ctx, http.MethodPost, "/v1/memories/search", map[string]any{"user_id": user, "query": query, "limit": limit}, http.StatusOK, &answer)
	if err == nil && len(answer.Degraded) > 0 {
		err = fmt.Errorf("searched without: %s", answer.Degraded)
	}
	return len(answer.Results), err
}
