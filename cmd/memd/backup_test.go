package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/embedded"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/rs/zerolog"
	"pgregory.net/rapid"
)

// diary is what clients said, each one message after the other.
type diary struct {
	clients, each int

	mu   sync.Mutex
	acks map[string]int64 // text → id
}

func newDiary(clients, each int) *diary {
	return &diary{clients: clients, each: each, acks: map[string]int64{}}
}

func (*diary) text(client, i int) string {
	return fmt.Sprintf("Traveller %d lost suitcase number %d in Toledo", client, i)
}

func (*diary) user(client int) string { return fmt.Sprintf("traveller-%d", client) }

// acknowledged is what was acknowledged so far.
func (l *diary) acknowledged() map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.acks)
}

// write has all clients say all they have to say. What was acknowledged before has its
// number still.
func (l *diary) write(t *testing.T, d *daemon) {
	var wg sync.WaitGroup
	for client := range l.clients {
		wg.Go(func() {
			for i := range l.each {
				text := l.text(client, i)
				status, answer := d.try(http.MethodPost, "/v1/messages", messageBody(l.user(client), "s", text), "Idempotency-Key", text)
				var p posted
				if err := json.Unmarshal([]byte(answer), &p); status != http.StatusCreated || err != nil || len(p.Messages) != 1 {
					t.Errorf("%q: %d %s", text, status, answer)
					return
				}
				l.mu.Lock()
				l.acks[text] = p.Messages[0].ID
				l.mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// verify waits until all is settled, and holds what is there against what was said: of
// each client the first messages, in their order, each remembered once; among them all
// that must be there.
func (l *diary) verify(t *testing.T, d *daemon, must map[string]int64) (messages int) {
	t.Helper()
	if s := d.settled(); s.States.Dead != 0 || s.States.Skipped != 0 {
		t.Errorf("states = %+v", s.States)
	}
	acks := l.acknowledged()
	for client := range l.clients {
		var page struct {
			Messages []struct {
				ID      int64
				Content string
			}
		}
		d.want(200, http.MethodGet, "/v1/messages?limit=1000&session_id=s&user_id="+l.user(client), "", &page)
		remembered := map[string]int{}
		for _, m := range d.list(l.user(client)).Results {
			remembered[m.Memory]++
		}
		there := map[string]bool{}
		for i, m := range page.Messages {
			want := l.text(client, i)
			if m.Content != want || m.ID != acks[want] {
				t.Errorf("client %d: message %d is %d %q, want %d %q", client, i, m.ID, m.Content, acks[want], want)
			}
			if n := remembered[want]; n != 1 {
				t.Errorf("%q is remembered %d times", want, n)
			}
			there[want] = true
		}
		if len(remembered) != len(page.Messages) {
			t.Errorf("client %d: %d memories of %d messages", client, len(remembered), len(page.Messages))
		}
		for i := range l.each {
			if text := l.text(client, i); must[text] != 0 && !there[text] {
				t.Errorf("%q was acknowledged before the backup began, and is not there", text)
			}
		}
		messages += len(page.Messages)
	}
	return messages
}

// names lists what is in a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// cutShort runs memd, sends it a signal as soon as something of the pattern is there, and
// gives its exit status and what it said.
func cutShort(t *testing.T, s os.Signal, pattern string, args ...string) (code int, out string) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env = append(cleanEnv(), "TMPDIR="+temporary)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for there := false; !there; {
		select {
		case <-ended:
			t.Fatalf("memd %s ended before it could be cut short\n%s", args[0], said.String())
		case <-tick.C:
		}
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		there = len(found) > 0
	}
	if err := cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	<-ended
	return cmd.ProcessState.ExitCode(), said.String()
}

// runs runs memd to its end, for as long as that takes on a busy machine, and gives its
// exit status and what it said.
func runs(t *testing.T, env []string, args ...string) (code int, out string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Env = append(append(cleanEnv(), "TMPDIR="+temporary), env...)
	said, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(said)
}

// openBackup reads a backup whole.
func openBackup(t *testing.T, file string) (raw []byte, m manifest) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err == nil {
		m, err = readManifest(bytes.NewReader(raw), int64(len(raw)))
	}
	if err != nil {
		t.Fatal(err)
	}
	return raw, m
}

// A backup of a memd at work is of one moment: it has all that was acknowledged before it
// began, what was in flight is settled by the memd that is started on it, and clients that
// repeat themselves there double nothing.
func TestABackupOfAMemdAtWork(t *testing.T) {
	t.Parallel()
	dir, folder := dataDir(t), memdtest.Dir(t)
	d := start(t, dir, "MEMD_WORKERS=1")
	d.post("alice", "s", "I keep my bicycle in the cellar. My sister Ana lives in Porto.")
	d.post("alice", "s", "I am allergic to walnuts")
	d.settled()
	question := `{"user_id":"alice","query":"Where does my sister live?"}`
	_, answer := d.try(http.MethodPost, "/v1/memories/search", question)

	l := newDiary(4, 90)
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.write(t, d)
	}()
	d.eventually("part of the load is in", func() bool { return len(l.acknowledged()) >= l.clients*l.each/4 })
	before := l.acknowledged()
	file := filepath.Join(folder, "memd.backup")
	if code, out := runs(t, []string{"MEMD_DATA_DIR=" + dir}, "backup", file); code != 0 || !strings.Contains(out, "backed up") {
		t.Fatalf("exit %d, %s", code, out)
	}
	raw, m := openBackup(t, file)
	if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v: others can read it", info.Mode(), err)
	}
	if m.Memd != "v0.0.0-test" || m.Rows["public.ingest_open"] == 0 {
		t.Errorf("made by %q, %d in flight", m.Memd, m.Rows["public.ingest_open"])
	}

	t.Run("cut short", func(t *testing.T) {
		folder := memdtest.Dir(t)
		file, pattern := filepath.Join(folder, "memd.backup"), filepath.Join(folder, ".*.memd-partial")
		if code, out := cutShort(t, syscall.SIGINT, pattern, "backup", file, "--data-dir", dir); code != 1 || !strings.Contains(out, "interrupted") {
			t.Errorf("exit %d, %s", code, out)
		}
		if left := names(t, folder); len(left) > 0 {
			t.Errorf("an interrupt leaves %v", left)
		}
		cutShort(t, syscall.SIGKILL, pattern, "backup", file, "--data-dir", dir)
		if left := names(t, folder); len(left) != 1 || !strings.HasSuffix(left[0], ".memd-partial") {
			t.Errorf("kill -9 leaves %v", left)
		}
		if code, out := runs(t, []string{"MEMD_DATA_DIR=" + dir}, "backup", filepath.Join(folder, "other")); code != 0 {
			t.Errorf("exit %d, %s", code, out)
		}
		if left := names(t, folder); len(left) != 1 || left[0] != "other" {
			t.Errorf("the next one leaves %v", left)
		}
	})
	t.Run("standard output", func(t *testing.T) {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer full.Close()
		cmd := exec.Command(binary, "backup", "-", "--data-dir", dir)
		cmd.Env = cleanEnv()
		var said strings.Builder
		cmd.Stdout, cmd.Stderr = full, &said
		if err := cmd.Run(); err == nil || !strings.Contains(said.String(), "no space left") {
			t.Errorf("on a full disk: %v, %s", err, said.String())
		}
		if code, out := runs(t, nil, "backup", "/dev/null", "--data-dir", dir); code != 1 || !strings.Contains(out, "no file") {
			t.Errorf("exit %d, %s", code, out)
		}
	})
	<-done
	if code, out := runs(t, nil, "restore", file, "--data-dir", dir); code != 1 || !strings.Contains(out, "another memd is running") {
		t.Errorf("while memd runs: exit %d, %s", code, out)
	}
	if err, _ := d.terminate(); err != nil {
		t.Fatal(err)
	}
	if code, out := runs(t, nil, "restore", file, "--data-dir", dir); code != 1 || !strings.Contains(out, "not empty") {
		t.Errorf("where there is a database: exit %d, %s", code, out)
	}
	t.Run("of a memd that is stopped", func(t *testing.T) {
		if code, out := runs(t, []string{"MEMD_DATA_DIR=" + dir}, "backup", filepath.Join(folder, "stopped")); code != 0 {
			t.Fatalf("exit %d, %s", code, out)
		}
		if _, m := openBackup(t, filepath.Join(folder, "stopped")); m.Rows["public.conversation_context"] != int64(l.clients*l.each+2) {
			t.Errorf("%d messages are in it", m.Rows["public.conversation_context"])
		}
		if left := processesOn(t, dir); len(left) > 0 {
			t.Errorf("processes are left: %v", left)
		}
	})
	t.Run("into a Postgres of one's own", func(t *testing.T) {
		owner, _ := memdtest.Postgres(t)
		restore := exec.Command(filepath.Join(memdtest.Assets(t).Postgres, "bin", "pg_restore"),
			"--single-transaction", "--no-comments", "--dbname="+owner, file)
		if out, err := restore.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		var n int64
		queryRow(t, superuserURL(t, owner), `SELECT count(*) FROM conversation_context`, &n)
		if n != m.Rows["public.conversation_context"] {
			t.Errorf("%d messages, want %d", n, m.Rows["public.conversation_context"])
		}
	})
	t.Run("what is no backup", func(t *testing.T) {
		begin := m.Bytes
		damaged := bytes.Clone(raw)
		damaged[begin/2] ^= 1
		newer, short := m, m
		newer.Schema++
		short.Rows = maps.Clone(m.Rows)
		short.Rows["public.memory"]++
		for name, c := range map[string]struct {
			raw  []byte
			want string
		}{
			"empty":               {nil, "cut short"},
			"half":                {raw[:len(raw)/2], "cut short"},
			"archive alone":       {raw[:begin], "cut short"},
			"all but a byte":      {raw[:len(raw)-1], "cut short"},
			"a byte more":         {append(bytes.Clone(raw), 'x'), "cut short"},
			"damaged":             {damaged, "damaged"},
			"newer":               {append(bytes.Clone(raw[:begin]), newer.line()...), fmt.Sprintf("schema %d", newer.Schema)},
			"not what it says":    {append(bytes.Clone(raw[:begin]), short.line()...), "public.memory has"},
			"of an unknown form":  {append(bytes.Clone(raw[:begin]), manifest{Format: 2, Bytes: begin}.line()...), "newer memd"},
			"another's last line": {append(bytes.Clone(raw[:begin-1]), m.line()...), "cut short"},
		} {
			file, into := filepath.Join(folder, "bad"), filepath.Join(folder, "into", "deep")
			if err := os.WriteFile(file, c.raw, 0o600); err != nil {
				t.Fatal(err)
			}
			if code, out := runs(t, nil, "restore", file, "--data-dir", into); code != 1 || !strings.Contains(out, c.want) {
				t.Errorf("%s: exit %d, want %q: %s", name, code, c.want, out)
			}
			if _, err := os.Stat(filepath.Dir(into)); !os.IsNotExist(err) {
				t.Errorf("%s: something is left: %v", name, err)
			}
		}
	})

	into := filepath.Join(folder, "new")
	pattern := filepath.Join(into, "postgres.new-*", "PG_VERSION")
	if code, out := cutShort(t, syscall.SIGINT, pattern, "restore", file, "--data-dir", into); code != 1 || !strings.Contains(out, "interrupted") {
		t.Errorf("exit %d, %s", code, out)
	}
	if _, err := os.Stat(into); !os.IsNotExist(err) {
		t.Errorf("an interrupt leaves %v", names(t, into))
	}
	cutShort(t, syscall.SIGKILL, pattern, "restore", file, "--data-dir", into)
	d.eventuallyGone(into)
	if _, err := os.Stat(filepath.Join(into, "postgres")); !os.IsNotExist(err) {
		t.Errorf("kill -9 leaves a database: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(into, "nats", "jetstream"), 0o755); err != nil { // of an earlier database
		t.Fatal(err)
	}
	if code, out := runs(t, []string{"MEMD_DATA_DIR=" + into}, "restore", file); code != 0 || !strings.Contains(out, m.String()) {
		t.Fatalf("exit %d, %s", code, out)
	}
	if left := fmt.Sprint(names(t, into)); left != "[.nats.lock .postgres.lock postgres]" {
		t.Errorf("it leaves %s", left)
	}
	restored := start(t, into)
	if n := l.verify(t, restored, before); int64(n+2) != m.Rows["public.conversation_context"] {
		t.Errorf("%d messages, want %d", n+2, m.Rows["public.conversation_context"])
	}
	if _, now := restored.try(http.MethodPost, "/v1/memories/search", question); now != answer {
		t.Errorf("it answers\n%s\nand answered\n%s", now, answer)
	}
	l.write(t, restored)
	if n := l.verify(t, restored, nil); n != l.clients*l.each {
		t.Errorf("%d messages, want %d", n, l.clients*l.each)
	}
}

func queryRow(t *testing.T, url, sql string, into ...any) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if err := c.QueryRow(t.Context(), sql).Scan(into...); err != nil {
		t.Fatal(err)
	}
}

func execute(t *testing.T, url string, statements ...string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	for _, sql := range statements {
		if _, err := c.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%v: %s", err, sql)
		}
	}
}

