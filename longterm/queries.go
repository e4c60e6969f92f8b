package longterm

// Statements with a fixed text. Those of a search are put together in search.go and
// statement.go.

// shareTenant waits until nobody has the tenant whole, lockScopes for each identity's
// lock; lockTenant waits for the tenant whole. The locks end with the transaction.
const shareTenant = `SELECT pg_advisory_xact_lock_shared($1)`

const lockScopes = `SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) AS k`

const lockTenant = `SELECT pg_advisory_xact_lock($1)`

const scopeInsert = `
	INSERT INTO memory_scope (tenant_id, key, app_id, user_id, agent_id, run_id)
	SELECT $1, * FROM unnest($2::bytea[], $3::text[], $4::text[], $5::text[], $6::text[])
	ON CONFLICT (tenant_id, key) DO NOTHING`

const scopeSelect = `
	SELECT k.n - 1, s.id FROM unnest($2::bytea[]) WITH ORDINALITY AS k (key, n)
	  JOIN memory_scope s ON s.tenant_id = $1 AND s.key = k.key`

// sessionSelect finds the sessions of messages, and whether their ids are runs: those
// that memd made up for messages that were given to be remembered are not.
const sessionSelect = `
	SELECT s.no, s.user_id, s.session_id, ` + isRun + `
	  FROM unnest($2::text[], $3::text[]) AS k (user_id, session_id)
	 CROSS JOIN LATERAL (SELECT * FROM conversation_session s
	        WHERE s.tenant_id = $1 AND s.user_id = k.user_id AND s.session_id = k.session_id OFFSET 0) s`

const isRun = `s.kind <> 'direct'`

// sourceColumns are what the log knows of a source c in session s. What is dated later than it
// came was said when it came.
const sourceColumns = `c.id, least(c.created_at, c.received_at), c.session_no, c.session_id, c.position, c.role, c.agent_id, c.metadata, c.learn_as, ` + isRun

const messageSelect = `
	SELECT ` + sourceColumns + `
	  FROM unnest($2::bigint[]) AS k (id)
	 CROSS JOIN LATERAL (SELECT * FROM conversation_context c WHERE c.id = k.id AND c.tenant_id = $1 OFFSET 0) c
	 CROSS JOIN LATERAL (SELECT * FROM conversation_session s WHERE s.no = c.session_no AND s.tenant_id = $1 OFFSET 0) s`

// concernedIDs gives the memories that were learned in one of the normal forms $2, $3 of an
// identity, about one of its slots $4, $5, or have one of the ids $6.
const concernedIDs = `
	SELECT m.id FROM unnest($2::bytea[], $3::text[]) AS k (key, hash)
	 CROSS JOIN LATERAL (SELECT id FROM memory_scope s WHERE s.tenant_id = $1 AND s.key = k.key OFFSET 0) s
	 CROSS JOIN LATERAL (SELECT id FROM memory m WHERE m.scope_id = s.id AND m.hash = k.hash AND m.tenant_id = $1 AND NOT m.verbatim OFFSET 0) m
	UNION
	SELECT m.id FROM unnest($4::bytea[], $5::text[]) AS k (key, slot)
	 CROSS JOIN LATERAL (SELECT id FROM memory_scope s WHERE s.tenant_id = $1 AND s.key = k.key OFFSET 0) s
	 CROSS JOIN LATERAL (SELECT id FROM memory m WHERE m.scope_id = s.id AND m.slot = k.slot AND m.slot IS NOT NULL AND m.tenant_id = $1 OFFSET 0) m
	UNION
	SELECT k.id FROM unnest($6::uuid[]) AS k (id)`

// concernedSelect gives these memories, concernedMentions what they were learned from.
const concernedSelect = `
	SELECT ` + heldColumns + `, coalesce(m.expires_at <= now(), false)
	  FROM (` + concernedIDs + `) k
	 CROSS JOIN LATERAL (SELECT * FROM memory m WHERE m.id = k.id AND m.tenant_id = $1 AND NOT m.verbatim OFFSET 0) m`

const concernedMentions = `
	SELECT ` + mentionColumns + `
	  FROM (` + concernedIDs + `) k
	 CROSS JOIN LATERAL (SELECT * FROM memory_mention n WHERE n.memory_id = k.id AND n.tenant_id = $1 AND n.gone IS NULL OFFSET 0) n`

// goneSelect gives what is not remembered of normal forms $2, $3 and slots $4, $5.
const goneSelect = `
	SELECT ` + mentionColumns + `
	  FROM (
	SELECT n.* FROM unnest($2::bytea[], $3::text[]) AS k (key, hash)
	 CROSS JOIN LATERAL (SELECT id FROM memory_scope s WHERE s.tenant_id = $1 AND s.key = k.key OFFSET 0) s
	 CROSS JOIN LATERAL (SELECT * FROM memory_mention n WHERE n.scope_id = s.id AND n.hash = k.hash AND n.gone IS NOT NULL AND n.tenant_id = $1 OFFSET 0) n
	UNION ALL
	SELECT n.* FROM unnest($4::bytea[], $5::text[]) AS k (key, slot)
	 CROSS JOIN LATERAL (SELECT id FROM memory_scope s WHERE s.tenant_id = $1 AND s.key = k.key OFFSET 0) s
	 CROSS JOIN LATERAL (SELECT * FROM memory_mention n WHERE n.scope_id = s.id AND n.slot = k.slot AND n.slot IS NOT NULL AND n.gone IS NOT NULL AND n.tenant_id = $1 OFFSET 0) n) n`

