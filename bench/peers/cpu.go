package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit in which Linux tells how long a process was at work.
const tick = 10 * time.Millisecond

// process is what /proc says of one.
type process struct {
	pid, parent int
	used        time.Duration
	// usedByEnded is what those of its children used that have ended.
	usedByEnded time.Duration
}

func processOf(pid int) (process, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, err
	}
	// The name, in brackets, may hold anything.
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	if len(fields) < 15 {
		return process{}, fmt.Errorf("/proc/%d/stat: %q", pid, raw)
	}
	var n [5]int
	for i, at := range []int{1, 11, 12, 13, 14} { // ppid, utime, stime, cutime, cstime
		if n[i], err = strconv.Atoi(fields[at]); err != nil {
			return process{}, fmt.Errorf("/proc/%d/stat: %w", pid, err)
		}
	}
	return process{pid: pid, parent: n[0], used: time.Duration(n[1]+n[2]) * tick, usedByEnded: time.Duration(n[3]+n[4]) * tick}, nil
}

// cpuOf is what a process has used so far, with all its threads.
func cpuOf(pid int) (time.Duration, error) {
	p, err := processOf(pid)
	return p.used, err
}

// cpuOfPostgres is what a server has used so far with all its processes, those that have ended too.
func cpuOfPostgres(dataDir string) (sum time.Duration, err error) {
	raw, err := os.ReadFile(filepath.Join(dataDir, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	postmaster, err := strconv.Atoi(first)
	if err != nil {
		return 0, err
	}
	all, err := os.ReadDir("/proc")
	if err != nil {
		return 0, err
	}
	for _, entry := range all {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		p, err := processOf(pid)
		if err != nil { // has ended since
			continue
		}
		if p.pid == postmaster {
			sum += p.used + p.usedByEnded
		} else if p.parent == postmaster {
			sum += p.used
		}
	}
	return sum, nil
}
