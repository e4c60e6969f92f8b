package export

// kind is one kind of line. Its statement takes the tenant and the user, and gives for each
// line the object, and of a message its own JSON beside it.
type kind struct{ plural, sql string }

// kinds are in the order in which they are written.
var kinds = []kind{
	{"users", users}, {"sessions", sessions}, {"messages", messages}, {"removed_messages", removedMessages}, {"memories", memories}, {"deleted_memories", deletedMemories},
	{"statements", goneStatements}, {"forgotten", forgotten}, {"retained", retained}, {"overruled", overruled}, {"origins", origins},
}

// utc gives a time as memd shows it.
func utc(column string) string {
	return `to_char(` + column + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

// span gives an interval in seconds, as memd reads it.
func span(column string) string {
	return `CASE WHEN ` + column + ` IS NOT NULL THEN extract(epoch FROM ` + column + `)::bigint || 's' END`
}

const isKnown = `SELECT EXISTS (SELECT FROM person WHERE tenant_id = $1 AND user_id = $2)
	OR EXISTS (SELECT FROM conversation_session WHERE tenant_id = $1 AND user_id = $2)
	OR EXISTS (SELECT FROM memory_scope WHERE tenant_id = $1 AND user_id = $2)`

var users = `SELECT json_build_object('type', 'user', 'user_id', user_id, 'created_at', ` + utc("created_at") + `, 'learn', learn), NULL
	FROM person WHERE tenant_id = $1 AND user_id = $2`

var sessions = `SELECT json_build_object('type', 'session', 'session_id', s.session_id, 'kind', s.kind, 'agent_id', s.agent_id, 'title', s.title,
	'metadata', s.metadata, 'created_at', ` + utc("s.created_at") + `, 'closed_at', ` + utc("s.closed_at") + `,
	'previous_session_id', s.previous_session_id, 'next_session_id', s.next_session_id, 'forwards_to', s.forwards_to,
	'learn', s.learn, 'incognito', s.incognito,
	'rotate', json_build_object('idle', ` + span("s.rotate_idle") + `, 'turns', s.rotate_turns, 'tokens', s.rotate_tokens, 'age', ` + span("s.rotate_age") + `),
	'summary', CASE WHEN y.session_no IS NOT NULL THEN json_build_object('text', y.summary, 'upto', y.upto, 'model', y.model, 'made_at', ` + utc("y.made_at") + `) END), NULL
	FROM conversation_session s LEFT JOIN session_summary y ON y.session_no = s.no AND y.tenant_id = $1
	WHERE s.tenant_id = $1 AND s.user_id = $2 ORDER BY s.no`

// messages are those of a session after those of another, each in order: an import brings
// whole sessions.
var messages = `SELECT json_build_object('type', 'message', 'id', c.id, 'session_id', c.session_id, 'position', c.position, 'client_id', c.client_id,
	'role', c.role, 'created_at', ` + utc("c.created_at") + `, 'received_at', ` + utc("c.received_at") + `, 'timezone', c.timezone,
	'agent_id', c.agent_id, 'app_id', c.app_id, 'learn', c.learn, 'metadata', c.metadata, 'learn_as', c.learn_as,
	'ingest', json_build_object('state', CASE WHEN NOT c.learn THEN 'skipped' ELSE coalesce(o.state, e.state, 'pending') END,
		'attempts', coalesce(o.attempts, e.attempts, 0), 'error', coalesce(o.error, e.error), 'extractor', e.extractor, 'settled_at', ` + utc("e.settled_at") + `)), c.message
	FROM (SELECT no, session_id FROM conversation_session WHERE tenant_id = $1 AND user_id = $2 ORDER BY no OFFSET 0) s
	CROSS JOIN LATERAL (SELECT * FROM conversation_context WHERE tenant_id = $1 AND user_id = $2 AND session_id = s.session_id ORDER BY id OFFSET 0) c
	LEFT JOIN LATERAL (SELECT * FROM ingest_open WHERE message_id = c.id AND tenant_id = $1 OFFSET 0) o ON true
	LEFT JOIN LATERAL (SELECT * FROM ingest_settled WHERE message_id = c.id AND tenant_id = $1 OFFSET 0) e ON true`

// removedMessages are those of which it is known that they were deleted, and no more.
var removedMessages = `SELECT json_build_object('type', 'removed_message', 'id', r.message_id, 'removed_at', ` + utc("r.removed_at") + `), NULL
	FROM message_removed r WHERE r.tenant_id = $1 AND r.user_id = $2 ORDER BY r.message_id`

var statement = `json_build_object('message_id', n.message_id, 'part', n.part, 'sources', n.sources, 'said_at', ` + utc("n.said_at") + `,
	'session_id', n.session_id, 'position', n.position, 'actor_id', n.actor_id, 'role', n.role, 'memory', n.memory, 'slot', n.slot, 'subject', n.subject,
	'value', n.value, 'negated', n.negated, 'occurred_at', ` + utc("n.occurred_at") + `, 'categories', n.categories, 'extractor', n.extractor)`

var history = `json_build_object('event', h.event, 'previous_memory', h.previous_memory, 'memory', h.memory, 'reason', h.reason, 'by', h.by,
	'message_ids', h.message_ids, 'at', ` + utc("h.at") + `)`

// memories are all, superseded and expired ones too.
var memories = `SELECT json_build_object('type', 'memory', 'id', m.id, 'memory', m.memory, 'app_id', m.app_id, 'agent_ids', m.agent_ids, 'run_ids', m.run_ids,
	'actor_id', m.actor_id, 'role', m.role, 'scope', m.scope, 'memory_type', m.memory_type, 'categories', m.categories, 'metadata', m.metadata,
	'hash', m.hash, 'verbatim', m.verbatim, 'slot', m.slot, 'subject', m.subject, 'value', m.value, 'negated', m.negated, 'extractor', m.extractor,
	'pinned', m.pinned, 'edited', m.edited, 'created_at', ` + utc("m.created_at") + `, 'updated_at', ` + utc("m.updated_at") + `,
	'valid_from', ` + utc("m.valid_from") + `, 'valid_to', ` + utc("m.valid_to") + `, 'superseded_by', m.superseded_by,
	'occurred_at', ` + utc("m.occurred_at") + `, 'expires_at', ` + utc("m.expires_at") + `,
	'sources', ARRAY(SELECT x.message_id FROM memory_source x WHERE x.memory_id = m.id AND x.tenant_id = $1 ORDER BY x.message_id),
	'statements', (SELECT coalesce(json_agg(` + statement + ` ORDER BY n.message_id, n.part), '[]') FROM memory_mention n WHERE n.memory_id = m.id AND n.tenant_id = $1 AND n.gone IS NULL),
	'history', (SELECT coalesce(json_agg(` + history + ` ORDER BY h.id), '[]') FROM memory_history h WHERE h.memory_id = m.id AND h.tenant_id = $1)), NULL
	FROM ` + theirScopes + `
	CROSS JOIN LATERAL (SELECT * FROM memory WHERE scope_id = s.id AND tenant_id = $1 ORDER BY created_at, id OFFSET 0) m`

// theirScopes are the identities of the person, one for each app.
const theirScopes = `(SELECT id, app_id FROM memory_scope WHERE tenant_id = $1 AND user_id = $2 ORDER BY id OFFSET 0) s`

// deletedMemories are those of which only what happened to them is left.
var deletedMemories = `SELECT json_build_object('type', 'deleted_memory', 'id', h.memory_id, 'app_id', nullif(s.app_id, ''), 'history', h.history), NULL
	FROM ` + theirScopes + `
	CROSS JOIN LATERAL (SELECT h.memory_id, json_agg(` + history + ` ORDER BY h.id) AS history FROM memory_history h
		WHERE h.scope_id = s.id AND h.tenant_id = $1 AND NOT EXISTS (SELECT FROM memory m WHERE m.id = h.memory_id AND m.tenant_id = $1)
		GROUP BY h.memory_id OFFSET 0) h`

// goneStatements are those that are not remembered and still bear on others.
var goneStatements = `SELECT json_build_object('type', 'statement', 'app_id', nullif(s.app_id, ''), 'memory_id', n.memory_id, 'gone', n.gone, 'statement', ` + statement + `), NULL
	FROM ` + theirScopes + `
	CROSS JOIN LATERAL (SELECT * FROM memory_mention WHERE scope_id = s.id AND gone IS NOT NULL AND tenant_id = $1 OFFSET 0) n`

var forgotten = `SELECT json_build_object('type', 'forgotten', 'app_id', nullif(s.app_id, ''), 'message_id', f.message_id, 'part', f.part, 'sources', f.sources, 'said_at', ` + utc("f.said_at") + `,
	'session_id', f.session_id, 'position', f.position, 'actor_id', nullif(f.actor_id, ''), 'role', f.role, 'hash', f.hash, 'slot', f.slot, 'subject', f.subject,
	'value', f.value, 'negated', f.negated, 'slip', f.slip, 'memories', f.memories), NULL
	FROM ` + theirScopes + `
	CROSS JOIN LATERAL (SELECT * FROM memory_forgotten WHERE scope_id = s.id AND tenant_id = $1 OFFSET 0) f`

var retained = `SELECT json_build_object('type', 'retained', 'app_id', nullif(s.app_id, ''), 'hash', r.hash, 'message_id', r.message_id, 'at', ` + utc("r.at") + `), NULL
	FROM ` + theirScopes + `
	CROSS JOIN LATERAL (SELECT * FROM memory_retained WHERE scope_id = s.id AND tenant_id = $1 OFFSET 0) r`

var overruled = `SELECT json_build_object('type', 'overruled', 'message_id', o.message_id, 'hash', o.hash, 'slot', o.slot, 'alone', o.alone, 'terms', o.terms, 'at', ` + utc("o.at") + `), NULL
	FROM (SELECT id FROM conversation_context WHERE tenant_id = $1 AND user_id = $2 ORDER BY id OFFSET 0) c
	CROSS JOIN LATERAL (SELECT * FROM memory_overruled WHERE message_id = c.id AND tenant_id = $1 OFFSET 0) o`

// origins are of memories that came from elsewhere, also of those that are gone.
var origins = `SELECT json_build_object('type', 'origin', 'app_id', nullif(s.app_id, ''), 'source_id', o.origin, 'memory_id', o.memory_id), NULL
	FROM ` + theirScopes + `
	CROSS JOIN LATERAL (SELECT * FROM memory_origin WHERE scope_id = s.id AND tenant_id = $1 ORDER BY origin, memory_id OFFSET 0) o`
