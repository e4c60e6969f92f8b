package shortterm

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/postgres"
)

// Window is what the assembler needs of the log.
type Window struct {
	// Session is nil if there is none (yet). It is the one that was asked for, or, if a
	// limit has rotated that, the one that its messages land in.
	Session *Session
	// No is the session's number, 0 if there is none.
	No int64
	// Entries are the last turns, chronological.
	Entries []Entry
	// Open are the newest unsettled messages that stand before Entries: of this session
	// and of those it carries on; chronological. MoreOpen is how many others there are before
	// them.
	Open     []Entry
	MoreOpen int
	// Before are the newest settled messages of the session between those that Summary is of
	// and Entries, chronological; MoreBefore says that there are others before them.
	Before     []Entry
	MoreBefore bool
	// Summary is a model's summary of the session's beginning, nil if there is none.
	Summary *Summary
	// Past are the sessions that this one carries on, the latest first, as long as it has
	// fewer turns than were asked for. Incognito ones are not among them. MorePast says that
	// there are others before them, or messages in them that were not read and that no Summary is
	// of.
	Past     []Past
	MorePast bool
}

// Summary is a model's account of a session's messages, from its first to Upto, an id.
type Summary struct {
	Upto int64
	Text string
}

// Past is what is to be known of a session that another carries on.
type Past struct {
	SessionID string
	Summary   *Summary
	// Entries are its last messages, chronological.
	Entries []Entry
}

const (
	// leastOpen and maxOpen bound how many messages Window.Open may have, one for each
	// bytesOfOpen in between, and leastOpenBytes how many bytes of them are read at least;
	// maxBefore is how many messages are looked at for Window.Before.
	leastOpen      = 200
	maxOpen        = 10000
	bytesOfOpen    = 64
	leastOpenBytes = 64 << 10
	maxBefore      = 1000
	// maxPast is how many sessions back a chain is followed, for the sake of those that have
	// thousands: a context has room for what far fewer left open. Those in which nothing was said
	// do not count, as long as there are not more than 15 for each that is followed. Of the
	// nearest one message is read for each bytesOfLast, from lastOfNearest to maxOpen, of the nth
	// as many divided by n, but lastOfFarther at least; and no more than have as many bytes,
	// divided so, or bytesOfPast, of which one counts for a sixteenth at most. The last message of
	// the user in the nearest is always among them.
	maxPast       = 64
	lastOfNearest = 400
	bytesOfLast   = 160
	lastOfFarther = 12
	bytesOfPast   = 256 << 10
)

// Window gives the last turns of a session, what is open besides, and what it carries on,
// in one round trip. An empty sessionID is the user's latest session of kind chat. A
// session that does not exist has an empty window. Of Before as many are read as have
// about beforeBytes, and of Open as many as have that or leastOpenBytes; of Past more the more
// that is.
func (l *Log) Window(ctx context.Context, tenant, userID, sessionID string, turns, beforeBytes int) (Window, error) {
	return l.window(ctx, tenant, userID, sessionID, turns, beforeBytes, false)
}

// WindowHere is Window of the session itself, also where a limit has rotated it: of one that
// just took a message which another's has followed elsewhere. Only where it was incognito,
// and has nothing any more, it is that of the one that its messages land in.
func (l *Log) WindowHere(ctx context.Context, tenant, userID, sessionID string, turns, beforeBytes int) (Window, error) {
	return l.window(ctx, tenant, userID, sessionID, turns, beforeBytes, true)
}

