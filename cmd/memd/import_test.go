package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/klauspost/compress/zstd"
)

const formatSamples = "../../backfill/format/testdata/"

// runImport runs memd import --json to its end.
func runImport(t *testing.T, server string, args ...string) (code int, got imported, problems string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"import", "--json", "--bad", filepath.Join(t.TempDir(), "bad.jsonl")}, args...)...)
	cmd.Env = append(cleanEnv(), "MEMD_URL="+server)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%v in %s\n%s", err, out.String(), errs.String())
		}
	}
	return cmd.ProcessState.ExitCode(), got, errs.String()
}

// saidBy gives the lines of a user's messages, less what memd made of them.
func (d *daemon) saidBy(user string) (lines []string) {
	d.t.Helper()
	status, answer := d.try(http.MethodGet, "/v1/users/"+url.PathEscape(user)+"/export", "")
	if status != 200 {
		d.t.Fatalf("export of %s: %d %s", user, status, answer)
	}
	for line := range strings.Lines(answer) {
		var m struct {
			Type, Role, Timezone string
			SessionID            string    `json:"session_id"`
			ClientID             string    `json:"client_id"`
			CreatedAt            time.Time `json:"created_at"`
			Message              json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			d.t.Fatal(err)
		}
		if m.Type == "message" {
			lines = append(lines, fmt.Sprint(m.SessionID, m.ClientID, m.Role, m.CreatedAt.UTC(), m.Timezone, string(m.Message)))
		}
	}
	return lines
}

// Every format goes in through the real binary, twice, and the second time adds nothing.
func TestEachFormatIsImportedOnce(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	d := start(t, dir)
	for _, of := range []struct {
		file             string
		args             []string
		messages, others int
		bad              int
		recalled         string // what is remembered afterwards
	}{
		{"memd.jsonl", nil, 3, 1, 1, "I moved to Lisbon two days ago (2025-01-04)"},
		{"openai.jsonl", []string{"--said-at", "2023-01-01"}, 14, 0, 6, "I keep bees"},
		{"openai_messages.jsonl", []string{"--timezone", "Europe/Vienna"}, 3, 0, 0, "I play the cello"},
		{"sharegpt.json", nil, 11, 0, 3, "I am allergic to peanuts"},
		{"chatgpt", nil, 10, 0, 1, "I moved to Bremen yesterday (2024-02-29)"},
		{"claude.json", nil, 7, 0, 2, "My bike was stolen last Friday (2024-05-31)"},
		{"slack", nil, 7, 0, 2, "I start at Acme on Monday (2024-03-04)"},
		{"langchain.json", nil, 4, 0, 1, "I run marathons"},
		{"langgraph.jsonl", nil, 5, 0, 0, "I sold my car"},
		{"mem0.json", nil, 0, 2, 1, "Likes dark chocolate"},
		{"powermem.json", nil, 0, 1, 0, "Works night shifts"},
		{"table.csv", []string{"--timezone", "Europe/Vienna"}, 5, 0, 2, "My n\uFFFDw address is Rue 5"},
		{"table.tsv", []string{"--columns", "time=when,name=who,content=what"}, 1, 0, 0, "I teach maths"},
	} {
		user := "of " + of.file
		args := append([]string{"--user", user, "--wait", formatSamples + of.file}, of.args...)
		wantCode := 0
		if of.bad > 0 {
			wantCode = 1
		}
		code, got, problems := runImport(t, d.url, args...)
		if code != wantCode || got.New != of.messages+of.others || got.Bad != of.bad || !got.Complete || strings.Count(problems, "\n") < of.bad {
			t.Errorf("%s: exit %d, %+v\n%s", of.file, code, got, problems)
		}
		first := d.saidBy(user)
		if len(first) != of.messages {
			t.Errorf("%s: %d messages are there, want %d", of.file, len(first), of.messages)
		}
		var all found
		d.want(200, http.MethodGet, "/v1/memories?limit=100&user_id="+url.QueryEscape(user), "", &all)
		is := false
		for _, m := range all.Results {
			is = is || strings.HasPrefix(m.Memory, of.recalled)
			if strings.Contains(m.Memory, ".jpg") || strings.Contains(m.Memory, ".pdf") {
				t.Errorf("%s: an attachment is remembered: %s", of.file, m.Memory)
			}
		}
		if !is {
			t.Errorf("%s: %q is not remembered among %+v", of.file, of.recalled, all.Results)
		}
		if _, again, problems := runImport(t, d.url, args...); again.New != 0 || again.Sent != got.Sent {
			t.Errorf("%s the second time: %+v\n%s", of.file, again, problems)
		}
		if again := d.saidBy(user); strings.Join(again, "\n") != strings.Join(first, "\n") {
			t.Errorf("%s the second time is\n%s\nand was\n%s", of.file, again, first)
		}
		var twice found
		if d.want(200, http.MethodGet, "/v1/memories?limit=100&user_id="+url.QueryEscape(user), "", &twice); len(twice.Results) != len(all.Results) {
			t.Errorf("%s: %d memories, the second time %d", of.file, len(all.Results), len(twice.Results))
		}
	}

	exportComesBack(t, d)
	standardInputIsImported(t, d)
	d = importIsResumed(t, d, dir)

	// What was posted goes in although memd is killed.
	body, _ := json.Marshal(map[string]any{"user_id": "posted", "name": "posted.jsonl", "data": `{"messages":[{"role":"user","content":"I collect stamps"}]}`})
	var job struct{ ID, State string }
	d.want(202, http.MethodPost, "/v1/import", string(body), &job)
	d.kill()
	d.eventuallyGone(dir)
	d = start(t, dir)
	d.eventually("the import has ended", func() bool {
		d.want(200, http.MethodGet, "/v1/import/"+job.ID, "", &job)
		return job.State == "done"
	})
	if said := d.saidBy("posted"); len(said) != 1 {
		t.Errorf("%q", said)
	}
}

