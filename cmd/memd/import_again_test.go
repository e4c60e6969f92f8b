package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fileOf writes a file to be imported.
func fileOf(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// exported gives what memd export writes of a user, in a file.
func (d *daemon) exported(t *testing.T, args ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "export.jsonl")
	if code, out := exitCode(t, []string{"MEMD_URL=" + d.url}, append([]string{"export", "-o", name}, args...)...); code != 0 {
		t.Fatalf("export %q: exit %d %s", args, code, out)
	}
	return name
}

// imports runs an import of which so much must be new.
func (d *daemon) imports(t *testing.T, what string, fresh int, args ...string) imported {
	t.Helper()
	code, got, problems := runImport(t, d.url, args...)
	if code != 0 || got.New != fresh || !got.Complete {
		t.Errorf("%s: exit %d, %+v, want %d new\n%s", what, code, got, fresh, problems)
	}
	return got
}

// An import that is run again brings neither what is there nor what a person took away.
func TestTheSameImportUndoesNothing(t *testing.T) {
	t.Parallel()
	d := start(t, dataDir(t))
	memoriesComeOnce(t, d)
	ownMessagesComeOnce(t, d)
	deletedMessagesStayAway(t, d)
	whatWasSetComesAlong(t, d)
}

// What is nobody's, but an agent's or a run's, comes along where all of a tenant is exported.
func TestAllOfATenantComesElsewhere(t *testing.T) {
	t.Parallel()
	d, e := start(t, dataDir(t)), start(t, dataDir(t))
	for _, body := range []string{
		`{"agent_id":"cook","messages":[{"role":"user","content":"Salt comes last"}],"infer":false}`,
		`{"run_id":"r1","messages":"The run is green","infer":false,"metadata":{"k":1}}`,
		`{"agent_id":"cook","app_id":"kitchen","run_id":"r2","messages":"Pans are hot","infer":false,"categories":["safety"]}`,
		`{"agent_id":"cook","messages":"I live in Bergen"}`,
	} {
		d.want(200, http.MethodPost, "/v1/memories", body, nil)
	}
	d.want(201, http.MethodPost, "/v1/messages", `{"user_id":"ann","messages":[{"role":"user","content":"I own a boat"}]}`, nil)
	d.settled()
	first := d.exported(t)
	d.imports(t, "where it is from", 0, first)
	e.imports(t, "elsewhere", 5, "--wait", first)
	e.imports(t, "elsewhere again", 0, first)
	second := e.exported(t)
	a, _ := os.ReadFile(first)
	b, _ := os.ReadFile(second)
	if string(a) != string(b) || strings.Count(string(a), `"type":"unowned_memory"`) != 4 {
		t.Errorf("it is exported as\n%s\nand elsewhere as\n%s", a, b)
	}
	d.imports(t, "back where it is from", 0, second)
	var cook found
	e.want(200, http.MethodGet, "/v1/memories?agent_id=cook&limit=10", "", &cook)
	if len(cook.Results) != 3 {
		t.Errorf("the cook knows %+v", cook.Results)
	}
}

// Who is erased while an import runs takes along what is theirs, and nothing of the others'.
func TestAnErasureTakesNobodyElseOutOfAnImport(t *testing.T) {
	t.Parallel()
	d := start(t, dataDir(t))
	const people, each = 5, 400
	var b strings.Builder
	for i := range people * each {
		fmt.Fprintf(&b, `{"user_id":"hk%d","id":"c%d","messages":[{"role":"assistant","content":"line %d","created_at":"2024-01-01T00:00:00Z"}]}`+"\n", i%people, i, i)
	}
	b.WriteString("{broken\n")
	body, _ := json.Marshal(map[string]string{"data": b.String()})
	var job struct {
		ID, State             string
		Sent, New, Known, Bad int
	}
	d.want(202, http.MethodPost, "/v1/import", string(body), &job)
	look := func() { d.want(200, http.MethodGet, "/v1/import/"+job.ID, "", &job) }
	d.eventually("something is in", func() bool {
		status, _ := d.try(http.MethodGet, "/v1/sessions?user_id=hk0&limit=1", "")
		return status == 200
	})
	d.want(200, http.MethodDelete, "/v1/users/hk0", "", nil)
	d.eventually("the import has ended", func() bool { look(); return job.State == "done" })
	if job.Sent != (people-1)*each || job.Bad != 1 {
		t.Errorf("it ended as %+v", job)
	}
	for i := range people {
		status, answer := d.try(http.MethodGet, fmt.Sprintf("/v1/users/hk%d/export", i), "")
		if n := strings.Count(answer, `"type":"message"`); i == 0 && status != 404 || i > 0 && n != each {
			t.Errorf("hk%d has %d messages (%d)", i, n, status)
		}
	}
	// One that has ended stays with those who are left, and goes with the last.
	for i := 1; i < people; i++ {
		look()
		d.want(200, http.MethodDelete, fmt.Sprintf("/v1/users/hk%d", i), "", nil)
	}
	if status, answer := d.try(http.MethodGet, "/v1/import/"+job.ID, ""); status != 404 {
		t.Errorf("%d %s", status, answer)
	}
}

