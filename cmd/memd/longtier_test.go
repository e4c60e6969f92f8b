package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestLongTier plays what is asked of memories. One memd is enough for all of it: each play
// is a tenant of its own, and sees nothing of the others.
func TestLongTier(t *testing.T) {
	t.Parallel()
	plays := map[string]func(*testing.T, *daemon){
		"adding":         playAddingMemories,
		"batches":        playBatchesOfMemories,
		"changing":       playChangingMemories,
		"expiry":         playWhatHasExpiredIsSwept,
		"filters":        playFilters,
		"forgetting":     playForgetting,
		"provenance":     playProvenance,
		"reading":        playReadingMemories,
		"recall":         playRecallFromWhatWasSaidLast,
		"repeats":        playRepeats,
		"scopes":         playScopes,
		"search":         playSearch,
		"what is others": playWhatIsNotYoursIsNotThere,
	}
	keys := []string{"k-one=one", "k-one-admin=one:admin", "k-one-reader=one:reader", "k-two=two", "k-two-admin=two:admin"} // what is others'
	for name := range plays {
		name = strings.ReplaceAll(name, " ", "-")
		keys = append(keys, fmt.Sprintf("k-%s=%s:admin", name, name))
	}
	d := start(t, dataDir(t), "MEMD_API_KEYS="+strings.Join(keys, ","))
	for name, play := range plays {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t, d.as(t, "k-"+strings.ReplaceAll(name, " ", "-")))
		})
	}
}
