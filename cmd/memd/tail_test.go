package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// tailing is a memd tail in a process of its own.
type tailing struct {
	t   *testing.T
	cmd *exec.Cmd
	// lines are what it prints; closed at its end.
	lines chan string
	// read is the end of its output that the test reads from.
	read io.Closer
	told told
}

// told is what was written to standard error.
type told struct {
	mu sync.Mutex
	strings.Builder
}

func (o *told) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.Builder.Write(p)
}

func (o *told) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.Builder.String()
}

func startTail(t *testing.T, at string, args ...string) *tailing {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	r := &tailing{t: t, cmd: exec.CommandContext(ctx, binary, append([]string{"tail"}, args...)...), lines: make(chan string, 1000)}
	r.cmd.Env = append(cleanEnv(), "MEMD_URL="+at, "TMPDIR="+temporary)
	r.cmd.Stderr = &r.told
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.cmd.Stdout, r.read = in, out
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	go func() {
		defer close(r.lines)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			r.lines <- lines.Text()
		}
	}()
	t.Cleanup(func() {
		cancel()
		_ = r.cmd.Wait()
		out.Close()
		if t.Failed() {
			t.Logf("memd tail told: %s", &r.told)
		}
	})
	return r
}

// startWaiting is startTail that returns once it waits for what comes.
func startWaiting(t *testing.T, at string, args ...string) *tailing {
	t.Helper()
	to, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ErrorLog = log.New(io.Discard, "", 0)
	waits := make(chan struct{}, 1)
	way := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("wait") {
			select {
			case waits <- struct{}{}:
			default:
			}
		}
		r.Host = to.Host
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(way.Close)
	r := startTail(t, way.URL, args...)
	select {
	case <-waits:
	case <-time.After(time.Minute):
		t.Fatalf("memd tail does not wait: %s", &r.told)
	}
	return r
}

// line gives the next line it prints.
func (r *tailing) line() string {
	r.t.Helper()
	select {
	case l, ok := <-r.lines:
		if !ok {
			r.t.Fatalf("memd tail ended: %s", &r.told)
		}
		return l
	case <-time.After(time.Minute):
		r.t.Fatalf("memd tail prints nothing: %s", &r.told)
		return ""
	}
}

// prints waits for these lines; each ends as is said.
func (r *tailing) prints(ends ...string) {
	r.t.Helper()
	for _, end := range ends {
		if l := r.line(); !strings.HasSuffix(l, end) {
			r.t.Fatalf("memd tail prints %q, want …%s", l, end)
		}
	}
}

// collect waits for these messages, the sessions of which are given by content, and for no
// others; those of a session come in the order in which they were said.
func (r *tailing) collect(want map[string]string) {
	r.t.Helper()
	printed, last := map[string]bool{}, map[string]int64{}
	for len(printed) < len(want) {
		var l struct {
			SessionID string `json:"session_id"`
			ID        int64
			Content   string
		}
		line := r.line()
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			r.t.Fatalf("%v in %s", err, line)
		}
		if session, wanted := want[l.Content]; !wanted || printed[l.Content] || session != l.SessionID || l.ID <= last[l.SessionID] {
			r.t.Fatalf("prints %s after %d of %d", line, len(printed), len(want))
		}
		printed[l.Content], last[l.SessionID] = true, l.ID
	}
}

// ends waits for its end and gives the exit status.
func (r *tailing) ends() int {
	r.t.Helper()
	_ = r.cmd.Wait() // exits other than 0 are errors too
	return r.cmd.ProcessState.ExitCode()
}

