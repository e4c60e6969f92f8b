package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memdhq/memd/internal/memdtest"
	"golang.org/x/sys/unix"
)

// The short forms last as long as a client is patient, and longer; the long forms longer
// than every time-out that memd has for what is away.

func TestFaults(t *testing.T) {
	t.Parallel()
	const moment = 1200 * time.Millisecond
	playAll(t, map[string]func(*testing.T){
		"memd and Postgres":     func(t *testing.T) { playMemdAndPostgres(t, shortForm, moment, moment) },
		"NATS":                  func(t *testing.T) { playNATS(t, shortForm, moment, moment) },
		"model server":          func(t *testing.T) { playModelServer(t, shortForm, moment, moment, moment, 1) },
		"servers of memd's own": func(t *testing.T) { playOwnServers(t, shortForm) },
		"disk full":             func(t *testing.T) { playDiskFull(t, shortForm, moment, 96<<20) },
	})
}

// playAll plays theaters at once: they wait for most of their time.
func playAll(t *testing.T, theaters map[string]func(*testing.T)) {
	var all sync.WaitGroup
	for name, play := range theaters {
		all.Go(func() { t.Run(name, play) })
	}
	all.Wait()
}

// killed is memd ended as kill -9 does, and started again.
func (th *theater) killed() (heal func()) {
	th.current().kill()
	return th.relaunch
}

// told is memd told to stop, and started again.
func (th *theater) told() (heal func()) {
	err, took := th.current().terminate()
	if err != nil || took > 10*time.Second {
		th.t.Errorf("after SIGTERM under load memd ended with %v after %v, want 0 within 10 s", err, took)
	}
	th.extra = fmt.Sprintf("exit 0 after %.1f s", took.Seconds())
	return th.relaunch
}

// killPostmaster ends the server; what it forked ends with it.
func (th *theater) killPostmaster() (heal func()) {
	if err := syscall.Kill(postmaster(th.pgDir), syscall.SIGKILL); err != nil {
		th.t.Error(err)
	}
	return nil
}

// killBackend ends a process that serves a connection: the server takes all others down
// with it and recovers.
func (th *theater) killBackend() (heal func()) {
	for _, pid := range children(postmaster(th.pgDir)) {
		title, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		if strings.Contains(string(title), "memd_app") {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				th.t.Error(err)
			}
			return nil
		}
	}
	th.t.Error("no process of Postgres serves memd")
	return nil
}

// freeze stops processes until they are let go on.
func (th *theater) freeze(pids ...int) (heal func()) {
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil && !errors.Is(err, syscall.ESRCH) {
			th.t.Error(err)
		}
	}
	thaw := func() {
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGCONT) // one that has ended needs nothing
		}
	}
	th.t.Cleanup(thaw) // whatever ends the test: it could not be stopped otherwise
	return thaw
}

func (th *theater) freezePostgres() (heal func()) {
	server := postmaster(th.pgDir)
	return th.freeze(append(children(server), server)...)
}

// refusing has a server be where nobody answers.
func refusing(p *proxy) func() func() {
	return func() func() {
		p.refuse()
		return p.listen
	}
}

// cut has connections to a server end in the middle of its answers.
func (th *theater) cut(p *proxy, atMost int64) func() func() {
	return func() func() {
		p.cutting(th.rnd.Uint64(), atMost)
		return p.mend
	}
}