// standardInputIsImported has another program write what is imported, plain and compressed.
func standardInputIsImported(t *testing.T, d *daemon) {
	plain, err := os.ReadFile(formatSamples + "openai_messages.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var zs, gz bytes.Buffer
	z, err := zstd.NewWriter(&zs)
	if err != nil {
		t.Fatal(err)
	}
	g := gzip.NewWriter(&gz)
	for _, w := range []io.WriteCloser{z, g} {
		if _, err := w.Write(plain); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for i, in := range [][]byte{plain, zs.Bytes(), gz.Bytes()} { // all the same: the first brings it
		cmd := exec.CommandContext(t.Context(), binary, "import", "--json", "--user", "piped", "--timezone", "Europe/Lisbon", "-")
		cmd.Env = append(cleanEnv(), "MEMD_URL="+d.url)
		cmd.Dir = t.TempDir()
		cmd.Stdin = iotest.OneByteReader(bytes.NewReader(in)) // as slowly as a pipe may give it
		out, err := cmd.Output()
		var got imported
		if err != nil || json.Unmarshal(out, &got) != nil || got.Sent != 3 || i == 0 && got.New != 3 || i > 0 && got.Known != 3 {
			t.Errorf("of standard input %d: %v\n%s", i, err, out)
		}
	}
}

// exportComesBack brings back what was exported, to someone of whom there is nothing, and
// exports it again.
func exportComesBack(t *testing.T, d *daemon) {
	for _, user := range []string{"of memd.jsonl", "of slack", "of mem0.json"} {
		dir := t.TempDir()
		first, second, chats := filepath.Join(dir, "1"), filepath.Join(dir, "2"), filepath.Join(dir, "3")
		export := func(to string, args ...string) {
			t.Helper()
			code, out := exitCode(t, []string{"MEMD_URL=" + d.url}, append([]string{"export", "--user", user, "-o", to}, args...)...)
			if code != 0 {
				t.Fatalf("export of %s: exit %d %s", user, code, out)
			}
		}
		export(first)
		export(chats, "--format", "openai")
		d.want(200, http.MethodDelete, "/v1/users/"+url.PathEscape(user), "", nil)
		if code, got, problems := runImport(t, d.url, first); code != 0 || got.Known != 0 || got.New == 0 {
			t.Errorf("%s comes back with exit %d, %+v\n%s", user, code, got, problems)
		}
		export(second)
		a, _ := os.ReadFile(first)
		b, _ := os.ReadFile(second)
		if !bytes.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s is exported as\n%s\nand the second time as\n%s", user, a, b)
		}
		c, _ := os.ReadFile(chats)
		if sessions := strings.Count(string(a), `"type":"session"`); strings.Count(string(c), "\n") != sessions {
			t.Errorf("%s has %d sessions, and chat lines\n%s", user, sessions, c)
		}
		for line := range strings.Lines(string(c)) {
			var l struct{ Messages []map[string]any }
			if err := json.Unmarshal([]byte(line), &l); err != nil || len(l.Messages) == 0 || l.Messages[0]["role"] == nil || l.Messages[0]["attachments"] != nil {
				t.Errorf("%v in a chat line %s", err, line)
			}
		}
	}
	code, out := exitCode(t, []string{"MEMD_URL=" + d.url}, "export", "--user", "of memd.jsonl", "--session", "friday")
	if code != 0 || strings.Count(out, `"type":"message"`) != 1 || strings.Contains(out, "monday") {
		t.Errorf("export of a session: exit %d %s", code, out)
	}
	if code, out = exitCode(t, []string{"MEMD_URL=" + d.url}, "export"); code != 0 || strings.Count(out, `"type":"user"`) != 13 {
		t.Errorf("export of all: exit %d %s", code, out)
	}
	if code, out = exitCode(t, []string{"MEMD_URL=" + d.url}, "export", "--user", "nobody"); code != 1 || !strings.Contains(out, "404") {
		t.Errorf("export of nobody: exit %d %s", code, out)
	}
}

// importIsResumed kills an importer and memd half-way, has another go on from elsewhere, and compares
// with a run that was let be.
func importIsResumed(t *testing.T, d *daemon, dir string) *daemon {
	const conversations, each = 40, 75
	var b strings.Builder
	for c := range conversations {
		fmt.Fprintf(&b, `{"id":"c%d","created_at":"2022-03-%02dT10:00:00Z","messages":[{"role":"user","content":"I planted %d apple trees"},{"role":"assistant","content":"Good."}`, c, 28-c%28, c+2)
		for m := range each - 2 {
			fmt.Fprintf(&b, `,{"role":"tool","tool_call_id":"x","content":"%d"}`, m%3)
		}
		b.WriteString("]}\n")
	}
	file := func() string { // each time as if it lay on another machine
		name := filepath.Join(t.TempDir(), "many.jsonl")
		if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	if code, got, problems := runImport(t, d.url, "--user", "straight", file()); code != 0 || got.New != conversations*each {
		t.Fatalf("exit %d, %+v\n%s", code, got, problems)
	}
	target, _ := url.Parse(d.url)
	through := httputil.NewSingleHostReverseProxy(target)
	var posts atomic.Int64
	half := make(chan struct{})
	var once sync.Once
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && posts.Add(1) > 2 {
			_, _ = io.Copy(io.Discard, r.Body) // else nobody sees that the caller is gone
			once.Do(func() { close(half) })
			<-r.Context().Done()
			return
		}
		through.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	cmd := exec.Command(binary, "import", "--user", "resumed", file())
	cmd.Env = append(cleanEnv(), "MEMD_URL="+proxy.URL)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-half
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	d.kill()
	d.eventuallyGone(dir)
	d = start(t, dir)
	there := len(d.saidBy("resumed"))
	if there == 0 || there >= conversations*each || there%each != 0 {
		t.Errorf("half-way there are %d messages", there)
	}
	code, got, problems := runImport(t, d.url, "--user", "resumed", "--wait", file())
	if code != 0 || got.New != conversations*each-there || got.Known != there {
		t.Errorf("resumed: exit %d, %+v\n%s", code, got, problems)
	}
	straight, resumed := d.saidBy("straight"), d.saidBy("resumed")
	if strings.Join(straight, "\n") != strings.Join(resumed, "\n") {
		t.Errorf("resumed it is\n%s\nstraight\n%s", resumed, straight)
	}
	var of [2]found
	for i, user := range []string{"straight", "resumed"} {
		d.eventually("all of "+user+" is learned from", func() bool {
			var s ingestStates
			d.want(200, http.MethodGet, "/v1/ingest?user_id="+user, "", &s)
			return s.open() == 0
		})
		d.want(200, http.MethodGet, "/v1/memories?limit=1000&user_id="+user, "", &of[i])
	}
	texts := func(f found) (all []string) {
		for _, m := range f.Results {
			all = append(all, m.Memory)
		}
		slices.Sort(all)
		return all
	}
	if a, b := texts(of[0]), texts(of[1]); len(a) == 0 || !slices.Equal(a, b) {
		t.Errorf("straight is remembered\n%q\nresumed\n%q", a, b)
	}
	// The last that was said is the latest session, and the newest in the list.
	var page struct {
		SessionID string `json:"session_id"`
	}
	if d.want(200, http.MethodGet, "/v1/messages?user_id=resumed", "", &page); page.SessionID != "c28" {
		t.Errorf("the latest session is %s", page.SessionID)
	}
	var list struct {
		Sessions []struct {
			SessionID string `json:"session_id"`
		}
	}
	d.want(200, http.MethodGet, "/v1/sessions?limit=1000&user_id=resumed", "", &list)
	if len(list.Sessions) != conversations || list.Sessions[0].SessionID != "c28" {
		t.Errorf("the sessions are %+v", list.Sessions)
	}
	return d
}

// What memd refuses is set aside with its place, the rest goes in; a busy memd is waited for.
func TestWhatIsRefusedCostsNothingElse(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	taken := map[string]int{}
	busy := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		raw, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/v1/ingest" {
			fmt.Fprint(w, `{"states":{}}`)
			return
		}
		if busy++; busy == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(503)
			return
		}
		var body struct {
			Items []struct {
				Priority string
				Messages []struct{ ID, Content string }
			}
		}
		if err := json.Unmarshal(raw, &body); err != nil || r.URL.Path != "/v1/messages/batch" {
			t.Errorf("%s: %v %s", r.URL.Path, err, raw)
		}
		var odd, answers []string
		for i, item := range body.Items {
			if item.Priority != "backfill" {
				t.Errorf("priority %s", item.Priority)
			}
			for j, m := range item.Messages {
				switch m.Content {
				case "odd":
					odd = append(odd, fmt.Sprintf(`{"location":"body.items[%d].messages[%d].content","message":"is odd"}`, i, j))
				case "large":
					w.WriteHeader(413)
					return
				}
			}
			answers = append(answers, `{"messages":[`+strings.TrimSuffix(strings.Repeat("{},", len(item.Messages)), ",")+`]}`)
		}
		if odd != nil {
			w.WriteHeader(422)
			fmt.Fprintf(w, `{"detail":"no","errors":[%s]}`, strings.Join(odd, ","))
			return
		}
		for _, item := range body.Items {
			for _, m := range item.Messages {
				taken[m.Content]++
			}
		}
		w.WriteHeader(201)
		fmt.Fprintf(w, `{"items":[%s]}`, strings.Join(answers, ","))
	}))
	defer server.Close()
	dir := t.TempDir()
	file, aside := filepath.Join(dir, "f.csv"), filepath.Join(dir, "bad.jsonl")
	if err := os.WriteFile(file, []byte("role,content\nuser,one\nuser,odd\nuser,two\nuser,large\nuser,three\nking,four\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, got, problems := runImport(t, server.URL, "--user", "u", "--bad", aside, file)
	if code != 1 || got.New != 3 || got.Bad != 3 || !got.Complete {
		t.Errorf("exit %d, %+v\n%s", code, got, problems)
	}
	mu.Lock()
	defer mu.Unlock()
	if fmt.Sprint(taken) != "map[one:1 three:1 two:1]" {
		t.Errorf("taken %v", taken)
	}
	raw, err := os.ReadFile(aside)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"line":7,"reason":"a role that is not known"`, `"line":3,"reason":".content is odd"`, `"line":5,"reason":"413`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%s is not in\n%s", want, raw)
		}
	}
}

