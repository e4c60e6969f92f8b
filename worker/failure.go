package worker

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/shortterm"
	"github.com/rs/zerolog"
)

// remedy is what helps messages whose processing failed.
type remedy int

const (
	// tryAgain: a fault that the next attempt may not meet; burns this one.
	tryAgain remedy = iota
	// waitFor: something is away or asks to wait; burns nothing.
	waitFor
	// giveUp: it will fail each time.
	giveUp
	// stepBack: a claim was lost, or the worker stops; the rest goes back as it was.
	stepBack
)

// remedies maps every kind of error. A key or address that a model refuses is put
// right by the operator: messages wait for that too.
var remedies = map[memd.Kind]remedy{
	memd.Internal:     tryAgain,
	memd.NotFound:     tryAgain,
	memd.Conflict:     tryAgain,
	memd.Invalid:      giveUp,
	memd.TooLarge:     giveUp,
	memd.Unavailable:  waitFor,
	memd.RateLimited:  waitFor,
	memd.Unauthorized: waitFor,
	memd.Forbidden:    waitFor,
}

func remedyOf(err error) remedy {
	if errors.Is(err, embed.ErrWidth) {
		return waitFor // the configuration is at fault, not the message
	}
	return remedies[memd.KindOf(err)]
}

func isOutage(err error) bool { return err != nil && remedyOf(err) == waitFor }

// stage is where in its processing a message was; it is the class of a failure.
type stage string

const (
	stageExtract  stage = "extract"
	stageEmbed    stage = "embedder"
	stageLongterm stage = "longterm"
	stagePostgres stage = "postgres"
	stageCrash    stage = "crash"
)

// Codes of failures that are no error's kind.
const (
	codePanic   = "panic"
	codeTimeout = "timeout"
	codeWidth   = "width"
	codeLease   = "lease_expired"
	codeStuck   = "stuck"
)

// failure is why messages could not be learned from.
type failure struct {
	stage  stage
	code   string
	remedy remedy
	err    error  // for the log
	stack  []byte // of a panic
	// blames says that what failed was well before: it may have failed by these messages.
	// own says that it answers others: it has.
	blames, own bool
}

// isBlaming says whether an outage is of a kind that a message can bring about: no whole
// answer, or one that took too long. What asks to wait, wants another key, or has no room
// left is another matter.
func isBlaming(f *failure) bool {
	if f.remedy != waitFor || errors.Is(f.err, errPaused) || f.code == codeWidth {
		return false
	}
	switch f.stage {
	case stageExtract, stageEmbed:
		return memd.KindOf(f.err) == memd.Unavailable
	default:
		return postgres.TookTooLong(f.err)
	}
}

func failureOf(s stage, err error) *failure {
	f := &failure{stage: s, code: memd.KindOf(err).String(), remedy: remedyOf(err), err: err}
	if errors.Is(err, embed.ErrWidth) {
		f.code = codeWidth
	}
	if errors.Is(err, errOwn) {
		f.own, f.code = true, memd.Unavailable.String()
		if errors.Is(err, errSlow) {
			f.code = codeTimeout
		}
	}
	if s == stageLongterm && f.remedy == waitFor {
		f.stage = stagePostgres
	}
	return f
}

// cause is what is kept of it: class and code, never text.
func (f *failure) cause() string { return fmt.Sprintf("%s: %s", f.stage, f.code) }

// panicText describes the value of a panic without quoting what may be a message.
func panicText(value any) string {
	if e, ok := value.(runtime.Error); ok {
		return e.Error()
	}
	return fmt.Sprintf("%T", value)
}

// event begins the one log line of a failure.
func (r *run) event(f *failure) *zerolog.Event {
	e := r.logger.Warn()
	if f.remedy == waitFor {
		e = r.logger.Info() // the breaker warned once
	}
	if f.stack != nil {
		e = r.logger.Error().Bytes("stack", f.stack)
	}
	return e.Err(f.err).Str("cause", f.cause())
}

// report logs a failure that will be tried again.
func (r *run) report(c *shortterm.Claim, messages []shortterm.Claimed, f *failure) {
	ids := make([]int64, len(messages))
	for i, m := range messages {
		ids[i] = m.ID
	}
	r.event(f).Str(memd.LogTenant, c.Tenant).Ints64(memd.LogMessages, ids).Int(memd.LogAttempts, messages[0].Attempt).
		Msg("messages will be tried again")
}