// retainedSelect gives what messages end or take away no more.
const retainedSelect = `
	SELECT s.id, r.hash, r.message_id FROM unnest($2::bytea[], $3::text[]) AS k (key, hash)
	 CROSS JOIN LATERAL (SELECT id FROM memory_scope s WHERE s.tenant_id = $1 AND s.key = k.key OFFSET 0) s
	 CROSS JOIN LATERAL (SELECT hash, message_id FROM memory_retained r WHERE r.scope_id = s.id AND r.hash = k.hash AND r.tenant_id = $1 OFFSET 0) r`

// requestSelect gives what was asked to be forgotten within identities.
const requestSelect = `
	SELECT r.scope_id, r.actor_id, r.role, r.sources, r.said_at, r.session_id, r.position, r.part,
	       r.hash, coalesce(r.slot, ''), r.subject, r.value, r.negated, r.slip
	  FROM unnest($2::bytea[]) AS k (key)
	 CROSS JOIN LATERAL (SELECT id FROM memory_scope s WHERE s.tenant_id = $1 AND s.key = k.key OFFSET 0) s
	 CROSS JOIN LATERAL (SELECT * FROM memory_forgotten r WHERE r.scope_id = s.id AND r.tenant_id = $1 OFFSET 0) r`

// namedSelect gives what may be about somebody: what was learned and holds one of the terms
// $3, or has a slot of anybody but the speaker of the identities $5, as far as it began to
// hold before a time.
const namedSelect = `
	SELECT m.id, m.scope_id, m.memory, m.subject
	  FROM unnest($2::bytea[], $3::int[], $4::timestamptz[]) AS k (key, term, before)
	 CROSS JOIN LATERAL (SELECT id FROM memory_scope s WHERE s.tenant_id = $1 AND s.key = k.key OFFSET 0) s
	 CROSS JOIN LATERAL (SELECT memory_id FROM memory_posting p WHERE p.scope_id = s.id AND p.term = k.term AND p.tenant_id = $1 OFFSET 0) p
	 CROSS JOIN LATERAL (SELECT * FROM memory m WHERE m.id = p.memory_id AND m.valid_from <= k.before AND NOT m.verbatim AND m.tenant_id = $1 OFFSET 0) m
	UNION ALL
	SELECT m.id, m.scope_id, m.memory, m.subject
	  FROM unnest($5::bytea[], $6::timestamptz[]) AS k (key, before)
	 CROSS JOIN LATERAL (SELECT id FROM memory_scope s WHERE s.tenant_id = $1 AND s.key = k.key OFFSET 0) s
	 CROSS JOIN LATERAL (SELECT * FROM memory m
	        WHERE m.scope_id = s.id AND m.slot IS NOT NULL AND m.subject <> '' AND m.valid_from <= k.before AND m.tenant_id = $1 OFFSET 0) m`

// statedBefore gives all that was learned of identities and began to hold before a time.
const statedBefore = `
	SELECT m.id, m.scope_id, m.memory, m.subject
	  FROM unnest($2::bytea[], $3::timestamptz[]) AS k (key, before)
	 CROSS JOIN LATERAL (SELECT id FROM memory_scope s WHERE s.tenant_id = $1 AND s.key = k.key OFFSET 0) s
	 CROSS JOIN LATERAL (SELECT * FROM memory m WHERE m.scope_id = s.id AND m.valid_from <= k.before AND NOT m.verbatim AND m.tenant_id = $1 OFFSET 0) m`

// goneBefore gives all that is not remembered of what was said before a time.
const goneBefore = `
	SELECT ` + mentionColumns + `
	  FROM unnest($2::bytea[], $3::timestamptz[]) AS k (key, before)
	 CROSS JOIN LATERAL (SELECT id FROM memory_scope s WHERE s.tenant_id = $1 AND s.key = k.key OFFSET 0) s
	 CROSS JOIN LATERAL (SELECT * FROM memory_mention n WHERE n.scope_id = s.id AND n.gone IS NOT NULL AND n.said_at <= k.before AND n.tenant_id = $1 OFFSET 0) n`

