package llm

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"github.com/rs/zerolog"
)

func TestAServerThatRefusesAllIsAskedAFewTimesOnly(t *testing.T) {
	s, e := extractWith(t, replies(reply{status: 400, body: `{"error":"temperature max_completion_tokens"}`}), talk...)
	wantRules(t, e, "refused", talk...)
	if n := len(s.requests()); n != 5 {
		t.Errorf("%d calls", n)
	}
	s.noRequestTwice()
}

func TestOutagesGiveWayToTheRules(t *testing.T) {
	for name, c := range map[string]struct {
		reply reply
		why   string
		calls int
		kind  memd.Kind
	}{
		"500":             {reply{status: 500, body: "oops"}, "unavailable", 3, memd.Unavailable},
		"redirect":        {reply{status: 302, header: map[string]string{"Location": "/elsewhere"}}, "unavailable", 3, memd.Unavailable},
		"503, long wait":  {reply{status: 503, header: map[string]string{"Retry-After": "600"}}, "unavailable", 1, memd.Unavailable},
		"429, long wait":  {reply{status: 429, header: map[string]string{"Retry-After": "600"}}, "rate_limited", 1, memd.RateLimited},
		"429, short wait": {reply{status: 429, header: map[string]string{"Retry-After": "0.01"}}, "rate_limited", 3, memd.RateLimited},
		"wrong key":       {reply{status: 401}, "unauthorized", 1, memd.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, replies(c.reply))
			var seen []error
			x := s.extractor(func(config *Config) {
				config.MaxInputTokens = 100
				config.Observe = func(err error) { seen = append(seen, err) }
			})
			in := append(slices.Clone(talk), user(4, things(8))) // several calls' worth
			wantRules(t, must(t, x, extract.Input{Messages: in}), c.why, in...)
			if n := len(s.requests()); n != c.calls || len(seen) != c.calls {
				t.Errorf("%d calls, %d observed, want %d", n, len(seen), c.calls)
			}
			for _, err := range seen {
				if memd.KindOf(err) != c.kind {
					t.Errorf("observed %v", err)
				}
			}
		})
	}
}

func TestAnOutageThatPassesCostsNothing(t *testing.T) {
	for name, first := range map[string]reply{"500": {status: 500}, "429": {status: 429, header: map[string]string{"Retry-After": "0.01"}}} {
		t.Run(name, func(t *testing.T) {
			s := play(t, replies(first, says(facts("I like tea", []int{1}))))
			var seen []bool
			x := s.extractor(func(c *Config) { c.Observe = func(err error) { seen = append(seen, err == nil) } })
			want(t, must(t, x, extract.Input{Messages: []memd.Message{user(1, "I like tea")}}), model, "I like tea")
			if !slices.Equal(seen, []bool{false, true}) {
				t.Errorf("observed %v", seen)
			}
		})
	}
}

func TestNobodyListens(t *testing.T) {
	s := play(t, replies(says(facts())))
	x := s.extractor()
	s.http.Close()
	wantRules(t, must(t, x, extract.Input{Messages: talk}), "unavailable", talk...)
}

// What was learned before an outage stays; the rules take the rest.
func TestAnOutageInTheMiddle(t *testing.T) {
	in := []memd.Message{user(1, "I like tea. "+strings.Repeat("word ", 1200)), user(2, "I own 3 boats. "+strings.Repeat("word ", 1200))}
	s := play(t, func(n int, a asked) reply {
		if n > 1 {
			return reply{status: 500}
		}
		return says(facts("I like tea", []int{1}))
	})
	e := must(t, s.extractor(func(c *Config) { c.MaxInputTokens = 1500 }), extract.Input{Messages: in})
	if e.Extractor != model+" + "+extract.RulesVersion+" (llm: unavailable)" {
		t.Errorf("extractor %q", e.Extractor)
	}
	got := texts(e)
	if len(got) < 2 || got[0] != "I like tea" || !strings.Contains(strings.Join(got[1:], " "), "I own 3 boats") {
		t.Errorf("candidates %q", got)
	}
}

