package main

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// standBack has this process take a core only where what people wait for leaves one: an import may run
// beside the memd it brings things to.
func standBack() {
	const rank = 10
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads { // those that are made later have the rank of who makes them
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, id, rank)
		}
	}
}