const mentionInsert = `
	INSERT INTO memory_mention (tenant_id, memory_id, message_id, part, scope_id, actor_id, role, sources, said_at, session_id, position,
	       memory, hash, slot, subject, value, negated, occurred_at, categories, extractor, gone)
	SELECT $1, memory_id, message_id, part, scope_id, actor_id, role, sources::bigint[], said_at, session_id, position,
	       memory, hash, slot, subject, value, negated, occurred_at, categories::text[], extractor, gone
	  FROM unnest($2::uuid[], $3::bigint[], $4::int[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::timestamptz[], $10::text[], $11::int[],
	       $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::bool[], $18::timestamptz[], $19::text[], $20::text[], $21::text[])
	    AS r (memory_id, message_id, part, scope_id, actor_id, role, sources, said_at, session_id, position,
	       memory, hash, slot, subject, value, negated, occurred_at, categories, extractor, gone)
	ON CONFLICT DO NOTHING`

const mentionDelete = `
	DELETE FROM memory_mention n
	 WHERE n.tenant_id = $1 AND n.memory_id = ANY ($2::uuid[])
	   AND EXISTS (SELECT FROM unnest($2::uuid[], $3::bigint[], $4::int[]) AS r (memory_id, message_id, part)
	         WHERE r.memory_id = n.memory_id AND r.message_id = n.message_id AND r.part = n.part OFFSET 0)`

// mentionsDeleted has all that memories were learned from remembered no more.
const mentionsDeleted = `UPDATE memory_mention SET gone = 'deleted' WHERE tenant_id = $1 AND memory_id = ANY ($2::uuid[]) AND gone IS NULL`

// mentionDeleteOf takes away all that memories were learned from.
const mentionDeleteOf = `DELETE FROM memory_mention WHERE tenant_id = $1 AND memory_id = ANY ($2::uuid[])`

// goneOfMessages gives what is not remembered of what messages state.
const goneOfMessages = `
	SELECT ` + mentionColumns + `
	  FROM unnest($2::bytea[]) AS k (key)
	 CROSS JOIN LATERAL (SELECT id FROM memory_scope s WHERE s.tenant_id = $1 AND s.key = k.key OFFSET 0) sc
	 CROSS JOIN LATERAL (SELECT * FROM memory_mention n WHERE n.scope_id = sc.id AND n.gone IS NOT NULL AND n.sources && $3::bigint[] AND n.tenant_id = $1 OFFSET 0) n`

const requestInsert = `
	INSERT INTO memory_forgotten AS o (tenant_id, message_id, part, scope_id, actor_id, role, sources, said_at, session_id, position, hash, slot, subject, value, memories, negated, slip)
	SELECT $1, message_id, part, scope_id, actor_id, role, sources::bigint[], said_at, session_id, position, hash, slot, subject, value, memories::uuid[], negated, slip
	  FROM unnest($2::bigint[], $3::int[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::timestamptz[], $9::text[], $10::int[], $11::text[],
	       $12::text[], $13::text[], $14::text[], $15::text[], $16::bool[], $17::bool[])
	    AS r (message_id, part, scope_id, actor_id, role, sources, said_at, session_id, position, hash, slot, subject, value, memories, negated, slip)
	ON CONFLICT (message_id, part, role, actor_id) DO UPDATE SET memories = o.memories || excluded.memories, sources = excluded.sources`

const requestDelete = `
	DELETE FROM memory_forgotten o
	 WHERE o.tenant_id = $1 AND o.message_id = ANY ($2::bigint[])
	   AND EXISTS (SELECT FROM unnest($2::bigint[], $3::int[], $4::text[], $5::text[]) AS r (message_id, part, role, actor_id)
	         WHERE r.message_id = o.message_id AND r.part = o.part AND r.role = o.role AND r.actor_id = o.actor_id OFFSET 0)`

const retainedInsert = `
	INSERT INTO memory_retained (tenant_id, scope_id, hash, message_id)
	SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bigint[])
	ON CONFLICT DO NOTHING`

// verbatimSelect gives the live verbatim memories of the same texts.
const verbatimSelect = `
	SELECT ` + twinColumns + `
	  FROM unnest($2::bytea[], $3::text[]) AS k (key, hash)` + ofIdentities + `
	 CROSS JOIN LATERAL (SELECT * FROM memory m
	        WHERE m.scope_id = s.id AND m.hash = k.hash AND m.tenant_id = $1 AND m.verbatim AND m.valid_to IS NULL
	          AND (m.expires_at IS NULL OR m.expires_at > now()) OFFSET 0) m
	 ORDER BY m.created_at, m.id`

// Lists within a row come as array literals: unnest would flatten an array of arrays.
const memoryInsert = `
	INSERT INTO memory (tenant_id, id, scope_id, app_id, user_id, agent_ids, run_ids, actor_id, role, scope, memory_type,
	       categories, metadata, memory, hash, verbatim, slot, negated, extractor, valid_from, occurred_at, expires_at, valid_to, superseded_by, subject, value)
	SELECT $1, id, scope_id, app_id, user_id, agent_ids::text[], run_ids::text[], actor_id, role, scope, memory_type,
	       categories::text[], metadata, memory, hash, verbatim, slot, negated, extractor, valid_from, occurred_at, expires_at, valid_to, superseded_by, subject, value
	  FROM unnest($2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
	       $11::text[], $12::text[], $13::jsonb[], $14::text[], $15::text[], $16::bool[], $17::text[], $18::bool[], $19::text[],
	       $20::timestamptz[], $21::timestamptz[], $22::timestamptz[], $23::timestamptz[], $24::uuid[], $25::text[], $26::text[])
	    AS r (id, scope_id, app_id, user_id, agent_ids, run_ids, actor_id, role, scope, memory_type, categories, metadata, memory,
	       hash, verbatim, slot, negated, extractor, valid_from, occurred_at, expires_at, valid_to, superseded_by, subject, value)`

