package shortterm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
	"pgregory.net/rapid"
)

// window is what Messages should give, by the words of the contract.
func window(all []Entry, p Page) (want []Entry, more bool) {
	for _, e := range all {
		if (p.After == nil || e.ID > *p.After) && (p.Before == nil || e.ID < *p.Before) {
			want = append(want, e)
		}
	}
	bounded := len(want)
	if p.Turns > 0 {
		var starts []int
		for i, e := range want {
			if i == 0 || e.Role == memd.RoleUser {
				starts = append(starts, i)
			}
		}
		switch n := len(starts); {
		case n <= p.Turns:
		case p.After != nil:
			want = want[:starts[p.Turns]]
		default:
			want = want[starts[n-p.Turns]:]
		}
	}
	if p.Limit > 0 && len(want) > p.Limit {
		if p.After != nil {
			want = want[:p.Limit]
		} else {
			want = want[len(want)-p.Limit:]
		}
	}
	return want, len(want) < bounded
}

func TestPagesProperty(t *testing.T) {
	f := open(t, Config{})
	sessions := 0
	roles := []memd.Role{memd.RoleUser, memd.RoleAssistant, memd.RoleTool, memd.RoleSystem}
	rapid.Check(t, func(rt *rapid.T) {
		sessions++
		session := fmt.Sprint("p", sessions)
		a := Append{UserID: user, SessionID: session, Infer: true, Learn: both}
		for i, role := range rapid.SliceOfN(rapid.SampledFrom(roles), 1, 12).Draw(rt, "roles") {
			a.Messages = append(a.Messages, message(t, role, fmt.Sprint(i), ""))
		}
		f.append(t, a)
		f.append(t, Append{UserID: user, SessionID: session + "x", Messages: a.Messages}) // a neighbour
		_, all, more, err := f.Messages(t.Context(), tenant, Page{UserID: user, SessionID: session})
		if err != nil || more || len(all) != len(a.Messages) {
			rt.Fatalf("all: %d, %v, %v", len(all), more, err)
		}
		id := func(name string) *int64 {
			switch i := rapid.IntRange(-2, len(all)-1).Draw(rt, name); i {
			case -2:
				return nil
			case -1:
				return new(int64)
			default:
				return &all[i].ID
			}
		}
		for range 5 {
			p := Page{UserID: user, SessionID: session, Turns: rapid.IntRange(0, 5).Draw(rt, "turns"),
				Limit: rapid.IntRange(0, 5).Draw(rt, "limit"), Before: id("before"), After: id("after")}
			want, wantMore := window(all, p)
			got, entries, more, err := f.Messages(t.Context(), tenant, p)
			if err != nil || got != session || more != wantMore || !slices.EqualFunc(entries, want, func(a, b Entry) bool { return a.ID == b.ID }) {
				rt.Fatalf("%+v of %v: %d entries, more %v, %v; want %d, %v", p, roleLine(all), len(entries), more, err, len(want), wantMore)
			}
		}
	})
}

// A client that goes on after the last id it saw sees every message once, in order, and
// so does one that goes back before the first.
func TestPagingSeesEveryMessageOnce(t *testing.T) {
	f := open(t, Config{})
	sessions := 0
	roles := []memd.Role{memd.RoleUser, memd.RoleAssistant, memd.RoleTool}
	rapid.Check(t, func(rt *rapid.T) {
		sessions++
		a := Append{UserID: user, SessionID: fmt.Sprint("e", sessions)}
		for i, role := range rapid.SliceOfN(rapid.SampledFrom(roles), 1, 15).Draw(rt, "roles") {
			a.Messages = append(a.Messages, message(t, role, fmt.Sprint(i), ""))
		}
		want := ids(f.append(t, a))
		forward := rapid.Bool().Draw(rt, "forward")
		var seen []int64
		p := Page{UserID: user, SessionID: a.SessionID}
		if forward {
			p.After = new(int64)
		}
		for more := true; more; {
			p.Turns, p.Limit = 0, 0
			if n := rapid.IntRange(1, 4).Draw(rt, "n"); rapid.Bool().Draw(rt, "by turns") {
				p.Turns = n
			} else {
				p.Limit = n
			}
			var entries []Entry
			var err error
			_, entries, more, err = f.Messages(t.Context(), tenant, p)
			if err != nil || len(entries) == 0 {
				rt.Fatalf("%+v: %d entries, %v, with %d of %d seen", p, len(entries), err, len(seen), len(want))
			}
			if forward {
				seen = append(seen, entryIDs(entries)...)
				p.After = &entries[len(entries)-1].ID
			} else {
				seen = append(entryIDs(entries), seen...)
				p.Before = &entries[0].ID
			}
		}
		if !slices.Equal(seen, want) {
			rt.Fatalf("forward %v: saw %v of %v", forward, seen, want)
		}
	})
}