// whatWasSetComesAlong has people, and sessions, be what they were: nothing is learned from where nothing was to be
// learned, and what was no chat is none.
func whatWasSetComesAlong(t *testing.T, d *daemon) {
	say := func(user, session, text string) {
		t.Helper()
		d.want(201, http.MethodPost, "/v1/messages", fmt.Sprintf(`{"user_id":%q,"session_id":%q,"messages":[{"role":"user","content":%q}]}`, user, session, text), nil)
	}
	say("quiet", "s", "I live in Bergen")
	say("quiet", "secret", "I own a boat")
	say("quiet", "open", "I play chess")
	d.want(200, http.MethodPost, "/v1/memories", `{"user_id":"quiet","messages":"I am allergic to nuts"}`, nil)
	d.settled()
	d.want(200, http.MethodPatch, "/v1/sessions/secret?user_id=quiet", `{"learn":false}`, nil)
	d.want(201, http.MethodPost, "/v1/sessions/s/rotate", `{"user_id":"quiet","session_id":"next"}`, nil)
	say("quiet", "next", "I moved to Oslo")
	d.settled()
	d.want(200, http.MethodPatch, "/v1/users/quiet", `{"learn":false}`, nil)
	first := d.exported(t, "--user", "quiet")
	for _, user := range []string{"quiet2", "posted2"} {
		if user == "quiet2" {
			d.imports(t, "all of it", 5, "--user", user, "--wait", first)
		} else {
			raw, _ := os.ReadFile(first)
			body, _ := json.Marshal(map[string]any{"user_id": user, "data": string(raw)})
			var job struct{ ID, State string }
			d.want(202, http.MethodPost, "/v1/import", string(body), &job)
			d.eventually("the import has ended", func() bool {
				d.want(200, http.MethodGet, "/v1/import/"+job.ID, "", &job)
				return job.State == "done"
			})
			d.settled()
		}
		again := d.exported(t, "--user", user)
		a, _ := os.ReadFile(first)
		b, _ := os.ReadFile(again)
		if got := strings.Replace(string(b), `"user_id":"`+user+`"`, `"user_id":"quiet"`, 1); got != string(a) {
			t.Errorf("%s is exported as\n%s\nand was\n%s", user, b, a)
		}
		// What was learned there is learned here, and what is said now is not.
		before, was := d.list(user), d.list("quiet")
		if len(before.Results) != len(was.Results) || len(was.Results) == 0 {
			t.Errorf("%s: %+v are remembered, and there %+v", user, before.Results, was.Results)
		}
		say(user, "s2", "I have a second villa in Rome")
		say(user, "secret", "I own a hidden bunker")
		d.settled()
		if now := d.list(user); len(now.Results) != len(before.Results) {
			t.Errorf("%s: what was said is learned: %+v", user, now.Results)
		}
		var list struct {
			Sessions []struct {
				SessionID string  `json:"session_id"`
				ClosedAt  *string `json:"closed_at"`
				Next      *string `json:"next_session_id"`
				Learn     bool
			}
		}
		d.want(200, http.MethodGet, "/v1/sessions?user_id="+user, "", &list)
		if len(list.Sessions) != 5 { // and s2
			t.Errorf("%s has the chats %+v", user, list.Sessions)
		}
		for _, s := range list.Sessions {
			if (s.SessionID == "s") != (s.ClosedAt != nil && s.Next != nil && *s.Next == "next") || (s.SessionID == "secret") == s.Learn {
				t.Errorf("%s: %+v", user, s)
			}
		}
	}
}

