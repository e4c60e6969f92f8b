package shortterm

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

// open sessions s1 … sn of user, each carrying on the one before, with two messages each.
func (f fixture) chain(t *testing.T, n int) (all [][]int64) {
	t.Helper()
	for i := 1; i <= n; i++ {
		s := NewSession{UserID: user, SessionID: fmt.Sprintf("s%d", i)}
		if i > 1 {
			s.PreviousSessionID = fmt.Sprintf("s%d", i-1)
		}
		if _, err := f.CreateSession(t.Context(), tenant, s); err != nil {
			t.Fatal(err)
		}
		all = append(all, ids(f.append(t, call(t, s.SessionID, fmt.Sprintf("%da", i), fmt.Sprintf("%db", i)))))
	}
	return all
}

func TestTheWindowShowsWhatTheSessionCarriesOn(t *testing.T) {
	f := open(t, Config{})
	all := f.chain(t, 11)
	f.do(t, `UPDATE conversation_session SET incognito = true WHERE session_id = 's1'`)
	f.do(t, `INSERT INTO session_summary (session_no, tenant_id, upto, summary, model)
		SELECT no, tenant_id, last_message_id, 'of ' || session_id, 'm' FROM conversation_session WHERE session_id IN ('s9', 's11')`)

	w, err := f.Window(t.Context(), tenant, user, "s11", 3, 1<<16)
	if err != nil || w.No == 0 || w.Summary == nil || w.Summary.Text != "of s11" || w.Summary.Upto != all[10][1] {
		t.Fatalf("%+v, %v", w, err)
	}
	if len(w.Past) != 9 { // the first one is incognito
		t.Fatalf("%d sessions back", len(w.Past))
	}
	for i, p := range w.Past {
		if want := fmt.Sprintf("s%d", 10-i); p.SessionID != want || show(entryIDs(p.Entries)) != show(all[9-i]) {
			t.Errorf("%d back: %s %v", i+1, p.SessionID, entryIDs(p.Entries))
		}
		if (p.Summary != nil) != (p.SessionID == "s9") {
			t.Errorf("%s: summary %v", p.SessionID, p.Summary)
		}
	}
	// What is open reaches as far back.
	var open []int64
	for _, two := range all[1:10] {
		open = append(open, two...)
	}
	if show(entryIDs(w.Open)) != show(open) {
		t.Errorf("open: %v, want %v", entryIDs(w.Open), open)
	}
	// As long as it has fewer turns than are asked for: here it has one or two.
	if w, err := f.Window(t.Context(), tenant, user, "s11", 1, 1<<16); err != nil || len(w.Past) > 0 {
		t.Errorf("with a full window: %v, %v", w.Past, err)
	}
	if w, err := f.Window(t.Context(), tenant, user, "s3", 5, 1<<16); err != nil || len(w.Past) != 1 || w.Past[0].SessionID != "s2" {
		t.Errorf("behind an incognito session: %+v, %v", w.Past, err)
	}
	if w, err := f.Window(t.Context(), "other", user, "s11", 5, 1<<16); err != nil || w.Session != nil || len(w.Past)+len(w.Open) > 0 || w.Summary != nil {
		t.Errorf("another tenant: %+v, %v", w, err)
	}
}