func roleLine(es []Entry) (s string) {
	for _, e := range es {
		s += string(e.Role[:1])
	}
	return s
}

func TestTurns(t *testing.T) {
	f := open(t, Config{})
	a := Append{UserID: user, SessionID: "s"}
	for _, r := range []memd.Role{"system", "assistant", "user", "assistant", "tool", "assistant", "user", "user", "assistant"} {
		a.Messages = append(a.Messages, message(t, r, string(r), ""))
	}
	f.append(t, a)
	for turns, want := range map[int]string{1: "ua", 2: "uua", 3: "uatauua", 4: "sauatauua", 9: "sauatauua"} {
		_, entries, more, err := f.Messages(t.Context(), tenant, Page{UserID: user, SessionID: "s", Turns: turns})
		if err != nil || roleLine(entries) != want || more != (turns < 4) {
			t.Errorf("%d turns: %s, more %v, %v; want %s", turns, roleLine(entries), more, err, want)
		}
	}
}

func TestTheLatestSession(t *testing.T) {
	f := open(t, Config{})
	latest := func(want string) {
		t.Helper()
		got, _, _, err := f.Messages(t.Context(), tenant, Page{UserID: user, Turns: 5})
		if want == "" {
			kind(t, "no session", err, memd.NotFound)
			return
		}
		if err != nil || got != want {
			t.Errorf("the latest is %q, %v; want %q", got, err, want)
		}
		w, err := f.Window(t.Context(), tenant, user, "", 5, 1<<16)
		if err != nil || w.Session == nil || w.Session.SessionID != want {
			t.Errorf("the latest window is %+v, %v; want %q", w.Session, err, want)
		}
	}
	latest("")
	direct := call(t, "d", "a")
	direct.Direct = true
	f.append(t, direct)
	latest("")
	old := call(t, "s1", "a")
	old.Messages[0].CreatedAt = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) // a clock says nothing
	f.append(t, old)
	latest("s1")
	f.append(t, call(t, "s2", "a"))
	latest("s2")
	f.append(t, call(t, "s1", "b"))
	latest("s1")
	f.append(t, direct)
	other := call(t, "s3", "a")
	other.UserID = "bob"
	f.append(t, other)
	latest("s1")
	if _, err := f.CreateSession(t.Context(), tenant, NewSession{UserID: user, SessionID: "s4"}); err != nil {
		t.Fatal(err)
	}
	latest("s4") // made after the last message came
	f.append(t, call(t, "s2", "c"))
	latest("s2")
	w, err := f.Window(t.Context(), tenant, "nobody", "", 5, 1<<16)
	if err != nil || w.Session != nil || len(w.Entries) > 0 {
		t.Errorf("a user without sessions: %+v, %v", w, err)
	}
}

func TestASessionThatIsEmptyAndOneThatIsNot(t *testing.T) {
	f := open(t, Config{})
	for _, p := range []Page{{}, {Turns: 3}, {Limit: 3}, {Limit: 3, After: new(int64)}, {Turns: 3, After: new(int64)}} {
		p.UserID, p.SessionID = user, "s"
		_, _, _, err := f.Messages(t.Context(), tenant, p)
		kind(t, "unknown session", err, memd.NotFound)
	}
	if _, err := f.CreateSession(t.Context(), tenant, NewSession{UserID: user, SessionID: "s"}); err != nil {
		t.Fatal(err)
	}
	for _, p := range []Page{{}, {Turns: 3}, {Limit: 3}, {Limit: 3, After: new(int64)}, {Turns: 3, After: new(int64)}} {
		p.UserID, p.SessionID = user, "s"
		got, entries, more, err := f.Messages(t.Context(), tenant, p)
		if err != nil || got != "s" || entries == nil || len(entries) != 0 || more {
			t.Errorf("an empty session: %q, %v, %v, %v", got, entries, more, err)
		}
	}
}

