package shortterm

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

// AwaitAfter returns true as soon as a session has a message after the one of this id, and
// false when ctx ends before, by its deadline or otherwise. An empty sessionID is the
// user's latest session of kind chat, whichever that is at a time. NotFound: there is no
// such session, or no longer.
func (l *Log) AwaitAfter(ctx context.Context, tenant, userID, sessionID string, after int64) (bool, error) {
	for wait := pollFirst; ; wait = min(wait*3/2, pollMax) {
		found, there := false, false
		err := l.read(ctx, tenant, func(rows pgx.Rows) error {
			found = true
			return rows.Scan(&there)
		}, anyAfter, tenant, userID, sessionID, after)
		switch {
		case ctx.Err() != nil && (err == nil || errors.Is(err, ctx.Err())):
			return there, nil
		case err != nil:
			return false, err
		case !found:
			return false, &memd.Error{Kind: memd.NotFound, Op: "shortterm.await_after", Msg: "no such session"}
		case there:
			return true, nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return false, nil
		}
	}
}

const anyAfter = wantedSession + `
	SELECT EXISTS (SELECT FROM conversation_context c WHERE ` + ofSession + ` AND c.id > $4) FROM s`
