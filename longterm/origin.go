package longterm

import (
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// What is stored as it is and comes from elsewhere is known by what it is known by there:
// memory_origin says which memory that became, and outlives the memory, so that what went does
// not come back by the same origin.

// originPlace is an origin within an identity.
type originPlace struct {
	scopeID int64
	name    string
}

// twin is a verbatim memory that is there.
type twin struct {
	id              memoryID
	text, app, user string
	agents, runs    []string
	actor, role     string
	metadata        []byte
	// origins are those it is known by, and from when it was said.
	origins []string
	from    time.Time
	// current says that it holds, and has not expired; edited that a person changed it.
	current, edited bool
}

// is says whether it is what is to be stored.
func (t *twin) is(v Verbatim) bool {
	return t.text == v.Text && t.app == v.Scope.AppID && t.user == v.Scope.UserID &&
		slices.Equal(t.agents, list(v.Scope.AgentID)) && slices.Equal(t.runs, list(v.Scope.RunID)) &&
		t.actor == v.ActorID && t.role == v.Role && sameJSON(t.metadata, v.Metadata)
}

// knownVerbatim is what is there of what is to be stored.
type knownVerbatim struct {
	scopes *identities
	byID   map[memoryID]*twin
	// twins hold, by identity and text; origins are all that are left, by origin.
	twins   map[string][]*twin
	origins map[originPlace][]*twin
	// gone is which memory is there no more, or was learned here, by origin.
	gone map[originPlace]string
}

func newKnownVerbatim(scopes *identities) *knownVerbatim {
	return &knownVerbatim{scopes: scopes, byID: map[memoryID]*twin{}, twins: map[string][]*twin{}, origins: map[originPlace][]*twin{}, gone: map[originPlace]string{}}
}

func (k *knownVerbatim) place(scopeID int64, text string) string {
	return string(k.scopes.keys[k.scopes.byID[scopeID]]) + text
}

// add adds one that is being stored.
func (k *knownVerbatim) add(t *twin, scopeID int64) {
	at := k.place(scopeID, t.text)
	k.twins[at] = append(k.twins[at], t)
	for _, name := range t.origins {
		o := originPlace{scopeID, name}
		k.origins[o] = append(k.origins[o], t)
	}
}

func (k *knownVerbatim) scanTwins(rows pgx.Rows) error {
	return k.scan(rows, func(t *twin, scopeID int64) {
		at := k.place(scopeID, t.text)
		k.twins[at] = append(k.twins[at], t)
	})
}

func (k *knownVerbatim) scan(rows pgx.Rows, add func(*twin, int64), more ...any) error {
	for rows.Next() {
		t := &twin{}
		var scopeID int64
		if err := rows.Scan(append([]any{&t.id, &scopeID, &t.text, &t.app, &t.user, &t.agents, &t.runs, &t.actor, &t.role, &t.metadata, &t.origins,
			&t.from, &t.current, &t.edited}, more...)...); err != nil {
			return err
		}
		if was, ok := k.byID[t.id]; ok {
			t = was
		}
		k.byID[t.id] = t
		add(t, scopeID)
	}
	return rows.Err()
}

// queueOrigins asks what is known of the origins that are given.
func (k *knownVerbatim) queueOrigins(b *pgx.Batch, tenant string, vs []Verbatim, of []identity) {
	var keys [][]byte
	var names []string
	for i, v := range vs {
		if v.Origin != "" {
			keys, names = append(keys, k.scopes.keys[k.scopes.at[of[i]]]), append(names, v.Origin)
		}
	}
	if len(names) == 0 {
		return
	}
	b.Queue(originSelect, tenant, keys, names).Query(func(rows pgx.Rows) error {
		var name string
		return k.scan(rows, func(t *twin, scopeID int64) {
			o := originPlace{scopeID, name}
			if !slices.Contains(k.origins[o], t) {
				k.origins[o] = append(k.origins[o], t)
			}
		}, &name)
	})
	b.Queue(originGone, tenant, keys, names).Query(k.scanGone)
	b.Queue(ownLearned, tenant, keys, names, ownOrigin).Query(k.scanGone)
}

// scanGone reads which memories origins stand for that bring nothing about.
func (k *knownVerbatim) scanGone(rows pgx.Rows) error {
	var o originPlace
	var id string
	_, err := pgx.ForEachRow(rows, []any{&o.scopeID, &o.name, &id}, func() error {
		k.gone[o] = id
		return nil
	})
	return err
}

// of gives the memory that v is, if it is known: one that is the same and holds; or by its
// origin one that went, one that was the same once, one that a person changed, or one that was
// said later.
func (k *knownVerbatim) of(v Verbatim, origin originPlace, said time.Time) (id string, ok bool) {
	if origin.name != "" {
		if id, ok := k.gone[origin]; ok {
			return id, true
		}
		of := k.origins[origin]
		i := slices.IndexFunc(of, func(t *twin) bool { return t.is(v) })
		if i < 0 {
			i = slices.IndexFunc(of, func(t *twin) bool { return t.edited || t.from.After(said) })
		}
		if i >= 0 {
			return uuid.UUID(of[i].id).String(), true
		}
	}
	if t := k.twinOf(v, origin.scopeID); t != nil {
		return uuid.UUID(t.id).String(), true
	}
	return "", false
}

func (k *knownVerbatim) twinOf(v Verbatim, scopeID int64) *twin {
	of := k.twins[k.place(scopeID, v.Text)]
	if i := slices.IndexFunc(of, func(t *twin) bool { return t.current && t.is(v) }); i >= 0 {
		return of[i]
	}
	return nil
}

// originChange is what becomes of memories that are there, and by what they are known.
type originChange struct {
	ended, by []memoryID
	at        []time.Time
	// known are by what memories are known from now on, left by what no longer.
	known, left []knownBy
}

// knownBy is a memory and one of its origins.
type knownBy struct {
	id     memoryID
	origin originPlace
}

// end has a memory hold no longer, by another.
func (e *originChange) end(t *twin, by memoryID, at time.Time) {
	t.current = false
	e.ended, e.by, e.at = append(e.ended, t.id), append(e.by, by), append(e.at, at)
}

// leave has a memory known by an origin no longer.
func (e *originChange) leave(k *knownVerbatim, t *twin, origin originPlace) {
	t.origins = slices.DeleteFunc(t.origins, func(name string) bool { return name == origin.name })
	k.origins[origin] = slices.DeleteFunc(k.origins[origin], func(other *twin) bool { return other == t })
	e.left = append(e.left, knownBy{t.id, origin})
	e.known = slices.DeleteFunc(e.known, func(k knownBy) bool { return k == knownBy{t.id, origin} })
}

// know has a memory known by an origin.
func (e *originChange) know(id memoryID, origin originPlace) {
	e.known = append(e.known, knownBy{id, origin})
}

// adopt has a memory that is the same as what comes from an origin known by that from now on.
func (e *originChange) adopt(k *knownVerbatim, v Verbatim, origin originPlace) {
	if origin.name == "" || len(k.origins[origin]) > 0 {
		return
	}
	if _, gone := k.gone[origin]; gone {
		return
	}
	if t := k.twinOf(v, origin.scopeID); t != nil {
		t.origins = append(t.origins, origin.name)
		k.origins[origin] = append(k.origins[origin], t)
		e.know(t.id, origin)
	}
}

func (e *originChange) queue(b *pgx.Batch, tenant string) {
	if len(e.ended) > 0 {
		b.Queue(originEnded, tenant, e.ended, e.by, e.at)
	}
	for _, change := range []struct {
		sql string
		of  []knownBy
	}{{originLeft, e.left}, {originInsert, e.known}} {
		var scopes []int64
		var names []string
		var ids []memoryID
		for _, k := range change.of {
			scopes, names, ids = append(scopes, k.origin.scopeID), append(names, k.origin.name), append(ids, k.id)
		}
		if len(ids) > 0 {
			b.Queue(change.sql, tenant, scopes, names, ids)
		}
	}
}

// ownOrigin begins the origins of what was learned here, exported as it is, and comes back.
const ownOrigin = "memd-memory-"

const (
	twinColumns = `m.id, s.id, m.memory, coalesce(m.app_id, ''), coalesce(m.user_id, ''), m.agent_ids, m.run_ids,
	       coalesce(m.actor_id, ''), m.role, m.metadata, ARRAY(SELECT g.origin FROM memory_origin g WHERE g.memory_id = m.id AND g.tenant_id = $1),
	       m.valid_from, m.valid_to IS NULL AND (m.expires_at IS NULL OR m.expires_at > now()), cardinality(m.edited) > 0`

	ofIdentities = `
	 CROSS JOIN LATERAL (SELECT id FROM memory_scope s WHERE s.tenant_id = $1 AND s.key = k.key OFFSET 0) s`

	ofOrigins = `
	  FROM unnest($2::bytea[], $3::text[]) AS k (key, name)` + ofIdentities + `
	 CROSS JOIN LATERAL (SELECT memory_id FROM memory_origin g WHERE g.scope_id = s.id AND g.origin = k.name AND g.tenant_id = $1 OFFSET 0) g`

	// originSelect gives the memories of some origins that are there, whatever has become of them.
	originSelect = `
	SELECT ` + twinColumns + `, k.name` + ofOrigins + `
	 CROSS JOIN LATERAL (SELECT * FROM memory m WHERE m.id = g.memory_id AND m.tenant_id = $1 OFFSET 0) m
	 ORDER BY m.created_at, m.id`

	// originGone gives those of some origins that are there no more.
	originGone = `
	SELECT s.id, k.name, g.memory_id::text` + ofOrigins + `
	 WHERE (SELECT m.id FROM memory m WHERE m.id = g.memory_id AND m.tenant_id = $1 OFFSET 0) IS NULL`

	// ownLearned gives those of some origins that are memories which were learned here, or have been.
	ownLearned = `
	SELECT DISTINCT s.id, k.name, h.memory_id::text FROM unnest($2::bytea[], $3::text[]) AS k (key, name)` + ofIdentities + `
	 CROSS JOIN LATERAL (SELECT memory_id, scope_id FROM memory_history h WHERE h.tenant_id = $1
	        AND h.memory_id = CASE WHEN k.name ~ ('^' || $4 || '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$') THEN substr(k.name, length($4) + 1)::uuid END OFFSET 0) h
	 WHERE h.scope_id = s.id`

	originEnded = `
	UPDATE memory m SET valid_to = greatest(r.at, m.valid_from), superseded_by = r.by, updated_at = now()
	  FROM unnest($2::uuid[], $3::uuid[], $4::timestamptz[]) AS r (id, by, at)
	 WHERE m.id = r.id AND m.tenant_id = $1 AND m.id = ANY ($2::uuid[])`

	originLeft = `
	DELETE FROM memory_origin g
	 WHERE g.tenant_id = $1 AND g.memory_id = ANY ($4::uuid[])
	   AND EXISTS (SELECT FROM unnest($2::bigint[], $3::text[], $4::uuid[]) AS r (scope_id, origin, id)
	        WHERE r.id = g.memory_id AND r.origin = g.origin AND r.scope_id = g.scope_id OFFSET 0)`

	originInsert = `
	INSERT INTO memory_origin (tenant_id, scope_id, origin, memory_id)
	SELECT $1, r.scope_id, r.origin, r.id FROM unnest($2::bigint[], $3::text[], $4::uuid[]) AS r (scope_id, origin, id)
	ON CONFLICT DO NOTHING`
)
