package shortterm

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/memdhq/memd"
)

func TestPeople(t *testing.T) {
	f := open(t, Config{})
	none, total, next, err := f.People(t.Context(), tenant, 10, "")
	if err != nil || none == nil || len(none)+total > 0 || next != "" {
		t.Errorf("nobody = %v, %d, %q, %v", none, total, next, err)
	}
	said := time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)
	say := func(who, session string, direct bool, at time.Time, texts ...string) {
		a := call(t, session, texts...)
		a.UserID, a.Direct = who, direct
		for i := range a.Messages {
			a.Messages[i].CreatedAt = at
		}
		f.append(t, a)
	}
	say("alice", "s", false, said, "1", "2")
	say("bob", "s", false, said, "1")
	say("alice", "t", false, said.Add(-time.Hour), "1")
	say("alice", "", true, said.Add(time.Hour), "1", "2", "3")
	direct := call(t, "", "of an agent")
	direct.UserID, direct.AgentID, direct.Direct = "", "agent", true
	f.append(t, direct)
	if _, err := f.CreateSession(t.Context(), tenant, NewSession{UserID: "carol", SessionID: "s"}); err != nil {
		t.Fatal(err)
	}
	f.do(t, `INSERT INTO memory_scope (tenant_id, key, user_id) VALUES ($1, 'k', 'dave')`, tenant)

	if err := f.Meet(t.Context(), tenant, []string{"bob", "", "alice"}); err != nil { // they are known
		t.Error(err)
	}

	people, total, next, err := f.People(t.Context(), tenant, 10, "")
	if err != nil || total != 4 || next != "" {
		t.Fatalf("%d, %q, %v", total, next, err)
	}
	var got []string
	for _, p := range people {
		last := "never"
		if p.LastMessageAt != nil {
			last = p.LastMessageAt.Format(time.RFC3339)
		}
		if p.CreatedAt.IsZero() || p.CreatedAt.Location() != time.UTC {
			t.Errorf("%s came up at %v", p.UserID, p.CreatedAt)
		}
		got = append(got, fmt.Sprint(p.UserID, " ", p.Sessions, " ", p.Messages, " ", last))
	}
	if err := f.Meet(t.Context(), tenant, []string{"zoe", "bob", "zoe"}); err != nil {
		t.Error(err)
	}
	if people, total, _, err := f.People(t.Context(), tenant, 1, ""); err != nil || total != 5 || people[0].UserID != "zoe" {
		t.Errorf("after meeting one: %+v, %d, %v", people, total, err)
	}
	want := []string{"dave 0 0 never", "carol 1 0 never", "bob 1 1 2024-03-01T12:00:00Z", "alice 2 6 2024-03-01T13:00:00Z"}
	if !slices.Equal(got, want) {
		t.Errorf("people %q, want %q", got, want)
	}
}

// Who comes while pages are read moves nobody: everyone who was there is seen once.
func TestPeoplePageByPage(t *testing.T) {
	f := open(t, Config{})
	come := func(n int) {
		a := call(t, "s", "1")
		a.UserID = fmt.Sprint("u", n)
		f.append(t, a)
	}
	for n := range 7 {
		come(n)
	}
	var got []string
	cursor := ""
	for page := 0; ; page++ {
		people, total, next, err := f.People(t.Context(), tenant, 3, cursor)
		if err != nil || total != 7+page {
			t.Fatalf("page %d: %d in all, %v", page, total, err)
		}
		for _, p := range people {
			got = append(got, p.UserID)
		}
		if cursor = next; next == "" {
			break
		}
		come(100 + page)
	}
	if want := []string{"u6", "u5", "u4", "u3", "u2", "u1", "u0"}; !slices.Equal(got, want) {
		t.Errorf("saw %q, want %q", got, want)
	}
	_, _, next, err := f.People(t.Context(), tenant, 3, "")
	if err != nil || next == "" {
		t.Fatal(next, err)
	}
	_, _, _, err = f.People(t.Context(), "other", 3, next)
	kind(t, "another tenant's cursor", err, memd.Invalid)
	for name, forged := range map[string]string{
		"no cursor": "zz", "another list's": list{"sessions", tenant, user}.writeCursor(3), "changed": next[:len(next)-1] + "_",
	} {
		_, _, _, err = f.People(t.Context(), tenant, 3, forged)
		kind(t, name, err, memd.Invalid)
	}
}