// A backup of an older schema is restored as it is, and brought up to date by the memd
// that is started on it.
func TestABackupOfAnOlderSchema(t *testing.T) {
	t.Parallel()
	known, err := knownSchema()
	if err != nil || known < 2 {
		t.Fatalf("schema %d, %v", known, err)
	}
	dir, folder := dataDir(t), memdtest.Dir(t)
	pg, err := embedded.StartPostgres(t.Context(), embedded.PostgresConfig{BinDir: memdtest.Assets(t).Postgres,
		DataDir: filepath.Join(dir, "postgres"), Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	super := superuserURL(t, pg.OwnerURL())
	execute(t, strings.Replace(super, "/memd?", "/postgres?", 1), `DROP DATABASE memd`, `CREATE DATABASE memd OWNER memd_owner`)
	execute(t, super, `CREATE EXTENSION vector WITH SCHEMA public`)
	steps, err := filepath.Glob("../../postgres/migration/*.sql")
	if err != nil || len(steps) != known {
		t.Fatalf("%d steps to schema %d, %v", len(steps), known, err)
	}
	for _, step := range steps[:known-1] {
		sql, err := os.ReadFile(step)
		if err != nil {
			t.Fatal(err)
		}
		execute(t, pg.OwnerURL(), string(sql))
	}
	execute(t, super, `
		INSERT INTO conversation_session (user_id, session_id, messages, last_message_id) VALUES ('alice', 's', 1, 1);
		INSERT INTO conversation_context (user_id, session_id, role, message, session_no, position, learn)
		VALUES ('alice', 's', 'user', '{"role":"user","content":"I keep my bicycle in the cellar"}', 1, 0, true);
		INSERT INTO ingest_open (message_id, tenant_id, session_no) VALUES (1, 'default', 1)`)
	if err := pg.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	file, into := filepath.Join(folder, "old"), filepath.Join(folder, "new")
	if code, out := runs(t, []string{"MEMD_DATA_DIR=" + dir}, "backup", file); code != 0 || !strings.Contains(out, fmt.Sprintf("schema %d", known-1)) {
		t.Fatalf("exit %d, %s", code, out)
	}
	if code, out := runs(t, []string{"MEMD_DATA_DIR=" + into}, "restore", file); code != 0 {
		t.Fatalf("exit %d, %s", code, out)
	}
	d := start(t, into)
	if s := d.settled(); s.States.Done != 1 {
		t.Errorf("states = %+v", s.States)
	}
	if f := d.search("alice", "Where is my bicycle?"); len(f.Results) != 1 {
		t.Errorf("found %+v", f)
	}
	d.post("alice", "s", "I am allergic to walnuts")
}

func TestBackupsOfNothing(t *testing.T) {
	t.Parallel()
	dir := memdtest.Dir(t)
	file := filepath.Join(dir, "memd.backup")
	for _, command := range []string{"backup", "restore"} {
		code, out := runs(t, []string{"DB_URL=postgres://joe:sesame@db/memd"}, command, file)
		if code != 1 || !strings.Contains(out, "DB_URL") || !strings.Contains(out, "docs/backup.md") || strings.Contains(out, "sesame") {
			t.Errorf("exit %d, %s", code, out)
		}
	}
	if code, out := runs(t, nil, "backup", file, "--data-dir", filepath.Join(dir, "none")); code != 1 || !strings.Contains(out, "no database") {
		t.Errorf("exit %d, %s", code, out)
	}
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	for _, args := range [][]string{{"restore", dir}, {"restore", filepath.Join(dir, "none")}, {"backup", dir}, {"backup", filepath.Join(dir, "none", "x")}} {
		if code, out := runs(t, []string{"MEMD_DATA_DIR=" + dir}, args...); code != 1 {
			t.Errorf("%v: exit %d, %s", args, code, out)
		}
	}
}

// What docs/backup.md says about a Postgres of one's own is done as it is printed there.
func TestTheBackupOfAPostgresOfOnesOwn(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/backup.md")
	if err != nil {
		t.Fatal(err)
	}
	printed := func(mark string) string {
		_, after, ok := strings.Cut(string(raw), "<!-- "+mark+" -->\n```")
		text, _, closed := strings.Cut(after, "```")
		if !ok || !closed {
			t.Fatalf("docs/backup.md has no block %q", mark)
		}
		_, text, _ = strings.Cut(text, "\n")
		return text
	}
	statements := func(mark string) (all []string) {
		for sql := range strings.SplitSeq(printed(mark), ";\n") {
			if strings.TrimSpace(sql) != "" {
				all = append(all, sql)
			}
		}
		return all
	}
	// The server: one that has the roles because memd made them.
	pg, err := embedded.StartPostgres(t.Context(), embedded.PostgresConfig{BinDir: memdtest.Assets(t).Postgres,
		DataDir: filepath.Join(dataDir(t), "postgres"), Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pg.Stop(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	owner := pg.OwnerURL()
	super := superuserURL(t, owner)
	noDatabase := strings.Replace(super, "/memd?", "/postgres?", 1)
	folder := memdtest.Dir(t)
	shell := func(script string) (string, error) {
		cmd := exec.Command("bash", "-c", "set -e\n"+script)
		cmd.Dir = folder
		cmd.Env = append(cleanEnv(), "PATH="+filepath.Join(memdtest.Assets(t).Postgres, "bin")+":"+os.Getenv("PATH"),
			"OWNER_URL="+owner, "BACKUP_URL="+strings.Replace(owner, "memd_owner@", "memd_backup@", 1))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	run := func(mark string) {
		t.Helper()
		if out, err := shell(printed(mark)); err != nil {
			t.Fatalf("%s: %v\n%s", mark, err, out)
		}
	}

	execute(t, super, `GRANT memd_app TO memd_owner`)
	env := []string{"DB_URL=" + owner}
	d := start(t, dataDir(t), append(env, "MEMD_WORKERS=0")...)
	l := newDiary(2, 10)
	l.write(t, d)
	execute(t, super, statements("dump roles")...)
	run("dump")
	if out, err := shell(strings.ReplaceAll(printed("dump"), "$BACKUP_URL", "$OWNER_URL")); err == nil || !strings.Contains(out, "row-level security") {
		t.Errorf("the owner's dump: %v, %s", err, out)
	}
	if err, _ := d.terminate(); err != nil {
		t.Fatal(err)
	}
	// A server that knows none of it.
	execute(t, noDatabase, `DROP DATABASE memd`, `DROP ROLE memd_owner`, `DROP ROLE memd_app`)
	execute(t, noDatabase, statements("restore roles")...)
	execute(t, super, statements("restore extension")...)
	run("restore")
	d = start(t, dataDir(t), env...)
	if n := l.verify(t, d, l.acknowledged()); n != l.clients*l.each {
		t.Errorf("%d messages, want %d", n, l.clients*l.each)
	}
}

func TestManifestsAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		archive := rapid.SliceOf(rapid.Byte()).Draw(t, "archive")
		m := manifest{Format: 1, Memd: rapid.String().Draw(t, "memd"), Bytes: int64(len(archive)), SHA256: "x", Contents: embedded.Contents{
			Schema: rapid.IntRange(1, 1000).Draw(t, "schema"), Rows: rapid.MapOf(rapid.String(), rapid.Int64()).Draw(t, "rows")}}
		raw := append(bytes.Clone(archive), m.line()...)
		got, err := readManifest(bytes.NewReader(raw), int64(len(raw)))
		if err != nil || got.Schema != m.Schema || got.Bytes != m.Bytes || len(got.Rows) > len(m.Rows) {
			t.Fatalf("%+v, %v", got, err)
		}
		cut := rapid.IntRange(0, len(raw)-1).Draw(t, "cut")
		if got, err := readManifest(bytes.NewReader(raw[:cut]), int64(cut)); err == nil {
			t.Fatalf("cut short to %d of %d bytes it is %+v", cut, len(raw), got)
		}
	})
}

func FuzzManifest(f *testing.F) {
	for _, seed := range []string{"", "\n", "{}\n", "\n{}\n", "PGDMP\n" + `{"memd_backup":1,"bytes":5,"schema":4,"rows":{"a":1}}` + "\n",
		"\n" + `{"memd_backup":1,"bytes":0}` + "\n", "\n" + `{"memd_backup":1,"bytes":-1}` + "\n", "\nnull\n", "\n[]\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := readManifest(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			return
		}
		if m.Bytes < 0 || m.Bytes >= int64(len(raw)) || raw[m.Bytes] != '\n' || m.Format < 1 {
			t.Errorf("%q: %+v", raw, m)
		}
		if err := m.check(bytes.NewReader(raw)); err == nil && m.SHA256 == "" {
			t.Errorf("%q passes without a checksum", raw)
		}
		_ = m.String()
		_, _ = io.WriteString(io.Discard, string(m.line()))
	})
}
