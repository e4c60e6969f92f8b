package shortterm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// A message that had no client id is known by the one it was exported by, there alone where it is from.
func TestWhatWasExportedIsKnownWhereItIsFrom(t *testing.T) {
	f := open(t, Config{})
	f.append(t, Append{UserID: "alice", SessionID: "s", Messages: []memd.Message{message(t, "user", "one", ""), message(t, "user", "two", "")}})
	ids := func() (all []string) {
		b := postgres.TenantBatch(tenant)
		b.Queue(`SELECT coalesce(client_id, ` + postgres.MessageOrigin("c") + `) FROM conversation_context c ORDER BY id`).Query(func(rows pgx.Rows) (err error) {
			all, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		})
		if err := f.pool.SendBatch(t.Context(), b).Close(); err != nil {
			t.Fatal(err)
		}
		return all
	}
	was := ids()
	twice := func(user, session string, messages ...memd.Message) []bool {
		var all []bool
		for _, m := range f.all(t, imported(t, user, session, messages...))[0].Messages {
			all = append(all, m.Duplicate)
		}
		return all
	}
	for _, c := range []struct {
		user, session, id string
		known             bool
	}{
		{"alice", "s", was[0], true}, {"alice", "s", was[0], true}, {"alice", "s", was[1], true},
		{"alice", "s", was[0][:len(was[0])-16] + strings.Repeat("0", 16), false}, {"alice", "s", "memd-999999-" + strings.Repeat("0", 16), false},
		{"bob", "s", was[1], false}, {"alice", "s2", was[1], false},
	} {
		if got := twice(c.user, c.session, message(t, "user", "one", c.id)); got[0] != c.known {
			t.Errorf("%s of %s in %s is known: %v", c.id, c.user, c.session, got)
		}
	}
	if now := ids(); fmt.Sprint(now[:2]) != fmt.Sprint(was) {
		t.Errorf("they are exported as %q, and were as %q", now[:2], was)
	}
}