// playMemdAndPostgres plays what befalls memd itself, and a Postgres that is not its own.
func playMemdAndPostgres(t *testing.T, form faultForm, frozen, away time.Duration) {
	th := newTheater(t, form)
	clock, why := newDatabaseClock(t)
	th.runPostgres(clock)
	th.runModel()
	th.dir = dataDir(t)
	th.open()
	faults := []fault{
		{name: "memd: kill -9", strike: th.killed, late: true},
		{name: "memd: SIGTERM", strike: th.told},
		{name: "Postgres: kill -9 of its postmaster", strike: th.killPostmaster},
		{name: "Postgres: kill -9 of a backend", strike: th.killBackend},
		{name: "Postgres: frozen", strike: th.freezePostgres, lasts: frozen},
		{name: "Postgres: refuses connections", strike: refusing(th.db), lasts: away},
		{name: "Postgres: cut in mid-answer", strike: th.cut(th.db, 8<<10), lasts: away},
	}
	const backAndKilled, forth, back = "clock of Postgres: an hour back, and memd: kill -9", "clock of Postgres: an hour forth", "clock of Postgres: an hour back"
	if clock == nil {
		for _, name := range []string{backAndKilled, forth, back} {
			theTable.add(faultRow{fault: name, form: form.name, notRun: why})
		}
	} else {
		const how = "by a library before Postgres's; memd's own clock is compared within the process only, where Go's is monotonic"
		set := func(to time.Duration) func() func() { return func() func() { clock.set(to); return nil } }
		// What memd was at work on is leased until a time that is far off then.
		faults = slices.Insert(faults, 1, fault{name: backAndKilled, late: true, note: how, strike: func() func() {
			heal := th.killed()
			clock.set(-time.Hour)
			return heal
		}})
		faults = append(faults,
			fault{name: forth, strike: set(0), lasts: away, note: how},
			fault{name: back, strike: set(-time.Hour), lasts: away, note: how})
	}
	th.play(faults...)
}

// runModel puts a model server in a process of its own, and a proxy before it.
func (th *theater) runModel() *modelChild {
	th.t.Helper()
	m := newModelChild(th.t)
	th.model = newProxy(th.t, "tcp", m.addr)
	url := "http://" + th.model.addr + "/v1"
	th.env = append(th.env, "MEMD_EMBED_URL="+url, "MEMD_EMBED_MODEL=words", "MEMD_LLM_URL="+url, "MEMD_LLM_MODEL=parrot")
	return m
}

// playNATS plays what befalls a nats-server that is not memd's own.
func playNATS(t *testing.T, form faultForm, frozen, away time.Duration) {
	th := newTheater(t, form)
	n := newNATSChild(t)
	th.queue = newProxy(t, "tcp", n.addr)
	th.env = append(th.env, "NATS_URL=nats://"+th.queue.addr)
	th.runPostgres(nil)
	th.runModel()
	th.dir = dataDir(t)
	th.open()
	th.play(
		fault{name: "NATS: stopped, its store wiped", strike: func() func() { n.wipe(syscall.SIGTERM); return nil }},
		fault{name: "NATS: kill -9, its store wiped", strike: func() func() { n.wipe(syscall.SIGKILL); return nil }},
		fault{name: "NATS: frozen", strike: func() func() { return th.freeze(n.cmd.Process.Pid) }, lasts: frozen},
		fault{name: "NATS: refuses connections", strike: refusing(th.queue), lasts: away},
		fault{name: "NATS: cut in mid-answer", strike: th.cut(th.queue, 4<<10), lasts: away},
	)
}

// playModelServer plays what befalls the server of the embedding and the chat model. It is
// busy for longer than it is away.
func playModelServer(t *testing.T, form faultForm, frozen, away, busy time.Duration, retryAfter int) {
	th := newTheater(t, form)
	th.runPostgres(nil)
	m := th.runModel()
	th.dir = dataDir(t)
	th.open()
	behaves := func(mode modelMode) func() func() {
		return func() func() {
			m.behave(mode)
			return func() { m.behave(modelMode{}) }
		}
	}
	th.play(
		fault{name: "model: frozen", strike: func() func() { return th.freeze(m.cmd.Process.Pid) }, lasts: frozen},
		fault{name: "model: refuses connections", strike: refusing(th.model), lasts: away},
		fault{name: "model: cut in mid-answer", strike: th.cut(th.model, 2<<10), lasts: away},
		fault{name: "model: 429", strike: behaves(modelMode{Kind: "status", Status: 429, RetryAfter: retryAfter}), lasts: busy,
			note: fmt.Sprintf("Retry-After: %d", retryAfter)},
		fault{name: "model: 500", strike: behaves(modelMode{Kind: "status", Status: 500}), lasts: away},
		fault{name: "model: garbage", strike: behaves(modelMode{Kind: "garbage"}), lasts: away},
		fault{name: "model: never answers", strike: behaves(modelMode{Kind: "nothing"}), lasts: frozen},
		fault{name: "model: one byte a second", strike: behaves(modelMode{Kind: "trickle"}), lasts: frozen},
	)
}

