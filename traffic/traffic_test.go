package traffic

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestTrafficIsOnForAMomentAfterTheLastAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l Live
		rests := func(took time.Duration) time.Duration {
			began := time.Now()
			l.GiveWay(t.Context(), took, 3)
			return time.Since(began)
		}
		if l.IsOn() || rests(time.Minute) != 0 {
			t.Error("nobody came, and traffic is on")
		}
		end := l.Begin()
		time.Sleep(time.Hour) // it takes long to be answered
		if !l.IsOn() || rests(10*time.Millisecond) != 30*time.Millisecond || rests(time.Minute) != longestRest {
			t.Error("somebody waits, and nothing gives way")
		}
		end()
		time.Sleep(lull - 1)
		if !l.IsOn() {
			t.Error("somebody was answered just now, and traffic is over")
		}
		time.Sleep(1)
		if l.IsOn() || rests(time.Minute) != 0 {
			t.Error("nobody comes any more, and traffic is on")
		}
		l.Begin()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		if l.GiveWay(ctx, time.Minute, 1); time.Since(began) != 0 {
			t.Error("a rest goes on after its end")
		}
	})
	var none *Live
	none.Begin()()
	if none.IsOn() {
		t.Error("none is on")
	}
}
