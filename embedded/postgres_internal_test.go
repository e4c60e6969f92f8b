package embedded

import "testing"

// What the programs of Postgres say on a full disk, and where nothing of it tells of an error.
func TestTheCauseIsTold(t *testing.T) {
	for said, want := range map[string]string{
		`creating configuration files ... ok
running bootstrap script ... ok
performing post-bootstrap initialization ... 2026-11-30 23:58:20.646 UTC [31898] FATAL:  could not write to file "base/4/1255_fsm": No space left on device
2026-11-30 23:58:20.646 UTC [31898] STATEMENT:  CREATE DATABASE template0 IS_TEMPLATE = true ALLOW_CONNECTIONS = false OID = 4 STRATEGY = file_copy;

child process exited with exit code 1
initdb: removing contents of data directory "/data"
`: `could not write to file "base/4/1255_fsm": No space left on device`,
		`pg_restore: warning: something
pg_restore: error: could not execute query: ERROR:  could not extend file "base/1/2": No space left on device
HINT:  Check free disk space.
`: `pg_restore: error: could not execute query: ERROR:  could not extend file "base/1/2": No space left on device`,
		"creating subdirectories ... ok\nSegmentation fault\n": "Segmentation fault",
		"": "",
	} {
		if got := whatFailed(said, lastLine); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	clients := &firstBytes{n: 1 << 10}
	_, _ = clients.Write([]byte("one\ntwo\n"))
	if got := clients.line(); got != "one" {
		t.Errorf("%q, want the first", got)
	}
}

func TestParsePidFile(t *testing.T) {
	f, err := parsePidFile("4711\n/data\n1700000000\n5432\n/tmp/memd-pg-1\n\n  5432001         7\nready   \n")
	if err != nil || f != (pidFile{pid: 4711, socket: "/tmp/memd-pg-1", ready: true}) {
		t.Errorf("%+v %v", f, err)
	}
	f, err = parsePidFile("-4711\n/data\n1700000000\n5432\n/tmp/memd-pg-1\n\n  5432001         7\nstarting\n")
	if err != nil || f != (pidFile{pid: 4711, socket: "/tmp/memd-pg-1"}) {
		t.Errorf("%+v %v", f, err)
	}
}

func FuzzParsePidFile(f *testing.F) {
	f.Add("4711\n/data\n1700000000\n5432\n/tmp/x\n\n  5432001         7\nready   \n")
	f.Add("-1\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := parsePidFile(s); err == nil && p.pid <= 0 {
			t.Errorf("a pid of %d would be a group of processes", p.pid)
		}
	})
}