// While too much waits to be learned from, no more is sent.
func TestABacklogHoldsAnImportUp(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	open, most, pauses := 0, 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/v1/ingest" {
			if r.URL.Query().Has("wait") {
				pauses++
				open = 0 // memd has learned from them meanwhile
			}
			fmt.Fprintf(w, `{"states":{"pending":%d}}`, open)
			return
		}
		var body struct {
			Items []struct{ Messages []json.RawMessage }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		var answers []string
		for _, item := range body.Items {
			open += len(item.Messages)
			answers = append(answers, `{"messages":[`+strings.TrimSuffix(strings.Repeat("{},", len(item.Messages)), ",")+`]}`)
		}
		most = max(most, open)
		w.WriteHeader(201)
		fmt.Fprintf(w, `{"items":[%s]}`, strings.Join(answers, ","))
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f.jsonl")
	line := `{"messages":[{"role":"user","content":"%d"},{"role":"assistant","content":"b"}]}` + "\n"
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, line, i)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, got, problems := runImport(t, server.URL, "--user", "u", "--max-backlog", "10", file); code != 0 || got.New != 60 {
		t.Errorf("exit %d, %+v\n%s", code, got, problems)
	}
	mu.Lock() // the server may not have seen the end of its last request
	if most > 10 || pauses == 0 {
		t.Errorf("at most %d waited, %d pauses", most, pauses)
	}
	mu.Unlock()
	// 60 messages at 20 a second: the first 20 at once, the last two seconds later.
	began := time.Now()
	if code, got, problems := runImport(t, server.URL, "--user", "u", "--rate", "20", file); code != 0 || got.New != 60 || time.Since(began) < 2*time.Second {
		t.Errorf("at a rate: exit %d after %v, %+v\n%s", code, time.Since(began), got, problems)
	}
}

