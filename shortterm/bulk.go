package shortterm

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/postgres"
)

// AppendAll is Append of several, of one session or many, all or none and in the order given, in a
// transaction of its own. Where all of it is backfill it is a few statements, however much it is, and
// the relay publishes it in its turn. What of it was deleted here by request does not come back by
// that. key, nil if none came, is that of the request that brought
// them all; their own are not looked at.
func (l *Log) AppendAll(ctx context.Context, tenant string, as []Append, key *idempotency.Key) ([]Appended, error) {
	if len(as) == 0 {
		return []Appended{}, nil
	}
	as = slices.Clone(as)
	counts := make([]int, len(as))
	for i, a := range as {
		var err error
		if as[i], err = a.ready(); err != nil {
			return nil, err
		}
		counts[i] = len(a.Messages)
	}
	if err := l.recognise(ctx, tenant, as); err != nil {
		return nil, err
	}
	plain := true
	for again := 1; ; again++ {
		answers, err := l.appendAll(ctx, tenant, as, plain, key)
		switch {
		case err == nil:
			return answers, nil
		case errors.Is(err, errNotPlain):
			plain = false
		case errors.Is(err, ErrKeyUsed):
			answers, found, err := l.Replay(ctx, tenant, *key, counts)
			for i := range answers {
				answers[i] = answers[i].in(as[i])
			}
			if err != nil || found {
				return answers, err
			}
			if again >= tries {
				return nil, idempotency.AtWork()
			}
		case (postgres.Deadlocked(err) || pgconn.SafeToRetry(err)) && again < tries && ctx.Err() == nil:
		default:
			return nil, postgres.Err("shortterm.append_all", err)
		}
	}
}

// appendAll does it once, in bulk where all sessions are plain and all of it may be.
func (l *Log) appendAll(ctx context.Context, tenant string, as []Append, plain bool, key *idempotency.Key) (answers []Appended, err error) {
	var kept []Append
	var written []Appended
	announced := false
	err = l.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		left, of, over, err := withoutRemoved(ctx, tx, tenant, as)
		if err != nil {
			return err
		}
		kept, written, announced = left, []Appended{}, false
		in := newBulk(tenant, kept)
		switch {
		case len(kept) == 0:
		case plain && in != nil:
			written, err = in.write(ctx, tx, l.cfg.LockTimeout)
		case over == nil:
			announced = true
			answers, err = l.AppendIn(ctx, tx, tenant, kept, key)
			written = answers
			return err
		default:
			announced = true
			written, err = l.AppendIn(ctx, tx, tenant, kept, nil)
		}
		if err != nil {
			return appendErr(err, key)
		}
		if answers = over.answer(as, of, written); key == nil {
			return nil
		}
		_, err = tx.Exec(ctx, keepTogether, keptOf(tenant, *key, answers)...)
		return appendErr(err, key)
	})
	if err == nil && announced {
		l.Announce(tenant, kept, written)
	}
	return answers, err
}

// errNotPlain says that a session is none that is written to in bulk: it has been rotated, was
// incognito and is over, or is not the one that was locked.
var errNotPlain = errors.New("not all sessions are plain")

// bulk are many appends as statements for all of them take them.
type bulk struct {
	tenant string
	as     []Append
	// sessions are in the order in which they come up, which is that of their numbers where they are
	// made; of says which one each of as is written to, locks in which order they are locked.
	sessions  []bulkSession
	of, locks []int
}

// bulkSession is a session that is written to in bulk.
type bulkSession struct {
	user, name string

	// What its row says once it is locked; messages counts those on that are written.
	no       int64
	messages int
	learns   bool
	next     string
	// agent and heading are those of the first append that has them and something new.
	agent, heading *string
}