func (l *Log) window(ctx context.Context, tenant, userID, sessionID string, turns, beforeBytes int, here bool) (Window, error) {
	var w Window
	past := map[int64]int{} // the place in w.Past of a session's number
	b := postgres.TenantBatch(tenant)
	b.Queue(windowSession, tenant, userID, sessionID, here).Query(eachRow(func(rows pgx.Rows) error {
		var upto *int64
		var text *string
		s, err := scanSession(rows, &w.No, nil, nil, &upto, &text)
		w.Session, w.Summary = &s, summaryOf(upto, text)
		return err
	}))
	if turns > 0 {
		b.Queue(windowTurns, tenant, userID, turns).Query(eachRow(func(rows pgx.Rows) error {
			e, _, err := scanEntry(rows)
			w.Entries = append(w.Entries, e)
			return err
		}))
	}
	openMost := min(max(leastOpen, beforeBytes/bytesOfOpen), maxOpen)
	b.Queue(windowOpen, tenant, userID, turns, maxPast, openMost, max(beforeBytes, leastOpenBytes)).Query(eachRow(func(rows pgx.Rows) error {
		e, _, err := scanEntry(rows, &w.MoreOpen)
		// A turn may have come since Entries were read, and moved their start.
		if err == nil && (e.SessionID != w.Session.SessionID || len(w.Entries) == 0 || e.ID < w.Entries[0].ID) {
			w.Open = append(w.Open, e)
		}
		return err
	}))
	if turns > 0 && beforeBytes > 0 {
		b.Queue(windowBefore, tenant, userID, turns, maxBefore, beforeBytes).Query(eachRow(func(rows pgx.Rows) error {
			var more bool
			e, _, err := scanEntry(rows, &more)
			w.MoreBefore = w.MoreBefore || more
			if err == nil && (len(w.Entries) == 0 || e.ID < w.Entries[0].ID) {
				w.Before = append(w.Before, e)
			}
			return err
		}))
	}
	b.Queue(windowPast, tenant, userID, turns, maxPast).Query(eachRow(func(rows pgx.Rows) error {
		var p Past
		var no int64
		var upto *int64
		var text *string
		var more bool
		err := rows.Scan(&no, &p.SessionID, &upto, &text, &more)
		w.MorePast = w.MorePast || more
		p.Summary = summaryOf(upto, text)
		past[no] = len(w.Past)
		w.Past = append(w.Past, p)
		return err
	}))
	pastMost := min(max(lastOfNearest, beforeBytes/bytesOfLast), maxOpen)
	b.Queue(windowPastEntries, tenant, userID, turns, maxPast, pastMost, lastOfFarther, bytesOfPast, beforeBytes).Query(eachRow(func(rows pgx.Rows) error {
		var no int64
		var more bool
		e, _, err := scanEntry(rows, &no, &more)
		w.MorePast = w.MorePast || more
		// One may have been made the past of it since the statement before.
		if i, ok := past[no]; ok {
			w.Past[i].Entries = append(w.Past[i].Entries, e)
		}
		return err
	}))
	if err := l.pool.SendBatch(ctx, b).Close(); err != nil {
		return Window{}, postgres.Err("shortterm.window", err)
	}
	return w, nil
}

func summaryOf(upto *int64, text *string) *Summary {
	if upto == nil || text == nil {
		return nil
	}
	return &Summary{Upto: *upto, Text: *text}
}

