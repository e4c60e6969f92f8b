package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"golang.org/x/sys/unix"
)

type tailCommand struct {
	remoteFlags
	User    string `required:"" placeholder:"ID" help:"Whose messages."`
	Session string `placeholder:"ID" help:"Only those of this session, and of those that follow it; default: of the session that is the user's latest, whichever is that at a time."`
	Turns   int    `default:"5" placeholder:"N" help:"How many of the last turns to begin with."`
	JSON    bool   `help:"Print each message as a line of JSON."`
}

const (
	// latestWait is how long one request waits for the user's next message, namedWait for
	// that of a session, after which it may have been closed.
	latestWait = 30 * time.Second
	namedWait  = 5 * time.Second
	// tailPage is how many messages are read at once.
	tailPage = 500
	// awayMost bounds the waits between tries to reach a memd that went away.
	awayMost = 30 * time.Second
)

// Validate is called by kong.
func (c *tailCommand) Validate() error {
	if c.Turns < 0 || c.Turns > 1000 {
		return errors.New("--turns: must be 0 to 1000")
	}
	return nil
}

// Run prints messages as they come, until it is interrupted or nobody reads them.
func (c tailCommand) Run(ctx context.Context) error {
	m, err := c.open()
	if err != nil {
		return err
	}
	defer m.close()
	// Who reads may leave: that is an end like any other.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		if awaitUnread(os.Stdout) {
			stop()
		}
	}()
	t := &tail{tailCommand: c, memd: m, out: os.Stdout, seen: map[string]int64{}}
	err = t.all(ctx)
	if ctx.Err() != nil || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// awaitUnread returns true once nobody reads what is written to f any more. It returns
