package embedded_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/rs/zerolog"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/embedded"
	"github.com/memdhq/memd/internal/memdtest"
)

// noUser is a uid that no system knows by name.
const noUser = 54321

func config(t *testing.T, dir string) embedded.PostgresConfig {
	return embedded.PostgresConfig{
		BinDir: memdtest.Assets(t).Postgres, DataDir: dir,
		Log: zerolog.New(zerolog.NewTestWriter(t)),
	}
}

func startPostgres(t *testing.T, dir string) *embedded.Postgres {
	t.Helper()
	pg, err := embedded.StartPostgres(t.Context(), config(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopPostgres(t, pg) })
	return pg
}

func stopPostgres(t *testing.T, pg *embedded.Postgres) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := pg.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// refused starts a Postgres that must not start and gives why it did not.
func refused(t *testing.T, dir string, kind memd.Kind) string {
	t.Helper()
	pg, err := embedded.StartPostgres(t.Context(), config(t, dir))
	if err == nil {
		stopPostgres(t, pg)
		t.Fatal("it started")
	}
	if memd.KindOf(err) != kind {
		t.Fatalf("kind %v: %v", memd.KindOf(err), err)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Fatalf("not one line: %v", err)
	}
	return err.Error()
}

// newDir gives the path of a data directory that does not exist.
func newDir(t *testing.T) string { return filepath.Join(memdtest.Dir(t), "postgres") }

