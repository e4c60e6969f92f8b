package main

import (
	"cmp"
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
	"slices"
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
	Session string `placeholder:"ID" help:"Only those of this session, and of those that follow it; default: of all the user's chats, after the last turns of the latest."`
	Turns   int    `default:"5" placeholder:"N" help:"How many of the last turns to begin with."`
	JSON    bool   `help:"Print each message as a line of JSON."`
}

const (
	// tailWait is how long one request waits for the next message: what goes on elsewhere,
	// as in a session that follows, is looked for in between.
	tailWait = time.Second
	// tailIdle is how long a closed session is left alone at most.
	tailIdle = 5 * time.Second
	// tailRest is the rest after each page of sessions that was looked through.
	tailRest = 100 * time.Millisecond
	// tailPage is how many messages are read at once, sessionsPage how many sessions.
	tailPage     = 500
	sessionsPage = 200
	// wholeEvery is how many waits in which nothing came there are between looks at all
	// sessions of a user; those that were made last are looked at after each.
	wholeEvery = 15
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
	t := &tail{tailCommand: c, memd: m, out: os.Stdout, seen: map[string]int64{}, marks: map[string]mark{}}
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
	// chain is the session that was named and those that follow it, in their order.
	chain []string
	// seen is up to where each session was printed, newest the latest of these.
	seen   map[string]int64
	newest int64
	// marks are how sessions were before they were last read.
	marks map[string]mark
	// idle is how long a closed session was last left alone: what comes late to it is rare.
	idle time.Duration
	// shown is the session whose name was printed last.
	shown string
}

// mark changes with the messages of a session.
type mark struct {
	messages int
	last     time.Time
}

// listed is a session as memd shows it.
type listed struct {
	SessionID     string `json:"session_id"`
	Messages      int
	LastMessageAt time.Time `json:"last_message_at"`
	NextSessionID string    `json:"next_session_id"`
}

func (s listed) mark() mark { return mark{s.Messages, s.LastMessageAt} }

// tailed is a page of a session.
type tailed struct {
	SessionID string `json:"session_id"`
	Messages  []json.RawMessage
	HasMore   bool       `json:"has_more"`
	ClosedAt  *time.Time `json:"closed_at"`
}

// said is a message, and where.
type said struct {
	session string
	id      int64
	raw     json.RawMessage
}

func (t *tail) all(ctx context.Context) error {
	begin := t.beginUser
	if t.Session != "" {
		begin = t.beginNamed
	}
	if err := begin(ctx); err != nil {
		return err
	}
	spoken, whole := "", true
	for quiet := 1; ; quiet++ {
		due, pages, over, err := t.changed(ctx, spoken, whole)
		if err == nil {
			err = t.read(ctx, due)
		}
		if err != nil {
			return err
		}
		if over != "" {
			fmt.Fprintf(os.Stderr, "memd: session %s is there no more; nothing follows it\n", printable(over))
			return nil
		}
		if err := pause(ctx, time.Duration(max(pages, 1))*tailRest); err != nil {
			return err
		}
		if spoken, err = t.await(ctx); err != nil {
			return err
		}
		if spoken != "" {
			quiet = 0
		}
		whole = quiet%wholeEvery == 0
	}
}

// beginNamed prints the last turns of the session that was named.
func (t *tail) beginNamed(ctx context.Context) error {
	t.chain = []string{t.Session}
	return t.lastTurns(ctx)
}

// beginUser prints the last turns of the user's latest session. Of the sessions that are
// there, what comes from now on is new; of those that come, all is.
func (t *tail) beginUser(ctx context.Context) error {
	var known []listed
	if _, err := t.sessions(ctx, true, func(s listed) bool {
		known = append(known, s)
		return true
	}); err != nil {
		return err
	}
	if err := t.lastTurns(ctx); err != nil && !isGone(err) { // nothing was said yet
		return err
	}
	began := t.newest
	for _, s := range known {
		t.marks[s.SessionID] = s.mark()
		if _, shown := t.seen[s.SessionID]; shown {
			continue
		}
		t.seen[s.SessionID] = began
		if began > 0 || s.Messages == 0 {
			continue
		}
		// The latest session has no message to tell by what is new in the others.
		p, err := t.page(ctx, s.SessionID, url.Values{"limit": {"1"}})
		if err == nil {
			_, err = t.take(p)
		}
		if err != nil && !isGone(err) {
			return err
		}
	}
	return nil
}

func (t *tail) lastTurns(ctx context.Context) error {
	query := url.Values{"turns": {strconv.Itoa(t.Turns)}}
	if t.Turns == 0 {
		query = url.Values{"limit": {"1"}}
	}
	p, err := t.page(ctx, t.Session, query)
	if err != nil {
		return err
	}
	messages, err := t.take(p)
	if err != nil || t.Turns == 0 {
		return err
	}
	return t.print(messages)
}

// await waits a little for a message after those that were seen, in the last session of
// the chain or in the user's latest, and names the session that has one.
func (t *tail) await(ctx context.Context) (spoken string, err error) {
	session, after := "", t.newest
	if t.Session != "" {
		session = t.last()
		after = t.seen[session]
	}
	p, err := t.page(ctx, session, url.Values{"after": {strconv.FormatInt(after, 10)}, "limit": {"1"}, "wait": {tailWait.String()}})
	switch {
	case isGone(err) && session != "": // why is seen when it is looked at
		return "", nil
	case isGone(err): // nothing was said yet, or all was deleted
		return "", pause(ctx, tailWait)
	case err != nil:
		return "", err
	case len(p.Messages) == 0 && p.ClosedAt != nil: // of a closed one no answer waits
		t.idle = min(max(tailWait, t.idle*3/2), tailIdle)
		return "", pause(ctx, t.idle)
	case len(p.Messages) == 0:
		return "", nil
	}
	t.idle = 0
	return p.SessionID, nil
}

