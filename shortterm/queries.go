package shortterm

import "github.com/memdhq/memd/idempotency"

// setTenant begins a batch that writes: the tenant, and how long a lock is waited for.
const setTenant = `SELECT set_config('memd.tenant', $1, true), set_config('lock_timeout', $2, true)`

// What Append sends. The session's row is locked by a statement of its own, so that
// the next one sees what the writer before it committed.
const (
	// makeSession holds the person, if it makes one: whoever turns learning off for them
	// waits until it is there to be seen.
	makeSession = `INSERT INTO conversation_session (tenant_id, user_id, session_id, kind, agent_id)
		SELECT $1, $2, $3, $4, $5
		  FROM (SELECT count(*) FROM (SELECT FROM person WHERE tenant_id = $1 AND user_id = $2 FOR SHARE) p) held
		 WHERE NOT EXISTS (SELECT FROM conversation_session WHERE tenant_id = $1 AND user_id = $2 AND session_id = $3)
		ON CONFLICT (tenant_id, user_id, session_id) DO NOTHING`

	// makeSessions makes several at once, so that the people who come up with them are
	// met after the last: who makes one alone has its row first and then its person.
	makeSessions = `INSERT INTO conversation_session (tenant_id, user_id, session_id, kind, agent_id)
		SELECT $1, g.user_id, g.session_id, g.kind, g.agent_id
		  FROM (SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS g (user_id, session_id, kind, agent_id, place)
		         WHERE NOT EXISTS (SELECT FROM conversation_session s WHERE s.tenant_id = $1 AND s.user_id = g.user_id AND s.session_id = g.session_id)
		         ORDER BY g.place OFFSET 0) g
		 CROSS JOIN LATERAL (SELECT count(*) FROM (SELECT FROM person WHERE tenant_id = $1 AND user_id = g.user_id FOR SHARE) p) held
		 ORDER BY g.place
		ON CONFLICT (tenant_id, user_id, session_id) DO NOTHING`

	// lockSession holds the session and leaves its number in memd.held, by which the next
	// statement finds what to write to: by its name it could find one that was made since the
	// lock found none, and that nobody holds. It leaves alone one that nothing is written to
	// any more.
	lockSession = `SELECT max(next_session_id), set_config('memd.held', coalesce(max(no)::text, ''), true) FROM (
		SELECT no, next_session_id FROM conversation_session
		 WHERE tenant_id = $1 AND user_id = $2 AND session_id = $3 AND forwards_to IS NULL FOR NO KEY UPDATE) held`

	// heldNo is the number of the session that lockSession holds, null if it found none.
	heldNo = `nullif(current_setting('memd.held', true), '')::bigint`

	// appendGiven has no session, and so nothing is written, where none is held, where that
	// was incognito and is over, or ($17) may have reached a limit; $18 to $21 are those of
	// sessions that have none of their own.
	appendGiven = `WITH session AS (
		SELECT no, messages, learn FROM conversation_session
		 WHERE tenant_id = $1 AND no = ` + heldNo + ` AND NOT ` + isOver + `
		   AND ($17 AND closed_at IS NULL AND kind = 'chat' AND last_message_id IS NOT NULL AND (` + isAged + ` OR ` + isFull + `)) IS NOT TRUE
	), given AS (
		SELECT * FROM unnest($4::text[], $5::text[], $6::timestamptz[], $7::bool[], $8::text[], $9::text[])
		  WITH ORDINALITY AS g (role, message, created_at, learn, actor_id, client_id, place)
	)`

	// appendFresh: no client ids, so everything is new.
	appendFresh = `, fresh AS (
		SELECT given.*, place - 1 AS step FROM given
	)`

	// appendUnseen leaves out what stands in the session under its client id, or in those
	// that it landed in before, or came before in this very call; first is the place of the
	// one that stands for it. The array of those sessions stands between its halves.
	appendUnseen = `, numbered AS (
		SELECT given.*, CASE WHEN client_id IS NULL THEN place ELSE min(place) OVER (PARTITION BY client_id) END AS first FROM given
	), there AS (
		SELECT DISTINCT ON (c.client_id) c.id, c.client_id, c.role, c.created_at, c.learn, c.session_no
		  FROM session CROSS JOIN LATERAL unnest(session.no || `

	appendUnseenRest = `::bigint[]) AS k (no) JOIN conversation_context c ON c.session_no = k.no
		 WHERE c.tenant_id = $1 AND c.client_id IS NOT NULL AND c.client_id = ANY ($9::text[])
		 ORDER BY c.client_id, c.session_no = session.no DESC, c.id
	), fresh AS (
		SELECT n.*, row_number() OVER (ORDER BY place) - 1 AS step FROM numbered n
		 WHERE place = first AND NOT EXISTS (SELECT FROM there t WHERE t.client_id = n.client_id)
	)`

	appendWrite = `, written AS (
		INSERT INTO conversation_context (user_id, session_id, role, message, created_at, received_at, tenant_id, session_no,
		       position, learn, agent_id, app_id, actor_id, client_id, timezone, metadata, learn_as)
		SELECT $2, $3, f.role, f.message, coalesce(f.created_at, now()), now(), $1, s.no,
		       s.messages + f.step, f.learn AND s.learn AND ` + personLearns + `, $10, $11, f.actor_id, f.client_id, $12, $13, $16::jsonb
		  FROM session s CROSS JOIN fresh f ORDER BY f.place
		RETURNING id, position, role, created_at, learn, client_id, session_no, octet_length(message) AS bytes
	), opened AS (
		INSERT INTO ingest_open (message_id, tenant_id, session_no, priority, lot)
		SELECT id, $1, session_no, $14, hashtextextended($2, 0) FROM written WHERE learn
	), counted AS (
		UPDATE conversation_session s
		   SET messages = s.messages + w.n, last_message_id = w.last, last_message_at = w.said,
		       title = CASE WHEN NOT s.incognito THEN coalesce(s.title, $15) END, agent_id = coalesce(s.agent_id, $10),
		       turns = s.turns + w.turns, bytes = s.bytes + w.bytes, heard_at = now()
		  FROM (SELECT count(*)::int AS n, max(id) AS last, (array_agg(created_at ORDER BY id DESC))[1] AS said,
		               (count(*) FILTER (WHERE role = 'user'))::int AS turns, sum(bytes) AS bytes FROM written) w
		 WHERE s.tenant_id = $1 AND s.no = ` + heldNo + ` AND w.n > 0
	)`

	answerFresh = `, answer AS (
		SELECT position AS place, id, client_id, role, created_at, session_no, false AS duplicate,
		       CASE WHEN learn THEN 'pending' ELSE 'skipped' END AS state
		  FROM written
	)`

	answerUnseen = `, answer AS (
		SELECT n.place, coalesce(t.id, w.id) AS id, n.client_id, coalesce(t.role, w.role) AS role,
		       coalesce(t.created_at, w.created_at) AS created_at, coalesce(t.session_no, s.no) AS session_no,
		       t.id IS NOT NULL OR n.place <> n.first AS duplicate,
		       CASE WHEN NOT coalesce(t.learn, w.learn) THEN 'skipped' ELSE coalesce(o.state, e.state, 'pending') END AS state
		  FROM session s CROSS JOIN numbered n
		  LEFT JOIN there t ON t.client_id = n.client_id
		  LEFT JOIN fresh f ON f.place = n.first
		  LEFT JOIN written w ON w.position = s.messages + f.step
		  LEFT JOIN ingest_open o ON o.tenant_id = $1 AND o.message_id = t.id
		  LEFT JOIN ingest_settled e ON e.tenant_id = $1 AND e.message_id = t.id
	)`

	appendKeep = `, kept AS (
		` + idempotency.InsertAppended + `
		SELECT $1, $22, $23, array_agg(id ORDER BY place), array_agg(duplicate ORDER BY place),
		       CASE WHEN bool_or(duplicate) THEN array_agg(state ORDER BY place) END
		  FROM answer HAVING count(*) > 0
	)`

	appendAnswer = ` SELECT id, client_id, role, created_at, session_no, duplicate, state FROM answer ORDER BY place`

	appendPlain      = appendGiven + appendFresh + appendWrite + answerFresh + appendAnswer
	appendKeyed      = appendGiven + appendFresh + appendWrite + answerFresh + appendKeep + appendAnswer
	appendNamed      = appendGiven + appendUnseen + `$22` + appendUnseenRest + appendWrite + answerUnseen + appendAnswer
	appendNamedKeyed = appendGiven + appendUnseen + `$24` + appendUnseenRest + appendWrite + answerUnseen + appendKeep + appendAnswer

	// lockShared holds the sessions of writes that share a transaction, in their order, and says
	// which, as lockSession does.
	lockShared = `SELECT set_config('memd.held', coalesce(string_agg(no::text, ','), ''), true)
		  FROM unnest($2::text[], $3::text[]) AS a (user_id, session_id) CROSS JOIN LATERAL (
			SELECT no FROM conversation_session
			 WHERE tenant_id = $1 AND user_id = a.user_id AND session_id = a.session_id AND forwards_to IS NULL FOR NO KEY UPDATE) held`

	// heldNos are their numbers, read once.
	heldNos = `(SELECT string_to_array(current_setting('memd.held', true), ',')::bigint[])::bigint[]`

	// appendShared is appendPlain of several writes, each of another session; a session is
	// looked up by its key whatever the planner knows of how many there are.
	appendSharedWrite = `, session AS (
		SELECT a.*, s.no, s.messages, s.next_session_id,
		       s.learn AND NOT EXISTS (SELECT FROM person p WHERE p.tenant_id = $1 AND p.user_id = a.user_id AND NOT p.learn) AS learns
		  FROM asked a CROSS JOIN LATERAL (
			SELECT no, messages, learn, next_session_id FROM conversation_session
			 WHERE tenant_id = $1 AND user_id = a.user_id AND session_id = a.session_id AND no = ANY (` + heldNos + `) AND NOT ` + isOver + `
			   AND (a.rotates AND closed_at IS NULL AND kind = 'chat' AND last_message_id IS NOT NULL AND
			        (` + isAgedBy + `a.idle` + isAgedAnd + `a.age` + isAgedEnd + ` OR ` + isFullBy + `a.max_turns` + isFullAnd + `a.max_tokens` + isFullEnd + `)) IS NOT TRUE
			OFFSET 0
		  ) s
	), written AS (
		INSERT INTO conversation_context (user_id, session_id, role, message, created_at, received_at, tenant_id, session_no,
		       position, learn, agent_id, app_id, actor_id, timezone, metadata)
		SELECT s.user_id, s.session_id, m.role, m.message, coalesce(m.created_at, now()), now(), $1, s.no,
		       s.messages + m.step, m.learn AND s.learns, s.agent_id, s.app_id, m.actor_id, s.timezone, s.metadata::jsonb
		  FROM unnest($15::int[], $16::int[], $17::text[], $18::text[], $19::timestamptz[], $20::bool[], $21::text[])
		       WITH ORDINALITY AS m (place, step, role, message, created_at, learn, actor_id, n)
		  JOIN session s ON s.place = m.place
		 ORDER BY m.n
		RETURNING id, role, created_at, learn, session_no, octet_length(message) AS bytes
	), opened AS (
		INSERT INTO ingest_open (message_id, tenant_id, session_no, priority, lot)
		SELECT w.id, $1, w.session_no, s.priority, hashtextextended(s.user_id, 0)
		  FROM written w JOIN session s ON s.no = w.session_no WHERE w.learn
	), counted AS (
		UPDATE conversation_session c
		   SET messages = c.messages + w.n, last_message_id = w.last, last_message_at = w.said,
		       title = CASE WHEN NOT c.incognito THEN coalesce(c.title, w.title) END, agent_id = coalesce(c.agent_id, w.agent_id),
		       turns = c.turns + w.turns, bytes = c.bytes + w.bytes, heard_at = now()
		  FROM (SELECT s.no, s.title, s.agent_id, v.*
		          FROM (SELECT session_no, count(*)::int AS n, max(id) AS last, (array_agg(created_at ORDER BY id DESC))[1] AS said,
		                       (count(*) FILTER (WHERE role = 'user'))::int AS turns, sum(bytes) AS bytes FROM written GROUP BY session_no) v
		          JOIN session s ON s.no = v.session_no) w
		 WHERE c.tenant_id = $1 AND c.no = w.no
	)`

	appendSharedAsked = `SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::text[], $10::bool[],
		       $11::interval[], $12::int[], $13::bigint[], $14::interval[]`

	appendSharedNames = ` WITH ORDINALITY AS a (user_id, session_id, agent_id, app_id, timezone, metadata, priority, title, rotates,
		       idle, max_turns, max_tokens, age`

	appendSharedKeep = `, kept AS (
		` + idempotency.InsertAppended + `
		SELECT $1, s.key, s.body, array_agg(w.id ORDER BY w.id), array_agg(false), NULL
		  FROM written w JOIN session s ON s.no = w.session_no WHERE s.key IS NOT NULL GROUP BY s.key, s.body ORDER BY s.key
	)`

	appendSharedAnswer = ` SELECT s.place, s.no, s.next_session_id, w.id, w.role, w.created_at, w.learn
		  FROM written w JOIN session s ON s.no = w.session_no ORDER BY w.id`

	appendShared = `WITH asked AS (` + appendSharedAsked + `)` + appendSharedNames + `, place))` + appendSharedWrite + appendSharedAnswer

	appendSharedKeyed = `WITH asked AS (` + appendSharedAsked + `, $22::bytea[], $23::bytea[])` + appendSharedNames + `, key, body, place))` +
		appendSharedWrite + appendSharedKeep + appendSharedAnswer

	// lendTimeout bounds how long locks are waited for, within a transaction that is
	// another's; returnTimeout puts its own bound back.
	lendTimeout   = `SELECT set_config('memd.lock_timeout', current_setting('lock_timeout'), true), set_config('lock_timeout', $1, true)`
	returnTimeout = `SELECT set_config('lock_timeout', current_setting('memd.lock_timeout'), true)`

	keepTogether = idempotency.InsertAppended + `VALUES ($1, $2, $3, $4, $5, $6)`

	// replayed reads what an append with a key wrote, as it was told then.
	replayed = `SELECT c.id, c.client_id, c.role, c.created_at, c.session_no, c.session_id,
		       CASE WHEN s.closed_at <= c.received_at THEN s.next_session_id END, g.duplicate,
		       coalesce(g.state, CASE WHEN c.learn THEN 'pending' ELSE 'skipped' END), g.place
		  FROM unnest($2::bigint[], $3::bool[], $4::text[]) WITH ORDINALITY AS g (id, duplicate, state, place)
		  JOIN conversation_context c ON c.tenant_id = $1 AND c.id = g.id
		  JOIN conversation_session s ON s.tenant_id = $1 AND s.no = c.session_no
		 ORDER BY g.place`
)