func TestTail(t *testing.T) {
	t.Parallel()
	d := start(t, dataDir(t), "MEMD_WORKERS=0")
	c := d.caller(t)
	say := func(session string, messages ...any) string {
		t.Helper()
		var p struct {
			SessionID string `json:"session_id"`
		}
		c.want(201, http.MethodPost, "/v1/messages", object{"user_id": "ann/1", "session_id": session, "messages": list(messages)}, &p)
		return p.SessionID
	}
	numbered := func(from, n int) (all []any) {
		for i := range n {
			all = append(all, user(fmt.Sprintf("number %d", from+i)))
		}
		return all
	}

	t.Run("a session, where it goes on, and where a limit has it go on", func(t *testing.T) {
		c.want(201, http.MethodPost, "/v1/sessions", object{"user_id": "ann/1", "session_id": "a/b", "rotate": object{"turns": 12}}, nil)
		say("a/b", numbered(0, 9)...)
		r := startTail(t, d.url, "--user", "ann/1", "--session", "a/b", "--turns", "3")
		r.prints("── a/b ──", " user: number 6", " user: number 7", " user: number 8")
		say("other", user("of another session"))
		say("a/b", object{"role": "user", "name": "bob", "content": "first\r\n\nsecond \x1b[31mred", "created_at": "2026-03-02T11:00:00+01:00"})
		if l := r.line(); l != "2026-03-02T10:00:00Z user/bob: first" {
			t.Errorf("prints %q", l)
		}
		if l := r.line(); l != "    second \uFFFD[31mred" {
			t.Errorf("prints %q", l)
		}
		say("a/b", assistant("let me look"), object{"role": "assistant", "content": nil, "tool_calls": list{
			object{"id": "c1", "type": "function", "function": object{"name": "find", "arguments": `{"q":1}`}}}},
			object{"role": "tool", "tool_call_id": "c1", "content": "found"},
			object{"role": "user", "content": list{object{"type": "text", "text": "this one"}, object{"type": "image_url", "image_url": object{"url": "https://x/y.png"}}}})
		r.prints(" assistant: let me look", ` assistant: [find({"q":1})]`, " tool: found", " user: this one", "    [image_url]")
		say("a/b", user("the twelfth"))
		r.prints(" user: the twelfth")
		next := say("a/b", user("past the limit"))
		if next == "a/b" {
			t.Fatal("no limit")
		}
		r.prints("── "+next+" ──", " user: past the limit")
		var rotated struct {
			SessionID string `json:"session_id"`
		}
		c.want(201, http.MethodPost, "/v1/sessions/"+next+"/rotate", object{"user_id": "ann/1", "session_id": "by hand"}, &rotated)
		say("by hand", user("in the third"))
		r.prints("── by hand ──", " user: in the third")

		// Interrupted, it has done what was asked for.
		if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if code := r.ends(); code != 0 || r.told.String() != "" {
			t.Errorf("interrupted: exit %d, told %q", code, &r.told)
		}
	})

	t.Run("a user's latest session, as JSON", func(t *testing.T) {
		r := startTail(t, d.url, "--user", "ben", "--json", "--turns", "1")
		at := func(session string) object { return object{"user_id": "ben", "session_id": session} }
		c.want(201, http.MethodPost, "/v1/messages", at("s1").with(object{"messages": list{user("hello")}}), nil)
		type line struct {
			SessionID string `json:"session_id"`
			ID        int64
			Role      string
			Content   string
			CreatedAt time.Time `json:"created_at"`
		}
		next := func(session, content string) {
			t.Helper()
			var l line
			if err := json.Unmarshal([]byte(r.line()), &l); err != nil || l.SessionID != session || l.Content != content || l.ID == 0 || l.Role != "user" || l.CreatedAt.IsZero() {
				t.Fatalf("%+v (%v), want %q in %s", l, err, content, session)
			}
		}
		// Nobody is a user of whom there is nothing yet: it waits for them.
		next("s1", "hello")
		for i := range 30 {
			session := fmt.Sprintf("s%d", 1+i%3)
			c.want(201, http.MethodPost, "/v1/messages", at(session).with(object{"messages": list{user(fmt.Sprint("turn ", i))}}), nil)
			next(session, fmt.Sprint("turn ", i))
		}
		c.want(200, http.MethodDelete, "/v1/sessions/s3?user_id=ben", nil, nil)
		c.want(201, http.MethodPost, "/v1/messages", at("s4").with(object{"messages": list{user("on")}}), nil)
		next("s4", "on")
	})

	t.Run("whatever session it comes to, each once", func(t *testing.T) {
		post := func(session, content string) (in string) {
			t.Helper()
			return c.turn("cleo", session, user(content)).SessionID
		}
		post("quiet", "long ago")
		post("x", "before")
		c.made(object{"user_id": "cleo", "session_id": "unused"})
		c.made(object{"user_id": "cleo", "session_id": "by limit", "rotate": object{"turns": 1}})
		c.made(object{"user_id": "cleo", "session_id": "by hand"})
		everything := startWaiting(t, d.url, "--user", "cleo", "--json", "--turns", "0")
		limited := startWaiting(t, d.url, "--user", "cleo", "--json", "--session", "by limit")
		turned := startWaiting(t, d.url, "--user", "cleo", "--json", "--session", "by hand")
		all, chain, hand := map[string]string{}, map[string]string{}, map[string]string{}
		said := func(session, content string) string {
			t.Helper()
			all[content] = post(session, content)
			return all[content]
		}
		for i, session := range []string{"x", "y", "z", "w", "x", "quiet"} {
			said(session, fmt.Sprint("around ", i))
		}
		names := map[string]bool{}
		for i := range 10 {
			content := fmt.Sprint("limited ", i)
			chain[content] = said("by limit", content)
			names[chain[content]] = true
			said([]string{"x", "y", "quiet"}[i%3], fmt.Sprint("between ", i))
		}
		if len(names) != 10 {
			t.Fatalf("%d sessions by limit", len(names))
		}
		at := "by hand"
		for i := range 5 {
			content := fmt.Sprint("turned ", i)
			hand[content] = said(at, content)
			next := c.rotated("cleo", at).SessionID
			content = fmt.Sprint("late ", i)
			hand[content] = said(at, content)
			content = fmt.Sprint("very late ", i)
			hand[content] = said("by hand", content)
			at = next
		}
		everything.collect(all)
		limited.collect(chain)
		turned.collect(hand)
		// Each goes on from there, and has nothing left to print.
		end := map[string]string{"end": said("by limit", "end")}
		limited.collect(end)
		everything.collect(end)
		turned.collect(map[string]string{"end of turns": said(at, "end of turns")})
		everything.collect(map[string]string{"end of turns": at})
		for _, r := range []*tailing{everything, limited, turned} {
			if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if code := r.ends(); code != 0 || r.told.String() != "" {
				t.Errorf("interrupted: exit %d, told %q", code, &r.told)
			}
			for l := range r.lines {
				t.Errorf("prints %s once more", l)
			}
		}
	})

	t.Run("an incognito session that is over", func(t *testing.T) {
		c.made(object{"user_id": "dan", "session_id": "secret", "incognito": true})
		c.turn("dan", "secret", user("between us"))
		r := startTail(t, d.url, "--user", "dan", "--session", "secret")
		r.prints("── secret ──", " user: between us")
		c.rotated("dan", "secret")
		if code := r.ends(); code != 0 || !strings.Contains(r.told.String(), "session secret is there no more") || strings.Count(r.told.String(), "\n") != 1 {
			t.Errorf("exit %d, told %q", code, &r.told)
		}
	})

	t.Run("nobody reads it any more", func(t *testing.T) {
		say("left", user("before"))
		r := startTail(t, d.url, "--user", "ann/1", "--session", "left")
		r.prints("── left ──", " user: before")
		r.read.Close()
		if code := r.ends(); code != 0 || r.told.String() != "" {
			t.Errorf("exit %d, told %q", code, &r.told)
		}
	})

	t.Run("while memd comes and goes", func(t *testing.T) {
		var away atomic.Bool
		to, err := url.Parse(d.url)
		if err != nil {
			t.Fatal(err)
		}
		proxy := httputil.NewSingleHostReverseProxy(to)
		refused, waits := make(chan struct{}, 100), make(chan struct{}, 100)
		way := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if away.Load() {
				refused <- struct{}{}
				panic(http.ErrAbortHandler)
			}
			if r.URL.Query().Has("wait") {
				waits <- struct{}{}
			}
			r.Host = to.Host
			proxy.ServeHTTP(w, r)
		}))
		t.Cleanup(way.Close)
		proxy.ErrorLog = log.New(io.Discard, "", 0)
		say("shaky", user("zero"))
		r := startTail(t, way.URL, "--user", "ann/1", "--session", "shaky", "--turns", "0")
		<-waits
		say("shaky", user("one"))
		r.prints("── shaky ──", " user: one")
		away.Store(true)
		way.CloseClientConnections()
		<-refused
		say("shaky", user("two"), user("three"))
		away.Store(false)
		r.prints(" user: two", " user: three")
		if strings.Count(r.told.String(), "trying again") == 0 {
			t.Errorf("told %q", &r.told)
		}
		if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if code := r.ends(); code != 0 {
			t.Errorf("exit %d", code)
		}
	})

	t.Run("what cannot be", func(t *testing.T) {
		for _, test := range []struct {
			args []string
			code int
			says string
		}{
			{nil, 2, "--user"},
			{[]string{"--user", "ann/1", "--turns", "1001"}, 2, "--turns"},
			{[]string{"--user", "ann/1", "--turns", "-1"}, 2, "--turns"},
			{[]string{"--user", "ann/1", "--session", "none"}, 1, "404"},
			{[]string{"--user", "nobody", "--session", "a/b"}, 1, "404"},
		} {
			code, out := exitCode(t, []string{"MEMD_URL=" + d.url}, append([]string{"tail"}, test.args...)...)
			if code != test.code || !strings.Contains(out, test.says) {
				t.Errorf("%v: exit %d\n%s", test.args, code, out)
			}
		}
		// A memd that was never there is not waited for.
		code, out := exitCode(t, []string{"MEMD_URL=http://" + freeAddr(t)}, "tail", "--user", "ann/1")
		if code != 1 || !strings.Contains(out, "does not answer") {
			t.Errorf("exit %d\n%s", code, out)
		}
	})
}
