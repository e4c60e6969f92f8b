package longterm

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/memdhq/memd"
)

func TestListPages(t *testing.T) {
	b := newStore(t)
	for i := range 7 {
		b.verbatim("alice", fmt.Sprintf("fact %da", i), fmt.Sprintf("fact %db", i)) // two at the same time
	}
	b.verbatim("bob", "not hers")
	all := b.list(ListQuery{Scope: user("alice")})
	if !slices.IsSortedFunc(all, func(x, y memd.Memory) int {
		if c := y.CreatedAt.Compare(x.CreatedAt); c != 0 {
			return c
		}
		return slices.Compare([]byte(y.ID), []byte(x.ID))
	}) {
		t.Fatal("not newest first")
	}
	var paged []memd.Memory
	cursor := ""
	for {
		ms, total, next, err := b.List(t.Context(), tenant, ListQuery{Scope: user("alice"), Limit: 4, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		if cursor == "" && total != 14 {
			t.Fatalf("total is %d", total)
		}
		paged = append(paged, ms...)
		// What comes meanwhile moves nothing.
		b.verbatim("alice", fmt.Sprintf("later than page %d", len(paged)))
		if next == "" {
			break
		}
		cursor = next
	}
	same(t, texts(paged), texts(all))
	ms, _, _, err := b.List(t.Context(), tenant, ListQuery{Scope: user("alice"), Limit: 3, Offset: 6})
	if err != nil {
		t.Fatal(err)
	}
	same(t, texts(ms), texts(b.list(ListQuery{Scope: user("alice")}))[6:9])

	raw, _ := base64.RawURLEncoding.DecodeString(cursor)
	forged := slices.Clone(raw)
	forged[3] ^= 1
	for name, l := range map[string]ListQuery{
		"another user":   {Scope: user("bob"), Cursor: cursor},
		"another filter": {Scope: user("alice"), Filters: filter(t, `{"a":1}`), Cursor: cursor},
		"everyone":       {AllScopes: true, Cursor: cursor},
		"forged":         {Scope: user("alice"), Cursor: base64.RawURLEncoding.EncodeToString(forged)},
		"short":          {Scope: user("alice"), Cursor: cursor[:8]},
		"no cursor":      {Scope: user("alice"), Cursor: "?"},
		"both":           {Scope: user("alice"), Cursor: cursor, Offset: 1},
		"no id":          {},
		"limit":          {Scope: user("alice"), Limit: 1001},
		"offset":         {Scope: user("alice"), Offset: -1},
	} {
		if _, _, _, err := b.List(t.Context(), tenant, l); memd.KindOf(err) != memd.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, _, err := b.List(t.Context(), "other", ListQuery{Scope: user("alice"), Cursor: cursor}); memd.KindOf(err) != memd.Invalid {
		t.Errorf("another tenant: %v", err)
	}
}

// What a list reads as a cursor it has given out itself, to the letter, and no other
// list reads it.
func FuzzReadCursor(f *testing.F) {
	of := func(tenant string, scope memd.Scope) selection {
		sel, err := newSelection(tenant, scope, Filter{}, false)
		if err != nil {
			f.Fatal(err)
		}
		return sel
	}
	here := of("acme", user("alice"))
	others := []selection{of("acme", user("bob")), of("other", user("alice")), of("acme", memd.Scope{AgentID: "alice"}), of("acme", memd.Scope{UserID: "alice", AgentID: "a"})}
	given := cursor{time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), memoryID{1, 2, 3}}
	for _, s := range []string{"", "?", "AAAA", given.encode(here), given.encode(here) + "\n", given.encode(here)[1:], given.encode(others[0]),
		cursor{time.UnixMicro(math.MinInt64), memoryID{}}.encode(here), cursor{time.UnixMicro(math.MaxInt64), memoryID{}}.encode(here), cursor{}.encode(here)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := here.readCursor(s)
		if err != nil {
			return
		}
		if c.encode(here) != s || c.createdAt.Year() < 1970 || c.createdAt.Year() > 9999 {
			t.Errorf("%q is read as %v", s, c)
		}
		for _, l := range others {
			if _, err := l.readCursor(s); err == nil {
				t.Errorf("%q of another list is read", s)
			}
		}
	})
}
