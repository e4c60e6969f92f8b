//go:build !linux

package embedded

import (
	"os"
	"os/exec"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// handsOverFolders says that a program can work in a folder that it is handed
// open and could not get to by its path.
const handsOverFolders = false

// dieWithParent sets a shell to watch over the child: it waits on a pipe that
// closes with this process, then interrupts the child. What dieWithParent gives
// is called after the start and gives what to call after the end.
func dieWithParent(cmd *exec.Cmd) func() func() {
	return func() func() {
		r, w, err := os.Pipe()
		if err != nil {
			return func() {}
		}
		watch := exec.Command("/bin/sh", "-c", "read -r _; kill -INT "+strconv.Itoa(cmd.Process.Pid))
		watch.Stdin = r
		watch.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
		err = watch.Start()
		_ = r.Close()
		if err != nil {
			_ = w.Close()
			return func() {}
		}
		return func() {
			// The child has ended; its pid may soon be another's.
			_ = watch.Process.Kill()
			_ = watch.Wait()
			_ = w.Close()
		}
	}
}

// servesDir says whether the process is a Postgres started on dir.
func servesDir(pid int, dir string) bool {
	out, err := exec.Command("ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.Contains(string(out), "bin/postgres -D "+dir+" ")
}

// processesOf gives the pids of all Postgres processes started on dir. The
// server's own children change their titles and end by themselves with it.
func processesOf(dir string) []int {
	f, err := readPidFile(dir)
	if err == nil && servesDir(f.pid, dir) {
		return []int{f.pid}
	}
	return nil
}