// memoryUpdate writes what memories take from what they are learned from. Here and below,
// where rows meet a list, the list also stands in a condition of its own: a plan that was
// made while the table was empty could otherwise join the two by reading all of the table.
const memoryUpdate = `
	UPDATE memory m
	   SET agent_ids = r.agent_ids::text[], run_ids = r.run_ids::text[], metadata = r.metadata, scope = r.scope, memory_type = r.memory_type,
	       categories = r.categories::text[], valid_from = r.valid_from, occurred_at = r.occurred_at, expires_at = r.expires_at,
	       memory = r.memory, slot = r.slot, negated = r.negated, extractor = r.extractor, valid_to = r.valid_to, superseded_by = r.superseded_by,
	       subject = r.subject, value = r.value, hash = r.hash, updated_at = now()
	  FROM unnest($2::uuid[], $3::text[], $4::text[], $5::jsonb[], $6::text[], $7::text[], $8::text[], $9::timestamptz[], $10::timestamptz[], $11::timestamptz[],
	       $12::text[], $13::text[], $14::bool[], $15::text[], $16::timestamptz[], $17::uuid[], $18::text[], $19::text[], $20::text[])
	    AS r (id, agent_ids, run_ids, metadata, scope, memory_type, categories, valid_from, occurred_at, expires_at,
	       memory, slot, negated, extractor, valid_to, superseded_by, subject, value, hash)
	 WHERE m.id = r.id AND m.tenant_id = $1 AND m.id = ANY ($2::uuid[])`

const sourceInsert = `
	INSERT INTO memory_source (tenant_id, memory_id, message_id, session_no, position)
	SELECT $1, * FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::int[])
	ON CONFLICT DO NOTHING`

const provenanceInsert = `
	INSERT INTO memory_provenance (tenant_id, kind, value, memory_id)
	SELECT $1, * FROM unnest($2::text[], $3::text[], $4::uuid[])
	ON CONFLICT DO NOTHING`

const embeddingInsert = `
	INSERT INTO memory_embedding (tenant_id, model, memory_id, scope_id, embedding, live)
	SELECT $1, $2, * FROM unnest($3::uuid[], $4::bigint[], $5::halfvec[], $6::bool[])
	ON CONFLICT (scope_id, model, memory_id) DO UPDATE SET embedding = excluded.embedding, live = excluded.live`

const embeddingOpenInsert = `
	INSERT INTO embedding_open (tenant_id, memory_id)
	SELECT $1, * FROM unnest($2::uuid[])
	ON CONFLICT (memory_id) DO UPDATE SET attempts = 0, next_attempt_at = now()`

// memoryPostingInsert indexes new memories and counts them; $7 to $9 are the sums for
// each scope.
const memoryPostingInsert = `
	WITH counted AS (
	  UPDATE memory_scope s SET memories = s.memories + n.memories, memory_terms = s.memory_terms + n.terms
	    FROM unnest($7::bigint[], $8::int[], $9::bigint[]) AS n (id, memories, terms)
	   WHERE s.id = n.id AND s.tenant_id = $1 AND s.id = ANY ($7::bigint[]))
	INSERT INTO memory_posting (tenant_id, scope_id, term, memory_id, tf, length)
	SELECT $1, * FROM unnest($2::bigint[], $3::int[], $4::uuid[], $5::smallint[], $6::smallint[])`

// messagePostingInsert indexes messages, once each: what is there already is neither
// written nor counted again. Each message has one posting of the term $8.
const messagePostingInsert = `
	WITH added AS (
	  INSERT INTO message_posting (tenant_id, scope_id, term, session_no, position, tf, length)
	  SELECT $1, * FROM unnest($2::bigint[], $3::int[], $4::bigint[], $5::int[], $6::smallint[], $7::smallint[])
	  ON CONFLICT DO NOTHING
	  RETURNING scope_id, term, length)
	UPDATE memory_scope s SET messages = s.messages + n.messages, message_terms = s.message_terms + n.terms
	  FROM (SELECT scope_id, count(*) AS messages, sum(length) AS terms FROM added WHERE term = $8 GROUP BY scope_id) n
	 WHERE s.id = n.scope_id AND s.tenant_id = $1`

