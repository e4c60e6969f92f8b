package longterm

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// What is stored as it is and comes from elsewhere is known by what it is known by there. That stands
// in the slot of its memory, which nothing else that is stored so has; and what of it is not to
// come back, in memory_overruled, under the negative number of its identity.

// fromElsewhere begins the slots of such memories.
const fromElsewhere = "from:"

// originSlot is the slot of what has an origin, "" for none.
func originSlot(origin string) string {
	if origin = clean(origin); origin == "" {
		return ""
	}
	return fromElsewhere + origin
}

// withdrawn has what a memory was stored from not bring it about again; false if it has no origin.
func (h *held) withdrawn() (overruled, bool) {
	if !h.verbatim || !strings.HasPrefix(h.slot, fromElsewhere) {
		return overruled{}, false
	}
	return overruled{message: -h.scopeID, hash: h.slot, slot: uuid.UUID(h.id).String()}, true
}

// queueBrought has what a memory was stored from bring it about again.
func (h *held) queueBrought(b *pgx.Batch, tenant string) {
	if o, ok := h.withdrawn(); ok {
		b.Queue(overruledBack, tenant, []int64{o.message}, []string{o.hash})
	}
}

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
	// origin is its slot, "" for none, and from when it was said.
	origin string
	from   time.Time
	// current says that it holds, and has not expired; edited that a person changed it.
	current, edited bool
}

// is says whether it is what is to be stored.
func (t twin) is(v Verbatim) bool {
	return t.text == v.Text && t.app == v.Scope.AppID && t.user == v.Scope.UserID &&
		slices.Equal(t.agents, list(v.Scope.AgentID)) && slices.Equal(t.runs, list(v.Scope.RunID)) &&
		t.actor == v.ActorID && t.role == v.Role && sameJSON(t.metadata, v.Metadata)
}

// knownVerbatim is what is there of what is to be stored.
type knownVerbatim struct {
	scopes *identities
	// twins hold, by identity and text; origins are all that are left, by origin.
	twins   map[string][]twin
	origins map[originPlace][]twin
	// overruled is which memory was taken away or rewritten, or was learned here, by origin.
	overruled map[originPlace]string
}

func (k *knownVerbatim) place(scopeID int64, text string) string {
	return string(k.scopes.keys[k.scopes.byID[scopeID]]) + text
}

func (k *knownVerbatim) add(t twin, scopeID int64) {
	at := k.place(scopeID, t.text)
	k.twins[at] = append(k.twins[at], t)
	if t.origin != "" {
		o := originPlace{scopeID, t.origin}
		for i := range k.origins[o] {
			k.origins[o][i].current = false
		}
		k.origins[o] = append(k.origins[o], t)
	}
}

func (k *knownVerbatim) scanTwins(rows pgx.Rows) error {
	return scanTwins(rows, func(t twin, scopeID int64) {
		at := k.place(scopeID, t.text)
		k.twins[at] = append(k.twins[at], t)
	})
}

func scanTwins(rows pgx.Rows, add func(twin, int64)) error {
	for rows.Next() {
		var t twin
		var scopeID int64
		if err := rows.Scan(&t.id, &scopeID, &t.text, &t.app, &t.user, &t.agents, &t.runs, &t.actor, &t.role, &t.metadata, &t.origin, &t.from, &t.current, &t.edited); err != nil {
			return err
		}
		add(t, scopeID)
	}
	return rows.Err()
}