// last is the session of the chain that nothing follows yet.
func (t *tail) last() string { return t.chain[len(t.chain)-1] }

// changed gives the sessions that may have messages that were not printed: spoken, if it
// is not empty, and those that are not as they were when they were read. whole has all
// sessions of the user looked at. pages is how many pages of sessions that took; over is
// the session at which the chain ends, if it does.
func (t *tail) changed(ctx context.Context, spoken string, whole bool) (due []string, pages int, over string, err error) {
	if spoken != "" {
		due = append(due, spoken)
	}
	add := func(s listed) {
		if s.mark() == t.marks[s.SessionID] {
			return
		}
		t.marks[s.SessionID] = s.mark()
		if !slices.Contains(due, s.SessionID) {
			due = append(due, s.SessionID)
		}
	}
	if t.Session == "" {
		pages, err = t.sessions(ctx, whole || spoken != "", func(s listed) bool {
			add(s)
			return true
		})
		return due, pages, "", err
	}
	for {
		var s listed
		err := t.ask(ctx, "/v1/sessions/"+url.PathEscape(t.last()), url.Values{"user_id": {t.User}}, &s)
		if isGone(err) {
			over = t.last()
			break
		}
		if err != nil {
			return nil, 0, "", err
		}
		add(s)
		if s.NextSessionID == "" || slices.Contains(t.chain, s.NextSessionID) {
			break
		}
		t.chain = append(t.chain, s.NextSessionID)
	}
	// What comes late to those before the last.
	earlier := map[string]bool{}
	for _, session := range t.chain[:len(t.chain)-1] {
		earlier[session] = true
	}
	if len(earlier) == 0 {
		return due, 0, over, nil
	}
	pages, err = t.sessions(ctx, true, func(s listed) bool {
		if earlier[s.SessionID] {
			add(s)
			delete(earlier, s.SessionID)
		}
		return len(earlier) > 0
	})
	// Those that were not found are there no more.
	t.chain = slices.DeleteFunc(t.chain, func(session string) bool { return earlier[session] && session != t.last() })
	return due, pages, over, err
}

// sessions gives the user's chats to do, those that were made last first, until that
// returns false: all of them, or one page. It says how many pages it read.
func (t *tail) sessions(ctx context.Context, whole bool, do func(listed) bool) (pages int, err error) {
	query := url.Values{"user_id": {t.User}, "limit": {strconv.Itoa(sessionsPage)}}
	for {
		var p struct {
			Sessions   []listed
			NextCursor string `json:"next_cursor"`
		}
		if err := t.ask(ctx, "/v1/sessions", query, &p); err != nil {
			return pages, err
		}
		pages++
		for _, s := range p.Sessions {
			if !do(s) {
				return pages, nil
			}
		}
		if p.NextCursor == "" || !whole {
			return pages, nil
		}
		query.Set("cursor", p.NextCursor)
	}
}

// read prints what these sessions have beyond what was seen of them, in the order in which
// it came.
func (t *tail) read(ctx context.Context, sessions []string) error {
	var together []said
	for _, session := range sessions {
		for more := true; more; {
			p, err := t.page(ctx, session, url.Values{"after": {strconv.FormatInt(t.seen[session], 10)}, "limit": {strconv.Itoa(tailPage)}})
			if isGone(err) { // deleted meanwhile, or over
				break
			}
			if err != nil {
				return err
			}
			messages, err := t.take(p)
			if err != nil {
				return err
			}
			together = append(together, messages...)
			more = p.HasMore
			if len(sessions) == 1 { // nothing it must be put in order with
				if err := t.print(together); err != nil {
					return err
				}
				together = together[:0]
			}
		}
	}
	slices.SortFunc(together, func(a, b said) int { return cmp.Compare(a.id, b.id) })
	return t.print(together)
}

// take gives the messages of a page, and keeps in mind up to where it goes.
func (t *tail) take(p tailed) ([]said, error) {
	messages := make([]said, len(p.Messages))
	for i, raw := range p.Messages {
		var m struct{ ID int64 }
		if err := json.Unmarshal(raw, &m); err != nil {
			return nil, err
		}
		messages[i] = said{p.SessionID, m.ID, raw}
		t.seen[p.SessionID] = max(m.ID, t.seen[p.SessionID])
	}
	// Also of a session without messages.
	t.seen[p.SessionID] = max(0, t.seen[p.SessionID])
	t.newest = max(t.newest, t.seen[p.SessionID])
	return messages, nil
}

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

// print prints messages.
func (t *tail) print(messages []said) error {
	var lines strings.Builder
	for _, s := range messages {
		if t.JSON {
			name, err := json.Marshal(s.session)
			if err != nil {
				return err
			}
			fmt.Fprintf(&lines, "{\"session_id\":%s,%s\n", name, s.raw[1:])
			continue
		}
		if s.session != t.shown {
			fmt.Fprintf(&lines, "── %s ──\n", printable(s.session))
			t.shown = s.session
		}
		var m spoken
		if err := json.Unmarshal(s.raw, &m); err != nil {
			return err
		}
		lines.WriteString(m.line())
	}
	if lines.Len() == 0 {
		return nil
	}
	_, err := io.WriteString(t.out, lines.String())
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
