package shortterm

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/postgres"
	"github.com/nats-io/nats.go"
	"github.com/rs/zerolog"
)

func TestMain(m *testing.M) {
	// More are a flag away.
	if err := flag.Set("rapid.checks", checks); err != nil {
		panic(err)
	}
	memdtest.Main(m)
}

const (
	tenant = "acme"
	user   = "alice"
	// bound is how long anything may take before a test gives up on it.
	bound = 30 * time.Second
)

// fixture is a log on a fresh database, with its queue.
type fixture struct {
	*Log
	pool *postgres.Pool
	bus  *bus.Bus
	// stream is the bus's, on conn.
	stream string
	conn   *nats.Conn
	// owner is the connection string of the schema's owner.
	owner string
}

func open(t testing.TB, cfg Config) fixture {
	t.Helper()
	return openOn(t, memdtest.NATS(t), cfg)
}

func openOn(t testing.TB, conn *nats.Conn, cfg Config) fixture {
	t.Helper()
	owner, appURL := memdtest.Prepared(t, "schema", postgres.Migrate)
	pool, err := postgres.Open(t.Context(), appURL, postgres.Config{MaxConns: 8})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	stream := "TEST_" + nats.NewInbox()[7:]
	b, err := bus.Open(conn, bus.Config{Stream: stream, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), bound)
		defer cancel()
		if err := b.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	cfg.Log = zerolog.Nop()
	return fixture{Log: New(pool, b, cfg), pool: pool, bus: b, stream: stream, conn: conn, owner: owner}
}

// message makes one of role with a text; clientID may be "".
func message(t testing.TB, role memd.Role, text, clientID string) memd.Message {
	t.Helper()
	given := map[string]any{"role": role, "content": text}
	if clientID != "" {
		given["id"] = clientID
	}
	raw, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	m, err := memd.ParseMessage(raw)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// both are the roles that are learned from by default.
var both = []memd.Role{memd.RoleUser, memd.RoleAssistant}

// call is an Append of messages that alternate between user and assistant.
func call(t testing.TB, session string, texts ...string) Append {
	t.Helper()
	a := Append{UserID: user, SessionID: session, Infer: true, Learn: both}
	for i, text := range texts {
		a.Messages = append(a.Messages, message(t, both[i%2], text, ""))
	}
	return a
}

func (f fixture) append(t testing.TB, a Append) Appended {
	t.Helper()
	got, err := f.Append(t.Context(), tenant, a)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func ids(a Appended) (all []int64) {
	for _, m := range a.Messages {
		all = append(all, m.ID)
	}
	return all
}

// query runs SQL as the tenant and gives one number.
func (f fixture) query(t testing.TB, sql string, args ...any) (n int64) {
	t.Helper()
	b := postgres.TenantBatch(tenant)
	b.Queue(sql, args...)
	r := f.pool.SendBatch(t.Context(), b)
	defer r.Close()
	if err := postgres.ReadTenant(r); err != nil {
		t.Fatal(err)
	}
	if err := r.QueryRow().Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// do runs SQL as the tenant.
func (f fixture) do(t testing.TB, sql string, args ...any) {
	t.Helper()
	b := postgres.TenantBatch(tenant)
	b.Queue(sql, args...)
	if err := f.pool.SendBatch(t.Context(), b).Close(); err != nil {
		t.Fatal(err)
	}
}

// checkSession holds a session to what must stay true of it: positions without gaps, in
// the order of ids, and its counters.
func (f fixture) checkSession(t testing.TB, session string, want int) {
	t.Helper()
	_, entries, _, err := f.Messages(t.Context(), tenant, Page{UserID: user, SessionID: session})
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != want {
		t.Errorf("session %s has %d messages, want %d", session, len(entries), want)
	}
	for i, e := range entries {
		if e.Position != i {
			t.Errorf("message %d of session %s is at position %d", i, session, e.Position)
		}
	}
	s, err := f.Session(t.Context(), tenant, user, session)
	if err != nil {
		t.Fatal(err)
	}
	if s.Messages != want {
		t.Errorf("session %s counts %d messages, want %d", session, s.Messages, want)
	}
	if n := f.query(t, `SELECT count(*) FROM conversation_session s WHERE session_id = $1 AND last_message_id IS DISTINCT FROM
		(SELECT max(id) FROM conversation_context c WHERE c.session_no = s.no)`, session); n != 0 {
		t.Errorf("session %s does not know its last message", session)
	}
}

func kind(t testing.TB, what string, err error, want memd.Kind) {
	t.Helper()
	if err == nil || memd.KindOf(err) != want {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func show(a any) string { return fmt.Sprintf("%+v", a) }
