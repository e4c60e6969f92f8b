package idempotency

import (
	"bytes"
	"context"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/postgres"
)

func TestMain(m *testing.M) { memdtest.Main(m) }

func open(t *testing.T) (*Store, *postgres.Pool) {
	t.Helper()
	_, appURL := memdtest.Prepared(t, "schema", postgres.Migrate)
	pool, err := postgres.Open(t.Context(), appURL, postgres.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return New(pool), pool
}

const tenant = "acme"

func key(name, body string) Key { return NewKey("POST", "/v1/memories", name, []byte(body)) }

func claimed(t *testing.T, s *Store, tenant string, k Key) *Claim {
	t.Helper()
	a, c, err := s.Begin(t.Context(), tenant, k)
	if err != nil || a != nil || c == nil {
		t.Fatalf("Begin = %v, %v, %v; want a claim", a, c, err)
	}
	t.Cleanup(c.end)
	return c
}

func TestKeysTellRequestsApart(t *testing.T) {
	same := NewKey("POST", "/v1/a", "k", []byte("b"))
	if same != NewKey("POST", "/v1/a", "k", []byte("b")) {
		t.Error("a key is not that of the same request")
	}
	for _, other := range []Key{
		NewKey("PATCH", "/v1/a", "k", nil), NewKey("POST", "/v1/b", "k", nil), NewKey("POST", "/v1/a", "l", nil),
		NewKey("POST", "/v1/", "ak", nil), NewKey("POST/v1/a", "", "k", nil),
	} {
		if other.Hash == same.Hash {
			t.Error("two requests share a hash")
		}
	}
	if NewKey("POST", "/v1/a", "k", []byte("c")).Body == same.Body {
		t.Error("two bodies share a hash")
	}
}

func TestTheSameWriteGetsTheSameAnswer(t *testing.T) {
	s, _ := open(t)
	want := Answer{201, "application/json", []byte("{\"a\":\x00}")}
	if err := claimed(t, s, tenant, key("k", "body")).Keep(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	a, c, err := s.Begin(t.Context(), tenant, key("k", "body"))
	if err != nil || c != nil || !reflect.DeepEqual(*a, want) {
		t.Errorf("Begin = %+v, %v, %v, want the answer", a, c, err)
	}
	if _, _, err := s.Begin(t.Context(), tenant, key("k", "other")); memd.KindOf(err) != memd.Invalid {
		t.Errorf("another body = %v, want Invalid", err)
	}
	claimed(t, s, "other", key("k", "other")).Drop(t.Context())
	claimed(t, s, tenant, key("l", "body")).Drop(t.Context())
}

func TestOnlySuccessIsKept(t *testing.T) {
	s, _ := open(t)
	for _, status := range []int{199, 300, 422, 500} {
		if err := claimed(t, s, tenant, key("k", "b")).Keep(t.Context(), Answer{Status: status}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	c := claimed(t, s, tenant, key("k", "b"))
	cancel()
	c.Drop(ctx) // the caller has gone; its key must not stay in use
	claimed(t, s, tenant, key("k", "b"))
}

func TestASecondOneWaitsForTheFirst(t *testing.T) {
	s, _ := open(t)
	c := claimed(t, s, tenant, key("k", "b"))
	var waiting sync.WaitGroup
	for range 5 {
		waiting.Go(func() {
			a, _, err := s.Begin(t.Context(), tenant, key("k", "b"))
			if err != nil || a == nil || !bytes.Equal(a.Body, []byte("yes")) {
				t.Errorf("Begin = %v, %v, want the first one's answer", a, err)
			}
		})
	}
	if err := c.Keep(t.Context(), Answer{Status: 200, Body: []byte("yes")}); err != nil {
		t.Fatal(err)
	}
	waiting.Wait()
}

func TestAFirstOneThatTakesLongIsAConflict(t *testing.T) {
	s, _ := open(t)
	s.wait = 50 * time.Millisecond
	claimed(t, s, tenant, key("k", "b"))
	_, _, err := s.Begin(t.Context(), tenant, key("k", "b"))
	if memd.KindOf(err) != memd.Conflict || memd.RetryAfterOf(err) <= 0 {
		t.Errorf("Begin = %v, want Conflict with RetryAfter", err)
	}
	if _, _, err := s.Begin(t.Context(), tenant, key("k", "c")); memd.KindOf(err) != memd.Invalid {
		t.Errorf("another body while the first is at work = %v, want Invalid", err)
	}
}

func TestOneOfManyGetsTheClaim(t *testing.T) {
	s, _ := open(t)
	s.wait = 0
	var at sync.WaitGroup
	claims := make(chan *Claim, 20)
	for range 20 {
		at.Go(func() {
			if _, c, _ := s.Begin(t.Context(), tenant, key("k", "b")); c != nil {
				claims <- c
			}
		})
	}
	at.Wait()
	if len(claims) != 1 {
		t.Errorf("%d of 20 got the claim", len(claims))
	}
	close(claims)
	for c := range claims {
		c.Drop(t.Context())
	}
}

// Who does a write may be killed; its caller tries again and must not be kept waiting.
func TestAKeyIsFreeSoonAfterItsHolderIsGone(t *testing.T) {
	s, _ := open(t)
	if s.lease > 30*time.Second {
		t.Errorf("a claim that nobody renews holds for %s", s.lease)
	}
	s.lease, s.wait = 200*time.Millisecond, time.Minute
	lost := claimed(t, s, tenant, key("k", "b"))
	lost.end() // all that is left of it stands in the table
	c := claimed(t, s, tenant, key("k", "b"))
	if err := lost.Keep(t.Context(), Answer{Status: 200, Body: []byte("late")}); memd.KindOf(err) != memd.Conflict {
		t.Errorf("Keep of the lost claim = %v, want Conflict", err)
	}
	if err := c.Keep(t.Context(), Answer{Status: 200, Body: []byte("new")}); err != nil {
		t.Errorf("Keep of the new claim = %v", err)
	}
}

// A write may take longer than a claim holds by itself.
func TestAClaimAtWorkOutlivesItsLease(t *testing.T) {
	s, pool := open(t)
	s.lease, s.wait = 3*time.Second, 0
	c := claimed(t, s, tenant, key("k", "b"))
	var first time.Time
	ask := func(sql string, into any, args ...any) {
		t.Helper()
		b := postgres.TenantBatch(tenant)
		b.Queue(sql, args...).QueryRow(func(row pgx.Row) error { return row.Scan(into) })
		if err := pool.SendBatch(t.Context(), b).Close(); err != nil {
			t.Fatal(err)
		}
	}
	ask("SELECT claimed_until FROM idempotency", &first)
	memdtest.Until(t, "the first lease is over", func() (over bool) {
		ask("SELECT clock_timestamp() > $1", &over, first)
		return over
	})
	if _, other, err := s.Begin(t.Context(), tenant, key("k", "b")); other != nil || memd.KindOf(err) != memd.Conflict {
		t.Errorf("Begin = %v, %v, want Conflict", other, err)
	}
	if err := c.Keep(t.Context(), Answer{Status: 200, Body: []byte("done")}); err != nil {
		t.Fatalf("Keep = %v", err)
	}
	if a, _, err := s.Begin(t.Context(), tenant, key("k", "b")); err != nil || a == nil || string(a.Body) != "done" {
		t.Errorf("Begin = %v, %v, want the answer", a, err)
	}
}

func TestAClaimLeftBehindIsTakenOverOnce(t *testing.T) {
	s, pool := open(t)
	lost := claimed(t, s, tenant, key("k", "b"))
	age(t, pool, "claimed_until = claimed_until - interval '1 hour'")
	s.wait = 0
	if _, _, err := s.Begin(t.Context(), tenant, key("k", "c")); memd.KindOf(err) != memd.Invalid {
		t.Errorf("another body = %v, want Invalid", err)
	}
	c := claimed(t, s, tenant, key("k", "b"))
	if err := lost.Keep(t.Context(), Answer{Status: 200, Body: []byte("late")}); memd.KindOf(err) != memd.Conflict {
		t.Errorf("Keep of the lost claim = %v, want Conflict", err)
	}
	lost.Drop(t.Context())
	if err := c.Keep(t.Context(), Answer{Status: 200, Body: []byte("new")}); err != nil {
		t.Errorf("Keep of the new claim = %v", err)
	}
}

func TestADayLaterTheKeyIsFree(t *testing.T) {
	s, pool := open(t)
	if err := claimed(t, s, tenant, key("k", "b")).Keep(t.Context(), Answer{Status: 200}); err != nil {
		t.Fatal(err)
	}
	age(t, pool, "created_at = created_at - interval '25 hours'")
	claimed(t, s, tenant, key("k", "other"))
}

// age moves every row back, as the tenant.
func age(t *testing.T, pool *postgres.Pool, set string) {
	t.Helper()
	b := postgres.TenantBatch(tenant)
	b.Queue("UPDATE idempotency SET " + set)
	if err := pool.SendBatch(t.Context(), b).Close(); err != nil {
		t.Fatal(err)
	}
}

// A row as a write to the log leaves it.
func TestWhatAWriteToTheLogLeft(t *testing.T) {
	s, pool := open(t)
	k := key("k", "b")
	insert := func() error {
		b := postgres.TenantBatch(tenant)
		b.Queue(InsertAppended+`VALUES ($1, $2, $3, '{4,5}', '{t,f}', '{done,pending}')`, tenant, k.Hash[:], k.Body[:])
		return pool.SendBatch(t.Context(), b).Close()
	}
	if err := insert(); err != nil {
		t.Fatal(err)
	}
	if err := insert(); !postgres.Violates(err, AppendedConstraint) {
		t.Errorf("a second insert = %v, want a violation of %s", err, AppendedConstraint)
	}
	a, found, err := s.Appended(t.Context(), tenant, k)
	want := Appended{[]int64{4, 5}, []bool{true, false}, []string{"done", "pending"}}
	if err != nil || !found || !reflect.DeepEqual(a, want) {
		t.Errorf("Appended = %+v, %v, %v, want %+v", a, found, err, want)
	}
	if _, _, err := s.Appended(t.Context(), tenant, key("k", "c")); memd.KindOf(err) != memd.Invalid {
		t.Errorf("another body = %v, want Invalid", err)
	}
	if _, found, err := s.Appended(t.Context(), "other", k); found || err != nil {
		t.Errorf("another tenant's = %v, %v", found, err)
	}
	age(t, pool, "created_at = created_at - interval '25 hours'")
	if _, found, err := s.Appended(t.Context(), tenant, k); found || err != nil {
		t.Errorf("after a day = %v, %v", found, err)
	}
	if err := insert(); err != nil {
		t.Errorf("the key is not free after a day: %v", err)
	}
	claimed(t, s, tenant, key("claimed", "b"))
	if _, _, err := s.Appended(t.Context(), tenant, key("claimed", "b")); memd.KindOf(err) != memd.Conflict {
		t.Errorf("a key claimed by another kind of write = %v, want Conflict", err)
	}
}

func TestQueriesPrepare(t *testing.T) {
	_, pool := open(t)
	c, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	for name, sql := range map[string]string{
		"dropExpired": dropExpired, "readAppended": readAppended, "claim": claim, "readAnswer": readAnswer,
		"keep": keep, "renew": renew, "drop": drop, "InsertAppended": InsertAppended + "SELECT $1, $2, $3, $4, $5, $6",
	} {
		if _, err := c.Conn().Prepare(t.Context(), name, sql); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A statement that forgets its tenant sees and does nothing.
func TestWithoutATenantNothingIsSeen(t *testing.T) {
	s, pool := open(t)
	k := key("k", "b")
	c := claimed(t, s, tenant, k)
	var n int
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM idempotency").Scan(&n); err != nil || n != 0 {
		t.Errorf("without a tenant: %d rows, %v", n, err)
	}
	if _, err := pool.Exec(t.Context(), claim, tenant, k.Hash[:], k.Body[:], claimLease); err == nil {
		t.Error("a row could be written without a tenant")
	}
	c.Drop(t.Context())
}
