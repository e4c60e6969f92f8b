package app

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// A Postgres that is known to be away is not asked for what is open: whoever reads the
// metrics would wait for it.
func TestTheBacklogIsNotAskedForOfAPostgresThatIsAway(t *testing.T) {
	r := prometheus.NewRegistry()
	r.MustRegister(newBacklog(nil, func() bool { return true })) // without a pool that could be asked
	got, err := r.Gather()
	if len(got) > 0 || err == nil || !strings.Contains(err.Error(), errAway.Error()) {
		t.Errorf("%v, %v", got, err)
	}
}