// ownMessagesComeOnce has what was said by the API come back to where it was exported, straight and by way of
// another memd, which for this one another person is.
func ownMessagesComeOnce(t *testing.T, d *daemon) {
	d.want(201, http.MethodPost, "/v1/messages", `{"user_id":"own","session_id":"s1","messages":[{"role":"user","content":"I keep <b>bees</b> & ants"},
		{"role":"assistant","content":"Nice."},{"role":"user","content":"ok","id":"mine"},{"role":"user","content":"ok"},{"role":"user","content":"ok"}]}`, nil)
	d.want(201, http.MethodPost, "/v1/messages", `{"user_id":"own","session_id":"s2","messages":[{"role":"user","content":"I moved to Bergen"}]}`, nil)
	var turned struct {
		SessionID string `json:"session_id"`
	}
	d.want(201, http.MethodPost, "/v1/sessions/s2/rotate", `{"user_id":"own"}`, &turned)
	d.want(201, http.MethodPost, "/v1/messages", `{"user_id":"own","session_id":"`+turned.SessionID+`","messages":[{"role":"user","content":"I own a boat"}]}`, nil)
	first := d.exported(t, "--user", "own")
	d.imports(t, "own export", 0, "--user", "own", first)
	if said := d.saidBy("own"); len(said) != 7 {
		t.Errorf("there are %d\n%q", len(said), said)
	}
	d.imports(t, "own export as another's", 7, "--user", "twin", first)
	d.imports(t, "own export as another's again", 0, "--user", "twin", first)
	second := d.exported(t, "--user", "twin")
	a, _ := os.ReadFile(first)
	b, _ := os.ReadFile(second)
	if got := strings.Replace(string(b), `"user_id":"twin"`, `"user_id":"own"`, 1); got != string(a) {
		t.Errorf("it is exported as\n%s\nand from elsewhere as\n%s", a, b)
	}
	d.imports(t, "what came back from there", 0, "--user", "own", second)
	d.imports(t, "what was said there", 7, "--user", "own", "--format", "memd", fileOf(t, "f.jsonl", strings.NewReplacer(`"memd-`, `"memx-`, `"mine"`, `"theirs"`).Replace(string(b))))
}

