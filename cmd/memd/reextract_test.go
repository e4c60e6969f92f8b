package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// reextract runs the command against a memd to its end.
func reextract(t *testing.T, url string, args ...string) (code int, r reextracted, output string) {
	t.Helper()
	return reextractWith(t, []string{"MEMD_URL=" + url}, args...)
}

func reextractWith(t *testing.T, env []string, args ...string) (code int, r reextracted, output string) {
	t.Helper()
	code, output = exitCode(t, env, append([]string{"reextract", "--json"}, args...)...)
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, "{") {
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Errorf("%v in %s", err, line)
			}
		}
	}
	return code, r, output
}

// What the rules learned from while the model gave nothing of use is learned from by the
// model once it does, as often as one likes, and nothing is doubled.
func TestReextract(t *testing.T) {
	t.Parallel()
	d, model := withModel(t, babbling, "MEMD_API_KEYS=k-one=one,k-reader=one:reader")
	c := d.caller(t, "Authorization", "Bearer k-one")
	env := []string{"MEMD_URL=" + d.url + "/", "MEMD_API_KEY=k-one"}

	said := func(who, session string, messages ...any) []int64 {
		return c.said(object{"user_id": who, "session_id": session, "messages": list(messages)})
	}
	first := said("ann", "s1", object{"role": "system", "content": "Be brief"}, user("I live in Coimbra. I keep bees."), assistant("Noted."))
	second := said("ann", "s 2/ü", user("I own a red boat."))
	given := c.add(object{"user_id": "ann", "messages": "My cat is called Pipoca"}).Results[0].ID
	direct := c.get(given).Sources[0]
	other := said("bob", "s1", user("I play the cello."))
	c.patch(c.one(c.of("user_id", "bob")).ID, object{"memory": "I play the viola"})
	everything := []int64{first[1], first[2], second[0], direct, other[0]}

	byModel := func(ids ...int64) {
		t.Helper()
		for _, id := range everything {
			m := c.message(id)
			by := text(m.Ingest.Extractor)
			if want := slices.Contains(ids, id); m.Ingest.State != "done" || strings.HasPrefix(by, "llm/") != want || strings.Contains(by, "(llm: ") == want {
				t.Errorf("message %d: %s by %q, by the model: %v", id, m.Ingest.State, by, want)
			}
		}
	}
	memories := func() string {
		var all []string
		for _, who := range []string{"ann", "bob"} {
			for _, m := range c.list(object{"user_id": who, "include_superseded": true}).Results {
				all = append(all, fmt.Sprint(m.ID, m.Memory, m.Sources, text(m.ValidTo)))
			}
		}
		slices.Sort(all)
		return strings.Join(all, "\n")
	}
	before := memories()
	byModel()
	model.plays(repeating)

	for _, run := range []struct {
		what    string
		args    []string
		want    reextracted
		byModel []int64
	}{
		{"one by its id, named twice", []string{fmt.Sprint(second[0]), fmt.Sprint(second[0])}, reextracted{Asked: 1, Learned: 1}, second},
		{"one that is never learned from", []string{fmt.Sprint(first[0])}, reextracted{Skipped: 1}, second},
		{"a session", []string{"--user", "ann", "--session", "s 2/ü"}, reextracted{Asked: 1, Learned: 1}, second},
		{"what came before there was any", []string{"--user", "ann", "--until", "2001-01-01"}, reextracted{}, second},
		{"what will come", []string{"--user", "ann", "--since", "2999-01-01T00:00:00Z"}, reextracted{}, second},
		{"what is marked in a session", []string{"--user", "ann", "--session", "s1", "--all-marked"}, reextracted{Asked: 2, Learned: 2}, []int64{second[0], first[1], first[2]}},
		{"what is marked of a user, in no listed session", []string{"--user", "ann", "--all-marked", "--since", "2001-01-01"}, reextracted{Asked: 1, Learned: 1}, []int64{second[0], first[1], first[2], direct}},
		{"what is marked of anybody", []string{"--all-marked", "--at-once", "1"}, reextracted{Asked: 1, Learned: 1}, everything},
		{"nothing is marked any more", []string{"--all-marked"}, reextracted{}, everything},
		{"all of a user", []string{"--user", "ann"}, reextracted{Asked: 4, Learned: 4, Skipped: 1}, everything},
		{"all of a user again", []string{"--user", "ann"}, reextracted{Asked: 4, Learned: 4, Skipped: 1}, everything},
	} {
		run.want.Complete = true
		code, got, out := reextractWith(t, env, run.args...)
		if code != 0 || got != run.want {
			t.Errorf("%s: exit %d, %+v, want %+v\n%s", run.what, code, got, run.want, out)
		}
		byModel(run.byModel...)
	}
	if after := memories(); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}

	t.Run("a model that is of no use again takes nothing away", func(t *testing.T) {
		model.plays(babbling)
		code, got, out := reextractWith(t, env, "--user", "ann", "--session", "s1")
		if code != 0 || got != (reextracted{Asked: 2, FellBack: 2, Skipped: 1, Complete: true}) {
			t.Errorf("exit %d, %+v\n%s", code, got, out)
		}
		if after := memories(); after != before {
			t.Errorf("before:\n%s\nafter:\n%s", before, after)
		}
	})
	t.Run("without waiting", func(t *testing.T) {
		code, got, out := reextractWith(t, env, "--user", "ann", "--session", "s1", "--no-wait")
		if code != 0 || got != (reextracted{Asked: 2, Open: 2, Skipped: 1, Complete: true}) {
			t.Errorf("exit %d, %+v\n%s", code, got, out)
		}
		d.caller(t, "Authorization", "Bearer k-one").settle("ann")
	})
	t.Run("what cannot be done is told, and the rest is done", func(t *testing.T) {
		code, got, out := reextractWith(t, env, fmt.Sprint(second[0]), "987654")
		if code != 1 || got.Asked != 1 || got.Failed != 1 || !strings.Contains(out, "message 987654: 404") {
			t.Errorf("exit %d, %+v\n%s", code, got, out)
		}
		code, out = exitCode(t, env, "reextract", "987654")
		if code != 1 || !strings.Contains(out, "0 asked for, 1 failed") {
			t.Errorf("exit %d\n%s", code, out)
		}
		code, got, out = reextractWith(t, env, "--user", "nobody", "--session", "none")
		if code != 1 || got.Complete || !strings.Contains(out, "404") {
			t.Errorf("exit %d, %+v\n%s", code, got, out)
		}
	})
	t.Run("a key that may not ends it at once", func(t *testing.T) {
		for key, status := range map[string]string{"k-reader": "403", "k-wrong": "401", "": "401"} {
			code, got, out := reextractWith(t, []string{"MEMD_URL=" + d.url, "MEMD_API_KEY=" + key}, "1", "2", "3")
			if code != 1 || got.Complete || got.Failed != 0 || !strings.Contains(out, status) || key != "" && strings.Contains(out, key) {
				t.Errorf("%q: exit %d, %+v\n%s", key, code, got, out)
			}
		}
	})
}