func TestSessions(t *testing.T) {
	f := open(t, Config{})
	made, err := f.CreateSession(t.Context(), tenant, NewSession{UserID: user, AgentID: "agent", Metadata: []byte(`{"a": 1}`)})
	if err != nil || len(made.SessionID) != 36 || *made.AgentID != "agent" || string(made.Metadata) != `{"a": 1}` || made.Messages != 0 || made.Title != nil {
		t.Errorf("made %+v, %v", made, err)
	}
	_, err = f.CreateSession(t.Context(), tenant, NewSession{UserID: user, SessionID: made.SessionID})
	kind(t, "the same again", err, memd.Conflict)
	_, err = f.CreateSession(t.Context(), tenant, NewSession{UserID: user, SessionID: "next", PreviousSessionID: "none"})
	kind(t, "after one that does not exist", err, memd.Invalid)
	_, err = f.CreateSession(t.Context(), tenant, NewSession{UserID: "bob", SessionID: "next", PreviousSessionID: made.SessionID})
	kind(t, "after another user's", err, memd.Invalid)
	next, err := f.CreateSession(t.Context(), tenant, NewSession{UserID: user, SessionID: "next", PreviousSessionID: made.SessionID})
	if err != nil || *next.PreviousSessionID != made.SessionID {
		t.Errorf("next %+v, %v", next, err)
	}
	// A session that was made takes messages, and keeps what it was made with.
	a := call(t, made.SessionID, "Hello")
	a.AgentID = "another"
	f.append(t, a)
	got, err := f.Session(t.Context(), tenant, user, made.SessionID)
	if err != nil || *got.AgentID != "agent" || got.Messages != 1 || *got.Title != "Hello" {
		t.Errorf("after a message %+v, %v", got, err)
	}
	if _, err := f.CreateSession(t.Context(), tenant, NewSession{UserID: "bob", SessionID: "next"}); err != nil {
		t.Errorf("another user's session of the same name: %v", err)
	}

	want := []string{"next", made.SessionID}
	for i := range 5 {
		f.append(t, call(t, fmt.Sprint("s", i), "x"))
		want = slices.Insert(want, 0, fmt.Sprint("s", i))
	}
	direct := call(t, "direct", "x")
	direct.Direct = true
	f.append(t, direct)
	for _, limit := range []int{1, 2, 3, 7, 100} {
		var all []string
		cursor := ""
		for {
			page, next, err := f.Sessions(t.Context(), tenant, user, limit, cursor)
			if err != nil || len(page) > limit {
				t.Fatalf("page %v, %v", page, err)
			}
			for _, s := range page {
				all = append(all, s.SessionID)
			}
			if cursor = next; cursor == "" {
				break
			}
			f.append(t, call(t, all[0], "later")) // pages are stable under writes
		}
		if !slices.Equal(all, want) {
			t.Errorf("by %d: %v, want %v", limit, all, want)
		}
	}
	_, cursor, err := f.Sessions(t.Context(), tenant, user, 1, "")
	if err != nil || cursor == "" {
		t.Fatalf("cursor %q, %v", cursor, err)
	}
	for _, cursor := range []string{"!", "-1", "0", "1", "zz", " " + cursor, cursor + "\n", cursor + "A", cursor[1:], list{"dead letters", tenant, user, ""}.writeCursor(1)} {
		_, _, err := f.Sessions(t.Context(), tenant, user, 1, cursor)
		kind(t, "cursor "+cursor, err, memd.Invalid)
	}
	_, _, err = f.Sessions(t.Context(), tenant, "bob", 1, cursor)
	kind(t, "another user's cursor", err, memd.Invalid)
	_, _, err = f.Sessions(t.Context(), "other", user, 1, cursor)
	kind(t, "another tenant's cursor", err, memd.Invalid)
	_, _, err = f.DeadLetters(t.Context(), tenant, "", "", "", 1, cursor)
	kind(t, "another list's cursor", err, memd.Invalid)
	if page, next, err := f.Sessions(t.Context(), tenant, "nobody", 10, ""); err != nil || page == nil || len(page) != 0 || next != "" {
		t.Errorf("a user without sessions: %v, %q, %v", page, next, err)
	}
}

