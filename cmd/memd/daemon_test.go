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
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memdhq/memd/internal/memdtest"
)

// Tests that run in parallel have a memd of their own each, and mostly wait for it. Not
// parallel are those that say how long it may take to stop, and those that need an
// address at which nothing listens.

// binary is memd, built once for all tests of this package.
var binary string

// temporary is the folder for what a memd that is killed leaves behind.
var temporary string

func TestMain(m *testing.M) {
	if os.Getenv(serveAsModel) != "" {
		runModelServer()
		return
	}
	dir, err := memdtest.MakeDir()
	if err != nil {
		panic(err)
	}
	binary, temporary = filepath.Join(dir, "memd"), filepath.Join(dir, "t")
	if err := errors.Join(os.Mkdir(temporary, 0o777), os.Chmod(temporary, 0o777|os.ModeSticky)); err != nil {
		panic(err)
	}
	build := exec.Command("go", "build", "-ldflags", "-X main.version=v0.0.0-test", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		os.Exit(1)
	}
	code := memdtest.Run(m)
	if err := theTable.print(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.RemoveAll(dir)
	os.RemoveAll(made.dir)
	os.Exit(code)
}

// daemon is a memd in a process of its own.
type daemon struct {
	t   *testing.T
	cmd *exec.Cmd
	url string
	// ended is closed when the process is gone; err is then its exit.
	ended chan struct{}
	err   error
	// key is sent with what a caller asks, unless it is empty.
	key string

	mu  sync.Mutex
	log bytes.Buffer
}

func (d *daemon) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.Write(p)
}

func (d *daemon) logged() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.String()
}

// dataDir gives a data directory in which the database is there already, as at a
// second start: making one anew takes seconds.
func dataDir(t *testing.T) string {
	t.Helper()
	made.Do(func() {
		// Made by a first start, which is a test in itself.
		if made.dir, made.err = memdtest.MakeDir(); made.err == nil {
			d := start(t, made.dir)
			made.err, _ = d.terminate()
		}
	})
	if made.err != nil {
		t.Fatal(made.err)
	}
	dir := memdtest.Dir(t)
	if out, err := exec.Command("cp", "-a", filepath.Join(made.dir, "postgres"), dir).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v %s", err, out)
	}
	return dir
}

var made struct {
	sync.Once
	dir string
	err error
}

// launch starts memd on a data directory and waits until it says where it listens.
func launch(t *testing.T, dir string, env ...string) *daemon {
	t.Helper()
	return launchProgram(t, binary, dir, env...)
}

// launchProgram is launch of another build of memd.
func launchProgram(t *testing.T, program, dir string, env ...string) *daemon {
	t.Helper()
	return launchCommand(t, "serve", program, dir, env...)
}

// launchCommand is launchProgram of a command that runs on, as serve does.
func launchCommand(t *testing.T, command, program, dir string, env ...string) *daemon {
	t.Helper()
	d := &daemon{t: t, ended: make(chan struct{})}
	d.cmd = exec.Command(program, command)
	d.cmd.Env = append(cleanEnv(), "MEMD_LISTEN=127.0.0.1:0", "MEMD_DATA_DIR="+dir, "TMPDIR="+temporary)
	d.cmd.Env = append(d.cmd.Env, env...)
	d.cmd.Stderr = d
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if _, url, ok := strings.Cut(lines.Text(), " listens on "); ok {
				address <- url
			} else if program == binary { // earlier ones told it to everybody
				t.Errorf("what only a person at a terminal wants to read: %q", lines.Text())
			}
		}
		d.err = d.cmd.Wait()
		close(d.ended)
	}()
	t.Cleanup(func() {
		d.kill()
		// Its Postgres ends by itself, a moment later.
		d.eventuallyGone(dir)
		if t.Failed() {
			t.Logf("log of memd:\n%s", d.logged())
		}
	})
	select {
	case d.url = <-address:
	case <-d.ended:
		t.Fatalf("memd ended: %v\n%s", d.err, d.logged())
	case <-time.After(time.Minute):
		t.Fatalf("memd does not listen\n%s", d.logged())
	}
	return d
}

// as is the same memd for a part of the test, whose callers send a key.
func (d *daemon) as(t *testing.T, key string) *daemon {
	return &daemon{t: t, cmd: d.cmd, url: d.url, ended: d.ended, key: key}
}

// start launches memd and waits until it is ready.
func start(t *testing.T, dir string, env ...string) *daemon {
	t.Helper()
	d := launch(t, dir, env...)
	d.eventually("ready", func() bool {
		status, _ := d.try(http.MethodGet, "/readyz", "")
		return status == http.StatusOK
	})
	return d
}

