package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// deadLettersCommands see to messages that a running memd has given up.
type deadLettersCommands struct {
	List    listDeadLetters    `cmd:"" help:"Print what was given up, newest first."`
	Retry   retryDeadLetters   `cmd:"" help:"Have it learned from again, with all its attempts."`
	Discard discardDeadLetters `cmd:"" help:"Give it up for good; the messages stay in the log."`
}

// letterFlags choose dead letters.
type letterFlags struct {
	Class   string `placeholder:"CAUSE" help:"Only those of this class of cause (extract, embedder, longterm, postgres, crash), or of one cause (\"embedder: unavailable\")."`
	User    string `placeholder:"ID" help:"Only those of this user."`
	Session string `placeholder:"ID" help:"Only those of sessions of this name."`
}

func (f letterFlags) query() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{"class": f.Class, "user_id": f.User, "session_id": f.Session} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// letter is a dead letter as memd lists it. It has none of the message's words.
type letter struct {
	ID        int64
	UserID    string `json:"user_id"`
	SessionID string `json:"session_id"`
	Attempts  int
	Error     string
	SettledAt time.Time `json:"settled_at"`
}

// letterPage is a page of the list; each letter is kept as it was given.
type letterPage struct {
	DeadLetters []json.RawMessage `json:"dead_letters"`
	next
}

// eachLetter goes through all pages.
func eachLetter(ctx context.Context, m *remote, f letterFlags, do func(letter, json.RawMessage) error) error {
	return pages(ctx, m, "/v1/dead-letters", f.query(), func(p letterPage) error {
		for _, raw := range p.DeadLetters {
			var l letter
			if err := json.Unmarshal(raw, &l); err != nil {
				return fmt.Errorf("no answer of a memd: %w", err)
			}
			if err := do(l, raw); err != nil {
				return err
			}
		}
		return nil
	})
}

type listDeadLetters struct {
	remoteFlags
	letterFlags
	JSON bool `help:"Print each as JSON, one a line."`
}

// Run prints the dead letters as they are read.
func (c listDeadLetters) Run(ctx context.Context) error {
	m, err := c.open()
	if err != nil {
		return err
	}
	defer m.close()
	out := bufio.NewWriter(os.Stdout)
	err = eachLetter(ctx, m, c.letterFlags, func(l letter, raw json.RawMessage) error { return c.print(out, l, raw) })
	return errors.Join(err, out.Flush())
}

func (c listDeadLetters) print(w io.Writer, l letter, raw json.RawMessage) error {
	if c.JSON {
		_, err := fmt.Fprintf(w, "%s\n", raw)
		return err
	}
	_, err := fmt.Fprintf(w, "%d\t%s\t%d attempts\t%s\t%s\t%s\n", l.ID, l.SettledAt.UTC().Format(time.RFC3339), l.Attempts, l.Error, orDash(l.UserID), orDash(l.SessionID))
	return err
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// chosenLetters are those that something is done with.
type chosenLetters struct {
	remoteFlags
	letterFlags
	IDs  []int64 `arg:"" name:"id" optional:"" help:"Messages that were given up."`
	All  bool    `help:"All of them, or with --class, --user or --session all such."`
	JSON bool    `help:"Print the counts as JSON."`
}

// Validate is called by kong.
func (c *chosenLetters) Validate() error {
	switch narrowed := c.letterFlags != (letterFlags{}); {
	case len(c.IDs) > 0 && (c.All || narrowed):
		return errors.New("either messages or flags that choose them")
	case len(c.IDs) == 0 && !c.All && narrowed:
		return errors.New("--class, --user and --session: need --all")
	case len(c.IDs) == 0 && !c.All:
		return errors.New("which dead letters: their ids, or --all")
	}
	for _, id := range c.IDs {
		if id < 1 {
			return errors.New("id: must be a message's number")
		}
	}
	return nil
}

type retryDeadLetters struct{ chosenLetters }

// Run opens dead letters again.
func (c retryDeadLetters) Run(ctx context.Context) error { return c.end(ctx, "retry", "retried") }

type discardDeadLetters struct{ chosenLetters }

// Run makes dead letters skipped.
func (c discardDeadLetters) Run(ctx context.Context) error {
	return c.end(ctx, "discard", "discarded")
}

// end does the same with each that was chosen, and says with how many.
func (c chosenLetters) end(ctx context.Context, verb, done string) error {
	m, err := c.open()
	if err != nil {
		return err
	}
	defer m.close()
	n := map[string]int{done: 0, "failed": 0}
	each := func(id int64) error {
		err := endLetter(ctx, m, verb, id)
		var refused *refusal
		switch {
		case err == nil:
			n[done]++
		case !errors.As(err, &refused) || refused.hopeless() || ctx.Err() != nil:
			return err
		case refused.status == http.StatusNotFound && c.All:
			// Somebody else has seen to it meanwhile.
		default:
			n["failed"]++
			fmt.Fprintf(os.Stderr, "memd: message %d: %v\n", id, refused)
		}
		return nil
	}
	if c.All {
		err = eachLetter(ctx, m, c.letterFlags, func(l letter, _ json.RawMessage) error { return each(l.ID) })
	}
	for _, id := range c.IDs {
		if err = each(id); err != nil {
			break
		}
	}
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	if c.JSON {
		_ = json.NewEncoder(os.Stdout).Encode(n)
	} else {
		words := fmt.Sprintf("%d %s", n[done], done)
		if n["failed"] > 0 {
			words += fmt.Sprintf(", %d failed", n["failed"])
		}
		fmt.Println(words)
	}
	if err == nil && n["failed"] > 0 {
		return errSaid
	}
	return err
}

// endLetter asks once where the answer is one for good: a conflict with what is not learned
// from now does not pass by waiting.
func endLetter(ctx context.Context, m *remote, verb string, id int64) error {
	path := fmt.Sprintf("/v1/dead-letters/%d/%s", id, verb)
	_, err := m.once(ctx, http.MethodPost, path, &struct{}{})
	var refused *refusal
	if err == nil || errors.As(err, &refused) && refused.status < 500 && refused.status != http.StatusTooManyRequests {
		return err
	}
	err = m.ask(ctx, http.MethodPost, path, nil, &struct{}{})
	if errors.As(err, &refused) && refused.status == http.StatusNotFound && strings.Contains(refused.words, "dead letter") {
		return nil // it was done by the request that had no answer
	}
	return err
}
