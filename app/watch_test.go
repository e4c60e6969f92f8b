package app

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embed"
)

// What is really asked of a server decides whether it is well: that it answers a question
// which costs nothing does not clear it.
func TestWhetherAServerIsAway(t *testing.T) {
	ctx := t.Context()
	outage := error(&memd.Error{Kind: memd.Unavailable, Op: "test"})
	refused := error(&memd.Error{Kind: memd.Invalid, Op: "test", Field: "texts[0]"})
	width := error(&memd.Error{Kind: memd.Invalid, Op: "test", Err: embed.ErrWidth})
	aborted := error(&memd.Error{Kind: memd.Unavailable, Op: "test", Err: context.Canceled})
	for name, c := range map[string]struct {
		saw    []error
		stale  bool
		rests  bool          // it is not well
		wait   time.Duration // and left alone for so long
		look   error
		ask    error
		away   bool
		looked int
		asked  int
	}{
		"never asked, there":                         {stale: true, looked: 1},
		"never asked, not there":                     {stale: true, look: outage, away: true, looked: 1},
		"well a moment ago":                          {saw: []error{nil}},
		"well, but gone now":                         {saw: []error{nil}, stale: true, look: outage, away: true, looked: 1},
		"failed a moment ago":                        {saw: []error{nil, outage}, away: true},
		"failed, and still does":                     {saw: []error{outage}, stale: true, ask: outage, away: true, asked: 1},
		"failed, and is back":                        {saw: []error{outage}, stale: true, asked: 1},
		"failed, and was well after that":            {saw: []error{outage, nil}},
		"left alone, whatever it says":               {saw: []error{nil}, stale: true, rests: true, wait: time.Hour, away: true},
		"left alone before, not asked since":         {saw: []error{nil}, stale: true, rests: true, away: true, asked: 1},
		"refuses a text":                             {saw: []error{nil, refused}, asked: 1},
		"refuses a text, and what nobody can refuse": {saw: []error{nil, refused}, ask: refused, away: true, asked: 1},
		"other vectors than it should":               {saw: []error{nil, width}, away: true},
		"other vectors, and still":                   {saw: []error{width}, stale: true, ask: width, away: true, asked: 1},
		"its caller did not wait":                    {saw: []error{nil, aborted}},
	} {
		looked, asked := 0, 0
		s := &server{
			look: func(context.Context) error { looked++; return c.look },
			ask:  func(context.Context) error { asked++; return c.ask },
			rests: func() (bool, time.Duration) {
				return c.rests, c.wait
			},
		}
		for _, err := range c.saw {
			s.saw(err)
		}
		if c.stale {
			s.seen = time.Now().Add(-time.Hour)
		}
		if away := s.away(ctx); away != c.away || looked != c.looked || asked != c.asked {
			t.Errorf("%s: away %t after %d looks and %d questions, want %t, %d, %d", name, away, looked, asked, c.away, c.looked, c.asked)
		}
	}
}

// Who wants to know does not have a slow server asked once each.
func TestAServerIsAskedOnceAtATime(t *testing.T) {
	asked, answer := make(chan struct{}, 10), make(chan error)
	s := &server{ask: func(context.Context) error { asked <- struct{}{}; return <-answer }, every: time.Hour}
	s.saw(errors.New("it fails"))
	s.seen = time.Now().Add(-time.Hour)
	hurried, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		if !s.away(hurried) {
			t.Error("it is well before it has answered")
		}
	}
	answer <- nil
	for done := false; !done; {
		s.mu.Lock()
		done = s.asking == nil && !s.failing
		s.mu.Unlock()
	}
	if len(asked) != 1 || s.away(t.Context()) {
		t.Errorf("asked %d times", len(asked))
	}
}
