package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"github.com/memdhq/memd"
)

type exportCommand struct {
	remoteFlags
	User    string `placeholder:"ID" help:"Of this user; default: of everybody, with an admin's key."`
	Session string `placeholder:"ID" help:"Of the user's, only this session."`
	Format  string `default:"memd" enum:"memd,openai" help:"memd: comes back with memd import. openai: a line in OpenAI's chat format for each session."`
	Output  string `short:"o" placeholder:"FILE" help:"Where it goes; default: standard output."`
}

// Validate is called by kong.
func (c *exportCommand) Validate() error {
	if c.Session != "" && c.User == "" {
		return errors.New("--session: needs --user, whose session it is")
	}
	for _, id := range []struct{ flag, value string }{{"--user", c.User}, {"--session", c.Session}} {
		if id.value != "" {
			if err := memd.CheckID(id.flag, id.value); err != nil {
				return errors.New(plain(err))
			}
		}
	}
	return nil
}

// Run writes what memd streams. A file that is not whole is taken away.
func (c exportCommand) Run(ctx context.Context) (err error) {
	m, err := c.open()
	if err != nil {
		return err
	}
	defer m.close()
	m.client.Timeout = 0 // it takes as long as there is something to come
	path, query := "/v1/export", url.Values{"form": {"transfer"}}
	if c.User != "" {
		path = "/v1/users/" + url.PathEscape(c.User) + "/export"
	}
	if c.Session != "" {
		query.Set("session_id", c.Session)
	}
	if c.Format == "openai" {
		query.Set("form", "openai")
	}
	to := os.Stdout
	if c.Output != "" {
		if to, err = os.OpenFile(c.Output, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600); err != nil {
			return fmt.Errorf("--output: %w", err)
		}
		defer func() {
			if err = errors.Join(err, to.Close()); err != nil {
				_ = os.Remove(c.Output)
			}
		}()
	}
	return orInterrupted(ctx, m.stream(ctx, path+"?"+query.Encode(), to))
}

// stream copies an answer that comes bit by bit. One that breaks off is an error.
func (r *remote) stream(ctx context.Context, path string, to io.Writer) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url+path, nil)
	if err != nil {
		return err
	}
	if r.key != "" {
		q.Header.Set("Authorization", "Bearer "+r.key)
	}
	q.Header.Set("User-Agent", "memd/"+currentVersion())
	resp, err := r.client.Do(q)
	if err != nil {
		var e *url.Error
		if errors.As(err, &e) {
			err = e.Err
		}
		return fmt.Errorf("memd does not answer: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return refused(resp)
	}
	w := bufio.NewWriterSize(to, 1<<20)
	if _, err := io.Copy(w, resp.Body); err != nil {
		return fmt.Errorf("what is exported broke off: %w", err)
	}
	return w.Flush()
}
