package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestAStatementIsRecalledInAnotherSession(t *testing.T) {
	t.Parallel()
	d := start(t, dataDir(t))
	d.post("alice", "s1", "My favorite color is blue")
	d.settled()
	var c struct {
		SessionID string `json:"session_id"`
		Messages  []struct{ Role, Content string }
		Recalled  []struct {
			Memory string
			Score  float64
		}
		Degraded []string
	}
	d.want(200, http.MethodPost, "/v1/context", `{"user_id":"alice","session_id":"s2",
		"append":[{"role":"user","content":"Which color do I like best?"}]}`, &c)
	if len(c.Messages) != 2 || c.Messages[0].Role != "system" || c.Messages[1].Role != "user" {
		t.Fatalf("messages = %+v", c.Messages)
	}
	if want := "retrieved memories:\nuser: My favorite color is blue"; c.Messages[0].Content != want {
		t.Errorf("system message = %q, want %q", c.Messages[0].Content, want)
	}
	if len(c.Recalled) != 1 || c.Recalled[0].Score < 0.5 || len(c.Degraded) != 0 {
		t.Errorf("recalled = %+v, degraded = %v", c.Recalled, c.Degraded)
	}
	if f := d.search("bob", "favorite color"); len(f.Results) != 0 {
		t.Errorf("another user is given %+v", f.Results)
	}
}

func TestSIGTERMStopsAllOfItCleanly(t *testing.T) {
	dir := dataDir(t)
	d := start(t, dir)
	for i := range 20 {
		d.post("alice", "s1", fmt.Sprintf("I bought %d red apples at the market", i+2))
	}
	err, took := d.terminate()
	if err != nil || took > 10*time.Second {
		t.Fatalf("exit %v after %v, want 0 within 10 s\n%s", err, took, d.logged())
	}
	if left := processesOn(t, dir); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	d = start(t, dir) // what was handed back goes on
	if s := d.settled(); s.States.Done != 20 {
		t.Errorf("states = %+v, want 20 done", s.States)
	}
}

// processesOn lists processes that name a directory on their command line.
func processesOn(t *testing.T, dir string) (pids []string) {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		raw, err := os.ReadFile(e)
		if err == nil && strings.Contains(string(raw), dir) {
			pids = append(pids, filepath.Base(filepath.Dir(e)))
		}
	}
	return pids
}

func TestASecondMemdOnTheSameDataIsRefused(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	d := start(t, dir)
	code, out := exitCode(t, []string{"MEMD_DATA_DIR=" + dir, "MEMD_LISTEN=127.0.0.1:0"}, "serve")
	if code != 1 || strings.Count(strings.TrimSpace(out), "\n") > 3 {
		t.Errorf("exit %d, %s", code, out)
	}
	d.post("alice", "s", "The first one still works fine in Lisbon")
	d.settled()
}

func TestAPublicAddressNeedsKeys(t *testing.T) {
	code, out := exitCode(t, []string{"MEMD_LISTEN=0.0.0.0:0", "MEMD_DATA_DIR=" + dataDir(t)}, "serve")
	if code != 1 || !strings.Contains(out, "MEMD_LISTEN") || !strings.Contains(out, "MEMD_API_KEYS") {
		t.Errorf("exit %d, %s", code, out)
	}
}

func TestKeysKeepTenantsApart(t *testing.T) {
	t.Parallel()
	d := start(t, dataDir(t), "MEMD_API_KEYS=k-acme=acme,k-globex=globex,k-read=acme:reader")
	if status, _ := d.try(http.MethodGet, "/v1/ingest", ""); status != 401 {
		t.Errorf("without a key: %d", status)
	}
	acme, globex := []string{"Authorization", "Bearer k-acme"}, []string{"X-API-Key", "k-globex"}
	p := d.post("alice", "s1", "My favorite color is blue", acme...)
	d.eventually("settled", func() bool {
		var s ingestStates
		d.want(200, http.MethodGet, "/v1/ingest", "", &s, acme...)
		return s.States.Done == 1
	})
	id := strconv.FormatInt(p.Messages[0].ID, 10)
	d.want(200, http.MethodGet, "/v1/messages/"+id, "", nil, acme...)
	d.want(404, http.MethodGet, "/v1/messages/"+id, "", nil, globex...)
	var f found
	d.want(200, http.MethodPost, "/v1/memories/search", `{"user_id":"alice","query":"color"}`, &f, globex...)
	if len(f.Results) != 0 {
		t.Errorf("another tenant is given %+v", f.Results)
	}
	d.want(200, http.MethodPost, "/v1/memories/search", `{"user_id":"alice","query":"color"}`, &f, "Authorization", "Token k-read")
	if len(f.Results) != 1 {
		t.Errorf("a reader of the tenant is given %+v", f.Results)
	}
	d.want(403, http.MethodPost, "/v1/messages", messageBody("alice", "s1", "x y z"), nil, "Authorization", "Token k-read")
}

