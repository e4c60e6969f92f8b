package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/memdhq/memd/internal/memdtest"
	"golang.org/x/sys/unix"
)

// child is a server in a process of its own.
type child struct {
	t   *testing.T
	cmd *exec.Cmd
}

func (c *child) signal(s syscall.Signal) {
	if err := c.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		c.t.Error(err)
	}
}

// end ends it by a signal and waits for it.
func (c *child) end(s syscall.Signal) {
	c.signal(s)
	c.signal(syscall.SIGCONT) // it may be stopped
	_ = c.cmd.Wait()
}

// natsBinary is nats-server, built once of the version that memd holds.
var natsBinary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(filepath.Dir(binary), "nats-server")
	out, err := exec.Command("go", "build", "-o", path, "github.com/nats-io/nats-server/v2").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return path, nil
})

// natsChild is a nats-server that can be ended and begun again on the same address.
type natsChild struct {
	child
	addr, store string
}

func newNATSChild(t *testing.T) *natsChild {
	t.Helper()
	n := &natsChild{child: child{t: t}, addr: freeAddr(t), store: filepath.Join(memdtest.Dir(t), "js")}
	n.begin()
	t.Cleanup(func() { n.end(syscall.SIGKILL) })
	return n
}

func (n *natsChild) begin() {
	path, err := natsBinary()
	if err != nil {
		n.t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(n.addr)
	if err != nil {
		n.t.Fatal(err)
	}
	n.cmd = exec.Command(path, "-a", host, "-p", port, "-js", "-sd", n.store)
	if err := n.cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
}

// wipe ends it, takes its store away and begins it anew.
func (n *natsChild) wipe(s syscall.Signal) {
	n.end(s)
	if err := os.RemoveAll(n.store); err != nil {
		n.t.Error(err)
	}
	n.begin()
}

// serveAsModel has this program be a model server instead of running tests.
const serveAsModel = "MEMD_TEST_MODEL_SERVER"

// modelMode is how the model server behaves.
type modelMode struct {
	// Kind is "" for well, "status", "garbage", "nothing" or "trickle".
	Kind       string
	Status     int
	RetryAfter int
	// changed is closed when it behaves in another way, as one that was started again: what
	// hangs is cut off.
	changed chan struct{}
}

// modelChild is a model server, embedding and chatting, in a process of its own.
type modelChild struct {
	child
	addr string
}

func newModelChild(t *testing.T) *modelChild {
	t.Helper()
	m := &modelChild{child: child{t: t}}
	m.cmd = exec.Command(os.Args[0])
	m.cmd.Env = append(cleanEnv(), serveAsModel+"=1")
	m.cmd.Stderr = os.Stderr
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.end(syscall.SIGKILL) })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	m.addr = strings.TrimSpace(line)
	return m
}

// behave tells it how to behave from now on.
func (m *modelChild) behave(mode modelMode) {
	body, err := json.Marshal(mode)
	if err != nil {
		m.t.Fatal(err)
	}
	resp, err := client.Post("http://"+m.addr+"/behave", "application/json", bytes.NewReader(body))
	if err != nil {
		m.t.Fatal(err)
	}
	resp.Body.Close()
}

// runModelServer serves until the process is killed.
func runModelServer() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(l.Addr())
	well := http.NewServeMux()
	well.HandleFunc("POST /v1/embeddings", (&modelServer{}).embeddings)
	chats := &chatServer{play: repeating}
	chats.handle(well)
	var mode atomic.Pointer[modelMode]
	mode.Store(&modelMode{changed: make(chan struct{})})
	var calls atomic.Int64
	all := http.NewServeMux()
	all.HandleFunc("POST /behave", func(_ http.ResponseWriter, r *http.Request) {
		var m modelMode
		if json.NewDecoder(r.Body).Decode(&m) == nil {
			m.changed = make(chan struct{})
			close(mode.Swap(&m).changed)
		}
	})
	all.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) {
		switch m := mode.Load(); m.Kind {
		case "":
			well.ServeHTTP(w, r)
		case "status":
			if m.RetryAfter > 0 {
				w.Header().Set("Retry-After", strconv.Itoa(m.RetryAfter))
			}
			w.WriteHeader(m.Status)
			fmt.Fprint(w, `{"error":{"message":"no"}}`)
		case "garbage":
			garbage(w, calls.Add(1))
		case "nothing":
			select {
			case <-r.Context().Done():
			case <-m.changed:
				panic(http.ErrAbortHandler)
			}
		case "trickle":
			answer := httptest.NewRecorder()
			well.ServeHTTP(answer, r)
			w.Header().Set("Content-Type", "application/json")
			for _, b := range answer.Body.Bytes() {
				if _, err := w.Write([]byte{b}); err != nil {
					return
				}
				_ = http.NewResponseController(w).Flush()
				select {
				case <-r.Context().Done():
					return
				case <-m.changed:
					panic(http.ErrAbortHandler)
				case <-time.After(time.Second):
				}
			}
		}
	})
	_ = http.Serve(l, all)
}

