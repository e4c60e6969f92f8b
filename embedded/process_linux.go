package embedded

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// handsOverFolders says that a program can work in a folder that it is handed
// open and could not get to by its path.
const handsOverFolders = true

// dieWithParent makes the kernel interrupt the child when the thread that starts
// it ends, at the latest with this process. The caller stays on one thread from
// the start to the child's end. What it gives is called after the start and gives
// what to call after the end.
func dieWithParent(cmd *exec.Cmd) func() func() {
	cmd.SysProcAttr.Pdeathsig = unix.SIGINT
	return func() func() { return func() {} }
}

// servesDir says whether the process is a Postgres at work in dir.
func servesDir(pid int, dir string) bool {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	name, err := os.ReadFile(filepath.Join(proc, "comm"))
	if err != nil || string(name) != "postgres\n" {
		return false
	}
	cwd, err := os.Readlink(filepath.Join(proc, "cwd"))
	if errors.Is(err, os.ErrPermission) {
		// Root of a container may not look at others' folders. The server, if not
		// its children, still shows what it was started with.
		args, err := os.ReadFile(filepath.Join(proc, "cmdline"))
		return err == nil && (strings.Contains(string(args), "\x00-D\x00"+dir+"\x00") ||
			strings.Contains(string(args), "\x00-D\x00"+handedOver+"\x00"))
	}
	return err == nil && cwd == dir
}

// processesOf gives the pids of all Postgres processes at work in dir.
func processesOf(dir string) []int {
	procs, _ := os.ReadDir("/proc")
	var pids []int
	for _, proc := range procs {
		if pid, err := strconv.Atoi(proc.Name()); err == nil && servesDir(pid, dir) {
			pids = append(pids, pid)
		}
	}
	return pids
}
