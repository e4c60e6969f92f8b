package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memdhq/memd"
)

const (
	logName = "postgres.log"
	// logLimit is when a start moves the log aside; the server says little.
	logLimit     = 10 << 20
	socketPrefix = "memd-pg-"
	socketName   = ".s.PGSQL.5432"
	// maxSocketDir leaves room for the socket in the 104 bytes that the
	// narrowest system has for its path.
	maxSocketDir = 104 - 1 - len("/"+socketName)
	socketCheck  = 3 * time.Second
	// socketDirAge is how old an empty folder must be to be left over for certain.
	socketDirAge = 10 * time.Minute

	firstBackoff = 100 * time.Millisecond
	lastBackoff  = 10 * time.Second
	// maxFailures is how many starts in a row may fail before the server is
	// given up: about five minutes' worth.
	maxFailures = 36
	// stopPatience is how long a server left by another memd gets to end at each
	// of the ways to ask.
	stopPatience = 15 * time.Second
)

// settings are memd's; they win over postgresql.conf. What is left out is
// Postgres's own default.
func (p *Postgres) settings() map[string]string {
	return map[string]string{
		// A 201 means that the message is on disk.
		"fsync":              "on",
		"full_page_writes":   "on",
		"synchronous_commit": "on",

		"listen_addresses":        "",
		"unix_socket_directories": p.socket,
		"unix_socket_permissions": "0700",
		"port":                    "5432",
		"max_connections":         "128",
		"timezone":                "UTC",
		"log_timezone":            "UTC",
		// Touched as it is used, so a small installation stays small.
		"shared_buffers": "256MB",
		"huge_pages":     "off",
		"max_wal_size":   "2GB",
		// Memory's queries are short: neither is worth what it costs to set up.
		"jit":                             "off",
		"max_parallel_workers_per_gather": "0",
		"maintenance_work_mem":            "128MB",
		"random_page_cost":                "1.1",
		// Clients get their errors and log them; here they would only quote what
		// people said.
		"log_min_messages":        "log",
		"log_min_error_statement": "panic",
		"log_error_verbosity":     "terse",
		"log_checkpoints":         "off",
		"log_line_prefix":         "%m [%p] ",
		"logging_collector":       "off",
		"log_destination":         "stderr",
	}
}

// run starts the server and keeps it running; it comes back when the server
// first answers, or with why it does not.
func (p *Postgres) run(ctx context.Context) error {
	first := make(chan error, 1)
	go p.supervise(first)
	select {
	case err := <-first:
		if err != nil {
			<-p.done
		}
		return err
	case <-ctx.Done():
		err := &memd.Error{Kind: memd.Unavailable, Op: "embedded.postgres", Msg: "Postgres did not start in time", Err: ctx.Err()}
		return errors.Join(err, p.Stop(ctx))
	}
}

// supervise starts the server again each time it ends, until Stop or until it
// fails to come up too often. The first start gets no second try beyond what the
// leftovers of a killed server make necessary.
func (p *Postgres) supervise(first chan<- error) {
	// The system ties the server's life to the thread that started it.
	runtime.LockOSThread()
	defer close(p.done)
	defer p.release()
	backoff := firstBackoff
	for failures, started := 0, false; ; {
		ready, err := p.serve(func() {
			if !started {
				started = true
				first <- nil
			}
		})
		if p.stopping() {
			if !started {
				first <- errors.New("stopped")
			}
			return
		}
		if ready {
			failures, backoff = 0, firstBackoff
			p.cfg.Log.Error().Err(err).Msg("Postgres ended by itself; starting it again")
		} else {
			failures++
			// While an earlier server's processes are there, a failed start says
			// nothing about the next.
			busy := len(processesOf(p.cfg.DataDir)) > 0
			if !started && !busy && failures > 1 || failures >= maxFailures {
				if !started {
					first <- err
					return
				}
				p.mu.Lock()
				p.err = err
				p.mu.Unlock()
				p.cfg.Log.Error().Err(err).Int(memd.LogAttempts, failures).Msg("Postgres does not start any more; giving it up")
				return
			}
			p.cfg.Log.Warn().Err(err).Int(memd.LogAttempts, failures).Msg("Postgres did not start; trying again")
		}
		wait := time.NewTimer(backoff)
		select {
		case <-p.stop:
			wait.Stop()
		case <-wait.C:
		}
		backoff = min(2*backoff, lastBackoff)
		if p.stopping() {
			continue
		}
		if err := p.clearLeftovers(context.Background()); err != nil {
			p.cfg.Log.Warn().Err(err).Msg("what the last Postgres left behind is still there")
		}
	}
}

