package longterm

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// byAPI is who changes memories by request.
const byAPI = "api"

const reasonVerbatim = "stored as given"

// AddVerbatim stores memories as they were given, all or none, and says of each what
// became of it, in their order. One whose text, ids, actor, role and metadata are those
// of a live verbatim memory is that memory: its event is NONE. Any other is a memory of
// its own. What has no vector is found by its words until it has one.
func (s *Store) AddVerbatim(ctx context.Context, tenant string, vs []Verbatim) ([]Event, error) {
	if len(vs) == 0 {
		return []Event{}, nil
	}
	var events []Event
	err := s.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		var err error
		events, err = s.AddVerbatimIn(ctx, tx, tenant, vs)
		return err
	})
	return events, err
}

// AddVerbatimIn is AddVerbatim within tx, which must be the tenant's.
func (s *Store) AddVerbatimIn(ctx context.Context, tx pgx.Tx, tenant string, vs []Verbatim) ([]Event, error) {
	if len(vs) == 0 {
		return []Event{}, nil
	}
	if err := checkVerbatim(vs); err != nil {
		return nil, err
	}
	return addVerbatim(ctx, tx, tenant, vs)
}

func checkVerbatim(vs []Verbatim) error {
	model := ""
	for _, v := range vs {
		if _, _, err := reachOf(v.Scope, Filter{}, false); err != nil {
			return err
		}
		if v.Vector == nil {
			continue
		}
		if model != "" && v.Model != model {
			return &memd.Error{Kind: memd.Internal, Op: "longterm.add", Msg: "vectors of two models in one call"}
		}
		model = v.Model
	}
	return nil
}

func addVerbatim(ctx context.Context, tx pgx.Tx, tenant string, vs []Verbatim) ([]Event, error) {
	all := make([]identity, len(vs))
	for i, v := range vs {
		all[i] = identityOf(v.Scope)
	}
	scopes := newIdentities(tenant, all)
	keys, hashes := make([][]byte, 0, len(vs)), make([]string, 0, len(vs))
	asked := map[string]bool{}
	for i := range vs {
		vs[i].Text, vs[i].ActorID = clean(vs[i].Text), clean(vs[i].ActorID)
		key := scopes.keys[scopes.at[all[i]]]
		for _, hash := range hashesOf(vs[i].Text) {
			if k := string(key) + hash; !asked[k] {
				asked[k] = true
				keys, hashes = append(keys, key), append(hashes, hash)
			}
		}
	}
	app, user, agent, run := scopes.columns()
	type twin struct {
		id              memoryID
		text, app, user string
		agents, runs    []string
		actor, role     string
		metadata        []byte
	}
	known := map[string][]twin{} // by scope and text
	place := func(scopeID int64, text string) string { return string(scopes.keys[scopes.byID[scopeID]]) + text }
	var now time.Time

	b := &pgx.Batch{}
	b.Queue(pinPlans)
	queueLocks(b, tenant, scopes.keys)
	b.Queue(`SELECT now()`).QueryRow(func(row pgx.Row) error { return row.Scan(&now) })
	b.Queue(scopeInsert, tenant, scopes.keys, app, user, agent, run)
	b.Queue(scopeSelect, tenant, scopes.keys).Query(scopes.scan)
	b.Queue(verbatimSelect, tenant, keys, hashes).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var t twin
			var scopeID int64
			var hash string
			if err := rows.Scan(&t.id, &scopeID, &hash, &t.text, &t.app, &t.user, &t.agents, &t.runs, &t.actor, &t.role, &t.metadata); err != nil {
				return err
			}
			known[place(scopeID, t.text)] = append(known[place(scopeID, t.text)], t)
		}
		return rows.Err()
	})
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return nil, postgres.Err("longterm.add", err)
	}

	w := &writes{}
	events := make([]Event, len(vs))
	for i, v := range vs {
		scopeID, hash := scopes.ids[scopes.at[all[i]]], hashOf(v.Text)
		at := place(scopeID, v.Text)
		same := slices.IndexFunc(known[at], func(t twin) bool {
			return t.app == v.Scope.AppID && t.user == v.Scope.UserID &&
				slices.Equal(t.agents, list(v.Scope.AgentID)) && slices.Equal(t.runs, list(v.Scope.RunID)) &&
				t.actor == v.ActorID && t.role == v.Role && sameJSON(t.metadata, v.Metadata)
		})
		if same >= 0 {
			events[i] = Event{ID: uuid.UUID(known[at][same].id).String(), Memory: v.Text, Event: EventNone}
			continue
		}
		id, err := newID()
		if err != nil {
			return nil, &memd.Error{Kind: memd.Internal, Op: "longterm.add", Err: err}
		}
		said := v.SaidAt
		if said.IsZero() || said.After(now) {
			said = now
		}
		m := newMemory{
			id: id, scopeID: scopeID, app: v.Scope.AppID, user: v.Scope.UserID, agents: list(v.Scope.AgentID), runs: list(v.Scope.RunID),
			actor: v.ActorID, role: v.Role, scope: v.MemoryScope, memType: v.MemoryType, categories: v.Categories,
			metadata: json.RawMessage(object(v.Metadata)), text: v.Text, hash: hash, verbatim: true,
			validFrom: said.Truncate(time.Microsecond), occurredAt: v.OccurredAt, expiresAt: v.ExpiresAt,
		}
		w.memories = append(w.memories, &held{newMemory: m})
		w.carry(id, m.agents, m.runs)
		if v.Vector != nil {
			w.model = v.Model
		}
		w.embed(id, scopeID, v.Vector, true)
		w.history = append(w.history, historyRow{memory: id, scopeID: scopeID, event: EventAdd, text: v.Text, hash: hash, reason: reasonVerbatim, by: byAPI})
		known[at] = append(known[at], twin{id, v.Text, m.app, m.user, m.agents, m.runs, m.actor, m.role, m.metadata})
		events[i] = Event{ID: uuid.UUID(id).String(), Memory: v.Text, Event: EventAdd}
	}
	b = &pgx.Batch{}
	w.queue(b, tenant)
	b.Queue(unpinPlans)
	return events, postgres.Err("longterm.add", exec(ctx, tx, b))
}

// list gives an id as a list of one, or none.
func list(id string) []string {
	if id == "" {
		return nil
	}
	return []string{id}
}
