package shortterm

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/postgres"
)

// SweepIncognito ends up to n incognito sessions, of any tenant, in which nothing was said
// for as long as Config.IncognitoIdle, and says how many there were.
func (l *Log) SweepIncognito(ctx context.Context, n int) (int, error) {
	type idle struct{ TenantID, UserID, SessionID string }
	rows, err := l.pool.Query(ctx, incognitoOver, l.cfg.IncognitoIdle, n)
	if err != nil {
		return 0, postgres.Err("shortterm.sweep_incognito", err)
	}
	over, err := pgx.CollectRows(rows, pgx.RowToStructByPos[idle])
	if err != nil {
		return 0, postgres.Err("shortterm.sweep_incognito", err)
	}
	for _, s := range over {
		err := l.inTenant(ctx, s.TenantID, func(tx pgx.Tx) error {
			var no int64
			err := tx.QueryRow(ctx, lockIdle, s.TenantID, s.UserID, s.SessionID, l.cfg.IncognitoIdle).Scan(&no)
			if err == pgx.ErrNoRows {
				return nil // something was said, or it has ended
			}
			if err != nil {
				return err
			}
			b := &pgx.Batch{}
			queueEmpty(b, s.TenantID, no)
			return tx.SendBatch(ctx, b).Close()
		})
		if err != nil {
			return 0, postgres.Err("shortterm.sweep_incognito", err)
		}
	}
	return len(over), nil
}

// SweepMessages takes up to n messages, of any tenant, out of the log that have settled
// and came longer ago than their tenant keeps them, and says how many it found. A closed
// session that has no others goes too, unless what is posted under its name lands in
// another. drop is called for those of each session, in the transaction that they go in
// and under the session's lock, to take them out of what was made of them elsewhere.
func (l *Log) SweepMessages(ctx context.Context, n int, drop func(ctx context.Context, tx pgx.Tx, tenant string, messages []int64) error) (int, error) {
	type old struct {
		TenantID   string
		SessionNo  int64
		MessageIDs []int64
	}
	var keep *time.Duration
	if l.cfg.KeepMessages > 0 {
		keep = &l.cfg.KeepMessages
	}
	rows, err := l.pool.Query(ctx, messagesOver, keep, n)
	if err != nil {
		return 0, postgres.Err("shortterm.sweep_messages", err)
	}
	over, err := pgx.CollectRows(rows, pgx.RowToStructByPos[old])
	if err != nil {
		return 0, postgres.Err("shortterm.sweep_messages", err)
	}
	found := 0
	for _, o := range over {
		found += len(o.MessageIDs)
		err := l.inTenant(ctx, o.TenantID, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, lockChainsOf, o.TenantID, o.SessionNo); err != nil {
				return err
			}
			// What is opened again is so under the session's lock.
			if _, err := tx.Exec(ctx, lockByNo, o.TenantID, o.SessionNo); err != nil {
				return err
			}
			rows, err := tx.Query(ctx, stillSettled, o.TenantID, o.MessageIDs)
			if err != nil {
				return err
			}
			ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
			if err != nil || len(ids) == 0 {
				return err
			}
			if err := drop(ctx, tx, o.TenantID, ids); err != nil {
				return err
			}
			titled, err := l.titledBy(ctx, tx, o.TenantID, ids)
			if err != nil {
				return err
			}
			b := &pgx.Batch{}
			b.Queue(removeSettled, o.TenantID, ids)
			b.Queue(removeMessages, o.TenantID, ids)
			b.Queue(recountSession, o.TenantID, o.SessionNo, len(ids))
			b.Queue(joinEmptied, o.TenantID, o.SessionNo)
			b.Queue(dropEmptied, o.TenantID, o.SessionNo)
			if err := tx.SendBatch(ctx, b).Close(); err != nil {
				return err
			}
			return l.retitle(ctx, tx, o.TenantID, titled)
		})
		if err != nil {
			return 0, postgres.Err("shortterm.sweep_messages", err)
		}
	}
	return found, nil
}

const (
	incognitoOver = `SELECT tenant_id, user_id, session_id FROM memd_incognito_over($1, $2)`

	lockIdle = `SELECT no FROM conversation_session
		 WHERE tenant_id = $1 AND user_id = $2 AND session_id = $3 AND incognito AND closed_at IS NULL AND coalesce(heard_at, created_at) < now() - $4::interval
		   FOR NO KEY UPDATE`

	messagesOver = `SELECT tenant_id, session_no, message_ids FROM memd_messages_over($1, $2)`

	lockChainsOf = `SELECT pg_advisory_xact_lock(hashtext($1), hashtext(user_id)) FROM conversation_session WHERE tenant_id = $1 AND no = $2`

	lockByNo = `SELECT FROM conversation_session WHERE tenant_id = $1 AND no = $2 FOR UPDATE`

	stillSettled = `SELECT id FROM conversation_context c WHERE tenant_id = $1 AND id = ANY ($2::bigint[])
		   AND NOT EXISTS (SELECT FROM ingest_open o WHERE o.tenant_id = $1 AND o.message_id = c.id) ORDER BY id`

	joinEmptied = `WITH gone AS (
		SELECT no FROM conversation_session WHERE tenant_id = $1 AND no = $2 AND closed_at IS NOT NULL AND last_message_id IS NULL AND forwards_to IS NULL
	) ` + neighbours

	// dropEmptied: one that forwards is still where a client's messages find their way from;
	// it keeps no words.
	dropEmptied = `WITH emptied AS (
		SELECT no, forwards_to FROM conversation_session WHERE tenant_id = $1 AND no = $2 AND closed_at IS NOT NULL AND last_message_id IS NULL
	), kept AS (
		UPDATE conversation_session SET title = NULL, metadata = '{}' WHERE tenant_id = $1 AND no IN (SELECT no FROM emptied WHERE forwards_to IS NOT NULL)
	), unsummed AS (
		DELETE FROM session_summary WHERE tenant_id = $1 AND session_no IN (SELECT no FROM emptied)
	), undue AS (
		DELETE FROM summary_due WHERE tenant_id = $1 AND session_no IN (SELECT no FROM emptied)
	)
	DELETE FROM conversation_session WHERE tenant_id = $1 AND no IN (SELECT no FROM emptied WHERE forwards_to IS NULL AND NOT incognito)`
)