// What a row of conversation_session says of itself.
const (
	// isOver is one that was incognito: it has no messages, and only its name is left.
	isOver = `(incognito AND closed_at IS NOT NULL)`

	// isAged and isFull say which kind of limit it has reached, $18 to $21 being those of
	// one that has none of its own. What was made so long ahead was so by a clock that was put
	// back since; when it was heard is soon put right.
	isAged = isAgedBy + `$18` + isAgedAnd + `$21` + isAgedEnd
	isFull = isFullBy + `$19` + isFullAnd + `$20` + isFullEnd

	// Between them stand the limits.
	isAgedBy  = `(heard_at <= now() - nullif(coalesce(rotate_idle, `
	isAgedAnd = `), interval '0') OR greatest(now() - created_at, created_at - now()) >= nullif(coalesce(rotate_age, `
	isAgedEnd = `), interval '0'))`
	isFullBy  = `(turns >= nullif(coalesce(rotate_turns, `
	isFullAnd = `), 0) OR bytes >= 4 * nullif(coalesce(rotate_tokens, `
	isFullEnd = `), 0))`

	// personLearns says of user $2 whether anything is learned from them.
	personLearns = `NOT EXISTS (SELECT FROM person WHERE tenant_id = $1 AND user_id = $2 AND NOT learn)`

	// messageLearns says of message c whether anything is learned from what is said in its
	// session now.
	messageLearns = `(SELECT s.learn AND NOT EXISTS (SELECT FROM person p WHERE p.tenant_id = $1 AND p.user_id = s.user_id AND NOT p.learn)
		  FROM conversation_session s WHERE s.tenant_id = $1 AND s.no = c.session_no)`
)

