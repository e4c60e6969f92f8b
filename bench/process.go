package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	startToReady = "binary start to ready, warm data directory"
	idleMemory   = "resident memory of memd itself, model loaded, idle"

	readyAim  = 1.5 // seconds
	memoryAim = 250 // MB
)

// measureProcess starts the binary with servers of its own, and once more on what it left. Its
// baselines are the aims: there is nothing that does the same without it.
func measureProcess(ctx context.Context, s scale, c choice, dir string) ([]row, error) {
	if !c.wants(startToReady) && !c.wants(idleMemory) {
		return nil, nil
	}
	p := program{path: filepath.Join(dir, "memd"), data: filepath.Join(dir, "memd-data")}
	if out, err := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", p.path, "github.com/memdhq/memd/cmd/memd").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	if _, _, err := p.run(ctx, 0); err != nil { // makes the data directory
		return nil, err
	}
	var took, memory, tookRatios, memoryRatios []float64
	for range s.starts {
		ready, resident, err := p.run(ctx, s.search)
		if err != nil {
			return nil, err
		}
		took, memory = append(took, ready.Seconds()), append(memory, resident)
		tookRatios, memoryRatios = append(tookRatios, ready.Seconds()/readyAim), append(memoryRatios, resident/memoryAim)
	}
	var rows []row
	if c.wants(startToReady) {
		rows = append(rows, row{Figure: startToReady, Unit: "s", Memd: median(took), Baseline: readyAim, Ratio: median(tookRatios), Aim: "≤ 1", Of: "the aim"})
	}
	if c.wants(idleMemory) {
		rows = append(rows, row{Figure: idleMemory, Unit: "MB", Memd: median(memory), Baseline: memoryAim, Ratio: median(memoryRatios), Aim: "≤ 1", Of: "the aim"})
	}
	return rows, nil
}

// program is memd as it is run.
type program struct{ path, data string }

// run starts it, waits until it is ready, leaves it alone for a while, reads how much memory
// it has, in MB, and ends it.
func (p program) run(ctx context.Context, idle time.Duration) (ready time.Duration, resident float64, err error) {
	cmd := exec.CommandContext(ctx, p.path, "serve")
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "MEMD_") || strings.HasPrefix(v, "MEMD_CACHE_DIR=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "MEMD_LISTEN=127.0.0.1:0", "MEMD_DATA_DIR="+p.data, "MEMD_LOG_LEVEL=error", "DB_URL=", "NATS_URL=")
	var log strings.Builder
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if ended := cmd.Wait(); ended != nil {
			err = errors.Join(err, fmt.Errorf("%w\n%s", ended, log.String()))
		}
	}()
	url := ""
	for lines := bufio.NewScanner(out); url == "" && lines.Scan(); {
		_, url, _ = strings.Cut(lines.Text(), " listens on ")
	}
	if url == "" {
		return 0, 0, errors.New("memd does not say where it listens")
	}
	if err := awaitReady(ctx, url); err != nil {
		return 0, 0, err
	}
	ready = time.Since(began)
	select {
	case <-time.After(idle):
	case <-ctx.Done():
		return 0, 0, ctx.Err()
	}
	resident, err = residentMB(cmd.Process.Pid)
	return ready, resident, err
}

func awaitReady(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	client := &http.Client{}
	defer client.CloseIdleConnections()
	for ctx.Err() == nil {
		if _, err := ask(ctx, client, http.MethodGet, url+"/readyz", nil, http.StatusOK); err == nil {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return ctx.Err()
}

// residentMB reads what Linux says that a process has in memory.
func residentMB(pid int) (float64, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return kb / 1000, err
		}
	}
	return 0, errors.New("no VmRSS")
}
