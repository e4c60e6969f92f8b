// Demo plays a conversation of several months through memd, then begins a new session
// and shows what a chat model would be sent: the turns of that session and what
// matters of the past. At last an agent turns its session over in mid-plan, and the next
// one goes on from there.
//
// With --url it uses a memd that runs already; else it starts one of its own, on a
// free port and a data directory that is removed afterwards.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"
)

// questions are asked in new sessions, after all that is in the file.
var questions = []string{
	"I'm cooking dinner for Jonas and me. Is there anything I can't or don't eat?",
	"How is the training for my half marathon going?",
	"Who takes care of Bica while we are in the Azores?",
}

// plan is what is said in a session that is then turned over, and goOn the first thing
// in the next one.
var plan = []turn{
	{"user", "Let's plan our first day on São Miguel. I want to see Sete Cidades before the clouds come."},
	{"assistant", "Then leave Ponta Delgada at 8: the lakes are clearest before 10."},
	{"user", "Agreed. For the nights let's go with the guesthouse with the blue door in Mosteiros."},
	{"assistant", "I'll book it from June 6 to June 9. Shall I add the whale watching tour on June 8?"},
}

const goOn = "Yes, for both of us, please."

func main() {
	memd := flag.String("memd", "bin/memd", "the memd to start, unless --url is given")
	address := flag.String("url", "", "where a memd listens that runs already")
	key := flag.String("key", os.Getenv("MEMD_DEMO_KEY"), "API key, if that memd wants one")
	file := flag.String("file", "examples/conversation.jsonl", "the conversation: bodies of POST /v1/messages, one a line")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ask := flag.Args()
	if len(ask) == 0 {
		ask = questions
	}
	if err := run(ctx, *memd, *address, *key, *file, ask); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, memd, address, key, file string, ask []string) (err error) {
	conversation, err := read(file)
	if err != nil {
		return err
	}
	if address == "" {
		fmt.Println("Starting a fresh memd …")
		var stop func() error
		address, stop, err = start(ctx, memd)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	c := client{url: strings.TrimRight(address, "/"), key: key}
	if err := c.awaitReady(ctx); err != nil {
		return err
	}

	var user string
	for _, b := range conversation {
		user = b.UserID
		began := time.Now()
		if err := c.call(ctx, http.MethodPost, "/v1/messages", b, nil); err != nil {
			return err
		}
		fmt.Printf("%.10s  session %-14s %d messages, logged in %.1f ms\n",
			b.Messages[0].CreatedAt, b.SessionID, len(b.Messages), float64(time.Since(began).Microseconds())/1000)
	}
	began := time.Now()
	if err := c.settle(ctx, user); err != nil {
		return err
	}
	var memories struct {
		Total int `json:"total"`
	}
	if err := c.call(ctx, http.MethodGet, "/v1/memories?limit=1&user_id="+url.QueryEscape(user), nil, &memories); err != nil {
		return err
	}
	fmt.Printf("\n%d memories learned; the last one %.1f s after the last message was logged.\n", memories.Total, time.Since(began).Seconds())

	for _, q := range ask {
		fmt.Print(rule("a new session"))
		if err := c.show(ctx, user, newName(), q); err != nil {
			return err
		}
	}
	return c.turnOver(ctx, user)
}

// newName is that of a session of its own each time the demo is run.
func newName() string { return fmt.Sprintf("demo-%d", time.Now().UnixNano()) }

// rule is a line above what is shown.
func rule(title string) string {
	return fmt.Sprintf("\n── %s %s\n", title, strings.Repeat("─", max(0, 70-utf8.RuneCountInString(title))))
}

// body is the body of POST /v1/messages. What the demo does not look at passes
// through as it is.
type body struct {
	UserID    string    `json:"user_id"`
	SessionID string    `json:"session_id"`
	Timezone  string    `json:"timezone"`
	Messages  []message `json:"messages"`
}

type message struct {
	CreatedAt string
	raw       json.RawMessage
}

func (m *message) UnmarshalJSON(raw []byte) error {
	var known struct {
		CreatedAt string `json:"created_at"`
	}
	if err := json.Unmarshal(raw, &known); err != nil {
		return err
	}
	m.CreatedAt, m.raw = known.CreatedAt, bytes.Clone(raw)
	return nil
}

func (m message) MarshalJSON() ([]byte, error) { return m.raw, nil }

func read(file string) ([]body, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []body
	for n, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var b body
		if err := json.Unmarshal(line, &b); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", file, n+1, err)
		}
		if b.UserID == "" || len(b.Messages) == 0 {
			return nil, fmt.Errorf("%s, line %d: needs a user_id and messages", file, n+1)
		}
		all = append(all, b)
	}
	return all, nil
}

