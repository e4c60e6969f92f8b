package llm

import (
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"github.com/rs/zerolog"
)

func saying(t *testing.T, s *server) *Extractor {
	x := New(Config{URL: s.http.URL + "/v1", Model: "m", Pause: 100 * time.Millisecond, Log: zerolog.Nop()}, extract.NewRules())
	t.Cleanup(x.Close)
	return x
}

func TestSaying(t *testing.T) {
	s := play(t, replies(reply{content: "<think>Shall I?</think>\n They met in May. "}))
	x := saying(t, s)
	got, err := x.Say(t.Context(), "Sum up.", "They met.", 77)
	if err != nil || got != "They met in May." {
		t.Errorf("%q, %v", got, err)
	}
	a := s.asked[0]
	if a.Messages[0] != (memdChat{"system", "Sum up."}) || a.Messages[1] != (memdChat{"user", "They met."}) || a.MaxTokens != 77 || a.ResponseFormat != nil || a.Tools != nil {
		t.Errorf("asked %s", a.raw)
	}
}

// What there is room for goes by the window.
func TestRoomGoesByTheWindow(t *testing.T) {
	x := New(Config{URL: play(t, replies(reply{})).http.URL + "/v1", Model: "m", Context: 4096, Log: zerolog.Nop()}, extract.NewRules())
	t.Cleanup(x.Close)
	if got := x.Room("Sum up.", 400); got < 6000 || got > 3*4096 {
		t.Errorf("room for %d bytes in 4096 tokens", got)
	}
	if got := x.Room("Sum up.", 5000); got != 0 {
		t.Errorf("room for %d bytes beside an answer longer than the window", got)
	}
}

// A server that takes a parameter under another name is asked so; one that refuses is asked
// once.
func TestSayingInTheServersManner(t *testing.T) {
	s := play(t, func(_ int, a asked) reply {
		switch {
		case a.Temperature != nil:
			return reply{status: 400, body: `{"error":"temperature is not supported"}`}
		case a.MaxCompletion == 0:
			return reply{status: 400, body: `{"error":"use max_completion_tokens"}`}
		}
		return reply{content: "yes"}
	})
	if got, err := saying(t, s).Say(t.Context(), "i", "x", 9); err != nil || got != "yes" || len(s.asked) != 3 {
		t.Errorf("%q, %v after %d requests", got, err, len(s.asked))
	}
	s = play(t, replies(reply{status: 400, body: `{"error":"no"}`}))
	if _, err := saying(t, s).Say(t.Context(), "i", "x", 9); memd.KindOf(err) != memd.Internal || len(s.asked) != 1 {
		t.Errorf("%v after %d requests", err, len(s.asked))
	}
	s = play(t, replies(reply{content: " "}))
	if _, err := saying(t, s).Say(t.Context(), "i", "x", 9); memd.KindOf(err) != memd.Internal || len(s.asked) != 1 {
		t.Errorf("%v after %d requests", err, len(s.asked))
	}
}

func TestSayingWhileTheServerIsAway(t *testing.T) {
	s := play(t, replies(reply{status: 503}))
	x := saying(t, s)
	if !x.Answers() {
		t.Error("away before it was asked")
	}
	for range 10 {
		if _, err := x.Say(t.Context(), "i", "x", 9); memd.KindOf(err) != memd.Unavailable {
			t.Error(err)
		}
	}
	if len(s.asked) != 3 || x.Answers() {
		t.Errorf("asked %d times, answers: %t", len(s.asked), x.Answers())
	}
	s = play(t, replies(reply{status: 429, header: map[string]string{"Retry-After": "600"}}))
	x = saying(t, s)
	for range 3 {
		if _, err := x.Say(t.Context(), "i", "x", 9); memd.KindOf(err) != memd.Unavailable {
			t.Error(err)
		}
	}
	if len(s.asked) != 1 || x.Answers() {
		t.Errorf("asked %d times, answers: %t", len(s.asked), x.Answers())
	}
}
