package e5

import "golang.org/x/sys/unix"

// rank is what the thread of what can wait has, of 0 to 19: with others at work it gets a tenth of
// what they do, and never nothing.
const rank = 10

// standBack lowers the rank of the calling thread. Where that is not allowed all stay equal.
func standBack() { _ = unix.Setpriority(unix.PRIO_PROCESS, 0, rank) }
