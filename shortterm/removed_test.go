package shortterm

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

// What is deleted by request under a caller's id is passed over by imports, and by nothing else.
func TestWhatWasDeletedIsPassedOverByImports(t *testing.T) {
	f := open(t, Config{Limits: Limits{Turns: ptr(2)}})
	marks := func() int64 { return f.query(t, `SELECT count(*) FROM message_removed`) }
	said := func(session, text, id string) Append {
		return imported(t, user, session, message(t, memd.RoleUser, text, id))
	}
	first := f.all(t, imported(t, user, "s", message(t, memd.RoleUser, "one", "c1"), message(t, memd.RoleAssistant, "no id", "")), said("other", "stays", "c1"))
	f.remove(t, "s")
	equal(t, "marks", marks(), 1)

	// Nor what retention or an end without a trace takes.
	f.make(t, NewSession{SessionID: "secret", Incognito: true})
	f.append(t, Append{UserID: user, SessionID: "secret", Messages: []memd.Message{message(t, memd.RoleUser, "hush", "c1")}})
	f.remove(t, "secret")
	f.all(t, said("old", "long ago", "c1"))
	f.do(t, `DELETE FROM ingest_open`)
	f.do(t, `UPDATE conversation_context SET received_at = now() - interval '2 days' WHERE session_id = 'old'`)
	f.do(t, `INSERT INTO tenant_setting (tenant_id, keep_messages) VALUES ('acme', '1 day')`)
	if n, err := f.SweepMessages(t.Context(), 10, func(context.Context, pgx.Tx, string, []int64) error { return nil }); err != nil || n != 1 {
		t.Fatalf("%d are taken, %v", n, err)
	}
	equal(t, "marks", marks(), 1)
	equal(t, "what retention took", f.all(t, said("old", "long ago", "c1"))[0].Messages[0].Duplicate, false)

	// It stands among the others in the answers, whether all that is left goes in bulk or not.
	for range 3 {
		f.all(t, said("turned", "and on", ""))
	}
	for _, session := range []string{"plain", "turned"} {
		answers := f.all(t, said(session, "new", "n1"), said("s", "one", "c1"),
			imported(t, user, "other", message(t, memd.RoleUser, "more", "n2"), message(t, memd.RoleUser, "stays", "c1")), said("s", "one", "c1"))
		for i, a := range answers {
			for j, m := range a.Messages {
				gone := i == 1 || i == 3
				if m.Removed != gone || gone && (m.ID != first[0].Messages[0].ID || !m.Duplicate || m.State != StateSkipped || m.ClientID != "c1" || a.SessionID != "s") {
					t.Errorf("%s: %d.%d is %+v of %s", session, i, j, m, a.SessionID)
				}
			}
		}
		equal(t, "what is there already", answers[2].Messages[1].ID, first[1].Messages[0].ID)
	}
	equal(t, "sessions that were deleted", f.query(t, `SELECT count(*) FROM conversation_session WHERE session_id = 's'`), 0)

	// Whoever posts it says it anew; another person's is another's.
	live := said("s", "one", "c1")
	live.Backfill = false
	equal(t, "posted", f.append(t, live).Messages[0].Duplicate, false)
	equal(t, "posted in a batch", f.all(t, live)[0].Messages[0].Removed, false)
	another := said("s", "one", "c1")
	another.UserID = "bob"
	equal(t, "another's", f.all(t, another)[0].Messages[0].Duplicate, false)
	f.erase(t, user)
	equal(t, "marks of who was erased", marks(), 0)
	equal(t, "of who was erased", f.all(t, said("s", "one", "c1"))[0].Messages[0].Duplicate, false)
}
