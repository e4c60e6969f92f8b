package worker

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embed"
	"github.com/rs/zerolog"
	"pgregory.net/rapid"
)

func testBreaker(probe func(context.Context) error) *breaker {
	return newBreaker("it", Config{PauseMin: time.Minute, PauseMax: time.Hour}, zerolog.Nop(), probe)
}

func kind(k memd.Kind) error { return &memd.Error{Kind: k, Op: "test"} }

// endPause forgets the pause, as time would.
func (b *breaker) endPause() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.until = time.Time{}
}

func TestBreakerOpensAtTheFirstOutageOnly(t *testing.T) {
	for _, k := range memd.Kinds() {
		b := testBreaker(nil)
		if err := b.do(t.Context(), func() error { return kind(k) }); memd.KindOf(err) != k {
			t.Errorf("%v: do gave %v", k, err)
		}
		if want := remedies[k] != waitFor; b.isClosed() != want {
			t.Errorf("%v: closed = %v, want %v", k, b.isClosed(), want)
		}
	}
}

func TestBreakerLetsNothingThroughWhilePaused(t *testing.T) {
	b := testBreaker(nil)
	_ = b.do(t.Context(), func() error { return kind(memd.Unavailable) })
	err := b.do(t.Context(), func() error { t.Error("called during the pause"); return nil })
	if memd.KindOf(err) != memd.Unavailable || memd.RetryAfterOf(err) <= 0 {
		t.Errorf("do gave %v with %v to wait", err, memd.RetryAfterOf(err))
	}
	b.endPause()
	if err := b.do(t.Context(), func() error { return nil }); err != nil {
		t.Errorf("the probe gave %v", err)
	}
	if !b.isClosed() {
		t.Error("still open though it answered")
	}
}

func TestBreakerProbesWithOneCall(t *testing.T) {
	b := testBreaker(nil)
	_ = b.do(t.Context(), func() error { return kind(memd.Unavailable) })
	b.endPause()
	err := b.do(t.Context(), func() error {
		inner := b.do(t.Context(), func() error { t.Error("two probes at once"); return nil })
		if memd.KindOf(inner) != memd.Unavailable {
			t.Errorf("the second call gave %v", inner)
		}
		return kind(memd.Unavailable)
	})
	if err == nil || b.isClosed() {
		t.Error("closed though the probe failed")
	}
	if _, outages := b.standing(); outages != 2 {
		t.Errorf("%d outages, want 2", outages)
	}
}

func TestBreakerRespectsRetryAfter(t *testing.T) {
	for ask, want := range map[time.Duration]time.Duration{
		10 * time.Minute: 10 * time.Minute, 10_000 * time.Hour: 15 * time.Minute, -time.Hour: time.Minute, math.MaxInt64: 15 * time.Minute,
	} {
		b := testBreaker(nil)
		_ = b.do(t.Context(), func() error { return &memd.Error{Kind: memd.RateLimited, RetryAfter: ask} })
		if wait, _ := b.standing(); wait < want*7/10 || wait > want*13/10 {
			t.Errorf("waits %v, want %v where %v were asked for", wait, want, ask)
		}
	}
}

// Calls that were under way when the outage was found count it once.
func TestBreakerCountsOneOutageOnce(t *testing.T) {
	b := testBreaker(nil)
	var group, inside sync.WaitGroup
	inside.Add(8)
	for range 8 {
		group.Go(func() {
			_ = b.do(t.Context(), func() error {
				inside.Done()
				inside.Wait()
				return kind(memd.Unavailable)
			})
		})
	}
	group.Wait()
	if _, outages := b.standing(); outages != 1 {
		t.Errorf("%d outages, want 1", outages)
	}
}

func TestBreakerIgnoresWhatEndedWithItsContext(t *testing.T) {
	b := testBreaker(nil)
	ctx, cancel := context.WithCancel(t.Context())
	_ = b.do(ctx, func() error { cancel(); return kind(memd.Unavailable) })
	if wait, outages := b.standing(); !b.isClosed() || wait != 0 || outages != 0 {
		t.Error("a call that was broken off counts as an outage")
	}
}

