package memdtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/rs/zerolog"

	"github.com/memdhq/memd/embedded"
)

// The roles of a memd database, as package embedded makes them.
const (
	superuser = "memd"
	owner     = "memd_owner"
	app       = "memd_app"
	// password is the roles' on an external server, where it may be asked for.
	password = "memd-test"
)

// server is the Postgres that the tests of one binary share. Each test has a
// database of its own in it.
type server struct {
	superURL string
	external bool
	// copying is how a database is made of another, as an option of CREATE DATABASE.
	copying string
	// template is an empty database with the extension.
	template string

	mu       sync.Mutex
	prepared map[string]string // databases made by prepare functions, by key
}

var shared struct {
	once sync.Once
	*server
	err error
}

// Postgres gives connection strings of a fresh, empty database with pgvector in
// schema public, for its owner and for the role that works. It is dropped after
// the test.
func Postgres(t testing.TB) (ownerURL, appURL string) {
	t.Helper()
	s := start(t)
	return s.clone(t, s.template)
}

// Prepared is as Postgres, of a database on which prepare has run, with the
// owner's connection string. It runs once for each key in a test binary; tests get
// copies of what it made. prepare must close its connections.
func Prepared(t testing.TB, key string, prepare func(ctx context.Context, ownerURL string) error) (ownerURL, appURL string) {
	t.Helper()
	s := start(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	name, ok := s.prepared[key]
	if !ok {
		ctx := context.Background()
		name = newName()
		if err := s.create(ctx, name, s.template); err != nil {
			t.Fatal(err)
		}
		atEnd(t, func(ctx context.Context) error { return s.drop(ctx, name) })
		if err := prepare(ctx, s.url(owner, name)); err != nil {
			t.Fatalf("memdtest: preparing %q: %v", key, err)
		}
		s.prepared[key] = name
	}
	return s.clone(t, name)
}

func (s *server) clone(t testing.TB, template string) (ownerURL, appURL string) {
	t.Helper()
	name := newName()
	if err := s.create(context.Background(), name, template); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.drop(context.Background(), name); err != nil {
			t.Error(err)
		}
	})
	return s.url(owner, name), s.url(app, name)
}

func start(t testing.TB) *server {
	t.Helper()
	shared.once.Do(func() {
		if external := os.Getenv("MEMD_TEST_DB_URL"); external != "" {
			shared.server, shared.err = useExternal(t, external)
		} else {
			shared.server, shared.err = startEmbedded(t)
		}
	})
	if shared.err != nil {
		t.Fatalf("memdtest: %v", shared.err)
	}
	return shared.server
}

func startEmbedded(t testing.TB) (*server, error) {
	bin, err := embedded.FindPostgres()
	if err != nil {
		return nil, err
	}
	dir, err := MakeDir()
	if err != nil {
		return nil, err
	}
	atEnd(t, func(context.Context) error { return os.RemoveAll(dir) })
	pg, err := embedded.StartPostgres(context.Background(), embedded.PostgresConfig{
		BinDir: bin, DataDir: filepath.Join(dir, "postgres"), Log: zerolog.Nop(),
	})
	if err != nil {
		return nil, err
	}
	atEnd(t, pg.Stop)
	s := &server{template: "memd", prepared: map[string]string{}}
	if filepath.Dir(dir) == memory() {
		// Where nothing has to reach a disk, files are copied faster than they are logged.
		s.copying = " STRATEGY FILE_COPY"
	}
	s.superURL, err = withUser(pg.OwnerURL(), url.User(superuser), "postgres")
	return s, err
}

// useExternal makes the roles on a server that runs already, and a template.
func useExternal(t testing.TB, superURL string) (*server, error) {
	s := &server{superURL: superURL, external: true, template: newName(), prepared: map[string]string{}}
	ctx := context.Background()
	err := s.exec(ctx, superURL,
		// Other test binaries do the same at the same time.
		`SELECT pg_advisory_lock(hashtext('memdtest'))`,
		`DO $$ BEGIN
			IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '`+owner+`') THEN CREATE ROLE `+owner+`; END IF;
			IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '`+app+`') THEN CREATE ROLE `+app+`; END IF;
		END $$`,
		`ALTER ROLE `+owner+` LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD '`+password+`'`,
		`ALTER ROLE `+app+` LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD '`+password+`'`,
	)
	if err != nil {
		return nil, err
	}
	if err := s.create(ctx, s.template, "template1"); err != nil {
		return nil, err
	}
	atEnd(t, func(ctx context.Context) error { return s.drop(ctx, s.template) })
	templateURL, err := withUser(superURL, nil, s.template)
	if err != nil {
		return nil, err
	}
	return s, s.exec(ctx, templateURL, `CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public`)
}

func (s *server) create(ctx context.Context, name, template string) error {
	return s.exec(ctx, s.superURL, "CREATE DATABASE "+name+" OWNER "+owner+" TEMPLATE "+template+s.copying)
}

func (s *server) drop(ctx context.Context, name string) error {
	return s.exec(ctx, s.superURL, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
}

func (s *server) exec(ctx context.Context, url string, statements ...string) error {
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(ctx) }()
	for _, statement := range statements {
		if _, err := c.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

func (s *server) url(role, db string) string {
	user := url.User(role)
	if s.external {
		user = url.UserPassword(role, password)
	}
	u, err := withUser(s.superURL, user, db)
	if err != nil {
		panic(err) // the superuser's was parsed before
	}
	return u
}

// withUser gives the connection string for another database and, unless nil, user.
func withUser(from string, user *url.Userinfo, db string) (string, error) {
	u, err := url.Parse(from)
	if err != nil {
		return "", fmt.Errorf("MEMD_TEST_DB_URL must be a postgres:// address")
	}
	if user != nil {
		u.User = user
	}
	u.Path = "/" + db
	return u.String(), nil
}

func newName() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b)
	return "memd_test_" + hex.EncodeToString(b)
}