func TestOneMessageAndItsPermissionCheck(t *testing.T) {
	f := open(t, Config{})
	a := call(t, "s", "one")
	a.AgentID, a.AppID = "agent", "app"
	id := f.append(t, a).Messages[0].ID
	for check, found := range map[memd.Scope]bool{
		{}: true, {UserID: user}: true, {AgentID: "agent"}: true, {UserID: user, AgentID: "agent", RunID: "s", AppID: "app"}: true,
		{UserID: "bob"}: false, {AgentID: "other"}: false, {RunID: "t"}: false, {AppID: "other"}: false, {UserID: user, AgentID: "other"}: false,
	} {
		e, err := f.Message(t.Context(), tenant, id, check)
		if found && (err != nil || e.ID != id || e.Text != "one") {
			t.Errorf("%s: %+v, %v", check.Describe(), e, err)
		}
		if !found {
			kind(t, check.Describe(), err, memd.NotFound)
		}
	}
	_, err := f.Message(t.Context(), tenant, id+1, memd.Scope{})
	kind(t, "none", err, memd.NotFound)
}

func TestTheWindowAndWhatIsOpenBesides(t *testing.T) {
	f := open(t, Config{})
	w, err := f.Window(t.Context(), tenant, user, "new", 3, 1<<16)
	if err != nil || w.Session != nil || len(w.Entries)+len(w.Open) > 0 {
		t.Errorf("a new session: %+v, %v", w, err)
	}
	before := f.append(t, call(t, "s0", "a", "b"))
	if _, err := f.CreateSession(t.Context(), tenant, NewSession{UserID: user, SessionID: "s1", PreviousSessionID: "s0"}); err != nil {
		t.Fatal(err)
	}
	here := f.append(t, call(t, "s1", "1", "2", "3", "4", "5", "6"))
	f.append(t, call(t, "s2", "elsewhere"))
	f.do(t, `DELETE FROM ingest_open WHERE message_id = ANY ($1)`, []int64{ids(before)[0], ids(here)[1]})
	for turns, want := range map[int][2][]int64{
		0: {nil, {ids(before)[1], ids(here)[0], ids(here)[2], ids(here)[3], ids(here)[4], ids(here)[5]}},
		1: {ids(here)[4:], {ids(before)[1], ids(here)[0], ids(here)[2], ids(here)[3]}},
		2: {ids(here)[2:], {ids(before)[1], ids(here)[0]}},
		9: {ids(here), {ids(before)[1]}},
	} {
		w, err := f.Window(t.Context(), tenant, user, "s1", turns, 1<<16)
		if err != nil || w.Session == nil || w.Session.Messages != 6 {
			t.Fatalf("%d turns: %+v, %v", turns, w.Session, err)
		}
		if got := [2][]int64{entryIDs(w.Entries), entryIDs(w.Open)}; show(got) != show(want) {
			t.Errorf("%d turns: %v, want %v", turns, got, want)
		}
	}
}

func entryIDs(es []Entry) (all []int64) {
	for _, e := range es {
		all = append(all, e.ID)
	}
	return all
}

