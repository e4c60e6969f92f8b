package shortterm

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/internal/memdtest"
)

// as runs a statement as a tenant.
func (f fixture) as(t *testing.T, tenant, sql string, args ...any) {
	t.Helper()
	err := f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), sql, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// flood opens n messages of a tenant, each of a session of its own, that are due.
func (f fixture) flood(t *testing.T, tenant string, lot int64, n int) {
	t.Helper()
	f.as(t, tenant, `INSERT INTO ingest_open (message_id, tenant_id, session_no, lot, publish_at, opened_at)
		SELECT 1000000000 + $2 * 1000000 + i, $1, 1000000000 + $2 * 1000000 + i, $2, now() - interval '1 min', now() - interval '1 min' FROM generate_series(1, $3) i`, tenant, lot, n)
	owner, err := pgx.Connect(t.Context(), f.owner)
	if err == nil {
		_, err = owner.Exec(t.Context(), `ANALYZE ingest_open`)
		_ = owner.Close(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// takeUntil takes and acks deliveries, the relay looking after each, until wanted comes, and
// says how many came before it.
func (f fixture) takeUntil(t *testing.T, r *Relay, message int64) (before int) {
	t.Helper()
	memdtest.Until(t, "the message is delivered", func() bool {
		ds, err := f.bus.Fetch(t.Context(), 1, 20*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range ds {
			_ = d.Ack()
			if slices.Contains(d.MessageIDs, message) {
				return true
			}
			before++
		}
		if before%16 == 0 {
			if _, err := r.look(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		return false
	})
	return before
}

func (f fixture) looks(t *testing.T) *Relay {
	t.Helper()
	memdtest.Until(t, "the queue is ready", func() bool { return f.bus.Check(t.Context()) == nil })
	r := f.NewRelay(RelayConfig{EmptyFor: time.Hour})
	if _, err := r.look(t.Context()); err != nil {
		t.Fatal(err)
	}
	memdtest.Until(t, "what is due is published", func() bool { n, _, err := f.bus.Backlog(t.Context()); return err == nil && n >= f.bus.Share() })
	return r
}

// A tenant with a hundred thousand open messages, and one whose single message was
// published and lost.
func TestATenantWithMuchLeavesRoomForAnother(t *testing.T) {
	f := open(t, Config{})
	f.flood(t, "busy", 1, 100_000)
	r := f.looks(t)
	live, _, err := f.bus.Tenants(t.Context())
	if err != nil || live["busy"] != f.bus.Share() {
		t.Errorf("the stream holds %v, %v", live, err)
	}
	one := f.append(t, call(t, "s", "1"))
	if n := f.takeUntil(t, r, ids(one)[0]); n > 2*f.bus.Share() {
		t.Errorf("%d deliveries came before it, after it was published at once", n)
	}
	f.do(t, `UPDATE ingest_open SET publish_at = now() WHERE tenant_id = $1`, tenant)
	if n := f.takeUntil(t, r, ids(one)[0]); n > 2*f.bus.Share() {
		t.Errorf("%d deliveries came before it, after it was lost", n)
	}
}

// The same with two people of one tenant: what the second says is not even published while
// the tenant has its share, and comes in its turn.
func TestAPersonWithMuchLeavesRoomForAnother(t *testing.T) {
	f := open(t, Config{})
	f.flood(t, tenant, 1, 20_000)
	f.flood(t, tenant, 2, 5_000)
	r := f.looks(t)
	memdtest.Until(t, "all of it is acknowledged", func() bool { n, _ := f.bus.Published(); return n >= uint64(f.bus.Share()) })
	published, _ := f.bus.Published()
	one := f.append(t, call(t, "s", "1"))
	if n, _ := f.bus.Published(); n != published {
		t.Error("it was published though the tenant had its share")
	}
	f.do(t, `UPDATE ingest_open SET publish_at = now() WHERE message_id = $1`, ids(one)[0])
	if n := f.takeUntil(t, r, ids(one)[0]); n > 2*f.bus.Share() {
		t.Errorf("%d deliveries came before it", n)
	}
}

// Hundreds of people and of tenants at once: all come, and nobody twice before all.
func TestManyTakeTurns(t *testing.T) {
	f := open(t, Config{})
	memdtest.Until(t, "the queue is ready", func() bool { return f.bus.Check(t.Context()) == nil })
	for i := range 20 {
		f.as(t, fmt.Sprint("t", i), `INSERT INTO ingest_open (message_id, tenant_id, session_no, lot, publish_at)
			SELECT $2 * 10000 + i, $1, $2 * 10000 + i, hashtextextended((i % 200)::text, 0), now() - interval '1 s' FROM generate_series(1, 400) i`, fmt.Sprint("t", i), 1+i)
	}
	r := f.NewRelay(RelayConfig{})
	first, err := r.takeDue(t.Context(), 40, f.bus.Share(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]int{}
	for _, m := range first {
		of[m.TenantID]++
	}
	for tenant, n := range of {
		if n != 2 {
			t.Errorf("of %d messages %d are of %s", len(first), n, tenant)
		}
	}
	if len(of) != 20 {
		t.Errorf("of %d tenants, want all", len(of))
	}
	seen := map[int64]bool{}
	for _, m := range first {
		seen[m.MessageID] = true
	}
	for looks := 0; len(seen) < 20*400; looks++ {
		due, err := r.takeDue(t.Context(), 500, f.bus.Share(), 0, nil)
		if err != nil || looks > 400 {
			t.Fatalf("after %d looks %d of 8000 came: %v", looks, len(seen), err)
		}
		for _, m := range due {
			if seen[m.MessageID] {
				t.Fatalf("message %d came twice", m.MessageID)
			}
			seen[m.MessageID] = true
		}
	}
	full, err := r.takeDue(t.Context(), 500, f.bus.Share(), 0, map[string]int{"t1": 1 << 20})
	if err != nil || len(full) != 0 {
		t.Errorf("%d are due again, %v", len(full), err)
	}
}
