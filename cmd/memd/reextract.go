package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/memdhq/memd"
)

type reextractCommand struct {
	remoteFlags
	IDs       []int64 `arg:"" name:"id" optional:"" help:"Messages to learn from again."`
	User      string  `placeholder:"ID" help:"All messages of this user."`
	Session   string  `placeholder:"ID" help:"Of the user's, only those of this session."`
	Since     string  `placeholder:"TIME" help:"Only those that came then or later (RFC 3339, or a date)."`
	Until     string  `placeholder:"TIME" help:"Only those that came before then."`
	AllMarked bool    `help:"Only those that the rules learned from in the model's place, and those that were given up; without --user, everybody's."`
	NoWait    bool    `help:"Only ask; do not wait until they are learned from."`
	AtOnce    int     `default:"4" placeholder:"N" help:"Requests at a time."`
	JSON      bool    `help:"Print the result as JSON."`
}

// marked stands in the extractor of a message that the rules learned from in the place of
// a model, before the reason.
const marked = "(llm: "

// reextractRound is how many messages are asked for before they are waited for: what is
// to be learned again must not stand in a long row before what is said meanwhile.
const reextractRound = 200

// Validate is called by kong.
func (c *reextractCommand) Validate() error {
	for _, t := range []struct{ flag, value string }{{"--since", c.Since}, {"--until", c.Until}} {
		if t.value != "" {
			if _, err := memd.ParseTime(t.flag, t.value); err != nil {
				return fmt.Errorf("%s: must be a time in RFC 3339, or a date", t.flag)
			}
		}
	}
	switch {
	case c.AtOnce < 1 || c.AtOnce > 64:
		return errors.New("--at-once: must be 1 to 64")
	case len(c.IDs) > 0 && (c.User != "" || c.Session != "" || c.AllMarked || c.Since != "" || c.Until != ""):
		return errors.New("either messages or flags that choose them")
	case c.Session != "" && c.User == "":
		return errors.New("--session: needs --user, whose session it is")
	case len(c.IDs) == 0 && c.User == "" && !c.AllMarked:
		return errors.New("which messages: their ids, --user, or --all-marked")
	}
	for _, id := range c.IDs {
		if id < 1 {
			return errors.New("id: must be a message's number")
		}
	}
	return nil
}

// reextracted counts what became of the messages that were chosen.
type reextracted struct {
	// Asked is how many are learned from again: Learned by the extractor in force,
	// FellBack by the rules in the model's place once more, Dead given up, Open not yet
	// settled as far as is known.
	Asked    int `json:"asked"`
	Learned  int `json:"learned"`
	FellBack int `json:"fell_back"`
	Dead     int `json:"dead"`
	Open     int `json:"open"`
	// Skipped are never learned from; Failed could not be asked for, or went meanwhile.
	Skipped int `json:"skipped"`
	Failed  int `json:"failed"`
	// Complete says that none was left out, as one that was not come to is.
	Complete bool `json:"complete"`
}

// reextraction is one run of the command.
type reextraction struct {
	reextractCommand
	memd         *remote
	since, until time.Time
	// round is what is asked for next, seen every message that was looked at.
	round []chosen
	seen  map[int64]bool

	mu     sync.Mutex
	n      reextracted
	looked int
	shown  time.Time
}

// Run has memd learn again from the messages that are chosen, and says what came of it.
func (c reextractCommand) Run(ctx context.Context) error {
	r := &reextraction{reextractCommand: c, seen: map[int64]bool{}, shown: time.Now()}
	var err error
	if r.memd, err = c.open(); err != nil {
		return err
	}
	defer r.memd.close()
	// Validate has read them.
	r.since, _ = memd.ParseTime("", c.Since)
	r.until, _ = memd.ParseTime("", c.Until)

	if err = r.all(ctx); ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	r.n.Complete = err == nil
	r.progress(true)
	r.print(os.Stdout)
	if err == nil && r.n.Failed+r.n.Dead > 0 {
		return errSaid
	}
	return err
}

func (r *reextraction) print(w io.Writer) {
	if r.JSON {
		_ = json.NewEncoder(w).Encode(r.n)
		return
	}
	fmt.Fprintln(w, r.n.words())
}

