package app

import (
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// A Postgres that is known to be away is not asked for what is open: whoever reads the
// metrics would wait for it.
func TestTheBacklogIsNotAskedForOfAPostgresThatIsAway(t *testing.T) {
	ch := make(chan prometheus.Metric, 10)
	newBacklog(nil, func() bool { return true }).Collect(ch) // without a pool that could be asked
	if n := len(ch); n != 1 {
		t.Fatalf("%d metrics", n)
	}
	if err := (<-ch).Write(&dto.Metric{}); !errors.Is(err, errAway) {
		t.Errorf("%v", err)
	}
}
