package longterm

import "github.com/jackc/pgx/v5"

// queueUnsum has what is summed up of these messages be summed up anew: it must not outlive
// what a person took away of it, or asked to be forgotten.
func queueUnsum(b *pgx.Batch, tenant string, messages []int64) {
	if len(messages) > 0 {
		b.Queue(unsumLock, tenant)
		b.Queue(unsum, tenant, messages)
	}
}

const (
	// unsumLock keeps away, until the transaction ends, who is about to keep a summary that was
	// made of what is being taken away. Those who take away do not wait for each other.
	unsumLock = `SELECT pg_advisory_xact_lock_shared(hashtext('summaries'), hashtext($1))`

	// unsum drops the summaries of these messages, and has them made anew.
	unsum = `WITH stale AS (
		DELETE FROM session_summary WHERE tenant_id = $1 AND session_no = ANY (ARRAY (
			SELECT y.session_no FROM (SELECT session_no, min(id) AS id FROM conversation_context WHERE tenant_id = $1 AND id = ANY ($2::bigint[]) GROUP BY session_no OFFSET 0) c
			 CROSS JOIN LATERAL (SELECT session_no FROM session_summary y WHERE y.session_no = c.session_no AND y.tenant_id = $1 AND y.upto >= c.id OFFSET 0) y))
		RETURNING session_no
	)
	INSERT INTO summary_due (session_no, tenant_id) SELECT session_no, $1 FROM stale ORDER BY session_no
	ON CONFLICT (session_no) DO UPDATE SET due_at = now(), attempts = 0`
)
