package shortterm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/internal/memdtest"
)

// old makes messages of a tenant look as if they had come long ago.
func (f fixture) old(t testing.TB, by time.Duration, ids ...int64) {
	t.Helper()
	f.do(t, `UPDATE conversation_context SET received_at = received_at - $2::interval WHERE id = ANY ($1)`, ids, by)
}

// sweep takes what is kept no longer, and gives what it told of.
func (f fixture) sweep(t testing.TB) (dropped []int64) {
	t.Helper()
	for {
		n, err := f.SweepMessages(t.Context(), 3, func(_ context.Context, _ pgx.Tx, of string, ids []int64) error {
			if of != tenant {
				t.Errorf("of %s", of)
			}
			dropped = append(dropped, ids...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n < 3 {
			slices.Sort(dropped)
			return dropped
		}
	}
}

func keep(d *time.Duration) func(Settings) (Settings, error) {
	return func(s Settings) (Settings, error) {
		s.KeepMessages = d
		return s, nil
	}
}

const day = 24 * time.Hour

func TestMessagesAreKeptForAsLongAsTheyAre(t *testing.T) {
	f := open(t, Config{KeepMessages: 10 * day})
	got := f.append(t, call(t, "s", "1", "2", "3", "4", "5"))
	all := ids(got)
	f.settleAll(t, f.claim(t, got.SessionNo, 3, 0), StateDone) // 4 and 5 stay open
	f.old(t, 9*day, all...)
	if dropped := f.sweep(t); dropped != nil {
		t.Errorf("dropped %v before their time", dropped)
	}
	f.old(t, 2*day, all[0], all[1], all[3], all[4])
	held := f.claim(t, got.SessionNo, 1, 0)
	if dropped := f.sweep(t); !slices.Equal(dropped, all[:2]) {
		t.Errorf("dropped %v, want %v", dropped, all[:2])
	}
	f.wantTexts(t, "s", "3", "4", "5")
	equal(t, "messages", f.session(t, "s").Messages, 3)
	equal(t, "in no one state", f.query(t, stateless), 0)
	equal(t, "settled", f.rows(t, "ingest_settled"), 1)
	// What is open goes as soon as it has settled; the session that is not closed stays.
	f.settleAll(t, held, StateDead)
	f.settleAll(t, f.claim(t, got.SessionNo, 1, 0), StateDone)
	f.old(t, 2*day, all[2])
	if dropped := f.sweep(t); !slices.Equal(dropped, all[2:]) {
		t.Errorf("dropped %v, want %v", dropped, all[2:])
	}
	if s := f.session(t, "s"); s.Messages != 0 || s.LastMessageAt != nil {
		t.Errorf("session %+v", s)
	}
	late := f.append(t, call(t, "s", "6"))
	if _, entries, _, err := f.Messages(t.Context(), tenant, Page{UserID: user, SessionID: "s"}); err != nil || len(entries) != 1 || entries[0].Position != 5 {
		t.Errorf("%+v, %v, %v", entries, late, err)
	}
}

func TestATenantSaysHowLongItsMessagesAreKept(t *testing.T) {
	set := func(f fixture, d *time.Duration) {
		if s, err := f.ChangeSettings(t.Context(), tenant, keep(d)); err != nil || show(s.KeepMessages) == "" {
			t.Fatal(s, err)
		}
	}
	for name, c := range map[string]struct {
		daemon time.Duration
		tenant *time.Duration
		goes   bool
	}{
		"nobody": {0, nil, false}, "the daemon": {day, nil, true}, "the tenant": {0, ptr(day), true},
		"the tenant for longer": {day, ptr(100 * day), false}, "the tenant for ever": {day, ptr(time.Duration(0)), false}, "the tenant for less": {100 * day, ptr(day), true},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, Config{KeepMessages: c.daemon})
			set(f, ptr(time.Hour))
			set(f, c.tenant)
			a := call(t, "s", "1")
			a.Infer = false
			got := f.append(t, a)
			f.old(t, 10*day, ids(got)...)
			// Another tenant that keeps little has nothing to do with it.
			if _, err := f.ChangeSettings(t.Context(), "other", keep(ptr(time.Minute))); err != nil {
				t.Fatal(err)
			}
			if goes := len(f.sweep(t)) == 1; goes != c.goes {
				t.Errorf("goes = %v", goes)
			}
		})
	}
}