func (p *Postgres) stopping() bool {
	select {
	case <-p.stop:
		return true
	default:
		return false
	}
}

// serve runs one server to its end. It reports whether the server ever got
// ready, and calls onReady when it does.
func (p *Postgres) serve(onReady func()) (ready bool, _ error) {
	logFile, err := p.openLog()
	if err != nil {
		return false, invalid("%v", err)
	}
	defer func() { _ = logFile.Close() }()
	from, err := logFile.Seek(0, 2)
	if err != nil {
		return false, invalid("%v", err)
	}
	if err := p.remakeSocketDir(); err != nil {
		return false, err
	}
	var args []string
	settings := p.settings()
	names := make([]string, 0, len(settings))
	for name := range settings {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		args = append(args, "-c", name+"="+settings[name])
	}
	cmd := exec.Command(filepath.Join(p.cfg.BinDir, "bin", "postgres"), args...)
	closeDir, err := p.passDir(cmd, p.cfg.DataDir)
	if err != nil {
		return false, err
	}
	defer closeDir()
	cmd.Env = serverEnv()
	cmd.Stdout, cmd.Stderr = logFile, logFile
	cmd.SysProcAttr = p.account.attributes()
	afterStart := dieWithParent(cmd)

	p.mu.Lock()
	if p.stopping() {
		p.mu.Unlock()
		return false, nil
	}
	if err = cmd.Start(); err == nil {
		p.process = cmd.Process
	}
	p.mu.Unlock()
	if err != nil {
		return false, invalid("cannot start Postgres as uid %d: %v", p.account.uid, err)
	}
	release := afterStart()
	defer release()

	ended := make(chan struct{})
	watched := make(chan bool)
	go func() { watched <- p.watch(cmd.Process.Pid, ended, onReady) }()
	err = cmd.Wait()
	close(ended)
	ready = <-watched
	p.mu.Lock()
	p.process = nil
	p.mu.Unlock()

	msg := "Postgres ended"
	if err != nil {
		msg += " (" + err.Error() + ")"
	}
	if said := saidSince(logFile, from); said != "" {
		msg += ": " + said
	}
	return ready, &memd.Error{Kind: memd.Unavailable, Op: "embedded.postgres", Msg: msg}
}

// passDir tells the program which data directory to use: by its path, or by
// handing it over open where the path is closed to the account.
func (p *Postgres) passDir(cmd *exec.Cmd, dir string) (closeDir func(), _ error) {
	cmd.Dir = "/"
	if !p.byHand {
		cmd.Args = append(cmd.Args, "-D", dir)
		return func() {}, nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, invalid("%v", err)
	}
	cmd.ExtraFiles = []*os.File{f}
	cmd.Args = append(cmd.Args, "-D", handedOver)
	return func() { _ = f.Close() }, nil
}

// handedOver is how a program names the one folder that it was handed open.
const handedOver = "/proc/self/fd/3"

// watch calls onReady when the postmaster with this pid says that it takes
// connections, then sees that its socket stays: one that is cleared away with old
// temporary files takes a restart to come back. It ends with the server and
// reports whether that was ever ready.
func (p *Postgres) watch(pid int, ended <-chan struct{}, onReady func()) bool {
	if !p.waitReady(pid, ended) {
		return false
	}
	onReady()
	tick := time.NewTicker(socketCheck)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return true
		case <-tick.C:
		}
		if _, err := os.Stat(p.socketPath()); errors.Is(err, os.ErrNotExist) && !p.stopping() {
			p.cfg.Log.Error().Str("socket", p.socketPath()).Msg("the socket of Postgres was removed; starting it again")
			p.signal(unix.SIGINT)
		}
	}
}

