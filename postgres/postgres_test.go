package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/postgres"
)

func TestMain(m *testing.M) { memdtest.Main(m) }

// connect opens a plain connection that ends with the test.
func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

// migrated gives a database with the current schema and a pool that works in it.
func migrated(t *testing.T) (ownerURL string, pool *postgres.Pool) {
	t.Helper()
	owner, app := memdtest.Postgres(t)
	if err := postgres.Migrate(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	pool, err := postgres.Open(t.Context(), app, postgres.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return owner, pool
}

// catalog describes all that a schema made: tables, columns, indexes, constraints,
// policies, functions, triggers and grants, in words that do not depend on the order of making.
func catalog(t *testing.T, c *pgx.Conn) []string {
	t.Helper()
	rows, err := c.Query(t.Context(), `
		SELECT format('table %s rls=%s force=%s options=%s', relname, relrowsecurity, relforcerowsecurity, reloptions)
		  FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r','p')
		UNION ALL SELECT format('column %s.%s %s null=%s default=%s identity=%s storage=%s', attrelid::regclass, attname, format_type(atttypid, atttypmod), NOT attnotnull,
		         pg_get_expr(adbin, adrelid), attidentity, attstorage)
		  FROM pg_attribute a JOIN pg_class r ON r.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
		 WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r','p') AND attnum > 0 AND NOT attisdropped
		UNION ALL SELECT format('index %s', indexdef) FROM pg_indexes WHERE schemaname = 'public'
		UNION ALL SELECT format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conrelid <> 0
		UNION ALL SELECT format('policy %s %s %s %s %s %s', tablename, policyname, roles, cmd, qual, with_check) FROM pg_policies WHERE schemaname = 'public'
		UNION ALL SELECT format('function %s', pg_get_functiondef(p.oid)) FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND proname LIKE 'memd%'
		UNION ALL SELECT format('trigger %s', pg_get_triggerdef(oid)) FROM pg_trigger WHERE NOT tgisinternal
		UNION ALL SELECT format('grant %s %s', relname, relacl) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r','p')`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func TestTheMigrationsLeadToTheSchema(t *testing.T) {
	whole, _ := memdtest.Postgres(t)
	steps, _ := memdtest.Postgres(t)
	if err := postgres.Migrate(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	c := connect(t, steps)
	files, err := os.ReadDir("migration")
	if err != nil || len(files) == 0 {
		t.Fatal("no migrations", err)
	}
	for _, f := range files {
		sql, err := os.ReadFile("migration/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Exec(t.Context(), string(sql)); err != nil {
			t.Fatalf("%s: %v", f.Name(), err)
		}
	}
	want, got := catalog(t, connect(t, whole)), catalog(t, c)
	if len(want) < 100 {
		t.Fatalf("the catalog holds only %d entries", len(want))
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("only schema.sql makes: %s", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("only the migrations make: %s", line)
		}
	}
}

func TestMigrateManyAtOnceAndAgain(t *testing.T) {
	owner, _ := memdtest.Postgres(t)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if err := postgres.Migrate(t.Context(), owner); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := postgres.Migrate(t.Context(), owner); err != nil {
		t.Error(err)
	}
}

// A step that waits for a table somebody reads keeps others from it only for a moment.
func TestAMigrationLetsOthersGoOn(t *testing.T) {
	owner, _ := memdtest.Postgres(t)
	first, err := os.ReadFile("migration/0001_initial.sql")
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, owner)
	for _, sql := range []string{string(first), `BEGIN`, `SELECT FROM conversation_context`} {
		if _, err := c.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	err = postgres.Migrate(t.Context(), owner)
	if memd.KindOf(err) != memd.Unavailable {
		t.Errorf("err = %v, want that it is to be tried again", err)
	}
	// Nobody waits for it now.
	if _, err := connect(t, owner).Exec(t.Context(), `SET lock_timeout = '5s'; SELECT FROM conversation_context LIMIT 1`); err != nil {
		t.Error(err)
	}
	if _, err := c.Exec(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	if err := postgres.Migrate(t.Context(), owner); err != nil {
		t.Error(err)
	}
}

func TestMigrateRefusesANewerSchema(t *testing.T) {
	owner, _ := migrated(t)
	c := connect(t, owner)
	if _, err := c.Exec(t.Context(), `CREATE OR REPLACE FUNCTION memd_schema_version() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 999'`); err != nil {
		t.Fatal(err)
	}
	err := postgres.Migrate(t.Context(), owner)
	if memd.KindOf(err) != memd.Invalid || !strings.Contains(err.Error(), "999") {
		t.Errorf("err = %v, want a refusal that names both schemas", err)
	}
}

func TestEveryTableHasItsTenantAndForcedRowSecurity(t *testing.T) {
	owner, _ := migrated(t)
	rows, err := connect(t, owner).Query(t.Context(), `
		SELECT c.relname FROM pg_class c
		 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
		   AND NOT (c.relrowsecurity AND c.relforcerowsecurity
		            AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'tenant_id' AND attnotnull)
		            AND EXISTS (SELECT FROM pg_policies p WHERE p.tablename = c.relname AND p.policyname = 'tenant'))`)
	if err != nil {
		t.Fatal(err)
	}
	open, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if len(open) > 0 {
		t.Errorf("tables that are not held apart: %q", open)
	}
}

func TestAQueryThatForgetsItsTenantSeesNothing(t *testing.T) {
	_, pool := migrated(t)
	if err := pool.CheckRole(t.Context()); err != nil {
		t.Fatal(err)
	}
	insert := `INSERT INTO conversation_session (tenant_id, user_id, session_id) VALUES ($1, 'u', 's')`
	for _, tenant := range []string{"acme", "it's \\ odd"} {
		err := pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), insert, tenant)
			return err
		})
		if err != nil {
			t.Fatalf("tenant %q: %v", tenant, err)
		}
	}
	count := func(q postgres.Querier) (n int) {
		if err := q.QueryRow(t.Context(), `SELECT count(*) FROM conversation_session`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for range 10 { // on connections that had a tenant before, and with generic plans
		if n := count(pool); n != 0 {
			t.Fatalf("without a tenant %d rows are seen", n)
		}
		for _, tenant := range []string{"acme", "it's \\ odd"} {
			err := pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
				if n := count(tx); n != 1 {
					t.Errorf("tenant %q sees %d rows, want its one", tenant, n)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	b := postgres.TenantBatch("acme")
	b.Queue(`SELECT count(*) FROM conversation_session`)
	r := pool.SendBatch(t.Context(), b)
	if err := postgres.ReadTenant(r); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := r.QueryRow().Scan(&n); err != nil || n != 1 {
		t.Errorf("in a batch: %d, %v", n, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	// Writing for another tenant is refused as well.
	err := pool.InTenant(t.Context(), "acme", func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), insert, "globex")
		return err
	})
	if err == nil {
		t.Error("a row of another tenant was written")
	}
}

func TestTheWorkingRoleCanChangeNothingOfTheSchema(t *testing.T) {
	_, pool := migrated(t)
	for _, sql := range []string{
		`DROP TABLE conversation_context`, `ALTER TABLE memory DISABLE ROW LEVEL SECURITY`,
		`CREATE TABLE public.mine (x int)`, `DROP POLICY tenant ON memory`, `TRUNCATE memory`,
		`ALTER ROLE memd_app SUPERUSER`,
	} {
		if _, err := pool.Exec(t.Context(), sql); err == nil {
			t.Errorf("%s was allowed", sql)
		}
	}
}

func TestAPoolOpensWhileTheServerIsAway(t *testing.T) {
	pool, err := postgres.Open(t.Context(), "postgres://memd_app@127.0.0.1:1/memd", postgres.Config{ConnectTimeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	err = pool.InTenant(t.Context(), "acme", func(pgx.Tx) error { return nil })
	if memd.KindOf(err) != memd.Unavailable || memd.RetryAfterOf(err) <= 0 {
		t.Errorf("err = %v, want unavailable with a wait", err)
	}
}

func TestOpenDoesNotQuoteTheURL(t *testing.T) {
	_, err := postgres.Open(t.Context(), "postgres://u:sesame@host:notaport/db", postgres.Config{})
	if memd.KindOf(err) != memd.Invalid || strings.Contains(err.Error(), "sesame") {
		t.Errorf("err = %v", err)
	}
}

func TestAServerThatHasNoRoomIsFull(t *testing.T) {
	_, pool := migrated(t)
	fails := func(code string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), `DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '`+code+`'; END $$`); err == nil {
			t.Fatal("it did not fail")
		}
	}
	if fails("53200"); pool.Full() {
		t.Error("a server without memory is called full")
	}
	if fails("53100"); !pool.Full() || pool.Away() {
		t.Errorf("full: %v, away: %v", pool.Full(), pool.Away())
	}
}

func TestErrTellsKindsByCode(t *testing.T) {
	for code, want := range map[string]memd.Kind{
		"23505": memd.Conflict, "22021": memd.Invalid, "22P05": memd.Invalid, "08006": memd.Unavailable,
		"57P01": memd.Unavailable, "57014": memd.Unavailable, "53300": memd.Unavailable, "40001": memd.Unavailable,
		"40P01": memd.Unavailable, "55P03": memd.Unavailable, "42601": memd.Internal, "23503": memd.Internal,
	} {
		err := postgres.Err("op", fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code}))
		if got := memd.KindOf(err); got != want {
			t.Errorf("%s: %v, want %v", code, got, want)
		}
	}
	for _, c := range []struct {
		err  error
		want memd.Kind
	}{
		{pgx.ErrNoRows, memd.NotFound}, {context.DeadlineExceeded, memd.Unavailable},
		{pgconn.ErrConnClosed, memd.Unavailable}, {io.ErrUnexpectedEOF, memd.Unavailable}, {net.ErrClosed, memd.Unavailable},
		{errors.New("else"), memd.Internal}, {memd.InvalidField("f", "bad"), memd.Invalid},
	} {
		if got := memd.KindOf(postgres.Err("op", c.err)); got != c.want {
			t.Errorf("%v: %v, want %v", c.err, got, c.want)
		}
	}
	if postgres.Err("op", nil) != nil {
		t.Error("nil became an error")
	}
}