func TestADeadServerIsLeftAlone(t *testing.T) {
	dead := true
	var mu sync.Mutex
	s := play(t, func(int, asked) reply {
		mu.Lock()
		defer mu.Unlock()
		if dead {
			return reply{status: 502}
		}
		return says(facts("I like tea", []int{1}))
	})
	in := extract.Input{Messages: []memd.Message{user(1, "I like tea")}}
	var log strings.Builder
	x := s.extractor(func(c *Config) { c.Pause, c.Log = time.Hour, zerolog.New(&log) })
	for range 5 {
		wantRules(t, must(t, x, in), "unavailable", in.Messages...)
	}
	// The outage, and the one result that it cost calls.
	if n := strings.Count(log.String(), `"level":"warn"`); n != 2 || strings.Contains(log.String(), "tea") {
		t.Errorf("logged %s", log.String())
	}
	if n := len(s.requests()); n != 3 {
		t.Errorf("%d calls", n)
	}
	x = s.extractor(func(c *Config) { c.Pause = time.Nanosecond })
	wantRules(t, must(t, x, in), "unavailable", in.Messages...)
	mu.Lock()
	dead = false
	mu.Unlock()
	want(t, must(t, x, in), model, "I like tea")
}

// hang is a server that answers nothing until the test is over.
func hang(t *testing.T) *server {
	t.Helper()
	release := make(chan struct{})
	s := play(t, func(int, asked) reply {
		<-release
		return reply{status: 500}
	})
	t.Cleanup(func() { close(release) }) // before the server is closed
	return s
}

func TestASlowServerGivesWayToTheRules(t *testing.T) {
	s := hang(t)
	var seen []error
	x := s.extractor(func(c *Config) {
		c.Timeout = 50 * time.Millisecond
		c.Observe = func(err error) { seen = append(seen, err) }
	})
	wantRules(t, must(t, x, extract.Input{Messages: talk}), "timeout", talk...)
	s.noRequestTwice()
	if len(seen) != 2 || memd.KindOf(seen[0]) != memd.Unavailable {
		t.Errorf("observed %v", seen)
	}
}

func TestASpentBudgetGivesWayToTheRules(t *testing.T) {
	x := hang(t).extractor(func(c *Config) { c.Budget = 50 * time.Millisecond })
	wantRules(t, must(t, x, extract.Input{Messages: talk}), "timeout", talk...)
}

func TestTheBudgetEndsBeforeTheDeadline(t *testing.T) {
	x := New(Config{Budget: time.Hour}, extract.NewRules())
	if got := x.budget(t.Context()); got != time.Hour {
		t.Errorf("without a deadline: %v", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Minute)
	defer cancel()
	if got := x.budget(ctx); got <= 0 || got > 30*time.Minute {
		t.Errorf("of 40 minutes: %v", got)
	}
}

// What is left alone, for an outage or because its answers are of no use, is not well until
// it has answered as it should.
func TestAModelThatIsLeftAloneIsNotWell(t *testing.T) {
	tea := reply(says(facts("I like tea", []int{1})))
	in := extract.Input{Messages: []memd.Message{user(1, "I like tea")}}
	for name, c := range map[string]struct {
		bad     reply
		extract int // how often until it is left alone
		paused  bool
		checked bool // a Check can tell that it is back
	}{
		"429, long wait":  {reply{status: 429, header: map[string]string{"Retry-After": "600"}}, 1, true, false},
		"429, short wait": {reply{status: 429, header: map[string]string{"Retry-After": "0.000001"}}, 1, false, true},
		"500":             {reply{status: 500}, 1, false, true},
		"useless":         {reply{content: "I would rather not."}, maxFruitless, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var well atomic.Bool
			s := play(t, func(int, asked) reply {
				if well.Load() {
					return tea
				}
				return c.bad
			})
			x := s.extractor(func(config *Config) { config.Pause = time.Nanosecond })
			if unwell, wait := x.Unwell(); unwell || wait != 0 {
				t.Errorf("before: %t, %v", unwell, wait)
			}
			for i := range c.extract {
				if unwell, _ := x.Unwell(); unwell {
					t.Errorf("unwell after %d", i)
				}
				must(t, x, in)
			}
			if unwell, wait := x.Unwell(); !unwell || (wait > 0) != c.paused {
				t.Errorf("after: %t, %v", unwell, wait)
			}
			if err := x.Check(t.Context()); (err == nil) == (c.paused || c.checked) {
				t.Errorf("check: %v", err)
			}
			if unwell, _ := x.Unwell(); !unwell {
				t.Error("well again for nothing")
			}
			if c.paused {
				return
			}
			well.Store(true)
			asked := len(s.requests())
			if err := x.Check(t.Context()); err != nil || (len(s.requests()) > asked) != c.checked {
				t.Errorf("check: %v", err)
			}
			if unwell, _ := x.Unwell(); unwell == c.checked {
				t.Errorf("after a check: %t", unwell)
			}
			must(t, x, in)
			if unwell, wait := x.Unwell(); unwell || wait != 0 {
				t.Errorf("at last: %t, %v", unwell, wait)
			}
		})
	}
}
