package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// A person is erased while a worker waits for what a model makes of their words. Nothing of
// it comes back when the model answers, after a restart, or by learning everything again.
func TestAPersonErasedWhileTheWorkerIsAtWork(t *testing.T) {
	t.Parallel()
	asked, may := make(chan struct{}), make(chan struct{})
	var once, letting sync.Once
	let := func() { letting.Do(func() { close(may) }) }
	model := newChatServer(t, func(lines []chatLine) (int, string) {
		for _, l := range lines {
			if strings.Contains(l.Text, "cello") {
				once.Do(func() { close(asked) })
				<-may
			}
		}
		return repeating(lines)
	})
	t.Cleanup(let) // before the server waits for its callers
	dir := dataDir(t)
	env := []string{"MEMD_LLM_URL=" + model.url, "MEMD_LLM_MODEL=m"}
	d := start(t, dir, env...)
	c := d.caller(t)
	c.said(object{"user_id": "alice", "session_id": "s1", "messages": list{user("I keep a falcon")}})
	other := c.said(object{"user_id": "bob", "session_id": "s1", "messages": list{user("I keep bees")}})
	p := posted{}
	c.want(201, http.MethodPost, "/v1/messages", object{"user_id": "alice", "session_id": "s2", "messages": list{user("I play the cello"), user("I own a red boat")}}, &p)
	ids := []int64{p.Messages[0].ID, p.Messages[1].ID}
	<-asked

	_, exported := c.send(http.MethodGet, "/v1/users/alice/export", nil)
	if !strings.Contains(exported, "I play the cello") || !strings.Contains(exported, `{"type":"end"`) {
		t.Errorf("exported %s", exported)
	}
	var receipt struct {
		Event  string
		Counts struct{ Messages, Queued, Memories int }
	}
	c.want(200, http.MethodDelete, "/v1/users/alice", nil, &receipt)
	if receipt.Event != "ERASE" || receipt.Counts.Messages != 3 || receipt.Counts.Queued < 2 {
		t.Errorf("%+v", receipt)
	}
	let()
	d.settled()
	nothing := func(when string) {
		t.Helper()
		c := d.caller(t)
		for _, path := range []string{"/v1/messages?user_id=alice&session_id=s2", fmt.Sprintf("/v1/messages/%d", ids[0]), "/v1/sessions/s1?user_id=alice", "/v1/users/alice/export"} {
			c.want(404, http.MethodGet, path, nil, nil)
		}
		if l := c.list(object{"user_id": "alice", "include_superseded": true}); len(l.Results) > 0 {
			t.Errorf("%s: %+v", when, l.Results)
		}
		var users struct {
			Users []struct {
				UserID string `json:"user_id"`
			}
		}
		c.want(200, http.MethodGet, "/v1/users", nil, &users)
		if len(users.Users) != 1 || users.Users[0].UserID != "bob" {
			t.Errorf("%s: %+v", when, users)
		}
		if m := c.message(other[0]); m.Ingest.State != "done" {
			t.Errorf("%s: bob's is %s", when, m.Ingest.State)
		}
	}
	nothing("once the model had answered")
	if strings.Contains(d.logged(), "alice") {
		t.Error("the log names who was erased")
	}
	d.kill()
	d.eventuallyGone(dir)
	d = start(t, dir, env...)
	d.settled()
	nothing("after a restart")
	if code, _, out := reextract(t, d.url, "--user", "bob"); code != 0 {
		t.Errorf("exit %d: %s", code, out)
	}
	reextract(t, d.url, "--user", "alice")
	reextract(t, d.url, fmt.Sprint(ids[0]))
	d.settled()
	nothing("after everything was learned from again")
}