// newBulk is nil where not all of as may be written in bulk.
func newBulk(tenant string, as []Append) *bulk {
	b := &bulk{tenant: tenant, as: as, of: make([]int, len(as))}
	type name struct{ user, session string }
	at := map[name]int{}
	for i, a := range as {
		if !a.Backfill || a.Direct || a.LearnAs != nil || a.UserID == "" {
			return nil
		}
		n, ok := at[name{a.UserID, a.SessionID}]
		if !ok {
			n = len(b.sessions)
			at[name{a.UserID, a.SessionID}] = n
			b.sessions = append(b.sessions, bulkSession{user: a.UserID, name: a.SessionID})
		}
		b.of[i] = n
	}
	b.locks = make([]int, len(b.sessions))
	for i := range b.locks {
		b.locks[i] = i
	}
	slices.SortFunc(b.locks, func(i, j int) int {
		return cmp.Or(cmp.Compare(b.sessions[i].user, b.sessions[j].user), cmp.Compare(b.sessions[i].name, b.sessions[j].name))
	})
	return b
}

// write writes all within tx, which must be the tenant's and read committed.
func (b *bulk) write(ctx context.Context, tx pgx.Tx, lockTimeout time.Duration) ([]Appended, error) {
	if err := b.hold(ctx, tx, lockTimeout); err != nil {
		return nil, err
	}
	known, err := b.known(ctx, tx)
	if err != nil {
		return nil, err
	}
	answers := make([]Appended, len(b.as))
	fresh := &freshRows{}
	var waiting []awaited
	for i, a := range b.as {
		s, had := &b.sessions[b.of[i]], len(fresh.raws)
		answers[i] = Appended{SessionID: s.name, NextSessionID: s.next, SessionNo: s.no, Messages: make([]AppendedMessage, len(a.Messages))}
		for j, m := range a.Messages {
			answer, place := &answers[i].Messages[j], clientPlace{s.no, m.ClientID}
			if was, ok := known[place]; ok && m.ClientID != "" {
				*answer = was
				continue
			}
			row, again := fresh.at[place]
			if !again || m.ClientID == "" {
				row, again = fresh.add(place, a, m, s), false
			}
			waiting = append(waiting, awaited{answer, row, again})
		}
		if len(fresh.raws) > had {
			s.agent, s.heading = cmp.Or(s.agent, optional(a.AgentID)), cmp.Or(s.heading, headingOf(a.Messages))
		}
	}
	if err := b.insert(ctx, tx, fresh); err != nil {
		return nil, err
	}
	for _, w := range waiting {
		*w.answer = fresh.answers[w.row]
		w.answer.Duplicate = w.again
	}
	return answers, nil
}

// awaited is the answer to a message whose row is still to be written; again says that an earlier message of
// the call is the same.
type awaited struct {
	answer *AppendedMessage
	row    int
	again  bool
}

// headingOf is the title that messages give a session, nil for none.
func headingOf(all []memd.Message) *string {
	for _, m := range all {
		if m.Role == memd.RoleUser {
			if h := title(m.Text); h != "" {
				return &h
			}
		}
	}
	return nil
}

// hold makes the sessions that are not there, locks all, and reads what their rows say.
func (b *bulk) hold(ctx context.Context, tx pgx.Tx, lockTimeout time.Duration) error {
	q := &pgx.Batch{}
	held := b.queueHold(q, lockTimeout)
	if err := tx.SendBatch(ctx, q).Close(); err != nil {
		return err
	}
	if *held < len(b.sessions) {
		return errNotPlain
	}
	return nil
}

// queueHold queues what hold does, and gives where the sessions are counted that are then held.
func (b *bulk) queueHold(q *pgx.Batch, lockTimeout time.Duration) (held *int) {
	var users, names, kinds, lockUsers, lockNames []string
	var agents []*string
	for i, s := range b.sessions {
		first := b.sessions[b.locks[i]]
		users, names, kinds, agents = append(users, s.user), append(names, s.name), append(kinds, "chat"), append(agents, nil)
		lockUsers, lockNames = append(lockUsers, first.user), append(lockNames, first.name)
	}
	held = new(int)
	locked := map[int64]bool{}
	q.Queue(lendTimeout, strconv.FormatInt(lockTimeout.Milliseconds(), 10))
	q.Queue(makeSessions, b.tenant, users, names, kinds, agents)
	q.Queue(lockSessions, b.tenant, lockUsers, lockNames).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var no int64
			if err := rows.Scan(&no); err != nil {
				return err
			}
			locked[no] = true
		}
		return rows.Err()
	})
	q.Queue(readSessions, b.tenant, users, names).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var at int
			var no int64
			var messages int
			var learns bool
			var next *string
			if err := rows.Scan(&at, &no, &messages, &learns, &next); err != nil {
				return err
			}
			if !locked[no] {
				continue // erased before it was locked, and made anew since
			}
			s := &b.sessions[at]
			*s = bulkSession{user: s.user, name: s.name, no: no, messages: messages, learns: learns, next: value(next)}
			*held++
		}
		return rows.Err()
	})
	q.Queue(returnTimeout)
	return held
}