// historyInsert writes what happened to memories; where undoable it keeps all there is of
// one that goes. Its time is that of writing, which others of the same identity wait for: that
// of the transaction may lie before what others wrote meanwhile.
const historyInsert = `
	INSERT INTO memory_history (tenant_id, memory_id, scope_id, event, previous_memory, memory, hash, reason, by, message_ids, at, before)
	SELECT $1, memory_id, scope_id, event, previous_memory, memory, hash, reason, by, message_ids::bigint[], clock_timestamp(),
	       CASE WHEN undoable THEN (SELECT jsonb_build_object('memory', to_jsonb(m), 'mentions', ARRAY(SELECT to_jsonb(n) FROM memory_mention n
	              WHERE n.memory_id = r.memory_id AND n.gone IS NULL AND n.tenant_id = $1)) FROM memory m WHERE m.id = r.memory_id AND m.tenant_id = $1)
	            ELSE before END
	  FROM unnest($2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::jsonb[], $12::bool[])
	    AS r (memory_id, scope_id, event, previous_memory, memory, hash, reason, by, message_ids, before, undoable)`

const memoriesOfSelect = `
	SELECT message_id, memory_id, (SELECT true FROM embedding_open o WHERE o.memory_id = s.memory_id AND o.tenant_id = $1 LIMIT 1) IS NOT NULL
	  FROM memory_source s
	 WHERE tenant_id = $1 AND message_id = ANY ($2::bigint[]) ORDER BY message_id, memory_id`

// eventsOfSelect gives what happened because of messages: to the memories they state, to
// those which these took the place of, and to those which they asked to be forgotten.
const eventsOfSelect = `
	WITH stated AS MATERIALIZED (SELECT DISTINCT memory_id AS id FROM memory_source WHERE tenant_id = $1 AND message_id = ANY ($2::bigint[]))
	SELECT h.memory_id, h.event, h.memory, h.previous_memory, (SELECT true FROM embedding_open o WHERE o.memory_id = h.memory_id AND o.tenant_id = $1 LIMIT 1) IS NOT NULL
	  FROM (SELECT id FROM stated
	        UNION
	        SELECT m.id FROM stated s CROSS JOIN LATERAL (SELECT id FROM memory m
	                WHERE m.superseded_by = s.id AND m.superseded_by IS NOT NULL AND m.tenant_id = $1 OFFSET 0) m
	        UNION
	        SELECT f.id FROM unnest($2::bigint[]) AS k (id)
	         CROSS JOIN LATERAL (SELECT unnest(memories) AS id FROM memory_forgotten f WHERE f.message_id = k.id AND f.tenant_id = $1 OFFSET 0) f) s
	 CROSS JOIN LATERAL (SELECT * FROM memory_history h
	        WHERE h.memory_id = s.id AND h.tenant_id = $1 AND h.message_ids && $2::bigint[] OFFSET 0) h
	 ORDER BY h.id`

const memorySelect = `
	SELECT ` + memoryColumns + `, ` + sourcesColumn + `
	  FROM memory m WHERE m.id = $2 AND m.tenant_id = $1` + permitted

// permitted holds a memory m to the ids of a permission check, $3 and $4; ” asks for nothing.
const permitted = ` AND ($3 = '' OR m.user_id = $3) AND ($4 = '' OR $4 = ANY (m.agent_ids))`

// permittedSelect holds the history of a memory to a permission check. Of one that is gone
// only its identity is known.
const permittedSelect = `
	SELECT CASE WHEN EXISTS (SELECT FROM memory m WHERE m.id = $2 AND m.tenant_id = $1)
	            THEN EXISTS (SELECT FROM memory m WHERE m.id = $2 AND m.tenant_id = $1` + permitted + `)
	            ELSE EXISTS (SELECT FROM memory_history h
	                          CROSS JOIN LATERAL (SELECT * FROM memory_scope s WHERE s.id = h.scope_id AND s.tenant_id = $1 OFFSET 0) s
	                          WHERE h.memory_id = $2 AND h.tenant_id = $1 AND ($3 = '' OR s.user_id = $3)
	                            AND ($4 = '' OR s.agent_id = $4)) END`

// findSelect gives memories by id and their place in the call, each held to its own
// permission check.
const findSelect = `
	SELECT k.n - 1, ` + memoryColumns + `, ` + sourcesColumn + `
	  FROM unnest($2::uuid[], $3::text[], $4::text[]) WITH ORDINALITY AS k (id, user_id, agent_id, n)
	 CROSS JOIN LATERAL (SELECT * FROM memory m
	        WHERE m.id = k.id AND m.tenant_id = $1 AND (k.user_id = '' OR m.user_id = k.user_id)
	          AND (k.agent_id = '' OR k.agent_id = ANY (m.agent_ids)) OFFSET 0) m`

// heldKeys gives the identities of memories.
const heldKeys = `
	SELECT DISTINCT s.key FROM unnest($2::uuid[]) AS k (id)
	 CROSS JOIN LATERAL (SELECT scope_id FROM memory m WHERE m.id = k.id AND m.tenant_id = $1 OFFSET 0) m
	 CROSS JOIN LATERAL (SELECT key FROM memory_scope s WHERE s.id = m.scope_id AND s.tenant_id = $1 OFFSET 0) s`