// queueOrigins asks what is known of the origins that are given.
func (k *knownVerbatim) queueOrigins(b *pgx.Batch, tenant string, vs []Verbatim, of []identity) {
	var keys [][]byte
	var names []string
	for i, v := range vs {
		if name := originSlot(v.Origin); name != "" {
			keys, names = append(keys, k.scopes.keys[k.scopes.at[of[i]]]), append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	b.Queue(originSelect, tenant, keys, names).Query(func(rows pgx.Rows) error {
		return scanTwins(rows, func(t twin, scopeID int64) {
			o := originPlace{scopeID, t.origin}
			if !slices.ContainsFunc(k.origins[o], func(had twin) bool { return had.id == t.id }) {
				k.origins[o] = append(k.origins[o], t)
			}
		})
	})
	b.Queue(ownLearned, tenant, keys, names, ownOrigin).Query(k.scanKnown)
	b.Queue(originOverruled, tenant, keys, names).Query(k.scanKnown)
}

// scanKnown reads which memories origins stand for that bring nothing about.
func (k *knownVerbatim) scanKnown(rows pgx.Rows) error {
	var o originPlace
	var id string
	_, err := pgx.ForEachRow(rows, []any{&o.scopeID, &o.name, &id}, func() error {
		k.overruled[o] = id
		return nil
	})
	return err
}

// of gives the memory that v is, if it is known: one that is the same and holds; or by its
// origin one that went, one that was the same once, one that a person changed, or one that was
// said later.
func (k *knownVerbatim) of(v Verbatim, origin originPlace, said time.Time) (id string, ok bool) {
	if origin.name != "" {
		if id, ok := k.overruled[origin]; ok {
			return id, true
		}
		of := k.origins[origin]
		i := slices.IndexFunc(of, func(t twin) bool { return t.is(v) })
		if i < 0 {
			i = slices.IndexFunc(of, func(t twin) bool { return t.edited || t.from.After(said) })
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
	if i := slices.IndexFunc(of, func(t twin) bool { return t.is(v) }); i >= 0 {
		return &of[i]
	}
	return nil
}

// originChange is what becomes of memories that are there.
type originChange struct {
	ended, by []memoryID
	at        []time.Time
	adopted   []memoryID
	origins   []string
}

func (e *originChange) add(id, by memoryID, at time.Time) {
	e.ended, e.by, e.at = append(e.ended, id), append(e.by, by), append(e.at, at)
}

// adopt gives a memory that was stored without an origin the one by which it is known now.
func (e *originChange) adopt(k *knownVerbatim, v Verbatim, origin originPlace) {
	if origin.name == "" || len(k.origins[origin]) > 0 {
		return
	}
	if _, gone := k.overruled[origin]; gone {
		return
	}
	if t := k.twinOf(v, origin.scopeID); t != nil && t.origin == "" {
		t.origin = origin.name
		k.origins[origin] = append(k.origins[origin], *t)
		e.adopted, e.origins = append(e.adopted, t.id), append(e.origins, origin.name)
	}
}

func (e *originChange) queue(b *pgx.Batch, tenant string) {
	if len(e.ended) > 0 {
		b.Queue(originEnded, tenant, e.ended, e.by, e.at)
	}
	if len(e.adopted) > 0 {
		b.Queue(originAdopted, tenant, e.adopted, e.origins)
	}
}

// ownOrigin begins the slots of what was learned here, exported as it is, and comes back.
const ownOrigin = fromElsewhere + "memd-memory-"

const (
	// ownLearned gives those of some origins that are memories which were learned here.
	ownLearned = `
	SELECT s.id, k.name, m.id::text FROM unnest($2::bytea[], $3::text[]) AS k (key, name)` + ofIdentities + `
	 CROSS JOIN LATERAL (SELECT id FROM memory m WHERE m.scope_id = s.id AND m.tenant_id = $1 AND NOT m.verbatim
	        AND m.id = CASE WHEN k.name ~ ('^' || $4 || '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$') THEN substr(k.name, length($4) + 1)::uuid END OFFSET 0) m`

	twinColumns = `m.id, s.id, m.memory, coalesce(m.app_id, ''), coalesce(m.user_id, ''), m.agent_ids, m.run_ids,
	       coalesce(m.actor_id, ''), m.role, m.metadata, coalesce(m.slot, ''), m.valid_from, m.valid_to IS NULL AND (m.expires_at IS NULL OR m.expires_at > now()), cardinality(m.edited) > 0`

	ofIdentities = `
	 CROSS JOIN LATERAL (SELECT id FROM memory_scope s WHERE s.tenant_id = $1 AND s.key = k.key OFFSET 0) s`

	// originSelect gives the memories of some origins, whatever has become of them.
	originSelect = `
	SELECT ` + twinColumns + `
	  FROM unnest($2::bytea[], $3::text[]) AS k (key, name)` + ofIdentities + `
	 CROSS JOIN LATERAL (SELECT * FROM memory m WHERE m.scope_id = s.id AND m.slot = k.name AND m.slot IS NOT NULL AND m.tenant_id = $1 AND m.verbatim OFFSET 0) m
	 ORDER BY m.created_at, m.id`

	originOverruled = `
	SELECT s.id, o.hash, coalesce(o.slot, '') FROM unnest($2::bytea[], $3::text[]) AS k (key, name)` + ofIdentities + `
	 CROSS JOIN LATERAL (SELECT * FROM memory_overruled o WHERE o.message_id = -s.id AND o.hash = k.name AND o.tenant_id = $1 OFFSET 0) o`

	originEnded = `
	UPDATE memory m SET valid_to = greatest(r.at, m.valid_from), superseded_by = r.by, updated_at = now()
	  FROM unnest($2::uuid[], $3::uuid[], $4::timestamptz[]) AS r (id, by, at)
	 WHERE m.id = r.id AND m.tenant_id = $1 AND m.id = ANY ($2::uuid[])`

	originAdopted = `
	UPDATE memory m SET slot = r.slot FROM unnest($2::uuid[], $3::text[]) AS r (id, slot)
	 WHERE m.id = r.id AND m.tenant_id = $1 AND m.id = ANY ($2::uuid[])`
)