// A closed session goes with its last message, unless its name leads on.
func TestClosedSessionsGoWithTheirMessages(t *testing.T) {
	f := open(t, Config{KeepMessages: day})
	quiet := func(session, text string) Appended {
		a := call(t, session, text)
		a.Infer = false
		return f.append(t, a)
	}
	var all []int64
	f.make(t, NewSession{SessionID: "turned", Limits: Limits{Turns: ptr(1)}})
	for _, s := range []string{"open", "closed", "rotated", "turned"} {
		all = append(all, ids(quiet(s, s+" said"))...)
	}
	f.change(t, "closed", Change{Closed: ptr(true)})
	next, _ := f.rotate(t, Rotation{SessionID: "rotated"})
	after := quiet("turned", "more")
	f.do(t, `INSERT INTO session_summary (session_no, tenant_id, upto, summary, model) SELECT no, 'acme', 1, 'x', 'm' FROM conversation_session`)
	f.old(t, 2*day, all...)
	if dropped := f.sweep(t); !slices.Equal(dropped, all) {
		t.Errorf("dropped %v, want %v", dropped, all)
	}
	for _, s := range []string{"closed", "rotated"} {
		_, err := f.Session(t.Context(), tenant, user, s)
		kind(t, s, err, memd.NotFound)
	}
	f.session(t, "open")
	f.session(t, next.SessionID)
	if s := f.session(t, "turned"); s.Title != nil || s.Messages != 0 {
		t.Errorf("turned = %+v", s)
	}
	equal(t, "summaries", f.rows(t, "session_summary"), 3) // of those that are open
	equal(t, "what is posted under its name lands in", quiet("turned", "x").SessionID == "turned", false)
	f.wantTexts(t, after.SessionID, "more")
}

func TestAFailedDropTakesNothing(t *testing.T) {
	f := open(t, Config{KeepMessages: day})
	a := call(t, "s", "1", "2")
	a.Infer = false
	f.old(t, 2*day, ids(f.append(t, a))...)
	no := errors.New("no")
	if _, err := f.SweepMessages(t.Context(), 10, func(context.Context, pgx.Tx, string, []int64) error { return no }); !errors.Is(err, no) {
		t.Errorf("err = %v", err)
	}
	f.wantTexts(t, "s", "1", "2")
}

func TestSettings(t *testing.T) {
	f := open(t, Config{})
	if s, err := f.Settings(t.Context(), tenant); err != nil || show(s) != show(Settings{}) {
		t.Errorf("none are %+v, %v", s, err)
	}
	want := Settings{Limits: Limits{Idle: ptr(time.Hour), Turns: ptr(3), Tokens: ptr(int64(5)), Age: ptr(7 * day)}, KeepMessages: ptr(90 * day)}
	set, err := f.ChangeSettings(t.Context(), tenant, func(s Settings) (Settings, error) { return want, nil })
	if err != nil || set.UpdatedAt == nil {
		t.Fatal(set, err)
	}
	got, err := f.Settings(t.Context(), tenant)
	if err != nil || *got.Limits.Idle != time.Hour || *got.Limits.Turns != 3 || *got.Limits.Tokens != 5 || *got.Limits.Age != 7*day || *got.KeepMessages != 90*day || !got.UpdatedAt.Equal(*set.UpdatedAt) {
		t.Errorf("got %+v, %v", got, err)
	}
	if s, err := f.Settings(t.Context(), "other"); err != nil || s.Limits.Turns != nil {
		t.Errorf("another tenant's are %+v, %v", s, err)
	}
	for name, wrong := range map[string]Settings{
		"rotate.idle": {Limits: Limits{Idle: ptr(-time.Second)}}, "rotate.turns": {Limits: Limits{Turns: ptr(1 << 31)}},
		"rotate.tokens": {Limits: Limits{Tokens: ptr(int64(1 << 62))}}, "keep_messages": {KeepMessages: ptr(-day)},
	} {
		_, err := f.ChangeSettings(t.Context(), tenant, func(Settings) (Settings, error) { return wrong, nil })
		field(t, name, err, memd.Invalid, name)
	}
	no := memd.InvalidField("x", "no")
	_, err = f.ChangeSettings(t.Context(), tenant, func(Settings) (Settings, error) { return Settings{}, no })
	if !errors.Is(err, no) {
		t.Errorf("err = %v", err)
	}
	if after, err := f.Settings(t.Context(), tenant); err != nil || *after.Limits.Turns != 3 {
		t.Errorf("after what was refused: %+v, %v", after, err)
	}
}