// entryColumns are what scanEntry reads, of entryFrom.
const (
	entryColumns = `c.id, c.client_id, c.user_id, c.session_id, c.agent_id, c.app_id, c.role, c.actor_id, c.message,
		c.created_at, c.received_at, c.timezone, c.metadata, c.learn_as, c.position,
		CASE WHEN NOT c.learn THEN 'skipped' ELSE coalesce(o.state, e.state, 'pending') END,
		coalesce(o.attempts, e.attempts, 0), CASE WHEN o.next_attempt_at > now() THEN o.next_attempt_at END, coalesce(o.error, e.error), e.extractor, e.settled_at`

	entryIngest = ` LEFT JOIN ingest_open o ON o.tenant_id = $1 AND o.message_id = c.id
		LEFT JOIN ingest_settled e ON e.tenant_id = $1 AND e.message_id = c.id`

	ofSession = `c.tenant_id = $1 AND c.user_id = $2 AND c.session_id = s.session_id`

	// wantedSession is the session asked for, or the user's latest of kind chat: by
	// the arrival of its last message, or, if that is later, by its own making. What comes late
	// to a session that was closed makes it no later: that is as late as it was when it was closed.
	wantedSession = `WITH ` + wantedSteps

	wantedSteps = `spoken AS (
		SELECT no, session_id, coalesce(CASE WHEN heard_at > closed_at THEN (
		           SELECT c.id FROM conversation_context c
		            WHERE c.tenant_id = $1 AND c.user_id = $2 AND c.session_id = x.session_id AND c.received_at <= x.closed_at
		            ORDER BY c.id DESC LIMIT 1) ELSE last_message_id END, 0) AS last_message_id
		  FROM conversation_session x
		 WHERE tenant_id = $1 AND user_id = $2 AND kind = 'chat' AND $3 = '' AND last_message_id IS NOT NULL
		 ORDER BY 3 DESC LIMIT 1
	), silent AS (
		SELECT no, session_id, created_at FROM conversation_session
		 WHERE tenant_id = $1 AND user_id = $2 AND kind = 'chat' AND $3 = '' AND last_message_id IS NULL AND NOT ` + isOver + `
		 ORDER BY no DESC LIMIT 1
	), s AS (
		SELECT no, session_id FROM conversation_session WHERE tenant_id = $1 AND user_id = $2 AND session_id = $3 AND $3 <> '' AND NOT (` + isOver + ` AND forwards_to IS NULL)
		UNION ALL
		SELECT no, session_id FROM silent
		 WHERE NOT EXISTS (SELECT FROM spoken JOIN conversation_context c ON c.tenant_id = $1 AND c.id = spoken.last_message_id
		                    WHERE c.received_at >= silent.created_at)
		UNION ALL
		SELECT no, session_id FROM spoken
		LIMIT 1
	)`

	// lastTurns: a turn begins with a user message; what stands before the first one
	// is a turn too. $4 turns, counted from the newest of those between $5 and $6.
	lastTurns = wantedSession + `, start AS (
		SELECT coalesce((SELECT c.id FROM s, conversation_context c
		                  WHERE ` + ofSession + ` AND c.role = 'user' AND c.id > $5 AND c.id < $6
		                  ORDER BY c.id DESC OFFSET $4::int - 1 LIMIT 1), 0) AS id
	)
	SELECT s.session_id,
	       EXISTS (SELECT FROM conversation_context c WHERE ` + ofSession + ` AND c.id > $5 AND c.id < (SELECT id FROM start)),
	       m.*
	  FROM s LEFT JOIN LATERAL (
		SELECT ` + entryColumns + ` FROM conversation_context c` + entryIngest + `
		 WHERE ` + ofSession + ` AND c.id > $5 AND c.id < $6 AND c.id >= (SELECT id FROM start)
	  ) m ON true ORDER BY m.id`

	// firstTurns is the same from the other end: $4 turns from the oldest of the messages
	// between $5 and $6, whose first one begins a turn whatever it is.
	firstTurns = wantedSession + `, first AS (
		SELECT c.id FROM s, conversation_context c WHERE ` + ofSession + ` AND c.id > $5 AND c.id < $6 ORDER BY c.id LIMIT 1
	), stop AS (
		SELECT coalesce((SELECT c.id FROM s, conversation_context c
		                  WHERE ` + ofSession + ` AND c.role = 'user' AND c.id > (SELECT id FROM first) AND c.id < $6
		                  ORDER BY c.id OFFSET $4::int - 1 LIMIT 1), $6) AS id
	)
	SELECT s.session_id,
	       EXISTS (SELECT FROM conversation_context c WHERE ` + ofSession + ` AND c.id >= (SELECT id FROM stop) AND c.id < $6),
	       m.*
	  FROM s LEFT JOIN LATERAL (
		SELECT ` + entryColumns + ` FROM conversation_context c` + entryIngest + `
		 WHERE ` + ofSession + ` AND c.id > $5 AND c.id < (SELECT id FROM stop)
	  ) m ON true ORDER BY m.id`

	// newest and following take $4 messages from one end of those between $5 and $6.
	newest = wantedSession + `
	SELECT s.session_id, false, m.* FROM s LEFT JOIN LATERAL (
		SELECT ` + entryColumns + ` FROM (
			SELECT c.* FROM conversation_context c WHERE ` + ofSession + ` AND c.id > $5 AND c.id < $6 ORDER BY c.id DESC LIMIT $4::int
		) c` + entryIngest + `
	) m ON true ORDER BY m.id`

	following = wantedSession + `
	SELECT s.session_id, false, m.* FROM s LEFT JOIN LATERAL (
		SELECT ` + entryColumns + ` FROM (
			SELECT c.* FROM conversation_context c WHERE ` + ofSession + ` AND c.id > $5 AND c.id < $6 ORDER BY c.id LIMIT $4::int
		) c` + entryIngest + `
	) m ON true ORDER BY m.id`

	oneMessage = `SELECT ` + entryColumns + ` FROM conversation_context c` + entryIngest + `
		 WHERE c.tenant_id = $1 AND c.id = $2
		   AND ($3 = '' OR c.user_id = $3) AND ($4 = '' OR c.agent_id = $4) AND ($5 = '' OR c.session_id = $5) AND ($6 = '' OR c.app_id = $6)`
)

