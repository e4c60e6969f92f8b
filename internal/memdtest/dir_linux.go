package memdtest

import "golang.org/x/sys/unix"

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