// What one daemon sets, another goes by as soon as it has read it again.
func TestSettingsOfAnotherDaemon(t *testing.T) {
	f := open(t, Config{})
	other := New(f.pool, f.bus, f.cfg)
	f.append(t, call(t, "s", "1")) // reads them
	if _, err := other.ChangeSettings(t.Context(), tenant, func(s Settings) (Settings, error) { s.Limits.Turns = ptr(1); return s, nil }); err != nil {
		t.Fatal(err)
	}
	equal(t, "at first", f.append(t, call(t, "s", "2")).SessionID, "s")
	f.settingsFor = 0
	if got := f.append(t, call(t, "s", "3")); got.SessionID == "s" {
		t.Error("not gone by")
	}
	for i := range settingsKept + 10 {
		f.limits(t.Context(), fmt.Sprint("tenant ", i))
	}
	equal(t, "tenants known", f.settings.Len(), settingsKept)
}

func TestAwaitingWhatComes(t *testing.T) {
	f := open(t, Config{})
	first := f.append(t, call(t, "s", "1"))
	last := first.Messages[0].ID
	if there, err := f.AwaitAfter(t.Context(), tenant, user, "s", 0); err != nil || !there {
		t.Errorf("what is there: %v, %v", there, err)
	}
	for what, ctx := range map[string]func() (context.Context, context.CancelFunc){
		"deadline": func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), 20*time.Millisecond)
		},
		"end": func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(20*time.Millisecond, cancel)
			return ctx, cancel
		},
	} {
		ctx, cancel := ctx()
		if there, err := f.AwaitAfter(ctx, tenant, user, "s", last); err != nil || there {
			t.Errorf("until its %s: %v, %v", what, there, err)
		}
		cancel()
	}
	for _, session := range []string{"s", ""} {
		came := make(chan bool, 1)
		go func() {
			there, err := f.AwaitAfter(t.Context(), tenant, user, session, last)
			came <- there && err == nil
		}()
		next := f.append(t, call(t, "s", "2"))
		if !<-came {
			t.Errorf("nothing came to %q", session)
		}
		last = next.Messages[0].ID
	}
	_, err := f.AwaitAfter(t.Context(), tenant, user, "unknown", 0)
	kind(t, "unknown", err, memd.NotFound)
	_, err = f.AwaitAfter(t.Context(), "other", user, "s", 0)
	kind(t, "another tenant's", err, memd.NotFound)
	// One that is rotated leads on.
	leads := make(chan bool, 1)
	go func() {
		there, err := f.AwaitAfter(t.Context(), tenant, user, "s", last)
		leads <- there && err == nil
	}()
	next, _, err := f.Rotate(t.Context(), tenant, Rotation{UserID: user, SessionID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if !<-leads {
		t.Error("a rotation does not end the waiting")
	}
	if on, err := f.Onward(t.Context(), tenant, user, "s"); err != nil || on.Next != next.SessionID || on.ForwardsTo != "" || on.ClosedAt == nil {
		t.Errorf("it leads on to %+v: %v", on, err)
	}
	if on, err := f.Onward(t.Context(), tenant, user, next.SessionID); err != nil || on.Next != "" || on.ClosedAt != nil {
		t.Errorf("the next leads on to %+v: %v", on, err)
	}
	// One that is closed says so, then and from then on.
	waits := func(session string, after int64) chan error {
		ended := make(chan error, 1)
		go func() {
			there, err := f.AwaitAfter(t.Context(), tenant, user, session, after)
			if err == nil && !there {
				err = errors.New("it waited in vain")
			}
			ended <- err
		}()
		return ended
	}
	last = f.append(t, call(t, next.SessionID, "3")).Messages[0].ID
	ended := waits(next.SessionID, last)
	if _, err := f.ChangeSession(t.Context(), tenant, user, next.SessionID, "", Change{Closed: ptr(true)}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-ended; err != nil {
			t.Errorf("of one that is closed: %v", err)
		}
		ended = waits(next.SessionID, last)
	}
	<-ended
	if on, err := f.Onward(t.Context(), tenant, user, next.SessionID); err != nil || on.ClosedAt == nil {
		t.Errorf("nothing says that it was closed: %+v, %v", on, err)
	}
	// Of the latest, whichever that is, others may come.
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	if there, err := f.AwaitAfter(soon, tenant, user, "", last); err != nil || there {
		t.Errorf("of the latest: %v, %v", there, err)
	}
	cancel()
	// One that ends ends the waiting.
	f.make(t, NewSession{SessionID: "i", Incognito: true})
	ended = waits("i", 0)
	memdtest.Until(t, "it is closed", func() bool {
		_, err := f.ChangeSession(t.Context(), tenant, user, "i", "", Change{Closed: ptr(true)})
		return err == nil
	})
	kind(t, "over", <-ended, memd.NotFound)
	// As does one that is deleted.
	said := f.append(t, call(t, "d", "4"))
	ended = waits("d", said.Messages[0].ID)
	if err := f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error { return f.RemoveSession(t.Context(), tx, tenant, said.SessionNo) }); err != nil {
		t.Fatal(err)
	}
	kind(t, "deleted", <-ended, memd.NotFound)
}