func TestBreakerSurvivesAPanic(t *testing.T) {
	b := testBreaker(nil)
	_ = b.do(t.Context(), func() error { return kind(memd.Unavailable) })
	b.endPause()
	func() {
		defer func() { _ = recover() }()
		_ = b.do(t.Context(), func() error { panic("it") })
	}()
	// The probe that panicked must not hold its place for ever.
	if err := b.do(t.Context(), func() error { return nil }); err != nil || !b.isClosed() {
		t.Errorf("after a panic: %v, closed = %v", err, b.isClosed())
	}
}

func TestEveryKindHasARemedy(t *testing.T) {
	for _, k := range memd.Kinds() {
		if _, ok := remedies[k]; !ok {
			t.Errorf("%v has none", k)
		}
	}
	if len(remedies) != len(memd.Kinds()) {
		t.Errorf("%d remedies for %d kinds", len(remedies), len(memd.Kinds()))
	}
	if r := remedyOf(&memd.Error{Kind: memd.Invalid, Err: embed.ErrWidth}); r != waitFor {
		t.Error("a wrong width is held against the message")
	}
	if r := remedyOf(errors.New("plain")); r != tryAgain {
		t.Errorf("a plain error has remedy %v", r)
	}
}

func TestCausesAreClassAndCode(t *testing.T) {
	for want, f := range map[string]*failure{
		"embedder: unavailable":  failureOf(stageEmbed, kind(memd.Unavailable)),
		"embedder: rate_limited": failureOf(stageEmbed, kind(memd.RateLimited)),
		"extract: internal":      failureOf(stageExtract, errors.New("the text of a message")),
		"postgres: unavailable":  failureOf(stageLongterm, kind(memd.Unavailable)),
		"longterm: invalid":      failureOf(stageLongterm, kind(memd.Invalid)),
	} {
		if got := f.cause(); got != want {
			t.Errorf("cause %q, want %q", got, want)
		}
	}
}

func TestPanicTextQuotesNothing(t *testing.T) {
	if got := panicText("what Alice said"); got != "string" {
		t.Errorf("panicText = %q", got)
	}
	defer func() {
		if got := panicText(recover()); got != "runtime error: index out of range [3] with length 0" {
			t.Errorf("panicText of a runtime error = %q", got)
		}
	}()
	var none []int
	i := 3
	_ = none[i]
}

func TestBackoffGrowsWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := time.Duration(rapid.Int64Range(int64(time.Millisecond), int64(time.Minute)).Draw(t, "low"))
		high := time.Duration(rapid.Int64Range(int64(low), int64(time.Hour)).Draw(t, "high"))
		tries := rapid.IntRange(0, 1000).Draw(t, "tries")
		want := float64(high)
		if tries < 50 {
			want = min(want, float64(low)*float64(int64(1)<<tries))
		}
		got := float64(backoff(low, high, tries))
		if got < want*0.74 || got > want*1.26 {
			t.Fatalf("backoff(%v, %v, %d) = %v", low, high, tries, time.Duration(got))
		}
	})
}

func TestConfigNamesWhatIsWrong(t *testing.T) {
	for field, cfg := range map[string]Config{
		"Workers": {Workers: -1}, "Batch": {Batch: -1}, "MaxAttempts": {MaxAttempts: -2},
		"Lease": {Lease: -1}, "JobTimeout": {JobTimeout: -1}, "PauseMax": {PauseMax: -1}, "VectorsEvery": {VectorsEvery: -1},
		"UpkeepEvery": {UpkeepEvery: -1},
	} {
		_, err := New(nil, nil, nil, nil, nil, nil, cfg)
		var e *memd.Error
		if !errors.As(err, &e) || e.Kind != memd.Invalid || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}
