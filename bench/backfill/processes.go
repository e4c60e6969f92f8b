package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func build(ctx context.Context, program string) error {
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "github.com/memdhq/memd/cmd/memd").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// environment is ours without settings of memd, save where its assets are.
func environment(more ...string) (env []string) {
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "MEMD_") && name != "MEMD_CACHE_DIR" || name == "DB_URL" || name == "NATS_URL" || name == "OPENAI_API_KEY" {
			continue
		}
		env = append(env, e)
	}
	return append(env, more...)
}

// memd is one that runs.
type memd struct {
	program, url string
	cmd          *exec.Cmd
	log          bytes.Buffer
	ended        chan struct{}
	err          error
}

// startMemd starts one and waits until it is ready.
func startMemd(ctx context.Context, program, dir string, settings []string) (*memd, error) {
	m := &memd{program: program, cmd: exec.Command(program, "serve"), ended: make(chan struct{})}
	m.cmd.Env = environment(append([]string{"MEMD_LISTEN=127.0.0.1:0", "MEMD_DATA_DIR=" + dir}, settings...)...)
	m.cmd.Stderr = &m.log
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := m.cmd.Start(); err != nil {
		return nil, err
	}
	listening := make(chan string, 1)
	go func() {
		defer close(m.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if _, url, ok := strings.Cut(lines.Text(), " listens on "); ok {
				listening <- url
			}
		}
		m.err = m.cmd.Wait()
	}()
	for {
		select {
		case m.url = <-listening:
		case <-m.ended:
			return nil, fmt.Errorf("memd ended: %w\n%s", m.err, m.log.String())
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), m.stop())
		case <-time.After(50 * time.Millisecond):
			if m.url == "" {
				continue
			}
			if resp, err := http.Get(m.url + "/readyz"); err == nil {
				resp.Body.Close()
				if resp.StatusCode == http.StatusOK {
					return m, nil
				}
			}
		}
	}
}

func (m *memd) stop() error {
	_ = m.cmd.Process.Signal(syscall.SIGTERM)
	<-m.ended
	if m.err != nil {
		return fmt.Errorf("memd: %w\n%s", m.err, m.log.String())
	}
	return nil
}

// peak is the most memory it ever had, in bytes; 0 where the system does not tell.
func (m *memd) peak() int { return peakOf(m.cmd.Process.Pid) }

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

func peakOf(pid int) int {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	found := highWater.FindSubmatch(raw)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(found[1]))
	return n << 10
}

// importer is a memd import that runs.
type importer struct {
	cmd *exec.Cmd
	// sending is closed when all is read and put into order, and what it has speaks to memd.
	sending chan struct{}
	// ended is closed when it is gone; what follows is then known.
	ended chan struct{}
	err   error
	peak  int           // the most memory it had, in bytes
	read  time.Duration // how long it took to read and order everything
	said  bytes.Buffer
}

// importing has a past brought in.
func (m *memd) importing(ctx context.Context, p past, flags []string) (*importer, error) {
	i := &importer{sending: make(chan struct{}), ended: make(chan struct{})}
	i.cmd = exec.CommandContext(ctx, m.program, append(append([]string{"import", "--bad", os.DevNull}, flags...), "-")...)
	i.cmd.Env = environment("MEMD_URL=" + m.url)
	i.cmd.Stdout, i.cmd.Stderr = &i.said, &i.said
	in, err := i.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := i.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.write(in) // the importer tells what came of it
		in.Close()
	}()
	gone := make(chan error, 1)
	go func() { gone <- i.cmd.Wait() }()
	go func() {
		defer close(i.ended)
		sends := false
		note := func() {
			if !sends {
				sends, i.read = true, time.Since(began)
				close(i.sending)
			}
		}
		for tick := time.NewTicker(50 * time.Millisecond); ; {
			select {
			case <-tick.C:
				if hasSockets(i.cmd.Process.Pid) {
					note()
				}
			case i.err = <-gone:
				tick.Stop()
				note()
				if usage, ok := i.cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
					i.peak = int(usage.Maxrss) << 10
				}
				return
			}
		}
	}()
	return i, nil
}

// hasSockets says whether a process has one open.
func hasSockets(pid int) bool {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if to, _ := os.Readlink(dir + "/" + f.Name()); strings.HasPrefix(to, "socket:") {
			return true
		}
	}
	return false
}

func (i *importer) over() bool {
	select {
	case <-i.ended:
		return true
	default:
		return false
	}
}

// awaitSending waits until it sends. That it is over already is an error.
func (i *importer) awaitSending(ctx context.Context) error {
	select {
	case <-i.sending:
	case <-ctx.Done():
		return ctx.Err()
	}
	if i.over() {
		return errors.Join(errors.New("the import was over before it began"), i.end())
	}
	return nil
}

// end waits for its end.
func (i *importer) end() error {
	<-i.ended
	if i.err != nil {
		return fmt.Errorf("memd import: %w\n%s", i.err, i.said.String())
	}
	return nil
}

// breakOff ends it where it is.
func (i *importer) breakOff() error {
	if i.over() {
		return fmt.Errorf("the import was over before it was to be broken off: there is too little of it\n%s", i.said.String())
	}
	_ = i.cmd.Process.Kill()
	<-i.ended
	return nil
}