func (p *Postgres) waitReady(pid int, ended <-chan struct{}) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if f, err := readPidFile(p.cfg.DataDir); err == nil && f.pid == pid && f.ready {
			return true
		}
		select {
		case <-ended:
			return false
		case <-tick.C:
		}
	}
}

func (p *Postgres) openLog() (*os.File, error) {
	path := filepath.Join(p.cfg.DataDir, logName)
	if info, err := os.Lstat(path); err == nil && info.Size() > logLimit {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, err
		}
	}
	// The directory belongs to an account with fewer rights than memd may have:
	// a link in it is not to be followed.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	return f, p.account.own(path)
}

// saidSince gives the most telling line that the server logged from the offset on.
func saidSince(f *os.File, from int64) string {
	buf := make([]byte, 64<<10)
	n, _ := f.ReadAt(buf, from)
	best := ""
	for _, line := range strings.Split(string(buf[:n]), "\n") {
		for _, mark := range []string{"PANIC:", "FATAL:"} {
			if i := strings.Index(line, mark); i >= 0 && !strings.Contains(line, "the database system is") {
				best = strings.TrimSpace(line[i+len(mark):])
			}
		}
	}
	return best
}

// pidFile is what postmaster.pid says.
type pidFile struct {
	pid    int
	socket string
	ready  bool
}

func readPidFile(dir string) (pidFile, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "postmaster.pid"))
	if err != nil {
		return pidFile{}, err
	}
	return parsePidFile(string(raw))
}

// parsePidFile reads postmaster.pid: the pid, the data directory, the time of the
// start, the port, the socket's folder, the address, the shared memory, the state.
func parsePidFile(s string) (pidFile, error) {
	lines := strings.Split(s, "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil || pid == 0 {
		return pidFile{}, fmt.Errorf("postmaster.pid does not begin with a pid")
	}
	// A standalone server notes its pid negated.
	f := pidFile{pid: max(pid, -pid)}
	if len(lines) > 4 {
		f.socket = strings.TrimSpace(lines[4])
	}
	if len(lines) > 7 {
		f.ready = strings.TrimSpace(lines[7]) == "ready"
	}
	return f, nil
}

// clearLeftovers stops what an earlier memd left on the data directory, if it was
// killed: the server if it still lives, else those of its processes that outlived
// it. The lock on the directory is ours, so nobody uses them.
func (p *Postgres) clearLeftovers(ctx context.Context) error {
	p.forgetSocketDir()
	dir := p.cfg.DataDir
	f, err := readPidFile(dir)
	if err == nil && servesDir(f.pid, dir) {
		p.cfg.Log.Warn().Int("pid", f.pid).Msg("a Postgres without its memd runs on the data directory; stopping it")
		if err := endProcesses(ctx, func() []int { return onlyIf(servesDir(f.pid, dir), f.pid) }, unix.SIGINT, unix.SIGQUIT, unix.SIGKILL); err != nil {
			return err
		}
	}
	if err := endProcesses(ctx, func() []int { return processesOf(dir) }, unix.SIGQUIT, unix.SIGKILL); err != nil {
		return err
	}
	// The pid may be another process's by now, which Postgres would take for a
	// server. A pid that is nobody's is left for Postgres to judge, which also
	// looks for shared memory in use.
	if f, err := readPidFile(dir); err == nil && unix.Kill(f.pid, 0) == nil && !servesDir(f.pid, dir) {
		if err := os.Remove(filepath.Join(dir, "postmaster.pid")); err != nil && !errors.Is(err, os.ErrNotExist) {
			return invalid("%v", err)
		}
	}
	return nil
}

func onlyIf(is bool, pid int) []int {
	if is {
		return []int{pid}
	}
	return nil
}