const (
	sessionColumns = `session_id, user_id, kind, title, agent_id, messages - removed, last_message_at, closed_at, created_at, previous_session_id, next_session_id,
		forwards_to, learn, incognito, metadata, rotate_idle, rotate_turns, rotate_tokens, rotate_age`

	createSession = `INSERT INTO conversation_session (tenant_id, user_id, session_id, agent_id, previous_session_id, metadata,
		       kind, learn, incognito, rotate_idle, rotate_turns, rotate_tokens, rotate_age)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (tenant_id, user_id, session_id) DO NOTHING
		RETURNING ` + sessionColumns

	oneSession = `SELECT ` + sessionColumns + ` FROM conversation_session WHERE tenant_id = $1 AND user_id = $2 AND session_id = $3 AND NOT ` + isOver

	listSessions = `SELECT no, ` + sessionColumns + ` FROM conversation_session
		 WHERE tenant_id = $1 AND user_id = $2 AND kind = 'chat' AND no < $3 AND NOT ` + isOver + ` ORDER BY no DESC LIMIT $4`

	areIncognito = `SELECT (g.place - 1)::int FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS g (user_id, session_id, place)
		  JOIN conversation_session s ON s.tenant_id = $1 AND s.user_id = g.user_id AND s.session_id = g.session_id AND s.incognito
		 ORDER BY g.place`

	previousThere = `SELECT count(*) > 0, coalesce(bool_or(incognito), false) FROM (` + oneSession + `) s`
)