// clientPlace is what a client id is unique in.
type clientPlace struct {
	no     int64
	client string
}

// known gives what stands in the sessions under the client ids that are given.
func (b *bulk) known(ctx context.Context, tx pgx.Tx) (map[clientPlace]AppendedMessage, error) {
	var nos []int64
	var clients []string
	for i, a := range b.as {
		if b.sessions[b.of[i]].messages == 0 {
			continue // it is new
		}
		for _, m := range a.Messages {
			if m.ClientID != "" {
				nos, clients = append(nos, b.sessions[b.of[i]].no), append(clients, m.ClientID)
			}
		}
	}
	if len(nos) == 0 {
		return nil, nil
	}
	rows, err := tx.Query(ctx, knownInBulk, b.tenant, nos, clients)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	known := map[clientPlace]AppendedMessage{}
	for rows.Next() {
		m := AppendedMessage{Duplicate: true}
		var no int64
		if err := rows.Scan(&no, &m.ClientID, &m.ID, &m.Role, &m.CreatedAt, &m.State); err != nil {
			return nil, err
		}
		m.CreatedAt = m.CreatedAt.UTC()
		known[clientPlace{no, m.ClientID}] = m
	}
	return known, rows.Err()
}

// freshRows are messages to be written: columns, one array each, in the order they get their ids in.
type freshRows struct {
	users, sessions, roles, raws        []string
	said                                []*time.Time
	nos                                 []int64
	positions                           []int32
	learn                               []bool
	agents, apps, actors, clients, zone []*string
	metadata                            []*string

	at      map[clientPlace]int // those with client ids
	answers []AppendedMessage
}

// add adds a message to what is written to s, and gives its row.
func (f *freshRows) add(place clientPlace, a Append, m memd.Message, s *bulkSession) (row int) {
	row = len(f.raws)
	learn := a.learns(m) && s.learns
	answer := AppendedMessage{ClientID: m.ClientID, Role: m.Role, State: StateSkipped}
	if learn {
		answer.State = StatePending
	}
	f.answers = append(f.answers, answer)
	if m.ClientID != "" {
		if f.at == nil {
			f.at = map[clientPlace]int{}
		}
		f.at[place] = row
	}
	var at *time.Time
	if !m.CreatedAt.IsZero() {
		at = &m.CreatedAt
	}
	f.users, f.sessions, f.nos = append(f.users, s.user), append(f.sessions, s.name), append(f.nos, s.no)
	f.roles, f.raws, f.said = append(f.roles, string(m.Role)), append(f.raws, string(m.Raw)), append(f.said, at)
	f.positions, f.learn = append(f.positions, int32(s.messages)), append(f.learn, learn)
	f.agents, f.apps, f.actors = append(f.agents, optional(a.AgentID)), append(f.apps, optional(a.AppID)), append(f.actors, optional(m.Name))
	f.clients, f.zone, f.metadata = append(f.clients, optional(m.ClientID)), append(f.zone, optional(a.Timezone)), append(f.metadata, optional(string(a.Metadata)))
	s.messages++
	return row
}

