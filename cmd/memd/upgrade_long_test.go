//go:build long

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memdhq/memd/internal/memdtest"
)

// An older memd serves while a newer one brings the schema forward and starts beside it;
// then both serve, and the older one ends. The older ones come from the repository's own
// history: the first whose schema was the one before the present, and the last.
func TestUpgradesLong(t *testing.T) {
	t.Parallel()
	steps := releasedSchemas(t)
	n := len(steps) - 1
	for _, old := range []struct{ which, of string }{
		{"first", git("log", "-1", "--format=%H", "--", steps[n-1])},
		{"last", git("log", "--diff-filter=A", "--format=%H^", "--", steps[n])},
	} {
		name := fmt.Sprintf("upgrade from schema %d to %d, the %s memd of %d serving meanwhile", n, n+1, old.which, n)
		commit := git("rev-parse", "--verify", "--quiet", old.of)
		if commit == "" {
			theTable.add(faultRow{fault: name, form: longForm.name, notRun: "no history"})
			continue
		}
		t.Run(old.which, func(t *testing.T) { playUpgrade(t, name, buildOf(t, commit)) })
	}
}

// git gives what git says, "" if it cannot.
func git(args ...string) string {
	out, err := exec.Command("git", args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// buildOf builds memd as it was at a commit.
func buildOf(t *testing.T, commit string) (program string) {
	t.Helper()
	dir := memdtest.Dir(t)
	tree := filepath.Join(dir, "tree")
	root := git("rev-parse", "--show-toplevel")
	for _, step := range []*exec.Cmd{
		exec.Command("git", "clone", "--quiet", "--shared", "--no-checkout", root, tree),
		exec.Command("git", "-C", tree, "checkout", "--quiet", "--detach", commit),
	} {
		if out, err := step.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v %s", step.Args, err, out)
		}
	}
	program = filepath.Join(dir, "memd")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", program, "./cmd/memd")
	build.Dir = tree
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v %s", err, out)
	}
	return program
}

func playUpgrade(t *testing.T, name, program string) {
	th := newTheater(t, longForm)
	n := newNATSChild(t)
	ownerURL, appURL := memdtest.Postgres(t)
	model := newModelChild(t)
	th.env = append(th.env, "NATS_URL=nats://"+n.addr, "DB_URL="+appURL, "MEMD_DB_ADMIN_URL="+ownerURL,
		"MEMD_EMBED_URL=http://"+model.addr+"/v1", "MEMD_EMBED_MODEL=words")
	var serving []*daemon
	turn := 0
	th.choose = func() *daemon {
		turn++
		return serving[turn%len(serving)]
	}
	serve := func(ds ...*daemon) {
		th.mu.Lock()
		defer th.mu.Unlock()
		serving = ds
	}
	isReady := func(d *daemon) func() bool {
		return func() bool { status, _ := d.try("GET", "/readyz", ""); return status == 200 }
	}

	older := launchProgram(t, program, memdtest.Dir(t), th.env...)
	serve(older)
	th.within("the older memd is ready", isReady(older))
	l := th.newLoad(name)
	l.await(4 * th.form.clients)
	acked, refused := l.acked.Load(), l.refused.Load()
	began := time.Now()
	newer := launch(t, memdtest.Dir(t), th.env...)
	th.within("the newer memd is ready", isReady(newer))
	serve(older, newer)
	took := th.recovered(name, began)
	l.await(int(l.acked.Load()) + 4*th.form.clients)
	err, ending := older.terminate()
	if err != nil || ending > 10*time.Second {
		t.Errorf("the older memd ended with %v after %v, want 0 within 10 s", err, ending)
	}
	lasted := time.Since(began)
	serve(newer)
	th.recovered(name+", when the older one had ended", time.Now())
	row := faultRow{fault: name, form: th.form.name, seed: th.seed, lasted: lasted, recovery: took, note: fmt.Sprintf("the older one exit 0 after %.1f s", ending.Seconds()),
		load: fmt.Sprintf("%d clients: %d written, %d to be tried again", th.form.clients, l.acked.Load()-acked, l.refused.Load()-refused)}
	l.end()
	th.account(row, l)
}