// garbage answers as broken servers and wrong addresses do, each call in another way.
func garbage(w http.ResponseWriter, call int64) {
	w.Header().Set("Content-Type", "application/json")
	switch call % 6 {
	case 0:
		_, _ = w.Write([]byte("\x00\xff\xfe\x1f\x8b garbage \x07"))
	case 1:
		fmt.Fprint(w, `<html><body>It works!</body></html>`)
	case 2:
		fmt.Fprint(w, `{"data":[{"index":0,"embedding":[0.1,`)
	case 3:
		fmt.Fprint(w, `{"data":[{"index":7,"embedding":["a","b"]}],"choices":[{"message":{"content":"{\"facts\":[{\"text\":7}]}"}}]}`)
	case 4: // well, with nothing in it
	case 5:
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = c.Close()
		}
	}
}

// databaseClock is the clock of a Postgres, which can be set.
type databaseClock struct {
	binDir string
	ahead  *int64 // seconds, in memory that the server shares
}

// clockSource is put between Postgres and the C library.
const clockSource = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long *ahead;

__attribute__((constructor)) static void open_clock(void) {
	const char *path = getenv("TEST_CLOCK");
	int f = path ? open(path, O_RDONLY) : -1;
	if (f < 0) return;
	void *p = mmap(0, sizeof(long), PROT_READ, MAP_SHARED, f, 0);
	close(f);
	if (p != MAP_FAILED) ahead = p;
}

int clock_gettime(clockid_t clock, struct timespec *t) {
	int r = syscall(SYS_clock_gettime, clock, t);
	if (r == 0 && ahead && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) t->tv_sec += *ahead;
	return r;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
	struct timespec now;
	(void)zone;
	if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
	t->tv_sec = now.tv_sec;
	t->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *t) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (t) *t = now.tv_sec;
	return now.tv_sec;
}
`

// newDatabaseClock makes an installation of Postgres whose servers go by a clock of the
// test's; nil where that cannot be done, and why.
func newDatabaseClock(t *testing.T) (*databaseClock, string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil, "the clock of a process can be set on Linux only"
	}
	dir := memdtest.Dir(t)
	source, library, file := filepath.Join(dir, "clock.c"), filepath.Join(dir, "clock.so"), filepath.Join(dir, "clock")
	if err := os.WriteFile(source, []byte(clockSource), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-O1", "-o", library, source).CombinedOutput(); err != nil {
		return nil, fmt.Sprintf("cc: %v %s", err, out)
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(8); err != nil {
		t.Fatal(err)
	}
	shared, err := unix.Mmap(int(f.Fd()), 0, 8, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(shared) })
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nLD_PRELOAD=%s TEST_CLOCK=%s exec %s \"$@\"\n", library, file, filepath.Join(memdtest.Assets(t).Postgres, "bin/postgres"))
	if err := os.WriteFile(filepath.Join(bin, "postgres"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return &databaseClock{binDir: dir, ahead: (*int64)(unsafe.Pointer(&shared[0]))}, ""
}

// set puts the clock so far ahead of the true time.
func (c *databaseClock) set(d time.Duration) { atomic.StoreInt64(c.ahead, int64(d/time.Second)) }