// words are the counts for people.
func (n reextracted) words() string {
	parts := []string{fmt.Sprintf("%d asked for", n.Asked)}
	for _, p := range []struct {
		n    int
		what string
	}{
		{n.Learned, "learned from"}, {n.FellBack, "learned from by the rules in the model's place"}, {n.Dead, "given up"},
		{n.Open, "still open"}, {n.Skipped, "never learned from"}, {n.Failed, "failed"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}

// chosen is a message that may be learned from again.
type chosen struct {
	id int64
	// sure says that it fits all that was asked for; of another more has to be read.
	sure bool
}

func (r *reextraction) all(ctx context.Context) error {
	if err := r.choose(ctx); err != nil {
		return err
	}
	return r.again(ctx, r.round)
}

// take takes a message that was not seen before, and goes to work if a round is full.
func (r *reextraction) take(ctx context.Context, c chosen) error {
	if r.seen[c.id] {
		return nil
	}
	r.seen[c.id] = true
	if r.round = append(r.round, c); len(r.round) < reextractRound {
		return nil
	}
	full := r.round
	r.round = nil
	return r.again(ctx, full)
}

// choose takes the messages that were asked for.
func (r *reextraction) choose(ctx context.Context) error {
	for _, id := range r.IDs {
		if err := r.take(ctx, chosen{id, true}); err != nil {
			return err
		}
	}
	switch {
	case len(r.IDs) > 0:
		return nil
	case r.Session != "":
		return r.ofSession(ctx, r.User, r.Session)
	case r.User != "":
		return r.ofUser(ctx, r.User)
	}
	// Those without a user come first, of whom only what was given up is known.
	if err := r.givenUp(ctx, ""); err != nil {
		return err
	}
	return pages(ctx, r.memd, "/v1/users", url.Values{}, func(p struct {
		Users []struct {
			UserID string `json:"user_id"`
		}
		next
	}) error {
		for _, u := range p.Users {
			if err := r.ofUser(ctx, u.UserID); err != nil {
				return err
			}
		}
		return nil
	})
}

// next is the end of a page of any list.
type next struct {
	NextCursor string `json:"next_cursor"`
}

func (n next) cursor() string { return n.NextCursor }

// pages reads a list to its end, page by page.
func pages[P interface{ cursor() string }](ctx context.Context, m *remote, path string, query url.Values, each func(P) error) error {
	query.Set("limit", "1000")
	for {
		var p P
		if err := m.ask(ctx, http.MethodGet, path, query, &p); err != nil {
			return err
		}
		if err := each(p); err != nil {
			return err
		}
		if p.cursor() == "" {
			return nil
		}
		query.Set("cursor", p.cursor())
	}
}

// ofUser takes the messages of a user: those of every session, and, since sessions of
// what was given to be remembered are in no list, those that memories and dead letters
// name.
func (r *reextraction) ofUser(ctx context.Context, user string) error {
	err := pages(ctx, r.memd, "/v1/sessions", url.Values{"user_id": {user}}, func(p struct {
		Sessions []struct {
			SessionID string `json:"session_id"`
		}
		next
	}) error {
		for _, s := range p.Sessions {
			var gone *refusal
			if err := r.ofSession(ctx, user, s.SessionID); errors.As(err, &gone) && gone.status == http.StatusNotFound {
				continue // deleted since
			} else if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	query := url.Values{"user_id": {user}, "include_superseded": {"true"}}
	err = pages(ctx, r.memd, "/v1/memories", query, func(p struct {
		Results []struct{ Sources []int64 }
		next
	}) error {
		for _, m := range p.Results {
			for _, id := range m.Sources {
				if err := r.take(ctx, chosen{id, false}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.givenUp(ctx, user)
}

// ofSession takes the messages of a session, in their order.
func (r *reextraction) ofSession(ctx context.Context, user, session string) error {
	query := url.Values{"user_id": {user}, "session_id": {session}, "limit": {"500"}, "after": {"0"}}
	for {
		var p struct {
			Messages []logged
			HasMore  bool `json:"has_more"`
		}
		if err := r.memd.ask(ctx, http.MethodGet, "/v1/messages", query, &p); err != nil {
			return err
		}
		for _, m := range p.Messages {
			query.Set("after", strconv.FormatInt(m.ID, 10))
			r.count(func(*reextracted) { r.looked++ })
			c := chosen{m.ID, !r.AllMarked || m.Ingest.State == "dead"}
			switch {
			case !r.inTime(m.ReceivedAt), r.AllMarked && m.Ingest.State != "done" && !c.sure:
				r.seen[m.ID] = true
				continue
			case m.Ingest.State == "skipped":
				r.seen[m.ID] = true
				r.count(func(n *reextracted) { n.Skipped++ })
				continue
			}
			if err := r.take(ctx, c); err != nil {
				return err
			}
		}
		if !p.HasMore || len(p.Messages) == 0 {
			return nil
		}
	}
}

// givenUp takes the dead letters of a user, or of everybody.
func (r *reextraction) givenUp(ctx context.Context, user string) error {
	query := url.Values{}
	if user != "" {
		query.Set("user_id", user)
	}
	return pages(ctx, r.memd, "/v1/dead-letters", query, func(p struct {
		DeadLetters []struct{ ID int64 } `json:"dead_letters"`
		next
	}) error {
		for _, l := range p.DeadLetters {
			if err := r.take(ctx, chosen{l.ID, false}); err != nil {
				return err
			}
		}
		return nil
	})
}

// logged is what is read of a message of the log.
type logged struct {
	ID         int64
	ReceivedAt time.Time `json:"received_at"`
	Ingest     struct {
		State     string
		Extractor string
	}
}

// fits tells whether a message is one of those that were asked for.
func (r *reextraction) fits(m logged) bool {
	return r.inTime(m.ReceivedAt) && m.Ingest.State != "skipped" &&
		(!r.AllMarked || m.Ingest.State == "dead" || m.Ingest.State == "done" && strings.Contains(m.Ingest.Extractor, marked))
}

func (r *reextraction) inTime(received time.Time) bool {
	return (r.Since == "" || !received.Before(r.since)) && (r.Until == "" || received.Before(r.until))
}

// again has messages learned from again, and waits for them.
func (r *reextraction) again(ctx context.Context, round []chosen) error {
	asked := make([]bool, len(round))
	err := r.each(ctx, len(round), func(ctx context.Context, i int) (err error) {
		asked[i], err = r.one(ctx, round[i])
		return err
	})
	var open []int64
	for i, c := range round {
		if asked[i] {
			open = append(open, c.id)
		}
	}
	if err != nil || r.NoWait {
		return err
	}
	for len(open) > 0 {
		// Returns when nothing is open, of others neither; so it is no more than a pause.
		if err := r.memd.ask(ctx, http.MethodGet, "/v1/ingest", url.Values{"wait": {"1s"}}, &struct{}{}); err != nil {
			return err
		}
		ended := make([]bool, len(open))
		err := r.each(ctx, len(open), func(ctx context.Context, i int) (err error) {
			ended[i], err = r.ended(ctx, open[i])
			return err
		})
		if err != nil {
			return err
		}
		still := open[:0]
		for i, id := range open {
			if !ended[i] {
				still = append(still, id)
			}
		}
		open = still
	}
	return nil
}

// one has one message learned from again, if it fits; asked says that it was.
func (r *reextraction) one(ctx context.Context, c chosen) (asked bool, err error) {
	if !c.sure {
		var m logged
		if ok, err := r.about(ctx, http.MethodGet, c.id, messagePath(c.id), &m); !ok {
			return false, err
		}
		if !r.fits(m) {
			return false, nil
		}
	}
	var m logged
	if ok, err := r.about(ctx, http.MethodPost, c.id, messagePath(c.id)+"/reextract", &m); !ok {
		return false, err
	}
	asked = m.Ingest.State != "skipped"
	r.count(func(n *reextracted) {
		if asked {
			n.Asked, n.Open = n.Asked+1, n.Open+1
		} else {
			n.Skipped++
		}
	})
	return asked, nil
}

// ended tells whether a message that was asked for has settled, and counts how.
func (r *reextraction) ended(ctx context.Context, id int64) (ended bool, err error) {
	var m logged
	ok, err := r.about(ctx, http.MethodGet, id, messagePath(id), &m)
	if err != nil {
		return false, err
	}
	ended = true
	r.count(func(n *reextracted) {
		switch {
		case !ok: // gone, and counted
		case m.Ingest.State == "done" && strings.Contains(m.Ingest.Extractor, marked):
			n.FellBack++
		case m.Ingest.State == "done":
			n.Learned++
		case m.Ingest.State == "dead":
			n.Dead++
		case m.Ingest.State == "skipped":
			n.Skipped++
		default:
			ended = false
			return
		}
		n.Open--
	})
	return ended, nil
}

// about makes a request about one message. ok is false if there was no use in it, which is
// told and counted; an error is one that ends all.
func (r *reextraction) about(ctx context.Context, method string, id int64, path string, into any) (ok bool, err error) {
	err = r.memd.ask(ctx, method, path, nil, into)
	var refused *refusal
	if errors.As(err, &refused) && !refused.hopeless() && ctx.Err() == nil {
		r.count(func(n *reextracted) {
			n.Failed++
			fmt.Fprintf(os.Stderr, "%smemd: message %d: %v\n", overwrite(), id, refused)
		})
		return false, nil
	}
	return err == nil, err
}

func messagePath(id int64) string { return fmt.Sprintf("/v1/messages/%d", id) }

// each does something for each of n, AtOnce of them at a time and in their order, until
// one fails.
func (r *reextraction) each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	turns := make(chan int)
	for range min(r.AtOnce, n) {
		all.Go(func() {
			for i := range turns {
				if ctx.Err() != nil {
					continue
				}
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
				r.progress(false)
			}
		})
	}
	for i := range n {
		turns <- i
	}
	close(turns)
	all.Wait()
	return context.Cause(ctx)
}

func (r *reextraction) count(change func(*reextracted)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.n)
}

// progress tells how far it is, on standard error, now and then; at the end the result
// tells it.
func (r *reextraction) progress(last bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	anew := overwrite()
	every := 10 * time.Second
	if anew != "" {
		every = time.Second / 4
	}
	if last {
		fmt.Fprint(os.Stderr, anew)
	}
	if last || time.Since(r.shown) < every {
		return
	}
	r.shown = time.Now()
	line := r.n.words()
	if r.looked > 0 {
		line = fmt.Sprintf("%d looked at, %s", r.looked, line)
	}
	if anew == "" {
		line += "\n"
	}
	fmt.Fprint(os.Stderr, anew+line)
}

// overwrite is what takes the line away that a terminal shows; elsewhere lines stay.
func overwrite() string {
	if isatty.IsTerminal(os.Stderr.Fd()) {
		return "\r\x1b[K"
	}
	return ""
}
