package shortterm

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// HeldPerson is all that the log has of a person, locked: nothing is said in their sessions,
// no session and no identity of theirs comes up, and nobody else erases them, until the
// transaction ends. The person themselves is gone already.
type HeldPerson struct {
	// Known says that there was such a person.
	Known bool
	// SessionNos are their sessions, of either kind.
	SessionNos []int64
	// MessageIDs are the messages of these, ascending.
	MessageIDs []int64

	tenant, user string
}

// HoldPerson takes a person away within tx, which must be the tenant's, and holds what the
// log has of them. What is being written about them is waited for and is then among it;
// what comes later waits and finds nobody.
func (l *Log) HoldPerson(ctx context.Context, tx pgx.Tx, tenant, userID string) (HeldPerson, error) {
	h := HeldPerson{tenant: tenant, user: userID}
	if userID == "" {
		return h, memd.InvalidField("user_id", "is required")
	}
	b := &pgx.Batch{}
	b.Queue(lockChains, tenant, userID)
	b.Queue(lockAllSessions, tenant, userID)
	// Whoever makes a session or an identity holds the person, and whoever does so from here
	// on waits. What they made in the meantime is locked by looking again.
	b.Queue(removePerson, tenant, userID).Exec(func(tag pgconn.CommandTag) error {
		h.Known = tag.RowsAffected() > 0
		return nil
	})
	b.Queue(lockAllSessions, tenant, userID).Query(func(rows pgx.Rows) (err error) {
		h.SessionNos, err = pgx.CollectRows(rows, pgx.RowTo[int64])
		return err
	})
	b.Queue(messagesOfUser, tenant, userID).Query(func(rows pgx.Rows) (err error) {
		h.MessageIDs, err = pgx.CollectRows(rows, pgx.RowTo[int64])
		return err
	})
	err := tx.SendBatch(ctx, b).Close()
	return h, postgres.Err("shortterm.hold_person", err)
}

// ErasedLog says how much of a person the log held.
type ErasedLog struct {
	Sessions, Messages, Summaries int
	// Open is how many messages waited to be learned from, Dead how many had been given up.
	Open, Dead int
}

// ErasePerson takes away all that the log has of a person, within tx in which they are held.
// Whoever has claimed a message of theirs loses it. It waits for who is settling one: call it
// last, under the locks that are taken before settling.
func (l *Log) ErasePerson(ctx context.Context, tx pgx.Tx, h HeldPerson) (ErasedLog, error) {
	var e ErasedLog
	if len(h.SessionNos) == 0 {
		return e, nil
	}
	count := func(into *int) func(pgconn.CommandTag) error {
		return func(tag pgconn.CommandTag) error {
			*into = int(tag.RowsAffected())
			return nil
		}
	}
	b := &pgx.Batch{}
	b.Queue(eraseOpen, h.tenant, h.SessionNos).Exec(count(&e.Open))
	b.Queue(eraseSettled, h.tenant, h.MessageIDs).QueryRow(func(row pgx.Row) error { return row.Scan(&e.Dead) })
	b.Queue(eraseMessages, h.tenant, h.user).Exec(count(&e.Messages))
	// Of what was settled a moment ago a summary may have come to be due.
	b.Queue(eraseSummaries, h.tenant, h.SessionNos).Exec(count(&e.Summaries))
	b.Queue(eraseSummariesDue, h.tenant, h.SessionNos)
	b.Queue(eraseSessions, h.tenant, h.user).Exec(count(&e.Sessions))
	err := tx.SendBatch(ctx, b).Close()
	return e, postgres.Err("shortterm.erase_person", err)
}

const (
	// lockAllSessions: FOR UPDATE, as lockWholeSession, in the order of lockSessionsOf.
	lockAllSessions = `SELECT no FROM conversation_session WHERE tenant_id = $1 AND user_id = $2 ORDER BY session_id COLLATE "C" FOR UPDATE`

	removePerson = `DELETE FROM person WHERE tenant_id = $1 AND user_id = $2`

	messagesOfUser = `SELECT id FROM conversation_context WHERE tenant_id = $1 AND user_id = $2 ORDER BY id`

	eraseOpen = `WITH open AS MATERIALIZED (
		SELECT o.message_id FROM unnest($2::bigint[]) AS k (no)
		 CROSS JOIN LATERAL (SELECT message_id FROM ingest_open WHERE session_no = k.no AND tenant_id = $1 OFFSET 0) o
	), held AS (
		SELECT o.message_id FROM ingest_open o WHERE o.tenant_id = $1 AND o.message_id = ANY (ARRAY(SELECT message_id FROM open))
		 ORDER BY o.message_id FOR UPDATE
	)
	DELETE FROM ingest_open o WHERE o.tenant_id = $1 AND o.message_id = ANY (ARRAY(SELECT message_id FROM held))`

	eraseSettled = `WITH gone AS (
		DELETE FROM ingest_settled WHERE tenant_id = $1 AND message_id = ANY ($2::bigint[]) RETURNING state
	)
	SELECT count(*) FILTER (WHERE state = 'dead') FROM gone`

	eraseMessages = `DELETE FROM conversation_context WHERE tenant_id = $1 AND user_id = $2`

	eraseSummaries = `DELETE FROM session_summary WHERE tenant_id = $1 AND session_no = ANY ($2::bigint[])`

	eraseSummariesDue = `DELETE FROM summary_due WHERE tenant_id = $1 AND session_no = ANY ($2::bigint[])`

	eraseSessions = `DELETE FROM conversation_session WHERE tenant_id = $1 AND user_id = $2`
)
