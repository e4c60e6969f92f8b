//go:build long

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// A text that kills the process whenever it is learned from is given up after five
// attempts, costs nobody else anything, and is then seen to from the command line.
func TestATextThatKillsIsGivenUpAndSeenTo(t *testing.T) {
	t.Parallel()
	const deadly = "plutonium"
	words := &modelServer{t: t}
	var kills atomic.Bool
	kills.Store(true)
	met := make(chan struct{})
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			fmt.Fprint(w, `{"data":[]}`)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if kills.Load() && bytes.Contains(body, []byte(deadly)) {
			select {
			case met <- struct{}{}:
			case <-r.Context().Done():
			}
			<-r.Context().Done() // the process is gone
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		words.embeddings(w, r)
	}))
	t.Cleanup(model.Close)
	dir := dataDir(t)
	env := []string{"MEMD_EMBED_URL=" + model.URL + "/v1", "MEMD_EMBED_MODEL=words"}
	d := start(t, dir, env...)
	first := d.post("alice", "s1", "I store "+deadly+" in my garage").Messages[0].ID
	<-met // it is at work before the others come
	for i := range 4 {
		d.post("alice", "s1", fmt.Sprintf("I keep %d bicycles in the cellar", i+2))
		d.post("bob", "s2", fmt.Sprintf("I play chess with %d friends every week", i+2))
	}
	for kill := 1; ; kill++ {
		d.kill()
		d.eventuallyGone(dir)
		d = start(t, dir, env...)
		if kill == 5 {
			break
		}
		<-met
	}
	states := d.settled().States
	if states.Dead != 1 || states.Done != 8 {
		t.Fatalf("%+v, want 1 dead and 8 done", states)
	}

	letters := func(args ...string) (code int, out string) {
		return exitCode(t, []string{"MEMD_URL=" + d.url}, append([]string{"dead-letters"}, args...)...)
	}
	code, out := letters("list", "--json")
	var l letter
	if code != 0 || json.Unmarshal([]byte(strings.TrimSpace(out)), &l) != nil || l.ID != first || l.UserID != "alice" || l.Attempts != 5 || !strings.HasPrefix(l.Error, "crash: ") {
		t.Fatalf("exit %d, %s", code, out)
	}
	if strings.Contains(out, deadly) {
		t.Error("the list quotes the message")
	}
	// What killed has been mended: it is learned from like any other.
	kills.Store(false)
	if code, out := letters("retry", fmt.Sprint(l.ID)); code != 0 || !strings.Contains(out, "1 retried") {
		t.Fatalf("exit %d, %s", code, out)
	}
	if states := d.settled().States; states.Dead != 0 || states.Done != 9 {
		t.Errorf("after the retry: %+v", states)
	}
	if f := d.search("alice", "what is in my garage?"); len(f.Results) == 0 || !strings.Contains(f.Results[0].Memory, deadly) {
		t.Errorf("after the retry: %+v", f)
	}

	// One that is discarded stays in the log and is never learned from.
	kills.Store(true)
	second := d.post("carol", "s3", "I bought "+deadly+" on the market").Messages[0].ID
	for kill := 1; kill <= 5; kill++ {
		<-met
		d.kill()
		d.eventuallyGone(dir)
		d = start(t, dir, env...)
	}
	if states := d.settled().States; states.Dead != 1 {
		t.Fatalf("%+v, want 1 dead", states)
	}
	if code, out := letters("discard", "--all", "--user", "carol"); code != 0 || !strings.Contains(out, "1 discarded") {
		t.Fatalf("exit %d, %s", code, out)
	}
	kills.Store(false)
	var message struct{ Ingest struct{ State string } }
	d.want(200, http.MethodGet, fmt.Sprintf("/v1/messages/%d", second), "", &message)
	if states := d.ingest().States; message.Ingest.State != "skipped" || states.Dead != 0 || states.Skipped != 1 || len(d.list("carol").Results) != 0 {
		t.Errorf("after it was discarded: %+v, %+v", message, states)
	}
	if code, out := letters("list"); code != 0 || strings.Contains(out, "carol") {
		t.Errorf("exit %d, %s", code, out)
	}
}
