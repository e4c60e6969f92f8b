package postgres

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/memdhq/memd"
	pgxvector "github.com/pgvector/pgvector-go/pgx"
)

// idleLimit is how long a transaction may stay open in which nothing is asked.
const idleLimit = 3 * time.Minute

// Role is the role that all work is done as.
const Role = "memd_app"

// Config says how large a pool is; the zero value is usable.
type Config struct {
	// MinConns and MaxConns bound the pool; defaults 1 and 10.
	MinConns, MaxConns int32
	// ConnectTimeout bounds one attempt to connect; default 5 s.
	ConnectTimeout time.Duration
	// Name is shown in pg_stat_activity; default "memd".
	Name string
	// Patience is how long anybody waits for a connection; then it is Unavailable. 0: as
	// long as the caller's context.
	Patience time.Duration
	// StatementLimit is when the server itself ends a statement; a transaction in which
	// nothing is asked it then ends within minutes: memd may be gone and not have said so.
	// 0: never.
	StatementLimit time.Duration
}

func (c Config) withDefaults() Config {
	if c.MaxConns <= 0 {
		c.MaxConns = 10
	}
	if c.MinConns <= 0 {
		c.MinConns = 1
	}
	if c.MinConns > c.MaxConns {
		c.MinConns = c.MaxConns
	}
	if c.ConnectTimeout <= 0 {
		c.ConnectTimeout = 5 * time.Second
	}
	if c.Name == "" {
		c.Name = "memd"
	}
	return c
}

// Pool is a pool of connections that work as Role.
type Pool struct {
	*pgxpool.Pool
	once   *pgxpool.Pool
	server *presence
}

// Once is a pool of its own for statements whose text is put together from what callers
// send, of which there is no end: it prepares none of them, since a connection would keep
// each, with its plan, in Postgres's memory. It costs one round trip more.
func (p *Pool) Once() *Pool { return &Pool{Pool: p.once, once: p.once, server: p.server} }

// Close closes all connections, once they are given back.
func (p *Pool) Close() {
	p.Pool.Close()
	p.once.Close()
}

// Querier is what a pool, a connection and a transaction have in common.
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// CheckURL says what is wrong with a connection string, without what it holds.
func CheckURL(url string) error {
	_, err := pgconn.ParseConfig(url)
	var bad *pgconn.ParseConfigError
	if errors.As(err, &bad) {
		if why := errors.Unwrap(bad); why != nil { // bad itself quotes the string
			return errors.New(why.Error())
		}
	}
	if err != nil {
		return errors.New("is not a Postgres connection string")
	}
	return nil
}

// Open makes a pool to url. It does not wait for the server: a pool may be opened
// while Postgres is away, and mends itself when it is back. Every connection works
// as Role, whatever login the url holds.
func Open(ctx context.Context, url string, cfg Config) (*Pool, error) {
	cfg = cfg.withDefaults()
	pc, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The driver's error may quote the password.
		return nil, memd.InvalidField("DB_URL", "is not a Postgres connection string")
	}
	pc.MinConns, pc.MaxConns = cfg.MinConns, cfg.MaxConns
	pc.MaxConnLifetime, pc.MaxConnLifetimeJitter = time.Hour, 5*time.Minute
	pc.MaxConnIdleTime = 5 * time.Minute
	pc.PingTimeout = 2 * time.Second
	pc.ConnConfig.ConnectTimeout = cfg.ConnectTimeout
	params := pc.ConnConfig.RuntimeParams
	params["application_name"] = cfg.Name
	params["timezone"] = "UTC"
	if pc.ConnConfig.User != Role {
		params["role"] = Role
	}
	// One user's scope never profits from parallel workers, and a plan made for the
	// values of five executions is not better than the plan for any (see TestPlans).
	params["max_parallel_workers_per_gather"] = "0"
	params["jit"] = "off"
	if ms := cfg.StatementLimit.Milliseconds(); ms > 0 {
		params["statement_timeout"] = strconv.FormatInt(ms, 10)
		params["idle_in_transaction_session_timeout"] = strconv.FormatInt(min(ms, idleLimit.Milliseconds()), 10)
	}
	server := newPresence()
	pc.ConnConfig.Tracer = newGate(server, cfg)
	pc.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		return pgxvector.RegisterTypes(ctx, c)
	}
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, Err("postgres.open", err)
	}
	oc := pc.Copy()
	oc.MinConns = 0
	oc.ConnConfig.Tracer = newGate(server, cfg)
	oc.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec
	once, err := pgxpool.NewWithConfig(ctx, oc)
	if err != nil {
		pool.Close()
		return nil, Err("postgres.open", err)
	}
	return &Pool{pool, once, server}, nil
}

// TenantBatch is a batch whose first query sets the tenant. Sent outside a
// transaction it is one: all its queries see the tenant, in one round trip. Read
// the first result with ReadTenant.
func TenantBatch(tenant string) *pgx.Batch {
	b := &pgx.Batch{}
	b.Queue(`SELECT set_config('memd.tenant', $1, true)`, tenant)
	return b
}

// ReadTenant reads the result of the query that TenantBatch put first.
func ReadTenant(r pgx.BatchResults) error {
	_, err := r.Exec()
	return err
}

// InTenant runs do in a transaction of the tenant and commits if it returns nil. The
// transaction begins and gets its tenant in one round trip.
func (p *Pool) InTenant(ctx context.Context, tenant string, do func(pgx.Tx) error) error {
	begin := `BEGIN; SELECT set_config('memd.tenant', ` + quoteLiteral(tenant) + `, true)`
	err := pgx.BeginTxFunc(ctx, p.Pool, pgx.TxOptions{BeginQuery: begin}, do)
	return Err("postgres.transaction", err)
}

// quoteLiteral quotes s as a string literal for a query that cannot have arguments.
func quoteLiteral(s string) string {
	s = strings.ReplaceAll(s, "\x00", "")
	return ` E'` + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + `'`
}
