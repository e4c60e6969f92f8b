package longterm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

func TestAFilterHasABoundOnItsValues(t *testing.T) {
	list := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(`"x",`, n), ",") + "]" }
	for _, c := range []struct {
		filter string
		ok     bool
	}{
		{`{"a":{"in":` + list(maxFilterValues) + `}}`, true},
		{`{"a":{"in":` + list(maxFilterValues+1) + `}}`, false},
		{`{"a":{"nin":` + list(maxFilterValues+1) + `}}`, false},
		{`{"a":` + list(600) + `,"b":` + list(600) + `}`, false},
	} {
		_, err := ParseFilter(json.RawMessage(c.filter))
		if c.ok && err != nil || !c.ok && memd.KindOf(err) != memd.Invalid {
			t.Errorf("%.30s…: %v", c.filter, err)
		}
	}
}
