package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/memdhq/memd"
)

// retryAfter is what callers are told when the database is away.
const retryAfter = time.Second

// Err translates an error of the driver into a memd.Error: no rows is NotFound, a
// unique violation Conflict, data that the server refuses Invalid, an outage or a
// deadline Unavailable, anything else Internal. nil and memd.Errors pass through.
func Err(op string, err error) error {
	if err == nil {
		return nil
	}
	var own *memd.Error
	if errors.As(err, &own) {
		return err
	}
	e := &memd.Error{Kind: kindOf(err), Op: op, Err: err}
	switch e.Kind {
	case memd.NotFound:
		e.Msg = "not found"
	case memd.Unavailable:
		e.Msg, e.RetryAfter = "the database is not available", retryAfter
		if errors.Is(err, errBusy) {
			e.Msg = "the database is busy"
		}
	case memd.Invalid:
		e.Msg = "holds a value that cannot be stored"
	}
	return e
}

func kindOf(err error) memd.Kind {
	if errors.Is(err, pgx.ErrNoRows) {
		return memd.NotFound
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code[:2] {
		case "22", "54": // data exception, program limit exceeded
			return memd.Invalid
		case "08", "53", "57", "58": // connection, resources, operator intervention, system error
			return memd.Unavailable
		}
		switch pg.Code {
		case "23505": // unique violation
			return memd.Conflict
		case "40001", "40P01", "55P03": // serialization failure, deadlock, lock not available
			return memd.Unavailable
		case "25006": // read-only: a standby is being promoted
			return memd.Unavailable
		}
		return memd.Internal
	}
	var connect *pgconn.ConnectError
	var network net.Error
	switch {
	case errors.As(err, &connect), errors.As(err, &network),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.Is(err, errBusy), errors.Is(err, errAway),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.Is(err, pgconn.ErrConnClosed),
		pgconn.SafeToRetry(err), errors.Is(err, pgx.ErrTxClosed), errors.Is(err, pgx.ErrTxCommitRollback):
		return memd.Unavailable
	}
	return memd.Internal
}

// Violates says whether err is a violation of the named constraint or unique index.
func Violates(err error, constraint string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.ConstraintName == constraint && pg.Code == "23505"
}

// TookTooLong says whether err is a statement that had not ended when its time was up.
func TookTooLong(err error) bool {
	var pg *pgconn.PgError
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &pg) && pg.Code == "57014"
}

// Deadlocked says whether err is Postgres ending one of two transactions that waited for
// each other: it had no effect, and may be tried again.
func Deadlocked(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "40P01"
}
