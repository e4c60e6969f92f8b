package memdtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	shm = "/dev/shm"
	// roomEnough is what must be free in memory before tests use it.
	roomEnough = 4 << 30
)

// memory gives a folder in memory, or "" if there is none with room. A database's files
// come and go by the hundred, which can cost a disk more than the tests themselves do.
func memory() string {
	var s unix.Statfs_t
	if err := unix.Statfs(shm, &s); err != nil || s.Flags&unix.ST_NOEXEC != 0 || unix.Access(shm, unix.W_OK) != nil {
		return ""
	}
	if s.Bavail*uint64(s.Bsize) < roomEnough {
		return ""
	}
	return shm
}

// release ends what runs from a program in the folder, and unmounts what is mounted on it:
// a memd outlives tests that are killed, and so does a disk that was made for one.
func release(dir string) {
	programs, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		return
	}
	for _, link := range programs {
		program, err := os.Readlink(link)
		if err != nil || !strings.HasPrefix(program, dir+"/") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
	_ = unix.Unmount(dir, unix.MNT_DETACH) // mostly nothing is
}
