package embedded

import "testing"

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
