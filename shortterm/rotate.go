package shortterm

import (
	"context"
	"encoding/json"

	"github.com/memdhq/memd"
)

// Rotation closes a session and opens its next one.
type Rotation struct {
	UserID, SessionID string
	// OfAgent, if it is set, must be the session's agent.
	OfAgent string
	// NextSessionID names the next session; "" names it by a UUID.
	NextSessionID string
	// AgentID, Metadata (a JSON object) and Limits are the next session's; an empty agent
	// and limits that are nil are those of the session.
	AgentID  string
	Metadata json.RawMessage
	Limits   Limits
}

// Rotate closes a session and opens its next one, once: whoever comes after gets the one
// that was opened first, and made is false. What is open of the session is published at
// once. NotFound: the user has no such session. Conflict with the field session_id:
// another next one was asked for than it has, or a session has that name.
func (l *Log) Rotate(ctx context.Context, tenant string, r Rotation) (next Session, made bool, err error) {
	if err := r.Limits.check(); err != nil {
		return Session{}, false, err
	}
	return Session{}, false, &memd.Error{Kind: memd.Internal, Op: "shortterm.rotate", Msg: "not there yet"}
}