func TestConfigCheckTellsEverythingAndHidesSecrets(t *testing.T) {
	env := []string{"MEMD_API_KEYS=sesame=acme:admin", "DB_URL=postgres://joe:sesame@db/memd", "MEMD_WORKERS=7", "OPENAI_API_KEY=sesame", "MEMD_LISEN=x"}
	code, out := exitCode(t, env, "config", "check", "--listen=127.0.0.1:7000")
	if code != 0 || strings.Contains(out, "sesame") {
		t.Errorf("exit %d, %s", code, out)
	}
	for _, want := range []string{"acme:admin", "MEMD_WORKERS", "environment", "flag --listen", "default", "MEMD_LISEN"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	code, out = exitCode(t, []string{"MEMD_WORKERS=many", "MEMD_LISTEN=0.0.0.0:1", "MEMD_LOG_LEVEL=loud"}, "config", "check")
	if code != 1 {
		t.Errorf("exit %d", code)
	}
	for _, want := range []string{"MEMD_WORKERS: must be a whole number", "MEMD_LISTEN", "MEMD_LOG_LEVEL"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

func TestVersionAndHealth(t *testing.T) {
	t.Parallel()
	if code, out := exitCode(t, nil, "version"); code != 0 || !strings.HasPrefix(out, "memd v0.0.0-test ") {
		t.Errorf("exit %d, %s", code, out)
	}
	d := start(t, dataDir(t))
	listen := "MEMD_LISTEN=" + strings.TrimPrefix(d.url, "http://")
	if code, out := exitCode(t, []string{listen}, "health"); code != 0 {
		t.Errorf("exit %d, %s", code, out)
	}
	d.kill()
	if code, _ := exitCode(t, []string{listen}, "health"); code == 0 {
		t.Error("a memd that is gone is healthy")
	}
}

// Callers who neither read nor say what they announced hold up no stop: workers hand back
// meanwhile, and all that memd runs ends by itself.
func TestStalledCallersHoldUpNoStop(t *testing.T) {
	dir, model := dataDir(t), newModelChild(t)
	d := start(t, dir, "MEMD_EMBED_URL=http://"+model.addr+"/v1", "MEMD_EMBED_MODEL=words", "MEMD_WORKERS=2")
	var much []string
	for i := range 16 { // more than lies on its way to who does not read it
		much = append(much, fmt.Sprintf(`{"role":"user","content":"%d %s"}`, i, strings.Repeat("much ", 200<<10)))
	}
	d.want(201, "POST", "/v1/messages", `{"user_id":"bob","infer":false,"messages":[`+strings.Join(much, ",")+`]}`, nil)
	model.behave(modelMode{Kind: "nothing"})
	waiting := d.post("alice", "s", "I keep my bicycle in the cellar").Messages[0].ID
	d.eventually("it is learned from", func() bool { return d.ingest().States.Running == 1 })

	dial := func(say string) net.Conn {
		few := net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
			_ = c.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, 4<<10) })
			return err
		}}
		c, err := few.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if _, err := io.WriteString(c, say); err != nil {
			t.Fatal(err)
		}
		return c
	}
	reader := dial("GET /v1/export HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if _, err := reader.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	dial("POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")

	if err, took := d.terminate(); err != nil || took > 10*time.Second || strings.Contains(d.logged(), `"level":"error"`) || strings.Contains(d.logged(), "not everything ended") {
		t.Errorf("exit %v after %v, want 0 within 10 s and nothing left behind", err, took)
	}
	d = start(t, dir, "MEMD_WORKERS=0")
	var m struct {
		Ingest struct {
			State    string
			Attempts int
		}
	}
	d.want(200, "GET", fmt.Sprint("/v1/messages/", waiting), "", &m)
	if m.Ingest.State != "pending" || m.Ingest.Attempts != 0 {
		t.Errorf("what was learned from is %+v, want handed back", m.Ingest)
	}
}