func TestTheWindowReadsTheLastOfALongPast(t *testing.T) {
	f := open(t, Config{})
	f.chain(t, 3)
	said := func(session string, n int, text string) (all []int64) {
		for len(all) < n {
			var texts []string
			for i := range min(100, n-len(all)) {
				texts = append(texts, fmt.Sprint(i, text))
			}
			all = append(all, ids(f.append(t, call(t, session, texts...)))...)
		}
		return all
	}
	wants := func(bytes, back int, more bool, want []int64) {
		t.Helper()
		w, err := f.Window(t.Context(), tenant, user, "s3", 5, bytes)
		if err != nil || len(w.Past) != 2 || w.MorePast != more {
			t.Fatalf("%+v, more %t, %v", w.Past, w.MorePast, err)
		}
		if got := entryIDs(w.Past[back-1].Entries); show(got) != show(want) {
			t.Errorf("%d back: %d of them, %v, want %v", back, len(got), got, want)
		}
	}
	first := func(session string) (all []int64) {
		err := f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
			rows, err := tx.Query(t.Context(), `SELECT id FROM conversation_context WHERE session_id = $1 ORDER BY id LIMIT 2`, session)
			if err == nil {
				all, err = pgx.CollectRows(rows, pgx.RowTo[int64])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	nearest, farther := said("s2", lastOfNearest+10, ""), said("s1", lastOfNearest/2+10, "")
	const few = 64000
	wants(few, 1, true, nearest[10:])
	wants(few, 2, true, farther[10:])
	// A context that has room for more reads more.
	wants(few*2, 1, false, append(first("s2"), nearest...))
	wants(few*2, 2, false, append(first("s1"), farther...))
	// What a summary is of need not be read.
	f.do(t, `INSERT INTO session_summary (session_no, tenant_id, upto, summary, model)
		SELECT no, tenant_id, CASE session_id WHEN 's2' THEN $1::bigint ELSE $2 END, 'one', 'm' FROM conversation_session WHERE session_id IN ('s1', 's2')`, nearest[9], farther[9])
	wants(few, 1, false, nearest[10:])
	f.do(t, `UPDATE session_summary SET upto = upto - 1`)
	wants(few, 1, true, nearest[10:])
	// What the user said last is there, whatever came since.
	question := nearest[len(nearest)-2] // an assistant answered
	rest := said("s2", 40, strings.Repeat("x", bytesOfPast/16))
	f.do(t, `UPDATE conversation_context SET role = 'tool' WHERE id > $1 AND role = 'user'`, question)
	wants(few, 1, true, append([]int64{question}, rest[40-16:]...))
}

func TestTheWindowIsThatOfWhereASessionWasRotatedTo(t *testing.T) {
	f := open(t, Config{})
	all := f.chain(t, 4)
	f.do(t, `UPDATE conversation_session SET closed_at = now(), forwards_to = 's' || (substr(session_id, 2)::int + 1) WHERE session_id IN ('s1', 's2')`)
	for _, asked := range []string{"s1", "s2", "s3"} {
		w, err := f.Window(t.Context(), tenant, user, asked, 5, 1<<16)
		if err != nil || w.Session == nil || w.Session.SessionID != "s3" || show(entryIDs(w.Entries)) != show(all[2]) {
			t.Errorf("%s: %+v, %v, %v", asked, w.Session, entryIDs(w.Entries), err)
		}
	}
}

// A session of a name that another had is not what that one was.
func TestANameMadeAgainIsAnotherSession(t *testing.T) {
	f := open(t, Config{})
	all := f.chain(t, 3)
	// As whoever was made while its previous one was being deleted has it.
	f.do(t, `UPDATE conversation_session SET previous_session_id = 's3', next_session_id = 's3' WHERE session_id = 's1'`)
	f.do(t, `UPDATE conversation_session SET next_session_id = 's1', forwards_to = 's1', closed_at = now() WHERE session_id = 's3'`)
	w, err := f.Window(t.Context(), tenant, user, "s3", 5, 1<<16)
	if err != nil || w.Session == nil || w.Session.SessionID != "s3" || len(w.Past) != 2 || w.Past[0].SessionID != "s2" || w.Past[1].SessionID != "s1" {
		t.Fatalf("%+v, %v", w.Past, err)
	}
	for i, p := range w.Past {
		if show(entryIDs(p.Entries)) != show(all[1-i]) {
			t.Errorf("%s: %v", p.SessionID, entryIDs(p.Entries))
		}
	}
	if w, err := f.Window(t.Context(), tenant, user, "s1", 5, 1<<16); err != nil || len(w.Past) != 0 {
		t.Errorf("carries on one that was made after it: %+v, %v", w.Past, err)
	}
	if _, _, err := f.Rotate(t.Context(), tenant, Rotation{UserID: user, SessionID: "s3", NextSessionID: "s4"}); err != nil {
		t.Errorf("one of another time is taken for its next: %v", err)
	}
}

func TestWhatSurroundsADeletedSessionIsJoined(t *testing.T) {
	for name, remove := range map[string]func(f fixture, t *testing.T, session string){
		"deleted": func(f fixture, t *testing.T, session string) { f.remove(t, session) },
		"swept": func(f fixture, t *testing.T, session string) {
			f.do(t, `DELETE FROM ingest_open`)
			f.do(t, `UPDATE conversation_context SET received_at = received_at - interval '9 days' WHERE session_id = $1`, session)
			f.sweep(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, Config{KeepMessages: day})
			f.append(t, call(t, "a", "1"))
			f.rotate(t, Rotation{SessionID: "a", NextSessionID: "b"})
			f.append(t, call(t, "b", "2"))
			f.rotate(t, Rotation{SessionID: "b", NextSessionID: "c"})
			f.append(t, call(t, "c", "3"))
			f.make(t, NewSession{SessionID: "d", PreviousSessionID: "b"})
			remove(f, t, "b")
			equal(t, "the next of a", value(f.session(t, "a").NextSessionID), "c")
			equal(t, "the previous of c", value(f.session(t, "c").PreviousSessionID), "a")
			equal(t, "the previous of d", value(f.session(t, "d").PreviousSessionID), "a")
			f.append(t, call(t, "b", "of another"))
			w, err := f.Window(t.Context(), tenant, user, "c", 5, 1<<16)
			if err != nil || len(w.Past) != 1 || w.Past[0].SessionID != "a" {
				t.Errorf("%+v, %v", w.Past, err)
			}
			remove(f, t, "a")
			if s := f.session(t, "c"); s.PreviousSessionID != nil {
				t.Errorf("c = %+v", s)
			}
		})
	}
}

// Where the last of those that a name has led through goes, the name leads to the one
// before it, and on to a new one from there.
func TestAWayWhoseEndWasDeleted(t *testing.T) {
	f := open(t, Config{})
	f.make(t, NewSession{SessionID: "s", Limits: Limits{Turns: ptr(1)}})
	f.append(t, call(t, "s", "1"))
	second := f.append(t, call(t, "s", "2")).SessionID
	third := f.append(t, call(t, "s", "3")).SessionID
	equal(t, "forwards to", value(f.session(t, "s").ForwardsTo), third)
	f.remove(t, third)
	equal(t, "forwards to", value(f.session(t, "s").ForwardsTo), second)
	f.append(t, call(t, third, "of another"))
	fourth := f.append(t, call(t, "s", "4")).SessionID
	if fourth == third || fourth == second || value(f.session(t, fourth).PreviousSessionID) != second || value(f.session(t, second).NextSessionID) != fourth {
		t.Errorf("landed in %s: %+v", fourth, f.session(t, fourth))
	}
	f.wantTexts(t, third, "of another")
}

// Whoever is deleted at once, and whatever is posted meanwhile: nothing names what is gone.
func TestDeletingAllOfAChainAtOnce(t *testing.T) {
	f := open(t, Config{})
	for round := range 4 {
		first := fmt.Sprint(round)
		f.make(t, NewSession{SessionID: first, Limits: Limits{Turns: ptr(1)}})
		var after []string
		f.append(t, call(t, first, "0"))
		for i := range 5 {
			after = append(after, f.append(t, call(t, first, fmt.Sprint(i))).SessionID)
		}
		var wg sync.WaitGroup
		for _, session := range after {
			wg.Go(func() {
				if err := f.removeOf(t, user, session); err != nil {
					t.Error(err)
				}
			})
		}
		for i := range 4 {
			a := call(t, first, "x")
			a.Messages[0] = message(t, memd.RoleUser, "x", fmt.Sprint("c", i))
			wg.Go(func() {
				if got, err := f.Append(t.Context(), tenant, a); err != nil || len(got.Messages) != 1 {
					t.Errorf("%+v, %v", got, err)
				}
			})
		}
		wg.Wait()
	}
	equal(t, "sessions that name one that is gone", f.query(t, `SELECT count(*) FROM conversation_session s
		 WHERE previous_session_id IS NOT NULL AND NOT EXISTS (SELECT FROM conversation_session o WHERE o.session_id = s.previous_session_id AND o.no < s.no)
		    OR next_session_id IS NOT NULL AND NOT EXISTS (SELECT FROM conversation_session o WHERE o.session_id = s.next_session_id AND o.no > s.no)`), 0)
}

// What has settled and stands before the turns is read from the newest back, as far as the
// bytes go.
func TestTheWindowAndWhatWasSaidBefore(t *testing.T) {
	f := open(t, Config{})
	here := ids(f.append(t, call(t, "s", "1", "2", "3", "4", "5", "6", "7", "8")))
	f.do(t, `DELETE FROM ingest_open WHERE message_id <> $1`, here[3])
	f.do(t, `INSERT INTO session_summary (session_no, tenant_id, upto, summary, model)
		SELECT no, tenant_id, $1, 'one', 'm' FROM conversation_session`, here[0])
	size := len(`{"role":"user","content":"1"}`)
	for bytes, want := range map[int]struct {
		ids  []int64
		more bool
	}{
		0:                     {nil, false},
		size / 2:              {here[5:6], true},
		size + size/2:         {here[4:6], true},
		3*size + size/2:       {[]int64{here[1], here[2], here[4], here[5]}, false},
		len(here) * 10 * size: {[]int64{here[1], here[2], here[4], here[5]}, false},
	} {
		w, err := f.Window(t.Context(), tenant, user, "s", 1, bytes)
		if err != nil || show(entryIDs(w.Before)) != show(want.ids) || w.MoreBefore != want.more || show(entryIDs(w.Open)) != show(here[3:4]) {
			t.Errorf("%d bytes: %v, more %t, open %v, %v; want %v", bytes, entryIDs(w.Before), w.MoreBefore, entryIDs(w.Open), err, want)
		}
	}
}

// A chain is followed for as long as a context may have room for it, and no longer.
func TestTheWindowOfALongChain(t *testing.T) {
	f := open(t, Config{})
	f.do(t, `INSERT INTO conversation_session (tenant_id, user_id, session_id, previous_session_id, next_session_id, forwards_to)
		SELECT $1, $2, 's' || i, 's' || nullif(i - 1, 0), 's' || nullif(i + 1, 301), 's' || nullif(i + 1, 301) FROM generate_series(1, 300) i ORDER BY i`, tenant, user)
	f.do(t, `INSERT INTO conversation_context (tenant_id, user_id, session_id, session_no, position, role, message, learn)
		SELECT tenant_id, user_id, session_id, no, 0, 'user', '{"role":"user","content":"We decided on tiles"}', true FROM conversation_session ORDER BY no`)
	f.do(t, `UPDATE conversation_session s SET last_message_id = c.id, messages = 1 FROM conversation_context c WHERE c.session_no = s.no`)
	for _, asked := range []string{"s1", "s300"} {
		w, err := f.Window(t.Context(), tenant, user, asked, 5, 1<<16)
		if err != nil || w.Session == nil || w.Session.SessionID != "s300" || len(w.Past) != maxPast || w.Past[maxPast-1].SessionID != fmt.Sprint("s", 300-maxPast) || len(w.Past[maxPast-1].Entries) != 1 || !w.MorePast {
			t.Fatalf("%s: %+v, %d back, %v", asked, w.Session, len(w.Past), err)
		}
	}
}

// Sessions in which nothing was said hide nothing of what was said before them.
func TestEmptySessionsDoNotCount(t *testing.T) {
	f := open(t, Config{})
	said := ids(f.append(t, call(t, "s0", "We decided on tiles")))
	f.do(t, `INSERT INTO conversation_session (tenant_id, user_id, session_id, previous_session_id)
		SELECT $1, $2, 's' || i, 's' || i - 1 FROM generate_series(1, 200) i ORDER BY i`, tenant, user)
	w, err := f.Window(t.Context(), tenant, user, "s200", 5, 1<<16)
	if err != nil || len(w.Past) != 1 || w.MorePast || w.Past[0].SessionID != "s0" || show(entryIDs(w.Past[0].Entries)) != show(said) || show(entryIDs(w.Open)) != show(said) {
		t.Errorf("%+v, open %v, %v", w.Past, entryIDs(w.Open), err)
	}
}
