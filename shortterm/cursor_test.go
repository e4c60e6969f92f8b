package shortterm

import (
	"math"
	"strings"
	"testing"
)

// What a list reads as a cursor it has given out itself, to the letter, and no other
// list reads it.
func FuzzReadCursor(f *testing.F) {
	here := list{"sessions", "acme", "alice"}
	others := []list{{"sessions", "acme", "bob"}, {"sessions", "acme"}, {"sessions", "acme", "alice", ""}, {"sessions", "acmealice", ""}, {"dead letters", "acme", "alice"}, {}}
	for _, s := range []string{"", "1", "zz", "!", here.writeCursor(1), here.writeCursor(math.MaxInt64), here.writeCursor(0), here.writeCursor(-1),
		here.writeCursor(7) + "\n", strings.ToUpper(here.writeCursor(7)), here.writeCursor(7) + "=", others[0].writeCursor(7), others[1].writeCursor(7)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := here.readCursor(s)
		if err != nil || s == "" {
			return
		}
		if n <= 0 || here.writeCursor(n) != s {
			t.Errorf("%q is read as %d", s, n)
		}
		for _, l := range others {
			if _, err := l.readCursor(s); err == nil {
				t.Errorf("%q of another list is read by %q", s, l)
			}
		}
	})
}

func TestCursorsComeBack(t *testing.T) {
	l := list{"sessions", "acme", "alice"}
	for _, n := range []int64{1, 2, 35, 1 << 40, math.MaxInt64} {
		if got, err := l.readCursor(l.writeCursor(n)); err != nil || got != n {
			t.Errorf("%d came back as %d, %v", n, got, err)
		}
	}
}
