package memd_test

import (
	"testing"
	"time"

	"github.com/memdhq/memd"
	"pgregory.net/rapid"
)

func TestSpans(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30m": 30 * time.Minute, "7d": 7 * 24 * time.Hour, "1d12h": 36 * time.Hour, "0s": 0, "0": 0, "0d": 0, "1.5h": 90 * time.Minute,
		"1ms": time.Millisecond, "1d1ns": 24*time.Hour + 1, "2d3h4m5.5s": 51*time.Hour + 4*time.Minute + 5500*time.Millisecond, "65535d": 65535 * 24 * time.Hour,
	} {
		if got, err := memd.ParseSpan("f", text); err != nil || got != want {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "-1s", "-1d", "1", "1w", "7d-1h", "1.5d", "99999d", "1d 2h", "1ns", "999us", "0d1ns", "d1h", "1h1d", "30 m", "NaN", "9999999h9999999h9999999h"} {
		if got, err := memd.ParseSpan("f", text); memd.KindOf(err) != memd.Invalid {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for d, want := range map[time.Duration]string{30 * time.Minute: "30m", 36 * time.Hour: "1d12h", 0: "0s", 90 * time.Second: "1m30s", 2 * time.Hour: "2h", time.Hour + time.Second: "1h0m1s"} {
		if got := memd.FormatSpan(d); got != want {
			t.Errorf("%d is written %q, want %q", d, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(65000*24*time.Hour)).Draw(t, "d"))
		if d > 0 && d < time.Millisecond {
			d = time.Millisecond
		}
		if back, err := memd.ParseSpan("f", memd.FormatSpan(d)); err != nil || back != d {
			t.Fatalf("%d is written %q and read as %d, %v", d, memd.FormatSpan(d), back, err)
		}
	})
}