// usedDir gives a data directory that has seen a first start, a copy of one that
// is made once.
func usedDir(t *testing.T) string {
	t.Helper()
	dir := newDir(t)
	made.once.Do(func() {
		first := newDir(t)
		stopPostgres(t, startPostgres(t, first))
		made.info, made.err = os.Stat(first)
		made.files = map[string][]byte{}
		if made.err == nil {
			made.err = filepath.WalkDir(first, func(path string, d os.DirEntry, err error) error {
				if err != nil {
					return err
				}
				name, _ := filepath.Rel(first, path)
				var data []byte // nil for a folder
				if !d.IsDir() {
					if data, err = os.ReadFile(path); data == nil {
						data = []byte{}
					}
				}
				made.files[name] = data
				return err
			})
		}
	})
	if made.err != nil || len(made.files) == 0 {
		t.Fatalf("no data directory to copy: %v", made.err)
	}
	names := slices.Sorted(maps.Keys(made.files)) // a folder before what is in it
	st := made.info.Sys().(*syscall.Stat_t)
	for _, name := range names {
		path := filepath.Join(dir, name)
		var err error
		if data := made.files[name]; data == nil {
			err = os.Mkdir(path, 0o700)
		} else {
			err = os.WriteFile(path, data, 0o600)
		}
		if err == nil {
			err = os.Chown(path, int(st.Uid), int(st.Gid))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var made struct {
	once  sync.Once
	info  os.FileInfo
	files map[string][]byte
	err   error
}

func query[T any](t *testing.T, url, sql string, args ...any) T {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	var v T
	if err := c.QueryRow(t.Context(), sql, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

func execute(t *testing.T, url, sql string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	if _, err := c.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func postmaster(t *testing.T, dir string) int {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// eventually waits for something that another process does.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("never: %s", what)
		}
	}
}

func gone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

func TestPostgresStartsAndKeepsData(t *testing.T) {
	dir := newDir(t)
	pg := startPostgres(t, dir)

	execute(t, pg.OwnerURL(), "CREATE TABLE kept (v vector(3)); INSERT INTO kept VALUES ('[1,2,3]'); GRANT SELECT ON kept TO memd_app")
	for sql, want := range map[string]string{
		"SHOW fsync":              "on",
		"SHOW synchronous_commit": "on",
		"SHOW full_page_writes":   "on",
		"SHOW listen_addresses":   "",
		"SHOW server_encoding":    "UTF8",
		"SHOW timezone":           "UTC",
		"SELECT current_user":     "memd_app",
		"SELECT n.nspname::text FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'vector'": "public",
		"SELECT pg_get_userbyid(datdba)::text FROM pg_database WHERE datname = current_database()":                          "memd_owner",
		"SELECT lower('ÄÖÜ')": "äöü",
	} {
		if have := query[string](t, pg.AppURL(), sql); have != want {
			t.Errorf("%s: %q, want %q", sql, have, want)
		}
	}
	for _, role := range []string{"memd_owner", "memd_app"} {
		if query[bool](t, pg.AppURL(), "SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb FROM pg_roles WHERE rolname = $1", role) {
			t.Errorf("%s has rights that it should not have", role)
		}
	}
	info, err := os.Stat(socketDir(t, pg))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the socket's folder has mode %v", info.Mode())
	}

	stopPostgres(t, pg)
	stopPostgres(t, pg)
	<-pg.Done()
	if pg.Err() != nil {
		t.Error(pg.Err())
	}
	if _, err := os.Stat(socketDir(t, pg)); err == nil {
		t.Error("the socket's folder is left")
	}

	pg = startPostgres(t, dir)
	if have := query[string](t, pg.AppURL(), "SELECT v::text FROM kept"); have != "[1,2,3]" {
		t.Errorf("after the second start: %q", have)
	}
}

func socketDir(t *testing.T, pg *embedded.Postgres) string {
	t.Helper()
	c, err := pgx.ParseConfig(pg.AppURL())
	if err != nil {
		t.Fatal(err)
	}
	return c.Host
}

func TestPostgresLongDataPath(t *testing.T) {
	dir := filepath.Join(memdtest.Dir(t), strings.Repeat("long/", 30), strings.Repeat("l", 100), "with space [x]", "postgres")
	pg := startPostgres(t, dir)
	query[int](t, pg.AppURL(), "SELECT 1")
}

func TestPostgresLongTempPath(t *testing.T) {
	temp := filepath.Join(memdtest.Dir(t), strings.Repeat("t", 100))
	if err := os.Mkdir(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	dir := usedDir(t)
	t.Setenv("TMPDIR", temp)
	pg := startPostgres(t, dir)
	query[int](t, pg.AppURL(), "SELECT 1")
}

// Everything acknowledged before a kill is there after it, and a pool goes on as
// if nothing had been.
func TestPostgresKilledWhileWriting(t *testing.T) {
	dir := usedDir(t)
	pg := startPostgres(t, dir)
	execute(t, pg.OwnerURL(), "CREATE TABLE w (id int PRIMARY KEY); GRANT SELECT, INSERT ON w TO memd_app")
	pool, err := pgxpool.New(t.Context(), pg.AppURL())
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()

	const kills = 2
	acknowledged := map[int]bool{}
	next := 0
	write := func() bool {
		next++
		_, err := pool.Exec(t.Context(), "INSERT INTO w VALUES ($1)", next)
		acknowledged[next] = err == nil
		return err == nil
	}
	for range kills {
		for range 100 {
			write()
		}
		pid := postmaster(t, dir)
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the write that a kill cuts short", func() bool { return !write() })
		eventually(t, "a write after a kill", write)
	}
	for id, ok := range acknowledged {
		if ok && !query[bool](t, pg.AppURL(), "SELECT EXISTS (SELECT FROM w WHERE id = $1)", id) {
			t.Errorf("row %d was acknowledged and is gone", id)
		}
	}
	if pg.Err() != nil {
		t.Error(pg.Err())
	}
}

// What killed memds have left among the temporary files goes, but nothing that may
// be in use.
func TestPostgresSweepsOldSocketFolders(t *testing.T) {
	dir, temp := usedDir(t), memdtest.Dir(t)
	t.Setenv("TMPDIR", temp)
	old := time.Now().Add(-time.Hour)
	want := map[string]bool{"memd-pg-old": false, "memd-pg-young": true, "memd-pg-full": true, "other": true}
	for name := range want {
		path := filepath.Join(temp, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if name == "memd-pg-full" {
			if err := os.WriteFile(filepath.Join(path, "socket"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if name != "memd-pg-young" {
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	startPostgres(t, dir)
	for name, stays := range want {
		if _, err := os.Stat(filepath.Join(temp, name)); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPostgresSocketCleared(t *testing.T) {
	pg := startPostgres(t, usedDir(t))
	if err := os.RemoveAll(socketDir(t, pg)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "an answer after the socket was cleared away", func() bool {
		c, err := pgx.Connect(t.Context(), pg.AppURL())
		if err == nil {
			_ = c.Close(context.Background())
		}
		return err == nil
	})
}

func TestPostgresRefusals(t *testing.T) {
	t.Run("two at once", func(t *testing.T) {
		dir := usedDir(t)
		pg := startPostgres(t, dir)
		if msg := refused(t, dir, memd.Conflict); !strings.Contains(msg, "another memd is running on "+dir) {
			t.Error(msg)
		}
		link := filepath.Join(memdtest.Dir(t), "link")
		if err := os.Symlink(dir, link); err != nil {
			t.Fatal(err)
		}
		refused(t, link, memd.Conflict)
		query[int](t, pg.AppURL(), "SELECT 1")
	})
	t.Run("another version", func(t *testing.T) {
		dir := usedDir(t)
		version := filepath.Join(dir, "PG_VERSION")
		if err := os.WriteFile(version, []byte("15\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if msg := refused(t, dir, memd.Invalid); !strings.Contains(msg, "holds data of Postgres 15 and this memd carries 18") {
			t.Error(msg)
		}
		if err := os.WriteFile(version, []byte("18\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		pg := startPostgres(t, dir)
		query[int](t, pg.AppURL(), "SELECT 1")
	})
	t.Run("something else", func(t *testing.T) {
		dir := ownedDir(t)
		kept := filepath.Join(dir, "thesis.txt")
		if err := os.WriteFile(kept, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if msg := refused(t, dir, memd.Invalid); !strings.Contains(msg, "is not empty and holds no Postgres data") {
			t.Error(msg)
		}
		if _, err := os.Stat(kept); err != nil {
			t.Error(err)
		}
	})
	t.Run("a file", func(t *testing.T) {
		dir := newDir(t)
		if err := os.WriteFile(dir, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		refused(t, dir, memd.Invalid)
	})
	t.Run("a bad setting", func(t *testing.T) {
		dir := usedDir(t)
		conf, err := os.OpenFile(filepath.Join(dir, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = conf.WriteString("fsync = off\nwork_mem = rubbish\n")
		if err2 := conf.Close(); err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if msg := refused(t, dir, memd.Unavailable); !strings.Contains(msg, `invalid value for parameter "work_mem"`) && !strings.Contains(msg, "contains errors") {
			t.Error(msg)
		}
	})
	t.Run("programs out of reach", func(t *testing.T) {
		if os.Geteuid() != 0 {
			return // an ordinary user's Postgres reaches all that its memd does
		}
		closed := filepath.Join(memdtest.Dir(t), "closed")
		if err := os.MkdirAll(filepath.Join(closed, "pg", "bin"), 0o700); err != nil {
			t.Fatal(err)
		}
		cfg := config(t, newDir(t))
		cfg.BinDir = filepath.Join(closed, "pg")
		_, err := embedded.StartPostgres(t.Context(), cfg)
		if err == nil || !strings.Contains(err.Error(), "cannot get through "+closed+", "+cfg.BinDir) {
			t.Errorf("does not name the folders: %v", err)
		}
	})
}

// Data below folders that are closed to others, as root's home and temporary
// folders are, works all the same; the folders stay closed.
func TestPostgresBelowClosedFolders(t *testing.T) {
	closed := filepath.Join(memdtest.Dir(t), "closed")
	dir := filepath.Join(closed, "memd", "postgres")
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	pg := startPostgres(t, dir)
	execute(t, pg.OwnerURL(), "CREATE TABLE kept AS SELECT 7 AS n")
	if err := syscall.Kill(postmaster(t, dir), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "an answer after a kill", func() bool {
		c, err := pgx.Connect(t.Context(), pg.AppURL())
		if err == nil {
			_ = c.Close(context.Background())
		}
		return err == nil
	})
	stopPostgres(t, pg)
	if have := query[int](t, startPostgres(t, dir).OwnerURL(), "SELECT n FROM kept"); have != 7 {
		t.Errorf("%d", have)
	}
	if info, err := os.Stat(closed); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder was changed: %v %v", info.Mode(), err)
	}
}

// ownedDir is a folder that belongs to the account that Postgres will run as.
func ownedDir(t *testing.T) string {
	t.Helper()
	dir := newDir(t)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(dir, noUser, noUser); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A data directory that stands ready, empty, decides by its owner who Postgres
// runs as.
func TestPostgresRunsAsTheDirectorysOwner(t *testing.T) {
	dir := ownedDir(t)
	want := os.Geteuid()
	if want == 0 {
		want = noUser
	}
	for range 2 {
		pg := startPostgres(t, dir)
		info, err := os.Stat(filepath.Join(dir, "postmaster.pid"))
		if err != nil {
			t.Fatal(err)
		}
		if have := info.Sys().(*syscall.Stat_t).Uid; have != uint32(want) {
			t.Errorf("Postgres runs as uid %d, want %d", have, want)
		}
		stopPostgres(t, pg)
	}
}

func TestPostgresFirstStartCutShort(t *testing.T) {
	dir := newDir(t)
	half := dir + ".new-123"
	if err := os.MkdirAll(filepath.Join(half, "base"), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := embedded.StartPostgres(ctx, config(t, dir)); err == nil {
		t.Fatal("started though cancelled")
	}
	query[int](t, startPostgres(t, dir).AppURL(), "SELECT 1")
	left, err := filepath.Glob(dir + ".new-*")
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

// A first start that is killed in the middle leaves nothing that stops the next.
func TestPostgresFirstStartKilled(t *testing.T) {
	dir := newDir(t)
	cmd, _ := startHelper(t, dir, nil)
	eventually(t, "initdb is at work", func() bool {
		begun, err := filepath.Glob(dir + ".new-*/base/1/PG_VERSION")
		return err == nil && len(begun) > 0
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	query[int](t, startPostgres(t, dir).AppURL(), "SELECT 1")
	left, err := filepath.Glob(dir + ".new-*")
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

// postmaster.pid of a killed server may name a process that is something else by
// now.
func TestPostgresStalePid(t *testing.T) {
	dir := usedDir(t)
	other := exec.Command("sleep", "600")
	attr := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		st := info.Sys().(*syscall.Stat_t)
		// One that Postgres may signal, and so takes for a server.
		attr.Credential = &syscall.Credential{Uid: st.Uid, Gid: st.Gid}
	}
	other.SysProcAttr = attr
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Wait() }()
	defer func() { _ = other.Process.Kill() }()
	pid := fmt.Sprintf("%d\n%s\n1700000000\n5432\n/nowhere\n\n  5432001         7\nready   \n", other.Process.Pid, dir)
	if err := os.WriteFile(filepath.Join(dir, "postmaster.pid"), []byte(pid), 0o644); err != nil {
		t.Fatal(err)
	}
	query[int](t, startPostgres(t, dir).AppURL(), "SELECT 1")
	if gone(other.Process.Pid) {
		t.Error("a process of someone else's was ended")
	}
}

// A server that has lost its memd is stopped before a new one starts.
func TestPostgresOrphan(t *testing.T) {
	dir := usedDir(t)
	pg := startPostgres(t, dir)
	execute(t, pg.OwnerURL(), "CREATE TABLE kept AS SELECT 7 AS n")
	stopPostgres(t, pg)

	socket := memdtest.Dir(t)
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	st := info.Sys().(*syscall.Stat_t)
	if err := os.Chown(socket, int(st.Uid), int(st.Gid)); err != nil {
		t.Fatal(err)
	}
	orphan := exec.Command(filepath.Join(memdtest.Assets(t).Postgres, "bin/postgres"), "-D", dir, "-k", socket, "-h", "")
	orphan.Dir = dir
	orphan.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 {
		orphan.SysProcAttr.Credential = &syscall.Credential{Uid: st.Uid, Gid: st.Gid}
	}
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- orphan.Wait() }()
	eventually(t, "the orphan is ready", func() bool {
		raw, err := os.ReadFile(filepath.Join(dir, "postmaster.pid"))
		return err == nil && strings.Contains(string(raw), "ready")
	})
	pg = startPostgres(t, dir)
	if err := <-ended; err != nil {
		t.Errorf("the orphan was not stopped in order: %v", err)
	}
	if have := query[int](t, pg.OwnerURL(), "SELECT n FROM kept"); have != 7 {
		t.Errorf("%d", have)
	}
}

// helper starts the test binary as a memd of its own on dir. attr may change who
// it runs as. It gives what the helper says first.
func helper(t *testing.T, dir string, attr *syscall.SysProcAttr) (*exec.Cmd, string) {
	t.Helper()
	cmd, out := startHelper(t, dir, attr)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the helper said nothing: %v", err)
	}
	return cmd, strings.TrimSpace(line)
}

func startHelper(t *testing.T, dir string, attr *syscall.SysProcAttr) (*exec.Cmd, io.Reader) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Where other users can run it.
	copied := filepath.Join(memdtest.Dir(t), "helper")
	copyFile(t, exe, copied)
	cmd := exec.Command(copied)
	cmd.Env = append(os.Environ(), helperDir+"="+dir)
	cache := filepath.Dir(filepath.Dir(filepath.Dir(memdtest.Assets(t).Postgres)))
	cmd.Env = append(cmd.Env, "MEMD_CACHE_DIR="+cache)
	cmd.Dir = "/"
	cmd.SysProcAttr = attr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Ended in order, it clears its socket away.
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	return cmd, out
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	src, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = src.Close() }()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(dst, src)
	if err2 := dst.Close(); err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
}

// A killed memd takes its Postgres along, and leaves nothing that stops the next.
func TestPostgresDiesWithItsParent(t *testing.T) {
	dir := usedDir(t)
	cmd, said := helper(t, dir, nil)
	url, up := strings.CutPrefix(said, "up ")
	if !up {
		t.Fatal(said)
	}
	execute(t, url, "CREATE TABLE kept AS SELECT 7 AS n")
	c, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	pid := postmaster(t, dir)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	eventually(t, "Postgres ends with its parent", func() bool { return gone(pid) })
	pg := startPostgres(t, dir)
	if have := query[int](t, pg.OwnerURL(), "SELECT n FROM kept"); have != 7 {
		t.Errorf("%d", have)
	}
	if _, err := os.Stat(c.Host); err == nil {
		t.Error("the folder of the killed server's socket is left")
	}
}

// The next start need not wait for the killed one's Postgres.
func TestPostgresStartsRightAfterAKill(t *testing.T) {
	dir := usedDir(t)
	for range 2 {
		cmd, said := helper(t, dir, nil)
		if !strings.HasPrefix(said, "up ") {
			t.Fatal(said)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
	}
	query[int](t, startPostgres(t, dir).AppURL(), "SELECT 1")
}

// Root may run memd as someone else; everyone else is the one case there is.
func TestPostgresAsOrdinaryUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		_, said := helper(t, newDir(t), nil)
		if !strings.HasPrefix(said, "up ") {
			t.Fatal(said)
		}
		return
	}
	for name, test := range map[string]struct {
		uid  uint32
		says string
	}{
		"nobody":      {65534, "up postgres://"},
		"nameless":    {noUser, "uid 54321 has no name on this system"},
		"not the one": {1, "memd runs as uid 1;"},
	} {
		t.Run(name, func(t *testing.T) {
			base := memdtest.Dir(t)
			owner := test.uid
			dir := filepath.Join(base, "postgres")
			if name == "not the one" {
				owner = 65534
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Chown(dir, int(owner), int(owner)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chown(base, int(owner), int(owner)); err != nil {
				t.Fatal(err)
			}
			_, said := helper(t, dir, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: test.uid, Gid: test.uid}})
			if !strings.Contains(said, test.says) {
				t.Errorf("%s", said)
			}
		})
	}
}

func TestPostgresStartStop(t *testing.T) {
	dir := usedDir(t)
	for range 5 {
		pg := startPostgres(t, dir)
		go func() { _ = pg.Stop(context.Background()) }()
		stopPostgres(t, pg)
	}
	// Stopped in a hurry, it loses nothing either.
	pg := startPostgres(t, dir)
	execute(t, pg.OwnerURL(), "CREATE TABLE kept AS SELECT 7 AS n")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := pg.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if have := query[int](t, startPostgres(t, dir).OwnerURL(), "SELECT n FROM kept"); have != 7 {
		t.Errorf("%d", have)
	}
}

func TestPostgresManyClients(t *testing.T) {
	pg := startPostgres(t, usedDir(t))
	cfg, err := pgxpool.ParseConfig(pg.AppURL())
	if err != nil {
		t.Fatal(err)
	}
	cfg.MaxConns = 100
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	conns := make([]*pgxpool.Conn, cfg.MaxConns)
	for i := range conns {
		if conns[i], err = pool.Acquire(t.Context()); err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		defer conns[i].Release()
	}
}
