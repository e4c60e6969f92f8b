package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The benchmarks run once, so that they cannot rot. What they measure here is not
// looked at: the machine is busy with other tests.
func TestEveryFigureIsMeasured(t *testing.T) {
	r, err := measure(t.Context(), shortScale, choice{})
	if err != nil {
		t.Fatal(err)
	}
	var measured []string
	for _, row := range r.Rows {
		measured = append(measured, row.Figure)
		for _, v := range []float64{row.Memd, row.Baseline, row.Ratio} {
			if v <= 0 || math.IsInf(v, 0) || math.IsNaN(v) {
				t.Errorf("%+v", row)
			}
		}
	}
	if got := slices.Compact(measured); !slices.Equal(got, shortScale.figures()) {
		t.Errorf("measured %q, not %q", got, shortScale.figures())
	}
	if r.Fsync != "on" || r.Server == "" || r.Vector == "" {
		t.Errorf("fsync %q, Postgres %q, pgvector %q", r.Fsync, r.Server, r.Vector)
	}
}

func TestOnlyChosenFiguresAreMeasured(t *testing.T) {
	out := filepath.Join(t.TempDir(), "figures.json")
	var table bytes.Buffer
	if err := run(t.Context(), shortScale, "among", out, &table); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range r.Rows {
		got = append(got, row.Figure+" / "+row.Of)
	}
	among := searchAmong(100, shortScale.others)
	if want := []string{among + " / the same search alone", among + " / the two bare queries there"}; !slices.Equal(got, want) {
		t.Errorf("measured %q, not %q", got, want)
	}
	// The file holds what the table shows.
	var again bytes.Buffer
	if err := r.print(&again); err != nil {
		t.Fatal(err)
	}
	if again.String() != table.String() {
		t.Errorf("the table\n%s\nthe file\n%s", table.String(), again.String())
	}
}

func TestChoiceOfFigures(t *testing.T) {
	for only, want := range map[string][]string{
		"":                              fullScale.figures(),
		"POST":                          {writeAlone, writeMany, contextOver(10_000)},
		"1 client":                      {writeAlone},
		"10,000 memories among|clients": {writeMany, "search of 10,000 memories among 200,000 of others, p50"},
	} {
		c, err := chosen(fullScale, only)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range fullScale.figures() {
			if c.wants(f) {
				got = append(got, f)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q chooses %q, not %q", only, got, want)
		}
	}
	if _, err := chosen(fullScale, "no such"); err == nil || !strings.Contains(err.Error(), writeMany) {
		t.Errorf("a name that is none: %v", err)
	}
	if _, err := chosen(fullScale, "("); err == nil {
		t.Error("no expression, no error")
	}
}
