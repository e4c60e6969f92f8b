package worker

import (
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/memdhq/memd/shortterm"
)

const (
	// aloneAfter is after how many strikes a message is tried alone.
	aloneAfter = 2
	// mostStrikes is how many are forgiven. From then on it burns its attempts.
	mostStrikes = 8
	// ownStrike is what an outage counts that nobody else meets: what a message depends on
	// answered another right after.
	ownStrike = 4
	// struckMost is of how many messages strikes are remembered.
	struckMost = 10_000
)

// strikes are how often each message has met an outage of something that answered before
// and after: a text that makes the model fail each time looks like an outage, and would be
// tried for ever, with all that is tried beside it.
type strikes struct{ of *lru.Cache[int64, int] }

func newStrikes() *strikes {
	of, err := lru.New[int64, int](struckMost)
	if err != nil {
		panic(err) // the size is wrong
	}
	return &strikes{of}
}

// against counts so many against each, and gives the most that any has now.
func (s *strikes) against(messages []shortterm.Claimed, weight int) (most int) {
	for _, m := range messages {
		n, _ := s.of.Get(m.ID)
		s.of.Add(m.ID, n+weight)
		most = max(most, n+weight)
	}
	return most
}

func (s *strikes) count(id int64) int {
	n, _ := s.of.Peek(id)
	return n
}

func (s *strikes) forget(messages []shortterm.Claimed) {
	for _, m := range messages {
		s.of.Remove(m.ID)
	}
}
