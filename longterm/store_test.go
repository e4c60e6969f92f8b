package longterm

import (
	"context"
	"encoding/json"
	"flag"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/postgres"
)

func TestMain(m *testing.M) {
	// More are a flag away.
	if err := flag.Set("rapid.checks", checks); err != nil {
		panic(err)
	}
	memdtest.Main(m)
}

const tenant = "acme"

// bench is a store on a database of its own.
type bench struct {
	testing.TB
	*Store
	owner string
}

func newStore(t testing.TB) *bench { return newStoreWith(t, postgres.Config{}) }

func newStoreWith(t testing.TB, cfg postgres.Config) *bench {
	t.Helper()
	owner, app := memdtest.Prepared(t, "longterm", postgres.Migrate)
	pool, err := postgres.Open(t.Context(), app, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return &bench{t, New(pool, Config{}), owner}
}

func (b *bench) ctx() context.Context { return b.Context() }

// dimensions of the vectors of tests.
const dimensions = 64

// vectorOf makes a vector in which texts that share words lie near to each other.
func vectorOf(text string) []float32 {
	v := make([]float32, dimensions)
	for _, w := range strings.Fields(strings.ToLower(text)) {
		h := fnv.New64a()
		h.Write([]byte(strings.Trim(w, ".,:;!?")))
		r := rand.New(rand.NewPCG(h.Sum64(), 1))
		for i := range v {
			v[i] += float32(r.NormFloat64())
		}
	}
	var norm float64
	for _, x := range v {
		norm += float64(x) * float64(x)
	}
	if norm = math.Sqrt(norm); norm == 0 {
		v[0], norm = 1, 1
	}
	for i := range v {
		v[i] /= float32(norm)
	}
	return v
}

const model = "words"

// say writes messages to the log, as the short tier would, and gives them as they are
// claimed.
func (b *bench) say(messages ...memd.Message) []memd.Message {
	b.Helper()
	err := b.pool.InTenant(b.ctx(), tenant, func(tx pgx.Tx) error {
		for i := range messages {
			m := &messages[i]
			if m.Role == "" {
				m.Role = memd.RoleUser
			}
			if m.CreatedAt.IsZero() {
				m.CreatedAt = time.Now().UTC()
			}
			m.CreatedAt = m.CreatedAt.Truncate(time.Microsecond)
			var no int64
			kind := "chat"
			if strings.HasPrefix(m.SessionID, "direct-") {
				kind = "direct"
			}
			err := tx.QueryRow(b.ctx(), `INSERT INTO conversation_session (tenant_id, user_id, session_id, kind) VALUES ($1, $2, $3, $4)
				ON CONFLICT (tenant_id, user_id, session_id) DO UPDATE SET messages = conversation_session.messages + 1 RETURNING no, messages`,
				tenant, m.UserID, m.SessionID, kind).Scan(&no, &m.Position)
			if err != nil {
				return err
			}
			err = tx.QueryRow(b.ctx(), `INSERT INTO conversation_context (tenant_id, user_id, session_id, role, message, created_at, session_no, position, learn, agent_id, app_id, actor_id, metadata, learn_as)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, true, nullif($9, ''), nullif($10, ''), nullif($11, ''), $12, $13) RETURNING id`,
				tenant, m.UserID, m.SessionID, string(m.Role), encode(b, map[string]string{"role": string(m.Role), "content": m.Text}), m.CreatedAt, no, m.Position, m.AgentID, m.AppID, m.Name, m.Metadata, m.LearnAs).Scan(&m.ID)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return messages
}

// whole makes of each message one candidate that says the same.
func whole(messages []memd.Message) Learned {
	l := Learned{Messages: messages, Model: model, Extractor: "test/1"}
	for _, m := range messages {
		if !m.Role.Learnable() {
			continue
		}
		l.Candidates = append(l.Candidates, memd.Candidate{Text: m.Text, Role: m.Role, ActorID: m.Name, SaidAt: m.CreatedAt, Sources: []int64{m.ID}})
		l.Vectors = append(l.Vectors, vectorOf(EmbedText(m.Name, m.Text)))
	}
	return l
}

func (b *bench) consolidate(l Learned) {
	b.Helper()
	if err := b.pool.InTenant(b.ctx(), tenant, func(tx pgx.Tx) error { return b.Consolidate(b.ctx(), tx, tenant, l) }); err != nil {
		b.Fatal(err)
	}
}

// learn says messages and makes a memory of each.
func (b *bench) learn(messages ...memd.Message) []memd.Message {
	b.Helper()
	messages = b.say(messages...)
	b.consolidate(whole(messages))
	return messages
}

// edit changes the only memory there is.
func (b *bench) edit(e Edit) memd.Memory {
	b.Helper()
	if e.ID == "" {
		e.ID = query[string](b, `SELECT id::text FROM memory`)
	}
	if e.Text != nil && e.Vector == nil {
		e.Vector, e.Model = vectorOf(*e.Text), model
	}
	ms, err := b.Edit(b.ctx(), tenant, []Edit{e}, "api")
	if err != nil {
		b.Fatal(err)
	}
	return ms[0]
}

// verbatim stores texts of a user, with their vectors.
func (b *bench) verbatim(user string, texts ...string) []Event {
	b.Helper()
	var vs []Verbatim
	for _, text := range texts {
		vs = append(vs, Verbatim{Scope: memd.Scope{UserID: user}, Text: text, Role: "user", Vector: vectorOf(text), Model: model})
	}
	events, err := b.AddVerbatim(b.ctx(), tenant, vs)
	if err != nil {
		b.Fatal(err)
	}
	return events
}

// ask completes a query with its vector.
func ask(text string, scope memd.Scope) Query {
	return Query{Scope: scope, Text: text, Vector: vectorOf(text), Model: model}
}

func (b *bench) search(q Query) []Hit {
	b.Helper()
	hits, err := b.Search(b.ctx(), tenant, q)
	if err != nil {
		b.Fatal(err)
	}
	return hits
}

func (b *bench) list(l ListQuery) []memd.Memory {
	b.Helper()
	ms, total, next, err := b.List(b.ctx(), tenant, l)
	if err != nil {
		b.Fatal(err)
	}
	if next == "" && l.Offset == 0 && l.Cursor == "" && total != len(ms) {
		b.Fatalf("total is %d, but there are %d", total, len(ms))
	}
	return ms
}

func texts(ms []memd.Memory) []string {
	all := make([]string, len(ms))
	for i, m := range ms {
		all[i] = m.Memory
	}
	return all
}

func found(hits []Hit) []string {
	all := make([]string, len(hits))
	for i, h := range hits {
		all[i] = h.Memory.Memory
	}
	return all
}

func user(id string) memd.Scope { return memd.Scope{UserID: id} }

func same[T comparable](t testing.TB, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("got  %v\nwant %v", got, want)
	}
}

func sameSet(t testing.TB, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Fatalf("got  %q\nwant %q", got, want)
	}
}

func kind(t testing.TB, err error, want memd.Kind) {
	t.Helper()
	if err == nil || memd.KindOf(err) != want {
		t.Fatalf("error is %v, want one of kind %s", err, want)
	}
}

// query runs SQL for the tenant and gives the one value it yields.
func query[T any](b *bench, sql string, args ...any) T {
	b.Helper()
	var v T
	if err := b.pool.InTenant(b.ctx(), tenant, func(tx pgx.Tx) error { return tx.QueryRow(b.ctx(), sql, args...).Scan(&v) }); err != nil {
		b.Fatalf("%s: %v", sql, err)
	}
	return v
}

func (b *bench) exec(sql string, args ...any) {
	b.Helper()
	if err := b.pool.InTenant(b.ctx(), tenant, func(tx pgx.Tx) error { _, err := tx.Exec(b.ctx(), sql, args...); return err }); err != nil {
		b.Fatalf("%s: %v", sql, err)
	}
}

// checkCounters holds the kept sums to what there is.
func (b *bench) checkCounters() {
	b.Helper()
	wrong := query[string](b, `
		SELECT coalesce(string_agg(format('scope %s: %s', s.id, s), E'\n'), '') FROM memory_scope s
		 CROSS JOIN LATERAL (SELECT count(*) AS messages, coalesce(sum(length), 0) AS terms FROM message_posting p WHERE p.scope_id = s.id AND p.term = 0) p
		 CROSS JOIN LATERAL (SELECT count(*) AS memories FROM memory m WHERE m.scope_id = s.id) m
		 CROSS JOIN LATERAL (SELECT coalesce(sum(length), 0) AS terms FROM (SELECT DISTINCT memory_id, length FROM memory_posting p WHERE p.scope_id = s.id) d) q
		 WHERE s.messages <> p.messages OR s.message_terms <> p.terms OR s.memories <> m.memories OR s.memory_terms <> q.terms`)
	if wrong != "" {
		b.Fatal(wrong)
	}
}

func TestLearnAndSearch(t *testing.T) {
	b := newStore(t)
	said := b.learn(
		memd.Message{UserID: "alice", SessionID: "s1", AgentID: "helper", Name: "bob", Text: "I moved to Lisbon last week", Metadata: json.RawMessage(`{"mood":"good"}`)},
		memd.Message{UserID: "alice", SessionID: "s1", Text: "My dog is called Biscuit"},
		memd.Message{UserID: "alice", SessionID: "s1", Role: memd.RoleAssistant, Text: "Lisbon is lovely in spring"},
	)
	hits := b.search(ask("Where did bob move?", user("alice")))
	if len(hits) != 3 || hits[0].Memory.Memory != "I moved to Lisbon last week" {
		t.Fatalf("found %q", found(hits))
	}
	m := hits[0].Memory
	if *m.UserID != "alice" || *m.AgentID != "helper" || *m.RunID != "s1" || *m.ActorID != "bob" || m.Role != "user" || m.AppID != nil ||
		string(m.Metadata) != `{"mood": "good"}` || m.Event != "RETRIEVE" || !m.ValidFrom.Equal(said[0].CreatedAt) || m.Categories == nil {
		t.Fatalf("%+v", m)
	}
	same(t, m.Sources, []int64{said[0].ID})
	got, err := b.Get(t.Context(), tenant, m.ID, memd.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]memd.Memory{"get": got, "list": b.list(ListQuery{Scope: user("alice")})[2]} {
		if a, b := encode(t, m), encode(t, other); a != b {
			t.Errorf("search gives %s\n%s gives %s", a, name, b)
		}
	}
	of, _, err := b.MemoriesOf(t.Context(), tenant, []int64{said[0].ID, said[2].ID, 999})
	if err != nil || len(of) != 2 || of[said[0].ID][0] != m.ID {
		t.Fatalf("%v, %v", of, err)
	}
	events, err := b.EventsOf(t.Context(), tenant, []int64{said[1].ID})
	if err != nil || len(events) != 1 || events[0].Event != EventAdd || events[0].Memory != "My dog is called Biscuit" {
		t.Fatalf("%v, %v", events, err)
	}
	b.checkCounters()
}

func encode(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
