package llm

import (
	"strings"
	"sync"
	"time"
)

const (
	// maxRefusals is how often in a row a server may refuse requests without a word on
	// what of them it does not take, before others are tried: until then it is the
	// messages that it refuses.
	maxRefusals = 8
	// maxUnheld is how often a model may answer in another shape than that which it is
	// held to and do better when it is asked in the next mode, before that is kept.
	maxUnheld = 2
)

// mode is how a model is held to the shape of its answer.
type mode int

const (
	bySchema mode = iota // response_format with a JSON schema
	byTool               // the arguments of a tool that it has to call
	byWord               // by what it is told
)

func (m mode) String() string { return [...]string{"schema", "tool", "plain"}[m] }

// dialect is what of the API a server takes; the zero value is all of it.
type dialect struct {
	mode          mode
	noTemperature bool
	newTokens     bool // max_completion_tokens for max_tokens
	freeTool      bool // no tool_choice
}

// next gives the dialect of the next mode.
func (d dialect) next() (dialect, bool) {
	if d.mode == byWord {
		return d, false
	}
	d.mode++
	return d, true
}

// without gives the next dialect to try on a server that refuses this one.
func (d dialect) without(f *fault) (dialect, bool) {
	switch {
	case !d.noTemperature && strings.Contains(f.complaint, "temperature"):
		d.noTemperature = true
	case !d.newTokens && strings.Contains(f.complaint, "max_completion_tokens"):
		d.newTokens = true
	case d.mode == byTool && !d.freeTool && strings.Contains(f.complaint, "tool_choice"):
		d.freeTool = true
	default:
		return d.next()
	}
	return d, true
}

// features are the words by which a refusal speaks of the request's form.
var features = []string{"response_format", "json_schema", "schema", "grammar", "tool", "function call", "jinja", "temperature", "max_completion_tokens"}

func namesFeature(complaint string) bool {
	for _, word := range features {
		if strings.Contains(complaint, word) {
			return true
		}
	}
	return false
}

// manners remembers in which dialect a server was found to answer.
type manners struct {
	// again is after how long the full dialect is tried anew.
	again time.Duration

	mu      sync.Mutex
	current dialect
	since   time.Time
	// proven says that the server answered in the current dialect.
	proven   bool
	refusals int // in a row, of requests in a proven dialect, without a word on it
	unheld   int
	// held says that the model's answer had the shape, in the current dialect.
	held bool
	// shapeless counts the extractions in a row in which it had in no dialect tried.
	shapeless int
}

func (m *manners) start() dialect {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := time.Now(); m.since.IsZero() || now.Sub(m.since) > m.again {
		m.current, m.since, m.proven, m.refusals, m.unheld = dialect{}, now, false, 0, 0
		m.held, m.shapeless = false, 0
	}
	return m.current
}

// worked notes that the server answered in a dialect.
func (m *manners) worked(d dialect) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d != m.current {
		m.held = false
	}
	m.current, m.proven, m.refusals = d, true, 0
}

// heldIn notes that an answer in a dialect had the shape that was asked for.
func (m *manners) heldIn(d dialect) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shapeless = 0
	m.held = m.held || d == m.current
}

// unshaped notes that the answers had the shape neither in the dialect that was tried
// first nor in the next. Unless the first is known to do, or failed so before, it is
// begun with the next from then on.
func (m *manners) unshaped(first dialect) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if first != m.current {
		return
	}
	if m.shapeless++; m.held && m.shapeless < maxUnheld {
		return
	}
	if next, ok := first.next(); ok {
		m.current, m.held, m.shapeless, m.unheld = next, false, 0, 0
	}
}

// unheldIn notes that the model did better in a dialect than in the richer one that is
// the server's: that does not hold it to the shape of its answer.
func (m *manners) unheldIn(d dialect) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.unheld++; m.unheld >= maxUnheld {
		m.current, m.unheld, m.held = d, 0, true
	}
}

// isProven says whether the server has answered at all.
func (m *manners) isProven() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.proven
}

// after gives the next dialect to try when one was refused. A server that is known to
// take it and does not name what it misses refuses the messages.
func (m *manners) after(d dialect, f *fault) (dialect, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.proven && d == m.current && !namesFeature(f.complaint) {
		if m.refusals++; m.refusals < maxRefusals {
			return d, false
		}
		m.proven = false
	}
	return d.without(f)
}
