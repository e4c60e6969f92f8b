package main

import (
	"math"
	"testing"
)

// The benchmarks run once, so that they cannot rot. What they measure here is not
// looked at: the machine is busy with other tests.
func TestEveryFigureIsMeasured(t *testing.T) {
	r, err := measure(t.Context(), shortScale)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 2+len(shortScale.memories) {
		t.Errorf("%d rows", len(r.Rows))
	}
	for _, row := range r.Rows {
		if row.Memd <= 0 || row.Baseline <= 0 || row.Ratio <= 0 || math.IsInf(row.Ratio, 0) || math.IsNaN(row.Ratio) {
			t.Errorf("%+v", row)
		}
	}
	if r.Fsync != "on" {
		t.Errorf("fsync is %q", r.Fsync)
	}
}
