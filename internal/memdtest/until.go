package memdtest

import (
	"testing"
	"time"
)

// Until asks again and again, at a rising interval, until ok holds, and fails the test
// with what was waited for if it does not within a minute.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	end := time.Now().Add(time.Minute)
	for wait := time.Millisecond; !ok(); wait = min(wait*2, 100*time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("gave up waiting: %s", what)
		}
		time.Sleep(wait)
	}
}