// eachRow gives each row to do.
func eachRow(do func(pgx.Rows) error) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		for rows.Next() {
			if err := do(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}

const (
	// windowSession finds the session, follows where a limit has rotated it to, unless $4 says
	// that it is of itself, and leaves word of it for the statements after it in the transaction.
	windowSession = `WITH RECURSIVE ` + wantedSteps + `, hop AS (
		SELECT o.no, o.forwards_to, o.incognito, 0 AS n FROM conversation_session o
		 WHERE o.tenant_id = $1 AND o.user_id = $2 AND o.session_id = coalesce(nullif($3, ''), (SELECT session_id FROM s))
		UNION ALL
		SELECT o.no, o.forwards_to, o.incognito, hop.n + 1
		  FROM hop JOIN conversation_session o ON o.tenant_id = $1 AND o.user_id = $2 AND o.session_id = hop.forwards_to AND o.no > hop.no
		 WHERE hop.n < 10000 AND (hop.incognito OR NOT $4)
	)
	SELECT w.no, set_config('memd.window', w.no::text, true), set_config('memd.window_id', w.session_id, true), y.upto, y.summary, ` + sessionColumns + `
	  FROM (SELECT no FROM hop ORDER BY n DESC LIMIT 1) last
	  JOIN conversation_session w ON w.tenant_id = $1 AND w.no = last.no AND NOT ` + isOver + `
	  LEFT JOIN session_summary y ON y.tenant_id = $1 AND y.session_no = w.no`

	// theWindow is the session that windowSession has found.
	theWindow = `SELECT nullif(current_setting('memd.window', true), '')::bigint AS no, current_setting('memd.window_id', true) AS session_id
		 WHERE nullif(current_setting('memd.window', true), '') IS NOT NULL`

	// windowStart is where its last $3 turns begin.
	windowStart = `SELECT CASE WHEN $3::int < 1 THEN 9223372036854775807 ELSE coalesce((
		         SELECT c.id FROM s, conversation_context c WHERE ` + ofSession + ` AND c.role = 'user'
		          ORDER BY c.id DESC OFFSET greatest($3::int, 1) - 1 LIMIT 1), 0) END AS id`

	windowTurns = `WITH s AS (` + theWindow + `), start AS (` + windowStart + `)
	SELECT ` + entryColumns + ` FROM s JOIN conversation_context c ON ` + ofSession + ` AND c.id >= (SELECT id FROM start)` + entryIngest + `
	 ORDER BY c.id`

	// chain are the sessions it carries on, up to one more than $4 of them in which something was
	// said, the latest first; past are the $4. One that was made later is another, which has got the name since.
	chain = `chain AS (
		SELECT p.no, p.session_id, p.previous_session_id, p.last_message_id IS NOT NULL AS spoken, (p.last_message_id IS NOT NULL)::int AS n, 1 AS back
		  FROM s JOIN conversation_session o ON o.tenant_id = $1 AND o.no = s.no
		  JOIN conversation_session p ON p.tenant_id = $1 AND p.user_id = $2 AND p.session_id = o.previous_session_id AND p.no < o.no AND NOT p.incognito
		UNION ALL
		SELECT p.no, p.session_id, p.previous_session_id, p.last_message_id IS NOT NULL, chain.n + (p.last_message_id IS NOT NULL)::int, chain.back + 1
		  FROM chain JOIN conversation_session p ON p.tenant_id = $1 AND p.user_id = $2 AND p.session_id = chain.previous_session_id AND p.no < chain.no AND NOT p.incognito
		 WHERE chain.n <= $4 AND chain.back < $4 * 16
	), past AS (
		SELECT no, session_id, n FROM chain WHERE spoken AND n <= $4
	)`

	windowOpen = `WITH RECURSIVE s AS (` + theWindow + `), start AS (` + windowStart + `), ` + chain + `, waiting AS (
		SELECT o.message_id FROM s JOIN ingest_open o ON o.tenant_id = $1 AND o.session_no = s.no AND o.message_id < (SELECT id FROM start)
		UNION
		SELECT o.message_id FROM past JOIN ingest_open o ON o.tenant_id = $1 AND o.session_no = past.no
	), open AS (
		SELECT message_id FROM waiting ORDER BY 1 DESC LIMIT $5
	), measured AS (
		SELECT c.*, sum(least(octet_length(c.message), $6::bigint / 4)) OVER (ORDER BY c.id DESC) AS upto_bytes
		  FROM open JOIN conversation_context c ON c.tenant_id = $1 AND c.id = open.message_id
	), c AS (
		SELECT m.* FROM measured m
		 WHERE m.upto_bytes - least(octet_length(m.message), $6::bigint / 4) <= $6::bigint
	)
	SELECT (SELECT count(*) FROM waiting) - count(*) OVER (), ` + entryColumns + ` FROM c` + entryIngest + `
	 ORDER BY c.id`

	// windowBefore: of the newest $4 messages those that have settled, as long as they have $5
	// bytes together, of which one counts for a quarter at most, or 1 KiB.
	windowBefore = `WITH s AS (` + theWindow + `), start AS (` + windowStart + `), newest AS (
		SELECT c.* FROM s, conversation_context c
		 WHERE ` + ofSession + ` AND c.id < (SELECT id FROM start)
		   AND c.id > coalesce((SELECT y.upto FROM session_summary y WHERE y.tenant_id = $1 AND y.session_no = s.no), 0)
		 ORDER BY c.id DESC LIMIT $4
	), measured AS (
		SELECT n.*, sum(least(octet_length(n.message), greatest($5::bigint / 4, 1024))) OVER (ORDER BY n.id DESC) AS upto_bytes FROM newest n
		 WHERE n.role IN ('user', 'assistant', 'tool') AND NOT EXISTS (SELECT FROM ingest_open o WHERE o.tenant_id = $1 AND o.message_id = n.id)
	), c AS (
		SELECT m.* FROM measured m
		 WHERE m.upto_bytes - least(octet_length(m.message), greatest($5::bigint / 4, 1024)) <= $5::bigint
	)
	SELECT (SELECT count(*) FROM measured) > count(*) OVER () OR (SELECT count(*) FROM newest) >= $4, ` + entryColumns + ` FROM c` + entryIngest + `
	 ORDER BY c.id`

	// growing is the session as long as it has fewer turns than $3.
	growing = `SELECT f.no, f.session_id FROM (` + theWindow + `) f
		  JOIN conversation_session o ON o.tenant_id = $1 AND o.no = f.no
		 WHERE $3 > (SELECT count(*) FROM (SELECT FROM conversation_context c
		        WHERE c.tenant_id = $1 AND c.user_id = $2 AND c.session_id = f.session_id AND c.role = 'user' AND o.previous_session_id IS NOT NULL LIMIT $3) turn)`

	windowPast = `WITH RECURSIVE s AS (` + growing + `), ` + chain + `
	SELECT past.no, past.session_id, y.upto, y.summary, EXISTS (SELECT FROM chain WHERE spoken AND n > $4)
	  FROM past LEFT JOIN session_summary y ON y.tenant_id = $1 AND y.session_no = past.no
	 ORDER BY past.n`

	// windowPastEntries: the last words of the user in the nearest are read whatever came since.
	windowPastEntries = `WITH RECURSIVE s AS (` + growing + `), ` + chain + `
	SELECT past.no, m.* FROM past CROSS JOIN LATERAL (
		WITH most AS (
			SELECT greatest($7::bigint, $8::bigint / past.n) AS bytes
		), newest AS (
			SELECT n.id FROM (
				SELECT c.id, sum(least(octet_length(c.message), most.bytes / 16)) OVER (ORDER BY c.id DESC) AS upto_bytes FROM most, (
					SELECT c.id, c.message FROM conversation_context c WHERE c.tenant_id = $1 AND c.user_id = $2 AND c.session_id = past.session_id
					 ORDER BY c.id DESC LIMIT greatest($5::int / past.n, $6::int)
				) c
			) n, most WHERE n.upto_bytes <= most.bytes
		), k AS (
			SELECT id FROM newest
			UNION
			(SELECT c.id FROM conversation_context c WHERE past.n = 1 AND c.tenant_id = $1 AND c.user_id = $2 AND c.session_id = past.session_id AND c.role = 'user'
			  ORDER BY c.id DESC LIMIT 1)
		)
		SELECT EXISTS (SELECT FROM conversation_context o
		                WHERE o.tenant_id = $1 AND o.user_id = $2 AND o.session_id = past.session_id AND o.id < (SELECT min(id) FROM newest)
		                  AND o.id > coalesce((SELECT y.upto FROM session_summary y WHERE y.tenant_id = $1 AND y.session_no = past.no), 0)
		                  AND o.role IN ('user', 'assistant', 'tool') AND o.id <> ALL (ARRAY(SELECT id FROM k))) AS more, ` + entryColumns + `
		  FROM k JOIN conversation_context c ON c.tenant_id = $1 AND c.id = k.id` + entryIngest + `
	) m ORDER BY past.n, m.id`
)
