package shortterm

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Arrival is what had become of a person or of one of their sessions in the memd that all of it
// was brought from, once it is here.
type Arrival struct {
	UserID string
	// SessionID is "" where it is about the person.
	SessionID string
	// Unlearned has nothing learned from what comes from now on; what came is learned from.
	Unlearned bool
	// ClosedAt is when the session was closed there, zero if it was not. One in which something was
	// said later here stays open.
	ClosedAt time.Time
	// NextSessionID and ForwardsTo are as Session has them, "" for none; what is not there is not named.
	NextSessionID, ForwardsTo string
}

// Arrive has it so here. It opens nothing that is closed and lets nothing be learned that is not.
// NotFound: there is no such session.
func (l *Log) Arrive(ctx context.Context, tenant string, a Arrival) error {
	if a.SessionID == "" {
		if !a.Unlearned {
			return nil
		}
		_, err := l.exec(ctx, tenant, personLearn, tenant, a.UserID, false)
		return err
	}
	var closed *time.Time
	if !a.ClosedAt.IsZero() {
		closed = &a.ClosedAt
	}
	err := l.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, arriveSession, tenant, a.UserID, a.SessionID, a.Unlearned, closed, a.NextSessionID, a.ForwardsTo)
		if err == nil && tag.RowsAffected() == 0 {
			return &memd.Error{Kind: memd.NotFound, Op: "shortterm.arrive", Msg: "no such session"}
		}
		return err
	})
	if err == nil && closed != nil {
		l.forgetKnown(tenant, a.UserID, a.SessionID)
	}
	return postgres.Err("shortterm.arrive", err)
}

// arriveSession: a session leads only to those made after it.
const arriveSession = `UPDATE conversation_session s
	   SET learn = s.learn AND NOT $4, closed_at = c.at,
	       next_session_id = CASE WHEN c.at IS NULL THEN s.next_session_id ELSE coalesce(s.next_session_id, (
	           SELECT session_id FROM conversation_session o WHERE o.tenant_id = $1 AND o.user_id = $2 AND o.session_id = $6 AND o.no > s.no AND NOT o.incognito)) END,
	       forwards_to = CASE WHEN c.at IS NULL THEN s.forwards_to ELSE coalesce(s.forwards_to, (
	           SELECT session_id FROM conversation_session o WHERE o.tenant_id = $1 AND o.user_id = $2 AND o.session_id = $7 AND o.no > s.no AND NOT o.incognito)) END
	  FROM (SELECT no, coalesce(closed_at, CASE WHEN last_message_at IS NULL OR last_message_at <= $5::timestamptz THEN $5::timestamptz END) AS at
	          FROM conversation_session WHERE tenant_id = $1 AND user_id = $2 AND session_id = $3 AND NOT incognito FOR NO KEY UPDATE) c
	 WHERE s.tenant_id = $1 AND s.no = c.no`
