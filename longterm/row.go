package longterm

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

// memoryID is a UUID as the driver takes it without a detour.
type memoryID = [16]byte

// memoryColumns are those of a row m that memoryRow reads.
const memoryColumns = `m.id, m.scope_id, m.memory, m.user_id, m.agent_ids, m.run_ids, m.app_id, m.actor_id, m.role, m.scope,
	m.memory_type, m.categories, m.metadata, m.hash, m.pinned, m.created_at, m.updated_at, m.occurred_at,
	m.valid_from, m.valid_to, m.superseded_by, m.expires_at, coalesce(m.slot, ''), m.subject, m.value, m.negated`

// memoryColumnsRead is how many these are.
const memoryColumnsRead = 26

// sourcesColumn is the ids of the messages that state m, in any order: asked for one, the
// planner may walk the index of all messages where that looks short.
const sourcesColumn = `ARRAY(SELECT message_id FROM memory_source x WHERE x.memory_id = m.id AND x.tenant_id = m.tenant_id)`

// memoryRow is a row of memory.
type memoryRow struct {
	memd.Memory
	id               memoryID
	scopeID          int64
	agentIDs, runIDs []string
	metadata         []byte
	supersededBy     *memoryID
	related
}

// fields adds to what comes before it where memoryColumns go.
func (r *memoryRow) fields(before []any) []any {
	m := &r.Memory
	return append(before,
		&r.id, &r.scopeID, &m.Memory, &m.UserID, &r.agentIDs, &r.runIDs, &m.AppID, &m.ActorID, &m.Role, &m.Scope,
		&m.MemoryType, &m.Categories, &r.metadata, &m.Hash, &m.Pinned, &m.CreatedAt, &m.UpdatedAt, &m.OccurredAt,
		&m.ValidFrom, &m.ValidTo, &r.supersededBy, &m.ExpiresAt, &r.slot, &r.subject, &r.value, &r.negated)
}

// memory gives the row in the shape that every endpoint gives.
func (r *memoryRow) memory() memd.Memory {
	m := r.Memory
	m.ID = uuid.UUID(r.id).String()
	m.AgentID, m.RunID = first(r.agentIDs), first(r.runIDs)
	r.related.id, r.related.role, r.related.text = r.id, m.Role, m.Memory
	if m.ActorID != nil {
		r.related.actor = *m.ActorID
	}
	if relation, ok := r.relation(); ok {
		m.Relation = &relation
	}
	if m.Categories == nil {
		m.Categories = []string{}
	}
	if m.Sources == nil {
		m.Sources = []int64{}
	}
	slices.Sort(m.Sources)
	m.Metadata = json.RawMessage(r.metadata)
	if r.supersededBy != nil {
		by := uuid.UUID(*r.supersededBy).String()
		m.SupersededBy = &by
	}
	m.CreatedAt, m.UpdatedAt, m.ValidFrom = m.CreatedAt.UTC(), m.UpdatedAt.UTC(), m.ValidFrom.UTC()
	for _, t := range []**time.Time{&m.OccurredAt, &m.ValidTo, &m.ExpiresAt} {
		if *t != nil {
			utc := (*t).UTC()
			*t = &utc
		}
	}
	m.StructuredAttributes = memd.AttributesOf(m.ValidFrom)
	m.Event = "RETRIEVE"
	return m
}

func first(ids []string) *string {
	if len(ids) == 0 {
		return nil
	}
	return &ids[0]
}

// collectMemories reads rows of memoryColumns and sourcesColumn.
func collectMemories(rows pgx.Rows) ([]memd.Memory, error) {
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (memd.Memory, error) {
		var r memoryRow
		err := row.Scan(append(r.fields(nil), &r.Sources)...)
		return r.memory(), err
	})
}

// parseID reads the id of a memory. What is no UUID is the id of no memory.
func parseID(id string) (memoryID, error) {
	u, err := uuid.Parse(id)
	if err != nil || len(id) != 36 {
		return memoryID{}, notFound
	}
	return memoryID(u), nil
}

var notFound = &memd.Error{Kind: memd.NotFound, Msg: "no such memory"}