func TestAnImportThatCannotBeSaysWhy(t *testing.T) {
	t.Parallel()
	nowhere := "http://" + freeAddr(t)
	for words, args := range map[string][]string{
		"--format: must be one of":  {"--format", "xml", "f"},
		"--timezone: must be":       {"--timezone", "Mars/Base", "f"},
		"--said-at: must be":        {"--said-at", "then", "f"},
		"nothing that a column":     {"--columns", "colour=x", "f"},
		"--user: must not contain":  {"--user", "a\tb", "f"},
		"give --user":               {formatSamples + "chatgpt"},
		"no such file":              {"--user", "u", "none.json"},
		"memd does not answer":      {"--user", "u", formatSamples + "claude.json"},
		"--at-once: must be 1 to":   {"--at-once", "0", "f"},
		"--rate: must not be neg":   {"--rate=-1", "f"},
		"--max-backlog: must not b": {"--max-backlog=-1", "f"},
		"--bad: open":               {"--user", "u", "--bad", "/nowhere/bad.jsonl", formatSamples + "claude.json"},
	} {
		if code, _, problems := runImport(t, nowhere, args...); code == 0 || !strings.Contains(problems, words) {
			t.Errorf("%q: exit %d, want %q\n%s", args, code, words, problems)
		}
	}
	// A dry run asks nobody, and says what a model would take.
	t.Run("dry run", func(t *testing.T) {
		aside := filepath.Join(t.TempDir(), "bad")
		cmd := exec.Command(binary, "import", "--dry-run", "--user", "u", "--bad", aside, formatSamples+"claude.json")
		cmd.Env = append(cleanEnv(), "MEMD_URL="+nowhere, "MEMD_LLM_URL=http://x/v1", "MEMD_LLM_MODEL=gpt-x", "MEMD_LLM_PROMPT_PRICE=1000")
		out, err := cmd.Output()
		// As the import itself it sets aside, and says so.
		if kept, _ := os.ReadFile(aside); strings.Count(string(kept), "\n") != 2 || cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("exit %d, set aside are %s", cmd.ProcessState.ExitCode(), kept)
		}
		if !strings.Contains(string(out), "2 conversations with 7 messages of 1 person") ||
			!strings.Contains(string(out), "calls of gpt-x") || !strings.Contains(string(out), "at a cost of") {
			t.Errorf("%v\n%s", err, out)
		}
	})
}