// false at once where that cannot be told before something is written.
func awaitUnread(f *os.File) bool {
	if about, err := f.Stat(); err != nil || about.Mode()&os.ModeNamedPipe == 0 {
		return false
	}
	for {
		// Ends of the pipe that were closed are told of without asking.
		ends := []unix.PollFd{{Fd: int32(f.Fd())}}
		_, err := unix.Poll(ends, -1)
		if err == unix.EINTR {
			continue
		}
		return err == nil && ends[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
	}
}

// tail is one run of the command.
type tail struct {
	tailCommand
	memd *remote
	out  io.Writer
	// session is the one that is shown; seen is up to where each one was.
	session string
	seen    map[string]int64
	// began is the last message that was there at the beginning.
	began int64
	// shown is the session whose name was printed last.
	shown string
}

// tailed is a page of a session.
type tailed struct {
	SessionID string `json:"session_id"`
	Messages  []json.RawMessage
	HasMore   bool `json:"has_more"`
}

func (t *tail) all(ctx context.Context) error {
	if err := t.begin(ctx); err != nil {
		return err
	}
	for {
		wait := latestWait
		if t.Session != "" {
			wait = namedWait
		}
		p, err := t.page(ctx, t.Session, url.Values{"after": {t.after(t.session)}, "limit": {strconv.Itoa(tailPage)}, "wait": {wait.String()}})
		switch {
		case err != nil:
		case p.SessionID != t.session:
			err = t.turnTo(ctx, p.SessionID)
		case len(p.Messages) > 0:
			err = t.print(p)
		case t.Session != "":
			err = t.follow(ctx)
		}
		if t.Session == "" && isGone(err) { // deleted; there may be another some time
			err = pause(ctx, awayPause)
		}
		if err != nil {
			return err
		}
	}
}

// begin prints the last turns.
func (t *tail) begin(ctx context.Context) error {
	query := url.Values{"turns": {strconv.Itoa(t.Turns)}}
	if t.Turns == 0 {
		query = url.Values{"limit": {"1"}}
	}
	for {
		p, err := t.page(ctx, t.Session, query)
		if t.Session == "" && isGone(err) { // nothing was said yet
			if err := pause(ctx, awayPause); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		t.session = p.SessionID
		if t.Turns == 0 {
			t.began, err = lastOf(p)
			t.seen[t.session] = t.began
			return err
		}
		err = t.print(p)
		t.began = t.seen[t.session]
		return err
	}
}

// turnTo goes on with another session, after what was said in this one.
func (t *tail) turnTo(ctx context.Context, session string) error {
	if err := t.rest(ctx, t.session); err != nil && !isGone(err) {
		return err
	}
	t.session = session
	if _, known := t.seen[session]; known {
		return t.rest(ctx, session)
	}
	if t.began > 0 {
		t.seen[session] = t.began
		return t.rest(ctx, session)
	}
	// There was nothing to tell by what is new in it.
	p, err := t.page(ctx, session, url.Values{"turns": {strconv.Itoa(max(t.Turns, 1))}})
	if err != nil {
		return err
	}
	return t.print(p)
}

// follow goes on with the next session if the one that is shown was closed.
func (t *tail) follow(ctx context.Context) error {
	var s struct {
		ClosedAt      *time.Time `json:"closed_at"`
		NextSessionID *string    `json:"next_session_id"`
	}
	err := t.ask(ctx, "/v1/sessions/"+url.PathEscape(t.session), url.Values{"user_id": {t.User}}, &s)
	if err != nil || s.ClosedAt == nil || s.NextSessionID == nil {
		return err
	}
	if err := t.rest(ctx, t.session); err != nil {
		return err
	}
	t.Session, t.session = *s.NextSessionID, *s.NextSessionID
	return nil
}

// rest prints what a session has beyond what was seen of it.
func (t *tail) rest(ctx context.Context, session string) error {
	for {
		p, err := t.page(ctx, session, url.Values{"after": {t.after(session)}, "limit": {strconv.Itoa(tailPage)}})
		if err != nil {
			return err
		}
		if err := t.print(p); err != nil || !p.HasMore {
			return err
		}
	}
}

func (t *tail) after(session string) string { return strconv.FormatInt(t.seen[session], 10) }

// page reads messages of a session, of the latest one if it has no name.
func (t *tail) page(ctx context.Context, session string, query url.Values) (p tailed, err error) {
	query.Set("user_id", t.User)
	if session != "" {
		query.Set("session_id", session)
	}
	return p, t.ask(ctx, "/v1/messages", query, &p)
}

// ask makes one request, for as long as it takes to have an answer from a memd that
// answered before.
func (t *tail) ask(ctx context.Context, path string, query url.Values, into any) error {
	told := false
	for wait := awayPause; ; wait = min(2*wait, awayMost) {
		after, err := t.memd.once(ctx, http.MethodGet, path+"?"+query.Encode(), into)
		if err == nil || ctx.Err() != nil || after <= 0 {
			return err
		}
		if !told {
			fmt.Fprintf(os.Stderr, "memd: %v; trying again\n", err)
			told = true
		}
		// Not all at the same time, as they would be for whom it went away.
		if err := pause(ctx, max(after, wait/2+rand.N(wait/2))); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	wait := time.NewTimer(d)
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-wait.C:
		return nil
	}
}

// isGone says of a refusal that there is no such session.
func isGone(err error) bool {
	var refused *refusal
	return errors.As(err, &refused) && refused.status == http.StatusNotFound
}

// lastOf gives the id of the last message of a page, 0 if it has none.
func lastOf(p tailed) (int64, error) {
	var m struct{ ID int64 }
	if len(p.Messages) == 0 {
		return 0, nil
	}
	err := json.Unmarshal(p.Messages[len(p.Messages)-1], &m)
	return m.ID, err
}

// print prints a page, and keeps in mind up to where it goes.
func (t *tail) print(p tailed) error {
	last, err := lastOf(p)
	if err != nil || len(p.Messages) == 0 {
		return err
	}
	var lines strings.Builder
	if !t.JSON && p.SessionID != t.shown {
		fmt.Fprintf(&lines, "── %s ──\n", printable(p.SessionID))
		t.shown = p.SessionID
	}
	name, err := json.Marshal(p.SessionID)
	if err != nil {
		return err
	}
	for _, raw := range p.Messages {
		if t.JSON {
			fmt.Fprintf(&lines, "{\"session_id\":%s,%s\n", name, raw[1:])
			continue
		}
		var m spoken
		if err := json.Unmarshal(raw, &m); err != nil {
			return err
		}
		lines.WriteString(m.line())
	}
	t.seen[p.SessionID] = max(last, t.seen[p.SessionID])
	_, err = io.WriteString(t.out, lines.String())
	return err
}

// spoken is what people are shown of a message.
type spoken struct {
	CreatedAt  time.Time `json:"created_at"`
	Role, Name string
	Content    json.RawMessage
	Refusal    string
	ToolCalls  []struct{ Function called } `json:"tool_calls"`
	Function   called                      `json:"function_call"`
}

type called struct{ Name, Arguments string }

// line is a message as people read it; a text of several lines is set in.
func (m spoken) line() string {
	who := m.Role
	if m.Name != "" {
		who += "/" + m.Name
	}
	var said []string
	var text string
	var parts []struct{ Type, Text, Refusal string }
	if json.Unmarshal(m.Content, &text) == nil {
		said = append(said, text)
	} else if json.Unmarshal(m.Content, &parts) == nil {
		for _, p := range parts {
			switch {
			case p.Text+p.Refusal != "":
				said = append(said, p.Text+p.Refusal)
			case p.Type != "":
				said = append(said, "["+p.Type+"]")
			}
		}
	}
	if m.Refusal != "" {
		said = append(said, m.Refusal)
	}
	calls := []called{m.Function}
	for _, c := range m.ToolCalls {
		calls = append(calls, c.Function)
	}
	for _, c := range calls {
		if c.Name != "" {
			said = append(said, fmt.Sprintf("[%s(%s)]", c.Name, c.Arguments))
		}
	}
	words := strings.Join(strings.FieldsFunc(strings.Join(said, "\n"), func(r rune) bool { return r == '\n' || r == '\r' }), "\n    ")
	return printable(m.CreatedAt.UTC().Format(time.RFC3339)+" "+who+": "+words) + "\n"
}

// printable keeps what a message says from steering a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
