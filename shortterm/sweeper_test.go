package shortterm

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/internal/memdtest"
)

// The log drops what is over by itself: no worker is needed.
func TestTheSweeperDropsWhatIsOver(t *testing.T) {
	f := open(t, Config{KeepMessages: time.Hour})
	f.make(t, NewSession{SessionID: "i", Incognito: true})
	f.append(t, call(t, "i", "secret"))
	f.append(t, call(t, "s", "old"))
	f.do(t, `DELETE FROM ingest_open`)
	f.do(t, `UPDATE conversation_session SET heard_at = now() - interval '2 days'`)
	f.do(t, `UPDATE conversation_context SET received_at = now() - interval '2 hours'`)
	s := f.NewSweeper(func(context.Context, pgx.Tx, string, []int64) error { return nil }, time.Millisecond)
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	kind(t, "a second start", s.Start(t.Context()), memd.Conflict)
	memdtest.Until(t, "both are gone", func() bool { return f.query(t, `SELECT count(*) FROM conversation_context`) == 0 })
	for range 2 {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}
}