// scopeColumns are those of an identity s that scanScopes reads.
const scopeColumns = `s.id, s.key, s.app_id, s.user_id`

const scopeRowSelect = `
	SELECT ` + scopeColumns + ` FROM unnest($2::bigint[]) AS k (id)
	 CROSS JOIN LATERAL (SELECT * FROM memory_scope s WHERE s.id = k.id AND s.tenant_id = $1 OFFSET 0) s`

// historyScope gives the identity of a memory that may be gone.
const historyScope = `
	SELECT ` + scopeColumns + `
	  FROM (SELECT scope_id FROM memory_history WHERE memory_id = $2 AND tenant_id = $1 ORDER BY id LIMIT 1) h
	 CROSS JOIN LATERAL (SELECT * FROM memory_scope s WHERE s.id = h.scope_id AND s.tenant_id = $1 OFFSET 0) s`

// undoableSelect gives what can be undone of a memory, the last first.
const undoableSelect = `
	SELECT id, reason, message_ids, before FROM memory_history
	 WHERE tenant_id = $1 AND memory_id = $2 AND before IS NOT NULL ORDER BY id DESC`

const undoneUpdate = `UPDATE memory_history SET before = NULL WHERE tenant_id = $1 AND id = $2`

// endingUndone notes that the last time when others took the place of memories is undone.
const endingUndone = `
	UPDATE memory_history SET before = NULL WHERE tenant_id = $1 AND id = ANY (ARRAY (
		SELECT h.id FROM unnest($2::uuid[]) AS k (id)
		 CROSS JOIN LATERAL (SELECT id FROM memory_history h WHERE h.memory_id = k.id AND h.before ? 'superseded' AND h.tenant_id = $1 ORDER BY h.id DESC LIMIT 1) h))`

// mentionRestore has those of the mentions $3 remembered again, as they were, that are still made.
const mentionRestore = `
	UPDATE memory_mention n SET gone = NULL, memory = r.memory, hash = r.hash, slot = r.slot, subject = r.subject, value = r.value, negated = r.negated
	  FROM jsonb_to_recordset($3::jsonb) AS r (message_id bigint, part int, memory text, hash text, slot text, subject text, value text, negated boolean)
	 WHERE n.memory_id = $2 AND n.message_id = r.message_id AND n.part = r.part AND n.gone IS NOT NULL AND n.tenant_id = $1`

const memoryRestore = `
	INSERT INTO memory SELECT (jsonb_populate_record(NULL::memory, $2::jsonb)).* FROM (SELECT $1::text) t (tenant_id)`

const sourceRestore = `
	INSERT INTO memory_source (memory_id, message_id, tenant_id, session_no, position)
	SELECT $2, c.id, $1, c.session_no, c.position
	  FROM (SELECT DISTINCT unnest(sources) AS id FROM memory_mention WHERE memory_id = $2 AND gone IS NULL AND tenant_id = $1) k
	 CROSS JOIN LATERAL (SELECT * FROM conversation_context c WHERE c.id = k.id AND c.tenant_id = $1 OFFSET 0) c
	ON CONFLICT DO NOTHING`

const provenanceRestore = `
	INSERT INTO memory_provenance (tenant_id, kind, value, memory_id)
	SELECT $1, 'agent', unnest(agent_ids), id FROM memory WHERE id = $2 AND tenant_id = $1
	UNION ALL
	SELECT $1, 'run', unnest(run_ids), id FROM memory WHERE id = $2 AND tenant_id = $1
	ON CONFLICT DO NOTHING`

// overruledBack has messages bring a statement about again.
const overruledBack = `DELETE FROM memory_overruled WHERE tenant_id = $1 AND message_id = ANY ($2::bigint[]) AND hash = ANY ($3::text[])`

const heldSelect = `
	SELECT ` + heldColumns + `, ` + sourcesColumn + `
	  FROM unnest($2::uuid[]) AS k (id)
	 CROSS JOIN LATERAL (SELECT * FROM memory m WHERE m.id = k.id AND m.tenant_id = $1 OFFSET 0) m`

const heldSources = `
	SELECT k.id, ` + sourceColumns + `
	  FROM unnest($2::uuid[]) AS k (id)
	 CROSS JOIN LATERAL (SELECT message_id FROM memory_source x WHERE x.memory_id = k.id AND x.tenant_id = $1 OFFSET 0) x
	 CROSS JOIN LATERAL (SELECT * FROM conversation_context c WHERE c.id = x.message_id AND c.tenant_id = $1 OFFSET 0) c
	 CROSS JOIN LATERAL (SELECT * FROM conversation_session s WHERE s.no = c.session_no AND s.tenant_id = $1 OFFSET 0) s`

