package longterm

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
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

// There is no end of filters; a connection keeps what is prepared on it.
func TestFiltersArePreparedNowhere(t *testing.T) {
	b := newStoreWith(t, postgres.Config{MaxConns: 1})
	b.verbatim("alice", "tea")
	r := rand.New(rand.NewPCG(1, 2))
	shapes := map[string]bool{}
	const many = 80 // twice as many as may be prepared
	for range many {
		var all []string
		for i := range 100 {
			all = append(all, fmt.Sprintf([]string{`{"k%d":1}`, `{"k%d":{"gt":1}}`, `{"k%d.l":"x"}`, `{"k%d":{"exists":false}}`}[r.IntN(4)], i))
		}
		f := filter(t, `{"OR":[`+strings.Join(all, ",")+`]}`)
		st := &statement{}
		shapes[f.root.sql(st)] = true
		b.list(ListQuery{Scope: user("alice"), Filters: f})
	}
	q := ask("tea", user("alice"))
	for i := range 50 {
		q.Filters = filter(t, strings.Repeat(`{"NOT":[`, i%14)+`{"a":`+fmt.Sprint(i)+`}`+strings.Repeat(`]}`, i%14))
		b.search(q)
	}
	if len(shapes) < many {
		t.Fatalf("%d shapes", len(shapes))
	}
	for name, pool := range map[string]*postgres.Pool{"the pool": b.pool, "the pool for what is asked once": b.pool.Once()} {
		var n int
		if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_prepared_statements").Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 40 {
			t.Errorf("%s keeps %d statements", name, n)
		}
	}
}

// The work that a filter makes for Postgres before it looks at a row does not grow with the
// values that are asked for.
func TestAFiltersTextDoesNotGrowWithItsValues(t *testing.T) {
	length := func(field, value string, n int, op string) int {
		f := filter(t, `{"`+field+`":{"`+op+`":[`+strings.TrimSuffix(strings.Repeat(value+",", n), ",")+`]}}`)
		st := &statement{}
		return len(f.root.sql(st))
	}
	for field, value := range map[string]string{"k": `"x"`, "k.l": `1`, "metadata.k": `true`, "category": `"x"`, "run_id": `"x"`, "id": `"x"`, "created_at": `"2026-03-01"`, "expires_at": `"2026-03-01T00:00:00Z"`, "role": `"user"`} {
		for _, op := range []string{"in", "nin"} {
			if few, many := length(field, value, 1, op), length(field, value, maxFilterValues, op); few != many {
				t.Errorf("%s %s: %d characters for one value, %d for %d", field, op, few, many, maxFilterValues)
			}
		}
	}
	path := func(parts int) int {
		f := filter(t, `{"a`+strings.Repeat(".a", parts-1)+`":1}`)
		st := &statement{}
		return len(f.root.sql(st))
	}
	if few, many := path(maxArrows+1), path(10_000); few != many {
		t.Errorf("%d characters for a path of %d parts, %d for one of 10000", few, maxArrows+1, many)
	}
}

// A long path leads where a short one does.
func TestAPathMayBeLong(t *testing.T) {
	b := newStore(t)
	deep := func(parts int, value string) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"a":`, parts) + value + strings.Repeat(`}`, parts))
	}
	for _, parts := range []int{2, maxArrows, maxArrows + 1, 200} {
		text := fmt.Sprintf("%d parts", parts)
		if _, err := b.AddVerbatim(t.Context(), tenant, []Verbatim{{Scope: user("alice"), Text: text, Role: "user", Metadata: deep(parts, `"here"`)}}); err != nil {
			t.Fatal(err)
		}
		sameSet(t, texts(b.list(ListQuery{Scope: user("alice"), Filters: filter(t, `{"a`+strings.Repeat(".a", parts-1)+`":"here"}`)})), []string{text})
	}
	sameSet(t, texts(b.list(ListQuery{Scope: user("alice"), Filters: filter(t, `{"a`+strings.Repeat(".a", 9_999)+`":{"exists":true}}`)})), nil)
}

func TestAFilterHasABoundOnWildcardsAndGroups(t *testing.T) {
	for name, c := range map[string]struct {
		filter string
		ok     bool
	}{
		"wildcards":          {`{"a":{"like":"` + strings.Repeat("%", maxWildcards) + `"}}`, true},
		"too many wildcards": {`{"a":{"ilike":"` + strings.Repeat("%_", maxWildcards/2) + `%"}}`, false},
		"groups":             {`{"AND":[` + strings.TrimSuffix(strings.Repeat(`{},`, maxFilterGroups-1), ",") + `]}`, true},
		"too many groups":    {`{"AND":[` + strings.TrimSuffix(strings.Repeat(`{},`, maxFilterGroups), ",") + `]}`, false},
		"groups in groups":   {`{"NOT":[` + strings.TrimSuffix(strings.Repeat(`{"OR":[{},{}]},`, 1400), ",") + `]}`, false},
	} {
		_, err := ParseFilter(json.RawMessage(c.filter))
		if c.ok && err != nil || !c.ok && memd.KindOf(err) != memd.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
