package memdtest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/memdhq/memd/internal/memdtest"
)

func TestProgramsOfARunThatIsGoneEnd(t *testing.T) {
	parent := memdtest.Dir(t)
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(parent, fmt.Sprintf("memd-test-%d-1", ended.Process.Pid))
	if err := os.Mkdir(left, 0o755); err != nil {
		t.Fatal(err)
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(left, "sleep")
	if out, err := exec.Command("cp", sleep, program).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v %s", err, out)
	}
	orphan := exec.Command(program, "600")
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	memdtest.Sweep(parent)
	if err := orphan.Wait(); err == nil || orphan.ProcessState.ExitCode() != -1 {
		t.Errorf("it ended with %v", err)
	}
}