// cleanEnv is the environment without settings of memd, save where the assets are.
func cleanEnv() []string {
	var env []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "MEMD_") && name != "MEMD_CACHE_DIR" || name == "DB_URL" || name == "NATS_URL" || name == "OPENAI_API_KEY" {
			continue
		}
		env = append(env, e)
	}
	return env
}

// kill ends memd as kill -9 does.
func (d *daemon) kill() {
	_ = d.cmd.Process.Kill()
	<-d.ended
}

// eventuallyGone waits until nothing runs on a data directory any more.
func (d *daemon) eventuallyGone(dir string) {
	d.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for len(processesOn(d.t, dir)) > 0 {
		if time.Now().After(deadline) {
			d.t.Errorf("a minute after memd was killed there are processes on %s", dir)
			return
		}
		<-time.After(20 * time.Millisecond)
	}
}

// terminate sends SIGTERM and gives the exit and how long it took.
func (d *daemon) terminate() (error, time.Duration) {
	d.t.Helper()
	began := time.Now()
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		d.t.Fatal(err)
	}
	select {
	case <-d.ended:
	case <-time.After(time.Minute):
		d.t.Fatalf("memd does not stop\n%s", d.logged())
	}
	return d.err, time.Since(began)
}

// try makes one request; status is 0 if there was no answer.
func (d *daemon) try(method, path, body string, header ...string) (status int, answer string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, d.url+path, strings.NewReader(body))
	if err != nil {
		d.t.Error(err)
		return 0, ""
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := client.Do(r)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, ""
	}
	return resp.StatusCode, string(raw)
}

var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// want makes a request that must be answered with status, and decodes the answer.
func (d *daemon) want(status int, method, path, body string, into any, header ...string) {
	d.t.Helper()
	got, answer := d.try(method, path, body, header...)
	if got != status {
		d.t.Fatalf("%s %s: %d %s, want %d", method, path, got, answer, status)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(answer), into); err != nil {
			d.t.Fatalf("%s %s: %v in %s", method, path, err, answer)
		}
	}
}

// eventually waits until something holds; what it waits for has no bound but this.
func (d *daemon) eventually(what string, holds func() bool) {
	d.t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-d.ended:
			d.t.Fatalf("memd ended while waiting until %s: %v\n%s", what, d.err, d.logged())
		case <-tick.C:
		}
		if time.Now().After(deadline) {
			d.t.Fatalf("not so within two minutes: %s\n%s", what, d.logged())
		}
	}
}

type ingestStates struct {
	States struct{ Pending, Running, Failed, Done, Skipped, Dead int }
}

func (s ingestStates) open() int { return s.States.Pending + s.States.Running + s.States.Failed }

func (d *daemon) ingest() (s ingestStates) {
	d.t.Helper()
	d.want(200, http.MethodGet, "/v1/ingest", "", &s)
	return s
}

// settled waits until nothing is open and gives the states.
func (d *daemon) settled() (s ingestStates) {
	d.t.Helper()
	d.eventually("all is settled", func() bool { s = d.ingest(); return s.open() == 0 })
	return s
}

type posted struct {
	SessionID string `json:"session_id"`
	Messages  []struct {
		ID        int64
		Duplicate bool
		Ingest    struct{ State string }
	}
}

// post sends one message of a user.
func (d *daemon) post(user, session, text string, header ...string) posted {
	d.t.Helper()
	var p posted
	d.want(201, http.MethodPost, "/v1/messages", messageBody(user, session, text), &p, header...)
	return p
}

func messageBody(user, session, text string) string {
	body, err := json.Marshal(map[string]any{"user_id": user, "session_id": session,
		"messages": []any{map[string]any{"role": "user", "content": text}}})
	if err != nil {
		panic(err)
	}
	return string(body)
}

type found struct {
	Results []struct {
		ID, Memory string
		Score      float64
		Sources    []int64
	}
	Degraded []string
}

func (d *daemon) search(user, query string) (f found) {
	d.t.Helper()
	body, _ := json.Marshal(map[string]any{"user_id": user, "query": query})
	d.want(200, http.MethodPost, "/v1/memories/search", string(body), &f)
	return f
}

// list gives all memories of a user.
func (d *daemon) list(user string) (f found) {
	d.t.Helper()
	d.want(200, http.MethodGet, "/v1/memories?limit=1000&user_id="+user, "", &f)
	return f
}

// exitCode runs memd with arguments to its end.
func exitCode(t *testing.T, env []string, args ...string) (code int, output string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(append(cleanEnv(), "TMPDIR="+temporary), env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}