func TestReextractRefuses(t *testing.T) {
	for words, args := range map[string][]string{
		"which messages":       {},
		"--session":            {"--session", "s"},
		"either":               {"7", "--user", "u"},
		"--since":              {"--user", "u", "--since", "yesterday"},
		"--until":              {"--user", "u", "--until", "2001-13-01"},
		"--at-once":            {"7", "--at-once", "0"},
		"id: must be":          {"0"},
		"which messages: ":     {"--since", "2001-01-01"},
		"expected a valid 64 ": {"seven"},
	} {
		if code, _, out := reextract(t, "http://"+freeAddr(t), args...); code != 2 || !strings.Contains(out, words) {
			t.Errorf("%v: exit %d, want 2 and %q\n%s", args, code, words, out)
		}
	}
	for url, words := range map[string]string{"http://" + freeAddr(t): "does not answer", "localhost:7411": "MEMD_URL", "/tmp": "MEMD_URL"} {
		if code, _, out := reextract(t, url, "7"); code != 1 || !strings.Contains(out, words) {
			t.Errorf("%s: exit %d, want 1 and %q\n%s", url, code, words, out)
		}
	}
}

// A memd that is busy, or away for a moment, is asked again when it says, by as many at a
// time as are wanted; each message once.
func TestReextractWaitsForABusyMemd(t *testing.T) {
	var asked, inFlight, most, puts atomic.Int64
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			n := inFlight.Add(1)
			defer inFlight.Add(-1)
			for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
			}
			switch puts.Add(1) {
			case 1:
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(429)
				return
			case 2:
				w.Header().Set("Retry-After", time.Now().Add(time.Second).UTC().Format(http.TimeFormat))
				w.WriteHeader(503)
				return
			case 7:
				panic(http.ErrAbortHandler) // the connection breaks
			}
			asked.Add(1)
			fmt.Fprint(w, `{"id":1,"ingest":{"state":"pending"}}`)
			return
		}
		fmt.Fprint(w, `{"id":1,"ingest":{"state":"done","extractor":"llm/2:m"}}`)
	}))
	defer server.Close()
	args := []string{"--at-once", "3"}
	for i := range 20 {
		args = append(args, fmt.Sprint(i+1))
	}
	code, got, out := reextract(t, server.URL, args...)
	if code != 0 || got != (reextracted{Asked: 20, Learned: 20, Complete: true}) {
		t.Errorf("exit %d, %+v\n%s", code, got, out)
	}
	if asked.Load() != 20 || most.Load() > 3 {
		t.Errorf("asked for %d, %d at a time", asked.Load(), most.Load())
	}
}

// An interrupt ends it at once, with what was done until then.
func TestReextractIsInterrupted(t *testing.T) {
	waiting := make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/v1/messages/1/"):
			fmt.Fprint(w, `{"id":1,"ingest":{"state":"pending"}}`)
		default:
			waiting <- struct{}{}
			<-r.Context().Done()
		}
	}))
	defer server.Close()
	cmd := exec.Command(binary, "reextract", "--json", "--at-once", "1", "1", "2", "3")
	cmd.Env = append(cleanEnv(), "MEMD_URL="+server.URL)
	var out, problems strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-waiting
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	var got reextracted
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil || got != (reextracted{Asked: 1, Open: 1}) || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(problems.String(), "interrupted") {
		t.Errorf("exit %d, %+v, %v\n%s%s", cmd.ProcessState.ExitCode(), got, err, out.String(), problems.String())
	}
	if n := len(waiting); n > 0 {
		t.Errorf("%d more were asked for after it", n)
	}
}
