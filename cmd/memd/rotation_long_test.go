//go:build long

package main

import "testing"

// TestAThousandSessionsTurnOver is the large form, with nothing settled and with all that
// is said learned from meanwhile.
func TestAThousandSessionsTurnOver(t *testing.T) {
	for name, workers := range map[string]string{"while it is learned": "4", "with nothing settled": "0"} {
		t.Run(name, func(t *testing.T) {
			turnOver(t, start(t, dataDir(t), "MEMD_WORKERS="+workers), 5, 8, 25)
		})
	}
}
