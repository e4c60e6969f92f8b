package extract

import (
	"testing"

	"github.com/memdhq/memd"
)

func TestTheEventIsOfWhomItWasTold(t *testing.T) {
	for _, c := range []struct{ before, text, want string }{
		{"My wife's exam is on May 4", "The exam was moved to May 9", "partner|date:exam=2024-05-09"},
		{"My exam is on May 4", "The exam was moved to May 9", "date:exam=2024-05-09"},
		{"My wife's exam is on May 4", "My exam was moved to May 9", "date:exam=2024-05-09"},
		{"My wife's wedding is on May 4", "The exam was moved to May 9", "date:exam=2024-05-09"},
	} {
		said := user(c.before)
		said.ID = 5
		got := extracted(t, []memd.Message{said}, user(c.text))
		if len(got) != 1 || holds(got[0]) != c.want {
			t.Errorf("%q, %q: %v", c.before, c.text, got)
		}
	}
}