// start runs a memd on a temporary data directory and gives its address, and what
// stops it and removes the directory.
func start(ctx context.Context, memd string) (address string, stop func() error, err error) {
	dir, err := os.MkdirTemp("", "memd-demo-")
	if err != nil {
		return "", nil, err
	}
	// Started by root, memd runs its Postgres as another user, who must get there.
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	// The context's end must reach memd as a signal to stop, not as the end of it.
	child := exec.CommandContext(ctx, memd, "serve")
	child.Cancel = func() error { return child.Process.Signal(syscall.SIGTERM) }
	child.WaitDelay = 20 * time.Second
	child.Env = append(ownEnvironment(), "MEMD_LISTEN=127.0.0.1:0", "MEMD_DATA_DIR="+filepath.Join(dir, "data"), "MEMD_LOG_LEVEL=warn")
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := child.Start(); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("%w (make build makes it)", err)
		}
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	lines := bufio.NewScanner(out)
	for address == "" && lines.Scan() {
		_, address, _ = strings.Cut(lines.Text(), " listens on ")
	}
	drained := make(chan struct{})
	go func() { // memd must not block on what nobody reads
		defer close(drained)
		_, _ = io.Copy(io.Discard, out)
	}()
	stop = func() error {
		_ = child.Process.Signal(syscall.SIGTERM) // fails only if it has ended
		<-drained
		err := child.Wait()
		if ctx.Err() != nil {
			err = nil // it was told to
		}
		return errors.Join(err, os.RemoveAll(dir))
	}
	if address == "" {
		return "", nil, errors.Join(errors.New("memd ended before it listened"), stop())
	}
	return address, stop, nil
}

// ownEnvironment is the environment without settings of memd: the demo's memd uses
// nothing but what it brings along. Where that lies (MEMD_CACHE_DIR) stays.
func ownEnvironment() []string {
	var env []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if name == "MEMD_CACHE_DIR" || !strings.HasPrefix(name, "MEMD_") && name != "DB_URL" && name != "NATS_URL" {
			env = append(env, e)
		}
	}
	return env
}

// client talks to a memd.
type client struct{ url, key string }

// call sends in as JSON, if there is any, and reads the answer into out.
func (c client) call(ctx context.Context, method, path string, in, out any) error {
	var sent io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, sent)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, answer)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}

// awaitReady returns once memd is ready, and gives up after a minute.
func (c client) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		err := c.call(ctx, http.MethodGet, "/readyz", nil, nil)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("memd is not ready: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// settle returns once all of the user's messages are learned from.
func (c client) settle(ctx context.Context, user string) error {
	for range 10 {
		var ingest struct {
			States struct{ Pending, Running, Failed, Dead int }
		}
		if err := c.call(ctx, http.MethodGet, "/v1/ingest?wait=30s&user_id="+url.QueryEscape(user), nil, &ingest); err != nil {
			return err
		}
		if s := ingest.States; s.Pending+s.Running+s.Failed == 0 {
			if s.Dead > 0 {
				return fmt.Errorf("%d messages could not be learned from", s.Dead)
			}
			return nil
		}
	}
	return errors.New("messages are still open after five minutes")
}

// turn is something that is said.
type turn struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// turnOver has a session end in the midst of a plan, and shows how the next one begins.
func (c client) turnOver(ctx context.Context, user string) error {
	session := newName()
	fmt.Print(rule("a plan, and a session that turns over"))
	for _, t := range plan {
		who := t.Role
		if who == "user" {
			who = user
		}
		fmt.Printf("%s: %s\n", who, t.Content)
	}
	posted := map[string]any{"user_id": user, "session_id": session, "messages": plan}
	if err := c.call(ctx, http.MethodPost, "/v1/messages", posted, nil); err != nil {
		return err
	}
	var next struct {
		SessionID string `json:"session_id"`
	}
	if err := c.call(ctx, http.MethodPost, "/v1/sessions/"+session+"/rotate", map[string]any{"user_id": user}, &next); err != nil {
		return err
	}
	fmt.Println("\nThe agent turns the session over. In the next one, a moment later:")
	return c.show(ctx, user, next.SessionID, goOn)
}

// show has something said in a session and prints what a model would be sent.
func (c client) show(ctx context.Context, user, session, said string) error {
	var got struct {
		Messages []turn `json:"messages"`
		Recalled []struct {
			Memory    string  `json:"memory"`
			Score     float64 `json:"score"`
			ValidFrom string  `json:"valid_from"`
			RunID     string  `json:"run_id"`
		} `json:"recalled"`
		Open    []int64 `json:"open"`
		Carried []int64 `json:"carried"`
		Tokens  struct {
			Budget  int    `json:"budget"`
			Used    int    `json:"used"`
			Counter string `json:"counter"`
		} `json:"tokens"`
		Degraded []string `json:"degraded"`
	}
	began := time.Now()
	err := c.call(ctx, http.MethodPost, "/v1/context", map[string]any{
		"user_id": user, "session_id": session, "append": []turn{{"user", said}}, "recall": 8,
	}, &got)
	if err != nil {
		return err
	}
	took := time.Since(began)

	fmt.Printf("%s: %s\n\n", user, said)
	fmt.Printf("What a model is sent (%d of %d tokens by %s, in %.0f ms):\n\n",
		got.Tokens.Used, got.Tokens.Budget, got.Tokens.Counter, float64(took.Microseconds())/1000)
	for _, m := range got.Messages {
		fmt.Printf("  [%s]\n", m.Role)
		for line := range strings.Lines(m.Content) {
			fmt.Printf("    %s\n", strings.TrimRight(line, "\n"))
		}
	}
	if len(got.Recalled) > 0 {
		fmt.Printf("\nWhere it comes from:\n\n")
	}
	for _, r := range got.Recalled {
		fmt.Printf("  %.2f  %.10s  %-14s %s\n", r.Score, r.ValidFrom, r.RunID, r.Memory)
	}
	if n := len(got.Open) + len(got.Carried); n > 0 {
		fmt.Printf("  and %d messages of the session before, word for word\n", n)
	}
	if len(got.Degraded) > 0 {
		fmt.Printf("\nDegraded: %s\n", strings.Join(got.Degraded, ", "))
	}
	return nil
}