// messageHolders gives the memories that messages state, with their identities.
const messageHolders = `
	SELECT DISTINCT m.id, m.scope_id, s.key FROM unnest($2::bigint[]) AS k (id)
	 CROSS JOIN LATERAL (SELECT memory_id FROM memory_source x WHERE x.message_id = k.id AND x.tenant_id = $1 OFFSET 0) x
	 CROSS JOIN LATERAL (SELECT id, scope_id FROM memory m WHERE m.id = x.memory_id AND m.tenant_id = $1 OFFSET 0) m
	 CROSS JOIN LATERAL (SELECT key FROM memory_scope s WHERE s.id = m.scope_id AND s.tenant_id = $1 OFFSET 0) s`

// withdrawnSelect gives of messages what they were indexed by.
const withdrawnSelect = `
	SELECT c.user_id, coalesce(c.agent_id, ''), coalesce(c.app_id, ''), c.session_id, c.session_no, c.position, coalesce(c.actor_id, ''), c.message
	  FROM unnest($2::bigint[]) AS k (id)
	 CROSS JOIN LATERAL (SELECT * FROM conversation_context c WHERE c.id = k.id AND c.tenant_id = $1 OFFSET 0) c`

// memoryEdit writes what a person may change.
const memoryEdit = `
	UPDATE memory m
	   SET memory = r.memory, hash = r.hash, metadata = r.metadata, categories = r.categories::text[], expires_at = r.expires_at,
	       pinned = r.pinned, edited = r.edited::text[], slot = r.slot, subject = r.subject, value = r.value, negated = r.negated, updated_at = now()
	  FROM unnest($2::uuid[], $3::text[], $4::text[], $5::jsonb[], $6::text[], $7::timestamptz[], $8::bool[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bool[])
	    AS r (id, memory, hash, metadata, categories, expires_at, pinned, edited, slot, subject, value, negated)
	 WHERE m.id = r.id AND m.tenant_id = $1 AND m.id = ANY ($2::uuid[])`

// overruledSelect gives what messages no longer bring about. What has expired and is not
// swept yet is among it.
const overruledSelect = `
	SELECT o.message_id, o.hash, coalesce(o.slot, ''), o.alone, o.terms FROM unnest($2::bigint[]) AS k (id)
	 CROSS JOIN LATERAL (SELECT * FROM memory_overruled o WHERE o.message_id = k.id AND o.tenant_id = $1 OFFSET 0) o
	UNION ALL
	SELECT k.id, m.hash, '', false, '{}' FROM unnest($2::bigint[]) AS k (id)
	 CROSS JOIN LATERAL (SELECT memory_id FROM memory_source x WHERE x.message_id = k.id AND x.tenant_id = $1 OFFSET 0) x
	 CROSS JOIN LATERAL (SELECT hash FROM memory m WHERE m.id = x.memory_id AND m.tenant_id = $1 AND m.expires_at <= now() OFFSET 0) m`

const overruledInsert = `
	INSERT INTO memory_overruled AS o (tenant_id, message_id, hash, slot, alone, terms)
	SELECT $1, message_id, hash, slot, alone, terms::int[]
	  FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bool[], $6::text[]) AS r (message_id, hash, slot, alone, terms)
	ON CONFLICT (message_id, hash) DO UPDATE SET slot = coalesce(o.slot, excluded.slot), alone = o.alone OR excluded.alone, terms = excluded.terms`

// embeddingLive says of vectors whether their memories hold.
const embeddingLive = `
	UPDATE memory_embedding SET live = $4 WHERE tenant_id = $1 AND scope_id = ANY ($2::bigint[]) AND memory_id = ANY ($3::uuid[])`

const sourceDelete = `
	DELETE FROM memory_source x
	 WHERE x.tenant_id = $1 AND x.memory_id = ANY ($2::uuid[]) AND x.message_id = ANY ($3::bigint[])
	   AND EXISTS (SELECT FROM unnest($2::uuid[], $3::bigint[]) AS r (memory_id, message_id) WHERE r.memory_id = x.memory_id AND r.message_id = x.message_id OFFSET 0)`

const provenanceDelete = `DELETE FROM memory_provenance WHERE tenant_id = $1 AND memory_id = ANY ($2::uuid[])`

// messagePostingDelete takes messages of one session out of the index and out of the sums;
// $6 is the term that each has once.
const messagePostingDelete = `
	WITH gone AS (
	  DELETE FROM message_posting
	   WHERE tenant_id = $1 AND scope_id = $2 AND term = ANY ($3::int[]) AND session_no = $4 AND position = ANY ($5::int[])
	  RETURNING term, length)
	UPDATE memory_scope SET messages = messages - n.documents, message_terms = message_terms - n.terms
	  FROM (SELECT count(*) AS documents, coalesce(sum(length), 0) AS terms FROM gone WHERE term = $6) n
	 WHERE id = $2 AND tenant_id = $1`

const expiredDue = `SELECT tenant_id, memory_id FROM memd_expired($1)`

const expiredSelect = `SELECT id FROM memory WHERE tenant_id = $1 AND id = ANY ($2::uuid[]) AND expires_at <= now()`

