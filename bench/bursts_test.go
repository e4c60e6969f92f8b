package main

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// What is left over of a burst is waited for as long as the cores take for it; where there is
// room, nobody waits.
func TestBursts(t *testing.T) {
	const cores, work = 4, 10 * time.Millisecond // 400 a second
	random := func() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
	calm := ages(load{rate: 40, times: 1, whole: 10 * time.Minute}, cores, work, random())
	if oldest := slices.Max(calm); oldest > 2*work {
		t.Errorf("with nine of ten cores' time free, one waits until it is %v old", oldest)
	}
	// 800 a second come for 30 s, of which 400 are left over: 12,000, which wait for 30 s.
	burst := ages(load{rate: 200, times: 4, burst: 30 * time.Second, whole: 10 * time.Minute}, cores, work, random())
	if oldest := slices.Max(burst); oldest < 28*time.Second || oldest > 32*time.Second {
		t.Errorf("the oldest is %v", oldest)
	}
	if last := burst[len(burst)-1]; last > 10*work {
		t.Errorf("minutes after the burst one is still %v old", last)
	}
}
