// Package traffic knows whether somebody waits for answers, so that what can wait gives way to
// them: imports, and what is learned from these.
package traffic

import (
	"context"
	"sync/atomic"
	"time"
)

// lull is for how long after an answer more is taken to be on its way: who is in a conversation
// comes back.
const lull = time.Second

// longestRest bounds a rest.
const longestRest = 2 * time.Second

// Live is the traffic of those who wait, in one process. The zero value is quiet, and nil always is.
// It is safe for concurrent use.
type Live struct {
	answering atomic.Int64
	last      atomic.Int64 // when an answer was given, in nanoseconds since 1970
}

// Begin says that somebody waits, until the func it gives is called.
func (l *Live) Begin() (end func()) {
	if l == nil {
		return func() {}
	}
	l.answering.Add(1)
	return func() {
		l.last.Store(time.Now().UnixNano())
		l.answering.Add(-1)
	}
}

// IsOn says whether somebody waits, or did a moment ago.
func (l *Live) IsOn() bool {
	if l == nil {
		return false
	}
	return l.answering.Load() > 0 || time.Since(time.Unix(0, l.last.Load())) < lull
}

// GiveWay is called after a piece of work that can wait: while traffic is on it rests, share times as
// long as the work took, and so leaves the machine to others for most of the time. It ends with ctx.
func (l *Live) GiveWay(ctx context.Context, took time.Duration, share int) {
	if !l.IsOn() {
		return
	}
	rest := time.NewTimer(min(took*time.Duration(share), longestRest))
	defer rest.Stop()
	select {
	case <-rest.C:
	case <-ctx.Done():
	}
}
