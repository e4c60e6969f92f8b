package idempotency

// InsertAppended begins the statement that a write to the log keeps its row with, in
// its own transaction; a SELECT of these columns follows. Where the key is in use it
// violates AppendedConstraint, after waiting for a first one at work.
const InsertAppended = `INSERT INTO idempotency (tenant_id, key, body, message_ids, duplicates, states) `

// AppendedConstraint is what InsertAppended violates.
const AppendedConstraint = "idempotency_pkey"

const (
	// dropExpired takes a row past its day out of the way.
	dropExpired = `DELETE FROM idempotency WHERE tenant_id = $1 AND key = $2 AND created_at < now() - interval '24 hours'`

	readAppended = `SELECT body, coalesce(status, 0), message_ids, duplicates, states FROM idempotency WHERE tenant_id = $1 AND key = $2`

	// claim takes the key if it is free, past its day, or left by a write that never
	// came to its end. claimed_until tells one claim from the next.
	claim = `INSERT INTO idempotency AS i (tenant_id, key, body, claimed_until)
		VALUES ($1, $2, $3, clock_timestamp() + $4::interval)
		ON CONFLICT (tenant_id, key) DO UPDATE
		   SET body = excluded.body, claimed_until = excluded.claimed_until, created_at = now(),
		       message_ids = NULL, duplicates = NULL, states = NULL, status = NULL, content_type = NULL, answer = NULL, users = NULL
		 WHERE i.created_at < now() - interval '24 hours'
		    OR i.status IS NULL AND i.message_ids IS NULL AND i.claimed_until < now() AND i.body = excluded.body
		RETURNING claimed_until`

	readAnswer = `SELECT body, status, content_type, answer FROM idempotency WHERE tenant_id = $1 AND key = $2`

	keep = `UPDATE idempotency SET status = $4, content_type = $5, answer = $6, users = '{}'
		WHERE tenant_id = $1 AND key = $2 AND status IS NULL AND claimed_until = $3`

	renew = `UPDATE idempotency SET claimed_until = clock_timestamp() + $4::interval
		WHERE tenant_id = $1 AND key = $2 AND status IS NULL AND claimed_until = $3 RETURNING claimed_until`

	drop = `DELETE FROM idempotency WHERE tenant_id = $1 AND key = $2 AND status IS NULL AND claimed_until = $3`
)