// Every read, by a tenant that owns nothing of it, and by none at all.
func TestTenantsSeeNothingOfEachOther(t *testing.T) {
	f := open(t, Config{})
	a := f.append(t, call(t, "s", "one", "two", "three"))
	c, err := f.Claim(t.Context(), tenant, a.SessionNo, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	err = f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
		return f.Settle(t.Context(), tx, tenant, []Outcome{{c.Messages[0].ID, 1, StateDead, "", "x: y"}})
	})
	if err != nil {
		t.Fatal(err)
	}
	id := a.Messages[0].ID
	for _, other := range []string{"other", "", "acme'", "ACME"} {
		t.Run(other, func(t *testing.T) {
			_, _, _, err := f.Messages(t.Context(), other, Page{UserID: user, SessionID: "s"})
			kind(t, "Messages", err, memd.NotFound)
			_, _, _, err = f.Messages(t.Context(), other, Page{UserID: user, Turns: 1})
			kind(t, "Messages of the latest", err, memd.NotFound)
			_, err = f.Message(t.Context(), other, id, memd.Scope{})
			kind(t, "Message", err, memd.NotFound)
			w, err := f.Window(t.Context(), other, user, "s", 5, 1<<16)
			if err != nil || w.Session != nil || len(w.Entries)+len(w.Open) > 0 {
				t.Errorf("Window = %+v, %v", w, err)
			}
			_, err = f.Session(t.Context(), other, user, "s")
			kind(t, "Session", err, memd.NotFound)
			if page, _, err := f.Sessions(t.Context(), other, user, 10, ""); err != nil || len(page) > 0 {
				t.Errorf("Sessions = %v, %v", page, err)
			}
			if counts, err := f.Counts(t.Context(), other, "", ""); err != nil || counts != (Counts{}) {
				t.Errorf("Counts = %+v, %v", counts, err)
			}
			if counts, err := f.AwaitIdle(t.Context(), other, user, ""); err != nil || counts != (Counts{}) {
				t.Errorf("AwaitIdle = %+v, %v", counts, err)
			}
			if err := f.AwaitSettled(t.Context(), other, ids(a)); err != nil {
				t.Errorf("AwaitSettled = %v", err)
			}
			if letters, _, err := f.DeadLetters(t.Context(), other, "", "", "", 10, ""); err != nil || len(letters) > 0 {
				t.Errorf("DeadLetters = %v, %v", letters, err)
			}
			if people, total, _, err := f.People(t.Context(), other, 10, ""); err != nil || len(people)+total > 0 {
				t.Errorf("People = %v, %d, %v", people, total, err)
			}
			if open, dead, err := f.Standing(t.Context(), other, ids(a)); err != nil || len(open)+len(dead) > 0 {
				t.Errorf("Standing = %v, %v, %v", open, dead, err)
			}
			if gone, err := f.Gone(t.Context(), other, ids(a)); err != nil || !slices.Equal(gone, ids(a)) {
				t.Errorf("Gone = %v, %v", gone, err)
			}
			if n, err := f.drop(t, other, memd.Scope{UserID: user}); err != nil || n != 0 {
				t.Errorf("DropOpen = %d, %v", n, err)
			}
			kind(t, "RetryDead", f.RetryDead(t.Context(), other, id), memd.NotFound)
			kind(t, "DiscardDead", f.DiscardDead(t.Context(), other, id), memd.NotFound)
			if c, err := f.Claim(t.Context(), other, a.SessionNo, 10, 10); err != nil || c != nil {
				t.Errorf("Claim = %+v, %v", c, err)
			}
			stolen := &Claim{Tenant: other, Messages: []Claimed{{Message: memd.Message{ID: ids(a)[1]}, Attempt: 0}}}
			if err := f.Release(t.Context(), stolen); err != nil {
				t.Errorf("Release = %v", err)
			}
			kind(t, "Extend", f.extend(t, stolen), memd.Conflict)
		})
	}
	if counts, err := f.Counts(t.Context(), tenant, "", ""); err != nil || counts.Pending != 2 || counts.Dead != 1 {
		t.Errorf("the tenant's own counts are %+v, %v", counts, err)
	}
	for _, table := range []string{"conversation_context", "conversation_session", "ingest_open", "ingest_settled", "idempotency"} {
		var n int
		if err := f.pool.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil || n != 0 {
			t.Errorf("without a tenant %s shows %d rows, %v", table, n, err)
		}
	}
	// A query that names another tenant than its transaction's sees nothing either.
	b := postgres.TenantBatch("other")
	var n int
	b.Queue(`SELECT count(*) FROM conversation_context WHERE tenant_id = $1`, tenant).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
	if err := f.pool.SendBatch(t.Context(), b).Close(); err != nil || n != 0 {
		t.Errorf("under another tenant: %d rows, %v", n, err)
	}
}