// deletedMessagesStayAway has messages and a session deleted that are imported again, each night with what is new.
func deletedMessagesStayAway(t *testing.T, d *daemon) {
	const head, first, gone = "session,id,role,content,time\n", "one,m1,user,I keep bees,2024-01-02T00:00:00Z\n", "one,m2,user,I keep wasps,2024-01-02T00:01:00Z\n"
	const other = "two,m1,user,I own a boat,2024-01-03T00:00:00Z\ntwo,m2,assistant,Nice,2024-01-03T00:01:00Z\n"
	all := fileOf(t, "chats.csv", head+first+gone+other)
	d.imports(t, "messages", 4, "--user", "otto", "--wait", all)
	var page struct{ Messages []struct{ ID int64 } }
	d.want(200, http.MethodGet, "/v1/messages?user_id=otto&session_id=one", "", &page)
	d.want(200, http.MethodDelete, fmt.Sprintf("/v1/messages/%d", page.Messages[1].ID), "", nil)
	d.want(200, http.MethodDelete, "/v1/sessions/two?user_id=otto", "", nil)
	said := func(when string, want ...string) {
		t.Helper()
		got := d.saidBy("otto")
		for _, text := range want {
			if !strings.Contains(strings.Join(got, "\n"), `"content":"`+text+`"`) {
				t.Errorf("%s there is no %q", when, text)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s there is %q, want %q", when, got, want)
		}
	}
	post := func(user string) {
		t.Helper()
		text, _ := os.ReadFile(all)
		body, _ := json.Marshal(map[string]string{"user_id": user, "data": string(text)})
		var job struct{ ID, State string }
		d.want(202, http.MethodPost, "/v1/import", string(body), &job)
		d.eventually("the import has ended", func() bool {
			d.want(200, http.MethodGet, "/v1/import/"+job.ID, "", &job)
			return job.State == "done"
		})
	}
	for range 2 {
		if got := d.imports(t, "messages again", 0, "--user", "otto", "--wait", all); got.Known != 4 {
			t.Errorf("%+v", got)
		}
		post("otto")
	}
	said("after the same import", "I keep bees")
	d.want(404, http.MethodGet, "/v1/sessions/two?user_id=otto", "", nil)
	for _, m := range d.list("otto").Results {
		if m.Memory != "I keep bees" {
			t.Errorf("it is remembered: %q", m.Memory)
		}
	}
	grown := fileOf(t, "chats.csv", head+first+gone+other+"two,m3,user,I sold the boat,2024-02-03T00:00:00Z\n")
	d.imports(t, "what is new", 1, "--user", "otto", grown)
	said("with what is new", "I keep bees", "I sold the boat")

	// A write under a key that is sent again is answered as it was.
	batch := `{"items":[{"user_id":"otto","session_id":"one","priority":"backfill","messages":[{"role":"user","content":"I keep wasps","id":"m2"},{"role":"user","content":"I keep ants","id":"m4"}]}]}`
	type written struct {
		Items []struct {
			Messages []struct {
				ID                 int64
				Duplicate, Deleted bool
			}
		}
	}
	var items, again written
	d.want(201, http.MethodPost, "/v1/messages/batch", batch, &items, "Idempotency-Key", "otto")
	if m := items.Items[0].Messages; len(m) != 2 || !m[0].Deleted || m[0].ID != page.Messages[1].ID || m[1].Deleted || m[1].Duplicate {
		t.Errorf("%+v", items)
	}
	d.want(201, http.MethodPost, "/v1/messages/batch", batch, &again, "Idempotency-Key", "otto")
	if m := again.Items[0].Messages; len(m) != 1 || m[0].Deleted || m[0].ID != items.Items[0].Messages[1].ID {
		t.Errorf("again: %+v", again)
	}
	said("with the batch", "I keep ants", "I keep bees", "I sold the boat")

	// Who says it anew, says it; another person's is another's; who was erased is unknown.
	var anew posted
	d.want(201, http.MethodPost, "/v1/messages", `{"user_id":"otto","session_id":"one","messages":[{"role":"user","content":"I keep wasps","id":"m2"}]}`, &anew)
	if len(anew.Messages) != 1 || anew.Messages[0].Duplicate {
		t.Errorf("said anew it is %+v", anew)
	}
	d.imports(t, "another's", 4, "--user", "olga", all)
	d.want(200, http.MethodDelete, "/v1/users/otto", "", nil)
	d.imports(t, "after an erasure", 4, "--user", "otto", all)
}

func memoriesComeOnce(t *testing.T, d *daemon) {
	mem0 := func(of ...string) string {
		text := ""
		for _, line := range of {
			text += line + "\n"
		}
		return fileOf(t, "mem0.jsonl", text)
	}
	const line = `{"id":%q,"memory":%q,"user_id":"mona","created_at":%q,"updated_at":%q%s}`
	const then, later = "2024-01-02T00:00:00Z", "2024-06-02T00:00:00Z"
	all := mem0(fmt.Sprintf(line, "e1", "Expired thing", then, then, `,"expiration_date":"2024-02-01"`), fmt.Sprintf(line, "e2", "Likes tea", then, then, ""),
		fmt.Sprintf(line, "e3", "Lives in Rome", then, then, ""), fmt.Sprintf(line, "e4", "Works in Madrid", then, then, ""))
	d.imports(t, "memories", 4, all)
	of := map[string]string{}
	for _, m := range d.list("mona").Results {
		of[m.Memory] = m.ID
	}
	d.want(200, http.MethodDelete, "/v1/memories/"+of["Likes tea"], "", nil)
	d.want(200, http.MethodPatch, "/v1/memories/"+of["Lives in Rome"], `{"memory":"Lives in Rome no more"}`, nil)
	for range 2 {
		d.imports(t, "memories again", 0, all)
	}
	d.imports(t, "one that was changed at its source", 1, mem0(fmt.Sprintf(line, "e4", "Works in Lisbon", then, later, "")))
	d.imports(t, "the older file", 0, all)
	got := map[string]bool{}
	for _, m := range d.list("mona").Results {
		got[m.Memory] = true
	}
	if len(got) != 2 || !got["Lives in Rome no more"] || !got["Works in Lisbon"] {
		t.Errorf("there are %v", got)
	}
	// The same for what memd exports of it, here and, without what is gone, in another's place.
	export := d.exported(t, "--user", "mona")
	d.imports(t, "memd's own export", 0, export)
	elsewhere := d.imports(t, "as another's", 4, "--user", "nora", export)
	d.imports(t, "as another's again", 0, "--user", "nora", export)
	if elsewhere.Memories != 4 {
		t.Errorf("%+v", elsewhere)
	}
	// One who is erased is unknown.
	d.want(200, http.MethodDelete, "/v1/users/"+url.PathEscape("mona"), "", nil)
	d.imports(t, "after an erasure", 4, all)
}
