package shortterm

import (
	"cmp"
	"time"

	"github.com/memdhq/memd"
)

// Limits say when a session has gone on for long enough: the next user message that is
// posted to it then opens its next one. A nil one is the tenant's, and of the tenant's the
// daemon's; 0 is never, whatever those say.
type Limits struct {
	// Idle is how long nothing came, Age how long ago the session was made.
	Idle, Age *time.Duration
	// Turns counts user messages.
	Turns *int
	// Tokens are estimated: four bytes of the messages' JSON are one.
	Tokens *int64
}

// bytesPerToken is what Limits.Tokens are estimated by; maxTokens keeps their product in
// bounds.
const (
	bytesPerToken = 4
	maxTokens     = 1 << 48
)

// check gives all faults of l as one error, Invalid; fields are those of rotate.
func (l Limits) check() error {
	var faults []*memd.Error
	negative := func(field string, n int64) {
		if n < 0 {
			faults = append(faults, memd.InvalidField("rotate."+field, "must not be negative"))
		}
	}
	negative("idle", int64(orZero(l.Idle)))
	negative("age", int64(orZero(l.Age)))
	negative("turns", int64(orZero(l.Turns)))
	negative("tokens", orZero(l.Tokens))
	if orZero(l.Turns) > 1<<31-1 {
		faults = append(faults, memd.InvalidField("rotate.turns", "is too large"))
	}
	if orZero(l.Tokens) > maxTokens {
		faults = append(faults, memd.InvalidField("rotate.tokens", "is too large"))
	}
	switch len(faults) {
	case 0:
		return nil
	case 1:
		return faults[0]
	}
	return &memd.Error{Kind: memd.Invalid, Op: "shortterm.limits", Msg: "some limits cannot be", Details: faults}
}

// or fills what l leaves open with what o says.
func (l Limits) or(o Limits) Limits {
	return Limits{Idle: cmp.Or(l.Idle, o.Idle), Age: cmp.Or(l.Age, o.Age), Turns: cmp.Or(l.Turns, o.Turns), Tokens: cmp.Or(l.Tokens, o.Tokens)}
}

// columns are l as the columns rotate_idle, rotate_turns, rotate_tokens and rotate_age.
func (l Limits) columns() []any { return []any{l.Idle, l.Turns, l.Tokens, l.Age} }

// scan is where those columns are read into.
func (l *Limits) scan() []any { return []any{&l.Idle, &l.Turns, &l.Tokens, &l.Age} }

func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
