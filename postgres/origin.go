package postgres

// MessageOrigin is SQL for the id by which a message c of the log is exported that has none of its
// caller's. Nothing that it is made of ever changes, and no other database has the same: where
// it comes back it is known to be this message.
func MessageOrigin(c string) string {
	return `'memd-' || ` + c + `.id || '-' || left(encode(sha256(convert_to(` + c + `.id || '/' || ` + c + `.session_no || '/' ||
		(extract(epoch FROM ` + c + `.received_at) * 1000000)::bigint, 'UTF8')), 'hex'), 16)`
}