// The words of a message go with it, also where they have become a session's title; what a
// caller has called it stays.
func TestTitlesGoWithWhatTheyAreMadeOf(t *testing.T) {
	f := open(t, Config{KeepMessages: day})
	held := func(id int64, do func(tx pgx.Tx, no int64) error) {
		t.Helper()
		err := f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
			h, err := f.Hold(t.Context(), tx, tenant, id, memd.Scope{})
			if err != nil {
				return err
			}
			return do(tx, h.SessionNo)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	reword := func(id int64, text string) {
		t.Helper()
		held(id, func(tx pgx.Tx, _ int64) error {
			_, err := f.Reword(t.Context(), tx, tenant, id, message(t, memd.RoleUser, text, "").Raw)
			return err
		})
	}
	remove := func(id int64) {
		t.Helper()
		held(id, func(tx pgx.Tx, no int64) error { return f.Remove(t.Context(), tx, tenant, no, []int64{id}) })
	}
	wantTitle := func(session, want string) {
		t.Helper()
		equal(t, "the title of "+session, value(f.session(t, session).Title), want)
	}
	said := func(session string) []int64 {
		a := call(t, session, "my pin is 1234", "noted", "a picture", "yes", "hello there")
		a.Infer, a.Messages[2] = false, raw(t, `{"role":"user","content":[{"type":"image_url","image_url":{"url":"u:v"}}]}`)
		return ids(f.append(t, a))
	}
	all := said("s")
	wantTitle("s", "my pin is 1234")
	reword(all[4], "hello you")
	remove(all[1])
	wantTitle("s", "my pin is 1234")
	reword(all[0], "my pin is a secret")
	wantTitle("s", "my pin is a secret")
	remove(all[0])
	wantTitle("s", "hello you") // the one before says nothing
	remove(all[4])
	if s := f.session(t, "s"); s.Title != nil {
		t.Errorf("the title is %q", *s.Title)
	}
	said("s")
	wantTitle("s", "my pin is 1234")

	all = said("swept")
	f.old(t, 2*day, all[:3]...)
	f.sweep(t)
	wantTitle("swept", "hello there")
	all = said("named")
	f.change(t, "named", Change{Title: ptr("about pins")})
	reword(all[0], "x")
	remove(all[0])
	f.old(t, 2*day, all[1:]...)
	f.sweep(t)
	wantTitle("named", "about pins")
	if n := f.query(t, `SELECT count(*) FROM conversation_session WHERE title LIKE '%1234%' AND session_id <> 's'`); n != 0 {
		t.Error("words stay in a title")
	}
}
