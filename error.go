package memd

import (
	"errors"
	"fmt"
	"time"
)

// Kind classifies an error by what the caller can do about it. Each edge maps
// kinds once: httpapi to a status, the worker to what becomes of a message.
type Kind int

const (
	// Internal is a fault of memd itself. Callers see no more than that.
	Internal Kind = iota
	// Invalid means the request or the input is wrong and will stay wrong.
	Invalid
	// NotFound means there is no such thing in the caller's scope.
	NotFound
	// Conflict means the state of the thing forbids the operation now.
	Conflict
	// Forbidden means the caller's key may not do this.
	Forbidden
	// Unauthorized means no valid key came with the request.
	Unauthorized
	// TooLarge means a limit on size or count was passed.
	TooLarge
	// RateLimited means a provider asked to wait; Error.RetryAfter says how long.
	RateLimited
	// Unavailable means a dependency is away; trying again later helps.
	Unavailable
)

var kindNames = map[Kind]string{
	Internal: "internal", Invalid: "invalid", NotFound: "not_found", Conflict: "conflict",
	Forbidden: "forbidden", Unauthorized: "unauthorized", TooLarge: "too_large",
	RateLimited: "rate_limited", Unavailable: "unavailable",
}

// String gives the kind's name in snake case, as metrics and error codes use it.
func (k Kind) String() string {
	if s, ok := kindNames[k]; ok {
		return s
	}
	return fmt.Sprintf("kind(%d)", int(k))
}

// Kinds lists every kind, so that tests can hold the edges' tables to be total.
func Kinds() []Kind {
	return []Kind{Internal, Invalid, NotFound, Conflict, Forbidden, Unauthorized, TooLarge, RateLimited, Unavailable}
}

// Error is the one error type that crosses package boundaries.
type Error struct {
	Kind Kind
	// Op names what was being done ("shortterm.append"); for logs only.
	Op string
	// Field locates the fault in the caller's input ("messages[0].content").
	Field string
	// Msg says what is wrong in words fit for a caller; it never quotes input.
	Msg string
	// Details holds further faults of the same request, each with its Field.
	Details []*Error
	// RetryAfter is how long to wait before trying again; zero if unknown.
	RetryAfter time.Duration
	// Err is the cause; it reaches logs, never callers.
	Err error
}

// Error gives the whole story, for logs.
func (e *Error) Error() string {
	s := e.Kind.String()
	if e.Op != "" {
		s = e.Op + ": " + s
	}
	if e.Field != "" {
		s += " " + e.Field
	}
	if e.Msg != "" {
		s += ": " + e.Msg
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	for _, d := range e.Details {
		s += "; " + d.Error()
	}
	return s
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf gives the kind of the first Error in err's chain, Internal if there is none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}

// RetryAfterOf gives the wait asked for by the first Error in err's chain, or zero.
func RetryAfterOf(err error) time.Duration {
	var e *Error
	if errors.As(err, &e) {
		return e.RetryAfter
	}
	return 0
}

// InvalidField is an Invalid error about one field of the input.
func InvalidField(field, format string, args ...any) *Error {
	return &Error{Kind: Invalid, Field: field, Msg: fmt.Sprintf(format, args...)}
}
