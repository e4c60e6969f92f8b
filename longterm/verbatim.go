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
//
// One with an Origin is known by that, whatever has become of it: what a person took away or
// rewrote, and what has expired, does not come back by it. If it reads otherwise than it did, it
// takes the place of what was known by that origin, unless it was said before it.
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
		vs[i].Text, vs[i].ActorID, vs[i].Origin = clean(vs[i].Text), clean(vs[i].ActorID), clean(vs[i].Origin)
		key := scopes.keys[scopes.at[all[i]]]
		for _, hash := range hashesOf(vs[i].Text) {
			if k := string(key) + hash; !asked[k] {
				asked[k] = true
				keys, hashes = append(keys, key), append(hashes, hash)
			}
		}
	}
	app, user, agent, run := scopes.columns()
	k := newKnownVerbatim(scopes)
	var now time.Time

	b := &pgx.Batch{}
	b.Queue(pinPlans)
	queueLocks(b, tenant, scopes.keys)
	b.Queue(`SELECT now()`).QueryRow(func(row pgx.Row) error { return row.Scan(&now) })
	b.Queue(scopeInsert, tenant, scopes.keys, app, user, agent, run)
	b.Queue(scopeSelect, tenant, scopes.keys).Query(scopes.scan)
	b.Queue(verbatimSelect, tenant, keys, hashes).Query(k.scanTwins)
	k.queueOrigins(b, tenant, vs, all)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return nil, postgres.Err("longterm.add", err)
	}

	w := &writes{}
	e := &originChange{}
	events := make([]Event, len(vs))
	for i, v := range vs {
		scopeID, hash := scopes.ids[scopes.at[all[i]]], hashOf(v.Text)
		said := v.SaidAt
		if said.IsZero() || said.After(now) {
			said = now
		}
		said = said.Truncate(time.Microsecond)
		origin := originPlace{scopeID, v.Origin}
		if id, ok := k.of(v, origin, said); ok {
			events[i] = Event{ID: id, Memory: v.Text, Event: EventNone}
			e.adopt(k, v, origin)
			continue
		}
		id, err := newID()
		if err != nil {
			return nil, &memd.Error{Kind: memd.Internal, Op: "longterm.add", Err: err}
		}
		m := newMemory{
			id: id, scopeID: scopeID, app: v.Scope.AppID, user: v.Scope.UserID, agents: list(v.Scope.AgentID), runs: list(v.Scope.RunID),
			actor: v.ActorID, role: v.Role, scope: v.MemoryScope, memType: v.MemoryType, categories: v.Categories,
			metadata: json.RawMessage(object(v.Metadata)), text: v.Text, hash: hash, verbatim: true,
			validFrom: said, occurredAt: v.OccurredAt, expiresAt: v.ExpiresAt,
		}
		w.memories = append(w.memories, &held{newMemory: m})
		w.carry(id, m.agents, m.runs)
		if v.Vector != nil {
			w.model = v.Model
		}
		w.embed(id, scopeID, v.Vector, true)
		w.history = append(w.history, historyRow{memory: id, scopeID: scopeID, event: EventAdd, text: v.Text, hash: hash, reason: reasonVerbatim, by: byAPI})
		t := &twin{id: id, text: v.Text, app: m.app, user: m.user, agents: m.agents, runs: m.runs, actor: m.actor, role: m.role, metadata: m.metadata,
			from: said, current: true}
		if origin.name != "" {
			for _, was := range slices.Clone(k.origins[origin]) {
				switch {
				case !was.current:
				case len(was.origins) > 1: // others still say so
					e.leave(k, was, origin)
				default:
					e.end(was, id, said)
					w.ended = append(w.ended, vectorRow{memory: was.id, scopeID: scopeID})
					w.history = append(w.history, historyRow{memory: was.id, scopeID: scopeID, event: EventUpdate, previous: &was.text, text: was.text, hash: hashOf(was.text), reason: reasonSuperseded, by: byAPI})
				}
			}
			e.know(id, origin)
			t.origins = []string{origin.name}
		}
		k.add(t, scopeID)
		events[i] = Event{ID: uuid.UUID(id).String(), Memory: v.Text, Event: EventAdd}
	}
	b = &pgx.Batch{}
	w.queue(b, tenant)
	e.queue(b, tenant)
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