// playOwnServers plays what befalls a memd that runs its own Postgres and NATS and has the
// model within.
func playOwnServers(t *testing.T, form faultForm) {
	th := newTheater(t, form)
	th.dir = dataDir(t)
	th.pgDir = filepath.Join(th.dir, "postgres")
	th.open()
	wipe := func() {
		// A server at work may write to a folder while it is being emptied.
		var err error
		for range 100 {
			if err = os.RemoveAll(filepath.Join(th.dir, "nats")); err == nil {
				return
			}
		}
		t.Error(err)
	}
	th.play(
		fault{name: "memd with its own servers: kill -9", strike: th.killed, late: true},
		fault{name: "memd with its own servers: kill -9, the JetStream store wiped", late: true, strike: func() func() {
			th.current().kill()
			wipe()
			return th.relaunch
		}},
		fault{name: "memd with its own servers: the JetStream store wiped under it", strike: func() func() { wipe(); return nil }},
		fault{name: "memd with its own servers: kill -9 of its postmaster", strike: th.killPostmaster},
		fault{name: "memd with its own servers: SIGTERM", strike: th.told},
	)
	if d := th.current(); !t.Failed() {
		if err, took := d.terminate(); err != nil || took > 10*time.Second {
			t.Errorf("memd ended with %v after %v", err, took)
		}
		if left := processesOn(t, th.dir); len(left) > 0 {
			t.Errorf("processes are left: %v", left)
		}
	}
}

// playDiskFull plays a data directory with no room left, where one can be made, on a disk
// with so many bytes of room beside the database.
func playDiskFull(t *testing.T, form faultForm, full time.Duration, room int64) {
	const name = "memd with its own servers: disk full"
	th := newTheater(t, form)
	made := dataDir(t)
	disk := memdtest.Dir(t)
	size, err := exec.Command("du", "-sb", made).Output()
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := strconv.ParseInt(strings.Fields(string(size))[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, fmt.Sprintf("size=%d,mode=755", bytes+room)); err != nil {
		theTable.add(faultRow{fault: name, form: form.name, notRun: fmt.Sprintf("no small disk can be made here: %v", err)})
		return
	}
	t.Cleanup(func() {
		// What memd started on it ends by itself, a moment after memd.
		err := unix.Unmount(disk, 0)
		for deadline := time.Now().Add(20 * time.Second); errors.Is(err, unix.EBUSY) && time.Now().Before(deadline); err = unix.Unmount(disk, 0) {
			<-time.After(20 * time.Millisecond)
		}
		if err != nil {
			t.Error(err)
		}
	})
	if out, err := exec.Command("cp", "-a", filepath.Join(made, "postgres"), disk).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v %s", err, out)
	}
	th.dir, th.pgDir = disk, filepath.Join(disk, "postgres")
	th.open()
	ballast := filepath.Join(disk, "ballast")
	th.play(fault{name: name, lasts: full, late: true, strike: func() func() {
		if err := fill(ballast); err != nil {
			t.Error(err)
		}
		return func() {
			if err := os.Remove(ballast); err != nil {
				t.Error(err)
			}
		}
	}})
}

// fill writes a file until no byte more fits on its disk.
func fill(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for block := make([]byte, 1<<20); len(block) > 0; {
		if _, err := f.Write(block); errors.Is(err, unix.ENOSPC) {
			block = block[:len(block)/2]
		} else if err != nil {
			return err
		}
	}
	return nil
}
