package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// It runs once, small, so that it cannot rot. What it measures here is not looked at: the machine
// is busy with other tests.
func TestItRuns(t *testing.T) {
	var out bytes.Buffer
	s := scale{messages: 3000, rounds: 1, phase: 500 * time.Millisecond, beside: 20_000, settling: 500 * time.Millisecond}
	if err := run(t.Context(), s, &out); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"a client beside an import", "POST /v1/context with append", "3000 messages in one go", "in the log", "learned from", "memory, at most"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("%q is not in\n%s", line, out.String())
		}
	}
	if strings.Contains(out.String(), " 0 MiB") || strings.Contains(out.String(), "NaN") || strings.Contains(out.String(), "Inf") {
		t.Errorf("not everything was measured\n%s", out.String())
	}
}