// liveByUser counts what of each user is found.
const liveByUser = `
	SELECT s.user_id, sum(m.n)::int FROM unnest($2::text[]) AS k (user_id)
	 CROSS JOIN LATERAL (SELECT id, user_id FROM memory_scope s WHERE s.tenant_id = $1 AND s.user_id = k.user_id OFFSET 0) s
	 CROSS JOIN LATERAL (SELECT count(*) AS n FROM memory m
	        WHERE m.scope_id = s.id AND m.tenant_id = $1 AND m.valid_to IS NULL AND (m.expires_at IS NULL OR m.expires_at > now())) m
	 GROUP BY s.user_id`

// postingDelete takes one memory out of the index, postingUncount memories out of the sums.
const postingDelete = `DELETE FROM memory_posting WHERE tenant_id = $1 AND scope_id = $2 AND term = ANY ($3::int[]) AND memory_id = $4`

const postingUncount = `
	UPDATE memory_scope s SET memories = s.memories - n.memories, memory_terms = s.memory_terms - n.terms
	  FROM unnest($2::bigint[], $3::int[], $4::bigint[]) AS n (id, memories, terms)
	 WHERE s.id = n.id AND s.tenant_id = $1 AND s.id = ANY ($2::bigint[])`

const embeddingDelete = `DELETE FROM memory_embedding WHERE tenant_id = $1 AND scope_id = ANY ($2::bigint[]) AND memory_id = ANY ($3::uuid[])`

const memoryDelete = `DELETE FROM memory WHERE tenant_id = $1 AND id = ANY ($2::uuid[])`

const historySelect = `
	SELECT event, previous_memory, memory, reason, at, by FROM memory_history
	 WHERE tenant_id = $1 AND memory_id = $2 ORDER BY id`

const embeddingDue = `SELECT tenant_id, memory_id FROM memd_embedding_due($1)`

const unembeddedSelect = `
	SELECT m.id, m.scope_id, coalesce(m.actor_id, ''), m.memory
	  FROM memory m WHERE m.tenant_id = $1 AND m.id = ANY ($2::uuid[])`

// vectorInsert stores vectors of memories that still say what was embedded.
const vectorInsert = `
	WITH current AS (
	  SELECT m.id, m.scope_id, m.valid_to IS NULL AS live, k.embedding
	    FROM unnest($3::uuid[], $4::text[], $5::halfvec[]) AS k (id, memory, embedding)
	    JOIN memory m ON m.id = k.id AND m.tenant_id = $1 AND m.memory = k.memory AND m.id = ANY ($3::uuid[])
	     FOR SHARE OF m),
	stored AS (
	  INSERT INTO memory_embedding (tenant_id, model, memory_id, scope_id, live, embedding)
	  SELECT $1, $2, id, scope_id, live, embedding FROM current
	  ON CONFLICT (scope_id, model, memory_id) DO UPDATE SET embedding = excluded.embedding, live = excluded.live)
	DELETE FROM embedding_open o USING current c WHERE o.memory_id = c.id AND o.tenant_id = $1 AND o.memory_id = ANY ($3::uuid[])`

const calibrationSelect = `SELECT calibration FROM embedding_model WHERE tenant_id = $1 AND name = $2`

const calibrationInsert = `
	INSERT INTO embedding_model (tenant_id, name, dimensions, calibration) VALUES ($1, $2, $3, $4)
	ON CONFLICT (tenant_id, name) DO NOTHING`

// storedModels looks at one vector each of the scopes that were made last.
const storedModels = `
	SELECT DISTINCT e.model, e.dimensions
	  FROM (SELECT id FROM memory_scope WHERE tenant_id = $1 ORDER BY id DESC LIMIT 50) s
	 CROSS JOIN LATERAL (SELECT model, public.vector_dims(embedding) AS dimensions FROM memory_embedding
	        WHERE tenant_id = $1 AND scope_id = s.id LIMIT 1) e`

// relatedColumns are those of a memory m that make a relation.
const relatedColumns = `m.id, coalesce(m.actor_id, ''), m.role, coalesce(m.slot, ''), m.subject, m.value, m.negated,
	m.valid_to IS NULL AND (m.expires_at IS NULL OR m.expires_at > now()), m.memory`

const relationSelect = `
	SELECT ` + relatedColumns + `
	  FROM unnest($2::uuid[]) WITH ORDINALITY AS k (id, n)
	 CROSS JOIN LATERAL (SELECT * FROM memory m WHERE m.id = k.id AND m.tenant_id = $1 OFFSET 0) m
	 ORDER BY k.n`

// relatedSelect gives what has a slot of the identity of a memory, the newest first.
const relatedSelect = `
	SELECT ` + relatedColumns + `
	  FROM (SELECT scope_id FROM memory WHERE id = $2 AND tenant_id = $1) s
	 CROSS JOIN LATERAL (SELECT * FROM memory m WHERE m.scope_id = s.scope_id AND m.slot IS NOT NULL AND m.tenant_id = $1 OFFSET 0) m
	 ORDER BY m.valid_from DESC, m.id DESC`