// queries are all statements of the package.
var queries = map[string]string{
	"setTenant": setTenant, "makeSession": makeSession, "makeSessions": makeSessions, "lockSession": lockSession,
	"lockShared": lockShared, "appendShared": appendShared, "appendSharedKeyed": appendSharedKeyed,
	"appendPlain": appendPlain, "appendKeyed": appendKeyed, "appendNamed": appendNamed, "appendNamedKeyed": appendNamedKeyed,
	"replayed": replayed, "lastTurns": lastTurns, "firstTurns": firstTurns, "newest": newest, "following": following, "oneMessage": oneMessage,
	"windowSession": windowSession, "windowTurns": windowTurns, "windowOpen": windowOpen, "windowPast": windowPast, "windowPastEntries": windowPastEntries, "createSession": createSession, "oneSession": oneSession,
	"listSessions": listSessions, "titledMessages": titledMessages, "firstUserMessages": firstUserMessages, "setTitle": setTitle,
	"previousThere": previousThere, "claimOpen": claimOpen, "claimedMessages": claimedMessages, "extendClaim": extendClaim,
	"releaseClaim": releaseClaim, "failClaim": failClaim, "settle": settle, "anyOpen": anyOpen, "countTenant": countTenant,
	"countUser": countUser, "countUnsettled": countUnsettled, "listDead": listDead, "retryDead": retryDead, "discardDead": discardDead,
	"lendTimeout": lendTimeout, "returnTimeout": returnTimeout, "keepTogether": keepTogether, "unsettled": unsettled,
	"dropOpenOfUser": dropOpenOfUser, "dropOpenOfAny": dropOpenOfAny, "listPeople": listPeople, "countPeople": countPeople, "meetPerson": meetPerson,
	"lockSessionOf": lockSessionOf, "lockWholeSessions": lockWholeSessions, "messagesOfSession": messagesOfSession, "rewordMessage": rewordMessage,
	"reopenMessages": reopenMessages, "removeOpen": removeOpen, "removeSettled": removeSettled, "removeMessages": removeMessages,
	"recountSession": recountSession, "removeSession": removeSession, "changeSession": changeSession,
	"takeDue": takeDue, "markLost": markLost, "expireIdempotency": expireIdempotency,
	"wayOn": wayOn, "shortenWay": shortenWay, "holdNamed": holdNamed, "anyThere": anyThere, "lastOf": lastOf,
	"nextSession": nextSession, "lockChains": lockChains, "lockChainsOf": lockChainsOf, "joinNeighbours": joinNeighbours, "joinEmptied": joinEmptied, "makeNext": makeNext, "closeFor": closeFor, "hasten": hasten,
	"dropSaid": dropSaid, "dropSummary": dropSummary, "dropSummaryDue": dropSummaryDue, "blankSession": blankSession,
	"personLearn": personLearn, "onePerson": onePerson, "lockSessionsOf": lockSessionsOf, "isDead": isDead,
	"tenantSettings": tenantSettings, "makeSettings": makeSettings, "changeSettings": changeSettings, "anyAfter": anyAfter, "onward": onward,
	"isIncognito": isIncognito, "dropStaleSummary": dropStaleSummary, "lockedSessions": lockedSessions, "dropOpenOfSession": dropOpenOfSession,
	"incognitoOver": incognitoOver, "lockIdle": lockIdle, "messagesOver": messagesOver, "lockByNo": lockByNo, "markedMessages": markedMessages, "closedSummaryDue": closedSummaryDue,
	"stillSettled": stillSettled, "dropEmptied": dropEmptied,
	"lockSessions": lockSessions, "readSessions": readSessions, "knownInBulk": knownInBulk, "insertInBulk": insertInBulk, "recogniseMessages": recogniseMessages, "arriveSession": arriveSession,
	"markRemoved": markRemoved, "removedAmong": removedAmong,
}