// insert writes the rows and counts them in their sessions.
func (b *bulk) insert(ctx context.Context, tx pgx.Tx, f *freshRows) error {
	if len(f.raws) == 0 {
		return nil
	}
	var nos []int64
	var headings, agents []*string
	for _, s := range b.sessions {
		nos, headings, agents = append(nos, s.no), append(headings, s.heading), append(agents, s.agent)
	}
	rows, err := tx.Query(ctx, insertInBulk, b.tenant, f.users, f.sessions, f.roles, f.raws, f.said, f.nos, f.positions, f.learn,
		f.agents, f.apps, f.actors, f.clients, f.zone, f.metadata, nos, headings, agents)
	if err != nil {
		return err
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		if n < len(f.answers) {
			if err := rows.Scan(&f.answers[n].ID, &f.answers[n].CreatedAt); err != nil {
				return err
			}
			f.answers[n].CreatedAt = f.answers[n].CreatedAt.UTC()
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if n != len(f.answers) {
		return &memd.Error{Kind: memd.Internal, Op: "shortterm.append_all", Msg: "not all messages were written"}
	}
	return nil
}

// COPY would be faster still, but Postgres has none into a table with row-level security for a role that
// is held to it; arrays are its next.
const (
	lockSessions = `SELECT s.no FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS g (user_id, session_id, place)
		  JOIN conversation_session s ON s.tenant_id = $1 AND s.user_id = g.user_id AND s.session_id = g.session_id
		 ORDER BY g.place FOR NO KEY UPDATE OF s`

	// readSessions leaves out what is not written to in bulk.
	readSessions = `SELECT (g.place - 1)::int, s.no, s.messages,
		       s.learn AND NOT EXISTS (SELECT FROM person p WHERE p.tenant_id = $1 AND p.user_id = g.user_id AND NOT p.learn), s.next_session_id
		  FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS g (user_id, session_id, place)
		  JOIN conversation_session s ON s.tenant_id = $1 AND s.user_id = g.user_id AND s.session_id = g.session_id
		 WHERE s.forwards_to IS NULL AND NOT (s.incognito AND s.closed_at IS NOT NULL) AND s.kind = 'chat'`

	knownInBulk = `SELECT c.session_no, c.client_id, c.id, c.role, c.created_at,
		       CASE WHEN NOT c.learn THEN 'skipped' ELSE coalesce(o.state, e.state, 'pending') END
		  FROM unnest($2::bigint[], $3::text[]) AS g (no, client_id)
		  JOIN conversation_context c ON c.tenant_id = $1 AND c.session_no = g.no AND c.client_id = g.client_id AND c.client_id IS NOT NULL` +
		entryIngest

	// insertInBulk has what it opens due at once: the relay publishes it, instead of everybody who writes.
	insertInBulk = `WITH written AS (
		INSERT INTO conversation_context (user_id, session_id, role, message, created_at, received_at, tenant_id, session_no,
		       position, learn, agent_id, app_id, actor_id, client_id, timezone, metadata)
		SELECT g.user_id, g.session_id, g.role, g.message, coalesce(g.created_at, now()), now(), $1, g.no,
		       g.position, g.learn, g.agent_id, g.app_id, g.actor_id, g.client_id, g.timezone, g.metadata::jsonb
		  FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::bigint[], $8::int[], $9::bool[],
		              $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[]) WITH ORDINALITY
		         AS g (user_id, session_id, role, message, created_at, no, position, learn, agent_id, app_id, actor_id, client_id, timezone, metadata, place)
		 ORDER BY g.place
		RETURNING id, user_id, role, created_at, learn, session_no, octet_length(message) AS bytes
	), opened AS (
		INSERT INTO ingest_open (message_id, tenant_id, session_no, priority, publish_at, lot)
		SELECT id, $1, session_no, 1, now(), hashtextextended(user_id, 0) FROM written WHERE learn
	), counted AS (
		UPDATE conversation_session s
		   SET messages = s.messages + w.n, last_message_id = w.last, last_message_at = w.said,
		       title = CASE WHEN NOT s.incognito THEN coalesce(s.title, g.title) END, agent_id = coalesce(s.agent_id, g.agent_id),
		       turns = s.turns + w.turns, bytes = s.bytes + w.bytes, heard_at = now()
		  FROM unnest($16::bigint[], $17::text[], $18::text[]) AS g (no, title, agent_id)
		  JOIN (SELECT session_no, count(*)::int AS n, max(id) AS last, (array_agg(created_at ORDER BY id DESC))[1] AS said,
		               (count(*) FILTER (WHERE role = 'user'))::int AS turns, sum(bytes) AS bytes
		          FROM written GROUP BY session_no) w ON w.session_no = g.no
		 WHERE s.tenant_id = $1 AND s.no = g.no
	)
	SELECT id, created_at FROM written ORDER BY id`
)