const (
	listPeople = personRow + `(SELECT no, user_id, created_at, learn FROM person WHERE tenant_id = $1 AND no < $2 ORDER BY no DESC LIMIT $3) p` + personSums

	onePerson = personRow + `(SELECT no, user_id, created_at, learn FROM person WHERE tenant_id = $1 AND user_id = $2) p` + personSums

	personRow = `SELECT p.no, p.user_id, p.created_at, p.learn, s.sessions, s.messages, s.last
		  FROM `

	personSums = ` CROSS JOIN LATERAL (
			SELECT count(*) FILTER (WHERE kind = 'chat' AND NOT ` + isOver + `) AS sessions, coalesce(sum(messages - removed), 0) AS messages, max(last_message_at) AS last
			  FROM conversation_session WHERE tenant_id = $1 AND user_id = p.user_id) s
		 ORDER BY p.no DESC`

	personLearn = `INSERT INTO person AS p (tenant_id, user_id, learn) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id, user_id) DO UPDATE SET learn = excluded.learn`

	// lockSessionsOf has the order in which all lock several: that of the bytes.
	lockSessionsOf = `SELECT FROM conversation_session WHERE tenant_id = $1 AND user_id = $2 ORDER BY session_id COLLATE "C" FOR NO KEY UPDATE`

	meetPerson = `INSERT INTO person (tenant_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`

	countPeople = `SELECT count(*) FROM person WHERE tenant_id = $1`
)