// endProcesses sends the signals one after the other, each with some patience,
// until no process is left.
func endProcesses(ctx context.Context, left func() []int, signals ...unix.Signal) error {
	pids := left()
	for _, s := range signals {
		if len(pids) == 0 {
			return nil
		}
		for _, pid := range pids {
			_ = unix.Kill(pid, s) // gone is what we want
		}
		patience, cancel := context.WithTimeout(ctx, stopPatience)
		tick := time.NewTicker(10 * time.Millisecond)
		for len(pids) > 0 && patience.Err() == nil {
			select {
			case <-tick.C:
			case <-patience.Done():
			}
			pids = left()
		}
		tick.Stop()
		cancel()
		if ctx.Err() != nil {
			break
		}
	}
	if len(pids) > 0 {
		return &memd.Error{
			Kind: memd.Conflict, Op: "embedded.postgres",
			Msg: fmt.Sprintf("processes of another Postgres are on the data directory and do not end: %v", pids), Err: ctx.Err(),
		}
	}
	return nil
}

// makeSocketDir makes the folder of the server's socket. A socket's path must be
// short, which a data directory's need not be; hence among the temporary files.
// Its path is noted in the lock file, for the next memd to remove if this one is
// killed.
func (p *Postgres) makeSocketDir() (string, error) {
	var last error
	for _, base := range []string{os.TempDir(), "/tmp"} {
		base, err := filepath.Abs(base)
		if err != nil || len(base)+len("/"+socketPrefix)+10 > maxSocketDir {
			last = invalid("%s is too long a path for a socket", base)
			continue
		}
		if err := p.account.canReach(base); err != nil {
			last = err
			continue
		}
		sweepSocketDirs(base)
		dir, err := os.MkdirTemp(base, socketPrefix)
		if err != nil {
			last = invalid("cannot make a folder for the socket: %v", err)
			continue
		}
		if err := p.account.own(dir); err != nil {
			removeSocketDir(dir)
			return "", invalid("cannot give %s to uid %d: %v", dir, p.account.uid, err)
		}
		if err := p.lock.Truncate(0); err == nil {
			_, err = p.lock.WriteAt([]byte(dir+"\n"), 0)
		}
		if err != nil {
			removeSocketDir(dir)
			return "", invalid("%v", err)
		}
		return dir, nil
	}
	return "", last
}

// remakeSocketDir makes the folder again if it was cleared away.
func (p *Postgres) remakeSocketDir() error {
	err := os.Mkdir(p.socket, 0o700)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err == nil {
		err = p.account.own(p.socket)
	}
	if err != nil {
		return invalid("cannot make the folder for the socket again: %v", err)
	}
	return nil
}

func (p *Postgres) socketPath() string { return filepath.Join(p.socket, socketName) }

// forgetSocketDir removes the socket's folder of a memd that was killed.
func (p *Postgres) forgetSocketDir() {
	if p.socket != "" {
		return // the one in use is noted there
	}
	buf := make([]byte, 4096)
	n, _ := p.lock.ReadAt(buf, 0)
	dir := strings.TrimSpace(string(buf[:n]))
	if filepath.IsAbs(dir) && strings.HasPrefix(filepath.Base(dir), socketPrefix) {
		removeSocketDir(dir)
	}
}

// sweepSocketDirs removes folders of killed memds that never started again. An
// interrupted server takes its socket away, so what is left is empty; one in use
// is not, and one just made is young.
func sweepSocketDirs(base string) {
	dirs, _ := filepath.Glob(filepath.Join(globEscape(base), socketPrefix+"*"))
	for _, dir := range dirs {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() && time.Since(info.ModTime()) > socketDirAge {
			_ = unix.Rmdir(dir) // refused unless it is empty, and ours
		}
	}
}

// removeSocketDir removes the folder with what a server puts in it, and nothing else.
func removeSocketDir(dir string) {
	_ = os.Remove(filepath.Join(dir, socketName))
	_ = os.Remove(filepath.Join(dir, socketName+".lock"))
	_ = os.Remove(dir)
}
