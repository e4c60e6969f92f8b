package memdtest

import (
	"flag"
	"strconv"
	"testing"
)

// Checks has the properties of the test checked n times at least, where its package has
// fewer checks because most of them write to a database. It is not for tests that run in
// parallel.
func Checks(t testing.TB, n int) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	if f == nil {
		t.Fatal("there are no properties here")
	}
	before := f.Value.String()
	if now, err := strconv.Atoi(before); err == nil && now >= n {
		return
	}
	if err := f.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Value.Set(before); err != nil {
			t.Error(err)
		}
	})
}
