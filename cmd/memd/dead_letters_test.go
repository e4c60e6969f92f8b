package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// morgue is a memd of which only the dead letters are there: n of them, every third the
// embedder's. It refuses to retry those that divide by 100.
type morgue struct {
	mu      sync.Mutex
	dead    map[int64]bool
	ended   map[string]int
	refused int
}

func newMorgue(t *testing.T, n int64) (*morgue, string) {
	t.Helper()
	m := &morgue{dead: map[int64]bool{}, ended: map[string]int{}}
	for id := range n {
		m.dead[id+1] = true
	}
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	return m, s.URL
}

func (m *morgue) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	refuse := func(status int, detail string) {
		if status != http.StatusNotFound {
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"detail":%q}`, detail)
	}
	if r.Header.Get("Authorization") != "Bearer k" {
		refuse(http.StatusUnauthorized, "a key is missing")
		return
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/dead-letters"), "/")
	if len(parts) == 1 {
		m.list(w, r)
		return
	}
	id, _ := strconv.ParseInt(parts[1], 10, 64)
	switch {
	case m.refused == 0 && id == 7: // busy, once
		m.refused++
		refuse(http.StatusServiceUnavailable, "busy")
	case !m.dead[id]:
		refuse(http.StatusNotFound, "no such dead letter")
	case parts[2] == "retry" && id%100 == 0:
		refuse(http.StatusConflict, "nothing is learned from its session or user")
	default:
		delete(m.dead, id)
		m.ended[parts[2]]++
		fmt.Fprintf(w, `{"id":%d}`, id)
	}
}

func (m *morgue) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	below, limit := int64(1<<62), 1000
	if c := q.Get("cursor"); c != "" {
		below, _ = strconv.ParseInt(c, 10, 64)
	}
	letters, next := []map[string]any{}, any(nil)
	for id := min(below-1, 10_000); id > 0; id-- {
		class, user := "extract", "alice"
		if id%3 == 0 {
			class = "embedder"
		}
		if id%2 == 0 {
			user = "bob"
		}
		if !m.dead[id] || q.Has("class") && q.Get("class") != class || q.Has("user_id") && q.Get("user_id") != user {
			continue
		}
		if len(letters) == limit {
			next = strconv.FormatInt(letters[limit-1]["id"].(int64), 10)
			break
		}
		letters = append(letters, map[string]any{"id": id, "user_id": user, "session_id": "s", "attempts": 5,
			"class": class, "error": class + ": internal", "settled_at": "2026-03-02T10:00:00Z"})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"dead_letters": letters, "next_cursor": next})
}

func TestDeadLettersAreListedToTheEnd(t *testing.T) {
	_, url := newMorgue(t, 2500)
	env := []string{"MEMD_API_KEY=k"}
	code, out := exitCode(t, env, "dead-letters", "list", "--server", url)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 2500 || lines[0] != "2500\t2026-03-02T10:00:00Z\t5 attempts\textract: internal\tbob\ts" {
		t.Errorf("exit %d, %d lines, first %q", code, len(lines), lines[0])
	}
	code, out = exitCode(t, env, "dead-letters", "list", "--server", url, "--json", "--class", "embedder", "--user", "bob")
	n := 0
	for line := range strings.Lines(out) {
		var l struct {
			ID     int64
			Class  string
			UserID string `json:"user_id"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil || l.Class != "embedder" || l.UserID != "bob" || l.ID%6 != 0 {
			t.Errorf("%q: %v", line, err)
		}
		n++
	}
	if code != 0 || n != 2500/6 {
		t.Errorf("exit %d, %d letters", code, n)
	}
	if code, out := exitCode(t, nil, "dead-letters", "list", "--server", url); code != 1 || !strings.Contains(out, "401") {
		t.Errorf("without a key: exit %d, %s", code, out)
	}
}

func TestDeadLettersAreRetriedAndDiscarded(t *testing.T) {
	t.Parallel()
	m, url := newMorgue(t, 1500)
	for _, run := range []struct {
		args      string
		code      int
		says      []string
		left      int
		retried   int
		discarded int
	}{
		{"retry 7 8", 0, []string{"2 retried"}, 1498, 2, 0},
		{"retry 7 9", 1, []string{"message 7: 404", "1 retried, 1 failed"}, 1497, 3, 0},
		{"retry 100", 1, []string{"message 100: 409", "nothing is learned"}, 1497, 3, 0},
		{"discard 100 --json", 0, []string{`"discarded":1`, `"failed":0`}, 1496, 3, 1},
		{"discard --all --class embedder", 0, []string{"499 discarded"}, 997, 3, 500},
		{"retry --all --user alice", 0, []string{"499 retried"}, 498, 502, 500},
		{"retry --all", 1, []string{"489 retried, 9 failed"}, 9, 991, 500},
		{"discard --all", 0, []string{"9 discarded"}, 0, 991, 509},
		{"retry --all", 0, []string{"0 retried"}, 0, 991, 509},
		{"retry", 2, []string{"which dead letters"}, 0, 991, 509},
		{"retry --class embedder", 2, []string{"need --all"}, 0, 991, 509},
		{"discard 1 --all", 2, []string{"either"}, 0, 991, 509},
		{"discard 0", 2, []string{"must be a message's number"}, 0, 991, 509},
	} {
		args := append([]string{"dead-letters"}, strings.Fields(run.args)...)
		code, out := exitCode(t, []string{"MEMD_API_KEY=k", "MEMD_URL=" + url}, args...)
		if code != run.code {
			t.Errorf("%s: exit %d, want %d\n%s", run.args, code, run.code, out)
		}
		for _, s := range run.says {
			if !strings.Contains(out, s) {
				t.Errorf("%s: does not say %q:\n%s", run.args, s, out)
			}
		}
		m.mu.Lock()
		if len(m.dead) != run.left || m.ended["retry"] != run.retried || m.ended["discard"] != run.discarded {
			t.Errorf("%s: %d left, ended %v", run.args, len(m.dead), m.ended)
		}
		m.mu.Unlock()
	}
}