func TestQueriesPrepare(t *testing.T) {
	f := open(t, Config{})
	c, err := f.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	for name, sql := range queries {
		if _, err := c.Conn().Prepare(t.Context(), name, sql); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever values come, the last turns of a session are read from its index, and
// claiming touches the session's own rows.
func TestPlans(t *testing.T) {
	f := open(t, Config{})
	f.do(t, `INSERT INTO conversation_session (tenant_id, user_id, session_id) SELECT 'acme', 'u' || i % 20, 's' || i FROM generate_series(1, 200) i`)
	f.do(t, `INSERT INTO conversation_context (tenant_id, user_id, session_id, session_no, role, message, position, learn)
		SELECT 'acme', s.user_id, s.session_id, s.no, CASE i % 2 WHEN 1 THEN 'user' ELSE 'assistant' END, '{"role":"user","content":"x"}', i, true
		  FROM conversation_session s, generate_series(1, 100) i`)
	f.do(t, `INSERT INTO ingest_open (message_id, tenant_id, session_no) SELECT id, 'acme', session_no FROM conversation_context`)
	f.wantPlans(t, map[string]planned{
		"lastTurns":       {lastTurns, `'acme', 'u7', 's7', 5, 0, 9223372036854775807`, []string{"conversation_context_session"}},
		"firstTurns":      {firstTurns, `'acme', 'u7', 's7', 5, 0, 9223372036854775807`, []string{"conversation_context_session"}},
		"newest":          {newest, `'acme', 'u7', 's7', 5, 0, 9223372036854775807`, []string{"conversation_context_session"}},
		"claimOpen":       {claimOpen, `'acme', 7, 10, '60 s'`, []string{"ingest_open_session"}},
		"claimedMessages": {claimedMessages, `'acme', 7, '60 s', 5`, []string{"ingest_open_session", "conversation_context_session"}},
		"windowSession":   {windowSession, `'acme', 'u7', 's7', false`, []string{"conversation_session_tenant_id"}},
		"windowTurns":     {windowTurns, `'acme', 'u7', 5`, []string{"conversation_context_session"}},
		"windowOpen":      {windowOpen, `'acme', 'u7', 5, 8, 200, 65536`, []string{"ingest_open_session", "conversation_context_session", "conversation_session_tenant_id"}},
		"windowPast":      {windowPast, `'acme', 'u7', 5, 8`, []string{"conversation_session_tenant_id"}},
		"windowPastRead":  {windowPastEntries, `'acme', 'u7', 5, 8, 24, 12, 65536, 65536`, []string{"conversation_context_session", "conversation_session_tenant_id"}},
		"dropOpenOfUser":  {dropOpenOfUser, `'acme', 'u7', '', '', '', 'x'`, []string{"conversation_session_tenant_id", "ingest_open_session"}},
		"oneMessage":      {oneMessage, `'acme', 7, '', '', '', ''`, []string{"conversation_context_pkey"}},
	})
}

// What revises messages is asked of tables that have their statistics: it finds them by
// their ids.
func TestPlansOfRevisions(t *testing.T) {
	f := open(t, Config{})
	f.do(t, `INSERT INTO conversation_session (tenant_id, user_id, session_id) SELECT 'acme', 'u' || i % 20, 's' || i FROM generate_series(1, 200) i`)
	f.do(t, `INSERT INTO conversation_context (tenant_id, user_id, session_id, session_no, role, message, position, learn)
		SELECT 'acme', s.user_id, s.session_id, s.no, 'user', '{"role":"user","content":"x"}', i, true FROM conversation_session s, generate_series(1, 100) i`)
	f.do(t, `INSERT INTO ingest_open (message_id, tenant_id, session_no) SELECT id, 'acme', session_no FROM conversation_context`)
	f.do(t, `INSERT INTO ingest_settled (message_id, tenant_id, state, attempts) SELECT id, 'acme', 'done', 1 FROM conversation_context`)
	f.do(t, `INSERT INTO message_removed (tenant_id, user_id, origin, message_id) SELECT 'acme', user_id, sha256(id::text::bytea), id FROM conversation_context`)
	for _, table := range []string{"conversation_session", "conversation_context", "ingest_open", "ingest_settled", "message_removed"} {
		f.analyze(t, table)
	}
	f.wantPlans(t, map[string]planned{
		"rewordMessage":     {rewordMessage, `'acme', 7, '{}'`, []string{"conversation_context_pkey", "ingest_settled_pkey"}},
		"reopenMessages":    {reopenMessages, `'acme', '{7}', 0`, []string{"conversation_context_pkey", "ingest_settled_pkey"}},
		"markRemoved":       {markRemoved, `'acme', '{7}'`, []string{"conversation_context_pkey", "conversation_session_pkey"}},
		"removedAmong":      {removedAmong, `'acme', '{u7}', '{s7}', '{c7}'`, []string{"message_removed_pkey"}},
		"removeMessages":    {removeMessages, `'acme', '{7}'`, []string{"conversation_context_pkey"}},
		"removeOpen":        {removeOpen, `'acme', '{7}'`, []string{"ingest_open_pkey"}},
		"removeSettled":     {removeSettled, `'acme', '{7}'`, []string{"ingest_settled_pkey"}},
		"titledMessages":    {titledMessages, `'acme', '{7}'`, []string{"conversation_context_pkey", "conversation_session_pkey"}},
		"firstUserMessages": {firstUserMessages, `'acme', 7`, []string{"conversation_session_pkey", "conversation_context_session"}},
		"recountSession":    {recountSession, `'acme', 7, 1`, []string{"conversation_session_pkey", "conversation_context_session"}},
		"messagesOfSession": {messagesOfSession, `'acme', 7`, []string{"conversation_context_session"}},
	})
}

// What is open is counted without a look at its rows, where there is much of it.
func TestPlansOfCounts(t *testing.T) {
	f := open(t, Config{})
	f.do(t, `INSERT INTO ingest_open (message_id, tenant_id, session_no, state) SELECT i, 'acme', 1, CASE i % 100 WHEN 0 THEN 'running' WHEN 1 THEN 'failed' ELSE 'pending' END FROM generate_series(1, 20000) i`)
	f.analyze(t, "ingest_open")
	f.wantPlans(t, map[string]planned{"countTenant": {countTenant, `'acme'`, []string{"Index Only Scan using ingest_open_pending", "Index Only Scan using ingest_open_begun"}}})
	if c, err := f.Counts(t.Context(), tenant, "", ""); err != nil || c.Pending != 19600 || c.Running != 200 || c.Failed != 200 {
		t.Errorf("%+v, %v", c, err)
	}
}

// planned is a statement, arguments for it, and the indexes that it must use.
type planned struct {
	sql, args string
	index     []string
}

func (f fixture) wantPlans(t *testing.T, all map[string]planned) {
	t.Helper()
	for name, want := range all {
		for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
			plan := f.explain(t, mode, want.sql, want.args)
			for _, index := range want.index {
				if !strings.Contains(plan, index) {
					t.Errorf("%s (%s) does not use %s:\n%s", name, mode, index, plan)
				}
			}
			if strings.Contains(plan, "Seq Scan on conversation_context") || strings.Contains(plan, "Seq Scan on ingest_") {
				t.Errorf("%s (%s) scans a table:\n%s", name, mode, plan)
			}
		}
	}
}

// explain gives the plan of a prepared statement.
func (f fixture) explain(t *testing.T, mode, sql, args string) string {
	t.Helper()
	c, err := f.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	// Plain text, since a PREPARE cannot have its own placeholders bound.
	results, err := c.Conn().PgConn().Exec(t.Context(), `BEGIN;
		SELECT set_config('memd.tenant', 'acme', true), set_config('plan_cache_mode', '`+mode+`', true);
		PREPARE explained AS `+sql+`;
		EXPLAIN EXECUTE explained (`+args+`);
		DEALLOCATE explained;
		ROLLBACK`).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var plan strings.Builder
	for _, row := range results[3].Rows {
		fmt.Fprintln(&plan, string(row[0]))
	}
	return plan.String()
}

// analyze has Postgres look at a table, as it does by itself from time to time.
func (f fixture) analyze(t *testing.T, table string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), f.owner)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	if _, err := c.Exec(t.Context(), `VACUUM ANALYZE `+table); err != nil {
		t.Fatal(err)
	}
}
