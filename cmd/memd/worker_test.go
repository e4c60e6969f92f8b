package main

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/memdhq/memd/internal/memdtest"
)

// One memd takes, another learns: what the one leaves open the other settles, and serves nothing.
func TestAWorkerLearnsAndServesNothing(t *testing.T) {
	t.Parallel()
	ownerURL, appURL := memdtest.Postgres(t)
	addr := freeAddr(t)
	natsServer(t, addr, filepath.Join(memdtest.Dir(t), "js"))
	env := []string{"DB_URL=" + appURL, "MEMD_DB_ADMIN_URL=" + ownerURL, "NATS_URL=nats://" + addr}
	d := start(t, memdtest.Dir(t), append(env, "MEMD_WORKERS=0")...)
	d.post("alice", "s", "My favorite color is blue")
	if s := d.ingest(); s.States.Pending != 1 {
		t.Errorf("%+v", s)
	}
	w := launchCommand(t, "worker", binary, memdtest.Dir(t), env...)
	w.eventually("the worker is ready", func() bool {
		status, _ := w.try(http.MethodGet, "/readyz", "")
		return status == http.StatusOK
	})
	if s := d.settled(); s.States.Done != 1 {
		t.Errorf("%+v", s)
	}
	if status, _ := w.try(http.MethodGet, "/v1/users", ""); status != http.StatusNotFound {
		t.Errorf("a worker answers %d", status)
	}
	if status, _ := w.try(http.MethodGet, "/metrics", ""); status != http.StatusOK {
		t.Errorf("a worker's metrics: %d", status)
	}
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if <-w.ended; w.err != nil {
		t.Errorf("a worker ends with %v", w.err)
	}
	for _, args := range [][]string{{"worker"}, {"worker", "--workers", "0", "--db-url", "postgres://x/y", "--nats-url", "nats://x"}} {
		cmd := exec.Command(binary, args...)
		cmd.Env = cleanEnv()
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "worker") {
			t.Errorf("%q: %v %s", args, err, out)
		}
	}
}