// What is open and how messages ended.
const (
	// ready is what may be claimed: its time has come and nobody is at it.
	ready = `(o.state = 'pending' OR o.state = 'failed' AND o.next_attempt_at <= now() OR o.state = 'running' AND o.lease_until <= now())`

	messageColumns = `c.id, c.client_id, c.user_id, c.session_id, c.agent_id, c.app_id, c.role, c.actor_id, c.message,
		c.created_at, c.received_at, c.timezone, c.metadata, c.learn_as, c.position`

	// claimOpen claims what may be claimed. left_running says that a claim before ended
	// without a word.
	claimOpen = `UPDATE ingest_open o
		   SET state = 'running', attempts = o.attempts + 1, next_attempt_at = NULL,
		       lease_until = now() + $4::interval, publish_at = now() + $4::interval
		  FROM (SELECT o.message_id, o.state = 'running' AS left_running FROM ingest_open o WHERE o.tenant_id = $1 AND o.session_no = $2 AND ` + ready + `
		         ORDER BY o.message_id LIMIT $3 FOR UPDATE SKIP LOCKED) due
		 WHERE o.tenant_id = $1 AND o.message_id = due.message_id
		RETURNING o.message_id, due.left_running`

	// claimedMessages gives what the same transaction has claimed (attempts > 0; the lease
	// tells it) and what stands before it (attempts 0), in order. It is a statement of its
	// own, so that it sees the words of a message that was reworded a moment ago. What is not to be
	// learned from is no context either, but for what another than a user said in a call of which
	// somebody else's words are learned from: the question of an answer.
	claimedMessages = `WITH s AS (
		SELECT user_id, session_id FROM conversation_session WHERE tenant_id = $1 AND no = $2
	), claimed AS (
		SELECT o.message_id, o.attempts, o.priority, o.again FROM ingest_open o
		 WHERE o.tenant_id = $1 AND o.session_no = $2 AND o.state = 'running' AND o.lease_until = now() + $3::interval
	), newest AS (
		SELECT c.id, c.role, c.learn, c.received_at FROM conversation_context c
		 WHERE c.tenant_id = $1 AND c.user_id = (SELECT user_id FROM s) AND c.session_id = (SELECT session_id FROM s)
		   AND c.id < (SELECT min(message_id) FROM claimed)
		 ORDER BY c.id DESC LIMIT $4
	), heeded AS (
		SELECT id, learn OR role <> 'user' AND (bool_or(learn) OVER (PARTITION BY received_at) OR received_at IN (
		       SELECT c.received_at FROM claimed JOIN conversation_context c ON c.tenant_id = $1 AND c.id = message_id)) AS heeded
		  FROM newest
	), before AS (
		SELECT h.id FROM heeded h WHERE h.heeded
		   AND NOT EXISTS (SELECT FROM ingest_settled e WHERE e.tenant_id = $1 AND e.message_id = h.id AND e.state = 'skipped')
	), wanted AS (
		SELECT message_id, attempts, priority, again FROM claimed
		UNION ALL SELECT id, 0, 0, false FROM before
	)
	SELECT ` + messageColumns + `, w.attempts, w.priority, w.again
	  FROM wanted w JOIN conversation_context c ON c.tenant_id = $1 AND c.id = w.message_id ORDER BY c.id`

	// held is a claim that still stands; attempts is its token.
	held = `o.tenant_id = $1 AND o.message_id = g.message_id AND o.attempts = g.attempt AND o.state = 'running'`

	extendClaim = `UPDATE ingest_open o SET lease_until = now() + $4::interval, publish_at = now() + $4::interval
		  FROM unnest($2::bigint[], $3::int[]) AS g (message_id, attempt) WHERE ` + held + `
		RETURNING o.message_id`

	releaseClaim = `UPDATE ingest_open o SET state = 'pending', attempts = o.attempts - 1, lease_until = NULL, publish_at = now()
		  FROM unnest($2::bigint[], $3::int[]) AS g (message_id, attempt) WHERE ` + held

	failClaim = `UPDATE ingest_open o
		   SET state = 'failed', error = g.error, lease_until = NULL, attempts = o.attempts - g.free::int,
		       next_attempt_at = now() + g.after, publish_at = now() + g.after
		  FROM unnest($2::bigint[], $3::int[], $4::text[], $5::interval[], $6::bool[]) AS g (message_id, attempt, error, after, free)
		 WHERE ` + held

	// settle: the claim after the last attempt only finds that it never came to an end.
	settle = `WITH gone AS (
		DELETE FROM ingest_open o
		 USING unnest($2::bigint[], $3::int[], $4::text[], $5::text[], $6::text[]) AS g (message_id, attempt, state, extractor, error)
		 WHERE ` + held + `
		RETURNING o.message_id, o.attempts, g.state, g.extractor, g.error
	)
	INSERT INTO ingest_settled (message_id, tenant_id, state, attempts, extractor, error)
	SELECT message_id, $1, state, least(attempts, $7), extractor, error FROM gone`

	// anyOpen is 0 if nothing is: it looks no further than the first, by the indexes that begin so.
	anyOpen = `SELECT CASE WHEN $2 = '' AND $3 = '' THEN EXISTS (SELECT FROM ingest_open o WHERE o.priority = 0 AND o.tenant_id = $1)
		         OR EXISTS (SELECT FROM ingest_open o WHERE o.priority = 1 AND o.tenant_id = $1)
		       ELSE EXISTS (SELECT FROM conversation_session s CROSS JOIN LATERAL (SELECT FROM ingest_open WHERE session_no = s.no AND tenant_id = $1 LIMIT 1) o
		         WHERE s.tenant_id = $1 AND s.user_id = $2 AND ($3 = '' OR s.session_id = $3)) END::int::bigint`

	// begun is the predicate of the index that counts what is not pending, in its words.
	begun = `state || '' <> 'pending'`

	countTenant = `SELECT
		(SELECT count(*) FROM ingest_open WHERE tenant_id = $1 AND state = 'pending'),
		(SELECT count(*) FROM ingest_open WHERE tenant_id = $1 AND state = 'running' AND ` + begun + `),
		(SELECT count(*) FROM ingest_open WHERE tenant_id = $1 AND state = 'failed' AND ` + begun + `),
		greatest(extract(epoch FROM now() - least(
			(SELECT min(opened_at) FROM ingest_open WHERE tenant_id = $1 AND state = 'pending'),
			(SELECT min(opened_at) FROM ingest_open WHERE tenant_id = $1 AND state = 'running' AND ` + begun + `),
			(SELECT min(opened_at) FROM ingest_open WHERE tenant_id = $1 AND state = 'failed' AND ` + begun + `))), 0)::float8,
		(SELECT count(*) FROM ingest_settled WHERE tenant_id = $1),
		(SELECT count(*) FROM ingest_settled WHERE tenant_id = $1 AND state = 'dead'),
		(SELECT count(*) FROM ingest_settled WHERE tenant_id = $1 AND state = 'skipped'),
		(SELECT count(*) FROM ingest_settled WHERE tenant_id = $1 AND settled_at BETWEEN now() - interval '60 s' AND now()),
		(SELECT count(*) FROM conversation_context WHERE tenant_id = $1 AND NOT learn)`

	countUser = `WITH settled AS (
		SELECT count(*) AS n, count(*) FILTER (WHERE e.state = 'dead') AS dead, count(*) FILTER (WHERE e.state = 'skipped') AS skipped,
		       count(*) FILTER (WHERE e.settled_at BETWEEN now() - interval '60 s' AND now()) AS late
		  FROM conversation_context c JOIN ingest_settled e ON e.tenant_id = $1 AND e.message_id = c.id
		 WHERE c.tenant_id = $1 AND c.user_id = $2 AND ($3 = '' OR c.session_id = $3)
	)
	SELECT
		count(*) FILTER (WHERE o.state = 'pending'), count(*) FILTER (WHERE o.state = 'running'), count(*) FILTER (WHERE o.state = 'failed'),
		greatest(extract(epoch FROM now() - min(o.opened_at)), 0)::float8,
		(SELECT n FROM settled), (SELECT dead FROM settled), (SELECT skipped FROM settled), (SELECT late FROM settled),
		(SELECT count(*) FROM conversation_context WHERE tenant_id = $1 AND user_id = $2 AND ($3 = '' OR session_id = $3) AND NOT learn)
		FROM conversation_session s JOIN ingest_open o ON o.tenant_id = $1 AND o.session_no = s.no
		WHERE s.tenant_id = $1 AND s.user_id = $2 AND ($3 = '' OR s.session_id = $3)`

	countUnsettled = `SELECT count(*) FROM ingest_open WHERE tenant_id = $1 AND message_id = ANY ($2)`

	listDead = `SELECT ` + entryColumns + ` FROM ingest_settled d
		  JOIN conversation_context c ON c.tenant_id = $1 AND c.id = d.message_id` + entryIngest + `
		 WHERE d.tenant_id = $1 AND d.state = 'dead' AND d.message_id < $2
		   AND ($4 = '' OR c.user_id = $4) AND ($5 = '' OR c.session_id = $5) AND ($6::text = '' OR $6 IN (d.error, split_part(d.error, ':', 1)))
		 ORDER BY d.message_id DESC LIMIT $3`

	// retryDead is for one whose session is held. It does nothing while nothing is learned
	// from it.
	retryDead = `WITH dead AS (
		DELETE FROM ingest_settled WHERE tenant_id = $1 AND message_id = $2 AND state = 'dead'
		   AND EXISTS (SELECT FROM conversation_context c WHERE c.tenant_id = $1 AND c.id = $2 AND ` + messageLearns + `) RETURNING message_id
	)
	INSERT INTO ingest_open (message_id, tenant_id, session_no, lot)
	SELECT c.id, $1, c.session_no, hashtextextended(c.user_id, 0) FROM dead JOIN conversation_context c ON c.tenant_id = $1 AND c.id = dead.message_id
	RETURNING session_no`

	isDead = `SELECT EXISTS (SELECT FROM ingest_settled WHERE tenant_id = $1 AND message_id = $2 AND state = 'dead')`

	// unsettled are those that are open, or (dead) were given up.
	unsettled = `SELECT message_id, false FROM ingest_open WHERE tenant_id = $1 AND message_id = ANY ($2)
		UNION ALL SELECT message_id, true FROM ingest_settled WHERE tenant_id = $1 AND message_id = ANY ($2) AND state = 'dead'
		ORDER BY 1`

	// stoodIn are those that the rules learned from in a language model's place, if only in part.
	stoodIn = `SELECT message_id FROM ingest_settled WHERE tenant_id = $1 AND message_id = ANY ($2) AND extractor LIKE '%(llm: %' ORDER BY 1`

	// gone are those that the log does not have.
	gone = `SELECT i.id FROM unnest($2::bigint[]) AS i (id)
		 WHERE NOT EXISTS (SELECT FROM conversation_context c WHERE c.tenant_id = $1 AND c.id = i.id) ORDER BY 1`

	// dropOpenOfUser and dropOpenOfAny lock their rows in the order of their ids: whoever
	// settles several has claimed them in that order. A session of kind direct is nobody's
	// run.
	dropOpenOfUser = `WITH open AS (
		SELECT o.message_id
		  FROM (SELECT no FROM conversation_session WHERE tenant_id = $1 AND user_id = $2 AND ($3 = '' OR session_id = $3 AND kind <> 'direct') OFFSET 0) s
		 CROSS JOIN LATERAL (SELECT message_id FROM ingest_open WHERE session_no = s.no AND tenant_id = $1 OFFSET 0) o
	)` + dropThese

	dropOpenOfAny = `WITH open AS (
		SELECT o.message_id FROM ingest_open o
		 CROSS JOIN LATERAL (SELECT session_id, kind FROM conversation_session WHERE no = o.session_no AND tenant_id = $1 OFFSET 0) s
		 WHERE o.tenant_id = $1 AND $2::text = '' AND ($3 = '' OR s.session_id = $3 AND s.kind <> 'direct')
	)` + dropThese

	dropThese = `, wanted AS MATERIALIZED (
		SELECT open.message_id FROM open
		 CROSS JOIN LATERAL (SELECT agent_id, app_id FROM conversation_context WHERE id = open.message_id AND tenant_id = $1 OFFSET 0) c
		 WHERE ($4 = '' OR c.agent_id = $4) AND ($5 = '' OR c.app_id = $5)
	), held AS (
		SELECT o.message_id FROM ingest_open o WHERE o.tenant_id = $1 AND o.message_id = ANY (ARRAY(SELECT message_id FROM wanted))
		 ORDER BY o.message_id FOR UPDATE
	), gone AS (
		DELETE FROM ingest_open o WHERE o.tenant_id = $1 AND o.message_id = ANY (ARRAY(SELECT message_id FROM held))
		RETURNING o.message_id, o.attempts
	)
	INSERT INTO ingest_settled (message_id, tenant_id, state, attempts, error)
	SELECT message_id, $1, 'skipped', attempts, $6 FROM gone`

	discardDead = `UPDATE ingest_settled SET state = 'skipped' WHERE tenant_id = $1 AND message_id = $2 AND state = 'dead'`
)

// What the relay asks, of all tenants.
const (
	takeDue           = `SELECT tenant_id, session_no, message_id, publishes FROM memd_due_in_turn($1, $2, $3, $4, $5)`
	markLost          = `SELECT memd_lost()`
	takeAhead         = `SELECT memd_due_ahead($1)`
	keepAhead         = `SELECT memd_kept_ahead()`
	expireIdempotency = `SELECT memd_expire_idempotency($1)`
)
