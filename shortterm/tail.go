package shortterm

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

// AwaitAfter returns true as soon as a session has a message after the one of this id, or is
// closed, be it that it was rotated, so that who waits is to go on in the next; and false when
// ctx ends before, by its deadline or otherwise. An empty sessionID is the user's latest session
// of kind chat, whichever that is at a time: only a limit leads on from it. NotFound: there is
// no such session, or no longer.
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

// Onward says where a session goes on, and whether it was closed.
type Onward struct {
	// Next is the one that follows it, if it was rotated, and ForwardsTo, where a limit has
	// rotated it, the one that what is posted under its name lands in; "" for one that is not
	// there (yet).
	Next, ForwardsTo string
	ClosedAt         *time.Time
}

// Onward says where a session goes on; nowhere, if there is none.
func (l *Log) Onward(ctx context.Context, tenant, userID, sessionID string) (o Onward, err error) {
	err = l.read(ctx, tenant, func(rows pgx.Rows) error {
		return rows.Scan(&o.Next, &o.ForwardsTo, &o.ClosedAt)
	}, onward, tenant, userID, sessionID)
	return o, err
}

const (
	anyAfter = wantedSession + `
	SELECT EXISTS (SELECT FROM conversation_context c WHERE ` + ofSession + ` AND c.id > $4)
	       OR EXISTS (SELECT FROM conversation_session o WHERE o.tenant_id = $1 AND o.no = s.no AND o.closed_at IS NOT NULL AND $3 <> '')
	       OR EXISTS (SELECT FROM conversation_session o JOIN conversation_session f ON f.tenant_id = $1 AND f.user_id = $2 AND f.no > o.no
	                   AND f.session_id IN (o.forwards_to, CASE WHEN $3 <> '' THEN o.next_session_id END)
	                   WHERE o.tenant_id = $1 AND o.no = s.no) FROM s`

	onward = wantedSession + `
	SELECT coalesce(n.session_id, f.session_id, ''), coalesce(f.session_id, ''), o.closed_at FROM s
	  JOIN conversation_session o ON o.tenant_id = $1 AND o.no = s.no
	  LEFT JOIN conversation_session f ON f.tenant_id = $1 AND f.user_id = $2 AND f.session_id = o.forwards_to AND f.no > o.no
	  LEFT JOIN conversation_session n ON n.tenant_id = $1 AND n.user_id = $2 AND n.session_id = o.next_session_id AND n.no > o.no`
)
